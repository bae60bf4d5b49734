//! Clips that differ are found to differ, in the property in which they do.

use glam::{DQuat, DVec3};
use sinew::{
    Channel, ChannelTarget, DTransform, DifferenceJob, Interpolation, Joint, JointId, PoseDifferenceError,
    PoseDifferenceJob, RawClip, RawPose, Skeleton, Space, Track,
};

fn skeleton(weights: usize) -> Skeleton {
    let mut joint = Joint::new("face", None, DTransform::IDENTITY);
    joint.weights = 0..weights;
    Skeleton::new(vec![joint], vec![0.25; weights]).unwrap()
}

fn smile(to: f32) -> RawClip {
    let values = [0.0, 0.0, to, 0.5].into();
    let track = Track::new([0.0, 1.0].into(), values, 2, Interpolation::Linear).unwrap();
    let channel = Channel { joint: JointId(0), target: ChannelTarget::Weights, track, source: 0 };
    RawClip { channels: vec![channel], ..RawClip::default() }
}

#[test]
fn morph_weights_that_differ_are_found_with_their_moment() {
    let skeleton = skeleton(2);
    let (a, b) = (smile(1.0), smile(0.75));
    let pairs = [(JointId(0), JointId(0))];
    let times = [0.0, 0.5, 1.0];
    let (a, b) = ((&skeleton, &a), (&skeleton, &b));
    for space in [Space::Local, Space::Model] {
        let found = DifferenceJob { a, b, pairs: &pairs, times: &times, space }.run();
        assert_eq!((found.weight.value, found.weight.time, found.position.value), (0.25, 1.0, 0.0));
        assert_eq!(DifferenceJob { a, b: a, pairs: &pairs, times: &times, space }.run().weight.value, 0.0);
    }
}

#[test]
fn a_morph_target_that_the_other_lacks_counts_as_0_there() {
    let (two, none, still) = (skeleton(2), skeleton(0), RawClip::default());
    let pairs = [(JointId(0), JointId(0))];
    let (a, b) = ((&two, &still), (&none, &still));
    let found = DifferenceJob { a, b, pairs: &pairs, times: &[0.0], space: Space::Model }.run();
    assert_eq!(found.weight.value, 0.25);
}

#[test]
fn key_times_of_channels_that_share_a_list_are_listed_once() {
    let mut clip = smile(1.0);
    clip.channels = vec![clip.channels[0].clone(); 5000];
    assert_eq!(clip.key_times(), [0.0, 1.0]);
}

/// Body, head in it, core in the head.
fn robot() -> Skeleton {
    let at = |y: f64| DTransform { translation: DVec3::new(0.0, y, 0.5), ..DTransform::IDENTITY };
    let joints = vec![
        Joint::new("body", None, DTransform::IDENTITY),
        Joint::new("head", Some(JointId(0)), at(1.5)),
        Joint::new("core", Some(JointId(1)), at(1.0)),
    ];
    Skeleton::numbered(joints, Vec::new()).unwrap()
}

const ALL: [(JointId, JointId); 3] =
    [(JointId(0), JointId(0)), (JointId(1), JointId(1)), (JointId(2), JointId(2))];

