//! The leg of a walking machine: exact, a function of its input alone, and honest about what it cannot do.

mod machine_leg;

use glam::{DQuat, DVec3};
use machine_leg::{MOUNTS, anchor, leg, swaying};
use proptest::prelude::*;
use sinew::{
    DTransform, IkError, IkStatus, LegFault, LegGeometry, LegJob, LegLimits, LegSearch, LegSolution,
    LegTarget, largest_residual, largest_turn, solve_leg_at,
};

fn standing() -> DTransform {
    swaying(0)
}

fn solve(body: DTransform, target: LegTarget, mount: f64, previous: Option<f64>) -> (LegSolution, IkStatus) {
    let mut output = LegSolution::NONE;
    let (geometry, search) = (&leg(mount), &LegSearch::default());
    let status =
        LegJob { geometry, search, body, target, previous, output: &mut output }.run().expect("valid input");
    (output, status)
}

/// Pitch 10.35, yaw 9.36 and roll 4 degrees, and 0.8 m down, over 172 samples.
fn shake(sample: usize, amplitude: f64) -> DTransform {
    let u = (sample as f64 / 30.0 - 1.0).clamp(0.0, 3.73) / 3.73;
    let wave = |cycles: f64, phase: f64| {
        let window = libm::sin(core::f64::consts::PI * u);
        amplitude * window * libm::sin(core::f64::consts::TAU * (cycles * u + phase))
    };
    let degrees = |v: f64| v.to_radians();
    let rotation = DQuat::from_rotation_y(degrees(9.36 * wave(1.0, 0.0)))
        * DQuat::from_rotation_x(degrees(10.35 * wave(1.0, 0.25)))
        * DQuat::from_rotation_z(degrees(4.0 * wave(1.5, 0.1)));
    let down = 0.8 * amplitude * libm::sin(core::f64::consts::PI * u);
    DTransform::from_rotation_translation(rotation, DVec3::new(0.0, 9.0 - down, 0.0))
}

proptest! {
    #[test]
    fn the_sole_is_where_it_should_be_to_a_picometre(
        mount in -3.0..3.0, x in -1.5..1.5, y in -1.0..1.5, z in -1.0..1.0,
        pitch in -0.2..0.2, yaw in -0.2..0.2, roll in -0.2..0.2,
        tilt in -0.3..0.3, heading in -3.0..3.0,
        away in -100.0..100.0,
    ) {
        let turned = DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(pitch) * DQuat::from_rotation_z(roll);
        let middle = DVec3::new(away, 0.0, -away);
        let body = DTransform::from_rotation_translation(turned, middle + DVec3::new(0.0, 9.0, 0.0));
        let mut target = anchor(mount);
        target.sole += middle + DVec3::new(x, y, z);
        target.foot = DQuat::from_rotation_x(tilt) * DQuat::from_rotation_y(heading);
        let (solution, status) = solve(body, target, mount, None);
        prop_assume!(!matches!(status, IkStatus::Unreachable { .. }));
        // Forward again from the angles alone.
        let foot = body.rotation.conjugate() * target.foot;
        let pose = leg(mount).forward(solution.angles, foot).to_world(&body);
        prop_assert!((pose.sole() - target.sole).length() < 1e-12, "{:e}", (pose.sole() - target.sole).length());
        let lengths = [0.9, 5.6, 6.2, 2.0, 0.6];
        for (pair, length) in pose.joints.windows(2).zip(lengths) {
            prop_assert!(((pair[1] - pair[0]).length() - length).abs() < 1e-12);
        }
        prop_assert!(DTransform::angle_between(pose.rotations[4], target.foot) < 1e-12);
        prop_assert!(solution.angles[2] <= 0.0, "the knee is always above: {}", solution.angles[2]);
    }

    #[test]
    fn every_input_has_an_answer(
        bits in prop::array::uniform12(any::<u64>()), which in any::<u16>(),
    ) {
        // Sane values with some replaced by arbitrary bits.
        let v = |i: usize, sane: f64| if which >> i & 1 == 1 { f64::from_bits(bits[i]) } else { sane };
        let mut geometry = leg(0.6);
        geometry.upper = v(0, 5.6);
        geometry.lower = v(1, 6.2);
        geometry.hip.x = v(2, 1.0);
        geometry.limits.knee[0] = v(3, -2.7);
        let body = DTransform {
            translation: DVec3::new(v(4, 0.0), v(5, 9.0), 0.0),
            rotation: DQuat::from_xyzw(v(6, 0.0), 0.0, 0.0, v(7, 1.0)),
            scale: DVec3::ONE,
        };
        let target = LegTarget {
            sole: DVec3::new(v(8, 4.0), 0.0, v(9, 5.9)),
            foot: DQuat::from_xyzw(0.0, v(10, 0.0), 0.0, 1.0),
        };
        let mut output = LegSolution::NONE;
        let search = &LegSearch::default();
        let previous = (which & 0x1000 == 0).then(|| v(11, 0.1));
        let result = LegJob { geometry: &geometry, search, body, target, previous, output: &mut output }.run();
        match result {
            Ok(IkStatus::Unreachable { by_metres }) => {
                prop_assert!(by_metres >= 0.0);
                prop_assert_eq!(output, LegSolution::NONE);
            }
            Ok(_) => prop_assert!(output.pose.joints.iter().all(|p| p.is_finite()) && output.phi.is_finite()),
            Err(_) => prop_assert_eq!(output, LegSolution::NONE),
        }
    }
}

