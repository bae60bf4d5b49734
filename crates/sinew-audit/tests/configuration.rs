//! `sinew.toml` turns rules off, changes severities and limits, leaves findings out, and refuses what it does
//! not know.

mod character;

use character::{Character, of, translate};
use glam::DVec3;
use sinew_audit::{Code, Level, Limits, LimitsError, Severity, audit};

/// A foot that drifts 100 mm while it stands, in two clips.
fn drifting() -> Character {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    c.joint("Head", Some(root), [0.0, 1.8, 0.0]);
    let foot = c.joint("LeftFoot", Some(root), [0.1, 0.0, 0.0]);
    for name in ["Attack_A", "Attack_B"] {
        translate(c.clip(name), foot, 0.1, |t| DVec3::new(0.1, 0.0, 0.1 * t), 11);
    }
    c
}

fn slides(text: &str) -> Vec<sinew_audit::Finding> {
    of(audit(&drifting().loaded(), &Limits::from_toml(text).unwrap()), Code::FootSlide)
}

#[test]
fn an_empty_file_keeps_every_default() {
    assert_eq!(Limits::from_toml("").unwrap(), Limits::default());
    assert_eq!(slides("").len(), 2);
}

#[test]
fn limits_severities_and_exceptions_can_be_set() {
    assert_eq!(slides("[audit.foot-slide]\nslide-mm = 150").len(), 0);
    assert_eq!(slides("[audit.severity]\nSINEW_FOOT_SLIDE = \"off\"").len(), 0);
    let errors = slides("[audit.severity]\nSINEW_FOOT_SLIDE = \"error\"");
    assert!(errors.iter().all(|f| f.severity == Severity::Error) && errors.len() == 2);
    let left = slides("[[audit.ignore]]\nrule = \"SINEW_FOOT_SLIDE\"\nclip = \"*_b\"\nreason = \"on ice\"");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].subject.clip.as_deref(), Some("Attack_A"));
    assert_eq!(slides("[[audit.ignore]]\njoint = \"LeftFoot\"").len(), 0);
}

#[test]
fn what_was_left_out_is_counted_and_an_exception_that_names_nothing_hides_nothing() {
    let limits = Limits::from_toml("[[audit.ignore]]\njoint = \"LeftFoot\"").unwrap();
    let report = audit(&drifting().loaded(), &limits);
    assert_eq!(report.counts.ignored, 2);
    assert_eq!(slides("[[audit.ignore]]\nreason = \"all of it\"").len(), 2);
}

#[test]
fn a_run_fails_from_the_severity_that_is_set() {
    let loaded = drifting().loaded();
    let fails = |text: &str| {
        let limits = Limits::from_toml(text).unwrap();
        audit(&loaded, &limits).fails(&limits)
    };
    assert!(fails(""));
    assert!(!fails("[audit.fail]\nseverity = \"error\""));
    assert!(!fails("[audit.fail]\nseverity = \"off\""));
    assert!(fails("[audit.fail]\nseverity = \"info\""));
    assert_eq!(Limits::default().fail.severity, Level::Warning);
}

#[test]
fn unknown_keys_and_impossible_values_are_refused_by_name() {
    let error = |text: &str| Limits::from_toml(text).unwrap_err().to_string();
    assert!(error("[audit.foot-slide]\nslide = 3").contains("slide"));
    assert!(error("[audit.foot-slide]\nslide = 3").contains("line 2"));
    assert!(error("[adit]\n").contains("adit"));
    assert!(error("[audit.severity]\nSINEW_NO_SUCH = \"off\"").contains("SINEW_NO_SUCH"));
    let negative = Limits::from_toml("[audit.swing]\nroll-deg = -1.0").unwrap_err();
    assert_eq!(negative, LimitsError::Value { key: "audit.swing.roll-deg".into(), value: -1.0 });
    assert!(error("[audit.swing]\nroll-deg = nan").contains("audit.swing.roll-deg"));
    assert!(error("[audit.swing]\nroll-deg = inf").contains("audit.swing.roll-deg"));
}

#[test]
fn the_defaults_written_out_read_back_as_the_defaults() {
    let json = serde_json::to_value(Limits::default()).unwrap();
    let back: Limits = serde_json::from_value(json).unwrap();
    assert_eq!(back, Limits::default());
}
