//! Scalar curves that travel with a clip.

use std::sync::Arc;

use crate::{Interpolation, Track, TrackError};

/// Where a time falls among the keys of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurvePlace {
    /// Before the first key, whose value holds. A time that is no number counts as before.
    Before,
    /// At the very time of a key.
    OnKey {
        /// The key, counted from 0.
        key: usize,
    },
    /// Between two keys.
    Between {
        /// The earlier key.
        key: usize,
        /// The later key.
        next: usize,
        /// Share of the way, 0 to 1, both left out.
        u: f64,
    },
    /// After the last key, whose value holds.
    After,
}

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

    /// Where `time` seconds fall among the keys; says which rule gave the value of [`Curve::sample`].
    #[must_use]
    pub fn place(&self, time: f64) -> CurvePlace {
        let at = self.track.bracket(time);
        if time.is_nan() || time < self.track.start() {
            CurvePlace::Before
        } else if time > self.track.end() {
            CurvePlace::After
        } else if at.u == 0.0 {
            CurvePlace::OnKey { key: at.key }
        } else {
            CurvePlace::Between { key: at.key, next: at.next, u: at.u }
        }
    }
}
