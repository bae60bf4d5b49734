//! Feet of characters that people made slide less once they are planted, as the foot-slide rule measures it,
//! and no leg jumps for it. On the folder `data` of what `SINEW_SHARED` names; where it is not set there is
//! nothing to check.

mod shared;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use sinew::{
    Channel, ChannelTarget, DTransform, FlatGround, Interpolation, JointId, LocalPose, PlantContact,
    PlantJob, PlantLeg, PlantRig, PlantSettings, Planting, RawClip, RawPose, Rig, Skeleton, Track,
    largest_turn, model_matrices,
};
use sinew_asset::{ReadOptions, load};
use sinew_audit::{FeetMotion, Foot, FootSlideLimits, Limits, audit, feet_motion};

/// Frames a second.
const RATE: f64 = 120.0;

/// What planting a clip came to.
struct Outcome {
    feet: usize,
    /// As the rule finds them before and after.
    stances: [usize; 2],
    /// Net slide of the worst stance, metres.
    before: f64,
    after: f64,
    /// Mean net slide of a stance, metres.
    mean_before: f64,
    mean_after: f64,
    /// Largest turn of any joint of a leg between two frames, radians.
    turn_before: f64,
    turn_after: f64,
    /// Largest offset of a foot from its animation, metres.
    offset: f64,
    /// How far the pelvis came down, metres.
    drop: f64,
    size: f64,
}

fn ancestors(skeleton: &Skeleton, joint: JointId) -> Vec<JointId> {
    let mut found = vec![joint];
    while let Some(parent) = skeleton.joint(found[found.len() - 1]).parent {
        found.push(parent);
    }
    found
}

/// A leg: hip, knee and end, and a foot that does not hang from it.
struct Leg {
    joints: [JointId; 3],
    loose_foot: Option<JointId>,
}

/// The chain of a foot's leg, from its end up. Feet that are steered from the ground have the leg beside
/// them.
fn leg_chain(skeleton: &Skeleton, foot: JointId) -> (Vec<JointId>, Option<JointId>) {
    let name = skeleton.label(foot);
    let Some(side) = name.strip_prefix("Foot.") else { return (ancestors(skeleton, foot), None) };
    let end = format!("LowerLeg.{side}_end");
    let end =
        skeleton.iter().find(|(_, j)| j.name.as_deref() == Some(&end)).expect("a leg beside the foot").0;
    (ancestors(skeleton, end), Some(foot))
}

/// The lowest joint that all legs hang from, and the legs.
fn legs(skeleton: &Skeleton, feet: &[Foot]) -> (JointId, Vec<Leg>) {
    let mut rest = Vec::new();
    model_matrices(skeleton, &RawPose::rest(skeleton), &mut rest);
    let at = |joint: JointId| rest[joint.index()].w_axis.truncate();
    let chains: Vec<_> = feet.iter().map(|f| leg_chain(skeleton, f.joint)).collect();
    let all = |joint: &JointId| chains.iter().all(|c| c.0.contains(joint));
    let pelvis = *chains[0].0.iter().find(|j| all(j)).expect("legs hang from one root");
    let legs = chains.iter().enumerate().map(|(number, (chain, loose_foot))| {
        let others =
            |joint: &JointId| chains.iter().enumerate().any(|(i, c)| i != number && c.0.contains(joint));
        let own: Vec<JointId> = chain.iter().copied().take_while(|j| !others(j)).collect();
        assert!(own.len() >= 3, "the leg of {} has {} joints", skeleton.label(chain[0]), own.len());
        let (foot, hip) = (own[0], own[own.len() - 1]);
        let line = (at(foot) - at(hip)).normalize();
        let beside = |joint: &JointId| (at(*joint) - at(hip)).reject_from(line).length();
        let between = &own[1..own.len() - 1];
        let knee = between.iter().max_by(|a, b| beside(a).total_cmp(&beside(b))).expect("three joints");
        Leg { joints: [hip, *knee, foot], loose_foot: *loose_foot }
    });
    (pelvis, legs.collect())
}

fn contact_points(skeleton: &Skeleton, clip: &RawClip, foot: &Foot, time: f64) -> Vec<DVec3> {
    let (mut pose, mut model) = (RawPose::default(), Vec::new());
    clip.sample(skeleton, time, &mut pose);
    model_matrices(skeleton, &pose, &mut model);
    foot.contacts.iter().map(|c| model[c.joint.index()].transform_point3(c.offset_ls)).collect()
}

