//! Whatever the bytes, the reader of action assets does not panic and takes memory in proportion to them.
//!
//! A fixed number of inputs under plain `cargo test`; `SINEW_FUZZ_SECONDS=600 cargo test --release --test
//! fuzz_actions` goes on for longer, and `cargo bolero test` drives the same targets with coverage.

#![allow(unsafe_code, reason = "an allocator that counts is an unsafe trait; test only")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use sinew_asset::{read_action_file, write_action_file};

/// Bytes in use at once for each byte of input: a key of one byte becomes a time, kept twice while it is moved.
const BYTES_A_BYTE: usize = 64;
const BYTES_AT_LEAST: usize = 64 << 10;
const SOUND: &[u8] = include_bytes!("action_file_v2.golden");

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

/// Reads within bounds; what is read can be written, and is then the same.
fn read(bytes: &[u8]) {
    let before = LIVE.get();
    PEAK.set(before);
    let out = read_action_file("fuzz", bytes);
    let taken = (PEAK.get() - before) as usize;
    let allowed = BYTES_AT_LEAST + BYTES_A_BYTE * bytes.len();
    assert!(taken <= allowed, "{taken} bytes for {} of input, allowed {allowed}", bytes.len());
    if let Ok(file) = out {
        let version = file.version[0];
        let again = write_action_file(&file.records, &file.sequences, version).expect("can be written");
        let read = read_action_file("again", &again).expect("can be read");
        let twice = write_action_file(&read.records, &read.sequences, version).expect("can be written");
        assert_eq!(twice, again);
    }
}

/// FNV-1a, 64 bits.
fn checksum<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A file whose checksums hold, whatever is in its objects.
fn sealed(version: u8, objects: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let (mut table, mut body) = (Vec::new(), Vec::new());
    for (id, (tag, bytes)) in objects.iter().enumerate() {
        table.extend(*tag);
        table.extend((id as u32).to_le_bytes());
        table.extend(((32 + 32 * objects.len() + body.len()) as u64).to_le_bytes());
        table.extend((bytes.len() as u64).to_le_bytes());
        table.extend(checksum(bytes.iter()).to_le_bytes());
        body.extend_from_slice(bytes);
    }
    let mut out = b"\x89SNACT\n\x1a".to_vec();
    out.extend([version, 0, 0, 0]);
    out.extend((objects.len() as u32).to_le_bytes());
    out.extend(((32 + table.len() + body.len()) as u64).to_le_bytes());
    let sum = checksum(out.iter().chain(&table));
    out.extend(sum.to_le_bytes());
    [out, table, body].concat()
}

/// The objects of the golden file: an action and a sequence.
fn sound() -> [Vec<u8>; 2] {
    [32, 64].map(|entry| {
        let number = |at: usize| u64::from_le_bytes(SOUND[at..at + 8].try_into().unwrap()) as usize;
        SOUND[number(entry + 8)..number(entry + 8) + number(entry + 16)].to_vec()
    })
}

fn edit(bytes: &mut Vec<u8>, edits: &[(u16, u8)]) {
    for (at, to) in edits.iter().take(16) {
        let at = usize::from(*at) % (bytes.len() + 1);
        match bytes.get_mut(at) {
            Some(byte) => *byte = *to,
            None => bytes.push(*to),
        }
    }
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
fn any_bytes_are_an_action_asset_or_refused() {
    fuzz!(20_000, Vec<u8>, |bytes: &Vec<u8>| read(bytes));
}

#[test]
fn any_objects_are_read_or_refused() {
    fuzz!(5_000, (Vec<u8>, Vec<u8>), |(action, sequence): &(Vec<u8>, Vec<u8>)| {
        read(&sealed(2, &[(b"ACTN", action), (b"SEQN", sequence)]));
    });
}

#[test]
fn sound_objects_with_edits_are_read_or_refused() {
    let [action, sequence] = sound();
    read(&sealed(2, &[(b"ACTN", &action), (b"SEQN", &sequence)]));
    fuzz!(20_000, (bool, Vec<(u16, u8)>), |(which, edits): &(bool, Vec<(u16, u8)>)| {
        let (mut action, mut sequence) = (action.clone(), sequence.clone());
        edit(if *which { &mut action } else { &mut sequence }, edits);
        for version in [1, 2] {
            read(&sealed(version, &[(b"ACTN", &action), (b"SEQN", &sequence)]));
        }
    });
}

#[test]
fn counts_of_four_billion_take_no_memory() {
    let [action, sequence] = sound();
    for at in 0..action.len().max(sequence.len()) {
        let (mut action, mut sequence) = (action.clone(), sequence.clone());
        for object in [&mut action, &mut sequence] {
            if at + 4 <= object.len() {
                object[at..at + 4].fill(0xff);
            }
        }
        read(&sealed(2, &[(b"ACTN", &action)]));
        read(&sealed(2, &[(b"SEQN", &sequence)]));
    }
}
