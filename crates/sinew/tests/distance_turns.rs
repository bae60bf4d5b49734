//! Promise: a root that turns round on its feet has a marker there, however it rounds the turn; a way round a circle, a
//! curve or a swaying body has none, and what turns without a marker is said in degrees.

use core::f64::consts::{FRAC_PI_2, PI};

use glam::DVec2;
use proptest::prelude::*;
use sinew::{DistanceKind, MarkerSettings, RootPath, SignedPath, SplitSettings};

const TOP: f64 = 4.0;
const CHANGE: f64 = 9.0;

/// Moments and places of a way whose direction (radians from +Z towards +X) and speed are told by the metres gone.
fn walk(metres: f64, rate: f64, yaw: &dyn Fn(f64) -> f64, speed: &dyn Fn(f64) -> f64) -> RootPath {
    let fine = 64;
    let dt = 1.0 / (rate * f64::from(fine));
    let (mut way, mut at) = (0.0, DVec2::ZERO);
    let (mut times, mut points) = (vec![0.0], vec![at]);
    for step in 1.. {
        let by = speed(way) * dt;
        let (sin, cos) = libm::sincos(yaw(way + 0.5 * by));
        at += DVec2::new(sin, cos) * by;
        way += by;
        if step % fine == 0 {
            times.push(f64::from(step / fine) / rate);
            points.push(at);
            if way >= metres {
                return RootPath::from_points(times, points).unwrap();
            }
        }
    }
    unreachable!("it walks on")
}

/// Runs `leg` metres at up to 4 m/s, goes round half a circle at `slow`, runs back and has a leg of the same length.
fn rounded(leg: f64, radius: f64, slow: f64, rate: f64) -> RootPath {
    let bend = PI * radius;
    let yaw = move |way: f64| ((way - leg) / radius).clamp(0.0, PI);
    let speed = move |way: f64| {
        let beyond = (leg - way).max(way - leg - bend).max(0.0);
        (slow * slow + 2.0 * CHANGE * beyond).sqrt().min(TOP.max(slow))
    };
    walk(2.0 * leg + bend, rate, &yaw, &speed)
}

fn found(path: &RootPath) -> SignedPath {
    SignedPath::find(path, &MarkerSettings::default()).unwrap()
}

fn kinds(path: &SignedPath) -> Vec<DistanceKind> {
    path.markers.iter().map(|m| m.kind).collect()
}

#[test]
fn a_turn_round_a_bend_is_a_pivot_in_its_middle_with_the_directions_beside_it() {
    for radius in [0.1, 0.15, 0.2, 0.3] {
        for slow in [0.8, 1.0, 1.5] {
            for rate in [30.0, 60.0, 240.0] {
                let what = format!("{radius} m at {slow} m/s, {rate} samples a second");
                let path = rounded(2.0, radius, slow, rate);
                let signed = found(&path);
                assert_eq!(kinds(&signed), [DistanceKind::Pivot], "{what}: {:?}", signed.markers);
                let marker = signed.markers[0];
                // The farthest point.
                let far = path.points.iter().map(|p| p.y).fold(0.0, f64::max);
                let at = path.times.partition_point(|t| *t < marker.time);
                assert!(far - path.points[at].y < 0.03, "{what}: {} of {far} m", path.points[at].y);
                assert!(marker.before.unwrap().dot(DVec2::Y) > 0.99, "{what}: {marker:?}");
                assert!(marker.after.unwrap().dot(DVec2::NEG_Y) > 0.99, "{what}: {marker:?}");
                let curve = &signed.curves(&SplitSettings::default()).unwrap()[0];
                let [first, last] = curve.distances();
                // Two metres and a quarter of a circle on either side, along the line or the arc.
                let (least, most) = (2.0 + radius, 2.0 + FRAC_PI_2 * radius);
                let slack = 0.5 * TOP / rate + 0.04;
                for way in [-first, last] {
                    assert!(
                        least - slack < way && way < most + TOP / rate + slack,
                        "{what}: {first} to {last}"
                    );
                }
                assert_eq!(signed.turns, [], "{what}");
            }
        }
    }
}

#[test]
fn a_bend_at_an_even_speed_is_a_pivot_too() {
    for (radius, speed) in [(0.1, 0.8), (0.15, 1.0), (0.3, 1.5)] {
        let yaw = move |way: f64| ((way - 1.5) / radius).clamp(0.0, PI);
        let path = walk(3.0 + PI * radius, 30.0, &yaw, &|_| speed);
        assert_eq!(kinds(&found(&path)), [DistanceKind::Pivot], "{radius} m at {speed} m/s");
    }
}

