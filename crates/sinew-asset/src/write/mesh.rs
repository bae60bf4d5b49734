//! Meshes: vertices, triangles, influences, morph targets, and attributes that are carried.

use serde_json::{Map, Value, json};
use sinew::Primitive;

use super::binary::{Binary, F32, U16, U32, Use};
use super::influence::write_influences;
use super::{WriteError, WriteOptions, add_carried, set_list, set_name};
use crate::document::{CarriedAttribute, Document};

/// The Khronos validator accepts normals this far from unit length.
const NORMAL_TOLERANCE: f32 = 5e-3;

/// Writes all meshes; returns whether an attribute needs `KHR_mesh_quantization`.
pub(super) fn write_meshes(
    document: &Document,
    options: &WriteOptions,
    binary: &mut Binary,
    root: &mut Map<String, Value>,
) -> Result<bool, WriteError> {
    let mut meshes = Vec::with_capacity(document.meshes.len());
    let mut quantized = false;
    for (index, mesh) in document.meshes.iter().enumerate() {
        let mut json = Map::new();
        set_name(&mut json, mesh.name.as_ref());
        let mut primitives = Vec::with_capacity(mesh.primitives.len());
        for (part, primitive) in mesh.primitives.iter().enumerate() {
            let mut writer = PrimitiveWriter { document, options, binary, mesh: index, part, primitive };
            primitives.push(writer.write(&mut quantized)?);
            let (found, expected) = (primitive.targets.len(), mesh.primitives[0].targets.len());
            if found != expected {
                let what = format!("morph targets of {}", writer.label());
                return Err(WriteError::Count { what, found, expected });
            }
        }
        if primitives.is_empty() {
            return Err(WriteError::Empty { what: format!("list of primitives of mesh {index}") });
        }
        json.insert("primitives".into(), primitives.into());
        add_carried(&mut json, document.carried.meshes.get(&index));
        meshes.push(json.into());
    }
    set_list(root, "meshes", meshes);
    Ok(quantized)
}

pub(super) struct PrimitiveWriter<'a> {
    pub(super) document: &'a Document,
    pub(super) options: &'a WriteOptions,
    pub(super) binary: &'a mut Binary,
    pub(super) mesh: usize,
    pub(super) part: usize,
    pub(super) primitive: &'a Primitive,
}

