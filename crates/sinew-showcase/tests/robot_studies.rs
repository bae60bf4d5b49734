//! Promise: the robot's three studies hold every number they promise; the numbers are found once more in the files
//! they write; records are complete, the same every time, and the bytes they were when the golden file was written.
//!
//! `SINEW_BLESS=1` writes the golden file anew.

mod record_files;

use std::array;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use glam::{DMat4, DQuat, DVec3};
use record_files::{digest, table};
use serde_json::Value;
use sinew::action::Euler;
use sinew::{DTransform, RawPose, model_matrices};
use sinew_asset::{Document, ReadOptions, load};
use sinew_showcase::robot::{Robot, RobotLegs};
use sinew_showcase::{RecordFacts, StudyResult, run};

const STUDIES: [(&str, usize); 3] = [("head-dip", 25), ("body-shake", 23), ("core-deployment", 39)];
const LEGS: [&str; 6] = ["L_01", "L_02", "L_03", "R_01", "R_02", "R_03"];

fn study(name: &str, folder: &Path) -> (StudyResult, Document) {
    let result = run(name, folder).unwrap();
    let loaded = load(folder.join(&result.documents[0].file), &ReadOptions::default()).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    (result, loaded.document)
}

/// Frames of a clip of a file: local transforms and model matrices by bone.
fn frames(document: &Document, clip: usize) -> Vec<(RawPose, Vec<DMat4>)> {
    let last = (document.clips[clip].duration() * 30.0).round() as u32;
    let at = |frame: u32| {
        let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
        let seconds = f64::from((f64::from(frame) / 30.0) as f32);
        document.clips[clip].sample(&document.skeleton, seconds, &mut pose);
        model_matrices(&document.skeleton, &pose, &mut model_ms);
        (pose, model_ms)
    };
    (0..=last).map(at).collect()
}

fn bone(document: &Document, name: &str) -> usize {
    document.skeleton.find(name).unwrap().index()
}

#[test]
fn every_promise_holds() {
    let folder = tempfile::tempdir().unwrap();
    for (name, count) in STUDIES {
        let result = run(name, folder.path()).unwrap();
        let broken: Vec<_> = result.promises.iter().filter(|p| !p.holds).collect();
        assert!(broken.is_empty(), "{name}: {broken:#?}");
        assert_eq!(result.promises.len(), count, "{name}");
        let mut said: Vec<&str> = result.promises.iter().map(|p| p.promise.as_str()).collect();
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), count, "{name}: each promise has words of its own");
    }
}

#[test]
fn the_head_jumps_in_the_file_as_in_the_record_and_all_else_stands_still() {
    let folder = tempfile::tempdir().unwrap();
    let (_, document) = study("head-dip", folder.path());
    let clip = frames(&document, 0);
    assert_eq!(clip.len(), 151);
    let head = bone(&document, "Head_01");
    let pitch = |frame: usize| {
        // From where the head's forward axis points, without the library's own angles.
        let forward = clip[frame].0.local[head].rotation * DVec3::Z;
        libm::asin(forward.y).to_degrees()
    };
    assert!((pitch(50) + 16.55).abs() < 5e-3 && (pitch(51) + 25.35).abs() < 5e-3);
    assert!((pitch(60) + 30.0).abs() < 1e-3 && (pitch(70) + 30.0).abs() < 1e-3);
    assert!((0..=30).all(|frame| pitch(frame) == pitch(0)) && pitch(31) < pitch(0));
    assert!((pitch(150) - pitch(0)).abs() < 1e-6);
    let csv = table(&folder.path().join("head-dip/dip/frames.csv"));
    for frame in 0..151 {
        assert!((csv["head_pitch_deg"][frame] - pitch(frame)).abs() < 1e-4);
    }
    // The envelope: nothing outside the action, the window's own curve inside it, 1 past it.
    let weight = &csv["head_weight"];
    assert!(weight[..=30].iter().chain(&weight[120..]).all(|w| *w == 0.0));
    assert!((weight[50] - 0.695).abs() < 1e-4 && weight[51..=104].iter().all(|w| *w == 1.0));
    assert_eq!((csv["head_blend_in"][50], csv["head_blend_in"][51]), (1.0, 0.0));
    // Zero and nothing are told apart.
    assert!(csv["curve_head_yaw_from"].iter().all(|v| *v == 0.0));
    assert!(csv["curve_head_roll_from"].iter().all(|v| *v == 2.0));
    assert!(csv["curve_body_z_from"].iter().all(|v| *v == 1.0));
    assert!(csv["curve_body_z"].iter().all(|v| (v - 0.72).abs() < 1e-9));
    // Bones of legs are solved anew in each frame; the last digit of single precision may differ, no more.
    let moves = |track: &sinew::Track| {
        (0..track.len()).any(|key| {
            let values = track.key_value(key).iter().zip(track.key_value(0));
            values.fold(0.0_f32, |most, (a, b)| most.max((a - b).abs())) > 2e-7
        })
    };
    let channels = document.clips[0].channels.iter().filter(|c| moves(&c.track));
    let moving: Vec<String> = channels.map(|c| document.skeleton.label(c.joint)).collect();
    assert_eq!(moving, ["Head_01"]);
}

