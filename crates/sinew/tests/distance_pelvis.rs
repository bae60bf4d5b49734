//! Promise: what a root does besides going on can be given to the pelvis, in clips of any markers and along any way: the
//! body stays where it is in every frame, and the root goes on or stands.

mod locomotion_keys;
mod rig;

use glam::DVec3;
use locomotion_keys::{start_signed, stop_keys, times};
use rig::{channel, clip, linear};
use sinew::{
    ChannelTarget, DTransform, DistanceBake, DistanceBakeJob, DistanceBakeSettings, DistanceKind, Joint,
    JointId, LocomotionError, RawClip, Skeleton, remainder_to_pelvis,
};

const PELVIS: JointId = JointId(2);

/// node -> root -> pelvis -> two feet.
fn body() -> Skeleton {
    let at = |x: f64, y: f64| DTransform { translation: DVec3::new(x, y, 0.0), ..DTransform::IDENTITY };
    let joints = vec![
        Joint::new("armature", None, DTransform::IDENTITY),
        Joint::new("root", Some(JointId(0)), DTransform::IDENTITY),
        Joint::new("pelvis", Some(JointId(1)), at(0.0, 1.0)),
        Joint::new("foot l", Some(PELVIS), at(0.1, -0.95)),
        Joint::new("foot r", Some(PELVIS), at(-0.1, -0.95)),
    ];
    Skeleton::numbered(joints, Vec::new()).unwrap()
}

fn root_at(points: &[[f32; 3]]) -> RawClip {
    clip(vec![channel(1, ChannelTarget::Translation, linear(&times(points.len()), points))])
}

fn ahead(metres: impl IntoIterator<Item = f64>) -> Vec<[f32; 3]> {
    metres.into_iter().map(|d| [0.0, 0.0, d as f32]).collect()
}

fn bake(skeleton: &Skeleton, clip: &RawClip) -> DistanceBake {
    DistanceBakeJob { skeleton, clip, settings: &DistanceBakeSettings::default() }.run().unwrap()
}

/// The bake with its remainder at the pelvis; body and root are checked in every frame.
fn moved(skeleton: &Skeleton, raw: &RawClip) -> (DistanceBake, DistanceBake) {
    let first = bake(skeleton, raw);
    let new = remainder_to_pelvis(skeleton, &first, PELVIS, &DistanceBakeSettings::default()).unwrap();
    let (mut pose, mut before, mut after) = (Default::default(), Vec::new(), Vec::new());
    let frames = (raw.duration() * 240.0).round() as usize;
    for i in 0..=frames {
        let time = raw.duration() * i as f64 / frames as f64;
        raw.sample(skeleton, time, &mut pose);
        sinew::model_matrices(skeleton, &pose, &mut before);
        new.clip.sample(skeleton, time, &mut pose);
        sinew::model_matrices(skeleton, &pose, &mut after);
        for joint in 2..5 {
            let off = (before[joint].w_axis - after[joint].w_axis).length();
            assert!(off < 2e-6, "{time} s: joint {joint} is {off} m off");
        }
    }
    // Baked anew, there is no way back.
    let again = bake(skeleton, &new.clip);
    assert!(again.path.reversals.is_empty(), "{:?}", again.path.reversals);
    assert_eq!(new.curves.len(), first.curves.len());
    for (curve, old) in new.curves.iter().zip(&first.curves) {
        assert_eq!(curve.kind(), old.kind());
        assert!(curve.largest_remainder() < 1.5e-3, "{} m", curve.largest_remainder());
    }
    (first, new)
}

#[test]
fn the_lean_of_a_start_goes_to_the_pelvis() {
    let skeleton = body();
    let (first, new) = moved(&skeleton, &root_at(&ahead(start_signed(8))));
    assert!((first.curves[0].largest_remainder() - 0.0648).abs() < 1e-3);
    // The root stands where it was while the body leans back, and goes on with it.
    let (mut pose, mut model) = (Default::default(), Vec::new());
    let mut root = |time: f64| {
        new.clip.sample(&skeleton, time, &mut pose);
        sinew::model_matrices(&skeleton, &pose, &mut model);
        model[1].w_axis.z
    };
    for key in 0..8 {
        assert!(root(f64::from(key) / 30.0).abs() < 1e-6, "{key}");
    }
    for (key, metres) in start_signed(8).iter().enumerate().skip(8) {
        assert!((root(key as f64 / 30.0) - metres).abs() < 1e-6, "{key}");
    }
    assert!((new.curves[0].range() - first.curves[0].range()).abs() < 1e-3);
}

