//! Limbs, aims, chains and legs: an element is one of them.

#[path = "../../crates/sinew/tests/machine_leg/mod.rs"]
mod machine_leg;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{DQuat, DVec3};
use machine_leg::{MOUNTS, anchor, leg, swaying};
use sinew::{
    AimGroup, AimGroupJob, AimJob, AimLimits, AimSolution, Backend, BendPlane, ChainGroup, ChainGroupJob,
    ChainJob, ChainLanes, ChainLink, DTransform, JointLimit, LaneStatus, LegGroup, LegGroupJob, LegJob,
    LegLanes, LegSearch, LegSolution, TwoBoneGroup, TwoBoneGroupJob, TwoBoneJob, TwoBoneLimb,
    TwoBoneRotations, TwoBoneSolution, solve_leg_at,
};

const GROUPS: usize = 16;

fn limb() -> TwoBoneLimb {
    let hip = DTransform::from_rotation_translation(DQuat::from_rotation_x(0.3), DVec3::new(0.1, 0.95, 0.0));
    let knee = DTransform::from_rotation_translation(DQuat::from_rotation_z(2.0), DVec3::new(0.1, 0.5, 0.02));
    TwoBoneLimb::from_pose(&hip, &knee, DVec3::new(0.1, 0.08, -0.03), DVec3::NEG_X).expect("a leg")
}

/// Within reach, each elsewhere.
fn target(i: usize) -> DVec3 {
    let t = i as f64 * 0.37;
    DVec3::new(0.2 * libm::sin(t), -0.6 + 0.2 * libm::sin(1.7 * t), 0.3 * libm::cos(t))
}

fn two_bones(c: &mut Criterion) {
    let mut group = c.benchmark_group("two bones");
    let (limb, plane) = (limb(), BendPlane::Pole(DVec3::Z * 2.0));
    let mut groups = vec![TwoBoneGroup::EMPTY; GROUPS];
    for i in 0..GROUPS * 8 {
        groups[i / 8].set_limb(i % 8, &limb);
        groups[i / 8].set_target(i % 8, DVec3::ZERO, target(i), plane);
        groups[i / 8].soft[i % 8] = 0.05;
    }
    let mut outputs = vec![TwoBoneRotations::IDENTITY; GROUPS];
    let mut statuses = vec![LaneStatus::default(); GROUPS];
    group.throughput(Throughput::Elements(GROUPS as u64 * 8));
    for backend in Backend::ALL.into_iter().filter(|b| b.is_available()) {
        group.bench_function(format!("eight at a time, {backend}"), |b| {
            b.iter(|| {
                let groups = black_box(&groups);
                TwoBoneGroupJob { groups, outputs: &mut outputs, statuses: &mut statuses }
                    .run_on(backend)
                    .expect("as many of each");
                black_box(&outputs);
            });
        });
    }
    assert!(statuses.iter().all(|s| s.faulty | s.unreachable == 0));
    group.throughput(Throughput::Elements(1));
    let (mut output, mut i) = (TwoBoneSolution::NONE, 0);
    group.bench_function("one in double precision", |b| {
        b.iter(|| {
            i = (i + 1) % 128;
            let (limb, root, target) = (&limb, DVec3::ZERO, black_box(target(i)));
            let status = TwoBoneJob { limb, root, target, plane, soft: 0.05, output: &mut output }.run();
            black_box(status)
        });
    });
}

fn aims(c: &mut Criterion) {
    let mut group = c.benchmark_group("aim");
    let limits = AimLimits { yaw: [-1.1, 1.1], pitch: [-0.3, 0.2] };
    let mut groups = vec![AimGroup::EMPTY; GROUPS];
    let (origin, offset) = (DVec3::Y, DVec3::new(0.03, 0.05, 0.1));
    for i in 0..GROUPS * 8 {
        let mut output = AimSolution::NONE;
        let (reference, look, target) = (DQuat::IDENTITY, DQuat::IDENTITY, target(i) * 9.0);
        let aim = AimJob { origin, reference, look, offset, target, limits, output: &mut output };
        groups[i / 8].set(i % 8, &aim).expect("limits");
    }
    let mut outputs = vec![[[0.0; 8]; 4]; GROUPS];
    let mut statuses = vec![LaneStatus::default(); GROUPS];
    group.throughput(Throughput::Elements(GROUPS as u64 * 8));
    group.bench_function("eight at a time", |b| {
        b.iter(|| {
            let groups = black_box(&groups);
            AimGroupJob { groups, outputs: &mut outputs, statuses: &mut statuses }
                .run()
                .expect("as many of each");
            black_box(&outputs);
        });
    });
}

