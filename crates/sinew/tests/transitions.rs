//! Promise: a transition begins exactly where and as fast as the old motion was, never jumps, also when
//! another interrupts it, and leaves the new motion's bits alone once it is over.

mod rig;

use glam::{DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use sinew::{
    Backend, DTransform, LocalPose, MAX_TRANSITION, Overshoot, Rig, Slot, Transform, Transition,
    TransitionError, TransitionJob, TransitionMethod, TransitionSettings, TransitionStart, TransitionStatus,
};

const CLAMP: TransitionMethod = TransitionMethod::Inertialize { overshoot: Overshoot::Clamp };
const ALLOW: TransitionMethod = TransitionMethod::Inertialize { overshoot: Overshoot::Allow };
const DEAD: TransitionMethod = TransitionMethod::DeadBlend { half_life: 0.1 };

fn settings(method: TransitionMethod, duration: f32) -> TransitionSettings {
    TransitionSettings { method, duration, ..TransitionSettings::default() }
}

fn rig_of(joints: usize) -> Rig {
    Rig::new(&rig::chain(&vec![DTransform::IDENTITY; joints])).unwrap()
}

/// A smooth motion of one joint: turns about an axis, swings along another, breathes.
#[derive(Clone, Copy, Debug)]
struct Motion {
    start: Quat,
    axis: Vec3,
    turn: f32,
    place: Vec3,
    swing: Vec3,
    scale: f32,
}

impl Motion {
    fn at(&self, t: f64) -> Transform {
        let angle = f64::from(self.turn) * libm::sin(2.0 * t);
        let axis = self.axis.as_dvec3().normalize();
        let rotation = (DQuat::from_axis_angle(axis, angle) * self.start.as_dquat().normalize()).as_quat();
        let translation = (self.place.as_dvec3() + self.swing.as_dvec3() * libm::sin(3.0 * t)).as_vec3();
        let scale = Vec3::ONE + Vec3::new(1.0, 0.5, 0.0) * self.scale * libm::sin(t) as f32;
        Transform { translation, rotation, scale }
    }
}

fn pose(rig: &Rig, motions: &[Motion], t: f64) -> LocalPose {
    let mut pose = LocalPose::rest(rig);
    for slot in 0..rig.len() {
        pose.set(Slot(slot as u16), &motions[slot % motions.len()].at(t));
    }
    pose
}

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn motion() -> impl Strategy<Value = Motion> {
    let start = prop::array::uniform4(-1.0_f32..1.0)
        .prop_filter("a length", |q| q.iter().map(|v| v * v).sum::<f32>() > 0.01)
        .prop_map(|q| Quat::from_array(q).normalize());
    let axis = vector(1.0).prop_filter("a direction", |v| v.length() > 0.1);
    (start, axis, -1.5_f32..1.5, vector(2.0), vector(0.3), prop_oneof![Just(0.0), Just(0.2_f32)]).prop_map(
        |(start, axis, turn, place, swing, scale)| Motion { start, axis, turn, place, swing, scale },
    )
}

fn method() -> impl Strategy<Value = TransitionMethod> {
    prop_oneof![
        Just(CLAMP),
        Just(ALLOW),
        (0.01_f32..2.0).prop_map(|half_life| TransitionMethod::DeadBlend { half_life })
    ]
}

/// Angle in radians, by the chord, which is exact near 0.
fn angle(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat().normalize(), b.as_dquat().normalize());
    let chord = (a - b).length().min((a + b).length());
    4.0 * libm::asin((chord / 2.0).min(1.0))
}

/// Largest differences: radians, metres, scale.
fn apart(a: &LocalPose, b: &LocalPose) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    for slot in (0..a.len()).map(|slot| Slot(slot as u16)) {
        let (a, b) = (a.get(slot), b.get(slot));
        worst[0] = worst[0].max(angle(a.rotation, b.rotation));
        worst[1] = worst[1].max(f64::from(a.translation.distance(b.translation)));
        worst[2] = worst[2].max(f64::from(a.scale.distance(b.scale)));
    }
    worst
}

fn bits(pose: &LocalPose) -> Vec<u32> {
    let groups = pose.groups().iter().flat_map(|g| g.rotation.iter().chain(&g.translation));
    groups.chain(pose.scales().iter().flat_map(|g| &g.scale)).flatten().map(|v| v.to_bits()).collect()
}

