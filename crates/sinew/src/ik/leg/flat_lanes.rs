//! Eight legs in their planes: `r` outward from the yaw axis, `y` along it.

use super::group::{LegGroup, Search};
use super::search::{NEAR, SCAN, STRETCHED, WIDE_SCAN};
use crate::ik::angle_lanes::{atan2, sin_cos};
use crate::ik::lanes::above;
use crate::wide::{Floats, Simd};

/// Metres below which there is no direction.
const TINY: f32 = 1e-6;
/// Halvings of the distance between two tilts: below, single precision sees no difference in cost.
const HALVINGS: usize = 5;
/// More than can be broken.
const ALL_BROKEN: f32 = 3.0;

/// All that does not depend on the tilt.
pub(super) struct Plane<S: Simd> {
    pub(super) yaw: S::F,
    /// Of the ball joint.
    pub(super) ball: [S::F; 2],
    /// The foot's downward axis: outward, along the axis, sideways.
    pub(super) down: [S::F; 3],
    pub(super) previous: S::F,
    /// Weight of change; 0 where nothing goes on.
    pub(super) continuity: S::F,
    /// Tilts to look between.
    pub(super) low: S::F,
    pub(super) high: S::F,
    /// Lanes that go on from a previous tilt.
    pub(super) known: u8,
}

/// A tilt and what comes of it.
pub(super) struct Flat<S: Simd> {
    /// Directions of the segments as cosine and sine.
    pub(super) upper: [S::F; 2],
    pub(super) lower: [S::F; 2],
    pub(super) ankle: [S::F; 2],
    /// Hip, knee, ankle and foot.
    pub(super) angles: [S::F; 4],
    pub(super) reach: S::F,
    pub(super) margin: S::F,
    pub(super) joint: S::F,
    pub(super) clearance: S::F,
    /// What upper and lower lack; not above 0 where they span the way.
    missing: S::F,
}

impl<S: Simd> Flat<S> {
    #[inline(always)]
    pub(super) fn at(s: S, group: &LegGroup, plane: &Plane<S>, phi: S::F) -> Self {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        let (coxa, a) = (s.load(&group.lengths[0]), s.load(&group.lengths[1]));
        let (b, tip) = (s.load(&group.lengths[2]), s.load(&group.lengths[3]));
        let (sin, cos) = sin_cos(s, phi);
        // The ankle as seen from the hip.
        let ankle = [plane.ball[0] - tip * sin - coxa, plane.ball[1] + tip * cos];
        let distance = (ankle[0] * ankle[0] + ankle[1] * ankle[1]).sqrt();
        let nearest = (a - b).max(b - a).max(s.splat(TINY));
        let missing = (distance - (a + b)).max(nearest - distance);
        let spanned = distance.max(s.splat(TINY));
        // Foot of the knee on the line from hip to ankle, and its height above; the knee is always above.
        let along = ((a - b) * (a + b) + spanned * spanned) / (spanned + spanned);
        let height = ((a - along) * (a + along)).max(zero).sqrt();
        let inverse = one / spanned;
        let (ur, uy) = (ankle[0] * inverse, ankle[1] * inverse);
        let knee = [ur * along - uy * height, uy * along + ur * height];
        let shank = [ankle[0] - knee[0], ankle[1] - knee[1]];
        let hip_angle = atan2(s, knee[1], knee[0]);
        let lower_angle = atan2(s, shank[1], shank[0]);
        let knee_angle = wrap(s, lower_angle - hip_angle);
        let ankle_angle = wrap(s, phi - s.splat(core::f32::consts::FRAC_PI_2) - lower_angle);
        let [out, up, aside] = plane.down;
        let turned = sin * up + cos * out;
        let foot_angle = atan2(s, (aside * aside + turned * turned).sqrt(), sin * out - cos * up);

        let angles = [hip_angle, knee_angle, ankle_angle, foot_angle];
        let (mut margin, mut joint) = (gap(s, plane.yaw, &group.limits[0]), zero);
        for i in 0..4 {
            let here = gap(s, angles[i], &group.limits[i + 1]);
            let nearer = margin.gt(here);
            margin = here.select(nearer, margin);
            joint = s.splat((i + 1) as f32).select(nearer, joint);
        }
        let root = [zero - coxa, zero];
        let (hip, ball) = ([zero, zero], [plane.ball[0] - coxa, plane.ball[1]]);
        let radius = [s.load(&group.radii[0]), s.load(&group.radii[1])];
        let [lower_radius, ankle_radius] = [s.load(&group.radii[2]), s.load(&group.radii[3])];
        // Neighbours share a joint.
        let first = apart(s, [root, hip], [knee, ankle]) - radius[0] - lower_radius;
        let second = apart(s, [root, hip], [ankle, ball]) - radius[0] - ankle_radius;
        let third = apart(s, [hip, knee], [ankle, ball]) - radius[1] - ankle_radius;
        let (by_a, by_b) = (one / a, one / b);
        Self {
            upper: [knee[0] * by_a, knee[1] * by_a],
            lower: [shank[0] * by_b, shank[1] * by_b],
            ankle: [sin, zero - cos],
            angles,
            reach: distance / (a + b),
            margin,
            joint,
            clearance: first.min(second).min(third),
            missing,
        }
    }
}

