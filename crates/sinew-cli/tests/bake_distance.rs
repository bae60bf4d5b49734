//! `sinew bake distance` finds what a clip's root does, stores it in the clip, and reports what it stored.

#[path = "../../sinew-showcase/src/distance_study/measured.rs"]
mod measured;

use std::path::PathBuf;
use std::process::{Command, Output};

use measured::{START_CM, STOP_CM};
use serde_json::Value;
use sinew::{
    Channel, ChannelTarget, DTransform, Interpolation, Joint, JointId, RawClip, Skeleton, Track,
    set_up_matching,
};
use sinew_asset::{Document, ReadOptions, WriteOptions, load, write_glb};
use tempfile::TempDir;

/// Way of the root of a run start, metres at 30 keys a second: it leans back before it pushes off.
fn start() -> Vec<f64> {
    START_CM.iter().enumerate().map(|(key, cm)| if key < 8 { -0.01 * cm } else { 0.01 * cm }).collect()
}

/// Way of the root of a run stop, metres at 15 keys a second: to go.
fn stop() -> Vec<f64> {
    STOP_CM.iter().step_by(2).map(|cm| 0.01 * cm).collect()
}

fn sinew(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn joints() -> Vec<Joint> {
    let at = |x: f64, y: f64| DTransform { translation: glam::DVec3::new(x, y, 0.0), ..DTransform::IDENTITY };
    let mut joints = vec![
        Joint::new("Root", None, DTransform::IDENTITY),
        Joint::new("Hips", Some(JointId(0)), at(0.0, 0.9)),
        Joint::new("Head", Some(JointId(1)), at(0.0, 0.8)),
        Joint::new("LeftFoot", Some(JointId(1)), at(0.1, -0.9)),
        Joint::new("RightFoot", Some(JointId(1)), at(-0.1, -0.9)),
    ];
    for (node, joint) in joints.iter_mut().enumerate() {
        joint.node = node as u32;
    }
    joints
}

fn moved(joint: u32, step: f64, points: impl Iterator<Item = [f64; 3]>) -> Channel {
    let values: Vec<f32> = points.flatten().map(|v| v as f32).collect();
    let times: Vec<f64> = (0..values.len() / 3).map(|i| i as f64 * step).collect();
    let track = Track::new(times.into(), values.into(), 3, Interpolation::Linear).unwrap();
    Channel { joint: JointId(joint), target: ChannelTarget::Translation, track, source: 0 }
}

/// A file with clips of one character, in a folder of its own.
struct File {
    folder: TempDir,
}

impl File {
    fn new(clips: Vec<(&str, Vec<Channel>)>) -> Self {
        let named = |(source, (name, channels)): (usize, (&str, Vec<Channel>))| RawClip {
            name: Some(name.into()),
            source: source as u32,
            channels,
            ..RawClip::default()
        };
        let clips = clips.into_iter().enumerate().map(named).collect();
        let skeleton = Skeleton::new(joints(), Vec::new()).unwrap();
        let document = Document { skeleton, clips, ..Document::default() };
        let folder = tempfile::tempdir().unwrap();
        let bytes = write_glb(&document, &WriteOptions::default()).unwrap();
        std::fs::write(folder.path().join("in.glb"), bytes).unwrap();
        Self { folder }
    }

    /// A start, a stop, a clip in which nothing travels, and one of a single key.
    fn runs() -> Self {
        let ahead = |metres: f64| [0.0, 0.0, metres];
        Self::new(vec![
            ("Run_Start", vec![moved(0, 1.0 / 30.0, start().into_iter().map(ahead))]),
            ("Run_Stop", vec![moved(0, 1.0 / 15.0, stop().into_iter().map(ahead))]),
            ("Idle", vec![moved(1, 0.5, [0.9, 0.91, 0.9].into_iter().map(|y| [0.0, y, 0.0]))]),
            ("Bob", vec![moved(1, 0.5, [0.0, 1.0, 2.0].into_iter().map(|z| [0.0, 0.9, z]))]),
            ("Pose", vec![moved(1, 1.0, [[0.0, 0.9, 0.0]].into_iter())]),
        ])
    }

    /// A walk in place at 1.5 m/s, each foot half a second on the ground; the right one may be slower.
    fn in_place(right: f64) -> Self {
        let foot = |side: f64, phase: f64, speed: f64| {
            (0..=60).map(move |i| {
                let t = (f64::from(i) / 60.0 + phase).fract();
                let (z, y) = if t < 0.5 {
                    (0.25 - t, 0.0)
                } else {
                    (t - 0.75, 0.2 * libm::sin((t - 0.5) * core::f64::consts::TAU))
                };
                [side, y - 0.9, z * speed]
            })
        };
        let (left, right) = (foot(0.1, 0.0, 1.5), foot(-0.1, 0.5, right));
        Self::new(vec![("Walk", vec![moved(3, 1.0 / 60.0, left), moved(4, 1.0 / 60.0, right)])])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn bake(&self, output: &str, options: &[&str]) -> Output {
        let (input, output) = (self.path("in.glb"), self.path(output));
        sinew(&[&["bake", "distance", input.to_str().unwrap(), output.to_str().unwrap()], options].concat())
    }

    fn report(&self, options: &[&str]) -> Value {
        let out = self.bake("out.glb", &[options, &["--format", "json"]].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    }

    fn written(&self) -> Document {
        load(self.path("out.glb"), &ReadOptions::default()).unwrap().document
    }
}

fn near(value: &Value, expected: f64, tolerance: f64) {
    let found = value.as_f64().unwrap();
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected} within {tolerance}");
}

#[test]
fn a_start_is_stored_increasing_and_its_lean_back_goes_to_the_remainder() {
    let file = File::runs();
    let report = file.report(&["--clip", "Run_Start"]);
    assert_eq!((&report["root"], &report["feet"]), (&"Root".into(), &Value::Null));
    let markers = report["markers"].as_array().unwrap();
    assert_eq!(markers.len(), 1);
    assert_eq!((&markers[0]["kind"], &markers[0]["before"]), (&"start".into(), &Value::Null));
    near(&markers[0]["after"][1], 1.0, 1e-9);
    let curve = &report["curves"][0];
    assert_eq!((&curve["name"], &curve["kind"]), (&"distance".into(), &"start".into()));
    near(&curve["range_m"], 1.2506, 1e-3);
    near(&curve["largest_remainder_mm"], 64.8, 1.0);
    near(&report["reversals"][0]["back_mm"], 64.8, 1.0);
    // The last interval of the keys: 15.97 cm in a thirtieth of a second.
    near(&curve["end_speed"], 4.79, 0.05);
    let size = std::fs::metadata(file.path("out.glb")).unwrap().len();
    assert_eq!(report["bytes"], size);

    let written = file.written();
    let names: Vec<&str> = written.clips[0].curves.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "distance",
            "distance.remainder",
            "distance.heading.start",
            "distance.root.x",
            "distance.root.z",
            "distance.root.joint.Root"
        ]
    );
    let stored = set_up_matching(&written.clips[0].curves, "distance", |time| time).unwrap();
    for (key, metres) in start().into_iter().enumerate() {
        let signed = stored.signed_at(key as f64 / 30.0);
        assert!((signed - metres).abs() < 2e-3, "key {key}: {signed} m, {metres} m");
    }
    // All else is as it was.
    let before = load(file.path("in.glb"), &ReadOptions::default()).unwrap().document;
    for (a, b) in before.clips.iter().zip(&written.clips) {
        assert_eq!(a.channels, b.channels);
    }
    assert!(written.clips[1].curves.is_empty() && written.clips[2].curves.is_empty());
}

