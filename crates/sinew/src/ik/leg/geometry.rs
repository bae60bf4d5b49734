//! What a leg is made of, and where its joints are at given angles.

use glam::{DMat3, DQuat, DVec3};

use crate::DTransform;
use crate::ik::IkError;
use crate::ik::status::{length, point, unit};

/// How far a leg's joints turn: `[min, max]`, radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegLimits {
    /// Of the coxa about the yaw axis, from [`LegGeometry::outward`].
    pub yaw: [f64; 2],
    /// Elevation of the upper segment over the coxa; up is positive.
    pub hip: [f64; 2],
    /// Of the lower segment from the upper; folding down is negative.
    pub knee: [f64; 2],
    /// Of the ankle segment from the lower; folding down is negative.
    pub ankle: [f64; 2],
    /// Between the ankle segment and the foot's own downward axis; never negative.
    pub foot: [f64; 2],
}

/// A leg in the space of the body that carries it.
///
/// Segments have frames with +Z along the segment, +Y up and the hinge along +X; the foot's frame has +Y
/// along the normal of the sole and +Z ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegGeometry {
    /// The joint that yaws, metres.
    pub hip: DVec3,
    /// Axis of the yaw, of length 1; `+Y` for a machine that stands upright.
    pub axis: DVec3,
    /// Where the coxa points at yaw 0, of length 1, at right angles to the axis.
    pub outward: DVec3,
    /// From the yaw joint to the pitch joint of the hip, metres; 0 where they are one.
    pub coxa: f64,
    /// From there to the knee, metres.
    pub upper: f64,
    /// From there to the ankle, metres.
    pub lower: f64,
    /// From there to the ball joint, metres.
    pub ankle: f64,
    /// From there down to the sole, metres; 0 where the ball touches the ground.
    pub foot: f64,
    /// Radii of coxa, upper, lower and ankle, metres.
    pub radii: [f64; 4],
    /// How far the joints turn.
    pub limits: LegLimits,
}

/// Where a leg's joints are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegPose {
    /// Yaw joint, hip, knee, ankle, ball and sole, metres.
    pub joints: [DVec3; 6],
    /// Frames of coxa, upper, lower, ankle and foot.
    pub rotations: [DQuat; 5],
}

impl LegPose {
    /// Everything in one point.
    pub const IDENTITY: Self = Self { joints: [DVec3::ZERO; 6], rotations: [DQuat::IDENTITY; 5] };

    /// From the body's space to that of the body's parent. The body's scale is not looked at.
    #[must_use]
    pub fn to_world(&self, body: &DTransform) -> Self {
        Self {
            joints: self.joints.map(|p| body.translation + body.rotation * p),
            rotations: self.rotations.map(|q| body.rotation * q),
        }
    }

    /// The end of the leg, metres.
    #[must_use]
    pub fn sole(&self) -> DVec3 {
        self.joints[5]
    }
}

impl LegGeometry {
    /// Whether this is a leg.
    ///
    /// # Errors
    /// [`IkError`] names the first length, direction or limit that is not one.
    pub fn check(&self) -> Result<(), IkError> {
        point("the hip", self.hip)?;
        point("the yaw axis", self.axis)?;
        point("the outward direction", self.outward)?;
        for (what, axis) in [("the yaw axis", self.axis), ("the outward direction", self.outward)] {
            let value = axis.length();
            if (value - 1.0).abs() > 1e-9 {
                return Err(IkError::OutOfRange { what, value, expected: "a direction of length 1" });
            }
        }
        let value = self.axis.dot(self.outward);
        if value.abs() > 1e-9 {
            let what = "the cosine between the yaw axis and the outward direction";
            return Err(IkError::OutOfRange { what, value, expected: "0" });
        }
        length("the coxa", self.coxa, true)?;
        length("the upper segment", self.upper, false)?;
        length("the lower segment", self.lower, false)?;
        length("the ankle segment", self.ankle, true)?;
        length("the foot", self.foot, true)?;
        for radius in self.radii {
            length("a radius", radius, true)?;
        }
        for (what, [min, max]) in self.limits.named() {
            if !(min.is_finite() && max.is_finite()) {
                return Err(IkError::NotFinite { what });
            }
            if min > max {
                return Err(IkError::OutOfRange {
                    what,
                    value: min,
                    expected: "a minimum up to the maximum",
                });
            }
        }
        Ok(())
    }

    /// The pose at given angles (yaw, hip, knee, ankle; radians as in [`LegLimits`]) with the foot's frame,
    /// both in the body's space. Angles are not held against the limits.
    #[must_use]
    pub fn forward(&self, [yaw, hip, knee, ankle]: [f64; 4], foot: DQuat) -> LegPose {
        let base = self.base();
        let coxa = base * turn(DVec3::Y, yaw);
        // About +X, +Z goes down.
        let upper = coxa * turn(DVec3::X, -hip);
        let lower = upper * turn(DVec3::X, -knee);
        let tip = lower * turn(DVec3::X, -ankle);
        self.pose_of([coxa, upper, lower, tip, foot])
    }

    /// From the coxa's frame at yaw 0 to the body's space.
    pub(super) fn base(&self) -> DQuat {
        let side = self.axis.cross(self.outward);
        DQuat::from_mat3(&DMat3::from_cols(side, self.axis, self.outward))
    }

    /// Where the joints are with these frames of coxa, upper, lower, ankle and foot.
    pub(super) fn pose_of(&self, rotations: [DQuat; 5]) -> LegPose {
        let mut joints = [self.hip; 6];
        let ways = [self.coxa, self.upper, self.lower, self.ankle].map(|length| DVec3::Z * length);
        for i in 0..4 {
            joints[i + 1] = joints[i] + rotations[i] * ways[i];
        }
        joints[5] = joints[4] - rotations[4] * DVec3::Y * self.foot;
        LegPose { joints, rotations }
    }

    /// A foot's frame from the normal of the ground and a heading, for [`LegTarget`](super::LegTarget): +Y
    /// along the normal, +Z along the heading as far as the ground lets it.
    ///
    /// # Errors
    /// [`IkError`] where one is not finite or nothing, or the heading is along the normal.
    pub fn foot_on(normal: DVec3, heading: DVec3) -> Result<DQuat, IkError> {
        let up = unit("the normal of the ground", normal)?;
        point("the heading", heading)?;
        let ahead = unit("the heading over the ground", heading - up * heading.dot(up))?;
        Ok(DQuat::from_mat3(&DMat3::from_cols(up.cross(ahead), up, ahead)).normalize())
    }

    /// Largest distance from the yaw joint to the ball joint, metres.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.coxa + self.upper + self.lower + self.ankle
    }
}

impl LegLimits {
    /// No limits, but those of angles themselves.
    pub const NONE: Self = {
        let round = [-core::f64::consts::PI, core::f64::consts::PI];
        Self { yaw: round, hip: round, knee: round, ankle: round, foot: [0.0, core::f64::consts::PI] }
    };

    /// In the order of a leg's joints, each with what it limits.
    #[must_use]
    pub fn named(&self) -> [(&'static str, [f64; 2]); 5] {
        [
            ("the yaw", self.yaw),
            ("the hip", self.hip),
            ("the knee", self.knee),
            ("the ankle", self.ankle),
            ("the foot", self.foot),
        ]
    }
}

fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}
