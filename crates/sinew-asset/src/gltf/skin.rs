//! Skins: which joints a mesh binds to, in which order, and where they were then.
//!
//! glTF 2.0 specification, section 3.7.3. Skins that share joints stay apart: each has its own order and its
//! own inverse bind matrices. `skeleton` is a hint that changes nothing.

use glam::DMat4;
use sinew::{JointFlags, Skin};

use super::accessor::{Accessors, Component, Shape};
use super::fault::Fault;
use super::json::Cursor;
use super::node::Nodes;
use crate::error::{Object, ProblemCode, Problems, Severity};

/// Skins that could be read, and where each of the file's went.
pub(crate) struct Skins {
    pub(crate) list: Vec<Skin>,
    /// Index in `list`, `[skin of the file]`.
    pub(crate) kept: Vec<Option<usize>>,
}

pub(crate) fn read_skins(
    root: Cursor<'_>,
    nodes: &mut Nodes,
    accessors: &mut Accessors<'_>,
    problems: &mut Problems,
) -> Skins {
    let mut skins = Skins { list: Vec::new(), kept: Vec::new() };
    for (index, skin) in root.get("skins").iter().flat_map(Cursor::elements).enumerate() {
        match read_skin(index, skin, nodes, accessors, problems) {
            Ok(read) => {
                for joint in &read.joints {
                    nodes.skeleton.add_flags(*joint, JointFlags::SKIN_JOINT);
                }
                skins.kept.push(Some(skins.list.len()));
                skins.list.push(read);
            }
            Err(fault) => {
                let text = format!("{}; the skin is left out", fault.text());
                problems.push(Severity::Error, fault.code, object(index, skin), fault.place, text);
                skins.kept.push(None);
            }
        }
    }
    skins
}

fn object(index: usize, skin: Cursor<'_>) -> Object {
    Object::Skin { index: index as u32, name: skin.short_name() }
}

fn read_skin(
    index: usize,
    skin: Cursor<'_>,
    nodes: &Nodes,
    accessors: &mut Accessors<'_>,
    problems: &mut Problems,
) -> Result<Skin, Fault> {
    let list = skin.need("joints", "a list of nodes")?;
    let count = list.array()?.len();
    if count == 0 || count > usize::from(u16::MAX) + 1 {
        return Err(list.fault("1 to 65536 joints"));
    }
    accessors.budget.charge(count as u64, size_of::<DMat4>() + 8, || skin.place())?;
    let mut joints = Vec::with_capacity(count);
    for joint in list.elements() {
        joints.push(nodes.joint[joint.index(nodes.joint.len(), "nodes")? as usize]);
    }
    let mut sorted = joints.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let node = nodes.skeleton.joint(pair[0]).node;
        let text = format!("expected every joint once, found node {node} twice; kept as it is");
        problems.push(Severity::Warning, ProblemCode::Skin, object(index, skin), list.place(), text);
    }
    let inverse_bind = match skin.index_of("inverseBindMatrices", accessors.count, "accessors")? {
        None => vec![DMat4::IDENTITY; count],
        Some(accessor) => read_matrices(skin, accessor, count, accessors, problems)?,
    };
    Ok(Skin { name: skin.name(), source: index as u32, joints, inverse_bind })
}

fn read_matrices(
    skin: Cursor<'_>,
    accessor: u32,
    count: usize,
    accessors: &mut Accessors<'_>,
    problems: &mut Problems,
) -> Result<Vec<DMat4>, Fault> {
    let bad = |expected: String, found: String| {
        Fault::new(ProblemCode::Skin, skin.place_of("inverseBindMatrices"), expected, found)
    };
    let header = accessors.header(accessor)?;
    if header.shape != Shape::Mat4 || header.component != Component::F32 {
        let found = format!("{} of {:?} in accessor {accessor}", header.shape.name(), header.component);
        return Err(bad("inverse bind matrices as MAT4 of F32".into(), found));
    }
    // More matrices than joints are allowed (section 3.7.3.1), fewer are not.
    if header.count < count as u64 {
        return Err(bad(format!("{count} inverse bind matrices, one a joint"), header.count.to_string()));
    }
    let numbers = accessors.floats(accessor, problems)?;
    let matrices = numbers.as_chunks::<16>().0;
    let mut out = Vec::with_capacity(count);
    for (k, matrix) in matrices.iter().take(count).enumerate() {
        if let Some(number) = matrix.iter().find(|v| !v.is_finite()) {
            return Err(bad(format!("finite numbers in inverse bind matrix {k}"), number.to_string()));
        }
        out.push(DMat4::from_cols_array(&matrix.map(f64::from)));
    }
    Ok(out)
}
