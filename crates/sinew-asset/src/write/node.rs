//! Nodes and scenes.

use glam::{DMat4, DVec3, DVec4};
use serde_json::{Map, Value, json};
use sinew::{DTransform, Joint, JointId, Skeleton};

use super::{WriteError, add_carried, set_list, set_name, single};
use crate::document::{Document, MeshInstance};

/// A rest rotation further from unit length than this is no rounding.
const UNIT_TOLERANCE: f64 = 1e-4;
/// Cosine between two axes of a matrix above which it is sheared; the Khronos validator allows 5e-5.
const SHEAR_TOLERANCE: f64 = 1e-5;

/// The order of nodes in the file.
pub(super) struct Order {
    /// `[node]`
    pub(super) joints: Vec<JointId>,
    /// `[joint]`
    nodes: Vec<usize>,
}

impl Order {
    /// By the node index each joint came from; those of equal index keep the skeleton's order.
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let mut joints: Vec<JointId> = skeleton.iter().map(|(id, _)| id).collect();
        joints.sort_by_key(|id| skeleton.joint(*id).node);
        let mut nodes = vec![0; joints.len()];
        for (node, joint) in joints.iter().enumerate() {
            nodes[joint.index()] = node;
        }
        Self { joints, nodes }
    }

    /// The node written for a joint.
    pub(super) fn node(&self, joint: JointId, what: impl Fn() -> String) -> Result<usize, WriteError> {
        let (index, count) = (joint.index(), self.nodes.len());
        self.nodes.get(index).copied().ok_or_else(|| WriteError::Index { what: what(), index, count })
    }
}

/// The roots of all joints, `[joint]`.
pub(super) fn roots(skeleton: &Skeleton) -> Vec<JointId> {
    let mut roots: Vec<JointId> = Vec::with_capacity(skeleton.len());
    for (id, joint) in skeleton.iter() {
        roots.push(joint.parent.map_or(id, |parent| roots[parent.index()]));
    }
    roots
}

/// Scenes as in the document; one of all roots where there is none.
pub(super) fn write_scenes(
    document: &Document,
    order: &Order,
    root: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let skeleton = &document.skeleton;
    let mut scenes = Vec::new();
    for (index, scene) in document.scenes.iter().enumerate() {
        let mut json = Map::new();
        set_name(&mut json, scene.name.as_ref());
        let mut nodes = Vec::new();
        for &joint in &scene.roots {
            let node = order.node(joint, || format!("root of scene {index}"))?;
            if skeleton.joint(joint).parent.is_some() {
                return Err(WriteError::SceneRoot { scene: index, joint: skeleton.label(joint) });
            }
            nodes.push(node.into());
        }
        set_list(&mut json, "nodes", nodes);
        scenes.push(json.into());
    }
    let mut default = document.default_scene;
    if let Some(index) = default.filter(|index| *index >= scenes.len().max(1)) {
        return Err(WriteError::Index { what: "default scene".into(), index, count: scenes.len() });
    }
    if scenes.is_empty() && !skeleton.is_empty() {
        let is_root = |id: &&JointId| skeleton.joint(**id).parent.is_none();
        let roots = order.joints.iter().filter(is_root).map(|id| order.nodes[id.index()].into());
        let mut json = Map::new();
        set_list(&mut json, "nodes", roots.collect());
        scenes.push(json.into());
        default = Some(0);
    }
    if let Some(default) = default.filter(|_| !scenes.is_empty()) {
        root.insert("scene".into(), default.into());
    }
    set_list(root, "scenes", scenes);
    Ok(())
}

/// Every joint of the skeleton is a node.
pub(super) fn write_nodes(
    document: &Document,
    order: &Order,
    root: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let skeleton = &document.skeleton;
    let instances = instances(document)?;
    let children = skeleton.children();
    let mut nodes = Vec::with_capacity(skeleton.len());
    for &id in &order.joints {
        let joint = skeleton.joint(id);
        let mut json = Map::new();
        set_name(&mut json, joint.name.as_ref());
        let below = &children[id.index()];
        set_list(
            &mut json,
            "children",
            below.iter().map(|child| order.nodes[child.index()].into()).collect(),
        );
        match &joint.rest_matrix {
            Some(matrix) => write_matrix(matrix, || skeleton.label(id), &mut json)?,
            None => write_transform(skeleton, id, &mut json)?,
        }
        write_mesh(document, id, instances[id.index()], &mut json)?;
        add_carried(&mut json, document.carried.nodes.get(&joint.node));
        nodes.push(json.into());
    }
    set_list(root, "nodes", nodes);
    Ok(())
}

