//! The signed path of the root, and the moments at which it starts, stops and turns.
//!
//! Along a path that turns by more than a right angle from one moving sample to the next, the sign of travel
//! flips, and so it does in the middle of a turn round a bend. Reversals shorter than a share of the longest leg are
//! how a body leans before it pushes off, or settles; longer ones are turns, and so are longer pauses between two legs.

use glam::DVec2;

use super::super::curve_names::DISTANCE_CURVE;
use super::super::distance_curve::DistanceCurve;
use super::super::error::{LocomotionError, in_range};
use super::super::split::{DistanceKind, SplitSettings};
use super::RootPath;
use super::bends::{self, Bend, UnmarkedTurn};
use super::way::is_straight;

/// How starts, stops and turns are told from the rest of the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerSettings {
    /// Below this speed the root stands, metres a second.
    pub still_speed: f64,
    /// A way back (or a way on after a pause) shorter than this share of the longest leg is no leg of its own.
    pub turn_back: f64,
    /// A clip starts, or stops, where the first (last) twentieth of its way is slower than this share of its
    /// top speed.
    pub slow_end: f64,
    /// A leg that leaves the straight line by less than this share of its length is measured along the line:
    /// a body sways.
    pub straight: f64,
    /// A turn back that goes round a bend is a turn where the bend is shorter than this, metres; a longer one is a
    /// way round a circle.
    pub bend: f64,
}

impl Default for MarkerSettings {
    /// 15 cm/s, a fifth, a quarter, 15 %, a metre.
    fn default() -> Self {
        Self { still_speed: 0.15, turn_back: 0.2, slow_end: 0.25, straight: 0.15, bend: 1.0 }
    }
}

impl MarkerSettings {
    /// The same for a character so many times as large.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Self {
        Self { still_speed: self.still_speed * scale, bend: self.bend * scale, ..*self }
    }

    fn check(&self) -> Result<(), LocomotionError> {
        in_range("the speed of standing", self.still_speed, 1e-6, 1e3, "1e-6 to 1000")?;
        in_range("the share of a turn", self.turn_back, 0.01, 0.9, "0.01 to 0.9")?;
        in_range("the share of a slow end", self.slow_end, 0.0, 1.0, "0 to 1")?;
        in_range("the share of straightness", self.straight, 0.0, 1.0, "0 to 1")?;
        in_range("the length of a bend", self.bend, 1e-6, 1e3, "1e-6 to 1000")?;
        Ok(())
    }
}

/// A moment at which the root starts, stops, or turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceMarker {
    /// Which of them: a pause between two legs is a turn, if only by an angle of 0.
    pub kind: DistanceKind,
    /// First and last moment without progress there, seconds.
    pub span: [f64; 2],
    /// The moment that distances count from, seconds.
    pub time: f64,
    /// Direction in which the root arrives, of length 1 (x, z); `None` of a start.
    pub before: Option<DVec2>,
    /// Direction in which it leaves; `None` of a stop.
    pub after: Option<DVec2>,
    /// Metres travelled since the start of the clip, legs back and forth added up.
    pub distance: f64,
}

/// A stretch in which the root goes back on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reversal {
    /// Where it starts to, seconds.
    pub from: f64,
    /// Where it goes on again, seconds.
    pub to: f64,
    /// By how much it went back, metres.
    pub distance: f64,
}

/// The path of the root as a distance with a sign.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedPath {
    /// Seconds.
    pub times: Vec<f64>,
    /// `[time]`, metres along the way of travel since the start of the clip: falls where the root goes back
    /// by less than a leg, and rises along every leg.
    pub distances: Vec<f64>,
    /// In order of time; none of a clip that moves all the way through.
    pub markers: Vec<DistanceMarker>,
    /// Ways back that are no legs, from a millimetre up.
    pub reversals: Vec<Reversal>,
    /// Legs that turn by more than a right angle, as a way round a circle does.
    pub turns: Vec<UnmarkedTurn>,
}