impl PrimitiveWriter<'_> {
    pub(super) fn label(&self) -> String {
        format!("mesh {}, primitive {}", self.mesh, self.part)
    }

    pub(super) fn count(&self, what: &str, found: usize, expected: usize) -> Result<(), WriteError> {
        if found == expected {
            return Ok(());
        }
        Err(WriteError::Count { what: format!("{what} of {}", self.label()), found, expected })
    }

    pub(super) fn write(&mut self, quantized: &mut bool) -> Result<Value, WriteError> {
        let primitive = self.primitive;
        let vertices = primitive.positions.len();
        if vertices == 0 {
            return Err(WriteError::Empty { what: format!("list of vertices of {}", self.label()) });
        }
        let mut attributes = Map::new();
        attributes.insert("POSITION".into(), self.vectors("positions", &primitive.positions, true)?.into());
        if let Some(normals) = &primitive.normals {
            self.count("normals", normals.len(), vertices)?;
            let normals = self.unit(normals)?;
            attributes.insert("NORMAL".into(), self.vectors("normals", &normals, false)?.into());
        }
        if let Some(influences) = &primitive.influences {
            write_influences(self, influences, &mut attributes)?;
        }
        let carried = self.document.carried.attributes.get(&(self.mesh, self.part));
        let carried = carried.map_or(&[][..], Vec::as_slice);
        for attribute in carried {
            if !self.options.as_stored && !is_defined(attribute, carried) {
                return Err(self.refuse(attribute));
            }
            let accessor = self.carried(attribute)?;
            attributes.insert(attribute.name.clone(), accessor.into());
            *quantized |= needs_quantization(attribute);
        }

        let mut json = Map::new();
        json.insert("attributes".into(), attributes.into());
        let targets = (0..primitive.targets.len()).map(|target| self.target(target));
        set_list(&mut json, "targets", targets.collect::<Result<_, _>>()?);
        if primitive.indices.is_empty() {
            // Points and lines are kept as their vertices.
            json.insert("mode".into(), 0.into());
        } else {
            json.insert("indices".into(), self.triangles()?.into());
        }
        if let Some(material) = primitive.material {
            let count =
                self.document.carried.top.get("materials").and_then(Value::as_array).map_or(0, Vec::len);
            let index = material as usize;
            if index >= count {
                return Err(WriteError::Index {
                    what: format!("material of {}", self.label()),
                    index,
                    count,
                });
            }
            json.insert("material".into(), material.into());
        }
        add_carried(&mut json, self.document.carried.primitives.get(&(self.mesh, self.part)));
        Ok(json.into())
    }

    fn vectors(&mut self, what: &str, vectors: &[[f32; 3]], bounds: bool) -> Result<usize, WriteError> {
        for (vertex, vector) in vectors.iter().enumerate() {
            if let Some(value) = vector.iter().find(|value| !value.is_finite()) {
                let what = format!("vertex {vertex} of the {what} of {}", self.label());
                return Err(WriteError::NotFinite { what, value: f64::from(*value) });
            }
        }
        self.binary.open_view();
        let accessor = self.binary.floats("VEC3", vectors.iter().copied(), bounds);
        self.binary.close_view(Use::Vertices(None));
        Ok(accessor)
    }

    /// Normals at unit length; those that are near it stay as they are.
    fn unit(&self, normals: &[[f32; 3]]) -> Result<Vec<[f32; 3]>, WriteError> {
        let mut unit = normals.to_vec();
        for (vertex, normal) in unit.iter_mut().enumerate().filter(|_| !self.options.as_stored) {
            let length = glam::Vec3::from_array(*normal).as_dvec3().length();
            if length == 0.0 {
                return Err(WriteError::Normal { mesh: self.mesh, primitive: self.part, vertex });
            }
            if (length as f32 - 1.0).abs() > NORMAL_TOLERANCE {
                *normal = normal.map(|c| (f64::from(c) / length) as f32);
            }
        }
        Ok(unit)
    }

    fn target(&mut self, index: usize) -> Result<Value, WriteError> {
        let target = &self.primitive.targets[index];
        let vertices = self.primitive.positions.len();
        let mut json = Map::new();
        if let Some(positions) = &target.positions {
            self.count(&format!("positions of morph target {index}"), positions.len(), vertices)?;
            json.insert("POSITION".into(), self.vectors("morphed positions", positions, true)?.into());
        }
        if let Some(normals) = &target.normals {
            self.count(&format!("normals of morph target {index}"), normals.len(), vertices)?;
            if self.primitive.normals.is_none() {
                let (mesh, primitive) = (self.mesh, self.part);
                return Err(WriteError::MorphNormals { mesh, primitive, target: index });
            }
            json.insert("NORMAL".into(), self.vectors("morphed normals", normals, false)?.into());
        }
        if json.is_empty() {
            // A target that moves nothing still counts; without a buffer view all its elements are zero.
            let zeros = json!({
                "componentType": F32, "count": vertices, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0],
            });
            self.binary.accessors.push(zeros);
            json.insert("POSITION".into(), (self.binary.accessors.len() - 1).into());
        }
        Ok(json.into())
    }

    fn triangles(&mut self) -> Result<usize, WriteError> {
        let (indices, vertices) = (&self.primitive.indices, self.primitive.positions.len());
        if !indices.len().is_multiple_of(3) {
            let expected = indices.len().next_multiple_of(3);
            self.count("triangle indices", indices.len(), expected)?;
        }
        if let Some(index) = indices.iter().find(|index| **index as usize >= vertices) {
            let what = format!("triangle index of {}", self.label());
            return Err(WriteError::Index { what, index: *index as usize, count: vertices });
        }
        self.binary.open_view();
        // The largest number of a type restarts strips and is no index.
        let component_type = if vertices <= usize::from(u16::MAX) { U16 } else { U32 };
        for &index in indices {
            match u16::try_from(index) {
                Ok(short) if component_type == U16 => {
                    self.binary.bytes.extend_from_slice(&short.to_le_bytes())
                }
                _ => self.binary.bytes.extend_from_slice(&index.to_le_bytes()),
            }
        }
        let accessor = self.binary.accessor(0, component_type, "SCALAR", indices.len(), false);
        self.binary.close_view(Use::Indices);
        Ok(accessor)
    }

    fn refuse(&self, attribute: &CarriedAttribute) -> WriteError {
        WriteError::Attribute {
            mesh: self.mesh,
            primitive: self.part,
            name: attribute.name.clone(),
            component_type: attribute.component_type,
            element_type: attribute.element_type.clone(),
        }
    }

    /// An attribute that is passed on; each vertex starts at a multiple of 4 bytes.
    fn carried(&mut self, attribute: &CarriedAttribute) -> Result<usize, WriteError> {
        let CarriedAttribute { name, component_type, element_type, normalized, bytes } = attribute;
        let Some(size) = element_size(*component_type, element_type) else {
            return Err(self.refuse(attribute));
        };
        let vertices = self.primitive.positions.len();
        self.count(&format!("bytes of {name}"), bytes.len(), vertices.saturating_mul(size))?;
        let stride = size.next_multiple_of(4);
        self.binary.open_view();
        for element in bytes.chunks_exact(size) {
            self.binary.bytes.extend_from_slice(element);
            self.binary.align();
        }
        let accessor = self.binary.accessor(0, *component_type, element_type, vertices, *normalized);
        self.binary.close_view(Use::Vertices((stride != size).then_some(stride)));
        Ok(accessor)
    }
}

