//! Arms and legs of two bones, in double precision.
//!
//! The triangle of the two bones and the line to the target is solved by lengths alone: where the middle
//! joint is along the line and how far beside it. No angle is taken, so a straight limb is as exact as a bent
//! one. Both joints then get whole frames, bone and hinge, so that the twist follows the plane of the limb
//! and nothing else.

use glam::{DMat3, DQuat, DVec3};

use super::status::{TINY, length, point, rotation, unit, within};
use super::{IkError, IkStatus};
use crate::DTransform;

/// Which of the planes through root and target a limb lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BendPlane {
    /// The one through this point, metres; the limb bends towards it.
    Pole(DVec3),
    /// The one at right angles to this direction, as far as the line to the target lets it. With the line as
    /// `t` and the direction as `n`, the limb bends towards `n x t`; the hinge is `n`.
    Normal(DVec3),
}

/// What a limb is made of; made once from a rest pose, or from the pose of a frame to keep its twist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneLimb {
    /// From root to middle joint, metres.
    pub upper: f64,
    /// From middle to end joint, metres.
    pub lower: f64,
    /// Frame of the upper bone in the root joint's space: +X along the bone, +Z the hinge.
    pub upper_frame: DQuat,
    /// Frame of the lower bone in the middle joint's space.
    pub lower_frame: DQuat,
}

impl TwoBoneLimb {
    /// From two joints, the position of the end, and the hinge about which the limb is bent, all in one
    /// space. About the hinge, the lower bone folds against the upper by a negative angle: for a knee that
    /// bends ahead it points to the character's right (-X), as the normal that gives the same bend does. A
    /// hinge that is not at right angles to a bone is set upright on it.
    ///
    /// # Errors
    /// [`IkError`] where a value is not finite, a bone has no length, or the hinge is along a bone.
    pub fn from_pose(root: &DTransform, mid: &DTransform, end: DVec3, hinge: DVec3) -> Result<Self, IkError> {
        point("the root joint", root.translation)?;
        point("the middle joint", mid.translation)?;
        point("the end joint", end)?;
        rotation("the root joint's rotation", root.rotation)?;
        rotation("the middle joint's rotation", mid.rotation)?;
        let hinge = unit("the hinge", hinge)?;
        let (along_upper, along_lower) = (mid.translation - root.translation, end - mid.translation);
        let (upper, lower) = (along_upper.length(), along_lower.length());
        length("the upper bone", upper, false)?;
        length("the lower bone", lower, false)?;
        Ok(Self {
            upper,
            lower,
            upper_frame: root.rotation.conjugate() * frame(along_upper / upper, hinge)?,
            lower_frame: mid.rotation.conjugate() * frame(along_lower / lower, hinge)?,
        })
    }

    fn check(&self) -> Result<(), IkError> {
        length("the upper bone", self.upper, false)?;
        length("the lower bone", self.lower, false)?;
        rotation("the upper bone's frame", self.upper_frame)?;
        rotation("the lower bone's frame", self.lower_frame)
    }
}

/// X along a bone, Z as near to the hinge as that lets it.
fn frame(bone: DVec3, hinge: DVec3) -> Result<DQuat, IkError> {
    let across = hinge - bone * hinge.dot(bone);
    if across.length() < 1e-6 {
        return Err(IkError::PoleOnLine);
    }
    let z = across.normalize();
    Ok(DQuat::from_mat3(&DMat3::from_cols(bone, z.cross(bone), z)).normalize())
}

/// A solved limb, in the space of the job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneSolution {
    /// Rotation of the root joint.
    pub upper: DQuat,
    /// Rotation of the middle joint.
    pub lower: DQuat,
    /// The middle joint, metres.
    pub mid: DVec3,
    /// The end joint, metres.
    pub end: DVec3,
}

impl TwoBoneSolution {
    /// A solution of nothing, to be written over.
    pub const NONE: Self =
        Self { upper: DQuat::IDENTITY, lower: DQuat::IDENTITY, mid: DVec3::ZERO, end: DVec3::ZERO };
}

