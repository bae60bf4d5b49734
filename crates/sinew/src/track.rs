//! Keys of one animated property and their exact evaluation.
//!
//! Written from the glTF 2.0 specification, appendix C (animation sampler interpolation modes) and
//! section 3.11: LINEAR (spherical for rotations), STEP, CUBICSPLINE; a track holds its first value
//! before the first key and its last value after the last.

use std::sync::Arc;

use glam::{DQuat, DVec3};

/// How values between two keys come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Straight line; rotations along the shorter great arc (slerp).
    Linear,
    /// Holds the earlier key until the later one is reached.
    Step,
    /// Cubic Hermite spline with an in- and an out-tangent a key, in units a second.
    CubicSpline,
}

/// A rule that a list of keys broke. Key numbers count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrackError {
    /// Rule 1: at least one key.
    #[error("no keys, expected at least one")]
    Empty,
    /// Rule 2: times are finite.
    #[error("key {key} has time {time}, expected a finite number of seconds")]
    NonFiniteTime {
        /// The key.
        key: usize,
        /// Its time, seconds.
        time: f64,
    },
    /// Rule 3: times are not negative.
    #[error("key {key} has negative time {time} s, expected 0 or later")]
    NegativeTime {
        /// The key.
        key: usize,
        /// Its time, seconds.
        time: f64,
    },
    /// Rule 4: no two keys at one time.
    #[error("key {key} is a duplicate: time {time} s repeats key {}", key - 1)]
    DuplicateTime {
        /// The later of the two keys.
        key: usize,
        /// The time of both, seconds.
        time: f64,
    },
    /// Rule 5: times increase.
    #[error("key {key} is decreasing: time {time} s after {previous} s, expected a later time")]
    DecreasingTime {
        /// The key that goes back.
        key: usize,
        /// Its time, seconds.
        time: f64,
        /// Time of the key before, seconds.
        previous: f64,
    },
    /// Rule 6: one value a key (three for CUBICSPLINE), each of `width` numbers.
    #[error("{found} output numbers for {keys} keys, expected {expected}")]
    OutputCount {
        /// Number of keys.
        keys: usize,
        /// Numbers expected.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// Rule 7: values are finite.
    #[error("key {key} has value {value} in component {component}, expected a finite number")]
    NonFiniteValue {
        /// The key.
        key: usize,
        /// Component within the key's numbers.
        component: usize,
        /// The value.
        value: f32,
    },
    /// Rule 9: a value has at least one number.
    #[error("values of {width} numbers, expected at least one")]
    NoWidth {
        /// Numbers a value.
        width: usize,
    },
    /// Rule 8: a rotation has a length.
    #[error("key {key} is a rotation of length 0, expected a unit quaternion")]
    ZeroRotation {
        /// The key.
        key: usize,
    },
}

/// Keys of one property: times, values and how to go between them.
///
/// Times and values are shared, so tracks that use the same keys cost nothing more.
///
/// # Validity
/// 1. there is at least one key;
/// 2. times are finite;
/// 3. not negative;
/// 4. not repeated;
/// 5. increasing;
/// 6. there are `keys * width` values (`keys * 3 * width` for CUBICSPLINE: in-tangent, value, out-tangent);
/// 7. values are finite;
/// 8. rotation keys ([`Track::rotation`]) are longer than zero;
/// 9. a value has at least one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    times: Arc<[f64]>,
    values: Arc<[f32]>,
    width: usize,
    interpolation: Interpolation,
}

/// Between which keys a time falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// The earlier key.
    pub key: usize,
    /// The later key; equal to `key` outside the keys.
    pub next: usize,
    /// Share of the way from `key` to `next`, 0 to 1.
    pub u: f64,
    /// Seconds between the two keys; 0 where they are one.
    pub seconds: f64,
}

impl Track {
    /// A track of `width` numbers a value.
    ///
    /// # Errors
    /// The first rule of [`Track`] that the keys break.
    pub fn new(
        times: Arc<[f64]>,
        values: Arc<[f32]>,
        width: usize,
        interpolation: Interpolation,
    ) -> Result<Self, TrackError> {
        check_times(&times)?;
        if width == 0 {
            return Err(TrackError::NoWidth { width });
        }
        let per_key = width.saturating_mul(if interpolation == Interpolation::CubicSpline { 3 } else { 1 });
        let expected = times.len().saturating_mul(per_key);
        if values.len() != expected {
            return Err(TrackError::OutputCount { keys: times.len(), expected, found: values.len() });
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            let (key, component) = (i / per_key, i % per_key);
            return Err(TrackError::NonFiniteValue { key, component, value: values[i] });
        }
        Ok(Self { times, values, width, interpolation })
    }

