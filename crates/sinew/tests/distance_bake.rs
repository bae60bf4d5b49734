//! Promise: starts, stops, turns and loops are found from the motion, with one curve a marker that rises; the
//! root is found by itself; a clip in place is told by its feet or refused.

mod locomotion_keys;
mod rig;

use glam::{DVec2, DVec3};
use locomotion_keys::{DT, mover, run_up, start_curve, start_signed, stop_keys, times};
use proptest::prelude::*;
use rig::{channel, clip, linear};
use sinew::{
    ChannelTarget, DTransform, DistanceBakeJob, DistanceBakeSettings, DistanceCurve, DistanceKind,
    FeetSettings, FeetTravel, Joint, JointId, LocomotionError, MarkerSettings, MatchSettings, MatchState,
    MatchStatus, RawClip, RootPath, SignedPath, Skeleton, SplitSettings, Travel, advance_by_distance,
    retime_start,
};

/// A path along a direction.
fn straight(times: &[f64], along: &[f64], way: DVec2) -> RootPath {
    RootPath::from_points(times.to_vec(), along.iter().map(|d| way * *d).collect()).unwrap()
}

fn signed(path: &RootPath) -> SignedPath {
    SignedPath::find(path, &MarkerSettings::default()).unwrap()
}

#[test]
fn a_start_is_found_with_its_lean() {
    let way = DVec2::new(0.6, -0.8);
    let keys = start_signed(8);
    let path = signed(&straight(&times(16), &keys, way));
    assert_eq!(path.markers.len(), 1);
    let marker = path.markers[0];
    assert_eq!((marker.kind, marker.time, marker.before), (DistanceKind::Start, 0.0, None));
    assert!((marker.after.unwrap() - way).length() < 1e-9);
    assert!(marker.span[1] >= 0.2, "{marker:?}");
    for (found, expected) in path.distances.iter().zip(&keys) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    assert_eq!(path.reversals.len(), 1);
    let reversal = path.reversals[0];
    assert!((reversal.distance - 0.0648).abs() < 1e-9 && (reversal.to - 0.2).abs() < 1e-9, "{reversal:?}");
    let curves = path.curves(&SplitSettings::default()).unwrap();
    assert_eq!((curves.len(), curves[0].name(), curves[0].kind()), (1, "distance", DistanceKind::Start));
    assert!((curves[0].range() - 1.2506).abs() < 1e-3);
}

#[test]
fn a_stop_is_found_at_its_end() {
    let path = signed(&straight(&times(21), &stop_keys(), DVec2::X));
    assert_eq!(path.markers.len(), 1);
    let marker = path.markers[0];
    assert_eq!((marker.kind, marker.after), (DistanceKind::Stop, None));
    assert!((marker.time - 20.0 / 30.0).abs() < 1e-9 && (marker.before.unwrap() - DVec2::X).length() < 1e-9);
    let curves = path.curves(&SplitSettings::default()).unwrap();
    let [first, last] = curves[0].distances();
    assert!((first + 1.6635).abs() < 2e-3 && last.abs() < 1e-12, "{first} {last}");
}

/// Runs, stops, turns round, runs back and stops: the path along the way, and the one that is walked.
fn stop_turn_stop() -> (Vec<f64>, Vec<f64>) {
    let times: Vec<f64> = (0..=60).map(|i| f64::from(i) / 30.0).collect();
    let speed = |t: f64| {
        if t < 0.5 {
            6.0
        } else if t < 0.8 {
            6.0 * (1.0 - (t - 0.5) / 0.3)
        } else if t < 1.0 {
            0.0
        } else if t < 1.3 {
            -6.0 * (t - 1.0) / 0.3
        } else if t < 1.6 {
            -6.0
        } else if t < 1.9 {
            -6.0 * (1.0 - (t - 1.6) / 0.3)
        } else {
            0.0
        }
    };
    let mut x = vec![0.0];
    for pair in times.windows(2) {
        x.push(x[x.len() - 1] + 0.5 * (speed(pair[0]) + speed(pair[1])) * (pair[1] - pair[0]));
    }
    (times, x)
}

