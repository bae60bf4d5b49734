//! Promise: an override moves the joints of its subtree and no bit of any other.

mod runtime_poses;

use glam::Quat;
use proptest::prelude::*;
use runtime_poses::{Random, all_bits, bits, slots};
use sinew::{
    Backend, JointId, JointMask, LocalPose, MaskError, Rig, Slot, Subtree, SubtreeError, SubtreeJob,
    SubtreeSource, Transform,
};

fn below(rig: &Rig, slot: Slot, root: Slot) -> bool {
    slot == root || rig.parents()[slot.index()].is_some_and(|parent| below(rig, parent, root))
}

proptest! {
    #[test]
    fn joints_inside_are_interpolated_and_joints_outside_keep_every_bit(
        seed: u64, joints in 1..300_usize, scaled: bool, source_scaled: bool, masked: bool, weight in 0.0..1.0_f32,
    ) {
        let mut random = Random::new(seed);
        let (_, rig) = random.rig(joints);
        let (before, source) = (random.pose(&rig, scaled), random.pose(&rig, source_scaled));
        let root = Slot(random.below(joints) as u16);
        let mask = random.mask(&rig);
        let mut subtree = Subtree::new(&rig, root).unwrap();
        let inside: Vec<Slot> = slots(&rig).filter(|slot| below(&rig, *slot, root)).collect();
        prop_assert_eq!(subtree.slots(), &inside);
        if masked {
            match subtree.masked(&mask) {
                Ok(masked) => subtree = masked,
                Err(error) => {
                    prop_assert_eq!(error, SubtreeError::Empty { root });
                    prop_assert!(inside.iter().all(|slot| mask.get(*slot) == 0.0));
                    return Ok(());
                }
            }
        }
        let list: Vec<_> = subtree.slots().iter().map(|slot| (*slot, source.get(*slot))).collect();
        let run = |source: SubtreeSource<'_>, weight, backend| {
            let mut output = before.clone();
            SubtreeJob { subtree: &subtree, source, weight, output: &mut output }.run_on(backend).unwrap();
            output
        };
        for weight in [0.0, weight, 1.0] {
            let found = run(SubtreeSource::Pose(&source), weight, Backend::Scalar);
            for backend in Backend::ALL {
                let pose = run(SubtreeSource::Pose(&source), weight, backend);
                prop_assert!(all_bits(&pose) == all_bits(&found), "{}", backend);
                let listed = run(SubtreeSource::Joints(&list), weight, backend);
                slots(&rig).for_each(|s| assert_eq!(bits(&listed.get(s)), bits(&found.get(s)), "{s}"));
            }
            for slot in slots(&rig) {
                let (a, b, found) = (before.get(slot), source.get(slot), found.get(slot));
                let w = if inside.contains(&slot) { if masked { weight * mask.get(slot) } else { weight } } else { 0.0 };
                prop_assert_eq!(subtree.contains(slot), inside.contains(&slot) && (!masked || mask.get(slot) > 0.0));
                if w == 0.0 || w == 1.0 {
                    prop_assert_eq!(bits(&found), bits(if w == 0.0 { &a } else { &b }), "{}", slot);
                    continue;
                }
                // The rule in double precision.
                let (p, mut q) = (a.rotation.as_dquat(), b.rotation.as_dquat());
                if p.dot(q) < 0.0 {
                    q = -q;
                }
                let w = f64::from(w);
                let expected = (p * (1.0 - w) + q * w).normalize();
                if p.dot(q) > 1e-5 {
                    prop_assert!((found.rotation.as_dquat() - expected).length() < 1e-6, "{}", slot);
                }
                let mean = |a: glam::Vec3, b: glam::Vec3| a.as_dvec3().lerp(b.as_dvec3(), w);
                prop_assert!((found.translation.as_dvec3() - mean(a.translation, b.translation)).length() < 3e-6);
                prop_assert!((found.scale.as_dvec3() - mean(a.scale, b.scale)).length() < 3e-6);
            }
        }
    }
}

