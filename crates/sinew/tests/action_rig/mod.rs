//! A body with a head, a core that slides in it, and an accessory beside the head.

use glam::{DQuat, DVec3};
use sinew::{DTransform, Joint, JointId, Skeleton};

pub(crate) fn at(x: f64, y: f64, z: f64) -> DTransform {
    DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, y, z))
}

/// Body_01 -> (Head_01 -> Core_01 -> Lens_01, Accessory_01, Leg_01 -> Foot_01).
pub(crate) fn skeleton() -> Skeleton {
    let joint = |name: &str, parent: Option<u32>, rest| Joint::new(name, parent.map(JointId), rest);
    let joints = vec![
        joint("Body_01", None, DTransform::IDENTITY),
        joint("Head_01", Some(0), at(0.0, 1.5, 0.5)),
        joint("Accessory_01", Some(0), at(0.5, 1.0, 0.0)),
        joint("Core_01", Some(1), at(0.0, 1.0, 0.25)),
        joint("Leg_01", Some(0), at(1.0, 0.0, 0.0)),
        joint("Lens_01", Some(3), at(0.0, 0.0, 0.5)),
        joint("Foot_01", Some(4), at(0.0, -2.0, 0.0)),
    ];
    Skeleton::numbered(joints, Vec::new()).unwrap()
}
