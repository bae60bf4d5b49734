//! Which track of a clip moves which joint of a character: by name, never by position.

use std::collections::{BTreeMap, BTreeSet};

use super::{HeadSubtree, HierarchyError};
use crate::{ChannelTarget, ClipError, JointId, RawClip, Skeleton};

/// Which target bone a source bone stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameMap {
    pairs: Vec<(String, String)>,
    /// Source to the place of its first pair.
    places: BTreeMap<String, usize>,
    same_names: bool,
}

impl NameMap {
    /// Every bone stands for the one of its own name.
    #[must_use]
    pub fn same_names() -> Self {
        Self { same_names: true, ..Self::default() }
    }

    /// Only these, source and target.
    #[must_use]
    pub fn explicit(pairs: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        let pairs = pairs.into_iter().map(|(source, target)| (source.into(), target.into()));
        let pairs: Vec<(String, String)> = pairs.collect();
        let mut places = BTreeMap::new();
        for (place, (source, _)) in pairs.iter().enumerate() {
            places.entry(source.clone()).or_insert(place);
        }
        Self { pairs, places, same_names: false }
    }

    /// What is not listed stands for the bone of its own name.
    #[must_use]
    pub fn or_same_names(mut self) -> Self {
        self.same_names = true;
        self
    }

    /// The target of a source bone.
    #[must_use]
    pub fn target<'a>(&'a self, source: &'a str) -> Option<&'a str> {
        let listed = self.places.get(source).map(|place| self.pairs[*place].1.as_str());
        listed.or(self.same_names.then_some(source))
    }
}

/// Which properties a track has keys for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackParts {
    /// Index in [`RawClip::channels`] of the translation's keys.
    pub translation: Option<usize>,
    /// Of the rotation's.
    pub rotation: Option<usize>,
    /// Of the scale's.
    pub scale: Option<usize>,
}

impl TrackParts {
    /// Whether all three are there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.translation.is_some() && self.rotation.is_some() && self.scale.is_some()
    }
}

/// A track and the joint that it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackBinding {
    /// Number of the track: its bone's place among the bones that have channels, in the clip's order.
    pub track: usize,
    /// The bone in the source.
    pub source: JointId,
    /// Its name there.
    pub source_bone: String,
    /// The parent that the track's values are relative to, in the source.
    pub source_parent: Option<String>,
    /// The joint that it moves.
    pub target: JointId,
    /// Its name.
    pub target_bone: String,
    /// The parent that it is written relative to.
    pub target_parent: Option<String>,
    /// Mesh that the target skeleton moves.
    pub mesh: String,
    /// The target skeleton.
    pub skeleton: String,
    /// What it has keys for.
    pub parts: TrackParts,
}

/// Why a track moves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbound {
    /// Its bone has no name.
    Unnamed,
    /// The map says nothing about its bone.
    NotMapped,
    /// The target skeleton has no bone of the mapped name.
    NoTarget {
        /// The name.
        target_bone: String,
    },
    /// The target bone is outside the subtree.
    OutsideSubtree {
        /// Its name.
        target_bone: String,
    },
    /// It only has keys for morph weights.
    WeightsOnly,
}

/// A track that moves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundTrack {
    /// Its number.
    pub track: usize,
    /// Its bone in the source, or `node 7` where it has no name.
    pub source_bone: String,
    /// Why.
    pub why: Unbound,
}

/// What a binding left out, and what it found odd.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindReport {
    /// Tracks that move nothing, in the order of their numbers.
    pub unbound: Vec<UnboundTrack>,
    /// Joints to be written that have no track.
    pub absent: Vec<JointId>,
    /// Joints to be written whose track lacks a property.
    pub partial: Vec<JointId>,
    /// Positions in [`Binding::tracks`] whose parent in the source does not stand for the target's parent: the
    /// values are relative to something else.
    pub other_parent: Vec<usize>,
    /// Source bones that the map lists and no track has.
    pub unused_names: Vec<String>,
}

