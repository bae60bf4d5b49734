//! Where results go: stdout for results, stderr for everything else.

use std::fmt::Arguments;
use std::io::{BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use sinew_cli::report::inert;

use crate::failure::Failure;

/// Prints a line to stderr; there is nobody left to tell if that fails. Messages may hold names from files,
/// which must not reach a terminal raw.
pub(crate) fn say(message: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{}", clean(&message.to_string()));
}

/// A text as a terminal can print it, whatever names from files it holds.
pub(crate) fn clean(text: &str) -> String {
    inert(text)
}

/// Refuses to write over a file that is being read.
pub(crate) fn refuse_overwrite(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    let Ok(target) = output.canonicalize() else { return Ok(()) };
    let same = inputs.iter().find(|input| input.canonicalize().is_ok_and(|path| path == target));
    match same {
        Some(input) => {
            let message = format!("{} would be written over {}", output.display(), input.display());
            Err(Failure::Usage(format!("{message}; give another name")))
        }
        None => Ok(()),
    }
}

/// A bar on a terminal for anything over a second, none in a pipe.
pub(crate) fn progress(count: usize, what: &str, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::hidden());
    if count > 1 && !quiet && std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
        let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
    }
    bar
}

/// Buffered stdout. A reader that has gone away ends the output, not the command.
pub(crate) struct Out {
    stdout: BufWriter<Stdout>,
    closed: bool,
    quiet: bool,
}

impl Out {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { stdout: BufWriter::new(std::io::stdout()), closed: false, quiet }
    }

    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// Prints as it is, without a line end.
    pub(crate) fn text(&mut self, text: Arguments<'_>) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let written = self.stdout.write_fmt(text);
        self.check(written)
    }

    /// Prints a line for people; names from files in it are made safe for a terminal.
    pub(crate) fn line(&mut self, text: Arguments<'_>) -> Result<(), Failure> {
        self.text(format_args!("{}\n", clean(&text.to_string())))
    }

    /// Prints a value as JSON that people can read too.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Internal(e.to_string()))?;
        self.text(format_args!("{text}\n"))
    }

    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        let flushed = self.stdout.flush();
        self.check(flushed)
    }

    fn check(&mut self, result: std::io::Result<()>) -> Result<(), Failure> {
        match result {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other.map_err(|e| Failure::write("stdout", e)),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        match self.stdout.write(bytes) {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(bytes.len())
            }
            other => other,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.closed { Ok(()) } else { self.stdout.flush() }
    }
}
