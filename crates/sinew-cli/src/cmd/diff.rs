//! `sinew diff`: how far two clips, or two records, are apart.

mod records;

#[cfg(test)]
pub(crate) use records::RecordDiffReport;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use sinew::{
    DifferenceJob, JointFlags, JointId, RawClip, RetimeError, Skeleton, Space, Worst, uniform_times,
};
use sinew_asset::{Document, Format as FileFormat};

use crate::args::{Diff, DiffSpace, Format, JointMatch};
use crate::failure::Failure;
use crate::input::{Convention, Input};
use crate::output::{Out, clean, say};

/// Samples a second beside all key times, where nothing else is said.
const RATE: f64 = 60.0;

/// Lengths and moments that are no further apart are the same, seconds.
const SAME_TIME: f64 = 1e-4;

/// How far the clips of two files are apart.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DiffReport {
    /// The first file.
    a: String,
    /// The second file.
    b: String,
    /// `model`, `local` or `joint`.
    space: &'static str,
    /// The joint whose space it is, in the first file.
    relative_to: Option<String>,
    /// `index` or `name`.
    matched_by: &'static str,
    /// Joints compared.
    joints: usize,
    /// Joints of the first file that the second does not have.
    only_in_a: Vec<String>,
    /// Joints of the second file that the first does not have.
    only_in_b: Vec<String>,
    /// Clips of the first file that the second does not have.
    clips_only_in_a: Vec<String>,
    /// Clips of the second file that the first does not have.
    clips_only_in_b: Vec<String>,
    /// A clip of each.
    clips: Vec<ClipFacts>,
    /// Largest distance that is fine, millimetres.
    limit_mm: f64,
    /// Largest angle that is fine, degrees.
    limit_deg: f64,
    /// Largest difference of an axis' length that is fine.
    limit_scale: f64,
    /// Largest difference of a morph weight or a curve's value that is fine.
    limit_weight: f64,
    /// Whether joints that only one file has are fine.
    allow_missing: bool,
    /// Whether all clips are within the limits, and no clip or joint is missing.
    within: bool,
}

#[derive(Serialize, JsonSchema)]
struct ClipFacts {
    /// In the first file.
    clip_a: String,
    /// In the second file.
    clip_b: String,
    /// Length of the first, seconds.
    duration_a: f64,
    /// Length of the second, seconds.
    duration_b: f64,
    /// Moments compared: all keys of both, and evenly between.
    moments: usize,
    /// The first of them, seconds.
    from: f64,
    /// The last of them, seconds.
    to: f64,
    /// Largest distance, millimetres.
    position_mm: WorstFacts,
    /// Largest angle, degrees.
    rotation_deg: WorstFacts,
    /// Largest difference of an axis' length; 1 is unscaled.
    scale: WorstFacts,
    /// Largest difference of a morph weight.
    weight: WorstFacts,
    /// Root of the mean squared distance, millimetres.
    position_rms_mm: f64,
    /// What else differs: length, events and curves, a sentence each.
    other: Vec<String>,
    /// Whether this clip is within the limits, and nothing else differs.
    within: bool,
}

#[derive(Serialize, JsonSchema)]
struct WorstFacts {
    value: f64,
    /// In the first file.
    joint: String,
    /// Seconds.
    time: f64,
}

