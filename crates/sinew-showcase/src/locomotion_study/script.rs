//! What the player does, and the capsule that does as the player says.

use glam::DVec2;
use sinew::locomotion::{GroundMover, Mover, predict_stop};

/// Seconds a frame.
pub(crate) const DT: f64 = 1.0 / 60.0;

/// A runner whose top speed may be changed while he runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) ground: GroundMover,
    /// Slowing down to a lower top speed, metres a second squared.
    pub(crate) ease: f64,
}

impl Mover for Pace {
    fn step(&self, velocity: DVec2, input: DVec2, dt: f64) -> DVec2 {
        let eased = velocity.length() - self.ease * dt;
        let ground = GroundMover { max_speed: self.ground.max_speed.max(eased), ..self.ground };
        ground.step(velocity, input, dt)
    }
}

/// What the stick is held for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// So many seconds.
    Seconds(f64),
    /// Until the run has so many frames.
    Frames(usize),
    /// Until braking has to begin for a place so many metres ahead of where this part begins. He then brakes as hard as
    /// that takes.
    Stop(f64),
}

/// A part of what the player does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) what: &'static str,
    /// Where the stick points at the beginning and at the end, radians about +Y from +Z; `None` is let go.
    pub(crate) stick: Option<[f64; 2]>,
    /// Top speed, metres a second.
    pub(crate) speed: f64,
    pub(crate) until: Until,
}

impl Part {
    pub(crate) const fn hold(what: &'static str, angle: f64, speed: f64, seconds: f64) -> Self {
        Self { what, stick: Some([angle, angle]), speed, until: Until::Seconds(seconds) }
    }

    pub(crate) const fn let_go(what: &'static str, seconds: f64) -> Self {
        Self { what, stick: None, speed: 4.0, until: Until::Seconds(seconds) }
    }

    /// The stick after a share of this part.
    pub(crate) fn input(&self, share: f64) -> DVec2 {
        let Some([from, to]) = self.stick else { return DVec2::ZERO };
        let (sin, cos) = libm::sincos(from + (to - from) * share.clamp(0.0, 1.0));
        DVec2::new(sin, cos)
    }
}

/// The braking with which a character comes to stand after so many metres: found by moving him.
pub(crate) fn braking_for(mover: &Pace, velocity: DVec2, metres: f64) -> f64 {
    let stops_in = |braking: f64| {
        let softer = Pace { ground: GroundMover { braking, ..mover.ground }, ..*mover };
        predict_stop(&softer, velocity, DT).map_or(f64::INFINITY, |p| p.distance)
    };
    let (mut low, mut high) = (0.5 * mover.ground.braking, 2.0 * mover.ground.braking);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if stops_in(middle) > metres { low = middle } else { high = middle }
    }
    high
}
