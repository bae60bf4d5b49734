//! The way of a root over the ground, where it is a curve.

use core::f64::consts::TAU;

use glam::DVec2;

/// Metres on either side by which the direction of a curve is told, as a share of its length.
const NEAR: f64 = 0.05;

/// A point of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct WayPoint {
    /// Seconds.
    pub(in super::super) time: f64,
    /// Metres, increasing.
    pub(in super::super) distance: f64,
    /// Where, model space (x, z).
    pub(in super::super) at: DVec2,
    /// Which way it goes, radians about +Y from +Z, without jumps.
    pub(in super::super) yaw: f64,
}

/// Whether points lie along the line from the first to the last, but for a share of its length; a circle has no such
/// line.
pub(super) fn is_straight(points: &[DVec2], length: f64, straight: f64) -> bool {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return true };
    let chord = *last - *first;
    let way = chord.normalize_or_zero();
    let off = |point: &DVec2| way.perp_dot(*point - *first).abs();
    chord.length() > 0.5 * length && points.iter().all(|point| off(point) <= straight * chord.length())
}

/// The way through points at these moments and distances; nothing where it is straight.
pub(super) fn curved_way(keys: impl Iterator<Item = (f64, f64, DVec2)>, straight: f64) -> Vec<WayPoint> {
    let mut all: Vec<WayPoint> = Vec::new();
    for (time, distance, at) in keys {
        // A body that stands or leans back has no direction of its own.
        if all.last().is_none_or(|last| distance - last.distance > 1e-4) {
            all.push(WayPoint { time, distance, at, yaw: 0.0 });
        }
    }
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return all };
    let length = last.distance - first.distance;
    let points: Vec<DVec2> = all.iter().map(|point| point.at).collect();
    if all.len() < 3 || is_straight(&points, length, straight) {
        return Vec::new();
    }
    let mut before = None;
    for i in 0..all.len() {
        let here = all[i].distance;
        let from = all.partition_point(|b| b.distance < here - NEAR * length);
        let to = all.partition_point(|b| b.distance <= here + NEAR * length) - 1;
        // Of points far apart, the neighbours.
        let (from, to) =
            if from == to { (i.saturating_sub(1), (i + 1).min(all.len() - 1)) } else { (from, to) };
        let way = all[to].at - all[from].at;
        let yaw = libm::atan2(way.x, way.y);
        let near = before.unwrap_or(yaw);
        all[i].yaw = yaw - ((yaw - near) / TAU).round() * TAU;
        before = Some(all[i].yaw);
    }
    all
}

/// Where a way is at a distance, and which way it goes there; held at its ends.
///
/// # Panics
/// Where there are not two points.
pub(in super::super) fn along(way: &[WayPoint], distance: f64) -> (DVec2, f64) {
    let next = way.partition_point(|p| p.distance < distance).clamp(1, way.len() - 1);
    let (a, b) = (&way[next - 1], &way[next]);
    let share = ((distance - a.distance) / (b.distance - a.distance)).clamp(0.0, 1.0);
    (a.at.lerp(b.at, share), a.yaw + (b.yaw - a.yaw) * share)
}

/// The direction of a yaw, (x, z).
pub(in super::super) fn direction(yaw: f64) -> DVec2 {
    let (sin, cos) = libm::sincos(yaw);
    DVec2::new(sin, cos)
}
