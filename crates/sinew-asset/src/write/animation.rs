//! Animations: samplers over shared times, channels, and curves and events beside them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sinew::{Channel, ChannelTarget, Interpolation, RawClip, Skeleton};

use super::binary::{Binary, Use};
use super::node::{Order, targets};
use super::{WriteError, set_list, set_name};
use crate::document::Document;
use crate::extras::AnimationExtras;

/// The Khronos validator accepts rotation keys this far from unit length.
const UNIT_TOLERANCE: f64 = 5e-3;

pub(super) fn write_animations(
    document: &Document,
    order: &Order,
    binary: &mut Binary,
    root: &mut Map<String, Value>,
) -> Result<(), WriteError> {
    let mut animations = Vec::with_capacity(document.clips.len());
    let mut targets_of = vec![0; document.skeleton.len()];
    for instance in &document.instances {
        targets_of[instance.joint.index()] = targets(document, instance.mesh);
    }
    binary.open_view();
    let mut times = Times::default();
    for clip in &document.clips {
        clip.validate(&document.skeleton)
            .map_err(|source| WriteError::Clip { clip: clip.label(), source })?;
        let mut writer = ClipWriter {
            skeleton: &document.skeleton,
            order,
            targets_of: &targets_of,
            clip,
            binary,
            times: &mut times,
        };
        animations.push(writer.write()?);
    }
    binary.close_view(Use::Data);
    set_list(root, "animations", animations);
    Ok(())
}

/// Accessors of key times by the bits of the times in single precision.
#[derive(Default)]
pub(super) struct Times(BTreeMap<Vec<u32>, usize>);

pub(super) struct ClipWriter<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) order: &'a Order,
    /// Morph targets of the mesh on each joint, `[joint]`.
    pub(super) targets_of: &'a [usize],
    pub(super) clip: &'a RawClip,
    pub(super) binary: &'a mut Binary,
    pub(super) times: &'a mut Times,
}

