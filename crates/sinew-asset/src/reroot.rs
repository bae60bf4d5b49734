//! Making a joint the root: what stands above it goes into its own pose.

use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3};
use sinew::{
    Channel, ChannelTarget, DTransform, Interpolation, Joint, JointId, RawClip, RawPose, Skeleton,
    SkeletonError, Skin, Track, TrackError, model_matrices, uniform_times,
};

use crate::{Document, MeshInstance, Scene};

/// Keys a second where the motion of moving ancestors has to be sampled.
const BAKE_RATE: f64 = 60.0;

/// What making a joint the root did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReRootReport {
    /// Joints left out, by label, in order of the skeleton.
    pub dropped: Vec<String>,
    /// Clips whose root keys were sampled because an ancestor moves in them; all others are exact.
    pub baked: Vec<String>,
}

/// Why a joint cannot be made the root.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReRootError {
    /// A skin binds joints on both sides of the cut.
    #[error("skin {skin} binds '{joint}', which is not below '{root}'")]
    SkinAcross {
        /// Index of the skin in the file.
        skin: u32,
        /// The first joint of it that would be left out.
        joint: String,
        /// The root asked for.
        root: String,
    },
    /// What stands above cannot be put into translation, rotation and scale.
    #[error("what stands above '{root}' shears it{}: translation, rotation and scale cannot carry that",
        clip.as_ref().map(|c| format!(" in clip '{c}' at {time} s")).unwrap_or_default())]
    Shear {
        /// The root asked for.
        root: String,
        /// The clip in which it happens; none for the rest pose.
        clip: Option<String>,
        /// The moment, seconds.
        time: f64,
    },
    /// New keys broke a rule of [`Track`].
    #[error("new keys of clip '{clip}': {error}")]
    Track {
        /// The clip.
        clip: String,
        /// The rule.
        error: TrackError,
    },
    /// The rest pose became unusable.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// A document in which `root` has no parent, and every joint at or below it is where it was in model space.
///
/// Ancestors that hold still go into the root's keys exactly; where one moves, the root's keys are sampled
/// at all key times and 60 times a second, and the report names the clip. Joints beside the root are left
/// out, but for nodes that only carry a mesh skinned to what stays.
///
/// # Errors
/// [`ReRootError`] names the skin or the shear that stands in the way.
///
/// # Panics
/// Where `root` is not of the document's skeleton.
pub fn re_root(document: &Document, root: JointId) -> Result<(Document, ReRootReport), ReRootError> {
    let old = &document.skeleton;
    let below = subtree(old, root);
    let root_label = old.label(root);
    let mut keep = below.clone();
    for instance in &document.instances {
        let Some(skin) = instance.skin.map(|s| &document.skins[s]) else { continue };
        if skin.joints.iter().any(|j| below[j.index()]) {
            if let Some(outside) = skin.joints.iter().find(|j| !below[j.index()]) {
                let (skin, joint) = (skin.source, old.label(*outside));
                return Err(ReRootError::SkinAcross { skin, joint, root: root_label });
            }
            keep[instance.joint.index()] = true;
        }
    }
    let new_id = numbering(&keep);
    let above_ms = parent_matrix(old, &RawPose::rest(old), root);
    let shear = |clip: Option<&RawClip>, time| ReRootError::Shear {
        root: root_label.clone(),
        clip: clip.map(RawClip::label),
        time,
    };

    let mut joints = Vec::new();
    let mut weights = Vec::new();
    let mut report = ReRootReport::default();
    for (id, joint) in old.iter() {
        if !keep[id.index()] {
            report.dropped.push(old.label(id));
            continue;
        }
        let from = weights.len();
        weights.extend_from_slice(&old.rest_weights()[joint.weights.clone()]);
        let mut new = Joint { weights: from..weights.len(), ..joint.clone() };
        new.parent =
            joint.parent.filter(|p| below[id.index()] && below[p.index()]).and_then(|p| new_id[p.index()]);
        if id == root {
            let local = above_ms * joint.rest_matrix.unwrap_or_else(|| joint.rest.to_matrix());
            match DTransform::from_matrix(&local) {
                Some(rest) => (new.rest, new.rest_matrix) = (rest, None),
                None if joint.rest_matrix.is_some() => new.rest_matrix = Some(local),
                None => return Err(shear(None, 0.0)),
            }
        }
        joints.push(new);
    }
    let skeleton = Skeleton::new(joints, weights)?;

    let mut clips = Vec::with_capacity(document.clips.len());
    for clip in &document.clips {
        let moving =
            clip.channels.iter().any(|c| is_above(old, c.joint, root) && c.target != ChannelTarget::Weights);
        let still = if moving { None } else { Uniform::from_matrix(&above_ms) };
        let mut new = RawClip { channels: Vec::new(), ..clip.clone() };
        for channel in clip.channels.iter().filter(|c| keep[c.joint.index()]) {
            let Some(joint) = new_id[channel.joint.index()] else { continue };
            if channel.joint != root || channel.target == ChannelTarget::Weights {
                new.channels.push(Channel { joint, ..channel.clone() });
            } else if let Some(still) = &still {
                let track = still.apply(&channel.track, channel.target);
                let track = track.map_err(|error| ReRootError::Track { clip: clip.label(), error })?;
                new.channels.push(Channel { joint, track, ..channel.clone() });
            }
        }
        let on_root = |c: &Channel| c.joint == root && c.target != ChannelTarget::Weights;
        if still.is_none()
            && (moving || clip.channels.iter().any(on_root))
            && let Some(joint) = new_id[root.index()]
        {
            new.channels.extend(bake(old, clip, root, joint).map_err(|e| match e {
                BakeError::Shear(time) => shear(Some(clip), time),
                BakeError::Track(error) => ReRootError::Track { clip: clip.label(), error },
            })?);
            report.baked.push(clip.label());
        }
        clips.push(new);
    }
    Ok((remap(document, skeleton, clips, &new_id), report))
}