pub(crate) fn run(args: &Diff, out: &mut Out) -> Result<(), Failure> {
    check_numbers(args)?;
    match (args.a.is_dir(), args.b.is_dir()) {
        (true, true) if args.relative_to.is_some() => {
            return Err(Failure::Usage(
                "--relative-to is for clips; records have columns and no joints".into(),
            ));
        }
        (true, true) => return records::run(args, out),
        (false, false) => {}
        _ => {
            let message = "one is a record's folder and the other is not; give two of a kind";
            return Err(Failure::Usage(format!("{} and {}: {message}", args.a.display(), args.b.display())));
        }
    }
    let a = Input::read(&args.a, &args.reading, Convention::AsIs)?;
    let b = Input::read(&args.b, &args.reading, Convention::AsIs)?;
    let bvh = |input: &Input| input.document().format == FileFormat::Bvh;
    if bvh(&a) != bvh(&b) && args.reading.units.is_none() && !out.quiet() {
        let bvh = if bvh(&a) { &a.file } else { &b.file };
        say(format_args!(
            "{bvh}: numbers of a BVH file are compared as they are in the file; --units says what they are"
        ));
    }
    let report = compare(args, &a, &b)?;
    match args.format {
        Format::Json => out.json(&report)?,
        Format::Text => report.print(out)?,
    }
    if report.within {
        return Ok(());
    }
    out.finish()?;
    Err(Failure::Over(format!("{} and {} differ by more than the limits", report.a, report.b)))
}

/// Limits and rates that are no numbers to compare with.
fn check_numbers(args: &Diff) -> Result<(), Failure> {
    let limits = [
        ("--limit-mm", args.limit_mm),
        ("--limit-deg", args.limit_deg),
        ("--limit-scale", args.limit_scale),
        ("--limit-weight", args.limit_weight),
        ("--limit-value", args.limit_value),
    ];
    // Written so that NaN is refused.
    if let Some((name, value)) = limits.into_iter().find(|(_, value)| !(*value >= 0.0)) {
        return Err(Failure::Usage(format!("{name} {value}: expected a number of 0 or more")));
    }
    match args.rate {
        Some(rate) if !(rate.is_finite() && rate > 0.0) => {
            Err(Failure::Usage(format!("--rate {rate}: expected a finite number above 0")))
        }
        _ => Ok(()),
    }
}

/// Nodes that are there only to carry a skinned mesh, `[joint]`: where they are moves nothing.
fn holders(document: &Document) -> Vec<bool> {
    let mut holders = vec![false; document.skeleton.len()];
    document.instances.iter().filter(|i| i.skin.is_some()).for_each(|i| holders[i.joint.index()] = true);
    document.instances.iter().filter(|i| i.skin.is_none()).for_each(|i| holders[i.joint.index()] = false);
    document.skeleton.joints().iter().filter_map(|j| j.parent).for_each(|p| holders[p.index()] = false);
    document.skins.iter().flat_map(|s| &s.joints).for_each(|j| holders[j.index()] = false);
    holders
}

/// The space of the joint of this name, which must be one, and of its partner.
fn joint_space(
    name: &str,
    (file, skeleton): (&str, &Skeleton),
    pairs: &[(JointId, JointId)],
) -> Result<Space, Failure> {
    let named = |id: JointId| skeleton.joint(id).name.as_deref() == Some(name);
    let mut found = skeleton.iter().map(|(id, _)| id).filter(|id| named(*id));
    match (found.next(), found.next()) {
        (None, _) => Err(Failure::Usage(format!("--relative-to {name}: {file} has no such joint"))),
        (Some(_), Some(_)) => {
            Err(Failure::Usage(format!("--relative-to {name}: {file} has several joints of this name")))
        }
        (Some(joint), None) => match pairs.iter().find(|pair| pair.0 == joint) {
            Some(&(a, b)) => Ok(Space::Joint(a, b)),
            None => Err(Failure::Usage(format!("--relative-to {name}: the second file has no such joint"))),
        },
    }
}

/// Joints that go with each other: those whose place counts, and those that only carry a skinned mesh.
struct Pairs {
    placed: Vec<(JointId, JointId)>,
    holders: Vec<(JointId, JointId)>,
}

