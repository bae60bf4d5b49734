//! Why bytes are no action asset: one type for each stage.

use sinew::{SkeletonError, TrackError};

use super::container::ACTION_VERSION;
use crate::AssetError;

/// Why an action asset was not read, and at which stage.
#[derive(Debug, thiserror::Error)]
pub enum ActionFileError {
    /// The system did not give the file.
    #[error(transparent)]
    File(#[from] AssetError),
    /// Header, table or checksums.
    #[error(transparent)]
    Container(#[from] ActionContainerError),
    /// A field of an object.
    #[error(transparent)]
    Field(#[from] ActionFieldError),
    /// Keys in a payload.
    #[error(transparent)]
    Decode(#[from] ActionDecodeError),
}

impl ActionFileError {
    /// The stage: `file`, `container`, `field` or `decode`.
    #[must_use]
    pub fn stage(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Container(_) => "container",
            Self::Field(_) => "field",
            Self::Decode(_) => "decode",
        }
    }
}

/// First stage: the file is no container of objects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionContainerError {
    /// It begins like another file.
    #[error("{asset}: magic at byte 0 is \"{found}\", expected that of an action asset")]
    Magic {
        /// The asset.
        asset: String,
        /// Its first bytes.
        found: String,
    },
    /// The file ends too early.
    #[error("{asset}: {field} needs bytes up to {expected}, the file has {found}: it is truncated")]
    Truncated {
        /// The asset.
        asset: String,
        /// What was being read.
        field: &'static str,
        /// Bytes needed.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// A version that is not known.
    #[error(
        "{asset}: version at byte {offset} is {}.{}, this sinew reads 1.0 and {}.{}; {}",
        found[0], found[1], ACTION_VERSION[0], ACTION_VERSION[1],
        if found[0] > 0 { "update sinew or write the asset with this one" }
        else { "there is no such version" }
    )]
    Version {
        /// The asset.
        asset: String,
        /// Where the version stands.
        offset: u64,
        /// Major and minor version of the file.
        found: [u16; 2],
    },
    /// The file is not as long as its header or table says.
    #[error("{asset}: length at byte {offset} makes {expected} bytes, the file has {found}")]
    Length {
        /// The asset.
        asset: String,
        /// Where the length stands.
        offset: u64,
        /// As said.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// Bytes are not those that were written.
    #[error(
        "{asset}: {field} at byte {offset} is corrupted: checksum {found:016x}, expected {expected:016x}"
    )]
    Corrupted {
        /// The asset.
        asset: String,
        /// `header`, or kind and number of the object.
        field: String,
        /// Where it starts.
        offset: u64,
        /// As written.
        expected: u64,
        /// Of the bytes there.
        found: u64,
    },
    /// An object of a kind that is not known.
    #[error("{asset}: object {object} has kind \"{found}\" at byte {offset}, expected ACTN or SEQN")]
    UnknownObject {
        /// The asset.
        asset: String,
        /// Number of the object.
        object: u32,
        /// Where its kind stands.
        offset: u64,
        /// The kind.
        found: String,
    },
    /// Two objects of one kind and number.
    #[error("{asset}: {kind} {object} is there a second time, at byte {offset}")]
    Repeated {
        /// The asset.
        asset: String,
        /// The kind.
        kind: &'static str,
        /// The number.
        object: u32,
        /// Where the second one's number stands.
        offset: u64,
    },
    /// A number of the table that no such file has.
    #[error("{asset}: {field} of object {object} at byte {offset} is {found}, expected {expected}")]
    Value {
        /// The asset.
        asset: String,
        /// Number of the object.
        object: u32,
        /// Which number.
        field: &'static str,
        /// Where it stands.
        offset: u64,
        /// Its value.
        found: u64,
        /// What is allowed.
        expected: u64,
    },
}

/// Second stage: an object does not have the fields of its kind and version.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{asset}: {kind} {object}, {field} at byte {offset}: {fault}")]
pub struct ActionFieldError {
    /// The asset.
    pub asset: String,
    /// Kind of the object.
    pub kind: &'static str,
    /// Its number.
    pub object: u32,
    /// The field.
    pub field: String,
    /// Where the field starts in the file.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: FieldFault,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldFault {
    /// The object ends within it.
    #[error("needs {needed} bytes, {left} are left")]
    Truncated {
        /// Bytes needed, at least.
        needed: u64,
        /// Bytes left of the object.
        left: u64,
    },
    /// Bytes are left after the last field.
    #[error("{bytes} bytes are left that no field uses")]
    Unread {
        /// How many.
        bytes: u64,
    },
    /// A name that is no text.
    #[error("is not UTF-8")]
    Text,
    /// A number that means nothing.
    #[error("is {found}, expected {expected}")]
    Value {
        /// Its value.
        found: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// A channel that is not known.
    #[error("there is no channel {name:?}")]
    Channel {
        /// The name given.
        name: String,
    },
    /// Bones that are no skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// Third stage: a payload does not hold keys.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{asset}: {kind} {object}, keys of {field} at byte {offset}: {fault}")]
pub struct ActionDecodeError {
    /// The asset.
    pub asset: String,
    /// Kind of the object.
    pub kind: &'static str,
    /// Its number.
    pub object: u32,
    /// The field or track.
    pub field: String,
    /// Where the fault is in the file: the encoding, the key or the number that it is about; where the payload
    /// starts where it is about no single one.
    pub offset: u64,
    /// What is wrong.
    pub fault: DecodeFault,
}

/// What is wrong with a payload.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DecodeFault {
    /// An encoding that is not known.
    #[error("encoding {found}, expected 0 (plain) or 1 (frames)")]
    Encoding {
        /// Its number.
        found: u8,
    },
    /// The payload ends within a key.
    #[error("needs {needed} bytes, {left} are left")]
    Truncated {
        /// Bytes needed.
        needed: u64,
        /// Bytes left of the payload.
        left: u64,
    },
    /// Bytes are left after the last key.
    #[error("{bytes} bytes are left after the last key")]
    Unread {
        /// How many.
        bytes: u64,
    },
    /// A frame number that does not fit.
    #[error("the frame of key {key} is too large")]
    Frame {
        /// The key.
        key: usize,
    },
    /// A frame rate that is none.
    #[error("a rate of {rate} frames a second, expected more than 0")]
    Rate {
        /// The rate, hertz.
        rate: f64,
    },
    /// Keys that are no track.
    #[error(transparent)]
    Keys(#[from] TrackError),
}

/// Why actions were not written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ActionWriteError {
    /// A version that cannot be written.
    #[error("version {found}, expected 1 to {}", ACTION_VERSION[0])]
    Version {
        /// The version asked for.
        found: u16,
    },
    /// Something that the file has no place for.
    #[error("{object:?}: {what} cannot be said in version {version}")]
    CannotSay {
        /// The action or sequence.
        object: String,
        /// What.
        what: &'static str,
        /// The version.
        version: u16,
    },
    /// A list or name longer than the file can count.
    #[error("{object:?}: {count} of {what}, expected at most {}", u32::MAX)]
    TooMany {
        /// The action or sequence.
        object: String,
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
    },
}
