//! Meshes of which the rest can be written.

use std::collections::BTreeMap;

use serde_json::Value;
use sinew::Primitive;

use super::WriteOptions;
use super::binary::Binary;
use super::leave_out::Report;
use super::mesh::{PrimitiveWriter, element_size, is_defined};
use crate::document::{CarriedAttribute, Document};
use crate::error::{Object, ProblemCode, Severity};

/// Puts right what can be, then leaves out primitives that are still refused and meshes without any.
pub(super) fn repair(document: &mut Document, report: &mut Report) {
    let materials = document.carried.top.get("materials").and_then(Value::as_array).map_or(0, Vec::len);
    for (index, mesh) in document.meshes.iter_mut().enumerate() {
        for (part, primitive) in mesh.primitives.iter_mut().enumerate() {
            let object =
                Object::Primitive { mesh: mesh.source, name: mesh.name.clone(), primitive: primitive.source };
            repair_primitive(primitive, materials, &object, report);
            if let Some(list) = document.carried.attributes.get_mut(&(index, part)) {
                repair_attributes(list, primitive.positions.len(), &object, report);
            }
        }
    }

    // Where each primitive goes.
    let mut moved: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    let mut kept: Vec<Option<usize>> = Vec::with_capacity(document.meshes.len());
    let mut next = 0;
    for (index, mesh) in document.meshes.iter().enumerate() {
        let mut parts = 0;
        let mut expected = None;
        for (part, primitive) in mesh.primitives.iter().enumerate() {
            let found = primitive.targets.len();
            let refused = match refusal(document, index, part, primitive) {
                None if *expected.get_or_insert(found) != found => {
                    Some(format!("{found} morph targets, those before it have others"))
                }
                refused => refused,
            };
            match refused {
                None => {
                    moved.insert((index, part), (next, parts));
                    parts += 1;
                }
                Some(text) => {
                    let (mesh, name) = (mesh.source, mesh.name.clone());
                    let object = Object::Primitive { mesh, name, primitive: primitive.source };
                    let text = format!("{text}; the primitive is left out");
                    report.say(Severity::Error, ProblemCode::Mesh, object, text);
                }
            }
        }
        kept.push((parts > 0).then_some(next));
        if parts > 0 {
            next += 1;
        } else {
            let object = Object::Mesh { index: mesh.source, name: mesh.name.clone() };
            report.say(Severity::Error, ProblemCode::Mesh, object, "no primitives; the mesh is left out");
        }
    }

    for (index, mesh) in document.meshes.iter_mut().enumerate() {
        let mut part = 0..;
        mesh.primitives.retain(|_| part.next().is_some_and(|part| moved.contains_key(&(index, part))));
    }
    document.meshes.retain(|mesh| !mesh.primitives.is_empty());
    let carried = &mut document.carried;
    let attributes = std::mem::take(&mut carried.attributes).into_iter();
    carried.attributes = attributes.filter_map(|(key, list)| Some((*moved.get(&key)?, list))).collect();
    let primitives = std::mem::take(&mut carried.primitives).into_iter();
    carried.primitives = primitives.filter_map(|(key, json)| Some((*moved.get(&key)?, json))).collect();
    let meshes = std::mem::take(&mut carried.meshes).into_iter();
    carried.meshes = meshes.filter_map(|(key, json)| Some(((*kept.get(key)?)?, json))).collect();
    document.instances.retain_mut(|instance| match kept[instance.mesh] {
        Some(mesh) => {
            instance.mesh = mesh;
            true
        }
        None => false,
    });
}

/// Why a primitive cannot be written.
fn refusal(document: &Document, mesh: usize, part: usize, primitive: &Primitive) -> Option<String> {
    let (options, mut binary) = (WriteOptions::default(), Binary::default());
    let binary = &mut binary;
    let mut writer = PrimitiveWriter { document, options: &options, binary, mesh, part, primitive };
    writer.write(&mut false).err().map(|error| error.to_string())
}

fn repair_primitive(primitive: &mut Primitive, materials: usize, object: &Object, report: &mut Report) {
    if let Some(material) = primitive.material.filter(|material| *material as usize >= materials) {
        let text = format!("material {material} of {materials}; it has none then");
        report.changed(ProblemCode::Index, object.clone(), text);
        primitive.material = None;
    }
    let mut turned = Tally::default();
    for (vertex, normal) in primitive.normals.iter_mut().flatten().enumerate() {
        if *normal == [0.0; 3] {
            turned.add(vertex);
            *normal = [0.0, 0.0, 1.0];
        }
    }
    turned.say("a normal of length 0", "normals point along +Z", object, report);
    if primitive.normals.is_none() {
        for (index, target) in primitive.targets.iter_mut().enumerate() {
            if target.normals.take().is_some() {
                let text =
                    format!("morph target {index} has normals, the primitive has none; they are left out");
                report.changed(ProblemCode::Mesh, object.clone(), text);
            }
        }
    }
    let Some(influences) = &mut primitive.influences else { return };
    let (mut bad, mut idle) = (Tally::default(), Tally::default());
    for (vertex, weights) in influences.weights.chunks_mut(influences.per_vertex.max(1)).enumerate() {
        for weight in weights.iter_mut().filter(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            bad.add(vertex);
            *weight = 0.0;
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            idle.add(vertex);
            weights[0] = 1.0;
        }
    }
    bad.say("a weight that is no number from 0", "weights are set to 0", object, report);
    idle.say("weights that add up to 0", "vertices get weight 1 on their first joint", object, report);
}

fn repair_attributes(
    list: &mut Vec<CarriedAttribute>,
    vertices: usize,
    object: &Object,
    report: &mut Report,
) {
    let size = |a: &CarriedAttribute| element_size(a.component_type, &a.element_type);
    let sound =
        |a: &CarriedAttribute| size(a).is_some_and(|size| a.bytes.len() == size.saturating_mul(vertices));
    if list.iter().all(|attribute| sound(attribute) && is_defined(attribute, list)) {
        return;
    }
    // By number, so that each finds the one before it among those that are kept.
    let number = |a: &CarriedAttribute| a.name.rsplit_once('_').and_then(|(_, n)| n.parse::<usize>().ok());
    list.sort_by_key(number);
    let mut kept = Vec::with_capacity(list.len());
    for attribute in list.drain(..) {
        if sound(&attribute) && is_defined(&attribute, &kept) {
            kept.push(attribute);
        } else {
            let CarriedAttribute { name, component_type, element_type, .. } = &attribute;
            let text = format!(
                "attribute {name} of {component_type} {element_type} is none that glTF has; left out"
            );
            report.changed(ProblemCode::Mesh, object.clone(), text);
        }
    }
    *list = kept;
}

/// How many vertices have something, and the first.
#[derive(Default)]
struct Tally {
    count: usize,
    first: usize,
}

impl Tally {
    fn add(&mut self, vertex: usize) {
        if self.count == 0 {
            self.first = vertex;
        }
        self.count += 1;
    }

    fn say(&self, found: &str, then: &str, object: &Object, report: &mut Report) {
        if self.count > 0 {
            let text = format!("{found} at vertex {}; {} such {then}", self.first, self.count);
            report.changed(ProblemCode::Influence, object.clone(), text);
        }
    }
}
