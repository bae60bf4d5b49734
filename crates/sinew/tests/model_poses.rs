//! Promise: model matrices of the frame loop are those of the exact evaluator within what single precision
//! rounds away, and have the same bits on every backend, alone, two a pass or eight in lanes.

mod rig;

use proptest::prelude::*;
use rig::random::Random;
use sinew::{
    AffineRows, Backend, GatherLanesJob, LaneModel, LanePose, LocalPose, ModelError, ModelJob, ModelLanesJob,
    ModelPairJob, ModelPose, Rig, ScatterLanesJob, Slot, Transform, model_matrices,
};

const ALL: usize = usize::MAX;
/// Half a unit in the last place of 1.
const ROUNDING: f64 = 5.960_464_477_539_063e-8;

type Rows = [[f64; 4]; 3];

fn rows(m: &glam::DMat4) -> Rows {
    [0, 1, 2].map(|row| m.row(row).to_array())
}

/// Absolute values of a product of affine matrices, no term cancelled.
fn size_of_product(a: &Rows, b: &Rows) -> Rows {
    core::array::from_fn(|i| {
        core::array::from_fn(|j| {
            let last = if j == 3 { a[i][3].abs() } else { 0.0 };
            (0..3).map(|k| a[i][k].abs() * b[k][j].abs()).sum::<f64>() + last
        })
    })
}

fn model(rig: &Rig, pose: &LocalPose, groups: usize, backend: Backend) -> ModelPose {
    let mut output = ModelPose::rest(rig);
    ModelJob { rig, pose, groups, output: &mut output }.run_on(backend).unwrap();
    output
}

fn bits(pose: &ModelPose) -> Vec<u32> {
    let number = |v: &f32| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() };
    pose.rows().iter().flat_map(|r| r.rows.iter().flatten().map(number)).collect()
}

