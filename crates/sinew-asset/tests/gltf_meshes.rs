//! Meshes come in with every influence set, morph target and topology; what is wrong with one is named and
//! made safe, and costs no other.

mod gltf_builder;

use gltf_builder::{Builder, assert_clean, assert_says, only};
use serde_json::{Value, json};
use sinew::Primitive;
use sinew_asset::{Loaded, ProblemCode, Severity};

const QUAD: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];

/// A quad on one node with a skin of two joints; the primitive's JSON is made by `primitive`.
fn quad(primitive: impl FnOnce(&mut Builder, u32) -> Value) -> Loaded {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &QUAD);
    let primitive = primitive(&mut b, position);
    b.push("meshes", json!({"name": "quad", "primitives": [primitive]}));
    b.push("skins", json!({"joints": [0, 1]}));
    b.node(json!({}));
    b.node(json!({}));
    b.node(json!({"mesh": 0, "skin": 0}));
    b.load()
}

fn primitive(loaded: &Loaded) -> &Primitive {
    &loaded.document.meshes[0].primitives[0]
}

#[test]
fn topologies_become_triangles() {
    for (mode, indices, expected) in [
        (4, Some(vec![0, 1, 2]), vec![0, 1, 2]),
        (5, None, vec![0, 1, 2, 1, 3, 2]),
        (6, Some(vec![0, 1, 2, 3]), vec![1, 2, 0, 2, 3, 0]),
    ] {
        let loaded = quad(|b, position| {
            let mut primitive = json!({"attributes": {"POSITION": position}, "mode": mode});
            if let Some(indices) = indices {
                primitive["indices"] = b.accessor(5121, "SCALAR", indices.len(), &indices, json!({})).into();
            }
            primitive
        });
        assert_eq!(primitive(&loaded).indices, expected);
    }
}

#[test]
fn points_and_lines_are_kept_as_vertices_and_named() {
    let loaded = quad(|_, position| json!({"attributes": {"POSITION": position}, "mode": 1}));
    assert_eq!(primitive(&loaded).positions.len(), 4);
    assert!(primitive(&loaded).indices.is_empty());
    assert_says(only(&loaded, ProblemCode::Mesh), &["mesh 0 'quad', primitive 0", "lines"]);
}

#[test]
fn triangles_outside_the_vertices_are_dropped_and_counted() {
    let loaded = quad(|b, position| {
        let indices = b.accessor(5121, "SCALAR", 7, &[0, 1, 2, 0, 9, 2, 3], json!({}));
        json!({"attributes": {"POSITION": position}, "indices": indices})
    });
    assert_eq!(primitive(&loaded).indices, [0, 1, 2]);
    assert_says(&loaded.problems[0], &["found 7", "the last 1 dropped"]);
    assert_says(
        &loaded.problems[1],
        &["below the 4 vertices", "found 9 in triangle 1", "1 triangles dropped"],
    );
}

#[test]
fn quantised_positions_are_numbers_as_stored_or_normalised() {
    let shorts: Vec<u8> = [-32768_i16, 0, 32767].iter().flat_map(|v| v.to_le_bytes()).collect();
    for (extra, expected) in
        [(json!({}), [-32768.0, 0.0, 32767.0]), (json!({"normalized": true}), [-1.0, 0.0, 1.0])]
    {
        let mut b = Builder::new();
        let position = b.accessor(5122, "VEC3", 1, &shorts, extra);
        b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}, "mode": 0}]}));
        assert_eq!(primitive(&b.load()).positions, [expected]);
    }
}

/// Attributes with sets of joints (bytes) and weights (floats), 16 of each a set.
fn sets(b: &mut Builder, position: u32, sets: &[([u8; 16], [f32; 16])]) -> Value {
    let mut attributes = json!({"POSITION": position});
    for (n, (joints, weights)) in sets.iter().enumerate() {
        attributes[format!("JOINTS_{n}")] = b.accessor(5121, "VEC4", 4, joints, json!({})).into();
        attributes[format!("WEIGHTS_{n}")] = b.floats("VEC4", weights).into();
    }
    json!({"attributes": attributes, "mode": 5})
}

