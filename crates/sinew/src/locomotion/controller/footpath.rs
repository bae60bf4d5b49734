//! The ground under a character as a slope, and what is left of it over that.

use glam::{DQuat, DVec2, DVec3};

use super::super::warp::SlopeWarp;
use crate::{Ground, GroundHit};

/// Steeper than this (metres up a metre) a slope is not followed.
const STEEPEST: f64 = 1.0;

/// A plane under the character that follows the ground.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Footpath {
    /// World height under the capsule.
    pub(super) height: f64,
    /// Metres up a metre along x and z.
    slope: DVec2,
    started: bool,
}

impl Footpath {
    /// Looks at the ground about a place, `reach` metres to each side, and comes half of the way to its slope in
    /// `half_life` seconds.
    pub(super) fn follow(&mut self, ground: &dyn Ground, at: DVec2, reach: f64, half_life: f64, dt: f64) {
        let here = DVec3::new(at.x, self.height, at.y);
        let height = |by: DVec3| ground.cast(here + by).map(|hit| hit.height).filter(|h| h.is_finite());
        // Over nothing the last ground goes on.
        self.height = height(DVec3::ZERO).unwrap_or(self.height);
        let rise = |by: DVec3| match (height(by), height(-by)) {
            (Some(there), Some(back)) => ((there - back) / (2.0 * reach)).clamp(-STEEPEST, STEEPEST),
            _ => 0.0,
        };
        let slope = DVec2::new(rise(DVec3::X * reach), rise(DVec3::Z * reach));
        let share = if self.started { 1.0 - libm::exp2(-dt / half_life.max(1e-6)) } else { 1.0 };
        self.started = true;
        self.slope += (slope - self.slope) * share;
        if self.slope.length() < 1e-6 {
            self.slope = DVec2::ZERO;
        }
    }

    fn normal(&self) -> DVec3 {
        DVec3::new(-self.slope.x, 1.0, -self.slope.y).normalize()
    }

    /// The warp that brings level feet onto it; nothing where it is level.
    pub(super) fn warp(&self, tilt: f64) -> Option<SlopeWarp> {
        (self.slope != DVec2::ZERO).then(|| SlopeWarp { normal_ms: self.normal(), tilt })
    }
}

/// The ground less the plane under a character at a place: what feet that are on the plane still have to do.
pub(super) struct OverPath<'a> {
    pub(super) ground: &'a dyn Ground,
    pub(super) path: Footpath,
    /// The place, before the ground moved.
    pub(super) at: DVec2,
    /// How far the ground has moved.
    pub(super) moved: DVec2,
}

impl Ground for OverPath<'_> {
    fn cast(&self, at_ws: DVec3) -> Option<GroundHit> {
        let hit = self.ground.cast(at_ws + DVec3::new(self.moved.x, 0.0, self.moved.y))?;
        let rise = self.path.slope.dot(DVec2::new(at_ws.x, at_ws.z) - self.at);
        let normal = DQuat::from_rotation_arc(self.path.normal(), DVec3::Y) * hit.normal;
        Some(GroundHit { height: hit.height - rise, normal })
    }
}
