//! Promise: a character that moves by distance looks where it should while its legs go another way, keeps its feet on
//! slopes, takes the clip that fits its feet, and says what its set of clips lacks.

mod locomotion_biped;

use std::collections::BTreeSet;

use glam::{DQuat, DVec2, DVec3};
use locomotion_biped::walk::{FEET, Walk};
use locomotion_biped::{Character, character, cycle, idle, legs, motion_clip, start};
use sinew::{
    ClipBuilder, DistanceCurve, DistanceKind, FlatGround, Ground, GroundHit, LocomotionClips,
    LocomotionError, LocomotionPhase, LocomotionSet, LocomotionSettings, MatchSettings, MatchState,
    MatchStatus, RawClip, Rig, Skeleton, Slot, SplitSettings, Travel, advance_by_distance,
};

fn yaw(rotation: DQuat) -> f64 {
    let ahead = rotation * DVec3::Z;
    libm::atan2(ahead.x, ahead.z)
}

#[test]
fn legs_go_where_the_capsule_goes_and_the_chest_looks_aside() {
    let character = character();
    let spine: Vec<_> = [10, 11].map(|j| character.rig.slot(sinew::JointId(j))).to_vec();
    let settings = LocomotionSettings { spine, ..LocomotionSettings::for_size(1.5) };
    let set =
        LocomotionSet::new(&character.rig, legs(&character.rig), character.set.clips().clone(), settings);
    let character = Character { set: set.unwrap(), ..character };
    let mut walk = Walk::new(&character);
    let ground = FlatGround::default();
    for angle in [-1.2, -0.6, 0.0, 0.7, 1.3] {
        let facing = DVec2::new(libm::sin(angle), libm::cos(angle));
        for i in 0..90 {
            let frame = walk.frame(&ground, DVec2::Y, Some(facing));
            if i < 40 {
                continue;
            }
            // It runs along +Z: hips ahead, chest aside.
            assert!(yaw(walk.joint(&frame, 1).rotation).abs() < 1e-3);
            let chest = yaw(walk.joint(&frame, 11).rotation);
            assert!((chest - angle).abs() < 1e-3, "{chest} for {angle}");
        }
    }
    assert!(walk.state.velocity().y > 3.5);
    assert!(walk.worst_slide() < 0.005, "{} m", walk.worst_slide());
}

/// A plane that rises along +Z.
struct Ramp(f64);

impl Ground for Ramp {
    fn cast(&self, at_ws: DVec3) -> Option<GroundHit> {
        let normal = DVec3::new(0.0, 1.0, -self.0).normalize();
        Some(GroundHit { height: self.0 * at_ws.z, normal })
    }
}

#[test]
fn feet_stand_on_a_slope_up_and_down() {
    let character = character();
    for rise in [0.2, -0.2] {
        let ramp = Ramp(rise);
        let mut walk = Walk::new(&character);
        let (mut stood, mut deepest, mut tilted) = (0, 0.0_f64, 0);
        for i in 0..240 {
            let input = if i < 120 { DVec2::Y } else { DVec2::ZERO };
            let frame = walk.frame(&ramp, input, None);
            let place = frame.placement.translation;
            assert!((place.y - rise * place.z).abs() < 1e-9, "the capsule is on the ground");
            for foot in FEET {
                let heights = walk.sole(&frame, foot).map(|p| p.y - rise * p.z);
                deepest = deepest.max(-heights[0].min(heights[1]));
                // Flat on the slope.
                let flat = heights.iter().all(|h| h.abs() < 0.01);
                stood += u32::from(flat);
                let up = walk.joint(&frame, foot).rotation * DVec3::Y;
                let off = libm::acos(up.dot(DVec3::new(0.0, 1.0, -rise).normalize()).min(1.0));
                tilted += u32::from(flat && off < 0.02);
            }
        }
        assert!(stood > 180 && tilted == stood, "{rise}: {stood} feet on the slope, {tilted} as it is");
        assert!(deepest < 0.02, "{rise}: {deepest} m below");
        assert!(walk.worst_slide() < 0.005, "{rise}: slid {} m", walk.worst_slide());
    }
}

