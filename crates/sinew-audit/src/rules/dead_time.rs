//! `SINEW_DEAD_TIME`: time in which nothing happens, and channels that do not span their clip.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{Channel, ChannelTarget, DTransform, Interpolation, RawClip};

use super::{Rule, loop_seam};
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::wording::{counted, either, listed};
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::DeadTime,
    severity: Severity::Warning,
    title: "a late first key, time in which nothing moves, channels that stop early",
    reason: "A clip runs from 0 to its latest key, whatever the first key's time. What comes before the first \
             key is a frozen pose: a pause in every loop, a delay before every attack.",
    method: "First key of the clip against 0: warning in a clip that is meant to loop (SINEW_LOOP_SEAM says \
             which are), for it hangs there each time round, and where the pause is long; info otherwise. \
             Clips of a file that all start equally late are one finding. First and last moment at which any channel changes, \
             against the clip's ends: info, for a hold is often meant. Channels whose last key comes before \
             the clip's end while they are still moving: info. Channels that hold one value are left alone.",
    example: "warning SINEW_DEAD_TIME the first key is at 0.042 s: the clip holds its first pose that long \
              each time it starts",
    fix: "Shift all keys so that the first is at 0 (`sinew convert --trim START:END`), or trim the frozen \
          part.",
    section: Some("dead-time"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on time in which nothing happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DeadTimeLimits {
    /// Latest first key.
    #[schemars(extend("unit" = "s"))]
    pub first_key_s: f64,
    /// First key from which on it is a warning in clips that do not loop; in loops it always is.
    #[schemars(extend("unit" = "s"))]
    pub pause_s: f64,
    /// Longest frozen stretch at the start or the end of a clip.
    #[schemars(extend("unit" = "s"))]
    pub frozen_s: f64,
    /// How much earlier than the clip a moving channel may end, or later it may begin.
    #[schemars(extend("unit" = "s"))]
    pub channel_s: f64,
}

impl Default for DeadTimeLimits {
    fn default() -> Self {
        Self { first_key_s: 0.001, pause_s: 0.1, frozen_s: 0.5, channel_s: 0.1 }
    }
}

/// How a finding about a late first key begins.
const FIRST_KEY: &str = "the first key is at";

/// Clips listed in a message.
const LISTED: usize = 12;

/// Makes one finding of clips that start equally late: that is the exporter's doing, not the clips'.
pub(crate) fn fold(out: &mut Collector<'_>) {
    let start = |f: &Finding| {
        let first = f.measured.filter(|_| f.code == Code::DeadTime && f.message.starts_with(FIRST_KEY))?;
        // To the millisecond.
        Some((first * 1e3).round() as i64)
    };
    out.fold(start, |findings| {
        let severity = findings.iter().map(|f| f.severity).max().unwrap_or(Severity::Info);
        let names = |warned: bool| {
            let of = findings.iter().filter(move |f| (f.severity == severity) == warned);
            of.filter_map(|f| f.subject.clip.as_deref())
        };
        let first = findings[0].measured.unwrap_or_default();
        let (count, worse) = (findings.len(), names(true).count());
        let mut message = format!(
            "the first key of {count} clips is at {first:.3} s: each holds its first pose that long each time \
             it starts: {}",
            listed(names(true), LISTED)
        );
        if worse < count {
            let others = either(count - worse, "one more that does not loop", "others that do not loop");
            let others = format!("; {others}: {}", listed(names(false), LISTED));
            message.push_str(&others);
        }
        let limit = findings[0].limit.unwrap_or_default();
        Finding::new(Code::DeadTime, severity, message, RULE.fix).measured(first, limit, "s")
    });
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::DeadTime) || motion.clip.channels.is_empty() {
        return;
    }
    let (clip, limits) = (motion.clip, &context.limits.dead_time);
    // A curve poses nothing.
    let first = clip.channels.iter().map(|c| c.track.start()).fold(f64::INFINITY, f64::min);
    let finding = |severity, message: String, fix: &str| {
        Finding::new(Code::DeadTime, severity, message, fix).clip(clip)
    };
    let spans: Vec<Moving<'_>> = clip.channels.iter().filter_map(|c| Moving::of(c, context)).collect();
    if first > limits.first_key_s {
        let message =
            format!("{FIRST_KEY} {first:.3} s: the clip holds its first pose that long each time it starts");
        let loops = loop_seam::loops(context, motion) && !spans.is_empty();
        let severity = if loops || first > limits.pause_s { Severity::Warning } else { Severity::Info };
        let finding = finding(severity, message, RULE.fix);
        out.push(finding.at(0.0).until(first).measured(first, limits.first_key_s, "s"));
    }
    let end = motion.duration;
    if spans.is_empty() {
        return;
    }
    let start_of_motion = spans.iter().map(|s| s.from).fold(end, f64::min);
    let end_of_motion = spans.iter().map(|s| s.to).fold(0.0, f64::max);
    let frozen = start_of_motion - first.min(start_of_motion);
    if frozen > limits.frozen_s {
        let message = format!("nothing moves in the first {start_of_motion:.3} s of {end:.3} s");
        let finding = finding(Severity::Info, message, "Trim the start, if the hold is not meant.");
        out.push(finding.at(0.0).until(start_of_motion).measured(start_of_motion, limits.frozen_s, "s"));
    }
    if end - end_of_motion > limits.frozen_s {
        let frozen = end - end_of_motion;
        let message = format!("nothing moves in the last {frozen:.3} s of {end:.3} s");
        let finding = finding(Severity::Info, message, "Trim the end, if the hold is not meant.");
        out.push(finding.at(end_of_motion).until(end).measured(frozen, limits.frozen_s, "s"));
    }
    check_channels(context, clip, &spans, out);
}

