//! How coarse each track may be.
//!
//! Every bit saved on any track saves the same, so the search looks for steps that are as large as possible
//! together: a common factor over weights by lever, then one track after another.

use glam::{DVec3, DVec4};

use super::ClipBuilder;
use super::classify::{Class, Tracks};
use super::frames::Frames;
use super::layout::{Bundle, Lane, Layout, store};
use super::measure::shell_radii;
use super::solve::{BALANCES, Grid, HELD_STEP, Row, Solver, held_values};
use crate::Slot;
use crate::clip::arc::NEAR_TURN;
use crate::clip::block::{Kind, MAX_SHIFT};
use crate::clip::pack::{Group, Note, Whole, shift_for, step_below};

/// Lengths of segments that are tried, in intervals.
const SEGMENTS: [usize; 5] = [8, 16, 32, 64, 128];
/// How much larger a clip may be for its joints to be decoded in place.
const IN_PLACE: f64 = 1.04;
/// How much more a layout may promise to take than the other to be searched at all.
const MUCH: f64 = 1.25;
/// Steps from zero, at most, where steps are made finer because there is room: bases need no shift then.
const MOST_BASE: f64 = 32_000.0;
/// Largest step of a quaternion component.
const MAX_STEP: f64 = 0.125;
/// Largest squared length of three stored components that leaves enough for the fourth.
const MOST_STORED: f64 = 0.95;

struct Search<'a> {
    solver: Solver<'a>,
    /// `[segment][track][component]`: lowest and highest stored value.
    ranges: Vec<[(f64, f64); 4]>,
    /// Segment and frame of each row, hardest first.
    rows: Vec<(usize, usize)>,
    target: f64,
    /// `[frame]`: share of the target that a frame may use.
    tight: Vec<f64>,
    row: Row,
}

/// The whole numbers of the clip, each frame within `target` metres times its own share `tight`; none where even
/// the finest steps do not get there. Begins with given steps instead of searching where there are some.
pub(crate) fn search(
    builder: &ClipBuilder<'_>,
    frames: &Frames,
    tracks: &Tracks,
    target: f64,
    tight: &[f64],
    start: Option<&Start>,
) -> Option<Found> {
    let rig = builder.rig;
    let by_joint = shell_radii(builder.skeleton, builder.shell);
    let radius: Vec<f64> =
        (0..rig.len()).map(|slot| by_joint[rig.joint(Slot(slot as u16)).index()]).collect();
    let levers = levers(frames, tracks, &radius, builder);
    let (places, sorted) = (
        best_layout(frames, tracks, &levers, target, true),
        best_layout(frames, tracks, &levers, target, false),
    );
    let mut best: Option<(f64, Found)> = None;
    for (in_place, (promised, layout), other) in [(true, &places, sorted.0), (false, &sorted, places.0)] {
        match start {
            Some(start) if start.in_place != in_place => continue,
            None if *promised > MUCH * other => continue,
            _ => {}
        }
        let rows = (0..layout.segments(frames))
            .flat_map(|s| layout.frames_in(frames, s).map(move |f| (s, f)))
            .collect();
        let ranges = ranges(frames, layout);
        let solver = Solver::new(rig, frames, tracks, layout, &radius);
        let tight = tight.to_vec();
        let mut search = Search { solver, ranges, rows, target, tight, row: Row::default() };
        let steps = match start {
            Some(start) if start.steps.len() == layout.tracks.len() => search.finer(&start.steps),
            _ => search.steps(&levers),
        };
        let Some(steps) = steps else { continue };
        let bits = search.bits(&steps);
        // Decoding in place is faster; it may cost a little.
        if best.as_ref().is_some_and(|(b, _)| bits * IN_PLACE >= *b) {
            continue;
        }
        let grid = search.grid(steps.clone());
        let turning = layout
            .tracks
            .iter()
            .map(|t| matches!(t.kind, Kind::Rotation3 | Kind::Rotation4).then_some(t.slot))
            .collect();
        let whole = search.whole(&grid);
        best = Some((bits, Found { whole, start: Start { in_place, steps }, turning }));
    }
    best.map(|(_, found)| found)
}

/// What a search found.
pub(crate) struct Found {
    pub(crate) whole: Whole,
    pub(crate) start: Start,
    /// `[track]`: the slot of each rotation.
    pub(crate) turning: Vec<Option<usize>>,
}

/// Where a search may begin.
pub(crate) struct Start {
    /// Whether groups are decoded in place.
    in_place: bool,
    /// `[track]`.
    pub(crate) steps: Vec<f64>,
}

