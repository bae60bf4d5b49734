//! A character that is played frame by frame.

use glam::{DVec2, DVec3};
use sinew::{
    DTransform, FlatGround, Ground, GroundMover, JointId, LocalPose, LocomotionController, LocomotionError,
    LocomotionFrame, LocomotionJob,
};

use super::{Character, mover};

pub(crate) const DT: f64 = 1.0 / 60.0;
/// Ankles of the left and the right foot.
pub(crate) const FEET: [u32; 2] = [4, 8];

pub(crate) struct Walk<'a> {
    pub(crate) character: &'a Character,
    pub(crate) state: LocomotionController,
    pub(crate) pose: LocalPose,
    pub(crate) mover: GroundMover,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(character: &'a Character) -> Self {
        let state = LocomotionController::new(&character.rig, &character.set);
        Self { character, state, pose: LocalPose::rest(&character.rig), mover: mover() }
    }

    pub(crate) fn try_frame(
        &mut self,
        ground: &dyn Ground,
        input: DVec2,
        facing: Option<DVec2>,
        dt: f64,
    ) -> Result<LocomotionFrame, LocomotionError> {
        let Self { character, state, pose, mover } = self;
        let (rig, set) = (&character.rig, &character.set);
        LocomotionJob { rig, set, mover, ground, input, facing, dt, state, pose }.run()
    }

    pub(crate) fn frame(
        &mut self,
        ground: &dyn Ground,
        input: DVec2,
        facing: Option<DVec2>,
    ) -> LocomotionFrame {
        self.try_frame(ground, input, facing, DT).unwrap()
    }

    /// A frame on level ground.
    pub(crate) fn push(&mut self, input: DVec2) -> LocomotionFrame {
        self.frame(&FlatGround::default(), input, None)
    }

    /// So many frames on level ground; the last.
    pub(crate) fn hold(&mut self, input: DVec2, frames: usize) -> LocomotionFrame {
        for _ in 1..frames {
            self.push(input);
        }
        self.push(input)
    }

    /// A joint in the world.
    pub(crate) fn joint(&self, frame: &LocomotionFrame, joint: u32) -> DTransform {
        let rig = &self.character.rig;
        let (mut at, mut walk) = (DTransform::IDENTITY, Some(rig.slot(JointId(joint))));
        while let Some(here) = walk {
            let local = self.pose.get(here);
            let local = DTransform {
                translation: local.translation.as_dvec3(),
                rotation: local.rotation.as_dquat(),
                scale: local.scale.as_dvec3(),
            };
            at = local.mul_transform(&at);
            walk = rig.parents()[here.index()];
        }
        frame.placement.mul_transform(&at)
    }

    /// Heel and ball of a foot in the world.
    pub(crate) fn sole(&self, frame: &LocomotionFrame, foot: u32) -> [DVec3; 2] {
        let at = self.joint(frame, foot);
        [-0.05, 0.12].map(|z| at.translation + at.rotation * DVec3::new(0.0, -0.07, z))
    }

    /// The farthest that a foot has slid in one of its stands.
    pub(crate) fn worst_slide(&self) -> f64 {
        self.state.slides().iter().map(|s| s.worst).fold(0.0, f64::max)
    }
}