impl SignedPath {
    /// Finds sign and markers of a path.
    ///
    /// # Errors
    /// [`LocomotionError`] where a setting is out of range or the path gets nowhere.
    pub fn find(path: &RootPath, settings: &MarkerSettings) -> Result<Self, LocomotionError> {
        settings.check()?;
        let RootPath { times, points, .. } = path;
        let mut bends = bends::bends(points, settings.bend);
        // One so tight that the way turns back between two samples has its flip.
        bends.retain(|bend| flips(times, points, settings.still_speed, bend).is_multiple_of(2));
        let signed = with_flips(times, points, settings.still_speed, &bends);
        let (low, high) = extent(&signed);
        if !(high - low >= super::super::distance_curve::LEAST_RANGE) {
            return Err(LocomotionError::NoTravel {
                range: high - low,
                least: super::super::distance_curve::LEAST_RANGE,
                cure: "the clip's root stands still",
            });
        }
        let mut longest = high - low;
        let mut bounds;
        // Legs are known once their ends are: from one leg over all of the way, shorter ones are looked for until the
        // longest stays as it is.
        loop {
            let least = settings.turn_back * longest;
            bounds = turns(&signed, least);
            add_pauses(&mut bounds, times, &signed, settings.still_speed, least);
            let legs = bounds.windows(2).map(|ends| (signed[ends[1]] - signed[ends[0]]).abs());
            let found = legs.fold(0.0, f64::max);
            if !(found < longest) || found <= 0.0 {
                break;
            }
            longest = found;
        }
        let distances = along_legs(points, &signed, &bounds, settings.straight);
        // Where each leg ends and the next begins: a bend belongs to neither.
        let ends = [0, times.len() - 1];
        let extent_of = |at: &usize| {
            let inside = |bend: &&Bend| !ends.contains(at) && bend.from <= *at && *at <= bend.to;
            bends.iter().find(inside).map_or([*at, *at], |bend| [bend.from, bend.to])
        };
        let extents: Vec<[usize; 2]> = bounds.iter().map(extent_of).collect();
        let stretches = extents.windows(2).map(|ends| [ends[0][1], ends[1][0]]);
        let turns = bends::unmarked(times, points, settings.bend, stretches);
        let (markers, reversals) = (Vec::new(), Vec::new());
        let mut this = Self { times: times.clone(), distances, markers, reversals, turns };
        this.find_markers(points, &bounds, &extents, settings);
        this.find_reversals();
        Ok(this)
    }

    fn find_markers(
        &mut self,
        points: &[DVec2],
        bounds: &[usize],
        extents: &[[usize; 2]],
        settings: &MarkerSettings,
    ) {
        let last = bounds.len() - 1;
        let peak = self.peak_speed();
        let (first_leg, last_leg) = ([bounds[0], bounds[1]], [bounds[last - 1], bounds[last]]);
        for (i, at) in bounds.iter().enumerate() {
            let kind = if i == 0 {
                if !(self.end_speed(first_leg, false) < settings.slow_end * peak) {
                    continue;
                }
                DistanceKind::Start
            } else if i == last {
                if !(self.end_speed(last_leg, true) < settings.slow_end * peak) {
                    continue;
                }
                DistanceKind::Stop
            } else {
                DistanceKind::Pivot
            };
            let [ends, begins] = extents[i];
            let before = (i > 0).then(|| self.heading(points, [extents[i - 1][1], ends], true)).flatten();
            let after =
                (i < last).then(|| self.heading(points, [begins, extents[i + 1][0]], false)).flatten();
            let from = if i > 0 { bounds[i - 1] } else { *at };
            let to = if i < last { bounds[i + 1] } else { *at };
            let span = self.stillness(from, *at, to);
            let (time, distance) = (self.times[*at], self.distances[*at]);
            self.markers.push(DistanceMarker { kind, span, time, before, after, distance });
        }
    }

    /// Fastest over three intervals, metres a second.
    fn peak_speed(&self) -> f64 {
        let over = 3.min(self.times.len() - 1);
        let speed = |i: usize| {
            (self.distances[i + over] - self.distances[i]) / (self.times[i + over] - self.times[i])
        };
        (0..self.times.len() - over).map(speed).fold(0.0, f64::max)
    }

