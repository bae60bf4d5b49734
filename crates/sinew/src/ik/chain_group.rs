//! Eight chains at a time.

use super::lanes::{above, add3, conj, cross, select3, select4, turned, unit};
use super::limit_lanes::{LimitLanes, hold_limits};
use super::{ChainSolution, IkError, IkStatus, LaneStatus};
use crate::transition::rotation::{
    Quats, Vectors, dot3, limit, load_quats, load_vectors, mul, normalize, scale3, store_quats, sub3,
};
use crate::wide::{Floats, Simd, dispatch};
use crate::{Backend, DTransform};

/// Lengths below which there is no direction, metres.
const TINY: f32 = 1e-6;
/// Lengths and coordinates above this are no metres.
const HUGE: f32 = 1e9;
/// Part of the distance that is left by which a sweep must shorten it to count as getting nearer.
const NEARING: f32 = 1e-4;
/// And below which nothing happened.
const STUCK: f32 = 1e-6;
/// Ranks (0.25 to 1 of a radian) within which a joint counts as being at its limit.
const AT_LIMIT: f32 = 2e-6;
/// Most sweeps of one run.
const MOST_SWEEPS: u32 = 100_000;

/// What eight chains start from and go to; lane `i` of each row belongs to chain `i`. The fields are those of
/// [`ChainJob`](super::ChainJob).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct ChainGroup {
    /// Positions of the first joints, metres.
    pub root: [[f32; 8]; 3],
    /// Rotations of their parents, XYZW.
    pub parent: [[f32; 8]; 4],
    /// Where the ends should be, metres.
    pub target: [[f32; 8]; 3],
    /// Distance that is near enough, metres; above 0. Single precision does not get below some 1e-6 of the
    /// chain's length.
    pub tolerance: [f32; 8],
}

impl ChainGroup {
    /// Eight lanes without a chain: they come out as [`LaneStatus::faulty`], and their rotations are left
    /// alone.
    pub const EMPTY: Self = Self {
        root: [[0.0; 8]; 3],
        parent: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]],
        target: [[0.0; 8]; 3],
        tolerance: [0.0; 8],
    };

    /// Puts root (its scale is not looked at), target and tolerance into a lane, rounded to single precision.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set(&mut self, lane: usize, root: &DTransform, target: glam::DVec3, tolerance: f64) {
        for axis in 0..3 {
            self.root[axis][lane] = root.translation[axis] as f32;
            self.target[axis][lane] = target[axis] as f32;
        }
        for (row, v) in self.parent.iter_mut().zip(root.rotation.to_array()) {
            row[lane] = v as f32;
        }
        self.tolerance[lane] = tolerance as f32;
    }
}

/// One joint of each of eight chains.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct ChainLink {
    /// To the next joint, or of the last one to the end, in the joint's own space, metres.
    pub offset: [[f32; 8]; 3],
    /// Limits of the local rotations.
    pub limits: LimitLanes,
}

impl ChainLink {
    /// Without length and limits.
    pub const EMPTY: Self = Self { offset: [[0.0; 8]; 3], limits: LimitLanes::NONE };

    /// Puts an offset into a lane, rounded to single precision.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    pub fn set_offset(&mut self, lane: usize, offset: glam::DVec3) {
        for axis in 0..3 {
            self.offset[axis][lane] = offset[axis] as f32;
        }
    }
}

/// Where eight ends came to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChainLanes {
    /// What came of them.
    pub status: LaneStatus,
    /// Distances from ends to targets, metres; 0 of faulty lanes.
    pub residual: [f32; 8],
    /// Sweeps it took.
    pub sweeps: [u32; 8],
}

impl ChainLanes {
    /// Of one lane; `None` where it is faulty.
    ///
    /// # Panics
    /// Where `lane` is not below 8.
    #[must_use]
    pub fn get(&self, lane: usize) -> Option<ChainSolution> {
        let (residual, sweeps) = (f64::from(self.residual[lane]), self.sweeps[lane]);
        self.status.get(lane).map(|status: IkStatus| ChainSolution { status, residual, sweeps })
    }
}

