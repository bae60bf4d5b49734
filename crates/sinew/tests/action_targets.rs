//! Promise: body, head and foot targets follow the robot's specification: height absolute against a stated
//! datum, the plane by difference, body angles weighted before and head angles after they become a rotation.
//!
//! The specification counts in centimetres with Z up and X forward; forward is +Z here and up +Y.

use core::f64::consts::{FRAC_PI_2, PI};

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew::action::{
    BodyCurves, ComposeError, Euler, FixedSoleBody, Side, StompBody, StompFoot, blend_scalar, nlerp_short,
};
use sinew::{Basis, DTransform};

fn body_at(height: f64) -> DTransform {
    DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(1.0, height, 2.0))
}

fn moved(forward: f64, left: f64, up: f64) -> BodyCurves {
    BodyCurves { translation: DVec3::new(forward, left, up), rotation: Euler::default() }
}

fn near(a: DVec3, b: DVec3) {
    assert!((a - b).length() < 1e-12, "{a} and {b}");
}

#[test]
fn a_height_of_900_cm_and_a_target_of_1050_cm_at_weight_0_4_give_960_cm() {
    assert!((blend_scalar(900.0, 1050.0, 0.4).unwrap() - 960.0).abs() < 1e-12);
    // The same through anchors: their mean is 50 cm, and 1000 cm of scaled height come on top.
    let anchors = [0.2, 0.8, 0.5].map(|y| DVec3::new(0.0, y, 0.0));
    let body = FixedSoleBody { body_ws: body_at(9.0), anchors_ws: &anchors, reference_height: 10.0 };
    let target = body.target(&moved(0.0, 0.0, 1.0), &BodyCurves::default(), 0.4).unwrap();
    near(target.body_ws.translation, DVec3::new(1.0, 9.6, 2.0));
    assert!((target.height_datum - 0.5).abs() < 1e-15);
    assert!((target.scaled_height - 10.0).abs() < 1e-15);
}

#[test]
fn a_curve_from_0_10_to_0_15_moves_the_body_50_cm_of_a_reference_height_of_1000_cm() {
    let anchors = [DVec3::ZERO];
    let body = FixedSoleBody { body_ws: body_at(9.0), anchors_ws: &anchors, reference_height: 10.0 };
    let target = body.target(&moved(0.15, 0.0, 0.9), &moved(0.10, 0.0, 0.9), 1.0).unwrap();
    near(target.body_ws.translation, DVec3::new(1.0, 9.0, 2.5));
    let half = body.target(&moved(0.15, 0.0, 0.9), &moved(0.10, 0.0, 0.9), 0.5).unwrap();
    near(half.body_ws.translation, DVec3::new(1.0, 9.0, 2.25));
}

#[test]
fn a_heading_of_90_degrees_turns_the_50_cm_into_the_world() {
    let body = StompBody {
        body_ws: body_at(9.0),
        striking_anchor_ws: DVec3::ZERO,
        heading: FRAC_PI_2,
        reference_height: 10.0,
    };
    let target = body.target(&moved(0.15, 0.0, 0.9), &moved(0.10, 0.0, 0.9)).unwrap();
    // Forward has become left.
    near(target.body_ws.translation, DVec3::new(1.5, 9.0, 2.0));
}

#[test]
fn a_stomp_with_curve_0_9_over_a_foot_at_40_cm_is_at_940_cm_whatever_came_before() {
    let body = StompBody {
        body_ws: body_at(9.0),
        striking_anchor_ws: DVec3::new(0.0, 0.4, 0.0),
        heading: 0.0,
        reference_height: 10.0,
    };
    for first in [0.0, 0.9, 2.0] {
        let target = body.target(&moved(0.0, 0.0, 0.9), &moved(0.0, 0.0, first)).unwrap();
        assert!((target.body_ws.translation.y - 9.4).abs() < 1e-12);
    }
}

#[test]
fn datums_of_a_stomp_and_of_fixed_soles_differ_where_the_feet_stand_at_different_heights() {
    let anchors = [DVec3::new(0.0, 0.4, 0.0), DVec3::ZERO];
    let curves = moved(0.0, 0.0, 0.9);
    let fixed = FixedSoleBody { body_ws: body_at(9.0), anchors_ws: &anchors, reference_height: 10.0 };
    let stomp = StompBody {
        body_ws: body_at(9.0),
        striking_anchor_ws: anchors[0],
        heading: 0.0,
        reference_height: 10.0,
    };
    let heights = [
        fixed.target(&curves, &curves, 1.0).unwrap().body_ws.translation.y,
        stomp.target(&curves, &curves).unwrap().body_ws.translation.y,
    ];
    assert!((heights[0] - 9.2).abs() < 1e-12 && (heights[1] - 9.4).abs() < 1e-12, "{heights:?}");
}

