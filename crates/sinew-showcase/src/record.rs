//! The record of a run: a folder with `record.json` (what it is), `frames.csv` (one row a frame) and, where
//! there is a pose, `playback.glb`.
//!
//! Each file is written whole and then renamed; `record.json` comes last, so that a folder with a new one is
//! complete.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::StudyError;

/// The version of [`RecordFacts`] that is written.
const VERSION: u32 = 1;

/// `record.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordFacts {
    /// Version of this file; 1.
    pub version: u32,
    /// Version of sinew that wrote it.
    pub sinew: String,
    /// The study or simulation.
    pub study: String,
    /// Which run of it.
    pub run: String,
    /// What was recorded, in one sentence.
    pub what: String,
    /// Axes and units of poses and of columns that name none of their own.
    pub conventions: String,
    /// What the run was made with.
    pub settings: Map<String, Value>,
    /// Columns of `frames.csv`, in order.
    pub columns: Vec<Column>,
    /// Rows of `frames.csv` under its heading.
    pub frames: usize,
    /// The other files of the record.
    pub files: Vec<String>,
}

/// A column of `frames.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// As in the heading, with the unit at its end.
    pub name: String,
    /// Unit; empty for plain numbers.
    pub unit: String,
    /// What it holds.
    pub meaning: String,
}

impl Column {
    pub(crate) fn new(name: &str, unit: &str, meaning: &str) -> Self {
        Self { name: name.into(), unit: unit.into(), meaning: meaning.into() }
    }
}

/// A record that is ready to be written.
pub(crate) struct Record<'a> {
    pub(crate) study: &'a str,
    pub(crate) run: &'a str,
    pub(crate) what: &'a str,
    pub(crate) settings: Map<String, Value>,
    pub(crate) columns: Vec<Column>,
    /// `[frame][column]`
    pub(crate) rows: Vec<Vec<f64>>,
    /// The bytes of `playback.glb`; none where another record of the study has the motion.
    pub(crate) playback: Option<&'a [u8]>,
}

impl Record<'_> {
    /// Writes the record into `folder` of `out_dir`. Returns its files, relative to `out_dir`.
    pub(crate) fn write(self, out_dir: &Path, folder: &Path) -> Result<Vec<PathBuf>, StudyError> {
        let path = out_dir.join(folder);
        std::fs::create_dir_all(&path).map_err(|source| StudyError::Folder { path: path.clone(), source })?;
        let facts = RecordFacts {
            version: VERSION,
            sinew: env!("CARGO_PKG_VERSION").into(),
            study: self.study.into(),
            run: self.run.into(),
            what: self.what.into(),
            conventions: "right-handed, +Y up, +Z forward; metres, seconds, quaternions XYZW".into(),
            settings: self.settings,
            frames: self.rows.len(),
            files: ["frames.csv"]
                .into_iter()
                .chain(self.playback.map(|_| "playback.glb"))
                .map(String::from)
                .collect(),
            columns: self.columns,
        };
        let frames = frames_csv(&facts.columns, &self.rows);
        let mut json = serde_json::to_string_pretty(&facts).map_err(StudyError::build("a record"))?;
        json.push('\n');
        let playback = self.playback.map(|bytes| ("playback.glb", bytes));
        let files = [("frames.csv", frames.as_bytes()), ("record.json", json.as_bytes())];
        let mut written = Vec::new();
        for (name, bytes) in playback.into_iter().chain(files) {
            sinew_asset::save(path.join(name), bytes)?;
            written.push(folder.join(name));
        }
        Ok(written)
    }
}

/// Nine decimals: a nanometre, and less than single precision holds of anything near one.
fn frames_csv(columns: &[Column], rows: &[Vec<f64>]) -> String {
    let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
    let mut csv = names.join(",");
    csv.push('\n');
    for row in rows {
        for (i, value) in row.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let text = format!("{value:.9}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            // Minus nothing is nothing.
            let text = if text == "-0" { "0" } else { text };
            // Writing to a string does not fail.
            let _ = write!(csv, "{comma}{text}");
        }
        csv.push('\n');
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_no_negative_zero() {
        let columns = [Column::new("a_m", "m", ""), Column::new("b_s", "s", "")];
        let rows = [vec![0.0, 100.0], vec![-1e-12, 0.25], vec![-0.123_456_789_4, 1e9]];
        assert_eq!(frames_csv(&columns, &rows), "a_m,b_s\n0,100\n0,0.25\n-0.123456789,1000000000\n");
    }
}