/// Bytes of a vertex attribute's element; `None` for what no vertex can have.
pub(super) fn element_size(component_type: u32, element_type: &str) -> Option<usize> {
    let component = match component_type {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5126 => 4,
        _ => return None,
    };
    let (components, matrix) = match element_type {
        "SCALAR" => (1, false),
        "VEC2" => (2, false),
        "VEC3" => (3, false),
        "VEC4" => (4, false),
        "MAT2" => (4, true),
        "MAT3" => (9, true),
        "MAT4" => (16, true),
        _ => return None,
    };
    // Columns of small matrices have padding within, which the carried bytes do not tell of.
    (!matrix || component == 4).then_some(component * components)
}

/// Whether glTF has such an attribute: of its own with a leading underscore, or one that the specification names,
/// with its element type, numbered from 0 without a gap.
pub(super) fn is_defined(attribute: &CarriedAttribute, all: &[CarriedAttribute]) -> bool {
    let CarriedAttribute { name, component_type, element_type, normalized, .. } = attribute;
    if name.starts_with('_') {
        return true;
    }
    if name == "TANGENT" {
        return element_type == "VEC4" && (*component_type == F32 || *normalized);
    }
    let Some((family, number)) = name.split_once('_') else { return false };
    let Ok(number) = number.parse::<usize>() else { return false };
    let shaped = match family {
        "TEXCOORD" => element_type == "VEC2",
        "COLOR" => {
            let unsigned = matches!(component_type, 5121 | 5123) && *normalized;
            matches!(element_type.as_str(), "VEC3" | "VEC4") && (*component_type == F32 || unsigned)
        }
        _ => return false,
    };
    shaped && (number == 0 || all.iter().any(|other| other.name == format!("{family}_{}", number - 1)))
}

/// Whether glTF 2.0 without extensions has no such attribute (specification, section 3.7.2.1, table).
fn needs_quantization(attribute: &CarriedAttribute) -> bool {
    let CarriedAttribute { name, component_type, normalized, .. } = attribute;
    if *component_type == F32 || name.starts_with('_') {
        return false;
    }
    let unsigned = matches!(component_type, 5121 | 5123) && *normalized;
    !(unsigned && (name.starts_with("TEXCOORD_") || name.starts_with("COLOR_")))
}
