//! One register of eight lanes.
#![allow(unsafe_code, reason = "processor intrinsics; held to the scalar twin by tests")]
// SAFETY of this file: values of these types are only made from an `Avx2` token, and a token is only made where
// the processor was asked for AVX2. Loads and stores go through references to arrays of the right size, with
// unaligned instructions.

use core::arch::x86_64::*;
use core::ops::{Add, Div, Mul, Sub};

use super::sse2::F4;
use super::unpack::{FULL, NARROW_FULL, RANKS, upper};
use super::{Checked, Floats, Ints, Quad, QuadPair, Simd, WINDOW};

/// The token: whoever holds one runs on a processor with AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// # Safety
    /// The processor must have AVX2, and the caller must be compiled with it.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }
}

/// Eight floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F8(__m256);
/// Eight integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct I8(__m256i);
/// Eight answers, all bits of a lane alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct M8(__m256);
/// Where eight packed integers lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct P8 {
    /// Byte shuffle within each half.
    shuffle: __m256i,
    /// Shift right after it.
    shift: __m256i,
    /// Bits to keep.
    keep: __m256i,
    /// Byte at which the upper half is read.
    upper: usize,
}
/// Where eight packed integers lie in sixteen bytes: the same, without another place to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct N8 {
    shuffle: __m256i,
    shift: __m256i,
    keep: __m256i,
}
/// Two times four floats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F44(__m256);

macro_rules! ops {
    ($type:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                // SAFETY: see the top of the file.
                unsafe { Self($intrinsic(self.0, o.0)) }
            }
        }
    };
}
ops!(F8, Add, add, _mm256_add_ps);
ops!(F8, Sub, sub, _mm256_sub_ps);
ops!(F8, Mul, mul, _mm256_mul_ps);
ops!(F8, Div, div, _mm256_div_ps);
ops!(F44, Add, add, _mm256_add_ps);
ops!(F44, Sub, sub, _mm256_sub_ps);
ops!(F44, Mul, mul, _mm256_mul_ps);
ops!(I8, Add, add, _mm256_add_epi32);

/// Within each half, four rows to four columns.
#[inline(always)]
fn transpose_halves(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
    // SAFETY: see the top of the file.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    }
}

