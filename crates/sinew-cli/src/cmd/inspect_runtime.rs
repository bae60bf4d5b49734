//! `sinew inspect` of a runtime file.

use std::io::Read;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use sinew_asset::{ClipForm, RUNTIME_MAGIC, is_runtime, load_runtime};

use super::inspect::{SkeletonFacts, counted, shown};
use crate::args::{Format, Inspect};
use crate::failure::Failure;
use crate::output::Out;

/// What is in a runtime file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RuntimeReport {
    /// As given on the command line.
    file: String,
    /// `sinew`.
    format: &'static str,
    /// Major and minor version of the file.
    version: [u16; 2],
    /// Size of the file, bytes.
    bytes: u64,
    /// The hierarchy.
    skeleton: SkeletonFacts,
    /// In the order of the file.
    clips: Vec<ClipFacts>,
}

#[derive(Serialize, JsonSchema)]
struct ClipFacts {
    name: Option<String>,
    /// Seconds.
    duration: f64,
    frames: u32,
    /// Frames a second.
    rate: f64,
    /// `stored` (entropy-coded) or `resident`.
    form: &'static str,
    /// Bytes in memory.
    memory_bytes: usize,
    /// Bytes in the file, name, curves and events included.
    disk_bytes: u64,
    /// Names of scalar curves.
    curves: Vec<String>,
    /// Names and times of events, seconds.
    events: Vec<(String, f64)>,
}

/// `stored` or `resident`.
pub(super) fn form_name(form: ClipForm) -> &'static str {
    match form {
        ClipForm::Stored => "stored",
        ClipForm::Resident => "resident",
    }
}

/// Whether a plain file begins like a runtime file; of anything else nothing is read.
pub(super) fn is_one(path: &Path) -> bool {
    let mut start = Vec::new();
    let plain = path.metadata().is_ok_and(|m| m.is_file());
    plain
        && std::fs::File::open(path).is_ok_and(|file| {
            file.take(RUNTIME_MAGIC.len() as u64).read_to_end(&mut start).is_ok() && is_runtime(&start)
        })
}

pub(super) fn run(args: &Inspect, out: &mut Out) -> Result<(), Failure> {
    let file = args.file.display().to_string();
    let read = load_runtime(&args.file).map_err(|source| Failure::Runtime { file: file.clone(), source })?;
    let clips = read.clips.iter().zip(&read.on_disk).map(|(clip, (form, bytes))| ClipFacts {
        name: clip.name().map(str::to_owned),
        duration: clip.duration().into(),
        frames: clip.frames(),
        rate: clip.rate(),
        form: form_name(*form),
        memory_bytes: clip.bytes().len(),
        disk_bytes: *bytes,
        curves: clip.curves().iter().map(|c| c.name.clone()).collect(),
        events: clip.events().iter().map(|e| (e.name.clone(), e.time)).collect(),
    });
    let report = RuntimeReport {
        format: "sinew",
        version: read.version,
        bytes: std::fs::metadata(&args.file).map_or(0, |m| m.len()),
        skeleton: SkeletonFacts::new(&read.skeleton),
        clips: clips.collect(),
        file,
    };
    match args.format {
        Format::Json => out.json(&report),
        Format::Text => report.print(out),
    }
}

impl RuntimeReport {
    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        let ([major, minor], kilobytes) = (self.version, self.bytes.div_ceil(1024));
        out.line(format_args!("{} (runtime file {major}.{minor}, {kilobytes} KiB)", self.file))?;
        self.skeleton.print(out)?;
        for (index, clip) in self.clips.iter().enumerate() {
            let more = match (clip.curves.len(), clip.events.len()) {
                (0, 0) => String::new(),
                (c, e) => format!(", {}, {}", counted(c, "curve"), counted(e, "event")),
            };
            out.line(format_args!(
                "  clip {index:<3} {:<28} {:>8.4} s, {} frames at {} Hz, {} bytes in memory, {} on disk ({}){more}",
                shown(&clip.name),
                clip.duration,
                clip.frames,
                clip.rate,
                clip.memory_bytes,
                clip.disk_bytes,
                clip.form,
            ))?;
        }
        Ok(())
    }
}
