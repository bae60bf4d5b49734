//! Skins with their inverse bind matrices.

use serde_json::{Map, Value};
use sinew::{JointId, Skeleton, Skin};

use super::binary::{Binary, Use};
use super::node::{Order, roots};
use super::{WriteError, WriteOptions, set_list, set_name, single};
use crate::document::Document;

/// A last row of a matrix that is this near to 0 0 0 1 is that row, rounded.
const ROW_TOLERANCE: f64 = 1e-5;

pub(super) fn write_skins(
    document: &Document,
    options: &WriteOptions,
    order: &Order,
    binary: &mut Binary,
    root: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let skeleton = &document.skeleton;
    let roots = roots(skeleton);
    let mut skins = Vec::with_capacity(document.skins.len());
    binary.open_view();
    for (index, skin) in document.skins.iter().enumerate() {
        let nodes = joints(skeleton, skin, index, order)?;
        let matrices = matrices(skin, index, options)?;
        let mut json = Map::new();
        set_name(&mut json, skin.name.as_ref());
        json.insert("inverseBindMatrices".into(), binary.floats("MAT4", matrices, false).into());
        json.insert("joints".into(), nodes.into());
        skins.push(json.into());
    }
    binary.close_view(Use::Data);
    check_scenes(document, &roots)?;
    set_list(root, "skins", skins);
    Ok(())
}

pub(super) fn joints(
    skeleton: &Skeleton,
    skin: &Skin,
    index: usize,
    order: &Order,
) -> Result<Vec<Value>, WriteError> {
    let mut nodes = Vec::with_capacity(skin.joints.len());
    let mut seen = vec![false; skeleton.len()];
    for &joint in &skin.joints {
        nodes.push(order.node(joint, || format!("joint of skin {index}"))?.into());
        if std::mem::replace(&mut seen[joint.index()], true) {
            return Err(WriteError::SkinJointTwice { skin: index, joint: skeleton.label(joint) });
        }
    }
    if nodes.is_empty() {
        return Err(WriteError::Empty { what: format!("list of joints of skin {index}") });
    }
    Ok(nodes)
}

pub(super) fn matrices(
    skin: &Skin,
    index: usize,
    options: &WriteOptions,
) -> Result<Vec<[f32; 16]>, WriteError> {
    let (found, expected) = (skin.inverse_bind.len(), skin.joints.len());
    if found != expected {
        let what = format!("inverse bind matrices of skin {index}");
        return Err(WriteError::Count { what, found, expected });
    }
    let mut matrices = Vec::with_capacity(found);
    for (joint, matrix) in skin.inverse_bind.iter().enumerate() {
        let what = || format!("inverse bind matrix {joint} of skin {index}");
        let mut columns = [0.0; 16];
        for (column, value) in columns.iter_mut().zip(matrix.to_cols_array()) {
            *column = single(value, what)?;
        }
        for (at, exact) in [(3, 0.0), (7, 0.0), (11, 0.0), (15, 1.0)] {
            let value = f64::from(columns[at]);
            if options.as_stored {
                continue;
            }
            if (value - exact).abs() > ROW_TOLERANCE {
                let what = what();
                return Err(WriteError::MatrixRow { what, element: at, found: value, expected: exact });
            }
            columns[at] = exact as f32;
        }
        matrices.push(columns);
    }
    Ok(matrices)
}

/// A scene that shows a skinned mesh shows all its joints; joints under several roots are in a scene together.
pub(super) fn check_scenes(document: &Document, roots: &[JointId]) -> Result<(), WriteError> {
    let (skeleton, skins) = (&document.skeleton, &document.skins);
    let mut together = vec![document.scenes.is_empty(); skins.len()];
    // The last scene that lists each root, counted from 1.
    let mut listed = vec![0; skeleton.len()];
    for (scene, shown) in document.scenes.iter().enumerate() {
        for root in &shown.roots {
            listed[root.index()] = scene + 1;
        }
        let hidden = |joint: &JointId| listed[roots[joint.index()].index()] != scene + 1;
        let missing: Vec<Option<JointId>> =
            skins.iter().map(|skin| skin.joints.iter().copied().find(hidden)).collect();
        for (together, missing) in together.iter_mut().zip(&missing) {
            *together |= missing.is_none();
        }
        for instance in document.instances.iter().filter(|instance| !hidden(&instance.joint)) {
            let Some(skin) = instance.skin else { continue };
            if let Some(missing) = missing[skin] {
                let (joint, missing) = (skeleton.label(instance.joint), skeleton.label(missing));
                return Err(WriteError::SkinOutsideScene { scene, joint, missing, skin });
            }
        }
    }
    for (index, skin) in skins.iter().enumerate().filter(|(index, _)| !together[*index]) {
        let root = |joint: &JointId| roots[joint.index()];
        let Some(first) = skin.joints.first().map(root) else { continue };
        if let Some(second) = skin.joints.iter().map(root).find(|other| *other != first) {
            let (first, second) = (skeleton.label(first), skeleton.label(second));
            return Err(WriteError::SkinRoots { skin: index, first, second });
        }
    }
    Ok(())
}
