//! Eight floats at a time, the same bits on every backend.
//!
//! A kernel is written once, generic over [`Simd`], and compiled for AVX2, SSE2 and plain Rust. Only operations
//! that IEEE 754 rounds correctly are offered (add, subtract, multiply, divide, square root, compare, integer
//! and bit operations): no fused multiply-add, no reciprocal estimates, so all backends agree to the last bit.
//!
//! Soundness: vectors of a backend can only be made by methods of its token ([`Simd`]), and the tokens of
//! [`avx2`] and [`sse2`] are only made by [`dispatch!`](crate::wide::dispatch) after the processor was asked,
//! inside a function compiled with that feature. Every method is `#[inline(always)]` so that it takes on the
//! caller's feature.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
pub(crate) mod backend;
pub(crate) mod rows;
pub(crate) mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;
mod stage;
#[cfg(test)]
mod tests;
pub(crate) mod unpack;

use core::ops::{Add, Div, Mul, Sub};

use crate::clip::Checked;

pub use backend::Backend;
pub(crate) use backend::dispatch;
pub(crate) use rows::{pose_rows, scale_rows};
pub(crate) use stage::Stage;
pub(crate) use unpack::{MAX_WIDTH, NARROW, WINDOW};

/// Four floats: a quaternion, or a row of a 3x4 matrix.
pub(crate) type Quad = [f32; 4];

/// A backend: makes vectors. Copying the token is free.
pub(crate) trait Simd: Copy {
    /// Eight floats.
    type F: Floats<Mask = Self::M, Int = Self::I>;
    /// Eight 32-bit integers.
    type I: Ints<Float = Self::F>;
    /// A yes or no for each of eight lanes.
    type M: Copy;
    /// How to take apart a run of packed integers.
    type P: Copy;
    /// How to take apart a run of eight integers of at most [`NARROW`] bits.
    type N: Copy;
    /// Four floats.
    type Q: Quads;
    /// Two times four floats, for two characters side by side.
    type QQ: QuadPair<Quad = Self::Q>;

    /// Bytes of a clip at an offset that was walked when the clip was checked. The scalar twin asks again.
    fn bytes<const N: usize>(self, block: Checked<'_>, at: usize) -> &[u8; N];
    /// The same number in every lane.
    fn splat(self, v: f32) -> Self::F;
    /// Eight numbers from memory.
    fn load(self, from: &[f32; 8]) -> Self::F;
    /// Eight little-endian 16-bit integers, sign-extended.
    fn load_i16(self, from: &[u8; 16]) -> Self::I;
    /// Eight little-endian bfloat16 numbers (the upper half of an f32).
    fn load_bf16(self, from: &[u8; 16]) -> Self::F;
    /// Lane `i` is yes where bit `i` is set.
    fn mask(self, bits: u8) -> Self::M;
    /// Bit `i` is set where lane `i` is yes.
    fn bits(self, mask: Self::M) -> u8;
    /// Where the lanes of `mask` lie in a run of `width` bits each ([`unpack`]) that starts at bit `start`, below
    /// 8, of its window; ready for this backend.
    fn plan(self, width: u32, mask: u8, start: u32) -> Self::P;
    /// Up to eight packed integers, lowest bit first; lanes outside the plan's mask come out 0.
    fn unpack(self, window: &[u8; WINDOW], plan: &Self::P) -> Self::I;
    /// Eight integers of `width` bits, at most [`NARROW`], one after another from the start of a window; ready for
    /// this backend.
    fn plan_narrow(self, width: u32) -> Self::N;
    /// As [`Simd::plan_narrow`], from bit `start`, below 8, and only the lanes of a mask of leading lanes; with all
    /// eight of them `start` must be 0.
    fn plan_leading(self, width: u32, mask: u8, start: u32) -> Self::N;
    /// Up to eight packed integers, lowest bit first; lanes outside the plan come out 0.
    fn unpack_narrow(self, window: &[u8; WINDOW], plan: &Self::N) -> Self::I;
    /// The leading `count` lanes, at most 8, of some rows to places of their own: lane `i` of row `k` goes to row
    /// `first + k` of group `slot / 8`, lane `slot % 8`, where `slot` is the `i`th of eight little-endian numbers.
    /// Slots beyond the groups are passed over.
    #[inline(always)]
    fn scatter<const K: usize, const N: usize>(
        self,
        rows: [Self::F; K],
        slots: &[u8; 16],
        count: usize,
        first: usize,
        groups: &mut [[[f32; 8]; N]],
    ) {
        let mut values = [[0.0; 8]; K];
        for k in 0..K {
            rows[k].store(&mut values[k]);
        }
        for lane in 0..count.min(8) {
            let slot = usize::from(u16::from_le_bytes([slots[2 * lane], slots[2 * lane + 1]]));
            if let Some(group) = groups.get_mut(slot / 8) {
                for k in 0..K {
                    group[first + k][slot % 8] = values[k][lane];
                }
            }
        }
    }
    /// Four numbers from memory.
    fn load4(self, from: &Quad) -> Self::Q;
    /// The same number in each of four lanes.
    fn splat4(self, v: f32) -> Self::Q;
    /// Two times four numbers.
    fn load44(self, low: &Quad, high: &Quad) -> Self::QQ;
    /// `out[lane]` holds lane `lane` of `a`, `b`, `c` and `d`.
    fn transpose_4x8(self, a: Self::F, b: Self::F, c: Self::F, d: Self::F) -> [Self::Q; 8];
    /// `out[k]` holds number `k` of each of the eight.
    fn transpose_8x4(self, rows: [Self::Q; 8]) -> [Self::F; 4];
    /// `out[i]` holds lane `i` of each of the eight.
    fn transpose_8x8(self, rows: [Self::F; 8]) -> [Self::F; 8];
}

/// Arithmetic on eight floats; each lane by itself.
pub(crate) trait Floats:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// See [`Simd::M`].
    type Mask: Copy;
    /// See [`Simd::I`].
    type Int: Copy;

