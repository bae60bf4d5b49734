//! The runtime file, `.sinew`: a skeleton and its clips, as the frame loop wants them.
//!
//! Little-endian, position-independent, no alignment needed:
//!
//! ```text
//! magic      8 bytes: 89 "SINEW" 0A 1A
//! version    major u16, minor u16
//! sections   u32
//! length     u64: of the whole file
//! checksum   u64: of the header up to here and of the table
//! table      a record for each section: tag 4 bytes, flags u32 (1: a reader must know it),
//!              offset u64, length u64, checksum u64
//! sections   one after the other, without gaps
//! ```
//!
//! `SKEL` is the skeleton (see `skeleton`), each `CLIP` a clip of [`sinew::Clip::to_stored`] or
//! [`sinew::Clip::to_resident`].
//!
//! A file of another major version is refused. A later minor version may add sections: those that a reader need
//! not know are passed over. The first 32 bytes stay as they are in every version.

mod container;
mod error;
mod skeleton;

use std::path::Path;
use std::sync::Arc;

use sinew::{Clip, Rig, Skeleton};

use crate::load::read_path;
use container::{Container, Section, Writer};

pub use container::{RUNTIME_MAGIC, RUNTIME_VERSION};
pub(crate) use container::{checksum, u16_at, u32_at, u64_at};
pub use error::RuntimeFileError;

/// How clips lie in a runtime file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipForm {
    /// Entropy-coded: about half the size, decoded when it is read.
    #[default]
    Stored,
    /// As in memory: played from the bytes of the file once those are in memory, without decoding.
    Resident,
}

/// What a runtime file holds.
#[derive(Clone, Debug)]
pub struct RuntimeFile {
    /// Joints, names, rest pose: exactly those that were written.
    pub skeleton: Skeleton,
    /// The skeleton laid out for the frame loop.
    pub rig: Rig,
    /// For this rig, in the order they were written.
    pub clips: Vec<Clip>,
    /// `[clip]`: how it lies in the file, and its bytes there, name, curves and events included.
    pub on_disk: Vec<(ClipForm, u64)>,
    /// Major and minor version of the file.
    pub version: [u16; 2],
}

/// A skeleton and its clips as the bytes of a runtime file; [`crate::save`] writes them whole or not at all.
///
/// # Errors
/// [`RuntimeFileError`] where the skeleton has no rig or a clip is for another one.
pub fn write_runtime(
    skeleton: &Skeleton,
    clips: &[Clip],
    form: ClipForm,
) -> Result<Vec<u8>, RuntimeFileError> {
    let rig = Rig::new(skeleton)?;
    let mut writer = Writer::new(1 + clips.len());
    writer.section(container::SKELETON, &skeleton::write(skeleton));
    for (index, clip) in clips.iter().enumerate() {
        check_joints(index, clip, &rig)?;
        let bytes = match form {
            ClipForm::Stored => clip.to_stored(),
            ClipForm::Resident => clip.to_resident(),
        };
        writer.section(container::CLIP, &bytes);
    }
    Ok(writer.finish())
}

/// Reads a runtime file that is in memory. Resident clips share the bytes and keep them alive.
///
/// # Errors
/// [`RuntimeFileError`] says what is wrong and where: no byte is used whose checksum does not hold. Memory is
/// taken in proportion to the bytes that are there, whatever they claim.
pub fn read_runtime(file: &Arc<[u8]>) -> Result<RuntimeFile, RuntimeFileError> {
    let container = Container::read(file)?;
    let mut found: Option<Skeleton> = None;
    let (mut clips, mut on_disk) = (Vec::new(), Vec::new());
    for section in &container.sections {
        match section.tag {
            container::SKELETON if found.is_some() => {
                return Err(RuntimeFileError::Repeated {
                    section: section.name(),
                    offset: section.offset as u64,
                });
            }
            container::SKELETON => found = Some(skeleton::read(file, section)?),
            container::CLIP => {
                clips.push(read_clip(file, section, clips.len())?);
                let form =
                    if file.get(section.offset) == Some(&0) { ClipForm::Resident } else { ClipForm::Stored };
                on_disk.push((form, section.length as u64));
            }
            _ if section.required => {
                return Err(RuntimeFileError::Required {
                    section: section.name(),
                    offset: section.offset as u64,
                });
            }
            _ => {}
        }
    }
    let skeleton = found.ok_or(RuntimeFileError::Missing { section: "SKEL" })?;
    let rig = Rig::new(&skeleton)?;
    for (index, clip) in clips.iter().enumerate() {
        check_joints(index, clip, &rig)?;
    }
    Ok(RuntimeFile { skeleton, rig, clips, on_disk, version: container.version })
}

/// Reads a runtime file from disk.
///
/// # Errors
/// As [`read_runtime`], and [`RuntimeFileError::File`] where the system says no.
pub fn load_runtime(path: impl AsRef<Path>) -> Result<RuntimeFile, RuntimeFileError> {
    read_runtime(&Arc::from(read_path(path.as_ref())?))
}

/// Whether bytes begin like a runtime file, of any version.
#[must_use]
pub fn is_runtime(bytes: &[u8]) -> bool {
    bytes.starts_with(&RUNTIME_MAGIC)
}

fn read_clip(file: &Arc<[u8]>, section: &Section, index: usize) -> Result<Clip, RuntimeFileError> {
    Clip::from_shared(file, section.range()).map_err(|source| RuntimeFileError::Clip {
        index,
        offset: section.offset as u64,
        source,
    })
}

fn check_joints(index: usize, clip: &Clip, rig: &Rig) -> Result<(), RuntimeFileError> {
    if clip.joints() != rig.len() {
        return Err(RuntimeFileError::ClipJoints { index, found: clip.joints(), expected: rig.len() });
    }
    Ok(())
}
