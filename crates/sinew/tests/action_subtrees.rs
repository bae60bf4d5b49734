//! Promise: a head's subtree is found by walking parents, never holds a leg, follows the head when it is
//! rebuilt, and hierarchies that are none are named.

mod action_rig;

use core::f64::consts::FRAC_PI_2;

use action_rig::{at, skeleton};
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew::action::{HeadSubtree, HierarchyError, find_one, local_of, rebuild, walk_subtree};
use sinew::{DTransform, Joint, JointId, RawPose, Skeleton, model_matrices};

fn rebuilt(parents: &[Option<usize>], locals: &[DTransform]) -> Result<Vec<DTransform>, HierarchyError> {
    let mut model_ms = vec![None; locals.len()];
    rebuild(parents, locals, &mut model_ms)?;
    Ok(model_ms.into_iter().flatten().collect())
}

#[test]
fn a_child_20_along_x_of_a_parent_at_100_turned_90_degrees_is_rebuilt_at_100_20_and_not_at_120_0() {
    let turned = DTransform::from_rotation_translation(DQuat::from_rotation_z(FRAC_PI_2), DVec3::X * 100.0);
    let model_ms = rebuilt(&[None, Some(0)], &[turned, at(20.0, 0.0, 0.0)]).unwrap();
    assert!((model_ms[1].translation - DVec3::new(100.0, 20.0, 0.0)).length() < 1e-12);
    let back = local_of(&model_ms[0], &model_ms[1], 0).unwrap();
    assert!((back.translation - DVec3::X * 20.0).length() < 1e-12);
}

#[test]
fn a_core_inherits_its_head_a_sibling_does_not_and_the_cores_own_track_follows_the_new_axes() {
    let skeleton = skeleton();
    let head = HeadSubtree::new(&skeleton, "Head_01", &[JointId(4), JointId(6)]).unwrap();
    assert_eq!(head.joints(), [JointId(1), JointId(3), JointId(5)]);
    let (mut pose, mut model_ms) = (RawPose::rest(&skeleton), Vec::new());
    model_matrices(&skeleton, &pose, &mut model_ms);
    let before = model_ms.clone();
    // A quarter turn about X takes the head's up, +Y, to +Z.
    pose.local[1].rotation = DQuat::from_rotation_x(FRAC_PI_2);
    model_matrices(&skeleton, &pose, &mut model_ms);
    let place = |i: usize, of: &[glam::DMat4]| of[i].w_axis.truncate();
    assert!((place(3, &model_ms) - DVec3::new(0.0, 1.25, 1.5)).length() < 1e-12);
    assert_eq!((model_ms[2], model_ms[0]), (before[2], before[0]));
    // Half a metre more along the core's own up.
    pose.local[3].translation.y += 0.5;
    model_matrices(&skeleton, &pose, &mut model_ms);
    assert!((place(3, &model_ms) - DVec3::new(0.0, 1.25, 2.0)).length() < 1e-12);
    assert_eq!(model_ms[2], before[2]);
}

#[test]
fn a_subtree_that_holds_a_leg_is_refused_with_the_legs_name() {
    let skeleton = skeleton();
    let (bone, root) = ("Leg_01".to_owned(), "Body_01".to_owned());
    let forbidden = [JointId(4), JointId(6)];
    let error = HeadSubtree::new(&skeleton, "Body_01", &forbidden).unwrap_err();
    assert_eq!(error, HierarchyError::Forbidden { bone, root });
    let error = HeadSubtree::new(&skeleton, "Head_02", &forbidden).unwrap_err();
    assert_eq!(error, HierarchyError::NoBone { name: "Head_02".into(), bones: 7 });
}

#[test]
fn a_name_of_two_bones_picks_none_of_them() {
    let joint = |parent| Joint::new("Head_01", parent, DTransform::IDENTITY);
    let skeleton = Skeleton::numbered(vec![joint(None), joint(Some(JointId(0)))], Vec::new()).unwrap();
    let error = HierarchyError::RepeatedName { name: "Head_01".into(), first: 0, second: 1 };
    assert_eq!(find_one(&skeleton, "Head_01"), Err(error.clone()));
    assert_eq!(HeadSubtree::new(&skeleton, "Head_01", &[]), Err(error));
}

