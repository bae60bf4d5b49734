//! Actions: short authored motions of a body and a head over legs that keep their ground.
//!
//! Two ways to the same skeleton. An [`Action`] drives body and head by curves; [`ActionSolver`] makes a frame
//! of it over soles fixed in the world. A [`SequenceJob`] writes the tracks of a clip into one subtree, bound
//! by name ([`Binding`]). In both, joints outside the head's subtree come out as they went in.
//!
//! Everything here is in double precision, in sinew's axes and units; the axes of action assets are named at
//! [`ActionChannel`].

mod binding;
mod body;
mod channel;
mod clock;
mod euler;
mod four_segment;
mod frame_record;
mod hierarchy;
mod legs;
mod query;
mod readback;
mod record;
mod sequence;
mod solve;
mod solve_setup;
mod window;

pub use binding::{
    BindError, BindReport, BindRequest, Binding, NameMap, TrackBinding, TrackParts, Unbound, UnboundTrack,
};
pub use body::{
    BodyCurves, BodyTarget, ComposeError, FixedSoleBody, Side, StompBody, StompFoot, blend_scalar,
};
pub use channel::ActionChannel;
pub use clock::{ClockError, ClockSample, RecordingClock, StompClock};
pub use euler::{Euler, nlerp_short};
pub use four_segment::{FourSegmentLegs, LegRigError, SegmentedLeg};
pub use frame_record::{FailureCause, FrameFailure, FrameRecord, JointTurn, LegRecord};
pub use hierarchy::{HeadSubtree, HierarchyError, find_one, local_of, rebuild, walk_subtree};
pub use legs::{LegJoints, LegSolver, LegTask, LimitReading, PoseBefore, SecondAttempt, SolvedLeg};
pub use query::{CurveQuery, QueryOutcome, QueryTrace};
pub use readback::{Readback, ReadbackError, ReadbackJob};
pub use record::{
    Action, ActionError, ActionField, ActionRecord, ActionSet, ActionSettings, KeyDomain, PARAMETERIZATION,
};
pub use sequence::{
    AdditiveBase, Fallback, JointWrite, PartSource, Policy, SequenceError, SequenceJob, TrackMode,
};
pub use solve::{ActionSolver, Replay, StepError};
pub use solve_setup::{SetupError, SolveLimits, SolveSetup};
pub use window::{BlendMode, BlendWeight, BlendWindow, BlendWindows, WindowError};
