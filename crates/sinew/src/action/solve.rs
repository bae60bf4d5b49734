//! One frame of an action over fixed soles, in an order that matters.
//!
//! 1. sample the curves and weights; 2. the body's target; 3. the legs, for anchors fixed in the world;
//! 4. clearance, and a second attempt at legs that are too low or turned too far; 5. joint limits and collisions
//!    within a leg, before the head is touched; 6. the locals of the head's subtree are kept; 7. the head is
//!    blended; 8. the subtree is rebuilt; 9. turns of the legs in the world and residuals of the soles, of the
//!    finished pose; 10. the record.
//!
//! The first frame that breaks a rule stops the recording.

use glam::DVec3;

use super::solve_setup::check_setup;
use super::{
    ActionChannel, BlendWeight, BodyCurves, BodyTarget, ClockSample, ComposeError, Euler, FailureCause,
    FixedSoleBody, FrameFailure, FrameRecord, JointTurn, LegRecord, LegSolver, LegTask, PoseBefore,
    QueryTrace, SecondAttempt, SetupError, SolveSetup, nlerp_short,
};
use crate::{DTransform, JointId, RawPose, Skeleton};

/// What a replay holds fixed, so that what comes of the curves and what comes of the weights can be told apart.
/// The default holds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replay {
    /// Ask the curves at the moment of this frame.
    pub curves_at: Option<u32>,
    /// The body's weight.
    pub body_weight: Option<f64>,
    /// The head's weight.
    pub head_weight: Option<f64>,
}

/// Why a frame has no record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// It is the first that breaks a rule.
    #[error(transparent)]
    Failed(Box<FrameFailure>),
    /// An earlier frame broke one.
    #[error("the recording stopped: {0}")]
    Stopped(Box<FrameFailure>),
    /// Frames are not neighbours, so that turns since the frame before mean nothing.
    #[error("frame {found}, expected {expected}")]
    NotNext {
        /// The frame asked for.
        found: u32,
        /// The next one.
        expected: u32,
    },
}

/// Makes the frames of an action one after the other; see the module's order.
#[derive(Debug)]
pub struct ActionSolver<'a, L> {
    setup: SolveSetup<'a>,
    legs: L,
    soles_ws: Vec<DVec3>,
    first: BodyCurves,
    first_queries: QueryTrace,
    now: FrameRecord,
    last: FrameRecord,
    started: bool,
    failure: Option<Box<FrameFailure>>,
}

impl<'a, L: LegSolver> ActionSolver<'a, L> {
    /// Checks the setup and samples the body's channels at the start of the action.
    ///
    /// # Errors
    /// [`SetupError`] says what does not fit.
    pub fn new(setup: SolveSetup<'a>, legs: L) -> Result<Self, SetupError> {
        check_setup(&setup, &legs)?;
        let soles_ws: Vec<DVec3> = setup.anchors_ws.iter().map(|anchor| anchor.translation).collect();
        let mut this = Self {
            setup,
            legs,
            soles_ws,
            first: BodyCurves::default(),
            first_queries: QueryTrace::default(),
            now: FrameRecord::default(),
            last: FrameRecord::default(),
            started: false,
            failure: None,
        };
        let start = ClockSample { inside: true, ..ClockSample::default() };
        let mut trace = QueryTrace::default();
        this.first = this.body_curves(&start, &mut trace)?;
        this.first_queries = trace;
        this.body().target(&this.first, &this.first, 0.0)?;
        Ok(this)
    }

