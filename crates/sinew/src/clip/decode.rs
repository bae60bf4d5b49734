//! From the bytes of a clip to a pose: two frames unpacked, interpolated, normalised, eight joints at a time.

use super::arc::ArcShare;
use super::block::{FLAG_ARC, FLAG_DROPS, HEADER, Head, Kind, Record, SEGMENT, u32_at};
use crate::wide::{Floats, Ints, Quads, Simd, WINDOW};
use crate::{PoseGroup, ScaleGroup};

/// The two frames round a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Offset of the header of the segment.
    pub(crate) header: usize,
    /// Offsets of the frames.
    pub(crate) frames: [usize; 2],
    /// Share of the way from the first to the second.
    pub(crate) u: f32,
}

impl Place {
    /// Where a moment falls, clamped to the clip; NaN falls on the start.
    #[inline]
    pub(crate) fn new(block: &[u8], head: &Head, time: f32) -> Self {
        let time = f64::from(time);
        // Written so that NaN is 0.
        let time = if time > 0.0 { time.min(head.duration) } else { 0.0 };
        let x = time * head.rate;
        let last = head.frames as usize - 1;
        let frame = (x as usize).min(last.saturating_sub(1));
        let u = if last == 0 { 0.0 } else { (x - frame as f64).min(1.0) as f32 };
        let length = usize::from(head.segment);
        let (segment, within) = (frame / length, frame % length);
        let entry = head.segments_at + segment * SEGMENT;
        let (data, stride) = (u32_at(block, entry) as usize, u32_at(block, entry + 4) as usize);
        let a = data + within * stride;
        let b = if last == 0 { a } else { a + stride };
        Self { header: data + head.frames_in(segment) * stride, frames: [a, b], u }
    }
}

/// Walks over the groups of a clip at one moment.
pub(crate) struct Walk<'a, S> {
    simd: S,
    block: &'a [u8],
    record: usize,
    header: usize,
    frames: [usize; 2],
    share: ArcShare,
}

