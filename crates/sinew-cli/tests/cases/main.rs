//! Every case with a known right answer gives that answer.
//!
//! A case is a folder with `expected.json` and its input files. The folder of cases is `SINEW_CASES`, or
//! `cases` in `SINEW_SHARED`; where neither is set there is nothing to check, and the test says so. Every
//! kind of check is executed; kinds that belong to capabilities still to come are counted and named, and a
//! kind that is not known fails.

mod audit;
mod bvh;
mod distance;
mod events;
mod ik;
mod pose;
mod reject;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sinew_asset::{Loaded, ReadOptions, load};

use values::Check;

/// Kinds whose capability is still to come.
const NOT_YET_SUPPORTED: &[&str] = &["vat_texel", "vat_last_row", "error_bound"];

/// Kinds that state something for people: what a known bug gives, or why.
const STATEMENTS: &[&str] = &["wrong_if", "bounds_wrong", "runtime", "lenient", "after_fix"];

/// What came of one check.
enum Outcome {
    Passed,
    Stated,
    NotYet,
    Failed(String),
}

#[test]
fn every_case_gives_its_known_answer() {
    let Some(folder) = cases_folder() else {
        println!("neither SINEW_CASES nor SINEW_SHARED is set: no cases to check");
        return;
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "{} holds no case", folder.display());
    let (mut passed, mut stated) = (0, 0);
    let mut not_yet: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for folder in &folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let mut files = Files::new(folder);
        for (i, check) in expected["checks"].as_array().unwrap().iter().enumerate() {
            let check = Check::new(check, &expected["tolerance"]);
            match run(&check, &mut files) {
                Outcome::Passed => passed += 1,
                Outcome::Stated => stated += 1,
                Outcome::NotYet => *not_yet.entry(check.kind().into()).or_default() += 1,
                Outcome::Failed(why) => failures.push(format!("{name}, check {i} ({}): {why}", check.kind())),
            }
        }
    }
    for (kind, count) in &not_yet {
        println!("not yet supported: {count} of kind {kind}");
    }
    println!("{} cases: {passed} checks hold, {stated} statements, {} fail", folders.len(), failures.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(passed > 0, "no check was executed");
}

fn cases_folder() -> Option<PathBuf> {
    if let Some(cases) = std::env::var_os("SINEW_CASES") {
        return Some(cases.into());
    }
    std::env::var_os("SINEW_SHARED").map(|shared| Path::new(&shared).join("cases"))
}

fn run(check: &Check<'_>, files: &mut Files) -> Outcome {
    let kind = check.kind();
    // A value after a repair waits for the repair.
    if NOT_YET_SUPPORTED.contains(&kind) || check.has("after_fix") {
        return Outcome::NotYet;
    }
    if STATEMENTS.contains(&kind) {
        return Outcome::Stated;
    }
    let result = match kind {
        "reject" => return reject::reject(check, &files.folder.join(check.file())).into(),
        "sample_local" => with(files, check, pose::sample_local),
        "world_position" => with(files, check, pose::world_position),
        "world_matrix" => with(files, check, pose::world_matrix),
        "skinned_position" | "world_vertex" => with(files, check, pose::skinned_position),
        "morph_weights" => with(files, check, pose::morph_weights),
        "clip_duration" => with(files, check, pose::clip_duration),
        "blend_local" => with(files, check, pose::blend_local),
        "sequence_local" => with(files, check, pose::sequence_local),
        "additive_local" => with(files, check, pose::additive_local),
        "root_delta" => with(files, check, pose::root_delta),
        "root_world_after" => with(files, check, pose::root_world_after),
        "bounds" => with(files, check, pose::bounds),
        "bvh_local_rotation" => with(files, check, bvh::local_rotation),
        "bvh_local_translation" => with(files, check, bvh::local_translation),
        "bvh_world_position" => with(files, check, bvh::world_position),
        "bvh_between_frames" => with(files, check, bvh::between_frames),
        "finding_expected" => with(files, check, audit::finding_expected),
        "finding_absent" => with(files, check, audit::finding_absent),
        "finding_value" => with(files, check, audit::finding_value),
        "track_fact" => with(files, check, audit::track_fact),
        "ik" => ik::ik(check, files),
        "ik_path" => ik::ik_path(check, files),
        "time_at_distance" => distance::time_at_distance(check, files),
        "fact" => match pose::fact(check, files) {
            Some(result) => result,
            None => return Outcome::Stated,
        },
        unknown => Err(format!("unknown kind '{unknown}'")),
    };
    result.into()
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Passed)
    }
}

fn with(
    files: &mut Files,
    check: &Check<'_>,
    execute: impl Fn(&Check<'_>, &Loaded) -> Result<(), String>,
) -> Result<(), String> {
    execute(check, files.get(check.file())?)
}

/// Files of a case, read once.
struct Files {
    folder: PathBuf,
    loaded: BTreeMap<String, Result<Loaded, String>>,
}

impl Files {
    fn new(folder: &Path) -> Self {
        Self { folder: folder.into(), loaded: BTreeMap::new() }
    }

    fn get(&mut self, file: &str) -> Result<&Loaded, String> {
        let path = self.folder.join(file);
        let read = || load(&path, &ReadOptions::default()).map_err(|e| format!("{file}: {e}"));
        self.loaded.entry(file.to_owned()).or_insert_with(read).as_ref().map_err(Clone::clone)
    }
}
