//! Tracks in groups of eight, and which quaternion component each leaves out.

use glam::DQuat;

use super::classify::{Class, Tracks};
use super::frames::Frames;
use crate::clip::block::Kind;

/// Smallest that a left-out component may become, for the rebuilt one to be well conditioned.
const LEAST_DROPPED: f64 = 0.3;
/// Animated lanes from which on a pose group is decoded in place.
const ALIGN_FROM: usize = 4;

/// One animated track.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub(crate) slot: usize,
    pub(crate) kind: Kind,
    /// `[segment]` for [`Kind::Rotation3`]: the component left out, 3 where W, and the sign that makes it
    /// positive.
    pub(crate) drops: Vec<(u8, f64)>,
    /// Which component is stored in each place: the widest comes first, where it trades places with X.
    pub(crate) order: [usize; 4],
}

/// A lane of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lane {
    /// An animated track, by index.
    Track(usize),
    /// A joint of an aligned group that does not move, or is written later: slot.
    Held(usize),
    /// Nothing.
    Empty,
}

/// Eight lanes that share widths.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    pub(crate) kind: Kind,
    pub(crate) aligned: Option<u16>,
    pub(crate) lanes: [Lane; 8],
}

/// All of a clip's groups for one length of segments.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Intervals a segment.
    pub(crate) segment: usize,
    pub(crate) tracks: Vec<Track>,
    pub(crate) bundles: Vec<Bundle>,
    /// `[slot]`: index of the animated track of rotation, translation, scale.
    pub(crate) of_slot: Vec<[Option<usize>; 3]>,
}

impl Layout {
    /// `bits(track)` is what a track takes, for sorting.
    pub(crate) fn new(frames: &Frames, tracks: &Tracks, segment: usize) -> Self {
        let mut this = Self {
            segment,
            tracks: Vec::new(),
            bundles: Vec::new(),
            of_slot: vec![[None; 3]; frames.joints],
        };
        for part in [0, 1, 2] {
            for slot in (0..frames.joints).filter(|&s| tracks.class[s][part] == Class::Animated) {
                let drops = if part == 0 { this.drops(frames, slot) } else { None };
                let kind = match (part, &drops) {
                    (0, Some(_)) => Kind::Rotation3,
                    (0, None) => Kind::Rotation4,
                    (1, _) => Kind::Translation,
                    _ => Kind::Scale,
                };
                this.of_slot[slot][part] = Some(this.tracks.len());
                this.tracks.push(Track { slot, kind, drops: drops.unwrap_or_default(), order: [0, 1, 2, 3] });
            }
        }
        this
    }

    /// Sorts the tracks into groups. With `in_place`, pose groups of which enough joints turn are decoded where
    /// they are; else all groups are sorted by what their tracks take: `widths(segment, track)` is the bits of
    /// each component.
    pub(crate) fn bundle(
        &mut self,
        frames: &Frames,
        in_place: bool,
        widths: impl Fn(usize, usize) -> [u32; 4],
    ) {
        self.bundles.clear();
        self.order(frames, in_place, &widths);
        let orders: Vec<[usize; 4]> = self.tracks.iter().map(|t| t.order).collect();
        let widths = |segment: usize, track: usize| {
            let w = widths(segment, track);
            orders[track].map(|c| w[c])
        };
        let mut loose: Vec<usize> = Vec::new();
        for group in 0..self.of_slot.len().div_ceil(8) {
            let slots = group * 8..self.of_slot.len().min(group * 8 + 8);
            let track = |slot: usize| {
                self.of_slot[slot][0].filter(|t: &usize| self.tracks[*t].kind == Kind::Rotation3)
            };
            let moving = slots.clone().filter_map(track).count();
            if !in_place || moving < ALIGN_FROM {
                loose.extend(slots.filter_map(track));
                continue;
            }
            let mut lanes = [Lane::Empty; 8];
            for (lane, slot) in lanes.iter_mut().zip(slots) {
                *lane = track(slot).map_or(Lane::Held(slot), Lane::Track);
            }
            self.bundles.push(Bundle { kind: Kind::Rotation3, aligned: Some(group as u16), lanes });
        }
        loose.extend((0..self.tracks.len()).filter(|&t| self.tracks[t].kind != Kind::Rotation3));
        let segments = self.segments(frames);
        let rows: Vec<u64> = (0..segments).map(|s| self.frames_in(frames, s).len() as u64).collect();
        for kind in [Kind::Rotation3, Kind::Rotation4, Kind::Translation, Kind::Scale] {
            let of_kind: Vec<usize> =
                loose.iter().copied().filter(|&t| self.tracks[t].kind == kind).collect();
            let extra = if kind == Kind::Rotation3 { EXTRA_GROUP } else { EXTRA_LOOSE };
            for chunk in groups_of_eight(&of_kind, &rows, &widths, extra) {
                let mut lanes = [Lane::Empty; 8];
                for (lane, track) in lanes.iter_mut().zip(chunk) {
                    *lane = Lane::Track(track);
                }
                self.bundles.push(Bundle { kind, aligned: None, lanes });
            }
        }
    }

