//! A clip whose travel is known, and taken out of its poses.

use glam::{DQuat, DVec2, DVec3};

use super::super::bake::{DistanceBake, RootPath};
use super::super::distance_curve::DistanceCurve;
use super::super::error::LocomotionError;
use super::super::split::DistanceKind;
use crate::{Clip, DTransform, JointId, LocalPose, Rig, SampleError, SampleJob, Slot, Transform};

/// A clip for the frame loop with its distance, and where its root goes.
#[derive(Clone, Debug)]
pub struct MotionClip {
    pub(super) clip: Clip,
    pub(super) curve: DistanceCurve,
    /// Directions of travel in the clip's model space (x, z), before and after its marker.
    before: DVec2,
    after: DVec2,
    /// Where the root is at the marker.
    origin: DVec2,
    /// Of a clip that goes along a curve, where it is and which way it goes by distance; empty of a straight one.
    bend: Vec<Bend>,
    /// The joint whose travel it is; none of a clip in place, whose poses do not travel.
    pub(super) root: Option<JointId>,
}

/// A way that leaves the straight line between its ends by more than this share of its length is a curve.
const STRAIGHT: f64 = 0.15;
/// Metres on either side by which the direction of a curve is told, as a share of its length.
const NEAR: f64 = 0.05;

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
struct Bend {
    /// As the distance curve has it, metres.
    distance: f64,
    /// Where, model space (x, z).
    at: DVec2,
    /// Which way it goes, radians about +Y from +Z, without jumps.
    yaw: f64,
}

impl MotionClip {
    /// From a clip and the bake of its source. `marker` is the number of the curve in the bake.
    ///
    /// # Errors
    /// [`LocomotionError`] where there is no such marker, or the clip is not as long as the curve.
    pub fn new(clip: Clip, bake: &DistanceBake, marker: usize) -> Result<Self, LocomotionError> {
        let Some(curve) = bake.curves.get(marker) else {
            let (found, expected) = (bake.curves.len(), marker + 1);
            return Err(LocomotionError::Count { what: "distance curves", found, expected });
        };
        let [_, end] = curve.span();
        if (end - clip.duration_f64()).max(0.0) > 1e-3 {
            return Err(LocomotionError::OutOfRange {
                what: "the clip's length in seconds",
                value: clip.duration_f64(),
                expected: "that of its distance curve",
            });
        }
        let path = &bake.root_path;
        let last = path.points.len() - 1;
        let whole = (path.points[last] - path.points[0]).try_normalize().unwrap_or(DVec2::Y);
        let (before, after, origin) = match bake.path.markers.get(marker) {
            None => (whole, whole, path.points[0]),
            Some(marker) => {
                let at = path.times.partition_point(|t| *t < marker.time).min(last);
                let before = marker.before.or(marker.after).unwrap_or(whole);
                (before, marker.after.unwrap_or(before), path.points[at])
            }
        };
        let bend = if curve.kind() == DistanceKind::Pivot { Vec::new() } else { bend(curve, path) };
        Ok(Self { clip, curve: curve.clone(), before, after, origin, bend, root: bake.root })
    }

    /// The distance curve.
    #[must_use]
    pub fn curve(&self) -> &DistanceCurve {
        &self.curve
    }

    /// The clip.
    #[must_use]
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    /// The yaw that turns the clip's direction of travel up to its marker into +Z, radians.
    pub(super) fn yaw(&self) -> f64 {
        -libm::atan2(self.before.x, self.before.y)
    }

    /// Where the clip's travel is at a time, model space, and how far it has turned from its direction.
    fn travelled(&self, time: f64) -> (DVec2, f64) {
        if self.root.is_none() {
            return (DVec2::ZERO, 0.0);
        }
        let distance = self.curve.distance_at(time);
        if self.bend.is_empty() {
            return (self.origin + if distance < 0.0 { self.before } else { self.after } * distance, 0.0);
        }
        let next = self.bend.partition_point(|b| b.distance < distance).clamp(1, self.bend.len() - 1);
        let (a, b) = (&self.bend[next - 1], &self.bend[next]);
        let share = ((distance - a.distance) / (b.distance - a.distance)).clamp(0.0, 1.0);
        let yaw = a.yaw + (b.yaw - a.yaw) * share;
        (a.at.lerp(b.at, share), yaw + self.yaw())
    }

    /// The pose at a time, seen from a capsule that has gone the distance of that time: axes of the world, the
    /// clip turned by `yaw`, and back by as much as its way has turned. What the root does besides stays in the pose.
    pub(super) fn sample(
        &self,
        rig: &Rig,
        carriers: &[Slot],
        time: f64,
        yaw: f64,
        output: &mut LocalPose,
    ) -> Result<(), SampleError> {
        SampleJob::new(rig, &self.clip, time as f32, output).run()?;
        let (at, turned) = self.travelled(time);
        let turn = DQuat::from_rotation_y(yaw - turned);
        let to_capsule = DTransform::from_rotation_translation(turn, -(turn * DVec3::new(at.x, 0.0, at.y)));
        carry(rig, carriers, &to_capsule, output);
        Ok(())
    }

    /// A time within the clip, wrapped where it goes round.
    pub(super) fn wrap(&self, time: f64) -> f64 {
        let [start, end] = self.curve.span();
        if self.curve.kind() != DistanceKind::Loop {
            return time.clamp(start, end);
        }
        let passes = ((time - start) / (end - start)).floor();
        (time - passes * (end - start)).clamp(start, end)
    }
}

impl MotionClip {
    /// The yaw that turns its direction of travel at the end into +Z.
    pub(super) fn yaw_after(&self) -> f64 {
        -libm::atan2(self.after.x, self.after.y)
    }

