//! Promise: what would silently freeze or jump in a game is an error at set-up, and what a frame can meet has
//! a status of its own; the playhead stays finite and inside the clip.

mod locomotion_keys;

use locomotion_keys::{DT, start_curve, start_magnitudes, stop_curve, stop_keys, times};
use sinew::{
    Curve, DISTANCE_CURVE, DistanceCurve, DistanceKind, Interpolation, LocomotionError, MatchSettings,
    MatchState, MatchStatus, SplitSettings, TimeSource, advance_by_distance, match_to_target,
    playrate_to_speed, set_up_matching,
};

fn curve(times: &[f64], values: &[f64], storage: Interpolation) -> Curve {
    let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    Curve::new(DISTANCE_CURVE, times, values, storage).unwrap()
}

#[test]
fn three_silent_traps_are_three_errors() {
    let good = [curve(&times(21), &stop_keys(), Interpolation::Linear)];
    let set_up = |curves: &[Curve], time| set_up_matching(curves, DISTANCE_CURVE, time);
    assert!(set_up(&good, TimeSource::Matched).is_ok());
    // 1: the pose would freeze while every driver looks healthy.
    for source in [TimeSource::Constant, TimeSource::Clock] {
        let error = set_up(&good, source).unwrap_err();
        assert!(matches!(error, LocomotionError::TimeNotDriven { .. }), "{error}");
    }
    // 2: the lookup would answer 0.
    let stepped = [curve(&times(21), &stop_keys(), Interpolation::Step)];
    let error = set_up(&stepped, TimeSource::Matched).unwrap_err();
    assert!(
        matches!(&error, LocomotionError::NotIndexable { name, .. } if name == DISTANCE_CURVE),
        "{error}"
    );
    let error = set_up(&[], TimeSource::Matched).unwrap_err();
    assert!(matches!(error, LocomotionError::NoCurve { .. }), "{error}");
    // 3: the playhead would jump. The keys of a real bake fall from 0.2 s on.
    let falling = [curve(&times(16), &start_magnitudes(), Interpolation::Linear)];
    let error = set_up(&falling, TimeSource::Matched).unwrap_err();
    let LocomotionError::NotMonotone { key, time, value, previous, .. } = error else { panic!("{error}") };
    assert_eq!(key, 7);
    assert!(
        (time - 7.0 / 30.0).abs() < 1e-9 && (value - 0.0527).abs() < 1e-6 && (previous - 0.0648).abs() < 1e-6
    );
    // The first trap does not hide the second: with both, the first is named, and without it the second.
    assert!(matches!(set_up(&stepped, TimeSource::Constant), Err(LocomotionError::TimeNotDriven { .. })));
    // A value that repeats belongs to two moments.
    let mut level = stop_keys();
    level[9] = level[8];
    let error = set_up(&[curve(&times(21), &level, Interpolation::Linear)], TimeSource::Matched).unwrap_err();
    assert!(matches!(error, LocomotionError::NotMonotone { key: 9, .. }), "{error}");
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
    let step = advance_by_distance(&curve, &settings, &mut state, 0.0, 0.0).unwrap();
    assert_eq!((step.status, step.time), (MatchStatus::NoTime, 0.0));
    // A metre in no time is a teleport: the mesh takes what it may, the rest slides.
    let step = advance_by_distance(&curve, &settings, &mut state, 1.0, 0.0).unwrap();
    assert_eq!(step.status, MatchStatus::NoTime);
    assert!((step.account.offset - 0.15).abs() < 1e-12 && (step.account.slid - 0.85).abs() < 1e-12);
    let mut state = MatchState::at_start(&curve);
    let step = advance_by_distance(&curve, &settings, &mut state, 0.5, 1.0).unwrap();
    assert!(matches!(step.status, MatchStatus::Exhausted { .. } | MatchStatus::RateLimited), "{step:?}");
    assert!((0.0..=0.5).contains(&step.time) && step.rate >= 0.5);
}

#[test]
fn standing_going_back_and_passing_the_target_each_have_a_status() {
    let curve = start_curve();
    let settings = MatchSettings::start();
    let mut state = MatchState::at(&curve, 0.4);
    let mut last = MatchStatus::Matched;
    for _ in 0..10 {
        last = advance_by_distance(&curve, &settings, &mut state, 0.0, DT).unwrap().status;
    }
    assert_eq!(last, MatchStatus::Standing);
    let time = state.time();
    let step = advance_by_distance(&curve, &settings, &mut state, -0.01, DT).unwrap();
    assert_eq!(step.status, MatchStatus::Backwards { by: 0.01 });
    assert_eq!(step.time, time);
    let stop = stop_curve(&stop_keys());
    let settings = MatchSettings::stop();
    let mut state = MatchState::at_remaining(&stop, 0.5);
    let step = match_to_target(&stop, &settings, &mut state, -0.1, 0.05, DT).unwrap();
    assert_eq!(step.status, MatchStatus::TargetBehind { by: 0.1 });
    let mut state = MatchState::at_remaining(&stop, 3.0);
    let step = match_to_target(&stop, &settings, &mut state, 3.0, 0.1, DT).unwrap();
    assert!(matches!(step.status, MatchStatus::BeforeRange { by } if (by - 1.3365).abs() < 1e-3), "{step:?}");
    assert_eq!((step.time, step.account.handed_on), (0.0, 0.1));
    // A character that a wall stops in mid-run: the clip comes to its end all the same.
    let mut state = MatchState::at_remaining(&stop, 0.4);
    let mut ended = false;
    for _ in 0..120 {
        let step = match_to_target(&stop, &settings, &mut state, 0.0, 0.0, DT).unwrap();
        ended |= matches!(step.status, MatchStatus::Exhausted { .. });
    }
    assert!(ended && (state.time() - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn a_curve_of_the_wrong_kind_is_refused() {
    let (start, stop) = (start_curve(), stop_curve(&stop_keys()));
    let settings = MatchSettings::start();
    let mut state = MatchState::at_start(&stop);
    let wrong = |result: Result<sinew::MatchStep, LocomotionError>| {
        assert!(matches!(result, Err(LocomotionError::Kind { .. })), "{result:?}");
    };
    wrong(advance_by_distance(&stop, &settings, &mut state, 0.1, DT));
    wrong(match_to_target(&start, &settings, &mut state, 0.1, 0.1, DT));
    wrong(playrate_to_speed(&start, &settings, &mut state, 0.1, DT));
    assert!(stop.into_loop().is_err() && start.into_loop().is_ok());
}

#[test]
fn numbers_that_are_none_change_nothing() {
    let curve = start_curve();
    let settings = MatchSettings::start();
    let mut state = MatchState::at(&curve, 0.3);
    let before = state;
    for (travelled, dt) in [(f64::NAN, DT), (0.1, f64::NAN), (f64::INFINITY, DT), (0.1, -1.0)] {
        assert!(advance_by_distance(&curve, &settings, &mut state, travelled, dt).is_err());
    }
    let stop = stop_curve(&stop_keys());
    assert!(match_to_target(&stop, &settings, &mut state, f64::NAN, 0.1, DT).is_err());
    assert_eq!(state, before);
    for bad in [
        MatchSettings { max_rate: 0.1, ..settings },
        MatchSettings { slew: f64::NAN, ..settings },
        MatchSettings { stride: [1.2, 1.4], ..settings },
        MatchSettings { max_offset: -1.0, ..settings },
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
}
