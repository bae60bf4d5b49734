//! One pass over the groups, every layer in registers.

use super::{LayerMode, PoseBlendJob, PoseLayer};
use crate::accumulate::{Accumulator, Joints, Shares};
use crate::wide::{Floats, Simd, dispatch};
use crate::{Backend, LocalPose, PoseGroup, ScaleGroup};

/// Blends; sizes and weights have been checked.
pub(super) fn blend(job: &mut PoseBlendJob<'_>, backend: Backend) {
    let groups = job.groups.min(job.rig.groups());
    let (base, layers) = (job.base, job.layers);
    let (mut masked, mut scaled) = (false, base.is_scaled());
    for l in layers {
        masked |= l.is_override() && l.mask.is_some();
        scaled |= l.pose.is_scaled();
        if let LayerMode::Additive { reference } = l.mode {
            scaled |= reference.is_scaled();
        }
    }
    // Groups that are left alone keep their scale.
    scaled |= groups < job.rig.groups() && job.output.is_scaled();
    let (out, out_scales) = job.output.parts_mut(scaled);
    let (out, out_scales) = (&mut out[..groups], &mut out_scales[..groups]);
    let pass = Pass { base, layers, out, out_scales };
    match (masked, scaled) {
        (false, false) => dispatch!(backend, alike::<false>(pass: Pass<'_>)),
        (false, true) => dispatch!(backend, alike::<true>(pass: Pass<'_>)),
        (true, false) => dispatch!(backend, masked_each::<false>(pass: Pass<'_>)),
        (true, true) => dispatch!(backend, masked_each::<true>(pass: Pass<'_>)),
    }
}

struct Pass<'a> {
    base: &'a LocalPose,
    layers: &'a [PoseLayer<'a>],
    /// `[group]`, as many as are to be written.
    out: &'a mut [PoseGroup],
    /// As many.
    out_scales: &'a mut [ScaleGroup],
}

/// Where the mean of every joint has the same shares: they are worked out once.
#[inline(always)]
fn alike<S: Simd, const SCALED: bool>(simd: S, pass: Pass<'_>) {
    let Pass { base, layers, out, out_scales } = pass;
    let (mut total, mut largest, mut first, mut additive) = (0.0_f32, 0.0_f32, None, false);
    for (i, l) in layers.iter().enumerate() {
        if l.is_override() {
            total += l.weight;
            largest = largest.max(l.weight);
            if first.is_none() && l.weight > 0.0 {
                first = Some(i);
            }
        } else {
            additive |= l.weight > 0.0;
        }
    }
    // The same steps as in `Shares`, so that a mask of ones changes nothing.
    let base_share = (1.0 - total).max(0.0);
    let factor = 1.0 / total.max(1.0);
    // Who comes first, and who follows.
    let (start, start_share, rest) = match first {
        Some(i) if base_share == 0.0 => (layers[i].pose, layers[i].weight * factor, &layers[i + 1..]),
        _ => (base, base_share, layers),
    };
    let alone = base_share.max(largest) >= total.max(1.0);
    let whole = layers.iter().find(|l| l.is_override() && l.weight >= total.max(1.0));
    let only = whole.map_or(base, |l| l.pose);
    if alone && !additive {
        let groups = out.len();
        out.copy_from_slice(&only.groups()[..groups]);
        if SCALED {
            out_scales.copy_from_slice(&only.scales()[..groups]);
        }
        return;
    }
    for (g, (out, out_scale)) in out.iter_mut().zip(out_scales).enumerate() {
        let mut joints = if alone {
            load::<S, SCALED>(simd, only, g)
        } else {
            let first = load::<S, SCALED>(simd, start, g);
            let mut sum = Accumulator::start(simd, &first, simd.splat(start_share));
            for l in rest {
                if l.is_override() && l.weight > 0.0 {
                    sum.add(&load(simd, l.pose, g), simd.splat(l.weight * factor));
                }
            }
            let vanished = sum.vanished();
            let mut mean = sum.finish();
            if simd.bits(vanished) != 0 {
                mean.take_rotation(vanished, &load(simd, start, g));
            }
            mean
        };
        if additive {
            add_differences(simd, layers, g, &mut joints);
        }
        joints.store(out, out_scale);
    }
}

/// Where each joint has shares of its own.
#[inline(always)]
fn masked_each<S: Simd, const SCALED: bool>(simd: S, pass: Pass<'_>) {
    let Pass { base, layers, out, out_scales } = pass;
    let zero = simd.splat(0.0);
    let additive = layers.iter().any(|l| !l.is_override() && l.weight > 0.0);
    for (g, (out, out_scale)) in out.iter_mut().zip(out_scales).enumerate() {
        let (mut total, mut largest) = (zero, zero);
        for l in layers {
            if l.is_override() {
                let weight = weight_of(simd, l, g);
                total = total + weight;
                largest = largest.max(weight);
            }
        }
        let shares = Shares::new(simd, total);
        let mut joints = load::<S, SCALED>(simd, base, g);
        let mixed = simd.bits(shares.others(largest.max(shares.base)));
        if mixed != 0 {
            let mut sum = Accumulator::start(simd, &joints, shares.base);
            for l in layers {
                if l.is_override() {
                    sum.add(&load(simd, l.pose, g), shares.of(weight_of(simd, l, g)));
                }
            }
            let vanished = sum.vanished();
            joints = sum.finish();
            if simd.bits(vanished) != 0 {
                for l in layers.iter().rev() {
                    if l.is_override() {
                        let first = weight_of(simd, l, g).gt(zero);
                        joints.take_rotation(
                            simd.mask(simd.bits(vanished) & simd.bits(first)),
                            &load(simd, l.pose, g),
                        );
                    }
                }
                let first = simd.bits(vanished) & simd.bits(shares.base.gt(zero));
                joints.take_rotation(simd.mask(first), &load(simd, base, g));
            }
        }
        if mixed != 0xff {
            joints = joints.select(shares.layers(), &load(simd, base, g));
            for l in layers {
                if l.is_override() {
                    joints = joints.select(shares.others(weight_of(simd, l, g)), &load(simd, l.pose, g));
                }
            }
        }
        if additive {
            add_differences(simd, layers, g, &mut joints);
        }
        joints.store(out, out_scale);
    }
}

#[inline(always)]
fn add_differences<S: Simd, const SCALED: bool>(
    simd: S,
    layers: &[PoseLayer<'_>],
    g: usize,
    joints: &mut Joints<S, SCALED>,
) {
    for l in layers {
        let LayerMode::Additive { reference } = l.mode else { continue };
        if l.weight == 0.0 {
            continue;
        }
        let weight = weight_of(simd, l, g);
        let changes = weight.gt(simd.splat(0.0));
        let bits = simd.bits(changes);
        if bits == 0 {
            continue;
        }
        let mut with = *joints;
        with.add_difference(&load(simd, l.pose, g), &load(simd, reference, g), weight);
        // Joints that the mask leaves out stay as they are, to the bit.
        *joints = if bits == 0xff { with } else { with.select(changes, joints) };
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
