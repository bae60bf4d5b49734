//! Promise: model matrices are the plain product of local matrices from the root down, shear and all, and a
//! transform survives the way to a matrix and back.

mod rig;

use glam::{DMat4, DQuat, DVec3};
use proptest::prelude::*;
use rig::{apart, chain, largest_difference, rigid, transform};
use sinew::{DTransform, Joint, JointId, RawPose, Skeleton, model_matrices};

/// T * R * S written out from the glTF text, column by column, with none of the crate's own algebra.
fn by_hand(t: &DTransform) -> [[f64; 4]; 4] {
    let [x, y, z, w] = t.rotation.to_array();
    let r = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let mut m = [[0.0; 4]; 4];
    for row in 0..3 {
        for column in 0..3 {
            m[row][column] = r[row][column] * t.scale[column];
        }
        m[row][3] = t.translation[row];
    }
    m[3][3] = 1.0;
    m
}

fn product(a: &[[f64; 4]; 4], b: &[[f64; 4]; 4]) -> [[f64; 4]; 4] {
    core::array::from_fn(|i| core::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

proptest! {
    #[test]
    fn model_matrices_are_the_brute_force_product_with_shear(rest in prop::collection::vec(transform(), 1..6)) {
        let skeleton = chain(&rest);
        let mut model_ms = Vec::new();
        model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut model_ms);
        let mut expected = by_hand(&DTransform::IDENTITY);
        for (joint, local) in rest.iter().enumerate() {
            expected = product(&expected, &by_hand(local));
            let size = expected.iter().flatten().fold(1.0_f64, |m, v| m.max(v.abs()));
            for (row, numbers) in expected.iter().enumerate() {
                for (column, number) in numbers.iter().enumerate() {
                    let found = model_ms[joint].col(column)[row];
                    prop_assert!((found - number).abs() < 1e-12 * size, "{} {}", row, column);
                }
            }
        }
    }

    #[test]
    fn a_transform_survives_a_matrix(t in transform()) {
        let m = t.to_matrix();
        let back = DTransform::from_matrix(&m).unwrap();
        // The signs of scales may move between axes; the matrix is the same.
        prop_assert!(largest_difference(&back.to_matrix(), &m) < 1e-12);
        prop_assert!((back.rotation.length() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_transform_of_positive_scale_comes_back_as_it_was(t in transform()) {
        let t = DTransform { scale: t.scale.abs(), ..t };
        prop_assert!(apart(&DTransform::from_matrix(&t.to_matrix()).unwrap(), &t) < 1e-12);
    }

    #[test]
    fn composing_transforms_is_multiplying_matrices_where_scale_is_even(a in transform(), b in transform(), s in 0.2..4.0_f64) {
        let a = DTransform { scale: DVec3::splat(s), ..a };
        let composed = a.mul_transform(&b).to_matrix();
        prop_assert!(largest_difference(&composed, &(a.to_matrix() * b.to_matrix())) < 1e-11);
    }

    #[test]
    fn uneven_scale_above_a_child_that_is_not_turned_makes_no_shear(a in transform(), b in transform()) {
        let b = DTransform { rotation: DQuat::IDENTITY, ..b };
        let composed = a.mul_transform(&b).to_matrix();
        prop_assert!(largest_difference(&composed, &(a.to_matrix() * b.to_matrix())) < 1e-11);
    }

    #[test]
    fn a_rigid_inverse_undoes(t in rigid()) {
        prop_assert!(apart(&t.mul_transform(&t.inverse_rigid()), &DTransform::IDENTITY) < 1e-12);
        prop_assert!(apart(&t.inverse_rigid().mul_transform(&t), &DTransform::IDENTITY) < 1e-12);
    }

    #[test]
    fn the_rigid_part_of_a_scaled_matrix_is_its_rotation_and_place(t in transform()) {
        let t = DTransform { scale: t.scale.abs(), ..t };
        let rigid = DTransform::rigid_part(&t.to_matrix());
        let off = apart(&rigid, &DTransform { scale: DVec3::ONE, ..t });
        prop_assert!(off < 1e-12, "{}", off);
    }

    #[test]
    fn the_rigid_part_of_any_matrix_is_rigid(m in prop::array::uniform16(-5.0..5.0_f64)) {
        let rigid = DTransform::rigid_part(&DMat4::from_cols_array(&m));
        prop_assert!((rigid.rotation.length() - 1.0).abs() < 1e-12 && rigid.translation.is_finite());
    }
}

#[test]
fn uneven_scale_under_a_rotation_shears() {
    // The parent is three times as tall; a child turned by 45 degrees leans: its X axis (1, 1) / sqrt 2
    // becomes (1, 3) / sqrt 2.
    let parent = DTransform { scale: DVec3::new(1.0, 3.0, 1.0), ..DTransform::IDENTITY };
    let child =
        DTransform { rotation: DQuat::from_rotation_z(core::f64::consts::FRAC_PI_4), ..DTransform::IDENTITY };
    let skeleton = chain(&[parent, child]);
    let mut model_ms = Vec::new();
    model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut model_ms);
    let axis = model_ms[1].x_axis.truncate() * core::f64::consts::SQRT_2;
    assert!((axis - DVec3::new(1.0, 3.0, 0.0)).length() < 1e-15);
    assert!(DTransform::from_matrix(&model_ms[1]).is_none(), "no T*R*S carries shear");
}

#[test]
fn a_joint_with_a_matrix_of_its_own_keeps_it() {
    let shear = DMat4::from_cols_array(&[
        1.0, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0,
    ]);
    let parent = Joint { rest_matrix: Some(shear), ..Joint::new("sheared", None, DTransform::IDENTITY) };
    let child =
        Joint::new("child", Some(JointId(0)), DTransform { translation: DVec3::X, ..DTransform::IDENTITY });
    let skeleton = Skeleton::numbered(vec![parent, child], vec![]).unwrap();
    let mut model_ms = Vec::new();
    model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut model_ms);
    assert_eq!(model_ms[0], shear);
    assert_eq!(model_ms[1].w_axis.truncate(), DVec3::new(3.0, 0.5, 0.0));
}

#[test]
fn siblings_hang_on_their_own_parent_and_roots_on_nothing() {
    let at = |x: f64| DTransform { translation: DVec3::X * x, ..DTransform::IDENTITY };
    let joints = vec![
        Joint::new("root", None, at(1.0)),
        Joint::new("left", Some(JointId(0)), at(10.0)),
        Joint::new("other root", None, at(100.0)),
        Joint::new("right", Some(JointId(0)), at(20.0)),
        Joint::new("leaf", Some(JointId(2)), at(1000.0)),
    ];
    let skeleton = Skeleton::numbered(joints, vec![]).unwrap();
    let mut model_ms = vec![DMat4::ZERO; 40];
    model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut model_ms);
    let x: Vec<f64> = model_ms.iter().map(|m| m.w_axis.x).collect();
    assert_eq!(x, [1.0, 11.0, 100.0, 21.0, 1100.0]);
}

#[test]
fn matrices_that_no_transform_carries_are_refused() {
    let zero = DMat4::from_scale(DVec3::new(1.0, 0.0, 1.0));
    let mut projective = DMat4::IDENTITY;
    projective.x_axis.w = 0.1;
    let nan = DMat4::from_translation(DVec3::new(f64::NAN, 0.0, 0.0));
    for m in [DMat4::ZERO, zero, projective, nan, DMat4::from_scale(DVec3::splat(f64::INFINITY))] {
        assert_eq!(DTransform::from_matrix(&m), None, "{m}");
    }
}

#[test]
fn scale_0_stays_finite_in_model_space() {
    let flat = DTransform { scale: DVec3::new(1.0, 0.0, 1.0), ..DTransform::IDENTITY };
    let skeleton = chain(&[flat, DTransform { translation: DVec3::ONE, ..DTransform::IDENTITY }]);
    let mut model_ms = Vec::new();
    model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut model_ms);
    assert_eq!(model_ms[1].w_axis.truncate(), DVec3::new(1.0, 0.0, 1.0));
    assert!(DTransform::rigid_part(&model_ms[1]).rotation.is_finite());
    assert!(DTransform::rigid_part(&DMat4::ZERO).rotation.is_normalized());
}
