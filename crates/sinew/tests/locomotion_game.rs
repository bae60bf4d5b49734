//! Promise: whatever a game does to a character (a hitch, a wall, a shove, a lift, a teleport, ice), it gets where it
//! should, its pose does not freeze, its feet do not slide, and what could not be done is said.

mod locomotion_biped;

use glam::{DVec2, DVec3};
use locomotion_biped::walk::{DT, FEET, Walk};
use locomotion_biped::{Character, SPEED, character, legs, mover, skeleton};
use sinew::{
    DTransform, FlatGround, GroundMover, IkError, Joint, JointId, LocalPose, LocomotionController,
    LocomotionError, LocomotionFrame, LocomotionJob, LocomotionPhase, LocomotionSet, LocomotionSettings,
    MatchStatus, Mover, PlantContact, PlantLeg, PlantRig, Rig, SampleJob, Skeleton,
};

const FORTH: DVec2 = DVec2::Y;

fn hitch(walk: &mut Walk<'_>, input: DVec2, dt: f64) -> Result<LocomotionFrame, LocomotionError> {
    walk.try_frame(&FlatGround::default(), input, None, dt)
}

/// Everything there is of a character and its pose.
fn all_of(walk: &Walk<'_>) -> String {
    format!("{:?} {:?}", walk.state, walk.pose)
}

#[test]
fn a_hitch_gets_as_far_as_its_frames_would() {
    let character = character();
    let mut walk = Walk::new(&character);
    walk.hold(FORTH, 120);
    for (dt, steps) in [(1.1, 22), (0.05, 1), (0.0501, 2), (10.0, 200)] {
        let before = walk.state.position();
        let frame = hitch(&mut walk, FORTH, dt).unwrap();
        let way = walk.state.position() - before;
        assert!((way - FORTH * SPEED * dt).length() < 1e-9, "{dt} s: {way}");
        assert_eq!((frame.steps, frame.phase), (steps, LocomotionPhase::Cycle));
        assert!((frame.account.travelled - SPEED * dt).abs() < 1e-9, "{frame:?}");
        assert!(frame.account.imbalance().abs() < 1e-9 && frame.account.slid == 0.0, "{frame:?}");
    }
    // He brakes in a hitch, as far as the mover takes him in its steps, and stands.
    let (before, mut velocity, mut way) = (walk.state.position(), walk.state.velocity(), 0.0);
    for _ in 0..22 {
        velocity = mover().step(velocity, DVec2::ZERO, 0.05);
        way += velocity.y * 0.05;
    }
    let frame = hitch(&mut walk, DVec2::ZERO, 1.1).unwrap();
    assert!((walk.state.position().y - before.y - way).abs() < 1e-9, "{}", walk.state.position());
    assert!(way > 0.5 && velocity == DVec2::ZERO);
    assert_eq!(frame.phase, LocomotionPhase::Standing);
    assert!(frame.switched && (frame.account.travelled - way).abs() < 1e-9, "{frame:?}");
    assert!(walk.worst_slide() < 0.005, "{} m", walk.worst_slide());
}

/// Runs, and gives no speed any more once it is faster than so much.
struct Breaks(f64);

impl Mover for Breaks {
    fn step(&self, velocity: DVec2, input: DVec2, dt: f64) -> DVec2 {
        if velocity.length() > self.0 { DVec2::NAN } else { mover().step(velocity, input, dt) }
    }
}

