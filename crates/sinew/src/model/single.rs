//! Model matrices of one character.

use super::error::{check_output, check_pose};
use super::product::{Hierarchy, load_rows, local_rows, store_rows, times, to_quads};
use super::{AffineRows, ModelError, ModelPose};
use crate::wide::{Simd, dispatch};
use crate::{Backend, LocalPose, PoseGroup, Rig, ScaleGroup};

/// Model-space matrices of one character: each parent's matrix times the joint's own, as glTF 2.0 (section
/// 3.5.3) multiplies them, so that shear from non-uniform scale is kept. Joints of [`Rig::fixed`] use their
/// fixed matrix instead of the pose.
#[derive(Debug)]
pub struct ModelJob<'a> {
    /// The hierarchy.
    pub rig: &'a Rig,
    /// Relative to parents.
    pub pose: &'a LocalPose,
    /// Leading groups of eight joints to compute, a level of detail ([`Rig::groups_with_reach`]);
    /// `usize::MAX` for all. The matrices of the others are left as they were.
    pub groups: usize,
    /// Where the matrices go.
    pub output: &'a mut ModelPose,
}

impl ModelJob<'_> {
    /// Computes the matrices on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where the pose or the output is of another rig; the output is then untouched.
    pub fn run(&mut self) -> Result<(), ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`ModelJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), ModelError> {
        check_pose(0, self.pose.len(), self.rig.len())?;
        check_output(0, self.output.len(), self.rig.len())?;
        model_rows(self.rig, self.pose, self.groups, self.output.rows_mut(), backend);
        Ok(())
    }
}

/// Matrices of one character, `[slot]`; sizes have been checked.
pub(crate) fn model_rows(
    rig: &Rig,
    pose: &LocalPose,
    leading: usize,
    rows: &mut [AffineRows],
    backend: Backend,
) {
    let hierarchy = Hierarchy::leading(rig, leading);
    let (groups, scales) = (pose.groups(), pose.scales());
    if pose.is_scaled() {
        dispatch!(backend, kernel::<true>(
            hierarchy: Hierarchy<'_>, groups: &[PoseGroup], scales: &[ScaleGroup], rows: &mut [AffineRows],
        ));
    } else {
        dispatch!(backend, kernel::<false>(
            hierarchy: Hierarchy<'_>, groups: &[PoseGroup], scales: &[ScaleGroup], rows: &mut [AffineRows],
        ));
    }
}

#[inline(always)]
fn kernel<S: Simd, const SCALED: bool>(
    simd: S,
    hierarchy: Hierarchy<'_>,
    groups: &[PoseGroup],
    scales: &[ScaleGroup],
    rows: &mut [AffineRows],
) {
    let mut fixed = hierarchy.fixed.iter().peekable();
    let eights = hierarchy.parents.chunks(8).zip(groups).zip(scales);
    for (g, ((parents, group), scale)) in eights.enumerate() {
        let mut locals = to_quads(simd, local_rows::<S, SCALED>(simd, group, scale));
        while let Some((slot, matrix)) = fixed.next_if(|(slot, _)| slot.index() / 8 == g) {
            locals[slot.index() % 8] = load_rows(simd, matrix);
        }
        for (i, parent) in parents.iter().enumerate() {
            let local = locals[i & 7];
            let (before, here) = rows.split_at_mut(g * 8 + i);
            let matrix = match parent {
                Some(parent) => times(simd, &before[parent.index()], local),
                None => local,
            };
            store_rows(matrix, &mut here[0]);
        }
    }
}
