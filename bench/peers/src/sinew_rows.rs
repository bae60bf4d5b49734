//! Sinew's own rows: the same joints, the same clips, the same clock.
//!
//! Clips are built within the default bound. What is posed is compared with [`Character::exact`] through
//! [`Character::difference`] before anything is timed; all jobs and backends give the same bits, so one comparison
//! a clip and one a blend say it for every row.

mod crowd;
mod local;
mod model;

use std::rc::Rc;
use std::sync::Arc;

use glam::DMat4;
use sinew::{
    Backend, Clip, ClipBuilder, ClipLayer, EvaluateJob, EvaluateScratch, LocalPose, ModelJob, ModelPose,
    RawPose, Rig, SampleJob, SkinBinding, model_matrices,
};

use crate::STEP;
use crate::character::{Character, WEIGHTS};
use crate::measure::{Batch, Lane};

/// Poses a batch of one character: long enough for the clock, shorter than a scheduler's slice.
const REPEATS: usize = 64;
/// Above this share of a character's size, sinew would not be doing the same work. Clips are within 0.1 mm at
/// 3 cm; the comparison reaches a tenth of the size away.
const LIMIT: f64 = 1e-3;

/// A character ready for the frame loop.
struct Stage {
    character: Rc<Character>,
    rig: Rig,
    clips: [Clip; 2],
    binding: SkinBinding,
    /// Largest distance from the exact pose, one clip and two blended.
    difference: [f64; 2],
    /// Of the first clip.
    size: String,
}

/// How playing time goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// A sixtieth of a second a pose.
    Forward,
    /// Anywhere, each pose.
    Random,
}

/// All of sinew's lanes for a character.
///
/// # Errors
/// Where what sinew poses is not what the clips say.
pub(crate) fn lanes(character: &Rc<Character>) -> Result<Vec<Lane>, String> {
    let stage = Rc::new(Stage::new(Rc::clone(character))?);
    let mut lanes = local::lanes(&stage);
    lanes.extend(model::lanes(&stage));
    lanes.extend(crowd::lanes(&stage));
    Ok(lanes)
}

impl Stage {
    fn new(character: Rc<Character>) -> Result<Self, String> {
        let skeleton = &character.skeleton;
        let rig = Rig::new(skeleton).map_err(|e| e.to_string())?;
        let mut sizes = Vec::new();
        let mut build = |clip| {
            let (built, report) = ClipBuilder::new(skeleton, &rig).build(clip).map_err(|e| e.to_string())?;
            sizes.push(format!(
                "{} bytes, {:.1}:1, {:.3} mm, {} of {} tracks animated",
                report.bytes,
                report.ratio(),
                report.error * 1e3,
                report.animated,
                3 * report.joints
            ));
            Ok::<_, String>(built)
        };
        let clips = [build(&character.clips[0])?, build(&character.clips[1])?];
        let slots = (0..rig.len()).map(|slot| {
            let slot = sinew::Slot(slot as u16);
            sinew::BindJoint::new(slot, sinew::AffineRows::IDENTITY)
        });
        let binding = SkinBinding::from_joints(&rig, slots.collect()).map_err(|e| e.to_string())?;
        let mut this =
            Self { character, rig, clips, binding, difference: [0.0; 2], size: sizes.swap_remove(0) };
        this.difference = this.differences()?;
        Ok(this)
    }

    /// Seconds at which a clip is posed: the `count`th pose.
    fn time(&self, clip: usize, order: Order, count: usize) -> f32 {
        let duration = self.clips[clip].duration();
        match order {
            Order::Forward => ((count as f64 * STEP + 0.37 * clip as f64) % f64::from(duration)) as f32,
            // Multiples of the golden ratio fill an interval evenly and in no order.
            Order::Random => {
                (count as f64 * 0.618_033_988_749_895 + 0.37 * clip as f64).fract() as f32 * duration
            }
        }
    }

