//! Header, table of sections, checksums.

use core::ops::Range;

use super::error::RuntimeFileError;

/// What every runtime file begins with. The first byte is no letter and the last two end lines and files, so that
/// text is not mistaken for it and a transfer that changes line ends is noticed.
pub const RUNTIME_MAGIC: [u8; 8] = *b"\x89SINEW\n\x1a";
/// Major and minor version that is written. Readers refuse another major version and read any minor one.
pub const RUNTIME_VERSION: [u16; 2] = [1, 0];

pub(super) const SKELETON: [u8; 4] = *b"SKEL";
pub(super) const CLIP: [u8; 4] = *b"CLIP";

const HEADER: usize = 32;
const ENTRY: usize = 32;
/// Where the checksum of header and table stands.
const CHECKSUM_AT: usize = 24;
const REQUIRED: u32 = 1;

/// A part of the file, its checksum seen to hold.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) tag: [u8; 4],
    pub(super) required: bool,
    pub(super) offset: usize,
    pub(super) length: usize,
}

impl Section {
    pub(super) fn name(&self) -> String {
        self.tag.escape_ascii().to_string()
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.length
    }
}

/// A file whose table and checksums hold.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) version: [u16; 2],
    pub(super) sections: Vec<Section>,
}

impl Container {
    pub(super) fn read(file: &[u8]) -> Result<Self, RuntimeFileError> {
        let length = file.len() as u64;
        let truncated = |what, expected| RuntimeFileError::Truncated { what, expected, found: length };
        if !file.starts_with(&RUNTIME_MAGIC) {
            if RUNTIME_MAGIC.starts_with(file) {
                return Err(truncated("the header", HEADER as u64));
            }
            return Err(RuntimeFileError::Magic { found: looks_like(file) });
        }
        // Before anything else: of another version, nothing else is known.
        let Some(version) = file.get(8..12) else { return Err(truncated("the header", HEADER as u64)) };
        let version = [u16_at(version, 0), u16_at(version, 2)];
        if version[0] != RUNTIME_VERSION[0] {
            return Err(RuntimeFileError::Version { found: version });
        }
        if file.len() < HEADER {
            return Err(truncated("the header", HEADER as u64));
        }
        let (count, said) = (u32_at(file, 12), u64_at(file, 16));
        let table = HEADER as u64 + u64::from(count) * ENTRY as u64;
        // The count may be what is wrong; whatever it is, no byte past the end is read.
        if length < table {
            return Err(truncated("the table of sections", table));
        }
        let table = table as usize;
        let found = checksum(&[&file[..CHECKSUM_AT], &file[HEADER..table]]);
        let expected = u64_at(file, CHECKSUM_AT);
        if found != expected {
            let section = "header".to_owned();
            return Err(RuntimeFileError::Corrupted { section, offset: 0, expected, found });
        }
        if length < said {
            return Err(truncated("the file", said));
        }
        if length > said {
            return Err(RuntimeFileError::Longer { expected: said, found: length });
        }
        let mut sections = Vec::with_capacity(count as usize);
        let mut next = table as u64;
        for entry in (HEADER..table).step_by(ENTRY) {
            let value = |at: usize, what, found, expected| RuntimeFileError::Value {
                offset: (entry + at) as u64,
                what,
                found,
                expected,
            };
            let (offset, size) = (u64_at(file, entry + 8), u64_at(file, entry + 16));
            if offset != next {
                return Err(value(8, "offset of a section", offset, next));
            }
            next = match offset.checked_add(size) {
                Some(end) if end <= length => end,
                _ => return Err(value(16, "length of a section", size, length - offset)),
            };
            let section = Section {
                tag: [file[entry], file[entry + 1], file[entry + 2], file[entry + 3]],
                required: u32_at(file, entry + 4) & REQUIRED != 0,
                offset: offset as usize,
                length: size as usize,
            };
            let (expected, found) = (u64_at(file, entry + 24), checksum(&[&file[section.range()]]));
            if found != expected {
                return Err(RuntimeFileError::Corrupted { section: section.name(), offset, expected, found });
            }
            sections.push(section);
        }
        if next != length {
            return Err(RuntimeFileError::Longer { expected: next, found: length });
        }
        Ok(Self { version, sections })
    }
}

/// Puts a file together.
pub(super) struct Writer {
    table: Vec<u8>,
    body: Vec<u8>,
    sections: usize,
}

impl Writer {
    /// For a number of sections.
    pub(super) fn new(sections: usize) -> Self {
        Self { table: Vec::new(), body: Vec::new(), sections }
    }

    pub(super) fn section(&mut self, tag: [u8; 4], bytes: &[u8]) {
        let offset = HEADER + self.sections * ENTRY + self.body.len();
        self.table.extend(tag);
        self.table.extend(REQUIRED.to_le_bytes());
        for number in [offset as u64, bytes.len() as u64, checksum(&[bytes])] {
            self.table.extend(number.to_le_bytes());
        }
        self.body.extend_from_slice(bytes);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let length = HEADER + self.table.len() + self.body.len();
        let mut out = Vec::with_capacity(length);
        out.extend(RUNTIME_MAGIC);
        RUNTIME_VERSION.iter().for_each(|v| out.extend(v.to_le_bytes()));
        out.extend((self.sections as u32).to_le_bytes());
        out.extend((length as u64).to_le_bytes());
        let sum = checksum(&[&out, &self.table]);
        out.extend(sum.to_le_bytes());
        out.extend(self.table);
        out.extend(self.body);
        out
    }
}

/// FNV-1a, 64 bits. Every step is a bijection of the state, so a change of one byte is always found; against
/// forgery no checksum helps, and every reader takes any bytes. A byte a nanosecond, with no dependency.
pub(crate) fn checksum(parts: &[&[u8]]) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.iter().copied().flatten() {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    state
}

fn looks_like(file: &[u8]) -> String {
    let text = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file).trim_ascii_start();
    let reader = "which sinew_asset::load reads";
    if file.is_empty() {
        "an empty file".into()
    } else if file.starts_with(b"glTF") {
        format!("a GLB file, {reader}")
    } else if text.starts_with(b"{") {
        format!("a glTF file, {reader}")
    } else if text.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY")) {
        format!("a BVH file, {reader}")
    } else {
        format!("\"{}\"", file[..file.len().min(16)].escape_ascii())
    }
}

/// Numbers at offsets that were seen to be there.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
