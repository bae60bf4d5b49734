//! A built clip keeps its bound wherever it is sampled, or the builder says by name why it cannot.
//!
//! The error is measured here, in double precision, from the exact evaluator of local transforms: the hierarchy,
//! the points and the times are this file's own. `SINEW_DEEP=1` adds larger and more clips.

mod rig;

use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3};
use rig::random::Random;
use sinew::{
    Backend, Channel, ChannelTarget, Clip, ClipBuildError, ClipBuilder, Curve, DTransform, Event,
    Interpolation, Joint, JointId, LocalPose, RawClip, RawPose, Rig, SampleJob, Skeleton, Slot, Track,
};

const BOUND: f64 = 1e-4;
const SHELL: f64 = 0.03;

fn deep() -> bool {
    std::env::var_os("SINEW_DEEP").is_some()
}

/// What a generated clip is like.
#[derive(Clone, Copy, Debug)]
struct Shape {
    joints: usize,
    frames: usize,
    /// Length of a bone, metres.
    bone: f64,
    /// 0: none; 1: uniform; 2: any.
    scale: u32,
    /// Spins through half turns and `w = 0`.
    wild: bool,
    /// Metres that the root travels.
    travel: f64,
    /// Keys at times off any grid.
    irregular: bool,
    /// Interpolations that occur, of linear, step and spline.
    modes: usize,
}

fn skeleton(random: &mut Random, shape: &Shape) -> Skeleton {
    let long = random.below(3) == 0;
    let list = (0..shape.joints).map(|i| {
        let back = if long { 2 } else { 1000 };
        let parent = i.checked_sub(1).map(|last| JointId((last - random.below(i.min(back))) as u32));
        let mut rest = DTransform {
            translation: random.vec3().as_dvec3() * shape.bone,
            rotation: random.rotation().as_dquat().normalize(),
            scale: DVec3::ONE,
        };
        if shape.scale > 0 && random.below(6) == 0 {
            rest.scale = DVec3::splat(1.0 + 0.3 * f64::from(random.signed()));
        }
        Joint::new(format!("joint {i}"), parent, rest)
    });
    Skeleton::numbered(list.collect(), Vec::new()).unwrap()
}

fn times(random: &mut Random, shape: &Shape) -> Arc<[f64]> {
    let rate = [24.0, 30.0, 60.0][random.below(3)];
    let offset = [0.0, 1.0][random.below(2)];
    let mut at = 0.0;
    (0..shape.frames)
        .map(|f| {
            at += 0.01 + f64::from(random.signed().abs()) * 0.08;
            let time = if shape.irregular { at } else { (f as f64 + offset) / rate };
            // As files give them.
            f64::from(time as f32)
        })
        .collect()
}

fn values<const N: usize>(keys: &[[f64; N]], mode: Interpolation, times: &[f64]) -> Arc<[f32]> {
    if mode != Interpolation::CubicSpline {
        return keys.iter().flatten().map(|v| *v as f32).collect();
    }
    let mut out = Vec::new();
    for key in 0..keys.len() {
        let (a, b) = (key.saturating_sub(1), (key + 1).min(keys.len() - 1));
        let seconds = (times[b] - times[a]).max(1e-6);
        let slope: [f64; N] = core::array::from_fn(|c| (keys[b][c] - keys[a][c]) / seconds);
        out.extend(slope.iter().chain(&keys[key]).chain(&slope).map(|v| *v as f32));
    }
    out.into()
}

