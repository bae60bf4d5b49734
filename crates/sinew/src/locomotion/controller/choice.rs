//! Which clip plays: what the stick and the speed say, and the feet.

use glam::DVec2;

use super::super::matching::MatchState;
use super::super::predict::{predict_along, predict_pivot, predict_stop};
use super::feet::{ClipFeet, FootAt};
use super::job::LocomotionJob;
use super::motion_clip::MotionClip;
use super::phase::{LocomotionController, LocomotionPhase};
use super::set::LocomotionSet;

/// Slower than this a character has no direction, metres a second.
const NO_SPEED: f64 = 1e-3;
/// Cosine of a turn within one frame that is not followed at once.
const SUDDEN: f64 = 0.97;
/// Below this share of the loop's speed, a character that goes on after braking starts anew.
const RUNNING: f64 = 0.7;
/// More than a clip covers by less than this is rounding, metres.
const ROUNDING: f64 = 1e-6;

impl LocomotionJob<'_> {
    /// Which clip should play now; whether another one does, or the same at another moment.
    pub(super) fn decide(&mut self) -> bool {
        use LocomotionPhase as Phase;
        let velocity = self.state.velocity;
        let speed = velocity.length();
        let way = velocity.normalize_or_zero();
        let moves = speed > NO_SPEED && !self.state.blocked;
        let pushed = self.input.length() > 1e-3 && !self.state.blocked;
        let is_back = velocity.dot(self.state.heading) < 0.0;
        self.state.predicted = None;
        match self.state.phase {
            Phase::Standing if moves => {
                self.state.heading = way;
                self.start_anew();
                true
            }
            Phase::Standing => self.stand_on(),
            Phase::Start | Phase::Cycle | Phase::TurnOut if !pushed => self.may_stop(),
            Phase::Start | Phase::Cycle => {
                if self.may_turn(way) {
                    return true;
                }
                if !moves {
                    return false;
                }
                if way.dot(self.state.heading) < self.set.settings.turn {
                    // It went round without a clip for that.
                    self.turn_round(way);
                    self.start_anew();
                    return true;
                }
                self.follow_heading(way)
            }
            Phase::TurnIn if !pushed => {
                if is_back {
                    self.turn_round(way);
                }
                self.may_stop() || self.gives_way()
            }
            Phase::TurnIn if velocity.dot(self.state.heading) <= 0.0 => {
                if speed <= NO_SPEED {
                    return false;
                }
                self.turn_round(way);
                self.state.phase = Phase::TurnOut;
                // A turn by another angle than the clip's goes on the way it should.
                libm::cos(self.clip_yaw() - self.state.yaw) < SUDDEN
            }
            // It goes on after all.
            Phase::TurnIn if self.input.dot(way) > 0.0 => {
                self.run_on();
                true
            }
            Phase::TurnIn => {
                let (mover, heading) = (self.mover, self.state.heading);
                self.state.predicted = Some(predict_along(mover, velocity, self.input, heading, self.dt));
                self.gives_way() || self.is_left_behind() && self.turn_in()
            }
            Phase::TurnOut => moves && self.follow_heading(way),
            Phase::Stop if pushed && moves => {
                if is_back {
                    self.turn_round(way);
                } else {
                    self.state.heading = way;
                }
                self.run_on();
                true
            }
            // He stops where he is, whatever the mover would do.
            Phase::Stop if self.state.blocked => false,
            Phase::Stop => {
                self.state.predicted = Some(predict_stop(self.mover, velocity, self.dt));
                self.gives_way() || self.is_left_behind() && self.may_stop()
            }
        }
    }

    /// Time goes by for a character that stands; whether the idle clip takes over.
    fn stand_on(&mut self) -> bool {
        let Some(idle) = &self.set.clips.idle else { return false };
        let length = idle.duration_f64();
        if !self.state.stopped {
            self.state.idle = if length > 0.0 { (self.state.idle + self.dt) % length } else { 0.0 };
            return false;
        }
        (self.state.stopped, self.state.idle) = (false, 0.0);
        let start = MatchState::at_start(&self.set.clips.starts[0].curve);
        self.take_up(LocomotionPhase::Standing, 0, start);
        true
    }

    /// Follows the velocity; whether that is so sudden that the pose needs a transition.
    fn follow_heading(&mut self, way: DVec2) -> bool {
        let sudden = way.dot(self.state.heading) < SUDDEN;
        self.state.heading = way;
        sudden
    }

    fn turn_round(&mut self, way: DVec2) {
        self.state.heading = way;
        self.state.playhead.turn();
    }

    /// Takes up another clip with the offset and the rate of the one before.
    pub(super) fn take_up(&mut self, phase: LocomotionPhase, which: usize, at: MatchState) {
        self.state.playhead = at.carrying_on(&self.state.playhead);
        (self.state.phase, self.state.which) = (phase, which);
    }

    /// Gets up to speed from the beginning.
    fn start_anew(&mut self) {
        let which = self.best_start(|start| start.curve.span()[0]).0;
        let start = &self.set.clips.starts[which].curve;
        self.take_up(LocomotionPhase::Start, which, MatchState::at_start(start));
    }

    /// Runs on, or starts where the start is as fast.
    fn run_on(&mut self) {
        let speed = self.state.velocity.length();
        let (clips, feet) = (&self.set.clips, &self.set.feet);
        let cycle = &clips.cycle.curve;
        if speed > RUNNING * cycle.range() / cycle.duration() {
            let time = feet.cycle.most_like(&self.state.feet).0;
            self.take_up(LocomotionPhase::Cycle, 0, MatchState::at(cycle, time));
            return;
        }
        let as_fast = |start: &MotionClip| {
            let [first, last] = start.curve.span();
            let time = |i: u32| first + (last - first) * f64::from(i) / 64.0;
            (0..64).map(time).find(|t| start.curve.speed_at(*t) >= speed).unwrap_or(first)
        };
        let (which, time) = self.best_start(as_fast);
        let start = &clips.starts[which].curve;
        self.take_up(LocomotionPhase::Start, which, MatchState::at(start, time));
    }

    /// The start whose feet are most like the character's at a moment of each, and that moment.
    fn best_start(&self, moment: impl Fn(&MotionClip) -> f64) -> (usize, f64) {
        let (clips, feet) = (&self.set.clips, &self.set.feet);
        let mut best = (0, moment(&clips.starts[0]), f64::INFINITY);
        for (which, (clip, of)) in clips.starts.iter().zip(&feet.starts).enumerate() {
            let time = moment(clip);
            let cost = of.unlike(&self.state.feet, time);
            if cost < best.2 {
                best = (which, time, cost);
            }
        }
        (best.0, best.1)
    }

    /// Metres left before this step, as far as the mover could be looked ahead.
    fn left(&self) -> Option<f64> {
        let ahead = self.state.predicted.as_ref()?.as_ref().ok()?;
        Some(ahead.distance + self.state.velocity.length() * self.dt)
    }

    /// Begins to stop where a clip covers what is left; whether it does.
    fn may_stop(&mut self) -> bool {
        self.state.predicted = Some(predict_stop(self.mover, self.state.velocity, self.dt));
        let Some(left) = self.left() else { return false };
        let (clips, feet) = (&self.set.clips.stops, &self.set.feet.stops);
        let Some((which, time)) = best_entry(clips, feet, left, &self.state.feet) else { return false };
        self.take_up(LocomotionPhase::Stop, which, MatchState::at(&clips[which].curve, time));
        true
    }

    /// Begins to turn where the stick points back and a clip covers what is left; whether it does.
    fn may_turn(&mut self, way: DVec2) -> bool {
        let velocity = self.state.velocity;
        if self.set.clips.pivots.is_empty()
            || !(velocity.length() > NO_SPEED
                && self.input.dot(way) < self.set.settings.turn * self.input.length())
        {
            return false;
        }
        self.state.predicted = Some(predict_pivot(self.mover, velocity, self.input, self.dt));
        let turns = self.turn_in();
        if turns {
            self.state.heading = way;
        }
        turns
    }

    /// Takes up a turn where a clip covers what is left; whether one does.
    fn turn_in(&mut self) -> bool {
        let (clips, feet) = (&self.set.clips.pivots, &self.set.feet.pivots);
        let Some(left) = self.left() else { return false };
        let Some((which, time)) = best_entry(clips, feet, left, &self.state.feet) else { return false };
        self.take_up(LocomotionPhase::TurnIn, which, MatchState::at(&clips[which].curve, time));
        true
    }

    /// A stop or a turn whose end is farther off than its clip covers, or nowhere, gives way to running; whether it does.
    fn gives_way(&mut self) -> bool {
        let range = -self.state.clip(self.set).0.curve.distances()[0];
        let is_covered = match &self.state.predicted {
            Some(Ok(ahead)) => ahead.distance <= range + ROUNDING,
            Some(Err(_)) => false,
            None => true,
        };
        if !is_covered {
            self.run_on();
        }
        !is_covered
    }

    /// Whether the way left has grown beyond what the mesh's offset can take up, so that the clip would have to wait.
    fn is_left_behind(&self) -> bool {
        let curve = &self.state.clip(self.set).0.curve;
        let by = self.left().map_or(0.0, |left| left + curve.distance_at(self.state.playhead.time()));
        by > self.set.settings.stop.max_offset
    }

    /// The yaw that has the clip go the way the character goes, or looks.
    pub(super) fn clip_yaw(&self) -> f64 {
        let heading = self.state.heading;
        let (clip, _) = self.state.clip(self.set);
        let own = if self.state.phase == LocomotionPhase::TurnOut { clip.yaw_after() } else { clip.yaw() };
        own + libm::atan2(heading.x, heading.y)
    }
}

