//! A run of a character, frame by frame.

use glam::DVec2;
use sinew::locomotion::{
    Account, LocomotionController, LocomotionError, LocomotionFrame, LocomotionJob, LocomotionPhase,
    LocomotionSet, predict_stop,
};
use sinew::{DTransform, FlatGround, JointId, LocalPose, RawPose, Rig, Skeleton};

use super::plants::SolePoint;
use super::script::{DT, Pace, Part, Until, braking_for};

/// Who runs.
pub(crate) struct Character {
    pub(crate) skeleton: Skeleton,
    pub(crate) rig: Rig,
    pub(crate) set: LocomotionSet,
    pub(crate) soles: [Vec<SolePoint>; 2],
    /// Hips and chest.
    pub(crate) trunk: [JointId; 2],
    /// What travels.
    pub(crate) root: JointId,
}

/// A frame of a run.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) part: usize,
    pub(crate) position: DVec2,
    pub(crate) speed: f64,
    /// Since the first frame, metres: of the capsule, and what is accounted for.
    pub(crate) travelled: f64,
    pub(crate) accounted: Account,
    pub(crate) frame: LocomotionFrame,
}

/// A run.
pub(crate) struct Recording {
    pub(crate) frames: Vec<Frame>,
    /// In the world.
    pub(crate) poses: Vec<RawPose>,
    /// Of each part that ends at a place: how far from it he stands, metres.
    pub(crate) misses: Vec<f64>,
}

impl Recording {
    /// Plays a script. In the first frame he stands.
    pub(crate) fn play(
        character: &Character,
        mover: &Pace,
        script: &[Part],
    ) -> Result<Self, LocomotionError> {
        let rig = &character.rig;
        let mut state = LocomotionController::new(rig, &character.set);
        let mut pose = LocalPose::rest(rig);
        let mut all = Self { frames: Vec::new(), poses: Vec::new(), misses: Vec::new() };
        let mut travelled = 0.0;
        let mut accounted = Account::default();
        let mut target: Option<DVec2> = None;
        let mut brakes = mover.ground.braking;
        for (number, part) in script.iter().enumerate() {
            let (mut frames, from) = (0_u32, state.position());
            if let (Until::Stop(metres), Some([angle, _])) = (part.until, part.stick) {
                let (sin, cos) = libm::sincos(angle);
                target = Some(from + DVec2::new(sin, cos) * metres);
            }
            loop {
                let pace = {
                    let mut pace = *mover;
                    (pace.ground.max_speed, pace.ground.braking) = (part.speed, brakes);
                    pace
                };
                let share = match part.until {
                    Until::Seconds(seconds) => f64::from(frames) * DT / seconds,
                    Until::Stop(_) | Until::Frames(_) => 0.0,
                };
                let over = match part.until {
                    Until::Seconds(_) => share >= 1.0 - 1e-9,
                    Until::Frames(count) => all.frames.len() >= count,
                    Until::Stop(_) => {
                        let left = target.map_or(0.0, |t| (t - state.position()).length());
                        let next = pace_step(&pace, &state, part.input(0.0));
                        // After another frame of running it would be too late.
                        predict_stop(&pace, next, DT)?.distance + next.length() * DT > left
                    }
                };
                if over || frames > 1200 {
                    break;
                }
                frames += 1;
                let before = state.position();
                let frame = LocomotionJob {
                    rig,
                    set: &character.set,
                    mover: &pace,
                    ground: &FlatGround::default(),
                    input: part.input(share),
                    facing: None,
                    dt: DT,
                    state: &mut state,
                    pose: &mut pose,
                }
                .run()?;
                travelled += (state.position() - before).length();
                accounted = accounted.and(&frame.account);
                let (position, speed) = (state.position(), state.velocity().length());
                let mut shown = RawPose::rest(&character.skeleton);
                for (id, _) in character.skeleton.iter() {
                    let local = pose.get(rig.slot(id));
                    shown.local[id.index()] = DTransform {
                        translation: local.translation.as_dvec3(),
                        rotation: local.rotation.as_dquat().normalize(),
                        scale: local.scale.as_dvec3(),
                    };
                }
                shown.local[character.root.index()].translation += frame.placement.translation;
                all.poses.push(shown);
                all.frames.push(Frame { part: number, position, speed, travelled, accounted, frame });
            }
            if let (Until::Stop(_), Some(target)) = (part.until, target) {
                brakes = braking_for(mover, state.velocity(), (target - state.position()).length());
            } else if let Some(at) = target.take_if(|_| state.velocity() == DVec2::ZERO) {
                all.misses.push((at - state.position()).length());
                brakes = mover.ground.braking;
            }
        }
        Ok(all)
    }

    /// Stretches of time in which the character does one thing.
    pub(crate) fn phases(&self) -> Vec<(LocomotionPhase, [usize; 2])> {
        let mut phases: Vec<(LocomotionPhase, [usize; 2])> = Vec::new();
        for (i, frame) in self.frames.iter().enumerate() {
            match phases.last_mut() {
                Some((phase, span)) if *phase == frame.frame.phase => span[1] = i,
                _ => phases.push((frame.frame.phase, [i, i])),
            }
        }
        phases
    }
}

fn pace_step(pace: &Pace, state: &LocomotionController, input: DVec2) -> DVec2 {
    use sinew::locomotion::Mover;
    pace.step(state.velocity(), input, DT)
}
