//! Poses of a recording as a clip, the body in the world.

use std::sync::Arc;

use glam::DQuat;
use sinew::action::FrameRecord;
use sinew::{Channel, ChannelTarget, Interpolation, JointId, RawClip, RawPose, Skeleton, Track, TrackError};
use sinew_asset::{Document, Loaded, NoFiles, ReadOptions, WriteOptions, read_gltf, write_glb};

use super::keys::RATE;
use crate::StudyError;

/// Poses with the body's own transform in the root.
pub(crate) fn world_poses(frames: &[FrameRecord], root: JointId) -> Vec<RawPose> {
    let world = |record: &FrameRecord| {
        let mut pose = RawPose::default();
        record.world_pose(root, &mut pose);
        pose
    };
    frames.iter().map(world).collect()
}

/// A clip with a key a frame of a recording.
pub(crate) fn clip(
    name: &str,
    source: usize,
    skeleton: &Skeleton,
    poses: &[RawPose],
) -> Result<RawClip, StudyError> {
    clip_at(RATE, name, source, skeleton, poses)
}

/// A clip with so many keys a second. Properties that never leave the rest pose have no channel, those that never
/// change have one key at each end.
pub(crate) fn clip_at(
    rate: f64,
    name: &str,
    source: usize,
    skeleton: &Skeleton,
    poses: &[RawPose],
) -> Result<RawClip, StudyError> {
    let mut channels = Vec::new();
    for (id, joint) in skeleton.iter() {
        let index = id.index();
        let rest = joint.rest;
        let translation: Vec<[f32; 3]> =
            poses.iter().map(|p| p.local[index].translation.as_vec3().to_array()).collect();
        let rotation = continuous(poses.iter().map(|p| p.local[index].rotation));
        let scale: Vec<[f32; 3]> = poses.iter().map(|p| p.local[index].scale.as_vec3().to_array()).collect();
        let lists = [
            (ChannelTarget::Translation, keys(&translation, rest.translation.as_vec3().to_array())),
            (ChannelTarget::Rotation, keys(&rotation, rest.rotation.as_quat().to_array())),
            (ChannelTarget::Scale, keys(&scale, rest.scale.as_vec3().to_array())),
        ];
        for (target, list) in lists {
            let Some((frames, values)) = list else { continue };
            let times: Arc<[f64]> = frames.iter().map(|frame| moment(rate, *frame)).collect();
            let track = track(target, times, values).map_err(StudyError::build("a track"))?;
            channels.push(Channel { joint: id, target, track, source: channels.len() as u32 });
        }
    }
    Ok(RawClip { name: Some(name.into()), source: source as u32, channels, ..RawClip::default() })
}

/// The moment of a frame of a recording as a file holds it.
pub(crate) fn seconds(frame: usize) -> f64 {
    moment(RATE, frame)
}

/// The moment of a key as a file holds it.
fn moment(rate: f64, frame: usize) -> f64 {
    f64::from((frame as f64 / rate) as f32)
}

fn track(target: ChannelTarget, times: Arc<[f64]>, values: Arc<[f32]>) -> Result<Track, TrackError> {
    match target {
        ChannelTarget::Rotation => Track::rotation(times, values, Interpolation::Linear),
        _ => Track::new(times, values, 3, Interpolation::Linear),
    }
}

/// Signs on the short way from frame to frame.
fn continuous(rotations: impl Iterator<Item = DQuat>) -> Vec<[f32; 4]> {
    let mut before = DQuat::IDENTITY;
    rotations
        .map(|q| {
            let q = if before.dot(q) < 0.0 { -q } else { q };
            before = q;
            q.as_quat().to_array()
        })
        .collect()
}

/// Frames with keys and their values; nothing where all are the rest pose's.
fn keys<const N: usize>(values: &[[f32; N]], rest: [f32; N]) -> Option<(Vec<usize>, Arc<[f32]>)> {
    let first = values.first()?;
    let last = values.len() - 1;
    if values.iter().any(|v| v != first) {
        return Some(((0..values.len()).collect(), values.iter().flatten().copied().collect()));
    }
    (*first != rest).then(|| (vec![0, last], [*first, *first].into_iter().flatten().collect()))
}

/// Writes a document as a file's bytes and reads them back.
pub(crate) fn through_a_file(document: &Document, what: &str) -> Result<(Vec<u8>, Loaded), StudyError> {
    let bytes = write_glb(document, &WriteOptions::default())
        .map_err(|source| StudyError::Write { what: what.into(), source })?;
    let loaded = read_gltf(&bytes, &NoFiles, &ReadOptions::default())
        .map_err(|source| StudyError::Read { what: what.into(), source })?;
    Ok((bytes, loaded))
}

/// Largest distance of any bone between poses and a clip that was read back, metres.
pub(crate) fn readback_error(skeleton: &Skeleton, poses: &[RawPose], loaded: &Document, clip: usize) -> f64 {
    readback_error_at(RATE, skeleton, poses, loaded, clip)
}

/// The same with so many keys a second.
pub(crate) fn readback_error_at(
    rate: f64,
    skeleton: &Skeleton,
    poses: &[RawPose],
    loaded: &Document,
    clip: usize,
) -> f64 {
    let (mut pose, mut here_ms, mut there_ms) = (RawPose::default(), Vec::new(), Vec::new());
    let mut worst: f64 = 0.0;
    for (frame, exact) in poses.iter().enumerate() {
        sinew::model_matrices(skeleton, exact, &mut here_ms);
        loaded.clips[clip].sample(&loaded.skeleton, moment(rate, frame), &mut pose);
        sinew::model_matrices(&loaded.skeleton, &pose, &mut there_ms);
        for (id, _) in skeleton.iter() {
            let Some(same) = loaded.skeleton.find(&skeleton.label(id)) else { return f64::INFINITY };
            let apart = here_ms[id.index()].w_axis.truncate() - there_ms[same.index()].w_axis.truncate();
            worst = worst.max(apart.length());
        }
    }
    worst
}
