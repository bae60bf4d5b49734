//! How much of an action shows: windows at its start and end in which its weight comes and goes.

use crate::{Curve, Interpolation};

/// How a weight goes from 0 to 1 over a window.
#[derive(Clone, Debug, PartialEq)]
pub enum BlendMode {
    /// A straight line.
    Linear,
    /// `3 u^2 - 2 u^3`: level at both ends.
    SmoothStep,
    /// `u^2`: level at the outer end.
    EaseIn,
    /// `1 - (1 - u)^2`: level at the inner end.
    EaseOut,
    /// Keys over 0 to 1 with values 0 to 1. The value at 1 need not be 1: past the window the factor is 1, and
    /// the weight jumps there as the asset has it.
    Custom(Curve),
}

/// A window at one end of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendWindow {
    /// Its length; 0 for none.
    pub seconds: f64,
    /// How the weight goes.
    pub mode: BlendMode,
}

/// Why a window cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WindowError {
    /// Its length is none.
    #[error("a blend window of {seconds} s, expected 0 or more")]
    Seconds {
        /// The length, seconds.
        seconds: f64,
    },
    /// A key of a custom curve is outside the window.
    #[error("key {key} of blend curve {name:?} is at {at}, expected 0 to 1")]
    KeyOutside {
        /// Name of the curve.
        name: String,
        /// The key, counted from 0.
        key: usize,
        /// Where it is.
        at: f64,
    },
    /// A key of a custom curve is no weight.
    #[error("key {key} of blend curve {name:?} has weight {weight}, expected 0 to 1")]
    Weight {
        /// Name of the curve.
        name: String,
        /// The key, counted from 0.
        key: usize,
        /// Its value.
        weight: f64,
    },
    /// A spline can leave 0 to 1 between its keys.
    #[error("blend curve {name:?} is a cubic spline, expected straight lines or steps between its keys")]
    Spline {
        /// Name of the curve.
        name: String,
    },
}

impl BlendWindow {
    /// No window: the factor is 1 at once.
    pub const NONE: Self = Self { seconds: 0.0, mode: BlendMode::Linear };

    /// A window of some seconds.
    #[must_use]
    pub fn new(seconds: f64, mode: BlendMode) -> Self {
        Self { seconds, mode }
    }

    /// Whether it can be used.
    ///
    /// # Errors
    /// [`WindowError`] says what is wrong.
    pub fn check(&self) -> Result<(), WindowError> {
        if !(self.seconds.is_finite() && self.seconds >= 0.0) {
            return Err(WindowError::Seconds { seconds: self.seconds });
        }
        let BlendMode::Custom(curve) = &self.mode else { return Ok(()) };
        let (name, track) = (|| curve.name.clone(), curve.track());
        if track.interpolation() == Interpolation::CubicSpline {
            return Err(WindowError::Spline { name: name() });
        }
        for (key, &at) in track.times().iter().enumerate() {
            if !(0.0..=1.0).contains(&at) {
                return Err(WindowError::KeyOutside { name: name(), key, at });
            }
            let weight = f64::from(track.key_value(key)[0]);
            if !(0.0..=1.0).contains(&weight) {
                return Err(WindowError::Weight { name: name(), key, weight });
            }
        }
        Ok(())
    }

    /// The factor `within` seconds into the window from the action's end that it belongs to; `None` past it.
    fn factor(&self, within: f64) -> Option<f64> {
        if within >= self.seconds {
            return None;
        }
        let u = within / self.seconds;
        Some(match &self.mode {
            BlendMode::Linear => u,
            BlendMode::SmoothStep => u * u * (3.0 - 2.0 * u),
            BlendMode::EaseIn => u * u,
            BlendMode::EaseOut => u * (2.0 - u),
            BlendMode::Custom(curve) => curve.sample(u),
        })
    }
}

/// The weight of an action at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlendWeight {
    /// The weight, 0 to 1; 0 outside the action.
    pub value: f64,
    /// Factor of the window at the start; `None` where it is over.
    pub blend_in: Option<f64>,
    /// Factor of the window at the end; `None` where it has not begun.
    pub blend_out: Option<f64>,
}

/// Both windows of an action. Body and head have their own.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendWindows {
    /// Over the time since the start.
    pub blend_in: BlendWindow,
    /// Over the time left to the end.
    pub blend_out: BlendWindow,
}

impl BlendWindows {
    /// No windows: weight 1 throughout the action.
    pub const NONE: Self = Self { blend_in: BlendWindow::NONE, blend_out: BlendWindow::NONE };

    /// The weight `since` seconds after the start of an action of `length` seconds: 1, times the factor of each
    /// window that is running. Where both run, both count; the smaller one alone would give another envelope.
    ///
    /// # Errors
    /// [`WindowError`] where a window cannot be used, whether it is running or not.
    pub fn weight(&self, since: f64, length: f64) -> Result<BlendWeight, WindowError> {
        self.blend_in.check()?;
        self.blend_out.check()?;
        Ok(self.weight_of_checked(since, length))
    }

    /// The weight, of windows that were checked.
    pub(super) fn weight_of_checked(&self, since: f64, length: f64) -> BlendWeight {
        // Written so that NaN is outside.
        if !(since >= 0.0 && since <= length) {
            return BlendWeight::default();
        }
        let (blend_in, blend_out) = (self.blend_in.factor(since), self.blend_out.factor(length - since));
        BlendWeight { value: blend_in.unwrap_or(1.0) * blend_out.unwrap_or(1.0), blend_in, blend_out }
    }
}