#[test]
fn poses_are_compared_in_the_space_that_is_named() {
    let skeleton = robot();
    let a = vec![RawPose::rest(&skeleton); 3];
    let mut b = a.clone();
    // The body turns in the second pose; the core slides by 4 mm in the third.
    b[1].local[0].rotation = DQuat::from_rotation_z(0.1);
    b[2].local[2].translation.y += 0.004;
    let times = [1.0, 1.5, 2.25];
    let run = |space| {
        let (a, b) = ((&skeleton, &*a), (&skeleton, &*b));
        PoseDifferenceJob { a, b, pairs: &ALL, times: &times, space }.run().unwrap()
    };
    let local = run(Space::Local);
    assert!((local.position.value - 0.004).abs() < 1e-15);
    assert_eq!((local.position.joint, local.position.time), (JointId(2), 2.25));
    assert!((local.rotation.value - 0.1).abs() < 1e-12);
    assert_eq!((local.rotation.joint, local.rotation.time), (JointId(0), 1.5));
    // In the model the core, 2.5 m up, swings with the body: a chord of 0.1 radians.
    let model = run(Space::Model);
    assert!((model.position.value - 2.0 * 2.5 * libm::sin(0.05)).abs() < 1e-12);
    assert_eq!((model.position.joint, model.position.time), (JointId(2), 1.5));
    // In the head's space nothing is turned by the body, which carries the head: the core's slide is left.
    let head = run(Space::Joint(JointId(1), JointId(1)));
    assert!((head.position.value - 0.004).abs() < 1e-12 && head.rotation.value < 1e-12);
    assert_eq!((head.position.joint, head.position.time), (JointId(2), 2.25));
}

#[test]
fn a_comparison_says_over_which_moments_joints_and_space_it_was_made() {
    let skeleton = robot();
    let poses = vec![RawPose::rest(&skeleton); 2];
    let (a, b) = ((&skeleton, &*poses), (&skeleton, &*poses));
    let found =
        PoseDifferenceJob { a, b, pairs: &ALL[..2], times: &[0.5, 0.25], space: Space::Local }.run().unwrap();
    let range = found.range;
    assert_eq!((range.first, range.last, range.moments, range.pairs), (0.25, 0.5, 2, 2));
    assert_eq!((found.samples, found.space), (4, Space::Local));
    let text = format!("{found:#}");
    assert!(text.contains("local space, 2 joints, 2 moments from 0.250000 to 0.500000 s"), "{text}");
}

#[test]
fn a_quaternion_and_its_negative_are_no_difference() {
    let skeleton = robot();
    let mut a = RawPose::rest(&skeleton);
    a.local[1].rotation = DQuat::from_rotation_x(2.0);
    let mut b = a.clone();
    b.local[1].rotation = -b.local[1].rotation;
    let (a, b) = ([a], [b]);
    let (a, b) = ((&skeleton, &a[..]), (&skeleton, &b[..]));
    for space in [Space::Local, Space::Model, Space::Joint(JointId(2), JointId(2))] {
        let found = PoseDifferenceJob { a, b, pairs: &ALL, times: &[0.0], space }.run().unwrap();
        assert!(found.rotation.value < 1e-12 && found.position.value < 1e-12, "{space:?}");
    }
}

#[test]
fn poses_that_cannot_be_compared_are_refused_and_a_space_without_size_is_as_far_as_can_be() {
    let skeleton = robot();
    let poses = vec![RawPose::rest(&skeleton); 2];
    let job = PoseDifferenceJob {
        a: (&skeleton, &poses),
        b: (&skeleton, &poses),
        pairs: &ALL,
        times: &[0.0, 1.0],
        space: Space::Local,
    };
    let short = PoseDifferenceJob { times: &[0.0], ..job };
    assert_eq!(short.run().unwrap_err(), PoseDifferenceError::Moments { a: 2, b: 2, times: 1 });
    let space = Space::Joint(JointId(1), JointId(3));
    let (which, joint, joints) = ("second", JointId(3), 3);
    let error = PoseDifferenceJob { space, ..job }.run().unwrap_err();
    assert_eq!(error, PoseDifferenceError::NoJoint { which, joint, joints });
    let mut cut = poses.clone();
    cut[1].local.pop();
    let error = PoseDifferenceJob { a: (&skeleton, &cut), ..job }.run().unwrap_err();
    let (which, moment) = ("first", 1);
    assert_eq!(error, PoseDifferenceError::Joints { which, moment, found: 2, expected: 3 });
    let mut flat = poses.clone();
    flat[0].local[1].scale = DVec3::ZERO;
    let space = Space::Joint(JointId(1), JointId(1));
    let found = PoseDifferenceJob { a: (&skeleton, &flat), space, ..job }.run().unwrap();
    assert!(found.position.value.is_nan());
}
