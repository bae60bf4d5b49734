//! Faults of keys are found with the key, the number and what it does to the pose: signs, lengths, values,
//! late and early keys.

mod character;

use std::sync::Arc;

use character::{Character, push, rotate_raw, translate};
use glam::{DQuat, DVec3};
use sinew::{ChannelTarget, Interpolation, JointId, Track};
use sinew_audit::{Code, Severity, rotation_length, sign_flips};

fn rod() -> (Character, JointId, JointId) {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    let arm = c.joint("Arm", Some(root), [0.0, 1.0, 0.0]);
    c.joint("Hand", Some(arm), [0.0, 1.0, 0.0]);
    (c, root, arm)
}

fn about_z(degrees: f64, sign: f64) -> [f32; 4] {
    (DQuat::from_rotation_z(degrees.to_radians()) * sign).to_array().map(|v| v as f32)
}

#[test]
fn two_flips_of_a_linear_track_are_counted_and_told_as_info() {
    let (mut c, _, arm) = rod();
    let values = [about_z(0.0, 1.0), about_z(20.0, -1.0), about_z(30.0, -1.0), about_z(35.0, 1.0)].concat();
    rotate_raw(c.clip("Wave"), arm, &[0.0, 0.1, 0.2, 0.3], values, Interpolation::Linear);
    let flips = sign_flips(&c.clips[0].channels[0].track);
    assert_eq!((flips.count, flips.key), (2, 2));
    // Not taking the short way of 5 degrees turns 360 - 5.
    assert!((flips.turned.to_degrees() - 355.0).abs() < 1e-4);
    let findings = c.findings(Code::SignFlip);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].severity, Severity::Info);
    assert!(findings[0].message.starts_with("2 sign flips"));
    assert_eq!(findings[0].subject.key, Some(2));
}

#[test]
fn a_flip_of_a_cubic_spline_is_an_error_with_the_angle_it_really_turns() {
    let (mut c, _, arm) = rod();
    let zero = [0.0; 4];
    // The keys of 20 degrees apart lie 340 degrees apart on the sphere once one of them is negated.
    let values = [zero, about_z(0.0, 1.0), zero, zero, about_z(20.0, -1.0), zero].concat();
    rotate_raw(c.clip("Wave"), arm, &[0.0, 1.0], values, Interpolation::CubicSpline);
    let findings = c.findings(Code::SignFlip);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].severity, Severity::Error);
    assert!((findings[0].measured.unwrap() - 340.0).abs() < 0.1, "{:?}", findings[0]);
    assert!(findings[0].message.contains("the short way is 20.0"));
}

#[test]
fn step_tracks_may_change_sign() {
    let (mut c, _, arm) = rod();
    let values = [about_z(0.0, 1.0), about_z(20.0, -1.0)].concat();
    rotate_raw(c.clip("Wave"), arm, &[0.0, 0.1], values, Interpolation::Step);
    assert_eq!(c.findings(Code::SignFlip), []);
}

#[test]
fn keys_of_length_0_9_are_found_with_the_millimetres_they_cost() {
    let (mut c, _, arm) = rod();
    let short = about_z(90.0, 1.0).map(|v| v * 0.9);
    let values = [about_z(0.0, 1.0), short, about_z(0.0, 1.0)].concat();
    rotate_raw(c.clip("Wave"), arm, &[0.0, 0.1, 0.2], values, Interpolation::Linear);
    let found = rotation_length(&c.clips[0].channels[0].track, 1e-4);
    assert_eq!((found.count, found.key), (1, 1));
    assert!((found.length - 0.9).abs() < 1e-6);
    // As stored: p + L^2 (R p - p). The hand is 1 m out and R carries it by sqrt 2: (1 - 0.81) * 1.4142 m.
    let findings = c.findings(Code::RotationLength);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].severity, Severity::Warning);
    assert!(findings[0].message.contains("268.70 mm") || findings[0].message.contains("268.701 mm"));
    assert!((findings[0].measured.unwrap() - 0.1).abs() < 1e-6);
}

#[test]
fn single_precision_rounding_is_no_finding() {
    let (mut c, _, arm) = rod();
    let values: Vec<f32> = (0..50).flat_map(|k| about_z(f64::from(k) * 3.7, 1.0)).collect();
    let times: Vec<f64> = (0..50).map(|k| f64::from(k) / 30.0).collect();
    rotate_raw(c.clip("Wave"), arm, &times, values, Interpolation::Linear);
    assert_eq!(c.findings(Code::RotationLength), []);
}

#[test]
fn a_translation_of_a_thousand_kilometres_is_found_at_its_key() {
    let (mut c, _, arm) = rod();
    let at = |t: f64| DVec3::new(0.0, if t > 0.15 && t < 0.25 { 1.5e6 } else { 1.0 }, 0.0);
    translate(c.clip("Fling"), arm, 0.1, at, 5);
    let findings = c.findings(Code::Value);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].severity, Severity::Error);
    assert_eq!((findings[0].subject.key, findings[0].subject.channel), (Some(2), Some(0)));
    assert!((findings[0].measured.unwrap() - 1.5e6).abs() < 1.0);
}

