//! Whatever the bytes, the BVH reader does not panic and takes memory in proportion to them.
//!
//! A fixed number of inputs under plain `cargo test`; `SINEW_FUZZ_SECONDS=600 cargo test --release --test fuzz_bvh`
//! goes on for longer, and `cargo bolero test` drives the same targets with coverage.

#![allow(unsafe_code, reason = "an allocator that counts is an unsafe trait; test only")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use bolero::TypeGenerator;
use sinew_asset::{BvhOptions, BvhUnits, BvhUp, read_bvh};

/// Bytes in use at once for each byte of input; an empty joint of 20 bytes becomes one of 400.
const BYTES_A_BYTE: usize = 64;
const BYTES_AT_LEAST: usize = 64 * 1024;

const SOUND: &str = "HIERARCHY
ROOT hips
{
  OFFSET 0 0.5 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT left knee
  {
    OFFSET 0 -4 0
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0 -3e0 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
1 2 3 4 5 6 7
-8 .9 10 11 12 13 140
";

/// Words that lead somewhere, put over or between those of the sound file.
const WORDS: [&str; 24] = [
    "{",
    "}",
    "ROOT",
    "JOINT a",
    "End Site",
    "OFFSET 1 2 3",
    "CHANNELS",
    "CHANNELS 0",
    "6",
    "Xrotation",
    "Zposition",
    "MOTION",
    "Frames:",
    "Frame Time:",
    "18446744073709551615",
    "-1",
    "0",
    "nan",
    "1e300",
    "1e38",
    "\r",
    "\n",
    " ",
    "\u{feff}",
];

struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends has no counter left; nothing is measured there.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn read(bytes: &[u8]) {
    let before = LIVE.get();
    PEAK.set(before);
    let options = [
        BvhOptions::default(),
        BvhOptions { units: BvhUnits::Auto, up: BvhUp::Auto, ..BvhOptions::default() },
    ];
    for options in options {
        if let Ok(loaded) = read_bvh(bytes, &options) {
            let skeleton = &loaded.document.skeleton;
            for clip in &loaded.document.clips {
                clip.validate(skeleton).expect("a clip that is given out is valid");
            }
        }
    }
    let taken = (PEAK.get() - before) as usize;
    let allowed = BYTES_AT_LEAST + BYTES_A_BYTE * bytes.len();
    assert!(taken <= allowed, "{taken} bytes for {} of input, allowed {allowed}", bytes.len());
}

/// Runs one target: `iterations` inputs, or as long as `SINEW_FUZZ_SECONDS` says.
macro_rules! fuzz {
    ($iterations:expr, $input:ty, $read:expr) => {{
        let target = bolero::check!().with_type::<$input>();
        match std::env::var("SINEW_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()) {
            Some(seconds) => target.with_test_time(Duration::from_secs(seconds)).for_each($read),
            None => target.with_iterations($iterations).for_each($read),
        }
    }};
}

#[test]
fn any_bytes_are_read_or_refused() {
    fuzz!(20_000, Vec<u8>, |bytes: &Vec<u8>| read(bytes));
}

#[test]
fn any_bytes_after_a_sound_beginning_are_read_or_refused() {
    fuzz!(20_000, (u16, Vec<u8>), |(keep, tail): &(u16, Vec<u8>)| {
        let keep = usize::from(*keep) % (SOUND.len() + 1);
        read(&[&SOUND.as_bytes()[..keep], tail].concat());
    });
}

#[derive(Debug, TypeGenerator)]
enum Edit {
    Byte { at: u16, to: u8 },
    Cut { at: u16, len: u8 },
    Repeat { at: u16, len: u8, times: u8 },
    Word { at: u16, word: u8 },
}

#[test]
fn a_sound_file_with_edits_is_read_or_refused() {
    fuzz!(20_000, Vec<Edit>, |edits: &Vec<Edit>| {
        let mut bytes = SOUND.as_bytes().to_vec();
        for edit in edits.iter().take(24) {
            apply(&mut bytes, edit);
        }
        read(&bytes);
    });
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    let within = |at: u16, bytes: &[u8]| usize::from(at) % (bytes.len() + 1);
    match *edit {
        Edit::Byte { at, to } => {
            let at = within(at, bytes);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
        }
        Edit::Cut { at, len } => {
            let at = within(at, bytes);
            bytes.drain(at..bytes.len().min(at + usize::from(len)));
        }
        Edit::Repeat { at, len, times } => {
            let at = within(at, bytes);
            let part = bytes[at..bytes.len().min(at + usize::from(len))].repeat(usize::from(times % 8));
            if bytes.len() + part.len() < 200_000 {
                bytes.splice(at..at, part);
            }
        }
        Edit::Word { at, word } => {
            let at = within(at, bytes);
            let word = WORDS[usize::from(word) % WORDS.len()];
            bytes.splice(at..at, format!(" {word} ").into_bytes());
        }
    }
}

#[test]
fn small_objects_that_could_grow_stay_small() {
    let many = |part: &str, count: usize, tail: &str| format!("HIERARCHY {}{tail}", part.repeat(count));
    read(many("ROOT\n{OFFSET 0 0 0}", 20_000, "").as_bytes());
    read(many("ROOT\n{OFFSET 0 0 0 CHANNELS 1 Xrotation}", 5_000, &row(5_000)).as_bytes());
    read(many("ROOT\n{OFFSET 0 0 0 CHANNELS 1 Xposition}", 5_000, &row(5_000)).as_bytes());
    let name = "n".repeat(255);
    let ends = "End Site{OFFSET 0 0 0}".repeat(20_000);
    read(format!("HIERARCHY ROOT {name}\n{{OFFSET 0 0 0{ends}}}").as_bytes());
    read(format!("HIERARCHY ROOT {}", "n".repeat(1_000_000)).as_bytes());
    let rows = "1 ".repeat(500_000);
    let one = "HIERARCHY ROOT a\n{OFFSET 0 0 0 CHANNELS 1 Xrotation}MOTION Frames: 500000 Frame Time: 1";
    read(format!("{one}\n{rows}").as_bytes());
}

/// Twenty frames of zeros.
fn row(width: usize) -> String {
    format!("MOTION Frames: 20 Frame Time: 0.1\n{}", "0 ".repeat(width * 20))
}
