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

fn joints(skeleton: &Skeleton, skin: &Skin, index: usize, order: &Order) -> Result<Vec<Value>, WriteError> {
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

fn matrices(skin: &Skin, index: usize, options: &WriteOptions) -> Result<Vec<[f32; 16]>, WriteError> {
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

/// A scene that shows a skinned mesh shows all its joints.
fn check_scenes(document: &Document, roots: &[JointId]) -> Result<(), WriteError> {
    for (scene, shown) in document.scenes.iter().enumerate() {
        for instance in &document.instances {
            let Some(skin) = instance.skin else { continue };
            let shows = |joint: JointId| shown.roots.contains(&roots[joint.index()]);
            if !shows(instance.joint) {
                continue;
            }
            if let Some(missing) = document.skins[skin].joints.iter().find(|joint| !shows(**joint)) {
                let joint = document.skeleton.label(instance.joint);
                let missing = document.skeleton.label(*missing);
                return Err(WriteError::SkinOutsideScene { scene, joint, missing, skin });
            }
        }
    }
    Ok(())
}