fn chains(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain of five joints to a tenth of a millimetre");
    let (root, tolerance, sweeps) = (DTransform::IDENTITY, 1e-4, 20);
    let cone = JointLimit::swing_twist(DQuat::IDENTITY, DVec3::Y, 1.2, [-0.5, 0.5]);
    let start = DQuat::from_rotation_x(0.2);
    for (what, limit) in [("free", None), ("limited", Some(cone))] {
        let mut groups = vec![ChainGroup::EMPTY; GROUPS];
        for i in 0..GROUPS * 8 {
            groups[i / 8].set(i % 8, &root, target(i), tolerance);
        }
        let mut links = [ChainLink::EMPTY; 5];
        for lane in 0..8 {
            for link in &mut links {
                link.set_offset(lane, DVec3::Y * 0.3);
                link.limits.set(lane, limit.as_ref()).expect("a limit");
            }
        }
        let mut output = ChainLanes::default();
        group.throughput(Throughput::Elements(GROUPS as u64 * 8));
        group.bench_function(format!("{what}, eight at a time"), |b| {
            b.iter(|| {
                for group in black_box(&groups) {
                    let mut rotations = [start.to_array().map(|v| [v as f32; 8]); 5];
                    let (links, rotations, output) = (&links, &mut rotations, &mut output);
                    ChainGroupJob { group, links, sweeps, rotations, output }.run().expect("five joints");
                    black_box(rotations);
                }
            });
        });
        group.throughput(Throughput::Elements(1));
        let (offsets, limits, mut i) = ([DVec3::Y * 0.3; 5], [limit; 5], 0);
        group.bench_function(format!("{what}, one in double precision"), |b| {
            b.iter(|| {
                i = (i + 1) % (GROUPS * 8);
                let (mut rotations, target) = ([start; 5], black_box(target(i)));
                let (offsets, limits, rotations) = (&offsets, &limits, &mut rotations);
                black_box(ChainJob { root, offsets, limits, target, tolerance, sweeps, rotations }.run())
            });
        });
    }
}

fn legs(c: &mut Criterion) {
    let (geometry, targets) = (MOUNTS.map(leg), MOUNTS.map(anchor));
    let search = &LegSearch::default();
    let mut group = c.benchmark_group("leg of four segments");
    group.throughput(Throughput::Elements(GROUPS as u64 * 8));
    let mut groups = vec![LegGroup::EMPTY; GROUPS];
    for i in 0..GROUPS * 8 {
        groups[i / 8].set_leg(i % 8, &geometry[i % 6]).expect("a leg");
        groups[i / 8].set_target(i % 8, &swaying(i), &targets[i % 6], Some(0.2));
    }
    let mut outputs = vec![LegLanes::NONE; GROUPS];
    let mut statuses = vec![LaneStatus::default(); GROUPS];
    for backend in Backend::ALL.into_iter().filter(|b| b.is_available()) {
        group.bench_function(format!("eight at a time, tilt chosen, {backend}"), |b| {
            b.iter(|| {
                let groups = black_box(&groups);
                LegGroupJob { groups, search, outputs: &mut outputs, statuses: &mut statuses }
                    .run_on(backend)
                    .expect("as many of each");
                black_box(&outputs);
            });
        });
    }
    assert!(statuses.iter().all(|s| s.faulty | s.unreachable == 0));
    group.throughput(Throughput::Elements(1));
    let (mut output, mut i) = (LegSolution::NONE, 0);
    group.bench_function("one in double precision, tilt chosen", |b| {
        b.iter(|| {
            i = (i + 1) % 128;
            let (geometry, target) = (&geometry[i % 6], targets[i % 6]);
            let (body, previous, output) = (black_box(swaying(i)), Some(0.2), &mut output);
            black_box(LegJob { geometry, search, body, target, previous, output }.run())
        });
    });
    group.bench_function("one in double precision, at a given tilt", |b| {
        b.iter(|| {
            i += 1;
            black_box(solve_leg_at(&geometry[0], &black_box(swaying(i)), &targets[0], 0.15))
        });
    });
}

criterion_group!(benches, two_bones, aims, chains, legs);
criterion_main!(benches);
