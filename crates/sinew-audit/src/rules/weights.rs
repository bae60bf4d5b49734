//! `SINEW_WEIGHTS`: skin weights that engines treat differently.

use glam::{DMat4, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew::{Influences, Mesh, Primitive, RawPose, Skin, model_matrices};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::wording::{counted, either};
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::Weights,
    severity: Severity::Warning,
    title: "weights that do not add up to one, are all zero, or number more than four",
    reason: "Some engines divide weights by their sum, some use them as stored and shrink the mesh towards \
             the origin. Many read four influences and drop the rest. A vertex without weights goes to the \
             origin or stays behind.",
    method: "Every vertex of a skinned mesh. The effect is measured on the skinned mesh, over the rest pose \
             and poses of all clips: as stored against normalised; all influences against the four largest, \
             normalised. Info while the effect stays below the limit.",
    example: "warning SINEW_WEIGHTS 212 of 3512 vertices of mesh 'Body' have more than 4 influences (most 6); \
              up to 3.1 mm apart where only the four largest are used, worst at vertex 77",
    fix: "Normalise the weights and limit them to four a vertex in the authoring tool, where you can see what \
          it does to the shape.",
    section: Some("weights"),
    check_file: Some(check),
    check_clip: None,
};

/// Bounds on skin weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WeightsLimits {
    /// Largest difference of a vertex's sum of weights from one.
    #[schemars(extend("unit" = ""))]
    pub sum: f64,
    /// Influences a vertex that every engine reads.
    #[schemars(extend("unit" = ""))]
    pub influences: usize,
    /// Effect from which on it is a warning, for a person of 1.8 m.
    #[schemars(extend("unit" = "mm"))]
    pub effect_mm: f64,
}

impl Default for WeightsLimits {
    fn default() -> Self {
        Self { sum: 1e-3, influences: 4, effect_mm: 1.0 }
    }
}

/// Poses the effect is measured in, all clips together.
const POSES: usize = 24;
/// Matrices of those poses at most.
const MATRICES: usize = 400_000;
/// Vertices of one primitive the effect is measured on; more are taken at even steps.
const VERTICES: usize = 2048;
/// Vertices the effect is measured on in the whole file.
const ALL_VERTICES: usize = 256 * VERTICES;

fn check(context: &Context<'_>, out: &mut Collector<'_>) {
    let (document, shown) = (context.document, &context.shown);
    let faults_of = |mesh: usize| -> Vec<Faults> {
        let faults = |p: &Primitive| {
            let of = |i| Faults::of(i, p.positions.len(), &context.limits.weights);
            p.influences.as_ref().map(of).unwrap_or_default()
        };
        document.meshes[mesh].primitives.iter().map(faults).collect()
    };
    // What is wrong with a mesh does not hang on who shows it, nor the palettes of a skin on what it moves.
    let mut faults: Vec<Option<Vec<Faults>>> = Vec::new();
    faults.resize_with(document.meshes.len(), || None);
    for &(_, mesh) in &shown.skinned {
        faults[mesh].get_or_insert_with(|| faults_of(mesh));
    }
    let faults_at = |mesh: usize| faults[mesh].iter().flatten().enumerate().filter(|(_, f)| !f.is_empty());
    let parts: usize = shown.skinned.iter().map(|(_, mesh)| faults_at(*mesh).count()).sum();
    if parts == 0 {
        return;
    }
    let vertices = (ALL_VERTICES / parts).clamp(1, VERTICES);
    if vertices < VERTICES {
        let message = format!(
            "{parts} parts of skinned meshes have faulty weights: their effect is measured on at most \
             {} of each",
            counted(vertices, "vertex", "vertices")
        );
        let finding = Finding::new(Code::Weights, Severity::Info, message, RULE.fix);
        out.push(finding.measured(parts as f64, (ALL_VERTICES / VERTICES) as f64, ""));
    }
    let poses = sample_poses(context);
    let (mut palettes, mut palettes_of) = (vec![Vec::new(); poses.len()], None);
    for &(number, mesh) in &shown.skinned {
        let skin = &document.skins[number];
        for (part, faults) in faults_at(mesh) {
            if palettes_of != Some(number) {
                poses
                    .iter()
                    .zip(&mut palettes)
                    .for_each(|(model_ms, palette)| skin.palette(model_ms, palette));
                palettes_of = Some(number);
            }
            let (mesh, palettes) = (&document.meshes[mesh], palettes.as_slice());
            let primitive = &mesh.primitives[part];
            let Some(influences) = &primitive.influences else { continue };
            Report { context, mesh, skin, primitive, influences, palettes, vertices }.push(faults, out);
        }
    }
}