#[test]
fn what_is_refused_is_named_and_changes_nothing() {
    let character = character();
    let mut walk = Walk::new(&character);
    walk.hold(FORTH, 12);
    let before = all_of(&walk);
    for dt in [-0.1, 10.1, 5e-5, f64::NAN, f64::INFINITY] {
        let error = hitch(&mut walk, FORTH, dt).unwrap_err();
        let named = match error {
            LocomotionError::OutOfRange { what, value, .. } => what == "the step in seconds" && value == dt,
            LocomotionError::NotFinite { what, .. } => what == "the step in seconds" && !dt.is_finite(),
            _ => false,
        };
        assert!(named, "{dt}: {error}");
        assert!(all_of(&walk) == before, "{dt}");
    }
    // It has 1.8 m/s; this mover gives up in the fourth of ten steps.
    let (rig, set) = (&character.rig, &character.set);
    let (state, pose) = (&mut walk.state, &mut walk.pose);
    let (input, facing, ground) = (FORTH, None, &FlatGround::default());
    let breaks = Breaks(2.5);
    let error = LocomotionJob { rig, set, mover: &breaks, ground, input, facing, dt: 0.5, state, pose }
        .run()
        .unwrap_err();
    assert!(matches!(error, LocomotionError::NotFinite { what: "the mover's speed", .. }), "{error}");
    assert!(all_of(&walk) == before, "the mover");

    // A rig with another rest pose, a character of another set, a pose of another rig.
    let mut joints = character.skeleton.joints().to_vec();
    joints[11].rest.translation.y += 0.1;
    let taller = Rig::new(&Skeleton::numbered(joints, Vec::new()).unwrap()).unwrap();
    let (state, pose, mover) = (&mut walk.state, &mut walk.pose, &mover());
    let error = LocomotionJob { rig: &taller, set, mover, ground, input, facing, dt: DT, state, pose }
        .run()
        .unwrap_err();
    assert!(matches!(error, LocomotionError::Sample(_)), "{error}");
    let one_leg = PlantRig::new(rig, rig.slot(JointId(1)), legs(rig).legs()[..1].to_vec()).unwrap();
    let clips = set.clips().clone();
    let other = LocomotionSet::new(rig, one_leg, clips, LocomotionSettings::for_size(1.5)).unwrap();
    let (state, pose) = (&mut walk.state, &mut walk.pose);
    let error = LocomotionJob { rig, set: &other, mover, ground, input, facing, dt: DT, state, pose }
        .run()
        .unwrap_err();
    assert_eq!(error.to_string(), "2 legs of the character, expected 1");
    let few = Rig::new(&Skeleton::numbered(skeleton().joints()[..10].to_vec(), Vec::new()).unwrap()).unwrap();
    let (state, pose) = (&mut walk.state, &mut LocalPose::rest(&few));
    let error =
        LocomotionJob { rig, set, mover, ground, input, facing, dt: DT, state, pose }.run().unwrap_err();
    assert_eq!(error.to_string(), "10 joints of the pose, expected 12");
    let far = DVec2::new(0.0, 1.1e3);
    for (place, velocity) in [(DVec2::NAN, DVec2::ZERO), (DVec2::ZERO, DVec2::splat(1e5)), (far, DVec2::ZERO)]
    {
        walk.state.moved_to(place, velocity).unwrap_err();
    }
    walk.state.carried(DVec2::new(f64::INFINITY, 0.0)).unwrap_err();
    walk.state.put_at(DVec2::new(0.0, 1e10), DVec2::X).unwrap_err();
    assert!(all_of(&walk) == before);
}

const ICE: f64 = 0.0;

#[test]
fn who_never_stops_is_said_to_and_runs_on() {
    let character = character();
    let mut walk = Walk::new(&character);
    let frame = walk.hold(FORTH, 90);
    assert_eq!((frame.predicted, frame.legs), (None, Default::default()));
    walk.mover = GroundMover { braking: ICE, ..mover() };
    let mut times = Vec::new();
    for _ in 0..60 {
        let frame = walk.push(DVec2::ZERO);
        assert_eq!(frame.phase, LocomotionPhase::Cycle);
        let never =
            matches!(frame.predicted, Some(Err(LocomotionError::NeverStops { speed, .. })) if speed == SPEED);
        assert!(never, "{:?}", frame.predicted);
        assert!(!times.contains(&frame.step.time), "it stands at {} s", frame.step.time);
        times.push(frame.step.time);
    }
    // Off the ice he stops, and is said to.
    walk.mover = mover();
    let frame = walk.push(DVec2::ZERO);
    let Some(Ok(ahead)) = frame.predicted else { panic!("{:?}", frame.predicted) };
    assert!((ahead.distance - SPEED * SPEED / 18.0).abs() < 0.1, "{ahead:?}");
    let mut frame = walk.hold(DVec2::ZERO, 10);
    assert_eq!(frame.phase, LocomotionPhase::Stop);
    // On ice again in the middle of it: nothing that stops can be right.
    walk.mover = GroundMover { braking: ICE, ..mover() };
    let mut before = frame.step.time;
    for i in 0..30 {
        frame = walk.push(DVec2::ZERO);
        assert!(frame.phase != LocomotionPhase::Stop && (frame.switched || i > 0), "{frame:?}");
        assert!(matches!(frame.predicted, Some(Err(LocomotionError::NeverStops { .. }))));
        assert!(frame.step.time != before, "it stands at {before} s");
        before = frame.step.time;
    }
    assert!(walk.worst_slide() < 0.005, "{} m", walk.worst_slide());
}

