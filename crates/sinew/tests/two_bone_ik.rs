//! Limbs of two bones: exact, without flips, honest about reach, and the same eight at a time.

use glam::{DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use sinew::{
    Backend, BendPlane, DTransform, IkError, IkStatus, LaneStatus, TwoBoneGroup, TwoBoneGroupJob, TwoBoneJob,
    TwoBoneLimb, TwoBoneRotations, TwoBoneSolution,
};

/// A leg from its hip down that bends ahead, with joints that are turned anyhow.
fn rest() -> (DTransform, DTransform, DVec3) {
    let root = DTransform::from_rotation_translation(
        DQuat::from_rotation_x(0.3) * DQuat::from_rotation_z(1.1),
        DVec3::new(0.1, 0.95, 0.0),
    );
    let mid = DTransform::from_rotation_translation(
        DQuat::from_rotation_y(-0.8) * DQuat::from_rotation_z(2.0),
        DVec3::new(0.1, 0.5, 0.02),
    );
    (root, mid, DVec3::new(0.1, 0.08, -0.03))
}

fn limb() -> TwoBoneLimb {
    let (root, mid, end) = rest();
    TwoBoneLimb::from_pose(&root, &mid, end, DVec3::NEG_X).expect("a leg")
}

fn solve(
    limb: &TwoBoneLimb,
    root: DVec3,
    target: DVec3,
    plane: BendPlane,
    soft: f64,
) -> Result<(TwoBoneSolution, IkStatus), IkError> {
    let mut output = TwoBoneSolution::NONE;
    let status = TwoBoneJob { limb, root, target, plane, soft, output: &mut output }.run()?;
    Ok((output, status))
}

/// Forward from the rotations and the rest pose's local offsets alone.
fn forward(root: DVec3, solution: &TwoBoneSolution) -> (DVec3, DVec3) {
    let (upper, lower, end) = rest();
    let mid_ls = upper.rotation.conjugate() * (lower.translation - upper.translation);
    let end_ls = lower.rotation.conjugate() * (end - lower.translation);
    let mid = root + solution.upper * mid_ls;
    (mid, mid + solution.lower * end_ls)
}

fn direction() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0)
        .prop_map(|(x, y, z)| DVec3::new(x, y, z))
        .prop_filter_map("a direction", |v| if v.length() > 0.1 { Some(v.normalize()) } else { None })
}

