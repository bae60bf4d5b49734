//! Promise: a skinned vertex is the weighted sum of where its joints carry it, over all its influences, with
//! weights brought to one or as stored; morph targets come first, the carrying node's own place never.

mod rig;

use glam::{DMat4, DQuat, DVec3};
use proptest::prelude::*;
use rig::{chain, rigid, transform};
use sinew::{
    Binding, DTransform, Influences, JointId, MorphTarget, Primitive, RawPose, Skin, SkinError, SkinJob,
    WeightMode, model_matrices,
};

/// Vertices pulled by `per_vertex` joints each, all by joints 0, 1, 2, ... in turn.
fn strip(positions: Vec<[f32; 3]>, weights: Vec<f32>) -> Primitive {
    let per_vertex = weights.len() / positions.len();
    let joints = (0..weights.len()).map(|i| (i % per_vertex) as u16).collect();
    let influences = Some(Influences { per_vertex, joints, weights });
    Primitive { positions, influences, ..Primitive::default() }
}

fn skinned(primitive: &Primitive, palette: &[DMat4], weights: WeightMode) -> Result<Vec<DVec3>, SkinError> {
    let mut out = Vec::new();
    SkinJob { primitive, morph_weights: &[], binding: Binding::Skinned(palette), weights }.run(&mut out)?;
    Ok(out)
}

fn point(p: [f32; 3]) -> DVec3 {
    DVec3::new(p[0].into(), p[1].into(), p[2].into())
}

proptest! {
    #[test]
    fn normalised_weights_do_not_depend_on_their_sum(
        joints in prop::collection::vec(transform(), 4),
        weights in prop::array::uniform4(0.01..1.0_f32),
        at in prop::array::uniform3(-2.0..2.0_f32),
    ) {
        let palette: Vec<DMat4> = joints.iter().map(DTransform::to_matrix).collect();
        // A power of two keeps the stored numbers exact.
        let (once, eightfold) = (strip(vec![at], weights.to_vec()), strip(vec![at], weights.map(|w| w * 8.0).to_vec()));
        let a = skinned(&once, &palette, WeightMode::Normalised).unwrap()[0];
        let b = skinned(&eightfold, &palette, WeightMode::Normalised).unwrap()[0];
        prop_assert!((a - b).length() < 1e-12);
        // By the text: a sum of matrices times the vertex.
        let total: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        let blended = palette.iter().zip(&weights).fold(DMat4::ZERO, |m, (p, w)| m + *p * (f64::from(*w) / total));
        prop_assert!((a - blended.transform_point3(point(at))).length() < 1e-11);
        let stored = palette.iter().zip(&weights).fold(DMat4::ZERO, |m, (p, w)| m + *p * f64::from(*w));
        let found = skinned(&once, &palette, WeightMode::AsStored).unwrap()[0];
        prop_assert!((found - (stored * point(at).extend(1.0)).truncate()).length() < 1e-11);
    }

    #[test]
    fn moving_every_joint_moves_every_vertex(
        joints in prop::collection::vec(transform(), 3),
        weights in prop::array::uniform3(0.01..1.0_f32),
        at in prop::array::uniform3(-2.0..2.0_f32),
        motion in rigid(),
    ) {
        let palette: Vec<DMat4> = joints.iter().map(DTransform::to_matrix).collect();
        let moved: Vec<DMat4> = palette.iter().map(|m| motion.to_matrix() * *m).collect();
        let strip = strip(vec![at], weights.to_vec());
        let before = skinned(&strip, &palette, WeightMode::Normalised).unwrap()[0];
        let after = skinned(&strip, &moved, WeightMode::Normalised).unwrap()[0];
        prop_assert!((after - motion.to_matrix().transform_point3(before)).length() < 1e-10);
    }

    #[test]
    fn at_the_bind_pose_nothing_moves(rest in prop::collection::vec(transform(), 4), at in prop::array::uniform3(-2.0..2.0_f32)) {
        let skeleton = chain(&rest);
        let mut model_ms = Vec::new();
        model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut model_ms);
        let skin = Skin {
            joints: (0..4).map(JointId).collect(),
            inverse_bind: model_ms.iter().map(DMat4::inverse).collect(),
            ..Skin::default()
        };
        let mut palette = Vec::new();
        skin.palette(&model_ms, &mut palette);
        let strip = strip(vec![at], vec![0.1, 0.2, 0.3, 0.4]);
        let out = skinned(&strip, &palette, WeightMode::Normalised).unwrap();
        // Chains of scales of 0.2 and 4 lose some digits on the way there and back.
        prop_assert!((out[0] - point(at)).length() < 1e-7, "{}", (out[0] - point(at)).length());
    }
}

#[test]
fn two_joints_half_each_put_the_vertex_half_way() {
    let palette = [DMat4::IDENTITY, DMat4::from_translation(DVec3::X * 2.0)];
    let strip = strip(vec![[0.0, 1.0, 0.0]], vec![0.5, 0.5]);
    assert_eq!(skinned(&strip, &palette, WeightMode::Normalised).unwrap(), [DVec3::new(1.0, 1.0, 0.0)]);
}

#[test]
fn weights_that_add_up_to_less_shrink_towards_the_origin_only_as_stored() {
    let strip = strip(vec![[2.0, 4.0, 8.0]], vec![0.25, 0.25]);
    let palette = [DMat4::IDENTITY; 2];
    assert_eq!(skinned(&strip, &palette, WeightMode::AsStored).unwrap(), [DVec3::new(1.0, 2.0, 4.0)]);
    assert_eq!(skinned(&strip, &palette, WeightMode::Normalised).unwrap(), [DVec3::new(2.0, 4.0, 8.0)]);
}

