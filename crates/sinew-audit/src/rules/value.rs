//! `SINEW_VALUE`: values that are not finite or out of all proportion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{Channel, ChannelTarget};

use super::{Rule, file};
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::wording::counted;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::Value,
    severity: Severity::Error,
    title: "values that are not finite or out of all proportion",
    reason: "One NaN in a pose makes a character vanish; a translation of a thousand kilometres breaks \
             culling, shadows and physics.",
    method: "Rest pose and keys: translations against the size of the character, scales against zero and a \
             largest factor. A scale of zero or below is told as info: it hides or mirrors on purpose more \
             often than not, but normals and collision shapes do not survive it. Last rows of inverse bind \
             matrices against 0 0 0 1: warning, for glTF asks for that row, engines drop or divide by it, and \
             `sinew` writes no such matrix.",
    example: "error SINEW_VALUE translation of 'Hips' reaches 3.2e8 m at key 14 (0.467 s), 1.8e8 times the \
              size of the character",
    fix: "Look at the key in the authoring tool; a bad bake or a division by zero in a constraint is the \
          usual cause.",
    section: Some("value"),
    check_file: Some(check_file),
    check_clip: Some(check_clip),
};

/// Bounds on values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ValueLimits {
    /// Longest translation, as a multiple of the character's size.
    #[schemars(extend("unit" = "sizes"))]
    pub translation_sizes: f64,
    /// Longest translation in any case.
    #[schemars(extend("unit" = "m"))]
    pub translation_m: f64,
    /// Largest scale.
    #[schemars(extend("unit" = ""))]
    pub scale: f64,
}

impl Default for ValueLimits {
    fn default() -> Self {
        Self { translation_sizes: 1e4, translation_m: 1e6, scale: 1e4 }
    }
}

fn check_file(context: &Context<'_>, out: &mut Collector<'_>) {
    for problem in context.problems.iter().filter(|p| file::code_of(p) == Code::Value) {
        out.push(file::finding(problem, RULE.fix));
    }
    check_inverse_binds(context, out);
    let (skeleton, limits) = (context.skeleton(), &context.limits.value);
    for (id, joint) in skeleton.iter() {
        let far = joint.rest.translation.length();
        let label = skeleton.label(id);
        if let Some(limit) = too_far(context, far) {
            let message = format!("'{label}' rests {far:.4e} m from its parent, {}", sizes(context, far));
            let finding = Finding::new(Code::Value, Severity::Error, message, RULE.fix);
            out.push(finding.joint(skeleton, id).measured(far, limit, "m").pointer(node(joint.node)));
        }
        let (least, most) = (joint.rest.scale.min_element(), joint.rest.scale.abs().max_element());
        if let Some((severity, limit, what)) = scale_fault(least, most, limits) {
            let message = format!("'{label}' rests at scale {what}");
            let measured = if limit > 0.0 { most } else { least };
            let finding = Finding::new(Code::Value, severity, message, FIX_SCALE);
            out.push(finding.joint(skeleton, id).measured(measured, limit, "").pointer(node(joint.node)));
        }
    }
}

/// How near to 0 0 0 1 the last row of an inverse bind matrix has to be; the writer holds it to the same.
const ROW: f64 = 1e-5;

/// Inverse bind matrices that are no affine transforms, one finding a skin.
fn check_inverse_binds(context: &Context<'_>, out: &mut Collector<'_>) {
    for skin in &context.document.skins {
        let off = skin.inverse_bind.iter().enumerate().filter_map(|(k, matrix)| {
            let row = matrix.row(3).to_array();
            let expected = [0.0, 0.0, 0.0, 1.0];
            let column = (0..4).find(|&c| (row[c] - expected[c]).abs() > ROW)?;
            Some((k, column * 4 + 3, row[column], expected[column]))
        });
        let off: Vec<_> = off.collect();
        let Some(&(number, element, value, expected)) = off.first() else { continue };
        let label = skin.name.clone().unwrap_or_else(|| format!("skin {}", skin.source));
        let joint = skin.joints.get(number).copied();
        let name = joint.map_or_else(|| format!("joint {number}"), |j| context.skeleton().label(j));
        let more = match off.len() - 1 {
            0 => String::new(),
            n => format!("; {} of this skin too", counted(n, "further matrix", "further matrices")),
        };
        let message = format!(
            "inverse bind matrix {number} of skin '{label}', for '{name}', has {value:e} as element {element}, \
             expected {expected}: its last row is not 0 0 0 1{more}"
        );
        let fix = "Set the last row of each inverse bind matrix to 0 0 0 1, or bind the skin again.";
        let mut finding = Finding::new(Code::Value, Severity::Warning, message, fix);
        if let Some(joint) = joint {
            finding = finding.joint(context.skeleton(), joint);
        }
        finding.subject.skin = Some(skin.source);
        let finding = finding.pointer(format!("/skins/{}/inverseBindMatrices", skin.source));
        out.push(finding.measured(value, expected, ""));
    }
}

