//! Promise: palettes are model matrices times inverse bind matrices with the same bits on every path; compact
//! ones stay within their stated error, and what they cannot carry is named.

mod rig;

use glam::{DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
use proptest::prelude::*;
use rig::random::Random;
use sinew::{
    AffineRows, Backend, BindError, BindJoint, BoxedJoint, BoxedPaletteJob, CompactJoint, CompactPaletteJob,
    GatherLanesJob, Joint, JointId, LaneModel, LanePaletteJob, LanePose, LocalPose, ModelError, ModelJob,
    ModelLanesJob, ModelPose, PackStatus, PaletteBox, PaletteJob, RIGID_TOLERANCE, Rig, SHELL, Skeleton,
    Skin, SkinBinding, Slot, Transform, model_matrices,
};

const ALL: usize = usize::MAX;
const EMPTY: CompactJoint = CompactJoint { position: [0.0; 3], rotation: [0; 4] };
const EMPTY_BOXED: BoxedJoint = BoxedJoint { rotation: [0; 4], position: [0; 3], unused: 9 };
const ROOM: PaletteBox = PaletteBox { min: Vec3::splat(-4.0), max: Vec3::new(4.0, 5.0, 6.0) };

fn model(rig: &Rig, pose: &LocalPose, groups: usize) -> ModelPose {
    let mut output = ModelPose::rest(rig);
    ModelJob { rig, pose, groups, output: &mut output }.run().unwrap();
    output
}

fn palette(binding: &SkinBinding, model: &ModelPose, backend: Backend) -> Vec<AffineRows> {
    let mut output = vec![AffineRows::IDENTITY; binding.len()];
    PaletteJob { binding, model, output: &mut output }.run_on(backend).unwrap();
    output
}

fn compact(binding: &SkinBinding, model: &ModelPose, backend: Backend) -> (Vec<CompactJoint>, PackStatus) {
    let mut output = vec![EMPTY; binding.len()];
    let status = CompactPaletteJob { binding, model, output: &mut output }.run_on(backend).unwrap();
    (output, status)
}

fn boxed(binding: &SkinBinding, model: &ModelPose, backend: Backend) -> (Vec<BoxedJoint>, PackStatus) {
    let mut output = vec![EMPTY_BOXED; binding.len()];
    let job = BoxedPaletteJob { binding, model, bounds: ROOM, output: &mut output }.run_on(backend);
    (output, job.unwrap())
}

/// Roots only, so that a model matrix is what a test sets, bound where `at` says.
fn loose(matrices: &[Transform], at: &[Vec3]) -> (SkinBinding, ModelPose) {
    let joint = |i| Joint::new(format!("joint {i}"), None, sinew::DTransform::IDENTITY);
    let skeleton = Skeleton::numbered((0..matrices.len()).map(joint).collect(), Vec::new()).unwrap();
    let rig = Rig::new(&skeleton).unwrap();
    let mut pose = LocalPose::rest(&rig);
    let binds = matrices.iter().zip(at).enumerate().map(|(i, (matrix, at))| {
        pose.set(Slot(i as u16), matrix);
        let bind = glam::Affine3A::from_translation(-*at);
        BindJoint::new(Slot(i as u16), AffineRows::from_affine(&bind))
    });
    let binding = SkinBinding::from_joints(&rig, binds.collect()).unwrap();
    (binding, model(&rig, &pose, ALL))
}

fn skin_of_all(random: &mut Random, skeleton: &Skeleton) -> Skin {
    let joints: Vec<JointId> = (0..skeleton.len()).rev().map(|i| JointId(i as u32)).collect();
    let inverse_bind = joints.iter().map(|_| random.rigid_f64()).collect();
    Skin { joints, inverse_bind, ..Skin::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_palette_is_the_exact_palette(seed: u64, joints in 1..60_usize, scaled: bool, fixed: bool) {
        let mut random = Random::new(seed);
        let skeleton = random.skeleton(joints, scaled, fixed);
        let rig = Rig::new(&skeleton).unwrap();
        let pose = random.pose(&rig, scaled);
        let skin = skin_of_all(&mut random, &skeleton);
        let found = palette(&SkinBinding::new(&rig, &skin).unwrap(), &model(&rig, &pose, ALL), Backend::best());
        let (mut model_ms, mut expected) = (Vec::new(), Vec::new());
        model_matrices(&skeleton, &pose.to_raw(&rig, &skeleton), &mut model_ms);
        skin.palette(&model_ms, &mut expected);
        for (found, expected) in found.iter().zip(&expected) {
            let size = expected.to_cols_array().iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            let found = DMat4::from(found.to_affine().as_daffine3());
            prop_assert!(rig::largest_difference(&found, expected) < 1e-4 * size);
        }
    }

    #[test]
    fn palettes_have_the_same_bits_on_every_path(seed: u64, joints in 1..60_usize, characters in 1..=8_usize) {
        let mut random = Random::new(seed);
        let skeleton = random.skeleton(joints, false, true);
        let rig = Rig::new(&skeleton).unwrap();
        let binding = SkinBinding::new(&rig, &skin_of_all(&mut random, &skeleton)).unwrap();
        let poses: Vec<LocalPose> = (0..characters).map(|_| random.pose(&rig, false)).collect();
        let refs: Vec<&LocalPose> = poses.iter().collect();
        let (mut lanes, mut lane_model) = (LanePose::rest(&rig), LaneModel::rest(&rig));
        GatherLanesJob { poses: &refs, groups: ALL, output: &mut lanes }.run().unwrap();
        ModelLanesJob { rig: &rig, pose: &lanes, groups: ALL, output: &mut lane_model }.run().unwrap();
        let models: Vec<ModelPose> = poses.iter().map(|p| model(&rig, p, ALL)).collect();
        for backend in Backend::ALL {
            let mut all = vec![vec![AffineRows::IDENTITY; joints]; characters];
            let mut outputs: Vec<&mut [AffineRows]> = all.iter_mut().map(|p| &mut p[..]).collect();
            LanePaletteJob { binding: &binding, model: &lane_model, outputs: &mut outputs }
                .run_on(backend)
                .unwrap();
            for (lane, model) in models.iter().enumerate() {
                let expected = palette(&binding, model, Backend::Scalar);
                let bits = |p: &[AffineRows]| p.iter().flat_map(|r| r.rows.concat()).map(f32::to_bits).collect::<Vec<_>>();
                prop_assert_eq!(bits(&palette(&binding, model, backend)), bits(&expected), "{}", backend);
                prop_assert_eq!(bits(&all[lane]), bits(&expected), "lane {}, {}", lane, backend);
                prop_assert_eq!(compact(&binding, model, backend), compact(&binding, model, Backend::Scalar));
                prop_assert_eq!(boxed(&binding, model, backend), boxed(&binding, model, Backend::Scalar));
            }
        }
    }

    #[test]
    fn a_level_of_detail_is_the_whole_with_the_rest_at_rest(seed: u64, joints in 9..60_usize) {
        let mut random = Random::new(seed);
        let skeleton = random.skeleton(joints, false, true);
        let rig = Rig::new(&skeleton).unwrap();
        let skin = skin_of_all(&mut random, &skeleton);
        let groups = 1;
        let mut pose = random.pose(&rig, false);
        for slot in (8..joints).map(|s| Slot(s as u16)) {
            pose.set(slot, &LocalPose::rest(&rig).get(slot));
        }
        let Ok(leading) = SkinBinding::leading(&rig, &skin, groups) else {
            // Some root of its own lies past the first group.
            prop_assume!(false);
            unreachable!()
        };
        let whole = palette(&SkinBinding::new(&rig, &skin).unwrap(), &model(&rig, &pose, ALL), Backend::best());
        let part = palette(&leading, &model(&rig, &pose, groups), Backend::best());
        for (whole, part) in whole.iter().zip(&part) {
            let difference = Mat4::from(whole.to_affine()) - Mat4::from(part.to_affine());
            prop_assert!(difference.to_cols_array().iter().all(|v| v.abs() < 1e-4));
        }
    }

    #[test]
    fn numbers_that_are_none_are_named_and_written_as_identity(bad in 0..4_usize, part in 0..3_usize) {
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38][bad];
        let mut transforms = vec![Transform::IDENTITY; 11];
        match part {
            0 => transforms[9].translation.y = if bad == 3e38 { f32::NAN } else { bad },
            1 => transforms[9].scale.z = bad,
            _ => transforms[9].rotation.x = bad,
        }
        let (binding, model) = loose(&transforms, &[Vec3::ZERO; 11]);
        let named = PackStatus::NotFinite { entry: 9, slot: Slot(9) };
        for backend in Backend::ALL {
            let (entries, status) = compact(&binding, &model, backend);
            if part != 1 || bad != 3e38 {
                prop_assert_eq!(status, named);
                prop_assert_eq!(entries[9], CompactJoint { position: [0.0; 3], rotation: [0, 0, 0, i16::MAX] });
            }
            let (entries, again) = boxed(&binding, &model, backend);
            prop_assert!(matches!(again, PackStatus::NotFinite { .. } | PackStatus::Scaled { .. }), "{:?}", again);
            prop_assert!(entries.iter().all(|e| e.decode(&ROOM).0.is_finite()));
        }
    }
}

/// Angle from a quaternion to the exact rotation, radians.
fn angle(found: Quat, exact: DQuat) -> f64 {
    sinew::DTransform::angle_between(found.as_dquat().normalize(), exact)
}

#[test]
fn compact_entries_stay_within_the_stated_error() {
    let mut random = Random::new(11);
    let (mut worst_angle, mut worst_shell, mut worst_boxed) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..500 {
        let transforms: Vec<Transform> = (0..64).map(|_| random.transform(false)).collect();
        let at: Vec<Vec3> = (0..64).map(|_| random.vec3() * 2.0).collect();
        let (binding, model) = loose(&transforms, &at);
        let (entries, status) = compact(&binding, &model, Backend::best());
        let (in_box, again) = boxed(&binding, &model, Backend::best());
        assert_eq!((status, again), (PackStatus::Fits, PackStatus::Fits));
        for i in 0..64 {
            let exact = transforms[i].rotation.as_dquat().normalize();
            let (q, position) = entries[i].decode();
            worst_angle = worst_angle.max(angle(q, exact));
            let (boxed_q, boxed_position) = in_box[i].decode(&ROOM);
            assert_eq!(boxed_q, q);
            for _ in 0..4 {
                let arm = random.vec3().as_dvec3().normalize_or_zero() * f64::from(SHELL);
                let expected = transforms[i].translation.as_dvec3() + exact * arm;
                // The shader's formula, exactly: what is measured is the entry.
                let turned = q.as_dquat() * arm;
                worst_shell = worst_shell.max((position.as_dvec3() + turned - expected).length());
                let off = boxed_position.as_dvec3() - position.as_dvec3();
                worst_boxed = worst_boxed.max(off.abs().max_element());
            }
        }
    }
    assert!(worst_angle < 6.5e-5, "{worst_angle:e} rad");
    assert!(worst_shell < 2e-6, "{worst_shell:e} m");
    // The widest side is 10 m.
    assert!(worst_boxed < 0.5 * 10.0 / 65535.0 + 2e-6, "{worst_boxed:e} m");
}

#[test]
fn scale_is_named_and_the_rotation_under_it_is_kept() {
    let mut random = Random::new(2);
    let mut transforms: Vec<Transform> = (0..13).map(|_| random.transform(false)).collect();
    let fits = |t: &[Transform]| {
        let (binding, model) = loose(t, &[Vec3::X; 13]);
        compact(&binding, &model, Backend::best())
    };
    assert_eq!(fits(&transforms).1, PackStatus::Fits);
    transforms[4].scale = Vec3::splat(1.0 + 0.5 * RIGID_TOLERANCE);
    assert_eq!(fits(&transforms).1, PackStatus::Fits);
    transforms[4].scale = Vec3::splat(1.02);
    transforms[10].rotation = Quat::from_xyzw(0.6, 0.0, 0.0, 0.8);
    transforms[10].scale = Vec3::splat(1.5);
    let (entries, status) = fits(&transforms);
    let PackStatus::Scaled { entry: 10, slot: Slot(10), departure } = status else { panic!("{status:?}") };
    // The largest number of that matrix is 1, of one and a half times it 1.5.
    assert!((departure - 0.5).abs() < 1e-6);
    assert!(angle(entries[10].decode().0, transforms[10].rotation.as_dquat()) < 6.5e-5);
    assert!(angle(entries[4].decode().0, transforms[4].rotation.as_dquat().normalize()) < 6.5e-5);
    transforms[10].scale = Vec3::new(-1.0, 1.0, 1.0);
    assert!(matches!(fits(&transforms).1, PackStatus::Scaled { entry: 10, .. }));
    transforms[10].scale = Vec3::ZERO;
    assert!(matches!(fits(&transforms).1, PackStatus::Scaled { entry: 10, .. }));
}

#[test]
fn a_skeleton_in_centimetres_bound_in_centimetres_is_rigid() {
    let scale = Transform {
        scale: Vec3::splat(0.01),
        rotation: Quat::from_xyzw(0.0, 0.6, 0.0, 0.8),
        ..Transform::IDENTITY
    };
    let (_, model) = loose(&[scale], &[Vec3::ZERO]);
    let joint = Joint::new("joint", None, sinew::DTransform::IDENTITY);
    let rig = Rig::new(&Skeleton::numbered(vec![joint], Vec::new()).unwrap()).unwrap();
    let bind = glam::Affine3A::from_scale(Vec3::splat(100.0));
    let bind = BindJoint::new(Slot(0), AffineRows::from_affine(&bind));
    let binding = SkinBinding::from_joints(&rig, vec![bind]).unwrap();
    assert_eq!(compact(&binding, &model, Backend::best()).1, PackStatus::Fits);
}

#[test]
fn outside_the_box_is_named_with_its_distance_and_does_not_wrap() {
    let mut transforms = vec![Transform::IDENTITY; 10];
    transforms[3].translation = Vec3::new(4.5, 0.0, 0.0);
    // 3 above, 4 behind: 5 away.
    transforms[8].translation = Vec3::new(0.0, 8.0, -8.0);
    let (binding, model) = loose(&transforms, &[Vec3::ZERO; 10]);
    for backend in Backend::ALL {
        let (entries, status) = boxed(&binding, &model, backend);
        assert_eq!(status, PackStatus::OutsideBox { entry: 8, slot: Slot(8), distance: 5.0 }, "{backend}");
        assert_eq!(
            (entries[3].position[0], entries[8].position[1], entries[8].position[2]),
            (65535, 65535, 0)
        );
        assert_eq!(entries[0].unused, 0);
    }
    transforms[3].translation = ROOM.max;
    transforms[8].translation = ROOM.min;
    let (binding, model) = loose(&transforms, &[Vec3::ZERO; 10]);
    let (entries, status) = boxed(&binding, &model, Backend::best());
    assert_eq!(status, PackStatus::Fits);
    assert_eq!((entries[3].position, entries[8].position), ([65535; 3], [0; 3]));
}

#[test]
fn sizes_and_forms_of_entries_are_what_shaders_read() {
    assert_eq!((size_of::<AffineRows>(), align_of::<AffineRows>()), (48, 16));
    assert_eq!((size_of::<CompactJoint>(), size_of::<BoxedJoint>()), (20, 16));
}

#[test]
fn what_does_not_fit_together_is_named() {
    let (binding, model) = loose(&[Transform::IDENTITY; 3], &[Vec3::ZERO; 3]);
    let (_, other) = loose(&[Transform::IDENTITY; 4], &[Vec3::ZERO; 4]);
    let (mut rows, mut few) = ([AffineRows::IDENTITY; 3], [EMPTY; 2]);
    let job = PaletteJob { binding: &binding, model: &other, output: &mut rows }.run();
    assert_eq!(job, Err(ModelError::PoseJoints { pose: 0, found: 4, expected: 3 }));
    let job = CompactPaletteJob { binding: &binding, model: &model, output: &mut few }.run();
    assert_eq!(job, Err(ModelError::PaletteEntries { output: 0, found: 2, expected: 3 }));
    for (axis, bad) in [(0, -4.0), (1, f32::NAN), (2, f32::INFINITY), (1, 1e-45)] {
        let mut bounds = ROOM;
        bounds.max[axis] = bad;
        if bad == 1e-45 {
            bounds.min[axis] = 0.0;
        }
        let job =
            BoxedPaletteJob { binding: &binding, model: &model, bounds, output: &mut [EMPTY_BOXED; 3] }.run();
        assert!(matches!(job, Err(ModelError::EmptyBox { axis: a, .. }) if a == axis), "{job:?}");
    }

    let mut random = Random::new(1);
    let skeleton = random.skeleton(2, false, false);
    let rig = Rig::new(&skeleton).unwrap();
    let skin =
        |joint, matrix| Skin { joints: vec![JointId(joint)], inverse_bind: vec![matrix], ..Skin::default() };
    let found = SkinBinding::new(&rig, &skin(2, DMat4::IDENTITY));
    assert_eq!(found, Err(BindError::NoSuchJoint { entry: 0, joint: JointId(2), joints: 2 }));
    let huge = DMat4::from_translation(DVec3::splat(1e300));
    assert_eq!(SkinBinding::new(&rig, &skin(1, huge)), Err(BindError::NotFinite { entry: 0 }));
    let found = SkinBinding::leading(&rig, &skin(1, DMat4::IDENTITY), 0);
    assert_eq!(found, Err(BindError::LeftOut { entry: 0, joint: JointId(1), groups: 0 }));
    let stray = BindJoint::new(Slot(7), AffineRows::IDENTITY);
    let found = SkinBinding::from_joints(&rig, vec![stray]);
    assert_eq!(found, Err(BindError::NoSuchSlot { entry: 0, slot: Slot(7), joints: 2 }));
    let nothing = SkinBinding::from_joints(&rig, Vec::new()).unwrap();
    assert_eq!(compact(&nothing, &ModelPose::rest(&rig), Backend::best()), (Vec::new(), PackStatus::Fits));
}
