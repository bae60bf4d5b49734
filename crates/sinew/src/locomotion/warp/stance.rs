//! The point of a foot that counts.

use glam::DVec3;

use crate::{DTransform, PlantLeg};

/// Height differences that are no difference, metres.
const LEVEL: f64 = 0.01;

/// Where a foot touches the ground, or would: the mean of its contact points, those counting most that are
/// lowest, so that a foot that rolls from heel to toe hands over smoothly. Model space, `[slot]`.
pub(super) fn contact(leg: &PlantLeg, model: &[DTransform]) -> DVec3 {
    let place = |i: usize| {
        let contact = &leg.contacts[i];
        let joint = &model[contact.joint.index()];
        let at = joint.translation + joint.rotation * (joint.scale * contact.offset_ls);
        (at, at.y - contact.height)
    };
    let count = leg.contacts.len();
    let lowest = (0..count).map(|i| place(i).1).fold(f64::INFINITY, f64::min);
    let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
    for i in 0..count {
        let (at, height) = place(i);
        let near = LEVEL / (LEVEL + (height - lowest));
        let weight = near * near;
        sum += at * weight;
        weights += weight;
    }
    sum / weights
}
