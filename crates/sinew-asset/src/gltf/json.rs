//! Walking a parsed JSON document with the way back to every value.
//!
//! `serde_json` parses (its depth limit of 128 keeps recursion bounded); a [`Cursor`] then reads typed values
//! and, where one is not what the specification asks for, says where it stands as a JSON pointer.

use serde_json::{Map, Value};

use super::fault::{Fault, short};
use crate::error::{AssetError, Place, ProblemCode};

/// One step from a value into it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// Longest path that is kept; glTF and our extras need eight steps.
const MAX_STEPS: usize = 10;

/// A JSON value and the path to it.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    value: &'a Value,
    path: [Step<'a>; MAX_STEPS],
    len: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { value, path: [Step::Index(0); MAX_STEPS], len: 0 }
    }

    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    /// The JSON pointer to this value (RFC 6901).
    pub(crate) fn pointer(&self) -> String {
        let mut out = String::new();
        for step in self.path.iter().take(self.len) {
            out.push('/');
            match step {
                Step::Key(key) => out.push_str(&short(key).replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => out.push_str(&index.to_string()),
            }
        }
        out
    }

    pub(crate) fn place(&self) -> Place {
        Place::Pointer(self.pointer())
    }

    /// The place of a member, whether or not it is there.
    pub(crate) fn place_of(&self, key: &str) -> Place {
        Place::Pointer(format!("{}/{}", self.pointer(), short(key).replace('~', "~0").replace('/', "~1")))
    }

    /// A fault here: `expected` against what the value is.
    pub(crate) fn fault(&self, expected: impl Into<String>) -> Fault {
        Fault::new(ProblemCode::Value, self.place(), expected, describe(self.value))
    }

    fn step(&self, value: &'a Value, step: Step<'a>) -> Self {
        let mut next = Self { value, ..*self };
        if let Some(slot) = next.path.get_mut(self.len) {
            *slot = step;
            next.len = self.len + 1;
        }
        next
    }

    /// A member that may be missing. `null` is not missing.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let (key, value) = self.value.as_object()?.get_key_value(key)?;
        Some(self.step(value, Step::Key(key)))
    }

    /// A member that must be there.
    pub(crate) fn need(&self, key: &str, what: &str) -> Result<Self, Fault> {
        self.get(key).ok_or_else(|| {
            Fault::new(ProblemCode::Value, self.place_of(key), what, describe_missing(self.value))
        })
    }

    pub(crate) fn object(&self) -> Result<&'a Map<String, Value>, Fault> {
        self.value.as_object().ok_or_else(|| self.fault("an object"))
    }

    pub(crate) fn array(&self) -> Result<&'a [Value], Fault> {
        self.value.as_array().map(Vec::as_slice).ok_or_else(|| self.fault("an array"))
    }

    /// Members of an object, in the order of their names.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'a str, Self)> + use<'a> {
        let this = *self;
        let members = self.value.as_object().into_iter().flatten();
        members.map(move |(key, value)| (key.as_str(), this.step(value, Step::Key(key))))
    }

    /// Elements of an array; none where this is no array.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Self> + use<'a> {
        let this = *self;
        let elements = self.value.as_array().map(Vec::as_slice).unwrap_or_default();
        elements.iter().enumerate().map(move |(i, value)| this.step(value, Step::Index(i)))
    }

    /// Element of an array.
    pub(crate) fn element(&self, index: usize) -> Option<Self> {
        let value = self.value.as_array()?.get(index)?;
        Some(self.step(value, Step::Index(index)))
    }

    /// A member that is an array, or nothing where it is missing.
    pub(crate) fn list(&self, key: &str) -> Result<Option<Self>, Fault> {
        match self.get(key) {
            Some(list) => list.array().map(|_| Some(list)),
            None => Ok(None),
        }
    }

    pub(crate) fn text(&self) -> Result<&'a str, Fault> {
        self.value.as_str().ok_or_else(|| self.fault("a string"))
    }

    /// A number that is finite.
    pub(crate) fn number(&self) -> Result<f64, Fault> {
        self.value.as_f64().filter(|v| v.is_finite()).ok_or_else(|| self.fault("a number"))
    }

    /// A whole number from 0 to 2^53; `3.0` counts as 3 (glTF 2.0, section 2.5).
    pub(crate) fn whole(&self) -> Result<u64, Fault> {
        const LARGEST: u64 = 1 << 53;
        let whole = self.value.as_u64().or_else(|| {
            let v = self.value.as_f64()?;
            (v >= 0.0 && v <= LARGEST as f64 && libm::trunc(v) == v).then_some(v as u64)
        });
        whole.filter(|v| *v <= LARGEST).ok_or_else(|| self.fault("a whole number from 0"))
    }

    pub(crate) fn flag(&self) -> Result<bool, Fault> {
        self.value.as_bool().ok_or_else(|| self.fault("true or false"))
    }

    /// A whole number that may be missing.
    pub(crate) fn whole_or(&self, key: &str, default: u64) -> Result<u64, Fault> {
        self.get(key).map_or(Ok(default), |v| v.whole())
    }

    /// A whole number that must be there.
    pub(crate) fn need_whole(&self, key: &str) -> Result<u64, Fault> {
        self.need(key, "a whole number from 0")?.whole()
    }

    /// An index into a list of `len` things called `what`.
    pub(crate) fn index(&self, len: usize, what: &str) -> Result<u32, Fault> {
        let index = self.whole()?;
        if index < len as u64 && index < u64::from(u32::MAX) {
            return Ok(index as u32);
        }
        let expected = match len {
            0 => format!("no index, for the file has no {what}"),
            _ => format!("an index into {len} {what}, 0 to {}", len - 1),
        };
        Err(Fault::new(ProblemCode::Index, self.place(), expected, index.to_string()))
    }

    /// An index that may be missing.
    pub(crate) fn index_of(&self, key: &str, len: usize, what: &str) -> Result<Option<u32>, Fault> {
        self.get(key).map(|v| v.index(len, what)).transpose()
    }

    /// An index that must be there.
    pub(crate) fn need_index(&self, key: &str, len: usize, what: &str) -> Result<u32, Fault> {
        self.need(key, "an index")?.index(len, what)
    }

    /// `N` finite numbers, or nothing where the member is missing.
    pub(crate) fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f64; N]>, Fault> {
        let Some(list) = self.get(key) else { return Ok(None) };
        if list.array()?.len() != N {
            return Err(list.fault(format!("an array of {N} numbers")));
        }
        let mut out = [0.0; N];
        for (slot, element) in out.iter_mut().zip(list.elements()) {
            *slot = element.number()?;
        }
        Ok(Some(out))
    }

    /// The name of a glTF object, where it has one that is a string.
    pub(crate) fn name(&self) -> Option<String> {
        self.get("name").and_then(|v| v.value.as_str()).map(str::to_owned)
    }

    /// The name, cut to what a message can carry.
    pub(crate) fn short_name(&self) -> Option<String> {
        self.get("name").and_then(|v| v.value.as_str()).map(short)
    }

    /// An extension object of this value.
    pub(crate) fn extension(&self, name: &str) -> Option<Self> {
        self.get("extensions")?.get(name)
    }
}

