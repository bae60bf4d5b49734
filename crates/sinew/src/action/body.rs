//! Where the body goes: curve values, a weight and a datum made into a transform in the world.

use glam::{DQuat, DVec3};

use super::Euler;
use super::euler::{check_unit, check_weight};
use crate::DTransform;

/// Why a target cannot be composed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ComposeError {
    /// A weight outside its range, or none.
    #[error("weight {weight}, expected 0 to 1")]
    Weight {
        /// The weight.
        weight: f64,
    },
    /// A rotation that is none.
    #[error("{what} has length {length}, expected a unit quaternion")]
    NotUnit {
        /// Which one.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// A value that is NaN or infinite.
    #[error("{what} is not finite")]
    NotFinite {
        /// Which one.
        what: &'static str,
    },
    /// The reference height is none.
    #[error("a reference height of {metres} m, expected more than 0")]
    ReferenceHeight {
        /// The height, metres.
        metres: f64,
    },
    /// There is nothing to take the datum from.
    #[error("no support anchors, expected at least one")]
    NoAnchors,
}

/// The body's channels at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyCurves {
    /// Forward, left, up; parts of the reference height.
    pub translation: DVec3,
    /// Radians.
    pub rotation: Euler,
}

/// Where the body goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyTarget {
    /// Position and orientation in the world; scale one.
    pub body_ws: DTransform,
    /// The up channel times the reference height, metres, before datum and weight.
    pub scaled_height: f64,
    /// What the scaled height is measured from, metres.
    pub height_datum: f64,
}

/// `base + weight * (action - base)`.
///
/// # Errors
/// [`ComposeError::Weight`] where the weight is not in 0 to 1.
pub fn blend_scalar(base: f64, action: f64, weight: f64) -> Result<f64, ComposeError> {
    check_weight(weight)?;
    Ok(base + weight * (action - base))
}

/// Body over soles that stay where they are: no physics, the legs are solved for it.
///
/// Height is absolute: the mean height of the support anchors plus the scaled up channel, blended with the
/// body's own height. Forward and left are relative: what they changed by since their first sample, weighted,
/// along the world's +Z and +X. Angles are weighted one by one and then made a rotation.
#[derive(Clone, Copy, Debug)]
pub struct FixedSoleBody<'a> {
    /// The body before the action.
    pub body_ws: DTransform,
    /// The soles before the action.
    pub anchors_ws: &'a [DVec3],
    /// What a curve value of 1 is, metres.
    pub reference_height: f64,
}

impl FixedSoleBody<'_> {
    /// Mean height of the support anchors, metres.
    ///
    /// # Errors
    /// [`ComposeError`] where there are none or one is not finite.
    pub fn height_datum(&self) -> Result<f64, ComposeError> {
        if self.anchors_ws.is_empty() {
            return Err(ComposeError::NoAnchors);
        }
        let mean = self.anchors_ws.iter().map(|a| a.y).sum::<f64>() / self.anchors_ws.len() as f64;
        if mean.is_finite() { Ok(mean) } else { Err(ComposeError::NotFinite { what: "a support anchor" }) }
    }

    /// The target for the channels at a moment, `first` being those at the action's start.
    ///
    /// # Errors
    /// [`ComposeError`] says which input is none.
    pub fn target(
        &self,
        now: &BodyCurves,
        first: &BodyCurves,
        weight: f64,
    ) -> Result<BodyTarget, ComposeError> {
        check_weight(weight)?;
        check(&self.body_ws, self.reference_height, now, first)?;
        let (base, height_datum) = (self.body_ws.translation, self.height_datum()?);
        let scaled_height = now.translation.z * self.reference_height;
        let moved = planar(now.translation - first.translation) * (self.reference_height * weight);
        let height = blend_scalar(base.y, height_datum + scaled_height, weight)?;
        let position = DVec3::new(base.x + moved.x, height, base.z + moved.z);
        let rotation = self.body_ws.rotation * now.rotation.weighted(weight).to_quat();
        let body_ws = DTransform::from_rotation_translation(rotation.normalize(), position);
        Ok(BodyTarget { body_ws, scaled_height, height_datum })
    }
}

