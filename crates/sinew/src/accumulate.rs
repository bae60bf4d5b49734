//! Weighted means of eight transforms at a time, kept in registers: the inner step of every blend.
//!
//! A kernel walks over groups of eight joints. For each it starts sums with the first contributor, adds the others,
//! finishes, lays differences on top and stores once.
//!
//! The rule: shares add up to one; where the weights add up to less, the base fills up, where to more, they are
//! divided by their sum. A quaternion is flipped into the hemisphere of the running sum before it is added, so
//! the sum never gets shorter: of unit quaternions its length is at least one over the square root of the number
//! of contributors, and the division at the end is safe.
//!
//! With `SCALED` false scales are neither read nor written. A share of 0 changes nothing (up to the sign of a
//! zero), so lanes that a mask leaves out may be added all the same. Where one contributor has everything, its
//! transform comes out within rounding; a kernel that promises it bit for bit takes it with [`Joints::select`].

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

/// The sum of eight rotations, each added in the hemisphere of the sum so far.
#[derive(Clone, Copy)]
pub(crate) struct RotationSum<S: Simd> {
    simd: S,
    sum: [S::F; 4],
}

impl<S: Simd> RotationSum<S> {
    /// The first contributor.
    #[inline(always)]
    pub(crate) fn start(simd: S, rotation: &[S::F; 4], share: S::F) -> Self {
        let q = rotation;
        Self { simd, sum: [q[0] * share, q[1] * share, q[2] * share, q[3] * share] }
    }

    /// Another contributor.
    #[inline(always)]
    pub(crate) fn add(&mut self, rotation: &[S::F; 4], share: S::F) {
        let q = rotation;
        // Weighted before the sign is known: what waits for the sum is as short as it can be.
        let part = [q[0] * share, q[1] * share, q[2] * share, q[3] * share];
        // Plus zero, so that where nothing was added before the first is not flipped by a -0.
        let (sum, side) = (&self.sum, dot::<S>(&self.sum, &part) + self.simd.splat(0.0));
        self.sum = [
            sum[0] + part[0].flip_sign(side),
            sum[1] + part[1].flip_sign(side),
            sum[2] + part[2].flip_sign(side),
            sum[3] + part[3].flip_sign(side),
        ];
    }

    /// Lanes whose rotations have cancelled out or were none; of unit quaternions there are no such lanes.
    #[inline(always)]
    pub(crate) fn vanished(&self) -> S::M {
        self.simd.splat(VANISHED * VANISHED).gt(dot::<S>(&self.sum, &self.sum))
    }

    /// The mean, a unit quaternion. In a lane where [`RotationSum::vanished`] says yes it is finite but means
    /// nothing; the rule is to keep that of the first contributor.
    #[inline(always)]
    pub(crate) fn finish(self) -> [S::F; 4] {
        normalise(self.simd, self.sum)
    }
}

/// The weighted sum of eight vectors.
#[derive(Clone, Copy)]
pub(crate) struct VectorSum<S: Simd>(pub(crate) [S::F; 3]);

impl<S: Simd> VectorSum<S> {
    /// The first contributor.
    #[inline(always)]
    pub(crate) fn start(v: &[S::F; 3], share: S::F) -> Self {
        Self([v[0] * share, v[1] * share, v[2] * share])
    }

    /// Another contributor.
    #[inline(always)]
    pub(crate) fn add(&mut self, v: &[S::F; 3], share: S::F) {
        let sum = &self.0;
        self.0 = [sum[0] + v[0] * share, sum[1] + v[1] * share, sum[2] + v[2] * share];
    }
}

/// The weighted mean of eight transforms: all the sums at once; see the top of the file.
#[derive(Clone, Copy)]
pub(crate) struct Accumulator<S: Simd, const SCALED: bool> {
    /// Of rotations.
    pub(crate) rotation: RotationSum<S>,
    /// Of translations.
    pub(crate) translation: VectorSum<S>,
    /// Of scales; only looked at where `SCALED`.
    pub(crate) scale: VectorSum<S>,
}

impl<S: Simd, const SCALED: bool> Accumulator<S, SCALED> {
    /// The first contributor.
    #[inline(always)]
    pub(crate) fn start(first: &Joints<S, SCALED>, share: S::F) -> Self {
        Self {
            rotation: RotationSum::start(first.simd, &first.rotation, share),
            translation: VectorSum::start(&first.translation, share),
            scale: if SCALED { VectorSum::start(&first.scale, share) } else { VectorSum(first.scale) },
        }
    }

    /// Another contributor.
    #[inline(always)]
    pub(crate) fn add(&mut self, joints: &Joints<S, SCALED>, share: S::F) {
        self.rotation.add(&joints.rotation, share);
        self.translation.add(&joints.translation, share);
        if SCALED {
            self.scale.add(&joints.scale, share);
        }
    }

    /// The mean.
    #[inline(always)]
    pub(crate) fn finish(self) -> Joints<S, SCALED> {
        Joints::new(self.rotation.simd, self.rotation.finish(), self.translation.0, self.scale.0)
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
