//! What the rules need to know about a character at rest: how large it is, what is seen of it, what hangs
//! on which joint.

use glam::{DMat4, DVec3};
use sinew::locomotion::PERSON_HEIGHT;
use sinew::{Binding, JointFlags, JointId, Primitive, RawPose, SkinJob, WeightMode, model_matrices};
use sinew_asset::Document;

use crate::shown::Shown;

/// Vertices of one mesh that are looked at to tell the size; more are taken at even steps.
const SIZE_VERTICES: usize = 20_000;

/// Facts about a character at rest.
pub(crate) struct Model {
    /// Model matrices at rest, `[joint]`.
    pub(crate) rest_ms: Vec<DMat4>,
    /// `[joint]`
    pub(crate) children: Vec<Vec<JointId>>,
    /// Whether the joint pulls a vertex, `[joint]`.
    pub(crate) pulls: Vec<bool>,
    /// Whether anything that is seen moves with the joint, `[joint]`. Without meshes the joints themselves are
    /// what is seen.
    pub(crate) visible: Vec<bool>,
    /// Upper bound of the distance from a joint to what moves with it, metres, `[joint]`.
    pub(crate) reach_m: Vec<f64>,
    /// Height at rest, metres.
    pub(crate) height_m: f64,
    /// The larger of the height and half the longest side; metres.
    pub(crate) size_m: f64,
    /// Whether the document shows any mesh.
    pub(crate) has_meshes: bool,
    /// Lowest point at rest, metres.
    pub(crate) floor_m: f64,
}

impl Model {
    pub(crate) fn new(document: &Document, shown: &Shown) -> Self {
        let skeleton = &document.skeleton;
        let rest = RawPose::rest(skeleton);
        let mut rest_ms = Vec::new();
        model_matrices(skeleton, &rest, &mut rest_ms);
        let count = skeleton.len();
        let mut this = Self {
            rest_ms,
            children: skeleton.children(),
            pulls: vec![false; count],
            visible: vec![false; count],
            reach_m: vec![0.0; count],
            height_m: 0.0,
            size_m: 0.0,
            has_meshes: !document.instances.is_empty(),
            floor_m: 0.0,
        };
        let character = of_character(document);
        let mut box_ms = Box3::default();
        this.take_rigid(document, shown, &character, &mut box_ms);
        this.take_skinned(document, shown, &mut box_ms);
        if !box_ms.is_usable() {
            box_ms = Box3::default();
            for (i, joint) in skeleton.joints().iter().enumerate() {
                if character[i] && !joint.flags.contains(JointFlags::VIEW) {
                    box_ms.add(this.rest_ms[i].w_axis.truncate());
                }
            }
        }
        this.measure(&box_ms);
        this.look(document, &character);
        this
    }

    /// Meshes that a node carries: how far out they are.
    fn take_rigid(&mut self, document: &Document, shown: &Shown, character: &[bool], box_ms: &mut Box3) {
        let rest = RawPose::rest(&document.skeleton);
        for &(mesh, joint) in &shown.rigid {
            let Some(at) = self.rest_ms.get(joint.index()).copied() else { continue };
            let morph_weights = &rest.weights[document.skeleton.joint(joint).weights.clone()];
            for primitive in &document.meshes[mesh].primitives {
                let binding = Binding::Rigid(&at);
                let job = SkinJob { primitive, morph_weights, binding, weights: WeightMode::Normalised };
                for vertex in (0..primitive.positions.len()).step_by(shown.step(primitive, SIZE_VERTICES)) {
                    let Some(p) = job.vertex(vertex).ok().filter(|p| p.is_finite()) else { continue };
                    if character[joint.index()] {
                        box_ms.add(p);
                    }
                    self.stretch(joint, p);
                }
            }
        }
    }

    /// Meshes with skins, each pair once: which joints their vertices hang on, how far out they are.
    fn take_skinned(&mut self, document: &Document, shown: &Shown, box_ms: &mut Box3) {
        let mut rest_weights: Vec<Option<&[f64]>> = vec![None; document.meshes.len()];
        let rest = RawPose::rest(&document.skeleton);
        for instance in document.instances.iter().filter(|i| i.skin.is_some()) {
            if let Some(weights) = rest_weights.get_mut(instance.mesh).filter(|w| w.is_none()) {
                *weights = Some(&rest.weights[document.skeleton.joint(instance.joint).weights.clone()]);
            }
        }
        let mut pulling: Vec<Option<Vec<u16>>> = vec![None; document.meshes.len()];
        let (mut palette, mut palette_of) = (Vec::new(), None);
        for &(number, mesh) in &shown.skinned {
            let skin = &document.skins[number];
            if palette_of != Some(number) {
                skin.palette(&self.rest_ms, &mut palette);
                palette_of = Some(number);
            }
            let primitives = &document.meshes[mesh].primitives;
            for &joint in pulling[mesh].get_or_insert_with(|| joints_that_pull(primitives)).iter() {
                let Some(joint) = skin.joints.get(usize::from(joint)) else { break };
                self.pulls[joint.index()] = true;
            }
            for primitive in primitives {
                let (morph_weights, binding) =
                    (rest_weights[mesh].unwrap_or(&[]), Binding::Skinned(&palette));
                let job = SkinJob { primitive, morph_weights, binding, weights: WeightMode::Normalised };
                for vertex in (0..primitive.positions.len()).step_by(shown.step(primitive, SIZE_VERTICES)) {
                    let Some(p) = job.vertex(vertex).ok().filter(|p| p.is_finite()) else { continue };
                    box_ms.add(p);
                    let influences = primitive.influences.iter().flat_map(|i| i.of(vertex));
                    for (joint, _) in influences.filter(|(_, weight)| *weight > 0.0) {
                        if let Some(&joint) = skin.joints.get(usize::from(joint)) {
                            self.stretch(joint, p);
                        }
                    }
                }
            }
        }
    }

