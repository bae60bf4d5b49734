//! Random rigs and runtime poses that the tests share.
#![allow(dead_code, reason = "each test uses its own part")]

use glam::{DVec3, Quat, Vec3};
use sinew::{DTransform, Joint, JointId, JointMask, LocalPose, Rig, Skeleton, Slot, Transform};

/// Xorshift (Marsaglia, 2003): the same numbers everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / 16_777_216.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f32) as usize).min(n - 1)
    }

    pub(crate) fn vec3(&mut self, reach: f32) -> Vec3 {
        let mut next = || (self.unit() * 2.0 - 1.0) * reach;
        Vec3::new(next(), next(), next())
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        loop {
            let mut next = || self.unit() * 2.0 - 1.0;
            let q = Quat::from_xyzw(next(), next(), next(), next());
            if q.length() > 0.1 {
                return q.normalize();
            }
        }
    }

    pub(crate) fn transform(&mut self, scaled: bool) -> Transform {
        Transform {
            translation: self.vec3(5.0),
            rotation: self.rotation(),
            scale: if scaled { Vec3::splat(1.5) + self.vec3(1.0) } else { Vec3::ONE },
        }
    }

    /// Parents anywhere before their children.
    pub(crate) fn rig(&mut self, joints: usize) -> (Skeleton, Rig) {
        let joints = (0..joints).map(|i| {
            let parent = (i > 0).then(|| JointId(self.below(i) as u32));
            let rest = DTransform { translation: self.vec3(1.0).as_dvec3(), ..DTransform::IDENTITY };
            Joint::new(format!("joint {i}"), parent, DTransform { scale: DVec3::ONE, ..rest })
        });
        let skeleton = Skeleton::numbered(joints.collect(), Vec::new()).unwrap();
        let rig = Rig::new(&skeleton).unwrap();
        (skeleton, rig)
    }

    pub(crate) fn pose(&mut self, rig: &Rig, scaled: bool) -> LocalPose {
        let mut pose = LocalPose::rest(rig);
        for slot in slots(rig) {
            pose.set(slot, &self.transform(scaled));
        }
        pose
    }

    /// A third of the joints each 0, 1 and between.
    pub(crate) fn mask(&mut self, rig: &Rig) -> JointMask {
        let mut weights: Vec<_> = (0..rig.len())
            .map(|joint| (JointId(joint as u32), [0.0, 1.0, self.unit()][self.below(3)]))
            .collect();
        weights[0].1 = 0.5;
        JointMask::from_weights(rig, &weights).unwrap()
    }
}

pub(crate) fn slots(rig: &Rig) -> impl Iterator<Item = Slot> + use<> {
    (0..rig.len() as u16).map(Slot)
}

/// Every bit of a joint.
pub(crate) fn bits(t: &Transform) -> [u32; 10] {
    let (p, q, s) = (t.translation, t.rotation, t.scale);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z].map(f32::to_bits)
}

/// Every bit of a pose, lanes past the last joint included.
pub(crate) fn all_bits(pose: &LocalPose) -> Vec<u32> {
    let groups = pose.groups().iter().flat_map(|g| g.rotation.iter().chain(&g.translation));
    groups.chain(pose.scales().iter().flat_map(|s| &s.scale)).flatten().map(|v| v.to_bits()).collect()
}
