//! How much of each joint a layer may move.

use crate::{JointId, Rig, Skeleton, Slot};

/// A weight for each joint, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMask {
    joints: usize,
    groups: Vec<[f32; 8]>,
}

/// Why a mask cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaskError {
    /// A mask that moves nothing is a mistake.
    #[error("the mask names no joint, expected at least one with a weight above 0")]
    Empty,
    /// No joint has this name.
    #[error("no joint is named {name:?}")]
    NoSuchJoint {
        /// The name asked for.
        name: String,
    },
    /// A joint outside the skeleton.
    #[error("{joint} in the mask, the rig has {joints}")]
    OutOfRange {
        /// The joint.
        joint: JointId,
        /// Joints there are.
        joints: usize,
    },
    /// A weight is not within 0 to 1.
    #[error("{joint} has weight {weight} in the mask, expected 0 to 1")]
    Weight {
        /// The joint.
        joint: JointId,
        /// Its weight.
        weight: f32,
    },
}

impl JointMask {
    /// Weights by joint; joints not named get 0. Of a joint named twice the last weight counts.
    ///
    /// # Errors
    /// [`MaskError`] where nothing is named, or a joint or a weight is out of range.
    pub fn from_weights(rig: &Rig, weights: &[(JointId, f32)]) -> Result<Self, MaskError> {
        let mut groups = vec![[0.0; 8]; rig.groups()];
        for &(joint, weight) in weights {
            if joint.index() >= rig.len() {
                return Err(MaskError::OutOfRange { joint, joints: rig.len() });
            }
            if !(0.0..=1.0).contains(&weight) {
                return Err(MaskError::Weight { joint, weight });
            }
            let slot = rig.slot(joint).index();
            groups[slot / 8][slot % 8] = weight;
        }
        if groups.iter().flatten().all(|w| *w == 0.0) {
            return Err(MaskError::Empty);
        }
        Ok(Self { joints: rig.len(), groups })
    }

    /// A joint and everything below it at weight 1, the rest 0.
    ///
    /// # Errors
    /// [`MaskError`] where the joint is not of the skeleton.
    pub fn from_root(rig: &Rig, skeleton: &Skeleton, root: JointId) -> Result<Self, MaskError> {
        let mut inside = vec![false; skeleton.len()];
        let mut weights = Vec::new();
        if root.index() >= skeleton.len() {
            return Err(MaskError::OutOfRange { joint: root, joints: skeleton.len() });
        }
        for (id, joint) in skeleton.iter() {
            inside[id.index()] = id == root || joint.parent.is_some_and(|p| inside[p.index()]);
            if inside[id.index()] {
                weights.push((id, 1.0));
            }
        }
        Self::from_weights(rig, &weights)
    }

    /// Joints by name at weight 1, the rest 0; where a name repeats, every joint of that name.
    ///
    /// # Errors
    /// [`MaskError`] names the first name that no joint has.
    pub fn from_names(rig: &Rig, skeleton: &Skeleton, names: &[&str]) -> Result<Self, MaskError> {
        let mut weights = Vec::new();
        for name in names {
            let before = weights.len();
            weights.extend(
                skeleton.iter().filter(|(_, j)| j.name.as_deref() == Some(name)).map(|(id, _)| (id, 1.0)),
            );
            if weights.len() == before {
                return Err(MaskError::NoSuchJoint { name: (*name).to_owned() });
            }
        }
        Self::from_weights(rig, &weights)
    }

    /// Number of joints.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// The weight of a joint.
    ///
    /// # Panics
    /// Where `slot` is not of the rig.
    #[must_use]
    pub fn get(&self, slot: Slot) -> f32 {
        assert!(slot.index() < self.joints, "{slot} of a mask of {} joints", self.joints);
        self.groups[slot.index() / 8][slot.index() % 8]
    }

    /// `[group][lane]`; lanes past the last joint are 0.
    #[must_use]
    pub fn groups(&self) -> &[[f32; 8]] {
        &self.groups
    }
}
