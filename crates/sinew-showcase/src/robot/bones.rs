//! The 87 bones, their names, their parents and where they are at rest.

use glam::{DQuat, DVec3};
use sinew::{Basis, DTransform, Joint, JointFlags, JointId, RawPose, Skeleton};

use super::error::RobotError;
use super::leg_plan::{PLANS, STANDING_HEIGHT, Standing};
use super::piston::{HIP_EYES, KNEE_EYES, eye};

/// Bones of the robot; the node that carries the mesh is none.
pub const BONES: usize = 87;
/// Bones of the head: `Head_01` and all below it.
pub const HEAD_BONES: usize = 20;
/// Legs.
pub const LEGS: usize = 6;

/// Offsets of the published readback from their parents: left-handed, X forward, Y right, Z up, centimetres. Those
/// axes are a mirror of ours: `p = 0.01 * S * p_cm` and `R = S * R_cm * S^-1` ([`Basis`]).
const HEAD_CM: DVec3 = DVec3::new(0.0, 0.007, 156.852);
const CORE_CM: DVec3 = DVec3::new(27.330, 0.0, 100.034);
const LASER_CM: DVec3 = DVec3::new(540.268, -2.228, 147.549);

/// Bones of one leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegBones {
    /// `L_01` to `L_03` from front to rear on the left, `R_01` to `R_03` on the right.
    pub name: &'static str,
    /// Turns about the body's up.
    pub coxa: JointId,
    /// Hinge of the hip.
    pub upper: JointId,
    /// Hinge of the knee.
    pub lower: JointId,
    /// Hinge of the ankle.
    pub ankle: JointId,
    /// Ball joint; the sole is below it.
    pub foot: JointId,
    /// The foremost claw.
    pub toe: JointId,
    /// Piston that lifts the upper segment: its cylinder, on the coxa.
    pub hip_cylinder: JointId,
    /// Its rod, on the upper segment.
    pub hip_rod: JointId,
    /// Piston of the knee: its cylinder, on the upper segment.
    pub knee_cylinder: JointId,
    /// Its rod, on the lower segment.
    pub knee_rod: JointId,
}

impl LegBones {
    /// All ten.
    #[must_use]
    pub fn all(&self) -> [JointId; 10] {
        let pistons = [self.hip_cylinder, self.hip_rod, self.knee_cylinder, self.knee_rod];
        let [a, b, c, d] = pistons;
        [self.coxa, self.upper, self.lower, self.ankle, self.foot, self.toe, a, b, c, d]
    }
}

/// The machine: its skeleton and the bones by what they are.
#[derive(Clone, Debug)]
pub struct Robot {
    /// 87 bones and, last, the node of the mesh. At rest the machine stands.
    pub skeleton: Skeleton,
    /// `Body_01`, the root.
    pub body: JointId,
    /// `Head_01`.
    pub head: JointId,
    /// `Core_01`, slides out of the head.
    pub core: JointId,
    /// `Weapon_Laser_01`.
    pub laser: JointId,
    /// `Weapon_Launcher_01`.
    pub launcher: JointId,
    /// Carries the mesh.
    pub mesh: JointId,
    /// `[leg]`
    pub legs: [LegBones; LEGS],
}

/// Bones of the head below the named three: name, parent, offset.
const HEAD_PARTS: [(&str, &str, DVec3); 16] = [
    ("Core_Ring_01", "Core_01", DVec3::new(0.0, 0.0, 0.0)),
    ("Core_Shutter_L_01", "Head_01", DVec3::new(0.37, 1.93, 0.2733)),
    ("Core_Shutter_R_01", "Head_01", DVec3::new(-0.37, 1.93, 0.2733)),
    ("Weapon_Laser_Barrel_01", "Weapon_Laser_01", DVec3::new(0.0, 0.0, 0.4)),
    ("Weapon_Laser_Shroud_L_01", "Weapon_Laser_01", DVec3::new(0.56, 0.0, -0.3)),
    ("Weapon_Laser_Shroud_R_01", "Weapon_Laser_01", DVec3::new(-0.56, 0.0, -0.3)),
    ("Weapon_Launcher_Pod_L_01", "Weapon_Launcher_01", DVec3::new(0.72, 0.42, 0.0)),
    ("Weapon_Launcher_Pod_R_01", "Weapon_Launcher_01", DVec3::new(-0.72, 0.42, 0.0)),
    ("Eye_01", "Head_01", DVec3::new(0.0, 0.78, 3.05)),
    ("Jaw_01", "Head_01", DVec3::new(0.0, 0.40, 1.3)),
    ("Antenna_L_01", "Head_01", DVec3::new(1.12, 1.45, -1.55)),
    ("Antenna_L_02", "Antenna_L_01", DVec3::new(0.0, 0.0, 1.15)),
    ("Antenna_R_01", "Head_01", DVec3::new(-1.12, 1.45, -1.55)),
    ("Antenna_R_02", "Antenna_R_01", DVec3::new(0.0, 0.0, 1.15)),
    ("Armor_Head_L_01", "Head_01", DVec3::new(1.5, 0.98, 0.35)),
    ("Armor_Head_R_01", "Head_01", DVec3::new(-1.5, 0.98, 0.35)),
];