/// The biped with a third leg, whose thigh has no length.
fn with_a_stump() -> Character {
    let whole = character();
    let mut joints = whole.skeleton.joints().to_vec();
    let first = joints.len() as u32;
    let at = |y: f64| DTransform { translation: DVec3::new(0.0, y, -0.2), ..DTransform::IDENTITY };
    joints.push(Joint::new("stump", Some(JointId(1)), at(-0.3)));
    joints.push(Joint::new("stump knee", Some(JointId(first)), DTransform::IDENTITY));
    joints.push(Joint::new("stump foot", Some(JointId(first + 1)), at(-0.3)));
    let skeleton = Skeleton::numbered(joints, Vec::new()).unwrap();
    let rig = Rig::new(&skeleton).unwrap();
    let [hip, knee, foot] = [first, first + 1, first + 2].map(|j| rig.slot(JointId(j)));
    let contacts = vec![PlantContact { joint: foot, offset_ls: DVec3::ZERO, height: 0.26 }];
    let mut all = legs(&rig).legs().to_vec();
    all.push(PlantLeg { hip, knee, foot, loose_foot: None, hinge_ls: DVec3::NEG_X, contacts });
    let legs = PlantRig::new(&rig, rig.slot(JointId(1)), all).unwrap();
    let clips = locomotion_biped::clips(&skeleton, &rig);
    let set = LocomotionSet::new(&rig, legs, clips, LocomotionSettings::for_size(1.5)).unwrap();
    Character { skeleton, rig, set }
}

#[test]
fn a_leg_that_cannot_be_bent_is_named() {
    let character = with_a_stump();
    let mut walk = Walk::new(&character);
    let mut failed = 0;
    for i in 0..240 {
        let frame = walk.push(if i < 100 { FORTH } else { DVec2::ZERO });
        let report = frame.legs;
        assert_eq!(report.failed, walk.state.legs().iter().filter(|leg| leg.is_err()).count() as u32);
        if report.failed > 0 {
            let (leg, why) = report.first.unwrap();
            assert!(
                report.failed == 1 && leg == 2 && matches!(why, IkError::ZeroLength { .. }),
                "{report:?}"
            );
            failed += 1;
        }
    }
    assert!(failed > 20, "{failed} frames");
}

/// What must hold in every frame of a character that does not stand.
struct Watch {
    last: Option<(LocomotionPhase, f64)>,
    hips: Option<DVec3>,
    /// Farthest that the hips moved in a frame, less what the capsule did.
    jump: f64,
    travelled: f64,
    slid: f64,
    switches: u32,
}

impl Watch {
    fn new() -> Self {
        Self { last: None, hips: None, jump: 0.0, travelled: 0.0, slid: 0.0, switches: 0 }
    }

    fn see(&mut self, walk: &Walk<'_>, frame: &LocomotionFrame) {
        assert!(frame.account.imbalance().abs() < 1e-9, "{frame:?}");
        assert!(frame.step.offset.abs() <= 0.15 + 1e-9, "{frame:?}");
        let now = (frame.phase, frame.step.time);
        if frame.phase != LocomotionPhase::Standing && walk.state.velocity() != DVec2::ZERO {
            assert!(self.last != Some(now), "it stands at {} s: {frame:?}", frame.step.time);
        }
        self.last = Some(now);
        self.travelled += frame.account.travelled;
        self.slid += frame.account.slid.abs();
        self.switches += u32::from(frame.switched);
        let hips = walk.joint(frame, 1).translation;
        if let Some(before) = self.hips {
            let moved = (walk.state.velocity() * DT).length();
            self.jump = self.jump.max((hips - before).length() - moved);
        }
        self.hips = Some(hips);
    }
}

