//! A clip as authored: every property with its own keys.

use std::sync::Arc;

use crate::{Curve, Event, JointId, RawPose, Skeleton, Track};

/// The property a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelTarget {
    /// Three numbers, metres, parent-local.
    Translation,
    /// Four numbers, a quaternion XYZW, parent-local.
    Rotation,
    /// Three numbers.
    Scale,
    /// One number a morph target of the joint's mesh.
    Weights,
}

impl ChannelTarget {
    /// The glTF name of the property.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        }
    }
}

/// Keys of one property of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Whose property.
    pub joint: JointId,
    /// Which property.
    pub target: ChannelTarget,
    /// Its keys.
    pub track: Track,
    /// Index of the channel in the file's animation.
    pub source: u32,
}

/// A rule of [`RawClip`] that a channel broke.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipError {
    /// Rule 1: channels target joints of the skeleton.
    #[error("channel {channel} targets {joint}, the skeleton has {joints}")]
    NoSuchJoint {
        /// Index in [`RawClip::channels`].
        channel: usize,
        /// The joint named.
        joint: JointId,
        /// Joints there are.
        joints: usize,
    },
    /// Rule 2: a track is as wide as what it moves.
    #[error("channel {channel} ({}) has {found} numbers a key, expected {expected}", target.name())]
    Width {
        /// Index in [`RawClip::channels`].
        channel: usize,
        /// What it moves.
        target: ChannelTarget,
        /// Numbers expected.
        expected: usize,
        /// Numbers a key it has.
        found: usize,
    },
}

/// A clip as authored or read from a file: sparse keys, each property with its own, evaluated exactly.
///
/// # Validity ([`RawClip::validate`])
/// 1. every channel targets a joint of the skeleton;
/// 2. its track has 3, 4, 3 or as many numbers as the joint has morph weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawClip {
    /// As in the file: may be missing, may repeat.
    pub name: Option<String>,
    /// Index of the animation in the file.
    pub source: u32,
    /// At most one a joint and property; where there are more, the last one wins.
    pub channels: Vec<Channel>,
    /// Scalars that travel with the motion.
    pub curves: Vec<Curve>,
    /// Moments, in any order.
    pub events: Vec<Event>,
}

impl RawClip {
    /// Seconds from 0 to the latest key of any channel or curve.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.tracks().map(Track::end).fold(0.0, f64::max)
    }

    /// Seconds to the earliest key of any channel or curve; 0 where there is none.
    #[must_use]
    pub fn first_key(&self) -> f64 {
        let first = self.tracks().map(Track::start).fold(f64::INFINITY, f64::min);
        if first.is_finite() { first } else { 0.0 }
    }

    /// A name to show: the clip's own, or `clip 3` where it has none.
    #[must_use]
    pub fn label(&self) -> String {
        self.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("clip {}", self.source))
    }

    /// The channel that moves a property of a joint.
    #[must_use]
    pub fn channel(&self, joint: JointId, target: ChannelTarget) -> Option<&Channel> {
        self.channels.iter().rev().find(|c| c.joint == joint && c.target == target)
    }

    /// The curve of this name.
    #[must_use]
    pub fn curve(&self, name: &str) -> Option<&Curve> {
        self.curves.iter().find(|c| c.name == name)
    }

    /// Every time at which some channel has a key, increasing, without repeats; seconds.
    #[must_use]
    pub fn key_times(&self) -> Vec<f64> {
        // Thousands of channels may share one list of times.
        let mut lists: Vec<&Arc<[f64]>> = self.channels.iter().map(|c| c.track.times()).collect();
        lists.sort_by_key(|list| list.as_ptr());
        lists.dedup_by(|a, b| Arc::ptr_eq(a, b));
        let mut times: Vec<f64> = lists.iter().flat_map(|list| list.iter().copied()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Checks the clip against the skeleton it is for.
    ///
    /// # Errors
    /// The first rule of [`RawClip`] that is broken.
    pub fn validate(&self, skeleton: &Skeleton) -> Result<(), ClipError> {
        for (channel, c) in self.channels.iter().enumerate() {
            let Some(joint) = skeleton.joints().get(c.joint.index()) else {
                return Err(ClipError::NoSuchJoint { channel, joint: c.joint, joints: skeleton.len() });
            };
            let expected = match c.target {
                ChannelTarget::Translation | ChannelTarget::Scale => 3,
                ChannelTarget::Rotation => 4,
                ChannelTarget::Weights => joint.weights.len(),
            };
            if c.track.width() != expected {
                let (target, found) = (c.target, c.track.width());
                return Err(ClipError::Width { channel, target, expected, found });
            }
        }
        Ok(())
    }

    /// The pose at `time` seconds from the clip's start, clamped at both ends, over the rest pose: a
    /// property without a channel is at rest, whatever the output held before.
    ///
    /// Exact: the keys as stored, evaluated in double precision after glTF 2.0 appendix C. Does not
    /// allocate where `pose` already has the skeleton's size.
    ///
    /// # Panics
    /// Where the clip is not valid for this skeleton ([`RawClip::validate`]).
    pub fn sample(&self, skeleton: &Skeleton, time: f64, pose: &mut RawPose) {
        pose.reset(skeleton);
        for channel in &self.channels {
            let local = &mut pose.local[channel.joint.index()];
            match channel.target {
                ChannelTarget::Translation => local.translation = channel.track.sample_vec3(time),
                ChannelTarget::Rotation => local.rotation = channel.track.sample_rotation(time),
                ChannelTarget::Scale => local.scale = channel.track.sample_vec3(time),
                ChannelTarget::Weights => {
                    let range = skeleton.joint(channel.joint).weights.clone();
                    for (component, weight) in pose.weights[range].iter_mut().enumerate() {
                        *weight = channel.track.sample_component(time, component);
                    }
                }
            }
        }
    }

    /// Of channels and curves.
    pub(crate) fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.channels.iter().map(|c| &c.track).chain(self.curves.iter().map(Curve::track))
    }
}
