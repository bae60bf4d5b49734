//! Eight legs at a time.

use glam::DQuat;

use super::flat_lanes::{Flat, Plane, Tilt};
use super::{LegGeometry, LegPose, LegSearch, LegTarget};
use crate::ik::angle_lanes::atan2;
use crate::ik::lanes::{above, cross, half_turn_x_back, half_turn_y, select4, turned, unit};
use crate::ik::status::within;
use crate::ik::{IkError, LaneStatus};
use crate::transition::rotation::{
    Quats, dot3, load_quats, load_vectors, normalize, scale3, store_quats, sub3,
};
use crate::wide::{Floats, Simd, dispatch};
use crate::{Backend, DTransform};

/// Metres below which there is no direction, and no segment.
const TINY: f32 = 1e-6;
/// Lengths and coordinates above this are no metres.
const HUGE: f32 = 1e9;
/// Settings of a search above this are cut to it.
const MOST: f64 = 1e9;

/// Eight legs and where their soles should stand; each lane is a leg of its own, of the same body or not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct LegGroup {
    /// Rotations from a coxa at yaw 0 to the body.
    base: [[f32; 8]; 4],
    hip: [[f32; 8]; 3],
    pub(super) lengths: [[f32; 8]; 5],
    pub(super) radii: [[f32; 8]; 4],
    /// Yaw, hip, knee, ankle, foot: least and greatest.
    pub(super) limits: [[[f32; 8]; 2]; 5],
    /// From the body, in its axes.
    sole: [[f32; 8]; 3],
    foot: [[f32; 8]; 4],
    /// Tilts of the sample before, of the lanes of a mask.
    previous: [f32; 8],
    goes_on: u8,
}

impl LegGroup {
    /// Eight lanes without a leg: they come out as [`LaneStatus::faulty`], and their outputs are left alone.
    pub const EMPTY: Self = {
        let identity = [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]];
        Self {
            base: identity,
            hip: [[0.0; 8]; 3],
            lengths: [[0.0; 8]; 5],
            radii: [[0.0; 8]; 4],
            limits: [[[0.0; 8]; 2]; 5],
            sole: [[0.0; 8]; 3],
            foot: identity,
            previous: [0.0; 8],
            goes_on: 0,
        }
    };

    /// Puts a leg into a lane, rounded to single precision.
    ///
    /// # Errors
    /// As [`LegGeometry::check`]; the lane keeps what it had.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set_leg(&mut self, lane: usize, geometry: &LegGeometry) -> Result<(), IkError> {
        geometry.check()?;
        put(&mut self.base, lane, geometry.base().to_array());
        put(&mut self.hip, lane, geometry.hip.to_array());
        let g = geometry;
        put(&mut self.lengths, lane, [g.coxa, g.upper, g.lower, g.ankle, g.foot]);
        put(&mut self.radii, lane, g.radii);
        for (i, (_, [min, max])) in g.limits.named().into_iter().enumerate() {
            // The foot's angle has no other side to get to below 0.
            let min = if i == 4 && min <= 0.0 { -MOST } else { min };
            put(&mut self.limits[i], lane, [min.max(-MOST), max.min(MOST)]);
        }
        Ok(())
    }

    /// Puts a body (its scale is not looked at), what its sole should stand on and the tilt of the sample
    /// before ([`LegLanes::phi`]) into a lane. The way from body to sole is taken in double precision, so
    /// that a world may be large.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set_target(&mut self, lane: usize, body: &DTransform, target: &LegTarget, previous: Option<f64>) {
        let to_body = body.rotation.conjugate();
        put(&mut self.sole, lane, (to_body * (target.sole - body.translation)).to_array());
        put(&mut self.foot, lane, (to_body * target.foot).to_array());
        self.previous[lane] = previous.unwrap_or(0.0) as f32;
        self.goes_on = self.goes_on & !(1 << lane) | u8::from(previous.is_some()) << lane;
    }
}

fn put<const N: usize>(rows: &mut [[f32; 8]; N], lane: usize, values: [f64; N]) {
    for (row, v) in rows.iter_mut().zip(values) {
        row[lane] = v as f32;
    }
}

/// Eight solved legs; the fields are those of [`LegSolution`](super::LegSolution).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct LegLanes {
    /// Frames of coxa, upper, lower, ankle and foot in the body's space, XYZW.
    pub rotations: [[[f32; 8]; 4]; 5],
    /// Yaw, hip, knee and ankle, radians.
    pub angles: [[f32; 8]; 4],
    /// Between the ankle segment and the foot's downward axis, radians.
    pub foot_angle: [f32; 8],
    /// Tilts of the ankle segments, radians.
    pub phi: [f32; 8],
    /// 1 is stretched out.
    pub reach: [f32; 8],
    /// To the nearest limit, radians; negative past it.
    pub limit_margin: [f32; 8],
    /// The joint of that limit: yaw, hip, knee, ankle, foot.
    pub limit_joint: [u16; 8],
    /// Smallest gap between segments that are not neighbours, metres; negative where they collide.
    pub clearance: [f32; 8],
}

