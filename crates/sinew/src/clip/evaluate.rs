//! Several clips, each at its moment, blended into one pose.

use core::fmt;

use super::{Clip, SampleJob};
use crate::pose_blend::{MAX_OVERRIDE_LAYERS, MAX_WEIGHT};
use crate::{Backend, JointMask, LayerMode, LocalPose, PoseBlendJob, PoseLayer, Rig};

/// Most clips with a weight in one [`EvaluateJob`].
pub const MAX_CLIP_LAYERS: usize = 64;
const _: () = assert!(MAX_CLIP_LAYERS <= MAX_OVERRIDE_LAYERS, "all of them may be override layers");

/// A clip at a moment, and its part in a blend.
#[derive(Clone, Copy, Debug)]
pub struct ClipLayer<'a> {
    /// What to sample.
    pub clip: &'a Clip,
    /// Seconds from the start of the clip, clamped at both ends; NaN is the start.
    pub time: f32,
    /// Its share, 0 to 1,000,000. A layer of weight 0 is not sampled.
    pub weight: f32,
    /// Multiplied with `weight`; everywhere 1 where absent.
    pub mask: Option<&'a JointMask>,
    /// Where given, what sets the clip apart from this pose is laid on top of the mean; where absent, the clip
    /// takes part in the mean.
    pub additive: Option<&'a LocalPose>,
}

impl<'a> ClipLayer<'a> {
    /// Part of the mean, on every joint.
    #[must_use]
    pub fn new(clip: &'a Clip, time: f32, weight: f32) -> Self {
        Self { clip, time, weight, mask: None, additive: None }
    }

    /// The difference between the clip and `reference` on top, on every joint.
    #[must_use]
    pub fn additive(clip: &'a Clip, time: f32, weight: f32, reference: &'a LocalPose) -> Self {
        Self { additive: Some(reference), ..Self::new(clip, time, weight) }
    }

    /// Only as far as the mask says.
    #[must_use]
    pub fn masked(self, mask: &'a JointMask) -> Self {
        Self { mask: Some(mask), ..self }
    }

    /// Whether it has everything when no other layer has a weight.
    fn is_whole(&self) -> bool {
        self.weight >= 1.0 && self.mask.is_none() && self.additive.is_none()
    }

    pub(super) fn check(&self, layer: usize, rig: &Rig) -> Result<(), EvaluateError> {
        let expected = rig.len();
        check_size(EvaluatePart::Clip(layer), self.clip.joints(), expected)?;
        if self.clip.layout() != rig.layout() {
            let (found, expected) = (self.clip.layout(), rig.layout());
            return Err(EvaluateError::Layout { layer, found, expected });
        }
        if let Some(mask) = self.mask {
            check_size(EvaluatePart::Mask(layer), mask.joints(), expected)?;
        }
        if let Some(reference) = self.additive {
            check_size(EvaluatePart::Reference(layer), reference.len(), expected)?;
        }
        if !(0.0..=MAX_WEIGHT).contains(&self.weight) {
            return Err(EvaluateError::Weight { layer, weight: self.weight });
        }
        Ok(())
    }
}

/// Where clips are sampled before they are blended. Keeps nothing from one frame to the next: one serves any
/// number of characters of a rig.
#[derive(Clone, Debug)]
pub struct EvaluateScratch {
    joints: usize,
    /// As many as layers may have a weight.
    poses: Vec<LocalPose>,
}

impl EvaluateScratch {
    /// For as many layers with a weight at a time, at most [`MAX_CLIP_LAYERS`]. The only place that allocates.
    #[must_use]
    pub fn new(rig: &Rig, max_layers: usize) -> Self {
        Self { joints: rig.len(), poses: vec![LocalPose::rest(rig); max_layers.min(MAX_CLIP_LAYERS)] }
    }

    /// Layers that may have a weight at a time.
    #[must_use]
    pub fn max_layers(&self) -> usize {
        self.poses.len()
    }

    pub(super) fn check(&self, layers: &[ClipLayer<'_>], rig: &Rig) -> Result<(), EvaluateError> {
        check_size(EvaluatePart::Scratch, self.joints, rig.len())?;
        let mut found = 0;
        for (layer, l) in layers.iter().enumerate() {
            l.check(layer, rig)?;
            found += usize::from(l.weight > 0.0);
        }
        // One that has everything needs no scratch, but whether it has may change with every frame.
        if found > self.poses.len() {
            return Err(EvaluateError::Layers { found, expected: self.poses.len() });
        }
        Ok(())
    }
}

/// What has the joints of a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluatePart {
    /// [`EvaluateJob::base`].
    Base,
    /// [`EvaluateJob::output`].
    Output,
    /// [`EvaluateJob::scratch`].
    Scratch,
    /// The clip of a layer, by its position.
    Clip(usize),
    /// The mask of a layer, by its position.
    Mask(usize),
    /// The reference of an additive layer, by its position.
    Reference(usize),
}

impl fmt::Display for EvaluatePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base => f.write_str("the base"),
            Self::Output => f.write_str("the output"),
            Self::Scratch => f.write_str("the scratch"),
            Self::Clip(layer) => write!(f, "the clip of layer {layer}"),
            Self::Mask(layer) => write!(f, "the mask of layer {layer}"),
            Self::Reference(layer) => write!(f, "the reference of layer {layer}"),
        }
    }
}

