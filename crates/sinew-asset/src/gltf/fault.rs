//! One broken rule, before it is known whether it costs a clip, a mesh or the whole file.

use crate::error::{AssetError, Place, ProblemCode};

/// A rule that was broken at one place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) code: ProblemCode,
    pub(crate) place: Place,
    /// What the format asks for; empty where `found` says it all.
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Fault {
    pub(crate) fn new(
        code: ProblemCode,
        place: Place,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self { code, place, expected: expected.into(), found: found.into() }
    }

    /// `expected ..., found ...`.
    pub(crate) fn text(&self) -> String {
        if self.expected.is_empty() {
            return self.found.clone();
        }
        format!("expected {}, found {}", self.expected, self.found)
    }
}

impl From<Fault> for AssetError {
    fn from(fault: Fault) -> Self {
        Self::Malformed { place: fault.place, expected: fault.expected, found: fault.found }
    }
}

/// A name or text from the file, cut to what a message can carry.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
