//! Chains of any number of joints: tails, necks, arms with a clavicle.
//!
//! Cyclic coordinate descent (Wang and Chen 1991): from the tip to the root, each joint turns the end towards
//! the target and then back to within its limit, over and over. Limits hold after every step, so what comes
//! out is always a pose that the character can take. After each sweep all joints take a step together (Gauss
//! and Newton's), which ends what descent alone only creeps up to.

use glam::{DMat3, DQuat, DVec3};

use super::status::{TINY, length, point, rotation};
use super::{IkError, IkStatus, JointLimit};
use crate::DTransform;

/// Most sweeps of one run.
const MOST_SWEEPS: u32 = 100_000;
/// Radians within which a joint counts as being at its limit.
const AT_LIMIT: f64 = 1e-9;

/// Where the end came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainSolution {
    /// What came of it.
    pub status: IkStatus,
    /// Distance from the end to the target, metres.
    pub residual: f64,
    /// Sweeps it took.
    pub sweeps: u32,
}

/// Turns the joints of a chain until its end is at the target.
///
/// It goes on from the rotations on entry: start from the pose of the animation for a result that stays near
/// it, and that depends on nothing else.
#[derive(Debug)]
pub struct ChainJob<'a> {
    /// Position of the first joint and rotation of its parent, in the space of the target. Scale is not
    /// looked at.
    pub root: DTransform,
    /// `[joint]`: from a joint to the next, for the last one to the end, in the joint's own space, metres.
    pub offsets: &'a [DVec3],
    /// `[joint]`: limits of the local rotations.
    pub limits: &'a [Option<JointLimit>],
    /// Where the end should be, metres.
    pub target: DVec3,
    /// Distance that is near enough, metres; above 0.
    pub tolerance: f64,
    /// Sweeps over the chain at most, 1 or more.
    pub sweeps: u32,
    /// `[joint]`: local rotations, changed in place.
    pub rotations: &'a mut [DQuat],
}

