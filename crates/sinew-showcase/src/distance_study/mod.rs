//! What the studies of distance matching share: measured keys, a runner who steps, and how a match is shown on
//! him.

pub(crate) mod keys;
mod measured;
pub(crate) mod naive;
pub(crate) mod playback;
pub(crate) mod runner;
pub(crate) mod runner_shape;
pub(crate) mod steps;
