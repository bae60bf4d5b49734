//! Which joints are feet, and with which points they touch the ground.
//!
//! By name first, for names are what people mean; by shape where names say nothing: pairs of equal chains
//! that end near the floor.

use glam::DVec3;
use sinew::{Binding, JointId, SkinJob, WeightMode};
use sinew_asset::Document;

use crate::model::Model;
use crate::names::{self, Side};
use crate::pattern;
use crate::rules::FootSlideLimits;
use crate::shown::{MOST_OF_PART, Shown};

/// Words of joints that are feet.
pub(crate) const FOOT_WORDS: &str = "foot feet toe toes toebase ankle paw hoof tarsus heel ball";
/// Words of joints that steer feet and are none.
pub(crate) const HELPER_WORDS: &str = "ik fk ctrl control controller target pole roll helper hint effector \
    driver mch org twist socket";
/// Words of end joints that reach the floor and are no feet.
const OTHER_WORDS: &str = "tail head ear hair cape cloth skirt coat jaw tongue wing root weapon sword finger \
    thumb camera light";

/// One foot.
#[derive(Clone, Debug, PartialEq)]
pub struct Foot {
    /// The joint it hangs on: ankle or, where there is none, the end of the leg.
    pub joint: JointId,
    /// Points that may touch the ground, each rigid with a joint of the foot.
    pub contacts: Vec<Contact>,
    /// Whether the points are on the sole of a mesh; otherwise they are joints.
    pub on_sole: bool,
    /// How it was found.
    pub found_by: FoundBy,
}

/// How a foot was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// `sinew.toml` names it.
    Config,
    /// Its own name.
    Name,
    /// It ends a chain that reaches the floor, as another of the same shape does.
    Shape,
}

/// A point that may touch the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// What carries it.
    pub joint: JointId,
    /// Where, in that joint's space.
    pub offset_ls: DVec3,
}

/// Feet of a character, by joint.
pub(crate) fn find(document: &Document, shown: &Shown, model: &Model, limits: &FootSlideLimits) -> Vec<Foot> {
    let skeleton = &document.skeleton;
    let mut roots: Vec<(JointId, FoundBy)> = Vec::new();
    if limits.feet.is_empty() {
        let moved = moved(document);
        by_name(document, model, limits, &moved, &mut roots);
        by_shape(document, model, &moved, &mut roots);
    } else {
        for (id, joint) in skeleton.iter() {
            let name = joint.name.as_deref().unwrap_or("");
            if limits.feet.iter().any(|p| pattern::matches(p, name)) {
                roots.push((id, FoundBy::Config));
            }
        }
        keep_topmost(document, &mut roots);
    }
    roots.sort_unstable_by_key(|r| r.0);
    roots.dedup_by_key(|r| r.0);
    // Bounded, so that a file of ten thousand feet costs no more than a centipede.
    roots.truncate(64);
    contacts(document, shown, model, &roots)
}

fn by_name(
    document: &Document,
    model: &Model,
    limits: &FootSlideLimits,
    moved: &[bool],
    roots: &mut Vec<(JointId, FoundBy)>,
) {
    let skeleton = &document.skeleton;
    let is_helper = |words: &[String]| words.iter().any(|w| limits.helper_words.contains(w));
    let visible = |id: JointId| model.visible[id.index()];
    let mut legs: Vec<JointId> = Vec::new();
    for (id, joint) in skeleton.iter().filter(|(id, _)| visible(*id)) {
        let name = joint.name.as_deref().unwrap_or("");
        let words = names::words(name);
        if is_helper(&words) {
            continue;
        }
        let foot = words.iter().any(|w| limits.foot_words.contains(w));
        // A ball may be a toy and a heel a shoe's; with a side they are parts of a foot.
        let loose = words.iter().any(|w| w == "ball" || w == "heel") && names::side(name).is_none();
        // A mesh node of the same name below the joint is the foot's skin, not a second foot.
        if foot && !loose && moved[id.index()] {
            roots.push((id, FoundBy::Name));
        } else if words.iter().any(|w| w == "leg" || w == "legs") {
            legs.push(id);
        }
    }
    keep_topmost(document, roots);
    if !roots.is_empty() {
        return;
    }
    // No joint is called a foot: the ends of what is called a leg will do.
    let above_leg = above(document, &legs);
    for &leg in &legs {
        let child_leg = above_leg[leg.index()];
        let low = model.position_ms(leg).y < model.floor_m + 0.35 * model.size_m;
        if !child_leg && low && moved[leg.index()] {
            roots.push((leg, FoundBy::Name));
        }
    }
}

