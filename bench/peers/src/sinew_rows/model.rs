//! Model matrices and palettes.

use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use glam::Vec3;
use sinew::{
    AffineRows, Backend, BoxedJoint, BoxedPaletteJob, CompactJoint, CompactPaletteJob, GatherLanesJob,
    LaneModel, LanePose, LocalPose, ModelJob, ModelLanesJob, ModelPairJob, ModelPose, PaletteBox, PaletteJob,
    SampleJob,
};

use super::{Order, REPEATS, Stage, backends};
use crate::measure::Lane;

pub(super) fn lanes(stage: &Rc<Stage>) -> Vec<Lane> {
    let mut lanes = Vec::new();
    for backend in backends() {
        let (this, pose, mut model) = (Rc::clone(stage), pose(stage, 1), ModelPose::rest(&stage.rig));
        lanes.push(timed(stage, "model matrices, one character", backend, 1, move || {
            let (rig, groups) = (&this.rig, usize::MAX);
            let job = ModelJob { rig, pose: &pose, groups, output: &mut model }.run_on(backend);
            debug_assert!(job.is_ok());
            black_box(&mut model);
        }));
        let this = Rc::clone(stage);
        let (mut lane_pose, mut lane_model) = (LanePose::rest(&stage.rig), LaneModel::rest(&stage.rig));
        let poses: Vec<LocalPose> = (0..8).map(|i| self::pose(stage, i)).collect();
        let refs: Vec<&LocalPose> = poses.iter().collect();
        let gathered =
            GatherLanesJob { poses: &refs, groups: usize::MAX, output: &mut lane_pose }.run_on(backend);
        debug_assert!(gathered.is_ok());
        lanes.push(timed(stage, "model matrices, eight characters in lanes", backend, 8, move || {
            let (rig, groups) = (&this.rig, usize::MAX);
            let job =
                ModelLanesJob { rig, pose: &lane_pose, groups, output: &mut lane_model }.run_on(backend);
            debug_assert!(job.is_ok());
            black_box(&mut lane_model);
        }));
    }
    let best = Backend::best();
    let (this, poses) = (Rc::clone(stage), [pose(stage, 1), pose(stage, 2)]);
    let mut models = [ModelPose::rest(&stage.rig), ModelPose::rest(&stage.rig)];
    lanes.push(timed(stage, "model matrices, two characters a pass", best, 2, move || {
        let ([a, b], [x, y]) = (&poses, &mut models);
        let (rig, groups) = (&this.rig, usize::MAX);
        let job = ModelPairJob { rig, poses: [a, b], groups, outputs: [x, y] }.run();
        debug_assert!(job.is_ok());
        black_box(&mut models);
    }));
    let model = || {
        let (pose, mut model) = (pose(stage, 1), ModelPose::rest(&stage.rig));
        let job = ModelJob { rig: &stage.rig, pose: &pose, groups: usize::MAX, output: &mut model }.run();
        debug_assert!(job.is_ok());
        model
    };
    let (this, posed, mut to) = (Rc::clone(stage), model(), vec![AffineRows::IDENTITY; stage.rig.len()]);
    lanes.push(timed(stage, "palette, 3x4, 48 B", best, 1, move || {
        let job = PaletteJob { binding: &this.binding, model: &posed, output: &mut to }.run();
        debug_assert!(job.is_ok());
        black_box(&mut to);
    }));
    let empty = CompactJoint { position: [0.0; 3], rotation: [0; 4] };
    let (this, posed, mut to) = (Rc::clone(stage), model(), vec![empty; stage.rig.len()]);
    lanes.push(timed(stage, "palette, compact, 20 B", best, 1, move || {
        let job = CompactPaletteJob { binding: &this.binding, model: &posed, output: &mut to }.run();
        debug_assert!(job.is_ok());
        black_box(&mut to);
    }));
    let empty = BoxedJoint { rotation: [0; 4], position: [0; 3], unused: 0 };
    let (this, posed, mut to) = (Rc::clone(stage), model(), vec![empty; stage.rig.len()]);
    let half = Vec3::splat(4.0 * stage.character.size as f32);
    let bounds = PaletteBox { min: -half, max: half };
    lanes.push(timed(stage, "palette, within a box, 16 B", best, 1, move || {
        let job = BoxedPaletteJob { binding: &this.binding, model: &posed, bounds, output: &mut to }.run();
        debug_assert!(job.is_ok());
        black_box(&mut to);
    }));
    lanes
}

/// Does the work [`REPEATS`] times a batch.
fn timed(
    stage: &Rc<Stage>,
    what: &str,
    backend: Backend,
    characters: usize,
    mut work: impl FnMut() + 'static,
) -> Lane {
    let batch = move |took: &mut Vec<Duration>| {
        let start = Instant::now();
        for _ in 0..REPEATS {
            work();
        }
        took.push(start.elapsed());
    };
    stage.lane(what, backend, characters, REPEATS, 0, Box::new(batch))
}

fn pose(stage: &Stage, index: usize) -> LocalPose {
    let mut pose = LocalPose::rest(&stage.rig);
    let time = stage.time(0, Order::Random, index);
    let job = SampleJob::new(&stage.rig, &stage.clips[0], time, &mut pose).run();
    debug_assert!(job.is_ok());
    pose
}
