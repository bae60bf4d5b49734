//! Where results go: stdout for results, stderr for everything else.

use std::fmt::Arguments;
use std::io::{BufWriter, ErrorKind, Stdout, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints a line to stderr; there is nobody left to tell if that fails.
pub(crate) fn say(message: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{message}");
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

    /// Prints a line.
    pub(crate) fn line(&mut self, text: Arguments<'_>) -> Result<(), Failure> {
        self.text(format_args!("{text}\n"))
    }

    /// Prints a value as JSON that people can read too.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Internal(e.to_string()))?;
        self.line(format_args!("{text}"))
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
