//! `sinew bake distance` on characters that people made, in the folder `data` of what `SINEW_SHARED` names: what
//! travels is baked as it travels, what stands or is uncertain is refused with the reason, and what was baked passes
//! the audit and is matched from its first metre to its last. Where `SINEW_SHARED` is not set there is nothing to check.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sinew::{
    DistanceCurve, MatchSettings, MatchState, MatchStatus, MatchStep, RawClip, Travel, advance_by_distance,
    match_to_target, playrate_to_speed, set_up_matching,
};
use sinew_asset::{ReadOptions, load};
use sinew_audit::{Code, Limits, Severity, audit};
use tempfile::TempDir;

const DT: f64 = 1.0 / 60.0;
const START_STOP: &str = "derived_pab_start_stop/run_start_stop.glb";

#[expect(clippy::print_stdout, reason = "a test that checks nothing says so")]
fn data() -> Option<PathBuf> {
    let Some(shared) = std::env::var_os("SINEW_SHARED") else {
        println!("SINEW_SHARED is not set: nothing was checked");
        return None;
    };
    Some(PathBuf::from(shared).join("data"))
}

/// Bakes one clip: its report, or what stderr says.
fn bake(input: &Path, output: &Path, clip: usize, options: &[&str]) -> Result<Value, String> {
    let clip = clip.to_string();
    let out = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["bake", "distance", "--format", "json", "--clip", &clip])
        .args(options)
        .args([input, output])
        .output()
        .unwrap();
    if out.status.success() {
        return Ok(serde_json::from_slice(&out.stdout).unwrap());
    }
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(3), "{said}");
    Err(said)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Kind, seconds and metres of each marker.
fn markers(report: &Value) -> Vec<(&str, f64, f64)> {
    let markers = report["markers"].as_array().unwrap();
    markers
        .iter()
        .map(|m| (m["kind"].as_str().unwrap(), number(&m["time"]), number(&m["distance_m"])))
        .collect()
}

/// The file with every clip of it baked that goes somewhere, one after the other.
fn baked(data: &Path, folder: &TempDir, clips: &[usize]) -> (PathBuf, Vec<Value>) {
    let (mut from, mut reports) = (data.join(START_STOP), Vec::new());
    for clip in clips {
        let to = folder.path().join(format!("{clip}.glb"));
        reports.push(bake(&from, &to, *clip, &[]).unwrap());
        from = to;
    }
    (from, reports)
}

#[test]
fn loops_are_as_long_as_their_roots_go() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    // Metres between the first and the last translation key of 'Hips'; of the run, the stride that the derived
    // clip was made with.
    for (file, clip, metres) in [
        (START_STOP, 0, 2.5),
        (START_STOP, 1, 3.346_314),
        (START_STOP, 2, 1.425_3),
        ("pab_locomotions/locomotions.glb", 0, 2.5),
        ("pab_locomotions/locomotions.glb", 1, 3.346_314),
        ("pab_locomotions/locomotions.glb", 2, 1.425_3),
        ("pab_run/run.glb", 4, 3.346_314),
        // Cameras and a sky stand far around this one.
        ("pab_walk/walk.glb", 3, 1.425_3),
    ] {
        let report = bake(&data.join(file), &out, clip, &[]).unwrap();
        assert_eq!(report["root"], "Hips", "{file} {clip}");
        assert_eq!(markers(&report), [], "{file} {clip}");
        let curve = &report["curves"][0];
        assert_eq!(curve["kind"], "loop");
        assert!((number(&curve["range_m"]) - metres).abs() < 2e-3, "{file} {clip}: {curve}");
        // Its first key is a frame late. From there on it goes at an even speed, the run at 5.0195 m/s.
        let [start, end] = [0, 1].map(|i| number(&curve["span"][i]));
        assert!((start - 1.0 / 30.0).abs() < 1e-6, "{file} {clip}: {curve}");
        let speed = metres / (end - start);
        assert!((number(&curve["end_speed"]) - speed).abs() < 0.15 * speed, "{file} {clip}: {curve}");
        assert!(metres < 3.0 || (speed - 5.019_47).abs() < 1e-3, "{file} {clip}: {speed} m/s");
        // A loop that never goes back leaves nothing to the pelvis.
        assert!(number(&curve["largest_remainder_mm"]) < 0.1, "{file} {clip}: {curve}");
    }
}

