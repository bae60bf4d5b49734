//! One group after another, its sums in registers over all layers: a rotation waits for the sum before it, but a group
//! is short enough that the processor is at the next one meanwhile.

use super::{LayerMode, PoseBlendJob, PoseLayer};
use crate::accumulate::{Joints, RotationSum, VectorSum};
use crate::wide::{Floats, Simd, dispatch};
use crate::{Backend, JointMask, LocalPose, PoseGroup, ScaleGroup};

/// Most override layers with a weight.
pub const MAX_OVERRIDE_LAYERS: usize = 64;

/// As many override layers have kernels of their own, in which nothing is looked up a second time.
const FEW: usize = 4;

/// Blends; sizes and weights have been checked.
pub(super) fn blend(job: &mut PoseBlendJob<'_>, backend: Backend) {
    let groups = job.groups.min(job.rig.groups());
    if groups == 0 {
        return;
    }
    let (base, layers) = (job.base, job.layers);
    let nothing = Part { pose: base, mask: None, weight: 0.0 };
    let (mut few, mut count) = ([nothing; FEW], 0);
    let (mut masked, mut additive, mut scaled) = (false, false, base.is_scaled());
    for l in layers {
        let weighs = l.weight > 0.0;
        scaled |= l.pose.is_scaled();
        match l.mode {
            LayerMode::Override => {
                if weighs {
                    masked |= l.mask.is_some();
                    if let Some(part) = few.get_mut(count) {
                        *part = Part { pose: l.pose, mask: l.mask, weight: l.weight };
                    }
                    count += 1;
                }
            }
            LayerMode::Additive { reference } => {
                scaled |= reference.is_scaled();
                additive |= weighs;
            }
        }
    }
    // Groups that are not written keep their scale; it has no say in what the others get.
    let keeps = groups < job.rig.groups() && job.output.is_scaled();
    let (out, scales) = job.output.parts_mut(scaled || keeps);
    let (out, scales) = (&mut out[..groups], &mut scales[..groups]);
    if keeps && !scaled {
        scales.fill(ScaleGroup::ONE);
    }
    let mean = Mean { base: nothing, out, scales };
    if count <= FEW {
        blend_of(mean, &few[..count], masked, scaled, backend);
    } else {
        blend_of_many(mean, layers, masked, scaled, backend);
    }
    if additive {
        let (out, scales) = job.output.parts_mut(scaled || keeps);
        let pass = Pass { layers, out: &mut out[..groups], scales: &mut scales[..groups] };
        match scaled {
            false => dispatch!(backend, differences::<false>(pass: Pass<'_>)),
            true => dispatch!(backend, differences::<true>(pass: Pass<'_>)),
        }
    }
}

/// More override layers than [`FEW`]. Out of line, so that the others do not pay for the memory.
#[inline(never)]
fn blend_of_many(mean: Mean<'_>, layers: &[PoseLayer<'_>], masked: bool, scaled: bool, backend: Backend) {
    let mut parts = [mean.base; MAX_OVERRIDE_LAYERS];
    let mut count = 0;
    for l in layers.iter().filter(|l| l.is_override() && l.weight > 0.0) {
        if let Some(part) = parts.get_mut(count) {
            *part = Part { pose: l.pose, mask: l.mask, weight: l.weight };
            count += 1;
        }
    }
    blend_of(mean, &parts[..count], masked, scaled, backend);
}

/// The mean of override layers.
fn blend_of(mean: Mean<'_>, parts: &[Part<'_>], masked: bool, scaled: bool, backend: Backend) {
    if masked {
        macro_rules! run {
            ($scaled:literal, $n:ident) => {
                dispatch!(backend, masked_mean::<$scaled, $n>(mean: Mean<'_>, parts: &[Part<'_>]))
            };
        }
        const ONE: usize = 1;
        const TWO: usize = 2;
        const THREE: usize = 3;
        match (scaled, parts.len()) {
            (false, ONE) => run!(false, ONE),
            (false, TWO) => run!(false, TWO),
            (false, THREE) => run!(false, THREE),
            (false, FEW) => run!(false, FEW),
            (false, _) => run!(false, MAX_OVERRIDE_LAYERS),
            (true, _) => run!(true, MAX_OVERRIDE_LAYERS),
        }
        return;
    }
    let total: f32 = parts.iter().map(|p| p.weight).sum();
    let (whole, base_share) = (total.max(1.0), (1.0 - total).max(0.0));
    let only = match parts.iter().find(|p| p.weight >= whole) {
        Some(part) => Some(part),
        None => (base_share >= 1.0).then_some(&mean.base),
    };
    if let Some(only) = only {
        mean.out.copy_from_slice(&only.pose.groups()[..mean.out.len()]);
        if scaled {
            mean.scales.copy_from_slice(&only.pose.scales()[..mean.scales.len()]);
        }
        return;
    }
    match scaled {
        false => {
            dispatch!(backend, alike_mean::<false>(mean: Mean<'_>, parts: &[Part<'_>], whole: f32, base_share: f32));
        }
        true => {
            dispatch!(backend, alike_mean::<true>(mean: Mean<'_>, parts: &[Part<'_>], whole: f32, base_share: f32));
        }
    }
}

