//! Which moment of a clip belongs to the distance travelled.
//!
//! The playhead goes to the moment of the distance, no faster and no more suddenly than it may. What the pose
//! then covers and the capsule does not (or the other way round) is taken up in order by the stride, by an
//! offset of the mesh and by sliding. Nothing is left out: the parts of every step add up to what was
//! travelled.

use super::distance_curve::{DistanceCurve, MAX_DISTANCE, Place};
use super::error::{LocomotionError, in_range};
use super::settings::MatchSettings;
use super::split::DistanceKind;
use crate::Curve;

/// Below this speed of the clip the stride has nothing to scale, metres a second.
const STRIDE_SPEED: f64 = 0.03;
/// Longest step, seconds.
const MAX_STEP: f64 = 1e6;
/// No clip plays faster, and no stride gets longer, whatever the settings say.
const MAX_RATE: f64 = 100.0;
const MAX_STRIDE: f64 = 10.0;

/// How far apart two times may be that are meant to be one: a time may be kept in single precision, seconds, and
/// as a share of it.
const SAME_TIME: f64 = 1e-4;
const SAME_SHARE: f64 = 1e-6;

/// The curve of a clip that is about to be matched, or the reason why it would silently not work: time that
/// something else sets, a curve that is missing or cannot be looked up, distances that repeat or fall.
///
/// `sampled` is how the clip is played: it is handed a time as matching would set it, and answers at which time the
/// clip is sampled then, read back from as far down as there is one to read (the player, the node of the graph). It is
/// tried at several moments of the clip. What always samples at one time was folded into a constant, and what samples
/// at another runs by a clock of its own; of both, nothing that is matched would be seen. Where the time of a
/// [`SampleJob`](crate::SampleJob) is set directly that is `|time| time`. What takes hold of the time only later
/// is found by [`MatchState::check_sampled`].
///
/// # Errors
/// [`LocomotionError`].
pub fn set_up_matching(
    curves: &[Curve],
    name: &str,
    mut sampled: impl FnMut(f64) -> f64,
) -> Result<DistanceCurve, LocomotionError> {
    let curve = DistanceCurve::from_clip_curves(curves, name)?;
    let [start, _] = curve.span();
    for share in [0.0, 0.5, 1.0, 0.25] {
        let time = start + share * curve.duration();
        check_time(time, sampled(time))?;
    }
    Ok(curve)
}

fn check_time(expected: f64, found: f64) -> Result<(), LocomotionError> {
    if (found - expected).abs() <= SAME_TIME + SAME_SHARE * expected.abs() {
        Ok(())
    } else {
        Err(LocomotionError::TimeNotDriven { expected, found })
    }
}

/// Where one character is in a clip that is matched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchState {
    time: f64,
    rate: f64,
    stride: f64,
    offset: f64,
    distance: f64,
}

impl MatchState {
    /// At the first moment of a curve.
    #[must_use]
    pub fn at_start(curve: &DistanceCurve) -> Self {
        Self::at(curve, curve.span()[0])
    }

    /// At a moment of a curve, clamped to it, at rate 1, with strides as they are and without an offset.
    #[must_use]
    pub fn at(curve: &DistanceCurve, time: f64) -> Self {
        let [start, end] = curve.span();
        let time = if time > start { time.min(end) } else { start };
        Self { time, rate: 1.0, stride: 1.0, offset: 0.0, distance: curve.distance_at(time) }
    }

    /// Where a clip that stops or turns is taken up with so many metres to go before its first step; at its first moment where that
    /// is more than it covers.
    #[must_use]
    pub fn at_remaining(curve: &DistanceCurve, remaining: f64) -> Self {
        Self::at(curve, curve.time_at(-remaining))
    }

    /// The same with the offset, the rate and the stride of the clip before, so that none of them jumps.
    #[must_use]
    pub fn carrying_on(mut self, before: &Self) -> Self {
        (self.rate, self.stride, self.offset) = (before.rate, before.stride, before.offset);
        self
    }

    /// From now on distance counts from here, the other way: the moment a character turns round. What was
    /// behind is ahead.
    pub fn turn(&mut self) {
        (self.distance, self.offset) = (0.0, -self.offset);
    }

