//! Rounding one frame so that errors do not add up along the hierarchy.
//!
//! Joints are rounded parents first. Each aims for where it makes up best for what the joints above lost: a
//! translation for the exact position; a rotation for a least-squares balance between its own exact
//! orientation and the exact positions of its children. Of the eight roundings of three components the one with
//! the smallest error counts.

use glam::{DMat3, DQuat, DVec3};

use super::classify::{Class, Tracks};
use super::frames::Frames;
use super::layout::{Layout, rebuild, store};
use crate::Rig;
use crate::clip::block::Kind;

/// What stays the same over all frames.
pub(crate) struct Solver<'a> {
    pub(crate) rig: &'a Rig,
    pub(crate) frames: &'a Frames,
    pub(crate) tracks: &'a Tracks,
    pub(crate) layout: &'a Layout,
    /// `[slot]`, in the joint's own units.
    pub(crate) radius: &'a [f64],
    /// `[slot]`: children whose position follows from this joint's rotation.
    children: Vec<Vec<usize>>,
    /// `[slot]`: held rotation as the decoder gives it.
    pub(crate) held: Vec<DQuat>,
}

/// Buffers of one frame.
#[derive(Default)]
pub(crate) struct Row {
    /// `[track][component]`, four each.
    pub(crate) values: Vec<[i32; 4]>,
    model: Vec<(DQuat, DVec3, f64)>,
    matrices: Vec<(DMat3, DVec3, DMat3, DVec3)>,
}

/// How a frame is balanced; some frames do better with another balance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    /// What orientation weighs against positions.
    turn: f64,
    /// Expected own error of a child in units of its step.
    child: f64,
}

/// Tried in order until one is good enough.
pub(crate) const BALANCES: [Balance; 8] = [
    Balance { turn: 1.0, child: 0.6 },
    Balance { turn: 3.0, child: 0.6 },
    Balance { turn: 0.3, child: 0.6 },
    Balance { turn: 1.0, child: 1.0 },
    Balance { turn: 1.0, child: 0.2 },
    Balance { turn: 5.0, child: 1.0 },
    Balance { turn: 0.1, child: 1.0 },
    Balance { turn: 2.0, child: 0.0 },
];

impl<'a> Solver<'a> {
    pub(crate) fn new(
        rig: &'a Rig,
        frames: &'a Frames,
        tracks: &'a Tracks,
        layout: &'a Layout,
        radius: &'a [f64],
    ) -> Self {
        let mut children = vec![Vec::new(); rig.len()];
        for (slot, parent) in rig.parents().iter().enumerate() {
            if let Some(parent) = parent
                && layout.of_slot[slot][1].is_none()
            {
                children[parent.index()].push(slot);
            }
        }
        let mut held: Vec<DQuat> = tracks.held.iter().map(|t| t.rotation.normalize()).collect();
        for bundle in layout.bundles.iter().filter(|b| b.aligned.is_some()) {
            for lane in bundle.lanes {
                if let super::layout::Lane::Held(slot) = lane
                    && tracks.class[slot][0] != Class::Constant
                {
                    let (values, drop) = held_values(held[slot]);
                    held[slot] = rebuild(values.map(|v| f64::from(v) * HELD_STEP), drop);
                }
            }
        }
        Self { rig, frames, tracks, layout, radius, children, held }
    }

    /// Rounds a frame of a segment into `row.values`; the largest error of any joint, metres. Stops early, with
    /// that error, where it is above `limit`.
    pub(crate) fn solve(
        &self,
        segment: usize,
        frame: usize,
        steps: &[f64],
        balance: &Balance,
        limit: f64,
        row: &mut Row,
    ) -> f64 {
        row.values.clear();
        row.values.resize(self.layout.tracks.len(), [0; 4]);
        if !self.frames.rigid {
            return self.round(segment, frame, steps, limit, row);
        }
        row.model.clear();
        let mut worst: f64 = 0.0;
        for slot in 0..self.rig.len() {
            let error = self.joint(segment, frame, slot, steps, balance, row);
            if !(error <= limit) {
                return error;
            }
            worst = worst.max(error);
        }
        worst
    }

