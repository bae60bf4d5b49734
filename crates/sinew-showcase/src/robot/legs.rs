//! The robot's legs as the action layer drives them: the closed-form solver with the machine's measures, limits
//! and capsules, pistons following.

use glam::{DQuat, DVec3};
use sinew::action::{LegFault, LegJoints, LegSolver, LegTask, LimitReading, SolvedLeg};
use sinew::{
    Capsule, DTransform, IkStatus, JointId, LegGeometry, LegJob, LegLimits, LegSearch, LegSolution,
    LegTarget, RawPose, closest_pair,
};

use super::bones::{LEGS, LegBones, Robot};
use super::leg_plan::{ANKLE, COXA, FOOT, LOWER, PLANS, REST_LEAN, STANDING_HEIGHT, UPPER};

/// Radii of coxa, upper, lower and ankle, metres: the beams without cranks, lugs and pistons.
const RADII: [f64; 4] = [0.42, 0.55, 0.5, 0.38];

/// How far the joints turn. Chosen with the lengths: hinges stop before a piston would leave its cylinder or a
/// beam its fork, and a machine that stands is near the middle of every range.
const LIMITS: LegLimits = LegLimits {
    yaw: [-0.65, 0.65],
    hip: [-0.2, 1.0],
    knee: [-2.45, -1.2],
    ankle: [-0.6, 0.7],
    foot: [0.0, 0.7],
};

/// Parts of a leg that may not touch: those that share no joint.
const APART: [(u16, u16); 3] = [(0, 2), (0, 3), (1, 3)];

/// All legs of the robot.
#[derive(Clone, Debug)]
pub struct RobotLegs {
    geometry: [LegGeometry; LEGS],
    search: LegSearch,
    bones: [LegBones; LEGS],
    chains: [[JointId; 4]; LEGS],
}

impl RobotLegs {
    /// The legs of this robot.
    #[must_use]
    pub fn new(robot: &Robot) -> Self {
        let geometry = PLANS.map(|plan| {
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
        });
        let search = LegSearch { rest: REST_LEAN, ..LegSearch::default() };
        let chains = robot.legs.map(|leg| [leg.upper, leg.lower, leg.ankle, leg.foot]);
        Self { geometry, search, bones: robot.legs, chains }
    }

    /// Measures and limits of a leg.
    ///
    /// # Panics
    /// Where there is no such leg.
    #[must_use]
    pub fn geometry(&self, leg: usize) -> &LegGeometry {
        &self.geometry[leg]
    }

    /// Where soles stand, and how they are turned, under a machine that stands at the world's origin.
    #[must_use]
    pub fn anchors(&self) -> [DTransform; LEGS] {
        PLANS.map(|plan| {
            let sole = plan.sole + DVec3::Y * STANDING_HEIGHT;
            DTransform::from_rotation_translation(DQuat::from_rotation_y(plan.heading()), sole)
        })
    }

    /// The joint of an angle: yaw, hip, knee, ankle, foot.
    fn joint(&self, leg: usize, angle: usize) -> JointId {
        let bones = &self.bones[leg];
        [bones.coxa, bones.upper, bones.lower, bones.ankle, bones.foot][angle]
    }

    /// Local rotations from frames in the body's space.
    fn write(&self, leg: usize, solution: &LegSolution, pose: &mut RawPose) {
        let mut parent = DQuat::IDENTITY;
        for (angle, rotation) in solution.pose.rotations.into_iter().enumerate() {
            let joint = self.joint(leg, angle);
            pose.local[joint.index()].rotation = (parent.conjugate() * rotation).normalize();
            parent = rotation;
        }
        self.bones[leg].aim_pistons(pose);
    }
}

impl LegSolver for &RobotLegs {
    fn legs(&self) -> usize {
        LEGS
    }

    fn leg(&self, leg: usize) -> LegJoints<'_> {
        let bones = &self.bones[leg];
        LegJoints {
            name: bones.name,
            chain: &self.chains[leg],
            foot: bones.foot,
            sole_ls: DVec3::NEG_Y * FOOT,
        }
    }

    fn solve(&self, task: &LegTask<'_>, pose: &mut RawPose) -> Result<SolvedLeg, LegFault> {
        let mut solution = LegSolution::NONE;
        let target = LegTarget { sole: task.anchor_ws.translation, foot: task.anchor_ws.rotation };
        let status = LegJob {
            geometry: &self.geometry[task.leg],
            search: &self.search,
            body: *task.body_ws,
            target,
            previous: task.previous,
            output: &mut solution,
        }
        .run()
        .map_err(|_| LegFault::Invalid { what: "the body, the anchor or the tilt before" })?;
        if let IkStatus::Unreachable { by_metres } = status {
            return Err(LegFault::Unreachable { by_metres });
        }
        // A limit or a collision is written as it is; the checks that follow measure and report both.
        self.write(task.leg, &solution, pose);
        let [yaw, hip, knee, ankle] = solution.angles;
        Ok(SolvedLeg {
            ankle_offset: solution.phi,
            angles: [yaw, hip, knee, ankle, solution.foot_angle, 0.0],
        })
    }

    fn clearance(&self, leg: usize, body_ws: &DTransform, model_ms: &[DTransform]) -> f64 {
        // Knee and ankle, the two ends of the lower segment; the ground is level at 0.
        let height = |angle: usize, radius: f64| {
            body_ws.mul_transform(&model_ms[self.joint(leg, angle).index()]).translation.y - radius
        };
        height(2, RADII[2]).min(height(3, RADII[3]))
    }

    fn limit(&self, leg: usize, solved: &SolvedLeg, _pose: &RawPose) -> LimitReading {
        let mut reading = LimitReading { joint: self.joint(leg, 0), margin: f64::INFINITY };
        for (angle, (_, [least, most])) in self.geometry[leg].limits.named().into_iter().enumerate() {
            let value = solved.angles[angle];
            // The foot's angle is never below zero, so that end of its range is no limit.
            let low = if angle == 4 { f64::INFINITY } else { value - least };
            let margin = low.min(most - value);
            // Written so that NaN is the worst.
            if !(margin >= reading.margin) {
                reading = LimitReading { joint: self.joint(leg, angle), margin };
            }
        }
        reading
    }

    fn self_gap(&self, leg: usize, model_ms: &[DTransform]) -> f64 {
        let place = |angle: usize| model_ms[self.joint(leg, angle).index()].translation;
        let capsules: [Capsule; 4] =
            core::array::from_fn(|part| Capsule { a: place(part), b: place(part + 1), radius: RADII[part] });
        closest_pair(&capsules, &APART).map_or(f64::INFINITY, |closest| closest.metres)
    }
}
