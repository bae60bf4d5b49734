//! Local poses: sampling, blending, both at once.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use sinew::{
    Backend, Clip, EvaluateJob, EvaluateScratch, JointId, JointMask, LocalPose, PoseBlendJob, PoseLayer,
    SampleJob,
};

use super::{Order, REPEATS, Stage, backends};
use crate::measure::Lane;

/// Copies of a clip that one after the other are met cold.
const COPIES: usize = 512;
/// Read between cold batches, bytes.
const FLUSHED: usize = 64 << 20;

pub(super) fn lanes(stage: &Rc<Stage>) -> Vec<Lane> {
    let mut lanes = Vec::new();
    for backend in backends() {
        lanes.push(sample(stage, backend, Order::Forward));
        lanes.push(sample(stage, backend, Order::Random));
        lanes.push(evaluate(stage, backend, Order::Forward));
        lanes.push(masked(stage, backend));
    }
    lanes.push(evaluate(stage, Backend::best(), Order::Random));
    lanes.push(blend(stage));
    lanes.push(cold(stage));
    lanes
}

fn sample(stage: &Rc<Stage>, backend: Backend, order: Order) -> Lane {
    let what = if order == Order::Forward { "sample, 1 clip" } else { "sample, 1 clip, random times" };
    let (this, mut pose, mut count) = (Rc::clone(stage), LocalPose::rest(&stage.rig), 0);
    let batch = move |took: &mut Vec<_>| {
        let times: [f32; REPEATS] = std::array::from_fn(|i| this.time(0, order, count + i));
        count += REPEATS;
        let start = Instant::now();
        for time in times {
            let job = SampleJob::new(&this.rig, &this.clips[0], time, &mut pose).run_on(backend);
            debug_assert!(job.is_ok());
            black_box(&mut pose);
        }
        took.push(start.elapsed());
    };
    stage.lane(what, backend, 1, REPEATS, 1, Box::new(batch))
}

fn evaluate(stage: &Rc<Stage>, backend: Backend, order: Order) -> Lane {
    let what = if order == Order::Forward {
        "sample + sample + blend, 2 clips blended"
    } else {
        "sample + sample + blend, 2 clips blended, random times"
    };
    let (this, base, mut count) = (Rc::clone(stage), LocalPose::rest(&stage.rig), 0);
    let (mut pose, mut scratch) = (base.clone(), EvaluateScratch::new(&stage.rig, 2));
    let batch = move |took: &mut Vec<_>| {
        let times: [[f32; 2]; REPEATS] =
            std::array::from_fn(|i| [0, 1].map(|clip| this.time(clip, order, count + i)));
        count += REPEATS;
        let start = Instant::now();
        for times in times {
            let job = EvaluateJob {
                rig: &this.rig,
                base: &base,
                layers: &this.layers(times),
                groups: usize::MAX,
                scratch: &mut scratch,
                output: &mut pose,
            }
            .run_on(backend);
            debug_assert!(job.is_ok());
            black_box(&mut pose);
        }
        took.push(start.elapsed());
    };
    stage.lane(what, backend, 1, REPEATS, 2, Box::new(batch))
}

/// Two poses that are there already.
fn blend(stage: &Rc<Stage>) -> Lane {
    let (this, base) = (Rc::clone(stage), LocalPose::rest(&stage.rig));
    let poses = poses::<2>(stage);
    let mut output = base.clone();
    let batch = move |took: &mut Vec<_>| {
        let layers = [PoseLayer::new(&poses[0], 0.7), PoseLayer::new(&poses[1], 0.3)];
        let start = Instant::now();
        for _ in 0..REPEATS {
            let (rig, groups) = (&this.rig, usize::MAX);
            let job =
                PoseBlendJob { rig, base: &base, layers: black_box(&layers), groups, output: &mut output }
                    .run();
            debug_assert!(job.is_ok());
            black_box(&mut output);
        }
        took.push(start.elapsed());
    };
    stage.lane("blend 2 poses", Backend::best(), 1, REPEATS, 0, Box::new(batch))
}

/// Four layers, each over half of the joints, on top of a pose.
fn masked(stage: &Rc<Stage>, backend: Backend) -> Lane {
    let this = Rc::clone(stage);
    let [base, poses @ ..] = poses::<5>(stage);
    let masks: [JointMask; 4] = std::array::from_fn(|i| {
        let half = (0..this.rig.len()).filter(|joint| this.rig.len() == 1 || joint / (i + 1) % 2 == i % 2);
        let weights: Vec<_> = half.map(|joint| (JointId(joint as u32), 1.0)).collect();
        JointMask::from_weights(&this.rig, &weights).expect("joints of the rig")
    });
    let mut output = base.clone();
    let batch = move |took: &mut Vec<_>| {
        let layers: [_; 4] = std::array::from_fn(|i| PoseLayer::new(&poses[i], 0.3).masked(&masks[i]));
        let start = Instant::now();
        for _ in 0..REPEATS {
            let (rig, groups) = (&this.rig, usize::MAX);
            let job =
                PoseBlendJob { rig, base: &base, layers: black_box(&layers), groups, output: &mut output }
                    .run_on(backend);
            debug_assert!(job.is_ok());
            black_box(&mut output);
        }
        took.push(start.elapsed());
    };
    stage.lane("blend 4 masked layers on top", backend, 1, REPEATS, 0, Box::new(batch))
}

/// One pose of each copy of the clip, all of them out of the near caches.
fn cold(stage: &Rc<Stage>) -> Lane {
    /// Few enough that a batch stays short.
    const POSES: usize = 16;
    let copies: Vec<Clip> = (0..COPIES).filter_map(|_| stage.copy_of_clip()).collect();
    let (this, mut pose, mut count) = (Rc::clone(stage), LocalPose::rest(&stage.rig), 0_usize);
    let mut flush = vec![1_u64; FLUSHED / size_of::<u64>()];
    let batch = move |took: &mut Vec<_>| {
        for line in flush.chunks_exact_mut(8) {
            line[0] = line[0].wrapping_add(1);
        }
        black_box(&mut flush);
        let start = Instant::now();
        for _ in 0..POSES {
            count += 1;
            // 199 is prime to the number of copies.
            let clip = &copies[count * 199 % copies.len()];
            let job = SampleJob::new(&this.rig, clip, this.time(0, Order::Random, count), &mut pose).run();
            debug_assert!(job.is_ok());
            black_box(&mut pose);
        }
        took.push(start.elapsed());
    };
    stage.lane("sample, 1 clip, random times, cold", Backend::best(), 1, POSES, 1, Box::new(batch))
}

fn poses<const N: usize>(stage: &Stage) -> [LocalPose; N] {
    std::array::from_fn(|i| {
        let mut pose = LocalPose::rest(&stage.rig);
        let time = stage.time(i % 2, Order::Random, i + 1);
        let job = SampleJob::new(&stage.rig, &stage.clips[i % 2], time, &mut pose).run();
        debug_assert!(job.is_ok());
        pose
    })
}
