//! Sampling, world positions, skinning, blending and root motion.

use glam::{DMat4, DVec3};
use serde_json::Value;
use sinew::{
    AdditiveJob, Binding, BlendJob, BlendLayer, JointFlags, JointId, Playback, RawClip, RawPose, RootMotion,
    SkinJob, WeightMode, model_matrices, uniform_times,
};
use sinew_asset::Loaded;

use crate::Files;
use crate::values::{Check, near, near3, numbers};

/// The clip that a value names, by name or by index in the file.
pub(crate) fn clip<'a>(loaded: &'a Loaded, name: &Value) -> Result<&'a RawClip, String> {
    let clips = &loaded.document.clips;
    let found = match (name.as_str(), name.as_u64()) {
        (Some(name), _) => clips.iter().find(|c| c.name.as_deref() == Some(name)),
        (None, Some(index)) => clips.iter().find(|c| u64::from(c.source) == index),
        (None, None) => None,
    };
    found.ok_or_else(|| format!("no clip {name}; problems: {:?}", loaded.problems))
}

/// The pose of the clip a value names, or the rest pose for null.
fn pose_of(loaded: &Loaded, animation: &Value, time: f64) -> Result<RawPose, String> {
    let skeleton = &loaded.document.skeleton;
    let mut pose = RawPose::rest(skeleton);
    if !animation.is_null() {
        clip(loaded, animation)?.sample(skeleton, time, &mut pose);
    }
    Ok(pose)
}

pub(crate) fn pose(check: &Check<'_>, loaded: &Loaded) -> Result<RawPose, String> {
    let time = check.value("time").as_f64().unwrap_or(0.0);
    pose_of(loaded, check.value("animation"), time)
}

fn joint(loaded: &Loaded, node: u32) -> Result<JointId, String> {
    loaded.document.skeleton.joint_of_node(node).ok_or_else(|| format!("no node {node}"))
}

fn matrices(loaded: &Loaded, pose: &RawPose) -> Vec<DMat4> {
    let mut model = Vec::new();
    model_matrices(&loaded.document.skeleton, pose, &mut model);
    model
}

pub(crate) fn sample_local(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let id = joint(loaded, check.index("node")?)?;
    check.transform_is(&pose(check, loaded)?.local[id.index()])
}

pub(crate) fn world_position(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let id = joint(loaded, check.index("node")?)?;
    let model = matrices(loaded, &pose(check, loaded)?);
    check.position_is(model[id.index()].w_axis.truncate())
}

pub(crate) fn world_matrix(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let id = joint(loaded, check.index("node")?)?;
    let model = matrices(loaded, &pose(check, loaded)?);
    let expected = numbers(check.value("matrix")).filter(|m| m.len() == 16).ok_or("no matrix")?;
    let found = model[id.index()].to_cols_array();
    let worst = expected.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    near("matrix, largest difference", 0.0, worst, check.tolerance("position"))
}

pub(crate) fn skinned_position(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let key = if check.has("mesh_node") { "mesh_node" } else { "node" };
    let id = joint(loaded, check.index(key)?)?;
    let vertex = check.index("vertex")? as usize;
    let primitive = check.value("primitive").as_u64().unwrap_or(0) as usize;
    let all = skinned(loaded, id, &pose(check, loaded)?)?;
    let positions = all.get(primitive).ok_or_else(|| format!("no primitive {primitive}"))?;
    check.position_is(*positions.get(vertex).ok_or_else(|| format!("no vertex {vertex}"))?)
}

/// Scene-space vertices of the mesh on a node, `[primitive][vertex]`.
fn skinned(loaded: &Loaded, node: JointId, pose: &RawPose) -> Result<Vec<Vec<DVec3>>, String> {
    let document = &loaded.document;
    let model = matrices(loaded, pose);
    let instance = document.instances.iter().find(|i| i.joint == node).ok_or("the node carries no mesh")?;
    let mut palette = Vec::new();
    if let Some(skin) = instance.skin {
        document.skins[skin].palette(&model, &mut palette);
    }
    let morph_weights = &pose.weights[document.skeleton.joint(node).weights.clone()];
    let rigid = &model[node.index()];
    let binding = if instance.skin.is_some() { Binding::Skinned(&palette) } else { Binding::Rigid(rigid) };
    let primitives = &document.meshes[instance.mesh].primitives;
    let run = |primitive| {
        let mut positions = Vec::new();
        let job = SkinJob { primitive, morph_weights, binding, weights: WeightMode::Normalised };
        job.run(&mut positions).map(|()| positions).map_err(|e| e.to_string())
    };
    primitives.iter().map(run).collect()
}

pub(crate) fn morph_weights(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let key = if check.has("mesh_node") { "mesh_node" } else { "node" };
    let id = joint(loaded, check.index(key)?)?;
    let pose = pose(check, loaded)?;
    let found = &pose.weights[loaded.document.skeleton.joint(id).weights.clone()];
    let expected = numbers(check.value("weights")).ok_or("no weights")?;
    near("number of weights", expected.len() as f64, found.len() as f64, 0.0)?;
    let each = expected.iter().zip(found).enumerate();
    let mut checked =
        each.map(|(i, (e, f))| near(&format!("weight {i}"), *e, *f, check.tolerance("weights")));
    checked.try_for_each(|r| r)
}

pub(crate) fn clip_duration(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let found = match check.value("animation") {
        Value::Null => loaded.document.clips.first().ok_or("no clip")?.duration(),
        name => clip(loaded, name)?.duration(),
    };
    near("duration", check.number("seconds")?, found, check.tolerance("time"))
}

