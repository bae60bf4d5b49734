//! Promise: the studies of distance matching hold every number they promise; the limits of the match are found once
//! more in the records they write, and the runner's feet stand where the records say in the files they write.

mod record_files;

use std::collections::BTreeMap;
use std::fs;

use record_files::table;
use sinew::{RawPose, model_matrices};
use sinew_asset::{ReadOptions, load};
use sinew_showcase::{RecordFacts, run};

const STUDIES: [(&str, usize); 2] = [("run-start", 31), ("run-stop", 70)];
const DT: f64 = 1.0 / 60.0;

#[test]
fn every_promise_holds() {
    let folder = tempfile::tempdir().unwrap();
    for (name, count) in STUDIES {
        let result = run(name, folder.path()).unwrap();
        for p in result.promises.iter().filter(|p| !p.holds) {
            println!("{name}: {}: expected {} +- {}, is {}", p.promise, p.expected, p.tolerance, p.measured);
        }
        assert!(result.holds(), "{name}");
        let mut said: Vec<&str> = result.promises.iter().map(|p| p.promise.as_str()).collect();
        said.sort_unstable();
        said.dedup();
        assert_eq!(
            (said.len(), result.promises.len()),
            (count, count),
            "{name}: each promise has its own words"
        );
        for file in &result.files {
            assert!(folder.path().join(file).is_file(), "{}", file.display());
        }
    }
}

/// The records, read without the code that wrote them: the root's way is theirs, the limits are the promise's.
#[test]
fn records_of_matches_keep_the_limits_and_those_of_naive_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    run("run-start", folder.path()).unwrap();
    run("run-stop", folder.path()).unwrap();
    let matched = table(&folder.path().join("run-start/matched/frames.csv"));
    let naive = table(&folder.path().join("run-start/naive/frames.csv"));
    // v = min(6, v + a dt), and the place after it.
    let (mut v, mut x) = (0.0_f64, 0.0);
    for frame in 0..matched["frame"].len() {
        if frame > 0 {
            v = (v + 20.48 * DT).min(6.0);
            x += v * DT;
        }
        assert!(
            (matched["capsule_m"][frame] - x).abs() < 1e-8 && (naive["capsule_m"][frame] - x).abs() < 1e-8
        );
    }
    let steps =
        |t: &BTreeMap<String, Vec<f64>>| t["playhead_s"].windows(2).map(|p| p[1] - p[0]).fold(0.0, f64::max);
    assert!(steps(&matched) <= 2.5 * DT + 1e-8 && steps(&naive) > 8.0 * DT);
    for case in ["even", "friction", "long", "pause", "overshoot"] {
        let read = |how: &str| table(&folder.path().join(format!("run-stop/{how}-{case}/frames.csv")));
        let matched = read("matched");
        assert!(matched["playhead_s"].iter().all(|t| (0.0..=0.6667).contains(t)), "{case}");
        assert!(steps(&matched) <= 2.0 * DT + 1e-8, "{case}");
        assert!(matched["playhead_s"].windows(2).all(|p| p[1] >= p[0] - 1e-9), "{case}");
        assert!(matched["slid_m"].iter().sum::<f64>() < 5e-5, "{case}");
        assert!(read("naive")["slid_m"].iter().sum::<f64>() > 0.02, "{case}");
        // Both stand at the mark in the end.
        assert!(matched["capsule_m"].last().unwrap().abs() < 1e-8);
        let facts =
            fs::read_to_string(folder.path().join(format!("run-stop/matched-{case}/record.json"))).unwrap();
        let facts: RecordFacts = serde_json::from_str(&facts).unwrap();
        assert_eq!(facts.frames, matched["frame"].len());
    }
}

/// In the file that is played, a foot that stands stays; under the naive way it does not.
#[test]
fn feet_of_the_runner_stand_in_the_matched_file_and_slide_in_the_naive_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut slides = Vec::new();
    for study in ["run-start", "run-stop"] {
        let result = run(study, folder.path()).unwrap();
        for shown in &result.documents {
            let document = load(folder.path().join(&shown.file), &ReadOptions::default()).unwrap().document;
            let records = folder.path().join(&shown.file);
            let csv = table(&records.parent().unwrap().join("frames.csv"));
            let (mut pose, mut model_ms, mut worst) = (RawPose::default(), Vec::new(), 0.0_f64);
            for (name, column) in [("LeftBall", "left"), ("RightBall", "right")] {
                let ball = document.skeleton.find(name).unwrap();
                let mut planted: Option<f64> = None;
                for frame in 0..csv["frame"].len() {
                    let time = f64::from((frame as f64 * DT) as f32);
                    document.clips[0].sample(&document.skeleton, time, &mut pose);
                    model_matrices(&document.skeleton, &pose, &mut model_ms);
                    let at = model_ms[ball.index()].w_axis;
                    assert!(at.y > -1e-3, "{study} {}: {name} {} m below ground", shown.label, -at.y);
                    let stands = csv[&format!("{column}_stands")][frame] == 1.0;
                    if stands {
                        let off = (at.z - csv[&format!("{column}_ball_m")][frame]).abs();
                        assert!(
                            off < 2e-5 && at.y < 1e-3,
                            "{study} {}: {name} {frame} off by {off}",
                            shown.label
                        );
                    }
                    worst = planted.filter(|_| stands).map_or(worst, |from| worst.max((at.z - from).abs()));
                    planted = if stands { planted.or(Some(at.z)) } else { None };
                }
            }
            slides.push((format!("{study} {}", shown.label), worst));
        }
    }
    for (which, worst) in &slides {
        println!("{which}: {worst} m");
        assert_eq!(which.ends_with("matched"), *worst < 1e-4, "{which}: {worst} m");
    }
    assert_eq!(slides.len(), 5);
}