/// Plates and pipes on the body: name, offset.
const BODY_PARTS: [(&str, DVec3); 6] = [
    ("Armor_Front_01", DVec3::new(0.0, 0.31, 2.25)),
    ("Armor_Rear_01", DVec3::new(0.0, 0.40, -3.2)),
    ("Armor_L_01", DVec3::new(1.78, 0.5, 0.0)),
    ("Armor_R_01", DVec3::new(-1.78, 0.5, 0.0)),
    ("Exhaust_L_01", DVec3::new(1.1, 0.66, -2.7)),
    ("Exhaust_R_01", DVec3::new(-1.1, 0.66, -2.7)),
];

/// Joints in the making.
struct Growing(Vec<Joint>);

impl Growing {
    fn bone(&mut self, name: &str, parent: Option<JointId>, rest: DTransform) -> JointId {
        let id = JointId(self.0.len() as u32);
        let flags = JointFlags::SKIN_JOINT;
        self.0.push(Joint { flags, ..Joint::new(name, parent, rest) });
        id
    }

    fn named(&self, name: &str) -> Option<JointId> {
        let place = self.0.iter().position(|j| j.name.as_deref() == Some(name))?;
        Some(JointId(place as u32))
    }
}

fn at(offset: DVec3) -> DTransform {
    DTransform::from_rotation_translation(DQuat::IDENTITY, offset)
}

impl Robot {
    /// The machine as it stands.
    ///
    /// # Errors
    /// [`RobotError`] where the list of bones is no skeleton; it is one.
    pub fn new() -> Result<Self, RobotError> {
        let readback = Basis::left_handed_z_up_x_forward(0.01)?;
        let mut growing = Growing(Vec::new());
        let body = growing.bone("Body_01", None, at(DVec3::Y * STANDING_HEIGHT));
        let head = growing.bone("Head_01", Some(body), at(readback.point(HEAD_CM)));
        let core = growing.bone("Core_01", Some(head), at(readback.point(CORE_CM)));
        let laser = growing.bone("Weapon_Laser_01", Some(head), at(readback.point(LASER_CM)));
        let launcher = growing.bone("Weapon_Launcher_01", Some(head), at(DVec3::new(0.0, 1.66, -1.5)));
        for (name, parent, offset) in HEAD_PARTS {
            let parent = growing.named(parent);
            growing.bone(name, parent, DTransform { rotation: leaning(name), ..at(offset) });
        }
        for (name, offset) in BODY_PARTS {
            growing.bone(name, Some(body), at(offset));
        }
        let legs = PLANS.map(|plan| leg(&mut growing, body, plan.name, &plan.standing()));
        let mesh = JointId(growing.0.len() as u32);
        growing.0.push(Joint { flags: JointFlags::MESH, ..Joint::new("Robot", None, DTransform::IDENTITY) });

        let mut pose = RawPose { local: growing.0.iter().map(|j| j.rest).collect(), ..RawPose::default() };
        for leg in &legs {
            leg.aim_pistons(&mut pose);
        }
        for (joint, rest) in growing.0.iter_mut().zip(&pose.local) {
            joint.rest = *rest;
        }
        let skeleton = Skeleton::numbered(growing.0, Vec::new())?;
        Ok(Self { skeleton, body, head, core, laser, launcher, mesh, legs })
    }
}

impl Robot {
    /// The standing pose with the body at the origin, as the action layer has it: where the body is in the world
    /// is a transform of its own.
    #[must_use]
    pub fn support(&self) -> RawPose {
        let mut pose = RawPose::rest(&self.skeleton);
        pose.local[self.body.index()] = DTransform::IDENTITY;
        pose
    }
}

/// Antennas lean back and to their side; their bones run along +Z.
fn leaning(name: &str) -> DQuat {
    let side = match name {
        "Antenna_L_01" => 1.0,
        "Antenna_R_01" => -1.0,
        _ => return DQuat::IDENTITY,
    };
    DQuat::from_rotation_y(side * 0.35) * DQuat::from_rotation_x(-1.95)
}

fn leg(growing: &mut Growing, body: JointId, name: &'static str, standing: &Standing) -> LegBones {
    let [coxa_ls, upper_ls, lower_ls, ankle_ls, foot_ls] = standing.0;
    let mut bone = |part: &str, parent, rest| growing.bone(&format!("{name}_{part}"), Some(parent), rest);
    let coxa = bone("Coxa", body, coxa_ls);
    let hip_cylinder = bone("Hip_Cylinder", coxa, eye(HIP_EYES[0]));
    let upper = bone("Upper", coxa, upper_ls);
    let hip_rod = bone("Hip_Rod", upper, eye(HIP_EYES[1]));
    let knee_cylinder = bone("Knee_Cylinder", upper, eye(KNEE_EYES[0]));
    let lower = bone("Lower", upper, lower_ls);
    let knee_rod = bone("Knee_Rod", lower, eye(KNEE_EYES[1]));
    let ankle = bone("Ankle", lower, ankle_ls);
    let foot = bone("Foot", ankle, foot_ls);
    let toe = bone("Toe", foot, at(DVec3::new(0.0, -0.4, 0.62)));
    LegBones { name, coxa, upper, lower, ankle, foot, toe, hip_cylinder, hip_rod, knee_cylinder, knee_rod }
}
