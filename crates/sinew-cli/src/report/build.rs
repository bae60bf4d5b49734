//! From a loaded document to a [`PlayerScene`]: exact samples at even times, within a size for the page.

use glam::DMat4;
use serde_json::Value;
use sinew::{Influences, JointFlags, Mesh, Primitive, RawClip, RawPose, Skeleton, model_matrices};
use sinew_asset::Document;

use super::scene::{
    Affine, PartColours, PlayerScene, SceneClip, SceneInstance, SceneJoint, SceneMesh, ScenePrimitive,
    SceneSkin,
};
use super::text::{measure, number, printable};

/// Rates that are tried, highest first; frames a second.
const RATES: [f64; 7] = [120.0, 60.0, 30.0, 20.0, 15.0, 10.0, 5.0];
/// Above a rate, the page must stay below a size: `(frames a second, bytes)`. What looks no better must not
/// make a page slow to open.
const COMFORT: [(f64, usize); 2] = [(60.0, 3 << 19), (30.0, 8 << 20)];
/// Influences a vertex that the player can draw.
const MOST_INFLUENCES: usize = 8;
/// Moments between frames at which the player's error is measured, all clips together.
const ERROR_PROBES: usize = 1000;

/// How large a scene may become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SceneOptions {
    /// Frames a second at most. Lowered where the clips would not fit.
    pub rate: f64,
    /// Bytes of the page that the scene may take. Meshes and then clips that do not fit are left out and
    /// named in [`PlayerScene::notes`].
    pub budget: usize,
    /// Whether parts have the colours of their materials; by default they are clay, so that shape and findings
    /// are what one sees.
    pub material_colours: bool,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self { rate: 120.0, budget: 24 << 20, material_colours: false }
    }
}

impl PlayerScene {
    /// The character of a document, its clips sampled exactly at even times.
    ///
    /// Joint and clip indices are those of [`Document::skeleton`] and [`Document::clips`].
    pub fn build(document: &Document, options: &SceneOptions) -> Self {
        let skeleton = &document.skeleton;
        let shown = shown_joints(document);
        let mut scene = Self {
            title: document.name.clone(),
            joints: joints(document, &shown),
            rest: affines(skeleton, &RawPose::rest(skeleton)),
            skins: document
                .skins
                .iter()
                .map(|skin| SceneSkin {
                    joints: skin.joints.iter().map(|j| j.0).collect(),
                    inverse_bind: (0..skin.joints.len())
                        .map(|k| affine(skin.inverse_bind.get(k).unwrap_or(&DMat4::IDENTITY)))
                        .collect(),
                })
                .collect(),
            ..Self::default()
        };
        let room = meshes(document, &shown, options.budget, &mut scene);
        if options.material_colours {
            colour(document, &mut scene);
        }
        clips(document, options, room, &mut scene);
        scene
    }
}

/// Which joints belong to the scene that the file says to show.
fn shown_joints(document: &Document) -> Vec<bool> {
    let joints = document.skeleton.joints();
    let Some(scene) = document.default_scene.and_then(|i| document.scenes.get(i)) else {
        return vec![true; joints.len()];
    };
    let mut shown = vec![false; joints.len()];
    for (i, joint) in joints.iter().enumerate() {
        // Parents come first, so theirs is decided already.
        shown[i] = match joint.parent {
            Some(parent) => shown[parent.index()],
            None => scene.roots.iter().any(|root| root.index() == i),
        };
    }
    shown
}

/// Draws skin joints and the ends of their chains; in a file without skins, every node that leads to a
/// mesh; in one without meshes too, every node.
fn joints(document: &Document, shown: &[bool]) -> Vec<SceneJoint> {
    let skeleton = &document.skeleton;
    let skinned = skeleton.joints().iter().any(|j| j.flags.contains(JointFlags::SKIN_JOINT));
    let mut leads = vec![document.instances.is_empty(); skeleton.len()];
    for instance in &document.instances {
        leads[instance.joint.index()] = true;
    }
    for (id, joint) in skeleton.iter().collect::<Vec<_>>().into_iter().rev() {
        if let Some(parent) = joint.parent {
            leads[parent.index()] |= leads[id.index()];
        }
    }
    skeleton
        .iter()
        .map(|(id, joint)| {
            let part =
                joint.flags.contains(JointFlags::SKIN_JOINT) || joint.flags.contains(JointFlags::END_SITE);
            SceneJoint {
                name: skeleton.label(id),
                parent: joint.parent.map(|p| p.index()),
                bone: shown[id.index()] && (part || (!skinned && leads[id.index()])),
            }
        })
        .collect()
}