#[test]
fn replays_hold_what_they_say_and_differ_in_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    run("head-dip", folder.path()).unwrap();
    let read = |run: &str| table(&folder.path().join("head-dip").join(run).join("frames.csv"));
    let (dip, curve, weight) = (read("dip"), read("curve-held"), read("weight-held"));
    assert!(curve["curve_time_s"].iter().all(|t| (t - 20.0 / 30.0).abs() < 1e-8));
    assert_eq!(curve["head_weight"], dip["head_weight"]);
    assert!(weight["head_weight"].iter().all(|w| *w == 1.0));
    assert_eq!(weight["curve_head_pitch_deg"], dip["curve_head_pitch_deg"]);
    assert_eq!(weight["time_s"], dip["time_s"]);
    let step = |t: &BTreeMap<String, Vec<f64>>| t["head_pitch_deg"][51] - t["head_pitch_deg"][50];
    assert!((step(&weight) + step(&curve) - step(&dip)).abs() < 1e-6);
}

#[test]
fn soles_stand_and_legs_do_not_jump_in_the_file_of_the_shake() {
    let folder = tempfile::tempdir().unwrap();
    let (_, document) = study("body-shake", folder.path());
    let clip = frames(&document, 0);
    assert_eq!(clip.len(), 172);
    // Anchors from the robot at rest, which is made without the solver.
    let robot = Robot::new().unwrap();
    let mut rest_ms = Vec::new();
    model_matrices(&robot.skeleton, &RawPose::rest(&robot.skeleton), &mut rest_ms);
    let mut body = [f64::INFINITY, f64::NEG_INFINITY];
    for (leg, name) in robot.legs.iter().zip(LEGS) {
        let sole = |model_ms: &[DMat4], foot: usize| model_ms[foot].transform_point3(DVec3::NEG_Y * 0.6);
        let anchor = sole(&rest_ms, leg.foot.index());
        let foot = bone(&document, &format!("{name}_Foot"));
        for (frame, (_, model_ms)) in clip.iter().enumerate() {
            let off = (sole(model_ms, foot) - anchor).length();
            assert!(off < 5e-6, "{name}, frame {frame}: {off} m in single precision");
            let height = model_ms[bone(&document, "Body_01")].w_axis.y;
            body = [body[0].min(height), body[1].max(height)];
        }
        for part in ["Upper", "Lower", "Ankle", "Foot"] {
            let joint = bone(&document, &format!("{name}_{part}"));
            let turned = |m: &DMat4| DTransform::rigid_part(m).rotation;
            for pair in clip.windows(2) {
                let turn = DTransform::angle_between(turned(&pair[0].1[joint]), turned(&pair[1].1[joint]));
                assert!(turn < 4.0_f64.to_radians(), "{name}_{part}: {turn} rad, a degree inside the limit");
            }
        }
    }
    // The body did go down by 80 cm.
    assert!((body[0] - 6.4).abs() < 0.02 && (body[1] - 7.2).abs() < 0.01, "{body:?}");
    let head = bone(&document, "Head_01");
    let angles: Vec<Euler> =
        clip.iter().map(|(_, m)| Euler::from_quat(DTransform::rigid_part(&m[head]).rotation)).collect();
    let highest = (0..172).max_by(|a, b| angles[*a].pitch.total_cmp(&angles[*b].pitch)).unwrap();
    let least = (0..172).min_by(|a, b| angles[*a].yaw.total_cmp(&angles[*b].yaw)).unwrap();
    assert_eq!((highest, least), (62, 85));
}

