//! Clips that walk in step: one phase, measured in foot contacts, for all of them.

use super::playhead::{MAX_PASSES, PlayError};

/// Most marker intervals until a group of clips is back where it began.
const MAX_INTERVALS: usize = 4096;

/// A named moment of a clip that the other clips have too: a foot contact.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncMarker {
    /// What happens, the same in every clip: `left`, `right`.
    pub name: String,
    /// Seconds from the start of the clip.
    pub time: f64,
}

/// The markers of one looping clip.
///
/// A clip without markers is one pattern long and runs evenly: it takes part by normalised time.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncTrack {
    duration: f64,
    markers: Vec<SyncMarker>,
}

/// Why clips cannot play in step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SyncError {
    /// A clip has no length.
    #[error("a clip of {duration} s, expected more than 0 and finite")]
    BadDuration {
        /// The length, seconds.
        duration: f64,
    },
    /// A marker is not within its clip. The end of a loop is its start, so its time is 0.
    #[error("marker {name:?} is at {time} s, expected 0 to below {duration} s")]
    OutOfClip {
        /// Name of the marker.
        name: String,
        /// Its time, seconds.
        time: f64,
        /// Length of the clip, seconds.
        duration: f64,
    },
    /// Two markers at one moment.
    #[error("markers {first:?} and {second:?} are both at {time} s")]
    SameTime {
        /// One of them.
        first: String,
        /// The other.
        second: String,
        /// The time of both, seconds.
        time: f64,
    },
    /// No clip.
    #[error("no clips to play in step")]
    Empty,
    /// The markers of two clips are not turns of one pattern.
    #[error("clip {clip} has the marker pattern {found:?}, clip {first} has {expected:?}")]
    PatternMismatch {
        /// The clip.
        clip: usize,
        /// The first clip with markers.
        first: usize,
        /// The shortest pattern that the first clip repeats.
        expected: Vec<String>,
        /// The shortest pattern that this clip repeats.
        found: Vec<String>,
    },
    /// Clips of so many patterns that the group takes too long to be back where it began.
    #[error("{intervals} marker intervals until all clips are back at their start, at most {MAX_INTERVALS}")]
    TooManyIntervals {
        /// Intervals it would take.
        intervals: usize,
    },
}

impl SyncTrack {
    /// Markers of a looping clip of `duration` seconds, in any order.
    ///
    /// # Errors
    /// [`SyncError`] names the marker that is not within the clip or not alone at its time.
    pub fn new(duration: f64, mut markers: Vec<SyncMarker>) -> Result<Self, SyncError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(SyncError::BadDuration { duration });
        }
        for marker in &mut markers {
            if !(marker.time >= 0.0 && marker.time < duration) {
                let (name, time) = (marker.name.clone(), marker.time);
                return Err(SyncError::OutOfClip { name, time, duration });
            }
            // No negative zero, which would sort before zero.
            marker.time += 0.0;
        }
        markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        if let Some(pair) = markers.windows(2).find(|pair| pair[0].time == pair[1].time) {
            let (first, second) = (pair[0].name.clone(), pair[1].name.clone());
            return Err(SyncError::SameTime { first, second, time: pair[0].time });
        }
        Ok(Self { duration, markers })
    }

    /// A clip without markers.
    ///
    /// # Errors
    /// [`SyncError::BadDuration`].
    pub fn unmarked(duration: f64) -> Result<Self, SyncError> {
        Self::new(duration, Vec::new())
    }

    /// Length of the clip, seconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// In order of time.
    #[must_use]
    pub fn markers(&self) -> &[SyncMarker] {
        &self.markers
    }

    /// The shortest run of names that the clip repeats.
    fn pattern(&self) -> &[SyncMarker] {
        let n = self.markers.len();
        let repeats = |p: usize| (p..n).all(|i| self.markers[i].name == self.markers[i - p].name);
        let period = (1..=n).find(|p| n.is_multiple_of(*p) && repeats(*p)).unwrap_or(0);
        &self.markers[..period]
    }
}

/// One clip of a group: its intervals, the first one being the first of the group's pattern.
#[derive(Clone, Debug, PartialEq)]
struct Clip {
    duration: f64,
    /// Where each interval starts, seconds within the clip.
    starts: Vec<f64>,
    /// How long each takes, seconds.
    seconds: Vec<f64>,
    /// The clip's marker at which the pattern starts.
    first: i64,
}

