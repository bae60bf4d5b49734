//! Weighted means of eight transforms at a time, kept in registers: the inner step of every blend.
//!
//! A kernel walks over groups of eight joints. For each it makes an [`Accumulator`] from the first contributor,
//! adds the others, finishes, lays differences on top and stores once:
//!
//! ```text
//! let shares = Shares::new(simd, total);             // total: sum of weight * mask over the layers
//! let mut sum = Accumulator::start(simd, &base, shares.base);
//! for each layer { sum.add(&sampled, shares.of(weight * mask)); }
//! let mut joints = sum.finish();
//! for each additive layer { joints.add_difference(&source, &reference, weight * mask); }
//! joints.store(&mut out_group, &mut out_scale);
//! ```
//!
//! The rule: shares add up to one; where the weights add up to less, the base fills up, where to more, they are
//! divided by their sum. A quaternion is flipped into the hemisphere of the running sum before it is added, so
//! the sum never gets shorter: of unit quaternions its length is at least one over the square root of the number
//! of contributors, and the division at the end is safe.
//!
//! With `SCALED` false scales are neither read nor written. A share of 0 changes nothing (up to the sign of a
//! zero), so lanes that a mask leaves out may be added all the same. Where one contributor has everything, its
//! transform comes out within rounding; a kernel that promises it bit for bit takes it with
//! [`Joints::select`] where [`Shares::others`] or [`Shares::layers`] say no.

use crate::wide::{Floats, Simd};
use crate::{PoseGroup, ScaleGroup};

/// Sums of rotations shorter than this have no direction.
const VANISHED: f32 = 1e-12;
/// Reference scales smaller than this are not divided by.
const NO_SCALE: f32 = 1e-12;

/// Parent-local transforms of eight joints in registers; lane `i` of each belongs to joint `i`.
#[derive(Clone, Copy)]
pub(crate) struct Joints<S: Simd, const SCALED: bool> {
    simd: S,
    /// Quaternions, X, Y, Z, W.
    pub(crate) rotation: [S::F; 4],
    /// Metres; X, Y, Z.
    pub(crate) translation: [S::F; 3],
    /// Per axis; ones, and never looked at, where not `SCALED`.
    pub(crate) scale: [S::F; 3],
}

impl<S: Simd, const SCALED: bool> Joints<S, SCALED> {
    /// From registers.
    #[inline(always)]
    pub(crate) fn new(simd: S, rotation: [S::F; 4], translation: [S::F; 3], scale: [S::F; 3]) -> Self {
        Self { simd, rotation, translation, scale }
    }

    /// From memory; `scale` is only read where `SCALED`.
    #[inline(always)]
    pub(crate) fn load(simd: S, group: &PoseGroup, scale: &ScaleGroup) -> Self {
        let (r, t, s) = (&group.rotation, &group.translation, &scale.scale);
        let one = simd.splat(1.0);
        Self {
            simd,
            rotation: [simd.load(&r[0]), simd.load(&r[1]), simd.load(&r[2]), simd.load(&r[3])],
            translation: [simd.load(&t[0]), simd.load(&t[1]), simd.load(&t[2])],
            scale: if SCALED { [simd.load(&s[0]), simd.load(&s[1]), simd.load(&s[2])] } else { [one; 3] },
        }
    }

    /// To memory; `scale` is only written where `SCALED`.
    #[inline(always)]
    pub(crate) fn store(self, group: &mut PoseGroup, scale: &mut ScaleGroup) {
        for axis in 0..4 {
            self.rotation[axis].store(&mut group.rotation[axis]);
        }
        for axis in 0..3 {
            self.translation[axis].store(&mut group.translation[axis]);
            if SCALED {
                self.scale[axis].store(&mut scale.scale[axis]);
            }
        }
    }

    /// `self` where yes, `other` where no, to the bit.
    #[inline(always)]
    pub(crate) fn select(mut self, mask: S::M, other: &Self) -> Self {
        for axis in 0..4 {
            self.rotation[axis] = self.rotation[axis].select(mask, other.rotation[axis]);
        }
        for axis in 0..3 {
            self.translation[axis] = self.translation[axis].select(mask, other.translation[axis]);
            if SCALED {
                self.scale[axis] = self.scale[axis].select(mask, other.scale[axis]);
            }
        }
        self
    }

