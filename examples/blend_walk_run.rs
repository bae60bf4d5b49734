//! Walks, then runs: a blend space turns the speed into weights, and foot contacts keep both clips in step
//! though a stride of one takes longer.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use sinew::{
    BlendSample1D, BlendSpace1D, LocalPose, PoseBlendJob, PoseLayer, SampleJob, SyncGroup, SyncMarker,
    SyncPlayhead, SyncTrack,
};
use sinew_examples::{Error, biped, stride};

fn main() -> Result<(), Error> {
    let (skeleton, rig) = biped()?;
    let clips = [stride(&skeleton, &rig, "walk", 1.1, 0.5)?, stride(&skeleton, &rig, "run", 0.7, 0.9)?];
    // When each foot comes down, seconds.
    let feet = |left, right| {
        [("left", left), ("right", right)].map(|(name, time)| SyncMarker { name: name.into(), time }).to_vec()
    };
    let group = SyncGroup::new(&[
        SyncTrack::new(1.1, feet(0.275, 0.825))?,
        SyncTrack::new(0.7, feet(0.175, 0.525))?,
    ])?;
    // Metres a second that each clip was made for.
    let by_speed =
        BlendSpace1D::new(&[BlendSample1D { clip: 0, at: 1.4 }, BlendSample1D { clip: 1, at: 4.0 }])?;

    let mut head = SyncPlayhead::default();
    let rest = LocalPose::rest(&rig);
    let (mut sampled, mut pose) = ([rest.clone(), rest.clone()], rest.clone());
    let thigh = rig.slot(skeleton.find("thigh.l").ok_or("no thigh")?);

    // The frame loop: from 1 to 4.5 m/s within 3 s.
    for frame in 0..=180 {
        let speed = 1.0 + 3.5 * frame as f32 / 180.0;
        let (mut weights, _) = by_speed.weights(speed)?;
        head.advance(&group, 1.0 / 60.0, &mut weights)?;
        for entry in weights.iter() {
            SampleJob::new(&rig, &clips[entry.clip], entry.time, &mut sampled[entry.clip]).run()?;
        }
        let weight = |clip| weights.iter().find(|entry| entry.clip == clip).map_or(0.0, |entry| entry.weight);
        let layers = [0, 1].map(|clip| PoseLayer::new(&sampled[clip], weight(clip)));
        PoseBlendJob { rig: &rig, base: &rest, layers: &layers, groups: usize::MAX, output: &mut pose }
            .run()?;
        if frame % 20 == 0 {
            let stride = group.stride_seconds(head.phase(), &weights);
            let turn = pose.get(thigh).rotation.to_scaled_axis().x.to_degrees();
            let (walk, run, foot) = (100.0 * weight(0), 100.0 * weight(1), group.marker(head.phase()));
            println!(
                "{speed:.2} m/s  walk {walk:3.0} %  run {run:3.0} %  stride {stride:.2} s  {foot:>5} foot down  thigh {turn:+6.1} deg"
            );
        }
    }
    Ok(())
}
