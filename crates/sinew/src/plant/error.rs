//! Why feet cannot be planted.

use crate::Slot;

/// Why feet cannot be planted. Pose and state are untouched.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PlantError {
    /// A joint is not there.
    #[error("{what} is {slot}, the rig has {joints} joints")]
    NoJoint {
        /// Which joint.
        what: &'static str,
        /// What was given.
        slot: Slot,
        /// Joints there are.
        joints: usize,
    },
    /// Joints of a leg do not hang from each other, or not from the pelvis.
    #[error("{what} of leg {leg}, {slot}, does not hang below {above}")]
    NotBelow {
        /// Which joint.
        what: &'static str,
        /// Which leg.
        leg: usize,
        /// The joint.
        slot: Slot,
        /// What it should hang from.
        above: Slot,
    },
    /// A foot that is said to be loose hangs from the pelvis.
    #[error("the loose foot of leg {leg}, {slot}, hangs from the pelvis, {pelvis}")]
    NotLoose {
        /// Which leg.
        leg: usize,
        /// The foot.
        slot: Slot,
        /// The pelvis.
        pelvis: Slot,
    },
    /// A joint's local matrix is fixed, so that it cannot be turned.
    #[error("{slot} has a fixed matrix and cannot be turned")]
    Fixed {
        /// The joint.
        slot: Slot,
    },
    /// A leg without a point that touches the ground.
    #[error("leg {leg} has no contact points")]
    NoContacts {
        /// Which leg.
        leg: usize,
    },
    /// There are no legs.
    #[error("no legs to plant")]
    NoLegs,
    /// A pose or a list is of another rig.
    #[error("{found} {what}, expected {expected}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A number out of its range, or not finite.
    #[error("{what} is {value}, expected {expected}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// The pose or the placement is not finite where a leg is.
    #[error("{what} is not finite")]
    NotFinite {
        /// What.
        what: &'static str,
    },
}
