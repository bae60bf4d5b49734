//! Limits of eight joints, kept by square roots and divisions alone.

use glam::{DMat3, DQuat, DVec3, EulerRot};

use super::angle_lanes::{Angle, Ends, hold_round};
use super::lanes::{above, conj, select4, signed_half};
use super::{IkError, JointLimit, LimitRange};
use crate::transition::rotation::{Quats, flip, load_quats, mul, mul_conj, normalize};
use crate::wide::{Floats, Simd};

/// Below this a part of a quaternion, or the cosine of the middle angle, says nothing in single precision.
const TINY: f32 = 1e-6;

/// [`JointLimit`]s of eight joints, one a lane.
///
/// A joint is measured in axes in which its bone is +X, or its three axes are X, Y and Z. Angles are held as
/// cosines and sines: half ones for swing and twist, whole ones about axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct LimitLanes {
    /// From the measuring axes to the joint's parent, at the middle of the range, XYZW.
    before: [[f32; 8]; 4],
    /// From the measuring axes to the joint's.
    after: [[f32; 8]; 4],
    /// Of each angle the least and the greatest: twist and swing (nothing is below a swing), or three axes.
    ends: [[Ends; 2]; 3],
    /// Lanes limited by swing and twist.
    cones: u8,
    /// Lanes limited axis by axis.
    axes: u8,
}

impl LimitLanes {
    /// No limits.
    pub const NONE: Self = {
        let identity = [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]];
        let ends = [[Ends::LEAST, Ends::GREATEST]; 3];
        Self { before: identity, after: identity, ends, cones: 0, axes: 0 }
    };

    /// Limits a lane, or frees it. Angles past half a turn are cut to it.
    ///
    /// # Errors
    /// [`IkError`] where it is no limit, and [`IkError::OutOfRange`] for an order of axes that has one axis
    /// twice: those lanes do not have. The lane keeps what it had.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set(&mut self, lane: usize, limit: Option<&JointLimit>) -> Result<(), IkError> {
        let bit = 1 << lane;
        let Some(limit) = limit else {
            self.cones &= !bit;
            self.axes &= !bit;
            return Ok(());
        };
        limit.check()?;
        let (after, ends, is_cone) = match limit.range {
            LimitRange::SwingTwist { axis, swing, twist } => {
                let after = DQuat::from_rotation_arc(DVec3::X, axis.normalize_or(DVec3::Z));
                (after, [twist.map(|v| 0.5 * v), [0.0, 0.5 * swing], [0.0; 2]], true)
            }
            LimitRange::PerAxis { order, min, max } => {
                let (after, ends) = measured(order, min, max)?;
                (after, ends, false)
            }
        };
        let before = (limit.reference * after).normalize();
        for (rows, q) in [(&mut self.before, before), (&mut self.after, after)] {
            for (row, v) in rows.iter_mut().zip(q.to_array()) {
                row[lane] = v as f32;
            }
        }
        let half_turn = if is_cone { core::f64::consts::FRAC_PI_2 } else { core::f64::consts::PI };
        for (pair, angles) in self.ends.iter_mut().zip(ends) {
            for (end, angle) in pair.iter_mut().zip(angles) {
                end.set(lane, angle.clamp(-half_turn, half_turn));
            }
        }
        self.cones = self.cones & !bit | if is_cone { bit } else { 0 };
        self.axes = self.axes & !bit | if is_cone { 0 } else { bit };
        Ok(())
    }
}

/// Axes in which an order is X, Y, Z, and the ranges about them: where the three are left-handed, the last
/// axis and its angle change sign.
fn measured(order: EulerRot, min: DVec3, max: DVec3) -> Result<(DQuat, [[f64; 2]; 3]), IkError> {
    let (axes, outer_first) = match order {
        EulerRot::XYZ => ([0, 1, 2], false),
        EulerRot::XZY => ([0, 2, 1], false),
        EulerRot::YXZ => ([1, 0, 2], false),
        EulerRot::YZX => ([1, 2, 0], false),
        EulerRot::ZXY => ([2, 0, 1], false),
        EulerRot::ZYX => ([2, 1, 0], false),
        // About fixed axes: the same about turned ones, from the last to the first.
        EulerRot::XYZEx => ([2, 1, 0], true),
        EulerRot::XZYEx => ([1, 2, 0], true),
        EulerRot::YXZEx => ([2, 0, 1], true),
        EulerRot::YZXEx => ([0, 2, 1], true),
        EulerRot::ZXYEx => ([1, 0, 2], true),
        EulerRot::ZYXEx => ([0, 1, 2], true),
        _ => {
            let what = "the number of different axes of a limit in lanes";
            return Err(IkError::OutOfRange { what, value: 2.0, expected: "3" });
        }
    };
    let range = |i: usize| [min[i], max[i]];
    let ranges = if outer_first { [range(2), range(1), range(0)] } else { [range(0), range(1), range(2)] };
    let [x, y, z] = axes.map(|i| DVec3::AXES[i]);
    let right_handed = x.cross(y) == z;
    let after = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)));
    let [first, second, [low, high]] = ranges;
    let last = if right_handed { [low, high] } else { [-high, -low] };
    Ok((after, [first, second, last]))
}

