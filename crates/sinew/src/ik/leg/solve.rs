//! A leg at one tilt of its ankle, in closed form.

use core::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec3};

use super::{LegGeometry, LegPose};
use crate::DTransform;
use crate::ik::status::{TINY, point, rotation};
use crate::ik::{IkError, segment_distance};

/// Where a sole should stand, in the space that the body is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegTarget {
    /// The point under the ball joint, metres.
    pub sole: DVec3,
    /// The foot's frame: +Y the normal of the sole, +Z ahead.
    pub foot: DQuat,
}

/// A solved leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegSolution {
    /// Joints and frames in the body's space.
    pub pose: LegPose,
    /// Yaw, hip, knee and ankle, radians, as in [`LegLimits`](super::LegLimits).
    pub angles: [f64; 4],
    /// Between the ankle segment and the foot's downward axis, radians.
    pub foot_angle: f64,
    /// Tilt of the ankle segment in the leg's plane, radians: 0 hangs straight down along the yaw axis,
    /// positive has the ball joint outward of the ankle.
    pub phi: f64,
    /// Distance from hip to ankle over the length of upper and lower: 1 is stretched out.
    pub reach: f64,
    /// To the nearest limit, radians; negative past it.
    pub limit_margin: f64,
    /// The joint of that limit: yaw, hip, knee, ankle, foot.
    pub limit_joint: usize,
    /// Smallest gap between segments of the leg that are not neighbours, metres; negative where they collide.
    pub clearance: f64,
}

impl LegSolution {
    /// A solution of nothing, to be written over.
    pub const NONE: Self = Self {
        pose: LegPose::IDENTITY,
        angles: [0.0; 4],
        foot_angle: 0.0,
        phi: 0.0,
        reach: 0.0,
        limit_margin: 0.0,
        limit_joint: 0,
        clearance: 0.0,
    };
}

impl Default for LegSolution {
    fn default() -> Self {
        Self::NONE
    }
}

/// Why there is no solution at one tilt.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LegFault {
    /// Upper and lower cannot span the distance.
    #[error("out of reach by {by_metres} m")]
    Unreachable {
        /// What is missing, metres.
        by_metres: f64,
    },
    /// The input is no input.
    #[error(transparent)]
    Input(#[from] IkError),
}

/// The leg at a given tilt of the ankle, limits and collisions measured but not held.
///
/// `body` carries the leg (its scale is not looked at); `target` is in the space that the body is in.
///
/// # Errors
/// [`LegFault`].
pub fn solve_leg_at(
    geometry: &LegGeometry,
    body: &DTransform,
    target: &LegTarget,
    phi: f64,
) -> Result<LegSolution, LegFault> {
    let problem = Problem::new(geometry, body, target)?;
    if !phi.is_finite() {
        return Err(IkError::NotFinite { what: "phi" }.into());
    }
    let at = problem.at(phi).map_err(|by_metres| LegFault::Unreachable { by_metres })?;
    Ok(problem.solution(&at))
}

/// All that does not depend on the tilt, in the leg's plane: `r` outward from the yaw axis, `y` along it.
pub(super) struct Problem<'a> {
    geometry: &'a LegGeometry,
    /// The foot's frame in the body's space.
    foot: DQuat,
    yaw: f64,
    /// Of the ball joint.
    ball: (f64, f64),
    /// The foot's downward axis: outward, along the axis, sideways.
    down: DVec3,
}