/// Channels that are cut off, one finding for the clip.
fn check_channels(context: &Context<'_>, clip: &RawClip, spans: &[Moving<'_>], out: &mut Collector<'_>) {
    let (limit, end, first) = (context.limits.dead_time.channel_s, clip.duration(), clip.first_key());
    let early: Vec<_> =
        spans.iter().filter(|s| end - s.channel.track.end() > limit && s.cut_at_end).collect();
    let late: Vec<_> =
        spans.iter().filter(|s| s.channel.track.start() - first > limit && s.cut_at_start).collect();
    let worst = |list: &[&Moving<'_>], gap: &dyn Fn(&Moving<'_>) -> f64| {
        list.iter().map(|s| gap(s)).enumerate().fold(None, |best: Option<(usize, f64)>, next| match best {
            Some(b) if b.1 >= next.1 => Some(b),
            _ => Some(next),
        })
    };
    let mut report =
        |list: &[&Moving<'_>], gap: &dyn Fn(&Moving<'_>) -> f64, what: (&str, &str), at_end: bool| {
            let Some((index, seconds)) = worst(list, gap) else { return };
            let channel = list[index].channel;
            let label = context.skeleton().label(channel.joint);
            let message = format!(
                "{} of {} {}, most of all the {} of '{label}': {seconds:.3} s",
                list.len(),
                counted(spans.len(), "moving channel", "moving channels"),
                either(list.len(), what.0, what.1),
                channel.target.name(),
            );
            let fix = "Give every moving channel keys from the start to the end of the clip.";
            let finding = Finding::new(Code::DeadTime, Severity::Info, message, fix).clip(clip);
            let mut finding = finding.joint(context.skeleton(), channel.joint);
            finding.subject.channel = Some(channel.source);
            let (from, to) = if at_end { (channel.track.end(), end) } else { (0.0, channel.track.start()) };
            out.push(finding.at(from).until(to).measured(seconds, limit, "s"));
        };
    report(
        &early,
        &|s| end - s.channel.track.end(),
        ("stops before the clip ends", "stop before the clip ends"),
        true,
    );
    report(
        &late,
        &|s| s.channel.track.start() - first,
        ("starts after the clip does", "start after the clip does"),
        false,
    );
}

/// A channel that changes, and when.
struct Moving<'a> {
    channel: &'a Channel,
    /// Last moment before it changes for the first time, seconds.
    from: f64,
    /// First moment after which it changes no more, seconds.
    to: f64,
    /// Still changing in its first interval.
    cut_at_start: bool,
    /// Still changing in its last interval.
    cut_at_end: bool,
}

impl<'a> Moving<'a> {
    /// `None` where the channel holds still.
    fn of(channel: &'a Channel, context: &Context<'_>) -> Option<Self> {
        let track = &channel.track;
        let last = track.len() - 1;
        let changes = |a: usize, b: usize| differs(channel, a, b, context);
        let cubic = track.interpolation() == Interpolation::CubicSpline;
        let moving = |k: usize| changes(k, k + 1) || (cubic && bends(channel, k));
        let first = (0..last).find(|&k| moving(k))?;
        let final_key = (0..last).rev().find(|&k| moving(k))? + 1;
        // A step holds its value up to the key.
        let step = track.interpolation() == Interpolation::Step;
        let from = track.times()[if step { first + 1 } else { first }];
        let to = track.times()[final_key];
        let cut_at_start = first == 0 && !step;
        Some(Self { channel, from, to, cut_at_start, cut_at_end: final_key == last && !step })
    }
}

/// Whether two keys of a channel differ by more than can be seen.
fn differs(channel: &Channel, a: usize, b: usize, context: &Context<'_>) -> bool {
    let (x, y) = (channel.track.key_value(a), channel.track.key_value(b));
    if x == y {
        return false;
    }
    let largest =
        |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from((x - y).abs())).fold(0.0, f64::max);
    match channel.target {
        ChannelTarget::Rotation => {
            let (p, q) = (channel.track.key_rotation(a), channel.track.key_rotation(b));
            DTransform::angle_between(p, q) > 1e-3
        }
        ChannelTarget::Translation => {
            // Joints below a scaled ancestor have their own units.
            let parent = context.skeleton().joint(channel.joint).parent;
            let scale = parent.map_or(1.0, |p| context.model.rest_ms[p.index()].x_axis.length());
            largest(x, y) * scale > 1e-4 * context.model.size_m
        }
        ChannelTarget::Scale | ChannelTarget::Weights => largest(x, y) > 1e-4,
    }
}

/// Whether a spline between two equal keys moves all the same.
fn bends(channel: &Channel, key: usize) -> bool {
    let (track, width) = (&channel.track, channel.track.width());
    let tangent = |key: usize, part: usize| {
        let at = (key * 3 + part) * width;
        track.values()[at..at + width].iter().any(|v| v.abs() > 1e-4)
    };
    tangent(key, 2) || tangent(key + 1, 0)
}
