//! Which clip a character is in.

use glam::{DVec2, DVec3};

use super::super::matching::MatchState;
use super::super::warp::Warping;
use super::motion_clip::MotionClip;
use super::set::LocomotionSet;
use super::slide::FootSlide;
use crate::{DTransform, LocalPose, Planting, Rig, Transition};

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
    pub(super) state: MatchState,
    pub(super) position: DVec2,
    pub(super) velocity: DVec2,
    /// Direction of travel (x, z), of length 1.
    pub(super) heading: DVec2,
    /// What of the mesh's offset is not along the heading, metres (x, z).
    pub(super) aside: DVec2,
    /// Yaw of the clip that plays, radians.
    pub(super) yaw: f64,
    /// The clip that a standing character is in is its stop, not its start.
    pub(super) stopped: bool,
    pub(super) transition: Transition,
    /// The last two poses before feet were planted.
    pub(super) shown: [LocalPose; 2],
    pub(super) target: [LocalPose; 2],
    pub(super) planting: Planting,
    pub(super) warping: Warping,
    /// `[leg]`
    pub(super) slides: Vec<FootSlide>,
    pub(super) stands: Vec<bool>,
    pub(super) model: Vec<DTransform>,
    /// `[leg][point]`, flat: world space, of this frame and the one before.
    pub(super) points: [Vec<DVec3>; 2],
    /// `[leg]`: where the clip alone has its end while another is being left, pose space.
    pub(super) feet: Vec<DVec3>,
    pub(super) frames: u64,
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
            state: MatchState::at_start(&set.clips.start.curve),
            position: DVec2::ZERO,
            velocity: DVec2::ZERO,
            heading: DVec2::Y,
            aside: DVec2::ZERO,
            yaw: set.clips.start.yaw(),
            stopped: false,
            transition: Transition::new(rig),
            shown: [rest(), rest()],
            target: [rest(), rest()],
            planting: Planting::new(&set.legs),
            warping: Warping::new(&set.legs),
            slides: vec![FootSlide::default(); legs.len()],
            stands: vec![false; legs.len()],
            model: vec![DTransform::IDENTITY; rig.len()],
            points: [vec![DVec3::ZERO; points], vec![DVec3::ZERO; points]],
            feet: vec![DVec3::ZERO; legs.len()],
            frames: 0,
        }
    }

    /// What it does.
    #[must_use]
    pub fn phase(&self) -> LocomotionPhase {
        self.phase
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
        &self.state
    }

    /// `[leg]`: how far the feet slid while they stood.
    #[must_use]
    pub fn slides(&self) -> &[FootSlide] {
        &self.slides
    }

    /// The clip that plays, and its place among start, cycle, stop and pivot.
    pub(super) fn clip<'a>(&self, set: &'a LocomotionSet) -> (&'a MotionClip, usize) {
        let clips = &set.clips;
        match (self.phase, &clips.pivot) {
            (LocomotionPhase::Standing, _) if self.stopped => (&clips.stop, 2),
            (LocomotionPhase::Standing | LocomotionPhase::Start, _) => (&clips.start, 0),
            (LocomotionPhase::Stop, _) => (&clips.stop, 2),
            (LocomotionPhase::TurnIn | LocomotionPhase::TurnOut, Some(pivot)) => (pivot, 3),
            (LocomotionPhase::Cycle | LocomotionPhase::TurnIn | LocomotionPhase::TurnOut, _) => {
                (&clips.cycle, 1)
            }
        }
    }
}
