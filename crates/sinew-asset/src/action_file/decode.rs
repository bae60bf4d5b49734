//! Third stage: payloads become keys, and objects what sinew knows.

use std::sync::Arc;

use sinew::action::{ActionField, ActionRecord, ActionSettings, BlendMode, BlendWindow, BlendWindows};
use sinew::{Channel, ChannelTarget, Curve, RawClip, Track, TrackError};

use super::container::ObjectKind;
use super::error::{ActionDecodeError, DecodeFault};
use super::parse::{
    PAYLOAD_HEAD, ParsedAction, ParsedActions, ParsedMode, ParsedSequence, ParsedWindow, Payload,
};
use super::{ActionFile, ActionSequence, payload};

/// Times and values.
type Keys = (Arc<[f64]>, Arc<[f32]>);

impl ParsedActions<'_> {
    /// Decodes the keys of all objects.
    ///
    /// # Errors
    /// [`ActionDecodeError`] names the asset, the object, the field or track, and where its keys are.
    pub fn decode(&self) -> Result<ActionFile, ActionDecodeError> {
        let records = self.actions.iter().map(|action| self.action(action)).collect::<Result<_, _>>()?;
        let sequences = self.sequences.iter().map(|s| self.sequence(s)).collect::<Result<_, _>>()?;
        Ok(ActionFile { version: self.version, records, sequences })
    }

    fn keys(
        &self,
        kind: ObjectKind,
        object: u32,
        field: &str,
        payload: &Payload,
    ) -> Result<Keys, ActionDecodeError> {
        let Payload { encoding, interpolation, width, at } = payload;
        let decoded = payload::decode(*encoding, *interpolation, *width, &self.bytes[at.clone()]);
        let (times, values) = decoded.map_err(|(within, fault)| {
            let place = match fault {
                // The encoding stands first, before the keys and their length.
                DecodeFault::Encoding { .. } => at.start - PAYLOAD_HEAD,
                _ => at.start + within,
            };
            self.fault(kind, object, field, place, fault)
        })?;
        Ok((times.into(), values.into()))
    }

    fn fault(
        &self,
        kind: ObjectKind,
        object: u32,
        field: &str,
        offset: usize,
        fault: DecodeFault,
    ) -> ActionDecodeError {
        let (asset, field) = (self.asset.to_owned(), field.to_owned());
        ActionDecodeError { asset, kind: kind.tag(), object, field, offset: offset as u64, fault }
    }

    /// Keys that are no track, with the place of the key.
    fn no_track(
        &self,
        kind: ObjectKind,
        object: u32,
        field: &str,
        payload: &Payload,
        fault: TrackError,
    ) -> ActionDecodeError {
        let Payload { encoding, interpolation, width, at } = payload;
        let bytes = &self.bytes[at.clone()];
        let within = payload::place_of(&fault, *encoding, *interpolation, *width, bytes);
        self.fault(kind, object, field, at.start + within, fault.into())
    }

    fn curve(&self, object: u32, name: &str, payload: &Payload) -> Result<Curve, ActionDecodeError> {
        let kind = ObjectKind::Action;
        let (times, values) = self.keys(kind, object, name, payload)?;
        Curve::new(name, times, values, payload.interpolation)
            .map_err(|fault| self.no_track(kind, object, name, payload, fault))
    }

    fn window(
        &self,
        object: u32,
        name: &str,
        window: &ParsedWindow,
    ) -> Result<BlendWindow, ActionDecodeError> {
        let mode = match &window.mode {
            ParsedMode::Known(mode) => mode.clone(),
            ParsedMode::Custom(payload) => BlendMode::Custom(self.curve(object, name, payload)?),
        };
        Ok(BlendWindow { seconds: window.seconds, mode })
    }

    fn action(&self, parsed: &ParsedAction) -> Result<ActionRecord, ActionDecodeError> {
        let object = parsed.object;
        let [body_in, body_out, head_in, head_out] = &parsed.windows;
        let window = |name, window| self.window(object, name, window);
        let settings = ActionSettings {
            head_bone: parsed.head_bone.clone(),
            parameterization: parsed.parameterization,
            head_animation: parsed.head_animation,
            key_domain: parsed.key_domain,
            body_blend: BlendWindows {
                blend_in: window("body_blend_in", body_in)?,
                blend_out: window("body_blend_out", body_out)?,
            },
            head_blend: BlendWindows {
                blend_in: window("head_blend_in", head_in)?,
                blend_out: window("head_blend_out", head_out)?,
            },
        };
        let mut fields = Vec::with_capacity(parsed.fields.len());
        for (name, payload) in &parsed.fields {
            let curve = payload.as_ref().map(|payload| self.curve(object, name, payload)).transpose()?;
            fields.push(ActionField { name: name.clone(), curve });
        }
        let (name, channels) = (parsed.name.clone(), parsed.channels.clone());
        Ok(ActionRecord { name, original_length: parsed.original_length, settings, channels, fields })
    }

    fn sequence(&self, parsed: &ParsedSequence) -> Result<ActionSequence, ActionDecodeError> {
        let (kind, object) = (ObjectKind::Sequence, parsed.object);
        let mut clip = RawClip { name: Some(parsed.name.clone()), source: object, ..RawClip::default() };
        for (source, (joint, target, payload)) in parsed.tracks.iter().enumerate() {
            let name = format!("track {source}");
            let (times, values) = self.keys(kind, object, &name, payload)?;
            let track = match target {
                ChannelTarget::Rotation => Track::rotation(times, values, payload.interpolation),
                _ => Track::new(times, values, payload.width, payload.interpolation),
            };
            let track = track.map_err(|fault| self.no_track(kind, object, &name, payload, fault))?;
            clip.channels.push(Channel { joint: *joint, target: *target, track, source: source as u32 });
        }
        let (name, skeleton) = (parsed.name.clone(), parsed.skeleton.clone());
        Ok(ActionSequence { name, base: parsed.base, skeleton, clip })
    }
}
