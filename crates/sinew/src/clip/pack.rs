//! From whole numbers to the bytes of a clip and back.

use super::block::{
    FLAG_DROPS, FLAG_FAR, HEADER, Head, Kind, MAX_SHIFT, RECORD, Record, SEGMENT, TAIL, f32_at, u16_at,
    u32_at,
};
use crate::wide::{MAX_WIDTH, WINDOW};

/// A clip whose keys are whole numbers: `value = integer * step`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Whole {
    pub(crate) joints: u16,
    /// Of the rig.
    pub(crate) layout: u32,
    pub(crate) scaled: bool,
    pub(crate) frames: u32,
    pub(crate) rate: f64,
    pub(crate) duration: f64,
    /// Intervals a segment.
    pub(crate) segment: u16,
    /// Aligned ones first, by pose group; then scattered ones.
    pub(crate) groups: Vec<Group>,
    /// Slot and quaternion.
    pub(crate) rotations: Vec<(u16, [f32; 4])>,
    pub(crate) translations: Vec<(u16, [f32; 3])>,
    pub(crate) scales: Vec<(u16, [f32; 3])>,
    pub(crate) keyed: Vec<KeyedTrack>,
    /// `[segment][group]`.
    pub(crate) notes: Vec<Note>,
    /// `[row][group][component][lane]`: rows are the frames of each segment in turn, shared frames twice. Lanes
    /// that are not stored repeat their constant.
    pub(crate) values: Vec<i32>,
}

/// Up to eight tracks that share widths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) kind: Kind,
    /// Lanes that change.
    pub(crate) mask: u8,
    /// Which pose group, where aligned.
    pub(crate) aligned: Option<u16>,
    /// Where lanes go, where scattered; one for each lane of the mask.
    pub(crate) slots: Vec<u16>,
    /// Lanes whose first component has traded places with the second, with the third; only where scattered.
    pub(crate) swaps: [u8; 2],
    /// A lane each; representable as bfloat16.
    pub(crate) steps: [f32; 8],
}

/// What a group does in a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Note {
    /// Interpolation has far to go, see the flag of the format.
    pub(crate) far: bool,
    /// Lanes that leave out X, Y, Z; the others leave out W.
    pub(crate) drops: [u8; 3],
}

/// A track with keys of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyedTrack {
    pub(crate) slot: u16,
    /// [`Kind::Rotation4`], translation or scale.
    pub(crate) kind: Kind,
    /// Each key holds until the next.
    pub(crate) hold: bool,
    /// Seconds, never decreasing; of equal times the last counts.
    pub(crate) times: Vec<f32>,
    /// `[key][component]`.
    pub(crate) values: Vec<f32>,
}

impl Group {
    /// Lanes that steps and bases are written for.
    fn lanes(&self) -> usize {
        if self.aligned.is_some() { 8 } else { self.slots.len() }
    }

    fn components(&self) -> usize {
        self.kind.components()
    }
}

/// Why the numbers do not fit the format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PackError {
    /// The range of a track over a segment takes more than 24 bits.
    Width { group: usize, bits: u32 },
    /// The values of a track lie too far from 0 in units of its step.
    Base { group: usize },
    /// Offsets pass 4 GiB, or counts 65,535.
    TooLarge,
}

impl Whole {
    pub(crate) fn head(&self) -> Head {
        let aligned = self.groups.iter().filter(|g| g.aligned.is_some()).count();
        Head {
            plain: false,
            joints: self.joints,
            layout: self.layout,
            scaled: self.scaled,
            frames: self.frames,
            rate: self.rate,
            duration: self.duration,
            segment: self.segment,
            aligned: aligned as u16,
            scattered: (self.groups.len() - aligned) as u16,
            constants: [
                self.rotations.len() as u16,
                self.translations.len() as u16,
                self.scales.len() as u16,
            ],
            keyed: self.keyed.len() as u16,
            constants_at: 0,
            keyed_at: 0,
            segments_at: 0,
        }
    }

    /// Numbers of a row.
    pub(crate) fn row(&self) -> usize {
        self.groups.iter().map(|g| g.components() * 8).sum()
    }

