//! `SINEW_DISTANCE_ROOT`: distance without root motion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::locomotion::{DistanceKind, LocomotionError, SignedPath};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::distance::{self, Distances};
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DistanceRoot,
    severity: Severity::Warning,
    title: "a distance curve that the root does not bear out, a loop whose speed nobody knows",
    reason: "A distance curve is a record of the root's motion. Where the root has been changed since, or does not \
             travel at all, poses are chosen for another distance than they cover. The loop that follows a start \
             is scaled by wanted over animated speed, and a loop without root motion or a curve has none.",
    method: "Way of the root (the joint that the bake names, or the one that is found) over the time of each curve \
             against the curve's range; info where the clip is in place, as its curve may come from the feet; where \
             the root cannot be followed, why. For a start, the loop of the same file that its name leads to (as \
             under SINEW_DISTANCE_SPEED) must travel or have a distance curve. Clips without a distance curve are \
             left alone.",
    example: "warning SINEW_DISTANCE_ROOT 'Run', the loop that 'Run_Start' leads to, has neither root motion nor a \
              distance curve: its stride cannot be scaled to a speed",
    fix: "Export with root motion and bake again (`sinew bake distance`, `--root` where the wrong joint is found); a \
          loop in place is baked from its feet or with `--speed`.",
    section: Some("distance-root"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on how far curve and root may differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DistanceRootLimits {
    /// Largest difference of the curve's range and the root's way, as a share of the root's way.
    #[schemars(extend("unit" = ""))]
    pub share: f64,
}

impl Default for DistanceRootLimits {
    fn default() -> Self {
        Self { share: 0.1 }
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::DistanceRoot) {
        return;
    }
    let curves = distance::of_clip(motion.clip);
    let usable: Vec<&Distances<'_>> = curves.iter().filter(|c| c.kind().is_some()).collect();
    if usable.is_empty() {
        return;
    }
    let label = motion.clip.label();
    let new = |severity, message: String| {
        Finding::new(Code::DistanceRoot, severity, message, RULE.fix).clip(motion.clip)
    };
    match distance::root_path(context, motion.index) {
        Ok(path) => {
            let limit = context.limits.distance_root.share;
            for curve in &usable {
                let (way, range) = (way(path, curve.span()), curve.range());
                let off = (range - way).abs() / way.max(1e-3);
                if off > limit {
                    let name = &curve.curve.name;
                    let message = format!(
                        "'{name}' of '{label}' covers {range:.3} m, its root {way:.3} m in that time: {:.0} % off",
                        100.0 * off
                    );
                    out.push(new(Severity::Warning, message).at(curve.span()[0]).measured(off, limit, ""));
                }
            }
        }
        Err(LocomotionError::NoRoot { .. }) => {
            let range = usable.iter().map(|c| c.range()).fold(0.0, f64::max);
            let message = format!(
                "'{label}' has a distance curve of {range:.3} m and no root motion: it is played in place, and its \
                 curve cannot be checked"
            );
            out.push(new(Severity::Info, message).measured(0.0, range, "m"));
        }
        Err(error) => {
            let range = usable.iter().map(|c| c.range()).fold(0.0, f64::max);
            let message = format!(
                "'{label}' has a distance curve of {range:.3} m, which cannot be held against its root: {error}"
            );
            out.push(new(Severity::Warning, message).measured(0.0, range, "m"));
        }
    }
    if usable.iter().all(|c| c.kind() != Some(DistanceKind::Start)) {
        return;
    }
    let Some(cycle) = distance::loop_of(context, motion.clip) else { return };
    let Err(error) = &cycle.speed else { return };
    let lacks = match error {
        LocomotionError::NoRoot { .. } => "has neither root motion nor a distance curve".to_owned(),
        _ => format!("has no distance curve, and its root cannot be followed ({error})"),
    };
    let message = format!(
        "'{}', the loop that '{label}' leads to, {lacks}: its stride cannot be scaled to a speed",
        cycle.clip.label()
    );
    out.push(new(Severity::Warning, message).at(motion.duration).measured(0.0, 0.0, "m"));
}

/// Metres along the way of travel over a time.
fn way(path: &SignedPath, [from, to]: [f64; 2]) -> f64 {
    let at = |time: f64| {
        let next = path.times.partition_point(|t| *t <= time).clamp(1, path.times.len() - 1);
        let [t0, t1] = [path.times[next - 1], path.times[next]];
        let u = ((time - t0) / (t1 - t0)).clamp(0.0, 1.0);
        path.distances[next - 1] + (path.distances[next] - path.distances[next - 1]) * u
    };
    at(to) - at(from)
}
