//! Leaving out, by name, what no valid GLB can hold, so that the rest of a damaged file can be written.

use std::collections::BTreeSet;

use serde_json::Map;
use sinew::{Channel, ChannelTarget, JointId, RawClip, Skeleton};

use super::animation::{ClipWriter, Times};
use super::binary::Binary;
use super::node::{Order, roots, targets, write_matrix};
use super::skin::{check_scenes, joints, matrices};
use super::{WriteError, WriteOptions, leave_out_carried, leave_out_mesh};
use crate::document::Document;
use crate::error::{Object, Place, Problem, ProblemCode, Problems, Severity};

/// Scenes that are put right one by one before one scene takes the place of all.
const SCENE_REPAIRS: usize = 64;

/// Leaves out of a document what [`write_glb`](crate::write_glb) would refuse, and returns what that was and why.
///
/// Where `all` is false, these are only clips without channels, which are no damage, but which glTF does not have.
/// Where it is true, everything goes that a valid file cannot hold, or is replaced by the nearest that one can:
///
/// - channels and events of clips that cannot be written, then clips that have no channels left;
/// - morph weights of joints whose mesh was left out or has another number of targets;
/// - rest values and matrices that do not fit: the nearest translation, rotation and scale, or none;
/// - primitives, meshes and skins that break a rule; a mesh without its skin stands still;
/// - vertices without a weight get weight 1 on their first joint, normals without a direction point along +Z;
/// - pictures without bytes, and what refers to them;
/// - scenes that hide joints of a skin that they show get the roots of these joints.
///
/// Severities are those of reading: an error where an object was left out, a warning where one was changed.
pub fn leave_out_unwritable(document: &mut Document, all: bool) -> Vec<Problem> {
    let mut report = Report(Problems::default());
    if all {
        repair_instances(document, &mut report);
        leave_out_carried::repair(document, &mut report);
        leave_out_mesh::repair(document, &mut report);
        repair_joints(document, &mut report);
        repair_skins(document, &mut report);
        repair_scenes(document, &mut report);
        repair_clips(document, &mut report);
    }
    drop_empty_clips(document, &mut report);
    report.0.finish()
}

/// What was left out or changed.
pub(super) struct Report(Problems);

impl Report {
    pub(super) fn say(
        &mut self,
        severity: Severity,
        code: ProblemCode,
        object: Object,
        text: impl Into<String>,
    ) {
        self.0.push(severity, code, object, Place::File, text);
    }

    pub(super) fn changed(&mut self, code: ProblemCode, object: Object, text: impl Into<String>) {
        self.say(Severity::Warning, code, object, text);
    }
}

fn node(skeleton: &Skeleton, id: JointId) -> Object {
    let joint = skeleton.joint(id);
    Object::Node { index: joint.node, name: joint.name.clone() }
}

/// Mesh instances that lead somewhere, one a joint.
fn repair_instances(document: &mut Document, report: &mut Report) {
    let (joints, meshes, skins) = (document.skeleton.len(), document.meshes.len(), document.skins.len());
    let mut taken = vec![false; joints];
    document.instances.retain(|i| {
        let kept = i.joint.index() < joints
            && i.mesh < meshes
            && i.skin.is_none_or(|skin| skin < skins)
            && !std::mem::replace(&mut taken[i.joint.index()], true);
        if !kept {
            let text =
                format!("mesh {} on joint {} has no place there; it is left out", i.mesh, i.joint.index());
            report.say(Severity::Error, ProblemCode::Mesh, Object::File, text);
        }
        kept
    });
}

fn fits(value: f64) -> bool {
    (value as f32).is_finite()
}

