//! Promise: a body that is moved 100 cm is read back 100 cm further on, and 0 cm and 200 cm are told for what they
//! are.

mod action_walker;

use action_walker::{HEIGHT, Walker, anchors, leg_joint, skeleton};
use glam::{DQuat, DVec3};
use sinew::action::{
    Action, ActionRecord, ActionSettings, ActionSolver, BlendWindows, FrameRecord, HeadSubtree, KeyDomain,
    Readback, ReadbackError, ReadbackJob, RecordingClock, Replay, SolveLimits, SolveSetup,
};
use sinew::{DTransform, JointId, RawPose};

const MOVE: DVec3 = DVec3::X;

/// A frame with body and anchors moved; the pose is then the same.
fn record(by: DVec3) -> FrameRecord {
    let skeleton = skeleton();
    let legs: Vec<_> = (0..6).flat_map(|leg| (0..5).map(move |bone| leg_joint(leg, bone))).collect();
    let subtree = HeadSubtree::new(&skeleton, "Head_01", &legs).unwrap();
    let mut support = RawPose::rest(&skeleton);
    support.local[1].rotation = DQuat::from_rotation_y(0.4) * DQuat::from_rotation_x(-0.2);
    let action = Action::new(ActionRecord {
        name: "stand".into(),
        original_length: 1.0,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: 1,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: BlendWindows::NONE,
            head_blend: BlendWindows::NONE,
        },
        channels: Vec::new(),
        fields: Vec::new(),
    })
    .unwrap();
    let anchors: Vec<_> =
        anchors().iter().map(|a| DTransform { translation: a.translation + by, ..*a }).collect();
    let rotation = DQuat::from_rotation_z(0.05);
    let setup = SolveSetup {
        skeleton: &skeleton,
        action: &action,
        clock: RecordingClock::new(1.0).unwrap(),
        subtree: &subtree,
        support: &support,
        body_ws: DTransform::from_rotation_translation(rotation, DVec3::new(0.0, HEIGHT, 0.0) + by),
        anchors_ws: &anchors,
        reference_height: 10.0,
        limits: SolveLimits::default(),
    };
    let walker = Walker::new();
    ActionSolver::new(setup, &walker).unwrap().step(40, &Replay::default()).unwrap().clone()
}

fn read_back(record: &FrameRecord, compose: impl Fn(&FrameRecord, JointId) -> DTransform) -> Vec<DTransform> {
    (0..record.model_ms.len()).map(|joint| compose(record, JointId(joint as u32))).collect()
}

fn verdict(before_ws: &[DTransform], after_ws: &[DTransform]) -> Readback {
    ReadbackJob { move_ws: MOVE, before_ws, after_ws, tolerance: 1e-9, turn_tolerance: 1e-9 }.run().unwrap()
}

#[test]
fn a_body_moved_100_cm_along_world_x_is_read_back_100_cm_on_with_its_head_local_pose_kept() {
    let (before, after) = (record(DVec3::ZERO), record(MOVE));
    assert!(DTransform::angle_between(before.head_local, after.head_local) < 1e-12);
    let of = |record: &FrameRecord| read_back(record, FrameRecord::joint_ws);
    assert_eq!(verdict(&of(&before), &of(&after)), Readback::Once);
    let core = after.joint_ws(JointId(2)).translation - before.joint_ws(JointId(2)).translation;
    assert!((core * 100.0 - DVec3::new(100.0, 0.0, 0.0)).length() < 1e-9);
}

#[test]
fn a_readback_without_the_bodys_transform_and_one_with_it_twice_are_told_apart() {
    let (before, after) = (record(DVec3::ZERO), record(MOVE));
    let missing = |record: &FrameRecord| read_back(record, |r, joint| r.model_ms[joint.index()]);
    assert_eq!(verdict(&missing(&before), &missing(&after)), Readback::Missing);
    let twice =
        |record: &FrameRecord| read_back(record, |r, joint| r.body.body_ws.mul_transform(&r.joint_ws(joint)));
    // Twice the turn as well, which is the same before and after: what counts is that the place moved twice.
    let moved = verdict(&twice(&before), &twice(&after));
    let Readback::Other { moved_ws, .. } = moved else { panic!("{moved:?}") };
    assert!((moved_ws - (MOVE + DQuat::from_rotation_z(0.05) * MOVE)).length() < 1e-9);
    // Added as an offset a second time, the usual mistake.
    let offset = |record: &FrameRecord| {
        read_back(record, |r, joint| {
            let here = r.joint_ws(joint);
            DTransform { translation: here.translation + r.body.body_ws.translation, ..here }
        })
    };
    assert_eq!(verdict(&offset(&before), &offset(&after)), Readback::Twice);
}

#[test]
fn a_joint_left_behind_and_a_joint_that_turned_are_named() {
    let (before, after) = (record(DVec3::ZERO), record(MOVE));
    let before = read_back(&before, FrameRecord::joint_ws);
    let after = read_back(&after, FrameRecord::joint_ws);
    let mut late = after.clone();
    late[2].translation = before[2].translation;
    assert_eq!(verdict(&before, &late), Readback::Other { joint: JointId(2), moved_ws: DVec3::ZERO });
    let mut turned = after.clone();
    turned[3].rotation = DQuat::from_rotation_y(0.01) * turned[3].rotation;
    let Readback::Turned { joint, radians } = verdict(&before, &turned) else { panic!() };
    assert!(joint == JointId(3) && (radians - 0.01).abs() < 1e-12);
    let mut nan = after.clone();
    nan[5].translation.x = f64::NAN;
    assert!(matches!(verdict(&before, &nan), Readback::Other { .. }));
}

#[test]
fn moves_and_lists_that_tell_nothing_are_refused() {
    let joints = [DTransform::IDENTITY; 2];
    let (before_ws, after_ws) = (&joints[..], &joints[..]);
    let job = ReadbackJob { move_ws: MOVE, before_ws, after_ws, tolerance: 1e-6, turn_tolerance: 1e-6 };
    let none = ReadbackJob { move_ws: DVec3::ZERO, ..job };
    assert_eq!(none.run(), Err(ReadbackError::TooShort { metres: 0.0, tolerance: 1e-6 }));
    assert!(ReadbackJob { move_ws: DVec3::NAN, ..job }.run().is_err());
    let short = ReadbackJob { after_ws: &joints[..1], ..job };
    assert_eq!(short.run(), Err(ReadbackError::Joints { before: 2, after: 1 }));
    assert!(ReadbackJob { before_ws: &[], after_ws: &[], ..job }.run().is_err());
    for radians in [-1e-9, f64::NAN] {
        let turn = ReadbackJob { turn_tolerance: radians, ..job };
        assert!(matches!(turn.run(), Err(ReadbackError::TurnTolerance { .. })), "{radians}");
    }
}

#[test]
fn how_far_and_how_much_a_joint_may_be_off_are_two_numbers() {
    let before_ws = [DTransform::IDENTITY];
    let rotation = DQuat::from_rotation_y(0.01);
    let after_ws = [DTransform::from_rotation_translation(rotation, MOVE + DVec3::Y * 0.02)];
    let job = |tolerance, turn_tolerance| {
        let (before_ws, after_ws) = (&before_ws[..], &after_ws[..]);
        ReadbackJob { move_ws: MOVE, before_ws, after_ws, tolerance, turn_tolerance }.run().unwrap()
    };
    assert_eq!(job(0.03, 0.011), Readback::Once);
    assert!(matches!(job(0.03, 0.009), Readback::Turned { .. }));
    assert!(matches!(job(0.01, 0.011), Readback::Other { .. }));
}
