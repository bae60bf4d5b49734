//! One thing that is wrong, with its number and its place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{JointId, Skeleton};

use crate::{Code, Severity};

/// What a finding is about, as exactly as can be told. Indices are those of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// Name of the clip, or `clip 3` where it has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clip: Option<String>,
    /// Index of the animation in the file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clip_index: Option<u32>,
    /// Name of the joint, or `node 7` where it has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joint: Option<String>,
    /// Index of the joint's node in the file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub node: Option<u32>,
    /// Name of the mesh, or `mesh 2` where it has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mesh: Option<String>,
    /// Index of the mesh in the file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mesh_index: Option<u32>,
    /// Part of the mesh.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub primitive: Option<u32>,
    /// Vertex within the part.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vertex: Option<u32>,
    /// Index of the skin in the file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skin: Option<u32>,
    /// Index of the channel within the animation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub channel: Option<u32>,
    /// Index of the sampler within the animation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sampler: Option<u32>,
    /// Key, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key: Option<u32>,
    /// Seconds from the start of the clip; where the player should go.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time: Option<f64>,
    /// Where what begins at `time` ends, seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_time: Option<f64>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// What it is about.
    pub subject: Subject,
    /// JSON pointer (RFC 6901) into the glTF document, or another place in the file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pointer: Option<String>,
    /// The worst value, in `unit`. Absent where there is no number, or where it is not finite.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured: Option<f64>,
    /// What it should have stayed within, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<f64>,
    /// Unit of `measured` and `limit`: `mm`, `deg`, `s`, `m`; empty for plain numbers and counts.
    pub unit: String,
    /// One sentence with the numbers.
    pub message: String,
    /// What a person can do about it.
    pub fix: String,
}

impl Finding {
    /// A finding about the file as a whole; narrow it with the methods below.
    #[must_use]
    pub fn new(code: Code, severity: Severity, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            subject: Subject::default(),
            pointer: None,
            measured: None,
            limit: None,
            unit: String::new(),
            message: message.into(),
            fix: fix.into(),
        }
    }

    /// With its number. What is not finite is left out.
    #[must_use]
    pub fn measured(mut self, measured: f64, limit: f64, unit: &str) -> Self {
        self.measured = measured.is_finite().then_some(measured);
        self.limit = limit.is_finite().then_some(limit);
        self.unit = unit.to_owned();
        self
    }

    /// About a clip.
    #[must_use]
    pub fn clip(mut self, clip: &sinew::RawClip) -> Self {
        self.subject.clip = Some(clip.label());
        self.subject.clip_index = Some(clip.source);
        self
    }

    /// About a joint.
    #[must_use]
    pub fn joint(mut self, skeleton: &Skeleton, joint: JointId) -> Self {
        self.subject.joint = Some(skeleton.label(joint));
        self.subject.node = Some(skeleton.joint(joint).node);
        self
    }

    /// At a moment of the clip.
    #[must_use]
    pub fn at(mut self, time: f64) -> Self {
        self.subject.time = Some(time);
        self
    }

    /// Until a moment of the clip.
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.subject.end_time = Some(time);
        self
    }

    /// At a key of a channel.
    #[must_use]
    pub fn key(mut self, channel: u32, key: usize) -> Self {
        self.subject.channel = Some(channel);
        self.subject.key = u32::try_from(key).ok();
        self
    }

    /// At a place in the file.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}
