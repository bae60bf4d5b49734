//! Promise: the motion of a root adds up for any split of time, forwards and backwards and over any number of
//! loops; loops compose as transforms, so that a clip that turns walks in a circle.

mod rig;

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use rig::{apart, chain, channel, clip, f32s, linear, turn_y};
use sinew::{
    ChannelTarget, DTransform, JointId, Playback, RawClip, RawPose, RootMotion, RootMotionError, Skeleton,
};

/// Radius of the turning loop, metres.
const RADIUS: f64 = 1.5;
/// Its turn in one loop of a second, degrees; nine loops close the circle.
const TURN: f64 = 40.0;

/// Where a walker is who started at (0.2, 0, 0.1), headed 10 degrees off Z, and has turned by `degrees`.
fn on_circle(degrees: f64) -> DTransform {
    let heading = turn_y(10.0);
    let along = turn_y(degrees);
    // A circle about a point RADIUS to the walker's left.
    let centre = DVec3::X * RADIUS;
    let offset = heading * (centre - along * centre);
    DTransform::from_rotation_translation(heading * along, DVec3::new(0.2, 0.0, 0.1) + offset)
}

/// One second on that circle, with keys every 50 ms.
fn turning_loop() -> (Skeleton, RawClip) {
    let times: Vec<f64> = (0..=20).map(|i| f64::from(i) / 20.0).collect();
    let poses: Vec<DTransform> = times.iter().map(|t| on_circle(TURN * t)).collect();
    let positions: Vec<[f32; 3]> = poses.iter().map(|p| p.translation.as_vec3().to_array()).collect();
    let rotations: Vec<[f32; 4]> = poses.iter().map(|p| f32s(p.rotation)).collect();
    let clip = clip(vec![
        channel(0, ChannelTarget::Translation, linear(&times, &positions)),
        channel(0, ChannelTarget::Rotation, linear(&times, &rotations)),
    ]);
    (chain(&[DTransform::IDENTITY]), clip)
}

/// One second: 1 m to the side, 2 m ahead and a quarter turn; every number is exact in f32.
fn quarter_turns() -> (Skeleton, RawClip) {
    let r = core::f32::consts::FRAC_1_SQRT_2;
    let clip = clip(vec![
        channel(0, ChannelTarget::Translation, linear(&[0.0, 1.0], &[[0.0; 3], [1.0, 0.0, 2.0]])),
        channel(0, ChannelTarget::Rotation, linear(&[0.0, 1.0], &[[0.0, 0.0, 0.0, 1.0], [0.0, r, 0.0, r]])),
    ]);
    (chain(&[DTransform::IDENTITY]), clip)
}

fn motion<'a>((skeleton, clip): &'a (Skeleton, RawClip), playback: Playback) -> RootMotion<'a> {
    RootMotion::new(skeleton, clip, JointId(0), playback).unwrap()
}

#[test]
fn a_turning_loop_walks_round_its_circle() {
    let rig = turning_loop();
    let root = motion(&rig, Playback::Loop);
    for time in [0.0, 0.05, 0.5, 1.0, 1.35, 2.7, 8.95, 9.0, 100.0, -0.4, -3.65] {
        let off = apart(&root.at_ms(time), &on_circle(TURN * time));
        assert!(off < 3e-6, "{off} at {time}");
    }
    let home = apart(&root.at_ms(9.0), &root.at_ms(0.0));
    assert!(home < 3e-6, "nine loops of 40 degrees close the circle, {home}");
}

#[test]
fn a_delta_is_seen_from_where_it_starts() {
    let rig = turning_loop();
    let root = motion(&rig, Playback::Loop);
    for (from, to) in [(0.0, 1.0), (0.25, 0.5), (0.8, 1.3), (0.5, 2.7), (0.0, 100.0), (1.3, 0.8), (2.7, 0.5)]
    {
        // From anywhere on a circle the same turn looks the same.
        let walked = turn_y(TURN * (to - from));
        let offset = DVec3::X * RADIUS - walked * (DVec3::X * RADIUS);
        let expected = DTransform::from_rotation_translation(walked, offset);
        let off = apart(&root.delta(from, to), &expected);
        assert!(off < 5e-6, "{off} from {from} to {to}");
    }
}

