//! Clips as the frame loop plays them: compressed, stateless, sampled at any time in any order.

mod arc;
mod block;
mod builder;
mod crowd;
mod decode;
mod evaluate;
mod joint;
pub(crate) mod pack;
mod patch;
mod sample;
mod stored;

use core::ops::{Deref, Range};
use std::sync::Arc;

pub use block::ClipDataError;
pub(crate) use block::{Checked, array_at};
pub use builder::{ClipBuildError, ClipBuilder, ClipReport};
pub use crowd::{CrowdError, CrowdJob, CrowdScratch};
pub use evaluate::{ClipLayer, EvaluateError, EvaluateJob, EvaluatePart, EvaluateScratch, MAX_CLIP_LAYERS};
pub use sample::SampleJob;
pub use stored::StoredClipError;

use crate::{Curve, Event, EventError, EventTrack, Playback, Rig};
use block::Head;

/// A compressed clip of uniform rate for one [`Rig`].
///
/// Keys are whole numbers times a step, packed eight joints at a time with as many bits as the widest of the
/// eight needs; sampling unpacks two frames and interpolates them. No state is kept between samples, and no
/// sample allocates. Tracks at rest take no bytes.
#[derive(Clone, Debug)]
pub struct Clip {
    name: Option<String>,
    block: Block,
    head: Head,
    curves: Vec<Curve>,
    events: Vec<Event>,
}

/// The bytes of a clip: all of a buffer, or a part of a file that it shares.
#[derive(Clone, Debug)]
struct Block {
    bytes: Arc<[u8]>,
    part: Range<usize>,
}

impl Block {
    /// A part that lies in the bytes.
    fn part(bytes: Arc<[u8]>, part: Range<usize>) -> Self {
        Self { bytes, part }
    }
}

impl From<Arc<[u8]>> for Block {
    fn from(bytes: Arc<[u8]>) -> Self {
        let part = 0..bytes.len();
        Self { bytes, part }
    }
}

impl Deref for Block {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[self.part.clone()]
    }
}

/// Clip, rig and pose that do not belong together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// The clip was built for another rig.
    #[error("the clip is for a rig of {found} joints, this rig has {expected}")]
    Rig {
        /// Joints of the clip's rig.
        found: usize,
        /// Joints of this rig.
        expected: usize,
    },
    /// The clip was built for another rig of as many joints.
    #[error(
        "the clip is for a rig of layout {found:08x}, this rig has {expected:08x}: other joints, parents or rest pose"
    )]
    Layout {
        /// Of the clip.
        found: u32,
        /// Of this rig.
        expected: u32,
    },
    /// The pose is of another rig.
    #[error("the pose has {found} joints, the rig has {expected}")]
    Pose {
        /// Joints of the pose.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
}

impl Clip {
    /// A clip from its bytes ([`Clip::bytes`]).
    ///
    /// # Errors
    /// [`ClipDataError`] where the bytes are no clip. Everything is checked here: sampling reads no byte that
    /// was not.
    pub fn from_bytes(bytes: Arc<[u8]>) -> Result<Self, ClipDataError> {
        Self::assemble(bytes.into(), None, Vec::new(), Vec::new())
    }

    fn assemble(
        block: Block,
        name: Option<String>,
        curves: Vec<Curve>,
        events: Vec<Event>,
    ) -> Result<Self, ClipDataError> {
        let head = block::check(&block)?;
        Ok(Self { name, block, head, curves, events })
    }

    /// The whole clip as bytes, as it is in memory: little-endian, position-independent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.block
    }

    /// Name of the clip.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Seconds.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.head.duration as f32
    }

    /// Seconds, as the source has it: an event at the very end of the source is not past it, as it may be past
    /// the rounded [`Clip::duration`].
    #[must_use]
    pub fn duration_f64(&self) -> f64 {
        self.head.duration
    }

    /// Frames a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.head.rate
    }

    /// Frames stored.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.head.frames
    }

    /// Joints of the rig it is for.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.head.joints.into()
    }

    /// Of the rig it is for ([`Rig::layout`]).
    #[must_use]
    pub fn layout(&self) -> u32 {
        self.head.layout
    }

    /// Scalars that travel with the motion.
    #[must_use]
    pub fn curves(&self) -> &[Curve] {
        &self.curves
    }

    /// The curve of this name.
    #[must_use]
    pub fn curve(&self, name: &str) -> Option<&Curve> {
        self.curves.iter().find(|c| c.name == name)
    }

    /// The curve of a morph weight, by the node of the file that carries the mesh and the morph target.
    #[must_use]
    pub fn weight_curve(&self, node: u32, target: usize) -> Option<&Curve> {
        self.curve(&weight_curve_name(node, target))
    }

    /// Moments of the clip, in any order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events of the clip, ready to be played.
    ///
    /// # Errors
    /// [`EventError`] names an event that the source has past its end.
    pub fn event_track(&self, playback: Playback) -> Result<EventTrack, EventError> {
        EventTrack::new(self.events.clone(), self.head.duration, playback)
    }

    fn block(&self) -> &[u8] {
        &self.block
    }

    fn checked(&self) -> Checked<'_> {
        Checked::of(self)
    }

    fn check_rig(&self, rig: &Rig) -> Result<(), SampleError> {
        if self.joints() != rig.len() {
            return Err(SampleError::Rig { found: self.joints(), expected: rig.len() });
        }
        if self.layout() != rig.layout() {
            return Err(SampleError::Layout { found: self.layout(), expected: rig.layout() });
        }
        Ok(())
    }
}

/// What the curve of a morph weight is called.
fn weight_curve_name(node: u32, target: usize) -> String {
    format!("weights/{node}/{target}")
}
