//! Promise: a blend is the weighted mean of its poses, whatever their order and the signs of their quaternions;
//! weights below one leave the rest to the base, and masks say for which joints.

mod rig;

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use rig::{apart, chain, face, rotation, turn_x, turn_y};
use sinew::{BlendError, BlendJob, BlendLayer, DTransform, Joint, RawPose, Skeleton};

fn one_joint() -> Skeleton {
    chain(&[DTransform::IDENTITY])
}

fn turned(rotation: DQuat) -> RawPose {
    RawPose { local: vec![DTransform { rotation, ..DTransform::IDENTITY }], weights: vec![] }
}

fn layer(pose: &RawPose, weight: f64) -> BlendLayer<'_> {
    BlendLayer { pose, weight, mask: None }
}

fn blend(skeleton: &Skeleton, base: &RawPose, layers: &[BlendLayer<'_>]) -> Result<RawPose, BlendError> {
    let mut output = RawPose::default();
    BlendJob { skeleton, base, layers, output: &mut output }.run()?;
    Ok(output)
}

/// A pose of one joint whose rotation lies within 80 degrees of identity, where a mean is unique.
fn mild_pose() -> impl Strategy<Value = RawPose> {
    (rig::vec3(2.0), rig::axis(), -1.4..1.4_f64, rig::vec3(0.5)).prop_map(|(translation, axis, angle, s)| {
        let rotation = DQuat::from_axis_angle(axis, angle);
        RawPose { local: vec![DTransform { translation, rotation, scale: DVec3::ONE + s }], weights: vec![] }
    })
}

proptest! {
    #[test]
    fn order_does_not_matter(
        poses in prop::collection::vec((mild_pose(), 0.0..1.0_f64), 2..6),
        shuffle in any::<prop::sample::Index>(),
    ) {
        let (skeleton, base) = (one_joint(), turned(DQuat::IDENTITY));
        let mut layers: Vec<_> = poses.iter().map(|(pose, weight)| layer(pose, *weight)).collect();
        let straight = blend(&skeleton, &base, &layers).unwrap();
        let pivot = shuffle.index(layers.len());
        layers.rotate_left(pivot);
        let turned = blend(&skeleton, &base, &layers).unwrap();
        layers.reverse();
        let reversed = blend(&skeleton, &base, &layers).unwrap();
        prop_assert!(apart(&straight.local[0], &turned.local[0]) < 1e-12);
        prop_assert!(apart(&straight.local[0], &reversed.local[0]) < 1e-12);
    }

    #[test]
    fn a_quaternion_and_its_negative_are_one_rotation(
        poses in prop::collection::vec((mild_pose(), 0.01..1.0_f64), 2..6),
        signs in prop::collection::vec(any::<bool>(), 6),
    ) {
        let (skeleton, base) = (one_joint(), turned(DQuat::IDENTITY));
        let plain: Vec<_> = poses.iter().map(|(pose, weight)| layer(pose, *weight)).collect();
        let mut flipped = poses.clone();
        for ((pose, _), _) in flipped.iter_mut().zip(&signs).filter(|(_, flip)| **flip) {
            pose.local[0].rotation = -pose.local[0].rotation;
        }
        let flipped: Vec<_> = flipped.iter().map(|(pose, weight)| layer(pose, *weight)).collect();
        let (a, b) = (blend(&skeleton, &base, &plain).unwrap(), blend(&skeleton, &base, &flipped).unwrap());
        prop_assert!(apart(&a.local[0], &b.local[0]) < 1e-12);
    }

    #[test]
    fn the_mean_of_one_pose_with_itself_is_that_pose(pose in mild_pose(), weights in prop::collection::vec(0.1..3.0_f64, 1..5)) {
        let layers: Vec<_> = weights.iter().map(|w| layer(&pose, *w)).collect();
        let out = blend(&one_joint(), &pose, &layers).unwrap();
        prop_assert!(apart(&out.local[0], &pose.local[0]) < 1e-13);
    }

    #[test]
    fn one_pose_at_full_weight_is_that_pose_bit_for_bit(pose in mild_pose(), other in mild_pose(), r in rotation(), flip: bool) {
        let mut pose = pose;
        pose.local[0].rotation = if flip { -r } else { r };
        let layers = [layer(&other, 0.0), layer(&pose, 1.0)];
        prop_assert_eq!(&blend(&one_joint(), &other, &layers).unwrap(), &pose);
        // More than all of it is all of it.
        prop_assert_eq!(&blend(&one_joint(), &other, &[layer(&pose, 7.5)]).unwrap(), &pose);
    }

    #[test]
    fn the_mean_of_two_turns_about_one_axis_lies_between_them(
        axis in rig::axis(), a in -1.5..1.5_f64, b in -1.5..1.5_f64, w in 0.01..0.99_f64,
    ) {
        prop_assume!((a - b).abs() > 0.01);
        let [pa, pb] = [a, b].map(|angle| turned(DQuat::from_axis_angle(axis, angle)));
        let out = blend(&one_joint(), &pa, &[layer(&pa, 1.0 - w), layer(&pb, w)]).unwrap();
        let rotation = out.local[0].rotation;
        // Still about the axis, and the angles to both sides add up to the angle between them.
        let to_a = DTransform::angle_between(rotation, DQuat::from_axis_angle(axis, a));
        let to_b = DTransform::angle_between(rotation, DQuat::from_axis_angle(axis, b));
        prop_assert!((to_a + to_b - (a - b).abs()).abs() < 1e-9);
        prop_assert!(to_a > 0.0 && to_b > 0.0);
    }

    #[test]
    fn the_result_is_always_a_rotation(
        poses in prop::collection::vec((rotation(), 0.0..2.0_f64), 0..6), base in rotation(),
    ) {
        let poses: Vec<_> = poses.into_iter().map(|(r, w)| (turned(r), w)).collect();
        let layers: Vec<_> = poses.iter().map(|(pose, weight)| layer(pose, *weight)).collect();
        let out = blend(&one_joint(), &turned(base), &layers).unwrap();
        prop_assert!((out.local[0].rotation.length() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn half_and_half_is_half_way() {
    let [a, b] = [turned(turn_y(-30.0)), turned(turn_y(70.0))];
    let out = blend(&one_joint(), &a, &[layer(&a, 0.5), layer(&b, 0.5)]).unwrap();
    assert!(DTransform::angle_between(out.local[0].rotation, turn_y(20.0)) < 1e-14);
}

#[test]
fn three_turns_spread_evenly_about_their_middle_mean_the_middle() {
    let poses = [20.0, 50.0, 80.0].map(|d| turned(turn_x(d)));
    let layers: Vec<_> = poses.iter().map(|p| layer(p, 1.0)).collect();
    let out = blend(&one_joint(), &poses[0], &layers).unwrap();
    assert!(DTransform::angle_between(out.local[0].rotation, turn_x(50.0)) < 1e-14);
}

#[test]
fn weights_below_one_leave_the_rest_to_the_base() {
    let mut pose = turned(DQuat::IDENTITY);
    pose.local[0].translation = DVec3::new(8.0, 0.0, 0.0);
    let mut base = pose.clone();
    base.local[0].translation = DVec3::new(0.0, 4.0, 0.0);
    let out = blend(&one_joint(), &base, &[layer(&pose, 0.25)]).unwrap();
    assert_eq!(out.local[0].translation, DVec3::new(2.0, 3.0, 0.0));
    assert_eq!(blend(&one_joint(), &base, &[]).unwrap(), base);
    assert_eq!(blend(&one_joint(), &base, &[layer(&pose, 0.0)]).unwrap(), base);
}

#[test]
fn weights_above_one_are_shares_however_large() {
    let at = |x| RawPose {
        local: vec![DTransform { translation: DVec3::X * x, ..DTransform::IDENTITY }],
        weights: vec![],
    };
    let (base, a, b) = (at(100.0), at(1.0), at(5.0));
    let x =
        |wa, wb| blend(&one_joint(), &base, &[layer(&a, wa), layer(&b, wb)]).unwrap().local[0].translation.x;
    assert_eq!(x(3.0, 1.0), 2.0);
    assert_eq!(x(f64::MAX, f64::MAX), 3.0);
    assert_eq!(x(f64::MIN_POSITIVE, 0.0), 100.0);
}

#[test]
fn rotations_half_a_turn_apart_at_equal_weights_do_not_hang_on_order_or_rounding() {
    let [a, b, c] = [turned(turn_y(0.0)), turned(turn_y(180.0)), turned(turn_y(180.0))];
    let base = turned(turn_y(30.0));
    let one = blend(&one_joint(), &base, &[layer(&a, 0.5), layer(&b, 0.2), layer(&c, 0.3)]).unwrap();
    let two = blend(&one_joint(), &base, &[layer(&c, 0.3), layer(&a, 0.5), layer(&b, 0.2)]).unwrap();
    assert!(apart(&one.local[0], &two.local[0]) < 1e-12);
    // No mean exists: the base, which lies between them, decides.
    assert!(apart(&one.local[0], &base.local[0]) < 1e-12);
}

#[test]
fn masked_joints_stay_at_the_base_and_partial_masks_share() {
    let skeleton = chain(&[DTransform::IDENTITY; 3]);
    let base = RawPose::rest(&skeleton);
    let mut pose = base.clone();
    pose.local.iter_mut().for_each(|l| l.translation = DVec3::new(4.0, 0.0, 0.0));
    let mask = [0.0, 0.25, 1.0];
    let out = blend(&skeleton, &base, &[BlendLayer { pose: &pose, weight: 1.0, mask: Some(&mask) }]).unwrap();
    assert_eq!([0, 1, 2].map(|j| out.local[j].translation.x), [0.0, 1.0, 4.0]);
}

#[test]
fn morph_weights_blend_and_follow_the_mask_of_their_joint() {
    let skeleton = face();
    let base = RawPose::rest(&skeleton);
    let pose = RawPose { weights: vec![1.0, 0.0], ..base.clone() };
    let out = blend(&skeleton, &base, &[layer(&pose, 0.5)]).unwrap();
    assert_eq!(out.weights, [0.625, 0.25]);
    let out =
        blend(&skeleton, &base, &[BlendLayer { pose: &pose, weight: 1.0, mask: Some(&[0.0]) }]).unwrap();
    assert_eq!(out.weights, base.weights, "a masked face keeps its expression");
    let out = blend(&skeleton, &base, &[layer(&pose, 3.0), layer(&base, 1.0)]).unwrap();
    assert_eq!(out.weights, [0.8125, 0.125]);
}

#[test]
fn each_joint_masks_its_own_morph_weights() {
    let face = |name, weights| Joint { weights, ..Joint::new(name, None, DTransform::IDENTITY) };
    let skeleton = Skeleton::numbered(vec![face("a", 0..1), face("b", 1..2)], vec![0.0, 0.0]).unwrap();
    let base = RawPose::rest(&skeleton);
    let pose = RawPose { weights: vec![1.0, 1.0], ..base.clone() };
    let mask = [0.25, 0.75];
    let out = blend(&skeleton, &base, &[BlendLayer { pose: &pose, weight: 1.0, mask: Some(&mask) }]).unwrap();
    assert_eq!(out.weights, mask);
}

#[test]
fn layers_that_do_not_fit_are_errors_and_leave_the_output_alone() {
    let (skeleton, two) = (one_joint(), chain(&[DTransform::IDENTITY; 2]));
    let (base, other) = (RawPose::rest(&skeleton), RawPose::rest(&two));
    let mut output = turned(turn_x(12.0));
    let before = output.clone();
    let mut refuse = |base: &RawPose, layers: &[BlendLayer<'_>]| {
        let error = BlendJob { skeleton: &skeleton, base, layers, output: &mut output }.run().unwrap_err();
        assert_eq!(output, before);
        error
    };
    let error = refuse(&base, &[layer(&base, 1.0), layer(&other, 1.0)]);
    assert!(matches!(error, BlendError::Size { layer: 1, found: 2, expected: 1, .. }), "{error}");
    assert!(matches!(refuse(&other, &[]), BlendError::Base { found: 2, expected: 1, .. }));
    for weight in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(refuse(&base, &[layer(&base, weight)]), BlendError::Weight { layer: 0, .. }));
    }
    let mut mask = |mask: &[f64]| refuse(&base, &[BlendLayer { pose: &base, weight: 1.0, mask: Some(mask) }]);
    assert!(matches!(mask(&[]), BlendError::Mask { found: 0, expected: 1, .. }));
    for weight in [-0.1, 1.1, f64::NAN] {
        let error = mask(&[weight]);
        assert!(matches!(error, BlendError::MaskWeight { layer: 0, joint: 0, .. }), "{error}");
    }
}
