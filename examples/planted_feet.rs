//! Feet that stay where they land: a walk made of sine waves, whose feet slide at any speed, and the same planted.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use glam::{DMat4, DQuat, DVec3};
use sinew::{
    DTransform, FlatGround, LocalPose, ModelJob, ModelPose, PlantContact, PlantJob, PlantLeg, PlantRig,
    PlantSettings, Planting, SampleJob,
};
use sinew_examples::{Error, biped, stride};

const STRIDE: f64 = 1.1;
/// Of the character, metres a second.
const SPEED: f64 = 1.5;
const DT: f64 = 1.0 / 60.0;

fn main() -> Result<(), Error> {
    let (skeleton, rig) = biped()?;
    let walk = stride(&skeleton, &rig, "walk", STRIDE, 0.3)?;
    let slot = |name: &str| skeleton.find(name).map(|joint| rig.slot(joint)).ok_or("no such joint");
    let sole = DVec3::new(0.0, -0.08, 0.0);
    let leg = |side: &str| {
        let foot = slot(&format!("foot.{side}"))?;
        Ok::<_, Error>(PlantLeg {
            hip: slot(&format!("thigh.{side}"))?,
            knee: slot(&format!("shin.{side}"))?,
            foot,
            loose_foot: None,
            hinge_ls: DVec3::NEG_X,
            contacts: vec![PlantContact { joint: foot, offset_ls: sole, height: 0.0 }],
        })
    };
    let legs = PlantRig::new(&rig, slot("hips")?, vec![leg("l")?, leg("r")?])?;
    let settings = PlantSettings::for_size(1.8);
    let mut state = Planting::new(&legs);
    let (mut pose, mut model_ms) = (LocalPose::rest(&rig), ModelPose::rest(&rig));

    // For each foot, as animated and as planted: where its stance began, where it was a frame ago, how far it
    // slid in this stance, its largest step in a frame of the whole walk.
    let mut began = [[DVec3::ZERO; 2]; 2];
    let (mut before, mut slid, mut step) = ([[None; 2]; 2], [[0.0_f64; 2]; 2], [0.0_f64; 2]);
    let (mut stood, mut worst) = ([false; 2], [0.0_f64; 2]);
    for frame in 0..=198 {
        let time = f64::from(frame) * DT;
        let placement = DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::Z * (SPEED * time));
        // This walk says when its feet are down; without that, the settings' rule looks at height and speed.
        let phase = time / STRIDE;
        let stands = [phase, phase + 0.5].map(|p| (0.25..0.6).contains(&(p - p.floor())));
        SampleJob::new(&rig, &walk, (time % STRIDE) as f32, &mut pose).run()?;
        for planted in 0..2 {
            if planted == 1 {
                let (rig, legs, settings, ground) = (&rig, &legs, &settings, &FlatGround { height: 0.0 });
                let (stands, state, pose) = (Some(&stands[..]), &mut state, &mut pose);
                PlantJob { rig, legs, settings, ground, placement, dt: DT, stands, state, pose }.run()?;
            }
            ModelJob { rig: &rig, pose: &pose, groups: usize::MAX, output: &mut model_ms }.run()?;
            for (foot, leg) in legs.legs().iter().enumerate() {
                let foot_ms = DMat4::from(model_ms.get(leg.foot).as_daffine3());
                let at = placement.translation + foot_ms.transform_point3(sole);
                if stands[foot] && !stood[foot] {
                    (began[foot][planted], slid[foot][planted]) = (at, 0.0);
                }
                if stands[foot] {
                    let by = at - began[foot][planted];
                    slid[foot][planted] = slid[foot][planted].max(by.x.hypot(by.z));
                }
                if let Some(before) = before[foot][planted].replace(at) {
                    step[planted] = step[planted].max((at - before).length());
                }
            }
        }
        for foot in 0..2 {
            if stood[foot] && !stands[foot] {
                let [as_is, planted] = slid[foot].map(|metres| metres * 1e3);
                println!(
                    "{time:.2} s  {} foot lifts; it slid {as_is:5.1} mm, planted {planted:6.4} mm",
                    ["left", "right"][foot]
                );
                worst = [worst[0].max(as_is), worst[1].max(planted)];
            }
        }
        stood = stands;
    }
    let [as_is, planted] = step.map(|metres| metres * 1e3);
    assert!(worst[1] < 0.01, "a planted foot slid");
    println!("worst slide {:.1} mm, planted {:.4} mm", worst[0], worst[1]);
    println!("largest step of a foot in a frame {as_is:.0} mm, planted {planted:.0} mm");
    Ok(())
}
