//! Promise: a character that starts, runs, stops and turns keeps its feet where they stand, loses no metre and
//! never freezes or jumps, whatever the stick does.

mod locomotion_biped;

use glam::{DVec2, DVec3};
use locomotion_biped::{Character, SPEED, character, mover};
use proptest::prelude::*;
use sinew::{
    Account, FlatGround, FootSlide, LocalPose, LocomotionController, LocomotionFrame, LocomotionJob,
    LocomotionPhase, Slot,
};

const DT: f64 = 1.0 / 60.0;

struct Player<'a> {
    character: &'a Character,
    state: LocomotionController,
    pose: LocalPose,
    /// `[slot]`, world space.
    joints: Vec<DVec3>,
    phases: Vec<LocomotionPhase>,
    /// Farthest that a joint moved in a frame, less what the capsule did.
    jump: f64,
    total: Account,
}

impl<'a> Player<'a> {
    fn new(character: &'a Character) -> Self {
        Self {
            character,
            state: LocomotionController::new(&character.rig, &character.set),
            pose: LocalPose::rest(&character.rig),
            joints: Vec::new(),
            phases: Vec::new(),
            jump: 0.0,
            total: Account::default(),
        }
    }

    fn frame(&mut self, input: DVec2) -> LocomotionFrame {
        let rig = &self.character.rig;
        let before = self.state.position();
        let frame = LocomotionJob {
            rig,
            set: &self.character.set,
            mover: &mover(),
            ground: &FlatGround::default(),
            input,
            dt: DT,
            state: &mut self.state,
            pose: &mut self.pose,
        }
        .run()
        .unwrap();
        if self.phases.last() != Some(&frame.phase) {
            self.phases.push(frame.phase);
        }
        let account = frame.account;
        assert!(account.imbalance().abs() < 1e-9, "{frame:?}");
        self.total.travelled += account.travelled + account.handed_on;
        self.total.slid += account.slid.abs();
        self.total.offset = self.total.offset.max(frame.step.offset.abs());
        let joints: Vec<DVec3> = (0..rig.len()).map(|i| self.place(&frame, Slot(i as u16))).collect();
        assert!(joints.iter().all(|p| p.is_finite()));
        let moved = (self.state.position() - before).length();
        for (now, then) in joints.iter().zip(&self.joints) {
            self.jump = self.jump.max((*now - *then).length() - moved);
        }
        self.joints = joints;
        frame
    }

    fn place(&self, frame: &LocomotionFrame, slot: Slot) -> DVec3 {
        let (mut walk, mut at) = (Some(slot), DVec3::ZERO);
        while let Some(here) = walk {
            let t = self.pose.get(here);
            at = t.translation.as_dvec3() + t.rotation.as_dquat() * at;
            walk = self.character.rig.parents()[here.index()];
        }
        at + frame.placement.translation
    }

    fn hold(&mut self, input: DVec2, seconds: f64) {
        for _ in 0..(seconds / DT).round() as usize {
            self.frame(input);
        }
    }

    fn slides(&self) -> FootSlide {
        let mut all = FootSlide::default();
        for slide in self.state.slides() {
            all.steps += slide.steps;
            all.total += slide.total;
            all.worst = all.worst.max(slide.worst);
        }
        all
    }
}

