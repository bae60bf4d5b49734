//! `SINEW_LOOP_SEAM`: a jump where a loop starts over.

use glam::{DMat4, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{DTransform, JointId, RawPose, model_matrices};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::names;
use crate::plot::{Limit, Marker, Plot, Series};
use crate::report::{ClipFacts, Closure, TravelFacts};
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::LoopSeam,
    severity: Severity::Warning,
    title: "a jump where a loop starts over",
    reason: "A loop whose last pose is neither its first nor one step before it jumps each time it starts \
             over.",
    method: "Last pose against first pose, every visible joint, model space, after the root's net motion over \
             the ground and about the vertical is taken out. Closed: the distance stays below the limit. \
             Open: the last frame is one step before the first, so the jump is no larger than the steps on \
             either side of it. Clips are meant to loop when a word of their name says so, unless another \
             says that they are one-shots; for other names a jump is told as info, and only where it is small \
             against the motion. One-shots are left alone.",
    example: "warning SINEW_LOOP_SEAM 'LeftFoot' jumps 23.1 mm (4.2 degrees) where 'Walk' starts over; the \
              steps before and after are 6.0 mm; the last frame is neither the first nor one step before it",
    fix: "Copy the first pose to the end of the clip, or blend the last quarter second into it.",
    section: Some("loop-seam"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on the seam of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LoopSeamLimits {
    /// Largest distance of a joint between last and first pose, for a person of 1.8 m.
    #[schemars(extend("unit" = "mm"))]
    pub distance_mm: f64,
    /// Largest angle of a joint between last and first pose.
    #[schemars(extend("unit" = "deg"))]
    pub angle_deg: f64,
    /// Seam as a share of the joint's whole motion up to which a clip counts as a loop at all.
    #[schemars(extend("unit" = ""))]
    pub share_of_motion: f64,
    /// Words in the name of a clip that is meant to loop.
    pub loop_words: Vec<String>,
    /// Words in the name of a clip that is not, which count for more.
    pub one_shot_words: Vec<String>,
}

impl Default for LoopSeamLimits {
    fn default() -> Self {
        let words = |list: &str| list.split(' ').map(str::to_owned).collect();
        Self {
            distance_mm: 5.0,
            angle_deg: 3.0,
            share_of_motion: 0.25,
            loop_words: words(names::LOOP_WORDS),
            one_shot_words: words(names::ONE_SHOT_WORDS),
        }
    }
}

/// How a clip's end meets its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seam {
    /// How the ends meet.
    pub(crate) closure: Closure,
    /// Joint that jumps furthest, or turns furthest where none moves.
    pub(crate) joint: JointId,
    /// Distance of that joint between last and first pose, metres.
    pub(crate) distance_m: f64,
    /// Its angle, radians.
    pub(crate) angle: f64,
    /// Longest way of that joint in the steps beside the seam, metres.
    pub(crate) step_m: f64,
    /// Size of the box that joint moves in, metres.
    pub(crate) motion_m: f64,
    /// Largest angle of any joint, radians.
    pub(crate) worst_angle: f64,
}

impl Seam {
    /// Compares the ends of a clip; `None` where it has no length or nothing is seen of it.
    pub(crate) fn of(context: &Context<'_>, motion: &Motion<'_>) -> Option<Self> {
        if motion.duration <= 0.0 {
            return None;
        }
        let limits = &context.limits.loop_seam;
        let step = if motion.key_step > 0.0 { motion.key_step } else { motion.duration };
        let step = step.clamp(1e-4, 0.1).min(motion.duration / 2.0);
        let poses = SeamPoses::new(context, motion, step);
        let closed_m = context.model.scaled(limits.distance_mm) * 1e-3;
        let closed_angle = limits.angle_deg.to_radians();
        let mut worst: Option<Self> = None;
        let (mut closed, mut open, mut steps, mut against) = (true, true, 0.0_f64, 0.0_f64);
        let mut worst_angle = 0.0_f64;
        for joint in visible(context) {
            let Some(seen) = poses.joint(joint) else { continue };
            worst_angle = worst_angle.max(seen.angle);
            let is_closed = seen.distance_m <= closed_m && seen.angle <= closed_angle;
            closed &= is_closed;
            open &= seen.distance_m <= 1.6 * seen.step_m + closed_m
                && seen.angle <= 1.6 * seen.step_angle + closed_angle;
            if seen.distance_m > closed_m {
                steps += seen.distance_m;
                against += if seen.onward { 0.0 } else { seen.distance_m };
            }
            // Lengths decide; where nothing but angles differ, those do.
            let rank = |d: f64, a: f64| (d / closed_m).max(a / closed_angle);
            if worst.is_none_or(|w| rank(seen.distance_m, seen.angle) > rank(w.distance_m, w.angle)) {
                worst = Some(Self {
                    closure: Closure::None,
                    joint,
                    distance_m: seen.distance_m,
                    angle: seen.angle,
                    step_m: seen.step_m,
                    motion_m: 0.0,
                    worst_angle: 0.0,
                });
            }
        }
        let mut worst = worst?;
        worst.worst_angle = worst_angle;
        worst.motion_m = extent(motion, worst.joint);
        // In an open loop the seam continues the motion: most joints go on in the direction they had.
        let goes_on = steps > 0.0 && against < 0.3 * steps;
        worst.closure = match (closed, open && goes_on) {
            (true, _) => Closure::Closed,
            (_, true) => Closure::Open,
            _ => Closure::None,
        };
        Some(worst)
    }
}

/// Joints that carry what is seen, in order.
fn visible(context: &Context<'_>) -> impl Iterator<Item = JointId> {
    let seen = context.model.visible.iter().enumerate().filter(|(_, v)| **v);
    seen.map(|(i, _)| JointId(i as u32))
}

/// Size of the box a joint moves in, root motion removed, metres.
fn extent(motion: &Motion<'_>, joint: JointId) -> f64 {
    let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for pose in &motion.poses_ms {
        let p = at_start(motion, pose, joint);
        (least, most) = (least.min(p), most.max(p));
    }
    (most - least).length()
}

/// Position of a joint with the root's motion over the ground taken out.
fn at_start(motion: &Motion<'_>, pose_ms: &[DMat4], joint: JointId) -> DVec3 {
    let back = match &motion.travel {
        Some(travel) => motion.back_to_start(&pose_ms[travel.joint.index()]),
        None => DMat4::IDENTITY,
    };
    back.transform_point3(pose_ms[joint.index()].w_axis.truncate())
}

/// The poses on both sides of the seam, the late ones carried back to the start, `[joint]`.
struct SeamPoses {
    first: Vec<DMat4>,
    second: Vec<DMat4>,
    before_last: Vec<DMat4>,
    last: Vec<DMat4>,
    /// Takes the root's net motion out of the late poses.
    back: DMat4,
}

/// One joint at the seam.
struct AtSeam {
    distance_m: f64,
    angle: f64,
    step_m: f64,
    step_angle: f64,
    /// The seam goes on in the direction of the steps beside it.
    onward: bool,
}

impl SeamPoses {
    fn new(context: &Context<'_>, motion: &Motion<'_>, step: f64) -> Self {
        let skeleton = context.skeleton();
        let mut pose = RawPose::default();
        let mut at = |time: f64| {
            motion.clip.sample(skeleton, time, &mut pose);
            let mut model_ms = Vec::new();
            model_matrices(skeleton, &pose, &mut model_ms);
            model_ms
        };
        let last = motion.last_ms().to_vec();
        let back = motion
            .travel
            .as_ref()
            .map_or(DMat4::IDENTITY, |travel| motion.back_to_start(&last[travel.joint.index()]));
        // Clips that start late hold their first pose; the step is taken from where keys begin.
        let start = motion.clip.first_key().min(motion.duration - step).max(0.0);
        Self {
            first: motion.first_ms().to_vec(),
            second: at(start + step),
            before_last: at(motion.duration - step),
            last,
            back,
        }
    }

    fn joint(&self, joint: JointId) -> Option<AtSeam> {
        let at = |pose: &[DMat4]| pose[joint.index()].w_axis.truncate();
        let turned = |pose: &[DMat4]| DTransform::rigid_part(&pose[joint.index()]).rotation;
        let (first, second) = (at(&self.first), at(&self.second));
        let late = |pose: &[DMat4]| self.back.transform_point3(at(pose));
        let (before_last, last) = (late(&self.before_last), late(&self.last));
        let back = DTransform::rigid_part(&self.back).rotation;
        let angle = DTransform::angle_between(turned(&self.first), back * turned(&self.last));
        let (step_in, step_out) = (last - before_last, second - first);
        let seen = AtSeam {
            distance_m: (last - first).length(),
            angle,
            step_m: step_in.length().max(step_out.length()),
            step_angle: DTransform::angle_between(turned(&self.first), turned(&self.second))
                .max(DTransform::angle_between(turned(&self.before_last), turned(&self.last))),
            onward: (first - last).dot(step_in + step_out) > 0.0,
        };
        (seen.distance_m.is_finite() && seen.angle.is_finite()).then_some(seen)
    }
}

/// Words of a clip's name that say whether it is meant to loop; `None` where neither does.
fn meant(context: &Context<'_>, label: &str) -> Option<bool> {
    let limits = &context.limits.loop_seam;
    if names::has_word(label, &limits.one_shot_words) {
        return Some(false);
    }
    names::has_word(label, &limits.loop_words).then_some(true)
}

/// Whether the seam is small against the motion.
fn looks_like_loop(context: &Context<'_>, seam: &Seam) -> bool {
    let limits = &context.limits.loop_seam;
    seam.distance_m <= limits.share_of_motion * seam.motion_m && seam.worst_angle < 45_f64.to_radians()
}

/// Whether a clip is meant to loop and could: its name says so, and its ends meet or nearly do.
pub(super) fn loops(context: &Context<'_>, motion: &Motion<'_>) -> bool {
    meant(context, &motion.clip.label()) == Some(true)
        && motion.seam.is_some_and(|s| s.closure != Closure::None || looks_like_loop(context, &s))
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, facts: &mut ClipFacts, out: &mut Collector<'_>) {
    let Some(seam) = motion.seam else { return };
    facts.closure = seam.closure;
    facts.seam_mm = seam.distance_m * 1e3;
    facts.seam_deg = seam.worst_angle.to_degrees();
    facts.travel = motion.travel.as_ref().map(|t| TravelFacts {
        joint: context.skeleton().label(t.joint),
        metres: t.net_m.to_array(),
        turn_deg: t.turn.to_degrees(),
    });
    if !out.wants(Code::LoopSeam) || seam.closure != Closure::None {
        return;
    }
    let limits = &context.limits.loop_seam;
    let label = motion.clip.label();
    let meant = match meant(context, &label) {
        Some(false) => return,
        meant => meant.is_some(),
    };
    let looks_like_loop = looks_like_loop(context, &seam);
    // A clip with no word either way is a loop only if its ends nearly meet.
    let nearly = seam.distance_m <= 0.2 * limits.share_of_motion * seam.motion_m
        && seam.worst_angle < 15_f64.to_radians();
    let severity = match (meant, looks_like_loop, nearly) {
        (true, true, _) => Severity::Warning,
        (true, false, _) | (false, _, true) => Severity::Info,
        (false, _, false) => return,
    };
    let joint = context.skeleton().label(seam.joint);
    let (mm, step_mm) = (seam.distance_m * 1e3, seam.step_m * 1e3);
    let limit_mm = context.model.scaled(limits.distance_mm);
    let root = match &motion.travel {
        Some(t) => format!(", root motion of '{}' taken out", context.skeleton().label(t.joint)),
        None => String::new(),
    };
    let message = if severity == Severity::Info && meant {
        format!(
            "'{label}' does not look like a loop, whatever its name says: '{joint}' ends {mm:.1} mm ({:.1} \
             degrees) from where it starts{root}",
            seam.angle.to_degrees()
        )
    } else {
        format!(
            "'{joint}' jumps {mm:.1} mm ({:.1} degrees) where '{label}' starts over; the steps before and \
             after are {step_mm:.1} mm{root}; the last frame is neither the first nor one step before it",
            seam.angle.to_degrees()
        )
    };
    let finding = Finding::new(Code::LoopSeam, severity, message, RULE.fix).clip(motion.clip);
    let finding = finding.joint(context.skeleton(), seam.joint).at(motion.duration);
    // Told in the unit that is over its limit; lengths come first.
    let finding = if mm > limit_mm {
        finding.measured(mm, limit_mm, "mm")
    } else {
        finding.measured(seam.angle.to_degrees(), limits.angle_deg, "deg")
    };
    let plot = plot(context, motion, &seam, limit_mm);
    out.push_with_plots(finding, vec![plot]);
}

/// Distance of the worst joint from its first pose over the clip.
fn plot(context: &Context<'_>, motion: &Motion<'_>, seam: &Seam, limit_mm: f64) -> Plot {
    let label = context.skeleton().label(seam.joint);
    let mut plot = Plot::over_time(
        format!("{}: distance of {label} from its first pose", motion.clip.label()),
        "distance",
        "mm",
    );
    plot.description =
        "Distance of the joint from where it is in the first frame, root motion taken out. In a \
                        loop the curve comes back to zero at the end."
            .to_owned();
    plot.clip = u32::try_from(motion.index).ok();
    plot.joint = Some(seam.joint.0);
    let start = motion.first_ms()[seam.joint.index()].w_axis.truncate();
    let points = motion
        .times
        .iter()
        .zip(&motion.poses_ms)
        .map(|(t, pose)| [*t, (at_start(motion, pose, seam.joint) - start).length() * 1e3]);
    plot.series.push(Series::new("distance", points.collect()));
    plot.limits.push(Limit { value: limit_mm, label: format!("limit {limit_mm:.1} mm") });
    plot.markers.push(Marker {
        x: motion.duration,
        y: Some(seam.distance_m * 1e3),
        label: format!("{:.1} mm", seam.distance_m * 1e3),
        finding: Some(0),
    });
    plot
}