impl Clip {
    fn new(duration: f64, starts: Vec<f64>, first: usize) -> Self {
        let end = starts[0] + duration;
        let next = starts.iter().skip(1).chain([&end]);
        let seconds = starts.iter().zip(next).map(|(start, next)| next - start).collect();
        Self { duration, starts, seconds, first: first as i64 }
    }

    /// Which pass an interval of the group is in, and which marker starts it.
    fn interval(&self, interval: i64) -> (i64, usize) {
        let (marker, count) = (self.first + interval, self.starts.len() as i64);
        (marker.div_euclid(count), marker.rem_euclid(count) as usize)
    }
}

/// Clips that play in step, however long each takes and whichever foot it starts with.
///
/// The phase of a group counts marker intervals: its whole part says between which two markers of the pattern
/// every clip is, the rest which share of the way. A clip of two strides goes on to its second at the next
/// turn of the pattern. The phase is unwrapped, and every clip's time is a function of it alone, so weights
/// may change at will and no clip ever jumps.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncGroup {
    pattern: Vec<String>,
    clips: Vec<Clip>,
    /// Intervals until all clips are back at their start.
    period: i64,
}

impl SyncGroup {
    /// Clips in the order that weights name them.
    ///
    /// # Errors
    /// [`SyncError`] where there is no clip, or their patterns differ.
    pub fn new(tracks: &[SyncTrack]) -> Result<Self, SyncError> {
        if tracks.is_empty() {
            return Err(SyncError::Empty);
        }
        let leader = tracks.iter().position(|track| !track.markers.is_empty());
        let pattern: Vec<&str> = match leader {
            Some(leader) => tracks[leader].pattern().iter().map(|m| m.name.as_str()).collect(),
            None => vec!["start"],
        };
        let mut clips = Vec::with_capacity(tracks.len());
        let mut period = pattern.len();
        for (clip, track) in tracks.iter().enumerate() {
            let (starts, first) = if track.markers.is_empty() {
                let share = track.duration / pattern.len() as f64;
                ((0..pattern.len()).map(|i| i as f64 * share).collect(), 0)
            } else {
                let own: Vec<&str> = track.pattern().iter().map(|m| m.name.as_str()).collect();
                let first = (0..own.len()).find(|first| {
                    own.len() == pattern.len()
                        && (0..own.len()).all(|i| own[(first + i) % own.len()] == pattern[i])
                });
                let Some(first) = first else {
                    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
                    return Err(SyncError::PatternMismatch {
                        clip,
                        first: leader.unwrap_or(0),
                        expected: owned(&pattern),
                        found: owned(&own),
                    });
                };
                (track.markers.iter().map(|marker| marker.time).collect::<Vec<_>>(), first)
            };
            period = period / common_divisor(period, starts.len()) * starts.len();
            if period > MAX_INTERVALS {
                return Err(SyncError::TooManyIntervals { intervals: period });
            }
            clips.push(Clip::new(track.duration, starts, first));
        }
        let pattern = pattern.into_iter().map(str::to_owned).collect();
        Ok(Self { pattern, clips, period: period as i64 })
    }