/// The clip to stop or turn with where so many metres are left, and the moment to take it up: the one whose feet are
/// most like these, among the clips that cover the way.
fn best_entry(clips: &[MotionClip], feet: &[ClipFeet], left: f64, now: &[FootAt]) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64, f64)> = None;
    for (which, (clip, of)) in clips.iter().zip(feet).enumerate() {
        let curve = &clip.curve;
        if left > -curve.distances()[0] {
            continue;
        }
        let time = curve.time_at(-left);
        let cost = of.unlike(now, time);
        if best.is_none_or(|b| cost < b.2) {
            best = Some((which, time, cost));
        }
    }
    best.map(|b| (b.0, b.1))
}

/// What the feet are like as seen from the capsule.
pub(super) fn see_feet(state: &mut LocomotionController, set: &LocomotionSet, dt: f64) {
    let heading = state.heading;
    let turn = glam::DQuat::from_rotation_y(-libm::atan2(heading.x, heading.y));
    let [now, before] = state.placements;
    for (foot, footing) in state.feet.iter_mut().zip(&state.footings).take(set.legs.legs().len()) {
        let [here, there] = footing.shown;
        let at = here.translation - now.translation;
        *foot =
            FootAt { at: turn * at, velocity: turn * ((at - (there.translation - before.translation)) / dt) };
    }
}
