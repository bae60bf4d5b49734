//! What sinew stores beside an animation: `extras.sinew`, version 1.
//!
//! glTF has no place for scalar curves and events that belong to a clip, and leaves `extras` to applications
//! (glTF 2.0 specification, section 3.3). The JSON schema of these types is `schema/extras-sinew.schema.json`.

use schemars::JsonSchema;
use serde::Serialize;
use sinew::{Curve, Event, Interpolation, RawClip};

/// The version that is written, and the only one that is read.
pub(crate) const VERSION: u32 = 1;

/// `animations[i].extras.sinew`: curves and events of the animation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "sinew animation extras", rename = "AnimationExtras")]
pub(crate) struct AnimationExtras {
    /// Version of this object; 1.
    #[schemars(range(min = 1, max = 1))]
    version: u32,
    /// Scalars over the time of the animation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    curves: Vec<CurveExtras>,
    /// Moments of the animation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    events: Vec<EventExtras>,
}

/// A named scalar over time, constant before its first and after its last key.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct CurveExtras {
    /// What people call it.
    name: String,
    /// How values between keys come about, as in an animation sampler.
    interpolation: InterpolationExtras,
    /// Seconds from the start of the animation, strictly increasing, in double precision.
    #[schemars(length(min = 1), inner(range(min = 0.0)))]
    times: Vec<f64>,
    /// One number a key; for CUBICSPLINE three: in-tangent, value, out-tangent.
    #[schemars(length(min = 1))]
    values: Vec<f32>,
}

/// As in glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum InterpolationExtras {
    /// A straight line between two keys.
    Linear,
    /// The value of the key before.
    Step,
    /// A cubic Hermite spline through the keys with their tangents.
    CubicSpline,
}

/// A moment of the animation that a player tells its listeners, once a pass.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct EventExtras {
    /// What to tell.
    name: String,
    /// Seconds from the start of the animation, at most its length.
    #[schemars(range(min = 0.0))]
    time: f64,
}

impl AnimationExtras {
    /// Those of a clip; `None` where it has neither curves nor events.
    pub(crate) fn of(clip: &RawClip) -> Option<Self> {
        if clip.curves.is_empty() && clip.events.is_empty() {
            return None;
        }
        let curves = clip.curves.iter().map(CurveExtras::from).collect();
        let events = clip.events.iter().map(EventExtras::from).collect();
        Some(Self { version: VERSION, curves, events })
    }
}

impl From<&Curve> for CurveExtras {
    fn from(curve: &Curve) -> Self {
        let track = curve.track();
        let interpolation = match track.interpolation() {
            Interpolation::Linear => InterpolationExtras::Linear,
            Interpolation::Step => InterpolationExtras::Step,
            Interpolation::CubicSpline => InterpolationExtras::CubicSpline,
        };
        let (times, values) = (track.times().to_vec(), track.values().to_vec());
        Self { name: curve.name.clone(), interpolation, times, values }
    }
}

impl From<&Event> for EventExtras {
    fn from(event: &Event) -> Self {
        Self { name: event.name.clone(), time: event.time }
    }
}

/// JSON schema of `animations[i].extras.sinew` as this version writes it.
#[must_use]
pub fn extras_schema() -> serde_json::Value {
    schemars::schema_for!(AnimationExtras).to_value()
}
