//! Where up to eight packed integers lie in a run of bits.
//!
//! A run holds one integer for each lane of a mask, in order of lanes, lowest bit first, all of one width.

/// Widest packed integer: every one converts to f32 exactly, and with a bit offset of up to 7 fits 32 bits.
pub(crate) const MAX_WIDTH: u32 = 24;

/// Bytes that must be readable from where a run starts: 24 bits x 8 lanes, and a 16-byte read of the upper half.
pub(crate) const WINDOW: usize = 32;

/// Widest integer of which eight fit sixteen bytes.
pub(crate) const NARROW: u32 = 16;

/// Byte at which the upper four lanes of a run are read that starts at bit `start` of the window.
#[inline(always)]
pub(crate) const fn upper(width: u32, mask: u8, start: u32) -> usize {
    ((start + width * (mask & 15).count_ones()) / 8) as usize
}

/// `[mask][lane]`: how many lanes of the mask come before a lane.
pub(crate) static RANKS: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut rank) = (0, 0);
        while lane < 8 {
            all[mask][lane] = rank;
            rank += (mask >> lane & 1) as u8;
            lane += 1;
        }
        mask += 1;
    }
    all
};

/// Ready-made shuffles where all eight lanes are there.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Full {
    /// Within each half, the four bytes that hold each lane.
    pub(crate) shuffle: [u8; 32],
    /// Shift right after the shuffle.
    pub(crate) shift: [u32; 8],
    /// Bits to keep.
    pub(crate) keep: [u32; 8],
}

/// `[width]`, up to [`NARROW`]: both halves read from the same sixteen bytes; bytes past them come out 0.
pub(crate) static NARROW_FULL: [Full; 32] = {
    let mut all = [Full { shuffle: [0x80; 32], shift: [0; 8], keep: [0; 8] }; 32];
    let mut width = 1;
    while width <= NARROW {
        let mut lane = 0;
        while lane < 8 {
            let bit = lane * width;
            let mut k = 0;
            while k < 4 {
                let byte = bit / 8 + k;
                if byte < 16 {
                    all[width as usize].shuffle[(lane * 4 + k) as usize] = byte as u8;
                }
                k += 1;
            }
            all[width as usize].shift[lane as usize] = bit % 8;
            all[width as usize].keep[lane as usize] = (1 << width) - 1;
            lane += 1;
        }
        width += 1;
    }
    all
};

/// `[width]`, up to [`MAX_WIDTH`].
pub(crate) static FULL: [Full; 32] = {
    let mut all = [Full { shuffle: [0; 32], shift: [0; 8], keep: [0; 8] }; 32];
    let mut width = 1;
    while width <= MAX_WIDTH {
        let mut lane = 0;
        while lane < 8 {
            let start = if lane < 4 { 0 } else { upper(width, 0xff, 0) as u32 * 8 };
            let bit = lane * width - start;
            let mut k = 0;
            while k < 4 {
                all[width as usize].shuffle[(lane * 4 + k) as usize] = (bit / 8 + k) as u8;
                k += 1;
            }
            all[width as usize].shift[lane as usize] = bit % 8;
            all[width as usize].keep[lane as usize] = (1 << width) - 1;
            lane += 1;
        }
        width += 1;
    }
    all
};