    /// The bytes.
    pub(crate) fn pack(&self) -> Result<Vec<u8>, PackError> {
        let counts = [self.groups.len(), self.rotations.len(), self.translations.len(), self.scales.len()];
        if counts.into_iter().chain([self.keyed.len()]).any(|n| n > usize::from(u16::MAX)) {
            return Err(PackError::TooLarge);
        }
        let mut head = self.head();
        let (row, segments) = (self.row(), head.segments());
        let mut out = vec![0; HEADER];
        // For each group and component: of the lowest value in any segment and the highest, the shift.
        let mut shifts = vec![[0_u8; 4]; self.groups.len()];
        let mut column = 0;
        for (index, group) in self.groups.iter().enumerate() {
            for shift in &mut shifts[index][..group.components()] {
                *shift = (0..self.values.len() / row.max(1))
                    .flat_map(|r| &self.values[r * row + column..][..8])
                    .map(|v| shift_for(v.unsigned_abs()))
                    .max()
                    .unwrap_or(0);
                if *shift > MAX_SHIFT {
                    return Err(PackError::Base { group: index });
                }
                column += 8;
            }
        }
        for (group, shift) in self.groups.iter().zip(&shifts) {
            out.extend([group.kind as u8, group.mask]);
            out.extend(shift);
            out.extend(group.aligned.map_or(group.swaps, u16::to_le_bytes));
            for step in &group.steps[..group.lanes()] {
                out.extend(((step.to_bits() >> 16) as u16).to_le_bytes());
            }
            group.slots.iter().for_each(|s| out.extend(s.to_le_bytes()));
        }
        head.constants_at = out.len();
        let mut constant = |slot: u16, values: &[f32]| {
            out.extend(slot.to_le_bytes());
            values.iter().for_each(|v| out.extend(v.to_le_bytes()));
        };
        self.rotations.iter().for_each(|(slot, v)| constant(*slot, v));
        self.translations.iter().chain(&self.scales).for_each(|(slot, v)| constant(*slot, v));
        head.keyed_at = out.len();
        for track in &self.keyed {
            out.extend(track.slot.to_le_bytes());
            out.extend([track.kind as u8, u8::from(track.hold)]);
            out.extend((track.times.len() as u32).to_le_bytes());
            track.times.iter().chain(&track.values).for_each(|v| out.extend(v.to_le_bytes()));
        }
        head.segments_at = out.len();
        out.resize(out.len() + segments * SEGMENT, 0);
        let mut first_row = 0;
        for segment in 0..segments {
            let rows = head.frames_in(segment);
            let values = &self.values[first_row * row..(first_row + rows) * row];
            let notes = &self.notes[segment * self.groups.len()..][..self.groups.len()];
            let data = out.len();
            let stride = self.pack_segment(values, row, notes, &shifts, &mut out)?;
            let (Ok(data), Ok(stride)) = (u32::try_from(data), u32::try_from(stride)) else {
                return Err(PackError::TooLarge);
            };
            let entry = head.segments_at + segment * SEGMENT;
            out[entry..entry + 4].copy_from_slice(&data.to_le_bytes());
            out[entry + 4..entry + 8].copy_from_slice(&stride.to_le_bytes());
            first_row += rows;
        }
        out.resize(out.len() + TAIL, 0);
        out[..HEADER].copy_from_slice(&head.write());
        Ok(out)
    }