#[test]
fn a_turn_and_a_stop_in_one_clip_have_a_curve_each() {
    let (times, x) = stop_turn_stop();
    let path = signed(&straight(&times, &x, DVec2::X));
    let kinds: Vec<_> = path.markers.iter().map(|m| m.kind).collect();
    assert_eq!(kinds, [DistanceKind::Pivot, DistanceKind::Stop]);
    let (turn, stop) = (path.markers[0], path.markers[1]);
    assert!((turn.before.unwrap() - DVec2::X).length() < 1e-9);
    assert!((turn.after.unwrap() + DVec2::X).length() < 1e-9);
    assert!((turn.span[0] - 0.8).abs() < 0.05 && (turn.span[1] - 1.0).abs() < 0.05, "{turn:?}");
    assert!((stop.span[0] - 1.9).abs() < 0.05 && (stop.time - 2.0).abs() < 1e-9, "{stop:?}");
    assert!((stop.before.unwrap() + DVec2::X).length() < 1e-9);
    let curves = path.curves(&SplitSettings::default()).unwrap();
    assert_eq!(curves.iter().map(DistanceCurve::name).collect::<Vec<_>>(), ["distance/0", "distance/1"]);
    // Up to the turn what is left, from there on what is travelled.
    let [first, last] = curves[0].distances();
    assert!((first + 3.9).abs() < 0.02 && (last - 3.6).abs() < 0.02, "{first} {last}");
    assert!(curves[0].time_at(0.0) >= 0.79 && curves[0].time_at(0.0) <= 1.0);
    assert!((curves[1].distances()[1]).abs() < 1e-12);
}

#[test]
fn a_pause_parts_two_legs() {
    let times: Vec<f64> = (0..=90).map(|i| f64::from(i) / 30.0).collect();
    let along: Vec<f64> = times.iter().map(|t| 2.0 * t.min(1.0) + 2.0 * (t - 2.0).max(0.0)).collect();
    let path = signed(&straight(&times, &along, DVec2::Y));
    assert_eq!(path.markers.len(), 1);
    let marker = path.markers[0];
    assert_eq!(marker.kind, DistanceKind::Pivot);
    assert!(marker.before.unwrap().dot(marker.after.unwrap()) > 0.999);
    assert!((marker.span[0] - 1.0).abs() < 0.07 && (marker.span[1] - 2.0).abs() < 0.07, "{marker:?}");
}

#[test]
fn every_pause_of_many_legs_is_found() {
    for legs in 2..=12_u32 {
        // A second of two metres, then a second of standing.
        let times: Vec<f64> = (0..=30 * (2 * legs - 1)).map(|i| f64::from(i) / 30.0).collect();
        let along: Vec<f64> = times
            .iter()
            .map(|t| {
                let leg = (t / 2.0).floor();
                2.0 * (leg + (t - 2.0 * leg).min(1.0))
            })
            .collect();
        let path = signed(&straight(&times, &along, DVec2::Y));
        assert_eq!(path.markers.len(), legs as usize - 1, "{legs} legs: {:?}", path.markers);
    }
}

#[test]
fn a_clip_that_moves_all_the_way_is_a_loop() {
    // Straight on with a body that sways, and round a bend.
    let times: Vec<f64> = (0..=30).map(|i| f64::from(i) / 30.0).collect();
    let sway = |t: f64| DVec2::new(0.04 * libm::sin(12.0 * t), 4.0 * t);
    let path = RootPath::from_points(times.clone(), times.iter().map(|t| sway(*t)).collect()).unwrap();
    let path = signed(&path);
    assert!(path.markers.is_empty() && path.reversals.is_empty());
    let curve = &path.curves(&SplitSettings::default()).unwrap()[0];
    assert_eq!(curve.kind(), DistanceKind::Loop);
    assert!((curve.range() - 4.0).abs() < 0.01, "the sway is not travelled: {}", curve.range());
    let bend = |t: f64| DVec2::new(1.0 - libm::cos(3.0 * t), libm::sin(3.0 * t));
    let path = RootPath::from_points(times.clone(), times.iter().map(|t| bend(*t)).collect()).unwrap();
    let path = signed(&path);
    assert!(path.markers.is_empty());
    assert!((path.distances[30] - 3.0).abs() < 0.01, "{}", path.distances[30]);
    // Once round a circle of a metre, and back where it began.
    let round = |t: f64| DVec2::new(1.0 - libm::cos(t), libm::sin(t)) * 1.0;
    let turn = core::f64::consts::TAU;
    let points = (0..=60).map(|i| if i == 60 { DVec2::ZERO } else { round(turn * f64::from(i) / 60.0) });
    let times: Vec<f64> = (0..=60).map(|i| f64::from(i) / 30.0).collect();
    let path = signed(&RootPath::from_points(times, points.collect()).unwrap());
    assert!(path.markers.is_empty());
    assert!((path.distances[60] - turn).abs() < 0.01, "{}", path.distances[60]);
}

