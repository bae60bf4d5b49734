//! The runner as a character that moves by distance.

use glam::DVec3;
use sinew::locomotion::{
    DistanceBakeJob, DistanceBakeSettings, DistanceKind, LocomotionClips, LocomotionError, LocomotionSet,
    LocomotionSettings, MotionClip,
};
use sinew::{ClipBuilder, JointId, PlantContact, PlantLeg, PlantRig, RawClip, Rig, Skeleton};

use super::clips::{self, MOMENTS};
use super::plants::SolePoint;
use super::recording::Character;
use crate::StudyError;
use crate::distance_study::runner::{ANKLE, BALL, CHEST, LEGS, PELVIS, ROOT, skeleton_alone};

/// Height of the runner, metres.
const SIZE: f64 = 1.75;
/// Heel and ball of a sole from the ankle, metres.
const HEEL: DVec3 = DVec3::new(0.0, -ANKLE, -0.05);
const TREAD: DVec3 = DVec3::new(0.0, -ANKLE, BALL);

/// The runner and all his clips.
pub(crate) fn biped() -> Result<Character, StudyError> {
    let skeleton = skeleton_alone()?;
    let rig = Rig::new(&skeleton).map_err(StudyError::build("the runner's rig"))?;
    let made = |raw: RawClip, kind: DistanceKind| motion(&skeleton, &rig, &raw, ROOT, kind);
    let both = |of: &dyn Fn(usize, f64) -> Result<RawClip, StudyError>, kind: DistanceKind| {
        let all = [0, 1].into_iter().flat_map(|first| MOMENTS.map(|lands| (first, lands)));
        all.map(|(first, lands)| made(of(first, lands)?, kind)).collect::<Result<Vec<_>, _>>()
    };
    let starts = [0, 1].map(|first| made(clips::start(&skeleton, first)?, DistanceKind::Start));
    let idle = clips::idle(&skeleton)?;
    let clips = LocomotionClips {
        starts: starts.into_iter().collect::<Result<_, _>>()?,
        cycle: made(clips::cycle(&skeleton)?, DistanceKind::Loop)?,
        stops: both(&|first, lands| clips::stop(&skeleton, first, lands), DistanceKind::Stop)?,
        pivots: both(&|first, lands| clips::pivot(&skeleton, first, lands), DistanceKind::Pivot)?,
        idle: Some(build(&skeleton, &rig, &idle)?),
    };
    let legs = legs(&rig)?;
    let spine = vec![rig.slot(CHEST)];
    let settings = LocomotionSettings { spine, ..LocomotionSettings::for_size(SIZE) };
    let set = LocomotionSet::new(&rig, legs, clips, settings)
        .map_err(StudyError::build::<LocomotionError>("the runner's clips"))?;
    let point = |joint, offset_ls| SolePoint { joint, offset_ls, height: 0.0 };
    let soles = LEGS.map(|leg| [HEEL, TREAD].map(|offset_ls| point(leg[2], offset_ls)).to_vec());
    Ok(Character { skeleton, rig, set, soles, trunk: [PELVIS, CHEST], root: ROOT })
}

fn legs(rig: &Rig) -> Result<PlantRig, StudyError> {
    let legs = LEGS.map(|[thigh, shin, foot, _]| {
        let contact = |offset_ls| PlantContact { joint: rig.slot(foot), offset_ls, height: 0.0 };
        PlantLeg {
            hip: rig.slot(thigh),
            knee: rig.slot(shin),
            foot: rig.slot(foot),
            loose_foot: None,
            hinge_ls: DVec3::NEG_X,
            contacts: vec![contact(HEEL), contact(TREAD)],
        }
    });
    PlantRig::new(rig, rig.slot(PELVIS), legs.to_vec()).map_err(StudyError::build("the runner's legs"))
}

/// A clip for the frame loop.
pub(super) fn build(skeleton: &Skeleton, rig: &Rig, raw: &RawClip) -> Result<sinew::Clip, StudyError> {
    let built = ClipBuilder::new(skeleton, rig).bound(1e-5).build(raw);
    Ok(built.map_err(StudyError::build("a clip"))?.0)
}

/// A clip with its distance.
pub(super) fn motion(
    skeleton: &Skeleton,
    rig: &Rig,
    raw: &RawClip,
    root: JointId,
    kind: DistanceKind,
) -> Result<MotionClip, StudyError> {
    let what = raw.label();
    let failed = || StudyError::build::<LocomotionError>(&what);
    let settings = DistanceBakeSettings { root: Some(root), rate: 60.0, ..DistanceBakeSettings::default() };
    let bake = DistanceBakeJob { skeleton, clip: raw, settings: &settings }.run().map_err(failed())?;
    let marker = bake.curves.iter().position(|curve| curve.kind() == kind).unwrap_or(bake.curves.len());
    MotionClip::new(build(skeleton, rig, raw)?, &bake, marker).map_err(failed())
}
