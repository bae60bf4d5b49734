//! One function a kernel, for `.ci/instructions` to count its instructions: a rig and clips made in code, the work
//! done once, so that the count is the same on every run.

use std::hint::black_box;
use std::sync::Arc;

use sinew::{
    Backend, Channel, ChannelTarget, Clip, ClipBuilder, DTransform, DistanceCurve, DistanceKind,
    GatherLanesJob, Interpolation, Joint, JointId, JointMask, LaneModel, LanePose, LocalPose,
    LocomotionError, MatchSettings, MatchState, ModelJob, ModelLanesJob, ModelPairJob, ModelPose,
    PoseBlendJob, PoseLayer, RawClip, Rig, SampleJob, Skeleton, SplitSettings, Track, Transition,
    TransitionJob, TransitionSettings, TransitionStart, Travel, advance_by_distance, match_to_target,
    playrate_to_speed,
};

/// Whatever goes wrong.
type Error = Box<dyn std::error::Error>;

const JOINTS: usize = 64;
const ALL: usize = usize::MAX;

// Two functions that do the same become one in a release build; each that could says its name.

/// A tree of eight chains of eight joints.
fn skeleton() -> Result<Skeleton, Error> {
    let joint = |i: usize| {
        let parent = (i > 0).then(|| JointId(if i.is_multiple_of(8) { 0 } else { i as u32 - 1 }));
        let place = glam::DVec3::new(0.02 * (i / 8) as f64, 0.1 + 0.01 * (i % 8) as f64, 0.0);
        Joint::new(
            format!("{i}"),
            parent,
            DTransform::from_rotation_translation(glam::DQuat::IDENTITY, place),
        )
    };
    Ok(Skeleton::numbered((0..JOINTS).map(joint).collect(), vec![])?)
}

/// Every `every`th joint turns; of those that begin a chain, some move as well.
fn clip(skeleton: &Skeleton, rig: &Rig, every: usize, moves: bool) -> Result<Clip, Error> {
    let times: Arc<[f64]> = (0..=60).map(|k| f64::from(k) / 30.0).collect();
    let mut raw = RawClip::default();
    for i in (0..JOINTS).step_by(every) {
        let phase = |t: &f64, speed: f64| libm::sin(speed * t + 0.7 * i as f64);
        let turn = |t: &f64| {
            let [x, y, z] = [1.3, 2.1, 1.7].map(|speed| 0.4 * phase(t, speed));
            glam::DQuat::from_euler(glam::EulerRot::XYZ, x, y, z).as_quat().to_array()
        };
        let values: Arc<[f32]> = times.iter().flat_map(turn).collect();
        let track = Track::rotation(Arc::clone(&times), values, Interpolation::Linear)?;
        raw.channels.push(Channel {
            joint: JointId(i as u32),
            target: ChannelTarget::Rotation,
            track,
            source: 0,
        });
        if moves && i.is_multiple_of(8) {
            let values: Arc<[f32]> = times
                .iter()
                .flat_map(|t| [0.05 * phase(t, 1.1) as f32, 0.1, 0.05 * phase(t, 2.3) as f32])
                .collect();
            let track = Track::new(Arc::clone(&times), values, 3, Interpolation::Linear)?;
            let target = ChannelTarget::Translation;
            raw.channels.push(Channel { joint: JointId(i as u32), target, track, source: 0 });
        }
    }
    Ok(ClipBuilder::new(skeleton, rig).build(&raw)?.0)
}

#[inline(never)]
fn sample_dense(rig: &Rig, clip: &Clip, backend: Backend, pose: &mut LocalPose) -> Result<(), Error> {
    black_box("dense");
    Ok(SampleJob::new(rig, clip, 0.71, pose).run_on(backend)?)
}

#[inline(never)]
fn sample_scattered(rig: &Rig, clip: &Clip, backend: Backend, pose: &mut LocalPose) -> Result<(), Error> {
    black_box("scattered");
    Ok(SampleJob::new(rig, clip, 0.71, pose).run_on(backend)?)
}