#[test]
fn a_root_that_stands_is_no_path() {
    let path = straight(&times(10), &[0.0; 10], DVec2::X);
    let error = SignedPath::find(&path, &MarkerSettings::default()).unwrap_err();
    assert!(matches!(error, LocomotionError::NoTravel { .. }), "{error}");
    assert!(RootPath::from_points(vec![0.0, 1.0], vec![DVec2::ZERO]).is_err());
    assert!(RootPath::from_points(vec![0.0, 1.0], vec![DVec2::NAN; 2]).is_err());
}

/// node -> root -> pelvis -> two legs with feet.
fn biped() -> Skeleton {
    let at = |x: f64, y: f64| DTransform { translation: DVec3::new(x, y, 0.0), ..DTransform::IDENTITY };
    let joints = vec![
        Joint::new("armature", None, DTransform::IDENTITY),
        Joint::new("root", Some(JointId(0)), DTransform::IDENTITY),
        Joint::new("pelvis", Some(JointId(1)), at(0.0, 1.0)),
        Joint::new("thigh l", Some(JointId(2)), at(0.1, 0.0)),
        Joint::new("foot l", Some(JointId(3)), at(0.0, -0.95)),
        Joint::new("thigh r", Some(JointId(2)), at(-0.1, 0.0)),
        Joint::new("foot r", Some(JointId(5)), at(0.0, -0.95)),
    ];
    Skeleton::numbered(joints, Vec::new()).unwrap()
}

fn moving(joint: u32, along: &[f64], base: [f32; 3]) -> RawClip {
    let keys: Vec<[f32; 3]> = along.iter().map(|d| [base[0], base[1], base[2] + *d as f32]).collect();
    clip(vec![channel(joint, ChannelTarget::Translation, linear(&times(along.len()), &keys))])
}

#[test]
fn whatever_carries_the_character_is_its_root() {
    let skeleton = biped();
    for (joint, base) in [(0, [0.0; 3]), (1, [0.0; 3]), (2, [0.0, 1.0, 0.0])] {
        let clip = moving(joint, &start_signed(8), base);
        let settings = DistanceBakeSettings::default();
        let bake = DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().unwrap();
        assert_eq!(bake.root, Some(JointId(joint)));
        assert_eq!(bake.curves.len(), 1);
        // Stored in the clip and ready to be matched.
        let stored = DistanceCurve::from_clip_curves(&bake.clip.curves, "distance").unwrap();
        assert!((stored.range() - start_curve().range()).abs() < 1e-4);
        assert!((stored.largest_remainder() - 0.0648).abs() < 1e-3);
        // A second bake replaces the first.
        let again =
            DistanceBakeJob { skeleton: &skeleton, clip: &bake.clip, settings: &settings }.run().unwrap();
        assert_eq!(again.clip.curves, bake.clip.curves);
    }
    // But curves of another's stay, whatever they begin with.
    let mut clip = moving(1, &start_signed(8), [0.0; 3]);
    let others = ["distance.mine", "distance/first", "distance.heading.home"];
    for name in others {
        clip.curves.push(sinew::Curve::new(name, vec![0.0], vec![1.0], sinew::Interpolation::Step).unwrap());
    }
    let settings = DistanceBakeSettings::default();
    let bake = DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().unwrap();
    let names: Vec<&str> = bake.clip.curves.iter().map(|c| c.name.as_str()).collect();
    assert_eq!((&names[..3], names[3]), (&others[..], "distance"));
    // A foot that goes forward carries nobody.
    let clip = moving(4, &start_signed(8), [0.0, -0.95, 0.0]);
    let settings = DistanceBakeSettings::default();
    let error = DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().unwrap_err();
    assert!(matches!(error, LocomotionError::NoRoot { .. }), "{error}");
    // Unless it is named.
    let settings = DistanceBakeSettings { root: Some(JointId(4)), ..settings };
    assert!(DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().is_ok());
    let settings = DistanceBakeSettings { root: Some(JointId(9)), ..settings };
    let error = DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().unwrap_err();
    assert!(matches!(error, LocomotionError::NoSuchJoint { .. }), "{error}");
    let empty = RawClip::default();
    assert!(RootPath::of(&skeleton, &empty, JointId(1), 30.0).is_err());
}

