//! Action assets out.

use sinew::action::{ActionRecord, BlendMode, BlendWindow, KeyDomain};
use sinew::{Interpolation, Track};

use super::container::{ACTION_VERSION, ObjectKind, assemble};
use super::error::ActionWriteError;
use super::parse::{MODES, NO_PARENT, PROPERTIES};
use super::{ActionSequence, SequenceBase, payload};

/// Actions and sequences as the bytes of an action asset of a major version; [`crate::save`] writes them whole or
/// not at all.
///
/// Curves go by the names of their fields.
///
/// # Errors
/// [`ActionWriteError`] names what this version has no place for; nothing is left out in silence.
pub fn write_action_file(
    actions: &[ActionRecord],
    sequences: &[ActionSequence],
    version: u16,
) -> Result<Vec<u8>, ActionWriteError> {
    if version == 0 || version > ACTION_VERSION[0] {
        return Err(ActionWriteError::Version { found: version });
    }
    let mut objects = Vec::with_capacity(actions.len() + sequences.len());
    for record in actions {
        objects.push((ObjectKind::Action, action(record, version)?));
    }
    for sequence in sequences {
        objects.push((ObjectKind::Sequence, self::sequence(sequence, version)?));
    }
    count("", "objects", objects.len())?;
    let minor = if version == ACTION_VERSION[0] { ACTION_VERSION[1] } else { 0 };
    Ok(assemble([version, minor], &objects))
}

fn action(record: &ActionRecord, version: u16) -> Result<Vec<u8>, ActionWriteError> {
    let settings = &record.settings;
    let mut out = Object { name: &record.name, version, bytes: Vec::new() };
    out.text("bytes in the name", &record.name)?;
    if version == 1 {
        if settings.key_domain != KeyDomain::Seconds {
            return Err(out.cannot_say("keys in parts of the length"));
        }
        out.bytes.extend(record.original_length.to_le_bytes());
    }
    out.text("bytes in the head bone's name", &settings.head_bone)?;
    out.bytes.extend(settings.parameterization.to_le_bytes());
    out.bytes.push(u8::from(settings.head_animation));
    if version >= 2 {
        out.bytes.extend(record.original_length.to_le_bytes());
        out.bytes.push(u8::from(settings.key_domain == KeyDomain::Progress));
    }
    for windows in [&settings.body_blend, &settings.head_blend] {
        out.window(&windows.blend_in)?;
        out.window(&windows.blend_out)?;
    }
    out.count("channels", record.channels.len())?;
    for (channel, field) in &record.channels {
        out.text("bytes in the channel's name", channel.name())?;
        out.text("bytes in the field's name", field)?;
    }
    out.count("fields", record.fields.len())?;
    for field in &record.fields {
        out.text("bytes in the field's name", &field.name)?;
        out.bytes.push(u8::from(field.curve.is_some()));
        if let Some(curve) = &field.curve {
            out.payload(curve.track())?;
        }
    }
    Ok(out.bytes)
}

fn sequence(sequence: &ActionSequence, version: u16) -> Result<Vec<u8>, ActionWriteError> {
    let ActionSequence { name, base, skeleton, clip } = sequence;
    let mut out = Object { name, version, bytes: Vec::new() };
    if !clip.curves.is_empty() || !clip.events.is_empty() {
        return Err(out.cannot_say("curves and events of a sequence"));
    }
    if !skeleton.rest_weights().is_empty() {
        return Err(out.cannot_say("morph weights"));
    }
    out.text("bytes in the name", name)?;
    match base {
        SequenceBase::Absolute => out.bytes.push(0),
        SequenceBase::Rest => out.bytes.push(1),
        SequenceBase::At(seconds) => {
            out.bytes.push(2);
            out.bytes.extend(seconds.to_le_bytes());
        }
    }
    out.count("bones", skeleton.len())?;
    for joint in skeleton.joints() {
        if joint.rest_matrix.is_some() {
            return Err(out.cannot_say("a bone's matrix with shear"));
        }
        out.bytes.extend(joint.parent.map_or(NO_PARENT, |parent| parent.0).to_le_bytes());
        out.bytes.extend(joint.node.to_le_bytes());
        out.bytes.push(joint.flags.bits());
        out.text("bytes in a bone's name", joint.name.as_deref().unwrap_or(""))?;
        let (t, r, s) = (joint.rest.translation, joint.rest.rotation, joint.rest.scale);
        let numbers = t.to_array().into_iter().chain(r.to_array()).chain(s.to_array());
        numbers.for_each(|number| out.bytes.extend(number.to_le_bytes()));
    }
    out.count("tracks", clip.channels.len())?;
    for channel in &clip.channels {
        let Some(property) = PROPERTIES.iter().position(|target| *target == channel.target) else {
            return Err(out.cannot_say("a track of morph weights"));
        };
        out.bytes.extend(channel.joint.0.to_le_bytes());
        out.bytes.push(property as u8);
        out.payload(&channel.track)?;
    }
    Ok(out.bytes)
}

fn count(object: &str, what: &'static str, count: usize) -> Result<u32, ActionWriteError> {
    let object = || object.to_owned();
    u32::try_from(count).map_err(|_| ActionWriteError::TooMany { object: object(), what, count })
}

struct Object<'a> {
    name: &'a str,
    version: u16,
    bytes: Vec<u8>,
}

impl Object<'_> {
    fn cannot_say(&self, what: &'static str) -> ActionWriteError {
        ActionWriteError::CannotSay { object: self.name.to_owned(), what, version: self.version }
    }

    fn count(&mut self, what: &'static str, of: usize) -> Result<(), ActionWriteError> {
        self.bytes.extend(count(self.name, what, of)?.to_le_bytes());
        Ok(())
    }

    fn text(&mut self, what: &'static str, text: &str) -> Result<(), ActionWriteError> {
        self.count(what, text.len())?;
        self.bytes.extend(text.as_bytes());
        Ok(())
    }

    fn window(&mut self, window: &BlendWindow) -> Result<(), ActionWriteError> {
        self.bytes.extend(window.seconds.to_le_bytes());
        if let BlendMode::Custom(curve) = &window.mode {
            self.bytes.push(MODES.len() as u8);
            return self.payload(curve.track());
        }
        let mode = MODES.iter().position(|mode| *mode == window.mode);
        self.bytes.push(mode.ok_or_else(|| self.cannot_say("a blend mode"))? as u8);
        Ok(())
    }

    fn payload(&mut self, track: &Track) -> Result<(), ActionWriteError> {
        count(self.name, "keys", track.len())?;
        let (encoding, bytes) = payload::encode(track);
        let interpolation = match track.interpolation() {
            Interpolation::Linear => 0,
            Interpolation::Step => 1,
            Interpolation::CubicSpline => 2,
        };
        let width = u8::try_from(track.width()).map_err(|_| self.cannot_say("that many numbers a value"))?;
        self.bytes.extend([encoding, interpolation, width]);
        self.count("bytes of keys", bytes.len())?;
        self.bytes.extend(bytes);
        Ok(())
    }
}
