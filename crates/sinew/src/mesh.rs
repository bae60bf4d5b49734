//! Geometry that follows a skeleton.

/// Which joints pull a vertex, and how much.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// Influences a vertex: 4 for each set in the file.
    pub per_vertex: usize,
    /// `[vertex][per_vertex]`, positions in [`Skin::joints`](crate::Skin::joints).
    pub joints: Vec<u16>,
    /// `[vertex][per_vertex]`, as stored in the file: they may not add up to one.
    pub weights: Vec<f32>,
}

impl Influences {
    /// Joints and weights of one vertex.
    ///
    /// # Panics
    /// Where `vertex` is out of range.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let range = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        self.joints[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }
}

/// A shape that is added to a mesh by its weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Added to positions, `[vertex]`; metres.
    pub positions: Option<Vec<[f32; 3]>>,
    /// Added to normals, `[vertex]`.
    pub normals: Option<Vec<[f32; 3]>>,
}

/// Part of a mesh with one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// Index of the primitive in the file's mesh.
    pub source: u32,
    /// `[vertex]`, mesh space, metres.
    pub positions: Vec<[f32; 3]>,
    /// `[vertex]`.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Triangles, three vertices each; empty for points and lines.
    pub indices: Vec<u32>,
    /// Absent on a mesh that no skin moves.
    pub influences: Option<Influences>,
    /// `[target]`.
    pub targets: Vec<MorphTarget>,
    /// Index of the file's material.
    pub material: Option<u32>,
}

/// Geometry as in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// As in the file: may be missing, may repeat.
    pub name: Option<String>,
    /// Index of the mesh in the file.
    pub source: u32,
    /// Parts.
    pub primitives: Vec<Primitive>,
}