/// Exporters that count from 1 put the first key a frame late. Until then the clip stands, and in a loop it would in
/// every pass.
#[test]
fn a_clip_is_baked_from_its_first_key() {
    let late: Vec<f64> = (0..=20).map(|i| f64::from(i + 1) / 30.0).collect();
    let keys: Vec<[f32; 3]> = (0..=20).map(|i| [0.0, 0.0, 0.2 * i as f32]).collect();
    let clip = clip(vec![channel(1, ChannelTarget::Translation, linear(&late, &keys))]);
    let (skeleton, settings) = (biped(), DistanceBakeSettings::default());
    let bake = DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().unwrap();
    let curve = &bake.curves[0];
    let [start, end] = curve.span();
    assert!((start - 1.0 / 30.0).abs() < 1e-9 && (end - 0.7).abs() < 1e-9, "{start} {end}");
    // 4 m within twenty frames.
    assert!((curve.range() - 4.0).abs() < 1e-5 && (curve.range() / curve.duration() - 6.0).abs() < 1e-4);
    let stored = DistanceCurve::from_clip_curves(&bake.clip.curves, "distance").unwrap();
    assert!(
        (stored.span()[0] - start).abs() < 1e-9 && MatchState::at_start(&stored).time() == stored.span()[0]
    );
}

/// One foot of a run on the spot: it stands 42 % of 0.7 s and moves back at 3 m/s meanwhile.
fn foot(phase: f64) -> DVec3 {
    let (stance, travel) = (0.42, 3.0 * 0.7 * 0.42);
    let p = phase.rem_euclid(1.0);
    if p < stance {
        return DVec3::new(0.0, 0.0, (0.5 - p / stance) * travel);
    }
    let u = (p - stance) / (1.0 - stance);
    let height = 0.18 * libm::sin(std::f64::consts::PI * u);
    DVec3::new(0.0, height, (u * u * (3.0 - 2.0 * u) - 0.5) * travel)
}

struct Noise(u64);

impl Noise {
    /// About normal, of deviation 1.
    fn next(&mut self) -> f64 {
        (0..12).fold(-6.0, |sum, _| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sum + (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        })
    }
}

fn feet(noise: f64, seed: u64) -> (Vec<f64>, Vec<Vec<DVec3>>) {
    let mut random = Noise(seed);
    let times = times(22);
    let feet = [0.0, 0.5].map(|offset| {
        (0..22)
            .map(|i| {
                let shake = DVec3::new(0.0, random.next(), random.next()) * noise;
                foot(f64::from(i) / 21.0 + offset) + shake
            })
            .collect()
    });
    (times, feet.into())
}

#[test]
fn a_clip_in_place_is_told_by_its_feet() {
    for (noise, most) in [(0.0, 0.018), (0.003, 0.02)] {
        let (times, feet) = feet(noise, 1);
        let found = FeetTravel::from_points(times, &feet, &FeetSettings::default()).unwrap();
        let error = (found.speed - 3.0).abs() / 3.0;
        assert!(error <= most && found.uncertainty <= 0.05, "{noise}: {} {}", found.speed, found.uncertainty);
        // It goes where the feet do not.
        let end = found.path.points[21];
        assert!(end.y > 0.0 && end.x.abs() < 0.01 && (end.y - 2.1).abs() < 0.05, "{end}");
        assert!(found.stances.iter().any(|s| s.foot == 0) && found.stances.iter().any(|s| s.foot == 1));
        let path = signed(&found.path);
        assert!(path.markers.is_empty());
    }
}

