//! Monotone cubic interpolation: no key is overshot, and what rises between two keys rises all the way.
//!
//! Fritsch and Butland, "A Method for Constructing Local Monotone Piecewise Cubic Interpolants" (1984), with
//! the one-sided three-point slope at the ends (Moler, "Numerical Computing with MATLAB", 3.6).

/// Slopes at the keys, `[key]`.
pub(super) fn slopes(times: &[f64], values: &[f64]) -> Vec<f64> {
    let n = times.len();
    let step = |i: usize| times[i + 1] - times[i];
    let rise = |i: usize| (values[i + 1] - values[i]) / step(i);
    match n {
        0 | 1 => return vec![0.0; n],
        2 => return vec![rise(0); 2],
        _ => {}
    }
    let mut slopes = vec![0.0; n];
    for i in 1..n - 1 {
        let (a, b) = (rise(i - 1), rise(i));
        if a * b > 0.0 {
            let (w1, w2) = (2.0 * step(i) + step(i - 1), step(i) + 2.0 * step(i - 1));
            slopes[i] = (w1 + w2) / (w1 / a + w2 / b);
        }
    }
    slopes[0] = end_slope(step(0), step(1), rise(0), rise(1));
    slopes[n - 1] = end_slope(step(n - 2), step(n - 3), rise(n - 2), rise(n - 3));
    slopes
}

fn end_slope(near: f64, far: f64, rise: f64, next: f64) -> f64 {
    let slope = ((2.0 * near + far) * rise - near * next) / (near + far);
    if slope * rise <= 0.0 {
        0.0
    } else if rise * next <= 0.0 && slope.abs() > 3.0 * rise.abs() {
        3.0 * rise
    } else {
        slope
    }
}

/// The value a share `u` of the way from key `i` to the next.
pub(super) fn value(times: &[f64], values: &[f64], slopes: &[f64], i: usize, u: f64) -> f64 {
    let h = times[i + 1] - times[i];
    let rise = values[i + 1] - values[i];
    // Written from the first value, so that a level piece is level to the last bit.
    let (a, b) = (slopes[i] * h - rise, slopes[i + 1] * h - rise);
    values[i] + u * (rise + (1.0 - u) * (a * (1.0 - u) - b * u))
}

/// Samples at `count` even steps from the first to the last key, `count + 1` of them.
pub(super) fn resample(times: &[f64], values: &[f64], count: usize) -> Vec<f64> {
    let slopes = slopes(times, values);
    let last = times.len() - 1;
    let (start, end) = (times[0], times[last]);
    let mut key = 0;
    (0..=count)
        .map(|i| {
            if i == count {
                return values[last];
            }
            let t = start + (end - start) * (i as f64 / count as f64);
            while key + 1 < last && times[key + 1] <= t {
                key += 1;
            }
            value(
                times,
                values,
                &slopes,
                key,
                ((t - times[key]) / (times[key + 1] - times[key])).clamp(0.0, 1.0),
            )
        })
        .collect()
}
