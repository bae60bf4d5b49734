//! Pistons: a cylinder and a rod on two segments, each turned towards the other's eye.

use glam::{DQuat, DVec3};
use sinew::{DTransform, JointId, RawPose};

use super::bones::LegBones;

/// Eyes of the hip's piston: on the coxa, and on the upper segment.
pub(super) const HIP_EYES: [DVec3; 2] = [DVec3::new(0.0, -0.78, 0.2), DVec3::new(0.0, -0.66, 1.9)];
/// Eyes of the knee's piston: on the upper segment, and on the crank above the knee of the lower one.
pub(super) const KNEE_EYES: [DVec3; 2] = [DVec3::new(0.0, 0.86, 1.0), DVec3::new(0.0, 0.12, -0.8)];

impl LegBones {
    /// Turns both pistons of the leg to where its hinges are now. All moves in the plane of the leg, so one
    /// angle about X is exact and nothing can flip.
    pub fn aim_pistons(&self, pose: &mut RawPose) {
        aim(pose, self.upper, [self.hip_cylinder, self.hip_rod]);
        aim(pose, self.lower, [self.knee_cylinder, self.knee_rod]);
    }
}

/// The cylinder hangs on the parent of `hinge`, the rod on `hinge` itself.
fn aim(pose: &mut RawPose, hinge: JointId, [cylinder, rod]: [JointId; 2]) {
    let local = pose.local[hinge.index()];
    let eye = pose.local[cylinder.index()].translation;
    let other = local.mul_transform(&pose.local[rod.index()]).translation;
    pose.local[cylinder.index()].rotation = towards(other - eye);
    let back = local.rotation.conjugate() * (eye - other);
    pose.local[rod.index()].rotation = towards(back);
}

/// About X, so that +Z points along `way`.
fn towards(way: DVec3) -> DQuat {
    DQuat::from_rotation_x(libm::atan2(-way.y, way.z))
}

/// An eye that is not turned yet.
pub(super) fn eye(at: DVec3) -> DTransform {
    DTransform::from_rotation_translation(DQuat::IDENTITY, at)
}
