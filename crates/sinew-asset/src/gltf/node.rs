//! Nodes become joints: every node of the file, parents before children.
//!
//! glTF 2.0 specification, section 3.5 (nodes are a forest; a node has a matrix or TRS). What is not a
//! forest is made one: a second parent and the link that closes a circle are dropped and named.

use glam::{DMat3, DMat4, DQuat, DVec3};
use sinew::{DTransform, Joint, JointFlags, JointId, Skeleton};

use super::accessor::Accessors;
use super::fault::Fault;
use super::json::Cursor;
use crate::error::{AssetError, Object, Place, ProblemCode, Problems, Severity};

/// A matrix is read as translation, rotation and scale where those give it back to within this, relative
/// to its largest number; it then can be animated like any other. f32 rounding stays below it.
const MATRIX_TOLERANCE: f64 = 2e-7;
/// A rotation whose length is off by more than this was not only rounded.
const UNIT_TOLERANCE: f64 = 1e-3;

/// The hierarchy and the way from node indices to joints.
pub(crate) struct Nodes {
    pub(crate) skeleton: Skeleton,
    /// `[node]`
    pub(crate) joint: Vec<JointId>,
    /// Whether the file gives the node a matrix, `[node]`: such a node must not be animated.
    pub(crate) has_matrix: Vec<bool>,
}

/// An [`Object::Node`] of a node's JSON.
pub(crate) fn object(index: usize, node: Cursor<'_>) -> Object {
    Object::Node { index: index as u32, name: node.short_name() }
}

pub(crate) fn read_nodes(
    root: Cursor<'_>,
    accessors: &mut Accessors<'_>,
    problems: &mut Problems,
) -> Result<Nodes, AssetError> {
    let list = root.get("nodes");
    let count = list.map_or(0, |list| list.elements().count());
    let place = || Place::Pointer("/nodes".into());
    accessors.budget.charge(count as u64, size_of::<Joint>() + 64, place)?;
    let tree = Tree::read(list, count, problems);

    let mut joint = vec![JointId(0); count];
    for (position, node) in tree.order.iter().enumerate() {
        joint[*node] = JointId(position as u32);
    }
    let mut has_matrix = vec![false; count];
    let mut joints = Vec::with_capacity(count);
    let mut rest_weights = Vec::new();
    for &index in &tree.order {
        let Some(node) = list.and_then(|list| list.element(index)) else { continue };
        let (rest, rest_matrix) = read_transform(index, node, problems);
        has_matrix[index] = node.get("matrix").is_some();
        let start = rest_weights.len();
        read_weights(root, index, node, accessors, problems, &mut rest_weights)?;
        let name = node.name();
        accessors.budget.charge(name.as_ref().map_or(0, |n| n.len() as u64), 1, place)?;
        joints.push(Joint {
            name,
            parent: tree.parent[index].map(|p| joint[p]),
            rest,
            rest_matrix,
            node: index as u32,
            flags: flags(node),
            weights: start..rest_weights.len(),
        });
    }
    let skeleton = Skeleton::new(joints, rest_weights).map_err(|error| {
        let expected = "a hierarchy of finite transforms";
        Fault::new(ProblemCode::Node, place(), expected, error.to_string())
    })?;
    Ok(Nodes { skeleton, joint, has_matrix })
}

fn flags(node: Cursor<'_>) -> JointFlags {
    let mut flags = JointFlags::default();
    if node.get("mesh").is_some() {
        flags |= JointFlags::MESH;
    }
    if node.get("camera").is_some() || node.extension("KHR_lights_punctual").is_some() {
        flags |= JointFlags::VIEW;
    }
    flags
}

/// Who is whose parent, and an order in which parents come first.
struct Tree {
    /// `[node]`
    parent: Vec<Option<usize>>,
    /// Depth first, roots and children in file order.
    order: Vec<usize>,
}

