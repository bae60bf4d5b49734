//! `sinew bake clip`: a skeleton and its clips for the frame loop.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Serialize;
use sinew::{Clip, ClipBuildError, ClipBuilder, ClipReport, RawClip, Rig, SHELL, Skeleton};
use sinew_asset::{ClipForm, RuntimeFile, read_runtime, save, write_runtime};

use super::inspect_runtime::form_name;
use crate::args::{BakeClip, Format};
use crate::failure::Failure;
use crate::input::{Convention, Input};
use crate::output::{Out, clean, progress, refuse_overwrite};

/// What a baked file holds and what was lost.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BakeReport {
    input: String,
    output: String,
    /// Size of the written file, bytes.
    bytes: usize,
    /// `stored` (entropy-coded) or `resident` (as in memory).
    form: &'static str,
    /// Joints of the skeleton.
    joints: usize,
    /// Largest distance that was allowed, millimetres.
    bound_mm: f64,
    /// Distance from each joint at which it is measured, millimetres.
    shell_mm: f64,
    /// Clips written.
    clips: Vec<BakedClip>,
    /// Of all clips.
    total: Total,
    /// Problems of the input that were passed over, and clips that could not be baked.
    problems: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct BakedClip {
    name: String,
    /// Seconds.
    duration: f64,
    frames: usize,
    /// Frames a second.
    rate: f64,
    /// Largest distance to the exact place, millimetres, in model space.
    worst_mm: f64,
    /// Its joint.
    worst_mm_joint: String,
    /// Its moment, seconds.
    worst_mm_time: f64,
    /// Largest angle to the exact rotation, degrees, in model space.
    worst_deg: f64,
    /// Its joint.
    worst_deg_joint: String,
    /// Tracks (rotations, translations, scales) that stay at rest.
    tracks_at_rest: usize,
    /// Tracks that hold another value.
    tracks_constant: usize,
    /// Tracks stored at every frame.
    tracks_animated: usize,
    /// Tracks stored with keys of their own.
    tracks_keyed: usize,
    /// Its frames as ten f32 a joint.
    raw_bytes: usize,
    /// In memory.
    memory_bytes: usize,
    /// In the file, name, curves and events included.
    disk_bytes: u64,
    /// Raw bytes for each byte in memory.
    memory_ratio: f64,
    /// Raw bytes for each byte in the file.
    disk_ratio: f64,
}

#[derive(Serialize, JsonSchema)]
struct Total {
    frames: usize,
    /// Largest distance of any clip, millimetres.
    worst_mm: f64,
    /// Largest angle of any clip, degrees.
    worst_deg: f64,
    /// Frames as ten f32 a joint.
    raw_bytes: usize,
    /// In memory.
    memory_bytes: usize,
    /// In the file, without the skeleton.
    disk_bytes: u64,
    /// Raw bytes for each byte in memory; 0 without clips.
    memory_ratio: f64,
    /// Raw bytes for each byte in the file; 0 without clips.
    disk_ratio: f64,
}

type Built = Result<(Clip, ClipReport), ClipBuildError>;

