//! Weighted means of poses.
//!
//! Rotations are averaged after Markley, Cheng, Crassidis and Oshman, "Averaging Quaternions" (Journal of
//! Guidance, Control, and Dynamics 30, 2007): the mean is the eigenvector of the largest eigenvalue of the
//! weighted sum of `q q^T`. A quaternion and its negative count alike, and the order of the inputs does not
//! matter, which holds for no chain of pairwise interpolations.

use glam::{DMat4, DQuat, DVec3, DVec4};

use crate::RawPose;

/// One pose of a blend.
#[derive(Clone, Copy, Debug)]
pub struct BlendLayer<'a> {
    /// What to blend.
    pub pose: &'a RawPose,
    /// Its share, 0 or more.
    pub weight: f64,
    /// `[joint]`, multiplied with `weight`; everywhere 1 where absent.
    pub mask: Option<&'a [f64]>,
}

/// The weighted mean of any number of poses.
///
/// Where the weights of a joint add up to more than one they are divided by their sum; where they add up to
/// less, the base pose fills the rest.
#[derive(Debug)]
pub struct BlendJob<'a> {
    /// Fills up weights below one; usually the rest pose.
    pub base: &'a RawPose,
    /// In any order: the result is the same.
    pub layers: &'a [BlendLayer<'a>],
    /// Where the result goes.
    pub output: &'a mut RawPose,
}

/// Why poses could not be combined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlendError {
    /// A pose is of another skeleton.
    #[error(
        "layer {layer} has {found} joints and {found_weights} morph weights, expected {expected} and {expected_weights}"
    )]
    Size {
        /// Position of the layer; for an additive blend 0 is the source and 1 the reference.
        layer: usize,
        /// Joints it has.
        found: usize,
        /// Morph weights it has.
        found_weights: usize,
        /// Joints of the base.
        expected: usize,
        /// Morph weights of the base.
        expected_weights: usize,
    },
    /// A weight is negative or not finite.
    #[error("layer {layer} has weight {weight}, expected a finite number, 0 or more")]
    Weight {
        /// Position of the layer.
        layer: usize,
        /// The weight.
        weight: f64,
    },
    /// A mask does not have one weight a joint.
    #[error("the mask of layer {layer} has {found} weights, expected one for each of {expected} joints")]
    Mask {
        /// Position of the layer.
        layer: usize,
        /// Weights it has.
        found: usize,
        /// Joints there are.
        expected: usize,
    },
}

impl BlendJob<'_> {
    /// Writes the mean to the output; allocates only where that grows.
    ///
    /// # Errors
    /// [`BlendError`]; the output is then untouched.
    pub fn run(&mut self) -> Result<(), BlendError> {
        for (layer, l) in self.layers.iter().enumerate() {
            check_size(layer, l.pose, self.base)?;
            check_weight(layer, l.weight)?;
            if let Some(mask) = l.mask {
                if mask.len() != self.base.local.len() {
                    let (found, expected) = (mask.len(), self.base.local.len());
                    return Err(BlendError::Mask { layer, found, expected });
                }
                mask.iter().try_for_each(|w| check_weight(layer, *w))?;
            }
        }
        self.output.clone_from(self.base);
        for joint in 0..self.base.local.len() {
            self.blend_joint(joint);
        }
        self.blend_weights();
        Ok(())
    }

    fn blend_joint(&mut self, joint: usize) {
        let share = |l: &BlendLayer<'_>| l.weight * l.mask.map_or(1.0, |m| m[joint]);
        let total: f64 = self.layers.iter().map(share).sum();
        let scale = if total > 1.0 { 1.0 / total } else { 1.0 };
        let base = self.base.local[joint];
        let base_share = (1.0 - total).max(0.0);
        let mut translation = base.translation * base_share;
        let mut stretch = base.scale * base_share;
        let mut spread = outer(base.rotation) * base_share;
        for layer in self.layers {
            let (w, local) = (share(layer) * scale, &layer.pose.local[joint]);
            translation += local.translation * w;
            stretch += local.scale * w;
            spread += outer(local.rotation) * w;
        }
        let out = &mut self.output.local[joint];
        out.translation = translation;
        out.scale = stretch;
        out.rotation = mean_rotation(&spread, base.rotation);
    }

    fn blend_weights(&mut self) {
        let total: f64 = self.layers.iter().map(|l| l.weight).sum();
        let scale = if total > 1.0 { 1.0 / total } else { 1.0 };
        for (i, out) in self.output.weights.iter_mut().enumerate() {
            let layers: f64 = self.layers.iter().map(|l| l.pose.weights[i] * l.weight * scale).sum();
            *out = self.base.weights[i] * (1.0 - total).max(0.0) + layers;
        }
    }
}