/// Whether any clip moves the joint or one above it; all of them where there are no clips. `[joint]`
fn moved(document: &Document) -> Vec<bool> {
    let mut moved = vec![document.clips.is_empty(); document.skeleton.len()];
    let channels = document.clips.iter().flat_map(|c| &c.channels);
    channels.for_each(|c| moved[c.joint.index()] = true);
    for (id, joint) in document.skeleton.iter() {
        moved[id.index()] |= joint.parent.is_some_and(|p| moved[p.index()]);
    }
    moved
}

/// Whether one of the joints is below, `[joint]`.
fn above(document: &Document, joints: &[JointId]) -> Vec<bool> {
    let mut has = vec![false; document.skeleton.len()];
    let mut is = has.clone();
    joints.iter().for_each(|j| is[j.index()] = true);
    for (id, joint) in document.skeleton.iter().collect::<Vec<_>>().into_iter().rev() {
        if let Some(parent) = joint.parent {
            has[parent.index()] |= has[id.index()] || is[id.index()];
        }
    }
    has
}

/// Whether one of the joints is above, `[joint]`.
fn below(document: &Document, joints: &[JointId]) -> Vec<bool> {
    let mut has = vec![false; document.skeleton.len()];
    let mut is = has.clone();
    joints.iter().for_each(|j| is[j.index()] = true);
    for (id, joint) in document.skeleton.iter() {
        has[id.index()] = joint.parent.is_some_and(|p| has[p.index()] || is[p.index()]);
    }
    has
}

/// Drops joints below another of the list.
fn keep_topmost(document: &Document, roots: &mut Vec<(JointId, FoundBy)>) {
    let all: Vec<JointId> = roots.iter().map(|r| r.0).collect();
    let below = below(document, &all);
    roots.retain(|r| !below[r.0.index()]);
}

/// End joints that are compared with each other at most.
const MOST_ENDS: usize = 256;
/// Joints of one chain that are walked at most.
const LONGEST_CHAIN: usize = 64;

/// An end joint near the floor.
struct End {
    joint: JointId,
    at: DVec3,
    /// Length of the chain of joints without branches that it ends, metres.
    chain_m: f64,
    front: bool,
}

fn by_shape(document: &Document, model: &Model, moved: &[bool], roots: &mut Vec<(JointId, FoundBy)>) {
    let skeleton = &document.skeleton;
    let named = !roots.is_empty();
    let other: Vec<&str> = OTHER_WORDS.split_whitespace().chain(HELPER_WORDS.split_whitespace()).collect();
    let feet: Vec<JointId> = roots.iter().map(|r| r.0).collect();
    let (above, below) = (above(document, &feet), below(document, &feet));
    let mut ends: Vec<End> = Vec::new();
    for (id, joint) in skeleton.iter() {
        let at = model.position_ms(id);
        let low = at.y < model.floor_m + 0.12 * model.size_m;
        let is_end = model.children[id.index()].is_empty();
        if !is_end || !low || !model.visible[id.index()] || joint.parent.is_none() {
            continue;
        }
        let (mut chain_m, mut length, mut front, mut bad) = (0.0, 0, false, false);
        let mut walk = id;
        loop {
            let words = names::words(skeleton.joint(walk).name.as_deref().unwrap_or(""));
            bad |= words.iter().any(|w| other.contains(&w.as_str()));
            front |= words.iter().any(|w| matches!(w.as_str(), "hand" | "front" | "fore" | "arm"));
            let Some(parent) = skeleton.joint(walk).parent else { break };
            chain_m += (model.position_ms(walk) - model.position_ms(parent)).length();
            length += 1;
            if model.children[parent.index()].len() != 1 || length == LONGEST_CHAIN {
                break;
            }
            walk = parent;
        }
        let taken = above[id.index()] || below[id.index()] || feet.contains(&id);
        if length >= 2 && chain_m > 0.15 * model.size_m && !bad && !taken && moved[id.index()] {
            if ends.len() == MOST_ENDS {
                break;
            }
            ends.push(End { joint: id, at, chain_m, front });
        }
    }
    for end in &ends {
        // Where feet have names, only the front feet of an animal, named after hands, are still missing.
        if named && !end.front {
            continue;
        }
        let twin = ends.iter().any(|o| {
            let apart = (o.at - end.at) * DVec3::new(1.0, 0.0, 1.0);
            o.joint != end.joint
                && (o.chain_m - end.chain_m).abs() < 0.05 * end.chain_m
                && (o.at.y - end.at.y).abs() < 0.03 * model.size_m
                && apart.length() > 0.03 * model.size_m
        });
        if twin {
            roots.push((foot_of(document, model, end.joint), FoundBy::Shape));
        }
    }
}

