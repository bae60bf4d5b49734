//! One frame of a character that moves.

use glam::{DQuat, DVec2, DVec3};

use super::super::error::{LocomotionError, in_range};
use super::super::matching::{
    Account, MatchState, MatchStatus, MatchStep, advance_by_distance, match_to_target, playrate_to_speed,
};
use super::super::mover::Mover;
use super::super::predict::{predict_along, predict_pivot, predict_stop};
use super::super::warp::{StrideWarp, WarpJob};
use super::feet::{contact, model_transforms, stands};
use super::phase::{LocomotionController, LocomotionPhase};
use super::set::LocomotionSet;
use crate::plant::leg::lead;
use crate::{DTransform, Ground, LocalPose, PlantJob, Rig, TransitionJob, TransitionStart};

/// Slower than this a character has no direction, metres a second.
const NO_SPEED: f64 = 1e-3;
/// Cosine of a turn within one frame that is not followed at once.
const SUDDEN: f64 = 0.97;
/// A foot this near to where the clip has it may stand, as a share of what a lock gives way at.
const NEAR: f64 = 0.3;
/// How steeply they come down, metres a metre to go.
const LANDING: f64 = 4.0;
/// How high feet step over at most, as a share of the same.
const LIFT: f64 = 0.4;
/// Below this share of the loop's speed, a character that goes on after braking starts anew.
const RUNNING: f64 = 0.7;

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
    /// What the feet stand on; the capsule is at height 0.
    pub ground: &'a dyn Ground,
    /// The stick (x, z), of length 0 to 1.
    pub input: DVec2,
    /// Seconds since the last frame, 0.0001 to 1.
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
    /// Where the pose is in the world: the capsule less the mesh's offset. Its axes are the world's.
    pub placement: DTransform,
    /// The last step of the clip that plays.
    pub step: MatchStep,
    /// Where the metres of the frame went, over both clips where one took over from another.
    pub account: Account,
    /// Whether a clip took over.
    pub switched: bool,
}

