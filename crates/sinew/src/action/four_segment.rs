//! Legs of coxa, upper, lower, ankle and foot on a skeleton, solved by [`LegJob`].

use glam::{DQuat, DVec3};

use super::{LegJoints, LegSolver, LegTask, LimitReading, SecondAttempt, SolvedLeg};
use crate::ik::{
    IkError, IkStatus, LegFault, LegGeometry, LegJob, LegSearch, LegSolution, LegTarget, segment_distance,
    solve_leg_at,
};
use crate::{DTransform, JointId, RawPose, Skeleton};

/// Distance between a joint's place and where the leg's geometry has it above which they are two things,
/// metres.
const PLACE_TOLERANCE: f64 = 1e-9;
/// Tilts that a second attempt looks at to each side of the first.
const SECOND_SCAN: u32 = 64;
/// By how much a second attempt keeps clear of what is measured again on the finished pose: metres, radians.
const SPARE: (f64, f64) = (1e-8, 1e-9);
/// Joints of a leg, in the order of [`SegmentedLeg::joints`].
const PARTS: [&str; 5] = ["coxa", "upper", "lower", "ankle", "foot"];

/// A leg of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentedLeg {
    /// What people call it.
    pub name: String,
    /// Lengths and limits, in model space.
    pub geometry: LegGeometry,
    /// Coxa, upper, lower, ankle and foot, each the parent of the next; the foot is at the ball joint.
    pub joints: [JointId; 5],
    /// Of each joint, from its own axes to those of its segment (+Z along it, +X the hinge; of the foot +Y the
    /// normal of the sole, +Z ahead): the joint is at `segment * frame`.
    pub frames: [DQuat; 5],
}

/// Why a leg is not that of the character.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LegRigError {
    /// The geometry is none.
    #[error("leg {leg:?}: {source}")]
    Geometry {
        /// The leg.
        leg: String,
        /// What is wrong.
        source: IkError,
    },
    /// A joint that the skeleton does not have.
    #[error("leg {leg:?} names {joint}, the skeleton has {joints}")]
    NoJoint {
        /// The leg.
        leg: String,
        /// The joint.
        joint: JointId,
        /// Joints there are.
        joints: usize,
    },
    /// A joint that does not hang from the one before it.
    #[error("leg {leg:?}: the parent of its {part} is not its {expected}")]
    Parent {
        /// The leg.
        leg: String,
        /// The child.
        part: &'static str,
        /// What it should hang from.
        expected: &'static str,
    },
    /// A joint that is not where the geometry has it.
    #[error("leg {leg:?}: its {part} is {metres} m from where its geometry has it")]
    Place {
        /// The leg.
        leg: String,
        /// The joint.
        part: &'static str,
        /// The distance, metres.
        metres: f64,
    },
    /// A joint that is scaled, or hangs from one that is.
    #[error("leg {leg:?} is scaled by {scale}, expected 1")]
    Scaled {
        /// The leg.
        leg: String,
        /// Its scale.
        scale: DVec3,
    },
}

/// [`LegSolver`] for legs of four segments and a foot, over flat ground.
#[derive(Clone, Debug, PartialEq)]
pub struct FourSegmentLegs {
    legs: Vec<SegmentedLeg>,
    search: LegSearch,
    ground: f64,
    /// `[leg]`: the coxa's parent in model space; the support pose does not turn it.
    bases: Vec<DQuat>,
}

impl FourSegmentLegs {
    /// Checks that the legs are those of the skeleton in a pose of which only what carries the legs matters.
    /// `ground` is its height in the world, metres.
    ///
    /// # Errors
    /// [`LegRigError`] names the leg and the joint that does not fit.
    ///
    /// # Panics
    /// Where the pose has fewer joints than the skeleton.
    pub fn new(
        skeleton: &Skeleton,
        support: &RawPose,
        legs: Vec<SegmentedLeg>,
        search: LegSearch,
        ground: f64,
    ) -> Result<Self, LegRigError> {
        let mut bases = Vec::with_capacity(legs.len());
        for leg in &legs {
            bases.push(check_leg(skeleton, support, leg)?);
        }
        Ok(Self { legs, search, ground, bases })
    }

    /// The legs.
    #[must_use]
    pub fn segmented(&self) -> &[SegmentedLeg] {
        &self.legs
    }

