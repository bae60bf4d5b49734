//! What a frame of a character came to.

use glam::DVec2;

use super::super::error::LocomotionError;
use super::super::matching::{Account, MatchStep};
use super::super::predict::Prediction;
use super::own_steps::OwnSteps;
use super::phase::LocomotionPhase;
use super::slide::FootSlide;
use crate::{DTransform, IkError, IkStatus};

/// What a frame came to.
#[derive(Clone, Debug, PartialEq)]
pub struct LocomotionFrame {
    /// What the character does.
    pub phase: LocomotionPhase,
    /// Where the pose is in the world: on the ground under the capsule, less the mesh's offset. Its axes are the
    /// world's.
    pub placement: DTransform,
    /// The last step of the clip that plays.
    pub step: MatchStep,
    /// Where the metres of the frame went, over both clips where one took over from another, and over all steps of a
    /// frame that is long.
    pub account: Account,
    /// Whether a clip took over.
    pub switched: bool,
    /// Steps that the frame was taken in; none of a paused game.
    pub steps: u32,
    /// Where the mover was found to stop or to turn, from the end of the last step; `None` where nothing asks for it. On
    /// an error no stop and no turn begins, and one that plays gives way to the loop.
    pub predicted: Option<Result<Prediction, LocomotionError>>,
    /// What the game has moved the character by itself since the frame before
    /// ([`LocomotionController::moved_to`](super::LocomotionController::moved_to)), metres (x, z). What of it is along the
    /// way is in the account.
    pub displaced: DVec2,
    /// What of that is across the way, and more than the mesh's offset may take up, metres: the mesh was moved by so much
    /// at once.
    pub slid_aside: f64,
    /// How far the feet have slid up to now, all legs together; [`LocomotionController::slides`] has each.
    ///
    /// [`LocomotionController::slides`]: super::LocomotionController::slides
    pub slide: FootSlide,
    /// Steps that the feet have taken up to now which no clip has; [`LocomotionController::own_steps`] has each.
    ///
    /// [`LocomotionController::own_steps`]: super::LocomotionController::own_steps
    pub own_steps: OwnSteps,
    /// Legs that are not where they should be.
    pub legs: LegReport,
}

/// Legs that warping, leading or planting could not bring where they should be, in one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LegReport {
    /// Legs that were left as the clip has them.
    pub failed: u32,
    /// The first of these, counted from 0, and why.
    pub first: Option<(usize, IkError)>,
    /// Legs that were bent as far as they go and fall short.
    pub unreached: u32,
}

impl LegReport {
    pub(super) fn of(legs: &[Result<IkStatus, IkError>]) -> Self {
        let mut report = Self::default();
        for (leg, status) in legs.iter().enumerate() {
            match status {
                Ok(status) => report.unreached += u32::from(!status.is_reached()),
                Err(error) => {
                    report.failed += 1;
                    report.first.get_or_insert((leg, *error));
                }
            }
        }
        report
    }
}

/// The worse of what came of a leg twice.
pub(super) fn worse(leg: &mut Result<IkStatus, IkError>, status: Result<IkStatus, IkError>) {
    let is_worse = match (*leg, status) {
        (Err(_), _) => false,
        (Ok(_), Err(_)) => true,
        (Ok(before), Ok(now)) => before.is_reached() && !now.is_reached(),
    };
    if is_worse {
        *leg = status;
    }
}
