//! Indices and topologies become a list of triangles.
//!
//! glTF 2.0 specification, section 3.7.2.1, the formulas under `primitive.mode`.

use super::accessor::Shape;
use super::fault::Fault;
use super::mesh::PrimitiveReader;
use crate::error::ProblemCode;

/// Triangles of a primitive with `vertices` vertices, three indices each; none for points and lines.
pub(super) fn read_triangles(
    reader: &mut PrimitiveReader<'_, '_>,
    vertices: usize,
) -> Result<Vec<u32>, Fault> {
    let primitive = reader.primitive;
    let mode = primitive.whole_or("mode", 4)?;
    let (minimum, what) = match mode {
        0 => (0, "points"),
        1..=3 => (0, "lines"),
        4 => (3, "triangles"),
        5 => (3, "a triangle strip"),
        6 => (3, "a triangle fan"),
        _ => return Err(primitive.need("mode", "")?.fault("a mode from 0 to 6")),
    };
    if minimum == 0 {
        let text = format!("{what} are kept as vertices only");
        reader.warn(ProblemCode::Mesh, primitive.place_of("mode"), text);
        return Ok(Vec::new());
    }
    let order = match primitive.get("indices") {
        Some(at) => {
            let accessor = reader.index(at)?;
            let header = reader.accessors.header(accessor)?;
            if header.shape != Shape::Scalar {
                let found = format!("{} in accessor {accessor}", header.shape.name());
                return Err(Fault::new(ProblemCode::Mesh, at.place(), "indices as SCALAR", found));
            }
            reader.accessors.read_integers(accessor, reader.problems)?
        }
        None => {
            reader.accessors.budget.charge(vertices as u64, 4, || primitive.place())?;
            (0..vertices as u32).collect()
        }
    };
    let triangles = match mode {
        4 => {
            let rest = order.len() % 3;
            if rest != 0 {
                let text = format!(
                    "expected three indices a triangle, found {}; the last {rest} dropped",
                    order.len()
                );
                reader.warn(ProblemCode::Mesh, primitive.place_of("indices"), text);
            }
            order
        }
        _ => {
            reader.accessors.budget.charge(order.len() as u64, 12, || primitive.place())?;
            if mode == 5 { strip(&order) } else { fan(&order) }
        }
    };
    Ok(within(reader, triangles, vertices))
}

fn strip(order: &[u32]) -> Vec<u32> {
    let triangle = |(i, v): (usize, &[u32])| [v[0], v[1 + i % 2], v[2 - i % 2]];
    order.windows(3).enumerate().flat_map(triangle).collect()
}

fn fan(order: &[u32]) -> Vec<u32> {
    let Some((centre, rim)) = order.split_first() else { return Vec::new() };
    rim.windows(2).flat_map(|v| [v[0], v[1], *centre]).collect()
}

/// Drops triangles that name vertices which are not there.
fn within(reader: &mut PrimitiveReader<'_, '_>, mut triangles: Vec<u32>, vertices: usize) -> Vec<u32> {
    let outside = |index: &u32| *index as usize >= vertices;
    triangles.truncate(triangles.len() / 3 * 3);
    if let Some(at) = triangles.iter().position(outside) {
        let found = triangles[at];
        let before = triangles.len();
        let kept = triangles.as_chunks::<3>().0.iter().filter(|t| !t.iter().any(outside)).flatten();
        triangles = kept.copied().collect();
        let text = format!(
            "expected indices below the {vertices} vertices, found {found} in triangle {}; {} triangles dropped",
            at / 3,
            (before - triangles.len()) / 3
        );
        reader.warn(ProblemCode::Mesh, reader.primitive.place_of("indices"), text);
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_follow_the_specification() {
        // p_i = {v_i, v_(i + (1 + i%2)), v_(i + (2 - i%2))} and {v_(i+1), v_(i+2), v_0}.
        assert_eq!(strip(&[0, 1, 2, 3]), [0, 1, 2, 1, 3, 2]);
        assert_eq!(fan(&[0, 1, 2, 3]), [1, 2, 0, 2, 3, 0]);
        assert!(strip(&[0, 1]).is_empty() && fan(&[0]).is_empty() && fan(&[]).is_empty());
    }
}
