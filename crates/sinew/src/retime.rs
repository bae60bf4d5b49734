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
    /// All tracks together would have more keys than can be.
    #[error(
        "{rate} keys a second over {duration} s are {keys} keys in {tracks} tracks, at most {most} are made"
    )]
    TooManyInAll {
        /// The rate asked for.
        rate: f64,
        /// Length of the clip, seconds.
        duration: f64,
        /// Tracks that would get new keys.
        tracks: usize,
        /// Keys that would be, over all of them.
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

/// Most keys that [`resample`] gives all tracks of a clip together.
const MOST_KEYS_IN_ALL: usize = 40_000_000;

/// How near to a key a cut is that key, as a share of the time (of one second where it is earlier): files
/// hold times in single precision, and people type six or seven digits of them.
const SNAP: f64 = 1e-6;

/// The part of a clip from `start` to `end`, moved to begin at 0.
///
/// Exact: keys are put at the cuts, and a spline that is cut keeps its shape, because a cubic over part of
/// a segment is again a cubic. Events outside the span are left out.
///
/// A cut within a millionth of a key (of its time, or of a second where that is more) is at that key. No two
/// keys of the result are at one time in single precision: where two would be, the later one stays.
///
/// # Errors
/// [`RetimeError::Span`] where the span is empty or not within the clip.
pub fn trim(clip: &RawClip, start: f64, end: f64) -> Result<RawClip, RetimeError> {
    let duration = clip.duration();
    let (start, end) = (snap(clip, start), snap(clip, end));
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

/// The key of the clip, its begin or its end that a cut means; the cut itself where it means none.
fn snap(clip: &RawClip, cut: f64) -> f64 {
    let near = SNAP * cut.abs().max(1.0);
    let mut found = cut;
    let mut least = f64::INFINITY;
    let mut meet = |time: f64| {
        let apart = (time - cut).abs();
        if apart <= near && apart < least {
            (found, least) = (time, apart);
        }
    };
    meet(0.0);
    for track in clip.tracks() {
        let times = track.times();
        let after = times.partition_point(|&t| t < cut);
        times[after.saturating_sub(1)..times.len().min(after + 1)].iter().for_each(|&t| meet(t));
    }
    found
}

/// A clip with `rate` keys a second, and one at its very end where the length is not a whole number of
/// steps. STEP tracks keep their keys, since no rate can place their jumps; tracks that hold one value keep one
/// key, or two where nothing else lasts as long as the clip did. Values between keys are straight lines from then on: measure what that costs with [`DifferenceJob`](crate::DifferenceJob).
///
/// # Errors
/// [`RetimeError`] where the rate is no rate.
pub fn resample(clip: &RawClip, rate: f64) -> Result<RawClip, RetimeError> {
    let duration = clip.duration();
    let steps = steps(duration, rate)?;
    let tracks = clip.tracks().filter(|t| moves(t)).count();
    let keys = (steps + 1.0).ceil() * tracks as f64;
    if keys > MOST_KEYS_IN_ALL as f64 {
        return Err(RetimeError::TooManyInAll { rate, duration, tracks, keys, most: MOST_KEYS_IN_ALL });
    }
    let times: Arc<[f64]> = uniform_times(duration, rate)?.into();
    // Something has to last as long as the clip did.
    let mut end_held = clip.tracks().any(|t| moves(t) || (!t.is_constant() && t.end() == duration));
    let mut held = |track: &Track| {
        let last = !end_held && track.end() == duration;
        end_held |= last;
        held_track(track, last)
    };
    let mut channels = Vec::with_capacity(clip.channels.len());
    for c in &clip.channels {
        let track = match &c.track {
            t if t.is_constant() => held(t),
            t if moves(t) => resample_track(t, &times, c.target)?,
            t => t.clone(),
        };
        channels.push(Channel { joint: c.joint, target: c.target, track, source: c.source });
    }
    let mut curves = Vec::with_capacity(clip.curves.len());
    for c in &clip.curves {
        let track = match c.track() {
            t if t.is_constant() => held(t),
            t if moves(t) => {
                let values: Vec<f32> = times.iter().map(|&t| c.sample(t) as f32).collect();
                Track::new(times.clone(), values.into(), 1, Interpolation::Linear)?
            }
            t => t.clone(),
        };
        let (times, values) = (track.times().clone(), track.values().clone());
        curves.push(Curve::new(c.name.clone(), times, values, track.interpolation())?);
    }
    Ok(RawClip {
        name: clip.name.clone(),
        source: clip.source,
        channels,
        curves,
        events: clip.events.clone(),
    })
}

/// Whether a track gets new keys.
fn moves(track: &Track) -> bool {
    track.interpolation() != Interpolation::Step && !track.is_constant()
}

/// A track that holds one value: its first key, and its last one where that is asked for.
fn held_track(track: &Track, with_last: bool) -> Track {
    let keys = if with_last && track.len() > 1 { vec![0, track.len() - 1] } else { vec![0] };
    let times: Vec<f64> = keys.iter().map(|&k| track.times()[k]).collect();
    let values: Vec<f32> = keys.iter().flat_map(|&k| track.key_value(k)).copied().collect();
    let interpolation = match track.interpolation() {
        Interpolation::CubicSpline => Interpolation::Linear,
        other => other,
    };
    // Keys of a track keep its rules; if they did not, the track as it was is as good.
    Track::new(times.into(), values.into(), track.width(), interpolation).unwrap_or_else(|_| track.clone())
}

/// Moments 0, 1/rate, 2/rate, ... and `duration` itself; seconds.
///
/// # Errors
/// [`RetimeError`] where the rate is no rate or asks for more than ten million moments.
pub fn uniform_times(duration: f64, rate: f64) -> Result<Vec<f64>, RetimeError> {
    let steps = steps(duration, rate)?;
    // A length that is a whole number of steps but for rounding gets no second key at its end.
    let whole = (steps - 1e-4).floor().max(-1.0) as i64;
    let mut times: Vec<f64> = (0..=whole).map(|k| k as f64 / rate).collect();
    times.push(duration.max(0.0));
    Ok(times)
}

/// Steps of a rate over a length, not rounded, where that is not too many.
fn steps(duration: f64, rate: f64) -> Result<f64, RetimeError> {
    if !rate.is_finite() || rate <= 0.0 {
        return Err(RetimeError::Rate { rate });
    }
    let steps = duration * rate;
    // Written so that NaN is too many.
    if steps < MOST_KEYS as f64 {
        return Ok(steps);
    }
    Err(RetimeError::TooMany { rate, duration, keys: steps, most: MOST_KEYS })
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
    // Times are stored in single precision; the later of two keys is what holds from then on.
    let same = |a: f64, b: f64| (a - start) as f32 == (b - start) as f32;
    let mut later_wins: Vec<f64> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        match later_wins.last_mut() {
            Some(last) if same(*last, cut) => *last = cut,
            _ => later_wins.push(cut),
        }
    }
    let cuts = later_wins;
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
