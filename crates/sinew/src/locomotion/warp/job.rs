//! The warp of a frame.

use glam::{DQuat, DVec3};

use super::super::error::{LocomotionError, in_range};
use super::stance::contact;
use crate::plant::leg::{lead, place};
use crate::{DTransform, IkError, IkStatus, LocalPose, PlantRig, Rig, Slot, Transform};

/// A longer or shorter stride.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrideWarp {
    /// Scale of the feet's way along the direction, about the model's origin: what
    /// [`MatchStep::stride`](crate::MatchStep::stride) says.
    pub scale: f64,
    /// Direction of travel over the ground, model space, of any length above 0.
    pub direction_ms: DVec3,
}

/// A body that goes another way than it looks.
#[derive(Clone, Copy, Debug)]
pub struct OrientationWarp<'a> {
    /// How far hips and legs are turned about the vertical through the model's origin, radians.
    pub angle: f64,
    /// Joints above the pelvis, parents first, that share the way back between them.
    pub spine: &'a [Slot],
    /// How much of the way back what they carry is turned, 0 to 1.
    pub counter: f64,
}

/// Ground that is a plane through the model's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlopeWarp {
    /// Away from the ground, model space; steeper than 60 degrees is refused.
    pub normal_ms: DVec3,
    /// How much of the slope the feet turn with, 0 to 1.
    pub tilt: f64,
}

/// How far a warp may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarpSettings {
    /// Share of its length up to which a leg may be stretched; the animation may stretch it further.
    pub stretch: f64,
    /// How far the pelvis is lowered at most, metres.
    pub most_drop: f64,
}

impl WarpSettings {
    /// For a character of this size (a person's height), metres.
    #[must_use]
    pub fn for_size(size: f64) -> Self {
        Self { stretch: 0.99, most_drop: 0.15 * size }
    }
}

/// Room for the warps of one rig. Allocates when it is made, never after; holds nothing from frame to frame.
#[derive(Clone, Debug)]
pub struct Warping {
    /// `[slot]`, model space, of the joints that are needed.
    model: Vec<DTransform>,
    /// `[leg]`: where the foot goes, and how it is turned.
    targets: Vec<(DVec3, DQuat)>,
    /// `[leg]`
    statuses: Vec<Result<IkStatus, IkError>>,
}

impl Warping {
    /// For these legs.
    #[must_use]
    pub fn new(legs: &PlantRig) -> Self {
        let count = legs.legs().len();
        Self {
            model: vec![DTransform::IDENTITY; legs.joints],
            targets: vec![(DVec3::ZERO, DQuat::IDENTITY); count],
            statuses: vec![Ok(IkStatus::Reached); count],
        }
    }

    /// `[leg]`: what came of leading it to its new place in the last frame; on an error it is as it was.
    pub fn statuses(&self) -> &[Result<IkStatus, IkError>] {
        &self.statuses
    }
}

/// What a warp came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarpReport {
    /// How far the pelvis was moved, metres; down is negative.
    pub pelvis: f64,
    /// Farthest that a foot was moved over the ground, metres.
    pub farthest: f64,
    /// Legs that did not get where they should.
    pub unreached: usize,
}

/// Warps a pose in place: orientation first, then stride and slope by inverse kinematics.
///
/// Feet are led by the point they stand on. The pelvis comes down where a leg would be stretched too far, and
/// thighs swing as a whole before the knees bend, so that knees stay on their side. With a scale of 1, an angle
/// of 0 and level ground the pose is left as it is, to the bit.
#[derive(Debug)]
pub struct WarpJob<'a> {
    /// The hierarchy.
    pub rig: &'a Rig,
    /// Its legs.
    pub legs: &'a PlantRig,
    /// Limits.
    pub settings: &'a WarpSettings,
    /// A longer or shorter stride.
    pub stride: Option<StrideWarp>,
    /// Another direction.
    pub orientation: Option<OrientationWarp<'a>>,
    /// A slope.
    pub slope: Option<SlopeWarp>,
    /// Room to work in.
    pub state: &'a mut Warping,
    /// The pose, changed in place; the model's origin is on the ground under the character.
    pub pose: &'a mut LocalPose,
}

