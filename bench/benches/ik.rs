//! Limbs, aims, chains and legs: an element is one of them.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{DQuat, DVec3};
use sinew::{
    AimGroup, AimGroupJob, AimJob, AimLimits, AimSolution, Backend, BendPlane, ChainJob, DTransform,
    IkStatus, LaneStatus, LegBatchJob, LegGeometry, LegLimits, LegSearch, LegSolution, LegTarget,
    TwoBoneGroup, TwoBoneGroupJob, TwoBoneJob, TwoBoneLimb, TwoBoneRotations, TwoBoneSolution, solve_leg_at,
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
    let mut group = c.benchmark_group("chain");
    let offsets = [DVec3::Y * 0.3; 5];
    group.bench_function("five joints to a tenth of a millimetre", |b| {
        let mut i = 0;
        b.iter(|| {
            i = (i + 1) % 128;
            let mut rotations = [DQuat::from_rotation_x(0.2); 5];
            let (root, limits) = (DTransform::IDENTITY, &[None; 5]);
            let (target, tolerance, sweeps) = (black_box(target(i)), 1e-4, 20);
            let rotations = &mut rotations;
            black_box(
                ChainJob { root, offsets: &offsets, limits, target, tolerance, sweeps, rotations }.run(),
            )
        });
    });
}

fn legs(c: &mut Criterion) {
    let mounts = [0.6, 1.57, 2.54, -0.6, -1.57, -2.54];
    let geometry = mounts.map(|mount| {
        let (sin, cos) = libm::sincos(mount);
        LegGeometry {
            hip: DVec3::new(2.2 * sin, 0.0, 2.2 * cos),
            axis: DVec3::Y,
            outward: DVec3::new(sin, 0.0, cos),
            coxa: 0.9,
            upper: 5.6,
            lower: 6.2,
            ankle: 2.0,
            foot: 0.6,
            radii: [0.5, 0.4, 0.35, 0.3],
            limits: LegLimits {
                yaw: [-0.9, 0.9],
                hip: [-0.3, 1.5],
                knee: [-2.7, -0.35],
                ankle: [-0.6, 2.6],
                foot: [0.0, 1.2],
            },
        }
    });
    let targets = mounts.map(|mount| LegTarget {
        sole: DVec3::new(7.2 * libm::sin(mount), 0.0, 7.2 * libm::cos(mount)),
        foot: DQuat::from_rotation_y(mount),
    });
    let search = &LegSearch::default();
    let body = |i: usize| {
        let t = i as f64 * 0.05;
        let rotation =
            DQuat::from_rotation_x(0.1 * libm::sin(t)) * DQuat::from_rotation_y(0.1 * libm::sin(0.7 * t));
        DTransform::from_rotation_translation(rotation, DVec3::new(0.0, 9.0 - 0.5 * libm::sin(t), 0.0))
    };
    let mut group = c.benchmark_group("leg of four segments");
    group.throughput(Throughput::Elements(6));
    let (mut output, mut statuses) = ([LegSolution::NONE; 6], [IkStatus::Reached; 6]);
    let mut i = 0;
    group.bench_function("six legs, tilt chosen", |b| {
        b.iter(|| {
            i += 1;
            let (body, output, statuses) = (black_box(body(i)), &mut output, &mut statuses);
            let (geometry, targets) = (&geometry, &targets);
            LegBatchJob { geometry, search, body, targets, output, go_on: i > 1, statuses }
                .run()
                .expect("six legs");
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("one leg at a given tilt", |b| {
        b.iter(|| {
            i += 1;
            black_box(solve_leg_at(&geometry[0], &black_box(body(i)), &targets[0], 0.15))
        });
    });
}

criterion_group!(benches, two_bones, aims, chains, legs);
criterion_main!(benches);
