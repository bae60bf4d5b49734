//! Making a joint the root: what stands above it goes into its own pose.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3};
use sinew::{
    Channel, ChannelTarget, DTransform, DifferenceJob, Interpolation, Joint, JointId, Mesh, RawClip, RawPose,
    Skeleton, SkeletonError, Skin, Space, Track, TrackError, model_matrices, uniform_times,
};

use crate::{Document, MeshInstance, Scene};

/// Keys a second where the motion of moving ancestors has to be sampled.
const BAKE_RATE: f64 = 60.0;

/// Moments a second at which the cost of sampling is measured; not a multiple of the rate above.
const MEASURE_RATE: f64 = 250.0;

/// How far the axes of a scale may differ, as a share, and count as one: matrices in files are rounded.
const ONE_SCALE: f64 = 1e-6;

/// What making a joint the root did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReRootReport {
    /// Joints left out, by label, in order of the skeleton.
    pub dropped: Vec<String>,
    /// Clips whose root keys were sampled because an ancestor moves in them; all others are exact.
    pub baked: Vec<BakedClip>,
    /// Clips left out because they move nothing that stays.
    pub dropped_clips: Vec<String>,
    /// Skins left out because they pull nothing that stays, or nothing uses them.
    pub dropped_skins: Vec<String>,
    /// Meshes left out with the nodes that carried them.
    pub dropped_meshes: Vec<String>,
    /// Joints taken out of skins that stay: no vertex follows them, and they are left out.
    pub unbound: Vec<String>,
}

/// What sampling the keys of the root cost in one clip, over all joints that stay, in model space.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    /// The clip, by label.
    pub clip: String,
    /// Largest distance, metres.
    pub worst_m: f64,
    /// Its joint, by label.
    pub worst_m_joint: String,
    /// Its moment, seconds.
    pub worst_m_time: f64,
    /// Largest angle, radians.
    pub worst_rad: f64,
}

/// Why a joint cannot be made the root.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReRootError {
    /// Vertices of a skin follow joints on both sides of the cut.
    #[error("vertices of skin {skin} follow '{joint}', which is not below '{root}'{}",
        instead.as_ref().map(|j| format!("; '{j}' would work")).unwrap_or_default())]
    SkinAcross {
        /// Index of the skin in the file.
        skin: u32,
        /// The first joint of it that would be left out.
        joint: String,
        /// The root asked for.
        root: String,
        /// The nearest joint above the root that has all that the vertices follow below it; none where the
        /// skin spans several hierarchies.
        instead: Option<String>,
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
/// Ancestors that hold still go into the root's keys exactly, clip by clip; where one moves, the root's keys
/// are sampled at all key times, just before each jump of a STEP track, and 60 times a second, and the report
/// says what that cost. Joints beside the root are left out, and so are the meshes they carry and clips that
/// move nothing else; nodes that only carry a mesh whose vertices follow what stays are kept, at rest where
/// they were. Each clip that stays lasts as long as it did.
///
/// # Errors
/// [`ReRootError`] names the skin or the shear that stands in the way.
///
/// # Panics
/// Where `root` is not of the document's skeleton.
pub fn re_root(document: &Document, root: JointId) -> Result<(Document, ReRootReport), ReRootError> {
    let old = &document.skeleton;
    let below = subtree(old, root);
    let pulled: Vec<Vec<JointId>> = (0..document.skins.len()).map(|s| pulled_joints(document, s)).collect();
    if let Some((skin, outside)) = across(&pulled, &below) {
        return Err(ReRootError::SkinAcross {
            skin: document.skins[skin].source,
            joint: old.label(outside),
            root: old.label(root),
            instead: root_that_works(old, &pulled, root).map(|id| old.label(id)),
        });
    }
    let skin_stays: Vec<bool> = pulled.iter().map(|joints| joints.iter().any(|j| below[j.index()])).collect();
    let mut keep = below.clone();
    for instance in &document.instances {
        match instance.skin {
            Some(s) if skin_stays[s] => keep[instance.joint.index()] = true,
            _ => {}
        }
    }
    let cut = Cut { document, root, new_id: numbering(&keep), above: ancestors(old, root), below, keep };
    let mut report = ReRootReport {
        dropped: old.iter().filter(|(id, _)| !cut.keep[id.index()]).map(|(id, _)| old.label(id)).collect(),
        ..ReRootReport::default()
    };
    let skeleton = cut.skeleton()?;
    let mut clips = Vec::with_capacity(document.clips.len());
    for clip in &document.clips {
        let (new, sampled) = cut.clip(clip)?;
        if new.channels.is_empty() {
            report.dropped_clips.push(clip.label());
            continue;
        }
        if sampled {
            report.baked.push(cut.cost(&skeleton, clip, &new));
        }
        clips.push(new);
    }
    Ok((cut.finish(skeleton, clips, &skin_stays, &mut report), report))
}

/// A document, the joint that becomes its root, and what stays.
struct Cut<'a> {
    document: &'a Document,
    root: JointId,
    /// Ancestors of the root, `[joint]`.
    above: Vec<bool>,
    /// The root and what is below it, `[joint]`.
    below: Vec<bool>,
    /// Those, and nodes that carry a mesh that follows them, `[joint]`.
    keep: Vec<bool>,
    /// `[joint]`; none for those left out.
    new_id: Vec<Option<JointId>>,
}

