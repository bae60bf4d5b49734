//! Whether a foot stands.

use glam::DVec3;

/// When a foot stands: near the ground and slow against it, with a gap between the speeds at which it starts
/// and ends so that it does not flicker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StanceRule {
    /// Height of a contact point above where it stands, up to which it is near the ground, metres.
    pub height: f64,
    /// A stance begins below this speed over the ground, metres a second.
    pub enter_speed: f64,
    /// A stance ends above this one, metres a second.
    pub leave_speed: f64,
}

impl StanceRule {
    /// For a character of this size (a person's height), metres: 2 % of it near the ground, standing begins
    /// below 0.35 of it a second and ends above 0.4 of it.
    ///
    /// With hindsight a foot stands from where it came below the upper speed; a rule that goes forward cannot
    /// know that it will slow down further, and what it slides between the two speeds is not held: with 0.25
    /// in place of 0.35, 20 mm of a spider 1.5 m long.
    #[must_use]
    pub fn for_size(size: f64) -> Self {
        Self { height: 0.02 * size, enter_speed: 0.35 * size, leave_speed: 0.4 * size }
    }
}

/// Contact points of one foot in one frame.
#[derive(Clone, Copy, Debug)]
pub struct FootMotion<'a> {
    /// `[point]`: over the ground, world space, metres.
    pub points_ws: &'a [DVec3],
    /// `[point]`: height above where the point stands, metres.
    pub heights: &'a [f64],
    /// Seconds since the frame before.
    pub dt: f64,
}

/// Tells from frame to frame whether a foot stands, and on which of its points.
#[derive(Clone, Debug, PartialEq)]
pub struct StanceTracker {
    /// `[point]`, world space; of no use before the first frame.
    before_ws: Vec<DVec3>,
    started: bool,
    stands: bool,
    pivot: usize,
}

impl StanceTracker {
    /// For a foot with so many contact points. Allocates here and never after.
    #[must_use]
    pub fn new(points: usize) -> Self {
        Self { before_ws: vec![DVec3::ZERO; points], started: false, stands: false, pivot: 0 }
    }

    /// Whether the foot stands.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.stands
    }

    /// The point it stands on, or would.
    #[must_use]
    pub fn pivot(&self) -> usize {
        self.pivot
    }

    /// The next frame; `stands` overrules the rule. Returns how far the pivot has moved over the ground since
    /// the frame before, metres, horizontally.
    ///
    /// The pivot is the slowest of the points near the ground, so that a foot that rolls from heel to toe
    /// turns about what is down; it changes only where another is clearly slower, or it has left the ground.
    ///
    /// # Panics
    /// Where there are more or fewer points than the tracker is for.
    pub fn step(&mut self, motion: &FootMotion<'_>, rule: &StanceRule, stands: Option<bool>) -> DVec3 {
        let points = motion.points_ws;
        assert_eq!(
            (points.len(), motion.heights.len()),
            (self.before_ws.len(), self.before_ws.len()),
            "points"
        );
        if !self.started || points.is_empty() {
            self.before_ws.copy_from_slice(points);
            self.started = true;
            let lowest = (0..points.len()).min_by(|a, b| motion.heights[*a].total_cmp(&motion.heights[*b]));
            self.pivot = lowest.unwrap_or(0);
            self.stands = stands.unwrap_or(false);
            return DVec3::ZERO;
        }
        let moved = |i: usize| {
            let by = points[i] - self.before_ws[i];
            DVec3::new(by.x, 0.0, by.z)
        };
        let is_low = |i: usize| motion.heights[i] <= rule.height;
        let slowest = (0..points.len())
            .filter(|i| is_low(*i))
            .min_by(|a, b| moved(*a).length_squared().total_cmp(&moved(*b).length_squared()));
        let limit = if self.stands { rule.leave_speed } else { rule.enter_speed };
        let slow = |i: usize| moved(i).length() <= limit * motion.dt;
        if let Some(slowest) = slowest {
            let clearly = moved(slowest).length() < 0.5 * moved(self.pivot).length();
            if !is_low(self.pivot) || !self.stands || clearly {
                self.pivot = slowest;
            }
        }
        self.stands = stands.unwrap_or_else(|| slowest.is_some_and(slow));
        let by = moved(self.pivot);
        self.before_ws.copy_from_slice(points);
        by
    }

    /// Forgets everything: after a teleport.
    pub fn reset(&mut self) {
        (self.started, self.stands) = (false, false);
    }
}
