//! Distance curves from the motion of a clip.

mod bends;
mod feet;
mod job;
mod pelvis;
mod retime;
mod root_path;
mod signed_path;
mod stored;
mod way;

pub use bends::UnmarkedTurn;
pub use feet::{FeetSettings, FeetTravel, FootStance};
pub use job::{DistanceBake, DistanceBakeJob, DistanceBakeSettings, DistanceTravel, PERSON_HEIGHT};
pub use pelvis::remainder_to_pelvis;
pub use retime::{TimeMap, retime_start};
pub use root_path::RootPath;
pub use signed_path::{DistanceMarker, MarkerSettings, Reversal, SignedPath};
pub(super) use stored::StoredTravel;
pub use stored::baked_root;
pub(super) use way::{WayPoint, along};
