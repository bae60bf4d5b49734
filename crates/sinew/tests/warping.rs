//! Promise: warping puts feet where stride, direction and slope ask for, keeps legs as long as they are and
//! knees on their side, and leaves a pose alone that needs none.

mod locomotion_biped;

use glam::{DQuat, DVec3};
use locomotion_biped::{legs, skeleton};
use proptest::prelude::*;
use sinew::{
    DTransform, JointId, LocalPose, LocomotionError, OrientationWarp, PlantRig, Rig, SlopeWarp, StrideWarp,
    Transform, WarpJob, WarpReport, WarpSettings, Warping,
};

struct Setup {
    rig: Rig,
    legs: PlantRig,
}

fn setup() -> Setup {
    let rig = Rig::new(&skeleton()).unwrap();
    let legs = legs(&rig);
    Setup { rig, legs }
}

impl Setup {
    /// One leg ahead, one behind, knees bent.
    fn striding(&self, swing: f32) -> LocalPose {
        let mut pose = LocalPose::rest(&self.rig);
        let mut turn = |joint: u32, angle: f32| {
            let slot = self.rig.slot(JointId(joint));
            let rotation = glam::Quat::from_rotation_x(angle);
            pose.set(slot, &Transform { rotation, ..pose.get(slot) });
        };
        for (first, side) in [(2, 1.0), (6, -1.0)] {
            turn(first, -0.25 - swing * side);
            turn(first + 1, 0.5);
            turn(first + 2, -0.25 + swing * side);
        }
        pose
    }

    fn at(&self, pose: &LocalPose, joint: u32) -> DTransform {
        let (mut walk, mut here) = (Some(self.rig.slot(JointId(joint))), DTransform::IDENTITY);
        while let Some(slot) = walk {
            let t = pose.get(slot);
            let local = DTransform::from_rotation_translation(
                t.rotation.as_dquat().normalize(),
                t.translation.as_dvec3(),
            );
            here = local.mul_transform(&here);
            walk = self.rig.parents()[slot.index()];
        }
        here
    }

    fn warp(
        &self,
        pose: &mut LocalPose,
        stride: Option<StrideWarp>,
        orientation: Option<OrientationWarp<'_>>,
        slope: Option<SlopeWarp>,
    ) -> Result<WarpReport, LocomotionError> {
        let mut state = Warping::new(&self.legs);
        let settings = &WarpSettings::for_size(1.5);
        let (rig, legs, state) = (&self.rig, &self.legs, &mut state);
        WarpJob { rig, legs, settings, stride, orientation, slope, state, pose }.run()
    }
}

fn stride(scale: f64) -> Option<StrideWarp> {
    Some(StrideWarp { scale, direction_ms: DVec3::Z })
}

/// Where the heel is: feet are level here, so both contacts move alike.
fn heel(foot: &DTransform) -> DVec3 {
    foot.translation + foot.rotation * DVec3::new(0.0, -0.07, -0.05)
}