#[test]
fn the_stop_is_the_one_for_the_foot_that_is_ahead() {
    let character = character();
    let mut taken = BTreeSet::new();
    for extra in 0..18 {
        let mut walk = Walk::new(&character);
        for _ in 0..100 + 2 * extra {
            walk.frame(&FlatGround::default(), DVec2::Y, None);
        }
        let mut frame = walk.frame(&FlatGround::default(), DVec2::ZERO, None);
        while frame.phase != LocomotionPhase::Stop {
            frame = walk.frame(&FlatGround::default(), DVec2::ZERO, None);
        }
        taken.insert(walk.state.which_clip());
    }
    assert_eq!(taken.into_iter().collect::<Vec<_>>(), [0, 1]);
}

fn with_idle() -> Character {
    let character = character();
    let built = ClipBuilder::new(&character.skeleton, &character.rig).build(&idle()).unwrap().0;
    let clips = LocomotionClips { idle: Some(built), ..character.set.clips().clone() };
    let set =
        LocomotionSet::new(&character.rig, legs(&character.rig), clips, LocomotionSettings::for_size(1.5));
    Character { set: set.unwrap(), ..character }
}

#[test]
fn who_stands_sways_on_feet_that_stay() {
    let character = with_idle();
    let mut walk = Walk::new(&character);
    let ground = FlatGround::default();
    for _ in 0..90 {
        walk.frame(&ground, DVec2::X, None);
    }
    let mut frame = walk.frame(&ground, DVec2::ZERO, None);
    for _ in 0..120 {
        frame = walk.frame(&ground, DVec2::ZERO, None);
    }
    assert_eq!(frame.phase, LocomotionPhase::Standing);
    let feet = FEET.map(|foot| walk.joint(&frame, foot).translation);
    let (mut left, mut right) = (0.0_f64, 0.0_f64);
    for _ in 0..120 {
        frame = walk.frame(&ground, DVec2::ZERO, None);
        for (foot, before) in FEET.into_iter().zip(feet) {
            let moved = (walk.joint(&frame, foot).translation - before).length();
            assert!(moved < 1e-4, "{moved} m");
        }
        // It came along +X and looks there: it sways in z.
        let head = walk.joint(&frame, 11).translation - walk.joint(&frame, 1).translation;
        (left, right) = (left.min(head.z), right.max(head.z));
    }
    assert!(left < -0.01 && right > 0.01, "{left} {right}");
}

