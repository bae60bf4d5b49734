//! `EXT_meshopt_compression` and its successor `KHR_meshopt_compression`.
//!
//! Written from the extension texts: a buffer view names compressed bytes, a mode and a filter, and stands
//! for `count * byteStride` decoded bytes. The decoder itself is the meshoptimizer library; every size is
//! checked before it is called, for it asserts where sizes cannot be.

use super::fault::Fault;
use super::json::Cursor;
use crate::error::ProblemCode;

/// Names of the extension, the older first; both have the same shape.
pub(crate) const NAMES: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Whether a buffer only stands in for views that are compressed.
pub(crate) fn is_fallback(buffer: Cursor<'_>) -> bool {
    let flag =
        |name| buffer.extension(name).and_then(|e| e.get("fallback")).and_then(|f| f.value().as_bool());
    NAMES.into_iter().any(|name| flag(name) == Some(true))
}

/// The extension object of a buffer view.
pub(crate) fn of_view<'a>(view: Cursor<'a>) -> Option<Cursor<'a>> {
    NAMES.into_iter().find_map(|name| view.extension(name))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// A compressed view, checked.
#[cfg_attr(not(feature = "meshopt"), allow(dead_code, reason = "only the decoder looks at mode and filter"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compressed {
    pub(crate) buffer: u32,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) count: u64,
    pub(crate) stride: u64,
    mode: Mode,
    filter: Filter,
}

impl Compressed {
    /// Reads the extension object and checks that mode, filter and sizes go together.
    pub(crate) fn read(extension: Cursor<'_>, buffers: usize) -> Result<Self, Fault> {
        let bad = |key: &str, expected: &str, found: &dyn std::fmt::Display| {
            Fault::new(ProblemCode::Compression, extension.place_of(key), expected, found.to_string())
        };
        let buffer = extension.need_index("buffer", buffers, "buffers")?;
        let offset = extension.whole_or("byteOffset", 0)?;
        let length = extension.need_whole("byteLength")?;
        let stride = extension.need_whole("byteStride")?;
        let count = extension.need_whole("count")?;
        let mode = match extension.need("mode", "ATTRIBUTES, TRIANGLES or INDICES")?.text()? {
            "ATTRIBUTES" => Mode::Attributes,
            "TRIANGLES" => Mode::Triangles,
            "INDICES" => Mode::Indices,
            _ => return Err(extension.need("mode", "")?.fault("ATTRIBUTES, TRIANGLES or INDICES")),
        };
        let filter = match extension.get("filter").map(|f| f.text()).transpose()? {
            None | Some("NONE") => Filter::None,
            Some("OCTAHEDRAL") => Filter::Octahedral,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some("COLOR") => Filter::Color,
            Some(other) => return Err(bad("filter", "a filter of the extension", &other)),
        };
        match mode {
            Mode::Attributes if !stride.is_multiple_of(4) || !(4..=256).contains(&stride) => {
                return Err(bad("byteStride", "a multiple of 4 from 4 to 256", &stride));
            }
            Mode::Triangles | Mode::Indices if stride != 2 && stride != 4 => {
                return Err(bad("byteStride", "2 or 4 for indices", &stride));
            }
            Mode::Triangles if !count.is_multiple_of(3) => {
                return Err(bad("count", "a multiple of 3 for triangles", &count));
            }
            Mode::Triangles | Mode::Indices if filter != Filter::None => {
                return Err(bad("filter", "no filter for indices", &"one"));
            }
            _ => {}
        }
        match filter {
            Filter::Octahedral | Filter::Color if stride != 4 && stride != 8 => {
                Err(bad("byteStride", "4 or 8 for this filter", &stride))
            }
            Filter::Quaternion if stride != 8 => {
                Err(bad("byteStride", "8 for the filter QUATERNION", &stride))
            }
            _ => Ok(Self { buffer, offset, length, count, stride, mode, filter }),
        }
    }

    /// Decodes to `count * stride` bytes.
    #[cfg(feature = "meshopt")]
    pub(crate) fn decode(&self, bytes: &[u8], extension: Cursor<'_>) -> Result<Vec<u8>, Fault> {
        decoder::decode(self, bytes).map_err(|error| {
            let expected = format!("{} elements of {} bytes, compressed", self.count, self.stride);
            Fault::new(ProblemCode::Compression, extension.place(), expected, error)
        })
    }

    /// Without the decoder every compressed view is refused by name.
    #[cfg(not(feature = "meshopt"))]
    pub(crate) fn decode(&self, _bytes: &[u8], extension: Cursor<'_>) -> Result<Vec<u8>, Fault> {
        let found = "EXT_meshopt_compression, which this build is without (feature `meshopt`)";
        Err(Fault::new(ProblemCode::Compression, extension.place(), "bytes that are not compressed", found))
    }
}

#[cfg(feature = "meshopt")]
mod decoder {
    //! From bytes to bytes: the library is typed by element size, files are not.

    use super::{Compressed, Filter, Mode};

    /// One vertex of `N` words.
    #[derive(Clone, Copy)]
    struct Words<const N: usize>([u32; N]);

    impl<const N: usize> Default for Words<N> {
        fn default() -> Self {
            Self([0; N])
        }
    }

    /// Decodes vertices of `N` words to words, each in the byte order of the file when written out.
    fn vertices<const N: usize>(bytes: &[u8], count: usize) -> meshopt::Result<Vec<u32>> {
        let decoded: Vec<Words<N>> = meshopt::decode_vertex_buffer(bytes, count)?;
        Ok(decoded.iter().flat_map(|v| v.0).collect())
    }