    /// Brings the widest component of each track to the front; not in groups that are decoded in place.
    fn order(&mut self, frames: &Frames, in_place: bool, widths: &impl Fn(usize, usize) -> [u32; 4]) {
        let segments = self.segments(frames);
        for track in 0..self.tracks.len() {
            let mut total = [0_u64; 3];
            for segment in 0..segments {
                for (total, width) in total.iter_mut().zip(widths(segment, track)) {
                    *total += u64::from(width);
                }
            }
            let swaps = match self.tracks[track].kind {
                Kind::Rotation3 => !in_place,
                Kind::Rotation4 => false,
                Kind::Translation | Kind::Scale => true,
            };
            let first = (0..3).rev().max_by_key(|c| total[*c]).unwrap_or(0);
            self.tracks[track].order = match first {
                1 if swaps => [1, 0, 2, 3],
                2 if swaps => [2, 1, 0, 3],
                _ => [0, 1, 2, 3],
            };
        }
    }

    /// Number of segments.
    pub(crate) fn segments(&self, frames: &Frames) -> usize {
        (frames.frames - 1).div_ceil(self.segment).max(1)
    }

    /// Frames of a segment, the shared last one included.
    pub(crate) fn frames_in(&self, frames: &Frames, segment: usize) -> core::ops::Range<usize> {
        let first = segment * self.segment;
        first..frames.frames.min(first + self.segment + 1)
    }

    /// The component that a rotation leaves out in each segment; none where in some segment no component stays
    /// away from zero.
    fn drops(&self, frames: &Frames, slot: usize) -> Option<Vec<(u8, f64)>> {
        (0..self.segments(frames))
            .map(|segment| {
                let mut least = [f64::INFINITY; 4];
                let mut sign = [0.0_f64; 4];
                for frame in self.frames_in(frames, segment) {
                    let q = frames.at(frame, slot).rotation.to_array();
                    for c in 0..4 {
                        if sign[c] == 0.0 {
                            sign[c] = 1.0_f64.copysign(q[c]);
                        }
                        // A change of sign makes it negative.
                        least[c] = least[c].min(q[c] * sign[c]);
                    }
                }
                // W where it will do: lanes of one kind need no sorting out.
                let best = if least[3] >= 0.5 {
                    3
                } else {
                    (0..4).max_by(|a, b| least[*a].total_cmp(&least[*b])).unwrap_or(3)
                };
                (least[best] >= LEAST_DROPPED).then_some((best as u8, sign[best]))
            })
            .collect()
    }
}

/// Groups of at most eight tracks that are wide together: sorted, then improved by trades and moves for as long
/// as one saves bits. More groups than needed where that saves enough.
fn groups_of_eight(
    tracks: &[usize],
    rows: &[u64],
    widths: &impl Fn(usize, usize) -> [u32; 4],
    price: f64,
) -> Vec<Vec<usize>> {
    let table: Vec<Vec<[u32; 4]>> =
        tracks.iter().map(|t| (0..rows.len()).map(|s| widths(s, *t)).collect()).collect();
    let grouping = Grouping { table, rows };
    if tracks.is_empty() {
        return Vec::new();
    }
    let least = tracks.len().div_ceil(8);
    let mut best: Option<(f64, Vec<Vec<usize>>)> = None;
    for extra in 0..=2 {
        if least + extra > tracks.len() {
            break;
        }
        let groups = grouping.improved(least + extra);
        let bits = groups.iter().map(|g| grouping.cost(g)).sum::<u64>() as f64;
        let bits = bits * (1.0 + price * extra as f64);
        if best.as_ref().is_none_or(|(b, _)| bits < *b) {
            best = Some((bits, groups));
        }
    }
    let groups = best.map(|(_, groups)| groups).unwrap_or_default();
    groups.into_iter().map(|g| g.into_iter().map(|t| tracks[t]).collect()).collect()
}