fn compare(args: &Diff, a: &Input, b: &Input) -> Result<DiffReport, Failure> {
    let (sa, sb) = (&a.document().skeleton, &b.document().skeleton);
    let (pairs, matched_by) = match_joints(args.matching, sa, sb);
    if pairs.is_empty() {
        let message = format!("none of its {} joints is in {}", sa.len(), b.file);
        return Err(Failure::input(&a.file, message));
    }
    let left_over = |skeleton: &Skeleton, taken: Vec<JointId>| -> Vec<String> {
        let mut free = vec![true; skeleton.len()];
        taken.iter().for_each(|id| free[id.index()] = false);
        skeleton.iter().filter(|(id, _)| free[id.index()]).map(|(id, _)| skeleton.label(id)).collect()
    };
    let (only_in_a, only_in_b) = (
        left_over(sa, pairs.iter().map(|p| p.0).collect()),
        left_over(sb, pairs.iter().map(|p| p.1).collect()),
    );
    let joints = pairs.len();
    let space = match (&args.relative_to, args.space) {
        (Some(name), _) => joint_space(name, (&a.file, sa), &pairs)?,
        (None, DiffSpace::Model) => Space::Model,
        (None, DiffSpace::Local) => Space::Local,
    };
    let (held_a, held_b) = (holders(a.document()), holders(b.document()));
    let (holders, placed) = pairs.into_iter().partition(|(ja, jb)| held_a[ja.index()] && held_b[jb.index()]);
    let pairs = Pairs { placed, holders };
    let (clip_pairs, clips_only_in_a, clips_only_in_b) = match_clips(args, a, b)?;
    let mut clips = Vec::new();
    for (ca, cb) in clip_pairs {
        let facts = compare_clip(args, space, &pairs, (sa, ca), (sb, cb));
        clips.push(facts.map_err(|e| match args.rate {
            Some(_) => Failure::Usage(format!("--rate: {e}")),
            None => Failure::input(&a.file, format!("clip '{}': {e}", ca.label())),
        })?);
    }
    let missing = !clips_only_in_a.is_empty() || !clips_only_in_b.is_empty();
    let joints_missing = !only_in_a.is_empty() || !only_in_b.is_empty();
    let within = clips.iter().all(|c| c.within) && !missing && (args.allow_missing || !joints_missing);
    Ok(DiffReport {
        a: a.file.clone(),
        b: b.file.clone(),
        space: space.name(),
        relative_to: args.relative_to.clone(),
        matched_by,
        joints,
        only_in_a,
        only_in_b,
        clips_only_in_a,
        clips_only_in_b,
        clips,
        limit_mm: args.limit_mm,
        limit_deg: args.limit_deg,
        limit_scale: args.limit_scale,
        limit_weight: args.limit_weight,
        allow_missing: args.allow_missing,
        within,
    })
}

fn compare_clip(
    args: &Diff,
    space: Space,
    pairs: &Pairs,
    a: (&Skeleton, &RawClip),
    b: (&Skeleton, &RawClip),
) -> Result<ClipFacts, RetimeError> {
    let longest = a.1.duration().max(b.1.duration());
    let mut times = uniform_times(longest, args.rate.unwrap_or(RATE))?;
    times.extend(a.1.key_times());
    times.extend(b.1.key_times());
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut found = DifferenceJob { a, b, pairs: &pairs.placed, times: &times, space }.run();
    if !pairs.holders.is_empty() {
        let held = DifferenceJob { a, b, pairs: &pairs.holders, times: &times, space }.run().weight;
        if !(held.value <= found.weight.value) {
            found.weight = held;
        }
    }
    let worst =
        |w: &Worst, unit: f64| WorstFacts { value: w.value * unit, joint: a.0.label(w.joint), time: w.time };
    let position_mm = worst(&found.position, 1e3);
    let rotation_deg = worst(&found.rotation, 1.0_f64.to_degrees());
    let other = other_differences(args, a.1, b.1, &times);
    // Written so that NaN is over the limit.
    let within = position_mm.value <= args.limit_mm
        && rotation_deg.value <= args.limit_deg
        && found.scale.value <= args.limit_scale
        && found.weight.value <= args.limit_weight
        && other.is_empty();
    Ok(ClipFacts {
        clip_a: a.1.label(),
        clip_b: b.1.label(),
        duration_a: a.1.duration(),
        duration_b: b.1.duration(),
        moments: found.range.moments,
        from: found.range.first,
        to: found.range.last,
        position_mm,
        rotation_deg,
        scale: worst(&found.scale, 1.0),
        weight: worst(&found.weight, 1.0),
        other,
        position_rms_mm: found.position_rms * 1e3,
        within,
    })
}

