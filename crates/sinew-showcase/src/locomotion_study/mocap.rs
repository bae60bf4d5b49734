//! A character from a file with one clip in which he stands, runs and stands again: cut into a start, a run and a stop.

use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3};
use sinew::locomotion::{DistanceKind, LocomotionClips, LocomotionError, LocomotionSet, LocomotionSettings};
use sinew::{JointId, PlantContact, PlantLeg, PlantRig, RawClip, RawPose, Rig, Skeleton, model_matrices};
use sinew_asset::{Document, ReadOptions, load};

use super::biped::motion;
use super::plants::SolePoint;
use super::recording::Character;
use crate::StudyError;
use crate::action_study::playback::clip_at;

/// Where the file is in the folder that `SINEW_SHARED` names.
const FILE: &str = "data/derived_pab_start_stop/run_start_stop.glb";
/// Height of the character, metres.
const SIZE: f64 = 1.67;
/// Keys a second of the cuts.
const RATE: f64 = 60.0;
/// Where the clip is cut, seconds: a start to where the run is even, one pass of the run, a stop from there on.
const START: [f64; 2] = [0.0, 1.2];
const CYCLE: [f64; 2] = [1.2, 1.2 + 2.0 / 3.0];
const STOP: [f64; 2] = [2.2, 3.2];

/// The file, where it is there.
pub(crate) fn file() -> Option<PathBuf> {
    let path = Path::new(&std::env::var_os("SINEW_SHARED")?).join(FILE);
    path.is_file().then_some(path)
}

/// The character, and the file that he is from.
pub(crate) fn mocap(path: &Path) -> Result<(Character, Document), StudyError> {
    let what = "the measured runner";
    let document = load(path, &ReadOptions::default())
        .map_err(|source| StudyError::Read { what: what.into(), source })?
        .document;
    let skeleton = document.skeleton.clone();
    let rig = Rig::new(&skeleton).map_err(StudyError::build(what))?;
    let whole = document.clips.iter().find(|clip| clip.label().contains("run_start_stop"));
    let whole = whole.ok_or_else(|| missing("the clip run_start_stop"))?;
    let joint = |name: &str| skeleton.find(name).ok_or_else(|| missing(name));
    let root = joint("Hips")?;
    let legs = [
        ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftFootThumb1"],
        ["RightUpLeg", "RightLeg", "RightFoot", "RightFootThumb1"],
    ];
    let mut feet = Vec::new();
    for names in legs {
        let mut joints = [root; 4];
        for (to, name) in joints.iter_mut().zip(names) {
            *to = joint(name)?;
        }
        feet.push(joints);
    }
    let cut = |name: &str, [from, to]: [f64; 2]| cut(&skeleton, whole, name, from, to);
    let (start, cycle, stop) = (cut("start", START)?, cut("run", CYCLE)?, cut("stop", STOP)?);
    let (mut soles, mut plant_legs) = ([Vec::new(), Vec::new()], Vec::new());
    for (leg, [hip, knee, foot, ball]) in feet.iter().copied().enumerate() {
        let of = Limb { hip, knee, foot, points: [foot, ball] };
        let (heights, hinge_ls) = of.measure(&skeleton, &cycle);
        let contacts = of.points.iter().zip(heights).map(|(joint, height)| {
            soles[leg].push(SolePoint { joint: *joint, offset_ls: DVec3::ZERO, height });
            PlantContact { joint: rig.slot(*joint), offset_ls: DVec3::ZERO, height }
        });
        let contacts = contacts.collect();
        let (hip, knee, foot) = (rig.slot(hip), rig.slot(knee), rig.slot(foot));
        plant_legs.push(PlantLeg { hip, knee, foot, loose_foot: None, hinge_ls, contacts });
    }
    let pelvis = rig.slot(joint("Pelvis")?);
    let legs = PlantRig::new(&rig, pelvis, plant_legs).map_err(StudyError::build(what))?;
    let made = |raw: &RawClip, kind| motion(&skeleton, &rig, raw, root, kind);
    let clips = LocomotionClips {
        starts: vec![made(&start, DistanceKind::Start)?],
        cycle: made(&cycle, DistanceKind::Loop)?,
        stops: vec![made(&stop, DistanceKind::Stop)?],
        pivots: Vec::new(),
        idle: None,
    };
    let set = LocomotionSet::new(&rig, legs, clips, LocomotionSettings::for_size(SIZE))
        .map_err(StudyError::build::<LocomotionError>(what))?;
    let trunk = [joint("Pelvis")?, joint("Spine3")?];
    Ok((Character { skeleton, rig, set, soles, trunk, root }, document))
}

fn missing(what: &str) -> StudyError {
    StudyError::build("the measured runner")(std::io::Error::new(
        std::io::ErrorKind::NotFound,
        format!("the file has no {what}"),
    ))
}

/// A stretch of a clip as one of its own.
fn cut(skeleton: &Skeleton, clip: &RawClip, name: &str, from: f64, to: f64) -> Result<RawClip, StudyError> {
    let count = ((to - from) * RATE).round() as usize;
    let mut poses = Vec::new();
    for i in 0..=count {
        let mut pose = RawPose::default();
        clip.sample(skeleton, from + (to - from) * i as f64 / count as f64, &mut pose);
        poses.push(pose);
    }
    clip_at(count as f64 / (to - from), name, 0, skeleton, &poses)
}

struct Limb {
    hip: JointId,
    knee: JointId,
    foot: JointId,
    points: [JointId; 2],
}

impl Limb {
    /// How high each point gets at its lowest, and the axis that the knee bends about.
    fn measure(&self, skeleton: &Skeleton, clip: &RawClip) -> ([f64; 2], DVec3) {
        let (mut heights, mut hinge) = ([f64::INFINITY; 2], DVec3::ZERO);
        let (mut pose, mut model_ms) = (RawPose::default(), Vec::<DMat4>::new());
        let frames = 80;
        for frame in 0..=frames {
            clip.sample(skeleton, clip.duration() * f64::from(frame) / f64::from(frames), &mut pose);
            model_matrices(skeleton, &pose, &mut model_ms);
            let at = |joint: JointId| model_ms[joint.index()].w_axis.truncate();
            for (height, point) in heights.iter_mut().zip(self.points) {
                *height = height.min(at(point).y);
            }
            let bend = (at(self.foot) - at(self.knee)).cross(at(self.knee) - at(self.hip));
            hinge += model_ms[self.knee.index()].inverse().transform_vector3(bend).normalize_or_zero();
        }
        (heights, hinge)
    }
}