proptest! {
    #[test]
    fn the_end_is_at_the_target_to_a_picometre(
        way in direction(), share in 0.06..0.9999, pole in direction(), root in direction(),
    ) {
        let limb = limb();
        let target = root + way * share * (limb.upper + limb.lower);
        let solved = solve(&limb, root, target, BendPlane::Pole(root + pole), 0.0);
        prop_assume!(solved != Err(IkError::PoleOnLine));
        let (solution, status) = solved.expect("a limb within reach");
        prop_assert_eq!(status, IkStatus::Reached);
        let (mid, end) = forward(root, &solution);
        prop_assert!((end - target).length() < 1e-12, "{:e}", (end - target).length());
        prop_assert!((end - solution.end).length() < 1e-12 && (mid - solution.mid).length() < 1e-12);
        // The middle joint is in the plane, on the pole's side.
        let side = pole - way * pole.dot(way);
        let bent = mid - root - way * (mid - root).dot(way);
        prop_assert!(bent.dot(side) >= 0.0);
        prop_assert!(bent.cross(side).length() < 1e-10 * side.length().max(1e-3));
        // The hinge of both bones is across the plane.
        let hinge = way.cross(pole).normalize();
        let rest_hinge = |joint: &DTransform, q: DQuat| q * (joint.rotation.conjugate() * DVec3::NEG_X);
        prop_assert!((rest_hinge(&rest().0, solution.upper) - hinge).length() < 1e-9);
        prop_assert!((rest_hinge(&rest().1, solution.lower) - hinge).length() < 1e-9);
    }

    #[test]
    fn a_normal_and_the_pole_it_stands_for_give_the_same_limb(way in direction(), normal in direction()) {
        prop_assume!(way.cross(normal).length() > 0.05);
        let (limb, root) = (limb(), DVec3::new(1.0, 2.0, 3.0));
        let target = root + way * 0.6;
        let (a, _) = solve(&limb, root, target, BendPlane::Normal(normal), 0.0).expect("a plane");
        let pole = root + normal.cross(way);
        let (b, _) = solve(&limb, root, target, BendPlane::Pole(pole), 0.0).expect("a plane");
        prop_assert!((a.mid - b.mid).length() < 1e-12);
    }

    #[test]
    fn every_input_has_an_answer(bits in prop::array::uniform16(any::<u64>()), which in any::<u16>()) {
        let v = |i: usize, sane: f64| if which >> i & 1 == 1 { f64::from_bits(bits[i]) } else { sane };
        let limb = TwoBoneLimb {
            upper: v(0, 0.45), lower: v(1, 0.42),
            upper_frame: DQuat::from_xyzw(v(2, 0.0), 0.0, 0.0, v(3, 1.0)), lower_frame: DQuat::IDENTITY,
        };
        let (root, target) = (DVec3::new(v(4, 0.0), v(5, 0.0), v(6, 0.0)), DVec3::new(v(7, 0.3), v(8, 0.4), v(9, 0.1)));
        let plane = DVec3::new(v(10, 0.0), v(11, 0.0), v(12, 1.0));
        let plane = if bits[15] & 1 == 0 { BendPlane::Pole(plane) } else { BendPlane::Normal(plane) };
        if let Ok((s, _)) = solve(&limb, root, target, plane, v(13, 0.1)) {
            prop_assert!(s.upper.is_finite() && s.lower.is_finite() && s.mid.is_finite() && s.end.is_finite());
            prop_assert!(((s.mid - root).length() / limb.upper - 1.0).abs() < 1e-6 || root.length() > 1e3 * limb.upper);
        }
    }

    #[test]
    fn lanes_agree_with_double_precision_and_backends_to_the_last_bit(
        numbers in prop::collection::vec(-1.0_f64..1.0, 72), soft in 0.0_f32..0.3, normals in any::<u8>(),
    ) {
        let (limb, mut group) = (limb(), TwoBoneGroup::EMPTY);
        for lane in 0..8 {
            let v = |i: usize| DVec3::new(numbers[lane * 9 + i], numbers[lane * 9 + i + 1], numbers[lane * 9 + i + 2]);
            let plane = if normals >> lane & 1 == 1 { BendPlane::Normal(v(6)) } else { BendPlane::Pole(v(6) * 2.0) };
            group.set_limb(lane, &limb);
            group.set_target(lane, v(0), v(0) + v(3), plane);
            group.soft[lane] = if lane % 2 == 0 { soft } else { 0.0 };
        }
        let (outputs, statuses) = run_all(&group);
        for lane in 0..8 {
            let exact = group.solve_lane(lane);
            let Some(status) = statuses.get(lane) else {
                let edge = exact.is_err() || near_the_line(&group, lane);
                prop_assert!(edge, "lane {} is faulty, and {:?}", lane, exact);
                continue;
            };
            let (exact, exact_status) = exact.expect("not faulty");
            let same = core::mem::discriminant(&status) == core::mem::discriminant(&exact_status);
            // Next to where softness begins or the limb ends, they may round to either side.
            prop_assert!((missing(status) - missing(exact_status)).abs() < 2e-6);
            prop_assert!(same || missing(exact_status) < 2e-6, "{:?} and {:?}", status, exact_status);
            let upper = lane_of(&outputs.upper, lane);
            let lower = lane_of(&outputs.lower, lane);
            prop_assert!((upper.length() - 1.0).abs() < 1e-6 && (lower.length() - 1.0).abs() < 1e-6);
            // Where the end is, is what matters; next to stretched out single precision leaves the knee some
            // play.
            let root = DVec3::from(group.root.map(|row| f64::from(row[lane])));
            let (_, end) = forward(root, &TwoBoneSolution { upper: upper.as_dquat(), lower: lower.as_dquat(), ..exact });
            prop_assert!((end - exact.end).length() < 2e-6, "{:e}", (end - exact.end).length());
        }
    }
}

fn missing(status: IkStatus) -> f64 {
    match status {
        IkStatus::Softened { by_metres } | IkStatus::Unreachable { by_metres } => by_metres,
        _ => 0.0,
    }
}

fn lane_of(rows: &[[f32; 8]; 4], lane: usize) -> Quat {
    Quat::from_array(rows.map(|row| row[lane]))
}

/// Sine of less than a thousandth between pole and line, or a target next to the root.
fn near_the_line(group: &TwoBoneGroup, lane: usize) -> bool {
    let vector = |rows: &[[f32; 8]; 3]| Vec3::from(rows.map(|row| row[lane]));
    let line = vector(&group.target) - vector(&group.root);
    let plane = vector(&group.plane);
    let pole = if group.normals >> lane & 1 == 1 { plane } else { plane - vector(&group.root) };
    line.length() < 1e-5 || line.normalize().cross(pole).length() < 1e-3 * pole.length()
}