/// What a JSON value is, in a few words.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::String(s) => format!("the string \"{}\"", short(s)),
        Value::Array(a) => format!("an array of {}", a.len()),
        Value::Object(o) => format!("an object of {} members", o.len()),
    }
}

fn describe_missing(parent: &Value) -> String {
    match parent {
        Value::Object(_) => "nothing".into(),
        other => format!("{} in place of the object around it", describe(other)),
    }
}

/// Parses a document. `offset` is where the JSON starts in the file.
pub(crate) fn parse(bytes: &[u8], offset: u64) -> Result<Value, AssetError> {
    serde_json::from_slice(bytes).map_err(|error| AssetError::Malformed {
        place: match offset {
            0 => Place::Line { line: error.line(), column: error.column() },
            _ => Place::Byte(offset + byte_of(bytes, error.line(), error.column())),
        },
        expected: "JSON".into(),
        found: short(&error.to_string()),
    })
}

/// Bytes before a line and column, both from 1.
fn byte_of(bytes: &[u8], line: usize, column: usize) -> u64 {
    let mut start = 0;
    for _ in 1..line {
        match bytes[start..].iter().position(|b| *b == b'\n') {
            Some(end) => start += end + 1,
            None => break,
        }
    }
    (start + column.saturating_sub(1)).min(bytes.len()) as u64
}

/// Bytes that the parsed form of a document takes at most, told from its text without parsing it.
///
/// `[0,0,...]` grows to 64 bytes for two, `{"":0}` to a tree node of 640 for seven; a document made of
/// little else would be far larger in memory than on disk.
pub(crate) fn parsed_size(bytes: &[u8]) -> u64 {
    // Twice the size of a value, for vectors grow by doubling; a B-tree leaf holds eleven members.
    const VALUE: u64 = 2 * size_of::<Value>() as u64;
    const LEAF: u64 = 11 * (size_of::<Value>() + size_of::<String>()) as u64 + 32;
    let (mut size, mut in_string, mut escaped) = (bytes.len() as u64, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b',' | b'[' => size += VALUE,
            b':' => size += VALUE / 2,
            b'{' => size += LEAF,
            _ => {}
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_wrong_value_is_named_by_its_pointer() {
        let value = json!({"nodes": [{}, {"a/b": {"mesh": -1}}]});
        let root = Cursor::root(&value);
        let node = root.get("nodes").unwrap().element(1).unwrap().get("a/b").unwrap();
        let fault = node.need_index("mesh", 3, "meshes").unwrap_err();
        assert_eq!(fault.place, Place::Pointer("/nodes/1/a~1b/mesh".into()));
        assert_eq!(fault.text(), "expected a whole number from 0, found -1");
        let fault = node.need_whole("skin").unwrap_err();
        assert_eq!(fault.place, Place::Pointer("/nodes/1/a~1b/skin".into()));
        assert_eq!(fault.found, "nothing");
    }

    #[test]
    fn an_integer_may_be_written_with_a_zero_fraction() {
        let value = json!([3.0, 3.5, 1e300, -0.5]);
        let root = Cursor::root(&value);
        let whole: Vec<_> = root.elements().map(|e| e.whole().ok()).collect();
        assert_eq!(whole, [Some(3), None, None, None]);
    }

    #[test]
    fn a_path_deeper_than_any_document_stays_within_its_bound() {
        let mut value = json!(1);
        for _ in 0..100 {
            value = json!([value]);
        }
        let mut cursor = Cursor::root(&value);
        while let Some(next) = cursor.element(0) {
            cursor = next;
        }
        assert_eq!(cursor.pointer(), "/0".repeat(MAX_STEPS));
    }

    #[test]
    fn a_text_made_of_empty_objects_is_seen_to_be_large() {
        let text = format!("[{}]", "{\"\":0},".repeat(1000));
        assert!(parsed_size(text.as_bytes()) > 100 * text.len() as u64 / 2);
        assert!(parsed_size(br#"{"a":"[[[[,,,,"}"#) < 800);
    }
}
