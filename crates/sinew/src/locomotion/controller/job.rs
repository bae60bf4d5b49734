//! One frame of a character that moves.

use glam::{DQuat, DVec2, DVec3};

use super::super::error::{LocomotionError, in_range};
use super::super::matching::{
    Account, MatchState, MatchStatus, MatchStep, Travel, advance_by_distance, match_to_target,
    playrate_to_speed,
};
use super::super::mover::Mover;
use super::frame::{LegReport, LocomotionFrame};
use super::own_steps::OwnSteps;
use super::phase::{LocomotionController, LocomotionPhase};
use super::set::LocomotionSet;
use super::slide::FootSlide;
use crate::{DTransform, Ground, IkStatus, LocalPose, Rig, SampleError};

/// Shortest step, seconds.
const LEAST_DT: f64 = 1e-4;
/// A longer frame is taken in as few even steps as are no longer than this, seconds.
const LONGEST_STEP: f64 = 0.05;
/// Longest frame, seconds: 200 steps.
const MOST_DT: f64 = 10.0;
/// Metres a second, at most, by which a mesh beside its capsule comes back.
const BACK: f64 = 1.2;
/// Share of its last frame's way by which a character has to be moved back to count as held up.
const HELD_UP: f64 = 0.9;

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
    /// Seconds since the last frame, 0.0001 to 10; 0 in a game that is paused: nothing changes then, the pose included. A
    /// frame of more than a twentieth of a second, as after a hitch, is taken in even steps, so that the character gets
    /// as far as it would have.
    pub dt: f64,
    /// The character.
    pub state: &'a mut LocomotionController,
    /// Where the pose goes.
    pub pose: &'a mut LocalPose,
}