    type Vertices = fn(&[u8], usize) -> meshopt::Result<Vec<u32>>;

    /// `[words a vertex - 1]`
    #[rustfmt::skip]
    const VERTICES: [Vertices; 64] = [
        vertices::<1>, vertices::<2>, vertices::<3>, vertices::<4>, vertices::<5>, vertices::<6>, vertices::<7>,
        vertices::<8>, vertices::<9>, vertices::<10>, vertices::<11>, vertices::<12>, vertices::<13>,
        vertices::<14>, vertices::<15>, vertices::<16>, vertices::<17>, vertices::<18>, vertices::<19>,
        vertices::<20>, vertices::<21>, vertices::<22>, vertices::<23>, vertices::<24>, vertices::<25>,
        vertices::<26>, vertices::<27>, vertices::<28>, vertices::<29>, vertices::<30>, vertices::<31>,
        vertices::<32>, vertices::<33>, vertices::<34>, vertices::<35>, vertices::<36>, vertices::<37>,
        vertices::<38>, vertices::<39>, vertices::<40>, vertices::<41>, vertices::<42>, vertices::<43>,
        vertices::<44>, vertices::<45>, vertices::<46>, vertices::<47>, vertices::<48>, vertices::<49>,
        vertices::<50>, vertices::<51>, vertices::<52>, vertices::<53>, vertices::<54>, vertices::<55>,
        vertices::<56>, vertices::<57>, vertices::<58>, vertices::<59>, vertices::<60>, vertices::<61>,
        vertices::<62>, vertices::<63>, vertices::<64>,
    ];

    pub(super) fn decode(view: &Compressed, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let count = view.count as usize;
        if count == 0 {
            return Ok(Vec::new());
        }
        let decoded = match (view.mode, view.stride) {
            (Mode::Attributes, stride) => {
                let words = (stride / 4) as usize;
                let Some(decode) = VERTICES.get(words.wrapping_sub(1)) else {
                    return Err(format!("vertices of {stride} bytes"));
                };
                return Ok(filter(view, decode(bytes, count).map_err(|e| e.to_string())?));
            }
            (Mode::Triangles, 2) => meshopt::decode_index_buffer::<u16>(bytes, count).map(bytes_of_u16),
            (Mode::Triangles, _) => meshopt::decode_index_buffer::<u32>(bytes, count).map(bytes_of_u32),
            (Mode::Indices, 2) => meshopt::decode_index_sequence::<u16>(bytes, count).map(bytes_of_u16),
            (Mode::Indices, _) => meshopt::decode_index_sequence::<u32>(bytes, count).map(bytes_of_u32),
        };
        decoded.map_err(|e| e.to_string())
    }

    /// Undoes the filter. Words hold the decoded bytes in memory order.
    fn filter(view: &Compressed, words: Vec<u32>) -> Vec<u8> {
        let bytes = |word: &u32| word.to_ne_bytes();
        let halves = |pair: &[u32]| {
            let (a, b) = (pair[0].to_ne_bytes(), pair[1].to_ne_bytes());
            let half = |x: u8, y: u8| i16::from_ne_bytes([x, y]);
            [half(a[0], a[1]), half(a[2], a[3]), half(b[0], b[1]), half(b[2], b[3])]
        };
        match (view.filter, view.stride) {
            (Filter::Octahedral, 4) => {
                let mut data: Vec<[i8; 4]> = words.iter().map(|w| bytes(w).map(|b| b as i8)).collect();
                meshopt::decode_filter_oct(&mut data);
                data.into_iter().flatten().map(|b| b as u8).collect()
            }
            (Filter::Octahedral, _) => {
                let mut data: Vec<[i16; 4]> = words.chunks_exact(2).map(halves).collect();
                meshopt::decode_filter_oct(&mut data);
                data.into_iter().flatten().flat_map(i16::to_le_bytes).collect()
            }
            (Filter::Quaternion, _) => {
                let mut data: Vec<[i16; 4]> = words.chunks_exact(2).map(halves).collect();
                meshopt::decode_filter_quat(&mut data);
                data.into_iter().flatten().flat_map(i16::to_le_bytes).collect()
            }
            (Filter::Exponential, _) => {
                let mut data: Vec<[u32; 1]> = words.into_iter().map(|w| [w]).collect();
                meshopt::decode_filter_exp(&mut data);
                data.into_iter().flatten().flat_map(u32::to_le_bytes).collect()
            }
            (Filter::Color, 4) => {
                let mut data: Vec<[u8; 4]> = words.iter().map(bytes).collect();
                meshopt::decode_filter_color(&mut data);
                data.into_iter().flatten().collect()
            }
            (Filter::Color, _) => {
                let mut data: Vec<[u16; 4]> =
                    words.chunks_exact(2).map(|pair| halves(pair).map(|h| h as u16)).collect();
                meshopt::decode_filter_color(&mut data);
                data.into_iter().flatten().flat_map(u16::to_le_bytes).collect()
            }
            (Filter::None, _) => words.into_iter().flat_map(u32::to_ne_bytes).collect(),
        }
    }

    fn bytes_of_u16(values: Vec<u16>) -> Vec<u8> {
        values.into_iter().flat_map(u16::to_le_bytes).collect()
    }

    fn bytes_of_u32(values: Vec<u32>) -> Vec<u8> {
        values.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}
