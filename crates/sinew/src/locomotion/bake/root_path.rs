//! Where the root of a character goes.

use glam::{DVec2, DVec3};

use super::super::error::{LocomotionError, in_range};
use crate::{ChannelTarget, JointFlags, JointId, Playback, RawClip, RootMotion, RootMotionError, Skeleton};

/// Most samples of a path.
const MAX_SAMPLES: f64 = 1e6;
/// Share of the character's size that a root travels at least.
const LEAST_TRAVEL: f64 = 0.2;
/// A root that is named travels this at least, metres.
const LEAST_NAMED: f64 = 1e-3;

/// The path of the root over the ground: model space, x and z.
#[derive(Clone, Debug, PartialEq)]
pub struct RootPath {
    /// Seconds, increasing.
    pub times: Vec<f64>,
    /// `[time]`, metres (x, z).
    pub points: Vec<DVec2>,
    /// The joint it is of; `None` of a path that was made up from the feet.
    pub joint: Option<JointId>,
}

impl RootPath {
    /// A path from its points.
    ///
    /// # Errors
    /// [`LocomotionError`] where they are not points at increasing times.
    pub fn from_points(times: Vec<f64>, points: Vec<DVec2>) -> Result<Self, LocomotionError> {
        let along: Vec<f64> = points.iter().map(|p| p.x).collect();
        super::super::split::check_keys(&times, &along)?;
        for point in &points {
            in_range("a point of the root's path in z", point.y, -1e6, 1e6, "-1e6 to 1e6")?;
        }
        Ok(Self { times, points, joint: None })
    }

    /// The path of one joint, `rate` samples a second.
    ///
    /// # Errors
    /// [`LocomotionError`] where the joint or the rate is of no use, the clip is empty, or the joint stays
    /// where it is.
    pub fn of(
        skeleton: &Skeleton,
        clip: &RawClip,
        joint: JointId,
        rate: f64,
    ) -> Result<Self, LocomotionError> {
        let path = Self::sample(skeleton, clip, joint, rate)?;
        let travel = path.travel();
        if travel < LEAST_NAMED {
            return Err(LocomotionError::NoRoot { metres: travel });
        }
        Ok(path)
    }

    /// The path of whatever carries the character: the topmost joint, or node above the joints, that is moved
    /// itself, carries at least half of the skeleton and travels a fifth of the character's size or more.
    ///
    /// # Errors
    /// [`LocomotionError::NoRoot`] where nothing travels: root motion is missing, or the clip runs in place.
    pub fn find(skeleton: &Skeleton, clip: &RawClip, rate: f64) -> Result<Self, LocomotionError> {
        clip.validate(skeleton)?;
        let carried = carried(skeleton);
        let half = carried.iter().max().copied().unwrap_or(0).div_ceil(2);
        let mut candidates: Vec<JointId> = clip
            .channels
            .iter()
            .filter(|c| c.target == ChannelTarget::Translation && !c.track.is_constant())
            .map(|c| c.joint)
            .filter(|joint| carried[joint.index()] >= half)
            .collect();
        // Parents come before children.
        candidates.sort_unstable();
        candidates.dedup();
        let mut paths = Vec::new();
        for joint in candidates {
            paths.push(Self::sample(skeleton, clip, joint, rate)?);
        }
        let most = paths.iter().map(Self::travel).fold(0.0, f64::max);
        if !(most >= LEAST_TRAVEL * size(skeleton)) || most < LEAST_NAMED {
            return Err(LocomotionError::NoRoot { metres: most });
        }
        let found = paths.into_iter().find(|path| path.travel() >= 0.5 * most);
        found.ok_or(LocomotionError::NoRoot { metres: most })
    }

    fn sample(
        skeleton: &Skeleton,
        clip: &RawClip,
        joint: JointId,
        rate: f64,
    ) -> Result<Self, LocomotionError> {
        clip.validate(skeleton)?;
        let motion = RootMotion::new(skeleton, clip, joint, Playback::Once).map_err(|error| match error {
            RootMotionError::NoSuchJoint { joint, joints } => LocomotionError::NoSuchJoint { joint, joints },
            other => LocomotionError::RootMotion(other),
        })?;
        let times = sample_times(clip, rate)?;
        let points = times.iter().map(|t| plane(motion.at_ms(*t).translation)).collect();
        let path = Self::from_points(times, points)?;
        Ok(Self { joint: Some(joint), ..path })
    }

    /// Farthest that the path gets from its first point, metres.
    #[must_use]
    pub fn travel(&self) -> f64 {
        self.points.iter().map(|p| (*p - self.points[0]).length()).fold(0.0, f64::max)
    }
}

/// A point over the ground.
pub(super) fn plane(point: DVec3) -> DVec2 {
    DVec2::new(point.x, point.z)
}

/// Even times over a clip, both ends among them. Before its first key a clip holds its first pose, so it begins there:
/// a loop would stand for that long in every pass.
pub(super) fn sample_times(clip: &RawClip, rate: f64) -> Result<Vec<f64>, LocomotionError> {
    in_range("samples a second", rate, 1.0, 1e4, "1 to 10000")?;
    let first = clip.channels.iter().map(|c| c.track.start()).fold(f64::INFINITY, f64::min);
    let end = clip.channels.iter().map(|c| c.track.end()).fold(0.0, f64::max);
    let start = first.min(end);
    let duration = end - start;
    in_range("the clip's length in seconds", duration, 1e-3, 1e6, "0.001 to 1e6")?;
    let count = (duration * rate).round().max(1.0);
    if count > MAX_SAMPLES {
        return Err(LocomotionError::TooManyKeys { keys: count, most: MAX_SAMPLES as usize });
    }
    let last = count as usize;
    Ok((0..=last).map(|i| if i == last { end } else { start + duration * i as f64 / count }).collect())
}

/// `[joint]`: how many skinned joints (of a skeleton without skins: joints) hang from it, itself included.
fn carried(skeleton: &Skeleton) -> Vec<usize> {
    let skinned = skeleton.joints().iter().any(|j| j.flags.contains(JointFlags::SKIN_JOINT));
    let counts = |j: &crate::Joint| !skinned || j.flags.contains(JointFlags::SKIN_JOINT);
    let mut carried: Vec<usize> = skeleton.joints().iter().map(|j| usize::from(counts(j))).collect();
    for joint in (0..carried.len()).rev() {
        if let Some(parent) = skeleton.joints()[joint].parent {
            carried[parent.index()] += carried[joint];
        }
    }
    carried
}

/// Largest extent of a character in rest pose, metres: of its skinned joints, or where nothing is skinned, of all.
/// (Cameras and lights of the scene may be far away.)
pub(super) fn size(skeleton: &Skeleton) -> f64 {
    let (mut pose, mut model_ms) = (crate::RawPose::default(), Vec::new());
    pose.reset(skeleton);
    crate::model_matrices(skeleton, &pose, &mut model_ms);
    let is_skinned = |j: &crate::Joint| j.flags.contains(JointFlags::SKIN_JOINT);
    let skinned = skeleton.joints().iter().any(is_skinned);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (joint, matrix) in skeleton.joints().iter().zip(&model_ms) {
        if skinned && !is_skinned(joint) {
            continue;
        }
        let at = matrix.w_axis.truncate();
        (low, high) = (low.min(at), high.max(at));
    }
    let extent = (high - low).max_element();
    if extent.is_finite() { extent } else { 0.0 }
}
