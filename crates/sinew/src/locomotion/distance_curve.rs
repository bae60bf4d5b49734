//! Distance over time, made so that every distance belongs to exactly one moment.

use super::curve_names::{REMAINDER, kind_of_heading};
use super::error::{LocomotionError, finite, in_range};
use super::split::{self, DistanceKind, SplitSettings};
use crate::{Curve, Interpolation};

/// Most samples of a curve.
pub(super) const MAX_SAMPLES: usize = 1 << 20;
/// Least distance that a curve covers, metres: below this there is nothing to match.
pub(super) const LEAST_RANGE: f64 = 1e-3;
/// Largest distance, metres.
pub(super) const MAX_DISTANCE: f64 = 1e6;

/// Distance over time, strictly increasing, with what the root does besides set apart as a remainder.
///
/// The sign says what it counts: metres still to go to a stop or a pivot are negative, metres travelled since
/// a start are positive, so every curve rises. The signed path of the root `s(t)` is the distance `m(t)` plus
/// the remainder `e(t)`: what goes back before a push-off, or too far before it settles, is remainder and
/// belongs to the pelvis.
///
/// Samples are evenly spaced. A time is looked up by its index and a distance in a table, so neither takes
/// longer in a longer clip. Immutable: one serves any number of characters and threads.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceCurve {
    name: String,
    kind: DistanceKind,
    start: f64,
    step: f64,
    duration: f64,
    per_second: f64,
    /// `[sample]`, strictly increasing.
    samples: Vec<Sample>,
    per_metre: f64,
    end_speed: f64,
    seconds_a_metre_at_end: f64,
}

/// One moment of a curve and, beside it, one row of the table by which distances are looked up: the range is cut
/// into as many equal buckets as there are samples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    /// Metres.
    distance: f64,
    /// Metres.
    remainder: f32,
    /// Of the bucket of this number: the last sample in a bucket before it, or 0.
    before: u32,
}

/// Where a playhead is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The sample before it, and that and the next.
    sample: usize,
    pair: [Sample; 2],
    /// Share of the way to the next, 0 to 1.
    share: f64,
    /// Metres.
    pub(super) distance: f64,
}

impl Place {
    /// What the root does besides there, metres.
    #[inline]
    pub(super) fn remainder(&self) -> f64 {
        let [a, b] = self.pair.map(|s| f64::from(s.remainder));
        a + (b - a) * self.share
    }
}

/// The last seconds of a curve, whose speed is that of its end, and the least that is taken for it, metres a second.
const END: f64 = DistanceCurve::END_SECONDS;
const LEAST_END_SPEED: f64 = 1e-3;

/// Samples that are searched round a playhead before the table is, and how many of them lie behind it.
const NEAR: usize = 16;
const BEHIND: usize = 4;

/// The bucket of a distance beyond the first. Rounding keeps the order, so a distance in a later bucket is larger.
#[inline]
fn bucket(beyond: f64, per_metre: f64) -> usize {
    // A float beyond the range of an integer is its largest.
    (beyond * per_metre) as u32 as usize
}

impl DistanceCurve {
    /// Seconds over which the speed at either end is usually taken: one step at 30 keys a second.
    pub const END_SECONDS: f64 = 1.0 / 30.0;

    /// From the signed path of the root relative to its marker, metres at increasing seconds: falling, flat and
    /// repeated keys are welcome. Between the keys it is a monotone cubic.
    ///
    /// # Errors
    /// [`LocomotionError`] names the key or the setting that cannot be used, or says that nothing is travelled.
    pub fn from_keys(
        name: impl Into<String>,
        kind: DistanceKind,
        times: &[f64],
        signed: &[f64],
        settings: &SplitSettings,
    ) -> Result<Self, LocomotionError> {
        let parts = split::split(kind, times, signed, settings)?;
        Self::assemble(name.into(), kind, parts.start, parts.step, &parts.distances, &parts.remainders)
    }

