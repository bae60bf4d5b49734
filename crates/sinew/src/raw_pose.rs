//! The pose of a whole skeleton, exact, as sampled from a [`RawClip`](crate::RawClip).

use glam::DMat4;

use crate::{DTransform, Skeleton};

/// Local transforms and morph weights of every joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawPose {
    /// `[joint]`, each relative to its parent.
    pub local: Vec<DTransform>,
    /// Morph weights of all joints, each joint's at [`Joint::weights`](crate::Joint::weights).
    pub weights: Vec<f64>,
}

impl RawPose {
    /// The rest pose.
    #[must_use]
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self::default();
        pose.reset(skeleton);
        pose
    }

    /// Takes over another pose; allocates only where the size grows.
    pub fn copy_from(&mut self, other: &Self) {
        self.local.clone_from(&other.local);
        self.weights.clone_from(&other.weights);
    }

    /// Back to the rest pose; allocates only where the size grows.
    pub fn reset(&mut self, skeleton: &Skeleton) {
        self.local.clear();
        self.local.extend(skeleton.joints().iter().map(|j| j.rest));
        self.weights.clear();
        self.weights.extend_from_slice(skeleton.rest_weights());
    }
}

/// Model-space matrices of all joints, `[joint]`: each parent's matrix times the joint's own, as glTF 2.0
/// multiplies them, so that shear from non-uniform scale is kept.
///
/// # Panics
/// Where the pose has fewer joints than the skeleton.
pub fn model_matrices(skeleton: &Skeleton, pose: &RawPose, model_ms: &mut Vec<DMat4>) {
    model_ms.clear();
    for (i, joint) in skeleton.joints().iter().enumerate() {
        let local = joint.rest_matrix.unwrap_or_else(|| pose.local[i].to_matrix());
        let world = match joint.parent {
            Some(parent) => model_ms[parent.index()] * local,
            None => local,
        };
        model_ms.push(world);
    }
}
