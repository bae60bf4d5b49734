//! How far feet slide, told by nothing but where their soles are.

use glam::DVec3;
use sinew::{JointId, RawPose, Skeleton, model_matrices};

/// A point of the underside of a foot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolePoint {
    /// What carries it, and where in that joint's space, metres.
    pub(crate) joint: JointId,
    pub(crate) offset_ls: DVec3,
    /// How high it is where the foot stands, metres.
    pub(crate) height: f64,
}

/// A foot that was put down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plant {
    /// Left or right.
    pub(crate) foot: usize,
    /// First and last frame on the ground.
    pub(crate) frames: [usize; 2],
    /// Farthest that a point of the sole got from where it came down before it lifted, metres.
    pub(crate) slide: f64,
}

/// What the soles did over a recording.
pub(crate) struct Plants {
    pub(crate) plants: Vec<Plant>,
    /// `[frame][foot]`: lowest point, metres above where it stands.
    pub(crate) heights: Vec<[f64; 2]>,
}

impl Plants {
    /// A point of a sole is on the ground while it is lower than `near` metres. Where it comes down is the first such
    /// frame, and its slide the farthest that it gets from there, over the ground, until it is higher again.
    pub(crate) fn find(
        skeleton: &Skeleton,
        soles: &[Vec<SolePoint>; 2],
        poses: &[RawPose],
        near: f64,
    ) -> Self {
        let mut model_ms = Vec::new();
        let (mut plants, mut heights): (Vec<Plant>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
        // Of each foot, where each of its points came down, and the plant that is going on.
        let mut down: [Vec<Option<DVec3>>; 2] = [0, 1].map(|foot| vec![None; soles[foot].len()]);
        let mut going: [Option<Plant>; 2] = [None; 2];
        for (frame, pose) in poses.iter().enumerate() {
            model_matrices(skeleton, pose, &mut model_ms);
            let mut lowest = [f64::INFINITY; 2];
            for foot in 0..2 {
                for (point, came_down) in soles[foot].iter().zip(&mut down[foot]) {
                    let at = model_ms[point.joint.index()].transform_point3(point.offset_ls);
                    let height = at.y - point.height;
                    lowest[foot] = lowest[foot].min(height);
                    if height >= near {
                        *came_down = None;
                        continue;
                    }
                    let from = *came_down.get_or_insert(at);
                    let slide = (at - from).with_y(0.0).length();
                    let plant = going[foot].get_or_insert(Plant { foot, frames: [frame; 2], slide: 0.0 });
                    plant.frames[1] = frame;
                    plant.slide = plant.slide.max(slide);
                }
                if lowest[foot] >= near {
                    plants.extend(going[foot].take());
                }
            }
            heights.push(lowest);
        }
        plants.extend(going.into_iter().flatten());
        plants.sort_by_key(|plant| plant.frames[0]);
        Self { plants, heights }
    }

    pub(crate) fn worst(&self) -> f64 {
        self.plants.iter().map(|plant| plant.slide).fold(0.0, f64::max)
    }
}
