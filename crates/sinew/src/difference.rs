//! How far two clips, or two lists of poses, are apart: the worst joint and the worst moment, in a named space
//! and over a stated range.

use core::fmt;

use glam::{DMat3, DMat4, DVec3};

use crate::{DTransform, JointId, RawClip, RawPose, Skeleton, model_matrices};

/// In which space poses are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Each joint relative to its parent.
    Local,
    /// Relative to the character's root: errors add up along the hierarchy, as they are seen.
    Model,
    /// Relative to a joint, of the first skeleton and of the second: what moves with it does not count.
    Joint(JointId, JointId),
}

impl Space {
    /// `local`, `model` or `joint`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Model => "model",
            Self::Joint(..) => "joint",
        }
    }
}

/// A largest value, and where it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// The value.
    pub value: f64,
    /// The joint, in the first skeleton.
    pub joint: JointId,
    /// The moment, seconds.
    pub time: f64,
}

impl Worst {
    const NONE: Self = Self { value: 0.0, joint: JointId(0), time: 0.0 };

    fn meet(&mut self, value: f64, joint: JointId, time: f64) {
        // NaN is worse than anything, and stays.
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Self { value, joint, time };
        }
    }
}

/// Which moments and joints a comparison looked at. A largest value means nothing without them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRange {
    /// Earliest moment, seconds; infinite where there is none.
    pub first: f64,
    /// Latest moment, seconds; minus infinite where there is none.
    pub last: f64,
    /// Moments.
    pub moments: usize,
    /// Pairs of joints.
    pub pairs: usize,
}

/// The largest differences between two clips over all joints and moments compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipDifference {
    /// Distance between joint positions, metres.
    pub position: Worst,
    /// Angle between joint rotations along the shorter way, radians.
    pub rotation: Worst,
    /// Difference between axis lengths (1 is unscaled).
    pub scale: Worst,
    /// Difference between morph weights; one that the other joint does not have counts as 0 there.
    pub weight: Worst,
    /// Root of the mean squared distance, metres.
    pub position_rms: f64,
    /// Joint poses compared: pairs times moments.
    pub samples: usize,
    /// Where they were compared.
    pub space: Space,
    /// Which they were.
    pub range: SampleRange,
}

impl fmt::Display for ClipDifference {
    /// Largest distance and angle; `{:#}` adds where, when, in which space and over which moments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (p, r) = (&self.position, &self.rotation);
        let (mm, degrees) = (p.value * 1e3, r.value.to_degrees());
        if !f.alternate() {
            return write!(f, "{mm:.6} mm, {degrees:.6} degrees");
        }
        let SampleRange { first, last, moments, pairs } = self.range;
        write!(
            f,
            "{mm:.6} mm at {} and {:.6} s, {degrees:.6} degrees at {} and {:.6} s; {} space, {pairs} joints, \
             {moments} moments from {first:.6} to {last:.6} s",
            p.joint,
            p.time,
            r.joint,
            r.time,
            self.space.name()
        )
    }
}

/// Compares a clip of one skeleton with a clip of another, or of the same.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceJob<'a> {
    /// The first skeleton and clip.
    pub a: (&'a Skeleton, &'a RawClip),
    /// The second skeleton and clip.
    pub b: (&'a Skeleton, &'a RawClip),
    /// Which joint of the first goes with which of the second.
    pub pairs: &'a [(JointId, JointId)],
    /// Moments, seconds; each clip clamps at its own ends.
    pub times: &'a [f64],
    /// Where to compare.
    pub space: Space,
}

impl DifferenceJob<'_> {
    /// The largest differences.
    ///
    /// # Panics
    /// Where a pair or the space names a joint that its skeleton does not have.
    #[must_use]
    pub fn run(&self) -> ClipDifference {
        let mut found = Found::new(self.space, self.pairs, [self.a.0, self.b.0]);
        let (mut a, mut b) = (RawPose::default(), RawPose::default());
        for &time in self.times {
            self.a.1.sample(self.a.0, time, &mut a);
            self.b.1.sample(self.b.0, time, &mut b);
            found.compare(time, [&a, &b]);
        }
        found.finish()
    }
}

/// Compares poses of one skeleton with poses of another, or of the same, moment by moment: what was recorded
/// with what was expected.
#[derive(Clone, Copy, Debug)]
pub struct PoseDifferenceJob<'a> {
    /// The first skeleton and `[moment]` its poses.
    pub a: (&'a Skeleton, &'a [RawPose]),
    /// The second skeleton and `[moment]` its poses.
    pub b: (&'a Skeleton, &'a [RawPose]),
    /// Which joint of the first goes with which of the second.
    pub pairs: &'a [(JointId, JointId)],
    /// `[moment]`, seconds.
    pub times: &'a [f64],
    /// Where to compare.
    pub space: Space,
}

/// Why poses cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoseDifferenceError {
    /// Lists of different lengths.
    #[error("{a} poses against {b}, at {times} moments")]
    Moments {
        /// Poses of the first.
        a: usize,
        /// Poses of the second.
        b: usize,
        /// Moments.
        times: usize,
    },
    /// A pose is of another skeleton.
    #[error("pose {moment} of the {which} has {found} joints, its skeleton {expected}")]
    Joints {
        /// `first` or `second`.
        which: &'static str,
        /// Position of the pose.
        moment: usize,
        /// Joints it has.
        found: usize,
        /// Joints of the skeleton.
        expected: usize,
    },
    /// A joint that the skeleton does not have.
    #[error("{joint} of the {which} skeleton, which has {joints}")]
    NoJoint {
        /// `first` or `second`.
        which: &'static str,
        /// The joint.
        joint: JointId,
        /// Joints there are.
        joints: usize,
    },
}

