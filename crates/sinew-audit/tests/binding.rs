//! What is wrong between meshes, skins, joints and names is found, with its effect in millimetres.

mod character;

use character::{Character, of, rotate, translate};
use glam::{DMat4, DQuat, DVec3};
use sinew::{Influences, JointFlags, JointId, Mesh, Primitive, Skin};
use sinew_asset::{Loaded, MeshInstance};
use sinew_audit::{AuditReport, Code, Limits, Severity, audit};

/// Two joints a metre apart and vertices with the given joints and weights, at the given height.
fn skinned(per_vertex: usize, vertices: &[(f32, &[(u16, f32)])]) -> (Character, Loaded) {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    let tip = c.joint("Tip", Some(root), [0.0, 1.0, 0.0]);
    let other = c.joint("Other", Some(root), [0.0, 1.0, 0.0]);
    let node = c.joint("Body", None, [0.0; 3]);
    let clip = c.clip("Bend");
    rotate(clip, tip, &[0.0, 1.0], &[DQuat::IDENTITY, DQuat::from_rotation_z(core::f64::consts::PI)]);
    let mut influences = Influences { per_vertex, ..Influences::default() };
    for (_, pulls) in vertices {
        for k in 0..per_vertex {
            let (joint, weight) = pulls.get(k).copied().unwrap_or((0, 0.0));
            influences.joints.push(joint);
            influences.weights.push(weight);
        }
    }
    let positions = vertices.iter().map(|(y, _)| [0.0, *y, 0.0]).collect();
    let primitive = Primitive { positions, influences: Some(influences), ..Primitive::default() };
    let mut loaded = c.loaded();
    for joint in [root, tip, other] {
        loaded.document.skeleton.add_flags(joint, JointFlags::SKIN_JOINT);
    }
    let up = DMat4::from_translation(DVec3::new(0.0, -1.0, 0.0));
    let skin = Skin {
        name: Some("Rig".into()),
        joints: vec![root, tip, other],
        inverse_bind: vec![DMat4::IDENTITY, up, up],
        ..Skin::default()
    };
    loaded.document.meshes = vec![Mesh { name: Some("Body".into()), source: 3, primitives: vec![primitive] }];
    loaded.document.skins = vec![skin];
    loaded.document.instances = vec![MeshInstance { joint: node, mesh: 0, skin: Some(0) }];
    (c, loaded)
}

fn run(loaded: &Loaded) -> AuditReport {
    audit(loaded, &Limits::default())
}

#[test]
fn weights_that_sum_to_0_9_cost_a_tenth_of_the_height() {
    let (_, loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 0.9)])]);
    let findings = of(run(&loaded), Code::Weights);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let f = &findings[0];
    assert_eq!(f.severity, Severity::Warning);
    assert_eq!((f.subject.vertex, f.subject.mesh_index), (Some(1), Some(3)));
    assert!((f.measured.unwrap() - 0.1).abs() < 1e-6);
    // As stored the vertex at 2 m ends at 0.9 of it.
    assert!(f.message.contains("200.00 mm"), "{}", f.message);
    assert!(f.message.contains("1 of 2 vertices"), "{}", f.message);
}

#[test]
fn thousands_of_nodes_that_show_one_mesh_with_one_skin_are_one_finding() {
    let (_, mut loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 0.9)])]);
    let once = run(&loaded);
    let instance = loaded.document.instances[0];
    loaded.document.instances = vec![instance; 5000];
    let report = run(&loaded);
    assert_eq!(report.counts.by_code[&Code::Weights], 1);
    assert_eq!(report, once);
}

#[test]
fn many_skins_over_one_faulty_mesh_are_measured_on_fewer_vertices_and_that_is_told() {
    let (_, mut loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 0.9)])]);
    let (skin, instance) = (loaded.document.skins[0].clone(), loaded.document.instances[0]);
    loaded.document.skins = vec![skin; 300];
    loaded.document.instances = (0..300).map(|k| MeshInstance { skin: Some(k), ..instance }).collect();
    let findings = of(run(&loaded), Code::Weights);
    let told =
        "300 parts of skinned meshes have faulty weights: their effect is measured on at most 1747 vertices";
    assert!(findings.iter().any(|f| f.message.starts_with(told)), "{findings:#?}");
}

