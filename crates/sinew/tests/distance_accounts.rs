//! Promise: whatever the curve, the speeds and the steps, the playhead stays finite and inside the clip, rates
//! stay within their limits, and every metre is accounted for.

use proptest::prelude::*;
use sinew::{
    Account, Curve, DistanceCurve, DistanceKind, Interpolation, LocomotionError, MatchSettings, MatchState,
    MatchStatus, MatchStep, SplitSettings, Travel, advance_by_distance, match_to_target, playrate_to_speed,
};

fn kind() -> impl Strategy<Value = DistanceKind> {
    prop_oneof![
        Just(DistanceKind::Start),
        Just(DistanceKind::Stop),
        Just(DistanceKind::Pivot),
        Just(DistanceKind::Loop),
    ]
}

/// Keys that rise, fall, stand and repeat.
fn keys() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let step = prop_oneof![0.001_f64..0.2, Just(1.0 / 30.0)];
    let rise = prop_oneof![-1.0_f64..1.0, Just(0.0), 0.0_f64..0.3];
    (prop::collection::vec((step, rise), 2..40), -2.0_f64..2.0).prop_map(|(steps, first)| {
        let (mut t, mut d) = (0.0, first);
        steps
            .iter()
            .map(|(step, rise)| {
                (t, d) = (t + step, d + rise);
                (t, d)
            })
            .unzip()
    })
}

fn settings() -> impl Strategy<Value = MatchSettings> {
    (
        (0.0_f64..1.0, 0.0_f64..3.0, 0.1_f64..100.0),
        (0.0_f64..1.0, 1.0_f64..3.0, prop_oneof![0.1_f64..20.0, Just(1e6)]),
        prop_oneof![0.0_f64..0.5, Just(0.0)],
        0.01_f64..2.0,
        (0.0_f64..0.3, 0.0_f64..2.0, 0.1_f64..2.0),
    )
        .prop_map(|(rates, stride, max_offset, offset_half_life, settle)| MatchSettings {
            min_rate: rates.0,
            max_rate: rates.0 + rates.1 + 0.01,
            slew: rates.2,
            stride: [stride.0, stride.1],
            stride_slew: stride.2,
            max_offset,
            offset_half_life,
            settle_distance: settle.0,
            settle_speed: settle.1,
            settle_rate: settle.2,
        })
}

fn dt() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0 / 60.0), Just(0.0), Just(1.0), 1e-5_f64..0.2]
}

fn travelled() -> impl Strategy<Value = f64> {
    prop_oneof![0.0_f64..0.2, Just(0.0), -0.5_f64..0.5, 0.0_f64..10.0]
}

