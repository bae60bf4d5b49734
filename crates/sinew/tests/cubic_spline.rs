//! Promise: CUBICSPLINE is the Hermite spline of glTF 2.0 appendix C: tangents count per second, so that the
//! slope at a key is its tangent whatever the distance between keys; rotations come out at unit length.

mod rig;

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use rig::{keyed, track};
use sinew::Interpolation::CubicSpline;

fn point(v: [f32; 3]) -> DVec3 {
    DVec3::new(v[0].into(), v[1].into(), v[2].into())
}

/// The same cubic by another road: its Bezier control points and de Casteljau's construction.
fn de_casteljau(p0: DVec3, m0: DVec3, p1: DVec3, m1: DVec3, seconds: f64, u: f64) -> DVec3 {
    let mut points = [p0, p0 + m0 * (seconds / 3.0), p1 - m1 * (seconds / 3.0), p1];
    for left in (1..4).rev() {
        for i in 0..left {
            points[i] = points[i].lerp(points[i + 1], u);
        }
    }
    points[0]
}

proptest! {
    #[test]
    fn between_keys_it_is_the_bezier_curve_of_its_tangents((times, values) in keyed(2, 3), u in 0.0..1.0_f64) {
        let track = track(&times, &values, CubicSpline);
        for key in 0..times.len() - 1 {
            let seconds = times[key + 1] - times[key];
            let [p0, m0] = [values[key * 3 + 1], values[key * 3 + 2]].map(point);
            let [m1, p1] = [values[key * 3 + 3], values[key * 3 + 4]].map(point);
            let got = track.sample_vec3(times[key] + seconds * u);
            prop_assert!((got - de_casteljau(p0, m0, p1, m1, seconds, u)).length() < 1e-10);
        }
    }

    #[test]
    fn the_slope_on_either_side_of_a_key_is_its_tangent((times, values) in keyed(2, 3)) {
        let track = track(&times, &values, CubicSpline);
        let step = 1e-8;
        for key in 0..times.len() - 1 {
            let leaving = (track.sample_vec3(times[key] + step) - track.sample_vec3(times[key])) / step;
            prop_assert!((leaving - point(values[key * 3 + 2])).length() < 0.05, "out-tangent of key {}", key);
            let end = times[key + 1];
            let arriving = (track.sample_vec3(end) - track.sample_vec3(end - step)) / step;
            prop_assert!((arriving - point(values[key * 3 + 3])).length() < 0.05, "in-tangent of key {}", key + 1);
        }
    }
}

#[test]
fn hand_evaluated_values_over_uneven_intervals() {
    // Keys 0 at 0 s, 1 at 1 s, 0 at 3 s; all tangents 0 except the last in-tangent of -2 per second.
    // Halfway a Hermite spline is (v0 + v1) / 2 + td / 8 * (b0 - a1).
    let values = [[0.0], [0.0], [0.0], [0.0], [1.0], [0.0], [-2.0], [0.0], [0.0]];
    let track = track(&[0.0, 1.0, 3.0], &values, CubicSpline);
    let at = |t| track.sample_component(t, 0);
    assert_eq!(at(0.5), 0.5);
    assert_eq!(at(0.25), 3.0 / 16.0 - 2.0 / 64.0);
    assert_eq!(at(2.0), 0.5 + 2.0 / 8.0 * 2.0);
}

#[test]
fn two_numbers_a_key_are_stored_tangents_first() {
    // Morph weights: [key][in-tangents, values, out-tangents][target].
    let values = [[9.0, 9.0], [1.0, 3.0], [0.0, 0.0], [0.0, 0.0], [2.0, 5.0], [9.0, 9.0]];
    let track = track(&[0.0, 4.0], &values, CubicSpline);
    assert_eq!([0, 1].map(|c| track.sample_component(2.0, c)), [1.5, 4.0]);
}

#[test]
fn a_rotation_is_the_normalised_spline_of_its_stored_numbers() {
    let [a, b] = [DQuat::from_rotation_z(0.2), DQuat::from_rotation_z(1.0)].map(rig::f32s);
    let zero = [0.0; 4];
    let track = track(&[0.0, 1.0], &[zero, a, zero, zero, b, zero], CubicSpline);
    // With level tangents the midpoint is the mean of the keys: half way round, by symmetry.
    let middle = track.sample_rotation(0.5);
    assert!((middle.length() - 1.0).abs() < 1e-15);
    assert!(sinew::DTransform::angle_between(middle, DQuat::from_rotation_z(0.6)) < 1e-7);
}

#[test]
fn a_rotation_spline_of_tiny_numbers_is_the_same_as_at_unit_length() {
    let [a, b] = [DQuat::from_rotation_z(0.2), DQuat::from_rotation_z(1.0)];
    let zero = [0.0; 4];
    let at = |size: f64, t: f64| {
        let [a, b] = [a * size, b * size].map(rig::f32s);
        track(&[0.0, 1.0], &[zero, a, zero, zero, b, zero], CubicSpline).sample_rotation(t)
    };
    for t in [0.0, 0.2, 0.5, 0.9, 1.0] {
        let off = sinew::DTransform::angle_between(at(1e-30, t), at(1.0, t));
        assert!(off < 1e-6, "{off} rad at {t}");
    }
}

#[test]
fn a_rotation_spline_through_zero_stays_finite() {
    let track = track(
        &[0.0, 1.0],
        &[[0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [0.0, 0.0, 0.0, -1.0], [0.0; 4]],
        CubicSpline,
    );
    for i in 0..=100 {
        let q = track.sample_rotation(f64::from(i) / 100.0);
        assert!((q.length() - 1.0).abs() < 1e-12, "{q} at {i}");
    }
}
