//! A biped that runs along a line, with clips made from where its feet are put.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod walk;

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use sinew::{
    BendPlane, Channel, ChannelTarget, ClipBuilder, DTransform, DistanceBakeJob, DistanceBakeSettings,
    DistanceKind, GroundMover, Interpolation, Joint, JointId, LocomotionClips, LocomotionSet,
    LocomotionSettings, MotionClip, PlantContact, PlantLeg, PlantRig, RawClip, Rig, Skeleton, Track,
    TwoBoneJob, TwoBoneLimb, TwoBoneSolution,
};

const HIP: f64 = 0.86;
const THIGH: f64 = 0.46;
const SHIN: f64 = 0.44;
const ANKLE: f64 = 0.07;
const SIDE: f64 = 0.1;
/// Top speed, metres a second.
pub(crate) const SPEED: f64 = 3.6;
/// Metres a second squared, up and down.
pub(crate) const CHANGE: f64 = 9.0;

/// root, pelvis, then thigh, shin, foot and toe of the left and the right leg, and a spine of two.
pub(crate) fn skeleton() -> Skeleton {
    let at =
        |x: f64, y: f64, z: f64| DTransform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, y, z));
    let mut joints = vec![
        Joint::new("root", None, at(0.0, 0.0, 0.0)),
        Joint::new("pelvis", Some(JointId(0)), at(0.0, HIP, 0.0)),
    ];
    for (name, side) in [("l", SIDE), ("r", -SIDE)] {
        let first = joints.len() as u32;
        joints.push(Joint::new(format!("thigh {name}"), Some(JointId(1)), at(side, 0.0, 0.0)));
        joints.push(Joint::new(format!("shin {name}"), Some(JointId(first)), at(0.0, -THIGH, 0.0)));
        joints.push(Joint::new(format!("foot {name}"), Some(JointId(first + 1)), at(0.0, -SHIN, 0.0)));
        joints.push(Joint::new(format!("toe {name}"), Some(JointId(first + 2)), at(0.0, -ANKLE, 0.15)));
    }
    joints.push(Joint::new("spine", Some(JointId(1)), at(0.0, 0.2, 0.0)));
    joints.push(Joint::new("chest", Some(JointId(10)), at(0.0, 0.25, 0.0)));
    Skeleton::numbered(joints, Vec::new()).unwrap()
}

pub(crate) fn legs(rig: &Rig) -> PlantRig {
    let legs = [2_u32, 6].map(|first| {
        let slot = |joint: u32| rig.slot(JointId(joint));
        let contact = |z: f64| PlantContact {
            joint: slot(first + 2),
            offset_ls: DVec3::new(0.0, -ANKLE, z),
            height: 0.0,
        };
        PlantLeg {
            hip: slot(first),
            knee: slot(first + 1),
            foot: slot(first + 2),
            loose_foot: None,
            hinge_ls: DVec3::NEG_X,
            contacts: vec![contact(-0.05), contact(0.12)],
        }
    });
    PlantRig::new(rig, rig.slot(JointId(1)), legs.to_vec()).unwrap()
}

/// A foot on the ground from one moment to another.
#[derive(Clone, Copy)]
struct Step {
    from: f64,
    to: f64,
    /// The moment whose place of the body it stands at.
    under: f64,
}

const fn step(from: f64, to: f64, under: f64) -> Step {
    Step { from, to, under }
}

/// Where the body is (metres along +Z), how it is turned, and where its feet are put.
struct Plan<'a> {
    seconds: f64,
    along: &'a dyn Fn(f64) -> f64,
    yaw: &'a dyn Fn(f64) -> f64,
    /// Left, right.
    steps: [&'a [Step]; 2],
}

