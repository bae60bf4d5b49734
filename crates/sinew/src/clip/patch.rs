//! What a clip writes joint by joint: constants, and tracks with keys of their own.

use glam::Vec4;

use super::arc::ArcShare;
use super::block::{Checked, Head, Kind, f32_at, u16_at, u32_at};
use crate::wide::Simd;
use crate::{PoseGroup, ScaleGroup};

/// Where single joints are written.
pub(crate) struct Patches<'a> {
    pub(crate) groups: &'a mut [PoseGroup],
    pub(crate) scales: &'a mut [ScaleGroup],
}

impl Patches<'_> {
    #[inline]
    fn put(&mut self, slot: usize, part: usize, value: Vec4) {
        let (group, lane) = (slot / 8, slot % 8);
        if group >= self.groups.len() {
            return;
        }
        match part {
            0 => (0..4).for_each(|c| self.groups[group].rotation[c][lane] = value[c]),
            1 => (0..3).for_each(|axis| self.groups[group].translation[axis][lane] = value[axis]),
            _ => (0..3).for_each(|axis| self.scales[group].scale[axis][lane] = value[axis]),
        }
    }

    /// Constants of the clip.
    #[inline(always)]
    pub(crate) fn constants<S: Simd>(&mut self, simd: S, block: Checked<'_>, head: &Head) {
        let mut at = head.constants_at;
        for _ in 0..head.constants[0] {
            let slot = usize::from(u16::from_le_bytes(*simd.bytes(block, at)));
            if let Some(group) = self.groups.get_mut(slot / 8) {
                put_floats(simd.bytes::<16>(block, at + 2), slot % 8, &mut group.rotation);
            }
            at += 18;
        }
        for _ in 0..head.constants[1] {
            let slot = usize::from(u16::from_le_bytes(*simd.bytes(block, at)));
            if let Some(group) = self.groups.get_mut(slot / 8) {
                put_floats(simd.bytes::<12>(block, at + 2), slot % 8, &mut group.translation);
            }
            at += 14;
        }
        for _ in 0..head.constants[2] {
            let slot = usize::from(u16::from_le_bytes(*simd.bytes(block, at)));
            if let Some(group) = self.scales.get_mut(slot / 8) {
                put_floats(simd.bytes::<12>(block, at + 2), slot % 8, &mut group.scale);
            }
            at += 14;
        }
    }

    /// Tracks with keys of their own.
    pub(crate) fn keyed(&mut self, block: &[u8], head: &Head, time: f32) {
        let mut at = head.keyed_at;
        for _ in 0..head.keyed {
            let (track, end) = Keyed::read(block, at);
            self.put(track.slot.into(), track.part, track.sample(block, time));
            at = end;
        }
    }
}

/// Little-endian numbers, each into a lane of its row.
#[inline(always)]
fn put_floats<const B: usize, const K: usize>(bytes: &[u8; B], lane: usize, rows: &mut [[f32; 8]; K]) {
    const { assert!(B == 4 * K, "four bytes a row") };
    for k in 0..K {
        rows[k][lane & 7] =
            f32::from_le_bytes([bytes[4 * k], bytes[4 * k + 1], bytes[4 * k + 2], bytes[4 * k + 3]]);
    }
}

pub(super) fn floats(block: &[u8], at: usize, width: usize) -> Vec4 {
    let mut out = Vec4::ZERO;
    for c in 0..width {
        out[c] = f32_at(block, at + 4 * c);
    }
    out
}

/// A track with keys of its own.
pub(super) struct Keyed {
    pub(super) slot: u16,
    /// 0 rotation, 1 translation, 2 scale.
    pub(super) part: usize,
    hold: bool,
    keys: usize,
    times_at: usize,
}

impl Keyed {
    /// The track at an offset, and the offset of the next.
    pub(super) fn read(block: &[u8], at: usize) -> (Self, usize) {
        let (kind, keys) = (block[at + 2], u32_at(block, at + 4) as usize);
        let part = usize::from(kind.saturating_sub(Kind::Rotation4 as u8));
        let width = if part == 0 { 4 } else { 3 };
        let track = Self { slot: u16_at(block, at), part, hold: block[at + 3] != 0, keys, times_at: at + 8 };
        (track, at + 8 + 4 * keys * (1 + width))
    }

    fn time(&self, block: &[u8], key: usize) -> f32 {
        f32_at(block, self.times_at + 4 * key)
    }

    fn value(&self, block: &[u8], key: usize) -> Vec4 {
        let width = if self.part == 0 { 4 } else { 3 };
        floats(block, self.times_at + 4 * self.keys + 4 * width * key, width)
    }

    /// The value at a moment, constant outside the keys. Along the shorter great arc for rotations.
    pub(super) fn sample(&self, block: &[u8], time: f32) -> Vec4 {
        // First key after the moment; NaN falls on the first.
        let (mut low, mut high) = (0, self.keys);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.time(block, middle) <= time {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == 0 || low == self.keys || self.hold {
            return self.value(block, low.saturating_sub(1));
        }
        let (t0, t1) = (self.time(block, low - 1), self.time(block, low));
        let u = (time - t0) / (t1 - t0);
        let (a, b) = (self.value(block, low - 1), self.value(block, low));
        if self.part != 0 {
            return a + (b - a) * u;
        }
        slerp(a, b, u)
    }
}

/// Along the shorter great arc.
fn slerp(a: Vec4, b: Vec4, u: f32) -> Vec4 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let delta = b - a;
    let q = a + delta * ArcShare::new(u).bend(delta.dot(delta));
    q / q.dot(q).sqrt()
}