    /// Takes the rotation of `other` where yes.
    #[inline(always)]
    pub(crate) fn take_rotation(&mut self, mask: S::M, other: &Self) {
        for axis in 0..4 {
            self.rotation[axis] = other.rotation[axis].select(mask, self.rotation[axis]);
        }
    }

    /// Lays what sets `source` apart from `reference` on top: translation `+= weight * (source - reference)`;
    /// rotation turned, in the axes of the parent, by the normalised interpolation from the identity to
    /// `source * conjugate(reference)` (the shorter way round); scale times that share of `source / reference`,
    /// or, where the reference has vanished, plus that share of the difference. The weight is 0 or more.
    /// At weight 0 the rotation changes within rounding; [`Joints::select`] keeps lanes to the bit.
    #[inline(always)]
    pub(crate) fn add_difference(&mut self, source: &Self, reference: &Self, weight: S::F) {
        let one = self.simd.splat(1.0);
        for axis in 0..3 {
            let difference = source.translation[axis] - reference.translation[axis];
            self.translation[axis] = self.translation[axis] + difference * weight;
        }
        let mut turn = times_conjugate::<S>(&source.rotation, &reference.rotation);
        // Into the hemisphere of the identity; then 1 + w (c - 1) loses less than (1 - w) + w c.
        let signed = weight.flip_sign(turn[3]);
        for v in &mut turn {
            *v = *v * signed;
        }
        turn[3] = one + (turn[3] - weight);
        self.rotation = normalise(self.simd, times::<S>(&turn, &self.rotation));
        if SCALED {
            let tiny = self.simd.splat(NO_SCALE);
            for axis in 0..3 {
                let (from, to) = (reference.scale[axis], source.scale[axis]);
                let factor = one + (to / from - one) * weight;
                let multiplied = self.scale[axis] * factor;
                let added = self.scale[axis] + (to - from) * weight;
                let divides = from.flip_sign(from).gt(tiny);
                self.scale[axis] = multiplied.select(divides, added);
            }
        }
    }
}

/// How much each contributor of a lane gets, so that all add up to one.
#[derive(Clone, Copy)]
pub(crate) struct Shares<S: Simd> {
    simd: S,
    /// What the base gets: `max(1 - total, 0)`.
    pub(crate) base: S::F,
    /// `max(total, 1)`.
    whole: S::F,
    /// What weights are multiplied with: `1 / whole`.
    factor: S::F,
}

impl<S: Simd> Shares<S> {
    /// `total` is the sum of the weights of the layers, each 0 or more.
    #[inline(always)]
    pub(crate) fn new(simd: S, total: S::F) -> Self {
        let one = simd.splat(1.0);
        let whole = total.max(one);
        Self { simd, base: (one - total).max(simd.splat(0.0)), whole, factor: one / whole }
    }

    /// The share of a weight.
    #[inline(always)]
    pub(crate) fn of(&self, weight: S::F) -> S::F {
        weight * self.factor
    }

    /// Yes where others than the layer of this weight have a say; no where it has everything.
    #[inline(always)]
    pub(crate) fn others(&self, weight: S::F) -> S::M {
        self.whole.gt(weight)
    }

    /// Yes where some layer has a say; no where the base has everything.
    #[inline(always)]
    pub(crate) fn layers(&self) -> S::M {
        self.simd.splat(1.0).gt(self.base)
    }
}

/// The weighted mean of eight transforms; see the top of the file.
#[derive(Clone, Copy)]
pub(crate) struct Accumulator<S: Simd, const SCALED: bool> {
    sum: Joints<S, SCALED>,
}

impl<S: Simd, const SCALED: bool> Accumulator<S, SCALED> {
    /// Nothing yet, for kernels that add rotations and translations at different times. Cheaper where the first
    /// contributor is at hand: [`Accumulator::start`].
    #[inline(always)]
    pub(crate) fn begin(simd: S) -> Self {
        let zero = simd.splat(0.0);
        Self { sum: Joints::new(simd, [zero; 4], [zero; 3], [zero; 3]) }
    }

