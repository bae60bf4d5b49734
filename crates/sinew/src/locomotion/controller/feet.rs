//! Feet of clips: when they stand, and where two clips have them alike.

use glam::DVec3;

use super::super::split::DistanceKind;
use super::motion_clip::MotionClip;
use crate::{DTransform, FootMotion, LocalPose, PlantRig, Rig, SampleError, Slot, StanceRule, StanceTracker};

/// Samples a second at which feet are looked at.
const RATE: f64 = 120.0;
/// Seconds that make a speed count as much as a place.
const SPEED_WEIGHT: f64 = 0.08;

/// `[leg]`: when it stands, seconds within a clip.
pub(super) type Stances = Vec<Vec<[f64; 2]>>;

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
pub(super) fn stances(
    rig: &Rig,
    legs: &PlantRig,
    roots: &[Slot],
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
            clip.sample(rig, roots, time(i), clip.yaw(), &mut pose)?;
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

/// Whether a leg stands at a time.
pub(super) fn stands(stances: &Stances, leg: usize, time: f64) -> bool {
    stances[leg].iter().any(|span| span[0] <= time && time <= span[1])
}

/// Where feet are and how they move, `[leg]`, as seen from a capsule that goes along +Z.
fn feet(
    rig: &Rig,
    legs: &PlantRig,
    roots: &[Slot],
    clip: &MotionClip,
    time: f64,
    yaw: f64,
) -> Result<Vec<[DVec3; 2]>, SampleError> {
    let mut pose = LocalPose::rest(rig);
    let mut model = vec![DTransform::IDENTITY; rig.len()];
    let mut at = |time: f64| -> Result<Vec<DVec3>, SampleError> {
        clip.sample(rig, roots, clip.wrap(time), yaw, &mut pose)?;
        model_transforms(rig, legs, &pose, &mut model);
        Ok(legs.legs().iter().map(|leg| model[leg.foot.index()].translation).collect())
    };
    let before = at(time - 1.0 / RATE)?;
    let now = at(time)?;
    Ok(now.iter().zip(before).map(|(now, before)| [*now, (*now - before) * RATE]).collect())
}

/// The time of a loop at which its feet are and move most as those at the end of a clip: where it takes over.
pub(super) fn time_like_end(
    rig: &Rig,
    legs: &PlantRig,
    roots: &[Slot],
    from: &MotionClip,
    cycle: &MotionClip,
) -> Result<f64, SampleError> {
    // After a turn the clip travels the other way.
    let wanted = feet(rig, legs, roots, from, from.curve.span()[1], from.yaw_after())?;
    let [start, end] = cycle.curve.span();
    let frames = ((end - start) * RATE).ceil().max(2.0) as usize;
    let (mut best, mut least) = (start, f64::INFINITY);
    for i in 0..frames {
        let time = start + (end - start) * i as f64 / frames as f64;
        let found = feet(rig, legs, roots, cycle, time, cycle.yaw())?;
        let cost: f64 = wanted
            .iter()
            .zip(&found)
            .map(|(a, b)| {
                (a[0] - b[0]).length_squared() + SPEED_WEIGHT * SPEED_WEIGHT * (a[1] - b[1]).length_squared()
            })
            .sum();
        if cost < least {
            (best, least) = (time, cost);
        }
    }
    Ok(best)
}
