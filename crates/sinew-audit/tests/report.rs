//! A report is the same bytes each time, sorted worst first, and never longer than it may be.

mod character;

use character::{Character, rotate_raw, translate};
use glam::{DQuat, DVec3};
use sinew::Interpolation;
use sinew_audit::{AuditReport, Code, Limits, RULES, Severity, audit};

/// Many joints whose keys all change sign, in many clips; two of them are cubic.
fn noisy(clips: usize, joints: usize) -> Character {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    let ids: Vec<_> = (0..joints).map(|k| c.joint(&format!("J{k}"), Some(root), [0.0, 1.0, 0.0])).collect();
    let q = |d: f64, s: f64| (DQuat::from_rotation_z(d.to_radians()) * s).to_array().map(|v| v as f32);
    for number in 0..clips {
        let clip = c.clip(&format!("Clip {number}"));
        for &joint in &ids {
            let values = [q(0.0, 1.0), q(10.0 + f64::from(joint.0), -1.0)].concat();
            rotate_raw(clip, joint, &[0.0, 1.0], values, Interpolation::Linear);
        }
    }
    c
}

#[test]
fn the_same_file_gives_the_same_bytes_twice() {
    let loaded = noisy(5, 12).loaded();
    let text = |r: &AuditReport| serde_json::to_string_pretty(r).unwrap();
    let (a, b) = (audit(&loaded, &Limits::default()), audit(&loaded, &Limits::default()));
    assert_eq!(text(&a), text(&b));
    assert_eq!(a.plots, b.plots);
    let back: AuditReport = serde_json::from_str(&text(&a)).unwrap();
    assert_eq!(text(&back), text(&a));
}

#[test]
fn findings_come_worst_first_then_by_clip_joint_and_time() {
    let report = noisy(3, 4).audit();
    let order: Vec<_> = report
        .findings
        .iter()
        .map(|f| (core::cmp::Reverse(f.severity), f.subject.clip_index, f.subject.node))
        .collect();
    assert!(order.windows(2).all(|w| w[0] <= w[1]), "{order:?}");
}

#[test]
fn ten_thousand_findings_of_one_kind_become_a_few_and_a_count() {
    let report = noisy(100, 100).audit();
    assert_eq!(report.counts.by_code[&Code::SignFlip], 10_000);
    let flips: Vec<_> = report.findings.iter().filter(|f| f.code == Code::SignFlip).collect();
    assert_eq!(flips.len(), 13);
    // Twelve are listed, the rest is counted after them: every one, also those that clips counted.
    assert!(flips[12].message.starts_with("9988 more findings like these in this file"), "{:?}", flips[12]);
}

#[test]
fn how_many_more_there_are_comes_after_what_there_are_more_of() {
    let report = noisy(1, 20).audit();
    let more: Vec<_> =
        report.findings.iter().map(|f| f.message.contains("more findings like these")).collect();
    assert_eq!(more, [false, false, false, false, false, false, false, false, true]);
}

#[test]
fn infos_alone_do_not_fail_a_run_and_counts_add_up() {
    let report = noisy(2, 3).audit();
    assert!(!report.fails(&Limits::default()));
    assert_eq!(report.worst(), Some(Severity::Info));
    assert_eq!(report.counts.infos, report.counts.by_code.values().sum::<usize>());
}

#[test]
fn every_code_has_one_rule_in_order() {
    assert_eq!(RULES.map(|r| r.code), Code::ALL);
    for rule in RULES {
        assert!(rule.example.contains(rule.code.as_str()), "{}", rule.code);
        assert!(!rule.reason.is_empty() && !rule.method.is_empty() && !rule.fix.is_empty());
        let json = serde_json::to_value(rule.code).unwrap();
        assert_eq!(json, rule.code.as_str());
    }
}

#[test]
fn every_plot_belongs_to_a_finding_and_a_clip() {
    let mut c = Character::default();
    let root = c.joint("Root", None, [0.0; 3]);
    c.joint("Head", Some(root), [0.0, 1.8, 0.0]);
    let foot = c.joint("LeftFoot", Some(root), [0.1, 0.0, 0.0]);
    translate(c.clip("Still"), root, 0.1, |_| DVec3::ZERO, 11);
    translate(c.clip("Attack"), foot, 0.1, |t| DVec3::new(0.1, 0.0, 0.1 * t), 11);
    let report = c.audit();
    assert_eq!(report.plots.len(), 2);
    for plot in &report.plots {
        assert_eq!((plot.clip, plot.joint), (Some(1), Some(2)));
        assert!(!plot.spans.is_empty() && !plot.description.is_empty());
        let finding = plot.markers.iter().find_map(|m| m.finding).unwrap();
        assert_eq!(report.findings[finding as usize].code, Code::FootSlide);
        assert!(plot.series.iter().all(|s| s.points.len() <= 1201));
    }
}
