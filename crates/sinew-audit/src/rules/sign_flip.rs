//! `SINEW_SIGN_FLIP`: neighbouring rotation keys of opposite sign.

use glam::DQuat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{ChannelTarget, DTransform, Interpolation, Track};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::SignFlip,
    severity: Severity::Info,
    title: "rotation keys that change sign between neighbours",
    reason: "q and -q are the same rotation, but the way from one key to the next is not. LINEAR takes the \
             short way by definition; players and compressors that forget it spin the joint almost all the \
             way round between two keys. CUBICSPLINE has no such rule: there the long way is what the file \
             says.",
    method: "The dot product of neighbouring keys. LINEAR: info, with the angle that a forgetful player would \
             turn. CUBICSPLINE: error where the spline turns further than the short way by more than the \
             limit, with the angle it really turns. STEP is not interpolated; joints that nothing seen hangs on \
             are left out.",
    example: "error SINEW_SIGN_FLIP 'Arm' turns 331.2 degrees between keys 4 and 5 (0.500 to 0.600 s), the \
              short way is 28.8; 1 sign flip in a CUBICSPLINE track",
    fix: "Negate every key (CUBICSPLINE: with its tangents) whose dot product with the key before it is \
          negative, from the first to the last.",
    section: Some("sign-flip"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// Bounds on the way between keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SignFlipLimits {
    /// How much further than the short way a CUBICSPLINE may turn between two keys.
    #[schemars(extend("unit" = "deg"))]
    pub detour_deg: f64,
}

impl Default for SignFlipLimits {
    fn default() -> Self {
        Self { detour_deg: 20.0 }
    }
}

/// Sign flips of a track.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SignFlips {
    /// Neighbouring keys of negative dot product.
    pub count: usize,
    /// First key of the pair that turns furthest.
    pub key: usize,
    /// Radians turned there: LINEAR by a player that does not take the short way, CUBICSPLINE by the spline.
    pub turned: f64,
    /// Radians of the short way there.
    pub short_way: f64,
}

/// Counts sign flips between the keys of a track of four numbers. None in a STEP track.
#[must_use]
pub fn sign_flips(track: &Track) -> SignFlips {
    let mut flips = SignFlips::default();
    if track.interpolation() == Interpolation::Step || track.len() < 2 {
        return flips;
    }
    let mut here = track.key_rotation(0);
    for key in 0..track.len() - 1 {
        let next = track.key_rotation(key + 1);
        if here.dot(next) < 0.0 {
            flips.count += 1;
            let short_way = DTransform::angle_between(here, next);
            let turned = match track.interpolation() {
                Interpolation::CubicSpline => spline_turn(track, key),
                _ => core::f64::consts::TAU - short_way,
            };
            if turned > flips.turned {
                (flips.key, flips.turned, flips.short_way) = (key, turned, short_way);
            }
        }
        here = next;
    }
    flips
}

/// Angle that a spline turns between a key and the next, radians.
fn spline_turn(track: &Track, key: usize) -> f64 {
    const STEPS: usize = 64;
    let (t0, t1) = (track.times()[key], track.times()[key + 1]);
    let at = |step: usize| track.sample_rotation(t0 + (t1 - t0) * step as f64 / STEPS as f64);
    let mut here: DQuat = at(0);
    let mut turned = 0.0;
    for step in 1..=STEPS {
        let next = at(step);
        turned += DTransform::angle_between(here, next);
        here = next;
    }
    turned
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, _: &mut ClipFacts, out: &mut Collector<'_>) {
    if !out.wants(Code::SignFlip) {
        return;
    }
    let skeleton = context.skeleton();
    let rotations = motion.clip.channels.iter().filter(|c| c.target == ChannelTarget::Rotation);
    for channel in rotations.filter(|c| context.model.visible[c.joint.index()]) {
        let flips = sign_flips(&channel.track);
        if flips.count == 0 {
            continue;
        }
        let label = skeleton.label(channel.joint);
        let SignFlips { count, key, turned, short_way } = flips;
        let (turned, short_way) = (turned.to_degrees(), short_way.to_degrees());
        let (t0, t1) = (channel.track.times()[key], channel.track.times()[key + 1]);
        let between = format!("between keys {key} and {} ({t0:.3} to {t1:.3} s)", key + 1);
        let flips_text = format!("{count} sign flip{}", if count == 1 { "" } else { "s" });
        let cubic = channel.track.interpolation() == Interpolation::CubicSpline;
        let limit = context.limits.sign_flip.detour_deg;
        let (severity, message) = if cubic {
            let message = format!(
                "'{label}' turns {turned:.1} degrees {between}, the short way is {short_way:.1}; {flips_text} \
                 in a CUBICSPLINE track"
            );
            (if turned - short_way > limit { Severity::Error } else { Severity::Info }, message)
        } else {
            let message = format!(
                "{flips_text} between neighbouring rotation keys of '{label}'; a player that does not take the \
                 short way turns {turned:.1} degrees instead of {short_way:.1} {between}"
            );
            (Severity::Info, message)
        };
        let finding = Finding::new(Code::SignFlip, severity, message, RULE.fix).clip(motion.clip);
        let finding = finding.joint(skeleton, channel.joint).key(channel.source, key).at(t0).until(t1);
        out.push(finding.measured(turned, if cubic { short_way + limit } else { 180.0 }, "deg"));
    }
}
