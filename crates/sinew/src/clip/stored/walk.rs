//! The order in which a clip's numbers are coded. One walk for both ways: a writer is given the clip, a reader
//! is not, and both build it again.

use super::super::block::Kind;
use super::super::pack::{Group, KeyedTrack, Note, Whole};
use super::StoredClipError;
use super::chance::{Chance, Count, Fields};
use super::range::Coder;
use super::track::Past;
use super::value::{Around, Residuals};

/// What stands at the end.
const END: u64 = 0x5eed;

/// What a clip may ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Whole numbers.
    pub(super) values: u64,
    /// Groups, constants, keyed tracks and their keys, each.
    pub(super) records: u64,
}

impl Allowance {
    fn values(&self, claimed: u64) -> Result<(), StoredClipError> {
        if claimed > self.values {
            return Err(StoredClipError::TooLarge { what: "keys", claimed, allowed: self.values });
        }
        Ok(())
    }

    pub(super) fn records(&self, what: &'static str, claimed: u64) -> Result<usize, StoredClipError> {
        if claimed > self.records {
            return Err(StoredClipError::TooLarge { what, claimed, allowed: self.records });
        }
        Ok(claimed as usize)
    }
}

/// Codes a whole clip.
pub(super) fn code<C: Coder>(
    coder: &mut C,
    source: Option<&Whole>,
    allowance: &Allowance,
) -> Result<Whole, StoredClipError> {
    let mut whole = Whole::default();
    let [aligned, scattered, rotations, translations, scales, keyed] =
        code_head(coder, source, allowance, &mut whole)?;
    code_groups(coder, source, [aligned, scattered], &mut whole)?;
    let mut record = Fields::new(18);
    for i in 0..rotations {
        let (slot, value) = source.or_default(|s| s.rotations[i]);
        whole.rotations.push(code_constant(coder, &mut record, slot, value));
        alive(coder)?;
    }
    let mut record = Fields::new(14);
    for i in 0..translations {
        let (slot, value) = source.or_default(|s| s.translations[i]);
        whole.translations.push(code_constant(coder, &mut record, slot, value));
        alive(coder)?;
    }
    let mut record = Fields::new(14);
    for i in 0..scales {
        let (slot, value) = source.or_default(|s| s.scales[i]);
        whole.scales.push(code_constant(coder, &mut record, slot, value));
        alive(coder)?;
    }
    code_keyed(coder, source, keyed, allowance, &mut whole)?;
    Frames::new(&whole).code(coder, source, &mut whole, allowance)?;
    // Bytes that were cut off or damaged end elsewhere, as good as always.
    if plain(coder, END, 16) != END {
        return Err(StoredClipError::Ended);
    }
    Ok(whole)
}

