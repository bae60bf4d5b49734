//! Every node becomes a joint, parents first, whatever the file does to its tree; skins keep their own order.

mod gltf_builder;

use glam::{DMat4, DVec3};
use gltf_builder::{Builder, assert_clean, assert_says, only};
use serde_json::{Value, json};
use sinew::{JointFlags, JointId};
use sinew_asset::{Loaded, ProblemCode, Severity};

fn tree(nodes: &[Value]) -> Loaded {
    let mut b = Builder::new();
    for node in nodes {
        b.node(node.clone());
    }
    b.load()
}

/// `(node, parent's node)` in joint order.
fn links(loaded: &Loaded) -> Vec<(u32, Option<u32>)> {
    let skeleton = &loaded.document.skeleton;
    skeleton.joints().iter().map(|j| (j.node, j.parent.map(|p| skeleton.joint(p).node))).collect()
}

#[test]
fn parents_come_before_children_whatever_the_file_order() {
    let loaded = tree(&[json!({}), json!({"children": [0, 3]}), json!({"children": [1]}), json!({})]);
    assert_clean(&loaded);
    assert_eq!(links(&loaded), [(2, None), (1, Some(2)), (0, Some(1)), (3, Some(1))]);
    let skeleton = &loaded.document.skeleton;
    assert_eq!(skeleton.joint_of_node(0), Some(JointId(2)));
}

#[test]
fn duplicate_and_missing_names_are_kept() {
    let loaded = tree(&[json!({"name": "a"}), json!({"name": "a"}), json!({})]);
    assert_clean(&loaded);
    let names: Vec<_> = loaded.document.skeleton.joints().iter().map(|j| j.name.as_deref()).collect();
    assert_eq!(names, [Some("a"), Some("a"), None]);
}

#[test]
fn a_second_parent_is_dropped_and_named() {
    let loaded = tree(&[json!({"children": [2]}), json!({"name": "late", "children": [2]}), json!({})]);
    assert_eq!(links(&loaded), [(0, None), (2, Some(0)), (1, None)]);
    let problem = only(&loaded, ProblemCode::Node);
    assert_says(problem, &["node 1 'late'", "one parent for node 2", "nodes 0 and 1", "/nodes/1/children/0"]);
}