#[test]
fn a_leg_at_ease_keeps_its_limits_and_its_distance_to_itself() {
    for mount in MOUNTS {
        let (solution, status) = solve(standing(), anchor(mount), mount, None);
        assert_eq!(status, IkStatus::Reached);
        assert!(solution.limit_margin > 0.0 && solution.clearance > 0.0, "{solution:?}");
        // The sole is straight out from the hip.
        assert!(solution.angles[0].abs() < 1e-12);
    }
}

#[test]
fn six_soles_stay_while_the_body_shakes_and_no_segment_jumps() {
    let (geometry, targets) = (MOUNTS.map(leg), MOUNTS.map(anchor));
    let anchors = targets.map(|t| t.sole);
    for (amplitude, smooth) in [(1.0, true), (2.0, false)] {
        let (mut output, mut statuses) = ([LegSolution::NONE; 6], [IkStatus::Reached; 6]);
        let mut before: Option<Vec<DQuat>> = None;
        let (mut turned, mut residual, mut limited) = (0.0_f64, 0.0_f64, 0);
        for sample in 0..172 {
            let body = shake(sample, amplitude);
            for leg in 0..6 {
                let previous = (sample > 0).then_some(output[leg].phi);
                let (geometry, search, target) = (&geometry[leg], &LegSearch::default(), targets[leg]);
                let output = &mut output[leg];
                statuses[leg] =
                    LegJob { geometry, search, body, target, previous, output }.run().expect("a leg");
            }
            limited += statuses.iter().filter(|s| !s.is_reached()).count();
            let poses = output.map(|s| s.pose.to_world(&body));
            let soles = poses.map(|p| p.sole());
            residual = residual.max(largest_residual(&soles, &anchors).expect("six soles").metres);
            let rotations: Vec<DQuat> = poses.iter().flat_map(|p| p.rotations[1..].to_vec()).collect();
            assert_eq!(rotations.len(), 24);
            if let Some(before) = &before {
                turned = turned.max(largest_turn(before, &rotations).expect("24 joints").radians);
            }
            before = Some(rotations);
        }
        println!(
            "shake x{amplitude}: residual {residual:e} m, largest turn {:.2} degrees, {limited} of 1032 not reached",
            turned.to_degrees()
        );
        assert!(residual < 1e-12, "{residual:e}");
        assert_eq!(turned.to_degrees() < 5.0 && limited == 0, smooth);
    }
}

#[test]
fn a_closed_loop_of_the_body_ends_where_it_began() {
    let mount = 0.6;
    let (first, _) = solve(standing(), anchor(mount), mount, None);
    let mut phi = first.phi;
    for sample in 0..=400 {
        let at = core::f64::consts::TAU * f64::from(sample) / 100.0;
        let body = DTransform::from_rotation_translation(
            DQuat::from_rotation_x(0.1 * libm::sin(at)),
            DVec3::new(0.4 * libm::sin(at), 9.0 - 0.3 * libm::sin(at), 0.0),
        );
        phi = solve(body, anchor(mount), mount, Some(phi)).0.phi;
    }
    // What is left of the last lap goes; nothing builds up over the four.
    for _ in 0..40 {
        phi = solve(standing(), anchor(mount), mount, Some(phi)).0.phi;
    }
    assert!((phi - first.phi).abs() < 1e-6, "{phi} and {}", first.phi);
}

#[test]
fn the_tilt_stays_within_its_window() {
    let mount = 1.57;
    for previous in [-0.5, 0.0, 0.4, 0.9] {
        let (solution, _) = solve(standing(), anchor(mount), mount, Some(previous));
        assert!((solution.phi - previous).abs() <= 0.05 + 1e-12, "{} after {previous}", solution.phi);
    }
}

#[test]
fn both_signs_of_a_quaternion_are_the_same_foot_and_body() {
    let mount = -0.6;
    let body = shake(70, 1.0);
    let flipped = DTransform { rotation: -body.rotation, ..body };
    let target = anchor(mount);
    let (a, _) = solve(body, target, mount, Some(0.1));
    let (b, _) = solve(flipped, LegTarget { foot: -target.foot, ..target }, mount, Some(0.1));
    assert_eq!(a.angles, b.angles);
}

