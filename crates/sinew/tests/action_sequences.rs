//! Promise: tracks are bound by name and never by position, joints without a track or with half of one have a
//! stated value, and joints outside the subtree keep every bit.

mod action_rig;

use std::sync::Arc;

use action_rig::{at, skeleton};
use glam::{DQuat, DVec3};
use sinew::action::{
    AdditiveBase, BindError, BindRequest, Binding, Fallback, HeadSubtree, HierarchyError, JointWrite,
    NameMap, PartSource, Policy, SequenceError, SequenceJob, TrackMode, Unbound,
};
use sinew::{
    Channel, ChannelTarget, DTransform, Interpolation, Joint, JointId, RawClip, RawPose, Skeleton, Track,
};

const SUPPORT: Policy = Policy { absent: Fallback::Support, partial: Fallback::Support };
const REST: Policy = Policy { absent: Fallback::Rest, partial: Fallback::Rest };
const HEAD: usize = 1;
const CORE: usize = 3;
const LENS: usize = 5;

/// The source names the same bones in another order: positions are of no use.
fn source() -> Skeleton {
    let joint = |name: &str, parent: Option<u32>, rest| Joint::new(name, parent.map(JointId), rest);
    let joints = vec![
        joint("Body_01", None, DTransform::IDENTITY),
        joint("Head_01", Some(0), at(0.0, 1.5, 0.5)),
        joint("Core_01", Some(1), at(0.0, 1.0, 0.25)),
        joint("Lens_01", Some(2), at(0.0, 0.0, 0.5)),
    ];
    Skeleton::numbered(joints, Vec::new()).unwrap()
}

fn channel(joint: u32, target: ChannelTarget, times: &[f64], values: &[f32]) -> Channel {
    let (times, values): (Arc<[f64]>, Arc<[f32]>) = (times.into(), values.into());
    let track = match target {
        ChannelTarget::Rotation => Track::rotation(times, values, Interpolation::Linear),
        _ => Track::new(times, values, 3, Interpolation::Linear),
    };
    Channel { joint: JointId(joint), target, track: track.unwrap(), source: 0 }
}

/// The core has a whole track, the lens only turns, the head has none.
fn clip() -> RawClip {
    let channels = vec![
        channel(3, ChannelTarget::Rotation, &[0.0, 2.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]),
        channel(2, ChannelTarget::Translation, &[0.0, 2.0], &[0.0, 1.0, 0.25, 0.0, 2.5, 0.25]),
        channel(2, ChannelTarget::Rotation, &[0.0], &[0.0, 0.0, 0.0, 1.0]),
        channel(2, ChannelTarget::Scale, &[0.0], &[1.0, 1.0, 2.0]),
    ];
    RawClip { channels, ..RawClip::default() }
}

/// A support pose that is the rest pose nowhere.
fn support(skeleton: &Skeleton) -> RawPose {
    let mut pose = RawPose::rest(skeleton);
    for (i, local) in pose.local.iter_mut().enumerate() {
        local.translation += DVec3::new(0.25, 0.5, -0.75) * (i + 1) as f64;
        local.rotation = DQuat::from_rotation_z(0.1 * (i + 1) as f64);
        local.scale = DVec3::splat(1.0 + 0.125 * (i + 1) as f64);
    }
    pose
}

fn bind(map: &NameMap, subtree: Option<&HeadSubtree>) -> Result<Binding, BindError> {
    let (source, target, clip) = (source(), skeleton(), clip());
    let (mesh, skeleton) = ("robot mesh", "robot");
    Binding::new(&BindRequest { source: &source, clip: &clip, target: &target, map, mesh, skeleton, subtree })
}

fn head() -> HeadSubtree {
    HeadSubtree::new(&skeleton(), "Head_01", &[JointId(4), JointId(6)]).unwrap()
}

struct Case<'a> {
    seconds: f64,
    mode: TrackMode<'a>,
    policy: Policy,
    policies: &'a [(JointId, Policy)],
}

const START: Case<'_> = Case { seconds: 0.0, mode: TrackMode::Absolute, policy: SUPPORT, policies: &[] };

fn run(case: &Case<'_>) -> Result<(RawPose, Vec<JointWrite>), SequenceError> {
    let (source, target, clip) = (source(), skeleton(), clip());
    let binding = bind(&NameMap::same_names(), Some(&head())).unwrap();
    let (mut output, mut written) = (RawPose::default(), Vec::new());
    let Case { seconds, mode, policy, policies } = *case;
    SequenceJob {
        binding: &binding,
        source: &source,
        clip: &clip,
        target: &target,
        seconds,
        mode,
        policy,
        policies,
        support: &support(&target),
        output: &mut output,
        written: &mut written,
    }
    .run()?;
    Ok((output, written))
}

