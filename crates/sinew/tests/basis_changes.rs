//! Promise: a change of axes and unit carries points, rotations, whole skeletons and clips over, reflections
//! included, so that what is computed after the change is the change of what was computed before it.

use core::f64::consts::FRAC_PI_2;

use glam::{DMat3, DMat4, DQuat, DVec3};
use proptest::prelude::*;
use sinew::{
    Basis, BasisError, Channel, ChannelTarget, Curve, DTransform, Interpolation, Joint, JointId, RawClip,
    RawPose, Skeleton, Track, TrackError, model_matrices,
};

fn turned(axis: DVec3, angle: f64) -> DQuat {
    DQuat::from_axis_angle(axis, angle)
}

/// `B` as a matrix.
fn matrix(basis: &Basis) -> DMat4 {
    let column = |axis| basis.point(axis);
    DMat4::from_mat3(DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z)))
}

fn near(a: &DMat4, b: &DMat4, tolerance: f64) -> bool {
    (*a - *b).to_cols_array().iter().all(|e| e.abs() <= tolerance)
}

#[test]
fn a_robot_measured_in_centimetres_with_z_up_stands_up_in_metres() {
    let basis = Basis::z_up_x_forward(0.01).unwrap();
    assert_eq!(basis.point(DVec3::new(700.0, 200.0, 900.0)), DVec3::new(2.0, 9.0, 7.0));
    assert_eq!(basis.direction(DVec3::X), DVec3::Z);
    assert!(!basis.is_reflection());
    // Yaw to the left about the source's up is yaw to the left about sinew's.
    let yaw = basis.rotation(turned(DVec3::Z, 0.3));
    assert!(DTransform::angle_between(yaw, turned(DVec3::Y, 0.3)) < 1e-15);
}

#[test]
fn a_quarter_turn_seen_in_a_mirror_turns_the_other_way() {
    // The known case: X goes to Y; with X mirrored, -X goes to Y.
    let mirror = Basis::new(DVec3::NEG_X, DVec3::Y, DVec3::Z, 1.0).unwrap();
    assert!(mirror.is_reflection());
    let there = mirror.rotation(turned(DVec3::Z, FRAC_PI_2));
    assert!((there * DVec3::NEG_X - DVec3::Y).length() < 1e-15);
    assert!(DTransform::angle_between(there, turned(DVec3::Z, -FRAC_PI_2)) < 1e-15);
    // Reordering components as a rotation of axes would turn it the wrong way.
    assert!(DTransform::angle_between(there, turned(DVec3::Z, FRAC_PI_2)) > 3.0);
}

#[test]
fn a_left_handed_engines_yaw_to_the_right_is_yaw_to_the_right() {
    // X forward, Y right, Z up: there, a positive turn about Z takes X to Y, to the right.
    let basis = Basis::left_handed_z_up_x_forward(0.01).unwrap();
    assert!(basis.is_reflection());
    let right = basis.rotation(turned(DVec3::Z, 0.5));
    assert!((right * DVec3::Z).x < -0.4);
    assert_eq!(basis.point(DVec3::new(0.0, 100.0, 0.0)), DVec3::NEG_X);
}

#[test]
fn a_head_below_a_turned_body_is_where_it_was_after_a_change_with_a_mirror() {
    // Both turned, about different axes: single axes hide the order of a product.
    let body = DTransform::from_rotation_translation(
        turned(DVec3::Z, 0.7) * turned(DVec3::Y, -0.4),
        DVec3::new(100.0, -50.0, 900.0),
    );
    let head = DTransform::from_rotation_translation(
        turned(DVec3::X, 0.9) * turned(DVec3::Z, -1.1),
        DVec3::new(0.0, 0.007, 156.852),
    );
    for basis in [Basis::z_up_x_forward(0.01), Basis::left_handed_z_up_x_forward(0.01)] {
        let basis = basis.unwrap();
        let after = basis.transform(&body).unwrap().mul_transform(&basis.transform(&head).unwrap());
        let expected = basis.transform(&body.mul_transform(&head)).unwrap();
        assert!((after.translation - expected.translation).length() < 1e-12);
        assert!(DTransform::angle_between(after.rotation, expected.rotation) < 1e-12);
        // And that is the change of the matrix.
        let whole = matrix(&basis) * body.mul_transform(&head).to_matrix() * matrix(&basis).inverse();
        assert!(near(&after.to_matrix(), &whole, 1e-10));
    }
}

