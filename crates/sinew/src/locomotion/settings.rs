//! Limits of matching.

use super::error::{LocomotionError, in_range};

/// How far the pose may be bent to make it meet the distance.
///
/// What a limit leaves over goes on to the next: the playhead takes what the play rate allows, the stride what
/// its scale allows, the mesh what its offset allows; only the rest slides, and every amount is returned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchSettings {
    /// Slowest play rate while the character moves. Where it stands, time may stand as well.
    pub min_rate: f64,
    /// Fastest play rate.
    pub max_rate: f64,
    /// Most change of the play rate, a second.
    pub slew: f64,
    /// Least and greatest scale of the stride; 1 lies between.
    pub stride: [f64; 2],
    /// Most change of the stride's scale, a second. What it costs goes to the offset.
    pub stride_slew: f64,
    /// How far the mesh may be from the capsule, metres.
    pub max_offset: f64,
    /// Seconds within which the stride works off half of the mesh's offset, as far as its scale allows: an
    /// offset never goes by sliding.
    pub offset_half_life: f64,
    /// Nearer to a stop than this, the clip plays by time, metres.
    pub settle_distance: f64,
    /// Slower than this on the way to a stop, the clip plays by time, metres a second.
    pub settle_speed: f64,
    /// Fastest play rate there.
    pub settle_rate: f64,
}

impl MatchSettings {
    /// For clips that start: half to two and a half times as fast, by at most 0.5 more or less from one frame
    /// of 1/60 s to the next; stride 0.7 to 1.4, by at most 0.2 more or less a frame; offset up to 15 cm, of
    /// which 15 % are worked off in such a frame.
    #[inline]
    #[must_use]
    pub fn start() -> Self {
        Self {
            min_rate: 0.5,
            max_rate: 2.5,
            slew: 30.0,
            stride: [0.7, 1.4],
            stride_slew: 12.0,
            max_offset: 0.15,
            offset_half_life: 0.0711,
            settle_distance: 0.06,
            settle_speed: 0.6,
            settle_rate: 1.25,
        }
    }

    /// For clips that stop or turn: up to twice as fast, and as slow as it takes.
    #[inline]
    #[must_use]
    pub fn stop() -> Self {
        Self { min_rate: 0.0, max_rate: 2.0, ..Self::start() }
    }

    /// For clips that go round: a quarter slower or faster, with strides that change by no more than 0.07 a frame of
    /// 1/60 s.
    #[inline]
    #[must_use]
    pub fn cycle() -> Self {
        Self { min_rate: 0.75, max_rate: 1.25, stride_slew: 4.0, ..Self::start() }
    }

    /// Refuses settings outside their ranges.
    ///
    /// # Errors
    /// [`LocomotionError`] names the setting.
    pub fn check(&self) -> Result<(), LocomotionError> {
        in_range("the slowest play rate", self.min_rate, 0.0, 100.0, "0 to 100")?;
        in_range("the fastest play rate", self.max_rate, self.min_rate, 100.0, "the slowest to 100")?;
        in_range("the fastest play rate", self.max_rate, 1e-3, 100.0, "0.001 to 100")?;
        in_range("the slew limit a second", self.slew, 1e-3, 1e6, "0.001 to 1e6")?;
        in_range("the shortest stride", self.stride[0], 0.0, 1.0, "0 to 1")?;
        in_range("the longest stride", self.stride[1], 1.0, 10.0, "1 to 10")?;
        in_range("the stride's slew limit a second", self.stride_slew, 1e-3, 1e6, "0.001 to 1e6")?;
        in_range("the offset in metres", self.max_offset, 0.0, 1e3, "0 to 1000")?;
        in_range("the offset's half-life in seconds", self.offset_half_life, 1e-4, 1e4, "0.0001 to 10000")?;
        in_range("the settling distance in metres", self.settle_distance, 0.0, 1e3, "0 to 1000")?;
        in_range("the settling speed in metres a second", self.settle_speed, 0.0, 1e3, "0 to 1000")?;
        in_range("the settling rate", self.settle_rate, 1e-3, 100.0, "0.001 to 100")?;
        Ok(())
    }
}
