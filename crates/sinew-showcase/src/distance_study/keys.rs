//! Measured keys of a run start and a run stop, and the movers that they are played on.

use glam::DVec2;
use sinew::locomotion::{DistanceCurve, DistanceKind, GroundMover, LocomotionError, Mover, SplitSettings};

pub(crate) use super::measured::START_CM;
use super::measured::STOP_CM;

/// Seconds a frame.
pub(crate) const DT: f64 = 1.0 / 60.0;
/// Top speed, metres a second.
pub(crate) const TOP_SPEED: f64 = 6.0;
/// Metres a second squared.
pub(crate) const ACCELERATION: f64 = 20.48;

/// How many of its keys lie behind the start: the lean back. Of either number this is the smoother way.
const BEHIND: usize = 8;
/// The last keys of a stop that goes 9 cm too far and comes back.
const OVERSHOOT_CM: [f64; 9] = [-4.0, 2.0, 6.0, 8.5, 9.0, 7.0, 4.0, 1.5, 0.0];

fn metres(cm: &[f64]) -> Vec<f64> {
    cm.iter().map(|d| 0.01 * d).collect()
}

/// Seconds of so many keys.
pub(crate) fn times(count: usize) -> Vec<f64> {
    (0..count).map(|i| i as f64 / 30.0).collect()
}

/// Without signs, metres.
pub(crate) fn start_magnitudes() -> Vec<f64> {
    metres(&START_CM)
}

/// What the root really does: it leans back before it pushes off.
pub(crate) fn start_signed() -> Vec<f64> {
    let mut keys = start_magnitudes();
    keys[..BEHIND].iter_mut().for_each(|d| *d = -*d);
    keys
}

/// A stop as it should be.
pub(crate) fn stop() -> Vec<f64> {
    metres(&STOP_CM)
}

/// A stop whose root stands still from the ninth to the thirteenth key.
pub(crate) fn stop_with_plateau() -> Vec<f64> {
    let mut keys = stop();
    let level = keys[8];
    keys[8..13].fill(level);
    keys
}

/// A stop whose root goes too far and comes back.
pub(crate) fn stop_with_overshoot() -> Vec<f64> {
    let mut keys = stop();
    keys[12..].copy_from_slice(&metres(&OVERSHOOT_CM));
    keys
}

/// The curve of signed keys.
pub(crate) fn curve(kind: DistanceKind, signed: &[f64]) -> Result<DistanceCurve, LocomotionError> {
    DistanceCurve::from_keys("distance", kind, &times(signed.len()), signed, &SplitSettings::default())
}

/// A walker of the studies' top speed and acceleration, with this braking.
pub(crate) fn mover(friction: f64, braking: f64) -> GroundMover {
    GroundMover {
        max_speed: TOP_SPEED,
        acceleration: ACCELERATION,
        friction: 8.0,
        braking_friction: friction,
        braking,
        sub_step: 1.0 / 33.0,
        stop_speed: 0.1,
    }
}

/// Metres after each frame of getting up to speed, the first 0.
pub(crate) fn run_up(frames: usize) -> Vec<f64> {
    let mover = mover(0.0, ACCELERATION);
    let (mut v, mut way) = (DVec2::ZERO, vec![0.0]);
    for frame in 0..frames {
        v = mover.step(v, DVec2::Y, DT);
        way.push(way[frame] + v.y * DT);
    }
    way
}

/// Metres after each frame of braking from top speed to a stand, the first 0.
pub(crate) fn braking(mover: &GroundMover) -> Vec<f64> {
    let (mut v, mut way) = (DVec2::new(0.0, TOP_SPEED), vec![0.0]);
    while v.y > 0.0 && way.len() < 1000 {
        v = mover.step(v, DVec2::ZERO, DT);
        way.push(way[way.len() - 1] + v.y * DT);
    }
    way
}
