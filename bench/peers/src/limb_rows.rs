//! Limbs: what inverse kinematics costs, a limb or a leg in place of a joint. No other runtime here has them.

use std::hint::black_box;
use std::time::Instant;

use glam::{DQuat, DVec3};
use sinew::{
    Backend, BendPlane, DTransform, IkStatus, LaneStatus, LegBatchJob, LegGeometry, LegLimits, LegSearch,
    LegSolution, LegTarget, TwoBoneGroup, TwoBoneGroupJob, TwoBoneLimb, TwoBoneRotations,
};

use crate::measure::{Batch, Lane, Play};

/// Groups of eight limbs a batch.
const GROUPS: usize = 64;

/// All lanes.
///
/// # Errors
/// Where a limb or leg does not reach what it should.
pub(crate) fn lanes() -> Result<Vec<Lane>, String> {
    let mut lanes = Vec::new();
    for backend in Backend::ALL.into_iter().filter(|b| b.is_available()).rev() {
        lanes.push(two_bones(backend)?);
    }
    lanes.push(legs()?);
    Ok(lanes)
}

fn lane(what: &str, backend: Backend, limbs: usize, batch: Box<Batch>) -> Lane {
    Lane {
        peer: "sinew",
        version: format!("{}, {backend}", env!("CARGO_PKG_VERSION")),
        play: Play {
            clip: String::new(),
            characters: 1,
            repeats: 1,
            joints: limbs,
            moving_channels: 0,
            size: None,
        },
        what: vec![what.to_owned()],
        max_difference: None,
        batch,
        check: Box::new(|| Ok(())),
    }
}

/// Thighs and shanks, each to another place within its reach.
fn two_bones(backend: Backend) -> Result<Lane, String> {
    let hip = DTransform::from_rotation_translation(DQuat::from_rotation_x(0.3), DVec3::new(0.1, 0.95, 0.0));
    let knee = DTransform::from_rotation_translation(DQuat::from_rotation_z(2.0), DVec3::new(0.1, 0.5, 0.02));
    let ankle = DVec3::new(0.1, 0.08, -0.03);
    let limb = TwoBoneLimb::from_pose(&hip, &knee, ankle, DVec3::NEG_X).map_err(|e| e.to_string())?;
    let mut groups = vec![TwoBoneGroup::EMPTY; GROUPS];
    for i in 0..GROUPS * 8 {
        let t = i as f64 * 0.37;
        let (sin, cos) = libm::sincos(t);
        let target = DVec3::new(0.2 * sin, -0.6 + 0.2 * libm::sin(1.7 * t), 0.3 * cos);
        groups[i / 8].set_limb(i % 8, &limb);
        groups[i / 8].set_target(i % 8, DVec3::ZERO, target, BendPlane::Pole(DVec3::Z * 2.0));
        groups[i / 8].soft[i % 8] = 0.05;
    }
    let mut outputs = vec![TwoBoneRotations::IDENTITY; GROUPS];
    let mut statuses = vec![LaneStatus::default(); GROUPS];
    let mut run = move || {
        let groups = black_box(&groups);
        let solved =
            TwoBoneGroupJob { groups, outputs: &mut outputs, statuses: &mut statuses }.run_on(backend);
        black_box(&outputs);
        solved.is_ok() && statuses.iter().all(|s| s.faulty | s.unreachable == 0)
    };
    if !run() {
        return Err("a limb does not reach its target".to_owned());
    }
    let batch = move |took: &mut Vec<_>| {
        let start = Instant::now();
        black_box(run());
        took.push(start.elapsed());
    };
    Ok(lane("two-bone IK, eight limbs at a time", backend, GROUPS * 8, Box::new(batch)))
}

/// The six legs of a machine whose body sways over them.
fn legs() -> Result<Lane, String> {
    let mounts = [0.6, 1.57, 2.54, -0.6, -1.57, -2.54];
    let limits = LegLimits {
        yaw: [-0.9, 0.9],
        hip: [-0.3, 1.5],
        knee: [-2.7, -0.35],
        ankle: [-0.6, 2.6],
        foot: [0.0, 1.2],
    };
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
            limits,
        }
    });
    let targets = mounts.map(|mount| {
        let (sin, cos) = libm::sincos(mount);
        LegTarget { sole: DVec3::new(7.2 * sin, 0.0, 7.2 * cos), foot: DQuat::from_rotation_y(mount) }
    });
    let search = LegSearch::default();
    let (mut output, mut statuses) = ([LegSolution::NONE; 6], [IkStatus::Reached; 6]);
    let mut count = 0;
    let mut run = move || {
        let t = f64::from(count) * 0.05;
        let turn =
            DQuat::from_rotation_x(0.1 * libm::sin(t)) * DQuat::from_rotation_y(0.1 * libm::sin(0.7 * t));
        let body =
            DTransform::from_rotation_translation(turn, DVec3::new(0.0, 9.0 - 0.5 * libm::sin(t), 0.0));
        let (geometry, targets, search) = (&geometry, &targets, &search);
        let (output, statuses) = (&mut output, &mut statuses);
        let go_on = count > 0;
        count += 1;
        LegBatchJob { geometry, search, body: black_box(body), targets, output, go_on, statuses }
            .run()
            .is_ok()
    };
    if !run() {
        return Err("a leg cannot be solved".to_owned());
    }
    let batch = move |took: &mut Vec<_>| {
        let start = Instant::now();
        black_box(run());
        took.push(start.elapsed());
    };
    Ok(lane("leg of four segments, its tilt searched", Backend::Scalar, 6, Box::new(batch)))
}