struct Pass<'a> {
    layers: &'a [PoseLayer<'a>],
    /// `[group]`, as many as are to be written.
    out: &'a mut [PoseGroup],
    /// As many.
    scales: &'a mut [ScaleGroup],
}

/// A contributor to a mean.
#[derive(Clone, Copy)]
struct Part<'a> {
    pose: &'a LocalPose,
    mask: Option<&'a JointMask>,
    weight: f32,
}

/// The mask of a layer without one.
static ALL: [f32; 8] = [1.0; 8];

impl<'a> Part<'a> {
    /// As much of the mask as is of a group.
    #[inline(always)]
    fn mask(&self, g: usize) -> &'a [f32; 8] {
        match self.mask {
            Some(mask) => &mask.groups()[g],
            None => &ALL,
        }
    }

    #[inline(always)]
    fn scale<S: Simd>(&self, simd: S, g: usize) -> [S::F; 3] {
        let s = &self.pose.scales()[g].scale;
        [simd.load(&s[0]), simd.load(&s[1]), simd.load(&s[2])]
    }

    #[inline(always)]
    fn joints<S: Simd, const SCALED: bool>(&self, simd: S, g: usize) -> Joints<S, SCALED> {
        Joints::load(simd, &self.pose.groups()[g], &self.pose.scales()[g])
    }
}

#[inline(always)]
fn rotation<S: Simd>(simd: S, group: &PoseGroup) -> [S::F; 4] {
    let r = &group.rotation;
    [simd.load(&r[0]), simd.load(&r[1]), simd.load(&r[2]), simd.load(&r[3])]
}

#[inline(always)]
fn translation<S: Simd>(simd: S, group: &PoseGroup) -> [S::F; 3] {
    let t = &group.translation;
    [simd.load(&t[0]), simd.load(&t[1]), simd.load(&t[2])]
}

/// `W` groups from one on.
#[inline(always)]
fn rows<const W: usize>(groups: &[PoseGroup], g: usize) -> &[PoseGroup; W] {
    match groups[g..].first_chunk() {
        Some(rows) => rows,
        None => panic!("{W} groups at {g} of {}", groups.len()),
    }
}

struct Mean<'a> {
    base: Part<'a>,
    /// `[group]`, as many as the contributors have.
    out: &'a mut [PoseGroup],
    /// As many.
    scales: &'a mut [ScaleGroup],
}