impl Plan<'_> {
    fn standing(&self, leg: usize, step: &Step) -> (DVec3, f64) {
        let yaw = (self.yaw)(step.under);
        let aside = DQuat::from_rotation_y(yaw) * DVec3::X * if leg == 0 { SIDE } else { -SIDE };
        (aside + DVec3::new(0.0, ANKLE, (self.along)(step.under)), yaw)
    }

    /// Ankle and yaw of a foot, world space.
    fn foot(&self, leg: usize, t: f64) -> (DVec3, f64) {
        let steps = self.steps[leg];
        if let Some(step) = steps.iter().find(|s| s.from <= t && t <= s.to) {
            return self.standing(leg, step);
        }
        let next = steps.iter().position(|s| s.from > t).expect("a step after every moment");
        let (a, b) = (&steps[next - 1], &steps[next]);
        let ((p, turned), (q, turns)) = (self.standing(leg, a), self.standing(leg, b));
        let u = (t - a.to) / (b.from - a.to);
        let share = u * u * (3.0 - 2.0 * u);
        (p + (q - p) * share + DVec3::Y * (0.14 * libm::sin(PI * u)), turned + (turns - turned) * share)
    }

    /// Keys at 60 a second.
    fn clip(&self, name: &str) -> RawClip {
        let count = (self.seconds * 60.0).round() as usize;
        let times: Vec<f64> = (0..=count).map(|i| self.seconds * i as f64 / count as f64).collect();
        let mut translation: Vec<f32> = Vec::new();
        let mut rotations: Vec<Vec<f32>> = vec![Vec::new(); 7];
        for t in &times {
            let root = DTransform::from_rotation_translation(
                DQuat::from_rotation_y((self.yaw)(*t)),
                DVec3::new(0.0, 0.0, (self.along)(*t)),
            );
            translation.extend(root.translation.as_vec3().to_array());
            let mut put = |at: usize, q: DQuat| rotations[at].extend(q.normalize().as_quat().to_array());
            put(0, root.rotation);
            for leg in 0..2 {
                let (ankle, yaw) = self.foot(leg, *t);
                let ankle = root.inverse_rigid().mul_transform(&DTransform::from_rotation_translation(
                    DQuat::from_rotation_y(yaw),
                    ankle,
                ));
                let hip = DVec3::new(if leg == 0 { SIDE } else { -SIDE }, HIP, 0.0);
                let rest =
                    |y: f64| DTransform::from_rotation_translation(DQuat::IDENTITY, hip - DVec3::Y * y);
                let limb = TwoBoneLimb::from_pose(
                    &rest(0.0),
                    &rest(THIGH),
                    hip - DVec3::Y * (THIGH + SHIN),
                    DVec3::NEG_X,
                )
                .unwrap();
                let mut solution = TwoBoneSolution::NONE;
                let status = TwoBoneJob {
                    limb: &limb,
                    root: hip,
                    target: ankle.translation,
                    plane: BendPlane::Pole(hip + DVec3::new(0.0, -0.4, 5.0)),
                    soft: 0.0,
                    output: &mut solution,
                }
                .run()
                .unwrap();
                assert!(status.is_reached(), "{name} at {t} s, leg {leg}: {status:?}");
                put(1 + 3 * leg, solution.upper);
                put(2 + 3 * leg, solution.upper.conjugate() * solution.lower);
                put(3 + 3 * leg, solution.lower.conjugate() * ankle.rotation);
            }
        }
        let channel = |joint: u32, target, track| Channel { joint: JointId(joint), target, track, source: 0 };
        let mut channels = vec![channel(
            0,
            ChannelTarget::Translation,
            Track::new(times.clone().into(), translation.into(), 3, Interpolation::Linear).unwrap(),
        )];
        for (joint, values) in [0, 2, 3, 4, 6, 7, 8].into_iter().zip(rotations) {
            let track = Track::rotation(times.clone().into(), values.into(), Interpolation::Linear).unwrap();
            channels.push(channel(joint, ChannelTarget::Rotation, track));
        }
        RawClip { name: Some(name.into()), channels, ..RawClip::default() }
    }
}

const LEAN: f64 = 0.15;
const UP: f64 = SPEED / CHANGE;

/// Leans back by 3 cm, then gets up to speed.
pub(crate) fn start() -> RawClip {
    let along = |t: f64| {
        if t < LEAN {
            return -0.015 * (1.0 - libm::cos(PI * t / LEAN));
        }
        let u = t - LEAN;
        let run = if u < UP { 0.5 * CHANGE * u * u } else { 0.5 * CHANGE * UP * UP + SPEED * (u - UP) };
        run - 0.03
    };
    let left = [step(-1.0, 0.32, 0.0), step(0.5, 0.7, 0.6), step(0.95, 1.1, 1.0)];
    let right = [step(-1.0, 0.18, 0.0), step(0.3, 0.47, 0.385), step(0.8, 1.0, 0.9)];
    Plan { seconds: 0.6, along: &along, yaw: &|_| 0.0, steps: [&left, &right] }.clip("start")
}

/// The right foot lands at 0, the left one half a pass later.
pub(crate) fn cycle() -> RawClip {
    let steps = |first: f64| -> Vec<Step> {
        (-2..4).map(|i| first + 0.6 * f64::from(i)).map(|t| step(t, t + 0.2, t + 0.1)).collect()
    };
    let (left, right) = (steps(0.3), steps(0.0));
    Plan { seconds: 0.6, along: &|t| SPEED * t, yaw: &|_| 0.0, steps: [&left, &right] }.clip("run")
}