#[test]
fn a_scale_of_zero_is_told_as_info_and_a_scale_of_a_million_as_a_warning() {
    let (mut c, root, arm) = rod();
    let times: Arc<[f64]> = vec![0.0, 1.0].into();
    let scale = |values: [f32; 6]| {
        Track::new(times.clone(), values.to_vec().into(), 3, Interpolation::Linear).unwrap()
    };
    let clip = c.clip("Hide");
    push(clip, arm, ChannelTarget::Scale, scale([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]));
    push(clip, root, ChannelTarget::Scale, scale([1.0, 1.0, 1.0, 1e6, 1e6, 1e6]));
    let findings = c.findings(Code::Value);
    assert_eq!(findings.len(), 2, "{findings:#?}");
    assert_eq!((findings[0].severity, findings[0].subject.node), (Severity::Warning, Some(10)));
    assert_eq!((findings[1].severity, findings[1].subject.node), (Severity::Info, Some(11)));
    assert_eq!(findings[1].subject.time, Some(1.0));
}

fn slide(times: &[f64], heights: &[f64]) -> Track {
    let values: Vec<f32> = heights.iter().flat_map(|h| [0.0, *h as f32, 0.0]).collect();
    Track::new(times.to_vec().into(), values.into(), 3, Interpolation::Linear).unwrap()
}

#[test]
fn a_loop_whose_first_key_is_late_is_a_warning_with_the_seconds() {
    let (mut c, _, arm) = rod();
    push(c.clip("Idle"), arm, ChannelTarget::Translation, slide(&[0.25, 0.75, 1.25], &[1.0, 1.2, 1.0]));
    let findings = c.findings(Code::DeadTime);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].severity, Severity::Warning);
    assert_eq!(findings[0].measured, Some(0.25));
    assert_eq!((findings[0].subject.time, findings[0].subject.end_time), (Some(0.0), Some(0.25)));
}

#[test]
fn a_short_late_start_warns_in_loops_only() {
    let mut told = Vec::new();
    for name in ["Idle", "Bark", "Attack", "Jump", "Thing"] {
        let (mut c, _, arm) = rod();
        push(c.clip(name), arm, ChannelTarget::Translation, slide(&[0.033, 0.5, 1.0], &[1.0, 1.2, 1.0]));
        told.extend(c.findings(Code::DeadTime).into_iter().map(|f| f.severity));
    }
    let info = Severity::Info;
    assert_eq!(told, [Severity::Warning, info, info, info, info]);
}

#[test]
fn clips_that_all_start_equally_late_are_one_finding_that_names_them() {
    let (mut c, _, arm) = rod();
    for (name, start) in [("Idle", 0.033), ("Bark", 0.033), ("Walk", 0.0331), ("Run", 0.05), ("Sit", 0.0)] {
        push(c.clip(name), arm, ChannelTarget::Translation, slide(&[start, 0.5, 1.0], &[1.0, 1.2, 1.0]));
    }
    let findings = c.findings(Code::DeadTime);
    assert_eq!(findings.len(), 2, "{findings:#?}");
    let f = &findings[0];
    assert_eq!((f.severity, f.measured, &f.subject.clip), (Severity::Warning, Some(0.033), &None));
    assert_eq!(
        f.message,
        "the first key of 3 clips is at 0.033 s: each holds its first pose that long each time it starts: Idle, \
         Walk; one more that does not loop: Bark"
    );
    assert_eq!(findings[1].subject.clip.as_deref(), Some("Run"));
}

#[test]
fn frozen_stretches_at_both_ends_are_told_with_their_seconds() {
    let (mut c, _, arm) = rod();
    let track = slide(&[0.0, 1.0, 1.5, 2.0, 4.0], &[1.0, 1.0, 1.5, 1.2, 1.2]);
    push(c.clip("Attack"), arm, ChannelTarget::Translation, track);
    let findings = c.findings(Code::DeadTime);
    let told: Vec<_> = findings.iter().map(|f| (f.severity, f.measured)).collect();
    assert_eq!(told, [(Severity::Info, Some(1.0)), (Severity::Info, Some(2.0))]);
}

#[test]
fn channels_that_stop_or_start_within_the_clip_are_told_once_with_the_worst() {
    let (mut c, root, arm) = rod();
    let clip = c.clip("Door");
    push(clip, root, ChannelTarget::Translation, slide(&[0.0, 3.0], &[0.0, 1.0]));
    push(clip, arm, ChannelTarget::Translation, slide(&[0.5, 1.25], &[1.0, 2.0]));
    let findings = c.findings(Code::DeadTime);
    let told: Vec<_> = findings.iter().map(|f| f.measured.unwrap()).collect();
    assert_eq!(told, [0.5, 1.75]);
    assert!(findings.iter().all(|f| f.subject.joint.as_deref() == Some("Arm")));
}

#[test]
fn a_channel_that_holds_one_value_may_end_early() {
    let (mut c, root, arm) = rod();
    let clip = c.clip("Idle");
    push(clip, root, ChannelTarget::Translation, slide(&[0.0, 1.0, 2.0], &[0.0, 0.3, 0.0]));
    push(clip, arm, ChannelTarget::Translation, slide(&[0.0], &[1.0]));
    assert_eq!(c.findings(Code::DeadTime), []);
}
