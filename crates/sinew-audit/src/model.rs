//! What the rules need to know about a character at rest: how large it is, what is seen of it, what hangs
//! on which joint.

use glam::{DMat4, DVec3};
use sinew::{Binding, JointFlags, JointId, RawPose, SkinJob, WeightMode, model_matrices};
use sinew_asset::{Document, MeshInstance};

/// Height that limits are given for, metres.
pub(crate) const PERSON_M: f64 = 1.8;

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
    pub(crate) fn new(document: &Document) -> Self {
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
        for instance in &document.instances {
            let counts = instance.skin.is_some() || character[instance.joint.index()];
            this.take_instance(document, instance, &rest, counts, &mut box_ms);
        }
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

    /// Vertices of a mesh: which joints they hang on, how far out they are.
    fn take_instance(
        &mut self,
        document: &Document,
        instance: &MeshInstance,
        rest: &RawPose,
        counts: bool,
        box_ms: &mut Box3,
    ) {
        let Some(mesh) = document.meshes.get(instance.mesh) else { return };
        let Some(at) = self.rest_ms.get(instance.joint.index()).copied() else { return };
        let skin = instance.skin.and_then(|s| document.skins.get(s));
        let mut palette = Vec::new();
        if let Some(skin) = skin {
            skin.palette(&self.rest_ms, &mut palette);
        }
        let weights = document.skeleton.joint(instance.joint).weights.clone();
        for primitive in &mesh.primitives {
            let binding = if skin.is_some() { Binding::Skinned(&palette) } else { Binding::Rigid(&at) };
            let morph_weights = &rest.weights[weights.clone()];
            let job = SkinJob { primitive, morph_weights, binding, weights: WeightMode::Normalised };
            let step = primitive.positions.len().div_ceil(SIZE_VERTICES).max(1);
            for vertex in (0..primitive.positions.len()).step_by(step) {
                let Ok(p) = job.vertex(vertex) else { continue };
                if !p.is_finite() {
                    continue;
                }
                if counts {
                    box_ms.add(p);
                }
                if skin.is_none() {
                    self.stretch(instance.joint, p);
                }
            }
            let (Some(skin), Some(influences)) = (skin, &primitive.influences) else { continue };
            for vertex in 0..primitive.positions.len() {
                for (joint, weight) in influences.of(vertex) {
                    let Some(&joint) = skin.joints.get(usize::from(joint)).filter(|_| weight > 0.0) else {
                        continue;
                    };
                    self.pulls[joint.index()] = true;
                    if vertex % step == 0
                        && let Ok(p) = job.vertex(vertex)
                    {
                        self.stretch(joint, p);
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
        person * self.size_m / PERSON_M
    }
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
