//! Whether a move of the body arrived in the world, once.

use glam::DVec3;

use crate::{DTransform, JointId};

/// What became of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Readback {
    /// Every joint moved by it.
    Once,
    /// No joint moved: the body's transform is missing from the way to the world.
    Missing,
    /// Every joint moved by twice as much: the body's transform is applied twice.
    Twice,
    /// Joints moved by something else, or not all alike; the one that is furthest off.
    Other {
        /// The joint.
        joint: JointId,
        /// How it moved, metres.
        moved_ws: DVec3,
    },
    /// A joint turned, which a move does not do.
    Turned {
        /// The joint.
        joint: JointId,
        /// By how much, radians.
        radians: f64,
    },
}

/// Why nothing can be told.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ReadbackError {
    /// Lists of different lengths, or empty.
    #[error("{before} joints before the move and {after} after it, expected as many and at least one")]
    Joints {
        /// Joints before.
        before: usize,
        /// Joints after.
        after: usize,
    },
    /// A move that is too short to be told from none.
    #[error("a move of {metres} m, expected more than four times the tolerance of {tolerance} m")]
    TooShort {
        /// Its length, metres.
        metres: f64,
        /// The tolerance, metres.
        tolerance: f64,
    },
    /// A tolerance for turns that is none.
    #[error("a tolerance of {radians} radians for turns, expected 0 or more")]
    TurnTolerance {
        /// The tolerance, radians.
        radians: f64,
    },
}

/// Compares joints in the world before and after a move of the body that leaves the pose alone.
#[derive(Clone, Copy, Debug)]
pub struct ReadbackJob<'a> {
    /// How the body was moved, metres.
    pub move_ws: DVec3,
    /// `[joint]`: as read back before the move.
    pub before_ws: &'a [DTransform],
    /// `[joint]`: as read back after it.
    pub after_ws: &'a [DTransform],
    /// Largest distance that is none, metres.
    pub tolerance: f64,
    /// Largest turn that is none, radians.
    pub turn_tolerance: f64,
}

impl ReadbackJob<'_> {
    /// What became of the move.
    ///
    /// # Errors
    /// [`ReadbackError`] where the lists, the move or a tolerance tell nothing.
    pub fn run(&self) -> Result<Readback, ReadbackError> {
        let (before, after) = (self.before_ws.len(), self.after_ws.len());
        if before != after || before == 0 {
            return Err(ReadbackError::Joints { before, after });
        }
        let (metres, tolerance) = (self.move_ws.length(), self.tolerance);
        // Written so that NaN is refused.
        if !(metres > 4.0 * tolerance && tolerance >= 0.0) {
            return Err(ReadbackError::TooShort { metres, tolerance });
        }
        if !(self.turn_tolerance >= 0.0) {
            return Err(ReadbackError::TurnTolerance { radians: self.turn_tolerance });
        }
        let pairs = || self.before_ws.iter().zip(self.after_ws).enumerate();
        for (joint, (before, after)) in pairs() {
            let radians = DTransform::angle_between(before.rotation, after.rotation);
            if !(radians <= self.turn_tolerance) {
                return Ok(Readback::Turned { joint: JointId(joint as u32), radians });
            }
        }
        for (times, verdict) in [(1.0, Readback::Once), (0.0, Readback::Missing), (2.0, Readback::Twice)] {
            let expected = self.move_ws * times;
            let moved = |(_, (before, after)): (_, (&DTransform, &DTransform))| {
                (after.translation - before.translation - expected).length() <= tolerance
            };
            if pairs().all(moved) {
                return Ok(verdict);
            }
        }
        let (mut worst, mut furthest) = (Readback::Once, -1.0);
        for (joint, (before, after)) in pairs() {
            let moved_ws = after.translation - before.translation;
            let off = (moved_ws - self.move_ws).length();
            if off > furthest || off.is_nan() {
                (furthest, worst) = (off, Readback::Other { joint: JointId(joint as u32), moved_ws });
            }
        }
        Ok(worst)
    }
}
