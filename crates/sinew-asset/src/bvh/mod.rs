//! Reading BVH: Biovision's hierarchy and motion in one text file.
//!
//! Based on: M. Meredith and S. Maddock, "Motion Capture File Formats Explained" (2001), section 3, and on what
//! writers do beside it. Where the format leaves things open, this reader chooses and says so here:
//!
//! - **Turns** compose in the order of a joint's columns, `R(first) * R(second) * R(third)`, each joint in its own
//!   order. They are composed in double precision and stored as quaternion keys; between frames a joint takes the
//!   shorter way, so that a yaw from 179 to -179 degrees is a step of 2 degrees.
//! - **Position channels replace** their component of the OFFSET, on any joint, as Blender reads them. Some readers
//!   add them instead, which differs on joints other than the root.
//! - **End Sites** are joints named `<parent>_End` that carry [`JointFlags::END_SITE`](sinew::JointFlags::END_SITE).
//! - **Time**: frame `k` is at `k * Frame Time`; the clip lasts `(frames - 1) * Frame Time`.
//! - **Units and up axis** are not in the format. Lengths and axes stay as in the file unless [`BvhOptions`] says
//!   otherwise; what they seem to be is reported as a [`Problem`] of [`Severity::Info`].
//! - **Names** are the rest of the line after ROOT or JOINT, so they may hold blanks; bytes that are not UTF-8 are
//!   replaced. Keywords may be in any case.
//!
//! Trouble in the hierarchy is an error: there is no skeleton then. Trouble in the motion leaves the clip out, or
//! keeps the frames that are sound, and is reported; the skeleton is kept.

mod build;
mod fault;
mod guess;
mod hierarchy;
mod lexer;
mod motion;
mod options;
mod pose;

pub use options::{BvhOptionError, BvhOptions, BvhUnits, BvhUp};

use sinew::JointId;

use crate::document::{Document, Format, Loaded, Scene};
use crate::error::{AssetError, Object, Place, ProblemCode, Problems, Severity};
use build::Space;
use fault::Fault;
use guess::Guess;
use hierarchy::BvhJoint;
use lexer::Lexer;
use motion::{Mismatch, Motion};

/// Name of the clip where the caller gives none.
const CLIP_NAME: &str = "motion";

/// Reads the bytes of a BVH file: a skeleton of its joints and End Sites in file order, and one clip.
///
/// Memory and time are a small multiple of the number of bytes, whatever counts the file claims.
///
/// # Errors
/// [`AssetError::Malformed`] with line and column where the hierarchy cannot be read.
pub fn read_bvh(bytes: &[u8], options: &BvhOptions) -> Result<Loaded, AssetError> {
    let name = options.clip_name.as_deref().unwrap_or(CLIP_NAME);
    let mut problems = Problems::default();
    let mut lexer = Lexer::new(bytes);
    let read = hierarchy::read(&mut lexer)?;
    let mut joints = read.joints;
    for ignored in read.ignored {
        let place = ignored.place.into();
        problems.push(Severity::Warning, ProblemCode::Container, Object::File, place, ignored.message);
    }
    for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| joint.name.is_empty()) {
        let object = Object::Node { index: index as u32, name: None };
        problems.push(
            Severity::Warning,
            ProblemCode::Node,
            object,
            joint.place.into(),
            "the joint has no name",
        );
    }

    let motion = read_motion(&mut lexer, &joints, name, &mut problems);
    let space = choose_space(&joints, motion.as_ref(), options, &mut problems);
    let mut document = Document {
        name: name.into(),
        format: Format::Bvh,
        skeleton: build::skeleton(&mut joints, space).map_err(|error| AssetError::Malformed {
            place: Place::File,
            expected: "a skeleton that can be built".into(),
            found: error.to_string(),
        })?,
        ..Document::default()
    };
    let roots = joints.iter().enumerate().filter(|(_, joint)| joint.parent.is_none());
    let roots = roots.map(|(index, _)| JointId(index as u32)).collect();
    document.scenes.push(Scene { name: None, roots });
    document.default_scene = Some(0);
    if let Some(motion) = motion.filter(|motion| motion.frames > 0) {
        match build::clip(&joints, &motion, space, name) {
            Ok(clip) => document.clips.push(clip),
            Err((index, error)) => {
                let joint = document.skeleton.label(JointId(index as u32));
                let message = format!("joint {joint:?} at {} units a file unit: {error}", space.scale);
                problems.push(Severity::Error, ProblemCode::Keys, clip_object(name), Place::File, message);
            }
        }
    }
    Ok(Loaded { document, problems: problems.finish() })
}

