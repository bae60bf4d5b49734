//! A start that takes its time as the mover does.

use super::super::GroundMover;
use super::super::curve_names::is_of_bake;
use super::super::distance_curve::DistanceCurve;
use super::super::error::{LocomotionError, in_range};
use super::super::split::{DistanceKind, SplitSettings};
use super::job::{DistanceBake, DistanceBakeSettings, DistanceTravel};
use crate::{Channel, Curve, Event, RawClip, RetimeError, Skeleton, Track, resample};

/// Moments of the map for each sample of the curve: where a mover is slow, its time is the root of the distance, and a
/// line from one sample to the next would cut it short.
const MOMENTS_A_SAMPLE: usize = 8;

/// Keys of a retimed clip for each sample of its path: time is stretched unevenly between two samples.
const KEYS_A_SAMPLE: f64 = 4.0;

/// Keys closer than this are one, seconds.
const LEAST_STEP: f64 = 1e-4;

/// New moments for those of a clip, increasing.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeMap {
    from: Vec<f64>,
    to: Vec<f64>,
}

impl TimeMap {
    /// The new moment of an old one, clamped to the ends.
    #[must_use]
    pub fn new_time(&self, old: f64) -> f64 {
        map(&self.from, &self.to, old)
    }

    /// The old moment of a new one, clamped to the ends.
    #[must_use]
    pub fn old_time(&self, new: f64) -> f64 {
        map(&self.to, &self.from, new)
    }

    /// The clip with its keys and events at their new moments, `rate` keys a second before that. Keys that come
    /// to lie at one moment are one.
    ///
    /// # Errors
    /// [`RetimeError`] as [`resample`].
    pub fn apply(&self, clip: &RawClip, rate: f64) -> Result<RawClip, RetimeError> {
        let even = resample(clip, rate)?;
        let channels = even.channels.iter().map(|c| {
            let track = self.track(&c.track)?;
            Ok(Channel { joint: c.joint, target: c.target, track, source: c.source })
        });
        let channels = channels.collect::<Result<_, RetimeError>>()?;
        let curves = even.curves.iter().map(|curve| {
            let track = self.track(curve.track())?;
            let (times, values) = (track.times().clone(), track.values().clone());
            Ok(Curve::new(curve.name.clone(), times, values, track.interpolation())?)
        });
        let curves = curves.collect::<Result<_, RetimeError>>()?;
        let events = even.events.iter().map(|e| Event { name: e.name.clone(), time: self.new_time(e.time) });
        Ok(RawClip {
            name: clip.name.clone(),
            source: clip.source,
            channels,
            curves,
            events: events.collect(),
        })
    }

    fn track(&self, track: &Track) -> Result<Track, RetimeError> {
        let width = track.values().len() / track.len();
        let (mut times, mut values) = (Vec::<f64>::new(), Vec::<f32>::new());
        for (time, value) in track.times().iter().zip(track.values().chunks_exact(width)) {
            let time = self.new_time(*time);
            if times.last().is_some_and(|last| time - last < LEAST_STEP) {
                times.pop();
                values.truncate(values.len() - width);
            }
            times.push(time);
            values.extend_from_slice(value);
        }
        Ok(Track::new(times.into(), values.into(), track.width(), track.interpolation())?)
    }
}

fn map(from: &[f64], to: &[f64], at: f64) -> f64 {
    let last = from.len() - 1;
    if !(at > from[0]) {
        return to[0];
    }
    if at >= from[last] {
        return to[last];
    }
    let next = from.partition_point(|t| *t <= at);
    let u = (at - from[next - 1]) / (from[next] - from[next - 1]);
    to[next - 1] + (to[next] - to[next - 1]) * u
}

