//! The bytes behind buffers: the GLB chunk, `data:` URIs, files beside the document.
//!
//! glTF 2.0 specification, sections 3.6.1 (buffers and buffer views) and 2.8 (URIs).

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::budget::Budget;
use super::fault::{Fault, short};
use super::json::Cursor;
use super::meshopt;
use crate::error::{Object, ProblemCode, Problems, Severity};
use crate::load::Resolver;

/// Padding and left-over bits of base64 are of no interest; exporters differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// All buffers of a document, `[buffer]`; one that could not be read says why.
pub(crate) struct Buffers<'a> {
    data: Vec<Result<Bytes<'a>, Fault>>,
}

/// The bytes of one buffer.
enum Bytes<'a> {
    Chunk(&'a [u8]),
    Owned(Vec<u8>),
    /// The first bytes of a file, which other buffers may share.
    File(Rc<Vec<u8>>, usize),
}

impl Bytes<'_> {
    fn get(&self) -> &[u8] {
        match self {
            Self::Chunk(bytes) => bytes,
            Self::Owned(bytes) => bytes,
            Self::File(bytes, length) => &bytes[..*length],
        }
    }
}

/// Files beside the document, each read once however many buffers name it.
struct Files<'r> {
    resolver: &'r dyn Resolver,
    /// The longest length that a buffer asks of each file, by [`Resolver::key`].
    wanted: BTreeMap<String, u64>,
    read: BTreeMap<String, Rc<Vec<u8>>>,
}

impl<'r> Files<'r> {
    fn new(root: Cursor<'_>, resolver: &'r dyn Resolver) -> Self {
        let mut wanted = BTreeMap::new();
        for buffer in root.get("buffers").iter().flat_map(Cursor::elements) {
            let uri = buffer.get("uri").and_then(|uri| uri.value().as_str());
            let Some(uri) = uri.filter(|uri| !uri.starts_with("data:")) else { continue };
            let length: &mut u64 = wanted.entry(resolver.key(uri)).or_default();
            *length = (*length).max(buffer.whole_or("byteLength", 0).unwrap_or(0));
        }
        Self { resolver, wanted, read: BTreeMap::new() }
    }

    fn read(&mut self, uri: Cursor<'_>, length: u64, budget: &mut Budget) -> Result<Bytes<'static>, Fault> {
        let text = uri.text()?;
        let key = self.resolver.key(text);
        let bytes = match self.read.get(&key) {
            Some(bytes) => bytes.clone(),
            None => {
                let wanted = self.wanted.get(&key).copied().unwrap_or(0).max(length);
                let bytes = read_file(self.resolver, uri, &key, wanted, budget)?;
                self.read.entry(key).or_insert(Rc::new(bytes)).clone()
            }
        };
        let length = length.min(bytes.len() as u64) as usize;
        Ok(Bytes::File(bytes, length))
    }
}

/// The first `length` bytes of a file beside the document. The file raises the budget once, each reading is charged.
pub(super) fn read_file(
    resolver: &dyn Resolver,
    uri: Cursor<'_>,
    key: &str,
    length: u64,
    budget: &mut Budget,
) -> Result<Vec<u8>, Fault> {
    let bytes = resolver.read(uri.text()?, budget.readable(length)).map_err(|error| {
        Fault::new(ProblemCode::Resource, uri.place(), "a file that can be read", error.to_string())
    })?;
    budget.grow(key, bytes.len() as u64);
    budget.charge(bytes.len() as u64, 1, || uri.place())?;
    Ok(bytes)
}

impl<'a> Buffers<'a> {
    /// Reads every buffer; a bad one costs only what refers to it.
    pub(crate) fn read(
        root: Cursor<'a>,
        bin: Option<&'a [u8]>,
        resolver: &dyn Resolver,
        budget: &mut Budget,
        problems: &mut Problems,
    ) -> Self {
        let mut data = Vec::new();
        let mut files = Files::new(root, resolver);
        for (i, buffer) in root.get("buffers").iter().flat_map(Cursor::elements).enumerate() {
            let bin = if i == 0 { bin } else { None };
            let bytes = read_one(buffer, bin, &mut files, budget);
            let fault = match &bytes {
                Ok(bytes) => too_short(buffer, bytes.get()),
                Err(fault) => Some(fault.clone()),
            };
            if let Some(fault) = fault {
                let object = Object::Buffer(i as u32);
                let text = fault.text();
                problems.push(Severity::Error, fault.code, object, fault.place, text);
            }
            data.push(bytes);
        }
        Self { data }
    }