#[test]
fn a_foot_is_moved_150_cm_a_unit_in_its_heading_and_never_into_the_ground() {
    let foot = StompFoot {
        anchor_ws: DVec3::new(1.0, 0.0, 0.0),
        heading: FRAC_PI_2,
        side: Side::Left,
        planar_scale: StompFoot::SCALE,
        vertical_scale: StompFoot::SCALE,
    };
    // Forward is +X after a quarter turn to the left, outward of a left leg -Z.
    near(foot.target(1.0, 2.0, 0.0).unwrap(), DVec3::new(2.5, 3.0, 0.0));
    near(foot.target(0.0, -2.0, 1.0).unwrap(), DVec3::new(1.0, 0.0, -1.5));
    let right = StompFoot { side: Side::Right, ..foot };
    near(right.target(0.0, 0.0, 1.0).unwrap(), DVec3::new(1.0, 0.0, 1.5));
    for bad in [[f64::NAN, 0.0, 0.0], [0.0, f64::NAN, 0.0], [0.0, 0.0, f64::INFINITY]] {
        assert!(matches!(foot.target(bad[0], bad[1], bad[2]), Err(ComposeError::NotFinite { .. })));
    }
}

#[test]
fn body_angles_are_weighted_before_they_become_a_rotation() {
    let anchors = [DVec3::ZERO];
    let body_ws = DTransform { rotation: DQuat::from_rotation_y(0.3), ..body_at(9.0) };
    let body = FixedSoleBody { body_ws, anchors_ws: &anchors, reference_height: 10.0 };
    let rotation = Euler { pitch: 1.0, yaw: -0.6, roll: 0.4 };
    let curves = BodyCurves { translation: DVec3::ZERO, rotation };
    let half = body.target(&curves, &curves, 0.5).unwrap().body_ws.rotation;
    let expected = DQuat::from_rotation_y(0.3)
        * DQuat::from_rotation_y(-0.3)
        * DQuat::from_rotation_x(-0.5)
        * DQuat::from_rotation_z(0.2);
    assert!(DTransform::angle_between(half, expected) < 1e-12);
    // The other order is another rotation: this example can tell them apart.
    let after = body_ws.rotation * nlerp_short(DQuat::IDENTITY, rotation.to_quat(), 0.5).unwrap();
    assert!(DTransform::angle_between(half, after) > 1e-3);
}

#[test]
fn positive_angles_lift_the_nose_turn_left_and_lower_the_right_side() {
    let turned = |pitch, yaw, roll, v: DVec3| Euler { pitch, yaw, roll }.to_quat() * v;
    assert!(turned(0.1, 0.0, 0.0, DVec3::Z).y > 0.09);
    assert!(turned(0.0, 0.1, 0.0, DVec3::Z).x > 0.09);
    assert!(turned(0.0, 0.0, 0.1, DVec3::NEG_X).y < -0.09);
}

#[test]
fn a_head_readback_of_49_4_degrees_to_the_left_and_6_56_below_has_no_roll() {
    // A head-local quaternion read back from a running character: left-handed, X forward, Y right, Z up.
    let quoted = DQuat::from_xyzw(0.02391, 0.05198, -0.41717, 0.90702).normalize();
    // Where it points there, by its own algebra: ahead, to the left (Y is right) and down.
    let ahead = quoted * DVec3::X;
    assert!((ahead - DVec3::new(0.6465, -0.7543, -0.1142)).length() < 1e-4, "{ahead}");
    let basis = Basis::left_handed_z_up_x_forward(0.01).unwrap();
    let here = basis.rotation(quoted);
    // Left is +X here.
    assert!((here * DVec3::Z - DVec3::new(0.7543, -0.1142, 0.6465)).length() < 1e-4);
    let euler = Euler::from_quat(here);
    assert!((euler.yaw.to_degrees() - 49.399).abs() < 2e-3, "{}", euler.yaw.to_degrees());
    assert!((euler.pitch.to_degrees() + 6.560).abs() < 2e-3, "{}", euler.pitch.to_degrees());
    assert!(euler.roll.to_degrees().abs() < 2e-3, "{}", euler.roll.to_degrees());
}

