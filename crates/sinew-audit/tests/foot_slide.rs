//! A planted foot that moves is found with its millimetres, in clips that travel and in clips that walk in
//! place; feet that roll, and feet that take steps, are left alone.

mod character;

use character::{Character, of, push, translate};
use glam::DVec3;
use sinew::{ChannelTarget, Interpolation, JointId, Track};
use sinew_audit::{Code, FootSlideLimits, Limits, Severity, audit, feet_motion, slide_between, stances};

/// Hips at 1.7 m, two feet that are moved by hand: no leg needs to bend for a foot to slide.
fn biped(left: &str, right: &str) -> (Character, [JointId; 4]) {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0, 0.0, 0.0]);
    let hips = c.joint("Hips", Some(root), [0.0, 1.8, 0.0]);
    let left = c.joint(left, Some(root), [0.1, 0.0, 0.0]);
    let right = c.joint(right, Some(root), [-0.1, 0.0, 0.0]);
    (c, [root, hips, left, right])
}

/// A step cycle of one second: down for the first half, moved by `slip` over it; swings `stride` forward in
/// the second half. Relative to where the foot starts; world space.
fn step(t: f64, stride: f64, slip: f64) -> DVec3 {
    let cycle = t.floor();
    let t = t - cycle;
    let base = cycle * stride;
    if t <= 0.5 {
        DVec3::new(0.0, 0.0, base + slip * t / 0.5)
    } else {
        let u = (t - 0.5) / 0.5;
        let height = 0.15 * libm::sin(core::f64::consts::PI * u);
        DVec3::new(0.0, height, base + slip + (stride - slip) * u)
    }
}

/// A walk of `speed` metres a second over two cycles; the left foot slips each time it is down. In place, the
/// whole character is carried back at that speed.
fn walk(speed: f64, slip: f64, in_place: bool) -> Character {
    walk_with(speed, [slip, slip], in_place)
}

/// The same with a slip for each of both cycles.
fn walk_with(speed: f64, slips: [f64; 2], in_place: bool) -> Character {
    let (mut c, [root, _, left, right]) = biped("LeftFoot", "RightFoot");
    let carried = move |t: f64| if in_place { DVec3::ZERO } else { DVec3::Z * speed * t };
    let against = move |t: f64| DVec3::Z * speed * t;
    let clip = c.clip("Walk");
    translate(clip, root, 1.0 / 30.0, carried, 61);
    translate(
        clip,
        left,
        1.0 / 30.0,
        |t| DVec3::X * 0.1 + step(t, speed, slips[usize::from(t > 1.0)]) - against(t),
        61,
    );
    translate(clip, right, 1.0 / 30.0, |t| DVec3::X * -0.1 + step(t + 0.5, speed, 0.0) - against(t), 61);
    c
}

fn report_of(c: &Character) -> Vec<sinew_audit::Finding> {
    c.findings(Code::FootSlide)
}

#[test]
fn a_clean_walk_is_silent_travelling_and_in_place() {
    assert_eq!(report_of(&walk(1.2, 0.0, false)), []);
    assert_eq!(report_of(&walk(1.2, 0.0, true)), []);
}

#[test]
fn a_slip_of_80_mm_is_found_with_80_mm_on_the_foot_that_slips() {
    let findings = report_of(&walk(1.2, 0.08, false));
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let f = &findings[0];
    assert_eq!(f.subject.joint.as_deref(), Some("LeftFoot"));
    assert_eq!(f.severity, Severity::Warning);
    assert!((f.measured.unwrap() - 80.0).abs() < 1.0, "{f:?}");
    assert!((f.subject.end_time.unwrap() - f.subject.time.unwrap() - 0.5).abs() < 0.01);
    assert!(f.message.contains("0.160 m/s"), "{}", f.message);
    assert!(f.message.contains("2 of 2 stances"), "{}", f.message);
}

#[test]
fn a_slip_in_a_clip_that_walks_in_place_is_measured_against_the_ground_and_says_so() {
    // Three of four times that a foot is down it moves with the treadmill.
    let c = walk_with(1.2, [0.0, 0.2], true);
    let loaded = c.loaded();
    let moved = feet_motion(&loaded.document, 0, &FootSlideLimits::default());
    assert!((moved.ground_mps - DVec3::new(0.0, 0.0, -1.2)).length() < 0.02, "{:?}", moved.ground_mps);
    let findings = report_of(&c);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].subject.joint.as_deref(), Some("LeftFoot"));
    assert!((findings[0].measured.unwrap() - 200.0).abs() < 10.0, "{:?}", findings[0]);
    assert!((findings[0].subject.time.unwrap() - 1.0).abs() < 0.02);
    assert!(findings[0].message.contains("in-place clip"), "{}", findings[0].message);
}

#[test]
fn a_foot_that_shifts_by_a_step_is_not_planted_while_it_shifts() {
    // Standing, then a step of 0.4 m to the side in 0.3 s, two centimetres off the ground, standing again.
    let (mut c, [_, _, left, right]) = biped("LeftFoot", "RightFoot");
    let clip = c.clip("Dodge");
    let moved = |t: f64| {
        let u = ((t - 0.5) / 0.3).clamp(0.0, 1.0);
        DVec3::new(0.1 + 0.4 * u, 0.02 * libm::sin(core::f64::consts::PI * u), 0.0)
    };
    translate(clip, left, 1.0 / 30.0, moved, 40);
    translate(clip, right, 1.0 / 30.0, |_| DVec3::X * -0.1, 40);
    assert_eq!(report_of(&c), []);
}