/// `[slot]`: of rotation (metres a radian: own shell, and what hangs on it), translation, scale.
fn levers(frames: &Frames, tracks: &Tracks, radius: &[f64], builder: &ClipBuilder<'_>) -> Vec<[f64; 3]> {
    let rig = builder.rig;
    let scale = |slot: usize| if frames.rigid { frames.model[slot].2 } else { 1.0 };
    let mut levers: Vec<[f64; 3]> = (0..rig.len())
        .map(|slot| {
            let reach = f64::from(rig.reach()[slot]);
            if frames.rigid { [radius[slot] * scale(slot), 1.0, reach] } else { [reach, 1.0, reach] }
        })
        .collect();
    for (slot, parent) in rig.parents().iter().enumerate() {
        if let Some(parent) = parent {
            let parent = parent.index();
            levers[slot][1] = scale(parent).max(1e-6);
            if frames.rigid && tracks.class[slot][1] != Class::Animated {
                let bone = tracks.held[slot].translation.length() * scale(parent);
                levers[parent][0] = levers[parent][0].max(bone);
            }
        }
    }
    levers
}

fn lever_of(layout: &Layout, levers: &[[f64; 3]], track: usize) -> f64 {
    let track = &layout.tracks[track];
    levers[track.slot][match track.kind {
        Kind::Rotation3 | Kind::Rotation4 => 0,
        Kind::Translation => 1,
        Kind::Scale => 2,
    }]
    .max(1e-9)
}

/// The segment length that promises the smallest clip, and its bits.
fn best_layout(
    frames: &Frames,
    tracks: &Tracks,
    levers: &[[f64; 3]],
    target: f64,
    in_place: bool,
) -> (f64, Layout) {
    let mut best: Option<(f64, Layout)> = None;
    for segment in SEGMENTS {
        let mut layout = Layout::new(frames, tracks, segment);
        let ranges = ranges(frames, &layout);
        let steps: Vec<f64> =
            (0..layout.tracks.len()).map(|t| (target / lever_of(&layout, levers, t)).min(MAX_STEP)).collect();
        let count = layout.tracks.len();
        let widths =
            |segment: usize, track: usize| ranges[segment * count + track].map(|r| width(r, steps[track]));
        layout.bundle(frames, in_place, widths);
        let bits = total_bits(frames, &layout, &ranges, &steps);
        if best.as_ref().is_none_or(|(b, _)| bits < *b) {
            best = Some((bits, layout));
        }
        if segment + 1 >= frames.frames {
            break;
        }
    }
    best.unwrap_or_else(|| (0.0, Layout::new(frames, tracks, 1)))
}

/// Lowest and highest stored value of each component of each track in each segment.
fn ranges(frames: &Frames, layout: &Layout) -> Vec<[(f64, f64); 4]> {
    let mut out = Vec::new();
    for segment in 0..layout.segments(frames) {
        for track in &layout.tracks {
            let mut range = [(f64::INFINITY, f64::NEG_INFINITY); 4];
            for frame in layout.frames_in(frames, segment) {
                let local = frames.at(frame, track.slot);
                let values = match track.kind {
                    Kind::Rotation3 => {
                        let [a, b, c] = store(local.rotation, track.drops[segment]).0;
                        [a, b, c, 0.0]
                    }
                    Kind::Rotation4 => local.rotation.to_array(),
                    Kind::Translation => local.translation.extend(0.0).to_array(),
                    Kind::Scale => local.scale.extend(0.0).to_array(),
                };
                for (range, v) in range.iter_mut().zip(values) {
                    *range = (range.0.min(v), range.1.max(v));
                }
            }
            out.push(range);
        }
    }
    out
}

/// Whole numbers nearest to the ends of a range.
fn ends((low, high): (f64, f64), step: f64) -> (f64, f64) {
    ((low / step).round(), (high / step).round())
}

/// Bits that the whole numbers of a range take.
fn width(range: (f64, f64), step: f64) -> u32 {
    let (low, high) = ends(range, step);
    64 - ((high - low).min(1e12) as u64).leading_zeros()
}

/// Bits of all frames and segment headers.
fn total_bits(frames: &Frames, layout: &Layout, ranges: &[[(f64, f64); 4]], steps: &[f64]) -> f64 {
    let mut bits = 0.0;
    for segment in 0..layout.segments(frames) {
        let rows = layout.frames_in(frames, segment).len() as f64;
        let ranges = &ranges[segment * layout.tracks.len()..][..layout.tracks.len()];
        for bundle in &layout.bundles {
            let lanes = tracks_of(bundle).count() as f64;
            let header = if bundle.aligned.is_some() { 8.0 } else { lanes };
            let mut run = 0.0;
            for component in 0..bundle.kind.components() {
                let width = tracks_of(bundle)
                    .map(|t| width(ranges[t][layout.tracks[t].order[component]], steps[t]))
                    .max();
                run += f64::from(width.unwrap_or(0)) * lanes;
                bits += 8.0 + 16.0 * header;
            }
            // A group ends at a byte.
            bits += rows * (run / 8.0).ceil() * 8.0 + 8.0;
        }
        bits += 64.0;
    }
    bits
}

