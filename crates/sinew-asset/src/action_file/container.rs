//! First stage: header, table of objects, checksums.

use std::collections::BTreeSet;

use super::error::ActionContainerError;
use crate::runtime_file::{checksum, u16_at, u32_at, u64_at};

/// What every action asset begins with; see the runtime file's for why it looks like this.
pub const ACTION_MAGIC: [u8; 8] = *b"\x89SNACT\n\x1a";
/// Major and minor version that is written. Major versions up to this one are read, each up to the minor version
/// that is known of it: what a later one may have added would be left unread.
pub const ACTION_VERSION: [u16; 2] = [2, 0];
/// Latest minor version that is known of each major one, from 1 on.
const LATEST_MINOR: [u16; ACTION_VERSION[0] as usize] = [0, ACTION_VERSION[1]];

pub(super) const HEADER: usize = 32;
pub(super) const ENTRY: usize = 32;
/// Where the checksum of header and table stands.
const CHECKSUM_AT: usize = 24;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// An action.
    Action,
    /// A sequence of bone tracks.
    Sequence,
}

impl ObjectKind {
    /// Its tag in the file.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Action => "ACTN",
            Self::Sequence => "SEQN",
        }
    }
}

/// An object whose checksum holds; its fields are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionObject {
    /// What it is.
    pub kind: ObjectKind,
    /// Its number, the only one of its kind.
    pub id: u32,
    /// Where it starts in the file.
    pub offset: usize,
    /// Its bytes.
    pub length: usize,
}

/// An action asset of which header, table and checksums hold.
#[derive(Clone, Debug)]
pub struct ActionContainer<'a> {
    /// Name of the asset, for messages.
    pub asset: &'a str,
    /// Major and minor version.
    pub version: [u16; 2],
    /// In the order of the file.
    pub objects: Vec<ActionObject>,
    pub(super) bytes: &'a [u8],
}

impl<'a> ActionContainer<'a> {
    /// Reads header and table.
    ///
    /// # Errors
    /// [`ActionContainerError`] names the asset, the field and where it is.
    pub fn read(asset: &'a str, bytes: &'a [u8]) -> Result<Self, ActionContainerError> {
        let length = bytes.len() as u64;
        let name = || asset.to_owned();
        let truncated = |field, expected| ActionContainerError::Truncated {
            asset: name(),
            field,
            expected,
            found: length,
        };
        if !bytes.starts_with(&ACTION_MAGIC) {
            if ACTION_MAGIC.starts_with(bytes) && !bytes.is_empty() {
                return Err(truncated("magic", HEADER as u64));
            }
            let found = bytes[..bytes.len().min(8)].escape_ascii().to_string();
            return Err(ActionContainerError::Magic { asset: name(), found });
        }
        // Before anything else: of a later version, nothing else is known.
        let Some(version) = bytes.get(8..12) else { return Err(truncated("version", 12)) };
        let version = [u16_at(version, 0), u16_at(version, 2)];
        let latest = usize::from(version[0]).checked_sub(1).and_then(|major| LATEST_MINOR.get(major));
        if latest.is_none_or(|minor| version[1] > *minor) {
            return Err(ActionContainerError::Version { asset: name(), offset: 8, found: version });
        }
        if bytes.len() < HEADER {
            return Err(truncated("header", HEADER as u64));
        }
        let (count, said) = (u32_at(bytes, 12), u64_at(bytes, 16));
        let table = HEADER as u64 + u64::from(count) * ENTRY as u64;
        if length < table {
            return Err(truncated("table", table));
        }
        let table = table as usize;
        let corrupted = |field: String, offset, expected, found| ActionContainerError::Corrupted {
            asset: name(),
            field,
            offset,
            expected,
            found,
        };
        let (expected, found) =
            (u64_at(bytes, CHECKSUM_AT), checksum(&[&bytes[..CHECKSUM_AT], &bytes[HEADER..table]]));
        if found != expected {
            return Err(corrupted("header".into(), 0, expected, found));
        }
        if length != said {
            let (expected, found) = (said, length);
            return Err(ActionContainerError::Length { asset: name(), offset: 16, expected, found });
        }
        let mut objects: Vec<ActionObject> = Vec::with_capacity(count as usize);
        let mut seen = BTreeSet::new();
        let mut next = table as u64;
        for entry in (HEADER..table).step_by(ENTRY) {
            let object = u32_at(bytes, entry + 4);
            let value = |at: usize, field, found, expected| ActionContainerError::Value {
                asset: name(),
                object,
                field,
                offset: (entry + at) as u64,
                found,
                expected,
            };
            let kind = match &bytes[entry..entry + 4] {
                b"ACTN" => ObjectKind::Action,
                b"SEQN" => ObjectKind::Sequence,
                other => {
                    let (found, offset) = (other.escape_ascii().to_string(), entry as u64);
                    let asset = name();
                    return Err(ActionContainerError::UnknownObject { asset, object, offset, found });
                }
            };
            let (offset, size) = (u64_at(bytes, entry + 8), u64_at(bytes, entry + 16));
            if offset != next {
                return Err(value(8, "offset", offset, next));
            }
            next = match offset.checked_add(size) {
                Some(end) if end <= length => end,
                _ => return Err(value(16, "length", size, length - offset)),
            };
            let this = ActionObject { kind, id: object, offset: offset as usize, length: size as usize };
            if !seen.insert((kind, object)) {
                let (asset, offset, kind) = (name(), entry as u64 + 4, kind.tag());
                return Err(ActionContainerError::Repeated { asset, kind, object, offset });
            }
            let body = &bytes[this.offset..this.offset + this.length];
            let (expected, found) = (u64_at(bytes, entry + 24), checksum(&[body]));
            if found != expected {
                return Err(corrupted(format!("{} {object}", kind.tag()), offset, expected, found));
            }
            objects.push(this);
        }
        if next != length {
            return Err(ActionContainerError::Length {
                asset: name(),
                offset: 16,
                expected: next,
                found: length,
            });
        }
        Ok(Self { asset, version, objects, bytes })
    }
}

/// Puts a file together.
pub(super) fn assemble(version: [u16; 2], objects: &[(ObjectKind, Vec<u8>)]) -> Vec<u8> {
    let (mut table, mut body) = (Vec::new(), Vec::new());
    let mut ids = [0_u32; 2];
    for (kind, bytes) in objects {
        let id = &mut ids[*kind as usize];
        table.extend(kind.tag().as_bytes());
        table.extend(id.to_le_bytes());
        *id += 1;
        let offset = HEADER + objects.len() * ENTRY + body.len();
        for number in [offset as u64, bytes.len() as u64, checksum(&[bytes])] {
            table.extend(number.to_le_bytes());
        }
        body.extend_from_slice(bytes);
    }
    let length = HEADER + table.len() + body.len();
    let mut out = Vec::with_capacity(length);
    out.extend(ACTION_MAGIC);
    version.iter().for_each(|v| out.extend(v.to_le_bytes()));
    out.extend((objects.len() as u32).to_le_bytes());
    out.extend((length as u64).to_le_bytes());
    let sum = checksum(&[&out, &table]);
    out.extend(sum.to_le_bytes());
    out.extend(table);
    out.extend(body);
    out
}
