//! The `sinew` command.

mod args;
mod cmd;
mod failure;
mod input;
mod output;
#[cfg(test)]
mod schema;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::{Bake, Baking, Cli, Verb};
use failure::Failure;
use output::{Out, say};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe is no failure of the command.
            let _ = error.print();
            let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if asked { ExitCode::SUCCESS } else { ExitCode::from(1) };
        }
    };
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !(cli.quiet && matches!(failure, Failure::Over(_))) {
                say(format_args!("sinew: {failure}"));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    let mut out = Out::new(cli.quiet);
    match &cli.verb {
        None => out.text(format_args!("{}", args::OVERVIEW))?,
        Some(Verb::Inspect(args)) => cmd::inspect::run(args, &mut out)?,
        Some(Verb::Sample(args)) => cmd::sample::run(args, &mut out)?,
        Some(Verb::Audit(args)) => cmd::audit::run(args, &mut out)?,
        Some(Verb::Diff(args)) => cmd::diff::run(args, &mut out)?,
        Some(Verb::Convert(args)) => cmd::convert::run(args, &mut out)?,
        Some(Verb::Bake(Bake { what: Baking::Clip(args) })) => cmd::bake::run(args, &mut out)?,
        Some(Verb::Bake(Bake { what: Baking::Distance(args) })) => cmd::bake_distance::run(args, &mut out)?,
        Some(Verb::Showcase(args)) => cmd::showcase::run(args, &mut out)?,
    }
    out.finish()
}
