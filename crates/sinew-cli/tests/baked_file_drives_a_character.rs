//! Promise: a file that `sinew bake distance` wrote is all that a character needs to be driven by distance: it moves to
//! the bit as with clips baked in memory, from the GLB and from the `.sinew` file made of it.

#[path = "../../sinew/tests/locomotion_biped/mod.rs"]
mod locomotion_biped;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use glam::DVec2;
use locomotion_biped::{cycle, legs, mover, pivot, skeleton, start, stop};
use sinew::{
    Clip, ClipBuilder, DistanceBakeJob, DistanceBakeSettings, DistanceKind, FlatGround, LocalPose,
    LocomotionClips, LocomotionController, LocomotionJob, LocomotionSet, LocomotionSettings, MotionClip,
    RawClip, Rig, Skeleton, Slot,
};
use sinew_asset::{
    ClipForm, Document, ReadOptions, WriteOptions, load, read_runtime, write_glb, write_runtime,
};

const KINDS: [DistanceKind; 4] =
    [DistanceKind::Start, DistanceKind::Loop, DistanceKind::Stop, DistanceKind::Pivot];
const FRAMES: usize = 160;

/// The character with a start, a loop, a stop and a turn, in a file.
fn unbaked(folder: &Path) -> PathBuf {
    let mut clips = vec![start(), cycle(), stop(false), pivot(false)];
    for (source, clip) in clips.iter_mut().enumerate() {
        clip.source = source as u32;
    }
    let document = Document { skeleton: skeleton(), clips, ..Document::default() };
    let path = folder.join("in.glb");
    std::fs::write(&path, write_glb(&document, &WriteOptions::default()).unwrap()).unwrap();
    path
}

/// The same file with every clip baked by the command.
fn baked(folder: &Path, input: &Path) -> PathBuf {
    let mut from = input.to_owned();
    for clip in 0..4 {
        let to = folder.join(format!("{clip}.glb"));
        let out = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(["bake", "distance", "--rate", "60", "--clip", &clip.to_string()])
            .args([&from, &to])
            .output()
            .unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        from = to;
    }
    from
}

fn built(skeleton: &Skeleton, rig: &Rig, raw: &RawClip) -> Clip {
    ClipBuilder::new(skeleton, rig).bound(1e-4).build(raw).unwrap().0
}

/// Places of all joints over a start, a run, a turn and a stop, `[frame][slot]`.
fn play(rig: &Rig, clips: [MotionClip; 4]) -> Vec<Vec<(glam::Vec3, glam::Quat)>> {
    for (clip, kind) in clips.iter().zip(KINDS) {
        assert_eq!(clip.curve().kind(), kind);
    }
    let [start, cycle, stop, pivot] = clips;
    let clips =
        LocomotionClips { starts: vec![start], cycle, stops: vec![stop], pivots: vec![pivot], idle: None };
    let set = LocomotionSet::new(rig, legs(rig), clips, LocomotionSettings::for_size(1.5)).unwrap();
    let (mut state, mut pose) = (LocomotionController::new(rig, &set), LocalPose::rest(rig));
    (0..FRAMES)
        .map(|frame| {
            let input = match frame {
                0..60 => DVec2::new(0.2, 0.9),
                60..120 => DVec2::new(-0.2, -0.9),
                _ => DVec2::ZERO,
            };
            LocomotionJob {
                rig,
                set: &set,
                mover: &mover(),
                ground: &FlatGround::default(),
                input,
                facing: None,
                dt: 1.0 / 60.0,
                state: &mut state,
                pose: &mut pose,
            }
            .run()
            .unwrap();
            let place = |slot: usize| {
                let t = pose.get(Slot(slot as u16));
                (t.translation, t.rotation)
            };
            (0..rig.len()).map(place).collect()
        })
        .collect()
}

#[test]
fn a_baked_file_drives_a_character_to_the_bit_as_clips_baked_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let input = unbaked(folder.path());
    let plain = load(&input, &ReadOptions::default()).unwrap().document;
    let rig = Rig::new(&plain.skeleton).unwrap();
    let settings = DistanceBakeSettings { rate: 60.0, ..Default::default() };
    let fresh = [0, 1, 2, 3].map(|clip| {
        let (skeleton, clip) = (&plain.skeleton, &plain.clips[clip]);
        let bake = DistanceBakeJob { skeleton, clip, settings: &settings }.run().unwrap();
        MotionClip::new(built(skeleton, &rig, clip), &bake, 0).unwrap()
    });
    let expected = play(&rig, fresh);
    assert!((1..FRAMES).filter(|frame| expected[*frame] != expected[frame - 1]).count() > 100, "it moves");

    // From here on nothing but the file is known.
    let file = load(baked(folder.path(), &input), &ReadOptions::default()).unwrap().document;
    let rig = Rig::new(&file.skeleton).unwrap();
    let clips: Vec<Clip> = file.clips.iter().map(|raw| built(&file.skeleton, &rig, raw)).collect();
    let stored = |clips: &[Clip], skeleton: &Skeleton| {
        [0, 1, 2, 3].map(|clip| MotionClip::from_clip(clips[clip].clone(), skeleton, 0).unwrap())
    };
    assert_eq!(play(&rig, stored(&clips, &file.skeleton)), expected);

    for form in [ClipForm::Stored, ClipForm::Resident] {
        let bytes: Arc<[u8]> = write_runtime(&file.skeleton, &clips, form).unwrap().into();
        let read = read_runtime(&bytes).unwrap();
        assert_eq!(play(&read.rig, stored(&read.clips, &read.skeleton)), expected, "{form:?}");
    }
}
