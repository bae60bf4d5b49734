//! From a moment of a clip to the pose that is shown.

use glam::{DQuat, DVec2, DVec3};

use super::super::error::LocomotionError;
use super::super::matching::MatchStep;
use super::super::warp::{OrientationWarp, SlopeWarp, StrideWarp, WarpJob};
use super::choice::see_feet;
use super::feet::{contact, model_transforms};
use super::footing::{Departure, Sole};
use super::footpath::OverPath;
use super::frame::worse;
use super::job::LocomotionJob;
use super::motion_clip::carry;
use super::phase::LocomotionPhase;
use crate::plant::leg::lead;
use crate::{DTransform, PlantJob, SampleJob, TransitionJob, TransitionStart};

/// Seconds that a foot takes for a step of its own: where the clip has it on the ground, and least and most where it
/// lands with the clip.
const STEP: f64 = 0.16;
const QUICK: f64 = 0.12;
const SLOW: f64 = 0.3;
/// Metres a second, at most, that a foot in the air makes good on the way.
const MAKES_GOOD: f64 = 3.0;
/// A foot is off the ground where it is higher than this share of the stance rule's height: twice what counts as
/// touching it.
const DOWN: f64 = 0.2;
/// How much of what a lock may give is left standing where one clip takes over from another.
const KEPT: f64 = 0.7;

