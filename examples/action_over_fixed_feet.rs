//! Lowers and turns a machine over six feet that do not move, frame by frame; then asks too much of it.
#![allow(clippy::print_stdout, reason = "what an example is for")]

use glam::DVec3;
use sinew::action::ActionChannel::{BodyYaw, BodyZ};
use sinew::action::{
    Action, ActionField, ActionRecord, ActionSettings, ActionSolver, BlendMode, BlendWindow, BlendWindows,
    Euler, HeadSubtree, KeyDomain, PARAMETERIZATION, RecordingClock, Replay, SolveLimits, SolveSetup,
    StepError,
};
use sinew::{DTransform, JointId};
use sinew_examples::Error;
use sinew_showcase::robot::{REFERENCE_HEIGHT, Robot, RobotLegs, STANDING_HEIGHT};

/// Two seconds: down to `height` of the reference height and to the left by `yaw` degrees, and back.
fn bow(height: f32, yaw: f32) -> Result<Action, Error> {
    let window = || BlendWindow::new(0.3, BlendMode::SmoothStep);
    let windows = BlendWindows { blend_in: window(), blend_out: window() };
    let stands = (STANDING_HEIGHT / REFERENCE_HEIGHT) as f32;
    Ok(Action::new(ActionRecord {
        name: "bow".into(),
        original_length: 2.0,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: PARAMETERIZATION,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: windows.clone(),
            head_blend: windows,
        },
        channels: [BodyZ, BodyYaw].map(|channel| (channel, channel.name().to_owned())).to_vec(),
        fields: vec![
            ActionField::linear(BodyZ.name(), &[0.0, 1.0, 2.0], &[stands, height, stands])?,
            ActionField::linear(BodyYaw.name(), &[0.0, 1.0, 2.0], &[0.0, yaw.to_radians(), 0.0])?,
        ],
    })?)
}

fn main() -> Result<(), Error> {
    let robot = Robot::new()?;
    let legs = RobotLegs::new(&robot)?;
    let forbidden: Vec<JointId> = robot.legs.iter().flat_map(|leg| leg.all()).collect();
    let subtree = HeadSubtree::new(&robot.skeleton, "Head_01", &forbidden)?;
    let (support, anchors_ws) = (robot.support(), legs.anchors());
    for (height, yaw) in [(0.66, 8.0), (0.66, 60.0)] {
        println!("down to {:.1} m and {yaw} degrees to the left:", f64::from(height) * REFERENCE_HEIGHT);
        let action = bow(height, yaw)?;
        let clock = RecordingClock::new(action.length())?;
        let setup = SolveSetup {
            skeleton: &robot.skeleton,
            action: &action,
            clock,
            subtree: &subtree,
            support: &support,
            body_ws: DTransform { translation: DVec3::Y * STANDING_HEIGHT, ..DTransform::IDENTITY },
            anchors_ws: &anchors_ws,
            reference_height: REFERENCE_HEIGHT,
            limits: SolveLimits::default(),
        };
        let mut solver = ActionSolver::new(setup, &legs)?;
        for frame in 0..clock.frames() {
            match solver.step(frame, &Replay::default()) {
                Ok(record) if frame % 15 == 0 => {
                    let soles = record.legs.iter().map(|leg| leg.residual_ws.length()).fold(0.0, f64::max);
                    assert!(soles < 1e-9, "a foot moved");
                    println!(
                        "{:5.3} s  weight {:.3}  body at {:.3} m, yaw {:5.2} deg  soles off by {:.0e} m  a bone turned {:.2} deg",
                        record.clock.time,
                        record.body_weight.value,
                        record.body.body_ws.translation.y,
                        Euler::from_quat(record.body.body_ws.rotation).yaw.to_degrees(),
                        soles,
                        record.continuity.map_or(0.0, |turn| turn.radians.to_degrees()),
                    );
                }
                Ok(_) => {}
                Err(StepError::Failed(failure)) => {
                    let leg = failure.leg.as_deref().unwrap_or("no leg");
                    println!("{:5.3} s  {leg} stops it: {}", failure.time, failure.cause);
                    break;
                }
                Err(other) => return Err(other.into()),
            }
        }
    }
    Ok(())
}
