//! How far two clips are apart: the worst joint and the worst moment, in a named space.

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
}

impl Space {
    /// `local` or `model`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Model => "model",
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
}

impl fmt::Display for ClipDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} mm, {:.6} degrees", self.position.value * 1e3, self.rotation.value.to_degrees())
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
    /// Where a pair names a joint that its skeleton does not have.
    #[must_use]
    pub fn run(&self) -> ClipDifference {
        let mut found = ClipDifference {
            position: Worst::NONE,
            rotation: Worst::NONE,
            scale: Worst::NONE,
            weight: Worst::NONE,
            position_rms: 0.0,
            samples: 0,
        };
        let (mut pose_a, mut pose_b) = (RawPose::default(), RawPose::default());
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let mut squares = 0.0;
        for &time in self.times {
            self.matrices(self.a, time, &mut pose_a, &mut a);
            self.matrices(self.b, time, &mut pose_b, &mut b);
            for &(ja, jb) in self.pairs {
                let (ma, mb) = (&a[ja.index()], &b[jb.index()]);
                let distance = (ma.w_axis - mb.w_axis).truncate().length();
                let (ra, rb) = (DTransform::rigid_part(ma).rotation, DTransform::rigid_part(mb).rotation);
                found.position.meet(distance, ja, time);
                found.rotation.meet(DTransform::angle_between(ra, rb), ja, time);
                found.scale.meet((axis_lengths(ma) - axis_lengths(mb)).abs().max_element(), ja, time);
                let wa = &pose_a.weights[self.a.0.joint(ja).weights.clone()];
                let wb = &pose_b.weights[self.b.0.joint(jb).weights.clone()];
                for k in 0..wa.len().max(wb.len()) {
                    let of = |w: &[f64]| w.get(k).copied().unwrap_or(0.0);
                    found.weight.meet((of(wa) - of(wb)).abs(), ja, time);
                }
                squares += distance * distance;
                found.samples += 1;
            }
        }
        found.position_rms = (squares / found.samples.max(1) as f64).sqrt();
        found
    }

    fn matrices(
        &self,
        (skeleton, clip): (&Skeleton, &RawClip),
        time: f64,
        pose: &mut RawPose,
        out: &mut Vec<DMat4>,
    ) {
        clip.sample(skeleton, time, pose);
        match self.space {
            Space::Model => model_matrices(skeleton, pose, out),
            Space::Local => {
                out.clear();
                let locals = skeleton.joints().iter().zip(&pose.local);
                out.extend(locals.map(|(j, l)| j.rest_matrix.unwrap_or_else(|| l.to_matrix())));
            }
        }
    }
}

fn axis_lengths(m: &DMat4) -> DVec3 {
    let m = DMat3::from_mat4(*m);
    DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length())
}
