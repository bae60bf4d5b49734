//! Curves and events that sinew writes beside an animation: `extras.sinew`, version 1.
//!
//! `{"sinew": {"version": 1, "curves": [{"name", "interpolation", "times", "values"}],
//! "events": [{"name", "time"}]}}`. Extras of others are left alone.

use sinew::{Curve, Event, Interpolation, RawClip};

use super::accessor::Accessors;
use super::fault::{Fault, short};
use super::json::Cursor;
use crate::error::{Object, ProblemCode, Problems, Severity};

/// Adds the curves and events of an animation to its clip; what cannot be read is named and left out.
pub(super) fn read_extras(
    animation: Cursor<'_>,
    index: u32,
    accessors: &mut Accessors<'_>,
    problems: &mut Problems,
    clip: &mut RawClip,
) {
    let Some(ours) = animation.get("extras").and_then(|extras| extras.get("sinew")) else { return };
    let name = animation.short_name();
    let object = Object::Animation { index, name: name.clone() };
    match ours.need_whole("version") {
        Ok(1) => {}
        Ok(other) => {
            let text = format!("expected version 1, found {other}; curves and events are left out");
            problems.push(Severity::Warning, ProblemCode::Extras, object, ours.place_of("version"), text);
            return;
        }
        Err(fault) => {
            let text = format!("{}; curves and events are left out", fault.text());
            problems.push(Severity::Warning, ProblemCode::Extras, object, fault.place, text);
            return;
        }
    }
    let mut report = |item: Cursor<'_>, fault: Fault| {
        let curve = item.short_name().unwrap_or_default();
        let object = Object::Curve { animation: index, name: name.clone(), curve };
        let text = format!("{}; left out", fault.text());
        problems.push(Severity::Warning, ProblemCode::Extras, object, fault.place, text);
    };
    for key in ["curves", "events"] {
        if let Err(fault) = ours.list(key) {
            report(ours, fault);
        }
    }
    for curve in ours.get("curves").iter().flat_map(Cursor::elements) {
        match read_curve(curve, accessors) {
            Ok(curve) => clip.curves.push(curve),
            Err(fault) => report(curve, fault),
        }
    }
    let duration = clip.duration();
    for event in ours.get("events").iter().flat_map(Cursor::elements) {
        match read_event(event, duration) {
            Ok(event) => clip.events.push(event),
            Err(fault) => report(event, fault),
        }
    }
}

fn read_curve(curve: Cursor<'_>, accessors: &mut Accessors<'_>) -> Result<Curve, Fault> {
    let name = curve.need("name", "a name")?.text()?;
    let interpolation = match curve.get("interpolation") {
        None => Interpolation::Linear,
        Some(at) => match at.text()? {
            "LINEAR" => Interpolation::Linear,
            "STEP" => Interpolation::Step,
            "CUBICSPLINE" => Interpolation::CubicSpline,
            _ => return Err(at.fault("LINEAR, STEP or CUBICSPLINE")),
        },
    };
    let (times, values) = (curve.need("times", "seconds")?, curve.need("values", "numbers")?);
    let numbers = (times.array()?.len() + values.array()?.len()) as u64;
    accessors.budget.charge(numbers, 16, || curve.place())?;
    let times = times.elements().map(|t| t.number()).collect::<Result<Vec<f64>, _>>()?;
    let values = values.elements().map(|v| v.number().map(|n| n as f32)).collect::<Result<Vec<f32>, _>>()?;
    Curve::new(name, times, values, interpolation).map_err(|error| {
        Fault::new(ProblemCode::Extras, curve.place(), "keys that make a curve", error.to_string())
    })
}

fn read_event(event: Cursor<'_>, duration: f64) -> Result<Event, Fault> {
    let name = event.need("name", "a name")?.text()?;
    let at = event.need("time", "seconds")?;
    let time = at.number()?;
    // Key times are stored in f32: an event on the last key may stand a rounding behind it.
    if !(0.0..=duration * (1.0 + f64::from(f32::EPSILON))).contains(&time) {
        let expected = format!("a time within the {duration} s of the clip");
        let found = format!("{time} s for \"{}\"", short(name));
        return Err(Fault::new(ProblemCode::Extras, at.place(), expected, found));
    }
    Ok(Event { name: name.to_owned(), time: time.min(duration) })
}
