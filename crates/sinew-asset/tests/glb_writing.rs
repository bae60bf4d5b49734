//! What is written reads back as it was, in the same bytes each time; what glTF cannot hold is refused by name.

use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use sinew::{
    Channel, ChannelTarget, Curve, DTransform, Event, Influences, Interpolation, Joint, JointId, Mesh,
    MorphTarget, Primitive, RawClip, RawPose, Skeleton, Skin, Track,
};
use sinew_asset::{
    CarriedAttribute, CarriedImage, Document, MeshInstance, NoFiles, ReadOptions, Scene, Severity,
    WriteError, WriteOptions, read_gltf, write_glb,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn track(times: &[f64], values: &[f32], width: usize, interpolation: Interpolation) -> Track {
    Track::new(Arc::from(times), Arc::from(values), width, interpolation).unwrap()
}

fn channel(joint: u32, target: ChannelTarget, track: Track) -> Channel {
    Channel { joint: JointId(joint), target, track, source: 0 }
}

/// A morphing, skinned triangle on three nodes that are numbered from the leaf up, with two clips.
fn character() -> Document {
    let turned = DTransform {
        translation: DVec3::new(0.1, 1.0 / 3.0, -2e-3),
        rotation: DQuat::from_rotation_z(0.3),
        scale: DVec3::new(1.0, 2.0, 1.0),
    };
    let joints = vec![
        Joint { node: 2, weights: 0..2, ..Joint::new("root", None, DTransform::IDENTITY) },
        Joint { node: 1, ..Joint::new("bone", Some(JointId(0)), turned) },
        Joint { node: 0, name: None, ..Joint::new("", Some(JointId(1)), turned) },
    ];
    let times: Arc<[f64]> = [0.0, 0.1, 0.35].into();
    let shared = |values: &[f32], width| {
        Track::new(times.clone(), values.into(), width, Interpolation::Linear).unwrap()
    };
    let (c, s) = (0.8_f32, 0.6_f32);
    let spline: Vec<f32> = (0..18).map(|i| i as f32 * 0.1).collect();
    let walk = RawClip {
        name: Some("walk".into()),
        source: 0,
        channels: vec![
            channel(
                1,
                ChannelTarget::Rotation,
                shared(&[0.0, 0.0, 0.0, 1.0, 0.0, s, 0.0, c, s, 0.0, 0.0, c], 4),
            ),
            channel(1, ChannelTarget::Translation, shared(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 3)),
            channel(2, ChannelTarget::Scale, track(&[0.1, 0.2], &spline, 3, Interpolation::CubicSpline)),
            channel(
                0,
                ChannelTarget::Weights,
                track(&[0.0, 0.5], &[0.0, 1.0, 1.0, 0.25], 2, Interpolation::Step),
            ),
        ],
        curves: vec![
            Curve::new("distance", [0.0, 0.1 + 1e-12, 0.5], [0.0, 0.1, 2.0], Interpolation::Linear).unwrap(),
            Curve::new("contact \"left\"", [0.25], [1.0], Interpolation::Step).unwrap(),
        ],
        events: vec![
            Event { name: "step".into(), time: 1.0 / 3.0 },
            Event { name: "step".into(), time: 0.5 },
        ],
    };
    let idle = RawClip {
        channels: vec![channel(1, ChannelTarget::Translation, shared(&[0.5; 9], 3))],
        ..RawClip::default()
    };
    let primitive = Primitive {
        source: 0,
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.5, 0.25]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        indices: vec![0, 1, 2],
        influences: Some(Influences {
            per_vertex: 8,
            joints: vec![0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
            weights: [
                [0.25, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
            ]
            .concat(),
        }),
        targets: vec![
            MorphTarget {
                positions: Some(vec![[0.0, 1.0, 0.0]; 3]),
                normals: Some(vec![[0.0, 0.1, 0.0]; 3]),
            },
            MorphTarget { positions: Some(vec![[0.0, 0.0, 0.5]; 3]), normals: None },
        ],
        material: Some(0),
    };
    let mut document = Document {
        name: "character".into(),
        skeleton: Skeleton::new(joints, vec![0.5, 0.0]).unwrap(),
        clips: vec![walk, idle],
        meshes: vec![Mesh { name: Some("body".into()), source: 0, primitives: vec![primitive] }],
        skins: vec![Skin {
            name: Some("skin".into()),
            source: 0,
            joints: vec![JointId(1), JointId(2)],
            inverse_bind: vec![DMat4::from_translation(DVec3::new(0.5, -1.0, 0.0)), DMat4::IDENTITY],
        }],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: Some(0) }],
        scenes: vec![Scene { name: Some("stage".into()), roots: vec![JointId(0)] }],
        default_scene: Some(0),
        ..Document::default()
    };
    let carried = &mut document.carried;
    let object = |value: Value| value.as_object().unwrap().clone();
    carried.top = object(json!({
        "materials": [{ "name": "skin", "extensions": { "KHR_materials_unlit": {} } }],
        "textures": [{ "source": 0 }],
        "extras": { "made": "by hand" },
    }));
    carried.images =
        vec![CarriedImage { json: object(json!({ "name": "face" })), bytes: Some(PNG.into()), uri: None }];
    let uv = |name: &str, bytes: Vec<u8>, element_type: &str| CarriedAttribute {
        name: name.into(),
        component_type: 5121,
        element_type: element_type.into(),
        normalized: true,
        bytes,
    };
    // Three bytes a vertex: padded in the file, tight again when read.
    carried.attributes.insert((0, 0), vec![uv("COLOR_0", vec![1, 2, 3, 4, 5, 6, 7, 8, 9], "VEC3")]);
    carried.nodes.insert(1, object(json!({ "extras": { "side": "left" } })));
    carried.meshes.insert(0, object(json!({ "extras": { "targetNames": ["smile", "frown"] } })));
    carried.extensions_used = vec!["KHR_materials_unlit".into()];
    carried.copyright = Some("nobody".into());
    document
}

