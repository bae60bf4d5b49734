//! `sinew convert`: one file into another.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use sinew::{DifferenceJob, JointId, RawClip, Space, resample, trim, uniform_times};
use sinew_asset::{
    BakedClip, Document, ReRootReport, WriteOptions, leave_out_unwritable, re_root, save, write_glb,
};

use crate::args::{Convert, Format};
use crate::failure::Failure;
use crate::input::{self, Convention, Input};
use crate::output::{Out, clean, refuse_overwrite};

/// What a conversion did.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConvertReport {
    input: String,
    output: String,
    /// Size of the written file, bytes.
    bytes: usize,
    /// Clips written.
    clips: Vec<ClipFacts>,
    /// Joints left out by `--re-root`.
    dropped_joints: Vec<String>,
    /// Clips whose root keys were sampled by `--re-root`, and what that cost.
    baked_clips: Vec<BakedFacts>,
    /// Clips left out by `--re-root`: they move nothing that stays.
    dropped_clips: Vec<String>,
    /// Skins left out by `--re-root`.
    dropped_skins: Vec<String>,
    /// Meshes left out by `--re-root`.
    dropped_meshes: Vec<String>,
    /// Joints taken out of skins by `--re-root`: no vertex follows them.
    unbound_joints: Vec<String>,
    /// Clips of length 0, which `--trim` left as they are.
    not_trimmed: Vec<String>,
    /// Problems of the input that were passed over, and what could not be written.
    problems: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ClipFacts {
    name: String,
    /// Seconds.
    duration: f64,
    keys: usize,
    /// What resampling cost, measured between the new keys in model space.
    resampling: Option<ResamplingFacts>,
}

#[derive(Serialize, JsonSchema)]
struct ResamplingFacts {
    /// Largest distance, millimetres.
    worst_mm: f64,
    /// Its joint.
    worst_mm_joint: String,
    /// Its moment, seconds.
    worst_mm_time: f64,
    /// Largest angle, degrees.
    worst_deg: f64,
}

#[derive(Serialize, JsonSchema)]
struct BakedFacts {
    name: String,
    /// Largest distance of a joint that stays, millimetres, in model space.
    worst_mm: f64,
    /// Its joint.
    worst_mm_joint: String,
    /// Its moment, seconds.
    worst_mm_time: f64,
    /// Largest angle, degrees.
    worst_deg: f64,
}

pub(crate) fn run(args: &Convert, out: &mut Out) -> Result<(), Failure> {
    if args.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("glb")) {
        let message = format!("{}: only .glb files are written", args.output.display());
        return Err(Failure::Usage(message));
    }
    let span = args.trim.as_deref().map(parse_span).transpose()?;
    if let Some(rate) = args.resample.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
        return Err(Failure::Usage(format!("--resample {rate}: expected a finite number above 0")));
    }
    refuse_overwrite(&args.output, &[&args.input])?;
    let input = Input::read(&args.input, &args.reading, Convention::Guess)?;
    if let (false, Some(problem)) = (args.keep_going, input.errors().next()) {
        let message = format!("{problem}; --keep-going writes the rest");
        return Err(Failure::input(&input.file, message));
    }
    let mut kept: Vec<usize> = if args.clip.is_empty() {
        (0..input.document().clips.len()).collect()
    } else {
        args.clip.iter().map(|c| input.clip_index(Some(c))).collect::<Result<Vec<_>, _>>()?
    };
    let mut named = BTreeSet::new();
    kept.retain(|&i| named.insert(i));
    let mut document = input.document().clone();
    document.clips = kept.iter().map(|&i| input.document().clips[i].clone()).collect();

    let mut rerooted = ReRootReport::default();
    if let Some(wanted) = &args.re_root {
        let root = input::joint(&input.file, &document.skeleton, wanted)?;
        (document, rerooted) = re_root(&document, root).map_err(|e| Failure::input(&input.file, e))?;
    }
    let retimed = |e, clip: &RawClip| Failure::input(&input.file, format!("clip '{}': {e}", clip.label()));
    let mut clips = Vec::new();
    let mut not_trimmed = Vec::new();
    let several = document.clips.len() > 1;
    for clip in &mut document.clips {
        let Some((start, end)) = span else { break };
        if several && clip.duration() == 0.0 {
            not_trimmed.push(clip.label());
            continue;
        }
        let end = end.unwrap_or_else(|| clip.duration());
        *clip = trim(clip, start, end).map_err(|e| retimed(e, clip))?;
    }
    let left_out = leave_out_unwritable(&mut document, args.keep_going);
    for i in 0..document.clips.len() {
        let mut resampling = None;
        if let Some(rate) = args.resample {
            let new = resample(&document.clips[i], rate).map_err(|e| retimed(e, &document.clips[i]))?;
            resampling = Some(cost(&document, &document.clips[i], &new, rate));
            document.clips[i] = new;
        }
        let clip = &document.clips[i];
        let keys = clip.channels.iter().map(|c| c.track.len()).sum();
        clips.push(ClipFacts { name: clip.label(), duration: clip.duration(), keys, resampling });
    }
    let bytes = write_glb(&document, &WriteOptions { as_stored: args.as_stored })
        .map_err(|e| Failure::input(&input.file, e))?;
    save(&args.output, &bytes).map_err(|e| Failure::write(e.path, e.source))?;
    let report = ConvertReport {
        input: input.file.clone(),
        output: args.output.display().to_string(),
        bytes: bytes.len(),
        clips,
        dropped_joints: rerooted.dropped,
        baked_clips: rerooted.baked.into_iter().map(baked_facts).collect(),
        dropped_clips: rerooted.dropped_clips,
        dropped_skins: rerooted.dropped_skins,
        dropped_meshes: rerooted.dropped_meshes,
        unbound_joints: rerooted.unbound,
        not_trimmed,
        problems: input.loaded.problems.iter().chain(&left_out).map(ToString::to_string).collect(),
    };
    match args.format {
        Format::Json => out.json(&report),
        Format::Text => report.print(out),
    }
}