    /// Seconds within the clip.
    #[inline]
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Whether the pose that is shown is of [`MatchState::time`]: `sampled` is the time at which the clip was sampled
    /// after the last step, as whatever samples it says. Something else may have taken hold of it since
    /// [`set_up_matching`], and then the pose freezes, or runs on, while every number here looks right.
    ///
    /// # Errors
    /// [`LocomotionError::TimeNotDriven`] with both times.
    pub fn check_sampled(&self, sampled: f64) -> Result<(), LocomotionError> {
        check_time(self.time, sampled)
    }

    /// The play rate of the last step, before it was cut short by an end.
    #[inline]
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The scale of the stride after the last step.
    #[inline]
    #[must_use]
    pub fn stride(&self) -> f64 {
        self.stride
    }

    /// How far the mesh is behind the capsule, metres.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Metres travelled as [`advance_by_distance`] has counted them.
    #[inline]
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.distance
    }
}

/// What a character did in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// Metres that it went; below 0, backwards.
    pub travelled: f64,
    /// Seconds that it took for that.
    pub dt: f64,
}

impl Travel {
    #[inline]
    fn check(&self) -> Result<(), LocomotionError> {
        // (Of what is no number neither holds.)
        if self.travelled.abs() <= MAX_DISTANCE && (0.0..=MAX_STEP).contains(&self.dt) {
            return Ok(());
        }
        self.refuse()
    }

    #[cold]
    fn refuse(&self) -> Result<(), LocomotionError> {
        let most = MAX_DISTANCE;
        in_range("the distance travelled in metres", self.travelled, -most, most, "-1e6 to 1e6")?;
        in_range("the step in seconds", self.dt, 0.0, MAX_STEP, "0 to 1e6")?;
        Ok(())
    }
}

/// Where the metres of a step went. `travelled = matched + warped + offset + slid`, and what was asked for is
/// that plus `handed_on`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// What the step accounts for.
    pub travelled: f64,
    /// What the clip covers between its two moments.
    pub matched: f64,
    /// What the scaled stride covers more than that, or less.
    pub warped: f64,
    /// What the mesh falls behind, or catches up.
    pub offset: f64,
    /// What the feet slide; above 0 with the ground going by too slowly under them.
    pub slid: f64,
    /// What belongs to the clip that follows, because this one is at its end, or to the one that plays on before
    /// a stop is in range.
    pub handed_on: f64,
}

impl Account {
    /// What the clip's own motion could not honour: warped, offset and slid together.
    #[must_use]
    pub fn unmatched(&self) -> f64 {
        self.travelled - self.matched
    }

    /// What is missing from the sum: rounding.
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        self.travelled - (self.matched + self.warped + self.offset + self.slid)
    }
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatchStatus {
    /// The playhead is at the moment of the distance.
    Matched,
    /// The play rate is at a limit.
    RateLimited,
    /// The play rate is on its way, as fast as it may change.
    SlewLimited,
    /// The last of a stop plays by time.
    Settling,
    /// The character stands. So does the playhead, once it is there and its rate may be 0.
    Standing,
    /// No time passed, and the character did not go backwards in it.
    NoTime,
    /// The character went backwards. The playhead stands, once its rate may be 0; where the last of a stop plays by
    /// time, that goes on.
    Backwards {
        /// By so many metres.
        by: f64,
    },
    /// The target lies behind: taken as reached.
    TargetBehind {
        /// By so many metres.
        by: f64,
    },
    /// It is farther to the stop or turn than the clip covers, at its beginning or in the midst of it. Nothing is
    /// changed: what played before plays on, or plays again, with the metres of the step.
    BeforeRange {
        /// By so many metres.
        by: f64,
    },
    /// The clip is at its end, or at the turn it leads to. The next clip has the rest of the step.
    Exhausted {
        /// Seconds of the step that are left.
        seconds: f64,
    },
}

