//! Promise: a playhead keeps its phase whatever changes its speed or its clip's length, adds up for any split
//! into steps, counts every pass, and says so where time cannot run as asked.

use proptest::prelude::*;
use sinew::{PlayError, PlayRate, PlayStatus, Playback, Playhead};

fn looping(duration: f64) -> Playhead {
    Playhead::new(duration, Playback::Loop).unwrap()
}

fn once(duration: f64) -> Playhead {
    Playhead::new(duration, Playback::Once).unwrap()
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -10.0_f64..10.0, Just(0.0), Just(1e-320), Just(f64::MAX), Just(f64::NAN)]
}

proptest! {
    /// Time is the integral of the rate: 1 -> `to` at `slew` a second, then `to`.
    #[test]
    fn a_slewed_rate_integrates_exactly(
        to in -4.0_f64..4.0,
        slew in 0.01_f64..10.0,
        steps in prop::collection::vec(0.0_f64..0.3, 1..40),
    ) {
        let mut head = looping(1.3);
        head.rate.slew_to(to, slew).unwrap();
        let mut now = 0.0;
        for dt in steps {
            now += dt;
            let before = head.rate.current();
            let step = head.advance(dt).unwrap();
            let ramp = (to - 1.0).abs() / slew;
            let (t, rest) = (now.min(ramp), (now - ramp).max(0.0));
            let expected = t + 0.5 * slew * t * t * (to - 1.0).signum() + to * rest;
            prop_assert!((head.time() - expected).abs() < 1e-12, "{} {}", head.time(), expected);
            prop_assert!((head.rate.current() - before).abs() <= slew * dt + 1e-12);
            let arrived = head.rate.current() == to;
            prop_assert_eq!(step.status == PlayStatus::RateLimited, !arrived);
        }
    }

    /// Any change of rate leaves the time where it was, and any change of length the phase and the pass.
    #[test]
    fn changes_never_jump(
        changes in prop::collection::vec((0.1_f64..5.0, -3.0_f64..3.0, 0.0_f64..0.5, any::<bool>()), 1..30),
    ) {
        let mut head = looping(1.0);
        let mut phase = 0.0;
        for (duration, rate, dt, at_once) in changes {
            let time = head.time();
            if at_once { head.rate.set(rate) } else { head.rate.slew_to(rate, 2.0) }.unwrap();
            prop_assert_eq!(head.time(), time);
            head.set_duration(duration).unwrap();
            prop_assert!((head.time() / duration - phase).abs() < 1e-12);
            let fastest = head.rate.current().abs().max(rate.abs());
            let step = head.advance(dt).unwrap();
            prop_assert!((step.current - step.previous).abs() <= fastest * dt + 1e-12);
            prop_assert!((0.0..=duration as f32).contains(&head.clip_time()));
            phase = head.time() / duration;
            let passes = (head.cycle() as f64 + head.phase()) * duration;
            prop_assert!((passes - head.time()).abs() < 1e-12);
        }
    }

    #[test]
    fn wraps_are_the_passes_of_the_end(
        duration in 0.1_f64..3.0,
        steps in prop::collection::vec((-5.0_f64..5.0, 0.0_f64..2.0), 1..40),
    ) {
        let mut head = looping(duration);
        let mut wraps = 0;
        for (rate, dt) in steps {
            head.rate.set(rate).unwrap();
            let step = head.advance(dt).unwrap();
            prop_assert_eq!(step.current, head.time());
            wraps += step.wraps;
            prop_assert_eq!(wraps, (head.time() / duration).floor() as i64);
        }
    }

    /// What is left of the step at the end is what a clip that follows has to play.
    #[test]
    fn time_beyond_the_end_is_handed_back(
        duration in 0.1_f64..3.0,
        rate in 0.1_f64..4.0,
        dt in 0.0_f64..40.0,
    ) {
        let mut head = once(duration);
        head.rate.set(rate).unwrap();
        let step = head.advance(dt).unwrap();
        prop_assert!((head.time() + step.unplayed * rate - rate * dt).abs() < 1e-9);
        prop_assert_eq!(step.status == PlayStatus::AtEnd, rate * dt >= duration);
        prop_assert_eq!(step.wraps, 0);
        prop_assert!(head.time() <= duration);
    }

    #[test]
    fn any_number_leaves_the_playhead_in_the_clip(
        duration in number(),
        rate in number(),
        slew in number(),
        dt in number(),
        loops: bool,
    ) {
        let playback = if loops { Playback::Loop } else { Playback::Once };
        let Ok(mut head) = Playhead::new(duration, playback) else { return Ok(()) };
        let before = head;
        let asked = head.rate.slew_to(rate, slew).is_ok();
        if !asked {
            prop_assert_eq!(head, before);
        }
        let before = head;
        match head.advance(dt) {
            Ok(step) => prop_assert!(step.current.is_finite() && step.unplayed >= 0.0),
            Err(_) => prop_assert_eq!(head, before),
        }
        prop_assert!(head.time().is_finite());
        prop_assert!((0.0..=duration as f32).contains(&head.clip_time()), "{} of {}", head.clip_time(), duration);
        prop_assert!((0.0..=1.0).contains(&head.phase()));
    }
}