/// Begins at time 0 with the two frames before it.
fn begun(rig: &Rig, old: &[Motion], new: &[Motion], set: &TransitionSettings, dt: f32) -> Transition {
    let mut transition = Transition::new(rig);
    let past = -f64::from(dt);
    let start = TransitionStart {
        source: &pose(rig, old, 0.0),
        source_before: &pose(rig, old, past),
        target: &pose(rig, new, 0.0),
        target_before: &pose(rig, new, past),
        dt,
    };
    transition.begin(set, &start).unwrap();
    transition
}

fn step(transition: &mut Transition, dt: f32, target: &LocalPose) -> (LocalPose, TransitionStatus) {
    let mut output = target.clone();
    let status = TransitionJob { transition, dt, output: &mut output }.run().unwrap();
    (output, status)
}

fn still(translation: Vec3) -> LocalPose {
    let mut pose = LocalPose::rest(&rig_of(1));
    pose.set(Slot(0), &Transform { translation, ..Transform::IDENTITY });
    pose
}

/// A transition of one joint that is at `x0` and moves at `v0` metres a second, to a joint that rests at 0.
fn to_rest(x0: f32, v0: f32, set: &TransitionSettings) -> Transition {
    let mut transition = Transition::new(&rig_of(1));
    let (source, rest) = (still(Vec3::X * x0), still(Vec3::ZERO));
    let before = still(Vec3::X * (x0 - v0 * 0.5));
    let start = TransitionStart {
        source: &source,
        source_before: &before,
        target: &rest,
        target_before: &rest,
        dt: 0.5,
    };
    transition.begin(set, &start).unwrap();
    transition
}

fn x_after(transition: &Transition, t: f32) -> f64 {
    let (output, _) = step(&mut transition.clone(), t, &still(Vec3::ZERO));
    f64::from(output.get(Slot(0)).translation.x)
}

/// Bollo's polynomial as the slides have it, in double precision.
fn bollo(x0: f64, v0: f64, t1: f64, t: f64) -> f64 {
    let v0 = if x0 == 0.0 { v0 } else { v0 * x0.signum() };
    let (side, x0) = (if x0 == 0.0 { 1.0 } else { x0.signum() }, x0.abs());
    let t1 = if v0 < 0.0 { t1.min(-5.0 * x0 / v0) } else { t1 };
    if t >= t1 {
        return 0.0;
    }
    let a0 = ((-8.0 * v0 * t1 - 20.0 * x0) / (t1 * t1)).max(0.0);
    let (t2, t3) = (t1 * t1, t1 * t1 * t1);
    let a = -(a0 * t2 + 6.0 * v0 * t1 + 12.0 * x0) / (2.0 * t3 * t2);
    let b = (3.0 * a0 * t2 + 16.0 * v0 * t1 + 30.0 * x0) / (2.0 * t2 * t2);
    let c = -(3.0 * a0 * t2 + 12.0 * v0 * t1 + 20.0 * x0) / (2.0 * t3);
    side * (((((a * t + b) * t + c) * t + a0 / 2.0) * t + v0) * t + x0)
}

