//! How a clip moves its root, over any span of unwrapped time.

use glam::DMat4;

use crate::{ChannelTarget, Clip, DTransform, JointId, Playback, RawClip, Rig, Skeleton, Slot};

/// The path of one joint in model space, and the motion between two moments of it.
///
/// Loops compose as transforms: the clip's whole motion `L = M(end) * inverse(M(0))` carries each pass on
/// from where the last one ended, so that a clip that turns walks in a circle. Deltas add up for any split
/// of a span, forwards, backwards and over any number of loops.
#[derive(Clone, Debug)]
pub struct RootMotion<'a> {
    source: Source<'a>,
    duration: f64,
    playback: Playback,
    whole: DTransform,
}

/// Where the poses come from. Chains go from the root of the hierarchy down to the joint itself.
#[derive(Clone, Debug)]
enum Source<'a> {
    Raw { skeleton: &'a Skeleton, clip: &'a RawClip, chain: Vec<JointId> },
    Clip { rig: &'a Rig, clip: &'a Clip, chain: Vec<Slot> },
}

/// Why there is no root motion to be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RootMotionError {
    /// The joint is not of this skeleton.
    #[error("{joint} as the root, the skeleton has {joints}")]
    NoSuchJoint {
        /// The joint named.
        joint: JointId,
        /// Joints there are.
        joints: usize,
    },
    /// The joint is not of this rig.
    #[error("{slot} as the root, the rig has {joints} joints")]
    NoSuchSlot {
        /// The joint named.
        slot: Slot,
        /// Joints there are.
        joints: usize,
    },
    /// The clip was built for another rig.
    #[error("the clip is for a rig of {found} joints, this rig has {expected}")]
    Rig {
        /// Joints of the clip's rig.
        found: usize,
        /// Joints of this rig.
        expected: usize,
    },
    /// The clip was built for another rig of as many joints.
    #[error("the clip is for a rig of layout {found:08x}, this rig has {expected:08x}")]
    Layout {
        /// Of the clip ([`Clip::layout`]).
        found: u32,
        /// Of this rig ([`Rig::layout`]).
        expected: u32,
    },
}

impl<'a> RootMotion<'a> {
    /// The motion of `root` and all its ancestors in `clip`. Scale and shear are left out of the result.
    ///
    /// # Errors
    /// [`RootMotionError`] where the joint is not there.
    ///
    /// # Panics
    /// Where the clip is not valid for this skeleton ([`RawClip::validate`]).
    pub fn new(
        skeleton: &'a Skeleton,
        clip: &'a RawClip,
        root: JointId,
        playback: Playback,
    ) -> Result<Self, RootMotionError> {
        if root.index() >= skeleton.len() {
            return Err(RootMotionError::NoSuchJoint { joint: root, joints: skeleton.len() });
        }
        let mut chain = vec![root];
        while let Some(parent) = skeleton.joint(chain[chain.len() - 1]).parent {
            chain.push(parent);
        }
        chain.reverse();
        Ok(Self::of(Source::Raw { skeleton, clip, chain }, clip.duration(), playback))
    }

    /// The motion of `root` and all its ancestors in a compressed clip, as near to that of its source as the clip
    /// was built. Scale and shear are left out of the result. Only the joints above `root` are ever sampled.
    ///
    /// # Errors
    /// [`RootMotionError`] where the joint is not there or the clip is of another rig.
    pub fn of_clip(
        rig: &'a Rig,
        clip: &'a Clip,
        root: Slot,
        playback: Playback,
    ) -> Result<Self, RootMotionError> {
        if root.index() >= rig.len() {
            return Err(RootMotionError::NoSuchSlot { slot: root, joints: rig.len() });
        }
        if clip.joints() != rig.len() {
            return Err(RootMotionError::Rig { found: clip.joints(), expected: rig.len() });
        }
        if clip.layout() != rig.layout() {
            return Err(RootMotionError::Layout { found: clip.layout(), expected: rig.layout() });
        }
        let mut chain = vec![root];
        while let Some(parent) = rig.parents()[chain[chain.len() - 1].index()] {
            chain.push(parent);
        }
        chain.reverse();
        Ok(Self::of(Source::Clip { rig, clip, chain }, clip.duration_f64(), playback))
    }

