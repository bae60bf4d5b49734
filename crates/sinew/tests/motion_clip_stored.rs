//! Promise: a clip that was baked and stored is played as the one that was just baked: root, origin, directions, way and
//! kind come back from its curves alone.

mod locomotion_biped;

use glam::DVec2;
use locomotion_biped::{Character, character, cycle, legs, mover, pivot, skeleton, start, stop};
use sinew::{
    ClipBuilder, DistanceBakeJob, DistanceBakeSettings, DistanceKind, FlatGround, LocalPose, LocomotionClips,
    LocomotionController, LocomotionError, LocomotionJob, LocomotionSet, LocomotionSettings, MotionClip,
    RawClip, Rig, Slot, baked_root,
};

/// The character with clips that know no more than their curves.
fn from_curves() -> Character {
    let skeleton = skeleton();
    let rig = Rig::new(&skeleton).unwrap();
    let clip = |raw: &RawClip, kind: DistanceKind| {
        let settings = DistanceBakeSettings { rate: 60.0, ..Default::default() };
        let bake = DistanceBakeJob { skeleton: &skeleton, clip: raw, settings: &settings }.run().unwrap();
        let marker = bake.curves.iter().position(|c| c.kind() == kind).unwrap();
        let clip = ClipBuilder::new(&skeleton, &rig).bound(1e-4).build(&bake.clip).unwrap().0;
        let clip = MotionClip::from_clip(clip, &skeleton, marker).unwrap();
        assert_eq!(clip.curve().kind(), kind);
        clip
    };
    let clips = LocomotionClips {
        starts: vec![clip(&start(), DistanceKind::Start)],
        cycle: clip(&cycle(), DistanceKind::Loop),
        stops: [false, true].map(|m| clip(&stop(m), DistanceKind::Stop)).to_vec(),
        pivots: [false, true].map(|m| clip(&pivot(m), DistanceKind::Pivot)).to_vec(),
        idle: None,
    };
    let set = LocomotionSet::new(&rig, legs(&rig), clips, LocomotionSettings::for_size(1.5)).unwrap();
    Character { skeleton, rig, set }
}

/// Places of all joints over a start, a run, a turn and a stop, `[frame][slot]`.
fn play(character: &Character) -> Vec<Vec<(glam::Vec3, glam::Quat)>> {
    let rig = &character.rig;
    let mut state = LocomotionController::new(rig, &character.set);
    let mut pose = LocalPose::rest(rig);
    (0..180)
        .map(|frame| {
            let input = match frame {
                0..70 => DVec2::new(0.2, 0.9),
                70..130 => DVec2::new(-0.2, -0.9),
                _ => DVec2::ZERO,
            };
            LocomotionJob {
                rig,
                set: &character.set,
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
fn a_stored_clip_drives_a_character_as_a_fresh_one_does_to_the_bit() {
    let (fresh, stored) = (play(&character()), play(&from_curves()));
    assert_eq!(fresh, stored);
    assert!(fresh[60] != fresh[0], "it moves");
}

#[test]
fn curves_without_what_belongs_to_them_are_refused_by_name() {
    let skeleton = skeleton();
    let rig = Rig::new(&skeleton).unwrap();
    let settings = DistanceBakeSettings { rate: 60.0, ..Default::default() };
    let raw = start();
    let bake = DistanceBakeJob { skeleton: &skeleton, clip: &raw, settings: &settings }.run().unwrap();
    let load = |raw: &RawClip, marker| {
        let clip = ClipBuilder::new(&skeleton, &rig).build(raw).unwrap().0;
        MotionClip::from_clip(clip, &skeleton, marker).map(|_| ())
    };
    let names: Vec<&str> = bake.clip.curves.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "distance",
            "distance.remainder",
            "distance.heading.start",
            "distance.root.x",
            "distance.root.z",
            "distance.root.joint.root"
        ]
    );
    assert_eq!(load(&bake.clip, 0), Ok(()));
    assert_eq!(
        load(&bake.clip, 1),
        Err(LocomotionError::Count { what: "distance curves", found: 1, expected: 2 })
    );
    let without = |name: &str| {
        let mut clip = bake.clip.clone();
        clip.curves.retain(|c| !c.name.starts_with(name));
        clip
    };
    assert!(matches!(load(&without("distance"), 0), Err(LocomotionError::Count { found: 0, .. })));
    let name = "distance.heading.start".to_owned();
    assert_eq!(load(&without("distance.heading"), 0), Err(LocomotionError::NoCurve { name }));
    // A way without its points has no place.
    let name = "distance.root.x".to_owned();
    assert_eq!(load(&without("distance.root.x"), 0), Err(LocomotionError::NoCurve { name }));
    // The root goes by its name: a joint more above it changes nothing, another name does.
    let mut other = bake.clip.clone();
    for curve in &mut other.curves {
        curve.name = curve.name.replace("joint.root", "joint.Wurzel");
    }
    let name = "Wurzel".to_owned();
    assert_eq!(load(&other, 0), Err(LocomotionError::NoJointNamed { name }));
    assert_eq!(baked_root(&bake.clip.curves, &skeleton), Ok(bake.root));
}

#[test]
fn a_way_round_a_curve_comes_back_with_its_turning() {
    // The start, turned over its way.
    let skeleton = skeleton();
    let rig = Rig::new(&skeleton).unwrap();
    let mut raw = start();
    let times: Vec<f64> = raw.channels[0].track.times().to_vec();
    let mut places: Vec<f32> = Vec::new();
    for time in &times {
        let ahead = raw.channels[0].track.sample_vec3(*time).z;
        let angle = ahead.max(0.0) / 0.7;
        let at = DVec2::new(0.7 - 0.7 * libm::cos(angle), 0.7 * libm::sin(angle));
        places.extend([at.x as f32, 0.0, (at.y + ahead.min(0.0)) as f32]);
    }
    raw.channels[0].track =
        sinew::Track::new(times.into(), places.into(), 3, sinew::Interpolation::Linear).unwrap();
    let settings = DistanceBakeSettings { rate: 60.0, ..Default::default() };
    let bake = DistanceBakeJob { skeleton: &skeleton, clip: &raw, settings: &settings }.run().unwrap();
    let heading = bake.clip.curve("distance.heading.start").unwrap().track();
    assert_eq!(heading.interpolation(), sinew::Interpolation::Linear);
    // 1.2 m round a circle of 0.7 m.
    let turned = heading.values()[heading.len() - 1] - heading.values()[0];
    let expected = bake.curves[0].range() / 0.7;
    assert!((f64::from(turned) - expected).abs() < 0.12, "{turned} {expected}");
    let clip = ClipBuilder::new(&skeleton, &rig).build(&bake.clip).unwrap().0;
    assert!(MotionClip::from_clip(clip, &skeleton, 0).is_ok());
}
