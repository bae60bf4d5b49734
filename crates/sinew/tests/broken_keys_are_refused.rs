//! Promise: keys that break a rule make no track; the error names the key and the numbers found.

use proptest::prelude::*;
use sinew::{Interpolation, Track, TrackError};

fn scalar(times: &[f64], values: &[f32]) -> Result<Track, TrackError> {
    Track::new(times.into(), values.into(), 1, Interpolation::Linear)
}

#[track_caller]
fn refused(result: Result<Track, TrackError>, error: &TrackError, words: &[&str]) {
    let found = result.unwrap_err();
    assert_eq!(&found, error);
    let message = found.to_string();
    assert!(words.iter().all(|w| message.contains(w)), "{message}");
}

#[test]
fn no_keys() {
    refused(scalar(&[], &[]), &TrackError::Empty, &["no keys"]);
}

#[test]
fn times_that_are_not_finite() {
    let error = TrackError::NonFiniteTime { key: 1, time: f64::INFINITY };
    refused(scalar(&[0.0, f64::INFINITY], &[0.0, 0.0]), &error, &["key 1", "inf"]);
    assert!(matches!(scalar(&[f64::NAN], &[0.0]), Err(TrackError::NonFiniteTime { key: 0, .. })));
}

#[test]
fn negative_duplicate_and_decreasing_times() {
    let negative = TrackError::NegativeTime { key: 0, time: -0.5 };
    refused(scalar(&[-0.5, 1.0], &[0.0, 0.0]), &negative, &["key 0", "negative", "-0.5"]);
    let duplicate = TrackError::DuplicateTime { key: 2, time: 0.4 };
    refused(scalar(&[0.0, 0.4, 0.4], &[0.0; 3]), &duplicate, &["key 2", "duplicate", "0.4", "key 1"]);
    let decreasing = TrackError::DecreasingTime { key: 1, time: 0.25, previous: 0.5 };
    refused(scalar(&[0.5, 0.25], &[0.0; 2]), &decreasing, &["key 1", "decreasing", "0.25", "0.5"]);
    assert_eq!(scalar(&[-0.0, 0.0], &[0.0; 2]), Err(TrackError::DuplicateTime { key: 1, time: 0.0 }));
}

#[test]
fn counts_that_do_not_fit() {
    let error = TrackError::OutputCount { keys: 2, expected: 2, found: 3 };
    refused(scalar(&[0.0, 1.0], &[0.0; 3]), &error, &["3", "2 keys", "expected 2"]);
    let spline = Track::new([0.0, 1.0].into(), [0.0; 6].into(), 3, Interpolation::CubicSpline);
    refused(spline, &TrackError::OutputCount { keys: 2, expected: 18, found: 6 }, &["expected 18"]);
}

#[test]
fn values_that_are_not_finite_and_values_of_nothing() {
    let values = [0.0, 0.0, 0.0, 0.0, f32::NEG_INFINITY, 0.0];
    let track = Track::new([0.0, 1.0].into(), values.into(), 3, Interpolation::Linear);
    let error = TrackError::NonFiniteValue { key: 1, component: 1, value: f32::NEG_INFINITY };
    refused(track, &error, &["key 1", "component 1", "-inf"]);
    let empty = Track::new([0.0, 1.0].into(), [].into(), 0, Interpolation::Linear);
    refused(empty, &TrackError::NoWidth { width: 0 }, &["at least one"]);
}

#[test]
fn rotations_of_no_length() {
    let values = [0.0, 0.0, 0.0, 1.0, 0.0, -0.0, 0.0, 0.0];
    let track = Track::rotation([0.0, 1.0].into(), values.into(), Interpolation::Linear);
    refused(track, &TrackError::ZeroRotation { key: 1 }, &["key 1", "length 0"]);
}

proptest! {
    #[test]
    fn any_numbers_either_make_a_track_that_samples_finite_or_are_refused(
        times in prop::collection::vec(any::<f32>(), 0..5),
        values in prop::collection::vec(any::<f32>(), 0..64),
        mode in prop::sample::select(vec![Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline]),
        at in any::<f64>(),
    ) {
        let seconds: Vec<f64> = times.iter().map(|t| f64::from(t.abs())).collect();
        let needed = seconds.len() * 4 * if mode == Interpolation::CubicSpline { 3 } else { 1 };
        let values: Vec<f32> = values.iter().copied().cycle().take(if values.is_empty() { 0 } else { needed }).collect();
        if let Ok(track) = Track::rotation(seconds.into(), values.into(), mode) {
            prop_assert!((track.sample_rotation(at).length() - 1.0).abs() < 1e-9);
            prop_assert!((0..4).all(|c| track.sample_component(at, c).is_finite()));
        }
    }
}
