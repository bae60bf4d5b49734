//! Steps that no clip has.

/// Steps that feet took of their own: while the clip has a foot on the ground, it goes through the air from where it
/// stands to where the clip has it. Shorter than a millimetre is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnSteps {
    /// How many.
    pub steps: u32,
    /// Metres over the ground, all together.
    pub total: f64,
    /// Metres of the longest.
    pub longest: f64,
}

impl OwnSteps {
    pub(super) fn count(&mut self, metres: f64) {
        *self = self.and(&Self { steps: 1, total: metres, longest: metres });
    }

    /// Two feet as one.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            total: self.total + other.total,
            longest: self.longest.max(other.longest),
        }
    }
}
