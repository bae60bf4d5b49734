//! Promise: clips that play in step are between the same two foot contacts, at the same share of the way, at
//! every moment; weights may change at will and no clip jumps; a clip that plays alone plays as it was made.

use proptest::prelude::*;
use sinew::{
    BlendSample1D, BlendSpace1D, ClipWeights, PlayError, PlayStatus, SyncError, SyncGroup, SyncMarker,
    SyncPlayhead, SyncTrack,
};

fn track(duration: f64, markers: &[(&str, f64)]) -> SyncTrack {
    let marker = |(name, time): &(&str, f64)| SyncMarker { name: (*name).to_owned(), time: *time };
    SyncTrack::new(duration, markers.iter().map(marker).collect()).unwrap()
}

/// Walk of 1.1 s, run of 0.7 s that starts with the other foot, jog of two uneven strides, idle without
/// markers.
fn tracks() -> Vec<SyncTrack> {
    vec![
        track(1.1, &[("left", 0.1), ("right", 0.65)]),
        track(0.7, &[("right", 0.05), ("left", 0.4)]),
        track(1.8, &[("left", 0.2), ("right", 0.6), ("left", 1.1), ("right", 1.6)]),
        SyncTrack::unmarked(2.0).unwrap(),
    ]
}

fn group() -> SyncGroup {
    SyncGroup::new(&tracks()).unwrap()
}

fn by_speed() -> BlendSpace1D {
    let sample = |clip, at| BlendSample1D { clip, at };
    BlendSpace1D::new(&[sample(3, 0.0), sample(0, 1.4), sample(2, 2.6), sample(1, 4.0)]).unwrap()
}

/// Where a clip is by its own markers: the name of the last one, and the share of the way to the next.
fn place(track: &SyncTrack, time: f64) -> (String, f64) {
    let markers = track.markers();
    let last = markers.iter().rposition(|m| m.time <= time).unwrap_or(markers.len() - 1);
    let next = &markers[(last + 1) % markers.len()];
    let wrap = |t: f64| t.rem_euclid(track.duration());
    let span = wrap(next.time - markers[last].time);
    (markers[last].name.clone(), wrap(time - markers[last].time) / span)
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -1e6_f64..1e6, Just(0.0), Just(1e-320), Just(f64::MAX), Just(f64::NAN)]
}