    /// A curve as it travels with a clip, of this name. Its kind is told by its signs ([`DistanceKind::of`]); a loop is
    /// one where the bake has stored that beside it, else it comes back as a start and needs
    /// [`DistanceCurve::into_loop`]. Between keys it is a straight line, as [`Curve::sample`] has it.
    ///
    /// # Errors
    /// [`LocomotionError`] where there is none, where it is stored so that it cannot be looked up, or where a
    /// distance repeats or falls.
    pub fn from_clip_curves(curves: &[Curve], name: &str) -> Result<Self, LocomotionError> {
        let find = |name: &str| curves.iter().find(|c| c.name == name);
        let Some(curve) = find(name) else {
            return Err(LocomotionError::NoCurve { name: name.into() });
        };
        let track = curve.track();
        let storage = match track.interpolation() {
            Interpolation::Linear => None,
            Interpolation::Step => Some("stepped"),
            Interpolation::CubicSpline => Some("cubic"),
        };
        if let Some(storage) = storage {
            return Err(LocomotionError::NotIndexable { name: name.into(), storage });
        }
        let (times, values) = (track.times(), track.values());
        if times.len() < 2 {
            return Err(LocomotionError::TooFewKeys { found: times.len() });
        }
        for (key, pair) in values.windows(2).enumerate() {
            if !(pair[1] > pair[0]) {
                let (value, previous) = (f64::from(pair[1]), f64::from(pair[0]));
                let (name, key) = (name.into(), key + 1);
                return Err(LocomotionError::NotMonotone { name, key, time: times[key], value, previous });
            }
        }
        let (start, end) = (track.start(), track.end());
        let (step, count) = split::grid_of_keys(times)?;
        let at = |i: usize| if i == count { end } else { start + step * i as f64 };
        let distances: Vec<f64> = (0..=count).map(|i| curve.sample(at(i))).collect();
        let rest = find(&format!("{name}{REMAINDER}"));
        let remainders: Vec<f32> =
            (0..=count).map(|i| rest.map_or(0.0, |r| r.sample(at(i)) as f32)).collect();
        let kind = DistanceKind::of([distances[0], distances[count]]);
        let stored = Self::assemble(name.into(), kind, start, step, &distances, &remainders)?;
        let is_loop = curves.iter().any(|c| kind_of_heading(&c.name, name) == Some(DistanceKind::Loop));
        if is_loop { stored.into_loop() } else { Ok(stored) }
    }

    fn assemble(
        name: String,
        kind: DistanceKind,
        start: f64,
        step: f64,
        distances: &[f64],
        remainders: &[f32],
    ) -> Result<Self, LocomotionError> {
        let (first, last) = (distances[0], distances[distances.len() - 1]);
        for value in [first, last] {
            in_range("a distance in metres", value, -MAX_DISTANCE, MAX_DISTANCE, "-1e6 to 1e6")?;
        }
        if !(last - first >= LEAST_RANGE) {
            let cure = "bake a clip whose root moves, or name the joint that does";
            return Err(LocomotionError::NoTravel { range: last - first, least: LEAST_RANGE, cure });
        }
        finite("a step in seconds", 1.0 / step)?;
        let per_metre = distances.len() as f64 / (last - first);
        let mut samples: Vec<Sample> = Vec::with_capacity(distances.len());
        let mut next = 0;
        for (number, (distance, remainder)) in distances.iter().zip(remainders).enumerate() {
            while next < distances.len() && bucket(distances[next] - first, per_metre) < number {
                next += 1;
            }
            let before = next.saturating_sub(1) as u32;
            samples.push(Sample { distance: *distance, remainder: *remainder, before });
        }
        let (duration, per_second) = (step * (distances.len() - 1) as f64, 1.0 / step);
        let (end_speed, seconds_a_metre_at_end) = (0.0, 0.0);
        let mut curve = Self {
            name,
            kind,
            start,
            step,
            duration,
            per_second,
            samples,
            per_metre,
            end_speed,
            seconds_a_metre_at_end,
        };
        curve.end_speed = curve.speed_at_end(END);
        curve.seconds_a_metre_at_end = 1.0 / curve.end_speed.max(LEAST_END_SPEED);
        Ok(curve)
    }