/// Rotation, translation and scale channels of some joints.
fn raw(random: &mut Random, skeleton: &Skeleton, shape: &Shape) -> RawClip {
    let shared = times(random, shape);
    let mut channels = Vec::new();
    let mode = |random: &mut Random| {
        [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline][random.below(shape.modes)]
    };
    for (id, joint) in skeleton.iter() {
        let still = random.below(5) == 0;
        let own = if random.below(4) == 0 { times(random, shape) } else { shared.clone() };
        let axis = (random.vec3().as_dvec3() + DVec3::splat(0.01)).normalize();
        let (fast, phase) = (f64::from(random.signed()), f64::from(random.signed()) * 3.0);
        let swing = |t: f64| {
            let angle = if shape.wild { 25.0 * fast * t } else { libm::sin(6.0 * fast * t + phase) };
            DQuat::from_axis_angle(axis, angle)
        };
        let kind = random.below(10);
        if kind < 9 {
            let mode = mode(random);
            let spline = mode == Interpolation::CubicSpline;
            let mut keys: Vec<[f64; 4]> = Vec::new();
            for (k, t) in own.iter().enumerate() {
                let mut q = joint.rest.rotation * if still { DQuat::IDENTITY } else { swing(*t) };
                // Exactly half a turn from one key to the next; quaternions of either sign, but for splines, where
                // a change of sign means another motion.
                if shape.wild && random.below(12) == 0 && k > 0 && !spline {
                    let [x, y, z, w] = keys[k - 1];
                    q = DQuat::from_xyzw(x, y, z, w) * DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
                }
                let flip = !spline && random.below(5) == 0;
                keys.push(if flip { -q } else { q }.to_array());
            }
            if spline {
                for k in 1..keys.len() {
                    if keys[k].iter().zip(keys[k - 1]).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                        keys[k] = keys[k].map(|v| -v);
                    }
                }
            }
            let track = Track::rotation(own.clone(), values(&keys, mode, &own), mode).unwrap();
            channels.push(Channel { joint: id, target: ChannelTarget::Rotation, track, source: 0 });
        }
        if id.0 == 0 || kind < 2 {
            let (mode, reach) = (mode(random), if id.0 == 0 { shape.travel } else { 0.3 * shape.bone });
            let end = own[own.len() - 1].max(1e-3);
            let keys: Vec<[f64; 3]> =
                own.iter().map(|t| (joint.rest.translation + axis * reach * (t / end)).to_array()).collect();
            let track = Track::new(own.clone(), values(&keys, mode, &own), 3, mode).unwrap();
            channels.push(Channel { joint: id, target: ChannelTarget::Translation, track, source: 0 });
            // Of two channels for one property the last counts.
            if random.below(8) == 0 {
                channels.insert(0, channels[channels.len() - 1].clone());
                channels[0].track =
                    Track::new([0.0].into(), [1.0, 2.0, 3.0].into(), 3, Interpolation::Step).unwrap();
            }
        }
        if shape.scale > 0 && kind == 3 {
            let mode = mode(random);
            let keys: Vec<[f64; 3]> = own
                .iter()
                .map(|t| {
                    let by = 0.2 * libm::sin(3.0 * t + phase);
                    let even = DVec3::splat(by);
                    (joint.rest.scale + if shape.scale == 2 { axis * by } else { even }).to_array()
                })
                .collect();
            let track = Track::new(own.clone(), values(&keys, mode, &own), 3, mode).unwrap();
            channels.push(Channel { joint: id, target: ChannelTarget::Scale, track, source: 0 });
        }
    }
    RawClip {
        name: Some("generated".into()),
        channels,
        curves: vec![Curve::new("speed", [0.0, 0.01], [0.0, 1.0], Interpolation::Linear).unwrap()],
        events: vec![Event { name: "step".into(), time: 0.0 }],
        ..RawClip::default()
    }
}

/// Model-space matrices by multiplying matrices upwards.
fn model(skeleton: &Skeleton, pose: &RawPose) -> Vec<DMat4> {
    let mut out: Vec<DMat4> = Vec::new();
    for (id, joint) in skeleton.iter() {
        let t = &pose.local[id.index()];
        let local = DMat4::from_translation(t.translation)
            * DMat4::from_quat(t.rotation.normalize())
            * DMat4::from_scale(t.scale);
        out.push(joint.parent.map_or(local, |p| out[p.index()] * local));
    }
    out
}

