//! A clip whose travel is known, and taken out of its poses.

use glam::{DQuat, DVec2, DVec3};

use super::super::bake::{DistanceBake, StoredTravel, WayPoint, along, baked_root};
use super::super::distance_curve::DistanceCurve;
use super::super::error::LocomotionError;
use super::super::split::DistanceKind;
use crate::{
    Clip, Curve, DTransform, JointId, LocalPose, Rig, SampleError, SampleJob, Skeleton, Slot, Transform,
};

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
    way: Vec<WayPoint>,
    /// The joint whose travel it is; none of a clip in place, whose poses do not travel.
    pub(super) root: Option<JointId>,
}

impl MotionClip {
    /// From a clip and the bake of its source. `marker` is the number of the curve in the bake.
    ///
    /// # Errors
    /// [`LocomotionError`] where there is no such marker, or the clip is not as long as the curve.
    pub fn new(clip: Clip, bake: &DistanceBake, marker: usize) -> Result<Self, LocomotionError> {
        Self::from_curves(clip, &bake.clip.curves, bake.root, marker)
    }

    /// From a clip that was baked before it was stored, in whatever file: all that is needed are the curves that it
    /// carries, and the skeleton for the name of its root. `marker` is the number of the distance curve, in order of
    /// time.
    ///
    /// # Errors
    /// [`LocomotionError`] where there is no such marker, a curve that a bake stores is missing, the skeleton has no
    /// joint of the root's name, or the clip is not as long as the curve.
    pub fn from_clip(clip: Clip, skeleton: &Skeleton, marker: usize) -> Result<Self, LocomotionError> {
        let root = baked_root(clip.curves(), skeleton)?;
        let curves = clip.curves().to_vec();
        Self::from_curves(clip, &curves, root, marker)
    }

    fn from_curves(
        clip: Clip,
        curves: &[Curve],
        root: Option<JointId>,
        marker: usize,
    ) -> Result<Self, LocomotionError> {
        let StoredTravel { curve, before, after, origin, way } = StoredTravel::read(curves, marker)?;
        let [_, end] = curve.span();
        if (end - clip.duration_f64()).max(0.0) > 1e-3 {
            return Err(LocomotionError::OutOfRange {
                what: "the clip's length in seconds",
                value: clip.duration_f64(),
                expected: "that of its distance curve",
            });
        }
        Ok(Self { clip, curve, before, after, origin, way, root })
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
        if self.way.is_empty() {
            return (self.origin + if distance < 0.0 { self.before } else { self.after } * distance, 0.0);
        }
        let (at, yaw) = along(&self.way, distance);
        (at, yaw + self.yaw())
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
