//! Promise: a predicted stop is where the character stops, to the last bit, because the prediction moves the
//! character; the formulas of continuous motion miss it. Expected distances were measured with an independent
//! model at 60 frames a second.

mod locomotion_keys;

use glam::DVec2;
use locomotion_keys::{DT, braking, mover};
use proptest::prelude::*;
use sinew::locomotion::reference::{pivot_distance, stop_distance};
use sinew::{
    GroundMover, LocomotionError, Mover, predict_pivot, predict_stop, stop_closed_form, stop_parabola,
};

fn cm(metres: f64) -> f64 {
    100.0 * metres
}

#[test]
fn stops_are_as_measured() {
    // Friction, braking (m/s2), then cm: in frames, even deceleration, continuous, v^2/2b.
    for (f, b, real, even, closed, parabola) in [
        (0.0, 20.48, 82.96, 87.89, 87.89, 87.89),
        (8.0, 20.48, 29.08, 26.29, 36.37, 87.89),
        (16.0, 20.48, 15.62, 15.45, 23.59, 87.89),
        (3.0, 6.0, 99.91, 75.00, 107.58, 300.0),
        (8.0, 5.12, 47.52, 33.89, 56.28, 351.56),
        (1.0, 15.0, 89.51, 85.71, 95.29, 120.0),
    ] {
        let found = predict_stop(&mover(f, b), DVec2::new(0.0, 6.0), DT).unwrap();
        for (what, found, expected) in [
            ("in frames", found.distance, real),
            ("even", stop_distance(6.0, f, b), even),
            ("continuous", stop_closed_form(6.0, f, b), closed),
            ("parabola", stop_parabola(6.0, b), parabola),
        ] {
            assert!((cm(found) - expected).abs() < 0.006, "{f} {b} {what}: {} {expected}", cm(found));
        }
    }
}

#[test]
fn turns_are_as_measured() {
    for (friction, real, even) in [(0.0, 82.96, 87.89), (2.0, 44.13, 40.47), (8.0, 15.62, 15.45)] {
        let mover = GroundMover { friction, ..mover(0.0, 20.48) };
        let found = predict_pivot(&mover, DVec2::new(6.0, 0.0), DVec2::new(-1.0, 0.0), DT).unwrap();
        assert!((cm(found.distance) - real).abs() < 0.006, "{friction}: {} cm", cm(found.distance));
        assert!((cm(pivot_distance(6.0, friction, 20.48)) - even).abs() < 0.006);
    }
}

#[test]
fn getting_up_to_speed_takes_what_it_should() {
    let mover = mover(0.0, 20.48);
    assert!((cm(mover.run_up()) - 87.89).abs() < 0.01);
    let (mut v, mut frames) = (DVec2::ZERO, 0);
    while v.x < 6.0 {
        v = mover.step(v, DVec2::X, DT);
        frames += 1;
    }
    // 0.293 s, in whole frames.
    assert_eq!(frames, 18);
    assert_eq!(mover.step(v, DVec2::X, DT), DVec2::new(6.0, 0.0));
}

#[test]
fn what_never_stops_is_said() {
    let ice = mover(0.0, 0.0);
    let error = predict_stop(&ice, DVec2::X, DT).unwrap_err();
    assert!(matches!(error, LocomotionError::NeverStops { speed, .. } if speed == 1.0), "{error}");
    assert_eq!(stop_closed_form(1.0, 0.0, 0.0), f64::INFINITY);
    assert!(predict_stop(&ice, DVec2::X, 0.0).is_err());
    assert!(predict_stop(&ice, DVec2::new(f64::NAN, 0.0), DT).is_err());
    // So many seconds are looked ahead, not so many frames.
    for dt in [1e-4, DT, 0.3, 10.0] {
        let error = predict_stop(&ice, DVec2::X, dt).unwrap_err();
        let LocomotionError::NeverStops { seconds, .. } = error else { panic!("{error}") };
        assert!((100.0..100.0 + dt).contains(&seconds), "{seconds} s in frames of {dt} s");
    }
    // From 6 m/s by 0.1 m/s2 it takes a minute, in frames of any length.
    let slow = GroundMover { sub_step: 10.0, ..mover(0.0, 0.1) };
    for dt in [1e-4, DT] {
        let stop = predict_stop(&slow, DVec2::new(6.0, 0.0), dt).unwrap();
        // (It stands from 0.1 m/s on: 59 s.)
        assert!((stop.seconds - 59.0).abs() < 0.02 && (stop.distance - 179.95).abs() < 0.06, "{stop:?}");
    }
    let still = predict_stop(&ice, DVec2::ZERO, DT).unwrap();
    assert_eq!((still.distance, still.steps), (0.0, 0));
    assert!(GroundMover { braking: f64::NAN, ..ice }.check().is_err());
    assert!(ice.check().is_ok());
}

#[test]
fn braking_ends_whatever_the_sub_step() {
    for sub_step in [0.0, -1.0, 1e-300, f64::NAN] {
        let mover = GroundMover { sub_step, ..mover(2.0, 20.0) };
        assert!(mover.check().is_err());
        let finest = GroundMover { sub_step: 1e-4, ..mover };
        let (found, expected) =
            (mover.step(DVec2::X, DVec2::ZERO, DT), finest.step(DVec2::X, DVec2::ZERO, DT));
        assert_eq!(found, expected, "{sub_step}");
        assert!(predict_stop(&mover, DVec2::X, DT).is_ok_and(|stop| stop.distance < 0.1));
    }
}

proptest! {
    /// Any frame of braking predicts the rest of it.
    #[test]
    fn every_frame_of_a_stop_predicts_the_same_place(friction in 0.0_f64..20.0, deceleration in 1.0_f64..40.0) {
        let mover = mover(friction, deceleration);
        let path = braking(&mover);
        let end = path[path.len() - 1];
        let (mut v, mut x) = (DVec2::new(0.0, 6.0), 0.0);
        for at in &path {
            prop_assert!((x - at).abs() < 1e-12);
            let left = predict_stop(&mover, v, DT).unwrap();
            prop_assert!((x + left.distance - end).abs() < 1e-9, "{} {end}", x + left.distance);
            v = mover.step(v, DVec2::ZERO, DT);
            x += v.y * DT;
        }
    }

    /// In ever shorter frames the motion is the continuous one.
    #[test]
    fn the_closed_form_is_the_limit(friction in 0.0_f64..10.0, deceleration in 2.0_f64..30.0) {
        let mover = GroundMover { stop_speed: 0.0, sub_step: 1e-3, ..mover(friction, deceleration) };
        let found = predict_stop(&mover, DVec2::new(0.0, 4.0), 5e-4).unwrap().distance;
        let closed = stop_closed_form(4.0, friction, deceleration);
        prop_assert!((found - closed).abs() < 0.003, "{found} {closed}");
    }

    #[test]
    fn a_character_never_goes_faster_than_it_can(
        v in (-6.0_f64..6.0, -6.0_f64..6.0), input in (-2.0_f64..2.0, -2.0_f64..2.0), dt in 0.0_f64..0.5,
    ) {
        let v = DVec2::from(v).clamp_length_max(6.0);
        let after = mover(4.0, 10.0).step(v, DVec2::from(input), dt);
        prop_assert!(after.is_finite() && after.length() <= 6.0 + 1e-9);
        if DVec2::from(input).length() < 1e-9 {
            prop_assert!(after.length() <= v.length());
        }
    }
}
