//! A runner's motion from where his feet are put: footfalls on the ground, a path of the body over them, and legs that
//! reach from one to the other. What stands stands to the last digit.

use core::f64::consts::PI;

use glam::{DQuat, DVec3};
use sinew::{BendPlane, DTransform, RawPose, Skeleton, TwoBoneJob, TwoBoneLimb, TwoBoneSolution};

use crate::StudyError;
use crate::distance_study::runner::{
    ANKLE, ARMS, BALL, CHEST, HEAD, HIP_SIDE, LEGS, PELVIS, ROOT, SHIN, THIGH,
};
use crate::distance_study::steps::smooth;

/// Highest that a ball is swung on a long step, metres, and the length of one.
const LIFT: f64 = 0.20;
const LONG_STEP: f64 = 1.5;
/// How far a heel has come up by the time its foot leaves, and how far it goes up behind, on a long step; radians.
const TOE_OFF: f64 = 0.45;
const HEEL_UP: f64 = 0.75;
/// Share of a leg's length that it is stretched to before the heel comes up.
const STRETCH: f64 = 0.985;

/// A foot on the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footfall {
    /// When it lands and when it leaves, seconds of the clip.
    pub(super) span: [f64; 2],
    /// Where its ball is (x, z), metres.
    pub(super) at: [f64; 2],
    /// Which way it points, radians about +Y from +Z.
    pub(super) yaw: f64,
}

/// A foot at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootAt {
    pub(super) ball: DVec3,
    pub(super) yaw: f64,
    /// How far the heel is up, radians, and how far the toes are bent back for that.
    pitch: f64,
    toes: f64,
    /// Whether it stands.
    pub(super) stands: bool,
}

/// What the body does besides going along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posture {
    /// Hips above the ground and ahead of the root, metres.
    pub(super) height: f64,
    pub(super) ahead: f64,
    /// How far the trunk leans forward, radians.
    pub(super) lean: f64,
    /// From standing, 0, to running, 1.
    pub(super) running: f64,
}

/// A clip before it has poses.
pub(super) struct Motion<'a> {
    pub(super) seconds: f64,
    /// The root along +Z, metres.
    pub(super) along: &'a dyn Fn(f64) -> f64,
    /// Which way it faces, radians.
    pub(super) yaw: &'a dyn Fn(f64) -> f64,
    pub(super) posture: &'a dyn Fn(f64) -> Posture,
    /// Left and right, in order of time.
    pub(super) steps: [Vec<Footfall>; 2],
}

