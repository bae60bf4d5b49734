//! From the bytes of a clip to a pose: two frames unpacked, interpolated, normalised, eight joints at a time.

use super::arc::{ArcShare, NearShare, STRETCH};
use super::block::{Checked, FLAG_DROPS, FLAG_FAR, HEADER, Head, Kind, RECORD, Record, SEGMENT, u32_at};
use crate::wide::{Floats, Ints, NARROW, Simd, Stage, WINDOW, pose_rows, scale_rows};
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
    block: Checked<'a>,
    record: usize,
    header: usize,
    /// From the start of each of the two frames on.
    frames: [Checked<'a>; 2],
    /// Bytes of a frame that are behind.
    at: usize,
    share: Share,
}

impl<'a, S: Simd> Walk<'a, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, block: Checked<'a>, place: &Place) -> Self {
        Self {
            simd,
            block,
            record: HEADER,
            header: place.header,
            frames: place.frames.map(|at| block.after(at)),
            at: 0,
            share: Share::new(place.u),
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

    /// Unpacks the next group where it is of the usual sort: rotations of three components, in the first lanes or all
    /// of them, no base shifted, no run of more than [`NARROW`] bits, and, where it is `ALIGNED`, of a pose group below
    /// the limit. Otherwise takes nothing and says no.
    #[inline(always)]
    pub(crate) fn unpack_usual<const ALIGNED: bool, const PLAIN: bool>(
        &mut self,
        limit: usize,
        raws: &mut Raws<S>,
    ) -> bool {
        let (simd, block) = (self.simd, self.block);
        let record = u64::from_le_bytes(*simd.bytes(block, self.record));
        // Kind 0, mask, four shifts, pose group or swaps.
        let place = (record >> 48) as usize;
        let mask = (record >> 8) as u8;
        // Three widths, flags.
        let head = u32::from_le_bytes(*simd.bytes(block, self.header));
        let usual = record << 16 == u64::from(mask) << 24 && mask & mask.wrapping_add(1) == 0;
        if !(PLAIN || usual && !is_wide(head)) || (ALIGNED && place >= limit) {
            return false;
        }
        let mut notes = Notes::NONE;
        let mut header = self.header + 4;
        if head >> 24 != 0 {
            notes.far = (head >> 24) as u8 & FLAG_FAR != 0;
            if (head >> 24) as u8 & FLAG_DROPS != 0 {
                notes.drops = *simd.bytes(block, header);
                header += 3;
            }
        }
        self.header = header;
        if mask == 0xff {
            self.unpack_runs::<ALIGNED, true>(place, head, 0xff, notes, raws);
        } else {
            self.unpack_runs::<ALIGNED, false>(place, head, mask, notes, raws);
        }
        true
    }

    /// The rest of [`Walk::unpack_usual`]; `FULL` where the mask is all ones.
    #[inline(always)]
    fn unpack_runs<const ALIGNED: bool, const FULL: bool>(
        &mut self,
        place: usize,
        head: u32,
        mask: u8,
        notes: Notes,
        raws: &mut Raws<S>,
    ) {
        let (simd, block) = (self.simd, self.block);
        let (mut to, mut swaps) = (place, [0; 2]);
        let stored = if FULL { 8 } else { mask.count_ones() as usize };
        // Steps and bases of a group in place are all there.
        let lanes = if ALIGNED { 8 } else { stored };
        let steps_at = self.record + RECORD;
        let mut steps = simd.load_bf16(simd.bytes(block, steps_at));
        self.record = steps_at + 2 * lanes;
        if !ALIGNED {
            if !FULL {
                // Behind the last step lies something else.
                steps = steps.only(simd.mask(mask));
            }
            (to, swaps) = (self.record, [place as u8, (place >> 8) as u8]);
            self.record += 2 * lanes;
        }
        let (mut keys, mut sums) = ([[steps; 3]; 2], [steps; 3]);
        let (mut at, mut bit) = (self.at, 0);
        for k in 0..3 {
            let width = head >> (8 * k) & 0xff;
            let base = simd.load_i16(simd.bytes(block, self.header + 2 * lanes * k));
            let plan = if FULL { simd.plan_narrow(width) } else { simd.plan_leading(width, mask, bit & 7) };
            let (first, second) = (simd.bytes(self.frames[0], at), simd.bytes(self.frames[1], at));
            let a = (simd.unpack_narrow(first, &plan) + base).to_float() * steps;
            let b = (simd.unpack_narrow(second, &plan) + base).to_float() * steps;
            (keys[0][k], keys[1][k]) = (a, b);
            sums = with_squares::<S>(k, sums, a, b);
            if FULL {
                // Runs of eight lanes end at bytes.
                at += width as usize;
            } else {
                bit += width * stored as u32;
                at = self.at + (bit / 8) as usize;
            }
        }
        if !FULL {
            at = self.at + bit.div_ceil(8) as usize;
        }
        raws.push(Raw::new(simd, keys, sums, to, stored as u8, notes, swaps));
        self.header += 6 * lanes;
        self.at = at;
    }

    /// Decodes the next scattered group where it is of vectors, no base is shifted and no run has more than [`NARROW`]
    /// bits. Otherwise takes nothing and says no.
    #[inline(always)]
    pub(crate) fn scatter_usual<const PLAIN: bool>(
        &mut self,
        groups: &mut [PoseGroup],
        scales: &mut [ScaleGroup],
    ) -> bool {
        let (simd, block) = (self.simd, self.block);
        let record = u64::from_le_bytes(*simd.bytes(block, self.record));
        let (kind, mask) = (record as u8, (record >> 8) as u8);
        let head = u32::from_le_bytes(*simd.bytes(block, self.header));
        let usual = PLAIN || record << 16 >> 32 == 0 && !is_wide(head);
        if kind < Kind::Translation as u8 || !usual {
            return false;
        }
        let lanes = mask.count_ones() as usize;
        let steps_at = self.record + RECORD;
        let slots_at = steps_at + 2 * lanes;
        self.record = slots_at + 2 * lanes;
        // Behind the last step lies something else.
        let steps = simd.load_bf16(simd.bytes(block, steps_at)).only(simd.mask(mask));
        let mut header = self.header + 4;
        if (head >> 24) as u8 & FLAG_DROPS != 0 {
            header += 3;
        }
        let u = simd.splat(self.share.near.share);
        let mut v = [u; 3];
        let mut bit = 0;
        for k in 0..3 {
            let width = head >> (8 * k) & 0xff;
            let base = simd.load_i16(simd.bytes(block, header));
            let plan = simd.plan_leading(width, mask, bit & 7);
            let at = self.at + (bit / 8) as usize;
            let (first, second) = (simd.bytes(self.frames[0], at), simd.bytes(self.frames[1], at));
            let a = (simd.unpack_narrow(first, &plan) + base).to_float() * steps;
            let b = (simd.unpack_narrow(second, &plan) + base).to_float() * steps;
            v[k] = a + (b - a) * u;
            bit += width * lanes as u32;
            header += 2 * lanes;
        }
        self.header = header;
        self.at += bit.div_ceil(8) as usize;
        let v = untrade(simd, v, [(record >> 48) as u8, (record >> 56) as u8]);
        self.put_vectors(v, kind == Kind::Translation as u8, slots_at, lanes, groups, scales);
        true
    }

    /// Vectors of scattered joints to their slots.
    #[inline(always)]
    fn put_vectors(
        &self,
        v: [S::F; 3],
        translates: bool,
        slots_at: usize,
        lanes: usize,
        groups: &mut [PoseGroup],
        scales: &mut [ScaleGroup],
    ) {
        // Sixteen bytes are there: if no more slots, then what follows.
        let slots = self.simd.bytes(self.block, slots_at);
        if translates {
            self.simd.scatter(v, slots, lanes, TRANSLATION, pose_rows(groups));
        } else {
            self.simd.scatter(v, slots, lanes, 0, scale_rows(scales));
        }
    }

    /// Rotations of scattered joints to their slots.
    #[inline(always)]
    pub(crate) fn put_rotations(
        &self,
        q: [S::F; 4],
        slots_at: usize,
        lanes: usize,
        groups: &mut [PoseGroup],
    ) {
        self.simd.scatter(q, self.simd.bytes(self.block, slots_at), lanes, 0, pose_rows(groups));
    }

    /// The kind of the next record, which is not taken. Where there is none, of what follows.
    #[inline(always)]
    pub(crate) fn peek_kind(&self) -> u8 {
        let [kind] = *self.simd.bytes(self.block, self.record);
        kind
    }

    /// Flags and the masks of left-out components; moves on to the bases.
    #[inline(always)]
    fn flags(&mut self, components: usize) -> Notes {
        let [flags] = *self.simd.bytes(self.block, self.header + components);
        self.header += components + 1;
        let mut drops = [0; 3];
        if flags & FLAG_DROPS != 0 {
            drops = *self.simd.bytes(self.block, self.header);
            self.header += 3;
        }
        Notes { far: flags & FLAG_FAR != 0, drops }
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
        self.at += bits.div_ceil(8);
        self.flags(components);
        self.header += 2 * record.lanes * components;
    }

    /// The values of a group in both frames, the first frame's components before the second's. The values go
    /// through memory: kept in registers over the branches they would be copied there twice.
    #[inline(always)]
    fn keys<const K: usize>(&mut self, record: &Record, keys: &mut [[[f32; 8]; K]; 2]) -> Notes {
        let widths: &[u8; K] = self.simd.bytes(self.block, self.header);
        let mut narrow = record.mask & record.mask.wrapping_add(1) == 0;
        for width in widths {
            narrow &= u32::from(*width) <= NARROW;
        }
        if narrow {
            self.keys_of::<K, true>(record, widths, keys)
        } else {
            self.keys_of::<K, false>(record, widths, keys)
        }
    }

    /// `LEADING` where runs are of leading lanes and at most [`NARROW`] bits.
    #[inline(always)]
    fn keys_of<const K: usize, const LEADING: bool>(
        &mut self,
        record: &Record,
        widths: &[u8; K],
        keys: &mut [[[f32; 8]; K]; 2],
    ) -> Notes {
        let (simd, block) = (self.simd, self.block);
        let notes = self.flags(K);
        // Behind the last step lies something else.
        let there = ((1_u32 << record.lanes) - 1) as u8;
        let steps = simd.load_bf16(simd.bytes(block, record.steps_at)).only(simd.mask(there));
        let stored = record.mask.count_ones();
        // Runs of a group follow each other bit by bit.
        let mut bit = 0;
        for k in 0..K {
            let width = u32::from(widths[k]);
            let base = simd.load_i16(simd.bytes(block, self.header)).shl(u32::from(record.shift[k]));
            let byte = (bit / 8) as usize;
            let first: &[u8; WINDOW] = simd.bytes(self.frames[0], self.at + byte);
            let second: &[u8; WINDOW] = simd.bytes(self.frames[1], self.at + byte);
            let ints = if LEADING {
                let plan = simd.plan_leading(width, record.mask, bit % 8);
                [simd.unpack_narrow(first, &plan), simd.unpack_narrow(second, &plan)]
            } else {
                let plan = simd.plan(width, record.mask, bit % 8);
                [simd.unpack(first, &plan), simd.unpack(second, &plan)]
            };
            for frame in 0..2 {
                ((ints[frame] + base).to_float() * steps).store(&mut keys[frame][k]);
            }
            bit += width * stored;
            self.header += 2 * record.lanes;
        }
        self.at += bit.div_ceil(8) as usize;
        notes
    }

    /// Three components of both frames of a group, unpacked for [`Raw::finish`]; `to` and `swaps` as there.
    #[inline(always)]
    pub(crate) fn unpack3(&mut self, record: &Record, to: usize, swaps: [u8; 2], raws: &mut Raws<S>) {
        let simd = self.simd;
        let mut stored = [[[0.0; 8]; 3]; 2];
        let notes = self.keys::<3>(record, &mut stored);
        let zero = simd.splat(0.0);
        let (mut keys, mut sums) = ([[zero; 3]; 2], [zero; 3]);
        for k in 0..3 {
            let (a, b) = (simd.load(&stored[0][k]), simd.load(&stored[1][k]));
            (keys[0][k], keys[1][k]) = (a, b);
            sums = with_squares::<S>(k, sums, a, b);
        }
        raws.push(Raw::new(simd, keys, sums, to, record.lanes as u8, notes, swaps));
    }

    /// How far between the frames.
    #[inline(always)]
    pub(crate) fn share(&self) -> Share {
        self.share
    }

    /// Unit quaternions of which all four components are stored.
    #[inline(always)]
    fn rotation4(&mut self, record: &Record) -> [S::F; 4] {
        let simd = self.simd;
        let mut keys = [[[0.0; 8]; 4]; 2];
        self.keys::<4>(record, &mut keys);
        let [[a, b, c, d], [e, f, g, h]] = &keys;
        let first = [simd.load(a), simd.load(b), simd.load(c), simd.load(d)];
        let second = [simd.load(e), simd.load(f), simd.load(g), simd.load(h)];
        along_arc(simd, first, second, &self.share)
    }

    /// Decodes a scattered group of quaternions stored whole, or of vectors, into its slots of the leading groups.
    #[inline(always)]
    pub(crate) fn scatter(&mut self, record: &Record, groups: &mut [PoseGroup], scales: &mut [ScaleGroup]) {
        let simd = self.simd;
        if record.kind == Kind::Rotation4 {
            let q = self.rotation4(record);
            self.put_rotations(q, record.slots_at(), record.lanes, groups);
            return;
        }
        let mut keys = [[[0.0; 8]; 3]; 2];
        self.keys::<3>(record, &mut keys);
        let u = simd.splat(self.share.near.share);
        let mut v = [u; 3];
        for axis in 0..3 {
            let (a, b) = (simd.load(&keys[0][axis]), simd.load(&keys[1][axis]));
            v[axis] = a + (b - a) * u;
        }
        let v = untrade(simd, v, record.swaps());
        let translates = record.kind == Kind::Translation;
        self.put_vectors(v, translates, record.slots_at(), record.lanes, groups, scales);
    }
}

