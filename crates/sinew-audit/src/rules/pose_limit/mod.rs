//! `SINEW_POSE_LIMIT`: joints, speeds and gaps that somebody has set limits for.

use glam::{DMat4, DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{
    Capsule, DTransform, JointId, JointLimit, LimitPart, Skeleton, closest_pair, largest_turn, uniform_times,
};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::{Chains, Motion};
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity, pattern};

pub(super) const RULE: Rule = Rule {
    code: Code::PoseLimit,
    severity: Severity::Warning,
    title: "a joint past its limit, a jump between samples, a limb within another",
    reason: "A machine's joint has an end, and so has a knee. What goes past it cannot be built, or looks broken; a \
             solver that takes another branch turns a joint by many degrees in one frame.",
    method: "Only what `sinew.toml` names: there is nothing to go by in the file itself. Each joint's rotation from \
             its rest is split into a twist about its axis and a swing of that axis, and both are held against the \
             limits; its rotation in model space is compared between neighbouring samples; the gap between limbs is \
             that of capsules from a joint to another. Sampled at the given rate from the start of the clip, and at \
             its end.",
    example: "warning SINEW_POSE_LIMIT 'Knee.L' twists 14.2 degrees past its limit at 0.533 s",
    fix: "Change the keys, or the target that IK was given; where the limit is too tight, `audit.pose-limit` in \
          `sinew.toml`.",
    section: Some("pose-limit"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Limits of poses, joint by joint. Without any joint named, nothing is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PoseLimits {
    /// Samples a second; limits of turns are for one of these steps.
    #[schemars(extend("unit" = "Hz"))]
    pub rate: f64,
    /// Joints and how far they turn: `joint`, `axis`, `swing-deg`, `twist-below-deg`, `twist-above-deg`,
    /// `turn-deg`.
    pub joints: Vec<LimitedJoint>,
    /// Limbs that must not touch: `from`, `to`, `radius-mm`. Those that share a joint may.
    pub limbs: Vec<Limb>,
    /// Smallest gap between limbs.
    #[schemars(extend("unit" = "mm"))]
    pub gap_mm: f64,
}

impl Default for PoseLimits {
    fn default() -> Self {
        Self { rate: 30.0, joints: Vec::new(), limbs: Vec::new(), gap_mm: 0.0 }
    }
}

/// How far a joint turns from its rest pose; what is not given is free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LimitedJoint {
    /// Name of the joint, with `*` and `?`.
    pub joint: String,
    /// Axis of the twist in the joint's space; Y where it is not given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub axis: Option<Axis>,
    /// Largest angle of the axis from where it is at rest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub swing_deg: Option<f64>,
    /// Largest angle about the axis to the negative side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub twist_below_deg: Option<f64>,
    /// Largest angle about the axis to the positive side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub twist_above_deg: Option<f64>,
    /// Largest turn in model space from one sample to the next.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn_deg: Option<f64>,
}

/// An axis of a joint's space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// +X
    X,
    /// +Y
    Y,
    /// +Z
    Z,
}

/// A capsule between two joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limb {
    /// Joint at one end.
    pub from: String,
    /// Joint at the other.
    pub to: String,
    /// Radius of the limb.
    pub radius_mm: f64,
}

impl LimitedJoint {
    fn limit(&self, rest: DQuat) -> Option<JointLimit> {
        let radians = |v: Option<f64>| v.map_or(core::f64::consts::PI, |v| v.min(180.0).to_radians());
        self.swing_deg.or(self.twist_below_deg).or(self.twist_above_deg)?;
        let axis = match self.axis {
            Some(Axis::X) => DVec3::X,
            Some(Axis::Z) => DVec3::Z,
            Some(Axis::Y) | None => DVec3::Y,
        };
        let twist = [-radians(self.twist_below_deg), radians(self.twist_above_deg)];
        Some(JointLimit::swing_twist(rest.normalize(), axis, radians(self.swing_deg), twist))
    }
}

/// Times looked at in one clip at most.
const MOST_SAMPLES: usize = 100_000;
/// Capsules that are held against each other at most.
const MOST_LIMBS: usize = 64;

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

