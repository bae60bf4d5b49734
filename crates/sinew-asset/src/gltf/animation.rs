//! Animations become clips.
//!
//! glTF 2.0 specification, section 3.11 and appendix C, and `KHR_animation_pointer`. A sampler that breaks a
//! rule costs its animation, never the others; a channel that drives nothing known costs itself.

use std::collections::BTreeMap;

use sinew::{Channel, ChannelTarget, Interpolation, JointFlags, JointId, RawClip, Track, TrackError};

use super::accessor::{Accessors, Component, Shape};
use super::extras::read_extras;
use super::fault::{Fault, short};
use super::json::Cursor;
use super::node::Nodes;
use super::pointer::{self, Pointed};
use crate::error::{Object, Place, ProblemCode, Problems, Severity};

/// Why a channel is not used while the animation goes on.
struct Skip {
    severity: Severity,
    code: ProblemCode,
    place: Place,
    text: String,
}

impl From<Fault> for Skip {
    fn from(fault: Fault) -> Self {
        let text = format!("{}; the channel is left out", fault.text());
        Self { severity: Severity::Warning, code: fault.code, place: fault.place, text }
    }
}

/// Why a whole animation is left out.
struct Refusal {
    object: Object,
    fault: Fault,
    /// Says what the fault is in; may be empty.
    about: String,
}

/// Reads every animation that can be used.
pub(crate) fn read_animations<'a>(
    root: Cursor<'a>,
    nodes: &mut Nodes,
    accessors: &mut Accessors<'a>,
    problems: &mut Problems,
) -> Vec<RawClip> {
    let mut clips = Vec::new();
    for (index, animation) in root.get("animations").iter().flat_map(Cursor::elements).enumerate() {
        let mut reader =
            Reader { animation, index: index as u32, nodes, accessors, problems, tracks: BTreeMap::new() };
        match reader.read() {
            Ok(clip) => {
                for channel in &clip.channels {
                    nodes.skeleton.add_flags(channel.joint, JointFlags::ANIMATED);
                }
                clips.push(clip);
            }
            Err(refusal) => {
                let Refusal { object, fault, about } = *refusal;
                let text = format!("{about}{}; the animation is left out", fault.text());
                problems.push(Severity::Error, fault.code, object, fault.place, text);
            }
        }
    }
    clips
}

struct Reader<'r, 'a> {
    animation: Cursor<'a>,
    index: u32,
    nodes: &'r Nodes,
    accessors: &'r mut Accessors<'a>,
    problems: &'r mut Problems,
    /// Tracks made so far by sampler, property and numbers a value; channels may share them.
    tracks: BTreeMap<(u32, ChannelTarget, usize), Track>,
}

impl Reader<'_, '_> {
    fn object(&self) -> Object {
        Object::Animation { index: self.index, name: self.animation.short_name() }
    }

    fn channel_object(&self, channel: usize) -> Object {
        let (animation, name) = (self.index, self.animation.short_name());
        Object::Channel { animation, name, channel: channel as u32 }
    }

    fn refuse(&self, fault: Fault) -> Box<Refusal> {
        Box::new(Refusal { object: self.object(), fault, about: String::new() })
    }