pub(crate) fn blend_local(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let inputs = check.value("inputs").as_array().ok_or("no inputs")?;
    let number = |input: &Value, key: &str| input[key].as_f64().ok_or(format!("an input has no '{key}'"));
    let mut poses = Vec::new();
    for input in inputs {
        poses.push((pose_of(loaded, &input["animation"], number(input, "time")?)?, number(input, "weight")?));
    }
    let id = joint(loaded, check.index("node")?)?;
    let base = RawPose::rest(&loaded.document.skeleton);
    // The order must not matter.
    for reversed in [false, true] {
        let mut layers: Vec<_> =
            poses.iter().map(|(pose, weight)| BlendLayer { pose, weight: *weight, mask: None }).collect();
        if reversed {
            layers.reverse();
        }
        let mut output = RawPose::default();
        BlendJob { skeleton: &loaded.document.skeleton, base: &base, layers: &layers, output: &mut output }
            .run()
            .map_err(|e| e.to_string())?;
        check.transform_is(&output.local[id.index()])?;
    }
    Ok(())
}

pub(crate) fn sequence_local(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let skeleton = &loaded.document.skeleton;
    let mut pose = RawPose::rest(skeleton);
    for step in check.value("play").as_array().ok_or("no list 'play'")? {
        let time = step["time"].as_f64().ok_or("a step has no time")?;
        clip(loaded, &step["animation"])?.sample(skeleton, time, &mut pose);
    }
    let id = joint(loaded, check.index("node")?)?;
    check.transform_is(&pose.local[id.index()])
}

pub(crate) fn additive_local(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let at = |v: &Value| pose_of(loaded, &v["animation"], v["time"].as_f64().unwrap_or(0.0));
    let additive = check.value("additive");
    let (base, source, reference) = (at(check.value("base"))?, at(additive)?, at(&additive["reference"])?);
    let mut output = RawPose::default();
    let weight = check.number("weight")?;
    AdditiveJob { base: &base, source: &source, reference: &reference, weight, output: &mut output }
        .run()
        .map_err(|e| e.to_string())?;
    let id = joint(loaded, check.index("node")?)?;
    check.transform_is(&output.local[id.index()])
}

fn root_motion<'a>(check: &Check<'_>, loaded: &'a Loaded) -> Result<RootMotion<'a>, String> {
    let skeleton = &loaded.document.skeleton;
    let root = skeleton.find(check.text("root")?).ok_or("no such root")?;
    let looping = check.value("looping").as_bool().unwrap_or(false);
    let playback = if looping { Playback::Loop } else { Playback::Once };
    let clip = clip(loaded, check.value("animation"))?;
    RootMotion::new(skeleton, clip, root, playback).map_err(|e| e.to_string())
}

pub(crate) fn root_delta(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let motion = root_motion(check, loaded)?;
    let (from, to) = (check.number("from_time")?, check.number("to_time")?);
    check.transform_is(&motion.delta(from, to))?;
    // Any split of the span gives the same.
    let mut sum = sinew::DTransform::IDENTITY;
    let steps = 37;
    for i in 0..steps {
        let at = |k: i32| from + (to - from) * f64::from(k) / f64::from(steps);
        sum = sum.mul_transform(&motion.delta(at(i), at(i + 1)));
    }
    check.transform_is(&sum).map_err(|e| format!("in {steps} steps: {e}"))
}

pub(crate) fn root_world_after(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    check.transform_is(&root_motion(check, loaded)?.at_ms(check.number("time")?))
}

/// The box round all skinned vertices over all frames of a clip, or of every clip for `*`.
pub(crate) fn bounds(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let document = &loaded.document;
    let fps = check.number("sampled_fps")?;
    let clips: Vec<&RawClip> = match check.value("animation").as_str() {
        Some("*") => document.clips.iter().collect(),
        _ => vec![clip(loaded, check.value("animation"))?],
    };
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut pose = RawPose::default();
    for clip in clips {
        for t in uniform_times(clip.duration(), fps).map_err(|e| e.to_string())? {
            clip.sample(&document.skeleton, t, &mut pose);
            for instance in &document.instances {
                for p in skinned(loaded, instance.joint, &pose)?.into_iter().flatten() {
                    (min, max) = (min.min(p), max.max(p));
                }
            }
        }
    }
    let tolerance = check.number("tolerance_m")?;
    near3("min", check.vec3("min")?, min, tolerance)?;
    near3("max", check.vec3("max")?, max, tolerance)
}

/// Facts that can be measured; others are for people.
pub(crate) fn fact(check: &Check<'_>, files: &mut Files) -> Option<Result<(), String>> {
    match check.value("fact").as_str()? {
        "skeleton_height_metres_at_rest" => {
            Some(files.get(check.file()).and_then(|loaded| skeleton_height(check, loaded)))
        }
        "skins_must_not_be_merged_by_joint_names_or_set" => {
            Some(files.get(check.file()).and_then(|loaded| match loaded.document.skins.len() {
                2 => Ok(()),
                n => Err(format!("{n} skins, expected the 2 of the file")),
            }))
        }
        _ => None,
    }
}

fn skeleton_height(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let skeleton = &loaded.document.skeleton;
    let model = matrices(loaded, &RawPose::rest(skeleton));
    let joints = skeleton.iter().filter(|(_, j)| j.flags.contains(JointFlags::SKIN_JOINT));
    let heights = joints.map(|(id, _)| model[id.index()].w_axis.y);
    let (lo, hi) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), y| (lo.min(y), hi.max(y)));
    near("height", check.number("value")?, hi - lo, 1e-3)
        .or_else(|e| near("height of the top joint", check.number("value")?, hi, 1e-3).map_err(|_| e))
}
