//! `sinew inspect`: what is in a file.

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::Serialize;
use sinew::{Interpolation, JointFlags, RawClip, RawPose, Skeleton, model_matrices};
use sinew_asset::{Document, Format, Place, Problem};

use crate::args::{self, Inspect};
use crate::failure::Failure;
use crate::input::{Convention, Input};
use crate::output::Out;

/// What is in a character file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct InspectReport {
    /// As given on the command line.
    file: String,
    /// `gltf` or `bvh`.
    format: &'static str,
    /// Size of the file, bytes; 0 for stdin.
    bytes: u64,
    /// The hierarchy.
    skeleton: SkeletonFacts,
    /// Skins that could be read.
    skins: Vec<SkinFacts>,
    /// Clips that could be read.
    clips: Vec<ClipFacts>,
    /// Meshes that could be read.
    meshes: Vec<MeshFacts>,
    /// Number of scenes.
    scenes: usize,
    /// Number of materials.
    materials: usize,
    /// Number of images.
    images: usize,
    /// What is wrong or doubtful.
    problems: Vec<ProblemFacts>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct SkeletonFacts {
    /// All nodes of the file.
    nodes: usize,
    /// Nodes that some skin binds.
    skin_joints: usize,
    /// Nodes that some clip moves.
    animated: usize,
    /// Nodes without a parent.
    roots: usize,
    /// Longest way from a root to a leaf, nodes.
    depth: usize,
    /// Nodes without a name.
    unnamed: usize,
    /// Names that more than one node has, with how many have them.
    repeated_names: BTreeMap<String, usize>,
    /// Corners of the box round all joints in the rest pose, metres.
    rest_min: [f64; 3],
    /// Corners of the box round all joints in the rest pose, metres.
    rest_max: [f64; 3],
}

#[derive(Serialize, JsonSchema)]
struct SkinFacts {
    /// Index in the file.
    index: u32,
    name: Option<String>,
    joints: usize,
}

#[derive(Serialize, JsonSchema)]
struct ClipFacts {
    /// Index in the file.
    index: u32,
    name: Option<String>,
    /// Seconds from 0 to the latest key.
    duration: f64,
    /// Time of the earliest key, seconds.
    first_key: f64,
    channels: usize,
    /// Channels whose value never changes.
    constant_channels: usize,
    /// Joints with at least one channel.
    joints: usize,
    /// Keys of all channels together.
    keys: usize,
    linear: usize,
    step: usize,
    cubic_spline: usize,
    /// Names of scalar curves.
    curves: Vec<String>,
    /// Names and times of events, seconds.
    events: Vec<(String, f64)>,
}

#[derive(Serialize, JsonSchema)]
struct MeshFacts {
    /// Index in the file.
    index: u32,
    name: Option<String>,
    primitives: usize,
    vertices: usize,
    triangles: usize,
    /// Most influences a vertex can have.
    influences: usize,
    morph_targets: usize,
    /// Nodes that carry it.
    nodes: Vec<u32>,
}

#[derive(Serialize, JsonSchema)]
struct ProblemFacts {
    /// `info`, `warning` or `error`.
    severity: String,
    /// Stable name of the kind.
    code: &'static str,
    /// What it is about.
    object: String,
    /// A JSON pointer, a byte offset or a line and column.
    place: Option<String>,
    message: String,
}

pub(crate) fn run(args: &Inspect, out: &mut Out) -> Result<(), Failure> {
    if super::inspect_runtime::is_one(&args.file) {
        return super::inspect_runtime::run(args, out);
    }
    let input = Input::read(&args.file, &args.reading, Convention::Guess)?;
    let report = InspectReport::new(&input);
    match args.format {
        args::Format::Json => out.json(&report),
        args::Format::Text => report.print(out),
    }
}

