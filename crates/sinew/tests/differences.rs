//! Clips that differ are found to differ, in the property in which they do.

use sinew::{
    Channel, ChannelTarget, DTransform, DifferenceJob, Interpolation, Joint, JointId, RawClip, Skeleton,
    Space, Track,
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
