//! Limits that `sinew.toml` sets for joints, steps, gaps and soles are held, each with its number and moment;
//! without any nothing is said.

mod character;

use character::{Character, of, rotate, translate};
use glam::{DQuat, DVec3};
use sinew_audit::{Code, Finding, Limits, LimitsError, Severity, audit};

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

#[test]
fn a_joint_past_two_of_its_limits_is_told_of_both() {
    let mut c = Character::default();
    let neck = c.joint("Neck", None, [0.0, 1.0, 0.0]);
    let clip = c.clip("Look");
    // A twist about the bone, then a swing of it.
    let turn = DQuat::from_rotation_x(50_f64.to_radians()) * DQuat::from_rotation_y(35_f64.to_radians());
    rotate(clip, neck, &[0.0, 1.0], &[DQuat::IDENTITY, turn]);
    let text = "[[audit.pose-limit.joints]]\njoint = \"Neck\"\nswing-deg = 20\ntwist-above-deg = 15";
    let found = of(audit(&c.loaded(), &Limits::from_toml(text).unwrap()), Code::PoseLimit);
    let mut past: Vec<_> =
        found.iter().map(|f| (f.message.contains("swings"), f.measured.unwrap())).collect();
    past.sort_by_key(|p| p.0);
    assert_eq!(past.len(), 2, "{found:#?}");
    assert!(!past[0].0 && (past[0].1 - 20.0).abs() < 1e-3, "{past:?}");
    assert!(past[1].0 && (past[1].1 - 30.0).abs() < 1e-3, "{past:?}");
}

#[test]
fn angles_about_each_axis_have_their_own_limits() {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0, 1.0, 0.0]);
    let wrist = c.joint("Wrist", Some(root), [0.1, 0.0, 0.0]);
    let rest = DQuat::from_rotation_y(1.1);
    c.joints[wrist.index()].rest.rotation = rest;
    let clip = c.clip("Wave");
    // About X, then the new Y, then the new Z; from where it is at rest.
    let [x, y, z] = [-30_f64, 25.0, 40.0].map(f64::to_radians);
    let turn = DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y) * DQuat::from_rotation_z(z);
    rotate(clip, wrist, &[0.0, 1.0], &[rest, rest * turn]);
    let held = |lines: &str| {
        let text = format!("[[audit.pose-limit.joints]]\njoint = \"Wrist\"\n{lines}");
        let found = of(audit(&c.loaded(), &Limits::from_toml(&text).unwrap()), Code::PoseLimit);
        found.iter().map(|f| (f.message.clone(), f.measured.unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(held("x-below-deg = 30.01\ny-above-deg = 25.01\nz-above-deg = 40.01"), []);
    for (line, axis, past) in [
        ("x-below-deg = 20", "about X", 10.0),
        ("y-above-deg = 10", "about Y", 15.0),
        ("z-above-deg = 5", "about Z", 35.0),
    ] {
        let found = held(line);
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert!(found[0].0.contains(axis) && (found[0].1 - past).abs() < 1e-3, "{found:?}");
    }
    // What is not given is free, to the other side as well.
    assert_eq!(held("x-above-deg = 0\ny-below-deg = 0\nz-below-deg = 0"), []);
    assert_eq!(held("x-below-deg = 20\ny-above-deg = 10\nz-above-deg = 5").len(), 3);
}

/// A foot that slides by 12 mm along X within a second, and turns about its own joint by a quarter.
fn sliding() -> Character {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0, 1.0, 0.0]);
    let foot = c.joint("Foot_L", Some(root), [0.1, -0.9, 0.0]);
    let still = c.joint("Foot_R", Some(root), [-0.1, -0.9, 0.0]);
    let clip = c.clip("Stand");
    translate(clip, foot, 0.5, |t| DVec3::new(0.1 + 0.012 * t, -0.9, 0.0), 3);
    let turned = DQuat::from_rotation_y(core::f64::consts::FRAC_PI_2);
    rotate(clip, still, &[0.0, 1.0], &[DQuat::IDENTITY, turned]);
    c
}

