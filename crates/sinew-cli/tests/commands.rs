//! The command does what its help says, and says so with its exit code.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

fn sinew(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = sinew(arguments);
    serde_json::from_str(&stdout(&output))
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(&output), stderr(&output)))
}

/// The built-in knee study: two characters, one sound and one not.
struct Characters {
    folder: TempDir,
}

impl Characters {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        sinew_showcase::run("knee", folder.path()).unwrap();
        Self { folder }
    }

    fn glb(&self, named: &str) -> String {
        let mut found: Vec<PathBuf> = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "glb")
                    && path.to_string_lossy().contains(named)
                {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
            .first()
            .unwrap_or_else(|| panic!("no GLB with '{named}' in its path"))
            .to_str()
            .unwrap()
            .to_owned()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }
}

const TRACKED: &str = "tracked-up";
const PROJECTED: &str = "projected-x";

#[test]
fn bare_sinew_prints_every_verb_with_an_example() {
    let output = sinew(&[]);
    assert_eq!(code(&output), 0);
    for verb in ["inspect", "sample", "audit", "diff", "convert", "bake", "showcase"] {
        assert!(stdout(&output).contains(&format!("sinew {verb} ")), "{verb}");
    }
}

#[test]
fn usage_mistakes_exit_with_1() {
    for arguments in [
        vec!["no-such-verb"],
        vec!["inspect"],
        vec!["sample", "x.glb", "--times", "soon"],
        vec!["convert", "a.glb", "b.fbx"],
        vec!["convert", "a.glb", "b.glb", "--trim", "1-2"],
        vec!["showcase", "no-such-study"],
    ] {
        assert_eq!(code(&sinew(&arguments)), 1, "{arguments:?}");
    }
}

#[test]
fn a_missing_file_exits_with_2_and_is_named() {
    let output = sinew(&["inspect", "nowhere/to-be-found.glb"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("to-be-found.glb"), "{}", stderr(&output));
}

#[test]
fn a_broken_file_exits_with_3_and_names_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.gltf");
    for (bytes, named) in [
        (&b""[..], "empty"),
        (b"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[}", "line 1, column 37"),
        (b"glTF\x02\x00\x00\x00\xff\xff\xff\xff", "byte"),
        (b"HIERARCHY\nROOT a\n{\nOFFSET 0 nonsense 0\n}\n", "line 4"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let output = sinew(&["inspect", path.to_str().unwrap()]);
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        assert!(stderr(&output).contains(named), "{}", stderr(&output));
        assert!(stderr(&output).contains("broken.gltf"), "{}", stderr(&output));
    }
}

#[test]
fn an_unsupported_feature_exits_with_5_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draco.gltf");
    let text = r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"],
        "extensionsUsed":["KHR_draco_mesh_compression"]}"#;
    std::fs::write(&path, text).unwrap();
    let output = sinew(&["inspect", path.to_str().unwrap()]);
    assert_eq!(code(&output), 5);
    assert!(stderr(&output).contains("KHR_draco_mesh_compression"), "{}", stderr(&output));
}

