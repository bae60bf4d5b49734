//! The remainder of a split path, moved from the root to the pelvis.

use std::sync::Arc;

use glam::{DMat4, DVec3};

use super::super::error::LocomotionError;
use super::job::DistanceBake;
use super::root_path::sample_times;
use crate::{
    Channel, ChannelTarget, DTransform, Interpolation, JointId, RawClip, RawPose, Skeleton, Track,
    model_matrices,
};

/// A clip whose root only carries progress: what it does besides is moved to the pelvis, which stays where it
/// is in every frame. For engines that move a capsule by the root itself.
///
/// Root and pelvis get `rate` translation keys a second. Other joints below the root go with the root.
///
/// # Errors
/// [`LocomotionError`] where the bake has another number of curves than one, was told by feet, or the pelvis
/// does not hang from the root.
pub fn remainder_to_pelvis(
    skeleton: &Skeleton,
    bake: &DistanceBake,
    pelvis: JointId,
    rate: f64,
) -> Result<RawClip, LocomotionError> {
    let clip = &bake.clip;
    clip.validate(skeleton)?;
    let [curve] = bake.curves.as_slice() else {
        let found = bake.curves.len();
        return Err(LocomotionError::Count { what: "distance curves", found, expected: 1 });
    };
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
    let marker = bake.path.markers.first();
    let path = &bake.root_path;
    let whole = path.points[path.points.len() - 1] - path.points[0];
    let way = marker.and_then(|m| m.after.or(m.before)).unwrap_or_else(|| whole.normalize_or_zero());
    let way = DVec3::new(way.x, 0.0, way.y);
    let times: Arc<[f64]> = sample_times(clip, rate)?.into();
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    let (mut roots, mut pelvises) = (Vec::new(), Vec::new());
    for time in times.iter() {
        clip.sample(skeleton, *time, &mut pose);
        model_matrices(skeleton, &pose, &mut model_ms);
        let by = way * curve.remainder_at(*time);
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
    Ok(new)
}