/// What a reader passes on in place of what it does not know yet.
trait Known<'a> {
    fn or_default<T: Default>(self, get: impl FnOnce(&'a Whole) -> T) -> T;
}

impl<'a> Known<'a> for Option<&'a Whole> {
    fn or_default<T: Default>(self, get: impl FnOnce(&'a Whole) -> T) -> T {
        self.map(get).unwrap_or_default()
    }
}

pub(super) fn alive(coder: &impl Coder) -> Result<(), StoredClipError> {
    if coder.exhausted() { Err(StoredClipError::Ended) } else { Ok(()) }
}

/// Numbers of the whole clip; returns how many records of each sort follow.
fn code_head<C: Coder>(
    coder: &mut C,
    source: Option<&Whole>,
    allowance: &Allowance,
    whole: &mut Whole,
) -> Result<[usize; 6], StoredClipError> {
    let mut count = Count::new();
    let head = source.map(Whole::head);
    let aligned = head.map_or(0, |h| h.aligned);
    let claims: [u64; 9] = source.map_or([0; 9], |s| {
        [
            s.joints.into(),
            s.frames.into(),
            s.segment.into(),
            aligned.into(),
            head.map_or(0, |h| h.scattered).into(),
            s.rotations.len() as u64,
            s.translations.len() as u64,
            s.scales.len() as u64,
            s.keyed.len() as u64,
        ]
    });
    let mut coded = [0; 9];
    for (out, claim) in coded.iter_mut().zip(claims) {
        *out = count.code(coder, claim);
    }
    let small = |what, value: u64| {
        u16::try_from(value).map_err(|_| StoredClipError::TooLarge {
            what,
            claimed: value,
            allowed: u16::MAX.into(),
        })
    };
    whole.joints = small("joints", coded[0])?;
    whole.frames = u32::try_from(coded[1]).map_err(|_| StoredClipError::TooLarge {
        what: "frames",
        claimed: coded[1],
        allowed: u32::MAX.into(),
    })?;
    whole.segment = small("intervals a segment", coded[2])?;
    if whole.frames == 0 || whole.segment == 0 {
        return Err(StoredClipError::Empty);
    }
    for claimed in &coded[3..] {
        small("records", *claimed)?;
        allowance.records("records", *claimed)?;
    }
    let mut flag = Chance::EVEN;
    whole.scaled = flag.code(coder, source.is_some_and(|s| s.scaled));
    whole.layout = plain(coder, source.map_or(0, |s| s.layout.into()), 32) as u32;
    // Most rates are whole, and most clips end with their last frame.
    let rate = source.map_or(0.0, |s| s.rate);
    let known = (0.0..=65535.0).contains(&rate) && f64::from(rate as u16).to_bits() == rate.to_bits();
    let (mut is_whole, mut is_span) = (Chance::EVEN, Chance::EVEN);
    let is_whole = is_whole.code(coder, known);
    whole.rate = if is_whole {
        count.code(coder, rate as u64) as f64
    } else {
        f64::from_bits(plain(coder, rate.to_bits(), 64))
    };
    let span = f64::from(whole.frames - 1) / whole.rate;
    let duration = source.map_or(0.0, |s| s.duration);
    let is_span = is_span.code(coder, duration.to_bits() == span.to_bits());
    whole.duration = if is_span { span } else { f64::from_bits(plain(coder, duration.to_bits(), 64)) };
    alive(coder)?;
    Ok([3, 4, 5, 6, 7, 8].map(|i| coded[i] as usize))
}

/// Bits that nothing is known about, highest first.
pub(super) fn plain(coder: &mut impl Coder, value: u64, bits: u32) -> u64 {
    let mut out = 0;
    for k in (0..bits).rev() {
        out = out << 1 | u64::from(coder.bit(1 << 15, value >> k & 1 == 1));
    }
    out
}

fn code_groups<C: Coder>(
    coder: &mut C,
    source: Option<&Whole>,
    counts: [usize; 2],
    whole: &mut Whole,
) -> Result<(), StoredClipError> {
    let (mut head, mut pose_group, mut slot_count) = (Fields::new(2), Count::new(), Count::new());
    let (mut steps, mut swaps) = (Fields::new(2), Fields::new(2));
    let mut last_slot = 0_u16;
    let mut last_group = 0_u16;
    for i in 0..counts[0] + counts[1] {
        let known = source.map(|s| &s.groups[i]);
        let aligned = i < counts[0];
        let [kind, mask] = head.code(coder, known.map_or([0; 2], |g| [g.kind as u8, g.mask]));
        let kind = Kind::from_byte(kind).ok_or(StoredClipError::Kind { found: kind })?;
        let mut group =
            Group { kind, mask, aligned: None, slots: Vec::new(), swaps: [0; 2], steps: [1.0; 8] };
        if aligned {
            let at = known.and_then(|g| g.aligned).unwrap_or(0);
            let moved = pose_group.code(coder, at.wrapping_sub(last_group).into()) as u16;
            last_group = last_group.wrapping_add(moved);
            group.aligned = Some(last_group);
        } else {
            group.swaps = swaps.code(coder, known.map_or([0; 2], |g| g.swaps));
            for lane in 0..mask.count_ones() as usize {
                let at = known.map_or(0, |g| g.slots[lane]);
                let moved = i64::from(at.wrapping_sub(last_slot) as i16);
                let moved = slot_count.code_signed(coder, moved) as i16;
                last_slot = last_slot.wrapping_add(moved as u16);
                group.slots.push(last_slot);
            }
        }
        let lanes = if aligned { 8 } else { mask.count_ones() as usize };
        for lane in 0..lanes {
            let bits = known.map_or(0, |g| g.steps[lane].to_bits() >> 16) as u16;
            let bits = u16::from_be_bytes(steps.code(coder, bits.to_be_bytes()));
            group.steps[lane] = f32::from_bits(u32::from(bits) << 16);
        }
        alive(coder)?;
        whole.groups.push(group);
    }
    Ok(())
}

fn code_constant<C: Coder, const N: usize>(
    coder: &mut C,
    record: &mut Fields,
    slot: u16,
    value: [f32; N],
) -> (u16, [f32; N]) {
    // The highest byte, sign and exponent, tells most about the next.
    let slot = u16::from_be_bytes(record.code_at(coder, 0, slot.to_be_bytes()));
    let mut out = value;
    for (i, v) in out.iter_mut().enumerate() {
        let bits = record.code_at(coder, 2 + 4 * i, v.to_bits().to_be_bytes());
        *v = f32::from_bits(u32::from_be_bytes(bits));
    }
    (slot, out)
}

fn code_keyed<C: Coder>(
    coder: &mut C,
    source: Option<&Whole>,
    tracks: usize,
    allowance: &Allowance,
    whole: &mut Whole,
) -> Result<(), StoredClipError> {
    let (mut head, mut count) = (Fields::new(4), Count::new());
    let (mut times, mut numbers) = (Fields::new(4), Fields::new(16));
    let mut all_keys = 0;
    for i in 0..tracks {
        let known = source.map(|s| &s.keyed[i]);
        let record = known.map_or([0; 4], |k| {
            let [high, low] = k.slot.to_be_bytes();
            [high, low, k.kind as u8, u8::from(k.hold)]
        });
        let [high, low, kind, hold] = head.code(coder, record);
        let kind = Kind::from_byte(kind).ok_or(StoredClipError::Kind { found: kind })?;
        let claimed = count.code(coder, known.map_or(0, |k| k.times.len() as u64));
        all_keys = claimed.saturating_add(all_keys);
        let keys = allowance.records("keys of single tracks", all_keys).map(|_| claimed as usize)?;
        let mut track = KeyedTrack {
            slot: u16::from_be_bytes([high, low]),
            kind,
            hold: hold != 0,
            times: Vec::new(),
            values: Vec::new(),
        };
        let number = |coder: &mut C, record: &mut Fields, at, value: f32| {
            f32::from_bits(u32::from_be_bytes(record.code_at(coder, at, value.to_bits().to_be_bytes())))
        };
        for key in 0..keys {
            let value = known.map_or(0.0, |k| k.times[key]);
            track.times.push(number(coder, &mut times, 0, value));
            alive(coder)?;
        }
        let width = kind.components();
        for at in 0..keys * width {
            let value = known.map_or(0.0, |k| k.values[at]);
            track.values.push(number(coder, &mut numbers, 4 * (at % width), value));
            alive(coder)?;
        }
        whole.keyed.push(track);
    }
    Ok(())
}

/// Where a frame stands in its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// The first of the clip.
    First,
    /// The first of a segment, which is the last of the one before.
    Shared,
    Inner,
}

