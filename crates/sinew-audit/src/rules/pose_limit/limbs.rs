//! Limbs held apart.

use glam::DMat4;
use sinew::{Capsule, JointId, Skeleton, closest_pair};

use super::{Limb, Worst, finding};
use crate::collect::Collector;
use crate::motion::Motion;

/// A limb of the skeleton.
struct Found {
    from: JointId,
    to: JointId,
    /// Metres.
    radius: f64,
}

/// All limbs, and the two that came closest.
pub(super) struct Limbs {
    found: Vec<Found>,
    /// Limbs that do not share a joint.
    pairs: Vec<(u16, u16)>,
    gap_mm: f64,
    nearest: Option<((u16, u16), Worst)>,
}

/// The joint of this name.
pub(super) fn named(skeleton: &Skeleton, name: &str) -> Option<JointId> {
    skeleton.iter().find(|(_, joint)| joint.name.as_deref() == Some(name)).map(|(id, _)| id)
}

impl Limbs {
    pub(super) fn new(skeleton: &Skeleton, lines: &[Limb], gap_mm: f64) -> Self {
        let find = |name: &str| named(skeleton, name);
        let found = lines.iter().filter_map(|l| {
            Some(Found { from: find(&l.from)?, to: find(&l.to)?, radius: l.radius_mm * 1e-3 })
        });
        let found: Vec<Found> = found.collect();
        let mut pairs = Vec::new();
        for (i, a) in found.iter().enumerate() {
            for (j, b) in found.iter().enumerate().skip(i + 1) {
                if ![b.from, b.to].contains(&a.from) && ![b.from, b.to].contains(&a.to) {
                    pairs.push((i as u16, j as u16));
                }
            }
        }
        Self { found, pairs, gap_mm, nearest: None }
    }

    pub(super) fn joints(&self) -> impl Iterator<Item = JointId> {
        self.found.iter().flat_map(|limb| [limb.from, limb.to])
    }

    pub(super) fn look(&mut self, time: f64, at: &impl Fn(JointId) -> DMat4) {
        let end = |joint: JointId| at(joint).w_axis.truncate();
        let capsule = |l: &Found| Capsule { a: end(l.from), b: end(l.to), radius: l.radius };
        let capsules: Vec<Capsule> = self.found.iter().map(capsule).collect();
        if let Some(closest) = closest_pair(&capsules, &self.pairs) {
            let missing = self.gap_mm * 1e-3 - closest.metres;
            if self.nearest.is_none_or(|n| missing > n.1.value) {
                self.nearest = Some((closest.pair, Worst { value: missing, time }));
            }
        }
    }

    pub(super) fn report(&self, skeleton: &Skeleton, motion: &Motion<'_>, out: &mut Collector<'_>) {
        let Some((pair, worst)) = self.nearest.filter(|n| n.1.value > 0.0) else { return };
        let name = |limb: u16| {
            let limb = &self.found[usize::from(limb)];
            format!("'{}' to '{}'", skeleton.label(limb.from), skeleton.label(limb.to))
        };
        let gap_mm = self.gap_mm - worst.value * 1e3;
        let how = if gap_mm < 0.0 {
            format!("is {:.1} mm within", -gap_mm)
        } else {
            format!("is {gap_mm:.1} mm from")
        };
        let message = format!("{} {how} {} at {:.3} s", name(pair.0), name(pair.1), worst.time);
        let finding = finding(motion, message).joint(skeleton, self.found[usize::from(pair.0)].from);
        out.push(finding.at(worst.time).measured(gap_mm, self.gap_mm, "mm"));
    }
}
