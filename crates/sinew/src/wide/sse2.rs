//! Two registers of four lanes. SSE2 is part of x86-64: every processor of that family has it.
#![allow(unsafe_code, reason = "processor intrinsics; held to the scalar twin by tests")]
// SAFETY of this file: SSE2 is always there on x86-64; loads and stores go through references to arrays of the
// right size, with unaligned instructions.

use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

use super::{Checked, Floats, Ints, Pair, Quad, QuadPair, Quads, Simd, WINDOW};

/// The token. Free to make: the feature is part of the architecture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse2(());

impl Sse2 {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// Eight floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F8(__m128, __m128);
/// Eight integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct I8(__m128i, __m128i);
/// Eight answers, all bits of a lane alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct M8(__m128, __m128);
/// Four floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F4(pub(super) __m128);

macro_rules! ops {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for F8 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                // SAFETY: SSE2 is part of x86-64.
                unsafe { Self($intrinsic(self.0, o.0), $intrinsic(self.1, o.1)) }
            }
        }
        impl $trait for F4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                // SAFETY: SSE2 is part of x86-64.
                unsafe { Self($intrinsic(self.0, o.0)) }
            }
        }
    };
}
ops!(Add, add, _mm_add_ps);
ops!(Sub, sub, _mm_sub_ps);
ops!(Mul, mul, _mm_mul_ps);
ops!(Div, div, _mm_div_ps);

impl Add for I8 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Self(_mm_add_epi32(self.0, o.0), _mm_add_epi32(self.1, o.1)) }
    }
}

#[inline(always)]
fn choose(mask: __m128, yes: __m128, no: __m128) -> __m128 {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no)) }
}

/// Four rows to four columns.
#[inline(always)]
pub(super) fn transpose_4x4(a: __m128, b: __m128, c: __m128, d: __m128) -> [__m128; 4] {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
        [
            _mm_movelh_ps(ab_low, cd_low),
            _mm_movehl_ps(cd_low, ab_low),
            _mm_movelh_ps(ab_high, cd_high),
            _mm_movehl_ps(cd_high, ab_high),
        ]
    }
}

impl Simd for Sse2 {
    type F = F8;
    type I = I8;
    type M = M8;
    type P = (u32, u8, u32);
    type N = (u32, u8, u32);
    type Q = F4;
    type QQ = Pair<F4>;

    #[inline(always)]
    fn bytes<const N: usize>(self, block: Checked<'_>, at: usize) -> &[u8; N] {
        let block = block.bytes();
        debug_assert!(at + N <= block.len(), "{N} bytes at {at} of {}", block.len());
        // SAFETY: these are the bytes of a clip, which never change; kernels read them only at offsets that
        // `clip::block::check` walked when the clip was made, and every block ends with a window of padding.
        unsafe { &*block.as_ptr().add(at).cast::<[u8; N]>() }
    }

