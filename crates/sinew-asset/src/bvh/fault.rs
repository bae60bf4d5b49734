//! What stops a BVH reader: where, what was expected, what was found.

use crate::error::{AssetError, Place};

/// A place in the text, for people (line and column) and for tools (byte offset).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TextPlace {
    /// From 1. CR, LF and CR LF each end one line.
    pub(super) line: usize,
    /// In bytes, from 1.
    pub(super) column: usize,
}

impl From<TextPlace> for Place {
    fn from(place: TextPlace) -> Self {
        Self::Line { line: place.line, column: place.column }
    }
}

/// Something the format does not have at its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) place: TextPlace,
    pub(super) expected: String,
    pub(super) found: String,
}

impl Fault {
    pub(super) fn new(place: TextPlace, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { place, expected: expected.into(), found: found.into() }
    }
}

impl From<Fault> for AssetError {
    fn from(fault: Fault) -> Self {
        Self::Malformed { place: fault.place.into(), expected: fault.expected, found: fault.found }
    }
}

/// Longest excerpt of a file in a message, bytes.
const EXCERPT: usize = 40;

/// A word of the file as shown in messages: quoted, control characters escaped, shortened.
pub(super) fn quoted(word: &[u8]) -> String {
    if word.len() <= EXCERPT {
        format!("{:?}", String::from_utf8_lossy(word))
    } else {
        format!("{:?}... ({} bytes)", String::from_utf8_lossy(&word[..EXCERPT]), word.len())
    }
}
