//! A file that is saved has the old bytes or the new ones, and nothing is left beside it.

use std::fs;

use sinew_asset::save;

fn names(folder: &std::path::Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn new_bytes_replace_old_ones_and_no_temporary_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    save(&path, b"old bytes, longer").unwrap();
    save(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["a.glb"]);
}

#[test]
fn a_missing_folder_is_an_error_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none/a.glb");
    let error = save(&path, b"new").unwrap_err();
    assert!(error.to_string().contains("none"), "{error}");
    assert!(!error.to_string().contains(".sinew-"), "the temporary name is nobody's: {error}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_folder_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let error = save(folder.path(), b"new").unwrap_err();
    assert!(error.to_string().contains("it is a folder"), "{error}");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_link_stays_a_link_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        save(&file, b"old").unwrap();
        symlink(&file, &link).unwrap();
        save(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[test]
    fn permissions_of_a_replaced_file_are_kept_and_new_files_are_ordinary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        save(&path, b"old").unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, b"").unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        save(&path, b"new").unwrap();
        assert_eq!(mode(&path) & 0o777, 0o640);
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let null = std::path::Path::new("/dev/null");
        save(null, b"gone").unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    }
}