    #[inline(always)]
    fn splat(self, v: f32) -> F8 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F8(_mm_set1_ps(v), _mm_set1_ps(v)) }
    }

    #[inline(always)]
    fn load(self, from: &[f32; 8]) -> F8 {
        // SAFETY: eight floats are readable.
        unsafe { F8(_mm_loadu_ps(from.as_ptr()), _mm_loadu_ps(from.as_ptr().add(4))) }
    }

    #[inline(always)]
    fn load_i16(self, from: &[u8; 16]) -> I8 {
        // SAFETY: sixteen bytes are readable.
        unsafe {
            let v = _mm_loadu_si128(from.as_ptr().cast());
            // Twice the same half, shifted down with its sign.
            I8(_mm_srai_epi32(_mm_unpacklo_epi16(v, v), 16), _mm_srai_epi32(_mm_unpackhi_epi16(v, v), 16))
        }
    }

    #[inline(always)]
    fn load_bf16(self, from: &[u8; 16]) -> F8 {
        // SAFETY: sixteen bytes are readable.
        unsafe {
            let (v, zero) = (_mm_loadu_si128(from.as_ptr().cast()), _mm_setzero_si128());
            F8(_mm_castsi128_ps(_mm_unpacklo_epi16(zero, v)), _mm_castsi128_ps(_mm_unpackhi_epi16(zero, v)))
        }
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> M8 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let all = _mm_set1_epi32(i32::from(bits));
            let (low, high) = (_mm_setr_epi32(1, 2, 4, 8), _mm_setr_epi32(16, 32, 64, 128));
            M8(
                _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(all, low), low)),
                _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(all, high), high)),
            )
        }
    }

    #[inline(always)]
    fn bits(self, mask: M8) -> u8 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { (_mm_movemask_ps(mask.0) | _mm_movemask_ps(mask.1) << 4) as u8 }
    }

    #[inline(always)]
    fn plan(self, width: u32, mask: u8, start: u32) -> Self::P {
        (width, mask, start)
    }

    #[inline(always)]
    fn unpack(self, window: &[u8; WINDOW], plan: &Self::P) -> I8 {
        // No byte shuffle and no shift by lane in SSE2: the scalar twin's reads.
        let v = super::scalar::Scalar.unpack(window, plan).0;
        // SAFETY: eight integers are readable.
        unsafe { I8(_mm_loadu_si128(v.as_ptr().cast()), _mm_loadu_si128(v.as_ptr().add(4).cast())) }
    }

    #[inline(always)]
    fn plan_narrow(self, width: u32) -> Self::N {
        (width, 0xff, 0)
    }

    #[inline(always)]
    fn plan_leading(self, width: u32, mask: u8, start: u32) -> Self::N {
        (width, mask, start)
    }

    #[inline(always)]
    fn unpack_narrow(self, window: &[u8; WINDOW], plan: &Self::N) -> I8 {
        let v = super::scalar::Scalar.unpack_narrow(window, plan).0;
        // SAFETY: eight integers are readable.
        unsafe { I8(_mm_loadu_si128(v.as_ptr().cast()), _mm_loadu_si128(v.as_ptr().add(4).cast())) }
    }

    #[inline(always)]
    fn load4(self, from: &Quad) -> F4 {
        // SAFETY: four floats are readable.
        unsafe { F4(_mm_loadu_ps(from.as_ptr())) }
    }

    #[inline(always)]
    fn splat4(self, v: f32) -> F4 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F4(_mm_set1_ps(v)) }
    }

    #[inline(always)]
    fn load44(self, low: &Quad, high: &Quad) -> Pair<F4> {
        Pair::join(self.load4(low), self.load4(high))
    }

    #[inline(always)]
    fn transpose_4x8(self, a: F8, b: F8, c: F8, d: F8) -> [F4; 8] {
        let [q0, q1, q2, q3] = transpose_4x4(a.0, b.0, c.0, d.0);
        let [q4, q5, q6, q7] = transpose_4x4(a.1, b.1, c.1, d.1);
        [F4(q0), F4(q1), F4(q2), F4(q3), F4(q4), F4(q5), F4(q6), F4(q7)]
    }

    #[inline(always)]
    fn transpose_8x4(self, r: [F4; 8]) -> [F8; 4] {
        let [a0, a1, a2, a3] = transpose_4x4(r[0].0, r[1].0, r[2].0, r[3].0);
        let [b0, b1, b2, b3] = transpose_4x4(r[4].0, r[5].0, r[6].0, r[7].0);
        [F8(a0, b0), F8(a1, b1), F8(a2, b2), F8(a3, b3)]
    }

    #[inline(always)]
    fn transpose_8x8(self, r: [F8; 8]) -> [F8; 8] {
        let [a0, a1, a2, a3] = transpose_4x4(r[0].0, r[1].0, r[2].0, r[3].0);
        let [b0, b1, b2, b3] = transpose_4x4(r[4].0, r[5].0, r[6].0, r[7].0);
        let [c0, c1, c2, c3] = transpose_4x4(r[0].1, r[1].1, r[2].1, r[3].1);
        let [d0, d1, d2, d3] = transpose_4x4(r[4].1, r[5].1, r[6].1, r[7].1);
        [F8(a0, b0), F8(a1, b1), F8(a2, b2), F8(a3, b3), F8(c0, d0), F8(c1, d1), F8(c2, d2), F8(c3, d3)]
    }
}

