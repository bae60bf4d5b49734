//! Clips decode to the same bits on every backend, and to the bits they had when the golden file was written.
//!
//! `SINEW_BLESS=1` writes the golden file anew.

mod rig;

use std::path::Path;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use rig::random::Random;
use sinew::{
    Backend, Channel, ChannelTarget, Clip, ClipBuilder, Interpolation, LocalPose, RawClip, Rig, SampleJob,
    Skeleton, Slot, Track,
};

/// FNV-1a (Fowler, Noll, Vo) of 64 bits.
struct Digest(u64);

impl Digest {
    fn add(&mut self, value: f32) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn digest(rig: &Rig, clip: &Clip, backend: Backend) -> u64 {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    let mut pose = LocalPose::rest(rig);
    for step in -2..=64 {
        let time = clip.duration() * (step as f32 / 61.0);
        SampleJob::new(rig, clip, time, &mut pose).run_on(backend).unwrap();
        for slot in 0..rig.len() {
            let t = pose.get(Slot(slot as u16));
            t.translation.to_array().into_iter().for_each(|v| digest.add(v));
            t.rotation.to_array().into_iter().for_each(|v| digest.add(v));
            t.scale.to_array().into_iter().for_each(|v| digest.add(v));
        }
    }
    digest.0
}

/// Swings, spins, travel, scale, steps; some joints do nothing.
fn clip(random: &mut Random, skeleton: &Skeleton, frames: usize) -> RawClip {
    let times: Arc<[f64]> = (0..frames).map(|f| f as f64 / 30.0).collect();
    let mut channels = Vec::new();
    for (joint, at) in skeleton.iter() {
        let axis = (random.vec3().as_dvec3() + DVec3::splat(0.01)).normalize();
        let fast = f64::from(random.signed());
        let spins = random.below(6) == 0;
        let turn = |t: f64| {
            let angle = if spins { 12.0 * fast * t } else { libm::sin(5.0 * fast * t) };
            (at.rest.rotation * DQuat::from_axis_angle(axis, angle)).as_quat().to_array()
        };
        let mode = if random.below(10) == 0 { Interpolation::Step } else { Interpolation::Linear };
        let mut add = |target, track| channels.push(Channel { joint, target, track, source: 0 });
        if random.below(5) > 0 {
            let values = times.iter().flat_map(|t| turn(*t)).collect();
            add(ChannelTarget::Rotation, Track::rotation(times.clone(), values, mode).unwrap());
        }
        let vector = |from: DVec3, reach: f64| {
            let at = |t: &f64| (from + axis * (reach * libm::sin(3.0 * t))).as_vec3().to_array();
            Track::new(times.clone(), times.iter().flat_map(at).collect(), 3, mode).unwrap()
        };
        if random.below(6) == 0 {
            add(ChannelTarget::Translation, vector(at.rest.translation, 0.3));
        }
        if random.below(9) == 0 {
            add(ChannelTarget::Scale, vector(at.rest.scale, 0.1));
        }
    }
    RawClip { channels, ..RawClip::default() }
}

#[test]
fn backends_agree_to_the_bit_and_with_the_golden_digests() {
    let mut found = String::from("joints frames digest\n");
    for (seed, (joints, frames)) in [(1, 2), (5, 40), (17, 90), (40, 150), (67, 33)].into_iter().enumerate() {
        let mut random = Random::new(seed as u64 + 11);
        let skeleton = random.skeleton(joints, seed == 3, false);
        let rig = Rig::new(&skeleton).unwrap();
        let raw = clip(&mut random, &skeleton, frames);
        // Coarse enough for the deepest of these chains.
        let (clip, _) = ClipBuilder::new(&skeleton, &rig).bound(5e-4).build(&raw).unwrap();
        let scalar = digest(&rig, &clip, Backend::Scalar);
        for backend in Backend::ALL.into_iter().filter(|b| b.is_available()) {
            assert_eq!(digest(&rig, &clip, backend), scalar, "{joints} joints on {backend:?}");
        }
        found += &format!("{joints} {frames} {scalar:016x}\n");
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clip_digest.golden");
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::write(&golden, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(golden).unwrap());
}
