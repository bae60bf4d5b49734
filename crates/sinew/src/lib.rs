//! Character animation: skeletons, clips, exact sampling, blending, root motion, events and skinning.
//!
//! This crate has no files, no entity system, no physics and no threads of its own. `sinew-asset` reads
//! characters into its types; everything here works on plain values that a game, a tool or a test can build
//! by hand.
//!
//! ```
//! use sinew::{DTransform, Joint, RawClip, RawPose, Skeleton, model_matrices};
//!
//! let skeleton = Skeleton::new(vec![Joint::new("root", None, DTransform::IDENTITY)], vec![])?;
//! let clip = RawClip::default();
//! let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
//! clip.sample(&skeleton, 0.5, &mut pose);
//! model_matrices(&skeleton, &pose, &mut model_ms);
//! assert_eq!(model_ms.len(), 1);
//! # Ok::<(), sinew::SkeletonError>(())
//! ```
//!
//! # Conventions
//! Metres, seconds, radians; glTF axes (right-handed, +Y up, +Z forward); quaternions XYZW. Names end in
//! `_ls` for parent-local, `_ms` for model and `_ws` for world space. Arrays say their shape: `[frame][joint]`.
//!
//! Types named `Raw*` and `D*` are for authoring and checking: keys as stored in a file, evaluated in double
//! precision straight from the glTF 2.0 text.

mod accumulate;
pub mod action;
mod basis;
mod blend;
mod clip;
mod curve;
mod difference;
mod event;
pub mod frame;
mod ik;
mod joint_mask;
mod local_pose;
pub mod locomotion;
mod mesh;
mod model;
mod plant;
mod play;
mod pose_blend;
mod pose_group;
mod raw_clip;
mod raw_pose;
mod retime;
mod rig;
mod root_motion;
mod skeleton;
mod skin;
mod subtree;
mod track;
mod transform;
mod transition;
mod wide;

pub use basis::{Basis, BasisError};
pub use blend::{AdditiveJob, BlendError, BlendJob, BlendLayer};
pub use clip::{
    Clip, ClipBuildError, ClipBuilder, ClipDataError, ClipLayer, ClipReport, CrowdError, CrowdJob,
    CrowdScratch, EvaluateError, EvaluateJob, EvaluatePart, EvaluateScratch, MAX_CLIP_LAYERS, SampleError,
    SampleJob, StoredClipError,
};
pub use curve::{Curve, CurvePlace};
pub use difference::{
    ClipDifference, DifferenceJob, PoseDifferenceError, PoseDifferenceJob, SampleRange, Space, Worst,
};
pub use event::{Event, EventError, EventTrack, Fired, Playback};
pub use ik::{
    AimGroup, AimGroupJob, AimJob, AimLimits, AimSolution, BendPlane, Capsule, ChainGroup, ChainGroupJob,
    ChainJob, ChainLanes, ChainLink, ChainSolution, Closest, IkError, IkStatus, JointLimit, LaneStatus,
    LegFault, LegGeometry, LegGroup, LegGroupJob, LegJob, LegLanes, LegLimits, LegPose, LegSearch,
    LegSolution, LegTarget, LimitLanes, LimitMargin, LimitPart, LimitRange, Residual, Turn, TwoBoneGroup,
    TwoBoneGroupJob, TwoBoneJob, TwoBoneLimb, TwoBoneRotations, TwoBoneSolution, closest_pair,
    largest_residual, largest_turn, segment_distance, solve_leg_at,
};
pub use joint_mask::{JointMask, MaskError};
pub use local_pose::{LocalPose, Transform};
pub use locomotion::{
    Account, DISTANCE_CURVE, DistanceBake, DistanceBakeJob, DistanceBakeSettings, DistanceCurve,
    DistanceKind, DistanceMarker, DistanceTravel, FeetSettings, FeetTravel, FootSlide, FootStance,
    GroundMover, LegReport, LocomotionClips, LocomotionController, LocomotionError, LocomotionFrame,
    LocomotionJob, LocomotionPhase, LocomotionSet, LocomotionSettings, MarkerSettings, MatchSettings,
    MatchState, MatchStatus, MatchStep, MotionClip, Mover, OrientationWarp, OwnSteps, Prediction, Reversal,
    RootPath, SignedPath, SlopeWarp, SplitSettings, StrideWarp, TimeMap, Travel, UnmarkedTurn, WarpJob,
    WarpReport, WarpSettings, Warping, advance_by_distance, baked_root, is_distance_curve, match_to_target,
    playrate_to_speed, predict_pivot, predict_stop, remainder_to_pelvis, retime_start, set_up_matching,
    stop_closed_form, stop_parabola,
};
pub use mesh::{Influences, Mesh, MorphTarget, Primitive};
pub use model::{
    AffineRows, BindError, BindJoint, BoxedJoint, BoxedPaletteJob, CompactJoint, CompactPaletteJob,
    GatherLanesJob, LaneModel, LanePaletteJob, LanePose, LaneRows, ModelError, ModelJob, ModelLanesJob,
    ModelPairJob, ModelPose, PackStatus, PaletteBox, PaletteJob, RIGID_TOLERANCE, ScatterLanesJob,
    SkinBinding,
};
pub use plant::{
    FlatGround, FootMotion, Ground, GroundHit, HeightField, HeightFieldError, PlantContact, PlantError,
    PlantJob, PlantLeg, PlantRig, PlantSettings, PlantedFoot, Planting, StanceRule, StanceTracker,
};
pub use play::{
    BlendRange, BlendSample1D, BlendSample2D, BlendSpace1D, BlendSpace2D, BlendSpaceError, ClipWeight,
    ClipWeights, MAX_BLENDED, PlayError, PlayRate, PlayStatus, PlayStep, Playhead, SyncError, SyncGroup,
    SyncMarker, SyncPlayhead, SyncStep, SyncTrack,
};
pub use pose_blend::{BlendPose, LayerMode, MAX_OVERRIDE_LAYERS, PoseBlendError, PoseBlendJob, PoseLayer};
pub use pose_group::{PoseGroup, ScaleGroup};
pub use raw_clip::{Channel, ChannelTarget, ClipError, RawClip};
pub use raw_pose::{RawPose, model_matrices};
pub use retime::{RetimeError, resample, trim, uniform_times};
pub use rig::{Rig, RigError, SHELL, Slot};
pub use root_motion::{RootMotion, RootMotionError};
pub use skeleton::{Joint, JointFlags, JointId, Skeleton, SkeletonError};
pub use skin::{Binding, Skin, SkinError, SkinJob, WeightMode};
pub use subtree::{Subtree, SubtreeError, SubtreeJob, SubtreeSource};
pub use track::{Bracket, Interpolation, Track, TrackError, slerp_short};
pub use transform::DTransform;
pub use transition::{
    MAX_TRANSITION, Overshoot, Transition, TransitionError, TransitionJob, TransitionMethod,
    TransitionSettings, TransitionStart, TransitionStatus,
};
pub use wide::Backend;