    /// Mean speed over the first, or last, twentieth of a leg, metres a second.
    fn end_speed(&self, [from, to]: [usize; 2], last: bool) -> f64 {
        let (a, b) = (self.distances[from], self.distances[to]);
        let part = 0.05 * (b - a);
        let (t, d) = (&self.times, &self.distances);
        // The last moment up to which, or the first from which on, no more than that is covered.
        if last {
            let Some(at) = (from..to).rev().find(|i| d[*i] <= b - part) else { return f64::INFINITY };
            let u = ((b - part - d[at]) / (d[at + 1] - d[at])).clamp(0.0, 1.0);
            let time = t[at] + (t[at + 1] - t[at]) * u;
            return part / (t[to] - time);
        }
        let Some(at) = (from + 1..=to).find(|i| d[*i] >= a + part) else { return f64::INFINITY };
        let u = ((a + part - d[at - 1]) / (d[at] - d[at - 1])).clamp(0.0, 1.0);
        part / (t[at - 1] + (t[at] - t[at - 1]) * u - t[from])
    }

    /// Direction of a leg near its end, or its start.
    fn heading(&self, points: &[DVec2], [from, to]: [usize; 2], at_end: bool) -> Option<DVec2> {
        let reach = (0.5 * (self.distances[to] - self.distances[from])).min(0.5);
        let other = if at_end {
            (from..to).rev().find(|i| self.distances[to] - self.distances[*i] >= reach).unwrap_or(from)
        } else {
            (from + 1..=to).find(|i| self.distances[*i] - self.distances[from] >= reach).unwrap_or(to)
        };
        let way = if at_end { points[to] - points[other] } else { points[other] - points[from] };
        way.try_normalize()
    }

    /// First and last moment around a marker without a millimetre of progress.
    fn stillness(&self, from: usize, at: usize, to: usize) -> [f64; 2] {
        let here = self.distances[at];
        let first = (from..at).rev().take_while(|i| self.distances[*i] > here - 1e-3).last().unwrap_or(at);
        let last = (at + 1..=to).take_while(|i| self.distances[*i] < here + 1e-3).last().unwrap_or(at);
        [self.times[first], self.times[last]]
    }

    fn find_reversals(&mut self) {
        let (mut top, mut low) = (0, 0);
        for i in 1..=self.distances.len() {
            let back = self.distances.get(i).is_some_and(|d| *d < self.distances[top]);
            if back {
                if self.distances[i] < self.distances[low] || low <= top {
                    low = i;
                }
                continue;
            }
            let distance = self.distances[top] - self.distances[low.max(top)];
            if distance >= 1e-3 {
                self.reversals.push(Reversal { from: self.times[top], to: self.times[low], distance });
            }
            (top, low) = (i, i);
        }
    }

    /// One curve a marker, over the time from the marker before to the one after it; of a path without
    /// markers one curve of a loop.
    ///
    /// # Errors
    /// [`LocomotionError`] as [`DistanceCurve::from_keys`].
    pub fn curves(&self, settings: &SplitSettings) -> Result<Vec<DistanceCurve>, LocomotionError> {
        let last = self.times.len() - 1;
        if self.markers.is_empty() {
            let from = self.distances[0];
            let signed: Vec<f64> = self.distances.iter().map(|d| d - from).collect();
            return Ok(vec![DistanceCurve::from_keys(
                DISTANCE_CURVE,
                DistanceKind::Loop,
                &self.times,
                &signed,
                settings,
            )?]);
        }
        let at = |time: f64| self.times.partition_point(|t| *t < time).min(last);
        let mut curves = Vec::with_capacity(self.markers.len());
        for (i, marker) in self.markers.iter().enumerate() {
            let from = i.checked_sub(1).map_or(0, |before| at(self.markers[before].time));
            let to = self.markers.get(i + 1).map_or(last, |after| at(after.time));
            let signed: Vec<f64> = self.distances[from..=to].iter().map(|d| d - marker.distance).collect();
            let name = if self.markers.len() == 1 {
                DISTANCE_CURVE.to_owned()
            } else {
                format!("{DISTANCE_CURVE}/{i}")
            };
            curves.push(DistanceCurve::from_keys(
                name,
                marker.kind,
                &self.times[from..=to],
                &signed,
                settings,
            )?);
        }
        Ok(curves)
    }
}

fn extent(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)))
}

