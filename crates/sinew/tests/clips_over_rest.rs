//! Promise: a clip says only what it has keys for: everything else is at rest, also right after another clip;
//! one-key and zero-length clips and channels of unequal length are fine.

mod rig;

use glam::{DQuat, DVec3};
use rig::{chain, channel, clip, face, linear};
use sinew::{ChannelTarget, ClipError, Curve, DTransform, Interpolation, JointId, RawClip, RawPose};

fn two_joints() -> sinew::Skeleton {
    let hip = DTransform { scale: DVec3::splat(2.0), ..DTransform::IDENTITY };
    let knee = DTransform::from_rotation_translation(DQuat::from_rotation_x(0.3), DVec3::new(0.0, -0.4, 0.0));
    chain(&[hip, knee])
}

#[test]
fn properties_without_a_channel_are_at_rest_even_after_another_clip() {
    let skeleton = two_joints();
    let all = clip(vec![
        channel(0, ChannelTarget::Scale, linear(&[0.0], &[[5.0, 5.0, 5.0]])),
        channel(1, ChannelTarget::Translation, linear(&[0.0], &[[9.0, 9.0, 9.0]])),
        channel(1, ChannelTarget::Rotation, linear(&[0.0], &[[0.0, 1.0, 0.0, 0.0]])),
    ]);
    let one = clip(vec![channel(1, ChannelTarget::Translation, linear(&[0.0], &[[1.0, 2.0, 3.0]]))]);
    let mut pose = RawPose::default();
    all.sample(&skeleton, 0.0, &mut pose);
    assert_eq!(pose.local[0].scale, DVec3::splat(5.0));
    one.sample(&skeleton, 0.0, &mut pose);
    let rest = RawPose::rest(&skeleton);
    assert_eq!(pose.local[0], rest.local[0]);
    assert_eq!(pose.local[1].translation, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(pose.local[1].rotation, rest.local[1].rotation);
    RawClip::default().sample(&skeleton, 7.0, &mut pose);
    assert_eq!(pose, rest);
}

#[test]
fn morph_weights_without_a_channel_are_at_rest() {
    let skeleton = face();
    let smile =
        clip(vec![channel(0, ChannelTarget::Weights, linear(&[0.0, 1.0], &[[0.0, 1.0], [1.0, 0.0]]))]);
    let mut pose = RawPose::default();
    smile.sample(&skeleton, 0.25, &mut pose);
    assert_eq!(pose.weights, [0.25, 0.75]);
    RawClip::default().sample(&skeleton, 0.25, &mut pose);
    assert_eq!(pose.weights, [0.25, 0.5]);
}

#[test]
fn a_pose_of_another_skeleton_is_resized() {
    let mut pose = RawPose::rest(&two_joints());
    RawClip::default().sample(&face(), 0.0, &mut pose);
    assert_eq!((pose.local.len(), pose.weights.len()), (1, 2));
}

#[test]
fn a_short_channel_holds_its_end_while_a_long_one_goes_on() {
    let skeleton = two_joints();
    let clip = clip(vec![
        channel(0, ChannelTarget::Translation, linear(&[0.5, 1.0], &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])),
        channel(1, ChannelTarget::Translation, linear(&[0.0, 4.0], &[[0.0, 0.0, 0.0], [0.0, 4.0, 0.0]])),
    ]);
    assert_eq!((clip.first_key(), clip.duration()), (0.0, 4.0));
    assert_eq!(clip.key_times(), [0.0, 0.5, 1.0, 4.0]);
    let mut pose = RawPose::default();
    let mut at = |t| {
        clip.sample(&skeleton, t, &mut pose);
        (pose.local[0].translation.x, pose.local[1].translation.y)
    };
    assert_eq!(at(0.25), (0.0, 0.25));
    assert_eq!(at(0.75), (0.5, 0.75));
    assert_eq!(at(3.0), (1.0, 3.0));
    assert_eq!(at(99.0), (1.0, 4.0));
}

#[test]
fn one_key_clips_hold_still_at_all_times() {
    let skeleton = two_joints();
    for (mode, parts) in
        [(Interpolation::Linear, 1), (Interpolation::Step, 1), (Interpolation::CubicSpline, 3)]
    {
        let values = vec![[1.0, 2.0, 3.0]; parts];
        for key_time in [0.0, 2.5] {
            let track = rig::track(&[key_time], &values, mode);
            let clip = clip(vec![channel(0, ChannelTarget::Translation, track)]);
            assert_eq!((clip.first_key(), clip.duration()), (key_time, key_time));
            let mut pose = RawPose::default();
            for time in [-1.0, 0.0, 2.5, 1e6] {
                clip.sample(&skeleton, time, &mut pose);
                assert_eq!(pose.local[0].translation, DVec3::new(1.0, 2.0, 3.0), "{mode:?} at {time}");
            }
        }
    }
}

#[test]
fn an_empty_clip_has_no_length_and_no_first_key() {
    let clip = RawClip::default();
    assert_eq!((clip.duration(), clip.first_key()), (0.0, 0.0));
    assert!(clip.key_times().is_empty());
}

#[test]
fn a_curve_makes_a_clip_longer() {
    let distance = Curve::new("distance", [0.0, 3.0], [0.0, 1.0], Interpolation::Linear).unwrap();
    let clip = RawClip { curves: vec![distance], ..RawClip::default() };
    assert_eq!(clip.duration(), 3.0);
    assert_eq!(clip.curve("distance").unwrap().sample(1.5), 0.5);
    assert!(clip.curve("speed").is_none());
}

#[test]
fn channels_that_do_not_fit_the_skeleton_are_refused_by_number() {
    let skeleton = two_joints();
    let fine = channel(1, ChannelTarget::Scale, linear(&[0.0], &[[1.0, 1.0, 1.0]]));
    let lost = channel(2, ChannelTarget::Scale, linear(&[0.0], &[[1.0, 1.0, 1.0]]));
    let error = clip(vec![fine.clone(), lost]).validate(&skeleton).unwrap_err();
    assert_eq!(error, ClipError::NoSuchJoint { channel: 1, joint: JointId(2), joints: 2 });
    let narrow = channel(0, ChannelTarget::Rotation, linear(&[0.0], &[[1.0, 1.0, 1.0]]));
    let error = clip(vec![fine.clone(), narrow]).validate(&skeleton).unwrap_err();
    let target = ChannelTarget::Rotation;
    assert_eq!(error, ClipError::Width { channel: 1, target, expected: 4, found: 3 });
    assert!(error.to_string().contains("rotation"));
    assert_eq!(clip(vec![fine]).validate(&skeleton), Ok(()));
    let weights = channel(0, ChannelTarget::Weights, linear(&[0.0], &[[1.0]]));
    assert!(matches!(
        clip(vec![weights]).validate(&face()),
        Err(ClipError::Width { expected: 2, found: 1, .. })
    ));
}
