//! `SINEW_SWING`: a middle joint that leaves its path between two keys.
//!
//! The measure behind the rule, and the fixture it is tested with, are those of the knee study: two bones of
//! 0.30 m, keys 1/48 s apart, the thigh a degree either side of vertical, its frame turned over in between.

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{Channel, ChannelTarget, DTransform, Interpolation, JointId, RawClip, Skeleton};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::model::Model;
use crate::motion::{Motion, apply};
use crate::plot::{Limit, Marker, Plot, Series, Tone};
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::Swing,
    severity: Severity::Warning,
    title: "a knee or elbow that swings sideways between two keys",
    reason: "Limb frames built from an up axis turn over when the bone passes that axis. Both keys look right; \
             between them the bone rolls half a turn and carries the middle joint out of its plane: a knee \
             that pops sideways for a frame, a limb that collapses in a baked texture.",
    method: "Every joint with a long bone above and below it (thigh, knee, ankle). For each pair of \
             neighbouring rotation keys of the upper bone: its roll about its own axis between the keys, and \
             how far the middle joint leaves the arc that leads straight from the one key's position to the \
             other's. Found where the roll is large, larger than the change of direction, and the middle \
             joint is off by more than the limit. Ordinary motion rolls little from key to key.",
    example: "warning SINEW_SWING 'Knee' swings 5.236 mm sideways between keys 0 and 1 (0.000 to 0.021 s) of \
              'Thigh', which rolls 180.00 degrees while its direction changes by 2.00",
    fix: "Rebuild the upper bone's rotation with a reference axis across the limb (`sinew::frame::projected_x`), \
          or put the roll where it is seen least.",
    section: Some("swing"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on the swing of middle joints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SwingLimits {
    /// Furthest way off the arc, for a person of 1.8 m.
    #[schemars(extend("unit" = "mm"))]
    pub sideways_mm: f64,
    /// Largest roll of the upper bone between two keys.
    #[schemars(extend("unit" = "deg"))]
    pub roll_deg: f64,
    /// Least roll as a multiple of the change of direction between the keys.
    #[schemars(extend("unit" = ""))]
    pub roll_per_direction: f64,
    /// Shortest bone that counts, as a share of the character's size.
    #[schemars(extend("unit" = "sizes"))]
    pub bone_sizes: f64,
}

impl Default for SwingLimits {
    fn default() -> Self {
        Self { sideways_mm: 2.0, roll_deg: 60.0, roll_per_direction: 2.0, bone_sizes: 0.04 }
    }
}

/// A middle joint between two keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// Joint whose rotation carries the middle joint.
    pub upper: JointId,
    /// The middle joint.
    pub middle: JointId,
    /// Earlier key of the upper joint's rotation.
    pub key: usize,
    /// Its time, seconds.
    pub start: f64,
    /// Time of the next key, seconds.
    pub end: f64,
    /// When the middle joint is furthest off, seconds.
    pub at: f64,
    /// How far it is off the arc between both keys then, metres.
    pub sideways_m: f64,
    /// Roll of the upper joint about its bone from key to key, radians, 0 to pi.
    pub roll: f64,
    /// Angle between the bone's directions at both keys, radians.
    pub direction: f64,
    /// Whole angle between both keys, radians.
    pub rotation: f64,
}

/// A limb: the upper joint, the middle joint, and the channel that turns the upper one.
struct Limb<'a> {
    upper: JointId,
    middle: JointId,
    rotation: &'a Channel,
    /// Moves the middle joint in the upper one's space, where it is animated.
    offset: Option<&'a Channel>,
    /// Position of the middle joint at rest in the upper one's space.
    rest_offset: DVec3,
    /// Scale of the upper joint, at rest.
    scale: DVec3,
    /// Metres a unit of the upper joint's parent space.
    unit_m: f64,
}

impl Limb<'_> {
    /// Middle joint relative to the upper one, in the upper one's parent space.
    fn bone(&self, rotation: DQuat, time: f64) -> DVec3 {
        let mut local = DTransform { translation: self.rest_offset, ..DTransform::IDENTITY };
        if let Some(channel) = self.offset {
            apply(channel, time, &mut local);
        }
        rotation * (self.scale * local.translation)
    }

    fn at(&self, time: f64) -> DVec3 {
        self.bone(self.rotation.track.sample_rotation(time), time)
    }
}

/// Pairs of keys measured in one limb at most. One that rolls oftener turns on purpose, or is noise; the first
/// thousand tell as much as all.
const MOST_PAIRS: usize = 1000;

/// Samples an interval is looked at with.
const SAMPLES: usize = 101;

