//! The time of a group of clips in step.

use super::playhead::{MAX_PASSES, PlayError, PlayStatus, finite, not_negative};
use super::{ClipWeights, PlayRate, SyncGroup};

/// One step of a [`SyncPlayhead`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyncStep {
    /// Phase before the step. [`SyncGroup::unwrapped_time`] makes it a clip's time, for events and root
    /// motion.
    pub previous: f64,
    /// Phase after it.
    pub current: f64,
    /// Markers passed; negative when time runs back.
    pub markers: i64,
    /// How often the end of the pattern was passed; negative when time runs back.
    pub wraps: i64,
    /// What it came to; a group never ends.
    pub status: PlayStatus,
}

/// The phase of one character in a [`SyncGroup`].
///
/// ```
/// use sinew::{BlendSample1D, BlendSpace1D, SyncGroup, SyncMarker, SyncPlayhead, SyncTrack};
///
/// let feet = |left, right| {
///     [("left", left), ("right", right)].map(|(name, time)| SyncMarker { name: name.into(), time }).to_vec()
/// };
/// let (walk, run) = (SyncTrack::new(1.1, feet(0.1, 0.65))?, SyncTrack::new(0.7, feet(0.4, 0.05))?);
/// let group = SyncGroup::new(&[walk, run])?;
/// let by_speed =
///     BlendSpace1D::new(&[BlendSample1D { clip: 0, at: 1.4 }, BlendSample1D { clip: 1, at: 4.0 }])?;
/// let mut head = SyncPlayhead::default();
/// // Every frame: weights by the speed, then times by the phase they share.
/// let (mut weights, _) = by_speed.weights(2.7)?;
/// let step = head.advance(&group, 1.0 / 60.0, &mut weights)?;
/// for entry in weights.iter() {
///     // sample clip `entry.clip` at `entry.time` with `entry.weight`
///     let moved = [step.previous, step.current].map(|phase| group.unwrapped_time(entry.clip, phase));
///     assert!(moved[0] < moved[1]); // for events and root motion
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SyncPlayhead {
    phase: f64,
    /// How fast time runs.
    pub rate: PlayRate,
}

impl SyncPlayhead {
    /// Unwrapped phase, in marker intervals.
    #[must_use]
    pub fn phase(&self) -> f64 {
        self.phase
    }

    /// Jumps to a phase.
    ///
    /// # Errors
    /// [`PlayError`] where it is not finite or too far.
    pub fn seek(&mut self, phase: f64) -> Result<(), PlayError> {
        if finite("the phase", phase)?.abs() > MAX_PASSES {
            return Err(PlayError::TooFar { passes: phase });
        }
        self.phase = phase;
        Ok(())
    }

    /// Lets `dt` seconds pass and fills in the time of every clip in `weights`.
    ///
    /// # Errors
    /// [`PlayError`] where the step or the weights are not right, or the step leads too far; nothing is
    /// changed.
    pub fn advance(
        &mut self,
        group: &SyncGroup,
        dt: f64,
        weights: &mut ClipWeights,
    ) -> Result<SyncStep, PlayError> {
        let dt = not_negative("the step in seconds", dt)?;
        let (rate, seconds) = self.rate.after(dt);
        let seconds = finite("the seconds to play", seconds)?;
        let (previous, current) = (self.phase, group.phase_after(self.phase, seconds, weights)?);
        (self.rate, self.phase) = (rate, current);
        for entry in weights.iter_mut() {
            entry.time = group.clip_time(entry.clip, current);
        }
        let status = if rate.is_limited() {
            PlayStatus::RateLimited
        } else if rate.current() == 0.0 {
            PlayStatus::Stopped
        } else {
            PlayStatus::Playing
        };
        let turn = group.pattern().len() as i64;
        let (before, after) = (previous.floor() as i64, current.floor() as i64);
        Ok(SyncStep {
            previous,
            current,
            markers: after - before,
            wraps: after.div_euclid(turn) - before.div_euclid(turn),
            status,
        })
    }
}
