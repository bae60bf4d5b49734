//! A leg bent to where its foot should be.

use glam::{DQuat, DVec3};

use super::PlantLeg;
use crate::{
    BendPlane, DTransform, IkError, IkStatus, LocalPose, Rig, Slot, Transform, TwoBoneJob, TwoBoneLimb,
    TwoBoneSolution,
};

/// Sine of the bend below which a leg is straight and its hinge is that of the setup.
const STRAIGHT: f64 = 0.01;

/// New local rotations of hip, knee and foot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bent {
    joints: [Slot; 3],
    rotations_ls: [DQuat; 3],
    pub(super) status: IkStatus,
}

/// Bends a leg as it is in `model` (transforms of the pose before, `[slot]`) so that its foot, which keeps
/// its rotation, is at `target`; all in model space, the hip as it is there.
pub(super) fn bend(
    rig: &Rig,
    leg: &PlantLeg,
    model: &[DTransform],
    hip_at: DVec3,
    target: DVec3,
) -> Result<Bent, IkError> {
    let (hip, knee, foot) = (model[leg.hip.index()], model[leg.knee.index()], model[leg.foot.index()]);
    let upper = knee.translation - hip.translation;
    let lower = foot.translation - knee.translation;
    let bend = lower.cross(upper);
    let hinge = if bend.length() > STRAIGHT * upper.length() * lower.length() {
        bend
    } else {
        knee.rotation * leg.hinge_ls
    };
    let limb = TwoBoneLimb::from_pose(&hip, &knee, foot.translation, hinge)?;
    let mut solution = TwoBoneSolution::NONE;
    let plane = BendPlane::Normal(hinge);
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
        (by_lower * parent(leg.foot)).conjugate() * foot.rotation,
    ];
    Ok(Bent { joints: [leg.hip, leg.knee, leg.foot], rotations_ls, status })
}

impl Bent {
    pub(super) fn write(&self, pose: &mut LocalPose) {
        for (slot, rotation) in self.joints.into_iter().zip(self.rotations_ls) {
            let rotation = rotation.normalize().as_quat();
            pose.set(slot, &Transform { rotation, ..pose.get(slot) });
        }
    }
}
