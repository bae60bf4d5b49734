//! What an audit must say, must not say, or must measure.

use sinew_asset::Loaded;

use crate::values::Check;

pub fn finding_expected(_check: &Check<'_>, _loaded: &Loaded) -> Result<(), String> {
    Err("pending".into())
}
pub fn finding_absent(_check: &Check<'_>, _loaded: &Loaded) -> Result<(), String> {
    Err("pending".into())
}
pub fn finding_value(_check: &Check<'_>, _loaded: &Loaded) -> Result<(), String> {
    Err("pending".into())
}

/// Something that can be counted in the keys of a node's rotation.
pub fn track_fact(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let document = &loaded.document;
    let clip = document.clips.iter().find(|c| c.name.as_deref() == check.value("animation").as_str());
    let clip = clip.ok_or("no such clip")?;
    let joint = document.skeleton.joint_of_node(check.index("node")?).ok_or("no such node")?;
    let channel = clip.channel(joint, sinew::ChannelTarget::Rotation).ok_or("no rotation channel")?;
    let found = match check.text("fact")? {
        "sign_flips_between_neighbouring_keys" => {
            let dot = |k: usize| {
                let (a, b) = (channel.track.key_value(k - 1), channel.track.key_value(k));
                a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>()
            };
            (1..channel.track.len()).filter(|&k| dot(k) < 0.0).count()
        }
        other => return Err(format!("unknown fact '{other}'")),
    };
    crate::values::near("count", check.number("value")?, found as f64, 0.0)
}
