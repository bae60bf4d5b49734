//! Curves of distance that clips carry, as they are stored: whatever is wrong with them.

use std::cell::OnceCell;

use sinew::locomotion::{
    DistanceBakeJob, DistanceBakeSettings, DistanceCurve, DistanceKind, LocomotionError, REMAINDER,
    SignedPath, baked_root, is_distance_curve,
};
use sinew::{Curve, RawClip};

use crate::context::Context;
use crate::names;

/// Seconds at either end over which a speed is taken.
const END_SECONDS: f64 = DistanceCurve::END_SECONDS;
/// A curve of travelled metres is of a start where its first twentieth is slower than this share of its
/// fastest; otherwise it is of a loop.
const SLOW_START: f64 = 0.25;

/// A curve of distance with its keys' values, metres.
pub(crate) struct Distances<'a> {
    pub(crate) curve: &'a Curve,
    /// Seconds.
    pub(crate) times: &'a [f64],
    /// `[key]`, metres: to go is negative, travelled is positive.
    pub(crate) values: Vec<f64>,
    /// Whether what the root does besides is stored too.
    pub(crate) has_remainder: bool,
}

/// The curves of distance of a clip; none of most clips.
pub(crate) fn of_clip(clip: &RawClip) -> Vec<Distances<'_>> {
    let named = clip.curves.iter().filter(|curve| is_distance_curve(&curve.name));
    named
        .map(|curve| {
            let times = &**curve.track().times();
            let values = times.iter().map(|t| curve.sample(*t)).collect();
            let remainder = format!("{}{REMAINDER}", curve.name);
            let has_remainder = clip.curves.iter().any(|c| c.name == remainder);
            Distances { curve, times, values, has_remainder }
        })
        .collect()
}

impl Distances<'_> {
    /// First and last moment, seconds.
    pub(crate) fn span(&self) -> [f64; 2] {
        [self.times[0], self.times[self.times.len() - 1]]
    }

    /// Metres from the first to the last key.
    pub(crate) fn range(&self) -> f64 {
        self.values[self.values.len() - 1] - self.values[0]
    }

    /// Mean speed over the last thirtieth of a second, metres a second; `None` of a curve without length.
    pub(crate) fn end_speed(&self) -> Option<f64> {
        let [start, end] = self.span();
        let seconds = END_SECONDS.min(end - start);
        (seconds > 0.0).then(|| (self.curve.sample(end) - self.curve.sample(end - seconds)) / seconds)
    }

    /// Mean speed over the first thirtieth of a second.
    pub(crate) fn start_speed(&self) -> Option<f64> {
        let [start, end] = self.span();
        let seconds = END_SECONDS.min(end - start);
        (seconds > 0.0).then(|| (self.curve.sample(start + seconds) - self.curve.sample(start)) / seconds)
    }

    /// Fastest mean speed over a tenth of a second (or all of the time, where that is less) between two moments, metres
    /// a second, and the moment in its middle; `None` of no time.
    pub(crate) fn top_speed(&self, [from, to]: [f64; 2]) -> Option<(f64, f64)> {
        let seconds = (3.0 * END_SECONDS).min(to - from);
        if !(seconds > 0.0) {
            return None;
        }
        let speed = |time: f64| (self.curve.sample(time + seconds) - self.curve.sample(time)) / seconds;
        let inside = self.times.iter().copied().filter(|t| (from..=to - seconds).contains(t));
        let all = inside.chain([from, to - seconds]).map(|time| (speed(time), time + 0.5 * seconds));
        all.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The last moment at which no more than a share of the range is covered, seconds.
    pub(crate) fn last_within(&self, share: f64) -> f64 {
        let level = self.values[0] + share * self.range();
        let Some(key) = self.values.iter().rposition(|v| *v <= level) else { return self.times[0] };
        let Some(next) = self.values.get(key + 1) else { return self.times[key] };
        let u = (level - self.values[key]) / (next - self.values[key]);
        self.times[key] + (self.times[key + 1] - self.times[key]) * u
    }

    /// What it counts, told by its signs and its first metres; `None` where it covers nothing.
    pub(crate) fn kind(&self) -> Option<DistanceKind> {
        let (first, last) = (self.values[0], self.values[self.values.len() - 1]);
        if !(self.range() > 1e-3) {
            return None;
        }
        let told = DistanceKind::of([first, last]);
        if told != DistanceKind::Start {
            return Some(told);
        }
        let [start, _] = self.span();
        let seconds = self.last_within(0.05) - start;
        let slow = 0.05 * self.range() < SLOW_START * self.fastest() * seconds;
        Some(if slow { DistanceKind::Start } else { DistanceKind::Loop })
    }

    fn fastest(&self) -> f64 {
        let keys = self.times.windows(2).zip(self.values.windows(2));
        keys.map(|(t, v)| (v[1] - v[0]) / (t[1] - t[0])).fold(0.0, f64::max)
    }
}

