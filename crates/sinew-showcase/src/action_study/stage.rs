//! The robot on its six soles, ready for an action.

use glam::DVec3;
use sinew::action::{
    Action, ActionSolver, FrameFailure, FrameRecord, HeadSubtree, RecordingClock, Replay, SolveLimits,
    SolveSetup, StepError,
};
use sinew::{DTransform, JointId, RawPose};

use crate::StudyError;
use crate::robot::{REFERENCE_HEIGHT, Robot, RobotLegs, STANDING_HEIGHT};

/// The robot before an action.
pub(crate) struct Stage {
    pub(crate) robot: Robot,
    pub(crate) legs: RobotLegs,
    pub(crate) head: HeadSubtree,
    /// Body and legs as they stand; the body's own transform is [`Stage::body_ws`], so the root is at the origin.
    pub(crate) support: RawPose,
    /// Model to world.
    pub(crate) body_ws: DTransform,
    /// `[leg]`
    pub(crate) anchors_ws: [DTransform; 6],
}

/// What a recording came to.
pub(crate) struct Recording {
    /// Frames before the failure, or all.
    pub(crate) frames: Vec<FrameRecord>,
    /// What stopped it.
    pub(crate) failure: Option<FrameFailure>,
}

impl Stage {
    pub(crate) fn new() -> Result<Self, StudyError> {
        let robot = Robot::new().map_err(StudyError::build("the robot"))?;
        let legs = RobotLegs::new(&robot).map_err(StudyError::build("the legs"))?;
        let forbidden: Vec<JointId> = robot.legs.iter().flat_map(|leg| leg.all()).collect();
        let head = HeadSubtree::new(&robot.skeleton, "Head_01", &forbidden)
            .map_err(StudyError::build("the head's subtree"))?;
        let support = robot.support();
        let body_ws = DTransform { translation: DVec3::Y * STANDING_HEIGHT, ..DTransform::IDENTITY };
        let anchors_ws = legs.anchors();
        Ok(Self { robot, legs, head, support, body_ws, anchors_ws })
    }

    /// The clock of an action: 30 frames a second, a second held at both ends.
    pub(crate) fn clock(action: &Action) -> Result<RecordingClock, StudyError> {
        RecordingClock::new(action.length()).map_err(StudyError::build("the recording's clock"))
    }

    /// Solves an action frame by frame until its end or the first frame that breaks a rule.
    pub(crate) fn record(
        &self,
        action: &Action,
        limits: SolveLimits,
        replay: &Replay,
    ) -> Result<Recording, StudyError> {
        let clock = Self::clock(action)?;
        let setup = SolveSetup {
            skeleton: &self.robot.skeleton,
            action,
            clock,
            subtree: &self.head,
            support: &self.support,
            body_ws: self.body_ws,
            anchors_ws: &self.anchors_ws,
            reference_height: REFERENCE_HEIGHT,
            limits,
        };
        let mut solver =
            ActionSolver::new(setup, &self.legs).map_err(StudyError::build("the setup of the recording"))?;
        let (mut frames, mut failure) = (Vec::new(), None);
        for frame in 0..clock.frames() {
            match solver.step(frame, replay) {
                Ok(record) => frames.push(record.clone()),
                Err(StepError::Failed(first)) => {
                    failure = Some(*first);
                    break;
                }
                Err(other) => return Err(StudyError::build("the recording")(other)),
            }
        }
        Ok(Recording { frames, failure })
    }
}
