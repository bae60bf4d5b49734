//! The bytes of a packed clip: what lies where. All little-endian, no pointers, no alignment needed.
//!
//! ```text
//! header      HEADER bytes, see `Head`
//! groups      a record for each: aligned rotation groups by pose group, then scattered groups by first slot
//!               kind u8, mask u8, base shift u8 x4; aligned: pose group u16; scattered: lanes whose first
//!               component has traded places with the second u8, with the third u8
//!               step bf16 a lane (aligned: all eight), slot u16 a lane (scattered only)
//! constants   rotations (slot u16, f32 x4), translations (slot u16, f32 x3), scales (slot u16, f32 x3)
//! keyed       a record for each track with keys of its own: slot u16, kind u8, hold u8, keys u32,
//!               time f32 a key, value f32 x4 or x3 a key
//! segments    a record for each: data u32 (offset), stride u32 (bytes a frame)
//! data        for each segment: its frames, then its header
//!   frame       for each group a run of packed integers a component, bit by bit; padded to a byte
//!   header      for each group: width u8 a component, flags u8, dropped-component masks u8 x3 where flagged,
//!               base i16 a component and lane (aligned: all eight)
//! padding     TAIL bytes of zero, so that whole windows can be read
//! ```
//!
//! A value is `(base << shift) + integer`, times the step of its track. An interval's two frames always lie in
//! one segment: the last frame of a segment is also the first of the next.

use super::Clip;
use crate::wide::{MAX_WIDTH, NARROW, WINDOW};

/// Size of the header.
pub(crate) const HEADER: usize = 56;
/// Size of a group's record without its lanes.
pub(crate) const RECORD: usize = 8;
/// Size of a segment's entry in the table.
pub(crate) const SEGMENT: usize = 8;
/// Readable bytes after the last one that means something.
pub(crate) const TAIL: usize = WINDOW;
/// Flag of a group in a segment: some interval turns so far, or some key leaves so little for the component that is
/// not stored, that the short way round (`NearShare`) does not do.
pub(crate) const FLAG_FAR: u8 = 1;
/// Flag of a group in a segment: some lane leaves out another component than W.
pub(crate) const FLAG_DROPS: u8 = 2;
/// Largest base shift.
pub(crate) const MAX_SHIFT: u8 = 12;

/// What a group of tracks moves, and how it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Three components of a unit quaternion; the fourth is rebuilt.
    Rotation3 = 0,
    /// All four components, where no single one can be left out.
    Rotation4 = 1,
    /// Metres.
    Translation = 2,
    /// Factors.
    Scale = 3,
}

impl Kind {
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Rotation3, Self::Rotation4, Self::Translation, Self::Scale].into_iter().nth(byte.into())
    }

    /// Components stored a frame.
    #[inline(always)]
    pub(crate) const fn components(self) -> usize {
        if matches!(self, Self::Rotation4) { 4 } else { 3 }
    }
}

/// The header, parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Head {
    /// Slots of the rig.
    pub(crate) joints: u16,
    /// Of the rig ([`Rig::layout`](crate::Rig::layout)).
    pub(crate) layout: u32,
    /// Whether any scale is not at rest.
    pub(crate) scaled: bool,
    /// At least one.
    pub(crate) frames: u32,
    /// Frames a second.
    pub(crate) rate: f64,
    /// Seconds.
    pub(crate) duration: f64,
    /// Intervals a segment; the last may have fewer.
    pub(crate) segment: u16,
    /// Groups whose lanes are those of a pose group.
    pub(crate) aligned: u16,
    /// Groups whose lanes go to slots of their own.
    pub(crate) scattered: u16,
    /// Constant rotations, translations, scales.
    pub(crate) constants: [u16; 3],
    /// Tracks with keys of their own.
    pub(crate) keyed: u16,
    /// Whether every group is of the usual sort: leading lanes, no base shifted, no run of more than [`NARROW`] bits, no
    /// quaternion stored whole. Not in the file: [`check`] finds out.
    pub(crate) plain: bool,
    /// Offset of the constants.
    pub(crate) constants_at: usize,
    /// Offset of the keyed tracks.
    pub(crate) keyed_at: usize,
    /// Offset of the table of segments.
    pub(crate) segments_at: usize,
}

impl Head {
    /// Number of segments.
    pub(crate) fn segments(&self) -> usize {
        (self.frames as usize - 1).div_ceil(usize::from(self.segment)).max(1)
    }

    /// Frames of a segment, the shared last one included.
    pub(crate) fn frames_in(&self, segment: usize) -> usize {
        let length = usize::from(self.segment);
        (self.frames as usize - segment * length).min(length + 1)
    }

