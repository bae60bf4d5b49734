//! Where in its clips a character is: playheads, clips in step by their foot contacts, and blend spaces that
//! say which clips play at what weight.

mod blend_space;
mod blend_space_1d;
mod blend_space_2d;
mod play_rate;
mod playhead;
mod sync;
mod sync_playhead;
mod triangulation;

pub use blend_space::{BlendRange, BlendSpaceError, ClipWeight, ClipWeights, MAX_BLENDED};
pub use blend_space_1d::{BlendSample1D, BlendSpace1D};
pub use blend_space_2d::{BlendSample2D, BlendSpace2D};
pub use play_rate::PlayRate;
pub use playhead::{PlayError, PlayStatus, PlayStep, Playhead};
pub use sync::{SyncError, SyncGroup, SyncMarker, SyncTrack};
pub use sync_playhead::{SyncPlayhead, SyncStep};