/// The whole numbers of the frames.
struct Frames {
    row: usize,
    residuals: Residuals,
    pasts: Vec<Past>,
    /// Lanes that do not change, whose value is written once a segment.
    idle: Count,
    idle_same: Chance,
    far: [Chance; 2],
    drops_same: Chance,
    drops: [Chance; 2],
    shared: [Chance; 2],
}

impl Frames {
    fn new(whole: &Whole) -> Self {
        let row = whole.row();
        Self {
            row,
            residuals: Residuals::new(),
            pasts: vec![Past::NEW; row],
            idle: Count::new(),
            idle_same: Chance::assumed(60_000, 1),
            far: [Chance::EVEN; 2],
            drops_same: Chance::assumed(60_000, 1),
            drops: [Chance::EVEN; 2],
            shared: [Chance::assumed(60_000, 2); 2],
        }
    }

    fn code<C: Coder>(
        &mut self,
        coder: &mut C,
        source: Option<&Whole>,
        whole: &mut Whole,
        allowance: &Allowance,
    ) -> Result<(), StoredClipError> {
        let head = whole.head();
        let segments = head.segments();
        let rows = u64::from(whole.frames) + segments as u64 - 1;
        allowance.values(rows.saturating_mul(self.row.max(1) as u64))?;
        allowance.values((segments as u64).saturating_mul(whole.groups.len() as u64))?;
        let groups = core::mem::take(&mut whole.groups);
        let mut values = vec![0_i32; rows as usize * self.row];
        let mut last_notes = vec![Note::default(); groups.len()];
        let mut first_row = 0;
        for segment in 0..segments {
            let notes_at = segment * groups.len();
            for (i, last) in last_notes.iter_mut().enumerate() {
                let note = source.or_default(|s| s.notes[notes_at + i]);
                let note = self.code_note(coder, note, *last);
                if segment > 0 {
                    super::flip::convert(&groups[i], *last, note, &mut self.pasts, column(&groups, i));
                }
                *last = note;
                whole.notes.push(note);
            }
            for within in 0..head.frames_in(segment) {
                let at = (first_row + within) * self.row;
                let (done, out) = values.split_at_mut(at);
                let known = source.map(|s| &s.values[at..at + self.row]);
                let frame = match (within, segment) {
                    (0, 0) => Frame::First,
                    (0, _) => Frame::Shared,
                    _ => Frame::Inner,
                };
                self.code_row(coder, &groups, known, done, &mut out[..self.row], frame);
                alive(coder)?;
            }
            first_row += head.frames_in(segment);
        }
        whole.groups = groups;
        whole.values = values;
        Ok(())
    }