    pub(crate) fn write(&self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            out[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(&self.joints.to_le_bytes());
        put(&[u8::from(self.scaled), 0]);
        put(&self.frames.to_le_bytes());
        put(&self.rate.to_le_bytes());
        put(&self.duration.to_le_bytes());
        put(&self.segment.to_le_bytes());
        put(&self.aligned.to_le_bytes());
        put(&self.scattered.to_le_bytes());
        self.constants.iter().for_each(|n| put(&n.to_le_bytes()));
        put(&self.keyed.to_le_bytes());
        put(&[0; 2]);
        for offset in [self.constants_at, self.keyed_at, self.segments_at] {
            put(&(offset as u32).to_le_bytes());
        }
        put(&self.layout.to_le_bytes());
        out
    }

    fn read(block: &[u8; HEADER]) -> Self {
        let n = |at: usize| u16_at(block, at);
        Self {
            joints: n(0),
            scaled: block[2] != 0,
            frames: u32_at(block, 4),
            rate: f64_at(block, 8),
            duration: f64_at(block, 16),
            segment: n(24),
            aligned: n(26),
            scattered: n(28),
            constants: [n(30), n(32), n(34)],
            keyed: n(36),
            plain: false,
            constants_at: u32_at(block, 40) as usize,
            keyed_at: u32_at(block, 44) as usize,
            segments_at: u32_at(block, 48) as usize,
            layout: u32_at(block, 52),
        }
    }
}

/// The record of a group, parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    /// Lanes that are stored.
    pub(crate) mask: u8,
    /// Of the base, a component.
    pub(crate) shift: [u8; 4],
    /// Which pose group, where aligned.
    pub(crate) pose_group: u16,
    /// Offset of the steps.
    pub(crate) steps_at: usize,
    /// Lanes that steps and bases are written for.
    pub(crate) lanes: usize,
}

impl Record {
    /// The record of these bytes, at an offset; `aligned` says of which sort it is.
    #[inline(always)]
    pub(crate) fn read(b: &[u8; RECORD], at: usize, aligned: bool) -> Self {
        let kind = match b[0] {
            0 => Kind::Rotation3,
            1 => Kind::Rotation4,
            2 => Kind::Translation,
            _ => Kind::Scale,
        };
        let lanes = if aligned { 8 } else { b[1].count_ones() as usize };
        Self {
            kind,
            mask: b[1],
            shift: [b[2], b[3], b[4], b[5]],
            pose_group: u16::from_le_bytes([b[6], b[7]]),
            steps_at: at + RECORD,
            lanes,
        }
    }

    /// Lanes of a scattered group whose first component has traded places with the second, with the third.
    #[inline(always)]
    pub(crate) fn swaps(&self) -> [u8; 2] {
        self.pose_group.to_le_bytes()
    }

    /// Offset of the slots of a scattered group.
    #[inline(always)]
    pub(crate) fn slots_at(&self) -> usize {
        self.steps_at + 2 * self.lanes
    }

    /// Offset of the next record.
    #[inline(always)]
    pub(crate) fn end(&self, aligned: bool) -> usize {
        self.slots_at() + if aligned { 0 } else { 2 * self.lanes }
    }
}

/// The bytes of a clip, which [`check`] has walked: kernels read them without asking again. Only a [`Clip`] gives
/// them out, and its bytes never change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked<'a>(&'a [u8]);

impl<'a> Checked<'a> {
    #[inline(always)]
    pub(super) fn of(clip: &'a Clip) -> Self {
        Self(&clip.block)
    }

    /// From an offset on.
    #[inline(always)]
    pub(super) fn after(self, at: usize) -> Self {
        Self(&self.0[at..])
    }

    #[inline(always)]
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.0
    }
}

/// What is wrong with the bytes of a clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipDataError {
    /// The bytes end before the clip does.
    #[error("clip data: {what} needs bytes up to {needed}, there are {found}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes there.
        found: u64,
    },
    /// A number that no clip has.
    #[error("clip data at byte {offset}: {what} is {found}, expected {expected}")]
    Value {
        /// Where.
        offset: usize,
        /// Which number.
        what: &'static str,
        /// Its value.
        found: f64,
        /// What is allowed.
        expected: &'static str,
    },
}