fn write(document: &Document) -> Vec<u8> {
    write_glb(document, &WriteOptions::default()).unwrap()
}

fn read(bytes: &[u8]) -> Document {
    let loaded = read_gltf(bytes, &NoFiles, &ReadOptions::default()).unwrap();
    let bad: Vec<_> = loaded.problems.iter().filter(|p| p.severity != Severity::Info).collect();
    assert!(bad.is_empty(), "{bad:?}");
    loaded.document
}

fn json_of(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[track_caller]
fn assert_refused(document: &Document, words: &str) {
    let error = write_glb(document, &WriteOptions::default()).unwrap_err().to_string();
    assert!(error.contains(words), "{error:?} does not say {words:?}");
}

#[test]
fn a_character_reads_back_with_everything_it_had() {
    let before = character();
    let after = read(&write(&before));
    assert_eq!(after.meshes, before.meshes);
    assert_eq!(after.scenes, before.scenes);
    assert_eq!(after.instances, before.instances);
    assert_eq!(after.skins, before.skins);
    assert_eq!(after.skeleton.rest_weights(), before.skeleton.rest_weights());
    for (a, b) in after.skeleton.joints().iter().zip(before.skeleton.joints()) {
        assert_eq!((&a.name, a.parent, a.node), (&b.name, b.parent, b.node));
        assert!(a.rest.translation.distance(b.rest.translation) < 1e-15);
        assert!(DTransform::angle_between(a.rest.rotation, b.rest.rotation) < 1e-15);
    }
    for (a, b) in after.clips.iter().zip(&before.clips) {
        assert_eq!(a.name, b.name);
        assert_eq!(a.events.len(), b.events.len());
        for (a, b) in a.events.iter().zip(&b.events) {
            assert!(a.name == b.name && (a.time - b.time).abs() <= b.time * 1e-15);
        }
        for (a, b) in a.curves.iter().zip(&b.curves) {
            assert_eq!((&a.name, a.track().values()), (&b.name, b.track().values()));
            assert_eq!(a.track().interpolation(), b.track().interpolation());
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= b * 1e-15;
            assert!(a.track().times().iter().zip(b.track().times().iter()).all(near), "doubles stay doubles");
        }
        for (a, b) in a.channels.iter().zip(&b.channels) {
            assert_eq!((a.joint, a.target, a.track.values()), (b.joint, b.target, b.track.values()));
            assert_eq!(a.track.interpolation(), b.track.interpolation());
            let times: Vec<f64> = b.track.times().iter().map(|t| f64::from(*t as f32)).collect();
            assert_eq!(a.track.times()[..], times);
        }
    }
    let mut carried = after.carried;
    carried.images[0].json.remove("mimeType");
    assert_eq!(carried, before.carried);
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    assert_eq!(write(&character()), write(&character()));
}

#[test]
fn nodes_stand_where_they_stood_in_the_file() {
    let json = json_of(&write(&character()));
    let names: Vec<&Value> = json["nodes"].as_array().unwrap().iter().map(|node| &node["name"]).collect();
    assert_eq!(names, [&Value::Null, &json!("bone"), &json!("root")]);
    assert_eq!(json["scenes"], json!([{ "name": "stage", "nodes": [2] }]));
    assert_eq!(json["skins"][0]["joints"], json!([1, 0]));
    assert_eq!(json["nodes"][1]["extras"], json!({ "side": "left" }));
}

#[test]
fn times_that_tracks_share_are_written_once_with_their_bounds() {
    let json = json_of(&write(&character()));
    let inputs: Vec<&Value> = json["animations"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|a| a["samplers"].as_array().unwrap())
        .map(|s| &s["input"])
        .collect();
    assert_eq!(inputs[0], inputs[1]);
    assert_eq!(inputs[0], inputs[4], "across clips");
    let accessor = &json["accessors"][inputs[0].as_u64().unwrap() as usize];
    assert_eq!(accessor["min"], json!([0.0]));
    assert_eq!(accessor["max"], json!([f64::from(0.35_f32)]));
}

#[test]
fn curves_and_events_are_versioned_extras_of_their_animation() {
    let json = json_of(&write(&character()));
    let extras = &json["animations"][0]["extras"]["sinew"];
    assert_eq!(extras["version"], 1);
    assert_eq!(extras["curves"][0]["interpolation"], "LINEAR");
    assert_eq!(extras["events"][1], json!({ "name": "step", "time": 0.5 }));
    assert!(json["animations"][1].get("extras").is_none());
    assert_eq!(json["asset"]["generator"], concat!("sinew ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_spline_of_one_key_is_written_as_a_line_of_one_key() {
    let mut document = character();
    let spline = track(&[0.2], &[9.0, 9.0, 9.0, 1.0, 2.0, 3.0, 9.0, 9.0, 9.0], 3, Interpolation::CubicSpline);
    document.clips[1].channels[0].track = spline;
    let clip = &read(&write(&document)).clips[1];
    assert_eq!(clip.channels[0].track.interpolation(), Interpolation::Linear);
    assert_eq!(clip.channels[0].track.values()[..], [1.0, 2.0, 3.0]);
}

#[test]
fn rotation_keys_of_another_length_turn_the_same_way_and_are_of_unit_length() {
    let mut document = character();
    let keys = [0.0, 0.0, 0.0, 3.0, 0.0, 0.3, 0.0, 0.4, 0.0, 0.0, 1e-20, 0.0];
    document.clips[0].channels[0].track = track(&[0.0, 0.1, 0.35], &keys, 4, Interpolation::Linear);
    let after = read(&write(&document));
    let (mut a, mut b) = (RawPose::default(), RawPose::default());
    for time in [0.0, 0.05, 0.1, 0.2, 0.35] {
        document.clips[0].sample(&document.skeleton, time, &mut a);
        after.clips[0].sample(&after.skeleton, time, &mut b);
        assert!(DTransform::angle_between(a.local[1].rotation, b.local[1].rotation) < 1e-6, "{time}");
    }
    assert!((after.clips[0].channels[0].track.key_value(1)[1] - 0.6).abs() < 1e-7);
}

#[test]
fn vertex_weights_add_up_to_one_and_name_each_joint_once_unless_asked_otherwise() {
    let mut document = character();
    let influences = document.meshes[0].primitives[0].influences.as_mut().unwrap();
    influences.weights[..2].copy_from_slice(&[0.5, 1.5]);
    influences.joints[16..24].copy_from_slice(&[1, 0, 1, 0, 0, 0, 0, 0]);
    influences.weights[16..24].copy_from_slice(&[0.25, 0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let stored = influences.clone();
    let after = read(&write(&document));
    let written = after.meshes[0].primitives[0].influences.as_ref().unwrap();
    assert_eq!(written.weights[..2], [0.25, 0.75]);
    let twice: Vec<(u16, f32)> = written.of(2).filter(|(_, weight)| *weight > 0.0).collect();
    assert_eq!(twice, [(1, 0.5), (0, 0.5)]);

    let bytes = write_glb(&document, &WriteOptions { as_stored: true }).unwrap();
    let after = read_gltf(&bytes, &NoFiles, &ReadOptions::default()).unwrap().document;
    assert_eq!(after.meshes[0].primitives[0].influences.as_ref(), Some(&stored));
}

#[test]
fn a_document_without_scenes_shows_all_its_roots() {
    let mut document = character();
    document.scenes.clear();
    document.default_scene = None;
    let json = json_of(&write(&document));
    assert_eq!((&json["scene"], &json["scenes"]), (&json!(0), &json!([{ "nodes": [2] }])));
}

#[test]
fn an_empty_document_is_a_file() {
    assert_eq!(read(&write(&Document::default())).skeleton.len(), 0);
}

#[test]
fn times_that_are_one_in_single_precision_are_refused_with_clip_and_key() {
    let mut document = character();
    document.clips[0].channels[1].track = track(&[0.0, 1.0, 1.0 + 1e-9], &[0.0; 9], 3, Interpolation::Linear);
    assert_refused(&document, "clip walk, translation of joint bone: key 2 at 1.000000001 s");
    let collide = write_glb(&document, &WriteOptions::default()).unwrap_err();
    assert!(matches!(collide, WriteError::TimesCollide { key: 2, previous: 1.0, .. }));
    document.clips[0].channels[1].track = track(&[0.0, 1e39], &[0.0; 6], 3, Interpolation::Linear);
    assert_refused(&document, "time of key 1");
}

#[test]
fn what_a_valid_file_cannot_hold_is_refused_by_name() {
    let refuse = |words: &str, change: fn(&mut Document)| {
        let mut document = character();
        change(&mut document);
        assert_refused(&document, words);
    };
    refuse("clip walk: event \"late\" is at 0.6 s, expected 0 to 0.5 s", |d| {
        d.clips[0].events.push(Event { name: "late".into(), time: 0.6 });
    });
    refuse("clip walk has no channels", |d| d.clips[0].channels.clear());
    refuse("clip walk: channels 0 and 4 both move the rotation of joint bone", |d| {
        let again = d.clips[0].channels[0].clone();
        d.clips[0].channels.push(again);
    });
    refuse("clip walk: channel 0 targets joint 9", |d| d.clips[0].channels[0].joint = JointId(9));
    refuse("joint root has 2 morph weights, its mesh has 0 targets", |d| d.instances.clear());
    refuse("rotation of joint bone: spline key 1 has length 2", |d| {
        let mut keys = [0.0; 24];
        (keys[7], keys[19]) = (1.0, 2.0);
        d.clips[0].channels[0].track = track(&[0.0, 1.0], &keys, 4, Interpolation::CubicSpline);
    });
    refuse("scene 0 lists joint bone, which has a parent", |d| d.scenes[0].roots.push(JointId(1)));
    refuse("root of scene 0 is 7, expected below 3", |d| d.scenes[0].roots.push(JointId(7)));
    refuse("scene 0 shows the mesh of joint root, but not joint loose of its skin 0", |d| {
        let mut joints = d.skeleton.joints().to_vec();
        joints.push(Joint { node: 3, ..Joint::new("loose", None, DTransform::IDENTITY) });
        d.skeleton = Skeleton::new(joints, d.skeleton.rest_weights().to_vec()).unwrap();
        (d.skins[0].joints, d.skins[0].inverse_bind) = (vec![JointId(3)], vec![DMat4::IDENTITY]);
    });
    refuse("skin 0 has joints under the roots root and loose, and no scene shows all", |d| {
        let mut joints = d.skeleton.joints().to_vec();
        joints.push(Joint { node: 3, ..Joint::new("loose", None, DTransform::IDENTITY) });
        d.skeleton = Skeleton::new(joints, d.skeleton.rest_weights().to_vec()).unwrap();
        d.skins[0].joints[1] = JointId(3);
        d.scenes[0].roots.clear();
    });
    refuse("skin 0 lists joint bone twice", |d| d.skins[0].joints[1] = JointId(1));
    refuse("inverse bind matrices of skin 0: found 1, expected 2", |d| d.skins[0].inverse_bind.truncate(1));
    refuse("inverse bind matrix 1 of skin 0 is inf", |d| d.skins[0].inverse_bind[1].x_axis.x = f64::INFINITY);
    refuse("element 15 of inverse bind matrix 1 of skin 0 is 0, expected 1", |d| {
        d.skins[0].inverse_bind[1].w_axis.w = 0.0
    });
    refuse("list of joints of skin 0 is empty", |d| {
        d.skins[0].joints.clear();
        d.skins[0].inverse_bind.clear();
    });
    refuse("joint root carries meshes 0 and 0", |d| {
        let again = d.instances[0];
        d.instances.push(again);
    });
    refuse("mesh of mesh instance 0 is 3, expected below 1", |d| d.instances[0].mesh = 3);
    refuse("skin of mesh instance 0 is 1, expected below 1", |d| d.instances[0].skin = Some(1));
    refuse("material of mesh 0, primitive 0 is 4, expected below 1", |d| {
        d.meshes[0].primitives[0].material = Some(4)
    });
    refuse("triangle index of mesh 0, primitive 0 is 3, expected below 3", |d| {
        d.meshes[0].primitives[0].indices[1] = 3
    });
    refuse("normals of mesh 0, primitive 0: found 0, expected 3", |d| {
        d.meshes[0].primitives[0].normals = Some(vec![])
    });
    refuse("vertex 1 of the positions of mesh 0, primitive 0 is NaN", |d| {
        d.meshes[0].primitives[0].positions[1][2] = f32::NAN;
    });
    refuse("morph target 0 has normals, the primitive has none", |d| {
        d.meshes[0].primitives[0].normals = None
    });
    refuse("primitive 0, vertex 2: a normal of length 0", |d| {
        d.meshes[0].primitives[0].normals.as_mut().unwrap()[2] = [0.0; 3];
    });
    refuse("primitive 0, vertex 1: weights that add up to 0", |d| {
        d.meshes[0].primitives[0].influences.as_mut().unwrap().weights[8] = 0.0;
    });
    refuse("primitive 0, vertex 0: a weight of -0.25", |d| {
        d.meshes[0].primitives[0].influences.as_mut().unwrap().weights[0] = -0.25;
    });
    refuse("bytes of COLOR_0 of mesh 0, primitive 0: found 8, expected 9", |d| {
        d.carried.attributes.get_mut(&(0, 0)).unwrap()[0].bytes.pop();
    });
    refuse("primitive 0: attribute COLOR_1 of 5121 VEC3 is none", |d| {
        d.carried.attributes.get_mut(&(0, 0)).unwrap()[0].name = "COLOR_1".into();
    });
    refuse("source of texture 0 is 2, expected below 1", |d| {
        d.carried.top["textures"][0]["source"] = 2.into()
    });
    refuse("baseColorTexture of material 0 is 5, expected below 1", |d| {
        d.carried.top["materials"][0]["pbrMetallicRoughness"] = json!({ "baseColorTexture": { "index": 5 } });
    });
    refuse("list of vertices of mesh 0, primitive 0 is empty", |d| {
        d.meshes[0].primitives[0].positions.clear()
    });
    refuse("list of primitives of mesh 1 is empty", |d| d.meshes.push(Mesh::default()));
    refuse("image 0 has neither bytes nor a file name", |d| d.carried.images[0].bytes = None);
    refuse("image 0 is of no known kind", |d| d.carried.images[0].bytes = Some(b"picture".to_vec()));
    refuse("joint bone has a rest rotation of length", |d| change_rest(d, |rest| rest.rotation *= 2.0));
    refuse("rest translation of joint bone is 1", |d| change_rest(d, |rest| rest.translation.y = 1e39));
}

fn change_rest(document: &mut Document, change: impl Fn(&mut DTransform)) {
    let mut joints = document.skeleton.joints().to_vec();
    change(&mut joints[1].rest);
    document.skeleton = Skeleton::new(joints, document.skeleton.rest_weights().to_vec()).unwrap();
}

fn with_matrix(matrix: DMat4) -> Document {
    let mut document = character();
    let mut joints = document.skeleton.joints().to_vec();
    joints[2].rest_matrix = Some(matrix);
    document.skeleton = Skeleton::new(joints, document.skeleton.rest_weights().to_vec()).unwrap();
    document
}

#[test]
fn a_rest_matrix_is_kept_unless_it_is_sheared_or_animated() {
    let turned = DMat4::from_rotation_z(0.5);
    let mut document = with_matrix(turned);
    assert_refused(
        &document,
        "clip walk: the scale of joint node 0 is animated, but the joint has a rest matrix",
    );
    document.clips.clear();
    assert_eq!(json_of(&write(&document))["nodes"][0]["matrix"], json!(turned.to_cols_array()));

    let mut sheared = with_matrix(DMat4::from_scale(DVec3::new(1.0, 3.0, 1.0)) * turned);
    sheared.clips.clear();
    assert_refused(&sheared, "joint node 0 has a rest matrix with shear");
}

#[test]
fn attributes_that_need_quantization_declare_it() {
    let mut document = character();
    let attribute = &mut document.carried.attributes.get_mut(&(0, 0)).unwrap()[0];
    (attribute.name, attribute.normalized) = ("TEXCOORD_0".into(), false);
    (attribute.element_type, attribute.bytes) = ("VEC2".into(), vec![1, 2, 3, 4, 5, 6]);
    let json = json_of(&write(&document));
    assert_eq!(json["extensionsRequired"], json!(["KHR_mesh_quantization"]));
    assert_eq!(json["extensionsUsed"], json!(["KHR_materials_unlit", "KHR_mesh_quantization"]));
}

/// Needs node and the script that `SINEW_VALIDATOR` names.
#[test]
fn the_khronos_validator_finds_no_errors() {
    #![allow(clippy::print_stderr, reason = "a skipped test says so")]
    let Some(script) = std::env::var_os("SINEW_VALIDATOR") else {
        eprintln!("skipped: SINEW_VALIDATOR is not set");
        return;
    };
    let mut documents = vec![character(), Document::default(), with_matrix(DMat4::from_rotation_z(0.5))];
    documents[2].clips.clear();
    let mut without_targets = character();
    for target in &mut without_targets.meshes[0].primitives[0].targets {
        *target = MorphTarget::default();
    }
    without_targets.meshes[0].primitives[0].indices.clear();
    // The bytes of the picture are only the beginning of one, which the validator sees.
    documents.push(without_targets);
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("node");
    command.arg(script);
    for (index, document) in documents.iter_mut().enumerate() {
        document.carried.images.clear();
        document.carried.top.remove("textures");
        let path = folder.path().join(format!("{index}.glb"));
        std::fs::write(&path, write(document)).unwrap();
        command.arg(path);
    }
    let text = String::from_utf8(command.output().expect("node runs").stdout).unwrap();
    let reports: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), documents.len());
    assert!(reports.iter().all(|report| report["err"] == 0), "{reports:#?}");
}

/// Digits of the JSON and bytes of the keys and vertices are changed; what is still read is written or refused.
#[test]
fn damaged_files_that_are_read_are_written_as_sound_ones_or_refused() {
    let sound = write(&character());
    let json = 20..20 + u32::from_le_bytes(sound[12..16].try_into().unwrap()) as usize;
    let target = bolero::check!().with_type::<Vec<(bool, u16, u8)>>();
    let run = |edits: &Vec<(bool, u16, u8)>| {
        let mut bytes = sound.clone();
        for &(in_json, at, to) in edits.iter().take(6) {
            let at = usize::from(at);
            if in_json {
                let start = 20 + at % json.len();
                if let Some(digit) = (start..json.end).find(|i| bytes[*i].is_ascii_digit()) {
                    bytes[digit] = b'0' + to % 10;
                }
            } else {
                let binary = json.end + 8;
                let place = binary + at % (bytes.len() - binary);
                bytes[place] = to;
            }
        }
        let Ok(loaded) = read_gltf(&bytes, &NoFiles, &ReadOptions::default()) else { return };
        let Ok(written) = write_glb(&loaded.document, &WriteOptions::default()) else { return };
        let again = read_gltf(&written, &NoFiles, &ReadOptions::default()).unwrap();
        let bad: Vec<_> = again.problems.iter().filter(|p| p.severity == Severity::Error).collect();
        assert!(bad.is_empty(), "{bad:?}");
        assert_eq!(again.document.clips.len(), loaded.document.clips.len());
        assert_eq!(again.document.skeleton.len(), loaded.document.skeleton.len());
    };
    match std::env::var("SINEW_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()) {
        Some(seconds) => target.with_test_time(std::time::Duration::from_secs(seconds)).for_each(run),
        None => target.with_iterations(4000).for_each(run),
    }
}