/// Pairs of neighbouring keys between which an upper bone rolls by at least `roll` radians, for every limb
/// with bones of at least `bone_m` metres above and below its middle joint. The first thousand of each limb.
#[must_use]
pub fn swings(skeleton: &Skeleton, clip: &RawClip, bone_m: f64, roll: f64) -> Vec<Swing> {
    let mut pose_ms = Vec::new();
    sinew::model_matrices(skeleton, &sinew::RawPose::rest(skeleton), &mut pose_ms);
    let children = skeleton.children();
    let mut found = Vec::new();
    for limb in limbs(skeleton, &pose_ms, &children, clip, bone_m) {
        let track = &limb.rotation.track;
        if track.interpolation() == Interpolation::Step {
            continue;
        }
        let mut here = track.key_rotation(0);
        let mut pairs = 0;
        for key in 0..track.len().saturating_sub(1) {
            let next = track.key_rotation(key + 1);
            // A roll is no larger than the whole rotation; most pairs end here.
            let rotation = DTransform::angle_between(here, next);
            if rotation >= roll && pairs < MOST_PAIRS {
                let swing = measure(&limb, key, here, next, roll);
                pairs += usize::from(swing.is_some());
                found.extend(swing);
            }
            here = next;
        }
    }
    found
}

/// One pair of keys; `None` where the bone rolls less than `least_roll` radians between them.
fn measure(limb: &Limb<'_>, key: usize, here: DQuat, next: DQuat, least_roll: f64) -> Option<Swing> {
    let times = limb.rotation.track.times();
    let (start, end) = (times[key], times[key + 1]);
    let (a, b) = (limb.bone(here, start), limb.bone(next, end));
    let (d0, d1) = (a.try_normalize()?, b.try_normalize()?);
    let roll = roll_between(here, next, d0, d1);
    if roll < least_roll {
        return None;
    }
    let (mut sideways, mut at) = (0.0_f64, start);
    for i in 1..SAMPLES - 1 {
        let time = start + (end - start) * i as f64 / (SAMPLES - 1) as f64;
        let off = off_arc(limb.at(time), d0, d1);
        if off > sideways {
            (sideways, at) = (off, time);
        }
    }
    Some(Swing {
        upper: limb.upper,
        middle: limb.middle,
        key,
        start,
        end,
        at,
        sideways_m: sideways * limb.unit_m,
        roll,
        direction: angle(d0, d1),
        rotation: DTransform::angle_between(here, next),
    })
}

/// Angle between unit vectors, radians; exact for small ones.
fn angle(a: DVec3, b: DVec3) -> f64 {
    libm::atan2(a.cross(b).length(), a.dot(b))
}

/// What is left of a rotation between two keys once the bone's direction is carried over the straight way:
/// its roll about the bone, radians, 0 to pi.
fn roll_between(here: DQuat, next: DQuat, d0: DVec3, d1: DVec3) -> f64 {
    let change = next * here.conjugate();
    let straight = DQuat::from_rotation_arc(d0, d1);
    let twist = straight.conjugate() * change;
    2.0 * libm::atan2(twist.xyz().dot(d0).abs(), twist.w.abs())
}

/// Distance of a point from the plane that two directions span, or from the straight way between them where
/// it runs past their ends, or they span none.
fn off_arc(p: DVec3, d0: DVec3, d1: DVec3) -> f64 {
    let normal = d0.cross(d1);
    let length = p.length();
    if normal.length() > 1e-9 {
        let n = normal.normalize();
        let flat = p - n * p.dot(n);
        let within = d0.cross(flat).dot(normal) >= 0.0 && flat.cross(d1).dot(normal) >= 0.0;
        if within {
            return p.dot(n).abs();
        }
    }
    (p - d0 * length).length().min((p - d1 * length).length())
}

/// Middle joints looked at below one upper joint.
const MIDDLES: usize = 4;

