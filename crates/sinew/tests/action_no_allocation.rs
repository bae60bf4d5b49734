//! Promise: frames of an action, sequences written into a pose and readbacks allocate nothing once their outputs
//! have the right size.
#![allow(unsafe_code, reason = "only an allocator can count allocations")]

mod action_walker;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use action_walker::{HEIGHT, Walker, anchors, leg_joint, skeleton};
use glam::DVec3;
use sinew::action::{
    Action, ActionChannel, ActionField, ActionRecord, ActionSettings, ActionSolver, BindRequest, Binding,
    BlendMode, BlendWindow, BlendWindows, Fallback, HeadSubtree, KeyDomain, NameMap, Policy, ReadbackJob,
    RecordingClock, Replay, SequenceJob, SolveLimits, SolveSetup, TrackMode,
};
use sinew::{Channel, ChannelTarget, DTransform, Interpolation, JointId, RawClip, RawPose, Track};

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

fn counted(mut job: impl FnMut()) -> u64 {
    let before = ALLOCATIONS.get();
    job();
    ALLOCATIONS.get() - before
}

fn action() -> Action {
    let window = BlendWindow::new(0.3, BlendMode::SmoothStep);
    let blend = BlendWindows { blend_in: window.clone(), blend_out: window };
    let yaw = [0.0, 0.1, 0.0];
    Action::new(ActionRecord {
        name: "turn".into(),
        original_length: 2.0,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: 1,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: blend.clone(),
            head_blend: blend,
        },
        channels: vec![(ActionChannel::BodyYaw, "yaw".into()), (ActionChannel::HeadYaw, "yaw".into())],
        fields: vec![ActionField::linear("yaw", &[0.0, 1.0, 2.0], &yaw).unwrap()],
    })
    .unwrap()
}

#[test]
fn frames_of_an_action_and_readbacks() {
    assert_eq!(counted(|| drop(std::hint::black_box(vec![1_u8]))), 1);
    let (skeleton, action, anchors, legs) = (skeleton(), action(), anchors(), Walker::new());
    let leg_joints: Vec<_> = (0..6).map(|leg| leg_joint(leg, 0)).collect();
    let subtree = HeadSubtree::new(&skeleton, "Head_01", &leg_joints).unwrap();
    let support = RawPose::rest(&skeleton);
    let setup = SolveSetup {
        skeleton: &skeleton,
        action: &action,
        clock: RecordingClock::new(2.0).unwrap(),
        subtree: &subtree,
        support: &support,
        body_ws: DTransform { translation: DVec3::new(0.0, HEIGHT, 0.0), ..DTransform::IDENTITY },
        anchors_ws: &anchors,
        reference_height: 10.0,
        limits: SolveLimits::default(),
    };
    let mut solver = ActionSolver::new(setup, &legs).unwrap();
    for frame in 0..2 {
        solver.step(frame, &Replay::default()).unwrap();
    }
    let mut worlds = Vec::with_capacity(skeleton.len());
    let count = counted(|| {
        for frame in 2..121 {
            let record = solver.step(frame, &Replay::default()).unwrap();
            worlds.clear();
            worlds.extend((0..skeleton.len()).map(|joint| record.joint_ws(JointId(joint as u32))));
        }
        let (move_ws, before_ws, after_ws) = (DVec3::X, &worlds[..], &worlds[..]);
        ReadbackJob { move_ws, before_ws, after_ws, tolerance: 1e-9, turn_tolerance: 1e-9 }.run().unwrap();
    });
    assert_eq!(count, 0);
}

#[test]
fn sequences() {
    let skeleton = skeleton();
    let track =
        Track::new([0.0, 1.0].into(), [0.0, 1.0, 0.25, 0.0, 2.0, 0.25].into(), 3, Interpolation::Linear);
    let channel =
        Channel { joint: JointId(2), target: ChannelTarget::Translation, track: track.unwrap(), source: 0 };
    let clip = RawClip { channels: vec![channel], ..RawClip::default() };
    let subtree = HeadSubtree::new(&skeleton, "Head_01", &[]).unwrap();
    let map = NameMap::same_names();
    let binding = Binding::new(&BindRequest {
        source: &skeleton,
        clip: &clip,
        target: &skeleton,
        map: &map,
        mesh: "",
        skeleton: "",
        subtree: Some(&subtree),
    })
    .unwrap();
    let support = RawPose::rest(&skeleton);
    let (mut output, mut written) = (RawPose::default(), Vec::new());
    let mut run = |seconds| {
        SequenceJob {
            binding: &binding,
            source: &skeleton,
            clip: &clip,
            target: &skeleton,
            seconds,
            mode: TrackMode::Absolute,
            policy: Policy { absent: Fallback::Rest, partial: Fallback::Support },
            policies: &[],
            support: &support,
            output: &mut output,
            written: &mut written,
        }
        .run()
        .unwrap();
    };
    run(0.0);
    assert_eq!(counted(|| (0..10).for_each(|i| run(f64::from(i) / 10.0))), 0);
}
