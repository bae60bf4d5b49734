//! Records of studies, read without the code that wrote them.

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
