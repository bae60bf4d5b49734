//! Model matrices of two characters of one rig, side by side.

use super::error::{check_output, check_pose};
use super::product::{Hierarchy, load_rows, local_rows, times_pair, to_quads};
use super::{AffineRows, ModelError, ModelPose};
use crate::wide::{QuadPair, Simd, dispatch};
use crate::{Backend, LocalPose, PoseGroup, Rig, ScaleGroup};

/// Model-space matrices of two characters of one rig in one pass; the same bits as two
/// [`ModelJob`](super::ModelJob)s.
#[derive(Debug)]
pub struct ModelPairJob<'a> {
    /// The hierarchy of both.
    pub rig: &'a Rig,
    /// Relative to parents.
    pub poses: [&'a LocalPose; 2],
    /// As [`ModelJob::groups`](super::ModelJob::groups).
    pub groups: usize,
    /// Where the matrices go.
    pub outputs: [&'a mut ModelPose; 2],
}

impl ModelPairJob<'_> {
    /// Computes the matrices on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where a pose or an output is of another rig; the outputs are then untouched.
    pub fn run(&mut self) -> Result<(), ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`ModelPairJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), ModelError> {
        for i in 0..2 {
            check_pose(i, self.poses[i].len(), self.rig.len())?;
            check_output(i, self.outputs[i].len(), self.rig.len())?;
        }
        let [low, high] = &mut self.outputs;
        model_rows_pair(self.rig, self.poses, self.groups, [low.rows_mut(), high.rows_mut()], backend);
        Ok(())
    }
}

/// Matrices of two characters, `[slot]` each; sizes have been checked.
pub(crate) fn model_rows_pair(
    rig: &Rig,
    poses: [&LocalPose; 2],
    leading: usize,
    rows: [&mut [AffineRows]; 2],
    backend: Backend,
) {
    let hierarchy = Hierarchy::leading(rig, leading);
    let [a, b] = poses;
    let (groups, scales) = ([a.groups(), b.groups()], [a.scales(), b.scales()]);
    if a.is_scaled() || b.is_scaled() {
        dispatch!(backend, kernel::<true>(
            hierarchy: Hierarchy<'_>, groups: [&[PoseGroup]; 2], scales: [&[ScaleGroup]; 2],
            rows: [&mut [AffineRows]; 2],
        ));
    } else {
        dispatch!(backend, kernel::<false>(
            hierarchy: Hierarchy<'_>, groups: [&[PoseGroup]; 2], scales: [&[ScaleGroup]; 2],
            rows: [&mut [AffineRows]; 2],
        ));
    }
}

#[inline(always)]
fn kernel<S: Simd, const SCALED: bool>(
    simd: S,
    hierarchy: Hierarchy<'_>,
    groups: [&[PoseGroup]; 2],
    scales: [&[ScaleGroup]; 2],
    rows: [&mut [AffineRows]; 2],
) {
    let [low, high] = rows;
    let mut fixed = hierarchy.fixed.iter().peekable();
    for (g, parents) in hierarchy.parents.chunks(8).enumerate() {
        let a = to_quads(simd, local_rows::<S, SCALED>(simd, &groups[0][g], &scales[0][g]));
        let b = to_quads(simd, local_rows::<S, SCALED>(simd, &groups[1][g], &scales[1][g]));
        let mut locals = [[S::QQ::join(a[0][0], b[0][0]); 3]; 8];
        for i in 0..8 {
            for row in 0..3 {
                locals[i][row] = S::QQ::join(a[i][row], b[i][row]);
            }
        }
        while let Some((slot, matrix)) = fixed.next_if(|(slot, _)| slot.index() / 8 == g) {
            let [x, y, z] = load_rows(simd, matrix);
            locals[slot.index() % 8] = [S::QQ::join(x, x), S::QQ::join(y, y), S::QQ::join(z, z)];
        }
        for (i, parent) in parents.iter().enumerate() {
            let local = locals[i & 7];
            let (before, here) = low.split_at_mut(g * 8 + i);
            let (before_high, here_high) = high.split_at_mut(g * 8 + i);
            match parent {
                Some(parent) => {
                    let above = [&before[parent.index()], &before_high[parent.index()]];
                    times_pair(simd, above, local, [&mut here[0], &mut here_high[0]]);
                }
                None => {
                    for row in 0..3 {
                        local[row].store(&mut here[0].rows[row], &mut here_high[0].rows[row]);
                    }
                }
            }
        }
    }
}
