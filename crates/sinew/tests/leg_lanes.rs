//! Eight legs at a time: the same choice as one leg in double precision, the same bits on every backend, no lane
//! that depends on its neighbours, and a named status for everything.

mod machine_leg;

use glam::{DQuat, DVec3};
use machine_leg::{MOUNTS, anchor, leg, swaying};
use proptest::prelude::*;
use sinew::{
    Backend, DTransform, IkError, IkStatus, LaneStatus, LegGeometry, LegGroup, LegGroupJob, LegJob, LegLanes,
    LegLimits, LegSearch, LegSolution, LegTarget, solve_leg_at,
};

/// How far soles may be off: of the leg's 15.3 m.
const SOLE: f64 = 2e-6 * 15.3;

/// How much of its cost a tilt may cost more. Where the best tilt is at a corner of the cost, it is met to the last
/// step: a 32nd of a 64th of 1.6 rad. A deficit x costs 20 x^2, so a step costs at most 40 x / (1 + 20 x^2) of it, 4.5.
const WORSE: f64 = 4.5 * 1.6 / (64.0 * 32.0);

/// On all backends, which must agree to the last bit.
fn run_all(group: &LegGroup, search: &LegSearch, before: &LegLanes) -> (LegLanes, LaneStatus) {
    let mut results = Vec::new();
    for backend in Backend::ALL {
        let (mut outputs, mut statuses) = ([*before], [LaneStatus::default()]);
        let (groups, outputs_ref) = (&[*group], &mut outputs);
        LegGroupJob { groups, search, outputs: outputs_ref, statuses: &mut statuses }
            .run_on(backend)
            .expect("one of each");
        results.push((outputs[0], statuses[0]));
    }
    // Debug output tells every bit apart but those of different NaN, and there are none.
    for result in &results[1..] {
        assert_eq!(format!("{result:?}"), format!("{:?}", results[0]));
    }
    results[0]
}

/// One leg in double precision.
fn exact(
    geometry: &LegGeometry,
    search: &LegSearch,
    body: DTransform,
    target: LegTarget,
    previous: Option<f64>,
) -> Result<(LegSolution, IkStatus), IkError> {
    let mut output = LegSolution::NONE;
    let status = LegJob { geometry, search, body, target, previous, output: &mut output }.run()?;
    Ok((output, status))
}

/// What a tilt costs, as [`LegSearch`] says it: from outside of the solver.
fn cost(search: &LegSearch, at: &LegSolution, previous: Option<f64>) -> (u8, f64) {
    let square = |x: f64| x * x;
    let broken = u8::from(at.limit_margin < 0.0) + u8::from(at.clearance < 0.0);
    let cost = square(at.phi - search.rest)
        + 4.0 * square((at.reach - search.reach).max(0.0))
        + 20.0 * square((search.margin - at.limit_margin).max(0.0))
        + 20.0 * square((search.clearance - at.clearance).max(0.0))
        + previous.map_or(0.0, |p| search.continuity * square(at.phi - p));
    (broken, cost)
}

fn a_body() -> impl Strategy<Value = DTransform> {
    let angles = (-0.25..0.25, -0.25..0.25, -0.25..0.25);
    (angles, -1.5..1.5, -1.5..1.5, -1.5..1.5, -100.0..100.0).prop_map(
        |((p, y, r), dx, dy, dz, away): ((f64, f64, f64), f64, f64, f64, f64)| {
            let turned = DQuat::from_rotation_y(y) * DQuat::from_rotation_x(p) * DQuat::from_rotation_z(r);
            let at = DVec3::new(away + dx, 9.0 + dy, -away + dz);
            DTransform::from_rotation_translation(turned, at)
        },
    )
}

fn on_the_ground(mount: f64, body: &DTransform, by: DVec3, tilt: f64, heading: f64) -> LegTarget {
    let mut target = anchor(mount);
    target.sole += DVec3::new(body.translation.x, 0.0, body.translation.z) + by;
    target.foot = DQuat::from_rotation_x(tilt) * DQuat::from_rotation_y(heading);
    target
}

