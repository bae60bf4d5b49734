//! Translation, rotation and scale of one joint, in double precision.
//!
//! Composition follows the glTF 2.0 text (section 3.5.3): a local matrix is `T * R * S`, and a child's
//! matrix is the parent's matrix times its own.

use glam::{DMat3, DMat4, DQuat, DVec3};

/// Largest relative distance between a matrix and the T*R*S it was decomposed into.
const DECOMPOSE_TOLERANCE: f64 = 1e-6;

/// Translation (metres), rotation (unit quaternion) and scale of a joint relative to its parent.
///
/// There is no shear in it. Where a file needs shear, the joint carries a matrix
/// ([`Joint::rest_matrix`](crate::Joint::rest_matrix)) and model matrices are multiplied as matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DTransform {
    /// Metres, in the parent's space.
    pub translation: DVec3,
    /// Unit quaternion, XYZW.
    pub rotation: DQuat,
    /// Per axis, applied first.
    pub scale: DVec3,
}

impl Default for DTransform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl DTransform {
    /// No translation, no rotation, scale one.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// A rigid transform: scale one.
    #[must_use]
    pub fn from_rotation_translation(rotation: DQuat, translation: DVec3) -> Self {
        Self { translation, rotation, scale: DVec3::ONE }
    }

    /// The matrix `T * R * S`.
    #[must_use]
    pub fn to_matrix(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Splits a matrix into T*R*S. A mirrored matrix gets a negative X scale.
    ///
    /// Returns `None` where T*R*S cannot carry the matrix: shear, a last row other than `0 0 0 1`, a
    /// vanishing axis, or a value that is not finite.
    #[must_use]
    pub fn from_matrix(matrix: &DMat4) -> Option<Self> {
        let affine = DMat3::from_mat4(*matrix);
        let det = affine.determinant();
        let size = affine.to_cols_array().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let projective = matrix.row(3) - glam::DVec4::W;
        if !matrix.is_finite() || size == 0.0 || det == 0.0 || projective.abs().max_element() > 1e-9 {
            return None;
        }
        let mut scale = DVec3::new(affine.x_axis.length(), affine.y_axis.length(), affine.z_axis.length());
        if scale.min_element() <= size * 1e-9 {
            return None;
        }
        if det < 0.0 {
            scale.x = -scale.x;
        }
        let axes =
            DMat3::from_cols(affine.x_axis / scale.x, affine.y_axis / scale.y, affine.z_axis / scale.z);
        let rotation = DQuat::from_mat3(&axes).normalize();
        let this = Self { translation: matrix.w_axis.truncate(), rotation, scale };
        let back = DMat3::from_mat4(this.to_matrix());
        let error = (back - affine).to_cols_array().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        (error <= size * DECOMPOSE_TOLERANCE).then_some(this)
    }

    /// `self` as parent of `child`: `p + r * (s * p_child)`, `r * r_child`, `s * s_child`.
    ///
    /// Equal to the matrix product where no non-uniform scale meets a rotation below it; otherwise the
    /// shear that a matrix would carry is left out.
    #[must_use]
    pub fn mul_transform(&self, child: &Self) -> Self {
        Self {
            translation: self.translation + self.rotation * (self.scale * child.translation),
            rotation: (self.rotation * child.rotation).normalize(),
            scale: self.scale * child.scale,
        }
    }

    /// The inverse of translation and rotation; scale is ignored and one in the result.
    #[must_use]
    pub fn inverse_rigid(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self::from_rotation_translation(rotation, rotation * -self.translation)
    }

    /// Translation and rotation of a matrix, with scale and mirroring removed column by column.
    ///
    /// The rotation of a vanishing or mirrored matrix is the nearest one that can be told; it is always
    /// finite and of unit length.
    #[must_use]
    pub fn rigid_part(matrix: &DMat4) -> Self {
        let y = matrix.y_axis.truncate().try_normalize().unwrap_or(DVec3::Y);
        let x_raw = matrix.x_axis.truncate();
        let x = (x_raw - y * x_raw.dot(y)).try_normalize().unwrap_or_else(|| y.any_orthonormal_vector());
        let z = x.cross(y);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
        Self::from_rotation_translation(rotation, matrix.w_axis.truncate())
    }

    /// Largest angle in radians between two rotations, sign of the quaternions ignored.
    ///
    /// Stays accurate near zero, where `2 acos |dot|` loses half the digits.
    #[must_use]
    pub fn angle_between(a: DQuat, b: DQuat) -> f64 {
        let d = a.conjugate() * b;
        2.0 * libm::atan2(d.xyz().length(), d.w.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_20_along_x_of_a_parent_at_100_turned_90_degrees_is_at_100_20() {
        // A pose that adds local offsets gives (120, 0).
        let parent = DTransform::from_rotation_translation(
            DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2),
            DVec3::new(100.0, 0.0, 0.0),
        );
        let child = DTransform { translation: DVec3::new(20.0, 0.0, 0.0), ..DTransform::IDENTITY };
        let world = parent.mul_transform(&child);
        assert!((world.translation - DVec3::new(100.0, 20.0, 0.0)).length() < 1e-12);
    }

    #[test]
    fn a_mirrored_matrix_survives_decomposition() {
        let m = DTransform {
            translation: DVec3::new(1.0, 2.0, 3.0),
            rotation: DQuat::from_rotation_y(0.7),
            scale: DVec3::new(2.0, -3.0, 4.0),
        }
        .to_matrix();
        let back = DTransform::from_matrix(&m).unwrap().to_matrix();
        assert!((back - m).to_cols_array().iter().all(|v| v.abs() < 1e-12));
    }

    #[test]
    fn a_sheared_matrix_is_not_decomposed() {
        let outer = DMat4::from_scale(DVec3::new(1.0, 3.0, 1.0));
        let m = outer * DMat4::from_rotation_z(0.5);
        assert!(DTransform::from_matrix(&m).is_none());
    }

    #[test]
    fn a_matrix_with_a_vanishing_axis_is_not_decomposed() {
        assert!(DTransform::from_matrix(&DMat4::from_scale(DVec3::new(1.0, 0.0, 1.0))).is_none());
        assert!(DTransform::from_matrix(&DMat4::from_scale(DVec3::splat(f64::NAN))).is_none());
    }

    #[test]
    fn angles_of_a_millionth_of_a_degree_are_told_apart() {
        let a = DQuat::from_rotation_x(1e-8);
        assert!((DTransform::angle_between(DQuat::IDENTITY, a) - 1e-8).abs() < 1e-15);
        assert!((DTransform::angle_between(DQuat::IDENTITY, -a) - 1e-8).abs() < 1e-15);
    }
}
