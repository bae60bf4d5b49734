//! What came of a solver, and what it cannot start from.

use core::fmt;

use glam::{DQuat, DVec3};

/// How far a solver got.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IkStatus {
    /// The end is at the target and every limit is kept.
    Reached,
    /// The target is within reach, and the end stays short of it because the limb stretches out softly.
    Softened {
        /// Distance from the end to the target, metres.
        by_metres: f64,
    },
    /// The target is too far away, or too near to fold up to.
    Unreachable {
        /// Distance that is missing, metres.
        by_metres: f64,
    },
    /// A joint is at its limit, or past it where the solver breaks a limit rather than miss the target (it
    /// says which of the two it does).
    LimitHit {
        /// The joint, counted from the root of the chain.
        joint: usize,
    },
    /// Parts of the same limb are within one another.
    Collides {
        /// How deep, metres.
        by_metres: f64,
    },
}

impl IkStatus {
    /// Whether the end is at the target with every limit kept.
    #[must_use]
    pub fn is_reached(self) -> bool {
        self == Self::Reached
    }
}

impl fmt::Display for IkStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reached => f.write_str("reached"),
            Self::Softened { by_metres } => write!(f, "short of the target by {by_metres} m, softly"),
            Self::Unreachable { by_metres } => write!(f, "out of reach by {by_metres} m"),
            Self::LimitHit { joint } => write!(f, "joint {joint} at its limit"),
            Self::Collides { by_metres } => write!(f, "within itself by {by_metres} m"),
        }
    }
}

/// Why a solver cannot start. Outputs are untouched.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum IkError {
    /// NaN or an infinity.
    #[error("{what} is not finite")]
    NotFinite {
        /// Which input.
        what: &'static str,
    },
    /// A length or a direction that is nothing.
    #[error("{what} has no length")]
    ZeroLength {
        /// Which input.
        what: &'static str,
    },
    /// A number that means nothing here.
    #[error("{what} is {value}, expected {expected}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// There is no direction to the target.
    #[error("the target is on the root of the limb")]
    TargetOnRoot,
    /// There is no plane through a line and a point on it.
    #[error("the pole is on the line from the root to the target, or the normal is along it")]
    PoleOnLine,
    /// No yaw can be told.
    #[error("the target is on the yaw axis")]
    TargetOnAxis,
    /// Arrays do not fit together.
    #[error("{found} {what}, expected {expected}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
}

/// Refuses a point that is not finite, or so far away that squares of distances overflow.
pub(super) fn point(what: &'static str, v: DVec3) -> Result<(), IkError> {
    if !v.is_finite() {
        return Err(IkError::NotFinite { what });
    }
    let value = v.abs().max_element();
    if value <= FARTHEST { Ok(()) } else { Err(IkError::OutOfRange { what, value, expected: "up to 1e12" }) }
}

/// Refuses a rotation that is not finite or not of unit length.
pub(super) fn rotation(what: &'static str, q: DQuat) -> Result<(), IkError> {
    if !q.is_finite() {
        return Err(IkError::NotFinite { what });
    }
    let value = q.length();
    if (value - 1.0).abs() <= 1e-4 {
        Ok(())
    } else {
        Err(IkError::OutOfRange { what, value, expected: "a quaternion of length 1" })
    }
}

/// Refuses a length that is not above 0 (or 0 where `zero` allows it).
pub(super) fn length(what: &'static str, value: f64, zero: bool) -> Result<(), IkError> {
    if !value.is_finite() {
        Err(IkError::NotFinite { what })
    } else if !(0.0..=FARTHEST).contains(&value) {
        Err(IkError::OutOfRange { what, value, expected: "0 to 1e12" })
    } else if value < TINY && !zero {
        Err(IkError::ZeroLength { what })
    } else {
        Ok(())
    }
}

/// Refuses a number outside a range; NaN is outside.
pub(super) fn within(
    what: &'static str,
    value: f64,
    [low, high]: [f64; 2],
    expected: &'static str,
) -> Result<(), IkError> {
    if (low..=high).contains(&value) { Ok(()) } else { Err(IkError::OutOfRange { what, value, expected }) }
}

/// A direction of length 1.
pub(super) fn unit(what: &'static str, v: DVec3) -> Result<DVec3, IkError> {
    point(what, v)?;
    v.try_normalize().ok_or(IkError::ZeroLength { what })
}

/// Metres beyond which nothing is.
pub(super) const FARTHEST: f64 = 1e12;
/// Metres below which a length is nothing.
pub(super) const TINY: f64 = 1e-9;
