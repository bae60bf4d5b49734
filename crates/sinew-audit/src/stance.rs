//! When feet stand, and how far they slide while they do.
//!
//! Model space throughout. A foot stands while one of its contact points is near the ground and slow against
//! it; of several such points the slowest counts, so that a foot that rolls from heel to toe does not slide.
//! Under a clip that walks in place the ground itself moves: its speed is the one that the standing feet of
//! the whole clip agree on.

use glam::{DMat4, DVec3};
use sinew::{JointId, RawClip};
use sinew_asset::Document;

use crate::feet::{self, Foot};
use crate::model::Model;
use crate::motion::{Chains, Motion, refine};
use crate::rules::FootSlideLimits;
use crate::shown::Shown;

/// One time that a foot stands on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Stance {
    /// The foot's joint.
    pub foot: JointId,
    /// Seconds.
    pub start: f64,
    /// Seconds.
    pub end: f64,
    /// Distance over the ground between where the foot stands at the start and at the end, metres.
    pub net_slide_m: f64,
    /// Length of the way it takes over the ground, metres.
    pub path_m: f64,
    /// Net slide over the time, metres a second.
    pub mean_speed_mps: f64,
    /// Lowest contact point during the stance, metres.
    pub min_height_m: f64,
    /// Highest that the lowest contact point gets, metres.
    pub max_height_m: f64,
    /// Length of the ground that has gone by under a clip that walks in place, metres; otherwise 0.
    pub ground_m: f64,
}

/// A foot over a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct FootMotion {
    /// The foot.
    pub foot: Foot,
    /// Height of the lowest contact point, `[sample]`, metres.
    pub heights_m: Vec<f64>,
    /// Speed over the ground of the slowest contact point near the ground, or of the foot in the air,
    /// `[sample - 1]`, metres a second.
    pub speeds_mps: Vec<f64>,
    /// Where the foot stands, in order.
    pub stances: Vec<Stance>,
}

/// All feet over a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeetMotion {
    /// Seconds, `[sample]`.
    pub times: Vec<f64>,
    /// Velocity of the ground, metres a second; zero where the root travels or the feet stand still.
    pub ground_mps: DVec3,
    /// Share of the time that feet are low in which they move with the ground, 0 to 1; 1 where the root
    /// travels, for then the ground is known to stand. Where no velocity has enough of it there are no stances.
    pub ground_share: f64,
    /// Each foot.
    pub feet: Vec<FootMotion>,
}

/// The feet of a document's character, whatever its clips do.
#[must_use]
pub fn find_feet(document: &Document, limits: &FootSlideLimits) -> Vec<Foot> {
    let shown = Shown::new(document);
    feet::find(document, &shown, &Model::new(document, &shown), limits)
}

/// Feet, stances and slides of one clip of a document.
///
/// # Panics
/// Where `clip` is not an index of [`Document::clips`].
#[must_use]
pub fn feet_motion(document: &Document, clip: usize, limits: &FootSlideLimits) -> FeetMotion {
    let shown = Shown::new(document);
    let model = Model::new(document, &shown);
    let feet = feet::find(document, &shown, &model, limits);
    let motion = Motion::new(&document.skeleton, &model, &document.clips[clip], clip);
    measure(document, &model, &feet, &motion, limits)
}

/// Stances of all feet of one clip, in order of foot and time.
///
/// # Panics
/// Where `clip` is not an index of [`Document::clips`].
#[must_use]
pub fn stances(document: &Document, clip: usize, limits: &FootSlideLimits) -> Vec<Stance> {
    feet_motion(document, clip, limits).feet.into_iter().flat_map(|f| f.stances).collect()
}

/// How far a joint slides over the ground of a clip that does not walk in place, from `start` to `end`
/// seconds, whether it stands or not: net distance and length of the way, metres.
///
/// # Panics
/// Where the joint is not of the document's skeleton.
#[must_use]
pub fn slide_between(
    document: &Document,
    clip: &RawClip,
    joint: JointId,
    start: f64,
    end: f64,
) -> (f64, f64) {
    let chains = Chains::new(&document.skeleton, clip, &[joint]);
    let times = refine(&chains.key_times(), start, end, SAMPLE_S, MOST_SAMPLES);
    let (mut model_ms, mut path, mut first, mut here) = (Vec::new(), 0.0, None, None);
    for &time in &times {
        chains.sample(time, &mut model_ms);
        let Some(at) = chains.slot(joint).map(|s| flat(model_ms[s].w_axis.truncate())) else { break };
        path += here.map_or(0.0, |h: DVec3| (at - h).length());
        first = first.or(Some(at));
        here = Some(at);
    }
    (first.zip(here).map_or(0.0, |(a, b)| (b - a).length()), path)
}