/// Row of a pose group at which translations begin.
const TRANSLATION: usize = 4;

/// Sums of the squares of the first frame's components, of the second's, and of their products, with the next ones.
#[inline(always)]
fn with_squares<S: Simd>(k: usize, sums: [S::F; 3], a: S::F, b: S::F) -> [S::F; 3] {
    let squares = [a * a, b * b, a * b];
    if k == 0 { squares } else { [sums[0] + squares[0], sums[1] + squares[1], sums[2] + squares[2]] }
}

/// Whether some of the three widths of a group's header is above [`NARROW`].
#[inline(always)]
fn is_wide(head: u32) -> bool {
    ((head & 0x00ff_ffff) + 0x6f_6f6f) & 0x80_8080 != 0
}

/// Components back to where they belong: of some lanes the first has traded places with the second, with the third.
#[inline(always)]
fn untrade<S: Simd>(simd: S, [x, y, z]: [S::F; 3], [second, third]: [u8; 2]) -> [S::F; 3] {
    let (second, third) = (simd.mask(second), simd.mask(third));
    let (first, y) = (y.select(second, x), x.select(second, y));
    [z.select(third, first), y, first.select(third, z)]
}

/// Groups that are unpacked before any is finished: the two have long chains of dependent steps, and the
/// processor overlaps those of neighbouring groups only where each loop is short.
pub(crate) const CHUNK: usize = 12;

