//! Limits that `sinew.toml` sets for joints, steps and gaps are held, each with its number and moment;
//! without any nothing is said.

mod character;

use character::{Character, of, rotate};
use glam::DQuat;
use sinew_audit::{Code, Finding, Limits, LimitsError, audit};

/// A leg whose knee folds to 100 degrees and out, and jumps by 30 degrees at half a second.
fn leg() -> Character {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0, 1.0, 0.0]);
    let hip = c.joint("Hip", Some(root), [0.1, 0.0, 0.0]);
    let knee = c.joint("Knee", Some(hip), [0.0, -0.5, 0.0]);
    c.joint("Foot", Some(knee), [0.0, -0.5, 0.0]);
    let end = c.joint("Tail", Some(root), [0.0, 0.0, -0.2]);
    c.joint("TailEnd", Some(end), [0.0, 0.0, -0.3]);
    let clip = c.clip("Fold");
    let fold = |degrees: f64| DQuat::from_rotation_x(degrees.to_radians());
    rotate(clip, knee, &[0.0, 0.5, 0.501, 1.0], &[fold(0.0), fold(60.0), fold(90.0), fold(100.0)]);
    c
}

fn findings(text: &str) -> Vec<Finding> {
    of(audit(&leg().loaded(), &Limits::from_toml(text).unwrap()), Code::PoseLimit)
}

#[test]
fn nothing_is_said_where_nothing_is_set() {
    assert_eq!(findings(""), []);
    assert_eq!(findings("[[audit.pose-limit.joints]]\njoint = \"Knee\""), []);
}

#[test]
fn a_knee_past_its_limit_is_named_with_its_degrees_and_moment() {
    let text =
        "[[audit.pose-limit.joints]]\njoint = \"kn*\"\naxis = \"x\"\nswing-deg = 1\ntwist-above-deg = 85";
    let found = findings(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].subject.joint.as_deref(), Some("Knee"));
    assert!((found[0].measured.unwrap() - 15.0).abs() < 1e-3, "{:?}", found[0]);
    assert_eq!(found[0].subject.time, Some(1.0));
    assert_eq!(findings(&text.replace("85", "100.01")), []);
    // About another axis the same rotation is a swing.
    let found = findings("[[audit.pose-limit.joints]]\njoint = \"Knee\"\nswing-deg = 90");
    assert_eq!(found.len(), 1);
    assert!(
        (found[0].measured.unwrap() - 10.0).abs() < 1e-3 && found[0].message.contains("swings"),
        "{found:#?}"
    );
    // Folding to the other side is none of it.
    let below = "[[audit.pose-limit.joints]]\njoint = \"Knee\"\naxis = \"x\"\ntwist-below-deg = 0";
    assert_eq!(findings(below), []);
}

#[test]
fn a_jump_between_two_samples_is_found_where_it_lands_on_what_moves_with_it_too() {
    let found = findings("[[audit.pose-limit.joints]]\njoint = \"*\"\nturn-deg = 20");
    let joints: Vec<_> = found.iter().filter_map(|f| f.subject.joint.as_deref()).collect();
    assert_eq!(joints, ["Knee", "Foot"]);
    // 30 degrees of the jump and the rest of a step of ordinary folding.
    for f in &found {
        assert!((f.measured.unwrap() - 30.7).abs() < 0.5, "{f:?}");
        assert!((f.subject.time.unwrap() - 16.0 / 30.0).abs() < 1e-9);
    }
}

#[test]
fn limbs_within_another_are_found_at_their_closest() {
    let limbs = "[audit.pose-limit]\ngap-mm = 20\nlimbs = [\n{ from = \"Knee\", to = \"Foot\", radius-mm = 50 },\n\
                 { from = \"Tail\", to = \"TailEnd\", radius-mm = 60 },\n{ from = \"Hip\", to = \"Knee\", radius-mm = 50 },\n]";
    // The foot is at (0.1, 0.587, -0.492) in the end; the tail at x = 0 and y = 1.
    let found = findings(limbs);
    assert_eq!(found, []);
    // Upper leg against tail: 0.1 m aside and 0.2 m behind, 223.6 mm less the radii.
    let found = findings(&limbs.replace("gap-mm = 20", "gap-mm = 130"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!((found[0].measured.unwrap() - 113.6).abs() < 0.1, "{:?}", found[0]);
    let found = findings(&limbs.replace("radius-mm = 60", "radius-mm = 200"));
    assert!(found[0].message.contains("within"), "{}", found[0].message);
}

#[test]
fn limits_that_are_none_are_refused() {
    let bad = Limits::from_toml("[[audit.pose-limit.joints]]\njoint = \"Knee\"\nswing-deg = -5");
    assert!(matches!(bad, Err(LimitsError::Value { .. })), "{bad:?}");
    assert!(Limits::from_toml("[[audit.pose-limit.joints]]\njoint = \"Knee\"\naxis = \"up\"").is_err());
}
