//! Promise: what would silently freeze or jump in a game is an error at set-up, and what a frame can meet has
//! a status of its own; the playhead stays finite and inside the clip.

mod locomotion_keys;

use locomotion_keys::{DT, start_curve, start_magnitudes, stop_curve, stop_keys, times};
use sinew::{
    Curve, DISTANCE_CURVE, DistanceCurve, DistanceKind, Interpolation, LocomotionError, MatchSettings,
    MatchState, MatchStatus, SplitSettings, Travel, advance_by_distance, match_to_target, playrate_to_speed,
    set_up_matching,
};

fn curve(times: &[f64], values: &[f64], storage: Interpolation) -> Curve {
    let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    Curve::new(DISTANCE_CURVE, times, values, storage).unwrap()
}

#[test]
fn three_silent_traps_are_three_errors() {
    let good = [curve(&times(21), &stop_keys(), Interpolation::Linear)];
    let set_up = |curves: &[Curve]| set_up_matching(curves, DISTANCE_CURVE, |time| time);
    assert!(set_up(&good).is_ok());
    // A player that keeps time in single precision.
    assert!(set_up_matching(&good, DISTANCE_CURVE, |time| f64::from(time as f32)).is_ok());
    // 1: the pose would freeze while every driver looks healthy. A time that was folded into a constant, one that runs
    // by a clock, one that lags a frame behind and none at all.
    let (mut clock, mut before) = (0.0, 0.0);
    let mut players: [&mut dyn FnMut(f64) -> f64; 5] = [
        &mut |_| 0.0,
        &mut |_| 1.0 / 3.0,
        &mut |_| {
            clock += DT;
            clock
        },
        &mut |time| std::mem::replace(&mut before, time),
        &mut |_| f64::NAN,
    ];
    for sampled in &mut players {
        let error = set_up_matching(&good, DISTANCE_CURVE, sampled).unwrap_err();
        assert!(matches!(error, LocomotionError::TimeNotDriven { .. }), "{error}");
    }
    let constant = set_up_matching(&good, DISTANCE_CURVE, |_| 0.0).unwrap_err();
    let LocomotionError::TimeNotDriven { expected, found } = constant else { panic!("{constant}") };
    assert!((expected - 1.0 / 3.0).abs() < 1e-9 && found == 0.0, "{constant}");
    // 2: the lookup would answer 0.
    let stepped = [curve(&times(21), &stop_keys(), Interpolation::Step)];
    let error = set_up(&stepped).unwrap_err();
    assert!(
        matches!(&error, LocomotionError::NotIndexable { name, .. } if name == DISTANCE_CURVE),
        "{error}"
    );
    let error = set_up(&[]).unwrap_err();
    assert!(matches!(error, LocomotionError::NoCurve { .. }), "{error}");
    // 3: the playhead would jump. The keys of a real bake fall from 0.2 s on.
    let falling = [curve(&times(16), &start_magnitudes(), Interpolation::Linear)];
    let error = set_up(&falling).unwrap_err();
    let LocomotionError::NotMonotone { key, time, value, previous, .. } = error else { panic!("{error}") };
    assert_eq!(key, 7);
    assert!(
        (time - 7.0 / 30.0).abs() < 1e-9 && (value - 0.0527).abs() < 1e-6 && (previous - 0.0648).abs() < 1e-6
    );
    // The first trap does not hide the second: with both, the second is named, and without it the first.
    let both = set_up_matching(&stepped, DISTANCE_CURVE, |_| 0.0);
    assert!(matches!(both, Err(LocomotionError::NotIndexable { .. })), "{both:?}");
    // A value that repeats belongs to two moments.
    let mut level = stop_keys();
    level[9] = level[8];
    let error = set_up(&[curve(&times(21), &level, Interpolation::Linear)]).unwrap_err();
    assert!(matches!(error, LocomotionError::NotMonotone { key: 9, .. }), "{error}");
}

/// Set up well, and then a node of the graph is made constant: the numbers go on, the pose does not.
#[test]
fn a_pose_that_freezes_in_play_is_found_out() {
    let curve = start_curve();
    let mut state = MatchState::at_start(&curve);
    let mut sampled = 0.0;
    for frame in 0..12 {
        let travel = Travel { travelled: 0.05, dt: DT };
        let step = advance_by_distance(&curve, &MatchSettings::start(), &mut state, travel).unwrap();
        if frame < 6 {
            sampled = step.time;
        }
        let seen = state.check_sampled(sampled);
        if frame < 6 {
            assert_eq!(seen, Ok(()));
        } else {
            let expected = step.time;
            assert_eq!(seen, Err(LocomotionError::TimeNotDriven { expected, found: sampled }));
        }
    }
}