    fn code_note(&mut self, coder: &mut impl Coder, note: Note, last: Note) -> Note {
        let far = self.far[usize::from(last.far)].code(coder, note.far);
        let mut out = Note { far, drops: last.drops };
        if !self.drops_same.code(coder, note.drops == last.drops) {
            for axis in 0..3 {
                let mut bits = 0;
                for lane in 0..8 {
                    let was = usize::from(last.drops[axis] >> lane & 1);
                    let bit = self.drops[was].code(coder, note.drops[axis] >> lane & 1 == 1);
                    bits |= u8::from(bit) << lane;
                }
                out.drops[axis] = bits;
            }
        }
        out
    }

    fn code_row<C: Coder>(
        &mut self,
        coder: &mut C,
        groups: &[Group],
        known: Option<&[i32]>,
        done: &[i32],
        out: &mut [i32],
        place: Frame,
    ) {
        let (first, repeats) = (place != Frame::Inner, place == Frame::Shared);
        let before = done.len().checked_sub(self.row).map(|at| &done[at..]);
        let mut column = 0;
        let mut frame = 0_u32;
        let mut track = 0;
        for group in groups {
            let components = group.kind.components();
            let cells = 8 * components;
            let row = &mut out[column..column + cells];
            let known = known.map(|k| &k[column..column + cells]);
            let pasts = &mut self.pasts[column..column + cells];
            let before = before.map(|b| &b[column..column + cells]);
            // Where nothing was turned over, the frame is the one before.
            let whole_same = repeats && {
                let same = |k: &[i32]| {
                    (0..cells).all(|c| group.mask >> (c % 8) & 1 == 0 || k[c] == pasts[c].values[0])
                };
                self.shared[usize::from(matches!(group.kind, Kind::Rotation3))]
                    .code(coder, known.is_some_and(same))
            };
            for lane in 0..8 {
                if group.mask >> lane & 1 == 0 {
                    for component in 0..components {
                        let c = component * 8 + lane;
                        let last = before.map_or(0, |b| b[c]);
                        row[c] = last;
                        if first {
                            let value = known.map_or(0, |k| k[c]);
                            if !self.idle_same.code(coder, value == last) {
                                let moved = i64::from(value) - i64::from(last);
                                let moved = self.idle.code_signed(coder, moved);
                                row[c] = i64::from(last).wrapping_add(moved) as i32;
                            }
                        }
                    }
                    continue;
                }
                let at = |component: usize| component * 8 + lane;
                if whole_same {
                    (0..components).for_each(|component| row[at(component)] = pasts[at(component)].values[0]);
                    continue;
                }
                let class = usize::from(matches!(group.kind, Kind::Translation | Kind::Scale));
                let mut around = Around { class, ..Around::default() };
                around.joint = (0..components).map(|c| pasts[at(c)].residuals[0].unsigned_abs()).sum();
                for component in 0..components {
                    let c = at(component);
                    around.component = component;
                    around.track = track;
                    around.frame = frame;
                    let value = known.map_or(0, |k| k[c]);
                    let (value, size) = if repeats {
                        self.residuals.repeat(coder, &mut pasts[c], value)
                    } else {
                        self.residuals.code(coder, &mut pasts[c], &around, value)
                    };
                    row[c] = value;
                    around.joint = around.joint.saturating_sub(pasts[c].residuals[1].unsigned_abs()) + size;
                    around.known += size;
                    frame = (frame * 7 + size.min(1 << 16) * 16) / 8;
                    track += 1;
                }
            }
            column += cells;
        }
    }
}

/// First number of a group in a row.
fn column(groups: &[Group], index: usize) -> usize {
    groups[..index].iter().map(|g| g.kind.components() * 8).sum()
}