/// Ways of clips, `[clip]`, each followed when it is first asked for.
pub(crate) struct Ways(Vec<OnceCell<Result<SignedPath, LocomotionError>>>);

impl Ways {
    pub(crate) fn of(clips: usize) -> Self {
        Self((0..clips).map(|_| OnceCell::new()).collect())
    }
}

/// The way of what carries the character in a clip of the document: the joint that a bake names there, or the one that
/// is found. [`LocomotionError::NoRoot`] of a clip in place.
pub(crate) fn root_path<'a>(
    context: &'a Context<'_>,
    clip: usize,
) -> Result<&'a SignedPath, &'a LocomotionError> {
    let follow = || {
        let (skeleton, clip) = (context.skeleton(), &context.document.clips[clip]);
        let root = baked_root(&clip.curves, skeleton)?;
        let settings = DistanceBakeSettings { root, ..DistanceBakeSettings::default() };
        Ok(DistanceBakeJob { skeleton, clip, settings: &settings }.travel()?.path)
    };
    context.ways.0[clip].get_or_init(follow).as_ref()
}

/// A clip that goes round, to which a start leads and from which a stop comes.
pub(crate) struct LoopClip<'a> {
    pub(crate) clip: &'a RawClip,
    /// Metres a second, by its curve of distance or its root; why not, where it has neither.
    pub(crate) speed: Result<f64, LocomotionError>,
}

/// The loop that belongs to a clip: the one whose name has a word of moving and most other words in common, or
/// the only one there is.
pub(crate) fn loop_of<'a>(context: &Context<'a>, clip: &RawClip) -> Option<LoopClip<'a>> {
    let limits = &context.limits.loop_seam;
    let label = clip.label();
    let own = names::words(&label);
    let gaits = |word: &String| names::GAIT_WORDS.split(' ').any(|gait| gait == word);
    let clips: &'a [RawClip] = &context.document.clips;
    let loops: Vec<(usize, &'a RawClip)> = clips
        .iter()
        .enumerate()
        .filter(|(_, c)| c.source != clip.source)
        .filter(|(_, c)| {
            let label = c.label();
            names::words(&label).iter().any(gaits) && !names::has_word(&label, &limits.one_shot_words)
        })
        .collect();
    let shared = |(_, c): &(usize, &RawClip)| {
        let words = names::words(&c.label());
        let gait = words.iter().any(|w| gaits(w) && own.contains(w));
        let both = words.iter().filter(|w| own.contains(w)).count();
        (gait, both, core::cmp::Reverse(words.len()), core::cmp::Reverse(c.source))
    };
    let best = loops.iter().copied().max_by_key(shared)?;
    // A clip that names no way of moving may belong to the only loop.
    let fits = shared(&best).0 || (loops.len() == 1 && !own.iter().any(gaits));
    fits.then(|| LoopClip { clip: best.1, speed: loop_speed(context, best.0) })
}

/// Mean speed of a loop over the time that it is played, metres a second.
fn loop_speed(context: &Context<'_>, clip: usize) -> Result<f64, LocomotionError> {
    let curves = of_clip(&context.document.clips[clip]);
    let of_curve = curves.first().map(|curve| (curve.range(), curve.span()));
    let (metres, [start, end]) = match of_curve.filter(|(range, _)| *range > 1e-3) {
        Some(told) => told,
        None => {
            let SignedPath { times, distances, .. } = root_path(context, clip).map_err(Clone::clone)?;
            let last = times.len() - 1;
            (distances[last] - distances[0], [times[0], times[last]])
        }
    };
    if end > start && metres > 0.0 {
        Ok(metres / (end - start))
    } else {
        Err(LocomotionError::NoRoot { metres })
    }
}
