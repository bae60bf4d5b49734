//! Why the robot cannot be made.

use sinew::action::LegRigError;
use sinew::{BasisError, SkeletonError};

/// Why the robot cannot be made. None of it happens: its measures are constants, and tests make it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RobotError {
    /// Its bones are no skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// Its legs do not fit its bones.
    #[error(transparent)]
    Legs(#[from] LegRigError),
    /// The axes of the published readback are none.
    #[error(transparent)]
    Axes(#[from] BasisError),
}
