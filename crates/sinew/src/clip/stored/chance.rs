//! Chances that learn from the bits that were coded.

use super::range::Coder;

/// Chance of a bit in one context: learns fast at first and slower with every bit, down to a rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    /// Of `1 << 16`.
    set: u16,
    /// Bits seen, up to a limit.
    seen: u8,
}

/// `1 << 16` over `n + 1.5`.
const RATES: [u32; 256] = {
    let mut rates = [0; 256];
    let mut n = 0;
    while n < 256 {
        rates[n] = (2 << 16) / (2 * n as u32 + 3);
        n += 1;
    }
    rates
};

impl Chance {
    /// Nothing known.
    pub(super) const EVEN: Self = Self { set: 1 << 15, seen: 0 };

    /// A chance (of `1 << 16`) that is worth some bits of experience.
    pub(super) const fn assumed(set: u16, seen: u8) -> Self {
        Self { set, seen }
    }

    #[inline(always)]
    pub(super) fn set(self) -> u32 {
        self.set.into()
    }

    #[inline(always)]
    pub(super) fn seen(self) -> u32 {
        self.seen.into()
    }

    /// Learns a bit; at least one part in `limit` of what is known is forgotten.
    #[inline(always)]
    pub(super) fn learn(&mut self, bit: bool, limit: u8) {
        let target = if bit { 65535 } else { 0 };
        let far = i64::from(target - i32::from(self.set));
        let step = (far * i64::from(RATES[usize::from(self.seen)])) >> 16;
        self.set = (i32::from(self.set) + step as i32).clamp(16, 65519) as u16;
        if self.seen < limit {
            self.seen += 1;
        }
    }

    /// Codes a bit and learns it.
    #[inline(always)]
    pub(super) fn code(&mut self, coder: &mut impl Coder, bit: bool) -> bool {
        let bit = coder.bit(self.set(), bit);
        self.learn(bit, 60);
        bit
    }
}

/// A byte: a tree of chances.
pub(super) struct Byte([Chance; 256]);

impl Byte {
    pub(super) const fn new() -> Self {
        Self([Chance::EVEN; 256])
    }

    pub(super) fn code(&mut self, coder: &mut impl Coder, value: u8) -> u8 {
        let mut node = 1;
        for k in (0..8).rev() {
            node = node << 1 | usize::from(self.0[node].code(coder, value >> k & 1 == 1));
        }
        node as u8
    }
}

/// A whole number of any size, small ones short: how many bits it has, then the bits.
pub(super) struct Count {
    length: [Chance; 65],
    /// `[length][below the first bit]`.
    first: [Chance; 65],
}

impl Count {
    pub(super) const fn new() -> Self {
        Self { length: [Chance::EVEN; 65], first: [Chance::EVEN; 65] }
    }

    pub(super) fn code(&mut self, coder: &mut impl Coder, value: u64) -> u64 {
        let bits = (u64::BITS - value.leading_zeros()) as usize;
        let mut length = 0;
        while length < 64 && self.length[length].code(coder, bits > length) {
            length += 1;
        }
        if length == 0 {
            return 0;
        }
        let mut out = 1_u64;
        for k in (0..length - 1).rev() {
            let bit = value >> k & 1 == 1;
            let bit =
                if k + 2 == length { self.first[length].code(coder, bit) } else { coder.bit(1 << 15, bit) };
            out = out << 1 | u64::from(bit);
        }
        out
    }

    /// A number of either sign.
    pub(super) fn code_signed(&mut self, coder: &mut impl Coder, value: i64) -> i64 {
        let folded = self.code(coder, (value << 1 ^ value >> 63) as u64);
        (folded >> 1) as i64 ^ -((folded & 1) as i64)
    }
}

/// A record of bytes, each with a tree of its own, given the byte in the same place of the record before.
pub(super) struct Fields {
    same: Vec<Chance>,
    bytes: Vec<Byte>,
    before: Vec<u8>,
}

impl Fields {
    pub(super) fn new(width: usize) -> Self {
        Self {
            same: vec![Chance::EVEN; 2 * width],
            bytes: (0..width).map(|_| Byte::new()).collect(),
            before: vec![0; width],
        }
    }

    /// Codes the bytes of a record.
    pub(super) fn code<const N: usize>(&mut self, coder: &mut impl Coder, record: [u8; N]) -> [u8; N] {
        self.code_at(coder, 0, record)
    }

    /// Codes bytes that stand at a place within the record.
    pub(super) fn code_at<const N: usize>(
        &mut self,
        coder: &mut impl Coder,
        at: usize,
        bytes: [u8; N],
    ) -> [u8; N] {
        let (mut out, mut same) = (bytes, true);
        for (i, byte) in (at..).zip(&mut out) {
            let before = self.before[i];
            same = self.same[2 * i + usize::from(same)].code(coder, *byte == before);
            *byte = if same { before } else { self.bytes[i].code(coder, *byte) };
            self.before[i] = *byte;
        }
        out
    }
}
