//! `SINEW_ANCESTOR_SCALE`: scale above the joints.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::AncestorScale,
    severity: Severity::Info,
    title: "scale on an ancestor of the joints",
    reason: "A node with scale 0.01 above the joints means that joint translations are in centimetres. \
             Everything that reads joints without their ancestors (root motion, IK targets, attachments, \
             physics) is off by that factor. Scale that differs by axis shears whatever turns below it.",
    method: "Rest scale of every node that has animated or skinned joints below it. Equal on all axes: info. \
             Different by axis or mirrored: warning.",
    example: "info SINEW_ANCESTOR_SCALE 'Armature' scales the 65 joints below it by 0.01: their translations \
              are in units of 0.01 m",
    fix: "Apply the scale to the armature and its animation in the authoring tool before export.",
    section: Some("ancestor-scale"),
    check_file: Some(check),
    check_clip: None,
};

/// Bounds on scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AncestorScaleLimits {
    /// Largest difference of a scale from one.
    #[schemars(extend("unit" = ""))]
    pub difference: f64,
}

impl Default for AncestorScaleLimits {
    fn default() -> Self {
        Self { difference: 1e-3 }
    }
}

fn check(context: &Context<'_>, out: &mut Collector<'_>) {
    let skeleton = context.skeleton();
    let joints = joints(context);
    let mut below = vec![0_usize; skeleton.len()];
    for (id, joint) in skeleton.iter().collect::<Vec<_>>().into_iter().rev() {
        if let Some(parent) = joint.parent {
            below[parent.index()] += below[id.index()] + usize::from(joints[id.index()]);
        }
    }
    let limit = context.limits.ancestor_scale.difference;
    for (id, joint) in skeleton.iter().filter(|(id, _)| below[id.index()] > 0) {
        let scale = match joint.rest_matrix {
            Some(m) => {
                let length = |axis: glam::DVec4| axis.truncate().length();
                DVec3::new(length(m.x_axis), length(m.y_axis), length(m.z_axis))
            }
            None => joint.rest.scale,
        };
        let off = (scale - DVec3::ONE).abs().max_element();
        if !off.is_finite() || off <= limit {
            continue;
        }
        let size = scale.abs();
        let uneven = (size.max_element() - size.min_element()) > limit * size.max_element();
        let mirrored = scale.min_element() < 0.0;
        let sheared = joint.rest_matrix.is_some();
        let (label, count) = (skeleton.label(id), below[id.index()]);
        let count = if count == 1 { "joint".to_owned() } else { format!("{count} joints") };
        let (severity, message) = if uneven || mirrored || sheared {
            let what = if sheared {
                "with a matrix that no translation, rotation and scale can carry"
            } else if mirrored {
                "which mirrors them"
            } else {
                "which shears whatever turns below it"
            };
            let axes = format!("{:.4} {:.4} {:.4}", scale.x, scale.y, scale.z);
            (Severity::Warning, format!("'{label}' scales the {count} below it by {axes}, {what}"))
        } else {
            let factor = scale.x;
            let message = format!(
                "'{label}' scales the {count} below it by {factor:.4}: their translations are in units of \
                 {factor:.4} m"
            );
            (Severity::Info, message)
        };
        let worst = scale
            .to_array()
            .into_iter()
            .fold(1.0, |worst: f64, s| if (s - 1.0).abs() > (worst - 1.0).abs() { s } else { worst });
        let finding = Finding::new(Code::AncestorScale, severity, message, RULE.fix);
        let finding = finding.joint(skeleton, id).pointer(format!("/nodes/{}", joint.node));
        out.push(finding.measured(worst, 1.0, ""));
    }
}

/// What counts as a joint: what a skin names, or without skins what a clip moves. `[joint]`
fn joints(context: &Context<'_>) -> Vec<bool> {
    let mut joints = vec![false; context.skeleton().len()];
    context.document.skins.iter().flat_map(|s| &s.joints).for_each(|j| joints[j.index()] = true);
    if context.document.skins.is_empty() {
        let channels = context.document.clips.iter().flat_map(|c| &c.channels);
        channels.for_each(|c| joints[c.joint.index()] = true);
    }
    joints
}