/// spec: a head of 20 joints on a machine of 87, turned by -30 degrees, half way.
#[test]
fn twenty_joints_of_eighty_seven() {
    use sinew::{DTransform, Joint, Skeleton};
    let mut joints = vec![Joint::new("Body_01", None, DTransform::IDENTITY)];
    joints
        .extend((1..67).map(|i| Joint::new(format!("leg {i}"), Some(JointId(i - 1)), DTransform::IDENTITY)));
    joints.push(Joint::new("Head_01", Some(JointId(0)), DTransform::IDENTITY));
    joints.extend(
        (1..20).map(|i| Joint::new(format!("head {i}"), Some(JointId(66 + i)), DTransform::IDENTITY)),
    );
    let skeleton = Skeleton::numbered(joints, Vec::new()).unwrap();
    let rig = Rig::new(&skeleton).unwrap();
    let head = rig.slot(JointId(67));
    let subtree = Subtree::new(&rig, head).unwrap();
    assert_eq!(subtree.slots().len(), 20);
    let before = LocalPose::rest(&rig);
    let target = Quat::from_rotation_x(-30_f32.to_radians());
    let mut found = [target, -target].map(|rotation| {
        let list = [(head, Transform { rotation, ..Transform::IDENTITY })];
        let mut output = before.clone();
        let source = SubtreeSource::Joints(&list);
        SubtreeJob { subtree: &subtree, source, weight: 0.5, output: &mut output }.run().unwrap();
        output
    });
    let half = Quat::from_rotation_x(-15_f32.to_radians());
    for found in &mut found {
        assert!((found.get(head).rotation - half).length() < 1e-6);
        found.set(head, &before.get(head));
        assert_eq!(all_bits(found), all_bits(&before));
    }
    let leg = rig.slot(JointId(5));
    assert_eq!(subtree.check_without(&[leg]), Ok(()));
    let whole = Subtree::new(&rig, rig.slot(JointId(0))).unwrap();
    let root = whole.root();
    assert_eq!(whole.check_without(&[leg]), Err(SubtreeError::Forbidden { slot: leg, root }));
}

#[test]
fn what_does_not_fit_is_refused_and_the_output_untouched() {
    let mut random = Random::new(5);
    let ((_, rig), (_, other)) = (random.rig(20), random.rig(21));
    let (before, foreign) = (random.pose(&rig, true), LocalPose::rest(&other));
    let root = Slot(19);
    let subtree = Subtree::new(&rig, root).unwrap();
    let refuse = |source: SubtreeSource<'_>, weight: f32| {
        let mut output = before.clone();
        let error = SubtreeJob { subtree: &subtree, source, weight, output: &mut output }.run().unwrap_err();
        assert!(all_bits(&output) == all_bits(&before), "{error}");
        error
    };
    assert_eq!(Subtree::new(&rig, Slot(20)), Err(SubtreeError::NoRoot { root: Slot(20), joints: 20 }));
    assert_eq!(JointMask::from_weights(&rig, &[]), Err(MaskError::Empty));
    let only_root = JointMask::from_weights(&rig, &[(rig.joint(Slot(0)), 1.0)]).unwrap();
    assert_eq!(subtree.clone().masked(&only_root), Err(SubtreeError::Empty { root }));
    let foreign_mask = random.mask(&other);
    assert_eq!(subtree.clone().masked(&foreign_mask), Err(SubtreeError::Mask { found: 21, expected: 20 }));
    for weight in [-0.1, 1.1, f32::INFINITY] {
        assert_eq!(refuse(SubtreeSource::Pose(&before), weight), SubtreeError::Weight { weight });
    }
    assert!(matches!(refuse(SubtreeSource::Pose(&before), f32::NAN), SubtreeError::Weight { .. }));
    let source = SubtreeError::Source { found: 21, expected: 20 };
    assert_eq!(refuse(SubtreeSource::Pose(&foreign), 0.5), source);
    let good = (root, Transform::IDENTITY);
    let outside = SubtreeSource::Joints(&[good, (Slot(0), Transform::IDENTITY)]);
    assert_eq!(refuse(outside, 0.5), SubtreeError::Outside { slot: Slot(0), root });
    let nan = Transform { translation: glam::Vec3::NAN, ..Transform::IDENTITY };
    assert_eq!(
        refuse(SubtreeSource::Joints(&[good, (root, nan)]), 0.5),
        SubtreeError::NotFinite { slot: root }
    );
    let mut output = foreign.clone();
    let job = SubtreeJob {
        subtree: &subtree,
        source: SubtreeSource::Joints(&[]),
        weight: 0.5,
        output: &mut output,
    };
    let mut job = job;
    assert_eq!(job.run(), Err(SubtreeError::Output { found: 21, expected: 20 }));
}
