//! `sinew diff`: how far two clips, or two records, are apart.

mod records;

#[cfg(test)]
pub(crate) use records::RecordDiffReport;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use sinew::{DifferenceJob, JointId, RawClip, Skeleton, Space, Worst, uniform_times};

use crate::args::{Diff, DiffSpace, Format, JointMatch};
use crate::failure::Failure;
use crate::input::{Convention, Input};
use crate::output::Out;

/// How far the clips of two files are apart.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DiffReport {
    /// The first file.
    a: String,
    /// The second file.
    b: String,
    /// `model` or `local`.
    space: &'static str,
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
    /// Whether all clips are within the limits, and none is missing.
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
    /// Largest distance, millimetres.
    position_mm: WorstFacts,
    /// Largest angle, degrees.
    rotation_deg: WorstFacts,
    /// Largest difference of an axis' length; 1 is unscaled.
    scale: WorstFacts,
    /// Root of the mean squared distance, millimetres.
    position_rms_mm: f64,
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
    match (args.a.is_dir(), args.b.is_dir()) {
        (true, true) => return records::run(args, out),
        (false, false) => {}
        _ => {
            let message = "one is a record's folder and the other is not; give two of a kind";
            return Err(Failure::Usage(format!("{} and {}: {message}", args.a.display(), args.b.display())));
        }
    }
    let a = Input::read(&args.a, &args.reading, Convention::AsIs)?;
    let b = Input::read(&args.b, &args.reading, Convention::AsIs)?;
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
    let (clip_pairs, clips_only_in_a, clips_only_in_b) = match_clips(args, a, b)?;
    let space = match args.space {
        DiffSpace::Model => Space::Model,
        DiffSpace::Local => Space::Local,
    };
    let mut clips = Vec::new();
    for (ca, cb) in clip_pairs {
        clips.push(compare_clip(args, space, &pairs, (sa, ca), (sb, cb))?);
    }
    let missing = !clips_only_in_a.is_empty() || !clips_only_in_b.is_empty();
    let within = clips.iter().all(|c| c.within) && !missing;
    Ok(DiffReport {
        a: a.file.clone(),
        b: b.file.clone(),
        space: space.name(),
        matched_by,
        joints: pairs.len(),
        only_in_a: left_over(sa, pairs.iter().map(|p| p.0).collect()),
        only_in_b: left_over(sb, pairs.iter().map(|p| p.1).collect()),
        clips_only_in_a,
        clips_only_in_b,
        clips,
        limit_mm: args.limit_mm,
        limit_deg: args.limit_deg,
        within,
    })
}

fn compare_clip(
    args: &Diff,
    space: Space,
    pairs: &[(JointId, JointId)],
    a: (&Skeleton, &RawClip),
    b: (&Skeleton, &RawClip),
) -> Result<ClipFacts, Failure> {
    let longest = a.1.duration().max(b.1.duration());
    let mut times = uniform_times(longest, args.rate).map_err(|e| Failure::Usage(format!("--rate: {e}")))?;
    times.extend(a.1.key_times());
    times.extend(b.1.key_times());
    times.sort_by(f64::total_cmp);
    times.dedup();
    let found = DifferenceJob { a, b, pairs, times: &times, space }.run();
    let worst =
        |w: &Worst, unit: f64| WorstFacts { value: w.value * unit, joint: a.0.label(w.joint), time: w.time };
    let position_mm = worst(&found.position, 1e3);
    let rotation_deg = worst(&found.rotation, 1.0_f64.to_degrees());
    // Written so that NaN is over the limit.
    let within = position_mm.value <= args.limit_mm && rotation_deg.value <= args.limit_deg;
    Ok(ClipFacts {
        clip_a: a.1.label(),
        clip_b: b.1.label(),
        duration_a: a.1.duration(),
        duration_b: b.1.duration(),
        moments: times.len(),
        position_mm,
        rotation_deg,
        scale: worst(&found.scale, 1.0),
        position_rms_mm: found.position_rms * 1e3,
        within,
    })
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
    // The n-th joint of a name goes with the n-th joint of that name.
    let mut free: BTreeMap<&str, Vec<JointId>> = BTreeMap::new();
    let named =
        |s: &'_ Skeleton| s.iter().filter(|(_, j)| j.name.is_some()).map(|(id, _)| id).collect::<Vec<_>>();
    for id in named(b).into_iter().rev() {
        free.entry(b.joint(id).name.as_deref().unwrap_or_default()).or_default().push(id);
    }
    let take = |id: JointId, free: &mut BTreeMap<&str, Vec<JointId>>| {
        let other = free.get_mut(a.joint(id).name.as_deref().unwrap_or_default())?.pop()?;
        Some((id, other))
    };
    (named(a).into_iter().filter_map(|id| take(id, &mut free)).collect(), "name")
}

impl DiffReport {
    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        out.line(format_args!(
            "{} against {}: {} joints by {}, {} space",
            self.a, self.b, self.joints, self.matched_by, self.space
        ))?;
        for c in &self.clips {
            let name =
                if c.clip_a == c.clip_b { c.clip_a.clone() } else { format!("{} / {}", c.clip_a, c.clip_b) };
            let verdict = if c.within { "ok  " } else { "OVER" };
            let (p, r) = (&c.position_mm, &c.rotation_deg);
            out.line(format_args!(
                "  {verdict} {name:<24} {:>12.6} mm at '{}', {:.4} s; {:>10.6} degrees at '{}', {:.4} s ({} moments)",
                p.value, p.joint, p.time, r.value, r.joint, r.time, c.moments
            ))?;
            if c.duration_a != c.duration_b {
                out.line(format_args!("       lasts {:.6} s against {:.6} s", c.duration_a, c.duration_b))?;
            }
            if c.scale.value > 1e-6 {
                let s = &c.scale;
                out.line(format_args!(
                    "       scale differs by {:.6} at '{}', {:.4} s",
                    s.value, s.joint, s.time
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
                out.line(format_args!("  {what}: {}", names.join(", ")))?;
            }
        }
        out.line(format_args!("  limits: {} mm, {} degrees", self.limit_mm, self.limit_deg))
    }
}
