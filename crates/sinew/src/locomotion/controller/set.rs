//! The clips of one character.

use super::super::error::LocomotionError;
use super::super::settings::MatchSettings;
use super::super::split::DistanceKind;
use super::super::warp::WarpSettings;
use super::feet::{Stances, stances, time_like_end};
use super::motion_clip::MotionClip;
use crate::{PlantRig, PlantSettings, Rig, Slot, TransitionSettings};

/// How a character moves on.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        }
    }
}

/// The clips that a character moves with.
#[derive(Clone, Debug)]
pub struct LocomotionClips {
    /// From standing to running.
    pub start: MotionClip,
    /// Running on, round and round.
    pub cycle: MotionClip,
    /// From running to standing.
    pub stop: MotionClip,
    /// From running to running the other way, where there is one.
    pub pivot: Option<MotionClip>,
}

/// Clips, legs and settings of a character, checked once and shared by all that look alike.
#[derive(Clone, Debug)]
pub struct LocomotionSet {
    pub(super) clips: LocomotionClips,
    pub(super) settings: LocomotionSettings,
    pub(super) legs: PlantRig,
    pub(super) roots: Vec<Slot>,
    /// Start, cycle, stop, pivot.
    pub(super) stances: [Stances; 4],
    /// Where the loop takes over from the start, and from the turn, seconds.
    pub(super) entries: [f64; 2],
    pub(super) joints: usize,
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
        for limits in [&settings.start, &settings.cycle, &settings.stop] {
            limits.check()?;
        }
        if legs.joints != rig.len() {
            let (found, expected) = (legs.joints, rig.len());
            return Err(LocomotionError::Count { what: "joints of the legs' rig", found, expected });
        }
        for (clip, kind) in [
            (Some(&clips.start), DistanceKind::Start),
            (Some(&clips.cycle), DistanceKind::Loop),
            (Some(&clips.stop), DistanceKind::Stop),
            (clips.pivot.as_ref(), DistanceKind::Pivot),
        ] {
            let Some(clip) = clip else { continue };
            if clip.curve.kind() != kind {
                return Err(LocomotionError::Kind { found: clip.curve.kind().name(), expected: kind.name() });
            }
            if clip.clip.joints() != rig.len() {
                let (found, expected) = (clip.clip.joints(), rig.len());
                return Err(LocomotionError::Count { what: "joints of a clip", found, expected });
            }
        }
        let roots: Vec<Slot> =
            (0..rig.len()).filter(|i| rig.parents()[*i].is_none()).map(|i| Slot(i as u16)).collect();
        if let Some((slot, _)) = rig.fixed().iter().find(|(slot, _)| roots.contains(slot)) {
            return Err(LocomotionError::FixedRoot { slot: *slot });
        }
        let rule = settings.plant.stance;
        let of = |clip: &MotionClip| Ok::<_, LocomotionError>(stances(rig, &legs, &roots, clip, &rule)?);
        let none = vec![Vec::new(); legs.legs().len()];
        let pivot = clips.pivot.as_ref();
        let stances = [of(&clips.start)?, of(&clips.cycle)?, of(&clips.stop)?, pivot.map_or(Ok(none), of)?];
        let entry = |clip: &MotionClip| time_like_end(rig, &legs, &roots, clip, &clips.cycle);
        let entries = [entry(&clips.start)?, pivot.map_or(Ok(0.0), entry)?];
        Ok(Self { clips, settings, legs, roots, stances, entries, joints: rig.len() })
    }

    /// The clips.
    #[must_use]
    pub fn clips(&self) -> &LocomotionClips {
        &self.clips
    }

    /// Where the loop takes over from the start, seconds within the loop.
    #[must_use]
    pub fn cycle_entry(&self) -> f64 {
        self.entries[0]
    }

    /// When each leg stands in the loop, `[leg]`, seconds.
    #[must_use]
    pub fn cycle_stances(&self) -> &[Vec<[f64; 2]>] {
        &self.stances[1]
    }
}