fn subtree(skeleton: &Skeleton, root: JointId) -> Vec<bool> {
    let mut below = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        below[id.index()] = id == root || joint.parent.is_some_and(|p| below[p.index()]);
    }
    below
}

fn numbering(keep: &[bool]) -> Vec<Option<JointId>> {
    let mut next = 0;
    keep.iter()
        .map(|&kept| {
            kept.then(|| {
                next += 1;
                JointId(next - 1)
            })
        })
        .collect()
}

fn is_above(skeleton: &Skeleton, joint: JointId, root: JointId) -> bool {
    let mut at = skeleton.joint(root).parent;
    while let Some(id) = at {
        if id == joint {
            return true;
        }
        at = skeleton.joint(id).parent;
    }
    false
}

/// Model matrix of the root's parent; identity where it has none.
fn parent_matrix(skeleton: &Skeleton, pose: &RawPose, root: JointId) -> DMat4 {
    let mut model_ms = Vec::new();
    model_matrices(skeleton, pose, &mut model_ms);
    skeleton.joint(root).parent.map_or(DMat4::IDENTITY, |p| model_ms[p.index()])
}

/// Translation, rotation and one scale for all axes: applies to keys without changing what lies between.
struct Uniform {
    rotation: DQuat,
    scale: f64,
    translation: DVec3,
}

impl Uniform {
    fn from_matrix(matrix: &DMat4) -> Option<Self> {
        let DTransform { translation, rotation, scale } = DTransform::from_matrix(matrix)?;
        let uniform = (scale - DVec3::splat(scale.x)).abs().max_element() <= 1e-9 * scale.x.abs();
        (uniform && scale.x > 0.0).then_some(Self { rotation, scale: scale.x, translation })
    }

