//! Says in numbers what is wrong with an animated character.

pub mod plot;
