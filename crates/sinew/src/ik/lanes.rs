//! Rotations of eight lanes from directions, without trigonometry.
#![allow(
    clippy::needless_range_loop,
    reason = "kernels use plain indices: an iterator over vectors does not take on the processor feature"
)]

use crate::transition::rotation::{Quats, Vectors, dot4};
use crate::wide::{Floats, Simd};

#[inline(always)]
pub(super) fn cross<S: Simd>(_: S, a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The rotation whose matrix has these columns, not of unit length, and the square of its length. Of the four
/// ways to write it, the one with the longest result is taken (Shepperd 1978).
#[inline(always)]
pub(super) fn of_columns<S: Simd>(s: S, x: Vectors<S>, y: Vectors<S>, z: Vectors<S>) -> (Quats<S>, S::F) {
    let one = s.splat(1.0);
    let (sum, difference) = (y[1] + z[2], y[1] - z[2]);
    let (up, down) = (one + x[0], one - x[0]);
    let (tw, tx) = (up + sum, up - sum);
    let (ty, tz) = (down + difference, down - difference);
    let (yz, zy) = (z[1] + y[2], y[2] - z[1]);
    let (zx, xz) = (z[0] + x[2], z[0] - x[2]);
    let (xy, yx) = (x[1] + y[0], x[1] - y[0]);
    let by_w = [zy, xz, yx, tw];
    let by_x = [tx, xy, zx, zy];
    let by_y = [xy, ty, yz, xz];
    let by_z = [zx, yz, tz, yx];
    let (w_or_x, y_or_z) = (tw.gt(tx), ty.gt(tz));
    let (first, second) = (tw.max(tx), ty.max(tz));
    let either = first.gt(second);
    let mut q = by_w;
    for i in 0..4 {
        q[i] = by_w[i].select(w_or_x, by_x[i]).select(either, by_y[i].select(y_or_z, by_z[i]));
    }
    let four = s.splat(4.0);
    (q, four * first.max(second))
}

/// Half of the angle with the given cosine and sine times `length`, the sine not negative: `(sin, cos)` not
/// of unit length, and the square of that. Precise next to 0 and next to half a turn.
#[inline(always)]
fn half<S: Simd>(s: S, cos: S::F, sin: S::F, length: S::F) -> (S::F, S::F, S::F) {
    let forward = cos.gt(s.splat(0.0));
    let (c, d) = ((length + cos).select(forward, sin), sin.select(forward, length - cos));
    (d, c, c * c + d * d)
}

/// `q` after a turn about its +Z by the angle with cosine and sine times `length`; squared lengths multiply.
#[inline(always)]
pub(super) fn half_turn<S: Simd>(s: S, q: Quats<S>, cos: S::F, sin: S::F, length: S::F) -> (Quats<S>, S::F) {
    let (z, w, size) = half(s, cos, sin, length);
    ([q[0] * w + q[1] * z, q[1] * w - q[0] * z, q[2] * w + q[3] * z, q[3] * w - q[2] * z], size)
}

/// The same by the opposite angle.
#[inline(always)]
pub(super) fn half_turn_back<S: Simd>(
    s: S,
    q: Quats<S>,
    cos: S::F,
    sin: S::F,
    length: S::F,
) -> (Quats<S>, S::F) {
    let (z, w, size) = half(s, cos, sin, length);
    ([q[0] * w - q[1] * z, q[1] * w + q[0] * z, q[2] * w - q[3] * z, q[3] * w + q[2] * z], size)
}

/// Bit `i` is set where lane `i` is above `least`; NaN is not.
#[inline(always)]
pub(super) fn above<S: Simd>(s: S, v: S::F, least: S::F) -> u8 {
    s.bits(v.gt(least))
}

/// Bit `i` is set where a quaternion is of unit length.
#[inline(always)]
pub(super) fn unit<S: Simd>(s: S, q: Quats<S>) -> u8 {
    let squared = dot4(s, q, q);
    above(s, squared, s.splat(0.999)) & above(s, s.splat(1.001), squared)
}

/// `q` after a turn about its +Y by the angle with this cosine and sine; not of unit length.
#[inline(always)]
pub(super) fn half_turn_y<S: Simd>(s: S, q: Quats<S>, cos: S::F, sin: S::F) -> Quats<S> {
    let (y, w) = signed_half(s, cos, sin);
    [q[0] * w - q[2] * y, q[1] * w + q[3] * y, q[2] * w + q[0] * y, q[3] * w - q[1] * y]
}

/// `q` after a turn about its +X by the opposite of the angle with this cosine and sine; not of unit length.
#[inline(always)]
pub(super) fn half_turn_x_back<S: Simd>(s: S, q: Quats<S>, cos: S::F, sin: S::F) -> Quats<S> {
    let (x, w) = signed_half(s, cos, sin);
    [q[0] * w - q[3] * x, q[1] * w - q[2] * x, q[2] * w + q[1] * x, q[3] * w + q[0] * x]
}

/// Sine and cosine of half an angle, not of unit length.
#[inline(always)]
pub(super) fn signed_half<S: Simd>(s: S, cos: S::F, sin: S::F) -> (S::F, S::F) {
    let zero = s.splat(0.0);
    let (d, c, _) = half(s, cos, sin.max(zero - sin), s.splat(1.0));
    (d.flip_sign(sin), c)
}

/// A vector turned by a unit quaternion.
#[inline(always)]
pub(super) fn turned<S: Simd>(s: S, q: Quats<S>, v: Vectors<S>) -> Vectors<S> {
    let axis = [q[0], q[1], q[2]];
    let t = cross(s, axis, v);
    let t = [t[0] + t[0], t[1] + t[1], t[2] + t[2]];
    let u = cross(s, axis, t);
    [v[0] + q[3] * t[0] + u[0], v[1] + q[3] * t[1] + u[1], v[2] + q[3] * t[2] + u[2]]
}

#[inline(always)]
pub(super) fn conj<S: Simd>(s: S, q: Quats<S>) -> Quats<S> {
    let zero = s.splat(0.0);
    [zero - q[0], zero - q[1], zero - q[2], q[3]]
}

#[inline(always)]
pub(super) fn add3<S: Simd>(_: S, a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn select3<S: Simd>(_: S, mask: S::M, a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0].select(mask, b[0]), a[1].select(mask, b[1]), a[2].select(mask, b[2])]
}

#[inline(always)]
pub(super) fn select4<S: Simd>(_: S, mask: S::M, a: Quats<S>, b: Quats<S>) -> Quats<S> {
    [a[0].select(mask, b[0]), a[1].select(mask, b[1]), a[2].select(mask, b[2]), a[3].select(mask, b[3])]
}
