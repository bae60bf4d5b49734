//! `sinew bake clip` writes what it reports: clips within their bound of the exact evaluator, in fewer bytes.

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use sinew::{LocalPose, RawPose, SampleJob, model_matrices};
use sinew_asset::{NoFiles, ReadOptions, WriteOptions, load, load_runtime, read, write_glb};
use tempfile::TempDir;

fn sinew(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A leg of metres that swings for two seconds at 30 frames a second.
fn leg() -> String {
    let mut bvh =
        "HIERARCHY\nROOT hips\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation \
        Xrotation Yrotation\nJOINT thigh\n{\nOFFSET 0.1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT \
        shin\n{\nOFFSET 0 -0.45 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -0.4 \
        0\n}\n}\n}\n}\nMOTION\nFrames: 61\nFrame Time: 0.0333333333\n"
            .to_owned();
    for frame in 0..61 {
        let phase = f64::from(frame) / 30.0 * TAU;
        let (s, c) = (libm::sin(phase), libm::cos(phase));
        let numbers = [0.0, 1.0 + 0.02 * c, f64::from(frame) / 25.0, 2.0 * s, 1.0, 3.0 * c, s, 30.0 * s, c];
        let shin = [0.0, 20.0 - 18.0 * c, 0.0];
        let row: Vec<String> = numbers.iter().chain(&shin).map(|v| format!("{v:.6}")).collect();
        writeln!(bvh, "{}", row.join(" ")).unwrap();
    }
    bvh
}

/// The leg with two clips, in a folder of its own.
struct Leg {
    folder: TempDir,
}

impl Leg {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut document = read(leg().as_bytes(), &NoFiles, &ReadOptions::default()).unwrap().document;
        document.clips[0].name = Some("swing".into());
        let mut again = document.clips[0].clone();
        again.name = Some("again".into());
        again.channels.truncate(2);
        document.clips.push(again);
        std::fs::write(
            folder.path().join("leg.glb"),
            write_glb(&document, &WriteOptions::default()).unwrap(),
        )
        .unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn bake(&self, output: &str, options: &[&str]) -> Output {
        let (input, output) = (self.path("leg.glb"), self.path(output));
        let arguments = ["bake", "clip", input.to_str().unwrap(), output.to_str().unwrap()];
        sinew(&[&arguments, options].concat())
    }

    fn report(&self, output: &str, options: &[&str]) -> Value {
        let out = self.bake(output, &[options, &["--format", "json"]].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    }

    /// Largest distance of a joint of the baked file to its exact place, metres, in model space.
    fn measured(&self, name: &str) -> f64 {
        let exact = load(self.path("leg.glb"), &ReadOptions::default()).unwrap().document;
        let baked = load_runtime(self.path(name)).unwrap();
        let mut worst = 0.0_f64;
        for clip in &baked.clips {
            let raw = exact.clips.iter().find(|c| c.name.as_deref() == clip.name()).unwrap();
            for step in 0..=240 {
                let time = raw.duration() * f64::from(step) / 240.0;
                let mut local = LocalPose::rest(&baked.rig);
                SampleJob::new(&baked.rig, clip, time as f32, &mut local).run().unwrap();
                let played = local.to_raw(&baked.rig, &baked.skeleton);
                let mut expected = RawPose::rest(&exact.skeleton);
                raw.sample(&exact.skeleton, time, &mut expected);
                let (mut a, mut b) = (Vec::new(), Vec::new());
                model_matrices(&baked.skeleton, &played, &mut a);
                model_matrices(&exact.skeleton, &expected, &mut b);
                for (a, b) in a.iter().zip(&b) {
                    worst = worst.max((a.w_axis - b.w_axis).truncate().length());
                }
            }
        }
        worst
    }
}

#[test]
fn a_baked_file_keeps_its_bound_and_its_report_holds() {
    let leg = Leg::new();
    for (bound, options) in [(0.1, &[][..]), (1.0, &["--bound", "1mm"]), (0.1, &["--resident"])] {
        let report = leg.report("leg.sinew", options);
        let clips = report["clips"].as_array().unwrap();
        let names: Vec<&str> = clips.iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["swing", "again"]);
        assert_eq!(report["bound_mm"], bound);
        let worst = report["total"]["worst_mm"].as_f64().unwrap();
        assert!(worst > 0.0 && worst <= bound, "{worst}");
        // A point of the shell moves at least as far as its joint.
        let measured = leg.measured("leg.sinew") * 1e3;
        assert!(measured <= bound * 1.01, "{measured}");
        for clip in clips {
            assert_eq!(clip["frames"], 61);
            assert_eq!(clip["raw_bytes"], 61 * report["joints"].as_u64().unwrap() * 40);
        }
        let size = std::fs::metadata(leg.path("leg.sinew")).unwrap().len();
        assert_eq!(report["bytes"], size);
    }
}

#[test]
fn clips_take_fewer_bytes_on_disk_than_in_memory_unless_they_are_resident() {
    let leg = Leg::new();
    let bytes = |report: &Value, of: &str| report["total"][of].as_f64().unwrap();
    let stored = leg.report("a.sinew", &[]);
    assert_eq!(stored["form"], "stored");
    assert!(bytes(&stored, "disk_bytes") * 1.2 < bytes(&stored, "memory_bytes"), "{stored}");
    let resident = leg.report("b.sinew", &["--resident"]);
    assert_eq!(resident["form"], "resident");
    assert!(bytes(&resident, "disk_bytes") > bytes(&resident, "memory_bytes"), "{resident}");
    // The same clips, bit for bit.
    let (a, b) = (load_runtime(leg.path("a.sinew")).unwrap(), load_runtime(leg.path("b.sinew")).unwrap());
    assert!(a.clips.iter().zip(&b.clips).all(|(a, b)| a.bytes() == b.bytes()));
}

#[test]
fn the_table_names_each_clip_and_the_same_bake_twice_gives_the_same_bytes() {
    let leg = Leg::new();
    let first = leg.bake("a.sinew", &[]);
    let table = text(&first.stdout);
    for part in ["leg.glb", "swing", "again", "worst mm", "in memory", "on disk", "2 clips"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(first.stderr.is_empty(), "no bar in a pipe");
    leg.bake("b.sinew", &[]);
    assert_eq!(std::fs::read(leg.path("a.sinew")).unwrap(), std::fs::read(leg.path("b.sinew")).unwrap());
}

#[test]
fn chosen_clips_are_baked_once_in_the_order_they_were_named() {
    let leg = Leg::new();
    let report = leg.report("a.sinew", &["--clip", "again", "--clip", "0", "--clip", "again"]);
    let names: Vec<&Value> = report["clips"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["again", "swing"]);
    let wrong = leg.bake("a.sinew", &["--clip", "fly"]);
    assert_eq!(wrong.status.code(), Some(3));
    assert!(text(&wrong.stderr).contains("'swing'"));
}

#[test]
fn mistakes_of_the_command_line_exit_with_1_and_write_nothing() {
    let leg = Leg::new();
    for (output, options) in [
        ("a.glb", &[][..]),
        ("a.sinew", &["--bound", "0"]),
        ("a.sinew", &["--bound", "thin"]),
        ("a.sinew", &["--rate", "-3"]),
    ] {
        let out = leg.bake(output, options);
        assert_eq!(out.status.code(), Some(1), "{output} {options:?} {}", text(&out.stderr));
        assert!(!leg.path(output).exists());
    }
    let own = leg.path("own.sinew");
    std::fs::copy(leg.path("leg.glb"), &own).unwrap();
    let before = std::fs::read(&own).unwrap();
    let own = own.to_str().unwrap();
    assert_eq!(sinew(&["bake", "clip", own, own]).status.code(), Some(1));
    assert_eq!(std::fs::read(own).unwrap(), before);
}

#[test]
fn inspect_says_what_is_in_a_baked_file_and_refuses_a_damaged_one_by_name() {
    let leg = Leg::new();
    leg.bake("a.sinew", &[]);
    let path = leg.path("a.sinew");
    let path = path.to_str().unwrap();
    let out = sinew(&["inspect", path]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let said = text(&out.stdout);
    for part in ["runtime file 2.0", "'swing'", "'again'", "61 frames at 30 Hz", "stored"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let json: Value = serde_json::from_slice(&sinew(&["inspect", path, "--format", "json"]).stdout).unwrap();
    assert_eq!((&json["format"], &json["clips"][1]["name"]), (&"sinew".into(), &"again".into()));

    let mut bytes = std::fs::read(path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(path, &bytes).unwrap();
    let out = sinew(&["inspect", path]);
    assert_eq!(out.status.code(), Some(3));
    assert!(text(&out.stderr).contains("section CLIP"), "{}", text(&out.stderr));
    bytes[8] = 3;
    std::fs::write(path, &bytes).unwrap();
    let out = sinew(&["inspect", path]);
    assert_eq!(out.status.code(), Some(5));
    assert!(text(&out.stderr).contains("version 3.0"), "{}", text(&out.stderr));
    // A verb for authored files names the one for this.
    let out = sinew(&["audit", path]);
    assert_eq!(out.status.code(), Some(3));
    assert!(text(&out.stderr).contains("sinew runtime file"), "{}", text(&out.stderr));
}
