//! Distance curves from the motion of a clip.

mod feet;
mod job;
mod pelvis;
mod retime;
mod root_path;
mod signed_path;

pub use feet::{FeetSettings, FeetTravel, FootStance};
pub use job::{DistanceBake, DistanceBakeJob, DistanceBakeSettings};
pub use pelvis::remainder_to_pelvis;
pub use retime::{TimeMap, retime_start};
pub use root_path::RootPath;
pub use signed_path::{DistanceMarker, MarkerSettings, Reversal, SignedPath};