proptest! {
    #[test]
    fn deltas_add_up_for_any_split(
        stops in prop::collection::vec(-30.0..30.0_f64, 2..12),
    ) {
        let rig = turning_loop();
        let root = motion(&rig, Playback::Loop);
        let sum = stops.windows(2).fold(DTransform::IDENTITY, |sum, w| sum.mul_transform(&root.delta(w[0], w[1])));
        let whole = root.delta(stops[0], stops[stops.len() - 1]);
        prop_assert!(apart(&sum, &whole) < 1e-11);
    }

    #[test]
    fn deltas_of_a_clip_that_ends_add_up_too(stops in prop::collection::vec(-2.0..3.0_f64, 2..12)) {
        let rig = turning_loop();
        let root = motion(&rig, Playback::Once);
        let sum = stops.windows(2).fold(DTransform::IDENTITY, |sum, w| sum.mul_transform(&root.delta(w[0], w[1])));
        prop_assert!(apart(&sum, &root.delta(stops[0], stops[stops.len() - 1])) < 1e-11);
    }

    #[test]
    fn there_and_back_is_nowhere(from in -30.0..30.0_f64, to in -30.0..30.0_f64) {
        let rig = turning_loop();
        let root = motion(&rig, Playback::Loop);
        let back = root.delta(from, to).mul_transform(&root.delta(to, from));
        prop_assert!(apart(&back, &DTransform::IDENTITY) < 1e-11);
    }

    #[test]
    fn a_delta_carries_the_joint_from_one_place_to_the_other(from in -30.0..30.0_f64, to in -30.0..30.0_f64) {
        let rig = turning_loop();
        let root = motion(&rig, Playback::Loop);
        let there = root.at_ms(from).mul_transform(&root.delta(from, to));
        prop_assert!(apart(&there, &root.at_ms(to)) < 1e-11);
    }
}

#[test]
fn a_hundred_thousand_frames_end_where_one_step_does() {
    let rig = turning_loop();
    let root = motion(&rig, Playback::Loop);
    let mut sum = DTransform::IDENTITY;
    for frame in 0..100_000_u32 {
        sum = sum.mul_transform(&root.delta(f64::from(frame) / 60.0, f64::from(frame + 1) / 60.0));
    }
    let off = apart(&sum, &root.delta(0.0, 100_000.0 / 60.0));
    assert!(off < 1e-9, "{off}");
}

#[test]
fn a_million_loops_do_not_drift() {
    let rig = quarter_turns();
    let root = motion(&rig, Playback::Loop);
    for within in [0.0, 0.25, 0.5] {
        // Four quarter turns lead home.
        let off = apart(&root.at_ms(1e6 + within), &root.at_ms(within));
        assert!(off < 1e-9, "{off} m or rad after a million loops");
        let off = apart(&root.delta(1e6 + within, 1e6 + within + 0.125), &root.delta(within, within + 0.125));
        assert!(off < 1e-12, "{off} in a step after a million loops");
        let off = apart(&root.delta(-1e6 - 1.0 + within, -1e6 + within), &root.delta(within, within + 1.0));
        assert!(off < 1e-12, "{off} in a step a million loops before");
    }
}

#[test]
fn a_million_loops_straight_on_are_a_million_strides() {
    let walk =
        clip(vec![channel(0, ChannelTarget::Translation, linear(&[0.0, 1.0], &[[0.0; 3], [0.0, 0.0, 1.5]]))]);
    let rig = (chain(&[DTransform::IDENTITY]), walk);
    let root = motion(&rig, Playback::Loop);
    assert!((root.at_ms(1e6).translation - DVec3::Z * 1.5e6).length() < 1e-6);
    assert!((root.delta(0.0, 1e9 + 0.5).translation.z - 1.5e9 - 0.75).abs() < 1e-3);
    assert!((root.delta(1e6, 1e6 + 0.5).translation - DVec3::Z * 0.75).length() < 1e-9);
}