impl Tree {
    fn read(list: Option<Cursor<'_>>, count: usize, problems: &mut Problems) -> Self {
        let mut parent: Vec<Option<usize>> = vec![None; count];
        let mut children: Vec<usize> = Vec::new();
        // Children of node n are children[first[n]..first[n + 1]].
        let mut first = vec![0; count + 1];
        for (index, node) in list.iter().flat_map(Cursor::elements).enumerate() {
            let mut drop = |place: Place, code: ProblemCode, text: String| {
                problems.push(Severity::Error, code, object(index, node), place, text);
            };
            let list = node.list("children").unwrap_or_else(|fault| {
                drop(fault.place.clone(), fault.code, format!("{}; it has no children then", fault.text()));
                None
            });
            for child in list.iter().flat_map(Cursor::elements) {
                match child.index(count, "nodes") {
                    Err(fault) => {
                        drop(fault.place.clone(), fault.code, format!("{}; link dropped", fault.text()))
                    }
                    Ok(c) => match parent[c as usize] {
                        Some(other) => {
                            let text = format!(
                                "expected one parent for node {c}, found nodes {other} and {index}; link dropped"
                            );
                            drop(child.place(), ProblemCode::Node, text);
                        }
                        None => {
                            parent[c as usize] = Some(index);
                            children.push(c as usize);
                        }
                    },
                }
            }
            first[index + 1] = children.len();
        }
        let mut tree = Self { parent, order: Vec::with_capacity(count) };
        let mut seen = vec![false; count];
        for root in 0..count {
            if tree.parent[root].is_none() {
                tree.visit(root, &children, &first, &mut seen);
            }
        }
        // What no root reaches hangs on a circle: cut each circle above its lowest node.
        for start in 0..count {
            if !seen[start] {
                let cut = tree.lowest_of_circle(start);
                let above = tree.parent[cut].take().unwrap_or(cut);
                let text =
                    format!("expected a tree, found node {cut} above itself; link from node {above} dropped");
                let place = Place::Pointer(format!("/nodes/{above}/children"));
                let object = list.and_then(|list| list.element(cut)).map(|node| object(cut, node));
                problems.push(Severity::Error, ProblemCode::Node, object.unwrap_or_default(), place, text);
                tree.visit(cut, &children, &first, &mut seen);
            }
        }
        tree
    }

    fn visit(&mut self, root: usize, children: &[usize], first: &[usize], seen: &mut [bool]) {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if seen[node] {
                continue;
            }
            seen[node] = true;
            self.order.push(node);
            stack.extend(children[first[node]..first[node + 1]].iter().rev());
        }
    }

    /// The lowest index on the circle that the ancestors of `start` end in.
    fn lowest_of_circle(&self, start: usize) -> usize {
        let up = |node: usize| self.parent[node].unwrap_or(node);
        // Two walks up, one twice as fast, meet on the circle (Floyd).
        let mut on = start;
        let mut ahead = up(start);
        while on != ahead {
            on = up(on);
            ahead = up(up(ahead));
        }
        let (mut lowest, mut walk) = (on, up(on));
        while walk != on {
            lowest = lowest.min(walk);
            walk = up(walk);
        }
        lowest
    }
}