/// Arc length whose sign flips where the path turns back, at once or round a bend.
fn with_flips(times: &[f64], points: &[DVec2], still_speed: f64, bends: &[Bend]) -> Vec<f64> {
    let (mut sign, mut heading) = (1.0, None::<DVec2>);
    let mut signed = vec![0.0; points.len()];
    let mut rounded = bends.iter().map(|bend| bend.at).peekable();
    for i in 1..points.len() {
        if rounded.next_if_eq(&(i - 1)).is_some() {
            sign = -sign;
        }
        let by = points[i] - points[i - 1];
        let dt = times[i] - times[i - 1];
        let moves = by.length() > still_speed * dt;
        let along = match heading {
            None => by.length(),
            // What is too slow to have a direction counts along the last one.
            Some(heading) if !moves => sign * by.dot(heading),
            Some(heading) => {
                if by.dot(heading) < 0.0 {
                    sign = -sign;
                }
                sign * by.length()
            }
        };
        if moves {
            heading = by.try_normalize().or(heading);
        }
        signed[i] = signed[i - 1] + along;
    }
    signed
}

/// How often the way turns back at once within a bend.
fn flips(times: &[f64], points: &[DVec2], still_speed: f64, bend: &Bend) -> usize {
    let moves = |i: &usize| (points[*i] - points[i - 1]).length() > still_speed * (times[*i] - times[i - 1]);
    let moving: Vec<DVec2> =
        (bend.from.max(1)..=bend.to).filter(moves).map(|i| points[i] - points[i - 1]).collect();
    moving.windows(2).filter(|pair| pair[0].dot(pair[1]) < 0.0).count()
}

/// First and last sample, and between them the extremes that lie `least` apart.
fn turns(signed: &[f64], least: f64) -> Vec<usize> {
    let mut bounds = vec![0];
    let (mut low, mut high) = (0, 0);
    let mut rising = None;
    for i in 1..signed.len() {
        if signed[i] > signed[high] {
            high = i;
        }
        if signed[i] < signed[low] {
            low = i;
        }
        match rising {
            None if signed[i] - signed[low] >= least => {
                // What went back by more than a leg before it is a leg too; less is a lean.
                if signed[0] - signed[low] >= least {
                    bounds.push(low);
                }
                (rising, high) = (Some(true), i);
            }
            None if signed[high] - signed[i] >= least => {
                if signed[high] - signed[0] >= least {
                    bounds.push(high);
                }
                (rising, low) = (Some(false), i);
            }
            Some(true) if signed[high] - signed[i] >= least => {
                bounds.push(high);
                (rising, low) = (Some(false), i);
            }
            Some(false) if signed[i] - signed[low] >= least => {
                bounds.push(low);
                (rising, high) = (Some(true), i);
            }
            _ => {}
        }
    }
    bounds.push(signed.len() - 1);
    bounds.dedup();
    bounds
}

/// Adds the middle of every pause that has a leg of `least` metres on either side.
fn add_pauses(bounds: &mut Vec<usize>, times: &[f64], signed: &[f64], still_speed: f64, least: f64) {
    let last = signed.len() - 1;
    let speed = |i: usize| {
        let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
        (signed[b] - signed[a]).abs() / (times[b] - times[a])
    };
    let mut i = 0;
    while i <= last {
        if !(speed(i) < still_speed) {
            i += 1;
            continue;
        }
        let from = i;
        while i < last && speed(i + 1) < still_speed {
            i += 1;
        }
        let middle = from + (i - from) / 2;
        i += 1;
        let next = bounds.partition_point(|b| *b <= middle);
        let (Some(before), Some(after)) = (next.checked_sub(1), bounds.get(next)) else { continue };
        let ways = [signed[middle] - signed[bounds[before]], signed[*after] - signed[middle]];
        if ways.iter().all(|way| way.abs() >= least) {
            bounds.insert(next, middle);
        }
    }
}

/// Metres since the first sample with every leg rising, straight legs measured along the line.
fn along_legs(points: &[DVec2], signed: &[f64], bounds: &[usize], straight: f64) -> Vec<f64> {
    let mut distances = vec![0.0; signed.len()];
    for leg in bounds.windows(2) {
        let (from, to) = (leg[0], leg[1]);
        let chord = points[to] - points[from];
        let way = chord.normalize_or_zero();
        let arc: f64 = (from + 1..=to).map(|i| points[i].distance(points[i - 1])).sum();
        let is_straight = is_straight(&points[from..=to], arc, straight);
        let sign = if signed[to] < signed[from] { -1.0 } else { 1.0 };
        for i in from + 1..=to {
            let by = if is_straight {
                way.dot(points[i] - points[i - 1])
            } else {
                sign * (signed[i] - signed[i - 1])
            };
            distances[i] = distances[i - 1] + by;
        }
    }
    distances
}