#[test]
fn the_start_and_the_stop_of_one_clip_are_where_it_was_made_to_have_them() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (file, reports) = baked(&data, &folder, &[4]);
    let made = std::fs::read(data.join("derived_pab_start_stop/distance.json")).unwrap();
    let made: Value = serde_json::from_slice(&made).unwrap();
    let list = |name: &str| made[name].as_array().unwrap().iter().map(number).collect::<Vec<_>>();
    let (times, metres) = (list("t"), list("d"));
    let whole = metres[metres.len() - 1];
    // The curve is that of the hips, which sway round the way that the clip was made with.
    let sway = 0.05;
    let found = markers(&reports[0]);
    let kinds: Vec<&str> = found.iter().map(|m| m.0).collect();
    assert_eq!(kinds, ["start", "stop"]);
    assert!(
        found[0].1 == 0.0 && (found[1].1 - 3.2).abs() < 1e-6 && (found[1].2 - whole).abs() < sway,
        "{found:?}"
    );
    let document = load(&file, &ReadOptions::default()).unwrap().document;
    let curve = |name| set_up_matching(&document.clips[4].curves, name, |time| time).unwrap();
    let (start, stop) = (curve("distance/0"), curve("distance/1"));
    for (time, metres) in times.iter().zip(&metres) {
        assert!(
            (start.signed_at(*time) - metres).abs() < sway,
            "{time} s: {} {metres}",
            start.signed_at(*time)
        );
        assert!(
            (stop.signed_at(*time) - (metres - whole)).abs() < sway,
            "{time} s: {}",
            stop.signed_at(*time)
        );
    }
}

#[test]
fn what_was_baked_passes_the_rules_of_distance() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = baked(&data, &folder, &[0, 1, 2, 4]);
    let limits = Limits::from_toml("[audit.distance-range]\ntop-speed = 5.02\nacceleration = 5.577").unwrap();
    let report = audit(&load(&file, &ReadOptions::default()).unwrap(), &limits);
    let rules = [
        Code::DistanceOrder,
        Code::DistanceStorage,
        Code::DistanceRange,
        Code::DistanceSpeed,
        Code::DistanceTiming,
        Code::DistanceReversal,
        Code::DistanceRoot,
    ];
    let found: Vec<_> =
        report.findings.iter().filter(|f| rules.contains(&f.code) && f.severity > Severity::Info).collect();
    assert!(found.is_empty(), "{found:#?}");
    // Half a metre more to get up to speed than there is: that is found.
    let limits = Limits::from_toml("[audit.distance-range]\ntop-speed = 5.02\nacceleration = 1.04").unwrap();
    let report = audit(&load(&file, &ReadOptions::default()).unwrap(), &limits);
    assert_eq!(report.findings.iter().filter(|f| f.code == Code::DistanceRange).count(), 1);
}

/// What a way through the clips came to.
#[derive(Debug, Default)]
struct Way {
    travelled: f64,
    parts: f64,
    slid: f64,
    offset: f64,
    rates: Vec<f64>,
}

impl Way {
    fn see(&mut self, step: &MatchStep, limits: &MatchSettings) {
        let a = &step.account;
        self.travelled += a.travelled;
        self.parts += a.matched + a.warped + a.offset + a.slid;
        self.slid += a.slid.abs();
        self.offset = self.offset.max(step.offset.abs());
        assert!((0.0..=limits.max_rate).contains(&step.rate), "{step:?}");
        self.rates.push(step.rate);
    }
}

fn curve(clip: &RawClip, name: &str) -> DistanceCurve {
    set_up_matching(&clip.curves, name, |time| time).unwrap()
}

