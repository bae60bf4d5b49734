//! `SINEW_DISTANCE_SPEED`: a start that does not end, or a stop that does not begin, at the loop's speed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::locomotion::DistanceKind;

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::distance::{self, Distances};
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DistanceSpeed,
    severity: Severity::Warning,
    title: "a start, stop or turn clip that meets its loop at another speed",
    reason: "Where a start hands over to the loop, the pose's speed should be that of the loop; otherwise the play \
             rate has to jump there, or feet slide.",
    method: "Mean speed over the last thirtieth of a second of a clip that ends moving (after a start or a turn), over \
             the first of one that begins moving (before a stop or a turn), and of a clip of several markers the \
             fastest tenth of a second between two of them, where it leaves for the loop or comes from it; against the \
             loop of the same file whose name has a word of moving (walk, run and the like) and most words in common. \
             A loop's speed is that of its distance curve or its root. Where there is no such loop, against the top \
             speed under `distance-range`. Clips without a distance curve are left alone.",
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
    let meetings = meetings(&curves);
    if meetings.is_empty() {
        return;
    }
    let cycle = distance::loop_of(context, motion.clip);
    let by_loop = cycle.and_then(|c| Some((format!("'{}' goes", c.clip.label()), c.speed.ok()?)));
    let top = context.limits.distance_range.top_speed;
    let other = by_loop.or_else(|| (top > 0.0).then(|| ("the mover goes".to_owned(), top)));
    let Some((goes, wanted)) = other else { return };
    for Meeting { speed, does, at } in meetings {
        let off = (speed - wanted).abs() / wanted;
        if off <= limit {
            continue;
        }
        let message = format!(
            "'{}' {does} {speed:.2} m/s, {goes} at {wanted:.2} m/s: {:.0} % off",
            motion.clip.label(),
            100.0 * off
        );
        let finding = Finding::new(Code::DistanceSpeed, Severity::Warning, message, RULE.fix);
        out.push(finding.clip(motion.clip).at(at).measured(off, limit, ""));
    }
}

/// Where a clip meets its loop.
struct Meeting {
    /// Metres a second.
    speed: f64,
    does: &'static str,
    /// Seconds.
    at: f64,
}

/// At its ends where it moves there, and between two markers.
fn meetings(curves: &[Distances<'_>]) -> Vec<Meeting> {
    let mut order: Vec<(&Distances<'_>, DistanceKind)> =
        curves.iter().filter_map(|curve| Some((curve, curve.kind()?))).collect();
    order.sort_by(|a, b| a.0.span()[0].total_cmp(&b.0.span()[0]));
    let mut all = Vec::new();
    if let Some((first, DistanceKind::Stop | DistanceKind::Pivot)) = order.first() {
        let speed = first.start_speed();
        all.extend(speed.map(|speed| Meeting { speed, does: "begins at", at: first.span()[0] }));
    }
    for pair in order.windows(2) {
        // Both know the stretch between their markers.
        let (before, after) = (pair[0].0, pair[1].0);
        let top = before.top_speed([after.span()[0], before.span()[1]]);
        all.extend(top.map(|(speed, at)| Meeting { speed, does: "gets up to", at }));
    }
    if let Some((last, DistanceKind::Start | DistanceKind::Pivot)) = order.last() {
        let speed = last.end_speed();
        all.extend(speed.map(|speed| Meeting { speed, does: "ends at", at: last.span()[1] }));
    }
    all
}