#[test]
fn a_stop_counts_what_is_left_as_negative_metres() {
    let report = File::runs().report(&["--clip", "1"]);
    assert_eq!(report["markers"][0]["kind"], "stop");
    assert_eq!(report["markers"][0]["after"], Value::Null);
    let curve = &report["curves"][0];
    assert_eq!(curve["kind"], "stop");
    near(&curve["distances_m"][0], -1.6635, 1e-3);
    near(&curve["distances_m"][1], 0.0, 1e-9);
    near(&curve["largest_remainder_mm"], 0.0, 1.0);
}

#[test]
fn a_turn_and_a_stop_in_one_clip_are_two_markers_with_directions_and_two_curves() {
    // At 3 m/s to the right, down to a stand within a second, back at 3 m/s, and down to a stand.
    let speed = |t: f64| match t {
        t if t < 1.0 => 3.0,
        t if t < 2.0 => 3.0 * (2.0 - t),
        t if t < 3.0 => -3.0 * (t - 2.0),
        t if t < 4.0 => -3.0,
        t => -3.0 * (5.0 - t),
    };
    let mut x = 0.0;
    let points: Vec<[f64; 3]> = (0..=150)
        .map(|i| {
            let t = f64::from(i) / 30.0;
            if i > 0 {
                x += speed(t - 0.5 / 30.0) / 30.0;
            }
            [x, 0.0, 0.0]
        })
        .collect();
    let file = File::new(vec![("Turn", vec![moved(0, 1.0 / 30.0, points.into_iter())])]);
    let report = file.report(&[]);
    let markers = report["markers"].as_array().unwrap();
    let kinds: Vec<&Value> = markers.iter().map(|m| &m["kind"]).collect();
    assert_eq!(kinds, ["pivot", "stop"]);
    near(&markers[0]["time"], 2.0, 0.04);
    near(&markers[0]["before"][0], 1.0, 1e-6);
    near(&markers[0]["after"][0], -1.0, 1e-6);
    near(&markers[0]["distance_m"], 4.5, 0.01);
    near(&markers[1]["before"][0], -1.0, 1e-6);
    near(&markers[1]["distance_m"], 10.5, 0.01);
    let names: Vec<&Value> = report["curves"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["distance/0", "distance/1"]);
    assert_eq!(report["turns"], serde_json::json!([]));
    // Distance, remainder and direction of each, the root's way and its name.
    assert_eq!(file.written().clips[0].curves.len(), 9);
}

