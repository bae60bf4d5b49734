//! Poses that keep pace with the ground: distance matching, and what bridges what it cannot match.
//!
//! A game moves a capsule and plays clips; feet slide where the two disagree. Distance matching picks the
//! moment of a clip by the distance travelled, or still to go, in place of the clock. It needs a curve of the
//! clip's own distance over time ([`DistanceCurve`]), in which every distance belongs to one moment. Curves
//! are baked from the signed path of the root, whose reversals go to the pelvis.
//!
//! ```
//! use sinew::{
//!     DistanceCurve, DistanceKind, MatchSettings, MatchState, SplitSettings, Travel, advance_by_distance,
//! };
//!
//! // A root that leans back by 4 cm before it goes a metre.
//! let (times, path) = ([0.0, 0.1, 0.2, 0.3, 0.4], [0.0, -0.04, 0.0, 0.4, 1.0]);
//! let settings = SplitSettings::default();
//! let curve = DistanceCurve::from_keys("distance", DistanceKind::Start, &times, &path, &settings)?;
//! // Every frame: how far the capsule went. The clip is sampled at `step.time`, the mesh stays
//! // `step.offset` behind the capsule, strides are scaled by `step.stride`: none of them needs smoothing.
//! let mut state = MatchState::at_start(&curve);
//! let travel = Travel { travelled: 0.02, dt: 1.0 / 60.0 };
//! let step = advance_by_distance(&curve, &MatchSettings::start(), &mut state, travel)?;
//! let parts = step.account;
//! assert!((parts.matched + parts.warped + parts.offset + parts.slid - 0.02).abs() < 1e-12);
//! assert!(step.time > 0.0 && step.time < 0.05 && step.account.slid == 0.0);
//! # Ok::<(), sinew::LocomotionError>(())
//! ```
//!
//! For one character all of it is in a [`LocomotionJob`]: which clip plays, at which moment, warped how, with feet that
//! stay where they stand, on level ground or not.
//!
//! [`mod@reference`] holds the methods in use elsewhere, failures included.

mod bake;
mod controller;
mod curve_names;
mod distance_curve;
mod error;
mod matching;
mod mover;
mod pchip;
mod predict;
pub mod reference;
mod settings;
mod split;
mod warp;

pub use bake::{
    DistanceBake, DistanceBakeJob, DistanceBakeSettings, DistanceMarker, DistanceTravel, FeetSettings,
    FeetTravel, FootStance, MarkerSettings, PERSON_HEIGHT, Reversal, RootPath, SignedPath, TimeMap,
    UnmarkedTurn, baked_root, remainder_to_pelvis, retime_start,
};
pub use controller::{
    FootSlide, LegReport, LocomotionClips, LocomotionController, LocomotionFrame, LocomotionJob,
    LocomotionPhase, LocomotionSet, LocomotionSettings, MotionClip, OwnSteps,
};
pub use curve_names::{DISTANCE_CURVE, REMAINDER, is_distance_curve};
pub use distance_curve::DistanceCurve;
pub use error::LocomotionError;
pub use matching::{
    Account, MatchState, MatchStatus, MatchStep, Travel, advance_by_distance, match_to_target,
    playrate_to_speed, set_up_matching,
};
pub use mover::{GroundMover, Mover};
pub use predict::{Prediction, predict_pivot, predict_stop, stop_closed_form, stop_parabola};
pub use settings::MatchSettings;
pub use split::{DistanceKind, SplitSettings};
pub use warp::{OrientationWarp, SlopeWarp, StrideWarp, WarpJob, WarpReport, WarpSettings, Warping};