fn run_all(group: &TwoBoneGroup) -> (TwoBoneRotations, LaneStatus) {
    let mut results = Vec::new();
    for backend in Backend::ALL {
        let (mut outputs, mut statuses) = ([TwoBoneRotations::IDENTITY], [LaneStatus::default()]);
        let mut job = TwoBoneGroupJob { groups: &[*group], outputs: &mut outputs, statuses: &mut statuses };
        job.run_on(backend).expect("one of each");
        results.push((outputs[0], statuses[0]));
    }
    for (output, status) in &results[1..] {
        assert_eq!(bits(output), bits(&results[0].0));
        assert_eq!(status, &results[0].1);
    }
    results[0]
}

fn bits(rotations: &TwoBoneRotations) -> Vec<u32> {
    rotations.upper.iter().chain(&rotations.lower).flatten().map(|v| v.to_bits()).collect()
}

#[test]
fn the_rest_pose_comes_back_where_it_is_its_own_target() {
    let (root, mid, end) = rest();
    // The plane that the rest pose is in.
    let (limb, plane) = {
        let hinge = (mid.translation - root.translation).cross(end - mid.translation);
        // Folding is a negative turn about the hinge.
        let hinge = -hinge.normalize();
        (TwoBoneLimb::from_pose(&root, &mid, end, hinge).expect("a leg"), BendPlane::Normal(hinge))
    };
    let (solution, status) = solve(&limb, root.translation, end, plane, 0.0).expect("a leg");
    assert_eq!(status, IkStatus::Reached);
    assert!(DTransform::angle_between(solution.upper, root.rotation) < 1e-7);
    assert!(DTransform::angle_between(solution.lower, mid.rotation) < 1e-7);
    assert!((solution.mid - mid.translation).length() < 1e-8);
}

#[test]
fn out_of_reach_a_limb_points_there_and_says_by_how_much() {
    let (limb, root) = (limb(), DVec3::ZERO);
    let full = limb.upper + limb.lower;
    for soft in [0.0, 0.1] {
        let (far, status) =
            solve(&limb, root, DVec3::X * (full + 2.0), BendPlane::Pole(DVec3::Z), soft).expect("a plane");
        let IkStatus::Unreachable { by_metres } = status else { panic!("{status:?}") };
        assert!((by_metres - 2.0).abs() < 1e-12);
        let (_, end) = forward(root, &far);
        assert!((end - DVec3::X * full).length() < 1e-12, "not stretched");
    }
    let least = limb.upper - limb.lower;
    let (near, status) =
        solve(&limb, root, DVec3::X * least * 0.5, BendPlane::Pole(DVec3::Z), 0.0).expect("a plane");
    let IkStatus::Unreachable { by_metres } = status else { panic!("{status:?}") };
    assert!((by_metres - least * 0.5).abs() < 1e-12);
    assert!((forward(root, &near).1 - DVec3::X * least).length() < 1e-12);
}

#[test]
fn a_soft_limb_slows_down_before_it_is_straight_and_never_overshoots() {
    let (limb, root, soft) = (limb(), DVec3::ZERO, 0.1);
    let full = limb.upper + limb.lower;
    let at = |distance: f64| {
        let plane = BendPlane::Pole(DVec3::Z);
        let (solution, status) = solve(&limb, root, DVec3::X * distance, plane, soft).expect("a plane");
        (solution.end.x, status)
    };
    assert_eq!(at(full * 0.9 - 1e-9).1, IkStatus::Reached);
    let (mut before, mut slope) = (at(full * 0.85).0, 1.0 + 1e-9);
    let step = full * 0.001;
    for i in 1..=300 {
        let distance = full * 0.85 + step * f64::from(i);
        let (end, status) = at(distance);
        let now = (end - before) / step;
        assert!(end <= full + 1e-15 && end <= distance + 1e-15);
        assert!(now <= slope + 1e-9 && slope - now < 0.006, "slope {slope} then {now}");
        if distance > full * 0.9 + step && distance < full {
            let IkStatus::Softened { by_metres } = status else { panic!("{status:?} at {distance}") };
            assert!((by_metres - (distance - end)).abs() < 1e-12);
        }
        (before, slope) = (end, now);
    }
    assert!(slope.abs() < 1e-9, "straight from the length and as much again");
}

