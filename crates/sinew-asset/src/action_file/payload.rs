//! Keys as they lie in a file.
//!
//! ```text
//! 0 plain    keys u32, times f64 each, values f32 each (numbers a value; times three for a cubic spline)
//! 1 frames   keys u32, frames a second f64; for each key the frames since the key before, seven bits a byte,
//!              low ones first, the eighth says that more follow; then the values as in 0
//! ```
//!
//! Keys on whole frames take a byte or two for their time instead of eight, and come back to the bit.

use sinew::{Interpolation, Track, TrackError};

use super::error::DecodeFault;
use crate::runtime_file::{u32_at, u64_at};

const PLAIN: u8 = 0;
const FRAMES: u8 = 1;
/// Rates that are tried, frames a second.
const RATES: [f64; 4] = [30.0, 60.0, 24.0, 25.0];

/// Numbers of a key.
fn per_key(width: usize, interpolation: Interpolation) -> usize {
    width * if interpolation == Interpolation::CubicSpline { 3 } else { 1 }
}

/// The encoding and the bytes of a track's keys; the number of keys fits.
pub(super) fn encode(track: &Track) -> (u8, Vec<u8>) {
    let mut out = Vec::new();
    out.extend((track.len() as u32).to_le_bytes());
    let frames = RATES.iter().find_map(|rate| Some((*rate, on_frames(track.times(), *rate)?)));
    let encoding = match frames {
        Some((rate, frames)) => {
            out.extend(rate.to_le_bytes());
            let mut before = 0;
            for frame in frames {
                put_varint(&mut out, frame - before);
                before = frame;
            }
            FRAMES
        }
        None => {
            track.times().iter().for_each(|time| out.extend(time.to_le_bytes()));
            PLAIN
        }
    };
    track.values().iter().for_each(|value| out.extend(value.to_le_bytes()));
    (encoding, out)
}

/// The frames of key times, where every one of them comes back to the bit.
fn on_frames(times: &[f64], rate: f64) -> Option<Vec<u32>> {
    let frame_of = |time: &f64| {
        let frame = (time * rate).round();
        let same = frame >= 0.0 && frame <= f64::from(u32::MAX) && (frame / rate).to_bits() == time.to_bits();
        same.then_some(frame as u32)
    };
    times.iter().map(frame_of).collect()
}

fn put_varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The keys of a payload, or what is wrong and how far into the payload.
pub(super) fn decode(
    encoding: u8,
    interpolation: Interpolation,
    width: usize,
    bytes: &[u8],
) -> Result<(Vec<f64>, Vec<f32>), (usize, DecodeFault)> {
    let mut keys = Keys { bytes, at: 0 };
    let count = u32_at(keys.take(4)?, 0) as usize;
    let values = per_key(width, interpolation);
    let each = values * 4 + if encoding == PLAIN { 8 } else { 1 };
    let times = match encoding {
        PLAIN => {
            keys.room(count as u64 * each as u64)?;
            (0..count).map(|_| Ok(f64::from_bits(u64_at(keys.take(8)?, 0)))).collect::<Result<Vec<_>, _>>()?
        }
        FRAMES => {
            let rate = f64::from_bits(u64_at(keys.take(8)?, 0));
            if !(rate.is_finite() && rate > 0.0) {
                return Err((4, DecodeFault::Rate { rate }));
            }
            keys.room(count as u64 * each as u64)?;
            let (mut times, mut frame) = (Vec::with_capacity(count), 0_u32);
            for key in 0..count {
                let at = keys.at;
                let step = keys.varint()?.and_then(|step| frame.checked_add(step));
                frame = step.ok_or((at, DecodeFault::Frame { key }))?;
                times.push(f64::from(frame) / rate);
            }
            times
        }
        found => return Err((0, DecodeFault::Encoding { found })),
    };
    keys.room(count as u64 * values as u64 * 4)?;
    let numbers = keys.take(count * values * 4)?;
    let values = (0..count * values).map(|i| f32::from_bits(u32_at(numbers, i * 4))).collect();
    match (bytes.len() - keys.at) as u64 {
        0 => Ok((times, values)),
        left => Err((keys.at, DecodeFault::Unread { bytes: left })),
    }
}

/// Where in a payload that decodes the key is that a fault of its track is about, or the component of its value;
/// its start where it is about no single key.
pub(super) fn place_of(
    fault: &TrackError,
    encoding: u8,
    interpolation: Interpolation,
    width: usize,
    bytes: &[u8],
) -> usize {
    let (key, component) = match *fault {
        TrackError::NonFiniteTime { key, .. }
        | TrackError::NegativeTime { key, .. }
        | TrackError::DuplicateTime { key, .. }
        | TrackError::DecreasingTime { key, .. } => (key, None),
        TrackError::NonFiniteValue { key, component, .. } => (key, Some(component)),
        // Of a cubic spline, the value is between the tangents.
        TrackError::ZeroRotation { key } => {
            (key, Some(if interpolation == Interpolation::CubicSpline { width } else { 0 }))
        }
        TrackError::Empty | TrackError::OutputCount { .. } | TrackError::NoWidth { .. } => return 0,
    };
    let values = per_key(width, interpolation) * 4;
    match component {
        // Values are the last of a payload.
        Some(component) => bytes.len() - (u32_at(bytes, 0) as usize - key) * values + component * 4,
        None if encoding == PLAIN => 4 + 8 * key,
        None => {
            let mut keys = Keys { bytes, at: 4 + 8 };
            // They were all read before.
            let mut steps = (0..key).map(|_| keys.varint());
            steps.all(|step| step.is_ok());
            keys.at
        }
    }
}

struct Keys<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Keys<'a> {
    fn room(&self, needed: u64) -> Result<(), (usize, DecodeFault)> {
        let left = (self.bytes.len() - self.at) as u64;
        if needed > left { Err((self.at, DecodeFault::Truncated { needed, left })) } else { Ok(()) }
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8], (usize, DecodeFault)> {
        self.room(bytes as u64)?;
        let taken = &self.bytes[self.at..self.at + bytes];
        self.at += bytes;
        Ok(taken)
    }

    /// `None` where it does not fit in 32 bits.
    fn varint(&mut self) -> Result<Option<u32>, (usize, DecodeFault)> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(u32::try_from(number).ok());
            }
        }
        Ok(None)
    }
}