    fn stretch(&mut self, joint: JointId, point_ms: DVec3) {
        let far = (point_ms - self.rest_ms[joint.index()].w_axis.truncate()).length();
        if far.is_finite() {
            let reach = &mut self.reach_m[joint.index()];
            *reach = reach.max(far);
        }
    }

    fn measure(&mut self, box_ms: &Box3) {
        if box_ms.is_usable() {
            let extent = box_ms.most - box_ms.least;
            self.height_m = extent.y;
            self.size_m = extent.y.max(extent.max_element() / 2.0);
            self.floor_m = box_ms.least.y;
        }
        if self.size_m <= 0.0 {
            // A single joint, or all of them in one place: there is nothing to scale with.
            self.size_m = 1.0;
        }
    }

    /// From the leaves up: what is seen, and how far out.
    fn look(&mut self, document: &Document, character: &[bool]) {
        let skeleton = &document.skeleton;
        for instance in &document.instances {
            if instance.skin.is_none() {
                self.visible[instance.joint.index()] = true;
            }
        }
        for (i, seen) in self.visible.iter_mut().enumerate() {
            *seen |= self.pulls[i] || (!self.has_meshes && character[i]);
        }
        for (id, joint) in skeleton.iter().collect::<Vec<_>>().into_iter().rev() {
            let Some(parent) = joint.parent else { continue };
            self.visible[parent.index()] |= self.visible[id.index()];
            let bone = self.position_ms(id) - self.position_ms(parent);
            let reach = bone.length() + self.reach_m[id.index()];
            if reach.is_finite() {
                self.reach_m[parent.index()] = self.reach_m[parent.index()].max(reach);
            }
        }
    }

    /// Position of a joint at rest, model space.
    pub(crate) fn position_ms(&self, joint: JointId) -> DVec3 {
        self.rest_ms[joint.index()].w_axis.truncate()
    }

    /// A length given for a person of 1.8 m, for a character of this size.
    pub(crate) fn scaled(&self, person: f64) -> f64 {
        person * self.size_m / PERSON_HEIGHT
    }
}

/// Positions in a skin's list that any vertex hangs on, increasing.
fn joints_that_pull(primitives: &[Primitive]) -> Vec<u16> {
    let mut pull = vec![false; usize::from(u16::MAX) + 1];
    for primitive in primitives {
        let Some(influences) = &primitive.influences else { continue };
        let pairs = influences.joints.iter().zip(&influences.weights).filter(|(_, weight)| **weight > 0.0);
        pairs.for_each(|(joint, _)| pull[usize::from(*joint)] = true);
    }
    (0..=u16::MAX).filter(|joint| pull[usize::from(*joint)]).collect()
}

/// Whether a joint is of the character: named by a skin or below a joint that is; without skins in one tree
/// with a joint that a clip moves; every joint where there is neither. `[joint]`
fn of_character(document: &Document) -> Vec<bool> {
    let skeleton = &document.skeleton;
    let mut of = vec![false; skeleton.len()];
    let skins = document.skins.iter().flat_map(|s| s.joints.iter().copied());
    skins.for_each(|j| of[j.index()] = true);
    if !of.contains(&true) {
        let channels = document.clips.iter().flat_map(|c| &c.channels);
        channels.for_each(|c| of[c.joint.index()] = true);
        // Up to the root of the tree; the way back down is below.
        for (id, joint) in skeleton.iter().collect::<Vec<_>>().into_iter().rev() {
            if let Some(parent) = joint.parent {
                of[parent.index()] |= of[id.index()];
            }
        }
    }
    if !of.contains(&true) {
        return vec![true; skeleton.len()];
    }
    for (id, joint) in skeleton.iter() {
        of[id.index()] |= joint.parent.is_some_and(|p| of[p.index()]);
    }
    of
}

/// Smallest and largest coordinates.
struct Box3 {
    least: DVec3,
    most: DVec3,
}

impl Default for Box3 {
    fn default() -> Self {
        Self { least: DVec3::INFINITY, most: DVec3::NEG_INFINITY }
    }
}

impl Box3 {
    fn add(&mut self, p: DVec3) {
        if p.is_finite() {
            self.least = self.least.min(p);
            self.most = self.most.max(p);
        }
    }

    fn is_usable(&self) -> bool {
        self.most.x >= self.least.x && (self.most - self.least).max_element() > 0.0
    }
}

/// Names from the root down to a joint, parted by `/`; only the last ones of a deep hierarchy.
pub(crate) fn path(skeleton: &sinew::Skeleton, joint: JointId) -> String {
    let mut names = Vec::new();
    let mut at = Some(joint);
    while let Some(id) = at {
        if names.len() == 16 {
            names.push("...".to_owned());
            break;
        }
        names.push(skeleton.label(id));
        at = skeleton.joint(id).parent;
    }
    names.reverse();
    names.join("/")
}
