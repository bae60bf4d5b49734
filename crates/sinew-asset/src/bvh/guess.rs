//! Guesses the unit and the up axis of a file from the size and shape of its skeleton, and says why.

use glam::DVec3;

use super::hierarchy::BvhJoint;
use super::motion::Motion;
use super::options::{BvhUnits, BvhUp};
use super::pose::positions;

/// Height of a standing person, metres.
const PERSON: f64 = 1.7;
/// A unit fits where the skeleton is within this factor of [`PERSON`].
const FITS: f64 = 1.6;
/// An axis is up where the skeleton is this many times taller along it than along the other one.
const TALLER: f64 = 1.5;

/// Units that BVH files are found in, with their names in messages.
const UNITS: [(BvhUnits, &str); 5] = [
    (BvhUnits::Metres, "metres"),
    // (1.0 / 0.45) inches: the CMU motion capture database and what was converted from it.
    (BvhUnits::Scale(0.056_444_4), "the CMU database's unit of 0.0564444 m"),
    (BvhUnits::Inches, "inches"),
    (BvhUnits::Centimetres, "centimetres"),
    (BvhUnits::Millimetres, "millimetres"),
];

/// A guess and the reason for it, with numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guess<T> {
    /// `None` where nothing fits.
    pub(super) value: Option<T>,
    pub(super) reason: String,
}

/// The unit in which the rest pose's largest extent is nearest to a person's height.
pub(super) fn guess_units(joints: &[BvhJoint]) -> Guess<BvhUnits> {
    let size = extent(&positions(joints, None)).max_element();
    let misfit = |metres: f64| {
        let ratio = size * metres / PERSON;
        if ratio >= 1.0 { ratio } else { 1.0 / ratio }
    };
    let mut best: Option<(BvhUnits, &str, f64)> = None;
    for (unit, name) in UNITS {
        let metres = unit.metres().unwrap_or(1.0);
        if misfit(metres) <= FITS && best.is_none_or(|(_, _, other)| misfit(metres) < misfit(other)) {
            best = Some((unit, name, metres));
        }
    }
    match best {
        Some((unit, name, metres)) => {
            let reason =
                format!("the rest pose is {size:.4} units large, which fits {name} ({:.3} m)", size * metres);
            Guess { value: Some(unit), reason }
        }
        None => {
            let reason = format!(
                "the rest pose is {size:.4} units large, which is not within a factor {FITS} of a person's \
                 {PERSON} m in metres, inches, centimetres, millimetres or the CMU database's unit"
            );
            Guess { value: None, reason }
        }
    }
}

/// The axis along which the skeleton is clearly taller, Y or Z: in the first frame, or else in the rest pose.
pub(super) fn guess_up(joints: &[BvhJoint], motion: Option<&Motion>) -> Guess<BvhUp> {
    let row = motion.filter(|motion| motion.frames > 0).map(|motion| motion.values.as_slice());
    let poses = [(row, "frame 0"), (None, "the rest pose")];
    let mut reason = String::new();
    for (row, name) in poses.into_iter().skip(usize::from(row.is_none())) {
        let size = extent(&positions(joints, row));
        if !reason.is_empty() {
            reason.push_str("; ");
        }
        reason.push_str(&format!("{name} spans {:.4} units along Y and {:.4} along Z", size.y, size.z));
        if size.y > size.z * TALLER {
            return Guess { value: Some(BvhUp::Y), reason };
        }
        if size.z > size.y * TALLER {
            return Guess { value: Some(BvhUp::Z), reason };
        }
    }
    Guess { value: None, reason }
}

/// Size of the box around these positions.
fn extent(positions: &[DVec3]) -> DVec3 {
    let Some(&first) = positions.first() else { return DVec3::ZERO };
    let (min, max) = positions.iter().fold((first, first), |(min, max), &p| (min.min(p), max.max(p)));
    max - min
}
