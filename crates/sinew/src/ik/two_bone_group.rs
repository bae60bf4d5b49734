//! Eight limbs of two bones at a time.

use super::lanes::{above, cross, half_turn, half_turn_back, of_columns, unit};
use super::{BendPlane, IkError, IkStatus, LaneStatus, TwoBoneJob, TwoBoneLimb, TwoBoneSolution};
use crate::Backend;
use crate::transition::rotation::{dot3, load_quats, load_vectors, mul_conj, scale3, sub3};
use crate::wide::{Floats, Simd, dispatch};

/// Metres below which there is no direction, and no bone.
const TINY: f32 = 1e-6;
/// Sine between pole and line below which there is no plane.
const ON_LINE: f32 = 1e-4;
/// Lengths and coordinates above this are no metres.
const HUGE: f32 = 1e9;

/// Eight limbs; lane `i` of each row belongs to limb `i`. All of a limb is in one space; the fields are those
/// of [`TwoBoneJob`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct TwoBoneGroup {
    /// [`TwoBoneLimb::upper`], metres.
    pub upper: [f32; 8],
    /// [`TwoBoneLimb::lower`], metres.
    pub lower: [f32; 8],
    /// [`TwoBoneLimb::upper_frame`], XYZW.
    pub upper_frame: [[f32; 8]; 4],
    /// [`TwoBoneLimb::lower_frame`], XYZW.
    pub lower_frame: [[f32; 8]; 4],
    /// Root joints, metres.
    pub root: [[f32; 8]; 3],
    /// Targets, metres.
    pub target: [[f32; 8]; 3],
    /// Poles (metres) or normals.
    pub plane: [[f32; 8]; 3],
    /// Share of the length over which limbs stretch out softly, 0 to 1.
    pub soft: [f32; 8],
    /// Bit `i` is set where the plane of limb `i` is a normal.
    pub normals: u8,
}

impl TwoBoneGroup {
    /// Eight lanes without a limb: they come out as [`LaneStatus::faulty`], and their outputs are left alone.
    pub const EMPTY: Self = Self {
        upper: [0.0; 8],
        lower: [0.0; 8],
        upper_frame: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]],
        lower_frame: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]],
        root: [[0.0; 8]; 3],
        target: [[0.0; 8]; 3],
        plane: [[0.0; 8]; 3],
        soft: [0.0; 8],
        normals: 0,
    };

    /// Puts a limb into a lane, rounded to single precision.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set_limb(&mut self, lane: usize, limb: &TwoBoneLimb) {
        self.upper[lane] = limb.upper as f32;
        self.lower[lane] = limb.lower as f32;
        let frames = [(&mut self.upper_frame, limb.upper_frame), (&mut self.lower_frame, limb.lower_frame)];
        for (rows, frame) in frames {
            for (row, v) in rows.iter_mut().zip(frame.to_array()) {
                row[lane] = v as f32;
            }
        }
    }

    /// Puts root, target and plane into a lane, rounded to single precision.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set_target(&mut self, lane: usize, root: glam::DVec3, target: glam::DVec3, plane: BendPlane) {
        let (v, normal) = match plane {
            BendPlane::Pole(pole) => (pole, 0),
            BendPlane::Normal(normal) => (normal, 1),
        };
        for axis in 0..3 {
            self.root[axis][lane] = root[axis] as f32;
            self.target[axis][lane] = target[axis] as f32;
            self.plane[axis][lane] = v[axis] as f32;
        }
        self.normals = self.normals & !(1 << lane) | normal << lane;
    }

    /// One lane in double precision: the same limb by [`TwoBoneJob`], which also names what is wrong with a
    /// faulty lane.
    ///
    /// # Errors
    /// As [`TwoBoneJob::run`].
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn solve_lane(&self, lane: usize) -> Result<(TwoBoneSolution, IkStatus), IkError> {
        let vector = |rows: &[[f32; 8]; 3]| glam::DVec3::from(rows.map(|row| f64::from(row[lane])));
        let quat = |rows: &[[f32; 8]; 4]| glam::DQuat::from_array(rows.map(|row| f64::from(row[lane])));
        let limb = TwoBoneLimb {
            upper: f64::from(self.upper[lane]),
            lower: f64::from(self.lower[lane]),
            upper_frame: quat(&self.upper_frame),
            lower_frame: quat(&self.lower_frame),
        };
        let normal = self.normals >> lane & 1 == 1;
        let v = vector(&self.plane);
        let mut output = TwoBoneSolution::NONE;
        let status = TwoBoneJob {
            limb: &limb,
            root: vector(&self.root),
            target: vector(&self.target),
            plane: if normal { BendPlane::Normal(v) } else { BendPlane::Pole(v) },
            soft: f64::from(self.soft[lane]),
            output: &mut output,
        }
        .run()?;
        Ok((output, status))
    }
}

/// Rotations of eight limbs, XYZW.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct TwoBoneRotations {
    /// Of the root joints.
    pub upper: [[f32; 8]; 4],
    /// Of the middle joints.
    pub lower: [[f32; 8]; 4],
}

impl TwoBoneRotations {
    /// No rotation.
    pub const IDENTITY: Self = Self {
        upper: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]],
        lower: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]],
    };
}

/// [`TwoBoneJob`] over any number of limbs, eight a step, in single precision.
///
/// Nothing can fail half way: lanes with a bad limb or target are marked and left alone.
#[derive(Debug)]
pub struct TwoBoneGroupJob<'a> {
    /// The limbs and their targets.
    pub groups: &'a [TwoBoneGroup],
    /// Where the rotations go, in the space of the targets.
    pub outputs: &'a mut [TwoBoneRotations],
    /// What came of them.
    pub statuses: &'a mut [LaneStatus],
}