/// Distance between two segments: from each to the other in turn, which is all that convex needs.
fn apart([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let nearest = |from: DVec3, to: DVec3, p: DVec3| {
        from.lerp(to, ((p - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0))
    };
    let mut p = a.midpoint(b);
    for _ in 0..200 {
        p = nearest(a, b, nearest(c, d, p));
    }
    (p - nearest(c, d, p)).length()
}

#[test]
fn turns_room_gaps_and_heights_of_the_legs_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (result, document) = study("body-shake", folder.path());
    let robot = Robot::new().unwrap();
    let legs = RobotLegs::new(&robot).unwrap();
    let (mut rest_ms, body) = (Vec::new(), bone(&document, "Body_01"));
    model_matrices(&robot.skeleton, &RawPose::rest(&robot.skeleton), &mut rest_ms);
    let (mut turn, mut room, mut gap, mut height) =
        (0.0_f64, [f64::INFINITY; 5], f64::INFINITY, f64::INFINITY);
    let clip = frames(&document, 0);
    for (leg, (bones, name)) in robot.legs.iter().zip(LEGS).enumerate() {
        let parts = ["Coxa", "Upper", "Lower", "Ankle", "Foot"]
            .map(|part| bone(&document, &format!("{name}_{part}")));
        let geometry = legs.geometry(leg);
        let limits = &geometry.limits;
        let outward = (rest_ms[bones.upper.index()].w_axis - rest_ms[bones.coxa.index()].w_axis).truncate();
        let mut before: Option<[DQuat; 5]> = None;
        for (_, model_ms) in &clip {
            let up = model_ms[body].y_axis.truncate();
            let p = parts.map(|part| model_ms[part].w_axis.truncate());
            let along = |i: usize| p[i + 1] - p[i];
            // Where each part points in the plane of the leg, up from the coxa, which only turns about the body's up.
            let elevation = |i: usize| libm::atan2(along(i).dot(up), along(i).dot(along(0).normalize()));
            let bend = |i: usize| {
                let angle = elevation(i) - elevation(i - 1);
                angle - TAU * (angle / TAU).round()
            };
            let down = -model_ms[parts[4]].y_axis.truncate();
            let yaw = model_ms[body].transform_vector3(outward).angle_between(along(0));
            let inside = |[min, max]: [f64; 2], angle: f64| (angle - min).min(max - angle);
            let here = [
                limits.yaw[1] - yaw,
                inside(limits.hip, elevation(1)),
                inside(limits.knee, bend(2)),
                inside(limits.ankle, bend(3)),
                limits.foot[1] - along(3).angle_between(down),
            ];
            room = array::from_fn(|i| room[i].min(here[i]));
            let r = geometry.radii;
            for (a, b) in [(0, 2), (0, 3), (1, 3)] {
                gap = gap.min(apart([p[a], p[a + 1]], [p[b], p[b + 1]]) - r[a] - r[b]);
            }
            for i in 1..4 {
                height = height.min(p[i].y - r[i - 1].max(r[i]));
            }
            let turned = parts.map(|part| DTransform::rigid_part(&model_ms[part]).rotation);
            for (now, before) in turned.iter().zip(before.iter().flatten()).skip(1) {
                turn = turn.max(DTransform::angle_between(*now, *before));
            }
            before = Some(turned);
        }
    }
    let promised = |words: &str| {
        let found: Vec<_> = result.promises.iter().filter(|p| p.promise.contains(words)).collect();
        assert_eq!(found.len(), 1, "{words}");
        found[0].measured
    };
    // Yaw goes to both sides alike.
    assert!(legs.geometry(0).limits.yaw[0] == -legs.geometry(0).limits.yaw[1]);
    let room = room.into_iter().fold(f64::INFINITY, f64::min);
    for (words, found, tolerance) in [
        ("largest turn of them", turn.to_degrees(), 1e-3),
        ("least room", room.to_degrees(), 1e-3),
        ("least gap", gap, 1e-4),
        ("least height", height, 1e-5),
    ] {
        assert!((promised(words) - found).abs() < tolerance, "{words}: {} and {found}", promised(words));
    }
}

#[test]
fn twice_the_amplitude_stops_and_says_where_and_why() {
    let folder = tempfile::tempdir().unwrap();
    run("body-shake", folder.path()).unwrap();
    let path = folder.path().join("body-shake/twice");
    let facts: RecordFacts =
        serde_json::from_str(&fs::read_to_string(path.join("record.json")).unwrap()).unwrap();
    let failure = &facts.settings["first_failing_frame"];
    let frame = failure["frame"].as_u64().unwrap();
    assert_eq!((facts.frames, frame), (54, 54), "all before it are there");
    assert!((failure["time_s"].as_f64().unwrap() - frame as f64 / 30.0).abs() < 1e-12);
    assert!(failure["cause"].as_str().unwrap().contains("turned"), "{failure:#}");
    assert!(LEGS.contains(&failure["leg"].as_str().unwrap()));
    for number in ["ankle_offset_deg", "body_pitch_deg", "body_yaw_deg", "body_roll_deg"] {
        assert!(failure[number].as_f64().unwrap().is_finite(), "{number}");
    }
    let deltas = failure["joint_deltas"].as_array().unwrap();
    assert_eq!(deltas.len(), 4);
    assert!(deltas.iter().any(|d| d["turn_deg"].as_f64().unwrap() > 5.0));
    // What the shake itself has: no failure, and room left everywhere.
    let path = folder.path().join("body-shake/shake");
    let facts: RecordFacts =
        serde_json::from_str(&fs::read_to_string(path.join("record.json")).unwrap()).unwrap();
    assert_eq!(facts.settings["first_failing_frame"], Value::Null);
    let csv = table(&path.join("frames.csv"));
    for leg in LEGS {
        let leg = leg.to_lowercase();
        assert!(csv[&format!("{leg}_room_deg")].iter().all(|room| *room > 10.0));
        assert!(csv[&format!("{leg}_gap_m")].iter().all(|gap| *gap > 1.0));
        assert!(csv[&format!("{leg}_turn_deg")].iter().all(|turn| *turn < 3.5));
    }
}

#[test]
fn the_core_comes_out_and_what_is_no_part_of_the_head_does_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let (result, document) = study("core-deployment", folder.path());
    let (head, core) = (bone(&document, "Head_01"), bone(&document, "Core_01"));
    let inside = |mut joint: usize| loop {
        match document.skeleton.joints()[joint].parent {
            _ if joint == head => return true,
            Some(parent) => joint = parent.index(),
            None => return false,
        }
    };
    assert_eq!((0..87).filter(|joint| inside(*joint)).count(), 20);
    let place_cm = |clip: usize, frame: usize| {
        let (_, model_ms) = &frames(&document, clip)[frame];
        (model_ms[head].inverse() * model_ms[core]).w_axis.truncate() * 100.0
    };
    let (first, last) = (place_cm(0, 0), place_cm(0, 110));
    assert!((first.y - 100.03).abs() < 5e-3 && (last.y - 237.52).abs() < 5e-3, "{first} {last}");
    assert!(((last - first).length() - 137.53).abs() < 5e-3);
    // Held at both ends.
    assert!((place_cm(0, 30) - first).length() < 1e-9 && (place_cm(0, 80) - last).length() < 1e-9);
    for (index, clip) in document.clips.iter().enumerate() {
        for channel in clip.channels.iter().filter(|c| !inside(c.joint.index())) {
            assert!(
                channel.track.is_constant(),
                "{} in clip {index}",
                document.skeleton.label(channel.joint)
            );
        }
        let end = place_cm(index, 110).y;
        let expected = [237.52, 120.03, 100.03, 120.03, 100.03][index];
        assert!((end - expected).abs() < 5e-3, "clip {index}: {end}");
    }
    // The head is turned as its track has it and not as it was before, in a body that is turned as well. A turn
    // as three of glTF's axes: nose up about -X, left about +Y, right side down about +Z.
    let turn = |[pitch, yaw, roll]: [f64; 3]| {
        let [pitch, yaw, roll] = [pitch, yaw, roll].map(f64::to_radians);
        DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(-pitch) * DQuat::from_rotation_z(roll)
    };
    let of_track = turn([6.0, -9.0, 2.0]);
    for clip in 0..5 {
        let clip = frames(&document, clip);
        for (pose, _) in [&clip[0], &clip[55], &clip[110]] {
            assert!(DTransform::angle_between(pose.local[head].rotation, of_track) < 1e-6);
            assert!(DTransform::angle_between(pose.local[head].rotation, turn([-3.0, 14.0, -5.0])) > 0.3);
        }
    }
    // Bound by name: a record of each track, and hardly an index that agrees.
    let path = folder.path().join("core-deployment/complete/record.json");
    let facts: RecordFacts = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let bound = facts.settings["bound"].as_array().unwrap();
    assert_eq!(bound.len(), 20);
    for track in bound {
        assert_eq!(track["source_bone"], track["target_bone"]);
        assert_ne!(track["source_index"], track["target_index"]);
    }
    let of_core = bound.iter().find(|t| t["target_bone"] == "Core_01").unwrap();
    assert_eq!(of_core["target_parent"], "Head_01");
    assert_eq!(facts.settings["unbound"].as_array().unwrap().len(), 13);
    assert_eq!(result.documents[0].document.clips.len(), 5);
}

