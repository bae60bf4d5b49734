//! Promise: evaluating layers of clips gives the bits of sampling each and blending the poses, on every backend;
//! a crowd gives the bits of its characters one by one, on any number of threads; what does not fit is named and
//! nothing is written.

mod runtime_clips;
mod runtime_poses;

use runtime_clips::{clips, model_bits, row_bits};
use runtime_poses::{Random, all_bits};
use sinew::{
    AffineRows, Backend, Clip, ClipLayer, CrowdError, CrowdJob, CrowdScratch, EvaluateError, EvaluateJob,
    EvaluatePart, EvaluateScratch, JointMask, LocalPose, MAX_CLIP_LAYERS, ModelJob, ModelPose, PoseBlendJob,
    PoseLayer, Rig, SampleJob,
};

/// By hand: every layer sampled into a pose of its own, then blended.
fn by_hand(rig: &Rig, base: &LocalPose, layers: &[ClipLayer<'_>], groups: usize, output: &mut LocalPose) {
    let used: Vec<_> = layers.iter().filter(|l| l.weight > 0.0).collect();
    let mut poses = vec![LocalPose::rest(rig); used.len()];
    for (layer, pose) in used.iter().zip(&mut poses) {
        SampleJob::new(rig, layer.clip, layer.time, pose).run_on(Backend::Scalar).unwrap();
    }
    let layers: Vec<_> = used
        .iter()
        .zip(&poses)
        .map(|(l, pose)| {
            let layer = match l.additive {
                Some(reference) => PoseLayer::additive(pose, reference, l.weight),
                None => PoseLayer::new(pose, l.weight),
            };
            PoseLayer { mask: l.mask, ..layer }
        })
        .collect();
    PoseBlendJob { rig, base, layers: &layers, groups, output }.run_on(Backend::Scalar).unwrap();
}

struct Cast {
    rig: Rig,
    clips: Vec<Clip>,
    masks: Vec<JointMask>,
    references: Vec<LocalPose>,
}

fn cast(random: &mut Random, joints: usize) -> Cast {
    let (skeleton, rig) = random.rig(joints);
    let clips = clips(random, &skeleton, &rig);
    let masks = (0..2).map(|_| random.mask(&rig)).collect();
    let references = vec![LocalPose::rest(&rig), random.pose(&rig, false), random.pose(&rig, true)];
    Cast { rig, clips, masks, references }
}

fn layer<'a>(random: &mut Random, cast: &'a Cast) -> ClipLayer<'a> {
    let weight = [0.0, 0.3, 1.0, random.unit(), 1.7][random.below(5)];
    let mut layer = ClipLayer::new(&cast.clips[random.below(4)], random.unit(), weight);
    if random.below(3) == 0 {
        layer = layer.masked(&cast.masks[random.below(2)]);
    }
    if random.below(4) == 0 {
        layer.additive = Some(&cast.references[random.below(3)]);
    }
    layer
}

#[test]
fn evaluating_is_sampling_and_blending_to_the_bit_on_every_backend() {
    for (seed, joints) in [1, 7, 8, 20, 67].into_iter().enumerate() {
        let mut random = Random::new(seed as u64 + 1);
        let cast = cast(&mut random, joints);
        let rig = &cast.rig;
        let mut scratch = EvaluateScratch::new(rig, 12);
        for round in 0..80 {
            let count = [0, 1, 1, 2, 3, 12][round % 6];
            let layers: Vec<_> = (0..count).map(|_| layer(&mut random, &cast)).collect();
            let base = &cast.references[random.below(3)];
            let groups = [usize::MAX, usize::MAX, rig.groups() / 2][random.below(3)];
            let scaled = random.below(2) == 0;
            let before = random.pose(rig, scaled);
            let mut expected = before.clone();
            by_hand(rig, base, &layers, groups, &mut expected);
            for backend in Backend::ALL.into_iter().filter(|b| b.is_available()) {
                let mut output = before.clone();
                let scratch = &mut scratch;
                EvaluateJob { rig, base, layers: &layers, groups, scratch, output: &mut output }
                    .run_on(backend)
                    .unwrap();
                assert!(all_bits(&output) == all_bits(&expected), "{joints} joints, {layers:?}, {backend}");
            }
        }
    }
}