/// Why clips could not be evaluated. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum EvaluateError {
    /// Something is of another rig.
    #[error("{part} has {found} joints, the rig has {expected}")]
    Size {
        /// What.
        part: EvaluatePart,
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// A clip is of another rig of as many joints.
    #[error(
        "the clip of layer {layer} is for a rig of layout {found:08x}, this rig has {expected:08x}: other joints, \
         parents or rest pose"
    )]
    Layout {
        /// Position of the layer.
        layer: usize,
        /// Of the clip ([`Clip::layout`]).
        found: u32,
        /// Of the rig ([`Rig::layout`]).
        expected: u32,
    },
    /// A weight is negative, no number or too large.
    #[error("layer {layer} has weight {weight}, expected 0 to {MAX_WEIGHT}")]
    Weight {
        /// Position of the layer.
        layer: usize,
        /// The weight.
        weight: f32,
    },
    /// The scratch is for fewer.
    #[error("{found} layers have a weight, the scratch holds {expected}")]
    Layers {
        /// Layers with a weight.
        found: usize,
        /// [`EvaluateScratch::max_layers`].
        expected: usize,
    },
}

pub(super) fn check_size(part: EvaluatePart, found: usize, expected: usize) -> Result<(), EvaluateError> {
    if found == expected { Ok(()) } else { Err(EvaluateError::Size { part, found, expected }) }
}

/// Samples clips and blends them by the rule of [`PoseBlendJob`], with the same bits as sampling each by a
/// [`SampleJob`] and blending those that have a weight.
///
/// Layers of weight 0 cost nothing; a layer that is alone, of full weight and without a mask is sampled straight
/// into the output.
#[derive(Debug)]
pub struct EvaluateJob<'a> {
    /// What the clips were built for.
    pub rig: &'a Rig,
    /// Fills up weights below one; usually the rest pose.
    pub base: &'a LocalPose,
    /// Any number, of which as many as the scratch holds may have a weight.
    pub layers: &'a [ClipLayer<'a>],
    /// Leading groups of eight joints to write, a level of detail ([`Rig::groups_with_reach`]); later joints keep
    /// what the output has. `usize::MAX` for all.
    pub groups: usize,
    /// Where clips are sampled.
    pub scratch: &'a mut EvaluateScratch,
    /// Where the pose goes.
    pub output: &'a mut LocalPose,
}

impl EvaluateJob<'_> {
    /// Writes the pose. Does not allocate.
    ///
    /// # Errors
    /// [`EvaluateError`]; the output is then untouched.
    pub fn run(&mut self) -> Result<(), EvaluateError> {
        self.run_on(Backend::best())
    }

    /// As [`EvaluateJob::run`], on a backend of choice: every one gives the same bits.
    ///
    /// # Errors
    /// As [`EvaluateJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), EvaluateError> {
        let expected = self.rig.len();
        check_size(EvaluatePart::Base, self.base.len(), expected)?;
        check_size(EvaluatePart::Output, self.output.len(), expected)?;
        self.scratch.check(self.layers, self.rig)?;
        let evaluation = Evaluation { rig: self.rig, base: self.base, groups: self.groups, backend };
        evaluation.run(self.layers, self.scratch, self.output);
        Ok(())
    }
}

/// What all characters of a crowd have in common. Everything has been checked.
#[derive(Clone, Copy)]
pub(super) struct Evaluation<'a> {
    pub(super) rig: &'a Rig,
    pub(super) base: &'a LocalPose,
    pub(super) groups: usize,
    pub(super) backend: Backend,
}

impl Evaluation<'_> {
    pub(super) fn run(
        &self,
        layers: &[ClipLayer<'_>],
        scratch: &mut EvaluateScratch,
        output: &mut LocalPose,
    ) {
        let mut weighted = layers.iter().filter(|l| l.weight > 0.0);
        if let (Some(only), None) = (weighted.next(), weighted.next())
            && only.is_whole()
            && self.keeps_scales(only.clip, output)
        {
            self.sample(only, output);
            return;
        }
        let poses = &mut *scratch.poses;
        let weighted = layers.iter().filter(|l| l.weight > 0.0);
        for (layer, pose) in weighted.clone().zip(&mut *poses) {
            // Scales of the last frame are nobody's.
            pose.parts_mut(false);
            self.sample(layer, pose);
        }
        // On the stack, and no larger than it need be: all of it is written.
        match weighted.count() {
            ..=2 => self.blend::<2>(layers, poses, output),
            3..=8 => self.blend::<8>(layers, poses, output),
            _ => self.blend::<MAX_CLIP_LAYERS>(layers, poses, output),
        }
    }

    /// Whether sampling into a pose leaves the scales of groups that are not written.
    fn keeps_scales(&self, clip: &Clip, output: &LocalPose) -> bool {
        self.groups >= self.rig.groups() || !output.is_scaled() || self.rig.is_scaled() || clip.head.scaled
    }

    fn sample(&self, layer: &ClipLayer<'_>, output: &mut LocalPose) {
        let (rig, groups) = (self.rig, self.groups);
        let mut job = SampleJob { rig, clip: layer.clip, time: layer.time, groups, output };
        let sampled = job.run_on(self.backend);
        debug_assert_eq!(sampled, Ok(()), "sizes have been checked");
    }

    fn blend<const N: usize>(&self, layers: &[ClipLayer<'_>], poses: &[LocalPose], output: &mut LocalPose) {
        let mut blended = [PoseLayer::new(self.base, 0.0); N];
        let mut free = blended.iter_mut();
        for (layer, pose) in layers.iter().filter(|l| l.weight > 0.0).zip(poses) {
            let mode = match layer.additive {
                Some(reference) => LayerMode::Additive { reference },
                None => LayerMode::Override,
            };
            if let Some(blended) = free.next() {
                *blended = PoseLayer { pose, weight: layer.weight, mask: layer.mask, mode };
            }
        }
        let count = N - free.len();
        let (rig, base, groups) = (self.rig, self.base, self.groups);
        PoseBlendJob { rig, base, layers: &blended[..count], groups, output }.run_checked(self.backend);
    }
}
