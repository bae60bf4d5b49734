//! The bytes behind buffers: the GLB chunk, `data:` URIs, files beside the document.
//!
//! glTF 2.0 specification, sections 3.6.1 (buffers and buffer views) and 2.8 (URIs).

use std::borrow::Cow;

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
    data: Vec<Result<Cow<'a, [u8]>, Fault>>,
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
        for (i, buffer) in root.get("buffers").iter().flat_map(Cursor::elements).enumerate() {
            let bin = if i == 0 { bin } else { None };
            let bytes = read_one(buffer, bin, resolver, budget);
            let fault = match &bytes {
                Ok(bytes) => too_short(buffer, bytes),
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
            Some(Ok(bytes)) => bytes,
            Some(Err(fault)) => {
                let found = format!("none, for {}", fault.text());
                return Err(Fault::new(
                    fault.code,
                    owner.place(),
                    format!("the bytes of buffer {buffer}"),
                    found,
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
    resolver: &dyn Resolver,
    budget: &mut Budget,
) -> Result<Cow<'a, [u8]>, Fault> {
    let length = buffer.need_whole("byteLength")?;
    let Some(uri) = buffer.get("uri") else {
        return match bin {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None if meshopt::is_fallback(buffer) => Ok(Cow::Borrowed(&[])),
            None => {
                let expected = "a uri, or a binary chunk where this is buffer 0";
                Err(Fault::new(ProblemCode::Buffer, buffer.place_of("uri"), expected, "neither"))
            }
        };
    };
    let text = uri.text()?;
    if let Some(decoded) = data_uri(uri, budget)? {
        return Ok(Cow::Owned(decoded));
    }
    let bytes = resolver.read(text, length).map_err(|error| {
        Fault::new(ProblemCode::Resource, uri.place(), "a file that can be read", error.to_string())
    })?;
    budget.grow(bytes.len() as u64);
    Ok(Cow::Owned(bytes))
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
