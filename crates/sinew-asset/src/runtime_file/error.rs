//! Why bytes are no runtime file.

use sinew::{RigError, SkeletonError, StoredClipError};

use super::container::RUNTIME_VERSION;
use crate::AssetError;

/// Why a runtime file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeFileError {
    /// The system did not give the file.
    #[error(transparent)]
    File(#[from] AssetError),
    /// It begins like another file.
    #[error("byte 0: expected the beginning of a sinew runtime file, found {found}")]
    Magic {
        /// What it looks like, and who reads that.
        found: String,
    },
    /// The file ends too early.
    #[error("{what} needs bytes up to {expected}, the file has {found}: it is truncated")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes needed.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// There are bytes after the end.
    #[error("the file says that it has {expected} bytes, there are {found}")]
    Longer {
        /// As the header says.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// Another major version.
    #[error(
        "runtime file of version {}.{}, this sinew reads version {}.x; {}",
        found[0], found[1], RUNTIME_VERSION[0],
        if found[0] > RUNTIME_VERSION[0] { "update sinew or bake the file with this one" } else { "bake it again" }
    )]
    Version {
        /// Major and minor version of the file.
        found: [u16; 2],
    },
    /// Bytes are not those that were written.
    #[error(
        "section {section} at byte {offset} is corrupted: checksum {found:016x}, expected {expected:016x}"
    )]
    Corrupted {
        /// Its tag; `header` for the header and the table.
        section: String,
        /// Where it starts.
        offset: u64,
        /// As written.
        expected: u64,
        /// Of the bytes there.
        found: u64,
    },
    /// A section that must be understood and is not.
    #[error("section {section} at byte {offset} must be understood, and is not known to this sinew")]
    Required {
        /// Its tag.
        section: String,
        /// Where it starts.
        offset: u64,
    },
    /// A section that every file has is not there.
    #[error("there is no section {section}, expected one")]
    Missing {
        /// Its tag.
        section: &'static str,
    },
    /// A section that a file has once is there again.
    #[error("section {section} at byte {offset} is there a second time")]
    Repeated {
        /// Its tag.
        section: String,
        /// Where the second one starts.
        offset: u64,
    },
    /// A number that no such file has.
    #[error("byte {offset}: {what} is {found}, expected {expected}")]
    Value {
        /// Where.
        offset: u64,
        /// Which number.
        what: &'static str,
        /// Its value.
        found: u64,
        /// What is allowed.
        expected: u64,
    },
    /// A name that is no text.
    #[error("byte {offset}: the name of joint {joint} is not UTF-8")]
    Name {
        /// Where.
        offset: u64,
        /// The joint.
        joint: usize,
    },
    /// The joints are no skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The skeleton has no rig.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A clip is none.
    #[error("clip {index} at byte {offset}: {source}")]
    Clip {
        /// Position in the file.
        index: usize,
        /// Where its section starts.
        offset: u64,
        /// What is wrong.
        source: StoredClipError,
    },
    /// A clip for another rig.
    #[error("clip {index} is for {found} joints, the skeleton has {expected}")]
    ClipJoints {
        /// Position in the file.
        index: usize,
        /// Joints of the clip's rig.
        found: usize,
        /// Joints of the skeleton.
        expected: usize,
    },
    /// A clip for another rig of as many joints.
    #[error(
        "clip {index} is for a rig of layout {found:08x}, the skeleton's is {expected:08x}: other joints, parents or \
         rest pose"
    )]
    ClipLayout {
        /// Position in the file.
        index: usize,
        /// Of the clip's rig.
        found: u32,
        /// Of the skeleton's rig.
        expected: u32,
    },
}
