//! Waves while walking: the second clip moves the chest and what hangs from it, the legs go on undisturbed.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use sinew::{JointMask, LocalPose, PoseBlendJob, PoseLayer, SampleJob};
use sinew_examples::{Error, biped, stride, wave};

fn main() -> Result<(), Error> {
    let (skeleton, rig) = biped()?;
    let (walk, wave) = (stride(&skeleton, &rig, "walk", 1.1, 0.5)?, wave(&skeleton, &rig)?);
    let chest = skeleton.find("chest").ok_or("no chest")?;
    let upper_body = JointMask::from_root(&rig, &skeleton, chest)?;

    let mut walking = LocalPose::rest(&rig);
    let (mut waving, mut pose) = (walking.clone(), walking.clone());
    let [arm, thigh] =
        ["upper_arm.l", "thigh.l"].map(|name| skeleton.find(name).map(|joint| rig.slot(joint)));
    let (arm, thigh) = (arm.ok_or("no arm")?, thigh.ok_or("no thigh")?);

    for frame in 0..=60 {
        let time = frame as f32 / 60.0;
        SampleJob::new(&rig, &walk, time, &mut walking).run()?;
        SampleJob::new(&rig, &wave, time, &mut waving).run()?;
        // Fades the wave in within half a second. What the layer leaves over is the base's: the walk.
        let weight = (2.0 * time).min(1.0);
        let layers = [PoseLayer::new(&waving, weight).masked(&upper_body)];
        PoseBlendJob { rig: &rig, base: &walking, layers: &layers, groups: usize::MAX, output: &mut pose }
            .run()?;
        // To the last bit.
        assert_eq!(pose.get(thigh), walking.get(thigh));
        if frame % 10 == 0 {
            let degrees = |slot| pose.get(slot).rotation.to_scaled_axis().length().to_degrees();
            let (arm, leg) = (degrees(arm), degrees(thigh));
            println!(
                "{time:.2} s  wave {:3.0} %  arm turned {arm:6.1} deg  thigh {leg:5.1} deg",
                100.0 * weight
            );
        }
    }
    println!("legs: the walk's, bit for bit");
    Ok(())
}
