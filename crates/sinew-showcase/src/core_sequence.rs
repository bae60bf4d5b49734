//! The imported sequence of the core deployment: a file of its own with 87 bones in another order, tracks for the
//! whole head and, as such files have, for bones that it must not move here.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use sinew::action::Euler;
use sinew::{
    Channel, ChannelTarget, Interpolation, Joint, JointFlags, JointId, RawClip, Skeleton, Track, TrackError,
};
use sinew_asset::{Document, Scene};

use crate::StudyError;
use crate::action_study::keys::RATE;
use crate::robot::Robot;

/// Frames of the sequence at 30 a second: 50 intervals, 1.667 s.
pub(crate) const FRAMES: u32 = 50;
/// Length, seconds.
pub(crate) const LENGTH: f64 = FRAMES as f64 / RATE;
/// Where the core ends up relative to the head: forward and up, metres. Forward by 3.5 cm as well, so that the
/// largest change of its translation is 137.53 cm where that of its height is 137.49 cm.
const CORE_END: [f64; 2] = [0.308_086, 2.375_2];

/// Pitch, yaw and roll of the head in its track, degrees: the same throughout, and not what the robot has before.
pub(crate) const HEAD: [f64; 3] = [6.0, -9.0, 2.0];

/// Which properties a track of the core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoreTrack {
    /// Translation, rotation, scale.
    Complete,
    /// Rotation alone.
    Rotation,
    /// None: the track is removed.
    Missing,
}

/// What a bone does over the sequence: from its rest, over a stretch of it, eased.
struct Motion {
    bone: &'static str,
    /// Parts of the sequence.
    over: [f64; 2],
    shift: DVec3,
    /// About this axis by these degrees.
    turn: (DVec3, f64),
}

/// Bones of the head in motion. All others of the head have tracks that stay at rest. Ours.
fn motions() -> [Motion; 14] {
    let motion = |bone, over, shift: [f64; 3], turn| Motion { bone, over, shift: shift.into(), turn };
    let still = (DVec3::Y, 0.0);
    [
        motion("Core_Shutter_L_01", [0.0, 0.3], [0.62, -0.02, 0.0], still),
        motion("Core_Shutter_R_01", [0.0, 0.3], [-0.62, -0.02, 0.0], still),
        motion("Core_Ring_01", [0.3, 1.0], [0.0, 0.2, 0.0], (DVec3::Y, 170.0)),
        motion("Weapon_Laser_01", [0.1, 0.7], [0.0, -0.05, -0.25], still),
        motion("Weapon_Laser_Barrel_01", [0.0, 0.5], [0.0, 0.0, -0.4], still),
        motion("Weapon_Laser_Shroud_L_01", [0.1, 0.6], [0.08, 0.0, 0.0], (DVec3::Y, 9.0)),
        motion("Weapon_Laser_Shroud_R_01", [0.1, 0.6], [-0.08, 0.0, 0.0], (DVec3::Y, -9.0)),
        motion("Weapon_Launcher_01", [0.2, 0.9], [0.0, 0.0, -0.35], still),
        motion("Weapon_Launcher_Pod_L_01", [0.2, 0.9], [0.1, 0.0, 0.0], (DVec3::X, -24.0)),
        motion("Weapon_Launcher_Pod_R_01", [0.2, 0.9], [-0.1, 0.0, 0.0], (DVec3::X, -24.0)),
        motion("Jaw_01", [0.1, 0.6], [0.0, -0.05, 0.0], (DVec3::X, 11.0)),
        motion("Antenna_L_01", [0.0, 0.5], [0.0, 0.0, 0.0], (DVec3::X, 32.0)),
        motion("Antenna_R_01", [0.0, 0.5], [0.0, 0.0, 0.0], (DVec3::X, 32.0)),
        motion("Eye_01", [0.4, 1.0], [0.0, 0.0, 0.1], still),
    ]
}

