//! Promise: a frame is solved in the stated order, soles stay where they are while the body moves over them,
//! each frame leaves a whole record, and the first that breaks a rule says everything about itself and stops.

mod action_walker;

use action_walker::{HEIGHT, LEGS, Walker, anchors, leg_joint, skeleton};
use glam::{DQuat, DVec3};
use sinew::LegFault;
use sinew::action::{
    Action, ActionChannel, ActionField, ActionRecord, ActionSettings, ActionSolver, BlendMode, BlendWindow,
    BlendWindows, ComposeError, Euler, FailureCause, FrameRecord, HeadSubtree, HierarchyError, KeyDomain,
    LegSolver, RecordingClock, Replay, SetupError, SolveLimits, SolveSetup, StepError,
};
use sinew::{DTransform, JointId, RawPose, Skeleton};

const LENGTH: f64 = 3.0;
const HEAD: usize = 1;
const CORE: usize = 2;
const ACCESSORY: usize = 3;

type Keys<'a> = (ActionChannel, &'a [f64], &'a [f32]);

fn action(channels: &[Keys<'_>], windows: BlendWindows) -> Action {
    let fields =
        channels.iter().map(|(channel, times, values)| ActionField::linear(channel.name(), times, values));
    Action::new(ActionRecord {
        name: "test".into(),
        original_length: LENGTH,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: 1,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: windows.clone(),
            head_blend: windows,
        },
        channels: channels.iter().map(|(channel, ..)| (*channel, channel.name().to_owned())).collect(),
        fields: fields.collect::<Result<_, _>>().unwrap(),
    })
    .unwrap()
}

/// Body and head turn, rise and fall; how much is a factor.
fn shake(factor: f32) -> Action {
    let times = [0.0, 0.75, 1.5, 2.25, 3.0];
    let scaled = |values: [f32; 5]| values.map(|v| v * factor);
    let height = 0.9_f32;
    let pitch = scaled([0.0, 0.18, -0.1, 0.05, 0.0]);
    let yaw = scaled([0.0, -0.05, 0.1, -0.16, 0.0]);
    let z = scaled([0.0, -0.08, 0.0, -0.04, 0.0]).map(|v| v + height);
    let x = scaled([0.0, 0.03, 0.0, -0.02, 0.0]);
    use ActionChannel::{BodyPitch, BodyX, BodyYaw, BodyZ, HeadPitch, HeadYaw};
    action(
        &[
            (BodyX, &times, &x),
            (BodyZ, &times, &z),
            (BodyPitch, &times, &pitch),
            (BodyYaw, &times, &yaw),
            (HeadPitch, &times, &pitch),
            (HeadYaw, &times, &yaw),
        ],
        BlendWindows {
            blend_in: BlendWindow::new(0.3, BlendMode::SmoothStep),
            blend_out: BlendWindow::new(0.3, BlendMode::SmoothStep),
        },
    )
}

struct Stage {
    skeleton: Skeleton,
    subtree: HeadSubtree,
    support: RawPose,
    anchors: Vec<DTransform>,
    action: Action,
}

impl Stage {
    fn new(action: Action) -> Self {
        let skeleton = skeleton();
        let legs: Vec<_> = (0..LEGS).flat_map(|leg| (0..5).map(move |bone| leg_joint(leg, bone))).collect();
        let subtree = HeadSubtree::new(&skeleton, "Head_01", &legs).unwrap();
        let mut support = RawPose::rest(&skeleton);
        support.local[CORE].rotation = DQuat::from_rotation_x(0.2);
        support.local[ACCESSORY].rotation = DQuat::from_rotation_z(0.3);
        Self { skeleton, subtree, support, anchors: anchors(), action }
    }

    fn setup(&self) -> SolveSetup<'_> {
        SolveSetup {
            skeleton: &self.skeleton,
            action: &self.action,
            clock: RecordingClock::new(self.action.length()).unwrap(),
            subtree: &self.subtree,
            support: &self.support,
            body_ws: DTransform { translation: DVec3::new(0.0, HEIGHT, 0.0), ..DTransform::IDENTITY },
            anchors_ws: &self.anchors,
            reference_height: 10.0,
            limits: SolveLimits::default(),
        }
    }

    fn solver<'a>(&'a self, legs: &'a Walker) -> ActionSolver<'a, &'a Walker> {
        ActionSolver::new(self.setup(), legs).unwrap()
    }
}