    fn apply(&self, track: &Track, target: ChannelTarget) -> Result<Track, TrackError> {
        let spline = track.interpolation() == Interpolation::CubicSpline;
        let mut values: Vec<f32> = Vec::with_capacity(track.values().len());
        for (i, v) in track.values().chunks(track.width()).enumerate() {
            let tangent = spline && i % 3 != 1;
            let vec = || DVec3::new(v[0].into(), v[1].into(), v[2].into());
            match target {
                ChannelTarget::Translation => {
                    let turned = self.rotation * (vec() * self.scale);
                    let moved = if tangent { turned } else { turned + self.translation };
                    values.extend(moved.to_array().map(|x| x as f32));
                }
                ChannelTarget::Scale => values.extend((vec() * self.scale).to_array().map(|x| x as f32)),
                ChannelTarget::Rotation => {
                    let q = DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into());
                    values.extend((self.rotation * q).to_array().map(|x| x as f32));
                }
                ChannelTarget::Weights => values.extend_from_slice(v),
            }
        }
        match target {
            ChannelTarget::Rotation => {
                Track::rotation(track.times().clone(), values.into(), track.interpolation())
            }
            _ => Track::new(track.times().clone(), values.into(), track.width(), track.interpolation()),
        }
    }
}

enum BakeError {
    Shear(f64),
    Track(TrackError),
}

/// The root's pose in model space as keys of its own.
fn bake(
    skeleton: &Skeleton,
    clip: &RawClip,
    root: JointId,
    joint: JointId,
) -> Result<[Channel; 3], BakeError> {
    let mut times = clip.key_times();
    // A bake rate is a rate; the only way to fail is a clip of days, whose keys then have to do.
    times.extend(uniform_times(clip.duration(), BAKE_RATE).unwrap_or_default());
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let (mut t, mut r, mut s) = (Vec::<f32>::new(), Vec::<f32>::new(), Vec::<f32>::new());
    let mut last: Option<DQuat> = None;
    for &time in &times {
        clip.sample(skeleton, time, &mut pose);
        model_matrices(skeleton, &pose, &mut model_ms);
        let local = DTransform::from_matrix(&model_ms[root.index()]).ok_or(BakeError::Shear(time))?;
        let turn = local.rotation;
        let turn = if last.is_some_and(|l| l.dot(turn) < 0.0) { -turn } else { turn };
        last = Some(turn);
        t.extend(local.translation.to_array().map(|x| x as f32));
        r.extend(turn.to_array().map(|x| x as f32));
        s.extend(local.scale.to_array().map(|x| x as f32));
    }
    let times: Arc<[f64]> = times.into();
    let channel = |target, track: Result<Track, TrackError>| {
        Ok(Channel { joint, target, track: track.map_err(BakeError::Track)?, source: 0 })
    };
    let linear = Interpolation::Linear;
    Ok([
        channel(ChannelTarget::Translation, Track::new(times.clone(), t.into(), 3, linear))?,
        channel(ChannelTarget::Rotation, Track::rotation(times.clone(), r.into(), linear))?,
        channel(ChannelTarget::Scale, Track::new(times, s.into(), 3, linear))?,
    ])
}

/// The rest of the document, with joints renumbered and what refers to joints that are gone left out.
fn remap(
    document: &Document,
    skeleton: Skeleton,
    clips: Vec<RawClip>,
    new_id: &[Option<JointId>],
) -> Document {
    let id = |joint: &JointId| new_id[joint.index()];
    let mut skins = Vec::new();
    let mut new_skin = vec![None; document.skins.len()];
    for (i, skin) in document.skins.iter().enumerate() {
        if let Some(joints) = skin.joints.iter().map(id).collect::<Option<Vec<_>>>() {
            new_skin[i] = Some(skins.len());
            skins.push(Skin { joints, ..skin.clone() });
        }
    }
    let instances = document.instances.iter().filter_map(|instance| {
        let skin = match instance.skin {
            Some(s) => Some(new_skin[s]?),
            None => None,
        };
        Some(MeshInstance { joint: id(&instance.joint)?, mesh: instance.mesh, skin })
    });
    let roots: Vec<JointId> = skeleton.iter().filter(|(_, j)| j.parent.is_none()).map(|(id, _)| id).collect();
    let name = document.default_scene.and_then(|s| document.scenes.get(s)).and_then(|s| s.name.clone());
    Document {
        name: document.name.clone(),
        format: document.format,
        clips,
        meshes: document.meshes.clone(),
        skins,
        instances: instances.collect(),
        scenes: vec![Scene { name, roots }],
        default_scene: Some(0),
        carried: document.carried.clone(),
        skeleton,
    }
}
