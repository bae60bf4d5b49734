//! What one solved frame leaves behind, and what the first one that cannot be solved does.

use glam::{DQuat, DVec3};

use super::{
    ActionChannel, BlendWeight, BodyTarget, ClockSample, ComposeError, Euler, QueryTrace, SolvedLeg,
};
use crate::ik::LegFault;
use crate::{DTransform, JointId, RawPose};

/// A turn of a joint in the world since the frame before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTurn {
    /// The joint.
    pub joint: JointId,
    /// The shorter way, radians.
    pub radians: f64,
}

/// One leg of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LegRecord {
    /// Ankle offset and angles.
    pub solved: SolvedLeg,
    /// Sole as the finished pose has it, less its anchor, metres.
    pub residual_ws: DVec3,
    /// Least height of the leg, its sole left out, above the ground, metres.
    pub clearance: f64,
    /// Room of the tightest joint limit, radians.
    pub limit_margin: f64,
    /// Joint of the tightest limit.
    pub limit_joint: Option<JointId>,
    /// Least gap between parts of the leg, metres.
    pub self_gap: f64,
    /// The joint of the leg that turned furthest since the frame before; `None` in the first frame.
    pub turn: Option<JointTurn>,
    /// Whether a second solution took the place of the first, which was too low or had turned too far.
    pub refined: bool,
}

/// Everything of one frame that a person or a comparison asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameRecord {
    /// Number of the frame.
    pub frame: u32,
    /// Moment of the action by the clock.
    pub clock: ClockSample,
    /// Moment at which the curves were asked; another than `clock` in a replay that holds them.
    pub curve_clock: ClockSample,
    /// Where the body is.
    pub body: BodyTarget,
    /// The body's weight.
    pub body_weight: BlendWeight,
    /// The head's weight.
    pub head_weight: BlendWeight,
    /// What the curves were asked and what they said, fallbacks included.
    pub queries: QueryTrace,
    /// The finished pose; the body is in `body`, not in here.
    pub pose: RawPose,
    /// `[joint]`: the finished pose in model space.
    pub model_ms: Vec<DTransform>,
    /// The head's rotation relative to its parent.
    pub head_local: DQuat,
    /// The same as angles, for people.
    pub head_euler: Euler,
    /// What the curves want of the head.
    pub head_target: Euler,
    /// `[leg]`.
    pub legs: Vec<LegRecord>,
    /// The joint of all legs that turned furthest since the frame before; `None` in the first frame.
    pub continuity: Option<JointTurn>,
    /// Least clearance of all legs, metres; infinite without legs.
    pub clearance: f64,
    /// Largest distance of a sole from its anchor, metres.
    pub residual: f64,
}

impl FrameRecord {
    /// A joint in the world.
    ///
    /// # Panics
    /// Where the skeleton has no such joint.
    #[must_use]
    pub fn joint_ws(&self, joint: JointId) -> DTransform {
        self.body.body_ws.mul_transform(&self.model_ms[joint.index()])
    }

    /// The pose with the body's transform put into its root joint, for a character that stands in the world by
    /// itself.
    ///
    /// # Panics
    /// Where the skeleton has no such joint.
    pub fn world_pose(&self, root: JointId, out: &mut RawPose) {
        out.copy_from(&self.pose);
        out.local[root.index()] = self.body.body_ws.mul_transform(&self.pose.local[root.index()]);
    }

    /// The value that a channel had.
    #[must_use]
    pub fn value(&self, channel: ActionChannel) -> Option<f64> {
        self.queries.of(channel).map(|query| query.value)
    }
}

/// What stops a recording.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FailureCause {
    /// The body or head has no target.
    #[error(transparent)]
    Target(#[from] ComposeError),
    /// A leg has no solution.
    #[error("leg {leg}: {fault}")]
    Leg {
        /// The leg.
        leg: usize,
        /// Why.
        fault: LegFault,
    },
    /// A leg is in the ground or too near it.
    #[error("leg {leg} is {metres} m above the ground, expected at least {least} m")]
    Clearance {
        /// The leg.
        leg: usize,
        /// Its height, metres.
        metres: f64,
        /// What is asked for, metres.
        least: f64,
    },
    /// A joint is past its limit.
    #[error("leg {leg}: {joint} is {by_radians} radians past its limit")]
    JointLimit {
        /// The leg.
        leg: usize,
        /// The joint.
        joint: JointId,
        /// How far, radians.
        by_radians: f64,
    },
    /// A leg runs into itself.
    #[error("leg {leg}: its parts are {metres} m apart, expected at least {least} m")]
    SelfCollision {
        /// The leg.
        leg: usize,
        /// The gap, metres.
        metres: f64,
        /// What is asked for, metres.
        least: f64,
    },
    /// A joint turned too far since the frame before.
    #[error("leg {leg}: {joint} turned {radians} radians since the frame before, expected at most {most}")]
    Continuity {
        /// The leg.
        leg: usize,
        /// The joint.
        joint: JointId,
        /// The turn in the world, radians.
        radians: f64,
        /// What is allowed, radians.
        most: f64,
    },
    /// A sole is not where it should stay.
    #[error("leg {leg}: its sole is {metres} m from its anchor, expected at most {most}")]
    Residual {
        /// The leg.
        leg: usize,
        /// The distance, metres.
        metres: f64,
        /// What is allowed, metres.
        most: f64,
    },
}

impl FailureCause {
    /// The leg it is about.
    #[must_use]
    pub fn leg(&self) -> Option<usize> {
        match self {
            Self::Target(_) => None,
            Self::Leg { leg, .. }
            | Self::Clearance { leg, .. }
            | Self::JointLimit { leg, .. }
            | Self::SelfCollision { leg, .. }
            | Self::Continuity { leg, .. }
            | Self::Residual { leg, .. } => Some(*leg),
        }
    }
}

/// The first frame that could not be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("frame {frame} at {time} s: {cause}")]
pub struct FrameFailure {
    /// Number of the frame.
    pub frame: u32,
    /// Its time on the recording's clock, seconds.
    pub time: f64,
    /// The body's transform; the last frame's where this one got none.
    pub body_ws: DTransform,
    /// The body's orientation as angles.
    pub body_euler: Euler,
    /// Name of the leg that failed.
    pub leg: Option<String>,
    /// Ankle offset of that leg; the last frame's where it has no solution in this one.
    pub ankle_offset: Option<f64>,
    /// How far the joints of the legs turned in the world since the frame before, as far as it is known: of the
    /// leg that failed, or of all where it was none.
    pub joint_deltas: Vec<JointTurn>,
    /// What is wrong.
    pub cause: FailureCause,
}