/// The ankle above a toe: the parent, where it is low and close.
fn foot_of(document: &Document, model: &Model, end: JointId) -> JointId {
    let Some(parent) = document.skeleton.joint(end).parent else { return end };
    let (at, above) = (model.position_ms(end), model.position_ms(parent));
    let low = above.y < model.floor_m + 0.12 * model.size_m;
    let close = (above - at).length() < 0.15 * model.size_m;
    if low && close && model.children[parent.index()].len() == 1 { parent } else { end }
}

/// A vertex of a foot at rest.
struct SolePoint {
    at: DVec3,
    joint: JointId,
}

/// The points of each foot that may touch the ground.
fn contacts(document: &Document, shown: &Shown, model: &Model, roots: &[(JointId, FoundBy)]) -> Vec<Foot> {
    let skeleton = &document.skeleton;
    // Which foot a joint belongs to.
    let mut foot_of = vec![None; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        let own = roots.iter().position(|r| r.0 == id);
        foot_of[id.index()] = own.or_else(|| joint.parent.and_then(|p| foot_of[p.index()]));
    }
    let vertices = foot_vertices(document, shown, model, &foot_of, roots.len());
    let mut feet = Vec::new();
    for (number, &(joint, found_by)) in roots.iter().enumerate() {
        let points = sole(model, &vertices[number]);
        let (contacts, on_sole) = if points.is_empty() {
            let mut joints: Vec<JointId> =
                skeleton.iter().map(|(id, _)| id).filter(|id| foot_of[id.index()] == Some(number)).collect();
            joints.truncate(8);
            let points = joints.into_iter().map(|joint| Contact { joint, offset_ls: DVec3::ZERO });
            (points.collect(), false)
        } else {
            (points, true)
        };
        feet.push(Foot { joint, contacts, on_sole, found_by });
    }
    feet
}

/// Vertices of each foot at rest, model space, with the joint that pulls each most.
fn foot_vertices(
    document: &Document,
    shown: &Shown,
    model: &Model,
    foot_of: &[Option<usize>],
    feet: usize,
) -> Vec<Vec<SolePoint>> {
    let mut vertices: Vec<Vec<SolePoint>> = Vec::new();
    vertices.resize_with(feet, Vec::new);
    let mut take = |job: SkinJob<'_>, joint_of: &dyn Fn(usize) -> Option<JointId>| {
        for vertex in (0..job.primitive.positions.len()).step_by(shown.step(job.primitive, MOST_OF_PART)) {
            let Some(joint) = joint_of(vertex) else { continue };
            let Some(foot) = foot_of[joint.index()] else { continue };
            if let Ok(at) = job.vertex(vertex)
                && at.is_finite()
            {
                vertices[foot].push(SolePoint { at, joint });
            }
        }
    };
    let (morph_weights, weights): (&[f64], _) = (&[], WeightMode::Normalised);
    for &(mesh, joint) in shown.rigid.iter().filter(|(_, joint)| foot_of[joint.index()].is_some()) {
        let binding = Binding::Rigid(&model.rest_ms[joint.index()]);
        for primitive in &document.meshes[mesh].primitives {
            take(SkinJob { primitive, morph_weights, binding, weights }, &|_| Some(joint));
        }
    }
    let (mut palette, mut palette_of, mut has_foot) = (Vec::new(), None, false);
    for &(number, mesh) in &shown.skinned {
        let skin = &document.skins[number];
        if palette_of != Some(number) {
            palette_of = Some(number);
            has_foot = skin.joints.iter().any(|j| foot_of[j.index()].is_some());
            if has_foot {
                skin.palette(&model.rest_ms, &mut palette);
            }
        }
        if !has_foot {
            continue;
        }
        for primitive in &document.meshes[mesh].primitives {
            let Some(influences) = &primitive.influences else { continue };
            let binding = Binding::Skinned(&palette);
            take(SkinJob { primitive, morph_weights, binding, weights }, &|vertex| {
                let mut most = influences.of(vertex).filter(|(_, weight)| *weight > 0.5);
                most.find_map(|(j, _)| skin.joints.get(usize::from(j)).copied())
            });
        }
    }
    vertices
}