fn setup(skeleton: &Skeleton, rig: &Rig, clip: &RawClip, feet: &[Foot], times: &[f64]) -> PlantRig {
    let (pelvis, legs) = legs(skeleton, feet);
    let mut rest = Vec::new();
    model_matrices(skeleton, &RawPose::rest(skeleton), &mut rest);
    let rigid = |joint: JointId| DTransform::rigid_part(&rest[joint.index()]);
    let legs = feet.iter().zip(legs).map(|(foot, leg)| {
        let [hip, knee, ankle] = leg.joints;
        // Each point stands where it is lowest in the clip; those of one sole share the ground.
        let mut lowest = vec![f64::INFINITY; foot.contacts.len()];
        for &time in times {
            for (low, point) in lowest.iter_mut().zip(contact_points(skeleton, clip, foot, time)) {
                *low = low.min(point.y);
            }
        }
        if foot.on_sole {
            let least = lowest.iter().copied().fold(f64::INFINITY, f64::min);
            lowest.fill(least);
        }
        let (at_hip, at_knee, at_foot) = (rigid(hip), rigid(knee), rigid(ankle));
        let bend =
            (at_foot.translation - at_knee.translation).cross(at_knee.translation - at_hip.translation);
        let hinge = if bend.length() > 0.0 { bend.normalize() } else { DVec3::NEG_X };
        let contacts = foot.contacts.iter().zip(lowest).map(|(c, height)| PlantContact {
            joint: rig.slot(c.joint),
            offset_ls: c.offset_ls,
            height,
        });
        PlantLeg {
            hip: rig.slot(hip),
            knee: rig.slot(knee),
            foot: rig.slot(ankle),
            loose_foot: leg.loose_foot.map(|f| rig.slot(f)),
            hinge_ls: at_knee.rotation.conjugate() * hinge,
            contacts: contacts.collect(),
        }
    });
    PlantRig::new(rig, rig.slot(pelvis), legs.collect()).expect("legs of the character")
}

/// Velocity of the ground under a clip that walks in place: the median of the lowest points' over the ground.
fn ground_velocity(skeleton: &Skeleton, clip: &RawClip, feet: &[Foot], times: &[f64], near: f64) -> DVec3 {
    let mut found: [Vec<f64>; 2] = Default::default();
    for foot in feet {
        let points: Vec<Vec<DVec3>> =
            times.iter().map(|t| contact_points(skeleton, clip, foot, *t)).collect();
        let ground: Vec<f64> = (0..foot.contacts.len())
            .map(|c| points.iter().map(|p| p[c].y).fold(f64::INFINITY, f64::min))
            .collect();
        for pair in points.windows(2) {
            let height = |c: &usize| pair[0][*c].y.max(pair[1][*c].y) - ground[*c];
            let lowest = (0..ground.len()).min_by(|a, b| height(a).total_cmp(&height(b))).expect("a contact");
            if height(&lowest) < near {
                let v = (pair[1][lowest] - pair[0][lowest]) * RATE;
                found[0].push(v.x);
                found[1].push(v.z);
            }
        }
    }
    let [x, z] = found.map(|mut v| {
        v.sort_by(f64::total_cmp);
        v[v.len() / 2]
    });
    DVec3::new(x, 0.0, z)
}

/// The clip with its root carried against the ground, so that the character travels over ground that stands.
fn travelling(skeleton: &Skeleton, clip: &RawClip, foot: JointId, times: &[f64], ground: DVec3) -> RawClip {
    let root = *ancestors(skeleton, foot).last().expect("a root");
    let mut pose = RawPose::default();
    let mut values: Vec<f32> = Vec::new();
    for &time in times {
        clip.sample(skeleton, time, &mut pose);
        let at = pose.local[root.index()].translation - ground * time;
        values.extend(at.to_array().map(|v| v as f32));
    }
    let mut carried = clip.clone();
    let target = ChannelTarget::Translation;
    carried.channels.retain(|c| c.joint != root || c.target != target);
    let track = Track::new(times.into(), values.into(), 3, Interpolation::Linear).expect("keys");
    carried.channels.push(Channel { joint: root, target, track, source: 0 });
    carried
}

