//! Promise: legs of four segments stand on a skeleton as its bones say, however those are turned, and legs that
//! are not the skeleton's are refused.

mod action_walker;

use action_walker::{
    ANKLE, COXA, FOOT, HEIGHT, HIP, LEGS, LOWER, NAMES, UPPER, Walker, anchors, azimuth, leg_joint, skeleton,
};
use glam::{DQuat, DVec3};
use sinew::action::{
    Action, ActionChannel, ActionField, ActionRecord, ActionSettings, ActionSolver, BlendWindows,
    FailureCause, FourSegmentLegs, FrameFailure, FrameRecord, HeadSubtree, KeyDomain, LegJoints, LegRigError,
    LegSolver, LegTask, LimitReading, RecordingClock, Replay, SecondAttempt, SegmentedLeg, SolveLimits,
    SolveSetup, SolvedLeg, StepError,
};
use sinew::{
    DTransform, JointId, LegFault, LegGeometry, LegLimits, LegSearch, RawPose, Skeleton, model_matrices,
};

fn geometry(leg: usize) -> LegGeometry {
    let outward = DQuat::from_rotation_y(azimuth(leg)) * DVec3::Z;
    LegGeometry {
        hip: outward * HIP,
        axis: DVec3::Y,
        outward,
        coxa: COXA,
        upper: UPPER,
        lower: LOWER,
        ankle: ANKLE,
        foot: FOOT,
        radii: [0.3; 4],
        limits: LegLimits::NONE,
    }
}

fn segmented(leg: usize) -> SegmentedLeg {
    SegmentedLeg {
        name: NAMES[leg].into(),
        geometry: geometry(leg),
        joints: core::array::from_fn(|bone| leg_joint(leg, bone)),
        frames: [DQuat::IDENTITY; 5],
    }
}

/// Only the tilt that the test's own legs have.
fn fixed() -> LegSearch {
    LegSearch { rest: 0.15, range: [0.15, 0.15], ..LegSearch::default() }
}

fn legs(skeleton: &Skeleton, all: Vec<SegmentedLeg>) -> Result<FourSegmentLegs, LegRigError> {
    FourSegmentLegs::new(skeleton, &RawPose::rest(skeleton), all, fixed(), 0.0)
}

fn body() -> DTransform {
    let rotation = DQuat::from_rotation_y(0.1) * DQuat::from_rotation_x(-0.15) * DQuat::from_rotation_z(0.08);
    DTransform::from_rotation_translation(rotation, DVec3::new(0.3, HEIGHT - 0.4, -0.2))
}

fn solved(solver: &impl LegSolver, skeleton: &Skeleton) -> (RawPose, Vec<f64>) {
    let (mut pose, anchors, body_ws) = (RawPose::rest(skeleton), anchors(), body());
    let offsets = (0..LEGS).map(|leg| {
        let task = LegTask { leg, body_ws: &body_ws, anchor_ws: &anchors[leg], previous: None };
        solver.solve(&task, &mut pose).unwrap().ankle_offset
    });
    let offsets = offsets.collect();
    (pose, offsets)
}

#[test]
fn legs_of_four_segments_are_those_of_a_closed_form_written_for_this_test() {
    let skeleton = skeleton();
    let adapter = legs(&skeleton, (0..LEGS).map(segmented).collect()).unwrap();
    let (ours, offsets) = solved(&adapter, &skeleton);
    let (expected, _) = solved(&&Walker::new(), &skeleton);
    for (joint, (a, b)) in ours.local.iter().zip(&expected.local).enumerate() {
        assert!(DTransform::angle_between(a.rotation, b.rotation) < 1e-12, "joint {joint}");
        assert_eq!((a.translation, a.scale), (b.translation, b.scale), "joint {joint}");
    }
    assert!(offsets.iter().all(|offset| (offset - 0.15).abs() < 1e-12));
}