/// Body of a stomp: a target for a controller, in the heading of the action and without weight.
///
/// Height is the striking foot's anchor plus the scaled up channel: absolute, never added up over frames, and
/// without the body's own height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StompBody {
    /// The body before the action.
    pub body_ws: DTransform,
    /// The striking foot before the action.
    pub striking_anchor_ws: DVec3,
    /// The action's heading: 0 along +Z, to the left, radians.
    pub heading: f64,
    /// What a curve value of 1 is, metres.
    pub reference_height: f64,
}

impl StompBody {
    /// The target for the channels at a moment, `first` being those at the action's start.
    ///
    /// # Errors
    /// [`ComposeError`] says which input is none.
    pub fn target(&self, now: &BodyCurves, first: &BodyCurves) -> Result<BodyTarget, ComposeError> {
        check(&self.body_ws, self.reference_height, now, first)?;
        finite("the striking foot's anchor", self.striking_anchor_ws.is_finite())?;
        finite("the heading", self.heading.is_finite())?;
        let (base, height_datum) = (self.body_ws.translation, self.striking_anchor_ws.y);
        let scaled_height = now.translation.z * self.reference_height;
        let moved = DQuat::from_rotation_y(self.heading)
            * (planar(now.translation - first.translation) * self.reference_height);
        let position = DVec3::new(base.x + moved.x, height_datum + scaled_height, base.z + moved.z);
        let rotation = (self.body_ws.rotation * now.rotation.to_quat()).normalize();
        let body_ws = DTransform::from_rotation_translation(rotation, position);
        Ok(BodyTarget { body_ws, scaled_height, height_datum })
    }
}

/// On which side of the body a leg stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Outward is to the left.
    Left,
    /// Outward is to the right.
    Right,
}

/// Striking foot of a stomp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StompFoot {
    /// The foot before the action.
    pub anchor_ws: DVec3,
    /// The action's heading: 0 along +Z, to the left, radians.
    pub heading: f64,
    /// Where outward is.
    pub side: Side,
    /// What 1 of towardness or outness is, metres. A setting of the adapter, not of the asset.
    pub planar_scale: f64,
    /// What 1 of up is, metres.
    pub vertical_scale: f64,
}

impl StompFoot {
    /// Scale of both, where nothing else is said, metres.
    pub const SCALE: f64 = 1.5;

    /// Where the foot goes. Up below zero counts as zero: a foot is never sent into the ground.
    ///
    /// # Errors
    /// [`ComposeError::NotFinite`] where a value is NaN or infinite.
    pub fn target(&self, towardness: f64, up: f64, outness: f64) -> Result<DVec3, ComposeError> {
        let outward = match self.side {
            Side::Left => outness,
            Side::Right => -outness,
        };
        let offset = planar(DVec3::new(towardness, outward, 0.0)) * self.planar_scale;
        let lift = DVec3::Y * (up.max(0.0) * self.vertical_scale);
        let target = self.anchor_ws + DQuat::from_rotation_y(self.heading) * offset + lift;
        // `max` drops a NaN, which is no height.
        finite("the foot's target", target.is_finite() && !up.is_nan())?;
        Ok(target)
    }
}

/// Forward and left of a channel value as a vector of the world; without up.
fn planar(channels: DVec3) -> DVec3 {
    DVec3::new(channels.y, 0.0, channels.x)
}

fn check(
    body_ws: &DTransform,
    reference_height: f64,
    now: &BodyCurves,
    first: &BodyCurves,
) -> Result<(), ComposeError> {
    if !(reference_height.is_finite() && reference_height > 0.0) {
        return Err(ComposeError::ReferenceHeight { metres: reference_height });
    }
    check_unit("the body's orientation", body_ws.rotation)?;
    finite("the body's position", body_ws.translation.is_finite())?;
    let Euler { pitch, yaw, roll } = now.rotation;
    let curves = now.translation.is_finite() && first.translation.is_finite();
    finite("a body channel", curves && pitch.is_finite() && yaw.is_finite() && roll.is_finite())
}

fn finite(what: &'static str, is: bool) -> Result<(), ComposeError> {
    if is { Ok(()) } else { Err(ComposeError::NotFinite { what }) }
}
