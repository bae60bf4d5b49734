//! One clip at one moment.

use super::block::Kind;
use super::decode::{CHUNK, Place, Raws, Walk};
use super::patch::Patches;
use super::{Clip, SampleError};
use crate::wide::{Backend, Floats, Simd, dispatch};
use crate::{LocalPose, PoseGroup, Rig, ScaleGroup};

/// Samples a clip at any time, in any order, into a pose of the rig.
///
/// The result depends on nothing but the arguments: there is no cache and no state, so one clip serves any
/// number of characters and threads. Joints that the clip does not move are at rest.
#[derive(Debug)]
pub struct SampleJob<'a> {
    /// What the clip was built for.
    pub rig: &'a Rig,
    /// What to sample.
    pub clip: &'a Clip,
    /// Seconds from the start of the clip, clamped at both ends; NaN is the start.
    pub time: f32,
    /// Leading groups to sample ([`Rig::groups_with_reach`]); the others are left as they are. `usize::MAX` for
    /// all.
    pub groups: usize,
    /// Where the pose goes.
    pub output: &'a mut LocalPose,
}

impl<'a> SampleJob<'a> {
    /// All joints of the rig.
    #[must_use]
    pub fn new(rig: &'a Rig, clip: &'a Clip, time: f32, output: &'a mut LocalPose) -> Self {
        Self { rig, clip, time, groups: usize::MAX, output }
    }

    /// Writes the pose. Does not allocate.
    ///
    /// # Errors
    /// [`SampleError`] where clip, rig and pose do not belong together; the output is then untouched.
    pub fn run(&mut self) -> Result<(), SampleError> {
        self.run_on(Backend::best())
    }

    /// As [`SampleJob::run`], on a backend of choice: every one gives the same bits.
    ///
    /// # Errors
    /// As [`SampleJob::run`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), SampleError> {
        let (rig, clip) = (self.rig, self.clip);
        clip.check_rig(rig)?;
        if self.output.len() != rig.len() {
            return Err(SampleError::Pose { found: self.output.len(), expected: rig.len() });
        }
        let limit = self.groups.min(rig.groups());
        // Groups that are left as they are keep their scales.
        let kept = limit < rig.groups() && self.output.is_scaled();
        let scaled = rig.is_scaled() || clip.head.scaled || kept;
        let time = self.time;
        let (groups, scales) = self.output.parts_mut(scaled);
        // Two kernels, so that the one that most clips need has few branches and keeps its places in registers.
        if clip.head.plain {
            dispatch!(
                backend,
                sample::<true>(
                    clip: &Clip,
                    rig: &Rig,
                    time: f32,
                    limit: usize,
                    scaled: bool,
                    groups: &mut [PoseGroup],
                    scales: &mut [ScaleGroup]
                )
            );
        } else {
            dispatch!(
                backend,
                sample::<false>(
                    clip: &Clip,
                    rig: &Rig,
                    time: f32,
                    limit: usize,
                    scaled: bool,
                    groups: &mut [PoseGroup],
                    scales: &mut [ScaleGroup]
                )
            );
        }
        Ok(())
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel's arguments are what it borrows")]
fn sample<S: Simd, const PLAIN: bool>(
    simd: S,
    clip: &Clip,
    rig: &Rig,
    time: f32,
    limit: usize,
    scaled: bool,
    groups: &mut [PoseGroup],
    scales: &mut [ScaleGroup],
) {
    let (block, head) = (clip.block(), &clip.head);
    let place = Place::new(block, head, time);
    let mut walk = Walk::new(simd, clip.checked(), &place);
    let share = walk.share();
    let (groups, scales) = (&mut groups[..limit], &mut scales[..limit]);
    let rest = &rig.rest()[..limit];
    for (to, from) in groups.iter_mut().zip(rest) {
        for axis in 0..3 {
            simd.load(&from.translation[axis]).store(&mut to.translation[axis]);
        }
    }
    if scaled {
        scales.copy_from_slice(&rig.rest_scale()[..limit]);
    }
    let mut raws = Raws::<S>::new();
    let mut left = usize::from(head.aligned);
    // Groups that are decoded in place need no rest.
    let mut rested = 0;
    while left > 0 {
        raws.clear();
        while raws.count() < CHUNK.min(left) && walk.unpack_usual::<true, PLAIN>(limit, &mut raws) {}
        if raws.count() == 0 {
            if PLAIN || walk.peek_pose_group() >= limit {
                break;
            }
            let record = walk.record(true);
            walk.unpack3(&record, record.pose_group.into(), [0; 2], &mut raws);
        }
        left -= raws.count();
        for raw in raws.items() {
            raw.measure(simd);
        }
        for raw in raws.items() {
            let (q, Some(out)) = (raw.interpolate(simd, &share), groups.get_mut(raw.to)) else { continue };
            for axis in 0..4 {
                q[axis].store(&mut out.rotation[axis]);
            }
        }
        for raw in raws.items() {
            let Some(out) = groups.get_mut(raw.to) else { continue };
            raw.finish_in_place(simd, &mut out.rotation);
            while rested < raw.to {
                rest_rotation(simd, &rest[rested], &mut groups[rested]);
                rested += 1;
            }
            rested = raw.to + 1;
        }
    }
    while rested < limit {
        rest_rotation(simd, &rest[rested], &mut groups[rested]);
        rested += 1;
    }
    for _ in 0..left {
        let record = walk.record(true);
        walk.skip(&record);
    }
    let mut left = usize::from(head.scattered);
    while left > 0 {
        // Rotations of three components come first, in chunks.
        raws.clear();
        while raws.count() < CHUNK.min(left) && walk.peek_kind() == Kind::Rotation3 as u8 {
            if !walk.unpack_usual::<false, PLAIN>(limit, &mut raws) {
                let record = walk.record(false);
                walk.unpack3(&record, record.slots_at(), record.swaps(), &mut raws);
            }
        }
        for raw in raws.items() {
            raw.measure(simd);
        }
        for raw in raws.items() {
            raw.keep(raw.interpolate(simd, &share));
        }
        for raw in raws.items() {
            let q = raw.finish(simd, raw.kept(simd));
            walk.put_rotations(q, raw.to, raw.lanes.into(), groups);
        }
        left -= raws.count();
        while left > 0 && walk.scatter_usual::<PLAIN>(groups, scales) {
            left -= 1;
        }
        if !PLAIN && raws.count() == 0 && left > 0 && walk.peek_kind() != Kind::Rotation3 as u8 {
            let record = walk.record(false);
            walk.scatter(&record, groups, scales);
            left -= 1;
        }
    }
    if head.constants != [0; 3] || head.keyed != 0 {
        let mut patches = Patches { groups, scales };
        patches.constants(simd, clip.checked(), head);
        patches.keyed(block, head, time);
    }
}

/// Register by register: a copy of the whole would be a call.
#[inline(always)]
fn rest_rotation<S: Simd>(simd: S, rest: &PoseGroup, to: &mut PoseGroup) {
    for axis in 0..4 {
        simd.load(&rest.rotation[axis]).store(&mut to.rotation[axis]);
    }
}
