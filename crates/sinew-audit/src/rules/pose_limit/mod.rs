//! `SINEW_POSE_LIMIT`: joints, speeds, gaps and soles that somebody has set limits for.

mod joints;
mod limbs;
mod settings;
mod soles;

use glam::DMat4;
use sinew::{JointId, uniform_times};

pub use settings::{Axis, Limb, LimitedJoint, PlantedSole, PoseLimits};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::{Chains, Motion};
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity, pattern};
use joints::watched;
use limbs::{Limbs, named};
use soles::soles;

pub(super) const RULE: Rule = Rule {
    code: Code::PoseLimit,
    severity: Severity::Warning,
    title: "a joint past its limit, a jump between samples, a limb within another, a sole off its place",
    reason: "A machine's joint has an end, and so has a knee. What goes past it cannot be built, or looks broken; a \
             solver that takes another branch turns a joint by many degrees in one frame.",
    method: "Only what `sinew.toml` names: there is nothing to go by in the file itself. Each joint's rotation from \
             its rest is split into a twist about its axis and a swing of that axis, and into angles about X, then \
             the new Y, then the new Z; each that has a limit is held against it. Its rotation in model space is \
             compared between neighbouring samples; the gap between limbs is that of capsules from a joint to \
             another; a sole is held to its anchor, or to where it is at the start. Sampled at the given rate from \
             the start of the clip, and at its end. What names nothing in the file is told as an info: no limit is \
             held there.",
    example: "warning SINEW_POSE_LIMIT 'Knee.L' twists 14.2 degrees past its limit at 0.533 s",
    fix: "Change the keys, or the target that IK was given; where the limit is too tight, `audit.pose-limit` in \
          `sinew.toml`.",
    section: Some("pose-limit"),
    check_file: Some(check_file),
    check_clip: Some(check_clip),
};

/// Times looked at in one clip at most.
const MOST_SAMPLES: usize = 100_000;

/// A worst value, in degrees or metres, and when it was.
#[derive(Clone, Copy)]
struct Worst {
    value: f64,
    time: f64,
}

impl Worst {
    const NONE: Self = Self { value: 0.0, time: 0.0 };

    fn meet(&mut self, value: f64, time: f64) {
        if value > self.value {
            *self = Self { value, time };
        }
    }
}

fn finding(motion: &Motion<'_>, message: String) -> Finding {
    Finding::new(Code::PoseLimit, RULE.severity, message, RULE.fix).clip(motion.clip)
}

/// Lines of `sinew.toml` that hold nothing in this file: whoever wrote them believes that they do.
fn check_file(context: &Context<'_>, out: &mut Collector<'_>) {
    let (limits, skeleton) = (&context.limits.pose_limit, context.skeleton());
    let mut info = |line: String, why: String| {
        let message = format!("{line} holds nothing in this file: {why}");
        let fix = "Correct the name in `sinew.toml`, or take the line out.";
        out.push(Finding::new(Code::PoseLimit, Severity::Info, message, fix));
    };
    let patterns = |list: &str, lines: &[&str], info: &mut dyn FnMut(String, String)| {
        let names: Vec<&str> = skeleton.joints().iter().map(|j| j.name.as_deref().unwrap_or("")).collect();
        let first = |name: &str| lines.iter().position(|line| pattern::matches(line, name));
        let taken: Vec<Option<usize>> = names.iter().map(|name| first(name)).collect();
        for (i, line) in lines.iter().enumerate().filter(|(i, _)| !taken.contains(&Some(*i))) {
            let why = match names.iter().position(|name| pattern::matches(line, name)) {
                None => "no joint has such a name".to_owned(),
                Some(joint) => format!(
                    "joints like '{}' are those of line {}, which comes before",
                    names[joint],
                    taken[joint].unwrap_or(0)
                ),
            };
            info(format!("audit.pose-limit.{list}[{i}], '{line}',"), why);
        }
    };
    let joints: Vec<&str> = limits.joints.iter().map(|l| l.joint.as_str()).collect();
    patterns("joints", &joints, &mut info);
    let soles: Vec<&str> = limits.soles.iter().map(|l| l.joint.as_str()).collect();
    patterns("soles", &soles, &mut info);
    for (i, limb) in limits.limbs.iter().enumerate() {
        if let Some(name) = [&limb.from, &limb.to].into_iter().find(|name| named(skeleton, name).is_none()) {
            let line = format!("audit.pose-limit.limbs[{i}], '{}' to '{}',", limb.from, limb.to);
            info(line, format!("no joint is named '{name}'"));
        }
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    let limits = &context.limits.pose_limit;
    if !out.wants(Code::PoseLimit) {
        return;
    }
    let skeleton = context.skeleton();
    let mut watched = watched(skeleton, &limits.joints);
    let mut limbs = Limbs::new(skeleton, &limits.limbs, limits.gap_mm);
    let mut soles = soles(skeleton, &limits.soles);
    let mut joints: Vec<JointId> = watched.iter().map(|w| w.joint).collect();
    joints.extend(limbs.joints());
    joints.extend(soles.iter().map(|sole| sole.joint));
    if joints.is_empty() {
        return;
    }
    let chains = Chains::new(skeleton, motion.clip, &joints);
    let rate = limits.rate.min((MOST_SAMPLES as f64 - 2.0) / motion.duration.max(1e-9));
    let Ok(times) = uniform_times(motion.duration, rate) else { return };
    let mut model_ms: Vec<DMat4> = Vec::new();
    for &time in &times {
        chains.sample(time, &mut model_ms);
        let at = |joint: JointId| chains.slot(joint).map_or(DMat4::IDENTITY, |slot| model_ms[slot]);
        watched.iter_mut().for_each(|w| w.look(skeleton, time, &at));
        limbs.look(time, &at);
        soles.iter_mut().for_each(|sole| sole.look(time, &at));
    }
    watched.iter().for_each(|w| w.report(skeleton, motion, out));
    limbs.report(skeleton, motion, out);
    soles.iter().for_each(|sole| sole.report(skeleton, motion, out));
}
