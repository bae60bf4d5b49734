//! Clips in a plane: speed and direction.

use super::triangulation::{Triangulation, cross};
use super::{BlendRange, BlendSpaceError, ClipWeights};

/// Shares of a triangle that rounding is worth.
const ON_EDGE: f64 = 1e-9;

/// A clip at a place in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendSample2D {
    /// Which clip.
    pub clip: usize,
    /// Values of the two parameters that the clip was made for.
    pub at: [f32; 2],
}

/// Clips in a plane, joined to triangles (Delaunay); within a triangle its three corners are mixed by
/// barycentric weights, outside all of them the nearest point of the rim counts.
///
/// Each axis is measured in its own range (largest minus smallest sample), so that metres a second and
/// degrees can share a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace2D {
    samples: Vec<BlendSample2D>,
    low: [f64; 2],
    range: [f64; 2],
    /// `[sample]`, in shares of the range.
    places: Vec<[f64; 2]>,
    triangles: Vec<[usize; 3]>,
    /// `[triangle]`: one over twice its area.
    inverse_areas: Vec<f64>,
    rim: Vec<[usize; 2]>,
}

impl BlendSpace2D {
    /// Samples in any order; a clip may be at several places. Takes time about with the square of their
    /// number.
    ///
    /// # Errors
    /// [`BlendSpaceError`] where there are fewer than three samples, one is not finite, two are at one place,
    /// or all are on one line, each within a hundred-thousandth of the range.
    pub fn new(samples: &[BlendSample2D]) -> Result<Self, BlendSpaceError> {
        for (i, sample) in samples.iter().enumerate() {
            if let Some(value) = sample.at.into_iter().find(|value| !value.is_finite()) {
                return Err(BlendSpaceError::NotFinite { what: format!("sample {i}"), value });
            }
        }
        if samples.len() < 3 {
            return Err(BlendSpaceError::TooFewSamples { found: samples.len(), expected: 3 });
        }
        let (mut low, mut range) = ([0.0; 2], [0.0; 2]);
        for axis in 0..2 {
            let values = samples.iter().map(|sample| f64::from(sample.at[axis]));
            low[axis] = values.clone().fold(f64::INFINITY, f64::min);
            range[axis] = values.fold(f64::NEG_INFINITY, f64::max) - low[axis];
        }
        if range == [0.0; 2] {
            return Err(BlendSpaceError::SamePlace { first: 0, second: 1 });
        }
        // An axis without a range is caught as a line below.
        let range = range.map(|range| if range > 0.0 { range } else { 1.0 });
        let mut this = Self {
            samples: samples.to_vec(),
            low,
            range,
            places: Vec::new(),
            triangles: Vec::new(),
            inverse_areas: Vec::new(),
            rim: Vec::new(),
        };
        this.places = samples.iter().map(|sample| this.place(sample.at)).collect();
        let Triangulation { triangles, rim } = Triangulation::new(&this.places)?;
        let area = |[a, b, c]: [usize; 3]| cross(this.places[a], this.places[b], this.places[c]);
        this.inverse_areas = triangles.iter().map(|corners| 1.0 / area(*corners)).collect();
        (this.triangles, this.rim) = (triangles, rim);
        Ok(this)
    }

    /// As given.
    #[must_use]
    pub fn samples(&self) -> &[BlendSample2D] {
        &self.samples
    }

    /// Corners of the triangles, `[triangle]`, numbers of samples, counter-clockwise.
    #[must_use]
    pub fn triangles(&self) -> &[[usize; 3]] {
        &self.triangles
    }

    /// Weights at a place; times are 0 until [`SyncPlayhead::advance`](crate::SyncPlayhead::advance) fills
    /// them in.
    ///
    /// # Errors
    /// [`BlendSpaceError::NotFinite`] where a parameter is NaN or infinite.
    pub fn weights(&self, at: [f32; 2]) -> Result<(ClipWeights, BlendRange), BlendSpaceError> {
        if let Some(value) = at.into_iter().find(|value| !value.is_finite()) {
            return Err(BlendSpaceError::NotFinite { what: "the parameter".to_owned(), value });
        }
        let p = self.place(at);
        let mut weights = ClipWeights::new();
        let mut best = (f64::NEG_INFINITY, [0; 3], [0.0; 3]);
        for (corners, inverse) in self.triangles.iter().zip(&self.inverse_areas) {
            let [a, b, c] = corners.map(|corner| self.places[corner]);
            let shares = [cross(b, c, p) * inverse, cross(c, a, p) * inverse, cross(a, b, p) * inverse];
            let least = shares[0].min(shares[1]).min(shares[2]);
            if least > best.0 {
                best = (least, *corners, shares);
                // On an edge both neighbours give the same weights, so the first will do.
                if least >= 0.0 {
                    break;
                }
            }
        }
        let (least, corners, shares) = best;
        // Rounding may put a point on an edge outside both of its triangles.
        if least >= -ON_EDGE {
            self.add(&mut weights, &corners, &shares.map(|share| share.max(0.0)));
            return Ok((weights, BlendRange::Inside));
        }
        let mut nearest = (f64::INFINITY, [0; 2], 0.0);
        for &edge in &self.rim {
            let [a, b] = edge.map(|end| self.places[end]);
            let (along, away) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
            let share =
                (along[0] * away[0] + along[1] * away[1]) / (along[0] * along[0] + along[1] * along[1]);
            let share = share.clamp(0.0, 1.0);
            let off = [away[0] - share * along[0], away[1] - share * along[1]];
            let distance = (off[0] * off[0] + off[1] * off[1]).sqrt();
            if distance < nearest.0 {
                nearest = (distance, edge, share);
            }
        }
        let (distance, edge, share) = nearest;
        self.add(&mut weights, &edge, &[1.0 - share, share]);
        Ok((weights, BlendRange::Outside { distance: distance as f32 }))
    }

    fn place(&self, at: [f32; 2]) -> [f64; 2] {
        [0, 1].map(|axis| (f64::from(at[axis]) - self.low[axis]) / self.range[axis])
    }

    /// The largest share takes what rounding leaves, so that the sum is 1.
    fn add(&self, weights: &mut ClipWeights, corners: &[usize], shares: &[f64]) {
        let largest = (1..shares.len()).fold(0, |best, i| if shares[i] > shares[best] { i } else { best });
        let mut rest = 1.0;
        for (i, (&corner, &share)) in corners.iter().zip(shares).enumerate() {
            if i != largest {
                weights.add(self.samples[corner].clip, share as f32);
                rest -= share as f32;
            }
        }
        weights.add(self.samples[corners[largest]].clip, rest);
    }
}
