//! `SINEW_DISTANCE_REVERSAL`: a root that goes back on its way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::distance;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::wording::counted;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DistanceReversal,
    severity: Severity::Warning,
    title: "a root that goes back on its way in a clip that is matched by distance",
    reason: "A root carries progress and nothing else. A weight shift that is keyed on the root makes the distance \
             fall, or doubles it where magnitudes are baked; on the pelvis it does no harm.",
    method: "Path of what carries the character (the joint that the bake names, or the one that is found), 30 samples a \
             second: the longest way back that is shorter than a \
             leg of its own (a turn is none). Info where the clip stores a remainder beside its distance, which \
             gives the way back to the pelvis. Clips without a distance curve are left alone.",
    example: "warning SINEW_DISTANCE_REVERSAL the root of 'Run_Start' goes back by 64.8 mm from 0.000 to 0.200 s",
    fix: "Key the weight shift on the pelvis; or bake with `sinew bake distance --pelvis JOINT`, which gives it to \
          that joint and leaves the body where it is.",
    section: Some("distance-reversal"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on ways back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DistanceReversalLimits {
    /// Largest way back of the root, for a person of 1.8 m.
    #[schemars(extend("unit" = "mm"))]
    pub back_mm: f64,
}

impl Default for DistanceReversalLimits {
    fn default() -> Self {
        Self { back_mm: 10.0 }
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::DistanceReversal) {
        return;
    }
    let curves = distance::of_clip(motion.clip);
    if curves.is_empty() {
        return;
    }
    // A root that cannot be followed is a matter of `SINEW_DISTANCE_ROOT`.
    let Ok(path) = distance::root_path(context, motion.index) else { return };
    let limit = context.model.scaled(context.limits.distance_reversal.back_mm);
    let over: Vec<_> = path.reversals.iter().filter(|r| r.distance * 1e3 > limit).collect();
    let Some(worst) = over.iter().max_by(|a, b| a.distance.total_cmp(&b.distance)) else { return };
    let mm = worst.distance * 1e3;
    let others = if over.len() > 1 {
        format!(", the longest of {}", counted(over.len(), "way back", "ways back"))
    } else {
        String::new()
    };
    let stored = curves.iter().all(|c| c.has_remainder);
    let (severity, whose) = if stored {
        (Severity::Info, "; its curve leaves that to the pelvis")
    } else {
        (Severity::Warning, "")
    };
    let message = format!(
        "the root of '{}' goes back by {mm:.1} mm from {:.3} to {:.3} s{others}{whose}",
        motion.clip.label(),
        worst.from,
        worst.to
    );
    let finding = Finding::new(Code::DistanceReversal, severity, message, RULE.fix);
    out.push(finding.clip(motion.clip).at(worst.from).until(worst.to).measured(mm, limit, "mm"));
}