#[test]
fn times_beyond_all_counting_stay_finite() {
    let rig = quarter_turns();
    let root = motion(&rig, Playback::Loop);
    for time in [1e18, -1e18, 1e300, -1e300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        for found in [root.at_ms(time), root.delta(0.0, time), root.delta(time, 1.0)] {
            assert!(found.translation.is_finite() && found.rotation.is_finite(), "{time}: {found:?}");
        }
    }
}

#[test]
fn a_clip_played_once_ends_and_stays() {
    let rig = quarter_turns();
    let root = motion(&rig, Playback::Once);
    assert_eq!(root.at_ms(5.0), root.at_ms(1.0));
    assert_eq!(root.delta(1.0, 5.0).translation.length(), 0.0);
    assert!((root.delta(0.0, 7.0).translation - DVec3::new(1.0, 0.0, 2.0)).length() < 1e-12);
    assert!(apart(&root.delta(7.0, -3.0), &root.delta(0.0, 1.0).inverse_rigid()) < 1e-12);
}

#[test]
fn a_clip_of_no_length_cannot_loop() {
    let still = clip(vec![channel(0, ChannelTarget::Translation, linear(&[0.0], &[[1.0, 2.0, 3.0]]))]);
    let rig = (chain(&[DTransform::IDENTITY]), still);
    let root = motion(&rig, Playback::Loop);
    assert_eq!(root.at_ms(17.0).translation, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(root.delta(0.0, 17.0), DTransform::IDENTITY);
}

#[test]
fn the_last_moment_of_a_loop_is_the_first_of_the_next() {
    let rig = turning_loop();
    let root = motion(&rig, Playback::Loop);
    for cycle in [1.0_f64, 2.0, 7.0, 1000.0] {
        let off = apart(&root.at_ms(cycle.next_down()), &root.at_ms(cycle));
        assert!(off < 1e-9, "{off}");
    }
}

#[test]
fn ancestors_and_their_scale_carry_the_root() {
    // An armature in centimetres, turned to lie along X: the hips walk 2 m along world X.
    let armature = DTransform {
        rotation: turn_y(90.0),
        scale: DVec3::splat(0.01),
        translation: DVec3::new(0.0, 0.5, 0.0),
    };
    let skeleton = chain(&[armature, DTransform::IDENTITY]);
    let walk = clip(vec![channel(
        1,
        ChannelTarget::Translation,
        linear(&[0.0, 1.0], &[[0.0; 3], [0.0, 0.0, 200.0]]),
    )]);
    let root = RootMotion::new(&skeleton, &walk, JointId(1), Playback::Loop).unwrap();
    assert!((root.at_ms(3.0).translation - DVec3::new(6.0, 0.5, 0.0)).length() < 1e-9);
    // Seen from the hips, which face world X, it is straight ahead.
    assert!((root.delta(0.0, 1.0).translation - DVec3::new(0.0, 0.0, 2.0)).length() < 1e-9);
    // The same as the pose says.
    let mut pose = RawPose::default();
    let mut model_ms = Vec::new();
    walk.sample(&skeleton, 0.75, &mut pose);
    sinew::model_matrices(&skeleton, &pose, &mut model_ms);
    assert!((root.at_ms(0.75).translation - model_ms[1].w_axis.truncate()).length() < 1e-12);
    assert_eq!(
        DTransform::angle_between(root.at_ms(0.75).rotation, DQuat::IDENTITY).to_degrees().round(),
        90.0
    );
}

#[test]
fn a_root_that_is_not_there_is_an_error() {
    let (skeleton, clip) = quarter_turns();
    let error = RootMotion::new(&skeleton, &clip, JointId(4), Playback::Loop).unwrap_err();
    assert_eq!(error, RootMotionError::NoSuchJoint { joint: JointId(4), joints: 1 });
    assert!(error.to_string().contains("joint 4"));
}