fn read_transform(index: usize, node: Cursor<'_>, problems: &mut Problems) -> (DTransform, Option<DMat4>) {
    let mut report = |severity, fault: Fault, then: &str| {
        let text = format!("{}; {then}", fault.text());
        problems.push(severity, ProblemCode::Node, object(index, node), fault.place, text);
    };
    let mut numbers = Rest::default();
    match node.numbers::<3>("translation") {
        Ok(value) => numbers.translation = value,
        Err(fault) => report(Severity::Error, fault, "no translation is used"),
    }
    match node.numbers::<4>("rotation") {
        Ok(value) => numbers.rotation = value,
        Err(fault) => report(Severity::Error, fault, "no rotation is used"),
    }
    match node.numbers::<3>("scale") {
        Ok(value) => numbers.scale = value,
        Err(fault) => report(Severity::Error, fault, "no scale is used"),
    }
    match node.numbers::<16>("matrix") {
        Ok(Some(matrix)) => {
            if numbers.translation.or(numbers.scale).is_some() || numbers.rotation.is_some() {
                let expected = "a matrix or translation, rotation and scale";
                let fault = Fault::new(ProblemCode::Node, node.place(), expected, "both");
                report(Severity::Warning, fault, "the matrix is used");
            }
            return split_matrix(DMat4::from_cols_array(&matrix));
        }
        Ok(None) => {}
        Err(fault) => report(Severity::Error, fault, "no matrix is used"),
    }
    let rotation = numbers.rotation.map_or(DQuat::IDENTITY, |q| {
        let length = DQuat::from_array(q).length();
        let found = |length: f64| {
            let place = node.place_of("rotation");
            Fault::new(ProblemCode::Node, place, "a quaternion of length 1", format!("length {length}"))
        };
        if !(length.is_finite() && length > 1e-12) {
            report(Severity::Error, found(length), "no rotation is used");
            return DQuat::IDENTITY;
        }
        if (length - 1.0).abs() > UNIT_TOLERANCE {
            report(Severity::Warning, found(length), "normalised");
        }
        DQuat::from_array(q).normalize()
    });
    let translation = numbers.translation.map_or(DVec3::ZERO, DVec3::from_array);
    let scale = numbers.scale.map_or(DVec3::ONE, DVec3::from_array);
    (DTransform { translation, rotation, scale }, None)
}

#[derive(Default)]
struct Rest {
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

/// A matrix as translation, rotation and scale, with the matrix itself where those do not carry it.
fn split_matrix(matrix: DMat4) -> (DTransform, Option<DMat4>) {
    let affine = DMat3::from_mat4(matrix);
    let size = affine.to_cols_array().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let close =
        |rest: &DTransform| DMat3::from_mat4(rest.to_matrix()).abs_diff_eq(affine, size * MATRIX_TOLERANCE);
    match DTransform::from_matrix(&matrix) {
        Some(rest) if close(&rest) => (rest, None),
        Some(rest) => (rest, Some(matrix)),
        None => {
            let nearest = DTransform::rigid_part(&matrix);
            let finite = nearest.translation.is_finite() && nearest.rotation.is_finite();
            (if finite { nearest } else { DTransform::IDENTITY }, Some(matrix))
        }
    }
}

/// Number of morph targets of a mesh, told by its first primitive.
fn target_count(mesh: Cursor<'_>) -> usize {
    let first = mesh.get("primitives").and_then(|list| list.element(0));
    first.and_then(|p| p.get("targets")).map_or(0, |t| t.elements().count())
}

/// Appends the rest weights of a node: its own, or its mesh's, or zeros.
fn read_weights(
    root: Cursor<'_>,
    index: usize,
    node: Cursor<'_>,
    accessors: &mut Accessors<'_>,
    problems: &mut Problems,
    rest_weights: &mut Vec<f64>,
) -> Result<(), Fault> {
    let mesh = node.get("mesh").and_then(|m| m.whole().ok()).and_then(|m| usize::try_from(m).ok());
    let Some(mesh) = mesh.and_then(|m| root.get("meshes")?.element(m)) else { return Ok(()) };
    let count = target_count(mesh);
    if count == 0 {
        return Ok(());
    }
    accessors.budget.charge(count as u64, 16, || node.place())?;
    let start = rest_weights.len();
    rest_weights.resize(start + count, 0.0);
    let Some(list) = node.get("weights").or_else(|| mesh.get("weights")) else { return Ok(()) };
    let found = list.elements().count();
    let mut bad = None;
    for (slot, weight) in rest_weights[start..].iter_mut().zip(list.elements()) {
        match weight.number() {
            Ok(number) => *slot = number,
            Err(fault) => bad = Some(fault),
        }
    }
    if found != count {
        bad.get_or_insert_with(|| {
            let expected = format!("{count} weights, one a morph target");
            Fault::new(ProblemCode::Node, list.place(), expected, found.to_string())
        });
    }
    if let Some(fault) = bad {
        let text = format!("{}; 0 is used in place of what is missing", fault.text());
        problems.push(Severity::Warning, ProblemCode::Node, object(index, node), fault.place, text);
    }
    Ok(())
}