    /// A track of quaternions, XYZW.
    ///
    /// # Errors
    /// The first rule of [`Track`] that the keys break.
    pub fn rotation(
        times: Arc<[f64]>,
        values: Arc<[f32]>,
        interpolation: Interpolation,
    ) -> Result<Self, TrackError> {
        let track = Self::new(times, values, 4, interpolation)?;
        match (0..track.len()).find(|&key| track.key_value(key).iter().all(|v| *v == 0.0)) {
            Some(key) => Err(TrackError::ZeroRotation { key }),
            None => Ok(track),
        }
    }

    /// Number of keys; at least one.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a track is never empty (rule 1)")]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Key times in seconds, `[key]`, increasing.
    #[must_use]
    pub fn times(&self) -> &Arc<[f64]> {
        &self.times
    }

    /// Values as stored, `[key][width]`, or `[key][in-tangent, value, out-tangent][width]`.
    #[must_use]
    pub fn values(&self) -> &Arc<[f32]> {
        &self.values
    }

    /// Numbers a value.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How values between keys come about.
    #[must_use]
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Time of the first key, seconds.
    #[must_use]
    pub fn start(&self) -> f64 {
        self.times[0]
    }

    /// Time of the last key, seconds.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// The value of a key without its tangents, `[width]`.
    ///
    /// # Panics
    /// Where `key` is not below [`Track::len`].
    #[must_use]
    pub fn key_value(&self, key: usize) -> &[f32] {
        self.part(key, if self.interpolation == Interpolation::CubicSpline { 1 } else { 0 })
    }

    fn part(&self, key: usize, part: usize) -> &[f32] {
        let parts = if self.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let at = (key * parts + part) * self.width;
        &self.values[at..at + self.width]
    }

