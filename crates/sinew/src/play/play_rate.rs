//! How fast time runs, and how fast that may change.

use super::playhead::{PlayError, finite};

/// A play rate that goes to its target at a limited speed. 1 is the speed a clip was made at, 0 stands still,
/// negative runs back.
///
/// The seconds of clip time that pass in a step are the exact integral of the ramp, so that any split of a
/// span into steps gives the same sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayRate {
    current: f64,
    target: f64,
    /// Most change a second; infinite where there is no limit.
    slew: f64,
}

impl Default for PlayRate {
    /// As the clip was made.
    fn default() -> Self {
        Self { current: 1.0, target: 1.0, slew: f64::INFINITY }
    }
}

impl PlayRate {
    /// The rate now.
    #[must_use]
    pub fn current(&self) -> f64 {
        self.current
    }

    /// The rate it goes to.
    #[must_use]
    pub fn target(&self) -> f64 {
        self.target
    }

    /// Whether the target is still to be reached.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.current != self.target
    }

    /// Takes a rate at once.
    ///
    /// # Errors
    /// [`PlayError::NotFinite`].
    pub fn set(&mut self, rate: f64) -> Result<(), PlayError> {
        let rate = finite("the play rate", rate)?;
        (self.current, self.target) = (rate, rate);
        Ok(())
    }

    /// Goes to a rate from now on, by at most `slew` a second. Setting the same target every frame is fine.
    ///
    /// # Errors
    /// [`PlayError`] where a number is not finite or the slew is negative.
    pub fn slew_to(&mut self, rate: f64, slew: f64) -> Result<(), PlayError> {
        let rate = finite("the play rate", rate)?;
        let slew = finite("the slew limit", slew)?;
        if slew < 0.0 {
            return Err(PlayError::Negative { what: "the slew limit", value: slew });
        }
        (self.target, self.slew) = (rate, slew);
        Ok(())
    }

    /// The rate after `dt` seconds, and the clip seconds that pass until then.
    pub(super) fn after(&self, dt: f64) -> (Self, f64) {
        let away = self.target - self.current;
        let ramp = if away == 0.0 { 0.0 } else { away.abs() / self.slew };
        if dt < ramp {
            let current = self.current + (self.slew * dt).copysign(away);
            return (Self { current, ..*self }, 0.5 * (self.current + current) * dt);
        }
        let seconds = 0.5 * (self.current + self.target) * ramp + self.target * (dt - ramp);
        (Self { current: self.target, ..*self }, seconds)
    }

    /// The wall seconds that it takes until `seconds` of clip time have passed, `seconds` being of those that
    /// pass within `dt`.
    pub(super) fn until(&self, seconds: f64, dt: f64) -> f64 {
        // Bisection: the integral is monotone up to the first passing, and this is only asked at a clip's
        // end.
        let (mut low, mut high) = (0.0, dt);
        for _ in 0..64 {
            let middle = 0.5 * (low + high);
            if self.after(middle).1.abs() < seconds.abs() {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}
