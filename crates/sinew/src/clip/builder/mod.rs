//! From an authored clip to a compressed one, with the error it made.

mod classify;
mod frames;
mod keyed;
mod layout;
mod levers;
mod measure;
mod rate;
mod search;
mod solve;

use std::sync::Arc;

use crate::{ChannelTarget, ClipError, Curve, JointId, RawClip, Rig, SHELL, Skeleton};

use super::pack::PackError;
use super::{Clip, weight_curve_name};
use classify::Tracks;
use frames::Frames;
use levers::Levers;
use measure::Measured;
use search::{Found, Start};

/// Makes [`Clip`]s.
///
/// The bound is kept in model space: how far any point at [`ClipBuilder::shell`] from any joint ends up from
/// where the exact evaluator puts it, with all errors of the joints above. Quantisation is closed-loop: each
/// joint is rounded to where it makes up best for what the joints above it already lost.
#[derive(Clone, Copy, Debug)]
pub struct ClipBuilder<'a> {
    skeleton: &'a Skeleton,
    rig: &'a Rig,
    bound: f64,
    shell: f64,
    rate: Option<f64>,
}

/// What a [`Clip`] lost and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipReport {
    /// Largest distance of a point on the shell from its exact place, metres; over source keys, frames and
    /// moments between them. A moment counts as right where the exact pose within one single-precision step of its
    /// time is: source times are rounded to such steps.
    pub error: f64,
    /// The joint it is at.
    pub joint: JointId,
    /// The moment it is at, seconds.
    pub time: f64,
    /// Largest angle between a joint and its exact rotation in model space, radians.
    pub angle: f64,
    /// The joint that is at.
    pub angle_joint: JointId,
    /// Moments compared.
    pub moments: usize,
    /// Bytes of the clip in memory, without names, curves and events.
    pub bytes: usize,
    /// Bytes of the same frames as ten f32 a joint.
    pub raw_bytes: usize,
    /// Joints of the rig.
    pub joints: usize,
    /// Frames stored.
    pub frames: usize,
    /// Frames a second.
    pub rate: f64,
    /// Tracks (rotations, translations, scales) that stay at rest.
    pub at_rest: usize,
    /// Tracks that hold another value.
    pub constant: usize,
    /// Tracks stored at every frame.
    pub animated: usize,
    /// Tracks stored with keys of their own: steps, and motion between frames.
    pub keyed: usize,
}

impl ClipReport {
    /// Raw bytes for each byte stored.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.bytes as f64
    }
}

/// Why a clip cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipBuildError {
    /// The clip is not valid for the skeleton.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The rig is of another skeleton.
    #[error("the rig has {found} joints, the skeleton {expected}")]
    Rig {
        /// Joints of the rig.
        found: usize,
        /// Joints of the skeleton.
        expected: usize,
    },
    /// A setting is not a usable number.
    #[error("{what} is {found}, expected {expected}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// Its value.
        found: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// The motion leaves the range of numbers: splines can.
    #[error("{joint} is not finite at {time} s")]
    NonFinite {
        /// The joint.
        joint: JointId,
        /// When, seconds.
        time: f64,
    },
    /// Too long at this rate.
    #[error("{seconds} s at {rate} Hz are more than {limit} frames")]
    TooLong {
        /// Length of the clip.
        seconds: f64,
        /// Frames a second.
        rate: f64,
        /// Most frames.
        limit: usize,
    },
    /// The clip does not fit the format within the bound.
    #[error("{joint} is off by {} mm at {time} s at best, the bound is {} mm", error * 1e3, bound * 1e3)]
    BoundNotMet {
        /// The worst joint.
        joint: JointId,
        /// When, seconds.
        time: f64,
        /// Smallest error reached, metres.
        error: f64,
        /// The bound, metres.
        bound: f64,
    },
    /// Values take more bits than the format has.
    #[error("a track moves too far to be kept within {} mm", bound * 1e3)]
    OutOfRange {
        /// The bound, metres.
        bound: f64,
    },
    /// More than 4 GiB, or more than 65,535 tracks of one sort.
    #[error("the clip takes more than 4 GiB or more than 65535 tracks of one sort")]
    TooLarge,
}