/// Into -pi to pi, for differences of two such angles.
#[inline(always)]
fn wrap<S: Simd>(s: S, angle: S::F) -> S::F {
    let (half, turn) = (s.splat(core::f32::consts::PI), s.splat(core::f32::consts::TAU));
    let down = (angle - turn).select(angle.gt(half), angle);
    (angle + turn).select((s.splat(0.0) - half).gt(angle), down)
}

/// To the nearer end of a range.
#[inline(always)]
fn gap<S: Simd>(s: S, angle: S::F, [least, greatest]: &[[f32; 8]; 2]) -> S::F {
    (angle - s.load(least)).min(s.load(greatest) - angle)
}

/// Shortest distance between two segments of a plane, as
/// [`segment_distance`](crate::ik::segment_distance).
#[inline(always)]
fn apart<S: Simd>(s: S, a: [[S::F; 2]; 2], b: [[S::F; 2]; 2]) -> S::F {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let u = [a[1][0] - a[0][0], a[1][1] - a[0][1]];
    let v = [b[1][0] - b[0][0], b[1][1] - b[0][1]];
    let w = [a[0][0] - b[0][0], a[0][1] - b[0][1]];
    let (uu, vv) = (u[0] * u[0] + u[1] * u[1], v[0] * v[0] + v[1] * v[1]);
    let (uv, uw) = (u[0] * v[0] + u[1] * v[1], u[0] * w[0] + u[1] * w[1]);
    let vw = v[0] * w[0] + v[1] * w[1];
    // Lines of a plane cross, unless they are parallel; then any point of the first does.
    let spread = u[0] * v[1] - u[1] * v[0];
    let crosses = (spread * spread).gt(s.splat(1e-10) * uu * vv);
    let at = (v[0] * w[1] - v[1] * w[0]) / spread.select(crosses, one);
    let at = at.max(zero).min(one).select(crosses, zero);
    let is_long = vv.gt(zero);
    let other = ((uv * at + vw) / vv.select(is_long, one)).select(is_long, zero);
    let clamped = other.max(zero).min(one);
    let has_length = uu.gt(zero);
    let back = ((uv * clamped - uw) / uu.select(has_length, one)).max(zero).min(one);
    let back = back.select(has_length, zero);
    // Where the other point stayed, so does the first.
    let stays = s.bits(clamped.gt(other)) | s.bits(other.gt(clamped)) | !s.bits(is_long);
    let at = back.select(s.mask(stays), at);
    let way = [w[0] + u[0] * at - v[0] * clamped, w[1] + u[1] * at - v[1] * clamped];
    (way[0] * way[0] + way[1] * way[1]).sqrt()
}

/// A tilt and what it costs.
#[derive(Clone, Copy)]
pub(super) struct Tilt<S: Simd> {
    pub(super) phi: S::F,
    /// How many of limits and gaps are broken.
    broken: S::F,
    cost: S::F,
    missing: S::F,
}

