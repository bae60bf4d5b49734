//! The two formulas that every path shares: a local matrix from rotation, translation and scale, and parent
//! times child. One order of operations for all.

use super::{AffineRows, LaneRows};
use crate::wide::{QuadPair, Quads, Simd};
use crate::{PoseGroup, Rig, ScaleGroup, Slot};

/// What a walk over the hierarchy needs to know of a rig.
#[derive(Clone, Copy)]
pub(super) struct Hierarchy<'a> {
    /// `[slot]`, as many as are to be computed.
    pub(super) parents: &'a [Option<Slot>],
    /// Increasing slots.
    pub(super) fixed: &'a [(Slot, [[f32; 4]; 3])],
}

impl<'a> Hierarchy<'a> {
    /// The joints of the leading groups.
    pub(super) fn leading(rig: &'a Rig, groups: usize) -> Self {
        let joints = groups.saturating_mul(8).min(rig.len());
        Self { parents: &rig.parents()[..joints], fixed: rig.fixed() }
    }
}

/// Rows of `T * R * S` of eight transforms: `[row][column]`. Without scale where not `SCALED`; a scale of one
/// gives the same bits.
#[inline(always)]
pub(super) fn local_rows<S: Simd, const SCALED: bool>(
    simd: S,
    group: &PoseGroup,
    scale: &ScaleGroup,
) -> [[S::F; 4]; 3] {
    let (r, t) = (&group.rotation, &group.translation);
    let (x, y, z, w) = (simd.load(&r[0]), simd.load(&r[1]), simd.load(&r[2]), simd.load(&r[3]));
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz, wx) = (x * x2, x * y2, x * z2, w * x2);
    let (yy, yz, wy) = (y * y2, y * z2, w * y2);
    let (zz, wz) = (z * z2, w * z2);
    let one = simd.splat(1.0);
    let mut rows = [
        [one - (yy + zz), xy - wz, xz + wy, simd.load(&t[0])],
        [xy + wz, one - (xx + zz), yz - wx, simd.load(&t[1])],
        [xz - wy, yz + wx, one - (xx + yy), simd.load(&t[2])],
    ];
    if SCALED {
        for column in 0..3 {
            let s = simd.load(&scale.scale[column]);
            for row in &mut rows {
                row[column] = row[column] * s;
            }
        }
    }
    rows
}

/// Rows of eight matrices, lane by lane, to eight times three quads.
#[inline(always)]
pub(super) fn to_quads<S: Simd>(simd: S, rows: [[S::F; 4]; 3]) -> [[S::Q; 3]; 8] {
    let x = simd.transpose_4x8(rows[0][0], rows[0][1], rows[0][2], rows[0][3]);
    let y = simd.transpose_4x8(rows[1][0], rows[1][1], rows[1][2], rows[1][3]);
    let z = simd.transpose_4x8(rows[2][0], rows[2][1], rows[2][2], rows[2][3]);
    let mut out = [[x[0]; 3]; 8];
    for i in 0..8 {
        out[i] = [x[i], y[i], z[i]];
    }
    out
}

#[inline(always)]
pub(super) fn load_rows<S: Simd>(simd: S, from: &[[f32; 4]; 3]) -> [S::Q; 3] {
    [simd.load4(&from[0]), simd.load4(&from[1]), simd.load4(&from[2])]
}

/// One product, row by row: `(p0 * c0 + p1 * c1) + (p2 * c2 + [-0, -0, -0, p3])`.
#[inline(always)]
pub(super) fn times<S: Simd>(simd: S, parent: &AffineRows, child: [S::Q; 3]) -> [S::Q; 3] {
    let mut out = child;
    for row in 0..3 {
        let p = &parent.rows[row];
        let left = simd.splat4(p[0]) * child[0] + simd.splat4(p[1]) * child[1];
        let right = simd.splat4(p[2]) * child[2] + simd.load4(p).only_last();
        out[row] = left + right;
    }
    out
}

#[inline(always)]
pub(super) fn store_rows<Q: Quads>(rows: [Q; 3], to: &mut AffineRows) {
    for row in 0..3 {
        rows[row].store(&mut to.rows[row]);
    }
}

/// Two products side by side, each as [`times`] does it.
#[inline(always)]
pub(super) fn times_pair<S: Simd>(
    simd: S,
    parents: [&AffineRows; 2],
    children: [S::QQ; 3],
    out: [&mut AffineRows; 2],
) {
    let [low, high] = out;
    for row in 0..3 {
        let p = simd.load44(&parents[0].rows[row], &parents[1].rows[row]);
        let left = p.spread::<0>() * children[0] + p.spread::<1>() * children[1];
        let right = p.spread::<2>() * children[2] + p.only_last();
        (left + right).store(&mut low.rows[row], &mut high.rows[row]);
    }
}

/// Eight products, a lane each, as [`times`] does them: to add -0.0 is to add nothing.
#[inline(always)]
pub(super) fn times_lanes<S: Simd>(simd: S, parent: &LaneRows, child: [[S::F; 4]; 3]) -> [[S::F; 4]; 3] {
    let mut out = child;
    for row in 0..3 {
        let p = &parent.rows[row];
        let (p0, p1, p2) = (simd.load(&p[0]), simd.load(&p[1]), simd.load(&p[2]));
        for column in 0..4 {
            let left = p0 * child[0][column] + p1 * child[1][column];
            let right = p2 * child[2][column];
            let right = if column == 3 { right + simd.load(&p[3]) } else { right };
            out[row][column] = left + right;
        }
    }
    out
}
