//! Promise: the study of a whole run holds every number it promises; feet are found planted once more in the files it
//! writes, the ways add up in its records, and the records are the bytes they were when the golden file was written.
//!
//! `SINEW_BLESS=1` writes the golden file anew. With `SINEW_SHARED` the measured runner is looked at too.
#![allow(clippy::print_stdout, reason = "says what was measured")]

mod evaluators;
mod record_files;

use std::fs;
use std::path::Path;

use evaluators::{apart, evaluators, nothing_to_say};
use glam::DVec3;
use record_files::{digest, table};
use sinew::{RawPose, model_matrices};
use sinew_asset::{Document, ReadOptions, load};
use sinew_showcase::{StudyResult, run};

const DT: f64 = 1.0 / 60.0;

fn study(folder: &Path) -> StudyResult {
    run("locomotion", folder).unwrap()
}

fn measured() -> bool {
    let folder = std::env::var_os("SINEW_SHARED").map(std::path::PathBuf::from);
    folder.is_some_and(|f| f.join("data/derived_pab_start_stop/run_start_stop.glb").is_file())
}

/// Places of a point of a joint, a frame each.
fn places(document: &Document, joint: &str, offset: DVec3) -> Vec<DVec3> {
    let joint = document.skeleton.find(joint).unwrap();
    let frames = (document.clips[0].duration() / DT).round() as usize;
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let at = |frame: usize| {
        document.clips[0].sample(&document.skeleton, f64::from((frame as f64 * DT) as f32), &mut pose);
        model_matrices(&document.skeleton, &pose, &mut model_ms);
        model_ms[joint.index()].transform_point3(offset)
    };
    (0..=frames).map(at).collect()
}

#[test]
fn every_promise_holds_and_what_was_not_run_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let result = study(folder.path());
    for p in result.promises.iter().filter(|p| !p.holds) {
        println!("{}: expected {} +- {}, is {}", p.promise, p.expected, p.tolerance, p.measured);
    }
    assert!(result.holds());
    let mut said: Vec<&str> = result.promises.iter().map(|p| p.promise.as_str()).collect();
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), result.promises.len(), "each promise has its own words");
    let of = |who: &str| said.iter().filter(|p| p.starts_with(who)).count();
    let not_run = result.text.iter().any(|s| s.heading.contains("not run"));
    assert_eq!((of("biped: ") >= 16, of("measured: ") >= 15, not_run), (true, measured(), !measured()));
    assert_eq!(result.documents.len(), 1 + usize::from(measured()));
    for file in &result.files {
        assert!(folder.path().join(file).is_file(), "{}", file.display());
    }
    let length = result.documents[0].document.clips[0].duration();
    for shown in &result.documents {
        assert!((shown.document.clips[0].duration() - length).abs() < 1e-6, "one clock for all characters");
    }
    for plot in &result.plots {
        assert!(!plot.description.is_empty() && !plot.series.is_empty(), "{}", plot.title);
    }
}

/// Heel and ball of a sole by their places in the file alone: where one comes within 5 mm of the ground, it stays within
/// 5 mm of that place until it is higher.
#[test]
fn soles_of_the_biped_stay_where_they_come_down() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path());
    let path = folder.path().join("locomotion/biped/playback.glb");
    let document = load(&path, &ReadOptions::default()).unwrap().document;
    let (mut worst, mut landings) = (0.0_f64, 0);
    for foot in ["LeftFoot", "RightFoot"] {
        for z in [-0.05, 0.13] {
            let mut down: Option<DVec3> = None;
            for at in places(&document, foot, DVec3::new(0.0, -0.08, z)) {
                assert!(at.y > -5e-3, "{foot}: {} m below the ground", -at.y);
                if at.y >= 5e-3 {
                    down = None;
                    continue;
                }
                landings += u32::from(down.is_none());
                let from = *down.get_or_insert(at);
                worst = worst.max((at - from).with_y(0.0).length());
            }
        }
    }
    println!("{landings} landings, worst {worst} m");
    assert!(landings > 50 && worst < 5e-3, "{worst} m");
}

#[test]
fn ways_of_the_records_add_up() {
    let folder = tempfile::tempdir().unwrap();
    study(folder.path());
    for who in ["biped", "measured"] {
        if who == "measured" && !measured() {
            continue;
        }
        let csv = table(&folder.path().join("locomotion").join(who).join("frames.csv"));
        let (x, z) = (&csv["x_m"], &csv["z_m"]);
        let mut way = 0.0;
        for i in 1..x.len() {
            let step = (x[i] - x[i - 1]).hypot(z[i] - z[i - 1]);
            way += step;
            assert!((csv["travelled_m"][i] - csv["travelled_m"][0] - way).abs() < 1e-6, "{who} {i}");
            assert!((step / DT - csv["speed_m_s"][i]).abs() < 1e-5, "{who} {i}");
            assert!(csv["rate"][i] <= 2.5 && (0.7..=1.4).contains(&csv["stride"][i]), "{who} {i}");
        }
        assert!(way > 20.0, "{who}: {way} m");
        assert_eq!(*csv["speed_m_s"].last().unwrap(), 0.0, "{who} stands in the end");
    }
}

#[test]
fn records_are_the_bytes_they_always_were() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let result = study(one.path());
    study(two.path());
    let mut digests = String::new();
    for file in &result.files {
        let bytes = |folder: &Path| fs::read(folder.join(file)).unwrap();
        assert_eq!(bytes(one.path()), bytes(two.path()), "{}", file.display());
        // What is played is held to other evaluators; the measured runner is not always there.
        if !file.ends_with("playback.glb") && file.starts_with("locomotion/biped") {
            digests += &digest(one.path(), file);
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/locomotion_study.golden");
    if std::env::var_os("SINEW_BLESS").is_some() {
        fs::write(&golden, &digests).unwrap();
    }
    assert_eq!(digests, fs::read_to_string(golden).unwrap());
}

/// Within a ten-thousandth of a millimetre in numpy, and a hundredth in three.js, which interpolates in single precision.
#[test]
fn numpy_and_three_js_put_every_bone_and_vertex_in_the_same_place() {
    let folder = tempfile::tempdir().unwrap();
    let result = study(folder.path());
    for shown in &result.documents {
        let path = folder.path().join(&shown.file);
        let document = load(&path, &ReadOptions::default()).unwrap().document;
        let duration = document.clips[0].duration();
        let all: Vec<f64> = (0..=61).map(|i| duration * f64::from(i) / 61.0).collect();
        let few: Vec<f64> = all.iter().copied().skip(20).step_by(23).collect();
        for evaluator in &evaluators() {
            let bones = apart(&document, 0, &evaluator.frames(&path, 0, &all, false)).0;
            // The measured runner is bones alone.
            let vertices = if document.meshes.is_empty() {
                0.0
            } else {
                apart(&document, 0, &evaluator.frames(&path, 0, &few, true)).1
            };
            println!(
                "{}: {} m at bones, {} m at vertices by {}",
                shown.label, bones, vertices, evaluator.program
            );
            let limit = if evaluator.program == "python3" { 1e-7 } else { 1e-5 };
            assert!(bones < limit && vertices < limit);
        }
    }
}

#[test]
fn the_khronos_validator_finds_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = study(folder.path()).documents.iter().map(|d| folder.path().join(&d.file)).collect();
    assert!(!files.is_empty());
    // Of the runner whose clips are ours; the other is as his file has him.
    nothing_to_say(&files[..1]);
}
