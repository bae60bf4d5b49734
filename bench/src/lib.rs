//! Benchmarks live in `benches/`; `cargo bench -p sinew-bench` runs them.
//!
//! They read the characters of the folder that `SINEW_SHARED` names. `audit_speed.mjs` times an audit of
//! every file there beside the Khronos validator in the same run.
//!
//! `performance.py` times sinew beside other runtimes and writes `docs/PERFORMANCE.md`; `counts/` is what
//! `.ci/instructions` counts.
