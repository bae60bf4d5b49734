//! Promise: sampling, clips in layers and in crowds, model matrices, skinning, blending, root motion, events,
//! transitions, blend spaces, inverse kinematics and planting allocate nothing once their outputs have the
//! right size. (Caught: a derived `clone_from`, which allocates anew every time.)
#![allow(unsafe_code, reason = "only an allocator can count allocations")]

mod locomotion_biped;
mod machine_leg;
mod rig;
mod runtime_clips;
mod runtime_poses;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use glam::{DMat4, DVec3};
use rig::{channel, clip, linear, track};
use sinew::{
    AdditiveJob, AffineRows, AimGroup, AimGroupJob, BendPlane, Binding, BlendJob, BlendLayer, BlendSample2D,
    BlendSpace2D, BoxedJoint, BoxedPaletteJob, ChainGroup, ChainGroupJob, ChainJob, ChainLanes, ChainLink,
    ChannelTarget, ClipLayer, CompactJoint, CompactPaletteJob, CrowdJob, CrowdScratch, EvaluateJob,
    EvaluateScratch, Event, EventTrack, FlatGround, GatherLanesJob, IkStatus, Influences, Interpolation,
    Joint, JointId, JointLimit, LaneModel, LanePaletteJob, LanePose, LaneStatus, LegGroup, LegGroupJob,
    LegJob, LegLanes, LegSearch, LegSolution, LocalPose, ModelJob, ModelLanesJob, ModelPairJob, ModelPose,
    MorphTarget, PackStatus, PaletteBox, PaletteJob, PlantContact, PlantJob, PlantLeg, PlantRig,
    PlantSettings, Planting, Playback, PoseBlendJob, PoseLayer, Primitive, RawPose, Rig, RootMotion,
    SampleJob, ScatterLanesJob, Skeleton, Skin, SkinBinding, SkinJob, Slot, Subtree, SubtreeJob,
    SubtreeSource, SyncGroup, SyncPlayhead, SyncTrack, Transition, TransitionJob, TransitionMethod,
    TransitionSettings, TransitionStart, TwoBoneGroup, TwoBoneGroupJob, TwoBoneJob, TwoBoneLimb,
    TwoBoneRotations, TwoBoneSolution, WeightMode, model_matrices,
};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the second call: the first may size its outputs.
fn allocations(mut job: impl FnMut()) -> u64 {
    job();
    let before = ALLOCATIONS.get();
    job();
    ALLOCATIONS.get() - before
}