impl InspectReport {
    fn new(input: &Input) -> Self {
        let document = input.document();
        let count = |key: &str| document.carried.top.get(key).and_then(|v| v.as_array()).map_or(0, Vec::len);
        Self {
            file: input.file.clone(),
            format: match document.format {
                Format::Gltf => "gltf",
                Format::Bvh => "bvh",
            },
            bytes: input.bytes,
            skeleton: SkeletonFacts::new(&document.skeleton),
            skins: document
                .skins
                .iter()
                .map(|s| SkinFacts { index: s.source, name: s.name.clone(), joints: s.joints.len() })
                .collect(),
            clips: document.clips.iter().map(ClipFacts::new).collect(),
            meshes: (0..document.meshes.len()).map(|i| MeshFacts::new(document, i)).collect(),
            scenes: document.scenes.len(),
            materials: count("materials"),
            images: document.carried.images.len(),
            problems: input.loaded.problems.iter().map(ProblemFacts::new).collect(),
        }
    }

    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        let kilobytes = self.bytes.div_ceil(1024);
        out.line(format_args!("{} ({}, {kilobytes} KiB)", self.file, self.format))?;
        self.skeleton.print(out)?;
        for skin in &self.skins {
            out.line(format_args!(
                "  skin {:<3} {:<28} {} joints",
                skin.index,
                shown(&skin.name),
                skin.joints
            ))?;
        }
        for mesh in &self.meshes {
            let influences = match mesh.influences {
                0 => "rigid".into(),
                n => format!("{n} influences"),
            };
            let morphs = match mesh.morph_targets {
                0 => String::new(),
                n => format!(", {n} morph targets"),
            };
            out.line(format_args!(
                "  mesh {:<3} {:<28} {} vertices, {} triangles, {influences}{morphs}",
                mesh.index,
                shown(&mesh.name),
                mesh.vertices,
                mesh.triangles,
            ))?;
        }
        for clip in &self.clips {
            let mut kinds = Vec::new();
            for (n, kind) in
                [(clip.linear, "LINEAR"), (clip.step, "STEP"), (clip.cubic_spline, "CUBICSPLINE")]
            {
                if n > 0 {
                    kinds.push(format!("{n} {kind}"));
                }
            }
            let start = if clip.first_key > 0.0 {
                format!(", starts at {:.4} s", clip.first_key)
            } else {
                String::new()
            };
            let more = match (clip.curves.len(), clip.events.len()) {
                (0, 0) => String::new(),
                (c, e) => format!(", {}, {}", counted(c, "curve"), counted(e, "event")),
            };
            out.line(format_args!(
                "  clip {:<3} {:<28} {:>8.4} s, {} channels ({}) on {} joints, {} keys{start}{more}",
                clip.index,
                shown(&clip.name),
                clip.duration,
                clip.channels,
                kinds.join(", "),
                clip.joints,
                clip.keys,
            ))?;
        }
        if self.images + self.materials > 0 {
            out.line(format_args!(
                "  carried: {}, {}",
                counted(self.materials, "material"),
                counted(self.images, "image")
            ))?;
        }
        for p in &self.problems {
            let place = p.place.as_ref().map(|p| format!(" (at {p})")).unwrap_or_default();
            out.line(format_args!("  {} {}: {}: {}{place}", p.severity, p.code, p.object, p.message))?;
        }
        Ok(())
    }
}

pub(super) fn shown(name: &Option<String>) -> String {
    name.as_ref().map_or_else(|| "(no name)".into(), |n| format!("'{}'", n.escape_debug()))
}

pub(super) fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

impl SkeletonFacts {
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let flagged = |flag| skeleton.joints().iter().filter(|j| j.flags.contains(flag)).count();
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for name in skeleton.joints().iter().filter_map(|j| j.name.clone()) {
            *names.entry(name).or_default() += 1;
        }
        names.retain(|_, count| *count > 1);
        let (min, max) = rest_box(skeleton);
        Self {
            nodes: skeleton.len(),
            skin_joints: flagged(JointFlags::SKIN_JOINT),
            animated: flagged(JointFlags::ANIMATED),
            roots: skeleton.joints().iter().filter(|j| j.parent.is_none()).count(),
            depth: depth(skeleton),
            unnamed: skeleton.joints().iter().filter(|j| j.name.is_none()).count(),
            repeated_names: names,
            rest_min: min.to_array(),
            rest_max: max.to_array(),
        }
    }
}

