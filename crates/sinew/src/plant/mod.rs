//! Feet that stay where they land, for any character.
//!
//! Each frame a [`PlantJob`] looks which feet stand, holds those where they landed, lets go of the others
//! without a jump, lowers the pelvis where a leg would be too short, tilts feet with the ground, and bends the legs to match. Where feet
//! stand is decided by height and speed, as the audit's foot-slide rule does, or by the caller, who may know
//! it from a curve.

mod contact;
mod error;
mod ground;
mod job;
pub(crate) mod leg;
mod rig;
mod spring;

pub use contact::{FootMotion, StanceRule, StanceTracker};
pub use error::PlantError;
pub use ground::{FlatGround, Ground, GroundHit, HeightField, HeightFieldError};
pub use job::{PlantJob, PlantSettings, PlantedFoot, Planting};
pub use rig::{PlantContact, PlantLeg, PlantRig};
