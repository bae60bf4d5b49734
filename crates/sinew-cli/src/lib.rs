//! What the `sinew` command is made of, where other programs and tests may want it too.

pub mod report;
