//! Palettes of 20 and 16 bytes an entry, for crowds: rigid transforms about each joint's pivot.
//!
//! A matrix to a quaternion without branches: of the four columns of the symmetric matrix `4 q q^T` the one with
//! the largest diagonal, normalised (after Shepperd, "Quaternion from rotation matrix", 1978).

use glam::{Quat, Vec3};

use super::error::{check_palette, check_pose};
use super::product::{load_rows, times};
use super::{AffineRows, BindJoint, ModelError, ModelPose, SkinBinding};
use crate::wide::{Floats, Ints, Simd, dispatch};
use crate::{Backend, Slot};

/// Largest difference in one number of a 3x3 matrix from a rotation that passes for none: a vertex at
/// [`SHELL`](crate::SHELL) is then off by 0.05 mm at most.
pub const RIGID_TOLERANCE: f32 = 1e-3;

/// 32767: the integer for 1.0.
const SNORM: f32 = i16::MAX as f32;
/// 65535: the integer for the far side of the box.
const UNORM: f32 = u16::MAX as f32;

/// One entry of a compact palette, 20 bytes. A vertex `v` in bound mesh space goes to
/// `position + rotate(normalise(rotation / 32767), v - pivot)`, where `pivot` is [`BindJoint::pivot`] of the
/// same entry, the same for all characters.
///
/// Error against the 3x4 palette where that is rigid: at most 6.5e-5 radians (0.004 degrees), 2 micrometres on
/// the shell 3 cm round the joint, besides the rounding of single precision. Turning about the joint and not
/// about the origin is what keeps it small.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct CompactJoint {
    /// Where the pivot goes, metres in model space.
    pub position: [f32; 3],
    /// X, Y, Z, W times 32767; normalised after decoding.
    pub rotation: [i16; 4],
}

impl CompactJoint {
    /// Rotation and position of the pivot.
    #[must_use]
    pub fn decode(&self) -> (Quat, Vec3) {
        (decode_rotation(self.rotation), Vec3::from(self.position))
    }
}

/// One entry of a palette within a box, 16 bytes: [`CompactJoint`] with a position of
/// `min + integer / 65535 * (max - min)` per axis.
///
/// Error: the rotation of [`CompactJoint`], and half of 1/65535 of the box per axis (15 micrometres per axis in
/// a box of 2 m).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BoxedJoint {
    /// X, Y, Z, W times 32767; normalised after decoding.
    pub rotation: [i16; 4],
    /// Where the pivot goes within the box; 0 at its lower bound, 65535 at its upper.
    pub position: [u16; 3],
    /// Zero.
    pub unused: u16,
}

impl BoxedJoint {
    /// Rotation and position of the pivot.
    #[must_use]
    pub fn decode(&self, bounds: &PaletteBox) -> (Quat, Vec3) {
        let at = Vec3::from(self.position.map(f32::from));
        (decode_rotation(self.rotation), bounds.min + at * ((bounds.max - bounds.min) / UNORM))
    }
}

fn decode_rotation(rotation: [i16; 4]) -> Quat {
    Quat::from_array(rotation.map(|v| f32::from(v) / SNORM)).normalize()
}

/// Model-space bounds of the pivots of a palette, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaletteBox {
    /// Lower bounds.
    pub min: Vec3,
    /// Upper bounds, above the lower ones on every axis.
    pub max: Vec3,
}

/// Whether a compact palette carries what the 3x4 palette would. The palette is written in any case: where an
/// entry does not fit, with the nearest that does. Of several troubles the gravest is named (in the order
/// below, last first), of several entries the worst.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "an entry may not fit its form"]
pub enum PackStatus {
    /// Everything within the stated error.
    Fits,
    /// Scale, shear or a mirror image that no rotation carries; left out.
    Scaled {
        /// Position in the palette.
        entry: usize,
        /// The joint of the entry.
        slot: Slot,
        /// Largest difference in one number between the matrix and the rotation written.
        departure: f32,
    },
    /// Outside the box; put on its surface.
    OutsideBox {
        /// Position in the palette.
        entry: usize,
        /// The joint of the entry.
        slot: Slot,
        /// From the box, metres.
        distance: f32,
    },
    /// Not a number, or too large to measure; rotation and position are those of the identity.
    NotFinite {
        /// Position in the palette.
        entry: usize,
        /// The joint of the entry.
        slot: Slot,
    },
}

/// A palette of 20 bytes an entry.
#[derive(Debug)]
pub struct CompactPaletteJob<'a> {
    /// What the entries are.
    pub binding: &'a SkinBinding,
    /// Of the rig that the binding is for.
    pub model: &'a ModelPose,
    /// `[entry]`; may be a part of a larger buffer.
    pub output: &'a mut [CompactJoint],
}

