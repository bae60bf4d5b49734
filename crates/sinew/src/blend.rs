//! Weighted means of poses.
//!
//! Rotations are averaged after Markley, Cheng, Crassidis and Oshman, "Averaging Quaternions" (Journal of
//! Guidance, Control, and Dynamics 30, 2007): the mean is the eigenvector of the largest eigenvalue of the
//! weighted sum of `q q^T`. A quaternion and its negative count alike, and the order of the inputs does not
//! matter, which holds for no chain of pairwise interpolations.

use glam::{DMat4, DQuat, DVec3, DVec4};

use crate::{DTransform, RawPose, Skeleton};

/// Eigenvalues (which add up to one) this close count as equal.
const TIE: f64 = 1e-9;

/// One pose of a blend.
#[derive(Clone, Copy, Debug)]
pub struct BlendLayer<'a> {
    /// What to blend.
    pub pose: &'a RawPose,
    /// Its share, 0 or more.
    pub weight: f64,
    /// `[joint]`, 0 to 1, multiplied with `weight`; everywhere 1 where absent. Morph weights follow the joint
    /// that carries them.
    pub mask: Option<&'a [f64]>,
}

impl BlendLayer<'_> {
    fn weight_of(&self, joint: usize) -> f64 {
        self.weight * self.mask.map_or(1.0, |mask| mask[joint])
    }
}

/// The weighted mean of any number of poses.
///
/// Where the weights of a joint add up to more than one they are divided by their sum; where they add up to
/// less, the base pose fills the rest.
#[derive(Debug)]
pub struct BlendJob<'a> {
    /// Whose poses these are.
    pub skeleton: &'a Skeleton,
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
    /// The base pose is not of the skeleton.
    #[error(
        "the base has {found} joints and {found_weights} morph weights, the skeleton {expected} and {expected_weights}"
    )]
    Base {
        /// Joints it has.
        found: usize,
        /// Morph weights it has.
        found_weights: usize,
        /// Joints of the skeleton.
        expected: usize,
        /// Morph weights of the skeleton.
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
    /// A mask says more than all or less than nothing.
    #[error("the mask of layer {layer} gives joint {joint} weight {weight}, expected 0 to 1")]
    MaskWeight {
        /// Position of the layer.
        layer: usize,
        /// The joint.
        joint: usize,
        /// Its weight in the mask.
        weight: f64,
    },
}

impl BlendJob<'_> {
    /// Writes the mean to the output; allocates only where that grows.
    ///
    /// # Errors
    /// [`BlendError`]; the output is then untouched.
    pub fn run(&mut self) -> Result<(), BlendError> {
        let (joints, weights) = (self.skeleton.len(), self.skeleton.rest_weights().len());
        if (self.base.local.len(), self.base.weights.len()) != (joints, weights) {
            let (found, found_weights) = (self.base.local.len(), self.base.weights.len());
            return Err(BlendError::Base {
                found,
                found_weights,
                expected: joints,
                expected_weights: weights,
            });
        }
        for (layer, l) in self.layers.iter().enumerate() {
            check_size(layer, l.pose, self.base)?;
            check_weight(layer, l.weight)?;
            if let Some(mask) = l.mask {
                if mask.len() != self.base.local.len() {
                    let (found, expected) = (mask.len(), self.base.local.len());
                    return Err(BlendError::Mask { layer, found, expected });
                }
                if let Some(joint) = mask.iter().position(|w| !(0.0..=1.0).contains(w)) {
                    return Err(BlendError::MaskWeight { layer, joint, weight: mask[joint] });
                }
            }
        }
        self.output.copy_from(self.base);
        for joint in 0..self.base.local.len() {
            self.blend_joint(joint);
            self.blend_weights(joint);
        }
        Ok(())
    }

    fn blend_joint(&mut self, joint: usize) {
        let shares = Shares::new(self.layers, joint);
        let base = self.base.local[joint];
        // Exactly the one pose, down to the sign of its quaternion, where no other has a say.
        if let Some(only) = shares.only {
            self.output.local[joint] = self.layers[only].pose.local[joint];
            return;
        }
        let mut translation = base.translation * shares.base;
        let mut scale = base.scale * shares.base;
        let mut spread = outer(base.rotation) * shares.base;
        for layer in self.layers {
            let (w, local) = (shares.of(layer, joint), &layer.pose.local[joint]);
            translation += local.translation * w;
            scale += local.scale * w;
            spread += outer(local.rotation) * w;
        }
        let rotation = mean_rotation(&spread, base.rotation);
        self.output.local[joint] = DTransform { translation, rotation, scale };
    }

    /// Morph weights follow the mask of the joint that carries them.
    fn blend_weights(&mut self, joint: usize) {
        let range = self.skeleton.joints()[joint].weights.clone();
        if range.is_empty() {
            return;
        }
        let shares = Shares::new(self.layers, joint);
        for i in range {
            let layers: f64 = self.layers.iter().map(|l| l.pose.weights[i] * shares.of(l, joint)).sum();
            self.output.weights[i] = self.base.weights[i] * shares.base + layers;
        }
    }
}