    /// The curve and its remainder as they travel with a clip: linear keys in single precision, still strictly
    /// increasing. (Of a stretch without progress that lies more than 30 m from the marker, keys are as close as
    /// single precision has numbers.)
    ///
    /// # Errors
    /// [`LocomotionError::Track`] where the curve starts before 0.
    pub fn to_curves(&self) -> Result<[Curve; 2], LocomotionError> {
        let times: std::sync::Arc<[f64]> =
            (0..self.samples.len()).map(|i| self.start + self.step * i as f64).collect();
        let mut values: Vec<f32> = self.samples.iter().map(|s| s.distance as f32).collect();
        // What is equal in single precision goes apart by the least there is, away from the marker.
        let zero = values.partition_point(|v| *v < 0.0).min(values.len() - 1);
        for i in zero + 1..values.len() {
            values[i] = values[i].max(values[i - 1].next_up());
        }
        for i in (0..zero).rev() {
            values[i] = values[i].min(values[i + 1].next_down());
        }
        Ok([
            Curve::new(self.name.clone(), times.clone(), values, Interpolation::Linear)?,
            Curve::new(
                format!("{}{REMAINDER}", self.name),
                times,
                self.samples.iter().map(|s| s.remainder).collect::<Vec<_>>(),
                Interpolation::Linear,
            )?,
        ])
    }

    /// The same distances, to be played round and round.
    ///
    /// # Errors
    /// [`LocomotionError::Kind`] of a curve that counts down.
    pub fn into_loop(self) -> Result<Self, LocomotionError> {
        let [first, _] = self.distances();
        if !matches!(self.kind, DistanceKind::Start | DistanceKind::Loop) {
            return Err(LocomotionError::Kind { found: self.kind.name(), expected: "start or loop" });
        }
        let distances: Vec<f64> = self.samples.iter().map(|s| s.distance - first).collect();
        let remainders: Vec<f32> = self.samples.iter().map(|s| s.remainder).collect();
        Self::assemble(self.name, DistanceKind::Loop, self.start, self.step, &distances, &remainders)
    }

    /// What people call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it counts.
    #[inline]
    #[must_use]
    pub fn kind(&self) -> DistanceKind {
        self.kind
    }

    /// First and last moment, seconds within the clip.
    #[inline]
    #[must_use]
    pub fn span(&self) -> [f64; 2] {
        [self.start, self.start + self.duration]
    }

    /// Seconds from the first to the last sample.
    #[inline]
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Number of samples.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a curve has two samples or more")]
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// First and last distance, metres.
    #[inline]
    #[must_use]
    pub fn distances(&self) -> [f64; 2] {
        [self.samples[0].distance, self.samples[self.samples.len() - 1].distance]
    }

    /// Metres from the first to the last distance.
    #[inline]
    #[must_use]
    pub fn range(&self) -> f64 {
        let [first, last] = self.distances();
        last - first
    }

    /// Where a time is, clamped; NaN is the start.
    #[inline]
    pub(super) fn place(&self, time: f64) -> Place {
        let at = (time - self.start) * self.per_second;
        // Plain comparisons: one instruction each, and the second value where the first is none.
        let at = if at > 0.0 { at } else { 0.0 };
        let sample = (at as u32 as usize).min(self.samples.len() - 2);
        let share = at - sample as f64;
        let share = if share < 1.0 { share } else { 1.0 };
        let pair = [self.samples[sample], self.samples[sample + 1]];
        let [a, b] = pair.map(|s| s.distance);
        Place { sample, pair, share, distance: a + (b - a) * share }
    }