    /// Room of each joint of a leg to its limits, radians, in the order of [`LegLimits::named`]; below 0 the
    /// limit is broken.
    ///
    /// [`LegLimits::named`]: crate::ik::LegLimits::named
    #[must_use]
    pub fn margins(&self, leg: usize, solved: &SolvedLeg) -> [f64; 5] {
        let limits = self.legs[leg].geometry.limits.named();
        core::array::from_fn(|i| {
            let (angle, [min, max]) = (solved.angles[i], limits[i].1);
            // The foot's angle is never negative: there is nothing below 0 to be near to.
            let low = if i == 4 && min <= 0.0 { f64::INFINITY } else { angle - min };
            low.min(max - angle)
        })
    }
}

impl FourSegmentLegs {
    fn write(&self, leg: usize, found: &LegSolution, pose: &mut RawPose) -> SolvedLeg {
        let of = &self.legs[leg];
        let mut above = self.bases[leg];
        for i in 0..of.joints.len() {
            let here = found.pose.rotations[i] * of.frames[i];
            pose.local[of.joints[i].index()].rotation = (above.conjugate() * here).normalize();
            above = here;
        }
        let [yaw, hip, knee, ankle] = found.angles;
        SolvedLeg { ankle_offset: found.phi, angles: [yaw, hip, knee, ankle, found.foot_angle, 0.0] }
    }

    /// Least height of hip, knee and ankle above the ground, less the segments' radii there, metres.
    fn height(&self, leg: usize, places_ws: [DVec3; 3]) -> f64 {
        let [coxa, upper, lower, ankle] = self.legs[leg].geometry.radii;
        let thick = [coxa.max(upper), upper.max(lower), lower.max(ankle)];
        let heights = places_ws.iter().zip(thick).map(|(place, radius)| place.y - radius - self.ground);
        heights.fold(f64::INFINITY, f64::min)
    }

    /// Whether a solution breaks none of the rules that a frame is held to.
    fn holds(&self, attempt: &SecondAttempt<'_>, found: &LegSolution) -> bool {
        let SecondAttempt { task, before, limits, .. } = attempt;
        let of = &self.legs[task.leg];
        let [_, hip, knee, ankle, ..] = found.pose.to_world(task.body_ws).joints;
        let turned = |i: usize| {
            before.map(|before| {
                let was = before.body_ws.rotation * before.model_ms[of.joints[i].index()].rotation;
                let is = task.body_ws.rotation * (found.pose.rotations[i] * of.frames[i]);
                DTransform::angle_between(was, is)
            })
        };
        self.height(task.leg, [hip, knee, ankle]) >= limits.clearance + SPARE.0
            && (1..of.joints.len()).all(|i| turned(i).is_none_or(|by| by <= limits.turn - SPARE.1))
            && found.limit_margin >= SPARE.1
            && found.clearance >= limits.self_gap + SPARE.0
    }
}

fn check_leg(skeleton: &Skeleton, support: &RawPose, leg: &SegmentedLeg) -> Result<DQuat, LegRigError> {
    let name = || leg.name.clone();
    leg.geometry.check().map_err(|source| LegRigError::Geometry { leg: name(), source })?;
    for joint in leg.joints {
        if joint.index() >= skeleton.len() {
            return Err(LegRigError::NoJoint { leg: name(), joint, joints: skeleton.len() });
        }
    }
    let mut base = DTransform::IDENTITY;
    let mut above = skeleton.joint(leg.joints[0]).parent;
    while let Some(joint) = above {
        base = support.local[joint.index()].mul_transform(&base);
        above = skeleton.joint(joint).parent;
    }
    let LegGeometry { hip, coxa, upper, lower, ankle, .. } = leg.geometry;
    let lengths = [coxa, upper, lower, ankle];
    let mut scale = base.scale;
    for (i, joint) in leg.joints.into_iter().enumerate() {
        let local = &support.local[joint.index()];
        let (place, expected) = if i == 0 {
            (base.mul_transform(local).translation, hip)
        } else {
            if skeleton.joint(joint).parent != Some(leg.joints[i - 1]) {
                return Err(LegRigError::Parent { leg: name(), part: PARTS[i], expected: PARTS[i - 1] });
            }
            // In the axes of the segment above.
            (leg.frames[i - 1] * local.translation, DVec3::Z * lengths[i - 1])
        };
        let metres = (place - expected).length();
        if !(metres <= PLACE_TOLERANCE) {
            return Err(LegRigError::Place { leg: name(), part: PARTS[i], metres });
        }
        scale *= local.scale;
    }
    if (scale - DVec3::ONE).abs().max_element() > 1e-12 {
        return Err(LegRigError::Scaled { leg: name(), scale });
    }
    Ok(base.rotation)
}