impl Cut<'_> {
    fn old(&self) -> &Skeleton {
        &self.document.skeleton
    }

    fn shear(&self, clip: Option<&RawClip>, time: f64) -> ReRootError {
        ReRootError::Shear { root: self.old().label(self.root), clip: clip.map(RawClip::label), time }
    }

    fn skeleton(&self) -> Result<Skeleton, ReRootError> {
        let old = self.old();
        let mut model_ms = Vec::new();
        model_matrices(old, &RawPose::rest(old), &mut model_ms);
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        for (id, joint) in old.iter().filter(|(id, _)| self.keep[id.index()]) {
            let from = weights.len();
            weights.extend_from_slice(&old.rest_weights()[joint.weights.clone()]);
            let mut new = Joint { weights: from..weights.len(), ..joint.clone() };
            let beside = !self.below[id.index()];
            new.parent = joint.parent.filter(|_| !beside && id != self.root);
            new.parent = new.parent.and_then(|p| self.new_id[p.index()]);
            if (id == self.root || beside) && joint.parent.is_some() {
                let above = parent_matrix(old, &model_ms, id);
                let exact = Uniform::from_matrix(&above).filter(|_| joint.rest_matrix.is_none());
                let local = model_ms[id.index()];
                match exact.map(|above| above.of(&joint.rest)).or_else(|| DTransform::from_matrix(&local)) {
                    Some(rest) => (new.rest, new.rest_matrix) = (rest, None),
                    None if beside || joint.rest_matrix.is_some() => new.rest_matrix = Some(local),
                    None => return Err(self.shear(None, 0.0)),
                }
            }
            joints.push(new);
        }
        Ok(Skeleton::new(joints, weights)?)
    }

    /// The clip over the new skeleton, and whether keys of the root were sampled.
    fn clip(&self, clip: &RawClip) -> Result<(RawClip, bool), ReRootError> {
        let old = self.old();
        let broken = |error| ReRootError::Track { clip: clip.label(), error };
        let of_above = |c: &&Channel| self.above[c.joint.index()] && c.target != ChannelTarget::Weights;
        let on_root = |c: &Channel| c.joint == self.root && c.target != ChannelTarget::Weights;
        let moving = clip.channels.iter().filter(of_above).any(|c| !c.track.is_constant());
        // Where no ancestor moves, any moment tells where they all are.
        let above = self.above_at(Some(clip));
        let elsewhere = above != self.above_at(None);
        let still = if moving { None } else { Uniform::from_matrix(&above) };
        let mut new = RawClip { channels: Vec::new(), ..clip.clone() };
        let target_joint = self.new_id[self.root.index()];
        for channel in clip.channels.iter() {
            let Some(joint) = self.new_id[channel.joint.index()] else { continue };
            if channel.target == ChannelTarget::Weights
                || (self.below[channel.joint.index()] && channel.joint != self.root)
            {
                new.channels.push(Channel { joint, ..channel.clone() });
            } else if let (true, Some(still)) = (channel.joint == self.root, &still) {
                let track = still.apply(&channel.track, channel.target).map_err(broken)?;
                new.channels.push(Channel { joint, track, ..channel.clone() });
            }
        }
        let rest = old.joint(self.root);
        let mut sampled = false;
        if let Some(joint) = target_joint {
            match &still {
                // A matrix cannot be moved by a channel; sampling says whether it can be taken apart.
                Some(still) if rest.rest_matrix.is_none() => {
                    let pose = still.of(&rest.rest);
                    let rotation = pose.rotation.to_array();
                    let held = [
                        (ChannelTarget::Translation, pose.translation.to_array().to_vec()),
                        (ChannelTarget::Rotation, rotation.to_vec()),
                        (ChannelTarget::Scale, pose.scale.to_array().to_vec()),
                    ];
                    for (target, values) in held {
                        if elsewhere && !clip.channels.iter().any(|c| on_root(c) && c.target == target) {
                            let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
                            let track = Track::new(
                                [0.0].into(),
                                values.into(),
                                target_width(target),
                                Interpolation::Linear,
                            );
                            let track = track.map_err(broken)?;
                            new.channels.push(Channel { joint, target, track, source: 0 });
                        }
                    }
                }
                _ if moving || elsewhere || clip.channels.iter().any(on_root) => {
                    new.channels.retain(|c| !(c.joint == joint && c.target != ChannelTarget::Weights));
                    new.channels.extend(self.bake(clip, joint).map_err(|e| match e {
                        BakeError::Shear(time) => self.shear(Some(clip), time),
                        BakeError::Track(error) => broken(error),
                    })?);
                    sampled = true;
                }
                _ => {}
            }
        }
        hold_to(&mut new, clip.duration()).map_err(broken)?;
        Ok((new, sampled))
    }

    /// Model matrix of what stands above the root: at rest, or at the start of a clip.
    fn above_at(&self, clip: Option<&RawClip>) -> DMat4 {
        let mut pose = RawPose::rest(self.old());
        if let Some(clip) = clip {
            clip.sample(self.old(), 0.0, &mut pose);
        }
        let mut model_ms = Vec::new();
        model_matrices(self.old(), &pose, &mut model_ms);
        parent_matrix(self.old(), &model_ms, self.root)
    }

    /// Moments at which keys of STEP tracks above or on the root take over.
    fn jumps(&self, clip: &RawClip) -> Vec<f64> {
        let meets = |c: &&Channel| c.joint == self.root || self.above[c.joint.index()];
        let steps = clip.channels.iter().filter(meets).map(|c| &c.track);
        let steps = steps.filter(|t| t.interpolation() == Interpolation::Step);
        let mut jumps: Vec<f64> = steps.flat_map(|t| t.times().iter().skip(1).copied()).collect();
        jumps.sort_by(f64::total_cmp);
        jumps.dedup();
        jumps
    }

    /// The root's pose in model space as keys of its own.
    fn bake(&self, clip: &RawClip, joint: JointId) -> Result<[Channel; 3], BakeError> {
        let mut times = clip.key_times();
        // A bake rate is a rate; the only way to fail is a clip of days, whose keys then have to do.
        times.extend(uniform_times(clip.duration(), BAKE_RATE).unwrap_or_default());
        // Files hold times in single precision. A key goes there, with the pose of the exact moment; of two
        // that meet, the later one is what holds from then on.
        let mut moments: Vec<(f32, f64)> = times.iter().map(|&t| (t as f32, t)).collect();
        for jump in self.jumps(clip) {
            let before = (jump as f32).next_down();
            if before > 0.0 {
                moments.push((before, jump.next_down()));
            }
        }
        moments.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        moments.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = later.1;
            }
            same
        });
        let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
        let (mut t, mut r, mut s) = (Vec::<f32>::new(), Vec::<f32>::new(), Vec::<f32>::new());
        let mut last: Option<DQuat> = None;
        for &(_, time) in &moments {
            clip.sample(self.old(), time, &mut pose);
            model_matrices(self.old(), &pose, &mut model_ms);
            let local =
                DTransform::from_matrix(&model_ms[self.root.index()]).ok_or(BakeError::Shear(time))?;
            let turn = local.rotation;
            let turn = if last.is_some_and(|l| l.dot(turn) < 0.0) { -turn } else { turn };
            last = Some(turn);
            t.extend(local.translation.to_array().map(|x| x as f32));
            r.extend(turn.to_array().map(|x| x as f32));
            s.extend(local.scale.to_array().map(|x| x as f32));
        }
        let times: Arc<[f64]> = moments.iter().map(|m| f64::from(m.0)).collect();
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

    /// How far joints that stay are from where they were.
    fn cost(&self, skeleton: &Skeleton, was: &RawClip, is: &RawClip) -> BakedClip {
        let pairs: Vec<(JointId, JointId)> = self
            .old()
            .iter()
            .filter(|(id, _)| self.below[id.index()])
            .filter_map(|(id, _)| Some((id, self.new_id[id.index()]?)))
            .collect();
        let mut times = uniform_times(was.duration(), MEASURE_RATE).unwrap_or_default();
        times.extend(was.key_times());
        times.sort_by(f64::total_cmp);
        times.dedup();
        // A jump is within two steps of single precision of its moment, which is as near as a file can say.
        let jumps = self.jumps(was);
        times.retain(|&t| {
            let from = f64::from((t as f32).next_down().next_down());
            let to = f64::from((t as f32).next_up().next_up());
            let near = &jumps[jumps.partition_point(|&j| j < from)..];
            let exact = t == f64::from(t as f32);
            near.iter().take_while(|&&j| j <= to).all(|&j| exact && j == t)
        });
        let (a, b) = ((self.old(), was), (skeleton, is));
        let found = DifferenceJob { a, b, pairs: &pairs, times: &times, space: Space::Model }.run();
        BakedClip {
            clip: was.label(),
            worst_m: found.position.value,
            worst_m_joint: self.old().label(found.position.joint),
            worst_m_time: found.position.time,
            worst_rad: found.rotation.value,
        }
    }

    /// The rest of the document, with joints renumbered and what refers to joints that are gone left out.
    fn finish(
        &self,
        skeleton: Skeleton,
        clips: Vec<RawClip>,
        skin_stays: &[bool],
        report: &mut ReRootReport,
    ) -> Document {
        let document = self.document;
        let (mut skins, mut new_skin) = (Vec::new(), vec![None; document.skins.len()]);
        // Where joints were taken out of a skin: the new place of each.
        let mut places: Vec<Option<Vec<Option<u16>>>> = vec![None; document.skins.len()];
        for (i, skin) in document.skins.iter().enumerate() {
            let label = skin.name.clone().unwrap_or_else(|| format!("skin {}", skin.source));
            if !skin_stays[i] {
                report.dropped_skins.push(label);
                continue;
            }
            let mut new = Skin { joints: Vec::new(), inverse_bind: Vec::new(), ..skin.clone() };
            let mut place = Vec::with_capacity(skin.joints.len());
            for (k, joint) in skin.joints.iter().enumerate() {
                let Some(id) = self.new_id[joint.index()].filter(|_| self.below[joint.index()]) else {
                    place.push(None);
                    report.unbound.push(format!("{} from {label}", self.old().label(*joint)));
                    continue;
                };
                place.push(Some(new.joints.len() as u16));
                new.joints.push(id);
                new.inverse_bind.extend(skin.inverse_bind.get(k));
            }
            if new.joints.len() != skin.joints.len() {
                places[i] = Some(place);
            }
            new_skin[i] = Some(skins.len());
            skins.push(new);
        }
        // A mesh that skins cut in different ways use becomes one for each.
        let kept = document.instances.iter().filter_map(|instance| {
            let joint = self.new_id[instance.joint.index()]?;
            match instance.skin {
                Some(s) => Some((joint, instance, Some((s, new_skin[s]?)))),
                None => self.below[instance.joint.index()].then_some((joint, instance, None)),
            }
        });
        let kept: Vec<_> = kept.collect();
        let key = |instance: &MeshInstance| (instance.mesh, instance.skin.filter(|s| places[*s].is_some()));
        let mut new_mesh: BTreeMap<(usize, Option<usize>), usize> =
            kept.iter().map(|(_, instance, _)| (key(instance), 0)).collect();
        new_mesh.values_mut().enumerate().for_each(|(i, at)| *at = i);
        let meshes: Vec<Mesh> = new_mesh
            .keys()
            .map(|(mesh, skin)| match skin.and_then(|s| places[s].as_ref()) {
                Some(place) => moved_influences(&document.meshes[*mesh], place),
                None => document.meshes[*mesh].clone(),
            })
            .collect();
        for (i, mesh) in document.meshes.iter().enumerate() {
            if !new_mesh.keys().any(|(m, _)| *m == i) {
                let label = mesh.name.clone().unwrap_or_else(|| format!("mesh {}", mesh.source));
                report.dropped_meshes.push(label);
            }
        }
        let mut carried = document.carried.clone();
        (carried.attributes, carried.primitives, carried.meshes) = Default::default();
        let old_carried = &document.carried;
        for ((mesh, _), new) in &new_mesh {
            let of_mesh = (*mesh, 0)..(*mesh + 1, 0);
            let attributes = old_carried.attributes.range(of_mesh.clone());
            carried.attributes.extend(attributes.map(|((_, part), v)| ((*new, *part), v.clone())));
            let primitives = old_carried.primitives.range(of_mesh);
            carried.primitives.extend(primitives.map(|((_, part), v)| ((*new, *part), v.clone())));
            carried.meshes.extend(old_carried.meshes.get(mesh).map(|v| (*new, v.clone())));
        }
        let instances = kept.iter().map(|(joint, instance, skin)| MeshInstance {
            joint: *joint,
            mesh: new_mesh[&key(instance)],
            skin: skin.map(|(_, new)| new),
        });
        let roots = skeleton.iter().filter(|(_, j)| j.parent.is_none()).map(|(id, _)| id).collect();
        let name = document.default_scene.and_then(|s| document.scenes.get(s)).and_then(|s| s.name.clone());
        Document {
            name: document.name.clone(),
            format: document.format,
            clips,
            meshes,
            skins,
            instances: instances.collect(),
            scenes: vec![Scene { name, roots }],
            default_scene: Some(0),
            carried,
            skeleton,
        }
    }
}

