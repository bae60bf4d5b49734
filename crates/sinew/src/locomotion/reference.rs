//! Distance matching as engines ship it, for comparison: with nothing looked after.
//!
//! Each function does what its widespread counterpart does, with the failures that come of it. A start steps
//! over keys that fall and gives up past the end of the clip; a stop searches keys that may not be sorted and
//! extrapolates beyond them; a bake keeps magnitudes. Nothing here says when it went wrong. Distances are in
//! whatever unit the keys are in.

use glam::DVec2;

/// Seconds of clip that [`advance_by_distance`] steps at a time.
pub const STEP: f64 = 1.0 / 30.0;

/// Keys with straight lines between, as they are: nothing is checked.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    /// Seconds.
    pub times: &'a [f64],
    /// Distance at each time; as many.
    pub values: &'a [f64],
}

impl Keys<'_> {
    /// Length of the clip, seconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Distance at a time, clamped; 0 of no keys, as where a curve cannot be looked up.
    #[must_use]
    pub fn value_at(&self, time: f64) -> f64 {
        let count = self.times.len().min(self.values.len());
        let (times, values) = (&self.times[..count], &self.values[..count]);
        let next = times.partition_point(|t| *t <= time);
        match (next.checked_sub(1), times.get(next)) {
            (None, _) => values.first().copied().unwrap_or(0.0),
            (Some(last), None) => values[last],
            (Some(at), Some(to)) => {
                let u = (time - times[at]) / (to - times[at]);
                values[at] + (values[next] - values[at]) * u
            }
        }
    }
}

/// How a step of [`advance_by_distance`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NaiveOutcome {
    /// The distance was found.
    Reached,
    /// The clip, or as much time as it has, was used up before. The pose freezes where the playhead is; an
    /// engine logs that it failed to advance the distance.
    Aborted,
}

/// A start: from `time`, steps of 1/30 s are added up until they have covered `distance`. A step whose
/// distance falls moves the playhead on and the sum back, so that the playhead cannot rest there.
#[must_use]
pub fn advance_by_distance(keys: Keys<'_>, time: f64, distance: f64) -> (f64, NaiveOutcome) {
    let end = keys.duration();
    let (mut time, mut covered, mut stepped) = (time, 0.0, 0.0);
    while covered < distance {
        if time + 1e-9 >= end {
            return (end, NaiveOutcome::Aborted);
        }
        let next = (time + STEP).min(end);
        let part = keys.value_at(next) - keys.value_at(time);
        if part.abs() > 1e-8 {
            if covered + part < distance {
                time = next;
                covered += part;
            } else {
                time += (distance - covered) / part * (next - time);
                break;
            }
        } else {
            time = next;
        }
        stepped += STEP;
        if stepped > end {
            return (time, NaiveOutcome::Aborted);
        }
    }
    (time, NaiveOutcome::Reached)
}

/// The time that a play-rate clamp lets a step of `dt` seconds reach. Where it acts, the distance is no longer
/// matched.
#[must_use]
pub fn clamp_rate(from: f64, to: f64, dt: f64, limits: [f64; 2]) -> f64 {
    if limits[0] >= 0.0 && limits[0] < limits[1] {
        from + ((to - from) / dt).max(limits[0]).min(limits[1]) * dt
    } else {
        to
    }
}

/// The time of a distance by binary search, which takes for granted that the keys rise. Outside of them it
/// goes on along the first or the last line, to times that the clip does not have. 0 of less than two keys.
#[must_use]
pub fn time_at(keys: Keys<'_>, distance: f64) -> f64 {
    let (times, values) = (keys.times, keys.values);
    if times.len() < 2 || values.len() != times.len() {
        return 0.0;
    }
    let mut first = 1;
    let mut count = times.len() - 2;
    while count > 0 {
        let half = count / 2;
        if distance > values[first + half] {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    let rise = values[first] - values[first - 1];
    let share = if rise.abs() > 1e-8 { (distance - values[first - 1]) / rise } else { 0.0 };
    times[first - 1] + (times[first] - times[first - 1]) * share
}

/// A stop: the time of a distance to go, given as a positive number.
#[must_use]
pub fn match_to_target(keys: Keys<'_>, remaining: f64) -> f64 {
    time_at(keys, -remaining)
}

/// The keys of a bake: distance to where the root is slowest, always a magnitude, negative before that moment
/// and positive after it. `[key]`, in the unit of the points.
#[must_use]
pub fn bake(times: &[f64], points: &[DVec2]) -> Vec<f64> {
    let count = times.len().min(points.len());
    if count < 2 {
        return vec![0.0; count];
    }
    let speed = |i: usize| {
        let (a, b) = (i.saturating_sub(1), (i + 1).min(count - 1));
        (points[b] - points[a]).length() / (times[b] - times[a])
    };
    let slowest = (0..count).min_by(|a, b| speed(*a).total_cmp(&speed(*b))).unwrap_or(0);
    let side = |i: usize| if i < slowest { -1.0 } else { 1.0 };
    (0..count).map(|i| side(i) * (points[i] - points[slowest]).length()).collect()
}

/// Metres to a stop if the deceleration of this moment, `f v + b`, stayed as it is.
#[must_use]
pub fn stop_distance(speed: f64, friction: f64, braking: f64) -> f64 {
    let deceleration = friction * speed + braking;
    let seconds = speed / deceleration;
    speed * seconds - 0.5 * deceleration * seconds * seconds
}

/// Metres to a turn straight back if the deceleration of this moment, `a + 2 f v`, stayed as it is.
#[must_use]
pub fn pivot_distance(speed: f64, friction: f64, acceleration: f64) -> f64 {
    stop_distance(speed, 2.0 * friction, acceleration)
}
