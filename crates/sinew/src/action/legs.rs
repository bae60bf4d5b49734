//! What the solve of a frame needs to know of legs: any number, any build.

use glam::DVec3;

use super::SolveLimits;
use crate::ik::LegFault;
use crate::{DTransform, JointId, RawPose};

/// Which joints make up a leg, and where its sole is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegJoints<'a> {
    /// What people call it.
    pub name: &'a str,
    /// Joints whose rotation in the world must not jump, such as upper leg, lower leg, ankle and foot.
    pub chain: &'a [JointId],
    /// The joint that carries the sole.
    pub foot: JointId,
    /// The sole in the foot's space, metres.
    pub sole_ls: DVec3,
}

/// A leg as it was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolvedLeg {
    /// The one freedom that body and sole leave open: how far the ankle is tilted, radians.
    pub ankle_offset: f64,
    /// Joint angles, radians, as many as the leg has; the rest 0. For records.
    pub angles: [f64; 6],
}

/// The limit of a leg that is nearest to being broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitReading {
    /// Whose limit.
    pub joint: JointId,
    /// Room left, radians; below 0 it is broken.
    pub margin: f64,
}

/// A task for a leg: the sole's place and heading, and what the leg did a frame ago.
#[derive(Clone, Copy, Debug)]
pub struct LegTask<'a> {
    /// Which leg.
    pub leg: usize,
    /// The body, from model to world.
    pub body_ws: &'a DTransform,
    /// Where the sole stays, and how it is turned.
    pub anchor_ws: &'a DTransform,
    /// [`SolvedLeg::ankle_offset`] of the frame before.
    pub previous: Option<f64>,
}

/// All joints a frame ago.
#[derive(Clone, Copy, Debug)]
pub struct PoseBefore<'a> {
    /// The body, from model to world.
    pub body_ws: &'a DTransform,
    /// `[joint]`: in model space.
    pub model_ms: &'a [DTransform],
}

/// A task whose first solution broke a rule of the frame.
#[derive(Clone, Copy, Debug)]
pub struct SecondAttempt<'a> {
    /// The task.
    pub task: LegTask<'a>,
    /// The first solution, which the pose holds.
    pub solved: SolvedLeg,
    /// What turns are measured from; `None` in the first frame.
    pub before: Option<PoseBefore<'a>>,
    /// What the leg must hold.
    pub limits: &'a SolveLimits,
}

/// Solves legs for fixed soles.
///
/// A leg is a function of its task alone: not of what the pose held before, nor of earlier frames except for the
/// ankle offset of the last one. That makes a recording repeatable from any frame.
pub trait LegSolver {
    /// How many legs there are.
    fn legs(&self) -> usize;

    /// Joints and sole of a leg.
    ///
    /// # Panics
    /// May, where there is no such leg; the same goes for all that follow.
    fn leg(&self, leg: usize) -> LegJoints<'_>;

    /// Writes the leg's local rotations into the pose.
    ///
    /// # Errors
    /// [`LegFault`] where the sole cannot be reached; nothing is stretched or clamped.
    fn solve(&self, task: &LegTask<'_>, pose: &mut RawPose) -> Result<SolvedLeg, LegFault>;

    /// A second attempt at a leg that came too near the ground, or that has a joint that turned too far in the
    /// world since the frame before. `None`, and the pose as it was, where there is nothing better to be had: the
    /// frame then fails. That is all that a solver does that does not override this.
    ///
    /// # Errors
    /// As [`LegSolver::solve`].
    fn refine(&self, attempt: &SecondAttempt<'_>, pose: &mut RawPose) -> Result<Option<SolvedLeg>, LegFault> {
        let _ = (attempt, pose);
        Ok(None)
    }

    /// Least height of the leg, its sole left out, above the ground, metres. `[joint]` model-space transforms.
    fn clearance(&self, leg: usize, body_ws: &DTransform, model_ms: &[DTransform]) -> f64;

    /// The joint limit with the least room.
    fn limit(&self, leg: usize, solved: &SolvedLeg, pose: &RawPose) -> LimitReading;

    /// Least gap between parts of the leg that are not neighbours, metres; below 0 they overlap.
    fn self_gap(&self, leg: usize, model_ms: &[DTransform]) -> f64;
}
