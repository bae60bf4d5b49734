//! A clip's tracks written into a character's pose, and a stated answer for every joint that has none.

use glam::{DQuat, DVec3};

use super::hierarchy::check_transform;
use super::{Binding, HierarchyError};
use crate::{DTransform, JointId, RawClip, RawPose, Skeleton};

/// Where a value comes from that no track gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The pose that the layers below made: what the joint has now.
    Support,
    /// The skeleton's rest pose.
    Rest,
}

/// Fallbacks of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Where there is no track.
    pub absent: Fallback,
    /// For the properties that a track does not have, such as translation and scale of one that only turns.
    pub partial: Fallback,
}

/// What the values of tracks are.
#[derive(Clone, Copy, Debug)]
pub enum TrackMode<'a> {
    /// Transforms relative to the parent.
    Absolute,
    /// Differences from a base, put on top of the support pose.
    Additive(AdditiveBase<'a>),
}

/// What additive tracks are differences from.
#[derive(Clone, Copy, Debug)]
pub enum AdditiveBase<'a> {
    /// The rest pose of the clip's own skeleton.
    SourceRest,
    /// The clip itself at some seconds.
    ClipAt(f64),
    /// A pose of the clip's own skeleton.
    Pose(&'a RawPose),
}

/// Where a property of a joint came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartSource {
    /// From its track.
    Track,
    /// From the support pose.
    Support,
    /// From the rest pose.
    Rest,
}

/// A joint that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointWrite {
    /// The joint.
    pub joint: JointId,
    /// Place of its track in [`Binding::tracks`].
    pub track: Option<usize>,
    /// Translation, rotation, scale.
    pub parts: [PartSource; 3],
}

/// Why a clip cannot be written into a pose.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SequenceError {
    /// A pose or skeleton is of another size than what was bound.
    #[error("{what} has {found} joints, expected {expected}")]
    Size {
        /// Which one.
        what: &'static str,
        /// Joints it has.
        found: usize,
        /// Joints expected.
        expected: usize,
    },
    /// The clip is not the one that was bound.
    #[error("track {track} is bound to channel {channel}, which this clip does not have for its bone")]
    Clip {
        /// Number of the track.
        track: usize,
        /// Index of the channel.
        channel: usize,
    },
    /// A moment that is none.
    #[error("a moment of {seconds} s, expected a finite number")]
    Time {
        /// The moment, seconds.
        seconds: f64,
    },
    /// Fallbacks of a joint that is not written, or of one that has some already.
    #[error("policy {policy} is for {joint}, which {why}")]
    Policy {
        /// Its place in the list.
        policy: usize,
        /// The joint.
        joint: JointId,
        /// What is wrong.
        why: &'static str,
    },
    /// A transform that is none, of a joint of the target.
    #[error("{what}: {source}")]
    Transform {
        /// Where it is from.
        what: &'static str,
        /// What is wrong with it.
        source: HierarchyError,
    },
}

/// Writes a clip at a moment into the joints of a [`Binding`]. All others come out as the support pose has them,
/// to the bit.
#[derive(Debug)]
pub struct SequenceJob<'a> {
    /// What moves what.
    pub binding: &'a Binding,
    /// Skeleton that the clip was made for.
    pub source: &'a Skeleton,
    /// The clip that was bound.
    pub clip: &'a RawClip,
    /// The skeleton to move.
    pub target: &'a Skeleton,
    /// Seconds from the clip's start; clamped at both ends.
    pub seconds: f64,
    /// What the values of tracks are.
    pub mode: TrackMode<'a>,
    /// Fallbacks of all joints.
    pub policy: Policy,
    /// Fallbacks of single joints that are written, instead; each joint once.
    pub policies: &'a [(JointId, Policy)],
    /// The pose that the layers below made.
    pub support: &'a RawPose,
    /// Where the result goes; takes the support pose's size.
    pub output: &'a mut RawPose,
    /// Which joints were written, and from what; parents before children.
    pub written: &'a mut Vec<JointWrite>,
}

