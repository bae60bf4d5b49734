//! The character that the examples move: 19 joints, and clips made of sine waves.
//!
//! Everything is built in code, so that the examples need no file. A game reads its characters with
//! `sinew-asset`, or clips that `sinew bake clip` made with `sinew`.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use sinew::{
    Channel, ChannelTarget, Clip, ClipBuilder, DTransform, Interpolation, Joint, JointId, RawClip, Rig,
    Skeleton, Track,
};

/// Whatever goes wrong.
pub type Error = Box<dyn std::error::Error>;

/// Name, parent and place relative to the parent in metres of every joint.
const JOINTS: [(&str, Option<u32>, [f64; 3]); 19] = [
    ("hips", None, [0.0, 0.95, 0.0]),
    ("spine", Some(0), [0.0, 0.12, 0.0]),
    ("chest", Some(1), [0.0, 0.18, 0.0]),
    ("neck", Some(2), [0.0, 0.22, 0.0]),
    ("head", Some(3), [0.0, 0.10, 0.0]),
    ("upper_arm.l", Some(2), [0.18, 0.16, 0.0]),
    ("lower_arm.l", Some(5), [0.02, -0.28, 0.0]),
    ("hand.l", Some(6), [0.0, -0.25, 0.0]),
    ("upper_arm.r", Some(2), [-0.18, 0.16, 0.0]),
    ("lower_arm.r", Some(8), [-0.02, -0.28, 0.0]),
    ("hand.r", Some(9), [0.0, -0.25, 0.0]),
    ("thigh.l", Some(0), [0.10, -0.04, 0.0]),
    ("shin.l", Some(11), [0.0, -0.42, 0.0]),
    ("foot.l", Some(12), [0.0, -0.41, 0.0]),
    ("toe.l", Some(13), [0.0, -0.06, 0.14]),
    ("thigh.r", Some(0), [-0.10, -0.04, 0.0]),
    ("shin.r", Some(15), [0.0, -0.42, 0.0]),
    ("foot.r", Some(16), [0.0, -0.41, 0.0]),
    ("toe.r", Some(17), [0.0, -0.06, 0.14]),
];

/// The skeleton as an artist's tool has it, and the same laid out for the frame loop.
///
/// # Errors
/// None with these joints.
pub fn biped() -> Result<(Skeleton, Rig), Error> {
    let joint = |(name, parent, place): (&str, Option<u32>, [f64; 3])| {
        let rest = DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::from(place));
        Joint::new(name, parent.map(JointId), rest)
    };
    let skeleton = Skeleton::numbered(JOINTS.into_iter().map(joint).collect(), vec![])?;
    let rig = Rig::new(&skeleton)?;
    Ok((skeleton, rig))
}

/// Turns about an axis: joint, axis, mean and swing in radians, share of the cycle by which it is late.
type Swing = (&'static str, DVec3, f64, f64, f64);

/// One stride of `seconds`, the left foot down after a quarter of it and the right one after three: `swing` is 0.5 for a walk.
///
/// # Errors
/// Where `seconds` is no length.
pub fn stride(skeleton: &Skeleton, rig: &Rig, name: &str, seconds: f64, swing: f64) -> Result<Clip, Error> {
    let x = DVec3::X;
    cycle(
        skeleton,
        rig,
        name,
        seconds,
        &[
            ("spine", DVec3::Y, 0.0, 0.2 * swing, 0.0),
            ("chest", x, 0.15 * swing, 0.05 * swing, 0.25),
            ("thigh.l", x, -0.1, -swing, 0.0),
            ("thigh.r", x, -0.1, swing, 0.0),
            ("shin.l", x, 0.9 * swing, 0.9 * swing, 0.4),
            ("shin.r", x, 0.9 * swing, 0.9 * swing, 0.9),
            ("foot.l", x, 0.0, 0.4 * swing, 0.2),
            ("foot.r", x, 0.0, 0.4 * swing, 0.7),
            ("upper_arm.l", x, 0.0, swing, 0.0),
            ("upper_arm.r", x, 0.0, -swing, 0.0),
            ("lower_arm.l", x, -swing, 0.3 * swing, 0.1),
            ("lower_arm.r", x, -swing, 0.3 * swing, 0.6),
        ],
    )
}

/// The left arm raised and waving, once a second; the legs stand.
///
/// # Errors
/// None with this rig.
pub fn wave(skeleton: &Skeleton, rig: &Rig) -> Result<Clip, Error> {
    cycle(
        skeleton,
        rig,
        "wave",
        1.0,
        &[
            ("upper_arm.l", DVec3::Z, 2.4, 0.1, 0.0),
            ("lower_arm.l", DVec3::Z, 0.3, 0.5, 0.1),
            ("head", DVec3::Y, 0.3, 0.05, 0.0),
        ],
    )
}

/// Sine waves as keys at 30 Hz, then compressed to within 0.1 mm.
fn cycle(skeleton: &Skeleton, rig: &Rig, name: &str, seconds: f64, swings: &[Swing]) -> Result<Clip, Error> {
    let frames = (seconds * 30.0).round().max(1.0);
    let times: Arc<[f64]> = (0..=frames as usize).map(|k| seconds * k as f64 / frames).collect();
    let channel = |(source, (joint, axis, mean, swing, late)): (usize, &Swing)| {
        let turn =
            |t: &f64| DQuat::from_axis_angle(*axis, mean + swing * libm::sin(TAU * (t / seconds - late)));
        let values: Arc<[f32]> = times.iter().flat_map(|t| turn(t).as_quat().to_array()).collect();
        let track = Track::rotation(Arc::clone(&times), values, Interpolation::Linear)?;
        let joint = skeleton.find(joint).ok_or("no such joint")?;
        Ok::<_, Error>(Channel { joint, target: ChannelTarget::Rotation, track, source: source as u32 })
    };
    let channels = swings.iter().enumerate().map(channel).collect::<Result<_, _>>()?;
    let raw = RawClip { name: Some(name.to_owned()), channels, ..RawClip::default() };
    Ok(ClipBuilder::new(skeleton, rig).build(&raw)?.0)
}