impl Simd for Avx2 {
    type F = F8;
    type I = I8;
    type M = M8;
    type P = P8;
    type N = N8;
    type Q = F4;
    type QQ = F44;

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
        // SAFETY: see the top of the file.
        unsafe { F8(_mm256_set1_ps(v)) }
    }

    #[inline(always)]
    fn load(self, from: &[f32; 8]) -> F8 {
        // SAFETY: eight floats are readable.
        unsafe { F8(_mm256_loadu_ps(from.as_ptr())) }
    }

    #[inline(always)]
    fn load_i16(self, from: &[u8; 16]) -> I8 {
        // SAFETY: sixteen bytes are readable.
        unsafe { I8(_mm256_cvtepi16_epi32(_mm_loadu_si128(from.as_ptr().cast()))) }
    }

    #[inline(always)]
    fn load_bf16(self, from: &[u8; 16]) -> F8 {
        // SAFETY: sixteen bytes are readable.
        unsafe {
            let wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(from.as_ptr().cast()));
            F8(_mm256_castsi256_ps(_mm256_slli_epi32::<16>(wide)))
        }
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> M8 {
        // SAFETY: see the top of the file.
        unsafe {
            let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let on = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), each);
            M8(_mm256_castsi256_ps(_mm256_cmpeq_epi32(on, each)))
        }
    }

    #[inline(always)]
    fn bits(self, mask: M8) -> u8 {
        // SAFETY: see the top of the file.
        unsafe { _mm256_movemask_ps(mask.0) as u8 }
    }

    #[inline(always)]
    fn plan(self, width: u32, mask: u8, start: u32) -> P8 {
        let upper = upper(width, mask, start);
        if mask == 0xff && start == 0 {
            let full = &FULL[(width & 31) as usize];
            // SAFETY: each array is 32 bytes, aligned to 32.
            return unsafe {
                P8 {
                    shuffle: _mm256_load_si256(full.shuffle.as_ptr().cast()),
                    shift: _mm256_load_si256(full.shift.as_ptr().cast()),
                    keep: _mm256_load_si256(full.keep.as_ptr().cast()),
                    upper,
                }
            };
        }
        let ranks = &RANKS[usize::from(mask)];
        // SAFETY: eight bytes are readable.
        unsafe {
            let rank = _mm256_cvtepu8_epi32(_mm_loadl_epi64(ranks.as_ptr().cast()));
            let (low, high) = (start as i32, start as i32 - 8 * upper as i32);
            let first = _mm256_setr_epi32(low, low, low, low, high, high, high, high);
            // Upper lanes before the first stored one may come out negative; they are not kept.
            let bit = _mm256_add_epi32(_mm256_mullo_epi32(rank, _mm256_set1_epi32(width as i32)), first);
            let first = _mm256_mullo_epi32(_mm256_srli_epi32::<3>(bit), _mm256_set1_epi32(0x0101_0101));
            let on = self.mask(mask).0;
            P8 {
                shuffle: _mm256_add_epi32(first, _mm256_set1_epi32(0x0302_0100)),
                shift: _mm256_and_si256(bit, _mm256_set1_epi32(7)),
                keep: _mm256_and_si256(_mm256_castps_si256(on), _mm256_set1_epi32((1 << width) - 1)),
                upper,
            }
        }
    }

    #[inline(always)]
    fn unpack(self, window: &[u8; WINDOW], plan: &P8) -> I8 {
        // At most 12, so that this is never out of the window.
        let upper = &window[plan.upper & 15..][..16];
        // SAFETY: sixteen bytes are readable at both places.
        unsafe {
            let low = _mm_loadu_si128(window.as_ptr().cast());
            let high = _mm_loadu_si128(upper.as_ptr().cast());
            let both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
            let lanes = _mm256_shuffle_epi8(both, plan.shuffle);
            I8(_mm256_and_si256(_mm256_srlv_epi32(lanes, plan.shift), plan.keep))
        }
    }

    #[inline(always)]
    fn plan_narrow(self, width: u32) -> N8 {
        let full = &NARROW_FULL[(width & 31) as usize];
        // SAFETY: each array is 32 bytes, aligned to 32.
        unsafe {
            N8 {
                shuffle: _mm256_load_si256(full.shuffle.as_ptr().cast()),
                shift: _mm256_load_si256(full.shift.as_ptr().cast()),
                keep: _mm256_load_si256(full.keep.as_ptr().cast()),
            }
        }
    }

    #[inline(always)]
    fn plan_leading(self, width: u32, mask: u8, start: u32) -> N8 {
        let (full, lanes) = (self.plan_narrow(width), self.mask(mask));
        // SAFETY: see the top of the file.
        unsafe {
            N8 {
                shuffle: full.shuffle,
                shift: _mm256_add_epi32(full.shift, _mm256_set1_epi32(start as i32)),
                keep: _mm256_and_si256(full.keep, _mm256_castps_si256(lanes.0)),
            }
        }
    }

    #[inline(always)]
    fn unpack_narrow(self, window: &[u8; WINDOW], plan: &N8) -> I8 {
        // SAFETY: sixteen bytes are readable.
        unsafe {
            let low = _mm_loadu_si128(window.as_ptr().cast());
            let lanes = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(low), plan.shuffle);
            I8(_mm256_and_si256(_mm256_srlv_epi32(lanes, plan.shift), plan.keep))
        }
    }

    #[inline(always)]
    fn scatter<const K: usize, const N: usize>(
        self,
        rows: [F8; K],
        slots: &[u8; 16],
        count: usize,
        first: usize,
        groups: &mut [[[f32; 8]; N]],
    ) {
        const { assert!(K > 0 && N < 1 << 12, "rows, and places of 65,536 slots that fit 32 bits") };
        assert!(first + K <= N, "rows of a group");
        let mut at = [0; 8];
        // SAFETY: sixteen bytes are readable; see the top of the file.
        let within = unsafe {
            let slot = _mm256_cvtepu16_epi32(_mm_loadu_si128(slots.as_ptr().cast()));
            let group = _mm256_mullo_epi32(_mm256_srli_epi32::<3>(slot), _mm256_set1_epi32(8 * N as i32));
            I8(_mm256_add_epi32(group, _mm256_and_si256(slot, _mm256_set1_epi32(7)))).store(&mut at);
            let limit = _mm256_set1_epi32((8 * groups.len().min(1 << 16)) as i32);
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(limit, slot)))
        };
        let lanes = within & ((1 << count.min(8)) - 1);
        let base = groups.as_mut_ptr().cast::<f32>();
        macro_rules! lane {
            ($half:ident, $lane:literal) => {
                if lanes & 1 << $lane != 0 {
                    for k in 0..K {
                        // SAFETY: the slot is below eight times the groups, and the row is one of a group's.
                        unsafe {
                            let bits = _mm_extract_ps::<{ $lane % 4 }>($half[k]);
                            *base.add(at[$lane] as usize + 8 * (first + k)) = f32::from_bits(bits as u32);
                        }
                    }
                }
            };
        }
        // SAFETY: see the top of the file.
        let (mut low, mut high) = unsafe { ([_mm_setzero_ps(); K], [_mm_setzero_ps(); K]) };
        for k in 0..K {
            // SAFETY: see the top of the file.
            unsafe {
                low[k] = _mm256_castps256_ps128(rows[k].0);
                high[k] = _mm256_extractf128_ps::<1>(rows[k].0);
            }
        }
        lane!(low, 0);
        lane!(low, 1);
        lane!(low, 2);
        lane!(low, 3);
        lane!(high, 4);
        lane!(high, 5);
        lane!(high, 6);
        lane!(high, 7);
    }

    #[inline(always)]
    fn load4(self, from: &Quad) -> F4 {
        // SAFETY: four floats are readable.
        unsafe { F4(_mm_loadu_ps(from.as_ptr())) }
    }

    #[inline(always)]
    fn splat4(self, v: f32) -> F4 {
        // SAFETY: see the top of the file.
        unsafe { F4(_mm_set1_ps(v)) }
    }

    #[inline(always)]
    fn load44(self, low: &Quad, high: &Quad) -> F44 {
        F44::join(self.load4(low), self.load4(high))
    }

    #[inline(always)]
    fn transpose_4x8(self, a: F8, b: F8, c: F8, d: F8) -> [F4; 8] {
        let [p, q, r, s] = transpose_halves(a.0, b.0, c.0, d.0);
        // SAFETY: see the top of the file.
        unsafe {
            [
                F4(_mm256_castps256_ps128(p)),
                F4(_mm256_castps256_ps128(q)),
                F4(_mm256_castps256_ps128(r)),
                F4(_mm256_castps256_ps128(s)),
                F4(_mm256_extractf128_ps::<1>(p)),
                F4(_mm256_extractf128_ps::<1>(q)),
                F4(_mm256_extractf128_ps::<1>(r)),
                F4(_mm256_extractf128_ps::<1>(s)),
            ]
        }
    }

    #[inline(always)]
    fn transpose_8x4(self, r: [F4; 8]) -> [F8; 4] {
        let (a, b) = (F44::join(r[0], r[4]), F44::join(r[1], r[5]));
        let (c, d) = (F44::join(r[2], r[6]), F44::join(r[3], r[7]));
        let [p, q, s, t] = transpose_halves(a.0, b.0, c.0, d.0);
        [F8(p), F8(q), F8(s), F8(t)]
    }

    #[inline(always)]
    fn transpose_8x8(self, r: [F8; 8]) -> [F8; 8] {
        let [a0, a1, a2, a3] = transpose_halves(r[0].0, r[1].0, r[2].0, r[3].0);
        let [b0, b1, b2, b3] = transpose_halves(r[4].0, r[5].0, r[6].0, r[7].0);
        // SAFETY: see the top of the file.
        unsafe {
            [
                F8(_mm256_permute2f128_ps::<0x20>(a0, b0)),
                F8(_mm256_permute2f128_ps::<0x20>(a1, b1)),
                F8(_mm256_permute2f128_ps::<0x20>(a2, b2)),
                F8(_mm256_permute2f128_ps::<0x20>(a3, b3)),
                F8(_mm256_permute2f128_ps::<0x31>(a0, b0)),
                F8(_mm256_permute2f128_ps::<0x31>(a1, b1)),
                F8(_mm256_permute2f128_ps::<0x31>(a2, b2)),
                F8(_mm256_permute2f128_ps::<0x31>(a3, b3)),
            ]
        }
    }
}

