//! The rules, one file each.

mod ancestor_scale;
mod dead_time;
mod distance_order;
mod distance_range;
mod distance_reversal;
mod distance_root;
mod distance_speed;
mod distance_storage;
mod distance_timing;
mod duplicate_name;
mod file;
mod foot_slide;
mod key_count;
mod key_times;
mod loop_seam;
mod pose_limit;
mod rotation_length;
mod sign_flip;
mod swing;
mod unbound;
mod value;
mod weights;

pub use ancestor_scale::AncestorScaleLimits;
pub use dead_time::DeadTimeLimits;
pub use distance_range::DistanceRangeLimits;
pub use distance_reversal::DistanceReversalLimits;
pub use distance_root::DistanceRootLimits;
pub use distance_speed::DistanceSpeedLimits;
pub use distance_timing::DistanceTimingLimits;
pub use foot_slide::FootSlideLimits;
pub use loop_seam::LoopSeamLimits;
pub use pose_limit::{Axis, Limb, LimitedJoint, PlantedSole, PoseLimits};
pub use rotation_length::{RotationLength, RotationLengthLimits, rotation_length};
pub use sign_flip::{SignFlipLimits, SignFlips, sign_flips};
pub use swing::{Swing, SwingLimits, swings};
pub use value::ValueLimits;
pub use weights::WeightsLimits;

pub(crate) use dead_time::fold as fold_first_keys;
pub(crate) use loop_seam::Seam;

use crate::collect::Collector;
use crate::context::Context;
use crate::motion::Motion;
use crate::report::ClipFacts;
use crate::{Code, Severity};

/// One rule of the audit.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its code.
    pub code: Code,
    /// Severity of its findings where nothing makes them better or worse.
    pub severity: Severity,
    /// What it finds, in a few words.
    pub title: &'static str,
    /// Why it matters.
    pub reason: &'static str,
    /// How it measures, and when it keeps quiet.
    pub method: &'static str,
    /// A finding as it is printed.
    pub example: &'static str,
    /// What to do about it.
    pub fix: &'static str,
    /// Section of `sinew.toml` under `audit`, where it has limits.
    pub section: Option<&'static str>,
    /// Looks at the file as a whole.
    check_file: Option<fn(&Context<'_>, &mut Collector<'_>)>,
    /// Looks at one clip.
    check_clip: Option<fn(&Context<'_>, &Motion<'_>, &mut ClipFacts, &mut Collector<'_>)>,
}

impl core::fmt::Debug for Rule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Rule").field("code", &self.code).finish_non_exhaustive()
    }
}

/// Every rule, in the order of [`Code::ALL`].
pub const RULES: [Rule; 22] = [
    value::RULE,
    key_times::RULE,
    key_count::RULE,
    rotation_length::RULE,
    sign_flip::RULE,
    dead_time::RULE,
    loop_seam::RULE,
    weights::RULE,
    unbound::RULE,
    duplicate_name::RULE,
    foot_slide::RULE,
    swing::RULE,
    pose_limit::RULE,
    distance_order::RULE,
    distance_storage::RULE,
    distance_range::RULE,
    distance_speed::RULE,
    distance_timing::RULE,
    distance_reversal::RULE,
    distance_root::RULE,
    ancestor_scale::RULE,
    file::RULE,
];

/// Runs what a rule has to say about the file as a whole.
pub(crate) fn check_file(context: &Context<'_>, out: &mut Collector<'_>) {
    for rule in &RULES {
        if let Some(check) = rule.check_file.filter(|_| out.wants(rule.code)) {
            check(context, out);
        }
    }
}

/// Runs what rules have to say about one clip; they also fill in its facts.
pub(crate) fn check_clip(
    context: &Context<'_>,
    motion: &Motion<'_>,
    facts: &mut ClipFacts,
    out: &mut Collector<'_>,
) {
    for rule in &RULES {
        if let Some(check) = rule.check_clip {
            check(context, motion, facts, out);
        }
    }
}