impl ChainJob<'_> {
    /// Solves the chain. Rotations that break a limit on entry are moved to within it first. Allocates
    /// nothing.
    ///
    /// Short of the target, the status is [`IkStatus::LimitHit`] with the joint nearest to the root that is
    /// at its limit, or [`IkStatus::Unreachable`] with the distance left where there is none: too far, too
    /// near, or too few sweeps.
    ///
    /// # Errors
    /// [`IkError`] where an input is none or the arrays differ in length; the rotations are untouched.
    pub fn run(&mut self) -> Result<ChainSolution, IkError> {
        self.check()?;
        for (q, limit) in self.rotations.iter_mut().zip(self.limits) {
            *q = held(q.normalize(), limit);
        }
        let (mut sweeps, mut straight) = (0, true);
        let mut residual = (self.end() - self.target).length();
        while residual > self.tolerance && sweeps < self.sweeps {
            let before = residual;
            self.sweep();
            residual = self.step_together();
            sweeps += 1;
            if straight && residual > self.tolerance && residual > before * (1.0 - 1e-9) && self.may_reach() {
                // A straight chain that points at its target sees no way to bend.
                straight = false;
                self.bend();
                residual = (self.end() - self.target).length();
            }
        }
        let status = if residual <= self.tolerance {
            IkStatus::Reached
        } else {
            let mut joints = self.rotations.iter().zip(self.limits);
            let limited =
                joints.position(|(q, limit)| limit.is_some_and(|limit| limit.margin(*q).radians <= AT_LIMIT));
            match limited {
                Some(joint) if self.may_reach() => IkStatus::LimitHit { joint },
                _ => IkStatus::Unreachable { by_metres: residual },
            }
        };
        Ok(ChainSolution { status, residual, sweeps })
    }

    /// Where the end is, metres.
    #[must_use]
    pub fn end(&self) -> DVec3 {
        let (mut at, mut turned) = (self.root.translation, self.root.rotation);
        for (q, offset) in self.rotations.iter().zip(self.offsets) {
            turned *= *q;
            at += turned * *offset;
        }
        at
    }

    fn check(&self) -> Result<(), IkError> {
        let expected = self.offsets.len();
        for (what, found) in [("limits", self.limits.len()), ("rotations", self.rotations.len())] {
            if found != expected {
                return Err(IkError::Count { what, found, expected });
            }
        }
        if expected == 0 {
            return Err(IkError::Count { what: "joints", found: 0, expected: 1 });
        }
        point("the root", self.root.translation)?;
        rotation("the root's rotation", self.root.rotation)?;
        point("the target", self.target)?;
        length("the tolerance", self.tolerance, false)?;
        if !(1..=MOST_SWEEPS).contains(&self.sweeps) {
            let (what, value) = ("the number of sweeps", f64::from(self.sweeps));
            return Err(IkError::OutOfRange { what, value, expected: "1 to 100000" });
        }
        for offset in self.offsets {
            point("an offset", *offset)?;
        }
        for q in self.rotations.iter() {
            rotation("a local rotation", *q)?;
        }
        self.limits.iter().flatten().try_for_each(JointLimit::check)?;
        if self.offsets.iter().all(|o| o.length() < TINY) {
            return Err(IkError::ZeroLength { what: "the chain" });
        }
        Ok(())
    }

    /// Whether the distance to the target alone lets it be reached.
    fn may_reach(&self) -> bool {
        let distance = (self.target - self.root.translation).length();
        let (mut sum, mut longest) = (0.0, 0.0_f64);
        for offset in self.offsets {
            sum += offset.length();
            longest = longest.max(offset.length());
        }
        distance <= sum && distance >= 2.0 * longest - sum
    }

    /// One step of all joints at once, where it brings the end nearer; the distance that is left.
    ///
    /// With the way `r` from a joint to the end, turns `r x y` move the end by the sum of `|r|^2 y - r (r .
    /// y)`: the smallest turns that bring it all the way, to first order, come from three equations for `y`.
    /// Descent alone creeps up to a target; this doubles the right digits each time.
    fn step_together(&mut self) -> f64 {
        let end = self.end();
        let missing = self.target - end;
        let residual = missing.length();
        if residual <= self.tolerance {
            return residual;
        }
        let mut spread = DMat3::ZERO;
        let (mut at, mut turned) = (self.root.translation, self.root.rotation);
        for (q, offset) in self.rotations.iter().zip(self.offsets) {
            let way = end - at;
            let outer = DMat3::from_cols(way * way.x, way * way.y, way * way.z);
            spread += DMat3::from_diagonal(DVec3::splat(way.length_squared())) - outer;
            turned *= *q;
            at += turned * *offset;
        }
        // Keeps the equations solvable where the chain is straight.
        let least = 1e-9 * (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z);
        let spread = spread + DMat3::from_diagonal(DVec3::splat(least));
        let y = spread.inverse() * missing;
        if !y.is_finite() {
            return residual;
        }
        let after = self.turn_all(end, y, false);
        if after < residual {
            self.turn_all(end, y, true);
            return after;
        }
        residual
    }

    /// Turns every joint by `r x y`, at most half a radian, and back to within its limit; the distance that
    /// is then left. The rotations are only changed where `keep` says so.
    fn turn_all(&mut self, end: DVec3, y: DVec3, keep: bool) -> f64 {
        let (mut at, mut turned) = (self.root.translation, self.root.rotation);
        let (mut new_at, mut new_turned) = (at, turned);
        for i in 0..self.offsets.len() {
            let by = (end - at).cross(y).clamp_length_max(0.5);
            let by = turned.conjugate() * by;
            let before = self.rotations[i];
            let after = held((DQuat::from_scaled_axis(by) * before).normalize(), &self.limits[i]);
            turned *= before;
            at += turned * self.offsets[i];
            new_turned *= after;
            new_at += new_turned * self.offsets[i];
            if keep {
                self.rotations[i] = after;
            }
        }
        (new_at - self.target).length()
    }

    /// Bends every joint a little to the same side.
    fn bend(&mut self) {
        for i in 0..self.offsets.len() {
            let side = self.offsets[i].try_normalize().map_or(DVec3::X, |o| o.any_orthonormal_vector());
            let bent = self.rotations[i] * DQuat::from_axis_angle(side, 0.1);
            self.rotations[i] = held(bent.normalize(), &self.limits[i]);
        }
    }

    /// One step of each joint, from the tip to the root.
    fn sweep(&mut self) {
        // The target as the tip's parent sees it, with the last joint as origin.
        let mut target = self.root.rotation.conjugate() * (self.target - self.root.translation);
        for (q, offset) in self.rotations.iter().zip(self.offsets).take(self.offsets.len() - 1) {
            target = q.conjugate() * target - *offset;
        }
        let mut end = DVec3::ZERO;
        for i in (0..self.offsets.len()).rev() {
            // Both as seen by the joint itself.
            end += self.offsets[i];
            let before = self.rotations[i];
            let turned = (arc(before * end, target) * before).normalize();
            let after = held(turned, &self.limits[i]);
            self.rotations[i] = after;
            end = after * end;
            if i > 0 {
                // One joint up.
                target = self.rotations[i - 1] * (target + self.offsets[i - 1]);
            }
        }
    }
}

fn held(q: DQuat, limit: &Option<JointLimit>) -> DQuat {
    limit.map_or(q, |limit| limit.clamp(q))
}

/// The shortest rotation from one direction to another; none where one of them has no length.
fn arc(from: DVec3, to: DVec3) -> DQuat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
        _ => DQuat::IDENTITY,
    }
}
