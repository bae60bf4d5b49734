//! From local transforms to model-space matrices and skinning palettes.
//!
//! Every path (one character, two a pass, eight in lanes) multiplies and adds the same numbers in the same
//! order, so which one ran never shows in the result.
#![allow(
    clippy::needless_range_loop,
    reason = "kernels use plain indices: an iterator over vectors does not take on the processor feature"
)]

mod binding;
mod compact;
mod error;
mod lane_jobs;
mod lanes;
mod pair;
mod palette;
mod pose;
mod product;
mod single;

pub use binding::{BindError, BindJoint, SkinBinding};
pub use compact::{
    BoxedJoint, BoxedPaletteJob, CompactJoint, CompactPaletteJob, PackStatus, PaletteBox, RIGID_TOLERANCE,
};
pub use error::ModelError;
pub use lane_jobs::{GatherLanesJob, ScatterLanesJob};
pub use lanes::{LaneModel, LanePose, LaneRows, ModelLanesJob};
pub use pair::ModelPairJob;
pub(crate) use pair::model_rows_pair;
pub use palette::{LanePaletteJob, PaletteJob};
pub use pose::{AffineRows, ModelPose};
pub use single::ModelJob;
pub(crate) use single::model_rows;