/// From 0 to 1 over a stretch, level at both ends.
fn eased(share: f64, [from, to]: [f64; 2]) -> f64 {
    let u = ((share - from) / (to - from)).clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

/// The sequence as a file would hold it, the core's track as said.
pub(crate) fn build(robot: &Robot, core: CoreTrack) -> Result<Document, StudyError> {
    let skeleton = reordered(robot)?;
    let clip = clip(robot, &skeleton, core).map_err(StudyError::build("the sequence"))?;
    let root = skeleton.find("Body_01").unwrap_or(JointId(0));
    Ok(Document {
        name: "open core".into(),
        scenes: vec![Scene { name: Some("sequence".into()), roots: vec![root] }],
        default_scene: Some(0),
        skeleton,
        clips: vec![clip],
        ..Document::default()
    })
}

/// The robot's bones, children in the opposite order, so that hardly a bone has the same index in both.
fn reordered(robot: &Robot) -> Result<Skeleton, StudyError> {
    let children = robot.skeleton.children();
    let (mut order, mut stack) = (Vec::new(), vec![robot.body]);
    while let Some(joint) = stack.pop() {
        order.push(joint);
        stack.extend(&children[joint.index()]);
    }
    let place = |joint: JointId| order.iter().position(|j| *j == joint).map(|i| JointId(i as u32));
    let joints = order
        .iter()
        .map(|joint| {
            let bone = robot.skeleton.joint(*joint);
            let parent = bone.parent.and_then(place);
            Joint {
                flags: JointFlags::ANIMATED,
                ..Joint::new(robot.skeleton.label(*joint), parent, bone.rest)
            }
        })
        .collect();
    Skeleton::numbered(joints, Vec::new()).map_err(StudyError::build("the sequence's skeleton"))
}

fn clip(robot: &Robot, skeleton: &Skeleton, core: CoreTrack) -> Result<RawClip, TrackError> {
    let motions = motions();
    let mut channels = Vec::new();
    for (id, joint) in skeleton.iter() {
        let name = joint.name.as_deref().unwrap_or_default();
        let in_head = robot.bone(name).is_some_and(|bone| below(robot, bone));
        let rest = joint.rest;
        let mut local = Vec::new();
        for frame in 0..=FRAMES {
            let share = f64::from(frame) / f64::from(FRAMES);
            let mut now = rest;
            if name == "Core_01" {
                let up = eased(share, [0.24, 1.0]);
                let end = DVec3::new(rest.translation.x, CORE_END[1], CORE_END[0]);
                now.translation = rest.translation.lerp(end, up);
                now.rotation = DQuat::from_rotation_y(up * 60.0_f64.to_radians());
            } else if name == "Head_01" {
                let [pitch, yaw, roll] = HEAD.map(f64::to_radians);
                now.rotation = Euler { pitch, yaw, roll }.to_quat();
            } else if let Some(motion) = motions.iter().find(|m| m.bone == name) {
                let part = eased(share, motion.over);
                let (axis, degrees) = motion.turn;
                now.translation += motion.shift * part;
                now.rotation *= DQuat::from_axis_angle(axis, (degrees * part).to_radians());
            } else if name == "Body_01" {
                // The file's own body and legs: it crouches. None of that may come through.
                now.translation -= DVec3::Y * (1.1 * eased(share, [0.0, 1.0]));
            } else if name.ends_with("_Upper") || name.ends_with("_Lower") {
                let bend = if name.ends_with("_Upper") { -0.35 } else { 0.3 };
                now.rotation *= DQuat::from_rotation_x(bend * eased(share, [0.0, 1.0]));
            }
            local.push(now);
        }
        let body = name == "Body_01" || name.ends_with("_Upper") || name.ends_with("_Lower");
        if !(in_head || body) {
            continue;
        }
        let has = match (name, core) {
            ("Core_01", CoreTrack::Missing) => [false; 3],
            ("Core_01", CoreTrack::Rotation) => [false, true, false],
            _ => [true; 3],
        };
        let flat = |of: fn(&sinew::DTransform) -> DVec3| -> Arc<[f32]> {
            local.iter().flat_map(|t| of(t).as_vec3().to_array()).collect()
        };
        let turns: Arc<[f32]> = local.iter().flat_map(|t| t.rotation.as_quat().to_array()).collect();
        let times: Arc<[f64]> =
            (0..=FRAMES).map(|frame| f64::from((f64::from(frame) / RATE) as f32)).collect();
        let tracks = [
            (
                ChannelTarget::Translation,
                Track::new(times.clone(), flat(|t| t.translation), 3, Interpolation::Linear)?,
            ),
            (ChannelTarget::Rotation, Track::rotation(times.clone(), turns, Interpolation::Linear)?),
            (ChannelTarget::Scale, Track::new(times, flat(|t| t.scale), 3, Interpolation::Linear)?),
        ];
        for ((target, track), there) in tracks.into_iter().zip(has) {
            if !there {
                continue;
            }
            channels.push(Channel { joint: id, target, track, source: channels.len() as u32 });
        }
    }
    Ok(RawClip { name: Some("open core".into()), channels, ..RawClip::default() })
}

/// Whether a bone is the head or hangs from it.
fn below(robot: &Robot, bone: JointId) -> bool {
    let mut at = Some(bone);
    while let Some(joint) = at {
        if joint == robot.head {
            return true;
        }
        at = robot.skeleton.joint(joint).parent;
    }
    false
}
