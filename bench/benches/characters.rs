//! Loading, sampling, skinning and auditing two real characters: Fox (24 joints, 3 clips) and Knight (41
//! joints, 76 clips).

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sinew::{Binding, RawPose, SkinJob, WeightMode, model_matrices, uniform_times};
use sinew_asset::{Loaded, ReadOptions, load};
use sinew_audit::{Limits, audit};

const CHARACTERS: [(&str, &str); 2] = [("fox", "fox/Fox.glb"), ("knight", "kaykit_knight/Knight.glb")];

fn path(file: &str) -> PathBuf {
    let shared = std::env::var_os("SINEW_SHARED").expect("SINEW_SHARED names the folder of characters");
    Path::new(&shared).join("data").join(file)
}

fn read(file: &str) -> Loaded {
    load(path(file), &ReadOptions::default()).expect("the character loads")
}

fn loading(c: &mut Criterion) {
    let mut group = c.benchmark_group("load");
    for (name, file) in CHARACTERS {
        let bytes = std::fs::metadata(path(file)).expect("the character is there").len();
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function(name, |b| b.iter(|| black_box(read(file))));
    }
}

/// Every clip at 30 poses a second, local pose and model matrices; a joint an element.
fn sampling(c: &mut Criterion) {
    let mut group = c.benchmark_group("sample all clips at 30 Hz");
    for (name, file) in CHARACTERS {
        let document = read(file).document;
        let skeleton = &document.skeleton;
        let times = |clip: &sinew::RawClip| uniform_times(clip.duration(), 30.0).expect("30 Hz is a rate");
        let work: Vec<_> = document.clips.iter().map(|clip| (clip, times(clip))).collect();
        let poses: usize = work.iter().map(|(_, times)| times.len()).sum();
        group.throughput(Throughput::Elements((poses * skeleton.len()) as u64));
        let (mut pose, mut model) = (RawPose::default(), Vec::new());
        group.bench_function(name, |b| {
            b.iter(|| {
                for (clip, times) in &work {
                    for &t in times {
                        clip.sample(skeleton, t, &mut pose);
                        model_matrices(skeleton, &pose, &mut model);
                        black_box(&model);
                    }
                }
            });
        });
    }
}

/// Every skinned vertex of one pose, in double precision.
fn skinning(c: &mut Criterion) {
    let mut group = c.benchmark_group("skin one pose");
    for (name, file) in CHARACTERS {
        let document = read(file).document;
        let (mut pose, mut model) = (RawPose::default(), Vec::new());
        document.clips[0].sample(&document.skeleton, 0.3, &mut pose);
        model_matrices(&document.skeleton, &pose, &mut model);
        let bound: Vec<_> = document.instances.iter().filter_map(|i| Some((i, i.skin?))).collect();
        let count = |i: &&sinew_asset::MeshInstance| -> usize {
            document.meshes[i.mesh].primitives.iter().map(|p| p.positions.len()).sum()
        };
        let vertices: usize = bound.iter().map(|(i, _)| count(i)).sum();
        group.throughput(Throughput::Elements(vertices as u64));
        let (mut palette, mut positions) = (Vec::new(), Vec::new());
        group.bench_function(name, |b| {
            b.iter(|| {
                for (instance, skin) in &bound {
                    document.skins[*skin].palette(&model, &mut palette);
                    for primitive in &document.meshes[instance.mesh].primitives {
                        let binding = Binding::Skinned(&palette);
                        let job = SkinJob {
                            primitive,
                            morph_weights: &[],
                            binding,
                            weights: WeightMode::Normalised,
                        };
                        job.run(&mut positions).expect("the skin fits the mesh");
                        black_box(&positions);
                    }
                }
            });
        });
    }
}

fn auditing(c: &mut Criterion) {
    let mut group = c.benchmark_group("audit");
    group.sample_size(20);
    for (name, file) in CHARACTERS {
        let loaded = read(file);
        let bytes = std::fs::metadata(path(file)).expect("the character is there").len();
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function(name, |b| b.iter(|| black_box(audit(&loaded, &Limits::default()))));
    }
}

criterion_group!(benches, loading, sampling, skinning, auditing);
criterion_main!(benches);
