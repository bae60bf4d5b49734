//! One clip at one moment.

use super::block::Kind;
use super::decode::{CHUNK, Place, Raw, Walk, put_quads, quad_mut, quads_to_lanes};
use super::patch::Patches;
use super::{Clip, SampleError};
use crate::wide::{Backend, Floats, Quads, Simd, dispatch};
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
        dispatch!(
            backend,
            sample(
                clip: &Clip,
                rig: &Rig,
                time: f32,
                limit: usize,
                scaled: bool,
                groups: &mut [PoseGroup],
                scales: &mut [ScaleGroup]
            )
        );
        Ok(())
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel's arguments are what it borrows")]
fn sample<S: Simd>(
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
    let mut walk = Walk::new(simd, block, &place);
    let share = walk.share();
    let (groups, scales) = (&mut groups[..limit], &mut scales[..limit]);
    let (rest, quads, patched) = (&rig.rest()[..limit], &rig.rest_quads()[..limit], &clip.patched[..limit]);
    for index in 0..limit {
        let out = &mut groups[index];
        for axis in 0..3 {
            simd.load(&rest[index].translation[axis]).store(&mut out.translation[axis]);
        }
        if patched[index] {
            for lane in 0..8 {
                simd.load4(&quads[index][lane]).store(quad_mut(out, lane));
            }
        } else {
            for axis in 0..4 {
                simd.load(&rest[index].rotation[axis]).store(&mut out.rotation[axis]);
            }
        }
    }
    if scaled {
        scales.copy_from_slice(&rig.rest_scale()[..limit]);
    }
    let mut raws = [Raw::EMPTY; CHUNK];
    let mut left = usize::from(head.aligned);
    while left > 0 && walk.peek_pose_group() < limit {
        let mut count = 0;
        for raw in &mut raws {
            if count == left || walk.peek_pose_group() >= limit {
                break;
            }
            let record = walk.record(true);
            raw.slots[0] = record.pose_group;
            walk.unpack3(&record, [0; 2], raw);
            count += 1;
        }
        left -= count;
        for raw in &raws[..count] {
            let (q, index) = (raw.finish(simd, &share), usize::from(raw.slots[0]));
            let (Some(out), Some(patched)) = (groups.get_mut(index), patched.get(index)) else { continue };
            if *patched {
                let quads = simd.transpose_4x8(q[0], q[1], q[2], q[3]);
                for lane in 0..8 {
                    quads[lane].store(quad_mut(out, lane));
                }
            } else {
                for axis in 0..4 {
                    q[axis].store(&mut out.rotation[axis]);
                }
            }
        }
    }
    for _ in 0..left {
        let record = walk.record(true);
        walk.skip(&record);
    }
    let mut left = usize::from(head.scattered);
    while left > 0 {
        // Rotations of three components come first, in chunks.
        let mut count = 0;
        while count < CHUNK.min(left) && walk.peek_kind() == Kind::Rotation3 as u8 {
            let record = walk.record(false);
            let raw = &mut raws[count];
            raw.slots = walk.slots(&record);
            raw.lanes = record.lanes as u8;
            walk.unpack3(&record, record.swaps(), raw);
            count += 1;
        }
        for raw in &raws[..count] {
            let slots = &raw.slots[..usize::from(raw.lanes).min(8)];
            put_quads(simd, raw.finish(simd, &share), slots, groups);
        }
        left -= count;
        if count == 0 {
            let record = walk.record(false);
            walk.scatter(&record, groups, scales);
            left -= 1;
        }
    }
    if head.constants != [0; 3] || head.keyed != 0 {
        let mut patches = Patches { groups, scales };
        patches.constants(block, head);
        patches.keyed(block, head, time);
    }
    for index in 0..limit {
        if patched[index] {
            quads_to_lanes(simd, &mut groups[index]);
        }
    }
}
