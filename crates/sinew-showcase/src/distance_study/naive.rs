//! A match without anything looked after, frame by frame.

use sinew::locomotion::reference::{Keys, advance_by_distance, clamp_rate, match_to_target, stop_distance};

use super::keys::{DT, TOP_SPEED, times};

/// Playheads of a start, one a frame until the clip ends; `way` is the capsule's.
pub(crate) fn start(values: &[f64], way: &[f64], clamp: Option<[f64; 2]>) -> Vec<f64> {
    let times = times(values.len());
    let keys = Keys { times: &times, values };
    let end = keys.duration();
    let mut playhead = vec![0.0];
    for pair in way.windows(2) {
        let time = playhead[playhead.len() - 1];
        if time >= end - 1e-6 {
            break;
        }
        let (mut next, _) = advance_by_distance(keys, time, pair[1] - pair[0]);
        if let Some(limits) = clamp {
            next = clamp_rate(time, next, DT, limits).min(end);
        }
        playhead.push(next);
    }
    playhead
}

/// Playheads of a stop, one a frame of the capsule's way; the distance to go is by the formula of engines.
pub(crate) fn stop(values: &[f64], way: &[f64], friction: f64, braking: f64) -> Vec<f64> {
    let times = times(values.len());
    let keys = Keys { times: &times, values };
    let speeds = way.windows(2).map(|p| (p[1] - p[0]) / DT);
    let left = |v: f64| if v > 0.0 { stop_distance(v, friction, braking) } else { 0.0 };
    [TOP_SPEED].into_iter().chain(speeds).map(|v| match_to_target(keys, left(v))).collect()
}

/// Metres by which capsule and root move differently in each frame, without a sign.
pub(crate) fn slides(playhead: &[f64], way: &[f64], root: impl Fn(f64) -> f64) -> Vec<f64> {
    let frames = playhead.windows(2).zip(way.windows(2));
    frames.map(|(p, w)| ((w[1] - w[0]) - (root(p[1]) - root(p[0]))).abs()).collect()
}
