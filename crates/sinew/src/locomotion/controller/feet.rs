//! Feet of clips: when they stand, where they are from moment to moment, and where two clips have them alike.

use glam::DVec3;

use super::super::split::DistanceKind;
use super::motion_clip::MotionClip;
use crate::{DTransform, FootMotion, LocalPose, PlantRig, Rig, SampleError, Slot, StanceRule, StanceTracker};

/// Samples a second at which feet are looked at.
const RATE: f64 = 120.0;
/// Seconds that make a speed count as much as a place.
const SPEED_WEIGHT: f64 = 0.08;

/// `[leg]`: when it stands, seconds within a clip.
type Stances = Vec<Vec<[f64; 2]>>;

/// Model transforms of the joints that legs need, `[slot]`.
pub(super) fn model_transforms(rig: &Rig, legs: &PlantRig, pose: &LocalPose, model: &mut [DTransform]) {
    for &slot in &legs.needed {
        let parent = rig.parents()[slot.index()].map_or(DTransform::IDENTITY, |p| model[p.index()]);
        model[slot.index()] = parent.mul_transform(&pose.get(slot).to_f64());
    }
}

/// Place of a contact point, and its height above where it stands.
pub(super) fn contact(legs: &PlantRig, model: &[DTransform], leg: usize, point: usize) -> (DVec3, f64) {
    let contact = &legs.legs()[leg].contacts[point];
    let joint = &model[contact.joint.index()];
    let at = joint.translation + joint.rotation * (joint.scale * contact.offset_ls);
    (at, at.y - contact.height)
}

/// When the feet of a clip stand, by the rule, with the capsule moving as the clip has it.
fn stances(
    rig: &Rig,
    legs: &PlantRig,
    carriers: &[Slot],
    clip: &MotionClip,
    rule: &StanceRule,
) -> Result<Stances, SampleError> {
    let [start, end] = clip.curve.span();
    let frames = ((end - start) * RATE).ceil().max(1.0) as usize;
    let time = |i: usize| start + (end - start) * i as f64 / frames as f64;
    let dt = (end - start) / frames as f64;
    // A loop goes round twice: the first time tells in what state it begins.
    let passes = if clip.curve.kind() == DistanceKind::Loop { 2 } else { 1 };
    let mut trackers: Vec<StanceTracker> =
        legs.legs().iter().map(|leg| StanceTracker::new(leg.contacts.len())).collect();
    let mut stances: Stances = vec![Vec::new(); trackers.len()];
    let mut pose = LocalPose::rest(rig);
    let mut model = vec![DTransform::IDENTITY; rig.len()];
    let [first, last] = clip.curve.distances();
    for pass in 0..passes {
        stances.iter_mut().for_each(Vec::clear);
        for i in 0..=frames {
            clip.sample(rig, carriers, time(i), clip.yaw(), &mut pose)?;
            model_transforms(rig, legs, &pose, &mut model);
            // Along +Z, in one line through a turn: a foot that stands is told by its speed.
            let way = way(clip, time(i)) + f64::from(pass) * (last - first);
            for (leg, tracker) in trackers.iter_mut().enumerate() {
                let count = legs.legs()[leg].contacts.len();
                let (points, heights): (Vec<DVec3>, Vec<f64>) = (0..count)
                    .map(|point| {
                        let (at, height) = contact(legs, &model, leg, point);
                        (at + DVec3::Z * way, height)
                    })
                    .unzip();
                tracker.step(&FootMotion { points_ws: &points, heights: &heights, dt }, rule, None);
                if !tracker.stands() {
                    continue;
                }
                // The step that led here.
                let from = time(i.saturating_sub(1));
                match stances[leg].last_mut() {
                    Some(span) if span[1] >= from - 1e-9 => span[1] = time(i),
                    _ => stances[leg].push([from, time(i)]),
                }
            }
        }
    }
    Ok(stances)
}

/// How far along +Z the capsule is: back again after a turn.
fn way(clip: &MotionClip, time: f64) -> f64 {
    let distance = clip.curve.distance_at(time);
    if distance > 0.0 { distance * clip.turns_by_cosine() } else { distance }
}

/// A foot as seen from a capsule that goes along +Z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FootAt {
    /// Metres.
    pub(super) at: DVec3,
    /// Against the capsule, metres a second.
    pub(super) velocity: DVec3,
}

/// The feet of a clip.
#[derive(Clone, Debug)]
pub(super) struct ClipFeet {
    /// `[leg]`: when it stands, seconds within the clip.
    pub(super) stances: Stances,
    span: [f64; 2],
    wraps: bool,
    /// Seconds from sample to sample.
    step: f64,
    /// `[sample][leg]`, flat.
    track: Vec<FootAt>,
}