impl PoseDifferenceJob<'_> {
    /// The largest differences.
    ///
    /// # Errors
    /// [`PoseDifferenceError`] where lists, poses or joints do not fit.
    pub fn run(&self) -> Result<ClipDifference, PoseDifferenceError> {
        let (a, b, times) = (self.a.1.len(), self.b.1.len(), self.times.len());
        if a != times || b != times {
            return Err(PoseDifferenceError::Moments { a, b, times });
        }
        let of_space = match self.space {
            Space::Joint(a, b) => Some((a, b)),
            Space::Local | Space::Model => None,
        };
        for (which, (skeleton, poses), second) in [("first", self.a, false), ("second", self.b, true)] {
            for (moment, pose) in poses.iter().enumerate() {
                let (found, expected) = (pose.local.len(), skeleton.len());
                if found != expected || pose.weights.len() != skeleton.rest_weights().len() {
                    return Err(PoseDifferenceError::Joints { which, moment, found, expected });
                }
            }
            for pair in self.pairs.iter().chain(&of_space) {
                let joint = if second { pair.1 } else { pair.0 };
                if joint.index() >= skeleton.len() {
                    return Err(PoseDifferenceError::NoJoint { which, joint, joints: skeleton.len() });
                }
            }
        }
        let mut found = Found::new(self.space, self.pairs, [self.a.0, self.b.0]);
        for (moment, &time) in self.times.iter().enumerate() {
            found.compare(time, [&self.a.1[moment], &self.b.1[moment]]);
        }
        Ok(found.finish())
    }
}

/// What has been found so far.
struct Found<'a> {
    so_far: ClipDifference,
    squares: f64,
    pairs: &'a [(JointId, JointId)],
    skeletons: [&'a Skeleton; 2],
    matrices: [Vec<DMat4>; 2],
}

impl<'a> Found<'a> {
    fn new(space: Space, pairs: &'a [(JointId, JointId)], skeletons: [&'a Skeleton; 2]) -> Self {
        let (first, last) = (f64::INFINITY, f64::NEG_INFINITY);
        let so_far = ClipDifference {
            position: Worst::NONE,
            rotation: Worst::NONE,
            scale: Worst::NONE,
            weight: Worst::NONE,
            position_rms: 0.0,
            samples: 0,
            space,
            range: SampleRange { first, last, moments: 0, pairs: pairs.len() },
        };
        Self { so_far, squares: 0.0, pairs, skeletons, matrices: [Vec::new(), Vec::new()] }
    }

    fn compare(&mut self, time: f64, poses: [&RawPose; 2]) {
        let Self { so_far: found, matrices: [a, b], .. } = self;
        let joints = match found.space {
            Space::Joint(a, b) => [Some(a), Some(b)],
            Space::Local | Space::Model => [None, None],
        };
        for (i, out) in [&mut *a, &mut *b].into_iter().enumerate() {
            match (found.space, joints[i]) {
                (Space::Local, _) => locals(self.skeletons[i], poses[i], out),
                (_, joint) => {
                    model_matrices(self.skeletons[i], poses[i], out);
                    // A joint without scale has no space; the NaN that comes of it is the worst of all.
                    if let Some(back) = joint.map(|joint| out[joint.index()].inverse()) {
                        out.iter_mut().for_each(|m| *m = back * *m);
                    }
                }
            }
        }
        for &(ja, jb) in self.pairs {
            let (ma, mb) = (&a[ja.index()], &b[jb.index()]);
            let distance = (ma.w_axis - mb.w_axis).truncate().length();
            let (ra, rb) = (DTransform::rigid_part(ma).rotation, DTransform::rigid_part(mb).rotation);
            found.position.meet(distance, ja, time);
            found.rotation.meet(DTransform::angle_between(ra, rb), ja, time);
            found.scale.meet((axis_lengths(ma) - axis_lengths(mb)).abs().max_element(), ja, time);
            let wa = &poses[0].weights[self.skeletons[0].joint(ja).weights.clone()];
            let wb = &poses[1].weights[self.skeletons[1].joint(jb).weights.clone()];
            for k in 0..wa.len().max(wb.len()) {
                let of = |w: &[f64]| w.get(k).copied().unwrap_or(0.0);
                found.weight.meet((of(wa) - of(wb)).abs(), ja, time);
            }
            self.squares += distance * distance;
            found.samples += 1;
        }
        let range = &mut found.range;
        range.moments += 1;
        (range.first, range.last) = (range.first.min(time), range.last.max(time));
    }

    fn finish(self) -> ClipDifference {
        let position_rms = (self.squares / self.so_far.samples.max(1) as f64).sqrt();
        ClipDifference { position_rms, ..self.so_far }
    }
}

fn locals(skeleton: &Skeleton, pose: &RawPose, out: &mut Vec<DMat4>) {
    out.clear();
    let locals = skeleton.joints().iter().zip(&pose.local);
    out.extend(locals.map(|(j, l)| j.rest_matrix.unwrap_or_else(|| l.to_matrix())));
}

fn axis_lengths(m: &DMat4) -> DVec3 {
    let m = DMat3::from_mat4(*m);
    DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length())
}