proptest! {
    #[test]
    fn a_stride_is_as_long_as_asked_for(scale in 0.7_f64..1.4, swing in 0.0_f32..0.4) {
        let setup = setup();
        let before = setup.striding(swing);
        let mut pose = before.clone();
        let report = setup.warp(&mut pose, stride(scale), None, None).unwrap();
        prop_assert_eq!(report.unreached, 0);
        prop_assert!(report.pelvis <= 0.0 && report.pelvis > -0.2);
        for foot in [4, 8] {
            let (a, b) = (setup.at(&before, foot), setup.at(&pose, foot));
            // The foot goes by the share of its contact, keeps its height and does not turn.
            let contact = 0.5 * (heel(&a).z + (a.translation + a.rotation * DVec3::new(0.0, -0.07, 0.12)).z);
            let expected = (scale - 1.0) * contact;
            prop_assert!((b.translation.z - a.translation.z - expected).abs() < 2e-3, "{} {expected}", b.translation.z - a.translation.z);
            prop_assert!((b.translation - a.translation).truncate().length() < 1e-5);
            prop_assert!(DTransform::angle_between(a.rotation, b.rotation) < 1e-5);
            // The knee stays on its side.
            let (hip, knee) = (setup.at(&pose, foot - 2).translation, setup.at(&pose, foot - 1).translation);
            let along = (b.translation - hip).normalize();
            let out = (knee - hip) - along * (knee - hip).dot(along);
            prop_assert!(out.z > 0.0 && out.x.abs() < 1e-4, "{out}");
        }
    }

    #[test]
    fn a_slope_carries_the_feet(x in -0.4_f64..0.4, z in -0.4_f64..0.4, swing in 0.0_f32..0.3) {
        let setup = setup();
        let before = setup.striding(swing);
        let mut pose = before.clone();
        let normal = DVec3::new(x, 1.0, z).normalize();
        let slope = Some(SlopeWarp { normal_ms: normal, tilt: 1.0 });
        let report = setup.warp(&mut pose, None, None, slope).unwrap();
        prop_assert!(report.pelvis <= 0.0);
        for foot in [4, 8] {
            let (a, b) = (setup.at(&before, foot), setup.at(&pose, foot));
            if report.unreached == 0 {
                for z in [-0.05, 0.12] {
                    let sole = DVec3::new(0.0, -0.07, z);
                    let height = (a.translation + a.rotation * sole).y;
                    let at = b.translation + b.rotation * sole;
                    // As high above the slope as it was above level ground, along the slope's normal.
                    let plane = -(normal.x * at.x + normal.z * at.z) / normal.y;
                    prop_assert!((at.y - plane - height).abs() < 0.02, "{} {height}", at.y - plane);
                }
            }
            prop_assert!((setup.at(&pose, foot - 1).translation - setup.at(&pose, foot - 2).translation).length() - 0.46 < 1e-5);
        }
    }

    #[test]
    fn hips_turn_and_the_chest_looks_ahead(angle in -1.5_f64..1.5, counter in 0.0_f64..1.0) {
        let setup = setup();
        let before = setup.striding(0.3);
        let mut pose = before.clone();
        let spine = [setup.rig.slot(JointId(10)), setup.rig.slot(JointId(11))];
        let orientation = Some(OrientationWarp { angle, spine: &spine, counter });
        setup.warp(&mut pose, None, orientation, None).unwrap();
        let turn = DQuat::from_rotation_y(angle);
        for joint in [1, 2, 4, 8] {
            let (a, b) = (setup.at(&before, joint), setup.at(&pose, joint));
            prop_assert!((b.translation - turn * a.translation).length() < 1e-5);
            prop_assert!(DTransform::angle_between(b.rotation, turn * a.rotation) < 1e-4);
        }
        let chest = DQuat::from_rotation_y(angle * (1.0 - counter)) * setup.at(&before, 11).rotation;
        prop_assert!(DTransform::angle_between(setup.at(&pose, 11).rotation, chest) < 1e-4);
    }
}

#[test]
fn nothing_to_warp_leaves_the_pose_to_the_bit() {
    let setup = setup();
    let before = setup.striding(0.3);
    let mut pose = before.clone();
    let spine = [setup.rig.slot(JointId(10))];
    let orientation = Some(OrientationWarp { angle: 0.0, spine: &spine, counter: 1.0 });
    let slope = Some(SlopeWarp { normal_ms: DVec3::Y, tilt: 1.0 });
    let report = setup.warp(&mut pose, stride(1.0), orientation, slope).unwrap();
    assert_eq!(pose.groups(), before.groups());
    assert_eq!((report.pelvis, report.farthest, report.unreached), (0.0, 0.0, 0));
}

#[test]
fn a_stride_too_long_lowers_the_pelvis_and_then_says_so() {
    let setup = setup();
    let mut pose = setup.striding(0.45);
    let report = setup.warp(&mut pose, stride(1.4), None, None).unwrap();
    assert!(report.pelvis < -0.01, "{report:?}");
    let mut pose = setup.striding(0.45);
    let report = setup.warp(&mut pose, stride(5.0), None, None).unwrap();
    assert!(report.unreached > 0, "{report:?}");
}

#[test]
fn bad_numbers_leave_the_pose_alone() {
    let setup = setup();
    let before = setup.striding(0.3);
    let mut pose = before.clone();
    for bad in [f64::NAN, -1.0, 11.0] {
        assert!(setup.warp(&mut pose, stride(bad), None, None).is_err());
    }
    let nowhere = Some(StrideWarp { scale: 1.1, direction_ms: DVec3::Y });
    assert!(setup.warp(&mut pose, nowhere, None, None).is_err());
    for normal_ms in [DVec3::ZERO, DVec3::NEG_Y, DVec3::X, DVec3::NAN] {
        assert!(setup.warp(&mut pose, None, None, Some(SlopeWarp { normal_ms, tilt: 1.0 })).is_err());
    }
    assert_eq!(pose.groups(), before.groups());
}
