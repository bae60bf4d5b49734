//! Promise: one joint sampled by itself has the bits it has in the whole pose; the root motion of a clip is that of
//! its source within the bound it was built to, loop after loop, and adds up for any split; an event at the very
//! end of a clip is played.

mod rig;
mod runtime_clips;
mod runtime_poses;

use glam::DVec3;
use proptest::prelude::*;
use rig::{apart, chain, channel, clip, f32s, linear, turn_y};
use runtime_poses::{Random, bits, slots};
use sinew::{
    Backend, ChannelTarget, Clip, ClipBuilder, DTransform, Event, JointId, LocalPose, Playback, RawClip, Rig,
    RootMotion, RootMotionError, SHELL, SampleJob, Skeleton, Slot,
};

/// Metres; what the builder keeps to where nothing else is said.
const BOUND: f64 = 1e-4;

#[test]
fn a_joint_by_itself_has_the_bits_of_the_whole_pose() {
    for (seed, joints) in [1, 5, 8, 30, 67].into_iter().enumerate() {
        let mut random = Random::new(seed as u64 + 70);
        let (skeleton, rig) = random.rig(joints);
        let mut pose = LocalPose::rest(&rig);
        for clip in runtime_clips::clips(&mut random, &skeleton, &rig) {
            let end = clip.duration();
            let inside = (0..20).map(|_| random.unit() * end).collect::<Vec<_>>();
            for time in inside.into_iter().chain([0.0, end, -1.0, 99.0, f32::NAN, f32::INFINITY]) {
                SampleJob::new(&rig, &clip, time, &mut pose).run_on(Backend::Scalar).unwrap();
                for slot in slots(&rig) {
                    let found = clip.sample_joint(&rig, slot, time);
                    assert_eq!(bits(&found), bits(&pose.get(slot)), "{slot} of {joints} at {time}");
                }
            }
        }
    }
}

/// A second of walking round a circle of 1.5 m, 40 degrees a second, of a joint below an armature in centimetres.
fn walk() -> (Skeleton, RawClip) {
    let times: Vec<f64> = (0..=30).map(|i| f64::from(i) / 30.0).collect();
    let turns: Vec<_> = times.iter().map(|t| turn_y(40.0 * t)).collect();
    let centre = DVec3::X * 150.0;
    let places: Vec<[f32; 3]> =
        turns.iter().map(|turn| (centre - *turn * centre).as_vec3().to_array()).collect();
    let turns: Vec<[f32; 4]> = turns.iter().map(|turn| f32s(*turn)).collect();
    let armature = DTransform { scale: DVec3::splat(0.01), rotation: turn_y(30.0), ..DTransform::IDENTITY };
    let hand = DTransform { translation: DVec3::new(0.0, 40.0, 10.0), ..DTransform::IDENTITY };
    let raw = clip(vec![
        channel(1, ChannelTarget::Translation, linear(&times, &places)),
        channel(1, ChannelTarget::Rotation, linear(&times, &turns)),
    ]);
    (chain(&[armature, DTransform::IDENTITY, hand]), raw)
}

fn built((skeleton, raw): &(Skeleton, RawClip)) -> (Rig, Clip) {
    let rig = Rig::new(skeleton).unwrap();
    let (clip, report) = ClipBuilder::new(skeleton, &rig).build(raw).unwrap();
    assert!(report.error <= BOUND);
    (rig, clip)
}

#[test]
fn root_motion_is_that_of_the_source_within_the_bound_loop_after_loop() {
    let source = walk();
    let (rig, clip) = built(&source);
    let exact = RootMotion::new(&source.0, &source.1, JointId(1), Playback::Loop).unwrap();
    let root = RootMotion::of_clip(&rig, &clip, rig.slot(JointId(1)), Playback::Loop).unwrap();
    // A place is within the bound; a direction within what the bound is at the shell. A loop has two ends, and what
    // lies within three metres of it (the circle) swings by its direction.
    let turn = BOUND / f64::from(SHELL);
    let one = 2.0 * BOUND + 2.0 * turn * 3.0;
    for i in 0..600 {
        let time = f64::from(i) * 0.137;
        let (found, expected) = (root.at_ms(time), exact.at_ms(time));
        let loops = time.floor();
        assert!((found.translation - expected.translation).length() <= BOUND + loops * one, "{time}");
        let angle = DTransform::angle_between(found.rotation, expected.rotation);
        assert!(angle <= turn * (1.0 + 2.0 * loops), "{angle} at {time}");
        if loops == 0.0 {
            assert!((found.translation - expected.translation).length() <= BOUND, "{time}");
        }
        // A step of a frame, wherever it starts, also from one loop to the next.
        for step in [1.0 / 60.0, -0.1, 1.0] {
            let off = apart(&root.delta(time, time + step), &exact.delta(time, time + step));
            assert!(off <= one, "{off} from {time} by {step}");
        }
    }
}

