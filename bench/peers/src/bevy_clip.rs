//! A sinew clip as a Bevy clip: the same keys, in the curve types that Bevy's own glTF loader uses.

use bevy_animation::animation_curves::{
    AnimatableCurve, AnimatableKeyframeCurve, AnimatedField, AnimationCompatibleCurve,
};
use bevy_animation::gltf_curves::{CubicKeyframeCurve, CubicRotationCurve, SteppedKeyframeCurve};
use bevy_animation::prelude::{Animatable, AnimatableProperty};
use bevy_animation::{AnimationClip, AnimationTargetId, VariableCurve, animated_field};
use bevy_math::curve::{ConstantCurve, Interval};
use bevy_math::{Quat, Vec3, Vec4};
use bevy_transform::components::Transform;
use sinew::{ChannelTarget, Interpolation, RawClip, Track};

/// The name under which joint `index` is animated.
pub(crate) fn target(index: usize) -> AnimationTargetId {
    [format!("joint {index}")].into_iter().collect()
}

/// All translation, rotation and scale channels.
pub(crate) fn bevy_clip(clip: &RawClip) -> Result<AnimationClip, String> {
    let mut out = AnimationClip::default();
    for channel in &clip.channels {
        let track = &channel.track;
        let curve = match channel.target {
            ChannelTarget::Translation => vector(animated_field!(Transform::translation), track),
            ChannelTarget::Scale => vector(animated_field!(Transform::scale), track),
            ChannelTarget::Rotation => rotation(track),
            ChannelTarget::Weights => continue,
        };
        out.add_variable_curve_to_target(target(channel.joint.index()), curve?);
    }
    // As in the file, whichever channel ends last.
    out.set_duration(clip.duration() as f32);
    Ok(out)
}

fn vector<P>(property: P, track: &Track) -> Result<VariableCurve, String>
where
    P: AnimatableProperty<Property = Vec3> + Clone,
{
    if track.interpolation() == Interpolation::CubicSpline && track.len() > 1 {
        let values = track.values().chunks_exact(3).map(Vec3::from_slice);
        let curve = CubicKeyframeCurve::new(times(track), values).map_err(|e| e.to_string())?;
        return Ok(VariableCurve::new(AnimatableCurve::new(property, curve)));
    }
    keyed(property, track, Vec3::from_slice)
}

fn rotation(track: &Track) -> Result<VariableCurve, String> {
    let property = animated_field!(Transform::rotation);
    if track.interpolation() == Interpolation::CubicSpline && track.len() > 1 {
        let values = track.values().chunks_exact(4).map(Vec4::from_slice);
        let curve = CubicRotationCurve::new(times(track), values).map_err(|e| e.to_string())?;
        return Ok(VariableCurve::new(AnimatableCurve::new(property, curve)));
    }
    keyed(property, track, Quat::from_slice)
}

/// One key is a constant, STEP holds, LINEAR interpolates.
fn keyed<P, T>(property: P, track: &Track, value: impl Fn(&[f32]) -> T) -> Result<VariableCurve, String>
where
    T: Animatable + Clone,
    P: AnimatableProperty<Property = T> + Clone,
    ConstantCurve<T>: AnimationCompatibleCurve<T>,
    SteppedKeyframeCurve<T>: AnimationCompatibleCurve<T>,
    AnimatableKeyframeCurve<T>: AnimationCompatibleCurve<T>,
{
    let values = (0..track.len()).map(|key| value(track.key_value(key)));
    let keys = times(track).zip(values);
    let curve = match (track.len(), track.interpolation()) {
        (1, _) => {
            let constant = ConstantCurve::new(Interval::EVERYWHERE, value(track.key_value(0)));
            VariableCurve::new(AnimatableCurve::new(property, constant))
        }
        (_, Interpolation::Step) => {
            let curve = SteppedKeyframeCurve::new(keys).map_err(|e| e.to_string())?;
            VariableCurve::new(AnimatableCurve::new(property, curve))
        }
        _ => {
            let curve = AnimatableKeyframeCurve::new(keys).map_err(|e| e.to_string())?;
            VariableCurve::new(AnimatableCurve::new(property, curve))
        }
    };
    Ok(curve)
}

fn times(track: &Track) -> impl Iterator<Item = f32> + '_ {
    track.times().iter().map(|&t| t as f32)
}
