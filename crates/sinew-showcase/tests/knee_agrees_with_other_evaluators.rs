//! Promise: the files of the knee study give the same joints and vertices in evaluators that share no code
//! with this one, within 0.001 mm at all 101 moments of both clips, also where two keys are exactly half a turn
//! apart and the sign of a zero would decide which way to turn.
//!
//! `SINEW_SHARED` names the folder with `oracles/oracle_numpy.py` (needs numpy), `SINEW_NODE` the folder with
//! `oracle_three.mjs` and `validate.mjs` (needs its node modules). What is not named is left out.
#![allow(clippy::print_stdout, reason = "says what was left out")]

use std::path::{Path, PathBuf};
use std::process::Command;

use glam::DVec3;
use serde_json::Value;
use sinew::{Binding, RawPose, SkinJob, WeightMode, model_matrices};
use sinew_asset::{Document, ReadOptions, load};

const LIMIT_M: f64 = 1e-6;

struct Evaluator {
    program: &'static str,
    script: PathBuf,
}

fn evaluators() -> Vec<Evaluator> {
    let mut found = Vec::new();
    match std::env::var("SINEW_SHARED") {
        Ok(folder) => {
            found.push(Evaluator {
                program: "python3",
                script: Path::new(&folder).join("oracles/oracle_numpy.py"),
            });
        }
        Err(_) => println!("SINEW_SHARED is not set: the numpy evaluator is left out"),
    }
    match node("oracle_three.mjs") {
        Some(script) => found.push(Evaluator { program: "node", script }),
        None => println!("SINEW_NODE is not set: the three.js evaluator is left out"),
    }
    found
}

fn node(script: &str) -> Option<PathBuf> {
    std::env::var("SINEW_NODE").ok().map(|folder| Path::new(&folder).join(script))
}

fn output(mut command: Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Largest distance of any joint and any vertex, metres.
fn apart(document: &Document, clip: usize, frames: &Value) -> (f64, f64) {
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let (mut palette, mut part) = (Vec::new(), Vec::new());
    let (mut joints, mut vertices): (f64, f64) = (0.0, 0.0);
    let vector = |v: &[Value]| DVec3::from_array([0, 1, 2].map(|i| v[i].as_f64().unwrap()));
    let frames = frames["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 101);
    for frame in frames {
        document.clips[clip].sample(&document.skeleton, frame["t"].as_f64().unwrap(), &mut pose);
        model_matrices(&document.skeleton, &pose, &mut model_ms);
        for (id, joint) in document.skeleton.iter() {
            let matrix = frame["nodes"][joint.node.to_string()].as_array().unwrap();
            let there = vector(&matrix[12..15]);
            joints = joints.max((model_ms[id.index()].w_axis.truncate() - there).length());
        }
        let skinned = frame["skinned"].as_array().unwrap();
        let mesh = &document.meshes[0];
        assert_eq!(skinned.len(), mesh.primitives.len());
        document.skins[0].palette(&model_ms, &mut palette);
        for theirs in skinned {
            let primitive = &mesh.primitives[theirs["primitive"].as_u64().unwrap() as usize];
            let binding = Binding::Skinned(&palette);
            SkinJob { primitive, morph_weights: &[], binding, weights: WeightMode::Normalised }
                .run(&mut part)
                .unwrap();
            let theirs = theirs["positions"].as_array().unwrap();
            assert_eq!(theirs.len(), part.len());
            for (a, b) in part.iter().zip(theirs) {
                vertices = vertices.max((*a - vector(b.as_array().unwrap())).length());
            }
        }
    }
    (joints, vertices)
}

#[test]
fn numpy_and_three_js_put_every_joint_and_vertex_in_the_same_place() {
    let evaluators = evaluators();
    let folder = tempfile::tempdir().unwrap();
    let study = sinew_showcase::run("knee", folder.path()).unwrap();
    for one in &study.documents {
        let path = folder.path().join(&one.file);
        let document = load(&path, &ReadOptions::default()).unwrap().document;
        for (index, clip) in document.clips.iter().enumerate() {
            let times: Vec<String> =
                (0..=100).map(|i| (clip.duration() * f64::from(i) / 100.0).to_string()).collect();
            for evaluator in &evaluators {
                let mut command = Command::new(evaluator.program);
                command.arg(&evaluator.script).arg(&path).args(["--clip", &index.to_string(), "--skin"]);
                command.arg(format!("--times={}", times.join(",")));
                let frames: Value = serde_json::from_str(&output(command)).unwrap();
                let (joints, vertices) = apart(&document, index, &frames);
                println!(
                    "{} {}: {:.6} mm at joints, {:.6} mm at vertices by {}",
                    one.label,
                    clip.label(),
                    joints * 1e3,
                    vertices * 1e3,
                    evaluator.program
                );
                assert!(joints < LIMIT_M && vertices < LIMIT_M);
            }
        }
    }
}

#[test]
fn the_khronos_validator_finds_nothing_to_say() {
    let Some(script) = node("validate.mjs") else {
        println!("SINEW_NODE is not set: the validator is left out");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let study = sinew_showcase::run("knee", folder.path()).unwrap();
    let mut command = Command::new("node");
    command.arg(script).args(study.documents.iter().map(|d| folder.path().join(&d.file)));
    let said = output(command);
    assert_eq!(said.lines().count(), 2);
    for line in said.lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        let counts = ["err", "warn", "info", "hint"].map(|k| report[k].as_u64().unwrap());
        assert_eq!(counts, [0; 4], "{line}");
    }
}
