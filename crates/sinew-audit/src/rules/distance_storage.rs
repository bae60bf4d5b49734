//! `SINEW_DISTANCE_STORAGE`: a distance curve that cannot be looked up by index.

use sinew::Interpolation;

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::distance;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DistanceStorage,
    severity: Severity::Error,
    title: "a distance curve stored so that it cannot be looked up by index",
    reason: "Matching reads a key by its number and the distance between two keys along a straight line. A curve \
             stored otherwise answers nothing: engines then show the first frame, and no driver looks broken.",
    method: "Curves named `distance`, or `distance/0` and so on. Stepped or cubic keys, or less than two: error. \
             Keys that are not evenly spaced within a thousandth of a step: info, as they have to be resampled \
             before they can be indexed.",
    example: "error SINEW_DISTANCE_STORAGE 'distance' of 'Run_Start' has 16 stepped keys, which cannot be looked \
              up by index: matching shows one frozen pose",
    fix: "Store it with linear keys at even times, as `sinew bake distance` does; in an engine choose a curve \
          codec that can be read by index (uniform keys).",
    section: None,
    check_file: None,
    check_clip: Some(check_clip),
};

fn check_clip(_: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::DistanceStorage) {
        return;
    }
    let label = motion.clip.label();
    for curve in distance::of_clip(motion.clip) {
        let (name, keys) = (&curve.curve.name, curve.times.len());
        let stored = match curve.curve.track().interpolation() {
            Interpolation::Step => Some("stepped"),
            Interpolation::CubicSpline => Some("cubic"),
            Interpolation::Linear => None,
        };
        let finding = |severity, message: String| {
            Finding::new(Code::DistanceStorage, severity, message, RULE.fix).clip(motion.clip)
        };
        if let Some(stored) = stored {
            let message = format!(
                "'{name}' of '{label}' has {keys} {stored} keys, which cannot be looked up by index: matching \
                 shows one frozen pose"
            );
            out.push(finding(Severity::Error, message).measured(keys as f64, 0.0, ""));
        } else if keys < 2 {
            let message = format!("'{name}' of '{label}' has {keys} key: there is no distance to look up");
            out.push(finding(Severity::Error, message).measured(keys as f64, 2.0, ""));
        } else {
            let [start, end] = curve.span();
            let step = (end - start) / (keys - 1) as f64;
            let off = |(i, t): (usize, &f64)| (t - start - step * i as f64).abs();
            let worst = curve.times.iter().enumerate().map(off).fold(0.0, f64::max);
            if worst > 1e-3 * step {
                let message = format!(
                    "keys of '{name}' of '{label}' are up to {worst:.4} s off even times {step:.4} s apart: they \
                     cannot be looked up by index as they are"
                );
                out.push(finding(Severity::Info, message).measured(worst, 1e-3 * step, "s"));
            }
        }
    }
}
