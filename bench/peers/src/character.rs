//! What is posed: the joints of a file, nothing else of it, and the two clips that play on them.

use std::path::Path;

use serde_json::Value;
use sinew::{ChannelTarget, JointId, RawClip, RawPose, Skeleton, Track, model_matrices, slerp_short};
use sinew_asset::{Document, ReadOptions, load};

use crate::measure::Play;

/// Which clips of which files are measured; `three.mjs` reads the same list.
const CLIPS: &str = include_str!("../clips.json");

/// Shares of the two clips where they are blended; the same in every peer.
pub(crate) const WEIGHTS: [f64; 2] = [0.7, 0.3];

/// One entry of the list, ready to be posed. Every peer poses exactly these joints.
pub(crate) struct Character {
    /// Its name in the rows.
    pub(crate) clip: String,
    /// Whether others pose it too.
    pub(crate) peers: bool,
    /// Joints of the file's skins and what they hang from; all nodes where there is no skin.
    pub(crate) skeleton: Skeleton,
    /// The clip, and the one blended with it.
    pub(crate) clips: [RawClip; 2],
    /// Largest distance of a joint from the middle of all, at rest; in the file's unit.
    pub(crate) size: f64,
}

impl Character {
    /// How rows are headed where this many characters play the first clip.
    pub(crate) fn play(&self, characters: usize) -> Play {
        // Exporters write noise of the last digit into what stands still.
        let moves = |track: &Track| {
            let (first, keys) = (track.key_value(0), 1..track.len());
            keys.clone().any(|k| track.key_value(k).iter().zip(first).any(|(a, b)| (a - b).abs() > 1e-5))
        };
        Play {
            clip: self.clip.clone(),
            characters,
            repeats: 1,
            joints: self.skeleton.len(),
            size: None,
            moving_channels: self.clips[0].channels.iter().filter(|c| moves(&c.track)).count(),
        }
    }

    /// When the `index`th of `count` characters starts, seconds; no two look alike.
    pub(crate) fn phase(&self, clip: usize, index: usize, count: usize) -> f64 {
        self.clips[clip].duration() * (index as f64 + 0.37 * clip as f64) / count as f64
    }

    /// Model matrices of the first `times.len()` clips at these times, blended by [`WEIGHTS`], evaluated
    /// in double precision from the keys as stored. A property that only one clip moves is that clip's.
    pub(crate) fn exact(&self, times: &[f64]) -> Vec<glam::DMat4> {
        let mut poses = [RawPose::default(), RawPose::default()];
        for ((clip, pose), time) in self.clips.iter().zip(&mut poses).zip(times) {
            clip.sample(&self.skeleton, *time, pose);
        }
        let [mut pose, other] = poses;
        if times.len() == 2 {
            let share = WEIGHTS[1] / (WEIGHTS[0] + WEIGHTS[1]);
            for channel in &self.clips[1].channels {
                let both = self.clips[0].channel(channel.joint, channel.target).is_some();
                let share = if both { share } else { 1.0 };
                let (a, b) = (&mut pose.local[channel.joint.index()], &other.local[channel.joint.index()]);
                match channel.target {
                    ChannelTarget::Translation => {
                        a.translation = a.translation.lerp(b.translation, share);
                    }
                    ChannelTarget::Rotation => a.rotation = slerp_short(a.rotation, b.rotation, share),
                    ChannelTarget::Scale => a.scale = a.scale.lerp(b.scale, share),
                    ChannelTarget::Weights => {}
                }
            }
        }
        let mut matrices = Vec::new();
        model_matrices(&self.skeleton, &pose, &mut matrices);
        matrices
    }

    /// Largest distance between two sets of model matrices, as a share of the character's size: of joints
    /// and of points a tenth of the size away along their axes, so that rotation and scale count too.
    pub(crate) fn difference(&self, a: &[glam::DMat4], b: &[glam::DMat4]) -> f64 {
        let arm = 0.1 * self.size;
        let points = [glam::DVec3::ZERO, glam::DVec3::X * arm, glam::DVec3::Y * arm, glam::DVec3::Z * arm];
        let apart = |(a, b): (&glam::DMat4, &glam::DMat4)| {
            points.map(|p| a.transform_point3(p).distance(b.transform_point3(p))).into_iter()
        };
        // A NaN among them stays; `max` would drop it.
        let larger = |worst: f64, d: f64| if worst.is_nan() || d <= worst { worst } else { d };
        a.iter().zip(b).flat_map(apart).fold(0.0, larger) / self.size
    }
}