#[test]
fn a_curve_is_of_the_kind_that_its_ends_say_give_or_take_a_millimetre() {
    use DistanceKind::{Pivot, Start, Stop};
    for (ends, kind) in [
        ([0.0, 1.0], Start),
        ([0.3, 1.0], Start),
        ([-1e-6, 1.0], Start),
        ([-9e-4, 1.0], Start),
        ([-1.1e-3, 1.0], Pivot),
        ([-1.0, 1.0], Pivot),
        ([-1.0, 1.1e-3], Pivot),
        ([-1.0, 9e-4], Stop),
        ([-1.0, 1e-6], Stop),
        ([-1.0, 0.0], Stop),
        ([-1.0, -0.3], Stop),
    ] {
        assert_eq!(DistanceKind::of(ends), kind, "{ends:?}");
        let stored = [curve(&[0.0, 0.5], &ends, Interpolation::Linear)];
        let found = DistanceCurve::from_clip_curves(&stored, DISTANCE_CURVE).unwrap();
        assert_eq!(found.kind(), kind, "{ends:?}");
        // What begins a hair before its beginning goes round all the same, and a pass is as long as it was.
        match found.into_loop() {
            Ok(cycle) => {
                assert!(kind == Start && (cycle.range() - (ends[1] - ends[0])).abs() < 1e-6, "{ends:?}");
                assert_eq!(cycle.distances()[0], 0.0);
            }
            Err(error) => assert!(kind != Start && matches!(error, LocomotionError::Kind { .. }), "{error}"),
        }
    }
    // A stop of someone else's that ends a hair too far is played to its end.
    let mut keys = stop_keys();
    keys[20] = 1e-6;
    let stored = [curve(&times(21), &keys, Interpolation::Linear)];
    let stop = DistanceCurve::from_clip_curves(&stored, DISTANCE_CURVE).unwrap();
    let mut state = MatchState::at_remaining(&stop, 0.2);
    let still = Travel { travelled: 0.0, dt: DT };
    let steps =
        (0..60).map(|_| match_to_target(&stop, &MatchSettings::stop(), &mut state, 0.0, still).unwrap());
    assert!(steps.last().is_some_and(|step| matches!(step.status, MatchStatus::Exhausted { .. })));
}

#[test]
fn a_stored_loop_says_how_to_play_it() {
    let line = [0.0, 0.5, 1.0];
    let made =
        DistanceCurve::from_keys(DISTANCE_CURVE, DistanceKind::Loop, &line, &line, &SplitSettings::default())
            .unwrap();
    let back = DistanceCurve::from_clip_curves(&made.to_curves().unwrap(), DISTANCE_CURVE).unwrap();
    let (settings, travel) = (MatchSettings::cycle(), Travel { travelled: 0.02, dt: DT });
    let mut state = MatchState::at_start(&back);
    let error = playrate_to_speed(&back, &settings, &mut state, travel).unwrap_err();
    assert_eq!(error, LocomotionError::NotALoop { found: "start" });
    assert!(error.to_string().contains("DistanceCurve::into_loop"), "{error}");
    assert_eq!(state, MatchState::at_start(&back));
    let back = back.into_loop().unwrap();
    assert_eq!((back.kind(), back.distances()), (made.kind(), made.distances()));
    assert!(playrate_to_speed(&back, &settings, &mut state, travel).is_ok());
}

#[test]
fn keys_that_are_no_curve_are_refused_by_what_is_wrong() {
    let settings = SplitSettings::default();
    let bake = |times: &[f64], values: &[f64]| {
        DistanceCurve::from_keys("d", DistanceKind::Start, times, values, &settings).map(|_| ())
    };
    assert_eq!(bake(&[], &[]), Err(LocomotionError::TooFewKeys { found: 0 }));
    assert_eq!(bake(&[0.0], &[0.0]), Err(LocomotionError::TooFewKeys { found: 1 }));
    assert_eq!(bake(&[0.0, 1.0], &[0.0]), Err(LocomotionError::KeyCount { times: 2, values: 1 }));
    assert!(matches!(bake(&[0.0, 1.0], &[0.0, f64::NAN]), Err(LocomotionError::NotFinite { .. })));
    assert!(matches!(bake(&[0.0, f64::INFINITY], &[0.0, 1.0]), Err(LocomotionError::NotFinite { .. })));
    assert!(matches!(bake(&[0.0, 1.0, 2.0], &[0.0; 3]), Err(LocomotionError::NoTravel { .. })));
    assert!(matches!(bake(&[0.0, 1.0, 2.0], &[0.0, -1.0, -2.0]), Err(LocomotionError::NoTravel { .. })));
    assert!(matches!(bake(&[0.0, 0.0], &[0.0, 1.0]), Err(LocomotionError::TimeOrder { key: 1, .. })));
    assert!(matches!(
        bake(&[0.0, 1e-9, 1.0], &[0.0, 0.5, 1.0]),
        Err(LocomotionError::TimeOrder { key: 1, .. })
    ));
    let many = [0.0, 1e-5, 1e6];
    assert!(matches!(
        bake(&[0.0, 1e-6, 2e-6, 1e6], &[0.0, 1.0, 2.0, 3.0]),
        Err(LocomotionError::TooManyKeys { .. })
    ));
    assert!(bake(&many, &[0.0, 1.0, 2.0]).is_ok());
    let bad = SplitSettings { ramp: 0.0, ..settings };
    let error =
        DistanceCurve::from_keys("d", DistanceKind::Start, &[0.0, 1.0], &[0.0, 1.0], &bad).unwrap_err();
    assert!(matches!(error, LocomotionError::OutOfRange { .. }), "{error}");
}

