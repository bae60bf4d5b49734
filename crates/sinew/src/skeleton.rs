//! Joints, their hierarchy and rest pose.

use core::fmt;
use core::ops::{BitOr, BitOrAssign, Range};

use glam::DMat4;

use crate::DTransform;

/// A joint of one [`Skeleton`], by its position there: parents come before children.
///
/// Not the node index of a file; [`Skeleton::joint_of_node`] and [`Joint::node`] translate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u32);

impl JointId {
    /// Position in arrays of shape `[joint]`.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for JointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "joint {}", self.0)
    }
}

/// What a joint is used for; several may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JointFlags(u8);

impl JointFlags {
    /// Named by a skin.
    pub const SKIN_JOINT: Self = Self(1);
    /// Target of a channel of some clip.
    pub const ANIMATED: Self = Self(2);
    /// Carries a mesh.
    pub const MESH: Self = Self(4);
    /// Marks the end of a chain; has no channels of its own (BVH End Site).
    pub const END_SITE: Self = Self(8);
    /// Carries a camera or a light.
    pub const VIEW: Self = Self(16);

    /// All of them.
    pub const ALL: Self = Self(31);

    /// As a number, for files: the same in every version.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// From [`JointFlags::bits`]; `None` where a bit means nothing.
    #[must_use]
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits & !Self::ALL.0 == 0).then_some(Self(bits))
    }

    /// Whether every flag of `other` is set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for JointFlags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for JointFlags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// One node of a rigged character.
///
/// Every node of a file is a joint here, so that ancestors that are no joints of a skin but move joints,
/// and nodes that only carry a mesh, take part in the hierarchy like the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// As in the file: may be missing, may repeat. Identity is the index, never the name.
    pub name: Option<String>,
    /// Comes earlier in [`Skeleton::joints`].
    pub parent: Option<JointId>,
    /// Pose where no clip says otherwise.
    pub rest: DTransform,
    /// Local matrix where translation, rotation and scale cannot carry it (shear, a vanishing axis).
    /// Such a joint is not animated; `rest` then holds the nearest transform for display.
    pub rest_matrix: Option<DMat4>,
    /// Index of the node in the file it came from.
    pub node: u32,
    /// What the joint is used for.
    pub flags: JointFlags,
    /// Where this joint's morph weights are in [`Skeleton::rest_weights`] and
    /// [`RawPose::weights`](crate::RawPose::weights); empty where there are none.
    pub weights: Range<usize>,
}

impl Joint {
    /// A joint with a name, a parent and a rest pose relative to it. Set [`Joint::node`] or build the skeleton
    /// with [`Skeleton::numbered`].
    #[must_use]
    pub fn new(name: impl Into<String>, parent: Option<JointId>, rest: DTransform) -> Self {
        Self {
            name: Some(name.into()),
            parent,
            rest,
            rest_matrix: None,
            node: 0,
            flags: JointFlags::default(),
            weights: 0..0,
        }
    }
}

/// Why a list of joints is no skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// A parent must stand before its children.
    #[error("joint {joint} has parent {parent}, expected a parent before it")]
    ParentNotBefore {
        /// The child.
        joint: usize,
        /// Its parent as given.
        parent: usize,
    },
    /// Two joints claim to be the same node of the file.
    #[error("joints {first} and {second} are both node {node}")]
    DuplicateNode {
        /// Earlier joint.
        first: usize,
        /// Later joint.
        second: usize,
        /// The node both name.
        node: u32,
    },
    /// A value of the rest pose is NaN or infinite.
    #[error("joint {joint} has a rest pose that is not finite")]
    NonFiniteRest {
        /// The joint.
        joint: usize,
    },
    /// A joint's morph weights lie outside the rest weights.
    #[error("joint {joint} has morph weights {start}..{end}, expected within 0..{len}")]
    WeightsOutOfRange {
        /// The joint.
        joint: usize,
        /// Start of its range.
        start: usize,
        /// End of its range.
        end: usize,
        /// Number of rest weights.
        len: usize,
    },
}

/// Joints in an order where parents come before children, with their rest pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    rest_weights: Vec<f64>,
    /// Node of the file and its joint, by node.
    joint_of_node: Vec<(u32, JointId)>,
}

