//! From a path to a document, and the way to the files beside it.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::bvh::{BvhOptions, read_bvh};
use crate::document::Loaded;
use crate::error::{AssetError, Place};
use crate::gltf::read_gltf;
use crate::runtime_file::is_runtime;

/// What a caller can say about how to read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Bytes of memory that reading may take; where it is not given, 4 MiB and 64 bytes for each byte of
    /// the file. Only files that claim far more than they hold, or compress extremely well, need more.
    pub memory_limit: Option<u64>,
    /// Whether pictures are read, which are carried to the writer and never interpreted.
    pub images: bool,
    /// For BVH files.
    pub bvh: BvhOptions,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { memory_limit: None, images: true, bvh: BvhOptions::default() }
    }
}

/// Why a file that another file names was not read.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// It is on another machine, or behind another scheme than a plain path.
    #[error("\"{uri}\", which is not a path beside the file; nothing is fetched from elsewhere")]
    Remote {
        /// As in the file.
        uri: String,
    },
    /// It lies outside the folder of the file that names it.
    #[error("\"{uri}\", which leaves the folder of the file")]
    Outside {
        /// As in the file.
        uri: String,
    },
    /// It is not a plain file.
    #[error("\"{uri}\", which is not a plain file")]
    NotAFile {
        /// As in the file.
        uri: String,
    },
    /// The file system said no.
    #[error("\"{uri}\": {source}")]
    Io {
        /// As in the file.
        uri: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no folder to look in.
    #[error("\"{uri}\", but no folder was given to look in")]
    NoFolder {
        /// As in the file.
        uri: String,
    },
}

/// Where the files are that a document names.
pub trait Resolver {
    /// The first `limit` bytes of the file that `uri` names, or all of it where it is shorter.
    ///
    /// # Errors
    /// [`ResolveError`] says why it was not read.
    fn read(&self, uri: &str, limit: u64) -> Result<Vec<u8>, ResolveError>;

    /// A text that is the same for all URIs that name one file, by which it is read once: the plain path here,
    /// without steps that lead nowhere.
    fn key(&self, uri: &str) -> String {
        relative_path(uri).map_or_else(|_| uri.to_owned(), |path| path.to_string_lossy().into_owned())
    }
}

/// No files beside the document: everything must be in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, uri: &str, _limit: u64) -> Result<Vec<u8>, ResolveError> {
        Err(ResolveError::NoFolder { uri: shown(uri) })
    }
}

/// Files in one folder and the folders below it; nothing outside it and nothing remote.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder that `root` names.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl Resolver for Folder {
    fn read(&self, uri: &str, limit: u64) -> Result<Vec<u8>, ResolveError> {
        let io = |source| ResolveError::Io { uri: shown(uri), source };
        let relative = relative_path(uri)?;
        let root = self.root.canonicalize().map_err(io)?;
        // Links are followed before the check, so that none leads out.
        let path = root.join(relative).canonicalize().map_err(io)?;
        if !path.starts_with(&root) {
            return Err(ResolveError::Outside { uri: shown(uri) });
        }
        if !path.metadata().map_err(io)?.is_file() {
            return Err(ResolveError::NotAFile { uri: shown(uri) });
        }
        let mut bytes = Vec::new();
        File::open(path).map_err(io)?.take(limit).read_to_end(&mut bytes).map_err(io)?;
        Ok(bytes)
    }

    /// Links, and letters of either case where they are one, lead to the same file.
    fn key(&self, uri: &str) -> String {
        let path = relative_path(uri).ok().and_then(|path| self.root.join(path).canonicalize().ok());
        path.map_or_else(|| uri.to_owned(), |path| path.to_string_lossy().into_owned())
    }
}

/// The path that a URI names, relative and within its folder.
fn relative_path(uri: &str) -> Result<PathBuf, ResolveError> {
    // A scheme ends at a colon before any slash; a drive letter looks the same and is no better.
    let head = uri.split(['/', '\\']).next().unwrap_or_default();
    if head.contains(':') || uri.starts_with("//") || uri.starts_with("\\\\") {
        return Err(ResolveError::Remote { uri: shown(uri) });
    }
    let decoded = percent_encoding::percent_decode_str(uri).decode_utf8_lossy().replace('\\', "/");
    let mut path = PathBuf::new();
    for part in Path::new(&decoded).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(ResolveError::Outside { uri: shown(uri) });
            }
        }
    }
    if decoded.contains('\0') || path.as_os_str().is_empty() {
        return Err(ResolveError::NotAFile { uri: shown(uri) });
    }
    Ok(path)
}

/// A URI cut to what a message can carry.
fn shown(uri: &str) -> String {
    uri.chars().take(120).collect()
}

