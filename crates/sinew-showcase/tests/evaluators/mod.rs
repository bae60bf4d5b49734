//! Evaluators that share no code with this one, and how far a document is from them.

use std::path::{Path, PathBuf};
use std::process::Command;

use glam::DVec3;
use serde_json::Value;
use sinew::{Binding, RawPose, SkinJob, WeightMode, model_matrices};
use sinew_asset::Document;

pub(crate) struct Evaluator {
    pub(crate) program: &'static str,
    script: PathBuf,
}

/// Those that the environment names; says which it does not.
pub(crate) fn evaluators() -> Vec<Evaluator> {
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

pub(crate) fn node(script: &str) -> Option<PathBuf> {
    std::env::var("SINEW_NODE").ok().map(|folder| Path::new(&folder).join(script))
}

pub(crate) fn output(mut command: Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

impl Evaluator {
    /// Matrices of all nodes, and vertices of skinned meshes where asked for.
    pub(crate) fn frames(&self, file: &Path, clip: usize, times: &[f64], skin: bool) -> Value {
        let times: Vec<String> = times.iter().map(f64::to_string).collect();
        let mut command = Command::new(self.program);
        command.arg(&self.script).arg(file).args(["--clip", &clip.to_string()]);
        if skin {
            command.arg("--skin");
        }
        command.arg(format!("--times={}", times.join(",")));
        serde_json::from_str(&output(command)).unwrap()
    }
}

/// Largest distance of any joint and any vertex, metres.
pub(crate) fn apart(document: &Document, clip: usize, frames: &Value) -> (f64, f64) {
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let (mut palette, mut part) = (Vec::new(), Vec::new());
    let (mut joints, mut vertices): (f64, f64) = (0.0, 0.0);
    let vector = |v: &[Value]| DVec3::from_array([0, 1, 2].map(|i| v[i].as_f64().unwrap()));
    for frame in frames["frames"].as_array().unwrap() {
        document.clips[clip].sample(&document.skeleton, frame["t"].as_f64().unwrap(), &mut pose);
        model_matrices(&document.skeleton, &pose, &mut model_ms);
        for (id, joint) in document.skeleton.iter() {
            let matrix = frame["nodes"][joint.node.to_string()].as_array().unwrap();
            let there = vector(&matrix[12..15]);
            joints = joints.max((model_ms[id.index()].w_axis.truncate() - there).length());
        }
        let Some(skinned) = frame["skinned"].as_array() else { continue };
        let mesh = &document.meshes[0];
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

/// Holds files to the Khronos validator: no error, no warning, no remark.
pub(crate) fn nothing_to_say(files: &[PathBuf]) {
    let Some(script) = node("validate.mjs") else {
        println!("SINEW_NODE is not set: the validator is left out");
        return;
    };
    let mut command = Command::new("node");
    command.arg(script).args(files);
    let said = output(command);
    assert_eq!(said.lines().count(), files.len());
    for line in said.lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        let counts = ["err", "warn", "info", "hint"].map(|k| report[k].as_u64().unwrap());
        assert_eq!(counts, [0; 4], "{line}");
    }
}