#[test]
fn axes_that_are_none_are_refused() {
    let skewed = Basis::new(DVec3::X, DVec3::new(0.1, 1.0, 0.0), DVec3::Z, 1.0);
    assert!(matches!(skewed, Err(BasisError::NotOrthogonal { error }) if (error - 0.1).abs() < 0.01));
    let long = Basis::new(DVec3::X * 2.0, DVec3::Y, DVec3::Z, 1.0);
    assert!(matches!(long, Err(BasisError::NotOrthogonal { .. })));
    assert!(Basis::new(DVec3::NAN, DVec3::Y, DVec3::Z, 1.0).is_err());
    for scale in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        assert!(matches!(Basis::z_up_x_forward(scale), Err(BasisError::Scale { .. })), "{scale}");
    }
}

fn oblique() -> Basis {
    let rotation = turned(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.8);
    Basis::new(rotation * DVec3::X, rotation * DVec3::Y, rotation * DVec3::NEG_Z, 2.0).unwrap()
}

#[test]
fn scale_by_axis_follows_its_axis_and_is_refused_where_it_would_become_shear() {
    let scale = DVec3::new(1.0, 2.0, -3.0);
    let transform = DTransform { scale, ..DTransform::IDENTITY };
    let basis = Basis::left_handed_z_up_x_forward(1.0).unwrap();
    // X, Y, Z become Z, X, Y.
    assert_eq!(basis.transform(&transform).unwrap().scale, DVec3::new(2.0, -3.0, 1.0));
    assert_eq!(oblique().transform(&transform), Err(BasisError::Shear { scale }));
    let even = DTransform { scale: DVec3::splat(2.5), ..DTransform::IDENTITY };
    assert_eq!(oblique().transform(&even).unwrap().scale, even.scale);
    let skeleton = Skeleton::numbered(vec![Joint::new("a", None, transform)], Vec::new()).unwrap();
    let source = Box::new(BasisError::Shear { scale });
    assert_eq!(oblique().skeleton(&skeleton), Err(BasisError::Joint { joint: JointId(0), source }));
}

#[test]
fn each_field_has_its_own_unit_and_those_without_axes_stay() {
    let translation = Track::new([0.0].into(), [10.0, 20.0, 30.0].into(), 3, Interpolation::Linear).unwrap();
    let channel =
        Channel { joint: JointId(0), target: ChannelTarget::Translation, track: translation, source: 0 };
    // Height in parts of a reference height: no length.
    let height = Curve::new("height", [0.0], [0.9_f32], Interpolation::Linear).unwrap();
    let clip = RawClip { channels: vec![channel], curves: vec![height.clone()], ..RawClip::default() };
    let after = Basis::z_up_x_forward(0.01).unwrap().clip(&clip).unwrap();
    assert_eq!(&**after.channels[0].track.values(), [0.2, 0.3, 0.1]);
    assert_eq!(after.curves, [height]);
}

#[test]
fn keys_too_large_for_single_precision_are_named() {
    let track = Track::new([0.0].into(), [0.0, 1e30, 0.0].into(), 3, Interpolation::Linear).unwrap();
    let channel = Channel { joint: JointId(0), target: ChannelTarget::Translation, track, source: 0 };
    let clip = RawClip { channels: vec![channel], ..RawClip::default() };
    let error = Basis::z_up_x_forward(1e10).unwrap().clip(&clip).unwrap_err();
    let BasisError::Track { channel: 0, source: TrackError::NonFiniteValue { key: 0, component: 0, .. } } =
        error
    else {
        panic!("{error}")
    };
}

fn vectors(range: f64) -> impl Strategy<Value = DVec3> {
    [-range..range, -range..range, -range..range].prop_map(DVec3::from_array)
}

fn rotations() -> impl Strategy<Value = DQuat> {
    (vectors(1.0), -3.1..3.1)
        .prop_map(|(axis, angle)| turned(axis.try_normalize().unwrap_or(DVec3::X), angle))
}

/// Axes in any order and direction, or at any angle, mirrored or not.
fn bases() -> impl Strategy<Value = Basis> {
    let signs = [any::<bool>(), any::<bool>(), any::<bool>()];
    let scale = 0.01..10.0_f64;
    (0..6_usize, signs, rotations(), any::<bool>(), scale).prop_map(
        |(order, signs, rotation, exact, scale)| {
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            let order = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]][order];
            let axis = |i: usize| axes[order[i]] * if signs[i] { -1.0 } else { 1.0 };
            let turn = if exact { DQuat::IDENTITY } else { rotation };
            Basis::new(turn * axis(0), turn * axis(1), turn * axis(2), scale).unwrap()
        },
    )
}