/// `START:END`, either may be left out.
fn parse_span(text: &str) -> Result<(f64, Option<f64>), Failure> {
    let usage = || Failure::Usage(format!("--trim {text}: expected START:END in seconds, such as 0.5:1.25"));
    let (start, end) = text.split_once(':').ok_or_else(usage)?;
    let number = |s: &str| s.trim().parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(usage);
    let start = if start.trim().is_empty() { 0.0 } else { number(start)? };
    let end = if end.trim().is_empty() { None } else { Some(number(end)?) };
    if start < 0.0 || end.is_some_and(|end| end <= start) {
        return Err(Failure::Usage(format!("--trim {text}: expected 0 <= START < END")));
    }
    Ok((start, end))
}

fn baked_facts(baked: BakedClip) -> BakedFacts {
    BakedFacts {
        name: baked.clip,
        worst_mm: baked.worst_m * 1e3,
        worst_mm_joint: baked.worst_m_joint,
        worst_mm_time: baked.worst_m_time,
        worst_deg: baked.worst_rad.to_degrees(),
    }
}

/// How far the new clip is from the old one, four times as densely as its keys.
fn cost(document: &Document, old: &RawClip, new: &RawClip, rate: f64) -> ResamplingFacts {
    let skeleton = &document.skeleton;
    let pairs: Vec<(JointId, JointId)> = skeleton.iter().map(|(id, _)| (id, id)).collect();
    let mut times = uniform_times(old.duration(), rate * 4.0).unwrap_or_default();
    times.extend(old.key_times());
    let (a, b) = ((skeleton, old), (skeleton, new));
    let found = DifferenceJob { a, b, pairs: &pairs, times: &times, space: Space::Model }.run();
    ResamplingFacts {
        worst_mm: found.position.value * 1e3,
        worst_mm_joint: if skeleton.is_empty() {
            String::new()
        } else {
            skeleton.label(found.position.joint)
        },
        worst_mm_time: found.position.time,
        worst_deg: found.rotation.value.to_degrees(),
    }
}

impl ConvertReport {
    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        let kib = self.bytes.div_ceil(1024);
        out.line(format_args!("{} -> {} ({kib} KiB)", clean(&self.input), clean(&self.output)))?;
        for clip in &self.clips {
            out.line(format_args!(
                "  clip '{}': {:.4} s, {} keys",
                clean(&clip.name),
                clip.duration,
                clip.keys
            ))?;
            if let Some(r) = &clip.resampling {
                out.line(format_args!(
                    "    resampled within {:.4} mm ('{}', {:.4} s) and {:.4} degrees",
                    r.worst_mm,
                    clean(&r.worst_mm_joint),
                    r.worst_mm_time,
                    r.worst_deg
                ))?;
            }
        }
        for baked in &self.baked_clips {
            out.line(format_args!(
                "  root keys of '{}' sampled within {:.4} mm ('{}', {:.4} s) and {:.4} degrees",
                clean(&baked.name),
                baked.worst_mm,
                clean(&baked.worst_mm_joint),
                baked.worst_mm_time,
                baked.worst_deg
            ))?;
        }
        for (names, what) in [
            (&self.dropped_joints, "left out"),
            (&self.dropped_clips, "clips that move nothing that stays, left out"),
            (&self.dropped_skins, "skins left out"),
            (&self.dropped_meshes, "meshes left out"),
            (&self.unbound_joints, "joints that no vertex follows, taken out of skins"),
            (&self.not_trimmed, "clips of length 0, not trimmed"),
        ] {
            if !names.is_empty() {
                out.line(format_args!("  {what}: {}", clean(&names.join(", "))))?;
            }
        }
        for problem in &self.problems {
            out.line(format_args!("  {}", clean(problem)))?;
        }
        Ok(())
    }
}
