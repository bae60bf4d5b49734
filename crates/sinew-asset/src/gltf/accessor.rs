//! Accessors: typed arrays over buffer views.
//!
//! glTF 2.0 specification, sections 3.6.2 (accessors: data types, alignment, sparse) and 3.11 (normalised
//! integers). `KHR_mesh_quantization` adds no new types, only new uses.

use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use super::budget::Budget;
use super::buffer::Buffers;
use super::fault::Fault;
use super::json::Cursor;
use super::meshopt;
use crate::error::{Object, Place, ProblemCode, Problems, Severity};

/// Type of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn read(owner: Cursor<'_>) -> Result<Self, Fault> {
        let cursor = owner.need("componentType", "a component type")?;
        Ok(match cursor.whole()? {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return Err(cursor.fault("5120, 5121, 5122, 5123, 5125 or 5126")),
        })
    }

    /// Number in the file.
    pub(crate) fn gltf(self) -> u32 {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// Shape of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

impl Shape {
    fn read(owner: Cursor<'_>) -> Result<Self, Fault> {
        let cursor = owner.need("type", "an element type")?;
        Ok(match cursor.text()? {
            "SCALAR" => Self::Scalar,
            "VEC2" => Self::Vec2,
            "VEC3" => Self::Vec3,
            "VEC4" => Self::Vec4,
            "MAT2" => Self::Mat2,
            "MAT3" => Self::Mat3,
            "MAT4" => Self::Mat4,
            _ => return Err(cursor.fault("SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4")),
        })
    }

    /// Name in the file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec2 => "VEC2",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
            Self::Mat2 => "MAT2",
            Self::Mat3 => "MAT3",
            Self::Mat4 => "MAT4",
        }
    }

    /// Columns and rows; a vector is one column.
    fn columns_rows(self) -> (u64, u64) {
        match self {
            Self::Scalar => (1, 1),
            Self::Vec2 => (1, 2),
            Self::Vec3 => (1, 3),
            Self::Vec4 => (1, 4),
            Self::Mat2 => (2, 2),
            Self::Mat3 => (3, 3),
            Self::Mat4 => (4, 4),
        }
    }

    /// Numbers in one element.
    pub(crate) fn width(self) -> usize {
        let (columns, rows) = self.columns_rows();
        (columns * rows) as usize
    }
}

/// What an accessor says of itself, checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) component: Component,
    pub(crate) shape: Shape,
    pub(crate) normalized: bool,
    pub(crate) count: u64,
    pub(crate) view: Option<u32>,
    offset: u64,
}

impl Header {
    /// Bytes between columns: matrix columns start at multiples of 4 bytes.
    fn column_size(&self) -> u64 {
        let (columns, rows) = self.shape.columns_rows();
        let size = rows * self.component.size();
        if columns > 1 { size.next_multiple_of(4) } else { size }
    }

    fn element_size(&self) -> u64 {
        self.shape.columns_rows().0 * self.column_size()
    }

    /// Numbers in all elements.
    pub(crate) fn numbers(&self) -> u64 {
        self.count.saturating_mul(self.shape.width() as u64)
    }
}

/// Bytes of a view: a part of a buffer, or decompressed.
#[derive(Clone)]
pub(crate) enum Bytes<'a> {
    Stored(&'a [u8]),
    Decoded(Rc<[u8]>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Stored(bytes) => bytes,
            Self::Decoded(bytes) => bytes,
        }
    }
}

#[derive(Clone)]
struct View<'a> {
    bytes: Bytes<'a>,
    stride: Option<u64>,
}

/// Reads accessors of one document, within its budget. What several things refer to is decoded once.
pub(crate) struct Accessors<'a> {
    root: Cursor<'a>,
    buffers: &'a Buffers<'a>,
    buffer_count: usize,
    view_count: usize,
    pub(crate) count: usize,
    pub(crate) budget: Budget,
    views: Vec<Option<Result<View<'a>, Fault>>>,
    floats: Vec<Option<Result<Arc<[f32]>, Fault>>>,
    times: Vec<Option<Result<Arc<[f64]>, Fault>>>,
    /// Whether the order of its sparse indices was named, `[accessor]`.
    sparse_reported: Vec<bool>,
}

