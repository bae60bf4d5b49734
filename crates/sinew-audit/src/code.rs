//! Codes and severities: the stable vocabulary of findings.

use core::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which rule a finding comes from. The text form never changes once released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Code {
    /// Values that are not finite or out of all proportion.
    #[serde(rename = "SINEW_VALUE")]
    Value,
    /// Key times that are unsorted, repeated or negative.
    #[serde(rename = "SINEW_KEY_TIMES")]
    KeyTimes,
    /// Key values whose number or type does not fit.
    #[serde(rename = "SINEW_KEY_COUNT")]
    KeyCount,
    /// Rotation keys that are not of unit length.
    #[serde(rename = "SINEW_ROTATION_LENGTH")]
    RotationLength,
    /// Neighbouring rotation keys of opposite sign.
    #[serde(rename = "SINEW_SIGN_FLIP")]
    SignFlip,
    /// Time in which nothing happens, and channels that do not span their clip.
    #[serde(rename = "SINEW_DEAD_TIME")]
    DeadTime,
    /// A jump where a loop starts over.
    #[serde(rename = "SINEW_LOOP_SEAM")]
    LoopSeam,
    /// Skin weights that engines treat differently.
    #[serde(rename = "SINEW_WEIGHTS")]
    Weights,
    /// Joints, tracks and meshes that do nothing.
    #[serde(rename = "SINEW_UNBOUND")]
    Unbound,
    /// Names that do not tell things apart.
    #[serde(rename = "SINEW_DUPLICATE_NAME")]
    DuplicateName,
    /// A planted foot that moves.
    #[serde(rename = "SINEW_FOOT_SLIDE")]
    FootSlide,
    /// A middle joint that leaves its path between two keys.
    #[serde(rename = "SINEW_SWING")]
    Swing,
    /// A joint past its limit, a jump, a collision, where limits are set.
    #[serde(rename = "SINEW_POSE_LIMIT")]
    PoseLimit,
    /// A distance curve that falls or repeats a value.
    #[serde(rename = "SINEW_DISTANCE_ORDER")]
    DistanceOrder,
    /// A distance curve that cannot be looked up by index.
    #[serde(rename = "SINEW_DISTANCE_STORAGE")]
    DistanceStorage,
    /// A start clip that covers less than the run-up.
    #[serde(rename = "SINEW_DISTANCE_RANGE")]
    DistanceRange,
    /// A start or stop clip that meets its loop at another speed.
    #[serde(rename = "SINEW_DISTANCE_SPEED")]
    DistanceSpeed,
    /// A start clip that covers next to nothing for much of its time.
    #[serde(rename = "SINEW_DISTANCE_TIMING")]
    DistanceTiming,
    /// A root that goes back on its way in a clip with a distance curve.
    #[serde(rename = "SINEW_DISTANCE_REVERSAL")]
    DistanceReversal,
    /// A distance curve that the root does not bear out, a loop without a speed.
    #[serde(rename = "SINEW_DISTANCE_ROOT")]
    DistanceRoot,
    /// Scale above the joints.
    #[serde(rename = "SINEW_ANCESTOR_SCALE")]
    AncestorScale,
    /// Anything else the reader met.
    #[serde(rename = "SINEW_FILE")]
    File,
}

impl Code {
    /// Every code, in the order of `docs/RULES.md`.
    pub const ALL: [Self; 22] = [
        Self::Value,
        Self::KeyTimes,
        Self::KeyCount,
        Self::RotationLength,
        Self::SignFlip,
        Self::DeadTime,
        Self::LoopSeam,
        Self::Weights,
        Self::Unbound,
        Self::DuplicateName,
        Self::FootSlide,
        Self::Swing,
        Self::PoseLimit,
        Self::DistanceOrder,
        Self::DistanceStorage,
        Self::DistanceRange,
        Self::DistanceSpeed,
        Self::DistanceTiming,
        Self::DistanceReversal,
        Self::DistanceRoot,
        Self::AncestorScale,
        Self::File,
    ];

    /// The stable name, such as `SINEW_FOOT_SLIDE`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Value => "SINEW_VALUE",
            Self::KeyTimes => "SINEW_KEY_TIMES",
            Self::KeyCount => "SINEW_KEY_COUNT",
            Self::RotationLength => "SINEW_ROTATION_LENGTH",
            Self::SignFlip => "SINEW_SIGN_FLIP",
            Self::DeadTime => "SINEW_DEAD_TIME",
            Self::LoopSeam => "SINEW_LOOP_SEAM",
            Self::Weights => "SINEW_WEIGHTS",
            Self::Unbound => "SINEW_UNBOUND",
            Self::DuplicateName => "SINEW_DUPLICATE_NAME",
            Self::FootSlide => "SINEW_FOOT_SLIDE",
            Self::Swing => "SINEW_SWING",
            Self::PoseLimit => "SINEW_POSE_LIMIT",
            Self::DistanceOrder => "SINEW_DISTANCE_ORDER",
            Self::DistanceStorage => "SINEW_DISTANCE_STORAGE",
            Self::DistanceRange => "SINEW_DISTANCE_RANGE",
            Self::DistanceSpeed => "SINEW_DISTANCE_SPEED",
            Self::DistanceTiming => "SINEW_DISTANCE_TIMING",
            Self::DistanceReversal => "SINEW_DISTANCE_REVERSAL",
            Self::DistanceRoot => "SINEW_DISTANCE_ROOT",
            Self::AncestorScale => "SINEW_ANCESTOR_SCALE",
            Self::File => "SINEW_FILE",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know; nothing looks wrong.
    Info,
    /// People will see it, or some engines will show it differently.
    Warning,
    /// Broken, or left out when the file was read.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl From<sinew_asset::Severity> for Severity {
    fn from(severity: sinew_asset::Severity) -> Self {
        match severity {
            sinew_asset::Severity::Info => Self::Info,
            sinew_asset::Severity::Warning => Self::Warning,
            sinew_asset::Severity::Error => Self::Error,
        }
    }
}
