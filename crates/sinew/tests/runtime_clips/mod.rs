//! Random compressed clips that the tests share.
#![allow(dead_code, reason = "each test uses its own part")]

use std::sync::Arc;

use sinew::{
    Channel, ChannelTarget, Clip, ClipBuilder, Interpolation, JointId, ModelPose, RawClip, Rig, Skeleton,
    Track,
};

use super::runtime_poses::Random;

/// Joints that move smoothly, jump, stand still somewhere else or do nothing; scale where asked.
pub(crate) fn raw_clip(random: &mut Random, skeleton: &Skeleton, scaled: bool) -> RawClip {
    let keys = 2 + random.below(20);
    let times: Arc<[f64]> = (0..keys).map(|k| k as f64 / 30.0).collect();
    let mut channels = Vec::new();
    for joint in 0..skeleton.len() {
        let (from, to) = (random.transform(true), random.transform(true));
        let kinds = [random.below(4), random.below(6), random.below(6)];
        let mut add = |target, width: usize, values: Vec<f32>, kind: usize| {
            let (times, values) = match kind {
                0 => return,
                1 => (Arc::from([0.0]), values[..width].into()),
                _ => (times.clone(), Arc::from(values)),
            };
            let mode = if kind == 5 { Interpolation::Step } else { Interpolation::Linear };
            let track = match target {
                ChannelTarget::Rotation => Track::rotation(times, values, mode).unwrap(),
                _ => Track::new(times, values, 3, mode).unwrap(),
            };
            channels.push(Channel { joint: JointId(joint as u32), target, track, source: 0 });
        };
        let share = |k: usize| 0.2 * k as f32 / keys as f32;
        let rotations =
            (0..keys).flat_map(|k| from.rotation.slerp(to.rotation, share(k)).normalize().to_array());
        add(ChannelTarget::Rotation, 4, rotations.collect(), kinds[0]);
        let path = |a: glam::Vec3, b: glam::Vec3| -> Vec<f32> {
            (0..keys).flat_map(|k| (a + (b - a) * share(k)).to_array()).collect()
        };
        let kind = if joint == 0 { 2 } else { kinds[1] };
        add(ChannelTarget::Translation, 3, path(from.translation * 0.1, to.translation * 0.1), kind);
        if scaled {
            add(ChannelTarget::Scale, 3, path(from.scale, to.scale), kinds[2]);
        }
    }
    RawClip { channels, ..RawClip::default() }
}

/// Within 3 mm: what counts here is which bits come out, not how near they are.
pub(crate) fn clip(random: &mut Random, skeleton: &Skeleton, rig: &Rig, scaled: bool) -> Clip {
    let raw = raw_clip(random, skeleton, scaled);
    ClipBuilder::new(skeleton, rig).bound(3e-3).build(&raw).unwrap().0
}

/// Some for every rig: half of them scaled.
pub(crate) fn clips(random: &mut Random, skeleton: &Skeleton, rig: &Rig) -> Vec<Clip> {
    (0..4).map(|i| clip(random, skeleton, rig, i % 2 == 1)).collect()
}

/// Every bit of the matrices.
pub(crate) fn row_bits(rows: &[sinew::AffineRows]) -> Vec<u32> {
    rows.iter().flat_map(|r| r.rows.as_flattened()).map(|v| v.to_bits()).collect()
}

pub(crate) fn model_bits(model: &ModelPose) -> Vec<u32> {
    row_bits(model.rows())
}
