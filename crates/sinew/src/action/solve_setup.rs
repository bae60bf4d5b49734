//! What a recording of an action is made of, and whether its parts fit.

use glam::DVec3;

use super::hierarchy::check_transform;
use super::{Action, ComposeError, HeadSubtree, HierarchyError, LegSolver, RecordingClock};
use crate::{DTransform, JointId, RawPose, Skeleton};

/// How far a frame may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveLimits {
    /// Largest turn in the world of a leg's joint between neighbouring frames, radians.
    pub turn: f64,
    /// Largest distance of a sole from its anchor, metres.
    pub residual: f64,
    /// Least clearance of a leg, metres.
    pub clearance: f64,
    /// Least gap between parts of a leg, metres.
    pub self_gap: f64,
}

impl Default for SolveLimits {
    /// Five degrees, half a millimetre; legs touch neither the ground nor themselves.
    fn default() -> Self {
        Self { turn: 5.0_f64.to_radians(), residual: 5e-4, clearance: 0.0, self_gap: 0.0 }
    }
}

/// What a recording is made of.
#[derive(Clone, Copy, Debug)]
pub struct SolveSetup<'a> {
    /// Whose poses these are.
    pub skeleton: &'a Skeleton,
    /// What is done.
    pub action: &'a Action,
    /// When.
    pub clock: RecordingClock,
    /// The head.
    pub subtree: &'a HeadSubtree,
    /// The pose of body and legs before the action; its head is the reference that the head's target is blended
    /// with.
    pub support: &'a RawPose,
    /// The body before the action, from model to world; scale one.
    pub body_ws: DTransform,
    /// `[leg]`: where soles stay and how they are turned, made once for the whole recording.
    pub anchors_ws: &'a [DTransform],
    /// What a value of 1 of a body translation channel is, metres.
    pub reference_height: f64,
    /// How far a frame may go.
    pub limits: SolveLimits,
}

/// Why there is no recording.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SetupError {
    /// A list or pose of another size.
    #[error("{what} for {found}, expected {expected}")]
    Size {
        /// Which one.
        what: &'static str,
        /// How many it is for.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// A bone or transform that is none.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// An anchor that is none.
    #[error("the anchor of leg {leg} is not finite or its rotation is not of unit length")]
    Anchor {
        /// The leg.
        leg: usize,
    },
    /// A joint with a matrix that is no translation, rotation and scale.
    #[error("bone {bone} has a matrix with shear, which actions cannot carry")]
    Shear {
        /// The bone.
        bone: usize,
    },
    /// A body that is scaled.
    #[error("the body has scale {scale}, expected 1")]
    BodyScale {
        /// Its scale.
        scale: DVec3,
    },
    /// A leg has a joint that the skeleton has not.
    #[error("leg {leg} names {joint}, the skeleton has {joints}")]
    NoJoint {
        /// The leg.
        leg: usize,
        /// The joint.
        joint: JointId,
        /// Joints there are.
        joints: usize,
    },
    /// The subtree is not that of the action's head.
    #[error("the action's head bone is {expected:?}, the subtree is that of {found:?}")]
    Head {
        /// As the action has it.
        expected: String,
        /// Root of the subtree.
        found: String,
    },
    /// The clock runs over another length.
    #[error("the clock is for an action of {found} s, the action has {expected} s")]
    Length {
        /// Of the clock, seconds.
        found: f64,
        /// Of the action, seconds.
        expected: f64,
    },
    /// A limit that is none.
    #[error("a limit of {value} for the {what}, expected a number")]
    Limit {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The body has no target even at rest.
    #[error(transparent)]
    Body(#[from] ComposeError),
}

pub(super) fn check_setup<L: LegSolver>(setup: &SolveSetup<'_>, legs: &L) -> Result<(), SetupError> {
    let SolveSetup { skeleton, action, subtree, support, limits, .. } = setup;
    let joints = skeleton.len();
    for (what, found, expected) in [
        ("the support pose is", support.local.len(), joints),
        ("the subtree is", subtree.skeleton_len(), joints),
        ("the anchors are", setup.anchors_ws.len(), legs.legs()),
    ] {
        if found != expected {
            return Err(SetupError::Size { what, found, expected });
        }
    }
    for (bone, (joint, local)) in skeleton.joints().iter().zip(&support.local).enumerate() {
        check_transform(local, bone)?;
        if joint.rest_matrix.is_some() {
            return Err(SetupError::Shear { bone });
        }
    }
    for (leg, anchor) in setup.anchors_ws.iter().enumerate() {
        check_transform(anchor, leg).map_err(|_| SetupError::Anchor { leg })?;
    }
    let found = skeleton.label(subtree.root());
    let head = &action.settings().head_bone;
    if found != *head {
        return Err(SetupError::Head { expected: head.clone(), found });
    }
    if setup.body_ws.scale != DVec3::ONE {
        return Err(SetupError::BodyScale { scale: setup.body_ws.scale });
    }
    let (found, expected) = (setup.clock.length(), action.length());
    if found != expected {
        return Err(SetupError::Length { found, expected });
    }
    let SolveLimits { turn, residual, clearance, self_gap } = *limits;
    for (what, value) in [("turn", turn), ("residual", residual), ("clearance", clearance), ("gap", self_gap)]
    {
        if value.is_nan() {
            return Err(SetupError::Limit { what, value });
        }
    }
    for leg in 0..legs.legs() {
        let of = legs.leg(leg);
        for joint in of.chain.iter().chain([&of.foot]) {
            if joint.index() >= joints {
                return Err(SetupError::NoJoint { leg, joint: *joint, joints });
            }
            if subtree.contains(*joint) {
                let (bone, root) = (skeleton.label(*joint), head.clone());
                return Err(HierarchyError::Forbidden { bone, root }.into());
            }
        }
    }
    Ok(())
}