#[test]
fn a_step_of_no_time_and_of_a_whole_second() {
    let curve = start_curve();
    let settings = MatchSettings::start();
    let mut state = MatchState::at_start(&curve);
    let step =
        advance_by_distance(&curve, &settings, &mut state, Travel { travelled: 0.0, dt: 0.0 }).unwrap();
    assert_eq!((step.status, step.time), (MatchStatus::NoTime, 0.0));
    // A metre in no time is a teleport: the mesh takes what it may, the rest slides.
    let step =
        advance_by_distance(&curve, &settings, &mut state, Travel { travelled: 1.0, dt: 0.0 }).unwrap();
    assert_eq!(step.status, MatchStatus::NoTime);
    assert!((step.account.offset - 0.15).abs() < 1e-12 && (step.account.slid - 0.85).abs() < 1e-12);
    let mut state = MatchState::at_start(&curve);
    let step =
        advance_by_distance(&curve, &settings, &mut state, Travel { travelled: 0.5, dt: 1.0 }).unwrap();
    assert!(matches!(step.status, MatchStatus::Exhausted { .. } | MatchStatus::RateLimited), "{step:?}");
    assert!((0.0..=0.5).contains(&step.time) && step.rate >= 0.5);
}

#[test]
fn standing_going_back_and_passing_the_target_each_have_a_status() {
    let curve = start_curve();
    let settings = MatchSettings::start();
    // In a run the very first frame backwards is told, and the first of standing still, whatever the rate does.
    let mut state = MatchState::at(&curve, 0.4);
    let back = Travel { travelled: -0.01, dt: DT };
    let step = advance_by_distance(&curve, &settings, &mut state, back).unwrap();
    assert_eq!(step.status, MatchStatus::Backwards { by: 0.01 });
    assert!(step.rate > 0.0, "{step:?}");
    let mut state = MatchState::at(&curve, 0.4);
    let still = Travel { travelled: 0.0, dt: DT };
    let step = advance_by_distance(&curve, &settings, &mut state, still).unwrap();
    assert!(step.status == MatchStatus::Standing && step.rate > 0.0, "{step:?}");
    // In no time too, and where the last of a stop plays by time.
    let step = advance_by_distance(&curve, &settings, &mut state, Travel { dt: 0.0, ..back }).unwrap();
    assert_eq!(step.status, MatchStatus::Backwards { by: 0.01 });
    let stop = stop_curve(&stop_keys());
    let mut state = MatchState::at_remaining(&stop, 0.03);
    let step = match_to_target(&stop, &MatchSettings::stop(), &mut state, 0.04, back).unwrap();
    assert_eq!(step.status, MatchStatus::Backwards { by: 0.01 });
    let mut state = MatchState::at(&curve, 0.4);
    let mut last = MatchStatus::Matched;
    for _ in 0..10 {
        last = advance_by_distance(&curve, &settings, &mut state, Travel { travelled: 0.0, dt: DT })
            .unwrap()
            .status;
    }
    assert_eq!(last, MatchStatus::Standing);
    let time = state.time();
    let step =
        advance_by_distance(&curve, &settings, &mut state, Travel { travelled: -0.01, dt: DT }).unwrap();
    assert_eq!(step.status, MatchStatus::Backwards { by: 0.01 });
    assert_eq!(step.time, time);
    let stop = stop_curve(&stop_keys());
    let settings = MatchSettings::stop();
    let mut state = MatchState::at_remaining(&stop, 0.5);
    let step =
        match_to_target(&stop, &settings, &mut state, -0.1, Travel { travelled: 0.05, dt: DT }).unwrap();
    assert_eq!(step.status, MatchStatus::TargetBehind { by: 0.1 });
    let mut state = MatchState::at_remaining(&stop, 3.0);
    let step = match_to_target(&stop, &settings, &mut state, 3.0, Travel { travelled: 0.1, dt: DT }).unwrap();
    assert!(matches!(step.status, MatchStatus::BeforeRange { by } if (by - 1.3365).abs() < 1e-3), "{step:?}");
    assert_eq!((step.time, step.account.handed_on), (0.0, 0.1));
    // A character that a wall stops in mid-run: the clip comes to its end all the same.
    let mut state = MatchState::at_remaining(&stop, 0.4);
    let mut ended = false;
    for _ in 0..120 {
        let step =
            match_to_target(&stop, &settings, &mut state, 0.0, Travel { travelled: 0.0, dt: DT }).unwrap();
        ended |= matches!(step.status, MatchStatus::Exhausted { .. });
    }
    assert!(ended && (state.time() - 2.0 / 3.0).abs() < 1e-9);
}

