//! Promise: the methods for comparison fail just as those in use do: a start that jumps over falling keys, a
//! clamp that brings the slide back, a search that leaves the clip. Expected numbers were measured with an
//! independent model of the same algorithms.

mod locomotion_keys;

use glam::DVec2;
use locomotion_keys::{DT, Root, braking, mover, run_up, start_magnitudes, start_signed, stop_keys, times};
use sinew::DistanceKind;
use sinew::locomotion::reference::{
    Keys, NaiveOutcome, advance_by_distance, bake, clamp_rate, match_to_target, stop_distance, time_at,
};

/// Playheads of the naive start, frame by frame until the clip ends.
fn naive_start(clamp: Option<[f64; 2]>) -> Vec<f64> {
    let (times, values) = (times(16), start_magnitudes());
    let keys = Keys { times: &times, values: &values };
    let capsule = run_up(60);
    let mut playhead = vec![0.0];
    for pair in capsule.windows(2) {
        let time = playhead[playhead.len() - 1];
        if time >= 0.5 - 1e-6 {
            break;
        }
        let (mut next, _) = advance_by_distance(keys, time, pair[1] - pair[0]);
        if let Some(limits) = clamp {
            next = clamp_rate(time, next, DT, limits).min(0.5);
        }
        playhead.push(next);
    }
    playhead
}

fn largest_step(playhead: &[f64]) -> f64 {
    playhead.windows(2).map(|p| p[1] - p[0]).fold(0.0, f64::max)
}

/// Metres by which the root of the pose and the capsule move differently, summed up.
fn raw_slide(playhead: &[f64], capsule: &[f64], root: &Root) -> f64 {
    let steps = playhead.windows(2).zip(capsule.windows(2));
    steps.map(|(p, c)| ((c[1] - c[0]) - (root.at(p[1]) - root.at(p[0]))).abs()).sum()
}

#[test]
fn a_start_jumps_over_falling_keys() {
    let playhead = naive_start(None);
    let jump = largest_step(&playhead);
    assert!((jump - 0.138).abs() < 0.001, "{jump} s in one frame");
    assert!((jump / DT - 8.30).abs() < 0.05, "a rate of {}", jump / DT);
    let at = playhead.windows(2).position(|p| p[1] - p[0] == jump).unwrap();
    assert!((playhead[at] - 0.149).abs() < 0.001 && (playhead[at + 1] - 0.288).abs() < 0.001);
    // 0.2 to 0.267 s is where the values fall: the playhead is never there.
    assert!(playhead.iter().all(|t| !(0.2..0.267).contains(t)));
    assert!(((playhead.len() - 1) as f64 * DT - 0.367).abs() < 0.001, "{} frames", playhead.len() - 1);
    let fast = playhead.windows(2).filter(|p| p[1] - p[0] > 2.0 * DT).count();
    assert_eq!(fast, 4);
}

#[test]
fn a_start_slides_and_a_clamp_makes_it_worse() {
    let (capsule, root) = (run_up(60), Root::new(DistanceKind::Start, &start_signed(8)));
    let slide = raw_slide(&naive_start(None), &capsule, &root);
    assert!((slide - 0.412).abs() < 0.002, "{slide} m");
    let clamped = naive_start(Some([0.75, 1.25]));
    assert!((largest_step(&clamped) / DT - 1.25).abs() < 1e-9);
    let slide = raw_slide(&clamped, &capsule, &root);
    assert!((slide - 0.692).abs() < 0.002, "{slide} m");
    let slide = raw_slide(&naive_start(Some([0.5, 2.0])), &capsule, &root);
    assert!((slide - 0.408).abs() < 0.002, "{slide} m");
}

#[test]
fn a_clamp_acts_only_between_limits_that_are_some() {
    // 0.1 s of clip in a frame of 1/60 s is a rate of 6.
    assert!((clamp_rate(0.1, 0.2, DT, [0.75, 1.25]) - (0.1 + 1.25 * DT)).abs() < 1e-12);
    assert!((clamp_rate(0.1, 0.1, DT, [0.75, 1.25]) - (0.1 + 0.75 * DT)).abs() < 1e-12);
    for none in [[-1.0, 1.25], [1.25, 0.75], [1.0, 1.0]] {
        assert_eq!(clamp_rate(0.1, 0.2, DT, none), 0.2, "{none:?}");
    }
}

#[test]
fn a_start_gives_up_past_the_end() {
    let (times, values) = (times(16), start_magnitudes());
    let keys = Keys { times: &times, values: &values };
    let whole: f64 = 1.2506;
    assert_eq!(advance_by_distance(keys, 0.0, 1.25).1, NaiveOutcome::Reached);
    for distance in [whole + 0.01, 2.0] {
        assert_eq!(advance_by_distance(keys, 0.0, distance), (0.5, NaiveOutcome::Aborted));
    }
    // From then on the pose is frozen.
    assert_eq!(advance_by_distance(keys, 0.5, 0.1), (0.5, NaiveOutcome::Aborted));
}