#[test]
fn all_influence_sets_stand_side_by_side() {
    let loaded =
        quad(|b, p| sets(b, p, &[([0; 16], [0.25; 16]), ([1; 16], [0.5; 16]), ([0; 16], [0.0; 16])]));
    assert_clean(&loaded);
    let influences = primitive(&loaded).influences.as_ref().unwrap();
    assert_eq!(influences.per_vertex, 12);
    let first: Vec<_> = influences.of(3).collect();
    assert_eq!(first[3..9], [(0, 0.25), (1, 0.5), (1, 0.5), (1, 0.5), (1, 0.5), (0, 0.0)]);
    assert_eq!(loaded.document.instances[0].skin, Some(0));
}

#[test]
fn joints_outside_the_skin_are_named_by_vertex_and_made_safe() {
    let mut joints = [0; 16];
    let mut weights = [0.25; 16];
    joints[9] = 200;
    joints[15] = 77;
    weights[15] = 0.0;
    let loaded = quad(|b, p| sets(b, p, &[(joints, weights)]));
    let problems: Vec<_> = loaded.problems.iter().filter(|p| p.code == ProblemCode::Influence).collect();
    assert_eq!((problems[0].severity, problems[1].severity), (Severity::Warning, Severity::Info));
    assert_says(problems[0], &["below the 2 of the skin", "found 200 at vertex 2", "1 such"]);
    assert_says(problems[1], &["found 77 at vertex 3", "weight 0"]);
    let influences = primitive(&loaded).influences.as_ref().unwrap();
    assert_eq!((influences.joints[9], influences.weights[9], influences.weights[8]), (0, 0.0, 0.25));
}

#[test]
fn weights_that_are_none_are_named_by_vertex_and_set_to_zero() {
    let mut weights = [0.25; 16];
    weights[4] = f32::NAN;
    weights[5] = -1.0;
    let loaded = quad(|b, p| sets(b, p, &[([0; 16], weights)]));
    assert_says(only(&loaded, ProblemCode::Influence), &["found NaN at vertex 1", "2 such"]);
    assert_eq!(primitive(&loaded).influences.as_ref().unwrap().weights[4..6], [0.0, 0.0]);
}

#[test]
fn a_set_without_its_other_half_is_left_out_and_named() {
    let loaded = quad(|b, position| {
        let joints = b.accessor(5121, "VEC4", 4, &[0; 16], json!({}));
        json!({"attributes": {"POSITION": position, "JOINTS_0": joints}})
    });
    assert_eq!(primitive(&loaded).influences, None);
    assert_says(&loaded.problems[0], &["weights beside the joints", "WEIGHTS_0"]);
    assert_eq!(loaded.document.instances[0].skin, None, "a skin that moves nothing is not kept on the mesh");
}

#[test]
fn a_mesh_too_large_for_one_of_its_skins_stands_without_that_skin() {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &QUAD);
    let mut joints = [0; 16];
    joints[0] = 1;
    let primitive = sets(&mut b, position, &[(joints, [0.25; 16])]);
    b.push("meshes", json!({"primitives": [primitive]}));
    b.push("skins", json!({"joints": [0, 1]}));
    b.push("skins", json!({"joints": [0]}));
    b.node(json!({"mesh": 0, "skin": 0}));
    b.node(json!({"mesh": 0, "skin": 1}));
    let loaded = b.load();
    let skins: Vec<_> = loaded.document.instances.iter().map(|i| i.skin).collect();
    assert_eq!(skins, [Some(0), None]);
    assert_says(only(&loaded, ProblemCode::Skin), &["node 1", "joint 1", "found 1 joints"]);
}

