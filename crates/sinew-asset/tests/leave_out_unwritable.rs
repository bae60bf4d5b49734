//! What a damaged file lost does not keep the rest of it from being written, and is named.

mod gltf_builder;

use gltf_builder::{Builder, assert_says};
use serde_json::json;
use sinew_asset::{Document, Problem, ReadOptions, Severity, WriteOptions, leave_out_unwritable, write_glb};

/// What is left out until the document can be written.
fn left_out(document: &mut Document) -> Vec<Problem> {
    let options = WriteOptions::default();
    assert!(write_glb(document, &options).is_err(), "it can be written as it is");
    let problems = leave_out_unwritable(document, true);
    let bytes = write_glb(document, &options).unwrap();
    let again = sinew_asset::read_gltf(&bytes, &sinew_asset::NoFiles, &ReadOptions::default()).unwrap();
    gltf_builder::assert_clean(&again);
    assert_eq!(leave_out_unwritable(document, true), [], "what was left out is gone");
    problems
}

fn triangle(b: &mut Builder) -> u32 {
    b.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])
}

#[test]
fn a_sound_document_loses_nothing() {
    let mut b = Builder::new();
    let position = triangle(&mut b);
    b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}}]}));
    b.node(json!({"mesh": 0}));
    let sound = b.load().document;
    let mut document = sound.clone();
    assert_eq!(leave_out_unwritable(&mut document, true), []);
    assert_eq!(document, sound);
}

#[test]
fn clips_without_channels_go_also_where_nothing_else_may() {
    let mut b = Builder::new();
    b.node(json!({"translation": [1e300, 0, 0]}));
    b.push("animations", json!({"name": "still", "samplers": [], "channels": []}));
    let mut document = b.load().document;
    let problems = leave_out_unwritable(&mut document, false);
    assert!(document.clips.is_empty());
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert_eq!(problems[0].severity, Severity::Info);
    assert_says(&problems[0], &["animation 0 'still'", "no channels"]);
    assert_says(&left_out(&mut document)[0], &["node 0", "rest translation", "single precision"]);
}

#[test]
fn morph_weights_go_with_a_mesh_that_was_left_out() {
    let mut b = Builder::new();
    b.push("meshes", json!({"primitives": [{"attributes": {"POSITION": 99}, "targets": [{}, {}]}]}));
    b.node(json!({"name": "face", "mesh": 0, "weights": [0.5, 0.5]}));
    let times = b.floats("SCALAR", &[0.0]);
    let values = b.floats("SCALAR", &[0.0, 1.0]);
    b.animation("talk", 0, "weights", times, values);
    let mut document = b.load().document;
    let problems = left_out(&mut document);
    assert_says(&problems[0], &["node 0 'face'", "2 morph weights", "0 targets"]);
    assert!(document.clips.is_empty() && document.skeleton.rest_weights().is_empty());
}

#[test]
fn a_scene_shows_the_joints_of_its_skins_again_after_a_cut() {
    let mut b = Builder::new();
    let position = triangle(&mut b);
    let joints = b.accessor(5121, "VEC4", 3, &[0, 9, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0], json!({}));
    let weights = b.floats("VEC4", &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let attributes = json!({"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights});
    b.push("meshes", json!({"primitives": [{"attributes": attributes}]}));
    b.node(json!({"name": "fox", "mesh": 0, "skin": 0}));
    b.node(json!({"name": "a", "children": [2]}));
    b.node(json!({"name": "b", "children": [1]}));
    b.push("skins", json!({"joints": [1, 2]}));
    b.push("scenes", json!({"nodes": [0]}));
    let mut document = b.load().document;
    let problems = left_out(&mut document);
    let all: String = problems.iter().map(|p| format!("{p}\n")).collect();
    assert!(all.contains("scene 0") && all.contains("fox") && all.contains("1 roots more"), "{all}");
    assert!(all.contains("add up to 0 at vertex 2; 1 such vertices get weight 1"), "{all}");
    let influences = document.meshes[0].primitives[0].influences.as_ref().unwrap();
    assert_eq!((influences.joints[8], influences.weights[8]), (0, 1.0));
}

#[test]
fn a_picture_without_bytes_goes_and_textures_keep_the_others() {
    let mut b = Builder::new();
    let png = b.view(b"\x89PNG\r\n\x1a\n", json!({}));
    b.json["images"] = json!([{"bufferView": 77}, {"bufferView": png, "mimeType": "image/png"}]);
    b.json["textures"] = json!([{"source": 0}, {"source": 1, "sampler": 4}]);
    b.json["materials"] = json!([{"normalTexture": {"index": 1}, "emissiveTexture": {"index": 9}}]);
    let mut document = b.load().document;
    let problems = left_out(&mut document);
    assert_says(&problems[0], &["image 0", "neither bytes nor a file name", "left out"]);
    let carried = &document.carried;
    assert_eq!(carried.images.len(), 1);
    assert_eq!(carried.top["textures"], json!([{}, {"source": 0}]));
    assert_eq!(carried.top["materials"], json!([{"normalTexture": {"index": 1}}]));
}
