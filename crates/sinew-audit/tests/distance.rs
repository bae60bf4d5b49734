//! Clips that are matched by distance: what makes the pose jump, freeze or slide is found with its number, and
//! clips without a curve of distance are left alone.

mod character;
#[path = "../../sinew-showcase/src/distance_study/measured.rs"]
mod measured;

use std::sync::Arc;

use character::{Character, of, translate};
use glam::DVec3;
use measured::{START_CM, STOP_CM};
use sinew::{
    Curve, DistanceBakeJob, DistanceBakeSettings, Interpolation, JointId, RawClip, Skeleton,
    remainder_to_pelvis,
};
use sinew_audit::{Code, Finding, Limits, LimitsError, Severity, audit};

const CODES: [Code; 7] = [
    Code::DistanceOrder,
    Code::DistanceStorage,
    Code::DistanceRange,
    Code::DistanceSpeed,
    Code::DistanceTiming,
    Code::DistanceReversal,
    Code::DistanceRoot,
];
const ROOT: JointId = JointId(0);

fn body() -> Character {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    let hips = c.joint("Hips", Some(root), [0.0, 1.0, 0.0]);
    c.joint("Head", Some(hips), [0.0, 0.8, 0.0]);
    c
}

fn store(clip: &mut RawClip, name: &str, step: f64, metres: &[f64], interpolation: Interpolation) {
    let times: Arc<[f64]> = (0..metres.len()).map(|i| i as f64 * step).collect();
    let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let values: Vec<f32> = metres
        .iter()
        .flat_map(|m| (0..per_key).map(|k| if per_key == 1 || k == 1 { *m as f32 } else { 0.0 }))
        .collect();
    clip.curves.push(Curve::new(name, times, values, interpolation).unwrap());
}

/// A clip whose root is at `metres` ahead at even times.
fn clip<'a>(c: &'a mut Character, name: &str, step: f64, metres: &[f64]) -> &'a mut RawClip {
    let at = metres.to_vec();
    let clip = c.clip(name);
    translate(clip, ROOT, step, |t| DVec3::Z * at[(t / step).round() as usize], metres.len());
    clip
}

/// Where the root of the run start really is.
fn signed() -> Vec<f64> {
    START_CM.iter().enumerate().map(|(i, cm)| if i < 8 { -0.01 * cm } else { 0.01 * cm }).collect()
}

/// Every second key of the run stop.
fn stop() -> Vec<f64> {
    STOP_CM.iter().step_by(2).map(|cm| 0.01 * cm).collect()
}

fn metres(cm: &[f64]) -> Vec<f64> {
    cm.iter().map(|cm| 0.01 * cm).collect()
}

/// The run start with its magnitudes, as an engine bakes it.
fn run_start() -> Character {
    let mut c = body();
    let clip = clip(&mut c, "Run_Start", 1.0 / 30.0, &signed());
    store(clip, "distance", 1.0 / 30.0, &metres(&START_CM), Interpolation::Linear);
    c
}

fn one(c: &Character, code: Code) -> Finding {
    let mut findings = c.findings(code);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let finding = findings.remove(0);
    assert!(!finding.fix.is_empty() && finding.measured.is_some() && finding.limit.is_some());
    finding
}

fn near(finding: &Finding, measured: f64, tolerance: f64, unit: &str) {
    let found = finding.measured.unwrap();
    assert!((found - measured).abs() <= tolerance, "{found}, expected {measured}: {finding:?}");
    assert_eq!(finding.unit, unit);
}

#[test]
fn distance_that_falls_is_an_error_with_the_fall_and_its_time() {
    let f = one(&run_start(), Code::DistanceOrder);
    assert_eq!(f.severity, Severity::Error);
    // 6.48 cm at 0.2 s, 3.86 cm at 0.267 s.
    near(&f, 26.2, 0.01, "mm");
    assert!(
        (f.subject.time.unwrap() - 0.2).abs() < 1e-6
            && (f.subject.end_time.unwrap() - 8.0 / 30.0).abs() < 1e-6
    );
    assert!(f.message.contains("2 of 15 steps"), "{}", f.message);
}

