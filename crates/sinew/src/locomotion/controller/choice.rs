//! Which clip plays: what the stick and the speed say, and the feet.

use glam::DVec2;

use super::super::matching::MatchState;
use super::super::predict::{predict_pivot, predict_stop};
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
impl LocomotionJob<'_> {
    /// Which clip should play now; whether that is another one.
    pub(super) fn decide(&mut self) -> bool {
        use LocomotionPhase as Phase;
        let (velocity, dt) = (self.state.velocity, self.dt);
        let speed = velocity.length();
        let way = velocity.normalize_or_zero();
        let pushed = self.input.length() > 1e-3;
        let before = self.state.phase;
        match before {
            Phase::Standing if speed > NO_SPEED => {
                self.state.heading = way;
                let which = self.start_like(|start| start.curve.span()[0]).0;
                let start = &self.set.clips.starts[which].curve;
                self.begin(Phase::Start, which, MatchState::at_start(start));
            }
            Phase::Standing => return self.stand(),
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
                        let which = self.start_like(|start| start.curve.span()[0]).0;
                        let start = &self.set.clips.starts[which].curve;
                        self.begin(Phase::Start, which, MatchState::at_start(start));
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
                    self.run_on(speed);
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
                self.run_on(speed);
            }
            Phase::Stop => {}
        }
        self.state.phase != before
    }

    /// Time goes by for a character that stands; whether the idle clip takes over.
    fn stand(&mut self) -> bool {
        let Some(idle) = &self.set.clips.idle else { return false };
        let length = idle.duration_f64();
        if !self.state.stopped {
            self.state.idle = if length > 0.0 { (self.state.idle + self.dt) % length } else { 0.0 };
            return false;
        }
        (self.state.stopped, self.state.idle) = (false, 0.0);
        let start = MatchState::at_start(&self.set.clips.starts[0].curve);
        self.begin(LocomotionPhase::Standing, 0, start);
        true
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
    pub(super) fn begin(&mut self, phase: LocomotionPhase, which: usize, state: MatchState) {
        self.state.state = state.carrying_on(&self.state.state);
        (self.state.phase, self.state.which) = (phase, which);
    }

    /// Runs on, or starts where the start is as fast.
    fn run_on(&mut self, speed: f64) {
        let (clips, feet) = (&self.set.clips, &self.set.feet);
        let cycle = &clips.cycle.curve;
        if speed > RUNNING * cycle.range() / cycle.duration() {
            let time = feet.cycle.most_like(&self.state.feet).0;
            self.begin(LocomotionPhase::Cycle, 0, MatchState::at(cycle, time));
            return;
        }
        let as_fast = |start: &MotionClip| {
            let [first, last] = start.curve.span();
            let time = |i: u32| first + (last - first) * f64::from(i) / 64.0;
            (0..64).map(time).find(|t| start.curve.speed_at(*t) >= speed).unwrap_or(first)
        };
        let (which, time) = self.start_like(as_fast);
        let start = &clips.starts[which].curve;
        self.begin(LocomotionPhase::Start, which, MatchState::at(start, time));
    }

    /// The start whose feet are most like the character's at a moment of each, and that moment.
    fn start_like(&self, moment: impl Fn(&MotionClip) -> f64) -> (usize, f64) {
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

    /// Begins to stop where a clip covers what is left.
    fn may_stop(&mut self, travelled: f64) {
        let Ok(left) = predict_stop(self.mover, self.state.velocity, self.dt) else { return };
        let (clips, feet) = (&self.set.clips.stops, &self.set.feet.stops);
        if let Some((which, time)) = like(clips, feet, left.distance + travelled, &self.state.feet) {
            self.begin(LocomotionPhase::Stop, which, MatchState::at(&clips[which].curve, time));
        }
    }

    /// Begins to turn where the stick points back and a clip covers what is left.
    fn may_turn(&mut self, speed: f64, way: DVec2) {
        let (clips, feet) = (&self.set.clips.pivots, &self.set.feet.pivots);
        if clips.is_empty()
            || !(speed > NO_SPEED && self.input.dot(way) < self.set.settings.turn * self.input.length())
        {
            return;
        }
        let Ok(left) = predict_pivot(self.mover, self.state.velocity, self.input, self.dt) else { return };
        if let Some((which, time)) = like(clips, feet, left.distance + speed * self.dt, &self.state.feet) {
            self.state.heading = way;
            self.begin(LocomotionPhase::TurnIn, which, MatchState::at(&clips[which].curve, time));
        }
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
fn like(clips: &[MotionClip], feet: &[ClipFeet], left: f64, now: &[FootAt]) -> Option<(usize, f64)> {
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
