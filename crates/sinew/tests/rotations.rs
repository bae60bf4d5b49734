//! Promise: LINEAR rotations turn at constant speed the short way, whatever the signs and lengths of their
//! keys; half a turn and vanishing lengths stay finite.

mod rig;

use glam::DQuat;
use proptest::prelude::*;
use rig::{axis, f32s, linear, rotation};
use sinew::{DTransform, slerp_short};

proptest! {
    #[test]
    fn the_turn_grows_evenly_about_one_axis(a in rotation(), axis in axis(), angle in -3.13..3.13_f64, u in 0.0..=1.0_f64) {
        let b = a * DQuat::from_axis_angle(axis, angle);
        let expected = a * DQuat::from_axis_angle(axis, angle * u);
        prop_assert!(DTransform::angle_between(slerp_short(a, b, u), expected) < 1e-9);
    }

    #[test]
    fn it_never_turns_more_than_the_angle_between_the_keys(a in rotation(), b in rotation(), u in 0.0..=1.0_f64) {
        let whole = DTransform::angle_between(a, b);
        let part = DTransform::angle_between(a, slerp_short(a, b, u));
        prop_assert!((part - whole * u).abs() < 1e-9, "{} of {} at {}", part, whole, u);
    }

    #[test]
    fn turning_the_sign_of_any_key_changes_nothing(
        keys in prop::collection::vec(rotation(), 2..6),
        signs in prop::collection::vec(any::<bool>(), 6),
        u in 0.0..1.0_f64,
    ) {
        // Away from exactly half a turn, where both ways are equally short.
        prop_assume!(keys.windows(2).all(|k| k[0].dot(k[1]).abs() > 1e-6));
        let times: Vec<f64> = (0..keys.len()).map(|k| k as f64).collect();
        let plain: Vec<[f32; 4]> = keys.iter().map(|q| f32s(*q)).collect();
        let flipped: Vec<[f32; 4]> =
            plain.iter().zip(&signs).map(|(q, flip)| if *flip { q.map(|c| -c) } else { *q }).collect();
        let (plain, flipped) = (linear(&times, &plain), linear(&times, &flipped));
        for key in 0..keys.len() {
            let time = key as f64 + u;
            let (a, b) = (plain.sample_rotation(time), flipped.sample_rotation(time));
            prop_assert!(DTransform::angle_between(a, b) < 1e-12);
        }
    }

    #[test]
    fn the_length_of_keys_does_not_matter(a in rotation(), b in rotation(), long in 1e-37..1e37_f64, u in 0.0..1.0_f64) {
        prop_assume!(a.dot(b).abs() > 1e-6);
        let unit = linear(&[0.0, 1.0], &[f32s(a), f32s(b)]);
        let scaled = linear(&[0.0, 1.0], &[f32s(a * long), f32s(b)]);
        let off = DTransform::angle_between(unit.sample_rotation(u), scaled.sample_rotation(u));
        // A length that is no power of two rounds the stored numbers.
        prop_assert!(off < 1e-6, "{} rad", off);
        prop_assert!((scaled.sample_rotation(u).length() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn close_keys_do_not_lose_precision(a in rotation(), axis in axis(), exponent in -16.0..-1.0_f64, u in 0.0..=1.0_f64) {
        let angle = libm::pow(10.0, exponent);
        let b = a * DQuat::from_axis_angle(axis, angle);
        let part = DTransform::angle_between(a, slerp_short(a, b, u));
        prop_assert!((part - angle * u).abs() < 5e-16 + angle * 1e-6, "{} for {} at {}", part, angle * u, u);
    }
}

#[test]
fn a_quarter_turn_is_half_done_in_the_middle() {
    let track = linear(&[1.0, 3.0], &[f32s(DQuat::IDENTITY), f32s(DQuat::from_rotation_y(1.5))]);
    let off = DTransform::angle_between(track.sample_rotation(2.0), DQuat::from_rotation_y(0.75));
    assert!(off < 1e-7, "{off}");
}

#[test]
fn half_turns_of_either_sign_are_finite_and_end_at_their_keys() {
    let half = [0.0, 1.0, 0.0, 0.0_f32];
    for key in [half, half.map(|c| -c)] {
        let track = linear(&[0.0, 1.0], &[[0.0, 0.0, 0.0, 1.0], key]);
        for i in 0..=20 {
            let u = f64::from(i) / 20.0;
            let q = track.sample_rotation(u);
            assert!((q.length() - 1.0).abs() < 1e-14);
            let turned = DTransform::angle_between(DQuat::IDENTITY, q);
            assert!((turned - core::f64::consts::PI * u).abs() < 1e-12, "{turned} at {u}");
        }
    }
}

#[test]
fn keys_of_denormal_length_are_rotations_too() {
    let tiny = f32::from_bits(1);
    let track = linear(&[0.0, 1.0], &[[0.0, tiny, 0.0, tiny], [0.0, 0.0, 0.0, tiny]]);
    let off = DTransform::angle_between(track.sample_rotation(0.0), rig::turn_y(90.0));
    assert!(off < 1e-15, "{off}");
    let off = DTransform::angle_between(track.sample_rotation(0.5), rig::turn_y(45.0));
    assert!(off < 1e-15, "{off}");
    let huge = linear(&[0.0], &[[f32::MAX, f32::MAX, f32::MAX, f32::MAX]]);
    assert!((huge.sample_rotation(0.0).length() - 1.0).abs() < 1e-15);
}

#[test]
fn step_keys_are_brought_to_unit_length() {
    let track =
        rig::track(&[0.0, 1.0], &[[0.0, 0.0, 3.0, 4.0], [0.0, 0.0, 0.0, 2.0]], sinew::Interpolation::Step);
    assert!(track.sample_rotation(0.7).abs_diff_eq(DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8), 1e-15));
}