impl SequenceJob<'_> {
    /// Writes the pose.
    ///
    /// # Errors
    /// [`SequenceError`] says what is wrong; both outputs are then as they were.
    pub fn run(&mut self) -> Result<(), SequenceError> {
        self.check()?;
        // Everything is seen to be a transform before anything is written.
        for (joint, track) in self.binding.writes() {
            self.local(*joint, *track)?;
        }
        self.output.copy_from(self.support);
        self.written.clear();
        for (joint, track) in self.binding.writes() {
            let (local, parts) = self.local(*joint, *track)?;
            self.output.local[joint.index()] = local;
            self.written.push(JointWrite { joint: *joint, track: *track, parts });
        }
        Ok(())
    }

    fn check(&self) -> Result<(), SequenceError> {
        let expected = self.binding.joints();
        let size = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(SequenceError::Size { what, found, expected }) }
        };
        size("the target", self.target.len(), expected)?;
        size("the support pose", self.support.local.len(), expected)?;
        if let TrackMode::Additive(AdditiveBase::Pose(pose)) = self.mode {
            size("the base pose", pose.local.len(), self.source.len())?;
        }
        let base = match self.mode {
            TrackMode::Additive(AdditiveBase::ClipAt(seconds)) => seconds,
            _ => 0.0,
        };
        if let Some(&seconds) = [self.seconds, base].iter().find(|seconds| !seconds.is_finite()) {
            return Err(SequenceError::Time { seconds });
        }
        for (policy, &(joint, _)) in self.policies.iter().enumerate() {
            // Joints that are written are in the order of their numbers.
            let why = if self.binding.writes().binary_search_by_key(&joint, |(of, _)| *of).is_err() {
                "is not written"
            } else if self.policies[..policy].iter().any(|(earlier, _)| *earlier == joint) {
                "has one already"
            } else {
                continue;
            };
            return Err(SequenceError::Policy { policy, joint, why });
        }
        for bound in self.binding.tracks() {
            size("the source", self.source.len(), self.source.len().max(bound.source.index() + 1))?;
            let parts = [bound.parts.translation, bound.parts.rotation, bound.parts.scale];
            for (channel, width) in parts.into_iter().zip([3, 4, 3]) {
                let Some(channel) = channel else { continue };
                let there = self.clip.channels.get(channel);
                if !there.is_some_and(|c| c.joint == bound.source && c.track.width() == width) {
                    return Err(SequenceError::Clip { track: bound.track, channel });
                }
            }
        }
        Ok(())
    }

    fn policy_of(&self, joint: JointId) -> Policy {
        let own = self.policies.iter().find(|(of, _)| *of == joint);
        own.map_or(self.policy, |(_, policy)| *policy)
    }

    /// What a joint becomes, and what each property came from.
    fn local(
        &self,
        joint: JointId,
        track: Option<usize>,
    ) -> Result<(DTransform, [PartSource; 3]), SequenceError> {
        let bad = |what| move |source| SequenceError::Transform { what, source };
        let support = &self.support.local[joint.index()];
        check_transform(support, joint.index()).map_err(bad("the support pose"))?;
        let policy = self.policy_of(joint);
        let from = |fallback| match fallback {
            Fallback::Support => (*support, PartSource::Support),
            Fallback::Rest => (self.target.joint(joint).rest, PartSource::Rest),
        };
        let Some(bound) = track.map(|track| &self.binding.tracks()[track]) else {
            let (local, source) = from(policy.absent);
            check_transform(&local, joint.index()).map_err(bad("the fallback"))?;
            return Ok((local, [source; 3]));
        };
        let (mut local, source) = from(policy.partial);
        let mut parts = [source; 3];
        let now = self.sample(bound.parts, self.seconds);
        let (translation, rotation, scale) = match self.mode {
            TrackMode::Absolute => now,
            TrackMode::Additive(base) => {
                let rest = &self.source.joint(bound.source).rest;
                let base = match base {
                    AdditiveBase::SourceRest => *rest,
                    AdditiveBase::Pose(pose) => pose.local[bound.source.index()],
                    AdditiveBase::ClipAt(seconds) => {
                        let (translation, rotation, scale) = self.sample(bound.parts, seconds);
                        DTransform {
                            translation: translation.unwrap_or(rest.translation),
                            rotation: rotation.unwrap_or(rest.rotation),
                            scale: scale.unwrap_or(rest.scale),
                        }
                    }
                };
                check_transform(&base, bound.source.index()).map_err(bad("the additive base"))?;
                (
                    now.0.map(|t| support.translation + (t - base.translation)),
                    now.1.map(|r| ((r * base.rotation.conjugate()) * support.rotation).normalize()),
                    now.2.map(|s| support.scale * (s / base.scale)),
                )
            }
        };
        if let Some(translation) = translation {
            (local.translation, parts[0]) = (translation, PartSource::Track);
        }
        if let Some(rotation) = rotation {
            (local.rotation, parts[1]) = (rotation, PartSource::Track);
        }
        if let Some(scale) = scale {
            (local.scale, parts[2]) = (scale, PartSource::Track);
        }
        check_transform(&local, joint.index()).map_err(bad("the sampled pose"))?;
        Ok((local, parts))
    }

    fn sample(
        &self,
        parts: super::TrackParts,
        seconds: f64,
    ) -> (Option<DVec3>, Option<DQuat>, Option<DVec3>) {
        let track = |channel: usize| &self.clip.channels[channel].track;
        (
            parts.translation.map(|channel| track(channel).sample_vec3(seconds)),
            parts.rotation.map(|channel| track(channel).sample_rotation(seconds)),
            parts.scale.map(|channel| track(channel).sample_vec3(seconds)),
        )
    }
}
