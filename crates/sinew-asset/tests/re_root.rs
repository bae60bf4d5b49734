//! A joint made the root leaves everything below it where it was.

use glam::{DMat4, DQuat, DVec3};
use sinew::{
    Channel, ChannelTarget, DTransform, Influences, Interpolation, Joint, JointId, Mesh, Primitive, RawClip,
    RawPose, Skeleton, Skin, Track, model_matrices, uniform_times,
};
use sinew_asset::{Document, MeshInstance, ReRootError, ReRootReport, WriteOptions, re_root, write_glb};

const ARMATURE: JointId = JointId(0);
const HIPS: JointId = JointId(1);
const SPINE: JointId = JointId(2);
const PROP: JointId = JointId(3);
const HOLDER: JointId = JointId(4);

fn at(x: f64, y: f64, z: f64) -> DTransform {
    DTransform { translation: DVec3::new(x, y, z), ..DTransform::IDENTITY }
}

/// An armature above hips and spine; beside them a prop, and a node that carries the skinned mesh.
fn document(above: DTransform, clips: Vec<RawClip>) -> Document {
    let joints = vec![
        Joint::new("armature", None, above),
        Joint::new("hips", Some(ARMATURE), at(0.0, 1.0, 0.0)),
        Joint::new("spine", Some(HIPS), at(0.0, 0.25, 0.0)),
        Joint::new("prop", Some(ARMATURE), at(1.0, 0.0, 0.0)),
        Joint::new("body", Some(ARMATURE), at(0.5, 0.0, 0.5)),
    ];
    Document { skeleton: Skeleton::numbered(joints, vec![]).unwrap(), clips, ..Document::default() }
}

fn channel(
    joint: JointId,
    target: ChannelTarget,
    times: &[f64],
    values: &[f32],
    how: Interpolation,
) -> Channel {
    let width = if target == ChannelTarget::Rotation { 4 } else { 3 };
    let track = Track::new(times.into(), values.into(), width, how).unwrap();
    Channel { joint, target, track, source: 0 }
}

fn clip(channels: Vec<Channel>) -> RawClip {
    RawClip { name: Some("walk".into()), channels, ..RawClip::default() }
}

/// Hips that turn and move.
fn hips(how: Interpolation) -> Vec<Channel> {
    let (t, r): (Vec<f32>, Vec<f32>) = match how {
        Interpolation::CubicSpline => (
            vec![0., 0., 0., 0., 1., 0., 1., 0., 0., 0., 1., 0., 0., 1.5, 0., 0., 0., 0.],
            vec![
                0., 0., 0., 0., 0., 0., 0., 1., 0., 0.5, 0., 0., 0., 0.1, 0., 0., 0., 0.6, 0., 0.8, 0., 0.,
                0., 0.,
            ],
        ),
        _ => (vec![0., 1., 0., 0., 1.5, 0.5], vec![0., 0., 0., 1., 0., 0.6, 0., 0.8]),
    };
    vec![
        channel(HIPS, ChannelTarget::Translation, &[0.0, 1.0], &t, how),
        channel(HIPS, ChannelTarget::Rotation, &[0.0, 1.0], &r, how),
    ]
}

fn model(skeleton: &Skeleton, clip: &RawClip, time: f64) -> Vec<DMat4> {
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    clip.sample(skeleton, time, &mut pose);
    model_matrices(skeleton, &pose, &mut model_ms);
    model_ms
}

/// The largest difference of a matrix element of hips and spine, over moments of all clips.
fn apart(old: &Document, new: &Document, times: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for (was, is) in old.clips.iter().zip(&new.clips) {
        for &t in times {
            let (a, b) = (model(&old.skeleton, was, t), model(&new.skeleton, is, t));
            for name in ["hips", "spine"] {
                let (ja, jb) = (old.skeleton.find(name).unwrap(), new.skeleton.find(name).unwrap());
                let difference = a[ja.index()] - b[jb.index()];
                worst = difference.to_cols_array().iter().fold(worst, |w, v| w.max(v.abs()));
            }
        }
    }
    worst
}

fn cut(document: &Document) -> (Document, ReRootReport) {
    let (new, report) = re_root(document, HIPS).unwrap();
    assert_eq!(new.skeleton.joint(JointId(0)).parent, None);
    write_glb(&new, &WriteOptions::default()).unwrap();
    (new, report)
}

fn moments() -> Vec<f64> {
    uniform_times(1.0, 97.0).unwrap()
}

