//! How far standing feet slide.

use glam::DVec3;

/// A point within this share of the stance rule's height touches the ground.
const TOUCHES: f64 = 0.1;

/// What a foot slides while it stands, step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootSlide {
    /// Steps that are over.
    pub steps: u32,
    /// Metres over all of them.
    pub total: f64,
    /// Metres of the worst, the one that is going on included.
    pub worst: f64,
    /// Metres of the step that is going on.
    pub current: f64,
    standing: bool,
    held: bool,
}

impl FootSlide {
    /// Metres a step, over those that are over; 0 of none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { self.total / f64::from(self.steps) }
    }

    /// A frame: whether the foot is held, and its points, a frame ago and now, world space, with their heights
    /// above where they stand.
    ///
    /// What counts are the points that are within a tenth of `near` of the ground in both frames, whether the foot
    /// is held or not, and of a foot that is held those within `near`; of these, the one that moved least over the
    /// ground is what it stands on. Ways add up: a foot that slides and comes back has slid.
    pub(super) fn see(&mut self, held: bool, near: f64, points: [&[DVec3]; 2], heights: [&[f64]; 2]) {
        let limit = if held && self.held { near } else { TOUCHES * near };
        self.held = held;
        let mut least = f64::INFINITY;
        for i in 0..points[0].len() {
            if heights[0][i] <= limit && heights[1][i] <= limit {
                least = least.min((points[1][i] - points[0][i]).with_y(0.0).length());
            }
        }
        if least.is_finite() {
            self.standing = true;
            self.current += least;
            self.worst = self.worst.max(self.current);
        } else if self.standing {
            self.steps += 1;
            self.total += self.current;
            (self.current, self.standing) = (0.0, false);
        }
    }

    /// Two feet as one.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            total: self.total + other.total,
            worst: self.worst.max(other.worst),
            current: self.current.max(other.current),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_that_goes_on_counts_as_the_worst_already() {
        let at = |x: f64| [DVec3::new(x, 0.0, 0.0)];
        let mut slide = FootSlide::default();
        for i in 0..4 {
            let x = 0.01 * f64::from(i);
            slide.see(true, 0.03, [&at(x), &at(x + 0.01)], [&[0.0], &[0.0]]);
        }
        assert_eq!(slide.steps, 0);
        assert!((slide.worst - 0.04).abs() < 1e-12 && slide.worst == slide.current, "{slide:?}");
        slide.see(false, 0.03, [&at(0.04), &at(0.3)], [&[0.0], &[0.2]]);
        assert!(slide.steps == 1 && slide.current == 0.0 && (slide.worst - 0.04).abs() < 1e-12, "{slide:?}");
    }
}