impl LegLanes {
    /// Solutions of nothing, to be written over.
    pub const NONE: Self = Self {
        rotations: [[[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]]; 5],
        angles: [[0.0; 8]; 4],
        foot_angle: [0.0; 8],
        phi: [0.0; 8],
        reach: [0.0; 8],
        limit_margin: [0.0; 8],
        limit_joint: [0; 8],
        clearance: [0.0; 8],
    };

    /// Joints and frames of a lane in the body's space; of the leg that it was solved for.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    #[must_use]
    pub fn pose(&self, lane: usize, geometry: &LegGeometry) -> LegPose {
        let rotations = self
            .rotations
            .each_ref()
            .map(|rows| DQuat::from_array(rows.map(|row| f64::from(row[lane]))).normalize());
        geometry.pose_of(rotations)
    }
}

/// [`LegJob`](super::LegJob) over any number of legs, eight a step, in single precision.
///
/// The tilt is chosen as there, with halvings that end where single precision sees no difference in cost.
/// Soles stand where they should to 2e-6 of the leg's length. Nothing can fail half way: lanes with a bad leg,
/// target or previous tilt are marked; they and those out of reach are left alone.
#[derive(Debug)]
pub struct LegGroupJob<'a> {
    /// The legs and their targets.
    pub groups: &'a [LegGroup],
    /// How the tilts are chosen.
    pub search: &'a LegSearch,
    /// The solutions.
    pub outputs: &'a mut [LegLanes],
    /// What came of them.
    pub statuses: &'a mut [LaneStatus],
}

