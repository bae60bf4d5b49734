//! Why distance cannot be baked or matched.

use crate::{
    JointId, PlantError, RetimeError, RootMotionError, SampleError, Slot, TrackError, TransitionError,
};

/// Why there is nothing to match, or a number cannot be used. Nothing is changed then.
///
/// What a frame may meet in play (a clip that ends, a target that lies behind) is no error but a
/// [`MatchStatus`](crate::MatchStatus).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LocomotionError {
    /// Too few keys to say anything about motion.
    #[error("{found} keys, expected 2 or more")]
    TooFewKeys {
        /// Keys there are.
        found: usize,
    },
    /// So many keys that the table of the curve would be out of hand.
    #[error("{keys} keys, at most {most} can be baked")]
    TooManyKeys {
        /// Keys there are or would be.
        keys: f64,
        /// Keys there may be.
        most: usize,
    },
    /// As many values as times.
    #[error("{values} values for {times} times")]
    KeyCount {
        /// Times given.
        times: usize,
        /// Values given.
        values: usize,
    },
    /// Times increase.
    #[error("key {key} is at {time} s after {previous} s, expected a later time")]
    TimeOrder {
        /// The later key of the list.
        key: usize,
        /// Its time, seconds.
        time: f64,
        /// Time of the key before, seconds.
        previous: f64,
    },
    /// NaN or an infinity.
    #[error("{what} is {value}, expected a finite number")]
    NotFinite {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number outside of what it may be.
    #[error("{what} is {value}, expected {expected}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// The root does not get anywhere the way it should: all values are 0, or they only fall.
    #[error("the root covers {range:.4} m, expected {least} m or more: {cure}")]
    NoTravel {
        /// Metres from the first to the last distance.
        range: f64,
        /// Metres needed.
        least: f64,
        /// What to do about it.
        cure: &'static str,
    },
    /// The clip has no curve of this name. (An engine that answers 0 here shows a frozen pose.)
    #[error("the clip has no curve {name:?}: bake it first")]
    NoCurve {
        /// The name asked for.
        name: String,
    },
    /// The curve is not stored as keys with straight lines between, and cannot be read by index.
    #[error(
        "curve {name:?} is stored with {storage} keys, which cannot be looked up: store it with linear keys"
    )]
    NotIndexable {
        /// Name of the curve.
        name: String,
        /// How it is stored.
        storage: &'static str,
    },
    /// A distance repeats or falls, so that it belongs to more than one moment.
    #[error(
        "curve {name:?} is not increasing: key {key} at {time} s is {value} m after {previous} m; bake it signed, \
         with the remainder in the pelvis"
    )]
    NotMonotone {
        /// Name of the curve.
        name: String,
        /// The first key that does not increase.
        key: usize,
        /// Its time, seconds.
        time: f64,
        /// Its value, metres.
        value: f64,
        /// The value before, metres.
        previous: f64,
    },
    /// Something else sets the time at which the clip is sampled: what is matched is never seen.
    #[error(
        "the clip is sampled at {found} s where {expected} s was set: a clock or a constant drives its time, expected \
         what matching returns"
    )]
    TimeNotDriven {
        /// The time that was set, seconds.
        expected: f64,
        /// The time at which it is sampled, seconds.
        found: f64,
    },
    /// The curve is of the wrong kind for the call.
    #[error("a {found} curve, expected a {expected} curve")]
    Kind {
        /// Kind of the curve.
        found: &'static str,
        /// Kinds that fit.
        expected: &'static str,
    },
    /// The curve is not one that goes round. (A stored curve does not say whether its clip does.)
    #[error(
        "a {found} curve, expected a loop: of a clip that goes round, DistanceCurve::into_loop makes it one"
    )]
    NotALoop {
        /// Kind of the curve.
        found: &'static str,
    },
    /// A set of clips without one of them.
    #[error("no {what} among the clips, expected one or more")]
    NoClip {
        /// Which clips.
        what: &'static str,
    },
    /// What is wrong with one clip of a set.
    #[error("{what} clip {number}: {error}")]
    InSet {
        /// What the clip is for.
        what: &'static str,
        /// Its number among those, from 0.
        number: usize,
        /// What is wrong.
        error: Box<LocomotionError>,
    },
    /// The joint named as the root is not there.
    #[error("{joint} as the root, the skeleton has {joints}")]
    NoSuchJoint {
        /// The joint named.
        joint: JointId,
        /// Joints there are.
        joints: usize,
    },
    /// The joint whose way was baked is not there.
    #[error("no joint {name:?}, whose way was baked into the clip: the curves are of another skeleton")]
    NoJointNamed {
        /// Its name, as the clip has it.
        name: String,
    },
    /// The way of a root cannot be followed.
    #[error(transparent)]
    RootMotion(RootMotionError),
    /// A clip cannot be given new keys.
    #[error(transparent)]
    Retime(#[from] RetimeError),
    /// The pelvis does not hang from the root.
    #[error("{pelvis} as the pelvis does not hang from {root}, the root")]
    NotBelow {
        /// The joint named.
        pelvis: JointId,
        /// The root.
        root: JointId,
    },
    /// A joint is not of the rig.
    #[error("{slot}, the rig has {joints} joints")]
    NoSuchSlot {
        /// The joint named.
        slot: Slot,
        /// Joints there are.
        joints: usize,
    },
    /// A pose, a state or a list is of another rig.
    #[error("{found} {what}, expected {expected}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The pose is not finite where a leg is.
    #[error("the pose is not finite at {slot}")]
    Pose {
        /// The first such joint.
        slot: Slot,
    },
    /// No joint and no ancestor of one moves over the ground.
    #[error(
        "nothing in the clip travels (most: {metres:.3} m): the clip runs in place; name its feet, or the root"
    )]
    NoRoot {
        /// Metres that the joint travels that gets farthest.
        metres: f64,
    },
    /// The clip breaks a rule of [`RawClip`](crate::RawClip).
    #[error("the clip: {0}")]
    Clip(#[from] crate::ClipError),
    /// No foot was named, or none ever stands.
    #[error("none of {named} feet is ever near the ground: name others")]
    NoStance {
        /// Feet named.
        named: usize,
    },
    /// Neither the root nor the ground under the feet of a clip goes anywhere.
    #[error(
        "the ground goes by at {speed:.3} m/s under the feet, expected {least:.3} m/s or more: the clip stands"
    )]
    Stands {
        /// What the feet say, metres a second.
        speed: f64,
        /// Least speed of a clip that goes somewhere.
        least: f64,
    },
    /// The feet of a clip in place do not say clearly how fast the ground goes by.
    #[error(
        "the feet give {speed:.3} m/s with an uncertainty of {:.1} %, at most {:.1} % is taken: give the speed",
        100.0 * share,
        100.0 * limit
    )]
    Uncertain {
        /// What the feet say, metres a second.
        speed: f64,
        /// Uncertainty as a share of the speed.
        share: f64,
        /// Most that is taken.
        limit: f64,
    },
    /// The mover does not come to rest.
    #[error("the mover still goes at {speed} m/s after {seconds} s")]
    NeverStops {
        /// Its speed by then, metres a second.
        speed: f64,
        /// Seconds tried.
        seconds: f64,
    },
    /// A topmost joint's matrix is fixed, so that the character cannot be placed.
    #[error("{slot} has a fixed matrix and cannot be moved")]
    FixedRoot {
        /// The joint.
        slot: Slot,
    },
    /// A clip could not be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A clip could not be handed over to another.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// Feet could not be held.
    #[error(transparent)]
    Plant(#[from] PlantError),
    /// Keys could not be stored.
    #[error("new keys: {0}")]
    Track(#[from] TrackError),
}

pub(super) fn finite(what: &'static str, value: f64) -> Result<f64, LocomotionError> {
    if value.is_finite() { Ok(value) } else { Err(LocomotionError::NotFinite { what, value }) }
}

#[inline]
pub(super) fn in_range(
    what: &'static str,
    value: f64,
    low: f64,
    high: f64,
    expected: &'static str,
) -> Result<f64, LocomotionError> {
    if (low..=high).contains(&value) {
        Ok(value)
    } else if value.is_finite() {
        Err(LocomotionError::OutOfRange { what, value, expected })
    } else {
        Err(LocomotionError::NotFinite { what, value })
    }
}
