//! Every real file reads back from the GLB written of it to the same poses, skinned vertices, curves and events, and
//! the Khronos validator finds no errors in it.
//!
//! Needs the folder that `SINEW_SHARED` names; for the validator also node and the script that `SINEW_VALIDATOR`
//! names (`oracles/node/validate.mjs` in a copy where `npm install` was run). Says what it skips.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

use sinew::{Binding, RawClip, RawPose, SkinJob, WeightMode, model_matrices};
use sinew_asset::{Document, Format, NoFiles, ReadOptions, WriteOptions, load, read_gltf, write_glb};

/// Of the size of the model.
fn tolerance(document: &Document) -> f64 {
    match document.format {
        // Only rest poses in JSON and vertex weights are rounded anew.
        Format::Gltf => 1e-7,
        // Key times were doubles: a microsecond after half a minute, times the speed of a punch.
        Format::Bvh => 1e-5,
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| ["glb", "gltf", "bvh"].iter().any(|known| e == *known)) {
            found.push(path);
        }
    }
}

#[test]
fn real_files_keep_their_poses_and_are_valid() {
    let Some(shared) = std::env::var_os("SINEW_SHARED").map(PathBuf::from) else {
        eprintln!("skipped: SINEW_SHARED is not set");
        return;
    };
    let mut paths = Vec::new();
    for folder in ["data", "cases"] {
        files(&shared.join(folder), &mut paths);
    }
    assert!(paths.len() > 50, "{} files", paths.len());
    let out = tempfile::tempdir().unwrap();
    let mut written = Vec::new();
    let mut refused = Vec::new();
    for path in &paths {
        let loaded = match load(path, &ReadOptions::default()) {
            Ok(loaded) => loaded,
            Err(error) => {
                refused.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let before = loaded.document;
        let mut options = WriteOptions::default();
        if path.ends_with("unassigned-skeleton.gltf") {
            let error = write_glb(&before, &options).unwrap_err().to_string();
            assert!(error.contains("element 15 of inverse bind matrix 0 of skin 0 is 0.0"), "{error}");
            options.as_stored = true;
        }
        let bytes = write_glb(&before, &options).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let after = read_gltf(&bytes, &NoFiles, &ReadOptions::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        compare(path, &before, &after.document);
        assert!(bytes == write_glb(&before, &options).unwrap(), "{}: same bytes", path.display());
        let again = write_glb(&after.document, &options).unwrap();
        assert!(binary(&bytes) == binary(&again), "{}: a second round trip moves no key", path.display());
        let file = out.path().join(format!("{:03}.glb", written.len()));
        std::fs::write(&file, bytes).unwrap();
        if !options.as_stored {
            written.push((file, path));
        }
    }
    assert!(refused.len() <= 2, "{refused:#?}");
    validate(&written);
}

/// The binary chunk of a GLB.
fn binary(glb: &[u8]) -> &[u8] {
    let json = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    glb.get(28 + json..).unwrap_or_default()
}

fn validate(written: &[(PathBuf, &PathBuf)]) {
    let Some(script) = std::env::var_os("SINEW_VALIDATOR") else {
        eprintln!("skipped the validator: SINEW_VALIDATOR is not set");
        return;
    };
    let output = Command::new("node")
        .arg(script)
        .args(written.iter().map(|(file, _)| file))
        .output()
        .expect("node runs");
    let text = String::from_utf8(output.stdout).unwrap();
    let reports: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), written.len(), "{}", String::from_utf8_lossy(&output.stderr));
    for (report, (_, source)) in reports.iter().zip(written) {
        // A picture that is missing beside the source is still missing.
        let missing = report["codes"]["IO_ERROR"].as_u64().unwrap_or(0);
        assert_eq!(report["err"].as_u64(), Some(missing), "{}: {report}", source.display());
    }
}

fn compare(path: &Path, before: &Document, after: &Document) {
    let path = path.display();
    let nodes = |d: &Document| {
        let mut nodes: Vec<_> = d.skeleton.joints().iter().map(|j| (j.node, j.name.clone())).collect();
        nodes.sort();
        nodes
    };
    assert_eq!(nodes(before), nodes(after), "{path}");
    assert_eq!(before.clips.len(), after.clips.len(), "{path}");
    assert_eq!(before.instances.len(), after.instances.len(), "{path}");
    assert_eq!(before.meshes.len(), after.meshes.len(), "{path}");
    assert_eq!(before.carried, after.carried.clone_with_sources(before), "{path}");
    compare_pose(&path, before, after, None);
    for (one, other) in before.clips.iter().zip(&after.clips) {
        assert_eq!(one.name, other.name, "{path}");
        assert_eq!((&one.curves, &one.events), (&other.curves, &other.events), "{path}");
        let keys = one.key_times();
        let step = (keys.len() / 12).max(1);
        let between = (0..=7).map(|i| one.duration() * f64::from(i) / 7.0);
        for time in keys.into_iter().step_by(step).chain(between) {
            compare_pose(&path, before, after, Some((one, other, time)));
        }
    }
}

fn compare_pose(
    path: &dyn std::fmt::Display,
    before: &Document,
    after: &Document,
    clip: Option<(&RawClip, &RawClip, f64)>,
) {
    let pose = |document: &Document, clip: Option<&RawClip>, time: f64| {
        let mut pose = RawPose::rest(&document.skeleton);
        let mut model_ms = Vec::new();
        if let Some(clip) = clip {
            clip.sample(&document.skeleton, time, &mut pose);
        }
        model_matrices(&document.skeleton, &pose, &mut model_ms);
        (pose, model_ms)
    };
    let time = clip.map_or(0.0, |(_, _, time)| time);
    let (one_pose, one) = pose(before, clip.map(|c| c.0), time);
    let (other_pose, other) = pose(after, clip.map(|c| c.1), time);
    let size = one.iter().map(|m| m.w_axis.truncate().abs().max_element()).fold(1e-3, f64::max);
    for (id, joint) in before.skeleton.iter() {
        let same = after.skeleton.joint_of_node(joint.node).unwrap();
        let (a, b) = (one[id.index()], other[same.index()]);
        let moved = (a.w_axis - b.w_axis).abs().max_element();
        assert!(moved <= tolerance(before) * size, "{path}: {joint:?} at {time}: {moved} of {size}");
        let turned = (a - b).to_cols_array()[..12].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let scale = a.to_cols_array()[..12].iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        assert!(turned <= 1e-5 * scale, "{path}: {joint:?} at {time}: {turned}");
        let weights = after.skeleton.joint(same).weights.clone();
        let (a, b) = (&one_pose.weights[joint.weights.clone()], &other_pose.weights[weights]);
        for (a, b) in a.iter().zip(b.iter().chain(std::iter::repeat(&0.0))) {
            assert!((a - b).abs() < 1e-6, "{path}: morph weights of {joint:?}");
        }
    }
    for (a, b) in before.instances.iter().zip(&after.instances) {
        assert_eq!((a.mesh, a.skin), (b.mesh, b.skin), "{path}");
        for part in 0..before.meshes[a.mesh].primitives.len() {
            let one = vertices(before, a, part, &one_pose, &one);
            let other = vertices(after, b, part, &other_pose, &other);
            assert_eq!(one.len(), other.len());
            for (p, q) in one.iter().zip(&other) {
                let size = size.max(p.abs().max_element());
                assert!(
                    p.distance(*q) <= tolerance(before) * size,
                    "{path}: vertex {p} is at {q}, time {time}"
                );
            }
        }
    }
}

/// Some of the skinned positions.
fn vertices(
    document: &Document,
    instance: &sinew_asset::MeshInstance,
    part: usize,
    pose: &RawPose,
    model_ms: &[glam::DMat4],
) -> Vec<glam::DVec3> {
    let primitive = &document.meshes[instance.mesh].primitives[part];
    let mut palette = Vec::new();
    let binding = match instance.skin.filter(|_| primitive.influences.is_some()) {
        Some(skin) => {
            document.skins[skin].palette(model_ms, &mut palette);
            Binding::Skinned(&palette)
        }
        None => Binding::Rigid(&model_ms[instance.joint.index()]),
    };
    let weights = document.skeleton.joint(instance.joint).weights.clone();
    let morph_weights = &pose.weights[weights];
    let job = SkinJob { primitive, morph_weights, binding, weights: WeightMode::Normalised };
    let step = (primitive.positions.len() / 50).max(1);
    (0..primitive.positions.len()).step_by(step).map(|vertex| job.vertex(vertex).unwrap()).collect()
}

/// What may differ in what is carried: pictures are in the file now, and gain a kind.
trait CloneWithSources {
    fn clone_with_sources(&self, before: &Document) -> Self;
}

impl CloneWithSources for sinew_asset::Carried {
    fn clone_with_sources(&self, before: &Document) -> Self {
        let mut carried = self.clone();
        for (image, old) in carried.images.iter_mut().zip(&before.carried.images) {
            image.uri = old.uri.clone();
            if !old.json.contains_key("mimeType") {
                image.json.remove("mimeType");
            }
        }
        carried
    }
}