/// `known`: where feet stand is told, as the rule finds it over the whole clip, rather than seen as it comes.
fn plant(file: &str, name: &str, in_place: bool, known: bool) -> Option<Outcome> {
    let path = shared::folder("data")?.join(file);
    let loaded = load(path, &ReadOptions::default()).expect("the character loads");
    let size = audit(&loaded, &Limits::default()).file.size_m;
    let mut document = loaded.document.clone();
    let skeleton = &loaded.document.skeleton;
    let index = document.clips.iter().position(|c| c.label().starts_with(name));
    let index = index.unwrap_or_else(|| panic!("no clip {name}"));
    let limits = FootSlideLimits::default();
    let frames = (document.clips[index].duration() * RATE).floor() as usize;
    let times: Vec<f64> = (0..=frames).map(|f| f as f64 / RATE).collect();
    // Feet are the same in every clip; one in which they do not agree on the ground has none measured.
    let mut clips = 0..document.clips.len();
    let feet: Vec<Foot> = clips
        .find_map(|c| Some(feet_motion(&document, c, &limits).feet).filter(|f| !f.is_empty()))
        .expect("a clip with feet")
        .into_iter()
        .map(|f| f.foot)
        .collect();
    let settings = PlantSettings::for_size(size);
    if in_place {
        let near = 0.3 * settings.stance.height;
        let ground = ground_velocity(skeleton, &document.clips[index], &feet, &times, near);
        let carried = travelling(skeleton, &document.clips[index], feet[0].joint, &times, ground);
        document.clips[index] = carried;
    }
    let before = feet_motion(&document, index, &limits);
    let clip = &document.clips[index];
    let rig = Rig::new(skeleton).expect("a rig");
    let legs = setup(skeleton, &rig, clip, &feet, &times);
    let mut state = Planting::new(&legs);
    let mut poses: Vec<[LocalPose; 2]> = Vec::new();
    let (mut offset, mut drop) = (0.0_f64, 0.0_f64);
    let mut raw = RawPose::default();
    for &time in &times {
        clip.sample(skeleton, time, &mut raw);
        let animated = LocalPose::from_raw(&rig, &raw);
        let mut pose = animated.clone();
        let stands: Vec<bool> = feet.iter().map(|f| stands_at(&before, f, time)).collect();
        PlantJob {
            rig: &rig,
            legs: &legs,
            settings: &settings,
            ground: &FlatGround { height: 0.0 },
            placement: DTransform::IDENTITY,
            dt: 1.0 / RATE,
            stands: known.then_some(&stands),
            state: &mut state,
            pose: &mut pose,
        }
        .run()
        .expect("feet are planted");
        for foot in state.feet() {
            assert!(foot.status.is_ok(), "{file} at {time}: {foot:?}");
            offset = offset.max(foot.offset_ws.length());
        }
        drop = drop.max(-state.pelvis());
        poses.push([animated, pose]);
    }
    let baked = bake(skeleton, &rig, clip, &times, &poses);
    let mut planted = document.clone();
    planted.clips[index] = baked;
    let after = feet_motion(&planted, index, &limits);
    let slides = |m: &FeetMotion| -> Vec<f64> {
        m.feet.iter().flat_map(|f| f.stances.iter().map(|s| s.net_slide_m)).collect()
    };
    let (a, b) = (slides(&before), slides(&after));
    let worst = |s: &[f64]| s.iter().copied().fold(0.0, f64::max);
    let mean = |s: &[f64]| s.iter().sum::<f64>() / s.len().max(1) as f64;
    Some(Outcome {
        feet: feet.len(),
        stances: [a.len(), b.len()],
        before: worst(&a),
        after: worst(&b),
        mean_before: mean(&a),
        mean_after: mean(&b),
        turn_before: turn(&rig, &legs, poses.iter().map(|p| &p[0])),
        turn_after: turn(&rig, &legs, poses.iter().map(|p| &p[1])),
        offset,
        drop,
        size,
    })
}

fn stands_at(moved: &FeetMotion, foot: &Foot, time: f64) -> bool {
    let foot = moved.feet.iter().find(|f| f.foot.joint == foot.joint);
    foot.is_some_and(|f| f.stances.iter().any(|s| (s.start - 1e-9..=s.end + 1e-9).contains(&time)))
}