/// One step of a clip that is matched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchStep {
    /// Seconds within the clip: what it is sampled at.
    pub time: f64,
    /// Clip seconds a second, over the part of the step that this clip played.
    pub rate: f64,
    /// Scale of the stride: what the account goes by, changing no faster than [`MatchSettings::stride_slew`].
    pub stride: f64,
    /// How far the pelvis is ahead of the root, metres ([`DistanceCurve::remainder_at`]).
    pub remainder: f64,
    /// How far the mesh is behind the capsule after the step, metres.
    pub offset: f64,
    /// How often a clip that goes round passed its end.
    pub wraps: u32,
    /// Where the metres went.
    pub account: Account,
    /// What it came to.
    pub status: MatchStatus,
}

// Each call is inlined, whatever its size: settings that a caller has as constants stay constants, and a step does not
// pass through memory. That is a fifth of the work.

/// A start: the playhead goes to the moment at which the clip has travelled as far as the character since it
/// started.
///
/// The whole distance since the start counts, so that no error adds up. Once the clip is at its end the status
/// is [`MatchStatus::Exhausted`], and the loop that follows plays on with the seconds and metres left.
///
/// # Errors
/// [`LocomotionError`] where a number is not finite, time is negative or the curve is of a stop; the state is
/// then unchanged.
#[inline(always)]
pub fn advance_by_distance(
    curve: &DistanceCurve,
    settings: &MatchSettings,
    state: &mut MatchState,
    travel: Travel,
) -> Result<MatchStep, LocomotionError> {
    if curve.kind() == DistanceKind::Stop {
        return Err(LocomotionError::Kind { found: "stop", expected: "start, pivot or loop" });
    }
    travel.check()?;
    let [_, end] = curve.span();
    state.distance = (state.distance + travel.travelled).clamp(-MAX_DISTANCE, MAX_DISTANCE);
    let place = curve.place(state.time);
    // Past its end the clip goes on in thought as fast as it ends: the playhead arrives there at its rate, and what
    // is left of the step is the next clip's.
    let over = between(state.distance - curve.distances()[1], 0.0, f64::INFINITY);
    let target = curve.time_near(&place, state.distance) + over * curve.seconds_a_metre_at_end();
    let (least, most) = (settings.min_rate, settings.max_rate);
    let goal = Goal { place, target, end, least, still: 0.0, most, settling: false };
    Ok(step(curve, settings, state, &goal, travel))
}

/// A stop or a turn: the playhead goes to the moment at which the clip has as far to go as the character.
/// `remaining` metres are left after the step.
///
/// Where more is left than the clip covers, also after it has begun (the character was pushed on, or wants to go on),
/// the status is [`MatchStatus::BeforeRange`], and the loop takes over again with the metres of the step.
///
/// Near a stop the clip plays by time, because a distance that hardly changes says nothing about the pose; it
/// plays to its end after the character stands. A clip that turns is at its end where it turns: from there on
/// [`MatchState::turn`] and [`advance_by_distance`].
///
/// # Errors
/// [`LocomotionError`] where a number is not finite, time is negative or the curve counts up; the state is then
/// unchanged.
#[inline(always)]
pub fn match_to_target(
    curve: &DistanceCurve,
    settings: &MatchSettings,
    state: &mut MatchState,
    remaining: f64,
    travel: Travel,
) -> Result<MatchStep, LocomotionError> {
    let turns = match curve.kind() {
        DistanceKind::Stop => false,
        DistanceKind::Pivot => true,
        other => return Err(LocomotionError::Kind { found: other.name(), expected: "stop or pivot" }),
    };
    travel.check()?;
    in_range("the remaining distance in metres", remaining, -MAX_DISTANCE, MAX_DISTANCE, "-1e6 to 1e6")?;
    let Travel { travelled, dt } = travel;
    let [_, end] = curve.span();
    let [first, _] = curve.distances();
    let left = remaining.max(0.0);
    // A thousandth of a millimetre more than the clip covers is rounding.
    let beyond = left + first;
    if beyond > 1e-6 {
        let account = Account { handed_on: travelled, ..Account::default() };
        return Ok(resting(curve, state, account, MatchStatus::BeforeRange { by: beyond }));
    }
    let place = curve.place(state.time);
    let target = curve.time_near(&place, -left);
    let slow = travelled < settings.settle_speed * dt;
    let near = settings.settle_distance;
    let settling = !turns & ((left < near) | (slow & (left <= near * 2.0)));
    let goal = if settling {
        let most =
            if settings.max_rate < settings.settle_rate { settings.max_rate } else { settings.settle_rate };
        // Where the character stands, the rest is played.
        let least = if (travelled <= 0.0) & (left <= near) { most.min(1.0) } else { 0.0 };
        Goal { place, target, end, least, still: least, most, settling }
    } else {
        let end = if turns { curve.time_at(0.0).max(state.time) } else { end };
        let (least, most) = (settings.min_rate, settings.max_rate);
        Goal { place, target, end, least, still: 0.0, most, settling }
    };
    state.distance = -left;
    let mut step = step(curve, settings, state, &goal, travel);
    if remaining < 0.0 && !matches!(step.status, MatchStatus::Exhausted { .. }) {
        step.status = MatchStatus::TargetBehind { by: -remaining };
    }
    Ok(step)
}