    /// The largest differences over 97 moments.
    fn differences(&self) -> Result<[f64; 2], String> {
        let (base, mut pose) = (LocalPose::rest(&self.rig), LocalPose::rest(&self.rig));
        let (mut model, mut scratch) = (ModelPose::rest(&self.rig), EvaluateScratch::new(&self.rig, 2));
        let mut worst = [0.0_f64; 2];
        for count in 0..97 {
            let times = [0, 1].map(|clip| self.time(clip, Order::Random, count));
            for blended in [false, true] {
                if blended {
                    let layers = self.layers(times);
                    let job = EvaluateJob {
                        rig: &self.rig,
                        base: &base,
                        layers: &layers,
                        groups: usize::MAX,
                        scratch: &mut scratch,
                        output: &mut pose,
                    }
                    .run();
                    job.map_err(|e| e.to_string())?;
                } else {
                    let job = SampleJob::new(&self.rig, &self.clips[0], times[0], &mut pose).run();
                    job.map_err(|e| e.to_string())?;
                }
                let job =
                    ModelJob { rig: &self.rig, pose: &pose, groups: usize::MAX, output: &mut model }.run();
                job.map_err(|e| e.to_string())?;
                let posed: Vec<DMat4> = (self.character.skeleton.iter())
                    .map(|(id, _)| glam::Mat4::from(model.get(self.rig.slot(id))).as_dmat4())
                    .collect();
                let times = times.map(f64::from);
                let exact = if blended { self.blended(times) } else { self.character.exact(&times[..1]) };
                let difference = self.character.difference(&posed, &exact);
                // A NaN is not within the limit.
                if !(difference <= LIMIT) {
                    let clip = &self.character.clip;
                    return Err(format!(
                        "{clip}: sinew is off by {difference:.2e} of its size at {times:?} s"
                    ));
                }
                let worst = &mut worst[usize::from(blended)];
                *worst = worst.max(difference);
            }
        }
        Ok(worst)
    }

    /// Both clips by their weights.
    fn layers(&self, times: [f32; 2]) -> [ClipLayer<'_>; 2] {
        [0, 1].map(|clip| ClipLayer::new(&self.clips[clip], times[clip], WEIGHTS[clip] as f32))
    }

    /// Both clips blended as runtimes do it, in double precision from the keys: weighted sums, normalised.
    fn blended(&self, times: [f64; 2]) -> Vec<DMat4> {
        let mut poses = [RawPose::default(), RawPose::default()];
        for ((clip, pose), time) in self.character.clips.iter().zip(&mut poses).zip(times) {
            clip.sample(&self.character.skeleton, time, pose);
        }
        let [mut pose, other] = poses;
        for (a, b) in pose.local.iter_mut().zip(&other.local) {
            a.translation = a.translation.lerp(b.translation, WEIGHTS[1]);
            a.scale = a.scale.lerp(b.scale, WEIGHTS[1]);
            let near = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
            a.rotation = (a.rotation * WEIGHTS[0] + near * WEIGHTS[1]).normalize();
        }
        let mut matrices = Vec::new();
        model_matrices(&self.character.skeleton, &pose, &mut matrices);
        matrices
    }

    /// A lane of one row that is posed [`REPEATS`] times a batch by `characters` at once.
    fn lane(
        &self,
        what: &str,
        backend: Backend,
        characters: usize,
        repeats: usize,
        clips: usize,
        batch: Box<Batch>,
    ) -> Lane {
        let mut play = self.character.play(characters);
        play.repeats = repeats;
        play.size = Some(self.size.clone());
        Lane {
            peer: "sinew",
            version: format!("{}, {backend}", env!("CARGO_PKG_VERSION")),
            play,
            what: vec![what.to_owned()],
            max_difference: clips.checked_sub(1).map(|blended| self.difference[blended]),
            batch,
            check: Box::new(|| Ok(())),
        }
    }

    /// The first clip again, in memory of its own.
    fn copy_of_clip(&self) -> Option<Clip> {
        Clip::from_bytes(Arc::from(self.clips[0].bytes())).ok()
    }
}

/// Backends that this processor has, the fastest first.
fn backends() -> impl Iterator<Item = Backend> {
    Backend::ALL.into_iter().rev().filter(|backend| backend.is_available())
}