/// Largest turn of a joint of a leg from one frame to the next, in model space.
fn turn<'a>(rig: &Rig, legs: &PlantRig, poses: impl Iterator<Item = &'a LocalPose>) -> f64 {
    let mut before: Option<Vec<DQuat>> = None;
    let mut most = 0.0_f64;
    for pose in poses {
        let rotation = |slot: sinew::Slot| {
            let (mut walk, mut q) = (Some(slot), DQuat::IDENTITY);
            while let Some(here) = walk {
                q = pose.get(here).rotation.as_dquat().normalize() * q;
                walk = rig.parents()[here.index()];
            }
            q
        };
        let now: Vec<DQuat> =
            legs.legs().iter().flat_map(|l| [rotation(l.hip), rotation(l.knee), rotation(l.foot)]).collect();
        if let Some(before) = &before {
            most = most.max(largest_turn(before, &now).expect("joints").radians);
        }
        before = Some(now);
    }
    most
}

/// The clip with the joints that planting moved as they are now.
fn bake(skeleton: &Skeleton, rig: &Rig, clip: &RawClip, times: &[f64], poses: &[[LocalPose; 2]]) -> RawClip {
    let mut baked = clip.clone();
    let shared: Arc<[f64]> = times.into();
    for (joint, _) in skeleton.iter() {
        let slot = rig.slot(joint);
        let of = |p: &[LocalPose; 2]| [p[0].get(slot), p[1].get(slot)];
        let turned = poses.iter().any(|p| of(p)[0].rotation != of(p)[1].rotation);
        let moved = poses.iter().any(|p| of(p)[0].translation != of(p)[1].translation);
        let mut put = |target: ChannelTarget, track: Track| {
            baked.channels.retain(|c| c.joint != joint || c.target != target);
            baked.channels.push(Channel { joint, target, track, source: 0 });
        };
        if turned {
            let values: Vec<f32> = poses.iter().flat_map(|p| of(p)[1].rotation.to_array()).collect();
            put(
                ChannelTarget::Rotation,
                Track::rotation(shared.clone(), values.into(), Interpolation::Linear).unwrap(),
            );
        }
        if moved {
            let values: Vec<f32> = poses.iter().flat_map(|p| of(p)[1].translation.to_array()).collect();
            put(
                ChannelTarget::Translation,
                Track::new(shared.clone(), values.into(), 3, Interpolation::Linear).unwrap(),
            );
        }
    }
    baked
}

const WALKS: [(&str, &str, bool); 5] = [
    ("fox/Fox.glb", "Walk", true),
    ("m2m_spider/spider-animations.glb", "Walk", true),
    ("m2m_kaiju/kaiju-animations.glb", "Walk RM", false),
    ("pab_walk/walk.glb", "Hips", false),
    ("robot_expressive/RobotExpressive.glb", "Walking", true),
];

#[expect(clippy::print_stdout, reason = "the millimetres are what people ask for")]
fn check(known: bool, worst: f64, mean: f64) {
    for (file, clip, in_place) in WALKS {
        let Some(o) = plant(file, clip, in_place, known) else { return };
        println!(
            "{file} {clip} (size {:.2} m): {} feet, {:?} stances, worst slide {:.2} -> {:.2} mm, mean {:.2} \
             -> {:.2} mm, turn a frame {:.2} -> {:.2} degrees, offset {:.1} mm, drop {:.1} mm",
            o.size,
            o.feet,
            o.stances,
            o.before * 1e3,
            o.after * 1e3,
            o.mean_before * 1e3,
            o.mean_after * 1e3,
            o.turn_before.to_degrees(),
            o.turn_after.to_degrees(),
            o.offset * 1e3,
            o.drop * 1e3,
        );
        assert!(o.stances[0] > 0 && o.stances[1] >= o.stances[0], "{file} keeps its stances");
        assert!(o.before > 0.005 * o.size, "{file} slides in the first place");
        assert!(o.after < worst * o.before && o.mean_after < mean * o.mean_before, "{file}");
        // A pop would turn a joint by many times what the animation does in its fastest frame.
        assert!(o.turn_after < 2.0 * o.turn_before, "{file}");
        assert!(o.offset < 0.15 * o.size + 1e-3, "{file}");
    }
}

#[test]
fn planted_feet_of_real_characters_slide_a_fraction_of_what_they_did() {
    check(false, 0.05, 0.03);
}

#[test]
fn feet_that_are_known_to_stand_hardly_slide_at_all() {
    check(true, 0.1, 0.05);
}
