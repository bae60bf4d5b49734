//! Inverse kinematics: joint rotations that bring an end to a target, and the checks on what comes out.
//!
//! Each solver is a job over plain values in one space of the caller's choice; nothing allocates, and every
//! input gives an answer: a status that says how far it got, or an error that names what is wrong with the
//! input. Nothing is stretched, and what is cut short says so.

mod aim;
mod aim_group;
mod capsule;
mod chain;
mod continuity;
mod lanes;
mod leg;
mod limit;
mod status;
mod two_bone;
mod two_bone_group;

pub use aim::{AimJob, AimLimits, AimSolution};
pub use aim_group::{AimGroup, AimGroupJob};
pub use capsule::{Capsule, Closest, closest_pair, segment_distance};
pub use chain::{ChainJob, ChainSolution};
pub use continuity::{Residual, Turn, largest_residual, largest_turn};
pub use leg::{
    LegBatchJob, LegFault, LegGeometry, LegJob, LegLimits, LegPose, LegSearch, LegSolution, LegTarget,
    solve_leg_at,
};
pub use limit::{JointLimit, LimitMargin, LimitPart, LimitRange};
pub use status::{IkError, IkStatus};
pub use two_bone::{BendPlane, TwoBoneJob, TwoBoneLimb, TwoBoneSolution};
pub use two_bone_group::{LaneStatus, TwoBoneGroup, TwoBoneGroupJob, TwoBoneRotations};
