//! Change of axes and of the unit of length, for whatever a character is made of.
//!
//! With `S` the change of axes (orthogonal, a reflection where the hands differ) and a scale for the unit, a
//! point becomes `scale * S * p` and a rotation `S * R * inverse(S)`; a matrix is changed as a whole,
//! `B * M * inverse(B)` with `B = scale * S`, which is the same for translation, rotation and scale taken
//! together. For a reflection there is no rule of reordering a quaternion's components: its axis is a
//! pseudovector and turns over once more.
//!
//! The scale is for lengths. Curves that count in parts of a reference height, and angles, have none.

use glam::{DMat3, DMat4, DQuat, DVec3};

use crate::{
    Channel, ChannelTarget, DTransform, JointId, RawClip, RawPose, Skeleton, SkeletonError, Track, TrackError,
};

/// How far the product of a change of axes with its transpose may be from one.
const ORTHOGONAL_TOLERANCE: f64 = 1e-9;

/// A change of axes and unit, from a source's to a target's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Basis {
    axes: DMat3,
    scale: f64,
    /// 1, or -1 where the hands differ.
    hand: f64,
    /// Whether axes go to axes, forwards or backwards.
    permutes: bool,
}

/// Why there is no such change, or something cannot go through it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BasisError {
    /// The axes are not at right angles or not of length 1.
    #[error("axes are {error} away from right angles and length 1, expected at most {ORTHOGONAL_TOLERANCE}")]
    NotOrthogonal {
        /// Largest entry of the axes' product with their transpose, less that of one.
        error: f64,
    },
    /// The scale is none.
    #[error("a scale of {scale}, expected more than 0")]
    Scale {
        /// The scale.
        scale: f64,
    },
    /// Scale that differs by axis would become shear.
    #[error("a scale of {scale} by axis becomes shear in axes that are not the old ones in another order")]
    Shear {
        /// The scale.
        scale: DVec3,
    },
    /// As above, of a joint.
    #[error("{joint}: {source}")]
    Joint {
        /// The joint.
        joint: JointId,
        /// What is wrong.
        source: Box<BasisError>,
    },
    /// Keys do not fit single precision in the new unit.
    #[error("channel {channel}: {source}")]
    Track {
        /// Index of the channel.
        channel: usize,
        /// What is wrong.
        source: TrackError,
    },
    /// The skeleton is none in the new unit.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

impl Basis {
    /// Nothing changes.
    pub const IDENTITY: Self = Self { axes: DMat3::IDENTITY, scale: 1.0, hand: 1.0, permutes: true };

    /// Where the source's X, Y and Z point in the target, and how many of the target's units are one of the
    /// source's.
    ///
    /// # Errors
    /// [`BasisError`] where the axes are not at right angles and of length 1, or the scale is not above 0.
    pub fn new(x: DVec3, y: DVec3, z: DVec3, scale: f64) -> Result<Self, BasisError> {
        let axes = DMat3::from_cols(x, y, z);
        let off = (axes * axes.transpose() - DMat3::IDENTITY).to_cols_array();
        let error =
            off.into_iter().map(f64::abs).fold(0.0, |worst: f64, e| if e <= worst { worst } else { e });
        // Written so that NaN is refused, here and below.
        if !(error <= ORTHOGONAL_TOLERANCE) {
            return Err(BasisError::NotOrthogonal { error });
        }
        if !(scale.is_finite() && scale > 0.0) {
            return Err(BasisError::Scale { scale });
        }
        let permutes = axes.to_cols_array().iter().all(|v| *v == 0.0 || v.abs() == 1.0);
        Ok(Self { axes, scale, hand: axes.determinant().signum(), permutes })
    }

    /// Right-handed, X forward, Y left, Z up, to sinew's axes: how robots are measured.
    ///
    /// # Errors
    /// [`BasisError::Scale`] where the scale is not above 0.
    pub fn z_up_x_forward(scale: f64) -> Result<Self, BasisError> {
        Self::new(DVec3::Z, DVec3::X, DVec3::Y, scale)
    }

    /// Left-handed, X forward, Y right, Z up, to sinew's axes: a reflection.
    ///
    /// # Errors
    /// [`BasisError::Scale`] where the scale is not above 0.
    pub fn left_handed_z_up_x_forward(scale: f64) -> Result<Self, BasisError> {
        Self::new(DVec3::Z, DVec3::NEG_X, DVec3::Y, scale)
    }

    /// Whether hands differ.
    #[must_use]
    pub fn is_reflection(&self) -> bool {
        self.hand < 0.0
    }

