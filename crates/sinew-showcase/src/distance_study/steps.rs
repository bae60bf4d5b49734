//! Where the runner's feet are at each moment of a clip.

/// A foot that stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stance {
    /// Where it lands and where it leaves, seconds of the clip.
    pub(crate) span: [f64; 2],
    /// Where its ball is, metres along the clip's way.
    pub(crate) z: f64,
}

/// A foot at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FootAt {
    /// Its ball along the clip's way, metres.
    pub(crate) z: f64,
    /// Its ball above the ground, metres.
    pub(crate) y: f64,
    /// Which of its stances it is in, or has left last.
    pub(crate) stance: usize,
    /// Share of the way to the next stance; 0 where it stands.
    pub(crate) swing: f64,
}

impl FootAt {
    pub(crate) fn stands(&self) -> bool {
        self.swing == 0.0
    }
}

/// The clip's stances of left and right foot in order of time, with a swing between any two.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub(crate) feet: [Vec<Stance>; 2],
}

/// Highest that a ball is swung, metres.
const LIFT: f64 = 0.22;

impl Steps {
    /// A foot at a moment of the clip; before its first stance and after its last it stands there.
    pub(crate) fn foot(&self, foot: usize, time: f64) -> FootAt {
        let stances = &self.feet[foot];
        let stance = stances.partition_point(|s| s.span[0] <= time).saturating_sub(1);
        let here = stances[stance];
        let next = stances.get(stance + 1).filter(|_| time > here.span[1]);
        let Some(next) = next else { return FootAt { z: here.z, y: 0.0, stance, swing: 0.0 } };
        let swing = (time - here.span[1]) / (next.span[0] - here.span[1]);
        let share = smooth(swing);
        let arch = libm::sin(core::f64::consts::PI * share);
        // A short step is a low one.
        let lift = LIFT * ((next.z - here.z).abs() / 1.5).clamp(0.2, 1.0);
        FootAt { z: here.z + (next.z - here.z) * share, y: lift * arch, stance, swing }
    }

    /// Steps of a run start, its way 0 at the start, and of the run that follows it.
    pub(crate) fn start() -> Self {
        let mut left = vec![Stance { span: [-1.0, 0.40], z: 0.16 }];
        let mut right = vec![Stance { span: [-1.0, 0.20], z: -0.12 }, Stance { span: [0.36, 0.47], z: 0.56 }];
        // The run: 3 m in half a second, each foot down for 0.12 s from a quarter of a metre ahead.
        for lap in 0..6 {
            let at = |land: f64| {
                let land = land + 0.5 * f64::from(lap);
                Stance { span: [land, land + 0.11], z: 1.2506 + 6.0 * (land - 0.5) + 0.27 }
            };
            left.push(at(0.54));
            right.push(at(0.79));
        }
        Self { feet: [left, right] }
    }

    /// Steps of a run stop, its way 0 where it stops, and of the run before it.
    pub(crate) fn stop() -> Self {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for lap in (1..6).rev() {
            let at = |land: f64| {
                let land = land - 0.5 * f64::from(lap);
                Stance { span: [land, land + 0.11], z: -1.6635 + 6.0 * land + 0.27 }
            };
            left.push(at(-0.02));
            right.push(at(0.23));
        }
        left.push(Stance { span: [-0.02, 0.09], z: -1.50 });
        left.push(Stance { span: [0.27, 9.0], z: 0.12 });
        right.push(Stance { span: [0.13, 0.31], z: -0.68 });
        right.push(Stance { span: [0.50, 9.0], z: -0.10 });
        Self { feet: [left, right] }
    }
}

/// 0 to 1 without a jump of speed at either end.
pub(crate) fn smooth(share: f64) -> f64 {
    let s = share.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_stands_swings_and_never_jumps() {
        for steps in [Steps::start(), Steps::stop()] {
            for foot in 0..2 {
                let stances = &steps.feet[foot];
                assert!(stances.windows(2).all(|s| s[0].span[1] < s[1].span[0]));
                let mut before = steps.foot(foot, -1.0);
                for i in 1..=4000 {
                    let at = steps.foot(foot, -1.0 + f64::from(i) * 1e-3);
                    assert!(at.y >= 0.0 && at.y <= LIFT);
                    assert!((at.z - before.z).abs() < 0.03 && (at.y - before.y).abs() < 0.01);
                    assert!(!at.stands() || !before.stands() || at.z == before.z);
                    before = at;
                }
            }
        }
    }
}
