//! BVH by frame.

use glam::DMat4;
use sinew::{JointId, RawPose, model_matrices};
use sinew_asset::Loaded;

use crate::values::Check;

fn pose(check: &Check<'_>, loaded: &Loaded) -> Result<(JointId, RawPose), String> {
    let skeleton = &loaded.document.skeleton;
    let name = check.text("joint")?;
    let id = skeleton.find(name).ok_or_else(|| format!("no joint '{name}'"))?;
    let clip = loaded.document.clips.first().ok_or("no motion")?;
    let time = match check.value("time").as_f64() {
        Some(time) => time,
        None => {
            let frame = check.index("frame")? as usize;
            *clip.key_times().get(frame).ok_or_else(|| format!("no frame {frame}"))?
        }
    };
    let mut pose = RawPose::default();
    clip.sample(skeleton, time, &mut pose);
    Ok((id, pose))
}

pub(crate) fn local_rotation(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let (id, pose) = pose(check, loaded)?;
    check.rotation_is(pose.local[id.index()].rotation)
}

pub(crate) fn between_frames(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    local_rotation(check, loaded)
}

pub(crate) fn local_translation(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let (id, pose) = pose(check, loaded)?;
    check.transform_is(&pose.local[id.index()])
}

pub(crate) fn world_position(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let (id, pose) = pose(check, loaded)?;
    let mut model: Vec<DMat4> = Vec::new();
    model_matrices(&loaded.document.skeleton, &pose, &mut model);
    check.position_is(model[id.index()].w_axis.truncate())
}
