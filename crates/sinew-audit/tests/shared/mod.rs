//! The folder of shared files.

use std::path::PathBuf;

/// A folder of what `SINEW_SHARED` names. `None`, said in a line, where it is not set.
///
/// # Panics
/// Where it is set and the folder is not there.
#[expect(clippy::print_stdout, reason = "a test that checks nothing says so")]
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let Some(shared) = std::env::var_os("SINEW_SHARED") else {
        println!("SINEW_SHARED is not set: nothing was checked");
        return None;
    };
    let folder = PathBuf::from(shared).join(name);
    assert!(folder.is_dir(), "SINEW_SHARED is set, but {} is no folder", folder.display());
    Some(folder)
}
