//! The way of a clip that runs in place, told by the feet that stand.
//!
//! A foot on the ground stays where it is, so in a clip that goes nowhere it moves backwards as fast as the
//! character would move on. Between two stances the speed is interpolated.

use glam::{DVec2, DVec3};

use super::super::error::{LocomotionError, in_range};
use super::RootPath;
use super::root_path::{plane, sample_times};
use crate::{JointId, RawClip, Skeleton};

/// How travel is told by feet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeetSettings {
    /// A foot stands below this height above its lowest point, metres.
    pub height: f64,
    /// Where the ground goes by more slowly than this, the clip stands, metres a second.
    pub still_speed: f64,
    /// Speeds that differ from the middle one by more than this share are of feet that land or leave.
    pub gate: f64,
    /// Most uncertainty that is taken, as a share of the speed.
    pub limit: f64,
    /// The speed of the character where it is known, metres a second: the feet then only say the direction and
    /// how the speed is shared out over the clip.
    pub speed: Option<f64>,
}

impl Default for FeetSettings {
    /// 3 cm, 15 cm/s, 35 %, and 5 % of uncertainty.
    fn default() -> Self {
        Self { height: 0.03, still_speed: 0.15, gate: 0.35, limit: 0.05, speed: None }
    }
}

/// A foot that stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootStance {
    /// Which foot, in the order they were given.
    pub foot: usize,
    /// Where it lands and where it leaves, seconds.
    pub span: [f64; 2],
    /// How fast the ground goes by under it, metres a second.
    pub speed: f64,
}

/// What feet say about a clip in place.
#[derive(Clone, Debug, PartialEq)]
pub struct FeetTravel {
    /// Where the root would be.
    pub path: RootPath,
    /// Mean speed, metres a second.
    pub speed: f64,
    /// How far the speed may be off, as a share of it: twice the standard error of the speeds of single
    /// intervals plus half the difference between the feet.
    pub uncertainty: f64,
    /// In order of foot and time.
    pub stances: Vec<FootStance>,
}

/// Keys a second, at most, that are taken to say something new.
const MOST_KEYS: f64 = 30.0;

/// Foot speeds of one interval between two frames.
#[derive(Clone, Copy, Debug)]
struct Standing {
    foot: usize,
    interval: usize,
    speed: f64,
}

impl FeetSettings {
    /// The same for a character so many times as large.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> Self {
        Self { height: self.height * scale, still_speed: self.still_speed * scale, ..*self }
    }
}

impl FeetTravel {
    /// From the points that touch the ground, `rate` samples a second of the joints named.
    ///
    /// # Errors
    /// As [`FeetTravel::from_points`]; [`LocomotionError::NoSuchJoint`].
    pub fn find(
        skeleton: &Skeleton,
        clip: &RawClip,
        feet: &[JointId],
        rate: f64,
        settings: &FeetSettings,
    ) -> Result<Self, LocomotionError> {
        clip.validate(skeleton)?;
        if let Some(&joint) = feet.iter().find(|joint| joint.index() >= skeleton.len()) {
            return Err(LocomotionError::NoSuchJoint { joint, joints: skeleton.len() });
        }
        let times = sample_times(clip, rate)?;
        let (mut pose, mut model_ms) = (crate::RawPose::default(), Vec::new());
        let mut points = vec![Vec::with_capacity(times.len()); feet.len()];
        for time in &times {
            clip.sample(skeleton, *time, &mut pose);
            crate::model_matrices(skeleton, &pose, &mut model_ms);
            for (points, joint) in points.iter_mut().zip(feet) {
                points.push(model_ms[joint.index()].w_axis.truncate());
            }
        }
        Self::from_points(times, &points, settings)
    }