    fn pack_segment(
        &self,
        values: &[i32],
        row: usize,
        notes: &[Note],
        shifts: &[[u8; 4]],
        out: &mut Vec<u8>,
    ) -> Result<usize, PackError> {
        let mut header = Vec::new();
        // Width and base of each run in order of the frame.
        let mut runs: Vec<(u32, [i32; 8], u8)> = Vec::new();
        let mut column = 0;
        for (index, (group, note)) in self.groups.iter().zip(notes).enumerate() {
            let first_run = runs.len();
            for shift in &shifts[index][..group.components()] {
                let (bases, width) = bases(values, row, column, group.mask, *shift);
                if width > MAX_WIDTH {
                    return Err(PackError::Width { group: index, bits: width });
                }
                header.push(width as u8);
                runs.push((width, bases, group.mask));
                column += 8;
            }
            let drops = note.drops != [0; 3];
            header.push(if note.far { FLAG_FAR } else { 0 } | if drops { FLAG_DROPS } else { 0 });
            if drops {
                header.extend(note.drops);
            }
            for (run, shift) in runs[first_run..].iter().zip(shifts[index]) {
                for base in &run.1[..group.lanes()] {
                    header.extend(((base >> shift) as i16).to_le_bytes());
                }
            }
        }
        let start = out.len();
        for frame in values.chunks_exact(row.max(1)) {
            let mut runs = runs.iter().zip(frame.chunks_exact(8));
            for group in &self.groups {
                let (start, mut bit) = (out.len(), 0);
                for ((width, bases, mask), lanes) in runs.by_ref().take(group.components()) {
                    bit = pack_run(*width, *mask, lanes, bases, start, bit, out);
                }
            }
        }
        let frames = values.len().checked_div(row).unwrap_or(1).max(1);
        let stride = (out.len() - start) / frames;
        out.extend(header);
        Ok(stride)
    }

    /// Numbers of a row of a block that was checked.
    pub(crate) fn row_of(block: &[u8], head: &Head) -> usize {
        let (mut at, mut row) = (HEADER, 0);
        for index in 0..usize::from(head.aligned) + usize::from(head.scattered) {
            let aligned = index < usize::from(head.aligned);
            let record = Record::read(super::block::array_at(block, at), at, aligned);
            row += record.kind.components() * 8;
            at = record.end(aligned);
        }
        row
    }

    /// The numbers of a block that was checked.
    pub(crate) fn unpack(block: &[u8], head: &Head) -> Self {
        let mut whole = Self {
            joints: head.joints,
            layout: head.layout,
            scaled: head.scaled,
            frames: head.frames,
            rate: head.rate,
            duration: head.duration,
            segment: head.segment,
            ..Self::default()
        };
        let mut records = Vec::new();
        let mut at = HEADER;
        for index in 0..usize::from(head.aligned) + usize::from(head.scattered) {
            let aligned = index < usize::from(head.aligned);
            let record = Record::read(super::block::array_at(block, at), at, aligned);
            let mut steps = [1.0; 8];
            for (lane, step) in steps[..record.lanes].iter_mut().enumerate() {
                *step = f32::from_bits(u32::from(u16_at(block, record.steps_at + 2 * lane)) << 16);
            }
            let slots = if aligned { 0 } else { record.lanes };
            whole.groups.push(Group {
                kind: record.kind,
                mask: record.mask,
                aligned: aligned.then_some(record.pose_group),
                swaps: if aligned { [0; 2] } else { record.swaps() },
                slots: (0..slots).map(|lane| u16_at(block, record.slots_at() + 2 * lane)).collect(),
                steps,
            });
            at = record.end(aligned);
            records.push(record);
        }
        let mut at = head.constants_at;
        for _ in 0..head.constants[0] {
            let value = core::array::from_fn(|c| f32_at(block, at + 2 + 4 * c));
            whole.rotations.push((u16_at(block, at), value));
            at += 18;
        }
        for (count, list) in
            [(head.constants[1], &mut whole.translations), (head.constants[2], &mut whole.scales)]
        {
            for _ in 0..count {
                let value = core::array::from_fn(|c| f32_at(block, at + 2 + 4 * c));
                list.push((u16_at(block, at), value));
                at += 14;
            }
        }
        let mut at = head.keyed_at;
        for _ in 0..head.keyed {
            let keys = u32_at(block, at + 4) as usize;
            let kind = Kind::from_byte(block[at + 2]).unwrap_or(Kind::Scale);
            let floats = |at: usize, n: usize| (0..n).map(|i| f32_at(block, at + 4 * i)).collect();
            let values = keys * kind.components();
            whole.keyed.push(KeyedTrack {
                slot: u16_at(block, at),
                kind,
                hold: block[at + 3] != 0,
                times: floats(at + 8, keys),
                values: floats(at + 8 + 4 * keys, values),
            });
            at += 8 + 4 * (keys + values);
        }
        for segment in 0..head.segments() {
            let entry = head.segments_at + segment * SEGMENT;
            let (data, stride) = (u32_at(block, entry) as usize, u32_at(block, entry + 4) as usize);
            let rows = head.frames_in(segment);
            let mut walk = data + rows * stride;
            let mut runs = Vec::new();
            for record in &records {
                let components = record.kind.components();
                let widths = &block[walk..walk + components];
                let flags = block[walk + components];
                walk += components + 1;
                let mut note = Note { far: flags & FLAG_FAR != 0, drops: [0; 3] };
                if flags & FLAG_DROPS != 0 {
                    note.drops.copy_from_slice(&block[walk..walk + 3]);
                    walk += 3;
                }
                whole.notes.push(note);
                for (component, width) in widths.iter().enumerate() {
                    let mut bases = [0; 8];
                    for base in &mut bases[..record.lanes] {
                        *base = i32::from(u16_at(block, walk) as i16) << record.shift[component];
                        walk += 2;
                    }
                    runs.push((u32::from(*width), bases, record.mask));
                }
            }
            for frame in 0..rows {
                let mut at = data + frame * stride;
                let mut runs = runs.iter();
                for record in &records {
                    let mut bit = 0;
                    for (width, bases, mask) in runs.by_ref().take(record.kind.components()) {
                        let window: &[u8; WINDOW] = super::block::array_at(block, at + bit as usize / 8);
                        whole.values.extend(unpack_run(*width, *mask, bit % 8, window, bases));
                        bit += *width * mask.count_ones();
                    }
                    at += bit.div_ceil(8) as usize;
                }
            }
        }
        whole
    }
}

