//! Which clip a character is in.

use glam::{DVec2, DVec3};

use super::super::error::LocomotionError;
use super::super::matching::MatchState;
use super::super::predict::Prediction;
use super::super::warp::Warping;
use super::feet::{ClipFeet, FootAt};
use super::footing::Footing;
use super::footpath::Footpath;
use super::frame::LocomotionFrame;
use super::motion_clip::MotionClip;
use super::own_steps::OwnSteps;
use super::set::LocomotionSet;
use super::slide::FootSlide;
use crate::{DTransform, IkError, IkStatus, LocalPose, Planting, Rig, Transition};

/// What a character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocomotionPhase {
    /// Stands, in the pose in which it came to stand.
    Standing,
    /// Gets up to speed.
    Start,
    /// Runs.
    Cycle,
    /// Comes to a stand.
    Stop,
    /// Slows down to turn round.
    TurnIn,
    /// Gets up to speed the other way.
    TurnOut,
}

/// The state of one character. Allocates when it is made, never after.
#[derive(Clone, Debug)]
pub struct LocomotionController {
    pub(super) phase: LocomotionPhase,
    /// Where it is in the clip that plays.
    pub(super) playhead: MatchState,
    pub(super) position: DVec2,
    pub(super) velocity: DVec2,
    /// How far it went in the last step, and what the game has moved it by since.
    pub(super) last_way: DVec2,
    pub(super) displaced: DVec2,
    /// Something holds it up.
    pub(super) blocked: bool,
    /// How far the ground under it has moved.
    pub(super) ground_moved: DVec2,
    /// Where it will stop or turn, where that was asked.
    pub(super) predicted: Option<Result<Prediction, LocomotionError>>,
    /// Direction of travel (x, z), of length 1.
    pub(super) heading: DVec2,
    /// What of the mesh's offset is not along the heading, metres (x, z).
    pub(super) aside: DVec2,
    /// Yaw of the clip that plays, radians.
    pub(super) yaw: f64,
    /// How far the legs are turned against the rest, radians.
    pub(super) aside_angle: f64,
    /// Which of the clips for this it is.
    pub(super) which: usize,
    /// The clip that a standing character is in is its stop, not its start.
    pub(super) stopped: bool,
    /// Seconds within the idle clip.
    pub(super) idle: f64,
    pub(super) transition: Transition,
    /// The last two poses before feet were planted.
    pub(super) shown: [LocalPose; 2],
    pub(super) target: [LocalPose; 2],
    pub(super) planting: Planting,
    pub(super) warping: Warping,
    /// `[leg]`
    pub(super) slides: Vec<FootSlide>,
    pub(super) own_steps: Vec<OwnSteps>,
    pub(super) footings: Vec<Footing>,
    /// What came of bringing each leg where it goes, in the last step.
    pub(super) legs: Vec<Result<IkStatus, IkError>>,
    pub(super) stands: Vec<bool>,
    /// `[leg]`: as shown in the last frame.
    pub(super) feet: Vec<FootAt>,
    pub(super) model: Vec<DTransform>,
    /// The ground under the capsule.
    pub(super) path: Footpath,
    /// `[leg]`: where the foot goes, model space.
    pub(super) goals: Vec<DTransform>,
    /// `[leg][point]`, flat: world space, of this frame and the one before.
    pub(super) points: [Vec<DVec3>; 2],
    /// `[leg][point]`, flat: above the ground, of this frame and the one before.
    pub(super) heights: [Vec<f64>; 2],
    /// Where the pose was in the last frame and the one before.
    pub(super) placements: [DTransform; 2],
    pub(super) frames: u64,
    /// What the last frame came to.
    pub(super) last: Option<LocomotionFrame>,
}

