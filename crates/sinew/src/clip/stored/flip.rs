//! The past of a rotation, told by other components.
//!
//! A quaternion `q` and `-q` are one rotation, so one component is left out and rebuilt as positive. Where the next
//! segment leaves out another, the past is turned to match: what was rebuilt is now written.

use super::super::block::Kind;
use super::super::pack::{Group, Note};
use super::track::Past;

/// Which component each lane leaves out: X, Y, Z or (3) W.
fn left_out(note: Note, lane: usize) -> usize {
    (0..3).find(|axis| note.drops[*axis] >> lane & 1 == 1).unwrap_or(3)
}

/// Turns the pasts of a group, which start at `column`, from one note to the next.
pub(super) fn convert(group: &Group, from: Note, to: Note, pasts: &mut [Past], column: usize) {
    if group.kind != Kind::Rotation3 || from.drops == to.drops {
        return;
    }
    for lane in 0..8 {
        let (old, new) = (left_out(from, lane), left_out(to, lane));
        if old == new || group.mask >> lane & 1 == 0 {
            continue;
        }
        let one = 1.0 / f64::from(group.steps[lane]);
        // The first component may have traded places.
        let first = group.swaps.iter().position(|lanes| lanes >> lane & 1 == 1).map_or(0, |i| i + 1);
        let place = |axis: usize| {
            if axis == 0 {
                first
            } else if axis == first {
                0
            } else {
                axis
            }
        };
        let at = |axis: usize| column + place(axis) * 8 + lane;
        for k in 0..4 {
            let stored = [0, 1, 2].map(|axis| f64::from(pasts[at(axis)].values[k]));
            let [a, b, c] = stored;
            // Square roots and products of doubles are the same everywhere.
            let rebuilt = (one * one - (a * a + b * b + c * c)).max(0.0).sqrt();
            let mut q = [a, b, c, rebuilt];
            // The place of a left-out X, Y or Z holds W.
            q.swap(old, 3);
            let sign = if q[new] < 0.0 { -1.0 } else { 1.0 };
            q.swap(new, 3);
            for axis in 0..3 {
                let value = sign * q[axis];
                // Halves away from zero; saturates.
                pasts[at(axis)].values[k] = (value + if value < 0.0 { -0.5 } else { 0.5 }) as i32;
            }
        }
    }
}
