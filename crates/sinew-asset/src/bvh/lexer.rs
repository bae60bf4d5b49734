//! Words of a BVH text, over raw bytes: the format is ASCII, names may be in any encoding.
//!
//! Line ends are CR, LF or CR LF; blanks are space, tab, vertical tab and form feed. `{` and `}` are
//! words of their own wherever they stand. A UTF-8 byte order mark is skipped.

use super::fault::TextPlace;

/// A word and where it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) place: TextPlace,
}

impl Word<'_> {
    /// Keywords are compared without regard to case, as every known reader does.
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.bytes.eq_ignore_ascii_case(keyword.as_bytes())
    }
}

#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

const fn ends_word(byte: u8) -> bool {
    is_blank(byte) || is_line_end(byte) || matches!(byte, b'{' | b'}')
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, line: 1, line_start: at }
    }

    /// Where the next byte stands.
    pub(super) fn place(&self) -> TextPlace {
        TextPlace { line: self.line, column: self.at - self.line_start + 1 }
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&b| is_blank(b)) {
            self.at += 1;
        }
    }

    fn skip_blanks_and_lines(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if is_blank(byte) {
                self.at += 1;
            } else if is_line_end(byte) {
                let crlf = byte == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
                self.at += if crlf { 2 } else { 1 };
                self.line += 1;
                self.line_start = self.at;
            } else {
                break;
            }
        }
    }

    /// The next word, without taking it.
    pub(super) fn peek(&self) -> Option<Word<'a>> {
        self.clone().next_word()
    }

    /// Takes the next word, on whichever line it is; `None` at the end of the file.
    pub(super) fn next_word(&mut self) -> Option<Word<'a>> {
        self.skip_blanks_and_lines();
        let place = self.place();
        let rest = self.bytes.get(self.at..)?;
        let first = *rest.first()?;
        let len = if matches!(first, b'{' | b'}') {
            1
        } else {
            rest.iter().position(|&b| ends_word(b)).unwrap_or(rest.len())
        };
        self.at += len;
        Some(Word { bytes: &rest[..len], place })
    }

    /// Takes a run of letters, for keywords that a colon may follow without a blank.
    pub(super) fn next_letters(&mut self) -> Option<Word<'a>> {
        self.skip_blanks_and_lines();
        let place = self.place();
        let rest = self.bytes.get(self.at..)?;
        let len = rest.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(rest.len());
        if len == 0 {
            return None;
        }
        self.at += len;
        Some(Word { bytes: &rest[..len], place })
    }

    /// Takes a colon if one follows on this line.
    pub(super) fn skip_colon(&mut self) {
        self.skip_blanks();
        if self.bytes.get(self.at) == Some(&b':') {
            self.at += 1;
        }
    }

    /// Takes the rest of the line up to a `{`, without blanks around it: a name, which may hold blanks.
    /// The word is empty where there is none.
    pub(super) fn rest_of_line(&mut self) -> Word<'a> {
        self.skip_blanks();
        let place = self.place();
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let len = rest.iter().position(|&b| is_line_end(b) || b == b'{').unwrap_or(rest.len());
        self.at += len;
        let mut bytes = &rest[..len];
        while let [head @ .., last] = bytes
            && is_blank(*last)
        {
            bytes = head;
        }
        Word { bytes, place }
    }
}