#[test]
fn feet_that_shake_too_much_need_a_speed() {
    let (times, feet) = feet(0.01, 1);
    let error = FeetTravel::from_points(times.clone(), &feet, &FeetSettings::default()).unwrap_err();
    let LocomotionError::Uncertain { speed, share, limit } = error else { panic!("{error}") };
    assert!(share > limit && (speed - 3.0).abs() < 0.3, "{speed} {share}");
    // Sampled eight times as finely, they know no more.
    let finer = |points: &Vec<DVec3>| -> Vec<DVec3> {
        let between = |i: usize| points[i / 8].lerp(points[(i / 8 + 1).min(21)], (i % 8) as f64 / 8.0);
        (0..=21 * 8).map(between).collect()
    };
    let fine = (0..=21 * 8).map(|i| times[21] * f64::from(i) / 168.0).collect();
    let (fine, points): (Vec<f64>, Vec<_>) = (fine, feet.iter().map(finer).collect());
    let error = FeetTravel::from_points(fine, &points, &FeetSettings::default()).unwrap_err();
    let LocomotionError::Uncertain { share: again, .. } = error else { panic!("{error}") };
    // The first and the last interval of a stance are left out, which are shorter now; eight times as many independent
    // ones would leave 0.35 of it.
    assert!((0.6..1.2).contains(&(again / share)), "{again} {share}");
    let given = FeetSettings { speed: Some(2.8), ..FeetSettings::default() };
    let found = FeetTravel::from_points(times, &feet, &given).unwrap();
    assert!((found.speed - 2.8).abs() < 1e-9 && (found.path.points[21].length() - 2.8 * 0.7).abs() < 1e-6);
    let air = vec![vec![DVec3::Y; 22]];
    // Always at one height, so it stands, and nothing goes by under it.
    let error =
        FeetTravel::from_points(locomotion_keys::times(22), &air, &FeetSettings::default()).unwrap_err();
    assert!(matches!(error, LocomotionError::Stands { speed: 0.0, .. }), "{error}");
    // A foot that is near the ground for one frame only.
    let tap = (0..22).map(|i| DVec3::new(0.0, if i == 9 { 0.0 } else { 0.5 }, 0.0)).collect();
    let error =
        FeetTravel::from_points(locomotion_keys::times(22), &[tap], &FeetSettings::default()).unwrap_err();
    assert_eq!(error, LocomotionError::NoStance { named: 1 });
    let error =
        FeetTravel::from_points(locomotion_keys::times(22), &[], &FeetSettings::default()).unwrap_err();
    assert!(matches!(error, LocomotionError::NoStance { .. }), "{error}");
}

/// A boxer's feet shuffle by a few centimetres a second, all of the time and in agreement: that goes nowhere.
#[test]
fn feet_that_shuffle_are_no_travel() {
    let slow = |points: Vec<DVec3>| points.into_iter().map(|p| DVec3::new(p.x, p.y, 0.01 * p.z)).collect();
    let (times, points) = feet(0.0, 1);
    let points: Vec<Vec<DVec3>> = points.into_iter().map(slow).collect();
    let error = FeetTravel::from_points(times.clone(), &points, &FeetSettings::default()).unwrap_err();
    let LocomotionError::Stands { speed, least } = error else { panic!("{error}") };
    assert!((speed - 0.03).abs() < 0.001 && least == 0.15, "{speed} {least}");
    // Of a character of 17 mm it is a run.
    let tiny = FeetSettings::default().scaled(0.01);
    let low: Vec<Vec<DVec3>> =
        points.iter().map(|f| f.iter().map(|p| DVec3::new(p.x, 0.01 * p.y, p.z)).collect()).collect();
    let found = FeetTravel::from_points(times, &low, &tiny).unwrap();
    assert!((found.speed - 0.03).abs() < 0.001 && found.uncertainty < 0.05, "{found:?}");
}

#[test]
fn a_bake_falls_back_on_the_feet() {
    let skeleton = biped();
    let keys = |offset: f64| -> Vec<[f32; 3]> {
        (0..22)
            .map(|i| {
                let at = foot(f64::from(i) / 21.0 + offset);
                [0.0, at.y as f32 - 0.95, at.z as f32]
            })
            .collect()
    };
    let clip = clip(vec![
        channel(4, ChannelTarget::Translation, linear(&times(22), &keys(0.0))),
        channel(6, ChannelTarget::Translation, linear(&times(22), &keys(0.5))),
    ]);
    let settings = DistanceBakeSettings { feet: vec![JointId(4), JointId(6)], ..Default::default() };
    let bake = DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().unwrap();
    assert_eq!(bake.root, None);
    assert!(bake.feet.unwrap().uncertainty < 0.05);
    assert!((bake.curves[0].range() - 2.1).abs() < 0.04 && bake.curves[0].kind() == DistanceKind::Loop);
}

/// Fastest rate and largest offset of a start on its mover; nothing slides.
fn run_up_of(curve: &DistanceCurve, settings: &MatchSettings) -> (f64, f64) {
    let mut state = MatchState::at_start(curve);
    let (mut rate, mut offset) = (0.0_f64, 0.0_f64);
    for pair in run_up(60).windows(2) {
        let travel = Travel { travelled: pair[1] - pair[0], dt: DT };
        let step = advance_by_distance(curve, settings, &mut state, travel).unwrap();
        assert_eq!(step.account.slid, 0.0);
        (rate, offset) = (rate.max(step.rate), offset.max(step.offset.abs()));
        if matches!(step.status, MatchStatus::Exhausted { .. }) {
            return (rate, offset);
        }
    }
    panic!("it does not come to its end");
}

