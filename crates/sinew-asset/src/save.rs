//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Why a file was not written. What stood there before is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct SaveError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Writes a file under a temporary name in the same folder and renames it: whoever reads `path` finds the old
/// bytes or the new ones, never a part, also when the program is interrupted.
///
/// A link is followed and stays a link. A pipe or a device, which cannot be renamed over, is written to directly.
/// The permissions of a file that is replaced are kept.
///
/// # Errors
/// [`SaveError`] with what the system said; the old file is untouched then.
pub fn save(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), SaveError> {
    let path = path.as_ref();
    replace(path, bytes).map_err(|source| SaveError { path: path.into(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let old = fs::metadata(&target).ok();
    if let Some(old) = &old {
        if old.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        if !old.is_file() {
            return fs::OpenOptions::new().write(true).open(&target)?.write_all(bytes);
        }
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // The name of the temporary file, which such an error tells, is nobody's.
    let mut file = builder().tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    file.as_file_mut().write_all(bytes)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    // The name must not come to stand for bytes that are not on the disk yet.
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Permissions of an ordinary new file; temporary files are for their owner only otherwise.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sinew-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}
