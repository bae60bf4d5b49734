//! The leg of the knee study: pelvis, thigh, shin and foot, two keys, and a low-poly body.

use std::fmt;
use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3};
use serde_json::{Map, json};
use sinew::frame::{FrameError, projected_x, tracked_up};
use sinew::{
    Channel, ChannelTarget, DTransform, Interpolation, Joint, JointFlags, JointId, Mesh, RawClip, RawPose,
    Skeleton, Skin, Track, model_matrices,
};
use sinew_asset::{Carried, Document, MeshInstance, Scene};

use crate::StudyError;
use crate::solid::{Frame, Ring, Solid};

/// Length of thigh and shin, metres.
pub(crate) const BONE: f64 = 0.3;
/// Tilt of the thigh at the keys, degrees to either side of vertical.
pub(crate) const TILT: f64 = 1.0;
/// Length of the slowed clip, seconds.
const SLOWED_SECONDS: f64 = 2.0;
/// How many times as long as the clip at its real speed that is; the real one takes 1/48 s.
pub(crate) const SLOWER: f64 = 96.0;
/// Height of the hip, metres: the ankle of a straight leg is 80 mm above the ground.
const HIP: DVec3 = DVec3::new(0.0, 0.68, 0.0);

pub(crate) const PELVIS: JointId = JointId(0);
pub(crate) const THIGH: JointId = JointId(1);
pub(crate) const SHIN: JointId = JointId(2);
pub(crate) const FOOT: JointId = JointId(3);
/// Carries the mesh; not part of the leg.
const BODY: JointId = JointId(4);

/// Index of the slowed clip in [`Document::clips`].
pub(crate) const SLOWED: usize = 0;
/// Index of the clip at its real speed in [`Document::clips`].
pub(crate) const REAL: usize = 1;

/// How the frames of the limb are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Roll {
    /// Z of each bone turned towards up.
    TrackedUp,
    /// X of each bone kept across the plane of the leg.
    ProjectedX,
}

impl Roll {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::TrackedUp => "tracked-up",
            Self::ProjectedX => "projected-x",
        }
    }

    fn frame(self, head: DVec3, tail: DVec3) -> Result<DQuat, FrameError> {
        match self {
            Self::TrackedUp => tracked_up(head, tail, DVec3::Y),
            Self::ProjectedX => projected_x(head, tail, DVec3::X),
        }
    }
}

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where the leg is meant to be at a key, model space.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) knee: DVec3,
    pub(crate) ankle: DVec3,
}

/// Thigh a degree to the front and shin bent back, then the mirror image; the ankle is in one place.
pub(crate) fn targets() -> [Target; 2] {
    let (sin, cos) = libm::sincos(TILT.to_radians());
    [1.0, -1.0].map(|side| {
        let knee = HIP + DVec3::new(0.0, -cos, side * sin) * BONE;
        Target { knee, ankle: knee + DVec3::new(0.0, -cos, -side * sin) * BONE }
    })
}

/// Local rotations of thigh, shin and foot at a key, their signs on the short way from `before`.
fn key(roll: Roll, target: &Target, before: Option<&[DQuat; 3]>) -> Result<[DQuat; 3], FrameError> {
    let near = |q: DQuat, part: usize| match before {
        Some(before) if before[part].dot(q) < 0.0 => -q,
        _ => q,
    };
    let thigh = tidy(roll.frame(HIP, target.knee)?);
    let shin = roll.frame(target.knee, target.ankle)?;
    let thigh = near(thigh, 0);
    let shin = near(tidy(thigh.conjugate() * shin), 1);
    // The foot stands flat and forwards whatever the shin does. With the shin's own signs it turns back just
    // as the shin turns, and so it stands between the keys as well.
    let foot = near(tidy((thigh * shin).conjugate()), 2);
    Ok([thigh, shin, foot])
}

/// Without the last bits of noise in components that are zero by symmetry.
///
/// Keys half a turn apart have a dot product of zero, and its sign says which way to turn. With clean zeros
/// every evaluator finds exactly zero, in single and in double precision, and turns the same way.
fn tidy(q: DQuat) -> DQuat {
    DQuat::from_array(q.to_array().map(|c| if c.abs() < 1e-12 { 0.0 } else { c })).normalize()
}

