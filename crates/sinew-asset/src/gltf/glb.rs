//! The GLB container: a header of 12 bytes, a JSON chunk, at most one binary chunk.
//!
//! glTF 2.0 specification, section 4.4.

use crate::error::{AssetError, Object, Place, ProblemCode, Problems, Severity};

const MAGIC: &[u8; 4] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// The parts of a glTF file: text and, in a GLB, the binary chunk.
pub(crate) struct Container<'a> {
    pub(crate) json: &'a [u8],
    /// Where the JSON starts in the file.
    pub(crate) json_offset: u64,
    pub(crate) bin: Option<&'a [u8]>,
}

/// Whether the bytes start like a GLB.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Takes a file apart: a GLB by its chunks, anything else is JSON text as a whole.
pub(crate) fn split<'a>(bytes: &'a [u8], problems: &mut Problems) -> Result<Container<'a>, AssetError> {
    if is_glb(bytes) {
        return split_glb(bytes, problems);
    }
    let (json, json_offset) = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => {
            let text = "a byte order mark before the JSON, which the specification forbids; skipped";
            problems.push(Severity::Info, ProblemCode::Container, Object::File, Place::Byte(0), text);
            (rest, 3)
        }
        None => (bytes, 0),
    };
    Ok(Container { json, json_offset, bin: None })
}

fn split_glb<'a>(bytes: &'a [u8], problems: &mut Problems) -> Result<Container<'a>, AssetError> {
    let version = need_u32(bytes, 4, "the container version 2")?;
    if version != 2 {
        return Err(AssetError::Unsupported {
            feature: format!("GLB container version {version}"),
            pointer: "byte 4".into(),
        });
    }
    let length = need_u32(bytes, 8, "the length of the file")? as usize;
    if length < 20 {
        return Err(malformed(8, "a length of at least 20 bytes", length));
    }
    if length > bytes.len() {
        return Err(malformed(
            8,
            format!("{length} bytes as the header says"),
            format!("{} bytes", bytes.len()),
        ));
    }
    let mut odd = |offset: usize, text: String| {
        let place = Place::Byte(offset as u64);
        problems.push(Severity::Warning, ProblemCode::Container, Object::File, place, text);
    };
    if length < bytes.len() {
        let more = bytes.len() - length;
        odd(length, format!("expected the end of the file, found {more} bytes more; ignored"));
    }
    if !length.is_multiple_of(4) {
        odd(8, format!("expected a length that is a multiple of 4, found {length}"));
    }
    let bytes = &bytes[..length];
    let mut container = None;
    let mut offset = 12;
    let mut number = 0;
    while offset < length {
        let size = need_u32(bytes, offset, "the length of a chunk")? as usize;
        let kind = need_u32(bytes, offset + 4, "the type of a chunk")?;
        let start = offset + 8;
        let Some(data) = start.checked_add(size).and_then(|end| bytes.get(start..end)) else {
            let expected = format!("{size} bytes of chunk {number} as its header says");
            return Err(malformed(start, expected, format!("{} bytes", length - start)));
        };
        if !size.is_multiple_of(4) {
            odd(offset, format!("expected chunk {number} to be a multiple of 4 bytes long, found {size}"));
        }
        match (&mut container, kind) {
            (None, JSON) => {
                container = Some(Container { json: data, json_offset: start as u64, bin: None });
            }
            (None, _) => {
                return Err(malformed(
                    offset + 4,
                    "a JSON chunk first",
                    format!("a chunk of type {kind:#010x}"),
                ));
            }
            (Some(c), BIN) if number == 1 => c.bin = Some(data),
            (Some(_), BIN) => odd(offset, format!("a binary chunk as chunk {number}; only chunk 1 is read")),
            (Some(_), JSON) => odd(offset, format!("a second JSON chunk as chunk {number}; ignored")),
            // Unknown chunks are to be ignored.
            (Some(_), _) => {}
        }
        // Files whose chunks are not padded are read as if they were, unless that is where data ends.
        offset = start + size;
        number += 1;
    }
    container.ok_or_else(|| malformed(12, "a JSON chunk", "the end of the file"))
}

fn need_u32(bytes: &[u8], offset: usize, what: &str) -> Result<u32, AssetError> {
    match bytes.get(offset..).and_then(|rest| rest.first_chunk::<4>()) {
        Some(four) => Ok(u32::from_le_bytes(*four)),
        None => Err(malformed(offset, what, format!("the end of the file at byte {}", bytes.len()))),
    }
}

fn malformed(offset: usize, expected: impl Into<String>, found: impl ToString) -> AssetError {
    AssetError::Malformed {
        place: Place::Byte(offset as u64),
        expected: expected.into(),
        found: found.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(chunks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
        for (kind, data) in chunks {
            out.extend((data.len() as u32).to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(*data);
        }
        let length = out.len() as u32;
        out[8..12].copy_from_slice(&length.to_le_bytes());
        out
    }

    fn error(bytes: &[u8]) -> String {
        split(bytes, &mut Problems::default()).err().map(|e| e.to_string()).unwrap_or_default()
    }

    #[test]
    fn chunks_are_found_and_unknown_ones_skipped() {
        let bytes = glb(&[(JSON, b"{}  "), (BIN, &[1, 2, 3, 4]), (7, b"what")]);
        let mut problems = Problems::default();
        let parts = split(&bytes, &mut problems).unwrap();
        assert_eq!(
            (parts.json, parts.json_offset, parts.bin),
            (&b"{}  "[..], 20, Some(&[1_u8, 2, 3, 4][..]))
        );
        assert!(problems.finish().is_empty());
    }

    #[test]
    fn every_truncation_is_an_error_with_a_byte_offset() {
        let bytes = glb(&[(JSON, b"{}  "), (BIN, &[1, 2, 3, 4])]);
        for length in 4..bytes.len() {
            assert!(error(&bytes[..length]).contains("byte "), "{length}: {}", error(&bytes[..length]));
        }
    }

    #[test]
    fn a_chunk_longer_than_the_file_is_named() {
        let mut bytes = glb(&[(JSON, b"{}  ")]);
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(error(&bytes).starts_with("byte 20: expected 4294967295 bytes of chunk 0"));
    }

    #[test]
    fn a_binary_chunk_first_and_version_one_are_refused() {
        assert!(error(&glb(&[(BIN, b"1234"), (JSON, b"{}  ")])).contains("a JSON chunk first"));
        let mut bytes = glb(&[(JSON, b"{}  ")]);
        bytes[4] = 1;
        assert!(error(&bytes).contains("GLB container version 1 is not supported"));
    }

    #[test]
    fn trailing_bytes_are_reported_and_ignored() {
        let mut bytes = glb(&[(JSON, b"{}  ")]);
        let end = bytes.len();
        bytes.extend(b"tail");
        let mut problems = Problems::default();
        split(&bytes, &mut problems).unwrap();
        assert_eq!(problems.finish()[0].place, Place::Byte(end as u64));
    }
}