/// Length, events and curves that differ, a sentence each.
fn other_differences(args: &Diff, a: &RawClip, b: &RawClip, times: &[f64]) -> Vec<String> {
    let mut other = Vec::new();
    let (da, db) = (a.duration(), b.duration());
    if !((da - db).abs() <= SAME_TIME) {
        other.push(format!("lasts {da:.6} s against {db:.6} s"));
    }
    let events = |clip: &RawClip| {
        let mut events: Vec<(String, f64)> = clip.events.iter().map(|e| (e.name.clone(), e.time)).collect();
        events.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
        events
    };
    let (ea, eb) = (events(a), events(b));
    if ea.len() != eb.len() {
        other.push(format!("has {} events against {}", ea.len(), eb.len()));
    } else if let Some((x, y)) =
        ea.iter().zip(&eb).find(|(x, y)| x.0 != y.0 || !((x.1 - y.1).abs() <= SAME_TIME))
    {
        other.push(format!("event '{}' at {:.6} s is against '{}' at {:.6} s", x.0, x.1, y.0, y.1));
    }
    for (one, two, which) in [(a, b, "first"), (b, a, "second")] {
        for curve in one.curves.iter().filter(|c| two.curve(&c.name).is_none()) {
            other.push(format!("only the {which} has a curve '{}'", curve.name));
        }
    }
    for curve in &a.curves {
        let Some(partner) = b.curve(&curve.name) else { continue };
        let mut moments: Vec<f64> = times.to_vec();
        moments.extend(curve.track().times().iter().chain(partner.track().times().iter()));
        let mut worst = (0.0, 0.0);
        for &t in &moments {
            let apart = (curve.sample(t) - partner.sample(t)).abs();
            if apart > worst.0 {
                worst = (apart, t);
            }
        }
        if worst.0 > args.limit_weight {
            other.push(format!("curve '{}' differs by {:.6} at {:.4} s", curve.name, worst.0, worst.1));
        }
    }
    other
}

type ClipPairs<'a> = (Vec<(&'a RawClip, &'a RawClip)>, Vec<String>, Vec<String>);

fn match_clips<'a>(args: &Diff, a: &'a Input, b: &'a Input) -> Result<ClipPairs<'a>, Failure> {
    if let Some(wanted) = &args.clip {
        let other = args.clip_b.as_ref().unwrap_or(wanted);
        return Ok((vec![(a.clip(Some(wanted))?, b.clip(Some(other))?)], Vec::new(), Vec::new()));
    }
    let (all_a, all_b) = (&a.document().clips, &b.document().clips);
    if let ([one], [other]) = (all_a.as_slice(), all_b.as_slice()) {
        return Ok((vec![(one, other)], Vec::new(), Vec::new()));
    }
    // The n-th clip of a name goes with the n-th clip of that name.
    let mut free: BTreeMap<String, Vec<&RawClip>> = BTreeMap::new();
    for clip in all_b.iter().rev() {
        free.entry(clip.label()).or_default().push(clip);
    }
    let (mut pairs, mut only_a) = (Vec::new(), Vec::new());
    for clip in all_a {
        match free.get_mut(&clip.label()).and_then(Vec::pop) {
            Some(other) => pairs.push((clip, other)),
            None => only_a.push(clip.label()),
        }
    }
    let only_b: Vec<String> = free.into_iter().flat_map(|(name, left)| vec![name; left.len()]).collect();
    if pairs.is_empty() {
        return Err(Failure::input(
            &a.file,
            format!("it shares no clip with {}; name them with --clip", b.file),
        ));
    }
    Ok((pairs, only_a, only_b))
}