impl LegGroupJob<'_> {
    /// Solves all on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`IkError`] where the search is none or its range goes past a full turn, [`IkError::Count`] where there
    /// are not as many outputs and statuses as groups; all outputs are untouched.
    pub fn run(&mut self) -> Result<(), IkError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`LegGroupJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), IkError> {
        let expected = self.groups.len();
        for (what, found) in [("outputs", self.outputs.len()), ("statuses", self.statuses.len())] {
            if found != expected {
                return Err(IkError::Count { what, found, expected });
            }
        }
        self.search.check()?;
        let turn = core::f64::consts::TAU;
        for value in self.search.range {
            within("an end of the range of phi in lanes", value, [-turn, turn], "up to a full turn")?;
        }
        let cut = |v: f64| v.min(MOST) as f32;
        let search = Search {
            rest: cut(self.search.rest),
            low: cut(self.search.range[0]),
            high: cut(self.search.range[1]),
            window: cut(self.search.window),
            reach: cut(self.search.reach),
            margin: cut(self.search.margin),
            clearance: cut(self.search.clearance),
            continuity: cut(self.search.continuity),
        };
        let search = &search;
        let (groups, outputs, statuses) = (self.groups, &mut *self.outputs, &mut *self.statuses);
        dispatch!(
            backend,
            solve(
                groups: &[LegGroup],
                search: &Search,
                outputs: &mut [LegLanes],
                statuses: &mut [LaneStatus],
            )
        );
        Ok(())
    }
}

/// [`LegSearch`] in single precision.
pub(super) struct Search {
    pub(super) rest: f32,
    low: f32,
    high: f32,
    window: f32,
    pub(super) reach: f32,
    pub(super) margin: f32,
    pub(super) clearance: f32,
    pub(super) continuity: f32,
}

#[inline(always)]
fn solve<S: Simd>(
    s: S,
    groups: &[LegGroup],
    search: &Search,
    outputs: &mut [LegLanes],
    statuses: &mut [LaneStatus],
) {
    for i in 0..groups.len() {
        solve_group(s, &groups[i], search, &mut outputs[i], &mut statuses[i]);
    }
}

#[inline(always)]
fn solve_group<S: Simd>(
    s: S,
    group: &LegGroup,
    search: &Search,
    output: &mut LegLanes,
    status: &mut LaneStatus,
) {
    let (zero, one, huge) = (s.splat(0.0), s.splat(1.0), s.splat(HUGE));
    let base = load_quats(s, &group.base);
    let foot = load_quats(s, &group.foot);
    let side = turned(s, base, [one, zero, zero]);
    let axis = turned(s, base, [zero, one, zero]);
    let outward = turned(s, base, [zero, zero, one]);
    let up = turned(s, foot, [zero, one, zero]);
    let sole = load_vectors(s, &group.sole);
    let above_hip = sub3(s, sole, load_vectors(s, &group.hip));
    let length = s.load(&group.lengths[4]);
    let ball = [above_hip[0] + up[0] * length, above_hip[1] + up[1] * length, above_hip[2] + up[2] * length];
    let (ahead, aside) = (dot3(s, ball, outward), dot3(s, ball, side));
    let radius = (ahead * ahead + aside * aside).sqrt();
    let inverse = one / radius;
    let (cos, sin) = (ahead * inverse, aside * inverse);
    let (out, to_side) = (scale3(s, outward, cos), scale3(s, side, sin));
    let radial = [out[0] + to_side[0], out[1] + to_side[1], out[2] + to_side[2]];
    let across = cross(s, axis, radial);

    let (low, high) = (s.splat(search.low), s.splat(search.high));
    let (window, previous) = (s.splat(search.window), s.load(&group.previous));
    let known = group.goes_on;
    let within_window =
        above(s, previous, low - window - s.splat(TINY)) & above(s, high + window + s.splat(TINY), previous);
    let fine = above(s, radius, s.splat(TINY))
        & above(s, huge * huge, dot3(s, ball, ball))
        & above(s, s.load(&group.lengths[1]), s.splat(TINY))
        & above(s, s.load(&group.lengths[2]), s.splat(TINY))
        & above(s, huge, s.load(&group.lengths[1]) + s.load(&group.lengths[2]))
        & above(s, huge, s.load(&group.lengths[0]) + s.load(&group.lengths[3]) + length)
        & unit(s, base)
        & unit(s, foot)
        & (within_window | !known);
    let goes_on = s.mask(known);
    let plane = Plane {
        yaw: atan2(s, aside, ahead),
        ball: [radius, dot3(s, ball, axis)],
        down: [zero - dot3(s, up, radial), zero - dot3(s, up, axis), zero - dot3(s, up, across)],
        previous,
        continuity: s.splat(search.continuity).select(goes_on, zero),
        low: (previous - window).max(low).select(goes_on, low),
        high: (previous + window).min(high).select(goes_on, high),
        known,
    };
    let (tilt, found, missing) = Tilt::chosen(s, group, search, &plane);
    let flat = Flat::at(s, group, &plane, tilt.phi);

    let solved = fine & found;
    let is_solved = s.mask(solved);
    let coxa = half_turn_y(s, base, cos, sin);
    let upper = half_turn_x_back(s, coxa, flat.upper[0], flat.upper[1]);
    let lower = half_turn_x_back(s, coxa, flat.lower[0], flat.lower[1]);
    let ankle = half_turn_x_back(s, coxa, flat.ankle[0], flat.ankle[1]);
    keep_quats(s, is_solved, coxa, &mut output.rotations[0]);
    keep_quats(s, is_solved, upper, &mut output.rotations[1]);
    keep_quats(s, is_solved, lower, &mut output.rotations[2]);
    keep_quats(s, is_solved, ankle, &mut output.rotations[3]);
    keep_quats(s, is_solved, foot, &mut output.rotations[4]);
    keep(s, is_solved, plane.yaw, &mut output.angles[0]);
    keep(s, is_solved, flat.angles[0], &mut output.angles[1]);
    keep(s, is_solved, flat.angles[1], &mut output.angles[2]);
    keep(s, is_solved, flat.angles[2], &mut output.angles[3]);
    keep(s, is_solved, flat.angles[3], &mut output.foot_angle);
    keep(s, is_solved, tilt.phi, &mut output.phi);
    keep(s, is_solved, flat.reach, &mut output.reach);
    keep(s, is_solved, flat.margin, &mut output.limit_margin);
    keep(s, is_solved, flat.clearance, &mut output.clearance);

    let limited = solved & above(s, zero, flat.margin);
    let collides = solved & !limited & above(s, zero, flat.clearance);
    let unreachable = fine & !found;
    let mut joint = [0.0; 8];
    flat.joint.store(&mut joint);
    status.joint = [0; 8];
    for lane in 0..8 {
        if solved >> lane & 1 == 1 {
            output.limit_joint[lane] = joint[lane] as u16;
        }
        if limited >> lane & 1 == 1 {
            status.joint[lane] = joint[lane] as u16;
        }
    }
    let depth = (zero - flat.clearance).select(s.mask(collides), zero);
    missing.select(s.mask(unreachable), depth).store(&mut status.by_metres);
    status.reached = solved & !limited & !collides;
    status.softened = 0;
    status.unreachable = unreachable;
    status.limited = limited;
    status.collides = collides;
    status.faulty = !fine;
}

#[inline(always)]
fn keep<S: Simd>(s: S, lanes: S::M, v: S::F, to: &mut [f32; 8]) {
    v.select(lanes, s.load(to)).store(to);
}

#[inline(always)]
fn keep_quats<S: Simd>(s: S, lanes: S::M, q: Quats<S>, to: &mut [[f32; 8]; 4]) {
    let (q, old) = (normalize(s, q), load_quats(s, to));
    store_quats(s, select4(s, lanes, q, old), to);
}
