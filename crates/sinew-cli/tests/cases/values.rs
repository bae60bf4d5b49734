//! What a check asks for, and how close is close enough.

use glam::{DQuat, DVec3};
use serde_json::Value;

/// One check of a case with the tolerances of the case.
pub(crate) struct Check<'a> {
    value: &'a Value,
    tolerance: &'a Value,
}

impl<'a> Check<'a> {
    pub(crate) fn new(value: &'a Value, tolerance: &'a Value) -> Self {
        Self { value, tolerance }
    }

    pub(crate) fn kind(&self) -> &'a str {
        self.value["kind"].as_str().unwrap_or("(none)")
    }

    pub(crate) fn file(&self) -> &'a str {
        self.value["file"].as_str().unwrap_or("input.glb")
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some()
    }

    pub(crate) fn value(&self, key: &str) -> &'a Value {
        &self.value[key]
    }

    pub(crate) fn text(&self, key: &str) -> Result<&'a str, String> {
        self.value[key].as_str().ok_or_else(|| format!("the check has no text '{key}'"))
    }

    pub(crate) fn number(&self, key: &str) -> Result<f64, String> {
        self.value[key].as_f64().ok_or_else(|| format!("the check has no number '{key}'"))
    }

    pub(crate) fn index(&self, key: &str) -> Result<u32, String> {
        self.value[key].as_u64().map(|v| v as u32).ok_or_else(|| format!("the check has no index '{key}'"))
    }

    pub(crate) fn vec3(&self, key: &str) -> Result<DVec3, String> {
        let v = numbers(&self.value[key]).filter(|v| v.len() == 3);
        v.map(|v| DVec3::from_slice(&v)).ok_or_else(|| format!("the check has no vector '{key}'"))
    }

    pub(crate) fn rotation(&self, key: &str) -> Result<DQuat, String> {
        let v = numbers(&self.value[key]).filter(|v| v.len() == 4);
        v.map(|v| DQuat::from_slice(&v)).ok_or_else(|| format!("the check has no quaternion '{key}'"))
    }

    /// A tolerance of the case by name.
    pub(crate) fn tolerance(&self, key: &str) -> f64 {
        self.tolerance[key].as_f64().unwrap_or(1e-5)
    }

    /// The pose given under `translation`, `rotation_xyzw` and `scale`, as far as it is given.
    pub(crate) fn transform_is(&self, found: &sinew::DTransform) -> Result<(), String> {
        let mut any = false;
        if self.has("translation") {
            any = true;
            near3("translation", self.vec3("translation")?, found.translation, self.tolerance("position"))?;
        }
        if self.has("rotation_xyzw") {
            any = true;
            self.rotation_is(found.rotation)?;
        }
        if self.has("scale") {
            any = true;
            near3("scale", self.vec3("scale")?, found.scale, self.tolerance("scale"))?;
        }
        if any { Ok(()) } else { Err("the check states no translation, rotation or scale".into()) }
    }

    pub(crate) fn rotation_is(&self, found: DQuat) -> Result<(), String> {
        let expected = self.rotation("rotation_xyzw")?;
        let sign = if expected.dot(found) < 0.0 { -1.0 } else { 1.0 };
        let (e, f) = (expected.to_array(), (found * sign).to_array());
        let worst = e.iter().zip(f).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Written so that NaN fails.
        if worst <= self.tolerance("rotation_abs_component_up_to_sign") {
            Ok(())
        } else {
            Err(format!("rotation {found}, expected {expected} (off by {worst:e})"))
        }
    }

    pub(crate) fn position_is(&self, found: DVec3) -> Result<(), String> {
        near3("position", self.vec3("position")?, found, self.tolerance("position"))
    }
}

pub(crate) fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

pub(crate) fn near3(what: &str, expected: DVec3, found: DVec3, tolerance: f64) -> Result<(), String> {
    let worst = (expected - found).abs().max_element();
    if worst <= tolerance && found.is_finite() {
        Ok(())
    } else {
        Err(format!("{what} {found}, expected {expected} (off by {worst:e}, {tolerance:e} is fine)"))
    }
}

pub(crate) fn near(what: &str, expected: f64, found: f64, tolerance: f64) -> Result<(), String> {
    if (expected - found).abs() <= tolerance {
        Ok(())
    } else {
        Err(format!("{what} {found}, expected {expected} (within {tolerance:e})"))
    }
}
