//! Promise: the knee study holds every number it promises, on files that were written and read back, and
//! writes a complete record that is the same every time.

use std::fs;
use std::path::Path;

use sinew_showcase::{RecordFacts, StudyError, StudyResult, run, studies};

fn knee(folder: &Path) -> StudyResult {
    run("knee", folder).unwrap()
}

#[test]
fn every_promise_holds() {
    let folder = tempfile::tempdir().unwrap();
    let result = knee(folder.path());
    let broken: Vec<_> = result.promises.iter().filter(|p| !p.holds).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(result.holds());
    assert_eq!(result.promises.len(), 17);
    let named = |words: &str| {
        let mut found = result.promises.iter().filter(|p| p.promise.contains(words));
        let one = found.next().unwrap();
        assert!(found.next().is_none(), "{words} is said once");
        one.measured
    };
    // The numbers of the fixture, once more and from outside the study.
    let tilt = 1.0_f64.to_radians();
    assert!((named("tracked-up: turn of the thigh") - 180.0).abs() < 1e-4);
    assert!((named("projected-x: turn of the thigh") - 2.0).abs() < 1e-4);
    assert!((named("tracked-up: largest sideways knee") - 300.0 * libm::sin(tilt)).abs() < 1e-4);
    assert!(named("projected-x: largest sideways knee") < 1e-4);
    assert!(
        (named("projected-x: largest change of the ankle") - 600.0 * (1.0 - libm::cos(tilt))).abs() < 1e-4
    );
    assert!(named("tracked-up: largest sideways ankle") < 1e-4);
}

#[test]
fn what_the_pages_need_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let result = knee(folder.path());
    assert_eq!(result.documents.len(), 2);
    for one in &result.documents {
        let document = &one.document;
        assert!(folder.path().join(&one.file).is_file());
        let durations: Vec<f64> = document.clips.iter().map(|c| c.duration()).collect();
        assert_eq!(durations[0], 2.0);
        assert!((durations[0] / durations[1] - 96.0).abs() < 1e-4);
        assert!(document.clips.iter().all(|c| c.validate(&document.skeleton).is_ok()));
        assert!(document.clips.iter().flat_map(|c| &c.channels).all(|c| c.track.len() == 2), "two keys");
    }
    for plot in &result.plots {
        let clip = plot.clip.unwrap() as usize;
        assert!(result.documents.iter().all(|d| clip < d.document.clips.len()));
        assert!(!plot.description.is_empty());
        assert!(plot.series.iter().all(|s| s.points.len() == 101 && s.points[100][0] == 2.0));
    }
    assert!(result.text.iter().all(|s| !s.heading.is_empty() && !s.paragraphs.is_empty()));
}

#[test]
fn the_foot_stands_still_while_the_knee_swings() {
    let folder = tempfile::tempdir().unwrap();
    for one in knee(folder.path()).documents {
        let document = one.document;
        let foot = document.skeleton.find("foot").unwrap();
        let (mut pose, mut model_ms) = (sinew::RawPose::default(), Vec::new());
        for i in 0..=100 {
            document.clips[0].sample(&document.skeleton, f64::from(i) / 50.0, &mut pose);
            sinew::model_matrices(&document.skeleton, &pose, &mut model_ms);
            let turned = sinew::DTransform::rigid_part(&model_ms[foot.index()]);
            let off = sinew::DTransform::angle_between(turned.rotation, glam::DQuat::IDENTITY);
            assert!(off < 1e-6, "{off} rad at sample {i} of {}", one.label);
        }
    }
}

#[test]
fn keys_half_a_turn_apart_have_no_sign_to_argue_about() {
    let folder = tempfile::tempdir().unwrap();
    let document = &knee(folder.path()).documents[0].document;
    let thigh = document.skeleton.find("thigh").unwrap();
    let channel = document.clips[0].channel(thigh, sinew::ChannelTarget::Rotation).unwrap();
    // As stored: every product of components is zero, so that no order of adding them makes anything else.
    let (a, b) = (channel.track.key_value(0), channel.track.key_value(1));
    assert!(a.iter().zip(b).all(|(a, b)| a * b == 0.0), "{a:?} {b:?}");
}

#[test]
fn records_are_complete_and_the_same_every_time() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let result = knee(one.path());
    knee(two.path());
    // Over an old record as well.
    knee(two.path());
    assert_eq!(result.files.len(), 6);
    for file in &result.files {
        assert_eq!(fs::read(one.path().join(file)).unwrap(), fs::read(two.path().join(file)).unwrap());
    }
    for version in ["tracked-up", "projected-x"] {
        let folder = one.path().join("knee").join(version);
        let facts: RecordFacts =
            serde_json::from_str(&fs::read_to_string(folder.join("record.json")).unwrap()).unwrap();
        assert_eq!((facts.study.as_str(), facts.run.as_str(), facts.frames), ("knee", version, 101));
        let frames = fs::read_to_string(folder.join("frames.csv")).unwrap();
        let mut lines = frames.lines();
        let names: Vec<&str> = facts.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(lines.next().unwrap(), names.join(","));
        assert_eq!(lines.clone().count(), 101);
        assert!(
            lines.all(|line| line.split(',').filter(|v| v.parse::<f64>().is_ok()).count() == names.len())
        );
        for file in &facts.files {
            assert!(folder.join(file).is_file());
        }
        // No half-written files are left behind.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    }
}

#[test]
fn the_middle_of_the_swing_is_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    knee(folder.path());
    let row = |version: &str| {
        let frames = fs::read_to_string(folder.path().join("knee").join(version).join("frames.csv")).unwrap();
        let line = frames.lines().nth(51).unwrap().to_owned();
        line.split(',').map(|v| v.parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let (bad, good) = (row("tracked-up"), row("projected-x"));
    // Frame 50 of 0 to 100: half of 1/48 s, the knee at its furthest in one leg and in the plane in the other.
    assert_eq!((bad[0], bad[2]), (50.0, 1.0));
    assert!((bad[1] - 1.0 / 96.0).abs() < 1e-9);
    assert!((bad[3].abs() - 0.3 * libm::sin(1.0_f64.to_radians())).abs() < 1e-7, "{}", bad[3]);
    assert!(good[3].abs() < 1e-9);
    // The straight leg is 0.6 m long, under a hip at 0.68 m.
    assert!((good[7] - 0.08).abs() < 1e-7, "{}", good[7]);
    assert!((bad[9] - 90.0).abs() < 1e-4 && (good[9] - 1.0).abs() < 1e-4);
}

#[test]
fn a_study_that_is_not_there_is_refused_with_those_that_are() {
    let error = run("elbow", Path::new("nowhere")).unwrap_err();
    assert!(matches!(error, StudyError::Unknown { .. }));
    assert!(error.to_string().contains("elbow") && error.to_string().contains("knee"));
    assert!(!Path::new("nowhere").exists());
}

#[test]
fn names_are_unique_and_fit_a_folder() {
    let names: Vec<_> = studies().iter().map(|s| s.name).collect();
    assert!(
        names.iter().all(|n| n.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
    );
    assert!(names.iter().enumerate().all(|(i, n)| !names[..i].contains(n)));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let error = run("knee", &blocked).unwrap_err();
    assert!(matches!(&error, StudyError::Folder { path, .. } if path.starts_with(&blocked)), "{error}");
}