    /// The setup.
    #[must_use]
    pub fn setup(&self) -> &SolveSetup<'a> {
        &self.setup
    }

    /// The legs' solver.
    #[must_use]
    pub fn legs(&self) -> &L {
        &self.legs
    }

    /// The queries that gave the first sample, which translations are differences from.
    #[must_use]
    pub fn first_queries(&self) -> &QueryTrace {
        &self.first_queries
    }

    /// The frame that stopped the recording.
    #[must_use]
    pub fn failure(&self) -> Option<&FrameFailure> {
        self.failure.as_deref()
    }

    /// Forgets all frames: the next one may be any, and has no frame before it.
    pub fn restart(&mut self) {
        (self.started, self.failure) = (false, None);
    }

    /// Solves a frame, the one after the last, and gives its record. The first may be any.
    ///
    /// Does not allocate from the third frame on.
    ///
    /// # Errors
    /// [`StepError::Failed`] for the first frame that breaks a rule; every later one is [`StepError::Stopped`].
    pub fn step(&mut self, frame: u32, replay: &Replay) -> Result<&FrameRecord, StepError> {
        if let Some(failure) = &self.failure {
            return Err(StepError::Stopped(failure.clone()));
        }
        if self.started && self.last.frame.checked_add(1) != Some(frame) {
            let expected = self.last.frame.saturating_add(1);
            return Err(StepError::NotNext { found: frame, expected });
        }
        let mut now = core::mem::take(&mut self.now);
        let solved = self.solve(frame, replay, &mut now);
        match solved {
            Ok(()) => {
                self.started = true;
                self.now = core::mem::replace(&mut self.last, now);
                Ok(&self.last)
            }
            Err(cause) => {
                let failure = Box::new(self.describe(frame, &now, cause));
                self.now = now;
                self.failure = Some(failure.clone());
                Err(StepError::Failed(failure))
            }
        }
    }

    fn body(&self) -> FixedSoleBody<'_> {
        let SolveSetup { body_ws, reference_height, .. } = self.setup;
        FixedSoleBody { body_ws, anchors_ws: &self.soles_ws, reference_height }
    }

    fn solve(&self, frame: u32, replay: &Replay, now: &mut FrameRecord) -> Result<(), FailureCause> {
        let setup = &self.setup;
        now.frame = frame;
        now.legs.clear();
        now.model_ms.clear();
        now.body = if self.started {
            self.last.body
        } else {
            BodyTarget { body_ws: setup.body_ws, ..BodyTarget::default() }
        };
        // 1. Sample.
        now.clock = setup.clock.at_frame(frame);
        now.curve_clock = replay.curves_at.map_or(now.clock, |held| setup.clock.at_frame(held));
        now.body_weight = held(setup.action.body_weight(&now.clock), replay.body_weight);
        now.head_weight = held(setup.action.head_weight(&now.clock), replay.head_weight);
        now.queries.queries.clear();
        let curves = self.body_curves(&now.curve_clock, &mut now.queries)?;
        now.head_target = self.head_curves(&now.curve_clock, &mut now.queries);
        // 2. The body.
        now.body = self.body().target(&curves, &self.first, now.body_weight.value)?;
        // 3. and 4. The legs.
        now.pose.copy_from(setup.support);
        for leg in 0..self.legs.legs() {
            let body_ws = now.body.body_ws;
            match self.legs.solve(&self.task(leg, &body_ws), &mut now.pose) {
                Ok(solved) => now.legs.push(LegRecord { solved, ..LegRecord::default() }),
                Err(fault) => {
                    // For the report: how far the legs turned that do have a solution.
                    model_transforms(setup.skeleton, &now.pose, &mut now.model_ms);
                    return Err(FailureCause::Leg { leg, fault });
                }
            }
        }
        model_transforms(setup.skeleton, &now.pose, &mut now.model_ms);
        for leg in 0..now.legs.len() {
            self.refine(leg, now)?;
        }
        // 5. Before the head: these are about the legs as solved.
        for leg in 0..now.legs.len() {
            self.check_limits(leg, now)?;
        }
        // 6. to 8. The head.
        let head = setup.subtree.root().index();
        let target = now.head_target.to_quat();
        let reference = setup.support.local[head].rotation;
        now.head_local = nlerp_short(reference, target, now.head_weight.value)?;
        now.head_euler = Euler::from_quat(now.head_local);
        now.pose.local[head].rotation = now.head_local;
        for joint in setup.subtree.joints() {
            let local = &now.pose.local[joint.index()];
            now.model_ms[joint.index()] = match setup.skeleton.joint(*joint).parent {
                Some(parent) => now.model_ms[parent.index()].mul_transform(local),
                None => *local,
            };
        }
        // 9. After the head: these are about the pose that goes out.
        now.continuity = None;
        (now.residual, now.clearance) = (0.0, f64::INFINITY);
        for leg in 0..now.legs.len() {
            self.check_finished(leg, now)?;
        }
        Ok(())
    }

    fn task<'b>(&'b self, leg: usize, body_ws: &'b DTransform) -> LegTask<'b> {
        let previous = self.started.then(|| self.last.legs[leg].solved.ankle_offset);
        LegTask { leg, body_ws, anchor_ws: &self.setup.anchors_ws[leg], previous }
    }

    /// Clearance, and a second attempt where it or the turn since the frame before asks for one.
    fn refine(&self, leg: usize, now: &mut FrameRecord) -> Result<(), FailureCause> {
        let limits = &self.setup.limits;
        let mut clearance = self.legs.clearance(leg, &now.body.body_ws, &now.model_ms);
        let turned = self.turn(leg, now).is_some_and(|turn| !(turn.radians <= limits.turn));
        if turned || !(clearance >= limits.clearance) {
            let body_ws = now.body.body_ws;
            let before = PoseBefore { body_ws: &self.last.body.body_ws, model_ms: &self.last.model_ms };
            let before = self.started.then_some(before);
            let solved = now.legs[leg].solved;
            let attempt = SecondAttempt { task: self.task(leg, &body_ws), solved, before, limits };
            let better = self.legs.refine(&attempt, &mut now.pose);
            if let Some(solved) = better.map_err(|fault| FailureCause::Leg { leg, fault })? {
                (now.legs[leg].solved, now.legs[leg].refined) = (solved, true);
                model_transforms(self.setup.skeleton, &now.pose, &mut now.model_ms);
                clearance = self.legs.clearance(leg, &body_ws, &now.model_ms);
            }
        }
        now.legs[leg].clearance = clearance;
        // Written so that NaN fails, here and below.
        if !(clearance >= limits.clearance) {
            return Err(FailureCause::Clearance { leg, metres: clearance, least: limits.clearance });
        }
        Ok(())
    }

    fn check_limits(&self, leg: usize, now: &mut FrameRecord) -> Result<(), FailureCause> {
        let limits = &self.setup.limits;
        let reading = self.legs.limit(leg, &now.legs[leg].solved, &now.pose);
        let gap = self.legs.self_gap(leg, &now.model_ms);
        let record = &mut now.legs[leg];
        (record.limit_margin, record.limit_joint, record.self_gap) =
            (reading.margin, Some(reading.joint), gap);
        if !(reading.margin >= 0.0) {
            let (joint, by_radians) = (reading.joint, -reading.margin);
            return Err(FailureCause::JointLimit { leg, joint, by_radians });
        }
        if !(gap >= limits.self_gap) {
            return Err(FailureCause::SelfCollision { leg, metres: gap, least: limits.self_gap });
        }
        Ok(())
    }

    fn check_finished(&self, leg: usize, now: &mut FrameRecord) -> Result<(), FailureCause> {
        let limits = &self.setup.limits;
        let turn = self.turn(leg, now);
        let joints = self.legs.leg(leg);
        let foot_ws = now.body.body_ws.mul_transform(&now.model_ms[joints.foot.index()]);
        let sole_ws = foot_ws.translation + foot_ws.rotation * (foot_ws.scale * joints.sole_ls);
        let residual_ws = sole_ws - self.soles_ws[leg];
        let record = &mut now.legs[leg];
        (record.turn, record.residual_ws) = (turn, residual_ws);
        now.clearance = now.clearance.min(record.clearance);
        let metres = residual_ws.length();
        now.residual = now.residual.max(metres);
        if let Some(turn) = turn {
            if !(turn.radians <= limits.turn) {
                let JointTurn { joint, radians } = turn;
                return Err(FailureCause::Continuity { leg, joint, radians, most: limits.turn });
            }
            now.continuity = now.continuity.filter(|worst| worst.radians >= turn.radians).or(Some(turn));
        }
        if !(metres <= limits.residual) {
            return Err(FailureCause::Residual { leg, metres, most: limits.residual });
        }
        Ok(())
    }

    /// The joint of a leg that turned furthest since the frame before.
    fn turn(&self, leg: usize, now: &FrameRecord) -> Option<JointTurn> {
        let turns = self.turns(self.legs.leg(leg).chain, now);
        turns.fold(None, |worst: Option<JointTurn>, turn| match worst {
            // NaN is worse than anything, and stays.
            Some(w) if w.radians.is_nan() || w.radians >= turn.radians => worst,
            _ => Some(turn),
        })
    }

    fn turns<'b>(
        &'b self,
        joints: &'b [JointId],
        now: &'b FrameRecord,
    ) -> impl Iterator<Item = JointTurn> + 'b {
        let known = self.started && now.model_ms.len() == self.last.model_ms.len();
        joints.iter().filter(move |_| known).map(move |&joint| {
            let (before, after) = (self.last.joint_ws(joint), now.joint_ws(joint));
            JointTurn { joint, radians: DTransform::angle_between(before.rotation, after.rotation) }
        })
    }

    fn body_curves(&self, at: &ClockSample, trace: &mut QueryTrace) -> Result<BodyCurves, ComposeError> {
        use ActionChannel::{BodyPitch, BodyRoll, BodyX, BodyY, BodyYaw, BodyZ};
        // Without an up channel the body keeps its height over the datum.
        let base = self.setup.body_ws.translation.y;
        let height = (base - self.body().height_datum()?) / self.setup.reference_height;
        let mut query = |channel, fallback| self.setup.action.query(channel, at, fallback, trace);
        let translation = DVec3::new(query(BodyX, 0.0), query(BodyY, 0.0), query(BodyZ, height));
        let (pitch, yaw, roll) = (query(BodyPitch, 0.0), query(BodyYaw, 0.0), query(BodyRoll, 0.0));
        Ok(BodyCurves { translation, rotation: Euler { pitch, yaw, roll } })
    }

    /// A missing channel leaves the reference's own angle.
    fn head_curves(&self, at: &ClockSample, trace: &mut QueryTrace) -> Euler {
        use ActionChannel::{HeadPitch, HeadRoll, HeadYaw};
        let own = Euler::from_quat(self.setup.support.local[self.setup.subtree.root().index()].rotation);
        let mut query = |channel, fallback| self.setup.action.query(channel, at, fallback, trace);
        let (pitch, yaw) = (query(HeadPitch, own.pitch), query(HeadYaw, own.yaw));
        Euler { pitch, yaw, roll: query(HeadRoll, own.roll) }
    }

    fn describe(&self, frame: u32, now: &FrameRecord, cause: FailureCause) -> FrameFailure {
        let leg = cause.leg();
        let solved = |of: &FrameRecord, leg: usize| of.legs.get(leg).map(|r| r.solved.ankle_offset);
        let before = |leg| if self.started { solved(&self.last, leg) } else { None };
        let ankle_offset = leg.and_then(|leg| solved(now, leg).or_else(|| before(leg)));
        let which = match leg {
            Some(leg) if leg < now.legs.len() => leg..leg + 1,
            _ => 0..now.legs.len(),
        };
        let mut joint_deltas = Vec::new();
        for leg in which {
            joint_deltas.extend(self.turns(self.legs.leg(leg).chain, now));
        }
        FrameFailure {
            frame,
            time: now.clock.time,
            body_ws: now.body.body_ws,
            body_euler: Euler::from_quat(now.body.body_ws.rotation),
            leg: leg.map(|leg| self.legs.leg(leg).name.to_owned()),
            ankle_offset,
            joint_deltas,
            cause,
        }
    }
}

fn held(weight: BlendWeight, by: Option<f64>) -> BlendWeight {
    by.map_or(weight, |value| BlendWeight { value, ..weight })
}

/// Model-space transforms of a pose, without shear.
fn model_transforms(skeleton: &Skeleton, pose: &RawPose, model_ms: &mut Vec<DTransform>) {
    model_ms.clear();
    for (joint, local) in skeleton.joints().iter().zip(&pose.local) {
        let model = match joint.parent {
            Some(parent) => model_ms[parent.index()].mul_transform(local),
            None => *local,
        };
        model_ms.push(model);
    }
}
