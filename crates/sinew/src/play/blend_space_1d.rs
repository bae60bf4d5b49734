//! Clips along a line: walk, jog, run by speed.

use super::{BlendRange, BlendSpaceError, ClipWeights};

/// A clip at a place on the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendSample1D {
    /// Which clip.
    pub clip: usize,
    /// Value of the parameter that the clip was made for.
    pub at: f32,
}

/// Clips along a line; in between, the two neighbours are mixed.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace1D {
    samples: Vec<BlendSample1D>,
}

impl BlendSpace1D {
    /// Samples in any order; a clip may be at several places.
    ///
    /// # Errors
    /// [`BlendSpaceError`] where there is no sample, or one is not finite or not alone at its place.
    pub fn new(samples: &[BlendSample1D]) -> Result<Self, BlendSpaceError> {
        if samples.is_empty() {
            return Err(BlendSpaceError::TooFewSamples { found: 0, expected: 1 });
        }
        for (i, sample) in samples.iter().enumerate() {
            if !sample.at.is_finite() {
                return Err(BlendSpaceError::NotFinite { what: format!("sample {i}"), value: sample.at });
            }
            if let Some(first) = samples[..i].iter().position(|other| other.at == sample.at) {
                return Err(BlendSpaceError::SamePlace { first, second: i });
            }
        }
        let mut samples = samples.to_vec();
        samples.sort_by(|a, b| a.at.total_cmp(&b.at));
        Ok(Self { samples })
    }

    /// In order of place.
    #[must_use]
    pub fn samples(&self) -> &[BlendSample1D] {
        &self.samples
    }

    /// Weights at a value of the parameter; times are 0 until
    /// [`SyncPlayhead::advance`](crate::SyncPlayhead::advance) fills them in.
    ///
    /// # Errors
    /// [`BlendSpaceError::NotFinite`] where the parameter is NaN or infinite.
    pub fn weights(&self, at: f32) -> Result<(ClipWeights, BlendRange), BlendSpaceError> {
        if !at.is_finite() {
            return Err(BlendSpaceError::NotFinite { what: "the parameter".to_owned(), value: at });
        }
        let mut weights = ClipWeights::new();
        let next = self.samples.partition_point(|sample| sample.at <= at);
        let (first, last) = (self.samples[0], self.samples[self.samples.len() - 1]);
        if next == 0 {
            weights.add(first.clip, 1.0);
            return Ok((weights, BlendRange::Outside { distance: first.at - at }));
        }
        if next == self.samples.len() {
            weights.add(last.clip, 1.0);
            let distance = at - last.at;
            return Ok((
                weights,
                if distance > 0.0 { BlendRange::Outside { distance } } else { BlendRange::Inside },
            ));
        }
        let (low, high) = (self.samples[next - 1], self.samples[next]);
        // In double precision the difference of two finite singles cannot overflow.
        let (from, to) = (f64::from(low.at), f64::from(high.at));
        let share = ((f64::from(at) - from) / (to - from)) as f32;
        weights.add(low.clip, 1.0 - share);
        weights.add(high.clip, share);
        Ok((weights, BlendRange::Inside))
    }
}