/// The whole character with its two clips.
pub(crate) fn build(roll: Roll) -> Result<Document, StudyError> {
    let [first, second] = targets();
    let framed = StudyError::build::<FrameError>;
    let start = key(roll, &first, None).map_err(framed("the first key"))?;
    let end = key(roll, &second, Some(&start)).map_err(framed("the second key"))?;
    let skeleton = skeleton(&start)?;
    // As the file will hold it, so that both are sampled at the same moments.
    let real = f64::from((SLOWED_SECONDS / SLOWER) as f32);
    let mut clips = Vec::new();
    for (source, (name, seconds)) in
        [("swing, 96 times slower", SLOWED_SECONDS), ("swing, real speed", real)].into_iter().enumerate()
    {
        let channels = channels(seconds, &start, &end)?;
        clips.push(RawClip {
            name: Some(name.into()),
            source: source as u32,
            channels,
            ..RawClip::default()
        });
    }
    let (skin, mesh) = body(&skeleton, &first);
    Ok(Document {
        name: roll.name().into(),
        skeleton,
        clips,
        meshes: vec![mesh],
        skins: vec![skin],
        instances: vec![MeshInstance { joint: BODY, mesh: 0, skin: Some(0) }],
        scenes: vec![Scene { name: Some("leg".into()), roots: vec![PELVIS, BODY] }],
        default_scene: Some(0),
        carried: Carried { top: materials(), ..Carried::default() },
        ..Document::default()
    })
}

/// At rest the leg is in its first key.
fn skeleton(start: &[DQuat; 3]) -> Result<Skeleton, StudyError> {
    let at = |rotation, translation| DTransform::from_rotation_translation(rotation, translation);
    let down_bone = DVec3::Y * BONE;
    let joint = |name, parent, rest| {
        let flags = JointFlags::SKIN_JOINT;
        Joint { flags, ..Joint::new(name, parent, rest) }
    };
    let mut joints = vec![
        joint("pelvis", None, at(DQuat::IDENTITY, HIP)),
        joint("thigh", Some(PELVIS), at(start[0], DVec3::ZERO)),
        joint("shin", Some(THIGH), at(start[1], down_bone)),
        joint("foot", Some(SHIN), at(start[2], down_bone)),
    ];
    for joint in &mut joints[1..] {
        joint.flags |= JointFlags::ANIMATED;
    }
    joints.push(Joint { flags: JointFlags::MESH, ..Joint::new("leg", None, DTransform::IDENTITY) });
    Skeleton::numbered(joints, Vec::new()).map_err(StudyError::build("the skeleton"))
}

fn channels(seconds: f64, start: &[DQuat; 3], end: &[DQuat; 3]) -> Result<Vec<Channel>, StudyError> {
    let times: Arc<[f64]> = [0.0, seconds].into();
    let mut channels = Vec::new();
    for (source, joint) in [THIGH, SHIN, FOOT].into_iter().enumerate() {
        let keys = [start[source], end[source]];
        let values: Arc<[f32]> = keys.iter().flat_map(|q| q.as_quat().to_array()).collect();
        let track = Track::rotation(times.clone(), values, Interpolation::Linear)
            .map_err(StudyError::build("a track"))?;
        channels.push(Channel { joint, target: ChannelTarget::Rotation, track, source: source as u32 });
    }
    Ok(channels)
}

