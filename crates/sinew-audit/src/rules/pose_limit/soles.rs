//! Soles held to where they stand.

use glam::{DMat4, DVec3};
use sinew::{DTransform, JointId, Skeleton};

use super::{PlantedSole, Worst, finding};
use crate::collect::Collector;
use crate::motion::Motion;
use crate::pattern;

/// A sole that is looked at.
pub(super) struct Sole<'a> {
    pub(super) joint: JointId,
    line: &'a PlantedSole,
    /// Metres, model space.
    anchor: Option<DVec3>,
    /// Metres.
    off: Worst,
}

/// Soles of the joints whose name fits a line; the first that fits counts.
pub(super) fn soles<'a>(skeleton: &Skeleton, lines: &'a [PlantedSole]) -> Vec<Sole<'a>> {
    let fitting = skeleton.iter().filter_map(|(joint, j)| {
        let name = j.name.as_deref().unwrap_or("");
        let line = lines.iter().find(|l| pattern::matches(&l.joint, name))?;
        let anchor = line.anchor_mm.map(|mm| DVec3::from_array(mm) * 1e-3);
        Some(Sole { joint, line, anchor, off: Worst::NONE })
    });
    fitting.collect()
}

impl Sole<'_> {
    pub(super) fn look(&mut self, time: f64, at: &impl Fn(JointId) -> DMat4) {
        let here = DTransform::rigid_part(&at(self.joint));
        let sole = here.translation + here.rotation * (DVec3::from_array(self.line.offset_mm) * 1e-3);
        let anchor = *self.anchor.get_or_insert(sole);
        self.off.meet((sole - anchor).length(), time);
    }

    pub(super) fn report(&self, skeleton: &Skeleton, motion: &Motion<'_>, out: &mut Collector<'_>) {
        let (off_mm, limit) = (self.off.value * 1e3, self.line.residual_mm);
        if off_mm > limit {
            let (label, time) = (skeleton.label(self.joint), self.off.time);
            let whence = if self.line.anchor_mm.is_some() { "its anchor" } else { "where it started" };
            let message = format!("sole of '{label}' is {off_mm:.2} mm from {whence} at {time:.3} s");
            let finding = finding(motion, message).joint(skeleton, self.joint).at(time);
            out.push(finding.measured(off_mm, limit, "mm"));
        }
    }
}
