//! From a clip to the same clip with its distance curves.

use super::super::curve_names::is_of_bake;
use super::super::distance_curve::DistanceCurve;
use super::super::error::LocomotionError;
use super::super::split::SplitSettings;
use super::root_path::size;
use super::stored::stored_curves;
use super::{FeetSettings, FeetTravel, MarkerSettings, RootPath, SignedPath};
use crate::{JointId, RawClip, Skeleton};

/// Size of the character that lengths and speeds given for a person are for, metres.
pub const PERSON_HEIGHT: f64 = 1.8;

/// How distance is baked. Heights and speeds are for a person; of a larger or smaller character they count in
/// proportion.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceBakeSettings {
    /// The joint that carries the character; found by itself where none is named.
    pub root: Option<JointId>,
    /// Samples of the path a second.
    pub rate: f64,
    /// How starts, stops and turns are told.
    pub markers: MarkerSettings,
    /// How the path is split.
    pub split: SplitSettings,
    /// The joints of the feet, for a clip that runs in place; of no use to one whose root moves.
    pub feet: Vec<JointId>,
    /// How travel is told by feet.
    pub by_feet: FeetSettings,
}

impl Default for DistanceBakeSettings {
    /// Whatever carries the character, 30 samples a second.
    fn default() -> Self {
        Self {
            root: None,
            rate: 30.0,
            markers: MarkerSettings::default(),
            split: SplitSettings::default(),
            feet: Vec::new(),
            by_feet: FeetSettings::default(),
        }
    }
}

/// Finds the distance curves of a clip and stores them in it.
#[derive(Debug)]
pub struct DistanceBakeJob<'a> {
    /// Whose clip it is.
    pub skeleton: &'a Skeleton,
    /// The clip.
    pub clip: &'a RawClip,
    /// How.
    pub settings: &'a DistanceBakeSettings,
}

/// A clip with its distance curves.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceBake {
    /// The clip with the curves stored, each with its remainder and its direction of travel, and the root's way beside
    /// them: all that [`MotionClip::from_clip`](crate::MotionClip::from_clip) needs. Curves that a bake before stored
    /// are gone.
    pub clip: RawClip,
    /// The curves, one a marker.
    pub curves: Vec<DistanceCurve>,
    /// The path they are of, with markers and reversals.
    pub path: SignedPath,
    /// The points of that path over the ground.
    pub root_path: RootPath,
    /// The joint whose path it is; `None` where the feet told it.
    pub root: Option<JointId>,
    /// What the feet said; `None` where the root moves.
    pub feet: Option<FeetTravel>,
    /// Largest extent of the character's joints in rest pose, metres.
    pub size: f64,
}

/// Where a clip goes.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceTravel {
    /// With markers and reversals.
    pub path: SignedPath,
    /// The points of that path over the ground.
    pub root_path: RootPath,
    /// What the feet said; `None` where the root moves.
    pub feet: Option<FeetTravel>,
}

impl DistanceBakeJob<'_> {
    /// Finds where the clip goes, and leaves it as it is. A clip whose root goes nowhere is told by its feet, where
    /// some are named.
    ///
    /// # Errors
    /// As [`DistanceBakeJob::run`].
    pub fn travel(&self) -> Result<DistanceTravel, LocomotionError> {
        let Self { skeleton, clip, settings } = *self;
        let size = size(skeleton);
        let scale = if size > 0.0 { size / PERSON_HEIGHT } else { 1.0 };
        let by_root = match settings.root {
            Some(joint) => RootPath::of(skeleton, clip, joint, settings.rate),
            None => RootPath::find(skeleton, clip, settings.rate),
        };
        let (root_path, feet) = match by_root {
            Ok(path) => (path, None),
            Err(LocomotionError::NoRoot { .. }) if !settings.feet.is_empty() => {
                let by_feet = settings.by_feet.scaled(scale);
                let found = FeetTravel::find(skeleton, clip, &settings.feet, settings.rate, &by_feet)?;
                (found.path.clone(), Some(found))
            }
            Err(error) => return Err(error),
        };
        let path = SignedPath::find(&root_path, &settings.markers.scaled(scale))?;
        Ok(DistanceTravel { path, root_path, feet })
    }

    /// Bakes. A clip whose root goes nowhere is told by its feet, where some are named.
    ///
    /// # Errors
    /// [`LocomotionError`] says what is missing: root motion, feet that agree, a way to go.
    pub fn run(&self) -> Result<DistanceBake, LocomotionError> {
        let Self { skeleton, clip, settings } = *self;
        let travel = self.travel()?;
        let curves = travel.path.curves(&settings.split)?;
        DistanceBake::assemble(skeleton, clip.clone(), curves, travel, settings)
    }
}

impl DistanceBake {
    /// The clip with these curves in place of those of a bake before.
    pub(super) fn assemble(
        skeleton: &Skeleton,
        mut clip: RawClip,
        curves: Vec<DistanceCurve>,
        travel: DistanceTravel,
        settings: &DistanceBakeSettings,
    ) -> Result<Self, LocomotionError> {
        let DistanceTravel { path, root_path, feet } = travel;
        clip.curves.retain(|curve| !is_of_bake(&curve.name));
        clip.curves.extend(stored_curves(skeleton, &curves, &path, &root_path, settings.markers.straight)?);
        let root = root_path.joint;
        Ok(Self { clip, curves, path, root_path, root, feet, size: size(skeleton) })
    }

    pub(super) fn travel(&self) -> DistanceTravel {
        DistanceTravel { path: self.path.clone(), root_path: self.root_path.clone(), feet: self.feet.clone() }
    }
}
