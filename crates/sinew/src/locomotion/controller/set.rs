//! The clips of one character.

use glam::DVec3;

use super::super::error::{LocomotionError, in_range};
use super::super::settings::MatchSettings;
use super::super::split::DistanceKind;
use super::super::warp::{StrideWarp, WarpJob, WarpSettings, Warping};
use super::feet::{ClipFeet, feet_at_end, model_transforms};
use super::motion_clip::MotionClip;
use crate::{
    Clip, DTransform, FlatGround, LocalPose, PlantJob, PlantRig, PlantSettings, Planting, Rig, SampleError,
    SampleJob, Slot, Transition, TransitionSettings, TransitionStart,
};

/// How a character moves on.
#[derive(Clone, Debug, PartialEq)]
pub struct LocomotionSettings {
    /// Limits of starts, and of what follows a turn.
    pub start: MatchSettings,
    /// Limits of loops.
    pub cycle: MatchSettings,
    /// Limits of stops, and of what leads to a turn.
    pub stop: MatchSettings,
    /// How clips are handed over.
    pub transition: TransitionSettings,
    /// Limits of stride warping.
    pub warp: WarpSettings,
    /// How feet are held.
    pub plant: PlantSettings,
    /// Cosine of the angle between stick and velocity below which a character turns round.
    pub turn: f64,
    /// Joints above the pelvis, parents first, that turn what they carry to where the character looks while its
    /// legs go another way; none where only the legs are turned.
    pub spine: Vec<Slot>,
    /// How much of a slope the feet turn with, 0 to 1.
    pub tilt: f64,
}

impl LocomotionSettings {
    /// For a character of this size (a person's height), metres.
    #[must_use]
    pub fn for_size(size: f64) -> Self {
        Self {
            start: MatchSettings::start(),
            cycle: MatchSettings::cycle(),
            stop: MatchSettings::stop(),
            transition: TransitionSettings { duration: 0.2, ..TransitionSettings::default() },
            warp: WarpSettings::for_size(size),
            plant: PlantSettings::for_size(size),
            turn: -0.5,
            spine: Vec::new(),
            tilt: 1.0,
        }
    }

    fn check(&self, rig: &Rig) -> Result<(), LocomotionError> {
        for limits in [&self.start, &self.cycle, &self.stop] {
            limits.check()?;
        }
        in_range("the cosine of a turn", self.turn, -1.0, 1.0, "-1 to 1")?;
        in_range("the tilt of the feet", self.tilt, 0.0, 1.0, "0 to 1")?;
        let joints = rig.len();
        match self.spine.iter().find(|slot| slot.index() >= joints) {
            Some(slot) => Err(LocomotionError::NoSuchSlot { slot: *slot, joints }),
            None => Ok(()),
        }
    }
}

/// The clips that a character moves with. Where there are several for the same thing, the one is played whose
/// feet are most like those of the character at the moment: one that begins with the left foot ahead, one with the
/// right, as many as there are.
#[derive(Clone, Debug)]
pub struct LocomotionClips {
    /// From standing to running; one or more.
    pub starts: Vec<MotionClip>,
    /// Running on, round and round.
    pub cycle: MotionClip,
    /// From running to standing; one or more.
    pub stops: Vec<MotionClip>,
    /// From running to running the other way; none where a character turns without a clip for it.
    pub pivots: Vec<MotionClip>,
    /// Standing, round and round, about where the first start begins; without one a character stands in the last
    /// pose of its stop.
    pub idle: Option<Clip>,
}

/// Clips, legs and settings of a character, checked once and shared by all that look alike.
#[derive(Clone, Debug)]
pub struct LocomotionSet {
    pub(super) clips: LocomotionClips,
    pub(super) settings: LocomotionSettings,
    pub(super) legs: PlantRig,
    /// What is moved to bring a pose to the capsule: the joint that travels in all clips where the whole body hangs
    /// from it, so that what lies above (a ground, a scene) stays where it is; else all topmost joints.
    pub(super) carriers: Vec<Slot>,
    pub(super) feet: SetFeet,
    /// What brings the idle clip to where the first start begins, metres.
    pub(super) idle_shift: DVec3,
    pub(super) joints: usize,
    /// Of the rig.
    pub(super) layout: u32,
}

