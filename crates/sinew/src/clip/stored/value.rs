//! The distance of a value from what its past says, bit by bit.

use super::chance::{Chance, Count};
use super::mixer::{INPUTS, Mixer};
use super::range::Coder;
use super::track::{FRACTION, Past};

/// Bits of one residual that have chances of their own.
const SLOTS: usize = 128;
/// Zero (after a guess near a whole number, or between two), lengths, two bits below the first for each length,
/// signs.
const LENGTH: usize = 2;
const BELOW: usize = 31;
const SIGNS: usize = 104;
/// Longest residual, bits.
const LONGEST: usize = 31;
/// Tracks that have chances of their own; more share them.
const TRACKS: usize = 1024;

/// Contexts of the opinions.
const SIZES: usize = 40;
const NEAR: usize = 24;
const RECENT: usize = 8;

/// Chances of all residuals of a clip.
pub(super) struct Residuals {
    mixer: Mixer,
    /// `[context][slot]` a list.
    by_size: Vec<Chance>,
    by_size_fast: Vec<Chance>,
    by_near: Vec<Chance>,
    by_recent: Vec<Chance>,
    by_track: Vec<Chance>,
    by_frame: Vec<Chance>,
    repeats: Count,
}

/// What is known besides the track's own past.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// Which track.
    pub(super) track: usize,
    /// 0 rotations, 1 translations and scales, 2 repeated frames.
    pub(super) class: usize,
    pub(super) component: usize,
    /// Sum of the sizes of residuals of the same joint in this frame.
    pub(super) joint: u32,
    /// Of the components of this joint before this one in this frame.
    pub(super) known: u32,
    /// Mean of this frame so far, sixteenths.
    pub(super) frame: u32,
}

/// About two steps a doubling.
fn level(size: u32, most: usize) -> usize {
    let size = size + 1;
    let log = size.ilog2();
    let half = if log == 0 { 0 } else { size >> (log - 1) & 1 };
    ((2 * log + half) as usize).min(most - 1)
}

/// Chances before anything was seen: sizes about those of the context.
fn assumed(contexts: usize, size: impl Fn(usize) -> f64, seen: u8) -> Vec<Chance> {
    let mut all = vec![Chance::EVEN; contexts * SLOTS];
    for context in 0..contexts {
        // Geometric with the mean of the context. Products and quotients of doubles are the same everywhere.
        let mean = size(context);
        let stay = mean / (1.0 + mean);
        let slots = &mut all[context * SLOTS..][..SLOTS];
        let chance = |p: f64| Chance::assumed((p * 65536.0).clamp(400.0, 65136.0) as u16, seen);
        slots[0] = chance(1.0 - stay);
        slots[1] = slots[0];
        // Whether the size reaches the next power of two, having reached this one.
        let mut next = stay;
        for slot in &mut slots[LENGTH..LENGTH + LONGEST] {
            *slot = chance(next);
            next *= next;
        }
    }
    all
}

impl Residuals {
    pub(super) fn new() -> Self {
        let of_level = |level: usize| {
            let log = level / 2;
            f64::from(1_u32 << log.min(20)) * if level % 2 == 1 { 1.5 } else { 1.0 } - 1.0
        };
        Self {
            mixer: Mixer::new(SLOTS * 3),
            by_size: assumed(SIZES * 3, |c| of_level(c % SIZES) / 16.0 + 0.1, 6),
            by_size_fast: assumed(SIZES * 4, |c| of_level(c % SIZES) / 16.0 + 0.1, 4),
            by_near: assumed(NEAR * NEAR * 2, |c| of_level(c % NEAR) / 4.0 + 0.3, 1),
            by_recent: assumed(RECENT * RECENT * RECENT, |_| 2.0, 0),
            by_track: assumed(TRACKS, |_| 2.0, 0),
            by_frame: assumed(NEAR * SIZES, |c| of_level(c % SIZES) / 16.0 + 0.1, 2),
            repeats: Count::new(),
        }
    }

    /// Codes a value that is the latest one again, but for rounding.
    pub(super) fn repeat(&mut self, coder: &mut impl Coder, past: &mut Past, value: i32) -> (i32, u32) {
        let last = past.values[0];
        let moved = self.repeats.code_signed(coder, i64::from(value) - i64::from(last));
        let value = i64::from(last).wrapping_add(moved).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        past.values[0] = value;
        (value, 0)
    }

