//! The time of one clip.

use super::PlayRate;
use crate::Playback;

/// Most passes through a clip that unwrapped time can count without losing its place.
pub(super) const MAX_PASSES: f64 = 1_099_511_627_776.0;

/// Why a playhead cannot do what was asked. It is left as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlayError {
    /// NaN or an infinity.
    #[error("{what} is {value}, expected a finite number")]
    NotFinite {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that cannot be negative. To run back, the rate is negative, not the step.
    #[error("{what} is {value}, expected 0 or more")]
    Negative {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// So many passes that the place within the clip would be lost.
    #[error("{passes} passes through the clip, at most 2^40 can be counted")]
    TooFar {
        /// Passes it would have been.
        passes: f64,
    },
    /// A list of weights names a clip that the group does not have.
    #[error("clip {clip} in the weights, the group has {clips}")]
    NoSuchClip {
        /// The clip named.
        clip: usize,
        /// Clips there are.
        clips: usize,
    },
    /// No weight above 0: nothing says how fast time runs.
    #[error("no clip has a weight above 0")]
    NoWeight,
}

pub(super) fn finite(what: &'static str, value: f64) -> Result<f64, PlayError> {
    if value.is_finite() { Ok(value) } else { Err(PlayError::NotFinite { what, value }) }
}

pub(super) fn not_negative(what: &'static str, value: f64) -> Result<f64, PlayError> {
    if finite(what, value)? < 0.0 { Err(PlayError::Negative { what, value }) } else { Ok(value) }
}

/// What a step of a playhead came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayStatus {
    /// Time ran as asked.
    Playing,
    /// Time ran; the rate is still on its way to its target.
    RateLimited,
    /// The rate is 0: time stands still.
    Stopped,
    /// A clip that plays once ran to its end and holds there.
    AtEnd,
    /// A clip that plays once ran back to its start and holds there.
    AtStart,
}

/// One step of a playhead. `previous` and `current` are what
/// [`EventTrack::step`](crate::EventTrack::step) and [`RootMotion::delta`](crate::RootMotion::delta) take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayStep {
    /// Unwrapped seconds before the step.
    pub previous: f64,
    /// Unwrapped seconds after it.
    pub current: f64,
    /// How often the end of the clip was passed; negative when time runs back.
    pub wraps: i64,
    /// Seconds of the step that a clip that plays once had no use for: it was at its end by then.
    pub unplayed: f64,
    /// What it came to.
    pub status: PlayStatus,
}

/// The time of one clip: unwrapped, so that it says how often the clip was passed and where in it one is.
///
/// ```
/// use sinew::{PlayStatus, Playback, Playhead};
///
/// let mut head = Playhead::new(0.5, Playback::Loop)?;
/// head.rate.slew_to(2.0, 4.0)?; // twice as fast, within a quarter of a second
/// let step = head.advance(0.5)?;
/// // 0.25 s at a mean of 1.5, 0.25 s at 2: the end was passed once.
/// assert_eq!((step.previous, step.current, step.wraps), (0.0, 0.875, 1));
/// assert_eq!((head.clip_time(), step.status), (0.375, PlayStatus::Playing));
/// # Ok::<(), sinew::PlayError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playhead {
    duration: f64,
    playback: Playback,
    time: f64,
    /// How fast time runs.
    pub rate: PlayRate,
}

impl Playhead {
    /// At the start of a clip of `duration` seconds, at rate 1. A clip of length 0 cannot loop and plays
    /// once.
    ///
    /// # Errors
    /// [`PlayError`] where the duration is negative or not finite.
    pub fn new(duration: f64, playback: Playback) -> Result<Self, PlayError> {
        let duration = not_negative("the clip's duration", duration)?;
        Ok(Self { duration, playback, time: 0.0, rate: PlayRate::default() })
    }

    /// Length of the clip, seconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Unwrapped seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Seconds within the clip, 0 to its duration: what a clip is sampled at.
    #[must_use]
    pub fn clip_time(&self) -> f32 {
        (self.time - self.cycle() as f64 * self.duration).clamp(0.0, self.duration) as f32
    }

    /// Place within the clip as a share of its length, 0 to 1; 0 for a clip of length 0.
    #[must_use]
    pub fn phase(&self) -> f64 {
        if self.duration == 0.0 {
            return 0.0;
        }
        (self.time / self.duration - self.cycle() as f64).clamp(0.0, 1.0)
    }

    /// Which pass through the clip this is, 0 the first.
    #[must_use]
    pub fn cycle(&self) -> i64 {
        if self.loops() { (self.time / self.duration).floor() as i64 } else { 0 }
    }

    /// Jumps to a moment (unwrapped seconds). Of a clip that plays once, one beyond an end is that end.
    ///
    /// A fixed-step simulation may set `tick * step` here in place of [`Playhead::advance`].
    ///
    /// # Errors
    /// [`PlayError`] where the time is not finite or too far.
    pub fn seek(&mut self, time: f64) -> Result<(), PlayError> {
        self.time = self.place(finite("the time", time)?)?;
        Ok(())
    }

    /// Takes up another clip, or the same at another length, at the same phase and pass.
    ///
    /// # Errors
    /// [`PlayError`] where the duration is negative or not finite.
    pub fn set_duration(&mut self, duration: f64) -> Result<(), PlayError> {
        let duration = not_negative("the clip's duration", duration)?;
        let passes = if self.duration == 0.0 { 0.0 } else { self.time / self.duration };
        let time = finite("the unwrapped time", passes * duration)?;
        (self.duration, self.time) = (duration, time);
        if !self.loops() {
            self.time = self.time.clamp(0.0, duration);
        }
        Ok(())
    }

    /// Lets `dt` seconds pass.
    ///
    /// # Errors
    /// [`PlayError`] where the step is negative or not finite, or leads too far.
    pub fn advance(&mut self, dt: f64) -> Result<PlayStep, PlayError> {
        let dt = not_negative("the step in seconds", dt)?;
        let (rate, seconds) = self.rate.after(dt);
        let (previous, cycle) = (self.time, self.cycle());
        let asked = finite("the unwrapped time", previous + seconds)?;
        let current = self.place(asked)?;
        let unplayed = if current == asked { 0.0 } else { dt - self.rate.until(current - previous, dt) };
        (self.rate, self.time) = (rate, current);
        let status = if current < asked || (!self.loops() && current == self.duration && seconds > 0.0) {
            PlayStatus::AtEnd
        } else if current > asked || (!self.loops() && current == 0.0 && seconds < 0.0) {
            PlayStatus::AtStart
        } else if rate.is_limited() {
            PlayStatus::RateLimited
        } else if rate.current() == 0.0 {
            PlayStatus::Stopped
        } else {
            PlayStatus::Playing
        };
        Ok(PlayStep { previous, current, wraps: self.cycle() - cycle, unplayed, status })
    }

    fn loops(&self) -> bool {
        self.playback == Playback::Loop && self.duration > 0.0
    }

    /// A time as it may be kept.
    fn place(&self, time: f64) -> Result<f64, PlayError> {
        if !self.loops() {
            return Ok(time.clamp(0.0, self.duration));
        }
        let passes = time / self.duration;
        if !(passes.abs() <= MAX_PASSES) {
            return Err(PlayError::TooFar { passes });
        }
        Ok(time)
    }
}