#[test]
fn a_stop_leaves_the_clip() {
    let (times, values) = (times(21), stop_keys());
    let keys = Keys { times: &times, values: &values };
    let early = match_to_target(keys, 2.2);
    assert!((early + 0.086).abs() < 0.001, "{early} s");
    assert!(time_at(keys, 0.1) > 0.667);
    assert!((match_to_target(keys, 0.8854) - 4.0 / 30.0).abs() < 1e-9);
}

/// Frame by frame: rate, largest step and slide of the naive stop, with the formula of engines.
fn naive_stop(friction: f64, deceleration: f64, keys: &[f64], truth: &[f64]) -> (f64, f64, f64) {
    let times = times(keys.len());
    let (keys, truth) = (Keys { times: &times, values: keys }, Keys { times: &times, values: truth });
    let capsule = braking(&mover(friction, deceleration));
    let speeds = capsule.windows(2).map(|p| (p[1] - p[0]) / DT);
    let remaining = |v: f64| if v > 0.0 { stop_distance(v, friction, deceleration) } else { 0.0 };
    let playhead: Vec<f64> =
        [6.0].into_iter().chain(speeds).map(|v| match_to_target(keys, remaining(v))).collect();
    let slide: f64 = playhead
        .windows(2)
        .zip(capsule.windows(2))
        .map(|(p, c)| ((c[1] - c[0]) - (truth.value_at(p[1]) - truth.value_at(p[0]))).abs())
        .sum();
    (playhead[0], largest_step(&playhead), slide)
}

#[test]
fn a_stop_with_the_formula_of_engines_slides() {
    let keys = stop_keys();
    for (friction, deceleration, slide_cm) in
        [(0.0, 20.48, 4.9), (0.0, 10.82, 5.0), (16.0, 20.48, 2.3), (3.0, 6.0, 25.6)]
    {
        let (_, _, slide) = naive_stop(friction, deceleration, &keys, &keys);
        assert!((100.0 * slide - slide_cm).abs() < 0.1, "{friction} {deceleration}: {} cm", 100.0 * slide);
    }
    let (entry, _, slide) = naive_stop(0.0, 8.0, &keys, &keys);
    assert!((entry + 0.094).abs() < 0.001, "enters at {entry} s");
    assert!((slide - 0.62).abs() < 0.01, "{slide} m");
}

#[test]
fn repeated_and_folded_keys_make_a_stop_jump() {
    let mut level = stop_keys();
    let value = level[8];
    level[8..13].fill(value);
    let (_, jump, _) = naive_stop(0.0, 10.82, &level, &level);
    assert!((jump - 0.148).abs() < 0.002 && (jump / DT - 8.9).abs() < 0.1, "{jump} s");
    let mut over = stop_keys();
    over[12..].copy_from_slice(&[-0.04, 0.02, 0.06, 0.085, 0.09, 0.07, 0.04, 0.015, 0.0]);
    let folded: Vec<f64> = over.iter().map(|d: &f64| -d.abs()).collect();
    let (_, jump, slide) = naive_stop(0.0, 10.82, &folded, &over);
    assert!((jump - 0.177).abs() < 0.002 && (jump / DT - 10.6).abs() < 0.1, "{jump} s");
    assert!((slide - 0.345).abs() < 0.003, "{slide} m");
}

/// The seed of the failure: magnitudes, with the sign of the time before or after the slowest moment.
#[test]
fn a_bake_keeps_magnitudes() {
    let signed = start_signed(8);
    let points: Vec<DVec2> = signed.iter().map(|d| DVec2::new(0.0, *d)).collect();
    let keys = bake(&times(16), &points);
    // Slowest, from key to key on either side, is where it turns round, at key 6: (5.27 - 6.28) cm in two intervals.
    for (key, found) in keys.iter().enumerate() {
        let away = (signed[key] - signed[6]).abs();
        let expected = if key < 6 { -away } else { away };
        assert!((found - expected).abs() < 1e-12, "key {key}: {found} m, {expected} m");
    }
    let stop: Vec<DVec2> = stop_keys().iter().map(|d| DVec2::new(0.0, *d)).collect();
    let keys = bake(&times(21), &stop);
    for (found, expected) in keys.iter().zip(stop_keys()) {
        assert!((found - expected).abs() < 1e-12);
    }
}

#[test]
fn nothing_here_panics() {
    let empty = Keys { times: &[], values: &[] };
    assert_eq!(time_at(empty, 1.0), 0.0);
    assert_eq!(advance_by_distance(empty, 0.0, 1.0), (0.0, NaiveOutcome::Aborted));
    let one = Keys { times: &[0.0], values: &[0.0] };
    assert_eq!(time_at(one, 1.0), 0.0);
    let nan = Keys { times: &[0.0, 1.0], values: &[f64::NAN, f64::NAN] };
    let _ = advance_by_distance(nan, 0.0, 1.0);
    let _ = time_at(nan, f64::NAN);
}
