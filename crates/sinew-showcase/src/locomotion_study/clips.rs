//! The runner's clips: stand, start, run, stop and turn round, with either foot first.

use core::f64::consts::PI;

use sinew::{RawClip, Skeleton};

use super::gait::{Footfall, Motion, Posture};
use crate::StudyError;
use crate::action_study::playback::clip_at;
use crate::distance_study::runner::{BALL, HIP, HIP_SIDE};
use crate::distance_study::steps::smooth;

/// Speed of the run, metres a second.
pub(crate) const SPEED: f64 = 4.0;
/// How the clips get there and down again, metres a second squared; the capsule does as it likes.
const CHANGE: f64 = 8.0;
const RAMP: f64 = SPEED / CHANGE;
/// Seconds of two steps, and that a foot is down.
pub(crate) const CYCLE: f64 = 0.64;
const DOWN: f64 = 0.18;
/// How far aside a running foot is put, metres.
const NARROW: f64 = 0.06;
/// Where the balls of the feet are while he stands, left and right, along the way.
const STAND: [f64; 2] = [BALL + 0.03, BALL - 0.03];

const fn side(leg: usize) -> f64 {
    if leg == 0 { 1.0 } else { -1.0 }
}

/// A foot of the run that lands at a time, on a path.
fn run_step(leg: usize, lands: f64, along: &dyn Fn(f64) -> f64) -> Footfall {
    let at = [side(leg) * NARROW, along(lands + 0.5 * DOWN) + 0.02];
    Footfall { span: [lands, lands + DOWN], at, yaw: 0.0 }
}

fn standing(leg: usize, span: [f64; 2], at: f64) -> Footfall {
    Footfall { span, at: [side(leg) * HIP_SIDE, at + STAND[leg]], yaw: 0.0 }
}

/// Up and down with the steps; `middle` is when a foot is in the middle of its stance.
fn bob(time: f64, middle: f64) -> f64 {
    -0.022 * libm::cos(4.0 * PI * (time - middle) / CYCLE)
}

fn posture(running: f64, bob: f64, lean: f64) -> Posture {
    let stand = HIP - 0.015;
    Posture { height: stand - 0.115 * running + bob * running, ahead: 0.02 * running, lean, running }
}

/// Lean of the run, radians.
const LEAN: f64 = 0.2;

/// Breathes.
pub(crate) fn idle(skeleton: &Skeleton) -> Result<RawClip, StudyError> {
    let breath = |t: f64| libm::sin(2.0 * PI * t / 2.4);
    let motion = Motion {
        seconds: 2.4,
        along: &|_| 0.0,
        yaw: &|_| 0.0,
        posture: &|t| {
            let still = posture(0.0, 0.0, 0.012 * breath(t));
            Posture { height: still.height + 0.003 * breath(t), ..still }
        },
        steps: [0, 1].map(|leg| vec![standing(leg, [-1.0, 9.0], 0.0)]),
    };
    clip("idle", skeleton, &motion)
}

/// Gets up to speed; `first` is the foot that steps first.
pub(crate) fn start(skeleton: &Skeleton, first: usize) -> Result<RawClip, StudyError> {
    const LEAVE: f64 = 0.02;
    let along = |t: f64| {
        let u = (t - LEAVE).max(0.0);
        if u < RAMP { 0.5 * CHANGE * u * u } else { SPEED * (u - 0.5 * RAMP) }
    };
    let second = 1 - first;
    let mut steps = [Vec::new(), Vec::new()];
    steps[first].push(standing(first, [-1.0, 0.12], 0.0));
    steps[first].push(Footfall { span: [0.34, 0.54], at: [side(first) * NARROW, 0.74], yaw: 0.0 });
    steps[second].push(standing(second, [-1.0, 0.30], 0.0));
    for lap in 0..3 {
        let lap = CYCLE * f64::from(lap);
        steps[second].push(run_step(second, 0.64 + lap, &along));
        steps[first].push(run_step(first, 0.96 + lap, &along));
    }
    let motion = Motion {
        seconds: 0.77,
        along: &along,
        yaw: &|_| 0.0,
        posture: &|t| {
            let running = smooth((t - 0.05) / 0.5);
            let push = smooth(t / 0.25) * (1.0 - smooth((t - 0.35) / 0.4));
            posture(running, bob(t, 0.64 + 0.5 * DOWN), LEAN * running + 0.18 * push)
        },
        steps,
    };
    clip(&format!("start, {} foot first", name(first)), skeleton, &motion)
}

/// Runs, round and round; the left foot lands at 0.05 s.
pub(crate) fn cycle(skeleton: &Skeleton) -> Result<RawClip, StudyError> {
    let along = |t: f64| SPEED * t;
    let laps = |leg: usize, lands: f64| -> Vec<Footfall> {
        (-2..4).map(|lap| run_step(leg, lands + CYCLE * f64::from(lap), &along)).collect()
    };
    let motion = Motion {
        seconds: CYCLE,
        along: &along,
        yaw: &|_| 0.0,
        posture: &|t| posture(1.0, bob(t, 0.05 + 0.5 * DOWN), LEAN),
        steps: [laps(0, 0.05), laps(1, 0.05 + 0.5 * CYCLE)],
    };
    clip("run", skeleton, &motion)
}

/// Where in the run a stop or a turn begins: seconds until the foot lands that lands first. Its half pass is shared out
/// between as many clips.
pub(crate) const MOMENTS: [f64; 4] = [0.0, 0.08, 0.16, 0.24];