proptest! {
    #[test]
    fn lanes_choose_as_double_precision_does(
        body in a_body(), mounts in prop::array::uniform8(-3.0..3.0),
        by in prop::array::uniform8((-1.5..1.5, -1.0..1.5, -1.5..1.5)), tilt in -0.3..0.3, heading in -3.0..3.0,
        before in prop::array::uniform8(prop::option::of(-0.6..1.0)),
    ) {
        let search = &LegSearch::default();
        let mut group = LegGroup::EMPTY;
        let targets: Vec<LegTarget> = (0..8).map(|lane| {
            let (x, y, z) = by[lane];
            let target = on_the_ground(mounts[lane], &body, DVec3::new(x, y, z), tilt, heading);
            group.set_leg(lane, &leg(mounts[lane])).expect("a leg");
            group.set_target(lane, &body, &target, before[lane]);
            target
        }).collect();
        let (output, status) = run_all(&group, search, &LegLanes::NONE);
        for lane in 0..8 {
            let (geometry, target) = (leg(mounts[lane]), targets[lane]);
            let (solution, expected) = exact(&geometry, search, body, target, before[lane]).expect("a leg");
            let found = status.get(lane).expect("a leg");
            if let (IkStatus::Unreachable { by_metres: a }, IkStatus::Unreachable { by_metres: b }) = (found, expected) {
                prop_assert!((a - b).abs() < SOLE, "short by {a} and {b}");
                continue;
            }
            // A picometre within reach or out of it is the same leg.
            let edge = solution.limit_margin.abs() < 1e-4 || solution.clearance.abs() < 1e-3 || solution.reach > 1.0 - 1e-6;
            let same = core::mem::discriminant(&found) == core::mem::discriminant(&expected);
            prop_assert!(same || edge, "{found:?} and {expected:?}, {solution:?}");
            if !same {
                continue;
            }
            let sole = output.pose(lane, &geometry).to_world(&body).sole();
            prop_assert!((sole - target.sole).length() < SOLE, "{:e} m off", (sole - target.sole).length());
            // Another tilt is only taken where it is as good: what it costs in double precision says so.
            let phi = f64::from(output.phi[lane]);
            let [low, high] = search.range;
            let here = solve_leg_at(&geometry, &body, &target, phi).expect("within reach");
            let (theirs, ours) = (cost(search, &here, before[lane]), cost(search, &solution, before[lane]));
            prop_assert!(phi >= low - 1e-6 && phi <= high + 1e-6);
            prop_assert!(before[lane].is_none_or(|p| (phi - p).abs() <= search.window + 1e-6));
            prop_assert!(theirs.0 <= ours.0 || edge, "{theirs:?} against {ours:?}");
            let worse = theirs.1 - ours.1;
            prop_assert!(worse < WORSE * (1.0 + ours.1) || theirs.0 < ours.0 || edge, "{theirs:?} against {ours:?}, phi {phi} and {}", solution.phi);
            // And at the same tilt all the rest is the same.
            for (a, b) in [
                (output.limit_margin[lane], here.limit_margin), (output.reach[lane], here.reach),
                (output.clearance[lane], here.clearance), (output.foot_angle[lane], here.foot_angle),
                (output.angles[0][lane], here.angles[0]), (output.angles[1][lane], here.angles[1]),
                (output.angles[2][lane], here.angles[2]), (output.angles[3][lane], here.angles[3]),
            ] {
                // A leg next to straight turns its knee by the square root of what it is short.
                let loose = 3e-5 + 1e-6 / (1.0 - here.reach).max(1e-9).sqrt();
                prop_assert!((f64::from(a) - b).abs() < loose, "{a} and {b} in {here:?}");
            }
        }
    }

    #[test]
    fn no_lane_depends_on_its_neighbours(
        body in a_body(), mount in -3.0..3.0, before in prop::option::of(-0.6..1.0), others in prop::option::of(-0.6..1.0),
        bad in any::<[u32; 3]>(),
    ) {
        let search = &LegSearch::default();
        let target = on_the_ground(mount, &body, DVec3::ZERO, 0.1, mount);
        let solve = |lane: usize, fill: u8| {
            let mut group = LegGroup::EMPTY;
            for other in 0..8 {
                group.set_leg(other, &leg(0.3 * other as f64)).expect("a leg");
                let sole = DVec3::from(bad.map(|b| f64::from(f32::from_bits(b))));
                let wild = LegTarget { sole, ..target };
                let other_target = if fill >> other & 1 == 1 { wild } else { anchor(0.3 * other as f64) };
                group.set_target(other, &body, &other_target, others);
            }
            group.set_leg(lane, &leg(mount)).expect("a leg");
            group.set_target(lane, &body, &target, before);
            let (output, status) = run_all(&group, search, &LegLanes::NONE);
            let rows = output.rotations.map(|q| q.map(|row| row[lane].to_bits()));
            (rows, output.phi[lane].to_bits(), format!("{:?}", status.get(lane)))
        };
        let alone = solve(0, 0);
        prop_assert_eq!(&alone, &solve(3, 0x55));
        prop_assert_eq!(&alone, &solve(7, 0x7f));
    }

    #[test]
    fn every_input_has_an_answer(
        bits in prop::array::uniform12(any::<u64>()), which in any::<u16>(),
    ) {
        let v = |i: usize, sane: f64| if which >> i & 1 == 1 { f64::from_bits(bits[i]) } else { sane };
        let body = DTransform {
            translation: DVec3::new(v(4, 0.0), v(5, 9.0), 0.0),
            rotation: DQuat::from_xyzw(v(6, 0.0), 0.0, 0.0, v(7, 1.0)),
            scale: DVec3::ONE,
        };
        let target = LegTarget {
            sole: DVec3::new(v(8, 4.0), 0.0, v(9, 5.9)),
            foot: DQuat::from_xyzw(0.0, v(10, 0.0), 0.0, 1.0),
        };
        let mut geometry = leg(0.6);
        geometry.upper = v(0, 5.6);
        geometry.hip.x = v(2, 1.0);
        geometry.limits.knee[0] = v(3, -2.7);
        let mut group = LegGroup::EMPTY;
        // A leg that is none is refused by the same name as in double precision, and the lane is as it was.
        prop_assert_eq!(group.set_leg(2, &geometry).err(), geometry.check().err());
        group.set_target(2, &body, &target, (which & 0x1000 == 0).then(|| v(11, 0.1)));
        let (output, status) = run_all(&group, &LegSearch::default(), &LegLanes::NONE);
        prop_assert_eq!(status.faulty & 0xfb, 0xfb, "the lanes without a leg");
        match status.get(2) {
            None | Some(IkStatus::Unreachable { .. }) => prop_assert_eq!(output, LegLanes::NONE),
            Some(_) => {
                let pose = output.pose(2, &geometry);
                prop_assert!(pose.joints.iter().all(|p| p.is_finite()), "{pose:?}");
                prop_assert!(output.angles.iter().all(|a| a[2].is_finite()) && output.clearance[2].is_finite());
            }
        }
        prop_assert!(status.by_metres.iter().all(|m| m.is_finite() && *m >= 0.0));
    }
}

