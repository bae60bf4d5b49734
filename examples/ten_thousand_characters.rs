//! Ten thousand characters, each at its own place between a walk and a run, posed from two compressed clips into
//! the 3x4 matrices that a renderer takes, on one core.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use std::time::Instant;

use sinew::{AffineRows, ClipLayer, CrowdJob, CrowdScratch, LocalPose};
use sinew_examples::{Error, biped, stride};

const CHARACTERS: usize = 10_000;
const FRAMES: usize = 30;

fn main() -> Result<(), Error> {
    let (skeleton, rig) = biped()?;
    let (walk, run) = (stride(&skeleton, &rig, "walk", 1.1, 0.5)?, stride(&skeleton, &rig, "run", 0.7, 0.9)?);

    // Everything that is needed later is allocated here. With the feature `rayon`, `CrowdScratch::with_tasks`
    // and `run_parallel` use all cores and give the same bits.
    let base = LocalPose::rest(&rig);
    let mut scratch = CrowdScratch::new(&rig, 2);
    let mut matrices = vec![AffineRows::IDENTITY; CHARACTERS * rig.len()];
    let mut layers = vec![ClipLayer::new(&walk, 0.0, 0.0); 2 * CHARACTERS];

    let mut milliseconds = Vec::new();
    for frame in 0..FRAMES {
        for (i, two) in layers.chunks_exact_mut(2).enumerate() {
            // No two look alike: a phase of its own, and a share of the run.
            let phase = (frame as f32 / 60.0 + i as f32 * 0.618_034).fract();
            let share = i as f32 / CHARACTERS as f32;
            two[0] = ClipLayer::new(&walk, phase * walk.duration(), 1.0 - share);
            two[1] = ClipLayer::new(&run, phase * run.duration(), share);
        }
        let start = Instant::now();
        CrowdJob {
            rig: &rig,
            base: &base,
            layers: &layers,
            per_character: 2,
            groups: usize::MAX,
            scratch: &mut scratch,
            output: &mut matrices,
        }
        .run()?;
        milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
    }
    milliseconds.sort_by(f64::total_cmp);
    let median = milliseconds[FRAMES / 2];
    let (joints, per_joint) = (rig.len(), median * 1e6 / (CHARACTERS * rig.len()) as f64);
    println!(
        "{CHARACTERS} characters of {joints} joints, two clips each: {median:.2} ms a frame on one core"
    );
    println!("{per_joint:.1} ns a joint, {} bytes of matrices", size_of_val(&matrices[..]));
    let hips = matrices[CHARACTERS / 2 * joints].to_affine().translation;
    println!("hips of the middle one at {:.2} {:.2} {:.2} m", hips.x, hips.y, hips.z);
    Ok(())
}