    fn read(&mut self) -> Result<RawClip, Box<Refusal>> {
        let animation = self.animation;
        let lists = || -> Result<_, Fault> {
            let samplers = animation.need("samplers", "a list of samplers")?;
            let channels = animation.need("channels", "a list of channels")?;
            Ok((samplers, samplers.array()?.len(), channels, channels.array()?.len()))
        };
        let (samplers, sampler_count, channels, channel_count) = lists().map_err(|f| self.refuse(f))?;
        let size = size_of::<Channel>() + 96;
        let charged = self.accessors.budget.charge(channel_count as u64, size, || channels.place());
        charged.map_err(|f| self.refuse(f))?;

        let mut clip = RawClip { name: animation.name(), source: self.index, ..RawClip::default() };
        let mut taken: BTreeMap<(JointId, ChannelTarget), usize> = BTreeMap::new();
        for (number, channel) in channels.elements().enumerate() {
            let (joint, target) = match self.target(channel) {
                Ok(target) => target,
                Err(Skip { severity, code, place, text }) => {
                    self.problems.push(severity, code, self.channel_object(number), place, text);
                    continue;
                }
            };
            let sampler = channel.need_index("sampler", sampler_count, "samplers").map_err(|fault| {
                let about = String::new();
                Box::new(Refusal { object: self.channel_object(number), fault, about })
            })?;
            let width = self.width(joint, target);
            let track = match self.tracks.get(&(sampler, target, width)) {
                Some(track) => track.clone(),
                None => {
                    let track = self.track(samplers, sampler, target, width)?;
                    self.tracks.insert((sampler, target, width), track.clone());
                    track
                }
            };
            let read = Channel { joint, target, track, source: number as u32 };
            match taken.get(&(joint, target)) {
                Some(&earlier) => {
                    let node = self.nodes.skeleton.joint(joint).node;
                    let text = format!(
                        "expected one channel for the {} of node {node}, found channels {} and {number}; the \
                         later one is used",
                        target.name(),
                        clip.channels[earlier].source
                    );
                    let object = self.channel_object(number);
                    self.problems.push(
                        Severity::Warning,
                        ProblemCode::DuplicateTarget,
                        object,
                        channel.place_of("target"),
                        text,
                    );
                    clip.channels[earlier] = read;
                }
                None => {
                    taken.insert((joint, target), clip.channels.len());
                    clip.channels.push(read);
                }
            }
        }
        read_extras(animation, self.index, self.accessors, self.problems, &mut clip);
        if clip.channels.is_empty() {
            let text = "expected a channel that moves a node, found none; the clip is kept without motion";
            let place = channels.place();
            self.problems.push(Severity::Info, ProblemCode::EmptyClip, self.object(), place, text);
        }
        Ok(clip)
    }

    fn width(&self, joint: JointId, target: ChannelTarget) -> usize {
        match target {
            ChannelTarget::Translation | ChannelTarget::Scale => 3,
            ChannelTarget::Rotation => 4,
            ChannelTarget::Weights => self.nodes.skeleton.joint(joint).weights.len(),
        }
    }

    /// What a channel moves.
    fn target(&self, channel: Cursor<'_>) -> Result<(JointId, ChannelTarget), Skip> {
        let target = channel.need("target", "an object")?;
        let path = target.need("path", "a property")?;
        let property = match path.text()? {
            "translation" => ChannelTarget::Translation,
            "rotation" => ChannelTarget::Rotation,
            "scale" => ChannelTarget::Scale,
            "weights" => ChannelTarget::Weights,
            "pointer" => return self.pointed(target),
            _ => return Err(path.fault("translation, rotation, scale, weights or pointer").into()),
        };
        let Some(node) = target.get("node") else {
            return Err(Skip {
                severity: Severity::Info,
                code: ProblemCode::Channel,
                place: target.place(),
                text: "a channel without a node, to be ignored by the specification".into(),
            });
        };
        let node = node.index(self.nodes.joint.len(), "nodes")?;
        self.node_property(node, property, target)
    }

    fn pointed(&self, target: Cursor<'_>) -> Result<(JointId, ChannelTarget), Skip> {
        let extension = target.extension(pointer::NAME);
        let Some(at) = extension.and_then(|e| e.get("pointer")) else {
            let expected = format!("a pointer in the extension {}", pointer::NAME);
            let fault = Fault::new(ProblemCode::Pointer, target.place_of("extensions"), expected, "nothing");
            return Err(fault.into());
        };
        match pointer::parse(at.text()?) {
            Pointed::Node(node, property) if (node as usize) < self.nodes.joint.len() => {
                self.node_property(node, property, at)
            }
            Pointed::Node(node, _) => {
                let expected = format!("a node below {}", self.nodes.joint.len());
                Err(Fault::new(ProblemCode::Index, at.place(), expected, node.to_string()).into())
            }
            Pointed::Other => Err(Skip {
                severity: Severity::Warning,
                code: ProblemCode::Pointer,
                place: at.place(),
                text: format!(
                    "{} is neither a transform nor the weights of a node; the channel is left out",
                    short(at.text()?)
                ),
            }),
        }
    }

