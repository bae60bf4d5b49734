//! A six-legged machine with legs solved in closed form, for tests of whole frames.

use core::f64::consts::{FRAC_PI_2, PI};

use glam::{DQuat, DVec3};
use sinew::LegFault;
use sinew::action::{LegJoints, LegSolver, LegTask, LimitReading, SecondAttempt, SolvedLeg};
use sinew::{DTransform, Joint, JointId, RawPose, Skeleton};

fn at(x: f64, y: f64, z: f64) -> DTransform {
    DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, y, z))
}

pub(crate) const LEGS: usize = 6;
pub(crate) const HEIGHT: f64 = 9.0;
pub(crate) const HIP: f64 = 2.0;
pub(crate) const COXA: f64 = 1.2;
pub(crate) const UPPER: f64 = 5.6;
pub(crate) const LOWER: f64 = 6.2;
pub(crate) const ANKLE: f64 = 2.0;
pub(crate) const FOOT: f64 = 0.6;
pub(crate) const NAMES: [&str; LEGS] = ["L_01", "L_02", "L_03", "R_01", "R_02", "R_03"];
/// Joints before the first leg: body, head, core, accessory.
const TRUNK: u32 = 4;
const BONES: u32 = 5;

/// Where a leg points, about +Y from +Z.
pub(crate) fn azimuth(leg: usize) -> f64 {
    let side = if leg < 3 { 1.0 } else { -1.0 };
    side * PI * (0.25 + 0.25 * (leg % 3) as f64)
}

/// Body_01 -> (Head_01 -> Core_01, Accessory_01, six times Coxa -> Upper -> Lower -> Ankle -> Foot).
pub(crate) fn skeleton() -> Skeleton {
    let joint = |name: String, parent: Option<u32>, rest| Joint::new(name, parent.map(JointId), rest);
    let mut joints = vec![
        joint("Body_01".into(), None, DTransform::IDENTITY),
        joint("Head_01".into(), Some(0), at(0.0, 1.5, 0.5)),
        joint("Core_01".into(), Some(1), at(0.0, 1.0, 0.25)),
        joint("Accessory_01".into(), Some(0), at(0.5, 1.0, 0.0)),
    ];
    for (leg, name) in NAMES.iter().enumerate() {
        let first = joints.len() as u32;
        let hip = DQuat::from_rotation_y(azimuth(leg)) * DVec3::new(0.0, 0.0, HIP);
        let bones = [
            ("coxa", at(hip.x, hip.y, hip.z)),
            ("upper", at(0.0, 0.0, COXA)),
            ("lower", at(0.0, 0.0, UPPER)),
            ("ankle", at(0.0, 0.0, LOWER)),
            ("foot", at(0.0, 0.0, ANKLE)),
        ];
        for (i, (bone, rest)) in bones.into_iter().enumerate() {
            let parent = if i == 0 { 0 } else { first + i as u32 - 1 };
            joints.push(joint(format!("{name}_{bone}"), Some(parent), rest));
        }
    }
    Skeleton::numbered(joints, Vec::new()).unwrap()
}

pub(crate) fn anchors() -> Vec<DTransform> {
    let place = |leg| DQuat::from_rotation_y(azimuth(leg)) * DVec3::new(0.0, 0.0, 7.25);
    (0..LEGS).map(|leg| DTransform { translation: place(leg), ..DTransform::IDENTITY }).collect()
}

pub(crate) fn leg_joint(leg: usize, bone: usize) -> JointId {
    JointId(TRUNK + leg as u32 * BONES + bone as u32)
}

/// The legs, with knobs that make each check fail.
#[derive(Clone, Debug)]
pub(crate) struct Walker {
    chains: Vec<[JointId; 4]>,
    /// Least knee angle, radians.
    pub(crate) least_knee: f64,
    /// Height of the ground under knees and ankles, metres.
    pub(crate) ground: f64,
    /// Taken off the gap of leg 2, metres.
    pub(crate) thickness: f64,
    /// How far the solver is off with leg 4, metres.
    pub(crate) sole_error: f64,
    /// Added to the ankle offset of leg 1 in each frame, radians.
    pub(crate) drift: f64,
    /// Whether the second attempt takes the drift back.
    pub(crate) refines: bool,
}

