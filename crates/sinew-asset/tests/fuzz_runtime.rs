//! Whatever the bytes, the reader of runtime files does not panic and takes memory in proportion to them.
//!
//! A fixed number of inputs under plain `cargo test`; `SINEW_FUZZ_SECONDS=600 cargo test --release --test
//! fuzz_runtime` goes on for longer, and `cargo bolero test` drives the same targets with coverage.

#![allow(unsafe_code, reason = "an allocator that counts is an unsafe trait; test only")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use sinew::{
    Channel, ChannelTarget, Clip, ClipBuilder, Curve, DTransform, Event, Interpolation, Joint, JointId,
    RawClip, Rig, Skeleton, Track,
};
use sinew_asset::{ClipForm, read_runtime, write_runtime};

/// Bytes in use at once for each byte of input: a coded key takes four, and 256 keys a byte are believed.
const BYTES_A_BYTE: usize = 2560;
/// The tables of the decoder, and the keys that any clip may have.
const BYTES_AT_LEAST: usize = 20 << 20;

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

/// Reads within bounds; what is read can be written and read again.
fn bounded<T>(bytes: &[u8], read: impl FnOnce() -> T) -> T {
    let before = LIVE.get();
    PEAK.set(before);
    let out = read();
    let taken = (PEAK.get() - before) as usize;
    let allowed = BYTES_AT_LEAST + BYTES_A_BYTE * bytes.len();
    assert!(taken <= allowed, "{taken} bytes for {} of input, allowed {allowed}", bytes.len());
    out
}

fn read_clip(bytes: &[u8]) {
    if let Ok(clip) = bounded(bytes, || Clip::from_stored(bytes)) {
        let again = Clip::from_stored(&clip.to_stored()).expect("a clip that was read can be written");
        assert_eq!(again.bytes(), clip.bytes());
    }
}

fn read_file(bytes: &[u8]) {
    let file: Arc<[u8]> = Arc::from(bytes);
    if let Ok(read) = bounded(bytes, || read_runtime(&file)) {
        write_runtime(&read.skeleton, &read.clips, ClipForm::Resident).expect("what was read can be written");
    }
}

/// FNV-1a, 64 bits.
fn checksum<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A file whose checksums hold, whatever is in its sections.
fn sealed(sections: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut table = Vec::new();
    let mut body = Vec::new();
    for (tag, bytes) in sections {
        table.extend(*tag);
        table.extend(1_u32.to_le_bytes());
        table.extend(((32 + 32 * sections.len() + body.len()) as u64).to_le_bytes());
        table.extend((bytes.len() as u64).to_le_bytes());
        table.extend(checksum(bytes.iter()).to_le_bytes());
        body.extend_from_slice(bytes);
    }
    let mut out = b"\x89SINEW\n\x1a\x01\0\0\0".to_vec();
    out.extend((sections.len() as u32).to_le_bytes());
    out.extend(((32 + table.len() + body.len()) as u64).to_le_bytes());
    let sum = checksum(out.iter().chain(&table));
    out.extend(sum.to_le_bytes());
    [out, table, body].concat()
}

fn sound_skeleton() -> Vec<u8> {
    let joints = vec![
        Joint::new("a", None, DTransform::IDENTITY),
        Joint::new(
            "b",
            Some(JointId(0)),
            DTransform { translation: glam::DVec3::splat(0.1), ..DTransform::IDENTITY },
        ),
    ];
    let skeleton = Skeleton::numbered(joints, vec![0.5]).unwrap();
    let file = write_runtime(&skeleton, &[], ClipForm::Stored).unwrap();
    file[64..].to_vec()
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
fn any_bytes_are_a_runtime_file_or_refused() {
    fuzz!(20_000, Vec<u8>, |bytes: &Vec<u8>| read_file(bytes));
}

#[test]
fn any_sections_are_read_or_refused() {
    let sound = sound_skeleton();
    fuzz!(2_000, (Vec<u8>, Vec<(u16, u8)>), |(clip, edits): &(Vec<u8>, Vec<(u16, u8)>)| {
        let mut skeleton = sound.clone();
        edit(&mut skeleton, edits);
        read_file(&sealed(&[(b"SKEL", &skeleton), (b"CLIP", clip)]));
    });
}

#[test]
fn any_coded_clip_is_read_or_refused() {
    fuzz!(2_000, (u8, Vec<u8>), |(form, bytes): &(u8, Vec<u8>)| {
        // No name, curves or events: one byte of coded zeros.
        read_clip(&[&[form % 2, 1, 0, 0, 0, 0xff][..], bytes].concat());
    });
}

/// Five joints that swing, with a curve and an event: every part of a coded clip.
fn sound_clip() -> Vec<u8> {
    let joint = |i: u32| {
        let rest = DTransform { translation: glam::DVec3::new(0.0, 0.3, 0.0), ..DTransform::IDENTITY };
        Joint::new(format!("joint {i}"), i.checked_sub(1).map(JointId), rest)
    };
    let skeleton = Skeleton::numbered((0..5).map(joint).collect(), Vec::new()).unwrap();
    let times: Arc<[f64]> = (0..40).map(|k| f64::from(k) / 30.0).collect();
    let swing = |i: u32| {
        let turn =
            |k: u32| glam::DQuat::from_rotation_z(libm::sin(f64::from(k * (i + 1)) * 0.1) * 2.5).as_quat();
        let values: Arc<[f32]> = (0..40).flat_map(|k| turn(k).to_array()).collect();
        let track = Track::rotation(times.clone(), values, Interpolation::Linear).unwrap();
        Channel { joint: JointId(i), target: ChannelTarget::Rotation, track, source: 0 }
    };
    let raw = RawClip {
        name: Some("swing".into()),
        channels: (0..5).map(swing).collect(),
        curves: vec![Curve::new("weight", [0.0, 0.5], [0.0, 1.0], Interpolation::Linear).unwrap()],
        events: vec![Event { name: "step".into(), time: 0.25 }],
        ..RawClip::default()
    };
    let rig = Rig::new(&skeleton).unwrap();
    ClipBuilder::new(&skeleton, &rig).build(&raw).unwrap().0.to_stored()
}

#[test]
fn a_sound_clip_with_edits_is_read_or_refused() {
    let sound = sound_clip();
    assert_eq!(sound[0], 1, "coded");
    read_clip(&sound);
    fuzz!(3_000, (u16, Vec<(u16, u8)>), |(keep, edits): &(u16, Vec<(u16, u8)>)| {
        let mut bytes = sound.clone();
        edit(&mut bytes, edits);
        // Half of them whole, the others cut.
        if keep % 2 == 1 {
            bytes.truncate(usize::from(keep / 2) % bytes.len());
        }
        read_clip(&bytes);
    });
}

#[test]
fn forty_bytes_do_not_take_gigabytes() {
    for byte in 0..=255_u8 {
        read_clip(&[&[1, 1, 0, 0, 0, 0xff][..], &[byte; 34]].concat());
        read_clip(&[&[1, 34, 0, 0, 0][..], &[byte; 35]].concat());
    }
    // A table that claims four billion sections.
    let mut file = sealed(&[]);
    file[12..16].fill(255);
    read_file(&file);
}
