//! How far the properties of joints move vertices.

use glam::DMat3;

use crate::{Channel, ChannelTarget, RawPose, Rig, Skeleton, Slot, model_matrices};

/// Metres in model space that a unit of each property of each joint is worth at the far end, in rest pose.
#[derive(Debug)]
pub(crate) struct Levers<'a> {
    pub(crate) rig: &'a Rig,
    /// `[slot]`: of rotation (a radian), translation, scale.
    of_slot: Vec<[f64; 3]>,
}

impl<'a> Levers<'a> {
    pub(crate) fn new(skeleton: &Skeleton, rig: &'a Rig, shell: f64) -> Self {
        let mut rest_ms = Vec::new();
        model_matrices(skeleton, &RawPose::rest(skeleton), &mut rest_ms);
        let size = |slot: Slot| {
            let m = DMat3::from_mat4(rest_ms[rig.joint(slot).index()]);
            m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length())
        };
        let of_slot = (0..rig.len())
            .map(|index| {
                let slot = Slot(index as u16);
                let reach = f64::from(rig.reach()[index]).max(shell);
                let parent = rig.parents()[index].map_or(1.0, size);
                // A factor is worth what it is of the scale at rest.
                let own = skeleton.joint(rig.joint(slot)).rest.scale.abs().max_element();
                [reach, parent.max(1e-6), reach / own.max(1e-6)]
            })
            .collect();
        Self { rig, of_slot }
    }

    /// Of a joint: rotation, translation, scale.
    pub(crate) fn of(&self, slot: usize) -> [f64; 3] {
        self.of_slot[slot]
    }

    /// Of what a channel moves.
    pub(crate) fn of_channel(&self, channel: &Channel) -> f64 {
        let of = self.of_slot[self.rig.slot(channel.joint).index()];
        match channel.target {
            ChannelTarget::Rotation => of[0],
            ChannelTarget::Translation => of[1],
            ChannelTarget::Scale | ChannelTarget::Weights => of[2],
        }
    }
}
