//! A knee that pops sideways between two keys is found with its millimetres; ordinary motion is not.
//! Keeps: the knee study's numbers, 5.236 mm and 180.00 degrees (two bones of 0.30 m, one degree).

mod character;

use character::{Character, rotate};
use glam::{DQuat, DVec3};
use sinew::JointId;
use sinew::frame::{projected_x, tracked_up};
use sinew_audit::{Code, Finding, swings};

const BONE: f64 = 0.30;

fn leg() -> (Character, [JointId; 2]) {
    let mut c = Character::default();
    let hip = c.joint("Thigh", None, [0.0, 0.6, 0.0]);
    let knee = c.joint("Knee", Some(hip), [0.0, BONE, 0.0]);
    c.joint("Ankle", Some(knee), [0.0, BONE, 0.0]);
    (c, [hip, knee])
}

/// Thigh a degree to one side and shin back, then mirrored: the ankle is at the same place at both keys.
fn study(
    seconds: f64,
    frame: impl Fn(DVec3, DVec3) -> DQuat,
    times_apart: impl Fn(f64) -> Vec<f64>,
) -> Character {
    let (mut c, [hip, knee]) = leg();
    let degree = 1_f64.to_radians();
    let key = |side: f64| {
        let head = DVec3::new(0.0, 0.6, 0.0);
        let middle = head + DVec3::new(0.0, -BONE * libm::cos(degree), side * BONE * libm::sin(degree));
        let tail = head - DVec3::Y * (2.0 * BONE * libm::cos(degree));
        let (thigh, shin) = (frame(head, middle), frame(middle, tail));
        (thigh, thigh.conjugate() * shin)
    };
    let ((thigh_a, shin_a), (thigh_b, shin_b)) = (key(1.0), key(-1.0));
    let times = times_apart(seconds);
    let clip = c.clip("step");
    rotate(clip, hip, &times, &[thigh_a, thigh_b]);
    rotate(clip, knee, &times, &[shin_a, shin_b]);
    c
}

fn only(findings: Vec<Finding>) -> Finding {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.into_iter().next().unwrap()
}

#[test]
fn the_study_s_bad_knee_swings_5_236_mm_with_180_degrees_of_roll_whatever_the_time_between_keys() {
    for seconds in [1.0 / 48.0, 2.0] {
        let bad = study(seconds, |h, t| tracked_up(h, t, DVec3::Y).unwrap(), |s| vec![0.0, s]);
        let finding = only(bad.findings(Code::Swing));
        // 0.30 m * sin 1 degree, by the geometry of the fixture.
        assert!((finding.measured.unwrap() - 5.2357).abs() < 0.0005, "{finding:?}");
        assert_eq!(finding.subject.joint.as_deref(), Some("Knee"));
        assert_eq!(finding.subject.node, Some(11));
        assert!(finding.message.contains("5.236 mm"), "{}", finding.message);
        assert!(finding.message.contains("180.00 degrees"), "{}", finding.message);
        assert!(finding.message.contains("changes by 2.00"), "{}", finding.message);
        assert!((finding.subject.time.unwrap() - seconds / 2.0).abs() < seconds * 0.011);
    }
}

#[test]
fn the_study_s_good_knee_is_silent() {
    let good = study(1.0 / 48.0, |h, t| projected_x(h, t, DVec3::X).unwrap(), |s| vec![0.0, s]);
    assert_eq!(good.findings(Code::Swing), []);
    let report = good.audit();
    assert!(report.plots.is_empty());
}

#[test]
fn the_finding_brings_the_curve_it_rests_on() {
    let bad = study(0.5, |h, t| tracked_up(h, t, DVec3::Y).unwrap(), |s| vec![0.0, s]);
    let report = bad.audit();
    let plot = report.plots.iter().find(|p| p.title.contains("Knee")).unwrap();
    let highest = plot.series[0].points.iter().map(|p| p[1]).fold(0.0, f64::max);
    assert!((highest - 5.2357).abs() < 0.0005);
    assert_eq!((plot.clip, plot.joint), (Some(0), Some(1)));
    let index = plot.markers[0].finding.unwrap() as usize;
    assert_eq!(report.findings[index].code, Code::Swing);
}

#[test]
fn a_leg_that_swings_forward_by_ninety_degrees_between_keys_is_silent() {
    let (mut c, [hip, _]) = leg();
    let clip = c.clip("kick");
    rotate(clip, hip, &[0.0, 0.5], &[DQuat::from_rotation_x(2.6), DQuat::from_rotation_x(1.0)]);
    assert_eq!(c.findings(Code::Swing), []);
}

#[test]
fn the_measure_tells_roll_direction_and_whole_rotation_apart() {
    // A roll of 120 degrees about the bone itself moves the knee nowhere.
    let (mut c, [hip, _]) = leg();
    let roll = 120_f64.to_radians();
    let clip = c.clip("roll");
    rotate(clip, hip, &[0.0, 1.0], &[DQuat::IDENTITY, DQuat::from_rotation_y(roll)]);
    let document = c.loaded().document;
    let found = swings(&document.skeleton, &document.clips[0], 0.1, 1.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].roll - roll).abs() < 1e-6);
    assert!(found[0].direction < 1e-6);
    assert!((found[0].rotation - roll).abs() < 1e-6);
    assert!(found[0].sideways_m < 1e-9);
}