/// Slows down evenly within a metre.
fn braking(t: f64) -> f64 {
    let u = t.min(RAMP);
    SPEED * u - 0.5 * CHANGE * u * u
}

/// Comes to a stand within a metre; `first` is the foot that lands first, at `lands` seconds.
pub(crate) fn stop(skeleton: &Skeleton, first: usize, lands: f64) -> Result<RawClip, StudyError> {
    let second = 1 - first;
    let way = braking(RAMP);
    let last = lands + 0.3;
    let mut steps = [Vec::new(), Vec::new()];
    for leg in [first, second] {
        for lap in [-2.0, -1.0] {
            let at = if leg == first { lands } else { lands + 0.5 * CYCLE };
            steps[leg].push(run_step(leg, at + CYCLE * lap, &braking));
        }
    }
    let end = standing(first, [0.0, 9.0], way);
    let middle = braking(lands + 0.5 * DOWN) + 0.02 + 0.25 * lands;
    if (end.at[1] - middle).abs() < 0.16 {
        steps[first].push(Footfall { span: [lands, 9.0], ..end });
    } else {
        let aside = side(first) * (NARROW + 0.5 * (HIP_SIDE - NARROW));
        steps[first].push(Footfall { span: [lands, last + 0.03], at: [aside, middle], yaw: 0.0 });
        let far = (end.at[1] - middle) / 1.2;
        steps[first].push(Footfall { span: [last + 0.21 + 0.1 * far, 9.0], ..end });
    }
    steps[second].push(standing(second, [last, 9.0], way));
    let motion = Motion {
        seconds: 1.0,
        along: &braking,
        yaw: &|_| 0.0,
        posture: &|t| {
            let running = 1.0 - smooth((t - 0.12) / 0.6);
            let brake = smooth(t / 0.3) * (1.0 - smooth((t - 0.35) / 0.45));
            posture(running, bob(t, lands + 0.5 * DOWN), LEAN * running - 0.2 * brake)
        },
        steps,
    };
    clip(&format!("stop, {} foot {:.0} ms ahead", name(first), 1e3 * lands), skeleton, &motion)
}

/// Slows down, turns round away from the foot that brakes, and runs back.
pub(crate) fn pivot(skeleton: &Skeleton, first: usize, lands: f64) -> Result<RawClip, StudyError> {
    let along = |t: f64| {
        let u = t.min(2.0 * RAMP);
        SPEED * u - 0.5 * CHANGE * u * u - SPEED * (t - u)
    };
    let brakes = 1 - first;
    // The left foot brakes a turn to the right.
    let sense = -side(brakes);
    let last = lands + 0.3;
    let mut steps = [Vec::new(), Vec::new()];
    for leg in [first, brakes] {
        for lap in [-2.0, -1.0] {
            let at = if leg == first { lands } else { lands + 0.5 * CYCLE };
            steps[leg].push(run_step(leg, at + CYCLE * lap, &along));
        }
    }
    let middle = along(lands + 0.5 * DOWN) + 0.05;
    let turning = last + 0.22;
    steps[first].extend([
        Footfall { span: [lands, last + 0.03], at: [side(first) * NARROW, middle], yaw: 0.0 },
        Footfall { span: [turning, 0.88], at: [-side(first) * 0.05, 0.84], yaw: sense * 2.5 },
    ]);
    steps[brakes].push(Footfall {
        span: [last, 0.62 + 0.5 * lands],
        at: [side(brakes) * 0.12, 1.12],
        yaw: sense * 1.2,
    });
    let back = |leg: usize, lands: f64| {
        let at = [-side(leg) * NARROW, along(lands + 0.5 * DOWN) - 0.02];
        Footfall { span: [lands, lands + DOWN], at, yaw: sense * PI }
    };
    for lap in 0..3 {
        let lap = CYCLE * f64::from(lap);
        steps[brakes].push(back(brakes, 0.96 + lap));
        steps[first].push(back(first, 0.96 + 0.5 * CYCLE + lap));
    }
    let motion = Motion {
        seconds: 1.3,
        along: &along,
        yaw: &|t| sense * PI * smooth((t - last + 0.05) / (0.86 - last)),
        posture: &|t| {
            let in_step = 1.0 - smooth(t / 0.3);
            let out_step = smooth((t - 0.7) / 0.3);
            let wave = in_step * bob(t, lands + 0.5 * DOWN) + out_step * bob(t, 0.96 + 0.5 * DOWN);
            let deep = smooth(t / 0.4) * (1.0 - smooth((t - 0.5) / 0.4));
            let brake = smooth(t / 0.25) * (1.0 - smooth((t - 0.3) / 0.25));
            let push = smooth((t - 0.5) / 0.2) * (1.0 - smooth((t - 0.75) / 0.35));
            posture(1.0, wave - 0.06 * deep, LEAN - 0.25 * brake + 0.15 * push)
        },
        steps,
    };
    clip(&format!("turn, {} foot {:.0} ms ahead", name(first), 1e3 * lands), skeleton, &motion)
}

fn name(leg: usize) -> &'static str {
    if leg == 0 { "left" } else { "right" }
}

fn clip(name: &str, skeleton: &Skeleton, motion: &Motion<'_>) -> Result<RawClip, StudyError> {
    clip_at(Motion::RATE, name, 0, skeleton, &motion.poses(skeleton)?)
}
