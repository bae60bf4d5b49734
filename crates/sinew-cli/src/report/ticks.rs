//! Round numbers along an axis.
//!
//! Based on: P. Heckbert, "Nice numbers for graph labels", Graphics Gems (1990).

/// The ticks of one axis: `first + i * step` for `i` in `0..count`, all inside the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ticks {
    first: f64,
    step: f64,
    count: usize,
    decimals: usize,
}

impl Ticks {
    /// About `wanted` ticks from `low` to `high`, at steps of 1, 2 or 5 times a power of ten.
    pub(super) fn new(low: f64, high: f64, wanted: usize) -> Self {
        let span = high - low;
        if !(span.is_finite() && span > 0.0) {
            return Self { first: low, step: 0.0, count: usize::from(low.is_finite()), decimals: 3 };
        }
        let step = nice_step(span / wanted.max(1) as f64);
        // A tick that sits on the border up to rounding still counts.
        let first = libm::ceil(low / step - 1e-9);
        let last = libm::floor(high / step + 1e-9);
        let decimals = (-libm::floor(libm::log10(step) + 1e-9)).clamp(0.0, 12.0) as usize;
        Self { first: first * step, step, count: (last - first + 1.0).clamp(0.0, 100.0) as usize, decimals }
    }

    /// Value and label of each tick.
    pub(super) fn iter(self) -> impl Iterator<Item = (f64, String)> {
        (0..self.count).map(move |i| {
            let value = self.first + i as f64 * self.step;
            (value, self.label(value))
        })
    }

    fn label(self, value: f64) -> String {
        let largest = self.first.abs().max((self.first + self.step * self.count as f64).abs());
        if self.decimals > 5 || largest >= 1e6 {
            return format!("{value:.1e}");
        }
        let text = format!("{value:.*}", self.decimals);
        // "-0" would be a lie about direction.
        if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
            text.trim_start_matches('-').into()
        } else {
            text.replace('-', "−")
        }
    }
}

/// The one of 1, 2, 5, 10 times a power of ten that is nearest to `rough` on a scale of ratios.
fn nice_step(rough: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let fraction = rough / power;
    // The borders are the geometric means of the neighbours.
    let nice = match fraction {
        f if f < core::f64::consts::SQRT_2 => 1.0,
        f if f < 3.162 => 2.0,
        f if f < 7.071 => 5.0,
        _ => 10.0,
    };
    nice * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, wanted: usize) -> Vec<String> {
        Ticks::new(low, high, wanted).iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn steps_are_one_two_or_five() {
        assert_eq!(labels(0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-3.0, 14.2, 4), ["0", "5", "10"]);
        assert_eq!(labels(0.0, 0.0417, 5), ["0.00", "0.01", "0.02", "0.03", "0.04"]);
        assert_eq!(labels(-0.1, 0.1, 2), ["−0.1", "0.0", "0.1"]);
    }

    #[test]
    fn an_empty_or_broken_range_has_no_crowd_of_ticks() {
        assert_eq!(labels(2.0, 2.0, 5).len(), 1);
        assert!(labels(f64::NAN, 1.0, 5).is_empty());
        assert!(labels(0.0, f64::INFINITY, 5).len() <= 1);
    }
}
