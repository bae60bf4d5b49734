//! One clip as it lies in a file: what it carries, and its keys entropy-coded or as they are in memory.
//!
//! ```text
//! form     u8: 0 the block verbatim, 1 coded
//! extras   u32 bytes (little-endian), then name, curves and events, range-coded
//! body     to the end. Verbatim: the block of `Clip::bytes`. Coded: head, groups, constants, tracks with keys of
//!          their own, frames, in the order of `walk`; the block is packed from them again, bit for bit
//! ```
//!
//! Whole numbers are guessed from their past (`track`) and what is off is written with chances mixed from several
//! contexts (`value`), so nothing is lost and a second of motion learns as fast as an hour.

mod chance;
mod extras;
mod flip;
mod mixer;
mod range;
mod track;
mod value;
mod walk;

#[cfg(test)]
mod tests;

use core::ops::Range;
use std::sync::Arc;

use super::block::{self, Head};
use super::pack::Whole;
use super::{Block, Clip, ClipDataError};
use crate::TrackError;
use extras::Extras;
use range::{Decoder, Encoder};
use walk::Allowance;

const VERBATIM: u8 = 0;
const CODED: u8 = 1;
/// Form and length of the extras.
const START: usize = 5;

/// Most whole numbers that a coded clip may have: 256 MiB while it is read. Larger ones are kept verbatim.
const MOST_VALUES: u64 = 1 << 26;
/// Whole numbers that any coded clip may have, and how many more a byte.
const VALUES: [u64; 2] = [1 << 20, 256];
/// Records that any may have, and how many more a byte.
const RECORDS: [u64; 2] = [1 << 12, 16];