#[test]
fn parents_may_stand_after_their_children() {
    let parents = [Some(2), None, Some(1), Some(0), Some(1)];
    assert_eq!(walk_subtree(&parents, 2), Ok(vec![0, 2, 3]));
    let locals =
        [at(1.0, 0.0, 0.0), at(0.0, 5.0, 0.0), at(0.0, 0.0, 2.0), at(3.0, 0.0, 0.0), at(0.0, 0.0, 0.0)];
    let model_ms = rebuilt(&parents, &locals).unwrap();
    assert_eq!(model_ms[3].translation, DVec3::new(4.0, 5.0, 2.0));
}

#[test]
fn circles_and_parents_that_are_not_there_are_named() {
    let circle = [None, Some(3), Some(1), Some(2)];
    assert_eq!(walk_subtree(&circle, 0), Err(HierarchyError::Cycle { bone: 1 }));
    assert_eq!(walk_subtree(&circle, 2), Err(HierarchyError::Cycle { bone: 1 }));
    let locals = [DTransform::IDENTITY; 4];
    assert_eq!(rebuilt(&circle, &locals), Err(HierarchyError::Pending { waiting: 3, first: 1 }));
    assert_eq!(walk_subtree(&[Some(0)], 0), Err(HierarchyError::Cycle { bone: 0 }));
    let off = [None, Some(9)];
    let error = HierarchyError::NoParent { bone: 1, parent: 9, bones: 2 };
    assert_eq!(walk_subtree(&off, 0), Err(error.clone()));
    assert_eq!(rebuilt(&off, &locals[..2]), Err(error));
    assert_eq!(walk_subtree(&off, 7), Err(HierarchyError::NoRoot { root: 7, bones: 2 }));
    let error = HierarchyError::Length { what: "local transforms", found: 1, expected: 2 };
    assert_eq!(rebuild(&off, &locals[..1], &mut [None, None]), Err(error));
}

#[test]
fn a_failed_rebuild_leaves_the_output_as_it_was() {
    let mut model_ms = [None, None, None];
    let locals = [DTransform::IDENTITY; 3];
    rebuild(&[None, Some(2), Some(1)], &locals, &mut model_ms).unwrap_err();
    assert_eq!(model_ms, [None, None, None]);
}

#[test]
fn bones_whose_place_is_given_keep_it() {
    let mut model_ms = [Some(at(7.0, 0.0, 0.0)), None];
    rebuild(&[None, Some(0)], &[at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0)], &mut model_ms).unwrap();
    assert_eq!(model_ms, [Some(at(7.0, 0.0, 0.0)), Some(at(7.0, 1.0, 0.0))]);
}

#[test]
fn a_parent_without_scale_has_no_local_transforms() {
    let flat = DTransform { scale: DVec3::new(1.0, 0.0, 1.0), ..DTransform::IDENTITY };
    let error = HierarchyError::ZeroScale { bone: 4, axis: 1, scale: 0.0 };
    assert_eq!(local_of(&flat, &DTransform::IDENTITY, 4), Err(error));
    let nan = DTransform { translation: DVec3::NAN, ..DTransform::IDENTITY };
    let error = HierarchyError::NotATransform { bone: 4 };
    assert_eq!(local_of(&nan, &DTransform::IDENTITY, 4), Err(error.clone()));
    let long = DTransform { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..DTransform::IDENTITY };
    assert_eq!(local_of(&long, &DTransform::IDENTITY, 4), Err(error));
}

