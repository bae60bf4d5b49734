//! Promise: the files of the knee study give the same joints and vertices in evaluators that share no code
//! with this one, within 0.001 mm at all 101 moments of both clips, also where two keys are exactly half a turn
//! apart and the sign of a zero would decide which way to turn.
//!
//! `SINEW_SHARED` names the folder with `oracles/oracle_numpy.py` (needs numpy), `SINEW_NODE` the folder with
//! `oracle_three.mjs` and `validate.mjs` (needs its node modules). What is not named is left out.
#![allow(clippy::print_stdout, reason = "says what was left out")]

mod evaluators;

use evaluators::{apart, evaluators, nothing_to_say};
use sinew_asset::{ReadOptions, load};

const LIMIT_M: f64 = 1e-6;

#[test]
fn numpy_and_three_js_put_every_joint_and_vertex_in_the_same_place() {
    let evaluators = evaluators();
    let folder = tempfile::tempdir().unwrap();
    let study = sinew_showcase::run("knee", folder.path()).unwrap();
    for one in &study.documents {
        let path = folder.path().join(&one.file);
        let document = load(&path, &ReadOptions::default()).unwrap().document;
        for (index, clip) in document.clips.iter().enumerate() {
            let times: Vec<f64> = (0..=100).map(|i| clip.duration() * f64::from(i) / 100.0).collect();
            for evaluator in &evaluators {
                let frames = evaluator.frames(&path, index, &times, true);
                assert_eq!(frames["frames"].as_array().unwrap().len(), 101);
                let skinned = frames["frames"][0]["skinned"].as_array().unwrap();
                assert_eq!(skinned.len(), document.meshes[0].primitives.len());
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
    let folder = tempfile::tempdir().unwrap();
    let study = sinew_showcase::run("knee", folder.path()).unwrap();
    let files: Vec<_> = study.documents.iter().map(|d| folder.path().join(&d.file)).collect();
    assert_eq!(files.len(), 2);
    nothing_to_say(&files);
}
