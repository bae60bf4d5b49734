//! A skeleton laid out for the frame loop.

use core::fmt;

use glam::DMat4;

use crate::{AffineRows, DTransform, JointId, PoseGroup, ScaleGroup, Skeleton, Transform};

/// Distance from a joint at which a vertex is assumed, metres: the shell that errors are measured on.
pub const SHELL: f32 = 0.03;

/// Most joints a rig can have: parents are 16 bits.
const MAX_JOINTS: usize = u16::MAX as usize;

/// Where a joint is in runtime poses: group `index / 8`, lane `index % 8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u16);

impl Slot {
    /// Position in arrays of shape `[slot]`.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "slot {}", self.0)
    }
}

/// Why a skeleton cannot be laid out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigError {
    /// Too many joints for 16-bit parents.
    #[error("{joints} joints, at most {MAX_JOINTS} are supported")]
    TooManyJoints {
        /// Joints there are.
        joints: usize,
    },
    /// A value of the rest pose does not fit single precision.
    #[error("{joint} has a rest pose outside the range of single precision")]
    RestOutOfRange {
        /// The joint.
        joint: JointId,
    },
}

/// A skeleton laid out for the frame loop: joints sorted by reach, in groups of eight, parents before children.
///
/// The reach of a joint is the distance from it to the farthest vertex that it can move: over its joints below
/// in rest pose, plus [`SHELL`]. What moves most comes first, so any number of leading groups is a level of
/// detail, and neighbours in a group need similar precision. A parent always reaches at least as far as its
/// children.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    joint_of_slot: Vec<JointId>,
    slot_of_joint: Vec<Slot>,
    parents: Vec<Option<Slot>>,
    rest: Vec<PoseGroup>,
    rest_scale: Vec<ScaleGroup>,
    scaled: bool,
    fixed: Vec<(Slot, [[f32; 4]; 3])>,
    reach: Vec<f32>,
    layout: u32,
}

impl Rig {
    /// Lays out a skeleton.
    ///
    /// # Errors
    /// [`RigError`] where it has too many joints or a rest pose beyond single precision.
    pub fn new(skeleton: &Skeleton) -> Result<Self, RigError> {
        let joints = skeleton.joints();
        if joints.len() > MAX_JOINTS {
            return Err(RigError::TooManyJoints { joints: joints.len() });
        }
        let reach = reach(skeleton);
        let mut joint_of_slot: Vec<JointId> = skeleton.iter().map(|(id, _)| id).collect();
        // Stable: of equal reach, the parent (which comes earlier) stays first.
        joint_of_slot.sort_by(|a, b| reach[b.index()].total_cmp(&reach[a.index()]));
        let mut slot_of_joint = vec![Slot(0); joints.len()];
        for (slot, joint) in joint_of_slot.iter().enumerate() {
            slot_of_joint[joint.index()] = Slot(slot as u16);
        }
        let groups = joints.len().div_ceil(8);
        let mut rig = Self {
            parents: joint_of_slot
                .iter()
                .map(|j| skeleton.joint(*j).parent.map(|p| slot_of_joint[p.index()]))
                .collect(),
            reach: joint_of_slot.iter().map(|j| reach[j.index()] as f32).collect(),
            joint_of_slot,
            slot_of_joint,
            rest: vec![PoseGroup::IDENTITY; groups],
            rest_scale: vec![ScaleGroup::ONE; groups],
            scaled: false,
            fixed: Vec::new(),
            layout: 0,
        };
        for slot in 0..joints.len() {
            let id = rig.joint_of_slot[slot];
            let joint = skeleton.joint(id);
            let rest = Transform::from(joint.rest);
            let matrix = joint.rest_matrix.map(|m| {
                let rows = m.transpose().to_cols_array_2d();
                [0, 1, 2].map(|row| rows[row].map(|v| v as f32))
            });
            let finite = rest.is_finite() && matrix.is_none_or(|m| m.iter().flatten().all(|v| v.is_finite()));
            if !finite {
                return Err(RigError::RestOutOfRange { joint: id });
            }
            let (group, lane) = (slot / 8, slot % 8);
            rest.put(&mut rig.rest[group], &mut rig.rest_scale[group], lane);
            rig.scaled |= rest.scale != glam::Vec3::ONE;
            if let Some(matrix) = matrix {
                rig.fixed.push((Slot(slot as u16), matrix));
            }
        }
        rig.layout = rig.hash();
        Ok(rig)
    }