/// Puts meshes into the scene, largest last, while they fit; returns the bytes left.
fn meshes(document: &Document, shown: &[bool], budget: usize, scene: &mut PlayerScene) -> usize {
    let mut room = budget;
    // Motion matters more than a mesh that would eat it all.
    let mut mesh_room = budget / 2;
    let mut order: Vec<usize> = (0..document.meshes.len()).collect();
    order.sort_by_key(|&i| mesh_bytes(&document.meshes[i]));
    let mut kept = vec![None; document.meshes.len()];
    let mut left_out = Vec::new();
    for i in order {
        let mesh = &document.meshes[i];
        let used = document.instances.iter().any(|n| n.mesh == i && shown[n.joint.index()]);
        let bytes = mesh_bytes(mesh);
        if !used {
            continue;
        }
        if bytes > mesh_room {
            left_out.push(mesh_label(mesh));
            continue;
        }
        mesh_room -= bytes;
        room -= bytes;
        kept[i] = Some(scene.meshes.len());
        scene.meshes.push(scene_mesh(document, i));
    }
    for instance in &document.instances {
        let Some(mesh) = kept[instance.mesh].filter(|_| shown[instance.joint.index()]) else { continue };
        scene.instances.push(SceneInstance {
            joint: instance.joint.index(),
            mesh,
            skin: instance.skin,
            first_weight: document.skeleton.joint(instance.joint).weights.start,
        });
    }
    if !left_out.is_empty() {
        scene.notes.push(format!("Too large for the player and left out of it: {}.", left_out.join(", ")));
    }
    if document.instances.iter().any(|i| !shown[i.joint.index()]) {
        scene.notes.push("The player shows the file's default scene only.".into());
    }
    room
}

/// Gives parts the colours of their materials, as far as the file says them plainly.
fn colour(document: &Document, scene: &mut PlayerScene) {
    let materials = document.carried.top.get("materials").and_then(Value::as_array);
    let triple = |values: Option<&Value>| -> Option<[f32; 3]> {
        let values = values?.as_array()?;
        let number = |i: usize| values.get(i)?.as_f64().map(|v| (v as f32).clamp(0.0, 1.0));
        Some([number(0)?, number(1)?, number(2)?])
    };
    for part in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let Some(material) = materials.and_then(|m| m.get(part.material as usize)) else { continue };
        let base = triple(material.pointer("/pbrMetallicRoughness/baseColorFactor")).unwrap_or([1.0; 3]);
        let glow = triple(material.get("emissiveFactor")).unwrap_or_default();
        part.colours = Some(PartColours { base, glow });
    }
}

fn mesh_label(mesh: &Mesh) -> String {
    match &mesh.name {
        Some(name) if !name.is_empty() => printable(name),
        _ => format!("mesh {}", mesh.source),
    }
}

/// Bytes of a mesh on the page, base64 included.
fn mesh_bytes(mesh: &Mesh) -> usize {
    let part = |p: &Primitive| {
        let moving = p.targets.iter().filter(|t| t.positions.is_some()).count();
        // Positions and normals, joints and weights, each morph target.
        let per_vertex = 12 + 6 + p.influences.as_ref().map_or(0, |i| i.per_vertex.min(8) * 6) + 12 * moving;
        (p.positions.len().saturating_mul(per_vertex)).saturating_add(p.indices.len().saturating_mul(4))
    };
    mesh.primitives.iter().map(part).fold(0_usize, usize::saturating_add).saturating_mul(4) / 3
}

fn scene_mesh(document: &Document, index: usize) -> SceneMesh {
    let mesh = &document.meshes[index];
    // Joint indices are checked against the smallest skin that the mesh is used with.
    let skin_joints = document
        .instances
        .iter()
        .filter(|n| n.mesh == index)
        .filter_map(|n| n.skin.and_then(|s| document.skins.get(s)))
        .map(|skin| skin.joints.len())
        .min();
    SceneMesh {
        name: mesh_label(mesh),
        primitives: mesh
            .primitives
            .iter()
            .filter(|p| !p.indices.is_empty())
            .map(|p| primitive(p, skin_joints))
            .collect(),
    }
}