/// Skin and mesh, bound at rest.
fn body(skeleton: &Skeleton, at: &Target) -> (Skin, Mesh) {
    let mut model_ms: Vec<DMat4> = Vec::new();
    model_matrices(skeleton, &RawPose::rest(skeleton), &mut model_ms);
    let joints = vec![PELVIS, THIGH, SHIN, FOOT];
    let inverse_bind = joints.iter().map(|j| model_ms[j.index()].inverse()).collect();
    let skin = Skin { name: Some("leg".into()), source: 0, joints, inverse_bind };

    let limb =
        |head: DVec3, tail: DVec3| Frame { origin: head, along: (tail - head).normalize(), side: DVec3::X };
    // Along, half side, half front, shift to the front; all in millimetres.
    let rings = |list: &[[f64; 4]]| -> Vec<Ring> {
        let metres = |[along, side, front, shift]: &[f64; 4]| Ring {
            along: along * 1e-3,
            side: side * 1e-3,
            front: front * 1e-3,
            shift: shift * 1e-3,
        };
        list.iter().map(metres).collect()
    };
    let [pelvis, thigh, shin, foot] = [0, 1, 2, 3];
    let (mut flesh, mut joint, mut mark) = (Solid::default(), Solid::default(), Solid::default());

    let across = Frame { origin: HIP + DVec3::Y * 0.005, along: DVec3::X, side: -DVec3::Y };
    flesh.hull(
        pelvis,
        across,
        0.6,
        &rings(&[
            [-62.0, 20.0, 22.0, 0.0],
            [-52.0, 32.0, 36.0, 0.0],
            [52.0, 32.0, 36.0, 0.0],
            [62.0, 20.0, 22.0, 0.0],
        ]),
    );
    let thigh_shape = [
        [18.0, 30.0, 34.0, 0.0],
        [45.0, 43.0, 48.0, 2.0],
        [110.0, 44.0, 50.0, 4.0],
        [190.0, 37.0, 42.0, 3.0],
        [250.0, 30.0, 33.0, 1.0],
        [276.0, 24.0, 26.0, 0.0],
    ];
    flesh.hull(thigh, limb(HIP, at.knee), 0.85, &rings(&thigh_shape));
    let shin_shape = [
        [24.0, 23.0, 25.0, 0.0],
        [50.0, 29.0, 32.0, -4.0],
        [95.0, 31.0, 37.0, -10.0],
        [160.0, 25.0, 29.0, -6.0],
        [230.0, 18.0, 20.0, -1.0],
        [280.0, 16.0, 17.0, 0.0],
    ];
    flesh.hull(shin, limb(at.knee, at.ankle), 0.85, &rings(&shin_shape));

    joint.ball(thigh, limb(at.knee, HIP), 0.029);
    joint.ball(foot, limb(at.ankle, at.knee), 0.02);
    // The kneecap and a stripe down the shin show which way the bones are rolled.
    let knee_front = Frame { origin: at.knee, along: DVec3::Z, side: DVec3::X };
    mark.hull(
        thigh,
        knee_front,
        0.85,
        &rings(&[[14.0, 19.0, 23.0, 0.0], [30.0, 16.0, 19.0, 0.0], [37.0, 8.0, 10.0, 0.0]]),
    );
    let stripe =
        [[60.0, 4.0, 4.0, 26.0], [80.0, 5.0, 5.0, 25.0], [220.0, 4.0, 5.0, 17.0], [240.0, 3.0, 3.0, 17.0]];
    mark.hull(shin, limb(at.knee, at.ankle), 0.7, &rings(&stripe));

    // From heel to toe, the front of the rings upwards; the sole is on the ground.
    let sole = Frame { origin: DVec3::new(at.ankle.x, 0.0, at.ankle.z), along: DVec3::Z, side: DVec3::X };
    let foot_shape = [
        [-48.0, 16.0, 14.0, 16.0],
        [-40.0, 25.0, 27.0, 28.0],
        [-5.0, 28.0, 37.0, 38.0],
        [30.0, 31.0, 29.0, 30.0],
        [85.0, 38.0, 18.0, 19.0],
        [120.0, 36.0, 13.0, 14.0],
        [142.0, 22.0, 8.0, 10.0],
    ];
    joint.hull(foot, sole, 0.6, &rings(&foot_shape));

    let primitives = vec![flesh.into_primitive(0), joint.into_primitive(1), mark.into_primitive(2)];
    (skin, Mesh { name: Some("leg".into()), source: 0, primitives })
}

fn materials() -> Map<String, serde_json::Value> {
    let material = |name: &str, colour: [f64; 3]| {
        let [r, g, b] = colour;
        json!({
            "name": name,
            "pbrMetallicRoughness":
                { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 }
        })
    };
    let list = json!([
        material("limb", [0.72, 0.67, 0.60]),
        material("joint", [0.25, 0.29, 0.35]),
        material("front", [0.85, 0.36, 0.14]),
    ]);
    Map::from_iter([("materials".into(), list)])
}
