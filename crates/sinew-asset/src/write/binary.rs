//! The binary part of a GLB as it grows: bytes, buffer views over them, accessors over those.

use serde_json::{Map, Value, json};

/// glTF component types.
pub(super) const U8: u32 = 5121;
pub(super) const U16: u32 = 5123;
pub(super) const U32: u32 = 5125;
pub(super) const F32: u32 = 5126;

/// What a buffer view is for (`bufferView.target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Keys, matrices, pictures.
    Data,
    /// Vertex attributes; the number is `byteStride` where elements are not tightly packed.
    Vertices(Option<usize>),
    /// Triangles.
    Indices,
}

/// Bytes and the JSON lists that describe them.
#[derive(Debug, Default)]
pub(super) struct Binary {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
    /// Start of the open view.
    start: usize,
}

impl Binary {
    /// Starts a buffer view; accessors written until [`Binary::close_view`] lie in it.
    pub(super) fn open_view(&mut self) {
        self.align();
        self.start = self.bytes.len();
    }

    /// Ends the open view and returns its index. An empty view is none.
    pub(super) fn close_view(&mut self, purpose: Use) -> Option<usize> {
        let length = self.bytes.len() - self.start;
        if length == 0 {
            return None;
        }
        let mut view = Map::new();
        view.insert("buffer".into(), 0.into());
        if self.start > 0 {
            view.insert("byteOffset".into(), self.start.into());
        }
        view.insert("byteLength".into(), length.into());
        match purpose {
            Use::Data => {}
            Use::Vertices(stride) => {
                view.extend(stride.map(|stride| ("byteStride".into(), stride.into())));
                view.insert("target".into(), 34962.into());
            }
            Use::Indices => {
                view.insert("target".into(), 34963.into());
            }
        }
        self.views.push(view.into());
        Some(self.views.len() - 1)
    }

    /// Elements of `N` floats in the open view. `bounds` adds `min` and `max`.
    pub(super) fn floats<const N: usize>(
        &mut self,
        shape: &str,
        elements: impl IntoIterator<Item = [f32; N]>,
        bounds: bool,
    ) -> usize {
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        let mut count = 0;
        let offset = self.bytes.len() - self.start;
        for element in elements {
            count += 1;
            for (i, value) in element.into_iter().enumerate() {
                (min[i], max[i]) = (min[i].min(value), max[i].max(value));
                self.bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
        let index = self.accessor(offset, F32, shape, count, false);
        if bounds && let Some(Value::Object(accessor)) = self.accessors.last_mut() {
            // As the doubles that the stored numbers are: another reading of the decimals would not fit them.
            accessor.insert("min".into(), json!(min.map(f64::from).to_vec()));
            accessor.insert("max".into(), json!(max.map(f64::from).to_vec()));
        }
        index
    }

    /// Describes bytes that were written from `offset` in the open view on.
    pub(super) fn accessor(
        &mut self,
        offset: usize,
        component_type: u32,
        shape: &str,
        count: usize,
        normalized: bool,
    ) -> usize {
        let mut accessor = Map::new();
        // The view that is open gets the next index when it is closed.
        accessor.insert("bufferView".into(), self.views.len().into());
        if offset > 0 {
            accessor.insert("byteOffset".into(), offset.into());
        }
        accessor.insert("componentType".into(), component_type.into());
        accessor.insert("count".into(), count.into());
        accessor.insert("type".into(), shape.into());
        if normalized {
            accessor.insert("normalized".into(), true.into());
        }
        self.accessors.push(accessor.into());
        self.accessors.len() - 1
    }

    /// A view of its own over these bytes.
    pub(super) fn blob(&mut self, bytes: &[u8]) -> Option<usize> {
        self.open_view();
        self.bytes.extend_from_slice(bytes);
        self.close_view(Use::Data)
    }

    /// Every accessor starts at a multiple of 4.
    pub(super) fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

/// A GLB of this JSON and these bytes (glTF 2.0 specification, section 4.4); `None` where it is too large.
pub(super) fn container(json: &[u8], binary: &[u8]) -> Option<Vec<u8>> {
    let mut chunks = vec![(*b"JSON", json, b' ')];
    if !binary.is_empty() {
        chunks.push((*b"BIN\0", binary, 0));
    }
    let length = 12 + chunks.iter().map(|(_, bytes, _)| 8 + bytes.len().next_multiple_of(4)).sum::<usize>();
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(b"glTF");
    out.extend_from_slice(&2_u32.to_le_bytes());
    out.extend_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
    for (kind, bytes, padding) in chunks {
        let padded = bytes.len().next_multiple_of(4);
        out.extend_from_slice(&u32::try_from(padded).ok()?.to_le_bytes());
        out.extend_from_slice(&kind);
        out.extend_from_slice(bytes);
        out.resize(out.len() + padded - bytes.len(), padding);
    }
    Some(out)
}