#[inline(never)]
fn blend_two(
    rig: &Rig,
    base: &LocalPose,
    layers: &[PoseLayer<'_>],
    backend: Backend,
    output: &mut LocalPose,
) -> Result<(), Error> {
    black_box("two");
    Ok(PoseBlendJob { rig, base, layers, groups: ALL, output }.run_on(backend)?)
}

#[inline(never)]
fn blend_four_masked(
    rig: &Rig,
    base: &LocalPose,
    layers: &[PoseLayer<'_>],
    backend: Backend,
    output: &mut LocalPose,
) -> Result<(), Error> {
    black_box("four");
    Ok(PoseBlendJob { rig, base, layers, groups: ALL, output }.run_on(backend)?)
}

#[inline(never)]
fn model_single(rig: &Rig, pose: &LocalPose, backend: Backend, output: &mut ModelPose) -> Result<(), Error> {
    Ok(ModelJob { rig, pose, groups: ALL, output }.run_on(backend)?)
}

#[inline(never)]
fn model_pair(
    rig: &Rig,
    poses: [&LocalPose; 2],
    backend: Backend,
    outputs: [&mut ModelPose; 2],
) -> Result<(), Error> {
    Ok(ModelPairJob { rig, poses, groups: ALL, outputs }.run_on(backend)?)
}

#[inline(never)]
fn model_lanes(rig: &Rig, pose: &LanePose, backend: Backend, output: &mut LaneModel) -> Result<(), Error> {
    Ok(ModelLanesJob { rig, pose, groups: ALL, output }.run_on(backend)?)
}

#[inline(never)]
fn transition(transition: &mut Transition, backend: Backend, output: &mut LocalPose) -> Result<(), Error> {
    TransitionJob { transition, dt: 1.0 / 60.0, output }.run_on(backend)?;
    Ok(())
}

/// A character of a crowd: where it is, and metres in this frame.
type Member = (MatchState, f64);

const DT: f64 = 1.0 / 60.0;

/// 64 characters all over a curve, up to 40 % slower or faster than it is there, each with what a frame before left
/// it.
fn crowd(curve: &DistanceCurve, step: impl Fn(&mut Member) -> Result<(), LocomotionError>) -> Vec<Member> {
    let member = |i: usize| {
        let share = (i as f64 * 0.618).fract();
        let state = MatchState::at(curve, curve.span()[0] + curve.duration() * 0.9 * share);
        (state, DT * curve.speed_at(state.time()) * (0.6 + 0.8 * (i as f64 * 0.414).fract()))
    };
    let mut members: Vec<Member> = (0..64).map(member).collect();
    members.iter_mut().for_each(|member| step(member).expect("numbers of a game"));
    members
}

// Part of the loop that is counted, as they are in a game's.

#[inline(always)]
fn start_one(curve: &DistanceCurve, member: &mut Member) -> Result<(), LocomotionError> {
    advance_by_distance(curve, &MatchSettings::start(), &mut member.0, Travel { travelled: member.1, dt: DT })
        .map(|step| _ = black_box(step))
}

#[inline(always)]
fn stop_one(curve: &DistanceCurve, member: &mut Member) -> Result<(), LocomotionError> {
    let left = -member.0.distance() - member.1;
    match_to_target(
        curve,
        &MatchSettings::stop(),
        &mut member.0,
        left,
        Travel { travelled: member.1, dt: DT },
    )
    .map(|step| _ = black_box(step))
}

#[inline(always)]
fn loop_one(curve: &DistanceCurve, member: &mut Member) -> Result<(), LocomotionError> {
    playrate_to_speed(curve, &MatchSettings::cycle(), &mut member.0, Travel { travelled: member.1, dt: DT })
        .map(|step| _ = black_box(step))
}

#[inline(never)]
fn match_start(curve: &DistanceCurve, members: &mut [Member]) -> Result<(), Error> {
    members.iter_mut().try_for_each(|member| start_one(curve, member))?;
    Ok(())
}

#[inline(never)]
fn match_stop(curve: &DistanceCurve, members: &mut [Member]) -> Result<(), Error> {
    members.iter_mut().try_for_each(|member| stop_one(curve, member))?;
    Ok(())
}

#[inline(never)]
fn match_loop(curve: &DistanceCurve, members: &mut [Member]) -> Result<(), Error> {
    members.iter_mut().try_for_each(|member| loop_one(curve, member))?;
    Ok(())
}

/// A step of 64 characters in a start, a stop and a loop of 256 keys.
fn matching() -> Result<(), Error> {
    let times: Vec<f64> = (0..256).map(|i| f64::from(i) / 30.0).collect();
    let ahead: Vec<f64> = times.iter().map(|t| 0.35 * t * t).collect();
    let to_go: Vec<f64> = ahead.iter().rev().map(|d| -d).collect();
    let settings = SplitSettings::default();
    let start = DistanceCurve::from_keys("start", DistanceKind::Start, &times, &ahead, &settings)?;
    let stop = DistanceCurve::from_keys("stop", DistanceKind::Stop, &times, &to_go, &settings)?;
    let cycle = DistanceCurve::from_keys("loop", DistanceKind::Loop, &times, &ahead, &settings)?;
    match_start(&start, black_box(&mut crowd(&start, |m| start_one(&start, m))))?;
    match_stop(&stop, black_box(&mut crowd(&stop, |m| stop_one(&stop, m))))?;
    match_loop(&cycle, black_box(&mut crowd(&cycle, |m| loop_one(&cycle, m))))
}

fn main() -> Result<(), Error> {
    let backend = match std::env::args().nth(1).as_deref() {
        Some("avx2") => Backend::Avx2,
        Some("sse2") => Backend::Sse2,
        Some("scalar") => Backend::Scalar,
        _ => return Err("expected avx2, sse2 or scalar".into()),
    };
    if !backend.is_available() {
        return Err(format!("this processor has no {backend}").into());
    }
    let skeleton = skeleton()?;
    let rig = Rig::new(&skeleton)?;
    // What the processor can do is looked up on the first call, which is not to be counted.
    let mut poses: [LocalPose; 5] = std::array::from_fn(|_| LocalPose::rest(&rig));
    let (dense, scattered) = (clip(&skeleton, &rig, 1, true)?, clip(&skeleton, &rig, 3, false)?);
    for (i, pose) in poses.iter_mut().enumerate() {
        SampleJob::new(&rig, &dense, 0.1 + 0.3 * i as f32, pose).run_on(backend)?;
    }
    let mut pose = LocalPose::rest(&rig);
    sample_dense(&rig, &dense, backend, black_box(&mut pose))?;
    sample_scattered(&rig, &scattered, backend, black_box(&mut pose))?;

    let two = [PoseLayer::new(&poses[1], 0.7), PoseLayer::new(&poses[2], 0.3)];
    blend_two(&rig, &poses[0], black_box(&two), backend, &mut pose)?;
    let mut masks = Vec::new();
    for layer in 0..4 {
        let weights: Vec<_> = (0..JOINTS)
            .filter(|j| (j / (layer + 1)).is_multiple_of(2))
            .map(|j| (JointId(j as u32), 1.0))
            .collect();
        masks.push(JointMask::from_weights(&rig, &weights)?);
    }
    let four: [PoseLayer<'_>; 4] =
        std::array::from_fn(|i| PoseLayer::new(&poses[i + 1], 0.3).masked(&masks[i]));
    blend_four_masked(&rig, &poses[0], black_box(&four), backend, &mut pose)?;

    let mut models: [ModelPose; 2] = std::array::from_fn(|_| ModelPose::rest(&rig));
    model_single(&rig, &poses[0], backend, &mut models[0])?;
    let [a, b] = &mut models;
    model_pair(&rig, [&poses[0], &poses[1]], backend, [a, b])?;
    let (mut lanes, mut model) = (LanePose::rest(&rig), LaneModel::rest(&rig));
    let eight: [&LocalPose; 8] = std::array::from_fn(|i| &poses[i % 5]);
    GatherLanesJob { poses: &eight, groups: ALL, output: &mut lanes }.run_on(backend)?;
    model_lanes(&rig, &lanes, backend, &mut model)?;

    let mut running = Transition::new(&rig);
    let start = TransitionStart {
        source: &poses[0],
        source_before: &poses[1],
        target: &poses[2],
        target_before: &poses[3],
        dt: 1.0 / 60.0,
    };
    running.begin_on(backend, &TransitionSettings::default(), &start)?;
    transition(&mut running, backend, &mut pose)?;
    black_box((&pose, &models, &model));
    matching()
}