#[test]
fn weights_of_zero_in_all_are_the_origin_and_finite() {
    let strip = strip(vec![[2.0, 4.0, 8.0]], vec![0.0; 4]);
    for mode in [WeightMode::Normalised, WeightMode::AsStored] {
        assert_eq!(skinned(&strip, &[DMat4::IDENTITY], mode).unwrap(), [DVec3::ZERO]);
    }
}

#[test]
fn every_influence_counts_beyond_the_fourth() {
    let palette: Vec<DMat4> = (0..12).map(|i| DMat4::from_translation(DVec3::Y * f64::from(i))).collect();
    let strip = strip(vec![[0.0; 3]], vec![1.0; 12]);
    let out = skinned(&strip, &palette, WeightMode::Normalised).unwrap();
    assert!((out[0] - DVec3::Y * 5.5).length() < 1e-12, "the mean of 0 to 11");
}

#[test]
fn a_rigid_mesh_goes_with_its_node() {
    let node = DTransform {
        translation: DVec3::new(1.0, 0.0, 0.0),
        rotation: DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2),
        scale: DVec3::new(2.0, 1.0, 1.0),
    }
    .to_matrix();
    let primitive = Primitive { positions: vec![[1.0, 0.0, 0.0]], ..Primitive::default() };
    let job = SkinJob {
        primitive: &primitive,
        morph_weights: &[],
        binding: Binding::Rigid(&node),
        weights: WeightMode::Normalised,
    };
    assert!((job.vertex(0).unwrap() - DVec3::new(1.0, 2.0, 0.0)).length() < 1e-15);
}

#[test]
fn morph_targets_are_added_before_the_joints_pull() {
    let target = |p| MorphTarget { positions: Some(vec![p]), normals: None };
    let primitive = Primitive {
        targets: vec![target([0.0, 0.0, 2.0]), MorphTarget::default(), target([0.0, 4.0, 0.0])],
        ..strip(vec![[1.0, 0.0, 0.0]], vec![1.0])
    };
    let at = |morph_weights: &[f64]| {
        let palette = [DMat4::from_rotation_y(core::f64::consts::FRAC_PI_2)];
        SkinJob {
            primitive: &primitive,
            morph_weights,
            binding: Binding::Skinned(&palette),
            weights: WeightMode::AsStored,
        }
        .vertex(0)
        .unwrap()
    };
    // A quarter turn about Y takes X to -Z and Z to X.
    assert!((at(&[]) - DVec3::new(0.0, 0.0, -1.0)).length() < 1e-15);
    assert!((at(&[0.5]) - DVec3::new(1.0, 0.0, -1.0)).length() < 1e-15, "missing weights are 0");
    assert!((at(&[0.5, 1.0, -0.25, 9.0]) - DVec3::new(1.0, -1.0, -1.0)).length() < 1e-15);
}

#[test]
fn skins_that_share_joints_keep_their_own_order_and_bind_matrices() {
    let model_ms: Vec<DMat4> = (0..3).map(|i| DMat4::from_translation(DVec3::X * f64::from(i))).collect();
    let skin = |joints: &[u32], inverse_bind| Skin {
        joints: joints.iter().map(|j| JointId(*j)).collect(),
        inverse_bind,
        ..Skin::default()
    };
    let lift = DMat4::from_translation(DVec3::Y);
    let mut palette = vec![DMat4::ZERO; 9];
    skin(&[2, 0], vec![lift, DMat4::IDENTITY]).palette(&model_ms, &mut palette);
    assert_eq!(palette, [model_ms[2] * lift, model_ms[0]]);
    skin(&[0, 1, 2], vec![]).palette(&model_ms, &mut palette);
    assert_eq!(palette, model_ms, "missing inverse bind matrices are the identity");
}

#[test]
fn bindings_that_do_not_fit_are_errors_with_the_vertex() {
    let bare = Primitive { positions: vec![[0.0; 3]], ..Primitive::default() };
    assert_eq!(skinned(&bare, &[DMat4::IDENTITY], WeightMode::AsStored), Err(SkinError::NoInfluences));

    let strip = strip(vec![[0.0; 3]; 2], vec![0.5; 4]);
    let error = skinned(&strip, &[DMat4::IDENTITY], WeightMode::Normalised).unwrap_err();
    assert_eq!(error, SkinError::NoSuchJoint { vertex: 0, joint: 1, joints: 1 });
    assert!(error.to_string().contains("vertex 0"));

    let mut short = strip.clone();
    short.influences.as_mut().unwrap().weights.pop();
    let error = skinned(&short, &[DMat4::IDENTITY; 2], WeightMode::Normalised).unwrap_err();
    assert_eq!(error, SkinError::TooFewInfluences { vertex: 1, per_vertex: 2, joints: 4, weights: 3 });
}

#[test]
fn a_joint_that_pulls_with_nothing_need_not_exist() {
    let mut strip = strip(vec![[1.0, 2.0, 3.0]], vec![1.0, 0.0]);
    strip.influences.as_mut().unwrap().joints[1] = u16::MAX;
    let out = skinned(&strip, &[DMat4::IDENTITY], WeightMode::Normalised).unwrap();
    assert_eq!(out, [DVec3::new(1.0, 2.0, 3.0)]);
}