/// Adds what sets a pose apart from a reference on top of another pose.
///
/// Translations add `weight * (source - reference)`; rotations turn by that share of
/// `source * inverse(reference)`, in the axes of the parent; scales multiply by that share of
/// `source / reference`. At weight 0 the result is the base; at weight 1, where the base equals the
/// reference, it is the source.
#[derive(Debug)]
pub struct AdditiveJob<'a> {
    /// What is added to.
    pub base: &'a RawPose,
    /// The pose whose difference is added.
    pub source: &'a RawPose,
    /// What the source differs from: any pose, such as the clip's first frame or the rest pose.
    pub reference: &'a RawPose,
    /// Share of the difference.
    pub weight: f64,
    /// Where the result goes.
    pub output: &'a mut RawPose,
}

impl AdditiveJob<'_> {
    /// Writes the sum to the output; allocates only where that grows.
    ///
    /// # Errors
    /// [`BlendError`]; the output is then untouched.
    pub fn run(&mut self) -> Result<(), BlendError> {
        check_size(0, self.source, self.base)?;
        check_size(1, self.reference, self.base)?;
        check_weight(0, self.weight)?;
        let w = self.weight;
        self.output.clone_from(self.base);
        for (out, (source, reference)) in
            self.output.local.iter_mut().zip(self.source.local.iter().zip(&self.reference.local))
        {
            out.translation += (source.translation - reference.translation) * w;
            let turn = source.rotation * reference.rotation.conjugate();
            out.rotation = (crate::slerp_short(DQuat::IDENTITY, turn, w) * out.rotation).normalize();
            out.scale *= DVec3::ONE.lerp(ratio(source.scale, reference.scale), w);
        }
        for (out, (source, reference)) in
            self.output.weights.iter_mut().zip(self.source.weights.iter().zip(&self.reference.weights))
        {
            *out += (source - reference) * w;
        }
        Ok(())
    }
}

/// `a / b`, one where `b` is zero: a reference that has vanished says nothing about the change.
fn ratio(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::from_array(core::array::from_fn(|i| if b[i] == 0.0 { 1.0 } else { a[i] / b[i] }))
}

fn check_size(layer: usize, pose: &RawPose, base: &RawPose) -> Result<(), BlendError> {
    let (found, found_weights) = (pose.local.len(), pose.weights.len());
    let (expected, expected_weights) = (base.local.len(), base.weights.len());
    if (found, found_weights) == (expected, expected_weights) {
        Ok(())
    } else {
        Err(BlendError::Size { layer, found, found_weights, expected, expected_weights })
    }
}

fn check_weight(layer: usize, weight: f64) -> Result<(), BlendError> {
    if weight.is_finite() && weight >= 0.0 { Ok(()) } else { Err(BlendError::Weight { layer, weight }) }
}

fn outer(q: DQuat) -> DMat4 {
    let v = DVec4::from(q);
    DMat4::from_cols(v * v.x, v * v.y, v * v.z, v * v.w)
}

/// Eigenvector of the largest eigenvalue of a symmetric matrix, in the hemisphere of `like`.
///
/// Cyclic Jacobi rotations (Golub and Van Loan, "Matrix Computations", section 8.5); the matrix is 4x4 and
/// nearly of rank one, so that a few sweeps reach the last bit.
fn mean_rotation(spread: &DMat4, like: DQuat) -> DQuat {
    let mut a: [[f64; 4]; 4] = spread.to_cols_array_2d();
    let mut v = [[0.0_f64; 4]; 4];
    for (i, row) in v.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for _ in 0..24 {
        let off: f64 =
            (0..4).flat_map(|p| (p + 1..4).map(move |q| (p, q))).map(|(p, q)| a[p][q] * a[p][q]).sum();
        if off < 1e-40 {
            break;
        }
        for p in 0..3 {
            for q in p + 1..4 {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    let largest = (1..4).fold(0, |best, i| if a[i][i] > a[best][best] { i } else { best });
    let mean = DQuat::from_xyzw(v[0][largest], v[1][largest], v[2][largest], v[3][largest]);
    let mean = if mean.length_squared() > 0.0 { mean.normalize() } else { like };
    if mean.dot(like) < 0.0 { -mean } else { mean }
}

/// One Jacobi rotation that makes `a[p][q]` zero.
fn rotate(a: &mut [[f64; 4]; 4], v: &mut [[f64; 4]; 4], p: usize, q: usize) {
    if a[p][q].abs() < 1e-300 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
    let (row_p, row_q) = (a[p], a[q]);
    for (k, (x, y)) in row_p.into_iter().zip(row_q).enumerate() {
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    for row in v.iter_mut() {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
}
