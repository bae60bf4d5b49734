//! A signed path split into a distance that only rises and a remainder.
//!
//! Up to its marker a curve is the lowest value still to come (so that it arrives at 0 at the marker and not
//! before it), after it the highest value so far. Where that makes no progress a ramp of next to nothing makes it
//! strictly increasing: of such a stretch the first and the last moment both stay, and every distance belongs to one.

use super::distance_curve::MAX_SAMPLES;
use super::error::{LocomotionError, finite, in_range};
use super::pchip;

/// What a distance curve counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceKind {
    /// Metres travelled since the start: 0 and up.
    Start,
    /// Metres still to go to a stop, as negative numbers: up to 0.
    Stop,
    /// Metres still to go to a turn, negative, and from there on metres travelled since.
    Pivot,
    /// Metres travelled in one pass of a clip that goes round.
    Loop,
}

/// How far from 0 a curve may begin or end that is meant to do so there, metres: rounding leaves a marker's own
/// distance a hair from it.
const AT_MARKER: f64 = 1e-3;

impl DistanceKind {
    /// What a curve counts that has this first and last distance, metres: to a marker at its end, away from one at its
    /// beginning, or past one in between. A start and a loop begin alike; it is a start then.
    #[must_use]
    pub fn of(distances: [f64; 2]) -> Self {
        let [first, last] = distances;
        if first >= -AT_MARKER {
            Self::Start
        } else if last <= AT_MARKER {
            Self::Stop
        } else {
            Self::Pivot
        }
    }

    /// As people write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Pivot => "pivot",
            Self::Loop => "loop",
        }
    }
}

/// How a signed path is split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitSettings {
    /// Samples of the curve for each interval between keys, 1 to 64.
    pub samples_per_key: usize,
    /// What a stretch without progress rises by, metres a second; above 0, at most 0.1.
    pub ramp: f64,
}

impl Default for SplitSettings {
    /// Eight samples a key; a millimetre a second, far below what can be seen to slide.
    fn default() -> Self {
        Self { samples_per_key: 8, ramp: 0.001 }
    }
}

impl SplitSettings {
    /// Refuses settings outside their ranges.
    ///
    /// # Errors
    /// [`LocomotionError::OutOfRange`] names the setting.
    pub fn check(&self) -> Result<(), LocomotionError> {
        in_range("samples a key", self.samples_per_key as f64, 1.0, 64.0, "1 to 64")?;
        in_range("the ramp in metres a second", self.ramp, 1e-9, 0.1, "1e-9 to 0.1")?;
        Ok(())
    }
}

/// Evenly spaced samples of a split path.
#[derive(Clone, Debug)]
pub(super) struct Split {
    pub(super) start: f64,
    pub(super) step: f64,
    pub(super) distances: Vec<f64>,
    pub(super) remainders: Vec<f32>,
}

/// Checks that times and values are keys of something.
pub(super) fn check_keys(times: &[f64], values: &[f64]) -> Result<(), LocomotionError> {
    if times.len() != values.len() {
        return Err(LocomotionError::KeyCount { times: times.len(), values: values.len() });
    }
    if times.len() < 2 {
        return Err(LocomotionError::TooFewKeys { found: times.len() });
    }
    for time in times {
        in_range("a time in seconds", *time, 0.0, 1e6, "0 to 1e6")?;
    }
    for value in values {
        in_range("a distance in metres", *value, -1e6, 1e6, "-1e6 to 1e6")?;
    }
    match times.windows(2).position(|pair| pair[1] - pair[0] < 1e-6) {
        Some(at) => Err(LocomotionError::TimeOrder { key: at + 1, time: times[at + 1], previous: times[at] }),
        None => Ok(()),
    }
}

/// Step and number of steps of an even grid of so many steps an interval.
fn grid(times: &[f64], interval: f64, per_key: usize) -> Result<(f64, usize), LocomotionError> {
    let seconds = times[times.len() - 1] - times[0];
    let keys = (seconds / interval).round().max(1.0) * per_key as f64;
    if keys > MAX_SAMPLES as f64 {
        return Err(LocomotionError::TooManyKeys { keys, most: MAX_SAMPLES });
    }
    let count = keys as usize;
    Ok((seconds / count as f64, count))
}