fn character() -> (Skeleton, sinew::RawClip) {
    let root = Joint { weights: 0..2, ..Joint::new("root", None, sinew::DTransform::IDENTITY) };
    let joints = vec![root, Joint::new("tip", Some(JointId(0)), sinew::DTransform::IDENTITY)];
    let skeleton = Skeleton::numbered(joints, vec![0.0, 0.0]).unwrap();
    let level = [0.0; 4];
    let key = [0.0, 0.0, 0.0, 1.0];
    let spline = track(&[0.0, 1.0], &[level, key, level, level, key, level], Interpolation::CubicSpline);
    let clip = clip(vec![
        channel(0, ChannelTarget::Translation, linear(&[0.0, 1.0], &[[0.0; 3], [1.0; 3]])),
        channel(0, ChannelTarget::Weights, linear(&[0.0, 1.0], &[[0.0; 2], [1.0; 2]])),
        channel(0, ChannelTarget::Rotation, linear(&[0.0, 1.0], &[key, [0.0, 1.0, 0.0, 0.0]])),
        channel(1, ChannelTarget::Rotation, spline),
        channel(1, ChannelTarget::Scale, track(&[0.0, 1.0], &[[1.0; 3], [2.0; 3]], Interpolation::Step)),
    ]);
    (skeleton, clip)
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

#[test]
fn sampling_and_model_matrices() {
    let (skeleton, clip) = character();
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let count = allocations(|| {
        for i in 0..10 {
            clip.sample(&skeleton, f64::from(i) / 9.0, &mut pose);
            model_matrices(&skeleton, &pose, &mut model_ms);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn skinning() {
    let primitive = Primitive {
        positions: vec![[0.0; 3]; 100],
        influences: Some(Influences { per_vertex: 2, joints: vec![0; 200], weights: vec![0.5; 200] }),
        targets: vec![MorphTarget { positions: Some(vec![[1.0; 3]; 100]), normals: None }],
        ..Primitive::default()
    };
    let skin = Skin { joints: vec![JointId(0)], ..Skin::default() };
    let (mut palette, mut positions): (Vec<DMat4>, Vec<DVec3>) = (Vec::new(), Vec::new());
    let count = allocations(|| {
        skin.palette(&[DMat4::IDENTITY], &mut palette);
        let binding = Binding::Skinned(&palette);
        SkinJob { primitive: &primitive, morph_weights: &[0.5], binding, weights: WeightMode::Normalised }
            .run(&mut positions)
            .unwrap();
    });
    assert_eq!(count, 0);
}

#[test]
fn blending() {
    let (skeleton, clip) = character();
    let (base, mut pose, mut output) = (RawPose::rest(&skeleton), RawPose::default(), RawPose::default());
    clip.sample(&skeleton, 0.4, &mut pose);
    let mask = [1.0, 0.5];
    let count = allocations(|| {
        let layers = [
            BlendLayer { pose: &base, weight: 0.5, mask: None },
            BlendLayer { pose: &pose, weight: 0.7, mask: Some(&mask) },
        ];
        BlendJob { skeleton: &skeleton, base: &base, layers: &layers, output: &mut output }.run().unwrap();
        AdditiveJob { base: &base, source: &pose, reference: &base, weight: 0.5, output: &mut output }
            .run()
            .unwrap();
    });
    assert_eq!(count, 0);
}

#[test]
fn model_poses_and_palettes() {
    let rig = Rig::new(&character().0).unwrap();
    let pose = LocalPose::rest(&rig);
    let skin = Skin { joints: vec![JointId(0), JointId(1)], ..Skin::default() };
    let binding = SkinBinding::new(&rig, &skin).unwrap();
    let (mut a, mut b) = (ModelPose::rest(&rig), ModelPose::rest(&rig));
    let (mut lanes, mut model) = (LanePose::rest(&rig), LaneModel::rest(&rig));
    let (mut palette, mut other) = ([AffineRows::IDENTITY; 2], [AffineRows::IDENTITY; 2]);
    let mut compact = [CompactJoint { position: [0.0; 3], rotation: [0; 4] }; 2];
    let mut boxed = [BoxedJoint { rotation: [0; 4], position: [0; 3], unused: 0 }; 2];
    let bounds = PaletteBox { min: glam::Vec3::NEG_ONE, max: glam::Vec3::ONE };
    let (groups, rig, binding) = (usize::MAX, &rig, &binding);
    let count = allocations(|| {
        ModelJob { rig, pose: &pose, groups, output: &mut a }.run().unwrap();
        ModelPairJob { rig, poses: [&pose; 2], groups, outputs: [&mut a, &mut b] }.run().unwrap();
        GatherLanesJob { poses: &[&pose; 8], groups, output: &mut lanes }.run().unwrap();
        ModelLanesJob { rig, pose: &lanes, groups, output: &mut model }.run().unwrap();
        ScatterLanesJob { model: &model, groups, outputs: &mut [&mut a, &mut b] }.run().unwrap();
        PaletteJob { binding, model: &a, output: &mut palette }.run().unwrap();
        LanePaletteJob { binding, model: &model, outputs: &mut [&mut palette, &mut other] }.run().unwrap();
        let fits = CompactPaletteJob { binding, model: &a, output: &mut compact }.run().unwrap();
        assert_eq!(fits, PackStatus::Fits);
        let fits = BoxedPaletteJob { binding, model: &a, bounds, output: &mut boxed }.run().unwrap();
        assert_eq!(fits, PackStatus::Fits);
    });
    assert_eq!(count, 0);
}

#[test]
fn runtime_blending_and_overrides() {
    let mut random = runtime_poses::Random::new(1);
    let (_, rig) = random.rig(87);
    let base = LocalPose::rest(&rig);
    let (pose, reference, mask) = (random.pose(&rig, true), random.pose(&rig, true), random.mask(&rig));
    let subtree = Subtree::new(&rig, Slot(3)).unwrap();
    let mut output = LocalPose::rest(&rig);
    let count = allocations(|| {
        for mask in [None, Some(&mask)] {
            let layers = [
                PoseLayer { mask, ..PoseLayer::new(&pose, 0.5) },
                PoseLayer { mask, ..PoseLayer::additive(&pose, &reference, 0.5) },
            ];
            let job =
                PoseBlendJob { rig: &rig, base: &base, layers: &layers, groups: 9, output: &mut output };
            { job }.run().unwrap();
        }
        for source in [SubtreeSource::Pose(&pose), SubtreeSource::Joints(&[(Slot(3), pose.get(Slot(3)))])] {
            SubtreeJob { subtree: &subtree, source, weight: 0.5, output: &mut output }.run().unwrap();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn clips() {
    let mut random = runtime_poses::Random::new(2);
    let (skeleton, rig) = random.rig(40);
    let clips = runtime_clips::clips(&mut random, &skeleton, &rig);
    let (base, reference, mask) = (LocalPose::rest(&rig), random.pose(&rig, true), random.mask(&rig));
    let mut output = LocalPose::rest(&rig);
    let mut scratch = EvaluateScratch::new(&rig, 20);
    let mut crowd = CrowdScratch::new(&rig, 4);
    let mut rows = vec![AffineRows::IDENTITY; 3 * rig.len()];
    let root = RootMotion::of_clip(&rig, &clips[0], Slot(0), Playback::Loop).unwrap();
    let (rig, base) = (&rig, &base);
    let count = allocations(|| {
        for clip in &clips {
            SampleJob::new(rig, clip, 0.1, &mut output).run().unwrap();
            std::hint::black_box(clip.sample_joint(rig, Slot(7), 0.1));
        }
        std::hint::black_box(root.delta(0.3, 7.1));
        let of = |i: usize| ClipLayer::new(&clips[i % 4], 0.01 * i as f32, 0.2);
        let layers: [_; 20] = std::array::from_fn(of);
        let mixed = [of(0), of(1).masked(&mask), ClipLayer::additive(&clips[2], 0.1, 0.5, &reference)];
        let alone = [ClipLayer::new(&clips[3], 0.1, 1.0)];
        for (layers, groups) in
            [(&layers[..], 9), (&layers[..5], 9), (&mixed, 2), (&alone, 9), (&alone, 1), (&[], 9)]
        {
            let (scratch, output) = (&mut scratch, &mut output);
            EvaluateJob { rig, base, layers, groups, scratch, output }.run().unwrap();
        }
        let (layers, scratch, output) = (&layers[..12], &mut crowd, &mut rows[..]);
        CrowdJob { rig, base, layers, per_character: 4, groups: 9, scratch, output }.run().unwrap();
    });
    assert_eq!(count, 0);
}

#[test]
fn root_motion_and_events() {
    let (skeleton, clip) = character();
    let root = RootMotion::new(&skeleton, &clip, JointId(1), Playback::Loop).unwrap();
    let events = vec![Event { name: "step".into(), time: 0.5 }];
    let events = EventTrack::new(events, 1.0, Playback::Loop).unwrap();
    let mut fired = 0;
    let count = allocations(|| {
        std::hint::black_box(root.delta(0.3, 7.1));
        events.begin(0.5, |_| fired += 1);
        events.step(0.3, 7.1, |_| fired += 1);
    });
    assert_eq!(count, 0);
    assert_eq!(fired, 16);
}

#[test]
fn transitions() {
    let (skeleton, clip) = character();
    let rig = Rig::new(&skeleton).unwrap();
    let (mut pose, rest) = (RawPose::default(), LocalPose::rest(&rig));
    clip.sample(&skeleton, 0.7, &mut pose);
    let source = LocalPose::from_raw(&rig, &pose);
    let mut output = rest.clone();
    let mut transition = Transition::new(&rig);
    let dead = TransitionMethod::DeadBlend { half_life: 0.1 };
    let count = allocations(|| {
        for method in [TransitionSettings::default().method, dead] {
            let settings = TransitionSettings { method, ..TransitionSettings::default() };
            let start = TransitionStart {
                source: &source,
                source_before: &rest,
                target: &rest,
                target_before: &rest,
                dt: 0.01,
            };
            transition.begin(&settings, &start).unwrap();
            for _ in 0..10 {
                output.copy_from(&rest);
                TransitionJob { transition: &mut transition, dt: 0.05, output: &mut output }.run().unwrap();
            }
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn blend_spaces() {
    let group =
        SyncGroup::new(&[1.0, 0.7, 2.0].map(|seconds| SyncTrack::unmarked(seconds).unwrap())).unwrap();
    let sample = |clip, at| BlendSample2D { clip, at };
    let space =
        BlendSpace2D::new(&[sample(0, [0.0, 0.0]), sample(1, [1.0, 0.0]), sample(2, [0.0, 1.0])]).unwrap();
    let mut head = SyncPlayhead::default();
    let count = allocations(|| {
        for i in 0..10 {
            let (mut weights, _) = space.weights([0.1 * i as f32, 0.3]).unwrap();
            head.rate.slew_to(2.0, 0.5).unwrap();
            head.advance(&group, 0.016, &mut weights).unwrap();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn inverse_kinematics() {
    let limb = TwoBoneLimb {
        upper: 0.45,
        lower: 0.42,
        upper_frame: glam::DQuat::IDENTITY,
        lower_frame: glam::DQuat::IDENTITY,
    };
    let plane = BendPlane::Pole(DVec3::Z);
    let mut group = TwoBoneGroup::EMPTY;
    (0..8).for_each(|lane| {
        group.set_limb(lane, &limb);
        group.set_target(lane, DVec3::ZERO, DVec3::X * 0.6, plane);
    });
    let (mut rotations, mut statuses) = ([TwoBoneRotations::IDENTITY], [LaneStatus::default()]);
    let (mut aims, aim) = ([[[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]]], AimGroup::EMPTY);
    let geometry = machine_leg::leg(0.0);
    let mut legs = [LegGroup::EMPTY];
    let (mut leg_lanes, mut chain_lanes) = ([LegLanes::NONE], ChainLanes::default());
    let (mut leg, mut limb_solution) = (LegSolution::NONE, TwoBoneSolution::NONE);
    let (offsets, limits) = ([DVec3::Y; 4], [None; 4]);
    let mut chain = [glam::DQuat::from_rotation_x(0.2); 4];
    let count = allocations(|| {
        TwoBoneGroupJob { groups: &[group], outputs: &mut rotations, statuses: &mut statuses }.run().unwrap();
        assert_eq!(statuses[0].reached, 0xff);
        AimGroupJob { groups: &[aim], outputs: &mut aims, statuses: &mut statuses }.run().unwrap();
        let (root, target, output) = (DVec3::ZERO, DVec3::X * 0.6, &mut limb_solution);
        TwoBoneJob { limb: &limb, root, target, plane, soft: 0.1, output }.run().unwrap();
        let (target, body) = (machine_leg::anchor(0.0), machine_leg::swaying(0));
        let (search, previous, output) = (&LegSearch::default(), None, &mut leg);
        let job = LegJob { geometry: &geometry, search, body, target, previous, output }.run();
        assert_eq!(job, Ok(IkStatus::Reached));
        (0..8).for_each(|lane| {
            legs[0].set_leg(lane, &geometry).unwrap();
            legs[0].set_target(lane, &body, &target, None);
        });
        let (outputs, statuses) = (&mut leg_lanes, &mut statuses);
        LegGroupJob { groups: &legs, search, outputs, statuses }.run().unwrap();
        assert_eq!(statuses[0].reached, 0xff);
        let mut links = [ChainLink::EMPTY; 4];
        let (mut group, mut rotations) =
            (ChainGroup::EMPTY, [[[0.2; 8], [0.0; 8], [0.0; 8], [0.96_f32.sqrt(); 8]]; 4]);
        let hinge = JointLimit::swing_twist(glam::DQuat::IDENTITY, DVec3::Y, 2.0, [-1.0, 1.0]);
        (0..8).for_each(|lane| {
            group.set(lane, &sinew::DTransform::IDENTITY, DVec3::X * 2.0, 1e-4);
            links.iter_mut().for_each(|link| {
                link.set_offset(lane, DVec3::Y);
                link.limits.set(lane, Some(&hinge)).unwrap();
            });
        });
        let (group, links, rotations, output) = (&group, &links, &mut rotations, &mut chain_lanes);
        ChainGroupJob { group, links, sweeps: 50, rotations, output }.run().unwrap();
        assert_eq!(chain_lanes.status.reached, 0xff);
        let (root, target, rotations) = (sinew::DTransform::IDENTITY, DVec3::X * 2.0, &mut chain);
        let (offsets, limits, tolerance, sweeps) = (&offsets, &limits, 1e-6, 50);
        ChainJob { root, offsets, limits, target, tolerance, sweeps, rotations }.run().unwrap();
    });
    assert_eq!(count, 0);
}

#[test]
fn planting() {
    let place = |y: f64| {
        sinew::DTransform::from_rotation_translation(glam::DQuat::IDENTITY, DVec3::new(0.0, y, 0.1 * y))
    };
    let joints = [0.9, -0.4, -0.4, -0.1].into_iter().enumerate();
    let joints =
        joints.map(|(i, y)| Joint::new("", i.checked_sub(1).map(|p| JointId(p as u32)), place(y))).collect();
    let rig = Rig::new(&Skeleton::numbered(joints, vec![]).unwrap()).unwrap();
    let slot = |joint: u32| rig.slot(JointId(joint));
    let contact = PlantContact { joint: slot(3), offset_ls: DVec3::ZERO, height: 0.0 };
    let leg = PlantLeg {
        hip: slot(0),
        knee: slot(1),
        foot: slot(2),
        loose_foot: None,
        hinge_ls: DVec3::NEG_X,
        contacts: vec![contact],
    };
    let legs = PlantRig::new(&rig, slot(0), vec![leg]).unwrap();
    let (settings, mut state) = (PlantSettings::for_size(1.8), Planting::new(&legs));
    let (rest, mut pose, mut frame) = (LocalPose::rest(&rig), LocalPose::rest(&rig), 0.0);
    let count = allocations(|| {
        frame += 1.0;
        pose.copy_from(&rest);
        let placement =
            sinew::DTransform { translation: DVec3::Z * 0.002 * frame, ..sinew::DTransform::IDENTITY };
        PlantJob {
            rig: &rig,
            legs: &legs,
            settings: &settings,
            ground: &FlatGround::default(),
            placement,
            dt: 0.016,
            stands: Some(&[true]),
            state: &mut state,
            pose: &mut pose,
        }
        .run()
        .unwrap();
    });
    assert_eq!(count, 0);
    assert!(state.feet()[0].offset_ws.length() > 0.001);
}

#[test]
fn a_character_that_starts_runs_turns_and_stops() {
    let character = locomotion_biped::character();
    let rig = &character.rig;
    let mut state = sinew::LocomotionController::new(rig, &character.set);
    let mut pose = LocalPose::rest(rig);
    let mover = locomotion_biped::mover();
    let mut phases = 0;
    let count = allocations(|| {
        let (forth, back, stand) = (glam::DVec2::Y, glam::DVec2::NEG_Y, glam::DVec2::ZERO);
        for input in [forth, back, stand] {
            let mut last = None;
            for _ in 0..90 {
                let frame = sinew::LocomotionJob {
                    rig,
                    set: &character.set,
                    mover: &mover,
                    ground: &sinew::FlatGround::default(),
                    input,
                    facing: Some(glam::DVec2::Y),
                    dt: 1.0 / 60.0,
                    state: &mut state,
                    pose: &mut pose,
                }
                .run()
                .unwrap();
                phases += u32::from(last != Some(frame.phase));
                last = Some(frame.phase);
            }
        }
    });
    assert_eq!(count, 0);
    assert!(phases >= 12, "{phases}");
}