/// Share of their bits that one group more of rotations must save, for it costs time.
const EXTRA_GROUP: f64 = 0.03;
/// The same for vectors, whose bits are few.
const EXTRA_LOOSE: f64 = 0.3;

struct Grouping<'a> {
    /// `[track][segment]`.
    table: Vec<Vec<[u32; 4]>>,
    /// `[segment]`.
    rows: &'a [u64],
}

impl Grouping<'_> {
    fn cost(&self, group: &[usize]) -> u64 {
        let mut bits = 0;
        for (segment, rows) in self.rows.iter().enumerate() {
            let mut widest = [0; 4];
            for &track in group {
                for (widest, width) in widest.iter_mut().zip(self.table[track][segment]) {
                    *widest = width.max(*widest);
                }
            }
            let run = u64::from(widest.iter().sum::<u32>()) * group.len() as u64;
            // To a byte, and widths, flags and base in the header.
            bits += run.div_ceil(8) * 8 * rows + 32;
        }
        bits
    }

    fn improved(&self, count: usize) -> Vec<Vec<usize>> {
        let total = |t: &usize| -> u64 {
            self.table[*t].iter().zip(self.rows).map(|(w, r)| u64::from(w.iter().sum::<u32>()) * r).sum()
        };
        let mut order: Vec<usize> = (0..self.table.len()).collect();
        order.sort_by_key(|t| core::cmp::Reverse(total(t)));
        let size = order.len().div_ceil(count);
        let mut groups: Vec<Vec<usize>> = order.chunks(size).map(<[usize]>::to_vec).collect();
        let mut costs: Vec<u64> = groups.iter().map(|g| self.cost(g)).collect();
        for _ in 0..8 {
            let mut better = false;
            for a in 0..groups.len() {
                for b in (0..groups.len()).filter(|b| *b != a) {
                    better |= self.trade(&mut groups, &mut costs, a, b);
                }
            }
            // Large rigs have too many pairs to go on for long.
            if !better || self.table.len() * self.rows.len() > 20_000 {
                break;
            }
        }
        groups.retain(|g| !g.is_empty());
        groups
    }

    /// Moves tracks from one group to another, or trades them, where that saves bits.
    fn trade(&self, groups: &mut [Vec<usize>], costs: &mut [u64], a: usize, b: usize) -> bool {
        let mut better = false;
        let mut i = 0;
        while i < groups[a].len() {
            let x = groups[a][i];
            let mut moved = false;
            if groups[b].len() < 8 {
                groups[a].remove(i);
                groups[b].push(x);
                let now = (self.cost(&groups[a]), self.cost(&groups[b]));
                moved = now.0 + now.1 < costs[a] + costs[b];
                if moved {
                    (costs[a], costs[b]) = now;
                } else {
                    groups[b].pop();
                    groups[a].insert(i, x);
                }
            }
            better |= moved;
            if moved {
                continue;
            }
            for j in 0..groups[b].len() {
                let (x, y) = (groups[a][i], groups[b][j]);
                (groups[a][i], groups[b][j]) = (y, x);
                let now = (self.cost(&groups[a]), self.cost(&groups[b]));
                if now.0 + now.1 < costs[a] + costs[b] {
                    (costs[a], costs[b]) = now;
                    better = true;
                } else {
                    (groups[a][i], groups[b][j]) = (x, y);
                }
            }
            i += 1;
        }
        better
    }
}

/// The stored components of a unit quaternion that leaves one out: W takes the place of a left-out X, Y or Z.
pub(crate) fn store(q: DQuat, (drop, sign): (u8, f64)) -> ([f64; 3], f64) {
    let [x, y, z, w] = (q * sign).to_array();
    match drop {
        0 => ([w, y, z], x),
        1 => ([x, w, z], y),
        2 => ([x, y, w], z),
        _ => ([x, y, z], w),
    }
}

/// The unit quaternion of three stored components.
pub(crate) fn rebuild([a, b, c]: [f64; 3], drop: u8) -> DQuat {
    let d = (1.0 - a * a - b * b - c * c).max(0.0).sqrt();
    match drop {
        0 => DQuat::from_xyzw(d, b, c, a),
        1 => DQuat::from_xyzw(a, d, c, b),
        2 => DQuat::from_xyzw(a, b, d, c),
        _ => DQuat::from_xyzw(a, b, c, d),
    }
}
