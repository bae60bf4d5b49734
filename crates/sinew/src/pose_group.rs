//! Eight joints side by side: the layout of every runtime pose.

/// Rotation and translation of eight joints, parent-local: lane `i` of each array belongs to joint `i` of the
/// group. Lanes past the last joint hold the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct PoseGroup {
    /// Unit quaternions, X, Y, Z, W.
    pub rotation: [[f32; 8]; 4],
    /// Metres; X, Y, Z.
    pub translation: [[f32; 8]; 3],
}

impl PoseGroup {
    /// Eight joints that do not move anything.
    pub const IDENTITY: Self =
        Self { rotation: [[0.0; 8], [0.0; 8], [0.0; 8], [1.0; 8]], translation: [[0.0; 8]; 3] };
}

/// Scale of eight joints; X, Y, Z.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct ScaleGroup {
    /// Per axis, applied first.
    pub scale: [[f32; 8]; 3],
}

impl ScaleGroup {
    /// Unscaled.
    pub const ONE: Self = Self { scale: [[1.0; 8]; 3] };
}