#[test]
fn two_turns_round_bends_are_two_pivots() {
    let radius = 0.2;
    let bend = PI * radius;
    let yaw = move |way: f64| {
        let once = |from: f64| ((way - from) / radius).clamp(0.0, PI);
        once(2.0) - once(4.0 + bend)
    };
    let signed = found(&walk(6.0 + 2.0 * bend, 30.0, &yaw, &|_| 1.2));
    assert_eq!(kinds(&signed), [DistanceKind::Pivot; 2], "{:?}", signed.markers);
    assert_eq!(signed.turns, []);
}

#[test]
fn what_turns_without_a_marker_is_said_in_degrees() {
    // Round a curve of 1.5 m: three quarters of a circle to the left, a quarter to the right is not worth a word.
    let left = found(&walk(9.0, 30.0, &|way| ((way - 1.0) / 1.5).clamp(0.0, 1.5 * PI), &|_| 3.0));
    assert_eq!((left.markers.len(), left.turns.len()), (0, 1));
    let turn = left.turns[0];
    assert!((turn.angle.to_degrees() - 270.0).abs() < 3.0, "{turn:?}");
    assert!(turn.from == 0.0 && (turn.to - 3.0).abs() < 0.05, "{turn:?}");
    let right = found(&walk(5.0, 30.0, &|way| -((way - 1.0) / 1.5).clamp(0.0, 1.4), &|_| 3.0));
    assert_eq!((right.markers.len(), right.turns.len()), (0, 0));
}

proptest! {
    /// A circle at running radius and any speed, even or bobbing, from any place on.
    #[test]
    fn a_plain_circle_has_no_pivot(
        radius in 0.6_f64..6.0,
        speed in 0.8_f64..6.0,
        bob in 0.0_f64..0.4,
        metres in 2.0_f64..20.0,
        rate in 24.0_f64..120.0,
        right in any::<bool>(),
    ) {
        let side = if right { -1.0 } else { 1.0 };
        let path = walk(metres, rate, &|way| side * way / radius, &|way| speed * (1.0 + bob * libm::sin(9.0 * way)));
        let signed = found(&path);
        prop_assert!(!kinds(&signed).contains(&DistanceKind::Pivot), "{:?}", signed.markers);
        let degrees = (metres / radius).to_degrees();
        if degrees > 100.0 {
            prop_assert!(signed.turns.len() == 1, "{} degrees, {:?}", degrees, signed.turns);
        }
    }

    /// A body that sways to both sides of a straight way, and slows down.
    #[test]
    fn a_swaying_body_has_no_pivot(
        sway in 0.0_f64..0.08,
        steps in 1.0_f64..4.0,
        speed in 0.8_f64..6.0,
        dip in 0.0_f64..0.6,
        rate in 24.0_f64..120.0,
    ) {
        let times: Vec<f64> = (0..=(2.0 * rate) as usize).map(|i| i as f64 / rate).collect();
        let point = |t: &f64| {
            let along = speed * (t + dip / (2.0 * PI) * libm::sin(PI * 2.0 * t) * 0.5);
            DVec2::new(sway * libm::sin(2.0 * PI * steps * t), along)
        };
        let points = times.iter().map(point).collect();
        let signed = found(&RootPath::from_points(times, points).unwrap());
        prop_assert!(!kinds(&signed).contains(&DistanceKind::Pivot), "{:?}", signed.markers);
    }

    /// A curve of any angle up to two right ones, wide enough to be run round.
    #[test]
    fn a_wide_curve_has_no_pivot(radius in 0.7_f64..4.0, angle in 0.0_f64..PI, slow in 0.3_f64..1.0) {
        let yaw = |way: f64| ((way - 2.0) / radius).clamp(0.0, angle);
        let speed = |way: f64| if (2.0..2.0 + radius * angle).contains(&way) { 3.0 * slow } else { 3.0 };
        let signed = found(&walk(4.0 + radius * angle, 30.0, &yaw, &speed));
        prop_assert!(!kinds(&signed).contains(&DistanceKind::Pivot), "{:?}", signed.markers);
    }

    /// A turn back round any tight bend with straight legs has its pivot.
    #[test]
    fn a_tight_turn_has_its_pivot(
        radius in 0.03_f64..0.3,
        slow in 0.6_f64..1.5,
        leg in 1.0_f64..4.0,
        rate in 24.0_f64..240.0,
    ) {
        let signed = found(&rounded(leg, radius, slow, rate));
        prop_assert_eq!(kinds(&signed), [DistanceKind::Pivot]);
    }
}