impl SkeletonFacts {
    pub(super) fn print(&self, out: &mut Out) -> Result<(), Failure> {
        let s = self;
        let size = DVec3::from(s.rest_max) - DVec3::from(s.rest_min);
        out.line(format_args!(
            "  {} nodes: {} skin joints, {} animated, {}, {} deep; rest pose {:.3} x {:.3} x {:.3} m",
            s.nodes,
            s.skin_joints,
            s.animated,
            counted(s.roots, "root"),
            s.depth,
            size.x,
            size.y,
            size.z
        ))?;
        let unusual = s.unnamed > 0 || !s.repeated_names.is_empty();
        if unusual {
            let repeated: Vec<String> = s.repeated_names.iter().map(|(n, c)| format!("'{n}' x{c}")).collect();
            let repeated = if repeated.is_empty() { "none".to_owned() } else { repeated.join(", ") };
            out.line(format_args!("  names: {} missing; repeated: {repeated}", s.unnamed))?;
        }
        Ok(())
    }
}

fn depth(skeleton: &Skeleton) -> usize {
    let mut depths = vec![0_usize; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        depths[id.index()] = joint.parent.map_or(1, |p| depths[p.index()] + 1);
    }
    depths.into_iter().max().unwrap_or(0)
}

fn rest_box(skeleton: &Skeleton) -> (DVec3, DVec3) {
    let mut model = Vec::new();
    model_matrices(skeleton, &RawPose::rest(skeleton), &mut model);
    let skinned = skeleton.joints().iter().any(|j| j.flags.contains(JointFlags::SKIN_JOINT));
    let counts = |i: &usize| !skinned || skeleton.joints()[*i].flags.contains(JointFlags::SKIN_JOINT);
    let points = (0..skeleton.len()).filter(counts).map(|i| model[i].w_axis.truncate());
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (min, max) = points.fold(empty, |(lo, hi), p| (lo.min(p), hi.max(p)));
    if min.is_finite() && max.is_finite() { (min, max) } else { (DVec3::ZERO, DVec3::ZERO) }
}

impl ClipFacts {
    fn new(clip: &RawClip) -> Self {
        let of = |i| clip.channels.iter().filter(|c| c.track.interpolation() == i).count();
        let mut joints: Vec<_> = clip.channels.iter().map(|c| c.joint).collect();
        joints.sort();
        joints.dedup();
        Self {
            index: clip.source,
            name: clip.name.clone(),
            duration: clip.duration(),
            first_key: clip.first_key(),
            channels: clip.channels.len(),
            constant_channels: clip.channels.iter().filter(|c| c.track.is_constant()).count(),
            joints: joints.len(),
            keys: clip.channels.iter().map(|c| c.track.len()).sum(),
            linear: of(Interpolation::Linear),
            step: of(Interpolation::Step),
            cubic_spline: of(Interpolation::CubicSpline),
            curves: clip.curves.iter().map(|c| c.name.clone()).collect(),
            events: clip.events.iter().map(|e| (e.name.clone(), e.time)).collect(),
        }
    }
}

impl MeshFacts {
    fn new(document: &Document, index: usize) -> Self {
        let mesh = &document.meshes[index];
        let skeleton = &document.skeleton;
        let carriers = document.instances.iter().filter(|i| i.mesh == index);
        Self {
            index: mesh.source,
            name: mesh.name.clone(),
            primitives: mesh.primitives.len(),
            vertices: mesh.primitives.iter().map(|p| p.positions.len()).sum(),
            triangles: mesh.primitives.iter().map(|p| p.indices.len() / 3).sum(),
            influences: mesh
                .primitives
                .iter()
                .filter_map(|p| p.influences.as_ref())
                .map(|i| i.per_vertex)
                .max()
                .unwrap_or(0),
            morph_targets: mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0),
            nodes: carriers.map(|i| skeleton.joint(i.joint).node).collect(),
        }
    }
}

impl ProblemFacts {
    pub(crate) fn new(problem: &Problem) -> Self {
        let place = (problem.place != Place::File).then(|| problem.place.to_string());
        Self {
            severity: problem.severity.to_string(),
            code: problem.code.as_str(),
            object: problem.object.to_string(),
            place,
            message: problem.message.clone(),
        }
    }
}