#[test]
fn under_a_still_turned_scaled_or_mirrored_parent_keys_stay_exact() {
    let turned = DQuat::from_rotation_x(-1.2);
    for scale in [DVec3::ONE, DVec3::splat(0.01), DVec3::splat(-2.0), DVec3::new(-1.0, 1.0, 1.0)] {
        for how in [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline] {
            let above = DTransform { translation: DVec3::new(1.0, 2.0, 3.0), rotation: turned, scale };
            let old = document(above, vec![clip(hips(how))]);
            let (new, report) = cut(&old);
            assert_eq!(report.baked, [], "{scale} {how:?}");
            assert_eq!(new.clips[0].channels[0].track.len(), 2);
            assert!(
                apart(&old, &new, &moments()) < 1e-6,
                "{scale} {how:?}: {}",
                apart(&old, &new, &moments())
            );
        }
    }
}

#[test]
fn a_mirrored_root_that_only_turns_stays_mirrored_as_it_was() {
    let mut old = document(at(0.0, 0.0, 1.0), vec![clip(hips(Interpolation::Linear)[1..].to_vec())]);
    let mut joints = old.skeleton.joints().to_vec();
    joints[1].rest.scale = DVec3::new(1.0, 1.0, -1.0);
    old.skeleton = Skeleton::new(joints, vec![]).unwrap();
    let (new, _) = cut(&old);
    assert!(apart(&old, &new, &moments()) < 1e-6);
}

#[test]
fn under_a_moving_parent_keys_are_sampled_and_the_cost_is_told() {
    let mut channels = hips(Interpolation::Linear);
    let turn = [0., 0., 0., 1., 0.6, 0., 0., 0.8];
    channels.push(channel(ARMATURE, ChannelTarget::Rotation, &[0.0, 1.0], &turn, Interpolation::Linear));
    let old = document(DTransform::IDENTITY, vec![clip(channels)]);
    let (new, report) = cut(&old);
    let told = report.baked[0].worst_m;
    assert_eq!((report.baked.len(), report.baked[0].clip.as_str()), (1, "walk"));
    assert!(told > 0.0 && told < 1e-3, "{told}");
    // Moments between those measured cost no more than half as much again.
    assert!(apart(&old, &new, &moments()) < told * 1.5 + 1e-6);
}

#[test]
fn a_jump_of_a_moving_parent_stays_a_jump() {
    let values = [0., 0., 0., 5., 0., 0., 7., 0., 0.];
    for shift in [0.0, 40.0] {
        let times = [shift + 0.0, shift + 0.503_125, shift + 1.0];
        let jump = channel(ARMATURE, ChannelTarget::Translation, &times, &values, Interpolation::Step);
        let old = document(DTransform::IDENTITY, vec![clip(vec![jump])]);
        let (new, report) = cut(&old);
        let times: Vec<f64> = (0..=1000).map(|k| shift + f64::from(k) / 1000.0).collect();
        assert!(apart(&old, &new, &times) < 1e-6, "{}", apart(&old, &new, &times));
        assert!(report.baked[0].worst_m < 1e-6, "{:?}", report.baked);
    }
}

#[test]
fn a_long_clip_has_keys_that_single_precision_tells_apart() {
    let times: Vec<f64> = (0..=1200).map(|k| f64::from((f64::from(k) / 30.0) as f32)).collect();
    let values: Vec<f32> = times.iter().flat_map(|t| [*t as f32, 0.0, 0.0]).collect();
    let walk = channel(ARMATURE, ChannelTarget::Translation, &times, &values, Interpolation::Linear);
    let (new, _) = cut(&document(DTransform::IDENTITY, vec![clip(vec![walk])]));
    let keys = new.clips[0].channels[0].track.times();
    assert!(keys.windows(2).all(|w| (w[0] as f32) < w[1] as f32));
    assert_eq!(new.clips[0].duration(), 40.0);
}

#[test]
fn an_ancestor_that_a_clip_holds_elsewhere_counts_as_still_there() {
    let held = [3., 0., 0., 3., 0., 0.];
    let mut a = hips(Interpolation::CubicSpline);
    a.push(channel(ARMATURE, ChannelTarget::Translation, &[0.0, 1.0], &held, Interpolation::Linear));
    // The second clip has no channel on the root at all.
    let spine = channel(SPINE, ChannelTarget::Translation, &[0.0, 1.0], &held, Interpolation::Linear);
    let twice = channel(ARMATURE, ChannelTarget::Scale, &[0.0], &[2.0; 3], Interpolation::Step);
    let old =
        document(at(0.0, 0.0, 1.0), vec![clip(a), clip(vec![spine, twice]), clip(hips(Interpolation::Step))]);
    let (new, report) = cut(&old);
    assert_eq!(report.baked, []);
    assert!(apart(&old, &new, &moments()) < 1e-6);
}