/// Angle between two frames, radians, from which on a joint's errors turn away from what makes up for them.
const FAR_TURN: f64 = 0.35;

/// Shares of the bound that one track may lose between frames before it gets keys of its own: the next where long
/// chains of joints lose too much together.
const BETWEEN: [f64; 3] = [0.2, 0.04, 0.008];
/// Part of that which one track with keys of its own may lose between them.
const BETWEEN_KEYS: f64 = 0.25;
/// Part of that below which a change counts as none.
const STILL: f64 = 0.1;

/// Most frames of a clip.
pub(crate) const MAX_FRAMES: usize = 1 << 22;

impl<'a> ClipBuilder<'a> {
    /// A builder with a bound of 0.1 mm at 3 cm.
    #[must_use]
    pub fn new(skeleton: &'a Skeleton, rig: &'a Rig) -> Self {
        Self { skeleton, rig, bound: 1e-4, shell: f64::from(SHELL), rate: None }
    }

    /// Largest error allowed, metres.
    #[must_use]
    pub fn bound(self, metres: f64) -> Self {
        Self { bound: metres, ..self }
    }

    /// Distance from each joint at which the error is measured, metres.
    #[must_use]
    pub fn shell(self, metres: f64) -> Self {
        Self { shell: metres, ..self }
    }

    /// Frames a second, where the builder should not choose: it finds the rate of the source's keys, and doubles
    /// it where the motion between them needs that.
    #[must_use]
    pub fn rate(self, rate: f64) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// The clip and what it lost.
    ///
    /// # Errors
    /// [`ClipBuildError`]; among others where the bound cannot be met.
    pub fn build(&self, raw: &RawClip) -> Result<(Clip, ClipReport), ClipBuildError> {
        self.check(raw)?;
        let levers = Levers::new(self.skeleton, self.rig, self.shell);
        let mut least: Option<(f64, ClipBuildError)> = None;
        for share in BETWEEN {
            let choice = rate::choose(self, &levers, raw, share * self.bound)?;
            match self.build_at(raw, &levers, &choice, share * self.bound) {
                Err(failure @ ClipBuildError::BoundNotMet { error, .. }) => {
                    if least.as_ref().is_none_or(|(least, _)| error < *least) {
                        least = Some((error, failure));
                    }
                }
                done => return done,
            }
        }
        let failure = least.map(|(_, failure)| failure);
        Err(match failure {
            Some(ClipBuildError::BoundNotMet { error, .. }) if error.is_infinite() => {
                ClipBuildError::OutOfRange { bound: self.bound }
            }
            Some(failure) => failure,
            None => ClipBuildError::OutOfRange { bound: self.bound },
        })
    }