/// A tilt and what comes of it; angles as in [`LegSolution`].
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) phi: f64,
    pub(super) reach: f64,
    pub(super) margin: f64,
    pub(super) clearance: f64,
    joint: usize,
    hip: f64,
    knee: f64,
    ankle: f64,
    foot: f64,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        geometry: &'a LegGeometry,
        body: &DTransform,
        target: &LegTarget,
    ) -> Result<Self, IkError> {
        geometry.check()?;
        point("the body's translation", body.translation)?;
        rotation("the body's rotation", body.rotation)?;
        point("the sole", target.sole)?;
        rotation("the foot's rotation", target.foot)?;
        let to_body = body.rotation.conjugate();
        let foot = to_body * target.foot;
        let up = foot * DVec3::Y;
        let ball = to_body * (target.sole - body.translation) + up * geometry.foot - geometry.hip;
        let side = geometry.axis.cross(geometry.outward);
        let (ahead, aside) = (ball.dot(geometry.outward), ball.dot(side));
        let radius = ahead.hypot(aside);
        if !radius.is_finite() {
            return Err(IkError::NotFinite { what: "the distance to the sole" });
        }
        if radius < TINY {
            return Err(IkError::TargetOnAxis);
        }
        let radial = (geometry.outward * ahead + side * aside) / radius;
        let across = geometry.axis.cross(radial);
        Ok(Self {
            geometry,
            foot,
            yaw: libm::atan2(aside, ahead),
            ball: (radius, ball.dot(geometry.axis)),
            down: -DVec3::new(up.dot(radial), up.dot(geometry.axis), up.dot(across)),
        })
    }

    /// The leg at a tilt, or the distance that upper and lower lack.
    pub(super) fn at(&self, phi: f64) -> Result<At, f64> {
        let g = self.geometry;
        let (sin, cos) = libm::sincos(phi);
        // The ankle as seen from the hip.
        let ankle = (self.ball.0 - g.ankle * sin - g.coxa, self.ball.1 + g.ankle * cos);
        let (a, b) = (g.upper, g.lower);
        let distance = ankle.0.hypot(ankle.1);
        if distance > a + b {
            return Err(distance - (a + b));
        }
        if distance < (a - b).abs() || distance < TINY {
            return Err((a - b).abs().max(TINY) - distance);
        }
        // Foot of the knee on the line from hip to ankle, and its height above; the knee is always above.
        let along = (a * a - b * b + distance * distance) / (2.0 * distance);
        let height = ((a - along) * (a + along)).max(0.0).sqrt();
        let (ur, uy) = (ankle.0 / distance, ankle.1 / distance);
        let knee = (ur * along - uy * height, uy * along + ur * height);
        let hip_angle = libm::atan2(knee.1, knee.0);
        let lower = libm::atan2(ankle.1 - knee.1, ankle.0 - knee.0);
        let knee_angle = wrap(lower - hip_angle);
        let ankle_angle = wrap(phi - FRAC_PI_2 - lower);
        let tip = DVec3::new(sin, -cos, 0.0);
        let foot = libm::atan2(tip.cross(self.down).length(), tip.dot(self.down));

        let (mut margin, mut joint) = (f64::INFINITY, 0);
        let angles = [self.yaw, hip_angle, knee_angle, ankle_angle, foot];
        for (i, (angle, (_, [min, max]))) in angles.into_iter().zip(g.limits.named()).enumerate() {
            // The foot's angle has no other side to get to below 0.
            let low = if i == 4 && min <= 0.0 { f64::INFINITY } else { angle - min };
            let here = low.min(max - angle);
            if here < margin {
                (margin, joint) = (here, i);
            }
        }
        let flat = |(r, y): (f64, f64)| DVec3::new(r, y, 0.0);
        let points = [
            DVec3::new(-g.coxa, 0.0, 0.0),
            DVec3::ZERO,
            flat(knee),
            flat(ankle),
            DVec3::new(self.ball.0 - g.coxa, self.ball.1, 0.0),
        ];
        let gap = |i: usize, j: usize| {
            segment_distance([points[i], points[i + 1]], [points[j], points[j + 1]]) - g.radii[i] - g.radii[j]
        };
        // Neighbours share a joint.
        let clearance = gap(0, 2).min(gap(0, 3)).min(gap(1, 3));
        Ok(At {
            phi,
            reach: distance / (a + b),
            margin,
            clearance,
            joint,
            hip: hip_angle,
            knee: knee_angle,
            ankle: ankle_angle,
            foot,
        })
    }

    /// In full.
    pub(super) fn solution(&self, at: &At) -> LegSolution {
        let angles = [self.yaw, at.hip, at.knee, at.ankle];
        LegSolution {
            pose: self.geometry.forward(angles, self.foot),
            angles,
            foot_angle: at.foot,
            phi: at.phi,
            reach: at.reach,
            limit_margin: at.margin,
            limit_joint: at.joint,
            clearance: at.clearance,
        }
    }
}

/// Into -pi to pi, for differences of two such angles.
fn wrap(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