    /// Codes a value: its past guesses, and what is off is written.
    pub(super) fn code(
        &mut self,
        coder: &mut impl Coder,
        past: &mut Past,
        around: &Around,
        value: i32,
    ) -> (i32, u32) {
        let guess = past.guess();
        let half = 1 << (FRACTION - 1);
        let whole = (guess + half) >> FRACTION;
        let fraction = guess - (whole << FRACTION);
        let residual = self.residual(coder, past, around, fraction, i64::from(value) - whole);
        let value = (whole + residual).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let first = past.seen == 0;
        past.take(value, if first { 0 } else { residual });
        (value, residual.unsigned_abs().min(1 << 20) as u32)
    }

    fn residual(
        &mut self,
        coder: &mut impl Coder,
        past: &Past,
        around: &Around,
        fraction: i64,
        residual: i64,
    ) -> i64 {
        let class = if past.seen == 0 { 2 } else { around.class.min(1) };
        let [r1, r2] = past.residuals;
        let (s1, s2) = (r1.unsigned_abs(), r2.unsigned_abs());
        let own = if past.seen == 0 { SIZES - 1 } else { level(past.size, SIZES) };
        let mixed = if around.component == 0 {
            past.size
        } else {
            (past.size + 16 * around.known / around.component as u32) / 2
        };
        let mixed = if past.seen == 0 { SIZES - 1 } else { level(mixed, SIZES) };
        let near = level(around.joint, NEAR);
        let known = level(around.known, NEAR);
        let small = |r: u32| level(r, RECENT);
        let contexts = [
            class * SIZES + own,
            around.component.min(3) * SIZES + mixed,
            (near * NEAR + known) + NEAR * NEAR * usize::from(around.component == 0),
            (small(s1) * RECENT + small(s2)) * RECENT + small(around.known),
            around.track % TRACKS,
            level(around.frame, NEAR) * SIZES + own,
        ];
        // Of the sign: which way the guess was rounded, and which way it was off.
        let lean = (fraction + 8).clamp(0, 15) as usize >> 1;
        let was = (r1.signum() + 1) as usize;
        let mut bits = Bits { all: self, contexts, class, coder };
        let between = usize::from(fraction.unsigned_abs() >= 4);
        if bits.code(between, residual == 0) {
            return 0;
        }
        let negative = bits.sign(lean, was, residual < 0);
        let size = residual.unsigned_abs() as u32;
        let bit_count = (u32::BITS - size.leading_zeros()) as usize;
        let mut length = 1;
        while length < LONGEST && bits.code(LENGTH + length - 1, bit_count > length) {
            length += 1;
        }
        let mut out = 1_u32;
        for k in (0..length - 1).rev() {
            let bit = size >> k & 1 == 1;
            let below = length - 2 - k;
            let bit = if below < 2 {
                // Two levels of a tree a length.
                let node = if below == 0 { 0 } else { 1 + (out & 1) as usize };
                bits.code((BELOW + length * 3 + node).min(SIGNS - 1), bit)
            } else {
                bits.coder.bit(1 << 15, bit)
            };
            out = out << 1 | u32::from(bit);
        }
        let out = i64::from(out);
        if negative { -out } else { out }
    }
}

struct Bits<'a, C> {
    all: &'a mut Residuals,
    contexts: [usize; INPUTS],
    class: usize,
    coder: &'a mut C,
}

impl<C: Coder> Bits<'_, C> {
    #[inline(always)]
    fn code(&mut self, slot: usize, bit: bool) -> bool {
        let all = &mut *self.all;
        let at = self.contexts.map(|context| context * SLOTS + slot);
        all.mixer.code(
            self.coder,
            self.class * SLOTS + slot,
            [
                &mut all.by_size[at[0]],
                &mut all.by_size_fast[at[1]],
                &mut all.by_near[at[2]],
                &mut all.by_recent[at[3]],
                &mut all.by_track[at[4]],
                &mut all.by_frame[at[5]],
            ],
            [250, 30, 120, 250, 60, 120],
            bit,
        )
    }

    fn sign(&mut self, lean: usize, was: usize, bit: bool) -> bool {
        self.code(SIGNS + was * 8 + lean, bit)
    }
}