/// How much of a joint each pose of a blend gets; they add up to one.
struct Shares {
    /// Share of the base.
    base: f64,
    /// Largest weight and the sum of all in units of it, where they are divided by their sum.
    divide: Option<(f64, f64)>,
    /// The one layer that gets all.
    only: Option<usize>,
}

impl Shares {
    fn new(layers: &[BlendLayer<'_>], joint: usize) -> Self {
        let weights = || layers.iter().map(|l| l.weight_of(joint));
        let largest = weights().fold(0.0, f64::max);
        if largest == 0.0 {
            return Self { base: 1.0, divide: None, only: None };
        }
        // In units of the largest, so that no sum of finite weights overflows.
        let sum: f64 = weights().map(|w| w / largest).sum();
        let full = sum * largest >= 1.0;
        let single = weights().filter(|w| *w > 0.0).count() == 1;
        Self {
            base: if full { 0.0 } else { 1.0 - sum * largest },
            divide: full.then_some((largest, sum)),
            only: if full && single { weights().position(|w| w > 0.0) } else { None },
        }
    }

    fn of(&self, layer: &BlendLayer<'_>, joint: usize) -> f64 {
        let weight = layer.weight_of(joint);
        self.divide.map_or(weight, |(largest, sum)| weight / largest / sum)
    }
}

/// Adds what sets a pose apart from a reference on top of another pose.
///
/// Translations add `weight * (source - reference)`; rotations turn by that share of
/// `source * inverse(reference)`, in the axes of the parent; scales multiply by that share of
/// `source / reference` (where the reference has vanished, they add like translations). At weight 0 the result
/// is the base; at weight 1, where the base equals the reference, it is the source.
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
        self.output.copy_from(self.base);
        if w == 0.0 {
            return Ok(());
        }
        for (out, (source, reference)) in
            self.output.local.iter_mut().zip(self.source.local.iter().zip(&self.reference.local))
        {
            out.translation += (source.translation - reference.translation) * w;
            let turn = source.rotation * reference.rotation.conjugate();
            out.rotation = (crate::slerp_short(DQuat::IDENTITY, turn, w) * out.rotation).normalize();
            out.scale = DVec3::from_array(core::array::from_fn(|axis| {
                add_scale(out.scale[axis], source.scale[axis], reference.scale[axis], w)
            }));
        }
        for (out, (source, reference)) in
            self.output.weights.iter_mut().zip(self.source.weights.iter().zip(&self.reference.weights))
        {
            *out += (source - reference) * w;
        }
        Ok(())
    }
}

fn add_scale(base: f64, source: f64, reference: f64, weight: f64) -> f64 {
    let ratio = source / reference;
    if reference != 0.0 && ratio.is_finite() {
        base * (1.0 + (ratio - 1.0) * weight)
    } else {
        base + (source - reference) * weight
    }
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
/// nearly of rank one, so that a few sweeps reach the last bit. Where two eigenvalues tie (rotations half a
/// turn apart with equal weights have no mean), the tied direction nearest to `like` is taken, so that the
/// answer does not hang on rounding.
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
    let tied = (0..4).filter(|&i| a[largest][largest] - a[i][i] <= TIE);
    let direction = |i: usize| DVec4::new(v[0][i], v[1][i], v[2][i], v[3][i]);
    let mean = if tied.clone().count() == 1 {
        direction(largest)
    } else {
        // What `like` has in the tied plane; where that is nothing, a fixed axis that has something there.
        let shadow = |of: DVec4| tied.clone().map(direction).map(|d| d * d.dot(of)).sum::<DVec4>();
        let axes = [DVec4::from(like), DVec4::W, DVec4::X, DVec4::Y, DVec4::Z];
        axes.into_iter().map(shadow).find(|s| s.length_squared() > 1e-3).unwrap_or(direction(largest))
    };
    let mean = DQuat::from_vec4(mean.normalize());
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