#[test]
fn a_stop_whose_end_recedes_goes_back_to_running() {
    let character = character();
    for (frames, speed, goes_on) in [(10, 5.5, LocomotionPhase::Cycle), (18, 3.2, LocomotionPhase::Stop)] {
        let (mut walk, mut watch) = (Walk::new(&character), Watch::new());
        for _ in 0..90 {
            let frame = walk.push(FORTH);
            watch.see(&walk, &frame);
        }
        while walk.state.phase() != LocomotionPhase::Stop {
            let frame = walk.push(DVec2::ZERO);
            watch.see(&walk, &frame);
        }
        for _ in 0..frames {
            let frame = walk.push(DVec2::ZERO);
            watch.see(&walk, &frame);
        }
        assert!(walk.state.velocity().y < 2.6);
        // Something shoves him on: the place where he will stand is farther off, beyond what the clip covers or within.
        walk.state.moved_to(walk.state.position(), FORTH * speed).unwrap();
        let frame = walk.push(DVec2::ZERO);
        watch.see(&walk, &frame);
        assert!(frame.switched && frame.phase == goes_on, "{frame:?}");
        for _ in 0..120 {
            let frame = walk.push(DVec2::ZERO);
            watch.see(&walk, &frame);
        }
        println!("jump {:.4} m, slid {} m, slide {} m", watch.jump, watch.slid, walk.worst_slide());
        assert_eq!(walk.state.phase(), LocomotionPhase::Standing);
        assert!((watch.travelled - walk.state.position().y).abs() < 1e-9);
        assert!(watch.slid < 1e-9, "{} m", watch.slid);
        assert!(walk.worst_slide() < 0.005 && watch.jump < 0.05, "{} {}", walk.worst_slide(), watch.jump);
    }
}

#[test]
fn a_stick_that_is_pushed_again_in_the_middle_of_a_stop_runs_on() {
    let character = character();
    for frames in 1..24 {
        let (mut walk, mut watch) = (Walk::new(&character), Watch::new());
        walk.hold(FORTH, 90);
        while walk.state.phase() != LocomotionPhase::Stop {
            walk.push(DVec2::ZERO);
        }
        walk.hold(DVec2::ZERO, frames);
        for i in 0..90 {
            let frame = walk.push(FORTH);
            watch.see(&walk, &frame);
            assert!(frame.phase != LocomotionPhase::Stop && (i > 0 || frame.switched), "{frame:?}");
        }
        assert_eq!(walk.state.phase(), LocomotionPhase::Cycle);
        assert!(watch.slid < 1e-9 && watch.jump < 0.05, "{frames}: {} {}", watch.slid, watch.jump);
        assert!(walk.worst_slide() < 0.005, "{frames}: {} m", walk.worst_slide());
    }
}

