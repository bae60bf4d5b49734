//! How many frames a second, and which tracks frames cannot carry.

use glam::DQuat;

use super::frames::{NEAR, snap};
use super::levers::Levers;
use super::measure::SHIFTS;
use super::{ClipBuildError, ClipBuilder, MAX_FRAMES, keyed};
use crate::{Channel, ChannelTarget, DTransform, Interpolation, RawClip};

/// Rates that motion is authored at.
const USUAL: [f64; 16] =
    [12.0, 15.0, 20.0, 24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 96.0, 100.0, 120.0, 144.0, 240.0];

/// The rate and what it cannot carry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) rate: f64,
    pub(crate) frames: usize,
    /// Channels (index in the clip) that need keys of their own.
    pub(crate) keyed: Vec<usize>,
}

/// Distance between two values of a channel, metres at the far end.
pub(crate) fn distance(levers: &Levers<'_>, channel: &Channel, a: &[f64], b: &[f64]) -> f64 {
    let by = match channel.target {
        ChannelTarget::Rotation => {
            let of = |v: &[f64]| DQuat::from_xyzw(v[0], v[1], v[2], v[3]);
            DTransform::angle_between(of(a), of(b))
        }
        _ => a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
    };
    by * levers.of_channel(channel)
}

/// The rate with the smallest clip of which each track stays within `limit` metres between frames, those that
/// cannot with keys of their own.
pub(crate) fn choose(
    builder: &ClipBuilder<'_>,
    levers: &Levers<'_>,
    raw: &RawClip,
    limit: f64,
) -> Result<Choice, ClipBuildError> {
    let duration = raw.duration();
    if duration == 0.0 {
        return Ok(Choice { rate: builder.rate.unwrap_or(30.0), frames: 1, keyed: Vec::new() });
    }
    let moving: Vec<usize> = (0..raw.channels.len())
        .filter(|&c| {
            let channel = &raw.channels[c];
            let of = |o: &Channel| (o.joint, o.target);
            // Of two channels for one property the last counts.
            let last = !raw.channels[c + 1..].iter().any(|o| of(o) == of(channel));
            last && channel.target != ChannelTarget::Weights && !channel.track.is_constant()
        })
        .collect();
    let base = builder.rate.unwrap_or_else(|| key_rate(raw, duration));
    let multiples: &[f64] = if builder.rate.is_some() { &[1.0] } else { &[1.0, 2.0, 4.0, 8.0] };
    let mut best: Option<(f64, Choice)> = None;
    for multiple in multiples {
        let (rate, frames) = fit(base * multiple, duration);
        if frames > MAX_FRAMES {
            if best.is_none() {
                return Err(ClipBuildError::TooLong { seconds: duration, rate, limit: MAX_FRAMES });
            }
            break;
        }
        let mut keyed_bytes = 0.0;
        let mut keyed = Vec::new();
        for &c in &moving {
            let channel = &raw.channels[c];
            if between_frames(levers, channel, rate, frames, duration, limit) > limit {
                keyed.push(c);
                keyed_bytes += keyed::estimate(levers, channel, limit) as f64;
            }
        }
        // About nine bits a component.
        let bytes = keyed_bytes + frames as f64 * (moving.len() - keyed.len()) as f64 * 27.0 / 8.0;
        let none = keyed.is_empty();
        if best.as_ref().is_none_or(|(b, _)| bytes < *b) {
            best = Some((bytes, Choice { rate, frames, keyed }));
        }
        if none {
            break;
        }
    }
    best.map(|(_, choice)| choice).ok_or(ClipBuildError::TooLong {
        seconds: duration,
        rate: base,
        limit: MAX_FRAMES,
    })
}

/// The rate whose frames meet the keys, or the closest that suits how dense they are.
fn key_rate(raw: &RawClip, duration: f64) -> f64 {
    let mut times = raw.key_times();
    times.push(duration);
    let met = |rate: f64| {
        let on = times.iter().filter(|&&t| (t * rate - (t * rate).round()).abs() < NEAR).count();
        on as f64 / times.len() as f64
    };
    if let Some(rate) = USUAL.into_iter().find(|r| met(*r) > 0.995) {
        return rate;
    }
    let mut gaps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).filter(|g| *g > 1e-6).collect();
    gaps.sort_by(f64::total_cmp);
    let dense = gaps.get(gaps.len() / 2).map_or(30.0, |g| (1.0 / g).clamp(10.0, 240.0));
    // A rate of its own, such as 29.97.
    if met(dense) > 0.995 { dense } else { dense.max(30.0) }
}

/// A rate at which the clip's end is a frame, at least as high as asked for, unless the end already is or a
/// usual rate is close.
fn fit(rate: f64, duration: f64) -> (f64, usize) {
    let intervals = duration * rate;
    if (intervals - intervals.round()).abs() < NEAR && intervals.round() >= 1.0 {
        return (rate, (intervals.round() as usize).saturating_add(1));
    }
    let intervals = intervals.ceil().max(1.0);
    (intervals / duration, (intervals as usize).saturating_add(1))
}

/// Largest distance between neighbouring keys, metres at the far end: exporters write tracks that stand still as
/// steps between values that differ by a rounding error.
fn largest_step(levers: &Levers<'_>, channel: &Channel) -> f64 {
    let times = channel.track.times();
    let apart = |pair: &[f64]| {
        distance(levers, channel, &keyed::value(channel, pair[0]), &keyed::value(channel, pair[1]))
    };
    times.windows(2).map(apart).fold(0.0, f64::max)
}

/// Largest distance between a channel and what interpolation between its frames gives, metres at the far end;
/// stops early above `limit`.
fn between_frames(
    levers: &Levers<'_>,
    channel: &Channel,
    rate: f64,
    frames: usize,
    duration: f64,
    limit: f64,
) -> f64 {
    let track = &channel.track;
    if track.interpolation() == Interpolation::Step {
        // Between frames a step too small to see is a ramp.
        return largest_step(levers, channel);
    }
    let value = |time: f64| keyed::value(channel, time.min(duration));
    let mut worst: f64 = 0.0;
    let mut check = |a: &[f64], b: &[f64], frame: usize, u: f64| {
        let time = (frame as f64 + u) / rate;
        let found = keyed::between(channel, a, b, u);
        let mut off = f64::INFINITY;
        for shift in SHIFTS {
            let ulp = f64::from((time as f32).next_up()) - f64::from(time as f32);
            off = off.min(distance(levers, channel, &value((time + shift * ulp).max(0.0)), &found));
            if off <= limit {
                break;
            }
        }
        worst = worst.max(off);
        worst > limit
    };
    let mut keys = track.times().iter().copied().peekable();
    let times = track.times();
    let mut a = value(snap(times, 0.0, rate));
    for frame in 0..frames - 1 {
        let b = value(snap(times, (frame + 1) as f64 / rate, rate));
        for u in [0.25, 0.5, 0.75] {
            if check(&a, &b, frame, u) {
                return f64::INFINITY;
            }
        }
        // Corners are at keys.
        while let Some(time) = keys.next_if(|t| t * rate < (frame + 1) as f64) {
            let u = time * rate - frame as f64;
            if u > 1e-3 && u < 1.0 - 1e-3 && check(&a, &b, frame, u) {
                return f64::INFINITY;
            }
        }
        a = b;
    }
    worst
}