impl CompactPaletteJob<'_> {
    /// Computes the palette on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where the sizes do not fit together; the output is then untouched.
    pub fn run(&mut self) -> Result<PackStatus, ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`CompactPaletteJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<PackStatus, ModelError> {
        check_pose(0, self.model.len(), self.binding.rig_joints())?;
        check_palette(0, self.output.len(), self.binding.len())?;
        let (binding, model) = (self.binding, self.model.rows());
        let output = &mut *self.output;
        Ok(dispatch!(
            backend,
            compact(binding: &SkinBinding, model: &[AffineRows], output: &mut [CompactJoint]) -> PackStatus
        ))
    }
}

/// A palette of 16 bytes an entry, with positions in a box.
#[derive(Debug)]
pub struct BoxedPaletteJob<'a> {
    /// What the entries are.
    pub binding: &'a SkinBinding,
    /// Of the rig that the binding is for.
    pub model: &'a ModelPose,
    /// Where positions are expected; [`PackStatus::OutsideBox`] names what leaves it.
    pub bounds: PaletteBox,
    /// `[entry]`; may be a part of a larger buffer.
    pub output: &'a mut [BoxedJoint],
}

impl BoxedPaletteJob<'_> {
    /// Computes the palette on the fastest backend. Allocates nothing.
    ///
    /// # Errors
    /// [`ModelError`] where the sizes do not fit together or the box is empty; the output is then untouched.
    pub fn run(&mut self) -> Result<PackStatus, ModelError> {
        self.run_on(Backend::best())
    }

    /// The same bits on a backend of choice.
    ///
    /// # Errors
    /// As [`BoxedPaletteJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<PackStatus, ModelError> {
        check_pose(0, self.model.len(), self.binding.rig_joints())?;
        check_palette(0, self.output.len(), self.binding.len())?;
        let bounds = self.bounds;
        for axis in 0..3 {
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            let steps = UNORM / (max - min);
            if !(min.is_finite() && max.is_finite() && max > min && steps.is_finite() && steps > 0.0) {
                return Err(ModelError::EmptyBox { axis, min, max });
            }
        }
        let (binding, model) = (self.binding, self.model.rows());
        let output = &mut *self.output;
        Ok(dispatch!(
            backend,
            boxed(
                binding: &SkinBinding, model: &[AffineRows], bounds: PaletteBox, output: &mut [BoxedJoint],
            ) -> PackStatus
        ))
    }
}

/// Eight entries in lanes, before they become integers.
struct Rigid<S: Simd> {
    rotation: [S::F; 4],
    position: [S::F; 3],
    /// As [`PackStatus::Scaled::departure`]; `f32::MAX` where something is not finite.
    departure: S::F,
}

/// Matrices of up to eight entries, `[row * 4 + column]`; lanes past the last are zero.
#[inline(always)]
fn matrices<S: Simd>(simd: S, joints: &[BindJoint], model: &[AffineRows]) -> [S::F; 12] {
    let mut rows = [[simd.splat4(0.0); 8]; 3];
    for (i, joint) in joints.iter().enumerate() {
        let bind = load_rows(simd, &joint.inverse_bind.rows);
        let [x, y, z] = times(simd, &model[joint.slot.index()], bind);
        (rows[0][i & 7], rows[1][i & 7], rows[2][i & 7]) = (x, y, z);
    }
    let [m00, m01, m02, tx] = simd.transpose_8x4(rows[0]);
    let [m10, m11, m12, ty] = simd.transpose_8x4(rows[1]);
    let [m20, m21, m22, tz] = simd.transpose_8x4(rows[2]);
    [m00, m01, m02, tx, m10, m11, m12, ty, m20, m21, m22, tz]
}

