//! Where eight packed integers lie in a stream of bits.

/// Widest packed integer: every one converts to f32 exactly, and with a bit offset of up to 7 fits 32 bits.
pub(crate) const MAX_WIDTH: u32 = 24;

/// Bytes that must be readable from where a packed run starts: 24 bits x 8 lanes, and a 16-byte read of the
/// upper half.
pub(crate) const WINDOW: usize = 32;

/// How to take up to eight integers of one width out of a run of bits, lowest bit first. Lanes outside the lane
/// mask have no bits in the run and come out 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Plan {
    /// Byte shuffle within each half: the four bytes that hold the lane.
    pub(crate) shuffle: [u8; 32],
    /// Shift right after the shuffle.
    pub(crate) shift: [u32; 8],
    /// Bits to keep; 0 for lanes that are not stored.
    pub(crate) keep: [u32; 8],
    /// Byte at which the upper half is read.
    pub(crate) upper: usize,
}

impl Plan {
    /// For every lane stored.
    #[inline(always)]
    pub(crate) fn full(width: u32) -> &'static Self {
        &FULL[width as usize & 31]
    }

    /// For the lanes of `mask`, of which there may be none.
    pub(crate) const fn masked(width: u32, mask: u8) -> Self {
        let upper_rank = (mask & 15).count_ones();
        let upper = (upper_rank * width / 8) as usize;
        let mut plan = Self { shuffle: [0; 32], shift: [0; 8], keep: [0; 8], upper };
        let (mut lane, mut rank) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 && width > 0 {
                let start = if lane < 4 { 0 } else { upper as u32 * 8 };
                let bit = rank * width - start;
                let mut k = 0;
                while k < 4 {
                    plan.shuffle[lane * 4 + k] = (bit / 8) as u8 + k as u8;
                    k += 1;
                }
                plan.shift[lane] = bit % 8;
                plan.keep[lane] = (1 << width) - 1;
                rank += 1;
            }
            lane += 1;
        }
        plan
    }
}

static FULL: [Plan; 32] = {
    let mut all = [Plan::masked(0, 0); 32];
    let mut width = 0;
    while width <= MAX_WIDTH as usize {
        all[width] = Plan::masked(width as u32, 0xff);
        width += 1;
    }
    all
};

/// Bytes that a run of `lanes` integers of `width` bits takes.
pub(crate) const fn run_bytes(width: u32, lanes: u32) -> usize {
    (width * lanes).div_ceil(8) as usize
}