#[test]
fn it_starts_runs_and_stops_on_its_feet() {
    use LocomotionPhase::{Cycle, Standing, Start, Stop};
    let character = character();
    let mut player = Player::new(&character);
    player.hold(DVec2::ZERO, 0.2);
    assert_eq!(player.phases, [Standing]);
    player.hold(DVec2::Y, 3.0);
    assert_eq!(player.phases, [Standing, Start, Cycle]);
    assert!((player.state.velocity().length() - SPEED).abs() < 1e-9);
    player.hold(DVec2::ZERO, 2.0);
    assert_eq!(player.phases, [Standing, Start, Cycle, Stop, Standing]);
    let slides = player.slides();
    println!(
        "{} steps, {:.3} cm a step, worst {:.3} cm; offset {:.1} cm, jump {:.1} cm, slid {:.2} cm",
        slides.steps,
        100.0 * slides.mean(),
        100.0 * slides.worst,
        100.0 * player.total.offset,
        100.0 * player.jump,
        100.0 * player.total.slid
    );
    assert!(slides.steps >= 10, "{slides:?}");
    assert!(slides.mean() < 0.005 && slides.worst < 0.005, "{slides:?}");
    assert!((player.total.travelled - player.state.position().y).abs() < 1e-6);
    assert_eq!(player.total.slid, 0.0);
    // A foot in the air goes up to 8 m/s.
    assert!(player.jump < 0.12, "{} m in a frame", player.jump);
}

#[test]
fn the_loop_takes_over_at_the_right_foot() {
    let character = character();
    // The start ends 0.1 s after its left foot landed, which in the loop lands at 0.3 s.
    let entry = character.set.cycle_entry();
    assert!((entry - 0.4).abs() < 0.04, "{entry} s");
    let stances = character.set.cycle_stances();
    for (leg, landing) in [(0, 0.3), (1, 0.0)] {
        let found = stances[leg].iter().any(|s| (s[0] - landing).abs() < 0.05 && s[1] - s[0] > 0.12);
        assert!(found, "leg {leg}: {:?}", stances[leg]);
    }
}

#[test]
fn it_turns_round_on_its_feet() {
    use LocomotionPhase::{Cycle, Standing, Start, Stop, TurnIn, TurnOut};
    let character = character();
    let mut player = Player::new(&character);
    player.hold(DVec2::X, 2.0);
    player.hold(DVec2::NEG_X, 2.0);
    player.hold(DVec2::ZERO, 2.0);
    assert_eq!(player.phases, [Start, Cycle, TurnIn, TurnOut, Cycle, Stop, Standing]);
    let slides = player.slides();
    println!(
        "{} steps, {:.3} cm a step, worst {:.3} cm; jump {:.1} cm",
        slides.steps,
        100.0 * slides.mean(),
        100.0 * slides.worst,
        100.0 * player.jump
    );
    assert!(slides.mean() < 0.005 && slides.worst < 0.01, "{slides:?}");
    assert!(player.jump < 0.16, "{} m in a frame", player.jump);
    assert_eq!(player.total.slid, 0.0);
}

#[test]
fn a_tap_and_a_change_of_mind_are_played() {
    let character = character();
    let mut player = Player::new(&character);
    player.hold(DVec2::Y, 0.1);
    player.hold(DVec2::ZERO, 1.5);
    assert_eq!(player.state.phase(), LocomotionPhase::Standing);
    player.hold(DVec2::Y, 1.5);
    player.hold(DVec2::ZERO, 0.1);
    player.hold(DVec2::Y, 0.5);
    assert_eq!(player.state.phase(), LocomotionPhase::Cycle);
    player.hold(DVec2::NEG_Y, 0.1);
    player.hold(DVec2::Y, 1.0);
    assert_eq!(player.state.phase(), LocomotionPhase::Cycle);
    assert!(player.jump < 0.2, "{} m in a frame", player.jump);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_the_stick_does(moves in prop::collection::vec((0_u8..9, 1_u32..40), 1..20)) {
        let character = character();
        let mut player = Player::new(&character);
        for (way, frames) in moves {
            let input = if way == 8 { DVec2::ZERO } else {
                let angle = f64::from(way) * std::f64::consts::FRAC_PI_4;
                DVec2::new(libm::sin(angle), libm::cos(angle))
            };
            for _ in 0..frames {
                let frame = player.frame(input);
                prop_assert!(frame.step.offset.abs() <= 0.15 + 1e-9);
                prop_assert!(frame.step.rate <= 2.5 && frame.step.time.is_finite());
            }
        }
    }
}