/// Limbs with a rotation channel on the upper joint.
fn limbs<'a>(
    skeleton: &Skeleton,
    rest_ms: &[glam::DMat4],
    children: &[Vec<JointId>],
    clip: &'a RawClip,
    bone_m: f64,
) -> Vec<Limb<'a>> {
    let place = |id: JointId| rest_ms[id.index()].w_axis.truncate();
    let bone = |a: JointId, b: JointId| (place(b) - place(a)).length();
    let mut found = Vec::new();
    for rotation in clip.channels.iter().filter(|c| c.target == ChannelTarget::Rotation) {
        let upper = rotation.joint;
        let is_limb = |middle: &&JointId| {
            let below = || children[middle.index()].iter().any(|&c| bone(**middle, c) >= bone_m);
            bone(upper, **middle) >= bone_m && below()
        };
        for &middle in children[upper.index()].iter().filter(is_limb).take(MIDDLES) {
            let parent = skeleton.joint(upper).parent;
            let unit_m = parent.map_or(1.0, |p| rest_ms[p.index()].determinant().abs().cbrt());
            found.push(Limb {
                upper,
                middle,
                rotation,
                offset: clip.channel(middle, ChannelTarget::Translation),
                rest_offset: skeleton.joint(middle).rest.translation,
                scale: skeleton.joint(upper).rest.scale,
                unit_m,
            });
        }
    }
    found
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::Swing) {
        return;
    }
    let (skeleton, limits) = (context.skeleton(), &context.limits.swing);
    let limit_mm = context.model.scaled(limits.sideways_mm);
    let bone_m = limits.bone_sizes * context.model.size_m;
    let mut found = swings(skeleton, motion.clip, bone_m, limits.roll_deg.to_radians());
    found.retain(|s| {
        let seen = context.model.visible[s.middle.index()];
        seen && s.sideways_m * 1e3 > limit_mm && s.roll >= limits.roll_per_direction * s.direction
    });
    // One finding a middle joint: its worst pair of keys.
    found.sort_by(|a, b| (a.middle.cmp(&b.middle)).then(b.sideways_m.total_cmp(&a.sideways_m)));
    for same in found.chunk_by(|a, b| a.middle == b.middle) {
        let worst = same[0];
        let mm = worst.sideways_m * 1e3;
        let more = match same.len() - 1 {
            0 => String::new(),
            n => format!("; {n} more such interval{}", if n == 1 { "" } else { "s" }),
        };
        let message = format!(
            "'{}' swings {mm:.3} mm sideways between keys {} and {} ({:.3} to {:.3} s) of '{}', which rolls \
             {:.2} degrees while its direction changes by {:.2}{more}",
            skeleton.label(worst.middle),
            worst.key,
            worst.key + 1,
            worst.start,
            worst.end,
            skeleton.label(worst.upper),
            worst.roll.to_degrees(),
            worst.direction.to_degrees(),
        );
        let finding = Finding::new(Code::Swing, Severity::Warning, message, RULE.fix).clip(motion.clip);
        let mut finding = finding.joint(skeleton, worst.middle).at(worst.at).until(worst.end);
        finding.subject.key = u32::try_from(worst.key).ok();
        finding.subject.channel = motion.clip.channel(worst.upper, ChannelTarget::Rotation).map(|c| c.source);
        let plots = plot(context.skeleton(), &context.model, motion, &worst, limit_mm);
        out.push_with_plots(finding.measured(mm, limit_mm, "mm"), plots.into_iter().collect());
    }
}

/// How far the middle joint is off its arc between the two keys.
fn plot(
    skeleton: &Skeleton,
    model: &Model,
    motion: &Motion<'_>,
    swing: &Swing,
    limit_mm: f64,
) -> Option<Plot> {
    let limb = limbs(skeleton, &model.rest_ms, &model.children, motion.clip, 0.0)
        .into_iter()
        .find(|l| l.upper == swing.upper && l.middle == swing.middle)?;
    let (a, b) = (limb.at(swing.start), limb.at(swing.end));
    let (d0, d1) = (a.try_normalize()?, b.try_normalize()?);
    let points = (0..SAMPLES).map(|i| {
        let time = swing.start + (swing.end - swing.start) * i as f64 / (SAMPLES - 1) as f64;
        let ends = i == 0 || i == SAMPLES - 1;
        [time, if ends { 0.0 } else { off_arc(limb.at(time), d0, d1) * limb.unit_m * 1e3 }]
    });
    let label = skeleton.label(swing.middle);
    let mut plot =
        Plot::over_time(format!("{}: {label} off its path", motion.clip.label()), "sideways", "mm");
    plot.description =
        "Distance of the middle joint from the straight way between its positions at both keys. \
                        A good curve stays at zero."
            .to_owned();
    plot.clip = u32::try_from(motion.index).ok();
    plot.joint = Some(swing.middle.0);
    plot.series.push(Series::new("sideways", points.collect()).tone(Tone::Bad));
    plot.limits.push(Limit { value: limit_mm, label: format!("limit {limit_mm:.1} mm") });
    plot.markers.push(Marker {
        x: swing.at,
        y: Some(swing.sideways_m * 1e3),
        label: format!("{:.3} mm", swing.sideways_m * 1e3),
        finding: Some(0),
    });
    Some(plot)
}