    fn node_property(
        &self,
        node: u32,
        property: ChannelTarget,
        at: Cursor<'_>,
    ) -> Result<(JointId, ChannelTarget), Skip> {
        let joint = self.nodes.joint[node as usize];
        let fault =
            |expected: &str, found: String| Fault::new(ProblemCode::Channel, at.place(), expected, found);
        if property == ChannelTarget::Weights {
            if self.nodes.skeleton.joint(joint).weights.is_empty() {
                return Err(
                    fault("a node whose mesh has morph targets", format!("node {node} without")).into()
                );
            }
        } else if self.nodes.has_matrix[node as usize] {
            let found = format!("node {node} with a matrix, which holds");
            return Err(fault("an animated node to have translation, rotation and scale", found).into());
        }
        Ok((joint, property))
    }

    /// The keys of a sampler as what a target needs.
    fn track(
        &mut self,
        samplers: Cursor<'_>,
        number: u32,
        target: ChannelTarget,
        width: usize,
    ) -> Result<Track, Box<Refusal>> {
        let (animation, name) = (self.index, self.animation.short_name());
        let object = Object::Sampler { animation, name, sampler: number };
        let refuse = |about: String, fault: Fault| Box::new(Refusal { object: object.clone(), fault, about });
        let plain = |fault: Fault| refuse(String::new(), fault);
        let Some(sampler) = samplers.element(number as usize) else {
            return Err(plain(samplers.fault("a sampler")));
        };
        let count = self.accessors.count;
        let input = sampler.need_index("input", count, "accessors").map_err(plain)?;
        let output = sampler.need_index("output", count, "accessors").map_err(plain)?;
        let interpolation = interpolation(sampler).map_err(plain)?;

        let of_input = |fault| refuse(format!("input accessor {input}: "), fault);
        let of_output = |fault| refuse(format!("output accessor {output}: "), fault);
        let times = self.accessors.times(input, self.problems).map_err(of_input)?;
        self.check_output(sampler, output, target).map_err(of_output)?;
        let values = self.accessors.floats(output, self.problems).map_err(of_output)?;
        let numbers = (times.len() + values.len()) as u64;
        self.accessors.budget.work(numbers, || sampler.place()).map_err(plain)?;

        let track = match target {
            ChannelTarget::Rotation => Track::rotation(times, values, interpolation),
            _ => Track::new(times, values, width, interpolation),
        };
        track.map_err(|error| {
            let of_times = matches!(
                error,
                TrackError::Empty
                    | TrackError::NonFiniteTime { .. }
                    | TrackError::NegativeTime { .. }
                    | TrackError::DuplicateTime { .. }
                    | TrackError::DecreasingTime { .. }
            );
            let key = if of_times { "input" } else { "output" };
            let fault = Fault::new(ProblemCode::Keys, sampler.place_of(key), "", error.to_string());
            if of_times { of_input(fault) } else { of_output(fault) }
        })
    }

    /// Whether an output accessor has the type that its target asks for (section 3.11, table of paths).
    fn check_output(&mut self, sampler: Cursor<'_>, output: u32, target: ChannelTarget) -> Result<(), Fault> {
        let header = self.accessors.header(output)?;
        let shape = match target {
            ChannelTarget::Translation | ChannelTarget::Scale => Shape::Vec3,
            ChannelTarget::Rotation => Shape::Vec4,
            ChannelTarget::Weights => Shape::Scalar,
        };
        let place = sampler.place_of("output");
        if header.shape != shape {
            let expected = format!("{} for {}", shape.name(), target.name());
            return Err(Fault::new(ProblemCode::Keys, place, expected, header.shape.name()));
        }
        let float = header.component == Component::F32;
        if !float && !header.normalized {
            let found = format!("{:?}, not normalised", header.component);
            return Err(Fault::new(ProblemCode::Keys, place, "floats or normalised integers", found));
        }
        if !float && matches!(target, ChannelTarget::Translation | ChannelTarget::Scale) {
            let text =
                format!("expected floats for {}, found normalised integers; read as such", target.name());
            let object = self.object();
            self.problems.push(Severity::Warning, ProblemCode::Keys, object, place, text);
        }
        Ok(())
    }
}

fn interpolation(sampler: Cursor<'_>) -> Result<Interpolation, Fault> {
    let Some(cursor) = sampler.get("interpolation") else { return Ok(Interpolation::Linear) };
    Ok(match cursor.text()? {
        "LINEAR" => Interpolation::Linear,
        "STEP" => Interpolation::Step,
        "CUBICSPLINE" => Interpolation::CubicSpline,
        _ => return Err(cursor.fault("LINEAR, STEP or CUBICSPLINE")),
    })
}