impl<'a> Accessors<'a> {
    pub(crate) fn new(root: Cursor<'a>, buffers: &'a Buffers<'a>, budget: Budget) -> Self {
        let len = |key| root.get(key).map_or(0, |list| list.elements().count());
        let (view_count, count) = (len("bufferViews"), len("accessors"));
        Self {
            root,
            buffers,
            buffer_count: len("buffers"),
            view_count,
            count,
            budget,
            views: vec![None; view_count],
            floats: vec![None; count],
            times: vec![None; count],
            sparse_reported: vec![false; count],
        }
    }

    fn cursor(&self, index: u32) -> Result<Cursor<'a>, Fault> {
        self.root.get("accessors").and_then(|list| list.element(index as usize)).ok_or_else(|| {
            let place = Place::Pointer(format!("/accessors/{index}"));
            Fault::new(ProblemCode::Index, place, "an accessor", "nothing")
        })
    }

    /// The accessor without its data.
    pub(crate) fn header(&self, index: u32) -> Result<Header, Fault> {
        let accessor = self.cursor(index)?;
        let component = Component::read(accessor)?;
        let shape = Shape::read(accessor)?;
        let normalized = accessor.get("normalized").map_or(Ok(false), |v| v.flag())?;
        if normalized && component == Component::U32 {
            return Err(accessor.need("normalized", "")?.fault("false for 32-bit integers"));
        }
        let count = accessor.need_whole("count")?;
        let view = accessor.index_of("bufferView", self.view_count, "buffer views")?;
        let offset = accessor.whole_or("byteOffset", 0)?;
        Ok(Header { component, shape, normalized, count, view, offset })
    }

    /// Bytes of a view as they are in the file, decompressed where they are compressed.
    pub(crate) fn view_bytes(&mut self, index: u32) -> Result<Bytes<'a>, Fault> {
        self.view(index).map(|view| view.bytes)
    }

    fn view(&mut self, index: u32) -> Result<View<'a>, Fault> {
        if let Some(Some(known)) = self.views.get(index as usize) {
            return known.clone();
        }
        let read = self.read_view(index);
        if let Some(slot) = self.views.get_mut(index as usize) {
            *slot = Some(read.clone());
        }
        read
    }

    fn read_view(&mut self, index: u32) -> Result<View<'a>, Fault> {
        let view =
            self.root.get("bufferViews").and_then(|list| list.element(index as usize)).ok_or_else(|| {
                let place = Place::Pointer(format!("/bufferViews/{index}"));
                Fault::new(ProblemCode::Index, place, "a buffer view", "nothing")
            })?;
        let length = view.need_whole("byteLength")?;
        let stride = view.get("byteStride").map(|s| s.whole()).transpose()?;
        if let Some(extension) = meshopt::of_view(view) {
            // A build without the decoder may still use the uncompressed bytes that stand beside.
            let stored = self.stored(view, length);
            if cfg!(feature = "meshopt") || stored.is_err() {
                return self.decode_view(extension, length, stride);
            }
        }
        Ok(View { bytes: Bytes::Stored(self.stored(view, length)?), stride })
    }

    fn stored(&self, view: Cursor<'a>, length: u64) -> Result<&'a [u8], Fault> {
        let buffer = view.need_index("buffer", self.buffer_count, "buffers")?;
        self.buffers.slice(view, buffer, view.whole_or("byteOffset", 0)?, length)
    }

    fn decode_view(
        &mut self,
        extension: Cursor<'a>,
        length: u64,
        stride: Option<u64>,
    ) -> Result<View<'a>, Fault> {
        let compressed = meshopt::Compressed::read(extension, self.buffer_count)?;
        let size = compressed.count.saturating_mul(compressed.stride);
        if size < length {
            let expected = format!("{length} decoded bytes as the view says");
            let found = format!("{} of {} bytes", compressed.count, compressed.stride);
            return Err(Fault::new(ProblemCode::Compression, extension.place(), expected, found));
        }
        // Decoding passes through words and filtered elements on its way to bytes.
        self.budget.charge(size, 4, || extension.place())?;
        let bytes = self.buffers.slice(extension, compressed.buffer, compressed.offset, compressed.length)?;
        let decoded = compressed.decode(bytes, extension)?;
        Ok(View { bytes: Bytes::Decoded(decoded.into()), stride: stride.or(Some(compressed.stride)) })
    }

    /// All numbers of an accessor, normalised where it says so, `[count][width]`. Shared with whoever
    /// asks for the same accessor.
    pub(crate) fn floats(&mut self, index: u32, problems: &mut Problems) -> Result<Arc<[f32]>, Fault> {
        if let Some(Some(known)) = self.floats.get(index as usize) {
            return known.clone();
        }
        let read = self.read_floats(index, problems).map(Arc::from);
        if let Some(slot) = self.floats.get_mut(index as usize) {
            *slot = Some(read.clone());
        }
        read
    }

    /// Key times, seconds, `[count]`. Shared.
    pub(crate) fn times(&mut self, index: u32, problems: &mut Problems) -> Result<Arc<[f64]>, Fault> {
        if let Some(Some(known)) = self.times.get(index as usize) {
            return known.clone();
        }
        let read = self.read_times(index, problems);
        if let Some(slot) = self.times.get_mut(index as usize) {
            *slot = Some(read.clone());
        }
        read
    }

    fn read_times(&mut self, index: u32, problems: &mut Problems) -> Result<Arc<[f64]>, Fault> {
        let header = self.header(index)?;
        if header.shape != Shape::Scalar || header.component != Component::F32 {
            let found = format!("{} of {:?}", header.shape.name(), header.component);
            let place = Place::Pointer(format!("/accessors/{index}"));
            return Err(Fault::new(ProblemCode::Accessor, place, "key times as SCALAR of F32", found));
        }
        let floats = self.read_floats(index, problems)?;
        self.budget.charge(floats.len() as u64, 16, || Place::Pointer(format!("/accessors/{index}")))?;
        Ok(floats.into_iter().map(f64::from).collect())
    }

    /// All numbers of an accessor, normalised where it says so, `[count][width]`. Not kept.
    pub(crate) fn read_floats(&mut self, index: u32, problems: &mut Problems) -> Result<Vec<f32>, Fault> {
        let header = self.header(index)?;
        let n = header.normalized;
        match header.component {
            Component::F32 => self.gather(index, header, problems, f32::from_le_bytes),
            Component::U32 => self.gather(index, header, problems, |b| u32::from_le_bytes(b) as f32),
            Component::I8 if n => {
                self.gather(index, header, problems, |[b]| (f32::from(b as i8) / 127.0).max(-1.0))
            }
            Component::I8 => self.gather(index, header, problems, |[b]| f32::from(b as i8)),
            Component::U8 if n => self.gather(index, header, problems, |[b]| f32::from(b) / 255.0),
            Component::U8 => self.gather(index, header, problems, |[b]| f32::from(b)),
            Component::I16 if n => self
                .gather(index, header, problems, |b| (f32::from(i16::from_le_bytes(b)) / 32767.0).max(-1.0)),
            Component::I16 => self.gather(index, header, problems, |b| f32::from(i16::from_le_bytes(b))),
            Component::U16 if n => {
                self.gather(index, header, problems, |b| f32::from(u16::from_le_bytes(b)) / 65535.0)
            }
            Component::U16 => self.gather(index, header, problems, |b| f32::from(u16::from_le_bytes(b))),
        }
    }

    /// All numbers of an accessor of unsigned integers, as stored, `[count][width]`. Not kept.
    pub(crate) fn read_integers(&mut self, index: u32, problems: &mut Problems) -> Result<Vec<u32>, Fault> {
        let header = self.header(index)?;
        match header.component {
            Component::U8 => self.gather(index, header, problems, |[b]| u32::from(b)),
            Component::U16 => self.gather(index, header, problems, |b| u32::from(u16::from_le_bytes(b))),
            Component::U32 => self.gather(index, header, problems, u32::from_le_bytes),
            other => {
                let place = Place::Pointer(format!("/accessors/{index}/componentType"));
                Err(Fault::new(ProblemCode::Accessor, place, "unsigned integers", format!("{other:?}")))
            }
        }
    }

    /// All numbers of an accessor as bytes of the file, tightly packed. Not kept.
    pub(crate) fn read_raw(
        &mut self,
        index: u32,
        problems: &mut Problems,
    ) -> Result<(Header, Vec<u8>), Fault> {
        let header = self.header(index)?;
        let bytes = match header.component.size() {
            1 => self.gather(index, header, problems, |b: [u8; 1]| b)?.into_iter().flatten().collect(),
            2 => self.gather(index, header, problems, |b: [u8; 2]| b)?.into_iter().flatten().collect(),
            _ => self.gather(index, header, problems, |b: [u8; 4]| b)?.into_iter().flatten().collect(),
        };
        Ok((header, bytes))
    }

    fn gather<const S: usize, T: Copy + Default>(
        &mut self,
        index: u32,
        header: Header,
        problems: &mut Problems,
        convert: impl Fn([u8; S]) -> T,
    ) -> Result<Vec<T>, Fault> {
        let accessor = self.cursor(index)?;
        let mut out = Vec::new();
        match header.view {
            Some(view) => {
                let view = self.view(view)?;
                let stride = view.stride.unwrap_or_else(|| header.element_size());
                let bytes = span(accessor, &header, &view.bytes, header.offset, stride, header.count)?;
                self.budget.charge(header.numbers(), size_of::<T>(), || accessor.place())?;
                out.reserve_exact(header.numbers() as usize);
                elements(&header, bytes, stride, header.count, &convert, &mut out);
            }
            None => {
                self.budget.charge(header.numbers(), size_of::<T>(), || accessor.place())?;
                out.resize(header.numbers() as usize, T::default());
            }
        }
        if let Some(sparse) = accessor.get("sparse") {
            self.apply_sparse(index, sparse, &header, problems, &convert, &mut out)?;
        }
        Ok(out)
    }

    /// Overwrites the elements that a sparse accessor names.
    fn apply_sparse<const S: usize, T: Copy>(
        &mut self,
        index: u32,
        sparse: Cursor<'a>,
        header: &Header,
        problems: &mut Problems,
        convert: &impl Fn([u8; S]) -> T,
        out: &mut [T],
    ) -> Result<(), Fault> {
        let count = sparse.need_whole("count")?;
        if count > header.count {
            let expected = format!("at most the accessor's count of {}", header.count);
            let place = sparse.place_of("count");
            return Err(Fault::new(ProblemCode::Accessor, place, expected, count.to_string()));
        }
        let (indices, values) = (sparse.need("indices", "indices")?, sparse.need("values", "values")?);
        let component = Component::read(indices)?;
        if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
            return Err(indices.need("componentType", "")?.fault("5121, 5123 or 5125"));
        }
        let index_header =
            Header { component, shape: Shape::Scalar, normalized: false, count, view: None, offset: 0 };
        let width = header.shape.width();
        // Both lists are read in place of being trusted: their bytes must be there before anything is copied.
        let places = self.sparse_part(indices, &index_header)?;
        let parts = self.sparse_part(values, header)?;
        let place_bytes = span(indices, &index_header, &places.0, places.1, component.size(), count)?;
        let value_bytes = span(values, header, &parts.0, parts.1, header.element_size(), count)?;
        self.budget.charge(count.saturating_mul(width as u64), size_of::<T>(), || sparse.place())?;
        self.budget.charge(count, 4, || sparse.place())?;
        let mut new_values = Vec::with_capacity((count as usize) * width);
        elements(header, value_bytes, header.element_size(), count, convert, &mut new_values);
        let mut previous = None;
        let mut unsorted = None;
        for (k, chunk) in new_values.chunks_exact(width).enumerate() {
            let at = read_index(component, place_bytes, k);
            let slot = (at as usize).checked_mul(width).and_then(|start| out.get_mut(start..start + width));
            let Some(slot) = slot else {
                let expected = format!("index {k} to be below the accessor's count of {}", header.count);
                return Err(Fault::new(ProblemCode::Accessor, indices.place(), expected, at.to_string()));
            };
            slot.copy_from_slice(chunk);
            if previous.is_some_and(|p| at <= p) {
                unsorted.get_or_insert((k, at));
            }
            previous = Some(at);
        }
        if let Some((k, at)) = unsorted
            && let Some(reported @ false) = self.sparse_reported.get_mut(index as usize)
        {
            *reported = true;
            let text =
                format!("expected increasing sparse indices, found {at} as index {k}; used in file order");
            let object = Object::Accessor(index);
            problems.push(Severity::Warning, ProblemCode::Accessor, object, indices.place(), text);
        }
        Ok(())
    }

    fn sparse_part(&mut self, part: Cursor<'a>, header: &Header) -> Result<(Bytes<'a>, u64), Fault> {
        let view = self.view(part.need_index("bufferView", self.view_count, "buffer views")?)?;
        if view.stride.is_some_and(|stride| stride != header.element_size()) {
            let expected = "sparse data without a stride of its own";
            let found = format!("a stride of {}", view.stride.unwrap_or_default());
            return Err(Fault::new(ProblemCode::Accessor, part.place_of("bufferView"), expected, found));
        }
        Ok((view.bytes, part.whole_or("byteOffset", 0)?))
    }
}