#[test]
fn what_the_pages_need_is_there() {
    let folder = tempfile::tempdir().unwrap();
    for (name, _) in STUDIES {
        let result = run(name, folder.path()).unwrap();
        let one = &result.documents[0];
        assert!(folder.path().join(&one.file).is_file());
        assert!(one.document.clips.iter().all(|c| c.validate(&one.document.skeleton).is_ok()));
        for plot in &result.plots {
            assert_eq!(plot.clip, Some(0));
            assert!(!plot.description.is_empty() && !plot.series.is_empty(), "{}", plot.title);
            let points = plot.series.iter().flat_map(|s| &s.points);
            assert!(points.clone().all(|p| p[0].is_finite() && p[1].is_finite()), "{}", plot.title);
            let last = points.map(|p| p[0]).fold(0.0, f64::max);
            assert!((last - one.document.clips[0].duration()).abs() < 1e-6, "{}", plot.title);
        }
        assert!(result.text.iter().all(|s| !s.heading.is_empty() && !s.paragraphs.is_empty()));
    }
}

#[test]
fn records_are_complete_and_the_bytes_they_always_were() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut digests = String::new();
    for (name, _) in STUDIES {
        let result = run(name, one.path()).unwrap();
        run(name, two.path()).unwrap();
        for file in &result.files {
            let bytes = fs::read(one.path().join(file)).unwrap();
            assert_eq!(bytes, fs::read(two.path().join(file)).unwrap(), "{}", file.display());
            if file.ends_with("playback.glb") {
                // What is in it is held to other evaluators; its bytes name the version that wrote it.
                continue;
            }
            digests += &digest(one.path(), file);
            let text = String::from_utf8(bytes).unwrap();
            if !file.ends_with("record.json") {
                continue;
            }
            let facts: RecordFacts = serde_json::from_str(&text).unwrap();
            let folder = one.path().join(file.parent().unwrap());
            assert!(facts.files.iter().all(|f| folder.join(f).is_file()));
            let csv = table(&folder.join("frames.csv"));
            assert_eq!(csv.len(), facts.columns.len());
            assert!(
                facts.columns.iter().all(|c| csv[&c.name].len() == facts.frames && !c.meaning.is_empty())
            );
            assert!(facts.settings["keys_are"].as_str().unwrap().starts_with("ours"));
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/robot_studies.golden");
    if std::env::var_os("SINEW_BLESS").is_some() {
        fs::write(&golden, &digests).unwrap();
    }
    assert_eq!(digests, fs::read_to_string(golden).unwrap());
}
