//! Aims go through the target or say which limit stopped them; chains reach it within every joint's limits.

use glam::{DQuat, DVec3, Quat};
use proptest::prelude::*;
use sinew::{
    AimGroup, AimGroupJob, AimJob, AimLimits, AimSolution, Backend, ChainJob, ChainSolution, DTransform,
    IkError, IkStatus, JointLimit, LaneStatus, LimitPart,
};

fn degrees(v: [f64; 2]) -> [f64; 2] {
    v.map(f64::to_radians)
}

/// A head that turns 65 degrees to each side, 18 down and 12 up.
fn head() -> AimLimits {
    AimLimits { yaw: degrees([-65.0, 65.0]), pitch: degrees([-18.0, 12.0]) }
}

fn aim(target: DVec3, offset: DVec3, limits: AimLimits) -> Result<(AimSolution, IkStatus), IkError> {
    let mut output = AimSolution::NONE;
    let (origin, reference, look) = (DVec3::ZERO, DQuat::IDENTITY, DQuat::IDENTITY);
    let status = AimJob { origin, reference, look, offset, target, limits, output: &mut output }.run()?;
    Ok((output, status))
}

fn vector(range: core::ops::Range<f64>) -> impl Strategy<Value = DVec3> {
    (range.clone(), range.clone(), range).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn rotation() -> impl Strategy<Value = DQuat> {
    (vector(-1.0..1.0), 0.2..3.0)
        .prop_map(|(axis, angle)| DQuat::from_axis_angle(axis.normalize_or(DVec3::X), angle))
}

proptest! {
    #[test]
    fn the_ray_from_the_eye_goes_through_the_target_without_a_roll(
        target in vector(-9.0..9.0), offset in vector(-0.3..0.3), reference in rotation(), look in rotation(),
    ) {
        prop_assume!(target.length() > 1.0);
        let (origin, limits) = (DVec3::new(3.0, 1.0, -2.0), AimLimits::NONE);
        let mut output = AimSolution::NONE;
        let status = AimJob {
            origin, reference, look, offset, target: origin + target, limits, output: &mut output,
        }.run();
        prop_assume!(matches!(status, Ok(IkStatus::Reached)));
        let frame = output.rotation * look;
        let eye = frame * offset;
        let to_target = target - eye;
        prop_assert!((to_target.normalize() - frame * DVec3::Z).length() < 1e-11);
        // The look frame's side stays across the reference's up.
        prop_assert!((frame * DVec3::X).dot(reference * DVec3::Y).abs() < 1e-12);
    }

    #[test]
    fn lanes_agree_with_double_precision_and_backends_to_the_last_bit(
        targets in prop::collection::vec(vector(-9.0..9.0), 8), offset in vector(-0.3..0.3), reference in rotation(),
        look in rotation(), yaw in 0.1..3.0_f64, pitch in 0.1..1.4_f64,
    ) {
        let limits = AimLimits { yaw: [-yaw, 0.5 * yaw], pitch: [-0.5 * pitch, pitch] };
        let mut group = AimGroup::EMPTY;
        for (lane, target) in targets.iter().enumerate() {
            let mut output = AimSolution::NONE;
            let origin = DVec3::new(0.5, -0.25, 2.0);
            let aim = AimJob { origin, reference, look, offset, target: *target, limits, output: &mut output };
            group.set(lane, &aim).expect("limits");
        }
        let (output, status) = run_all(&group);
        for lane in 0..8 {
            let exact = group.solve_lane(lane, limits);
            match (status.get(lane), exact) {
                (None, Err(_)) => {}
                (Some(found), Ok((exact, expected))) => {
                    // On the edge of a limit the two may differ; the pose may not.
                    let edge = [
                        exact.wanted_yaw - limits.yaw[0], exact.wanted_yaw - limits.yaw[1],
                        exact.wanted_pitch - limits.pitch[0], exact.wanted_pitch - limits.pitch[1],
                    ].iter().any(|d| d.abs() < 1e-5);
                    let same = core::mem::discriminant(&found) == core::mem::discriminant(&expected);
                    prop_assert!(same || edge, "{:?} and {:?}", found, expected);
                    if let IkStatus::LimitHit { .. } = expected && !edge {
                        prop_assert_eq!(found, expected);
                    }
                    if !matches!(expected, IkStatus::Unreachable { .. }) {
                        let q = Quat::from_array(output.map(|row| row[lane])).as_dquat().normalize();
                        let off = DTransform::angle_between(q, exact.rotation);
                        // Straight up, the yaw of single precision is anybody's; across the back, the side.
                        let upright = exact.wanted_pitch.abs() > 1.5 || exact.wanted_yaw.abs() > 3.1;
                        prop_assert!(off < 1e-5 || upright, "{} radians off", off);
                    }
                }
                (found, exact) => prop_assert!(false, "{:?} and {:?}", found, exact),
            }
        }
    }

    #[test]
    fn every_input_has_an_answer(bits in prop::array::uniform16(any::<u64>()), which in any::<u16>()) {
        let v = |i: usize, sane: f64| if which >> i & 1 == 1 { f64::from_bits(bits[i]) } else { sane };
        let limits = AimLimits { yaw: [v(0, -1.0), 1.0], pitch: [-0.5, v(1, 0.5)] };
        let mut aimed = AimSolution::NONE;
        let result = AimJob {
            origin: DVec3::new(v(2, 0.0), 0.0, 0.0),
            reference: DQuat::from_xyzw(v(3, 0.0), 0.0, 0.0, v(4, 1.0)),
            look: DQuat::IDENTITY,
            offset: DVec3::new(v(5, 0.1), v(6, 0.0), v(7, 0.2)),
            target: DVec3::new(v(8, 1.0), v(9, 2.0), v(10, 3.0)),
            limits,
            output: &mut aimed,
        }.run();
        prop_assert!(aimed.rotation.is_finite() && aimed.yaw.is_finite() && aimed.wanted_pitch.is_finite());
        prop_assert!(result.is_ok() || aimed == AimSolution::NONE);

        let start = [DQuat::from_rotation_x(0.1), DQuat::from_xyzw(0.0, v(11, 0.0), 0.0, 1.0)];
        let mut rotations = start;
        let result = ChainJob {
            root: DTransform::IDENTITY,
            offsets: &[DVec3::new(v(12, 0.0), 1.0, 0.0), DVec3::new(0.0, v(13, 0.5), 0.0)],
            limits: &[None, Some(JointLimit::swing_twist(DQuat::IDENTITY, DVec3::Y, 0.5, [v(14, -0.1), 0.1]))],
            target: DVec3::new(v(8, 1.0), v(9, 0.5), 0.2),
            tolerance: v(15, 1e-6),
            sweeps: 20,
            rotations: &mut rotations,
        }.run();
        match result {
            Ok(solution) => {
                prop_assert!(solution.residual.is_finite());
                prop_assert!(rotations.iter().all(|q| q.is_normalized()));
            }
            Err(_) => {
                let bits = |all: [DQuat; 2]| all.map(|q| q.to_array().map(f64::to_bits));
                prop_assert_eq!(bits(rotations), bits(start));
            }
        }
    }

    #[test]
    fn a_chain_keeps_every_limit_and_is_honest_about_the_rest(
        target in vector(-1.2..1.2), limited in any::<u8>(), start in prop::collection::vec(rotation(), 5),
    ) {
        let offsets = [DVec3::new(0.0, 0.3, 0.0), DVec3::Y * 0.25, DVec3::new(0.05, 0.2, 0.0), DVec3::Y * 0.2, DVec3::Y * 0.1];
        let limits: Vec<Option<JointLimit>> = (0..5).map(|i| (limited >> i & 1 == 1).then(|| {
            JointLimit::swing_twist(DQuat::IDENTITY, DVec3::Y, 0.7, [-0.3, 0.3])
        })).collect();
        let mut rotations = start;
        let mut job = ChainJob {
            root: DTransform::IDENTITY, offsets: &offsets, limits: &limits, target, tolerance: 1e-6, sweeps: 200,
            rotations: &mut rotations,
        };
        let ChainSolution { status, residual, .. } = job.run().expect("a chain");
        prop_assert!((residual - (job.end() - target).length()).abs() < 1e-12);
        prop_assert_eq!(status.is_reached(), residual <= 1e-6);
        if let IkStatus::LimitHit { joint } = status {
            prop_assert!(limits[joint].expect("limited").margin(rotations[joint]).radians < 1e-6);
        }
        for (q, limit) in rotations.iter().zip(&limits) {
            prop_assert!(q.is_normalized());
            if let Some(limit) = limit {
                prop_assert!(limit.margin(*q).radians > -1e-9, "{:?}", limit.margin(*q));
            }
        }
        if target.length() > 1.06 {
            prop_assert!(matches!(status, IkStatus::Unreachable { .. }), "{:?}", status);
        }
    }
}

fn run_all(group: &AimGroup) -> ([[f32; 8]; 4], LaneStatus) {
    let mut results = Vec::new();
    for backend in Backend::ALL {
        let (mut outputs, mut statuses) =
            ([[[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]]], [LaneStatus::default()]);
        let mut job = AimGroupJob { groups: &[*group], outputs: &mut outputs, statuses: &mut statuses };
        job.run_on(backend).expect("one of each");
        results.push((outputs[0].map(|row| row.map(f32::to_bits)), statuses[0], outputs[0]));
    }
    for result in &results[1..] {
        assert_eq!((&result.0, &result.1), (&results[0].0, &results[0].1));
    }
    (results[0].2, results[0].1)
}

#[test]
fn angles_are_those_of_the_target_and_limits_stop_them_by_name() {
    // 45 degrees to the +X side, then out of the cone to that side, above, and below.
    let (within, status) = aim(DVec3::new(5.0, 0.0, 5.0), DVec3::ZERO, head()).expect("a target");
    assert_eq!(status, IkStatus::Reached);
    assert!((within.yaw.to_degrees() - 45.0).abs() < 1e-12 && within.pitch.abs() < 1e-15);
    let (aside, status) = aim(DVec3::new(5.0, 0.0, 0.0), DVec3::ZERO, head()).expect("a target");
    assert_eq!(status, IkStatus::LimitHit { joint: 0 });
    assert!(
        (aside.yaw.to_degrees() - 65.0).abs() < 1e-12 && (aside.wanted_yaw.to_degrees() - 90.0).abs() < 1e-12
    );
    let looks = aside.rotation * DVec3::Z;
    assert!((looks.x - libm::sin(65.0_f64.to_radians())).abs() < 1e-12);
    let (above, status) = aim(DVec3::new(0.0, 5.0, 5.0), DVec3::ZERO, head()).expect("a target");
    assert_eq!(status, IkStatus::LimitHit { joint: 1 });
    assert!((above.pitch.to_degrees() - 12.0).abs() < 1e-12);
    assert!(((above.rotation * DVec3::Z).y - libm::sin(12.0_f64.to_radians())).abs() < 1e-12);
    let (below, _) = aim(DVec3::new(0.0, -5.0, 5.0), DVec3::ZERO, head()).expect("a target");
    assert!((below.pitch.to_degrees() + 18.0).abs() < 1e-12);
}

#[test]
fn a_target_inside_the_eyes_offset_is_out_of_reach_and_others_are_refused_by_name() {
    let eye = DVec3::new(0.5, 0.0, 0.0);
    let (_, status) = aim(DVec3::new(0.0, 0.0, 0.3), eye, AimLimits::NONE).expect("a target");
    let IkStatus::Unreachable { by_metres } = status else { panic!("{status:?}") };
    assert!((by_metres - 0.2).abs() < 1e-12);
    assert_eq!(aim(DVec3::ZERO, DVec3::ZERO, head()).unwrap_err(), IkError::TargetOnRoot);
    assert_eq!(aim(DVec3::Y * 3.0, DVec3::ZERO, head()).unwrap_err(), IkError::TargetOnAxis);
    assert_eq!(aim(DVec3::NAN, DVec3::ZERO, head()).unwrap_err(), IkError::NotFinite { what: "the target" });
    let crossed = AimLimits { yaw: [1.0, -1.0], ..head() };
    assert!(matches!(aim(DVec3::Z, DVec3::ZERO, crossed), Err(IkError::OutOfRange { value: -1.0, .. })));
    let mut group = AimGroup::EMPTY;
    assert!(group.set_limits(0, &crossed).is_err());
    assert_eq!(run_all(&group).1.faulty, 0xff, "eight targets on their joints");
}

#[test]
fn a_chain_within_reach_gets_there() {
    let offsets = [DVec3::Y * 0.3; 4];
    let mut worst = 0;
    for i in 0..100 {
        let t = f64::from(i) * 0.7;
        let target = DVec3::new(libm::sin(t), libm::cos(1.3 * t), libm::sin(2.1 * t)).normalize()
            * (0.2 + 0.008 * f64::from(i));
        let mut rotations = [DQuat::from_rotation_x(0.1); 4];
        let solution = ChainJob {
            root: DTransform::IDENTITY,
            offsets: &offsets,
            limits: &[None; 4],
            target,
            tolerance: 1e-9,
            sweeps: 500,
            rotations: &mut rotations,
        }
        .run()
        .expect("a chain");
        assert_eq!(solution.status, IkStatus::Reached, "target {target} of length {}", target.length());
        worst = worst.max(solution.sweeps);
    }
    println!("at most {worst} sweeps to a nanometre");
}

#[test]
fn a_straight_chain_that_points_at_its_target_bends_to_it() {
    let offsets = [DVec3::Y * 0.3; 3];
    let mut rotations = [DQuat::IDENTITY; 3];
    let solution = ChainJob {
        root: DTransform::IDENTITY,
        offsets: &offsets,
        limits: &[None; 3],
        target: DVec3::Y * 0.5,
        tolerance: 1e-9,
        sweeps: 100,
        rotations: &mut rotations,
    }
    .run()
    .expect("a chain");
    assert_eq!(solution.status, IkStatus::Reached);
}

#[test]
fn chains_that_are_none_are_refused_by_name() {
    let mut rotations = [DQuat::IDENTITY; 2];
    let offsets = [DVec3::Y, DVec3::Y];
    let mut run = |offsets: &[DVec3], limits: &[Option<JointLimit>], target: DVec3, tolerance: f64| {
        let root = DTransform::IDENTITY;
        ChainJob { root, offsets, limits, target, tolerance, sweeps: 9, rotations: &mut rotations }.run()
    };
    let none = [None, None];
    assert!(matches!(
        run(&offsets[..1], &none[..1], DVec3::X, 1e-6),
        Err(IkError::Count { found: 2, expected: 1, .. })
    ));
    assert_eq!(run(&[DVec3::ZERO; 2], &none, DVec3::X, 1e-6), Err(IkError::ZeroLength { what: "the chain" }));
    assert_eq!(run(&offsets, &none, DVec3::NAN, 1e-6), Err(IkError::NotFinite { what: "the target" }));
    assert_eq!(run(&offsets, &none, DVec3::X, 0.0), Err(IkError::ZeroLength { what: "the tolerance" }));
    let wide = Some(JointLimit::swing_twist(DQuat::IDENTITY, DVec3::ZERO, 1.0, [0.0, 0.0]));
    assert_eq!(
        run(&offsets, &[None, wide], DVec3::X, 1e-6),
        Err(IkError::ZeroLength { what: "the axis of a limit" })
    );
    assert!(rotations.iter().all(|q| *q == DQuat::IDENTITY));
}

#[test]
fn swing_and_twist_are_told_apart_and_cut_each_to_its_own() {
    let limit = JointLimit::swing_twist(DQuat::from_rotation_z(0.4), DVec3::Y, 0.5, [-0.2, 0.3]);
    let of = |swing: f64, twist: f64| {
        DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(swing) * DQuat::from_rotation_y(twist)
    };
    let margin = |q: DQuat| (limit.margin(q).radians, limit.margin(q).part);
    let close = |a: (f64, LimitPart), b: (f64, LimitPart)| (a.0 - b.0).abs() < 1e-12 && a.1 == b.1;
    assert!(close(margin(of(0.1, 0.1)), (0.2, LimitPart::Twist)));
    assert!(close(margin(of(0.45, 0.0)), (0.05, LimitPart::Swing)));
    assert!(close(margin(of(0.9, 0.0)), (-0.4, LimitPart::Swing)));
    assert!(close(margin(of(-0.9, 0.0)), (-0.4, LimitPart::Swing)));
    assert!(close(margin(of(0.0, -0.5)), (-0.3, LimitPart::Twist)));
    assert!(close(margin(-of(0.0, -0.5)), (-0.3, LimitPart::Twist)), "the other sign of the quaternion");
    assert_eq!(limit.clamp(of(0.1, 0.1)), of(0.1, 0.1), "bit for bit");
    assert!(DTransform::angle_between(limit.clamp(of(0.9, -0.5)), of(0.5, -0.2)) < 1e-12);
    // Round the back, -3 is nearer to 0.3 by way of pi only where that is the shorter way.
    assert!(DTransform::angle_between(limit.clamp(of(0.0, 3.0)), of(0.0, 0.3)) < 1e-12);
    assert_eq!(limit.margin(DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)).radians, f64::NEG_INFINITY);
}

#[test]
fn each_axis_keeps_its_own_limits() {
    let limit =
        JointLimit::per_axis(DQuat::IDENTITY, DVec3::new(-0.1, -0.2, -0.3), DVec3::new(0.4, 0.5, 0.6));
    let of = |x: f64, y: f64, z: f64| {
        DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y) * DQuat::from_rotation_z(z)
    };
    assert!((limit.margin(of(0.0, 0.0, 0.0)).radians - 0.1).abs() < 1e-12);
    let past = limit.margin(of(0.0, 0.7, 0.0));
    assert!((past.radians + 0.2).abs() < 1e-12 && past.part == LimitPart::Axis(1));
    assert!(DTransform::angle_between(limit.clamp(of(0.2, 0.7, -0.9)), of(0.2, 0.5, -0.3)) < 1e-12);
}