/// A loop: the play rate is the character's speed over that of the clip.
///
/// # Errors
/// [`LocomotionError`] where a number is not finite, time is negative or the curve is not of a loop
/// ([`DistanceCurve::into_loop`]); the state is then unchanged.
#[inline(always)]
pub fn playrate_to_speed(
    curve: &DistanceCurve,
    settings: &MatchSettings,
    state: &mut MatchState,
    travel: Travel,
) -> Result<MatchStep, LocomotionError> {
    if curve.kind() != DistanceKind::Loop {
        return Err(LocomotionError::NotALoop { found: curve.kind().name() });
    }
    travel.check()?;
    state.distance = (state.distance + travel.travelled).clamp(-MAX_DISTANCE, MAX_DISTANCE);
    let seconds = travel.travelled / curve.range() * curve.duration();
    let target = state.time + seconds.max(0.0);
    let (least, most) = (settings.min_rate, settings.max_rate);
    let place = curve.place(state.time);
    let goal = Goal { place, target, end: f64::INFINITY, least, still: 0.0, most, settling: false };
    Ok(step(curve, settings, state, &goal, travel))
}

/// Clamped; where the limits cross, the upper one counts, and a limit that is no number is none. Plain comparisons,
/// which are one instruction each.
#[inline]
fn between(value: f64, low: f64, high: f64) -> f64 {
    let value = if value < low { low } else { value };
    if value > high { high } else { value }
}

/// What the play rate came to: its limits count 1, its slew limit 2. A clip that settles has none that matter.
const LIMITED: [MatchStatus; 5] = [
    MatchStatus::Matched,
    MatchStatus::RateLimited,
    MatchStatus::SlewLimited,
    MatchStatus::SlewLimited,
    MatchStatus::Settling,
];
const SETTLING: usize = 4;

/// Where the playhead should go, and within which rates.
struct Goal {
    /// Where it is.
    place: Place,
    target: f64,
    end: f64,
    least: f64,
    /// The least where the character stands and the target is not ahead.
    still: f64,
    most: f64,
    settling: bool,
}

/// What is left of 1 after so many halvings, from 0 to 64 of them, to a few parts in 1e9: a decay that every
/// character goes through in every frame is worth no more.
#[inline]
fn halved(times: f64) -> f64 {
    /// So large that only whole numbers can be added to it: 1.5 times 2^52.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let times = if times < 64.0 { times } else { 64.0 };
    let times = if times > 0.0 { times } else { 0.0 };
    // Whole halvings are an exponent (the last bits of the sum), the rest is the series of e^x for a quarter of it.
    let whole = times + WHOLE;
    let x = (times - (whole - WHOLE)) * (-0.25 * core::f64::consts::LN_2);
    let series = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0)))));
    let squared = series * series;
    squared * squared * f64::from_bits(1023_u64.wrapping_sub(whole.to_bits()) << 52)
}

/// A step in which the playhead stays where it is.
#[inline]
fn resting(curve: &DistanceCurve, state: &MatchState, account: Account, status: MatchStatus) -> MatchStep {
    MatchStep {
        time: state.time,
        rate: 0.0,
        stride: state.stride,
        remainder: curve.remainder_at(state.time),
        offset: state.offset,
        wraps: 0,
        account,
        status,
    }
}