proptest! {
    #[test]
    fn every_clip_is_in_the_same_interval_at_the_same_share(
        path in prop::collection::vec((-1.0_f32..6.0, 0.0_f64..0.4, -2.0_f64..3.0), 1..40),
    ) {
        let (tracks, group, space) = (tracks(), group(), by_speed());
        let mut head = SyncPlayhead::default();
        for (speed, dt, rate) in path {
            let (mut weights, _) = space.weights(speed).unwrap();
            head.rate.slew_to(rate, 4.0).unwrap();
            head.advance(&group, dt, &mut weights).unwrap();
            let share = head.phase() - head.phase().floor();
            // Next to a marker, rounding decides the side.
            prop_assume!((1e-5..1.0 - 1e-5).contains(&share));
            for entry in weights.iter().filter(|entry| entry.clip != 3) {
                let (name, found) = place(&tracks[entry.clip], f64::from(entry.time));
                prop_assert_eq!(&name, group.marker(head.phase()), "clip {} at {}", entry.clip, entry.time);
                prop_assert!((found - share).abs() < 1e-6, "clip {}: {} {}", entry.clip, found, share);
            }
            for entry in weights.iter().filter(|entry| entry.clip == 3) {
                let turn = (head.phase() / 2.0).rem_euclid(1.0);
                prop_assert!((f64::from(entry.time) / 2.0 - turn).abs() < 1e-6);
            }
        }
    }

    /// The parameter jumps at will; between two frames no clip's time moves by more than its own interval
    /// allows.
    #[test]
    fn clip_times_are_continuous_over_loops_and_parameter_jumps(
        speeds in prop::collection::vec(-1.0_f32..6.0, 2..60),
        rate in -2.0_f64..2.0,
    ) {
        let (group, space) = (group(), by_speed());
        let mut head = SyncPlayhead::default();
        head.rate.set(rate).unwrap();
        let dt = 1e-3;
        let mut wraps = 0;
        for speed in speeds {
            for _ in 0..40 {
                let (mut weights, _) = space.weights(speed).unwrap();
                let before = head.phase();
                let step = head.advance(&group, dt, &mut weights).unwrap();
                prop_assert_eq!(step.previous, before);
                wraps += step.wraps;
                // The shortest interval is 0.3 s, the longest of any clip 1 s.
                let moved = (step.current - step.previous).abs();
                prop_assert!(moved <= rate.abs() * dt / 0.29 + 1e-12, "{moved}");
                for clip in 0..4 {
                    let seconds =
                        group.unwrapped_time(clip, step.current) - group.unwrapped_time(clip, step.previous);
                    prop_assert!(seconds.abs() <= 1.01 * moved + 1e-12, "clip {clip}: {seconds}");
                }
            }
        }
        prop_assert_eq!(wraps, (head.phase() / 2.0).floor() as i64);
    }

    #[test]
    fn a_clip_alone_plays_as_it_was_made(
        clip in 0_usize..4,
        start in -10.0_f64..10.0,
        steps in prop::collection::vec(0.0_f64..3.0, 1..20),
        back: bool,
    ) {
        let group = group();
        let mut head = SyncPlayhead::default();
        head.seek(start).unwrap();
        let way = if back { -1.0 } else { 1.0 };
        head.rate.set(way).unwrap();
        for dt in steps {
            let before = group.unwrapped_time(clip, head.phase());
            let step = head.advance(&group, dt, &mut ClipWeights::one(clip)).unwrap();
            let after = group.unwrapped_time(clip, step.current);
            prop_assert!((after - before - way * dt).abs() < 1e-9, "{} {}", after - before, dt);
        }
    }

    /// One turn takes the weighted mean of what the clips take, from wherever it is begun.
    #[test]
    fn a_stride_takes_the_weighted_mean_of_the_strides(speed in 0.0_f32..4.0, start in 0.0_f64..8.0, turns in 1..200) {
        let (group, space) = (group(), by_speed());
        let (mut weights, _) = space.weights(speed).unwrap();
        // Four intervals are two turns of walk, run and idle, and one pass of the jog.
        let four: f64 = weights.iter().map(|e| f64::from(e.weight) * [2.2, 1.4, 1.8, 4.0][e.clip]).sum();
        let mut head = SyncPlayhead::default();
        head.seek(start).unwrap();
        head.advance(&group, four * f64::from(turns), &mut weights).unwrap();
        let sum: f64 = weights.iter().map(|e| f64::from(e.weight)).sum();
        prop_assert!((head.phase() - start - 4.0 * f64::from(turns)).abs() < 1e-6 + (sum - 1.0).abs() * 1e3);
        let two = group.stride_seconds(0.0, &weights) + group.stride_seconds(2.0, &weights);
        prop_assert!((two - four / sum).abs() < 1e-9);
    }

    #[test]
    fn steps_add_up(
        speed in 0.0_f32..4.0,
        steps in prop::collection::vec(0.0_f64..2.0, 1..20),
        rate in -2.0_f64..2.0,
    ) {
        let (group, space) = (group(), by_speed());
        let (mut weights, _) = space.weights(speed).unwrap();
        let (mut whole, mut split) = (SyncPlayhead::default(), SyncPlayhead::default());
        whole.rate.set(rate).unwrap();
        split.rate.set(rate).unwrap();
        whole.advance(&group, steps.iter().sum(), &mut weights).unwrap();
        for dt in steps {
            split.advance(&group, dt, &mut weights).unwrap();
        }
        prop_assert!((whole.phase() - split.phase()).abs() < 1e-9, "{} {}", whole.phase(), split.phase());
    }

    #[test]
    fn the_phase_of_a_time_is_found_back(clip in 0_usize..4, phase in -20.0_f64..20.0) {
        let group = group();
        let found = group.phase_at(clip, group.unwrapped_time(clip, phase));
        prop_assert!((found - phase).abs() < 1e-9, "{found} {phase}");
    }

    #[test]
    fn any_number_is_finite_or_refused(dt in number(), rate in number(), speed in 0.0_f32..4.0) {
        let (group, space) = (group(), by_speed());
        let (mut weights, _) = space.weights(speed).unwrap();
        let mut head = SyncPlayhead::default();
        if head.rate.set(rate).is_ok() && head.advance(&group, dt, &mut weights).is_ok() {
            prop_assert!(head.phase().is_finite());
            for entry in weights.iter() {
                prop_assert!((0.0..=2.0).contains(&entry.time), "{}", entry.time);
            }
        } else {
            prop_assert_eq!(head.phase(), 0.0);
        }
    }
}

