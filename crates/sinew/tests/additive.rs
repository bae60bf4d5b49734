//! Promise: an additive blend at weight 0 is the base, and at weight 1 on its own reference is the source,
//! whatever pose is chosen as reference.

mod rig;

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use rig::{apart, transform, turn_x, turn_y};
use sinew::{AdditiveJob, BlendError, DTransform, RawPose};

fn add(base: &RawPose, source: &RawPose, reference: &RawPose, weight: f64) -> Result<RawPose, BlendError> {
    let mut output = RawPose::default();
    AdditiveJob { base, source, reference, weight, output: &mut output }.run()?;
    Ok(output)
}

fn pose(local: DTransform) -> RawPose {
    RawPose { local: vec![local], weights: vec![0.5] }
}

proptest! {
    #[test]
    fn weight_0_is_the_base_bit_for_bit(base in transform(), source in transform(), reference in transform()) {
        let base = pose(base);
        prop_assert_eq!(&add(&base, &pose(source), &pose(reference), 0.0).unwrap(), &base);
    }

    #[test]
    fn weight_1_on_its_reference_is_the_source(source in transform(), reference in transform(), sign: bool) {
        let mut flipped = reference;
        flipped.rotation = if sign { -reference.rotation } else { reference.rotation };
        let out = add(&pose(reference), &pose(source), &pose(flipped), 1.0).unwrap();
        prop_assert!(apart(&out.local[0], &source) < 1e-12);
    }

    #[test]
    fn a_source_that_is_its_reference_adds_nothing(base in transform(), same in transform(), weight in 0.0..2.0_f64) {
        let out = add(&pose(base), &pose(same), &pose(same), weight).unwrap();
        prop_assert!(apart(&out.local[0], &base) < 1e-12);
    }

    #[test]
    fn turns_about_one_axis_add_their_angles(axis in rig::axis(), base in -1.0..1.0_f64, turn in -1.5..1.5_f64, weight in 0.0..1.0_f64) {
        let about = |angle| pose(DTransform { rotation: DQuat::from_axis_angle(axis, angle), ..DTransform::IDENTITY });
        let out = add(&about(base), &about(turn), &about(0.0), weight).unwrap();
        let expected = DQuat::from_axis_angle(axis, base + turn * weight);
        prop_assert!(DTransform::angle_between(out.local[0].rotation, expected) < 1e-12);
    }
}

#[test]
fn the_reference_is_what_the_caller_chose() {
    // A lean from 10 to 25 degrees, on a base turned by 40: measured from its first frame it adds 15 degrees,
    // measured from rest it adds 25.
    let lean = pose(DTransform { rotation: turn_x(25.0), ..DTransform::IDENTITY });
    let first = pose(DTransform { rotation: turn_x(10.0), ..DTransform::IDENTITY });
    let base = pose(DTransform { rotation: turn_x(40.0), ..DTransform::IDENTITY });
    let from = |reference: &RawPose| add(&base, &lean, reference, 1.0).unwrap().local[0].rotation;
    assert!(DTransform::angle_between(from(&first), turn_x(55.0)) < 1e-12);
    assert!(DTransform::angle_between(from(&pose(DTransform::IDENTITY)), turn_x(65.0)) < 1e-12);
}

#[test]
fn the_difference_turns_in_the_axes_of_the_parent() {
    let base = pose(DTransform { rotation: turn_y(90.0), ..DTransform::IDENTITY });
    let source = pose(DTransform { rotation: turn_x(30.0), ..DTransform::IDENTITY });
    let out = add(&base, &source, &pose(DTransform::IDENTITY), 1.0).unwrap();
    assert!(DTransform::angle_between(out.local[0].rotation, turn_x(30.0) * turn_y(90.0)) < 1e-12);
}

#[test]
fn translations_scales_and_morph_weights_add_their_share() {
    let local = |x: f64, s: f64| DTransform {
        translation: DVec3::X * x,
        scale: DVec3::splat(s),
        ..DTransform::IDENTITY
    };
    let base = pose(local(10.0, 3.0));
    let source = RawPose { weights: vec![0.9], ..pose(local(4.0, 4.0)) };
    let reference = RawPose { weights: vec![0.1], ..pose(local(2.0, 2.0)) };
    let out = add(&base, &source, &reference, 0.5).unwrap();
    assert_eq!(out.local[0].translation.x, 11.0);
    assert_eq!(out.local[0].scale, DVec3::splat(4.5), "half way to twice the size");
    assert!((out.weights[0] - 0.9).abs() < 1e-15);
}

#[test]
fn a_reference_that_has_vanished_still_gives_the_source_back() {
    for vanished in [0.0, -0.0, 1e-320] {
        let reference = pose(DTransform { scale: DVec3::new(vanished, 1.0, 1.0), ..DTransform::IDENTITY });
        let source = pose(DTransform { scale: DVec3::new(2.0, 3.0, 4.0), ..DTransform::IDENTITY });
        let out = add(&reference, &source, &reference, 1.0).unwrap();
        assert!((out.local[0].scale - DVec3::new(2.0, 3.0, 4.0)).length() < 1e-12, "{vanished}");
        let half = add(&reference, &source, &reference, 0.5).unwrap();
        assert!(half.local[0].scale.is_finite());
    }
}

#[test]
fn poses_that_do_not_fit_and_weights_that_are_no_share_are_errors() {
    let one = pose(DTransform::IDENTITY);
    let two = RawPose { local: vec![DTransform::IDENTITY; 2], weights: vec![0.5] };
    let bare = RawPose { weights: vec![], ..one.clone() };
    assert!(matches!(add(&one, &two, &one, 1.0), Err(BlendError::Size { layer: 0, .. })));
    assert!(matches!(add(&one, &one, &bare, 1.0), Err(BlendError::Size { layer: 1, found_weights: 0, .. })));
    assert!(matches!(add(&one, &one, &one, -1.0), Err(BlendError::Weight { .. })));
    assert!(matches!(add(&one, &one, &one, f64::NAN), Err(BlendError::Weight { .. })));
}
