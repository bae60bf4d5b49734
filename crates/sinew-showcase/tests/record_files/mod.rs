//! Files of records, read without the code that writes them.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Columns of a `frames.csv` by name.
pub(crate) fn table(path: &Path) -> BTreeMap<String, Vec<f64>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    names.iter().enumerate().map(|(i, n)| ((*n).to_owned(), rows.iter().map(|r| r[i]).collect())).collect()
}

/// A line of a golden file: the digest of a record's file, its version left out.
pub(crate) fn digest(folder: &Path, file: &Path) -> String {
    let text = fs::read_to_string(folder.join(file)).unwrap();
    // Another version writes the same record under its own number.
    let version = format!("\"sinew\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert_eq!(text.contains(&version), file.ends_with("record.json"));
    let path: Vec<_> = file.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    format!("{:016x} {}\n", fnv(text.replace(&version, "").as_bytes()), path.join("/"))
}

/// FNV-1a (Fowler, Noll, Vo) of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