/// Groups on their way.
pub(crate) type Raws<S> = Stage<Raw<S>, CHUNK>;

/// An unpacked group.
#[derive(Clone, Copy)]
pub(crate) struct Raw<S: Simd> {
    /// Three components of the first frame, then of the second.
    keys: [[S::F; 3]; 2],
    /// Scalar product of the stored components, then squared length of the chord.
    cosine: S::F,
    /// Square of the product of the components that are not stored.
    rest: S::F,
    /// Where the result goes: a pose group, or the slots at this offset of the clip.
    pub(crate) to: usize,
    /// Of a scattered group.
    pub(crate) lanes: u8,
    notes: Notes,
    swaps: [u8; 2],
}

impl<S: Simd> Raw<S> {
    /// `sums` of the squares of the first frame's components, of the second's, and of their products.
    #[inline(always)]
    fn new(
        simd: S,
        keys: [[S::F; 3]; 2],
        [aa, bb, ab]: [S::F; 3],
        to: usize,
        lanes: u8,
        notes: Notes,
        swaps: [u8; 2],
    ) -> Self {
        let one = simd.splat(1.0);
        // What is left to the components that are not stored.
        let rest = ((one - aa) * (one - bb)).max(simd.splat(0.0));
        Self { keys, cosine: ab, rest, to, lanes, notes, swaps }
    }

