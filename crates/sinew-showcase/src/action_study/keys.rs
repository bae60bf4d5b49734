//! Keys of actions: ours, written as a few turning points and sampled evenly in between.

use std::f64::consts::PI;

use sinew::action::{ActionChannel, ActionError, ActionField};

/// Frames a second of keys and recordings.
pub(crate) const RATE: f64 = 30.0;

/// A channel and its turning points: frame of the action and value, degrees for angles and parts of the
/// reference height for translations.
pub(crate) type Turning<'a> = (ActionChannel, &'a [(u32, f64)]);

/// A field with a key a frame, level at each turning point and eased in between by half a cosine.
pub(crate) fn eased((channel, points): Turning<'_>, factor: f64) -> Result<ActionField, ActionError> {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for pair in points.windows(2) {
        let ((from, a), (to, b)) = (pair[0], pair[1]);
        for frame in from..to {
            let share = f64::from(frame - from) / f64::from(to - from);
            push(&mut times, &mut values, frame, a + (b - a) * (0.5 - 0.5 * libm::cos(PI * share)));
        }
    }
    if let Some((frame, value)) = points.last() {
        push(&mut times, &mut values, *frame, *value);
    }
    let base = if channel.is_angle() { 0.0 } else { points.first().map_or(0.0, |p| p.1) };
    let scaled: Vec<f32> = values
        .iter()
        .map(|value| {
            let value = base + (value - base) * factor;
            (if channel.is_angle() { value.to_radians() } else { value }) as f32
        })
        .collect();
    ActionField::linear(channel.name(), &times, &scaled)
}

/// A field with straight lines between the points themselves.
pub(crate) fn straight((channel, points): Turning<'_>) -> Result<ActionField, ActionError> {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for (frame, value) in points {
        push(&mut times, &mut values, *frame, *value);
    }
    let stored = |value: &f64| (if channel.is_angle() { value.to_radians() } else { *value }) as f32;
    ActionField::linear(channel.name(), &times, &values.iter().map(stored).collect::<Vec<_>>())
}

fn push(times: &mut Vec<f64>, values: &mut Vec<f64>, frame: u32, value: f64) {
    times.push(f64::from(frame) / RATE);
    values.push(value);
}

/// Turning points as a record's settings say them.
pub(crate) fn settings(keys: &[Turning<'_>]) -> serde_json::Value {
    let points = |points: &[(u32, f64)]| -> Vec<serde_json::Value> {
        points.iter().map(|(frame, value)| serde_json::json!([f64::from(*frame) / RATE, value])).collect()
    };
    let list = keys.iter().map(|(channel, list)| (channel.name().to_owned(), points(list).into()));
    serde_json::Value::Object(list.collect())
}
