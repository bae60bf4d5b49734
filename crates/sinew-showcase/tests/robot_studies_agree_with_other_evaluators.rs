//! Promise: the files of the robot's studies give the same bones and vertices in evaluators that share no code with
//! this one, on frames and between them: within a ten-thousandth of a millimetre in numpy, which works in double
//! precision, and a hundredth in three.js, which interpolates keys in single precision: a step of that, six bones
//! up a leg of a machine of 15 m.
//!
//! `SINEW_SHARED` and `SINEW_NODE` as in `knee_agrees_with_other_evaluators.rs`.
#![allow(clippy::print_stdout, reason = "says what was left out")]

mod evaluators;

use evaluators::{apart, evaluators, nothing_to_say};
use sinew_asset::{ReadOptions, load};

/// Metres, by the program that runs the evaluator.
fn limit(program: &str) -> f64 {
    if program == "python3" { 1e-7 } else { 1e-5 }
}

#[test]
fn numpy_and_three_js_put_every_bone_and_vertex_in_the_same_place() {
    let evaluators = evaluators();
    let folder = tempfile::tempdir().unwrap();
    for name in ["head-dip", "body-shake", "core-deployment"] {
        let study = sinew_showcase::run(name, folder.path()).unwrap();
        let path = folder.path().join(&study.documents[0].file);
        let document = load(&path, &ReadOptions::default()).unwrap().document;
        for (index, clip) in document.clips.iter().enumerate() {
            // Moments on keys and between them; all of the clip that the study is about, some of the others.
            let count = if index == 0 { 47 } else { 7 };
            let at = |i: u32| clip.duration() * f64::from(i) / f64::from(count);
            let all: Vec<f64> = (0..=count).map(at).collect();
            let few: Vec<f64> = all.iter().copied().skip(count as usize / 3).step_by(23).collect();
            for evaluator in &evaluators {
                let bones = apart(&document, index, &evaluator.frames(&path, index, &all, false)).0;
                let vertices = apart(&document, index, &evaluator.frames(&path, index, &few, true)).1;
                println!(
                    "{name}, {}: {:.6} mm at bones, {:.6} mm at vertices by {}",
                    clip.label(),
                    bones * 1e3,
                    vertices * 1e3,
                    evaluator.program
                );
                let limit = limit(evaluator.program);
                assert!(!few.is_empty() && bones < limit && vertices < limit);
            }
        }
    }
}

#[test]
fn the_khronos_validator_finds_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for name in ["head-dip", "body-shake", "core-deployment"] {
        let study = sinew_showcase::run(name, folder.path()).unwrap();
        files.extend(study.documents.iter().map(|d| folder.path().join(&d.file)));
    }
    assert_eq!(files.len(), 3);
    nothing_to_say(&files);
}