proptest! {
    #[test]
    fn it_begins_at_the_source(
        old in prop::collection::vec(motion(), 1..12),
        new in prop::collection::vec(motion(), 12),
        method in method(),
        duration in 0.01_f32..3.0,
    ) {
        let rig = rig_of(old.len());
        let mut transition = begun(&rig, &old, &new, &settings(method, duration), 1.0 / 60.0);
        let (output, status) = step(&mut transition, 0.0, &pose(&rig, &new, 0.0));
        prop_assert_eq!(status, TransitionStatus::Running);
        let [radians, metres, scale] = apart(&output, &pose(&rig, &old, 0.0));
        prop_assert!(radians < 1e-6 && metres < 1e-6 && scale < 1e-6, "{radians} {metres} {scale}");
    }

    /// A short step on, the output is where the old motion's last step leads, to the square of the step.
    #[test]
    fn it_begins_as_fast_as_the_source(
        old in prop::collection::vec(motion(), 9),
        new in prop::collection::vec(motion(), 9),
        dead: bool,
    ) {
        let rig = rig_of(9);
        let method = if dead { DEAD } else { ALLOW };
        let dt = 1e-3_f32;
        let mut transition = begun(&rig, &old, &new, &settings(method, 0.5), dt);
        let (output, _) = step(&mut transition, dt, &pose(&rig, &new, f64::from(dt)));
        let [radians, metres, scale] = apart(&output, &pose(&rig, &old, f64::from(dt)));
        // Speeds here go up to 3 rad/s and 1.6 m/s: a thousandth of a second that lost the velocity would be
        // off by 3e-3 and 1.6e-3. Accelerations of up to 200 /s^2 (the fade over 0.5 s) leave 1e-4.
        prop_assert!(radians < 1.5e-4 && metres < 1.5e-4 && scale < 1.5e-4, "{radians} {metres} {scale}");
    }

    /// Frame by frame: two frames are no farther apart than speeds times the frame, through begins,
    /// interruptions and ends.
    #[test]
    fn it_never_jumps(
        motions in prop::collection::vec(prop::collection::vec(motion(), 3), 4),
        methods in prop::collection::vec(method(), 4),
        switches in prop::collection::vec(1_usize..400, 3),
        duration in 0.2_f32..0.6,
    ) {
        let rig = rig_of(3);
        let dt = 1.0 / 2000.0_f64;
        let mut transition = Transition::new(&rig);
        let mut current = 0;
        let mut shown = [pose(&rig, &motions[0], -dt), pose(&rig, &motions[0], 0.0)];
        let mut wait = switches[0];
        for frame in 1..1200 {
            let t = f64::from(frame) * dt;
            if wait == 0 && current < 3 {
                current += 1;
                wait = switches.get(current).copied().unwrap_or(0);
                let start = TransitionStart {
                    source: &shown[1],
                    source_before: &shown[0],
                    target: &pose(&rig, &motions[current], t - dt),
                    target_before: &pose(&rig, &motions[current], t - 2.0 * dt),
                    dt: dt as f32,
                };
                transition.begin(&settings(methods[current], duration), &start).unwrap();
            }
            wait = wait.saturating_sub(1);
            let (output, _) = step(&mut transition, dt as f32, &pose(&rig, &motions[current], t));
            let [radians, metres, scale] = apart(&output, &shown[1]);
            // Offsets of up to 3.2 rad and 7.5 m run out within 0.2 s at no more than 9.4 and 1.9 times their
            // mean speed (a full turn's share of the fade, the quintic's steepest): 150 rad/s and 75 m/s. A
            // jump would be metres and radians in one frame.
            prop_assert!(radians < 150.0 * dt && metres < 75.0 * dt && scale < 15.0 * dt,
                "frame {frame}: {radians} {metres} {scale}");
            for slot in (0..3).map(Slot) {
                let length = output.get(slot).rotation.length();
                prop_assert!((length - 1.0).abs() < 2e-6, "length {length}");
            }
            shown.swap(0, 1);
            shown[1].copy_from(&output);
        }
    }

    #[test]
    fn the_end_is_the_target_to_the_bit(
        old in prop::collection::vec(motion(), 9),
        new in prop::collection::vec(motion(), 9),
        method in method(),
        duration in 0.0_f32..3.0,
        beyond in prop_oneof![Just(0.0_f32), 0.0_f32..2.0, Just(f32::MAX)],
    ) {
        let rig = rig_of(9);
        let mut transition = begun(&rig, &old, &new, &settings(method, duration), 1.0 / 30.0);
        let target = pose(&rig, &new, 1.0);
        let (output, status) = step(&mut transition, duration + beyond, &target);
        prop_assert_eq!(status, TransitionStatus::Finished);
        prop_assert_eq!(bits(&output), bits(&target));
        prop_assert!(!transition.is_running());
        let (output, _) = step(&mut transition, 0.0, &target);
        prop_assert_eq!(bits(&output), bits(&target));
    }

    /// The last step before the end is next to the target.
    #[test]
    fn it_ends_without_a_step(
        old in prop::collection::vec(motion(), 9),
        new in prop::collection::vec(motion(), 9),
        method in method(),
    ) {
        let rig = rig_of(9);
        let mut transition = begun(&rig, &old, &new, &settings(method, 1.0), 1.0 / 30.0);
        let target = pose(&rig, &new, 1.0);
        let (output, status) = step(&mut transition, 0.9999, &target);
        prop_assert_eq!(status, TransitionStatus::Running);
        let [radians, metres, scale] = apart(&output, &target);
        prop_assert!(radians < 1e-5 && metres < 1e-5 && scale < 1e-5, "{radians} {metres} {scale}");
    }

    #[test]
    fn every_step_and_half_life_gives_finite_unit_poses(
        old in prop::collection::vec(motion(), 9),
        new in prop::collection::vec(motion(), 9),
        begin_dt in prop_oneof![Just(0.0_f32), Just(1e-40), Just(1e-9), 1e-4_f32..1.0, Just(f32::MAX)],
        dt in prop_oneof![Just(0.0_f32), Just(1e-40), 0.0_f32..4.0],
        duration in prop_oneof![Just(1e-30_f32), 1e-5_f32..4.0, Just(MAX_TRANSITION)],
        half_life in prop_oneof![Just(f32::from_bits(1)), Just(1e-9), 1e-3_f32..1e3, Just(f32::MAX)],
        which in 0..3,
    ) {
        let rig = rig_of(9);
        let method = [CLAMP, ALLOW, TransitionMethod::DeadBlend { half_life }][which as usize];
        let far = if begin_dt > 1.0 { 1.0 } else { begin_dt };
        let mut transition = Transition::new(&rig);
        let start = TransitionStart {
            source: &pose(&rig, &old, 0.0),
            source_before: &pose(&rig, &old, -f64::from(far)),
            target: &pose(&rig, &new, 0.0),
            target_before: &pose(&rig, &new, -f64::from(far)),
            dt: begin_dt,
        };
        transition.begin(&settings(method, duration), &start).unwrap();
        for _ in 0..3 {
            let (output, _) = step(&mut transition, dt, &pose(&rig, &new, 0.3));
            for slot in (0..9).map(Slot) {
                let joint = output.get(slot);
                prop_assert!(joint.is_finite(), "{joint:?}");
                prop_assert!((joint.rotation.length() - 1.0).abs() < 2e-6, "{}", joint.rotation.length());
            }
        }
    }

    #[test]
    fn every_backend_gives_the_same_bits(
        old in prop::collection::vec(motion(), 1..20),
        new in prop::collection::vec(motion(), 20),
        method in method(),
        steps in prop::collection::vec(0.0_f32..0.1, 1..6),
    ) {
        let rig = rig_of(old.len());
        let (source, source_before) = (pose(&rig, &old, 0.0), pose(&rig, &old, -0.02));
        let (target, target_before) = (pose(&rig, &new, 0.0), pose(&rig, &new, -0.02));
        let start = TransitionStart {
            source: &source,
            source_before: &source_before,
            target: &target,
            target_before: &target_before,
            dt: 0.02,
        };
        let run = |backend: Backend| {
            let mut transition = Transition::new(&rig);
            transition.begin_on(backend, &settings(method, 0.4), &start).unwrap();
            let mut all = Vec::new();
            for &dt in &steps {
                let mut output = target.clone();
                TransitionJob { transition: &mut transition, dt, output: &mut output }.run_on(backend).unwrap();
                all.extend(bits(&output));
            }
            all
        };
        let expected = run(Backend::Scalar);
        for backend in Backend::ALL {
            prop_assert_eq!(run(backend), expected.clone(), "{}", backend);
        }
    }

    #[test]
    fn an_offset_runs_out_along_bollos_quintic(
        x0 in -2.0_f32..2.0,
        v0 in -8.0_f32..8.0,
        duration in 0.05_f32..2.0,
        share in 0.0_f32..1.1,
    ) {
        prop_assume!(x0.abs() > 1e-2);
        let transition = to_rest(x0, v0, &settings(CLAMP, duration));
        let t = share * duration;
        let (found, expected) =
            (x_after(&transition, t), bollo(f64::from(x0), f64::from(v0), f64::from(duration), f64::from(t)));
        prop_assert!((found - expected).abs() < 2e-6 * (1.0 + f64::from(v0.abs() * duration)), "{found} {expected}");
    }

    #[test]
    fn a_clamped_offset_never_crosses_the_target(
        x0 in -2.0_f32..2.0,
        v0 in -30.0_f32..30.0,
        duration in 0.05_f32..2.0,
    ) {
        let transition = to_rest(x0, v0, &settings(CLAMP, duration));
        // To rounding, in the direction that it was on.
        for i in 0..=50 {
            let x = x_after(&transition, duration * i as f32 / 50.0);
            prop_assert!(x * f64::from(x0.signum()) > -1e-9, "{x} from {x0}");
        }
    }

    /// Bits do not depend on how often a begin was refused.
    #[test]
    fn a_refused_begin_leaves_what_runs_alone(bad in 0_usize..9) {
        let rig = rig_of(2);
        let still = [Motion {
            start: Quat::IDENTITY, axis: Vec3::X, turn: 1.0, place: Vec3::ONE, swing: Vec3::ONE, scale: 0.1
        }];
        let mut transition = begun(&rig, &still, &still, &settings(CLAMP, 1.0), 0.1);
        let before = format!("{transition:?}");
        let good = pose(&rig, &still, 0.0);
        let mut nan = good.clone();
        nan.set(Slot(1), &Transform { translation: Vec3::new(0.0, f32::NAN, 0.0), ..Transform::IDENTITY });
        let small = LocalPose::rest(&rig_of(1));
        let mut start =
            TransitionStart { source: &good, source_before: &good, target: &good, target_before: &good, dt: 0.1 };
        let mut set = settings(DEAD, 0.5);
        let expected = match bad {
            0 => { start.source = &nan; "the source pose is not finite at slot 1" }
            1 => { start.source_before = &nan; "the earlier source pose is not finite at slot 1" }
            2 => { start.target = &nan; "the target pose is not finite at slot 1" }
            3 => { start.target_before = &small; "the earlier target pose has 1 joints, the transition 2" }
            4 => { start.dt = f32::NAN; "the step in seconds is NaN, expected 0 or more and finite" }
            5 => { set.duration = -1.0; "the duration in seconds is -1, expected 0 to 3600" }
            6 => {
                set.method = TransitionMethod::DeadBlend { half_life: 0.0 };
                "the half-life in seconds is 0, expected above 0 and finite"
            }
            7 => {
                set.max_turn = f32::INFINITY;
                "the limit of rotation in radians a second is inf, expected 0 to 1000000"
            }
            _ => {
                set.method = TransitionMethod::DeadBlend { half_life: f32::NAN };
                "the half-life in seconds is NaN, expected above 0 and finite"
            }
        };
        prop_assert_eq!(transition.begin(&set, &start).unwrap_err().to_string(), expected);
        prop_assert_eq!(format!("{transition:?}"), before);
    }
}