/// A capsule that speeds up at `acceleration` to the speed of the run, goes on and brakes as evenly, through start,
/// loop and stop.
fn go(data: &Path, acceleration: f64) -> Way {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = baked(data, &folder, &[1, 4]);
    let clips = load(&file, &ReadOptions::default()).unwrap().document.clips;
    let (start, stop) = (curve(&clips[4], "distance/0"), curve(&clips[4], "distance/1"));
    let cycle = curve(&clips[1], "distance").into_loop().unwrap();
    let (top, braking) = (5.019_471_6, 5.577);
    let (mut way, mut went) = (Way::default(), 0.0);
    let (mut speed, mut state): (f64, _) = (0.0, MatchState::at_start(&start));
    let settings = MatchSettings::start();
    // Up to speed and half a second on, within the start.
    while went < top * top / (2.0 * acceleration) + 0.5 * top {
        speed = (speed + acceleration * DT).min(top);
        let step =
            advance_by_distance(&start, &settings, &mut state, Travel { travelled: speed * DT, dt: DT })
                .unwrap();
        way.see(&step, &settings);
        went += speed * DT;
    }
    let (settings, mut next) = (MatchSettings::cycle(), MatchState::at_start(&cycle).carrying_on(&state));
    for _ in 0..120 {
        let step = playrate_to_speed(&cycle, &settings, &mut next, Travel { travelled: speed * DT, dt: DT })
            .unwrap();
        way.see(&step, &settings);
        went += speed * DT;
    }
    // What is left, frame by frame of braking.
    let mut steps = Vec::new();
    while speed > 0.0 {
        speed = (speed - braking * DT).max(0.0);
        steps.push(speed * DT);
    }
    let mut left: f64 = steps.iter().sum();
    went += left;
    let settings = MatchSettings::stop();
    let mut state = MatchState::at_remaining(&stop, left).carrying_on(&next);
    for travelled in steps.into_iter().chain([0.0; 120]) {
        left = (left - travelled).max(0.0);
        let step = match_to_target(&stop, &settings, &mut state, left, Travel { travelled, dt: DT }).unwrap();
        way.see(&step, &settings);
        if let MatchStatus::Exhausted { .. } = step.status {
            way.travelled += step.account.handed_on;
            way.parts += step.account.handed_on;
            break;
        }
    }
    assert!((state.time() - stop.span()[1]).abs() < 1e-9, "it stands at the end of the stop: {state:?}");
    assert!((way.travelled - went).abs() < 1e-6, "{} of {went} m", way.travelled);
    way
}

#[test]
fn a_capsule_as_the_clip_was_made_is_matched_at_rate_one() {
    let Some(data) = data() else { return };
    let way = go(&data, 5.577);
    assert!((way.travelled - way.parts).abs() < 1e-6 && way.slid == 0.0, "{} {} m", way.travelled, way.slid);
    assert!(way.offset < 0.05, "{} m", way.offset);
    let far = way.rates.iter().filter(|rate| (*rate - 1.0).abs() > 0.5).count();
    assert!(far * 20 < way.rates.len(), "{far} of {} frames", way.rates.len());
}

#[test]
fn a_capsule_four_times_as_fast_off_the_mark_is_matched_within_the_limits() {
    let Some(data) = data() else { return };
    let way = go(&data, 20.48);
    assert!((way.travelled - way.parts).abs() < 1e-6 && way.slid == 0.0, "{} {} m", way.travelled, way.slid);
    let most = way.rates.iter().fold(0.0, |most: f64, rate| most.max(*rate));
    assert!(way.offset <= 0.15 && most <= 2.5, "{} m, {most}", way.offset);
}

#[test]
fn clips_that_stand_are_refused_and_so_are_feet_that_do_not_agree() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    let refused = |file: &str, clip, said: &str| {
        let error = bake(&data.join(file), &out, clip, &[]).unwrap_err();
        assert!(error.contains(said) && !out.exists(), "{file} {clip}: {error}");
    };
    // Footsteps, a camera, an idle, a fighter on the spot: nothing goes anywhere.
    refused(START_STOP, 3, "the clip stands");
    refused("pab_run/run.glb", 0, "the clip stands");
    refused("m2m_fox/fox-animations.glb", 6, "the clip stands");
    refused("cmu_30hz/cmu_02_05.glb", 0, "the clip stands");
    refused("cesium_man/cesium_man.gltf", 0, "give the speed by --speed");
    let report = bake(&data.join("cesium_man/cesium_man.gltf"), &out, 0, &["--speed", "0.75"]).unwrap();
    assert!((number(&report["feet"]["speed"]) - 0.75).abs() < 1e-9);
    std::fs::remove_file(&out).unwrap();
    // A speed for a clip whose root travels would be passed over: that is said.
    let error = bake(&data.join(START_STOP), &out, 1, &["--speed", "3"]).unwrap_err();
    assert!(error.contains("--speed is for clips in place, and 'Hips' travels"), "{error}");
    assert!(!out.exists());
}

/// In place, in centimetres without a word about it.
#[test]
fn a_file_in_centimetres_is_told_by_its_feet_and_by_its_size() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    let fox = data.join("fox/Fox.glb");
    assert!(bake(&fox, &out, 0, &[]).unwrap_err().contains("the clip stands"));
    let error = bake(&fox, &out, 1, &[]).unwrap_err();
    assert!(error.contains("give the speed by --speed"), "{error}");
    let report = bake(&fox, &out, 1, &["--speed", "120"]).unwrap();
    assert!((number(&report["curves"][0]["range_m"]) - 120.0 * number(&report["duration"])).abs() < 1e-3);
    let problems = report["problems"].to_string();
    assert!(problems.contains("103.456 m large") && problems.contains("not in metres"), "{problems}");
}