    /// The squared chord, after unpacking. A step of its own, as the ones that follow: each ends where a value takes
    /// long, so that the processor works on several groups at once.
    #[inline(always)]
    pub(crate) fn measure(&mut self, simd: S) {
        let cosine = self.cosine + self.rest.sqrt();
        self.cosine = simd.splat(2.0) - (cosine + cosine);
    }

    /// Three components of the result, and the square of the fourth; of groups with far to go, the fourth. After
    /// [`Raw::measure`].
    #[inline(always)]
    pub(crate) fn interpolate(&self, simd: S, share: &Share) -> [S::F; 4] {
        let [a, b] = self.keys;
        let one = simd.splat(1.0);
        if self.notes.far {
            let zero = simd.splat(0.0);
            let d = (one - (a[0] * a[0] + a[1] * a[1] + a[2] * a[2])).max(zero).sqrt();
            let e = (one - (b[0] * b[0] + b[1] * b[1] + b[2] * b[2])).max(zero).sqrt();
            return along_arc(simd, [a[0], a[1], a[2], d], [b[0], b[1], b[2], e], share);
        }
        let share = &share.near;
        let chord = self.cosine;
        let bend = simd.splat(share.bend[0]) + chord * simd.splat(share.bend[1]);
        let u = simd.splat(share.share) + chord * bend;
        let p = [a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u, a[2] + (b[2] - a[2]) * u];
        let k = (u - u * u) * chord;
        let series = simd.splat(STRETCH[1]) + k * simd.splat(STRETCH[2]);
        let s = one + k * (simd.splat(STRETCH[0]) + k * series);
        let pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
        [p[0] * s, p[1] * s, p[2] * s, one - (s * s) * pp]
    }