impl Floats for F8 {
    type Mask = M8;
    type Int = I8;

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        // SAFETY: eight floats are writable.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_sqrt_ps(self.0)) }
    }

    #[inline(always)]
    fn max(self, o: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_max_ps(self.0, o.0)) }
    }

    #[inline(always)]
    fn min(self, o: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_min_ps(self.0, o.0)) }
    }

    #[inline(always)]
    fn flip_sign(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_xor_ps(self.0, _mm256_and_ps(by.0, _mm256_set1_ps(-0.0)))) }
    }

    #[inline(always)]
    fn select(self, mask: M8, other: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_blendv_ps(other.0, self.0, mask.0)) }
    }

    #[inline(always)]
    fn only(self, mask: M8) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_and_ps(self.0, mask.0)) }
    }

    #[inline(always)]
    fn gt(self, o: Self) -> M8 {
        // SAFETY: see the top of the file.
        unsafe { M8(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, o.0)) }
    }

    #[inline(always)]
    fn round_to_int(self) -> I8 {
        // SAFETY: see the top of the file; the rounding mode is never changed.
        unsafe { I8(_mm256_cvtps_epi32(self.0)) }
    }
}

impl Ints for I8 {
    type Float = F8;

    #[inline(always)]
    fn to_float(self) -> F8 {
        // SAFETY: see the top of the file.
        unsafe { F8(_mm256_cvtepi32_ps(self.0)) }
    }

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_sll_epi32(self.0, _mm_cvtsi32_si128(by as i32))) }
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; 8]) {
        // SAFETY: eight integers are writable.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }
}

impl QuadPair for F44 {
    type Quad = F4;

    #[inline(always)]
    fn join(low: F4, high: F4) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low.0), high.0)) }
    }

    #[inline(always)]
    fn spread<const I: usize>(self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            Self(match I {
                0 => _mm256_permute_ps::<0x00>(self.0),
                1 => _mm256_permute_ps::<0x55>(self.0),
                2 => _mm256_permute_ps::<0xaa>(self.0),
                _ => _mm256_permute_ps::<0xff>(self.0),
            })
        }
    }

    #[inline(always)]
    fn only_last(self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_blend_ps::<0x88>(_mm256_set1_ps(-0.0), self.0)) }
    }

    #[inline(always)]
    fn store(self, low: &mut Quad, high: &mut Quad) {
        // SAFETY: four floats are writable at both places.
        unsafe {
            _mm_storeu_ps(low.as_mut_ptr(), _mm256_castps256_ps128(self.0));
            _mm_storeu_ps(high.as_mut_ptr(), _mm256_extractf128_ps::<1>(self.0));
        }
    }
}
