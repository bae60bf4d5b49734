//! `sinew sample`: exact poses as JSON.

use std::collections::BTreeMap;
use std::io::Write;

use glam::{DMat4, DVec3};
use schemars::JsonSchema;
use serde::Serialize;
use sinew::{Binding, JointFlags, RawClip, RawPose, SkinJob, WeightMode, model_matrices, uniform_times};
use sinew_asset::{Document, save};

use crate::args::{NodeKey, Sample};
use crate::failure::Failure;
use crate::input::{Convention, Input};
use crate::output::{Out, refuse_overwrite};

/// What comes before the frames.
#[derive(Serialize, JsonSchema)]
struct Header<'a> {
    /// Which evaluator this is: `sinew` and its version.
    oracle: &'static str,
    /// As given on the command line.
    file: &'a str,
    /// Index of the animation in the file; null for the rest pose.
    clip: Option<u32>,
    clip_name: Option<&'a str>,
    /// Seconds from 0 to the clip's latest key.
    duration: f64,
}

/// What `sinew sample` prints, frame by frame.
#[cfg(test)]
#[derive(Serialize, JsonSchema)]
pub(crate) struct SampleOutput {
    #[serde(flatten)]
    header: Header<'static>,
    /// Name of each node by its key.
    names: BTreeMap<String, Option<String>>,
    /// Keys of the nodes that some skin binds; of all nodes where there is no skin.
    joints: Vec<serde_json::Value>,
    frames: Vec<Frame>,
}

/// One moment.
#[derive(Serialize, JsonSchema)]
struct Frame {
    /// Seconds, as asked for.
    t: f64,
    /// World matrices by node, 16 numbers in column-major order.
    #[serde(serialize_with = "as_map")]
    #[schemars(with = "BTreeMap<String, [f64; 16]>")]
    nodes: Vec<(String, [f64; 16])>,
    /// Morph weights by node; absent where no node has any.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, Vec<f64>>")]
    weights: Vec<(String, Vec<f64>)>,
    /// Vertices, with `--skin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    skinned: Option<Vec<Skinned>>,
}

/// Vertices of one primitive. Numbers are indices in the file.
#[derive(Serialize, JsonSchema)]
struct Skinned {
    node: u32,
    mesh: u32,
    primitive: u32,
    skin: Option<u32>,
    /// World space, by vertex.
    positions: Vec<[f64; 3]>,
}

fn as_map<S: serde::Serializer, V: Serialize>(pairs: &[(String, V)], s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(pairs.iter().map(|(k, v)| (k, v)))
}

pub(crate) fn run(args: &Sample, out: &mut Out) -> Result<(), Failure> {
    if let Some(path) = &args.out {
        refuse_overwrite(path, &[&args.file])?;
    }
    let input = Input::read(&args.file, &args.reading, Convention::AsIs)?;
    let document = input.document();
    let rest = RawClip::default();
    let (clip, source) = if args.rest {
        (&rest, None)
    } else {
        let clip = input.clip(args.clip.as_deref())?;
        (clip, Some(clip.source))
    };
    let times = times(args, clip)?;
    let keys = node_keys(args.key, &input)?;
    let header = Header {
        oracle: concat!("sinew ", env!("CARGO_PKG_VERSION")),
        file: &input.file,
        clip: source,
        clip_name: clip.name.as_deref(),
        duration: clip.duration(),
    };
    let mode = if args.raw_weights { WeightMode::AsStored } else { WeightMode::Normalised };
    let sampler = Sampler { document, clip, keys: &keys, skin: args.skin.then_some(mode), file: &input.file };
    match &args.out {
        None => sampler.write(&header, &times, out).map_err(|e| e.into_failure("stdout"))?,
        Some(path) => {
            let mut bytes = Vec::new();
            sampler
                .write(&header, &times, &mut bytes)
                .map_err(|e| e.into_failure(&path.display().to_string()))?;
            save(path, &bytes).map_err(|e| Failure::write(path, e.source))?;
        }
    }
    Ok(())
}

fn times(args: &Sample, clip: &RawClip) -> Result<Vec<f64>, Failure> {
    if let Some(bad) = args.times.iter().find(|t| !t.is_finite()) {
        return Err(Failure::Usage(format!("--times {bad}: expected a finite number of seconds")));
    }
    if let Some(rate) = args.rate {
        return uniform_times(clip.duration(), rate).map_err(|e| Failure::Usage(format!("--rate: {e}")));
    }
    if args.keys {
        return Ok(clip.key_times());
    }
    Ok(if args.times.is_empty() { vec![0.0] } else { args.times.clone() })
}

/// What each joint is called in the output, `[joint]`.
fn node_keys(key: NodeKey, input: &Input) -> Result<Vec<String>, Failure> {
    let skeleton = &input.document().skeleton;
    if key == NodeKey::Index {
        return Ok(skeleton.joints().iter().map(|j| j.node.to_string()).collect());
    }
    let mut seen = BTreeMap::new();
    for joint in skeleton.joints() {
        let Some(name) = &joint.name else {
            return Err(Failure::input(
                &input.file,
                format!("node {} has no name; use --key index", joint.node),
            ));
        };
        if let Some(first) = seen.insert(name.clone(), joint.node) {
            let message = format!("nodes {first} and {} are both '{name}'; use --key index", joint.node);
            return Err(Failure::input(&input.file, message));
        }
    }
    Ok(skeleton.joints().iter().filter_map(|j| j.name.clone()).collect())
}