#[test]
fn a_wall_holds_him_up_until_it_is_gone() {
    let character = character();
    let wall = 4.0;
    for extra in 0..12 {
        let (mut walk, mut watch) = (Walk::new(&character), Watch::new());
        walk.state = LocomotionController::at(
            &character.rig,
            &character.set,
            DVec2::new(0.0, 0.05 * f64::from(extra)),
            FORTH,
        );
        let (start, mut held, mut displaced) = (walk.state.position().y, 0, 0.0);
        for i in 0..240 {
            let frame = walk.push(FORTH);
            watch.see(&walk, &frame);
            displaced += frame.displaced.y;
            if i > 180 {
                assert_eq!(frame.phase, LocomotionPhase::Standing, "{i}");
            }
            if walk.state.position().y > wall {
                held += 1;
                walk.state.moved_to(DVec2::new(0.0, wall), DVec2::ZERO).unwrap();
            }
        }
        assert!(held > 120 && displaced < -0.05, "{held} {displaced}");
        let (slide, jump, slid) = (walk.worst_slide(), watch.jump, watch.slid);
        println!("{extra}: slide {slide:.5} jump {jump:.4} slid {slid:.4} own {:?}", walk.state.own_steps());
        // All that he went, and was moved back, is in the accounts but for the last time.
        let last = walk.push(FORTH);
        watch.see(&walk, &last);
        assert!((watch.travelled - (walk.state.position().y - start)).abs() < 1e-9, "{}", watch.travelled);
        assert!(slide < 0.005, "{extra}: {slide} m");
        // 3.6 m/s are gone in a frame, and what the mesh's offset does not hold of that is slid, and said.
        assert!(jump < 0.06, "{extra}: {jump} m");
        // The wall goes away.
        let frame = walk.hold(FORTH, 60);
        assert!(frame.phase == LocomotionPhase::Cycle && walk.state.velocity().y > 3.5, "{frame:?}");
        assert!(walk.worst_slide() < 0.005, "{extra}: {} m", walk.worst_slide());
    }
}

#[test]
fn a_wall_holds_up_whoever_has_long_frames_and_a_push_does_not() {
    let character = character();
    for dt in [1.0 / 60.0, 1.0 / 15.0, 0.2] {
        let mut walk = Walk::new(&character);
        walk.hold(FORTH, 60);
        // A push of half of the way of each frame is none that holds him up.
        for i in 0..4 {
            let before = walk.state.position();
            hitch(&mut walk, FORTH, dt).unwrap();
            let way = walk.state.position() - before;
            walk.state.moved_to(walk.state.position() - 0.5 * way, walk.state.velocity()).unwrap();
            let frame = hitch(&mut walk, FORTH, dt).unwrap();
            assert_eq!(frame.phase, LocomotionPhase::Cycle, "{dt} s, {i}");
        }
        // All of it is a wall, for as long as it is there.
        let wall = walk.state.position().y;
        for i in 0..40 {
            let frame = hitch(&mut walk, FORTH, dt).unwrap();
            if i > 30 {
                assert_eq!(frame.phase, LocomotionPhase::Standing, "{dt} s, {i}");
            }
            walk.state.moved_to(DVec2::new(0.0, wall), DVec2::ZERO).unwrap();
        }
    }
}

#[test]
fn who_stands_and_is_moved_shows_it_by_the_offset_of_the_mesh_and_plays_no_clip() {
    let character = character();
    for ran in [false, true] {
        for by in [FORTH * 0.05, FORTH * -0.05, DVec2::new(0.03, 0.04)] {
            let mut walk = Walk::new(&character);
            if ran {
                walk.hold(FORTH, 120);
                walk.hold(DVec2::ZERO, 240);
            }
            let before = walk.push(DVec2::ZERO);
            assert_eq!(before.phase, LocomotionPhase::Standing);
            walk.state.moved_to(walk.state.position() + by, DVec2::ZERO).unwrap();
            let after = walk.push(DVec2::ZERO);
            let seen = (after.placement.translation - before.placement.translation).length();
            // In a frame the mesh comes after by 1.2 m/s at most.
            assert!(seen <= 1.2 * DT + 1e-9, "{by}: the mesh moves {seen} m");
            assert_eq!(
                (after.account.matched, after.account.slid, after.slid_aside),
                (0.0, 0.0, 0.0),
                "{by}"
            );
            assert!((after.account.travelled - by.y).abs() < 1e-9, "{by}: {:?}", after.account);
            assert!(after.account.imbalance().abs() < 1e-12, "{by}: {:?}", after.account);
        }
    }
}

