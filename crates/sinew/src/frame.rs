//! Orthonormal frames for limbs: a bone's head and tail leave its roll open, and these close it.

use glam::{DMat3, DQuat, DVec3};

/// Shortest bone whose direction can be told, metres.
pub const MIN_BONE_LENGTH: f64 = 1e-8;
/// Shortest projection of a unit reference axis that still tells the roll.
pub const MIN_PROJECTED_AXIS: f64 = 0.1;

/// Why a frame cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// Head and tail fall together.
    #[error("head and tail are {length} m apart, expected at least {MIN_BONE_LENGTH} m")]
    NoDirection {
        /// Their distance, metres.
        length: f64,
    },
    /// The reference axis runs along the bone.
    #[error(
        "the reference axis projects to {length} across the bone, expected at least {MIN_PROJECTED_AXIS}"
    )]
    AxisAlongBone {
        /// Length of the projected axis, 0 to 1.
        length: f64,
    },
    /// The reference axis is no direction.
    #[error("the reference axis has length {length}, expected 1")]
    AxisNotUnit {
        /// Its length.
        length: f64,
    },
}

/// A frame whose Y runs from head to tail and whose X is `reference_x` as seen across the bone.
///
/// Stable where the reference stays transverse to the motion: a leg that swings in a plane, with the plane's
/// normal as reference. The guards are errors on purpose: a fallback axis chosen anew at each key makes
/// the next jump.
///
/// # Errors
/// [`FrameError`] where head and tail fall together or the reference runs along the bone.
pub fn projected_x(head: DVec3, tail: DVec3, reference_x: DVec3) -> Result<DQuat, FrameError> {
    let y = direction(head, tail)?;
    let x = across(reference_x, y, MIN_PROJECTED_AXIS)?;
    Ok(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

/// A frame whose Y runs from head to tail and whose Z is `up` as seen across the bone.
///
/// The common "track an axis, keep the other up" construction. Near the up direction the frame turns over:
/// two bones a degree either side of it differ by half a turn about the bone, and a rotation
/// interpolated between them carries the next joint out of its plane. Use [`projected_x`] for limbs.
///
/// # Errors
/// [`FrameError`] where head and tail fall together or `up` runs along the bone.
pub fn tracked_up(head: DVec3, tail: DVec3, up: DVec3) -> Result<DQuat, FrameError> {
    let y = direction(head, tail)?;
    let z = across(up, y, MIN_BONE_LENGTH)?;
    Ok(DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize())
}

fn direction(head: DVec3, tail: DVec3) -> Result<DVec3, FrameError> {
    let along = tail - head;
    let length = along.length();
    // Written so that NaN is refused as well.
    if length.is_finite() && length >= MIN_BONE_LENGTH {
        Ok(along / length)
    } else {
        Err(FrameError::NoDirection { length })
    }
}

fn across(reference: DVec3, y: DVec3, least: f64) -> Result<DVec3, FrameError> {
    let unit = reference.length();
    if !unit.is_finite() || (unit - 1.0).abs() > 1e-6 {
        return Err(FrameError::AxisNotUnit { length: unit });
    }
    let axis = reference - y * reference.dot(y);
    let length = axis.length();
    if length >= least { Ok(axis / length) } else { Err(FrameError::AxisAlongBone { length }) }
}
