//! `sinew convert`: one file into another.

use schemars::JsonSchema;
use serde::Serialize;
use sinew::{DifferenceJob, JointId, RawClip, Space, resample, trim, uniform_times};
use sinew_asset::{Document, ReRootReport, WriteOptions, re_root, save, write_glb};

use crate::args::{Convert, Format};
use crate::failure::Failure;
use crate::input::{self, Convention, Input};
use crate::output::Out;

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
    /// Clips whose root keys were sampled by `--re-root`.
    baked_clips: Vec<String>,
    /// Problems of the input that were passed over.
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

pub(crate) fn run(args: &Convert, out: &mut Out) -> Result<(), Failure> {
    if args.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("glb")) {
        let message = format!("{}: only .glb files are written", args.output.display());
        return Err(Failure::Usage(message));
    }
    let span = args.trim.as_deref().map(parse_span).transpose()?;
    let input = Input::read(&args.input, &args.reading, Convention::Guess)?;
    if let (false, Some(problem)) = (args.keep_going, input.errors().next()) {
        let message = format!("{problem}; --keep-going writes the rest");
        return Err(Failure::input(&input.file, message));
    }
    let kept = if args.clip.is_empty() {
        (0..input.document().clips.len()).collect()
    } else {
        args.clip.iter().map(|c| input.clip_index(Some(c))).collect::<Result<Vec<_>, _>>()?
    };
    let mut document = input.document().clone();
    document.clips = kept.iter().map(|&i| input.document().clips[i].clone()).collect();

    let mut rerooted = ReRootReport::default();
    if let Some(wanted) = &args.re_root {
        let root = input::joint(&input.file, &document.skeleton, wanted)?;
        (document, rerooted) = re_root(&document, root).map_err(|e| Failure::input(&input.file, e))?;
    }
    let retimed = |e, clip: &RawClip| Failure::input(&input.file, format!("clip '{}': {e}", clip.label()));
    let mut clips = Vec::new();
    for clip in &mut document.clips {
        if let Some((start, end)) = span {
            let end = end.unwrap_or_else(|| clip.duration());
            *clip = trim(clip, start, end).map_err(|e| retimed(e, clip))?;
        }
    }
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
    let bytes = write_glb(&document, &WriteOptions { as_stored: args.as_stored }).map_err(|e| Failure::input(&input.file, e))?;
    save(&args.output, &bytes).map_err(|e| Failure::write(e.path, e.source))?;
    let report = ConvertReport {
        input: input.file.clone(),
        output: args.output.display().to_string(),
        bytes: bytes.len(),
        clips,
        dropped_joints: rerooted.dropped,
        baked_clips: rerooted.baked,
        problems: input.loaded.problems.iter().map(ToString::to_string).collect(),
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
    Ok((start, end))
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
        out.line(format_args!("{} -> {} ({kib} KiB)", self.input, self.output))?;
        for clip in &self.clips {
            out.line(format_args!("  clip '{}': {:.4} s, {} keys", clip.name, clip.duration, clip.keys))?;
            if let Some(r) = &clip.resampling {
                out.line(format_args!(
                    "    resampled within {:.4} mm ('{}', {:.4} s) and {:.4} degrees",
                    r.worst_mm, r.worst_mm_joint, r.worst_mm_time, r.worst_deg
                ))?;
            }
        }
        if !self.dropped_joints.is_empty() {
            out.line(format_args!("  left out: {}", self.dropped_joints.join(", ")))?;
        }
        if !self.baked_clips.is_empty() {
            out.line(format_args!("  root keys sampled in: {}", self.baked_clips.join(", ")))?;
        }
        for problem in &self.problems {
            out.line(format_args!("  {problem}"))?;
        }
        Ok(())
    }
}
