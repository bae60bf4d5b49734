//! Limbs: what inverse kinematics costs, a limb or a leg in place of a joint. No other runtime here has them.

#[path = "../../../crates/sinew/tests/machine_leg/mod.rs"]
mod machine_leg;

use std::hint::black_box;
use std::time::Instant;

use glam::{DQuat, DVec3};
use machine_leg::{MOUNTS, anchor, leg, swaying};
use sinew::{
    Backend, BendPlane, DTransform, LaneStatus, LegGroup, LegGroupJob, LegJob, LegLanes, LegSearch,
    LegSolution, TwoBoneGroup, TwoBoneGroupJob, TwoBoneLimb, TwoBoneRotations,
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
    lanes.push(eight_legs(Backend::best())?);
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

/// Legs of machines whose bodies sway over them, one at a time in double precision.
fn legs() -> Result<Lane, String> {
    let (geometry, targets) = (MOUNTS.map(leg), MOUNTS.map(anchor));
    let search = LegSearch::default();
    let mut output = [LegSolution::NONE; 6];
    let mut count = 0;
    let mut run = move || {
        let body = swaying(count);
        let mut solved = true;
        for i in 0..6 {
            let previous = (count > 0).then_some(output[i].phi);
            let (geometry, target, search) = (&geometry[i], targets[i], &search);
            let (body, output) = (black_box(body), &mut output[i]);
            solved &= LegJob { geometry, search, body, target, previous, output }.run().is_ok();
        }
        count += 1;
        solved
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

/// The same legs, eight at a time; each goes on from its last tilt.
fn eight_legs(backend: Backend) -> Result<Lane, String> {
    let (geometry, targets) = (MOUNTS.map(leg), MOUNTS.map(anchor));
    let search = LegSearch::default();
    let mut groups = vec![LegGroup::EMPTY; GROUPS];
    for i in 0..GROUPS * 8 {
        groups[i / 8].set_leg(i % 8, &geometry[i % 6]).map_err(|e| e.to_string())?;
        groups[i / 8].set_target(i % 8, &swaying(i), &targets[i % 6], Some(search.rest));
    }
    let mut outputs = vec![LegLanes::NONE; GROUPS];
    let mut statuses = vec![LaneStatus::default(); GROUPS];
    let mut run = move || {
        let (groups, outputs) = (black_box(&groups), &mut outputs);
        let solved =
            LegGroupJob { groups, search: &search, outputs, statuses: &mut statuses }.run_on(backend);
        black_box(&outputs);
        solved.is_ok() && statuses.iter().all(|s| s.faulty | s.unreachable == 0)
    };
    if !run() {
        return Err("a leg cannot be solved".to_owned());
    }
    let batch = move |took: &mut Vec<_>| {
        let start = Instant::now();
        black_box(run());
        took.push(start.elapsed());
    };
    Ok(lane("leg of four segments, its tilt searched, eight at a time", backend, GROUPS * 8, Box::new(batch)))
}
