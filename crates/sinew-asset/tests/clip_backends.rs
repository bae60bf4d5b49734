//! Clips of real characters decode to the same bits on every backend.

use std::path::Path;

use sinew::{Backend, ClipBuilder, LocalPose, Rig, SampleJob};
use sinew_asset::{ReadOptions, load};

/// Long clips are left to the benchmarks: building them takes most of the time.
const MOST_SECONDS: f64 = 4.0;

const FILES: [&str; 8] = [
    "fox/Fox.glb",
    "kaykit_knight/Knight.glb",
    "synthetic_dense/syn67.glb",
    "synthetic_dense/syn87.glb",
    "cmu_30hz/cmu_02_01.glb",
    "m2m_fox/fox-animations.glb",
    "pab_walk",
    "m2m_spider",
];

/// FNV-1a over the bits of every joint.
fn digest(rig: &Rig, pose: &LocalPose, mut hash: u64) -> u64 {
    for slot in 0..rig.len() {
        let t = pose.get(sinew::Slot(slot as u16));
        let numbers =
            t.rotation.to_array().into_iter().chain(t.translation.to_array()).chain(t.scale.to_array());
        for byte in numbers.flat_map(|v| v.to_bits().to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

fn files(data: &Path, file: &str) -> Vec<std::path::PathBuf> {
    let path = data.join(file);
    if path.is_file() {
        return vec![path];
    }
    let mut found: Vec<_> = std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "glb"))
        .collect();
    found.sort();
    found
}

#[test]
fn clips_of_real_characters_have_the_same_bits_on_every_backend() {
    let Some(shared) = std::env::var_os("SINEW_SHARED") else {
        println!("SINEW_SHARED is not set: no characters to read");
        return;
    };
    let data = Path::new(&shared).join("data");
    let mut clips = 0;
    for path in FILES.iter().flat_map(|file| files(&data, file)) {
        let document = load(&path, &ReadOptions::default()).unwrap().document;
        let skeleton = &document.skeleton;
        let rig = Rig::new(skeleton).unwrap();
        for raw in document.clips.iter().filter(|c| c.duration() <= MOST_SECONDS) {
            // Coarse, so that it is quick: the kernels are the same.
            let (clip, _) = ClipBuilder::new(skeleton, &rig).bound(2e-3).build(raw).unwrap();
            let mut pose = LocalPose::rest(&rig);
            let digests = Backend::ALL.map(|backend| {
                (0..=40).fold(0xcbf2_9ce4_8422_2325, |hash, step| {
                    let time = clip.duration() * step as f32 / 40.0;
                    SampleJob::new(&rig, &clip, time, &mut pose).run_on(backend).unwrap();
                    digest(&rig, &pose, hash)
                })
            });
            assert_eq!(digests, [digests[0]; 3], "{} of {}", raw.label(), path.display());
            clips += 1;
        }
    }
    assert!(clips > 60, "only {clips} clips were found");
}
