//! What came of eight lanes.

use super::IkStatus;

/// What came of eight solutions; bit `i` of a mask belongs to lane `i`, and is set in one mask only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneStatus {
    /// At the target.
    pub reached: u8,
    /// Short of it because of soft stretching.
    pub softened: u8,
    /// Too far or too near.
    pub unreachable: u8,
    /// At a limit: that of `joint`.
    pub limited: u8,
    /// Within itself.
    pub collides: u8,
    /// No limb, no target or no plane: the output is as it was.
    pub faulty: u8,
    /// Distance that is missing, or depth of a collision, metres; 0 where reached, at a limit or faulty.
    pub by_metres: [f32; 8],
    /// The joint at its limit, counted from the root; 0 where none is.
    pub joint: [u16; 8],
}

impl LaneStatus {
    /// Of one lane; `None` where it is faulty.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    #[must_use]
    pub fn get(&self, lane: usize) -> Option<IkStatus> {
        let by_metres = f64::from(self.by_metres[lane]);
        let has = |mask: u8| mask >> lane & 1 == 1;
        if has(self.reached) {
            Some(IkStatus::Reached)
        } else if has(self.softened) {
            Some(IkStatus::Softened { by_metres })
        } else if has(self.unreachable) {
            Some(IkStatus::Unreachable { by_metres })
        } else if has(self.collides) {
            Some(IkStatus::Collides { by_metres })
        } else if has(self.limited) {
            Some(IkStatus::LimitHit { joint: usize::from(self.joint[lane]) })
        } else {
            None
        }
    }
}