#[test]
fn a_binding_records_names_parents_mesh_and_skeleton_and_not_positions() {
    let binding = bind(&NameMap::same_names(), Some(&head())).unwrap();
    let seen: Vec<_> = binding
        .tracks()
        .iter()
        .map(|t| {
            (t.track, &*t.source_bone, &*t.target_bone, t.target_parent.as_deref(), t.source.0, t.target.0)
        })
        .collect();
    assert_eq!(
        seen,
        [(0, "Lens_01", "Lens_01", Some("Core_01"), 3, 5), (1, "Core_01", "Core_01", Some("Head_01"), 2, 3)]
    );
    assert!(binding.tracks().iter().all(|t| t.mesh == "robot mesh" && t.skeleton == "robot"));
    assert!(!binding.tracks()[0].parts.is_complete() && binding.tracks()[1].parts.is_complete());
    let report = binding.report();
    assert_eq!((&*report.absent, &*report.partial), (&[JointId(1)][..], &[JointId(5)][..]));
    assert!(report.unbound.is_empty() && report.other_parent.is_empty() && !report.is_clean());
}

#[test]
fn what_does_not_map_is_reported_with_the_reason() {
    let map = NameMap::explicit([("Core_01", "Core_02"), ("Hatch_01", "Head_01")]);
    let binding = bind(&map, Some(&head())).unwrap();
    let why: Vec<_> =
        binding.report().unbound.iter().map(|u| (u.track, &*u.source_bone, u.why.clone())).collect();
    let target_bone = "Core_02".to_owned();
    assert_eq!(why, [(0, "Lens_01", Unbound::NotMapped), (1, "Core_01", Unbound::NoTarget { target_bone })]);
    assert_eq!(binding.report().unused_names, ["Hatch_01"]);
    // The map wins over the bone's own name, and a track outside the subtree is not written.
    let map = NameMap::explicit([("Core_01", "Leg_01")]).or_same_names();
    let binding = bind(&map, Some(&head())).unwrap();
    let target_bone = "Leg_01".to_owned();
    assert_eq!(binding.report().unbound[0].why, Unbound::OutsideSubtree { target_bone });
    assert_eq!(binding.tracks().len(), 1);
}

#[test]
fn a_track_written_below_another_parent_than_its_own_is_pointed_out() {
    let map =
        NameMap::explicit([("Core_01", "Accessory_01"), ("Body_01", "Body_01"), ("Head_01", "Head_01")]);
    let binding = bind(&map, None).unwrap();
    assert_eq!(binding.report().other_parent, [0]);
    assert_eq!(binding.tracks()[0].source_parent.as_deref(), Some("Head_01"));
    assert_eq!(binding.tracks()[0].target_parent.as_deref(), Some("Body_01"));
}

#[test]
fn two_tracks_for_one_joint_are_refused() {
    let map = NameMap::explicit([("Core_01", "Core_01"), ("Lens_01", "Core_01")]);
    let (first, second) = ("Lens_01".to_owned(), "Core_01".to_owned());
    let error = BindError::TwoTracks { first, second, target_bone: "Core_01".into() };
    assert_eq!(bind(&map, None), Err(error));
    let map = NameMap::explicit([("Core_01", "Core_01"), ("Core_01", "Lens_01")]);
    assert_eq!(bind(&map, None), Err(BindError::RepeatedEntry { source_bone: "Core_01".into() }));
}

#[test]
fn whole_half_and_absent_tracks_with_both_fallbacks_at_one_moment() {
    let (target, support) = (skeleton(), support(&skeleton()));
    let rest = RawPose::rest(&target);
    let half_turn = DQuat::from_rotation_y(core::f64::consts::FRAC_PI_2);
    for (policy, fallback, source) in
        [(SUPPORT, &support, PartSource::Support), (REST, &rest, PartSource::Rest)]
    {
        let (pose, written) = run(&Case { seconds: 1.0, policy, ..START }).unwrap();
        // Absent: the fallback, to the bit.
        assert_eq!(pose.local[HEAD], fallback.local[HEAD]);
        // Whole: nothing of a fallback.
        let core = DTransform { scale: DVec3::new(1.0, 1.0, 2.0), ..at(0.0, 1.75, 0.25) };
        assert_eq!(pose.local[CORE], core);
        // Half: turned by the track, the rest from the fallback.
        assert_eq!(pose.local[LENS].translation, fallback.local[LENS].translation);
        assert_eq!(pose.local[LENS].scale, fallback.local[LENS].scale);
        assert!(DTransform::angle_between(pose.local[LENS].rotation, half_turn) < 1e-12);
        let parts: Vec<_> = written.iter().map(|w| (w.joint.index(), w.track, w.parts)).collect();
        let track = PartSource::Track;
        assert_eq!(
            parts,
            [
                (HEAD, None, [source; 3]),
                (CORE, Some(1), [track; 3]),
                (LENS, Some(0), [source, track, source])
            ]
        );
        for outside in [0, 2, 4, 6] {
            assert_eq!(pose.local[outside], support.local[outside], "joint {outside}");
        }
    }
    // The support pose and the rest pose can be told apart: the test would be of no use otherwise.
    assert!(support.local.iter().zip(&rest.local).all(|(a, b)| a != b));
}