impl LegSolver for FourSegmentLegs {
    fn legs(&self) -> usize {
        self.legs.len()
    }

    fn leg(&self, leg: usize) -> LegJoints<'_> {
        let of = &self.legs[leg];
        let sole_ls = of.frames[4].conjugate() * DVec3::new(0.0, -of.geometry.foot, 0.0);
        LegJoints { name: &of.name, chain: &of.joints[1..], foot: of.joints[4], sole_ls }
    }

    /// Limits and collisions that cannot be avoided are measured, not held: [`LegSolver::limit`] and
    /// [`LegSolver::self_gap`] tell.
    fn solve(&self, task: &LegTask<'_>, pose: &mut RawPose) -> Result<SolvedLeg, LegFault> {
        let of = &self.legs[task.leg];
        let mut output = LegSolution::NONE;
        let status = LegJob {
            geometry: &of.geometry,
            search: &self.search,
            body: *task.body_ws,
            target: LegTarget { sole: task.anchor_ws.translation, foot: task.anchor_ws.rotation },
            previous: task.previous,
            output: &mut output,
        }
        .run()?;
        if let IkStatus::Unreachable { by_metres } = status {
            return Err(LegFault::Unreachable { by_metres });
        }
        Ok(self.write(task.leg, &output, pose))
    }

    /// The tilt nearest to the first one at which the leg is clear of the ground, has turned no further in the
    /// world than it may, and is within its limits and clear of itself; of those that the search may choose, its
    /// window included.
    fn refine(&self, attempt: &SecondAttempt<'_>, pose: &mut RawPose) -> Result<Option<SolvedLeg>, LegFault> {
        let SecondAttempt { task, solved, .. } = attempt;
        let of = &self.legs[task.leg];
        let target = LegTarget { sole: task.anchor_ws.translation, foot: task.anchor_ws.rotation };
        let window = task.previous.map_or([f64::NEG_INFINITY, f64::INFINITY], |previous| {
            [previous - self.search.window, previous + self.search.window]
        });
        let low = self.search.range[0].max(window[0]);
        let high = self.search.range[1].min(window[1]);
        let step = (high - low) / f64::from(SECOND_SCAN);
        for k in 1..=SECOND_SCAN {
            for side in [-1.0, 1.0] {
                let phi = solved.ankle_offset + side * step * f64::from(k);
                if !(low..=high).contains(&phi) {
                    continue;
                }
                match solve_leg_at(&of.geometry, task.body_ws, &target, phi) {
                    Ok(found) if self.holds(attempt, &found) => {
                        return Ok(Some(self.write(task.leg, &found, pose)));
                    }
                    Ok(_) | Err(LegFault::Unreachable { .. }) => {}
                    Err(fault) => return Err(fault),
                }
            }
        }
        Ok(None)
    }

    /// Of hip, knee and ankle, less the segments' radii there; the ball joint stands on the sole.
    fn clearance(&self, leg: usize, body_ws: &DTransform, model_ms: &[DTransform]) -> f64 {
        let joints = &self.legs[leg].joints;
        self.height(leg, [1, 2, 3].map(|i| body_ws.mul_transform(&model_ms[joints[i].index()]).translation))
    }

    fn limit(&self, leg: usize, solved: &SolvedLeg, _pose: &RawPose) -> LimitReading {
        let margins = self.margins(leg, solved);
        let tightest = (1..5).fold(0, |best, i| if margins[i] < margins[best] { i } else { best });
        LimitReading { joint: self.legs[leg].joints[tightest], margin: margins[tightest] }
    }

    fn self_gap(&self, leg: usize, model_ms: &[DTransform]) -> f64 {
        let of = &self.legs[leg];
        let place = |i: usize| model_ms[of.joints[i].index()].translation;
        let segment = |i: usize| [place(i), place(i + 1)];
        let gap = |a: usize, b: usize| {
            segment_distance(segment(a), segment(b)) - of.geometry.radii[a] - of.geometry.radii[b]
        };
        // Neighbours share a joint.
        gap(0, 2).min(gap(0, 3)).min(gap(1, 3))
    }
}