/// Joints of a skin that some vertex follows; all of them where nothing tells.
fn pulled_joints(document: &Document, skin: usize) -> Vec<JointId> {
    let joints = &document.skins[skin].joints;
    let mut pulled = vec![false; joints.len()];
    for instance in document.instances.iter().filter(|i| i.skin == Some(skin)) {
        let primitives = document.meshes.get(instance.mesh).into_iter().flat_map(|m| &m.primitives);
        for influences in primitives.filter_map(|p| p.influences.as_ref()) {
            for (joint, weight) in influences.joints.iter().zip(&influences.weights) {
                if *weight != 0.0
                    && let Some(pulled) = pulled.get_mut(usize::from(*joint))
                {
                    *pulled = true;
                }
            }
        }
    }
    if !pulled.contains(&true) {
        return joints.clone();
    }
    joints.iter().zip(pulled).filter(|(_, pulled)| *pulled).map(|(joint, _)| *joint).collect()
}

/// The first skin whose vertices follow joints in `below` and others, and the first of those others.
fn across(pulled: &[Vec<JointId>], below: &[bool]) -> Option<(usize, JointId)> {
    pulled.iter().enumerate().find_map(|(skin, joints)| {
        joints.iter().find(|j| below[j.index()])?;
        joints.iter().find(|j| !below[j.index()]).map(|outside| (skin, *outside))
    })
}

