//! What a clip carries besides motion: its name, curves and events.

use std::sync::Arc;

use super::StoredClipError;
use super::chance::{Byte, Chance, Count, Fields};
use super::range::Coder;
use super::walk::{Allowance, alive};
use crate::{Curve, Event, Interpolation};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Extras {
    pub(super) name: Option<String>,
    pub(super) curves: Vec<Curve>,
    pub(super) events: Vec<Event>,
}

impl Extras {
    /// Letters, keys and records: what is held against the allowance.
    pub(super) fn records(&self) -> u64 {
        let keys = self.curves.iter().map(|c| c.name.len() + c.track().len() + 1).sum::<usize>();
        let events = self.events.iter().map(|e| e.name.len() + 1).sum::<usize>();
        (self.name.as_ref().map_or(0, String::len) + keys + events) as u64
    }
}

/// Codes all of it; a writer gives what there is, a reader nothing.
pub(super) fn code<C: Coder>(
    coder: &mut C,
    source: Option<&Extras>,
    allowance: &Allowance,
) -> Result<Extras, StoredClipError> {
    let mut out = Extras::default();
    let mut text = Text {
        length: Count::new(),
        letters: (0..4).map(|_| Byte::new()).collect(),
        left: allowance.records,
    };
    let name = source.and_then(|s| s.name.as_deref());
    let mut named = Chance::EVEN;
    if named.code(coder, name.is_some()) {
        out.name = Some(text.code(coder, name.unwrap_or_default())?);
    }
    let (mut count, mut times, mut values) = (Count::new(), Fields::new(8), Fields::new(12));
    let curves = count.code(coder, source.map_or(0, |s| s.curves.len() as u64));
    for i in 0..allowance.records("curves", curves)? {
        let known = source.map(|s| &s.curves[i]);
        let name = text.code(coder, known.map_or("", |c| &c.name))?;
        let kind = count.code(coder, known.map_or(0, |c| code_of(c.track().interpolation())));
        let interpolation = match kind {
            0 => Interpolation::Linear,
            1 => Interpolation::Step,
            2 => Interpolation::CubicSpline,
            found => return Err(StoredClipError::Kind { found: found.min(255) as u8 }),
        };
        let keys = count.code(coder, known.map_or(0, |c| c.track().len() as u64));
        text.left = text.left.saturating_sub(keys);
        if text.left == 0 {
            return Err(StoredClipError::TooLarge {
                what: "keys of curves",
                claimed: keys,
                allowed: allowance.records,
            });
        }
        let mut key_times: Vec<f64> = Vec::new();
        for key in 0..keys as usize {
            // Most keys stand at even distances: what is written is the difference of the bits.
            let guess = match key_times[..] {
                [.., a, b] => 2.0 * b - a,
                _ => 0.0,
            };
            let time = known.map_or(0.0, |c| c.track().times()[key]);
            let bits = time.to_bits() ^ guess.to_bits();
            let bits = u64::from_be_bytes(times.code(coder, bits.to_be_bytes()));
            key_times.push(f64::from_bits(bits ^ guess.to_bits()));
            alive(coder)?;
        }
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let mut key_values: Vec<f32> = Vec::new();
        for at in 0..keys as usize * parts {
            let value = known.map_or(0.0, |c| c.track().values()[at]);
            let bits = values.code_at(coder, 4 * (at % parts), value.to_bits().to_be_bytes());
            key_values.push(f32::from_bits(u32::from_be_bytes(bits)));
            alive(coder)?;
        }
        out.curves.push(Curve::new(name, Arc::from(key_times), Arc::from(key_values), interpolation)?);
    }
    let events = count.code(coder, source.map_or(0, |s| s.events.len() as u64));
    let mut times = Fields::new(8);
    for i in 0..allowance.records("events", events)? {
        let known = source.map(|s| &s.events[i]);
        let name = text.code(coder, known.map_or("", |e| &e.name))?;
        let bits = times.code(coder, known.map_or(0.0, |e| e.time).to_bits().to_be_bytes());
        out.events.push(Event { name, time: f64::from_bits(u64::from_be_bytes(bits)) });
        alive(coder)?;
    }
    Ok(out)
}

fn code_of(interpolation: Interpolation) -> u64 {
    match interpolation {
        Interpolation::Linear => 0,
        Interpolation::Step => 1,
        Interpolation::CubicSpline => 2,
    }
}

/// Names, letter by letter.
struct Text {
    length: Count,
    /// After which sort of letter.
    letters: Vec<Byte>,
    /// Letters that may still come.
    left: u64,
}

impl Text {
    fn code(&mut self, coder: &mut impl Coder, text: &str) -> Result<String, StoredClipError> {
        let length = self.length.code(coder, text.len() as u64);
        let Some(left) = self.left.checked_sub(length.saturating_add(1)) else {
            return Err(StoredClipError::TooLarge { what: "letters", claimed: length, allowed: self.left });
        };
        self.left = left;
        let mut out = Vec::new();
        for i in 0..length as usize {
            let sort = match out.last() {
                Some(b'a'..=b'z') => 0,
                Some(b'A'..=b'Z') => 1,
                Some(b'0'..=b'9') => 2,
                _ => 3,
            };
            let letter: u8 = text.as_bytes().get(i).copied().unwrap_or(0);
            out.push(self.letters[sort].code(coder, letter));
            alive(coder)?;
        }
        String::from_utf8(out).map_err(|_| StoredClipError::Text)
    }
}
