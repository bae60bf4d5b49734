//! What an audit says about one file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plot::Plot;
use crate::{Code, Finding, Limits, Severity};

/// Everything an audit has to say about one file. The same file and limits give the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditReport {
    /// What was looked at.
    pub file: FileFacts,
    /// One entry a clip that could be read, in order of the file.
    pub clips: Vec<ClipFacts>,
    /// Worst first: by severity, then clip, joint and time.
    pub findings: Vec<Finding>,
    /// How many there are.
    pub counts: Counts,
    /// Curves that findings rest on; [`Marker::finding`](crate::plot::Marker::finding) points into
    /// `findings`. Not part of the JSON.
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

/// What was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileFacts {
    /// File name without folder and ending.
    pub name: String,
    /// Nodes of the file, each of them a joint.
    pub joints: usize,
    /// Joints that a skin names.
    pub skin_joints: usize,
    /// Clips that could be read.
    pub clips: usize,
    /// Meshes that could be read.
    pub meshes: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Skins that could be read.
    pub skins: usize,
    /// Height of the character at rest, metres.
    pub height_m: f64,
    /// The length that limits are scaled with: the height, or half the longest side of the box around the
    /// character where that is more; metres.
    pub size_m: f64,
    /// Joints taken for feet, by name.
    pub feet: Vec<String>,
}

/// One clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClipFacts {
    /// Name, or `clip 3` where it has none.
    pub name: String,
    /// Index of the animation in the file.
    pub source: u32,
    /// Seconds from 0 to the latest key.
    pub duration_s: f64,
    /// Number of channels.
    pub channels: usize,
    /// Most keys of any channel.
    pub keys: usize,
    /// How the end meets the start.
    pub closure: Closure,
    /// Largest distance of a joint between last and first pose, root motion removed; millimetres.
    pub seam_mm: f64,
    /// Largest angle of a joint between last and first pose, root motion removed; degrees.
    pub seam_deg: f64,
    /// Net motion of the root over the clip, metres and degrees about the vertical; absent where it stays.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub travel: Option<TravelFacts>,
    /// Speed of the ground under a clip that walks in place, metres a second along X and Z; estimated from
    /// the feet that stand on it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ground_mps: Option<[f64; 2]>,
    /// Stances found, all feet together.
    pub stances: usize,
}

/// Net motion of a root.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TravelFacts {
    /// Joint that carries it.
    pub joint: String,
    /// Metres along X, Y, Z.
    pub metres: [f64; 3],
    /// Degrees about the vertical.
    pub turn_deg: f64,
}

/// How the end of a clip meets its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Closure {
    /// The last pose repeats the first.
    Closed,
    /// The last pose is one step before the first: the loop is one step longer than its keys.
    Open,
    /// Neither: a one-shot, or a loop with a jump.
    #[default]
    None,
}

/// How many findings there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Of severity error.
    pub errors: usize,
    /// Of severity warning.
    pub warnings: usize,
    /// Of severity info.
    pub infos: usize,
    /// Left out by `sinew.toml`.
    pub ignored: usize,
    /// By rule, before the list was shortened.
    pub by_code: BTreeMap<Code, usize>,
}

impl AuditReport {
    /// The worst severity there is.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }

    /// Whether a finding is as bad as the limits allow none to be.
    #[must_use]
    pub fn fails(&self, limits: &Limits) -> bool {
        match (limits.fail.severity.severity(), self.worst()) {
            (Some(least), Some(worst)) => worst >= least,
            _ => false,
        }
    }

    /// The JSON schema of a report, as in `schema/findings.schema.json`; ends with a line break.
    #[must_use]
    pub fn json_schema() -> String {
        let schema = schemars::schema_for!(Self);
        // A schema is JSON by construction; an empty text would fail the test that guards the file.
        let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
        text.push('\n');
        text
    }
}
