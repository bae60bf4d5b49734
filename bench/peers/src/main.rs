//! Other people's animation runtimes and sinew on the same clips, in one run on one core.
//!
//! ```text
//! SINEW_SHARED=... cargo run --release -- [--only CLIP] [--rounds N] [--milliseconds N]
//! ```
//!
//! Prints one JSON object a row: `{"peer", "version", "clip", "what", "ns_per_joint", "joints", ...}`.
//! `ns_per_joint` is the median batch of the least disturbed round and `worst_round` that of the most disturbed
//! one: far apart, they say that the machine was busy. Before anything is timed, what was posed is compared
//! with the exact evaluation of the keys, and after it once more; where it is wrong, nothing is printed.
//!
//! `--sizes` prints what sinew makes of the clips that ACL was measured on, and times nothing.
//!
//! `three.mjs` makes the same rows with three.js; `run.sh` runs both.

mod bevy_clip;
mod bevy_rows;
mod character;
mod limb_rows;
mod machine_rows;
mod measure;
mod sinew_rows;
mod size_rows;

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use measure::{Effort, measure};

/// Characters posed a batch, where it is more than one.
const CROWD: usize = 32;
/// Seconds that playing moves on between batches.
const STEP: f64 = 1.0 / 60.0;

fn main() -> ExitCode {
    match run() {
        Ok(rows) => {
            #[allow(clippy::print_stdout, reason = "rows are what this program is for")]
            rows.iter().for_each(|row| println!("{row}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            #[allow(clippy::print_stderr, reason = "why there are no rows")]
            {
                eprintln!("{message}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Vec<String>, String> {
    let mut only = String::new();
    let mut effort = Effort { rounds: 5, time: Duration::from_millis(300) };
    let mut sizes = false;
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|a| a == "--sizes").is_some() {
        sizes = true;
    }
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u32>().map_err(|_| format!("{name} {value}: not a number"));
        match name.as_str() {
            "--only" => only = value,
            "--rounds" => effort.rounds = number()?.max(1) as usize,
            "--milliseconds" => effort.time = Duration::from_millis(number()?.into()),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    let shared = std::env::var_os("SINEW_SHARED").ok_or("SINEW_SHARED names the folder of characters")?;

    if sizes {
        return size_rows::rows(&PathBuf::from(shared));
    }
    let mut lanes = machine_rows::lanes();
    lanes.extend(limb_rows::lanes()?);
    for character in character::characters(&PathBuf::from(shared), &only)? {
        let character = Rc::new(character);
        lanes.extend(sinew_rows::lanes(&character)?);
        if character.peers {
            lanes.extend(bevy_rows::lanes(&character)?);
        }
    }
    let rows = measure(&mut lanes, &effort);
    lanes.iter_mut().try_for_each(|lane| (lane.check)())?;
    Ok(rows)
}
