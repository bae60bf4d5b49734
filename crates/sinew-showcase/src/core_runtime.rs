//! The core deployment as a game runs it: a compressed clip in single precision, laid over the head's subtree of a
//! robot that stands somewhere in the world.

use glam::{DMat4, DVec3};
use sinew::{
    Channel, Clip, ClipBuilder, ClipLayer, DTransform, EvaluateJob, EvaluateScratch, JointId, LocalPose,
    ModelJob, ModelPose, RawClip, RawPose, Rig, Subtree, SubtreeJob, SubtreeSource, model_matrices,
};
use sinew_asset::Document;

use crate::StudyError;
use crate::action_study::stage::Stage;

/// What compressing the clip may lose, metres: any point 3 cm from a bone, in model space.
pub(crate) const BOUND: f64 = 2e-5;

/// The runtime with the sequence loaded.
pub(crate) struct Runtime {
    rig: Rig,
    clip: Clip,
    head: Subtree,
    rest: LocalPose,
    /// Body and legs as they stand, the body in the world.
    standing: LocalPose,
    scratch: EvaluateScratch,
    sampled: LocalPose,
    pose: LocalPose,
    model_ws: ModelPose,
}

impl Runtime {
    /// Compresses all of a file's clip for the robot, bones found by name; body and legs too, so that it is the
    /// subtree that keeps them out.
    pub(crate) fn new(stage: &Stage, source: &Document) -> Result<Self, StudyError> {
        let skeleton = &stage.robot.skeleton;
        let rig = Rig::new(skeleton).map_err(StudyError::build("the runtime's rig"))?;
        let of_robot = |channel: &Channel| {
            let joint = skeleton.find(&source.skeleton.label(channel.joint))?;
            Some(Channel { joint, ..channel.clone() })
        };
        let channels = source.clips[0].channels.iter().filter_map(of_robot).collect();
        let raw = RawClip { name: source.clips[0].name.clone(), channels, ..RawClip::default() };
        let (clip, _) = ClipBuilder::new(skeleton, &rig)
            .bound(BOUND)
            .build(&raw)
            .map_err(StudyError::build("the compressed sequence"))?;
        let head = Subtree::new(&rig, rig.slot(stage.robot.head))
            .map_err(StudyError::build("the head's subtree in the runtime"))?;
        let mut support = stage.support.clone();
        let root = &mut support.local[stage.robot.body.index()];
        *root = stage.body_ws.mul_transform(root);
        let standing = LocalPose::from_raw(&rig, &support);
        let rest = LocalPose::rest(&rig);
        Ok(Self {
            scratch: EvaluateScratch::new(&rig, 1),
            sampled: rest.clone(),
            pose: rest.clone(),
            model_ws: ModelPose::rest(&rig),
            rig,
            clip,
            head,
            rest,
            standing,
        })
    }

    /// The robot at a moment of the sequence, seconds.
    pub(crate) fn step(&mut self, seconds: f64) -> Result<(), StudyError> {
        let layers = [ClipLayer::new(&self.clip, seconds as f32, 1.0)];
        EvaluateJob {
            rig: &self.rig,
            base: &self.rest,
            layers: &layers,
            groups: usize::MAX,
            scratch: &mut self.scratch,
            output: &mut self.sampled,
        }
        .run()
        .map_err(StudyError::build("a sample of the compressed sequence"))?;
        self.pose.copy_from(&self.standing);
        SubtreeJob {
            subtree: &self.head,
            source: SubtreeSource::Pose(&self.sampled),
            weight: 1.0,
            output: &mut self.pose,
        }
        .run()
        .map_err(StudyError::build("the head's bones in the runtime"))?;
        self.compose()
    }

    fn compose(&mut self) -> Result<(), StudyError> {
        ModelJob { rig: &self.rig, pose: &self.pose, groups: usize::MAX, output: &mut self.model_ws }
            .run()
            .map_err(StudyError::build("the runtime's bones in the world"))
    }

    /// A bone in the world.
    pub(crate) fn bone_ws(&self, joint: JointId) -> DMat4 {
        DMat4::from(self.model_ws.get(self.rig.slot(joint)).as_daffine3())
    }

    /// A bone relative to another, from where both are in the world.
    pub(crate) fn relative(&self, to: JointId, joint: JointId) -> DTransform {
        DTransform::rigid_part(&(self.bone_ws(to).inverse() * self.bone_ws(joint)))
    }
}

/// The core relative to the head in the file's own pose: all of its tracks on its own skeleton, in double
/// precision; its body crouches.
pub(crate) fn whole_pose(source: &Document, seconds: f64) -> DTransform {
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    source.clips[0].sample(&source.skeleton, seconds, &mut pose);
    model_matrices(&source.skeleton, &pose, &mut model_ms);
    match ["Head_01", "Core_01"].map(|name| source.skeleton.find(name)) {
        [Some(head), Some(core)] => {
            DTransform::rigid_part(&(model_ms[head.index()].inverse() * model_ms[core.index()]))
        }
        _ => DTransform { translation: DVec3::NAN, ..DTransform::IDENTITY },
    }
}

#[cfg(test)]
mod tests {
    use sinew::Transform;

    use super::*;
    use crate::core_deployment::stand_crooked;
    use crate::core_sequence::{self, CoreTrack};

    fn apart_cm(runtime: &Runtime, stage: &Stage, source: &Document, seconds: f64) -> f64 {
        let here = runtime.relative(stage.robot.head, stage.robot.core);
        (here.translation - whole_pose(source, seconds).translation).length() * 100.0
    }

    #[test]
    fn a_core_in_the_wrong_space_or_under_the_wrong_bone_is_far_from_the_whole_pose() {
        let mut stage = Stage::new().unwrap();
        stand_crooked(&mut stage).unwrap();
        let source = core_sequence::build(&stage.robot, CoreTrack::Complete).unwrap();
        let mut runtime = Runtime::new(&stage, &source).unwrap();
        let seconds = 25.0 / 30.0;
        runtime.step(seconds).unwrap();
        assert!(apart_cm(&runtime, &stage, &source, seconds) < 5e-3);
        let core = runtime.rig.slot(stage.robot.core);
        // As it is in the body's space, written as if that were the head's.
        let in_body = runtime.relative(stage.robot.body, stage.robot.core);
        runtime.pose.set(core, &Transform::from(in_body));
        runtime.compose().unwrap();
        assert!(apart_cm(&runtime, &stage, &source, seconds) > 100.0);
        // What another bone of the head has.
        let laser = runtime.sampled.get(runtime.rig.slot(stage.robot.laser));
        runtime.pose.set(core, &laser);
        runtime.compose().unwrap();
        assert!(apart_cm(&runtime, &stage, &source, seconds) > 10.0);
        // And a moment too early.
        runtime.step(seconds - 1.0 / 30.0).unwrap();
        assert!(apart_cm(&runtime, &stage, &source, seconds) > 1.0);
    }
}
