//! What the audit says about characters that people made, on the folder `data` of what
//! `SINEW_SHARED` names: known faults are found, good files stay free of warnings. Where it is not set there is
//! nothing to check.

mod shared;

use sinew_asset::{ReadOptions, load};
use sinew_audit::{AuditReport, Closure, Code, Finding, Limits, Severity, audit};

fn report(name: &str) -> Option<AuditReport> {
    let path = shared::folder("data")?.join(name);
    Some(audit(&load(path, &ReadOptions::default()).unwrap(), &Limits::default()))
}

fn of(report: &AuditReport, code: Code) -> Vec<&Finding> {
    report.findings.iter().filter(|f| f.code == code).collect()
}

#[test]
fn good_characters_have_no_warnings() {
    for name in ["fox/Fox.glb", "robot_expressive_threejs/RobotExpressive.glb", "gdbot/gdbot.glb"] {
        let Some(report) = report(name) else { return };
        let bad: Vec<_> = report.findings.iter().filter(|f| f.severity > Severity::Info).collect();
        assert!(bad.is_empty(), "{name}: {bad:#?}");
    }
}

#[test]
fn the_loops_of_the_fox_are_closed() {
    let Some(report) = report("fox/Fox.glb") else { return };
    assert!(report.clips.iter().all(|c| c.closure == Closure::Closed), "{:?}", report.clips);
}

#[test]
fn no_limb_of_a_good_character_swings() {
    for name in [
        "kaykit_knight/Knight.glb",
        "kaykit_medium/Med_MovementBasic.glb",
        "fox/Fox.glb",
        "cesium_man/cesium_man.gltf",
        "quaternius_robot/robot.glb",
        "pab_walk/walk.glb",
        "cmu_30hz/cmu_02_01.glb",
        "cmu_30hz/cmu_02_03.glb",
        "synthetic_dense/syn87.glb",
    ] {
        let Some(report) = report(name) else { return };
        assert_eq!(of(&report, Code::Swing), Vec::<&Finding>::new(), "{name}");
    }
}

#[test]
fn walking_and_running_people_do_not_slide_enough_to_warn() {
    for name in [
        "cmu_30hz/cmu_02_01.glb",
        "cmu_30hz/cmu_02_02.glb",
        "cmu_30hz/cmu_02_03.glb",
        "cmu_30hz/cmu_03_01.glb",
        "cmu_30hz/cmu_03_02.glb",
    ] {
        let Some(report) = report(name) else { return };
        assert_eq!(report.file.feet.len(), 2, "{name}");
        assert!(report.clips[0].stances > 0, "{name}");
        let warned = of(&report, Code::FootSlide).iter().any(|f| f.severity > Severity::Info);
        assert!(!warned, "{name}: {:#?}", of(&report, Code::FootSlide));
    }
}

#[test]
fn a_hip_that_flips_for_a_frame_of_a_recording_is_found() {
    let Some(report) = report("cmu_30hz/cmu_01_12.glb") else { return };
    let found = of(&report, Code::Swing);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].subject.joint.as_deref(), Some("joint_03"));
}

#[test]
fn weights_that_do_not_add_up_are_counted_as_an_independent_reading_counts_them() {
    // numpy, straight from the accessor: 210 of 3273 sums off by more than 0.001, the smallest 0.18474239.
    let Some(report) = report("cesium_man/cesium_man.gltf") else { return };
    let found = of(&report, Code::Weights);
    assert_eq!(found.len(), 1);
    assert!(found[0].message.starts_with("weights of 210 of 3273 vertices"), "{}", found[0].message);
    assert!((found[0].measured.unwrap() - (1.0 - 0.184_742_39)).abs() < 1e-6);
}

#[test]
fn the_rounded_keys_of_simple_skin_cost_half_a_millimetre() {
    // three.js, which uses keys as stored, is 0.48 mm off the evaluator that normalises.
    let Some(report) = report("simple_skin/SimpleSkin.gltf") else { return };
    let found = of(&report, Code::RotationLength);
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("0.477 mm"), "{}", found[0].message);
}

#[test]
fn a_thigh_that_ends_a_loop_10_mm_off_is_found() {
    // numpy: upperleg.r of Walking_C is at another place at 1.6 s than at 0 s, by 0.0100000 m along Z.
    let Some(report) = report("kaykit_knight/Knight.glb") else { return };
    let found = of(&report, Code::LoopSeam);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].subject.clip.as_deref(), Some("Walking_C"));
    assert_eq!(found[0].subject.joint.as_deref(), Some("upperleg.r"));
    assert!((found[0].measured.unwrap() - 10.0).abs() < 1e-4);
}

#[test]
fn an_inverse_bind_matrix_without_its_one_is_found() {
    // struct.unpack, straight from the buffer: element 15 of matrix 0 is 9.918e-39.
    let Some(report) = report("unassigned_skeleton/unassigned-skeleton.gltf") else { return };
    let found = of(&report, Code::Value);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].severity, found[0].subject.skin), (Severity::Warning, Some(0)));
    assert!(found[0].message.contains("as element 15, expected 1"), "{}", found[0].message);
    assert!((found[0].measured.unwrap() - 9.918e-39).abs() < 0.001e-39);
}

#[test]
fn a_late_first_key_warns_once_a_file_and_never_for_one_shots() {
    for name in ["m2m_fox", "m2m_kaiju", "m2m_snake", "m2m_spider"] {
        let Some(folder) = shared::folder("data") else { return };
        for entry in std::fs::read_dir(folder.join(name)).unwrap() {
            let path = entry.unwrap().path();
            if !path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
                continue;
            }
            let report = audit(&load(&path, &ReadOptions::default()).unwrap(), &Limits::default());
            let found = of(&report, Code::DeadTime);
            let warned: Vec<_> = found.iter().filter(|f| f.severity == Severity::Warning).collect();
            assert!(warned.len() <= 1, "{}: {warned:#?}", path.display());
        }
    }
}