    /// Distance at a time, metres; clamped to the ends.
    #[inline]
    #[must_use]
    pub fn distance_at(&self, time: f64) -> f64 {
        self.place(time).distance
    }

    /// What the root does besides at a time, metres along the way of travel: how far the pelvis is ahead.
    #[inline]
    #[must_use]
    pub fn remainder_at(&self, time: f64) -> f64 {
        self.place(time).remainder()
    }

    /// Signed path of the root relative to the marker at a time, metres: distance plus remainder.
    #[must_use]
    pub fn signed_at(&self, time: f64) -> f64 {
        self.distance_at(time) + self.remainder_at(time)
    }

    /// Speed of the distance at a time, metres a second; above 0.
    #[must_use]
    pub fn speed_at(&self, time: f64) -> f64 {
        let [a, b] = self.place(time).pair;
        (b.distance - a.distance) * self.per_second
    }

    /// The moment at which a distance is reached, seconds within the clip; of one outside, the end next to it,
    /// and of NaN the start.
    #[must_use]
    pub fn time_at(&self, distance: f64) -> f64 {
        let [first, last] = self.distances();
        if !(distance > first) {
            return self.start;
        }
        if distance >= last {
            return self.start + self.duration();
        }
        let end = self.samples.len() - 1;
        let number = bucket(distance - first, self.per_metre).min(end);
        let mut low = self.samples[number].before as usize;
        let mut width = self.samples.get(number + 1).map_or(end, |next| next.before as usize + 1) - low;
        while width > 1 {
            let half = width / 2;
            low += half * usize::from(self.samples[low + half].distance <= distance);
            width -= half;
        }
        let (a, b) = (self.samples[low].distance, self.samples[low + 1].distance);
        self.start + self.step * (low as f64 + (distance - a) / (b - a))
    }

    /// The same, looked for near a playhead first: there it is nearly always.
    #[inline]
    pub(super) fn time_near(&self, place: &Place, distance: f64) -> f64 {
        let low = place.sample.saturating_sub(BEHIND).min(self.samples.len().saturating_sub(NEAR + 1));
        let Some(near) = self.samples[low..].first_chunk::<{ NEAR + 1 }>() else {
            return self.time_at(distance);
        };
        if !(near[0].distance <= distance && distance < near[NEAR].distance) {
            return self.time_at(distance);
        }
        let mut at = 0;
        for half in [8, 4, 2, 1] {
            at += half * usize::from(near[(at + half) % NEAR].distance <= distance);
        }
        let (a, b) = (near[at % NEAR].distance, near[at % NEAR + 1].distance);
        self.start + self.step * ((low + at) as f64 + (distance - a) / (b - a))
    }

    /// Mean speed over the first `seconds` of the curve, metres a second.
    #[must_use]
    pub fn speed_at_start(&self, seconds: f64) -> f64 {
        let [start, _] = self.span();
        let seconds = seconds.clamp(self.step, self.duration());
        (self.distance_at(start + seconds) - self.distances()[0]) / seconds
    }

    /// Mean speed over the last `seconds` of the curve, metres a second.
    #[must_use]
    pub fn speed_at_end(&self, seconds: f64) -> f64 {
        let [_, end] = self.span();
        let seconds = seconds.clamp(self.step, self.duration());
        (self.distances()[1] - self.distance_at(end - seconds)) / seconds
    }

    /// Speed at the end: the mean of the last thirtieth of a second, metres a second; what a curve that hands over
    /// goes on with.
    #[inline]
    #[must_use]
    pub fn end_speed(&self) -> f64 {
        self.end_speed
    }

    /// One over the speed at the end, where that is something.
    #[inline]
    pub(super) fn seconds_a_metre_at_end(&self) -> f64 {
        self.seconds_a_metre_at_end
    }

    /// Largest remainder on either side, metres.
    #[must_use]
    pub fn largest_remainder(&self) -> f64 {
        self.samples.iter().fold(0.0, |most, s| most.max(f64::from(s.remainder.abs())))
    }
}