#[test]
fn no_bone_flips_while_the_target_goes_round_and_through_a_straight_limb() {
    // The pole stays on one side; the limb is straight twice in each lap, and its hinge never turns over.
    let (limb, root) = (limb(), DVec3::ZERO);
    let full = limb.upper + limb.lower;
    let mut before: Option<TwoBoneSolution> = None;
    for i in 0..=2000 {
        let t = core::f64::consts::TAU * f64::from(i) / 2000.0;
        let way = DVec3::new(libm::sin(t), libm::cos(t), 0.0);
        let target = way * full * (0.95 + 0.1 * libm::sin(2.0 * t));
        let (now, _) = solve(&limb, root, target, BendPlane::Pole(DVec3::Z * 0.7), 0.05).expect("a plane");
        if let Some(before) = before {
            let turn = DTransform::angle_between(before.upper, now.upper)
                .max(DTransform::angle_between(before.lower, now.lower));
            // 360 degrees in 2000 steps, and the knee's own bend.
            assert!(turn < 0.03, "{turn} at step {i}");
        }
        before = Some(now);
    }
}

#[test]
fn what_gives_no_limb_is_refused_by_name_and_the_output_kept() {
    let limb = limb();
    let pole = BendPlane::Pole(DVec3::Z);
    let target = DVec3::X * 0.5;
    let fail = |limb: &TwoBoneLimb, target: DVec3, plane: BendPlane, soft: f64| {
        let mut output = TwoBoneSolution::NONE;
        let error = TwoBoneJob { limb, root: DVec3::ZERO, target, plane, soft, output: &mut output }.run();
        assert_eq!(output, TwoBoneSolution::NONE);
        error.expect_err("refused")
    };
    assert_eq!(fail(&limb, DVec3::ZERO, pole, 0.0), IkError::TargetOnRoot);
    assert_eq!(fail(&limb, target, BendPlane::Pole(DVec3::X * 3.0), 0.0), IkError::PoleOnLine);
    assert_eq!(fail(&limb, target, BendPlane::Normal(DVec3::X), 0.0), IkError::PoleOnLine);
    assert_eq!(
        fail(&limb, target, BendPlane::Normal(DVec3::ZERO), 0.0),
        IkError::ZeroLength { what: "the normal of the plane" }
    );
    assert_eq!(fail(&limb, DVec3::NAN, pole, 0.0), IkError::NotFinite { what: "the target" });
    let short = TwoBoneLimb { lower: 0.0, ..limb };
    assert_eq!(fail(&short, target, pole, 0.0), IkError::ZeroLength { what: "the lower bone" });
    assert!(matches!(fail(&limb, target, pole, 1.5), IkError::OutOfRange { value: 1.5, .. }));
    assert!(matches!(fail(&limb, target, pole, f64::NAN), IkError::OutOfRange { .. }));
    let (root, mid, end) = rest();
    let along = mid.translation - root.translation;
    assert_eq!(TwoBoneLimb::from_pose(&root, &mid, end, along), Err(IkError::PoleOnLine));
    assert!(TwoBoneLimb::from_pose(&root, &root, end, DVec3::X).is_err());
}

#[test]
fn faulty_lanes_are_marked_and_left_alone() {
    let mut group = TwoBoneGroup::EMPTY;
    for lane in 0..8 {
        group.set_limb(lane, &limb());
        group.set_target(lane, DVec3::ZERO, DVec3::X * 0.5, BendPlane::Pole(DVec3::Z));
    }
    group.target[0][1] = f32::NAN;
    group.target[0][2] = 0.0;
    group.plane[2][3] = 0.0;
    group.upper[4] = 0.0;
    group.soft[5] = f32::NAN;
    group.upper_frame[3][6] = 2.0;
    group.root[1][7] = f32::INFINITY;
    let (outputs, statuses) = run_all(&group);
    assert_eq!((statuses.reached, statuses.faulty), (0b0000_0001, 0b1111_1110));
    for lane in 1..8 {
        assert_eq!(statuses.get(lane), None);
        assert!(group.solve_lane(lane).is_err(), "lane {lane} has no name for its fault");
        assert_eq!(
            (lane_of(&outputs.upper, lane), lane_of(&outputs.lower, lane)),
            (Quat::IDENTITY, Quat::IDENTITY)
        );
    }
    let (_, all_empty) = run_all(&TwoBoneGroup::EMPTY);
    assert_eq!(all_empty.faulty, 0xff);
    let mut job = TwoBoneGroupJob { groups: &[group], outputs: &mut [], statuses: &mut [] };
    assert_eq!(job.run(), Err(IkError::Count { what: "outputs", found: 0, expected: 1 }));
}