#[test]
fn a_weight_outside_0_to_1_is_refused_everywhere() {
    let anchors = [DVec3::ZERO];
    let body = FixedSoleBody { body_ws: body_at(9.0), anchors_ws: &anchors, reference_height: 10.0 };
    let curves = BodyCurves::default();
    for weight in [-1e-9, 1.0 + 1e-9, f64::NAN, f64::INFINITY] {
        assert!(matches!(blend_scalar(0.0, 1.0, weight), Err(ComposeError::Weight { .. })));
        let nlerp = nlerp_short(DQuat::IDENTITY, DQuat::IDENTITY, weight);
        assert!(matches!(nlerp, Err(ComposeError::Weight { .. })));
        assert!(matches!(body.target(&curves, &curves, weight), Err(ComposeError::Weight { .. })));
    }
}

#[test]
fn inputs_that_are_none_are_refused_by_name() {
    let curves = BodyCurves::default();
    let anchors = [DVec3::ZERO];
    let body = FixedSoleBody { body_ws: body_at(9.0), anchors_ws: &anchors, reference_height: 10.0 };
    let none = FixedSoleBody { anchors_ws: &[], ..body };
    assert_eq!(none.target(&curves, &curves, 1.0), Err(ComposeError::NoAnchors));
    let flat = FixedSoleBody { reference_height: 0.0, ..body };
    assert_eq!(flat.target(&curves, &curves, 1.0), Err(ComposeError::ReferenceHeight { metres: 0.0 }));
    let nan = moved(0.0, f64::NAN, 0.0);
    let error = ComposeError::NotFinite { what: "a body channel" };
    assert_eq!(body.target(&nan, &curves, 1.0), Err(error));
    assert_eq!(body.target(&curves, &nan, 1.0), Err(error));
    let zero = nlerp_short(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::IDENTITY, 0.5);
    assert_eq!(zero, Err(ComposeError::NotUnit { what: "the reference rotation", length: 0.0 }));
}

fn rotations() -> impl Strategy<Value = DQuat> {
    let axis = (-1.0..1.0, -1.0..1.0, -1.0..1.0_f64, -1.0..1.0_f64);
    axis.prop_map(|(x, y, z, w)| DQuat::from_xyzw(x, y, z, w))
        .prop_filter_map("too short", |q| (q.length() > 0.1).then(|| q.normalize()))
}

proptest! {
    #[test]
    fn a_quaternion_and_its_negative_blend_alike(a in rotations(), b in rotations(), weight in 0.0..=1.0) {
        let plain = nlerp_short(a, b, weight).unwrap();
        prop_assume!(a.dot(b).abs() > 1e-9);
        for (a, b) in [(a, -b), (-a, b), (-a, -b)] {
            prop_assert!(DTransform::angle_between(plain, nlerp_short(a, b, weight).unwrap()) < 1e-12);
        }
        prop_assert!((plain.length() - 1.0).abs() < 1e-12);
        // Never further from either end than the ends are from each other.
        let whole = DTransform::angle_between(a, b);
        prop_assert!(DTransform::angle_between(plain, a) <= whole + 1e-12);
        prop_assert!(DTransform::angle_between(plain, b) <= whole + 1e-12);
    }

    #[test]
    fn angles_come_back_from_their_rotation(pitch in -1.5..1.5, yaw in -PI..PI, roll in -PI..PI) {
        let rotation = Euler { pitch, yaw, roll }.to_quat();
        let back = Euler::from_quat(rotation).to_quat();
        prop_assert!(DTransform::angle_between(rotation, back) < 1e-12);
        let found = Euler::from_quat(rotation);
        prop_assert!((found.pitch - pitch).abs() < 1e-9);
    }

    #[test]
    fn every_rotation_has_finite_angles_that_give_it_back(rotation in rotations()) {
        let back = Euler::from_quat(rotation).to_quat();
        prop_assert!(DTransform::angle_between(rotation, back) < 1e-7);
    }
}

#[test]
fn opposite_quaternions_of_one_rotation_have_a_middle() {
    let q = DQuat::from_rotation_x(0.7);
    assert!(DTransform::angle_between(nlerp_short(q, -q, 0.5).unwrap(), q) < 1e-15);
}
