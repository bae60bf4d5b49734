//! Eight aims at a time.

use super::angle_lanes::{Angle, Ends, hold};
use super::lanes::{above, half_turn_x_back, half_turn_y, unit};
use super::{AimJob, AimLimits, AimSolution, IkError, IkStatus, LaneStatus};
use crate::Backend;
use crate::transition::rotation::{Quats, dot3, load_quats, load_vectors, mul, mul_conj, normalize, sub3};
use crate::wide::{Floats, Simd, dispatch};

/// Metres below which there is no direction.
const TINY: f32 = 1e-6;
/// Coordinates above this are no metres.
const HUGE: f32 = 1e9;

/// Eight aims; lane `i` of each row belongs to aim `i`. The fields are those of [`AimJob`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct AimGroup {
    /// Joints, metres.
    pub origin: [[f32; 8]; 3],
    /// Frames of the reference axes, XYZW.
    pub reference: [[f32; 8]; 4],
    /// Look frames in the joints' spaces, XYZW.
    pub look: [[f32; 8]; 4],
    /// Eyes in the look frames, metres.
    pub offset: [[f32; 8]; 3],
    /// What to aim at, metres.
    pub target: [[f32; 8]; 3],
    /// Ends of the ranges: least yaw, greatest yaw, least pitch, greatest pitch.
    ends: [Ends; 4],
}

impl AimGroup {
    /// Eight lanes without an aim: they come out as [`LaneStatus::faulty`], and their outputs are left alone.
    pub const EMPTY: Self = {
        let identity = [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]];
        let (least, greatest) = (Ends::LEAST, Ends::GREATEST);
        Self {
            origin: [[0.0; 8]; 3],
            reference: identity,
            look: identity,
            offset: [[0.0; 8]; 3],
            target: [[0.0; 8]; 3],
            ends: [least, greatest, least, greatest],
        }
    };

    /// Sets the limits of a lane.
    ///
    /// # Errors
    /// [`IkError`] where they are none; the lane keeps those it had.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set_limits(&mut self, lane: usize, limits: &AimLimits) -> Result<(), IkError> {
        limits.check()?;
        let angles = [limits.yaw[0], limits.yaw[1], limits.pitch[0], limits.pitch[1]];
        for (ends, angle) in self.ends.iter_mut().zip(angles) {
            ends.set(lane, angle);
        }
        Ok(())
    }

    /// Puts an aim into a lane, rounded to single precision.
    ///
    /// # Errors
    /// [`IkError`] where its limits are none; the lane is as it was.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set(&mut self, lane: usize, aim: &AimJob<'_>) -> Result<(), IkError> {
        self.set_limits(lane, &aim.limits)?;
        for axis in 0..3 {
            self.origin[axis][lane] = aim.origin[axis] as f32;
            self.offset[axis][lane] = aim.offset[axis] as f32;
            self.target[axis][lane] = aim.target[axis] as f32;
        }
        for (axis, (reference, look)) in
            aim.reference.to_array().into_iter().zip(aim.look.to_array()).enumerate()
        {
            self.reference[axis][lane] = reference as f32;
            self.look[axis][lane] = look as f32;
        }
        Ok(())
    }
}

/// [`AimJob`] over any number of joints, eight a step, in single precision.
///
/// Nothing can fail half way: lanes with a bad target are marked and left alone, and so are those that are
/// out of reach.
#[derive(Debug)]
pub struct AimGroupJob<'a> {
    /// The aims.
    pub groups: &'a [AimGroup],
    /// Rotations of the joints, XYZW of eight each, in the space of the targets.
    pub outputs: &'a mut [[[f32; 8]; 4]],
    /// What came of them.
    pub statuses: &'a mut [LaneStatus],
}

impl AimGroupJob<'_> {
    /// Aims all on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`IkError::Count`] where there are not as many outputs and statuses as groups.
    pub fn run(&mut self) -> Result<(), IkError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`AimGroupJob::run`].
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
            aim(groups: &[AimGroup], outputs: &mut [[[f32; 8]; 4]], statuses: &mut [LaneStatus])
        );
        Ok(())
    }
}

#[inline(always)]
fn aim<S: Simd>(s: S, groups: &[AimGroup], outputs: &mut [[[f32; 8]; 4]], statuses: &mut [LaneStatus]) {
    for i in 0..groups.len() {
        aim_group(s, &groups[i], &mut outputs[i], &mut statuses[i]);
    }
}

