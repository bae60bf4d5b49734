//! Two groups side by side, every layer in registers: a rotation waits for the sum before it, and two chains
//! keep the processor busy where one does not.

use super::{LayerMode, PoseBlendJob, PoseLayer};
use crate::accumulate::{Joints, RotationSum, Shares, VectorSum};
use crate::wide::{Floats, Simd, dispatch};
use crate::{Backend, LocalPose, PoseGroup, ScaleGroup};

/// Layers whose weights are worked out once a group; more take longer.
const KEPT: usize = 8;

/// Blends; sizes and weights have been checked.
pub(super) fn blend(job: &mut PoseBlendJob<'_>, backend: Backend) {
    let groups = job.groups.min(job.rig.groups());
    if groups == 0 {
        return;
    }
    let (base, layers) = (job.base, job.layers);
    let (mut masked, mut additive, mut scaled) = (false, false, base.is_scaled());
    for l in layers {
        masked |= l.is_override() && l.mask.is_some();
        scaled |= l.pose.is_scaled();
        if let LayerMode::Additive { reference } = l.mode {
            scaled |= reference.is_scaled();
            additive |= l.weight > 0.0;
        }
    }
    // Groups that are not written keep their scale; it has no say in what the others get.
    let keeps = groups < job.rig.groups() && job.output.is_scaled();
    let (out, scales) = job.output.parts_mut(scaled || keeps);
    let (out, scales) = (&mut out[..groups], &mut scales[..groups]);
    if keeps && !scaled {
        scales.fill(ScaleGroup::ONE);
    }
    let shares = Alike::new(base, layers);
    if let Some(only) = shares.only.filter(|_| !masked) {
        out.copy_from_slice(&only.groups()[..groups]);
        if scaled {
            scales.copy_from_slice(&only.scales()[..groups]);
        }
    } else {
        let pass = Pass { base, layers, shares, out, scales };
        match (masked, scaled) {
            (false, false) => dispatch!(backend, mean::<false, false>(pass: Pass<'_>)),
            (false, true) => dispatch!(backend, mean::<false, true>(pass: Pass<'_>)),
            (true, false) => dispatch!(backend, mean::<true, false>(pass: Pass<'_>)),
            (true, true) => dispatch!(backend, mean::<true, true>(pass: Pass<'_>)),
        }
    }
    if additive {
        let pass = Pass { base, layers, shares, out, scales };
        match scaled {
            false => dispatch!(backend, differences::<false>(pass: Pass<'_>)),
            true => dispatch!(backend, differences::<true>(pass: Pass<'_>)),
        }
    }
}

struct Pass<'a> {
    base: &'a LocalPose,
    layers: &'a [PoseLayer<'a>],
    shares: Alike<'a>,
    /// `[group]`, as many as are to be written.
    out: &'a mut [PoseGroup],
    /// As many.
    scales: &'a mut [ScaleGroup],
}

/// Shares where every joint has the same; worked out as in [`Shares`].
#[derive(Clone, Copy)]
struct Alike<'a> {
    /// The first contributor and its share.
    first: &'a LocalPose,
    first_share: f32,
    /// Layers from here on follow it.
    next: usize,
    /// What their weights are multiplied with.
    factor: f32,
    /// The one that has everything.
    only: Option<&'a LocalPose>,
}

impl<'a> Alike<'a> {
    fn new(base: &'a LocalPose, layers: &'a [PoseLayer<'a>]) -> Self {
        let total: f32 = layers.iter().filter(|l| l.is_override()).map(|l| l.weight).sum();
        let (whole, base_share) = (total.max(1.0), (1.0 - total).max(0.0));
        let factor = 1.0 / whole;
        let has = |l: &&PoseLayer<'_>, weight: f32| l.is_override() && l.weight >= weight;
        let only = match layers.iter().find(|l| has(l, whole)) {
            Some(l) => Some(l.pose),
            None => (base_share >= 1.0).then_some(base),
        };
        let (mut first, mut first_share, mut next) = (base, base_share, 0);
        if base_share == 0.0
            && let Some(i) = layers.iter().position(|l| l.is_override() && l.weight > 0.0)
        {
            (first, first_share, next) = (layers[i].pose, layers[i].weight * factor, i + 1);
        }
        Self { first, first_share, next, factor, only }
    }
}

/// The weighted mean. Where not `MASKED`, no layer of it has a mask.
#[inline(always)]
fn mean<S: Simd, const MASKED: bool, const SCALED: bool>(simd: S, pass: Pass<'_>) {
    let Pass { base, layers, shares: alike, out, scales } = pass;
    let all = layers;
    let layers = if MASKED { all } else { &all[alike.next..] };
    let bottom = layers.iter().position(PoseLayer::is_override).unwrap_or(0);
    let zero = simd.splat(0.0);
    let groups = out.len();
    // Of the leading layers, two groups: weights where `MASKED`, shares where not.
    let mut kept = [[zero; 2]; KEPT];
    if !MASKED {
        for (kept, l) in kept.iter_mut().zip(layers) {
            *kept = [simd.splat(l.weight * alike.factor); 2];
        }
    }
    let mut g = 0;
    while g < groups {
        // The last one may be done twice.
        let at = [g, (g + 1).min(groups - 1)];
        g += 2;
        let (mut first, mut start, mut next) = (alike.first, [simd.splat(alike.first_share); 2], 0);
        let mut shares = [Shares::new(simd, zero); 2];
        // Lanes where one contributor has everything, of those that hold a joint.
        let (joints, mut alone) = ([lanes_of(base, at[0]), lanes_of(base, at[1])], [0_u8; 2]);
        if MASKED {
            let (mut total, mut largest) = ([zero; 2], [zero; 2]);
            for (i, l) in layers.iter().enumerate() {
                if l.is_override() {
                    let weight = weights_of(simd, l, at);
                    if let Some(kept) = kept.get_mut(i) {
                        *kept = weight;
                    }
                    total = [total[0] + weight[0], total[1] + weight[1]];
                    largest = [largest[0].max(weight[0]), largest[1].max(weight[1])];
                }
            }
            shares = [Shares::new(simd, total[0]), Shares::new(simd, total[1])];
            (first, start, next) = (base, [shares[0].base, shares[1].base], 0);
            alone = [
                joints[0] & !simd.bits(shares[0].others(largest[0].max(start[0]))),
                joints[1] & !simd.bits(shares[1].others(largest[1].max(start[1]))),
            ];
            if simd.bits(start[0].gt(zero)) | simd.bits(start[1].gt(zero)) == 0 {
                // The base has no share in any lane: the bottom layer comes first.
                let l = &layers[bottom];
                start = shares_of::<S, MASKED>(simd, &kept, alike.factor, bottom, l, at, &shares);
                (first, next) = (l.pose, bottom + 1);
            }
        }
        if alone != joints {
            let (rest, kept_rest) = (&layers[next..], &kept[next.min(KEPT)..]);
            let mut rotation = [
                RotationSum::start(simd, &rotation_of(simd, first, at[0]), start[0]),
                RotationSum::start(simd, &rotation_of(simd, first, at[1]), start[1]),
            ];
            for (i, l) in rest.iter().enumerate() {
                if l.is_override() {
                    let share = shares_of::<S, MASKED>(simd, kept_rest, alike.factor, i, l, at, &shares);
                    rotation[0].add(&rotation_of(simd, l.pose, at[0]), share[0]);
                    rotation[1].add(&rotation_of(simd, l.pose, at[1]), share[1]);
                }
            }
            let vanished = [simd.bits(rotation[0].vanished()), simd.bits(rotation[1].vanished())];
            for k in 0..2 {
                let (mean, out) = (rotation[k].finish(), &mut out[at[k]].rotation);
                mean[0].store(&mut out[0]);
                mean[1].store(&mut out[1]);
                mean[2].store(&mut out[2]);
                mean[3].store(&mut out[3]);
            }
            let mut translation = [
                VectorSum::<S>::start(&translation_of(simd, first, at[0]), start[0]),
                VectorSum::<S>::start(&translation_of(simd, first, at[1]), start[1]),
            ];
            for (i, l) in rest.iter().enumerate() {
                if l.is_override() {
                    let share = shares_of::<S, MASKED>(simd, kept_rest, alike.factor, i, l, at, &shares);
                    translation[0].add(&translation_of(simd, l.pose, at[0]), share[0]);
                    translation[1].add(&translation_of(simd, l.pose, at[1]), share[1]);
                }
            }
            for k in 0..2 {
                for axis in 0..3 {
                    translation[k].0[axis].store(&mut out[at[k]].translation[axis]);
                }
            }
            if SCALED {
                let mut scale = [
                    VectorSum::<S>::start(&scale_of(simd, first, at[0]), start[0]),
                    VectorSum::<S>::start(&scale_of(simd, first, at[1]), start[1]),
                ];
                for (i, l) in rest.iter().enumerate() {
                    if l.is_override() {
                        let share = shares_of::<S, MASKED>(simd, kept_rest, alike.factor, i, l, at, &shares);
                        scale[0].add(&scale_of(simd, l.pose, at[0]), share[0]);
                        scale[1].add(&scale_of(simd, l.pose, at[1]), share[1]);
                    }
                }
                for k in 0..2 {
                    for axis in 0..3 {
                        scale[k].0[axis].store(&mut scales[at[k]].scale[axis]);
                    }
                }
            }
            if vanished != [0, 0] {
                for k in 0..2 {
                    keep_first(base, all, at[k], vanished[k], &mut out[at[k]]);
                }
            }
        }
        if MASKED && alone != [0, 0] {
            for k in 0..2 {
                if alone[k] == 0 {
                    continue;
                }
                let mut joints = Joints::<S, SCALED>::load(simd, &out[at[k]], &scales[at[k]]);
                joints = joints.select(shares[k].layers(), &load(simd, base, at[k]));
                for l in layers {
                    if l.is_override() {
                        let others = shares[k].others(weight_of(simd, l, at[k]));
                        if simd.bits(others) != 0xff {
                            joints = joints.select(others, &load(simd, l.pose, at[k]));
                        }
                    }
                }
                joints.store(&mut out[at[k]], &mut scales[at[k]]);
            }
        }
    }
}

/// The rotation of the first contributor, in lanes whose sum vanished: quaternions there are no rotations.
#[cold]
#[inline(never)]
fn keep_first(base: &LocalPose, layers: &[PoseLayer<'_>], g: usize, lanes: u8, out: &mut PoseGroup) {
    for lane in (0..8).filter(|lane| lanes >> lane & 1 == 1) {
        let weight = |l: &PoseLayer<'_>| l.weight * l.mask.map_or(1.0, |m| m.groups()[g][lane]);
        let of_mean = || layers.iter().filter(|l| l.is_override());
        let total: f32 = of_mean().map(weight).sum();
        let first = of_mean().find(|l| weight(l) > 0.0).filter(|_| total >= 1.0).map_or(base, |l| l.pose);
        for axis in 0..4 {
            out.rotation[axis][lane] = first.groups()[g].rotation[axis][lane];
        }
    }
}

/// Differences on top of the output.
#[inline(always)]
fn differences<S: Simd, const SCALED: bool>(simd: S, pass: Pass<'_>) {
    let Pass { layers, out, scales, .. } = pass;
    for (g, (out, scale)) in out.iter_mut().zip(scales).enumerate() {
        let mut joints = Joints::<S, SCALED>::load(simd, out, scale);
        for l in layers {
            let LayerMode::Additive { reference } = l.mode else { continue };
            let weight = weight_of(simd, l, g);
            let changes = weight.gt(simd.splat(0.0));
            let bits = simd.bits(changes);
            if bits == 0 {
                continue;
            }
            let mut with = joints;
            with.add_difference(&load(simd, l.pose, g), &load(simd, reference, g), weight);
            // Joints that the mask leaves out stay as they are, to the bit.
            joints = if bits == 0xff { with } else { with.select(changes, &joints) };
        }
        joints.store(out, scale);
    }
}

/// Lanes of a group that hold a joint.
#[inline(always)]
fn lanes_of(pose: &LocalPose, g: usize) -> u8 {
    0xff_u8 >> (8 * (g + 1)).saturating_sub(pose.len()).min(7)
}

#[inline(always)]
fn weight_of<S: Simd>(simd: S, layer: &PoseLayer<'_>, g: usize) -> S::F {
    let weight = simd.splat(layer.weight);
    match layer.mask {
        Some(mask) => simd.load(&mask.groups()[g]) * weight,
        None => weight,
    }
}

#[inline(always)]
fn weights_of<S: Simd>(simd: S, layer: &PoseLayer<'_>, at: [usize; 2]) -> [S::F; 2] {
    let weight = simd.splat(layer.weight);
    match layer.mask {
        Some(mask) => {
            let mask = mask.groups();
            [simd.load(&mask[at[0]]) * weight, simd.load(&mask[at[1]]) * weight]
        }
        None => [weight; 2],
    }
}

/// Of layer `i`, two groups. `alike` is what weights are multiplied with where not `MASKED`.
#[inline(always)]
fn shares_of<S: Simd, const MASKED: bool>(
    simd: S,
    kept: &[[S::F; 2]],
    alike: f32,
    i: usize,
    layer: &PoseLayer<'_>,
    at: [usize; 2],
    shares: &[Shares<S>; 2],
) -> [S::F; 2] {
    let weight = match kept.get(i) {
        Some(kept) => *kept,
        None if MASKED => weights_of(simd, layer, at),
        None => [simd.splat(layer.weight * alike); 2],
    };
    if MASKED { [shares[0].of(weight[0]), shares[1].of(weight[1])] } else { weight }
}

#[inline(always)]
fn rotation_of<S: Simd>(simd: S, pose: &LocalPose, g: usize) -> [S::F; 4] {
    let r = &pose.groups()[g].rotation;
    [simd.load(&r[0]), simd.load(&r[1]), simd.load(&r[2]), simd.load(&r[3])]
}

#[inline(always)]
fn translation_of<S: Simd>(simd: S, pose: &LocalPose, g: usize) -> [S::F; 3] {
    let t = &pose.groups()[g].translation;
    [simd.load(&t[0]), simd.load(&t[1]), simd.load(&t[2])]
}

#[inline(always)]
fn scale_of<S: Simd>(simd: S, pose: &LocalPose, g: usize) -> [S::F; 3] {
    let s = &pose.scales()[g].scale;
    [simd.load(&s[0]), simd.load(&s[1]), simd.load(&s[2])]
}

#[inline(always)]
fn load<S: Simd, const SCALED: bool>(simd: S, pose: &LocalPose, g: usize) -> Joints<S, SCALED> {
    Joints::load(simd, &pose.groups()[g], &pose.scales()[g])
}
