//! Meshes and what is on each of their vertices.
//!
//! glTF 2.0 specification, section 3.7.2. A primitive that cannot be used is left out; its mesh stays with
//! the others, and goes only when none is left.

use sinew::{Mesh, MorphTarget, Primitive};

use super::accessor::{Accessors, Component, Shape};
use super::fault::Fault;
use super::influence::read_influences;
use super::json::Cursor;
use super::triangle::read_triangles;
use crate::document::CarriedAttribute;
use crate::error::{Object, Place, ProblemCode, Problems, Severity};

/// A mesh with what is carried beside it and where it came from.
pub(crate) struct ReadMesh {
    pub(crate) mesh: Mesh,
    /// Index in the file and carried attributes, `[primitive of mesh]`.
    pub(crate) parts: Vec<(usize, Vec<CarriedAttribute>)>,
}

/// Meshes that could be read, and where each of the file's went.
pub(crate) struct Meshes {
    pub(crate) list: Vec<ReadMesh>,
    /// Index in `list`, `[mesh of the file]`.
    pub(crate) kept: Vec<Option<usize>>,
}

/// Reads every mesh. `joints` is the number of skin joints that its vertices may name, `[mesh of the file]`.
pub(crate) fn read_meshes<'a>(
    root: Cursor<'a>,
    joints: &[Option<usize>],
    accessors: &mut Accessors<'a>,
    problems: &mut Problems,
) -> Meshes {
    let mut meshes = Meshes { list: Vec::new(), kept: Vec::new() };
    for (index, mesh) in root.get("meshes").iter().flat_map(Cursor::elements).enumerate() {
        let joints = joints.get(index).copied().flatten();
        let mut read = ReadMesh {
            mesh: Mesh { name: mesh.name(), source: index as u32, primitives: Vec::new() },
            parts: Vec::new(),
        };
        for (at, primitive) in mesh.get("primitives").iter().flat_map(Cursor::elements).enumerate() {
            let object =
                Object::Primitive { mesh: index as u32, name: mesh.short_name(), primitive: at as u32 };
            let mut reader =
                PrimitiveReader { primitive, object, accessors: &mut *accessors, problems: &mut *problems };
            match reader.read(joints) {
                Ok((primitive, attributes)) => {
                    read.mesh.primitives.push(Primitive { source: at as u32, ..primitive });
                    read.parts.push((at, attributes));
                }
                Err(fault) => {
                    let text = format!("{}; the primitive is left out", fault.text());
                    let PrimitiveReader { object, problems, .. } = reader;
                    problems.push(Severity::Error, fault.code, object, fault.place, text);
                }
            }
        }
        if read.mesh.primitives.is_empty() {
            let object = Object::Mesh { index: index as u32, name: mesh.short_name() };
            let text = "expected at least one primitive that can be used, found none; the mesh is left out";
            problems.push(Severity::Error, ProblemCode::Mesh, object, mesh.place_of("primitives"), text);
            meshes.kept.push(None);
            continue;
        }
        let targets = read.mesh.primitives[0].targets.len();
        if let Some(other) = read.mesh.primitives.iter().position(|p| p.targets.len() != targets) {
            let object = Object::Mesh { index: index as u32, name: mesh.short_name() };
            let text = format!(
                "expected {targets} morph targets in every primitive, found {} in primitive {other}; kept",
                read.mesh.primitives[other].targets.len()
            );
            problems.push(Severity::Warning, ProblemCode::Mesh, object, mesh.place_of("primitives"), text);
        }
        meshes.kept.push(Some(meshes.list.len()));
        meshes.list.push(read);
    }
    meshes
}

/// Reads one primitive.
pub(crate) struct PrimitiveReader<'r, 'a> {
    pub(crate) primitive: Cursor<'a>,
    pub(crate) object: Object,
    pub(crate) accessors: &'r mut Accessors<'a>,
    pub(crate) problems: &'r mut Problems,
}