    /// At a rate, where a track may lose `between` metres between frames, and fixed parts of that otherwise.
    fn build_at(
        &self,
        raw: &RawClip,
        levers: &Levers<'_>,
        choice: &rate::Choice,
        between: f64,
    ) -> Result<(Clip, ClipReport), ClipBuildError> {
        let frames = Frames::new(self.skeleton, self.rig, raw, choice.rate, choice.frames)?;
        let (still, keys) = (STILL * between, BETWEEN_KEYS * between);
        let tracks = Tracks::new(self, raw, &frames, choice, levers, still, keys);
        let mut best: Option<Measured> = None;
        // What rounding may take; the rest is left to single precision and to what happens between frames.
        let mut target = self.bound * 0.998;
        let mut tight = vec![1.0; frames.frames];
        let mut start: Option<Start> = None;
        for attempt in 0..24 {
            let found = search::search(self, &frames, &tracks, target, &tight, start.as_ref());
            let Some(Found { whole, start: mut used, turning }) = found else {
                target *= 0.7;
                start = None;
                // What is lost elsewhere, finer steps cannot win back.
                if target < 0.05 * self.bound {
                    break;
                }
                continue;
            };
            let block = match whole.pack() {
                Ok(block) => block,
                Err(PackError::TooLarge) => return Err(ClipBuildError::TooLarge),
                // Finer steps than the format has.
                Err(PackError::Width { .. } | PackError::Base { .. }) => break,
            };
            let block = Arc::<[u8]>::from(block).into();
            let assembled =
                Clip::assemble(block, raw.name.clone(), curves(self.skeleton, raw), raw.events.clone());
            // What the format refuses, such as a length beyond single precision, no finer steps mend.
            let Ok(clip) = assembled else { break };
            let found = measure::measure(self, raw, &clip);
            if found.error <= self.bound {
                let report = self.report(&clip, &tracks, &found);
                return Ok((clip, report));
            }
            // Between two frames the error may be larger than at either. Where a joint turns far, what its children
            // make up for does not turn with it: that joint gets finer steps. Elsewhere both frames get less.
            let mut finer = vec![false; self.rig.len()];
            for (time, error) in &found.over {
                let frame = ((time * frames.rate).floor() as usize).min(frames.frames.saturating_sub(2));
                let next = (frame + 1).min(frames.frames - 1);
                let mut turns = false;
                for (slot, finer) in finer.iter_mut().enumerate() {
                    let far = frames.turn(frame, next, slot) > FAR_TURN;
                    *finer |= far;
                    turns |= far;
                }
                if !turns {
                    let share = (0.96 * self.bound / error).clamp(0.5, 0.99);
                    tight[frame] *= share;
                    tight[next] *= share;
                }
            }
            for (step, slot) in used.steps.iter_mut().zip(&turning) {
                if attempt < 3 && slot.is_some_and(|slot| finer[slot]) {
                    *step *= 0.6;
                }
            }
            // Not for ever: where that does not help, everything gets a little finer.
            if attempt >= 3 {
                target *= 0.85;
                used.steps.iter_mut().for_each(|step| *step *= 0.85);
            }
            start = Some(used);
            if attempt > 5 && best.as_ref().is_some_and(|m| found.error > 0.98 * m.error) {
                break;
            }
            if best.as_ref().is_none_or(|m| found.error < m.error) {
                best = Some(found);
            }
        }
        let found = best.unwrap_or(Measured { error: f64::INFINITY, ..Measured::default() });
        Err(ClipBuildError::BoundNotMet {
            joint: found.joint,
            time: found.time,
            error: found.error,
            bound: self.bound,
        })
    }

    fn check(&self, raw: &RawClip) -> Result<(), ClipBuildError> {
        raw.validate(self.skeleton)?;
        if self.rig.len() != self.skeleton.len() {
            let (found, expected) = (self.rig.len(), self.skeleton.len());
            return Err(ClipBuildError::Rig { found, expected });
        }
        let positive = [("the bound", self.bound), ("the shell", self.shell)];
        for (what, found) in positive.into_iter().chain(self.rate.map(|r| ("the rate", r))) {
            if !(found.is_finite() && found > 0.0) {
                let expected = "a finite number above 0";
                return Err(ClipBuildError::Setting { what, found, expected });
            }
        }
        Ok(())
    }

    fn report(&self, clip: &Clip, tracks: &Tracks, found: &Measured) -> ClipReport {
        let frames = clip.frames() as usize;
        let count = |kind| tracks.count(kind);
        ClipReport {
            error: found.error,
            joint: found.joint,
            time: found.time,
            angle: found.angle,
            angle_joint: found.angle_joint,
            moments: found.moments,
            bytes: clip.bytes().len(),
            raw_bytes: frames * self.rig.len() * 40,
            joints: self.rig.len(),
            frames,
            rate: clip.rate(),
            at_rest: count(classify::Class::Rest),
            constant: count(classify::Class::Constant),
            animated: count(classify::Class::Animated),
            keyed: count(classify::Class::Keyed),
        }
    }
}

/// The curves of a clip, and its morph weights as curves ([`Clip::weight_curve`]).
fn curves(skeleton: &Skeleton, raw: &RawClip) -> Vec<Curve> {
    let mut curves = raw.curves.clone();
    for channel in raw.channels.iter().filter(|c| c.target == ChannelTarget::Weights) {
        let track = &channel.track;
        let width = track.width();
        for target in 0..width {
            let values: Vec<f32> = track.values().iter().skip(target).step_by(width).copied().collect();
            let name = weight_curve_name(skeleton.joint(channel.joint).node, target);
            curves.retain(|c| c.name != name);
            // One component of a valid track is a valid track.
            curves.extend(Curve::new(name, track.times().clone(), values, track.interpolation()).ok());
        }
    }
    curves
}
