//! Turns that go round a bend, and what a way turns by besides.
//!
//! A root that turns round on its feet draws half a small circle in place of a line there and back: no two
//! neighbouring samples are a right angle apart, and yet it arrives one way and leaves the other. Such a turn is told
//! from a way round a circle by what is beside it: the turning is over within a short way, and the way goes straight
//! before and after.

use core::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_6, PI, TAU};

use glam::DVec2;

/// What the way turns by, at least, within the reach: two thirds of a turn back.
const SHARP: f64 = 2.0 * FRAC_PI_3;
/// Directions are told over this share of the reach, so that a shaking root has none.
const GRAIN: f64 = 1.0 / 64.0;

/// A turn round a bend, in samples of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bend {
    /// Where it begins.
    pub(super) from: usize,
    /// Where it has turned by half: from there on the way leads back.
    pub(super) at: usize,
    /// Where it ends.
    pub(super) to: usize,
}

/// A stretch of a path without a marker in which it turns by more than a right angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnmarkedTurn {
    /// Where the stretch begins, seconds.
    pub from: f64,
    /// Where it ends, seconds.
    pub to: f64,
    /// By how much the way turns, radians; to the left (about +Y) is positive.
    pub angle: f64,
}

/// Direction of a short piece of the way.
#[derive(Clone, Copy, Debug)]
struct Heading {
    /// First and last sample of the piece.
    samples: [usize; 2],
    /// Metres from the start of the path to the middle of the piece.
    way: f64,
    /// Radians about +Y from +Z, without jumps.
    yaw: f64,
    /// The same where a way straight back is no turn.
    line: f64,
}

/// Pieces of a way, each `grain` metres long or a little more.
fn headings(points: &[DVec2], grain: f64) -> Vec<Heading> {
    let mut all: Vec<Heading> = Vec::new();
    let (mut from, mut way) = (0, 0.0);
    for to in 1..points.len() {
        let by = points[to] - points[from];
        let length = by.length();
        if !(length >= grain) {
            continue;
        }
        let yaw = libm::atan2(by.x, by.y);
        let (yaw, line) = all.last().map_or((yaw, yaw), |last| {
            let line = yaw - last.line;
            (yaw - ((yaw - last.yaw) / TAU).round() * TAU, yaw - (line / PI).round() * PI)
        });
        all.push(Heading { samples: [from, to], way: way + 0.5 * length, yaw, line });
        (from, way) = (to, way + length);
    }
    all
}

/// Turns round a bend within `reach` metres, in order of time.
pub(super) fn bends(points: &[DVec2], reach: f64) -> Vec<Bend> {
    let headings = headings(points, GRAIN * reach);
    // Tightest first: what overlaps a turn is part of it.
    let mut windows: Vec<[usize; 2]> = Vec::new();
    for (a, from) in headings.iter().enumerate() {
        let near = headings[a..].iter().take_while(|to| to.way - from.way <= reach);
        windows.extend(
            near.enumerate().find(|(_, to)| (to.yaw - from.yaw).abs() >= SHARP).map(|(b, _)| [a, a + b]),
        );
    }
    let length = |[a, b]: &[usize; 2]| headings[*b].way - headings[*a].way;
    windows.sort_by(|v, w| length(v).total_cmp(&length(w)));
    let mut found: Vec<(Bend, [f64; 2])> = Vec::new();
    for window in windows {
        let Some((bend, ends)) = bend(points, &headings, window, reach) else { continue };
        if found.iter().all(|(_, other)| ends[1] < other[0] || other[1] < ends[0]) {
            found.push((bend, ends));
        }
    }
    found.sort_by_key(|(bend, _)| bend.at);
    found.into_iter().map(|(bend, _)| bend).collect()
}

/// The bend round a window of it, and the metres from where to where it goes; none where the way goes on turning.
fn bend(points: &[DVec2], headings: &[Heading], [a, b]: [usize; 2], reach: f64) -> Option<(Bend, [f64; 2])> {
    let (last, length) = (headings.len() - 1, headings[b].way - headings[a].way);
    let whole = headings[last].way;
    let at_way = |way: f64| headings.partition_point(|h| h.way < way).min(last);
    let yaw = |way: f64| headings[at_way(way)].yaw;
    // The window may be any part of the bend; its middle is where the way has turned by half.
    let near = 0.5 * (headings[a].way + headings[b].way);
    let (before, after) = (yaw(near - length), yaw(near + length));
    let half = 0.5 * (before + after);
    let (low, high) = (at_way(near - length), at_way(near + length));
    let turned = |at: &usize| (headings[*at].yaw - half) * (after - before) >= 0.0;
    let middle = (low..=high).find(turned)?;
    let centre = headings[middle].way;
    let ends = [centre - 0.75 * length, centre + 0.75 * length];
    if ends[0] < 0.25 * length || ends[1] > whole - 0.25 * length {
        return None;
    }
    let (enters, leaves) = (yaw(ends[0]), yaw(ends[1]));
    let (first, then) = (yaw(ends[0] - 0.5 * length), yaw(ends[1] + 0.5 * length));
    let is_straight = (enters - first).abs() <= FRAC_PI_6 && (then - leaves).abs() <= FRAC_PI_6;
    // Half a turn; of a whole one the way goes on as it came.
    let is_turn = ((then - first).abs() - PI).abs() <= FRAC_PI_3 + 0.1;
    let at = headings[middle].samples[0];
    let place = |way: f64| points[headings[at_way(way)].samples[0]];
    let (comes, goes) = (points[at] - place(centre - reach), place(centre + reach) - points[at]);
    let leads_back = comes.dot(goes) < 0.0;
    let bend = Bend {
        from: headings[at_way(ends[0])].samples[0].min(at),
        at,
        to: headings[at_way(ends[1])].samples[1].max(at),
    };
    (is_straight && is_turn && leads_back).then_some((bend, ends))
}

/// By how much the way turns from one sample to another, radians, where that is more than a right angle; ways straight
/// back are no turns.
pub(super) fn unmarked(
    times: &[f64],
    points: &[DVec2],
    reach: f64,
    stretches: impl Iterator<Item = [usize; 2]>,
) -> Vec<UnmarkedTurn> {
    let headings = headings(points, GRAIN * reach);
    let turned = |[from, to]: [usize; 2]| {
        let first = headings.partition_point(|h| h.samples[0] < from);
        let after = headings.partition_point(|h| h.samples[1] <= to);
        let inside = headings.get(first..after)?;
        let angle = inside.last()?.line - inside.first()?.line;
        (angle.abs() > FRAC_PI_2).then(|| UnmarkedTurn { from: times[from], to: times[to], angle })
    };
    stretches.filter_map(turned).collect()
}