/// The bytes that `count` elements take from `offset` on, checked against the view.
fn span<'b>(
    owner: Cursor<'_>,
    header: &Header,
    bytes: &'b [u8],
    offset: u64,
    stride: u64,
    count: u64,
) -> Result<&'b [u8], Fault> {
    let element = header.element_size();
    if count == 0 {
        return Ok(&[]);
    }
    if stride < element {
        let expected = format!("a stride of at least {element} bytes, the size of an element");
        return Err(Fault::new(ProblemCode::View, owner.place(), expected, stride.to_string()));
    }
    let length = (count - 1).checked_mul(stride).and_then(|l| l.checked_add(element));
    let end = length.and_then(|l| l.checked_add(offset)).filter(|end| *end <= bytes.len() as u64);
    end.map(|end| &bytes[offset as usize..end as usize]).ok_or_else(|| {
        let expected = format!("elements within the {} bytes of the buffer view", bytes.len());
        let found = format!("{count} elements of {element} bytes, {stride} apart, from byte {offset}");
        Fault::new(ProblemCode::Accessor, owner.place(), expected, found)
    })
}

/// Converts every number of `count` elements. `bytes` has been checked by [`span`].
fn elements<const S: usize, T>(
    header: &Header,
    bytes: &[u8],
    stride: u64,
    count: u64,
    convert: &impl Fn([u8; S]) -> T,
    out: &mut Vec<T>,
) {
    let (columns, rows) = header.shape.columns_rows();
    let (column, used) = (header.column_size() as usize, rows as usize * S);
    if count == 0 || S as u64 != header.component.size() {
        return;
    }
    if stride == header.element_size() && column == used {
        out.extend(bytes.as_chunks::<S>().0.iter().map(|b| convert(*b)));
        return;
    }
    for element in bytes.chunks(stride as usize) {
        for start in (0..columns as usize).map(|c| c * column) {
            let numbers = element.get(start..start + used).unwrap_or_default();
            out.extend(numbers.as_chunks::<S>().0.iter().map(|b| convert(*b)));
        }
    }
}

fn read_index(component: Component, bytes: &[u8], k: usize) -> u32 {
    let at = k * component.size() as usize;
    let byte = |i: usize| u32::from(bytes.get(at + i).copied().unwrap_or_default());
    match component {
        Component::U8 => byte(0),
        Component::U16 => byte(0) | byte(1) << 8,
        _ => byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24,
    }
}
