//! One frame of a character that moves.

use glam::{DQuat, DVec2, DVec3};

use super::super::error::{LocomotionError, in_range};
use super::super::matching::{
    Account, MatchState, MatchStatus, MatchStep, Travel, advance_by_distance, match_to_target,
    playrate_to_speed,
};
use super::super::mover::Mover;
use super::super::predict::{predict_along, predict_stop};
use super::phase::{LocomotionController, LocomotionPhase};
use super::set::LocomotionSet;
use super::slide::FootSlide;
use crate::{DTransform, Ground, LocalPose, Rig};

/// Shortest step, seconds.
const LEAST_DT: f64 = 1e-4;

/// Moves a character and poses it: the mover says where the capsule goes, the clip's moment follows the
/// distance, feet that stand are held.
#[expect(missing_debug_implementations, reason = "a game's mover and ground need not be shown")]
pub struct LocomotionJob<'a> {
    /// The hierarchy.
    pub rig: &'a Rig,
    /// Clips, legs, settings.
    pub set: &'a LocomotionSet,
    /// What moves the capsule.
    pub mover: &'a dyn Mover,
    /// What the capsule and its feet go over. Slopes bend the legs and tilt the feet; what is left, bumps and steps, is
    /// up to planting.
    pub ground: &'a dyn Ground,
    /// The stick (x, z), of length 0 to 1.
    pub input: DVec2,
    /// Where the character looks (x, z), of any length above 0: its legs go the way the capsule goes, at most a
    /// right angle aside, and the rest of it looks there. `None` looks ahead.
    pub facing: Option<DVec2>,
    /// Seconds since the last frame, 0.0001 to 1; 0 in a game that is paused: nothing changes then, the pose included.
    pub dt: f64,
    /// The character.
    pub state: &'a mut LocomotionController,
    /// Where the pose goes.
    pub pose: &'a mut LocalPose,
}

/// What a frame came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocomotionFrame {
    /// What the character does.
    pub phase: LocomotionPhase,
    /// Where the pose is in the world: on the ground under the capsule, less the mesh's offset. Its axes are the
    /// world's.
    pub placement: DTransform,
    /// The last step of the clip that plays.
    pub step: MatchStep,
    /// Where the metres of the frame went, over both clips where one took over from another.
    pub account: Account,
    /// Whether a clip took over.
    pub switched: bool,
    /// How far the feet have slid up to now, all legs together; [`LocomotionController::slides`] has each.
    pub slide: FootSlide,
}