    /// From points that touch the ground, `[foot][time]`, model space, metres. A point need not be on the
    /// sole: its height counts from where it is lowest.
    ///
    /// # Errors
    /// [`LocomotionError::NoStance`] where no foot ever stands, [`LocomotionError::Stands`] where those that stand
    /// stay where they are, [`LocomotionError::Uncertain`] where they do not agree and no speed was given.
    pub fn from_points(
        times: Vec<f64>,
        feet: &[Vec<DVec3>],
        settings: &FeetSettings,
    ) -> Result<Self, LocomotionError> {
        check(&times, feet, settings)?;
        let runs = low_runs(feet, settings.height);
        if runs.iter().all(Vec::is_empty) {
            return Err(LocomotionError::NoStance { named: feet.len() });
        }
        let least = settings.still_speed;
        let stands = |speed| LocomotionError::Stands { speed, least };
        let direction = direction(feet, &runs).ok_or(stands(0.0))?;
        let standing = standing(&times, feet, &runs, direction, settings.gate);
        let speeds = interval_speeds(&times, &standing);
        let seconds = times[times.len() - 1] - times[0];
        let travelled: f64 = speeds.iter().zip(times.windows(2)).map(|(v, t)| v * (t[1] - t[0])).sum();
        let found = travelled / seconds;
        if !(found >= least) {
            return Err(stands(found));
        }
        let interval = seconds / (times.len() - 1) as f64;
        let uncertainty = uncertainty(&standing, feet.len(), found, interval);
        let scale = match settings.speed {
            Some(speed) => speed / found,
            None if uncertainty > settings.limit => {
                let (speed, share, limit) = (found, uncertainty, settings.limit);
                return Err(LocomotionError::Uncertain { speed, share, limit });
            }
            None => 1.0,
        };
        let mut points = vec![DVec2::ZERO];
        for (i, speed) in speeds.iter().enumerate() {
            points.push(points[i] + direction * (speed * scale * (times[i + 1] - times[i])));
        }
        let stances = stances(&times, &standing);
        let path = RootPath::from_points(times, points)?;
        let uncertainty = if settings.speed.is_some() { 0.0 } else { uncertainty };
        Ok(Self { path, speed: found * scale, uncertainty, stances })
    }
}

fn check(times: &[f64], feet: &[Vec<DVec3>], settings: &FeetSettings) -> Result<(), LocomotionError> {
    super::super::split::check_keys(times, times)?;
    in_range("the height of standing", settings.height, 1e-6, 1e3, "1e-6 to 1000")?;
    in_range("the speed of standing", settings.still_speed, 1e-6, 1e3, "1e-6 to 1000")?;
    in_range("the gate of foot speeds", settings.gate, 0.0, 1.0, "0 to 1")?;
    in_range("the limit of uncertainty", settings.limit, 0.0, 1.0, "0 to 1")?;
    if let Some(speed) = settings.speed {
        in_range("the speed given", speed, 1e-6, 1e4, "1e-6 to 1e4")?;
    }
    if feet.is_empty() {
        return Err(LocomotionError::NoStance { named: 0 });
    }
    for points in feet {
        if points.len() != times.len() {
            return Err(LocomotionError::KeyCount { times: times.len(), values: points.len() });
        }
        for point in points {
            for value in point.to_array() {
                in_range("a foot's place in metres", value, -1e6, 1e6, "-1e6 to 1e6")?;
            }
        }
    }
    Ok(())
}

/// `[foot]`: runs of intervals with both ends near the ground, as first and last interval. The first and the
/// last interval of a longer run are left out: the foot lands and leaves within them.
fn low_runs(feet: &[Vec<DVec3>], height: f64) -> Vec<Vec<[usize; 2]>> {
    feet.iter()
        .map(|points| {
            let ground = points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            let low = |i: usize| points[i].y < ground + height;
            let mut runs: Vec<[usize; 2]> = Vec::new();
            for i in 0..points.len() - 1 {
                if !(low(i) && low(i + 1)) {
                    continue;
                }
                match runs.last_mut() {
                    Some(run) if run[1] + 1 == i => run[1] = i,
                    _ => runs.push([i, i]),
                }
            }
            let last = points.len() - 2;
            for run in &mut runs {
                if run[1] - run[0] >= 3 {
                    // A run cut by the clip's own ends stands there.
                    run[0] += usize::from(run[0] > 0);
                    run[1] -= usize::from(run[1] < last);
                }
            }
            runs
        })
        .collect()
}

/// Where the character would go: against the way that standing feet move.
fn direction(feet: &[Vec<DVec3>], runs: &[Vec<[usize; 2]>]) -> Option<DVec2> {
    let mut way = DVec2::ZERO;
    for (points, runs) in feet.iter().zip(runs) {
        for [from, to] in runs {
            way -= plane(points[to + 1] - points[*from]);
        }
    }
    if way.length() > 1e-6 { way.try_normalize() } else { None }
}

