//! The leg of a walking machine: coxa yaw, upper, lower, ankle and a foot on a ball joint.
//!
//! Five angles of freedom (and the ball's three) hold a sole that fixes three numbers of position: in the
//! vertical plane of the leg one parameter is left over, the tilt of the ankle segment, `phi`. For a given
//! `phi` the leg is solved in closed form; `phi` is then chosen within a window round that of the sample
//! before. So a solution depends on the body, the sole and that one number, and on nothing else.

mod flat_lanes;
mod geometry;
mod group;
mod search;
mod solve;

pub use geometry::{LegGeometry, LegLimits, LegPose};
pub use group::{LegGroup, LegGroupJob, LegLanes};
pub use search::{LegJob, LegSearch};
pub use solve::{LegFault, LegSolution, LegTarget, solve_leg_at};
