//! A runner of sixteen bones whose legs reach for their feet.

use glam::{DQuat, DVec3};
use sinew::{DTransform, Joint, JointFlags, JointId, RawPose, Skeleton};

use crate::StudyError;

/// Lengths, metres.
pub(crate) const THIGH: f64 = 0.44;
pub(crate) const SHIN: f64 = 0.43;
/// Ankle above the sole, and ball of the foot ahead of it.
pub(crate) const ANKLE: f64 = 0.08;
pub(crate) const BALL: f64 = 0.13;
/// Half of the distance between the hips, and how high they are at rest.
pub(crate) const HIP_SIDE: f64 = 0.09;
pub(crate) const HIP: f64 = THIGH + SHIN + ANKLE;
const UPPER_ARM: f64 = 0.29;

/// Lines on the ground; all bones hang from it, for a skin's joints need a common root.
pub(crate) const GROUND: JointId = JointId(0);
pub(crate) const ROOT: JointId = JointId(1);
pub(crate) const PELVIS: JointId = JointId(2);
pub(crate) const CHEST: JointId = JointId(3);
pub(crate) const HEAD: JointId = JointId(4);
/// Thigh, shin, foot and ball of the left and of the right leg.
pub(crate) const LEGS: [[JointId; 4]; 2] =
    [[JointId(5), JointId(6), JointId(7), JointId(8)], [JointId(9), JointId(10), JointId(11), JointId(12)]];
/// Upper arm and forearm, left and right.
pub(crate) const ARMS: [[JointId; 2]; 2] = [[JointId(13), JointId(14)], [JointId(15), JointId(16)]];
/// The bones, standing straight, with the ground and what carries the mesh.
pub(crate) fn skeleton() -> Result<Skeleton, StudyError> {
    let mut joints = bones();
    joints.push(Joint { flags: JointFlags::MESH, ..Joint::new("Runner", None, DTransform::IDENTITY) });
    Skeleton::numbered(joints, Vec::new()).map_err(StudyError::build("the runner's skeleton"))
}

/// The same without the ground, whose place what carries the mesh has: bones keep their numbers.
pub(crate) fn skeleton_alone() -> Result<Skeleton, StudyError> {
    let mut joints = bones();
    joints[GROUND.index()] =
        Joint { flags: JointFlags::MESH, ..Joint::new("Runner", None, DTransform::IDENTITY) };
    joints[ROOT.index()].parent = None;
    Skeleton::numbered(joints, Vec::new()).map_err(StudyError::build("the runner's skeleton"))
}

/// The ground and the bones.
pub(crate) fn bones() -> Vec<Joint> {
    let bone = |name: &str, parent: Option<JointId>, at: [f64; 3]| {
        let rest = DTransform { translation: DVec3::from_array(at), ..DTransform::IDENTITY };
        Joint { flags: JointFlags::SKIN_JOINT | JointFlags::ANIMATED, ..Joint::new(name, parent, rest) }
    };
    let ground = Joint::new("Ground", None, DTransform::IDENTITY);
    let mut joints = vec![
        Joint { flags: JointFlags::SKIN_JOINT, ..ground },
        bone("Root", Some(GROUND), [0.0; 3]),
        bone("Pelvis", Some(ROOT), [0.0, HIP, 0.0]),
        bone("Chest", Some(PELVIS), [0.0, 0.22, 0.0]),
        bone("Head", Some(CHEST), [0.0, 0.36, 0.0]),
    ];
    for (leg, side) in ["Left", "Right"].into_iter().enumerate() {
        let x = if leg == 0 { HIP_SIDE } else { -HIP_SIDE };
        let [thigh, shin, foot, _] = LEGS[leg];
        joints.extend([
            bone(&format!("{side}Thigh"), Some(PELVIS), [x, 0.0, 0.0]),
            bone(&format!("{side}Shin"), Some(thigh), [0.0, -THIGH, 0.0]),
            bone(&format!("{side}Foot"), Some(shin), [0.0, -SHIN, 0.0]),
            bone(&format!("{side}Ball"), Some(foot), [0.0, -ANKLE, BALL]),
        ]);
    }
    for (arm, side) in ["Left", "Right"].into_iter().enumerate() {
        let x = if arm == 0 { 0.20 } else { -0.20 };
        joints.push(bone(&format!("{side}Arm"), Some(CHEST), [x, 0.25, 0.0]));
        joints.push(bone(&format!("{side}Forearm"), Some(ARMS[arm][0]), [0.0, -UPPER_ARM, 0.0]));
    }
    joints
}