#[test]
fn distance_that_repeats_is_an_error_with_the_length_of_the_plateau() {
    let mut c = body();
    let mut stop = stop();
    stop[5] = stop[4];
    stop[6] = stop[4];
    let clip = clip(&mut c, "Run_Stop", 1.0 / 15.0, &stop);
    store(clip, "distance", 1.0 / 15.0, &stop, Interpolation::Linear);
    let f = one(&c, Code::DistanceOrder);
    assert_eq!(f.severity, Severity::Error);
    near(&f, 2.0 / 15.0, 1e-6, "s");
    assert!(f.message.contains("-0.2686 m"), "{}", f.message);
}

#[test]
fn storage_that_cannot_be_indexed_is_an_error_and_uneven_keys_are_told() {
    for (interpolation, word) in
        [(Interpolation::Step, "16 stepped"), (Interpolation::CubicSpline, "16 cubic")]
    {
        let mut c = body();
        let clip = clip(&mut c, "Run_Start", 1.0 / 30.0, &signed());
        store(clip, "distance", 1.0 / 30.0, &metres(&START_CM), interpolation);
        let f = one(&c, Code::DistanceStorage);
        assert_eq!(f.severity, Severity::Error);
        assert!(f.message.contains(word), "{}", f.message);
    }
    let mut c = body();
    let start = clip(&mut c, "Run_Start", 1.0 / 30.0, &signed());
    let times: Arc<[f64]> = [0.0, 0.1, 0.5].into();
    start.curves.push(Curve::new("distance", times, vec![0.0, 0.1, 1.25], Interpolation::Linear).unwrap());
    let f = one(&c, Code::DistanceStorage);
    assert_eq!(f.severity, Severity::Info);
    near(&f, 0.15, 1e-6, "s");
}

#[test]
fn a_start_shorter_than_the_run_up_of_its_mover_is_found_with_both_lengths() {
    let mut c = body();
    // 0.6 m at an even acceleration.
    let way: Vec<f64> = (0..=12).map(|i| 0.6 * (f64::from(i) / 12.0) * (f64::from(i) / 12.0)).collect();
    let clip = clip(&mut c, "Run_Start", 1.0 / 30.0, &way);
    store(clip, "distance", 1.0 / 30.0, &way, Interpolation::Linear);
    assert_eq!(c.findings(Code::DistanceRange), [], "nobody has said what the mover does");
    let limits = Limits::from_toml("[audit.distance-range]\ntop-speed = 6.0\nacceleration = 20.48").unwrap();
    let found = of(audit(&c.loaded(), &limits), Code::DistanceRange);
    assert_eq!(found.len(), 1);
    near(&found[0], 0.6, 1e-6, "m");
    // 6^2 / (2 * 20.48), and sqrt(2 * 20.48 * 0.6).
    assert!((found[0].limit.unwrap() - 0.8789).abs() < 1e-4);
    assert!(found[0].message.contains("4.96 m/s"), "{}", found[0].message);
    assert_eq!(of(audit(&run_start().loaded(), &limits), Code::DistanceRange), []);
}

#[test]
fn a_start_that_ends_below_the_speed_of_its_loop_is_found() {
    let mut c = run_start();
    let ahead = |speed: f64| (0..=20).map(|i| speed * f64::from(i) / 30.0).collect::<Vec<_>>();
    clip(&mut c, "Walk", 1.0 / 30.0, &ahead(1.5));
    clip(&mut c, "Run", 1.0 / 30.0, &ahead(6.0));
    let f = one(&c, Code::DistanceSpeed);
    // The last step covers 15.97 cm in a thirtieth of a second: 4.79 m/s.
    near(&f, 1.0 - 4.791 / 6.0, 1e-3, "");
    assert!(f.message.contains("4.79 m/s") && f.message.contains("'Run'"), "{}", f.message);
    let mut slows = body();
    let way = stop();
    let run_stop = clip(&mut slows, "Run_Stop", 1.0 / 15.0, &way);
    store(run_stop, "distance", 1.0 / 15.0, &way, Interpolation::Linear);
    clip(&mut slows, "Run", 1.0 / 30.0, &ahead(6.0));
    // 40.74 cm in a fifteenth of a second is 6.11 m/s.
    assert_eq!(slows.findings(Code::DistanceSpeed), []);
}