/// What is known of the feet, in the order of the clips.
#[derive(Clone, Debug)]
pub(super) struct SetFeet {
    pub(super) starts: Vec<ClipFeet>,
    pub(super) cycle: ClipFeet,
    pub(super) stops: Vec<ClipFeet>,
    pub(super) pivots: Vec<ClipFeet>,
    /// Where the loop takes over from each start, and from each turn, seconds.
    pub(super) after_start: Vec<f64>,
    pub(super) after_pivot: Vec<f64>,
}

impl LocomotionSet {
    /// Checks that clips, legs and settings belong together, finds when feet stand and where the loop takes
    /// over: where its feet are most like those at the end of the clip before.
    ///
    /// # Errors
    /// [`LocomotionError`] names what does not fit.
    pub fn new(
        rig: &Rig,
        legs: PlantRig,
        clips: LocomotionClips,
        settings: LocomotionSettings,
    ) -> Result<Self, LocomotionError> {
        settings.check(rig)?;
        if legs.joints != rig.len() {
            let (found, expected) = (legs.joints, rig.len());
            return Err(LocomotionError::Count { what: "joints of the legs' rig", found, expected });
        }
        for (what, list) in [("starts", &clips.starts), ("stops", &clips.stops)] {
            if list.is_empty() {
                return Err(LocomotionError::NoClip { what });
            }
        }
        rehearse(rig, &legs, &settings)?;
        let one = core::slice::from_ref(&clips.cycle);
        for (list, kind) in [
            (clips.starts.as_slice(), DistanceKind::Start),
            (one, DistanceKind::Loop),
            (&clips.stops, DistanceKind::Stop),
            (&clips.pivots, DistanceKind::Pivot),
        ] {
            for (number, clip) in list.iter().enumerate() {
                fits(clip, kind, rig).map_err(of_set(kind.name(), number))?;
            }
        }
        if let Some(idle) = &clips.idle {
            same_rig(idle, rig).map_err(of_set("idle", 0))?;
        }
        let carriers = carriers(rig, &legs, &clips);
        if let Some((slot, _)) = rig.fixed().iter().find(|(slot, _)| carriers.contains(slot)) {
            return Err(LocomotionError::FixedRoot { slot: *slot });
        }
        let of = |clip: &MotionClip| ClipFeet::of(rig, &legs, &carriers, clip, &settings.plant.stance);
        let all = |list: &[MotionClip]| list.iter().map(of).collect::<Result<Vec<_>, _>>();
        let cycle = of(&clips.cycle)?;
        let entry = |clip: &MotionClip| -> Result<f64, LocomotionError> {
            Ok(cycle.most_like(&feet_at_end(rig, &legs, &carriers, clip)?).0)
        };
        let after_start = clips.starts.iter().map(entry).collect::<Result<_, _>>()?;
        let after_pivot = clips.pivots.iter().map(entry).collect::<Result<_, _>>()?;
        let (starts, stops, pivots) = (all(&clips.starts)?, all(&clips.stops)?, all(&clips.pivots)?);
        let feet = SetFeet { starts, cycle, stops, pivots, after_start, after_pivot };
        let idle_shift = match &clips.idle {
            None => DVec3::ZERO,
            Some(idle) => {
                let (mut pose, mut model) = (LocalPose::rest(rig), vec![DTransform::IDENTITY; rig.len()]);
                let start = &clips.starts[0];
                start.sample(rig, &carriers, start.curve.span()[0], 0.0, &mut pose)?;
                model_transforms(rig, &legs, &pose, &mut model);
                let there = model[legs.pelvis.index()].translation;
                SampleJob::new(rig, idle, 0.0, &mut pose).run()?;
                model_transforms(rig, &legs, &pose, &mut model);
                (there - model[legs.pelvis.index()].translation).with_y(0.0)
            }
        };
        Ok(Self {
            clips,
            settings,
            legs,
            carriers,
            feet,
            idle_shift,
            joints: rig.len(),
            layout: rig.layout(),
        })
    }