#[test]
fn one_layer_of_full_weight_is_its_sample() {
    let mut random = Random::new(3);
    let cast = cast(&mut random, 30);
    let rig = &cast.rig;
    let (mut found, mut expected) = (LocalPose::rest(rig), LocalPose::rest(rig));
    let mut scratch = EvaluateScratch::new(rig, 1);
    for clip in &cast.clips {
        SampleJob::new(rig, clip, 0.21, &mut expected).run().unwrap();
        let layers = [ClipLayer::new(clip, 0.9, 0.0), ClipLayer::new(clip, 0.21, 1.0)];
        let base = &cast.references[2];
        let (scratch, output) = (&mut scratch, &mut found);
        EvaluateJob { rig, base, layers: &layers, groups: usize::MAX, scratch, output }.run().unwrap();
        assert_eq!(found, expected);
    }
}

#[test]
fn as_many_layers_as_the_scratch_holds() {
    let mut random = Random::new(4);
    let cast = cast(&mut random, 20);
    let (rig, base) = (&cast.rig, &cast.references[0]);
    let mut scratch = EvaluateScratch::new(rig, usize::MAX);
    assert_eq!(scratch.max_layers(), MAX_CLIP_LAYERS);
    let mut layers = vec![ClipLayer::new(&cast.clips[0], 0.1, 0.0); 10];
    layers.extend((0..MAX_CLIP_LAYERS).map(|i| ClipLayer::new(&cast.clips[i % 4], i as f32 * 0.01, 0.02)));
    let (mut found, mut expected) = (LocalPose::rest(rig), LocalPose::rest(rig));
    by_hand(rig, base, &layers, usize::MAX, &mut expected);
    let mut run = |layers: &[ClipLayer<'_>], output: &mut LocalPose| {
        EvaluateJob { rig, base, layers, groups: usize::MAX, scratch: &mut scratch, output }.run()
    };
    run(&layers, &mut found).unwrap();
    assert_eq!(all_bits(&found), all_bits(&expected));
    layers.push(layers[20]);
    let error = run(&layers, &mut found).unwrap_err();
    assert_eq!(error, EvaluateError::Layers { found: MAX_CLIP_LAYERS + 1, expected: MAX_CLIP_LAYERS });
    assert_eq!(all_bits(&found), all_bits(&expected));
}