/// Largest distance of the points on the axes at 3 cm, metres.
fn distance(a: &[DMat4], b: &[DMat4], radii: &[f64]) -> f64 {
    let mut worst: f64 = 0.0;
    for ((a, b), radius) in a.iter().zip(b).zip(radii) {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let off = (a.transform_point3(axis * *radius) - b.transform_point3(axis * *radius)).length();
            assert!(off.is_finite());
            worst = worst.max(off);
        }
    }
    worst
}

/// The largest error at random moments, metres, and the moment.
fn measured(random: &mut Random, skeleton: &Skeleton, rig: &Rig, raw: &RawClip, clip: &Clip) -> (f64, f32) {
    let rest = model(skeleton, &RawPose::rest(skeleton));
    let radii: Vec<f64> = rest
        .iter()
        .map(|m| SHELL / m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length()))
        .collect();
    let mut pose = LocalPose::rest(rig);
    let mut exact = RawPose::default();
    let mut worst = (0.0, 0.0);
    for _ in 0..if deep() { 400 } else { 60 } {
        let time = (random.signed().abs() * 1.02 - 0.01) * raw.duration() as f32;
        SampleJob::new(rig, clip, time, &mut pose).run().unwrap();
        for slot in 0..rig.len() {
            let length = pose.get(Slot(slot as u16)).rotation.as_dquat().length();
            assert!((length - 1.0).abs() < 1e-5, "a rotation of length {length}");
        }
        let found = model(skeleton, &pose.to_raw(rig, skeleton));
        let ulp = f64::from(time.next_up()) - f64::from(time);
        let mut least = f64::INFINITY;
        // Times are single precision: a moment may be off by one step of it.
        for shift in [0.0, -1.0, 1.0, -0.5, 0.5, -0.25, 0.25, -0.75, 0.75] {
            raw.sample(skeleton, (f64::from(time) + shift * ulp).max(0.0), &mut exact);
            least = least.min(distance(&model(skeleton, &exact), &found, &radii));
            if least <= BOUND {
                break;
            }
        }
        if least > worst.0 {
            worst = (least, time);
        }
    }
    worst
}

/// Builds, measures; whether there was a clip.
fn kept(seed: u64, shape: &Shape) -> Result<(), ClipBuildError> {
    let mut random = Random::new(seed);
    let skeleton = skeleton(&mut random, shape);
    let rig = Rig::new(&skeleton).unwrap();
    let raw = raw(&mut random, &skeleton, shape);
    let (clip, report) = ClipBuilder::new(&skeleton, &rig).build(&raw)?;
    assert!(report.error <= BOUND);
    let (error, time) = measured(&mut random, &skeleton, &rig, &raw, &clip);
    // Moments between those that the builder compares may be a little worse.
    assert!(
        error <= 1.05 * BOUND,
        "seed {seed}, {shape:?}: {} mm at {time} s of {} at {} Hz, said to be {} mm; {} keyed",
        error * 1e3,
        raw.duration(),
        clip.rate(),
        report.error * 1e3,
        report.keyed
    );
    Ok(())
}

fn shape(random: &mut Random) -> Shape {
    let most = if deep() { 300 } else { 24 };
    let frames = if deep() { 300 } else { 40 };
    Shape {
        joints: 1 + random.below(most),
        frames: 1 + random.below(frames),
        bone: 0.2,
        scale: [0, 0, 1, 2][random.below(4)],
        wild: false,
        travel: 2.0,
        irregular: random.below(3) == 0,
        modes: 1 + random.below(3),
    }
}

fn cases(name: &str, count: u64, change: impl Fn(&mut Shape)) {
    let count = if deep() { 4 * count } else { count };
    for seed in 0..count {
        let mut shape = shape(&mut Random::new(1000 + seed));
        change(&mut shape);
        if let Err(error) = kept(seed, &shape) {
            panic!("{name}, seed {seed}, {shape:?}: {error}");
        }
    }
}

#[test]
fn human_size_clips_keep_the_bound() {
    cases("human", 12, |_| ());
}