impl TwoBoneGroupJob<'_> {
    /// Solves all on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`IkError::Count`] where there are not as many outputs and statuses as groups.
    pub fn run(&mut self) -> Result<(), IkError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`TwoBoneGroupJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), IkError> {
        let expected = self.groups.len();
        for (what, found) in [("outputs", self.outputs.len()), ("statuses", self.statuses.len())] {
            if found != expected {
                return Err(IkError::Count { what, found, expected });
            }
        }
        let (groups, outputs, statuses) = (self.groups, &mut *self.outputs, &mut *self.statuses);
        dispatch!(
            backend,
            solve(groups: &[TwoBoneGroup], outputs: &mut [TwoBoneRotations], statuses: &mut [LaneStatus])
        );
        Ok(())
    }
}

#[inline(always)]
fn solve<S: Simd>(
    s: S,
    groups: &[TwoBoneGroup],
    outputs: &mut [TwoBoneRotations],
    statuses: &mut [LaneStatus],
) {
    for i in 0..groups.len() {
        solve_group(s, &groups[i], &mut outputs[i], &mut statuses[i]);
    }
}

#[inline(always)]
fn solve_group<S: Simd>(s: S, group: &TwoBoneGroup, output: &mut TwoBoneRotations, status: &mut LaneStatus) {
    let (one, two, tiny, huge) = (s.splat(1.0), s.splat(2.0), s.splat(TINY), s.splat(HUGE));
    let zero = s.splat(0.0);
    let (a, b, soft) = (s.load(&group.upper), s.load(&group.lower), s.load(&group.soft));
    let root = load_vectors(s, &group.root);
    let to_target = sub3(s, load_vectors(s, &group.target), root);
    let distance_squared = dot3(s, to_target, to_target);
    let distance = distance_squared.sqrt();

    // A normal `n` gives the pole `n x t`, with the way to the target as `t`.
    let plane = load_vectors(s, &group.plane);
    let (by_normal, by_pole) = (cross(s, plane, to_target), sub3(s, plane, root));
    let is_normal = s.mask(group.normals);
    let pole = [
        by_normal[0].select(is_normal, by_pole[0]),
        by_normal[1].select(is_normal, by_pole[1]),
        by_normal[2].select(is_normal, by_pole[2]),
    ];
    let across = cross(s, to_target, pole);
    let across_squared = dot3(s, across, across);
    let across_length = across_squared.sqrt();
    let by_normal = dot3(s, plane, plane) * distance_squared;
    let pole_squared = by_normal.select(is_normal, dot3(s, pole, pole));
    // Two divisions in one: the slowest of operations.
    let inverse = one / (distance * across_length);
    let line = scale3(s, to_target, inverse * across_length);
    let normal = scale3(s, across, inverse * distance);
    let aside = cross(s, normal, line);

    let (full, nearest) = (a + b, (a - b).max(b - a));
    let margin = full * soft;
    let start = full - margin;
    let past = distance - start;
    let share = (past / margin.max(tiny)).min(two);
    let softened = start + margin * share * (one - s.splat(0.25) * share);
    let spanned = softened.select(past.gt(zero), distance).min(full).max(nearest).max(tiny);

    let along = (a * a - b * b + spanned * spanned) / (spanned + spanned);
    let along = along.min(a).max(zero - a);
    let height = ((a - along) * (a + along)).sqrt();
    let (plane_rotation, size) = of_columns(s, line, aside, normal);
    let (upper, upper_size) = half_turn(s, plane_rotation, along, height, a);
    let (lower, lower_size) = half_turn_back(s, plane_rotation, spanned - along, height, b);
    let upper_frame = load_quats(s, &group.upper_frame);
    let lower_frame = load_quats(s, &group.lower_frame);
    let (upper_length, lower_length) = ((size * upper_size).sqrt(), (size * lower_size).sqrt());
    let inverse = one / (upper_length * lower_length);
    let (upper_scale, lower_scale) = (inverse * lower_length, inverse * upper_length);
    let upper = mul_conj(s, upper, upper_frame);
    let lower = mul_conj(s, lower, lower_frame);

    // NaN is on the failing side of every comparison.
    let least_across = s.splat(ON_LINE * ON_LINE) * (pole_squared * distance_squared);
    let fine = above(s, distance, tiny)
        & above(s, huge, distance)
        & above(s, a, tiny)
        & above(s, b, tiny)
        & above(s, huge, full)
        & above(s, soft, s.splat(-f32::MIN_POSITIVE))
        & above(s, s.splat(1.0 + f32::EPSILON), soft)
        & above(s, across_squared, least_across)
        & above(s, across_squared, s.splat(1e-36))
        & above(s, s.splat(1e30), pole_squared)
        & unit(s, upper_frame)
        & unit(s, lower_frame);
    let is_fine = s.mask(fine);
    let outside = (above(s, distance, full) | above(s, nearest, distance)) & fine;
    let short = above(s, distance, spanned) & fine & !outside;
    let missing = (distance - spanned).max(spanned - distance);
    for axis in 0..4 {
        let (mut upper, mut lower) = (upper[axis] * upper_scale, lower[axis] * lower_scale);
        // Stores under a mask are slow; nearly always there is nothing to keep.
        if fine != 0xff {
            upper = upper.select(is_fine, s.load(&output.upper[axis]));
            lower = lower.select(is_fine, s.load(&output.lower[axis]));
        }
        upper.store(&mut output.upper[axis]);
        lower.store(&mut output.lower[axis]);
    }
    missing.select(is_fine, zero).store(&mut status.by_metres);
    status.reached = fine & !outside & !short;
    status.softened = short;
    status.unreachable = outside;
    status.limited = 0;
    status.joint = [0; 8];
    status.collides = 0;
    status.faulty = !fine;
}