/// Poses spread over the rest pose and all clips, model space `[pose][joint]`.
fn sample_poses(context: &Context<'_>) -> Vec<Vec<DMat4>> {
    let (skeleton, clips) = (context.skeleton(), &context.document.clips);
    let mut poses = vec![context.model.rest_ms.clone()];
    // Fewer for large hierarchies, so that memory stays bounded.
    let most = (MATRICES / skeleton.len().max(1)).clamp(1, POSES);
    let each = (most / clips.len().max(1)).max(1);
    let step = clips.len().div_ceil(most).max(1);
    let mut pose = RawPose::default();
    for clip in clips.iter().step_by(step) {
        for i in 0..each {
            let time = clip.duration() * (i as f64 + 0.5) / each as f64;
            clip.sample(skeleton, time, &mut pose);
            let mut model_ms = Vec::new();
            model_matrices(skeleton, &pose, &mut model_ms);
            poses.push(model_ms);
        }
    }
    poses
}

/// Vertices that break a rule.
#[derive(Default)]
struct Faults {
    zero: Vec<usize>,
    uneven: Vec<usize>,
    /// Sum furthest from one, and its vertex.
    worst_sum: (f64, usize),
    many: Vec<usize>,
    /// Most influences, and the vertex.
    most: (usize, usize),
}

impl Faults {
    fn of(influences: &Influences, vertices: usize, limits: &WeightsLimits) -> Self {
        let mut faults = Self { worst_sum: (1.0, 0), ..Self::default() };
        if influences.per_vertex == 0 {
            return faults;
        }
        for vertex in 0..vertices.min(influences.weights.len() / influences.per_vertex) {
            let (mut sum, mut count) = (0.0_f64, 0);
            for (_, weight) in influences.of(vertex) {
                sum += f64::from(weight);
                count += usize::from(weight != 0.0);
            }
            if sum == 0.0 {
                faults.zero.push(vertex);
            } else if (sum - 1.0).abs() > limits.sum {
                faults.uneven.push(vertex);
                if (sum - 1.0).abs() > (faults.worst_sum.0 - 1.0).abs() {
                    faults.worst_sum = (sum, vertex);
                }
            }
            if count > limits.influences {
                faults.many.push(vertex);
                if count > faults.most.0 {
                    faults.most = (count, vertex);
                }
            }
        }
        faults
    }

    fn is_empty(&self) -> bool {
        self.zero.is_empty() && self.uneven.is_empty() && self.many.is_empty()
    }
}

/// How the influences of a vertex are read.
#[derive(Clone, Copy)]
enum Reading {
    AsStored,
    Normalised,
    Largest(usize),
}

struct Report<'a> {
    context: &'a Context<'a>,
    mesh: &'a Mesh,
    skin: &'a Skin,
    primitive: &'a Primitive,
    influences: &'a Influences,
    palettes: &'a [Vec<DMat4>],
    /// Vertices the effect is measured on at most.
    vertices: usize,
}