#[test]
fn the_root_is_where_the_pose_has_it() {
    let source = walk();
    let (rig, clip) = built(&source);
    let slot = rig.slot(JointId(2));
    let root = RootMotion::of_clip(&rig, &clip, slot, Playback::Once).unwrap();
    let mut pose = LocalPose::rest(&rig);
    let mut model_ms = Vec::new();
    for time in [0.0, 0.3, 1.0, 7.0] {
        SampleJob::new(&rig, &clip, time, &mut pose).run().unwrap();
        sinew::model_matrices(&source.0, &pose.to_raw(&rig, &source.0), &mut model_ms);
        let off = apart(&root.at_ms(time.into()), &DTransform::rigid_part(&model_ms[2]));
        assert!(off < 1e-12, "{off} at {time}");
    }
}

proptest! {
    #[test]
    fn deltas_add_up_for_any_split(stops in prop::collection::vec(-30.0..30.0_f64, 2..12), looped: bool) {
        let (rig, clip) = built(&walk());
        let playback = if looped { Playback::Loop } else { Playback::Once };
        let root = RootMotion::of_clip(&rig, &clip, rig.slot(JointId(1)), playback).unwrap();
        let sum = stops.windows(2).fold(DTransform::IDENTITY, |sum, w| sum.mul_transform(&root.delta(w[0], w[1])));
        let whole = root.delta(stops[0], stops[stops.len() - 1]);
        prop_assert!(apart(&sum, &whole) < 1e-5, "{}", apart(&sum, &whole));
    }
}

#[test]
fn times_beyond_all_counting_stay_finite() {
    let (rig, clip) = built(&walk());
    let root = RootMotion::of_clip(&rig, &clip, Slot(1), Playback::Loop).unwrap();
    for time in [1e18, -1e300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        for found in [root.at_ms(time), root.delta(0.0, time), root.delta(time, 1.0)] {
            assert!(found.translation.is_finite() && found.rotation.is_finite(), "{time}: {found:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let (rig, clip) = built(&walk());
    let error = |rig: &Rig, slot| RootMotion::of_clip(rig, &clip, slot, Playback::Loop).unwrap_err();
    assert_eq!(error(&rig, Slot(3)), RootMotionError::NoSuchSlot { slot: Slot(3), joints: 3 });
    let other = Rig::new(&chain(&[DTransform::IDENTITY])).unwrap();
    assert_eq!(error(&other, Slot(0)), RootMotionError::Rig { found: 3, expected: 1 });
}

#[test]
#[should_panic(expected = "slot 3 of a rig of 3 joints")]
fn a_joint_that_is_not_there_panics() {
    let (rig, clip) = built(&walk());
    let _ = clip.sample_joint(&rig, Slot(3), 0.0);
}

#[test]
fn an_event_at_the_very_end_is_played() {
    // Lengths that single precision rounds down, up and not at all.
    for seconds in [0.1, 0.7, 1.0, 1.0 / 3.0, 2.3, 7.77, 100.1] {
        let key = |z| [0.0, 0.0, z];
        let mut raw = clip(vec![channel(
            0,
            ChannelTarget::Translation,
            linear(&[0.0, seconds], &[key(0.0), key(1.0)]),
        )]);
        raw.events = vec![Event { name: "end".into(), time: raw.duration() }];
        let skeleton = chain(&[DTransform::IDENTITY]);
        let rig = Rig::new(&skeleton).unwrap();
        let (clip, _) = ClipBuilder::new(&skeleton, &rig).build(&raw).unwrap();
        assert_eq!(clip.duration_f64(), raw.duration());
        let again = Clip::from_bytes(clip.bytes().into()).unwrap();
        assert_eq!(again.duration_f64(), raw.duration());
        let track = clip.event_track(Playback::Loop).unwrap();
        assert_eq!(track.count(0, 0.0, 10.0 * seconds), 10, "{seconds}");
    }
}