#[test]
fn what_does_not_fit_is_named_when_the_set_is_made() {
    let character = character();
    let (skeleton, rig) = (&character.skeleton, &character.rig);
    let fits = character.set.clips().clone();
    let make = |clips: LocomotionClips, settings: LocomotionSettings| {
        LocomotionSet::new(rig, legs(rig), clips, settings).unwrap_err()
    };
    let settings = || LocomotionSettings::for_size(1.5);
    let none = |what| LocomotionError::NoClip { what };
    assert_eq!(make(LocomotionClips { starts: Vec::new(), ..fits.clone() }, settings()), none("starts"));
    assert_eq!(make(LocomotionClips { stops: Vec::new(), ..fits.clone() }, settings()), none("stops"));
    let swapped = LocomotionClips { stops: fits.starts.clone(), ..fits.clone() };
    let kind = |found, expected, number| LocomotionError::InSet {
        what: expected,
        number,
        error: Box::new(LocomotionError::Kind { found, expected }),
    };
    assert_eq!(make(swapped, settings()), kind("start", "stop", 0));
    let looped = motion_clip(skeleton, rig, &cycle(), DistanceKind::Loop);
    let wrong = LocomotionClips { pivots: vec![fits.pivots[0].clone(), looped], ..fits.clone() };
    let wrong = make(wrong, settings());
    assert_eq!(wrong, kind("loop", "pivot", 1));
    assert_eq!(wrong.to_string(), "pivot clip 1: a loop curve, expected a pivot curve");
    let turn = make(fits.clone(), LocomotionSettings { turn: 1.5, ..settings() });
    assert!(matches!(turn, LocomotionError::OutOfRange { value: 1.5, .. }), "{turn}");
    let tilt = make(fits.clone(), LocomotionSettings { tilt: f64::NAN, ..settings() });
    assert!(matches!(tilt, LocomotionError::NotFinite { .. }), "{tilt}");
    let fewer = Skeleton::numbered(skeleton.joints()[..10].to_vec(), Vec::new()).unwrap();
    let other = Rig::new(&fewer).unwrap();
    let slot = Slot(rig.len() as u16);
    let spine = make(fits.clone(), LocomotionSettings { spine: vec![slot], ..settings() });
    assert_eq!(spine, LocomotionError::NoSuchSlot { slot, joints: rig.len() });
    let empty = RawClip { channels: Vec::new(), ..start() };
    let strange = ClipBuilder::new(&fewer, &other).build(&empty).unwrap().0;
    let idle = make(LocomotionClips { idle: Some(strange), ..fits.clone() }, settings());
    assert_eq!(idle.to_string(), "idle clip 0: the clip is for a rig of 10 joints, this rig has 12");
    // As many joints, another rest pose.
    let mut joints = skeleton.joints().to_vec();
    joints[11].rest.translation.y += 0.1;
    let taller = Skeleton::numbered(joints, Vec::new()).unwrap();
    let other = Rig::new(&taller).unwrap();
    let strange = ClipBuilder::new(&taller, &other).build(&empty).unwrap().0;
    let idle = make(LocomotionClips { idle: Some(strange), ..fits.clone() }, settings());
    assert!(idle.to_string().starts_with("idle clip 0: the clip is for a rig of layout "), "{idle}");
    let strange = motion_clip(&taller, &other, &start(), DistanceKind::Start);
    let starts = vec![fits.starts[0].clone(), strange];
    let layout = make(LocomotionClips { starts, ..fits.clone() }, settings());
    assert!(layout.to_string().starts_with("start clip 1: the clip is for a rig of layout "), "{layout}");
    // What would only be found out while playing.
    let mut plant = settings();
    plant.plant.stretch = 2.0;
    assert!(matches!(make(fits.clone(), plant), LocomotionError::Plant(_)));
    let mut transition = settings();
    transition.transition.duration = -1.0;
    assert!(matches!(make(fits.clone(), transition), LocomotionError::Transition(_)));
    let mut warp = settings();
    warp.warp.stretch = f64::NAN;
    assert!(matches!(make(fits, warp), LocomotionError::NotFinite { .. }));
}

/// A metre at 4 m/s, in frames that do not end with it.
#[test]
fn a_start_that_runs_out_hands_on_what_is_left_at_its_rate() {
    let (times, path): (Vec<f64>, Vec<f64>) =
        (0..=10).map(|i| (0.025 * f64::from(i), 0.1 * f64::from(i))).unzip();
    let curve =
        DistanceCurve::from_keys("distance", DistanceKind::Start, &times, &path, &SplitSettings::default());
    let curve = curve.unwrap();
    let mut state = MatchState::at_start(&curve);
    let (dt, mut way) = (0.0173, 0.0);
    loop {
        let step = advance_by_distance(
            &curve,
            &MatchSettings::start(),
            &mut state,
            Travel { travelled: 4.0 * dt, dt },
        )
        .unwrap();
        way += step.account.travelled;
        assert!((step.rate - 1.0).abs() < 5e-3 && step.offset.abs() < 1e-4, "{step:?}");
        if let MatchStatus::Exhausted { seconds } = step.status {
            // 15 frames are 0.2595 s, the clip is 0.25 s.
            assert!(
                (seconds - 0.0095).abs() < 1e-4 && (step.account.handed_on - 0.038).abs() < 4e-4,
                "{step:?}"
            );
            break;
        }
    }
    assert!((way - 1.0).abs() < 4e-4, "{way} m");
}
