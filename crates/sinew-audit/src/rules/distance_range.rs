//! `SINEW_DISTANCE_RANGE`: a start that is over before the character is up to speed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::locomotion::DistanceKind;

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::distance;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DistanceRange,
    severity: Severity::Warning,
    title: "a start clip that covers less than the run-up",
    reason: "A character gets up to its top speed within v^2 / 2a. A start clip that covers less is at its end \
             before: engines warn that they failed to advance and freeze the pose; sinew goes on in the loop, \
             slower than the loop was made for.",
    method: "Range of the distance curve of a start, against the run-up of the mover, whose top speed and \
             acceleration `sinew.toml` gives, both or neither; without them nothing is measured. Clips without a \
             distance curve are left alone.",
    example: "warning SINEW_DISTANCE_RANGE 'Run_Start' covers 0.600 m, the run-up to 6.00 m/s at 20.48 m/s2 \
              takes 0.879 m: it ends at 4.96 m/s",
    fix: "Make the clip longer by at least one step, raise the acceleration of the mover, or hand over to the \
          loop at the speed reached.",
    section: Some("distance-range"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// The mover that start clips are played on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DistanceRangeLimits {
    /// Top speed of the mover; 0 where it is not known.
    #[schemars(extend("unit" = "m/s"))]
    pub top_speed: f64,
    /// Acceleration of the mover; 0 where it is not known.
    #[schemars(extend("unit" = "m/s2"))]
    pub acceleration: f64,
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    let DistanceRangeLimits { top_speed, acceleration } = context.limits.distance_range;
    let is_known = top_speed > 0.0 && acceleration > 0.0;
    if !is_known || !out.wants(Code::DistanceRange) {
        return;
    }
    let run_up = top_speed * top_speed / (2.0 * acceleration);
    for curve in distance::of_clip(motion.clip) {
        if curve.kind() != Some(DistanceKind::Start) || curve.range() >= run_up {
            continue;
        }
        let range = curve.range();
        let reached = (2.0 * acceleration * range).sqrt();
        let message = format!(
            "'{}' covers {range:.3} m, the run-up to {top_speed:.2} m/s at {acceleration:.2} m/s2 takes \
             {run_up:.3} m: it ends at {reached:.2} m/s",
            motion.clip.label()
        );
        let finding = Finding::new(Code::DistanceRange, Severity::Warning, message, RULE.fix);
        out.push(finding.clip(motion.clip).at(curve.span()[1]).measured(range, run_up, "m"));
    }
}