/// By how much a base is shifted for 16 bits to say a number of this size.
pub(crate) fn shift_for(size: u32) -> u8 {
    // One more, for the shift rounds down.
    (0..).find(|shift| (u64::from(size) + 1) >> shift <= 32767).unwrap_or(u8::MAX)
}

/// Lowest values of eight lanes over some rows, rounded down to what a shifted 16-bit number can say, and the
/// bits that the largest distance from there takes.
pub(crate) fn bases(values: &[i32], row: usize, column: usize, mask: u8, shift: u8) -> ([i32; 8], u32) {
    let (mut low, mut high) = ([i32::MAX; 8], [i32::MIN; 8]);
    for at in (column..values.len()).step_by(row) {
        for lane in 0..8 {
            low[lane] = low[lane].min(values[at + lane]);
            high[lane] = high[lane].max(values[at + lane]);
        }
    }
    let mut bits = 0;
    for lane in 0..8 {
        // Without rows there is nothing to say.
        low[lane] = if low[lane] == i32::MAX { 0 } else { low[lane] >> shift << shift };
        if mask >> lane & 1 == 1 {
            let range = high[lane].saturating_sub(low[lane]) as u32;
            bits = bits.max(u32::BITS - range.leading_zeros());
        }
    }
    (low, bits)
}

/// Appends a run at a bit counted from byte `start`; the bit after it.
fn pack_run(
    width: u32,
    mask: u8,
    values: &[i32],
    bases: &[i32; 8],
    start: usize,
    mut bit: u32,
    out: &mut Vec<u8>,
) -> u32 {
    out.resize(start + (bit + width * mask.count_ones()).div_ceil(8) as usize, 0);
    for lane in (0..8).filter(|lane| mask >> lane & 1 == 1) {
        let value = (values[lane] - bases[lane]) as u32;
        for k in 0..width {
            out[start + (bit + k) as usize / 8] |= ((value >> k & 1) as u8) << ((bit + k) % 8);
        }
        bit += width;
    }
    bit
}

fn unpack_run(width: u32, mask: u8, start: u32, window: &[u8; WINDOW], bases: &[i32; 8]) -> [i32; 8] {
    use crate::wide::{Ints, Simd, scalar::Scalar};
    let mut out = [0; 8];
    Scalar.unpack(window, &(width, mask, start)).store(&mut out);
    core::array::from_fn(|lane| out[lane] + bases[lane])
}

/// The nearest bfloat16 not above a number.
pub(crate) fn step_below(step: f32) -> f32 {
    f32::from_bits(step.to_bits() & 0xffff_0000)
}

const _: () = assert!(RECORD == 8);
