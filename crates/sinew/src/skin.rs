//! Skinning: vertices pulled by joints.
//!
//! After the glTF 2.0 specification, section 3.7.3.3: a skinned vertex is the sum over its influences of
//! `weight * joint matrix * inverse bind matrix * position`; the transform of the node that carries the mesh
//! is left out.

use glam::{DMat4, DVec3};

use crate::{JointId, Primitive};

/// Which joints a mesh binds to, and where they were when it was bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// As in the file.
    pub name: Option<String>,
    /// Index of the skin in the file.
    pub source: u32,
    /// The order that vertices refer to. Skins may share joints; they are never merged.
    pub joints: Vec<JointId>,
    /// `[skin joint]`; missing ones are the identity, as in glTF.
    pub inverse_bind: Vec<DMat4>,
}

impl Skin {
    /// Matrices that carry a bound vertex to model space, `[skin joint]`.
    ///
    /// # Panics
    /// Where `model_ms` (`[joint]`) is shorter than the skeleton the skin is for.
    pub fn palette(&self, model_ms: &[DMat4], palette: &mut Vec<DMat4>) {
        palette.clear();
        palette.extend(self.joints.iter().enumerate().map(|(k, joint)| {
            let model = model_ms[joint.index()];
            self.inverse_bind.get(k).map_or(model, |inverse_bind| model * *inverse_bind)
        }));
    }
}

/// What to do with weights that do not add up to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightMode {
    /// Divide by their sum, as engines do. A vertex whose weights are all zero goes to the origin.
    #[default]
    Normalised,
    /// Use them as stored.
    AsStored,
}

/// What moves the vertices of a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Binding<'a> {
    /// A skin's [`Skin::palette`], `[skin joint]`.
    Skinned(&'a [DMat4]),
    /// The model matrix of the node that carries the mesh.
    Rigid(&'a DMat4),
}

/// Puts the vertices of a primitive where a pose takes them, in double precision.
#[derive(Clone, Copy, Debug)]
pub struct SkinJob<'a> {
    /// The geometry.
    pub primitive: &'a Primitive,
    /// `[target]`; missing ones count as 0.
    pub morph_weights: &'a [f64],
    /// What moves it.
    pub binding: Binding<'a>,
    /// What to do with weights that do not add up to one.
    pub weights: WeightMode,
}

/// Why a primitive could not be skinned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkinError {
    /// A vertex names a joint that the skin does not have.
    #[error("vertex {vertex} is bound to skin joint {joint}, the skin has {joints}")]
    NoSuchJoint {
        /// The vertex.
        vertex: usize,
        /// What it names.
        joint: u16,
        /// Joints the skin has.
        joints: usize,
    },
    /// The lists of influences end before the vertices do.
    #[error(
        "vertex {vertex} has no influences: there are {joints} joints and {weights} weights, {per_vertex} a vertex"
    )]
    TooFewInfluences {
        /// The vertex.
        vertex: usize,
        /// Influences a vertex.
        per_vertex: usize,
        /// Joints there are in all.
        joints: usize,
        /// Weights there are in all.
        weights: usize,
    },
    /// A skin was given for a primitive that has no influences.
    #[error("the mesh has a skin but its vertices name no joints")]
    NoInfluences,
}

impl SkinJob<'_> {
    /// Model-space positions, `[vertex]`; metres. Allocates only where the output grows.
    ///
    /// # Errors
    /// [`SkinError`] where the binding does not fit the geometry; the output is then empty or cut short.
    pub fn run(&self, positions_ms: &mut Vec<DVec3>) -> Result<(), SkinError> {
        positions_ms.clear();
        for vertex in 0..self.primitive.positions.len() {
            positions_ms.push(self.vertex(vertex)?);
        }
        Ok(())
    }

    /// Model-space position of one vertex.
    ///
    /// # Errors
    /// [`SkinError`] where the binding does not fit the geometry.
    ///
    /// # Panics
    /// Where `vertex` is out of range.
    pub fn vertex(&self, vertex: usize) -> Result<DVec3, SkinError> {
        let bound = self.morphed(vertex);
        let palette = match self.binding {
            Binding::Rigid(matrix) => return Ok(matrix.transform_point3(bound)),
            Binding::Skinned(palette) => palette,
        };
        let influences = self.primitive.influences.as_ref().ok_or(SkinError::NoInfluences)?;
        let listed = influences.joints.len().min(influences.weights.len());
        if vertex.saturating_add(1).saturating_mul(influences.per_vertex) > listed {
            let (joints, weights) = (influences.joints.len(), influences.weights.len());
            let per_vertex = influences.per_vertex;
            return Err(SkinError::TooFewInfluences { vertex, per_vertex, joints, weights });
        }
        let mut sum = DVec3::ZERO;
        let mut total = 0.0;
        for (joint, weight) in influences.of(vertex) {
            let weight = f64::from(weight);
            total += weight;
            if weight == 0.0 {
                continue;
            }
            let Some(matrix) = palette.get(usize::from(joint)) else {
                return Err(SkinError::NoSuchJoint { vertex, joint, joints: palette.len() });
            };
            sum += matrix.transform_point3(bound) * weight;
        }
        Ok(if self.weights == WeightMode::Normalised && total != 0.0 { sum / total } else { sum })
    }

    /// Mesh-space position of a vertex with its morph targets added.
    fn morphed(&self, vertex: usize) -> DVec3 {
        let point = |p: [f32; 3]| DVec3::new(p[0].into(), p[1].into(), p[2].into());
        let mut at = point(self.primitive.positions[vertex]);
        for (target, weight) in self.primitive.targets.iter().zip(self.morph_weights) {
            if let Some(delta) = target.positions.as_ref().and_then(|d| d.get(vertex)) {
                at += point(*delta) * *weight;
            }
        }
        at
    }
}