#[test]
fn half_of_a_mover_is_a_config_error() {
    let half = |text: &str| Limits::from_toml(&format!("[audit.distance-range]\n{text}")).unwrap_err();
    let (speed, acceleration) = ("audit.distance-range.top-speed", "audit.distance-range.acceleration");
    assert_eq!(half("top-speed = 6.0"), LimitsError::Missing { key: speed, missing: acceleration });
    assert_eq!(half("acceleration = 20.0"), LimitsError::Missing { key: acceleration, missing: speed });
    assert!(half("top-speed = 6.0\nacceleration = 0.0").to_string().contains("expected both or neither"));
    assert!(Limits::from_toml("[audit.distance-range]\ntop-speed = 0.0").is_ok());
}

/// Up to a speed within a second, and down again.
fn dash(c: &mut Character, speed: f64) {
    let way: Vec<f64> = (0..=60)
        .map(|i| f64::from(i) / 30.0)
        .map(|t| 0.5 * speed * if t < 1.0 { t * t } else { 2.0 - (2.0 - t) * (2.0 - t) })
        .collect();
    let to_go: Vec<f64> = way.iter().map(|d| d - speed).collect();
    let both = clip(c, "Run_Dash", 1.0 / 30.0, &way);
    store(both, "distance/0", 1.0 / 30.0, &way, Interpolation::Linear);
    store(both, "distance/1", 1.0 / 30.0, &to_go, Interpolation::Linear);
    let ahead: Vec<f64> = (0..=20).map(|i| 6.0 * f64::from(i) / 30.0).collect();
    clip(c, "Run", 1.0 / 30.0, &ahead);
}

#[test]
fn a_clip_that_starts_and_stops_meets_its_loop_where_it_is_fastest() {
    let mut c = body();
    dash(&mut c, 6.0);
    let found: Vec<_> = c.audit().findings.into_iter().filter(|f| CODES.contains(&f.code)).collect();
    assert!(found.is_empty(), "{found:#?}");
    let mut c = body();
    dash(&mut c, 3.0);
    let f = one(&c, Code::DistanceSpeed);
    // A tenth of a second about the top of 3 m/s, up and down at 3 m/s2: the middle of three keys' steps.
    near(&f, 1.0 - 2.925 / 6.0, 0.003, "");
    assert!(f.message.contains("gets up to 2.9") && (f.subject.time.unwrap() - 1.0).abs() < 0.03, "{f:?}");
    // Each curve alone has an end at which it stands.
    for curve in ["distance/0", "distance/1"] {
        let mut alone = c.clone();
        alone.clips[0].curves.retain(|c| c.name == curve);
        // 0.05 m/s in the first and in the last thirtieth of a second.
        near(&one(&alone, Code::DistanceSpeed), 1.0 - 0.05 / 6.0, 1e-4, "");
    }
}

#[test]
fn a_turn_meets_its_loop_at_both_ends() {
    let mut c = body();
    // At 3 m/s, down to a stand within a second, back at up to 6 m/s: metres to the turn and from it.
    let way: Vec<f64> = (0..=60)
        .map(|i| f64::from(i) / 30.0 - 1.0)
        .map(|t| if t < 0.0 { -1.5 * t * t } else { 3.0 * t * t })
        .collect();
    let places: Vec<f64> = way.iter().map(|d| -d.abs()).collect();
    let turn = clip(&mut c, "Run_Turn", 1.0 / 30.0, &places);
    store(turn, "distance", 1.0 / 30.0, &way, Interpolation::Linear);
    let ahead: Vec<f64> = (0..=20).map(|i| 6.0 * f64::from(i) / 30.0).collect();
    clip(&mut c, "Run", 1.0 / 30.0, &ahead);
    let f = one(&c, Code::DistanceSpeed);
    near(&f, 1.0 - 2.95 / 6.0, 1e-4, "");
    assert!(f.message.contains("begins at 2.95 m/s"), "{}", f.message);
}