impl Walker {
    pub(crate) fn new() -> Self {
        let chains = (0..LEGS).map(|leg| [1, 2, 3, 4].map(|bone| leg_joint(leg, bone))).collect();
        Self {
            chains,
            least_knee: -3.0,
            ground: 0.0,
            thickness: 0.0,
            sole_error: 0.0,
            drift: 0.0,
            refines: false,
        }
    }

    fn write(&self, task: &LegTask<'_>, offset: f64, pose: &mut RawPose) -> Result<SolvedLeg, LegFault> {
        let back = task.body_ws.rotation.conjugate();
        let mut sole = back * (task.anchor_ws.translation - task.body_ws.translation);
        if task.leg == 4 {
            sole.y += self.sole_error;
        }
        let foot = back * task.anchor_ws.rotation;
        let hip = DQuat::from_rotation_y(azimuth(task.leg)) * DVec3::new(0.0, 0.0, HIP);
        let ball = sole + foot * DVec3::new(0.0, FOOT, 0.0) - hip;
        let yaw = libm::atan2(ball.x, ball.z);
        let tilt = offset - FRAC_PI_2;
        let along = libm::hypot(ball.x, ball.z) - COXA - ANKLE * libm::cos(tilt);
        let up = ball.y - ANKLE * libm::sin(tilt);
        let reach = libm::hypot(along, up);
        if reach > UPPER + LOWER {
            return Err(LegFault::Unreachable { by_metres: reach - UPPER - LOWER });
        }
        let bend = libm::acos((UPPER * UPPER + reach * reach - LOWER * LOWER) / (2.0 * UPPER * reach));
        let upper = libm::atan2(up, along) + bend;
        let lower = libm::atan2(up - UPPER * libm::sin(upper), along - UPPER * libm::cos(upper));
        let angles = [yaw, upper, lower - upper, tilt - lower];
        let mut turned = DQuat::IDENTITY;
        for (bone, angle) in angles.into_iter().enumerate() {
            let turn = if bone == 0 { DQuat::from_rotation_y(angle) } else { DQuat::from_rotation_x(-angle) };
            pose.local[leg_joint(task.leg, bone).index()].rotation = turn;
            turned *= turn;
        }
        pose.local[leg_joint(task.leg, 4).index()].rotation = (turned.conjugate() * foot).normalize();
        let [a, b, c, d] = angles;
        Ok(SolvedLeg { ankle_offset: offset, angles: [a, b, c, d, 0.0, 0.0] })
    }
}

impl LegSolver for &Walker {
    fn legs(&self) -> usize {
        LEGS
    }

    fn leg(&self, leg: usize) -> LegJoints<'_> {
        let sole_ls = DVec3::new(0.0, -FOOT, 0.0);
        LegJoints { name: NAMES[leg], chain: &self.chains[leg], foot: leg_joint(leg, 4), sole_ls }
    }

    fn solve(&self, task: &LegTask<'_>, pose: &mut RawPose) -> Result<SolvedLeg, LegFault> {
        let drift = if task.leg == 1 && task.previous.is_some() { self.drift } else { 0.0 };
        self.write(task, task.previous.unwrap_or(0.15) + drift, pose)
    }

    fn refine(&self, attempt: &SecondAttempt<'_>, pose: &mut RawPose) -> Result<Option<SolvedLeg>, LegFault> {
        let task = &attempt.task;
        self.refines.then(|| self.write(task, task.previous.unwrap_or(0.15), pose)).transpose()
    }

    fn clearance(&self, leg: usize, body_ws: &DTransform, model_ms: &[DTransform]) -> f64 {
        let height = |bone| body_ws.mul_transform(&model_ms[leg_joint(leg, bone).index()]).translation.y;
        height(2).min(height(3)) - self.ground
    }

    fn limit(&self, leg: usize, solved: &SolvedLeg, _pose: &RawPose) -> LimitReading {
        LimitReading { joint: leg_joint(leg, 2), margin: solved.angles[2] - self.least_knee }
    }

    fn self_gap(&self, leg: usize, model_ms: &[DTransform]) -> f64 {
        let place = |bone| model_ms[leg_joint(leg, bone).index()].translation;
        let thickness = if leg == 2 { self.thickness } else { 0.0 };
        (place(3) - place(0)).length() - thickness
    }
}
