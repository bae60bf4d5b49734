//! The exact motion at every frame.

use glam::{DQuat, DVec3};

use super::{ClipBuildError, MAX_FRAMES};
use crate::{DTransform, RawClip, RawPose, Rig, Skeleton, Slot};

/// Exact local transforms of every frame, in the rig's order, quaternions without sign flips between frames.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) rate: f64,
    pub(crate) duration: f64,
    /// At least one.
    pub(crate) frames: usize,
    pub(crate) joints: usize,
    /// `[frame][slot]`.
    pub(crate) local: Vec<DTransform>,
    /// `[frame][slot]`: model-space rotation, position and uniform scale, where every scale is uniform.
    pub(crate) model: Vec<(DQuat, DVec3, f64)>,
    /// Whether every scale of every joint is uniform and positive and no joint has a fixed matrix, so that
    /// rotation and position describe a joint.
    pub(crate) rigid: bool,
}

/// Share of a frame's time within which a key counts as being at the frame: key times are single precision.
pub(crate) const NEAR: f64 = 2e-3;

/// The key that a frame is meant to be: key times are rounded to single precision, and where motion is fast even
/// that little misses the corner at the key.
pub(crate) fn snap(keys: &[f64], time: f64, rate: f64) -> f64 {
    let near = NEAR / rate;
    let after = keys.partition_point(|k| *k < time - near);
    keys.get(after).copied().filter(|k| (k - time).abs() <= near).unwrap_or(time)
}

impl Frames {
    pub(crate) fn new(
        skeleton: &Skeleton,
        rig: &Rig,
        raw: &RawClip,
        rate: f64,
        frames: usize,
    ) -> Result<Self, ClipBuildError> {
        let (joints, duration) = (rig.len(), raw.duration());
        if frames > MAX_FRAMES {
            return Err(ClipBuildError::TooLong { seconds: duration, rate, limit: MAX_FRAMES });
        }
        let mut local: Vec<DTransform> = Vec::with_capacity(frames * joints);
        let mut pose = RawPose::default();
        let keys = raw.key_times();
        let mut rigid = rig.fixed().is_empty();
        for frame in 0..frames {
            let time = snap(&keys, (frame as f64 / rate).min(duration), rate);
            raw.sample(skeleton, time, &mut pose);
            for slot in 0..joints {
                let joint = rig.joint(Slot(slot as u16));
                let mut t = pose.local[joint.index()];
                if !(t.translation.is_finite() && t.rotation.is_finite() && t.scale.is_finite()) {
                    return Err(ClipBuildError::NonFinite { joint, time });
                }
                if frame > 0 && t.rotation.dot(local[(frame - 1) * joints + slot].rotation) < 0.0 {
                    t.rotation = -t.rotation;
                }
                let s = t.scale;
                rigid &= s.x > 0.0 && (s - DVec3::splat(s.x)).abs().max_element() <= 1e-6 * s.x;
                local.push(t);
            }
        }
        // An end a hair past the last frame is that frame.
        let duration = duration.min((frames - 1) as f64 / rate);
        let mut this = Self { rate, duration, frames, joints, local, model: Vec::new(), rigid };
        if rigid {
            this.fill_model(rig);
        }
        Ok(this)
    }

    fn fill_model(&mut self, rig: &Rig) {
        self.model = Vec::with_capacity(self.local.len());
        for frame in 0..self.frames {
            for slot in 0..self.joints {
                let t = &self.local[frame * self.joints + slot];
                let (r, p, s) = match rig.parents()[slot] {
                    Some(parent) => self.model[frame * self.joints + parent.index()],
                    None => (DQuat::IDENTITY, DVec3::ZERO, 1.0),
                };
                self.model.push(((r * t.rotation).normalize(), p + r * (t.translation * s), s * t.scale.x));
            }
        }
    }

    /// Angle that a joint turns by between two frames relative to its parent, radians.
    pub(crate) fn turn(&self, a: usize, b: usize, slot: usize) -> f64 {
        DTransform::angle_between(self.at(a, slot).rotation, self.at(b, slot).rotation)
    }

    /// A joint at a frame.
    pub(crate) fn at(&self, frame: usize, slot: usize) -> &DTransform {
        &self.local[frame * self.joints + slot]
    }
}
