//! What a file shows, each thing once: nodes that show the same mesh with the same skin put its vertices in
//! the same places, however many they are.

use std::collections::BTreeSet;

use sinew::{JointId, Primitive};
use sinew_asset::Document;

use crate::wording::counted;
use crate::{Code, Finding, Severity};

/// Vertices that are looked at over all instances; of more, every second, third or further one.
pub(crate) const MOST_VERTICES: usize = 1_000_000;
/// Vertices of one part of a mesh that are looked at; of more, some at even steps.
pub(crate) const MOST_OF_PART: usize = 200_000;

/// Distinct things that are shown.
pub(crate) struct Shown {
    /// Skin and mesh, by skin, so that one palette at a time is enough.
    pub(crate) skinned: Vec<(usize, usize)>,
    /// Mesh and the node that carries it.
    pub(crate) rigid: Vec<(usize, JointId)>,
    /// Instances there are in all.
    instances: usize,
    /// Of the vertices that would be looked at, one in so many is.
    pub(crate) stride: usize,
}

impl Shown {
    pub(crate) fn new(document: &Document) -> Self {
        let (mut skinned, mut rigid) = (BTreeSet::new(), BTreeSet::new());
        for instance in document.instances.iter().filter(|i| i.mesh < document.meshes.len()) {
            match instance.skin.filter(|s| *s < document.skins.len()) {
                Some(skin) => skinned.insert((skin, instance.mesh)),
                None => rigid.insert((instance.mesh, instance.joint)),
            };
        }
        let vertices: Vec<usize> = document
            .meshes
            .iter()
            .map(|m| m.primitives.iter().map(|p| p.positions.len().min(MOST_OF_PART)).sum())
            .collect();
        let meshes = skinned.iter().map(|s| s.1).chain(rigid.iter().map(|r| r.0));
        let all = meshes.fold(0_usize, |sum, mesh| sum.saturating_add(vertices[mesh]));
        Self {
            skinned: skinned.into_iter().collect(),
            rigid: rigid.into_iter().collect(),
            instances: document.instances.len(),
            stride: all.div_ceil(MOST_VERTICES).max(1),
        }
    }

    /// Steps in which the vertices of a part are taken, so that at most `most` of it are.
    pub(crate) fn step(&self, primitive: &Primitive, most: usize) -> usize {
        primitive.positions.len().div_ceil(most).max(1).saturating_mul(self.stride)
    }

    /// Says that not every vertex was looked at, where that is so.
    pub(crate) fn note(&self) -> Option<Finding> {
        if self.stride == 1 {
            return None;
        }
        let message = format!(
            "{} show more than {MOST_VERTICES} vertices: the size of the character, its feet and the reach of \
             its joints are taken from one vertex in {} of each",
            counted(self.instances, "node with a mesh", "nodes with meshes"),
            self.stride
        );
        let fix = "Audit the character without the scene around it.";
        let finding = Finding::new(Code::File, Severity::Info, message, fix);
        Some(finding.measured(self.stride as f64, 1.0, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Mesh, Skin};
    use sinew_asset::MeshInstance;

    fn scene(instances: usize, vertices: usize, skin: Option<usize>) -> Document {
        let primitive = Primitive { positions: vec![[0.0; 3]; vertices], ..Primitive::default() };
        let instance = |k: usize| MeshInstance { joint: JointId(k as u32), mesh: 0, skin };
        Document {
            meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
            skins: vec![Skin::default()],
            instances: (0..instances).map(instance).collect(),
            ..Document::default()
        }
    }

    #[test]
    fn thousands_of_nodes_with_one_mesh_and_skin_are_one_thing() {
        let shown = Shown::new(&scene(5000, 2000, Some(0)));
        assert_eq!((shown.skinned.len(), shown.rigid.len(), shown.stride), (1, 0, 1));
        assert_eq!(shown.note(), None);
    }

    #[test]
    fn thousands_of_rigid_nodes_are_thinned_out_and_that_is_told() {
        // 5000 * 2000 is ten times the most.
        let shown = Shown::new(&scene(5000, 2000, None));
        assert_eq!((shown.rigid.len(), shown.stride), (5000, 10));
        let note = shown.note().unwrap();
        assert!(note.message.contains("5000 nodes with meshes") && note.message.contains("one vertex in 10"));
    }
}
