//! Joints of a leg put where they should be.

use glam::{DQuat, DVec3};

use super::PlantLeg;
use crate::{
    BendPlane, DTransform, IkError, IkStatus, LocalPose, Rig, Slot, Transform, TwoBoneJob, TwoBoneLimb,
    TwoBoneSolution,
};

/// Sine of the bend below which a leg is straight and its hinge is that of the setup.
const STRAIGHT: f64 = 0.01;

/// Leads a leg to its target: the whole leg is swung about the hip first, so that the knee stays on its side,
/// then bent. `model` is of the pose before, `[slot]`; the hip is at `hip_at` by now. A foot that does not hang from the
/// leg goes along.
///
/// The pose is changed only where the leg could be solved.
pub(crate) fn lead(
    rig: &Rig,
    leg: &PlantLeg,
    model: &[DTransform],
    hip_at: DVec3,
    target: DVec3,
    foot_rotation: DQuat,
    pose: &mut LocalPose,
) -> Result<IkStatus, IkError> {
    let (hip, knee, foot) = (model[leg.hip.index()], model[leg.knee.index()], model[leg.foot.index()]);
    let upper = knee.translation - hip.translation;
    let lower = foot.translation - knee.translation;
    let bend = lower.cross(upper);
    // A knee that a blend of two poses has bent the wrong way is bent the right way: at the moment it passes
    // the straight leg it would else flip.
    let natural = knee.rotation * leg.hinge_ls;
    let is_bent = bend.length() > STRAIGHT * upper.length() * lower.length();
    let hinge = if is_bent && bend.dot(natural) > 0.0 { bend } else { natural };
    let limb = TwoBoneLimb::from_pose(&hip, &knee, foot.translation, hinge)?;
    let (from, to) = (foot.translation - hip.translation, target - hip_at);
    let swing = match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
        _ => DQuat::IDENTITY,
    };
    let plane = BendPlane::Normal(swing * hinge);
    let mut solution = TwoBoneSolution::NONE;
    let status =
        TwoBoneJob { limb: &limb, root: hip_at, target, plane, soft: 0.0, output: &mut solution }.run()?;
    // What lies between two joints moves with the upper one.
    let parent =
        |slot: Slot| rig.parents()[slot.index()].map_or(DQuat::IDENTITY, |p| model[p.index()].rotation);
    let by_upper = solution.upper * hip.rotation.conjugate();
    let by_lower = solution.lower * knee.rotation.conjugate();
    let rotations_ls = [
        parent(leg.hip).conjugate() * solution.upper,
        (by_upper * parent(leg.knee)).conjugate() * solution.lower,
        (by_lower * parent(leg.foot)).conjugate() * foot_rotation,
    ];
    for (slot, rotation) in [leg.hip, leg.knee, leg.foot].into_iter().zip(rotations_ls) {
        let rotation = rotation.normalize().as_quat();
        pose.set(slot, &Transform { rotation, ..pose.get(slot) });
    }
    if let Some(slot) = leg.loose_foot {
        let by = foot_rotation * foot.rotation.conjugate();
        let loose = model[slot.index()];
        let at = target + by * (loose.translation - foot.translation);
        place(rig, model, slot, at, by * loose.rotation, pose);
    }
    Ok(status)
}

/// Puts a joint somewhere in model space; `model` is of the pose before, and what is above has not moved.
pub(crate) fn place(
    rig: &Rig,
    model: &[DTransform],
    slot: Slot,
    at_ms: DVec3,
    rotation: DQuat,
    pose: &mut LocalPose,
) {
    let parent = rig.parents()[slot.index()].map_or(DTransform::IDENTITY, |p| model[p.index()]);
    let at_ls = (parent.rotation.conjugate() * (at_ms - parent.translation)) / parent.scale;
    let local = pose.get(slot);
    // Of a parent without size nothing can be moved.
    if at_ls.is_finite() {
        let rotation = (parent.rotation.conjugate() * rotation).normalize().as_quat();
        pose.set(slot, &Transform { translation: at_ls.as_vec3(), rotation, ..local });
    }
}
