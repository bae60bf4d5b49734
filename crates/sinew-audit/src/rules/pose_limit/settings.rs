//! What `sinew.toml` may say about poses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limits of poses, joint by joint. Without any joint named, nothing is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PoseLimits {
    /// Samples a second; limits of turns are for one of these steps.
    #[schemars(extend("unit" = "Hz"))]
    pub rate: f64,
    /// Joints and how far they turn: `joint`, `axis`, `swing-deg`, `twist-below-deg`, `twist-above-deg`,
    /// `x-below-deg` to `z-above-deg`, `turn-deg`.
    pub joints: Vec<LimitedJoint>,
    /// Limbs that must not touch, 64 at most: `from`, `to`, `radius-mm`. Those that share a joint may.
    pub limbs: Vec<Limb>,
    /// Soles that stay where they are throughout a clip: `joint`, `offset-mm`, `anchor-mm`, `residual-mm`.
    pub soles: Vec<PlantedSole>,
    /// Smallest gap between limbs.
    #[schemars(extend("unit" = "mm"))]
    pub gap_mm: f64,
}

impl Default for PoseLimits {
    fn default() -> Self {
        Self { rate: 30.0, joints: Vec::new(), limbs: Vec::new(), soles: Vec::new(), gap_mm: 0.0 }
    }
}

/// How far a joint turns from its rest pose; what is not given is free. Angles about X, Y and Z are those of turns
/// about X, then the new Y, then the new Z of the joint's space at rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitedJoint {
    /// Name of the joint, with `*` and `?`.
    pub joint: String,
    /// Axis of the twist in the joint's space; Y where it is not given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub axis: Option<Axis>,
    /// Largest angle of the axis from where it is at rest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub swing_deg: Option<f64>,
    /// Largest angle about the axis to the negative side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub twist_below_deg: Option<f64>,
    /// Largest angle about the axis to the positive side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub twist_above_deg: Option<f64>,
    /// Largest angle about X to the negative side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub x_below_deg: Option<f64>,
    /// Largest angle about X to the positive side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub x_above_deg: Option<f64>,
    /// Largest angle about Y to the negative side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub y_below_deg: Option<f64>,
    /// Largest angle about Y to the positive side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub y_above_deg: Option<f64>,
    /// Largest angle about Z to the negative side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub z_below_deg: Option<f64>,
    /// Largest angle about Z to the positive side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub z_above_deg: Option<f64>,
    /// Largest turn in model space from one sample to the next.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn_deg: Option<f64>,
}

/// An axis of a joint's space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// +X
    X,
    /// +Y
    Y,
    /// +Z
    Z,
}

/// A capsule between two joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limb {
    /// Joint at one end.
    pub from: String,
    /// Joint at the other.
    pub to: String,
    /// Radius of the limb.
    pub radius_mm: f64,
}

/// A sole that does not move in model space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlantedSole {
    /// Name of the joint that carries it, with `*` and `?`.
    pub joint: String,
    /// The sole's place seen from the joint, along the joint's axes; a scale of the joint does not change it.
    #[serde(default)]
    #[schemars(extend("unit" = "mm"))]
    pub offset_mm: [f64; 3],
    /// Where it stands in model space; where it is at the start of the clip, if not given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(extend("unit" = "mm"))]
    pub anchor_mm: Option<[f64; 3]>,
    /// Largest distance from there.
    #[serde(default = "half_a_millimetre")]
    #[schemars(extend("unit" = "mm"))]
    pub residual_mm: f64,
}

fn half_a_millimetre() -> f64 {
    0.5
}
