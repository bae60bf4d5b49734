//! Model-space matrices of a whole rig.

use glam::{Affine3A, Mat3A, Vec3A};

use super::ModelJob;
use crate::{LocalPose, Rig, Slot};

/// The upper three rows of an affine 4x4 matrix, for column vectors: `rows[i][3]` is the translation in metres.
/// 48 bytes, aligned to 16; what `mat3x4` buffers of shaders hold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct AffineRows {
    /// Row by row.
    pub rows: [[f32; 4]; 3],
}

impl AffineRows {
    /// Moves nothing.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// As glam has it.
    #[must_use]
    pub fn to_affine(&self) -> Affine3A {
        let [x, y, z] = self.rows;
        let column = |i: usize| Vec3A::new(x[i], y[i], z[i]);
        Affine3A { matrix3: Mat3A::from_cols(column(0), column(1), column(2)), translation: column(3) }
    }

    /// From glam.
    #[must_use]
    pub fn from_affine(affine: &Affine3A) -> Self {
        let (m, t) = (&affine.matrix3, affine.translation);
        Self { rows: [0, 1, 2].map(|row| [m.x_axis[row], m.y_axis[row], m.z_axis[row], t[row]]) }
    }
}

impl Default for AffineRows {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// Model-space matrices of every joint of a rig, `[slot]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPose {
    rows: Vec<AffineRows>,
}

impl ModelPose {
    /// The rest pose. The only place where it allocates.
    #[must_use]
    pub fn rest(rig: &Rig) -> Self {
        let mut this = Self { rows: vec![AffineRows::IDENTITY; rig.len()] };
        let pose = LocalPose::rest(rig);
        let job = ModelJob { rig, pose: &pose, groups: usize::MAX, output: &mut this }.run();
        debug_assert_eq!(job, Ok(()), "both were made for this rig");
        this
    }

    /// Number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The matrix of one joint.
    ///
    /// # Panics
    /// Where `slot` is not below [`ModelPose::len`].
    #[must_use]
    pub fn get(&self, slot: Slot) -> Affine3A {
        assert!(slot.index() < self.rows.len(), "{slot} of a pose of {} joints", self.rows.len());
        self.rows[slot.index()].to_affine()
    }

    /// `[slot]`.
    #[must_use]
    pub fn rows(&self) -> &[AffineRows] {
        &self.rows
    }

    /// `[slot]`, to write.
    #[must_use]
    pub fn rows_mut(&mut self) -> &mut [AffineRows] {
        &mut self.rows
    }
}
