//! Starting, running, stopping and turning of one character.

mod choice;
mod feet;
mod footing;
mod footpath;
mod frame;
mod job;
mod motion_clip;
mod own_steps;
mod phase;
mod placing;
mod posing;
mod set;
mod slide;

pub use frame::{LegReport, LocomotionFrame};
pub use job::LocomotionJob;
pub use motion_clip::MotionClip;
pub use own_steps::OwnSteps;
pub use phase::{LocomotionController, LocomotionPhase};
pub use set::{LocomotionClips, LocomotionSet, LocomotionSettings};
pub use slide::FootSlide;
