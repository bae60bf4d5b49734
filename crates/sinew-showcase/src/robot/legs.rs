//! The robot's legs as the action layer drives them: measures, limits and capsules for the closed-form solver,
//! and pistons that follow.

use glam::{DQuat, DVec3};
use sinew::action::{
    FourSegmentLegs, LegJoints, LegSolver, LegTask, LimitReading, SecondAttempt, SegmentedLeg, SolvedLeg,
};
use sinew::{DTransform, LegFault, LegGeometry, LegLimits, LegSearch, RawPose};

use super::bones::{LEGS, LegBones, Robot};
use super::error::RobotError;
use super::leg_plan::{ANKLE, COXA, FOOT, LOWER, LegPlan, PLANS, REST_LEAN, STANDING_HEIGHT, UPPER};

/// Radii of coxa, upper, lower and ankle, metres: the beams without cranks, lugs and pistons.
const RADII: [f64; 4] = [0.42, 0.55, 0.5, 0.38];

/// How far the joints turn, radians. Chosen with the lengths: hinges stop before a piston would leave its
/// cylinder or a beam its fork, and a machine that stands has room to both sides.
const LIMITS: LegLimits = LegLimits {
    yaw: [-0.65, 0.65],
    hip: [-0.2, 1.0],
    knee: [-2.45, -1.2],
    ankle: [-0.6, 0.7],
    foot: [0.0, 0.7],
};

/// All legs of the robot, over level ground at height 0.
#[derive(Clone, Debug)]
pub struct RobotLegs {
    legs: FourSegmentLegs,
    bones: [LegBones; LEGS],
}

impl RobotLegs {
    /// The legs of this robot, its body at the origin of model space.
    ///
    /// # Errors
    /// [`RobotError::Legs`] where measures and bones do not agree; they do.
    pub fn new(robot: &Robot) -> Result<Self, RobotError> {
        let legs = PLANS.iter().zip(&robot.legs).map(|(plan, bones)| SegmentedLeg {
            name: plan.name.into(),
            geometry: geometry(plan),
            joints: [bones.coxa, bones.upper, bones.lower, bones.ankle, bones.foot],
            // Bones have the axes of their segments.
            frames: [DQuat::IDENTITY; 5],
        });
        let search = LegSearch { rest: REST_LEAN, ..LegSearch::default() };
        let legs = FourSegmentLegs::new(&robot.skeleton, &robot.support(), legs.collect(), search, 0.0)?;
        Ok(Self { legs, bones: robot.legs })
    }

    /// Measures and limits of a leg.
    ///
    /// # Panics
    /// Where there is no such leg.
    #[must_use]
    pub fn geometry(&self, leg: usize) -> &LegGeometry {
        &self.legs.segmented()[leg].geometry
    }

    /// Where soles stand, and how they are turned, under a machine that stands at the world's origin.
    #[must_use]
    pub fn anchors(&self) -> [DTransform; LEGS] {
        PLANS.map(|plan| {
            let sole = plan.sole + DVec3::Y * STANDING_HEIGHT;
            DTransform::from_rotation_translation(DQuat::from_rotation_y(plan.heading()), sole)
        })
    }
}

fn geometry(plan: &LegPlan) -> LegGeometry {
    let (sin, cos) = libm::sincos(plan.heading());
    LegGeometry {
        hip: plan.hip,
        axis: DVec3::Y,
        outward: DVec3::new(sin, 0.0, cos),
        coxa: COXA,
        upper: UPPER,
        lower: LOWER,
        ankle: ANKLE,
        foot: FOOT,
        radii: RADII,
        limits: LIMITS,
    }
}

impl LegSolver for &RobotLegs {
    fn legs(&self) -> usize {
        self.legs.legs()
    }

    fn leg(&self, leg: usize) -> LegJoints<'_> {
        self.legs.leg(leg)
    }

    fn solve(&self, task: &LegTask<'_>, pose: &mut RawPose) -> Result<SolvedLeg, LegFault> {
        let solved = self.legs.solve(task, pose)?;
        self.bones[task.leg].aim_pistons(pose);
        Ok(solved)
    }

    fn refine(&self, attempt: &SecondAttempt<'_>, pose: &mut RawPose) -> Result<Option<SolvedLeg>, LegFault> {
        let solved = self.legs.refine(attempt, pose)?;
        self.bones[attempt.task.leg].aim_pistons(pose);
        Ok(solved)
    }

    fn clearance(&self, leg: usize, body_ws: &DTransform, model_ms: &[DTransform]) -> f64 {
        self.legs.clearance(leg, body_ws, model_ms)
    }

    fn limit(&self, leg: usize, solved: &SolvedLeg, pose: &RawPose) -> LimitReading {
        self.legs.limit(leg, solved, pose)
    }

    fn self_gap(&self, leg: usize, model_ms: &[DTransform]) -> f64 {
        self.legs.self_gap(leg, model_ms)
    }
}
