//! A value that goes to its goal without overshooting on the way.

use glam::DVec3;

/// A critically damped spring, stepped exactly: any step length gives the same curve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spring {
    pub(super) at: DVec3,
    pub(super) velocity: DVec3,
}

impl Spring {
    /// Goes on for `dt` seconds; half of the way is gone in about `half_life` seconds.
    pub(super) fn step(&mut self, goal: DVec3, half_life: f64, dt: f64) {
        if half_life <= 0.0 {
            *self = Self { at: goal, velocity: DVec3::ZERO };
            return;
        }
        // 1.678 solves (1 + x) exp(-x) = 1/2.
        let rate = 1.678_346_990_016_661 / half_life;
        let away = self.at - goal;
        let drive = self.velocity + away * rate;
        let decay = libm::exp(-rate * dt);
        self.at = goal + (away + drive * dt) * decay;
        self.velocity = (self.velocity - drive * (rate * dt)) * decay;
    }
}
