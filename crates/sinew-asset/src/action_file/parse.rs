//! Second stage: the fields of objects.
//!
//! ```text
//! text       length u32, UTF-8
//! payload    encoding u8, interpolation u8 (0 linear, 1 step, 2 cubic spline), numbers a value u8,
//!              length u32, bytes: see `payload`
//!
//! ACTN       name: text
//!            length of the action, seconds f64                  version 1 only
//!            head bone: text, parameterization u32, head animation u8
//!            length of the action, seconds f64                  from version 2
//!            key domain u8 (0 seconds, 1 progress)              from version 2
//!            windows (body in, body out, head in, head out): seconds f64,
//!              mode u8 (0 linear, 1 smooth step, 2 ease in, 3 ease out, 4 custom: payload)
//!            channels u32, each: channel text, field text
//!            fields u32, each: name text, has keys u8, payload where it has
//!
//! SEQN       name: text, base u8 (0 absolute, 1 rest, 2 itself at: seconds f64)
//!            bones u32, each: parent u32 (all ones: none), node u32, flags u8, name text (empty: none),
//!              translation f64 x3, rotation f64 x4, scale f64 x3
//!            tracks u32, each: bone u32, property u8 (0 translation, 1 rotation, 2 scale), payload
//! ```

use core::ops::Range;

use glam::{DQuat, DVec3};
use sinew::action::{ActionChannel, BlendMode, KeyDomain};
use sinew::{ChannelTarget, DTransform, Interpolation, Joint, JointFlags, JointId, Skeleton};

use super::SequenceBase;
use super::container::{ActionContainer, ActionObject, ObjectKind};
use super::error::{ActionFieldError, FieldFault};
use crate::runtime_file::{u32_at, u64_at};

pub(super) const NO_PARENT: u32 = u32::MAX;
pub(super) const PROPERTIES: [ChannelTarget; 3] =
    [ChannelTarget::Translation, ChannelTarget::Rotation, ChannelTarget::Scale];
/// Modes of a blend window by number; the one after them is custom.
pub(super) const MODES: [BlendMode; 4] =
    [BlendMode::Linear, BlendMode::SmoothStep, BlendMode::EaseIn, BlendMode::EaseOut];

/// Objects whose fields are known and whose keys are not decoded.
#[derive(Clone, Debug)]
pub struct ParsedActions<'a> {
    pub(super) asset: &'a str,
    pub(super) version: [u16; 2],
    pub(super) bytes: &'a [u8],
    pub(super) actions: Vec<ParsedAction>,
    pub(super) sequences: Vec<ParsedSequence>,
}

impl ParsedActions<'_> {
    /// Names of the actions, in the order of the file.
    pub fn action_names(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().map(|action| action.name.as_str())
    }

    /// Names of the sequences, in the order of the file.
    pub fn sequence_names(&self) -> impl Iterator<Item = &str> {
        self.sequences.iter().map(|sequence| sequence.name.as_str())
    }
}

#[derive(Clone, Debug)]
pub(super) struct ParsedAction {
    pub(super) object: u32,
    pub(super) name: String,
    pub(super) original_length: f64,
    pub(super) head_bone: String,
    pub(super) parameterization: u32,
    pub(super) head_animation: bool,
    pub(super) key_domain: KeyDomain,
    /// Body in, body out, head in, head out.
    pub(super) windows: [ParsedWindow; 4],
    pub(super) channels: Vec<(ActionChannel, String)>,
    pub(super) fields: Vec<(String, Option<Payload>)>,
}

#[derive(Clone, Debug)]
pub(super) struct ParsedWindow {
    pub(super) seconds: f64,
    pub(super) mode: ParsedMode,
}

#[derive(Clone, Debug)]
pub(super) enum ParsedMode {
    Known(BlendMode),
    Custom(Payload),
}

#[derive(Clone, Debug)]
pub(super) struct ParsedSequence {
    pub(super) object: u32,
    pub(super) name: String,
    pub(super) base: SequenceBase,
    pub(super) skeleton: Skeleton,
    pub(super) tracks: Vec<(JointId, ChannelTarget, Payload)>,
}

/// Bytes of a payload before its keys: encoding, interpolation, numbers a value, length.
pub(super) const PAYLOAD_HEAD: usize = 7;

/// Keys that are not decoded yet.
#[derive(Clone, Debug)]
pub(super) struct Payload {
    pub(super) encoding: u8,
    pub(super) interpolation: Interpolation,
    pub(super) width: usize,
    pub(super) at: Range<usize>,
}

impl<'a> ActionContainer<'a> {
    /// Reads the fields of all objects.
    ///
    /// # Errors
    /// [`ActionFieldError`] names the asset, the object, the field and where it is; bytes that no field uses are
    /// an error too.
    pub fn parse(&self) -> Result<ParsedActions<'a>, ActionFieldError> {
        let Self { asset, version, bytes, .. } = *self;
        let (mut actions, mut sequences) = (Vec::new(), Vec::new());
        for object in &self.objects {
            let mut fields = Fields::new(asset, bytes, object);
            match object.kind {
                ObjectKind::Action => actions.push(fields.action(version[0])?),
                ObjectKind::Sequence => sequences.push(fields.sequence()?),
            }
            fields.finish()?;
        }
        Ok(ParsedActions { asset, version, bytes, actions, sequences })
    }
}

