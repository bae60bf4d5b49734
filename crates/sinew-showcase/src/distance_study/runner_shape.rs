//! The runner's body and the lines he runs over.

use glam::{DMat4, DVec3};
use serde_json::{Map, Value, json};
use sinew::{JointFlags, JointId, Mesh, RawClip, RawPose, Skeleton, Skin, model_matrices};
use sinew_asset::{Carried, Document, MeshInstance, Scene};

use super::runner::{ARMS, BALL, CHEST, GROUND, HEAD, LEGS, PELVIS};
use crate::solid::{Frame, Ring, Solid};

/// Lines across the way, every half metre.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    /// Between two places along the way, metres.
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// How far they go to either side, metres.
    pub(crate) half: f64,
}

/// The runner with his clips, with lines on the ground or without.
pub(crate) fn document(
    name: &str,
    skeleton: &Skeleton,
    clips: Vec<RawClip>,
    lines: Option<Lines>,
) -> Document {
    let mut bind_ms: Vec<DMat4> = Vec::new();
    model_matrices(skeleton, &RawPose::rest(skeleton), &mut bind_ms);
    let flagged =
        |flag: JointFlags| skeleton.iter().filter(move |(_, j)| j.flags.contains(flag)).map(|(id, _)| id);
    let joints: Vec<JointId> = flagged(JointFlags::SKIN_JOINT).collect();
    let mesh: Vec<JointId> = flagged(JointFlags::MESH).collect();
    let topmost = skeleton.iter().filter(|(_, joint)| joint.parent.is_none()).map(|(id, _)| id);
    let roots: Vec<JointId> = topmost.collect();
    let inverse_bind = joints.iter().map(|j| bind_ms[j.index()].inverse()).collect();
    let primitives = body(&bind_ms, &joints, lines);
    let skin = Skin { name: Some("Runner".into()), source: 0, joints, inverse_bind };
    Document {
        name: name.into(),
        skeleton: skeleton.clone(),
        clips,
        meshes: vec![Mesh { name: Some("Runner".into()), source: 0, primitives }],
        skins: vec![skin],
        instances: mesh.into_iter().map(|joint| MeshInstance { joint, mesh: 0, skin: Some(0) }).collect(),
        scenes: vec![Scene { name: Some("Runner".into()), roots }],
        default_scene: Some(0),
        carried: Carried { top: materials(lines.is_some()), ..Carried::default() },
        ..Document::default()
    }
}

/// Rings from along, half side, half front; metres.
fn rings(list: &[[f64; 3]]) -> Vec<Ring> {
    list.iter()
        .map(|[along, side, front]| Ring { along: *along, side: *side, front: *front, shift: 0.0 })
        .collect()
}

fn body(bind_ms: &[DMat4], joints: &[JointId], lines: Option<Lines>) -> Vec<sinew::Primitive> {
    let at = |joint: JointId| bind_ms[joint.index()].w_axis.truncate();
    let skin = |joint: JointId| joints.iter().position(|j| *j == joint).unwrap_or(0) as u16;
    let down = |from: DVec3| Frame { origin: from, along: -DVec3::Y, side: DVec3::X };
    let up = |from: DVec3| Frame { origin: from, along: DVec3::Y, side: DVec3::X };
    let (mut suit, mut left, mut right) = (Solid::default(), Solid::default(), Solid::default());
    let trunk = [[-0.08, 0.11, 0.08], [0.0, 0.15, 0.10], [0.12, 0.13, 0.09], [0.20, 0.12, 0.08]];
    suit.hull(skin(PELVIS), up(at(PELVIS)), 0.8, &rings(&trunk));
    let chest =
        [[-0.03, 0.12, 0.08], [0.10, 0.16, 0.11], [0.24, 0.18, 0.11], [0.30, 0.10, 0.07], [0.36, 0.05, 0.05]];
    suit.hull(skin(CHEST), up(at(CHEST)), 0.8, &rings(&chest));
    suit.ball(skin(HEAD), up(at(HEAD) + DVec3::Y * 0.10), 0.11);
    for (side, solid) in [&mut left, &mut right].into_iter().enumerate() {
        let [thigh, shin, foot, toe] = LEGS[side];
        let bones = [
            (thigh, [[-0.04, 0.07, 0.08], [0.08, 0.08, 0.09], [0.40, 0.05, 0.055], [0.45, 0.04, 0.04]]),
            (shin, [[-0.02, 0.045, 0.045], [0.10, 0.05, 0.06], [0.36, 0.032, 0.035], [0.44, 0.03, 0.03]]),
        ];
        for (bone, shape) in bones {
            solid.hull(skin(bone), down(at(bone)), 0.9, &rings(&shape));
        }
        // From heel to toe, the sole on the ground.
        let ball = at(foot) + DVec3::new(0.0, 0.0, BALL);
        let sole = Frame { origin: DVec3::new(ball.x, 0.04, ball.z), along: DVec3::Z, side: DVec3::X };
        let shoe = [[-0.20, 0.03, 0.03], [-0.17, 0.04, 0.04], [-0.02, 0.05, 0.036], [0.01, 0.048, 0.036]];
        solid.hull(skin(foot), sole, 0.7, &rings(&shoe));
        let toes = [[-0.01, 0.045, 0.034], [0.02, 0.045, 0.034], [0.08, 0.03, 0.02]];
        solid.hull(skin(toe), sole, 0.7, &rings(&toes));
        let [upper, fore] = ARMS[side];
        let arm = [[-0.03, 0.04, 0.05], [0.05, 0.045, 0.05], [0.28, 0.035, 0.035]];
        solid.hull(skin(upper), down(at(upper)), 0.9, &rings(&arm));
        let forearm = [[0.0, 0.035, 0.035], [0.08, 0.04, 0.04], [0.24, 0.025, 0.03], [0.33, 0.035, 0.02]];
        solid.hull(skin(fore), down(at(fore)), 0.9, &rings(&forearm));
    }
    let parts = [suit, left, right].into_iter().chain(lines.map(|lines| across(skin(GROUND), lines)));
    parts.enumerate().map(|(i, solid)| solid.into_primitive(i as u32)).collect()
}

/// Lines across the way.
fn across(ground: u16, lines: Lines) -> Solid {
    let mut solid = Solid::default();
    let [from, to] = [lines.from, lines.to].map(|z| (2.0 * z).round() as i32);
    for half in from..=to {
        // Whole metres are thicker.
        let wide = if half % 2 == 0 { 0.02 } else { 0.008 };
        let origin = DVec3::new(0.0, -0.005, 0.5 * f64::from(half));
        let across = Frame { origin, along: DVec3::X, side: DVec3::Z };
        solid.hull(ground, across, 0.3, &rings(&[[-lines.half, wide, 0.004], [lines.half, wide, 0.004]]));
    }
    solid
}

fn materials(lines: bool) -> Map<String, Value> {
    let material = |name: &str, [r, g, b]: [f64; 3]| {
        json!({
            "name": name,
            "pbrMetallicRoughness":
                { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 }
        })
    };
    let mut list = vec![
        material("suit", [0.55, 0.57, 0.60]),
        material("left", [0.85, 0.42, 0.16]),
        material("right", [0.20, 0.45, 0.72]),
    ];
    if lines {
        list.push(material("lines", [0.25, 0.26, 0.28]));
    }
    Map::from_iter([("materials".into(), list.into())])
}