fn chain(steps: &[(DVec3, DQuat, f64)]) -> Skeleton {
    let joint = |(i, (translation, rotation, scale)): (usize, &(DVec3, DQuat, f64))| {
        let scale = DVec3::splat(*scale);
        let rest = DTransform { translation: *translation, rotation: *rotation, scale };
        Joint::new(format!("joint {i}"), i.checked_sub(1).map(|p| JointId(p as u32)), rest)
    };
    Skeleton::numbered(steps.iter().enumerate().map(joint).collect(), Vec::new()).unwrap()
}

proptest! {
    #[test]
    fn model_matrices_of_a_changed_chain_are_the_changed_matrices_of_the_chain(
        basis in bases(), steps in prop::collection::vec((vectors(3.0), rotations(), 0.5..2.0_f64), 1..6),
    ) {
        let skeleton = chain(&steps);
        let changed = basis.skeleton(&skeleton).unwrap();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut before);
        model_matrices(&changed, &RawPose::rest(&changed), &mut after);
        let b = matrix(&basis);
        for (m, found) in before.iter().zip(&after) {
            let expected = b * *m * b.inverse();
            let size = expected.to_cols_array().iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            prop_assert!(near(found, &expected, size * 1e-12));
            prop_assert!(near(found, &basis.matrix(m), size * 1e-12));
        }
    }

    #[test]
    fn a_change_and_its_way_back_leave_everything_as_it_was(
        basis in bases(), point in vectors(100.0), rotation in rotations(), next in bases(),
    ) {
        let back = basis.then(&basis.inverse());
        prop_assert!((back.point(point) - point).length() < 1e-10);
        prop_assert!(DTransform::angle_between(back.rotation(rotation), rotation) < 1e-12);
        prop_assert!(!back.is_reflection());
        let both = basis.then(&next);
        prop_assert!((both.point(point) - next.point(basis.point(point))).length() < 1e-9);
        let one_by_one = next.rotation(basis.rotation(rotation));
        prop_assert!(DTransform::angle_between(both.rotation(rotation), one_by_one) < 1e-12);
        prop_assert_eq!(both.is_reflection(), basis.is_reflection() != next.is_reflection());
    }

    #[test]
    fn turning_a_point_and_changing_axes_can_be_done_in_either_order(
        basis in bases(), point in vectors(10.0), rotation in rotations(),
    ) {
        let one = basis.rotation(rotation) * basis.point(point);
        prop_assert!((one - basis.point(rotation * point)).length() < 1e-10);
        prop_assert!((basis.rotation(rotation).length() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_changed_clip_samples_to_the_changed_pose(
        basis in bases(), steps in prop::collection::vec((vectors(3.0), rotations(), 0.5..2.0_f64), 2),
        places in prop::collection::vec(vectors(5.0), 3), turns in prop::collection::vec(rotations(), 3),
        spline: bool, time in 0.0..2.0_f64,
    ) {
        let skeleton = chain(&steps);
        let joint = JointId(1);
        let (times, interpolation): (&[f64], _) =
            if spline { (&[0.5], Interpolation::CubicSpline) } else { (&[0.0, 0.75, 2.0], Interpolation::Linear) };
        let translation: Vec<f32> = places.iter().flat_map(|p| p.as_vec3().to_array()).collect();
        let rotation: Vec<f32> = turns.iter().flat_map(|q| q.as_quat().to_array()).collect();
        let channels = vec![
            Channel {
                joint,
                target: ChannelTarget::Translation,
                track: Track::new(times.into(), translation.into(), 3, interpolation).unwrap(),
                source: 0,
            },
            Channel {
                joint,
                target: ChannelTarget::Rotation,
                track: Track::rotation(times.into(), rotation.into(), interpolation).unwrap(),
                source: 1,
            },
        ];
        let clip = RawClip { channels, ..RawClip::default() };
        let (mut before, mut after) = (RawPose::default(), RawPose::default());
        clip.sample(&skeleton, time, &mut before);
        basis.clip(&clip).unwrap().sample(&basis.skeleton(&skeleton).unwrap(), time, &mut after);
        let expected = basis.pose(&before).unwrap();
        for (found, expected) in after.local.iter().zip(&expected.local) {
            // Keys are single precision, rounded once more.
            let size = 1.0 + expected.translation.length() + 10.0 * basis.scale();
            prop_assert!((found.translation - expected.translation).length() < size * 1e-6);
            prop_assert!(DTransform::angle_between(found.rotation, expected.rotation) < 1e-5);
            prop_assert!((found.scale - expected.scale).length() < 1e-12);
        }
    }
}
