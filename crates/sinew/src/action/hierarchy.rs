//! Subtrees by walking parents, and transforms taken apart and put together along them.
//!
//! A child is `p_parent + rotate(q_parent, s_parent * p_local)`, `q_parent * q_local`, `s_parent * s_local`
//! ([`DTransform::mul_transform`]); [`local_of`] is the way back. Shear has no place in either.

use glam::DQuat;

use crate::{DTransform, JointId, Skeleton};

/// Why a hierarchy cannot be walked or rebuilt.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HierarchyError {
    /// A bone that is asked for is not there.
    #[error("there is no bone {name:?} among {bones}")]
    NoBone {
        /// The name asked for.
        name: String,
        /// Bones there are.
        bones: usize,
    },
    /// A name that must tell one bone tells several.
    #[error("bones {first} and {second} are both named {name:?}")]
    RepeatedName {
        /// The name.
        name: String,
        /// The first bone of that name.
        first: usize,
        /// The second.
        second: usize,
    },
    /// The root asked for is not in the list.
    #[error("the root is bone {root}, there are {bones}")]
    NoRoot {
        /// The root asked for.
        root: usize,
        /// Bones there are.
        bones: usize,
    },
    /// A parent is not in the list.
    #[error("bone {bone} has parent {parent}, there are {bones} bones")]
    NoParent {
        /// The bone.
        bone: usize,
        /// Its parent.
        parent: usize,
        /// Bones there are.
        bones: usize,
    },
    /// Walking up from a bone never ends.
    #[error("the parents of bone {bone} go round in a circle")]
    Cycle {
        /// The bone.
        bone: usize,
    },
    /// Bones wait for parents that never come.
    #[error("{waiting} bones wait for a parent that is not there, bone {first} first")]
    Pending {
        /// How many.
        waiting: usize,
        /// The first of them.
        first: usize,
    },
    /// A bone that must stay as it is hangs below the root.
    #[error("bone {bone:?} is in the subtree of {root:?}, where it must not be")]
    Forbidden {
        /// The bone.
        bone: String,
        /// The root.
        root: String,
    },
    /// A list is not as long as the hierarchy.
    #[error("{what} for {found} bones, the hierarchy has {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Bones there are.
        expected: usize,
    },
    /// A scale that cannot be divided by.
    #[error("bone {bone} has scale {scale} along axis {axis}, expected anything but 0")]
    ZeroScale {
        /// The bone.
        bone: usize,
        /// 0, 1, 2 for X, Y, Z.
        axis: usize,
        /// The scale.
        scale: f64,
    },
    /// Something that has no transform relative to a bone.
    #[error("what is below bone {bone} is not finite relative to it, or is no transform itself")]
    NoLocal {
        /// The bone.
        bone: usize,
    },
    /// A joint that must not be in the subtree is none.
    #[error("bone {bone} must not be in the subtree, and is not among the {bones} there are")]
    NoForbidden {
        /// The bone.
        bone: usize,
        /// Bones there are.
        bones: usize,
    },
    /// A transform that is none.
    #[error("the transform of bone {bone} is not finite or its rotation is not of unit length")]
    NotATransform {
        /// The bone.
        bone: usize,
    },
}

/// The bones whose parents lead up to `root`, itself included, in the order of the list. Parents may stand
/// anywhere in it.
///
/// # Errors
/// [`HierarchyError`] where the root or a parent is not in the list, or parents go round in a circle.
pub fn walk_subtree(parents: &[Option<usize>], root: usize) -> Result<Vec<usize>, HierarchyError> {
    let bones = parents.len();
    if root >= bones {
        return Err(HierarchyError::NoRoot { root, bones });
    }
    // Each bone is walked over once: whether it is inside is known from then on.
    let mut known: Vec<Option<bool>> = vec![None; bones];
    let mut on_the_way = vec![false; bones];
    let mut way = Vec::new();
    for bone in 0..bones {
        let mut at = bone;
        while known[at].is_none() {
            if on_the_way[at] {
                return Err(HierarchyError::Cycle { bone });
            }
            on_the_way[at] = true;
            way.push(at);
            let Some(parent) = parents[at] else { break };
            if parent >= bones {
                return Err(HierarchyError::NoParent { bone: at, parent, bones });
            }
            at = parent;
        }
        let mut above = known[at] == Some(true);
        for at in way.drain(..).rev() {
            above |= at == root;
            known[at] = Some(above);
        }
    }
    Ok((0..bones).filter(|bone| known[*bone] == Some(true)).collect())
}

/// Fills in the model-space transforms that are `None`, each as its parent becomes available; those that are
/// given stay. A bone without a parent is its own local transform.
///
/// # Errors
/// [`HierarchyError::Pending`] where bones are left whose parents never become available, as in a circle;
/// [`HierarchyError::Length`] and [`HierarchyError::NoParent`] for lists that do not fit. The output is then
/// as it was.
pub fn rebuild(
    parents: &[Option<usize>],
    locals: &[DTransform],
    model_ms: &mut [Option<DTransform>],
) -> Result<(), HierarchyError> {
    let bones = parents.len();
    for (what, found) in [("local transforms", locals.len()), ("model transforms", model_ms.len())] {
        if found != bones {
            return Err(HierarchyError::Length { what, found, expected: bones });
        }
    }
    if let Some((bone, parent)) =
        parents.iter().enumerate().find_map(|(b, p)| Some((b, (*p)?))).filter(|(_, parent)| *parent >= bones)
    {
        return Err(HierarchyError::NoParent { bone, parent, bones });
    }
    let mut known = model_ms.to_vec();
    // Each bone is walked over once, up to one that is known; `seen` also holds those that never are.
    let mut seen: Vec<bool> = known.iter().map(Option::is_some).collect();
    let mut way = Vec::new();
    for bone in 0..bones {
        let mut next = Some(bone);
        while let Some(at) = next.filter(|at| !seen[*at]) {
            seen[at] = true;
            way.push(at);
            next = parents[at];
        }
        let mut above = next.map(|at| known[at]);
        for at in way.drain(..).rev() {
            known[at] = match above {
                None => Some(locals[at]),
                Some(parent) => parent.map(|parent| parent.mul_transform(&locals[at])),
            };
            above = Some(known[at]);
        }
    }
    if let Some(first) = known.iter().position(Option::is_none) {
        let waiting = known.iter().filter(|bone| bone.is_none()).count();
        return Err(HierarchyError::Pending { waiting, first });
    }
    model_ms.copy_from_slice(&known);
    Ok(())
}

