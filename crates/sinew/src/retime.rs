//! Cutting a clip and giving it new keys.

use std::sync::Arc;

use crate::{Channel, ChannelTarget, Curve, Event, Interpolation, RawClip, Track, TrackError};

/// Why a clip could not be cut or given new keys.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RetimeError {
    /// The span to keep is not within the clip.
    #[error(
        "cannot keep {start} s to {end} s of a clip of {duration} s: expected 0 <= start < end <= {duration}"
    )]
    Span {
        /// First moment to keep, seconds.
        start: f64,
        /// Last moment to keep, seconds.
        end: f64,
        /// Length of the clip, seconds.
        duration: f64,
    },
    /// The rate is no number of keys a second.
    #[error("rate {rate} a second, expected a finite number above 0")]
    Rate {
        /// The rate asked for.
        rate: f64,
    },
    /// The rate asks for more keys than can be.
    #[error("{rate} keys a second over {duration} s are {keys} keys, at most {most} are made")]
    TooMany {
        /// The rate asked for.
        rate: f64,
        /// Length of the clip, seconds.
        duration: f64,
        /// Keys that would be.
        keys: f64,
        /// Keys that are allowed.
        most: usize,
    },
    /// New keys broke a rule of [`Track`].
    #[error("new keys: {0}")]
    Track(#[from] TrackError),
}

/// Most keys that [`resample`] gives a track.
const MOST_KEYS: usize = 10_000_000;

/// The part of a clip from `start` to `end`, moved to begin at 0.
///
/// Exact: keys are put at the cuts, and a spline that is cut keeps its shape, because a cubic over part of
/// a segment is again a cubic. Events outside the span are left out.
///
/// # Errors
/// [`RetimeError::Span`] where the span is empty or not within the clip.
pub fn trim(clip: &RawClip, start: f64, end: f64) -> Result<RawClip, RetimeError> {
    let duration = clip.duration();
    // Accept an end that differs from the clip's by rounding to float32.
    let end = if (end - duration).abs() <= 1e-6 * duration.max(1.0) { duration } else { end };
    if !(0.0 <= start && start < end && end <= duration) {
        return Err(RetimeError::Span { start, end, duration });
    }
    let channels = clip.channels.iter().map(|c| {
        let track = trim_track(&c.track, start, end, c.target == ChannelTarget::Rotation)?;
        Ok(Channel { joint: c.joint, target: c.target, track, source: c.source })
    });
    let curves = clip.curves.iter().map(|c| {
        let track = trim_track(c.track(), start, end, false)?;
        Curve::new(c.name.clone(), track.times().clone(), track.values().clone(), track.interpolation())
    });
    let events = clip.events.iter().filter(|e| (start..=end).contains(&e.time));
    Ok(RawClip {
        name: clip.name.clone(),
        source: clip.source,
        channels: channels.collect::<Result<_, TrackError>>()?,
        curves: curves.collect::<Result<_, TrackError>>()?,
        events: events.map(|e| Event { name: e.name.clone(), time: e.time - start }).collect(),
    })
}

/// A clip with `rate` keys a second, and one at its very end where the length is not a whole number of
/// steps. STEP tracks keep their keys, since no rate can place their jumps. Values between keys are
/// straight lines from then on: measure what that costs with [`DifferenceJob`](crate::DifferenceJob).
///
/// # Errors
/// [`RetimeError`] where the rate is no rate.
pub fn resample(clip: &RawClip, rate: f64) -> Result<RawClip, RetimeError> {
    let duration = clip.duration();
    let times: Arc<[f64]> = uniform_times(duration, rate)?.into();
    let channels = clip.channels.iter().map(|c| {
        let kept = c.track.interpolation() == Interpolation::Step;
        let track = if kept { c.track.clone() } else { resample_track(&c.track, &times, c.target)? };
        Ok(Channel { joint: c.joint, target: c.target, track, source: c.source })
    });
    let curves = clip.curves.iter().map(|c| {
        if c.track().interpolation() == Interpolation::Step {
            return Ok(c.clone());
        }
        let values: Vec<f32> = times.iter().map(|&t| c.sample(t) as f32).collect();
        Curve::new(c.name.clone(), times.clone(), values, Interpolation::Linear)
    });
    Ok(RawClip {
        name: clip.name.clone(),
        source: clip.source,
        channels: channels.collect::<Result<_, TrackError>>()?,
        curves: curves.collect::<Result<_, TrackError>>()?,
        events: clip.events.clone(),
    })
}