pub(crate) fn run(args: &BakeClip, out: &mut Out) -> Result<(), Failure> {
    if args.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("sinew")) {
        return Err(Failure::Usage(format!(
            "{}: expected a name that ends in .sinew",
            args.output.display()
        )));
    }
    if let Some(rate) = args.rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
        return Err(Failure::Usage(format!("--rate {rate}: expected a finite number above 0")));
    }
    refuse_overwrite(&args.output, &[&args.input])?;
    let input = Input::read(&args.input, &args.reading, Convention::Guess)?;
    if let (false, Some(problem)) = (args.keep_going, input.errors().next()) {
        return Err(Failure::input(&input.file, format!("{problem}; --keep-going writes the rest")));
    }
    let raw = chosen(&input, &args.clip)?;
    let skeleton = &input.document().skeleton;
    let rig = Rig::new(skeleton).map_err(|e| Failure::input(&input.file, e))?;
    let mut problems: Vec<String> = input.loaded.problems.iter().map(ToString::to_string).collect();
    let (mut clips, mut reports) = (Vec::new(), Vec::new());
    for (raw, built) in raw.iter().zip(build_all(args, skeleton, &rig, &raw, out.quiet())) {
        match built {
            Ok((clip, report)) => {
                clips.push(clip);
                reports.push((raw.label(), report));
            }
            Err(error) if args.keep_going => problems.push(format!("clip '{}': {error}", raw.label())),
            Err(error) => {
                return Err(Failure::input(&input.file, format!("clip '{}': {error}", raw.label())));
            }
        }
    }
    let form = if args.resident { ClipForm::Resident } else { ClipForm::Stored };
    let bytes = write_runtime(skeleton, &clips, form).map_err(|e| Failure::input(&input.file, e))?;
    let written = read_back(&bytes, skeleton, &clips)?;
    save(&args.output, &bytes).map_err(|e| Failure::write(e.path, e.source))?;
    let clips: Vec<BakedClip> = reports
        .into_iter()
        .zip(&written.clips)
        .zip(&written.on_disk)
        .map(|(((name, report), clip), (_, disk))| BakedClip::new(name, &report, clip, *disk, skeleton))
        .collect();
    let report = BakeReport {
        input: input.file.clone(),
        output: args.output.display().to_string(),
        bytes: bytes.len(),
        form: form_name(form),
        joints: skeleton.len(),
        bound_mm: args.bound,
        shell_mm: (f64::from(SHELL) * 1e6).round() / 1e3,
        total: Total::new(&clips),
        clips,
        problems,
    };
    match args.format {
        Format::Json => out.json(&report),
        Format::Text => report.print(out),
    }
}

/// The clips that were named, each once, or all of them.
fn chosen<'a>(input: &'a Input, wanted: &[String]) -> Result<Vec<&'a RawClip>, Failure> {
    let clips = &input.document().clips;
    if wanted.is_empty() {
        return Ok(clips.iter().collect());
    }
    let mut named = BTreeSet::new();
    let mut chosen = Vec::new();
    for clip in wanted {
        let index = input.clip_index(Some(clip))?;
        if named.insert(index) {
            chosen.push(&clips[index]);
        }
    }
    Ok(chosen)
}