    /// Cosine of the angle between the directions before and after the marker.
    pub(super) fn turns_by_cosine(&self) -> f64 {
        self.before.dot(self.after)
    }
}

/// The way of a clip as a curve; nothing where it is straight.
fn bend(curve: &DistanceCurve, path: &RootPath) -> Vec<Bend> {
    let [start, end] = curve.span();
    let inside = |time: f64| (start - 1e-9..=end + 1e-9).contains(&time);
    let points = path.times.iter().zip(&path.points).filter(|(time, _)| inside(**time));
    let mut all: Vec<Bend> = Vec::new();
    for (time, at) in points {
        let distance = curve.distance_at(*time);
        // A body that stands or leans back has no direction of its own.
        if all.last().is_none_or(|last| distance - last.distance > 1e-4) {
            all.push(Bend { distance, at: *at, yaw: 0.0 });
        }
    }
    let (Some(first), Some(last)) = (all.first().copied(), all.last().copied()) else { return all };
    let (chord, length) = (last.at - first.at, last.distance - first.distance);
    let along = chord.normalize_or_zero();
    let aside = all.iter().map(|b| (b.at - first.at).perp_dot(along).abs()).fold(0.0, f64::max);
    // A circle has no chord.
    if aside <= STRAIGHT * length && chord.length() > 0.5 * length || all.len() < 3 {
        return Vec::new();
    }
    let mut before = 0.0;
    for i in 0..all.len() {
        let here = all[i].distance;
        let from = all.partition_point(|b| b.distance < here - NEAR * length);
        let to = all.partition_point(|b| b.distance <= here + NEAR * length) - 1;
        let way = all[to].at - all[from].at;
        let yaw = libm::atan2(way.x, way.y);
        let turns = ((yaw - before) / core::f64::consts::TAU).round();
        before = if i == 0 { yaw } else { yaw - turns * core::f64::consts::TAU };
        all[i].yaw = before;
    }
    all
}

/// Moves what some joints carry, in model space.
pub(super) fn carry(rig: &Rig, carriers: &[Slot], by: &DTransform, pose: &mut LocalPose) {
    for slot in carriers {
        let (mut above, mut walk) = (DTransform::IDENTITY, rig.parents()[slot.index()]);
        while let Some(here) = walk {
            above = pose.get(here).to_f64().mul_transform(&above);
            walk = rig.parents()[here.index()];
        }
        let moved = by.mul_transform(&above.mul_transform(&pose.get(*slot).to_f64()));
        let back = above.rotation.conjugate();
        let at = (back * (moved.translation - above.translation)) / above.scale;
        // Of a parent without size nothing can be moved.
        if at.is_finite() {
            let local = Transform::from(DTransform {
                translation: at,
                rotation: (back * moved.rotation).normalize(),
                ..pose.get(*slot).to_f64()
            });
            pose.set(*slot, &local);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Channel, ChannelTarget, ClipBuilder, DistanceBakeJob, DistanceBakeSettings, Interpolation, Joint,
        RawClip, Skeleton, Track,
    };

    #[test]
    fn a_clip_along_a_circle_is_shown_in_place_and_looks_ahead() {
        let skeleton =
            Skeleton::numbered(vec![Joint::new("root", None, DTransform::IDENTITY)], Vec::new()).unwrap();
        let rig = Rig::new(&skeleton).unwrap();
        // A quarter of a circle of 2 m to the left in a second: x = r (1 - cos a), z = r sin a, facing by a.
        let angle = |i: u32| core::f64::consts::FRAC_PI_2 * f64::from(i) / 60.0;
        let times: Vec<f64> = (0..=60).map(|i| f64::from(i) / 60.0).collect();
        let (mut at, mut turned) = (Vec::new(), Vec::new());
        for a in (0..=60).map(angle) {
            let (sin, cos) = libm::sincos(a);
            at.extend([2.0 * (1.0 - cos), 0.0, 2.0 * sin].map(|v| v as f32));
            turned.extend(DQuat::from_rotation_y(a).as_quat().to_array());
        }
        let place = Track::new(times.clone().into(), at.into(), 3, Interpolation::Linear).unwrap();
        let turn = Track::rotation(times.into(), turned.into(), Interpolation::Linear).unwrap();
        let channel = |target, track| Channel { joint: JointId(0), target, track, source: 0 };
        let channels =
            vec![channel(ChannelTarget::Translation, place), channel(ChannelTarget::Rotation, turn)];
        let raw = RawClip { name: Some("left".into()), channels, ..RawClip::default() };
        let settings = DistanceBakeSettings { rate: 60.0, ..Default::default() };
        let bake = DistanceBakeJob { skeleton: &skeleton, clip: &raw, settings: &settings }.run().unwrap();
        assert_eq!(bake.curves[0].kind(), DistanceKind::Loop);
        assert!((bake.curves[0].range() - core::f64::consts::PI).abs() < 2e-3, "a quarter of 2 pi r");
        let clip = ClipBuilder::new(&skeleton, &rig).build(&raw).unwrap().0;
        let clip = MotionClip::new(clip, &bake, 0).unwrap();
        let mut pose = LocalPose::rest(&rig);
        for i in 0..=60 {
            let time = f64::from(i) / 60.0;
            clip.sample(&rig, &[Slot(0)], time, clip.yaw() + 0.3, &mut pose).unwrap();
            let root = pose.get(Slot(0)).to_f64();
            let ahead = root.rotation * DVec3::Z;
            assert!(root.translation.length() < 5e-3, "{time}: {}", root.translation);
            // Chords instead of tangents at the ends.
            let off = libm::atan2(ahead.x, ahead.z) - 0.3;
            assert!(off.abs() < 0.06, "{time}: {off} rad");
        }
    }
}