/// Why bytes are no stored clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StoredClipError {
    /// Too few bytes for the beginning.
    #[error("stored clip: {what} needs bytes up to {needed}, there are {found}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes there.
        found: u64,
    },
    /// A form that no clip has.
    #[error("stored clip: form {found}, expected 0 (verbatim) or 1 (coded)")]
    Form {
        /// The form.
        found: u8,
    },
    /// The coded bytes end before the clip does, or what they say does not end where it should.
    #[error("stored clip: the coded bytes end before the clip does, or are damaged")]
    Ended,
    /// There are bytes after the clip.
    #[error("stored clip: {left} bytes after the end of the coded clip, expected none")]
    Trailing {
        /// How many.
        left: usize,
    },
    /// More is claimed than so few bytes can hold.
    #[error("stored clip: {claimed} {what} claimed, at most {allowed} are believed")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// As claimed.
        claimed: u64,
        /// For bytes of this number.
        allowed: u64,
    },
    /// A number that names no kind.
    #[error("stored clip: kind {found} does not exist")]
    Kind {
        /// The number.
        found: u8,
    },
    /// No frames, or segments of none.
    #[error("stored clip: 0 frames or segments of 0 intervals, expected at least 1")]
    Empty,
    /// A name that is no text.
    #[error("stored clip: a name is not UTF-8")]
    Text,
    /// A curve that is none.
    #[error("stored clip: a curve has {0}")]
    Curve(#[from] TrackError),
    /// The time of an event is not finite.
    #[error("stored clip: event {index} is at {time} s, expected a finite time")]
    EventTime {
        /// Position in the list.
        index: usize,
        /// As stored.
        time: f64,
    },
    /// The numbers do not fit a clip.
    #[error("stored clip: the keys do not fit a clip's block")]
    Unpackable,
    /// The block is none.
    #[error(transparent)]
    Data(#[from] ClipDataError),
}

impl Allowance {
    fn for_bytes(bytes: usize) -> Self {
        let allow = |[any, each]: [u64; 2]| (bytes as u64).saturating_mul(each).saturating_add(any);
        Self { values: allow(VALUES).min(MOST_VALUES), records: allow(RECORDS) }
    }

    const ANY: Self = Self { values: MOST_VALUES, records: u64::MAX };

    /// Zero bytes, which a reader takes as read, until so much is believed.
    fn pad(out: &mut Vec<u8>, start: usize, values: u64, records: u64) {
        let bytes = |claimed: u64, [any, each]: [u64; 2]| claimed.saturating_sub(any).div_ceil(each);
        let least = bytes(values, VALUES).max(bytes(records, RECORDS)) as usize;
        if out.len() < start + least {
            out.resize(start + least, 0);
        }
    }
}

impl Clip {
    /// The clip in few bytes, for a file: entropy-coded, the name, curves and events with it.
    ///
    /// [`Clip::from_stored`] gives the same clip back, [`Clip::bytes`] bit for bit. A clip whose keys would take
    /// more than 256 MiB as plain integers is kept as [`Clip::to_resident`] does.
    #[must_use]
    pub fn to_stored(&self) -> Vec<u8> {
        let mut out = self.start(CODED);
        let body = self.coded_body();
        match body {
            Some(body) => out.extend(body),
            None => return self.to_resident(),
        }
        out
    }

    /// The clip for a file in the form that it has in memory, which [`Clip::from_shared`] plays where it lies.
    #[must_use]
    pub fn to_resident(&self) -> Vec<u8> {
        let mut out = self.start(VERBATIM);
        out.extend_from_slice(self.bytes());
        out
    }

    /// A clip from [`Clip::to_stored`] or [`Clip::to_resident`].
    ///
    /// # Errors
    /// [`StoredClipError`] where the bytes are no clip. Memory is taken in proportion to the bytes that are
    /// there, whatever they claim.
    pub fn from_stored(bytes: &[u8]) -> Result<Self, StoredClipError> {
        let (form, extras, body) = read_start(bytes)?;
        match form {
            VERBATIM => Self::assemble_stored(Arc::<[u8]>::from(&bytes[body..]).into(), extras),
            _ => Self::assemble_stored(Arc::<[u8]>::from(decode(&bytes[body..])?).into(), extras),
        }
    }

    /// As [`Clip::from_stored`], for a part of a file that is in memory: a clip of the resident form is played from
    /// there and keeps the file alive, nothing is copied.
    ///
    /// # Errors
    /// As [`Clip::from_stored`]; [`StoredClipError::Truncated`] where the range does not lie in the file.
    pub fn from_shared(file: &Arc<[u8]>, range: Range<usize>) -> Result<Self, StoredClipError> {
        let Some(bytes) = file.get(range.clone()) else {
            let (needed, found) = (range.end as u64, file.len() as u64);
            return Err(StoredClipError::Truncated { what: "the clip", needed, found });
        };
        let (form, extras, body) = read_start(bytes)?;
        if form != VERBATIM {
            return Self::from_stored(bytes);
        }
        Self::assemble_stored(Block::part(file.clone(), range.start + body..range.end), extras)
    }

    fn assemble_stored(block: Block, extras: Extras) -> Result<Self, StoredClipError> {
        let Extras { name, curves, events } = extras;
        Ok(Self::assemble(block, name, curves, events)?)
    }

    fn start(&self, form: u8) -> Vec<u8> {
        let source =
            Extras { name: self.name.clone(), curves: self.curves.clone(), events: self.events.clone() };
        let mut encoder = Encoder::new(vec![form, 0, 0, 0, 0]);
        // A writer is refused nothing.
        let _ = extras::code(&mut encoder, Some(&source), &Allowance::ANY);
        let mut out = encoder.finish();
        Allowance::pad(&mut out, START, 0, source.records() + 1);
        let length = (out.len() - START) as u32;
        out[1..START].copy_from_slice(&length.to_le_bytes());
        out
    }

    /// Nothing where packing would not give the same block again: one that [`Whole::pack`] did not make, or a very
    /// large one.
    fn coded_body(&self) -> Option<Vec<u8>> {
        let (values, records) = claims(&self.block, &self.head)?;
        let whole = Whole::unpack(&self.block, &self.head);
        if whole.pack().ok()? != *self.block {
            return None;
        }
        let mut encoder = Encoder::new(Vec::new());
        walk::code(&mut encoder, Some(&whole), &Allowance::ANY).ok()?;
        let mut out = encoder.finish();
        Allowance::pad(&mut out, 0, values, records);
        Some(out)
    }
}

/// What a reader will hold against the bytes: whole numbers and records. Nothing where they are too many.
fn claims(block: &[u8], head: &Head) -> Option<(u64, u64)> {
    let row = Whole::row_of(block, head) as u64;
    let rows = u64::from(head.frames) + head.segments() as u64;
    let groups = u64::from(head.aligned) + u64::from(head.scattered);
    let values = rows.checked_mul(row.max(1))?.max(groups.checked_mul(head.segments() as u64)?);
    // Never fewer than there are: a record or key of a track takes 8 bytes or more.
    let records = (head.segments_at as u64 - block::HEADER as u64) / 8 + 1;
    (values <= MOST_VALUES).then_some((values, records))
}

/// Form, extras, and where the body starts.
fn read_start(bytes: &[u8]) -> Result<(u8, Extras, usize), StoredClipError> {
    let truncated = |what, needed| StoredClipError::Truncated { what, needed, found: bytes.len() as u64 };
    let Some((start, _)) = bytes.split_first_chunk::<START>() else {
        return Err(truncated("the beginning", START as u64));
    };
    let [form, length @ ..] = *start;
    if form > CODED {
        return Err(StoredClipError::Form { found: form });
    }
    let length = u32::from_le_bytes(length) as usize;
    let end = START.saturating_add(length);
    let part = bytes.get(START..end).ok_or_else(|| truncated("name, curves and events", end as u64))?;
    let mut decoder = Decoder::new(part);
    let extras = extras::code(&mut decoder, None, &Allowance::for_bytes(length))?;
    ended(&decoder)?;
    if let Some(index) = extras.events.iter().position(|e| !e.time.is_finite()) {
        return Err(StoredClipError::EventTime { index, time: extras.events[index].time });
    }
    Ok((form, extras, end))
}

fn decode(body: &[u8]) -> Result<Vec<u8>, StoredClipError> {
    let mut decoder = Decoder::new(body);
    let whole = walk::code(&mut decoder, None, &Allowance::for_bytes(body.len()))?;
    ended(&decoder)?;
    whole.pack().map_err(|_| StoredClipError::Unpackable)
}

/// Only padding may follow.
fn ended(decoder: &Decoder<'_>) -> Result<(), StoredClipError> {
    let rest = decoder.rest();
    match rest.iter().rposition(|byte| *byte != 0) {
        Some(last) => Err(StoredClipError::Trailing { left: last + 1 }),
        None => walk::alive(decoder),
    }
}