impl WarpJob<'_> {
    /// Warps. Allocates nothing.
    ///
    /// # Errors
    /// [`LocomotionError`] where a number or a count is not right; the pose is then untouched.
    pub fn run(&mut self) -> Result<WarpReport, LocomotionError> {
        self.check()?;
        self.model_transforms()?;
        if let Some(orientation) = self.orientation
            && orientation.angle != 0.0
        {
            self.turn(&orientation);
            self.model_transforms()?;
        }
        let mut report = WarpReport { pelvis: 0.0, farthest: 0.0, unreached: 0 };
        let moved = self.find_targets(&mut report);
        self.state.statuses.fill(Ok(IkStatus::Reached));
        if !moved {
            return Ok(report);
        }
        report.pelvis = self.pelvis();
        let drop = DVec3::Y * report.pelvis;
        for (number, leg) in self.legs.legs().iter().enumerate() {
            let Warping { model, targets, statuses } = &mut *self.state;
            let (target, rotation) = targets[number];
            let hip_at = model[leg.hip.index()].translation + drop;
            let status = lead(self.rig, leg, model, hip_at, target, rotation, self.pose);
            statuses[number] = status;
            report.unreached += usize::from(!status.is_ok_and(|s| s.is_reached()));
        }
        let pelvis = self.state.model[self.legs.pelvis.index()];
        if drop != DVec3::ZERO {
            let at = pelvis.translation + drop;
            place(self.rig, &self.state.model, self.legs.pelvis, at, pelvis.rotation, self.pose);
        }
        Ok(report)
    }

    /// Where the feet go; whether that is anywhere else.
    fn find_targets(&mut self, report: &mut WarpReport) -> bool {
        let Warping { model, targets, .. } = &mut *self.state;
        let way =
            self.stride.map(|s| (s.scale, DVec3::new(s.direction_ms.x, 0.0, s.direction_ms.z).normalize()));
        let slope = self.slope.map(|s| (s.normal_ms.normalize(), s.tilt));
        let mut moved = false;
        for (leg, target) in self.legs.legs().iter().zip(targets) {
            let foot = model[leg.foot.index()];
            let touches = contact(leg, model);
            let mut by = DVec3::ZERO;
            if let Some((scale, way)) = way {
                by += way * ((scale - 1.0) * touches.dot(way));
            }
            report.farthest = report.farthest.max(by.length());
            let mut turn = DQuat::IDENTITY;
            if let Some((normal, tilt)) = slope {
                let over = touches + by;
                by.y -= (normal.x * over.x + normal.z * over.z) / normal.y;
                turn = DQuat::IDENTITY.slerp(DQuat::from_rotation_arc(DVec3::Y, normal), tilt);
            }
            let at = touches + by + turn * (foot.translation - touches);
            moved |= by != DVec3::ZERO || turn != DQuat::IDENTITY;
            *target = (at, (turn * foot.rotation).normalize());
        }
        moved
    }

    /// How far the pelvis moves so that no leg is stretched too far.
    fn pelvis(&self) -> f64 {
        let Warping { model, targets, .. } = &*self.state;
        let mut goal = 0.0_f64;
        for (leg, (target, _)) in self.legs.legs().iter().zip(targets) {
            let at = |slot: Slot| model[slot.index()].translation;
            let (hip, knee, ankle) = (at(leg.hip), at(leg.knee), at(leg.foot));
            let full = (knee - hip).length() + (ankle - knee).length();
            let allowed = (self.settings.stretch * full).max((ankle - hip).length());
            let way = *target - hip;
            let aside = way.x * way.x + way.z * way.z;
            goal = goal.min(way.y + (allowed * allowed - aside).max(0.0).sqrt());
        }
        goal.max(-self.settings.most_drop)
    }

    /// Turns pelvis and legs, and what the spine carries back.
    fn turn(&mut self, warp: &OrientationWarp<'_>) {
        let about = DQuat::from_rotation_y(warp.angle);
        let pelvis = self.state.model[self.legs.pelvis.index()];
        let (at, rotation) = (about * pelvis.translation, about * pelvis.rotation);
        place(self.rig, &self.state.model, self.legs.pelvis, at, rotation, self.pose);
        for leg in self.legs.legs() {
            if let Some(slot) = leg.loose_foot {
                let foot = self.state.model[slot.index()];
                let (at, rotation) = (about * foot.translation, about * foot.rotation);
                place(self.rig, &self.state.model, slot, at, rotation, self.pose);
            }
        }
        let back = DQuat::from_rotation_y(-warp.angle * warp.counter / warp.spine.len().max(1) as f64);
        for slot in warp.spine {
            let above = self.parent_rotation(*slot);
            let local = self.pose.get(*slot);
            let rotation = above.conjugate() * back * above * local.rotation.as_dquat();
            self.pose.set(*slot, &Transform { rotation: rotation.normalize().as_quat(), ..local });
        }
    }

    /// Model-space rotation of a joint's parent in the pose as it is now.
    fn parent_rotation(&self, slot: Slot) -> DQuat {
        let (mut walk, mut rotation) = (self.rig.parents()[slot.index()], DQuat::IDENTITY);
        while let Some(here) = walk {
            rotation = self.pose.get(here).rotation.as_dquat() * rotation;
            walk = self.rig.parents()[here.index()];
        }
        rotation.normalize()
    }

    fn model_transforms(&mut self) -> Result<(), LocomotionError> {
        let model = &mut self.state.model;
        for &slot in &self.legs.needed {
            let local = self.pose.get(slot).to_f64();
            let parent = self.rig.parents()[slot.index()].map_or(DTransform::IDENTITY, |p| model[p.index()]);
            let here = parent.mul_transform(&local);
            if !(here.translation.is_finite() && here.rotation.is_finite() && here.scale.is_finite()) {
                return Err(LocomotionError::Pose { slot });
            }
            model[slot.index()] = here;
        }
        Ok(())
    }

    fn check(&self) -> Result<(), LocomotionError> {
        in_range("the stretch", self.settings.stretch, 0.0, 1.0, "0 to 1")?;
        in_range("the largest drop", self.settings.most_drop, 0.0, 1e6, "0 to 1e6")?;
        let (joints, legs) = (self.legs.joints, self.legs.legs().len());
        for (what, found, expected) in [
            ("joints of the rig", self.rig.len(), joints),
            ("joints of the pose", self.pose.len(), joints),
            ("joints of the warp's state", self.state.model.len(), joints),
            ("legs of the warp's state", self.state.targets.len(), legs),
        ] {
            if found != expected {
                return Err(LocomotionError::Count { what, found, expected });
            }
        }
        if let Some(stride) = self.stride {
            in_range("the scale of the stride", stride.scale, 0.0, 10.0, "0 to 10")?;
            let over = DVec3::new(stride.direction_ms.x, 0.0, stride.direction_ms.z).length();
            in_range("the length of the direction over the ground", over, 1e-6, 1e6, "1e-6 to 1e6")?;
        }
        if let Some(warp) = self.orientation {
            let half = core::f64::consts::PI;
            in_range("the angle of the orientation", warp.angle, -half, half, "-pi to pi")?;
            in_range("the share of the way back", warp.counter, 0.0, 1.0, "0 to 1")?;
            if let Some(slot) = warp.spine.iter().find(|slot| slot.index() >= joints) {
                return Err(LocomotionError::NoSuchSlot { slot: *slot, joints });
            }
        }
        if let Some(slope) = self.slope {
            let length =
                in_range("the length of the normal", slope.normal_ms.length(), 1e-6, 1e6, "1e-6 to 1e6")?;
            in_range("the height of the normal", slope.normal_ms.y / length, 0.5, 1.0 + 1e-9, "0.5 to 1")?;
            in_range("the tilt of the feet", slope.tilt, 0.0, 1.0, "0 to 1")?;
        }
        Ok(())
    }
}