    /// Whether the value is the same at all times.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        let same = (1..self.len()).all(|k| self.key_value(k) == self.key_value(0));
        // Tangents outside the keys are never used.
        let flat = |k: usize, part| self.part(k, part).iter().all(|x| *x == 0.0);
        let level = || (1..self.len()).all(|k| flat(k - 1, 2) && flat(k, 0));
        same && (self.interpolation != Interpolation::CubicSpline || level())
    }

    /// Between which keys `time` falls, clamped to the first and last key.
    #[must_use]
    pub fn bracket(&self, time: f64) -> Bracket {
        let last = self.times.len() - 1;
        // NaN falls on the first key.
        if time.is_nan() || time <= self.times[0] {
            return Bracket { key: 0, next: 0, u: 0.0, seconds: 0.0 };
        }
        if time >= self.times[last] {
            return Bracket { key: last, next: last, u: 0.0, seconds: 0.0 };
        }
        let next = self.times.partition_point(|&k| k <= time);
        let (t0, t1) = (self.times[next - 1], self.times[next]);
        Bracket { key: next - 1, next, u: (time - t0) / (t1 - t0), seconds: t1 - t0 }
    }

    /// One number of the value at `time`.
    ///
    /// # Panics
    /// Where `component` is not below [`Track::width`].
    #[must_use]
    pub fn sample_component(&self, time: f64, component: usize) -> f64 {
        self.component_at(&self.bracket(time), component)
    }

    /// The value at `time` of a track of three numbers.
    ///
    /// # Panics
    /// Where [`Track::width`] is not 3.
    #[must_use]
    pub fn sample_vec3(&self, time: f64) -> DVec3 {
        assert_eq!(self.width, 3, "a vector track has three numbers a value");
        let b = self.bracket(time);
        DVec3::new(self.component_at(&b, 0), self.component_at(&b, 1), self.component_at(&b, 2))
    }

    /// The rotation at `time` of a track of four numbers: unit length, whatever length the keys have.
    ///
    /// # Panics
    /// Where [`Track::width`] is not 4.
    #[must_use]
    pub fn sample_rotation(&self, time: f64) -> DQuat {
        assert_eq!(self.width, 4, "a rotation track has four numbers a value");
        let b = self.bracket(time);
        let here = self.key_rotation(b.key);
        match self.interpolation {
            _ if b.key == b.next => here,
            Interpolation::Step => here,
            Interpolation::Linear => slerp_short(here, self.key_rotation(b.next), b.u),
            // The spline runs through the keys as stored, and only its result is brought to unit length. One
            // through opposite keys can pass through zero; hold the key there rather than divide.
            Interpolation::CubicSpline => {
                unit(DQuat::from_array(core::array::from_fn(|c| self.component_at(&b, c)))).unwrap_or(here)
            }
        }
    }

    /// The rotation of a key at unit length.
    ///
    /// # Panics
    /// Where [`Track::width`] is not 4 or `key` is not below [`Track::len`].
    #[must_use]
    pub fn key_rotation(&self, key: usize) -> DQuat {
        assert_eq!(self.width, 4, "a rotation track has four numbers a value");
        let v = self.key_value(key);
        unit(DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into())).unwrap_or(DQuat::IDENTITY)
    }

    /// Derivative of one number of a CUBICSPLINE at `time`, units a second. At a key the segments before and
    /// after it may differ; `before` chooses. 0 outside the keys and for other interpolations.
    ///
    /// # Panics
    /// Where `component` is not below [`Track::width`].
    #[must_use]
    pub fn spline_slope(&self, time: f64, component: usize, before: bool) -> f64 {
        let b = self.bracket(time);
        if self.interpolation != Interpolation::CubicSpline {
            return 0.0;
        }
        if b.u == 0.0 {
            let at_key = self.times[b.key] == time;
            let inside = if before { b.key > 0 } else { b.key + 1 < self.len() };
            let part = if before { 0 } else { 2 };
            return if at_key && inside { f64::from(self.part(b.key, part)[component]) } else { 0.0 };
        }
        let v0 = f64::from(self.key_value(b.key)[component]);
        let v1 = f64::from(self.key_value(b.next)[component]);
        let out_tangent = f64::from(self.part(b.key, 2)[component]) * b.seconds;
        let in_tangent = f64::from(self.part(b.next, 0)[component]) * b.seconds;
        let (u, u2) = (b.u, b.u * b.u);
        let by_u = (6.0 * u2 - 6.0 * u) * (v0 - v1)
            + (3.0 * u2 - 4.0 * u + 1.0) * out_tangent
            + (3.0 * u2 - 2.0 * u) * in_tangent;
        by_u / b.seconds
    }

    fn component_at(&self, b: &Bracket, c: usize) -> f64 {
        let v0 = f64::from(self.key_value(b.key)[c]);
        if b.key == b.next {
            return v0;
        }
        let v1 = f64::from(self.key_value(b.next)[c]);
        match self.interpolation {
            Interpolation::Step => v0,
            Interpolation::Linear => v0 + (v1 - v0) * b.u,
            Interpolation::CubicSpline => {
                let out_tangent = f64::from(self.part(b.key, 2)[c]) * b.seconds;
                let in_tangent = f64::from(self.part(b.next, 0)[c]) * b.seconds;
                let (u, u2) = (b.u, b.u * b.u);
                let u3 = u2 * u;
                (2.0 * u3 - 3.0 * u2 + 1.0) * v0
                    + (u3 - 2.0 * u2 + u) * out_tangent
                    + (-2.0 * u3 + 3.0 * u2) * v1
                    + (u3 - u2) * in_tangent
            }
        }
    }
}

/// A quaternion of any length above zero at unit length. Stored ones may be as small as 1e-45 or as large as
/// 1e38: their largest number is brought to one before anything is squared.
fn unit(q: DQuat) -> Option<DQuat> {
    let largest = q.to_array().iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    (largest > 0.0).then(|| (q / largest).normalize())
}

/// Spherical interpolation along the shorter arc between unit quaternions.
///
/// Where the two are half a turn apart, both arcs are equally short; the one without the sign change is
/// taken. Result is of unit length.
#[must_use]
pub fn slerp_short(a: DQuat, b: DQuat, u: f64) -> DQuat {
    let d = a.dot(b);
    let (b, d) = if d < 0.0 { (-b, -d) } else { (b, d) };
    if d > 1.0 - 1e-12 {
        return (a + (b - a) * u).normalize();
    }
    let angle = libm::acos(d.min(1.0));
    let (wa, wb) = (libm::sin((1.0 - u) * angle), libm::sin(u * angle));
    (a * wa + b * wb).normalize()
}

fn check_times(times: &[f64]) -> Result<(), TrackError> {
    if times.is_empty() {
        return Err(TrackError::Empty);
    }
    for (key, &time) in times.iter().enumerate() {
        if !time.is_finite() {
            return Err(TrackError::NonFiniteTime { key, time });
        }
        if time < 0.0 {
            return Err(TrackError::NegativeTime { key, time });
        }
        if key > 0 && time == times[key - 1] {
            return Err(TrackError::DuplicateTime { key, time });
        }
        if key > 0 && time < times[key - 1] {
            return Err(TrackError::DecreasingTime { key, time, previous: times[key - 1] });
        }
    }
    Ok(())
}