#[test]
fn morph_targets_keep_their_deltas() {
    let loaded = quad(|b, position| {
        let delta = b.floats("VEC3", &[1.0; 12]);
        let few = b.floats("VEC3", &[1.0; 3]);
        json!({"attributes": {"POSITION": position},
               "targets": [{"POSITION": delta, "NORMAL": delta}, {"POSITION": few}, {"TANGENT": delta}]})
    });
    let targets = &primitive(&loaded).targets;
    assert_eq!(targets.len(), 3);
    assert_eq!(targets[0].positions.as_ref().unwrap()[3], [1.0; 3]);
    assert!(targets[0].normals.is_some() && targets[1].positions.is_none() && targets[2].positions.is_none());
    assert_says(&loaded.problems[0], &["4 elements, one a vertex", "found 1", "/targets/1/POSITION"]);
    assert_says(&loaded.problems[1], &["TANGENT", "/targets/2/TANGENT"]);
}

#[test]
fn other_attributes_are_carried_as_bytes() {
    let loaded = quad(|b, position| {
        let uv = b.accessor(5123, "VEC2", 4, &[7; 16], json!({"normalized": true}));
        let short = b.floats("VEC4", &[0.0; 4]);
        json!({"attributes": {"POSITION": position, "TEXCOORD_0": uv, "COLOR_0": short}, "material": 3, "mode": 5,
               "extras": {"note": 1}})
    });
    let carried = &loaded.document.carried.attributes[&(0, 0)];
    assert_eq!(carried.len(), 1);
    let uv = &carried[0];
    assert_eq!((uv.name.as_str(), uv.component_type, uv.element_type.as_str()), ("TEXCOORD_0", 5123, "VEC2"));
    assert_eq!((uv.normalized, uv.bytes.as_slice()), (true, &[7; 16][..]));
    assert_eq!(primitive(&loaded).material, Some(3));
    assert_eq!(loaded.document.carried.primitives[&(0, 0)]["extras"]["note"], 1);
    assert_says(&loaded.problems[0], &["COLOR_0", "4 elements", "left out"]);
}

#[test]
fn numbers_that_are_not_finite_are_set_to_zero_and_named() {
    let mut b = Builder::new();
    let mut positions = QUAD;
    positions[7] = f32::INFINITY;
    let position = b.floats("VEC3", &positions);
    b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}}]}));
    let loaded = b.load();
    assert_eq!(primitive(&loaded).positions[2], [0.0; 3]);
    assert_says(&loaded.problems[0], &["found inf in component 1 of vertex 2"]);
}

#[test]
fn a_bad_primitive_costs_no_other_and_a_bad_mesh_no_other_mesh() {
    let mut b = Builder::new();
    let position = b.floats("VEC3", &QUAD);
    let good = json!({"attributes": {"POSITION": position}});
    let bad = json!({"attributes": {"POSITION": 99}});
    b.push("meshes", json!({"name": "half", "primitives": [bad, good]}));
    b.push("meshes", json!({"name": "bad", "primitives": [bad, {}, {"attributes": 3}]}));
    b.push("meshes", json!({"name": "none", "primitives": "x"}));
    b.push("meshes", json!({"name": "good", "primitives": [good]}));
    b.node(json!({"mesh": 0}));
    b.node(json!({"mesh": 1}));
    b.node(json!({"mesh": 3}));
    b.node(json!({"mesh": 4}));
    let loaded = b.load();
    let document = &loaded.document;
    let kept: Vec<_> = document.meshes.iter().map(|m| (m.source, m.primitives.len())).collect();
    assert_eq!(kept, [(0, 1), (3, 1)]);
    let shown: Vec<_> = document.instances.iter().map(|i| i.mesh).collect();
    assert_eq!(shown, [0, 1]);
    let text: String = loaded.problems.iter().map(|p| format!("{p}\n")).collect();
    for words in [
        "mesh 0 'half', primitive 0",
        "mesh 1 'bad', primitive 1",
        "mesh 1 'bad': expected at least one primitive",
        "mesh 2 'none'",
        "shows mesh 1, which was left out",
        "/nodes/3/mesh",
    ] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
}
