//! A loop that jumps where it starts over is found; closed loops, open loops, walks that travel and one-shots
//! are left alone.

mod character;

use character::{Character, rotate, translate};
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};
use sinew::JointId;
use sinew_audit::{Closure, Code, Severity};

fn arm() -> (Character, JointId, JointId) {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    let hips = c.joint("Hips", Some(root), [0.0, 1.0, 0.0]);
    c.joint("Head", Some(hips), [0.0, 0.8, 0.0]);
    (c, root, hips)
}

/// Hips that sway by 0.1 m once a second at 30 keys a second; the last key can be pushed aside.
fn sway(name: &str, keys: usize, push: f64) -> Character {
    let (mut c, _, hips) = arm();
    let last = (keys - 1) as f64 / 30.0;
    let at = move |t: f64| {
        let aside = if t >= last - 1e-9 { push } else { 0.0 };
        DVec3::new(0.1 * libm::sin(TAU * t) + aside, 1.0 + 0.02 * libm::cos(2.0 * TAU * t), 0.0)
    };
    translate(c.clip(name), hips, 1.0 / 30.0, at, keys);
    c
}

#[test]
fn a_loop_that_ends_in_its_first_pose_is_closed_and_silent() {
    let report = sway("Idle", 31, 0.0).audit();
    assert_eq!(report.clips[0].closure, Closure::Closed);
    assert_eq!(report.findings, []);
}

#[test]
fn a_loop_that_ends_one_step_before_its_first_pose_is_open_and_silent() {
    let report = sway("Idle", 30, 0.0).audit();
    assert_eq!(report.clips[0].closure, Closure::Open);
    assert_eq!(report.findings, []);
}

#[test]
fn a_jump_of_50_mm_is_found_with_50_mm_at_the_joint_that_jumps() {
    let findings = sway("Idle", 31, 0.05).findings(Code::LoopSeam);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let f = &findings[0];
    assert_eq!(f.severity, Severity::Warning);
    assert!((f.measured.unwrap() - 50.0).abs() < 0.01, "{f:?}");
    assert_eq!(f.unit, "mm");
    assert_eq!(f.subject.joint.as_deref(), Some("Hips"));
    assert_eq!(f.subject.time, Some(1.0));
}

#[test]
fn a_jump_in_a_clip_named_for_a_one_shot_is_left_alone() {
    for name in ["Attack", "Jump_Start", "Idle_to_Walk", "WalkStop", "Death_A"] {
        assert_eq!(sway(name, 31, 0.05).findings(Code::LoopSeam), [], "{name}");
    }
}

#[test]
fn half_a_cycle_named_idle_is_told_not_to_be_a_loop() {
    let findings = sway("Idle", 9, 0.0).findings(Code::LoopSeam);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].severity, Severity::Info);
    assert!(findings[0].message.contains("does not look like a loop"));
}

#[test]
fn a_walk_along_an_arc_is_closed_once_its_root_motion_is_taken_out() {
    let (mut c, root, hips) = arm();
    let times: Vec<f64> = (0..31).map(|k| k as f64 / 30.0).collect();
    let turn = |t: f64| DQuat::from_rotation_y(0.7 * t);
    let clip = c.clip("Walk");
    translate(clip, root, 1.0 / 30.0, |t| turn(t) * DVec3::X * 2.0, 31);
    rotate(clip, root, &times, &times.iter().map(|t| turn(*t)).collect::<Vec<_>>());
    translate(clip, hips, 1.0 / 30.0, |t| DVec3::new(0.1 * libm::sin(TAU * t), 1.0, 0.0), 31);
    let report = c.audit();
    assert_eq!(report.clips[0].closure, Closure::Closed);
    let travel = report.clips[0].travel.as_ref().unwrap();
    assert_eq!(travel.joint, "Root");
    assert!((travel.turn_deg - 0.7_f64.to_degrees()).abs() < 1e-3);
    assert_eq!(report.findings, []);
}

#[test]
fn a_travelling_walk_whose_height_jumps_is_found_by_the_height_alone() {
    let (mut c, root, hips) = arm();
    let clip = c.clip("Run");
    translate(clip, root, 1.0 / 30.0, |t| DVec3::Z * 3.0 * t, 31);
    let at = |t: f64| DVec3::new(0.1 * libm::sin(TAU * t), if t > 0.99 { 1.03 } else { 1.0 }, 0.0);
    translate(clip, hips, 1.0 / 30.0, at, 31);
    let findings = c.findings(Code::LoopSeam);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert!((findings[0].measured.unwrap() - 30.0).abs() < 0.01);
    assert!(findings[0].message.contains("root motion of 'Root' taken out"));
}

#[test]
fn a_joint_that_only_turns_is_found_in_degrees() {
    let (mut c, _, hips) = arm();
    let times: Vec<f64> = (0..31).map(|k| k as f64 / 30.0).collect();
    let head = JointId(2);
    let nod = |t: f64| {
        let extra = if t > 0.99 { 10_f64.to_radians() } else { 0.0 };
        DQuat::from_rotation_x(0.3 * libm::sin(TAU * t) + extra)
    };
    let clip = c.clip("Idle");
    rotate(clip, head, &times, &times.iter().map(|t| nod(*t)).collect::<Vec<_>>());
    translate(clip, hips, 1.0 / 30.0, |_| DVec3::Y, 31);
    let findings = c.findings(Code::LoopSeam);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].unit, "deg");
    assert!((findings[0].measured.unwrap() - 10.0).abs() < 0.01);
}