/// The same machine with bones whose axes are turned, below a body that is turned in the model.
fn turned() -> (Skeleton, Vec<SegmentedLeg>) {
    let frame = |bone: usize| {
        DQuat::from_rotation_x(0.4 + bone as f64) * DQuat::from_rotation_y(0.9) * DQuat::from_rotation_z(-0.7)
    };
    let base = DQuat::from_rotation_z(0.6);
    let mut joints = skeleton().joints().to_vec();
    joints[0].rest.rotation = base;
    let mut all = Vec::new();
    for leg in 0..LEGS {
        for bone in 0..5 {
            let rest = &mut joints[leg_joint(leg, bone).index()].rest;
            let above = if bone == 0 { base } else { frame(bone - 1) };
            rest.translation = above.conjugate() * rest.translation;
        }
        all.push(SegmentedLeg { frames: core::array::from_fn(frame), ..segmented(leg) });
    }
    (Skeleton::new(joints, Vec::new()).unwrap(), all)
}

#[test]
fn bones_with_turned_axes_put_every_joint_in_the_same_place() {
    let plain = skeleton();
    let adapter = legs(&plain, (0..LEGS).map(segmented).collect()).unwrap();
    let (with_turned, all) = turned();
    let other = legs(&with_turned, all).unwrap();
    let places = |skeleton: &Skeleton, adapter: &FourSegmentLegs| {
        let (pose, _) = solved(adapter, skeleton);
        let mut model_ms = Vec::new();
        model_matrices(skeleton, &pose, &mut model_ms);
        let mut places = Vec::new();
        for leg in 0..LEGS {
            let sole = adapter.leg(leg);
            places.extend((0..5).map(|bone| model_ms[leg_joint(leg, bone).index()].w_axis.truncate()));
            places.push(model_ms[sole.foot.index()].transform_point3(sole.sole_ls));
        }
        places
    };
    let (a, b) = (places(&plain, &adapter), places(&with_turned, &other));
    assert!(a.iter().zip(&b).all(|(a, b)| (*a - *b).length() < 1e-12));
    // And the soles are on their anchors.
    for (leg, anchor) in anchors().iter().enumerate() {
        let body = body();
        let sole = body.translation + body.rotation * b[leg * 6 + 5];
        assert!((sole - anchor.translation).length() < 1e-12);
    }
}

/// A body that pitches, yaws and sinks within two seconds.
fn turning() -> Action {
    let times = [0.0, 0.5, 1.0, 1.5, 2.0];
    let field = |name: &str, values: &[f32]| ActionField::linear(name, &times, values).unwrap();
    Action::new(ActionRecord {
        name: "turn".into(),
        original_length: 2.0,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: 1,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: BlendWindows::NONE,
            head_blend: BlendWindows::NONE,
        },
        channels: [ActionChannel::BodyPitch, ActionChannel::BodyYaw, ActionChannel::BodyZ]
            .map(|channel| (channel, channel.name().to_owned()))
            .to_vec(),
        fields: vec![
            field("body_pitch", &[0.0, 0.18, -0.1, 0.05, 0.0]),
            field("body_yaw", &[0.0, -0.05, 0.1, -0.16, 0.0]),
            field("body_z", &[0.9, 0.85, 0.9, 0.82, 0.9]),
        ],
    })
    .unwrap()
}

/// All frames of [`turning`], or what stopped them.
fn recorded(legs: impl LegSolver, limits: SolveLimits) -> Result<Vec<FrameRecord>, Box<FrameFailure>> {
    let (skeleton, action, anchors) = (skeleton(), turning(), anchors());
    let support = RawPose::rest(&skeleton);
    let leg_joints: Vec<_> = (0..LEGS).map(|leg| leg_joint(leg, 0)).collect();
    let subtree = HeadSubtree::new(&skeleton, "Head_01", &leg_joints).unwrap();
    let setup = SolveSetup {
        skeleton: &skeleton,
        action: &action,
        clock: RecordingClock::new(2.0).unwrap(),
        subtree: &subtree,
        support: &support,
        body_ws: DTransform { translation: DVec3::new(0.0, HEIGHT, 0.0), ..DTransform::IDENTITY },
        anchors_ws: &anchors,
        reference_height: 10.0,
        limits,
    };
    let count = setup.clock.frames();
    let mut solver = ActionSolver::new(setup, legs).unwrap();
    let frame = |frame| match solver.step(frame, &Replay::default()) {
        Ok(record) => Ok(record.clone()),
        Err(StepError::Failed(failure)) => Err(failure),
        Err(other) => panic!("{other}"),
    };
    (0..count).map(frame).collect()
}