impl<'a, S: Simd> Walk<'a, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, block: &'a [u8], place: &Place) -> Self {
        Self {
            simd,
            block,
            record: HEADER,
            header: place.header,
            frames: place.frames,
            share: ArcShare::new(place.u),
        }
    }

    /// The next group's record.
    #[inline(always)]
    pub(crate) fn record(&mut self, aligned: bool) -> Record {
        let record = Record::read(self.simd.bytes(self.block, self.record), self.record, aligned);
        self.record = record.end(aligned);
        record
    }

    /// The pose group of the next aligned record, which is not taken.
    #[inline(always)]
    pub(crate) fn peek_pose_group(&self) -> usize {
        usize::from(u16::from_le_bytes(*self.simd.bytes(self.block, self.record + 6)))
    }

    /// The kind of the next record, which is not taken. Where there is none, of what follows.
    #[inline(always)]
    pub(crate) fn peek_kind(&self) -> u8 {
        let [kind] = *self.simd.bytes(self.block, self.record);
        kind
    }

    /// Flags and the masks of left-out components; moves on to the bases.
    #[inline(always)]
    fn flags(&mut self, components: usize) -> (u8, Option<&'a [u8; 3]>) {
        let [flags] = *self.simd.bytes(self.block, self.header + components);
        self.header += components + 1;
        if flags & FLAG_DROPS == 0 {
            return (flags, None);
        }
        let drops = self.simd.bytes(self.block, self.header);
        self.header += 3;
        (flags, Some(drops))
    }

    /// Passes over a group. Inlined, so that no call forces the walk into memory.
    #[inline(always)]
    pub(crate) fn skip(&mut self, record: &Record) {
        let components = record.kind.components();
        let widths: &[u8; 4] = self.simd.bytes(self.block, self.header);
        let mut bits = 0;
        for width in &widths[..components] {
            bits += usize::from(*width) * record.mask.count_ones() as usize;
        }
        let bytes = bits.div_ceil(8);
        self.frames = [self.frames[0] + bytes, self.frames[1] + bytes];
        self.flags(components);
        self.header += 2 * record.lanes * components;
    }

    /// The values of a group in both frames, the first frame's components before the second's.
    #[inline(always)]
    fn keys<const K: usize>(&mut self, record: &Record, keys: &mut [[[f32; 8]; K]; 2]) -> Notes<'a> {
        // Runs of eight lanes end at bytes, which saves a lot. The values go through memory: kept in registers over
        // the branch they would be copied there twice.
        if record.mask == 0xff {
            self.keys_of::<K, true>(record, keys)
        } else {
            self.keys_of::<K, false>(record, keys)
        }
    }

    #[inline(always)]
    fn keys_of<const K: usize, const FULL: bool>(
        &mut self,
        record: &Record,
        keys: &mut [[[f32; 8]; K]; 2],
    ) -> Notes<'a> {
        let (simd, block) = (self.simd, self.block);
        let widths: &[u8; K] = simd.bytes(block, self.header);
        let (flags, drops) = self.flags(K);
        let steps = simd.load_bf16(simd.bytes(block, record.steps_at));
        let stored = if FULL { 8 } else { record.mask.count_ones() };
        // Runs of a group follow each other bit by bit.
        let mut bit = 0;
        for k in 0..K {
            let width = u32::from(widths[k]);
            let base = simd.load_i16(simd.bytes(block, self.header)).shl(u32::from(record.shift[k]));
            let plan = if FULL { simd.plan(width, 0xff, 0) } else { simd.plan(width, record.mask, bit % 8) };
            let byte = (bit / 8) as usize;
            let first: &[u8; WINDOW] = simd.bytes(block, self.frames[0] + byte);
            let second: &[u8; WINDOW] = simd.bytes(block, self.frames[1] + byte);
            ((simd.unpack(first, &plan) + base).to_float() * steps).store(&mut keys[0][k]);
            ((simd.unpack(second, &plan) + base).to_float() * steps).store(&mut keys[1][k]);
            bit += width * stored;
            self.header += 2 * record.lanes;
        }
        let bytes = bit.div_ceil(8) as usize;
        self.frames = [self.frames[0] + bytes, self.frames[1] + bytes];
        Notes { arc: flags & FLAG_ARC != 0, drops }
    }

    /// Three components of both frames of a group, unpacked for [`Raw::finish`].
    #[inline(always)]
    pub(crate) fn unpack3(&mut self, record: &Record, swaps: [u8; 2], raw: &mut Raw) {
        let notes = self.keys::<3>(record, &mut raw.keys);
        raw.arc = notes.arc;
        raw.drops = notes.drops.copied().unwrap_or([0; 3]);
        raw.swaps = swaps;
    }

    /// How far between the frames.
    #[inline(always)]
    pub(crate) fn share(&self) -> ArcShare {
        self.share
    }

    /// Unit quaternions of which all four components are stored.
    #[inline(always)]
    fn rotation4(&mut self, record: &Record) -> [S::F; 4] {
        let simd = self.simd;
        let mut keys = [[[0.0; 8]; 4]; 2];
        let notes = self.keys::<4>(record, &mut keys);
        let [[a, b, c, d], [e, f, g, h]] = &keys;
        let first = [simd.load(a), simd.load(b), simd.load(c), simd.load(d)];
        let second = [simd.load(e), simd.load(f), simd.load(g), simd.load(h)];
        nlerp(simd, first, second, &self.share, notes.arc)
    }

    /// The pose groups and lanes of a scattered group's lanes.
    #[inline(always)]
    pub(crate) fn slots(&self, record: &Record) -> [u16; 8] {
        // Sixteen bytes are there: if no more slots, then what follows.
        let bytes: &[u8; 16] = self.simd.bytes(self.block, record.slots_at());
        let mut slots = [0; 8];
        for lane in 0..8 {
            slots[lane] = u16::from_le_bytes([bytes[2 * lane], bytes[2 * lane + 1]]);
        }
        slots
    }

    /// Decodes a scattered group of quaternions stored whole, or of vectors, into its slots of the leading groups.
    #[inline(always)]
    pub(crate) fn scatter(&mut self, record: &Record, groups: &mut [PoseGroup], scales: &mut [ScaleGroup]) {
        let simd = self.simd;
        let slots = self.slots(record);
        if record.kind == Kind::Rotation4 {
            let q = self.rotation4(record);
            put_quads(simd, q, &slots[..record.lanes.min(8)], groups);
            return;
        }
        let mut keys = [[[0.0; 8]; 3]; 2];
        self.keys::<3>(record, &mut keys);
        let mut lanes = [[0.0_f32; 8]; 3];
        let u = simd.splat(self.share.share);
        for axis in 0..3 {
            let (a, b) = (simd.load(&keys[0][axis]), simd.load(&keys[1][axis]));
            (a + (b - a) * u).store(&mut lanes[axis]);
        }
        let [second, third] = record.swaps();
        let translates = record.kind == Kind::Translation;
        for lane in 0..record.lanes.min(8) {
            // Written so that no index but the group's needs a check.
            let (lane, slot) = (lane & 7, usize::from(slots[lane & 7]));
            let (group, at) = (slot / 8, slot % 8);
            if group >= groups.len() {
                continue;
            }
            let to = if translates { &mut groups[group].translation } else { &mut scales[group].scale };
            let [x, y, z] = [lanes[0][lane], lanes[1][lane], lanes[2][lane]];
            // Where the first component went.
            let (swap_y, swap_z) = (second >> lane & 1 == 1, third >> lane & 1 == 1);
            to[0][at] = if swap_y {
                y
            } else if swap_z {
                z
            } else {
                x
            };
            to[1][at] = if swap_y { x } else { y };
            to[2][at] = if swap_z { x } else { z };
        }
    }
}