/// Checks every offset and count of a block, so that decoding needs no further checks, and returns its header.
pub(crate) fn check(block: &[u8]) -> Result<Head, ClipDataError> {
    let need = |what, needed: u64| {
        if needed > block.len() as u64 {
            return Err(ClipDataError::Truncated { what, needed, found: block.len() as u64 });
        }
        Ok(needed as usize)
    };
    need("the header", (HEADER + TAIL) as u64)?;
    let mut head = Head::read(array_at(block, 0));
    let bad = |offset, what, found: f64, expected| ClipDataError::Value { offset, what, found, expected };
    if head.frames == 0 {
        return Err(bad(4, "frame count", 0.0, "at least 1"));
    }
    if !(head.rate.is_finite() && head.rate > 0.0) {
        return Err(bad(8, "frame rate", head.rate, "a finite rate above 0"));
    }
    let span = f64::from(head.frames - 1) / head.rate;
    if !(head.duration >= 0.0 && head.duration <= span * (1.0 + 1e-9)) {
        return Err(bad(16, "duration", head.duration, "0 to the time of the last frame"));
    }
    if !(head.duration as f32).is_finite() {
        return Err(bad(16, "duration", head.duration, "a time that single precision can name"));
    }
    if block[2] > 1 || block[3] != 0 || block[38..40] != [0; 2] {
        return Err(bad(2, "flags", block[2].into(), "0 or 1, and zeros where nothing is"));
    }
    if head.segment == 0 {
        return Err(bad(24, "segment length", 0.0, "at least 1"));
    }
    let joints = usize::from(head.joints);
    let mut at = HEADER;
    let mut groups = Vec::new();
    let mut last = None;
    for index in 0..usize::from(head.aligned) + usize::from(head.scattered) {
        let aligned = index < usize::from(head.aligned);
        need("a group", at as u64 + RECORD as u64)?;
        if Kind::from_byte(block[at]).is_none() {
            return Err(bad(at, "group kind", block[at].into(), "0 to 3"));
        }
        let record = Record::read(array_at(block, at), at, aligned);
        let end = need("a group", record.end(aligned) as u64)?;
        if record.shift.iter().any(|s| *s > MAX_SHIFT) {
            return Err(bad(at + 2, "base shift", f64::from(record.shift[0]), "at most 12"));
        }
        if aligned {
            let group = record.pose_group;
            if record.kind != Kind::Rotation3 || last.is_some_and(|last| group <= last) {
                return Err(bad(at + 6, "pose group", group.into(), "rotations of increasing pose groups"));
            }
            let lanes = joints.saturating_sub(usize::from(group) * 8).min(8);
            if u32::from(record.mask) >> lanes != 0 || record.mask == 0 {
                return Err(bad(at + 1, "lane mask", record.mask.into(), "lanes of joints that are there"));
            }
            last = Some(group);
        } else {
            if record.mask == 0 || record.mask & record.mask.wrapping_add(1) != 0 {
                return Err(bad(at + 1, "lane mask", record.mask.into(), "leading lanes"));
            }
            let [second, third] = record.swaps();
            if second & third != 0 || (second | third) & !record.mask != 0 {
                return Err(bad(
                    at + 6,
                    "swaps",
                    record.pose_group.into(),
                    "one a lane, of lanes that are there",
                ));
            }
            for lane in 0..record.lanes {
                let slot = u16_at(block, record.slots_at() + 2 * lane);
                if usize::from(slot) >= joints {
                    return Err(bad(record.slots_at(), "slot", slot.into(), "a joint of the rig"));
                }
            }
        }
        for lane in 0..record.lanes {
            let bits = u16_at(block, record.steps_at + 2 * lane);
            let step = f32::from_bits(u32::from(bits) << 16);
            if !(step.is_finite() && step > 0.0) {
                return Err(bad(record.steps_at + 2 * lane, "step", step.into(), "a finite step above 0"));
            }
        }
        groups.push(record);
        at = end;
    }
    if head.constants_at != at {
        return Err(bad(40, "offset of the constants", head.constants_at as f64, "the end of the groups"));
    }
    for (count, width) in head.constants.into_iter().zip([18, 14, 14]) {
        for _ in 0..count {
            let end = need("a constant", (at + width) as u64)?;
            check_slot_and_floats(block, at, joints, at + 2, end)?;
            at = end;
        }
    }
    if head.keyed_at != at {
        return Err(bad(44, "offset of the keyed tracks", head.keyed_at as f64, "the end of the constants"));
    }
    for _ in 0..head.keyed {
        need("a keyed track", at as u64 + 8)?;
        let (kind, hold, keys) = (block[at + 2], block[at + 3], u32_at(block, at + 4));
        if !(1..=3).contains(&kind) || hold > 1 {
            return Err(bad(at + 2, "keyed kind", kind.into(), "1 to 3, held or not"));
        }
        let width: u64 = if kind == 1 { 4 } else { 3 };
        if keys == 0 {
            return Err(bad(at + 4, "key count", 0.0, "at least 1"));
        }
        let end = need("the keys of a track", at as u64 + 8 + u64::from(keys) * 4 * (1 + width))?;
        check_slot_and_floats(block, at, joints, at + 8, end)?;
        let time = |key: u32| f32_at(block, at + 8 + 4 * key as usize);
        if let Some(key) = (1..keys).find(|&k| time(k) < time(k - 1)) {
            return Err(bad(at + 8 + 4 * key as usize, "key time", time(key).into(), "not before the last"));
        }
        at = end;
    }
    let scales = head.constants[2] > 0
        || groups.iter().any(|g| g.kind == Kind::Scale)
        || (0..head.keyed)
            .try_fold(head.keyed_at, |at, _| {
                let bytes = 8 + 4 * u32_at(block, at + 4) as usize * if block[at + 2] == 1 { 5 } else { 4 };
                (block[at + 2] != Kind::Scale as u8).then_some(at + bytes)
            })
            .is_none();
    if scales && !head.scaled {
        return Err(bad(2, "flags", 0.0, "1 where a scale is not at rest"));
    }
    if head.segments_at != at {
        return Err(bad(
            48,
            "offset of the segments",
            head.segments_at as f64,
            "the end of the keyed tracks",
        ));
    }
    // Checked before anything is sized by it.
    let table = need("the segments", at as u64 + head.segments() as u64 * SEGMENT as u64)?;
    let mut next = table;
    head.plain = groups
        .iter()
        .all(|g| g.kind != Kind::Rotation4 && g.shift == [0; 4] && g.mask & g.mask.wrapping_add(1) == 0);
    for segment in 0..head.segments() {
        let entry = at + segment * SEGMENT;
        let (data, stride) = (u32_at(block, entry) as usize, u32_at(block, entry + 4) as usize);
        if data != next {
            return Err(bad(entry, "offset of a segment", data as f64, "the end of the one before"));
        }
        let frames = head.frames_in(segment) as u64;
        let mut walk = need("the frames of a segment", data as u64 + frames * stride as u64)?;
        let mut frame = 0;
        for (index, record) in groups.iter().enumerate() {
            let lanes = if index < usize::from(head.aligned) { 8 } else { record.lanes };
            let components = record.kind.components();
            need("the header of a segment", (walk + components + 4 + 2 * lanes * components) as u64)?;
            let mut bits = 0;
            for component in 0..components {
                let width = u32::from(block[walk + component]);
                if width > MAX_WIDTH {
                    return Err(bad(walk + component, "width", width.into(), "at most 24 bits"));
                }
                head.plain &= width <= NARROW;
                bits += (width * record.mask.count_ones()) as usize;
            }
            frame += bits.div_ceil(8);
            let flags = block[walk + components];
            if flags > 3 {
                return Err(bad(walk + components, "flags", flags.into(), "0 to 3"));
            }
            let drops = if flags & FLAG_DROPS == 0 { 0 } else { 3 };
            walk += components + 1 + drops + 2 * lanes * components;
        }
        if stride != frame {
            return Err(bad(entry + 4, "bytes a frame", stride as f64, "the sum of its runs"));
        }
        next = walk;
    }
    match need("the padding", (next + TAIL) as u64)? {
        end if end != block.len() => Err(bad(end, "length", block.len() as f64, "nothing after the padding")),
        _ => Ok(head),
    }
}

