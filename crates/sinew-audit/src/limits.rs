//! What people may set: `sinew.toml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{
    AncestorScaleLimits, DeadTimeLimits, DistanceRangeLimits, DistanceReversalLimits, DistanceRootLimits,
    DistanceSpeedLimits, DistanceTimingLimits, FootSlideLimits, LoopSeamLimits, PoseLimits,
    RotationLengthLimits, SignFlipLimits, SwingLimits, ValueLimits, WeightsLimits,
};
use crate::{Code, Severity, pattern};

/// Every limit of the audit. Lengths given for a person of 1.8 m are scaled to the size of the character.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// When a run counts as failed.
    pub fail: Fail,
    /// Severity of a rule's findings, by code, in place of the rule's own; `off` drops them.
    pub severity: BTreeMap<Code, Level>,
    /// Findings to leave out.
    pub ignore: Vec<Ignore>,
    /// How many findings are listed.
    pub list: ListLimits,
    /// `SINEW_VALUE`
    pub value: ValueLimits,
    /// `SINEW_ROTATION_LENGTH`
    pub rotation_length: RotationLengthLimits,
    /// `SINEW_SIGN_FLIP`
    pub sign_flip: SignFlipLimits,
    /// `SINEW_DEAD_TIME`
    pub dead_time: DeadTimeLimits,
    /// `SINEW_LOOP_SEAM`
    pub loop_seam: LoopSeamLimits,
    /// `SINEW_WEIGHTS`
    pub weights: WeightsLimits,
    /// `SINEW_FOOT_SLIDE`
    pub foot_slide: FootSlideLimits,
    /// `SINEW_SWING`
    pub swing: SwingLimits,
    /// `SINEW_POSE_LIMIT`
    pub pose_limit: PoseLimits,
    /// `SINEW_DISTANCE_RANGE`
    pub distance_range: DistanceRangeLimits,
    /// `SINEW_DISTANCE_SPEED`
    pub distance_speed: DistanceSpeedLimits,
    /// `SINEW_DISTANCE_TIMING`
    pub distance_timing: DistanceTimingLimits,
    /// `SINEW_DISTANCE_REVERSAL`
    pub distance_reversal: DistanceReversalLimits,
    /// `SINEW_DISTANCE_ROOT`
    pub distance_root: DistanceRootLimits,
    /// `SINEW_ANCESTOR_SCALE`
    pub ancestor_scale: AncestorScaleLimits,
}

/// When a run counts as failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fail {
    /// Lowest severity that makes a run fail; `off` never fails.
    pub severity: Level,
}

impl Default for Fail {
    fn default() -> Self {
        Self { severity: Level::Warning }
    }
}

/// A severity, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Not at all.
    Off,
    /// [`Severity::Info`]
    Info,
    /// [`Severity::Warning`]
    Warning,
    /// [`Severity::Error`]
    Error,
}

impl Level {
    /// The severity; `None` for `off`.
    #[must_use]
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

/// Findings to leave out: those that fit every line that is given. `*` stands for any text, `?` for one
/// character; case does not matter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ignore {
    /// Rule; absent for all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<Code>,
    /// Clip name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clip: Option<String>,
    /// Joint name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joint: Option<String>,
    /// Why, for whoever reads the file next.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

impl Ignore {
    /// Whether a finding is to be left out.
    #[must_use]
    pub fn fits(&self, finding: &crate::Finding) -> bool {
        let named = |pattern: &Option<String>, name: &Option<String>| match (pattern, name) {
            (None, _) => true,
            (Some(p), Some(n)) => pattern::matches(p, n),
            (Some(_), None) => false,
        };
        // An entry that names nothing would hide everything; it hides nothing instead.
        let something = self.rule.is_some() || self.clip.is_some() || self.joint.is_some();
        something
            && self.rule.is_none_or(|rule| rule == finding.code)
            && named(&self.clip, &finding.subject.clip)
            && named(&self.joint, &finding.subject.joint)
    }
}

/// How many findings are listed one by one; the rest are counted in one line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ListLimits {
    /// Findings of one rule and severity in one clip.
    pub per_clip: usize,
    /// Warnings, or errors, of one rule in one file.
    pub per_file: usize,
    /// Infos of one rule in one file.
    pub infos_per_file: usize,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self { per_clip: 8, per_file: 100, infos_per_file: 12 }
    }
}