/// Bends a limb so that its end is at a target.
///
/// The rotations depend on root, target and plane alone, not on the pose before: the same input gives the
/// same limb. They go over into one another without a jump as long as the pole does not cross the line to the
/// target.
///
/// With `soft` above 0, stretching out begins that share of the limb's length early and ends as much late:
/// the end moves on ever more slowly (a parabola, of the same slope at both ends) instead of stopping with a
/// jerk. It is then short of the target, and the status says by how much.
///
/// ```
/// # use glam::{DQuat, DVec3};
/// # use sinew::DTransform;
/// use sinew::{BendPlane, IkStatus, TwoBoneJob, TwoBoneLimb, TwoBoneSolution};
/// # let at = |y: f64, z: f64| DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(0.1, y, z));
/// # let (hip, knee, foot) = (at(0.9, 0.0), at(0.5, 0.03), DVec3::new(0.1, 0.1, 0.0));
/// // From the rest pose: the knee bends ahead, about an axis to the character's right.
/// let limb = TwoBoneLimb::from_pose(&hip, &knee, foot, DVec3::NEG_X)?;
/// let mut output = TwoBoneSolution::NONE;
/// let status = TwoBoneJob {
///     limb: &limb,
///     root: hip.translation,
///     target: DVec3::new(0.1, 0.3, 0.2),
///     plane: BendPlane::Pole(DVec3::new(0.1, 0.5, 2.0)),
///     soft: 0.0,
///     output: &mut output,
/// }
/// .run()?;
/// assert_eq!(status, IkStatus::Reached);
/// assert!((output.end - DVec3::new(0.1, 0.3, 0.2)).length() < 1e-12);
/// # Ok::<(), sinew::IkError>(())
/// ```
#[derive(Debug)]
pub struct TwoBoneJob<'a> {
    /// The limb.
    pub limb: &'a TwoBoneLimb,
    /// Its root joint, metres.
    pub root: DVec3,
    /// Where the end should be, metres.
    pub target: DVec3,
    /// Where the middle joint should be.
    pub plane: BendPlane,
    /// Share of the limb's length over which it stretches out softly, 0 to 1; 0 for not at all.
    pub soft: f64,
    /// The solution.
    pub output: &'a mut TwoBoneSolution,
}

impl TwoBoneJob<'_> {
    /// Solves the limb. Out of reach it points at the target, stretched out or folded, and says so; bones
    /// keep their lengths. Allocates nothing.
    ///
    /// # Errors
    /// [`IkError`] where an input is none, the target is on the root, or the pole is on the line between the
    /// two. The output is untouched.
    pub fn run(&mut self) -> Result<IkStatus, IkError> {
        self.limb.check()?;
        point("the root", self.root)?;
        point("the target", self.target)?;
        within("the soft share", self.soft, [0.0, 1.0], "0 to 1")?;
        let to_target = self.target - self.root;
        let distance = to_target.length();
        if !distance.is_finite() {
            return Err(IkError::NotFinite { what: "the distance to the target" });
        }
        if distance < TINY {
            return Err(IkError::TargetOnRoot);
        }
        let line = to_target / distance;
        let normal = normal(self.plane, self.root, line)?;
        let aside = normal.cross(line);

        let (a, b) = (self.limb.upper, self.limb.lower);
        let spanned = spanned(distance, a, b, self.soft);
        let along = (a * a - b * b + spanned * spanned) / (2.0 * spanned);
        let along = along.clamp(-a, a);
        let height = ((a - along) * (a + along)).sqrt();
        let upper = line * along + aside * height;
        let lower = line * (spanned - along) - aside * height;
        let turned = |bone: DVec3, frame: DQuat| {
            // A bone that vanishes beside the other has its direction from the line.
            let x = bone.normalize_or(line);
            let y = normal.cross(x);
            DQuat::from_mat3(&DMat3::from_cols(x, y, normal)).normalize() * frame.conjugate()
        };
        let (upper_rotation, lower_rotation) =
            (turned(upper, self.limb.upper_frame), turned(lower, self.limb.lower_frame));
        let mid = self.root + upper;
        let end = self.root + line * spanned;
        *self.output = TwoBoneSolution { upper: upper_rotation, lower: lower_rotation, mid, end };

        let full = a + b;
        Ok(if distance > full {
            IkStatus::Unreachable { by_metres: distance - spanned }
        } else if distance < (a - b).abs() {
            IkStatus::Unreachable { by_metres: (a - b).abs() - distance }
        } else if spanned < distance {
            IkStatus::Softened { by_metres: distance - spanned }
        } else {
            IkStatus::Reached
        })
    }
}

/// The hinge, at right angles to the line.
fn normal(plane: BendPlane, root: DVec3, line: DVec3) -> Result<DVec3, IkError> {
    let (across, size) = match plane {
        BendPlane::Pole(pole) => {
            point("the pole", pole)?;
            (line.cross(pole - root), (pole - root).length())
        }
        BendPlane::Normal(normal) => {
            let normal = unit("the normal of the plane", normal)?;
            (normal - line * normal.dot(line), 1.0)
        }
    };
    // A pole that is next to the line gives any plane at all.
    if !(across.length() > 1e-6 * size.max(TINY)) {
        return Err(IkError::PoleOnLine);
    }
    Ok(across.normalize())
}

/// Distance from root to end for a distance to the target.
pub(super) fn spanned(distance: f64, a: f64, b: f64, soft: f64) -> f64 {
    let full = a + b;
    let margin = full * soft;
    let start = full - margin;
    let past = distance - start;
    let soft = if margin > 0.0 && past > 0.0 {
        let share = (past / margin).min(2.0);
        start + margin * share * (1.0 - 0.25 * share)
    } else {
        distance
    };
    soft.min(full).max((a - b).abs()).max(TINY)
}
