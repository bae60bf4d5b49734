//! How far standing feet slide.

use glam::DVec3;

/// What a foot slides while it stands, step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootSlide {
    /// Steps that are over.
    pub steps: u32,
    /// Metres over all of them.
    pub total: f64,
    /// Metres of the worst.
    pub worst: f64,
    /// Metres of the step that is going on.
    pub current: f64,
    standing: bool,
}

impl FootSlide {
    /// Metres a step, over those that are over; 0 of none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.total / f64::from(self.steps) }
    }

    /// A frame in which the foot stands or not. Of its points, `now` and a frame ago in world space, the one
    /// that moved least over the ground is what it stands on.
    pub(super) fn see(&mut self, stands: bool, before: &[DVec3], now: &[DVec3]) {
        if stands && self.standing {
            let moved = now.iter().zip(before).map(|(a, b)| (a.x - b.x).hypot(a.z - b.z));
            let least = moved.fold(f64::INFINITY, f64::min);
            if least.is_finite() {
                self.current += least;
            }
        } else if self.standing {
            self.steps += 1;
            self.total += self.current;
            self.worst = self.worst.max(self.current);
            self.current = 0.0;
        }
        self.standing = stands;
    }
}