/// Corners of the sole: for each joint, the lowest vertices furthest out along the diagonals.
fn sole(model: &Model, vertices: &[SolePoint]) -> Vec<Contact> {
    let lowest = vertices.iter().map(|v| v.at.y).fold(f64::INFINITY, f64::min);
    let highest = vertices.iter().map(|v| v.at.y).fold(f64::NEG_INFINITY, f64::max);
    let slab = lowest + (0.01 * model.size_m).max(0.15 * (highest - lowest));
    let low: Vec<&SolePoint> = vertices.iter().filter(|v| v.at.y <= slab).collect();
    let mut joints: Vec<JointId> = low.iter().map(|v| v.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    joints.truncate(4);
    let mut contacts: Vec<Contact> = Vec::new();
    for joint in joints {
        let inverse = model.rest_ms[joint.index()].inverse();
        for (x, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)] {
            let out = |v: &SolePoint| v.at.x * x + v.at.z * z;
            let of_joint = low.iter().filter(|v| v.joint == joint);
            let furthest = of_joint.fold(None, |best: Option<&SolePoint>, v| match best {
                Some(b) if out(b) >= out(v) => Some(b),
                _ => Some(v),
            });
            let Some(point) = furthest else { continue };
            let contact = Contact { joint, offset_ls: inverse.transform_point3(point.at) };
            if contact.offset_ls.is_finite() && !contacts.contains(&contact) {
                contacts.push(contact);
            }
        }
    }
    contacts
}

/// Which foot of a character, for people.
pub(crate) fn side_text(name: &str) -> &'static str {
    match names::side(name) {
        Some(Side::Left) => "left foot",
        Some(Side::Right) => "right foot",
        None => "foot",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::MOST_VERTICES;
    use sinew::{Influences, Joint, Mesh, Primitive, Skeleton, Skin};
    use sinew_asset::MeshInstance;

    /// One mesh on one foot, shown by many nodes below that foot.
    fn points(instances: usize, vertices: usize, skinned: bool) -> usize {
        let rest = sinew::DTransform::IDENTITY;
        let mut joints = vec![Joint::new("Foot", None, rest)];
        let shoe = |k| Joint { node: k as u32 + 1, ..Joint::new("Shoe", Some(JointId(0)), rest) };
        joints.extend((0..instances).map(shoe));
        let influences =
            Influences { per_vertex: 1, joints: vec![0; vertices], weights: vec![1.0; vertices] };
        let positions = (0..vertices).map(|k| [k as f32, 0.0, 0.0]).collect();
        let primitive = Primitive { positions, influences: Some(influences), ..Primitive::default() };
        let skin = skinned.then_some(0);
        let instance = |k| MeshInstance { joint: JointId(k as u32 + 1), mesh: 0, skin };
        let document = Document {
            skeleton: Skeleton::new(joints, Vec::new()).unwrap(),
            meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
            skins: vec![Skin { joints: vec![JointId(0)], ..Skin::default() }],
            instances: (0..instances).map(instance).collect(),
            ..Document::default()
        };
        let shown = Shown::new(&document);
        let model = Model::new(&document, &shown);
        let foot_of = vec![Some(0); instances + 1];
        foot_vertices(&document, &shown, &model, &foot_of, 1)[0].len()
    }

    #[test]
    fn a_mesh_that_thousands_of_nodes_show_is_kept_once() {
        assert_eq!(points(4000, 500, true), 500);
    }

    #[test]
    fn rigid_copies_of_a_shoe_stay_bounded() {
        assert_eq!(points(3, 500, false), 1500);
        assert_eq!(points(4000, 500, false), MOST_VERTICES);
    }
}
