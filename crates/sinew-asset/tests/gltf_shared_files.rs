//! Every glTF file of the shared collection loads without an error, and the cases that must be refused are
//! refused with the right words. Needs the collection: the environment variable `SINEW_SHARED` names it.

#![allow(clippy::print_stderr, reason = "says what was not checked, and lists the problems of real files")]

use std::path::{Path, PathBuf};

#[cfg(feature = "meshopt")]
use sinew::{Binding, RawPose, SkinJob, WeightMode, model_matrices};
use sinew_asset::{Loaded, ReadOptions, Severity, load};

/// The folder of shared files, or a word that there is none.
fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_SHARED").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SINEW_SHARED is not set: nothing was checked");
    }
    folder
}

/// All `.gltf` and `.glb` files below a folder, in the order of their paths.
fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "gltf" || e == "glb") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn read(path: &Path) -> Loaded {
    load(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_shared_character_loads_without_an_error() {
    let Some(shared) = shared() else { return };
    let files = gltf_files(&shared.join("data"));
    assert!(files.len() > 30, "{} files", files.len());
    for path in files {
        let Loaded { document, problems } = read(&path);
        for problem in &problems {
            eprintln!("{}: {problem}", path.strip_prefix(&shared).unwrap().display());
            assert!(problem.severity < Severity::Error, "{}: {problem}", path.display());
        }
        assert!(!document.skeleton.is_empty());
        for clip in &document.clips {
            clip.validate(&document.skeleton).unwrap();
        }
    }
}

#[test]
fn every_case_that_is_sound_loads_without_an_error() {
    let Some(shared) = shared() else { return };
    let mut count = 0;
    for path in gltf_files(&shared.join("cases")) {
        if path.to_string_lossy().contains("reject") {
            continue;
        }
        count += 1;
        for problem in read(&path).problems {
            assert!(problem.severity < Severity::Error, "{}: {problem}", path.display());
        }
    }
    assert!(count >= 10);
}

#[test]
fn duplicate_unsorted_and_negative_keys_are_named() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("cases/09-reject-duplicate-or-unsorted-keys");
    let cases = [
        ("input-duplicate.gltf", ["stutter", "sampler 0", "key 2", "duplicate"]),
        ("input-unsorted.gltf", ["stutter", "sampler 0", "key 2", "decreasing"]),
        ("input-negative.gltf", ["stutter", "sampler 0", "key 0", "negative"]),
    ];
    for (file, words) in cases {
        let Loaded { document, problems } = read(&folder.join(file));
        assert!(document.clips.iter().all(|clip| clip.name.as_deref() != Some("stutter")));
        let error = problems.iter().find(|p| p.severity == Severity::Error).unwrap().to_string();
        for word in words {
            assert!(error.contains(word), "{file}: {word} is not in {error}");
        }
    }
}

/// Corners of the box around all skinned vertices of the first mesh, in the second clip at `time`.
#[cfg(feature = "meshopt")]
fn skinned_box(loaded: &Loaded, time: f64) -> [glam::DVec3; 2] {
    let document = &loaded.document;
    let (mut pose, mut model_ms, mut palette, mut at) =
        (RawPose::default(), Vec::new(), Vec::new(), Vec::new());
    document.clips[1].sample(&document.skeleton, time, &mut pose);
    model_matrices(&document.skeleton, &pose, &mut model_ms);
    let instance = document.instances[0];
    document.skins[instance.skin.unwrap()].palette(&model_ms, &mut palette);
    let primitive = &document.meshes[instance.mesh].primitives[0];
    let binding = Binding::Skinned(&palette);
    SkinJob { primitive, morph_weights: &[], binding, weights: WeightMode::Normalised }.run(&mut at).unwrap();
    let fold = |f: fn(glam::DVec3, glam::DVec3) -> glam::DVec3| at.iter().copied().reduce(f).unwrap();
    [fold(glam::DVec3::min), fold(glam::DVec3::max)]
}

#[cfg(feature = "meshopt")]
#[test]
fn a_compressed_character_moves_like_the_quantised_one() {
    let Some(shared) = shared() else { return };
    let fox = |kind: &str| read(&shared.join(format!("data/derived_fox_quantized/Fox_{kind}.glb")));
    let (quantised, compressed) = (fox("quantized"), fox("meshopt"));
    for time in [0.0, 0.3, 0.5] {
        let (a, b) = (skinned_box(&quantised, time), skinned_box(&compressed, time));
        // The fox is 160 units long; its compression rounds rotations to 12 bits.
        assert!((a[0] - b[0]).length() < 0.1 && (a[1] - b[1]).length() < 0.1, "{a:?} {b:?}");
    }
}
