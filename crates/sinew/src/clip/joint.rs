//! One joint of a clip, number by number: what root motion and attachments need without the whole pose. Every
//! number goes through the operations of the kernels of whole groups, in their order, and has the same bits.

use glam::{Quat, Vec3, Vec4};

use super::Clip;
use super::arc::{ArcShare, NearShare};
use super::block::{FLAG_DROPS, FLAG_FAR, HEADER, Kind, RECORD, Record, array_at, u16_at, u32_at};
use super::decode::Place;
use super::patch::{Keyed, floats};
use crate::{Rig, Slot, Transform};

impl Clip {
    /// The transform of one joint relative to its parent, to the bit what a [`SampleJob`](crate::SampleJob) gives
    /// it. `time` is in seconds, clamped at both ends; NaN is the start. Decodes the joint's own numbers only and
    /// does not allocate.
    ///
    /// # Panics
    /// Where the clip is for another rig ([`Rig::layout`]), or `slot` is not of the rig.
    #[must_use]
    pub fn sample_joint(&self, rig: &Rig, slot: Slot, time: f32) -> Transform {
        assert!(self.joints() == rig.len(), "a clip for {} joints, a rig of {}", self.joints(), rig.len());
        assert!(self.layout() == rig.layout(), "a clip for a rig of another layout");
        assert!(slot.index() < rig.len(), "{slot} of a rig of {} joints", rig.len());
        let (group, lane) = (slot.index() / 8, slot.index() % 8);
        let mut joint = Transform::take(&rig.rest()[group], &rig.rest_scale()[group], lane);
        self.frames_of(slot, time, &mut joint);
        let (block, head) = (self.block(), &self.head);
        let mut at = head.constants_at;
        for part in 0..3 {
            let width = if part == 0 { 4 } else { 3 };
            for _ in 0..head.constants[part] {
                if u16_at(block, at) == slot.0 {
                    put(&mut joint, part, floats(block, at + 2, width));
                }
                at += 2 + 4 * width;
            }
        }
        let mut at = head.keyed_at;
        for _ in 0..head.keyed {
            let (track, end) = Keyed::read(block, at);
            if track.slot == slot.0 {
                put(&mut joint, track.part, track.sample(block, time));
            }
            at = end;
        }
        joint
    }

    /// What the packed frames say of a joint.
    fn frames_of(&self, slot: Slot, time: f32, joint: &mut Transform) {
        let (block, head) = (self.block(), &self.head);
        let place = Place::new(block, head, time);
        let share = NearShare::new(place.u);
        let (mut at, mut header, mut frames) = (HEADER, place.header, place.frames);
        let in_place = usize::from(head.aligned);
        for index in 0..in_place + usize::from(head.scattered) {
            let aligned = index < in_place;
            let record = Record::read(array_at::<RECORD>(block, at), at, aligned);
            at = record.end(aligned);
            let lane = if aligned {
                (usize::from(record.pose_group) == slot.index() / 8).then_some(slot.index() % 8)
            } else {
                (0..record.lanes).rfind(|l| u16_at(block, record.slots_at() + 2 * l) == slot.0)
            };
            let keys = Keys::read(block, &record, header, frames);
            (header, frames) = (keys.end, [frames[0] + keys.bytes, frames[1] + keys.bytes]);
            let Some(lane) = lane else { continue };
            let [a, b] = keys.values(lane);
            let swaps = if aligned { [0; 2] } else { record.swaps() };
            let (second, third) = (swaps[0] >> lane & 1 == 1, swaps[1] >> lane & 1 == 1);
            let (mut value, part) = match record.kind {
                Kind::Rotation3 if keys.far => (along_arc(fourth(a), fourth(b), place.u), 0),
                Kind::Rotation3 => {
                    (share.between(a.truncate().to_array(), b.truncate().to_array()).into(), 0)
                }
                Kind::Rotation4 => (along_arc(a, b, place.u), 0),
                Kind::Translation => (a + (b - a) * share.share, 1),
                Kind::Scale => (a + (b - a) * share.share, 2),
            };
            if record.kind != Kind::Rotation4 {
                if second {
                    (value.x, value.y) = (value.y, value.x);
                }
                if third {
                    (value.x, value.z) = (value.z, value.x);
                }
            }
            if record.kind == Kind::Rotation3 {
                // The stored place of a left-out X, Y or Z holds W.
                let rebuilt = value.w;
                for axis in (0..3).filter(|&axis| keys.drops[axis] >> lane & 1 == 1) {
                    value.w = value[axis];
                    value[axis] = rebuilt;
                }
            }
            put(joint, part, value);
        }
    }
}