/// The angle of `a` less that of `b`.
#[inline(always)]
fn less<S: Simd>(s: S, a: [S::F; 2], b: [S::F; 2]) -> Angle<S> {
    let (cos, sin) = (a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]);
    let inverse = s.splat(1.0) / (cos * cos + sin * sin).sqrt();
    Angle { cos: cos * inverse, sin: sin * inverse }
}

#[inline(always)]
fn aim_group<S: Simd>(s: S, group: &AimGroup, output: &mut [[f32; 8]; 4], status: &mut LaneStatus) {
    let (zero, tiny, huge) = (s.splat(0.0), s.splat(TINY), s.splat(HUGE));
    let reference = load_quats(s, &group.reference);
    let look = load_quats(s, &group.look);
    let eye = load_vectors(s, &group.offset);
    let way = sub3(s, load_vectors(s, &group.target), load_vectors(s, &group.origin));
    // Into the frame of the reference.
    let as_quat: Quats<S> = [way[0], way[1], way[2], zero];
    let from_back = mul(s, as_quat, reference);
    let inverse = [zero - reference[0], zero - reference[1], zero - reference[2], reference[3]];
    let at = mul(s, inverse, from_back);
    let distance = dot3(s, way, way).sqrt();
    let flat_squared = at[0] * at[0] + at[2] * at[2];
    let flat = flat_squared.sqrt();

    let eye_x = eye[0].max(zero - eye[0]);
    let eye_y = eye[1].max(zero - eye[1]);
    let ahead = ((flat - eye_x) * (flat + eye_x)).max(zero).sqrt();
    let side = (ahead * ahead + at[1] * at[1]).sqrt();
    let along = ((side - eye_y) * (side + eye_y)).max(zero).sqrt();
    let yaw = less(s, [at[2], at[0]], [ahead, eye[0]]);
    let pitch = less(s, [ahead, at[1]], [along, eye[1]]);
    let (yaw, yaw_held) = hold(s, yaw, &group.ends[0], &group.ends[1]);
    let (pitch, pitch_held) = hold(s, pitch, &group.ends[2], &group.ends[3]);
    let turned = half_turn_y(s, reference, yaw.cos, yaw.sin);
    let turned = half_turn_x_back(s, turned, pitch.cos, pitch.sin);
    let rotation = normalize(s, mul_conj(s, turned, look));

    let eye_size = dot3(s, eye, eye);
    let fine = above(s, distance, tiny)
        & above(s, huge, distance)
        & above(s, flat, tiny)
        & above(s, huge * huge, eye_size)
        & unit(s, reference)
        & unit(s, look);
    let by_x = eye_x - flat;
    let by_y = eye_y - side;
    let by_z = eye[2] - along;
    let missing = by_z.select(by_z.gt(zero), zero);
    let missing = by_y.select(by_y.gt(zero), missing);
    let missing = by_x.select(by_x.gt(zero), missing);
    let unreachable = above(s, missing, zero) & fine;
    let solved = fine & !unreachable;
    let is_solved = s.mask(solved);
    for axis in 0..4 {
        let mut here = rotation[axis];
        // Stores under a mask are slow; nearly always there is nothing to keep.
        if solved != 0xff {
            here = here.select(is_solved, s.load(&output[axis]));
        }
        here.store(&mut output[axis]);
    }
    missing.select(s.mask(unreachable), zero).store(&mut status.by_metres);
    status.reached = solved & !yaw_held & !pitch_held;
    status.softened = 0;
    status.unreachable = unreachable;
    status.limited = solved & (yaw_held | pitch_held);
    status.joint = [0; 8];
    // Of two, the joint nearer to the root is named.
    for lane in 0..8 {
        status.joint[lane] = u16::from((solved & pitch_held & !yaw_held) >> lane & 1);
    }
    status.collides = 0;
    status.faulty = !fine;
}

impl AimGroup {
    /// One lane in double precision, by [`AimJob`]; limits are not those of the lane but given.
    ///
    /// # Errors
    /// As [`AimJob::run`]; this also names what is wrong with a faulty lane.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn solve_lane(&self, lane: usize, limits: AimLimits) -> Result<(AimSolution, IkStatus), IkError> {
        let vector = |rows: &[[f32; 8]; 3]| glam::DVec3::from(rows.map(|row| f64::from(row[lane])));
        let quat = |rows: &[[f32; 8]; 4]| glam::DQuat::from_array(rows.map(|row| f64::from(row[lane])));
        let mut output = AimSolution::NONE;
        let status = AimJob {
            origin: vector(&self.origin),
            reference: quat(&self.reference),
            look: quat(&self.look),
            offset: vector(&self.offset),
            target: vector(&self.target),
            limits,
            output: &mut output,
        }
        .run()?;
        Ok((output, status))
    }
}
