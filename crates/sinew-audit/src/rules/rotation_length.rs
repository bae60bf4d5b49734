//! `SINEW_ROTATION_LENGTH`: rotation keys that are not of unit length.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{ChannelTarget, Track};

use super::{Rule, file};
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::wording::{counted, either};
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::RotationLength,
    severity: Severity::Warning,
    title: "rotation keys that are not of unit length",
    reason: "Some players normalise rotations, some use them as stored. As stored, a key of length L pushes \
             everything below the joint off by the factor L squared: limbs shrink or grow between keys.",
    method: "Length of every rotation key. The effect is the largest distance between both readings of what \
             hangs on the joint: |L^2 - 1| times the way that the rotation itself carries it. Info while that \
             stays below the limit.",
    example: "warning SINEW_ROTATION_LENGTH 11 of 11 rotation keys of 'Arm' are not of unit length, worst \
              0.99985 at key 3; up to 0.42 mm apart between players that normalise and those that do not",
    fix: "Normalise the keys: divide each by its length.",
    section: Some("rotation-length"),
    check_file: Some(check_file),
    check_clip: Some(check_clip),
};

/// Bounds on the length of rotation keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RotationLengthLimits {
    /// Largest difference of a key's length from one.
    #[schemars(extend("unit" = ""))]
    pub length: f64,
    /// Effect from which on it is a warning, for a person of 1.8 m.
    #[schemars(extend("unit" = "mm"))]
    pub effect_mm: f64,
}

impl Default for RotationLengthLimits {
    fn default() -> Self {
        Self { length: 1e-4, effect_mm: 0.1 }
    }
}

/// How far the rotation keys of a track are from unit length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RotationLength {
    /// Keys further off than the limit.
    pub count: usize,
    /// The one furthest off.
    pub key: usize,
    /// Its length.
    pub length: f64,
    /// Largest `|L^2 - 1| * 2 sin(angle / 2)` of all keys: how far a point one metre from the joint is moved
    /// by using keys as stored, metres at most.
    pub effect: f64,
}

/// Measures the rotation keys of a track of four numbers.
#[must_use]
pub fn rotation_length(track: &Track, limit: f64) -> RotationLength {
    let mut worst = RotationLength { length: 1.0, ..RotationLength::default() };
    for key in 0..track.len() {
        let squared: f64 = track.key_value(key).iter().map(|v| f64::from(*v).powi(2)).sum();
        let length = squared.sqrt();
        if (length - 1.0).abs() > limit {
            worst.count += 1;
        }
        if (length - 1.0).abs() > (worst.length - 1.0).abs() {
            (worst.key, worst.length) = (key, length);
        }
        // 2 sin(angle / 2) of the unit rotation is twice the length of its vector part.
        let turn = 2.0 * track.key_rotation(key).xyz().length();
        worst.effect = worst.effect.max((squared - 1.0).abs() * turn);
    }
    worst
}

fn check_file(context: &Context<'_>, out: &mut Collector<'_>) {
    for problem in context.problems.iter().filter(|p| file::code_of(p) == Code::RotationLength) {
        out.push(file::finding(problem, "Write the identity or the rotation that was meant."));
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::RotationLength) {
        return;
    }
    let (skeleton, limits) = (context.skeleton(), &context.limits.rotation_length);
    for channel in motion.clip.channels.iter().filter(|c| c.target == ChannelTarget::Rotation) {
        let found = rotation_length(&channel.track, limits.length);
        if found.count == 0 {
            continue;
        }
        let effect_mm = found.effect * context.model.reach_m[channel.joint.index()] * 1e3;
        let severity = if effect_mm > context.model.scaled(limits.effect_mm) {
            Severity::Warning
        } else {
            Severity::Info
        };
        let RotationLength { count, key, length, .. } = found;
        let message = format!(
            "{count} of {} of '{}' {} not of unit length, worst {length:.5} at key {key}; up \
             to {effect_mm:.3} mm apart between players that normalise and those that do not",
            counted(channel.track.len(), "rotation key", "rotation keys"),
            skeleton.label(channel.joint),
            either(count, "is", "are"),
        );
        let finding = Finding::new(Code::RotationLength, severity, message, RULE.fix).clip(motion.clip);
        let finding = finding.joint(skeleton, channel.joint).key(channel.source, key);
        let finding = finding.at(channel.track.times()[key]);
        out.push(finding.measured((length - 1.0).abs(), limits.length, ""));
    }
}