/// A stick that is pushed again, a slope, a shove: the way left grows beyond what the clip covers.
#[test]
fn a_stop_whose_target_recedes_hands_back_to_the_loop() {
    let curve = stop_curve(&stop_keys());
    let settings = MatchSettings::stop();
    let mut state = MatchState::at_remaining(&curve, 1.2);
    let mut left = 1.2;
    for _ in 0..4 {
        left -= 0.1;
        let travel = Travel { travelled: 0.1, dt: DT };
        let step = match_to_target(&curve, &settings, &mut state, left, travel).unwrap();
        assert_eq!(step.account.handed_on, 0.0, "{step:?}");
    }
    let before = state;
    let travel = Travel { travelled: 0.1, dt: DT };
    let step = match_to_target(&curve, &settings, &mut state, 3.0, travel).unwrap();
    let MatchStatus::BeforeRange { by } = step.status else { panic!("{step:?}") };
    assert!((by - (3.0 - 1.6635)).abs() < 1e-9, "{by}");
    // The metres are the loop's, and nothing has moved.
    let parts = step.account;
    assert_eq!((parts.handed_on, parts.travelled, parts.slid, step.rate), (0.1, 0.0, 0.0, 0.0));
    assert_eq!(state, before);
    // Where the clip covers it again, it goes on.
    let step = match_to_target(&curve, &settings, &mut state, 0.7, travel).unwrap();
    assert!(!matches!(step.status, MatchStatus::BeforeRange { .. }) && state.time() > before.time());
}

#[test]
fn a_curve_of_the_wrong_kind_is_refused() {
    let (start, stop) = (start_curve(), stop_curve(&stop_keys()));
    let settings = MatchSettings::start();
    let mut state = MatchState::at_start(&stop);
    let wrong = |result: Result<sinew::MatchStep, LocomotionError>| {
        assert!(matches!(result, Err(LocomotionError::Kind { .. })), "{result:?}");
    };
    wrong(advance_by_distance(&stop, &settings, &mut state, Travel { travelled: 0.1, dt: DT }));
    wrong(match_to_target(&start, &settings, &mut state, 0.1, Travel { travelled: 0.1, dt: DT }));
    let looped = playrate_to_speed(&stop, &settings, &mut state, Travel { travelled: 0.1, dt: DT });
    assert_eq!(looped, Err(LocomotionError::NotALoop { found: "stop" }));
    assert!(stop.into_loop().is_err() && start.into_loop().is_ok());
}

#[test]
fn numbers_that_are_none_change_nothing() {
    let curve = start_curve();
    let settings = MatchSettings::start();
    let mut state = MatchState::at(&curve, 0.3);
    let before = state;
    for (travelled, dt) in [(f64::NAN, DT), (0.1, f64::NAN), (f64::INFINITY, DT), (0.1, -1.0)] {
        assert!(advance_by_distance(&curve, &settings, &mut state, Travel { travelled, dt }).is_err());
    }
    let stop = stop_curve(&stop_keys());
    assert!(
        match_to_target(&stop, &settings, &mut state, f64::NAN, Travel { travelled: 0.1, dt: DT }).is_err()
    );
    assert_eq!(state, before);
    for bad in [
        MatchSettings { max_rate: 0.1, ..settings },
        MatchSettings { slew: f64::NAN, ..settings },
        MatchSettings { stride: [1.2, 1.4], ..settings },
        MatchSettings { stride_slew: 0.0, ..settings },
        MatchSettings { max_offset: -1.0, ..settings },
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
}