#[test]
fn a_way_that_turns_without_a_marker_is_said_with_its_degrees() {
    // Three quarters of a circle of 2 m to the left, at 3 m/s.
    let points = (0..=94).map(|i| {
        let angle = 0.05 * f64::from(i);
        [2.0 - 2.0 * libm::cos(angle), 0.0, 2.0 * libm::sin(angle)]
    });
    let file = File::new(vec![("Round", vec![moved(0, 1.0 / 30.0, points)])]);
    let report = file.report(&[]);
    assert_eq!((&report["markers"], &report["turns"][1]), (&serde_json::json!([]), &Value::Null));
    near(&report["turns"][0]["degrees"], (0.05 * 93.0_f64).to_degrees(), 3.0);
    let said = text(&file.bake("out.glb", &[]).stdout);
    assert!(said.contains("degrees to the left from 0.0000 to 3.1333 s without a marker"), "{said}");
}

#[test]
fn the_remainder_goes_to_the_pelvis_that_is_named() {
    let file = File::runs();
    let report = file.report(&["--clip", "Run_Start", "--pelvis", "Hips"]);
    assert_eq!(report["pelvis"], "Hips");
    near(&report["curves"][0]["largest_remainder_mm"], 64.8, 1.0);
    let clip = &file.written().clips[0];
    let root = clip.channel(JointId(0), ChannelTarget::Translation).unwrap();
    let hips = clip.channel(JointId(1), ChannelTarget::Translation).unwrap();
    let mut last = f64::NEG_INFINITY;
    for (key, metres) in start().into_iter().enumerate() {
        let time = key as f64 / 30.0;
        let (way, lean) = (root.track.sample_vec3(time).z, hips.track.sample_vec3(time));
        assert!(way >= last - 1e-6, "{time} s: {way} m after {last} m");
        assert!(
            (way + lean.z - metres).abs() < 1e-5 && (lean.y - 0.9).abs() < 1e-6,
            "{time} s: {way} {lean}"
        );
        last = way;
    }
    // What is stored says so: nothing is left over, and a second bake finds no way back.
    let stored = set_up_matching(&clip.curves, "distance", |time| time).unwrap();
    assert!(stored.largest_remainder() < 1e-3, "{} m", stored.largest_remainder());
    let (from, to) = (file.path("out.glb"), file.path("again.glb"));
    let out = sinew(&["bake", "distance", "--format", "json", from.to_str().unwrap(), to.to_str().unwrap()]);
    let again: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (&again["reversals"], &again["markers"][0]["kind"]),
        (&serde_json::json!([]), &"start".into())
    );
    // With the moments of the mover, too.
    let retime = ["--retime", "0.5", "--max-speed", "6", "--acceleration", "20.48"];
    let report = file.report(&[&["--clip", "Run_Start", "--pelvis", "Hips"], &retime[..]].concat());
    near(&report["duration"], 0.427, 0.002);
    let said = text(&file.bake("out.glb", &["--clip", "Run_Start", "--pelvis", "Hips"]).stdout);
    assert!(said.contains("the root went besides, and 'Hips' goes now"), "{said}");
}