/// Seconds, fastest rate and offset (of 10.3 cm, 4.7 cm and none) of a start after some of the mover's time is put into
/// the clip, within 1.5 times the pace and 0.25 more a frame.
#[test]
fn a_retimed_start_needs_less() {
    let curve = start_curve();
    for (share, seconds, fastest, offset) in
        [(0.5, 0.427, 1.5, 0.103), (0.7, 0.398, 1.5, 0.047), (1.0, 0.355, 1.25, 0.0)]
    {
        let (retimed, map) = retime_start(&curve, &mover(0.0, 20.48), share).unwrap();
        assert!((retimed.duration() - seconds).abs() < 0.003, "{share}: {} s", retimed.duration());
        assert!((retimed.range() - curve.range()).abs() < 1e-3);
        assert!((map.new_time(0.5) - retimed.span()[1]).abs() < 1e-6 && map.old_time(0.0) == 0.0);
        // The numbers are of a stride that may change at once.
        let limited = MatchSettings { max_rate: 1.5, slew: 15.0, ..MatchSettings::start() };
        let (rate, most) = run_up_of(&retimed, &MatchSettings { stride_slew: 1e6, ..limited });
        assert!((rate - fastest).abs() < 1e-9 && (most - offset).abs() < 6e-4, "{share}: {rate}, {most} m");
        // A stride that takes its time leaves up to 3 mm more to the offset.
        let (rate, most) = run_up_of(&retimed, &limited);
        assert!((rate - fastest).abs() < 1e-9 && most - offset < 3e-3, "{share}: {rate}, {most} m");
    }
    assert!(retime_start(&curve, &mover(0.0, 20.48), 1.5).is_err());
    // The mover takes 0.061 s for the first 3.86 cm, and the clip 0.267 s: 4.35 times as long.
    let (_, map) = retime_start(&curve, &mover(0.0, 20.48), 1.0).unwrap();
    let seconds = map.new_time(8.0 / 30.0);
    assert!((seconds - 0.0614).abs() < 1e-4 && (8.0 / 30.0 / seconds - 4.35).abs() < 0.01, "{seconds} s");
}

#[test]
fn a_retimed_clip_shows_the_same_poses_at_their_new_moments() {
    let skeleton = biped();
    let clip = moving(1, &start_signed(8), [0.0; 3]);
    let settings = DistanceBakeSettings::default();
    let bake = DistanceBakeJob { skeleton: &skeleton, clip: &clip, settings: &settings }.run().unwrap();
    let (retimed, map) = retime_start(&bake.curves[0], &mover(0.0, 20.48), 0.5).unwrap();
    let new = map.apply(&clip, 240.0).unwrap();
    new.validate(&skeleton).unwrap();
    assert!((new.duration() - retimed.span()[1]).abs() < 1e-3);
    let z = |clip: &RawClip, t: f64| {
        clip.channel(JointId(1), ChannelTarget::Translation).unwrap().track.sample_vec3(t).z
    };
    for i in 0..=50 {
        let old = 0.01 * f64::from(i);
        assert!((z(&new, map.new_time(old)) - z(&clip, old)).abs() < 0.004, "{old}");
    }
}

proptest! {
    /// Any path: an error or curves that rise, over its time, one a marker.
    #[test]
    fn any_path_is_baked_or_refused(
        points in prop::collection::vec((-1.0_f64..1.0, -1.0_f64..1.0), 2..60),
        drift in (-0.5_f64..0.5, -0.5_f64..0.5),
    ) {
        let times = times(points.len());
        let points = points.iter().enumerate().map(|(i, p)| 0.2 * DVec2::from(*p) + DVec2::from(drift) * i as f64);
        let path = RootPath::from_points(times.clone(), points.collect()).unwrap();
        let Ok(found) = SignedPath::find(&path, &MarkerSettings::default()) else { return Ok(()) };
        prop_assert_eq!(found.distances.len(), times.len());
        prop_assert!(found.distances.iter().all(|d| d.is_finite()));
        prop_assert!(found.markers.windows(2).all(|m| m[0].time < m[1].time));
        for reversal in &found.reversals {
            prop_assert!(reversal.from < reversal.to && reversal.distance > 0.0);
        }
        match found.curves(&SplitSettings::default()) {
            Ok(curves) => prop_assert_eq!(curves.len(), found.markers.len().max(1)),
            Err(error) => prop_assert!(matches!(error, LocomotionError::NoTravel { .. }), "{}", error),
        }
    }
}