/// Joints of a document's skins and everything above them, all of them where there is no skin, and what cuts a clip
/// down to these.
pub(crate) fn pruned(document: &Document) -> Result<(Skeleton, impl Fn(&RawClip) -> RawClip), String> {
    let all = document.skeleton.joints();
    let mut kept = vec![document.skins.is_empty(); all.len()];
    for joint in document.skins.iter().flat_map(|skin| &skin.joints) {
        let mut at = Some(*joint);
        while let Some(id) = at {
            kept[id.index()] = true;
            at = all[id.index()].parent;
        }
    }
    let old: Vec<usize> = (0..all.len()).filter(|&i| kept[i]).collect();
    let mut joints: Vec<_> = old.iter().map(|&i| all[i].clone()).collect();
    // A skeleton numbers its joints itself; one of as many joints has the identifiers that are needed.
    let ids: Vec<JointId> = document.skeleton.iter().map(|(id, _)| id).collect();
    let renumbered = move |id: JointId| old.binary_search(&id.index()).ok().map(|new| ids[new]);
    for joint in &mut joints {
        joint.parent = joint.parent.and_then(&renumbered);
        joint.weights = 0..0;
        if joint.rest_matrix.is_some() {
            return Err("a joint with shear is not for a comparison".to_owned());
        }
    }
    let skeleton = Skeleton::new(joints, vec![]).map_err(|e| e.to_string())?;
    let prune = move |clip: &RawClip| {
        let mut clip = clip.clone();
        clip.channels.retain_mut(|c| match renumbered(c.joint) {
            Some(joint) if c.target != ChannelTarget::Weights => {
                c.joint = joint;
                true
            }
            _ => false,
        });
        clip.curves.clear();
        clip.events.clear();
        clip
    };
    Ok((skeleton, prune))
}

/// Every character of the list whose name contains `only`.
pub(crate) fn characters(shared: &Path, only: &str) -> Result<Vec<Character>, String> {
    let list: Value = serde_json::from_str(CLIPS).map_err(|e| format!("clips.json: {e}"))?;
    let entries = list.as_array().into_iter().flatten();
    entries
        .filter(|entry| entry["clip"].as_str().is_some_and(|clip| clip.contains(only)))
        .map(|entry| read(shared, entry))
        .collect()
}

fn read(shared: &Path, entry: &Value) -> Result<Character, String> {
    let text = |v: &Value| v.as_str().map(str::to_owned).ok_or_else(|| format!("clips.json: {entry}"));
    let clip = text(&entry["clip"])?;
    let path = shared.join("data").join(text(&entry["file"])?);
    let document = load(&path, &ReadOptions::default()).map_err(|e| e.to_string())?.document;
    let find = |name: &Value| {
        let name = text(name)?;
        let found = document.clips.iter().find(|c| c.name.as_deref() == Some(&name));
        found.ok_or_else(|| format!("{} has no clip {name}", path.display()))
    };

    let (skeleton, prune) = pruned(&document).map_err(|e| format!("{}: {e}", path.display()))?;
    let clips = [prune(find(&entry["play"][0])?), prune(find(&entry["play"][1])?)];
    for clip in &clips {
        clip.validate(&skeleton).map_err(|e| e.to_string())?;
    }

    let mut rest = Vec::new();
    model_matrices(&skeleton, &RawPose::rest(&skeleton), &mut rest);
    let at: Vec<_> = rest.iter().map(|m| m.w_axis.truncate()).collect();
    let middle = at.iter().sum::<glam::DVec3>() / at.len() as f64;
    let size = at.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
    let peers = entry["peers"] != false;
    Ok(Character { clip, peers, skeleton, clips, size })
}