/// A joint that is looked at.
struct Watched<'a> {
    joint: JointId,
    limits: &'a LimitedJoint,
    limit: Option<JointLimit>,
    swing: Worst,
    twist: Worst,
    turn: Worst,
    before: Option<DQuat>,
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    let limits = &context.limits.pose_limit;
    if !out.wants(Code::PoseLimit) || (limits.joints.is_empty() && limits.limbs.len() < 2) {
        return;
    }
    let skeleton = context.skeleton();
    let mut watched = watched(skeleton, &limits.joints);
    let limbs = limbs(skeleton, &limits.limbs);
    let pairs = pairs(&limbs);
    let mut joints: Vec<JointId> = watched.iter().map(|w| w.joint).collect();
    joints.extend(limbs.iter().flat_map(|l| [l.from, l.to]));
    if joints.is_empty() {
        return;
    }
    let chains = Chains::new(skeleton, motion.clip, &joints);
    let rate = limits.rate.min((MOST_SAMPLES as f64 - 2.0) / motion.duration.max(1e-9));
    let Ok(times) = uniform_times(motion.duration, rate) else { return };
    let mut model_ms: Vec<DMat4> = Vec::new();
    let mut nearest: Option<((u16, u16), Worst)> = None;
    for &time in &times {
        chains.sample(time, &mut model_ms);
        let at = |joint: JointId| chains.slot(joint).map_or(DMat4::IDENTITY, |slot| model_ms[slot]);
        for w in &mut watched {
            w.look(skeleton, time, &at);
        }
        let capsules: Vec<Capsule> = limbs
            .iter()
            .map(|l| {
                let end = |joint: JointId| at(joint).w_axis.truncate();
                Capsule { a: end(l.from), b: end(l.to), radius: l.radius }
            })
            .collect();
        if let Some(closest) = closest_pair(&capsules, &pairs) {
            let missing = limits.gap_mm * 1e-3 - closest.metres;
            if nearest.is_none_or(|n| missing > n.1.value) {
                nearest = Some((closest.pair, Worst { value: missing, time }));
            }
        }
    }
    for w in &watched {
        w.report(skeleton, motion, out);
    }
    if let Some((pair, worst)) = nearest.filter(|n| n.1.value > 0.0) {
        let name = |limb: u16| {
            let limb = &limbs[usize::from(limb)];
            format!("'{}' to '{}'", skeleton.label(limb.from), skeleton.label(limb.to))
        };
        let gap_mm = limits.gap_mm - worst.value * 1e3;
        let how = if gap_mm < 0.0 {
            format!("is {:.1} mm within", -gap_mm)
        } else {
            format!("is {gap_mm:.1} mm from")
        };
        let message = format!("{} {how} {} at {:.3} s", name(pair.0), name(pair.1), worst.time);
        let finding = Finding::new(Code::PoseLimit, RULE.severity, message, RULE.fix).clip(motion.clip);
        let finding = finding.joint(skeleton, limbs[usize::from(pair.0)].from).at(worst.time);
        out.push(finding.measured(gap_mm, limits.gap_mm, "mm"));
    }
}

/// Joints whose name fits a line; the first that fits counts.
fn watched<'a>(skeleton: &Skeleton, lines: &'a [LimitedJoint]) -> Vec<Watched<'a>> {
    let fitting = skeleton.iter().filter_map(|(joint, j)| {
        let name = j.name.as_deref().unwrap_or("");
        let limits = lines.iter().find(|l| pattern::matches(&l.joint, name))?;
        let (swing, twist, turn) = (Worst::NONE, Worst::NONE, Worst::NONE);
        Some(Watched {
            joint,
            limits,
            limit: limits.limit(j.rest.rotation),
            swing,
            twist,
            turn,
            before: None,
        })
    });
    fitting.collect()
}

impl Watched<'_> {
    fn look(&mut self, skeleton: &Skeleton, time: f64, at: &impl Fn(JointId) -> DMat4) {
        let here = DTransform::rigid_part(&at(self.joint)).rotation;
        if let Some(limit) = self.limit {
            let parent = skeleton.joint(self.joint).parent;
            let parent = parent.map_or(DQuat::IDENTITY, |p| DTransform::rigid_part(&at(p)).rotation);
            let margin = limit.margin(parent.conjugate() * here);
            let past = -margin.radians.to_degrees();
            match margin.part {
                LimitPart::Swing => self.swing.meet(past, time),
                LimitPart::Twist | LimitPart::Axis(_) => self.twist.meet(past, time),
            }
        }
        if let Some(before) = self.before.replace(here)
            && let Some(turn) = largest_turn(&[before], &[here])
        {
            self.turn.meet(turn.radians.to_degrees(), time);
        }
    }

    fn report(&self, skeleton: &Skeleton, motion: &Motion<'_>, out: &mut Collector<'_>) {
        let label = skeleton.label(self.joint);
        let mut push = |message: String, worst: Worst, measured: f64, limit: f64| {
            let finding = Finding::new(Code::PoseLimit, RULE.severity, message, RULE.fix).clip(motion.clip);
            let finding = finding.joint(skeleton, self.joint).at(worst.time);
            out.push(finding.measured(measured, limit, "deg"));
        };
        for (what, worst) in [("swings", self.swing), ("twists", self.twist)] {
            // Of a limit that is just kept, single-precision keys break the last digit.
            if worst.value > 1e-3 {
                let Worst { value, time } = worst;
                push(
                    format!("'{label}' {what} {value:.2} degrees past its limit at {time:.3} s"),
                    worst,
                    value,
                    0.0,
                );
            }
        }
        if let Some(limit) = self.limits.turn_deg.filter(|limit| self.turn.value > *limit) {
            let Worst { value, time } = self.turn;
            let message = format!(
                "'{label}' turns {value:.2} degrees in the step up to {time:.3} s, the limit is {limit}"
            );
            push(message, self.turn, value, limit);
        }
    }
}

/// A limb of the skeleton.
struct Found {
    from: JointId,
    to: JointId,
    /// Metres.
    radius: f64,
}

fn limbs(skeleton: &Skeleton, lines: &[Limb]) -> Vec<Found> {
    let find = |name: &str| skeleton.iter().find(|(_, j)| j.name.as_deref() == Some(name)).map(|(id, _)| id);
    let found = lines
        .iter()
        .take(MOST_LIMBS)
        .filter_map(|l| Some(Found { from: find(&l.from)?, to: find(&l.to)?, radius: l.radius_mm * 1e-3 }));
    found.collect()
}

/// Limbs that do not share a joint.
fn pairs(limbs: &[Found]) -> Vec<(u16, u16)> {
    let mut pairs = Vec::new();
    for (i, a) in limbs.iter().enumerate() {
        for (j, b) in limbs.iter().enumerate().skip(i + 1) {
            if ![b.from, b.to].contains(&a.from) && ![b.from, b.to].contains(&a.to) {
                pairs.push((i as u16, j as u16));
            }
        }
    }
    pairs
}
