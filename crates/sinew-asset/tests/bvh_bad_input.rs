//! A damaged BVH file is refused or reported with its place and what was expected, and what is sound is kept.

use sinew_asset::{BvhOptions, Loaded, Place, Problem, Severity, read_bvh};

const SOUND: &str = "HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 3 Xposition Zrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -4 0
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0 -3 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
1 2 3 4
5 6 7 8
9 10 11 12
";

fn read(text: &str) -> Loaded {
    read_bvh(text.as_bytes(), &BvhOptions::default()).expect("the hierarchy is sound")
}

#[track_caller]
fn assert_refused(from: &str, to: &str, words: &[&str]) {
    assert!(SOUND.contains(from), "{from:?} is not in the file");
    let error = read_bvh(SOUND.replacen(from, to, 1).as_bytes(), &BvhOptions::default())
        .expect_err("the hierarchy is damaged")
        .to_string();
    for word in words {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

/// The one problem that is no guess.
#[track_caller]
fn reported(loaded: &Loaded) -> &Problem {
    let problems: Vec<_> = loaded.problems.iter().filter(|p| p.severity != Severity::Info).collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0]
}

#[track_caller]
fn assert_clip_left_out(from: &str, to: &str, words: &[&str]) {
    assert!(SOUND.contains(from), "{from:?} is not in the file");
    let loaded = read(&SOUND.replacen(from, to, 1));
    assert!(loaded.document.clips.is_empty());
    assert_eq!(loaded.document.skeleton.len(), 3, "the skeleton is kept");
    let problem = reported(&loaded);
    assert_eq!(problem.severity, Severity::Error);
    for word in words {
        assert!(problem.to_string().contains(word), "{problem} does not say {word:?}");
    }
}

#[track_caller]
fn assert_frames_kept(text: &str, frames: usize, words: &[&str]) {
    let loaded = read(text);
    assert_eq!(loaded.document.clips[0].channels[0].track.len(), frames);
    let all: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    for word in words {
        assert!(all.iter().any(|p| p.contains(word)), "{all:?} do not say {word:?}");
    }
}

#[test]
fn the_sound_file_is_sound() {
    let loaded = read(SOUND);
    assert_eq!(loaded.document.clips[0].channels.len(), 3);
    assert!(loaded.problems.iter().all(|p| p.severity == Severity::Info));
}

#[test]
fn damage_in_the_hierarchy_is_refused_with_line_column_expected_and_found() {
    assert_refused("HIERARCHY", "glTF", &["line 1, column 1", "expected HIERARCHY", "glTF"]);
    assert_refused("ROOT hips", "JOINT hips", &["line 2, column 1", "expected ROOT", "JOINT"]);
    assert_refused("0 -4 0", "0 -4 four", &["line 8, column 17", "number", "OFFSET", "knee", "four"]);
    assert_refused("0 -4 0", "0 nan 0", &["line 8, column 14", "finite", "knee", "nan"]);
    assert_refused("0 -4 0", "0 1e999 0", &["finite", "knee", "1e999"]);
    assert_refused("0 -4 0", "0 1e39 0", &["3.4028e38", "1e39"]);
    assert_refused("0 -4 0", "0 -4", &["line 9", "number", "CHANNELS"]);
    assert_refused("    OFFSET 0 -4 0\n", "", &["OFFSET", "knee", "closing brace"]);
    assert_refused("OFFSET 0 -4 0", "OFFSET 0 -4 0 OFFSET 1 1 1", &["duplicate OFFSET", "knee"]);
    assert_refused("1 Xrotation", "1 Xscale", &["line 9, column 16", "knee", "Xscale"]);
    assert_refused("1 Xrotation", "2 Xrotation xROTATION", &["duplicate Xrotation", "knee"]);
    assert_refused("3 Xposition Zrotation", "3 Zrotation Zrotation", &["duplicate Zrotation", "hips"]);
    assert_refused("1 Xrotation", "-1 Xrotation", &["0 to 6 CHANNELS", "knee", "-1"]);
    assert_refused("1 Xrotation", "4000000000 Xrotation", &["0 to 6", "4000000000"]);
    assert_refused("1 Xrotation", "2 Xrotation", &["channel 2 of 2", "knee", "End"]);
    assert_refused("1 Xrotation", "1 Xrotation CHANNELS 1 Yrotation", &["duplicate CHANNELS", "knee"]);
    assert_refused(
        "OFFSET 0 -3 0",
        "OFFSET 0 -3 0 CHANNELS 1 Xrotation",
        &["only OFFSET", "knee_End", "CHANNELS"],
    );
    assert_refused("End Site", "End Effector", &["expected Site", "Effector"]);
    assert_refused("}\nMOTION", "MOTION", &["line 15", "expected OFFSET, CHANNELS, JOINT", "MOTION"]);
    assert_refused("}\nMOTION", "}\n}\nMOTION", &["expected ROOT or MOTION", "}"]);
    assert_refused("JOINT knee", &format!("JOINT {}", "k".repeat(256)), &["at most 255 bytes"]);
    let end = SOUND.find("    End Site").unwrap();
    let error = read_bvh(&SOUND.as_bytes()[..end], &BvhOptions::default()).unwrap_err().to_string();
    assert!(error.contains("closes joint \"knee\"") && error.contains("end of the file"), "{error}");
    assert!(read_bvh(b"", &BvhOptions::default()).unwrap_err().to_string().contains("end of the file"));
}

#[test]
fn channels_after_a_child_are_refused() {
    let text = "HIERARCHY ROOT a { OFFSET 0 0 0 JOINT b\n{ OFFSET 0 0 0 }\nCHANNELS 1 Xrotation }";
    let error = read_bvh(text.replace("ROOT a", "ROOT a\n").as_bytes(), &BvhOptions::default()).unwrap_err();
    assert!(error.to_string().contains("before its first child"), "{error}");
}

#[test]
fn damage_in_the_motion_leaves_the_clip_out_and_keeps_the_skeleton() {
    assert_clip_left_out("9 10 11", "9 ten 11", &["line 21, column 3", "frame 2, number 2 of 4", "ten"]);
    assert_clip_left_out(
        "9 10 11",
        "9 10 NaN",
        &["line 21, column 6", "frame 2, number 3 of 4", "NaN", "finite"],
    );
    assert_clip_left_out("9 10 11", "9 -inf 11", &["finite", "-inf"]);
    assert_clip_left_out("5 6", "5,1 6", &["line 20, column 1", "5,1"]);
    assert_clip_left_out("Time: 0.1", "Time: 0", &["line 18, column 13", "Frame Time", "0 (zero"]);
    assert_clip_left_out("Time: 0.1", "Time: -0.1", &["Frame Time", "-0.1 (negative"]);
    assert_clip_left_out("Time: 0.1", "Time: 33.3", &["Frame Time", "33.3 (perhaps", "milliseconds"]);
    assert_clip_left_out("Time: 0.1", "Time: 1e-9", &["0.000000001 (more than 100000 frames"]);
    assert_clip_left_out("Time: 0.1", "Time: nan", &["finite", "Frame Time", "nan"]);
    assert_clip_left_out("Frames: 3", "Frames: -3", &["line 17, column 9", "whole number of Frames", "-3"]);
    assert_clip_left_out("Frames: 3", "Frames: 99999999999999999999", &["whole number of Frames"]);
    assert_clip_left_out("Frames: 3\n", "", &["expected Frames:"]);
    assert_clip_left_out("Frame Time: 0.1\n", "", &["expected Frame Time:"]);
    let end = SOUND.find("MOTION").unwrap();
    let loaded = read(&SOUND[..end]);
    assert!(reported(&loaded).message.contains("expected MOTION"));
}

#[test]
fn too_few_rows_are_reported_and_those_there_are_kept() {
    assert_frames_kept(&SOUND.replace("Frames: 3", "Frames: 5"), 3, &["Frames: 5", "3 complete rows"]);
    let cut = SOUND.trim_end().strip_suffix(" 11 12").unwrap();
    assert_frames_kept(cut, 2, &["frame 2 breaks off after 2 of 4", "2 complete rows"]);
}

#[test]
fn too_many_rows_are_reported_and_as_many_as_said_are_kept() {
    assert_frames_kept(
        &SOUND.replace("Frames: 3", "Frames: 2"),
        2,
        &["Frames: 2", "holds 3 rows", "line 21"],
    );
}

#[test]
fn a_row_with_a_number_missing_or_too_many_does_not_shift_what_follows() {
    let missing = SOUND.replace("5 6 7 8", "5 6 7");
    assert_frames_kept(
        &missing,
        1,
        &["line 20", "row of 3 numbers where each frame has 4", "1 frames before"],
    );
    let extra = SOUND.replace("5 6 7 8", "5 6 7 8 8");
    assert_frames_kept(&extra, 1, &["line 20", "row of 5 numbers where each frame has 4"]);
}

#[test]
fn rows_may_be_laid_out_by_frames_over_lines_or_as_one_stream() {
    let frames = |text: String| {
        let loaded = read(&text);
        assert!(loaded.problems.iter().all(|p| p.severity != Severity::Error), "{:?}", loaded.problems);
        loaded.document.clips[0].channels[0].track.values().to_vec()
    };
    let sound = frames(SOUND.into());
    assert_eq!(
        frames(SOUND.replace("3 4\n", "3\n4\n").replace("7 8", "7\n8").replace("11 12", "11\n12")),
        sound
    );
    assert_eq!(frames(SOUND.replace("4\n5", "4 5").replace("8\n9", "8 9")), sound);
    assert_eq!(frames(SOUND.replace("3 4\n5 6 7", "3\n4 5 6\n7")), sound, "told, and read as one stream");
}

#[test]
fn no_frames_give_a_skeleton_without_a_clip() {
    let start = SOUND.find("1 2 3 4").unwrap();
    let loaded = read(&SOUND[..start].replace("Frames: 3", "Frames: 0"));
    assert!(loaded.document.clips.is_empty());
    let problem = reported(&loaded);
    assert!(problem.severity == Severity::Warning && problem.message.contains("no frames"), "{problem}");
    assert!(matches!(problem.place, Place::Line { .. }));
}

#[test]
fn a_huge_frame_count_costs_nothing() {
    let loaded = read(&SOUND.replace("Frames: 3", "Frames: 18446744073709551615"));
    assert_eq!(loaded.document.clips[0].channels[0].track.len(), 3);
    let still = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 } MOTION Frames: 18446744073709551615 Frame Time: 0.1";
    assert!(read(still).document.clips.is_empty());
}

/// The worst that is said of a text.
fn worst(text: &str) -> Severity {
    read(text).problems.iter().map(|p| p.severity).max().unwrap()
}

#[test]
fn surplus_rows_are_a_warning_and_lost_rows_an_error() {
    let surplus = format!("{SOUND}13 14 15 16\n");
    assert_eq!(worst(&surplus), Severity::Warning);
    assert_eq!(worst(&SOUND.replace("Frames: 3", "Frames: 2")), Severity::Warning);
    assert_eq!(worst(&SOUND.replace("Frames: 3", "Frames: 4")), Severity::Error);
    let cut = SOUND.trim_end();
    for length in [cut.len() - 3, cut.len() - 6, cut.len() - 11] {
        assert_eq!(worst(&cut[..length]), Severity::Error, "{}", &cut[..length]);
    }
    assert_eq!(worst(&SOUND.replace("5 6 7 8", "5 6 7")), Severity::Error);
}