#[test]
fn a_clip_that_leans_back_to_start_and_goes_too_far_to_stop_gives_both_to_the_pelvis() {
    let skeleton = body();
    let start = start_signed(8);
    let end = start[15];
    // On at an even speed, then a stop that goes 9 cm too far and comes back.
    let run = (1..=10).map(|i| end + 0.15 * f64::from(i));
    let stop = stop_keys();
    let there = end + 1.5 - stop[0];
    let mut slow: Vec<f64> = stop[1..].iter().map(|d| there + d).collect();
    let last = slow.len() - 1;
    for (key, over) in [0.02, 0.06, 0.09, 0.07, 0.03, 0.01].into_iter().enumerate() {
        slow[last - 6 + key] = there + over;
    }
    let way: Vec<f64> = start.into_iter().chain(run).chain(slow).collect();
    let (first, new) = moved(&skeleton, &root_at(&ahead(way)));
    let kinds: Vec<_> = first.curves.iter().map(|c| c.kind()).collect();
    assert_eq!(kinds, [DistanceKind::Start, DistanceKind::Stop]);
    let backs: Vec<f64> = first.path.reversals.iter().map(|r| r.distance).collect();
    assert!(
        backs.len() == 2 && (backs[0] - 0.0648).abs() < 1e-6 && (backs[1] - 0.09).abs() < 1e-6,
        "{backs:?}"
    );
    // From the one marker to the other it goes as far as before.
    for curve in &new.curves {
        assert!((curve.range() - there).abs() < 2e-3, "{} of {there} m", curve.range());
    }
}

#[test]
fn along_a_curve_the_remainder_goes_the_way_of_the_curve() {
    let skeleton = body();
    // A start round a quarter of a circle of a metre, to the left, with a lean in the middle of it.
    let along = |i: u32| {
        let t = f64::from(i) / 40.0;
        1.6 * t * t - 0.16 * libm::exp(-(t - 0.7) * (t - 0.7) / 0.0006)
    };
    let points: Vec<[f32; 3]> = (0..=40)
        .map(|i| {
            let angle = along(i);
            [1.0 - libm::cos(angle), 0.0, libm::sin(angle)].map(|v| v as f32)
        })
        .collect();
    let (first, new) = moved(&skeleton, &root_at(&points));
    assert!(first.path.reversals.iter().any(|r| r.distance > 0.03), "{:?}", first.path.reversals);
    // The root keeps to the circle: what it gave away lay along it.
    for point in &new.root_path.points {
        let off = (*point - glam::DVec2::new(1.0, 0.0)).length() - 1.0;
        assert!(off.abs() < 0.012, "{off} m off the circle at {point}");
    }
}

#[test]
fn what_has_no_remainder_to_give_is_refused() {
    let skeleton = body();
    let first = bake(&skeleton, &root_at(&ahead(start_signed(8))));
    let settings = DistanceBakeSettings::default();
    let to = |joint| remainder_to_pelvis(&skeleton, &first, joint, &settings).map(|_| ()).unwrap_err();
    assert_eq!(to(JointId(0)), LocomotionError::NotBelow { pelvis: JointId(0), root: JointId(1) });
    assert_eq!(to(JointId(1)), LocomotionError::NotBelow { pelvis: JointId(1), root: JointId(1) });
    assert_eq!(to(JointId(99)), LocomotionError::NoSuchJoint { joint: JointId(99), joints: 5 });
    let in_place = DistanceBake { root: None, ..first.clone() };
    let error = remainder_to_pelvis(&skeleton, &in_place, PELVIS, &settings).unwrap_err();
    assert_eq!(error, LocomotionError::NoRoot { metres: 0.0 });
}