/// Legs whose tilt is searched.
fn searched(search: LegSearch) -> FourSegmentLegs {
    let skeleton = skeleton();
    let all = (0..LEGS).map(segmented).collect();
    FourSegmentLegs::new(&skeleton, &RawPose::rest(&skeleton), all, search, 0.0).unwrap()
}

#[test]
fn soles_stay_to_the_last_digits_while_a_body_turns_over_legs_whose_tilt_is_searched() {
    // Stretching past half costs, so that the tilt gives way to the body.
    let search = LegSearch { reach: 0.5, ..LegSearch::default() };
    let records = recorded(searched(search), SolveLimits::default()).unwrap();
    for record in &records {
        // In single precision it could not be better than 1e-6 m.
        assert!(record.residual < 1e-12, "frame {}: {}", record.frame, record.residual);
    }
    let tilts = records.iter().map(|record| record.legs[0].solved.ankle_offset);
    let first = records[0].legs[0].solved.ankle_offset;
    assert!(tilts.into_iter().any(|tilt| (tilt - first).abs() > 1e-3), "the search had something to do");
}

/// Legs that are searched in another way from the second frame on, with or without second attempts.
struct Legs {
    first: FourSegmentLegs,
    then: FourSegmentLegs,
    again: bool,
}

impl Legs {
    fn new(first: LegSearch, then: LegSearch, again: bool) -> Self {
        Self { first: searched(first), then: searched(then), again }
    }
}

impl LegSolver for Legs {
    fn legs(&self) -> usize {
        self.then.legs()
    }

    fn leg(&self, leg: usize) -> LegJoints<'_> {
        self.then.leg(leg)
    }

    fn solve(&self, task: &LegTask<'_>, pose: &mut RawPose) -> Result<SolvedLeg, LegFault> {
        let legs = if task.previous.is_some() { &self.then } else { &self.first };
        legs.solve(task, pose)
    }

    fn refine(&self, attempt: &SecondAttempt<'_>, pose: &mut RawPose) -> Result<Option<SolvedLeg>, LegFault> {
        let better = self.again.then(|| self.then.refine(attempt, pose)).transpose()?;
        Ok(better.flatten())
    }

    fn clearance(&self, leg: usize, body_ws: &DTransform, model_ms: &[DTransform]) -> f64 {
        self.then.clearance(leg, body_ws, model_ms)
    }

    fn limit(&self, leg: usize, solved: &SolvedLeg, pose: &RawPose) -> LimitReading {
        self.then.limit(leg, solved, pose)
    }

    fn self_gap(&self, leg: usize, model_ms: &[DTransform]) -> f64 {
        self.then.self_gap(leg, model_ms)
    }
}

