//! What does not fit together.

/// Why model matrices or palettes could not be computed. Nothing was written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A pose is of another rig.
    #[error("pose {pose} has {found} joints, the rig has {expected}")]
    PoseJoints {
        /// Which of the poses given; 0 where there is one.
        pose: usize,
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// An output is of another rig.
    #[error("output {output} has {found} joints, expected {expected}")]
    OutputJoints {
        /// Which of the outputs given; 0 where there is one.
        output: usize,
        /// Joints it has.
        found: usize,
        /// Joints of the rig.
        expected: usize,
    },
    /// A palette has the wrong length.
    #[error("palette {output} has {found} entries, the binding has {expected}")]
    PaletteEntries {
        /// Which of the palettes given; 0 where there is one.
        output: usize,
        /// Entries it has.
        found: usize,
        /// Entries of the binding.
        expected: usize,
    },
    /// There are eight lanes.
    #[error("{found} characters, expected 1 to 8")]
    Characters {
        /// Characters given.
        found: usize,
    },
    /// A box with no inside.
    #[error("the box goes from {min} to {max} on axis {axis}, expected finite numbers and a positive size")]
    EmptyBox {
        /// 0 for X, 1 for Y, 2 for Z.
        axis: usize,
        /// Lower bound, metres.
        min: f32,
        /// Upper bound, metres.
        max: f32,
    },
}

pub(super) fn check_pose(pose: usize, found: usize, expected: usize) -> Result<(), ModelError> {
    if found == expected { Ok(()) } else { Err(ModelError::PoseJoints { pose, found, expected }) }
}

pub(super) fn check_output(output: usize, found: usize, expected: usize) -> Result<(), ModelError> {
    if found == expected { Ok(()) } else { Err(ModelError::OutputJoints { output, found, expected }) }
}

pub(super) fn check_palette(output: usize, found: usize, expected: usize) -> Result<(), ModelError> {
    if found == expected { Ok(()) } else { Err(ModelError::PaletteEntries { output, found, expected }) }
}

pub(super) fn check_characters(found: usize) -> Result<(), ModelError> {
    if (1..=8).contains(&found) { Ok(()) } else { Err(ModelError::Characters { found }) }
}