/// Random legs within reach: how often single precision takes another tilt, and by how little that is worse.
#[test]
fn another_tilt_than_that_of_double_precision_is_rare_and_as_good() {
    let search = &LegSearch::default();
    let (mut solved, mut apart, mut far, mut worst) = (0, 0, 0, 0.0_f64);
    for run in 0..1000 {
        let t = f64::from(run);
        let body = swaying(run as usize * 7);
        let mut group = LegGroup::EMPTY;
        let place = |lane: usize| {
            let mount = 0.9 * lane as f64 + 0.1 * libm::sin(t);
            let u = t * 1.7 + lane as f64;
            let by = DVec3::new(1.4 * libm::sin(u), 0.4 * libm::sin(1.3 * u), 1.4 * libm::cos(0.7 * u));
            let previous = (run % 2 == 1).then(|| 0.3 + 0.5 * libm::sin(2.3 * u));
            (mount, on_the_ground(mount, &body, by, 0.2 * libm::sin(u), mount), previous)
        };
        for lane in 0..8 {
            let (mount, target, previous) = place(lane);
            group.set_leg(lane, &leg(mount)).expect("a leg");
            group.set_target(lane, &body, &target, previous);
        }
        let (output, status) = run_all(&group, search, &LegLanes::NONE);
        for lane in 0..8 {
            let (mount, target, previous) = place(lane);
            let (solution, expected) = exact(&leg(mount), search, body, target, previous).expect("a leg");
            if matches!(expected, IkStatus::Unreachable { .. }) {
                continue;
            }
            assert!(status.get(lane).is_some());
            solved += 1;
            let phi = f64::from(output.phi[lane]);
            let off = (phi - solution.phi).abs();
            apart += usize::from(off > 1e-3);
            far += usize::from(off > 1e-2);
            let Ok(here) = solve_leg_at(&leg(mount), &body, &target, phi) else { continue };
            let (theirs, ours) = (cost(search, &here, previous), cost(search, &solution, previous));
            if theirs.0 == ours.0 {
                worst = worst.max((theirs.1 - ours.1) / (1.0 + ours.1));
            }
        }
    }
    println!(
        "{solved} legs: {apart} tilts over 1e-3 rad from that of double precision, {far} over 1e-2, cost at most {worst:e} of it worse"
    );
    assert!(solved > 6000 && apart * 1000 < solved && worst < WORSE, "{worst:e}");
}

