//! Measured keys of a run start and a run stop, shared with the tests of the audit and of the command.

/// Magnitudes of a run start as a bake without signs keeps them, centimetres at 30 keys a second.
#[allow(clippy::approx_constant, reason = "one of the measured centimetres is near a circle's ratio")]
pub(crate) const START_CM: [f64; 16] =
    [0.0, 0.55, 1.90, 3.60, 5.20, 6.28, 6.48, 5.27, 3.86, 10.74, 23.17, 39.34, 59.19, 82.11, 109.09, 125.06];
/// A run stop, centimetres to go. Every second key is measured, those between lie on the slope-preserving cubic.
pub(crate) const STOP_CM: [f64; 21] = [
    -166.35, -145.51, -125.61, -107.028, -88.54, -67.296, -48.62, -36.0, -26.86, -20.886, -16.27, -12.085,
    -8.72, -6.253, -4.35, -2.846, -1.72, -0.902, -0.38, -0.116, 0.0,
];
