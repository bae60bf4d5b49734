//! What the studies of actions share.

pub(crate) mod keys;
pub(crate) mod playback;
pub(crate) mod plots;
pub(crate) mod stage;
pub(crate) mod table;
