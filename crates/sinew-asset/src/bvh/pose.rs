//! The local transform that one motion row gives a joint.

use glam::{DQuat, DVec3};

use super::hierarchy::{BvhJoint, Channel};

/// Offset and turn of a joint from its parent; `row` holds the numbers of its channels, in order.
///
/// Position channels replace their component of the OFFSET, on any joint (Blender's reading; three.js adds
/// them on all joints). Turns compose in the order of their columns: `R(first) * R(second) * R(third)`.
pub(super) fn local(joint: &BvhJoint, row: &[f64]) -> (DVec3, DQuat) {
    let mut translation = joint.offset;
    let mut rotation = DQuat::IDENTITY;
    for (channel, &value) in joint.channels.iter().zip(row) {
        match *channel {
            Channel::Position(axis) => translation[axis] = value,
            Channel::Rotation(axis) => rotation *= turn(axis, value),
        }
    }
    (DVec3::from_array(translation), rotation.normalize())
}

fn turn(axis: usize, degrees: f64) -> DQuat {
    // Whole turns go before the conversion to radians: 360 degrees are exact, two pi is not.
    let (sin, cos) = libm::sincos((degrees % 720.0).to_radians() * 0.5);
    let mut vector = [0.0; 3];
    vector[axis] = sin;
    DQuat::from_xyzw(vector[0], vector[1], vector[2], cos)
}

/// World positions of all joints, `[joint]`, file units; without a row, of the rest pose.
pub(super) fn positions(joints: &[BvhJoint], row: Option<&[f64]>) -> Vec<DVec3> {
    let mut world: Vec<(DVec3, DQuat)> = Vec::with_capacity(joints.len());
    let mut column = 0;
    for joint in joints {
        let numbers = row.and_then(|row| row.get(column..column + joint.channels.len())).unwrap_or_default();
        column += joint.channels.len();
        let (translation, rotation) = local(joint, numbers);
        let (position, turned) = match joint.parent.and_then(|parent| world.get(parent)) {
            Some(&(position, turned)) => (position + turned * translation, (turned * rotation).normalize()),
            None => (translation, rotation),
        };
        world.push((position, turned));
    }
    world.into_iter().map(|(position, _)| position).collect()
}