fn match_joints(matching: JointMatch, a: &Skeleton, b: &Skeleton) -> (Vec<(JointId, JointId)>, &'static str) {
    let by_node = || a.iter().filter_map(|(ia, j)| Some((ia, b.joint_of_node(j.node)?))).collect::<Vec<_>>();
    let same = a.len() == b.len()
        && a.joints().iter().all(|j| b.joint_of_node(j.node).is_some_and(|o| b.joint(o).name == j.name));
    if matching == JointMatch::Index || (matching == JointMatch::Auto && same) {
        return (by_node(), "index");
    }
    // The n-th joint of a name in the file goes with the n-th joint of that name, and a node that carries a mesh
    // goes with another such node: exporters name meshes after the bones they are for. Then what is left.
    let named = |s: &Skeleton| {
        let mut named: Vec<JointId> = s.iter().filter(|(_, j)| j.name.is_some()).map(|(id, _)| id).collect();
        named.sort_by_key(|id| s.joint(*id).node);
        named
    };
    let (mut left_a, mut left_b, mut pairs) = (named(a), named(b), Vec::new());
    for by_kind in [true, false] {
        let key = |s: &Skeleton, id: JointId| {
            let joint = s.joint(id);
            (joint.name.clone(), by_kind && joint.flags.contains(JointFlags::MESH))
        };
        let mut free: BTreeMap<_, Vec<JointId>> = BTreeMap::new();
        left_b.iter().rev().for_each(|&id| free.entry(key(b, id)).or_default().push(id));
        left_a.retain(|&id| match free.get_mut(&key(a, id)).and_then(Vec::pop) {
            Some(other) => {
                pairs.push((id, other));
                false
            }
            None => true,
        });
        left_b = free.into_values().flatten().collect();
        left_b.sort_by_key(|id| b.joint(*id).node);
    }
    pairs.sort_unstable();
    (pairs, "name")
}

impl DiffReport {
    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        out.line(format_args!(
            "{} against {}: {} joints by {}, {}",
            clean(&self.a),
            clean(&self.b),
            self.joints,
            self.matched_by,
            match &self.relative_to {
                Some(joint) => format!("space of '{}'", clean(joint)),
                None => format!("{} space", self.space),
            }
        ))?;
        for c in &self.clips {
            let name =
                if c.clip_a == c.clip_b { c.clip_a.clone() } else { format!("{} / {}", c.clip_a, c.clip_b) };
            let name = clean(&name);
            let verdict = if c.within { "ok  " } else { "OVER" };
            let (p, r) = (&c.position_mm, &c.rotation_deg);
            out.line(format_args!(
                "  {verdict} {name:<24} {:>12.6} mm at '{}', {:.4} s; {:>10.6} degrees at '{}', {:.4} s ({} moments from {:.4} to {:.4} s)",
                p.value, clean(&p.joint), p.time, r.value, clean(&r.joint), r.time, c.moments, c.from, c.to
            ))?;
            for difference in &c.other {
                out.line(format_args!("       {}", clean(difference)))?;
            }
            if c.weight.value > 1e-6 {
                let w = &c.weight;
                out.line(format_args!(
                    "       a morph weight differs by {:.6} at '{}', {:.4} s",
                    w.value,
                    clean(&w.joint),
                    w.time
                ))?;
            }
            if c.scale.value > 1e-6 {
                let s = &c.scale;
                out.line(format_args!(
                    "       scale differs by {:.6} at '{}', {:.4} s",
                    s.value,
                    clean(&s.joint),
                    s.time
                ))?;
            }
        }
        for (names, what) in [
            (&self.only_in_a, "joints only in the first"),
            (&self.only_in_b, "joints only in the second"),
            (&self.clips_only_in_a, "clips only in the first"),
            (&self.clips_only_in_b, "clips only in the second"),
        ] {
            if !names.is_empty() {
                out.line(format_args!("  {what}: {}", clean(&names.join(", "))))?;
            }
        }
        out.line(format_args!(
            "  limits: {} mm, {} degrees, {} of scale, {} of a weight{}",
            self.limit_mm,
            self.limit_deg,
            self.limit_scale,
            self.limit_weight,
            if self.allow_missing { "; joints may be missing" } else { "" }
        ))
    }
}
