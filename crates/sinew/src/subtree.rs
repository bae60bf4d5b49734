//! Overrides of a subtree: the local transforms of a joint and everything below it, replaced or blended.

use crate::accumulate::{Accumulator, Joints};
use crate::wide::{Floats, Simd, dispatch};
use crate::{Backend, JointMask, LocalPose, PoseGroup, Rig, ScaleGroup, Slot, Transform};

/// A joint and everything below it, laid out for [`SubtreeJob`]; made once for a rig.
#[derive(Clone, Debug, PartialEq)]
pub struct Subtree {
    root: Slot,
    joints: usize,
    /// Groups that hold joints of the subtree, with their weights; 0 outside.
    groups: Vec<(u16, [f32; 8])>,
    /// Increasing.
    slots: Vec<Slot>,
}

/// Why a subtree cannot be laid out or overridden.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SubtreeError {
    /// The root is not there.
    #[error("the root of the subtree is {root}, the rig has {joints} joints")]
    NoRoot {
        /// The root asked for.
        root: Slot,
        /// Joints there are.
        joints: usize,
    },
    /// A mask is of another rig.
    #[error("the mask has {found} joints, the rig has {expected}")]
    Mask {
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// The mask leaves nothing of the subtree.
    #[error("the mask leaves no joint of the subtree below {root}")]
    Empty {
        /// The root.
        root: Slot,
    },
    /// A joint that must stay as it is hangs below the root.
    #[error("{slot} is in the subtree below {root}, where it must not be")]
    Forbidden {
        /// The joint.
        slot: Slot,
        /// The root.
        root: Slot,
    },
    /// The output is of another rig.
    #[error("the output has {found} joints, the rig of the subtree {expected}")]
    Output {
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// The source is of another rig.
    #[error("the source has {found} joints, the rig of the subtree {expected}")]
    Source {
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// A transform for a joint outside the subtree, or one that its mask leaves out.
    #[error("a transform for {slot}, which is not in the subtree below {root}")]
    Outside {
        /// The joint.
        slot: Slot,
        /// The root.
        root: Slot,
    },
    /// A transform that is no transform.
    #[error("the transform for {slot} is not finite")]
    NotFinite {
        /// The joint.
        slot: Slot,
    },
    /// The weight is out of range or no number.
    #[error("weight {weight}, expected 0 to 1")]
    Weight {
        /// The weight.
        weight: f32,
    },
}

impl Subtree {
    /// A joint and everything below it, found by walking parents.
    ///
    /// # Errors
    /// [`SubtreeError::NoRoot`] where the rig does not have the root.
    pub fn new(rig: &Rig, root: Slot) -> Result<Self, SubtreeError> {
        if root.index() >= rig.len() {
            return Err(SubtreeError::NoRoot { root, joints: rig.len() });
        }
        let mut inside = vec![false; rig.len()];
        for (slot, parent) in rig.parents().iter().enumerate() {
            inside[slot] = slot == root.index() || parent.is_some_and(|p| inside[p.index()]);
        }
        Ok(Self::from_weights(root, rig.len(), |slot| f32::from(u8::from(inside[slot]))))
    }

    /// Only as far as the mask says: its weights are multiplied with the job's.
    ///
    /// # Errors
    /// [`SubtreeError::Mask`] where the mask is of another rig, [`SubtreeError::Empty`] where nothing is left.
    pub fn masked(self, mask: &JointMask) -> Result<Self, SubtreeError> {
        if mask.joints() != self.joints {
            return Err(SubtreeError::Mask { found: mask.joints(), expected: self.joints });
        }
        let root = self.root;
        let weight = |slot: usize| self.weight(Slot(slot as u16)) * mask.get(Slot(slot as u16));
        let this = Self::from_weights(root, self.joints, weight);
        if this.slots.is_empty() { Err(SubtreeError::Empty { root }) } else { Ok(this) }
    }

    fn from_weights(root: Slot, joints: usize, weight: impl Fn(usize) -> f32) -> Self {
        let mut this = Self { root, joints, groups: Vec::new(), slots: Vec::new() };
        for slot in 0..joints {
            let (group, w) = ((slot / 8) as u16, weight(slot));
            if w > 0.0 {
                if this.groups.last().is_none_or(|g| g.0 != group) {
                    this.groups.push((group, [0.0; 8]));
                }
                if let Some(last) = this.groups.last_mut() {
                    last.1[slot % 8] = w;
                }
                this.slots.push(Slot(slot as u16));
            }
        }
        this
    }

    /// Refuses a subtree that contains one of these joints, such as the legs below a head.
    ///
    /// # Errors
    /// [`SubtreeError::Forbidden`] names the first.
    pub fn check_without(&self, forbidden: &[Slot]) -> Result<(), SubtreeError> {
        match forbidden.iter().find(|slot| self.contains(**slot)) {
            Some(&slot) => Err(SubtreeError::Forbidden { slot, root: self.root }),
            None => Ok(()),
        }
    }

    /// The joint at the top.
    #[must_use]
    pub fn root(&self) -> Slot {
        self.root
    }

    /// Joints that are overridden, increasing; without those that a mask leaves out.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Whether the joint is overridden.
    #[must_use]
    pub fn contains(&self, slot: Slot) -> bool {
        self.slots.binary_search(&slot).is_ok()
    }

    /// The weight of a joint; 0 outside.
    #[must_use]
    pub fn weight(&self, slot: Slot) -> f32 {
        let group = (slot.index() / 8) as u16;
        self.groups.binary_search_by_key(&group, |g| g.0).map_or(0.0, |i| self.groups[i].1[slot.index() % 8])
    }
}

/// Where the transforms of an override come from.
#[derive(Clone, Copy, Debug)]
pub enum SubtreeSource<'a> {
    /// A pose of the same rig.
    Pose(&'a LocalPose),
    /// Single joints; those of the subtree that are not named stay as they are. Of a joint named twice, both
    /// count, one after the other.
    Joints(&'a [(Slot, Transform)]),
}

/// Replaces or blends the local transforms of a subtree in a pose; what is above and beside it is not touched,
/// not in a bit. Model transforms are then to be made anew.
///
/// A joint weighs `weight * mask`. At 1 it takes the source's transform bit for bit; between, translation and
/// scale are interpolated, and the rotation is `normalise((1 - w) q + w s)` with the source's quaternion `s`
/// negated where it lies in the other hemisphere.
#[derive(Debug)]
pub struct SubtreeJob<'a> {
    /// Which joints.
    pub subtree: &'a Subtree,
    /// Their new transforms.
    pub source: SubtreeSource<'a>,
    /// How far to go there, 0 to 1.
    pub weight: f32,
    /// The pose that is changed.
    pub output: &'a mut LocalPose,
}

impl SubtreeJob<'_> {
    /// Overrides on the fastest backend.
    ///
    /// # Errors
    /// [`SubtreeError`]; the output is then untouched.
    pub fn run(&mut self) -> Result<(), SubtreeError> {
        self.run_on(Backend::best())
    }

    /// Overrides on a backend; all give the same bits.
    ///
    /// # Errors
    /// [`SubtreeError`]; the output is then untouched.
    pub fn run_on(&mut self, backend: Backend) -> Result<(), SubtreeError> {
        self.check()?;
        if self.weight == 0.0 {
            return Ok(());
        }
        let Self { subtree, source, weight, output } = self;
        let scaled = output.is_scaled()
            || match source {
                SubtreeSource::Pose(pose) => pose.is_scaled(),
                SubtreeSource::Joints(joints) => joints.iter().any(|(_, t)| t.scale != glam::Vec3::ONE),
            };
        let (out, scales) = output.parts_mut(scaled);
        match *source {
            SubtreeSource::Pose(pose) => {
                let pass = Pass { groups: &subtree.groups, pose, weight: *weight, out, scales };
                match scaled {
                    false => dispatch!(backend, override_groups::<false>(pass: Pass<'_>)),
                    true => dispatch!(backend, override_groups::<true>(pass: Pass<'_>)),
                }
            }
            SubtreeSource::Joints(joints) => {
                let list = List { subtree, joints, weight: *weight, out, scales };
                match scaled {
                    false => dispatch!(backend, override_joints::<false>(list: List<'_>)),
                    true => dispatch!(backend, override_joints::<true>(list: List<'_>)),
                }
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), SubtreeError> {
        let (root, expected) = (self.subtree.root, self.subtree.joints);
        if !(0.0..=1.0).contains(&self.weight) {
            return Err(SubtreeError::Weight { weight: self.weight });
        }
        if self.output.len() != expected {
            return Err(SubtreeError::Output { found: self.output.len(), expected });
        }
        match self.source {
            SubtreeSource::Pose(pose) if pose.len() != expected => {
                Err(SubtreeError::Source { found: pose.len(), expected })
            }
            SubtreeSource::Pose(_) => Ok(()),
            SubtreeSource::Joints(joints) => joints.iter().try_for_each(|&(slot, transform)| {
                if !self.subtree.contains(slot) {
                    Err(SubtreeError::Outside { slot, root })
                } else if !transform.is_finite() {
                    Err(SubtreeError::NotFinite { slot })
                } else {
                    Ok(())
                }
            }),
        }
    }
}

struct Pass<'a> {
    groups: &'a [(u16, [f32; 8])],
    pose: &'a LocalPose,
    weight: f32,
    out: &'a mut [PoseGroup],
    scales: &'a mut [ScaleGroup],
}

#[inline(always)]
fn override_groups<S: Simd, const SCALED: bool>(simd: S, pass: Pass<'_>) {
    for (group, weights) in pass.groups {
        let g = usize::from(*group);
        let source = Joints::load(simd, &pass.pose.groups()[g], &pass.pose.scales()[g]);
        let weight = simd.load(weights) * simd.splat(pass.weight);
        override_group::<S, SCALED>(simd, &source, weight, &mut pass.out[g], &mut pass.scales[g]);
    }
}

struct List<'a> {
    subtree: &'a Subtree,
    joints: &'a [(Slot, Transform)],
    weight: f32,
    out: &'a mut [PoseGroup],
    scales: &'a mut [ScaleGroup],
}

/// A list is short, so each joint goes through the same steps as a group, alone in its lane.
#[inline(always)]
fn override_joints<S: Simd, const SCALED: bool>(simd: S, list: List<'_>) {
    for &(slot, transform) in list.joints {
        let (g, lane) = (slot.index() / 8, slot.index() % 8);
        let (mut group, mut scale, mut weights) = (PoseGroup::IDENTITY, ScaleGroup::ONE, [0.0; 8]);
        transform.put(&mut group, &mut scale, lane);
        weights[lane] = list.subtree.weight(slot);
        let source = Joints::load(simd, &group, &scale);
        let weight = simd.load(&weights) * simd.splat(list.weight);
        override_group::<S, SCALED>(simd, &source, weight, &mut list.out[g], &mut list.scales[g]);
    }
}

#[inline(always)]
fn override_group<S: Simd, const SCALED: bool>(
    simd: S,
    source: &Joints<S, SCALED>,
    weight: S::F,
    out: &mut PoseGroup,
    scale: &mut ScaleGroup,
) {
    let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
    let before = Joints::load(simd, out, scale);
    let mut sum = Accumulator::start(&before, one - weight);
    sum.add(source, weight);
    let mixed = sum.finish().select(one.gt(weight), source);
    mixed.select(weight.gt(zero), &before).store(out, scale);
}