impl LocomotionJob<'_> {
    /// Whether the idle clip plays.
    fn idles(&self) -> bool {
        self.set.clips.idle.is_some() && self.state.phase == LocomotionPhase::Standing && !self.state.stopped
    }

    /// What plays, `back` seconds of the clip before its moment, with stride and direction warped.
    fn sample(&mut self, step: &MatchStep, back: f64, into: Sampled) -> Result<(), LocomotionError> {
        let (rig, set, yaw) = (self.rig, self.set, self.state.yaw - self.state.aside_angle);
        let idles = self.idles();
        let (clip, _) = self.state.clip(set);
        let pose = match into {
            Sampled::Pose => &mut *self.pose,
            Sampled::Target(i) => &mut self.state.target[i],
        };
        match &set.clips.idle {
            Some(idle) if idles => {
                let length = idle.duration_f64();
                let time = (self.state.idle - back).rem_euclid(length.max(1e-9)).min(length);
                SampleJob::new(rig, idle, time as f32, pose).run()?;
                let turn = DQuat::from_rotation_y(yaw);
                let place = DTransform::from_rotation_translation(turn, turn * set.idle_shift);
                carry(rig, &set.carriers, &place, pose);
            }
            _ => clip.sample(rig, &set.carriers, clip.wrap(step.time - back), yaw, pose)?,
        }
        self.warp(into, step.stride)
    }

    /// The pose with its feet where they go.
    pub(super) fn show(
        &mut self,
        step: &MatchStep,
        placement: DTransform,
        switched: bool,
        turned: f64,
    ) -> Result<(), LocomotionError> {
        let switched = switched && self.state.frames > 1;
        if switched {
            self.hand_over(step)?;
        }
        self.sample(step, 0.0, Sampled::Pose)?;
        self.lead_feet(step, placement, switched, turned);
        let state = &mut *self.state;
        let leads = state.transition.is_running() || state.footings.iter().any(|f| f.is_led());
        TransitionJob { transition: &mut state.transition, dt: self.dt as f32, output: self.pose }.run()?;
        let [shown, before] = &mut state.shown;
        before.copy_from(shown);
        shown.copy_from(self.pose);
        if leads {
            model_transforms(self.rig, &self.set.legs, self.pose, &mut state.model);
            for ((leg, goal), status) in self.set.legs.legs().iter().zip(&state.goals).zip(&mut state.legs) {
                let hip = state.model[leg.hip.index()].translation;
                // A leg that cannot be bent so far stays as it is, and the frame says so.
                let came = lead(self.rig, leg, &state.model, hip, goal.translation, goal.rotation, self.pose);
                worse(status, came);
            }
        }
        // Feet are led as on level ground; what lifts them from there is not theirs.
        model_transforms(self.rig, &self.set.legs, self.pose, &mut state.model);
        for (leg, footing) in self.set.legs.legs().iter().zip(&mut state.footings) {
            let foot = placement.mul_transform(&state.model[leg.foot.index()]);
            // In its first frame it was there before.
            footing.shown = [foot, if state.frames == 0 { foot } else { footing.shown[0] }];
        }
        if let Some(slope) = state.path.warp(self.set.settings.tilt) {
            self.warp_onto(slope)?;
        }
        self.plant(placement)
    }

    /// Brings level feet onto a slope.
    fn warp_onto(&mut self, slope: SlopeWarp) -> Result<(), LocomotionError> {
        WarpJob {
            rig: self.rig,
            legs: &self.set.legs,
            settings: &self.set.settings.warp,
            stride: None,
            orientation: None,
            slope: Some(slope),
            state: &mut self.state.warping,
            pose: self.pose,
        }
        .run()?;
        self.see_warped();
        Ok(())
    }

    /// Takes down what came of legs that were warped.
    fn see_warped(&mut self) {
        let state = &mut *self.state;
        for (leg, status) in state.legs.iter_mut().zip(state.warping.statuses()) {
            worse(leg, *status);
        }
    }

    /// Lets the transition run from what was shown to the clip that takes over.
    fn hand_over(&mut self, step: &MatchStep) -> Result<(), LocomotionError> {
        // Not the step's own rate: of a clip that is taken up in the middle of a frame that is of a part of it.
        let back = self.state.playhead.rate().max(0.1) * self.dt;
        self.sample(step, back, Sampled::Target(0))?;
        self.sample(step, 2.0 * back, Sampled::Target(1))?;
        let state = &mut *self.state;
        let start = TransitionStart {
            source: &state.shown[0],
            source_before: &state.shown[1],
            target: &state.target[0],
            target_before: &state.target[1],
            dt: self.dt as f32,
        };
        state.transition.begin(&self.set.settings.transition, &start)?;
        Ok(())
    }

    /// Stride and direction of a pose.
    fn warp(&mut self, of: Sampled, scale: f64) -> Result<(), LocomotionError> {
        let (heading, angle) = (self.state.heading, self.state.aside_angle);
        let direction_ms = DVec3::new(heading.x, 0.0, heading.y);
        let stride = (scale != 1.0).then_some(StrideWarp { scale, direction_ms });
        let spine = &self.set.settings.spine;
        let orientation = (angle != 0.0).then_some(OrientationWarp { angle, spine, counter: 1.0 });
        if stride.is_none() && orientation.is_none() {
            return Ok(());
        }
        let pose = match of {
            Sampled::Pose => &mut *self.pose,
            Sampled::Target(i) => &mut self.state.target[i],
        };
        WarpJob {
            rig: self.rig,
            legs: &self.set.legs,
            settings: &self.set.settings.warp,
            stride,
            orientation,
            slope: None,
            state: &mut self.state.warping,
            pose,
        }
        .run()?;
        if matches!(of, Sampled::Pose) {
            self.see_warped();
        }
        Ok(())
    }

    /// Where each foot goes: with the clip, on its own way to it, or nowhere, because it stands.
    fn lead_feet(&mut self, step: &MatchStep, placement: DTransform, switched: bool, turned: f64) {
        let (rig, set, dt) = (self.rig, self.set, self.dt);
        let standing = self.state.phase == LocomotionPhase::Standing;
        let (_, clip_feet) = self.state.clip(set);
        let state = &mut *self.state;
        let settings = &set.settings.plant;
        let legs = set.legs.legs();
        let in_world = |place: &DTransform, model: &DTransform| place.mul_transform(model);
        let rate = state.playhead.rate().clamp(0.5, 2.0);
        if switched {
            // The clip that takes over, a frame ago.
            model_transforms(rig, &set.legs, &state.target[0], &mut state.model);
            for (leg, footing) in legs.iter().zip(&mut state.footings) {
                footing.clip = in_world(&state.placements[0], &state.model[leg.foot.index()]);
            }
        }
        model_transforms(rig, &set.legs, self.pose, &mut state.model);
        let mut firsts = 0;
        for (number, leg) in legs.iter().enumerate() {
            let clip = in_world(&placement, &state.model[leg.foot.index()]);
            let lowest = (0..leg.contacts.len())
                .map(|p| contact(&set.legs, &state.model, number, p).1)
                .fold(f64::INFINITY, f64::min);
            let points = firsts..firsts + leg.contacts.len();
            firsts = points.end;
            let height = state.heights[0][points.clone()].iter().copied().fold(f64::INFINITY, f64::min);
            let footing = &mut state.footings[number];
            let stood = footing.stands;
            // A foot that is down is held until its clip has it off the ground: the body may turn or shift over it.
            let near = DOWN * settings.stance.height;
            let is_down = stood || footing.is_landing() && height <= near;
            let lifts = !switched && is_down && lowest <= near;
            let on = standing || clip_feet.stands(number, step.time) || lifts;
            let planted = state.planting.feet()[number];
            let strained = planted.offset_ws.with_y(0.0).length() > 0.95 * settings.most_offset
                || !planted.status.is_ok_and(|s| s.is_reached())
                || footing.is_twisted();
            let leaves = if switched {
                !footing.stays(footing.clip, on, KEPT * settings.most_offset)
            } else {
                stood && (!on || strained)
            };
            if leaves {
                let lands = clip_feet.lands_in(number, step.time) / rate;
                let before = footing.clip;
                // What leaves with its clip is as fast as that; what another clip takes over keeps its speed.
                let shown = (footing.shown[0].translation - footing.shown[1].translation) / dt;
                let own = (clip.translation - before.translation) / dt;
                let velocity = if switched { shown - own } else { DVec3::ZERO };
                let far = (footing.shown[0].translation - before.translation).with_y(0.0).length();
                let soonest = if on { STEP } else { 0.9 * lands };
                let whole = soonest.max(far / MAKES_GOOD).clamp(QUICK, SLOW);
                let from = Departure { velocity, whole, lands: on, most: settings.most_offset, height };
                footing.depart(&before, &from);
                state.planting.let_go(number);
            }
            if let Some(metres) = footing.go_on(on, height / settings.most_offset, turned, dt) {
                state.own_steps[number].count(metres);
            }
            footing.clip = clip;
            footing.stands &= lowest <= 2.0 * settings.stance.height;
            state.stands[number] = footing.stands;
            let mut goal = footing.target(&set.legs, number, &state.model);
            let before = &state.points[0][points.clone()];
            let sole = Sole { legs: &set.legs, leg: number, model: &state.model, at: placement.translation };
            footing.hold_down(&sole, before, &state.heights[0][points], near, &mut goal);
            state.goals[number] = goal;
        }
    }

    /// Holds the feet that stand, and measures what they slide.
    fn plant(&mut self, placement: DTransform) -> Result<(), LocomotionError> {
        let Self { rig, set, ground, dt, .. } = *self;
        let state = &mut *self.state;
        // Planting holds feet where the ground was before it moved, so that they go along with it.
        let moved = state.ground_moved;
        let mut unmoved = placement;
        unmoved.translation -= DVec3::new(moved.x, 0.0, moved.y);
        let at = DVec2::new(unmoved.translation.x, unmoved.translation.z);
        let over = OverPath { ground, path: state.path, at, moved };
        PlantJob {
            rig,
            legs: &set.legs,
            settings: &set.settings.plant,
            ground: &over,
            placement: unmoved,
            dt,
            stands: Some(&state.stands),
            state: &mut state.planting,
            pose: self.pose,
        }
        .run()?;
        model_transforms(rig, &set.legs, self.pose, &mut state.model);
        state.points.swap(0, 1);
        state.heights.swap(0, 1);
        state.placements = [placement, if state.frames == 0 { placement } else { state.placements[0] }];
        let [now, before] = &mut state.points;
        let [high, high_before] = &mut state.heights;
        let rule = &set.settings.plant.stance;
        let mut first = 0;
        for (leg, slide) in state.slides.iter_mut().enumerate() {
            let of = &set.legs.legs()[leg];
            for point in 0..of.contacts.len() {
                let (at, height) = contact(&set.legs, &state.model, leg, point);
                let at = placement.translation + at;
                now[first + point] = at;
                let under = ground.cast(at).map_or(placement.translation.y, |hit| hit.height);
                high[first + point] = height + placement.translation.y - under;
            }
            let points = first..first + of.contacts.len();
            slide.see(
                state.stands[leg],
                rule.height,
                [&before[points.clone()], &now[points.clone()]],
                [&high_before[points.clone()], &high[points]],
            );
            first += of.contacts.len();
            let planted = state.planting.feet()[leg];
            worse(&mut state.legs[leg], planted.status);
            let by = planted.offset_ws.with_y(0.0);
            state.footings[leg].shown[0].translation += by;
            if state.frames == 0 {
                state.footings[leg].shown[1].translation += by;
            }
        }
        see_feet(state, set, dt);
        Ok(())
    }
}

/// Where a sample goes.
#[derive(Clone, Copy)]
enum Sampled {
    Pose,
    Target(usize),
}
