//! Plain Rust: the safe twin that the others are held to.

use core::ops::{Add, Div, Mul, Sub};

use super::unpack::RANKS;
use super::{Checked, Floats, Ints, Pair, Quad, QuadPair, Quads, Simd, WINDOW};

/// The backend that runs everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

/// `N` lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(16))]
pub(crate) struct Lanes<T, const N: usize>(pub(crate) [T; N]);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const N: usize> $trait for Lanes<f32, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for i in 0..N {
                    self.0[i] $op other.0[i];
                }
                self
            }
        }
    };
}
lanewise!(Add, add, +=);
lanewise!(Sub, sub, -=);
lanewise!(Mul, mul, *=);
lanewise!(Div, div, /=);

impl Add for Lanes<i32, 8> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for i in 0..8 {
            self.0[i] = self.0[i].wrapping_add(other.0[i]);
        }
        self
    }
}

impl Simd for Scalar {
    type F = Lanes<f32, 8>;
    type I = Lanes<i32, 8>;
    type M = [bool; 8];
    type P = (u32, u8, u32);
    type N = (u32, u8, u32);
    type Q = Lanes<f32, 4>;
    type QQ = Pair<Lanes<f32, 4>>;

    #[inline(always)]
    fn bytes<const N: usize>(self, block: Checked<'_>, at: usize) -> &[u8; N] {
        crate::clip::array_at(block.bytes(), at)
    }

    #[inline(always)]
    fn splat(self, v: f32) -> Self::F {
        Lanes([v; 8])
    }

    #[inline(always)]
    fn load(self, from: &[f32; 8]) -> Self::F {
        Lanes(*from)
    }

    #[inline(always)]
    fn load_i16(self, from: &[u8; 16]) -> Self::I {
        let mut out = [0; 8];
        for (i, v) in out.iter_mut().enumerate() {
            *v = i32::from(i16::from_le_bytes([from[2 * i], from[2 * i + 1]]));
        }
        Lanes(out)
    }

    #[inline(always)]
    fn load_bf16(self, from: &[u8; 16]) -> Self::F {
        let mut out = [0.0; 8];
        for (i, v) in out.iter_mut().enumerate() {
            *v = f32::from_bits(u32::from(u16::from_le_bytes([from[2 * i], from[2 * i + 1]])) << 16);
        }
        Lanes(out)
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> Self::M {
        core::array::from_fn(|i| bits >> i & 1 == 1)
    }

    #[inline(always)]
    fn bits(self, mask: Self::M) -> u8 {
        let mut bits = 0;
        for (i, yes) in mask.into_iter().enumerate() {
            bits |= u8::from(yes) << i;
        }
        bits
    }

    #[inline(always)]
    fn plan(self, width: u32, mask: u8, start: u32) -> Self::P {
        (width, mask, start)
    }

    #[inline(always)]
    fn unpack(self, window: &[u8; WINDOW], &(width, mask, start): &Self::P) -> Self::I {
        let mut out = [0; 8];
        let keep = (1_u32 << width) - 1;
        for (lane, v) in out.iter_mut().enumerate() {
            let bit = start + u32::from(RANKS[usize::from(mask)][lane]) * width;
            // At most bit 199 of 256: the four bytes are within the window.
            let at = (bit / 8) as usize;
            let bytes = [window[at], window[at + 1], window[at + 2], window[at + 3]];
            let there = u32::from(mask >> lane & 1).wrapping_neg();
            *v = (u32::from_le_bytes(bytes) >> (bit % 8) & keep & there) as i32;
        }
        Lanes(out)
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
    fn unpack_narrow(self, window: &[u8; WINDOW], plan: &Self::N) -> Self::I {
        self.unpack(window, plan)
    }

    #[inline(always)]
    fn load4(self, from: &Quad) -> Self::Q {
        Lanes(*from)
    }

    #[inline(always)]
    fn splat4(self, v: f32) -> Self::Q {
        Lanes([v; 4])
    }

    #[inline(always)]
    fn load44(self, low: &Quad, high: &Quad) -> Self::QQ {
        Pair::join(Lanes(*low), Lanes(*high))
    }

    #[inline(always)]
    fn transpose_4x8(self, a: Self::F, b: Self::F, c: Self::F, d: Self::F) -> [Self::Q; 8] {
        core::array::from_fn(|i| Lanes([a.0[i], b.0[i], c.0[i], d.0[i]]))
    }

    #[inline(always)]
    fn transpose_8x4(self, rows: [Self::Q; 8]) -> [Self::F; 4] {
        core::array::from_fn(|k| Lanes(core::array::from_fn(|i| rows[i].0[k])))
    }

    #[inline(always)]
    fn transpose_8x8(self, rows: [Self::F; 8]) -> [Self::F; 8] {
        core::array::from_fn(|i| Lanes(core::array::from_fn(|k| rows[k].0[i])))
    }
}

impl Floats for Lanes<f32, 8> {
    type Mask = [bool; 8];
    type Int = Lanes<i32, 8>;

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }

    #[inline(always)]
    fn sqrt(mut self) -> Self {
        for v in &mut self.0 {
            *v = v.sqrt();
        }
        self
    }

    #[inline(always)]
    fn max(mut self, other: Self) -> Self {
        for i in 0..8 {
            self.0[i] = if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] };
        }
        self
    }

    #[inline(always)]
    fn min(mut self, other: Self) -> Self {
        for i in 0..8 {
            self.0[i] = if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] };
        }
        self
    }

    #[inline(always)]
    fn flip_sign(mut self, by: Self) -> Self {
        for i in 0..8 {
            self.0[i] = f32::from_bits(self.0[i].to_bits() ^ (by.0[i].to_bits() & 0x8000_0000));
        }
        self
    }

    #[inline(always)]
    fn select(mut self, mask: Self::Mask, other: Self) -> Self {
        for i in 0..8 {
            self.0[i] = if mask[i] { self.0[i] } else { other.0[i] };
        }
        self
    }

    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        self.select(mask, Self([0.0; 8]))
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        core::array::from_fn(|i| self.0[i] > other.0[i])
    }

    #[inline(always)]
    fn round_to_int(self) -> Self::Int {
        Lanes(self.0.map(|v| v.round_ties_even() as i32))
    }
}

impl Ints for Lanes<i32, 8> {
    type Float = Lanes<f32, 8>;

    #[inline(always)]
    fn to_float(self) -> Self::Float {
        Lanes(self.0.map(|v| v as f32))
    }

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Lanes(self.0.map(|v| v.wrapping_shl(by)))
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; 8]) {
        *to = self.0;
    }
}

impl Quads for Lanes<f32, 4> {
    #[inline(always)]
    fn spread<const I: usize>(self) -> Self {
        Lanes([self.0[I]; 4])
    }

    #[inline(always)]
    fn only_last(self) -> Self {
        Lanes([-0.0, -0.0, -0.0, self.0[3]])
    }

    #[inline(always)]
    fn store(self, to: &mut Quad) {
        *to = self.0;
    }
}