#[test]
fn a_clip_that_only_moves_what_is_left_out_is_left_out_and_others_keep_their_length() {
    let slide = [0., 0., 0., 9., 0., 0.];
    let prop = channel(PROP, ChannelTarget::Translation, &[0.0, 2.5], &slide, Interpolation::Linear);
    for how in [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline] {
        let mut longer = hips(how);
        longer.push(prop.clone());
        let old = document(
            DTransform::IDENTITY,
            vec![clip(longer), RawClip { name: Some("prop".into()), ..clip(vec![prop.clone()]) }],
        );
        let (new, report) = cut(&old);
        assert_eq!((report.dropped_clips.as_slice(), new.clips.len()), (&["prop".to_owned()][..], 1));
        assert_eq!(new.clips[0].duration(), 2.5);
        assert!(apart(&old, &new, &uniform_times(2.5, 97.0).unwrap()) < 1e-6);
    }
}

fn triangle(joint: u16, spare: u16) -> Mesh {
    let influences = Influences {
        per_vertex: 4,
        joints: [joint, spare, 0, 0].repeat(3),
        weights: [1.0, 0.0, 0.0, 0.0].repeat(3),
    };
    let primitive = Primitive {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        indices: vec![0, 1, 2],
        influences: Some(influences),
        ..Primitive::default()
    };
    Mesh { primitives: vec![primitive], ..Mesh::default() }
}

fn skin(name: &str, joints: &[JointId]) -> Skin {
    let inverse_bind = joints.iter().map(|j| DMat4::from_translation(DVec3::splat(f64::from(j.0)))).collect();
    Skin { name: Some(name.into()), source: 0, joints: joints.to_vec(), inverse_bind }
}

/// A body that follows the spine, and a prop with a mesh and skin of its own.
fn skinned(body_follows: u16) -> Document {
    let mut old = document(at(0.0, 2.0, 0.0), vec![clip(hips(Interpolation::Linear))]);
    old.meshes = vec![triangle(0, 0), triangle(body_follows, 0)];
    old.skins = vec![skin("prop", &[PROP]), skin("body", &[ARMATURE, HIPS, SPINE])];
    old.instances = vec![
        MeshInstance { joint: PROP, mesh: 0, skin: Some(0) },
        MeshInstance { joint: HOLDER, mesh: 1, skin: Some(1) },
    ];
    old
}

#[test]
fn joints_that_pull_nothing_leave_a_skin_and_vertices_follow_the_same_joints() {
    let (new, report) = cut(&skinned(2));
    assert_eq!(
        (report.dropped_skins, report.dropped_meshes),
        (vec!["prop".to_owned()], vec!["mesh 0".to_owned()])
    );
    assert_eq!(report.unbound, ["armature from body"]);
    assert_eq!((new.meshes.len(), new.skins.len(), new.instances.len()), (1, 1, 1));
    let (mesh, skin) = (&new.meshes[new.instances[0].mesh], &new.skins[0]);
    let (followed, weight) = mesh.primitives[0].influences.as_ref().unwrap().of(0).next().unwrap();
    assert_eq!((new.skeleton.label(skin.joints[usize::from(followed)]), weight), ("spine".into(), 1.0));
    assert_eq!(skin.inverse_bind[usize::from(followed)], DMat4::from_translation(DVec3::splat(2.0)));
    // The node that carries the mesh stays where it was.
    let body = new.skeleton.find("body").unwrap();
    assert_eq!(new.skeleton.joint(body).rest, at(0.5, 2.0, 0.5));
}

#[test]
fn a_mesh_that_two_skins_share_becomes_one_for_each_that_is_cut() {
    let mut old = skinned(2);
    old.meshes[0] = triangle(1, 0);
    old.skins[0] = skin("other", &[HIPS, SPINE]);
    let mut joints = old.skeleton.joints().to_vec();
    joints.push(Joint { node: 5, ..Joint::new("twin", Some(ARMATURE), DTransform::IDENTITY) });
    old.skeleton = Skeleton::new(joints, vec![]).unwrap();
    old.instances = vec![
        MeshInstance { joint: JointId(5), mesh: 0, skin: Some(0) },
        MeshInstance { joint: HOLDER, mesh: 0, skin: Some(1) },
    ];
    let (new, _) = cut(&old);
    let follows = |i: usize| {
        let instance = new.instances[i];
        let joint = new.meshes[instance.mesh].primitives[0].influences.as_ref().unwrap().joints[0];
        new.skeleton.label(new.skins[instance.skin.unwrap()].joints[usize::from(joint)])
    };
    assert_eq!((follows(0), follows(1)), ("spine".into(), "hips".into()));
}

#[test]
fn where_vertices_follow_a_joint_outside_the_root_that_would_work_is_named() {
    let mut old = skinned(2);
    old.meshes[1].primitives[0].influences.as_mut().unwrap().joints[0] = 0;
    let error = re_root(&old, HIPS).unwrap_err();
    let ReRootError::SkinAcross { joint, instead, .. } = &error else { panic!("{error}") };
    assert_eq!((joint.as_str(), instead.as_deref()), ("armature", Some("armature")));
    assert!(re_root(&old, ARMATURE).is_ok());
}