/// Intervals in which a foot stands: of those near the ground, the ones about as fast as the middle one.
fn standing(
    times: &[f64],
    feet: &[Vec<DVec3>],
    runs: &[Vec<[usize; 2]>],
    direction: DVec2,
    gate: f64,
) -> Vec<Standing> {
    let mut all = Vec::new();
    for (foot, (points, runs)) in feet.iter().zip(runs).enumerate() {
        for interval in runs.iter().flat_map(|[from, to]| *from..=*to) {
            let by = plane(points[interval + 1] - points[interval]);
            let speed = -by.dot(direction) / (times[interval + 1] - times[interval]);
            all.push(Standing { foot, interval, speed });
        }
    }
    let mut speeds: Vec<f64> = all.iter().map(|s| s.speed).filter(|v| *v > 0.0).collect();
    speeds.sort_by(f64::total_cmp);
    let Some(middle) = speeds.get(speeds.len() / 2).copied() else { return Vec::new() };
    all.retain(|s| (s.speed - middle).abs() <= gate * middle);
    all
}

/// `[interval]`: mean of the feet that stand, interpolated where none does.
fn interval_speeds(times: &[f64], standing: &[Standing]) -> Vec<f64> {
    let count = times.len() - 1;
    let (mut sums, mut counts) = (vec![0.0; count], vec![0.0; count]);
    for s in standing {
        sums[s.interval] += s.speed;
        counts[s.interval] += 1.0;
    }
    let known: Vec<usize> = (0..count).filter(|i| counts[*i] > 0.0).collect();
    let speed = |i: usize| sums[i] / counts[i];
    let middle = |i: usize| 0.5 * (times[i] + times[i + 1]);
    (0..count)
        .map(|i| {
            let next = known.partition_point(|k| *k < i);
            match (next.checked_sub(1).map(|b| known[b]), known.get(next)) {
                (_, Some(&at)) if at == i => speed(i),
                (Some(a), Some(&b)) => {
                    let u = (middle(i) - middle(a)) / (middle(b) - middle(a));
                    speed(a) + (speed(b) - speed(a)) * u
                }
                (Some(a), None) => speed(a),
                (None, Some(&b)) => speed(b),
                (None, None) => 0.0,
            }
        })
        .collect()
}

/// Twice the standard error of the mean and half of what feet disagree by, as a share of the speed; of intervals of so
/// many seconds.
fn uncertainty(standing: &[Standing], feet: usize, mean_speed: f64, interval: f64) -> f64 {
    let count = standing.len() as f64;
    let mean = standing.iter().map(|s| s.speed).sum::<f64>() / count;
    let squares: f64 = standing.iter().map(|s| (s.speed - mean) * (s.speed - mean)).sum();
    // One interval alone says nothing about how far it is off.
    let deviation = if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { mean };
    let of_feet: Vec<f64> = (0..feet)
        .filter_map(|foot| {
            let own: Vec<f64> = standing.iter().filter(|s| s.foot == foot).map(|s| s.speed).collect();
            (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
        })
        .collect();
    let (low, high) =
        of_feet.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    // Samples between two keys say the same once more.
    let independent = (count * interval * MOST_KEYS).clamp(1.0, count);
    (2.0 * deviation / independent.sqrt() + 0.5 * (high - low)) / mean_speed
}

fn stances(times: &[f64], standing: &[Standing]) -> Vec<FootStance> {
    let mut stances: Vec<(FootStance, usize, f64)> = Vec::new();
    for s in standing {
        match stances.last_mut() {
            // An interval that the gate took out does not end a stance.
            Some((stance, last, sum)) if stance.foot == s.foot && s.interval <= *last + 2 => {
                stance.span[1] = times[s.interval + 1];
                (*last, *sum) = (s.interval, *sum + s.speed);
                stance.speed += 1.0;
            }
            _ => {
                let span = [times[s.interval], times[s.interval + 1]];
                stances.push((FootStance { foot: s.foot, span, speed: 1.0 }, s.interval, s.speed));
            }
        }
    }
    // Until here the speed counts the intervals.
    stances.into_iter().map(|(stance, _, sum)| FootStance { speed: sum / stance.speed, ..stance }).collect()
}