    fn of(source: Source<'a>, duration: f64, playback: Playback) -> Self {
        let playback = if duration > 0.0 { playback } else { Playback::Once };
        let mut this = Self { source, duration, playback, whole: DTransform::IDENTITY };
        this.whole = this.in_clip_ms(duration).mul_transform(&this.in_clip_ms(0.0).inverse_rigid());
        this
    }

    /// Where the joint is after `time` unwrapped seconds, of a character that started at the clip's own
    /// first pose; model space.
    #[must_use]
    pub fn at_ms(&self, time: f64) -> DTransform {
        let (cycle, within) = self.place(time);
        power(self.whole, cycle).mul_transform(&self.in_clip_ms(within))
    }

    /// The motion from one unwrapped time to another, in the frame of the joint at `from`:
    /// `inverse(M(from)) * M(to)`.
    #[must_use]
    pub fn delta(&self, from: f64, to: f64) -> DTransform {
        let ((from_cycle, from), (to_cycle, to)) = (self.place(from), self.place(to));
        // Only the loops between the two are multiplied, so that a step after a million loops is as exact as
        // the first.
        let loops = power(self.whole, to_cycle.saturating_sub(from_cycle));
        self.in_clip_ms(from).inverse_rigid().mul_transform(&loops.mul_transform(&self.in_clip_ms(to)))
    }

    /// Which pass through the clip an unwrapped time falls in, 0 the first, and where in it, seconds.
    fn place(&self, time: f64) -> (i64, f64) {
        if self.playback == Playback::Once || !time.is_finite() {
            return (0, time);
        }
        let cycle = (time / self.duration).floor();
        (cycle as i64, (time - cycle * self.duration).clamp(0.0, self.duration))
    }

    /// The clip's own pose of the joint, clamped at both ends.
    fn in_clip_ms(&self, time: f64) -> DTransform {
        let mut world = DMat4::IDENTITY;
        match &self.source {
            Source::Raw { skeleton, clip, chain } => {
                for &id in chain {
                    world *= raw_local(skeleton, clip, id, time);
                }
            }
            Source::Clip { rig, clip, chain } => {
                // The end is the end, whichever way it is rounded.
                let time = if time >= self.duration { f32::INFINITY } else { time as f32 };
                for &slot in chain {
                    world *= clip_local(rig, clip, slot, time);
                }
            }
        }
        DTransform::rigid_part(&world)
    }
}

fn raw_local(skeleton: &Skeleton, clip: &RawClip, id: JointId, time: f64) -> DMat4 {
    let joint = skeleton.joint(id);
    let mut local = joint.rest;
    for channel in clip.channels.iter().filter(|c| c.joint == id) {
        match channel.target {
            ChannelTarget::Translation => local.translation = channel.track.sample_vec3(time),
            ChannelTarget::Rotation => local.rotation = channel.track.sample_rotation(time),
            ChannelTarget::Scale => local.scale = channel.track.sample_vec3(time),
            ChannelTarget::Weights => {}
        }
    }
    joint.rest_matrix.unwrap_or_else(|| local.to_matrix())
}

fn clip_local(rig: &Rig, clip: &Clip, slot: Slot, time: f32) -> DMat4 {
    if let Some(matrix) = rig.fixed_matrix(slot) {
        return matrix;
    }
    clip.sample_joint(rig, slot, time).to_f64().to_matrix()
}

/// A rigid transform applied `n` times, backwards for negative `n`, in as many steps as `n` has bits.
fn power(transform: DTransform, n: i64) -> DTransform {
    let mut base = if n < 0 { transform.inverse_rigid() } else { transform };
    let mut left = n.unsigned_abs();
    let mut result = DTransform::IDENTITY;
    while left > 0 {
        if left & 1 == 1 {
            result = result.mul_transform(&base);
        }
        base = base.mul_transform(&base);
        left >>= 1;
    }
    result
}
