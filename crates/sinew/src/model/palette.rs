//! Palettes of 3x4 matrices.

use super::error::{check_characters, check_palette, check_pose};
use super::lane_jobs::store_each;
use super::product::{load_rows, store_rows, times, times_lanes};
use super::{AffineRows, BindJoint, LaneModel, LaneRows, ModelError, ModelPose, SkinBinding};
use crate::Backend;
use crate::wide::{Simd, dispatch};

/// Matrices that carry bound vertices to model space: model matrix times inverse bind matrix, as glTF 2.0
/// (section 3.7.3.1) has it. 48 bytes an entry.
#[derive(Debug)]
pub struct PaletteJob<'a> {
    /// What the entries are.
    pub binding: &'a SkinBinding,
    /// Of the rig that the binding is for.
    pub model: &'a ModelPose,
    /// `[entry]`; may be a part of a larger buffer.
    pub output: &'a mut [AffineRows],
}

impl PaletteJob<'_> {
    /// Computes the palette on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where the sizes do not fit together; the output is then untouched.
    pub fn run(&mut self) -> Result<(), ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`PaletteJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), ModelError> {
        check_pose(0, self.model.len(), self.binding.rig_joints())?;
        check_palette(0, self.output.len(), self.binding.len())?;
        let (joints, model) = (self.binding.joints(), self.model.rows());
        let output = &mut *self.output;
        dispatch!(backend, kernel(joints: &[BindJoint], model: &[AffineRows], output: &mut [AffineRows]));
        Ok(())
    }
}

#[inline(always)]
fn kernel<S: Simd>(simd: S, joints: &[BindJoint], model: &[AffineRows], output: &mut [AffineRows]) {
    for (joint, to) in joints.iter().zip(output) {
        let bind = load_rows(simd, &joint.inverse_bind.rows);
        store_rows(times(simd, &model[joint.slot.index()], bind), to);
    }
}

/// Palettes of one to eight characters in lanes; for each the same bits as a [`PaletteJob`].
#[derive(Debug)]
pub struct LanePaletteJob<'a, 'b> {
    /// What the entries are.
    pub binding: &'a SkinBinding,
    /// Of the rig that the binding is for.
    pub model: &'a LaneModel,
    /// `[character][entry]`; lanes past the last character are dropped.
    pub outputs: &'a mut [&'b mut [AffineRows]],
}

impl LanePaletteJob<'_, '_> {
    /// Computes the palettes on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where the sizes do not fit together; the outputs are then untouched.
    pub fn run(&mut self) -> Result<(), ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`LanePaletteJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), ModelError> {
        check_characters(self.outputs.len())?;
        check_pose(0, self.model.len(), self.binding.rig_joints())?;
        let mut outputs: [&mut [AffineRows]; 8] = Default::default();
        for (i, output) in self.outputs.iter().enumerate() {
            check_palette(i, output.len(), self.binding.len())?;
        }
        for (to, output) in outputs.iter_mut().zip(self.outputs.iter_mut()) {
            *to = &mut **output;
        }
        let (joints, model) = (self.binding.joints(), self.model.rows());
        dispatch!(backend, lanes(joints: &[BindJoint], model: &[LaneRows], outputs: [&mut [AffineRows]; 8]));
        Ok(())
    }
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, joints: &[BindJoint], model: &[LaneRows], mut outputs: [&mut [AffineRows]; 8]) {
    for (i, joint) in joints.iter().enumerate() {
        let mut bind = [[simd.splat(0.0); 4]; 3];
        for row in 0..3 {
            for column in 0..4 {
                bind[row][column] = simd.splat(joint.inverse_bind.rows[row][column]);
            }
        }
        store_each(simd, times_lanes(simd, &model[joint.slot.index()], bind), i, &mut outputs);
    }
}
