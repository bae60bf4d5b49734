//! The action asset, `.actions`: actions with their curves, and sequences of bone tracks.
//!
//! Little-endian, position-independent, no alignment needed:
//!
//! ```text
//! magic      8 bytes: 89 "SNACT" 0A 1A
//! version    major u16, minor u16
//! objects    u32
//! length     u64: of the whole file
//! checksum   u64: of the header up to here and of the table
//! table      a record for each object: kind 4 bytes, id u32, offset u64, length u64, checksum u64
//! objects    one after the other, without gaps
//! ```
//!
//! `ACTN` is an action, `SEQN` a sequence (see `parse` for their fields); keys lie in payloads (see `payload`).
//! Version 2 moved the length of an action behind its head bone and says whether keys are in seconds or in
//! parts of the length; in version 1 they are in seconds. Both are read and written.
//!
//! Reading has four stages, each with its own error, so that a failure says how far the evidence goes:
//! [`ActionContainer::read`] sees to header, table and checksums; [`ActionContainer::parse`] to the fields of
//! objects, whose last byte must be used; [`ParsedActions::decode`] to the payloads; and writing a pose is
//! [`sinew::action::SequenceJob`] and [`sinew::action::ActionSolver`].

mod container;
mod decode;
mod error;
mod parse;
mod payload;
mod write;

use std::path::Path;

use sinew::action::{Action, ActionRecord, AdditiveBase, TrackMode};
use sinew::{RawClip, Skeleton};

use crate::AssetError;
use crate::load::read_path;

pub use container::{ACTION_MAGIC, ACTION_VERSION, ActionContainer, ActionObject, ObjectKind};
pub use error::{
    ActionContainerError, ActionDecodeError, ActionFieldError, ActionFileError, ActionWriteError,
    DecodeFault, FieldFault,
};
pub use parse::ParsedActions;
pub use write::write_action_file;

/// Bone tracks of a named sequence, over a skeleton of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSequence {
    /// What people call it.
    pub name: String,
    /// What its values are.
    pub base: SequenceBase,
    /// Bones that its tracks are for.
    pub skeleton: Skeleton,
    /// The tracks: translations, rotations and scales.
    pub clip: RawClip,
}

/// What the values of a sequence's tracks are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SequenceBase {
    /// Transforms relative to the parent.
    Absolute,
    /// Differences from the rest pose of the sequence's skeleton.
    Rest,
    /// Differences from the sequence itself at some seconds.
    At(f64),
}

impl SequenceBase {
    /// As a job takes it.
    #[must_use]
    pub fn mode(self) -> TrackMode<'static> {
        match self {
            Self::Absolute => TrackMode::Absolute,
            Self::Rest => TrackMode::Additive(AdditiveBase::SourceRest),
            Self::At(seconds) => TrackMode::Additive(AdditiveBase::ClipAt(seconds)),
        }
    }
}

/// What an action asset holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionFile {
    /// Major and minor version of the file.
    pub version: [u16; 2],
    /// In the order of the file, not yet checked: [`ActionFile::actions`] does.
    pub records: Vec<ActionRecord>,
    /// In the order of the file.
    pub sequences: Vec<ActionSequence>,
}

impl ActionFile {
    /// The actions, checked for use.
    ///
    /// # Errors
    /// [`sinew::action::ActionError`] names the first that cannot be used.
    pub fn actions(&self) -> Result<Vec<Action>, sinew::action::ActionError> {
        self.records.iter().cloned().map(Action::new).collect()
    }
}

/// Reads an action asset that is in memory; `asset` is its name, for messages.
///
/// # Errors
/// [`ActionFileError`] says which stage failed, and where. Memory is taken in proportion to the bytes that are
/// there, whatever they claim.
pub fn read_action_file(asset: &str, bytes: &[u8]) -> Result<ActionFile, ActionFileError> {
    Ok(ActionContainer::read(asset, bytes)?.parse()?.decode()?)
}

/// Reads an action asset from disk.
///
/// # Errors
/// As [`read_action_file`], and [`ActionFileError::File`] where the system says no.
pub fn load_action_file(path: impl AsRef<Path>) -> Result<ActionFile, ActionFileError> {
    let path = path.as_ref();
    let bytes = read_path(path).map_err(|source: AssetError| ActionFileError::File(source))?;
    read_action_file(&path.display().to_string(), &bytes)
}