#[test]
fn an_inverse_bind_matrix_that_is_not_affine_is_a_warning_with_joint_and_value() {
    let (_, mut loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 0.4), (2, 0.6)])]);
    loaded.document.skins[0].inverse_bind[1].w_axis.w = 9.9e-42;
    let findings = of(run(&loaded), Code::Value);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let f = &findings[0];
    assert_eq!((f.severity, f.measured, f.limit), (Severity::Warning, Some(9.9e-42), Some(1.0)));
    assert_eq!((f.subject.joint.as_deref(), f.subject.skin), (Some("Tip"), Some(0)));
    assert_eq!(f.pointer.as_deref(), Some("/skins/0/inverseBindMatrices"));
    assert!(f.message.contains("has 9.9e-42 as element 15, expected 1"), "{}", f.message);
}

#[test]
fn a_vertex_without_weight_is_an_error() {
    let (_, loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[])]);
    let findings = of(run(&loaded), Code::Weights);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].severity, findings[0].subject.vertex), (Severity::Error, Some(1)));
}

#[test]
fn a_fifth_influence_is_measured_against_the_four_largest() {
    // 0.6 spread over three influences of the root and 0.2 + 0.2 on the bending tip: dropping the smallest
    // leaves 0.2 of 0.8 on the tip. At 2 m, turned half round its joint at 1 m, the tip is at 0 m.
    let pulls: &[(u16, f32)] = &[(0, 0.2), (0, 0.2), (0, 0.2), (1, 0.21), (1, 0.19)];
    let (_, loaded) = skinned(8, &[(0.0, &[(0, 1.0)]), (2.0, pulls)]);
    let findings = of(run(&loaded), Code::Weights);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let f = &findings[0];
    assert_eq!(f.measured, Some(5.0));
    assert!(f.message.contains("1 of 2 vertices of mesh 'Body' has more than 4 influences (most 5)"));
    // 0.4 on the tip against 0.21 / 0.81; the poses sampled end just short of half a turn (2 m apart).
    let mm: f64 = f.message.split("up to ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let bound = (0.4 - 0.21 / 0.81) * 2000.0;
    assert!(mm > 0.95 * bound && mm <= bound, "{mm} of {bound}");
}

#[test]
fn good_weights_are_silent() {
    let (_, loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 0.4), (2, 0.6)])]);
    assert_eq!(of(run(&loaded), Code::Weights), []);
    assert_eq!(of(run(&loaded), Code::Unbound), []);
}

#[test]
fn joints_that_pull_no_vertex_are_told_by_name() {
    let (_, loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 1.0)])]);
    let findings = of(run(&loaded), Code::Unbound);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].severity, Severity::Info);
    assert!(findings[0].message.starts_with("1 of 3 joints of skin 'Rig' pulls no vertex"));
    assert_eq!(findings[0].subject.joint.as_deref(), Some("Other"));
}

#[test]
fn a_mesh_that_lost_its_skin_is_a_warning() {
    let (_, mut loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 0.4), (2, 0.6)])]);
    loaded.document.instances[0].skin = None;
    let findings = of(run(&loaded), Code::Unbound);
    let warnings: Vec<_> = findings.iter().filter(|f| f.severity == Severity::Warning).collect();
    assert_eq!(warnings.len(), 1, "{findings:#?}");
    assert!(warnings[0].message.contains("no skin"));
    assert!(findings.iter().any(|f| f.message.starts_with("no node uses skin 'Rig'")));
}

#[test]
fn a_mesh_that_no_node_shows_and_a_clip_that_moves_nothing_seen_are_told() {
    let (_, mut loaded) = skinned(4, &[(0.0, &[(0, 1.0)]), (2.0, &[(1, 0.4), (2, 0.6)])]);
    let mut c = Character { joints: loaded.document.skeleton.joints().to_vec(), clips: Vec::new() };
    let camera = c.joint("Target", None, [5.0, 0.0, 0.0]);
    translate(c.clip("Fly by"), camera, 1.0, |t| DVec3::X * t, 2);
    let mut extra = c.loaded();
    extra.document.meshes = loaded.document.meshes.clone();
    extra.document.meshes.push(Mesh { name: Some("Lost".into()), source: 4, ..Mesh::default() });
    extra.document.skins = std::mem::take(&mut loaded.document.skins);
    extra.document.instances = loaded.document.instances;
    let findings = of(run(&extra), Code::Unbound);
    let all: Vec<_> = findings.iter().map(|f| f.message.as_str()).collect();
    assert!(all.contains(&"no node shows mesh 'Lost' with its 0 vertices"), "{all:?}");
    assert!(all.contains(&"the clip moves nothing that is seen: 1 channel on Target"), "{all:?}");
}

