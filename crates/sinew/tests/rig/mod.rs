//! Small skeletons, tracks and generated inputs that the tests share.
#![allow(dead_code, reason = "each test uses its own part")]

pub(crate) mod random;

use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3};
use proptest::prelude::*;
use sinew::{Channel, ChannelTarget, DTransform, Interpolation, Joint, JointId, RawClip, Skeleton, Track};

pub(crate) fn track<const N: usize>(times: &[f64], values: &[[f32; N]], mode: Interpolation) -> Track {
    let flat: Vec<f32> = values.iter().flatten().copied().collect();
    let (times, flat): (Arc<[f64]>, Arc<[f32]>) = (times.into(), flat.into());
    if N == 4 {
        Track::rotation(times, flat, mode).unwrap()
    } else {
        Track::new(times, flat, N, mode).unwrap()
    }
}

pub(crate) fn linear<const N: usize>(times: &[f64], values: &[[f32; N]]) -> Track {
    track(times, values, Interpolation::Linear)
}

pub(crate) fn channel(joint: u32, target: ChannelTarget, track: Track) -> Channel {
    Channel { joint: JointId(joint), target, track, source: 0 }
}

pub(crate) fn clip(channels: Vec<Channel>) -> RawClip {
    RawClip { channels, ..RawClip::default() }
}

/// Joints `0 <- 1 <- 2 ...`, each at its own rest pose.
pub(crate) fn chain(rest: &[DTransform]) -> Skeleton {
    let joints = rest.iter().enumerate().map(|(i, rest)| {
        let parent = i.checked_sub(1).map(|p| JointId(p as u32));
        Joint::new(format!("joint {i}"), parent, *rest)
    });
    Skeleton::numbered(joints.collect(), Vec::new()).unwrap()
}

/// One joint with two morph weights, at rest 0.25 and 0.5.
pub(crate) fn face() -> Skeleton {
    let joint = Joint { weights: 0..2, ..Joint::new("face", None, DTransform::IDENTITY) };
    Skeleton::numbered(vec![joint], vec![0.25, 0.5]).unwrap()
}

pub(crate) fn f32s(q: DQuat) -> [f32; 4] {
    q.to_array().map(|c| c as f32)
}

pub(crate) fn turn_x(degrees: f64) -> DQuat {
    DQuat::from_rotation_x(degrees.to_radians())
}

pub(crate) fn turn_y(degrees: f64) -> DQuat {
    DQuat::from_rotation_y(degrees.to_radians())
}

pub(crate) fn largest_difference(a: &DMat4, b: &DMat4) -> f64 {
    (*a - *b).to_cols_array().iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// Difference of two transforms: metres, radians and scale, whichever is largest.
pub(crate) fn apart(a: &DTransform, b: &DTransform) -> f64 {
    (a.translation - b.translation)
        .length()
        .max(DTransform::angle_between(a.rotation, b.rotation))
        .max((a.scale - b.scale).length())
}

pub(crate) fn vec3(reach: f64) -> impl Strategy<Value = DVec3> {
    (-reach..reach, -reach..reach, -reach..reach).prop_map(DVec3::from)
}

pub(crate) fn axis() -> impl Strategy<Value = DVec3> {
    vec3(1.0).prop_filter("long enough to have a direction", |v| v.length() > 0.05).prop_map(DVec3::normalize)
}

pub(crate) fn rotation() -> impl Strategy<Value = DQuat> {
    (axis(), -3.1..3.1_f64).prop_map(|(axis, angle)| DQuat::from_axis_angle(axis, angle))
}

pub(crate) fn rigid() -> impl Strategy<Value = DTransform> {
    (vec3(5.0), rotation()).prop_map(|(t, r)| DTransform::from_rotation_translation(r, t))
}

pub(crate) fn transform() -> impl Strategy<Value = DTransform> {
    let factor = || prop_oneof![0.2..4.0_f64, -4.0..-0.2_f64];
    (vec3(5.0), rotation(), factor(), factor(), factor()).prop_map(|(translation, rotation, x, y, z)| {
        DTransform { translation, rotation, scale: DVec3::new(x, y, z) }
    })
}

/// Increasing key times, the first at 0 or later, `min` to 8 of them.
pub(crate) fn key_times(min: usize) -> impl Strategy<Value = Vec<f64>> {
    (0.0..2.0_f64, prop::collection::vec(0.01..2.0_f64, min - 1..8)).prop_map(|(first, gaps)| {
        let mut times = vec![first];
        gaps.iter().for_each(|gap| times.push(times[times.len() - 1] + gap));
        times
    })
}

/// Key times with `parts` triples of numbers a key.
pub(crate) fn keyed(min: usize, parts: usize) -> impl Strategy<Value = (Vec<f64>, Vec<[f32; 3]>)> {
    key_times(min).prop_flat_map(move |times| {
        let values = prop::collection::vec(prop::array::uniform3(-10.0..10.0_f32), times.len() * parts);
        (Just(times), values)
    })
}