fn tracks_of(bundle: &Bundle) -> impl Iterator<Item = usize> + '_ {
    bundle.lanes.iter().filter_map(|lane| match lane {
        Lane::Track(track) => Some(*track),
        _ => None,
    })
}

impl Search<'_> {
    fn bits(&self, steps: &[f64]) -> f64 {
        total_bits(self.solver.frames, self.solver.layout, &self.ranges, steps)
    }

    /// Whether every row can be rounded to within the target; a row that cannot is looked at first next time.
    fn fits(&mut self, grid: &Grid) -> bool {
        for i in 0..self.rows.len() {
            let (segment, frame) = self.rows[i];
            let target = self.target * self.tight[frame];
            let fits = BALANCES.iter().any(|balance| {
                self.solver.solve(segment, frame, grid, balance, target, &mut self.row) <= target
            });
            if !fits {
                self.rows[..=i].rotate_right(1);
                return false;
            }
        }
        true
    }

    /// The largest common factor that fits, between the given ones; none where not even the lower does.
    fn factor(&mut self, base: &[f64], low: f64, high: f64, rounds: u32) -> Option<Vec<f64>> {
        let (mut low, mut high) = (low, high);
        let scaled = |f: f64| -> Vec<f64> { base.iter().map(|s| s * f).collect() };
        if !self.fits_filled(&scaled(low)) {
            return None;
        }
        for _ in 0..rounds {
            let middle = (low * high).sqrt();
            if self.fits_filled(&scaled(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(scaled(low))
    }

    fn fits_filled(&mut self, steps: &[f64]) -> bool {
        let grid = self.grid(self.filled(steps));
        self.fits(&grid)
    }

    /// The whole numbers that each group's widths leave room for, the range of the motion in the middle.
    fn grid(&self, steps: Vec<f64>) -> Grid {
        let (layout, frames) = (self.solver.layout, self.solver.frames);
        let count = layout.tracks.len();
        let mut allowed = vec![[(0.0, 0.0); 4]; self.ranges.len()];
        for segment in 0..layout.segments(frames) {
            let ranges = &self.ranges[segment * count..][..count];
            for bundle in &layout.bundles {
                for component in 0..bundle.kind.components() {
                    let widest = tracks_of(bundle)
                        .map(|t| width(ranges[t][layout.tracks[t].order[component]], steps[t]))
                        .max();
                    let most = (1_u64 << widest.unwrap_or(0)) as f64 - 1.0;
                    for track in tracks_of(bundle) {
                        let component = layout.tracks[track].order[component];
                        let (low, high) = ends(ranges[track][component], steps[track]);
                        let room = most - (high - low);
                        let below = (0.5 * room).floor();
                        allowed[segment * count + track][component] = (low - below, high + (room - below));
                    }
                }
            }
        }
        Grid { steps, ranges: allowed }
    }

    fn steps(&mut self, levers: &[[f64; 3]]) -> Option<Vec<f64>> {
        let layout = self.solver.layout;
        let count = layout.tracks.len();
        let base: Vec<f64> = (0..count).map(|t| self.target / lever_of(layout, levers, t)).collect();
        let mut best: Option<(f64, Vec<f64>)> = None;
        for power in [1.0, 0.8, 0.6] {
            // Short levers a little finer than their share.
            let middle = self.solver.radius.first().copied().unwrap_or(1.0).max(1e-9);
            let weighted: Vec<f64> = (0..count)
                .map(|t| base[t] * libm::pow(lever_of(layout, levers, t) / middle, 1.0 - power))
                .collect();
            let (low, high) = (1.0 / 64.0, 8.0);
            let found =
                self.factor(&weighted, low, high, 9).or_else(|| self.factor(&weighted, 1e-5, low, 12));
            let Some(found) = found else { continue };
            let bits = self.bits(&found);
            if best.as_ref().is_none_or(|(b, _)| bits < *b) {
                best = Some((bits, found));
            }
        }
        let (mut bits, mut steps) = best?;
        for by in [2.0, 1.4, 1.2, 1.1, 1.2, 1.1] {
            for track in 0..count {
                let kept = steps[track];
                steps[track] = kept * by;
                let now = self.bits(&steps);
                if now < bits && self.fits_filled(&steps) {
                    bits = now;
                } else {
                    steps[track] = kept;
                }
            }
        }
        Some(self.filled(&steps))
    }

    /// Given steps, or the same a little finer where some frames need that.
    fn finer(&mut self, start: &[f64]) -> Option<Vec<f64>> {
        let mut factor = 1.0;
        for _ in 0..24 {
            let steps: Vec<f64> = start.iter().map(|s| s * factor).collect();
            if self.fits_filled(&steps) {
                return Some(self.filled(&steps));
            }
            factor *= 0.96;
        }
        None
    }

    /// Steps as fine as the widths allow that the coarsest lane of each group needs anyway.
    fn filled(&self, steps: &[f64]) -> Vec<f64> {
        let (layout, frames) = (self.solver.layout, self.solver.frames);
        let count = layout.tracks.len();
        let mut least = vec![0.0_f64; count];
        for segment in 0..layout.segments(frames) {
            let ranges = &self.ranges[segment * count..][..count];
            for bundle in &layout.bundles {
                for component in 0..bundle.kind.components() {
                    let widest = tracks_of(bundle)
                        .map(|t| width(ranges[t][layout.tracks[t].order[component]], steps[t]))
                        .max();
                    // One less, for either end is rounded.
                    let levels = (1_u64 << widest.unwrap_or(0)) as f64 - 2.0;
                    for track in tracks_of(bundle) {
                        let (low, high) = ranges[track][layout.tracks[track].order[component]];
                        let fine = if levels > 0.0 { (high - low) / levels } else { steps[track] };
                        // A track that hardly moves would get steps that its base cannot count.
                        let fine = fine.max(low.abs().max(high.abs()) / MOST_BASE);
                        least[track] = least[track].max(fine.min(steps[track]));
                    }
                }
            }
        }
        // Rounded up, so that the width holds.
        let up = |v: f64| f64::from(step_below(v as f32 * 1.008));
        (0..count)
            .map(|t| {
                let most = match layout.tracks[t].kind {
                    Kind::Rotation3 | Kind::Rotation4 => MAX_STEP,
                    _ => f64::INFINITY,
                };
                let step = if least[t] > 0.0 { up(least[t]).min(steps[t]) } else { steps[t] };
                single(step.min(most))
            })
            .collect()
    }

    /// Rounds every row and puts it into groups.
    fn whole(&mut self, grid: &Grid) -> Whole {
        let steps = &grid.steps;
        let (frames, layout, tracks) = (self.solver.frames, self.solver.layout, self.solver.tracks);
        let mut whole = Whole {
            joints: frames.joints as u16,
            layout: self.solver.rig.layout(),
            scaled: tracks.class.iter().any(|c| c[2] != Class::Rest),
            frames: frames.frames as u32,
            rate: frames.rate,
            duration: frames.duration,
            segment: layout.segment as u16,
            keyed: tracks.keyed.clone(),
            ..Whole::default()
        };
        let mut in_place = vec![false; frames.joints];
        for bundle in &layout.bundles {
            let mut group = Group {
                kind: bundle.kind,
                mask: 0,
                aligned: bundle.aligned,
                slots: Vec::new(),
                swaps: [0; 2],
                steps: [1.0; 8],
            };
            for (lane, of) in bundle.lanes.iter().enumerate() {
                match of {
                    Lane::Track(track) => {
                        group.mask |= 1 << lane;
                        group.steps[lane] = steps[*track] as f32;
                        match layout.tracks[*track].order[0] {
                            1 => group.swaps[0] |= 1 << lane,
                            2 => group.swaps[1] |= 1 << lane,
                            _ => {}
                        }
                        if bundle.aligned.is_none() {
                            group.slots.push(layout.tracks[*track].slot as u16);
                        }
                    }
                    Lane::Held(slot) => {
                        in_place[*slot] = tracks.class[*slot][0] == Class::Rest;
                        group.steps[lane] = HELD_STEP as f32;
                    }
                    Lane::Empty => {}
                }
            }
            whole.groups.push(group);
        }
        for slot in 0..frames.joints {
            let held = &tracks.held[slot];
            let class = tracks.class[slot];
            if class[0] == Class::Constant {
                whole.rotations.push((slot as u16, held.rotation.as_quat().to_array()));
            }
            if class[1] == Class::Constant {
                whole.translations.push((slot as u16, held.translation.as_vec3().to_array()));
            }
            if class[2] == Class::Constant {
                whole.scales.push((slot as u16, held.scale.as_vec3().to_array()));
            }
        }
        for segment in 0..layout.segments(frames) {
            for bundle in &layout.bundles {
                whole.notes.push(self.note(bundle, segment));
            }
            for frame in layout.frames_in(frames, segment) {
                let mut best = (f64::INFINITY, 0);
                for (index, balance) in BALANCES.iter().enumerate() {
                    let limit = best.0.min(f64::MAX);
                    let error = self.solver.solve(segment, frame, grid, balance, limit, &mut self.row);
                    if error < best.0 {
                        best = (error, index);
                    }
                }
                self.solver.solve(segment, frame, grid, &BALANCES[best.1], f64::INFINITY, &mut self.row);
                self.put_row(&mut whole.values);
            }
        }
        self.refine_held(&mut whole);
        mark_far(&mut whole);
        whole
    }

    /// Where the lanes of a group are so fine that its bases are shifted, the lanes that it holds become as fine:
    /// a shift must not cost them their last bits.
    fn refine_held(&self, whole: &mut Whole) {
        let row = whole.row();
        let mut column = 0;
        for (bundle, group) in self.solver.layout.bundles.iter().zip(&mut whole.groups) {
            let columns = column..column + 8 * bundle.kind.components();
            column = columns.end;
            let held = |lane: usize| matches!(bundle.lanes[lane], Lane::Held(_));
            if !(0..8).any(held) {
                continue;
            }
            let largest = whole.values.chunks_exact(row).flat_map(|r| &r[columns.clone()]);
            let shift = largest.map(|v| shift_for(v.unsigned_abs())).max().unwrap_or(0);
            if shift == 0 || shift > MAX_SHIFT {
                continue;
            }
            for lane in (0..8).filter(|lane| held(*lane)) {
                group.steps[lane] = (HELD_STEP / f64::from(1_u32 << shift)) as f32;
                for values in whole.values.chunks_exact_mut(row) {
                    for at in columns.clone().skip(lane).step_by(8) {
                        values[at] <<= shift;
                    }
                }
            }
        }
    }

    fn put_row(&self, values: &mut Vec<i32>) {
        for bundle in &self.solver.layout.bundles {
            for component in 0..bundle.kind.components() {
                values.extend(bundle.lanes.iter().map(|lane| match lane {
                    Lane::Track(track) => {
                        self.row.values[*track][self.solver.layout.tracks[*track].order[component]]
                    }
                    Lane::Held(slot) => held_values(self.solver.held[*slot]).0[component],
                    Lane::Empty => 0,
                }));
            }
        }
    }

    fn note(&self, bundle: &Bundle, segment: usize) -> Note {
        let layout = self.solver.layout;
        let mut note = Note::default();
        for (lane, of) in bundle.lanes.iter().enumerate() {
            let drop = match of {
                Lane::Track(track) if bundle.kind == Kind::Rotation3 => {
                    layout.tracks[*track].drops[segment].0
                }
                Lane::Held(slot) => held_values(self.solver.held[*slot]).1,
                _ => 3,
            };
            if drop < 3 {
                note.drops[usize::from(drop)] |= 1 << lane;
            }
        }
        note
    }
}

/// Marks the groups of rotations that have farther to go in a segment than the short way round is good for.
fn mark_far(whole: &mut Whole) {
    let limit = 2.0 * libm::sin(0.25 * NEAR_TURN);
    let (row, head) = (whole.row(), whole.head());
    let mut first = 0;
    for segment in 0..head.segments() {
        let rows = head.frames_in(segment);
        let values = &whole.values[first * row..(first + rows) * row];
        first += rows;
        let mut column = 0;
        for (index, group) in whole.groups.iter().enumerate() {
            let columns = column..column + 8 * group.kind.components();
            column = columns.end;
            if group.kind != Kind::Rotation3 {
                continue;
            }
            let far = (0..8).any(|lane| {
                let step = f64::from(group.steps[lane]);
                let mut last: Option<DVec4> = None;
                values.chunks_exact(row).any(|values| {
                    let stored = |k: usize| f64::from(values[columns.start + 8 * k + lane]) * step;
                    let v = DVec3::new(stored(0), stored(1), stored(2));
                    let rest = 1.0 - v.length_squared();
                    let key = v.extend(rest.max(0.0).sqrt());
                    let turn = last.map_or(0.0, |last| (key - last).length());
                    last = Some(key);
                    rest < 1.0 - MOST_STORED || turn > limit
                })
            });
            whole.notes[segment * whole.groups.len() + index].far = far;
        }
    }
}

/// Rounded down to what a step can be.
fn single(step: f64) -> f64 {
    f64::from(step_below(step as f32)).max(f64::from(f32::MIN_POSITIVE))
}
