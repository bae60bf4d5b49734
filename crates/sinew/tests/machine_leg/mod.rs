//! Legs of a machine 10 m tall: what tests and benchmarks of the leg solvers stand on.
#![allow(dead_code, reason = "each test and benchmark takes what it needs")]

use glam::{DQuat, DVec3};
use sinew::{DTransform, LegGeometry, LegLimits, LegTarget};

/// Directions of six legs from the middle, radians about +Y from +Z.
pub(crate) const MOUNTS: [f64; 6] = [0.6, 1.57, 2.54, -0.6, -1.57, -2.54];

/// A leg whose hip is 2.2 m from the middle.
pub(crate) fn leg(mount: f64) -> LegGeometry {
    let (sin, cos) = libm::sincos(mount);
    LegGeometry {
        hip: DVec3::new(2.2 * sin, 0.0, 2.2 * cos),
        axis: DVec3::Y,
        outward: DVec3::new(sin, 0.0, cos),
        coxa: 0.9,
        upper: 5.6,
        lower: 6.2,
        ankle: 2.0,
        foot: 0.6,
        radii: [0.5, 0.4, 0.35, 0.3],
        limits: LegLimits {
            yaw: [-0.9, 0.9],
            hip: [-0.3, 1.5],
            knee: [-2.7, -0.35],
            ankle: [-0.6, 2.6],
            foot: [0.0, 1.2],
        },
    }
}

/// On the ground straight out from the hip, 7.2 m from the middle.
pub(crate) fn anchor(mount: f64) -> LegTarget {
    let (sin, cos) = libm::sincos(mount);
    LegTarget { sole: DVec3::new(7.2 * sin, 0.0, 7.2 * cos), foot: DQuat::from_rotation_y(mount) }
}

/// A body 9 m up that sways over its feet, one sample after the other; it begins level.
pub(crate) fn swaying(sample: usize) -> DTransform {
    let t = sample as f64 * 0.05;
    let turned =
        DQuat::from_rotation_x(0.1 * libm::sin(t)) * DQuat::from_rotation_y(0.1 * libm::sin(0.7 * t));
    DTransform::from_rotation_translation(turned, DVec3::new(0.0, 9.0 - 0.5 * libm::sin(t), 0.0))
}
