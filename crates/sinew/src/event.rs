//! Moments of a clip that fire exactly once, however time is stepped.

/// A named moment of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What to tell the listener.
    pub name: String,
    /// Seconds from the start of the clip.
    pub time: f64,
}

/// Why a list of events cannot be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EventError {
    /// An event lies outside the clip or is not a number.
    #[error("event {index} ({name:?}) is at {time} s, expected 0 to {duration} s")]
    OutOfClip {
        /// Position in the list.
        index: usize,
        /// Name of the event.
        name: String,
        /// Its time, seconds.
        time: f64,
        /// Length of the clip, seconds.
        duration: f64,
    },
    /// The clip's length is negative or not a number.
    #[error("clip length {duration} s, expected 0 or more")]
    BadDuration {
        /// The length, seconds.
        duration: f64,
    },
}

/// Whether time past the end of a clip starts it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Playback {
    /// Plays once and holds the end pose.
    Once,
    /// Starts over; unwrapped time goes on growing.
    Loop,
}

/// An event that fired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fired {
    /// Position of the event in [`EventTrack::events`].
    pub event: usize,
    /// Which pass through the clip, 0 the first.
    pub cycle: i64,
}

/// The events of one clip in order of time, ready to be played.
///
/// A step from `previous` to `current` fires the events in the interval `(previous, current]`, and in
/// `[current, previous)` when time runs back. Each event keeps a count of firings that depends on unwrapped
/// time alone, so any split of a span into steps fires the same events the same number of times. The moment
/// that playback starts from belongs to no step: [`EventTrack::begin`] fires it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventTrack {
    events: Vec<Event>,
    duration: f64,
    playback: Playback,
}

impl EventTrack {
    /// Events of a clip of `duration` seconds, sorted by time (events of one moment keep their order).
    /// A clip of length 0 cannot loop and plays once.
    ///
    /// # Errors
    /// [`EventError`] names the event that is not within the clip.
    pub fn new(mut events: Vec<Event>, duration: f64, playback: Playback) -> Result<Self, EventError> {
        if !duration.is_finite() || duration < 0.0 {
            return Err(EventError::BadDuration { duration });
        }
        for (index, event) in events.iter().enumerate() {
            if !(event.time >= 0.0 && event.time <= duration) {
                let (name, time) = (event.name.clone(), event.time);
                return Err(EventError::OutOfClip { index, name, time, duration });
            }
        }
        // Not `total_cmp`, for which -0 comes before 0.
        events.sort_by(|a, b| a.time.partial_cmp(&b.time).unwrap_or(core::cmp::Ordering::Equal));
        let playback = if duration == 0.0 { Playback::Once } else { playback };
        Ok(Self { events, duration, playback })
    }

    /// The events in order of time.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How often an event fires in a step, in constant time. Negative when time runs back; 0 where a time is
    /// not finite.
    ///
    /// # Panics
    /// Where `event` is not below the number of events.
    #[must_use]
    pub fn count(&self, event: usize, previous: f64, current: f64) -> i64 {
        if !previous.is_finite() || !current.is_finite() {
            return 0;
        }
        // Running back fires what lies in [current, previous).
        if current < previous {
            return self.before(event, current).saturating_sub(self.before(event, previous));
        }
        self.up_to(event, current).saturating_sub(self.up_to(event, previous))
    }

    /// Calls `on_fired` for each event at the very moment `time` (unwrapped seconds).
    ///
    /// A step leaves out the moment it starts from, so call this once where playback starts or jumps to:
    /// without it, an event at 0 of a clip started at 0 would wait for the first loop.
    pub fn begin(&self, time: f64, mut on_fired: impl FnMut(Fired)) {
        if !time.is_finite() {
            return;
        }
        // An event at the end of one pass and an event at 0 of the next are one moment: earlier pass first.
        let here = |event| (self.before(event, time), self.up_to(event, time));
        let cycles = (0..self.events.len()).map(here).filter(|(before, up_to)| before < up_to);
        let (first, last) = cycles.fold((i64::MAX, i64::MIN), |(lo, hi), (b, _)| (lo.min(b), hi.max(b)));
        for cycle in first..=last {
            for event in (0..self.events.len()).filter(|&e| (cycle, cycle.saturating_add(1)) == here(e)) {
                on_fired(Fired { event, cycle });
            }
        }
    }

    /// Calls `on_fired` for each event of the step from `previous` to `current` (unwrapped seconds), in the
    /// order the playhead meets them. Takes as many calls as events fire; does not allocate.
    pub fn step(&self, previous: f64, current: f64, mut on_fired: impl FnMut(Fired)) {
        if self.events.is_empty() || !previous.is_finite() || !current.is_finite() {
            return;
        }
        let back = current < previous;
        let count = |event: usize, t: f64| if back { self.before(event, t) } else { self.up_to(event, t) };
        let (lo, hi) = if back { (current, previous) } else { (previous, current) };
        // Events of one cycle share its number; an event's firings number its cycles.
        let first = (0..self.events.len()).map(|e| count(e, lo)).min().unwrap_or(0);
        let last = (0..self.events.len()).map(|e| count(e, hi)).max().unwrap_or(0);
        let in_step = |cycle: i64, event: usize| cycle >= count(event, lo) && cycle < count(event, hi);
        if back {
            for cycle in (first..last).rev() {
                for event in (0..self.events.len()).rev().filter(|&e| in_step(cycle, e)) {
                    on_fired(Fired { event, cycle });
                }
            }
        } else {
            for cycle in first..last {
                for event in (0..self.events.len()).filter(|&e| in_step(cycle, e)) {
                    on_fired(Fired { event, cycle });
                }
            }
        }
    }

    /// Firings at or before unwrapped time `t`, counted from the first pass of a clip started at 0.
    fn up_to(&self, event: usize, t: f64) -> i64 {
        let at = self.events[event].time;
        match self.playback {
            Playback::Once => i64::from(t >= at),
            Playback::Loop => (((t - at) / self.duration).floor() as i64).saturating_add(1),
        }
    }

    /// Firings strictly before unwrapped time `t`.
    fn before(&self, event: usize, t: f64) -> i64 {
        let at = self.events[event].time;
        match self.playback {
            Playback::Once => i64::from(t > at),
            Playback::Loop => ((t - at) / self.duration).ceil() as i64,
        }
    }
}