impl Skeleton {
    /// Checks the order and builds the way back from the file's node indices.
    ///
    /// `rest_weights` holds the morph weights of all joints, each joint's at [`Joint::weights`].
    ///
    /// # Errors
    /// [`SkeletonError`] names the first joint that breaks a rule.
    pub fn new(joints: Vec<Joint>, rest_weights: Vec<f64>) -> Result<Self, SkeletonError> {
        for (i, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent
                && parent.index() >= i
            {
                return Err(SkeletonError::ParentNotBefore { joint: i, parent: parent.index() });
            }
            let rest = &joint.rest;
            let finite = rest.translation.is_finite() && rest.rotation.is_finite() && rest.scale.is_finite();
            if !finite || joint.rest_matrix.is_some_and(|m| !m.is_finite()) {
                return Err(SkeletonError::NonFiniteRest { joint: i });
            }
            let Range { start, end } = joint.weights;
            if start > end || end > rest_weights.len() {
                return Err(SkeletonError::WeightsOutOfRange {
                    joint: i,
                    start,
                    end,
                    len: rest_weights.len(),
                });
            }
        }
        // Sorted pairs: node indices come from files and may be of any size.
        let mut joint_of_node: Vec<(u32, JointId)> =
            joints.iter().enumerate().map(|(i, joint)| (joint.node, JointId(i as u32))).collect();
        joint_of_node.sort_unstable();
        if let Some(pair) = joint_of_node.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (first, second) = (pair[0].1.index(), pair[1].1.index());
            return Err(SkeletonError::DuplicateNode { first, second, node: pair[0].0 });
        }
        Ok(Self { joints, rest_weights, joint_of_node })
    }

    /// A skeleton that comes from no file: [`Joint::node`] becomes the joint's own position.
    ///
    /// # Errors
    /// As [`Skeleton::new`].
    pub fn numbered(mut joints: Vec<Joint>, rest_weights: Vec<f64>) -> Result<Self, SkeletonError> {
        for (node, joint) in joints.iter_mut().enumerate() {
            joint.node = node as u32;
        }
        Self::new(joints, rest_weights)
    }

    /// `[joint]`, parents before children.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there is no joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// One joint.
    ///
    /// # Panics
    /// Where `id` is not of this skeleton.
    #[must_use]
    pub fn joint(&self, id: JointId) -> &Joint {
        &self.joints[id.index()]
    }

    /// All joints with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (JointId, &Joint)> {
        self.joints.iter().enumerate().map(|(i, j)| (JointId(i as u32), j))
    }

    /// Morph weights of all joints at rest, each joint's at [`Joint::weights`].
    #[must_use]
    pub fn rest_weights(&self) -> &[f64] {
        &self.rest_weights
    }

    /// The joint made from a node of the file.
    #[must_use]
    pub fn joint_of_node(&self, node: u32) -> Option<JointId> {
        let at = self.joint_of_node.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        Some(self.joint_of_node[at].1)
    }

    /// The first joint with this name. Names may repeat; ask [`Skeleton::iter`] for all of them.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.iter().find(|(_, j)| j.name.as_deref() == Some(name)).map(|(id, _)| id)
    }

    /// A name to show: the joint's own, or `node 7` where it has none.
    #[must_use]
    pub fn label(&self, id: JointId) -> String {
        let joint = self.joint(id);
        joint.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("node {}", joint.node))
    }

    /// Children of each joint, `[joint]`.
    #[must_use]
    pub fn children(&self) -> Vec<Vec<JointId>> {
        let mut children = vec![Vec::new(); self.joints.len()];
        for (id, joint) in self.iter() {
            if let Some(parent) = joint.parent {
                children[parent.index()].push(id);
            }
        }
        children
    }

    /// Sets flags of a joint, keeping those it has.
    ///
    /// # Panics
    /// Where `id` is not of this skeleton.
    pub fn add_flags(&mut self, id: JointId, flags: JointFlags) {
        self.joints[id.index()].flags |= flags;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_before_its_parent_is_refused_by_number() {
        let joints = vec![Joint::new("child", Some(JointId(1)), DTransform::IDENTITY)];
        let error = Skeleton::new(joints, Vec::new()).unwrap_err();
        assert_eq!(error, SkeletonError::ParentNotBefore { joint: 0, parent: 1 });
    }

    #[test]
    fn duplicate_names_are_kept_apart_by_index() {
        let a = Joint { node: 4, ..Joint::new("bone", None, DTransform::IDENTITY) };
        let b = Joint { node: 2, ..Joint::new("bone", Some(JointId(0)), DTransform::IDENTITY) };
        let skeleton = Skeleton::new(vec![a, b], Vec::new()).unwrap();
        assert_eq!(skeleton.find("bone"), Some(JointId(0)));
        assert_eq!(skeleton.joint_of_node(2), Some(JointId(1)));
        assert_eq!(skeleton.joint_of_node(3), None);
    }

    #[test]
    fn two_joints_of_one_node_are_refused() {
        let joint = Joint::new("a", None, DTransform::IDENTITY);
        let error = Skeleton::new(vec![joint.clone(), joint], Vec::new()).unwrap_err();
        assert_eq!(error, SkeletonError::DuplicateNode { first: 0, second: 1, node: 0 });
    }

    #[test]
    fn a_huge_node_number_costs_no_memory() {
        let joint = Joint { node: u32::MAX, ..Joint::new("far", None, DTransform::IDENTITY) };
        let skeleton = Skeleton::new(vec![joint], Vec::new()).unwrap();
        assert_eq!(skeleton.joint_of_node(u32::MAX), Some(JointId(0)));
    }
}