/// Translation, rotation and scale in double precision, as JSON has them; none where it does nothing.
fn write_transform(
    skeleton: &Skeleton,
    id: JointId,
    json: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let DTransform { translation, rotation, scale } = skeleton.joint(id).rest;
    let length = rotation.length();
    if !(length - 1.0).abs().le(&UNIT_TOLERANCE) {
        return Err(WriteError::RestRotation { joint: skeleton.label(id), length });
    }
    // Readers keep these in single precision; a double that is too large for it would arrive as infinite.
    for (part, value) in [("translation", translation), ("scale", scale)] {
        single(value.abs().max_element(), || format!("rest {part} of joint {}", skeleton.label(id)))?;
    }
    if translation.to_array() != [0.0; 3] {
        json.insert("translation".into(), json!(translation.to_array()));
    }
    if rotation.to_array() != [0.0, 0.0, 0.0, 1.0] {
        // Dividing a rotation that is unit already would cost its last digit.
        let exact = (length - 1.0).abs() < 1e-7;
        let unit = if exact { rotation } else { rotation / length };
        json.insert("rotation".into(), json!(unit.to_array().map(|c| c.clamp(-1.0, 1.0))));
    }
    if scale.to_array() != [1.0; 3] {
        json.insert("scale".into(), json!(scale.to_array()));
    }
    Ok(())
}

/// A local matrix that translation, rotation and scale give to within the validator's tolerance.
pub(super) fn write_matrix(
    matrix: &DMat4,
    joint: impl Fn() -> String,
    json: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let columns = matrix.to_cols_array();
    for value in columns {
        single(value, || format!("rest matrix of joint {}", joint()))?;
    }
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
    let unit = axes.map(DVec3::normalize_or_zero);
    let sheared = [(0, 1), (1, 2), (2, 0)].iter().any(|&(a, b)| unit[a].dot(unit[b]).abs() > SHEAR_TOLERANCE);
    let vanishes = unit.contains(&DVec3::ZERO) || matrix.determinant() == 0.0;
    if sheared || vanishes || matrix.row(3) != DVec4::W {
        return Err(WriteError::RestMatrix { joint: joint() });
    }
    json.insert("matrix".into(), json!(columns));
    Ok(())
}

/// The mesh on each joint, `[joint]`.
fn instances(document: &Document) -> Result<Vec<Option<MeshInstance>>, WriteError> {
    let skeleton = &document.skeleton;
    let mut on: Vec<Option<MeshInstance>> = vec![None; skeleton.len()];
    for (i, instance) in document.instances.iter().enumerate() {
        let check = |what: &str, index: usize, count: usize| {
            let what = format!("{what} of mesh instance {i}");
            if index < count { Ok(()) } else { Err(WriteError::Index { what, index, count }) }
        };
        check("joint", instance.joint.index(), skeleton.len())?;
        check("mesh", instance.mesh, document.meshes.len())?;
        check(
            "skin",
            instance.skin.unwrap_or(0),
            document.skins.len().max(usize::from(instance.skin.is_none())),
        )?;
        if let Some(other) = on[instance.joint.index()].replace(*instance) {
            let joint = skeleton.label(instance.joint);
            return Err(WriteError::TwoMeshes { joint, first: other.mesh, second: instance.mesh });
        }
    }
    Ok(on)
}

/// Number of morph targets of a mesh.
pub(super) fn targets(document: &Document, mesh: usize) -> usize {
    document.meshes[mesh].primitives.first().map_or(0, |primitive| primitive.targets.len())
}

fn write_mesh(
    document: &Document,
    id: JointId,
    instance: Option<MeshInstance>,
    json: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let skeleton = &document.skeleton;
    let Joint { weights, .. } = skeleton.joint(id);
    let rest = &skeleton.rest_weights()[weights.clone()];
    let count = instance.map_or(0, |instance| targets(document, instance.mesh));
    if !rest.is_empty() && rest.len() != count {
        let joint = skeleton.label(id);
        return Err(WriteError::MorphWeights { joint, weights: rest.len(), targets: count });
    }
    if let Some(instance) = instance {
        json.insert("mesh".into(), instance.mesh.into());
        json.extend(instance.skin.map(|skin| ("skin".into(), skin.into())));
    }
    if rest.iter().any(|weight| *weight != 0.0) {
        for weight in rest {
            single(*weight, || format!("morph weight of joint {}", skeleton.label(id)))?;
        }
        json.insert("weights".into(), json!(rest));
    }
    Ok(())
}
