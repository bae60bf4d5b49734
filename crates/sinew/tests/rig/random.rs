//! Rigs and poses of any size from a seed.

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};
use sinew::{DTransform, Joint, JointId, LocalPose, Rig, Skeleton, Slot, Transform};

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    /// -1 to 1.
    pub(crate) fn signed(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(crate) fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Now and then half a turn about an axis, where quaternions and matrices have their corners.
    pub(crate) fn rotation(&mut self) -> Quat {
        let corners =
            [Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 0.0, -1.0, 0.0), -Quat::IDENTITY];
        if self.below(10) == 0 {
            return corners[self.below(3)];
        }
        let q = Quat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed());
        if q.length() > 0.01 { q.normalize() } else { Quat::IDENTITY }
    }

    pub(crate) fn transform(&mut self, scaled: bool) -> Transform {
        let scale = if scaled { Vec3::ONE + self.vec3() * 0.1 } else { Vec3::ONE };
        let (translation, rotation) = (self.vec3() * 0.2, self.rotation());
        Transform { translation, rotation, scale }
    }

    /// A skeleton whose numbers are all single precision; one joint in eight has a fixed matrix where asked.
    pub(crate) fn skeleton(&mut self, joints: usize, scaled: bool, fixed: bool) -> Skeleton {
        let long = self.below(2) == 0;
        let list = (0..joints).map(|i| {
            let back = if long { 3 } else { 1000 };
            let root = i == 0 || self.below(50) == 0;
            let parent = (!root).then(|| JointId((i - 1 - self.below(i.min(back))) as u32));
            let t = self.transform(scaled);
            let rest = DTransform {
                translation: t.translation.as_dvec3(),
                rotation: t.rotation.as_dquat(),
                scale: t.scale.as_dvec3(),
            };
            let mut joint = Joint::new(format!("joint {i}"), parent, rest);
            if fixed && self.below(8) == 0 {
                let mut column = || (self.vec3() * 0.6).as_dvec3().extend(0.0);
                let (x, y, z, w) = (column(), column(), column(), column());
                joint.rest_matrix = Some(DMat4::from_cols(x, y, z, w.with_w(1.0)));
            }
            joint
        });
        Skeleton::numbered(list.collect(), Vec::new()).unwrap()
    }

    pub(crate) fn pose(&mut self, rig: &Rig, scaled: bool) -> LocalPose {
        let mut pose = LocalPose::rest(rig);
        for slot in 0..rig.len() {
            pose.set(Slot(slot as u16), &self.transform(scaled));
        }
        pose
    }

    pub(crate) fn rigid_f64(&mut self) -> DMat4 {
        let (q, t): (DQuat, DVec3) = (self.rotation().as_dquat().normalize(), self.vec3().as_dvec3());
        DMat4::from_rotation_translation(q, t)
    }
}