#[test]
fn insects_keep_the_bound() {
    cases("insect", 6, |s| (s.bone, s.travel) = (0.001, 0.01));
}

#[test]
fn giants_keep_the_bound() {
    // Within a tenth of a millimetre at tens of metres: a few joints, for single precision ends there.
    cases("giant", 6, |s| {
        (s.joints, s.scale) = (1 + s.joints % 4, 0);
        (s.bone, s.travel) = (10.0, 10.0);
    });
}

#[test]
fn travel_of_a_hundred_metres_keeps_the_bound() {
    cases("travel", 6, |s| s.travel = 100.0);
}

#[test]
fn half_turns_and_spins_keep_the_bound() {
    cases("wild", 8, |s| {
        (s.wild, s.scale) = (true, 0);
        s.joints = 1 + s.joints % 8;
    });
}

#[test]
fn many_joints_and_many_frames_keep_the_bound() {
    let base = shape(&mut Random::new(7));
    let of = |joints, frames| Shape { joints, frames, scale: 0, irregular: false, modes: 1, ..base };
    for (seed, shape) in [of(1, 1), of(1, 2), of(9, 1), of(120, 4), of(2, 600)].iter().enumerate() {
        kept(seed as u64, shape).unwrap();
    }
    if deep() {
        for shape in [of(1000, 20), of(3, 10_000), of(300, 300)] {
            kept(99, &shape).unwrap();
        }
    }
}

#[test]
fn any_moment_gives_a_finite_pose_of_unit_rotations() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let shape = Shape { wild: seed % 2 == 0, scale: seed as u32 % 3, ..shape(&mut Random::new(seed)) };
        let shape = Shape { joints: 1 + shape.joints % 12, ..shape };
        let skeleton = skeleton(&mut random, &shape);
        let rig = Rig::new(&skeleton).unwrap();
        let raw = raw(&mut random, &skeleton, &shape);
        let Ok((clip, _)) = ClipBuilder::new(&skeleton, &rig).bound(1e-3).build(&raw) else { continue };
        let end = clip.duration();
        let mut moments = vec![
            f32::NAN,
            -f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            1e-45,
            -0.0,
            -1.0,
            end,
            end.next_up(),
            end.next_down(),
        ];
        moments.extend((0..2000).map(|_| f32::from_bits((random.below(1 << 31) << 1) as u32)));
        moments.extend((0..500).map(|_| random.signed().abs() * end));
        let backends = [Backend::Scalar, Backend::Sse2, Backend::Avx2].map(|b| b.is_available().then_some(b));
        for time in moments {
            for backend in backends.into_iter().flatten() {
                let mut pose = LocalPose::rest(&rig);
                SampleJob::new(&rig, &clip, time, &mut pose).run_on(backend).unwrap();
                for slot in 0..rig.len() {
                    let t = pose.get(Slot(slot as u16));
                    assert!(t.is_finite(), "seed {seed} at {time}: {t:?}");
                    let length = t.rotation.length();
                    assert!((length - 1.0).abs() < 1e-5, "seed {seed} at {time}: length {length}");
                }
            }
        }
    }
}

#[test]
fn a_clip_too_long_for_single_precision_is_refused_and_no_panic() {
    let skeleton =
        Skeleton::numbered(vec![Joint::new("root", None, DTransform::IDENTITY)], Vec::new()).unwrap();
    let rig = Rig::new(&skeleton).unwrap();
    let track = Track::new(
        vec![0.0, 1e60].into(),
        vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0].into(),
        3,
        Interpolation::Linear,
    )
    .unwrap();
    let channel = Channel { joint: JointId(0), target: ChannelTarget::Translation, track, source: 0 };
    let raw = RawClip { channels: vec![channel], ..RawClip::default() };
    assert!(ClipBuilder::new(&skeleton, &rig).rate(1e-70).build(&raw).is_err());
    assert!(ClipBuilder::new(&skeleton, &rig).build(&raw).is_err());
}
