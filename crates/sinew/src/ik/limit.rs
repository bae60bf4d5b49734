//! How far a joint may turn: cone and twist, or each axis by itself.

use glam::{DQuat, DVec3, EulerRot};

use super::IkError;
use super::status::{point, rotation, unit};

/// How far a joint may turn from a reference rotation.
///
/// A joint's local rotation `q` is measured as `inverse(reference) * q`: where the reference is the rest
/// rotation, angles are those from rest, in the joint's own rest axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimit {
    /// The rotation in the middle of it all, parent-local; usually that of the rest pose.
    pub reference: DQuat,
    /// How far to turn from there.
    pub range: LimitRange,
}

/// Kinds of limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitRange {
    /// The rotation is split into a twist about an axis and then a swing of that axis: shoulders, hips,
    /// necks. A hinge has no swing.
    SwingTwist {
        /// The axis of the bone or hinge in the joint's space; any length above 0.
        axis: DVec3,
        /// Largest angle between the axis and where it was, radians, 0 to pi.
        swing: f64,
        /// `[min, max]` of the angle about the axis, radians within -pi to pi.
        twist: [f64; 2],
    },
    /// The rotation is split into angles about three axes one after the other.
    PerAxis {
        /// Which axes, and in which order.
        order: EulerRot,
        /// Least angles in the order of the axes, radians.
        min: DVec3,
        /// Greatest angles in the order of the axes, radians.
        max: DVec3,
    },
}

/// Which part of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitPart {
    /// The cone.
    Swing,
    /// The angle about the bone.
    Twist,
    /// An angle of [`LimitRange::PerAxis`], 0 to 2.
    Axis(u8),
}

/// How far from a limit a rotation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitMargin {
    /// To the nearest limit, radians; negative past it.
    pub radians: f64,
    /// Which limit that is.
    pub part: LimitPart,
}

impl JointLimit {
    /// A cone round `axis` and a twist about it, from the rotation `reference`.
    #[must_use]
    pub fn swing_twist(reference: DQuat, axis: DVec3, swing: f64, twist: [f64; 2]) -> Self {
        Self { reference, range: LimitRange::SwingTwist { axis, swing, twist } }
    }

    /// Angles about X, then the new Y, then the new Z, from the rotation `reference`.
    #[must_use]
    pub fn per_axis(reference: DQuat, min: DVec3, max: DVec3) -> Self {
        Self { reference, range: LimitRange::PerAxis { order: EulerRot::XYZ, min, max } }
    }

    /// Whether this is a limit.
    ///
    /// # Errors
    /// [`IkError`] names what is not.
    pub fn check(&self) -> Result<(), IkError> {
        rotation("the reference of a limit", self.reference)?;
        match self.range {
            LimitRange::SwingTwist { axis, swing, twist } => {
                unit("the axis of a limit", axis)?;
                super::status::within(
                    "the swing of a limit",
                    swing,
                    [0.0, core::f64::consts::PI],
                    "0 to pi",
                )?;
                range("the twist of a limit", twist[0], twist[1])
            }
            LimitRange::PerAxis { min, max, .. } => {
                point("the least angles of a limit", min)?;
                point("the greatest angles of a limit", max)?;
                (0..3).try_for_each(|i| range("an angle of a limit", min[i], max[i]))
            }
        }
    }

    /// How far the local rotation is from its nearest limit. Either sign of a quaternion gives the same; one
    /// that is not finite is infinitely far past it.
    #[must_use]
    pub fn margin(&self, rotation_ls: DQuat) -> LimitMargin {
        let mut nearest = LimitMargin { radians: f64::INFINITY, part: LimitPart::Twist };
        let mut meet = |radians: f64, part: LimitPart| {
            if radians < nearest.radians || radians.is_nan() {
                let radians = if radians.is_nan() { f64::NEG_INFINITY } else { radians };
                nearest = LimitMargin { radians, part };
            }
        };
        let q = self.reference.conjugate() * rotation_ls;
        match self.range {
            LimitRange::SwingTwist { axis, swing, twist } => {
                let parts = SwingTwist::new(q, axis.normalize_or(DVec3::Z));
                meet(swing - parts.swing_angle(), LimitPart::Swing);
                meet(inside(parts.twist, twist), LimitPart::Twist);
            }
            LimitRange::PerAxis { order, min, max } => {
                for (i, angle) in euler(q, order).into_iter().enumerate() {
                    meet(inside(angle, [min[i], max[i]]), LimitPart::Axis(i as u8));
                }
            }
        }
        nearest
    }

