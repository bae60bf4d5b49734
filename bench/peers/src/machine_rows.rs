//! The machine's yardstick: what it costs to move the 48 bytes of a joint's 3x4 matrix from one place to
//! another, within each level of the memory hierarchy. Whoever poses a joint at all has to write it
//! somewhere, so no runtime is faster than this for the level its output goes to.

use std::hint::black_box;
use std::time::Instant;

use crate::measure::{Lane, Play};

/// Bytes of a joint's 3x4 matrix.
const MATRIX: usize = 48;

/// Name, bytes of the buffer whose first half is copied onto its second, copies a batch.
const LEVELS: [(&str, usize, usize); 4] = [
    ("copy 48 B within L1 (16 KiB)", 16 << 10, 256),
    ("copy 48 B within L2 (256 KiB)", 256 << 10, 16),
    ("copy 48 B within L3 (8 MiB)", 8 << 20, 1),
    ("copy 48 B in memory (256 MiB)", 256 << 20, 1),
];

/// The row that goals are scaled by.
const YARDSTICK: &str = "copy 48 B within L1, no aliasing";

/// A cache line, so that no register is loaded across two of them.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u64; 8]);

/// A lane a level: with `memcpy`, and with the widest registers that every kernel may use.
pub(crate) fn lanes() -> Vec<Lane> {
    let levels = LEVELS.iter().map(|&(what, bytes, copies)| lane(what, bytes, copies));
    std::iter::once(yardstick()).chain(levels).collect()
}

fn lane(what: &str, bytes: usize, copies: usize) -> Lane {
    let lines = bytes / size_of::<Line>();
    // Written once, so that every page is there.
    let mut buffer: Vec<Line> = (0..lines).map(|i| Line([i as u64; 8])).collect();
    let batch = move |took: &mut Vec<_>| {
        for copy in [<[Line]>::copy_from_slice, copy_in_registers] {
            let start = Instant::now();
            for _ in 0..copies {
                let (from, to) = black_box(&mut buffer[..]).split_at_mut(lines / 2);
                copy(to, from);
            }
            black_box(&mut buffer);
            took.push(start.elapsed());
        }
    };
    Lane {
        peer: "machine",
        version: processor(),
        play: Play {
            clip: String::new(),
            characters: copies,
            repeats: 1,
            joints: bytes / 2 / MATRIX,
            moving_channels: 0,
            size: None,
        },
        what: vec![format!("{what}, memcpy"), format!("{what}, registers")],
        max_difference: None,
        batch: Box::new(batch),
        check: Box::new(|| Ok(())),
    }
}

/// What goals are scaled by. Where source and destination are a multiple of 4 KiB apart, the processor takes loads
/// for loads of what was just stored and waits; here they are 2 KiB off that.
fn yardstick() -> Lane {
    const COPIES: usize = 256;
    const LINES: usize = (6 << 10) / size_of::<Line>();
    const APART: usize = (10 << 10) / size_of::<Line>();
    let mut buffer: Vec<Line> = (0..APART + LINES).map(|i| Line([i as u64; 8])).collect();
    let batch = move |took: &mut Vec<_>| {
        let start = Instant::now();
        for _ in 0..COPIES {
            let (from, to) = black_box(&mut buffer[..]).split_at_mut(APART);
            copy_wide(to, &from[..LINES]);
        }
        black_box(&mut buffer);
        took.push(start.elapsed());
    };
    let joints = LINES * size_of::<Line>() / MATRIX;
    Lane {
        peer: "machine",
        version: processor(),
        play: Play {
            clip: String::new(),
            characters: COPIES,
            repeats: 1,
            joints,
            moving_channels: 0,
            size: None,
        },
        what: vec![YARDSTICK.to_owned()],
        max_difference: None,
        batch: Box::new(batch),
        check: Box::new(|| Ok(())),
    }
}

/// Four registers a turn.
fn copy_wide(to: &mut [Line], from: &[Line]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        use std::arch::x86_64::{__m256i, _mm256_load_si256, _mm256_store_si256};
        #[target_feature(enable = "avx2")]
        #[allow(unsafe_code, reason = "aligned loads and stores within a line")]
        fn wide(to: &mut [Line], from: &[Line]) {
            for (to, from) in to.chunks_exact_mut(2).zip(from.chunks_exact(2)) {
                let (from, to) = (from.as_ptr().cast::<__m256i>(), to.as_mut_ptr().cast::<__m256i>());
                // SAFETY: two lines are four aligned registers.
                unsafe {
                    let (a, b) = (_mm256_load_si256(from), _mm256_load_si256(from.add(1)));
                    let (c, d) = (_mm256_load_si256(from.add(2)), _mm256_load_si256(from.add(3)));
                    _mm256_store_si256(to, a);
                    _mm256_store_si256(to.add(1), b);
                    _mm256_store_si256(to.add(2), c);
                    _mm256_store_si256(to.add(3), d);
                }
            }
        }
        #[allow(unsafe_code, reason = "calls what the processor was just found to have")]
        // SAFETY: AVX2 is there.
        return unsafe { wide(to, from) };
    }
    to.copy_from_slice(from);
}

/// Loads and stores, 32 bytes each where the processor has such registers.
fn copy_in_registers(to: &mut [Line], from: &[Line]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn wide(to: &mut [Line], from: &[Line], nothing: u64) {
            copy_and_change(to, from, nothing);
        }
        #[allow(unsafe_code, reason = "calls what the processor was just found to have")]
        // SAFETY: AVX2 is there.
        return unsafe { wide(to, from, black_box(0)) };
    }
    copy_and_change(to, from, black_box(0));
}

/// With a change that is none, or the compiler would call `memcpy`.
#[inline(always)]
fn copy_and_change(to: &mut [Line], from: &[Line], nothing: u64) {
    for (to, from) in to.iter_mut().zip(from) {
        to.0 = from.0.map(|word| word ^ nothing);
    }
}

/// What the system calls its processor.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = value("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    match (value("cpu family"), value("model\t")) {
        (Some(family), Some(number)) => format!("{model} (family {family}, model {number})"),
        _ => model,
    }
}
