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
                this.tracks.push(Track { slot, kind, drops: drops.unwrap_or_default() });
            }
        }
        this
    }

    /// Sorts the tracks into groups; `bits(track)` is what a track takes a frame.
    pub(crate) fn bundle(&mut self, bits: impl Fn(usize) -> f64) {
        self.bundles.clear();
        let mut loose: Vec<usize> = Vec::new();
        for group in 0..self.of_slot.len().div_ceil(8) {
            let slots = group * 8..self.of_slot.len().min(group * 8 + 8);
            let track = |slot: usize| {
                self.of_slot[slot][0].filter(|t: &usize| self.tracks[*t].kind == Kind::Rotation3)
            };
            let moving = slots.clone().filter_map(track).count();
            if moving < ALIGN_FROM {
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
        for kind in [Kind::Rotation3, Kind::Rotation4, Kind::Translation, Kind::Scale] {
            let mut of_kind: Vec<usize> =
                loose.iter().copied().filter(|&t| self.tracks[t].kind == kind).collect();
            of_kind.sort_by(|a, b| bits(*b).total_cmp(&bits(*a)));
            for chunk in of_kind.chunks(8) {
                let mut lanes = [Lane::Empty; 8];
                for (lane, track) in lanes.iter_mut().zip(chunk) {
                    *lane = Lane::Track(*track);
                }
                self.bundles.push(Bundle { kind, aligned: None, lanes });
            }
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
