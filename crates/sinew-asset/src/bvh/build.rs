//! From joints and rows to a skeleton and a clip, with units and axes as asked for.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use sinew::{
    Channel, ChannelTarget, DTransform, Interpolation, Joint, JointFlags, JointId, RawClip, Skeleton,
    SkeletonError, Track, TrackError,
};

use super::hierarchy::{self, BvhJoint};
use super::motion::Motion;
use super::pose::local;

/// Change from the file's space to the document's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Space {
    /// Document units a file unit.
    pub(super) scale: f64,
    /// Z is up in the file and Y in the document.
    pub(super) z_up: bool,
}

impl Space {
    fn vector(self, v: DVec3) -> DVec3 {
        let v = v * self.scale;
        if self.z_up { DVec3::new(v.x, v.z, -v.y) } else { v }
    }

    /// `R q R^-1` with R = -90 degrees about X: the same turn told in the other axes, without rounding.
    fn rotation(self, q: DQuat) -> DQuat {
        if self.z_up { DQuat::from_xyzw(q.x, q.z, -q.y, q.w) } else { q }
    }
}

/// Joints and End Sites in file order; a joint's node is its place in the file. Takes the names.
pub(super) fn skeleton(joints: &mut [BvhJoint], space: Space) -> Result<Skeleton, SkeletonError> {
    let joints = joints.iter_mut().enumerate().map(|(index, from)| {
        let rest =
            DTransform { translation: space.vector(DVec3::from_array(from.offset)), ..DTransform::IDENTITY };
        let name = std::mem::take(&mut from.name);
        let mut joint = Joint::new(name, from.parent.map(|p| JointId(p as u32)), rest);
        joint.name = joint.name.filter(|name| !name.is_empty());
        joint.node = index as u32;
        if from.end_site {
            joint.flags |= JointFlags::END_SITE;
        }
        if !from.channels.is_empty() {
            joint.flags |= JointFlags::ANIMATED;
        }
        joint
    });
    Skeleton::new(joints.collect(), Vec::new())
}

/// One clip: a rotation track for each joint with rotation channels, a translation track for each with
/// position channels, all on the same times `frame * frame_time`.
///
/// # Errors
/// The joint and the rule that its keys break: only where a scale takes a length out of single precision.
pub(super) fn clip(
    joints: &[BvhJoint],
    motion: &Motion,
    space: Space,
    name: &str,
) -> Result<RawClip, (usize, TrackError)> {
    let times: Arc<[f64]> = (0..motion.frames).map(|frame| frame as f64 * motion.frame_time).collect();
    let width: usize = joints.iter().map(|joint| joint.channels.len()).sum();
    let mut channels = Vec::new();
    let mut column = 0;
    for (index, joint) in joints.iter().enumerate() {
        let columns = column..column + joint.channels.len();
        column = columns.end;
        let mut push = |target, track: Result<Track, TrackError>, source: usize| {
            let (joint, source) = (JointId(index as u32), source as u32);
            channels.push(Channel { joint, target, track: track.map_err(|e| (index, e))?, source });
            Ok(())
        };
        let first = |wanted: fn(&hierarchy::Channel) -> bool| {
            joint.channels.iter().position(wanted).map(|k| columns.start + k)
        };
        let rows = || motion.values.chunks_exact(width).map(|row| local(joint, &row[columns.clone()]));
        if let Some(source) = first(|c| matches!(c, hierarchy::Channel::Position(_))) {
            let values = flatten(rows().map(|(t, _)| space.vector(t).as_vec3().to_array()), motion.frames);
            push(
                ChannelTarget::Translation,
                Track::new(times.clone(), values, 3, Interpolation::Linear),
                source,
            )?;
        }
        if let Some(source) = first(|c| matches!(c, hierarchy::Channel::Rotation(_))) {
            // The same sign as the key before, so that a reader that does not look for the shorter way finds it.
            let mut previous = DQuat::IDENTITY;
            let keys = rows().map(|(_, q)| {
                let q = space.rotation(q);
                previous = if q.dot(previous) < 0.0 { -q } else { q };
                previous.as_quat().to_array()
            });
            let values = flatten(keys, motion.frames);
            push(
                ChannelTarget::Rotation,
                Track::rotation(times.clone(), values, Interpolation::Linear),
                source,
            )?;
        }
    }
    Ok(RawClip { name: Some(name.into()), source: 0, channels, curves: Vec::new(), events: Vec::new() })
}

fn flatten<const N: usize>(keys: impl Iterator<Item = [f32; N]>, frames: usize) -> Arc<[f32]> {
    let mut values = Vec::with_capacity(frames * N);
    for key in keys {
        values.extend_from_slice(&key);
    }
    values.into()
}