    /// The first contributor.
    #[inline(always)]
    pub(crate) fn start(simd: S, first: &Joints<S, SCALED>, share: S::F) -> Self {
        let (r, t, s) = (&first.rotation, &first.translation, &first.scale);
        let rotation = [r[0] * share, r[1] * share, r[2] * share, r[3] * share];
        let translation = [t[0] * share, t[1] * share, t[2] * share];
        let scale = if SCALED { [s[0] * share, s[1] * share, s[2] * share] } else { *s };
        Self { sum: Joints::new(simd, rotation, translation, scale) }
    }

    /// Another contributor.
    #[inline(always)]
    pub(crate) fn add(&mut self, joints: &Joints<S, SCALED>, share: S::F) {
        self.add_rotation(&joints.rotation, share);
        self.add_translation(&joints.translation, share);
        if SCALED {
            self.add_scale(&joints.scale, share);
        }
    }

    /// The rotation of another contributor.
    #[inline(always)]
    pub(crate) fn add_rotation(&mut self, rotation: &[S::F; 4], share: S::F) {
        let sum = &mut self.sum.rotation;
        // Plus zero: a dot product of -0 must not flip the first quaternion of a lane.
        let signed = share.flip_sign(dot::<S>(sum, rotation) + self.sum.simd.splat(0.0));
        for axis in 0..4 {
            sum[axis] = sum[axis] + rotation[axis] * signed;
        }
    }

    /// The translation of another contributor.
    #[inline(always)]
    pub(crate) fn add_translation(&mut self, translation: &[S::F; 3], share: S::F) {
        for axis in 0..3 {
            self.sum.translation[axis] = self.sum.translation[axis] + translation[axis] * share;
        }
    }

    /// The scale of another contributor; only where `SCALED`.
    #[inline(always)]
    pub(crate) fn add_scale(&mut self, scale: &[S::F; 3], share: S::F) {
        for axis in 0..3 {
            self.sum.scale[axis] = self.sum.scale[axis] + scale[axis] * share;
        }
    }

    /// Lanes whose rotations have cancelled out or were none; of unit quaternions there are no such lanes.
    #[inline(always)]
    pub(crate) fn vanished(&self) -> S::M {
        let r = &self.sum.rotation;
        self.sum.simd.splat(VANISHED * VANISHED).gt(dot::<S>(r, r))
    }

    /// The mean: rotations are normalised. In a lane where [`Accumulator::vanished`] says yes the rotation is
    /// finite but means nothing; the rule is to keep that of the first contributor.
    #[inline(always)]
    pub(crate) fn finish(mut self) -> Joints<S, SCALED> {
        self.sum.rotation = normalise(self.sum.simd, self.sum.rotation);
        self.sum
    }
}

#[inline(always)]
fn dot<S: Simd>(a: &[S::F; 4], b: &[S::F; 4]) -> S::F {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

/// Divided by the length; a vanished quaternion stays finite.
#[inline(always)]
fn normalise<S: Simd>(simd: S, q: [S::F; 4]) -> [S::F; 4] {
    let length = dot::<S>(&q, &q).sqrt().max(simd.splat(VANISHED));
    let factor = simd.splat(1.0) / length;
    [q[0] * factor, q[1] * factor, q[2] * factor, q[3] * factor]
}

/// The Hamilton product `a * b`.
#[inline(always)]
fn times<S: Simd>(a: &[S::F; 4], b: &[S::F; 4]) -> [S::F; 4] {
    [
        (a[3] * b[0] + a[0] * b[3]) + (a[1] * b[2] - a[2] * b[1]),
        (a[3] * b[1] + a[1] * b[3]) + (a[2] * b[0] - a[0] * b[2]),
        (a[3] * b[2] + a[2] * b[3]) + (a[0] * b[1] - a[1] * b[0]),
        (a[3] * b[3] - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2]),
    ]
}

/// `a * conjugate(b)`: the turn from `b` to `a`.
#[inline(always)]
fn times_conjugate<S: Simd>(a: &[S::F; 4], b: &[S::F; 4]) -> [S::F; 4] {
    [
        (a[0] * b[3] - a[3] * b[0]) + (a[2] * b[1] - a[1] * b[2]),
        (a[1] * b[3] - a[3] * b[1]) + (a[0] * b[2] - a[2] * b[0]),
        (a[2] * b[3] - a[3] * b[2]) + (a[1] * b[0] - a[0] * b[1]),
        (a[3] * b[3] + a[0] * b[0]) + (a[1] * b[1] + a[2] * b[2]),
    ]
}