#[test]
fn ankles_that_would_hang_too_low_are_lifted_where_a_tilt_lifts_them() {
    // Over a level foot and below a level body the ankle is 0.6 + 2 cos(tilt) - 0.3 m above the ground: 1.54 m at
    // the tilt that the search likes best, 2 m at a tilt of 0.555.
    let search = LegSearch { rest: 0.9, ..LegSearch::default() };
    let limits = SolveLimits { clearance: 2.0, ..SolveLimits::default() };
    let once = recorded(Legs::new(search, search, false), limits).unwrap_err();
    assert!(matches!(once.cause, FailureCause::Clearance { leg: 0, .. }), "{once}");
    let records = recorded(searched(search), limits).unwrap();
    let highest = libm::acos((2.0 + 0.3 - 0.6) / 2.0);
    for record in &records {
        assert!(record.clearance >= 2.0 && record.residual < 1e-12);
        // Up to the start the body is level.
        for leg in record.legs.iter().filter(|_| record.frame <= 30) {
            let tilt = leg.solved.ankle_offset;
            // Not further from the first choice than it must be: a 64th of the range.
            assert!(leg.refined && tilt <= highest && tilt > highest - 0.0251, "{tilt}");
        }
    }
    // Nothing is tried where nothing is asked, and no tilt lifts an ankle over its leg.
    let free = recorded(searched(search), SolveLimits::default()).unwrap();
    assert!(free.iter().all(|record| record.legs.iter().all(|leg| !leg.refined)));
    let high = SolveLimits { clearance: 2.4, ..limits };
    let failure = recorded(searched(search), high).unwrap_err();
    let FailureCause::Clearance { leg: 0, metres, .. } = failure.cause else { panic!("{failure}") };
    // What is reported is the first choice, which nothing took the place of.
    let tilt = failure.ankle_offset.unwrap();
    assert!(tilt > 0.8 && (metres - (0.3 + 2.0 * libm::cos(tilt))).abs() < 1e-9);
}

#[test]
fn legs_that_would_turn_too_far_in_the_world_are_turned_less_where_a_tilt_does_it() {
    // From a tilt of 0.15 the second search is drawn to 0.5, a third of the way in a frame: 0.12 radians, over the
    // five degrees that a joint may turn.
    let first = LegSearch { rest: 0.15, ..LegSearch::default() };
    let then = LegSearch { rest: 0.5, window: 0.5, ..LegSearch::default() };
    let limits = SolveLimits::default();
    let once = recorded(Legs::new(first, then, false), limits).unwrap_err();
    let FailureCause::Continuity { leg: 0, radians, .. } = once.cause else { panic!("{once}") };
    assert!(once.frame == 1 && radians > 0.1, "{once}");
    let records = recorded(Legs::new(first, then, true), limits).unwrap();
    for (record, leg) in records.iter().flat_map(|r| r.legs.iter().map(move |leg| (r, leg))) {
        let turn = leg.turn.map_or(0.0, |turn| turn.radians);
        assert!(turn <= limits.turn, "frame {}: {turn}", record.frame);
        assert!(record.frame <= 2 || !leg.refined, "frame {}", record.frame);
    }
    for leg in &records[1].legs {
        // Below a body that stands still the ankle turns as its tilt does; no less than it may, but for a 64th of
        // where it was looked for.
        let tilted = leg.solved.ankle_offset - records[0].legs[0].solved.ankle_offset;
        assert!(leg.refined && tilted <= limits.turn && tilted > limits.turn - 0.0157, "{tilted}");
        assert!((leg.turn.unwrap().radians - tilted).abs() < 1e-9);
    }
}

