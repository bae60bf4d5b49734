//! Writes the built-in robot, standing, as a GLB file.
//!
//! `cargo run -p sinew-showcase --example robot_glb -- robot.glb`

use sinew_asset::{WriteOptions, write_glb};
use sinew_showcase::robot::Robot;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: robot_glb ROBOT.glb")?;
    let document = Robot::new()?.document("robot", Vec::new());
    sinew_asset::save(path, &write_glb(&document, &WriteOptions::default())?)?;
    Ok(())
}