impl LocomotionJob<'_> {
    /// Moves the character on. Allocates nothing.
    ///
    /// # Errors
    /// [`LocomotionError`] where a number is not right, the mover gives none, or rig, set, state and pose do not belong
    /// together; character and pose are then as they were.
    pub fn run(&mut self) -> Result<LocomotionFrame, LocomotionError> {
        self.check()?;
        if self.dt == 0.0
            && let Some(last) = &self.state.last
        {
            let (account, status) = (Account::default(), MatchStatus::NoTime);
            let step = MatchStep { account, status, wraps: 0, ..last.step };
            let (displaced, predicted) = (DVec2::ZERO, last.predicted.clone());
            return Ok(LocomotionFrame {
                step,
                account,
                displaced,
                predicted,
                switched: false,
                steps: 0,
                slid_aside: 0.0,
                ..*last
            });
        }
        // The first frame has nothing to show yet.
        let whole = self.dt.max(LEAST_DT);
        let steps = (whole / LONGEST_STEP - 1e-9).ceil().max(1.0);
        let given = core::mem::replace(&mut self.dt, whole / steps);
        let frame = self.take(steps as u32);
        self.dt = given;
        frame
    }

    /// So many steps of a frame.
    fn take(&mut self, steps: u32) -> Result<LocomotionFrame, LocomotionError> {
        // Before anything is changed.
        let mut velocity = self.state.velocity;
        for _ in 1..steps {
            velocity = self.moved_on(velocity)?;
        }
        if steps > 1 {
            self.moved_on(velocity)?;
        }
        let displaced = self.state.displaced;
        // Of the whole frame, as the game moves a character once a frame.
        let last = core::mem::take(&mut self.state.last_way);
        self.state.blocked = last != DVec2::ZERO && displaced.dot(last) <= -HELD_UP * last.length_squared();
        let mut frame = self.step()?;
        for _ in 1..steps {
            let before = frame;
            frame = self.step()?;
            frame.account = before.account.and(&frame.account);
            frame.switched |= before.switched;
            frame.slid_aside += before.slid_aside;
        }
        (frame.steps, frame.displaced) = (steps, displaced);
        self.state.last = Some(frame.clone());
        Ok(frame)
    }

    fn step(&mut self) -> Result<LocomotionFrame, LocomotionError> {
        let velocity = self.moved_on(self.state.velocity)?;
        let moved = core::mem::take(&mut self.state.displaced);
        self.state.velocity = velocity;
        let way = velocity * self.dt;
        self.state.last_way += way;
        self.state.position += way;
        let behind = self.state.heading * self.state.playhead.offset() + self.state.aside;
        let mut switched = self.decide();
        let heading = self.state.heading;
        // The offset is along the heading: what a new heading would make of it must not be seen.
        let left = behind - heading * self.state.playhead.offset();
        // Nor what the game has moved it by across, nor anything of one that stands: no clip of his goes anywhere.
        let stands = self.state.phase == LocomotionPhase::Standing;
        let (along, beside) = match stands {
            true => (0.0, way + moved),
            false => (moved.dot(heading), moved - heading * moved.dot(heading)),
        };
        let limits = &self.set.settings.start;
        let worked_off = left * (1.0 - libm::exp2(-self.dt / limits.offset_half_life));
        let aside = left - worked_off.clamp_length_max(BACK * self.dt) + beside;
        self.state.aside = aside.clamp_length_max(limits.max_offset.max(left.length()));
        let mut slid = aside - self.state.aside;
        let (mut step, mut account, left) = self.advance(along)?;
        if stands {
            let (ahead, lost) = (beside.dot(heading), slid.dot(heading));
            slid -= heading * lost;
            account = account.and(&Account {
                travelled: ahead,
                offset: ahead - lost,
                slid: lost,
                ..Account::default()
            });
        }
        let slid_aside = slid.length();
        if let Some(seconds) = left {
            let (feet, which) = (&self.set.feet, self.state.which);
            let turned = self.state.phase == LocomotionPhase::TurnOut;
            let entry = if turned { feet.after_pivot[which] } else { feet.after_start[which] };
            let cycle = &self.set.clips.cycle.curve;
            self.take_up(LocomotionPhase::Cycle, 0, MatchState::at(cycle, entry));
            let limits = &self.set.settings.cycle;
            let rest = Travel { travelled: account.handed_on, dt: seconds };
            step = playrate_to_speed(cycle, limits, &mut self.state.playhead, rest)?;
            account = account.and(&step.account);
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
        self.state.legs.fill(Ok(IkStatus::Reached));
        self.show(&step, placement, switched, turned)?;
        self.state.frames += 1;
        let state = &*self.state;
        Ok(LocomotionFrame {
            phase: state.phase,
            placement,
            step,
            account,
            switched,
            steps: 1,
            predicted: state.predicted.clone(),
            displaced: moved,
            slid_aside,
            slide: state.slides.iter().fold(FootSlide::default(), |all, one| one.and(&all)),
            own_steps: state.own_steps.iter().fold(OwnSteps::default(), |all, one| one.and(&all)),
            legs: LegReport::of(&state.legs),
        })
    }

    /// The mover's velocity after a step.
    fn moved_on(&self, velocity: DVec2) -> Result<DVec2, LocomotionError> {
        let velocity = self.mover.step(velocity, self.input, self.dt);
        in_range("the mover's speed", velocity.length(), 0.0, 1e4, "0 to 1e4")?;
        Ok(velocity)
    }

    /// The step of the clip that plays, with the metres along the way that the game has moved the character by itself; the
    /// seconds left where the loop is to follow.
    fn advance(&mut self, moved: f64) -> Result<(MatchStep, Account, Option<f64>), LocomotionError> {
        use LocomotionPhase as Phase;
        let Self { set, dt, .. } = *self;
        let (velocity, settings) = (self.state.velocity, &set.settings);
        let (clip, _) = self.state.clip(set);
        let curve = &clip.curve;
        // Where nothing is left to brake or to turn, the place is here; and where he is held up.
        let left = match &self.state.predicted {
            Some(Ok(ahead)) if !self.state.blocked => ahead.distance,
            _ => 0.0,
        };
        let stands = self.state.phase == Phase::Standing;
        let travel = Travel { travelled: if stands { 0.0 } else { velocity.length() * dt + moved }, dt };
        let along = Travel { travelled: velocity.dot(self.state.heading) * dt + moved, dt };
        let playhead = &mut self.state.playhead;
        let step = match self.state.phase {
            Phase::Standing if self.state.stopped => {
                match_to_target(curve, &settings.stop, playhead, 0.0, travel)?
            }
            Phase::Standing | Phase::Start | Phase::TurnOut => {
                advance_by_distance(curve, &settings.start, playhead, travel)?
            }
            Phase::Cycle => playrate_to_speed(curve, &settings.cycle, playhead, travel)?,
            Phase::Stop => match_to_target(curve, &settings.stop, playhead, left, travel)?,
            Phase::TurnIn => match_to_target(curve, &settings.stop, playhead, left, along)?,
        };
        let left = match step.status {
            MatchStatus::Exhausted { seconds } => Some(seconds),
            _ => None,
        };
        let stands = velocity == DVec2::ZERO || self.state.blocked;
        if left.is_some() && self.state.phase == Phase::Stop && stands {
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
            in_range("the step in seconds", self.dt, LEAST_DT, MOST_DT, "0, or 0.0001 to 10")?;
        }
        in_range("the stick in x", self.input.x, -1e3, 1e3, "-1000 to 1000")?;
        in_range("the stick in z", self.input.y, -1e3, 1e3, "-1000 to 1000")?;
        if let Some(facing) = self.facing {
            in_range("the length of where it looks", facing.length(), 1e-6, 1e6, "1e-6 to 1e6")?;
        }
        let (expected, legs) = (self.set.joints, self.set.legs.legs());
        for (what, found) in [
            ("joints of the rig", self.rig.len()),
            ("joints of the pose", self.pose.len()),
            ("joints of the character", self.state.model.len()),
        ] {
            if found != expected {
                return Err(LocomotionError::Count { what, found, expected });
            }
        }
        let points = legs.iter().map(|leg| leg.contacts.len()).sum();
        for (what, found, expected) in [
            ("legs of the character", self.state.legs.len(), legs.len()),
            ("points of the character's feet", self.state.points[0].len(), points),
        ] {
            if found != expected {
                return Err(LocomotionError::Count { what, found, expected });
            }
        }
        let (found, expected) = (self.set.layout, self.rig.layout());
        if found == expected { Ok(()) } else { Err(SampleError::Layout { found, expected }.into()) }
    }
}