fn clip_object(name: &str) -> Object {
    Object::Animation { index: 0, name: Some(name.into()) }
}

/// The frames that can be used; what cannot is reported.
fn read_motion(
    lexer: &mut Lexer<'_>,
    joints: &[BvhJoint],
    name: &str,
    problems: &mut Problems,
) -> Option<Motion> {
    let width = joints.iter().map(|joint| joint.channels.len()).sum();
    let Some(keyword) = lexer.next_word() else {
        let message = "expected MOTION, found the end of the file; the clip is left out";
        let place = lexer.place().into();
        problems.push(Severity::Error, ProblemCode::EmptyClip, clip_object(name), place, message);
        return None;
    };
    let motion = match motion::read(lexer, width) {
        Ok(motion) => motion,
        Err(Fault { place, expected, found }) => {
            let message = format!("expected {expected}, found {found}; the clip is left out");
            problems.push(Severity::Error, ProblemCode::Keys, clip_object(name), place.into(), message);
            return None;
        }
    };
    for mismatch in &motion.mismatches {
        // Rows beyond those said are left over; a row or a number that is missing is motion that was lost.
        let severity = match mismatch {
            Mismatch::More { .. } | Mismatch::Unaligned { .. } => Severity::Warning,
            Mismatch::Fewer { .. } | Mismatch::Partial { .. } | Mismatch::Ragged { .. } => Severity::Error,
        };
        let place = mismatch.place().into();
        problems.push(severity, ProblemCode::Keys, clip_object(name), place, mismatch.to_string());
    }
    if motion.frames == 0 {
        let why = if width == 0 { "no joint has channels" } else { "there are no frames" };
        let message = format!("{why}; the clip is left out");
        let place = keyword.place.into();
        problems.push(Severity::Warning, ProblemCode::EmptyClip, clip_object(name), place, message);
    }
    Some(motion)
}

/// Units and axes as the options say, with a report of what they seem to be where the options leave it open.
fn choose_space(
    joints: &[BvhJoint],
    motion: Option<&Motion>,
    options: &BvhOptions,
    problems: &mut Problems,
) -> Space {
    let mut say = |severity, message: String| {
        problems.push(severity, ProblemCode::Guess, Object::File, Place::File, message);
    };

    let up = match options.up {
        BvhUp::Y | BvhUp::Z => options.up,
        BvhUp::AsIs | BvhUp::Auto => {
            let apply = options.up == BvhUp::Auto;
            let Guess { value, reason } = guess::guess_up(joints, motion);
            match value {
                Some(BvhUp::Z) if apply => say(Severity::Info, format!("{reason}: Z is up; turned to Y up")),
                Some(BvhUp::Z) => say(
                    Severity::Info,
                    format!(
                        "{reason}: Z seems to be up; kept as in the file, the up axis option z turns it to Y up"
                    ),
                ),
                Some(_) => say(Severity::Info, format!("{reason}: Y is up; nothing to turn")),
                None => {
                    let severity = if apply { Severity::Warning } else { Severity::Info };
                    say(severity, format!("{reason}: the up axis is not clear; kept as in the file"));
                }
            }
            value.filter(|_| apply).unwrap_or(BvhUp::AsIs)
        }
    };

    let units = match options.units {
        BvhUnits::AsIs | BvhUnits::Auto => {
            let apply = options.units == BvhUnits::Auto;
            let Guess { value, reason } = guess::guess_units(joints);
            match value {
                Some(BvhUnits::Metres) => say(Severity::Info, format!("{reason}; nothing to convert")),
                Some(_) if apply => say(Severity::Info, format!("{reason}; converted to metres")),
                Some(unit) => say(
                    Severity::Info,
                    format!("{reason}; kept as in the file, the units option {unit} converts it to metres"),
                ),
                None => {
                    let severity = if apply { Severity::Warning } else { Severity::Info };
                    say(severity, format!("{reason}; kept as in the file"));
                }
            }
            value.filter(|_| apply).unwrap_or(BvhUnits::AsIs)
        }
        said => said,
    };
    let mut scale = units.metres().unwrap_or(1.0);
    if !(scale.is_finite() && scale > 0.0) {
        say(
            Severity::Error,
            format!("a unit of {scale} m was asked for, expected more than 0; kept as in the file"),
        );
        scale = 1.0;
    }
    Space { scale, z_up: up == BvhUp::Z }
}