/// Rotations of scattered joints into pose groups that hold eight quads.
#[inline(always)]
pub(crate) fn put_quads<S: Simd>(simd: S, q: [S::F; 4], slots: &[u16], groups: &mut [PoseGroup]) {
    let quads = simd.transpose_4x8(q[0], q[1], q[2], q[3]);
    for (quad, slot) in quads.iter().zip(slots) {
        if let Some(group) = groups.get_mut(usize::from(*slot) / 8) {
            quad.store(quad_mut(group, usize::from(*slot) % 8));
        }
    }
}

/// Groups that are unpacked before any is finished: the two have long chains of dependent steps, and the
/// processor overlaps those of neighbouring groups only where each loop is short.
pub(crate) const CHUNK: usize = 4;

/// An unpacked group.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Raw {
    /// Three components of the first frame, then of the second.
    keys: [[[f32; 8]; 3]; 2],
    /// Where the result goes: a pose group, or eight slots.
    pub(crate) slots: [u16; 8],
    pub(crate) lanes: u8,
    arc: bool,
    drops: [u8; 3],
    swaps: [u8; 2],
}

impl Raw {
    pub(crate) const EMPTY: Self =
        Self { keys: [[[0.0; 8]; 3]; 2], slots: [0; 8], lanes: 0, arc: false, drops: [0; 3], swaps: [0; 2] };

    /// Unit quaternions.
    #[inline(always)]
    pub(crate) fn finish<S: Simd>(&self, simd: S, share: &ArcShare) -> [S::F; 4] {
        let [a, b] = &self.keys;
        let a = [simd.load(&a[0]), simd.load(&a[1]), simd.load(&a[2])];
        let b = [simd.load(&b[0]), simd.load(&b[1]), simd.load(&b[2])];
        let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
        let d = (one - (a[0] * a[0] + a[1] * a[1] + a[2] * a[2])).max(zero).sqrt();
        let e = (one - (b[0] * b[0] + b[1] * b[1] + b[2] * b[2])).max(zero).sqrt();
        let mut q = nlerp(simd, [a[0], a[1], a[2], d], [b[0], b[1], b[2], e], share, self.arc);
        let [second, third] = self.swaps;
        if second != 0 {
            let mask = simd.mask(second);
            (q[0], q[1]) = (q[1].select(mask, q[0]), q[0].select(mask, q[1]));
        }
        if third != 0 {
            let mask = simd.mask(third);
            (q[0], q[2]) = (q[2].select(mask, q[0]), q[0].select(mask, q[2]));
        }
        if self.drops != [0; 3] {
            // The stored place of a left-out X, Y or Z holds W.
            let w = q[3];
            for axis in 0..3 {
                let (dropped, stored) = (simd.mask(self.drops[axis]), q[axis]);
                q[axis] = w.select(dropped, stored);
                q[3] = stored.select(dropped, q[3]);
            }
        }
        q
    }
}

/// The rotation of a lane in a group that holds eight quads.
#[inline(always)]
pub(crate) fn quad_mut(group: &mut PoseGroup, lane: usize) -> &mut [f32; 4] {
    match group.rotation.as_flattened_mut()[4 * lane..].first_chunk_mut() {
        Some(quad) => quad,
        None => unreachable!("a group has eight lanes, not {lane}"),
    }
}

/// From eight quads to one array a component, in place.
#[inline(always)]
pub(crate) fn quads_to_lanes<S: Simd>(simd: S, group: &mut PoseGroup) {
    let mut quads = [simd.splat4(0.0); 8];
    for (lane, quad) in quads.iter_mut().enumerate() {
        *quad = simd.load4(quad_mut(group, lane));
    }
    let lanes = simd.transpose_8x4(quads);
    for axis in 0..4 {
        lanes[axis].store(&mut group.rotation[axis]);
    }
}

/// What a group does in a segment.
#[derive(Clone, Copy)]
struct Notes<'a> {
    /// Interpolation follows the great arc.
    arc: bool,
    /// Lanes that leave out X, Y, Z.
    drops: Option<&'a [u8; 3]>,
}

/// Normalised linear interpolation between unit quaternions in the same hemisphere; along the arc where asked.
#[inline(always)]
fn nlerp<S: Simd>(simd: S, a: [S::F; 4], b: [S::F; 4], share: &ArcShare, arc: bool) -> [S::F; 4] {
    let delta = [b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3]];
    let mut u = simd.splat(share.share);
    if arc {
        let chord = delta[0] * delta[0] + delta[1] * delta[1] + (delta[2] * delta[2] + delta[3] * delta[3]);
        let t = chord / (simd.splat(4.0) - chord);
        let mut bend = simd.splat(share.coefficients[3]);
        for c in [share.coefficients[2], share.coefficients[1], share.coefficients[0], 1.0 / 3.0] {
            bend = bend * t + simd.splat(c);
        }
        u = u + simd.splat(share.by) * (bend * t);
    }
    let q = [a[0] + delta[0] * u, a[1] + delta[1] * u, a[2] + delta[2] * u, a[3] + delta[3] * u];
    let norm = (q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3])).sqrt();
    let inverse = simd.splat(1.0) / norm;
    [q[0] * inverse, q[1] * inverse, q[2] * inverse, q[3] * inverse]
}