/// One step of the call that fits the curve.
fn any_step(
    curve: &DistanceCurve,
    settings: &MatchSettings,
    state: &mut MatchState,
    (travelled, remaining, dt): (f64, f64, f64),
) -> Result<MatchStep, LocomotionError> {
    match curve.kind() {
        DistanceKind::Stop => match_to_target(curve, settings, state, remaining, Travel { travelled, dt }),
        DistanceKind::Pivot if remaining > 0.0 => {
            match_to_target(curve, settings, state, remaining, Travel { travelled, dt })
        }
        DistanceKind::Loop => playrate_to_speed(curve, settings, state, Travel { travelled, dt }),
        _ => advance_by_distance(curve, settings, state, Travel { travelled, dt }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_metre_is_accounted_for(
        kind in kind(),
        (times, values) in keys(),
        settings in settings(),
        entry in -1.0_f64..3.0,
        steps in prop::collection::vec((travelled(), -0.5_f64..4.0, dt()), 1..60),
    ) {
        settings.check().unwrap();
        let curve = DistanceCurve::from_keys("d", kind, &times, &values, &SplitSettings::default());
        let Ok(curve) = curve else {
            prop_assert!(matches!(curve, Err(LocomotionError::NoTravel { .. })), "{curve:?}");
            return Ok(());
        };
        let [start, end] = curve.span();
        let mut state = MatchState::at_remaining(&curve, entry);
        prop_assert!((start..=end).contains(&state.time()));
        for input in steps {
            let before = state;
            let step = any_step(&curve, &settings, &mut state, input).unwrap();
            let (travelled, _, dt) = input;
            let account = step.account;
            prop_assert!(step.time.is_finite() && (start..=end).contains(&step.time), "{step:?}");
            prop_assert_eq!(step.time, state.time());
            prop_assert!((0.0..=settings.max_rate).contains(&step.rate), "{step:?}");
            if dt > 0.0 && step.rate != 0.0 {
                prop_assert!((step.rate - before.rate()).abs() <= settings.slew * dt + 1e-9
                    || before.rate() > settings.max_rate, "{step:?} after {before:?}");
            }
            // The parts are what was travelled.
            let sum = account.matched + account.warped + account.offset + account.slid;
            prop_assert!((account.travelled - sum).abs() <= 1e-6, "{step:?}");
            prop_assert!((account.travelled + account.handed_on - travelled).abs() <= 1e-6, "{step:?}");
            prop_assert_eq!(account.handed_on != 0.0 && travelled != 0.0 && !matches!(
                step.status, MatchStatus::Exhausted { .. } | MatchStatus::BeforeRange { .. }), false);
            // What was matched is what the clip covers.
            let covered = curve.distance_at(step.time) - curve.distance_at(before.time())
                + f64::from(step.wraps) * curve.range();
            prop_assert!((account.matched - covered).abs() <= 1e-6, "{step:?}");
            prop_assert!((step.offset - before.offset() - account.offset).abs() <= 1e-9);
            prop_assert!(step.offset.abs() <= settings.max_offset.max(before.offset().abs()) + 1e-12);
            // The stride is what the metres go by, and changes no faster than it may.
            prop_assert!((account.warped - account.matched * (step.stride - 1.0)).abs() <= 1e-9, "{step:?}");
            prop_assert!((settings.stride[0]..=settings.stride[1]).contains(&step.stride));
            prop_assert_eq!(step.stride, state.stride());
            let played = match step.status {
                // A stop that is over goes back to its own stride.
                MatchStatus::Exhausted { .. } if kind == DistanceKind::Stop && before.time() >= end => dt,
                MatchStatus::Exhausted { seconds } => dt - seconds,
                MatchStatus::BeforeRange { .. } => 0.0,
                _ => dt,
            };
            let most = settings.stride_slew * played;
            prop_assert!((step.stride - before.stride()).abs() <= most + 1e-9, "{step:?} after {before:?}");
            // In order: nothing slides unless the stride is as near to what is needed as it may get, and the mesh is
            // as far away as it may be.
            if account.slid.abs() > 1e-12 {
                let full = settings.max_offset.max(before.offset().abs());
                prop_assert!((step.offset.abs() - full).abs() < 1e-9, "{step:?} after {before:?}");
                prop_assert!(step.offset * account.slid >= 0.0, "{step:?}");
                let [least, longest] = settings.stride;
                // A clip that all but stands has no stride to scale, which then goes back to 1.
                let needed = if account.slid > 0.0 { longest } else { least };
                let needed = if account.matched > 0.03 * played { needed } else { 1.0 };
                let nearest = needed.clamp(before.stride() - most, before.stride() + most);
                let at_limit = (step.stride - nearest).abs() < 1e-9;
                prop_assert!(at_limit || dt == 0.0, "{step:?} after {before:?}");
            }
            // Time that moves on at a rate is never more than that.
            let moved = step.time - before.time() + f64::from(step.wraps) * curve.duration();
            prop_assert!(moved >= -1e-9 && moved <= step.rate * dt + 1e-9, "{moved} {step:?}");
            prop_assert!(step.remainder.is_finite());
        }
    }

    /// A curve rises strictly whatever it was made from, and its inverse is one.
    #[test]
    fn every_distance_belongs_to_one_moment(kind in kind(), (times, values) in keys(), at in 0.0_f64..1.0) {
        let Ok(curve) = DistanceCurve::from_keys("d", kind, &times, &values, &SplitSettings::default()) else {
            return Ok(());
        };
        let [start, end] = curve.span();
        prop_assert!(start == times[0] && (end - times[times.len() - 1]).abs() < 1e-9);
        let mut last = f64::NEG_INFINITY;
        for i in 0..curve.len() {
            let time = start + (end - start) * i as f64 / (curve.len() - 1) as f64;
            let distance = curve.distance_at(time);
            prop_assert!(distance > last, "{distance} after {last} at {time}");
            last = distance;
        }
        let time = start + (end - start) * at;
        prop_assert!((curve.distance_at(curve.time_at(curve.distance_at(time))) - curve.distance_at(time)).abs() < 1e-9);
        let [low, high] = curve.distances();
        prop_assert_eq!(curve.time_at(low - 1.0), start);
        prop_assert_eq!(curve.time_at(high + 1.0), curve.span()[1]);
        match kind {
            DistanceKind::Start => prop_assert!(low >= 0.0),
            DistanceKind::Stop => prop_assert!(high <= 1e-12),
            DistanceKind::Pivot => prop_assert!(low <= 1e-12 && high >= -1e-12),
            DistanceKind::Loop => {
                prop_assert!(low >= 0.0 && (high - values[values.len() - 1]).abs() < 1e-12);
                prop_assert!(curve.into_loop().is_ok());
            }
        }
    }

    /// A playhead that nothing holds back goes to the moment of the distance, from wherever it is.
    #[test]
    fn an_unlimited_playhead_is_where_the_distance_is(
        (times, values) in keys(), at in 0.0_f64..1.0, travelled in prop_oneof![0.0_f64..0.05, 0.0_f64..2.0],
    ) {
        let curve = DistanceCurve::from_keys("d", DistanceKind::Start, &times, &values, &SplitSettings::default());
        let Ok(curve) = curve else { return Ok(()) };
        let [start, end] = curve.span();
        let settings = MatchSettings { min_rate: 0.0, max_rate: 100.0, slew: 1e6, ..MatchSettings::start() };
        let mut state = MatchState::at(&curve, start + (end - start) * at);
        let step = advance_by_distance(&curve, &settings, &mut state, Travel { travelled, dt: 1.0 }).unwrap();
        let expected = curve.time_at(state.distance());
        prop_assert!((step.time - expected).abs() < 1e-9, "{} s, expected {expected}", step.time);
        prop_assert!((curve.distance_at(step.time) - state.distance().min(curve.distances()[1])).abs() < 1e-9);
    }

    /// Distance and remainder together are the path of the root: at the keys that fall on samples, exactly.
    #[test]
    fn nothing_of_the_path_is_lost(
        kind in kind(),
        values in prop::collection::vec(-1.0_f64..1.0, 2..30),
    ) {
        let times: Vec<f64> = (0..values.len()).map(|i| i as f64 / 30.0).collect();
        let Ok(curve) = DistanceCurve::from_keys("d", kind, &times, &values, &SplitSettings::default()) else {
            return Ok(());
        };
        for (time, value) in times.iter().zip(&values) {
            prop_assert!((curve.signed_at(*time) - value).abs() < 1e-6, "{} {value}", curve.signed_at(*time));
        }
    }

    /// Through a clip's curves and back: still strictly rising, in single precision.
    #[test]
    fn a_stored_curve_comes_back((times, values) in keys(), kind in kind(), scale in 0.01_f64..10.0) {
        let values: Vec<f64> = values.iter().map(|v| v * scale).collect();
        let Ok(curve) = DistanceCurve::from_keys("d", kind, &times, &values, &SplitSettings::default()) else {
            return Ok(());
        };
        let stored = curve.to_curves().unwrap();
        let back = DistanceCurve::from_clip_curves(&stored, "d").unwrap();
        prop_assert!((back.duration() - curve.duration()).abs() < 1e-9);
        for i in 0..50 {
            let time = curve.span()[0] + curve.duration() * f64::from(i) / 49.0;
            let size = curve.distances()[0].abs().max(curve.distances()[1].abs());
            prop_assert!((back.distance_at(time) - curve.distance_at(time)).abs() < 1e-6 + 1e-5 * size);
            prop_assert!((back.remainder_at(time) - curve.remainder_at(time)).abs() < 1e-6 + 1e-5 * size);
        }
    }

    /// Keys that are not even are met where they are.
    #[test]
    fn uneven_keys_are_met(steps in proptest::collection::vec((1_u8..40, 0.001_f32..1.0), 2..12)) {
        let (mut times, mut values) = (vec![0.0], vec![0.0_f32]);
        for (ticks, metres) in steps {
            times.push(times[times.len() - 1] + f64::from(ticks) / 64.0);
            values.push(values[values.len() - 1] + metres);
        }
        let stored = Curve::new("d", times.clone(), values.clone(), Interpolation::Linear).unwrap();
        let curve = DistanceCurve::from_clip_curves(&[stored], "d").unwrap();
        // The steepest way within a step of the grid, which has eight or more to an interval.
        let closest = times.windows(2).map(|t| t[1] - t[0]).fold(f64::INFINITY, f64::min);
        let steepest = times.windows(2).zip(values.windows(2)).map(|(t, v)| f64::from(v[1] - v[0]) / (t[1] - t[0]));
        let allowed = steepest.fold(0.0, f64::max) * closest / 8.0;
        for (time, value) in times.iter().zip(&values) {
            let found = curve.distance_at(*time);
            prop_assert!((found - f64::from(*value)).abs() <= allowed + 1e-6, "{found} at {time} s, {value}");
        }
    }

    /// Any numbers at all: an error, or a finite playhead. Settings of any kind, several at once, are met too: they
    /// bend what comes out, and none of it is ever no number.
    #[test]
    fn any_number_leaves_the_playhead_in_the_clip(
        a in proptest::num::f64::ANY, b in proptest::num::f64::ANY, c in proptest::num::f64::ANY,
        odd in prop::collection::vec((0_usize..11, odd_number()), 1..4),
        kind in kind(), (go, dt) in (travelled(), dt()),
    ) {
        let curve = DistanceCurve::from_keys("d", kind, &[0.0, 0.5, 1.0], &[-1.0, 0.0, 1.0], &SplitSettings::default()).unwrap();
        let mut settings = MatchSettings::start();
        for (field, value) in odd {
            *all_of(&mut settings)[field] = value;
        }
        let [start, end] = curve.span();
        let mut state = MatchState::at(&curve, a);
        for _ in 0..3 {
            let before = state;
            match any_step(&curve, &settings, &mut state, (a, b, c)) {
                Ok(step) => prop_assert!(numbers_of(&step).iter().all(|n| n.is_finite()), "{step:?}"),
                Err(_) => prop_assert_eq!(state, before),
            }
            prop_assert!((start..=end).contains(&state.time()), "{state:?}");
            // Settings of any kind with numbers of a game.
            let step = any_step(&curve, &settings, &mut state, (go, 0.4, dt)).unwrap();
            prop_assert!(numbers_of(&step).iter().all(|n| n.is_finite()), "{step:?} with {settings:?}");
            prop_assert!((start..=end).contains(&state.time()) && state.offset().is_finite(), "{state:?}");
            prop_assert!((0.0..=100.0).contains(&state.rate()) && (0.0..=10.0).contains(&state.stride()), "{state:?}");
            let size = 1.0 + step.account.slid.abs() + step.offset.abs();
            prop_assert!(step.account.imbalance().abs() <= 1e-6 * size, "{step:?}");
        }
        let usual = any_step(&curve, &MatchSettings::start(), &mut state, (0.1, 0.5, 1.0 / 60.0));
        prop_assert!(usual.is_ok_and(|step| (start..=end).contains(&step.time)));
    }
}

/// Any number, and those that limits are likely to be.
fn odd_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        proptest::num::f64::ANY,
        prop::sample::select(vec![
            0.0,
            -0.0,
            -1.0,
            1.0,
            1e300,
            -1e300,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN
        ]),
    ]
}

/// Every setting there is.
fn all_of(settings: &mut MatchSettings) -> [&mut f64; 11] {
    let MatchSettings {
        min_rate,
        max_rate,
        slew,
        stride: [least, longest],
        stride_slew,
        max_offset,
        offset_half_life,
        settle_distance,
        settle_speed,
        settle_rate,
    } = settings;
    [
        min_rate,
        max_rate,
        slew,
        least,
        longest,
        stride_slew,
        max_offset,
        offset_half_life,
        settle_distance,
        settle_speed,
        settle_rate,
    ]
}

fn numbers_of(step: &MatchStep) -> [f64; 11] {
    let MatchStep { time, rate, stride, remainder, offset, account, .. } = *step;
    let Account { travelled, matched, warped, offset: moved, slid, handed_on } = account;
    [time, rate, stride, remainder, offset, travelled, matched, warped, moved, slid, handed_on]
}
