//! How far a solution jumps between neighbouring samples, and how far it is from where it should be.

use glam::{DQuat, DVec3};

use crate::DTransform;

/// The largest rotation between two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Which of the joints.
    pub index: usize,
    /// Angle along the shorter way, radians.
    pub radians: f64,
}

/// The largest rotation of any joint from one sample to the next; `None` without joints.
///
/// Give world rotations (with the body's own) of the joints that matter, in the same order: a limb solver
/// that takes another branch or jumps to another of its many solutions shows as one large turn. A rotation
/// that is NaN counts as the largest. Quaternions of either sign are the same rotation.
///
/// # Panics
/// Where the two samples are of different lengths.
#[must_use]
pub fn largest_turn(before: &[DQuat], after: &[DQuat]) -> Option<Turn> {
    assert_eq!(before.len(), after.len(), "rotations of two samples");
    let turns = before.iter().zip(after).map(|(a, b)| DTransform::angle_between(*a, *b));
    largest(turns).map(|(index, radians)| Turn { index, radians })
}

/// The largest distance between what is and what should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// Which of the points.
    pub index: usize,
    /// Metres.
    pub metres: f64,
}

/// The largest distance of a sole from its anchor, or of any points from where they should be; `None` without
/// points. A distance that is NaN counts as the largest.
///
/// # Panics
/// Where there are more of one than of the other.
#[must_use]
pub fn largest_residual(soles: &[DVec3], anchors: &[DVec3]) -> Option<Residual> {
    assert_eq!(soles.len(), anchors.len(), "soles and their anchors");
    let gaps = soles.iter().zip(anchors).map(|(a, b)| (*a - *b).length());
    largest(gaps).map(|(index, metres)| Residual { index, metres })
}

fn largest(values: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    let mut worst: Option<(usize, f64)> = None;
    for (index, value) in values.enumerate() {
        if worst.is_none_or(|(_, w)| value > w || (value.is_nan() && !w.is_nan())) {
            worst = Some((index, value));
        }
    }
    worst
}