/// Halfway from left to right: 0.1 + 0.275, 0.4 + 0.175 and 0.2 + 0.2; two turns on, the jog is at its second
/// left.
#[test]
fn times_by_hand() {
    let group = group();
    assert_eq!(group.pattern(), ["left", "right"]);
    let times = |phase| [0, 1, 2, 3].map(|clip| group.clip_time(clip, phase));
    assert_eq!(times(0.5), [0.375, 0.575, 0.4, 0.5]);
    assert_eq!(times(2.0), [0.1, 0.4, 1.1, 0.0]);
    // From the right contact, halfway: 0.65 + 0.275, 0.05 + 0.175 (a pass later), 0.6 + 0.25, 1.5.
    assert_eq!(times(1.5), [0.925, 0.225, 0.85, 1.5]);
    assert!((group.unwrapped_time(1, 1.5) - 0.925).abs() < 1e-12);
}

#[test]
fn clips_without_markers_share_normalised_time() {
    let group =
        SyncGroup::new(&[SyncTrack::unmarked(1.0).unwrap(), SyncTrack::unmarked(3.0).unwrap()]).unwrap();
    assert_eq!((group.clip_time(0, 0.25), group.clip_time(1, 0.25)), (0.25, 0.75));
    // Half of each: 2 s a pass.
    let space =
        BlendSpace1D::new(&[BlendSample1D { clip: 0, at: 0.0 }, BlendSample1D { clip: 1, at: 1.0 }]).unwrap();
    let (mut weights, _) = space.weights(0.5).unwrap();
    let mut head = SyncPlayhead::default();
    let step = head.advance(&group, 1.0, &mut weights).unwrap();
    assert_eq!((step.current, step.wraps, step.status), (0.5, 0, PlayStatus::Playing));
    assert_eq!([weights[0].time, weights[1].time], [0.5, 1.5]);
}

#[test]
fn other_patterns_are_refused_by_name() {
    let walk = track(1.0, &[("left", 0.0), ("right", 0.5)]);
    for (other, found) in [
        (track(1.0, &[("left", 0.0), ("rigth", 0.5)]), "[\"left\", \"rigth\"]"),
        (track(1.0, &[("left", 0.0)]), "[\"left\"]"),
        (track(1.0, &[("left", 0.0), ("right", 0.5), ("right", 0.7)]), "[\"left\", \"right\", \"right\"]"),
    ] {
        let error = SyncGroup::new(&[SyncTrack::unmarked(1.0).unwrap(), walk.clone(), other]).unwrap_err();
        let expected = format!("clip 2 has the marker pattern {found}, clip 1 has [\"left\", \"right\"]");
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(SyncGroup::new(&[]).unwrap_err(), SyncError::Empty);
}

#[test]
fn markers_out_of_the_clip_are_refused() {
    let marker = |name: &str, time| SyncMarker { name: name.to_owned(), time };
    for time in [-0.1, 1.0, f64::NAN] {
        assert!(matches!(SyncTrack::new(1.0, vec![marker("left", time)]), Err(SyncError::OutOfClip { .. })));
    }
    let twice = SyncTrack::new(1.0, vec![marker("left", 0.5), marker("right", 0.5)]).unwrap_err();
    assert_eq!(twice.to_string(), "markers \"left\" and \"right\" are both at 0.5 s");
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(SyncTrack::unmarked(duration), Err(SyncError::BadDuration { .. })));
    }
    // 2 x 17 x 19 x 23 intervals.
    let strides = |n: usize| {
        let markers = (0..2 * n).map(|i| marker(["left", "right"][i % 2], i as f64 * 0.1));
        SyncTrack::new(n as f64, markers.collect()).unwrap()
    };
    let error = SyncGroup::new(&[strides(17), strides(19), strides(23)]).unwrap_err();
    assert_eq!(error, SyncError::TooManyIntervals { intervals: 14858 });
}

#[test]
fn weights_that_cannot_play_are_refused() {
    let group = SyncGroup::new(&[SyncTrack::unmarked(1.0).unwrap()]).unwrap();
    let mut head = SyncPlayhead::default();
    let error = head.advance(&group, 0.1, &mut ClipWeights::one(1)).unwrap_err();
    assert_eq!(error, PlayError::NoSuchClip { clip: 1, clips: 1 });
    assert_eq!(head.advance(&group, 0.1, &mut ClipWeights::new()).unwrap_err(), PlayError::NoWeight);
    let error = head.advance(&group, f64::NAN, &mut ClipWeights::one(0)).unwrap_err();
    assert!(matches!(error, PlayError::NotFinite { what: "the step in seconds", .. }));
    head.rate.set(0.0).unwrap();
    assert_eq!(head.advance(&group, 0.1, &mut ClipWeights::one(0)).unwrap().status, PlayStatus::Stopped);
}
