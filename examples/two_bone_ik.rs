//! Puts a foot where it is wanted: a leg of two bones with its knee ahead, and what it says of a target that is out
//! of reach.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use glam::{DMat4, DVec3};
use sinew::{
    BendPlane, DTransform, LocalPose, ModelJob, ModelPose, Slot, Transform, TwoBoneJob, TwoBoneLimb,
    TwoBoneSolution,
};
use sinew_examples::{Error, biped};

/// Where a joint is in model space.
fn place(model_ms: &ModelPose, slot: Slot) -> DTransform {
    DTransform::rigid_part(&DMat4::from(model_ms.get(slot).as_daffine3()))
}

fn main() -> Result<(), Error> {
    let (skeleton, rig) = biped()?;
    let slot = |name: &str| skeleton.find(name).map(|joint| rig.slot(joint)).ok_or("no such joint");
    let (hips, thigh, shin, foot) = (slot("hips")?, slot("thigh.l")?, slot("shin.l")?, slot("foot.l")?);
    let (mut pose, mut model_ms) = (LocalPose::rest(&rig), ModelPose::rest(&rig));
    ModelJob { rig: &rig, pose: &pose, groups: usize::MAX, output: &mut model_ms }.run()?;

    // Once, from the rest pose. The leg is straight there, so the hinge says which way the knee bends.
    let [above, hip, knee, ankle] = [hips, thigh, shin, foot].map(|slot| place(&model_ms, slot));
    let limb = TwoBoneLimb::from_pose(&hip, &knee, ankle.translation, DVec3::NEG_X)?;
    let (a, b, root) = (limb.upper, limb.lower, hip.translation);
    println!("thigh {a:.3} m, shin {b:.3} m, hip at ({:.2}, {:.2}, {:.2})", root.x, root.y, root.z);

    for (what, target, soft) in [
        ("on a step", DVec3::new(0.1, 0.3, 0.25), 0.0),
        ("out to the side", DVec3::new(0.45, 0.25, 0.0), 0.0),
        ("nearly straight", DVec3::new(0.1, 0.09, 0.0), 0.0),
        ("the same, softly", DVec3::new(0.1, 0.09, 0.0), 0.05),
        ("too far ahead", DVec3::new(0.1, 0.08, 0.6), 0.0),
    ] {
        let mut solved = TwoBoneSolution::NONE;
        let plane = BendPlane::Pole(root + DVec3::new(0.0, -0.4, 2.0));
        let status = TwoBoneJob { limb: &limb, root, target, plane, soft, output: &mut solved }.run()?;
        // Rotations come in the space of hip and target; a pose has them relative to the parent.
        for (slot, rotation) in [
            (thigh, above.rotation.conjugate() * solved.upper),
            (shin, solved.upper.conjugate() * solved.lower),
        ] {
            let local = Transform { rotation: rotation.as_quat(), ..pose.get(slot) };
            pose.set(slot, &local);
        }
        ModelJob { rig: &rig, pose: &pose, groups: usize::MAX, output: &mut model_ms }.run()?;
        let [knee, end] = [shin, foot].map(|slot| place(&model_ms, slot).translation);
        let inside = (root - knee).angle_between(end - knee).to_degrees();
        // What the law of cosines has for a triangle of these three sides.
        let span = (end - root).length();
        let cosine = (a * a + b * b - span * span) / (2.0 * a * b);
        println!(
            "{what:16} {:5.3} m from the hip  knee {inside:6.2} deg, by cosines {:6.2}  foot off by {:7.3} mm  {status:.4?}",
            (target - root).length(),
            libm::acos(cosine.clamp(-1.0, 1.0)).to_degrees(),
            (end - target).length() * 1e3,
        );
    }
    Ok(())
}