/// [`ChainJob`](super::ChainJob) for eight chains with the same number of joints, in single precision.
///
/// A lane that has arrived is frozen while others go on, so that no lane depends on its neighbours. Nothing
/// can fail half way: lanes with a bad chain or target are marked and left alone.
#[derive(Debug)]
pub struct ChainGroupJob<'a> {
    /// Roots and targets.
    pub group: &'a ChainGroup,
    /// `[joint]`
    pub links: &'a [ChainLink],
    /// Sweeps over the chains at most, 1 to 100000.
    pub sweeps: u32,
    /// `[joint]`: local rotations, XYZW of eight each, changed in place.
    pub rotations: &'a mut [[[f32; 8]; 4]],
    /// What came of them.
    pub output: &'a mut ChainLanes,
}

impl ChainGroupJob<'_> {
    /// Solves all on the fastest backend, as [`ChainJob::run`](super::ChainJob::run) does. Allocates nothing.
    ///
    /// # Errors
    /// [`IkError::Count`] where there are not as many rotations as links, [`IkError::OutOfRange`] where the
    /// number of sweeps or joints is none.
    pub fn run(&mut self) -> Result<(), IkError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`ChainGroupJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), IkError> {
        let (found, expected) = (self.rotations.len(), self.links.len());
        if found != expected {
            return Err(IkError::Count { what: "rotations", found, expected });
        }
        if !(1..=usize::from(u16::MAX)).contains(&expected) {
            let (what, value) = ("the number of joints", expected as f64);
            return Err(IkError::OutOfRange { what, value, expected: "1 to 65535" });
        }
        if !(1..=MOST_SWEEPS).contains(&self.sweeps) {
            let (what, value) = ("the number of sweeps", f64::from(self.sweeps));
            return Err(IkError::OutOfRange { what, value, expected: "1 to 100000" });
        }
        let (group, links, sweeps) = (self.group, self.links, self.sweeps);
        let (rotations, output) = (&mut *self.rotations, &mut *self.output);
        dispatch!(
            backend,
            solve(
                group: &ChainGroup,
                links: &[ChainLink],
                sweeps: u32,
                rotations: &mut [[[f32; 8]; 4]],
                output: &mut ChainLanes,
            )
        );
        Ok(())
    }
}

/// All is in the space of the first joint's parent, with the first joint as origin.
#[inline(always)]
fn solve<S: Simd>(
    s: S,
    group: &ChainGroup,
    links: &[ChainLink],
    sweeps: u32,
    rotations: &mut [[[f32; 8]; 4]],
    output: &mut ChainLanes,
) {
    let (zero, huge) = (s.splat(0.0), s.splat(HUGE));
    let parent = load_quats(s, &group.parent);
    let way = sub3(s, load_vectors(s, &group.target), load_vectors(s, &group.root));
    let target = turned(s, conj(s, parent), way);
    let tolerance = s.load(&group.tolerance);
    let distance = dot3(s, target, target).sqrt();

    let (mut sum, mut longest) = (zero, zero);
    let mut fine = above(s, tolerance, s.splat(f32::MIN_POSITIVE))
        & above(s, huge, tolerance)
        & above(s, huge, distance)
        & unit(s, parent);
    for i in 0..links.len() {
        let offset = load_vectors(s, &links[i].offset);
        let length = dot3(s, offset, offset).sqrt();
        sum = sum + length;
        longest = longest.max(length);
        fine &= above(s, huge, length) & unit(s, load_quats(s, &rotations[i]));
    }
    fine &= above(s, sum, s.splat(TINY));
    let may_reach = !above(s, distance, sum) & !above(s, longest + longest - sum, distance);

    let is_fine = s.mask(fine);
    for i in 0..links.len() {
        let before = load_quats(s, &rotations[i]);
        let (q, _) = hold_limits(s, normalize(s, before), &links[i].limits, 0.0);
        store_quats(s, select4(s, is_fine, q, before), &mut rotations[i]);
    }
    let mut residual = left(s, links, rotations, target);
    let (mut active, mut straight, mut nearing) = (fine, fine, 0);
    output.sweeps = [0; 8];
    for sweep in 1..=sweeps {
        active &= above(s, residual, tolerance);
        if active == 0 {
            break;
        }
        let before = residual;
        sweep_once(s, links, rotations, target, active);
        let after = step_together(s, links, rotations, target, active);
        residual = after.select(s.mask(active), residual);
        for lane in 0..8 {
            if active >> lane & 1 == 1 {
                output.sweeps[lane] = sweep;
            }
        }
        let nearer = above(s, before * s.splat(1.0 - NEARING), residual);
        nearing = nearing & !active | nearer & active;
        // A straight chain that points at its target sees no way to bend.
        let stuck = active
            & straight
            & may_reach
            & above(s, residual, tolerance)
            & above(s, residual, before * s.splat(1.0 - STUCK));
        if stuck != 0 {
            straight &= !stuck;
            bend(s, links, rotations, stuck);
            residual = left(s, links, rotations, target).select(s.mask(stuck), residual);
        }
    }

    let reached = fine & !above(s, residual, tolerance);
    let by_limit = fine & !reached & may_reach & !nearing;
    let mut limited = 0;
    output.status.joint = [0; 8];
    for i in 0..links.len() {
        // Where nothing stopped there is nothing to look at.
        if by_limit == limited {
            break;
        }
        let (_, at) = hold_limits(s, load_quats(s, &rotations[i]), &links[i].limits, AT_LIMIT);
        let new = at & by_limit & !limited;
        limited |= new;
        for lane in 0..8 {
            if new >> lane & 1 == 1 {
                output.status.joint[lane] = i as u16;
            }
        }
    }
    let unreachable = fine & !reached & !limited;
    residual.select(is_fine, zero).store(&mut output.residual);
    residual.select(s.mask(unreachable), zero).store(&mut output.status.by_metres);
    output.status.reached = reached;
    output.status.softened = 0;
    output.status.unreachable = unreachable;
    output.status.limited = limited;
    output.status.collides = 0;
    output.status.faulty = !fine;
}

/// Where the ends are.
#[inline(always)]
fn end<S: Simd>(s: S, links: &[ChainLink], rotations: &[[[f32; 8]; 4]]) -> Vectors<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let (mut at, mut frame) = ([zero; 3], [zero, zero, zero, one]);
    for i in 0..links.len() {
        frame = mul(s, frame, load_quats(s, &rotations[i]));
        at = add3(s, at, turned(s, frame, load_vectors(s, &links[i].offset)));
    }
    at
}

/// Distances from ends to targets.
#[inline(always)]
fn left<S: Simd>(s: S, links: &[ChainLink], rotations: &[[[f32; 8]; 4]], target: Vectors<S>) -> S::F {
    let missing = sub3(s, end(s, links, rotations), target);
    dot3(s, missing, missing).sqrt()
}

/// One step of each joint, from the tip to the root.
#[inline(always)]
fn sweep_once<S: Simd>(
    s: S,
    links: &[ChainLink],
    rotations: &mut [[[f32; 8]; 4]],
    target: Vectors<S>,
    active: u8,
) {
    let is_active = s.mask(active);
    // The target as the tip's parent sees it, with the last joint as origin.
    let mut target = target;
    for i in 0..links.len() - 1 {
        let seen = turned(s, conj(s, load_quats(s, &rotations[i])), target);
        target = sub3(s, seen, load_vectors(s, &links[i].offset));
    }
    let mut end = [s.splat(0.0); 3];
    for back in 0..links.len() {
        let i = links.len() - 1 - back;
        // Both as seen by the joint itself.
        end = add3(s, end, load_vectors(s, &links[i].offset));
        let before = load_quats(s, &rotations[i]);
        let arc = arc(s, turned(s, before, end), target);
        let (after, _) = hold_limits(s, normalize(s, mul(s, arc, before)), &links[i].limits, 0.0);
        let after = select4(s, is_active, after, before);
        store_quats(s, after, &mut rotations[i]);
        end = turned(s, after, end);
        if i > 0 {
            // One joint up.
            let at = add3(s, target, load_vectors(s, &links[i - 1].offset));
            target = turned(s, load_quats(s, &rotations[i - 1]), at);
        }
    }
}

/// The shortest rotation from one direction to another; none where one of them has no length.
#[inline(always)]
fn arc<S: Simd>(s: S, from: Vectors<S>, to: Vectors<S>) -> Quats<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let size = dot3(s, from, from).sqrt() * dot3(s, to, to).sqrt();
    let some = size.gt(s.splat(1e-24));
    let inverse = one / size.select(some, one);
    let axis = scale3(s, cross(s, from, to), inverse);
    let w = one + dot3(s, from, to) * inverse;
    // Half a turn goes about any axis across.
    let across = s.splat(1e-6).gt(w);
    let (x, z) = (from[0].max(zero - from[0]), from[2].max(zero - from[2]));
    let by_z = select3(s, x.gt(z), [zero - from[1], from[0], zero], [zero, zero - from[2], from[1]]);
    let by_z = scale3(s, by_z, one / dot3(s, by_z, by_z).sqrt());
    let axis = select3(s, across, by_z, axis);
    let q = normalize(s, [axis[0], axis[1], axis[2], zero.select(across, w)]);
    select4(s, some, q, [zero, zero, zero, one])
}

/// One step of all joints at once, where it brings the end nearer; the distance that is left. See
/// [`ChainJob`](super::ChainJob).
#[inline(always)]
fn step_together<S: Simd>(
    s: S,
    links: &[ChainLink],
    rotations: &mut [[[f32; 8]; 4]],
    target: Vectors<S>,
    active: u8,
) -> S::F {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let end = end(s, links, rotations);
    let missing = sub3(s, target, end);
    let residual = dot3(s, missing, missing).sqrt();
    // Sums of |r|^2 - r r^T over the ways r to the end: xx, yy, zz, xy, xz, yz.
    let mut a = [zero; 6];
    let (mut at, mut frame) = ([zero; 3], [zero, zero, zero, one]);
    for i in 0..links.len() {
        let r = sub3(s, end, at);
        let (x, y, z) = (r[0] * r[0], r[1] * r[1], r[2] * r[2]);
        a[0] = a[0] + (y + z);
        a[1] = a[1] + (x + z);
        a[2] = a[2] + (x + y);
        a[3] = a[3] - r[0] * r[1];
        a[4] = a[4] - r[0] * r[2];
        a[5] = a[5] - r[1] * r[2];
        frame = mul(s, frame, load_quats(s, &rotations[i]));
        at = add3(s, at, turned(s, frame, load_vectors(s, &links[i].offset)));
    }
    let inverse = one / (a[0] + a[1] + a[2]);
    // Keeps the equations solvable where the chain is straight.
    let least = s.splat(1e-6);
    let (xx, yy, zz) = (a[0] * inverse + least, a[1] * inverse + least, a[2] * inverse + least);
    let (xy, xz, yz) = (a[3] * inverse, a[4] * inverse, a[5] * inverse);
    let m = scale3(s, missing, inverse);
    let (c0, c1, c2) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let (c3, c4, c5) = (xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy);
    let by = one / (xx * c0 + xy * c1 + xz * c2);
    let y = [
        (c0 * m[0] + c1 * m[1] + c2 * m[2]) * by,
        (c1 * m[0] + c3 * m[1] + c4 * m[2]) * by,
        (c2 * m[0] + c4 * m[1] + c5 * m[2]) * by,
    ];
    let after = turn_all::<S, false>(s, links, rotations, target, end, y, 0);
    // NaN is no improvement.
    let nearer = above(s, residual, after) & active;
    if nearer != 0 {
        turn_all::<S, true>(s, links, rotations, target, end, y, nearer);
    }
    after.select(s.mask(nearer), residual)
}

/// Turns every joint by `r x y`, at most half a radian, and back to within its limit; the distance that is
/// then left. Rotations are only changed where `KEEP`, in the lanes of a mask.
#[inline(always)]
fn turn_all<S: Simd, const KEEP: bool>(
    s: S,
    links: &[ChainLink],
    rotations: &mut [[[f32; 8]; 4]],
    target: Vectors<S>,
    end: Vectors<S>,
    y: Vectors<S>,
    lanes: u8,
) -> S::F {
    let (zero, one, half) = (s.splat(0.0), s.splat(1.0), s.splat(0.5));
    let keep = s.mask(lanes);
    let (mut at, mut frame) = ([zero; 3], [zero, zero, zero, one]);
    let (mut new_at, mut new_frame) = (at, frame);
    for i in 0..links.len() {
        let by = limit(s, cross(s, sub3(s, end, at), y), half);
        let by = scale3(s, turned(s, conj(s, frame), by), half);
        // Sine over angle, and cosine, of a quarter of a radian at most.
        let z = dot3(s, by, by);
        let sinc = one - z * (s.splat(1.0 / 6.0) - z * (s.splat(1.0 / 120.0) - z * s.splat(1.0 / 5040.0)));
        let cos = one - z * (half - z * (s.splat(1.0 / 24.0) - z * s.splat(1.0 / 720.0)));
        let step = [by[0] * sinc, by[1] * sinc, by[2] * sinc, cos];
        let before = load_quats(s, &rotations[i]);
        let (after, _) = hold_limits(s, normalize(s, mul(s, step, before)), &links[i].limits, 0.0);
        let offset = load_vectors(s, &links[i].offset);
        frame = mul(s, frame, before);
        at = add3(s, at, turned(s, frame, offset));
        new_frame = mul(s, new_frame, after);
        new_at = add3(s, new_at, turned(s, new_frame, offset));
        if KEEP {
            store_quats(s, select4(s, keep, after, before), &mut rotations[i]);
        }
    }
    let missing = sub3(s, new_at, target);
    dot3(s, missing, missing).sqrt()
}

/// Bends every joint of some lanes a little to the same side.
#[inline(always)]
fn bend<S: Simd>(s: S, links: &[ChainLink], rotations: &mut [[[f32; 8]; 4]], lanes: u8) {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    // Half of a tenth of a radian.
    let (sin, cos) = (s.splat(0.049_979_17), s.splat(0.998_750_27));
    let is_bent = s.mask(lanes);
    for i in 0..links.len() {
        let offset = load_vectors(s, &links[i].offset);
        let length = dot3(s, offset, offset).sqrt();
        let some = length.gt(zero);
        let o = scale3(s, offset, one / length.select(some, one));
        // A direction across (Duff and others 2017).
        let sign = one.flip_sign(o[2]);
        let a = s.splat(-1.0) / (sign + o[2]);
        let side = [o[0] * o[1] * a, sign + o[1] * o[1] * a, zero - o[1]];
        let side = select3(s, some, side, [one, zero, zero]);
        let turn = [side[0] * sin, side[1] * sin, side[2] * sin, cos];
        let before = load_quats(s, &rotations[i]);
        let (q, _) = hold_limits(s, normalize(s, mul(s, before, turn)), &links[i].limits, 0.0);
        store_quats(s, select4(s, is_bent, q, before), &mut rotations[i]);
    }
}
