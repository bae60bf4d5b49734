//! `SINEW_DISTANCE_TIMING`: a start that spends its time where nothing is covered.

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
    code: Code::DistanceTiming,
    severity: Severity::Warning,
    title: "a start clip that covers next to nothing for much of its time",
    reason: "The pose follows the distance. Half of a clip in which the root covers 3 % of the way is gone in the \
             first frames of the game: anticipation is never seen, or the pose snaps.",
    method: "Share of the time of a start's distance curve in which the first 5 % of its range are covered; an even \
             acceleration takes 22 %. Clips without a distance curve are left alone.",
    example: "warning SINEW_DISTANCE_TIMING 'Run_Start' takes 54 % of its time (0.271 s) for the first 5 % of its \
              distance (0.063 m)",
    fix: "Shorten what comes before the push-off, or retime the clip towards its mover (`sinew bake distance \
          --retime 0.5`).",
    section: Some("distance-timing"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on how time is shared out over the distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DistanceTimingLimits {
    /// The first part of the distance that is looked at, as a share of its range.
    #[schemars(extend("unit" = ""))]
    pub first_share: f64,
    /// Largest share of the time that it may take.
    #[schemars(extend("unit" = ""))]
    pub time_share: f64,
}

impl Default for DistanceTimingLimits {
    fn default() -> Self {
        Self { first_share: 0.05, time_share: 0.35 }
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    let limits = &context.limits.distance_timing;
    if !out.wants(Code::DistanceTiming) {
        return;
    }
    for curve in distance::of_clip(motion.clip) {
        if curve.kind() != Some(DistanceKind::Start) {
            continue;
        }
        let [start, end] = curve.span();
        let until = curve.last_within(limits.first_share.min(1.0));
        let share = (until - start) / (end - start);
        if share <= limits.time_share {
            continue;
        }
        let message = format!(
            "'{}' takes {:.0} % of its time ({:.3} s) for the first {:.0} % of its distance ({:.3} m)",
            motion.clip.label(),
            100.0 * share,
            until - start,
            100.0 * limits.first_share,
            limits.first_share * curve.range()
        );
        let finding = Finding::new(Code::DistanceTiming, Severity::Warning, message, RULE.fix);
        out.push(finding.clip(motion.clip).at(start).until(until).measured(share, limits.time_share, ""));
    }
}