#[test]
fn a_circle_is_cut_above_its_lowest_node() {
    // 0 hangs on the circle 1 - 2 - 3.
    let nodes = [json!({}), json!({"children": [2]}), json!({"children": [3, 0]}), json!({"children": [1]})];
    let loaded = tree(&nodes);
    assert_eq!(links(&loaded), [(1, None), (2, Some(1)), (3, Some(2)), (0, Some(2))]);
    assert_says(only(&loaded, ProblemCode::Node), &["node 1 above itself", "node 3 dropped"]);
    let itself = tree(&[json!({"children": [0]})]);
    assert_eq!(links(&itself), [(0, None)]);
    assert_says(only(&itself, ProblemCode::Node), &["node 0 above itself"]);
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_no_deep_recursion() {
    let count = 100_000;
    let node = |i: usize| if i + 1 < count { json!({"children": [i + 1]}) } else { json!({}) };
    let loaded = tree(&(0..count).map(node).collect::<Vec<_>>());
    assert_eq!(loaded.document.skeleton.len(), count);
}

#[test]
fn children_that_are_not_there_are_named() {
    let loaded = tree(&[json!({"children": [1, 7, -1, "x"]}), json!({})]);
    assert_eq!(links(&loaded), [(0, None), (1, Some(0))]);
    assert_eq!(loaded.problems.len(), 3);
    assert_says(&loaded.problems[0], &["index into 2 nodes, 0 to 1, found 7", "/nodes/0/children/1"]);
}

#[test]
fn a_matrix_becomes_translation_rotation_and_scale_where_these_carry_it() {
    let plain = DMat4::from_scale_rotation_translation(
        DVec3::new(1.0, 2.0, 3.0),
        glam::DQuat::from_rotation_x(0.5),
        DVec3::new(4.0, 5.0, 6.0),
    );
    let shear = DMat4::from_scale(DVec3::new(1.0, 3.0, 1.0)) * DMat4::from_rotation_z(0.5);
    let loaded = tree(&[
        json!({"matrix": plain.to_cols_array()}),
        json!({"matrix": shear.to_cols_array()}),
        json!({"matrix": DMat4::ZERO.to_cols_array()}),
    ]);
    assert_clean(&loaded);
    let joints = loaded.document.skeleton.joints();
    assert_eq!(joints[0].rest_matrix, None);
    assert!(joints[0].rest.to_matrix().abs_diff_eq(plain, 1e-12));
    assert_eq!(joints[1].rest_matrix, Some(shear));
    assert_eq!(joints[2].rest_matrix, Some(DMat4::ZERO));
}

#[test]
fn a_transform_that_is_none_is_named_and_left_out() {
    for (node, place, severity) in [
        (json!({"translation": [1, 2]}), "/nodes/0/translation", Severity::Error),
        (json!({"translation": [1, 2, "x"]}), "/nodes/0/translation/2", Severity::Error),
        (json!({"rotation": [0, 0, 0, 0]}), "/nodes/0/rotation", Severity::Error),
        (json!({"rotation": [0, 0, 0, 2]}), "/nodes/0/rotation", Severity::Warning),
        (json!({"scale": 3}), "/nodes/0/scale", Severity::Error),
        (json!({"matrix": [1]}), "/nodes/0/matrix", Severity::Error),
        (
            json!({"matrix": DMat4::IDENTITY.to_cols_array(), "scale": [1, 1, 1]}),
            "/nodes/0",
            Severity::Warning,
        ),
    ] {
        let loaded = tree(&[node]);
        let problem = only(&loaded, ProblemCode::Node);
        assert_eq!(problem.severity, severity);
        assert_says(problem, &[place]);
        assert_eq!(loaded.document.skeleton.joints()[0].rest, sinew::DTransform::IDENTITY);
    }
}

#[test]
fn rest_weights_are_the_nodes_own_or_the_meshs_or_zero() {
    let mut b = Builder::new();
    let p = b.floats("VEC3", &[0.0; 3]);
    let primitive =
        json!({"attributes": {"POSITION": p}, "mode": 0, "targets": [{"POSITION": p}, {"POSITION": p}]});
    b.push("meshes", json!({"primitives": [primitive], "weights": [0.1, 0.2]}));
    b.push("meshes", json!({"primitives": [primitive]}));
    b.node(json!({"mesh": 0, "weights": [0.3, 0.4]}));
    b.node(json!({"mesh": 0}));
    b.node(json!({"mesh": 1}));
    b.node(json!({"mesh": 1, "weights": [0.5]}));
    let loaded = b.load();
    assert_eq!(loaded.document.skeleton.rest_weights(), [0.3, 0.4, 0.1, 0.2, 0.0, 0.0, 0.5, 0.0]);
    assert_eq!(loaded.document.skeleton.joints()[2].weights, 4..6);
    assert_says(only(&loaded, ProblemCode::Node), &["2 weights", "found 1", "/nodes/3/weights"]);
}

#[test]
fn scenes_keep_their_roots_and_the_default() {
    let mut b = Builder::new();
    b.node(json!({"children": [1]}));
    b.node(json!({}));
    b.push("scenes", json!({"name": "one", "nodes": [0]}));
    b.push("scenes", json!({"nodes": [1, 9]}));
    b.json["scene"] = 1.into();
    let loaded = b.load();
    let document = &loaded.document;
    assert_eq!(document.default_scene, Some(1));
    assert_eq!(document.scenes[0].name.as_deref(), Some("one"));
    assert_eq!(document.scenes[1].roots, [JointId(1)]);
    assert_says(&loaded.problems[0], &["scene 1", "node 1, a child of node 0"]);
    assert_says(&loaded.problems[1], &["scene 1", "found 9", "/scenes/1/nodes/1"]);
}

/// Two nodes, and a skin as given.
fn skinned(skin: impl FnOnce(&mut Builder) -> Value) -> Loaded {
    let mut b = Builder::new();
    b.node(json!({"children": [1]}));
    b.node(json!({}));
    let skin = skin(&mut b);
    b.push("skins", skin);
    b.push("skins", json!({"joints": [1, 0], "skeleton": 99}));
    b.load()
}

#[test]
fn skins_sharing_joints_keep_their_own_order_and_matrices() {
    let half = DMat4::from_scale(DVec3::splat(0.5)).to_cols_array().map(|v| v as f32);
    let loaded = skinned(|b| {
        let matrices = b.floats("MAT4", &[half, half, half].concat());
        json!({"name": "body", "joints": [0, 1], "inverseBindMatrices": matrices})
    });
    assert_clean(&loaded);
    let skins = &loaded.document.skins;
    assert_eq!(skins[0].joints, [JointId(0), JointId(1)]);
    assert_eq!(skins[1].joints, [JointId(1), JointId(0)]);
    assert_eq!(skins[0].inverse_bind[1], DMat4::from_scale(DVec3::splat(0.5)));
    assert_eq!(skins[1].inverse_bind, [DMat4::IDENTITY; 2], "missing inverse bind matrices are identity");
    assert!(loaded.document.skeleton.joints().iter().all(|j| j.flags.contains(JointFlags::SKIN_JOINT)));
}

#[test]
fn a_skin_that_cannot_be_used_is_named_and_the_others_go_on() {
    type Make = fn(&mut Builder) -> Value;
    let cases: [(Make, &str); 6] = [
        (|_| json!({"joints": [0, 5]}), "0 to 1, found 5"),
        (|_| json!({"joints": []}), "1 to 65536 joints"),
        (|_| json!({}), "/skins/0/joints"),
        (
            |b| {
                let m = b.floats("MAT4", &[0.0; 16]);
                json!({"joints": [0, 1], "inverseBindMatrices": m})
            },
            "2 inverse bind matrices, one a joint, found 1",
        ),
        (
            |b| {
                let m = b.floats("MAT4", &[f32::NAN; 32]);
                json!({"joints": [0, 1], "inverseBindMatrices": m})
            },
            "finite numbers in inverse bind matrix 0, found NaN",
        ),
        (
            |b| {
                let m = b.floats("VEC4", &[0.0; 16]);
                json!({"joints": [0, 1], "inverseBindMatrices": m})
            },
            "MAT4 of F32, found VEC4",
        ),
    ];
    for (make, words) in cases {
        let loaded = skinned(make);
        assert_eq!(loaded.document.skins.len(), 1);
        assert_eq!(loaded.document.skins[0].source, 1);
        assert_eq!(loaded.problems[0].severity, Severity::Error);
        assert_says(&loaded.problems[0], &["skin 0", words, "left out"]);
    }
}