impl LocomotionJob<'_> {
    /// Moves the character on. Allocates nothing.
    ///
    /// # Errors
    /// [`LocomotionError`] where a number is not right or rig, set, state and pose do not belong together.
    pub fn run(&mut self) -> Result<LocomotionFrame, LocomotionError> {
        self.check()?;
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
            let entry = usize::from(self.state.phase == LocomotionPhase::TurnOut);
            let cycle = &self.set.clips.cycle.curve;
            self.begin(LocomotionPhase::Cycle, MatchState::at(cycle, self.set.entries[entry]));
            let limits = &self.set.settings.cycle;
            step = playrate_to_speed(cycle, limits, &mut self.state.state, account.handed_on, seconds)?;
            account = sum(&account, &step.account);
            switched = true;
        }
        self.state.yaw = self.clip_yaw();
        self.pose_target(&step, switched)?;
        let offset = self.state.heading * step.offset;
        let at = self.state.position - offset - self.state.aside;
        let placement = DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(at.x, 0.0, at.y));
        self.plant(&step, placement)?;
        self.state.frames += 1;
        Ok(LocomotionFrame { phase: self.state.phase, placement, step, account, switched })
    }

    /// Which clip should play now; whether that is another one.
    fn decide(&mut self) -> bool {
        use LocomotionPhase as Phase;
        let (velocity, dt) = (self.state.velocity, self.dt);
        let speed = velocity.length();
        let way = velocity.normalize_or_zero();
        let pushed = self.input.length() > 1e-3;
        let before = self.state.phase;
        match before {
            Phase::Standing if speed > NO_SPEED => {
                self.state.heading = way;
                self.begin(Phase::Start, MatchState::at_start(&self.set.clips.start.curve));
            }
            Phase::Standing => {}
            Phase::Start | Phase::Cycle | Phase::TurnOut if !pushed => self.may_stop(speed * dt),
            Phase::TurnIn if !pushed => {
                if velocity.dot(self.state.heading) < 0.0 {
                    self.turn_round(way);
                }
                self.may_stop(speed * dt);
            }
            Phase::Start | Phase::Cycle => {
                self.may_turn(speed, way);
                if self.state.phase == before && speed > NO_SPEED {
                    if way.dot(self.state.heading) < self.set.settings.turn {
                        // It went round without a clip for that.
                        self.turn_round(way);
                        self.begin(Phase::Start, MatchState::at_start(&self.set.clips.start.curve));
                        return true;
                    }
                    return self.head(way) || self.state.phase != before;
                }
            }
            Phase::TurnIn => {
                if velocity.dot(self.state.heading) <= 0.0 {
                    if speed > NO_SPEED {
                        self.turn_round(way);
                        self.state.phase = Phase::TurnOut;
                        // A turn by another angle than the clip's goes on the way it should.
                        return libm::cos(self.clip_yaw() - self.state.yaw) < SUDDEN;
                    }
                } else if self.input.dot(way) > 0.0 {
                    // It goes on after all.
                    self.go_on(speed);
                }
                return self.state.phase != before;
            }
            Phase::TurnOut => {
                return speed > NO_SPEED && self.head(way);
            }
            Phase::Stop if pushed && speed > NO_SPEED => {
                if way.dot(self.state.heading) < 0.0 {
                    self.turn_round(way);
                } else {
                    self.state.heading = way;
                }
                self.go_on(speed);
            }
            Phase::Stop => {}
        }
        self.state.phase != before
    }

    /// Follows the velocity; whether that is so sudden that the pose needs a transition.
    fn head(&mut self, way: DVec2) -> bool {
        let sudden = way.dot(self.state.heading) < SUDDEN;
        self.state.heading = way;
        sudden
    }

    fn turn_round(&mut self, way: DVec2) {
        self.state.heading = way;
        self.state.state.turn();
    }

    /// Takes up another clip with the offset and the rate of the one before.
    fn begin(&mut self, phase: LocomotionPhase, state: MatchState) {
        self.state.state = state.carrying_on(&self.state.state);
        self.state.phase = phase;
    }

    /// Runs on, or starts where the start is as fast.
    fn go_on(&mut self, speed: f64) {
        let (start, cycle) = (&self.set.clips.start.curve, &self.set.clips.cycle.curve);
        if speed > RUNNING * cycle.range() / cycle.duration() {
            self.begin(LocomotionPhase::Cycle, MatchState::at(cycle, self.set.entries[0]));
            return;
        }
        let [first, last] = start.span();
        let time = |i: u32| first + (last - first) * f64::from(i) / 64.0;
        let at = (0..64).map(time).find(|t| start.speed_at(*t) >= speed).unwrap_or(first);
        self.begin(LocomotionPhase::Start, MatchState::at(start, at));
    }

    /// Begins to stop where the clip covers what is left.
    fn may_stop(&mut self, travelled: f64) {
        let curve = &self.set.clips.stop.curve;
        let Ok(left) = predict_stop(self.mover, self.state.velocity, self.dt) else { return };
        let remaining = left.distance + travelled;
        if remaining <= -curve.distances()[0] {
            self.begin(LocomotionPhase::Stop, MatchState::at_remaining(curve, remaining));
        }
    }

    /// Begins to turn where the stick points back and the clip covers what is left.
    fn may_turn(&mut self, speed: f64, way: DVec2) {
        let Some(pivot) = &self.set.clips.pivot else { return };
        if !(speed > NO_SPEED && self.input.dot(way) < self.set.settings.turn * self.input.length()) {
            return;
        }
        let Ok(left) = predict_pivot(self.mover, self.state.velocity, self.input, self.dt) else { return };
        let remaining = left.distance + speed * self.dt;
        if remaining <= -pivot.curve.distances()[0] {
            self.state.heading = way;
            self.begin(LocomotionPhase::TurnIn, MatchState::at_remaining(&pivot.curve, remaining));
        }
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
                match_to_target(curve, &settings.stop, state, 0.0, travelled, dt)?
            }
            Phase::Standing | Phase::Start | Phase::TurnOut => {
                advance_by_distance(curve, &settings.start, state, travelled, dt)?
            }
            Phase::Cycle => playrate_to_speed(curve, &settings.cycle, state, travelled, dt)?,
            Phase::Stop => {
                let left = predict_stop(mover, velocity, dt).map_or(f64::INFINITY, |p| p.distance);
                let left = left.min(-curve.distances()[0]);
                match_to_target(curve, &settings.stop, state, left, travelled, dt)?
            }
            Phase::TurnIn => {
                let left = predict_along(mover, velocity, input, self.state.heading, dt)
                    .map_or(f64::INFINITY, |p| p.distance);
                let left = left.min(-curve.distances()[0]);
                let along = velocity.dot(self.state.heading) * dt;
                match_to_target(curve, &settings.stop, state, left, along, dt)?
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
        Ok((step, step.account, left.filter(|_| goes_on)))
    }

    /// The yaw that has the clip go the way the character goes.
    fn clip_yaw(&self) -> f64 {
        let heading = self.state.heading;
        let (clip, _) = self.state.clip(self.set);
        let own = if self.state.phase == LocomotionPhase::TurnOut { clip.yaw_after() } else { clip.yaw() };
        own + libm::atan2(heading.x, heading.y)
    }

    /// The pose before feet are planted, in the state's first shown pose.
    fn pose_target(&mut self, step: &MatchStep, switched: bool) -> Result<(), LocomotionError> {
        let Self { rig, set, dt, .. } = *self;
        let (clip, _) = self.state.clip(set);
        let yaw = self.state.yaw;
        if switched && self.state.frames > 1 {
            let back = step.rate.max(0.1) * dt;
            for (i, target) in self.state.target.iter_mut().enumerate() {
                clip.sample(rig, &set.roots, clip.wrap(step.time - back * (i + 1) as f64), yaw, target)?;
            }
            let state = &mut *self.state;
            let start = TransitionStart {
                source: &state.shown[0],
                source_before: &state.shown[1],
                target: &state.target[0],
                target_before: &state.target[1],
                dt: dt as f32,
            };
            state.transition.begin(&set.settings.transition, &start)?;
        }
        clip.sample(rig, &set.roots, step.time, yaw, self.pose)?;
        if step.stride != 1.0 {
            let heading = self.state.heading;
            let stride =
                StrideWarp { scale: step.stride, direction_ms: DVec3::new(heading.x, 0.0, heading.y) };
            WarpJob {
                rig,
                legs: &set.legs,
                settings: &set.settings.warp,
                stride: Some(stride),
                orientation: None,
                slope: None,
                state: &mut self.state.warping,
                pose: self.pose,
            }
            .run()?;
        }
        if self.state.transition.is_running() {
            let state = &mut *self.state;
            model_transforms(rig, &set.legs, self.pose, &mut state.model);
            for (foot, leg) in state.feet.iter_mut().zip(set.legs.legs()) {
                *foot = state.model[leg.foot.index()].translation;
            }
        }
        TransitionJob { transition: &mut self.state.transition, dt: dt as f32, output: self.pose }.run()?;
        let [shown, before] = &mut self.state.shown;
        before.copy_from(shown);
        shown.copy_from(self.pose);
        Ok(())
    }

    /// How far a leg's end still is from where the clip alone has it, over the ground; the model is of the
    /// pose.
    fn away(&self, leg: usize) -> f64 {
        if !self.state.transition.is_running() {
            return 0.0;
        }
        let end = self.set.legs.legs()[leg].foot.index();
        (self.state.model[end].translation - self.state.feet[leg]).with_y(0.0).length()
    }

    /// Feet that a hand-over moves far go through the air, not over the ground.
    fn lift(&mut self) {
        let (rig, set) = (self.rig, self.set);
        if !self.state.transition.is_running() {
            return;
        }
        let whole = f64::from(set.settings.transition.duration);
        // 0 at the first moment and at the last: the foot is not picked up at once.
        let left = (f64::from(self.state.transition.remaining()) / whole).clamp(0.0, 1.0);
        let share = libm::sin(core::f64::consts::PI * left);
        let most = LIFT * set.settings.plant.most_offset;
        for number in 0..self.state.feet.len() {
            let clearance = share * (LANDING * (self.away(number) - self.near())).clamp(0.0, most);
            let model = &self.state.model;
            let points = 0..set.legs.legs()[number].contacts.len();
            let lowest = points.map(|p| contact(&set.legs, model, number, p).1).fold(f64::INFINITY, f64::min);
            // Between two poses with a foot on the ground it may well be below it.
            if lowest < clearance {
                let leg = &set.legs.legs()[number];
                let (hip, foot) = (model[leg.hip.index()], model[leg.foot.index()]);
                let target = foot.translation + DVec3::Y * (clearance - lowest);
                // A leg that cannot be bent so far stays as it is.
                let _ = lead(rig, leg, model, hip.translation, target, foot.rotation, self.pose);
            }
        }
    }

    /// A foot no farther than this from where the clip has it may stand, metres.
    fn near(&self) -> f64 {
        NEAR * self.set.settings.plant.most_offset
    }

    /// Holds the feet that stand, and measures what they slide.
    fn plant(&mut self, step: &MatchStep, placement: DTransform) -> Result<(), LocomotionError> {
        let Self { rig, set, ground, dt, .. } = *self;
        let rule = &set.settings.plant.stance;
        let (_, number) = self.state.clip(set);
        model_transforms(rig, &set.legs, self.pose, &mut self.state.model);
        self.lift();
        for leg in 0..self.state.stands.len() {
            let near = self.away(leg) <= self.near();
            let state = &mut *self.state;
            let points = 0..set.legs.legs()[leg].contacts.len();
            let lowest =
                points.map(|p| contact(&set.legs, &state.model, leg, p).1).fold(f64::INFINITY, f64::min);
            // A foot that the clip has on the ground and the hand-over still has in the air does not stand.
            let standing = state.phase == LocomotionPhase::Standing;
            state.stands[leg] = near
                && lowest <= 2.0 * rule.height
                && (standing || stands(&set.stances[number], leg, step.time));
        }
        let state = &mut *self.state;
        PlantJob {
            rig,
            legs: &set.legs,
            settings: &set.settings.plant,
            ground,
            placement,
            dt,
            stands: Some(&state.stands),
            state: &mut state.planting,
            pose: self.pose,
        }
        .run()?;
        model_transforms(rig, &set.legs, self.pose, &mut state.model);
        state.points.swap(0, 1);
        let [before, now] = &mut state.points;
        let mut first = 0;
        for (leg, slide) in state.slides.iter_mut().enumerate() {
            let count = set.legs.legs()[leg].contacts.len();
            for point in 0..count {
                let (at, _) = contact(&set.legs, &state.model, leg, point);
                now[first + point] = placement.translation + at;
            }
            let points = first..first + count;
            slide.see(state.stands[leg], &before[points.clone()], &now[points]);
            first += count;
        }
        Ok(())
    }

    fn check(&self) -> Result<(), LocomotionError> {
        in_range("the step in seconds", self.dt, 1e-4, 1.0, "0.0001 to 1")?;
        in_range("the stick in x", self.input.x, -1e3, 1e3, "-1000 to 1000")?;
        in_range("the stick in z", self.input.y, -1e3, 1e3, "-1000 to 1000")?;
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
