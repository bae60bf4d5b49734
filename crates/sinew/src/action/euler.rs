//! Pitch, yaw and roll, and the blend of rotations that actions use.

use glam::{DQuat, DVec3};

use super::ComposeError;

/// Three angles, radians: pitch lifts the nose, yaw turns it to the left, roll lowers the right side.
///
/// They describe one rotation and cannot be added up to an angle, nor two sets of them subtracted; compare
/// rotations with [`DTransform::angle_between`](crate::DTransform::angle_between).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Euler {
    /// Nose up.
    pub pitch: f64,
    /// To the left, seen from above anticlockwise.
    pub yaw: f64,
    /// Right side down.
    pub roll: f64,
}

impl Euler {
    /// Every angle times a weight.
    #[must_use]
    pub fn weighted(self, weight: f64) -> Self {
        Self { pitch: self.pitch * weight, yaw: self.yaw * weight, roll: self.roll * weight }
    }

    /// The rotation: first roll about forward (+Z), then pitch about left (+X), then yaw about up (+Y).
    #[must_use]
    pub fn to_quat(self) -> DQuat {
        DQuat::from_rotation_y(self.yaw)
            * DQuat::from_rotation_x(-self.pitch)
            * DQuat::from_rotation_z(self.roll)
    }

    /// The angles of a rotation, for people to read: yaw and roll in -pi to pi, pitch in -pi/2 to pi/2.
    ///
    /// Straight up and straight down only the sum or difference of yaw and roll is told; all of it is then
    /// whichever of the two the digits favour.
    #[must_use]
    pub fn from_quat(rotation: DQuat) -> Self {
        let forward = rotation * DVec3::Z;
        let yaw = libm::atan2(forward.x, forward.z);
        let pitch = libm::atan2(forward.y, libm::hypot(forward.x, forward.z));
        let left = Self { pitch, yaw, roll: 0.0 }.to_quat().conjugate() * (rotation * DVec3::X);
        Self { pitch, yaw, roll: libm::atan2(left.y, left.x) }
    }
}

/// Componentwise mean of two rotations, brought to unit length, along the shorter way: of `target` and its
/// negative, which are one rotation, the one in the hemisphere of `reference` is taken.
///
/// # Errors
/// [`ComposeError`] where the weight is not in 0 to 1 or a quaternion is not of unit length.
pub fn nlerp_short(reference: DQuat, target: DQuat, weight: f64) -> Result<DQuat, ComposeError> {
    check_weight(weight)?;
    check_unit("the reference rotation", reference)?;
    check_unit("the target rotation", target)?;
    let target = if reference.dot(target) < 0.0 { -target } else { target };
    // Within a hemisphere the mean is never shorter than half a diagonal.
    Ok((reference * (1.0 - weight) + target * weight).normalize())
}

pub(super) fn check_weight(weight: f64) -> Result<(), ComposeError> {
    if (0.0..=1.0).contains(&weight) { Ok(()) } else { Err(ComposeError::Weight { weight }) }
}

pub(super) fn check_unit(what: &'static str, rotation: DQuat) -> Result<(), ComposeError> {
    let length = rotation.length();
    // Written so that NaN is refused as well.
    if (length - 1.0).abs() <= 1e-6 { Ok(()) } else { Err(ComposeError::NotUnit { what, length }) }
}
