//! Starting, running, stopping and turning of one character.

mod choice;
mod feet;
mod footing;
mod footpath;
mod job;
mod motion_clip;
mod phase;
mod posing;
mod set;
mod slide;

pub use job::{LocomotionFrame, LocomotionJob};
pub use motion_clip::MotionClip;
pub use phase::{LocomotionController, LocomotionPhase};
pub use set::{LocomotionClips, LocomotionSet, LocomotionSettings};
pub use slide::FootSlide;
