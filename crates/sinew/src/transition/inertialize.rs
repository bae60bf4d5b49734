//! Offsets that run out along a quintic.
//!
//! With `u = t / t1` and `V = v0 * t1`, `A = a0 * t1^2`, Bollo's polynomial is `(1 - u)^3 * (x0 + (V + 3 x0)
//! u + (A / 2 + 3 V + 6 x0) u^2)`: value, velocity and acceleration are right at the start and 0 at the end
//! by construction, with no cancellation.

use super::rotation::{
    dot3, dot4, flip, from_rodrigues, limit, load_quats, load_vectors, mul, mul_conj, normalize, scale3,
    store_quats, sub3, to_rodrigues,
};
use super::{Overshoot, Rows, TransitionSettings, TransitionStart, per_second};
use crate::wide::{Floats, Simd};
use crate::{PoseGroup, ScaleGroup};

/// Shortest run of one component, seconds.
const SHORTEST: f32 = 1e-4;

/// What every component is captured with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    duration: f32,
    shortest: f32,
    clamp: bool,
    per_second: f32,
    max_turn: f32,
    max_speed: f32,
    max_growth: f32,
}

impl Capture {
    pub(crate) fn new(settings: &TransitionSettings, overshoot: Overshoot, dt: f32) -> Self {
        Self {
            duration: settings.duration,
            shortest: settings.duration.min(SHORTEST),
            clamp: overshoot == Overshoot::Clamp,
            per_second: per_second(dt),
            max_turn: settings.max_turn,
            max_speed: settings.max_speed,
            max_growth: settings.max_growth,
        }
    }
}

/// Rows of one component: the three coefficients and one over its run.
#[inline(always)]
fn component<S: Simd>(s: S, plan: &Capture, x: S::F, v: S::F, rows: &mut [[f32; 8]]) {
    let zero = s.splat(0.0);
    // Turned so that the offset is positive; an offset of 0 lies on the side that it leaves to.
    let side = x.select(x.gt(zero), x.select(zero.gt(x), v));
    let (x0, v0) = (x.flip_sign(side), v.flip_sign(side));
    let mut t1 = s.splat(plan.duration);
    let mut velocity = v0 * t1;
    let mut half_a = zero;
    if plan.clamp {
        let five = s.splat(5.0) * x0;
        let early = (five / (zero - v0)).min(t1).max(s.splat(plan.shortest));
        t1 = early.select(zero.gt(v0), t1);
        velocity = (v0 * t1).max(zero - five);
        // Bollo's acceleration, with which a fast offset arrives from its own side.
        half_a = (zero - s.splat(4.0) * velocity - s.splat(10.0) * x0).max(zero);
    }
    let linear = velocity + s.splat(3.0) * x0;
    let square = half_a + s.splat(3.0) * velocity + s.splat(6.0) * x0;
    x0.flip_sign(side).store(&mut rows[0]);
    linear.flip_sign(side).store(&mut rows[1]);
    square.flip_sign(side).store(&mut rows[2]);
    (s.splat(1.0) / t1).store(&mut rows[3]);
}

/// One component at `t`.
#[inline(always)]
fn value<S: Simd>(s: S, t: S::F, rows: &[[f32; 8]]) -> S::F {
    let one = s.splat(1.0);
    let u = (t * s.load(&rows[3])).min(one);
    let left = one - u;
    ((s.load(&rows[2]) * u + s.load(&rows[1])) * u + s.load(&rows[0])) * (left * left * left)
}

/// Takes up every offset and its velocity.
#[inline(always)]
pub(crate) fn capture<S: Simd>(
    s: S,
    plan: &Capture,
    start: &TransitionStart<'_>,
    state: &mut [Rows<24>],
    scales: &mut [Rows<12>],
) {
    let per_second = s.splat(plan.per_second);
    let (a, b) = (start.source.groups(), start.source_before.groups());
    let (c, d) = (start.target.groups(), start.target_before.groups());
    for (i, rows) in state.iter_mut().enumerate() {
        let now = mul_conj(s, load_quats(s, &a[i].rotation), load_quats(s, &c[i].rotation));
        let now = normalize(s, flip(s, now, now[3]));
        let before = mul_conj(s, load_quats(s, &b[i].rotation), load_quats(s, &d[i].rotation));
        let before = normalize(s, flip(s, before, dot4(s, before, now)));
        let x = to_rodrigues(s, now);
        let v = scale3(s, sub3(s, x, to_rodrigues(s, before)), per_second);
        // Angular speed is 4 / (1 + x^2) times that of the parameters, whatever the direction.
        let quarter = s.splat(0.25 * plan.max_turn);
        let v = limit(s, v, quarter * (s.splat(1.0) + dot3(s, x, x)));
        for axis in 0..3 {
            component(s, plan, x[axis], v[axis], &mut rows.0[4 * axis..4 * axis + 4]);
        }
        let (now, before) = (load_vectors(s, &a[i].translation), load_vectors(s, &b[i].translation));
        let x = sub3(s, now, load_vectors(s, &c[i].translation));
        let past = sub3(s, before, load_vectors(s, &d[i].translation));
        let v = limit(s, scale3(s, sub3(s, x, past), per_second), s.splat(plan.max_speed));
        for axis in 0..3 {
            component(s, plan, x[axis], v[axis], &mut rows.0[4 * axis + 12..4 * axis + 16]);
        }
    }
    let (a, b) = (start.source.scales(), start.source_before.scales());
    let (c, d) = (start.target.scales(), start.target_before.scales());
    for (i, rows) in scales.iter_mut().enumerate() {
        let (now, before) = (load_vectors(s, &a[i].scale), load_vectors(s, &b[i].scale));
        let x = sub3(s, now, load_vectors(s, &c[i].scale));
        let past = sub3(s, before, load_vectors(s, &d[i].scale));
        let v = limit(s, scale3(s, sub3(s, x, past), per_second), s.splat(plan.max_growth));
        for axis in 0..3 {
            component(s, plan, x[axis], v[axis], &mut rows.0[4 * axis..4 * axis + 4]);
        }
    }
}

/// Adds what is left of every offset at `t` seconds.
#[inline(always)]
pub(crate) fn apply<S: Simd>(
    s: S,
    t: f32,
    state: &[Rows<24>],
    scale_state: &[Rows<12>],
    groups: &mut [PoseGroup],
    scales: &mut [ScaleGroup],
) {
    let t = s.splat(t);
    for (group, rows) in groups.iter_mut().zip(state) {
        let rows = &rows.0;
        let x = [value(s, t, &rows[0..4]), value(s, t, &rows[4..8]), value(s, t, &rows[8..12])];
        let turned = mul(s, from_rodrigues(s, x), load_quats(s, &group.rotation));
        store_quats(s, turned, &mut group.rotation);
        for axis in 0..3 {
            let offset = value(s, t, &rows[4 * axis + 12..4 * axis + 16]);
            (s.load(&group.translation[axis]) + offset).store(&mut group.translation[axis]);
        }
    }
    for (group, rows) in scales.iter_mut().zip(scale_state) {
        for axis in 0..3 {
            let offset = value(s, t, &rows.0[4 * axis..4 * axis + 4]);
            (s.load(&group.scale[axis]) + offset).store(&mut group.scale[axis]);
        }
    }
}
