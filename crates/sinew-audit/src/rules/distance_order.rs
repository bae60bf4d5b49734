//! `SINEW_DISTANCE_ORDER`: a distance that falls or repeats.

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::distance::{self, Distances};
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::wording::counted;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DistanceOrder,
    severity: Severity::Error,
    title: "a distance curve that falls or repeats a value",
    reason: "A pose is looked up by the distance, so each distance must belong to one moment. Where values fall, \
             a start steps over all of that time in one frame; where they fall or repeat, a search for a stop \
             ends on either side and the pose jumps.",
    method: "Keys of curves named `distance`, or `distance/0` and so on. Stretches of falling keys and of equal \
             keys are told apart, the worst of each with its number. Clips without such a curve are left alone.",
    example: "error SINEW_DISTANCE_ORDER 'distance' of 'Run_Start' falls by 26.2 mm from 0.200 to 0.267 s (2 of \
              15 steps fall): a playhead that follows it jumps over that time",
    fix: "Bake the curve from the signed path of the root: `sinew bake distance` sets what falls apart as a remainder \
          (`--pelvis JOINT` gives it to that joint) and keeps both ends of a plateau. Taking the magnitudes again changes nothing: the motion is like that.",
    section: None,
    check_file: None,
    check_clip: Some(check_clip),
};

/// A stretch of keys.
#[derive(Clone, Copy)]
struct Stretch {
    from: usize,
    to: usize,
}

/// Stretches of neighbouring steps that are so.
fn stretches(curve: &Distances<'_>, so: impl Fn(f64) -> bool) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let steps = curve.values.windows(2).enumerate();
    for i in steps.filter(|(_, pair)| so(pair[1] - pair[0])).map(|(i, _)| i) {
        match found.last_mut().filter(|last| last.to == i) {
            Some(last) => last.to = i + 1,
            None => found.push(Stretch { from: i, to: i + 1 }),
        }
    }
    found
}

fn check_clip(_: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::DistanceOrder) {
        return;
    }
    let label = motion.clip.label();
    for curve in distance::of_clip(motion.clip) {
        let (name, steps) = (&curve.curve.name, curve.times.len() - 1);
        let finding = |at: Stretch, message: String| {
            let finding = Finding::new(Code::DistanceOrder, Severity::Error, message, RULE.fix);
            finding.clip(motion.clip).at(curve.times[at.from]).until(curve.times[at.to])
        };
        let falling = stretches(&curve, |step| step < 0.0);
        let depth = |s: &Stretch| curve.values[s.from] - curve.values[s.to];
        if let Some(worst) = falling.iter().copied().max_by(|a, b| depth(a).total_cmp(&depth(b))) {
            let count: usize = falling.iter().map(|s| s.to - s.from).sum();
            let (mm, [t0, t1]) = (depth(&worst) * 1e3, [curve.times[worst.from], curve.times[worst.to]]);
            let message = format!(
                "'{name}' of '{label}' falls by {mm:.1} mm from {t0:.3} to {t1:.3} s ({count} of {steps} steps \
                 fall): a playhead that follows it jumps over that time"
            );
            out.push(finding(worst, message).measured(mm, 0.0, "mm"));
        }
        let level = stretches(&curve, |step| step == 0.0);
        let length = |s: &Stretch| curve.times[s.to] - curve.times[s.from];
        if let Some(worst) = level.iter().copied().max_by(|a, b| length(a).total_cmp(&length(b))) {
            let (value, [t0, t1]) =
                (curve.values[worst.from], [curve.times[worst.from], curve.times[worst.to]]);
            let places = counted(level.len(), "place", "places");
            let message = format!(
                "'{name}' of '{label}' repeats {value:.4} m from {t0:.3} to {t1:.3} s (in {places}): a search for \
                 that distance ends at any of {:.3} s",
                length(&worst)
            );
            out.push(finding(worst, message).measured(length(&worst), 0.0, "s"));
        }
    }
}