/// Comes to a stand within 0.72 m, and shifts its feet; mirrored, the other foot first.
pub(crate) fn stop(mirrored: bool) -> RawClip {
    let along = |t: f64| {
        let u = t.min(UP);
        SPEED * u - 0.5 * CHANGE * u * u
    };
    let left = [step(-1.0, 0.15, 0.06), step(0.33, 9.0, 0.4)];
    let right = [step(-1.0, -0.1, -0.2), step(0.12, 0.38, 0.24), step(0.6, 9.0, 0.5)];
    let steps: [&[Step]; 2] = if mirrored { [&right, &left] } else { [&left, &right] };
    Plan { seconds: 0.7, along: &along, yaw: &|_| 0.0, steps }.clip("stop")
}

/// Slows down, turns by half a turn and runs back; mirrored, the other way.
pub(crate) fn pivot(mirrored: bool) -> RawClip {
    let along = |t: f64| {
        SPEED * t - 0.5 * CHANGE * t.min(2.0 * UP) * t.min(2.0 * UP) - 2.0 * SPEED * (t - 2.0 * UP).max(0.0)
    };
    let yaw = |t: f64| {
        let u = ((t - 0.28) / 0.3).clamp(0.0, 1.0);
        let turned = PI * u * u * (3.0 - 2.0 * u);
        if mirrored { -turned } else { turned }
    };
    let left = [step(-1.0, 0.12, 0.04), step(0.28, 0.5, 0.38), step(0.66, 0.82, 0.74), step(1.1, 1.2, 1.15)];
    let right = [step(-1.0, -0.1, -0.2), step(0.1, 0.3, 0.2), step(0.46, 0.66, 0.56), step(0.9, 1.1, 1.0)];
    let steps: [&[Step]; 2] = if mirrored { [&right, &left] } else { [&left, &right] };
    Plan { seconds: 2.0 * UP, along: &along, yaw: &yaw, steps }.clip("pivot")
}

/// Stands, and sways to and fro over its hips in two seconds.
pub(crate) fn idle() -> RawClip {
    let feet = [step(-1.0, 9.0, 0.0)];
    let mut clip = Plan { seconds: 2.0, along: &|_| 0.0, yaw: &|_| 0.0, steps: [&feet, &feet] }.clip("idle");
    let times: Vec<f64> = (0..=40).map(|i| f64::from(i) * 0.05).collect();
    let sway = |t: &f64| DQuat::from_rotation_z(0.05 * libm::sin(PI * t));
    let values: Vec<f32> = times.iter().flat_map(|t| sway(t).as_quat().to_array()).collect();
    let track = Track::rotation(times.into(), values.into(), Interpolation::Linear).unwrap();
    clip.channels.push(Channel { joint: JointId(10), target: ChannelTarget::Rotation, track, source: 0 });
    clip
}

pub(crate) struct Character {
    pub(crate) skeleton: Skeleton,
    pub(crate) rig: Rig,
    pub(crate) set: LocomotionSet,
}

pub(crate) fn motion_clip(skeleton: &Skeleton, rig: &Rig, raw: &RawClip, kind: DistanceKind) -> MotionClip {
    let settings = DistanceBakeSettings { rate: 60.0, ..Default::default() };
    let bake = DistanceBakeJob { skeleton, clip: raw, settings: &settings }.run().unwrap();
    let marker = bake.curves.iter().position(|c| c.kind() == kind);
    let marker = marker.unwrap_or_else(|| panic!("{kind:?} among {:?}", bake.path.markers));
    let clip = ClipBuilder::new(skeleton, rig).bound(1e-4).build(raw).unwrap().0;
    MotionClip::new(clip, &bake, marker).unwrap()
}

pub(crate) fn clips(skeleton: &Skeleton, rig: &Rig) -> LocomotionClips {
    let clip = |raw: &RawClip, kind| motion_clip(skeleton, rig, raw, kind);
    LocomotionClips {
        starts: vec![clip(&start(), DistanceKind::Start)],
        cycle: clip(&cycle(), DistanceKind::Loop),
        stops: [false, true].map(|m| clip(&stop(m), DistanceKind::Stop)).to_vec(),
        pivots: [false, true].map(|m| clip(&pivot(m), DistanceKind::Pivot)).to_vec(),
        idle: None,
    }
}

pub(crate) fn character() -> Character {
    let skeleton = skeleton();
    let rig = Rig::new(&skeleton).unwrap();
    let clips = clips(&skeleton, &rig);
    let set = LocomotionSet::new(&rig, legs(&rig), clips, LocomotionSettings::for_size(1.5)).unwrap();
    Character { skeleton, rig, set }
}

pub(crate) fn mover() -> GroundMover {
    GroundMover {
        max_speed: SPEED,
        acceleration: CHANGE,
        friction: 0.0,
        braking_friction: 0.0,
        braking: CHANGE,
        sub_step: 1.0 / 33.0,
        stop_speed: 0.1,
    }
}
