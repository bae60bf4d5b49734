//! Real motion capture gives the same world positions as an independent evaluator in numpy, float64.
//!
//! Needs the folder that `SINEW_SHARED` names, and python3 with numpy; without them it says so and passes.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

use sinew::{RawPose, model_matrices};
use sinew_asset::{BvhOptions, read_bvh};

/// Of the skeleton's size: what single-precision quaternion keys may cost over the longest chain.
const TOLERANCE: f64 = 1e-6;

#[test]
fn frames_of_real_motion_capture_agree() {
    let Some(shared) = std::env::var_os("SINEW_SHARED").map(PathBuf::from) else {
        eprintln!("skipped: SINEW_SHARED is not set");
        return;
    };
    if !Command::new("python3").args(["-c", "import numpy"]).status().is_ok_and(|s| s.success()) {
        eprintln!("skipped: no python3 with numpy");
        return;
    }
    let mut files = vec![shared.join("cases/08-bvh-mixed-rotation-orders/input.bvh")];
    files.extend(std::fs::read_dir(shared.join("data/cmu_bvh")).unwrap().map(|e| e.unwrap().path()));
    files.retain(|path| path.extension().is_some_and(|e| e == "bvh"));
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        compare(&shared, &file);
    }
}

fn compare(shared: &Path, file: &Path) {
    let loaded = read_bvh(&std::fs::read(file).unwrap(), &BvhOptions::default()).unwrap();
    let (skeleton, clip) = (&loaded.document.skeleton, &loaded.document.clips[0]);
    let times = clip.channels[0].track.times().clone();
    let step = (times.len() / 40).max(1);
    let frames: Vec<usize> = (0..times.len()).step_by(step).chain([times.len() - 1]).collect();

    let out = tempfile::tempdir().unwrap();
    let out = out.path().join("oracle.json");
    let list: Vec<String> = frames.iter().map(|&frame| times[frame].to_string()).collect();
    let status = Command::new("python3")
        .arg(shared.join("oracles/oracle_bvh.py"))
        .arg(file)
        .args(["--times", &list.join(",")])
        .arg("--out")
        .arg(&out)
        .status()
        .unwrap();
    assert!(status.success());
    let oracle: serde_json::Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();

    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let (mut worst, mut size) = (0.0_f64, 0.0_f64);
    let told = oracle["frames"].as_array().unwrap();
    assert_eq!(told.len(), frames.len());
    for (&frame, told) in frames.iter().zip(told) {
        assert_eq!(told["frame"].as_u64(), Some(frame as u64));
        clip.sample(skeleton, times[frame], &mut pose);
        model_matrices(skeleton, &pose, &mut model_ms);
        let root = model_ms[0].w_axis.truncate();
        for (id, joint) in skeleton.iter() {
            let expected: Vec<f64> =
                serde_json::from_value(told["nodes"][joint.name.as_deref().unwrap()].clone()).unwrap();
            let found = model_ms[id.index()];
            let expected = glam::DMat4::from_cols_slice(&expected);
            let (p, q) = (found.w_axis.truncate(), expected.w_axis.truncate());
            worst = worst.max(p.distance(q));
            size = size.max(p.distance(root)).max(root.length() * 0.1);
            let turned = (found - expected).to_cols_array()[..12].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert!(turned < 1e-5, "{}: frame {frame}, {:?}: {turned}", file.display(), joint.name);
        }
    }
    assert!(worst <= TOLERANCE * size, "{}: {worst} of {size}", file.display());
}
