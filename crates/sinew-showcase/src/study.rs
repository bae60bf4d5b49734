//! The list of studies, and what each one returns.

use std::error::Error;
use std::path::{Path, PathBuf};

use sinew_asset::{AssetError, Document, SaveError, WriteError};
use sinew_audit::plot::Plot;

use crate::{Promise, body_shake, core_deployment, head_dip, knee, locomotion, run_start, run_stop};

/// Every study, in the order to show them. This is the one place where a study is registered.
const STUDIES: &[Study] = &[
    knee::STUDY,
    head_dip::STUDY,
    body_shake::STUDY,
    core_deployment::STUDY,
    run_start::STUDY,
    run_stop::STUDY,
    locomotion::STUDY,
];

/// A study that can be run.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// What to call it on the command line; also the name of its folder.
    pub name: &'static str,
    /// A heading.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    pub(crate) run: fn(&Path) -> Result<StudyResult, StudyError>,
}

impl Study {
    /// Runs the study; its files go to the folder of its name in `out_dir`, which is made where needed.
    ///
    /// # Errors
    /// [`StudyError`] where files cannot be written. A promise that does not hold is no error.
    pub fn run(&self, out_dir: &Path) -> Result<StudyResult, StudyError> {
        (self.run)(out_dir)
    }
}

/// What a study found.
#[derive(Clone, Debug)]
pub struct StudyResult {
    /// [`Study::name`].
    pub name: &'static str,
    /// [`Study::title`].
    pub title: &'static str,
    /// What it is about, in plain words.
    pub text: Vec<Section>,
    /// Every number that was promised.
    pub promises: Vec<Promise>,
    /// Curves. Clip and joint indices are those of every document of the study alike.
    pub plots: Vec<Plot>,
    /// Characters to play side by side.
    pub documents: Vec<StudyDocument>,
    /// Files that were written, relative to the output folder.
    pub files: Vec<PathBuf>,
}

impl StudyResult {
    /// Whether every promise holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.promises.iter().all(|p| p.holds)
    }
}

/// A heading and the paragraphs under it; plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Heading.
    pub heading: String,
    /// Paragraphs.
    pub paragraphs: Vec<String>,
}

impl Section {
    pub(crate) fn new(heading: &str, paragraphs: &[&str]) -> Self {
        Self { heading: heading.into(), paragraphs: paragraphs.iter().map(|p| (*p).into()).collect() }
    }
}

/// A character of a study.
#[derive(Clone, Debug)]
pub struct StudyDocument {
    /// What sets it apart from the others.
    pub label: String,
    /// Where it was written, relative to the output folder.
    pub file: PathBuf,
    /// The character and its clips; the first clip is the one to show.
    pub document: Document,
    /// Frames a second that show its clips well.
    pub rate: f64,
}

/// Why a study could not be run.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// There is no study of this name.
    #[error("no study {name:?}; there are: {}", names())]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A built-in character is not what the study needs.
    #[error("cannot build {what}: {source}")]
    Build {
        /// What was being built.
        what: String,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A character could not be written as a file.
    #[error("cannot write {what} as GLB: {source}")]
    Write {
        /// Which character.
        what: String,
        /// Why.
        source: WriteError,
    },
    /// What was written could not be read back.
    #[error("cannot read {what} back: {source}")]
    Read {
        /// Which character.
        what: String,
        /// Why.
        source: AssetError,
    },
    /// A folder could not be made.
    #[error("cannot make the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Save(#[from] SaveError),
}

impl StudyError {
    pub(crate) fn build<E: Error + Send + Sync + 'static>(what: &str) -> impl FnOnce(E) -> Self {
        let what = what.to_owned();
        move |source| Self::Build { what, source: Box::new(source) }
    }
}

/// All studies, in the order to show them.
#[must_use]
pub fn studies() -> &'static [Study] {
    STUDIES
}

/// Runs a study by name.
///
/// # Errors
/// [`StudyError`] where there is no such study or its files cannot be written.
pub fn run(name: &str, out_dir: &Path) -> Result<StudyResult, StudyError> {
    let study = STUDIES.iter().find(|s| s.name == name);
    study.ok_or_else(|| StudyError::Unknown { name: name.into() })?.run(out_dir)
}

fn names() -> String {
    STUDIES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
}