/// The nearest ancestor of `root` that no skin lies across.
fn root_that_works(skeleton: &Skeleton, pulled: &[Vec<JointId>], root: JointId) -> Option<JointId> {
    let mut at = skeleton.joint(root).parent;
    while let Some(id) = at {
        if across(pulled, &subtree(skeleton, id)).is_none() {
            return Some(id);
        }
        at = skeleton.joint(id).parent;
    }
    None
}

/// A mesh whose vertices name joints of a skin by their new places.
fn moved_influences(mesh: &Mesh, place: &[Option<u16>]) -> Mesh {
    let mut mesh = mesh.clone();
    for influences in mesh.primitives.iter_mut().filter_map(|p| p.influences.as_mut()) {
        for joint in &mut influences.joints {
            // One that is gone has no weight, and 0 stands for it.
            *joint = place.get(usize::from(*joint)).copied().flatten().unwrap_or(0);
        }
    }
    mesh
}

/// Gives a clip that would end earlier a key at `end` that changes nothing.
fn hold_to(clip: &mut RawClip, end: f64) -> Result<(), TrackError> {
    if clip.duration() as f32 >= end as f32 {
        return Ok(());
    }
    let Some(channel) = clip.channels.iter_mut().min_by_key(|c| c.track.len()) else { return Ok(()) };
    let track = &channel.track;
    let (last, width) = (track.key_value(track.len() - 1).to_vec(), track.width());
    let times: Vec<f64> = track.times().iter().copied().chain([end]).collect();
    let mut values = track.values().to_vec();
    if track.interpolation() == Interpolation::CubicSpline {
        // The tangent after the last key was never used; now it would be.
        let tangent = values.len() - width;
        values[tangent..].fill(0.0);
        values.extend(std::iter::repeat_n(0.0, width).chain(last).chain(std::iter::repeat_n(0.0, width)));
    } else {
        values.extend(last);
    }
    channel.track = match channel.target {
        ChannelTarget::Rotation => Track::rotation(times.into(), values.into(), track.interpolation())?,
        _ => Track::new(times.into(), values.into(), width, track.interpolation())?,
    };
    Ok(())
}