    fn joint(
        &self,
        segment: usize,
        frame: usize,
        slot: usize,
        steps: &[f64],
        balance: &Balance,
        row: &mut Row,
    ) -> f64 {
        let at = frame * self.frames.joints;
        let exact = &self.frames.local[at + slot];
        let (rotation_ms, position_ms, _) = self.frames.model[at + slot];
        let (parent_r, parent_p, parent_s) = match self.rig.parents()[slot] {
            Some(parent) => row.model[parent.index()],
            None => (DQuat::IDENTITY, DVec3::ZERO, 1.0),
        };
        let [r_track, t_track, s_track] = self.layout.of_slot[slot];
        let translation = match t_track {
            Some(track) => {
                let target = parent_r.conjugate() * (position_ms - parent_p) / parent_s;
                let ints = (target / steps[track]).to_array().map(|v| v.round() as i32);
                row.values[track] = [ints[0], ints[1], ints[2], 0];
                DVec3::from_array(ints.map(f64::from)) * steps[track]
            }
            None => self.local_translation(frame, slot),
        };
        let scale = match s_track {
            Some(track) => {
                let ints = (exact.scale / steps[track]).to_array().map(|v| v.round() as i32);
                row.values[track] = [ints[0], ints[1], ints[2], 0];
                f64::from(ints[0]) * steps[track]
            }
            None if self.tracks.class[slot][2] == Class::Keyed => exact.scale.x,
            None => self.tracks.held[slot].scale.x,
        };
        let position = parent_p + parent_r * (translation * parent_s);
        let scale_ms = parent_s * scale;
        let offset = position - position_ms;
        let shell = self.radius[slot] * scale_ms;
        let Some(track) = r_track else {
            let local = match self.tracks.class[slot][0] {
                Class::Keyed => exact.rotation,
                _ => self.held[slot],
            };
            let rotation = (parent_r * local).normalize();
            row.model.push((rotation, position, scale_ms));
            return shell_error(offset, turn_between(rotation_ms, rotation), shell);
        };
        // Children as seen from here: where they are off by turning by `turn` from the exact orientation.
        let mut normal = DMat3::from_diagonal(DVec3::splat(balance.turn * shell * shell));
        let mut pull = DVec3::ZERO;
        for &child in &self.children[slot] {
            let bone = rotation_ms * (self.local_translation(frame, child) * scale_ms);
            // Where the child's exact place does not follow from its held translation, that counts too.
            let miss = position + bone - self.frames.model[at + child].1;
            normal += DMat3::from_diagonal(DVec3::splat(bone.length_squared())) - outer(bone);
            pull -= bone.cross(miss);
        }
        let aim = if self.children[slot].is_empty() { DVec3::ZERO } else { normal.inverse() * pull };
        let target_ms = small_turn(aim) * rotation_ms;
        let target = (parent_r.conjugate() * target_ms).normalize();
        let step = steps[track];
        let (ints, rotation) = match self.layout.tracks[track].kind {
            Kind::Rotation4 => {
                let near = if target.dot(exact.rotation) < 0.0 { -target } else { target };
                let ints = near.to_array().map(|v| (v / step).round() as i32);
                (ints, DQuat::from_array(ints.map(|v| f64::from(v) * step)).normalize())
            }
            _ => {
                let drop = self.layout.tracks[track].drops[segment];
                let near = if target.dot(exact.rotation) < 0.0 { -target } else { target };
                let (stored, dropped) = store(near, drop);
                // How the orientation turns with each stored component.
                let mut turns = [DVec3::ZERO; 3];
                for c in 0..3 {
                    let mut moved = stored;
                    moved[c] += 1e-4;
                    let rest = 1.0 - moved.iter().map(|v| v * v).sum::<f64>();
                    let q = if rest > 0.0 { rebuild(moved, drop.0) } else { near };
                    let base = rebuild(stored, drop.0);
                    turns[c] = parent_r * (turn_between(base, q) * 1e4);
                    // `turn_between` works on `q * conj(base)`, which is in the parent's axes.
                }
                let _ = dropped;
                let low = stored.map(|v| (v / step).floor());
                let mut best = (f64::INFINITY, [0.0; 3]);
                for corner in 0..8_u32 {
                    let ints: [f64; 3] = core::array::from_fn(|c| low[c] + f64::from(corner >> c & 1));
                    let mut turn = aim;
                    for c in 0..3 {
                        turn += turns[c] * (ints[c] * step - stored[c]);
                    }
                    let mut cost = shell_error(offset, turn, shell);
                    for &child in &self.children[slot] {
                        let bone = rotation_ms * (self.local_translation(frame, child) * scale_ms);
                        let miss = position + bone - self.frames.model[at + child].1 + turn.cross(bone);
                        let own = match self.layout.of_slot[child][0] {
                            Some(t) => balance.child * steps[t] * 2.0 * self.radius[child] * scale_ms,
                            None => 0.0,
                        };
                        cost = cost.max(miss.length() + own);
                    }
                    if cost < best.0 {
                        best = (cost, ints);
                    }
                }
                let [a, b, c] = best.1;
                ([a as i32, b as i32, c as i32, 0], rebuild(best.1.map(|v| v * step), drop.0))
            }
        };
        row.values[track] = ints;
        let rotation = (parent_r * rotation).normalize();
        row.model.push((rotation, position, scale_ms));
        shell_error(offset, turn_between(rotation_ms, rotation), shell)
    }

    /// Of a joint whose translation is not rounded.
    fn local_translation(&self, frame: usize, slot: usize) -> DVec3 {
        match self.tracks.class[slot][1] {
            Class::Keyed => self.frames.at(frame, slot).translation,
            _ => self.tracks.held[slot].translation,
        }
    }