/// The mean where every joint has the same weights; not all are one contributor's.
#[inline(always)]
fn alike_mean<S: Simd, const SCALED: bool>(
    simd: S,
    mean: Mean<'_>,
    parts: &[Part<'_>],
    whole: f32,
    base_share: f32,
) {
    let Mean { base, out, scales } = mean;
    let factor = 1.0 / whole;
    let (mut first, mut rest, mut first_share) = (&base, parts, base_share);
    if base_share == 0.0
        && let Some((bottom, above)) = parts.split_first()
    {
        (first, rest, first_share) = (bottom, above, bottom.weight * factor);
    }
    let (start, bottom) = (simd.splat(first_share), &first.pose.groups()[..out.len()]);
    for (g, (out, scale_out)) in out.iter_mut().zip(scales).enumerate() {
        let mut rotations = RotationSum::start(simd, &rotation(simd, &bottom[g]), start);
        let mut translations = VectorSum::<S>::start(&translation(simd, &bottom[g]), start);
        for part in rest {
            let share = simd.splat(part.weight * factor);
            let group = &part.pose.groups()[g];
            rotations.add(&rotation(simd, group), share);
            translations.add(&translation(simd, group), share);
        }
        let (vanished, mean) = (simd.bits(rotations.vanished()), rotations.finish());
        for axis in 0..4 {
            mean[axis].store(&mut out.rotation[axis]);
        }
        for axis in 0..3 {
            translations.0[axis].store(&mut out.translation[axis]);
        }
        if SCALED {
            let mut scale = VectorSum::<S>::start(&first.scale(simd, g), start);
            for part in rest {
                scale.add(&part.scale(simd, g), simd.splat(part.weight * factor));
            }
            for axis in 0..3 {
                scale.0[axis].store(&mut scale_out.scale[axis]);
            }
        }
        if vanished != 0 {
            keep_first(&base, parts, g, vanished, out);
        }
    }
}

/// The mean where a mask makes the weights of joints differ. Vectors are divided by the sum of the weights at the end;
/// rotations need not be. Of `N` parts, or, where those are more than [`FEW`], of at most `N`.
///
/// Two groups at a time: each rotation waits for the sum before it, and so the processor has another to go on with.
#[inline(always)]
fn masked_mean<S: Simd, const SCALED: bool, const N: usize>(simd: S, mut mean: Mean<'_>, parts: &[Part<'_>]) {
    let count = if N <= FEW { N } else { parts.len().min(N) };
    let (parts, groups) = (&parts[..count], mean.out.len());
    let base = &mean.base.pose.groups()[..groups];
    let mut poses = [base; N];
    for i in 0..count {
        poses[i] = &parts[i].pose.groups()[..groups];
    }
    let mut g = 0;
    while g + 1 < groups {
        masked_groups::<S, SCALED, N, 2>(simd, &mut mean, parts, base, &poses, g);
        g += 2;
    }
    if g < groups {
        masked_groups::<S, SCALED, N, 1>(simd, &mut mean, parts, base, &poses, g);
    }
}