#[test]
fn stdin_is_a_file() {
    let characters = Characters::new();
    let bytes = std::fs::read(characters.glb(TRACKED)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["inspect", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!report["clips"].as_array().unwrap().is_empty());
}

#[test]
fn sample_gives_column_major_matrices_by_node_index() {
    let characters = Characters::new();
    let file = characters.glb(PROJECTED);
    let report = json(&["sample", &file, "--times", "0,0.5,99", "--skin"]);
    let frames = report["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 3);
    for frame in frames {
        for (key, matrix) in frame["nodes"].as_object().unwrap() {
            assert!(key.parse::<usize>().is_ok());
            let matrix: Vec<f64> = matrix.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            assert_eq!(matrix.len(), 16);
            // The last row of a column-major affine matrix.
            assert_eq!([matrix[3], matrix[7], matrix[11], matrix[15]], [0.0, 0.0, 0.0, 1.0]);
        }
        assert!(!frame["skinned"][0]["positions"].as_array().unwrap().is_empty());
    }
    assert_eq!(report["names"].as_object().unwrap().len(), frames[0]["nodes"].as_object().unwrap().len());
}

#[test]
fn sample_names_the_clips_there_are() {
    let characters = Characters::new();
    let output = sinew(&["sample", &characters.glb(PROJECTED), "--clip", "Moonwalk"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("Moonwalk"), "{}", stderr(&output));
}

#[test]
fn a_refused_clip_says_why_and_the_good_one_plays() {
    // Two clips over one node; the first has times that go back.
    let folder = tempfile::tempdir().unwrap();
    let mut bin: Vec<u8> = Vec::new();
    for v in [0.0_f32, 0.5, 0.25, 0.0, 0.5, 1.0] {
        bin.extend(v.to_le_bytes());
    }
    bin.extend([0_u8; 36]);
    std::fs::write(folder.path().join("data.bin"), &bin).unwrap();
    let animation = |name: &str, input: usize| {
        format!(
            r#"{{"name":"{name}","samplers":[{{"input":{input},"output":2}}],
                "channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}]}}"#
        )
    };
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"name":"n"}}],"scenes":[{{"nodes":[0]}}],
        "buffers":[{{"byteLength":60,"uri":"data.bin"}}],
        "bufferViews":[{{"buffer":0,"byteLength":12}},{{"buffer":0,"byteOffset":12,"byteLength":12}},
            {{"buffer":0,"byteOffset":24,"byteLength":36}}],
        "accessors":[
            {{"bufferView":0,"componentType":5126,"count":3,"type":"SCALAR","min":[0],"max":[0.5]}},
            {{"bufferView":1,"componentType":5126,"count":3,"type":"SCALAR","min":[0],"max":[1]}},
            {{"bufferView":2,"componentType":5126,"count":3,"type":"VEC3"}}],
        "animations":[{},{}]}}"#,
        animation("stutter", 0),
        animation("smooth", 1)
    );
    let path = folder.path().join("two.gltf");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();

    let bad = sinew(&["sample", path, "--clip", "stutter"]);
    assert_eq!(code(&bad), 3);
    for word in ["stutter", "key 2", "decreasing"] {
        assert!(stderr(&bad).contains(word), "{}", stderr(&bad));
    }
    assert_eq!(code(&sinew(&["sample", path, "--clip", "smooth"])), 0);

    // Nothing is dropped silently: converting asks for leave.
    let target = folder.path().join("out.glb");
    let target = target.to_str().unwrap();
    assert_eq!(code(&sinew(&["convert", path, target])), 3);
    assert!(!Path::new(target).exists());
    assert_eq!(code(&sinew(&["convert", path, target, "--keep-going"])), 0);

    // The audit finds it and goes on.
    let report = json(&["audit", path, "--format", "json"]);
    let findings = report["files"][0]["report"]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|f| f["code"] == "SINEW_KEY_TIMES"), "{findings:#?}");
}

#[test]
fn a_converted_file_has_the_same_poses() {
    let characters = Characters::new();
    let (file, target) = (characters.glb(TRACKED), characters.path("converted.glb"));
    assert_eq!(code(&sinew(&["convert", &file, &target])), 0);
    let same = sinew(&["diff", &file, &target, "--limit-mm", "1e-6", "--limit-deg", "1e-6"]);
    assert_eq!(code(&same), 0, "{}", stdout(&same));
}

#[test]
fn diff_finds_the_knee_and_says_where() {
    let characters = Characters::new();
    let (bad, good) = (characters.glb(TRACKED), characters.glb(PROJECTED));
    let arguments = ["diff", &bad, &good, "--clip", "0", "--format", "json"];
    assert_eq!(code(&sinew(&arguments)), 7);
    let clip = &json(&arguments)["clips"][0];
    // Half way the bad knee is 5.236 mm to the side, the good one in the plane and the leg straight.
    let worst = clip["position_mm"]["value"].as_f64().unwrap();
    assert!((worst - 5.236).abs() < 0.01, "{clip:#}");
    let far = sinew(&["diff", &bad, &good, "--clip", "0", "--limit-mm", "6", "--limit-deg", "180.001"]);
    assert_eq!(code(&far), 0, "{}", stdout(&far));
}