    /// Number of clips.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clips.len()
    }

    /// Never: a group has at least one clip.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clips.is_empty()
    }

    /// Names of the markers of one turn, from phase 0 on; `["start"]` where no clip has any.
    #[must_use]
    pub fn pattern(&self) -> &[String] {
        &self.pattern
    }

    /// The last marker before a phase: its name.
    #[must_use]
    pub fn marker(&self, phase: f64) -> &str {
        &self.pattern[(phase.floor() as i64).rem_euclid(self.pattern.len() as i64) as usize]
    }

    /// Unwrapped seconds of a clip at a phase: what events and root motion take.
    ///
    /// # Panics
    /// Where `clip` is not of the group.
    #[must_use]
    pub fn unwrapped_time(&self, clip: usize, phase: f64) -> f64 {
        let clip = &self.clips[clip];
        let interval = phase.floor();
        let (cycle, marker) = clip.interval(interval as i64);
        let within = clip.starts[marker] + (phase - interval) * clip.seconds[marker];
        within + cycle as f64 * clip.duration
    }

    /// Seconds within a clip at a phase, 0 to its duration: what a clip is sampled at.
    ///
    /// # Panics
    /// Where `clip` is not of the group.
    #[must_use]
    pub fn clip_time(&self, clip: usize, phase: f64) -> f32 {
        let clip = &self.clips[clip];
        let interval = phase.floor();
        let (_, marker) = clip.interval(interval as i64);
        let within = clip.starts[marker] + (phase - interval) * clip.seconds[marker];
        let within = if within >= clip.duration { within - clip.duration } else { within };
        within.clamp(0.0, clip.duration) as f32
    }

    /// The phase at which a clip is at an unwrapped time: the inverse of [`SyncGroup::unwrapped_time`]. A
    /// hand-over into the group begins there.
    ///
    /// # Panics
    /// Where `clip` is not of the group.
    #[must_use]
    pub fn phase_at(&self, clip: usize, time: f64) -> f64 {
        let clip = &self.clips[clip];
        let since = time - clip.starts[0];
        let cycle = (since / clip.duration).floor();
        let within = (since - cycle * clip.duration).clamp(0.0, clip.duration) + clip.starts[0];
        let marker = clip.starts.partition_point(|start| *start <= within).max(1) - 1;
        let share = ((within - clip.starts[marker]) / clip.seconds[marker]).clamp(0.0, 1.0);
        cycle * clip.starts.len() as f64 + marker as f64 + share - clip.first as f64
    }

    /// Seconds that one turn of the pattern takes at these weights, at rate 1, from a phase on: the weighted
    /// mean over the clips. Weights need not sum to 1; all 0 give 0.
    ///
    /// # Panics
    /// Where a weight names a clip that is not of the group.
    #[must_use]
    pub fn stride_seconds(&self, phase: f64, weights: &[super::ClipWeight]) -> f64 {
        let first = phase.floor() as i64;
        (first..first + self.pattern.len() as i64).map(|i| self.interval_seconds(i, weights)).sum()
    }

    /// The weighted mean of the clips' seconds in one interval.
    fn interval_seconds(&self, interval: i64, weights: &[super::ClipWeight]) -> f64 {
        let (mut seconds, mut sum) = (0.0, 0.0);
        for entry in weights {
            let clip = &self.clips[entry.clip];
            let weight = f64::from(entry.weight);
            seconds += weight * clip.seconds[clip.interval(interval).1];
            sum += weight;
        }
        if sum > 0.0 { seconds / sum } else { 0.0 }
    }

    /// The phase after `seconds` of play at rate 1, negative ones back. Each interval takes the weighted mean
    /// of what the clips take for it, so that a clip that plays alone plays as it was made.
    pub(super) fn phase_after(
        &self,
        phase: f64,
        seconds: f64,
        weights: &[super::ClipWeight],
    ) -> Result<f64, PlayError> {
        let clips = self.clips.len();
        let mut sum = 0.0;
        for entry in weights {
            if entry.clip >= clips {
                return Err(PlayError::NoSuchClip { clip: entry.clip, clips });
            }
            let weight = f64::from(entry.weight);
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(PlayError::NotFinite { what: "a weight", value: weight });
            }
            sum += weight;
        }
        if !(sum > 0.0) {
            return Err(PlayError::NoWeight);
        }
        // Whole turns of the group at once, so that no step is too long to walk through.
        let (mut phase, mut left) = (phase, seconds.abs());
        let first = phase.floor() as i64;
        let shortest = self.shortest();
        if left > shortest {
            let turn: f64 = (first..first + self.period).map(|i| self.interval_seconds(i, weights)).sum();
            let turns = (left / turn).floor();
            left = (left - turns * turn).clamp(0.0, turn);
            phase += (turns * self.period as f64).copysign(seconds);
        }
        if !(phase.abs() <= MAX_PASSES) {
            return Err(PlayError::TooFar { passes: phase / self.pattern.len() as f64 });
        }
        if seconds >= 0.0 {
            loop {
                let interval = phase.floor();
                let whole = self.interval_seconds(interval as i64, weights);
                let rest = (interval + 1.0 - phase) * whole;
                if left < rest {
                    return Ok(phase + left / whole);
                }
                (left, phase) = (left - rest, interval + 1.0);
            }
        }
        loop {
            let interval = phase.ceil() - 1.0;
            let whole = self.interval_seconds(interval as i64, weights);
            let rest = (phase - interval) * whole;
            if left < rest {
                return Ok(phase - left / whole);
            }
            (left, phase) = (left - rest, interval);
        }
    }

    /// Seconds that no turn of the group is shorter than.
    fn shortest(&self) -> f64 {
        self.clips.iter().map(|clip| clip.duration).fold(f64::INFINITY, f64::min)
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