/// [`masked_mean`] of `W` groups.
#[inline(always)]
fn masked_groups<S: Simd, const SCALED: bool, const N: usize, const W: usize>(
    simd: S,
    mean: &mut Mean<'_>,
    parts: &[Part<'_>],
    base: &[PoseGroup],
    all: &[&[PoseGroup]; N],
    g: usize,
) {
    let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
    let base: &[PoseGroup; W] = rows(base, g);
    let mut poses = [base; N];
    let mut weights = [[zero; N]; W];
    for i in 0..parts.len() {
        poses[i] = rows(all[i], g);
    }
    // What the weights are divided by, what is left to the base, lanes where one part has everything.
    let (mut whole, mut base_share, mut alone) = ([one; W], [zero; W], [0; W]);
    for w in 0..W {
        let (mut total, mut largest) = (zero, zero);
        for i in 0..parts.len() {
            weights[w][i] = simd.load(parts[i].mask(g + w)) * simd.splat(parts[i].weight);
            (total, largest) = (total + weights[w][i], largest.max(weights[w][i]));
        }
        (whole[w], base_share[w]) = (total.max(one), (one - total).max(zero));
        alone[w] = !simd.bits(whole[w].gt(largest));
    }
    let mut sums = [RotationSum::start(simd, &rotation(simd, &base[0]), base_share[0]); W];
    for w in 1..W {
        sums[w] = RotationSum::start(simd, &rotation(simd, &base[w]), base_share[w]);
    }
    for i in 0..parts.len() {
        for w in 0..W {
            sums[w].add(&rotation(simd, &poses[i][w]), weights[w][i]);
        }
    }
    for w in 0..W {
        let (out, scale_out) = (&mut mean.out[g + w], &mut mean.scales[g + w]);
        // Elsewhere the base has everything, and its bits stay.
        let moves = one.gt(base_share[w]);
        let bottom = translation(simd, &base[w]);
        let mut sum = VectorSum::<S>::start(&bottom, base_share[w]);
        for i in 0..parts.len() {
            sum.add(&translation(simd, &poses[i][w]), weights[w][i]);
        }
        let divides = simd.bits(whole[w].gt(one)) != 0;
        let factor = if divides { one / whole[w] } else { one };
        for axis in 0..3 {
            let mean = if divides { sum.0[axis] * factor } else { sum.0[axis] };
            mean.select(moves, bottom[axis]).store(&mut out.translation[axis]);
        }
        if SCALED {
            let bottom = mean.base.scale(simd, g + w);
            let mut sum = VectorSum::<S>::start(&bottom, base_share[w]);
            for i in 0..parts.len() {
                sum.add(&parts[i].scale(simd, g + w), weights[w][i]);
            }
            for axis in 0..3 {
                (sum.0[axis] * factor).select(moves, bottom[axis]).store(&mut scale_out.scale[axis]);
            }
        }
        let bottom = rotation(simd, &base[w]);
        let (vanished, turned) = (simd.bits(sums[w].vanished()), sums[w].finish());
        for axis in 0..4 {
            turned[axis].select(moves, bottom[axis]).store(&mut out.rotation[axis]);
        }
        if vanished != 0 {
            keep_first(&mean.base, parts, g + w, vanished, out);
        }
        if alone[w] != 0 {
            let mut joints = Joints::<S, SCALED>::load(simd, out, scale_out);
            for i in 0..parts.len() {
                let others = whole[w].gt(weights[w][i]);
                if simd.bits(others) != 0xff {
                    joints = joints.select(others, &parts[i].joints(simd, g + w));
                }
            }
            joints.store(out, scale_out);
        }
    }
}

/// The rotation of the first contributor, in lanes whose sum vanished: quaternions there are no rotations.
#[cold]
#[inline(never)]
fn keep_first(base: &Part<'_>, parts: &[Part<'_>], g: usize, lanes: u8, out: &mut PoseGroup) {
    for lane in (0..8).filter(|lane| lanes >> lane & 1 == 1) {
        let weight = |p: &Part<'_>| p.weight * p.mask(g)[lane];
        let total: f32 = parts.iter().map(weight).sum();
        let first = parts.iter().find(|p| weight(p) > 0.0).filter(|_| total >= 1.0).unwrap_or(base);
        for axis in 0..4 {
            out.rotation[axis][lane] = first.pose.groups()[g].rotation[axis][lane];
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

#[inline(always)]
fn weight_of<S: Simd>(simd: S, layer: &PoseLayer<'_>, g: usize) -> S::F {
    let weight = simd.splat(layer.weight);
    match layer.mask {
        Some(mask) => simd.load(&mask.groups()[g]) * weight,
        None => weight,
    }
}

#[inline(always)]
fn load<S: Simd, const SCALED: bool>(simd: S, pose: &LocalPose, g: usize) -> Joints<S, SCALED> {
    Joints::load(simd, &pose.groups()[g], &pose.scales()[g])
}
