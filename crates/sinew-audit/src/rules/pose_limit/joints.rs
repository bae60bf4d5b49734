//! Joints held against the angles that are set for them.

use core::f64::consts::PI;

use glam::{DMat4, DQuat, DVec3};
use sinew::{DTransform, JointId, JointLimit, Skeleton, largest_turn};

use super::{Axis, LimitedJoint, Worst, finding};
use crate::collect::Collector;
use crate::motion::Motion;
use crate::pattern;

/// One angle of a joint, measured by itself: a joint past two of its limits is told of both.
struct Held {
    what: &'static str,
    limit: JointLimit,
    worst: Worst,
}

/// A joint that is looked at.
pub(super) struct Watched<'a> {
    pub(super) joint: JointId,
    limits: &'a LimitedJoint,
    held: Vec<Held>,
    turn: Worst,
    before: Option<DQuat>,
}

/// Joints whose name fits a line; the first that fits counts.
pub(super) fn watched<'a>(skeleton: &Skeleton, lines: &'a [LimitedJoint]) -> Vec<Watched<'a>> {
    let fitting = skeleton.iter().filter_map(|(joint, j)| {
        let name = j.name.as_deref().unwrap_or("");
        let limits = lines.iter().find(|l| pattern::matches(&l.joint, name))?;
        let held = held(limits, j.rest.rotation.normalize());
        Some(Watched { joint, limits, held, turn: Worst::NONE, before: None })
    });
    fitting.collect()
}

fn held(line: &LimitedJoint, rest: DQuat) -> Vec<Held> {
    let radians = |v: Option<f64>| v.map_or(PI, |v| v.min(180.0).to_radians());
    let axis = match line.axis {
        Some(Axis::X) => DVec3::X,
        Some(Axis::Z) => DVec3::Z,
        Some(Axis::Y) | None => DVec3::Y,
    };
    let mut held = Vec::new();
    let mut push = |what, limit| held.push(Held { what, limit, worst: Worst::NONE });
    if line.swing_deg.is_some() {
        push("swings", JointLimit::swing_twist(rest, axis, radians(line.swing_deg), [-PI, PI]));
    }
    if line.twist_below_deg.or(line.twist_above_deg).is_some() {
        let twist = [-radians(line.twist_below_deg), radians(line.twist_above_deg)];
        push("twists", JointLimit::swing_twist(rest, axis, PI, twist));
    }
    let free = DVec3::splat(PI);
    for (what, axis, below, above) in [
        ("turns about X", DVec3::X, line.x_below_deg, line.x_above_deg),
        ("turns about Y", DVec3::Y, line.y_below_deg, line.y_above_deg),
        ("turns about Z", DVec3::Z, line.z_below_deg, line.z_above_deg),
    ] {
        if below.or(above).is_some() {
            let others = free - free * axis;
            let (min, max) = (-others - axis * radians(below), others + axis * radians(above));
            push(what, JointLimit::per_axis(rest, min, max));
        }
    }
    held
}

impl Watched<'_> {
    pub(super) fn look(&mut self, skeleton: &Skeleton, time: f64, at: &impl Fn(JointId) -> DMat4) {
        let here = DTransform::rigid_part(&at(self.joint)).rotation;
        if !self.held.is_empty() {
            let parent = skeleton.joint(self.joint).parent;
            let parent = parent.map_or(DQuat::IDENTITY, |p| DTransform::rigid_part(&at(p)).rotation);
            let rotation_ls = parent.conjugate() * here;
            for held in &mut self.held {
                held.worst.meet(-held.limit.margin(rotation_ls).radians.to_degrees(), time);
            }
        }
        if let Some(before) = self.before.replace(here)
            && let Some(turn) = largest_turn(&[before], &[here])
        {
            self.turn.meet(turn.radians.to_degrees(), time);
        }
    }

    pub(super) fn report(&self, skeleton: &Skeleton, motion: &Motion<'_>, out: &mut Collector<'_>) {
        let label = skeleton.label(self.joint);
        let mut push = |message: String, worst: Worst, limit: f64| {
            let finding = finding(motion, message).joint(skeleton, self.joint).at(worst.time);
            out.push(finding.measured(worst.value, limit, "deg"));
        };
        for Held { what, worst, .. } in &self.held {
            let Worst { value, time } = *worst;
            // Of a limit that is just kept, single-precision keys break the last digit.
            if value > 1e-3 {
                let message = format!("'{label}' {what} {value:.2} degrees past its limit at {time:.3} s");
                push(message, *worst, 0.0);
            }
        }
        if let Some(limit) = self.limits.turn_deg.filter(|limit| self.turn.value > *limit) {
            let Worst { value, time } = self.turn;
            let message = format!(
                "'{label}' turns {value:.2} degrees in the step up to {time:.3} s, the limit is {limit}"
            );
            push(message, self.turn, limit);
        }
    }
}