const FIX_SCALE: &str = "Apply scale and mirroring in the authoring tool before export; hide with visibility \
                         rather than with a scale of zero.";

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::Value) {
        return;
    }
    for channel in &motion.clip.channels {
        match channel.target {
            ChannelTarget::Translation => check_translation(context, motion, channel, out),
            ChannelTarget::Scale => check_scale(context, motion, channel, out),
            ChannelTarget::Rotation | ChannelTarget::Weights => {}
        }
    }
}

fn check_translation(context: &Context<'_>, motion: &Motion<'_>, channel: &Channel, out: &mut Collector<'_>) {
    let track = &channel.track;
    let length = |k: usize| track.key_value(k).iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    let Some((key, far)) = worst(track.len(), length) else { return };
    let Some(limit) = too_far(context, far) else { return };
    let label = context.skeleton().label(channel.joint);
    let time = track.times()[key];
    let message = format!(
        "translation of '{label}' reaches {far:.4e} m at key {key} ({time:.3} s), {}",
        sizes(context, far)
    );
    let finding = Finding::new(Code::Value, Severity::Error, message, RULE.fix).clip(motion.clip);
    let finding = finding.joint(context.skeleton(), channel.joint).key(channel.source, key).at(time);
    out.push(finding.measured(far, limit, "m"));
}

fn check_scale(context: &Context<'_>, motion: &Motion<'_>, channel: &Channel, out: &mut Collector<'_>) {
    let (track, rest) = (&channel.track, context.skeleton().joint(channel.joint).rest.scale);
    let values = |k: usize| track.key_value(k).iter().map(|v| f64::from(*v));
    let Some((low_key, _)) = worst(track.len(), |k| -values(k).fold(f64::INFINITY, f64::min)) else { return };
    let Some((high_key, most)) = worst(track.len(), |k| values(k).fold(0.0, |m, v| m.max(v.abs()))) else {
        return;
    };
    let least = values(low_key).fold(f64::INFINITY, f64::min);
    let Some((severity, limit, what)) = scale_fault(least, most, &context.limits.value) else { return };
    // A mirrored or hidden joint that the clip leaves as it rests has been told already.
    if limit == 0.0 && rest.min_element() == least {
        return;
    }
    let (key, measured) = if limit > 0.0 { (high_key, most) } else { (low_key, least) };
    let count = (0..track.len()).filter(|&k| values(k).fold(f64::INFINITY, f64::min) <= 0.0).count();
    let time = track.times()[key];
    let label = context.skeleton().label(channel.joint);
    let keys = if limit > 0.0 { String::new() } else { format!(", {count} of {} keys", track.len()) };
    let message = format!("scale of '{label}' is {what} at key {key} ({time:.3} s{keys})");
    let finding = Finding::new(Code::Value, severity, message, FIX_SCALE).clip(motion.clip);
    let finding = finding.joint(context.skeleton(), channel.joint).key(channel.source, key).at(time);
    out.push(finding.measured(measured, limit, ""));
}

/// Key with the largest value.
fn worst(keys: usize, value: impl Fn(usize) -> f64) -> Option<(usize, f64)> {
    (0..keys).map(|k| (k, value(k))).fold(None, |best: Option<(usize, f64)>, next| match best {
        Some(b) if b.1 >= next.1 => Some(b),
        _ => Some(next),
    })
}

fn too_far(context: &Context<'_>, far: f64) -> Option<f64> {
    let limits = &context.limits.value;
    let limit = (limits.translation_sizes * context.model.size_m).min(limits.translation_m);
    // A rest pose that is itself far out makes the size meaningless; the absolute bound then holds alone.
    (far > limit).then_some(limit)
}

fn sizes(context: &Context<'_>, far: f64) -> String {
    format!("{:.1e} times the size of the character", far / context.model.size_m)
}

/// Severity, limit and wording of a scale that is out of bounds.
fn scale_fault(least: f64, most: f64, limits: &ValueLimits) -> Option<(Severity, f64, String)> {
    if most > limits.scale {
        Some((Severity::Warning, limits.scale, format!("{most:.4e}")))
    } else if least < 0.0 {
        Some((Severity::Info, 0.0, format!("{least:.4}, which mirrors")))
    } else if least == 0.0 {
        Some((Severity::Info, 0.0, "0, which flattens".to_owned()))
    } else {
        None
    }
}

fn node(index: u32) -> String {
    format!("/nodes/{index}")
}