#[test]
fn a_start_that_spends_half_its_time_on_the_spot_is_found_with_the_share() {
    let f = one(&run_start(), Code::DistanceTiming);
    // 5 % of 125.06 cm are 6.25 cm, last met between 0.267 s (3.86 cm) and 0.3 s (10.74 cm).
    near(&f, (8.0 + (6.253 - 3.86) / 6.88) / 15.0, 1e-4, "");
    assert!(f.message.contains("56 %"), "{}", f.message);
}

#[test]
fn a_root_that_leans_back_is_a_warning_until_the_pelvis_has_it() {
    let f = one(&run_start(), Code::DistanceReversal);
    assert_eq!(f.severity, Severity::Warning);
    near(&f, 64.8, 0.1, "mm");
    let mut c = run_start();
    store(&mut c.clips[0], "distance.remainder", 1.0 / 30.0, &[0.0; 16], Interpolation::Linear);
    let f = one(&c, Code::DistanceReversal);
    assert_eq!(f.severity, Severity::Info);
    assert!(f.message.contains("pelvis"), "{}", f.message);
}

#[test]
fn a_loop_without_root_motion_and_a_curve_that_its_root_does_not_bear_out_are_found() {
    let mut c = run_start();
    translate(c.clip("Run"), JointId(1), 0.25, |t| DVec3::Y * (1.0 + 0.02 * libm::sin(t)), 3);
    let f = one(&c, Code::DistanceRoot);
    assert_eq!(f.severity, Severity::Warning);
    assert!(f.message.contains("'Run', the loop that 'Run_Start' leads to"), "{}", f.message);
    // A curve for the loop says its speed.
    store(&mut c.clips[1], "distance", 0.5, &[0.0, 3.0], Interpolation::Linear);
    let found = c.findings(Code::DistanceRoot);
    assert!(
        found.iter().all(|f| f.severity == Severity::Info && f.message.contains("in place")),
        "{found:#?}"
    );
    assert_eq!(found.len(), 1);

    let mut c = body();
    let half: Vec<f64> = stop().iter().map(|m| 0.5 * m).collect();
    let slows = clip(&mut c, "Run_Stop", 1.0 / 15.0, &half);
    store(slows, "distance", 1.0 / 15.0, &stop(), Interpolation::Linear);
    let f = one(&c, Code::DistanceRoot);
    near(&f, 1.0, 0.01, "");
}

/// A baked run start; of the joint named, or the one that is found.
fn baked(c: &Character, root: Option<JointId>) -> RawClip {
    let skeleton = Skeleton::new(c.joints.clone(), Vec::new()).unwrap();
    let settings = DistanceBakeSettings { root, ..DistanceBakeSettings::default() };
    DistanceBakeJob { skeleton: &skeleton, clip: &c.clips[0], settings: &settings }.run().unwrap().clip
}

#[test]
fn a_lean_that_the_pelvis_was_given_is_no_finding_any_more() {
    let mut c = body();
    clip(&mut c, "Run_Start", 1.0 / 30.0, &signed());
    c.clips[0] = baked(&c, None);
    assert_eq!(one(&c, Code::DistanceReversal).severity, Severity::Info);
    let skeleton = Skeleton::new(c.joints.clone(), Vec::new()).unwrap();
    let settings = DistanceBakeSettings::default();
    let bake = DistanceBakeJob { skeleton: &skeleton, clip: &c.clips[0], settings: &settings }.run().unwrap();
    c.clips[0] = remainder_to_pelvis(&skeleton, &bake, JointId(1), &settings).unwrap().clip;
    for code in [Code::DistanceReversal, Code::DistanceOrder, Code::DistanceRoot, Code::DistanceStorage] {
        assert_eq!(c.findings(code), []);
    }
}