#[test]
fn a_clip_in_place_is_told_by_its_feet_or_by_the_speed_given() {
    let file = File::in_place(1.5);
    let report = file.report(&[]);
    assert_eq!(report["root"], Value::Null);
    near(&report["feet"]["speed"], 1.5, 0.03);
    assert_eq!(report["feet"]["joints"], serde_json::json!(["LeftFoot", "RightFoot"]));
    assert!(report["feet"]["uncertainty"].as_f64().unwrap() < 0.05);
    assert_eq!(report["markers"], serde_json::json!([]));
    assert_eq!(report["curves"][0]["kind"], "loop");
    near(&report["curves"][0]["range_m"], 1.5, 0.03);
    // Feet that do not agree need a speed.
    let file = File::in_place(1.2);
    let out = file.bake("out.glb", &[]);
    assert_eq!(out.status.code(), Some(3));
    assert!(text(&out.stderr).contains("give the speed"), "{}", text(&out.stderr));
    assert!(!file.path("out.glb").exists());
    let report = file.report(&["--speed", "1.4", "--feet", "LeftFoot", "--feet", "RightFoot"]);
    near(&report["feet"]["speed"], 1.4, 1e-9);
    near(&report["curves"][0]["range_m"], 1.4, 1e-3);
}

#[test]
fn a_start_can_be_retimed_to_its_mover() {
    let file = File::runs();
    let options = ["--clip", "Run_Start", "--retime", "0.5", "--max-speed", "6", "--acceleration", "20.48"];
    let report = file.report(&options);
    // Half way between the clip's 0.5 s and the mover's 0.355 s.
    near(&report["duration"], 0.427, 0.002);
    near(&report["retime"]["duration_before"], 0.5, 1e-6);
    near(&report["curves"][0]["range_m"], 1.2506, 1e-3);
    let clip = &file.written().clips[0];
    assert!((clip.duration() - report["duration"].as_f64().unwrap()).abs() < 1e-6);
    // The root is where the curve and its remainder say, at the new moments too.
    let stored = set_up_matching(&clip.curves, "distance", |time| time).unwrap();
    let root = clip.channel(JointId(0), ChannelTarget::Translation).unwrap();
    for i in 0..=20 {
        let time = clip.duration() * f64::from(i) / 20.0;
        let (way, signed) = (root.track.sample_vec3(time).z, stored.signed_at(time));
        assert!((way - signed).abs() < 0.01, "{time} s: {way} m, {signed} m");
    }
    // So are the moments of the report.
    let [from, to] = ["from", "to"].map(|end| report["reversals"][0][end].as_f64().unwrap());
    let back = root.track.sample_vec3(from).z - root.track.sample_vec3(to).z;
    assert!((back - 0.0648).abs() < 1e-3, "{from} to {to} s: {back} m");
    let stop = file.bake("stop.glb", &[&["--clip", "Run_Stop"], &options[2..]].concat());
    assert_eq!(stop.status.code(), Some(3));
    assert!(text(&stop.stderr).contains("start"), "{}", text(&stop.stderr));
}