impl LocomotionJob<'_> {
    /// Moves the character on. Allocates nothing.
    ///
    /// # Errors
    /// [`LocomotionError`] where a number is not right or rig, set, state and pose do not belong together.
    pub fn run(&mut self) -> Result<LocomotionFrame, LocomotionError> {
        self.check()?;
        if self.dt == 0.0
            && let Some(last) = self.state.last
        {
            let (account, status) = (Account::default(), MatchStatus::NoTime);
            let step = MatchStep { account, status, wraps: 0, ..last.step };
            return Ok(LocomotionFrame { step, account, switched: false, ..last });
        }
        // The first frame has nothing to show yet.
        self.dt = self.dt.max(LEAST_DT);
        let velocity = self.mover.step(self.state.velocity, self.input, self.dt);
        in_range("the mover's speed", velocity.length(), 0.0, 1e4, "0 to 1e4")?;
        self.state.velocity = velocity;
        self.state.position += velocity * self.dt;
        let behind = self.state.heading * self.state.state.offset() + self.state.aside;
        let mut switched = self.decide();
        // The offset is along the heading: what a new heading would make of it must not be seen.
        let left = behind - self.state.heading * self.state.state.offset();
        self.state.aside = left * libm::exp2(-self.dt / self.set.settings.start.offset_half_life);
        let (mut step, mut account, left) = self.advance()?;
        if let Some(seconds) = left {
            let (feet, which) = (&self.set.feet, self.state.which);
            let turned = self.state.phase == LocomotionPhase::TurnOut;
            let entry = if turned { feet.after_pivot[which] } else { feet.after_start[which] };
            let cycle = &self.set.clips.cycle.curve;
            self.begin(LocomotionPhase::Cycle, 0, MatchState::at(cycle, entry));
            let limits = &self.set.settings.cycle;
            step = playrate_to_speed(
                cycle,
                limits,
                &mut self.state.state,
                Travel { travelled: account.handed_on, dt: seconds },
            )?;
            account = sum(&account, &step.account);
            switched = true;
        }
        let before = self.state.yaw;
        self.state.yaw = self.clip_yaw();
        self.state.aside_angle = self.aside_angle();
        let offset = self.state.heading * step.offset;
        let at = self.state.position - offset - self.state.aside;
        let plant = &self.set.settings.plant;
        // Two steps of a lock: as far as feet are from each other.
        let reach = 2.0 * plant.most_offset;
        self.state.path.follow(self.ground, at, reach, plant.settle, self.dt);
        let at = DVec3::new(at.x, self.state.path.height, at.y);
        let placement = DTransform::from_rotation_translation(DQuat::IDENTITY, at);
        // Another clip may face another way by itself.
        let turned = if switched { 0.0 } else { self.state.yaw - before };
        self.show(&step, placement, switched, turned)?;
        self.state.frames += 1;
        let slide = self.state.slides.iter().fold(FootSlide::default(), |all, one| one.and(&all));
        let frame = LocomotionFrame { phase: self.state.phase, placement, step, account, switched, slide };
        self.state.last = Some(frame);
        Ok(frame)
    }

    /// The step of the clip that plays; the seconds left where the loop is to follow.
    fn advance(&mut self) -> Result<(MatchStep, Account, Option<f64>), LocomotionError> {
        use LocomotionPhase as Phase;
        let Self { set, mover, input, dt, .. } = *self;
        let (velocity, settings) = (self.state.velocity, &set.settings);
        let travelled = velocity.length() * dt;
        let (clip, _) = self.state.clip(set);
        let curve = &clip.curve;
        let state = &mut self.state.state;
        let step = match self.state.phase {
            Phase::Standing if self.state.stopped => {
                match_to_target(curve, &settings.stop, state, 0.0, Travel { travelled, dt })?
            }
            Phase::Standing | Phase::Start | Phase::TurnOut => {
                advance_by_distance(curve, &settings.start, state, Travel { travelled, dt })?
            }
            Phase::Cycle => playrate_to_speed(curve, &settings.cycle, state, Travel { travelled, dt })?,
            Phase::Stop => {
                let left = predict_stop(mover, velocity, dt).map_or(f64::INFINITY, |p| p.distance);
                let left = left.min(-curve.distances()[0]);
                match_to_target(curve, &settings.stop, state, left, Travel { travelled, dt })?
            }
            Phase::TurnIn => {
                let left = predict_along(mover, velocity, input, self.state.heading, dt)
                    .map_or(f64::INFINITY, |p| p.distance);
                let left = left.min(-curve.distances()[0]);
                let along = velocity.dot(self.state.heading) * dt;
                match_to_target(curve, &settings.stop, state, left, Travel { travelled: along, dt })?
            }
        };
        let left = match step.status {
            MatchStatus::Exhausted { seconds } => Some(seconds),
            _ => None,
        };
        if left.is_some() && self.state.phase == Phase::Stop && velocity == DVec2::ZERO {
            (self.state.phase, self.state.stopped) = (Phase::Standing, true);
        }
        let goes_on = matches!(self.state.phase, Phase::Start | Phase::TurnOut);
        let (mut account, left) = (step.account, left.filter(|_| goes_on));
        if left.is_none() {
            // No clip takes over: the pose has nothing for these metres.
            let nobody = core::mem::take(&mut account.handed_on);
            account.travelled += nobody;
            account.slid += nobody;
        }
        Ok((step, account, left))
    }

    /// By how much the legs go another way than the character looks, radians.
    fn aside_angle(&self) -> f64 {
        let Some(facing) = self.facing else { return 0.0 };
        let heading = self.state.heading;
        let half = core::f64::consts::FRAC_PI_2;
        // From where it looks to where it goes, left about +Y.
        libm::atan2(heading.x * facing.y - heading.y * facing.x, heading.dot(facing)).clamp(-half, half)
    }

    fn check(&self) -> Result<(), LocomotionError> {
        if self.dt != 0.0 {
            in_range("the step in seconds", self.dt, LEAST_DT, 1.0, "0, or 0.0001 to 1")?;
        }
        in_range("the stick in x", self.input.x, -1e3, 1e3, "-1000 to 1000")?;
        in_range("the stick in z", self.input.y, -1e3, 1e3, "-1000 to 1000")?;
        if let Some(facing) = self.facing {
            in_range("the length of where it looks", facing.length(), 1e-6, 1e6, "1e-6 to 1e6")?;
        }
        let expected = self.set.joints;
        for (what, found) in [
            ("joints of the rig", self.rig.len()),
            ("joints of the pose", self.pose.len()),
            ("joints of the character", self.state.model.len()),
        ] {
            if found != expected {
                return Err(LocomotionError::Count { what, found, expected });
            }
        }
        Ok(())
    }
}

/// Two accounts as one; what the first handed on is what the second has.
fn sum(a: &Account, b: &Account) -> Account {
    Account {
        travelled: a.travelled + b.travelled,
        matched: a.matched + b.matched,
        warped: a.warped + b.warped,
        offset: a.offset + b.offset,
        slid: a.slid + b.slid,
        handed_on: b.handed_on,
    }
}
