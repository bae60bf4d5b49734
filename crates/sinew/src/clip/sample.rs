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
        macro_rules! run {
            ($plain:literal) => {
                dispatch!(
                    backend,
                    sample::<$plain>(
                        clip: &Clip,
                        rig: &Rig,
                        time: f32,
                        limit: usize,
                        scaled: bool,
                        groups: &mut [PoseGroup],
                        scales: &mut [ScaleGroup]
                    )
                )
            };
        }
        // Two kernels, so that the one that most clips need has few branches and keeps its places in registers.
        if clip.head.plain {
            run!(true);
        } else {
            run!(false);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        Channel, ChannelTarget, ClipBuilder, DTransform, Interpolation, Joint, JointId, RawClip, RawPose,
        Skeleton, Track,
    };

    /// Of 800 joints side by side every seventh turns and every fourteenth moves as well.
    fn sparse() -> (Skeleton, RawClip) {
        let root = Joint::new("root", None, DTransform::IDENTITY);
        let side = |i: i32| {
            let rest = DTransform::from_rotation_translation(
                glam::DQuat::IDENTITY,
                glam::DVec3::new(0.01 * f64::from(i), 0.0, 0.0),
            );
            Joint::new(format!("{i}"), Some(JointId(0)), rest)
        };
        let joints = core::iter::once(root).chain((1..800).map(side)).collect();
        let times: Arc<[f64]> = (0..=20).map(|k| f64::from(k) / 30.0).collect();
        let mut raw = RawClip::default();
        for i in (1..800).step_by(7) {
            let phase = |t: &f64, speed: f64| libm::sin(speed * t + 0.7 * f64::from(i));
            let turn = |t: &f64| {
                let [x, y, z] = [1.3, 2.1, 1.7].map(|speed| 0.4 * phase(t, speed));
                glam::DQuat::from_euler(glam::EulerRot::XYZ, x, y, z).as_quat().to_array()
            };
            let turns: Arc<[f32]> = times.iter().flat_map(turn).collect();
            let track = Track::rotation(Arc::clone(&times), turns, Interpolation::Linear).unwrap();
            raw.channels.push(Channel {
                joint: JointId(i as u32),
                target: ChannelTarget::Rotation,
                track,
                source: 0,
            });
            if i % 14 == 1 {
                let way: Arc<[f32]> = times
                    .iter()
                    .flat_map(|t| [0.05 * phase(t, 1.1) as f32, 0.1, 0.05 * phase(t, 2.3) as f32])
                    .collect();
                let track = Track::new(Arc::clone(&times), way, 3, Interpolation::Linear).unwrap();
                let target = ChannelTarget::Translation;
                raw.channels.push(Channel { joint: JointId(i as u32), target, track, source: 0 });
            }
        }
        (Skeleton::numbered(joints, vec![]).unwrap(), raw)
    }

    #[test]
    fn more_scattered_groups_than_fit_a_stage_are_all_decoded_by_either_kernel() {
        let (skeleton, raw) = sparse();
        let rig = Rig::new(&skeleton).unwrap();
        let (clip, _) = ClipBuilder::new(&skeleton, &rig).build(&raw).unwrap();
        assert!(clip.head.plain, "the kernel under test");
        assert!(usize::from(clip.head.scattered) > CHUNK + 2, "{} groups", clip.head.scattered);
        let mut other = clip.clone();
        other.head.plain = false;
        for k in 0..40 {
            let time = 0.0171 * f64::from(k);
            let mut exact = RawPose::default();
            raw.sample(&skeleton, time, &mut exact);
            for backend in Backend::ALL {
                let (mut pose, mut same) = (LocalPose::rest(&rig), LocalPose::rest(&rig));
                SampleJob::new(&rig, &clip, time as f32, &mut pose).run_on(backend).unwrap();
                SampleJob::new(&rig, &other, time as f32, &mut same).run_on(backend).unwrap();
                for (id, _) in skeleton.iter() {
                    let (found, twin) = (pose.get(rig.slot(id)), same.get(rig.slot(id)));
                    assert_eq!(found, twin, "{id} at {time} s, {backend}");
                    let expected = &exact.local[id.index()];
                    let turn =
                        DTransform::angle_between(found.rotation.as_dquat().normalize(), expected.rotation);
                    let moved = (found.translation.as_dvec3() - expected.translation).length();
                    // The bound is 0.1 mm at 3 cm; where it turns the most, between keys.
                    assert!(
                        turn < 0.01 && moved < 2e-4,
                        "{id} at {time} s, {backend}: {turn} rad, {moved} m"
                    );
                    assert_eq!(found.scale, glam::Vec3::ONE, "{id}");
                }
            }
        }
    }
}