/// Why a `sinew.toml` cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LimitsError {
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error("{0}")]
    Toml(String),
    /// A limit that no measurement can be held against.
    #[error("{key} = {value}, expected a finite number, 0 or more")]
    Value {
        /// Path of the key.
        key: String,
        /// Its value.
        value: f64,
    },
    /// A place that is none.
    #[error("{key} = {value}, expected a finite number")]
    Place {
        /// Path of the key.
        key: String,
        /// Its value.
        value: f64,
    },
    /// One of two limits that mean nothing without each other.
    #[error("{key} is given and {missing} is not, expected both or neither, above 0")]
    Missing {
        /// Path of the key that is given.
        key: &'static str,
        /// Path of the one that is not.
        missing: &'static str,
    },
    /// A list that is longer than what is looked at.
    #[error("{key} has {count} entries, expected at most {most}")]
    TooMany {
        /// Path of the key.
        key: String,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}

/// Limbs that are held against each other at most: each against each, at every sample.
const MOST_LIMBS: usize = 64;
/// Keys whose numbers are places and may be on either side of 0.
const PLACES: [&str; 2] = ["offset-mm", "anchor-mm"];

/// The parts of a `sinew.toml`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConfigFile {
    audit: Limits,
}

impl Limits {
    /// Reads the `[audit]` table of a `sinew.toml`; what it does not name keeps its default.
    ///
    /// # Errors
    /// [`LimitsError`] with line and column, or the key whose value makes no sense.
    pub fn from_toml(text: &str) -> Result<Self, LimitsError> {
        let file: ConfigFile = toml::from_str(text).map_err(|e| LimitsError::Toml(e.to_string()))?;
        file.audit.checked()
    }

    /// Limits whose numbers are all finite and, but for places, not negative.
    fn checked(self) -> Result<Self, LimitsError> {
        let count = self.pose_limit.limbs.len();
        if count > MOST_LIMBS {
            let key = "audit.pose-limit.limbs".to_owned();
            return Err(LimitsError::TooMany { key, count, most: MOST_LIMBS });
        }
        let json = serde_json::to_value(&self).map_err(|e| LimitsError::Toml(e.to_string()))?;
        check_numbers("audit", &json)?;
        let mover = &self.distance_range;
        let (speed, acceleration) = ("audit.distance-range.top-speed", "audit.distance-range.acceleration");
        match (mover.top_speed > 0.0, mover.acceleration > 0.0) {
            (true, false) => Err(LimitsError::Missing { key: speed, missing: acceleration }),
            (false, true) => Err(LimitsError::Missing { key: acceleration, missing: speed }),
            _ => Ok(self),
        }
    }
}

fn check_numbers(path: &str, value: &serde_json::Value) -> Result<(), LimitsError> {
    match value {
        // Infinity and NaN become null in JSON; no optional number is written as null.
        serde_json::Value::Null => Err(LimitsError::Value { key: path.to_owned(), value: f64::NAN }),
        serde_json::Value::Number(n) => match n.as_f64() {
            Some(v) if v >= 0.0 => Ok(()),
            v => Err(LimitsError::Value { key: path.to_owned(), value: v.unwrap_or(f64::NAN) }),
        },
        serde_json::Value::Object(map) => map.iter().try_for_each(|(k, v)| {
            let path = format!("{path}.{k}");
            if PLACES.contains(&k.as_str()) { check_place(&path, v) } else { check_numbers(&path, v) }
        }),
        serde_json::Value::Array(list) => {
            list.iter().enumerate().try_for_each(|(i, v)| check_numbers(&format!("{path}[{i}]"), v))
        }
        _ => Ok(()),
    }
}

fn check_place(path: &str, value: &serde_json::Value) -> Result<(), LimitsError> {
    let finite = |v: &serde_json::Value| v.as_f64().is_some_and(f64::is_finite);
    match value {
        serde_json::Value::Array(list) if !list.iter().all(finite) => {
            Err(LimitsError::Place { key: path.to_owned(), value: f64::NAN })
        }
        _ => Ok(()),
    }
}