/// Feet are looked at at least this often, and at every key.
const SAMPLE_S: f64 = 1.0 / 120.0;
/// Samples of one clip at most; longer ones without as many keys are sampled more coarsely.
const MOST_SAMPLES: usize = 100_000;

/// What a foot does between two samples.
#[derive(Clone, Copy)]
struct Step {
    seconds: f64,
    /// Over the ground, of the slowest point near it.
    slide: Option<DVec3>,
    /// Of the foot's own joint over the ground, metres a second.
    foot_speed: f64,
}

impl Step {
    fn speed(&self) -> Option<f64> {
        self.slide.map(|s| s.length() / self.seconds)
    }
}

/// Positions of one foot's contact points, `[sample][point]`, flat.
struct Track {
    points: Vec<DVec3>,
    count: usize,
    /// Height of the ground under each point.
    ground: Vec<f64>,
}

impl Track {
    fn at(&self, sample: usize) -> &[DVec3] {
        &self.points[sample * self.count..(sample + 1) * self.count]
    }
}

pub(crate) fn measure(
    document: &Document,
    model: &Model,
    feet: &[Foot],
    motion: &Motion<'_>,
    limits: &FootSlideLimits,
) -> FeetMotion {
    if feet.is_empty() || motion.duration <= 0.0 {
        return FeetMotion::default();
    }
    let joints: Vec<JointId> = feet.iter().flat_map(|f| f.contacts.iter().map(|c| c.joint)).collect();
    let joints: Vec<JointId> = joints.into_iter().chain(feet.iter().map(|f| f.joint)).collect();
    let chains = Chains::new(&document.skeleton, motion.clip, &joints);
    let keys = chains.key_times();
    let most = MOST_SAMPLES.max(keys.len() * 4);
    let times = refine(&keys, 0.0, motion.duration, SAMPLE_S, most);
    let tracks = sample(&chains, feet, &times);
    let gate_m = model.scaled(limits.contact_height_mm) * 1e-3;
    let travels = motion.travel.as_ref().is_some_and(|t| flat(t.net_m).length() > 0.1 * model.size_m);
    let ground = if travels {
        Some(Ground { velocity: DVec3::ZERO, share: 1.0 })
    } else {
        ground_velocity(&tracks, &times, gate_m, model.size_m)
    };
    let Some(Ground { velocity: ground_mps, share: ground_share }) = ground else {
        return FeetMotion { times, ..FeetMotion::default() };
    };
    let feet = feet
        .iter()
        .zip(&tracks)
        .map(|(foot, track)| foot_motion(foot, track, &times, ground_mps, gate_m, model, limits))
        .collect();
    FeetMotion { times, ground_mps, ground_share, feet }
}

/// Contact points of all feet at all times; the foot's own joint comes first.
fn sample(chains: &Chains<'_>, feet: &[Foot], times: &[f64]) -> Vec<Track> {
    let mut tracks: Vec<Track> = feet
        .iter()
        .map(|f| {
            let count = f.contacts.len() + 1;
            Track { points: Vec::with_capacity(count * times.len()), count, ground: Vec::new() }
        })
        .collect();
    let mut model_ms: Vec<DMat4> = Vec::new();
    for &time in times {
        chains.sample(time, &mut model_ms);
        for (foot, track) in feet.iter().zip(&mut tracks) {
            let own = chains.slot(foot.joint).map_or(DVec3::ZERO, |s| model_ms[s].w_axis.truncate());
            track.points.push(own);
            for contact in &foot.contacts {
                let at = chains.slot(contact.joint).map(|s| model_ms[s].transform_point3(contact.offset_ls));
                track.points.push(at.unwrap_or(own));
            }
        }
    }
    for (foot, track) in feet.iter().zip(&mut tracks) {
        let lowest =
            |point: usize| (0..times.len()).map(|s| track.at(s)[point].y).fold(f64::INFINITY, f64::min);
        let mut ground: Vec<f64> = (1..track.count).map(lowest).collect();
        if foot.on_sole {
            // Points of a sole share the ground; joints are at their own heights above it.
            let least = ground.iter().copied().fold(f64::INFINITY, f64::min);
            ground.iter_mut().for_each(|g| *g = least);
        }
        track.ground = ground;
    }
    tracks
}

