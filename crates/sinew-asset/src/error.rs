//! What can be wrong with a file, and where in it.
//!
//! Two kinds: an [`AssetError`] means that nothing could be read; a [`Problem`] names one thing that is
//! wrong or was left out, while the rest of the file went on.

use core::fmt;
use std::path::PathBuf;

/// Where in a file something is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    #[default]
    File,
    /// A JSON pointer (RFC 6901) into the glTF document; the empty string is its root.
    Pointer(String),
    /// Bytes from the start of the file.
    Byte(u64),
    /// A line and a column of a text file, both counted from 1.
    Line {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the file"),
            Self::Pointer(pointer) if pointer.is_empty() => f.write_str("the JSON root"),
            Self::Pointer(pointer) => f.write_str(pointer),
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Line { line, column } => write!(f, "line {line}, column {column}"),
        }
    }
}

/// Why a file could not be read at all.
///
/// The messages do not repeat the name of the file that was asked for; whoever asked knows it.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    /// The file system said no.
    #[error("cannot be read: {source}")]
    Io {
        /// The file that was to be read.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The path leads to something whose bytes are not read: a folder, a device.
    #[error("cannot be read: it is {found}, expected a file or a pipe")]
    NotAFile {
        /// What was to be read.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// The file breaks its format.
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        /// Where.
        place: Place,
        /// What the format asks for there.
        expected: String,
        /// What the file has there.
        found: String,
    },
    /// The file is sound, but needs something that is not read here.
    #[error("{feature} is not supported ({pointer} asks for it)")]
    Unsupported {
        /// Name of the extension, version or format.
        feature: String,
        /// Where the file asks for it: a JSON pointer, or what was looked at.
        pointer: String,
    },
    /// Reading would take more memory than a file of this size may ask for, or the file or stream is longer than
    /// any that is read.
    #[error("{place}: needs at least {needed} bytes of memory, {limit} are allowed")]
    TooLarge {
        /// What asks for it.
        place: Place,
        /// Bytes that reading up to here would have taken.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
}

impl AssetError {
    /// Whether the file is sound but needs a feature that is not read here.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unsupported { .. })
    }

    /// Whether the file system refused, rather than the content being wrong.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::NotAFile { .. })
    }
}

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing was lost; good to know.
    Info,
    /// Something was changed, made safe or left out, and the object it belongs to was kept.
    Warning,
    /// A clip, mesh, skin or other object could not be used and was left out.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// The kind of a [`Problem`]; its text form is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemCode {
    /// A JSON value has the wrong type, is missing or is outside its range.
    Value,
    /// An index names an object that is not there.
    Index,
    /// A buffer is missing, short or not readable.
    Buffer,
    /// A buffer view reaches outside its buffer or has a layout that cannot be.
    View,
    /// An accessor reaches outside its view or has a layout that cannot be.
    Accessor,
    /// Compressed bytes that do not decode.
    Compression,
    /// A node breaks the rules of the hierarchy, or its transform is no transform.
    Node,
    /// A scene names nodes that are no roots or not there.
    Scene,
    /// A skin cannot be used.
    Skin,
    /// A mesh cannot be used, or only in part.
    Mesh,
    /// Joint indices or weights of a vertex were made safe.
    Influence,
    /// Key times or values break a rule, or a sampler does not fit its target.
    Keys,
    /// A channel could not be used.
    Channel,
    /// Two channels of one animation drive the same property.
    DuplicateTarget,
    /// An animation without a usable channel.
    EmptyClip,
    /// An animation pointer drives something that is neither a transform nor morph weights.
    Pointer,
    /// Curves or events stored beside an animation cannot be read.
    Extras,
    /// An extension that is carried or skipped, not interpreted.
    Extension,
    /// A resource outside the file (an image, a buffer) was not read.
    Resource,
    /// Reading more would take more memory or time than a file of this size may ask for.
    Limit,
    /// The container or text around the data is irregular.
    Container,
    /// A unit, an axis or another convention was guessed.
    Guess,
    /// More problems of one kind than are listed.
    More,
}