/// Rest transforms, matrices and morph weights.
fn repair_joints(document: &mut Document, report: &mut Report) {
    let skeleton = &document.skeleton;
    let mut targets_of = vec![0; skeleton.len()];
    for instance in &document.instances {
        targets_of[instance.joint.index()] = targets(document, instance.mesh);
    }
    let mut all_weights = Vec::with_capacity(skeleton.rest_weights().len());
    let mut repaired = skeleton.joints().to_vec();
    let mut changed = false;
    for (index, joint) in repaired.iter_mut().enumerate() {
        let id = JointId(index as u32);
        let mut say = |code, text: String| {
            report.changed(code, node(skeleton, id), text);
            changed = true;
        };
        let matrix = joint.rest_matrix.as_ref();
        let refused = matrix.and_then(|m| write_matrix(m, || skeleton.label(id), &mut Map::new()).err());
        if let Some(error) = refused {
            say(
                ProblemCode::Node,
                format!("{error}; the nearest translation, rotation and scale stand for it"),
            );
            joint.rest_matrix = None;
        }
        if !joint.rest.translation.to_array().into_iter().all(fits) {
            let text = format!(
                "a rest translation of {} is beyond single precision; none is kept",
                joint.rest.translation
            );
            say(ProblemCode::Node, text);
            joint.rest.translation = glam::DVec3::ZERO;
        }
        if !joint.rest.scale.to_array().into_iter().all(fits) {
            let text =
                format!("a rest scale of {} is beyond single precision; none is kept", joint.rest.scale);
            say(ProblemCode::Node, text);
            joint.rest.scale = glam::DVec3::ONE;
        }
        let length = joint.rest.rotation.length();
        if (length - 1.0).abs() > 1e-6 || length.is_nan() {
            say(ProblemCode::Node, format!("a rest rotation of length {length}, expected 1; made so"));
            let unit = joint.rest.rotation.normalize();
            joint.rest.rotation = if unit.is_finite() { unit } else { glam::DQuat::IDENTITY };
        }
        let mut weights = skeleton.rest_weights()[joint.weights.clone()].to_vec();
        if !weights.is_empty() && weights.len() != targets_of[index] {
            let text = format!(
                "{} morph weights, its mesh has {} targets; the weights are left out",
                weights.len(),
                targets_of[index]
            );
            say(ProblemCode::Node, text);
            weights.clear();
        }
        if let Some(weight) = weights.iter().copied().find(|weight| !fits(*weight)) {
            say(
                ProblemCode::Node,
                format!("a morph weight of {weight} is beyond single precision; set to 0"),
            );
            for weight in weights.iter_mut().filter(|weight| !fits(**weight)) {
                *weight = 0.0;
            }
        }
        joint.weights = all_weights.len()..all_weights.len() + weights.len();
        all_weights.extend(weights);
    }
    if changed && let Ok(skeleton) = Skeleton::new(repaired, all_weights) {
        document.skeleton = skeleton;
    }
}

/// Skins whose matrices are affine and whose joints are there, each once.
fn repair_skins(document: &mut Document, report: &mut Report) {
    let order = Order::new(&document.skeleton);
    let mut kept = Vec::with_capacity(document.skins.len());
    let mut skins = Vec::with_capacity(document.skins.len());
    for (index, mut skin) in std::mem::take(&mut document.skins).into_iter().enumerate() {
        let object = Object::Skin { index: skin.source, name: skin.name.clone() };
        let options = WriteOptions::default();
        if let Err(error @ WriteError::MatrixRow { .. }) = matrices(&skin, index, &options) {
            report.changed(ProblemCode::Skin, object.clone(), format!("{error}; made so"));
            for matrix in &mut skin.inverse_bind {
                for (column, last) in [0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
                    matrix.col_mut(column).w = last;
                }
            }
        }
        let written = joints(&document.skeleton, &skin, index, &order).map(|_| ());
        match written.and_then(|()| matrices(&skin, index, &options).map(|_| ())) {
            Ok(()) => {
                kept.push(Some(skins.len()));
                skins.push(skin);
            }
            Err(error) => {
                let text = format!("{error}; the skin is left out and its meshes stand without");
                report.say(Severity::Error, ProblemCode::Skin, object, text);
                kept.push(None);
            }
        }
    }
    document.skins = skins;
    for instance in &mut document.instances {
        instance.skin = instance.skin.and_then(|skin| kept[skin]);
    }
}

