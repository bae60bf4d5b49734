//! Plays a looping clip: a playhead says where in it one is, the sampler poses the joints, the model job says
//! where they are.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use sinew::{LocalPose, ModelJob, ModelPose, Playback, Playhead, SampleJob};
use sinew_examples::{Error, biped, stride};

fn main() -> Result<(), Error> {
    let (skeleton, rig) = biped()?;
    let clip = stride(&skeleton, &rig, "walk", 1.1, 0.5)?;
    let ratio = clip.frames() as usize * clip.joints() * 40 / clip.bytes().len();
    println!("{} joints, {:.2} s, {} bytes: {ratio}:1", rig.len(), clip.duration(), clip.bytes().len());

    // Everything that is needed later is allocated here.
    let mut head = Playhead::new(clip.duration().into(), Playback::Loop)?;
    let (mut pose, mut model_ms) = (LocalPose::rest(&rig), ModelPose::rest(&rig));
    let foot = rig.slot(skeleton.find("foot.l").ok_or("no foot")?);

    // The frame loop: at 60 Hz, two strides.
    for frame in 1..=132 {
        let step = head.advance(1.0 / 60.0)?;
        SampleJob::new(&rig, &clip, head.clip_time(), &mut pose).run()?;
        ModelJob { rig: &rig, pose: &pose, groups: usize::MAX, output: &mut model_ms }.run()?;
        if frame % 22 == 0 || step.wraps > 0 {
            let at = model_ms.get(foot).translation;
            println!("{:5.2} s  left foot at height {:5.3} m, {:+6.3} m forward", head.time(), at.y, at.z);
        }
    }
    Ok(())
}
