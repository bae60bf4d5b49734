//! Inverse kinematics: joint rotations that bring an end to a target, and the checks on what comes out.
//!
//! Each solver is a job over plain values in one space of the caller's choice; nothing allocates, and every
//! input gives an answer: a status that says how far it got, or an error that names what is wrong with the
//! input. Nothing is stretched, and what is cut short says so.

mod aim;
mod aim_group;
mod angle_lanes;
mod capsule;
mod chain;
mod chain_group;
mod continuity;
mod lane_status;
mod lanes;
mod leg;
mod limit;
mod limit_lanes;
mod status;
mod two_bone;
mod two_bone_group;

pub use aim::{AimJob, AimLimits, AimSolution};
pub use aim_group::{AimGroup, AimGroupJob};
pub use capsule::{Capsule, Closest, closest_pair, segment_distance};
pub use chain::{ChainJob, ChainSolution};
pub use chain_group::{ChainGroup, ChainGroupJob, ChainLanes, ChainLink};
pub use continuity::{Residual, Turn, largest_residual, largest_turn};
pub use lane_status::LaneStatus;
pub use leg::{
    LegFault, LegGeometry, LegGroup, LegGroupJob, LegJob, LegLanes, LegLimits, LegPose, LegSearch,
    LegSolution, LegTarget, solve_leg_at,
};
pub use limit::{JointLimit, LimitMargin, LimitPart, LimitRange};
pub use limit_lanes::LimitLanes;
pub use status::{IkError, IkStatus};
pub use two_bone::{BendPlane, TwoBoneJob, TwoBoneLimb, TwoBoneSolution};
pub use two_bone_group::{TwoBoneGroup, TwoBoneGroupJob, TwoBoneRotations};
