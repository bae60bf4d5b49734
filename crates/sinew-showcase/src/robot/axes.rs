//! From the axes of the published readback to those of this workspace.
//!
//! There: centimetres, left-handed, +X forward, +Y to the right, +Z up. Here: metres, right-handed, +Z forward,
//! +X to the left, +Y up. With `S` the matrix from there to here, a point becomes `0.01 * S * p` and a rotation
//! `S * R * S^-1`. `S` mirrors, so its determinant is -1 and the axis of a rotation, which is a pseudovector,
//! becomes `-S * axis`; that, and no reordering of components, is what happens to a quaternion.

use glam::{DMat3, DQuat, DVec3};

/// Metres a centimetre.
const METRES_PER_CM: f64 = 0.01;

/// The matrix from the readback's axes to ours: left is minus right, up is up, forward is forward.
#[must_use]
pub fn basis() -> DMat3 {
    DMat3::from_cols(DVec3::Z, DVec3::NEG_X, DVec3::Y)
}

/// A point or an offset; centimetres in, metres out.
#[must_use]
pub fn point_from_cm(point_cm: DVec3) -> DVec3 {
    basis() * point_cm * METRES_PER_CM
}

/// The other way: metres in, centimetres out.
#[must_use]
pub fn point_to_cm(point: DVec3) -> DVec3 {
    basis().transpose() * point / METRES_PER_CM
}

/// A rotation: `S * R * S^-1` as a quaternion.
#[must_use]
pub fn rotation(there: DQuat) -> DQuat {
    let s = basis();
    let axis = s * there.xyz() * s.determinant();
    DQuat::from_xyzw(axis.x, axis.y, axis.z, there.w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_mirrors_and_keeps_lengths() {
        let s = basis();
        assert_eq!(s.determinant(), -1.0);
        assert_eq!(s * s.transpose(), DMat3::IDENTITY);
        assert_eq!(point_from_cm(DVec3::new(100.0, 0.0, 0.0)), DVec3::Z);
        assert_eq!(point_from_cm(DVec3::new(0.0, 100.0, 0.0)), DVec3::NEG_X);
        assert_eq!(point_from_cm(DVec3::new(0.0, 0.0, 100.0)), DVec3::Y);
    }

    #[test]
    fn a_compound_rotation_is_s_r_s_inverse() {
        let there = DQuat::from_rotation_z(0.7) * DQuat::from_rotation_y(-0.4) * DQuat::from_rotation_x(1.1);
        let expected = basis() * DMat3::from_quat(there) * basis().transpose();
        let found = DMat3::from_quat(rotation(there));
        assert!((found - expected).to_cols_array().iter().all(|v| v.abs() < 1e-15));
    }

    #[test]
    fn turning_and_then_converting_is_converting_and_then_turning() {
        let there = DQuat::from_xyzw(0.02391, 0.05198, -0.41717, 0.90702).normalize();
        let point_cm = DVec3::new(540.268, -2.228, 147.549);
        let a = point_from_cm(there * point_cm);
        let b = rotation(there) * point_from_cm(point_cm);
        assert!((a - b).length() < 1e-14);
        assert!((point_to_cm(point_from_cm(point_cm)) - point_cm).length() < 1e-12);
    }
}
