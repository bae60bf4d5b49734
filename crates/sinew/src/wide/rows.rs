//! Groups of a pose as rows of eight floats, for [`Simd::scatter`](super::Simd::scatter).
#![allow(unsafe_code, reason = "arrays of floats under another name; sizes are checked when compiled")]

use crate::{PoseGroup, ScaleGroup};

const _: () = assert!(size_of::<PoseGroup>() == size_of::<[[f32; 8]; 7]>());
const _: () = assert!(size_of::<ScaleGroup>() == size_of::<[[f32; 8]; 3]>());

/// Rotation, four rows from the first on; translation, three from the fifth on.
#[inline(always)]
pub(crate) fn pose_rows(groups: &mut [PoseGroup]) -> &mut [[[f32; 8]; 7]] {
    // SAFETY: a group is `repr(C)`, four rows and three more without anything between, and wants more alignment.
    unsafe { core::slice::from_raw_parts_mut(groups.as_mut_ptr().cast(), groups.len()) }
}

/// Scale, three rows.
#[inline(always)]
pub(crate) fn scale_rows(groups: &mut [ScaleGroup]) -> &mut [[[f32; 8]; 3]] {
    // SAFETY: a group is `repr(C)` and three rows, and wants more alignment.
    unsafe { core::slice::from_raw_parts_mut(groups.as_mut_ptr().cast(), groups.len()) }
}