impl Report<'_> {
    fn push(&self, faults: &Faults, out: &mut Collector<'_>) {
        let limits = &self.context.limits.weights;
        let all = self.primitive.positions.len();
        let label = self.label();
        if let Some(&vertex) = faults.zero.first() {
            let message = format!(
                "{} of {all} vertices of mesh '{label}' {} no weight at all, the first is vertex {vertex}; \
                 without weight a vertex goes to the origin or stays behind",
                faults.zero.len(),
                either(faults.zero.len(), "has", "have"),
            );
            let finding = self.finding(Severity::Error, message, vertex);
            out.push(finding.measured(faults.zero.len() as f64, 0.0, ""));
        }
        if !faults.uneven.is_empty() {
            let (effect_mm, at) = self.effect(&faults.uneven, Reading::AsStored, Reading::Normalised);
            let (sum, sum_vertex) = faults.worst_sum;
            let message = format!(
                "weights of {} of {all} vertices of mesh '{label}' do not add up to one, worst {sum:.4} at \
                 vertex {sum_vertex}; up to {effect_mm:.2} mm apart between engines that normalise and those \
                 that do not, worst at vertex {at}",
                faults.uneven.len()
            );
            let finding = self.finding(self.severity(effect_mm), message, sum_vertex);
            out.push(finding.measured((sum - 1.0).abs(), limits.sum, ""));
        }
        if !faults.many.is_empty() {
            let largest = Reading::Largest(limits.influences);
            let (effect_mm, at) = self.effect(&faults.many, Reading::Normalised, largest);
            let message = format!(
                "{} of {all} vertices of mesh '{label}' {} more than {} (most {}); up to {effect_mm:.2} mm apart \
                 where only the {} largest are used, worst at vertex {at}",
                faults.many.len(),
                either(faults.many.len(), "has", "have"),
                counted(limits.influences, "influence", "influences"),
                faults.most.0,
                limits.influences,
            );
            let finding = self.finding(self.severity(effect_mm), message, at);
            out.push(finding.measured(faults.most.0 as f64, limits.influences as f64, ""));
        }
    }

    fn severity(&self, effect_mm: f64) -> Severity {
        let limit = self.context.model.scaled(self.context.limits.weights.effect_mm);
        if effect_mm > limit { Severity::Warning } else { Severity::Info }
    }

    fn label(&self) -> String {
        self.mesh.name.clone().unwrap_or_else(|| format!("mesh {}", self.mesh.source))
    }

    fn finding(&self, severity: Severity, message: String, vertex: usize) -> Finding {
        let mesh = self.mesh;
        let mut finding = Finding::new(Code::Weights, severity, message, RULE.fix);
        let subject = &mut finding.subject;
        (subject.mesh, subject.mesh_index) = (Some(self.label()), Some(mesh.source));
        subject.primitive = Some(self.primitive.source);
        subject.vertex = u32::try_from(vertex).ok();
        subject.skin = Some(self.skin.source);
        finding.pointer(format!("/meshes/{}/primitives/{}", mesh.source, self.primitive.source))
    }

    /// Largest distance between two readings over all poses, millimetres, and its vertex.
    fn effect(&self, vertices: &[usize], a: Reading, b: Reading) -> (f64, usize) {
        let step = vertices.len().div_ceil(self.vertices).max(1);
        let mut worst = (0.0, vertices[0]);
        for &vertex in vertices.iter().step_by(step) {
            let p = self.primitive.positions[vertex];
            let point = DVec3::new(p[0].into(), p[1].into(), p[2].into());
            let pulls = |reading| self.pulls(vertex, reading);
            let (pulls_a, pulls_b) = (pulls(a), pulls(b));
            for palette in self.palettes {
                let at = |pulls: &[(usize, f64)]| -> DVec3 {
                    let pull = |(j, w): &(usize, f64)| palette[*j].transform_point3(point) * *w;
                    pulls.iter().filter(|(j, _)| *j < palette.len()).map(pull).sum()
                };
                let apart = (at(&pulls_a) - at(&pulls_b)).length() * 1e3;
                if apart > worst.0 {
                    worst = (apart, vertex);
                }
            }
        }
        worst
    }

    fn pulls(&self, vertex: usize, reading: Reading) -> Vec<(usize, f64)> {
        let mut pulls: Vec<(usize, f64)> = self
            .influences
            .of(vertex)
            .filter(|(_, w)| *w != 0.0)
            .map(|(j, w)| (usize::from(j), f64::from(w)))
            .collect();
        if let Reading::Largest(count) = reading {
            // Stable, so that of equal weights the first stays.
            pulls.sort_by(|x, y| y.1.total_cmp(&x.1));
            pulls.truncate(count);
        }
        if !matches!(reading, Reading::AsStored) {
            let sum: f64 = pulls.iter().map(|p| p.1).sum();
            if sum != 0.0 {
                pulls.iter_mut().for_each(|p| p.1 /= sum);
            }
        }
        pulls
    }
}
