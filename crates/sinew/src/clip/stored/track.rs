//! What the past of a number says about its next value, and how far off that will be.

/// Extrapolations that are weighed against each other.
const GUESSES: usize = 6;
/// Fraction bits of an extrapolation.
pub(super) const FRACTION: u32 = 4;
/// Keeps sums of differences within 64 bits for any bytes.
const LARGEST: i64 = 1 << 29;

/// The past of one component of one joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    /// Latest first.
    pub(super) values: [i32; 4],
    /// Of each guess, squared, decaying.
    errors: [u64; GUESSES],
    guesses: [i64; GUESSES],
    /// Latest residual first.
    pub(super) residuals: [i32; 2],
    /// Mean size of residuals, in sixteenths.
    pub(super) size: u32,
    /// Values seen, up to 255.
    pub(super) seen: u8,
}

impl Past {
    pub(super) const NEW: Self = Self {
        values: [0; 4],
        // The straight line is believed first.
        errors: [6 << 8, 1 << 8, 4 << 8, 2 << 8, 2 << 8, 4 << 8],
        guesses: [0; GUESSES],
        residuals: [0; 2],
        size: 0,
        seen: 0,
    };

    /// The next value with [`FRACTION`] bits of fraction: a mean of extrapolations, each weighted by one over the
    /// square of what it was off lately.
    pub(super) fn guess(&mut self) -> i64 {
        let [a, b, c, d] = self.values.map(|v| i64::from(v) << FRACTION);
        self.guesses = [
            a,
            2 * a - b,
            3 * a - 3 * b + c,
            a + (a - c) / 2,
            a + (a - b) / 2,
            // A parabola through four points.
            (9 * a - 3 * b - 5 * c + 3 * d) / 4,
        ];
        // Sums, products and quotients of doubles are the same everywhere.
        let (mut sum, mut weights) = (0.0, 0.0);
        for (guess, error) in self.guesses.iter_mut().zip(self.errors) {
            *guess = (*guess).clamp(-LARGEST << FRACTION, LARGEST << FRACTION);
            let off = (error + 16) as f64;
            let weight = 1.0 / (off * off);
            sum += weight * (*guess - a) as f64;
            weights += weight;
        }
        a + (sum / weights) as i64
    }

    /// Takes the value that came.
    pub(super) fn take(&mut self, value: i32, residual: i64) {
        let exact = i64::from(value) << FRACTION;
        // With one value before, all guesses are the same.
        if self.seen >= 2 {
            for (guess, error) in self.guesses.iter().zip(&mut self.errors) {
                let off = (guess - exact).unsigned_abs().min(1 << 24);
                *error = *error - *error / 8 + off * off;
            }
        }
        let size = residual.unsigned_abs().min(1 << 24) as u32;
        self.size = self.size - self.size / 4 + size * 4;
        self.residuals = [residual.clamp(-1 << 24, 1 << 24) as i32, self.residuals[0]];
        self.push(value);
    }

    /// Takes a value that is known without coding, or the first one.
    pub(super) fn push(&mut self, value: i32) {
        let [a, b, c, _] = self.values;
        // Before the first value there was the same one.
        self.values = if self.seen == 0 { [value; 4] } else { [value, a, b, c] };
        self.seen = self.seen.saturating_add(1);
    }
}