/// The transform of a child relative to its parent, from both in one space: the inverse of
/// [`DTransform::mul_transform`]. `bone` is the parent's number, for the message.
///
/// # Errors
/// [`HierarchyError::ZeroScale`] where the parent's scale cannot be divided by,
/// [`HierarchyError::NotATransform`] where the parent is not finite, [`HierarchyError::NoLocal`] where the child
/// is not, or is not relative to so small a scale.
pub fn local_of(parent: &DTransform, child: &DTransform, bone: usize) -> Result<DTransform, HierarchyError> {
    check_transform(parent, bone)?;
    let back = parent.rotation.conjugate();
    let local = DTransform {
        translation: back * (child.translation - parent.translation) / parent.scale,
        rotation: (back * child.rotation).normalize(),
        scale: child.scale / parent.scale,
    };
    let fine = is_unit(child.rotation) && local.translation.is_finite() && local.scale.is_finite();
    fine.then_some(local).ok_or(HierarchyError::NoLocal { bone })
}

/// Written so that NaN is none.
fn is_unit(rotation: DQuat) -> bool {
    (rotation.length() - 1.0).abs() <= 1e-6
}

pub(super) fn check_transform(transform: &DTransform, bone: usize) -> Result<(), HierarchyError> {
    let DTransform { translation, rotation, scale } = transform;
    if !(translation.is_finite() && scale.is_finite() && is_unit(*rotation)) {
        return Err(HierarchyError::NotATransform { bone });
    }
    match (0..3).find(|axis| scale[*axis].abs() < f64::MIN_POSITIVE) {
        Some(axis) => Err(HierarchyError::ZeroScale { bone, axis, scale: scale[axis] }),
        None => Ok(()),
    }
}

/// The one joint of a name.
///
/// # Errors
/// [`HierarchyError::NoBone`] where there is none, [`HierarchyError::RepeatedName`] where there are several.
pub fn find_one(skeleton: &Skeleton, name: &str) -> Result<JointId, HierarchyError> {
    let mut found = skeleton.iter().filter(|(_, joint)| joint.name.as_deref() == Some(name));
    match (found.next(), found.next()) {
        (None, _) => Err(HierarchyError::NoBone { name: name.to_owned(), bones: skeleton.len() }),
        (Some((id, _)), None) => Ok(id),
        (Some((first, _)), Some((second, _))) => Err(HierarchyError::RepeatedName {
            name: name.to_owned(),
            first: first.index(),
            second: second.index(),
        }),
    }
}

/// A head and everything that hangs from it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadSubtree {
    root: JointId,
    joints: Vec<JointId>,
    inside: Vec<bool>,
}

impl HeadSubtree {
    /// The subtree of the bone named `head_bone`, which must not contain any of `forbidden`: legs and feet.
    ///
    /// # Errors
    /// [`HierarchyError`] where the bone is not there or not the only one of its name, or names the first
    /// forbidden joint that is inside or no joint of the skeleton.
    pub fn new(skeleton: &Skeleton, head_bone: &str, forbidden: &[JointId]) -> Result<Self, HierarchyError> {
        let root = find_one(skeleton, head_bone)?;
        if let Some(joint) = forbidden.iter().find(|joint| joint.index() >= skeleton.len()) {
            return Err(HierarchyError::NoForbidden { bone: joint.index(), bones: skeleton.len() });
        }
        let parents: Vec<_> = skeleton.joints().iter().map(|j| j.parent.map(JointId::index)).collect();
        let walked = walk_subtree(&parents, root.index())?;
        let mut inside = vec![false; skeleton.len()];
        walked.iter().for_each(|bone| inside[*bone] = true);
        let joints = walked.into_iter().map(|bone| JointId(bone as u32)).collect();
        let this = Self { root, joints, inside };
        match forbidden.iter().find(|joint| this.contains(**joint)) {
            Some(&joint) => {
                Err(HierarchyError::Forbidden { bone: skeleton.label(joint), root: head_bone.to_owned() })
            }
            None => Ok(this),
        }
    }

    /// The head.
    #[must_use]
    pub fn root(&self) -> JointId {
        self.root
    }

    /// The head and all below it, parents before children.
    #[must_use]
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// Joints of the whole skeleton.
    #[must_use]
    pub fn skeleton_len(&self) -> usize {
        self.inside.len()
    }

    /// Whether a joint is the head or below it.
    #[must_use]
    pub fn contains(&self, joint: JointId) -> bool {
        self.inside.get(joint.index()).copied().unwrap_or(false)
    }
}
