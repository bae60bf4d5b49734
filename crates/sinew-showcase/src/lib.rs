//! Studies on built-in characters: each makes its own input, measures it, and holds the numbers against what
//! was promised.
//!
//! ```no_run
//! let result = sinew_showcase::run("knee", "showcase".as_ref())?;
//! assert!(result.holds());
//! # Ok::<(), sinew_showcase::StudyError>(())
//! ```
//!
//! A study is one module; [`studies`] lists them all. It writes records and characters into a folder of its
//! own name and returns a [`StudyResult`]: what to say, what to plot, which documents to play, and a
//! [`Promise`] for every number.

mod action_study;
mod body_shake;
mod core_deployment;
mod core_runtime;
mod core_sequence;
mod distance_study;
mod head_dip;
mod knee;
mod leg;
mod locomotion;
mod locomotion_study;
mod promise;
mod record;
pub mod robot;
mod run_start;
mod run_stop;
mod solid;
mod study;

pub use promise::Promise;
pub use record::{Column, RecordFacts};
pub use study::{Section, Study, StudyDocument, StudyError, StudyResult, run, studies};