    /// `length` bytes of a buffer from `offset`, for the object at `owner`.
    pub(crate) fn slice(
        &self,
        owner: Cursor<'_>,
        buffer: u32,
        offset: u64,
        length: u64,
    ) -> Result<&[u8], Fault> {
        let bytes: &[u8] = match self.data.get(buffer as usize) {
            Some(Ok(bytes)) => bytes.get(),
            // Why it was not is said once, of the buffer.
            Some(Err(fault)) => {
                return Err(Fault::new(
                    fault.code,
                    owner.place(),
                    "",
                    format!("buffer {buffer} was not read"),
                ));
            }
            None => {
                return Err(Fault::new(ProblemCode::Index, owner.place(), "a buffer", format!("{buffer}")));
            }
        };
        let end = offset.checked_add(length).filter(|end| *end <= bytes.len() as u64);
        end.map(|end| &bytes[offset as usize..end as usize]).ok_or_else(|| {
            let expected = format!("bytes within the {} of buffer {buffer}", bytes.len());
            let found = format!("{length} bytes from byte {offset}");
            Fault::new(ProblemCode::View, owner.place(), expected, found)
        })
    }
}

fn too_short(buffer: Cursor<'_>, bytes: &[u8]) -> Option<Fault> {
    // A buffer that stands in for compressed views has no bytes of its own.
    let claimed = buffer.whole_or("byteLength", 0).unwrap_or(0);
    let stand_in = meshopt::is_fallback(buffer) && bytes.is_empty();
    (claimed > bytes.len() as u64 && !stand_in).then(|| {
        let expected = format!("{claimed} bytes");
        Fault::new(ProblemCode::Buffer, buffer.place_of("byteLength"), expected, format!("{}", bytes.len()))
    })
}

fn read_one<'a>(
    buffer: Cursor<'a>,
    bin: Option<&'a [u8]>,
    files: &mut Files<'_>,
    budget: &mut Budget,
) -> Result<Bytes<'a>, Fault> {
    let length = buffer.need_whole("byteLength")?;
    let Some(uri) = buffer.get("uri") else {
        return match bin {
            Some(bytes) => Ok(Bytes::Chunk(bytes)),
            None if meshopt::is_fallback(buffer) => Ok(Bytes::Chunk(&[])),
            None => {
                let expected = "a uri, or a binary chunk where this is buffer 0";
                Err(Fault::new(ProblemCode::Buffer, buffer.place_of("uri"), expected, "neither"))
            }
        };
    };
    if let Some(decoded) = data_uri(uri, budget)? {
        return Ok(Bytes::Owned(decoded));
    }
    files.read(uri, length, budget)
}

/// Bytes of a `data:` URI; nothing where the text is no such URI.
pub(crate) fn data_uri(uri: Cursor<'_>, budget: &mut Budget) -> Result<Option<Vec<u8>>, Fault> {
    let Some(rest) = uri.text()?.strip_prefix("data:") else { return Ok(None) };
    let bad = |found: String| Fault::new(ProblemCode::Buffer, uri.place(), "a data URI", found);
    let (header, body) =
        rest.split_once(',').ok_or_else(|| bad(format!("no comma in \"{}\"", short(rest))))?;
    budget.charge(body.len() as u64, 1, || uri.place())?;
    if header.ends_with(";base64") {
        return BASE64.decode(body).map(Some).map_err(|error| bad(format!("base64 with {error}")));
    }
    Ok(Some(percent_encoding::percent_decode_str(body).collect()))
}