fn in_lanes(rig: &Rig, poses: &[&LocalPose], groups: usize, backend: Backend) -> Vec<ModelPose> {
    let (mut lanes, mut model) = (LanePose::rest(rig), LaneModel::rest(rig));
    GatherLanesJob { poses, groups, output: &mut lanes }.run_on(backend).unwrap();
    ModelLanesJob { rig, pose: &lanes, groups, output: &mut model }.run_on(backend).unwrap();
    let mut outputs = vec![ModelPose::rest(rig); poses.len()];
    let mut to: Vec<&mut ModelPose> = outputs.iter_mut().collect();
    ScatterLanesJob { model: &model, groups, outputs: &mut to }.run_on(backend).unwrap();
    outputs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn matrices_are_those_of_the_exact_evaluator(
        seed: u64, joints in 1..1000_usize, scaled: bool, fixed: bool,
    ) {
        let mut random = Random::new(seed);
        let skeleton = random.skeleton(joints, scaled, fixed);
        let rig = Rig::new(&skeleton).unwrap();
        let pose = random.pose(&rig, scaled);
        let found = model(&rig, &pose, ALL, Backend::best());
        let raw = pose.to_raw(&rig, &skeleton);
        let mut expected = Vec::new();
        model_matrices(&skeleton, &raw, &mut expected);

        // Running bound of the rounding: of the local matrix, of the parent, of eight operations here.
        let mut bounds: Vec<Rows> = Vec::new();
        for (id, joint) in skeleton.iter() {
            let local = rows(&joint.rest_matrix.unwrap_or_else(|| raw.local[id.index()].to_matrix()));
            let mut bound = local.map(|row| row.map(|_| 8.0 * ROUNDING * 3.0));
            if let Some(parent) = joint.parent {
                let parents = rows(&expected[parent.index()]);
                let (inherited, own) = (size_of_product(&bounds[parent.index()], &local), bound);
                let turned = size_of_product(&parents, &own);
                let plain = size_of_product(&parents, &local);
                bound = core::array::from_fn(|i| core::array::from_fn(|j| {
                    inherited[i][j] + turned[i][j] + 8.0 * ROUNDING * plain[i][j]
                }));
            }
            let exact = rows(&expected[id.index()]);
            let single = &found.rows()[rig.slot(id).index()].rows;
            for i in 0..3 {
                for j in 0..4 {
                    let error = (f64::from(single[i][j]) - exact[i][j]).abs();
                    prop_assert!(error <= bound[i][j], "{} [{}][{}]: {} > {}", id, i, j, error, bound[i][j]);
                }
            }
            bounds.push(bound);
        }
    }

    #[test]
    fn one_character_has_the_same_bits_however_it_is_computed(
        seed: u64, joints in 1..200_usize, scaled: bool, fixed: bool, groups in 0..30_usize, characters in 1..=8_usize,
    ) {
        let mut random = Random::new(seed);
        let skeleton = random.skeleton(joints, false, fixed);
        let rig = Rig::new(&skeleton).unwrap();
        // Every other character is scaled: ones must change nothing.
        let poses: Vec<LocalPose> = (0..characters).map(|i| random.pose(&rig, scaled && i % 2 == 1)).collect();
        let refs: Vec<&LocalPose> = poses.iter().collect();
        let expected: Vec<Vec<u32>> =
            poses.iter().map(|p| bits(&model(&rig, p, groups, Backend::Scalar))).collect();
        for backend in Backend::ALL {
            for (pose, expected) in poses.iter().zip(&expected) {
                prop_assert_eq!(&bits(&model(&rig, pose, groups, backend)), expected, "{}", backend);
            }
            let last = characters - 1;
            let (mut a, mut b) = (ModelPose::rest(&rig), ModelPose::rest(&rig));
            let (pair, outputs) = ([&poses[0], &poses[last]], [&mut a, &mut b]);
            ModelPairJob { rig: &rig, poses: pair, groups, outputs }.run_on(backend).unwrap();
            prop_assert_eq!(&bits(&a), &expected[0], "first of a pair, {}", backend);
            prop_assert_eq!(&bits(&b), &expected[last], "second of a pair, {}", backend);
            for (lane, found) in in_lanes(&rig, &refs, groups, backend).iter().enumerate() {
                prop_assert_eq!(&bits(found), &expected[lane], "lane {}, {}", lane, backend);
            }
        }
    }

    #[test]
    fn leading_groups_are_a_prefix_of_the_whole(seed: u64, joints in 1..100_usize, groups in 0..16_usize) {
        let mut random = Random::new(seed);
        let rig = Rig::new(&random.skeleton(joints, false, true)).unwrap();
        let pose = random.pose(&rig, false);
        let (whole, part) = (model(&rig, &pose, ALL, Backend::best()), model(&rig, &pose, groups, Backend::best()));
        let kept = (groups * 8).min(joints);
        prop_assert_eq!(&part.rows()[..kept], &whole.rows()[..kept]);
        let rest = ModelPose::rest(&rig);
        prop_assert_eq!(&part.rows()[kept..], &rest.rows()[kept..]);
    }

    #[test]
    fn numbers_that_are_none_go_through(seed: u64, joints in 1..60_usize, bad in prop::num::f32::ANY) {
        let mut random = Random::new(seed);
        let rig = Rig::new(&random.skeleton(joints, true, true)).unwrap();
        let mut pose = random.pose(&rig, true);
        for value in [bad, f32::NAN, f32::INFINITY, -0.0] {
            let slot = Slot(random.below(joints) as u16);
            let at = glam::Vec3::splat(value);
            pose.set(slot, &Transform { translation: at, scale: at, ..pose.get(slot) });
        }
        let expected = bits(&model(&rig, &pose, ALL, Backend::Scalar));
        for backend in Backend::ALL {
            prop_assert_eq!(&bits(&model(&rig, &pose, ALL, backend)), &expected, "{}", backend);
            prop_assert_eq!(&bits(&in_lanes(&rig, &[&pose], ALL, backend)[0]), &expected, "lanes, {}", backend);
        }
    }
}

#[test]
fn the_sign_of_zero_survives_every_path() {
    // A turn by half about X under one about Z: the products are full of signed zeros.
    let mut random = Random::new(3);
    let rig = Rig::new(&random.skeleton(24, false, false)).unwrap();
    let mut pose = LocalPose::rest(&rig);
    for slot in 0..24 {
        let rotation =
            [glam::Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), glam::Quat::from_xyzw(0.0, -0.0, -1.0, 0.0)]
                [usize::from(slot % 2)];
        pose.set(Slot(slot), &Transform { rotation, ..Transform::IDENTITY });
    }
    let expected = model(&rig, &pose, ALL, Backend::Scalar);
    assert!(bits(&expected).contains(&(-0.0_f32).to_bits()));
    for backend in Backend::ALL {
        assert_eq!(bits(&model(&rig, &pose, ALL, backend)), bits(&expected), "{backend}");
        assert_eq!(bits(&in_lanes(&rig, &[&pose; 8], ALL, backend)[7]), bits(&expected), "{backend}");
    }
}

