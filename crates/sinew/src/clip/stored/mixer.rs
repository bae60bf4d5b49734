//! One chance out of the opinions of several contexts: logistic mixing, after Mahoney's PAQ.
//!
//! `ln(p / (1 - p))` of each opinion, weighted and summed, is that of the result; the weights follow the gradient
//! of what coding costs. Integers only.

use super::chance::Chance;
use super::range::{CERTAIN, Coder};

/// Opinions a bit.
pub(super) const INPUTS: usize = 6;

/// Of the stretched domain, which runs over +-8 in units of 1/256.
const LIMIT: i32 = 2047;

/// `65536 / (1 + exp(-x / 2))` for `x` from -16 to 16.
const SQUASHED: [u16; 33] = [
    22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768, 40793,
    47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
];

fn squash(x: i32) -> u32 {
    let x = x.clamp(-LIMIT, LIMIT) + 2048;
    let (at, part) = ((x >> 7) as usize, x & 127);
    let (a, b) = (i32::from(SQUASHED[at]), i32::from(SQUASHED[at + 1]));
    (a + (((b - a) * part) >> 7)) as u32
}

/// The inverse of [`squash`] for chances of `1 << 12`.
fn stretch_table() -> Vec<i16> {
    let mut table = vec![0; 4096];
    let mut x = -LIMIT;
    for (chance, out) in table.iter_mut().enumerate() {
        while x < LIMIT && (squash(x) >> 4) < chance as u32 {
            x += 1;
        }
        *out = x as i16;
    }
    table
}

/// How much an opinion counts that rests on so many bits, of 256.
const TRUST: [i32; 32] = {
    let mut trust = [0; 32];
    let mut n = 0;
    while n < 32 {
        trust[n] = (256 * n / (n + 1)) as i32;
        n += 1;
    }
    trust
};

pub(super) struct Mixer {
    stretch: Vec<i16>,
    /// `[set][input]`, of `1 << 16`.
    weights: Vec<[i32; INPUTS]>,
    /// Bits mixed with each set.
    seen: Vec<u16>,
}

impl Mixer {
    pub(super) fn new(sets: usize) -> Self {
        Self { stretch: stretch_table(), weights: vec![[20_000; INPUTS]; sets], seen: vec![0; sets] }
    }

    /// Codes a bit by the opinions, with one of the sets of weights, and learns it.
    #[inline(always)]
    pub(super) fn code(
        &mut self,
        coder: &mut impl Coder,
        set: usize,
        opinions: [&mut Chance; INPUTS],
        limits: [u8; INPUTS],
        bit: bool,
    ) -> bool {
        let mut inputs = [0; INPUTS];
        let weights = &mut self.weights[set];
        let mut sum = 0_i64;
        for i in 0..INPUTS {
            let opinion = &opinions[i];
            let trust = TRUST[opinion.seen().min(31) as usize];
            inputs[i] = (i32::from(self.stretch[(opinion.set() >> 4) as usize]) * trust) >> 8;
            sum += i64::from(inputs[i]) * i64::from(weights[i]);
        }
        let chance = squash((sum >> 16).clamp(-2047, 2047) as i32).clamp(24, CERTAIN - 24);
        let bit = coder.bit(chance, bit);
        let error = if bit { CERTAIN as i32 } else { 0 } - chance as i32;
        // Fast at first, for clips of a second.
        let seen = &mut self.seen[set];
        let rate = 2 + 600 / (i32::from(*seen) + 40);
        *seen = (*seen + 1).min(2000);
        for i in 0..INPUTS {
            weights[i] = (weights[i] + ((inputs[i] * (error >> 4) * rate) >> 14)).clamp(-200_000, 200_000);
        }
        for (opinion, limit) in opinions.into_iter().zip(limits) {
            opinion.learn(bit, limit);
        }
        bit
    }
}
