//! A clip whose travel is known, and taken out of its poses.

use glam::{DQuat, DVec2, DVec3};

use super::super::bake::DistanceBake;
use super::super::distance_curve::DistanceCurve;
use super::super::error::LocomotionError;
use super::super::split::DistanceKind;
use crate::{Clip, DTransform, LocalPose, Rig, SampleError, SampleJob, Slot, Transform};

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
    /// Whether the poses travel; those of a clip in place do not.
    travels: bool,
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
        Ok(Self { clip, curve: curve.clone(), before, after, origin, travels: bake.root.is_some() })
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

    /// Where the clip's travel is at a time, model space.
    fn travelled(&self, time: f64) -> DVec2 {
        if !self.travels {
            return DVec2::ZERO;
        }
        let distance = self.curve.distance_at(time);
        self.origin + if distance < 0.0 { self.before } else { self.after } * distance
    }

    /// The pose at a time, seen from a capsule that has gone the distance of that time: axes of the world, the
    /// clip turned by `yaw`. What the root does besides stays in the pose.
    pub(super) fn sample(
        &self,
        rig: &Rig,
        roots: &[Slot],
        time: f64,
        yaw: f64,
        output: &mut LocalPose,
    ) -> Result<(), SampleError> {
        SampleJob::new(rig, &self.clip, time as f32, output).run()?;
        let at = self.travelled(time);
        let turn = DQuat::from_rotation_y(yaw);
        let to_capsule = DTransform::from_rotation_translation(turn, -(turn * DVec3::new(at.x, 0.0, at.y)));
        for slot in roots {
            let moved = to_capsule.mul_transform(&output.get(*slot).to_f64());
            output.set(*slot, &Transform::from(moved));
        }
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
