//! What the rules need to know about a clip: sampled once, used by all.

use glam::{DMat4, DQuat, DVec3};
use sinew::{Channel, ChannelTarget, DTransform, JointId, RawClip, RawPose, Skeleton, model_matrices};

use crate::model::Model;
use crate::rules::Seam;

/// Poses of the overview; fewer for large hierarchies.
const OVERVIEW: usize = 24;
/// Matrices of the overview at most, so that memory stays bounded.
const OVERVIEW_MATRICES: usize = 400_000;

/// A clip with what the rules share.
pub(crate) struct Motion<'a> {
    pub(crate) clip: &'a RawClip,
    /// Index in the document's clips.
    pub(crate) index: usize,
    /// Seconds.
    pub(crate) duration: f64,
    /// Typical time between keys, seconds; 0 where no channel has two.
    pub(crate) key_step: f64,
    /// `[frame]`, seconds, from 0 to the duration.
    pub(crate) times: Vec<f64>,
    /// Model matrices, `[frame][joint]`.
    pub(crate) poses_ms: Vec<Vec<DMat4>>,
    /// What carries the character from where it starts to where it ends.
    pub(crate) travel: Option<Travel>,
    /// How the end meets the start; `None` where the clip has no length or nothing is seen of it.
    pub(crate) seam: Option<Seam>,
}

/// Net motion of a root over a clip.
#[derive(Clone, Debug)]
pub(crate) struct Travel {
    /// The joint, or a node above the joints.
    pub(crate) joint: JointId,
    /// Metres, model space.
    pub(crate) net_m: DVec3,
    /// Radians about the vertical.
    pub(crate) turn: f64,
}

impl<'a> Motion<'a> {
    pub(crate) fn new(skeleton: &Skeleton, model: &Model, clip: &'a RawClip, index: usize) -> Self {
        let duration = clip.duration();
        let longest = clip.channels.iter().map(|c| &c.track).max_by_key(|t| t.len());
        let key_step = longest.map_or(0.0, |t| match t.len() {
            0 | 1 => 0.0,
            n => (t.end() - t.start()) / (n - 1) as f64,
        });
        let frames =
            if duration > 0.0 { (OVERVIEW_MATRICES / skeleton.len().max(1)).clamp(2, OVERVIEW) } else { 1 };
        let times: Vec<f64> = (0..frames).map(|f| duration * f as f64 / (frames.max(2) - 1) as f64).collect();
        let mut pose = RawPose::default();
        let poses_ms = times
            .iter()
            .map(|&t| {
                clip.sample(skeleton, t, &mut pose);
                let mut model_ms = Vec::with_capacity(skeleton.len());
                model_matrices(skeleton, &pose, &mut model_ms);
                model_ms
            })
            .collect();
        let mut this = Self { clip, index, duration, key_step, times, poses_ms, travel: None, seam: None };
        this.travel = this.find_travel(skeleton, model);
        this
    }

    /// First pose, `[joint]`.
    pub(crate) fn first_ms(&self) -> &[DMat4] {
        &self.poses_ms[0]
    }

    /// Last pose, `[joint]`.
    pub(crate) fn last_ms(&self) -> &[DMat4] {
        &self.poses_ms[self.poses_ms.len() - 1]
    }

    /// The shallowest joint that is moved by its own channels, ends elsewhere than it starts, and carries
    /// most of what is seen.
    fn find_travel(&self, skeleton: &Skeleton, model: &Model) -> Option<Travel> {
        let mut below = vec![0_usize; skeleton.len()];
        for (id, joint) in skeleton.iter().collect::<Vec<_>>().into_iter().rev() {
            below[id.index()] += usize::from(model.visible[id.index()]);
            if let Some(parent) = joint.parent {
                below[parent.index()] += below[id.index()];
            }
        }
        let seen = below.iter().zip(skeleton.joints()).filter(|(_, j)| j.parent.is_none()).map(|(n, _)| n);
        let seen: usize = seen.sum();
        let mut moved: Vec<JointId> = self
            .clip
            .channels
            .iter()
            .filter(|c| matches!(c.target, ChannelTarget::Translation | ChannelTarget::Rotation))
            .map(|c| c.joint)
            .filter(|j| below[j.index()] * 2 > seen)
            .collect();
        moved.sort_unstable();
        moved.dedup();
        moved.into_iter().find_map(|joint| {
            let (from, to) = (self.first_ms()[joint.index()], self.last_ms()[joint.index()]);
            let net_m = (to.w_axis - from.w_axis).truncate();
            let turn = turn_about_up(&from, &to);
            let far = DVec3::new(net_m.x, 0.0, net_m.z).length() > 0.15 * model.size_m;
            (far || turn.abs() > 15_f64.to_radians()).then_some(Travel { joint, net_m, turn })
        })
    }

    /// Carries a pose at the end of the clip back to where it started: about the vertical and over the
    /// ground, so that a change of height or lean remains.
    pub(crate) fn back_to_start(&self, root_then_ms: &DMat4) -> DMat4 {
        let Some(travel) = &self.travel else { return DMat4::IDENTITY };
        planar(&self.first_ms()[travel.joint.index()], root_then_ms)
    }
}

