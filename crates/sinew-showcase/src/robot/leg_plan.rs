//! Measures of the legs: where they stand, how long their segments are.

use glam::{DQuat, DVec3};
use sinew::DTransform;

/// Height of the body's origin above the ground when the machine stands, metres.
pub const STANDING_HEIGHT: f64 = 7.2;
/// Height that body channels of actions are fractions of, metres.
pub const REFERENCE_HEIGHT: f64 = 10.0;

/// From the yaw axis to the hinge of the hip, metres.
pub(super) const COXA: f64 = 0.9;
/// From hip to knee, metres.
pub(super) const UPPER: f64 = 4.4;
/// From knee to ankle, metres.
pub(super) const LOWER: f64 = 6.2;
/// From the ankle to the ball joint of the foot, metres.
pub(super) const ANKLE: f64 = 2.0;
/// From the ball joint down to the sole, metres.
pub(super) const FOOT: f64 = 0.6;
/// Lean of the ankle segment at rest, radians from vertical, its foot outwards.
pub(super) const REST_LEAN: f64 = 0.12;

/// One leg on its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct LegPlan {
    pub(super) name: &'static str,
    /// Yaw axis, body space.
    pub(super) hip: DVec3,
    /// Middle of the sole when the machine stands, body space.
    pub(super) sole: DVec3,
}

/// Front, middle and rear, left and right; +X is left.
pub(super) const PLANS: [LegPlan; 6] = [
    plan("L_01", [1.75, 2.0], [4.55, 5.9]),
    plan("L_02", [2.15, 0.0], [7.1, 0.0]),
    plan("L_03", [1.75, -2.0], [4.55, -5.9]),
    plan("R_01", [-1.75, 2.0], [-4.55, 5.9]),
    plan("R_02", [-2.15, 0.0], [-7.1, 0.0]),
    plan("R_03", [-1.75, -2.0], [-4.55, -5.9]),
];

const fn plan(name: &'static str, hip: [f64; 2], sole: [f64; 2]) -> LegPlan {
    LegPlan {
        name,
        hip: DVec3::new(hip[0], -0.3, hip[1]),
        sole: DVec3::new(sole[0], -STANDING_HEIGHT, sole[1]),
    }
}

/// Locals of coxa, upper, lower, ankle and foot when the machine stands.
pub(super) struct Standing(pub(super) [DTransform; 5]);

impl LegPlan {
    /// Direction the coxa points in at rest, radians about up from forward to the left.
    pub(super) fn heading(&self) -> f64 {
        let out = self.sole - self.hip;
        libm::atan2(out.x, out.z)
    }

    /// The standing leg: the two long segments are the sides of a triangle whose third side goes from the hinge
    /// of the hip to the ankle.
    pub(super) fn standing(&self) -> Standing {
        let out = self.sole - self.hip;
        let (sin, cos) = libm::sincos(REST_LEAN);
        let across = libm::hypot(out.x, out.z) - COXA - ANKLE * sin;
        let up = out.y + FOOT + ANKLE * cos;
        let far = libm::hypot(across, up);
        let corner =
            |a: f64, b: f64, opposite: f64| libm::acos((a * a + b * b - opposite * opposite) / (2.0 * a * b));
        let hip = libm::atan2(up, across) + corner(UPPER, far, LOWER);
        let knee = corner(UPPER, LOWER, far) - core::f64::consts::PI;
        let ankle = REST_LEAN - core::f64::consts::FRAC_PI_2 - hip - knee;
        // Positive angles lift, and turning about +X lowers +Z.
        let hinge = |angle: f64, length: f64| {
            DTransform::from_rotation_translation(DQuat::from_rotation_x(-angle), DVec3::Z * length)
        };
        Standing([
            DTransform::from_rotation_translation(DQuat::from_rotation_y(self.heading()), self.hip),
            hinge(hip, COXA),
            hinge(knee, UPPER),
            hinge(ankle, LOWER),
            // Back to level: what the three hinges add up to.
            hinge(-hip - knee - ankle, ANKLE),
        ])
    }
}