fn primitive(from: &Primitive, skin_joints: Option<usize>) -> ScenePrimitive {
    let vertices = from.positions.len();
    let mut part = ScenePrimitive {
        positions: from.positions.clone(),
        normals: from.normals.clone().filter(|n| n.len() == vertices).unwrap_or_default(),
        indices: from.indices.iter().copied().filter(|i| (*i as usize) < vertices).collect(),
        targets: from.targets.iter().map(|t| moving(t.positions.as_deref(), vertices)).collect(),
        material: from.material.unwrap_or(0),
        ..ScenePrimitive::default()
    };
    if part.indices.len() != from.indices.len() {
        // A triangle with a vertex that is not there would shift all that follow.
        part.indices.clear();
    }
    if part.targets.iter().all(Vec::is_empty) {
        part.targets.clear();
    }
    if let (Some(influences), Some(joints)) = (&from.influences, skin_joints)
        && influences.per_vertex > 0
        && influences.joints.len() == vertices * influences.per_vertex
        && influences.weights.len() == influences.joints.len()
    {
        influence(influences, vertices, joints, &mut part);
    }
    part
}

/// Offsets of a target, or nothing where they are all zero.
fn moving(positions: Option<&[[f32; 3]]>, vertices: usize) -> Vec<[f32; 3]> {
    match positions {
        Some(deltas) if deltas.len() == vertices && deltas.iter().flatten().any(|v| *v != 0.0) => {
            deltas.to_vec()
        }
        _ => Vec::new(),
    }
}

/// The strongest influences of each vertex, normalised as engines do.
fn influence(from: &Influences, vertices: usize, skin_joints: usize, part: &mut ScenePrimitive) {
    let strongest: Vec<Vec<(u16, f32)>> = (0..vertices)
        .map(|vertex| {
            let mut pulls: Vec<(u16, f32)> = from
                .of(vertex)
                .filter(|(j, w)| *w != 0.0 && w.is_finite() && usize::from(*j) < skin_joints)
                .collect();
            if pulls.len() > MOST_INFLUENCES {
                pulls.sort_by(|a, b| b.1.total_cmp(&a.1));
                pulls.truncate(MOST_INFLUENCES);
            }
            pulls
        })
        .collect();
    part.per_vertex = if strongest.iter().all(|pulls| pulls.len() <= 4) { 4 } else { MOST_INFLUENCES };
    for pulls in &strongest {
        let total: f64 = pulls.iter().map(|(_, w)| f64::from(*w)).sum();
        let scale = if total == 0.0 { 1.0 } else { 1.0 / total };
        for k in 0..part.per_vertex {
            let (joint, weight) = pulls.get(k).copied().unwrap_or_default();
            part.joints.push(joint);
            part.weights.push((f64::from(weight) * scale) as f32);
        }
    }
}

/// Samples the clips at the highest rate at which they fit.
fn clips(document: &Document, options: &SceneOptions, room: usize, scene: &mut PlayerScene) {
    let skeleton = &document.skeleton;
    let morphs = scene.meshes.iter().any(|m| m.primitives.iter().any(|p| !p.targets.is_empty()));
    if morphs {
        scene.rest_weights = skeleton.rest_weights().iter().map(|w| *w as f32).collect();
    }
    let frame_bytes = (skeleton.len() * 48 + scene.rest_weights.len() * 4) as f64 * 4.0 / 3.0;
    let bytes = |clip: &RawClip, rate: f64| (clip.duration() * rate + 2.0) * frame_bytes;
    let rates = || std::iter::once(options.rate).chain(RATES.into_iter().filter(|r| *r < options.rate));
    let total = |rate: f64| document.clips.iter().map(|c| bytes(c, rate)).sum::<f64>();
    let comfort = |rate: f64| COMFORT.iter().find(|(above, _)| rate > *above).map_or(room, |(_, most)| *most);
    let fits = |rate: &f64| total(*rate) <= room.min(comfort(*rate)) as f64;
    let rate = rates().find(fits).unwrap_or(RATES[RATES.len() - 1]);
    let mut room = room as f64;
    let mut left_out = Vec::new();
    for clip in &document.clips {
        let needed = bytes(clip, rate);
        if needed.is_finite() && needed <= room {
            room -= needed;
            scene.clips.push(sampled(skeleton, clip, on_keys(clip, rate), morphs));
        } else {
            left_out.push(printable(&clip.label()));
            scene.clips.push(SceneClip { name: clip.label(), ..SceneClip::default() });
        }
    }
    rate_note(document, rate < options.rate.min(60.0), scene);
    if !left_out.is_empty() {
        scene.notes.push(format!("Too long for the player and left out of it: {}.", left_out.join(", ")));
    }
}