/// Speed halves every half-life, so that in all `half_life / ln 2` of the first speed is covered; the rest is
/// the fade, 1 - smoothstep.
#[test]
fn a_dead_blend_carries_the_source_on() {
    for (t, half_life) in [(0.25_f64, 0.1_f64), (0.5, 0.1), (0.5, 1000.0), (0.75, 0.001)] {
        let set = settings(TransitionMethod::DeadBlend { half_life: half_life as f32 }, 1.0);
        let found = x_after(&to_rest(1.0, 2.0, &set), t as f32);
        let gone = half_life / core::f64::consts::LN_2 * (1.0 - libm::exp2(-t / half_life));
        let expected = (1.0 + 2.0 * gone) * (1.0 - t * t * (3.0 - 2.0 * t));
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}

/// 4 rad/s for a long half-life: the first hundredth of a second turns by 0.04.
#[test]
fn a_dead_blend_turns_at_the_source_speed() {
    let rig = rig_of(1);
    let at = |angle: f64| {
        let mut pose = LocalPose::rest(&rig);
        pose.set(
            Slot(0),
            &Transform { rotation: DQuat::from_rotation_y(angle).as_quat(), ..Transform::IDENTITY },
        );
        pose
    };
    let (source, before) = (at(1.0), at(1.0 - 4.0 * 0.01));
    let start = TransitionStart {
        source: &source,
        source_before: &before,
        target: &source,
        target_before: &source,
        dt: 0.01,
    };
    let mut transition = Transition::new(&rig);
    transition.begin(&settings(TransitionMethod::DeadBlend { half_life: 1e3 }, 100.0), &start).unwrap();
    let (output, _) = step(&mut transition, 0.01, &source);
    assert!(angle(output.get(Slot(0)).rotation, at(1.04).get(Slot(0)).rotation) < 1e-5);
}

/// From 1.5 to 4.5 rad apart: half a turn is passed in the middle of the fade, and the way round is kept.
#[test]
fn motions_that_pass_half_a_turn_apart_do_not_flip() {
    let rig = rig_of(1);
    let at = |angle: f64| {
        let mut pose = LocalPose::rest(&rig);
        pose.set(
            Slot(0),
            &Transform { rotation: DQuat::from_rotation_y(angle).as_quat(), ..Transform::IDENTITY },
        );
        pose
    };
    for method in [DEAD, CLAMP, ALLOW] {
        let mut transition = Transition::new(&rig);
        let start = TransitionStart {
            source: &at(1.5),
            source_before: &at(1.5),
            target: &at(0.0),
            target_before: &at(0.1),
            dt: 1.0 / 60.0,
        };
        transition.begin(&settings(method, 0.5), &start).unwrap();
        let mut last = at(1.5);
        for frame in 1..=500 {
            let (output, _) = step(&mut transition, 0.001, &at(-6.0 * 0.001 * f64::from(frame)));
            let [radians, ..] = apart(&output, &last);
            assert!(radians < 0.03, "{method:?} frame {frame}: {radians}");
            last = output;
        }
    }
}

#[test]
fn velocities_beyond_the_limit_are_cut() {
    let set = TransitionSettings { max_speed: 2.0, ..settings(ALLOW, 1.0) };
    let free = settings(ALLOW, 1.0);
    assert_eq!(x_after(&to_rest(0.5, 20.0, &set), 0.3), x_after(&to_rest(0.5, 2.0, &free), 0.3));
}

/// Halfway the plain quintic is at exactly half the offset, by symmetry.
#[test]
fn without_velocity_half_the_time_is_half_the_offset() {
    for method in [CLAMP, ALLOW] {
        assert!((x_after(&to_rest(2.0, 0.0, &settings(method, 0.8)), 0.4) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_step_that_is_no_number_is_refused() {
    let mut transition = to_rest(1.0, 0.0, &settings(CLAMP, 1.0));
    let mut output = still(Vec3::ZERO);
    for dt in [f32::NAN, -0.1, f32::INFINITY] {
        let error = TransitionJob { transition: &mut transition, dt, output: &mut output }.run().unwrap_err();
        assert!(matches!(error, TransitionError::OutOfRange { what: "the step in seconds", .. }), "{error}");
    }
    assert_eq!(transition.remaining(), 1.0);
    let mut other = LocalPose::rest(&rig_of(3));
    let error = TransitionJob { transition: &mut transition, dt: 0.1, output: &mut other }.run().unwrap_err();
    assert_eq!(error.to_string(), "the output pose has 3 joints, the transition 1");
}

#[test]
fn a_finished_transition_is_a_cut() {
    let mut transition = to_rest(1.0, 0.0, &settings(CLAMP, 1.0));
    transition.finish();
    assert_eq!(transition.remaining(), 0.0);
    assert_eq!(x_after(&transition, 0.0), 0.0);
    assert_eq!(x_after(&to_rest(1.0, 0.0, &settings(CLAMP, 0.0)), 0.0), 0.0);
}

/// Scale that only the new motion has is faded in from the old one's.
#[test]
fn scale_that_comes_up_later_is_carried() {
    let rig = rig_of(1);
    let plain = still(Vec3::ZERO);
    let mut big = plain.clone();
    big.set(Slot(0), &Transform { scale: Vec3::splat(3.0), ..Transform::IDENTITY });
    let start = TransitionStart {
        source: &plain,
        source_before: &plain,
        target: &plain,
        target_before: &plain,
        dt: 0.1,
    };
    let mut transition = Transition::new(&rig);
    transition.begin(&settings(DEAD, 1.0), &start).unwrap();
    let (output, _) = step(&mut transition, 0.5, &big);
    assert_eq!(output.get(Slot(0)).scale, Vec3::splat(2.0));
    assert_eq!(DVec3::ONE.as_vec3(), plain.get(Slot(0)).scale);
}
