//! How a number comes about: many short batches, the median of them, the best of several rounds.
//!
//! A machine does other things too. A batch is shorter than a scheduler's slice, so most batches are
//! undisturbed and the median is one of those; rounds go through all lanes in turn, so that a disturbed
//! minute hits everybody; and the best round is the least disturbed one.

use std::time::{Duration, Instant};

use serde_json::json;

/// Fewest batches a median is taken of.
const FEWEST: usize = 31;

/// Work that adds how long each of its parts took.
pub(crate) type Batch = dyn FnMut(&mut Vec<Duration>);

/// What a lane plays a batch.
pub(crate) struct Play {
    /// Its name; empty for the machine's own rows.
    pub(crate) clip: String,
    /// Characters posed a batch.
    pub(crate) characters: usize,
    /// How often each of them is posed a batch, where one pose is too short for the clock.
    pub(crate) repeats: usize,
    /// Joints a character.
    pub(crate) joints: usize,
    /// Channels of the clip that move.
    pub(crate) moving_channels: usize,
    /// What the clip takes and loses, where it is compressed.
    pub(crate) size: Option<String>,
}

/// One thing that is timed, and how its rows are headed.
pub(crate) struct Lane {
    /// Whose work it is.
    pub(crate) peer: &'static str,
    /// Of that.
    pub(crate) version: String,
    /// What is played on whom.
    pub(crate) play: Play,
    /// What each number of a batch is; one row each.
    pub(crate) what: Vec<String>,
    /// Largest distance from the exact pose, as a share of the character's size.
    pub(crate) max_difference: Option<f64>,
    /// Does the work once and says how long each part took.
    pub(crate) batch: Box<Batch>,
    /// Poses once more and measures the distance from the exact pose again; an error where it is too large.
    pub(crate) check: Box<dyn FnMut() -> Result<(), String>>,
}

/// How long and how often.
pub(crate) struct Effort {
    /// Times that all lanes are gone through.
    pub(crate) rounds: usize,
    /// Of each lane in each round.
    pub(crate) time: Duration,
}

/// Times the lanes and gives back their rows, one JSON object each.
pub(crate) fn measure(lanes: &mut [Lane], effort: &Effort) -> Vec<String> {
    // [lane][what][round], nanoseconds a joint.
    let mut medians: Vec<Vec<Vec<f64>>> = lanes.iter().map(|l| vec![vec![]; l.what.len()]).collect();
    for _ in 0..effort.rounds {
        for (lane, medians) in lanes.iter_mut().zip(&mut medians) {
            for (list, median) in medians.iter_mut().zip(one_round(lane, effort.time)) {
                list.push(median);
            }
        }
    }
    let mut rows = Vec::new();
    for (lane, medians) in lanes.iter().zip(&medians) {
        for (what, rounds) in lane.what.iter().zip(medians) {
            let best = rounds.iter().copied().fold(f64::INFINITY, f64::min);
            let worst = rounds.iter().copied().fold(0.0, f64::max);
            let mut row = json!({
                "peer": lane.peer, "version": lane.version, "what": what,
                "ns_per_joint": rounded(best), "worst_round": rounded(worst), "joints": lane.play.joints,
            });
            if !lane.play.clip.is_empty() {
                row["clip"] = json!(lane.play.clip);
                row["characters"] = json!(lane.play.characters);
                row["moving_channels"] = json!(lane.play.moving_channels);
            }
            if let Some(size) = &lane.play.size {
                row["built"] = json!(size);
            }
            if let Some(difference) = lane.max_difference {
                // Two digits are enough for an error.
                row["max_difference"] = json!(format!("{difference:.1e}").parse::<f64>().unwrap_or(f64::NAN));
            }
            rows.push(row.to_string());
        }
    }
    rows
}

/// The median of each number over the batches of one round, nanoseconds a joint.
fn one_round(lane: &mut Lane, time: Duration) -> Vec<f64> {
    let (mut took, mut batches) = (Vec::new(), vec![Vec::new(); lane.what.len()]);
    // Caches and branch predictors as they are in a running program.
    for _ in 0..3 {
        took.clear();
        (lane.batch)(&mut took);
    }
    let start = Instant::now();
    while batches[0].len() < FEWEST || start.elapsed() < time {
        took.clear();
        (lane.batch)(&mut took);
        for (list, took) in batches.iter_mut().zip(&took) {
            list.push(*took);
        }
    }
    let joints = (lane.play.joints * lane.play.characters * lane.play.repeats) as f64;
    let median = |list: &mut Vec<Duration>| {
        list.sort_unstable();
        list[list.len() / 2].as_secs_f64() * 1e9 / joints
    };
    batches.iter_mut().map(median).collect()
}

fn rounded(ns: f64) -> f64 {
    (ns * 1e3).round() / 1e3
}