#[test]
fn feet_go_along_with_a_lift() {
    let character = character();
    let (mut still, mut moving) = (Walk::new(&character), Walk::new(&character));
    let by = DVec2::new(0.031, -0.017);
    let mut carried = DVec2::ZERO;
    for i in 0..300 {
        let input = if i % 150 < 90 { FORTH } else { DVec2::ZERO };
        let (a, b) = (still.push(input), moving.push(input));
        let apart = b.placement.translation - a.placement.translation;
        assert!((apart - DVec3::new(carried.x, 0.0, carried.y)).length() < 1e-9, "{i}: {apart}");
        for joint in FEET.into_iter().chain([1, 11]) {
            let off = still.joint(&a, joint).translation + apart - moving.joint(&b, joint).translation;
            assert!(off.length() < 1e-6, "{i}, joint {joint}: {off}");
        }
        assert_eq!((a.phase, a.step.status, b.displaced), (b.phase, b.step.status, DVec2::ZERO));
        assert!((a.account.travelled - b.account.travelled).abs() < 1e-9);
        moving.state.carried(by).unwrap();
        carried += by;
    }
    assert!(moving.worst_slide() < 0.005, "{} m", moving.worst_slide());
    assert_eq!(still.state.slides()[0].steps, moving.state.slides()[0].steps);
}

#[test]
fn a_shove_aside_moves_the_mesh_no_more_than_is_said() {
    let character = character();
    for (runs, metres) in [(false, 0.1), (true, 0.1), (false, 0.4), (true, 0.4)] {
        let mut walk = Walk::new(&character);
        walk.hold(if runs { FORTH } else { DVec2::ZERO }, 90);
        let input = if runs { FORTH } else { DVec2::ZERO };
        let frame = walk.push(input);
        let (hips, own) = (walk.joint(&frame, 1).translation, frame.own_steps);
        let velocity = walk.state.velocity();
        walk.state.moved_to(walk.state.position() + DVec2::X * metres, velocity).unwrap();
        let frame = walk.push(input);
        assert_eq!(frame.displaced, DVec2::X * metres);
        assert!((frame.slid_aside - (metres - 0.15_f64).max(0.0)).abs() < 1e-9, "{frame:?}");
        let jump = walk.joint(&frame, 1).translation.x - hips.x;
        assert!((jump - frame.slid_aside).abs() < 0.02, "{jump}");
        let mut frame = frame;
        for _ in 0..90 {
            frame = walk.push(input);
            assert!(frame.slid_aside == 0.0 && frame.displaced == DVec2::ZERO);
        }
        // He is where the capsule is, on feet that got there by stepping.
        assert!((walk.joint(&frame, 1).translation.x - metres).abs() < 0.01);
        for foot in FEET {
            let side = if foot == FEET[0] { 0.1 } else { -0.1 };
            let off = walk.joint(&frame, foot).translation.x - metres - side;
            assert!(off.abs() < 0.15 * 1.5, "{off}");
        }
        println!("{runs} {metres}: own {own:?} {:?}, slide {}", frame.own_steps, walk.worst_slide());
        if !runs && metres > 0.3 {
            assert!(
                frame.own_steps.steps > own.steps && frame.own_steps.longest > 0.2,
                "{:?}",
                frame.own_steps
            );
        }
        assert!(walk.worst_slide() < 0.005, "{runs} {metres}: {} m", walk.worst_slide());
    }
}

#[test]
fn who_is_put_elsewhere_goes_on_there_and_drags_no_foot_along() {
    let character = character();
    for frames in [30, 84, 90, 95, 150] {
        let mut walk = Walk::new(&character);
        let input = |i: usize| if i < 100 { FORTH } else { DVec2::ZERO };
        let mut frame = walk.push(FORTH);
        for i in 1..frames {
            frame = walk.push(input(i));
        }
        let (phase, speed, slides) = (frame.phase, walk.state.velocity().length(), frame.slide);
        let place = DVec2::new(100.0, -50.0);
        walk.state.put_at(place, DVec2::NEG_X * 3.0).unwrap();
        assert!((walk.state.velocity() - DVec2::NEG_X * speed).length() < 1e-12);
        let ahead = if input(frames) == FORTH { DVec2::NEG_X } else { DVec2::ZERO };
        // A paused game shows him there.
        let paused = hitch(&mut walk, ahead, 0.0).unwrap();
        assert!((paused.placement.translation - DVec3::new(100.0, 0.0, -50.0)).length() < 0.4, "{paused:?}");
        let mut farthest: f64 = 0.0;
        for _ in 0..40 {
            frame = walk.push(ahead);
            for foot in FEET {
                let hip = walk.joint(&frame, foot - 2).translation;
                farthest = farthest.max((walk.joint(&frame, foot).translation - hip).length());
            }
        }
        assert!(farthest < 0.9 + 1e-6, "{frames}: a leg of 0.9 m reaches {farthest} m");
        assert!(walk.worst_slide() < 0.005, "{frames}: {} m", walk.worst_slide());
        assert!(frame.slide.steps >= slides.steps, "what was counted stays");
        assert!(ahead == DVec2::ZERO || frame.phase != LocomotionPhase::Standing, "{phase:?} {frame:?}");
        let way = walk.state.position() - place;
        assert!(way.y.abs() < 1e-9 && way.x <= 0.0 && way.x >= -SPEED * 41.0 * DT, "{way}");
    }
}