impl BindReport {
    /// Whether every track moves a joint, every joint has a whole track, and parents agree.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

/// Why there is no binding.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BindError {
    /// The clip is not of its skeleton.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Two tracks for one joint.
    #[error("bones {first:?} and {second:?} of the source both stand for {target_bone:?}")]
    TwoTracks {
        /// The earlier source bone.
        first: String,
        /// The later one.
        second: String,
        /// The target of both.
        target_bone: String,
    },
    /// A name that must tell one bone tells several.
    #[error(transparent)]
    Name(HierarchyError),
    /// The map lists a bone twice.
    #[error("the map lists bone {source_bone:?} twice")]
    RepeatedEntry {
        /// The bone.
        source_bone: String,
    },
    /// The subtree is of another skeleton.
    #[error("the subtree is of a skeleton of {found} joints, the target has {expected}")]
    Subtree {
        /// Joints of its skeleton.
        found: usize,
        /// Joints of the target.
        expected: usize,
    },
}

/// What to bind to what.
#[derive(Clone, Copy, Debug)]
pub struct BindRequest<'a> {
    /// Skeleton that the clip was made for.
    pub source: &'a Skeleton,
    /// The clip.
    pub clip: &'a RawClip,
    /// The skeleton to move.
    pub target: &'a Skeleton,
    /// Names.
    pub map: &'a NameMap,
    /// Name of the mesh that the target moves, for the record.
    pub mesh: &'a str,
    /// Name of the target, for the record.
    pub skeleton: &'a str,
    /// What may be written; everything where absent.
    pub subtree: Option<&'a HeadSubtree>,
}

/// The tracks of a clip bound to joints of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    tracks: Vec<TrackBinding>,
    report: BindReport,
    /// Joints to be written, each with its place in `tracks`.
    writes: Vec<(JointId, Option<usize>)>,
    joints: usize,
}

impl Binding {
    /// Binds by name.
    ///
    /// # Errors
    /// [`BindError`] where names do not tell which joint a track moves. What merely does not map is in
    /// [`Binding::report`].
    pub fn new(request: &BindRequest<'_>) -> Result<Self, BindError> {
        let BindRequest { source, clip, target, map, mesh, skeleton, subtree } = *request;
        clip.validate(source)?;
        if let Some(found) = subtree.map(HeadSubtree::skeleton_len)
            && found != target.len()
        {
            return Err(BindError::Subtree { found, expected: target.len() });
        }
        for (i, (name, _)) in map.pairs.iter().enumerate() {
            if map.places.get(name) != Some(&i) {
                return Err(BindError::RepeatedEntry { source_bone: name.clone() });
            }
        }
        let (mut tracks, mut report) = (Vec::<TrackBinding>::new(), BindReport::default());
        let bones = tracked_bones(clip, source.len());
        let by_name = bones_by_name(target);
        // Of each joint of the target, its place in `tracks`.
        let mut bound_to: Vec<Option<usize>> = vec![None; target.len()];
        for (track, &(bone, parts)) in bones.iter().enumerate() {
            match target_of(request, &by_name, bone, &parts)? {
                Ok(joint) => {
                    let (source_bone, target_bone) = (source.label(bone), target.label(joint));
                    if let Some(earlier) = bound_to[joint.index()].replace(tracks.len()) {
                        let first = tracks[earlier].source_bone.clone();
                        return Err(BindError::TwoTracks { first, second: source_bone, target_bone });
                    }
                    let parent_of = |of: &Skeleton, id| of.joint(id).parent.map(|parent| of.label(parent));
                    tracks.push(TrackBinding {
                        track,
                        source: bone,
                        source_bone,
                        source_parent: parent_of(source, bone),
                        target: joint,
                        target_bone,
                        target_parent: parent_of(target, joint),
                        mesh: mesh.to_owned(),
                        skeleton: skeleton.to_owned(),
                        parts,
                    });
                }
                Err(why) => {
                    report.unbound.push(UnboundTrack { track, source_bone: source.label(bone), why });
                }
            }
        }
        for (i, bound) in tracks.iter().enumerate() {
            let stands_for = bound.source_parent.as_deref().map(|name| map.target(name));
            if stands_for != bound.target_parent.as_deref().map(Some) {
                report.other_parent.push(i);
            }
        }
        let tracked: BTreeSet<&str> =
            bones.iter().filter_map(|(bone, _)| source.joint(*bone).name.as_deref()).collect();
        let listed = map.pairs.iter().map(|(name, _)| name);
        report.unused_names = listed.filter(|name| !tracked.contains(name.as_str())).cloned().collect();
        let may = |joint: &JointId| subtree.is_none_or(|subtree| subtree.contains(*joint));
        let mut writes = Vec::new();
        for joint in (0..target.len()).map(|i| JointId(i as u32)).filter(may) {
            let bound = bound_to[joint.index()];
            match bound.map(|track| tracks[track].parts.is_complete()) {
                None => report.absent.push(joint),
                Some(false) => report.partial.push(joint),
                Some(true) => {}
            }
            writes.push((joint, bound));
        }
        Ok(Self { tracks, report, writes, joints: target.len() })
    }