/// Moments 0, 1/rate, 2/rate, ... and `duration` itself; seconds.
///
/// # Errors
/// [`RetimeError`] where the rate is no rate or asks for more than ten million moments.
pub fn uniform_times(duration: f64, rate: f64) -> Result<Vec<f64>, RetimeError> {
    if !rate.is_finite() || rate <= 0.0 {
        return Err(RetimeError::Rate { rate });
    }
    let steps = duration * rate;
    if steps >= MOST_KEYS as f64 {
        return Err(RetimeError::TooMany { rate, duration, keys: steps, most: MOST_KEYS });
    }
    // A length that is a whole number of steps but for rounding gets no second key at its end.
    let whole = (steps - 1e-4).floor().max(-1.0) as i64;
    let mut times: Vec<f64> = (0..=whole).map(|k| k as f64 / rate).collect();
    times.push(duration.max(0.0));
    Ok(times)
}

fn resample_track(track: &Track, times: &Arc<[f64]>, target: ChannelTarget) -> Result<Track, TrackError> {
    let width = track.width();
    let mut values: Vec<f32> = Vec::with_capacity(times.len() * width);
    for &t in times.iter() {
        match target {
            ChannelTarget::Rotation => {
                let q = track.sample_rotation(t).to_array().map(|v| v as f32);
                let last = values.len().checked_sub(4).map(|at| &values[at..]);
                let flip = last.is_some_and(|l| l.iter().zip(q).map(|(a, b)| a * b).sum::<f32>() < 0.0);
                values.extend(q.map(|v| if flip { -v } else { v }));
            }
            _ => values.extend((0..width).map(|c| track.sample_component(t, c) as f32)),
        }
    }
    let values = values.into();
    match target {
        ChannelTarget::Rotation => Track::rotation(times.clone(), values, Interpolation::Linear),
        _ => Track::new(times.clone(), values, width, Interpolation::Linear),
    }
}

fn trim_track(track: &Track, start: f64, end: f64, rotation: bool) -> Result<Track, TrackError> {
    let inner: Vec<usize> = (0..track.len()).filter(|&k| (start..=end).contains(&track.times()[k])).collect();
    let mut times = Vec::with_capacity(inner.len() + 2);
    let mut cuts = Vec::with_capacity(inner.len() + 2);
    // A cut between keys needs a key of its own; where the track holds still no more than one is needed.
    let first_inner = inner.first().map(|&k| track.times()[k]);
    if first_inner != Some(start) && (first_inner.is_none() || track.start() < start) {
        cuts.push(start);
    }
    cuts.extend(inner.iter().map(|&k| track.times()[k]));
    if cuts.last() != Some(&end) && track.end() > end {
        cuts.push(end);
    }
    let mut values = Vec::new();
    for (i, &t) in cuts.iter().enumerate() {
        times.push(t - start);
        let key = KeyAt::new(track, t, rotation);
        if track.interpolation() == Interpolation::CubicSpline {
            // Nothing interpolates towards the first key or away from the last one.
            let (first, last) = (i == 0, i + 1 == cuts.len());
            values.extend(
                (0..track.width()).map(|c| if first { 0.0 } else { key.slope(c, Side::Before) as f32 }),
            );
            values.extend((0..track.width()).map(|c| key.value(c) as f32));
            values.extend(
                (0..track.width()).map(|c| if last { 0.0 } else { key.slope(c, Side::After) as f32 }),
            );
        } else {
            values.extend((0..track.width()).map(|c| key.value(c) as f32));
        }
    }
    if rotation {
        Track::rotation(times.into(), values.into(), track.interpolation())
    } else {
        Track::new(times.into(), values.into(), track.width(), track.interpolation())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Before,
    After,
}

/// Value and slopes of a track at one moment, in the numbers that keys are made of.
struct KeyAt<'a> {
    track: &'a Track,
    time: f64,
    slerped: Option<[f64; 4]>,
}

impl<'a> KeyAt<'a> {
    fn new(track: &'a Track, time: f64, rotation: bool) -> Self {
        let b = track.bracket(time);
        let between = b.key != b.next && b.u > 0.0;
        let arc = rotation && between && track.interpolation() == Interpolation::Linear;
        Self { track, time, slerped: arc.then(|| track.sample_rotation(time).to_array()) }
    }

    fn value(&self, component: usize) -> f64 {
        match self.slerped {
            Some(q) => q[component],
            None => self.track.sample_component(self.time, component),
        }
    }

    /// Derivative of the spline segment that ends or begins here, units a second.
    fn slope(&self, component: usize, side: Side) -> f64 {
        self.track.spline_slope(self.time, component, side == Side::Before)
    }
}