#[test]
fn what_has_no_transform_below_its_parent_is_an_error_and_not_a_nan() {
    let error = HierarchyError::NoLocal { bone: 4 };
    let parent = at(1.0, 0.0, 0.0);
    for nan in [
        DTransform { translation: DVec3::new(0.0, f64::NAN, 0.0), ..DTransform::IDENTITY },
        DTransform { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, f64::NAN), ..DTransform::IDENTITY },
        DTransform { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..DTransform::IDENTITY },
        DTransform { scale: DVec3::new(1.0, 1.0, f64::INFINITY), ..DTransform::IDENTITY },
    ] {
        assert_eq!(local_of(&parent, &nan, 4), Err(error.clone()), "{nan:?}");
    }
    // Above the least that can be divided by, and yet nothing of a usual size is finite next to it.
    let tiny = DTransform { scale: DVec3::splat(1e-300), ..DTransform::IDENTITY };
    assert_eq!(local_of(&tiny, &at(1e9, 0.0, 0.0), 4), Err(error));
    // A child without scale has a place all the same.
    let flat = DTransform { scale: DVec3::ZERO, ..at(2.0, 0.0, 0.0) };
    assert_eq!(local_of(&parent, &flat, 4).map(|local| local.scale), Ok(DVec3::ZERO));
}

#[test]
fn a_joint_that_must_stay_outside_and_is_no_joint_is_refused() {
    let error = HeadSubtree::new(&skeleton(), "Head_01", &[JointId(4), JointId(70)]).unwrap_err();
    assert_eq!(error, HierarchyError::NoForbidden { bone: 70, bones: 7 });
}

#[test]
fn long_chains_are_walked_and_rebuilt_in_a_time_that_grows_with_their_length() {
    // The last bone is the root, each hangs from the next: walking up from each is half of 300 000 squared.
    let bones = 300_000;
    let parents: Vec<_> = (1..bones).map(Some).chain([None]).collect();
    let start = std::time::Instant::now();
    assert_eq!(walk_subtree(&parents, bones - 2).map(|inside| inside.len()), Ok(bones - 1));
    let locals = vec![at(1.0, 0.0, 0.0); bones];
    let model_ms = rebuilt(&parents, &locals).unwrap();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert_eq!(model_ms[0].translation.x, bones as f64);
}

fn transforms() -> impl Strategy<Value = DTransform> {
    let vector =
        |range: core::ops::Range<f64>| [range.clone(), range.clone(), range].prop_map(DVec3::from_array);
    let turn = (vector(-1.0..1.0), -3.0..3.0_f64);
    let signs = [any::<bool>(), any::<bool>(), any::<bool>()];
    (vector(-5.0..5.0), turn, vector(0.2..3.0), signs).prop_map(
        |(translation, (axis, angle), scale, signs)| {
            let rotation = DQuat::from_axis_angle(axis.try_normalize().unwrap_or(DVec3::X), angle);
            let sign = DVec3::from_array(signs.map(|minus| if minus { -1.0 } else { 1.0 }));
            DTransform { translation, rotation, scale: scale * sign }
        },
    )
}

proptest! {
    #[test]
    fn taking_apart_undoes_putting_together(parent in transforms(), child in transforms()) {
        let back = local_of(&parent, &parent.mul_transform(&child), 0).unwrap();
        prop_assert!((back.translation - child.translation).length() < 1e-11);
        prop_assert!(DTransform::angle_between(back.rotation, child.rotation) < 1e-12);
        prop_assert!((back.scale - child.scale).length() < 1e-12);
    }

    #[test]
    fn a_compound_turn_of_parent_and_child_is_their_product_in_that_order(
        first in -3.0..3.0_f64, second in -3.0..3.0_f64,
    ) {
        // Against matrices; single axes cannot tell the order of a product.
        let (a, b) = (DQuat::from_rotation_x(first), DQuat::from_rotation_y(second));
        let turned = |rotation| DTransform { rotation, ..at(0.5, 1.0, -2.0) };
        let model_ms = rebuilt(&[None, Some(0)], &[turned(a), turned(b)]).unwrap();
        let expected = turned(a).to_matrix() * turned(b).to_matrix();
        let error = (model_ms[1].to_matrix() - expected).to_cols_array();
        prop_assert!(error.iter().all(|e| e.abs() < 1e-12));
    }
}