/// Scenes of roots that show all joints of the skins they show.
fn repair_scenes(document: &mut Document, report: &mut Report) {
    let skeleton = &document.skeleton;
    let mut scenes = std::mem::take(&mut document.scenes);
    let object =
        |index: usize, name: &Option<String>| Object::Scene { index: index as u32, name: name.clone() };
    for (index, scene) in scenes.iter_mut().enumerate() {
        let before = scene.roots.len();
        let is_root =
            |id: &JointId| skeleton.joints().get(id.index()).is_some_and(|joint| joint.parent.is_none());
        scene.roots.retain(is_root);
        if scene.roots.len() < before {
            let text = format!("{} joints that are no roots are left out of it", before - scene.roots.len());
            report.changed(ProblemCode::Scene, object(index, &scene.name), text);
        }
    }
    document.default_scene = document.default_scene.filter(|index| *index < scenes.len());
    document.scenes = scenes;

    let roots = roots(&document.skeleton);
    for _ in 0..SCENE_REPAIRS {
        let Err(error) = check_scenes(document, &roots) else { return };
        let shown = |skin: usize| document.skins[skin].joints.iter().map(|joint| roots[joint.index()]);
        let (scene, skin) = match error {
            WriteError::SkinOutsideScene { scene, skin, .. } => (scene, skin),
            WriteError::SkinRoots { skin, .. } => {
                let first = shown(skin).next();
                let lists =
                    document.scenes.iter().position(|s| first.is_some_and(|root| s.roots.contains(&root)));
                (lists.unwrap_or(0), skin)
            }
            _ => break,
        };
        let mut listed: BTreeSet<JointId> = document.scenes[scene].roots.iter().copied().collect();
        let added: Vec<JointId> = shown(skin).filter(|root| listed.insert(*root)).collect();
        let text = format!("{error}; the scene shows {} roots more for it", added.len());
        report.changed(ProblemCode::Scene, object(scene, &document.scenes[scene].name), text);
        document.scenes[scene].roots.extend(added);
    }
    if let Err(error) = check_scenes(document, &roots) {
        let text = format!("{error}; one scene that shows everything takes the place of all");
        report.changed(ProblemCode::Scene, Object::File, text);
        document.scenes.clear();
        document.default_scene = None;
    }
}

fn animation(clip: &RawClip) -> Object {
    Object::Animation { index: clip.source, name: clip.name.clone() }
}

/// Channels and events that can be written.
fn repair_clips(document: &mut Document, report: &mut Report) {
    let order = Order::new(&document.skeleton);
    let mut targets_of = vec![0; document.skeleton.len()];
    for instance in &document.instances {
        targets_of[instance.joint.index()] = targets(document, instance.mesh);
    }
    let skeleton = &document.skeleton;
    for clip in &mut document.clips {
        let mut seen = BTreeSet::new();
        let refused: Vec<Option<String>> = clip
            .channels
            .iter()
            .map(|channel| {
                let (mut binary, mut times) = (Binary::default(), Times::default());
                binary.open_view();
                let mut writer = ClipWriter {
                    skeleton,
                    order: &order,
                    targets_of: &targets_of,
                    clip,
                    binary: &mut binary,
                    times: &mut times,
                };
                if !fits_joint(skeleton, channel) {
                    return Some("it does not fit its joint".into());
                }
                if !seen.insert((channel.joint, channel.target)) {
                    return Some("another channel moves the same".into());
                }
                writer.channel(channel).err().map(|error| error.to_string())
            })
            .collect();
        let mut refused = refused.into_iter();
        let object = animation(clip);
        clip.channels.retain(|channel| {
            let Some(text) = refused.next().flatten() else { return true };
            let (animation, name) = match &object {
                Object::Animation { index, name } => (*index, name.clone()),
                _ => (0, None),
            };
            let object = Object::Channel { animation, name, channel: channel.source };
            report.changed(ProblemCode::Channel, object, format!("{text}; the channel is left out"));
            false
        });
        let duration = clip.duration();
        clip.events.retain(|event| {
            let kept = event.time >= 0.0 && event.time <= duration;
            if !kept {
                let text =
                    format!("event {:?} is at {} s of {duration} s; it is left out", event.name, event.time);
                report.changed(ProblemCode::Extras, object.clone(), text);
            }
            kept
        });
    }
}

/// Whether a channel has as many numbers a key as the property of its joint.
fn fits_joint(skeleton: &Skeleton, channel: &Channel) -> bool {
    let Some(joint) = skeleton.joints().get(channel.joint.index()) else { return false };
    let expected = match channel.target {
        ChannelTarget::Translation | ChannelTarget::Scale => 3,
        ChannelTarget::Rotation => 4,
        ChannelTarget::Weights => joint.weights.len(),
    };
    channel.track.width() == expected
}

fn drop_empty_clips(document: &mut Document, report: &mut Report) {
    document.clips.retain(|clip| {
        let beside = clip.curves.len() + clip.events.len();
        if clip.channels.is_empty() {
            let severity = if beside == 0 { Severity::Info } else { Severity::Warning };
            let text = match beside {
                0 => "the clip has no channels, which glTF does not allow; it is left out".into(),
                _ => format!(
                    "the clip has no channels, which glTF does not allow; it is left out with its {} curves and {} \
                     events",
                    clip.curves.len(),
                    clip.events.len()
                ),
            };
            report.say(severity, ProblemCode::EmptyClip, animation(clip), text);
        }
        !clip.channels.is_empty()
    });
}