/// Rotations moved to within their limits, those within left bit for bit, and the lanes that were outside or
/// within `slack` (in ranks, see [`hold_round`]) of an end.
#[inline(always)]
pub(super) fn hold_limits<S: Simd>(s: S, q: Quats<S>, limit: &LimitLanes, slack: f32) -> (Quats<S>, u8) {
    if limit.cones | limit.axes == 0 {
        return (q, 0);
    }
    let slack = s.splat(slack);
    let (before, after) = (load_quats(s, &limit.before), load_quats(s, &limit.after));
    let measured = mul(s, mul(s, conj(s, before), q), after);
    // The sign with the shorter turn.
    let measured = flip(s, measured, measured[3]);
    let (mut held, mut out) = (measured, 0);
    if limit.cones != 0 {
        let (cone, outside) = hold_cone(s, measured, limit, slack);
        held = select4(s, s.mask(limit.cones), cone, held);
        out |= outside & limit.cones;
    }
    if limit.axes != 0 {
        let (axes, outside) = hold_axes(s, measured, limit, slack);
        held = select4(s, s.mask(limit.axes), axes, held);
        out |= outside & limit.axes;
    }
    let back = normalize(s, mul_conj(s, mul(s, before, held), after));
    (select4(s, s.mask(out), back, q), out)
}

/// `q = swing * twist` with the twist about X.
#[inline(always)]
fn hold_cone<S: Simd>(s: S, q: Quats<S>, limit: &LimitLanes, slack: S::F) -> (Quats<S>, u8) {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let size = (q[0] * q[0] + q[3] * q[3]).sqrt();
    // Swung half round, no twist can be told from another.
    let some = size.gt(s.splat(TINY));
    let inverse = one / size.select(some, one);
    let twist = Angle { cos: (q[3] * inverse).select(some, one), sin: (q[0] * inverse).select(some, zero) };
    let y = q[1] * twist.cos - q[2] * twist.sin;
    let z = q[1] * twist.sin + q[2] * twist.cos;
    let aside = (y * y + z * z).sqrt();
    let swing = Angle { cos: size, sin: aside };
    let [_, widest] = &limit.ends[1];
    let (cut, wide) = hold_round::<S, true>(s, swing, &Ends::LEAST, widest, slack);
    let is_aside = aside.gt(s.splat(f32::MIN_POSITIVE));
    let share = (cut.sin / aside.select(is_aside, one)).select(is_aside, zero);
    let is_wide = s.mask(wide);
    let (y, z) = ((y * share).select(is_wide, y), (z * share).select(is_wide, z));
    let [least, greatest] = &limit.ends[0];
    let (twist, twisted) = hold_round::<S, true>(s, twist, least, greatest, slack);
    let held = [
        cut.cos * twist.sin,
        y * twist.cos + z * twist.sin,
        z * twist.cos - y * twist.sin,
        cut.cos * twist.cos,
    ];
    (held, wide | twisted)
}

/// About X, then the new Y, then the new Z.
#[inline(always)]
fn hold_axes<S: Simd>(s: S, q: Quats<S>, limit: &LimitLanes, slack: S::F) -> (Quats<S>, u8) {
    let (zero, one, two) = (s.splat(0.0), s.splat(1.0), s.splat(2.0));
    let [x, y, z, w] = q;
    let (row_x, row_y) = (one - two * (y * y + z * z), two * (z * w - x * y));
    let (sin_x, cos_x) = (two * (x * w - y * z), one - two * (x * x + y * y));
    let sin_y = two * (x * z + y * w);
    let cos_y = (row_x * row_x + row_y * row_y).sqrt();
    // A quarter of a turn about Y, X and Z are one axis: all of it is X.
    let free = cos_y.gt(s.splat(16.0 * TINY));
    let (locked_sin, locked_cos) = (two * (y * z + x * w), one - two * (x * x + z * z));
    let about_x = unit_angle(s, cos_x.select(free, locked_cos), sin_x.select(free, locked_sin));
    let about_y = unit_angle(s, cos_y, sin_y);
    let about_z = unit_angle(s, row_x.select(free, one), row_y.select(free, zero));
    let [x_ends, y_ends, z_ends] = &limit.ends;
    let (about_x, x_out) = hold_round::<S, false>(s, about_x, &x_ends[0], &x_ends[1], slack);
    let (about_y, y_out) = hold_round::<S, false>(s, about_y, &y_ends[0], &y_ends[1], slack);
    let (about_z, z_out) = hold_round::<S, false>(s, about_z, &z_ends[0], &z_ends[1], slack);
    let (sx, cx) = signed_half(s, about_x.cos, about_x.sin);
    let (sy, cy) = signed_half(s, about_y.cos, about_y.sin);
    let (sz, cz) = signed_half(s, about_z.cos, about_z.sin);
    let held = [
        sx * cy * cz + cx * sy * sz,
        cx * sy * cz - sx * cy * sz,
        cx * cy * sz + sx * sy * cz,
        cx * cy * cz - sx * sy * sz,
    ];
    (normalize(s, held), x_out | y_out | z_out)
}

#[inline(always)]
fn unit_angle<S: Simd>(s: S, cos: S::F, sin: S::F) -> Angle<S> {
    let one = s.splat(1.0);
    let size = (cos * cos + sin * sin).sqrt();
    let some = s.mask(above(s, size, s.splat(TINY)));
    let inverse = one / size.select(some, one);
    Angle { cos: (cos * inverse).select(some, one), sin: (sin * inverse).select(some, s.splat(0.0)) }
}