/// The motion over the ground that puts `then` where `first` is: turn about the vertical and shift.
fn planar(first: &DMat4, then: &DMat4) -> DMat4 {
    let turn = DQuat::from_rotation_y(-turn_about_up(first, then));
    let (a, b) = (first.w_axis.truncate(), then.w_axis.truncate());
    let b_flat = DVec3::new(b.x, 0.0, b.z);
    let a_flat = DVec3::new(a.x, 0.0, a.z);
    DMat4::from_rotation_translation(turn, a_flat - turn * b_flat)
}

/// Angle about +Y of the rotation from one matrix to the other, radians, in (-pi, pi].
pub(crate) fn turn_about_up(from: &DMat4, to: &DMat4) -> f64 {
    let (a, b) = (DTransform::rigid_part(from).rotation, DTransform::rigid_part(to).rotation);
    let d = b * a.conjugate();
    // Half a turn about a level axis has no part about the vertical.
    if d.w == 0.0 && d.y == 0.0 {
        return 0.0;
    }
    let angle = 2.0 * libm::atan2(d.y, d.w);
    let tau = core::f64::consts::TAU;
    angle - (angle / tau).round() * tau
}

/// Evaluates a few joints and all above them: enough for feet and limbs, at a fraction of the cost of a pose.
pub(crate) struct Chains<'a> {
    skeleton: &'a Skeleton,
    /// Joints evaluated, parents first.
    joints: Vec<JointId>,
    /// Position of each one's parent in `joints`.
    parents: Vec<Option<usize>>,
    /// Channels of each, in the order of the clip.
    channels: Vec<Vec<&'a Channel>>,
}

impl<'a> Chains<'a> {
    pub(crate) fn new(skeleton: &'a Skeleton, clip: &'a RawClip, wanted: &[JointId]) -> Self {
        let mut needed = vec![false; skeleton.len()];
        for &joint in wanted {
            let mut at = Some(joint);
            while let Some(id) = at.filter(|id| !needed[id.index()]) {
                needed[id.index()] = true;
                at = skeleton.joint(id).parent;
            }
        }
        let joints: Vec<JointId> =
            skeleton.iter().map(|(id, _)| id).filter(|id| needed[id.index()]).collect();
        let slot = |id: JointId| joints.binary_search(&id).ok();
        let parents = joints.iter().map(|&id| skeleton.joint(id).parent.and_then(slot)).collect();
        let mut channels = vec![Vec::new(); joints.len()];
        for channel in &clip.channels {
            if let Some(slot) = slot(channel.joint) {
                channels[slot].push(channel);
            }
        }
        Self { skeleton, joints, parents, channels }
    }

    /// Position of a joint in what [`Chains::sample`] writes.
    pub(crate) fn slot(&self, joint: JointId) -> Option<usize> {
        self.joints.binary_search(&joint).ok()
    }

    /// Times at which any of the joints has a key, increasing; keys closer than 10 microseconds count as one.
    pub(crate) fn key_times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = Vec::new();
        let mut seen: Vec<*const f64> = Vec::new();
        for channel in self.channels.iter().flatten() {
            // Channels often share their times; merging each once keeps this linear.
            let key = channel.track.times().as_ptr();
            if let Err(at) = seen.binary_search(&key) {
                seen.insert(at, key);
                times.extend_from_slice(channel.track.times());
            }
        }
        times.sort_by(f64::total_cmp);
        times.dedup_by(|b, a| *b - *a < 1e-5);
        times
    }

    /// Model matrices at `time`, `[slot]`.
    pub(crate) fn sample(&self, time: f64, model_ms: &mut Vec<DMat4>) {
        model_ms.clear();
        for (slot, &id) in self.joints.iter().enumerate() {
            let joint = self.skeleton.joint(id);
            let mut local = joint.rest;
            for channel in &self.channels[slot] {
                apply(channel, time, &mut local);
            }
            let matrix = joint.rest_matrix.unwrap_or_else(|| local.to_matrix());
            model_ms.push(match self.parents[slot] {
                Some(parent) => model_ms[parent] * matrix,
                None => matrix,
            });
        }
    }
}

/// Sets the property a channel moves.
pub(crate) fn apply(channel: &Channel, time: f64, local: &mut DTransform) {
    match channel.target {
        ChannelTarget::Translation => local.translation = channel.track.sample_vec3(time),
        ChannelTarget::Rotation => local.rotation = channel.track.sample_rotation(time),
        ChannelTarget::Scale => local.scale = channel.track.sample_vec3(time),
        ChannelTarget::Weights => {}
    }
}

/// Splits intervals so that none is longer than `step`; at most `most` times come out.
pub(crate) fn refine(keys: &[f64], start: f64, end: f64, step: f64, most: usize) -> Vec<f64> {
    let mut knots: Vec<f64> = vec![start];
    knots.extend(keys.iter().copied().filter(|k| *k > start + 1e-5 && *k < end - 1e-5));
    if end > start {
        knots.push(end);
    }
    let spare = most.saturating_sub(knots.len()).max(1) as f64;
    let step = step.max((end - start) / spare);
    let mut times = vec![start];
    for pair in knots.windows(2) {
        let parts = (((pair[1] - pair[0]) / step) - 0.01).ceil().max(1.0) as usize;
        for part in 1..=parts {
            times.push(if part == parts {
                pair[1]
            } else {
                pair[0] + (pair[1] - pair[0]) * part as f64 / parts as f64
            });
        }
    }
    times
}