#[test]
fn what_does_not_fit_is_named_and_nothing_is_written() {
    let mut random = Random::new(5);
    let (here, other) = (cast(&mut random, 20), cast(&mut random, 19));
    let rig = &here.rig;
    let fine = ClipLayer::new(&here.clips[0], 0.1, 0.5);
    let size = |part| EvaluateError::Size { part, found: 19, expected: 20 };
    let bad_layers = [
        (ClipLayer { clip: &other.clips[0], ..fine }, size(EvaluatePart::Clip(1))),
        (ClipLayer { weight: 0.0, clip: &other.clips[0], ..fine }, size(EvaluatePart::Clip(1))),
        (fine.masked(&other.masks[0]), size(EvaluatePart::Mask(1))),
        (ClipLayer { additive: Some(&other.references[0]), ..fine }, size(EvaluatePart::Reference(1))),
        (ClipLayer { weight: -0.5, ..fine }, EvaluateError::Weight { layer: 1, weight: -0.5 }),
        (
            ClipLayer { weight: f32::INFINITY, ..fine },
            EvaluateError::Weight { layer: 1, weight: f32::INFINITY },
        ),
        (fine, EvaluateError::Layers { found: 2, expected: 1 }),
    ];
    let before = random.pose(rig, true);
    let mut output = before.clone();
    let (mut one, mut two) = (EvaluateScratch::new(rig, 1), EvaluateScratch::new(rig, 2));
    let mut crowd = CrowdScratch::new(rig, 2);
    let (mut small, base) = (CrowdScratch::new(rig, 1), &here.references[0]);
    let rows_before = vec![AffineRows { rows: [[7.0; 4]; 3] }; 60];
    let mut rows = rows_before.clone();
    for (bad, expected) in bad_layers {
        let layers = [fine, bad];
        let full = matches!(expected, EvaluateError::Layers { .. });
        let scratch = if full { &mut one } else { &mut two };
        let groups = usize::MAX;
        let error = EvaluateJob { rig, base, layers: &layers, groups, scratch, output: &mut output }.run();
        assert_eq!(error, Err(expected));
        // As the second of three characters.
        let layers =
            [ClipLayer { weight: 0.0, ..fine }, fine, fine, bad, fine, ClipLayer { weight: 0.0, ..fine }];
        let scratch = if full { &mut small } else { &mut crowd };
        let (layers, output) = (&layers[..], &mut rows[..]);
        let mut job = CrowdJob { rig, base, layers, per_character: 2, groups, scratch, output };
        let error = CrowdError::Character { character: 1, error: expected };
        assert_eq!(job.run(), Err(error));
        assert!(error.to_string().starts_with("character 1: "), "{error}");
    }
    let error = EvaluateJob {
        rig,
        base: &other.references[0],
        layers: &[fine],
        groups: 9,
        scratch: &mut two,
        output: &mut output,
    };
    assert_eq!({ error }.run(), Err(size(EvaluatePart::Base)));
    let mut foreign = EvaluateScratch::new(&other.rig, 2);
    let error =
        EvaluateJob { rig, base, layers: &[fine], groups: 9, scratch: &mut foreign, output: &mut output }
            .run();
    assert_eq!(error, Err(size(EvaluatePart::Scratch)));
    let mut short = LocalPose::rest(&other.rig);
    let error =
        EvaluateJob { rig, base, layers: &[fine], groups: 9, scratch: &mut two, output: &mut short }.run();
    assert_eq!(error, Err(size(EvaluatePart::Output)));
    let mut refused = |layers: &[ClipLayer<'_>], per_character, matrices: usize| {
        let output = &mut rows[..matrices];
        CrowdJob { rig, base, layers, per_character, groups: 9, scratch: &mut crowd, output }
            .run()
            .unwrap_err()
    };
    let layers = [fine; 6];
    assert_eq!(refused(&layers, 4, 60), CrowdError::Layers { layers: 6, per_character: 4 });
    assert_eq!(refused(&layers, 0, 60), CrowdError::Layers { layers: 6, per_character: 0 });
    let wrong = CrowdError::Output { found: 59, characters: 3, joints: 20 };
    assert_eq!(refused(&layers, 2, 59), wrong);
    assert_eq!(wrong.to_string(), "the output has 59 matrices, 3 characters of 20 joints have 60");
    assert_eq!(all_bits(&output), all_bits(&before));
    assert_eq!(row_bits(&rows), row_bits(&rows_before));
}

const PER_CHARACTER: usize = 3;

/// The layers of a crowd, and what its characters give one by one.
fn crowd<'a>(
    random: &mut Random,
    cast: &'a Cast,
    characters: usize,
    groups: usize,
) -> (Vec<ClipLayer<'a>>, Vec<AffineRows>) {
    let (rig, base) = (&cast.rig, &cast.references[0]);
    let layers: Vec<_> = (0..characters * PER_CHARACTER).map(|_| layer(random, cast)).collect();
    let mut rows = Vec::new();
    for layers in layers.chunks(PER_CHARACTER) {
        let (mut pose, mut model) = (LocalPose::rest(rig), ModelPose::rest(rig));
        model.rows_mut().fill(AffineRows::IDENTITY);
        let mut scratch = EvaluateScratch::new(rig, PER_CHARACTER);
        let (scratch, output) = (&mut scratch, &mut pose);
        EvaluateJob { rig, base, layers, groups, scratch, output }.run_on(Backend::Scalar).unwrap();
        ModelJob { rig, pose: &pose, groups, output: &mut model }.run_on(Backend::Scalar).unwrap();
        assert_eq!(model_bits(&model).len(), 12 * rig.len());
        rows.extend_from_slice(model.rows());
    }
    (layers, rows)
}