impl ProblemCode {
    /// The stable name, such as `FILE_KEYS`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Value => "FILE_VALUE",
            Self::Index => "FILE_INDEX",
            Self::Buffer => "FILE_BUFFER",
            Self::View => "FILE_VIEW",
            Self::Accessor => "FILE_ACCESSOR",
            Self::Compression => "FILE_COMPRESSION",
            Self::Node => "FILE_NODE",
            Self::Scene => "FILE_SCENE",
            Self::Skin => "FILE_SKIN",
            Self::Mesh => "FILE_MESH",
            Self::Influence => "FILE_INFLUENCE",
            Self::Keys => "FILE_KEYS",
            Self::Channel => "FILE_CHANNEL",
            Self::DuplicateTarget => "FILE_DUPLICATE_TARGET",
            Self::EmptyClip => "FILE_EMPTY_CLIP",
            Self::Pointer => "FILE_POINTER",
            Self::Extras => "FILE_EXTRAS",
            Self::Extension => "FILE_EXTENSION",
            Self::Resource => "FILE_RESOURCE",
            Self::Limit => "FILE_LIMIT",
            Self::Container => "FILE_CONTAINER",
            Self::Guess => "FILE_GUESS",
            Self::More => "FILE_MORE",
        }
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a [`Problem`] is about. Numbers are indices in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Object {
    /// The file as a whole.
    #[default]
    File,
    /// A glTF buffer.
    Buffer(u32),
    /// A glTF buffer view.
    BufferView(u32),
    /// A glTF accessor.
    Accessor(u32),
    /// A glTF image.
    Image(u32),
    /// A scene.
    Scene {
        /// Index in the file.
        index: u32,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// A node, or a joint of a BVH.
    Node {
        /// Index in the file.
        index: u32,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// A skin.
    Skin {
        /// Index in the file.
        index: u32,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// A mesh.
    Mesh {
        /// Index in the file.
        index: u32,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// One primitive of a mesh.
    Primitive {
        /// Mesh index in the file.
        mesh: u32,
        /// Name of the mesh, where it has one.
        name: Option<String>,
        /// Primitive index within the mesh.
        primitive: u32,
    },
    /// An animation.
    Animation {
        /// Index in the file.
        index: u32,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// One channel of an animation.
    Channel {
        /// Animation index in the file.
        animation: u32,
        /// Name of the animation, where it has one.
        name: Option<String>,
        /// Channel index within the animation.
        channel: u32,
    },
    /// One sampler of an animation.
    Sampler {
        /// Animation index in the file.
        animation: u32,
        /// Name of the animation, where it has one.
        name: Option<String>,
        /// Sampler index within the animation.
        sampler: u32,
    },
    /// A curve or event stored beside an animation.
    Curve {
        /// Animation index in the file.
        animation: u32,
        /// Name of the animation, where it has one.
        name: Option<String>,
        /// Name of the curve or event.
        curve: String,
    },
    /// An extension of the file format.
    Extension(String),
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |f: &mut fmt::Formatter<'_>, kind: &str, index: u32, name: &Option<String>| match name {
            Some(name) => write!(f, "{kind} {index} '{name}'"),
            None => write!(f, "{kind} {index}"),
        };
        match self {
            Self::File => f.write_str("file"),
            Self::Buffer(i) => write!(f, "buffer {i}"),
            Self::BufferView(i) => write!(f, "buffer view {i}"),
            Self::Accessor(i) => write!(f, "accessor {i}"),
            Self::Image(i) => write!(f, "image {i}"),
            Self::Scene { index, name } => named(f, "scene", *index, name),
            Self::Node { index, name } => named(f, "node", *index, name),
            Self::Skin { index, name } => named(f, "skin", *index, name),
            Self::Mesh { index, name } => named(f, "mesh", *index, name),
            Self::Primitive { mesh, name, primitive } => {
                named(f, "mesh", *mesh, name)?;
                write!(f, ", primitive {primitive}")
            }
            Self::Animation { index, name } => named(f, "animation", *index, name),
            Self::Channel { animation, name, channel } => {
                named(f, "animation", *animation, name)?;
                write!(f, ", channel {channel}")
            }
            Self::Sampler { animation, name, sampler } => {
                named(f, "animation", *animation, name)?;
                write!(f, ", sampler {sampler}")
            }
            Self::Curve { animation, name, curve } => {
                named(f, "animation", *animation, name)?;
                write!(f, ", curve '{curve}'")
            }
            Self::Extension(name) => write!(f, "extension {name}"),
        }
    }
}

/// One thing that is wrong with a file, or that was left out of what was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// What kind it is.
    pub code: ProblemCode,
    /// What it is about.
    pub object: Object,
    /// Where in the file.
    pub place: Place,
    /// What was expected and found, with the numbers, and what was done about it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { severity, code, object, place, message } = self;
        write!(f, "{severity} {code}: {object}: {message}")?;
        if *place == Place::File { Ok(()) } else { write!(f, " (at {place})") }
    }
}

/// Problems met while reading, with a bound on how many of one kind are kept in full.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    /// Kinds met so far and how often; few enough to search.
    counts: Vec<(ProblemCode, Severity, usize)>,
}