/// The rotation nearest to eight matrices and where they take their pivots.
#[inline(always)]
fn rigid<S: Simd>(simd: S, m: [S::F; 12], pivot: [S::F; 3]) -> Rigid<S> {
    let (zero, one, most) = (simd.splat(0.0), simd.splat(1.0), simd.splat(f32::MAX));
    let [m00, m01, m02, tx, m10, m11, m12, ty, m20, m21, m22, tz] = m;
    // The mean scale in the place of 1, so that a uniform scale does not turn the rotation.
    let squares = (m00 * m00 + m10 * m10 + m20 * m20)
        + (m01 * m01 + m11 * m11 + m21 * m21)
        + (m02 * m02 + m12 * m12 + m22 * m22);
    let size = (squares * simd.splat(1.0 / 3.0)).sqrt();
    let (wx, wy, wz) = (m21 - m12, m02 - m20, m10 - m01);
    let (xy, xz, yz) = (m10 + m01, m02 + m20, m21 + m12);
    let (xx, yy, zz) = (size + m00 - m11 - m22, size - m00 + m11 - m22, size - m00 - m11 + m22);
    let ww = size + m00 + m11 + m22;
    let mut largest = ww;
    let mut q = [wx, wy, wz, ww];
    let diagonals = [xx, yy, zz];
    let columns = [[xx, xy, xz, wx], [xy, yy, yz, wy], [xz, yz, zz, wz]];
    for i in 0..3 {
        let (diagonal, column) = (diagonals[i], columns[i]);
        let better = diagonal.gt(largest);
        largest = diagonal.select(better, largest);
        for k in 0..4 {
            q[k] = column[k].select(better, q[k]);
        }
    }
    let norm2 = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    let norm = norm2.sqrt();
    let (above, below) = (norm2.gt(zero), most.gt(norm2));
    let rest = [zero, zero, zero, one];
    for k in 0..4 {
        q[k] = (q[k] / norm).select(above, rest[k]).select(below, rest[k]);
    }

    // How far the matrix is from the rotation.
    let [x, y, z, w] = q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let rotation = [
        one - (y * y2 + z * z2),
        x * y2 - w * z2,
        x * z2 + w * y2,
        x * y2 + w * z2,
        one - (x * x2 + z * z2),
        y * z2 - w * x2,
        x * z2 - w * y2,
        y * z2 + w * x2,
        one - (x * x2 + y * y2),
    ];
    let found = [m00, m01, m02, m10, m11, m12, m20, m21, m22];
    let mut off = found;
    for i in 0..9 {
        let difference = found[i] - rotation[i];
        off[i] = difference.flip_sign(difference);
    }
    let departure = (off[0].max(off[1])).max(off[2].max(off[3]));
    let departure = departure.max((off[4].max(off[5])).max(off[6].max(off[7])).max(off[8]));
    let mut position = [
        (m00 * pivot[0] + m01 * pivot[1]) + (m02 * pivot[2] + tx),
        (m10 * pivot[0] + m11 * pivot[1]) + (m12 * pivot[2] + ty),
        (m20 * pivot[0] + m21 * pivot[1]) + (m22 * pivot[2] + tz),
    ];
    // 0, or NaN where a number is none or too large. Beside the chain above and not after it: this kernel waits
    // for results more than it is short of units.
    let sum = ((m00 + m01) + (m02 + m10)) + ((m11 + m12) + (m20 + m21)) + (m22 + position[0]);
    let sum = sum + (position[1] + position[2]);
    let nothing = sum * zero;
    let finite = one.gt(nothing);
    for axis in 0..3 {
        position[axis] = position[axis].select(finite, zero);
    }
    for k in 0..4 {
        q[k] = q[k].select(finite, rest[k]);
    }
    // `min` takes its second operand where the first is NaN.
    let departure = (departure + nothing).min(most);
    Rigid { rotation: q, position, departure }
}

/// The worst so far.
struct Worst {
    departure: (f32, usize),
    distance: (f32, usize),
}

impl Worst {
    const NONE: Self = Self { departure: (RIGID_TOLERANCE, 0), distance: (0.0, 0) };

    #[inline(always)]
    fn see(&mut self, entry: usize, departure: f32, distance: f32) {
        if departure > self.departure.0 {
            self.departure = (departure, entry);
        }
        if distance > self.distance.0 {
            self.distance = (distance, entry);
        }
    }

    fn status(self, joints: &[BindJoint]) -> PackStatus {
        let (departure, scaled) = self.departure;
        let (distance, outside) = self.distance;
        if departure == f32::MAX {
            PackStatus::NotFinite { entry: scaled, slot: joints[scaled].slot }
        } else if distance > 0.0 {
            PackStatus::OutsideBox { entry: outside, slot: joints[outside].slot, distance }
        } else if departure > RIGID_TOLERANCE {
            PackStatus::Scaled { entry: scaled, slot: joints[scaled].slot, departure }
        } else {
            PackStatus::Fits
        }
    }
}

/// Rotations as integers, `[component][lane]`.
#[inline(always)]
fn snorm<S: Simd>(simd: S, rotation: [S::F; 4]) -> [[i32; 8]; 4] {
    let mut out = [[0; 8]; 4];
    for k in 0..4 {
        (rotation[k] * simd.splat(SNORM)).round_to_int().store(&mut out[k]);
    }
    out
}

