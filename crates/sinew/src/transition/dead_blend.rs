//! The old motion carried on with a dying velocity, and a cross-fade from it.

use super::rotation::{
    dot4, flip, from_rodrigues, limit, load_quats, load_vectors, mul, mul_conj, normalize, scale3, share,
    store_quats, sub3, to_rodrigues,
};
use super::{Rows, TransitionSettings, TransitionStart, per_second};
use crate::wide::{Floats, Simd};
use crate::{PoseGroup, ScaleGroup};

/// Rows of a group: the rotation (4), its velocity as parameters (3), the last offset (4), the translation
/// (3), its velocity (3).
const TURN: usize = 4;
const OFFSET: usize = 7;
const PLACE: usize = 11;
const SPEED: usize = 14;

/// Where the cross-fade is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fade {
    /// Share of the old motion, 1 to 0.
    old: f32,
    /// Seconds that the old motion has gone on, counted at its first speed.
    gone: f32,
}

impl Fade {
    /// At `t` of `duration` seconds.
    pub(crate) fn at(t: f32, duration: f32, half_life: f32) -> Self {
        let left = 1.0 - t / duration;
        // Speed is 2^(-t / half_life); this is its integral, in double precision because a long half-life
        // leaves a small difference of large numbers.
        let life = f64::from(half_life) / core::f64::consts::LN_2;
        let gone = -life * libm::expm1(-f64::from(t) / life);
        Self { old: left * left * (3.0 - 2.0 * left), gone: gone as f32 }
    }
}

/// Takes up the old pose and its velocity.
#[inline(always)]
pub(crate) fn capture<S: Simd>(
    s: S,
    settings: &TransitionSettings,
    start: &TransitionStart<'_>,
    state: &mut [Rows<24>],
    scales: &mut [Rows<12>],
) {
    let per_second = s.splat(per_second(start.dt));
    let (a, b, c) = (start.source.groups(), start.source_before.groups(), start.target.groups());
    for (i, rows) in state.iter_mut().enumerate() {
        let now = normalize(s, load_quats(s, &a[i].rotation));
        let step = mul_conj(s, now, load_quats(s, &b[i].rotation));
        let step = to_rodrigues(s, normalize(s, flip(s, step, step[3])));
        // Parameters are a quarter of the rotation vector.
        let turn = limit(s, scale3(s, step, per_second), s.splat(0.25 * settings.max_turn));
        let offset = mul_conj(s, now, load_quats(s, &c[i].rotation));
        let offset = flip(s, offset, offset[3]);
        for axis in 0..4 {
            now[axis].store(&mut rows.0[axis]);
            offset[axis].store(&mut rows.0[OFFSET + axis]);
        }
        let (now, before) = (load_vectors(s, &a[i].translation), load_vectors(s, &b[i].translation));
        let speed = scale3(s, sub3(s, now, before), per_second);
        let speed = limit(s, speed, s.splat(settings.max_speed));
        for axis in 0..3 {
            turn[axis].store(&mut rows.0[TURN + axis]);
            now[axis].store(&mut rows.0[PLACE + axis]);
            speed[axis].store(&mut rows.0[SPEED + axis]);
        }
    }
    let (a, b) = (start.source.scales(), start.source_before.scales());
    for (i, rows) in scales.iter_mut().enumerate() {
        let (now, before) = (load_vectors(s, &a[i].scale), load_vectors(s, &b[i].scale));
        let speed = scale3(s, sub3(s, now, before), per_second);
        let speed = limit(s, speed, s.splat(settings.max_growth));
        for axis in 0..3 {
            now[axis].store(&mut rows.0[axis]);
            speed[axis].store(&mut rows.0[3 + axis]);
        }
    }
}

/// Mixes what is left of the old motion into every joint.
#[inline(always)]
pub(crate) fn apply<S: Simd>(
    s: S,
    fade: &Fade,
    state: &mut [Rows<24>],
    scale_state: &[Rows<12>],
    groups: &mut [PoseGroup],
    scales: &mut [ScaleGroup],
) {
    let (old, gone) = (s.splat(fade.old), s.splat(fade.gone));
    for (group, rows) in groups.iter_mut().zip(state) {
        let rows = &mut rows.0;
        let from = [s.load(&rows[0]), s.load(&rows[1]), s.load(&rows[2]), s.load(&rows[3])];
        let turn = [s.load(&rows[TURN]), s.load(&rows[TURN + 1]), s.load(&rows[TURN + 2])];
        let carried = mul(s, from_rodrigues(s, scale3(s, turn, gone)), from);
        let new = load_quats(s, &group.rotation);
        let offset = mul_conj(s, carried, new);
        // The way round that it went before: choosing the shorter one anew would jump where the two motions
        // pass half a turn apart.
        let before = [
            s.load(&rows[OFFSET]),
            s.load(&rows[OFFSET + 1]),
            s.load(&rows[OFFSET + 2]),
            s.load(&rows[OFFSET + 3]),
        ];
        let offset = flip(s, offset, dot4(s, offset, before));
        store_quats(s, mul(s, share(s, offset, old), new), &mut group.rotation);
        for axis in 0..4 {
            offset[axis].store(&mut rows[OFFSET + axis]);
        }
        for axis in 0..3 {
            let carried = s.load(&rows[PLACE + axis]) + s.load(&rows[SPEED + axis]) * gone;
            let new = s.load(&group.translation[axis]);
            (new + (carried - new) * old).store(&mut group.translation[axis]);
        }
    }
    for (group, rows) in scales.iter_mut().zip(scale_state) {
        for axis in 0..3 {
            let carried = s.load(&rows.0[axis]) + s.load(&rows.0[3 + axis]) * gone;
            let new = s.load(&group.scale[axis]);
            (new + (carried - new) * old).store(&mut group.scale[axis]);
        }
    }
}