impl Problems {
    /// Problems of one kind and severity that are listed one by one; the rest are counted.
    ///
    /// A hostile file can hold a problem every few bytes; the list must not outgrow it.
    pub const LISTED_PER_KIND: usize = 200;

    /// Adds a problem, or only counts it where its kind has been listed often enough.
    pub fn push(
        &mut self,
        severity: Severity,
        code: ProblemCode,
        object: Object,
        place: Place,
        message: impl Into<String>,
    ) {
        let known = self.counts.iter_mut().find(|(c, s, _)| *c == code && *s == severity);
        let count = match known {
            Some((_, _, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((code, severity, 1));
                1
            }
        };
        if count <= Self::LISTED_PER_KIND {
            self.kept.push(Problem { severity, code, object, place, message: message.into() });
        }
    }

    /// All problems in the order met, then one line for each kind that had more than are listed.
    #[must_use]
    pub fn finish(mut self) -> Vec<Problem> {
        for (code, severity, count) in self.counts {
            if count > Self::LISTED_PER_KIND {
                let more = count - Self::LISTED_PER_KIND;
                self.kept.push(Problem {
                    severity,
                    code: ProblemCode::More,
                    object: Object::File,
                    place: Place::File,
                    message: format!("{more} more of kind {code}, {count} in all"),
                });
            }
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_one_sentence_with_its_place() {
        let problem = Problem {
            severity: Severity::Error,
            code: ProblemCode::Keys,
            object: Object::Sampler { animation: 3, name: Some("stutter".into()), sampler: 0 },
            place: Place::Pointer("/animations/3/samplers/0/input".into()),
            message: "key 2 is a duplicate".into(),
        };
        let expected = "error FILE_KEYS: animation 3 'stutter', sampler 0: key 2 is a duplicate \
                        (at /animations/3/samplers/0/input)";
        assert_eq!(problem.to_string(), expected);
    }

    #[test]
    fn a_million_problems_of_one_kind_are_counted_not_kept() {
        let mut problems = Problems::default();
        for i in 0..1_000_000 {
            problems.push(
                Severity::Warning,
                ProblemCode::Index,
                Object::Node { index: i, name: None },
                Place::File,
                "",
            );
        }
        let listed = problems.finish();
        assert_eq!(listed.len(), Problems::LISTED_PER_KIND + 1);
        assert!(listed[listed.len() - 1].message.contains("1000000 in all"));
    }
}