/// Reads a character file: `.glb`, `.gltf` or `.bvh`, told by its first bytes, whatever it is called.
///
/// # Errors
/// [`AssetError`] where nothing could be read; what was wrong with parts of it is in
/// [`Loaded::problems`].
pub fn load(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Loaded, AssetError> {
    let path = path.as_ref();
    let bytes = read_path(path)?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut options = options.clone();
    // A BVH file has one clip and no name for it.
    options.bvh.clip_name.get_or_insert_with(|| name.clone());
    let mut loaded = read(&bytes, &Folder::new(folder), &options)?;
    loaded.document.name = name;
    Ok(loaded)
}

/// Largest file that is read, bytes: the length that a GLB can have.
const LARGEST_FILE: u64 = u32::MAX as u64;
/// Largest stream that is read, bytes.
const LARGEST_STREAM: u64 = 2 << 30;

/// The bytes of a file or a pipe; what else has a path may never end.
pub(crate) fn read_path(path: &Path) -> Result<Vec<u8>, AssetError> {
    let io = |source| AssetError::Io { path: path.into(), source };
    // Told before it is opened: opening some devices moves them.
    let length = length(&path.metadata().map_err(io)?, path)?;
    let file = File::open(path).map_err(io)?;
    let Some(length) = length else { return bounded(file, LARGEST_STREAM, path) };
    if length > LARGEST_FILE {
        return Err(AssetError::TooLarge { place: Place::File, needed: length, limit: LARGEST_FILE });
    }
    bounded(file, LARGEST_FILE, path)
}

/// The length of a file, none for a pipe.
fn length(metadata: &std::fs::Metadata, path: &Path) -> Result<Option<u64>, AssetError> {
    if metadata.is_file() {
        return Ok(Some(metadata.len()));
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type()) {
        return Ok(None);
    }
    let found = if metadata.is_dir() { "a folder" } else { "a device or a socket" };
    Err(AssetError::NotAFile { path: path.into(), found })
}

/// Reads a stream, such as the standard input, to its end.
///
/// # Errors
/// [`AssetError::Io`], with `-` for the path; [`AssetError::TooLarge`] beyond 2 GiB, which is as far as it reads.
pub fn read_stream(reader: impl Read) -> Result<Vec<u8>, AssetError> {
    bounded(reader, LARGEST_STREAM, Path::new("-"))
}

fn bounded(reader: impl Read, limit: u64, path: &Path) -> Result<Vec<u8>, AssetError> {
    let mut bytes = Vec::new();
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|source| AssetError::Io { path: path.into(), source })?;
    let needed = bytes.len() as u64;
    if needed > limit {
        return Err(AssetError::TooLarge { place: Place::File, needed, limit });
    }
    Ok(bytes)
}

/// Reads a character from bytes, whose format their beginning tells; `resolver` finds the files they name.
///
/// # Errors
/// As [`load`].
pub fn read(bytes: &[u8], resolver: &dyn Resolver, options: &ReadOptions) -> Result<Loaded, AssetError> {
    match kind(bytes) {
        Kind::Gltf => read_gltf(bytes, resolver, options),
        Kind::Bvh => read_bvh(bytes, &options.bvh),
        Kind::Fbx => Err(unsupported("FBX")),
        Kind::Runtime => Err(AssetError::Malformed {
            place: Place::Byte(0),
            expected: "a glTF, GLB or BVH file".into(),
            found: "a sinew runtime file (.sinew), which sinew_asset::load_runtime reads".into(),
        }),
        Kind::Unknown => {
            let start: String =
                String::from_utf8_lossy(&bytes[..bytes.len().min(16)]).escape_debug().collect();
            Err(AssetError::Malformed {
                place: Place::Byte(0),
                expected: "a glTF, GLB or BVH file".into(),
                found: if bytes.is_empty() { "an empty file".into() } else { format!("\"{start}\"") },
            })
        }
    }
}

fn unsupported(feature: &str) -> AssetError {
    AssetError::Unsupported { feature: feature.into(), pointer: "the first bytes of the file".into() }
}

enum Kind {
    Gltf,
    Bvh,
    Fbx,
    Runtime,
    Unknown,
}

/// The format that the first bytes speak of.
fn kind(bytes: &[u8]) -> Kind {
    if bytes.starts_with(b"glTF") {
        return Kind::Gltf;
    }
    if is_runtime(bytes) {
        return Kind::Runtime;
    }
    if bytes.starts_with(b"Kaydara FBX") || bytes.starts_with(b"; FBX") {
        return Kind::Fbx;
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    match text.first() {
        Some(b'{') => Kind::Gltf,
        _ if text.get(..9).is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY")) => Kind::Bvh,
        _ => Kind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_folder_are_refused_by_name() {
        for uri in ["../a.bin", "a/../../b.bin", "/etc/passwd", "%2e%2e/a.bin", "..\\a.bin", "a/..%2f..%2fb"]
        {
            assert!(matches!(relative_path(uri), Err(ResolveError::Outside { .. })), "{uri}");
        }
    }

    #[test]
    fn remote_addresses_and_drives_are_refused_by_name() {
        for uri in
            ["http://a/b.bin", "https:b.bin", "file:///etc/passwd", "C:\\a.bin", "//host/a", "\\\\host\\a"]
        {
            assert!(matches!(relative_path(uri), Err(ResolveError::Remote { .. })), "{uri}");
        }
    }

    #[test]
    fn a_stream_without_an_end_is_read_to_its_limit_and_refused() {
        let error = bounded(std::io::repeat(0), 1000, Path::new("-")).unwrap_err();
        assert!(matches!(error, AssetError::TooLarge { needed: 1001, limit: 1000, .. }), "{error}");
        assert_eq!(bounded(&[7_u8; 1000][..], 1000, Path::new("-")).unwrap().len(), 1000);
        assert_eq!(read_stream(&b"HIERARCHY"[..]).unwrap(), b"HIERARCHY");
    }

    #[test]
    fn all_spellings_of_a_file_have_one_key() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b.bin"), b"x").unwrap();
        for uri in ["b.bin", "./b.bin", "././b.bin", "a/../b.bin", "%62.bin", "a\\..\\b.bin"] {
            assert_eq!(NoFiles.key(uri), "b.bin");
            assert_eq!(Folder::new(folder.path()).key(uri), Folder::new(folder.path()).key("b.bin"));
        }
    }

    #[test]
    fn plain_names_are_decoded() {
        assert_eq!(relative_path("my%20mesh.bin").unwrap(), Path::new("my mesh.bin"));
        assert_eq!(relative_path("./a/../b.bin").unwrap(), Path::new("b.bin"));
        assert_eq!(relative_path("tex\\a.png").unwrap(), Path::new("tex/a.png"));
        assert!(relative_path("").is_err());
        assert!(relative_path("a%00b").is_err());
    }
}