impl<S: Simd> Tilt<S> {
    /// As the search of one leg does it. Where upper and lower do not span the way, more is broken than can
    /// be.
    #[inline(always)]
    fn at(s: S, group: &LegGroup, search: &Search, plane: &Plane<S>, phi: S::F) -> Self {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        let flat = Flat::at(s, group, plane, phi);
        let broken = one.select(zero.gt(flat.margin), zero) + one.select(zero.gt(flat.clearance), zero);
        let (away, change) = (phi - s.splat(search.rest), phi - plane.previous);
        let stretched = (flat.reach - s.splat(search.reach)).max(zero);
        let to_limit = (s.splat(search.margin) - flat.margin).max(zero);
        let to_itself = (s.splat(search.clearance) - flat.clearance).max(zero);
        let cost = away * away
            + s.splat(STRETCHED as f32) * stretched * stretched
            + s.splat(NEAR as f32) * (to_limit * to_limit)
            + s.splat(NEAR as f32) * (to_itself * to_itself)
            + plane.continuity * (change * change);
        let fails = flat.missing.gt(zero);
        Self { phi, broken: s.splat(ALL_BROKEN).select(fails, broken), cost, missing: flat.missing }
    }

    /// The better one; of two the same, the first.
    #[inline(always)]
    fn or(self, s: S, other: Self) -> Self {
        let fewer = s.bits(self.broken.gt(other.broken));
        let more = s.bits(other.broken.gt(self.broken));
        let better = fewer | !more & s.bits(self.cost.gt(other.cost));
        self.or_in(s, other, better)
    }

    #[inline(always)]
    fn or_in(self, s: S, other: Self, lanes: u8) -> Self {
        let is_other = s.mask(lanes);
        Self {
            phi: other.phi.select(is_other, self.phi),
            broken: other.broken.select(is_other, self.broken),
            cost: other.cost.select(is_other, self.cost),
            missing: other.missing.select(is_other, self.missing),
        }
    }

    /// The tilt of least cost, the lanes where there is one, and the least distance that is missing.
    #[inline(always)]
    pub(super) fn chosen(s: S, group: &LegGroup, search: &Search, plane: &Plane<S>) -> (Self, u8, S::F) {
        let (zero, half) = (s.splat(0.0), s.splat(0.5));
        let (low, high) = (plane.low, plane.high);
        // Lanes that go on are through after the narrow scan: from its end on all tilts are the same one.
        let scan = if plane.known == 0xff { SCAN } else { WIDE_SCAN };
        let wide = s.splat(1.0 / (WIDE_SCAN - 1) as f32);
        let narrow = s.splat(1.0 / (SCAN - 1) as f32);
        let mut step = (high - low) * narrow.select(s.mask(plane.known), wide);
        let mut best = Self::at(s, group, search, plane, low);
        let mut missing = best.missing;
        for k in 1..scan {
            let mut phi = (low + step * s.splat(k as f32)).min(high);
            if k >= SCAN - 1 {
                phi = high.select(s.mask(plane.known), phi);
            }
            let next = Self::at(s, group, search, plane, phi);
            missing = next.missing.min(missing);
            best = best.or(s, next);
        }
        let found = above(s, s.splat(ALL_BROKEN - 0.5), best.broken);
        for _ in 0..HALVINGS {
            step = step * half;
            let before = Self::at(s, group, search, plane, (best.phi - step).max(low).min(high));
            best = best.or(s, before);
            let after = Self::at(s, group, search, plane, (best.phi + step).max(low).min(high));
            best = best.or(s, after);
        }
        let left = Self::at(s, group, search, plane, best.phi - step);
        let right = Self::at(s, group, search, plane, best.phi + step);
        let bend = left.cost + right.cost - (best.cost + best.cost);
        let is_bent = bend.gt(zero);
        let by = half * step * (left.cost - right.cost) / bend.select(is_bent, s.splat(1.0));
        let vertex = Self::at(s, group, search, plane, best.phi + by);
        let spans = s.splat(ALL_BROKEN - 0.5);
        let fits = s.bits(is_bent)
            & above(s, spans, left.broken)
            & above(s, spans, right.broken)
            & !above(s, low, vertex.phi)
            & !above(s, vertex.phi, high)
            & !s.bits(vertex.broken.gt(best.broken))
            & !(s.bits(vertex.cost.gt(best.cost)) & !s.bits(best.broken.gt(vertex.broken)));
        (best.or_in(s, vertex, fits), found, missing)
    }
}
