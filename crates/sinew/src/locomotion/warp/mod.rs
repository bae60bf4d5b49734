//! Poses bent to a stride, a direction and a slope that they were not made for.

mod job;
mod stance;

pub use job::{OrientationWarp, SlopeWarp, StrideWarp, WarpJob, WarpReport, WarpSettings, Warping};
