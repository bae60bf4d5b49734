//! Scalar curves that travel with a clip.

use std::sync::Arc;

use crate::{Interpolation, Track, TrackError};

/// A named scalar over time: a distance, a weight, a foot's contact. Constant outside its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What people call it.
    pub name: String,
    track: Track,
}

impl Curve {
    /// A curve through `(times, values)`; CUBICSPLINE takes in-tangent, value, out-tangent a key.
    ///
    /// # Errors
    /// The first rule of [`Track`] that the keys break.
    pub fn new(
        name: impl Into<String>,
        times: impl Into<Arc<[f64]>>,
        values: impl Into<Arc<[f32]>>,
        interpolation: Interpolation,
    ) -> Result<Self, TrackError> {
        Ok(Self { name: name.into(), track: Track::new(times.into(), values.into(), 1, interpolation)? })
    }

    /// The keys.
    #[must_use]
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// Value at `time` seconds.
    #[must_use]
    pub fn sample(&self, time: f64) -> f64 {
        self.track.sample_component(time, 0)
    }
}