    /// The local rotation with every part moved to within its limit; one that is within comes back bit for
    /// bit.
    #[must_use]
    pub fn clamp(&self, rotation_ls: DQuat) -> DQuat {
        if self.margin(rotation_ls).radians >= 0.0 {
            return rotation_ls;
        }
        let q = self.reference.conjugate() * rotation_ls;
        let within = match self.range {
            LimitRange::SwingTwist { axis, swing, twist } => {
                let axis = axis.normalize_or(DVec3::Z);
                let parts = SwingTwist::new(q, axis);
                let angle = nearest_end(parts.twist, twist);
                parts.swing_cut_to(swing) * about(axis, angle)
            }
            LimitRange::PerAxis { order, min, max } => {
                let a = euler(q, order);
                let [x, y, z] = core::array::from_fn(|i| nearest_end(a[i], [min[i], max[i]]));
                DQuat::from_euler(order, x, y, z)
            }
        };
        let clamped = (self.reference * within).normalize();
        if clamped.is_finite() { clamped } else { self.reference }
    }
}

/// `q = swing * twist`.
struct SwingTwist {
    swing: DQuat,
    /// Radians, -pi to pi.
    twist: f64,
}

impl SwingTwist {
    fn new(q: DQuat, axis: DVec3) -> Self {
        // The sign with the shorter turn.
        let q = if q.w < 0.0 { -q } else { q };
        let about_axis = q.xyz().dot(axis);
        // Swung half round, no twist can be told from another.
        let twist = if about_axis.hypot(q.w) > 1e-12 { 2.0 * libm::atan2(about_axis, q.w) } else { 0.0 };
        Self { swing: q * about(axis, -twist), twist }
    }

    fn swing_angle(&self) -> f64 {
        2.0 * libm::atan2(self.swing.xyz().length(), self.swing.w.abs())
    }

    fn swing_cut_to(&self, most: f64) -> DQuat {
        if self.swing_angle() <= most {
            return self.swing;
        }
        let axis = self.swing.xyz() * self.swing.w.signum();
        about(axis.normalize_or(DVec3::X), most)
    }
}

fn euler(q: DQuat, order: EulerRot) -> [f64; 3] {
    let (a, b, c) = q.to_euler(order);
    [a, b, c]
}

fn about(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// Distance to the nearer end of a range, negative outside.
fn inside(angle: f64, [min, max]: [f64; 2]) -> f64 {
    let (low, high) = (angle - min, max - angle);
    if low >= 0.0 && high >= 0.0 {
        return low.min(high);
    }
    // Outside: the way round the circle to the nearer end.
    let turn = core::f64::consts::TAU;
    let way = |d: f64| if d < 0.0 { -d } else { turn - d };
    -way(low).min(way(high))
}

/// The angle, or the nearer end of the range round the circle.
fn nearest_end(angle: f64, [min, max]: [f64; 2]) -> f64 {
    if (min..=max).contains(&angle) {
        return angle;
    }
    let turn = core::f64::consts::TAU;
    let way = |to: f64| {
        let d = (angle - to).abs() % turn;
        d.min(turn - d)
    };
    if way(min) <= way(max) { min } else { max }
}

fn range(what: &'static str, min: f64, max: f64) -> Result<(), IkError> {
    if !(min.is_finite() && max.is_finite()) {
        Err(IkError::NotFinite { what })
    } else if min > max {
        Err(IkError::OutOfRange { what, value: min, expected: "a minimum up to the maximum" })
    } else {
        Ok(())
    }
}
