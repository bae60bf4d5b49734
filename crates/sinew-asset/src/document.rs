//! What a file holds once it is read.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sinew::{JointId, Mesh, RawClip, Skeleton, Skin};

use crate::Problem;

/// Where a document came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// glTF 2.0, as `.gltf` or `.glb`.
    #[default]
    Gltf,
    /// Biovision hierarchy.
    Bvh,
}

/// A mesh on a node, with the skin that moves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshInstance {
    /// The node that carries it. Its transform counts only where there is no skin.
    pub joint: JointId,
    /// Index in [`Document::meshes`].
    pub mesh: usize,
    /// Index in [`Document::skins`].
    pub skin: Option<usize>,
}

/// Roots that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// As in the file.
    pub name: Option<String>,
    /// Root nodes.
    pub roots: Vec<JointId>,
}

/// An attribute of a mesh that sinew carries from file to file without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct CarriedAttribute {
    /// glTF name: `TEXCOORD_0`, `COLOR_0`, `TANGENT`, `_CUSTOM`.
    pub name: String,
    /// glTF component type, such as 5126 for 32-bit floats.
    pub component_type: u32,
    /// glTF element type, such as `VEC2`.
    pub element_type: String,
    /// Whether integers stand for 0 to 1 or -1 to 1.
    pub normalized: bool,
    /// `[vertex]`, tightly packed, little-endian.
    pub bytes: Vec<u8>,
}

/// A picture that sinew carries without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct CarriedImage {
    /// The image's JSON without `bufferView` and `uri`.
    pub json: Map<String, Value>,
    /// The encoded picture; absent where it could not be found.
    pub bytes: Option<Vec<u8>>,
    /// Where it was, if it was a file beside this one.
    pub uri: Option<String>,
}

/// What a file holds beside motion and geometry: passed on to the writer as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// Top-level arrays and objects by glTF name: `materials`, `textures`, `samplers`, `cameras`,
    /// `extensions` (such as lights), `extras`.
    pub top: Map<String, Value>,
    /// `[image]`.
    pub images: Vec<CarriedImage>,
    /// By mesh and primitive, as indices in [`Document::meshes`].
    pub attributes: BTreeMap<(usize, usize), Vec<CarriedAttribute>>,
    /// By node index of the file: `camera`, `extras`, `extensions`.
    pub nodes: BTreeMap<u32, Map<String, Value>>,
    /// By index in [`Document::meshes`]: `extras` (target names), `extensions`.
    pub meshes: BTreeMap<usize, Map<String, Value>>,
    /// By mesh and primitive: `extras`, `extensions` (such as material variants).
    pub primitives: BTreeMap<(usize, usize), Map<String, Value>>,
    /// Extensions the file names in `extensionsUsed` that still hold for what is carried.
    pub extensions_used: Vec<String>,
    /// `asset.copyright` of the file.
    pub copyright: Option<String>,
}

/// A character file in memory: one hierarchy, its clips, meshes and skins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// File name without folder and ending, for people.
    pub name: String,
    /// Which format it was read from.
    pub format: Format,
    /// Every node of the file, parents first.
    pub skeleton: Skeleton,
    /// Clips that could be read. [`RawClip::source`] is the index in the file.
    pub clips: Vec<RawClip>,
    /// Meshes that could be read. [`Mesh::source`] is the index in the file.
    pub meshes: Vec<Mesh>,
    /// Skins that could be read. [`Skin::source`] is the index in the file.
    pub skins: Vec<Skin>,
    /// Meshes on nodes, in node order of the file.
    pub instances: Vec<MeshInstance>,
    /// As in the file.
    pub scenes: Vec<Scene>,
    /// Index in `scenes` of the one to show.
    pub default_scene: Option<usize>,
    /// What is passed on unread.
    pub carried: Carried,
}

/// A document and everything that was wrong with the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// What could be read.
    pub document: Document,
    /// What could not, or was doubtful, in order of the file.
    pub problems: Vec<Problem>,
}