/// What the runner is to do; lengths along the way relative to his root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posture {
    /// The root along the way, world.
    pub(crate) root_z: f64,
    /// Hips ahead of the root and above the ground.
    pub(crate) pelvis: [f64; 2],
    /// How far the trunk leans forward, radians.
    pub(crate) lean: f64,
    /// Ball of each foot ahead of the root and above the ground.
    pub(crate) balls: [[f64; 2]; 2],
    /// How far each foot is turned toes down while it swings, radians.
    pub(crate) pitch: [f64; 2],
}

/// Turns what points down towards the front.
fn forwards(angle: f64) -> DQuat {
    DQuat::from_rotation_x(-angle)
}

/// A posture as bones. Where a leg does not reach a foot that is flat, its heel comes up about the ball.
pub(crate) fn pose(skeleton: &Skeleton, posture: &Posture) -> RawPose {
    let mut pose = RawPose::rest(skeleton);
    let local = &mut pose.local;
    local[ROOT.index()].translation.z = posture.root_z;
    let [ahead, height] = posture.pelvis;
    local[PELVIS.index()].translation = DVec3::new(0.0, height, ahead);
    local[CHEST.index()].rotation = forwards(-posture.lean);
    local[HEAD.index()].rotation = forwards(0.7 * posture.lean);
    for leg in 0..2 {
        let [z, y] = posture.balls[leg];
        let ball = [z - ahead, y - height];
        let angles = leg_angles(ball, posture.pitch[leg]);
        let [thigh, shin, foot, _] = LEGS[leg];
        local[thigh.index()].rotation = forwards(angles[0]);
        local[shin.index()].rotation = forwards(angles[1] - angles[0]);
        local[foot.index()].rotation = forwards(angles[2] - angles[1]);
        // Arms swing against the legs.
        let swing = -0.7 * angles[0] - posture.lean;
        let [upper, fore] = ARMS[1 - leg];
        local[upper.index()].rotation = forwards(-swing);
        local[fore.index()].rotation = forwards(1.2);
    }
    pose
}

/// Angles of thigh, shin and foot from straight down (the foot: from flat) towards the front, for a ball at
/// `[z, y]` from the hip.
fn leg_angles(ball: [f64; 2], pitch: f64) -> [f64; 3] {
    let most = (THIGH + SHIN) * 0.9995;
    // The heel comes up as far as the leg needs.
    let ankle = |pitch: f64| {
        let (sin, cos) = libm::sincos(pitch);
        [ball[0] - BALL * cos + ANKLE * sin, ball[1] + BALL * sin + ANKLE * cos]
    };
    let far = |pitch: f64| {
        let [z, y] = ankle(pitch);
        (z * z + y * y).sqrt()
    };
    let mut turned = pitch;
    if far(turned) > most {
        let (mut low, mut high) = (pitch, pitch.max(1.4));
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if far(middle) > most { low = middle } else { high = middle }
        }
        turned = high;
    }
    let [z, y] = ankle(turned);
    let d = far(turned).clamp(0.05, most);
    let towards = libm::atan2(z, -y);
    let bend = |a: f64, b: f64| ((a * a + d * d - b * b) / (2.0 * a * d)).clamp(-1.0, 1.0);
    let thigh = towards + libm::acos(bend(THIGH, SHIN));
    let shin = towards - libm::acos(bend(SHIN, THIGH));
    [thigh, shin, -turned]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::model_matrices;

    #[test]
    fn feet_are_where_they_are_wanted() {
        let skeleton = skeleton().unwrap();
        for (ball, pitch) in [([0.3, 0.0], 0.0), ([-0.5, 0.0], 0.0), ([0.1, 0.2], 0.5), ([-0.3, 0.15], 0.9)] {
            let posture = Posture {
                root_z: 2.0,
                pelvis: [0.05, 0.82],
                lean: 0.2,
                balls: [ball, [0.1, 0.0]],
                pitch: [pitch, 0.0],
            };
            let mut model_ms = Vec::new();
            model_matrices(&skeleton, &pose(&skeleton, &posture), &mut model_ms);
            for (leg, [z, y]) in posture.balls.into_iter().enumerate() {
                let at = model_ms[LEGS[leg][3].index()].w_axis.truncate();
                let off = (at.z - 2.0 - z).abs().max((at.y - y).abs());
                assert!(off < 1e-9, "{leg} {z} {y}: {at}");
                let knee = model_ms[LEGS[leg][1].index()].w_axis.truncate();
                assert!(knee.y > at.y, "knees are above feet");
            }
        }
    }
}
