//! Promise: at a key the value is the key, before the first and after the last key the ends are held, and
//! STEP holds each key until the next one is reached.

mod rig;

use glam::DVec3;
use proptest::prelude::*;
use rig::{keyed, linear, track};
use sinew::{Curve, Interpolation, Track};

fn point(v: [f32; 3]) -> DVec3 {
    DVec3::new(v[0].into(), v[1].into(), v[2].into())
}

proptest! {
    #[test]
    fn sampling_at_a_key_gives_the_key_bit_for_bit((times, values) in keyed(1, 1), step: bool) {
        let mode = if step { Interpolation::Step } else { Interpolation::Linear };
        let track = track(&times, &values, mode);
        for (time, value) in times.iter().zip(&values) {
            prop_assert_eq!(track.sample_vec3(*time), point(*value));
        }
    }

    #[test]
    fn sampling_a_spline_at_a_key_gives_the_key_bit_for_bit((times, values) in keyed(1, 3)) {
        let track = track(&times, &values, Interpolation::CubicSpline);
        for (key, time) in times.iter().enumerate() {
            prop_assert_eq!(track.sample_vec3(*time), point(values[key * 3 + 1]));
        }
    }

    #[test]
    fn outside_the_keys_the_ends_are_held((times, values) in keyed(1, 1), far in 0.0..1e9_f64) {
        let track = linear(&times, &values);
        prop_assert_eq!(track.sample_vec3(track.start() - far), point(values[0]));
        prop_assert_eq!(track.sample_vec3(track.end() + far), point(values[values.len() - 1]));
    }

    #[test]
    fn a_spline_is_held_outside_its_keys_whatever_its_outer_tangents((times, values) in keyed(1, 3)) {
        let track = track(&times, &values, Interpolation::CubicSpline);
        prop_assert_eq!(track.sample_vec3(track.start() - 1.0), point(values[1]));
        prop_assert_eq!(track.sample_vec3(track.end() + 1.0), point(values[values.len() - 2]));
    }

    #[test]
    fn step_holds_until_the_next_key((times, values) in keyed(2, 1), u in 0.0..1.0_f64) {
        let track = track(&times, &values, Interpolation::Step);
        for key in 0..times.len() - 1 {
            let time = times[key] + (times[key + 1] - times[key]) * u;
            prop_assume!(time < times[key + 1]);
            prop_assert_eq!(track.sample_vec3(time), point(values[key]));
            prop_assert_eq!(track.sample_vec3(times[key + 1].next_down()), point(values[key]));
        }
    }

    #[test]
    fn linear_is_the_straight_line((times, values) in keyed(2, 1), u in 0.0..1.0_f64) {
        let track = linear(&times, &values);
        for key in 0..times.len() - 1 {
            let (a, b) = (point(values[key]), point(values[key + 1]));
            let got = track.sample_vec3(times[key] * (1.0 - u) + times[key + 1] * u);
            prop_assert!((got - (a * (1.0 - u) + b * u)).length() < 1e-10);
        }
    }

    #[test]
    fn the_bracket_holds_the_time((times, values) in keyed(1, 1), time in -1.0..20.0_f64) {
        let bracket = linear(&times, &values).bracket(time);
        prop_assert!((0.0..=1.0).contains(&bracket.u));
        if bracket.key == bracket.next {
            prop_assert!(time <= times[0] || time >= times[times.len() - 1]);
        } else {
            prop_assert!(bracket.next == bracket.key + 1);
            prop_assert!(times[bracket.key] <= time && time < times[bracket.next]);
        }
    }
}

#[test]
fn times_that_are_no_numbers_give_an_end_and_stay_finite() {
    let track = linear(&[0.5, 1.0], &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(track.sample_vec3(f64::NAN), DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(track.sample_vec3(f64::NEG_INFINITY), DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(track.sample_vec3(f64::INFINITY), DVec3::new(4.0, 5.0, 6.0));
}

#[test]
fn keys_one_rounding_step_apart_do_not_divide_by_zero() {
    let track = linear(&[1.0, 1.0_f64.next_up(), 2.0], &[[0.0; 3], [1.0; 3], [2.0; 3]]);
    assert_eq!(track.sample_vec3(1.0), DVec3::ZERO);
    assert_eq!(track.sample_vec3(1.0_f64.next_up()), DVec3::ONE);
    assert!((track.sample_vec3(1.5) - DVec3::splat(1.5)).length() < 1e-12);
}

#[test]
fn a_curve_is_constant_outside_its_keys() {
    let curve = Curve::new("distance", [1.0, 3.0], [10.0, 30.0], Interpolation::Linear).unwrap();
    assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|t| curve.sample(t)), [10.0, 10.0, 20.0, 30.0, 30.0]);
}

#[test]
fn constant_is_said_of_tracks_that_never_move() {
    let times = [0.0, 1.0];
    let spline = |v: [[f32; 1]; 6]| track(&times, &v, Interpolation::CubicSpline).is_constant();
    assert!(linear(&times, &[[2.0], [2.0]]).is_constant());
    assert!(!linear(&times, &[[2.0], [2.5]]).is_constant());
    assert!(spline([[0.0], [2.0], [0.0], [0.0], [2.0], [0.0]]));
    assert!(!spline([[0.0], [2.0], [1.0], [0.0], [2.0], [0.0]]), "the tangent leaves the key");
    assert!(spline([[7.0], [2.0], [0.0], [0.0], [2.0], [7.0]]), "outer tangents are never used");
    let one_key: Track = track(&[0.0], &[[5.0], [2.0], [5.0]], Interpolation::CubicSpline);
    assert!(one_key.is_constant());
}