struct Sampler<'a> {
    document: &'a Document,
    clip: &'a RawClip,
    keys: &'a [String],
    skin: Option<WeightMode>,
    file: &'a str,
}

/// Either the file system or the file's content.
enum WriteError {
    Io(std::io::Error),
    Content(Failure),
}

impl From<std::io::Error> for WriteError {
    fn from(e: std::io::Error) -> Self {
        Self::Io(e)
    }
}

impl From<serde_json::Error> for WriteError {
    fn from(e: serde_json::Error) -> Self {
        Self::Io(e.into())
    }
}

impl WriteError {
    fn into_failure(self, path: &str) -> Failure {
        match self {
            Self::Io(e) => Failure::write(path, e),
            Self::Content(failure) => failure,
        }
    }
}

impl Sampler<'_> {
    /// Frame by frame, so that a long clip needs the memory of one.
    fn write(&self, header: &Header<'_>, times: &[f64], out: &mut impl Write) -> Result<(), WriteError> {
        let head = serde_json::to_string(header)?;
        out.write_all(head.trim_end_matches('}').as_bytes())?;
        let skeleton = &self.document.skeleton;
        let names: Vec<(String, Option<&str>)> =
            self.keys.iter().zip(skeleton.joints()).map(|(k, j)| (k.clone(), j.name.as_deref())).collect();
        out.write_all(b",\"names\":")?;
        let mut json = serde_json::Serializer::new(&mut *out);
        as_map(&names, &mut json)?;
        // The joints of skins, or all of them where there is no skin.
        let skinned: Vec<bool> =
            skeleton.joints().iter().map(|j| j.flags.contains(JointFlags::SKIN_JOINT)).collect();
        let any = skinned.contains(&true);
        out.write_all(b",\"joints\":[")?;
        let mut first = true;
        for ((key, joint), in_skin) in self.keys.iter().zip(skeleton.joints()).zip(&skinned) {
            if (any && !in_skin) || joint.flags.contains(JointFlags::END_SITE) {
                continue;
            }
            out.write_all(if std::mem::take(&mut first) { b"" } else { b"," })?;
            if key.parse::<u32>().is_ok() && *key == joint.node.to_string() {
                out.write_all(key.as_bytes())?;
            } else {
                serde_json::to_writer(&mut *out, key)?;
            }
        }
        out.write_all(b"],\"frames\":[")?;
        let (mut pose, mut model) = (RawPose::default(), Vec::new());
        for (i, &t) in times.iter().enumerate() {
            if i > 0 {
                out.write_all(b",\n")?;
            }
            self.clip.sample(skeleton, t, &mut pose);
            model_matrices(skeleton, &pose, &mut model);
            serde_json::to_writer(&mut *out, &self.frame(t, &pose, &model)?)?;
        }
        out.write_all(b"]}\n")?;
        Ok(())
    }

    fn frame(&self, t: f64, pose: &RawPose, model: &[DMat4]) -> Result<Frame, WriteError> {
        let skeleton = &self.document.skeleton;
        let nodes = self.keys.iter().zip(model).map(|(k, m)| (k.clone(), m.to_cols_array())).collect();
        let weights = skeleton.joints().iter().zip(self.keys).filter(|(j, _)| !j.weights.is_empty());
        let weights = weights.map(|(j, k)| (k.clone(), pose.weights[j.weights.clone()].to_vec())).collect();
        let skinned = self.skin.map(|mode| self.skinned(mode, pose, model)).transpose()?;
        Ok(Frame { t, nodes, weights, skinned })
    }

    fn skinned(&self, mode: WeightMode, pose: &RawPose, model: &[DMat4]) -> Result<Vec<Skinned>, WriteError> {
        let document = self.document;
        let (mut palette, mut positions) = (Vec::new(), Vec::<DVec3>::new());
        let mut all = Vec::new();
        for instance in &document.instances {
            let joint = document.skeleton.joint(instance.joint);
            let mesh = &document.meshes[instance.mesh];
            let skin = instance.skin.map(|s| &document.skins[s]);
            if let Some(skin) = skin {
                skin.palette(model, &mut palette);
            }
            for geometry in &mesh.primitives {
                let bound = skin.is_some() && geometry.influences.is_some();
                let binding = if bound {
                    Binding::Skinned(&palette)
                } else {
                    Binding::Rigid(&model[instance.joint.index()])
                };
                let morph_weights = &pose.weights[joint.weights.clone()];
                let job = SkinJob { primitive: geometry, morph_weights, binding, weights: mode };
                job.run(&mut positions).map_err(|e| {
                    let name = mesh.name.as_deref().unwrap_or("unnamed");
                    let message =
                        format!("mesh {} '{name}', primitive {}: {e}", mesh.source, geometry.source);
                    WriteError::Content(Failure::input(self.file, message))
                })?;
                all.push(Skinned {
                    node: joint.node,
                    mesh: mesh.source,
                    primitive: geometry.source,
                    skin: skin.map(|s| s.source),
                    positions: positions.iter().map(DVec3::to_array).collect(),
                });
            }
        }
        Ok(all)
    }
}