    /// FNV-1a of all that a clip built for the rig takes for granted, folded to 32 bits.
    fn hash(&self) -> u32 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |word: u32| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for slot in 0..self.len() {
            let (group, lane) = (slot / 8, slot % 8);
            let rest = Transform::take(&self.rest[group], &self.rest_scale[group], lane);
            add(self.joint_of_slot[slot].0);
            add(self.parents[slot].map_or(u32::MAX, |parent| parent.0.into()));
            let (t, r, s) = (rest.translation, rest.rotation, rest.scale);
            for v in [t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z] {
                // Both zeros are one rest.
                add((v + 0.0).to_bits());
            }
        }
        for (slot, rows) in &self.fixed {
            add(slot.0.into());
            rows.iter().flatten().for_each(|v| add((v + 0.0).to_bits()));
        }
        (hash ^ (hash >> 32)) as u32
    }

    /// A number that two rigs share where a clip of one plays on the other: the same joints in the same order, the
    /// same parents and the same rest pose. Names do not count. Different rigs have the same number by chance once in
    /// 4 billion.
    #[must_use]
    pub fn layout(&self) -> u32 {
        self.layout
    }

    /// Number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joint_of_slot.len()
    }

    /// Whether there is no joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joint_of_slot.is_empty()
    }

    /// Number of groups of eight.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.rest.len()
    }

    /// Where a joint of the skeleton is.
    ///
    /// # Panics
    /// Where `joint` is not of the skeleton.
    #[must_use]
    pub fn slot(&self, joint: JointId) -> Slot {
        self.slot_of_joint[joint.index()]
    }

    /// Which joint of the skeleton a slot holds.
    ///
    /// # Panics
    /// Where `slot` is not below [`Rig::len`].
    #[must_use]
    pub fn joint(&self, slot: Slot) -> JointId {
        self.joint_of_slot[slot.index()]
    }

    /// `[slot]`: the parent, always in an earlier slot.
    #[must_use]
    pub fn parents(&self) -> &[Option<Slot>] {
        &self.parents
    }

    /// Rest rotation and translation, `[group]`.
    #[must_use]
    pub fn rest(&self) -> &[PoseGroup] {
        &self.rest
    }

    /// Rest scale, `[group]`.
    #[must_use]
    pub fn rest_scale(&self) -> &[ScaleGroup] {
        &self.rest_scale
    }

    /// Whether some joint has a rest scale other than one.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        self.scaled
    }

    /// Joints whose local matrix is fixed because no transform can carry it
    /// ([`Joint::rest_matrix`](crate::Joint::rest_matrix)): rows of 3x4, increasing slots.
    #[must_use]
    pub fn fixed(&self) -> &[(Slot, [[f32; 4]; 3])] {
        &self.fixed
    }

    /// The fixed matrix of a joint that has one, in double precision.
    pub(crate) fn fixed_matrix(&self, slot: Slot) -> Option<DMat4> {
        let at = self.fixed.binary_search_by_key(&slot, |(fixed, _)| *fixed).ok()?;
        Some(DMat4::from(AffineRows { rows: self.fixed[at].1 }.to_affine().as_daffine3()))
    }

    /// `[slot]`: how far from the joint a vertex can be that it moves, metres in rest pose; never increasing.
    #[must_use]
    pub fn reach(&self) -> &[f32] {
        &self.reach
    }

    /// Leading groups that hold every joint with a reach above `metres`: a level of detail.
    #[must_use]
    pub fn groups_with_reach(&self, metres: f32) -> usize {
        self.reach.partition_point(|r| *r > metres).div_ceil(8)
    }
}

/// `[joint]`, metres in model space at rest.
fn reach(skeleton: &Skeleton) -> Vec<f64> {
    let (mut pose, mut model_ms) = (crate::RawPose::default(), Vec::new());
    pose.reset(skeleton);
    crate::model_matrices(skeleton, &pose, &mut model_ms);
    let mut reach = vec![f64::from(SHELL); skeleton.len()];
    for (i, joint) in skeleton.joints().iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            let bone = (model_ms[i].w_axis - model_ms[parent.index()].w_axis).truncate().length();
            let through = bone + reach[i];
            // Also where a length is not finite, so that a parent never sorts after its child.
            if !(through <= reach[parent.index()]) {
                reach[parent.index()] = through;
            }
        }
    }
    reach
}

impl From<DTransform> for Transform {
    fn from(t: DTransform) -> Self {
        Self {
            translation: t.translation.as_vec3(),
            rotation: t.rotation.as_quat(),
            scale: t.scale.as_vec3(),
        }
    }
}
