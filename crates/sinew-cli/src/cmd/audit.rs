//! `sinew audit`: what is wrong with characters, in numbers.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Serialize;
use sinew_asset::{Loaded, save};
use sinew_audit::{AuditReport, Finding, Limits, Severity, audit};
use sinew_cli::report::{Audited, Page, SceneOptions, measure, printable, render};

use crate::args::{Audit, Format, Reading};
use crate::failure::Failure;
use crate::input::{Convention, Input};
use crate::output::{Out, progress, refuse_overwrite, say};

/// What `sinew audit --format json` prints.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AuditOutput {
    /// In the order of the command line.
    files: Vec<AuditedFile>,
    /// Whether a finding is as bad as the limits allow none to be.
    fails: bool,
}

#[derive(Serialize, JsonSchema)]
struct AuditedFile {
    /// As given on the command line.
    file: String,
    /// Absent where the file could not be read.
    report: Option<AuditReport>,
    /// Why it could not be read.
    error: Option<String>,
}

/// A file that was audited; what was read is kept only for a page.
struct Done {
    file: String,
    loaded: Option<Loaded>,
    report: AuditReport,
}

pub(crate) fn run(args: &Audit, out: &mut Out) -> Result<(), Failure> {
    if let Some(page) = &args.report {
        let mut inputs: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
        inputs.extend(args.config.as_deref());
        refuse_overwrite(page, &inputs)?;
        if page.extension().is_none_or(|e| !e.eq_ignore_ascii_case("html") && !e.eq_ignore_ascii_case("htm"))
        {
            return Err(Failure::Usage(format!(
                "--report {}: expected a name that ends in .html",
                page.display()
            )));
        }
    }
    let limits = limits(args.config.as_deref())?;
    let results = audit_all(args, &limits, out.quiet());
    let done: Vec<&Done> = results.iter().filter_map(|r| r.as_ref().ok()).collect();
    let fails = done.iter().any(|d| d.report.fails(&limits));
    if let Some(path) = &args.report {
        write_page(path, &done)?;
    }
    match args.format {
        Format::Json => {
            let named = |(result, path): (&Result<Done, Failure>, &PathBuf)| AuditedFile {
                file: path.display().to_string(),
                report: result.as_ref().ok().map(|d| d.report.clone()),
                error: result.as_ref().err().map(ToString::to_string),
            };
            out.json(&AuditOutput { files: results.iter().zip(&args.files).map(named).collect(), fails })?;
        }
        Format::Text => {
            for done in &done {
                print(done, out)?;
            }
            if let Some(path) = &args.report {
                out.line(format_args!("page: {}", path.display()))?;
            }
        }
    }
    out.finish()?;
    // A file that cannot be read outweighs findings; all but the first are told here.
    let mut first: Option<Failure> = None;
    for failure in results.into_iter().filter_map(Result::err) {
        match &first {
            None => first = Some(failure),
            Some(_) => say(format_args!("sinew: {failure}")),
        }
    }
    match first {
        Some(failure) => Err(failure),
        None if fails => {
            let least = limits.fail.severity.severity().map_or("info", word);
            Err(Failure::Over(format!("findings of severity {least} or worse")))
        }
        None => Ok(()),
    }
}

/// The limits of a file, of `sinew.toml` in this folder, or the defaults.
fn limits(path: Option<&Path>) -> Result<Limits, Failure> {
    let beside = Path::new("sinew.toml");
    let path = match path {
        Some(path) => path,
        None if beside.is_file() => beside,
        None => return Ok(Limits::default()),
    };
    let text = std::fs::read_to_string(path).map_err(|source| Failure::Io {
        doing: "read",
        path: path.into(),
        source,
    })?;
    Limits::from_toml(&text).map_err(|e| Failure::input(path.display().to_string(), e))
}

/// Audits on every core; results are in the order of the command line, whoever finishes first.
fn audit_all(args: &Audit, limits: &Limits, quiet: bool) -> Vec<Result<Done, Failure>> {
    let bar = progress(args.files.len(), "files", quiet);
    let slots: Vec<Mutex<Option<Result<Done, Failure>>>> =
        args.files.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(args.files.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = args.files.get(at) else { break };
                    let result = audit_one(path, &args.reading, limits, args.report.is_some());
                    if let Ok(mut slot) = slots[at].lock() {
                        *slot = Some(result);
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let missing = || Err(Failure::Internal("an audit gave no result".into()));
    slots.into_iter().map(|slot| slot.into_inner().ok().flatten().unwrap_or_else(missing)).collect()
}

fn audit_one(path: &Path, reading: &Reading, limits: &Limits, keep: bool) -> Result<Done, Failure> {
    let input = Input::read(path, reading, Convention::Guess)?;
    let report = audit(&input.loaded, limits);
    Ok(Done { file: input.file, loaded: keep.then_some(input.loaded), report })
}

fn write_page(path: &Path, done: &[&Done]) -> Result<(), Failure> {
    let names: Vec<String> = done.iter().map(|d| base_name(&d.file)).collect();
    let audited: Vec<Audited<'_>> = done
        .iter()
        .zip(&names)
        .filter_map(|(d, name)| {
            Some(Audited { name, document: &d.loaded.as_ref()?.document, report: &d.report })
        })
        .collect();
    let page = Page::of_audits(&audited, &SceneOptions::default());
    let html = render(&page).map_err(|e| Failure::Internal(e.to_string()))?;
    save(path, html.as_bytes()).map_err(|e| Failure::write(e.path, e.source))
}

fn base_name(file: &str) -> String {
    Path::new(file).file_name().map_or_else(|| file.to_owned(), |n| n.to_string_lossy().into_owned())
}

fn print(done: &Done, out: &mut Out) -> Result<(), Failure> {
    let (report, facts) = (&done.report, &done.report.file);
    let counts = &report.counts;
    out.line(format_args!(
        "{}: {} clips, {} joints, {} vertices, {:.2} m high: {} errors, {} warnings, {} notes",
        done.file,
        facts.clips,
        facts.joints,
        facts.vertices,
        facts.height_m,
        counts.errors,
        counts.warnings,
        counts.infos
    ))?;
    for finding in &report.findings {
        let (word, place) = (word(finding.severity), place(finding));
        out.line(format_args!("  {word:<7} {:<22} {place}{}", finding.code.as_str(), finding.message))?;
        if finding.severity > Severity::Info && !finding.fix.is_empty() {
            out.line(format_args!("          -> {}", finding.fix))?;
        }
    }
    let listed = report.findings.len();
    let all: usize = counts.by_code.values().sum();
    if all > listed {
        out.line(format_args!("  {} more of the same kinds are counted, not listed", all - listed))?;
    }
    if counts.ignored > 0 {
        out.line(format_args!("  {} left out by sinew.toml", counts.ignored))?;
    }
    Ok(())
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// Clip, joint and time as far as the finding names them.
fn place(finding: &Finding) -> String {
    let subject = &finding.subject;
    let mut parts = Vec::new();
    parts.extend(subject.clip.as_deref().map(printable));
    parts.extend(subject.joint.as_deref().map(printable));
    parts.extend(subject.time.map(|t| measure(t, "s")));
    if parts.is_empty() { String::new() } else { format!("[{}] ", parts.join(", ")) }
}
