//! Turning something towards a target: a head, an eye, a gun.

use core::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

use super::status::{TINY, point, rotation};
use super::{IkError, IkStatus};

/// How far an aim turns from its reference axis: `[min, max]`, radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimLimits {
    /// About the reference's +Y; positive from +Z to +X. Within -pi to pi.
    pub yaw: [f64; 2],
    /// Up from the plane of the yaw. Within -pi to pi.
    pub pitch: [f64; 2],
}

impl AimLimits {
    /// All round.
    pub const NONE: Self = Self { yaw: [-PI, PI], pitch: [-PI, PI] };

    pub(super) fn check(&self) -> Result<(), IkError> {
        for (what, [min, max]) in [("the limit of yaw", self.yaw), ("the limit of pitch", self.pitch)] {
            super::status::within(what, min, [-PI, PI], "-pi to pi")?;
            super::status::within(what, max, [min, PI], "the minimum to pi")?;
        }
        Ok(())
    }
}

/// What an aim came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimSolution {
    /// Rotation of the joint in the space of the job.
    pub rotation: DQuat,
    /// Angles of that rotation, radians.
    pub yaw: f64,
    /// As [`AimSolution::yaw`].
    pub pitch: f64,
    /// The yaw that the target would take, radians.
    pub wanted_yaw: f64,
    /// The pitch that the target would take, radians.
    pub wanted_pitch: f64,
}

impl AimSolution {
    /// Straight along the reference axis of the world.
    pub const NONE: Self =
        Self { rotation: DQuat::IDENTITY, yaw: 0.0, pitch: 0.0, wanted_yaw: 0.0, wanted_pitch: 0.0 };
}

/// Aims a joint: yaw about the reference's up axis, then pitch, never a roll.
///
/// The ray goes from an eye that may sit anywhere off the joint (`offset`) along the look frame's +Z; it
/// passes through the target exactly, not only in parallel.
///
/// Past a limit the joint stops at it: the status is [`IkStatus::LimitHit`] (0 yaw, 1 pitch), and the
/// solution keeps the angles that were wanted.
#[derive(Debug)]
pub struct AimJob<'a> {
    /// The joint, metres.
    pub origin: DVec3,
    /// The frame that angles are measured in: +Z is the reference axis, +Y up. Usually the parent's rotation
    /// times the look frame at rest.
    pub reference: DQuat,
    /// The look frame in the joint's space: +Z looks, +Y is up. The identity where the joint itself is such.
    pub look: DQuat,
    /// The eye in the look frame, metres from the joint.
    pub offset: DVec3,
    /// What to aim at, metres.
    pub target: DVec3,
    /// How far to turn.
    pub limits: AimLimits,
    /// The solution.
    pub output: &'a mut AimSolution,
}

impl AimJob<'_> {
    /// Aims. Where no angle brings the ray through the target (it is nearer than the eye's offset), the
    /// status is [`IkStatus::Unreachable`] and the output is untouched. Allocates nothing.
    ///
    /// # Errors
    /// [`IkError`] where an input is none, the target is on the joint, or it is straight above or below,
    /// where no yaw can be told. The output is untouched.
    pub fn run(&mut self) -> Result<IkStatus, IkError> {
        point("the joint", self.origin)?;
        rotation("the reference", self.reference)?;
        rotation("the look frame", self.look)?;
        point("the eye's offset", self.offset)?;
        point("the target", self.target)?;
        self.limits.check()?;
        let at = self.reference.conjugate() * (self.target - self.origin);
        point("the way to the target", at)?;
        if at.length() < TINY {
            return Err(IkError::TargetOnRoot);
        }
        let eye = self.offset;
        let flat = at.x.hypot(at.z);
        if flat < TINY {
            return Err(IkError::TargetOnAxis);
        }
        // Both legs of the two right triangles that eye, joint and target make, seen from above and from the
        // side.
        let missing = |by_metres: f64| Ok(IkStatus::Unreachable { by_metres });
        if flat < eye.x.abs() {
            return missing(eye.x.abs() - flat);
        }
        let ahead = ((flat - eye.x) * (flat + eye.x)).sqrt();
        let side = ahead.hypot(at.y);
        if side < eye.y.abs() {
            return missing(eye.y.abs() - side);
        }
        let along = ((side - eye.y) * (side + eye.y)).sqrt();
        if along < eye.z {
            return missing(eye.z - along);
        }
        let wanted_yaw = wrap(libm::atan2(at.x, at.z) - libm::atan2(eye.x, ahead));
        let wanted_pitch = wrap(libm::atan2(at.y, ahead) - libm::atan2(eye.y, along));
        let limits = &self.limits;
        // Towards the back, the end on the same side.
        let yaw = wanted_yaw.clamp(limits.yaw[0], limits.yaw[1]);
        let pitch = wanted_pitch.clamp(limits.pitch[0], limits.pitch[1]);
        let turn = about_y(yaw) * about_x(-pitch);
        let rotation = (self.reference * turn * self.look.conjugate()).normalize();
        *self.output = AimSolution { rotation, yaw, pitch, wanted_yaw, wanted_pitch };
        Ok(if yaw != wanted_yaw {
            IkStatus::LimitHit { joint: 0 }
        } else if pitch != wanted_pitch {
            IkStatus::LimitHit { joint: 1 }
        } else {
            IkStatus::Reached
        })
    }
}

fn about_x(angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(sin, 0.0, 0.0, cos)
}

fn about_y(angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(0.0, sin, 0.0, cos)
}

fn wrap(angle: f64) -> f64 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
