//! Plots of a recorded action over the recording's clock.

use sinew::action::FrameRecord;
use sinew_audit::plot::{Plot, Series};

/// A plot that follows the first clip.
pub(crate) fn over_frames(
    title: &str,
    label: &str,
    unit: &str,
    description: &str,
    series: Vec<Series>,
) -> Plot {
    Plot { description: description.into(), clip: Some(0), series, ..Plot::over_time(title, label, unit) }
}

/// One number a frame.
pub(crate) fn series(name: &str, frames: &[FrameRecord], of: impl Fn(&FrameRecord) -> f64) -> Series {
    Series::new(name, frames.iter().map(|record| [record.clock.time, of(record)]).collect())
}
