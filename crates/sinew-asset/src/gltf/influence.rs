//! Which joints pull a vertex: any number of `JOINTS_n` and `WEIGHTS_n` sets side by side.
//!
//! glTF 2.0 specification, section 3.7.3.3.

use std::collections::BTreeSet;

use sinew::Influences;

use super::accessor::{Component, Shape};
use super::fault::Fault;
use super::json::Cursor;
use super::mesh::PrimitiveReader;
use crate::error::{Place, ProblemCode, Severity};

/// Influences of one set on each vertex.
const PER_SET: usize = 4;

/// All sets of a primitive with `vertices` vertices. `joints` is how many the largest skin on it has.
pub(super) fn read_influences(
    reader: &mut PrimitiveReader<'_, '_>,
    attributes: Cursor<'_>,
    vertices: usize,
    joints: Option<usize>,
) -> Option<Influences> {
    let numbers: BTreeSet<u32> = attributes
        .members()
        .filter_map(|(name, _)| name.strip_prefix("JOINTS_").or_else(|| name.strip_prefix("WEIGHTS_")))
        .filter_map(|number| number.parse().ok())
        .collect();
    let mut sets = Vec::new();
    for number in numbers {
        match read_set(reader, attributes, number, vertices) {
            Ok(set) => sets.push(set),
            Err(fault) => {
                let text = format!("{}; set {number} of joints and weights is left out", fault.text());
                let object = reader.object.clone();
                reader.problems.push(Severity::Error, fault.code, object, fault.place, text);
            }
        }
    }
    if sets.is_empty() {
        return None;
    }
    let per_vertex = sets.len() * PER_SET;
    let place = || attributes.place();
    if let Err(fault) = reader.accessors.budget.charge((vertices * per_vertex) as u64, 6, place) {
        let text = format!("{}; joints and weights are left out", fault.text());
        let object = reader.object.clone();
        reader.problems.push(Severity::Error, fault.code, object, fault.place, text);
        return None;
    }
    Some(join(reader, &sets, vertices, joints, place()))
}

/// Joints and weights of one set, `[vertex][4]`.
struct Set {
    joints: Vec<u32>,
    weights: Vec<f32>,
}

fn read_set(
    reader: &mut PrimitiveReader<'_, '_>,
    attributes: Cursor<'_>,
    number: u32,
    vertices: usize,
) -> Result<Set, Fault> {
    let joints = attributes.need(&format!("JOINTS_{number}"), "joints beside the weights")?;
    let weights = attributes.need(&format!("WEIGHTS_{number}"), "weights beside the joints")?;
    let check = |at: Cursor<'_>, fits: fn(Component, bool) -> bool, expected: &str| {
        let accessor = reader.index(at)?;
        let header = reader.accessors.header(accessor)?;
        let bad = |expected: String, found: String| {
            Fault::new(
                ProblemCode::Influence,
                at.place(),
                expected,
                format!("{found} in accessor {accessor}"),
            )
        };
        if header.shape != Shape::Vec4 || !fits(header.component, header.normalized) {
            let normalized = if header.normalized { "normalised " } else { "" };
            let found = format!("{} of {normalized}{:?}", header.shape.name(), header.component);
            return Err(bad(format!("VEC4 of {expected}"), found));
        }
        if header.count != vertices as u64 {
            return Err(bad(format!("{vertices} elements, one a vertex"), header.count.to_string()));
        }
        Ok(accessor)
    };
    let whole = |c, _| matches!(c, Component::U8 | Component::U16 | Component::U32);
    let share = |c, n| c == Component::F32 || (n && matches!(c, Component::U8 | Component::U16));
    let joints = check(joints, whole, "unsigned integers")?;
    let weights = check(weights, share, "floats or normalised unsigned integers")?;
    Ok(Set {
        joints: reader.accessors.read_integers(joints, reader.problems)?,
        weights: reader.accessors.read_floats(weights, reader.problems)?,
    })
}

/// First offender of a kind and how many there were.
#[derive(Default)]
struct Tally {
    first: Option<(usize, String)>,
    count: usize,
}

impl Tally {
    fn add(&mut self, vertex: usize, found: impl ToString) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some((vertex, found.to_string()));
        }
    }
}

/// Puts the sets side by side; joints and weights that cannot be become weight 0 on joint 0.
fn join(
    reader: &mut PrimitiveReader<'_, '_>,
    sets: &[Set],
    vertices: usize,
    joints: Option<usize>,
    place: Place,
) -> Influences {
    let limit = joints.unwrap_or(usize::from(u16::MAX) + 1);
    let (mut bad_joints, mut idle_joints, mut bad_weights) =
        (Tally::default(), Tally::default(), Tally::default());
    let per_vertex = sets.len() * PER_SET;
    let mut out = Influences {
        per_vertex,
        joints: Vec::with_capacity(vertices * per_vertex),
        weights: Vec::with_capacity(vertices * per_vertex),
    };
    for vertex in 0..vertices {
        let slots = vertex * PER_SET..(vertex + 1) * PER_SET;
        for set in sets {
            for (joint, weight) in set.joints[slots.clone()].iter().zip(&set.weights[slots.clone()]) {
                let (mut joint, mut weight) = (*joint as usize, *weight);
                if !(weight.is_finite() && weight >= 0.0) {
                    bad_weights.add(vertex, weight);
                    weight = 0.0;
                }
                if joint >= limit {
                    let tally = if weight == 0.0 { &mut idle_joints } else { &mut bad_joints };
                    tally.add(vertex, joint);
                    (joint, weight) = (0, 0.0);
                }
                out.joints.push(joint as u16);
                out.weights.push(weight);
            }
        }
    }
    let mut report = |tally: Tally, severity, expected: &str, then: &str| {
        let Some((vertex, found)) = tally.first else { return };
        let text =
            format!("expected {expected}, found {found} at vertex {vertex}; {} such {then}", tally.count);
        reader.problems.push(severity, ProblemCode::Influence, reader.object.clone(), place.clone(), text);
    };
    let below = format!("joints below the {limit} of the skin");
    report(bad_joints, Severity::Warning, &below, "influences get weight 0");
    report(idle_joints, Severity::Info, &below, "joints of weight 0 set to joint 0");
    report(bad_weights, Severity::Warning, "weights from 0", "weights set to 0");
    out
}
