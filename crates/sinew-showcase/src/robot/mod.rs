//! The built-in robot: a six-legged machine about 10 m tall, made by code.
//!
//! Its design is ours. Head, core and laser stand where a published readback of a similar machine has them, so
//! that composing them can be held against numbers from outside; all else (legs, limits,
//! pistons, armour, mesh) is chosen so that the machine stands well and its legs have room to move.
//!
//! 87 bones: the body, six legs of ten bones, six plates and pipes on the body, and 20 bones of the head.

mod bones;
mod document;
mod error;
mod head_shape;
mod hull_shape;
mod leg_plan;
mod leg_shape;
mod legs;
mod piston;
mod sculpt;

pub use bones::{BONES, HEAD_BONES, LEGS, LegBones, Robot};
pub use error::RobotError;
pub use leg_plan::{REFERENCE_HEIGHT, STANDING_HEIGHT};
pub use legs::RobotLegs;
