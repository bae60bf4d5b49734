//! Eight rotations at a time, without trigonometry.

use crate::wide::{Floats, Simd};

/// Eight quaternions, XYZW.
pub(crate) type Quats<S> = [<S as Simd>::F; 4];
/// Eight vectors.
pub(crate) type Vectors<S> = [<S as Simd>::F; 3];

/// Squared length below which there is no direction.
const NOTHING: f32 = 1e-30;

#[inline(always)]
pub(crate) fn load_quats<S: Simd>(s: S, rows: &[[f32; 8]; 4]) -> Quats<S> {
    [s.load(&rows[0]), s.load(&rows[1]), s.load(&rows[2]), s.load(&rows[3])]
}

#[inline(always)]
pub(crate) fn load_vectors<S: Simd>(s: S, rows: &[[f32; 8]; 3]) -> Vectors<S> {
    [s.load(&rows[0]), s.load(&rows[1]), s.load(&rows[2])]
}

#[inline(always)]
pub(crate) fn store_quats<S: Simd>(_: S, q: Quats<S>, rows: &mut [[f32; 8]; 4]) {
    q[0].store(&mut rows[0]);
    q[1].store(&mut rows[1]);
    q[2].store(&mut rows[2]);
    q[3].store(&mut rows[3]);
}

/// `a * b`: first `b`, then `a`.
#[inline(always)]
pub(crate) fn mul<S: Simd>(_: S, a: Quats<S>, b: Quats<S>) -> Quats<S> {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// `a * conjugate(b)`: what turns `b` into `a`.
#[inline(always)]
pub(crate) fn mul_conj<S: Simd>(_: S, a: Quats<S>, b: Quats<S>) -> Quats<S> {
    [
        a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1],
        a[1] * b[3] - a[3] * b[1] + a[0] * b[2] - a[2] * b[0],
        a[2] * b[3] - a[3] * b[2] - a[0] * b[1] + a[1] * b[0],
        a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
    ]
}

#[inline(always)]
pub(crate) fn dot4<S: Simd>(_: S, a: Quats<S>, b: Quats<S>) -> S::F {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

#[inline(always)]
pub(crate) fn dot3<S: Simd>(_: S, a: Vectors<S>, b: Vectors<S>) -> S::F {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Signs flipped where `by` is negative.
#[inline(always)]
pub(crate) fn flip<S: Simd>(_: S, q: Quats<S>, by: S::F) -> Quats<S> {
    [q[0].flip_sign(by), q[1].flip_sign(by), q[2].flip_sign(by), q[3].flip_sign(by)]
}

/// Of length 1; the identity where there is no length.
#[inline(always)]
pub(crate) fn normalize<S: Simd>(s: S, q: Quats<S>) -> Quats<S> {
    let squared = dot4(s, q, q);
    let some = squared.gt(s.splat(NOTHING));
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let inverse = one / squared.select(some, one).sqrt();
    [
        (q[0] * inverse).select(some, zero),
        (q[1] * inverse).select(some, zero),
        (q[2] * inverse).select(some, zero),
        (q[3] * inverse).select(some, one),
    ]
}

/// Axis times `tan(angle / 4)` of a unit quaternion, kept finite next to a full turn.
#[inline(always)]
pub(crate) fn to_rodrigues<S: Simd>(s: S, q: Quats<S>) -> Vectors<S> {
    let inverse = s.splat(1.0) / (s.splat(1.0) + q[3]).max(s.splat(1e-3));
    [q[0] * inverse, q[1] * inverse, q[2] * inverse]
}

/// The unit quaternion of axis times `tan(angle / 4)`.
#[inline(always)]
pub(crate) fn from_rodrigues<S: Simd>(s: S, p: Vectors<S>) -> Quats<S> {
    let squared = dot3(s, p, p);
    let inverse = s.splat(1.0) / (s.splat(1.0) + squared);
    let twice = inverse + inverse;
    [p[0] * twice, p[1] * twice, p[2] * twice, (s.splat(1.0) - squared) * inverse]
}

/// `from_rodrigues(k * to_rodrigues(q))` for 0 < k <= 1, also next to a full turn, where the parameters
/// themselves are infinite: with both ends multiplied out, nothing is left to divide by.
#[inline(always)]
pub(crate) fn share<S: Simd>(s: S, q: Quats<S>, k: S::F) -> Quats<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let (near, far) = ((one + q[3]).max(zero), k * k * (one - q[3]).max(zero));
    let twice = k + k;
    normalize(s, [q[0] * twice, q[1] * twice, q[2] * twice, near - far])
}

/// Cut down to a length.
#[inline(always)]
pub(crate) fn limit<S: Simd>(s: S, v: Vectors<S>, longest: S::F) -> Vectors<S> {
    let length = dot3(s, v, v).sqrt();
    // Lengths of 0 give an infinity or NaN, and then the second of the two.
    let scale = (longest / length).min(s.splat(1.0));
    [v[0] * scale, v[1] * scale, v[2] * scale]
}

#[inline(always)]
pub(crate) fn sub3<S: Simd>(_: S, a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale3<S: Simd>(_: S, a: Vectors<S>, by: S::F) -> Vectors<S> {
    [a[0] * by, a[1] * by, a[2] * by]
}