/// The stride by which the poses cover more or less than their clip is the one in the account: told by where soles are,
/// with nothing held.
#[test]
fn the_stride_shown_is_the_one_accounted_for() {
    let whole = character();
    let mut settings = LocomotionSettings::for_size(1.5);
    let stance = &mut settings.plant.stance;
    (stance.height, stance.enter_speed, stance.leave_speed) = (0.0, 0.0, 0.0);
    let set = LocomotionSet::new(&whole.rig, legs(&whole.rig), whole.set.clips().clone(), settings).unwrap();
    let character = Character { set, ..whole };
    let mut walk = Walk::new(&character);
    walk.hold(FORTH, 120);
    let (mut looked, mut least, mut most, mut clip_pose) =
        (0, 1.0_f64, 1.0_f64, LocalPose::rest(&character.rig));
    for (speed, frames) in [(2.3, 40), (5.2, 40), (3.0, 40), (SPEED, 30)] {
        walk.mover.max_speed = speed;
        for _ in 0..frames {
            let frame = walk.push(FORTH);
            let stride = frame.step.stride;
            assert_eq!(frame.phase, LocomotionPhase::Cycle);
            let warped = frame.account.matched * (stride - 1.0);
            assert!((frame.account.warped - warped).abs() < 1e-9, "{frame:?}");
            if frame.legs.unreached > 0 {
                continue;
            }
            (least, most) = (least.min(stride), most.max(stride));
            let clip = character.set.clips().cycle.clip();
            SampleJob::new(&character.rig, clip, frame.step.time as f32, &mut clip_pose).run().unwrap();
            let shown =
                FEET.map(|foot| walk.sole(&frame, foot).map(|at| at.z - frame.placement.translation.z));
            core::mem::swap(&mut walk.pose, &mut clip_pose);
            let origin = LocomotionFrame { placement: DTransform::IDENTITY, ..frame };
            let own = FEET.map(|foot| walk.sole(&origin, foot).map(|at| at.z - SPEED * origin.step.time));
            core::mem::swap(&mut walk.pose, &mut clip_pose);
            for (shown, own) in shown.iter().zip(own) {
                // These soles are flat, and a flat foot goes as its middle does.
                let middle = |sole: &[f64; 2]| 0.5 * (sole[0] + sole[1]);
                let off = middle(shown) - middle(&own) * stride;
                assert!(off.abs() < 1e-3, "{stride}: {shown:?} of {own:?}");
                looked += 1;
            }
        }
    }
    println!("{looked} feet, strides {least} to {most}");
    assert!(looked > 200 && least < 0.9 && most > 1.1, "{looked}: {least} to {most}");
}

#[test]
fn a_frame_without_time_says_so_once_it_has_shown_something() {
    let character = character();
    let mut walk = Walk::new(&character);
    let first = hitch(&mut walk, FORTH, 0.0).unwrap();
    assert!(first.steps == 1 && first.step.status != MatchStatus::NoTime);
    let second = hitch(&mut walk, FORTH, 0.0).unwrap();
    assert_eq!((second.steps, second.step.status), (0, MatchStatus::NoTime));
}