#[test]
fn out_of_reach_says_by_how_much_and_changes_nothing() {
    let mount = 1.57;
    let mut target = anchor(mount);
    // Straight below the hip: coxa and ankle cannot help downwards but by the ankle's own 2 m.
    target.sole = leg(mount).hip + DVec3::new(0.9, -30.0, 0.0);
    let (mut output, geometry) = (LegSolution::NONE, leg(mount));
    let body = DTransform::IDENTITY;
    let search = &LegSearch::default();
    let status =
        LegJob { geometry: &geometry, search, body, target, previous: None, output: &mut output }.run();
    let Ok(IkStatus::Unreachable { by_metres }) = status else { panic!("{status:?}") };
    // 30 m less foot, ankle, upper and lower; the nearest of 65 tilts is within a fortieth of straight down.
    assert!((by_metres - (30.0 - 0.6 - 2.0 - 5.6 - 6.2)).abs() < 1e-3, "{by_metres}");
    assert_eq!(output, LegSolution::NONE);
    let fault = solve_leg_at(&geometry, &body, &target, 0.0);
    assert!(matches!(fault, Err(LegFault::Unreachable { by_metres }) if by_metres > 15.0), "{fault:?}");
}

#[test]
fn a_limit_that_cannot_be_kept_is_named_and_the_sole_stays() {
    let (mount, mut geometry) = (1.57, leg(1.57));
    for (joint, set) in [
        (0, (|l, v| l.yaw = v) as fn(&mut LegLimits, [f64; 2])),
        (1, |l, v| l.hip = v),
        (2, |l, v| l.knee = v),
    ] {
        geometry.limits = LegLimits::NONE;
        // Where no tilt within the range brings that joint.
        set(&mut geometry.limits, [3.0, 3.1]);
        let (mut output, search, target) = (LegSolution::NONE, &LegSearch::default(), anchor(mount));
        let status = LegJob {
            geometry: &geometry,
            search,
            body: standing(),
            target,
            previous: None,
            output: &mut output,
        }
        .run();
        assert_eq!(status, Ok(IkStatus::LimitHit { joint }));
        assert!(output.limit_margin < 0.0);
        let sole = output.pose.to_world(&standing()).sole();
        assert!((sole - target.sole).length() < 1e-12);
    }
}

#[test]
fn a_leg_within_itself_says_so() {
    let (mount, mut geometry) = (0.6, leg(0.6));
    geometry.radii = [3.0; 4];
    let (mut output, search, target) = (LegSolution::NONE, &LegSearch::default(), anchor(mount));
    let status =
        LegJob { geometry: &geometry, search, body: standing(), target, previous: None, output: &mut output }
            .run();
    assert!(matches!(status, Ok(IkStatus::Collides { by_metres }) if by_metres > 0.0), "{status:?}");
}

#[test]
fn a_foot_on_the_yaw_axis_and_legs_that_are_none_are_refused_by_name() {
    let (geometry, search, body) = (leg(0.0), LegSearch::default(), DTransform::IDENTITY);
    let mut output = LegSolution::NONE;
    let below = LegTarget { sole: geometry.hip - DVec3::Y * 5.0, foot: DQuat::IDENTITY };
    let mut run = |geometry: &LegGeometry, target: LegTarget, search: &LegSearch, previous: Option<f64>| {
        LegJob { geometry, search, body, target, previous, output: &mut output }.run()
    };
    assert_eq!(run(&geometry, below, &search, None), Err(IkError::TargetOnAxis));
    let target = LegTarget { sole: DVec3::new(0.0, -9.0, 7.0), foot: DQuat::IDENTITY };
    let no_upper = LegGeometry { upper: 0.0, ..geometry };
    assert_eq!(run(&no_upper, target, &search, None), Err(IkError::ZeroLength { what: "the upper segment" }));
    let skew = LegGeometry { outward: DVec3::Y, ..geometry };
    assert!(matches!(run(&skew, target, &search, None), Err(IkError::OutOfRange { .. })));
    let nan = LegTarget { sole: DVec3::splat(f64::NAN), ..target };
    assert_eq!(run(&geometry, nan, &search, None), Err(IkError::NotFinite { what: "the sole" }));
    let narrow = LegSearch { window: -1.0, ..search };
    assert!(matches!(run(&geometry, target, &narrow, None), Err(IkError::OutOfRange { .. })));
    for previous in [f64::NAN, 5.0] {
        assert!(matches!(run(&geometry, target, &search, Some(previous)), Err(IkError::OutOfRange { .. })));
    }
}
