//! Which moment of an action a moment of the recording shows.
//!
//! Two contracts that must not be mixed: a recording holds the action's ends for a while and stops at progress
//! 1; a stomp goes on through its recovery to progress 2 over the length of its main part alone.

/// Why there is no such clock, or no moment of it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ClockError {
    /// A length of time that is none.
    #[error("{what} of {seconds} s, expected {expected}")]
    Seconds {
        /// Which one.
        what: &'static str,
        /// Its value, seconds.
        seconds: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// A rate that is none.
    #[error("rate of {rate} frames a second, expected more than 0")]
    Rate {
        /// The rate, hertz.
        rate: f64,
    },
    /// More frames than a recording may have.
    #[error("{frames} frames, expected at most {}", RecordingClock::MOST_FRAMES)]
    Frames {
        /// How many there would be; as a float, since there is no end to it.
        frames: f64,
    },
}

/// A moment of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClockSample {
    /// The clock's own time, seconds.
    pub time: f64,
    /// Seconds since the action started, as they are: below 0 before it, past its length after it.
    pub since: f64,
    /// Seconds into the action, within it.
    pub active: f64,
    /// `active` over the action's main length.
    pub progress: f64,
    /// Whether `since` is within the action, both ends included.
    pub inside: bool,
}

/// Clock of a recording that shows the action's first moment for a while, then the action, then its last moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordingClock {
    length: f64,
    rate: f64,
    lead: f64,
}

impl RecordingClock {
    /// Frames a second of a recording, where nothing else is said.
    pub const RATE: f64 = 30.0;
    /// Seconds held before and after the action, where nothing else is said.
    pub const LEAD: f64 = 1.0;
    /// Frames that a recording may have: 92 hours at 30 frames a second.
    pub const MOST_FRAMES: u32 = 10_000_000;

    /// For an action of `length` seconds: 30 frames a second, one second held before and after.
    ///
    /// # Errors
    /// [`ClockError`] where the length is not above 0, or makes more than [`RecordingClock::MOST_FRAMES`].
    pub fn new(length: f64) -> Result<Self, ClockError> {
        Self::with(length, Self::RATE, Self::LEAD)
    }

    /// For an action of `length` seconds at `rate` frames a second, held for `lead` seconds before and after.
    ///
    /// # Errors
    /// [`ClockError`] where a number is not finite or out of its range, or where there would be more than
    /// [`RecordingClock::MOST_FRAMES`].
    pub fn with(length: f64, rate: f64, lead: f64) -> Result<Self, ClockError> {
        positive("an action", length)?;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(ClockError::Rate { rate });
        }
        if !(lead.is_finite() && lead >= 0.0) {
            return Err(ClockError::Seconds { what: "a hold", seconds: lead, expected: "0 or more" });
        }
        let this = Self { length, rate, lead };
        let frames = this.last_frame() + 1.0;
        // Written so that NaN is refused.
        if !(frames <= f64::from(Self::MOST_FRAMES)) {
            return Err(ClockError::Frames { frames });
        }
        Ok(this)
    }

    /// Length of the action, seconds.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Frames a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Frames that show both holds and the action, the last moment included.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.last_frame() as u32 + 1
    }

    fn last_frame(&self) -> f64 {
        // A length of 50 frames comes as 1.6666…: what is within a millionth of a frame is the frame.
        libm::floor((self.length + 2.0 * self.lead) * self.rate + 1e-6)
    }

    /// The moment of a frame, counted from 0.
    #[must_use]
    pub fn at_frame(&self, frame: u32) -> ClockSample {
        let frame = f64::from(frame);
        // The hold is taken off in frames, so that a whole number of frames into the action divides exactly.
        self.sample(frame / self.rate, (frame - self.lead * self.rate) / self.rate)
    }

    /// The moment at `time` seconds of the recording.
    ///
    /// # Errors
    /// [`ClockError::Seconds`] where the time is not finite.
    pub fn at(&self, time: f64) -> Result<ClockSample, ClockError> {
        finite(time)?;
        Ok(self.sample(time, time - self.lead))
    }

    fn sample(&self, time: f64, since: f64) -> ClockSample {
        let active = since.clamp(0.0, self.length);
        ClockSample { time, since, active, progress: active / self.length, inside: since == active }
    }
}

/// Clock of a stomp: a main part and a recovery, progress counted in main parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StompClock {
    main: f64,
    recovery: f64,
}

impl StompClock {
    /// For a main part and a recovery, seconds. Two seconds each give progress `clamp(t, 0, 4) / 2`.
    ///
    /// # Errors
    /// [`ClockError`] where the main part is not above 0 or the recovery is below 0.
    pub fn new(main: f64, recovery: f64) -> Result<Self, ClockError> {
        positive("a main part", main)?;
        if !(recovery.is_finite() && recovery >= 0.0) {
            return Err(ClockError::Seconds { what: "a recovery", seconds: recovery, expected: "0 or more" });
        }
        Ok(Self { main, recovery })
    }

    /// Length of both parts, seconds.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.main + self.recovery
    }

    /// The moment `time` seconds after the start.
    ///
    /// # Errors
    /// [`ClockError::Seconds`] where the time is not finite.
    pub fn at(&self, time: f64) -> Result<ClockSample, ClockError> {
        finite(time)?;
        let active = time.clamp(0.0, self.length());
        Ok(ClockSample { time, since: time, active, progress: active / self.main, inside: time == active })
    }
}

fn positive(what: &'static str, seconds: f64) -> Result<(), ClockError> {
    let fine = seconds.is_finite() && seconds > 0.0;
    fine.then_some(()).ok_or(ClockError::Seconds { what, seconds, expected: "more than 0" })
}

fn finite(seconds: f64) -> Result<(), ClockError> {
    let what = "a time";
    seconds.is_finite().then_some(()).ok_or(ClockError::Seconds {
        what,
        seconds,
        expected: "a finite number",
    })
}
