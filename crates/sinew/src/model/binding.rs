//! Which joints a palette is made of.

use glam::{DAffine3, DMat4, Vec3};

use super::AffineRows;
use crate::{JointId, Rig, Skin, Slot, Transform};

/// One entry of a palette.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindJoint {
    /// The joint that moves the vertices.
    pub slot: Slot,
    /// From bound mesh space to the joint's space.
    pub inverse_bind: AffineRows,
    /// Where the joint was in bound mesh space, metres: compact palettes turn about it
    /// ([`CompactJoint`](super::CompactJoint)). Zero where the inverse bind matrix cannot be inverted.
    pub pivot: Vec3,
}

impl BindJoint {
    /// With the pivot that belongs to the inverse bind matrix.
    #[must_use]
    pub fn new(slot: Slot, inverse_bind: AffineRows) -> Self {
        let pivot = inverse_bind.to_affine().inverse().translation;
        let pivot = if pivot.is_finite() { Vec3::from(pivot) } else { Vec3::ZERO };
        Self { slot, inverse_bind, pivot }
    }
}

/// The entries of a palette: a [`Skin`] in the layout of a rig.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinBinding {
    rig_joints: usize,
    joints: Vec<BindJoint>,
    /// `[entry / 8][axis][entry % 8]`.
    pivots: Vec<[[f32; 8]; 3]>,
}

/// Why a binding cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BindError {
    /// A joint outside the rig.
    #[error("entry {entry} is bound to {joint}, the rig has {joints} joints")]
    NoSuchJoint {
        /// Position in the palette.
        entry: usize,
        /// What it names.
        joint: JointId,
        /// Joints of the rig.
        joints: usize,
    },
    /// A slot outside the rig.
    #[error("entry {entry} is bound to {slot}, the rig has {joints} joints")]
    NoSuchSlot {
        /// Position in the palette.
        entry: usize,
        /// What it names.
        slot: Slot,
        /// Joints of the rig.
        joints: usize,
    },
    /// An inverse bind matrix that is not finite in single precision.
    #[error("entry {entry} has an inverse bind matrix outside the range of single precision")]
    NotFinite {
        /// Position in the palette.
        entry: usize,
    },
    /// A level of detail leaves out a joint and everything above it.
    #[error("entry {entry} is bound to {joint}, which has no joint above it in the first {groups} groups")]
    LeftOut {
        /// Position in the palette.
        entry: usize,
        /// What it names.
        joint: JointId,
        /// Groups that are kept.
        groups: usize,
    },
}

impl SkinBinding {
    /// The joints of a skin, in the order that vertices refer to.
    ///
    /// # Errors
    /// [`BindError`] where a joint is not of the rig or a matrix is not finite.
    pub fn new(rig: &Rig, skin: &Skin) -> Result<Self, BindError> {
        Self::leading(rig, skin, usize::MAX)
    }

    /// The joints of a skin for a level of detail that computes the leading groups only
    /// ([`Rig::groups_with_reach`]): what hangs on a joint left out follows the nearest joint above that is
    /// kept, as if everything between stayed in rest pose. Costs nothing per frame.
    ///
    /// # Errors
    /// As [`SkinBinding::new`], and where a joint has nothing above it that is kept.
    pub fn leading(rig: &Rig, skin: &Skin, groups: usize) -> Result<Self, BindError> {
        let kept = groups.saturating_mul(8).min(rig.len());
        let mut joints = Vec::with_capacity(skin.joints.len());
        for (entry, &joint) in skin.joints.iter().enumerate() {
            if joint.index() >= rig.len() {
                return Err(BindError::NoSuchJoint { entry, joint, joints: rig.len() });
            }
            let mut slot = rig.slot(joint);
            let mut matrix = skin.inverse_bind.get(entry).copied().unwrap_or(DMat4::IDENTITY);
            while slot.index() >= kept {
                matrix = rest_matrix(rig, slot) * matrix;
                slot = rig.parents()[slot.index()].ok_or(BindError::LeftOut { entry, joint, groups })?;
            }
            let affine = DAffine3::from_mat4(matrix).as_affine3a();
            joints.push(BindJoint::new(slot, AffineRows::from_affine(&affine)));
        }
        Self::from_joints(rig, joints)
    }

    /// Entries by hand.
    ///
    /// # Errors
    /// [`BindError`] where a slot is not of the rig or a matrix is not finite.
    pub fn from_joints(rig: &Rig, joints: Vec<BindJoint>) -> Result<Self, BindError> {
        for (entry, joint) in joints.iter().enumerate() {
            if joint.slot.index() >= rig.len() {
                return Err(BindError::NoSuchSlot { entry, slot: joint.slot, joints: rig.len() });
            }
            if !joint.inverse_bind.rows.iter().flatten().all(|v| v.is_finite()) || !joint.pivot.is_finite() {
                return Err(BindError::NotFinite { entry });
            }
        }
        let mut pivots = vec![[[0.0; 8]; 3]; joints.len().div_ceil(8)];
        for (entry, joint) in joints.iter().enumerate() {
            for axis in 0..3 {
                pivots[entry / 8][axis][entry % 8] = joint.pivot[axis];
            }
        }
        Ok(Self { rig_joints: rig.len(), joints, pivots })
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// `[entry]`.
    #[must_use]
    pub fn joints(&self) -> &[BindJoint] {
        &self.joints
    }

    /// `[entry / 8][axis][entry % 8]`, for kernels.
    pub(super) fn pivots(&self) -> &[[[f32; 8]; 3]] {
        &self.pivots
    }

    /// Joints of the rig it is for.
    #[must_use]
    pub fn rig_joints(&self) -> usize {
        self.rig_joints
    }
}

/// Local, in double precision.
fn rest_matrix(rig: &Rig, slot: Slot) -> DMat4 {
    if let Some(matrix) = rig.fixed_matrix(slot) {
        return matrix;
    }
    let (group, lane) = (slot.index() / 8, slot.index() % 8);
    Transform::take(&rig.rest()[group], &rig.rest_scale()[group], lane).to_f64().to_matrix()
}
