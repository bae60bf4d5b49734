//! Says in numbers what is wrong with an animated character.
//!
//! [`audit`] looks at a file as `sinew-asset` has read it and returns an [`AuditReport`]: facts, findings and
//! the curves they rest on. Every finding has a stable [`Code`], a number with its limit and unit, the exact
//! place, and what can be done about it. The rules are listed in [`RULES`] and, for people, in
//! `docs/RULES.md`; what counts as too much is set in `sinew.toml` ([`Limits`]).
//!
//! ```
//! use sinew_audit::{Limits, audit};
//!
//! let loaded = sinew_asset::Loaded::default();
//! let limits = Limits::from_toml("[audit.foot-slide]\nslide-mm = 5.0")?;
//! let report = audit(&loaded, &limits);
//! assert!(!report.fails(&limits));
//! # Ok::<(), sinew_audit::LimitsError>(())
//! ```
//!
//! Nothing here reads files or keeps state. The same file and limits give the same report, bit for bit.

mod audit;
mod code;
mod collect;
mod context;
mod distance;
mod docs;
mod feet;
mod finding;
mod limits;
mod model;
mod motion;
mod names;
mod pattern;
pub mod plot;
mod report;
mod rules;
mod shown;
mod stance;
mod wording;

pub use audit::audit;
pub use code::{Code, Severity};
pub use docs::rules_markdown;
pub use feet::{Contact, Foot, FoundBy};
pub use finding::{Finding, Subject};
pub use limits::{Fail, Ignore, Level, Limits, LimitsError, ListLimits};
pub use report::{AuditReport, ClipFacts, Closure, Counts, FileFacts, TravelFacts};
pub use rules::{
    AncestorScaleLimits, Axis, DeadTimeLimits, DistanceRangeLimits, DistanceReversalLimits,
    DistanceRootLimits, DistanceSpeedLimits, DistanceTimingLimits, FootSlideLimits, Limb, LimitedJoint,
    LoopSeamLimits, PlantedSole, PoseLimits, RULES, RotationLength, RotationLengthLimits, Rule,
    SignFlipLimits, SignFlips, Swing, SwingLimits, ValueLimits, WeightsLimits, rotation_length, sign_flips,
    swings,
};
pub use stance::{FeetMotion, FootMotion, Stance, feet_motion, find_feet, slide_between, stances};