    /// The clips.
    #[must_use]
    pub fn clips(&self) -> &LocomotionClips {
        &self.clips
    }

    /// Where the loop takes over from a start, seconds within the loop.
    ///
    /// # Panics
    /// Where there is no such start.
    #[must_use]
    pub fn cycle_entry(&self, start: usize) -> f64 {
        self.feet.after_start[start]
    }

    /// When each leg stands in the loop, `[leg]`, seconds.
    #[must_use]
    pub fn cycle_stances(&self) -> &[Vec<[f64; 2]>] {
        &self.feet.cycle.stances
    }
}

/// Warps, plants and hands over a rest pose, so that settings which cannot be played with are refused now.
fn rehearse(rig: &Rig, legs: &PlantRig, settings: &LocomotionSettings) -> Result<(), LocomotionError> {
    let (rest, mut pose) = (LocalPose::rest(rig), LocalPose::rest(rig));
    let stride = Some(StrideWarp { scale: 1.0, direction_ms: DVec3::Z });
    let (state, limits) = (&mut Warping::new(legs), &settings.warp);
    WarpJob { rig, legs, settings: limits, stride, orientation: None, slope: None, state, pose: &mut pose }
        .run()?;
    PlantJob {
        rig,
        legs,
        settings: &settings.plant,
        ground: &FlatGround::default(),
        placement: DTransform::IDENTITY,
        dt: 0.0,
        stands: None,
        state: &mut Planting::new(legs),
        pose: &mut pose,
    }
    .run()?;
    let start = TransitionStart {
        source: &rest,
        source_before: &rest,
        target: &rest,
        target_before: &rest,
        dt: 1.0 / 60.0,
    };
    Ok(Transition::new(rig).begin(&settings.transition, &start)?)
}

/// Says which clip of the set an error is about.
fn of_set(what: &'static str, number: usize) -> impl Fn(LocomotionError) -> LocomotionError {
    move |error| LocomotionError::InSet { what, number, error: Box::new(error) }
}

fn fits(clip: &MotionClip, kind: DistanceKind, rig: &Rig) -> Result<(), LocomotionError> {
    if clip.curve.kind() != kind {
        return Err(LocomotionError::Kind { found: clip.curve.kind().name(), expected: kind.name() });
    }
    same_rig(&clip.clip, rig)
}

/// As many joints, and the same.
fn same_rig(clip: &Clip, rig: &Rig) -> Result<(), LocomotionError> {
    if clip.joints() != rig.len() {
        return Err(SampleError::Rig { found: clip.joints(), expected: rig.len() }.into());
    }
    if clip.layout() != rig.layout() {
        return Err(SampleError::Layout { found: clip.layout(), expected: rig.layout() }.into());
    }
    Ok(())
}

/// See [`LocomotionSet`].
fn carriers(rig: &Rig, legs: &PlantRig, clips: &LocomotionClips) -> Vec<Slot> {
    let topmost = || (0..rig.len()).filter(|i| rig.parents()[*i].is_none()).map(|i| Slot(i as u16)).collect();
    let lists = [&clips.starts, &clips.stops, &clips.pivots];
    let all = || lists.into_iter().flatten().chain([&clips.cycle]);
    let Some(root) = all().find_map(|clip| clip.root) else { return topmost() };
    let travels = rig.slot(root);
    let hangs = |slot: Slot| {
        let mut walk = Some(slot);
        while let Some(here) = walk.filter(|here| *here != travels) {
            walk = rig.parents()[here.index()];
        }
        walk.is_some()
    };
    let body = legs.legs().iter().flat_map(|leg| leg.contacts.iter().map(|c| c.joint).chain([leg.hip]));
    let one = all().all(|clip| clip.root.is_none_or(|other| other == root));
    if one && hangs(legs.pelvis) && body.into_iter().all(hangs) { vec![travels] } else { topmost() }
}