#[test]
fn trimming_and_resampling_say_what_they_cost() {
    let characters = Characters::new();
    let (file, target) = (characters.glb(TRACKED), characters.path("half.glb"));
    let listing = json(&["inspect", &file, "--format", "json"]);
    let clips = listing["clips"].as_array().unwrap();
    let long = clips.iter().find(|c| c["duration"].as_f64().unwrap() > 1.0).expect("a slowed clip");
    let clip = long["index"].to_string();
    let report = json(&[
        "convert",
        &file,
        &target,
        "--clip",
        &clip,
        "--trim",
        "0.5:1.5",
        "--resample",
        "30",
        "--format",
        "json",
    ]);
    let written = &report["clips"][0];
    assert!((written["duration"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{report:#}");
    // 30 keys a second on a constant turn cost nothing that can be seen.
    assert!(written["resampling"]["worst_mm"].as_f64().unwrap() < 0.01, "{report:#}");
    assert_eq!(json(&["inspect", &target, "--format", "json"])["clips"].as_array().unwrap().len(), 1);
}

#[test]
fn an_audit_exits_with_7_over_the_limits_and_0_within() {
    let characters = Characters::new();
    let bad = sinew(&["audit", &characters.glb(TRACKED)]);
    assert_eq!(code(&bad), 7, "{}", stdout(&bad));
    assert!(stdout(&bad).contains("SINEW_SWING"), "{}", stdout(&bad));
    let good = sinew(&["audit", &characters.glb(PROJECTED)]);
    assert!(!stdout(&good).contains("SINEW_SWING"), "{}", stdout(&good));
    assert_eq!(code(&good), 0, "{}", stdout(&good));

    let config = characters.path("sinew.toml");
    std::fs::write(&config, "[severity]\nSINEW_SWING = \"off\"\n").unwrap();
    let off = sinew(&["audit", &characters.glb(TRACKED), "--config", &config]);
    assert!(!stdout(&off).contains("SINEW_SWING"), "{}{}", stdout(&off), stderr(&off));

    std::fs::write(&config, "[severity]\nSINEW_SWING = \"loud\"\n").unwrap();
    assert_eq!(code(&sinew(&["audit", &characters.glb(TRACKED), "--config", &config])), 3);
}

#[test]
fn one_broken_file_does_not_keep_the_others_from_being_audited() {
    let characters = Characters::new();
    let broken = characters.path("broken.glb");
    std::fs::write(&broken, b"glTF").unwrap();
    let good = characters.glb(PROJECTED);
    let output = sinew(&["audit", &broken, &good, "--format", "json"]);
    assert_eq!(code(&output), 3);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(report["files"][0]["error"].is_string());
    assert!(report["files"][1]["report"].is_object());
}

#[test]
fn the_same_audit_twice_prints_the_same_bytes() {
    let characters = Characters::new();
    let files = [characters.glb(TRACKED), characters.glb(PROJECTED)];
    let page = characters.path("page.html");
    let run = || {
        let output = sinew(&["audit", &files[0], &files[1], "--format", "json", "--report", &page]);
        (output.stdout, std::fs::read(&page).unwrap())
    };
    assert!(run() == run());
}

#[test]
fn a_report_page_is_one_file_without_requests() {
    let characters = Characters::new();
    let page = characters.path("page.html");
    sinew(&["audit", &characters.glb(TRACKED), "--report", &page]);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.starts_with("<!doctype html>"));
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn a_page_that_cannot_be_written_exits_with_2() {
    let characters = Characters::new();
    let nowhere = characters.path("no/such/folder/page.html");
    assert_eq!(code(&sinew(&["audit", &characters.glb(TRACKED), "--report", &nowhere])), 2);
}

#[test]
fn showcase_writes_its_pages_and_prints_a_promise_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let output = sinew(&["showcase", "--out", out, "--format", "json"]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let promises: Vec<Value> = stdout(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(promises.len() >= 8);
    for promise in &promises {
        for key in ["study", "promise", "expected", "tolerance", "unit", "measured", "holds"] {
            assert!(promise.get(key).is_some(), "{promise}");
        }
        assert_eq!(promise["holds"], true, "{promise}");
    }
    for page in ["index.html", "knee.html"] {
        assert!(folder.path().join(page).is_file(), "{page}");
    }
}

#[test]
fn records_are_compared_column_by_column() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("frames.csv"), text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let a = write("a", "time_s,knee_mm,phase\n0,0,swing\n0.5,5.236,swing\n1,0,stance\n");
    let b = write("b", "time_s,knee_mm,phase\n0,0,swing\n0.5,5.0,swing\n1,0,swing\n");
    assert_eq!(code(&sinew(&["diff", &a, &a])), 0);
    let report = json(&["diff", &a, &b, "--format", "json"]);
    assert_eq!(code(&sinew(&["diff", &a, &b])), 7);
    let knee = &report["columns"][1];
    assert!((knee["worst"].as_f64().unwrap() - 0.236).abs() < 1e-9 && knee["row"] == 1, "{report:#}");
    assert_eq!(report["columns"][2]["texts_differ"], 1);
}

#[test]
fn clips_are_compared_in_the_space_of_a_named_joint_over_a_stated_range() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, frames: &str| {
        let path = folder.path().join(name);
        let channels = "CHANNELS 3 Zrotation Xrotation Yrotation";
        let head = format!("JOINT head\n{{\nOFFSET 0 2 0\n{channels}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}");
        let hips = format!("ROOT hips\n{{\nOFFSET 0 0 0\n{channels}\n{head}\n}}");
        let motion = format!("MOTION\nFrames: 2\nFrame Time: 0.5\n{frames}");
        std::fs::write(&path, format!("HIERARCHY\n{hips}\n{motion}")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // The hips turn by 30 degrees in the second file; the head nods by 10 in both.
    let a = write("a.bvh", "0 0 0 0 0 0\n0 0 0 0 10 0\n");
    let b = write("b.bvh", "0 0 0 0 0 0\n30 0 0 0 10 0\n");
    let options = ["--units", "m", "--format", "json"];
    let whole = json(&[&["diff", &a, &b][..], &options].concat())["clips"][0].clone();
    assert!((whole["rotation_deg"]["value"].as_f64().unwrap() - 30.0).abs() < 1e-4, "{whole:#}");
    let report = json(&[&["diff", &a, &b, "--relative-to", "hips"][..], &options].concat());
    let clip = &report["clips"][0];
    assert!(clip["rotation_deg"]["value"].as_f64().unwrap() < 1e-4, "{report:#}");
    assert!(clip["position_mm"]["value"].as_f64().unwrap() < 1e-3, "{report:#}");
    assert_eq!((&report["space"], &report["relative_to"]), (&"joint".into(), &"hips".into()));
    assert_eq!((clip["from"].as_f64(), clip["to"].as_f64()), (Some(0.0), Some(0.5)));
    let text = sinew(&["diff", &a, &b, "--units", "m", "--relative-to", "hips"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("space of 'hips'") && text.contains("moments from 0.0000 to 0.5000 s"), "{text}");
    for wrong in [&["--relative-to", "tail"][..], &["--relative-to", "hips", "--space", "local"]] {
        assert_eq!(code(&sinew(&[&["diff", &a, &b][..], wrong].concat())), 1, "{wrong:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let characters = Characters::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["sample", &characters.glb(TRACKED), "--rate", "5000", "--clip", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn numbers_that_are_none_are_usage() {
    let characters = Characters::new();
    let (file, target) = (characters.glb(TRACKED), characters.path("never.glb"));
    for option in ["--resample=0", "--resample=-3", "--resample=nan", "--trim=0.5:0.2", "--trim=-1:2"] {
        assert_eq!(code(&sinew(&["convert", &file, &target, option])), 1, "{option}");
    }
    for option in ["--limit-mm=nan", "--limit-deg=-1", "--limit-scale=nan", "--limit-weight=-0.1", "--rate=0"]
    {
        assert_eq!(code(&sinew(&["diff", &file, &file, option])), 1, "{option}");
    }
    // A span that the clip does not have is the clip's matter, and names it.
    let outside = sinew(&["convert", &file, &target, "--clip", "0", "--trim", "5000:6000"]);
    assert_eq!(code(&outside), 3);
    assert!(stderr(&outside).contains("clip '"), "{}", stderr(&outside));
    // Nothing is written over what is read.
    assert_eq!(code(&sinew(&["convert", &file, &file])), 1);
}

#[test]
fn a_clip_named_twice_is_written_once() {
    let characters = Characters::new();
    let (file, target) = (characters.glb(TRACKED), characters.path("once.glb"));
    let report = json(&["convert", &file, &target, "--clip", "0", "--clip", "0", "--format", "json"]);
    assert_eq!(report["clips"].as_array().unwrap().len(), 1);
}

#[test]
fn a_clip_cut_short_differs_from_the_whole() {
    let characters = Characters::new();
    let (file, target) = (characters.glb(TRACKED), characters.path("short.glb"));
    let whole = json(&["convert", &file, &target, "--clip", "0", "--format", "json"]);
    let half = whole["clips"][0]["duration"].as_f64().unwrap() / 2.0;
    let span = format!("0:{half}");
    assert_eq!(code(&sinew(&["convert", &file, &target, "--clip", "0", "--trim", &span])), 0);
    let wide = ["--limit-mm", "1e9", "--limit-deg", "1e9", "--limit-scale", "1e9"];
    let found = sinew(&[&["diff", &file, &target, "--clip", "0"][..], &wide[..]].concat());
    assert_eq!(code(&found), 7, "{}", stdout(&found));
    assert!(stdout(&found).contains("lasts"), "{}", stdout(&found));
}