/// The highest rate up to `most` whose frames fall on the clip's keys, where its keys are evenly spaced:
/// between keys motion is smooth, so straight lines from key to key lose the least.
fn on_keys(clip: &RawClip, most: f64) -> f64 {
    match key_rate(clip) {
        Some(keys) if keys > most => keys / libm::ceil(keys / most - 1e-6),
        Some(keys) => keys * libm::floor(most / keys + 1e-6),
        None => most,
    }
}

/// Keys a second, where all keys of the clip are on one even raster.
fn key_rate(clip: &RawClip) -> Option<f64> {
    let times = clip.key_times();
    // Key times are single precision, and channels may round the same frame differently.
    let gaps = times.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > 1e-4);
    let exact = 1.0 / gaps.fold(f64::INFINITY, f64::min);
    let whole = libm::round(exact);
    let rate = if (whole - exact).abs() < 0.02 * exact { whole } else { exact };
    let even = |t: &f64| (t * rate - libm::round(t * rate)).abs() < 0.02;
    ((0.5..=1000.0).contains(&rate) && times.iter().all(even)).then_some(rate)
}

fn sampled(skeleton: &Skeleton, clip: &RawClip, rate: f64, morphs: bool) -> SceneClip {
    let duration = clip.duration();
    let mut out = SceneClip { name: clip.label(), duration, rate, ..SceneClip::default() };
    let mut pose = RawPose::default();
    for time in SceneClip::times(duration, rate) {
        clip.sample(skeleton, time, &mut pose);
        out.matrices.extend(affines(skeleton, &pose));
        if morphs {
            out.weights.extend(pose.weights.iter().map(|w| *w as f32));
        }
    }
    out
}

/// Says at which rate the player works and how far that is from the exact motion.
fn rate_note(document: &Document, lowered: bool, scene: &mut PlayerScene) {
    let rates = scene.clips.iter().filter(|c| c.rate > 0.0).map(|c| c.rate);
    let [low, high] = rates.fold([f64::INFINITY, 0.0], |[low, high], r| [r.min(low), r.max(high)]);
    if high == 0.0 {
        return;
    }
    let rate = if low == high { number(low) } else { format!("{} to {}", number(low), number(high)) };
    let lowered = if lowered { ", lowered to keep the page small" } else { "" };
    let error = halfway_error(document, scene);
    let share = measure(error / rest_size(scene) * 100.0, "%");
    let error = measure(error * 1000.0, "mm");
    scene.notes.push(format!(
        "The player shows the exact motion sampled at {rate} Hz{lowered}, and straight lines between samples. Halfway between two samples its joints are at most {error} from the exact place ({share} of the character's size). Findings and curves come from the exact motion."
    ));
}

/// Diagonal of the box around the drawn joints at rest; metres.
fn rest_size(scene: &PlayerScene) -> f64 {
    let drawn = scene.joints.iter().zip(&scene.rest).filter(|(j, _)| j.bone).map(|(_, m)| place(m));
    let far = glam::DVec3::INFINITY;
    let (low, high) = drawn.fold((far, -far), |(low, high), p| (low.min(p), high.max(p)));
    (high - low).length().max(1e-9)
}

fn place(m: &Affine) -> glam::DVec3 {
    glam::DVec3::new(m[3].into(), m[7].into(), m[11].into())
}