fn frames(stage: &Stage, legs: &Walker) -> Result<Vec<FrameRecord>, StepError> {
    let mut solver = stage.solver(legs);
    (0..stage.setup().clock.frames()).map(|frame| solver.step(frame, &Replay::default()).cloned()).collect()
}

fn failure(stage: &Stage, legs: &Walker) -> sinew::action::FrameFailure {
    match frames(stage, legs).unwrap_err() {
        StepError::Failed(failure) => *failure,
        other => panic!("{other}"),
    }
}

#[test]
fn soles_stay_in_the_world_while_the_body_shakes_and_no_leg_jumps() {
    let (stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    let records = frames(&stage, &legs).unwrap();
    assert_eq!(records.len(), 151);
    let mut furthest = [DVec3::ZERO; 2];
    for record in &records {
        for (leg, anchor) in stage.anchors.iter().enumerate() {
            // Once more from the pose alone.
            let foot = record.joint_ws(leg_joint(leg, 4));
            let sole = foot.translation + foot.rotation * DVec3::new(0.0, -0.6, 0.0);
            assert!((sole - anchor.translation).length() < 1e-12);
            assert!(DTransform::angle_between(foot.rotation, DQuat::IDENTITY) < 1e-12);
            assert!(record.legs[leg].residual_ws.length() < 1e-12);
        }
        assert!(record.residual < 1e-12);
        assert!(record.continuity.is_none_or(|turn| turn.radians < 5.0_f64.to_radians()));
        furthest[0] = furthest[0].min(record.body.body_ws.translation);
        furthest[1] = furthest[1].max(record.body.body_ws.translation);
    }
    assert!(records[0].continuity.is_none() && records[1].continuity.is_some());
    // The body did move: 30 cm forward, down to 8.2 m.
    let lowest = records.iter().map(|r| r.body.body_ws.translation.y).fold(f64::INFINITY, f64::min);
    assert!((furthest[1].z - 0.3).abs() < 0.02 && (lowest - 8.2).abs() < 0.05, "{furthest:?} {lowest}");
}

#[test]
fn outside_the_action_the_pose_is_the_support_pose_and_the_body_is_where_it_was() {
    let (stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    let records = frames(&stage, &legs).unwrap();
    for record in [&records[0], &records[30], &records[120], &records[150]] {
        assert_eq!((record.body_weight.value, record.head_weight.value), (0.0, 0.0));
        assert_eq!(record.body.body_ws, stage.setup().body_ws);
        assert_eq!(record.head_local, stage.support.local[HEAD].rotation);
        assert_eq!(record.pose, records[0].pose, "frame {}", record.frame);
    }
    assert_ne!(records[60].pose, records[0].pose);
}

#[test]
fn the_head_turns_with_its_core_and_nothing_else_does() {
    let (stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    let records = frames(&stage, &legs).unwrap();
    let mut still = Stage::new(shake(1.0));
    still.action = {
        let mut record = still.action.record().clone();
        record.channels.retain(|(channel, _)| !channel.name().starts_with("head"));
        Action::new(record).unwrap()
    };
    for (moved, unmoved) in records.iter().zip(frames(&still, &legs).unwrap()) {
        for joint in 0..stage.skeleton.len() {
            let (a, b) = (&moved.pose.local[joint], &unmoved.pose.local[joint]);
            assert!(joint == HEAD || a == b, "joint {joint} of frame {}", moved.frame);
        }
        // The core keeps its place in the head: turned head, turned offset.
        let head = &moved.model_ms[HEAD];
        let core = head.translation + head.rotation * DVec3::new(0.0, 1.0, 0.25);
        assert!((moved.model_ms[CORE].translation - core).length() < 1e-12);
        assert_eq!(moved.model_ms[ACCESSORY], unmoved.model_ms[ACCESSORY]);
    }
    assert!(DTransform::angle_between(records[60].head_local, stage.support.local[HEAD].rotation) > 0.05);
}

#[test]
fn a_record_holds_what_was_asked_and_what_came_of_it() {
    let (stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    let record = &frames(&stage, &legs).unwrap()[52];
    assert_eq!((record.frame, record.clock.active), (52, 22.0 / 30.0));
    assert!((record.clock.progress - 22.0 / 90.0).abs() < 1e-15);
    let asked: Vec<_> = record.queries.queries.iter().map(|q| (q.channel, q.outcome.is_fallback())).collect();
    use ActionChannel::{BodyPitch, BodyRoll, BodyX, BodyY, BodyYaw, BodyZ, HeadPitch, HeadRoll, HeadYaw};
    assert_eq!(
        asked,
        [
            (BodyX, false),
            (BodyY, true),
            (BodyZ, false),
            (BodyPitch, false),
            (BodyYaw, false),
            (BodyRoll, true),
            (HeadPitch, false),
            (HeadYaw, false),
            (HeadRoll, true),
        ]
    );
    let z = record.value(BodyZ).unwrap();
    assert_eq!((record.body.scaled_height, record.body.height_datum), (z * 10.0, 0.0));
    assert!((record.body.body_ws.translation.y - z * 10.0).abs() < 1e-12);
    assert!((record.head_euler.pitch - record.value(HeadPitch).unwrap()).abs() < 1e-12);
    assert_eq!(record.head_local, record.pose.local[HEAD].rotation);
    assert_eq!(record.legs.len(), LEGS);
    assert!(
        record.legs.iter().all(|leg| leg.clearance > 0.0 && leg.limit_margin > 0.0 && leg.self_gap > 0.0)
    );
    let worst = record.legs.iter().filter_map(|leg| leg.turn).map(|turn| turn.radians).fold(0.0, f64::max);
    assert_eq!(record.continuity.unwrap().radians, worst);
    // The character by itself: the root carries the body.
    let mut alone = RawPose::default();
    record.world_pose(JointId(0), &mut alone);
    let mut world = Vec::new();
    sinew::model_matrices(&stage.skeleton, &alone, &mut world);
    for joint in 0..stage.skeleton.len() {
        let here = record.joint_ws(JointId(joint as u32)).translation;
        assert!((world[joint].w_axis.truncate() - here).length() < 1e-12);
    }
}

#[test]
fn turns_of_the_legs_are_those_seen_in_the_world_and_not_those_in_the_body() {
    let (stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    let records = frames(&stage, &legs).unwrap();
    let mut apart = 0.0_f64;
    for pair in records.windows(2) {
        for (leg, found) in pair[1].legs.iter().enumerate() {
            let largest = |rotation: &dyn Fn(&FrameRecord, JointId) -> DQuat| {
                let turn = |bone| {
                    let joint = leg_joint(leg, bone);
                    DTransform::angle_between(rotation(&pair[0], joint), rotation(&pair[1], joint))
                };
                (1..5).map(turn).fold(0.0, f64::max)
            };
            let in_body = |record: &FrameRecord, joint: JointId| record.model_ms[joint.index()].rotation;
            let in_world = largest(&|record, joint| record.body.body_ws.rotation * in_body(record, joint));
            assert!((found.turn.unwrap().radians - in_world).abs() < 1e-12);
            apart = apart.max((in_world - largest(&in_body)).abs());
        }
    }
    assert!(apart > 1e-3, "the two can be told apart here: {apart}");
}

#[test]
fn a_body_without_an_up_channel_keeps_its_height() {
    let stage = Stage::new(action(
        &[(ActionChannel::BodyYaw, &[0.0, 1.5, 3.0], &[0.0, 0.1, 0.0])],
        BlendWindows::NONE,
    ));
    let legs = Walker::new();
    for record in frames(&stage, &legs).unwrap() {
        assert!((record.body.body_ws.translation - DVec3::new(0.0, HEIGHT, 0.0)).length() < 1e-12);
        assert!(record.queries.of(ActionChannel::BodyZ).unwrap().outcome.is_fallback());
    }
}

/// Same frames with limits that never fail.
fn unlimited(stage: &Stage, legs: &Walker) -> Vec<FrameRecord> {
    let limits = SolveLimits { turn: f64::INFINITY, residual: f64::INFINITY, ..SolveLimits::default() };
    let mut solver = ActionSolver::new(SolveSetup { limits, ..stage.setup() }, legs).unwrap();
    let count = stage.setup().clock.frames();
    (0..count).map(|frame| solver.step(frame, &Replay::default()).unwrap().clone()).collect()
}

#[test]
fn a_shake_that_is_too_strong_fails_at_its_first_frame_over_the_limit_and_stops_there() {
    let (mut stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    // A jerk: a tenth of a second for one radian of yaw.
    stage.action = action(
        &[(ActionChannel::BodyYaw, &[0.0, 1.0, 1.1, 1.2, 3.0], &[0.0, 0.0, 1.0, 0.0, 0.0])],
        BlendWindows::NONE,
    );
    let free = unlimited(&stage, &legs);
    let limit = 5.0_f64.to_radians();
    let first = free.iter().position(|r| r.continuity.is_some_and(|turn| turn.radians > limit)).unwrap();
    let failure = failure(&stage, &legs);
    assert_eq!((failure.frame as usize, failure.time), (first, first as f64 / 30.0));
    let FailureCause::Continuity { leg, joint, radians, most } = failure.cause else { panic!("{failure}") };
    let turn = free[first].legs[leg].turn.unwrap();
    assert_eq!((joint, radians, most), (turn.joint, turn.radians, limit));
    assert_eq!(failure.leg.as_deref(), Some(["L_01", "L_02", "L_03", "R_01", "R_02", "R_03"][leg]));
    assert_eq!(failure.body_ws, free[first].body.body_ws);
    assert!((failure.body_euler.yaw - free[first].value(ActionChannel::BodyYaw).unwrap()).abs() < 1e-12);
    assert_eq!(failure.ankle_offset, Some(free[first].legs[leg].solved.ankle_offset));
    assert_eq!(failure.joint_deltas.len(), 4);
    assert!(failure.joint_deltas.iter().any(|delta| delta.radians > limit));
}

#[test]
fn after_a_failure_every_step_gives_the_same_failure_until_a_restart() {
    let (stage, mut legs) = (Stage::new(shake(1.0)), Walker::new());
    legs.drift = 0.3;
    let mut solver = stage.solver(&legs);
    solver.step(0, &Replay::default()).unwrap();
    let StepError::Failed(first) = solver.step(1, &Replay::default()).unwrap_err() else { panic!() };
    assert_eq!(solver.step(2, &Replay::default()).unwrap_err(), StepError::Stopped(first.clone()));
    assert_eq!(solver.failure(), Some(&*first));
    assert!(matches!(first.cause, FailureCause::Continuity { leg: 1, .. }));
    solver.restart();
    assert_eq!(solver.step(40, &Replay::default()).unwrap().continuity, None);
    let error = solver.step(42, &Replay::default()).unwrap_err();
    assert_eq!(error, StepError::NotNext { found: 42, expected: 41 });
}

#[test]
fn a_leg_that_turns_too_far_is_tried_again_before_it_fails() {
    let (stage, mut legs) = (Stage::new(shake(1.0)), Walker::new());
    (legs.drift, legs.refines) = (0.3, true);
    let records = frames(&stage, &legs).unwrap();
    assert!(records[1].legs[1].refined && !records[1].legs[0].refined);
    assert!((records[90].legs[1].solved.ankle_offset - 0.15).abs() < 1e-12);
}

#[test]
fn an_anchor_out_of_reach_is_a_failure_with_the_distance_and_nothing_is_stretched() {
    let (mut stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    stage.anchors[2].translation *= 3.0;
    let failure = failure(&stage, &legs);
    let FailureCause::Leg { leg: 2, fault: LegFault::Unreachable { by_metres } } = failure.cause else {
        panic!("{failure}")
    };
    // In the plane of the leg, the ankle's tip from the yaw joint's end, less the length of the two bones.
    let tilt = 0.15_f64;
    let along = 7.25 * 3.0 - 2.0 - 1.2 - 2.0 * libm::sin(tilt);
    let up = 0.6 - 9.0 + 2.0 * libm::cos(tilt);
    assert!((by_metres - (libm::hypot(along, up) - 11.8)).abs() < 1e-12);
    assert_eq!((failure.frame, failure.leg.as_deref(), failure.ankle_offset), (0, Some("L_03"), None));
}

#[test]
fn an_anchor_that_leaves_reach_tells_what_the_other_legs_did() {
    // The body rises 5 m within a second.
    let stage = Stage::new(action(&[(ActionChannel::BodyZ, &[0.0, 1.0], &[0.9, 1.4])], BlendWindows::NONE));
    let legs = Walker::new();
    let limits = SolveLimits { turn: f64::INFINITY, ..SolveLimits::default() };
    let mut solver = ActionSolver::new(SolveSetup { limits, ..stage.setup() }, &legs).unwrap();
    let error = (0..151).find_map(|frame| solver.step(frame, &Replay::default()).err()).unwrap();
    let StepError::Failed(failure) = error else { panic!("{error}") };
    let FailureCause::Leg { leg, fault: LegFault::Unreachable { .. } } = failure.cause else { panic!() };
    assert!((failure.ankle_offset.unwrap() - 0.15).abs() < 1e-12);
    assert_eq!(failure.joint_deltas.len(), leg * 4);
    assert!(failure.body_ws.translation.y > 9.0);
}

#[test]
fn every_check_names_its_leg() {
    let stage = Stage::new(shake(1.0));
    let mut legs = Walker::new();
    legs.ground = 4.0;
    assert!(matches!(failure(&stage, &legs).cause, FailureCause::Clearance { leg: 0, least: 0.0, .. }));
    let mut legs = Walker::new();
    legs.least_knee = -1.0;
    let FailureCause::JointLimit { leg: 0, joint, by_radians } = failure(&stage, &legs).cause else {
        panic!()
    };
    assert_eq!(joint, leg_joint(0, 2));
    assert!(by_radians > 0.0);
    let mut legs = Walker::new();
    legs.thickness = 100.0;
    assert!(matches!(failure(&stage, &legs).cause, FailureCause::SelfCollision { leg: 2, .. }));
    let mut legs = Walker::new();
    legs.sole_error = 1e-3;
    let FailureCause::Residual { leg: 4, metres, most } = failure(&stage, &legs).cause else { panic!() };
    assert!((metres - 1e-3).abs() < 1e-12 && most == 5e-4);
    legs.sole_error = 4e-4;
    assert!((frames(&stage, &legs).unwrap()[3].residual - 4e-4).abs() < 1e-12);
}

#[test]
fn limits_are_checked_before_continuity_and_residual_whatever_else_is_wrong() {
    let stage = Stage::new(shake(1.0));
    let mut legs = Walker::new();
    (legs.sole_error, legs.thickness) = (1e-3, 100.0);
    assert!(matches!(failure(&stage, &legs).cause, FailureCause::SelfCollision { leg: 2, .. }));
    legs.least_knee = -1.0;
    assert!(matches!(failure(&stage, &legs).cause, FailureCause::JointLimit { leg: 0, .. }));
    legs.ground = 4.0;
    assert!(matches!(failure(&stage, &legs).cause, FailureCause::Clearance { leg: 0, .. }));
}

/// Passes everything on, and puts down when it was called and whether the head had been turned by then.
struct Watched<'a> {
    legs: &'a Walker,
    calls: core::cell::RefCell<Vec<(&'static str, bool)>>,
}

impl Watched<'_> {
    fn note(&self, what: &'static str, pose: Option<&RawPose>) {
        let turned = pose.is_some_and(|pose| pose.local[HEAD].rotation != DQuat::IDENTITY);
        let mut calls = self.calls.borrow_mut();
        if calls.last() != Some(&(what, turned)) {
            calls.push((what, turned));
        }
    }
}

impl LegSolver for &Watched<'_> {
    fn legs(&self) -> usize {
        LEGS
    }
    fn leg(&self, leg: usize) -> sinew::action::LegJoints<'_> {
        LegSolver::leg(&self.legs, leg)
    }
    fn solve(
        &self,
        task: &sinew::action::LegTask<'_>,
        pose: &mut RawPose,
    ) -> Result<sinew::action::SolvedLeg, LegFault> {
        self.note("solve", Some(pose));
        self.legs.solve(task, pose)
    }
    fn clearance(&self, leg: usize, body_ws: &DTransform, model_ms: &[DTransform]) -> f64 {
        self.note("clearance", None);
        self.legs.clearance(leg, body_ws, model_ms)
    }
    fn limit(
        &self,
        leg: usize,
        solved: &sinew::action::SolvedLeg,
        pose: &RawPose,
    ) -> sinew::action::LimitReading {
        self.note("limit", Some(pose));
        self.legs.limit(leg, solved, pose)
    }
    fn self_gap(&self, leg: usize, model_ms: &[DTransform]) -> f64 {
        self.legs.self_gap(leg, model_ms)
    }
}

#[test]
fn legs_are_solved_cleared_and_held_to_their_limits_in_that_order_before_the_head_is_turned() {
    let (stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    let watched = Watched { legs: &legs, calls: Vec::new().into() };
    let mut solver = ActionSolver::new(stage.setup(), &watched).unwrap();
    for frame in 50..53 {
        let record = solver.step(frame, &Replay::default()).unwrap();
        assert_ne!(record.head_local, DQuat::IDENTITY);
        let calls = watched.calls.take();
        assert_eq!(calls, [("solve", false), ("clearance", false), ("limit", false)], "frame {frame}");
    }
}

#[test]
fn the_heads_angles_become_a_rotation_before_they_are_weighted_and_the_bodys_after() {
    use ActionChannel::{BodyPitch, BodyYaw, HeadPitch, HeadRoll, HeadYaw};
    let keys = |value: f32| [value, value];
    let (pitch, yaw, roll) = (keys(0.9), keys(-1.2), keys(0.5));
    let (body_pitch, body_yaw) = (keys(0.1), keys(0.2));
    let times: &[f64] = &[0.0, 3.0];
    let mut stage = Stage::new(action(
        &[
            (HeadPitch, times, &pitch),
            (HeadYaw, times, &yaw),
            (HeadRoll, times, &roll),
            (BodyPitch, times, &body_pitch),
            (BodyYaw, times, &body_yaw),
        ],
        BlendWindows::NONE,
    ));
    let reference = DQuat::from_rotation_y(0.4) * DQuat::from_rotation_x(0.3);
    stage.support.local[HEAD].rotation = reference;
    let legs = Walker::new();
    let replay = Replay { head_weight: Some(0.4), body_weight: Some(0.5), ..Replay::default() };
    let mut solver = stage.solver(&legs);
    let record = solver.step(60, &replay).unwrap();
    let target = Euler { pitch: 0.9, yaw: -1.2, roll: 0.5 }.to_quat();
    let (near, far) = (target.dot(reference).signum(), 0.4);
    let expected = (reference * (1.0 - far) + target * (near * far)).normalize();
    assert!(DTransform::angle_between(record.head_local, expected) < 1e-7);
    // Weighted angles would be another rotation.
    let own = Euler::from_quat(reference);
    let mixed = |a: f64, b: f64| a + 0.4 * (b - a);
    let (pitch, yaw, roll) = (mixed(own.pitch, 0.9), mixed(own.yaw, -1.2), mixed(own.roll, 0.5));
    assert!(DTransform::angle_between(record.head_local, Euler { pitch, yaw, roll }.to_quat()) > 1e-2);
    let body = DQuat::from_rotation_y(0.1) * DQuat::from_rotation_x(-0.05);
    assert!(DTransform::angle_between(record.body.body_ws.rotation, body) < 1e-7);
}

/// A head dip whose weight jumps to 1 between two frames.
fn dip() -> Stage {
    let custom = sinew::Curve::new("in", [0.0, 1.0], [0.0_f32, 0.7], sinew::Interpolation::Linear).unwrap();
    Stage::new(action(
        &[(ActionChannel::HeadPitch, &[0.0, 1.0, 3.0], &[0.0, -0.5, -0.5])],
        BlendWindows {
            blend_in: BlendWindow::new(0.68, BlendMode::Custom(custom)),
            blend_out: BlendWindow::NONE,
        },
    ))
}

#[test]
fn a_jump_is_split_into_curve_and_weight_by_replays_that_hold_one_of_them() {
    let (stage, legs) = (dip(), Walker::new());
    let mut solver = stage.solver(&legs);
    let mut pitch = |frame, replay: &Replay| {
        solver.restart();
        let record = solver.step(frame, replay).unwrap();
        (record.head_euler.pitch, record.head_weight)
    };
    let (before, weight_before) = pitch(50, &Replay::default());
    let (after, weight_after) = pitch(51, &Replay::default());
    let (weight_only, _) = pitch(51, &Replay { curves_at: Some(50), ..Replay::default() });
    let held = Replay { head_weight: Some(weight_before.value), ..Replay::default() };
    let (curve_only, held_weight) = pitch(51, &held);
    assert_eq!(held_weight.value, weight_before.value);
    assert!(weight_before.blend_in.is_some() && weight_after.blend_in.is_none());
    assert_eq!(weight_after.value, 1.0);
    // At weight 1 the head is at the curve; below it nlerp lags a straight line by less than 1e-3 here.
    let curve = |frame: f64| -0.5 * (frame / 30.0 - 1.0);
    assert!((after - curve(51.0)).abs() < 1e-7 && (weight_only - curve(50.0)).abs() < 1e-7);
    assert!((before - curve(50.0) * weight_before.value).abs() < 1e-3);
    assert!((curve_only - curve(51.0) * weight_before.value).abs() < 1e-3);
    // Most of the jump is the weight's.
    let (whole, by_weight, by_curve) = (after - before, weight_only - before, curve_only - before);
    assert!(by_weight / whole > 0.8 && by_curve / whole < 0.2, "{whole} {by_weight} {by_curve}");
}

#[test]
fn replays_refuse_weights_that_are_none() {
    let (stage, legs) = (dip(), Walker::new());
    for replay in [
        Replay { head_weight: Some(1.5), ..Replay::default() },
        Replay { body_weight: Some(-0.5), ..Replay::default() },
    ] {
        let error = stage.solver(&legs).step(60, &replay).unwrap_err();
        let StepError::Failed(failure) = error else { panic!("{error}") };
        assert!(matches!(failure.cause, FailureCause::Target(ComposeError::Weight { .. })));
        assert_eq!((failure.leg, failure.body_euler), (None, Euler::default()));
    }
}

fn refused(change: impl Fn(&mut Stage), setup: impl Fn(&mut SolveSetup<'_>)) -> SetupError {
    let (mut stage, legs) = (Stage::new(shake(1.0)), Walker::new());
    change(&mut stage);
    let mut with = stage.setup();
    setup(&mut with);
    ActionSolver::new(with, &legs).map(drop).unwrap_err()
}

#[test]
fn setups_that_do_not_fit_are_refused_by_name() {
    let same = |_: &mut SolveSetup<'_>| {};
    let size = |what, found, expected| SetupError::Size { what, found, expected };
    assert_eq!(refused(|s| s.support.local.truncate(3), same), size("the support pose is", 3, 34));
    assert_eq!(refused(|s| s.anchors.truncate(5), same), size("the anchors are", 5, 6));
    assert_eq!(
        refused(|s| s.support.local[7].scale.x = 0.0, same),
        HierarchyError::ZeroScale { bone: 7, axis: 0, scale: 0.0 }.into()
    );
    assert_eq!(
        refused(|s| s.support.local[7].translation.x = f64::NAN, same),
        HierarchyError::NotATransform { bone: 7 }.into()
    );
    assert_eq!(refused(|s| s.anchors[4].translation.y = f64::NAN, same), SetupError::Anchor { leg: 4 });
    let (bone, root) = ("R_02_upper".to_owned(), "Head_01".to_owned());
    let legs_below = |s: &mut Stage| {
        let mut joints = s.skeleton.joints().to_vec();
        joints[leg_joint(4, 0).index()].parent = Some(JointId(HEAD as u32));
        s.skeleton = Skeleton::new(joints, Vec::new()).unwrap();
        s.subtree = HeadSubtree::new(&s.skeleton, "Head_01", &[]).unwrap();
    };
    assert_eq!(refused(legs_below, same), HierarchyError::Forbidden { bone, root }.into());
    let other = |s: &mut Stage| s.subtree = HeadSubtree::new(&s.skeleton, "Core_01", &[]).unwrap();
    let (expected, found) = ("Head_01".to_owned(), "Core_01".to_owned());
    assert_eq!(refused(other, same), SetupError::Head { expected, found });
    let clock = RecordingClock::new(2.0).unwrap();
    assert_eq!(refused(|_| {}, |s| s.clock = clock), SetupError::Length { found: 2.0, expected: 3.0 });
    assert_eq!(
        refused(|_| {}, |s| s.reference_height = -1.0),
        ComposeError::ReferenceHeight { metres: -1.0 }.into()
    );
    let scale = DVec3::splat(2.0);
    assert_eq!(refused(|_| {}, |s| s.body_ws.scale = scale), SetupError::BodyScale { scale });
    assert!(matches!(refused(|_| {}, |s| s.limits.turn = f64::NAN), SetupError::Limit { what: "turn", .. }));
}