impl PrimitiveReader<'_, '_> {
    /// Names something that was changed or left out while the primitive goes on.
    pub(crate) fn warn(&mut self, code: ProblemCode, place: Place, text: impl Into<String>) {
        self.problems.push(Severity::Warning, code, self.object.clone(), place, text);
    }

    fn warn_fault(&mut self, fault: Fault, then: &str) {
        let text = format!("{}; {then}", fault.text());
        self.warn(fault.code, fault.place, text);
    }

    fn read(&mut self, joints: Option<usize>) -> Result<(Primitive, Vec<CarriedAttribute>), Fault> {
        let primitive = self.primitive;
        let attributes = primitive.need("attributes", "an object of accessors")?;
        attributes.object()?;
        let position = attributes.need("POSITION", "an accessor with positions")?;
        self.refuse_draco(position)?;
        let positions = self.read_positions(position)?;
        let count = positions.len();
        let normals = self.optional(attributes.get("NORMAL"), |this, at| {
            this.vectors(at, Some(count)).map(|normals| this.finite(normals, at))
        });
        let influences = read_influences(self, attributes, count, joints);
        let targets = self.read_targets(count)?;
        let indices = read_triangles(self, count)?;
        let material = primitive.get("material").map(|m| m.whole()).transpose();
        let material = material.unwrap_or_else(|fault| {
            self.warn_fault(fault, "the primitive has no material");
            None
        });
        let carried = self.read_carried(attributes, count);
        let material = material.and_then(|m| u32::try_from(m).ok());
        Ok((Primitive { source: 0, positions, normals, indices, influences, targets, material }, carried))
    }

    /// Draco's bytes stand in the place of the accessors' own; without them there is nothing to read.
    fn refuse_draco(&mut self, position: Cursor<'_>) -> Result<(), Fault> {
        const DRACO: &str = "KHR_draco_mesh_compression";
        let Some(extension) = self.primitive.extension(DRACO) else { return Ok(()) };
        let header = self.accessors.header(self.index(position)?)?;
        if header.view.is_none() {
            let expected = "vertices that are not compressed";
            return Err(Fault::new(ProblemCode::Extension, extension.place(), expected, DRACO));
        }
        let text = format!("{DRACO} is not read; the uncompressed vertices beside it are");
        let object = self.object.clone();
        self.problems.push(Severity::Info, ProblemCode::Extension, object, extension.place(), text);
        Ok(())
    }

    pub(crate) fn index(&self, at: Cursor<'_>) -> Result<u32, Fault> {
        at.index(self.accessors.count, "accessors")
    }

