//! Measured distance keys of a run start and a run stop, metres, and the movers they are played against.
#![allow(dead_code, reason = "each test file uses its part")]

use glam::DVec2;
use sinew::{DistanceCurve, DistanceKind, GroundMover, Mover, SplitSettings};

/// Seconds a frame.
pub(crate) const DT: f64 = 1.0 / 60.0;

/// Magnitudes as a bake without signs has them: 16 keys of a run start, centimetres.
#[allow(clippy::approx_constant, reason = "a measured 6.28 cm has nothing to do with a circle")]
pub(crate) const START_CM: [f64; 16] =
    [0.0, 0.55, 1.90, 3.60, 5.20, 6.28, 6.48, 5.27, 3.86, 10.74, 23.17, 39.34, 59.19, 82.11, 109.09, 125.06];

/// Every second key of a run stop, centimetres; those between are [`stop_keys`]'s.
pub(crate) const STOP_CM: [f64; 21] = [
    -166.35, -145.51, -125.61, -107.03, -88.54, -67.30, -48.62, -36.00, -26.86, -20.89, -16.27, -12.09,
    -8.72, -6.25, -4.35, -2.85, -1.72, -0.90, -0.38, -0.12, 0.0,
];

pub(crate) fn times(count: usize) -> Vec<f64> {
    (0..count).map(|i| i as f64 / 30.0).collect()
}

/// Unsigned, metres.
pub(crate) fn start_magnitudes() -> Vec<f64> {
    START_CM.iter().map(|d| 0.01 * d).collect()
}

/// What the root really does: it leans back before it pushes off. `negative` keys lie behind.
pub(crate) fn start_signed(negative: usize) -> Vec<f64> {
    START_CM.iter().enumerate().map(|(i, d)| if i < negative { -0.01 * d } else { 0.01 * d }).collect()
}

pub(crate) fn stop_keys() -> Vec<f64> {
    STOP_CM.iter().map(|d| 0.01 * d).collect()
}

pub(crate) fn start_curve() -> DistanceCurve {
    let signed = start_signed(8);
    DistanceCurve::from_keys("distance", DistanceKind::Start, &times(16), &signed, &SplitSettings::default())
        .unwrap()
}

pub(crate) fn stop_curve(keys: &[f64]) -> DistanceCurve {
    DistanceCurve::from_keys(
        "distance",
        DistanceKind::Stop,
        &times(keys.len()),
        keys,
        &SplitSettings::default(),
    )
    .unwrap()
}

/// 6 m/s top speed, 20.48 m/s2.
pub(crate) fn mover(friction: f64, braking: f64) -> GroundMover {
    GroundMover {
        max_speed: 6.0,
        acceleration: 20.48,
        friction: 8.0,
        braking_friction: friction,
        braking,
        sub_step: 1.0 / 33.0,
        stop_speed: 0.1,
    }
}

/// Metres after each frame of getting up to speed, the first 0.
pub(crate) fn run_up(frames: usize) -> Vec<f64> {
    let (mut v, mut x) = (DVec2::ZERO, 0.0);
    let mut path = vec![0.0];
    for _ in 0..frames {
        v = mover(0.0, 20.48).step(v, DVec2::Y, DT);
        x += v.y * DT;
        path.push(x);
    }
    path
}

/// Metres after each frame of braking from 6 m/s to a stand, the first 0.
pub(crate) fn braking(mover: &GroundMover) -> Vec<f64> {
    let (mut v, mut x) = (DVec2::new(0.0, 6.0), 0.0);
    let mut path = vec![0.0];
    while v.y > 0.0 {
        v = mover.step(v, DVec2::ZERO, DT);
        x += v.y * DT;
        path.push(x);
    }
    path
}

/// The slope-preserving cubic through the signed keys, for the true place of the root.
pub(crate) struct Root {
    curve: DistanceCurve,
}

impl Root {
    pub(crate) fn new(kind: DistanceKind, signed: &[f64]) -> Self {
        let settings = SplitSettings { samples_per_key: 32, ..SplitSettings::default() };
        let curve = DistanceCurve::from_keys("root", kind, &times(signed.len()), signed, &settings).unwrap();
        Self { curve }
    }

    /// Metres along the way of travel.
    pub(crate) fn at(&self, time: f64) -> f64 {
        self.curve.signed_at(time)
    }
}