#[test]
fn statuses_are_those_of_one_leg_by_name_and_number() {
    let search = &LegSearch::default();
    let body = swaying(0);
    let mut group = LegGroup::EMPTY;
    let mut expected = Vec::new();
    for lane in 0..8 {
        let mount = MOUNTS[lane % 6];
        let (mut geometry, mut target, mut previous) = (leg(mount), anchor(mount), None);
        match lane {
            1..=3 => {
                // Where no tilt within the range brings that joint.
                geometry.limits = LegLimits::NONE;
                let limits = &mut geometry.limits;
                [&mut limits.yaw, &mut limits.hip, &mut limits.knee][lane - 1].clone_from(&[3.0, 3.1]);
            }
            4 => geometry.radii = [3.0; 4],
            5 => target.sole = body.translation + geometry.hip - DVec3::Y * 30.0 + geometry.outward,
            6 => target.sole = body.translation + geometry.hip - DVec3::Y * 5.0,
            7 => previous = Some(5.0),
            _ => {}
        }
        group.set_leg(lane, &geometry).expect("a leg");
        group.set_target(lane, &body, &target, previous);
        expected.push(exact(&geometry, search, body, target, previous).map(|found| found.1));
    }
    let (output, status) = run_all(&group, search, &LegLanes::NONE);
    for lane in 0..8 {
        match (status.get(lane), expected[lane]) {
            (Some(IkStatus::Unreachable { by_metres: a }), Ok(IkStatus::Unreachable { by_metres: b }))
            | (Some(IkStatus::Collides { by_metres: a }), Ok(IkStatus::Collides { by_metres: b })) => {
                assert!((a - b).abs() < 1e-4, "lane {lane}: {a} and {b}");
            }
            (found, expected) => assert_eq!(found, expected.ok(), "lane {lane}"),
        }
    }
    assert_eq!(expected[6], Err(IkError::TargetOnAxis));
    assert!(matches!(expected[7], Err(IkError::OutOfRange { .. })));
    assert_eq!(
        (status.faulty, status.unreachable, status.collides, status.limited),
        (0xc0, 0x20, 0x10, 0x0e)
    );
    let untouched = LegLanes::NONE.rotations.map(|q| q.map(|row| row[5]));
    assert_eq!(output.rotations.map(|q| q.map(|row| row[5])), untouched, "out of reach");
}

#[test]
fn six_soles_stay_while_the_body_sways_a_kilometre_out() {
    let search = &LegSearch::default();
    let middle = DVec3::new(1000.0, 0.0, -1000.0);
    let mut output = LegLanes::NONE;
    let mut worst = 0.0_f64;
    for sample in 0..300 {
        let mut body = swaying(sample);
        body.translation += middle;
        let mut group = LegGroup::EMPTY;
        for (lane, mount) in MOUNTS.into_iter().enumerate() {
            let mut target = anchor(mount);
            target.sole += middle;
            group.set_leg(lane, &leg(mount)).expect("a leg");
            let previous = (sample > 0).then(|| f64::from(output.phi[lane]));
            group.set_target(lane, &body, &target, previous);
        }
        let (solved, status) = run_all(&group, search, &output);
        assert_eq!((status.reached, status.faulty), (0x3f, 0xc0), "sample {sample}");
        output = solved;
        for (lane, mount) in MOUNTS.into_iter().enumerate() {
            let sole = output.pose(lane, &leg(mount)).to_world(&body).sole();
            worst = worst.max((sole - middle - anchor(mount).sole).length());
        }
    }
    println!("soles within {worst:e} m over 300 samples");
    assert!(worst < SOLE, "{worst:e}");
}

#[test]
fn jobs_that_are_none_are_refused_by_name() {
    let groups = [LegGroup::EMPTY; 2];
    let mut outputs = [LegLanes::NONE; 2];
    let mut statuses = [LaneStatus::default(); 1];
    let search = &LegSearch::default();
    let count = LegGroupJob { groups: &groups, search, outputs: &mut outputs, statuses: &mut statuses }.run();
    assert_eq!(count, Err(IkError::Count { what: "statuses", found: 1, expected: 2 }));
    let mut run = |search: &LegSearch| {
        LegGroupJob { groups: &groups[..1], search, outputs: &mut outputs[..1], statuses: &mut statuses }
            .run()
    };
    let narrow = LegSearch { window: -1.0, ..*search };
    assert!(matches!(run(&narrow), Err(IkError::OutOfRange { value: -1.0, .. })));
    let wide = LegSearch { range: [-0.6, 7.0], ..*search };
    assert!(matches!(run(&wide), Err(IkError::OutOfRange { value: 7.0, .. })));
}
