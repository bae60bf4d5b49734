//! One file a verb.

pub(crate) mod audit;
pub(crate) mod bake;
pub(crate) mod bake_distance;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod inspect;
pub(crate) mod inspect_runtime;
pub(crate) mod sample;
pub(crate) mod showcase;