#[test]
fn a_foot_that_rolls_from_heel_to_toe_does_not_slide() {
    // Foot joint 0.1 m up, ball 0.15 m ahead on the ground: the foot turns about the ball, which stays.
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    c.joint("Hips", Some(root), [0.0, 1.8, 0.0]);
    let foot = c.joint("foot.l", Some(root), [0.0, 0.1, 0.0]);
    c.joint("toes.l", Some(foot), [0.0, -0.1, 0.15]);
    let times: Vec<f64> = (0..31).map(|k| k as f64 / 30.0).collect();
    let turned = |t: f64| glam::DQuat::from_rotation_x(0.5 * t);
    let ball = DVec3::new(0.0, 0.0, 0.15);
    let clip = c.clip("Roll off");
    character::rotate(clip, foot, &times, &times.iter().map(|t| turned(*t)).collect::<Vec<_>>());
    translate(clip, foot, 1.0 / 30.0, |t| ball - turned(t) * DVec3::new(0.0, -0.1, 0.15), 31);
    assert_eq!(report_of(&c), []);
    let found = stances(&c.loaded().document, 0, &FootSlideLimits::default());
    assert!(found.iter().all(|s| s.net_slide_m < 1e-3), "{found:?}");
}

#[test]
fn limits_scale_with_the_character() {
    // The same motion at 1/10 of the size has 1/10 of the slip, which is as far over its limit.
    let mut small = walk(1.2, 0.08, false);
    for joint in &mut small.joints {
        joint.rest.translation *= 0.1;
    }
    for channel in &mut small.clips[0].channels {
        let values: Vec<f32> = channel.track.values().iter().map(|v| v * 0.1).collect();
        let times = channel.track.times().clone();
        channel.track = Track::new(times, values.into(), 3, Interpolation::Linear).unwrap();
    }
    let findings = small.findings(Code::FootSlide);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert!((findings[0].measured.unwrap() - 8.0).abs() < 0.1);
    assert!((findings[0].limit.unwrap() - 1.0).abs() < 0.05);
    assert_eq!(findings[0].severity, Severity::Warning);
}

#[test]
fn feet_that_no_name_tells_are_found_by_shape() {
    let mut c = Character::default();
    let root = c.joint("a", None, [0.0, 1.0, 0.0]);
    let head = c.joint("b", Some(root), [0.0, 0.8, 0.0]);
    c.joint("c", Some(head), [0.0, 0.0, 0.05]);
    let mut ends = Vec::new();
    for side in [0.1, -0.1] {
        let thigh = c.joint("d", Some(root), [side, 0.0, 0.0]);
        let shin = c.joint("e", Some(thigh), [0.0, -0.5, 0.0]);
        ends.push(c.joint("f", Some(shin), [0.0, -0.5, 0.0]));
    }
    let clip = c.clip("x");
    translate(clip, ends[0], 0.1, |t| DVec3::new(0.0, -0.5, 0.1 * t), 11);
    translate(clip, ends[1], 0.1, |_| DVec3::new(0.0, -0.5, 0.0), 11);
    let report = c.audit();
    assert_eq!(report.file.feet, ["f", "f"]);
    let findings = of(report, Code::FootSlide);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].subject.node, Some(15));
    assert!((findings[0].measured.unwrap() - 100.0).abs() < 1.0);
}

#[test]
fn feet_can_be_named_in_the_configuration() {
    let (mut c, [_, _, left, _]) = biped("Wheel_A", "Wheel_B");
    translate(c.clip("Drift"), left, 0.1, |t| DVec3::new(0.1, 0.0, 0.1 * t), 11);
    assert_eq!(report_of(&c), []);
    let limits = Limits::from_toml("[audit.foot-slide]\nfeet = [\"wheel_*\"]").unwrap();
    let findings = of(audit(&c.loaded(), &limits), Code::FootSlide);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].subject.joint.as_deref(), Some("Wheel_A"));
}

#[test]
fn ik_targets_and_poles_are_no_feet() {
    let (mut c, [root, ..]) = biped("LeftFoot", "RightFoot");
    c.joint("IK-foot.l", Some(root), [0.1, 0.0, 0.0]);
    c.joint("foot_IK.R", Some(root), [-0.1, 0.0, 0.0]);
    c.joint("ik_foot_r", Some(root), [-0.1, 0.0, 0.0]);
    assert_eq!(c.audit().file.feet, ["LeftFoot", "RightFoot"]);
}

#[test]
fn a_slide_can_be_measured_between_any_two_times() {
    let c = walk(1.2, 0.08, false);
    let document = c.loaded().document;
    let foot = document.skeleton.find("LeftFoot").unwrap();
    let (net, path) = slide_between(&document, &document.clips[0], foot, 0.1, 0.35);
    // 80 mm over half a second, evenly.
    assert!((net - 0.04).abs() < 1e-4 && (path - 0.04).abs() < 1e-4, "{net} {path}");
}

#[test]
fn a_clip_of_one_key_and_a_clip_of_no_channels_have_no_feet_to_slide() {
    let (mut c, [_, _, left, _]) = biped("LeftFoot", "RightFoot");
    let one = Track::new(vec![0.0].into(), vec![0.0, 0.0, 0.0].into(), 3, Interpolation::Linear).unwrap();
    push(c.clip("Pose"), left, ChannelTarget::Translation, one);
    c.clip("Nothing");
    assert_eq!(report_of(&c), []);
}
