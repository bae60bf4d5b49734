//! Into lanes and out of them.

use super::error::{check_characters, check_output, check_pose};
use super::product::to_quads;
use super::{AffineRows, LaneModel, LanePose, LaneRows, ModelError, ModelPose};
use crate::wide::{Floats, Quads, Simd, dispatch};
use crate::{Backend, LocalPose, PoseGroup, ScaleGroup};

/// Local poses of one to eight characters of one rig to lanes, without a change to any number.
#[derive(Debug)]
pub struct GatherLanesJob<'a> {
    /// Character by character; lanes past the last one repeat it.
    pub poses: &'a [&'a LocalPose],
    /// Leading groups of eight joints to take over; `usize::MAX` for all.
    pub groups: usize,
    /// Where they go.
    pub output: &'a mut LanePose,
}

impl GatherLanesJob<'_> {
    /// Transposes on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where there are no poses or more than eight, or they do not have the joints of the
    /// output; the output is then untouched.
    pub fn run(&mut self) -> Result<(), ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`GatherLanesJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), ModelError> {
        check_characters(self.poses.len())?;
        let mut scaled = false;
        for (i, pose) in self.poses.iter().enumerate() {
            check_pose(i, pose.len(), self.output.joints)?;
            scaled |= pose.is_scaled();
        }
        let groups = self.groups.min(self.output.joints.div_ceil(8));
        let last = self.poses.len() - 1;
        let mut transforms_of: [&[PoseGroup]; 8] = [&[]; 8];
        let mut scales_of: [&[ScaleGroup]; 8] = [&[]; 8];
        for lane in 0..8 {
            let pose = self.poses[lane.min(last)];
            transforms_of[lane] = &pose.groups()[..groups];
            scales_of[lane] = &pose.scales()[..groups];
        }
        if self.output.scaled && !scaled {
            self.output.scales.fill(ScaleGroup::ONE);
        }
        self.output.scaled = scaled;
        let to = &mut *self.output.transforms;
        dispatch!(backend, gather(transforms_of: [&[PoseGroup]; 8], groups: usize, to: &mut [PoseGroup]));
        if scaled {
            let to = &mut *self.output.scales;
            dispatch!(backend, gather_scale(scales_of: [&[ScaleGroup]; 8], groups: usize, to: &mut [ScaleGroup]));
        }
        Ok(())
    }
}

#[inline(always)]
fn gather<S: Simd>(simd: S, from: [&[PoseGroup]; 8], groups: usize, to: &mut [PoseGroup]) {
    for (g, to) in to.chunks_exact_mut(8).take(groups).enumerate() {
        let mut poses = [&from[0][g]; 8];
        for lane in 1..8 {
            poses[lane] = &from[lane][g];
        }
        for axis in 0..4 {
            let mut rows = [simd.load(&poses[0].rotation[axis]); 8];
            for lane in 1..8 {
                rows[lane] = simd.load(&poses[lane].rotation[axis]);
            }
            let slots = simd.transpose_8x8(rows);
            for i in 0..8 {
                slots[i].store(&mut to[i].rotation[axis]);
            }
        }
        for axis in 0..3 {
            let mut rows = [simd.load(&poses[0].translation[axis]); 8];
            for lane in 1..8 {
                rows[lane] = simd.load(&poses[lane].translation[axis]);
            }
            let slots = simd.transpose_8x8(rows);
            for i in 0..8 {
                slots[i].store(&mut to[i].translation[axis]);
            }
        }
    }
}

#[inline(always)]
fn gather_scale<S: Simd>(simd: S, from: [&[ScaleGroup]; 8], groups: usize, to: &mut [ScaleGroup]) {
    for (g, to) in to.chunks_exact_mut(8).take(groups).enumerate() {
        for axis in 0..3 {
            let mut rows = [simd.load(&from[0][g].scale[axis]); 8];
            for lane in 1..8 {
                rows[lane] = simd.load(&from[lane][g].scale[axis]);
            }
            let slots = simd.transpose_8x8(rows);
            for i in 0..8 {
                slots[i].store(&mut to[i].scale[axis]);
            }
        }
    }
}

/// Model matrices in lanes to the poses of one to eight characters, without a change to any number.
#[derive(Debug)]
pub struct ScatterLanesJob<'a, 'b> {
    /// The matrices of eight.
    pub model: &'a LaneModel,
    /// Leading groups of eight joints to write; `usize::MAX` for all. The others are left as they were.
    pub groups: usize,
    /// Character by character; lanes past the last one are dropped.
    pub outputs: &'a mut [&'b mut ModelPose],
}

impl ScatterLanesJob<'_, '_> {
    /// Transposes on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where there are no outputs or more than eight, or they do not have the joints of the
    /// lanes; the outputs are then untouched.
    pub fn run(&mut self) -> Result<(), ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`ScatterLanesJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), ModelError> {
        check_characters(self.outputs.len())?;
        let joints = self.model.len();
        for (i, output) in self.outputs.iter().enumerate() {
            check_output(i, output.len(), joints)?;
        }
        let joints = self.groups.saturating_mul(8).min(joints);
        let mut outputs: [&mut [AffineRows]; 8] = Default::default();
        for (to, output) in outputs.iter_mut().zip(self.outputs.iter_mut()) {
            *to = &mut output.rows_mut()[..joints];
        }
        let rows = &self.model.rows()[..joints];
        dispatch!(backend, scatter(rows: &[LaneRows], outputs: [&mut [AffineRows]; 8]));
        Ok(())
    }
}

#[inline(always)]
fn scatter<S: Simd>(simd: S, rows: &[LaneRows], mut outputs: [&mut [AffineRows]; 8]) {
    for (i, from) in rows.iter().enumerate() {
        let mut matrix = [[simd.splat(0.0); 4]; 3];
        for row in 0..3 {
            for column in 0..4 {
                matrix[row][column] = simd.load(&from.rows[row][column]);
            }
        }
        store_each(simd, matrix, i, &mut outputs);
    }
}

/// Eight matrices in lanes to entry `i` of eight lists, of which some may be empty.
#[inline(always)]
pub(super) fn store_each<S: Simd>(
    simd: S,
    matrix: [[S::F; 4]; 3],
    i: usize,
    outputs: &mut [&mut [AffineRows]; 8],
) {
    let quads = to_quads(simd, matrix);
    for lane in 0..8 {
        if let Some(to) = outputs[lane].get_mut(i) {
            for row in 0..3 {
                quads[lane][row].store(&mut to.rows[row]);
            }
        }
    }
}