    /// Target units a source unit.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { axes: self.axes.transpose(), scale: 1.0 / self.scale, ..*self }
    }

    /// First `self`, then `next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self {
            axes: next.axes * self.axes,
            scale: next.scale * self.scale,
            hand: next.hand * self.hand,
            permutes: next.permutes && self.permutes,
        }
    }

    /// A point, or a distance between two: `scale * S * p`.
    #[must_use]
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.axes * p * self.scale
    }

    /// A direction: `S * v`.
    #[must_use]
    pub fn direction(&self, v: DVec3) -> DVec3 {
        self.axes * v
    }

    /// A rotation: `S * R * inverse(S)`.
    #[must_use]
    pub fn rotation(&self, rotation: DQuat) -> DQuat {
        let axis = self.axes * rotation.xyz() * self.hand;
        DQuat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }

    /// A matrix of any kind between spaces of the source: `B * M * inverse(B)`.
    #[must_use]
    pub fn matrix(&self, matrix: &DMat4) -> DMat4 {
        let linear = self.axes * DMat3::from_mat4(*matrix) * self.axes.transpose();
        let mut out = DMat4::from_mat3(linear);
        out.w_axis = self.point(matrix.w_axis.truncate()).extend(matrix.w_axis.w);
        out
    }

    /// Translation, rotation and scale.
    ///
    /// # Errors
    /// [`BasisError::Shear`] where scale differs by axis and axes do not go to axes.
    pub fn transform(&self, transform: &DTransform) -> Result<DTransform, BasisError> {
        Ok(DTransform {
            translation: self.point(transform.translation),
            rotation: self.rotation(transform.rotation),
            scale: self.scales(transform.scale)?,
        })
    }

    /// Lengths of axes, which have no sign to change and no unit.
    fn scales(&self, scale: DVec3) -> Result<DVec3, BasisError> {
        if self.permutes {
            let axes = self.axes;
            return Ok(DMat3::from_cols(axes.x_axis.abs(), axes.y_axis.abs(), axes.z_axis.abs()) * scale);
        }
        let same = scale.x == scale.y && scale.y == scale.z;
        if same { Ok(scale) } else { Err(BasisError::Shear { scale }) }
    }

    /// A pose; morph weights stay.
    ///
    /// # Errors
    /// [`BasisError::Joint`] names the first joint whose scale becomes shear.
    pub fn pose(&self, pose: &RawPose) -> Result<RawPose, BasisError> {
        let convert = |(joint, local)| self.transform(local).map_err(|source| of_joint(joint, source));
        let local = pose.local.iter().enumerate().map(convert).collect::<Result<_, _>>()?;
        Ok(RawPose { local, weights: pose.weights.clone() })
    }

    /// A skeleton with its rest pose.
    ///
    /// # Errors
    /// [`BasisError`] names the first joint that does not go through.
    pub fn skeleton(&self, skeleton: &Skeleton) -> Result<Skeleton, BasisError> {
        let mut joints = skeleton.joints().to_vec();
        for (i, joint) in joints.iter_mut().enumerate() {
            joint.rest = match joint.rest_matrix {
                // Only for display; what counts is the matrix, which always goes through.
                Some(_) => self.transform(&joint.rest).unwrap_or(joint.rest),
                None => self.transform(&joint.rest).map_err(|source| of_joint(i, source))?,
            };
            joint.rest_matrix = joint.rest_matrix.map(|matrix| self.matrix(&matrix));
        }
        Ok(Skeleton::new(joints, skeleton.rest_weights().to_vec())?)
    }

    /// A clip, key by key, tangents included. Curves, events and morph weights stay: they have no axes, and
    /// whoever knows their unit converts them.
    ///
    /// # Errors
    /// [`BasisError`] names the channel whose keys do not fit, or the joint whose scale becomes shear.
    pub fn clip(&self, clip: &RawClip) -> Result<RawClip, BasisError> {
        let mut out = clip.clone();
        for (channel, of) in out.channels.iter_mut().enumerate() {
            of.track = self.track(channel, of)?;
        }
        Ok(out)
    }

    fn track(&self, channel: usize, of: &Channel) -> Result<Track, BasisError> {
        let track = &of.track;
        let mut values: Vec<f32> = Vec::with_capacity(track.values().len());
        for value in track.values().chunks_exact(track.width()) {
            match (of.target, value) {
                (ChannelTarget::Translation, &[x, y, z]) => put(&mut values, self.point(vector(x, y, z))),
                (ChannelTarget::Scale, &[x, y, z]) => {
                    let scales = self.scales(vector(x, y, z));
                    put(&mut values, scales.map_err(|source| of_joint(of.joint.index(), source))?);
                }
                (ChannelTarget::Rotation, &[x, y, z, w]) => {
                    let axis = self.axes * vector(x, y, z) * self.hand;
                    put(&mut values, axis);
                    values.push(w);
                }
                _ => values.extend(value),
            }
        }
        Track::new(track.times().clone(), values.into(), track.width(), track.interpolation())
            .map_err(|source| BasisError::Track { channel, source })
    }
}

fn of_joint(joint: usize, source: BasisError) -> BasisError {
    BasisError::Joint { joint: JointId(joint as u32), source: Box::new(source) }
}

fn vector(x: f32, y: f32, z: f32) -> DVec3 {
    DVec3::new(x.into(), y.into(), z.into())
}

fn put(values: &mut Vec<f32>, v: DVec3) {
    values.extend(v.as_vec3().to_array());
}