#[test]
fn a_single_joint_may_have_its_own_fallback() {
    let policies = [(JointId(HEAD as u32), REST)];
    let (pose, _) = run(&Case { policies: &policies, ..START }).unwrap();
    assert_eq!(pose.local[HEAD], skeleton().joint(JointId(HEAD as u32)).rest);
    assert_eq!(pose.local[LENS].translation, support(&skeleton()).local[LENS].translation);
}

#[test]
fn fallbacks_that_no_joint_would_take_are_refused_by_name() {
    let refused = |policies: &[(JointId, Policy)]| run(&Case { policies, ..START }).unwrap_err();
    let (head, leg) = (JointId(HEAD as u32), JointId(4));
    let not_written = SequenceError::Policy { policy: 1, joint: leg, why: "is not written" };
    assert_eq!(refused(&[(head, REST), (leg, REST)]), not_written);
    let nowhere = JointId(99);
    let error = SequenceError::Policy { policy: 0, joint: nowhere, why: "is not written" };
    assert_eq!(refused(&[(nowhere, REST)]), error);
    let twice = SequenceError::Policy { policy: 1, joint: head, why: "has one already" };
    assert_eq!(refused(&[(head, REST), (head, SUPPORT)]), twice);
}

#[test]
fn many_bones_are_bound_in_a_time_that_grows_with_their_number() {
    // Each track against each bone: thousands of millions of comparisons, minutes of them.
    let many = 60_000;
    let joints = (0..many).map(|i| Joint::new(format!("bone {i}"), None, DTransform::IDENTITY));
    let skeleton = Skeleton::numbered(joints.collect(), Vec::new()).unwrap();
    let unit = [0.0, 0.0, 0.0, 1.0];
    let channels = (0..many as u32).map(|i| channel(i, ChannelTarget::Rotation, &[0.0], &unit));
    let clip = RawClip { channels: channels.collect(), ..RawClip::default() };
    let pairs = (0..many).map(|i| (format!("bone {i}"), format!("bone {}", many - 1 - i)));
    let map = NameMap::explicit(pairs);
    let (source, target) = (&skeleton, &skeleton);
    let request =
        BindRequest { source, clip: &clip, target, map: &map, mesh: "", skeleton: "", subtree: None };
    let start = std::time::Instant::now();
    let binding = Binding::new(&request).unwrap();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert_eq!(binding.tracks()[7].target, JointId(many as u32 - 8));
    assert_eq!(binding.writes().len(), many);
}

#[test]
fn the_ends_of_a_sequence_hold_and_its_middle_is_between_them() {
    for (seconds, height) in [(-1.0, 1.0), (0.0, 1.0), (0.5, 1.375), (1.0, 1.75), (2.0, 2.5), (9.0, 2.5)] {
        let (pose, _) = run(&Case { seconds, ..START }).unwrap();
        assert_eq!(pose.local[CORE].translation, DVec3::new(0.0, height, 0.25), "at {seconds} s");
    }
}

#[test]
fn a_sequence_is_sampled_as_its_clip_is_the_last_of_two_channels_included() {
    let (source, target) = (source(), skeleton());
    let mut clip = clip();
    clip.channels.push(channel(2, ChannelTarget::Translation, &[0.5, 1.5], &[1.0, 2.0, 3.0, -1.0, 0.5, 4.0]));
    let map = NameMap::same_names();
    let (mesh, name, head) = ("", "", head());
    let request = BindRequest {
        source: &source,
        clip: &clip,
        target: &target,
        map: &map,
        mesh,
        skeleton: name,
        subtree: Some(&head),
    };
    let binding = Binding::new(&request).unwrap();
    let (support, mut expected) = (support(&target), RawPose::default());
    let (mut output, mut written) = (RawPose::default(), Vec::new());
    for k in 0..=20 {
        let seconds = f64::from(k) * 0.1;
        SequenceJob {
            binding: &binding,
            source: &source,
            clip: &clip,
            target: &target,
            seconds,
            mode: TrackMode::Absolute,
            policy: SUPPORT,
            policies: &[],
            support: &support,
            output: &mut output,
            written: &mut written,
        }
        .run()
        .unwrap();
        clip.sample(&source, seconds, &mut expected);
        assert_eq!(output.local[CORE], expected.local[2], "at {seconds} s");
        assert_eq!(output.local[LENS].rotation, expected.local[3].rotation, "at {seconds} s");
    }
}

