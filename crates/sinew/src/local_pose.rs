//! Local transforms of a whole rig, as the frame loop keeps them.

use glam::{Quat, Vec3};

use crate::{DTransform, PoseGroup, RawPose, Rig, ScaleGroup, Skeleton, Slot};

/// Translation (metres), rotation (unit quaternion) and scale of a joint relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Metres, in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion, XYZW.
    pub rotation: Quat,
    /// Per axis, applied first.
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// No translation, no rotation, scale one.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    pub(crate) fn to_f64(self) -> DTransform {
        DTransform {
            translation: self.translation.as_dvec3(),
            rotation: self.rotation.as_dquat(),
            scale: self.scale.as_dvec3(),
        }
    }

    /// One lane of a group.
    #[inline]
    pub(crate) fn take(group: &PoseGroup, scale: &ScaleGroup, lane: usize) -> Self {
        let (r, t, s) = (&group.rotation, &group.translation, &scale.scale);
        Self {
            translation: Vec3::new(t[0][lane], t[1][lane], t[2][lane]),
            rotation: Quat::from_xyzw(r[0][lane], r[1][lane], r[2][lane], r[3][lane]),
            scale: Vec3::new(s[0][lane], s[1][lane], s[2][lane]),
        }
    }

    /// Into one lane of a group.
    #[inline]
    pub(crate) fn put(&self, group: &mut PoseGroup, scale: &mut ScaleGroup, lane: usize) {
        for (axis, v) in self.rotation.to_array().into_iter().enumerate() {
            group.rotation[axis][lane] = v;
        }
        for axis in 0..3 {
            group.translation[axis][lane] = self.translation[axis];
            scale.scale[axis][lane] = self.scale[axis];
        }
    }
}

/// Local transforms of every joint of a rig: groups of eight joints, scale only where something uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPose {
    joints: usize,
    groups: Vec<PoseGroup>,
    scales: Vec<ScaleGroup>,
    scaled: bool,
}

impl LocalPose {
    /// The rest pose. The only place where a pose allocates.
    #[must_use]
    pub fn rest(rig: &Rig) -> Self {
        Self {
            joints: rig.len(),
            groups: rig.rest().to_vec(),
            scales: rig.rest_scale().to_vec(),
            scaled: rig.is_scaled(),
        }
    }

    /// A pose of the exact evaluator in the rig's layout, rounded to single precision. Morph weights stay behind.
    ///
    /// # Panics
    /// Where `pose` does not have the rig's joints.
    #[must_use]
    pub fn from_raw(rig: &Rig, pose: &RawPose) -> Self {
        let mut this = Self::rest(rig);
        for slot in (0..rig.len()).map(|s| Slot(s as u16)) {
            this.set(slot, &pose.local[rig.joint(slot).index()].into());
        }
        this
    }

    /// Back in the skeleton's order and double precision. Morph weights are those of the rest pose.
    #[must_use]
    pub fn to_raw(&self, rig: &Rig, skeleton: &Skeleton) -> RawPose {
        let mut raw = RawPose::rest(skeleton);
        for slot in (0..self.joints).map(|s| Slot(s as u16)) {
            raw.local[rig.joint(slot).index()] = self.get(slot).to_f64();
        }
        raw
    }

    /// Number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints
    }

    /// Whether there is no joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints == 0
    }

    /// Rotation and translation, `[group]`.
    #[must_use]
    pub fn groups(&self) -> &[PoseGroup] {
        &self.groups
    }

    /// Rotation and translation, `[group]`, to write.
    #[must_use]
    pub fn groups_mut(&mut self) -> &mut [PoseGroup] {
        &mut self.groups
    }

    /// Scale, `[group]`; all ones where [`LocalPose::is_scaled`] is false.
    #[must_use]
    pub fn scales(&self) -> &[ScaleGroup] {
        &self.scales
    }

    /// Whether some scale may differ from one. Where not, kernels skip scale.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        self.scaled
    }

    /// One joint.
    ///
    /// # Panics
    /// Where `slot` is not below [`LocalPose::len`].
    #[must_use]
    pub fn get(&self, slot: Slot) -> Transform {
        assert!(slot.index() < self.joints, "{slot} of a pose of {} joints", self.joints);
        let (group, lane) = (slot.index() / 8, slot.index() % 8);
        Transform::take(&self.groups[group], &self.scales[group], lane)
    }

    /// Sets one joint.
    ///
    /// # Panics
    /// Where `slot` is not below [`LocalPose::len`].
    pub fn set(&mut self, slot: Slot, transform: &Transform) {
        assert!(slot.index() < self.joints, "{slot} of a pose of {} joints", self.joints);
        let (group, lane) = (slot.index() / 8, slot.index() % 8);
        transform.put(&mut self.groups[group], &mut self.scales[group], lane);
        self.scaled |= transform.scale != Vec3::ONE;
    }

    /// Takes over another pose of the same rig; allocates only where the size grows.
    pub fn copy_from(&mut self, other: &Self) {
        self.joints = other.joints;
        self.groups.clone_from(&other.groups);
        self.scales.clone_from(&other.scales);
        self.scaled = other.scaled;
    }

    /// Everything at once, for kernels: groups, scales. Makes the pose scaled or not; one that is not any more
    /// gets its ones back.
    pub(crate) fn parts_mut(&mut self, scaled: bool) -> (&mut [PoseGroup], &mut [ScaleGroup]) {
        if self.scaled && !scaled {
            self.scales.fill(ScaleGroup::ONE);
        }
        self.scaled = scaled;
        (&mut self.groups, &mut self.scales)
    }
}