/// The fields of one object.
struct Fields<'a> {
    asset: &'a str,
    kind: &'static str,
    object: u32,
    bytes: &'a [u8],
    /// Where the field that is being read starts.
    start: usize,
    at: usize,
    end: usize,
}

impl<'a> Fields<'a> {
    fn new(asset: &'a str, bytes: &'a [u8], object: &ActionObject) -> Self {
        let (at, end) = (object.offset, object.offset + object.length);
        Self { asset, kind: object.kind.tag(), object: object.id, bytes, start: at, at, end }
    }

    fn error(&self, field: &str, fault: FieldFault) -> ActionFieldError {
        let (asset, field) = (self.asset.to_owned(), field.to_owned());
        let (kind, object, offset) = (self.kind, self.object, self.start as u64);
        ActionFieldError { asset, kind, object, field, offset, fault }
    }

    fn room(&self, field: &str, needed: u64) -> Result<(), ActionFieldError> {
        let left = (self.end - self.at) as u64;
        if needed > left {
            return Err(self.error(field, FieldFault::Truncated { needed, left }));
        }
        Ok(())
    }

    fn take(&mut self, field: &str, bytes: usize) -> Result<&'a [u8], ActionFieldError> {
        self.start = self.at;
        self.more(field, bytes)
    }

    /// Goes on with the field that is being read.
    fn more(&mut self, field: &str, bytes: usize) -> Result<&'a [u8], ActionFieldError> {
        self.room(field, bytes as u64)?;
        let taken = &self.bytes[self.at..self.at + bytes];
        self.at += bytes;
        Ok(taken)
    }

    fn finish(mut self) -> Result<(), ActionFieldError> {
        self.start = self.at;
        match (self.end - self.at) as u64 {
            0 => Ok(()),
            bytes => Err(self.error("end", FieldFault::Unread { bytes })),
        }
    }

    fn byte(&mut self, field: &str) -> Result<u8, ActionFieldError> {
        Ok(self.take(field, 1)?[0])
    }

    fn number(&mut self, field: &str) -> Result<u32, ActionFieldError> {
        Ok(u32_at(self.take(field, 4)?, 0))
    }

    fn double(&mut self, field: &str) -> Result<f64, ActionFieldError> {
        Ok(f64::from_bits(u64_at(self.take(field, 8)?, 0)))
    }

    /// How many follow, each of some bytes at least.
    fn count(&mut self, field: &str, each: u64) -> Result<usize, ActionFieldError> {
        let count = self.number(field)?;
        self.room(field, u64::from(count).saturating_mul(each))?;
        Ok(count as usize)
    }

    fn text(&mut self, field: &str) -> Result<String, ActionFieldError> {
        let length = self.number(field)? as usize;
        let text = str::from_utf8(self.more(field, length)?);
        text.map(str::to_owned).map_err(|_| self.error(field, FieldFault::Text))
    }

    fn value(&self, field: &str, found: impl Into<f64>, expected: &'static str) -> ActionFieldError {
        self.error(field, FieldFault::Value { found: found.into(), expected })
    }

    fn flag(&mut self, field: &str) -> Result<bool, ActionFieldError> {
        match self.byte(field)? {
            0 => Ok(false),
            1 => Ok(true),
            found => Err(self.value(field, found, "0 or 1")),
        }
    }

    fn seconds(&mut self, field: &str) -> Result<f64, ActionFieldError> {
        let seconds = self.double(field)?;
        if seconds.is_finite() { Ok(seconds) } else { Err(self.value(field, seconds, "a finite number")) }
    }

    fn payload(&mut self, field: &str) -> Result<Payload, ActionFieldError> {
        let head = self.take(field, PAYLOAD_HEAD)?;
        let (encoding, width, length) = (head[0], head[2], u32_at(head, 3) as usize);
        let interpolation = match head[1] {
            0 => Interpolation::Linear,
            1 => Interpolation::Step,
            2 => Interpolation::CubicSpline,
            found => return Err(self.value(field, found, "interpolation 0, 1 or 2")),
        };
        if width == 0 {
            return Err(self.value(field, width, "at least one number a value"));
        }
        let from = self.at;
        self.more(field, length)?;
        Ok(Payload { encoding, interpolation, width: width.into(), at: from..self.at })
    }

    fn action(&mut self, version: u16) -> Result<ParsedAction, ActionFieldError> {
        let name = self.text("name")?;
        let mut original_length = 0.0;
        let mut key_domain = KeyDomain::Seconds;
        if version == 1 {
            original_length = self.seconds("original_length")?;
        }
        let head_bone = self.text("head_bone")?;
        let parameterization = self.number("parameterization")?;
        let head_animation = self.flag("head_animation")?;
        if version >= 2 {
            original_length = self.seconds("original_length")?;
            key_domain = match self.byte("key_domain")? {
                0 => KeyDomain::Seconds,
                1 => KeyDomain::Progress,
                found => return Err(self.value("key_domain", found, "0 or 1")),
            };
        }
        let windows = [
            self.window("body_blend_in")?,
            self.window("body_blend_out")?,
            self.window("head_blend_in")?,
            self.window("head_blend_out")?,
        ];
        let count = self.count("channels", 8)?;
        let mut channels = Vec::with_capacity(count);
        for _ in 0..count {
            let name = self.text("channel")?;
            let channel = ActionChannel::from_name(&name)
                .map_err(|_| self.error("channel", FieldFault::Channel { name }))?;
            channels.push((channel, self.text("channel's field")?));
        }
        let count = self.count("fields", 5)?;
        let mut fields = Vec::with_capacity(count);
        for _ in 0..count {
            let name = self.text("field")?;
            let keys = if self.flag(&name)? { Some(self.payload(&name)?) } else { None };
            if let Some(Payload { width, .. }) = keys
                && width != 1
            {
                return Err(self.value(&name, width as f64, "1 number a value"));
            }
            fields.push((name, keys));
        }
        Ok(ParsedAction {
            object: self.object,
            name,
            original_length,
            head_bone,
            parameterization,
            head_animation,
            key_domain,
            windows,
            channels,
            fields,
        })
    }

    fn window(&mut self, field: &str) -> Result<ParsedWindow, ActionFieldError> {
        let seconds = self.seconds(field)?;
        let mode = self.byte(field)?;
        let mode = match MODES.get(usize::from(mode)) {
            Some(known) => ParsedMode::Known(known.clone()),
            None if usize::from(mode) == MODES.len() => {
                let payload = self.payload(field)?;
                if payload.width != 1 {
                    return Err(self.value(field, payload.width as f64, "1 number a value"));
                }
                ParsedMode::Custom(payload)
            }
            None => return Err(self.value(field, mode, "a mode from 0 to 4")),
        };
        Ok(ParsedWindow { seconds, mode })
    }

    fn sequence(&mut self) -> Result<ParsedSequence, ActionFieldError> {
        let name = self.text("name")?;
        let base = match self.byte("base")? {
            0 => SequenceBase::Absolute,
            1 => SequenceBase::Rest,
            2 => SequenceBase::At(self.seconds("base")?),
            found => return Err(self.value("base", found, "0, 1 or 2")),
        };
        let bones = self.count("bones", 93)?;
        let first = self.start;
        let mut joints = Vec::with_capacity(bones);
        for _ in 0..bones {
            joints.push(self.bone()?);
        }
        let skeleton = Skeleton::new(joints, Vec::new()).map_err(|fault| {
            self.start = first;
            self.error("bones", fault.into())
        })?;
        let count = self.count("tracks", 12)?;
        let mut tracks = Vec::with_capacity(count);
        for track in 0..count {
            let bone = self.number("track's bone")?;
            if bone as usize >= bones {
                return Err(self.value("track's bone", bone, "a bone of this sequence"));
            }
            let property = self.byte("track's property")?;
            let Some(&target) = PROPERTIES.get(usize::from(property)) else {
                return Err(self.value("track's property", property, "0, 1 or 2"));
            };
            let payload = self.payload(&format!("track {track}"))?;
            let width = if target == ChannelTarget::Rotation { 4 } else { 3 };
            if payload.width != width {
                let expected = "4 numbers a value for a rotation, 3 otherwise";
                return Err(self.value(&format!("track {track}"), payload.width as f64, expected));
            }
            tracks.push((JointId(bone), target, payload));
        }
        Ok(ParsedSequence { object: self.object, name, base, skeleton, tracks })
    }

    fn bone(&mut self) -> Result<Joint, ActionFieldError> {
        let (parent, node) = (self.number("bone's parent")?, self.number("bone's node")?);
        let flags = self.byte("bone's flags")?;
        let flags = JointFlags::from_bits(flags)
            .ok_or_else(|| self.value("bone's flags", flags, "bits that mean something"))?;
        let name = self.text("bone's name")?;
        let numbers = self.take("bone's rest pose", 80)?;
        let rest: [f64; 10] = core::array::from_fn(|i| f64::from_bits(u64_at(numbers, i * 8)));
        let [x, y, z, i, j, k, w, a, b, c] = rest;
        let (translation, scale) = (DVec3::new(x, y, z), DVec3::new(a, b, c));
        let rest = DTransform { translation, rotation: DQuat::from_xyzw(i, j, k, w), scale };
        Ok(Joint {
            name: (!name.is_empty()).then_some(name),
            parent: (parent != NO_PARENT).then_some(JointId(parent)),
            rest,
            rest_matrix: None,
            node,
            flags,
            weights: 0..0,
        })
    }
}