impl Floats for F8 {
    type Mask = M8;
    type Int = I8;

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        // SAFETY: eight floats are writable.
        unsafe {
            _mm_storeu_ps(to.as_mut_ptr(), self.0);
            _mm_storeu_ps(to.as_mut_ptr().add(4), self.1);
        }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Self(_mm_sqrt_ps(self.0), _mm_sqrt_ps(self.1)) }
    }

    #[inline(always)]
    fn max(self, o: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Self(_mm_max_ps(self.0, o.0), _mm_max_ps(self.1, o.1)) }
    }

    #[inline(always)]
    fn min(self, o: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Self(_mm_min_ps(self.0, o.0), _mm_min_ps(self.1, o.1)) }
    }

    #[inline(always)]
    fn flip_sign(self, by: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let sign = _mm_set1_ps(-0.0);
            Self(_mm_xor_ps(self.0, _mm_and_ps(by.0, sign)), _mm_xor_ps(self.1, _mm_and_ps(by.1, sign)))
        }
    }

    #[inline(always)]
    fn select(self, mask: M8, other: Self) -> Self {
        Self(choose(mask.0, self.0, other.0), choose(mask.1, self.1, other.1))
    }

    #[inline(always)]
    fn only(self, mask: M8) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { Self(_mm_and_ps(self.0, mask.0), _mm_and_ps(self.1, mask.1)) }
    }

    #[inline(always)]
    fn gt(self, o: Self) -> M8 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { M8(_mm_cmpgt_ps(self.0, o.0), _mm_cmpgt_ps(self.1, o.1)) }
    }

    #[inline(always)]
    fn round_to_int(self) -> I8 {
        // SAFETY: SSE2 is part of x86-64; the rounding mode is never changed.
        unsafe { I8(_mm_cvtps_epi32(self.0), _mm_cvtps_epi32(self.1)) }
    }
}

impl Ints for I8 {
    type Float = F8;

    #[inline(always)]
    fn to_float(self) -> F8 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { F8(_mm_cvtepi32_ps(self.0), _mm_cvtepi32_ps(self.1)) }
    }

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let count = _mm_cvtsi32_si128(by as i32);
            Self(_mm_sll_epi32(self.0, count), _mm_sll_epi32(self.1, count))
        }
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; 8]) {
        // SAFETY: eight integers are writable.
        unsafe {
            _mm_storeu_si128(to.as_mut_ptr().cast(), self.0);
            _mm_storeu_si128(to.as_mut_ptr().add(4).cast(), self.1);
        }
    }
}

impl Quads for F4 {
    #[inline(always)]
    fn spread<const I: usize>(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            Self(match I {
                0 => _mm_shuffle_ps::<0x00>(self.0, self.0),
                1 => _mm_shuffle_ps::<0x55>(self.0, self.0),
                2 => _mm_shuffle_ps::<0xaa>(self.0, self.0),
                _ => _mm_shuffle_ps::<0xff>(self.0, self.0),
            })
        }
    }

    #[inline(always)]
    fn only_last(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            // Two shuffles that the compiler joins to one blend where there is one.
            let zeros = _mm_set1_ps(-0.0);
            let mixed = _mm_unpackhi_ps(zeros, self.0);
            Self(_mm_shuffle_ps::<0b11_00_00_00>(zeros, mixed))
        }
    }

    #[inline(always)]
    fn store(self, to: &mut Quad) {
        // SAFETY: four floats are writable.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), self.0) }
    }
}
