//! A binary range coder: each bit takes as much room as its probability says.
//!
//! Carryless, 32 bits, after Mahoney's `lpaq1`. Integers only: the same bytes everywhere.

/// Ones in this many parts are certain.
pub(super) const CERTAIN: u32 = 1 << 16;

/// Bytes that a decoder reads past the end of sound data: they are zeros that were not written.
const AHEAD: usize = 4;

/// Writes bits, or reads them: one description of a format serves both ways.
pub(super) trait Coder {
    /// Codes a bit whose chance to be set is `chance / CERTAIN` (above 0, below 1). A writer takes `bit` and
    /// returns it, a reader ignores it and returns what was written.
    fn bit(&mut self, chance: u32, bit: bool) -> bool;

    /// Whether a reader has run out of data.
    fn exhausted(&self) -> bool;
}

/// Writes.
pub(super) struct Encoder {
    low: u32,
    high: u32,
    out: Vec<u8>,
}

impl Encoder {
    pub(super) fn new(out: Vec<u8>) -> Self {
        Self { low: 0, high: u32::MAX, out }
    }

    /// The bytes; zeros at the end are left out, a reader takes them as read.
    pub(super) fn finish(mut self) -> Vec<u8> {
        // The number in the interval with the most zero bytes at its end.
        for zeros in (0..4).rev() {
            let unit = 1_u64 << (8 * zeros);
            let value = u64::from(self.low).div_ceil(unit) * unit;
            if value <= u64::from(self.high) {
                let bytes = (value as u32).to_be_bytes();
                self.out.extend(&bytes[..4 - zeros]);
                break;
            }
        }
        self.out
    }
}

/// Where an interval is split for a chance.
#[inline(always)]
fn split(low: u32, high: u32, chance: u32) -> u32 {
    low + ((u64::from(high - low) * u64::from(chance)) >> 16) as u32
}

impl Coder for Encoder {
    #[inline(always)]
    fn bit(&mut self, chance: u32, bit: bool) -> bool {
        let middle = split(self.low, self.high, chance);
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.out.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 255;
        }
        bit
    }

    fn exhausted(&self) -> bool {
        false
    }
}

/// Reads.
pub(super) struct Decoder<'a> {
    low: u32,
    high: u32,
    value: u32,
    bytes: &'a [u8],
    read: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { low: 0, high: u32::MAX, value: 0, bytes, read: 0 };
        for _ in 0..4 {
            decoder.next();
        }
        decoder
    }

    #[inline(always)]
    fn next(&mut self) {
        let byte = self.bytes.get(self.read).copied().unwrap_or(0);
        self.value = self.value << 8 | u32::from(byte);
        self.read += 1;
    }

    /// Bytes that were not needed.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.read..).unwrap_or_default()
    }
}

impl Coder for Decoder<'_> {
    #[inline(always)]
    fn bit(&mut self, chance: u32, _: bool) -> bool {
        let middle = split(self.low, self.high, chance);
        let bit = self.value <= middle;
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 255;
            self.next();
        }
        bit
    }

    fn exhausted(&self) -> bool {
        self.read > self.bytes.len() + AHEAD
    }
}