    /// To memory.
    fn store(self, to: &mut [f32; 8]);
    /// Correctly rounded.
    fn sqrt(self) -> Self;
    /// `if self > other { self } else { other }`, also for NaN and signed zeros.
    fn max(self, other: Self) -> Self;
    /// `if self < other { self } else { other }`, also for NaN and signed zeros.
    fn min(self, other: Self) -> Self;
    /// Sign bit flipped where the sign bit of `by` is set.
    fn flip_sign(self, by: Self) -> Self;
    /// `self` where yes, `other` where no.
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `self` where yes, zero where no: for lanes that hold whatever bytes were there. As floats those are
    /// often subnormal, and arithmetic on such takes a processor many times as long.
    fn only(self, mask: Self::Mask) -> Self;
    /// Yes where `self > other`.
    fn gt(self, other: Self) -> Self::Mask;
    /// Rounded to the nearest integer, ties to even; lanes must be within the range of i32.
    fn round_to_int(self) -> Self::Int;
}

/// Arithmetic on eight integers; wraps.
pub(crate) trait Ints: Copy + Add<Output = Self> {
    /// See [`Simd::F`].
    type Float: Copy;

    /// The nearest floats; exact below 2^24.
    fn to_float(self) -> Self::Float;
    /// Shifted left.
    fn shl(self, by: u32) -> Self;
    /// To memory.
    fn store(self, to: &mut [i32; 8]);
}

/// Four floats.
pub(crate) trait Quads: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// Lane `I` in every lane.
    fn spread<const I: usize>(self) -> Self;
    /// The last lane; the others -0.0, which changes nothing when added: not even the sign of a zero.
    fn only_last(self) -> Self;
    /// To memory.
    fn store(self, to: &mut Quad);
}

/// Two times four floats.
pub(crate) trait QuadPair:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// One of the two.
    type Quad: Quads;
    /// Joins two.
    fn join(low: Self::Quad, high: Self::Quad) -> Self;
    /// Lane `I` of each half in every lane of that half.
    fn spread<const I: usize>(self) -> Self;
    /// The last lane of each half; the others -0.0, which changes nothing when added.
    fn only_last(self) -> Self;
    /// To memory.
    fn store(self, low: &mut Quad, high: &mut Quad);
}

/// Two quads where no register holds both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<Q>(Q, Q);

macro_rules! pairwise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<Q: Quads> $trait for Pair<Q> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0, self.1 $op other.1)
            }
        }
    };
}
pairwise!(Add, add, +);
pairwise!(Sub, sub, -);
pairwise!(Mul, mul, *);

impl<Q: Quads> QuadPair for Pair<Q> {
    type Quad = Q;

    #[inline(always)]
    fn join(low: Q, high: Q) -> Self {
        Self(low, high)
    }

    #[inline(always)]
    fn spread<const I: usize>(self) -> Self {
        Self(self.0.spread::<I>(), self.1.spread::<I>())
    }

    #[inline(always)]
    fn only_last(self) -> Self {
        Self(self.0.only_last(), self.1.only_last())
    }

    #[inline(always)]
    fn store(self, low: &mut Quad, high: &mut Quad) {
        self.0.store(low);
        self.1.store(high);
    }
}