/// Builds on every core; results are in the order of the clips, whoever finishes first.
fn build_all(args: &BakeClip, skeleton: &Skeleton, rig: &Rig, raw: &[&RawClip], quiet: bool) -> Vec<Built> {
    let mut builder = ClipBuilder::new(skeleton, rig).bound(args.bound * 1e-3);
    if let Some(rate) = args.rate {
        builder = builder.rate(rate);
    }
    let bar = progress(raw.len(), "clips", quiet);
    let slots: Vec<Mutex<Option<Built>>> = raw.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(raw.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(clip) = raw.get(at) else { break };
                    let built = builder.build(clip);
                    if let Ok(mut slot) = slots[at].lock() {
                        *slot = Some(built);
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    // Every slot was filled, or the scope has passed a panic on.
    slots.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}

/// What was written, read again: nothing is saved that does not come back.
fn read_back(bytes: &[u8], skeleton: &Skeleton, clips: &[Clip]) -> Result<RuntimeFile, Failure> {
    let read =
        read_runtime(&Arc::from(bytes)).map_err(|e| Failure::Internal(format!("the baked file: {e}")))?;
    let same = read.skeleton == *skeleton
        && read.clips.len() == clips.len()
        && read.clips.iter().zip(clips).all(|(a, b)| {
            (a.bytes(), a.name(), a.curves(), a.events()) == (b.bytes(), b.name(), b.curves(), b.events())
        });
    if same { Ok(read) } else { Err(Failure::Internal("the baked file does not come back as it was".into())) }
}

fn ratio(raw: usize, bytes: u64) -> f64 {
    if bytes == 0 { 0.0 } else { raw as f64 / bytes as f64 }
}

impl BakedClip {
    fn new(name: String, report: &ClipReport, clip: &Clip, disk: u64, skeleton: &Skeleton) -> Self {
        let label = |joint| if skeleton.is_empty() { String::new() } else { skeleton.label(joint) };
        Self {
            name,
            duration: clip.duration().into(),
            frames: report.frames,
            rate: report.rate,
            worst_mm: report.error * 1e3,
            worst_mm_joint: label(report.joint),
            worst_mm_time: report.time,
            worst_deg: report.angle.to_degrees(),
            worst_deg_joint: label(report.angle_joint),
            tracks_at_rest: report.at_rest,
            tracks_constant: report.constant,
            tracks_animated: report.animated,
            tracks_keyed: report.keyed,
            raw_bytes: report.raw_bytes,
            memory_bytes: report.bytes,
            disk_bytes: disk,
            memory_ratio: ratio(report.raw_bytes, report.bytes as u64),
            disk_ratio: ratio(report.raw_bytes, disk),
        }
    }
}

impl Total {
    fn new(clips: &[BakedClip]) -> Self {
        let worst = |get: fn(&BakedClip) -> f64| clips.iter().map(get).fold(0.0, f64::max);
        let raw_bytes = clips.iter().map(|c| c.raw_bytes).sum();
        let memory_bytes = clips.iter().map(|c| c.memory_bytes).sum::<usize>();
        let disk_bytes = clips.iter().map(|c| c.disk_bytes).sum();
        Self {
            frames: clips.iter().map(|c| c.frames).sum(),
            worst_mm: worst(|c| c.worst_mm),
            worst_deg: worst(|c| c.worst_deg),
            raw_bytes,
            memory_bytes,
            disk_bytes,
            memory_ratio: ratio(raw_bytes, memory_bytes as u64),
            disk_ratio: ratio(raw_bytes, disk_bytes),
        }
    }
}

impl BakeReport {
    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        let kib = self.bytes.div_ceil(1024);
        out.line(format_args!(
            "{} -> {} ({kib} KiB, {}): {} joints; errors at {} mm from each joint, bound {} mm",
            clean(&self.input),
            clean(&self.output),
            self.form,
            self.joints,
            self.shell_mm,
            self.bound_mm
        ))?;
        out.line(format_args!(
            "  {:<24} {:>6} {:>7} {:>9} {:<26} {:>8} {:>10} {:>10} {:>8} {:>8}",
            "clip", "frames", "Hz", "worst mm", "at", "degrees", "in memory", "on disk", "x memory", "x disk"
        ))?;
        for clip in &self.clips {
            let at = format!("'{}' {:.3} s", clean(&clip.worst_mm_joint), clip.worst_mm_time);
            out.line(format_args!(
                "  {:<24} {:>6} {:>7.2} {:>9.4} {at:<26} {:>8.4} {:>10} {:>10} {:>8.2} {:>8.2}",
                clean(&clip.name),
                clip.frames,
                clip.rate,
                clip.worst_mm,
                clip.worst_deg,
                clip.memory_bytes,
                clip.disk_bytes,
                clip.memory_ratio,
                clip.disk_ratio
            ))?;
        }
        let total = &self.total;
        let count = format!("{} clips", self.clips.len());
        out.line(format_args!(
            "  {count:<24} {:>6} {:>7} {:>9.4} {:<26} {:>8.4} {:>10} {:>10} {:>8.2} {:>8.2}",
            total.frames,
            "",
            total.worst_mm,
            "",
            total.worst_deg,
            total.memory_bytes,
            total.disk_bytes,
            total.memory_ratio,
            total.disk_ratio
        ))?;
        out.line(format_args!(
            "  x memory, x disk: bytes of the same frames as ten f32 a joint, for each byte"
        ))?;
        for problem in &self.problems {
            out.line(format_args!("  {}", clean(problem)))?;
        }
        Ok(())
    }
}