    /// What can be done without: a fault costs only this.
    fn optional<'c, T>(
        &mut self,
        at: Option<Cursor<'c>>,
        read: impl FnOnce(&mut Self, Cursor<'c>) -> Result<T, Fault>,
    ) -> Option<T> {
        match read(self, at?) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.warn_fault(fault, "left out");
                None
            }
        }
    }

    fn read_positions(&mut self, at: Cursor<'_>) -> Result<Vec<[f32; 3]>, Fault> {
        let positions = self.vectors(at, None)?;
        if positions.is_empty() {
            return Err(Fault::new(ProblemCode::Mesh, at.place(), "at least one vertex", "none"));
        }
        Ok(self.finite(positions, at))
    }

    /// Elements of a VEC3 accessor of any component type (`KHR_mesh_quantization`), `[vertex]`.
    fn vectors(&mut self, at: Cursor<'_>, count: Option<usize>) -> Result<Vec<[f32; 3]>, Fault> {
        let accessor = self.index(at)?;
        let header = self.accessors.header(accessor)?;
        let bad = |expected: String, found: String| {
            Fault::new(ProblemCode::Mesh, at.place(), expected, format!("{found} in accessor {accessor}"))
        };
        if header.shape != Shape::Vec3 || header.component == Component::U32 {
            let found = format!("{} of {:?}", header.shape.name(), header.component);
            return Err(bad("VEC3 of floats or of 8- or 16-bit integers".into(), found));
        }
        if let Some(count) = count.filter(|count| *count as u64 != header.count) {
            return Err(bad(format!("{count} elements, one a vertex"), header.count.to_string()));
        }
        let numbers = self.accessors.read_floats(accessor, self.problems)?;
        Ok(numbers.as_chunks::<3>().0.to_vec())
    }

    /// Puts zeros in the place of numbers that are not finite, and names the first.
    fn finite(&mut self, mut vectors: Vec<[f32; 3]>, at: Cursor<'_>) -> Vec<[f32; 3]> {
        let mut first = None;
        let mut count = 0;
        for (vertex, vector) in vectors.iter_mut().enumerate() {
            for (component, number) in vector.iter_mut().enumerate().filter(|(_, n)| !n.is_finite()) {
                first.get_or_insert((vertex, component, *number));
                count += 1;
                *number = 0.0;
            }
        }
        if let Some((vertex, component, number)) = first {
            let text = format!(
                "expected finite numbers, found {number} in component {component} of vertex {vertex}; \
                 {count} such numbers set to 0"
            );
            self.warn(ProblemCode::Mesh, at.place(), text);
        }
        vectors
    }

    fn read_targets(&mut self, count: usize) -> Result<Vec<MorphTarget>, Fault> {
        let Some(list) = self.primitive.list("targets")? else { return Ok(Vec::new()) };
        let targets = list.array()?.len() as u64;
        self.accessors.budget.charge(targets, size_of::<MorphTarget>(), || list.place())?;
        let mut out = Vec::with_capacity(targets as usize);
        let mut skipped: Option<(&str, Place)> = None;
        for target in list.elements() {
            let read = |this: &mut Self, at: Cursor<'_>| {
                this.vectors(at, Some(count)).map(|deltas| this.finite(deltas, at))
            };
            out.push(MorphTarget {
                positions: self.optional(target.get("POSITION"), read),
                normals: self.optional(target.get("NORMAL"), read),
            });
            let other = target.members().find(|(name, _)| !matches!(*name, "POSITION" | "NORMAL"));
            skipped = skipped.or(other.map(|(name, at)| (name, at.place())));
        }
        if let Some((name, place)) = skipped {
            let name = super::fault::short(name);
            let text = format!("only POSITION and NORMAL of morph targets are read, found {name}; left out");
            self.warn(ProblemCode::Mesh, place, text);
        }
        Ok(out)
    }

    /// Attributes that are passed on unread.
    fn read_carried(&mut self, attributes: Cursor<'_>, count: usize) -> Vec<CarriedAttribute> {
        let mut carried = Vec::new();
        for (name, at) in attributes.members() {
            let read_elsewhere = matches!(name, "POSITION" | "NORMAL")
                || name.starts_with("JOINTS_")
                || name.starts_with("WEIGHTS_");
            if read_elsewhere {
                continue;
            }
            let read = self.optional(Some(at), |this, at| {
                let accessor = this.index(at)?;
                let header = this.accessors.header(accessor)?;
                if header.count != count as u64 {
                    let expected = format!("{count} elements, one a vertex");
                    let found = format!("{} in accessor {accessor}", header.count);
                    return Err(Fault::new(ProblemCode::Mesh, at.place(), expected, found));
                }
                this.accessors.budget.charge(name.len() as u64 + 64, 1, || at.place())?;
                let (header, bytes) = this.accessors.read_raw(accessor, this.problems)?;
                Ok(CarriedAttribute {
                    name: name.to_owned(),
                    component_type: header.component.gltf(),
                    element_type: header.shape.name().to_owned(),
                    normalized: header.normalized,
                    bytes,
                })
            });
            carried.extend(read);
        }
        carried
    }
}