#[test]
fn a_clip_is_held_against_the_root_that_it_was_baked_with() {
    let mut c = body();
    let way: Vec<f64> = (0..=15).map(|i| 0.1 * f64::from(i)).collect();
    clip(&mut c, "Run", 1.0 / 30.0, &way);
    // The head nods ahead by half a metre more.
    let head = JointId(2);
    translate(&mut c.clips[0], head, 1.0 / 30.0, |t| DVec3::new(0.0, 0.8, t), 16);
    c.clips[0] = baked(&c, Some(head));
    assert_eq!(c.findings(Code::DistanceRoot), [], "2 m of the head, not 1.5 m of the root");
    // Without the name it is held against the root.
    c.clips[0].curves.retain(|curve| !curve.name.starts_with("distance.root.joint"));
    near(&one(&c, Code::DistanceRoot), 0.5 / 1.5, 1e-3, "");
}

#[test]
fn a_root_that_cannot_be_followed_is_told_with_the_reason_and_is_not_in_place() {
    let mut c = run_start();
    c.clips[0] = baked(&c, None);
    assert_eq!(c.findings(Code::DistanceRoot), []);
    c.joints[0].name = Some("Wurzel".into());
    let f = one(&c, Code::DistanceRoot);
    assert_eq!(f.severity, Severity::Warning);
    assert!(f.message.contains("\"Root\"") && f.message.contains("1.25"), "{}", f.message);
    // A loop of nearly two months has no speed, and that is why.
    let mut c = run_start();
    translate(c.clip("Run"), ROOT, 5e6, |t| DVec3::Z * t, 2);
    let f = one(&c, Code::DistanceRoot);
    assert!(f.message.contains("cannot be followed") && f.message.contains("5000000"), "{}", f.message);
}

#[test]
fn the_same_clips_without_curves_are_left_alone() {
    let mut c = run_start();
    translate(c.clip("Run"), JointId(1), 0.25, |t| DVec3::Y * (1.0 + 0.02 * libm::sin(t)), 3);
    clip(&mut c, "Run_Stop", 1.0 / 15.0, &stop());
    c.clips[0].curves.clear();
    // Another curve is none of distance.
    store(&mut c.clips[0], "distant", 1.0 / 30.0, &metres(&START_CM), Interpolation::Step);
    let limits = Limits::from_toml("[audit.distance-range]\ntop-speed = 60.0\nacceleration = 1.0").unwrap();
    let report = audit(&c.loaded(), &limits);
    let found: Vec<_> = report.findings.iter().filter(|f| CODES.contains(&f.code)).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_start_made_for_its_mover_and_its_loop_is_silent() {
    let mut c = body();
    // Even acceleration up to 6 m/s within 0.9 m, and a step beyond.
    let way: Vec<f64> = (0..=9).map(|i| 10.0 * (f64::from(i) / 30.0) * (f64::from(i) / 30.0)).collect();
    let start = clip(&mut c, "Run_Start", 1.0 / 30.0, &way);
    store(start, "distance", 1.0 / 30.0, &way, Interpolation::Linear);
    clip(&mut c, "Run", 1.0 / 30.0, &(0..=20).map(|i| 6.0 * f64::from(i) / 30.0).collect::<Vec<_>>());
    let limits = Limits::from_toml("[audit.distance-range]\ntop-speed = 6.0\nacceleration = 22.5").unwrap();
    let report = audit(&c.loaded(), &limits);
    let found: Vec<_> = report.findings.iter().filter(|f| CODES.contains(&f.code)).collect();
    assert!(found.is_empty(), "{found:#?}");
}
