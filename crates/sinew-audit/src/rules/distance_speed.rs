//! `SINEW_DISTANCE_SPEED`: a start that does not end, or a stop that does not begin, at the loop's speed.

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
    code: Code::DistanceSpeed,
    severity: Severity::Warning,
    title: "a start or stop clip that meets its loop at another speed",
    reason: "Where a start hands over to the loop, the pose's speed should be that of the loop; otherwise the play \
             rate has to jump there, or feet slide.",
    method: "Mean speed over the last thirtieth of a second of a start's distance curve, and over the first of a \
             stop's, against the loop of the same file whose name has a word of moving (walk, run and the like) and \
             most words in common; a loop's speed is that of its distance curve or its root. Where there is no such \
             loop, against the top speed under `distance-range`. Clips of several markers and clips without a distance \
             curve are left alone.",
    example: "warning SINEW_DISTANCE_SPEED 'Run_Start' ends at 4.79 m/s, 'Run' goes at 6.00 m/s: 20 % off",
    fix: "Cut or extend the clip to where the root has the loop's speed, or retime it (`sinew bake distance \
          --retime`).",
    section: Some("distance-speed"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on speeds where clips meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DistanceSpeedLimits {
    /// Largest difference of the two speeds, as a share of the loop's.
    #[schemars(extend("unit" = ""))]
    pub share: f64,
}

impl Default for DistanceSpeedLimits {
    fn default() -> Self {
        Self { share: 0.15 }
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    let limit = context.limits.distance_speed.share;
    if !out.wants(Code::DistanceSpeed) {
        return;
    }
    let curves = distance::of_clip(motion.clip);
    // What starts and stops or turns in one clip meets the loop at neither of its own ends.
    let [curve] = curves.as_slice() else { return };
    let [start, end] = curve.span();
    let (speed, does, at) = match curve.kind() {
        Some(DistanceKind::Start) => (curve.end_speed(), "ends", end),
        Some(DistanceKind::Stop) => (curve.start_speed(), "begins", start),
        _ => return,
    };
    let cycle = distance::loop_of(context, motion.clip);
    let by_loop = cycle.and_then(|c| Some((format!("'{}' goes", c.clip.label()), c.speed?)));
    let top = context.limits.distance_range.top_speed;
    let other = by_loop.or_else(|| (top > 0.0).then(|| ("the mover goes".to_owned(), top)));
    let (Some(speed), Some((goes, wanted))) = (speed, other) else { return };
    let off = (speed - wanted).abs() / wanted;
    if off <= limit {
        return;
    }
    let message = format!(
        "'{}' {does} at {speed:.2} m/s, {goes} at {wanted:.2} m/s: {:.0} % off",
        motion.clip.label(),
        100.0 * off
    );
    let finding = Finding::new(Code::DistanceSpeed, Severity::Warning, message, RULE.fix);
    out.push(finding.clip(motion.clip).at(at).measured(off, limit, ""));
}