    /// Keeps what [`Raw::interpolate`] gave where the keys were.
    #[inline(always)]
    pub(crate) fn keep(&mut self, [x, y, z, w]: [S::F; 4]) {
        self.keys[0] = [x, y, z];
        self.rest = w;
    }

    /// What was kept, as [`Raw::finish`] takes it, components that have traded places back where they belong.
    #[inline(always)]
    pub(crate) fn kept(&self, simd: S) -> [S::F; 4] {
        let mut v = self.keys[0];
        if self.swaps != [0; 2] {
            v = untrade(simd, v, self.swaps);
        }
        [v[0], v[1], v[2], self.rest]
    }

    /// The fourth component of what [`Raw::interpolate`] gave.
    #[inline(always)]
    fn fourth(&self, simd: S, w: S::F) -> S::F {
        if self.notes.far { w } else { w.max(simd.splat(0.0)).sqrt() }
    }

    /// [`Raw::finish`] where the values are.
    #[inline(always)]
    pub(crate) fn finish_in_place(&self, simd: S, q: &mut [[f32; 8]; 4]) {
        if self.notes.drops == [0; 3] {
            self.fourth(simd, simd.load(&q[3])).store(&mut q[3]);
            return;
        }
        let [x, y, z, w] = &*q;
        let done = self.finish(simd, [simd.load(x), simd.load(y), simd.load(z), simd.load(w)]);
        for axis in 0..4 {
            done[axis].store(&mut q[axis]);
        }
    }

    /// From what [`Raw::interpolate`] gave to unit quaternions in their order.
    #[inline(always)]
    pub(crate) fn finish(&self, simd: S, mut q: [S::F; 4]) -> [S::F; 4] {
        q[3] = self.fourth(simd, q[3]);
        if self.notes.drops != [0; 3] {
            // The stored place of a left-out X, Y or Z holds W.
            let rebuilt = q[3];
            for axis in 0..3 {
                let dropped = simd.mask(self.notes.drops[axis]);
                (q[axis], q[3]) = (rebuilt.select(dropped, q[axis]), q[axis].select(dropped, q[3]));
            }
        }
        q
    }
}

/// What a group does in a segment.
#[derive(Clone, Copy)]
struct Notes {
    /// Some interval turns farther than [`NearShare`] goes.
    far: bool,
    /// Lanes that leave out X, Y, Z.
    drops: [u8; 3],
}

impl Notes {
    const NONE: Self = Self { far: false, drops: [0; 3] };
}

/// How far between the frames.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    near: NearShare,
}

impl Share {
    #[inline(always)]
    fn new(u: f32) -> Self {
        Self { near: NearShare::new(u) }
    }

    /// Not inlined: every sample would pay for it.
    #[inline(never)]
    fn far(&self) -> ArcShare {
        ArcShare::new(self.near.share)
    }
}

/// Between unit quaternions in the same hemisphere along the great arc, for any angle.
#[inline(always)]
fn along_arc<S: Simd>(simd: S, a: [S::F; 4], b: [S::F; 4], share: &Share) -> [S::F; 4] {
    let share = share.far();
    let delta = [b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3]];
    let chord = delta[0] * delta[0] + delta[1] * delta[1] + (delta[2] * delta[2] + delta[3] * delta[3]);
    let t = chord / (simd.splat(4.0) - chord);
    let mut bend = simd.splat(share.coefficients[3]);
    for c in [share.coefficients[2], share.coefficients[1], share.coefficients[0], 1.0 / 3.0] {
        bend = bend * t + simd.splat(c);
    }
    let u = simd.splat(share.share) + simd.splat(share.by) * (bend * t);
    let q = [a[0] + delta[0] * u, a[1] + delta[1] * u, a[2] + delta[2] * u, a[3] + delta[3] * u];
    let norm = (q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3])).sqrt();
    let inverse = simd.splat(1.0) / norm;
    [q[0] * inverse, q[1] * inverse, q[2] * inverse, q[3] * inverse]
}