// Goal and step are never in memory then.
#[inline(always)]
fn step(
    curve: &DistanceCurve,
    settings: &MatchSettings,
    state: &mut MatchState,
    goal: &Goal,
    travel: Travel,
) -> MatchStep {
    let Travel { travelled, dt } = travel;
    if state.time >= goal.end {
        // After a stop nothing follows yet, and strides go back to what they are in the clip.
        if curve.kind() == DistanceKind::Stop {
            set_stride(settings, state, 1.0, dt);
        }
        let account = Account { handed_on: travelled, ..Account::default() };
        return resting(curve, state, account, MatchStatus::Exhausted { seconds: dt });
    }
    if dt == 0.0 {
        let account = absorb(settings, state, travelled, 0.0);
        let back = MatchStatus::Backwards { by: -travelled };
        return resting(curve, state, account, if travelled < 0.0 { back } else { MatchStatus::NoTime });
    }
    let wanted = (goal.target - state.time) / dt;
    // A character that stands may have its time stand; one that moves may not.
    let stands = travelled <= 0.0;
    let least = if stands & (wanted <= 0.0) { goal.still } else { goal.least };
    let limited = between(wanted, least, goal.most);
    let slew = settings.slew * dt;
    let slewed = between(limited, state.rate - slew, state.rate + slew);
    let most = if settings.max_rate < MAX_RATE { settings.max_rate } else { MAX_RATE };
    let rate = between(if slewed > most { most } else { slewed }, 0.0, MAX_RATE);
    // By number, because nobody can guess which of these a character is at.
    let limits = usize::from(rate != limited) * 2 + usize::from(limited != wanted);
    let mut status = LIMITED[if goal.settling { SETTLING } else { limits }];
    if stands {
        status = if travelled < 0.0 {
            MatchStatus::Backwards { by: -travelled }
        } else if goal.settling {
            MatchStatus::Settling
        } else {
            MatchStatus::Standing
        };
    }
    let (from, mut played, mut handed_on) = (state.time, dt, 0.0);
    let mut to = from + rate * dt;
    let (mut covered, mut wraps) = (0.0, 0);
    if goal.end == f64::INFINITY {
        let [start, end] = curve.span();
        if to >= end {
            wraps = ((to - start) / curve.duration()) as u32;
            let passes = f64::from(wraps);
            covered = passes * curve.range();
            to = (to - passes * curve.duration()).clamp(start, end);
        }
    } else if to >= goal.end {
        to = goal.end;
        played = ((to - from) / rate).min(dt);
        let seconds = dt - played;
        handed_on = travelled * (seconds / dt);
        status = MatchStatus::Exhausted { seconds };
    }
    let reached = curve.place(to);
    covered += reached.distance - goal.place.distance;
    let travelled = travelled - handed_on;
    let mut need = travelled;
    if state.offset != 0.0 {
        need += (1.0 - halved(played / settings.offset_half_life)) * state.offset;
    }
    let stride = if covered > STRIDE_SPEED * played {
        between(need / covered, settings.stride[0], settings.stride[1])
    } else {
        1.0
    };
    set_stride(settings, state, stride, played);
    let mut account = absorb(settings, state, travelled, covered);
    account.handed_on = handed_on;
    (state.time, state.rate) = (to, rate);
    let remainder = reached.remainder();
    let stride = state.stride;
    MatchStep { time: to, rate, stride, remainder, offset: state.offset, wraps, account, status }
}

/// Brings the stride as near to another as it may get in so many seconds.
#[inline]
fn set_stride(settings: &MatchSettings, state: &mut MatchState, to: f64, seconds: f64) {
    let slew = settings.stride_slew * seconds;
    state.stride = between(between(to, state.stride - slew, state.stride + slew), 0.0, MAX_STRIDE);
}

/// Shares out what was travelled, and moves the offset.
#[inline]
fn absorb(settings: &MatchSettings, state: &mut MatchState, travelled: f64, covered: f64) -> Account {
    let warped = covered * state.stride - covered;
    let before = state.offset;
    let wanted = before + (travelled - covered - warped);
    // An offset from before that is larger than allowed now may stay, but not grow.
    let most = settings.max_offset.max(before.abs());
    let after = between(wanted, -most, most);
    state.offset = after;
    let (offset, slid) = (after - before, wanted - after);
    Account { travelled, matched: covered, warped, offset, slid, handed_on: 0.0 }
}