#[test]
fn limits_gap_and_clearance_are_those_of_the_pose() {
    let skeleton = skeleton();
    let mut all: Vec<_> = (0..LEGS).map(segmented).collect();
    let free = legs(&skeleton, all.clone()).unwrap();
    let (anchors, body_ws, mut pose) = (anchors(), body(), RawPose::rest(&skeleton));
    let task = LegTask { leg: 2, body_ws: &body_ws, anchor_ws: &anchors[2], previous: None };
    let angles = free.solve(&task, &mut pose).unwrap();
    assert!(free.limit(2, &angles, &pose).margin > 0.0);
    // A knee limit 0.1 radians short of where the knee is.
    all[2].geometry.limits.knee[0] = angles.angles[2] + 0.1;
    let tight = legs(&skeleton, all).unwrap();
    let again = tight.solve(&task, &mut pose).unwrap();
    let reading = tight.limit(2, &again, &pose);
    assert_eq!(reading.joint, leg_joint(2, 2));
    assert!((reading.margin + 0.1).abs() < 1e-12);
    assert!((tight.margins(2, &again)[2] + 0.1).abs() < 1e-12);

    let mut matrices = Vec::new();
    model_matrices(&skeleton, &pose, &mut matrices);
    let model_ms: Vec<_> = matrices.iter().map(|m| DTransform::from_matrix(m).unwrap()).collect();
    let place = |bone| body_ws.mul_transform(&model_ms[leg_joint(2, bone).index()]).translation;
    let lowest = (1..4).map(|bone| place(bone).y - 0.3).fold(f64::INFINITY, f64::min);
    assert!((free.clearance(2, &body_ws, &model_ms) - lowest).abs() < 1e-12);
    // Sampled: no two points of segments that are not neighbours are nearer than the gap says.
    let gap = free.self_gap(2, &model_ms);
    let along = |bone, k: usize| place(bone).lerp(place(bone + 1), k as f64 / 400.0);
    let mut nearest = f64::INFINITY;
    for (a, b) in [(0, 2), (0, 3), (1, 3)] {
        for i in 0..=400 {
            for k in 0..=400 {
                nearest = nearest.min((along(a, i) - along(b, k)).length() - 0.6);
            }
        }
    }
    assert!(nearest >= gap - 1e-12 && nearest - gap < 1e-2, "{nearest} {gap}");
}

#[test]
fn a_sole_out_of_reach_says_by_how_much_and_leaves_the_pose_alone() {
    let skeleton = skeleton();
    let adapter = legs(&skeleton, (0..LEGS).map(segmented).collect()).unwrap();
    let before = RawPose::rest(&skeleton);
    let mut pose = before.clone();
    let far = DTransform { translation: DVec3::new(50.0, 0.0, 0.0), ..DTransform::IDENTITY };
    let body_ws = body();
    let error = adapter
        .solve(&LegTask { leg: 0, body_ws: &body_ws, anchor_ws: &far, previous: None }, &mut pose)
        .unwrap_err();
    assert!(matches!(error, LegFault::Unreachable { by_metres } if by_metres > 30.0), "{error}");
    let nan = DTransform { translation: DVec3::NAN, ..DTransform::IDENTITY };
    let task = LegTask { leg: 0, body_ws: &body_ws, anchor_ws: &nan, previous: None };
    assert!(matches!(adapter.solve(&task, &mut pose), Err(LegFault::Input(_))));
    assert_eq!(pose, before);
}

#[test]
fn legs_that_are_not_the_skeletons_are_refused_by_name() {
    let skeleton = skeleton();
    let refused = |change: &dyn Fn(&mut SegmentedLeg)| {
        let mut leg = segmented(1);
        change(&mut leg);
        legs(&skeleton, vec![segmented(0), leg]).unwrap_err()
    };
    let leg = || "L_02".to_owned();
    let joint = JointId(99);
    assert_eq!(
        refused(&|l| l.joints[2] = joint),
        LegRigError::NoJoint { leg: leg(), joint, joints: skeleton.len() }
    );
    assert_eq!(
        refused(&|l| l.joints.swap(2, 3)),
        LegRigError::Parent { leg: leg(), part: "lower", expected: "upper" }
    );
    let longer = refused(&|l| l.geometry.upper += 0.25);
    let LegRigError::Place { part: "lower", metres, .. } = longer else { panic!("{longer}") };
    assert!((metres - 0.25).abs() < 1e-12);
    let moved = refused(&|l| l.geometry.hip.y += 0.5);
    assert!(matches!(moved, LegRigError::Place { part: "coxa", .. }), "{moved}");
    assert!(matches!(refused(&|l| l.geometry.lower = f64::NAN), LegRigError::Geometry { .. }));
    let mut joints = skeleton.joints().to_vec();
    joints[leg_joint(1, 2).index()].rest.scale = DVec3::splat(2.0);
    let scaled = Skeleton::new(joints, Vec::new()).unwrap();
    let error = legs(&scaled, vec![segmented(1)]).unwrap_err();
    assert_eq!(error, LegRigError::Scaled { leg: leg(), scale: DVec3::splat(2.0) });
}