impl Motion<'_> {
    /// Keys a second.
    pub(super) const RATE: f64 = 60.0;

    /// One pose a key.
    pub(super) fn poses(&self, skeleton: &Skeleton) -> Result<Vec<RawPose>, StudyError> {
        let count = (self.seconds * Self::RATE).round() as usize;
        (0..=count).map(|i| self.pose(skeleton, self.seconds * i as f64 / count as f64)).collect()
    }

    /// A foot at a moment; before its first footfall and after its last it stands there.
    pub(super) fn foot(&self, leg: usize, time: f64) -> FootAt {
        let steps = &self.steps[leg];
        let index = steps.partition_point(|s| s.span[0] <= time).saturating_sub(1);
        let here = steps[index];
        let far = |other: &Footfall| (other.at[0] - here.at[0]).hypot(other.at[1] - here.at[1]);
        let ball = DVec3::new(here.at[0], 0.0, here.at[1]);
        let next = steps.get(index + 1);
        // Before a long step the heel comes up first.
        let share = next.map_or(0.0, |next| (far(next) / LONG_STEP).clamp(0.15, 1.0));
        if let Some(next) = next.filter(|_| time > here.span[1]) {
            let u = (time - here.span[1]) / (next.span[0] - here.span[1]);
            let over = u * u * u * (10.0 - u * (15.0 - 6.0 * u));
            let there = DVec3::new(next.at[0], 0.0, next.at[1]);
            let height = LIFT * share * libm::sin(PI * u);
            let rest = 1.0 - smooth(u);
            let pitch = share * (TOE_OFF * rest + HEEL_UP * libm::sin(PI * libm::pow(u, 0.6)));
            return FootAt {
                ball: ball.lerp(there, over) + DVec3::Y * height,
                yaw: here.yaw + (next.yaw - here.yaw) * smooth(u),
                pitch,
                toes: share * TOE_OFF * smooth(1.0 - 4.0 * u),
                stands: false,
            };
        }
        let length = (here.span[1] - here.span[0]).min(0.25);
        let left = ((here.span[1] - time) / length).max(0.0);
        let pitch = share * TOE_OFF * smooth(1.0 - left / 0.6);
        FootAt { ball, yaw: here.yaw, pitch, toes: pitch, stands: true }
    }

    fn pose(&self, skeleton: &Skeleton, time: f64) -> Result<RawPose, StudyError> {
        let mut pose = RawPose::rest(skeleton);
        let local = &mut pose.local;
        let posture = (self.posture)(time);
        let turn = DQuat::from_rotation_y((self.yaw)(time));
        let root = DTransform::from_rotation_translation(turn, DVec3::new(0.0, 0.0, (self.along)(time)));
        local[ROOT.index()] = root;
        let feet = [0, 1].map(|leg| self.foot(leg, time));
        // Hips turn with the foot that is ahead.
        let ahead = |foot: &FootAt| (turn.conjugate() * (foot.ball - root.translation)).z;
        let twist = (-0.22 * (ahead(&feet[0]) - ahead(&feet[1]))).clamp(-0.2, 0.2) * posture.running;
        let pelvis_turn = DQuat::from_rotation_y(twist) * DQuat::from_rotation_x(0.25 * posture.lean);
        local[PELVIS.index()].translation = DVec3::new(0.0, posture.height, posture.ahead);
        local[PELVIS.index()].rotation = pelvis_turn;
        local[CHEST.index()].rotation =
            DQuat::from_rotation_x(0.75 * posture.lean) * DQuat::from_rotation_y(-2.0 * twist);
        local[HEAD.index()].rotation =
            DQuat::from_rotation_x(-0.8 * posture.lean) * DQuat::from_rotation_y(twist);
        let mut swing = [0.0; 2];
        for leg in 0..2 {
            let foot = feet[leg];
            let side = if leg == 0 { HIP_SIDE } else { -HIP_SIDE };
            let hip = local[PELVIS.index()].translation + pelvis_turn * DVec3::X * side;
            let yaw = DQuat::from_rotation_y(foot.yaw - (self.yaw)(time));
            let ball = turn.conjugate() * (foot.ball - root.translation);
            let ankle =
                |pitch: f64| ball + yaw * DQuat::from_rotation_x(pitch) * DVec3::new(0.0, ANKLE, -BALL);
            let pitch = reach(foot.pitch, |pitch| (ankle(pitch) - hip).length());
            let sole = yaw * DQuat::from_rotation_x(pitch);
            // Knees go between where the body and where the foot points.
            let forward = (DVec3::Z + yaw * DVec3::Z).normalize_or(DVec3::Z);
            let [upper, lower] = legs(hip, ankle(pitch), forward)?;
            let [thigh, shin, toes, ball_joint] = LEGS[leg];
            local[thigh.index()].rotation = pelvis_turn.conjugate() * upper;
            local[shin.index()].rotation = upper.conjugate() * lower;
            local[toes.index()].rotation = lower.conjugate() * sole;
            let bent = if foot.stands { pitch } else { foot.toes + (pitch - foot.pitch) };
            local[ball_joint.index()].rotation = DQuat::from_rotation_x(-bent);
            let down = upper * DVec3::NEG_Y;
            swing[leg] = libm::atan2(down.z, -down.y);
        }
        for (arm, [upper, fore]) in ARMS.into_iter().enumerate() {
            let out = if arm == 0 { 0.13 } else { -0.13 };
            // Arms swing with the leg of the other side.
            let angle =
                0.75 * swing[1 - arm] * posture.running - 0.15 * posture.running + 0.75 * posture.lean;
            local[upper.index()].rotation = DQuat::from_rotation_z(out) * DQuat::from_rotation_x(-angle);
            local[fore.index()].rotation = DQuat::from_rotation_x(-(0.3 + 1.1 * posture.running));
        }
        Ok(pose)
    }
}

/// The pitch from this one up at which the leg is no longer stretched too far.
fn reach(pitch: f64, far: impl Fn(f64) -> f64) -> f64 {
    let most = STRETCH * (THIGH + SHIN);
    if far(pitch) <= most {
        return pitch;
    }
    let (mut low, mut high) = (pitch, 1.4_f64.max(pitch));
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if far(middle) > most { low = middle } else { high = middle }
    }
    high
}

/// Rotations of thigh and shin in the root's axes.
fn legs(hip: DVec3, ankle: DVec3, forward: DVec3) -> Result<[DQuat; 2], StudyError> {
    let at = |down: f64| DTransform::from_rotation_translation(DQuat::IDENTITY, hip - DVec3::Y * down);
    let rest_ankle = hip - DVec3::Y * (THIGH + SHIN);
    let limb = TwoBoneLimb::from_pose(&at(0.0), &at(THIGH), rest_ankle, DVec3::NEG_X)
        .map_err(StudyError::build("a leg"))?;
    let mut solution = TwoBoneSolution::NONE;
    let plane = BendPlane::Pole(hip + forward * 5.0 - DVec3::Y * 0.4);
    TwoBoneJob { limb: &limb, root: hip, target: ankle, plane, soft: 0.0, output: &mut solution }
        .run()
        .map_err(StudyError::build("a leg"))?;
    Ok([solution.upper, solution.lower])
}
