//! How a character gets up to speed and stops.

use glam::DVec2;

use super::error::{LocomotionError, in_range};

/// Shortest sub-step of braking, seconds.
const LEAST_SUB_STEP: f64 = 1e-4;

/// What moves a character over the ground. Predictions iterate it, so that they come true.
///
/// A game that moves characters in another way implements this with its own code.
pub trait Mover {
    /// The velocity after `dt` seconds, metres a second in the movement plane (x, z), with the stick held at
    /// `input` (of length 0 to 1). The character then moves by that velocity times `dt`.
    fn step(&self, velocity: DVec2, input: DVec2, dt: f64) -> DVec2;
}

/// A walking character: accelerates along the stick, turns by friction, and brakes where the stick is let go.
///
/// Braking is `dv/dt = -braking_friction * v - braking`, taken in steps of at most `sub_step`, the last of a
/// frame halved as needed; below `stop_speed` the character stands. This is what common engines do, which is
/// why the formulas of the continuous motion miss the place where it really stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundMover {
    /// Metres a second.
    pub max_speed: f64,
    /// Metres a second, a second.
    pub acceleration: f64,
    /// How fast velocity turns to where the stick points, a second.
    pub friction: f64,
    /// Share of the speed lost a second while braking.
    pub braking_friction: f64,
    /// Speed lost a second while braking, metres a second squared.
    pub braking: f64,
    /// Longest step of braking, seconds; at least 0.0001, below which it counts as that.
    pub sub_step: f64,
    /// At this speed or below, a character that brakes stands, metres a second.
    pub stop_speed: f64,
}

impl GroundMover {
    /// Refuses numbers that move nobody.
    ///
    /// # Errors
    /// [`LocomotionError`] names the number.
    pub fn check(&self) -> Result<(), LocomotionError> {
        in_range("the top speed", self.max_speed, 1e-6, 1e4, "1e-6 to 1e4")?;
        in_range("the acceleration", self.acceleration, 0.0, 1e6, "0 to 1e6")?;
        in_range("the friction", self.friction, 0.0, 1e4, "0 to 1e4")?;
        in_range("the braking friction", self.braking_friction, 0.0, 1e4, "0 to 1e4")?;
        in_range("the braking", self.braking, 0.0, 1e6, "0 to 1e6")?;
        in_range("the sub-step in seconds", self.sub_step, LEAST_SUB_STEP, 10.0, "0.0001 to 10")?;
        in_range("the stop speed", self.stop_speed, 0.0, self.max_speed, "0 to the top speed")?;
        Ok(())
    }

    /// Metres that it takes to get from standing to top speed, `v^2 / 2a`.
    #[must_use]
    pub fn run_up(&self) -> f64 {
        self.max_speed * self.max_speed / (2.0 * self.acceleration)
    }

    fn brake(&self, velocity: DVec2, dt: f64) -> DVec2 {
        let speed = velocity.length();
        if !(speed > 0.0) {
            return DVec2::ZERO;
        }
        let (mut left, mut v) = (dt, speed);
        // The least that `check` lets pass: steps of nothing, or of no number, would never end.
        let longest = self.sub_step.max(LEAST_SUB_STEP);
        while left > 1e-9 && v > 0.0 {
            let h = if left > longest { longest.min(0.5 * left) } else { left };
            left -= h;
            v += (-self.braking_friction * v - self.braking) * h;
            if !(v > self.stop_speed) {
                v = 0.0;
            }
        }
        velocity * (v / speed)
    }
}

impl Mover for GroundMover {
    fn step(&self, velocity: DVec2, input: DVec2, dt: f64) -> DVec2 {
        let push = input.length();
        if !(push > 1e-9) {
            return self.brake(velocity, dt);
        }
        let (towards, push) = (input / push, push.min(1.0));
        let speed = velocity.length();
        let turned = velocity - (velocity - towards * speed) * (dt * self.friction).min(1.0);
        let faster = turned + towards * (push * self.acceleration * dt);
        faster.clamp_length_max(self.max_speed)
    }
}