fn put(joint: &mut Transform, part: usize, value: Vec4) {
    match part {
        0 => joint.rotation = Quat::from_vec4(value),
        1 => joint.translation = value.truncate(),
        _ => joint.scale = Vec3::new(value.x, value.y, value.z),
    }
}

/// A group in a segment.
struct Keys<'a> {
    block: &'a [u8],
    record: &'a Record,
    /// Offset of its widths.
    header: usize,
    /// Offsets of its runs.
    frames: [usize; 2],
    /// Offset of its bases.
    bases: usize,
    /// Interpolation has far to go, see the flag of the format.
    far: bool,
    /// Lanes that leave out X, Y, Z.
    drops: [u8; 3],
    /// Bytes a frame.
    bytes: usize,
    /// Offset of the next group.
    end: usize,
}

impl<'a> Keys<'a> {
    fn read(block: &'a [u8], record: &'a Record, header: usize, frames: [usize; 2]) -> Self {
        let components = record.kind.components();
        let widths = &block[header..header + components];
        let bits: u32 = widths.iter().map(|w| u32::from(*w) * record.mask.count_ones()).sum();
        let flags = block[header + components];
        let (mut bases, mut drops) = (header + components + 1, [0; 3]);
        if flags & FLAG_DROPS != 0 {
            drops = *array_at(block, bases);
            bases += 3;
        }
        let end = bases + 2 * record.lanes * components;
        let far = flags & FLAG_FAR != 0;
        Self { block, record, header, frames, bases, far, drops, bytes: bits.div_ceil(8) as usize, end }
    }

    /// The values of a lane in both frames; three have no fourth.
    fn values(&self, lane: usize) -> [Vec4; 2] {
        let (block, record) = (self.block, self.record);
        let step = f32::from_bits(u32::from(u16_at(block, record.steps_at + 2 * lane)) << 16);
        let (lanes, stored) = (record.mask.count_ones(), record.mask >> lane & 1 == 1);
        let before = (record.mask & ((1 << lane) - 1) as u8).count_ones();
        let (mut out, mut run) = ([Vec4::ZERO; 2], 0);
        for k in 0..record.kind.components() {
            let width = u32::from(block[self.header + k]);
            let base = i32::from(u16_at(block, self.bases + 2 * (record.lanes * k + lane)) as i16);
            let base = base << record.shift[k];
            for (out, frame) in out.iter_mut().zip(self.frames) {
                let packed = if stored { packed(block, frame, run + before * width, width) } else { 0 };
                out[k] = packed.wrapping_add(base) as f32 * step;
            }
            run += lanes * width;
        }
        out
    }
}

/// An integer of up to 24 bits at a bit of a frame.
fn packed(block: &[u8], frame: usize, bit: u32, width: u32) -> i32 {
    let word = u32_at(block, frame + (bit / 8) as usize);
    (word >> (bit % 8) & ((1 << width) - 1)) as i32
}

/// The component of a unit quaternion that is not stored.
fn fourth(q: Vec4) -> Vec4 {
    let square = 1.0 - (q.x * q.x + q.y * q.y + q.z * q.z);
    q.with_w(if square > 0.0 { square } else { 0.0 }.sqrt())
}

/// As the kernel of groups does it.
fn along_arc(a: Vec4, b: Vec4, u: f32) -> Vec4 {
    let squared = |q: Vec4| q.x * q.x + q.y * q.y + (q.z * q.z + q.w * q.w);
    let delta = b - a;
    let q = a + delta * ArcShare::new(u).bend(squared(delta));
    q * (1.0 / squared(q).sqrt())
}