#[test]
fn names_that_repeat_are_listed_with_their_paths() {
    let mut c = Character::default();
    let root = c.joint("Rig", None, [0.0; 3]);
    let a = c.joint("Bone", Some(root), [0.0, 1.0, 0.0]);
    let b = c.joint("Bone", Some(a), [0.0, 1.0, 0.0]);
    for joint in [a, b] {
        rotate(c.clip("Wave"), joint, &[0.0], &[DQuat::IDENTITY]);
    }
    let findings = c.findings(Code::DuplicateName);
    let all: Vec<_> = findings.iter().map(|f| (f.severity, f.message.as_str())).collect();
    let expected = [
        (Severity::Warning, "2 joints are named 'Bone': Rig/Bone, Rig/Bone/Bone"),
        (Severity::Warning, "2 clips are named 'Wave': animations 0, 1"),
    ];
    assert!(expected.iter().all(|e| all.contains(e)) && all.len() == 2, "{all:?}");
}

#[test]
fn names_that_repeat_on_nodes_that_do_nothing_are_info_and_missing_names_are_counted() {
    let mut c = Character::default();
    let root = c.joint("Lamp", None, [0.0; 3]);
    c.joint("Lamp", Some(root), [0.0, 1.0, 0.0]);
    let bare = c.joint("", Some(root), [0.0, 1.0, 0.0]);
    c.joints[bare.index()].name = None;
    rotate(c.clip(""), bare, &[0.0], &[DQuat::IDENTITY]);
    let findings = c.findings(Code::DuplicateName);
    assert!(findings.iter().all(|f| f.severity == Severity::Info));
    let all: Vec<_> = findings.iter().map(|f| f.message.as_str()).collect();
    assert!(all.contains(&"2 nodes are named 'Lamp': Lamp, Lamp/Lamp"), "{all:?}");
    assert!(all.iter().any(|m| m.starts_with("1 of 1 joint that a skin or a clip uses has no name")));
    assert!(all.contains(&"1 of 1 clip has no name, the first is animation 0"), "{all:?}");
}

fn scaled(scale: [f64; 3]) -> Character {
    let mut c = Character::default();
    let armature = c.joint("Armature", None, [0.0; 3]);
    c.joints[0].rest.scale = DVec3::from_array(scale);
    let hips = c.joint("Hips", Some(armature), [0.0, 100.0, 0.0]);
    rotate(c.clip("Idle"), hips, &[0.0], &[DQuat::IDENTITY]);
    c
}

#[test]
fn a_scale_of_0_01_above_the_joints_is_info_with_its_value() {
    let findings = scaled([0.01; 3]).findings(Code::AncestorScale);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].severity, findings[0].measured), (Severity::Info, Some(0.01)));
    assert_eq!(findings[0].subject.joint.as_deref(), Some("Armature"));
    assert_eq!(findings[0].pointer.as_deref(), Some("/nodes/10"));
}

#[test]
fn a_scale_that_shears_or_mirrors_is_a_warning_and_none_is_silent() {
    assert_eq!(scaled([1.0, 2.0, 1.0]).findings(Code::AncestorScale)[0].severity, Severity::Warning);
    assert_eq!(scaled([-1.0, 1.0, 1.0]).findings(Code::AncestorScale)[0].severity, Severity::Warning);
    assert_eq!(scaled([1.0; 3]).findings(Code::AncestorScale), []);
}

#[test]
fn joints_out_of_range_and_empty_files_are_survived() {
    assert_eq!(run(&Loaded::default()).findings, []);
    let (_, mut loaded) = skinned(4, &[(0.0, &[(9, 1.0)]), (2.0, &[(1, 0.5)])]);
    loaded.document.meshes[0].primitives[0].positions[0] = [f32::NAN, f32::INFINITY, 0.0];
    run(&loaded);
    let mut lone = Character::default();
    let joint = lone.joint("Lone", None, [0.0; 3]);
    rotate(lone.clip("Idle"), joint, &[0.0, 1.0], &[DQuat::IDENTITY, DQuat::IDENTITY]);
    assert_eq!(lone.findings(Code::LoopSeam), []);
    assert_eq!(JointId(0), joint);
}
