//! Weighted means of runtime poses, with masks and differences on top, in one pass.

mod kernel;

use core::fmt;

use crate::{Backend, JointMask, LocalPose, Rig};

pub use kernel::MAX_OVERRIDE_LAYERS;

/// Largest weight of a layer: more is a mistake, and products stay within single precision.
pub(crate) const MAX_WEIGHT: f32 = 1e6;

/// What a layer does to what is below it.
#[derive(Clone, Copy, Debug)]
pub enum LayerMode<'a> {
    /// Takes part in the weighted mean.
    Override,
    /// Lays what sets its pose apart from the reference on top of the mean.
    Additive {
        /// What the pose differs from: any pose, such as the clip's first frame or the rest pose.
        reference: &'a LocalPose,
    },
}

/// One pose of a blend.
#[derive(Clone, Copy, Debug)]
pub struct PoseLayer<'a> {
    /// What to blend.
    pub pose: &'a LocalPose,
    /// Its share, 0 to 1,000,000.
    pub weight: f32,
    /// Multiplied with `weight`; everywhere 1 where absent.
    pub mask: Option<&'a JointMask>,
    /// Mean or difference.
    pub mode: LayerMode<'a>,
}

impl<'a> PoseLayer<'a> {
    /// Part of the mean, on every joint.
    #[must_use]
    pub fn new(pose: &'a LocalPose, weight: f32) -> Self {
        Self { pose, weight, mask: None, mode: LayerMode::Override }
    }

    /// The difference between `pose` and `reference` on top, on every joint.
    #[must_use]
    pub fn additive(pose: &'a LocalPose, reference: &'a LocalPose, weight: f32) -> Self {
        Self { pose, weight, mask: None, mode: LayerMode::Additive { reference } }
    }

    /// Only as far as the mask says.
    #[must_use]
    pub fn masked(self, mask: &'a JointMask) -> Self {
        Self { mask: Some(mask), ..self }
    }

    fn is_override(&self) -> bool {
        matches!(self.mode, LayerMode::Override)
    }
}

/// The weighted mean of any number of poses, then differences on top: one pass over groups of eight joints with
/// one store a group, however many layers.
///
/// For each joint a layer weighs `weight * mask`. Where the override layers add up to less than one, the base
/// fills the rest; where to more, they are divided by their sum. Translations and scales are the weighted means.
/// Rotations are added up in the order of the layers, the base first, each flipped into the hemisphere of the sum
/// so far, and normalised: a quaternion and its negative count alike. Rotations far apart (over 90 degrees)
/// depend on the order of three or more layers; [`BlendJob`](crate::BlendJob) does not, at a price. A joint
/// where one pose has everything gets it bit for bit.
///
/// Additive layers follow in their order: translations add `weight * (pose - reference)`; rotations turn, in the
/// axes of the parent, by the normalised interpolation from none to `pose * inverse(reference)`; scales multiply
/// by that share of `pose / reference` (where the reference is below 1e-12, they add like translations).
///
/// Rotations are unit quaternions. Where some are not and a sum vanishes (shorter than 1e-12), the rotation of
/// the first pose that has a share is kept.
#[derive(Debug)]
pub struct PoseBlendJob<'a> {
    /// Whose poses these are.
    pub rig: &'a Rig,
    /// Fills up weights below one; usually the rest pose.
    pub base: &'a LocalPose,
    /// Any number of additive layers, and [`MAX_OVERRIDE_LAYERS`] override layers with a weight.
    pub layers: &'a [PoseLayer<'a>],
    /// Leading groups of eight joints to write, a level of detail (see [`Rig::groups_with_reach`]); later joints
    /// keep what the output has. [`Rig::groups`] or more means all.
    pub groups: usize,
    /// Where the result goes.
    pub output: &'a mut LocalPose,
}

/// A pose that takes part in a blend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlendPose {
    /// [`PoseBlendJob::base`].
    Base,
    /// The pose of a layer, by its position.
    Layer(usize),
    /// The reference of an additive layer, by its position.
    Reference(usize),
    /// [`PoseBlendJob::output`].
    Output,
}

impl fmt::Display for BlendPose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base => f.write_str("the base"),
            Self::Layer(layer) => write!(f, "the pose of layer {layer}"),
            Self::Reference(layer) => write!(f, "the reference of layer {layer}"),
            Self::Output => f.write_str("the output"),
        }
    }
}

/// Why poses could not be blended.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PoseBlendError {
    /// A pose is of another rig.
    #[error("{pose} has {found} joints, the rig has {expected}")]
    Size {
        /// Which pose.
        pose: BlendPose,
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// A mask is of another rig.
    #[error("the mask of layer {layer} has {found} joints, the rig has {expected}")]
    Mask {
        /// Position of the layer.
        layer: usize,
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// Too many override layers have a weight.
    #[error("{found} override layers have a weight, expected at most {MAX_OVERRIDE_LAYERS}")]
    Layers {
        /// Override layers with a weight.
        found: usize,
    },
    /// A weight is negative, no number or too large.
    #[error("layer {layer} has weight {weight}, expected 0 to {MAX_WEIGHT}")]
    Weight {
        /// Position of the layer.
        layer: usize,
        /// The weight.
        weight: f32,
    },
}

impl PoseBlendJob<'_> {
    /// Blends on the fastest backend.
    ///
    /// # Errors
    /// [`PoseBlendError`]; the output is then untouched.
    pub fn run(&mut self) -> Result<(), PoseBlendError> {
        self.run_on(Backend::best())
    }

    /// Blends on a backend; all give the same bits.
    ///
    /// # Errors
    /// [`PoseBlendError`]; the output is then untouched.
    pub fn run_on(&mut self, backend: Backend) -> Result<(), PoseBlendError> {
        self.check()?;
        self.run_checked(backend);
        Ok(())
    }

    /// Blends what is known to fit together.
    pub(crate) fn run_checked(&mut self, backend: Backend) {
        kernel::blend(self, backend);
    }

    fn check(&self) -> Result<(), PoseBlendError> {
        let expected = self.rig.len();
        let size = |pose: BlendPose, found: usize| {
            if found == expected { Ok(()) } else { Err(PoseBlendError::Size { pose, found, expected }) }
        };
        size(BlendPose::Base, self.base.len())?;
        size(BlendPose::Output, self.output.len())?;
        let mut overrides = 0;
        for (layer, l) in self.layers.iter().enumerate() {
            size(BlendPose::Layer(layer), l.pose.len())?;
            overrides += usize::from(l.is_override() && l.weight > 0.0);
            if let LayerMode::Additive { reference } = l.mode {
                size(BlendPose::Reference(layer), reference.len())?;
            }
            if !(0.0..=MAX_WEIGHT).contains(&l.weight) {
                return Err(PoseBlendError::Weight { layer, weight: l.weight });
            }
            if let Some(mask) = l.mask.filter(|m| m.joints() != expected) {
                return Err(PoseBlendError::Mask { layer, found: mask.joints(), expected });
            }
        }
        if overrides > MAX_OVERRIDE_LAYERS {
            return Err(PoseBlendError::Layers { found: overrides });
        }
        Ok(())
    }
}
