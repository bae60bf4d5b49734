//! Tracks with keys of their own: steps, corners between frames, splines.

use glam::DQuat;

use super::levers::Levers;
use super::rate::distance;
use crate::clip::arc::bend;
use crate::clip::block::Kind;
use crate::clip::pack::KeyedTrack;
use crate::{Channel, ChannelTarget, Interpolation, Slot};

/// Largest angle between two keys, radians: half a turn has two shortest arcs.
const MAX_TURN: f64 = 1.6;

/// The value of a channel, `[component]`.
pub(crate) fn value(channel: &Channel, time: f64) -> Vec<f64> {
    match channel.target {
        ChannelTarget::Rotation => channel.track.sample_rotation(time).to_array().to_vec(),
        _ => channel.track.sample_vec3(time).to_array().to_vec(),
    }
}

/// What the decoder makes of two keys.
pub(crate) fn between(channel: &Channel, a: &[f64], b: &[f64], u: f64) -> Vec<f64> {
    if channel.target != ChannelTarget::Rotation {
        return a.iter().zip(b).map(|(a, b)| a + (b - a) * u).collect();
    }
    let of = |v: &[f64]| DQuat::from_xyzw(v[0], v[1], v[2], v[3]);
    arc(of(a), of(b), u).to_array().to_vec()
}

/// The decoder's interpolation along the shorter arc.
pub(crate) fn arc(a: DQuat, b: DQuat, u: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let delta = b - a;
    (a + delta * bend(u, delta.dot(delta))).normalize()
}

/// Bytes that a channel takes with keys of its own.
pub(crate) fn estimate(levers: &Levers<'_>, channel: &Channel, limit: f64) -> usize {
    let track = build(levers, channel, limit);
    8 + 4 * (track.times.len() + track.values.len())
}

/// The channel with keys where it needs them, within `limit` metres at the far end.
pub(crate) fn build(levers: &Levers<'_>, channel: &Channel, limit: f64) -> KeyedTrack {
    let kind = match channel.target {
        ChannelTarget::Rotation => Kind::Rotation4,
        ChannelTarget::Translation => Kind::Translation,
        _ => Kind::Scale,
    };
    let hold = channel.track.interpolation() == Interpolation::Step;
    let Slot(slot) = levers.rig.slot(channel.joint);
    let mut track = KeyedTrack { slot, kind, hold, times: Vec::new(), values: Vec::new() };
    let mut last: Option<DQuat> = None;
    let mut push = |time: f64, value: &[f64]| {
        let mut value = value.to_vec();
        if kind == Kind::Rotation4 {
            let q = DQuat::from_xyzw(value[0], value[1], value[2], value[3]);
            let q = if last.is_some_and(|l| l.dot(q) < 0.0) { -q } else { q };
            last = Some(q);
            value = q.to_array().to_vec();
        }
        track.times.push(up(time));
        track.values.extend(value.iter().map(|v| *v as f32));
    };
    let times = channel.track.times();
    push(times[0], &value(channel, times[0]));
    for pair in times.windows(2) {
        if !hold {
            subdivide(levers, channel, pair[0], pair[1], limit, 12, &mut push);
        }
        push(pair[1], &value(channel, pair[1]));
    }
    track
}

/// Adds keys within an interval until interpolation between them is close enough.
fn subdivide(
    levers: &Levers<'_>,
    channel: &Channel,
    t0: f64,
    t1: f64,
    limit: f64,
    depth: u32,
    push: &mut impl FnMut(f64, &[f64]),
) {
    // Just before a later key, so that a jump of the track is not taken for a ramp.
    let (a, b) = (value(channel, t0), value(channel, t1));
    let far = channel.target == ChannelTarget::Rotation && {
        let of = |v: &[f64]| DQuat::from_xyzw(v[0], v[1], v[2], v[3]);
        crate::DTransform::angle_between(of(&a), of(&b)) > MAX_TURN
    };
    let off = || {
        [0.2, 0.5, 0.8].into_iter().any(|u| {
            let exact = value(channel, t0 + (t1 - t0) * u);
            distance(levers, channel, &exact, &between(channel, &a, &b, u)) > limit
        })
    };
    let middle = f64::midpoint(t0, t1);
    if depth == 0 || up(middle) <= up(t0) || up(middle) >= up(t1) || !(far || off()) {
        return;
    }
    subdivide(levers, channel, t0, middle, limit, depth - 1, push);
    push(middle, &value(channel, middle));
    subdivide(levers, channel, middle, t1, limit, depth - 1, push);
}

/// The earliest single-precision time that is not before a time: a key holds from there on.
fn up(time: f64) -> f32 {
    let near = time as f32;
    if f64::from(near) < time { near.next_up() } else { near }
}
