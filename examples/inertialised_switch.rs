//! Switches from a run to a walk at once: only the walk is sampled from then on, and what was left of the run
//! dies away within 0.3 s. Beside it, what a cut would have done.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use sinew::{LocalPose, SampleJob, Transition, TransitionJob, TransitionSettings, TransitionStart};
use sinew_examples::{Error, biped, stride};

const DT: f32 = 1.0 / 60.0;

fn main() -> Result<(), Error> {
    let (skeleton, rig) = biped()?;
    let (run, walk) = (stride(&skeleton, &rig, "run", 0.7, 0.9)?, stride(&skeleton, &rig, "walk", 1.1, 0.5)?);
    let pose_at = |clip, time| {
        let mut pose = LocalPose::rest(&rig);
        SampleJob::new(&rig, clip, time, &mut pose).run()?;
        Ok::<_, Error>(pose)
    };

    // The moment of the switch: the last two poses shown, the new motion now and a frame ago.
    let (switch, start) = (0.2, 0.6);
    let shown = pose_at(&run, switch)?;
    let [shown_before, new, new_before] =
        [pose_at(&run, switch - DT)?, pose_at(&walk, start)?, pose_at(&walk, start - DT)?];
    let begin = TransitionStart {
        source: &shown,
        source_before: &shown_before,
        target: &new,
        target_before: &new_before,
        dt: DT,
    };
    let mut transition = Transition::new(&rig);
    transition.begin(&TransitionSettings { duration: 0.3, ..Default::default() }, &begin)?;

    let thigh = rig.slot(skeleton.find("thigh.l").ok_or("no thigh")?);
    let degrees = |pose: &LocalPose| pose.get(thigh).rotation.to_scaled_axis().x.to_degrees();
    let cut = degrees(&new) - degrees(&shown);
    let (mut pose, mut last, mut largest) = (shown.clone(), degrees(&shown), 0.0_f32);
    for frame in 1..=24 {
        let time = start + frame as f32 * DT;
        SampleJob::new(&rig, &walk, time, &mut pose).run()?;
        let goal = degrees(&pose);
        let status = TransitionJob { transition: &mut transition, dt: DT, output: &mut pose }.run()?;
        let thigh = degrees(&pose);
        (largest, last) = (largest.max((thigh - last).abs()), thigh);
        if frame % 3 == 0 {
            println!(
                "{:3} ms  thigh {thigh:+6.1} deg  walk's own {goal:+6.1} deg  {status:?}",
                frame * 1000 / 60
            );
        }
    }
    println!("largest step of a frame {largest:.1} deg; a cut would have jumped by {:.1} deg", cut.abs());
    Ok(())
}