fn target_width(target: ChannelTarget) -> usize {
    if target == ChannelTarget::Rotation { 4 } else { 3 }
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

fn ancestors(skeleton: &Skeleton, joint: JointId) -> Vec<bool> {
    let mut above = vec![false; skeleton.len()];
    let mut at = skeleton.joint(joint).parent;
    while let Some(id) = at {
        above[id.index()] = true;
        at = skeleton.joint(id).parent;
    }
    above
}

/// Model matrix of a joint's parent; identity where it has none.
fn parent_matrix(skeleton: &Skeleton, model_ms: &[DMat4], joint: JointId) -> DMat4 {
    skeleton.joint(joint).parent.map_or(DMat4::IDENTITY, |p| model_ms[p.index()])
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
        let size = scale.abs();
        if (size - DVec3::splat(size.x)).abs().max_element() > ONE_SCALE * size.x {
            return None;
        }
        let one = size.element_sum() / 3.0;
        // A mirrored axis is half a turn about it and all three axes mirrored.
        Some(if scale.x < 0.0 {
            let rotation = rotation * DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
            Self { rotation, scale: -one, translation }
        } else {
            Self { rotation, scale: one, translation }
        })
    }

    /// This as the parent of a pose.
    fn of(&self, child: &DTransform) -> DTransform {
        DTransform {
            translation: self.rotation * (child.translation * self.scale) + self.translation,
            rotation: self.rotation * child.rotation,
            scale: child.scale * self.scale,
        }
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
