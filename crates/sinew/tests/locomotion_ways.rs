//! Promise: a character that moves by distance looks where it should while its legs go another way, keeps its feet on
//! slopes, takes the clip that fits its feet, and says what its set of clips lacks.

mod locomotion_biped;

use std::collections::BTreeSet;

use glam::{DQuat, DVec2, DVec3};
use locomotion_biped::{Character, character, cycle, idle, legs, motion_clip, mover, start};
use sinew::{
    ClipBuilder, DTransform, DistanceCurve, DistanceKind, FlatGround, Ground, GroundHit, JointId, LocalPose,
    LocomotionClips, LocomotionController, LocomotionError, LocomotionFrame, LocomotionJob, LocomotionPhase,
    LocomotionSet, LocomotionSettings, MatchSettings, MatchState, MatchStatus, RawClip, Rig, Skeleton, Slot,
    SplitSettings, Travel, advance_by_distance,
};

const DT: f64 = 1.0 / 60.0;
const FEET: [u32; 2] = [4, 8];

struct Walk<'a> {
    character: &'a Character,
    state: LocomotionController,
    pose: LocalPose,
}

impl<'a> Walk<'a> {
    fn new(character: &'a Character) -> Self {
        let state = LocomotionController::new(&character.rig, &character.set);
        Self { character, state, pose: LocalPose::rest(&character.rig) }
    }

    fn frame(&mut self, ground: &dyn Ground, input: DVec2, facing: Option<DVec2>) -> LocomotionFrame {
        let Self { character, state, pose } = self;
        let (rig, set, mover) = (&character.rig, &character.set, &mover());
        LocomotionJob { rig, set, mover, ground, input, facing, dt: DT, state, pose }.run().unwrap()
    }

    /// A joint in the world.
    fn joint(&self, frame: &LocomotionFrame, joint: u32) -> DTransform {
        let rig = &self.character.rig;
        let (mut at, mut walk) = (DTransform::IDENTITY, Some(rig.slot(JointId(joint))));
        while let Some(here) = walk {
            let local = self.pose.get(here);
            let local = DTransform {
                translation: local.translation.as_dvec3(),
                rotation: local.rotation.as_dquat(),
                scale: local.scale.as_dvec3(),
            };
            at = local.mul_transform(&at);
            walk = rig.parents()[here.index()];
        }
        frame.placement.mul_transform(&at)
    }

    /// Heel and ball of a foot in the world.
    fn sole(&self, frame: &LocomotionFrame, foot: u32) -> [DVec3; 2] {
        let at = self.joint(frame, foot);
        [-0.05, 0.12].map(|z| at.translation + at.rotation * DVec3::new(0.0, -0.07, z))
    }
}

fn yaw(rotation: DQuat) -> f64 {
    let ahead = rotation * DVec3::Z;
    libm::atan2(ahead.x, ahead.z)
}

#[test]
fn legs_go_where_the_capsule_goes_and_the_chest_looks_aside() {
    let character = character();
    let spine: Vec<_> = [10, 11].map(|j| character.rig.slot(JointId(j))).to_vec();
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
    let worst = walk.state.slides().iter().map(|s| s.worst).fold(0.0, f64::max);
    assert!(worst < 0.005, "{worst} m");
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
        let worst = walk.state.slides().iter().map(|s| s.worst).fold(0.0, f64::max);
        assert!(worst < 0.005, "{rise}: slid {worst} m");
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
    assert_eq!(make(swapped, settings()), LocomotionError::Kind { found: "start", expected: "stop" });
    let looped = motion_clip(skeleton, rig, &cycle(), DistanceKind::Loop);
    let wrong = LocomotionClips { pivots: vec![looped], ..fits.clone() };
    assert_eq!(make(wrong, settings()), LocomotionError::Kind { found: "loop", expected: "pivot" });
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
    let idle = make(LocomotionClips { idle: Some(strange), ..fits }, settings());
    assert!(matches!(idle, LocomotionError::Count { what: "joints of a clip", found: 10, .. }), "{idle}");
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
