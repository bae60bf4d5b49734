//! A match as poses of the runner: where his root is, and where his feet are over the ground.

use sinew::locomotion::{MatchStatus, MatchStep};
use sinew::{RawPose, Skeleton};

use super::runner::{Posture, pose};
use super::steps::{FootAt, Steps, smooth};
use crate::record::Column;

/// One frame of a match; metres along the way, seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    /// The capsule, world.
    pub(crate) capsule: f64,
    /// The moment of the clip that was found.
    pub(crate) playhead: f64,
    /// The moment that is shown: of the clip, or of the loop before or after it.
    pub(crate) moment: f64,
    /// Clip seconds a second since the frame before.
    pub(crate) rate: f64,
    /// Way of the clip at the playhead: without what the pelvis has on top.
    pub(crate) way: f64,
    /// How far the pelvis is ahead of that.
    pub(crate) remainder: f64,
    /// How far the mesh is behind the capsule.
    pub(crate) offset: f64,
    /// Scale of the stride since the frame before.
    pub(crate) stride: f64,
    /// Way of the clip since the frame before that the scaled stride has not covered.
    pub(crate) drift: f64,
    /// How far feet that stand slid since the frame before, without a sign.
    pub(crate) slid: f64,
    /// What the match came to; see [`columns`].
    pub(crate) status: f64,
}

impl Frame {
    /// After a step of a match; `before` is the frame before.
    pub(crate) fn after(step: &MatchStep, before: &Self, capsule: f64, way: f64) -> Self {
        let status = match step.status {
            MatchStatus::Matched => 1.0,
            MatchStatus::RateLimited => 2.0,
            MatchStatus::SlewLimited => 3.0,
            MatchStatus::Settling => 4.0,
            MatchStatus::Exhausted { .. } => 5.0,
            MatchStatus::BeforeRange { .. } => 6.0,
            _ => 7.0,
        };
        Self {
            capsule,
            playhead: step.time,
            moment: step.time,
            rate: step.rate,
            way,
            remainder: step.remainder,
            offset: step.offset,
            stride: step.stride,
            drift: way - before.way - covered(step),
            slid: step.account.slid.abs(),
            status,
        }
    }

    /// A frame of a method that neither warps nor moves the mesh.
    pub(crate) fn naive(capsule: f64, playhead: f64, rate: f64, way: f64, slid: f64) -> Self {
        Self { capsule, playhead, moment: playhead, rate, way, slid, stride: 1.0, ..Self::default() }
    }
}

/// Metres that a step's clip covers with its stride scaled.
pub(crate) fn covered(step: &MatchStep) -> f64 {
    step.account.matched + step.account.warped
}

/// A runner in a match, frame by frame.
pub(crate) struct Shown {
    pub(crate) poses: Vec<RawPose>,
    /// `[frame][foot]`: ball along the way, world, and whether it stands.
    pub(crate) balls: Vec<[(f64, FootAt); 2]>,
}

impl Shown {
    /// Feet that stand keep the scaled stride, so that what they slide is what the match says they do; a foot
    /// that swings gets back to where the clip has it.
    pub(crate) fn new(
        skeleton: &Skeleton,
        steps: &Steps,
        frames: &[Frame],
        upright: impl Fn(f64) -> f64,
    ) -> Self {
        let mut drift = [0.0_f64; 2];
        let mut before: Option<[FootAt; 2]> = None;
        let (mut poses, mut balls) = (Vec::new(), Vec::new());
        let mut left_at = [0.0_f64; 2];
        for frame in frames {
            let feet = [0, 1].map(|foot| steps.foot(foot, frame.moment));
            let mesh = frame.capsule - frame.offset;
            for foot in 0..2 {
                let Some(was) = &before else { continue };
                let (now, was) = (feet[foot], was[foot]);
                if now.stands() && was.stands() && now.stance == was.stance {
                    drift[foot] += frame.drift;
                    left_at[foot] = drift[foot];
                } else if now.stands() {
                    (drift[foot], left_at[foot]) = (0.0, 0.0);
                } else {
                    drift[foot] = left_at[foot] * (1.0 - smooth(now.swing));
                }
            }
            let ahead = [0, 1].map(|foot| feet[foot].z - frame.way + drift[foot]);
            balls.push([0, 1].map(|foot| (mesh + ahead[foot], feet[foot])));
            // Running, the trunk is lower and leans.
            let running = 1.0 - upright(frame.moment);
            let posture = Posture {
                root_z: mesh,
                pelvis: [frame.remainder, 0.91 - 0.10 * running],
                lean: 0.28 * running,
                balls: [0, 1].map(|foot| [ahead[foot], feet[foot].y]),
                pitch: feet.map(|f| 0.9 * libm::sin(core::f64::consts::PI * f.swing.sqrt())),
            };
            poses.push(pose(skeleton, &posture));
            before = Some(feet);
        }
        Self { poses, balls }
    }

    /// Farthest that any foot gets during one stance from where it is first seen standing, metres.
    pub(crate) fn worst_slide(&self) -> f64 {
        let mut worst = 0.0_f64;
        for foot in 0..2 {
            let mut planted: Option<(usize, f64)> = None;
            for balls in &self.balls {
                let (z, at) = balls[foot];
                planted = match planted {
                    _ if !at.stands() => None,
                    Some((stance, from)) if stance == at.stance => {
                        worst = worst.max((z - from).abs());
                        planted
                    }
                    _ => Some((at.stance, z)),
                };
            }
        }
        worst
    }
}

/// Columns of a record of frames.
pub(crate) fn columns() -> Vec<Column> {
    vec![
        Column::new("frame", "", "from 0"),
        Column::new("time_s", "s", "seconds since the first frame"),
        Column::new("capsule_m", "m", "the capsule along the way"),
        Column::new("playhead_s", "s", "moment of the clip"),
        Column::new("rate", "", "clip seconds a second since the frame before"),
        Column::new("way_m", "m", "way of the clip at the playhead"),
        Column::new("remainder_m", "m", "how far the pelvis is ahead of that"),
        Column::new("offset_m", "m", "how far the mesh is behind the capsule"),
        Column::new("stride", "", "scale of the stride since the frame before"),
        Column::new(
            "slid_m",
            "m",
            "by how much the root of the pose and the capsule went apart since the frame before",
        ),
        Column::new("left_ball_m", "m", "ball of the left foot along the way"),
        Column::new("left_stands", "", "1 where the left foot stands"),
        Column::new("right_ball_m", "m", "ball of the right foot along the way"),
        Column::new("right_stands", "", "1 where the right foot stands"),
        Column::new(
            "status",
            "",
            "0 nothing is said, 1 matched, 2 at the limit of the rate, 3 of its change, 4 settling by time, 5 at the \
             clip's end, 6 before the clip, 7 another",
        ),
    ]
}

/// Rows for [`columns`].
pub(crate) fn rows(frames: &[Frame], shown: &Shown, dt: f64) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for (i, f) in frames.iter().enumerate() {
        let mut row = vec![i as f64, i as f64 * dt, f.capsule, f.playhead, f.rate, f.way, f.remainder];
        row.extend([f.offset, f.stride, f.slid]);
        for (z, at) in &shown.balls[i] {
            row.extend([*z, f64::from(u8::from(at.stands()))]);
        }
        row.push(f.status);
        rows.push(row);
    }
    rows
}