#[test]
fn additive_tracks_are_differences_from_their_declared_base_on_top_of_the_support_pose() {
    let support = support(&skeleton());
    let height = |base| {
        let (pose, _) = run(&Case { seconds: 1.0, mode: TrackMode::Additive(base), ..START }).unwrap();
        (pose.local[CORE].translation - support.local[CORE].translation, pose.local[CORE])
    };
    // 1.75 m now; 1 m at rest, 2.5 m at 2 s, 0 m in a base of zeros.
    let (lift, core) = height(AdditiveBase::SourceRest);
    assert!((lift - DVec3::Y * 0.75).length() < 1e-12);
    assert!((core.scale - support.local[CORE].scale * DVec3::new(1.0, 1.0, 2.0)).length() < 1e-12);
    assert!((height(AdditiveBase::ClipAt(2.0)).0 + DVec3::Y * 0.75).length() < 1e-12);
    let zeros = RawPose { local: vec![DTransform::IDENTITY; 4], weights: Vec::new() };
    assert!((height(AdditiveBase::Pose(&zeros)).0 - DVec3::new(0.0, 1.75, 0.25)).length() < 1e-12);
    // Rotation: the track's turn since its base, in the parent's axes.
    let (pose, _) =
        run(&Case { seconds: 1.0, mode: TrackMode::Additive(AdditiveBase::ClipAt(0.0)), ..START }).unwrap();
    let turn = DQuat::from_rotation_y(core::f64::consts::FRAC_PI_2) * support.local[LENS].rotation;
    assert!(DTransform::angle_between(pose.local[LENS].rotation, turn) < 1e-12);
    assert_eq!(pose.local[LENS].translation, support.local[LENS].translation);
}

#[test]
fn bad_inputs_are_named_and_leave_both_outputs_alone() {
    let (source, target, clip) = (source(), skeleton(), clip());
    let binding = bind(&NameMap::same_names(), Some(&head())).unwrap();
    let good = support(&target);
    let before = RawPose { local: vec![at(9.0, 9.0, 9.0)], weights: vec![0.5] };
    let attempt = |support: &RawPose, clip: &RawClip, target: &Skeleton, seconds: f64| {
        let (mut output, mut written) = (before.clone(), vec![]);
        let (mode, policy, policies) = (TrackMode::Absolute, SUPPORT, &[][..]);
        let error = SequenceJob {
            binding: &binding,
            source: &source,
            clip,
            target,
            seconds,
            mode,
            policy,
            policies,
            support,
            output: &mut output,
            written: &mut written,
        }
        .run()
        .unwrap_err();
        assert_eq!((output, written), (before.clone(), vec![]), "{error}");
        error
    };
    assert!(matches!(attempt(&good, &clip, &target, f64::NAN), SequenceError::Time { .. }));
    let error = attempt(&before, &clip, &target, 0.0);
    assert_eq!(error, SequenceError::Size { what: "the support pose", found: 1, expected: 7 });
    let error = attempt(&good, &clip, &source, 0.0);
    assert_eq!(error, SequenceError::Size { what: "the target", found: 4, expected: 7 });
    let error = attempt(&good, &RawClip::default(), &target, 0.0);
    assert_eq!(error, SequenceError::Clip { track: 0, channel: 0 });
    let mut flat = good.clone();
    flat.local[HEAD].scale.z = 0.0;
    let zero = |bone, axis| HierarchyError::ZeroScale { bone, axis, scale: 0.0 };
    let error = attempt(&flat, &clip, &target, 0.0);
    assert_eq!(error, SequenceError::Transform { what: "the support pose", source: zero(HEAD, 2) });
    let mut squashed = clip.clone();
    squashed.channels[3] = channel(2, ChannelTarget::Scale, &[0.0], &[1.0, 0.0, 1.0]);
    let error = attempt(&good, &squashed, &target, 0.0);
    assert_eq!(error, SequenceError::Transform { what: "the sampled pose", source: zero(CORE, 1) });
}

#[test]
fn a_subtree_of_another_skeleton_and_a_clip_of_another_source_are_refused() {
    let other = HeadSubtree::new(&source(), "Head_01", &[]).unwrap();
    let error = bind(&NameMap::same_names(), Some(&other)).unwrap_err();
    assert_eq!(error, BindError::Subtree { found: 4, expected: 7 });
    let (short, target, clip) = (Skeleton::default(), skeleton(), clip());
    let map = NameMap::same_names();
    let (mesh, skeleton) = ("", "");
    let request = BindRequest {
        source: &short,
        clip: &clip,
        target: &target,
        map: &map,
        mesh,
        skeleton,
        subtree: None,
    };
    assert!(matches!(Binding::new(&request), Err(BindError::Clip(_))));
}