impl ClipFeet {
    pub(super) fn of(
        rig: &Rig,
        legs: &PlantRig,
        carriers: &[Slot],
        clip: &MotionClip,
        rule: &StanceRule,
    ) -> Result<Self, SampleError> {
        let span = clip.curve.span();
        let samples = ((span[1] - span[0]) * RATE).ceil().max(2.0) as usize;
        let step = (span[1] - span[0]) / samples as f64;
        let mut track = Vec::with_capacity((samples + 1) * legs.legs().len());
        for i in 0..=samples {
            track.extend(feet(rig, legs, carriers, clip, span[0] + step * i as f64, clip.yaw(), step)?);
        }
        let stances = stances(rig, legs, carriers, clip, rule)?;
        Ok(Self { stances, span, wraps: clip.curve.kind() == DistanceKind::Loop, step, track })
    }

    /// Moments at which the feet are known.
    pub(super) fn moments(&self) -> impl Iterator<Item = f64> {
        let count = ((self.span[1] - self.span[0]) / self.step).round() as usize + usize::from(!self.wraps);
        let Self { span, step, .. } = *self;
        (0..count).map(move |i| span[0] + step * i as f64)
    }

    /// How unlike these feet are to the clip's at a time, square metres.
    pub(super) fn unlike(&self, feet: &[FootAt], time: f64) -> f64 {
        let last = self.track.len() / feet.len().max(1) - 1;
        let sample = ((time - self.span[0]) / self.step).round().clamp(0.0, last as f64) as usize;
        let here = &self.track[sample * feet.len()..];
        let cost = |(a, b): (&FootAt, &FootAt)| {
            (a.at - b.at).length_squared()
                + SPEED_WEIGHT * SPEED_WEIGHT * (a.velocity - b.velocity).length_squared()
        };
        feet.iter().zip(here).map(cost).sum()
    }

    /// The moment at which the feet are most like these, and how unlike they are then.
    pub(super) fn most_like(&self, feet: &[FootAt]) -> (f64, f64) {
        let mut best = (self.span[0], f64::INFINITY);
        for time in self.moments() {
            let cost = self.unlike(feet, time);
            if cost < best.1 {
                best = (time, cost);
            }
        }
        best
    }

    /// Whether a leg stands at a time.
    pub(super) fn stands(&self, leg: usize, time: f64) -> bool {
        self.stances[leg].iter().any(|span| span[0] <= time && time <= span[1])
    }

    /// Seconds of the clip until a leg that is in the air lands; infinite where it does not.
    pub(super) fn lands_in(&self, leg: usize, time: f64) -> f64 {
        let length = self.span[1] - self.span[0];
        let mut soonest = f64::INFINITY;
        for span in &self.stances[leg] {
            let wait = span[0] - time;
            let wait = if wait < 0.0 && self.wraps { wait + length } else { wait };
            if wait >= 0.0 {
                soonest = soonest.min(wait);
            }
        }
        soonest
    }
}

/// Where feet are and how they move, `[leg]`.
fn feet(
    rig: &Rig,
    legs: &PlantRig,
    carriers: &[Slot],
    clip: &MotionClip,
    time: f64,
    yaw: f64,
    step: f64,
) -> Result<Vec<FootAt>, SampleError> {
    let mut pose = LocalPose::rest(rig);
    let mut model = vec![DTransform::IDENTITY; rig.len()];
    let mut at = |time: f64| -> Result<Vec<DVec3>, SampleError> {
        clip.sample(rig, carriers, clip.wrap(time), yaw, &mut pose)?;
        model_transforms(rig, legs, &pose, &mut model);
        Ok(legs.legs().iter().map(|leg| model[leg.foot.index()].translation).collect())
    };
    // At the first moment of a clip that does not go round, the step after it.
    let first = clip.wrap(time - step) == time;
    let before = at(if first { time } else { time - step })?;
    let after = at(if first { time + step } else { time })?;
    let now = if first { &before } else { &after };
    let velocity = |i: usize| (after[i] - before[i]) / step;
    Ok(now.iter().enumerate().map(|(i, at)| FootAt { at: *at, velocity: velocity(i) }).collect())
}

/// The feet at the end of a clip, as seen from a capsule that goes the way it goes then.
pub(super) fn feet_at_end(
    rig: &Rig,
    legs: &PlantRig,
    carriers: &[Slot],
    clip: &MotionClip,
) -> Result<Vec<FootAt>, SampleError> {
    feet(rig, legs, carriers, clip, clip.curve.span()[1], clip.yaw_after(), 1.0 / RATE)
}