/// Moves the moments of a start a share of the way to those at which a mover that speeds up evenly is as far:
/// 0 leaves the clip as it is, 1 leaves nothing of what happens before it moves.
///
/// # Errors
/// [`LocomotionError`] where the curve is no start, or a number is out of range.
pub fn retime_start(
    curve: &DistanceCurve,
    mover: &GroundMover,
    share: f64,
) -> Result<(DistanceCurve, TimeMap), LocomotionError> {
    if curve.kind() != DistanceKind::Start {
        return Err(LocomotionError::Kind { found: curve.kind().name(), expected: "start" });
    }
    mover.check()?;
    in_range("the acceleration", mover.acceleration, 1e-6, 1e6, "1e-6 to 1e6")?;
    in_range("the share of retiming", share, 0.0, 1.0, "0 to 1")?;
    let (run_up, top) = (mover.run_up(), mover.max_speed);
    let [start, end] = curve.span();
    let samples = curve.len() - 1;
    let count = samples * MOMENTS_A_SAMPLE;
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for i in 0..=count {
        let time = if i == count { end } else { start + curve.duration() * i as f64 / count as f64 };
        let moved = curve.distance_at(time).max(0.0);
        let seconds = if moved < run_up {
            (2.0 * moved / mover.acceleration).sqrt()
        } else {
            top / mover.acceleration + (moved - run_up) / top
        };
        let new = start + (1.0 - share) * (time - start) + share * seconds;
        if to.last().is_some_and(|last| new - last < LEAST_STEP) {
            // The first moment stays; of the others the later one.
            if from.len() == 1 {
                continue;
            }
            from.pop();
            to.pop();
        }
        from.push(time);
        to.push(new);
    }
    let map = TimeMap { from, to };
    let last = map.new_time(end);
    let time =
        |i: usize| if i == samples { last } else { start + (last - start) * i as f64 / samples as f64 };
    let times: Vec<f64> = (0..=samples).map(time).collect();
    let signed: Vec<f64> = times.iter().map(|time| curve.signed_at(map.old_time(*time))).collect();
    let settings = SplitSettings { samples_per_key: 1, ..SplitSettings::default() };
    let retimed = DistanceCurve::from_keys(curve.name(), DistanceKind::Start, &times, &signed, &settings)?;
    Ok((retimed, map))
}

impl DistanceBake {
    /// The bake of a clip that only starts with its moments moved as [`retime_start`] moves them: clip, curve and path.
    ///
    /// # Errors
    /// [`LocomotionError`] where the clip does more than start, or a number is out of range.
    pub fn retimed(
        &self,
        skeleton: &Skeleton,
        mover: &GroundMover,
        share: f64,
        settings: &DistanceBakeSettings,
    ) -> Result<(Self, TimeMap), LocomotionError> {
        let [curve] = self.curves.as_slice() else {
            let found = self.curves.len();
            return Err(LocomotionError::Count { what: "distance curves", found, expected: 1 });
        };
        let (retimed, map) = retime_start(curve, mover, share)?;
        let mut plain = self.clip.clone();
        plain.curves.retain(|curve| !is_of_bake(&curve.name));
        let clip = map.apply(&plain, KEYS_A_SAMPLE * settings.rate)?;
        let DistanceTravel { mut path, mut root_path, feet } = self.travel();
        // Of samples that come to lie at one moment the last stays.
        let times: Vec<f64> = path.times.iter().map(|time| map.new_time(*time)).collect();
        let stays = |i: &usize| times.get(i + 1).is_none_or(|next| next - times[*i] >= LEAST_STEP);
        let kept: Vec<usize> = (0..times.len()).filter(stays).collect();
        path.times = kept.iter().map(|i| times[*i]).collect();
        path.distances = kept.iter().map(|i| path.distances[*i]).collect();
        root_path.times.clone_from(&path.times);
        root_path.points = kept.iter().map(|i| root_path.points[*i]).collect();
        for marker in &mut path.markers {
            marker.span = marker.span.map(|time| map.new_time(time));
            marker.time = map.new_time(marker.time);
        }
        for reversal in &mut path.reversals {
            (reversal.from, reversal.to) = (map.new_time(reversal.from), map.new_time(reversal.to));
        }
        for turn in &mut path.turns {
            (turn.from, turn.to) = (map.new_time(turn.from), map.new_time(turn.to));
        }
        let travel = DistanceTravel { path, root_path, feet };
        Ok((Self::assemble(skeleton, clip, vec![retimed], travel, settings)?, map))
    }
}
