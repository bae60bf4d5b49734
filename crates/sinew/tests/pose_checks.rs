//! Numbers that tell whether a pose can be shown: gaps between limbs, jumps between samples, feet off their
//! place.

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew::{Capsule, closest_pair, largest_residual, largest_turn, segment_distance};

fn point() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #[test]
    fn no_two_points_of_two_segments_are_nearer_than_their_distance(a in point(), b in point(), c in point(), d in point(), kind in 0..5) {
        // Also points, parallel and equal segments.
        let (c, d) = match kind { 0 => (c, c), 1 => (c, c + (b - a) * 0.7), 2 => (a, b), _ => (c, d) };
        let b = if kind == 3 { a } else { b };
        let distance = segment_distance([a, b], [c, d]);
        let mut nearest = f64::INFINITY;
        for i in 0..=64 {
            for j in 0..=64 {
                let (s, t) = (f64::from(i) / 64.0, f64::from(j) / 64.0);
                nearest = nearest.min((a.lerp(b, s) - c.lerp(d, t)).length());
            }
        }
        prop_assert!(distance <= nearest + 1e-12);
        // The grid's own step.
        prop_assert!(nearest - distance < ((b - a).length() + (d - c).length()) / 128.0 + 1e-12);
        prop_assert!((segment_distance([c, d], [a, b]) - distance).abs() < 1e-12);
    }
}

#[test]
fn crossed_sticks_are_as_far_apart_as_their_axes_less_both_radii() {
    let along = Capsule { a: DVec3::NEG_X, b: DVec3::X, radius: 0.1 };
    let across = Capsule { a: DVec3::new(0.0, 0.5, -1.0), b: DVec3::new(0.0, 0.5, 1.0), radius: 0.15 };
    assert!((along.clearance(&across) - 0.25).abs() < 1e-15);
    let beyond = Capsule { a: DVec3::new(3.0, 0.0, 0.0), b: DVec3::new(4.0, 0.0, 0.0), radius: 0.2 };
    assert!((along.clearance(&beyond) - 1.7).abs() < 1e-15);
    let closest = closest_pair(&[along, across, beyond], &[(0, 2), (0, 1), (1, 2)]).expect("three pairs");
    assert_eq!(closest.pair, (0, 1));
    assert!(closest_pair(&[along], &[]).is_none());
    let broken = Capsule { a: DVec3::NAN, ..across };
    assert!(closest_pair(&[along, across, broken], &[(0, 1), (0, 2)]).expect("pairs").metres.is_nan());
}

#[test]
fn the_joint_that_turned_most_is_named_whatever_the_signs() {
    let before = [DQuat::IDENTITY, DQuat::from_rotation_x(1.0), DQuat::from_rotation_y(0.3)];
    let after = [DQuat::from_rotation_z(0.02), -DQuat::from_rotation_x(1.09), DQuat::from_rotation_y(0.25)];
    let turn = largest_turn(&before, &after).expect("three joints");
    assert_eq!(turn.index, 1);
    assert!((turn.radians - 0.09).abs() < 1e-12);
    assert!(largest_turn(&[], &[]).is_none());
    let broken = [after[0], after[1], DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)];
    assert_eq!(largest_turn(&before, &broken).expect("three joints").index, 2);
}

#[test]
fn the_sole_that_is_farthest_off_is_named() {
    let anchors = [DVec3::X, DVec3::Y, DVec3::Z];
    let soles = [DVec3::X, DVec3::Y + DVec3::new(0.0, 0.0, 3e-4), DVec3::Z * 1.0001];
    let residual = largest_residual(&soles, &anchors).expect("three soles");
    assert_eq!(residual.index, 1);
    assert!((residual.metres - 3e-4).abs() < 1e-15);
}