#[test]
fn the_text_names_markers_and_curves_and_the_same_bake_twice_gives_the_same_bytes() {
    let file = File::runs();
    let first = file.bake("a.glb", &["--clip", "Run_Start"]);
    let said = text(&first.stdout);
    for part in ["path of 'Root'", "start", "goes back 64.8 mm", "remainder mm", "distance", "1.25"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(first.stderr.is_empty());
    file.bake("b.glb", &["--clip", "Run_Start"]);
    let (a, b) = (file.path("a.glb"), file.path("b.glb"));
    assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(b).unwrap());
    // Baked again, a clip has its curves once.
    let (a, c) = (a.to_str().unwrap().to_owned(), file.path("out.glb"));
    assert!(sinew(&["bake", "distance", &a, c.to_str().unwrap()]).status.success());
    assert_eq!(file.written().clips[0].curves.len(), 6);
}

#[test]
fn what_cannot_be_baked_is_said_and_nothing_is_written() {
    let file = File::runs();
    for (options, code, said) in [
        (&["--clip", "Idle"][..], 3, "the clip stands (a root is named by --root, feet by --feet)"),
        (&["--clip", "Pose"], 3, "the clip's length in seconds is 0"),
        (&["--clip", "Run_Stop", "--feet", "Head"], 3, "--feet is for clips in place, and 'Root' travels"),
        (&["--clip", "Run_Stop", "--speed", "3"], 3, "--speed is for clips in place, and 'Root' travels"),
        (&["--clip", "Fly"], 3, "'Run_Start'"),
        (&["--root", "Tail"], 3, "no joint 'Tail'"),
        (&["--root", "Head", "--clip", "Idle"], 3, "nothing in the clip travels"),
        (&["--speed", "0"], 1, "--speed 0"),
        (&["--rate", "NaN"], 1, "--rate NaN"),
        (&["--rate", "0.5"], 1, "--rate 0.5: expected 1 to 10000"),
        (&["--rate", "20000"], 1, "--rate 20000: expected 1 to 10000"),
        (&["--pelvis", "Tail"], 3, "no joint 'Tail'"),
        (
            &["--root", "Hips", "--pelvis", "Root", "--clip", "Bob"],
            3,
            "'Root' does not hang from the root 'Hips'",
        ),
        (&["--retime", "0.5"], 1, "--max-speed"),
        (&["--retime", "2", "--max-speed", "6", "--acceleration", "20"], 1, "expected 0 to 1"),
    ] {
        let out = file.bake("out.glb", options);
        assert_eq!(out.status.code(), Some(code), "{options:?} {}", text(&out.stderr));
        assert!(text(&out.stderr).contains(said), "{options:?} {}", text(&out.stderr));
        assert!(!file.path("out.glb").exists() && out.stdout.is_empty(), "{options:?}");
    }
    assert_eq!(file.bake("out.sinew", &[]).status.code(), Some(1));
    let (own, before) = (file.path("in.glb"), std::fs::read(file.path("in.glb")).unwrap());
    let own = own.to_str().unwrap();
    assert_eq!(sinew(&["bake", "distance", own, own]).status.code(), Some(1));
    assert_eq!(std::fs::read(own).unwrap(), before);
}
