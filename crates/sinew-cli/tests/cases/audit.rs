//! What an audit must say, must not say, or must measure.

use sinew::{ChannelTarget, RawClip};
use sinew_asset::Loaded;
use sinew_audit::{Finding, Limits, audit, slide_between, stances};

use crate::values::{Check, near, numbers};

/// Words that cases use for what a rule finds. The wording of cases is free; a new one is added here.
const RULES: &[(&[&str], &str)] = &[
    (&["foot", "slid"], "SINEW_FOOT_SLIDE"),
    (&["loop", "seam"], "SINEW_LOOP_SEAM"),
    (&["scale", "ancestor"], "SINEW_ANCESTOR_SCALE"),
    (&["sign", "flip"], "SINEW_SIGN_FLIP"),
    (&["weight"], "SINEW_WEIGHTS"),
    (&["influence"], "SINEW_WEIGHTS"),
    (&["name"], "SINEW_DUPLICATE_NAME"),
    (&["dead time"], "SINEW_DEAD_TIME"),
    (&["first key"], "SINEW_DEAD_TIME"),
    (&["key time"], "SINEW_KEY_TIMES"),
    (&["count"], "SINEW_KEY_COUNT"),
    (&["unit", "rotation"], "SINEW_ROTATION_LENGTH"),
    (&["quaternion", "length"], "SINEW_ROTATION_LENGTH"),
    (&["swing"], "SINEW_SWING"),
    (&["sideways"], "SINEW_SWING"),
    (&["roll"], "SINEW_SWING"),
    (&["unused"], "SINEW_UNBOUND"),
    (&["unbound"], "SINEW_UNBOUND"),
    (&["finite"], "SINEW_VALUE"),
    (&["absurd"], "SINEW_VALUE"),
];

fn rule(check: &Check<'_>) -> Result<&'static str, String> {
    let about = check.text("about")?.to_lowercase();
    let found = RULES.iter().find(|(words, _)| words.iter().all(|w| about.contains(w)));
    found.map(|(_, code)| *code).ok_or_else(|| format!("no rule is about '{about}'"))
}

fn clip<'a>(check: &Check<'_>, loaded: &'a Loaded) -> Result<&'a RawClip, String> {
    let name = check.text("animation")?;
    loaded
        .document
        .clips
        .iter()
        .find(|c| c.name.as_deref() == Some(name))
        .ok_or_else(|| format!("no clip '{name}'"))
}

/// Findings of the rule on the clip and joint that the check names, as far as it names them.
fn findings(check: &Check<'_>, loaded: &Loaded) -> Result<Vec<Finding>, String> {
    let code = rule(check)?;
    let all = audit(loaded, &Limits::default()).findings;
    let fits = |wanted: Option<&str>, found: Option<&str>| wanted.is_none() || wanted == found;
    let joint = check.value("joint").as_str().or(check.value("node_name").as_str());
    let animation = check.value("animation").as_str();
    Ok(all
        .into_iter()
        .filter(|f| f.code.as_str() == code)
        .filter(|f| fits(joint, f.subject.joint.as_deref()))
        .filter(|f| f.subject.clip.is_none() || fits(animation, f.subject.clip.as_deref()))
        .collect())
}

pub(crate) fn finding_expected(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let found = findings(check, loaded)?;
    if found.is_empty() {
        return Err(format!("no {} finding", rule(check)?));
    }
    stance_is(check, loaded)
}

pub(crate) fn finding_absent(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    match findings(check, loaded)?.first() {
        Some(finding) => Err(format!("{}: {}", finding.code.as_str(), finding.message)),
        None => stance_is(check, loaded),
    }
}

/// Height and speed of a foot while it stands, where the check gives them.
fn stance_is(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let Some(lowest) = check.value("min_height_m").as_f64() else { return Ok(()) };
    let document = &loaded.document;
    let clip = clip(check, loaded)?;
    let index = document.clips.iter().position(|c| c.source == clip.source).ok_or("no such clip")?;
    let foot = document.skeleton.find(check.text("joint")?).ok_or("no such joint")?;
    let all = stances(document, index, &Limits::default().foot_slide);
    let longest =
        all.iter().filter(|s| s.foot == foot).max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start)));
    let stance = longest.ok_or("the foot never stands")?;
    let tolerance = check.tolerance("metres");
    near("lowest height", lowest, stance.min_height_m, tolerance)?;
    near("highest height", check.number("max_height_in_stance_m")?, stance.max_height_m, tolerance)?;
    near("mean speed", check.number("mean_slide_speed_mps")?, stance.mean_speed_mps, 0.02)
}

pub(crate) fn finding_value(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let clip = clip(check, loaded)?;
    let foot = loaded.document.skeleton.find(check.text("foot")?).ok_or("no such foot")?;
    let span = numbers(check.value("stance")).filter(|v| v.len() == 2).ok_or("no stance")?;
    let (net, path) = slide_between(&loaded.document, clip, foot, span[0], span[1]);
    let found = match check.text("quantity")? {
        "net_horizontal_slide_m" => net,
        "horizontal_path_m" => path,
        other => return Err(format!("unknown quantity '{other}'")),
    };
    let tolerance = check.value("tolerance_m").as_f64().unwrap_or(check.tolerance("metres"));
    near("slide", check.number("value")?, found, tolerance)
}

/// Something that can be counted in the keys of a node's rotation.
pub(crate) fn track_fact(check: &Check<'_>, loaded: &Loaded) -> Result<(), String> {
    let document = &loaded.document;
    let clip = document.clips.iter().find(|c| c.name.as_deref() == check.value("animation").as_str());
    let clip = clip.ok_or("no such clip")?;
    let joint = document.skeleton.joint_of_node(check.index("node")?).ok_or("no such node")?;
    let channel = clip.channel(joint, ChannelTarget::Rotation).ok_or("no rotation channel")?;
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
    near("count", check.number("value")?, found as f64, 0.0)
}
