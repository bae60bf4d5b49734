//! Which tracks move, and how each is stored.

use glam::{DQuat, DVec3};

use super::frames::Frames;
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

/// Share of the bound below which a change counts as none.
const STILL: f64 = 0.02;

impl Tracks {
    /// Tracks with keys of their own within `between` metres.
    pub(crate) fn new(
        builder: &ClipBuilder<'_>,
        raw: &RawClip,
        frames: &Frames,
        choice: &Choice,
        between: f64,
    ) -> Self {
        let rig = builder.rig;
        let still = STILL * builder.bound;
        let mut this = Self { class: Vec::new(), held: Vec::new(), keyed: Vec::new() };
        for slot in 0..frames.joints {
            let reach = f64::from(rig.reach()[slot]).max(builder.shell);
            let rest = single(&builder.skeleton.joint(rig.joint(Slot(slot as u16))).rest);
            let first = frames.at(0, slot);
            let mut class = [Class::Rest; 3];
            let mut held = rest;
            for (part, class) in class.iter_mut().enumerate() {
                let off = |from: &DTransform| {
                    (0..frames.frames).any(|f| part_distance(part, from, frames.at(f, slot), reach) > still)
                };
                if !off(&rest) {
                    continue;
                }
                if part_distance(part, &rest, &single(first), reach) > 0.0 {
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
            this.keyed.push(keyed::build(rig, channel, between));
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

/// Metres that a vertex at `reach` is moved by the difference.
fn part_distance(part: usize, a: &DTransform, b: &DTransform, reach: f64) -> f64 {
    let vector = |a: DVec3, b: DVec3| (a - b).length();
    match part {
        // Half the angle is the length of the vector part for small angles, at no cost of trigonometry.
        0 => 2.0 * difference(a.rotation, b.rotation) * reach,
        1 => vector(a.translation, b.translation),
        _ => vector(a.scale, b.scale) * reach,
    }
}

/// Sine of half the angle between two rotations.
fn difference(a: DQuat, b: DQuat) -> f64 {
    (a.conjugate() * b).xyz().length()
}
