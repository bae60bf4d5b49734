//! The moment at which a distance is reached: the inverse of a curve of distance.
//!
//! `time_at_distance` names the curve: `times` and `distances`, or of `animation` the stored curve `curve`
//! (`distance` where missing), or, where the clip stores none, the way of its root (`root` by name where it is not
//! to be found from the motion; `marker` counts where there are several). Then `distance`, metres, negative to go
//! and positive travelled, and what comes of it: `time` within the tolerance of times, or `error`, a part of its
//! message. Outside of the curve it is the end next to it.

use serde_json::json;
use sinew::locomotion::{
    DISTANCE_CURVE, DistanceBakeJob, DistanceBakeSettings, DistanceCurve, LocomotionError,
};
use sinew::{Curve, Interpolation};

use crate::Files;
use crate::values::{Check, near, numbers};

pub(crate) fn time_at_distance(check: &Check<'_>, files: &mut Files) -> Result<(), String> {
    let curve = curve(check, files)?;
    if check.has("error") {
        let expected = check.text("error")?;
        return match curve {
            Err(error) if error.to_string().contains(expected) => Ok(()),
            Err(error) => Err(format!("{error}, expected '{expected}'")),
            Ok(_) => Err(format!("no error, expected '{expected}'")),
        };
    }
    let found = curve.map_err(|e| e.to_string())?.time_at(check.number("distance")?);
    near("time", check.number("time")?, found, check.tolerance("time"))
}

fn curve(check: &Check<'_>, files: &mut Files) -> Result<Result<DistanceCurve, LocomotionError>, String> {
    let name = check.value("curve").as_str().unwrap_or(DISTANCE_CURVE);
    if let Some(times) = numbers(check.value("times")) {
        let distances = numbers(check.value("distances")).ok_or("the check has no 'distances'")?;
        let values: Vec<f32> = distances.iter().map(|d| *d as f32).collect();
        let curve = Curve::new(name, times, values, Interpolation::Linear).map_err(|e| e.to_string())?;
        return Ok(DistanceCurve::from_clip_curves(&[curve], name));
    }
    let loaded = files.get(check.file())?;
    let clip = crate::pose::clip(loaded, check.value("animation"))?;
    if check.has("curve") || clip.curves.iter().any(|c| c.name == name) {
        return Ok(DistanceCurve::from_clip_curves(&clip.curves, name));
    }
    let skeleton = &loaded.document.skeleton;
    let root = match check.value("root").as_str() {
        Some(root) => Some(skeleton.find(root).ok_or_else(|| format!("no joint '{root}'"))?),
        None => None,
    };
    let settings = DistanceBakeSettings { root, ..DistanceBakeSettings::default() };
    let baked = DistanceBakeJob { skeleton, clip, settings: &settings }.run();
    let marker = check.value("marker").as_u64().unwrap_or(0) as usize;
    match baked {
        Ok(mut baked) if marker < baked.curves.len() => Ok(Ok(baked.curves.swap_remove(marker))),
        Ok(baked) => Err(format!("no marker {marker} of {}", baked.curves.len())),
        Err(error) => Ok(Err(error)),
    }
}

/// Straight lines, whose inverse is known, and keys that have none.
#[test]
fn moments_of_known_lines_are_told_from_wrong_ones() {
    let mut files = Files::new(std::path::Path::new("."));
    let tolerance = json!({ "time": 1e-6 });
    let mut run = |check: serde_json::Value| time_at_distance(&Check::new(&check, &tolerance), &mut files);
    let stop = |distance: f64, time: f64| json!({ "times": [0, 0.5, 1], "distances": [-3, -1, 0], "distance": distance, "time": time });
    // Half way down the first line, a quarter down the second, and beyond both ends.
    for (distance, time) in [(-2.0, 0.25), (-0.75, 0.625), (-3.0, 0.0), (0.0, 1.0), (-9.0, 0.0), (1.0, 1.0)] {
        run(stop(distance, time)).unwrap();
        run(stop(distance, time + 0.01)).unwrap_err();
    }
    let level =
        |error: &str| json!({ "times": [0, 0.5, 1], "distances": [0, 1, 1], "distance": 1, "error": error });
    run(level("not increasing: key 2 at 1 s")).unwrap();
    run(level("no curve")).unwrap_err();
    run(json!({ "times": [0, 1], "distances": [0, 1], "distance": 1, "error": "not increasing" }))
        .unwrap_err();
}

/// A root at 2 m/s, by its motion and by a curve that the clip stores, which comes first.
#[test]
fn a_file_answers_by_its_root_or_by_its_curve() {
    use sinew::{Channel, ChannelTarget, DTransform, Joint, JointId, RawClip, Skeleton, Track};
    let joint = |name: &str, parent, node| Joint { node, ..Joint::new(name, parent, DTransform::IDENTITY) };
    let joints = vec![joint("Root", None, 0), joint("Hips", Some(JointId(0)), 1)];
    let skeleton = Skeleton::new(joints, Vec::new()).unwrap();
    let values: Vec<f32> = (0..=30).flat_map(|i| [0.0, 0.0, 2.0 * i as f32 / 30.0]).collect();
    let times: Vec<f64> = (0..=30).map(|i| f64::from(i) / 30.0).collect();
    let track = Track::new(times.into(), values.into(), 3, Interpolation::Linear).unwrap();
    let channel = Channel { joint: JointId(0), target: ChannelTarget::Translation, track, source: 0 };
    let moving = RawClip { name: Some("moving".into()), channels: vec![channel], ..RawClip::default() };
    let mut stored = RawClip { name: Some("stored".into()), source: 1, ..moving.clone() };
    stored.curves.push(Curve::new("distance", [0.0, 1.0], vec![0.0, 1.0], Interpolation::Linear).unwrap());
    let clips = vec![moving, stored];
    let document = sinew_asset::Document { skeleton, clips, ..sinew_asset::Document::default() };
    let folder = tempfile::tempdir().unwrap();
    let bytes = sinew_asset::write_glb(&document, &sinew_asset::WriteOptions::default()).unwrap();
    std::fs::write(folder.path().join("input.glb"), bytes).unwrap();
    let mut files = Files::new(folder.path());
    let tolerance = json!({ "time": 1e-4 });
    let mut run = |check: serde_json::Value| time_at_distance(&Check::new(&check, &tolerance), &mut files);
    run(json!({ "animation": "moving", "distance": 1.0, "time": 0.5 })).unwrap();
    run(json!({ "animation": "moving", "root": "Root", "distance": 1.5, "time": 0.75 })).unwrap();
    run(json!({ "animation": "stored", "distance": 1.0, "time": 1.0 })).unwrap();
    run(json!({ "animation": "stored", "distance": 0.5, "time": 0.25 })).unwrap_err();
    run(json!({ "animation": "moving", "curve": "distance", "distance": 1.0, "error": "no curve" })).unwrap();
    run(json!({ "animation": "moving", "root": "Hips", "distance": 1.0, "time": 0.5 })).unwrap();
    run(json!({ "animation": "moving", "root": "Tail", "distance": 1.0, "time": 0.5 })).unwrap_err();
}
