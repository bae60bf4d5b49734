//! Where a character will stop or turn.

use glam::DVec2;

use super::Mover;
use super::error::{LocomotionError, in_range};

/// How far is looked ahead, seconds, whatever the frames.
const MAX_SECONDS: f64 = 100.0;
/// Shortest and longest frame, seconds.
const FRAME: [f64; 2] = [1e-4, 10.0];

/// Where a movement ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Metres until then.
    pub distance: f64,
    /// Seconds until then.
    pub seconds: f64,
    /// Frames until then.
    pub steps: u32,
}

/// How far a character goes until it stands, found by moving it with the stick let go, frame by frame of `dt`
/// seconds.
///
/// # Errors
/// [`LocomotionError`] where a number is not usable, or the mover does not come to rest within 100 s.
pub fn predict_stop<M: Mover + ?Sized>(
    mover: &M,
    velocity: DVec2,
    dt: f64,
) -> Result<Prediction, LocomotionError> {
    predict_along(mover, velocity, DVec2::ZERO, velocity.normalize_or_zero(), dt)
}

/// How far a character goes on until its velocity along its present direction is gone, with the stick held at
/// `input`.
///
/// # Errors
/// As [`predict_stop`].
pub fn predict_pivot<M: Mover + ?Sized>(
    mover: &M,
    velocity: DVec2,
    input: DVec2,
    dt: f64,
) -> Result<Prediction, LocomotionError> {
    predict_along(mover, velocity, input, velocity.normalize_or_zero(), dt)
}

/// How far it is along a direction until the velocity along it is gone: of a turn that is not straight back,
/// the direction is that of its beginning.
pub(super) fn predict_along<M: Mover + ?Sized>(
    mover: &M,
    velocity: DVec2,
    input: DVec2,
    forward: DVec2,
    dt: f64,
) -> Result<Prediction, LocomotionError> {
    in_range("the step in seconds", dt, FRAME[0], FRAME[1], "0.0001 to 10")?;
    for (what, value) in [
        ("the velocity in x", velocity.x),
        ("the velocity in z", velocity.y),
        ("the stick in x", input.x),
        ("the stick in z", input.y),
    ] {
        in_range(what, value, -1e6, 1e6, "-1e6 to 1e6")?;
    }
    let (mut v, mut distance) = (velocity, 0.0);
    let mut along = v.dot(forward);
    let most = libm::ceil(MAX_SECONDS / dt) as u32;
    for steps in 0..most {
        if !(along > 0.0) {
            return Ok(Prediction { distance, seconds: f64::from(steps) * dt, steps });
        }
        v = mover.step(v, input, dt);
        along = v.dot(forward);
        if along > 0.0 {
            distance += along * dt;
        }
    }
    Err(LocomotionError::NeverStops { speed: along, seconds: f64::from(most) * dt })
}

/// Metres to a stop of the continuous motion `dv/dt = -f v - b`: `v/f - b/f^2 ln(1 + f v/b)`. What the motion
/// in frames tends to as they get shorter; for comparison. Infinite where nothing brakes.
#[must_use]
pub fn stop_closed_form(speed: f64, friction: f64, braking: f64) -> f64 {
    let x = friction * speed / braking;
    // Little friction is a series, where the difference of the two terms is rounding.
    if x < 1e-4 {
        return speed * speed / (2.0 * braking) * (1.0 - x * (2.0 / 3.0) + 0.5 * x * x);
    }
    if braking <= 0.0 {
        return speed / friction;
    }
    speed / friction - braking / (friction * friction) * libm::log1p(x)
}

/// Metres to a stop at an even braking, `v^2 / 2b`; for comparison.
#[must_use]
pub fn stop_parabola(speed: f64, braking: f64) -> f64 {
    speed * speed / (2.0 * braking)
}
