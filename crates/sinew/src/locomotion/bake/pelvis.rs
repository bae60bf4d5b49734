//! The remainder of a split path, moved from the root to the pelvis.

use std::sync::Arc;

use glam::{DMat4, DVec2, DVec3};

use super::super::error::LocomotionError;
use super::job::{DistanceBake, DistanceBakeSettings, DistanceTravel};
use super::root_path::sample_times;
use super::way::{along, curved_way, direction};
use super::{RootPath, SignedPath};
use crate::{
    Channel, ChannelTarget, DTransform, Interpolation, JointId, RawPose, Skeleton, Track, model_matrices,
};

/// A clip whose root only carries progress: what it does besides is moved to the pelvis, which stays where it
/// is in every frame. For engines that move a capsule by the root itself.
///
/// From one marker to the next the root goes on along its way, or stands, from where it is at the one to where it is
/// at the other. The curves of the result are those of its new way, and leave no remainder.
///
/// Root and pelvis get as many translation keys a second as the curves have. Other joints below the root go with the
/// root.
///
/// # Errors
/// [`LocomotionError`] where the bake was told by feet, or the pelvis does not hang from the root.
pub fn remainder_to_pelvis(
    skeleton: &Skeleton,
    bake: &DistanceBake,
    pelvis: JointId,
    settings: &DistanceBakeSettings,
) -> Result<DistanceBake, LocomotionError> {
    let clip = &bake.clip;
    clip.validate(skeleton)?;
    settings.split.check()?;
    let Some(root) = bake.root else { return Err(LocomotionError::NoRoot { metres: 0.0 }) };
    for joint in [root, pelvis] {
        if joint.index() >= skeleton.len() {
            return Err(LocomotionError::NoSuchJoint { joint, joints: skeleton.len() });
        }
    }
    let parent = |joint: JointId| skeleton.joint(joint).parent;
    let hangs = std::iter::successors(parent(pelvis), |joint| parent(*joint)).any(|joint| joint == root);
    if !hangs {
        return Err(LocomotionError::NotBelow { pelvis, root });
    }
    let (distances, offsets) = progress(&bake.path, &bake.root_path, settings.markers.straight);
    let known = &bake.path.times;
    let offset = |time: f64| {
        let next = known.partition_point(|t| *t <= time).clamp(1, known.len() - 1);
        let share = ((time - known[next - 1]) / (known[next] - known[next - 1])).clamp(0.0, 1.0);
        offsets[next - 1].lerp(offsets[next], share)
    };
    let keys = settings.rate * settings.split.samples_per_key as f64;
    let times: Arc<[f64]> = sample_times(clip, keys)?.into();
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let (mut roots, mut pelvises) = (Vec::new(), Vec::new());
    for time in times.iter() {
        clip.sample(skeleton, *time, &mut pose);
        model_matrices(skeleton, &pose, &mut model_ms);
        let by = offset(*time);
        let by = DVec3::new(by.x, 0.0, by.y);
        let above = |joint: JointId| parent(joint).map_or(DMat4::IDENTITY, |p| model_ms[p.index()]);
        let local = |above: DMat4, at: DVec3| above.inverse().transform_point3(at).as_vec3().to_array();
        let at = model_ms[root.index()].w_axis.truncate();
        roots.extend(local(above(root), at - by));
        // Everything above the pelvis went back with the root.
        let moved = DTransform::from_rotation_translation(glam::DQuat::IDENTITY, -by).to_matrix();
        pelvises.extend(local(moved * above(pelvis), model_ms[pelvis.index()].w_axis.truncate()));
    }
    let mut new = clip.clone();
    new.channels.retain(|c| !(c.target == ChannelTarget::Translation && [root, pelvis].contains(&c.joint)));
    for (joint, values) in [(root, roots), (pelvis, pelvises)] {
        let track = Track::new(times.clone(), values.into(), 3, Interpolation::Linear)?;
        let source = clip.channel(joint, ChannelTarget::Translation).map_or(0, |c| c.source);
        new.channels.push(Channel { joint, target: ChannelTarget::Translation, track, source });
    }
    let DistanceTravel { mut path, mut root_path, feet } = bake.travel();
    for (point, offset) in root_path.points.iter_mut().zip(&offsets) {
        *point -= *offset;
    }
    path.distances = distances;
    path.reversals.clear();
    let curves = path.curves(&settings.split)?;
    DistanceBake::assemble(skeleton, new, curves, DistanceTravel { path, root_path, feet }, settings)
}

/// `[time]`: metres of progress, and how far the root is off that over the ground.
fn progress(path: &SignedPath, root_path: &RootPath, straight: f64) -> (Vec<f64>, Vec<DVec2>) {
    let last = path.times.len() - 1;
    let mut ends = vec![0];
    ends.extend(path.markers.iter().map(|m| path.times.partition_point(|t| *t < m.time).min(last)));
    ends.push(last);
    ends.dedup();
    let mut distances = path.distances.clone();
    let mut offsets = vec![DVec2::ZERO; path.times.len()];
    for leg in ends.windows(2) {
        let (from, to) = (leg[0], leg[1]);
        let (low, high) = (path.distances[from], path.distances[to]);
        let mut here = low;
        for distance in &mut distances[from..=to] {
            here = distance.min(high).max(here);
            *distance = here;
        }
        let keys = (from..=to).map(|i| (path.times[i], distances[i], root_path.points[i]));
        let way = curved_way(keys, straight);
        let chord = (root_path.points[to] - root_path.points[from]).normalize_or_zero();
        for i in from..=to {
            let ahead = if way.is_empty() { chord } else { direction(along(&way, distances[i]).1) };
            offsets[i] = ahead * (path.distances[i] - distances[i]);
        }
    }
    (distances, offsets)
}
