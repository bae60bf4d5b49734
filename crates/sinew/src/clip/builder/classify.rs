//! Which tracks move, and how each is stored.

use glam::{DQuat, DVec3};

use super::frames::Frames;
use super::levers::Levers;
use super::rate::Choice;
use super::{ClipBuilder, keyed};
use crate::clip::pack::KeyedTrack;
use crate::{ChannelTarget, DTransform, RawClip, Slot};

/// How a track is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Not at all: the rig's rest pose.
    Rest,
    /// One value.
    Constant,
    /// Every frame.
    Animated,
    /// Keys of its own.
    Keyed,
}

/// The three tracks of each joint.
#[derive(Debug)]
pub(crate) struct Tracks {
    /// `[slot]`: rotation, translation, scale.
    pub(crate) class: Vec<[Class; 3]>,
    /// `[slot]`: what a track that is not animated holds; where keyed, nothing that counts.
    pub(crate) held: Vec<DTransform>,
    /// Tracks with keys of their own.
    pub(crate) keyed: Vec<KeyedTrack>,
}

impl Tracks {
    /// Changes below `still` metres count as none; tracks with keys of their own are within `between` metres.
    pub(crate) fn new(
        builder: &ClipBuilder<'_>,
        raw: &RawClip,
        frames: &Frames,
        choice: &Choice,
        levers: &Levers<'_>,
        still: f64,
        between: f64,
    ) -> Self {
        let rig = builder.rig;
        let mut this = Self { class: Vec::new(), held: Vec::new(), keyed: Vec::new() };
        for slot in 0..frames.joints {
            let lever = levers.of(slot);
            let rest = single(&builder.skeleton.joint(rig.joint(Slot(slot as u16))).rest);
            let first = frames.at(0, slot);
            let mut class = [Class::Rest; 3];
            let mut held = rest;
            for (part, class) in class.iter_mut().enumerate() {
                let off = |from: &DTransform| {
                    (0..frames.frames).any(|f| part_distance(part, from, frames.at(f, slot), lever) > still)
                };
                if !off(&rest) {
                    continue;
                }
                if part_distance(part, &rest, &single(first), lever) > 0.0 {
                    take_part(part, &mut held, &single(first));
                }
                *class = if off(first) { Class::Animated } else { Class::Constant };
            }
            this.class.push(class);
            this.held.push(held);
        }
        for &c in &choice.keyed {
            let channel = &raw.channels[c];
            let slot = rig.slot(channel.joint).index();
            let part = match channel.target {
                ChannelTarget::Rotation => 0,
                ChannelTarget::Translation => 1,
                _ => 2,
            };
            this.class[slot][part] = Class::Keyed;
            this.keyed.push(keyed::build(levers, channel, between));
        }
        // Of two channels for one property the last counts.
        let mut kept: Vec<KeyedTrack> = Vec::new();
        for track in this.keyed.drain(..) {
            kept.retain(|k| (k.slot, k.kind) != (track.slot, track.kind));
            kept.push(track);
        }
        this.keyed = kept;
        this
    }

    /// How many tracks are stored in a way.
    pub(crate) fn count(&self, class: Class) -> usize {
        self.class.iter().flatten().filter(|c| **c == class).count()
    }
}

/// Rounded to single precision, as it is stored.
fn single(t: &DTransform) -> DTransform {
    DTransform {
        translation: t.translation.as_vec3().as_dvec3(),
        rotation: t.rotation.as_quat().as_dquat(),
        scale: t.scale.as_vec3().as_dvec3(),
    }
}

fn take_part(part: usize, to: &mut DTransform, from: &DTransform) {
    match part {
        0 => to.rotation = from.rotation,
        1 => to.translation = from.translation,
        _ => to.scale = from.scale,
    }
}

/// Metres that a vertex is moved by the difference.
fn part_distance(part: usize, a: &DTransform, b: &DTransform, lever: [f64; 3]) -> f64 {
    let vector = |a: DVec3, b: DVec3| (a - b).length();
    match part {
        // Half the angle is the length of the vector part for small angles, at no cost of trigonometry.
        0 => 2.0 * difference(a.rotation, b.rotation) * lever[0],
        1 => vector(a.translation, b.translation) * lever[1],
        _ => vector(a.scale, b.scale) * lever[2],
    }
}

/// Sine of half the angle between two rotations.
fn difference(a: DQuat, b: DQuat) -> f64 {
    (a.conjugate() * b).xyz().length()
}