impl ClipWriter<'_> {
    fn write(&mut self) -> Result<Value, WriteError> {
        let clip = self.clip;
        if clip.channels.is_empty() {
            return Err(WriteError::ClipWithoutChannels { clip: clip.label() });
        }
        let mut seen = BTreeMap::new();
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (index, channel) in clip.channels.iter().enumerate() {
            if let Some(first) = seen.insert((channel.joint, channel.target), index) {
                return Err(WriteError::ChannelTwice {
                    clip: clip.label(),
                    joint: self.skeleton.label(channel.joint),
                    target: channel.target.name(),
                    first,
                    second: index,
                });
            }
            let sampler = self.channel(channel)?;
            let node = self.order.node(channel.joint, || format!("joint of channel {index}"))?;
            channels.push(json!({
                "sampler": samplers.len(),
                "target": { "node": node, "path": channel.target.name() },
            }));
            samplers.push(sampler);
        }
        let mut json = Map::new();
        set_name(&mut json, clip.name.as_ref());
        json.insert("channels".into(), channels.into());
        json.insert("samplers".into(), samplers.into());
        self.check_events()?;
        if let Some(extras) = AnimationExtras::of(clip) {
            json.insert("extras".into(), json!({ "sinew": extras }));
        }
        Ok(json.into())
    }

    /// The sampler of a channel that may move what it moves.
    pub(super) fn channel(&mut self, channel: &Channel) -> Result<Value, WriteError> {
        let matrix = self.skeleton.joint(channel.joint).rest_matrix;
        if matrix.is_some() && channel.target != ChannelTarget::Weights {
            return Err(WriteError::AnimatedMatrix {
                clip: self.clip.label(),
                joint: self.skeleton.label(channel.joint),
                target: channel.target.name(),
            });
        }
        self.sampler(channel)
    }

    fn sampler(&mut self, channel: &Channel) -> Result<Value, WriteError> {
        let track = &channel.track;
        let input = self.input(channel)?;
        let mut interpolation = track.interpolation();
        let one_key = track.len() == 1 && interpolation == Interpolation::CubicSpline;
        if one_key {
            // glTF wants two keys of a spline; one holds its value whatever it is called.
            interpolation = Interpolation::Linear;
        }
        let values = if one_key { track.key_value(0) } else { &track.values()[..] };
        let output = match channel.target {
            ChannelTarget::Translation | ChannelTarget::Scale => {
                self.binary.floats("VEC3", values.as_chunks::<3>().0.iter().copied(), false)
            }
            ChannelTarget::Rotation => {
                let keys = self.rotations(channel, values.as_chunks::<4>().0)?;
                self.binary.floats("VEC4", keys, false)
            }
            ChannelTarget::Weights => {
                let targets = self.targets_of[channel.joint.index()];
                if track.width() != targets || targets == 0 {
                    let joint = self.skeleton.label(channel.joint);
                    return Err(WriteError::MorphWeights { joint, weights: track.width(), targets });
                }
                self.binary.floats("SCALAR", values.iter().map(|value| [*value]), false)
            }
        };
        let mut json = json!({ "input": input, "output": output });
        json["interpolation"] = match interpolation {
            Interpolation::Linear => "LINEAR",
            Interpolation::Step => "STEP",
            Interpolation::CubicSpline => "CUBICSPLINE",
        }
        .into();
        Ok(json)
    }

    /// The accessor of a track's times in single precision, written where no other track has the same.
    fn input(&mut self, channel: &Channel) -> Result<usize, WriteError> {
        let exact = channel.track.times();
        let mut bits = Vec::with_capacity(exact.len());
        for (key, &time) in exact.iter().enumerate() {
            let short = time as f32;
            if !short.is_finite() {
                let (clip, joint) = (self.clip.label(), self.skeleton.label(channel.joint));
                let what =
                    format!("clip {clip}, {} of joint {joint}: time of key {key}", channel.target.name());
                return Err(WriteError::NotFinite { what, value: time });
            }
            if key > 0 && short <= exact[key - 1] as f32 {
                return Err(WriteError::TimesCollide {
                    clip: self.clip.label(),
                    joint: self.skeleton.label(channel.joint),
                    target: channel.target.name(),
                    key,
                    time,
                    previous: exact[key - 1],
                });
            }
            // Adding 0 makes 0 of -0.
            bits.push((short + 0.0).to_bits());
        }
        if let Some(accessor) = self.times.0.get(&bits) {
            return Ok(*accessor);
        }
        let times = bits.iter().map(|bits| [f32::from_bits(*bits)]);
        let accessor = self.binary.floats("SCALAR", times, true);
        self.times.0.insert(bits, accessor);
        Ok(accessor)
    }

    /// Rotation keys at unit length where the file format wants it.
    fn rotations(&self, channel: &Channel, stored: &[[f32; 4]]) -> Result<Vec<[f32; 4]>, WriteError> {
        let track = &channel.track;
        let mut keys = stored.to_vec();
        // One quaternion a key, or three with the value in the middle.
        let parts = stored.len() / track.len();
        for (key, value) in keys.iter_mut().skip(parts / 2).step_by(parts).enumerate() {
            let length = value.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt();
            if (length - 1.0).abs() <= UNIT_TOLERANCE {
                continue;
            }
            if parts != 1 {
                let (clip, joint) = (self.clip.label(), self.skeleton.label(channel.joint));
                return Err(WriteError::SplineKeyLength { clip, joint, key, length });
            }
            *value = track.key_rotation(key).as_quat().to_array();
        }
        Ok(keys)
    }

    fn check_events(&self) -> Result<(), WriteError> {
        let duration = self.clip.duration();
        for event in &self.clip.events {
            if !(event.time >= 0.0 && event.time <= duration) {
                let (clip, event, time) = (self.clip.label(), event.name.clone(), event.time);
                return Err(WriteError::Event { clip, event, time, duration });
            }
        }
        Ok(())
    }
}