    /// Where scales are not uniform: each track to its nearest values, errors by matrices.
    fn round(&self, segment: usize, frame: usize, steps: &[f64], limit: f64, row: &mut Row) -> f64 {
        row.matrices.clear();
        let mut worst: f64 = 0.0;
        for slot in 0..self.rig.len() {
            let exact = self.frames.at(frame, slot);
            let mut found = *exact;
            for part in 0..3 {
                let Some(track) = self.layout.of_slot[slot][part] else {
                    if self.tracks.class[slot][part] != Class::Keyed {
                        match part {
                            0 => found.rotation = self.held[slot],
                            1 => found.translation = self.tracks.held[slot].translation,
                            _ => found.scale = self.tracks.held[slot].scale,
                        }
                    }
                    continue;
                };
                let step = steps[track];
                let vector = |v: DVec3| v.to_array().map(|v| (v / step).round());
                let back = |ints: [f64; 3]| DVec3::from_array(ints) * step;
                let ints = match (part, self.layout.tracks[track].kind) {
                    (0, Kind::Rotation4) => {
                        let ints = exact.rotation.to_array().map(|v| (v / step).round());
                        found.rotation = DQuat::from_array(ints.map(|v| v * step)).normalize();
                        ints
                    }
                    (0, _) => {
                        let drop = self.layout.tracks[track].drops[segment];
                        let ints = store(exact.rotation, drop).0.map(|v| (v / step).round());
                        found.rotation = rebuild(ints.map(|v| v * step), drop.0);
                        [ints[0], ints[1], ints[2], 0.0]
                    }
                    (1, _) => {
                        let ints = vector(exact.translation);
                        found.translation = back(ints);
                        [ints[0], ints[1], ints[2], 0.0]
                    }
                    _ => {
                        let ints = vector(exact.scale);
                        found.scale = back(ints);
                        [ints[0], ints[1], ints[2], 0.0]
                    }
                };
                row.values[track] = ints.map(|v| v as i32);
            }
            let fixed = self.rig.fixed().iter().find(|(s, _)| s.index() == slot);
            let local = |t: &crate::DTransform| match fixed {
                Some((_, rows)) => {
                    let [x, y, z] = rows.map(|r| r.map(f64::from));
                    (
                        DMat3::from_cols_array(&[x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]),
                        DVec3::new(x[3], y[3], z[3]),
                    )
                }
                None => (DMat3::from_quat(t.rotation) * DMat3::from_diagonal(t.scale), t.translation),
            };
            let ((la, ta), (lb, tb)) = (local(exact), local(&found));
            let entry = match self.rig.parents()[slot] {
                Some(parent) => {
                    let (a, pa, b, pb) = row.matrices[parent.index()];
                    (a * la, a * ta + pa, b * lb, b * tb + pb)
                }
                None => (la, ta, lb, tb),
            };
            row.matrices.push(entry);
            let (a, pa, b, pb) = entry;
            let d = b - a;
            let norm =
                (d.x_axis.length_squared() + d.y_axis.length_squared() + d.z_axis.length_squared()).sqrt();
            let error = (pb - pa).length() + self.radius[slot] * norm;
            if !(error <= limit) {
                return error;
            }
            worst = worst.max(error);
        }
        worst
    }
}

/// Precision of a rotation that an aligned group holds.
pub(crate) const HELD_STEP: f64 = 1.0 / 32768.0;

/// The stored components of a held rotation in units of [`HELD_STEP`], and the one left out.
pub(crate) fn held_values(q: DQuat) -> ([i32; 3], u8) {
    let v = q.to_array();
    let drop = (0..4).rev().max_by(|a, b| v[*a].abs().total_cmp(&v[*b].abs())).unwrap_or(3);
    let (stored, _) = store(q, (drop as u8, 1.0_f64.copysign(v[drop])));
    (stored.map(|v| ((v / HELD_STEP).round() as i32).clamp(-32767, 32767)), drop as u8)
}

/// The rotation vector from one orientation to another, in the axes both are given in; exact to the third
/// order.
fn turn_between(from: DQuat, to: DQuat) -> DVec3 {
    let d = to * from.conjugate();
    d.xyz() * if d.w < 0.0 { -2.0 } else { 2.0 }
}

/// A small rotation vector as a rotation.
fn small_turn(v: DVec3) -> DQuat {
    DQuat::from_xyzw(0.5 * v.x, 0.5 * v.y, 0.5 * v.z, 1.0).normalize()
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Farthest that a point of a shell is from its place after an offset and a small turn.
fn shell_error(offset: DVec3, turn: DVec3, shell: f64) -> f64 {
    let squared = turn.length_squared();
    if squared == 0.0 {
        return offset.length();
    }
    let angle = squared.sqrt();
    let along = offset.dot(turn) / angle;
    let across = (offset.length_squared() - along * along).max(0.0).sqrt() + shell * angle;
    (along * along + across * across).sqrt()
}