    /// The bound tracks, in the order of their numbers.
    #[must_use]
    pub fn tracks(&self) -> &[TrackBinding] {
        &self.tracks
    }

    /// What did not map.
    #[must_use]
    pub fn report(&self) -> &BindReport {
        &self.report
    }

    /// The joints that are written, parents before children, each with its place in [`Binding::tracks`].
    #[must_use]
    pub fn writes(&self) -> &[(JointId, Option<usize>)] {
        &self.writes
    }

    /// Joints of the target.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.joints
    }
}

/// Bones that have channels, in the order of their first one, and which channels. Of two channels for one
/// property the last one counts, as in sampling.
fn tracked_bones(clip: &RawClip, joints: usize) -> Vec<(JointId, TrackParts)> {
    let mut bones: Vec<(JointId, TrackParts)> = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; joints];
    for (index, channel) in clip.channels.iter().enumerate() {
        let place = *places[channel.joint.index()].get_or_insert(bones.len());
        if place == bones.len() {
            bones.push((channel.joint, TrackParts::default()));
        }
        let parts = &mut bones[place].1;
        match channel.target {
            ChannelTarget::Translation => parts.translation = Some(index),
            ChannelTarget::Rotation => parts.rotation = Some(index),
            ChannelTarget::Scale => parts.scale = Some(index),
            ChannelTarget::Weights => {}
        }
    }
    bones
}

/// Of each name, the first bone that has it and the second.
fn bones_by_name(skeleton: &Skeleton) -> BTreeMap<&str, (JointId, Option<JointId>)> {
    let mut bones: BTreeMap<&str, (JointId, Option<JointId>)> = BTreeMap::new();
    for (id, joint) in skeleton.iter() {
        let Some(name) = joint.name.as_deref() else { continue };
        bones.entry(name).and_modify(|(_, second)| *second = second.or(Some(id))).or_insert((id, None));
    }
    bones
}

fn target_of(
    request: &BindRequest<'_>,
    by_name: &BTreeMap<&str, (JointId, Option<JointId>)>,
    bone: JointId,
    parts: &TrackParts,
) -> Result<Result<JointId, Unbound>, BindError> {
    let BindRequest { source, map, subtree, .. } = *request;
    let Some(name) = source.joint(bone).name.as_deref().filter(|name| !name.is_empty()) else {
        return Ok(Err(Unbound::Unnamed));
    };
    if *parts == TrackParts::default() {
        return Ok(Err(Unbound::WeightsOnly));
    }
    let Some(wanted) = map.target(name) else { return Ok(Err(Unbound::NotMapped)) };
    let target_bone = || wanted.to_owned();
    Ok(match by_name.get(wanted) {
        None => Err(Unbound::NoTarget { target_bone: target_bone() }),
        Some((first, Some(second))) => {
            let (name, first, second) = (target_bone(), first.index(), second.index());
            return Err(BindError::Name(HierarchyError::RepeatedName { name, first, second }));
        }
        Some((joint, None)) if subtree.is_some_and(|subtree| !subtree.contains(*joint)) => {
            Err(Unbound::OutsideSubtree { target_bone: target_bone() })
        }
        Some((joint, None)) => Ok(*joint),
    })
}