fn flat(v: DVec3) -> DVec3 {
    DVec3::new(v.x, 0.0, v.z)
}

/// What feet stand on.
struct Ground {
    velocity: DVec3,
    /// Share of the time that feet are low in which they move with it.
    share: f64,
}

/// A foot close to the ground between two samples.
struct Low {
    foot: usize,
    velocity: DVec3,
    seconds: f64,
}

/// Share of the low time that has to agree on a velocity of the ground.
const LEAST_SHARE: f64 = 0.3;

/// Velocity that standing feet agree on: zero where they stand still, `None` where they do not agree.
///
/// The mode of the horizontal velocities of low contact points: swinging feet that come close to the ground
/// cannot pull it, as they would a mean. Ground that moves is believed only under feet that come back to
/// where they were, for a foot that is set elsewhere moves as well.
fn ground_velocity(tracks: &[Track], times: &[f64], gate_m: f64, size_m: f64) -> Option<Ground> {
    let mut low: Vec<Low> = Vec::new();
    for (foot, track) in tracks.iter().enumerate() {
        for sample in 0..times.len() - 1 {
            let seconds = times[sample + 1] - times[sample];
            let (here, next) = (track.at(sample), track.at(sample + 1));
            let lowest = (1..track.count)
                .map(|p| (here[p].y.max(next[p].y) - track.ground[p - 1], p))
                .fold((f64::INFINITY, 0), |best, new| if new.0 < best.0 { new } else { best });
            if lowest.0 <= 0.6 * gate_m && lowest.1 > 0 {
                let velocity = (next[lowest.1] - here[lowest.1]) / seconds;
                if velocity.y.abs() < 0.5 * size_m {
                    low.push(Low { foot, velocity: flat(velocity), seconds });
                }
            }
        }
    }
    let total: f64 = low.iter().map(|l| l.seconds).sum();
    let near = |a: DVec3, b: DVec3| (a - b).length() <= 0.15 * a.length() + 0.06 * size_m;
    // Long clips are thinned for the search; what agrees is then taken from all of it.
    let thin: Vec<&Low> = low.iter().step_by(low.len().div_ceil(4000).max(1)).collect();
    let support = |v: DVec3| thin.iter().filter(|l| near(v, l.velocity)).map(|l| l.seconds).sum::<f64>();
    let still = support(DVec3::ZERO);
    let mut best = (still, DVec3::ZERO);
    for l in thin.iter().step_by(thin.len().div_ceil(400).max(1)) {
        let seconds = support(l.velocity);
        // Feet that stand still half as long as others move do stand still.
        if seconds > best.0 && still < 0.5 * seconds {
            best = (seconds, l.velocity);
        }
    }
    let agreeing: Vec<&Low> = low.iter().filter(|l| near(best.1, l.velocity)).collect();
    let seconds: f64 = agreeing.iter().map(|l| l.seconds).sum();
    let mean = agreeing.iter().map(|l| l.velocity * l.seconds).sum::<DVec3>() / seconds.max(1e-12);
    let share = seconds / total.max(1e-12);
    if share < LEAST_SHARE || !mean.is_finite() {
        return None;
    }
    let duration = times[times.len() - 1] - times[0];
    let comes_back = tracks.iter().enumerate().all(|(foot, track)| {
        let net = flat(track.at(times.len() - 1)[0] - track.at(0)[0]).length();
        !agreeing.iter().any(|l| l.foot == foot) || net < 0.25 * mean.length() * duration
    });
    let moves = mean.length() > 0.15 * size_m && comes_back;
    Some(Ground { velocity: if moves { mean } else { DVec3::ZERO }, share })
}

