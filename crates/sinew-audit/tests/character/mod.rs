//! Small characters made by hand, for tests that know what is wrong with them.

#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::Arc;

use glam::{DQuat, DVec3};
use sinew::{Channel, ChannelTarget, DTransform, Interpolation, Joint, JointId, RawClip, Skeleton, Track};
use sinew_asset::{Document, Loaded};
use sinew_audit::{AuditReport, Code, Finding, Limits, audit};

/// A character under construction.
#[derive(Clone, Default)]
pub(crate) struct Character {
    pub(crate) joints: Vec<Joint>,
    pub(crate) clips: Vec<RawClip>,
}

impl Character {
    /// Adds a joint; its node in the file is its position plus ten, so that both are told apart.
    pub(crate) fn joint(&mut self, name: &str, parent: Option<JointId>, at: [f64; 3]) -> JointId {
        let id = JointId(self.joints.len() as u32);
        let rest = DTransform { translation: DVec3::from_array(at), ..DTransform::IDENTITY };
        self.joints.push(Joint { node: id.0 + 10, ..Joint::new(name, parent, rest) });
        id
    }

    pub(crate) fn clip(&mut self, name: &str) -> &mut RawClip {
        let source = self.clips.len() as u32;
        self.clips.push(RawClip { name: Some(name.into()), source, ..RawClip::default() });
        self.clips.last_mut().unwrap()
    }

    pub(crate) fn loaded(&self) -> Loaded {
        let skeleton = Skeleton::new(self.joints.clone(), Vec::new()).unwrap();
        let document = Document { skeleton, clips: self.clips.clone(), ..Document::default() };
        Loaded { document, problems: Vec::new() }
    }

    pub(crate) fn audit(&self) -> AuditReport {
        audit(&self.loaded(), &Limits::default())
    }

    /// Findings of one rule.
    pub(crate) fn findings(&self, code: Code) -> Vec<Finding> {
        of(self.audit(), code)
    }
}

/// Findings of one rule in a report.
pub(crate) fn of(report: AuditReport, code: Code) -> Vec<Finding> {
    report.findings.into_iter().filter(|f| f.code == code).collect()
}

/// Adds a channel of vectors at even times.
pub(crate) fn translate(
    clip: &mut RawClip,
    joint: JointId,
    step: f64,
    at: impl Fn(f64) -> DVec3,
    keys: usize,
) {
    let times: Vec<f64> = (0..keys).map(|k| k as f64 * step).collect();
    let values: Vec<f32> = times.iter().flat_map(|t| at(*t).to_array()).map(|v| v as f32).collect();
    let track = Track::new(times.into(), values.into(), 3, Interpolation::Linear).unwrap();
    push(clip, joint, ChannelTarget::Translation, track);
}

/// Adds a channel of rotations at given times.
pub(crate) fn rotate(clip: &mut RawClip, joint: JointId, times: &[f64], keys: &[DQuat]) {
    let values: Vec<f32> = keys.iter().flat_map(|q| q.to_array()).map(|v| v as f32).collect();
    rotate_raw(clip, joint, times, values, Interpolation::Linear);
}

/// Adds a channel of rotations as stored.
pub(crate) fn rotate_raw(
    clip: &mut RawClip,
    joint: JointId,
    times: &[f64],
    values: Vec<f32>,
    interpolation: Interpolation,
) {
    let values: Arc<[f32]> = values.into();
    let track = Track::rotation(Arc::from(times), values, interpolation).unwrap();
    push(clip, joint, ChannelTarget::Rotation, track);
}

pub(crate) fn push(clip: &mut RawClip, joint: JointId, target: ChannelTarget, track: Track) {
    let source = clip.channels.len() as u32;
    clip.channels.push(Channel { joint, target, track, source });
}