#[test]
fn no_joints_are_no_trouble() {
    let rig = Rig::new(&Random::new(0).skeleton(0, false, false)).unwrap();
    let pose = LocalPose::rest(&rig);
    assert!(model(&rig, &pose, ALL, Backend::best()).is_empty());
    assert!(in_lanes(&rig, &[&pose, &pose], ALL, Backend::best())[1].is_empty());
    let (mut a, mut b) = (ModelPose::rest(&rig), ModelPose::rest(&rig));
    let outputs = [&mut a, &mut b];
    ModelPairJob { rig: &rig, poses: [&pose, &pose], groups: ALL, outputs }.run().unwrap();
}

#[test]
fn what_belongs_to_another_rig_is_named() {
    let mut random = Random::new(1);
    let (rig, other) = [9, 10].map(|n| Rig::new(&random.skeleton(n, false, false)).unwrap()).into();
    let (pose, stranger) = (LocalPose::rest(&rig), LocalPose::rest(&other));
    let (mut output, mut strange) = (ModelPose::rest(&rig), ModelPose::rest(&other));
    let untouched = output.clone();
    let wrong_pose = ModelError::PoseJoints { pose: 0, found: 10, expected: 9 };
    let job = ModelJob { rig: &rig, pose: &stranger, groups: ALL, output: &mut output }.run();
    assert_eq!(job, Err(wrong_pose.clone()));
    assert_eq!(wrong_pose.to_string(), "pose 0 has 10 joints, the rig has 9");
    let wrong_output = ModelError::OutputJoints { output: 0, found: 10, expected: 9 };
    let job = ModelJob { rig: &rig, pose: &pose, groups: ALL, output: &mut strange }.run();
    assert_eq!(job, Err(wrong_output));

    let outputs = [&mut output, &mut strange];
    let job = ModelPairJob { rig: &rig, poses: [&pose, &pose], groups: ALL, outputs }.run();
    assert_eq!(job, Err(ModelError::OutputJoints { output: 1, found: 10, expected: 9 }));

    let (mut lanes, mut model) = (LanePose::rest(&rig), LaneModel::rest(&other));
    let job = GatherLanesJob { poses: &[&pose, &stranger], groups: ALL, output: &mut lanes }.run();
    assert_eq!(job, Err(ModelError::PoseJoints { pose: 1, found: 10, expected: 9 }));
    let job = GatherLanesJob { poses: &[&pose; 9], groups: ALL, output: &mut lanes }.run();
    assert_eq!(job, Err(ModelError::Characters { found: 9 }));
    let job = ModelLanesJob { rig: &rig, pose: &lanes, groups: ALL, output: &mut model }.run();
    assert_eq!(job, Err(ModelError::OutputJoints { output: 0, found: 10, expected: 9 }));
    let job = ScatterLanesJob { model: &model, groups: ALL, outputs: &mut [&mut output] }.run();
    assert_eq!(job, Err(ModelError::OutputJoints { output: 0, found: 9, expected: 10 }));
    assert_eq!(output, untouched);
}

#[test]
fn rest_is_the_product_of_the_rest_transforms() {
    let mut random = Random::new(5);
    let skeleton = random.skeleton(40, true, true);
    let rig = Rig::new(&skeleton).unwrap();
    let rest = ModelPose::rest(&rig);
    let mut expected = Vec::new();
    model_matrices(&skeleton, &sinew::RawPose::rest(&skeleton), &mut expected);
    for (id, _) in skeleton.iter() {
        let found = glam::DMat4::from(rest.get(rig.slot(id)).as_daffine3());
        assert!(rig::largest_difference(&found, &expected[id.index()]) < 1e-5);
        let back = AffineRows::from_affine(&rest.get(rig.slot(id)));
        assert_eq!(back, rest.rows()[rig.slot(id).index()]);
    }
    assert_eq!(in_lanes(&rig, &[&LocalPose::rest(&rig); 8], ALL, Backend::best())[3], rest);
}
