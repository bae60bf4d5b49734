//! Joints and weights of vertices, in sets of four.

use serde_json::{Map, Value};
use sinew::Influences;

use super::WriteError;
use super::binary::{F32, U8, U16, Use};
use super::mesh::PrimitiveWriter;

/// A sum of weights is taken for one within this for each weight above 0, as by the Khronos validator.
const SUM_TOLERANCE: f64 = 2e-7;

/// Adds `JOINTS_n` and `WEIGHTS_n` for all influences.
pub(super) fn write_influences(
    writer: &mut PrimitiveWriter<'_>,
    influences: &Influences,
    attributes: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let Influences { per_vertex, joints, weights } = influences;
    let (per_vertex, vertices) = (*per_vertex, writer.primitive.positions.len());
    if per_vertex == 0 {
        return Err(WriteError::Empty { what: format!("list of influences of {}", writer.label()) });
    }
    writer.count("influence joints", joints.len(), vertices.saturating_mul(per_vertex))?;
    writer.count("influence weights", weights.len(), vertices.saturating_mul(per_vertex))?;
    let mut joints = joints.clone();
    let mut weights = weights.clone();
    let rows = joints.chunks_exact_mut(per_vertex).zip(weights.chunks_exact_mut(per_vertex));
    for (vertex, (joints, weights)) in rows.enumerate() {
        let refuse = |found: String| WriteError::VertexWeights {
            mesh: writer.mesh,
            primitive: writer.part,
            vertex,
            found,
        };
        if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
            return Err(refuse(format!("a weight of {weight}")));
        }
        if !writer.options.as_stored {
            make_valid(joints, weights).map_err(refuse)?;
        }
    }

    let largest = joints.iter().max().copied().unwrap_or(0);
    let component_type = if largest <= u16::from(u8::MAX) { U8 } else { U16 };
    for set in 0..per_vertex.div_ceil(4) {
        let columns = set * 4..set * 4 + 4;
        let binary = &mut *writer.binary;
        binary.open_view();
        for row in joints.chunks_exact(per_vertex) {
            for column in columns.clone() {
                let joint = row.get(column).copied().unwrap_or(0).to_le_bytes();
                binary.bytes.extend_from_slice(&joint[..if component_type == U8 { 1 } else { 2 }]);
            }
        }
        let accessor = binary.accessor(0, component_type, "VEC4", vertices, false);
        binary.close_view(Use::Vertices(None));
        attributes.insert(format!("JOINTS_{set}"), accessor.into());

        binary.open_view();
        for row in weights.chunks_exact(per_vertex) {
            for column in columns.clone() {
                let weight = row.get(column).copied().unwrap_or(0.0);
                binary.bytes.extend_from_slice(&weight.to_le_bytes());
            }
        }
        let accessor = binary.accessor(0, F32, "VEC4", vertices, false);
        binary.close_view(Use::Vertices(None));
        attributes.insert(format!("WEIGHTS_{set}"), accessor.into());
    }
    Ok(())
}

/// Weights of one vertex that add up to one, each joint named once; changes nothing where that holds already.
fn make_valid(joints: &mut [u16], weights: &mut [f32]) -> Result<(), String> {
    if let Some(weight) = weights.iter().find(|weight| **weight < 0.0) {
        return Err(format!("a weight of {weight}"));
    }
    for k in 1..joints.len() {
        let same = |i: &usize| joints[*i] == joints[k] && weights[*i] > 0.0;
        if weights[k] > 0.0
            && let Some(first) = (0..k).find(same)
        {
            weights[first] += weights[k];
            (joints[k], weights[k]) = (0, 0.0);
        }
    }
    let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
    let above_zero = weights.iter().filter(|weight| **weight > 0.0).count();
    if above_zero == 0 {
        return Err("weights that add up to 0".into());
    }
    if (sum - 1.0).abs() > SUM_TOLERANCE * above_zero as f64 {
        for weight in weights {
            *weight = (f64::from(*weight) / sum) as f32;
        }
    }
    Ok(())
}
