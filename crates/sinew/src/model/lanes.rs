//! Model matrices of eight characters of one rig, a lane each.

use super::ModelError;
use super::error::{check_output, check_pose};
use super::product::{Hierarchy, local_rows, times_lanes};
use crate::wide::{Floats, Simd, dispatch};
use crate::{Backend, PoseGroup, Rig, ScaleGroup};

/// Local transforms of eight characters of one rig: per joint, lane `i` belongs to character `i`.
///
/// The layout is that of [`LocalPose`](crate::LocalPose) with characters in place of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct LanePose {
    pub(super) joints: usize,
    /// `[slot]`, padded to whole groups of eight slots.
    pub(super) transforms: Vec<PoseGroup>,
    pub(super) scales: Vec<ScaleGroup>,
    pub(super) scaled: bool,
}

impl LanePose {
    /// Eight characters in rest pose. The only place where it allocates.
    #[must_use]
    pub fn rest(rig: &Rig) -> Self {
        let mut this = Self {
            joints: rig.len(),
            transforms: vec![PoseGroup::IDENTITY; rig.groups() * 8],
            scales: vec![ScaleGroup::ONE; rig.groups() * 8],
            scaled: rig.is_scaled(),
        };
        for slot in 0..rig.groups() * 8 {
            let (rest, scale) = (&rig.rest()[slot / 8], &rig.rest_scale()[slot / 8]);
            let to = &mut this.transforms[slot];
            to.rotation = rest.rotation.map(|v| [v[slot % 8]; 8]);
            to.translation = rest.translation.map(|v| [v[slot % 8]; 8]);
            this.scales[slot].scale = scale.scale.map(|v| [v[slot % 8]; 8]);
        }
        this
    }

    /// Number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints
    }

    /// Whether there is no joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints == 0
    }

    /// Whether some scale may differ from one. Where not, kernels skip scale.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        self.scaled
    }

    /// Rotation and translation, `[slot]`, lanes are characters.
    #[must_use]
    pub fn transforms(&self) -> &[PoseGroup] {
        &self.transforms[..self.joints]
    }

    /// Rotation and translation to write, `[slot]`, lanes are characters.
    #[must_use]
    pub fn transforms_mut(&mut self) -> &mut [PoseGroup] {
        &mut self.transforms[..self.joints]
    }

    /// Scale, `[slot]`, lanes are characters; all ones where [`LanePose::is_scaled`] is false.
    #[must_use]
    pub fn scales(&self) -> &[ScaleGroup] {
        &self.scales[..self.joints]
    }
}

/// The upper three rows of eight affine matrices: `rows[row][column][lane]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct LaneRows {
    /// Row by row, column by column.
    pub rows: [[[f32; 8]; 4]; 3],
}

impl LaneRows {
    /// Eight matrices that move nothing.
    pub const IDENTITY: Self = {
        let mut rows = [[[0.0; 8]; 4]; 3];
        rows[0][0] = [1.0; 8];
        rows[1][1] = [1.0; 8];
        rows[2][2] = [1.0; 8];
        Self { rows }
    };
}

/// Model-space matrices of eight characters of one rig, `[slot]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneModel {
    rows: Vec<LaneRows>,
}

impl LaneModel {
    /// Eight characters in rest pose. The only place where it allocates.
    #[must_use]
    pub fn rest(rig: &Rig) -> Self {
        let mut this = Self { rows: vec![LaneRows::IDENTITY; rig.len()] };
        let pose = LanePose::rest(rig);
        let job = ModelLanesJob { rig, pose: &pose, groups: usize::MAX, output: &mut this }.run();
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

    /// `[slot]`.
    #[must_use]
    pub fn rows(&self) -> &[LaneRows] {
        &self.rows
    }
}

/// Model-space matrices of eight characters of one rig in lanes; for each the same bits as a
/// [`ModelJob`](super::ModelJob).
#[derive(Debug)]
pub struct ModelLanesJob<'a> {
    /// The hierarchy of all.
    pub rig: &'a Rig,
    /// Relative to parents.
    pub pose: &'a LanePose,
    /// As [`ModelJob::groups`](super::ModelJob::groups).
    pub groups: usize,
    /// Where the matrices go.
    pub output: &'a mut LaneModel,
}

impl ModelLanesJob<'_> {
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
    /// As [`ModelLanesJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), ModelError> {
        check_pose(0, self.pose.len(), self.rig.len())?;
        check_output(0, self.output.len(), self.rig.len())?;
        let hierarchy = Hierarchy::leading(self.rig, self.groups);
        let (transforms, scales) = (&*self.pose.transforms, &*self.pose.scales);
        let rows = &mut *self.output.rows;
        if self.pose.scaled {
            dispatch!(backend, kernel::<true>(
                hierarchy: Hierarchy<'_>, transforms: &[PoseGroup], scales: &[ScaleGroup], rows: &mut [LaneRows],
            ));
        } else {
            dispatch!(backend, kernel::<false>(
                hierarchy: Hierarchy<'_>, transforms: &[PoseGroup], scales: &[ScaleGroup], rows: &mut [LaneRows],
            ));
        }
        Ok(())
    }
}

#[inline(always)]
fn kernel<S: Simd, const SCALED: bool>(
    simd: S,
    hierarchy: Hierarchy<'_>,
    transforms: &[PoseGroup],
    scales: &[ScaleGroup],
    rows: &mut [LaneRows],
) {
    let mut fixed = hierarchy.fixed.iter().peekable();
    for (slot, ((parent, transform), scale)) in
        hierarchy.parents.iter().zip(transforms).zip(scales).enumerate()
    {
        let mut matrix = local_rows::<S, SCALED>(simd, transform, scale);
        if let Some((_, of_all)) = fixed.next_if(|(fixed, _)| fixed.index() == slot) {
            for row in 0..3 {
                for column in 0..4 {
                    matrix[row][column] = simd.splat(of_all[row][column]);
                }
            }
        }
        let (before, here) = rows.split_at_mut(slot);
        if let Some(parent) = parent {
            matrix = times_lanes(simd, &before[parent.index()], matrix);
        }
        for row in 0..3 {
            for column in 0..4 {
                matrix[row][column].store(&mut here[0].rows[row][column]);
            }
        }
    }
}