impl LocomotionController {
    /// Stands at the origin and looks along +Z.
    #[must_use]
    pub fn new(rig: &Rig, set: &LocomotionSet) -> Self {
        let rest = || LocalPose::rest(rig);
        let legs = set.legs.legs();
        let points: usize = legs.iter().map(|leg| leg.contacts.len()).sum();
        Self {
            phase: LocomotionPhase::Standing,
            playhead: MatchState::at_start(&set.clips.starts[0].curve),
            position: DVec2::ZERO,
            velocity: DVec2::ZERO,
            last_way: DVec2::ZERO,
            displaced: DVec2::ZERO,
            blocked: false,
            ground_moved: DVec2::ZERO,
            predicted: None,
            heading: DVec2::Y,
            aside: DVec2::ZERO,
            yaw: set.clips.starts[0].yaw(),
            aside_angle: 0.0,
            which: 0,
            stopped: false,
            idle: 0.0,
            transition: Transition::new(rig),
            shown: [rest(), rest()],
            target: [rest(), rest()],
            planting: Planting::new(&set.legs),
            warping: Warping::new(&set.legs),
            slides: vec![FootSlide::default(); legs.len()],
            own_steps: vec![OwnSteps::default(); legs.len()],
            footings: vec![Footing::default(); legs.len()],
            legs: vec![Ok(IkStatus::Reached); legs.len()],
            stands: vec![false; legs.len()],
            feet: vec![FootAt::default(); legs.len()],
            model: vec![DTransform::IDENTITY; rig.len()],
            path: Footpath::default(),
            goals: vec![DTransform::IDENTITY; legs.len()],
            points: [vec![DVec3::ZERO; points], vec![DVec3::ZERO; points]],
            // Nowhere near the ground before the first frame.
            heights: [vec![f64::INFINITY; points], vec![f64::INFINITY; points]],
            placements: [DTransform::IDENTITY; 2],
            frames: 0,
            last: None,
        }
    }

    /// Stands at a place (x, z) and looks along a direction (x, z) of any length; along +Z where that has none.
    #[must_use]
    pub fn at(rig: &Rig, set: &LocomotionSet, position: DVec2, direction: DVec2) -> Self {
        Self { position, heading: direction.try_normalize().unwrap_or(DVec2::Y), ..Self::new(rig, set) }
    }

    /// What it does.
    #[must_use]
    pub fn phase(&self) -> LocomotionPhase {
        self.phase
    }

    /// Which of the clips for what it does plays, from 0 in the set's order.
    #[must_use]
    pub fn which_clip(&self) -> usize {
        self.which
    }

    /// Where its capsule is, metres (x, z).
    #[must_use]
    pub fn position(&self) -> DVec2 {
        self.position
    }

    /// How fast, metres a second (x, z).
    #[must_use]
    pub fn velocity(&self) -> DVec2 {
        self.velocity
    }

    /// Where it is in its clip.
    #[must_use]
    pub fn matching(&self) -> &MatchState {
        &self.playhead
    }

    /// `[leg]`: how far the feet slid while they stood.
    #[must_use]
    pub fn slides(&self) -> &[FootSlide] {
        &self.slides
    }

    /// `[leg]`: steps that the feet took and no clip has.
    #[must_use]
    pub fn own_steps(&self) -> &[OwnSteps] {
        &self.own_steps
    }

    /// `[leg]`: whether it got where it should be in the last frame, by warping, leading and planting.
    pub fn legs(&self) -> &[Result<IkStatus, IkError>] {
        &self.legs
    }

    /// The clip that plays, and its feet. An idle clip has no distance, and is not meant.
    pub(super) fn clip<'a>(&self, set: &'a LocomotionSet) -> (&'a MotionClip, &'a ClipFeet) {
        use LocomotionPhase as Phase;
        let (clips, feet, which) = (&set.clips, &set.feet, self.which);
        match self.phase {
            Phase::Stop => (&clips.stops[which], &feet.stops[which]),
            Phase::Standing if self.stopped => (&clips.stops[which], &feet.stops[which]),
            Phase::Standing | Phase::Start => (&clips.starts[which], &feet.starts[which]),
            Phase::TurnIn | Phase::TurnOut => (&clips.pivots[which], &feet.pivots[which]),
            Phase::Cycle => (&clips.cycle, &feet.cycle),
        }
    }
}