/// Entries a kernel works on together, in eights: each stage then has several chains to overlap.
const TILE: usize = 4;

/// Up to `TILE` times eight matrices.
#[inline(always)]
fn tile_of<S: Simd>(simd: S, joints: &[BindJoint], model: &[AffineRows]) -> [[S::F; 12]; TILE] {
    let mut tile = [[simd.splat(0.0); 12]; TILE];
    for (eight, joints) in joints.chunks(8).enumerate() {
        tile[eight & (TILE - 1)] = matrices(simd, joints, model);
    }
    tile
}

#[inline(always)]
fn compact<S: Simd>(
    simd: S,
    binding: &SkinBinding,
    model: &[AffineRows],
    output: &mut [CompactJoint],
) -> PackStatus {
    let mut worst = Worst::NONE;
    let tiles = binding.joints().chunks(8 * TILE).zip(binding.pivots().chunks(TILE));
    for (t, ((joints, pivots), output)) in tiles.zip(output.chunks_mut(8 * TILE)).enumerate() {
        let tile = tile_of(simd, joints, model);
        let mut q = [[[0; 8]; 4]; TILE];
        let (mut p, mut departure) = ([[[0.0; 8]; 3]; TILE], [[0.0; 8]; TILE]);
        for (e, pivots) in pivots.iter().enumerate() {
            let e = e & (TILE - 1);
            let pivot = [simd.load(&pivots[0]), simd.load(&pivots[1]), simd.load(&pivots[2])];
            let rigid = rigid(simd, tile[e], pivot);
            q[e] = snorm(simd, rigid.rotation);
            for axis in 0..3 {
                rigid.position[axis].store(&mut p[e][axis]);
            }
            rigid.departure.store(&mut departure[e]);
        }
        for (at, to) in output.iter_mut().enumerate() {
            let (e, i) = ((at / 8) & (TILE - 1), at & 7);
            to.position = [p[e][0][i], p[e][1][i], p[e][2][i]];
            to.rotation = [q[e][0][i] as i16, q[e][1][i] as i16, q[e][2][i] as i16, q[e][3][i] as i16];
            worst.see(t * 8 * TILE + at, departure[e][i], 0.0);
        }
    }
    worst.status(binding.joints())
}

#[inline(always)]
fn boxed<S: Simd>(
    simd: S,
    binding: &SkinBinding,
    model: &[AffineRows],
    bounds: PaletteBox,
    output: &mut [BoxedJoint],
) -> PackStatus {
    let mut worst = Worst::NONE;
    let (zero, most) = (simd.splat(0.0), simd.splat(UNORM));
    let tiles = binding.joints().chunks(8 * TILE).zip(binding.pivots().chunks(TILE));
    for (t, ((joints, pivots), output)) in tiles.zip(output.chunks_mut(8 * TILE)).enumerate() {
        let tile = tile_of(simd, joints, model);
        let mut q = [[[0; 8]; 4]; TILE];
        let (mut p, mut departure) = ([[[0; 8]; 3]; TILE], [[0.0; 8]; TILE]);
        let mut distance = [[0.0; 8]; TILE];
        for (e, pivots) in pivots.iter().enumerate() {
            let e = e & (TILE - 1);
            let pivot = [simd.load(&pivots[0]), simd.load(&pivots[1]), simd.load(&pivots[2])];
            let rigid = rigid(simd, tile[e], pivot);
            q[e] = snorm(simd, rigid.rotation);
            let mut squares = zero;
            for axis in 0..3 {
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                let (low, high) = (simd.splat(min), simd.splat(max));
                let v = rigid.position[axis];
                let outside = (low - v).max(v - high).max(zero);
                squares = squares + outside * outside;
                // Within 0 to 65535 before it is rounded, so that nothing wraps.
                let steps = (v.max(low).min(high) - low) * simd.splat(UNORM / (max - min));
                steps.min(most).round_to_int().store(&mut p[e][axis]);
            }
            squares.sqrt().store(&mut distance[e]);
            rigid.departure.store(&mut departure[e]);
        }
        for (at, to) in output.iter_mut().enumerate() {
            let (e, i) = ((at / 8) & (TILE - 1), at & 7);
            to.rotation = [q[e][0][i] as i16, q[e][1][i] as i16, q[e][2][i] as i16, q[e][3][i] as i16];
            to.position = [p[e][0][i] as u16, p[e][1][i] as u16, p[e][2][i] as u16];
            to.unused = 0;
            worst.see(t * 8 * TILE + at, departure[e][i], distance[e][i]);
        }
    }
    worst.status(binding.joints())
}
