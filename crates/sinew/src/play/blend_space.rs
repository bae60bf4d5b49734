//! What blend spaces have in common: weights of a few clips.

use core::ops::{Deref, DerefMut};

/// Most clips that a blend space mixes at once.
pub const MAX_BLENDED: usize = 3;

/// A clip, where it is and how much it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipWeight {
    /// Which clip, counted as in the [`SyncGroup`](crate::SyncGroup).
    pub clip: usize,
    /// Seconds within the clip.
    pub time: f32,
    /// Above 0; all of a list sum to 1.
    pub weight: f32,
}

/// Up to [`MAX_BLENDED`] clips, held in place. No clip is in it twice, and none of weight 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipWeights {
    entries: [ClipWeight; MAX_BLENDED],
    len: usize,
}

impl ClipWeights {
    /// No clip.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One clip alone.
    #[must_use]
    pub fn one(clip: usize) -> Self {
        let mut this = Self::default();
        this.add(clip, 1.0);
        this
    }

    /// Adds to the weight of a clip.
    pub(super) fn add(&mut self, clip: usize, weight: f32) {
        if !(weight > 0.0) {
            return;
        }
        if let Some(entry) = self.iter_mut().find(|entry| entry.clip == clip) {
            entry.weight += weight;
        } else {
            self.entries[self.len] = ClipWeight { clip, time: 0.0, weight };
            self.len += 1;
        }
    }
}

impl Deref for ClipWeights {
    type Target = [ClipWeight];

    fn deref(&self) -> &[ClipWeight] {
        &self.entries[..self.len]
    }
}

impl DerefMut for ClipWeights {
    fn deref_mut(&mut self) -> &mut [ClipWeight] {
        &mut self.entries[..self.len]
    }
}

/// Where a parameter is relative to the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlendRange {
    /// Among them.
    Inside,
    /// Outside: the nearest point inside was taken.
    Outside {
        /// How far away that is: in the parameter's unit (1D), in shares of the samples' range (2D).
        distance: f32,
    },
}

/// Why a blend space cannot be made, or not be asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlendSpaceError {
    /// Too few samples to have something in between.
    #[error("{found} samples, expected {expected} or more")]
    TooFewSamples {
        /// Samples given.
        found: usize,
        /// Samples needed.
        expected: usize,
    },
    /// A sample or the parameter is not a number.
    #[error("{what} is at {value}, expected a finite number")]
    NotFinite {
        /// Which one.
        what: String,
        /// Its value.
        value: f32,
    },
    /// Two samples at one place.
    #[error("samples {first} and {second} are at the same place")]
    SamePlace {
        /// One of them.
        first: usize,
        /// The other.
        second: usize,
    },
    /// All samples on one line span no plane. A [`BlendSpace1D`](crate::BlendSpace1D) along that line does
    /// what is meant.
    #[error(
        "all {samples} samples are on one line, expected a plane; a one-dimensional blend space fits them"
    )]
    Collinear {
        /// Samples given.
        samples: usize,
    },
}
