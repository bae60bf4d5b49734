//! Promise: the runtime blend is the documented rule, joint by joint, on every backend to the bit; a pose that is
//! alone comes out unchanged.

mod runtime_poses;

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use runtime_poses::{Random, all_bits, bits, slots};
use sinew::{
    Backend, BlendJob, BlendLayer, BlendPose, JointMask, LayerMode, LocalPose, MAX_OVERRIDE_LAYERS,
    PoseBlendError, PoseBlendJob, PoseLayer, RawPose, Rig, Slot, Transform,
};

fn blend_on(backend: Backend, rig: &Rig, base: &LocalPose, layers: &[PoseLayer<'_>]) -> LocalPose {
    let mut output = LocalPose::rest(rig);
    PoseBlendJob { rig, base, layers, groups: rig.groups(), output: &mut output }.run_on(backend).unwrap();
    output
}

fn blend(rig: &Rig, base: &LocalPose, layers: &[PoseLayer<'_>]) -> LocalPose {
    blend_on(Backend::best(), rig, base, layers)
}

#[derive(Clone, Copy, Debug)]
struct Exact {
    t: [f64; 3],
    q: [f64; 4],
    s: [f64; 3],
}

impl From<Transform> for Exact {
    fn from(t: Transform) -> Self {
        Self {
            t: t.translation.to_array().map(f64::from),
            q: t.rotation.to_array().map(f64::from),
            s: t.scale.to_array().map(f64::from),
        }
    }
}

fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
    (0..4).map(|i| a[i] * b[i]).sum()
}

fn normalised(q: [f64; 4]) -> [f64; 4] {
    let length = dot(q, q).sqrt();
    q.map(|v| v / length)
}

/// The rule in double precision for one joint. `None` where rounding decides a hemisphere.
fn by_the_book(base: &Transform, layers: &[PoseLayer<'_>], slot: Slot) -> Option<Exact> {
    let weight = |l: &PoseLayer<'_>| f64::from(l.weight) * l.mask.map_or(1.0, |m| f64::from(m.get(slot)));
    let (mut sum, mut poses) = (0.0, Vec::new());
    for l in layers.iter().filter(|l| matches!(l.mode, LayerMode::Override)) {
        sum += weight(l);
        poses.push((weight(l), Exact::from(l.pose.get(slot))));
    }
    poses.insert(0, ((1.0 - sum).max(0.0), Exact::from(*base)));
    let mut out = Exact { t: [0.0; 3], q: [0.0; 4], s: [0.0; 3] };
    for (w, pose) in poses.into_iter().filter(|p| p.0 > 0.0) {
        let w = w / sum.max(1.0);
        let side = dot(out.q, pose.q);
        if out.q != [0.0; 4] && side.abs() < 1e-5 {
            return None;
        }
        for i in 0..4 {
            out.q[i] += if side < 0.0 { -w * pose.q[i] } else { w * pose.q[i] };
        }
        for i in 0..3 {
            out.t[i] += w * pose.t[i];
            out.s[i] += w * pose.s[i];
        }
    }
    out.q = normalised(out.q);
    for l in layers {
        let LayerMode::Additive { reference } = l.mode else { continue };
        let (w, to, from) = (weight(l), Exact::from(l.pose.get(slot)), Exact::from(reference.get(slot)));
        let turn = DQuat::from_array(to.q) * DQuat::from_array(from.q).conjugate();
        if turn.w.abs() < 1e-5 {
            return None;
        }
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let part = [turn.x * w, turn.y * w, turn.z * w, 1.0 - w + turn.w * w];
        out.q = normalised((DQuat::from_array(normalised(part)) * DQuat::from_array(out.q)).to_array());
        for i in 0..3 {
            out.t[i] += w * (to.t[i] - from.t[i]);
            if from.s[i].abs() < 1e-12 {
                out.s[i] += w * (to.s[i] - from.s[i]);
            } else {
                out.s[i] *= 1.0 - w + w * to.s[i] / from.s[i];
            }
        }
    }
    Some(out)
}

/// Largest difference, a quaternion and its negative being the same.
fn apart(a: &Exact, b: &Exact) -> f64 {
    let sign = if dot(a.q, b.q) < 0.0 { -1.0 } else { 1.0 };
    let q = (0..4).map(|i| (a.q[i] - sign * b.q[i]).abs());
    let rest = (0..3).flat_map(|i| [(a.t[i] - b.t[i]).abs(), (a.s[i] - b.s[i]).abs()]);
    q.chain(rest).fold(0.0, f64::max)
}

struct Case {
    rig: Rig,
    base: LocalPose,
    poses: Vec<LocalPose>,
    masks: Vec<JointMask>,
    kinds: Vec<(f32, bool, bool)>,
}

impl Case {
    /// Layers of random weight, a third of them 0 or 1; `total` is their rough sum.
    fn new(seed: u64, joints: usize, layers: usize, scaled: bool, total: f32) -> Self {
        let mut random = Random::new(seed);
        let (_, rig) = random.rig(joints);
        let kinds = (0..layers)
            .map(|_| {
                let weight = [0.0, 1.0, random.unit(), random.unit() * total, 1.0 / layers as f32];
                (weight[random.below(5)], random.below(2) == 0, random.below(4) == 0)
            })
            .collect();
        Self {
            base: random.pose(&rig, scaled),
            poses: (0..2 * layers).map(|_| random.pose(&rig, scaled)).collect(),
            masks: (0..layers).map(|_| random.mask(&rig)).collect(),
            rig,
            kinds,
        }
    }

    fn layers(&self) -> Vec<PoseLayer<'_>> {
        let layers = self.kinds.iter().enumerate().map(|(i, &(weight, masked, additive))| {
            let reference = &self.poses[2 * i + 1];
            PoseLayer {
                pose: &self.poses[2 * i],
                weight,
                mask: masked.then_some(&self.masks[i]),
                mode: if additive { LayerMode::Additive { reference } } else { LayerMode::Override },
            }
        });
        layers.collect()
    }
}

proptest! {
    #[test]
    fn every_joint_follows_the_rule(
        seed: u64, joints in 1..1000_usize, layers in 0..12_usize, scaled: bool, total in 0.0..3.0_f32,
    ) {
        let case = Case::new(seed, joints, layers, scaled, total);
        let layers = case.layers();
        let found = blend(&case.rig, &case.base, &layers);
        for slot in slots(&case.rig) {
            let Some(expected) = by_the_book(&case.base.get(slot), &layers, slot) else { continue };
            let found = Exact::from(found.get(slot));
            let limit = 4e-6 * expected.t.iter().chain(&expected.s).fold(4.0, |m: f64, v| m.max(v.abs()));
            prop_assert!(apart(&found, &expected) < limit, "{}: {:?}, expected {:?}", slot, found, expected);
        }
    }

    #[test]
    fn every_backend_gives_the_same_bits(
        seed: u64, joints in 1..300_usize, layers in 0..12_usize, scaled: bool, total in 0.0..3.0_f32,
    ) {
        let case = Case::new(seed, joints, layers, scaled, total);
        let expected = all_bits(&blend_on(Backend::Scalar, &case.rig, &case.base, &case.layers()));
        for backend in Backend::ALL {
            let found = all_bits(&blend_on(backend, &case.rig, &case.base, &case.layers()));
            prop_assert!(found == expected, "{}", backend);
        }
    }

    #[test]
    fn one_or_two_layers_are_those_of_the_exact_blend(
        seed: u64, joints in 1..60_usize, two: bool, scaled: bool, weight in 0.0..1.5_f32,
    ) {
        let mut random = Random::new(seed);
        let (skeleton, rig) = random.rig(joints);
        let [base, a, b] = [0, 1, 2].map(|_| random.pose(&rig, scaled));
        let raw = [&base, &a, &b].map(|p| p.to_raw(&rig, &skeleton));
        // The means agree where weights are equal: half base, half layer; or two layers alike.
        let (a_weight, b_weight) = if two { (weight.max(0.5), weight.max(0.5)) } else { (0.5, 0.0) };
        let runtime = [PoseLayer::new(&a, a_weight), PoseLayer::new(&b, b_weight)];
        let exact = [
            BlendLayer { pose: &raw[1], weight: f64::from(a_weight), mask: None },
            BlendLayer { pose: &raw[2], weight: f64::from(b_weight), mask: None },
        ];
        let mut expected = RawPose::default();
        BlendJob { skeleton: &skeleton, base: &raw[0], layers: &exact, output: &mut expected }.run().unwrap();
        let found = blend(&rig, &base, &runtime).to_raw(&rig, &skeleton);
        for slot in slots(&rig) {
            let joint = rig.joint(slot).index();
            let (found, expected) = (&found.local[joint], &expected.local[joint]);
            let (p, q) = if two { (&a, &b) } else { (&base, &a) };
            if p.get(slot).rotation.dot(q.get(slot).rotation).abs() > 0.1 {
                let dot = found.rotation.normalize().dot(expected.rotation).abs();
                prop_assert!(dot > 1.0 - 1e-10, "{}: {:e}", slot, 1.0 - dot);
            }
            prop_assert!((found.translation - expected.translation).length() < 1e-5);
            prop_assert!((found.scale - expected.scale).length() < 1e-5);
        }
    }

    #[test]
    fn masked_means_of_translations_and_scales_are_those_of_the_exact_blend(
        seed: u64, joints in 1..60_usize, weights: [f32; 2],
    ) {
        let weights = weights.map(|w| (w.to_bits() % 1500) as f32 / 1000.0);
        let mut random = Random::new(seed);
        let (skeleton, rig) = random.rig(joints);
        let [base, a, b] = [0, 1, 2].map(|_| random.pose(&rig, true));
        let masks = [0, 1].map(|_| random.mask(&rig));
        let raw = [&base, &a, &b].map(|p| p.to_raw(&rig, &skeleton));
        let by_joint = |m: &JointMask| -> Vec<f64> {
            skeleton.iter().map(|(joint, _)| f64::from(m.get(rig.slot(joint)))).collect()
        };
        let raw_masks = [by_joint(&masks[0]), by_joint(&masks[1])];
        let exact = [0, 1].map(|i| BlendLayer {
            pose: &raw[i + 1],
            weight: f64::from(weights[i]),
            mask: Some(&raw_masks[i]),
        });
        let mut expected = RawPose::default();
        BlendJob { skeleton: &skeleton, base: &raw[0], layers: &exact, output: &mut expected }.run().unwrap();
        let layers = [
            PoseLayer::new(&a, weights[0]).masked(&masks[0]),
            PoseLayer::new(&b, weights[1]).masked(&masks[1]),
        ];
        let found = blend(&rig, &base, &layers).to_raw(&rig, &skeleton);
        for (found, expected) in found.local.iter().zip(&expected.local) {
            prop_assert!((found.translation - expected.translation).length() < 1e-5);
            prop_assert!((found.scale - expected.scale).length() < 1e-5);
        }
    }

    #[test]
    fn a_pose_that_is_alone_comes_out_bit_for_bit(
        seed: u64, joints in 1..100_usize, scaled: bool, weight in 1.0..1000.0_f32,
    ) {
        let mut random = Random::new(seed);
        let (_, rig) = random.rig(joints);
        let (base, pose, mask) = (random.pose(&rig, scaled), random.pose(&rig, false), random.mask(&rig));
        for layers in [
            vec![PoseLayer::new(&pose, weight)],
            vec![PoseLayer::new(&base, 0.0), PoseLayer::new(&pose, weight)],
            vec![PoseLayer::new(&pose, weight), PoseLayer::new(&base, 0.0).masked(&mask)],
        ] {
            let found = blend(&rig, &base, &layers);
            slots(&rig).for_each(|slot| assert_eq!(bits(&found.get(slot)), bits(&pose.get(slot)), "{slot}"));
        }
        prop_assert!(all_bits(&blend(&rig, &base, &[])) == all_bits(&base));
        prop_assert!(all_bits(&blend(&rig, &base, &[PoseLayer::new(&pose, 0.0)])) == all_bits(&base));
        // Under a mask: the layer where it has all, the base where it has nothing.
        let found = blend(&rig, &base, &[PoseLayer::new(&pose, 1.0).masked(&mask)]);
        for slot in slots(&rig) {
            match mask.get(slot) {
                0.0 => prop_assert_eq!(bits(&found.get(slot)), bits(&base.get(slot))),
                1.0 => prop_assert_eq!(bits(&found.get(slot)), bits(&pose.get(slot))),
                _ => {}
            }
        }
        // A difference leaves alone what its mask leaves out.
        let on_top = PoseLayer::additive(&pose, &base, 0.7).masked(&mask);
        let found = blend(&rig, &base, &[on_top]);
        for slot in slots(&rig).filter(|slot| mask.get(*slot) == 0.0) {
            prop_assert_eq!(bits(&found.get(slot)), bits(&base.get(slot)));
        }
    }

    #[test]
    fn a_quaternion_and_its_negative_count_alike(seed: u64, joints in 1..50_usize, layers in 1..6_usize) {
        let mut case = Case::new(seed, joints, layers, false, 1.0);
        let before = blend(&case.rig, &case.base, &case.layers());
        let mut random = Random::new(seed ^ 1);
        for pose in case.poses.iter_mut().chain([&mut case.base]) {
            for slot in slots(&case.rig).filter(|_| random.below(2) == 0) {
                let t = pose.get(slot);
                pose.set(slot, &Transform { rotation: -t.rotation, ..t });
            }
        }
        let after = blend(&case.rig, &case.base, &case.layers());
        for slot in slots(&case.rig) {
            if by_the_book(&case.base.get(slot), &case.layers(), slot).is_some() {
                let (a, b) = (before.get(slot), after.get(slot));
                prop_assert!(apart(&a.into(), &b.into()) < 2e-6, "{}: {:?}, {:?}", slot, a, b);
            }
        }
    }

    #[test]
    fn a_level_of_detail_writes_leading_groups_only(
        seed: u64, joints in 1..100_usize, groups in 0..14_usize, scaled: bool, was_scaled: bool,
    ) {
        let case = Case::new(seed, joints, 3, scaled, 1.0);
        let whole = blend(&case.rig, &case.base, &case.layers());
        let before = Random::new(seed ^ 2).pose(&case.rig, was_scaled);
        let mut output = before.clone();
        let (rig, base, layers) = (&case.rig, &case.base, &case.layers());
        PoseBlendJob { rig, base, layers, groups, output: &mut output }.run().unwrap();
        for slot in slots(rig) {
            let expected = if slot.index() / 8 < groups { &whole } else { &before };
            let (found, expected) = (output.get(slot), expected.get(slot));
            if was_scaled {
                prop_assert!(apart(&found.into(), &expected.into()) < 1e-6, "{}", slot);
            } else {
                prop_assert_eq!(bits(&found), bits(&expected), "{}", slot);
            }
        }
    }
}

#[test]
fn a_difference_turns_in_the_axes_of_the_parent() {
    let (_, rig) = Random::new(1).rig(1);
    let mut poses = [0, 1, 2].map(|_| LocalPose::rest(&rig));
    let turns = [DQuat::from_rotation_y(1.0), DQuat::from_rotation_x(0.4), DQuat::from_rotation_x(-0.6)];
    for (pose, turn) in poses.iter_mut().zip(turns) {
        let translation = glam::Vec3::new(1.0, 2.0, 3.0);
        pose.set(Slot(0), &Transform { rotation: turn.as_quat(), translation, ..Transform::IDENTITY });
    }
    let [base, pose, reference] = &poses;
    let found = blend(&rig, base, &[PoseLayer::additive(pose, reference, 1.0)]).get(Slot(0));
    let expected = DQuat::from_rotation_x(1.0) * DQuat::from_rotation_y(1.0);
    assert!(found.rotation.as_dquat().dot(expected).abs() > 1.0 - 1e-12, "{found:?}");
    assert!((found.translation.as_dvec3() - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-6);
}

#[test]
fn what_is_no_rotation_leaves_the_first_one_and_no_nan() {
    let (_, rig) = Random::new(1).rig(3);
    let (base, mut none) = (LocalPose::rest(&rig), LocalPose::rest(&rig));
    let mut faint = none.clone();
    for slot in slots(&rig) {
        none.set(slot, &Transform { rotation: glam::Quat::from_array([0.0; 4]), ..Transform::IDENTITY });
        let rotation = glam::Quat::from_xyzw(1e-20, 0.0, 0.0, 1e-20);
        faint.set(slot, &Transform { rotation, ..Transform::IDENTITY });
    }
    for backend in Backend::ALL {
        let layers = [PoseLayer::new(&faint, 0.5), PoseLayer::new(&none, 0.5)];
        assert_eq!(blend_on(backend, &rig, &base, &layers).get(Slot(2)), faint.get(Slot(2)));
        let on_top = [PoseLayer::additive(&none, &none, 1.0)];
        assert!(blend_on(backend, &rig, &base, &on_top).get(Slot(2)).is_finite());
    }
}

#[test]
fn a_reference_without_scale_is_added() {
    let (_, rig) = Random::new(1).rig(1);
    let scaled = |scale: [f32; 3]| {
        let mut pose = LocalPose::rest(&rig);
        pose.set(Slot(0), &Transform { scale: scale.into(), ..Transform::IDENTITY });
        pose
    };
    let [base, pose, reference] = [[2.0, 2.0, 2.0], [3.0, 3.0, 3.0], [0.0, 2.0, -1.0]].map(scaled);
    let found = blend(&rig, &base, &[PoseLayer::additive(&pose, &reference, 0.5)]).get(Slot(0));
    assert!((found.scale - glam::Vec3::new(3.5, 2.5, -2.0)).length() < 1e-6, "{found:?}");
}

#[test]
fn what_does_not_fit_is_refused_and_the_output_untouched() {
    let mut random = Random::new(3);
    let ((_, rig), (_, other)) = (random.rig(20), random.rig(21));
    let (base, pose, foreign) = (LocalPose::rest(&rig), random.pose(&rig, true), LocalPose::rest(&other));
    let (mask, foreign_mask) = (random.mask(&rig), random.mask(&other));
    let refuse = |base: &LocalPose, layers: &[PoseLayer<'_>]| {
        let mut output = pose.clone();
        let error =
            PoseBlendJob { rig: &rig, base, layers, groups: 3, output: &mut output }.run().unwrap_err();
        assert!(all_bits(&output) == all_bits(&pose), "{error}");
        error
    };
    let good = PoseLayer::new(&pose, 0.5).masked(&mask);
    let size = |pose| PoseBlendError::Size { pose, found: 21, expected: 20 };
    assert_eq!(refuse(&foreign, &[good]), size(BlendPose::Base));
    assert_eq!(refuse(&base, &[good, PoseLayer::new(&foreign, 0.5)]), size(BlendPose::Layer(1)));
    let reference = PoseLayer::additive(&pose, &foreign, 0.5);
    assert_eq!(refuse(&base, &[reference]), size(BlendPose::Reference(0)));
    assert_eq!(
        refuse(&base, &[good, good.masked(&foreign_mask)]),
        PoseBlendError::Mask { layer: 1, found: 21, expected: 20 }
    );
    for weight in [-0.1, f32::INFINITY, 2e6] {
        let error = refuse(&base, &[good, PoseLayer::new(&pose, weight)]);
        assert_eq!(error, PoseBlendError::Weight { layer: 1, weight });
    }
    let error = refuse(&base, &[PoseLayer::additive(&pose, &base, f32::NAN)]);
    assert!(matches!(error, PoseBlendError::Weight { layer: 0, weight } if weight.is_nan()));
    let many = vec![PoseLayer::new(&pose, 0.01); MAX_OVERRIDE_LAYERS + 1];
    assert_eq!(refuse(&base, &many), PoseBlendError::Layers { found: MAX_OVERRIDE_LAYERS + 1 });
    let mut output = foreign.clone();
    let error = PoseBlendJob { rig: &rig, base: &base, layers: &[], groups: 3, output: &mut output }.run();
    assert_eq!(error, Err(size(BlendPose::Output)));
    assert_eq!(error.unwrap_err().to_string(), "the output has 21 joints, the rig has 20");
}
