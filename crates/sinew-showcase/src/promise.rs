//! What a study says it will measure, and what it did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One number of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Promise {
    /// Name of the study.
    pub study: String,
    /// What is measured.
    pub promise: String,
    /// What it should be, in `unit`.
    pub expected: f64,
    /// How far off it may be, in `unit`.
    pub tolerance: f64,
    /// Unit of the numbers: `mm`, `deg`, `m`; empty for plain numbers and counts.
    pub unit: String,
    /// What it is, in `unit`.
    pub measured: f64,
    /// Whether `measured` is within `tolerance` of `expected`.
    pub holds: bool,
}

impl Promise {
    /// Holds `measured` against `expected`. What is not a number does not hold.
    pub(crate) fn new(
        study: &str,
        promise: impl Into<String>,
        (expected, tolerance, unit): (f64, f64, &str),
        measured: f64,
    ) -> Self {
        let holds = (measured - expected).abs() <= tolerance;
        let (study, promise, unit) = (study.into(), promise.into(), unit.into());
        Self { study, promise, expected, tolerance, unit, measured, holds }
    }
}
