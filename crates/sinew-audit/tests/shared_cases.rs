//! The audit's part of the shared cases, on the folder `cases` of what `SINEW_SHARED` names. Where it is
//! not set there is nothing to check.

mod shared;

use sinew_asset::{Loaded, ReadOptions, load};
use sinew_audit::{AuditReport, Code, Finding, FootSlideLimits, Limits, audit, sign_flips, stances};

fn file(name: &str) -> Option<Loaded> {
    Some(load(shared::folder("cases")?.join(name), &ReadOptions::default()).unwrap())
}

fn report(loaded: &Loaded) -> AuditReport {
    audit(loaded, &Limits::default())
}

fn of(report: &AuditReport, code: Code) -> Vec<&Finding> {
    report.findings.iter().filter(|f| f.code == code).collect()
}

#[test]
fn case_01_five_and_six_sign_flips() {
    let Some(loaded) = file("01-quat-sign-flip/input.glb") else { return };
    let clip = loaded.document.clips.iter().find(|c| c.name.as_deref() == Some("swing")).unwrap();
    let flips: Vec<_> = clip.channels.iter().map(|c| sign_flips(&c.track).count).collect();
    assert_eq!(flips, [5, 6]);
    let report = report(&loaded);
    assert!(of(&report, Code::SignFlip).iter().any(|f| f.message.starts_with("5 sign flips")));
}

#[test]
fn case_05_scale_0_01_on_the_armature() {
    let Some(loaded) = file("05-cm-armature-animated-ancestor/input.glb") else { return };
    let report = report(&loaded);
    let found = of(&report, Code::AncestorScale);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].subject.joint.as_deref(), Some("Armature"));
    assert!((found[0].measured.unwrap() - 0.01).abs() < 1e-6);
}

#[test]
fn case_09_refused_keys_keep_animation_sampler_key_and_word() {
    let cases = [("duplicate", 2, "duplicate"), ("unsorted", 2, "decreasing"), ("negative", 0, "negative")];
    for (name, key, word) in cases {
        let path = format!("09-reject-duplicate-or-unsorted-keys/input-{name}.gltf");
        let Some(loaded) = file(&path) else { return };
        let report = report(&loaded);
        let found = of(&report, Code::KeyTimes);
        assert_eq!(found.len(), 1, "{report:?}");
        assert_eq!(found[0].subject.clip.as_deref(), Some("stutter"));
        assert_eq!((found[0].subject.sampler, found[0].subject.key), (Some(0), Some(key)));
        assert!(found[0].message.contains(word), "{}", found[0].message);
        assert_eq!(found[0].pointer.as_deref(), Some("/animations/0/samplers/0/input"));
        assert!(report.fails(&Limits::default()));
    }
}

#[test]
fn case_10_the_left_foot_slides_60_mm_from_0_3_to_0_7_s() {
    let Some(loaded) = file("10-foot-slide-stance/input.glb") else { return };
    let stances = stances(&loaded.document, 0, &FootSlideLimits::default());
    assert_eq!(stances.len(), 1, "{stances:?}");
    let s = &stances[0];
    assert!((s.start - 0.3).abs() < 0.01 && (s.end - 0.7).abs() < 0.01, "{s:?}");
    assert!((s.net_slide_m - 0.059_754_861).abs() < 0.004);
    assert!((s.path_m - 0.059_754_861).abs() < 0.01);
    assert!((s.mean_speed_mps - 0.149_387_152).abs() < 0.01);
    assert!((s.min_height_m - 0.029_718_161).abs() < 0.001);
    assert!((s.max_height_m - 0.030_000_007).abs() < 0.001);
    let report = report(&loaded);
    let found = of(&report, Code::FootSlide);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].subject.joint.as_deref(), Some("LeftFoot"));
    assert!(report.fails(&Limits::default()));
}

#[test]
fn case_10_the_clean_walk_is_silent() {
    let Some(loaded) = file("10-foot-slide-stance/clean.glb") else { return };
    let stances = stances(&loaded.document, 0, &FootSlideLimits::default());
    assert_eq!(stances.len(), 1, "{stances:?}");
    assert!(stances[0].net_slide_m < 0.004 && stances[0].path_m < 0.01);
    assert_eq!(of(&report(&loaded), Code::FootSlide), Vec::<&Finding>::new());
}

#[test]
fn case_11_a_loop_that_turns_has_no_seam() {
    let Some(loaded) = file("11-root-motion-turning-loop/input.glb") else { return };
    assert_eq!(of(&report(&loaded), Code::LoopSeam), Vec::<&Finding>::new());
}
