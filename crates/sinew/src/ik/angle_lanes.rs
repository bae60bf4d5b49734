//! Eight angles as cosine and sine, their ranges, and the few functions of angles that lanes need.
//!
//! Only operations that round the same everywhere: ranges are kept by cosine and sine, angles themselves come
//! from polynomials.

use crate::wide::{Floats, Ints, Simd};

/// Eight angles as cosine, sine and a number that grows with the angle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Ends {
    cos: [f32; 8],
    sin: [f32; 8],
    rank: [f32; 8],
}

impl Ends {
    /// Below every angle.
    pub(super) const LEAST: Self = Self { cos: [-1.0; 8], sin: [-0.0; 8], rank: [-2.0; 8] };
    /// Above every angle.
    pub(super) const GREATEST: Self = Self { cos: [-1.0; 8], sin: [0.0; 8], rank: [2.0; 8] };

    /// An angle within -pi to pi, radians.
    pub(super) fn set(&mut self, lane: usize, angle: f64) {
        let (sin, cos) = libm::sincos(angle);
        (self.cos[lane], self.sin[lane]) = (cos as f32, sin as f32);
        // Grows from -2 at -pi to 2 at pi; next to linear round 0.
        let part = sin.abs() / (cos.abs() + sin.abs());
        let part = if cos < 0.0 { 2.0 - part } else { part };
        self.rank[lane] = if angle < 0.0 { -part } else { part } as f32;
    }
}

/// An angle as cosine and sine.
#[derive(Clone, Copy)]
pub(super) struct Angle<S: Simd> {
    pub(super) cos: S::F,
    pub(super) sin: S::F,
}

#[inline(always)]
fn rank<S: Simd>(s: S, angle: Angle<S>) -> S::F {
    let zero = s.splat(0.0);
    let size = angle.sin.max(zero - angle.sin);
    let part = size / (angle.cos.max(zero - angle.cos) + size);
    let part = (s.splat(2.0) - part).select(zero.gt(angle.cos), part);
    part.flip_sign(angle.sin)
}

/// Held between two ends: the angle, the lanes that were below or above, and the bits of those.
#[inline(always)]
pub(super) fn hold<S: Simd>(s: S, angle: Angle<S>, least: &Ends, greatest: &Ends) -> (Angle<S>, u8) {
    let rank = rank(s, angle);
    let (low, high) = (s.load(&least.rank).gt(rank), rank.gt(s.load(&greatest.rank)));
    let held = Angle {
        cos: s.load(&least.cos).select(low, s.load(&greatest.cos).select(high, angle.cos)),
        sin: s.load(&least.sin).select(low, s.load(&greatest.sin).select(high, angle.sin)),
    };
    (held, s.bits(low) | s.bits(high))
}

/// The angle, or the end of the range that is nearer round the circle; bits of the lanes that are outside, or
/// within `slack` (in ranks: 0.5 to 1 of a radian) of an end. `HALF`: the angles are half ones, of
/// quaternions of either sign, so that the circle is pi round.
#[inline(always)]
pub(super) fn hold_round<S: Simd, const HALF: bool>(
    s: S,
    angle: Angle<S>,
    least: &Ends,
    greatest: &Ends,
    slack: S::F,
) -> (Angle<S>, u8) {
    let rank = rank(s, angle);
    let low = s.bits((s.load(&least.rank) + slack).gt(rank));
    let high = s.bits(rank.gt(s.load(&greatest.rank) - slack));
    let out = low | high;
    let (low_cos, low_sin) = (s.load(&least.cos), s.load(&least.sin));
    let (high_cos, high_sin) = (s.load(&greatest.cos), s.load(&greatest.sin));
    let mut to_low = angle.cos * low_cos + angle.sin * low_sin;
    let mut to_high = angle.cos * high_cos + angle.sin * high_sin;
    if HALF {
        let zero = s.splat(0.0);
        to_low = to_low.max(zero - to_low);
        to_high = to_high.max(zero - to_high);
    }
    let (is_out, by_high) = (s.mask(out), to_high.gt(to_low));
    let held = Angle {
        cos: high_cos.select(by_high, low_cos).select(is_out, angle.cos),
        sin: high_sin.select(by_high, low_sin).select(is_out, angle.sin),
    };
    (held, out)
}

/// Angle of the direction (x, y) from +X, radians, -pi to pi, to 3e-7; 0 where both are 0.
///
/// The smaller over the larger, above tan(pi / 8) turned back by 45 degrees, then Moshier's polynomial
/// (Cephes, atanf).
#[inline(always)]
pub(super) fn atan2<S: Simd>(s: S, y: S::F, x: S::F) -> S::F {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let (height, width) = (y.max(zero - y), x.max(zero - x));
    let (small, large) = (height.min(width), height.max(width));
    let turned = small.gt(large * s.splat(0.414_213_56));
    let above = (small - large).select(turned, small);
    let below = (small + large).select(turned, large);
    let t = above / below.select(below.gt(zero), one);
    let z = t * t;
    let p = s.splat(8.053_744_5e-2) * z - s.splat(1.387_768_6e-1);
    let p = p * z + s.splat(1.997_771_1e-1);
    let p = p * z - s.splat(3.333_295e-1);
    let part = p * z * t + t;
    let part = (part + s.splat(core::f32::consts::FRAC_PI_4)).select(turned, part);
    let part = (s.splat(core::f32::consts::FRAC_PI_2) - part).select(height.gt(width), part);
    let part = (s.splat(core::f32::consts::PI) - part).select(zero.gt(x), part);
    part.flip_sign(y)
}

/// Sine and cosine to 2e-7 of an angle up to some thousand radians: the quarters of a turn are taken off,
/// then Moshier's polynomials (Cephes, sinf and cosf).
#[inline(always)]
pub(super) fn sin_cos<S: Simd>(s: S, angle: S::F) -> (S::F, S::F) {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let turns = angle * s.splat(core::f32::consts::FRAC_2_PI);
    let quarter = turns.round_to_int().to_float();
    // A quarter of a turn in three parts, the first two exact after multiplication.
    let x = angle - quarter * s.splat(1.570_312_5);
    let x = x - quarter * s.splat(4.837_513e-4);
    let x = x - quarter * s.splat(7.549_79e-8);
    let z = x * x;
    let p = s.splat(-1.951_529_6e-4) * z + s.splat(8.332_161e-3);
    let p = p * z - s.splat(1.666_665_5e-1);
    let sin = p * z * x + x;
    let p = s.splat(2.443_315_7e-5) * z - s.splat(1.388_731_6e-3);
    let p = p * z + s.splat(4.166_664_6e-2);
    let cos = p * z * z - s.splat(0.5) * z + one;
    // Quarters modulo 4, -2 to 2; odd ones swap the two.
    let round = (quarter * s.splat(0.25)).round_to_int().to_float();
    let rest = quarter - round * s.splat(4.0);
    let size = rest.max(zero - rest);
    let odd = s.bits(size.gt(s.splat(0.5))) & s.bits(s.splat(1.5).gt(size));
    let odd = s.mask(odd);
    let (a, b) = (cos.select(odd, sin), sin.select(odd, cos));
    // 1: sin = cos x, cos = -sin x; -1: sin = -cos x, cos = sin x; 2 and -2: both turned.
    let half = size.gt(s.splat(1.5));
    let minus = s.splat(-1.0);
    let sin_sign = minus.select(half, rest.select(odd, one));
    let cos_sign = minus.select(half, (zero - rest).select(odd, one));
    (a * sin_sign, b * cos_sign)
}