fn check_slot_and_floats(
    block: &[u8],
    at: usize,
    joints: usize,
    floats: usize,
    end: usize,
) -> Result<(), ClipDataError> {
    let slot = u16_at(block, at);
    if usize::from(slot) >= joints {
        let (what, expected) = ("slot", "a joint of the rig");
        return Err(ClipDataError::Value { offset: at, what, found: slot.into(), expected });
    }
    for offset in (floats..end).step_by(4) {
        let found = f32_at(block, offset);
        if !found.is_finite() {
            let (what, expected) = ("value", "a finite number");
            return Err(ClipDataError::Value { offset, what, found: found.into(), expected });
        }
    }
    Ok(())
}

/// Bytes at an offset that [`check`] has seen.
#[inline(always)]
pub(crate) fn array_at<const N: usize>(block: &[u8], at: usize) -> &[u8; N] {
    match block[at..].first_chunk() {
        Some(bytes) => bytes,
        None => panic!("clip data of {} bytes read at {at}", block.len()),
    }
}

#[inline(always)]
pub(crate) fn u16_at(block: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(*array_at(block, at))
}

#[inline(always)]
pub(crate) fn u32_at(block: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*array_at(block, at))
}

#[inline(always)]
pub(crate) fn f32_at(block: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(*array_at(block, at))
}

#[inline(always)]
fn f64_at(block: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(*array_at(block, at))
}