/// Largest distance of a drawn joint from its exact place halfway between two frames; metres.
fn halfway_error(document: &Document, scene: &PlayerScene) -> f64 {
    let skeleton = &document.skeleton;
    let joints = skeleton.len();
    let halves: usize =
        scene.clips.iter().map(|c| (c.matrices.len() / joints.max(1)).saturating_sub(1)).sum();
    let stride = halves.div_ceil(ERROR_PROBES).max(1);
    let (mut pose, mut exact, mut worst) = (RawPose::default(), Vec::new(), 0.0_f64);
    let mut count = 0;
    for (clip, raw) in scene.clips.iter().zip(&document.clips).filter(|(c, _)| !c.matrices.is_empty()) {
        let times = SceneClip::times(clip.duration, clip.rate);
        for (frame, ends) in times.windows(2).enumerate() {
            count += 1;
            if count % stride != 0 {
                continue;
            }
            raw.sample(skeleton, (ends[0] + ends[1]) / 2.0, &mut pose);
            model_matrices(skeleton, &pose, &mut exact);
            let [before, after] = [frame, frame + 1].map(|f| &clip.matrices[f * joints..(f + 1) * joints]);
            for (i, _) in scene.joints.iter().enumerate().filter(|(_, j)| j.bone) {
                let shown = (place(&before[i]) + place(&after[i])) / 2.0;
                let distance = shown.distance(exact[i].w_axis.truncate());
                if distance.is_finite() {
                    worst = worst.max(distance);
                }
            }
        }
    }
    worst
}

fn affines(skeleton: &Skeleton, pose: &RawPose) -> Vec<Affine> {
    let mut matrices = Vec::with_capacity(skeleton.len());
    model_matrices(skeleton, pose, &mut matrices);
    matrices.iter().map(affine).collect()
}

fn affine(matrix: &DMat4) -> Affine {
    let rows = matrix.transpose().to_cols_array();
    std::array::from_fn(|i| rows[i] as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Channel, ChannelTarget, DTransform, Interpolation, Joint, JointId, Track};

    /// A root that moves one metre along X in `seconds`.
    fn slider(seconds: f64) -> Document {
        let joint = Joint::new("root", None, DTransform::IDENTITY);
        let track = Track::new(
            [0.0, seconds].into(),
            [0.0, 0.0, 0.0, 1.0, 0.0, 0.0].into(),
            3,
            Interpolation::Linear,
        )
        .unwrap();
        let channel = Channel { joint: JointId(0), target: ChannelTarget::Translation, track, source: 0 };
        Document {
            skeleton: Skeleton::numbered(vec![joint], Vec::new()).unwrap(),
            clips: vec![RawClip { channels: vec![channel], ..RawClip::default() }],
            ..Document::default()
        }
    }

    #[test]
    fn the_last_frame_is_the_last_key() {
        let scene =
            PlayerScene::build(&slider(0.33), &SceneOptions { rate: 60.0, ..SceneOptions::default() });
        let clip = &scene.clips[0];
        assert_eq!(clip.matrices.len(), 21);
        assert_eq!(clip.matrices[20][3], 1.0);
        assert!((f64::from(clip.matrices[10][3]) - 10.0 / 60.0 / 0.33).abs() < 1e-6);
    }

    #[test]
    fn a_long_clip_is_sampled_slower_and_the_page_says_so() {
        let scene = PlayerScene::build(
            &slider(600.0),
            &SceneOptions { rate: 60.0, budget: 1 << 20, ..SceneOptions::default() },
        );
        assert_eq!(scene.clips[0].rate, 20.0);
        assert!(scene.notes[0].contains("20 Hz, lowered to keep the page small"), "{:?}", scene.notes);
    }

    #[test]
    fn frames_fall_on_the_keys() {
        let mut document = slider(1.0);
        let frames: Vec<f64> = (0..25).map(|i| f64::from(i as f32 / 24.0)).collect();
        document.clips[0].channels[0].track =
            Track::new(frames.into(), [0.0; 75].into(), 3, Interpolation::Linear).unwrap();
        assert_eq!(PlayerScene::build(&document, &SceneOptions::default()).clips[0].rate, 120.0);
        assert_eq!(on_keys(&document.clips[0], 15.0), 12.0);
    }

    #[test]
    fn an_absurdly_long_clip_costs_no_memory() {
        let scene = PlayerScene::build(&slider(1e15), &SceneOptions::default());
        assert!(scene.clips[0].matrices.is_empty());
        assert!(scene.notes[0].contains("left out"), "{:?}", scene.notes);
    }

    #[test]
    fn weights_add_up_and_the_strongest_stay() {
        let influences = Influences {
            per_vertex: 12,
            joints: (0..12).collect(),
            weights: (0..12).map(|k| k as f32).collect(),
        };
        let mut part = ScenePrimitive::default();
        influence(&influences, 1, 12, &mut part);
        assert_eq!(part.per_vertex, 8);
        assert_eq!(part.joints, [11, 10, 9, 8, 7, 6, 5, 4]);
        assert!((part.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
