//! What the study of a whole run is made of: a biped whose clips are made from his footfalls, a character of someone
//! else's with clips of his own, and what is measured on both.

pub(crate) mod biped;
pub(crate) mod clips;
mod gait;
pub(crate) mod mocap;
pub(crate) mod plants;
pub(crate) mod recording;
pub(crate) mod script;