#[test]
fn a_crowd_is_its_characters_one_by_one_to_the_bit_on_every_backend() {
    for (seed, (joints, characters)) in [(1, 2), (20, 0), (20, 1), (20, 6), (67, 9)].into_iter().enumerate() {
        let mut random = Random::new(seed as u64 + 20);
        let cast = cast(&mut random, joints);
        let (rig, base) = (&cast.rig, &cast.references[0]);
        let mut scratch = CrowdScratch::new(rig, PER_CHARACTER);
        for groups in [usize::MAX, rig.groups() / 2] {
            let (layers, expected) = crowd(&mut random, &cast, characters, groups);
            for backend in Backend::ALL.into_iter().filter(|b| b.is_available()) {
                let mut output = vec![AffineRows::IDENTITY; characters * joints];
                CrowdJob {
                    rig,
                    base,
                    layers: &layers,
                    per_character: PER_CHARACTER,
                    groups,
                    scratch: &mut scratch,
                    output: &mut output,
                }
                .run_on(backend)
                .unwrap();
                assert_eq!(
                    row_bits(&output),
                    row_bits(&expected),
                    "{characters} of {joints} joints, {backend}"
                );
            }
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn a_crowd_gives_the_same_bits_on_any_number_of_threads() {
    let mut random = Random::new(31);
    let cast = cast(&mut random, 33);
    let (rig, base) = (&cast.rig, &cast.references[0]);
    let characters = 101;
    let (layers, expected) = crowd(&mut random, &cast, characters, usize::MAX);
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for tasks in [1, threads, 2 * threads] {
            let mut scratch = CrowdScratch::with_tasks(rig, PER_CHARACTER, tasks);
            assert_eq!(scratch.tasks(), tasks);
            let mut output = vec![AffineRows::IDENTITY; expected.len()];
            let mut job = CrowdJob {
                rig,
                base,
                layers: &layers,
                per_character: PER_CHARACTER,
                groups: usize::MAX,
                scratch: &mut scratch,
                output: &mut output,
            };
            pool.install(|| job.run_parallel()).unwrap();
            assert!(row_bits(&output) == row_bits(&expected), "{threads} threads, {tasks} tasks");
        }
    }
}

/// Same joints, same parents: only where a joint rests differs. What is stripped from a clip as resting would play as
/// something else.
#[test]
fn a_clip_of_a_rig_with_another_rest_pose_is_refused_by_name() {
    let mut random = Random::new(0x1a70);
    let (skeleton, rig) = random.rig(9);
    let clip = clips(&mut random, &skeleton, &rig).remove(0);
    let moved = |by: f64| {
        let joints = skeleton.iter().map(|(id, joint)| {
            let mut joint = joint.clone();
            joint.rest.translation.x += if id.index() == 4 { by } else { 0.0 };
            joint
        });
        Rig::new(&sinew::Skeleton::numbered(joints.collect(), vec![]).unwrap()).unwrap()
    };
    let (same, other) = (moved(0.0), moved(0.25));
    assert_eq!((same.layout(), same.len()), (rig.layout(), other.len()));
    assert_ne!(other.layout(), rig.layout());
    let mut pose = LocalPose::rest(&same);
    SampleJob::new(&same, &clip, 0.3, &mut pose).run().unwrap();
    let mut pose = LocalPose::rest(&other);
    let before = pose.clone();
    let (found, expected) = (clip.layout(), other.layout());
    let refused = SampleJob::new(&other, &clip, 0.3, &mut pose).run();
    assert_eq!(refused, Err(sinew::SampleError::Layout { found, expected }));
    let layers = [ClipLayer::new(&clip, 0.3, 1.0)];
    let (base, mut scratch) = (LocalPose::rest(&other), EvaluateScratch::new(&other, 1));
    let (rig, groups) = (&other, usize::MAX);
    let mut job =
        EvaluateJob { rig, base: &base, layers: &layers, groups, scratch: &mut scratch, output: &mut pose };
    assert_eq!(job.run(), Err(EvaluateError::Layout { layer: 0, found, expected }));
    assert_eq!(pose, before);
}