/// Steps an interval of a grid for keys that are not even.
const PER_KEY: usize = 8;

/// The grid of keys that are there already: as they are where they are even, finer where not.
pub(super) fn grid_of_keys(times: &[f64]) -> Result<(f64, usize), LocomotionError> {
    let count = times.len() - 1;
    let step = (times[count] - times[0]) / count as f64;
    finite("a step in seconds", 1.0 / step)?;
    let is_even = |i: usize| (times[i] - times[0] - step * i as f64).abs() <= 1e-4 * step;
    if (0..=count).all(is_even) {
        return Ok((step, count));
    }
    // As fine as the keys are where they are closest: a coarser grid would cut their corners off.
    let closest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    grid(times, closest, PER_KEY)
}

/// Splits a signed path, its marker at value 0.
pub(super) fn split(
    kind: DistanceKind,
    times: &[f64],
    signed: &[f64],
    settings: &SplitSettings,
) -> Result<Split, LocomotionError> {
    settings.check()?;
    check_keys(times, signed)?;
    let mut intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    intervals.sort_by(f64::total_cmp);
    let (step, count) = grid(times, intervals[intervals.len() / 2], settings.samples_per_key)?;
    let path = pchip::resample(times, signed, count);
    let marker = marker(kind, times, signed, step, count);
    let at_marker = match kind {
        DistanceKind::Start | DistanceKind::Loop => path[marker].max(0.0),
        DistanceKind::Stop => path[marker].min(0.0),
        DistanceKind::Pivot => 0.0,
    };
    let is_loop = kind == DistanceKind::Loop;
    let lowest = path[..marker].iter().fold(at_marker, |low, d| low.min(*d));
    let highest = path[marker..].iter().fold(at_marker, |high, d| high.max(*d));
    let range = if is_loop { path[count] } else { highest } - lowest;
    if !(range >= super::distance_curve::LEAST_RANGE) {
        let cure = "the path must lead to the marker of a stop and away from that of a start";
        return Err(LocomotionError::NoTravel { range, least: super::distance_curve::LEAST_RANGE, cure });
    }
    let mut ramp = settings.ramp * step;
    if is_loop {
        // The ramp must not make a pass longer.
        ramp = ramp.min(0.5 * range / count as f64);
    }
    let mut distances = path.clone();
    distances[marker] = at_marker;
    // After the marker: the highest value so far, and a ramp more where there is no progress. Far from it the ramp
    // may be below the precision of a number.
    for i in marker + 1..=count {
        let last = distances[i - 1];
        distances[i] = path[i].max(last + ramp).max(last.next_up());
    }
    if is_loop {
        // A pass ends where the next begins: nothing is ahead of that.
        distances[count] = distances[count].min(path[count]);
    }
    // Before it, or before the end of a pass: the lowest value still to come, and a ramp less.
    let until = if is_loop { count } else { marker };
    for i in (0..until).rev() {
        let next = distances[i + 1];
        // (What the ramp has parted stays as it is: to take it back would not end at the same first bit.)
        if distances[i] > next - 0.5 * ramp {
            distances[i] = next - ramp;
        }
        distances[i] = distances[i].min(next.next_down());
    }
    let remainders = path.iter().zip(&distances).map(|(s, m)| (s - m) as f32).collect();
    Ok(Split { start: times[0], step, distances, remainders })
}

/// The sample at which the path is at its marker.
fn marker(kind: DistanceKind, times: &[f64], signed: &[f64], step: f64, count: usize) -> usize {
    match kind {
        DistanceKind::Start | DistanceKind::Loop => 0,
        DistanceKind::Stop => count,
        DistanceKind::Pivot => {
            let key =
                (0..signed.len()).min_by(|a, b| signed[*a].abs().total_cmp(&signed[*b].abs())).unwrap_or(0);
            (((times[key] - times[0]) / step).round() as usize).min(count)
        }
    }
}