/// A tick count times the step is as good as a sum.
#[test]
fn a_playhead_can_be_set_by_tick() {
    let (mut summed, mut set) = (looping(0.7), looping(0.7));
    for tick in 1..=10_000 {
        summed.advance(1.0 / 60.0).unwrap();
        set.seek(f64::from(tick) / 60.0).unwrap();
        assert!((summed.time() - set.time()).abs() < 1e-10);
    }
}

#[test]
fn ends_hold_and_say_so() {
    let mut head = once(1.0);
    assert_eq!(head.advance(0.5).unwrap().status, PlayStatus::Playing);
    let step = head.advance(0.75).unwrap();
    assert_eq!((step.status, step.current), (PlayStatus::AtEnd, 1.0));
    assert!((step.unplayed - 0.25).abs() < 1e-12);
    assert_eq!(head.phase(), 1.0);
    head.rate.set(-1.0).unwrap();
    assert_eq!(head.advance(0.5).unwrap().status, PlayStatus::Playing);
    assert_eq!(head.advance(1.0).unwrap().status, PlayStatus::AtStart);
    assert_eq!(head.time(), 0.0);
    head.rate.set(0.0).unwrap();
    assert_eq!(head.advance(1.0).unwrap().status, PlayStatus::Stopped);
}

#[test]
fn a_clip_of_no_length_is_at_its_end() {
    for playback in [Playback::Once, Playback::Loop] {
        let mut head = Playhead::new(0.0, playback).unwrap();
        let step = head.advance(1.0).unwrap();
        assert_eq!((step.status, step.current, step.wraps), (PlayStatus::AtEnd, 0.0, 0));
        assert_eq!(step.unplayed, 1.0);
        assert_eq!((head.phase(), head.clip_time()), (0.0, 0.0));
        head.set_duration(2.0).unwrap();
        assert_eq!(head.time(), 0.0);
    }
}

#[test]
fn running_back_counts_passes_down() {
    let mut head = looping(2.0);
    head.rate.set(-1.0).unwrap();
    let step = head.advance(0.5).unwrap();
    assert_eq!((step.current, step.wraps, head.clip_time()), (-0.5, -1, 1.5));
    assert_eq!(head.cycle(), -1);
}

#[test]
fn refusals_name_the_number() {
    let mut head = looping(1.0);
    assert_eq!(
        head.advance(f64::NAN).unwrap_err().to_string(),
        "the step in seconds is NaN, expected a finite number"
    );
    assert_eq!(
        head.advance(-1.0).unwrap_err(),
        PlayError::Negative { what: "the step in seconds", value: -1.0 }
    );
    assert!(matches!(head.advance(1e300).unwrap_err(), PlayError::TooFar { .. }));
    assert!(matches!(head.seek(f64::INFINITY).unwrap_err(), PlayError::NotFinite { what: "the time", .. }));
    assert!(matches!(PlayRate::default().set(f64::NAN), Err(PlayError::NotFinite { .. })));
    assert!(matches!(PlayRate::default().slew_to(1.0, -1.0), Err(PlayError::Negative { .. })));
    assert!(matches!(Playhead::new(-1.0, Playback::Loop), Err(PlayError::Negative { .. })));
    assert_eq!(head, looping(1.0));
}
