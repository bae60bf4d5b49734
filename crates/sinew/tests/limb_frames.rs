//! Promise: limb frames are right-handed and orthonormal with Y along the bone; where the roll cannot be told
//! they are errors; and the frame decides whether a knee stays in its plane between two keys.

mod rig;

use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;
use rig::axis;
use sinew::frame::{FrameError, MIN_PROJECTED_AXIS, projected_x, tracked_up};
use sinew::{DTransform, slerp_short};

fn check_frame(q: DQuat, y: DVec3) {
    let m = DMat3::from_quat(q);
    let unit = m.transpose() * m - DMat3::IDENTITY;
    assert!(unit.to_cols_array().iter().all(|v| v.abs() < 1e-14), "orthonormal {m}");
    assert!((m.determinant() - 1.0).abs() < 1e-14, "right-handed {m}");
    assert!((m.y_axis - y).length() < 1e-12, "Y along the bone {m}");
}

proptest! {
    #[test]
    fn projected_x_is_the_reference_seen_across_the_bone(head in rig::vec3(3.0), along in axis(), length in 1e-6..10.0_f64, x in axis()) {
        let across = x - along * x.dot(along);
        prop_assume!(across.length() > 0.11);
        let q = projected_x(head, head + along * length, x).unwrap();
        // The direction of a short bone far from the origin is only as good as its end points.
        let along = (head + along * length - head).normalize();
        check_frame(q, along);
        let found = q * DVec3::X;
        prop_assert!(found.dot(x) > 0.0 && found.dot(x.cross(along)).abs() < 1e-12, "in the plane of both");
    }

    #[test]
    fn tracked_up_turns_z_towards_up(head in rig::vec3(3.0), along in axis(), up in axis()) {
        let across = up - along * up.dot(along);
        prop_assume!(across.length() > 1e-3);
        let q = tracked_up(head, head + along * 0.3, up).unwrap();
        let along = (head + along * 0.3 - head).normalize();
        check_frame(q, along);
        let found = q * DVec3::Z;
        prop_assert!(found.dot(up) > 0.0 && found.dot(up.cross(along)).abs() < 1e-9);
    }
}

#[test]
fn head_on_tail_is_an_error() {
    let head = DVec3::new(1.0, 2.0, 3.0);
    for tail in [head, head + DVec3::Y * 0.9e-8] {
        assert!(
            matches!(projected_x(head, tail, DVec3::X), Err(FrameError::NoDirection { length }) if length < 1e-8)
        );
        assert!(matches!(tracked_up(head, tail, DVec3::Z), Err(FrameError::NoDirection { .. })));
    }
    assert!(projected_x(DVec3::ZERO, DVec3::Y * 1.1e-8, DVec3::X).is_ok());
}

#[test]
fn a_reference_along_the_bone_is_an_error() {
    let along = |degrees: f64| {
        let (sin, cos) = libm::sincos(degrees.to_radians());
        projected_x(DVec3::ZERO, DVec3::Y, DVec3::new(sin, cos, 0.0))
    };
    // The projection of a unit axis is the sine of its angle to the bone: 0.1 is 5.739 degrees.
    assert!(along(5.74).is_ok());
    let error = along(5.73).unwrap_err();
    assert!(
        matches!(error, FrameError::AxisAlongBone { length } if length < MIN_PROJECTED_AXIS && length > 0.0998)
    );
    assert!(error.to_string().contains("0.1"));
    assert!(matches!(along(0.0), Err(FrameError::AxisAlongBone { .. })));
    assert!(matches!(tracked_up(DVec3::ZERO, DVec3::Y, DVec3::Y), Err(FrameError::AxisAlongBone { .. })));
}

#[test]
fn what_is_no_number_is_an_error_and_never_a_frame() {
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    for bad in [nan, DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY)] {
        for frame in [projected_x, tracked_up] {
            assert!(matches!(frame(bad, DVec3::ZERO, DVec3::X), Err(FrameError::NoDirection { .. })));
            assert!(matches!(frame(DVec3::ZERO, bad, DVec3::X), Err(FrameError::NoDirection { .. })));
            assert!(matches!(frame(DVec3::ZERO, DVec3::Y, bad), Err(FrameError::AxisNotUnit { .. })));
        }
    }
    for length in [0.0, 0.5, 2.0] {
        let error = projected_x(DVec3::ZERO, DVec3::Y, DVec3::X * length).unwrap_err();
        assert_eq!(error, FrameError::AxisNotUnit { length });
    }
}

/// A leg of two 0.30 m bones under a hip at 0.60 m: a degree forwards with its shin bent back, then mirrored.
/// Returns the thigh's turn between the keys in degrees, the largest sideways knee and ankle and the largest
/// change of the ankle's height, millimetres, over 101 samples.
fn swing(frame: impl Fn(DVec3, DVec3) -> DQuat) -> [f64; 4] {
    let hip = DVec3::new(0.0, 0.6, 0.0);
    let (sin, cos) = libm::sincos(1.0_f64.to_radians());
    let keys = [1.0, -1.0].map(|side| {
        let knee = hip + DVec3::new(0.0, -cos, side * sin) * 0.3;
        let ankle = knee + DVec3::new(0.0, -cos, -side * sin) * 0.3;
        let (thigh, shin) = (frame(hip, knee), frame(knee, ankle));
        (thigh, thigh.conjugate() * shin)
    });
    let at = |u: f64| {
        let thigh = slerp_short(keys[0].0, keys[1].0, u);
        let shin = thigh * slerp_short(keys[0].1, keys[1].1, u);
        let knee = hip + thigh * (DVec3::Y * 0.3);
        (knee, knee + shin * (DVec3::Y * 0.3))
    };
    let turn = DTransform::angle_between(keys[0].0, keys[1].0).to_degrees();
    let largest = |of: &dyn Fn((DVec3, DVec3)) -> f64| {
        (0..=100).map(|i| of(at(f64::from(i) / 100.0))).fold(0.0, f64::max) * 1e3
    };
    let start = at(0.0).1.y;
    [turn, largest(&|p| p.0.x.abs()), largest(&|p| p.1.x.abs()), largest(&|p| (p.1.y - start).abs())]
}

#[test]
fn tracked_up_frames_carry_the_knee_5_236_mm_out_of_its_plane() {
    let [turn, knee, ankle, height] = swing(|head, tail| tracked_up(head, tail, DVec3::Y).unwrap());
    assert!((turn - 180.0).abs() < 1e-6, "{turn} degrees");
    // Half a circle of radius 0.3 m * sin 1 degree about the line from hip to ankle.
    assert!(
        (knee - 300.0 * libm::sin(1.0_f64.to_radians())).abs() < 1e-6 && (knee - 5.236).abs() < 5e-4,
        "{knee} mm"
    );
    assert!(ankle < 1e-6 && height < 1e-6, "{ankle} mm, {height} mm");
}

#[test]
fn projected_x_frames_keep_it_there() {
    let [turn, knee, ankle, height] = swing(|head, tail| projected_x(head, tail, DVec3::X).unwrap());
    assert!((turn - 2.0).abs() < 1e-9, "{turn} degrees");
    assert!(knee < 1e-9 && ankle < 1e-9, "{knee} mm, {ankle} mm");
    // In the middle the leg is straight: 0.6 m instead of 0.6 m * cos 1 degree.
    assert!((height - 600.0 * (1.0 - libm::cos(1.0_f64.to_radians()))).abs() < 1e-6, "{height} mm");
    assert!((height - 0.0914).abs() < 5e-5, "{height} mm");
}