fn foot_motion(
    foot: &Foot,
    track: &Track,
    times: &[f64],
    ground_mps: DVec3,
    gate_m: f64,
    model: &Model,
    limits: &FootSlideLimits,
) -> FootMotion {
    let steps: Vec<Step> = (0..times.len() - 1)
        .map(|s| {
            let seconds = times[s + 1] - times[s];
            let moved = |p: usize| track.at(s + 1)[p] - track.at(s)[p] - ground_mps * seconds;
            let slide = (1..track.count)
                .filter(|&p| {
                    let height = track.at(s)[p].y.max(track.at(s + 1)[p].y) - track.ground[p - 1];
                    height <= gate_m && moved(p).y.abs() <= 0.5 * model.size_m * seconds
                })
                .map(|p| flat(moved(p)))
                .fold(None, |best: Option<DVec3>, m| match best {
                    Some(b) if b.length_squared() <= m.length_squared() => Some(b),
                    _ => Some(m),
                });
            Step { seconds, slide, foot_speed: flat(moved(0)).length() / seconds }
        })
        .collect();
    let heights_m: Vec<f64> = (0..times.len())
        .map(|s| track.at(s)[1..].iter().map(|p| p.y).fold(f64::INFINITY, f64::min))
        .collect();
    let fast = percentile(steps.iter().map(|s| s.foot_speed).collect(), 0.95);
    // Slower than this even a foot that hardly moves in the whole clip stands; faster than that it does not,
    // however fast it gets elsewhere. In sizes a second: a person's 0.11 to 0.54, 0.18 to 0.72 m/s.
    let size_m = model.size_m;
    let enter = (limits.enter_speed_share * fast).clamp(0.06 * size_m, 0.3 * size_m);
    let leave = (limits.leave_speed_share * fast).clamp(0.1 * size_m, 0.4 * size_m);
    let mut stances = Vec::new();
    for (from, to) in runs(&steps, enter, leave) {
        let (from, to) = trim(&steps, from, to, 0.03 * model.size_m);
        if times[to] - times[from] >= limits.min_stance_s {
            stances.push(stance(foot.joint, &steps, times, &heights_m, from, to, ground_mps));
        }
    }
    let speeds_mps = steps.iter().map(|s| s.speed().unwrap_or(s.foot_speed)).collect();
    FootMotion { foot: foot.clone(), heights_m, speeds_mps, stances }
}

/// Value below which a share of the numbers lies.
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len().max(1) - 1) as f64 * share).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

/// Stretches of steps near the ground that become slower than `enter` and stay slower than `leave`, as
/// samples.
fn runs(steps: &[Step], enter: f64, leave: f64) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let slower = |i: usize, than: f64| steps[i].speed().is_some_and(|v| v <= than);
        if !slower(at, leave) {
            at += 1;
            continue;
        }
        let from = at;
        while at < steps.len() && slower(at, leave) {
            at += 1;
        }
        if (from..at).any(|i| slower(i, enter)) {
            found.push((from, at));
        }
    }
    found
}

/// Leaves out the steps at both ends in which the foot is still braking or already leaving: those more than
/// twice as fast as it typically is in between.
fn trim(steps: &[Step], from: usize, to: usize, least: f64) -> (usize, usize) {
    let typical = percentile(steps[from..to].iter().filter_map(Step::speed).collect(), 0.5);
    let most = (2.0 * typical).max(least);
    let slow = |i: &usize| steps[*i].speed().is_some_and(|v| v <= most);
    match ((from..to).find(slow), (from..to).rev().find(slow)) {
        (Some(first), Some(last)) => (first, last + 1),
        _ => (from, to),
    }
}

fn stance(
    foot: JointId,
    steps: &[Step],
    times: &[f64],
    heights_m: &[f64],
    from: usize,
    to: usize,
    ground_mps: DVec3,
) -> Stance {
    let slides = || steps[from..to].iter().filter_map(|s| s.slide);
    let net_slide_m = slides().sum::<DVec3>().length();
    let (start, end) = (times[from], times[to]);
    let heights = &heights_m[from..=to];
    Stance {
        foot,
        start,
        end,
        net_slide_m,
        path_m: slides().map(DVec3::length).sum(),
        mean_speed_mps: net_slide_m / (end - start).max(1e-9),
        min_height_m: heights.iter().copied().fold(f64::INFINITY, f64::min),
        max_height_m: heights.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ground_m: ground_mps.length() * (end - start),
    }
}
