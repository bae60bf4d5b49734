//! The choice of the ankle's tilt.

use super::solve::{At, Problem};
use super::{LegGeometry, LegSolution, LegTarget};
use crate::DTransform;
use crate::ik::status::within;
use crate::ik::{IkError, IkStatus};

/// Tilts that are looked at within the window of a step.
pub(super) const SCAN: usize = 17;
/// And over the whole range, where there is no step before.
pub(super) const WIDE_SCAN: usize = 65;
/// Halvings of the distance between two of them.
const HALVINGS: usize = 8;
/// What being near one costs, over its square.
pub(super) const NEAR: f64 = 20.0;
/// What being stretched out costs, over its square.
pub(super) const STRETCHED: f64 = 4.0;

/// How the ankle's tilt is chosen: by the least cost of distance from the rest tilt, stretching, nearness to
/// limits and to collisions, and change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegSearch {
    /// Tilt of the leg at ease, radians.
    pub rest: f64,
    /// Tilts that may be chosen, radians.
    pub range: [f64; 2],
    /// Largest change from the tilt before, radians.
    pub window: f64,
    /// Reach (1 is stretched out) above which stretching costs.
    pub reach: f64,
    /// Margin to a limit below which it costs, radians.
    pub margin: f64,
    /// Gap between segments below which it costs, metres.
    pub clearance: f64,
    /// What change costs against distance from the rest tilt.
    pub continuity: f64,
}

impl Default for LegSearch {
    /// For a machine of several metres, at 30 samples a second.
    fn default() -> Self {
        Self {
            rest: 0.15,
            range: [-0.6, 1.0],
            window: 0.05,
            reach: 0.85,
            margin: 0.1,
            clearance: 0.2,
            continuity: 2.0,
        }
    }
}

impl LegSearch {
    pub(super) fn check(&self) -> Result<(), IkError> {
        let any = [f64::MIN, f64::MAX];
        let positive = [0.0, f64::MAX];
        within("the lower end of the range of phi", self.range[0], any, "a finite angle")?;
        within(
            "the upper end of the range of phi",
            self.range[1],
            [self.range[0], f64::MAX],
            "the lower or more",
        )?;
        within("the rest phi", self.rest, self.range, "within the range of phi")?;
        within("the window", self.window, positive, "0 or more")?;
        within("the reach that costs nothing", self.reach, positive, "0 or more")?;
        within("the margin that costs nothing", self.margin, positive, "0 or more")?;
        within("the clearance that costs nothing", self.clearance, positive, "0 or more")?;
        within("the weight of continuity", self.continuity, positive, "0 or more")
    }

    /// How many of limits and gaps are broken, and what is left to choose by: a tilt within all is better than any
    /// that is not.
    fn cost(&self, at: &At, previous: Option<f64>) -> (u8, f64) {
        let square = |x: f64| x * x;
        let near = |gap: f64, enough: f64| NEAR * square((enough - gap).max(0.0));
        let broken = u8::from(at.margin < 0.0) + u8::from(at.clearance < 0.0);
        let cost = square(at.phi - self.rest)
            + STRETCHED * square((at.reach - self.reach).max(0.0))
            + near(at.margin, self.margin)
            + near(at.clearance, self.clearance)
            + previous.map_or(0.0, |p| self.continuity * square(at.phi - p));
        (broken, cost)
    }
}

/// Solves one leg: the sole stands where it should to the last digits of double precision.
///
/// The tilt is the best of 17 spread over the window (65 over the range without a previous one), refined by
/// halving their distance and by the parabola through the last three. The solution is a function of body,
/// target and previous tilt alone: no drift builds up over a loop.
///
/// A limit or a collision that no tilt in the window avoids is not held: the sole stays, and the status says
/// [`IkStatus::LimitHit`] (0 yaw, 1 hip, 2 knee, 3 ankle, 4 foot) or [`IkStatus::Collides`]. Where no tilt
/// reaches, the status is [`IkStatus::Unreachable`] with the least that is missing, and the output is
/// untouched.
#[derive(Debug)]
pub struct LegJob<'a> {
    /// The leg.
    pub geometry: &'a LegGeometry,
    /// How the tilt is chosen.
    pub search: &'a LegSearch,
    /// What carries the leg; its scale is not looked at.
    pub body: DTransform,
    /// Where the sole should stand, in the space that the body is in.
    pub target: LegTarget,
    /// [`LegSolution::phi`] of the sample before.
    pub previous: Option<f64>,
    /// The solution.
    pub output: &'a mut LegSolution,
}

impl LegJob<'_> {
    /// Solves the leg. Allocates nothing.
    ///
    /// # Errors
    /// [`IkError`] where an input is none; the output is untouched.
    pub fn run(&mut self) -> Result<IkStatus, IkError> {
        self.search.check()?;
        let problem = Problem::new(self.geometry, &self.body, &self.target)?;
        let (low, high, scan) = bounds(self.search, self.previous)?;
        match self.choose(&problem, low, high, scan) {
            Ok(at) => {
                *self.output = problem.solution(&at);
                Ok(status(self.output))
            }
            Err(by_metres) => Ok(IkStatus::Unreachable { by_metres }),
        }
    }

    /// The tilt of least cost, or the least distance that is missing at any of them.
    fn choose(&self, problem: &Problem<'_>, low: f64, high: f64, scan: usize) -> Result<At, f64> {
        let cost_at = |phi: f64| problem.at(phi).map(|at| (self.search.cost(&at, self.previous), at));
        let step = (high - low) / (scan - 1) as f64;
        let mut missing = f64::INFINITY;
        let mut best: Option<((u8, f64), At)> = None;
        for k in 0..scan {
            match cost_at((low + step * k as f64).min(high)) {
                Ok(found) if best.is_none_or(|b| found.0 < b.0) => best = Some(found),
                Ok(_) => {}
                Err(by) => missing = missing.min(by),
            }
        }
        let Some(mut best) = best else { return Err(missing) };
        let mut step = step;
        for _ in 0..HALVINGS {
            step *= 0.5;
            for side in [-step, step] {
                let phi = (best.1.phi + side).clamp(low, high);
                if let Ok(found) = cost_at(phi)
                    && found.0 < best.0
                {
                    best = found;
                }
            }
        }
        if let (Ok(left), Ok(right)) = (cost_at(best.1.phi - step), cost_at(best.1.phi + step)) {
            let [left, right, middle] = [left.0, right.0, best.0].map(|(_, cost)| cost);
            let bend = left + right - 2.0 * middle;
            let vertex = best.1.phi + 0.5 * step * (left - right) / bend;
            if bend > 0.0
                && (low..=high).contains(&vertex)
                && let Ok(found) = cost_at(vertex)
                && found.0 <= best.0
            {
                best = found;
            }
        }
        Ok(best.1)
    }
}

/// Between which tilts to look, and at how many.
fn bounds(search: &LegSearch, previous: Option<f64>) -> Result<(f64, f64, usize), IkError> {
    let [low, high] = search.range;
    let Some(previous) = previous else { return Ok((low, high, WIDE_SCAN)) };
    let window = search.window;
    within("the previous phi", previous, [low - window, high + window], "within the range and its window")?;
    Ok(((previous - window).max(low), (previous + window).min(high), SCAN))
}

fn status(solution: &LegSolution) -> IkStatus {
    if solution.limit_margin < 0.0 {
        IkStatus::LimitHit { joint: solution.limit_joint }
    } else if solution.clearance < 0.0 {
        IkStatus::Collides { by_metres: -solution.clearance }
    } else {
        IkStatus::Reached
    }
}