#[test]
fn a_sole_off_its_place_is_named_with_its_millimetres_and_moment() {
    let held = |lines: &str| {
        let text = format!("[[audit.pose-limit.soles]]\n{lines}");
        of(audit(&sliding().loaded(), &Limits::from_toml(&text).unwrap()), Code::PoseLimit)
    };
    let found = held("joint = \"Foot_?\"\nresidual-mm = 3");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].subject.joint.as_deref(), Some("Foot_L"));
    assert!((found[0].measured.unwrap() - 12.0).abs() < 1e-3, "{:?}", found[0]);
    assert_eq!(
        (found[0].limit, found[0].subject.time, found[0].severity),
        (Some(3.0), Some(1.0), Severity::Warning)
    );
    assert_eq!(held("joint = \"Foot_?\"\nresidual-mm = 12.01"), []);
    // Half a millimetre where nothing is said.
    assert_eq!(held("joint = \"Foot_L\"")[0].limit, Some(0.5));
    // From an anchor on the other side of 0: 100 and 112 mm.
    let found = held("joint = \"Foot_L\"\nanchor-mm = [0, 100, 0]\nresidual-mm = 50");
    assert!((found[0].measured.unwrap() - 112.0).abs() < 1e-3, "{:?}", found[0]);
    let there = "joint = \"Foot_R\"\noffset-mm = [0, -100, 0]\nanchor-mm = [-100, 0, 0]";
    assert_eq!(held(there), []);
    // A sole beside the joint goes round with it: the chord of a quarter.
    let found = held("joint = \"Foot_R\"\noffset-mm = [0, 0, -50]");
    assert!((found[0].measured.unwrap() - 50.0 * 2_f64.sqrt()).abs() < 1e-3, "{:?}", found[0]);
}

#[test]
fn lines_that_hold_nothing_are_told_with_their_name() {
    let held = |text: &str| {
        let found = findings(text);
        assert!(found.iter().all(|f| f.severity == Severity::Info && f.subject.clip.is_none()), "{found:#?}");
        found.into_iter().map(|f| f.message).collect::<Vec<_>>()
    };
    let typo = held("[[audit.pose-limit.joints]]\njoint = \"Kneee\"\nswing-deg = 1");
    assert_eq!(
        typo,
        ["audit.pose-limit.joints[0], 'Kneee', holds nothing in this file: no joint has such a name"]
    );
    let sole = held("[[audit.pose-limit.soles]]\njoint = \"Sole*\"");
    assert_eq!(
        sole,
        ["audit.pose-limit.soles[0], 'Sole*', holds nothing in this file: no joint has such a name"]
    );
    let limb = held(
        "[audit.pose-limit]\nlimbs = [\n{ from = \"Knee\", to = \"Fot\", radius-mm = 5 },\n\
         { from = \"Tail\", to = \"TailEnd\", radius-mm = 5 },\n]",
    );
    assert_eq!(
        limb,
        ["audit.pose-limit.limbs[0], 'Knee' to 'Fot', holds nothing in this file: no joint is named 'Fot'"]
    );
    // The first line that fits counts, so a second one for the same joint does nothing.
    let late = held(
        "[[audit.pose-limit.joints]]\njoint = \"*\"\n[[audit.pose-limit.joints]]\njoint = \"Knee\"\nswing-deg = 1",
    );
    assert_eq!(late.len(), 1);
    assert!(late[0].contains("'Knee', holds nothing") && late[0].contains("line 0"), "{}", late[0]);
}

#[test]
fn lists_and_places_that_cannot_be_held_are_refused_where_they_are_read() {
    let limb = "{ from = \"Knee\", to = \"Foot\", radius-mm = 5 },";
    let limbs = |count| Limits::from_toml(&format!("[audit.pose-limit]\nlimbs = [{}]", limb.repeat(count)));
    assert_eq!(limbs(64).unwrap().pose_limit.limbs.len(), 64);
    let key = "audit.pose-limit.limbs".to_owned();
    assert_eq!(limbs(65), Err(LimitsError::TooMany { key, count: 65, most: 64 }));
    let sole =
        |lines: &str| Limits::from_toml(&format!("[[audit.pose-limit.soles]]\njoint = \"Foot\"\n{lines}"));
    assert!(matches!(sole("anchor-mm = [0, inf, 0]"), Err(LimitsError::Place { .. })));
    assert!(matches!(sole("residual-mm = -1"), Err(LimitsError::Value { .. })));
    assert!(sole("offset-mm = [0, -1, 0]").is_ok());
}
