//! A clip comes back from its stored form bit for bit, and no bytes do harm.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::block::Kind;
use super::super::pack::{Group, KeyedTrack, Note, Whole};
use super::{Clip, StoredClipError};
use crate::{Curve, Event, Interpolation};

/// A small generator, so that one number gives a whole clip.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn step(&mut self) -> f32 {
        f32::from_bits(((0x3800 + self.below(0x300)) as u32) << 16)
    }
}

/// Walks of every smoothness, with changing left-out components and tracks of every kind.
fn random(seed: u64, frames: u32, segment: u16, rough: u64) -> Whole {
    let n = &mut Numbers(seed);
    let joints = 1 + n.below(30) as u16;
    let mut whole = Whole {
        joints,
        layout: n.below(1 << 32) as u32,
        scaled: n.below(2) == 1,
        frames,
        rate: [30.0, 29.97, 120.0, 1.0 / 3.0][n.below(4) as usize],
        segment,
        ..Whole::default()
    };
    whole.duration = f64::from(frames - 1) / whole.rate * if n.below(3) == 0 { 0.75 } else { 1.0 };
    for pose_group in 0..joints.div_ceil(8) {
        let lanes = (joints - pose_group * 8).min(8);
        let mask = (1 + n.below(255)) as u8 & ((1_u16 << lanes) - 1) as u8;
        if mask != 0 && n.below(4) != 0 {
            let steps = core::array::from_fn(|_| n.step());
            whole.groups.push(Group {
                kind: Kind::Rotation3,
                mask,
                aligned: Some(pose_group),
                slots: vec![],
                swaps: [0; 2],
                steps,
            });
        }
    }
    for kind in [Kind::Rotation3, Kind::Rotation4, Kind::Translation, Kind::Scale] {
        let lanes = n.below(9);
        if lanes > 0 {
            let mut steps = [1.0; 8];
            steps[..lanes as usize].fill_with(|| n.step());
            let slots = (0..lanes).map(|_| n.below(joints.into()) as u16).collect();
            let mask = ((1_u16 << lanes) - 1) as u8;
            let second = n.below(256) as u8 & mask;
            whole.groups.push(Group {
                kind,
                mask,
                aligned: None,
                slots,
                swaps: [second, n.below(256) as u8 & mask & !second],
                steps,
            });
        }
    }
    let float = |n: &mut Numbers| n.below(2000) as f32 / 100.0 - 10.0;
    for _ in 0..n.below(5) {
        whole.rotations.push((n.below(joints.into()) as u16, core::array::from_fn(|_| float(n))));
        whole.translations.push((n.below(joints.into()) as u16, core::array::from_fn(|_| float(n))));
        whole.scales.push((n.below(joints.into()) as u16, core::array::from_fn(|_| float(n))));
    }
    for kind in [Kind::Rotation4, Kind::Translation, Kind::Scale] {
        let keys = n.below(5) as usize;
        if keys > 0 {
            let slot = n.below(joints.into()) as u16;
            let times = (0..keys).map(|k| k as f32 * 0.1).collect();
            let values = (0..keys * kind.components()).map(|_| float(n)).collect();
            whole.keyed.push(KeyedTrack { slot, kind, hold: n.below(2) == 1, times, values });
        }
    }
    let head = whole.head();
    let row = whole.row();
    let mut now: Vec<i64> = (0..row).map(|_| n.below(60_000) as i64 - 30_000).collect();
    let mut speed: Vec<i64> = (0..row).map(|_| n.below(200) as i64 - 100).collect();
    let mut drops = vec![[0; 3]; whole.groups.len()];
    for segment in 0..head.segments() {
        for (group, drops) in whole.groups.iter().zip(&mut drops) {
            if group.kind == Kind::Rotation3 && n.below(4) == 0 {
                let lanes = n.below(256) as u8 & group.mask;
                *drops = [0; 3];
                drops[n.below(3) as usize] = lanes;
                if n.below(2) == 0 {
                    now.iter_mut().take(8).for_each(|v| *v = -*v);
                }
            }
            whole.notes.push(Note { far: n.below(5) == 0, drops: *drops });
        }
        for within in 0..head.frames_in(segment) {
            let moves = within > 0;
            let mut column = 0;
            for group in &whole.groups {
                for cell in column..column + group.kind.components() * 8 {
                    if group.mask >> (cell % 8) & 1 == 1 && moves {
                        speed[cell] =
                            (speed[cell] + n.below(2 * rough + 1) as i64 - rough as i64).clamp(-300, 300);
                        now[cell] = (now[cell] + speed[cell]).clamp(-100_000, 100_000);
                    }
                    whole.values.push(now[cell] as i32);
                }
                column += group.kind.components() * 8;
            }
        }
    }
    whole.scaled |= !whole.scales.is_empty()
        || whole.groups.iter().any(|g| g.kind == Kind::Scale)
        || whole.keyed.iter().any(|k| k.kind == Kind::Scale);
    whole
}

fn clip_of(whole: &Whole) -> Clip {
    let mut clip = Clip::from_bytes(Arc::from(whole.pack().unwrap())).unwrap();
    clip.name = Some("Läuft".into());
    let times = [0.0, 0.1, 0.2, 0.35];
    clip.curves = vec![
        Curve::new("left foot", times, [0.0, 1.0, 1.0, 0.0], Interpolation::Step).unwrap(),
        Curve::new(
            "",
            times,
            core::array::from_fn::<f32, 12, _>(|i| i as f32 * 0.3),
            Interpolation::CubicSpline,
        )
        .unwrap(),
    ];
    clip.events = vec![Event { name: "step".into(), time: 0.5 }, Event { name: "step".into(), time: 0.25 }];
    clip
}

fn assert_same(a: &Clip, b: &Clip) {
    assert_eq!(a.bytes(), b.bytes());
    assert_eq!((a.name(), a.curves(), a.events()), (b.name(), b.curves(), b.events()));
    assert_eq!(a.head, b.head);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_stored_clip_comes_back_bit_for_bit(
        seed: u64, frames in 1_u32..90, segment in 1_u16..40, rough in 0_u64..200
    ) {
        let clip = clip_of(&random(seed, frames, segment, rough));
        let (stored, resident) = (clip.to_stored(), clip.to_resident());
        assert_same(&Clip::from_stored(&stored).unwrap(), &clip);
        assert_same(&Clip::from_stored(&resident).unwrap(), &clip);
    }

    #[test]
    fn a_damaged_clip_is_refused_or_is_a_clip(seed: u64, at: u16, to: u8) {
        let mut stored = clip_of(&random(seed, 20, 16, 3)).to_stored();
        let at = usize::from(at) % stored.len();
        stored[at] = to;
        if let Ok(clip) = Clip::from_stored(&stored) {
            assert_same(&Clip::from_stored(&clip.to_stored()).unwrap(), &clip);
        }
    }
}

#[test]
fn smooth_motion_takes_half_the_room_of_its_block() {
    let clip = clip_of(&random(11, 600, 16, 2));
    let (stored, block) = (clip.to_stored().len(), clip.bytes().len());
    assert!(stored * 2 < block, "{stored} bytes for {block}");
    assert_eq!(clip.to_stored()[0], super::CODED);
}

#[test]
fn a_resident_clip_is_played_from_the_bytes_of_its_file() {
    let clip = clip_of(&random(5, 30, 16, 5));
    let mut file = vec![7; 13];
    file.extend(clip.to_resident());
    let end = file.len();
    file.extend([9; 5]);
    let file: Arc<[u8]> = Arc::from(file);
    let shared = Clip::from_shared(&file, 13..end).unwrap();
    assert_same(&shared, &clip);
    assert!(file.as_ptr_range().contains(&shared.bytes().as_ptr()), "the block was copied");
    let error = Clip::from_shared(&file, 13..end + 6).unwrap_err();
    assert!(matches!(error, StoredClipError::Truncated { .. }), "{error}");
}

#[test]
fn a_block_that_packing_does_not_make_is_kept_verbatim() {
    // A byte that means nothing, and that packing leaves 0.
    let mut block = random(3, 20, 16, 3).pack().unwrap();
    *block.last_mut().unwrap() = 1;
    let clip = Clip::from_bytes(Arc::from(block)).unwrap();
    let stored = clip.to_stored();
    assert_eq!(stored[0], super::VERBATIM);
    assert_same(&Clip::from_stored(&stored).unwrap(), &clip);
}

#[test]
fn a_stored_clip_that_ends_early_is_refused() {
    let stored = clip_of(&random(2, 40, 16, 9)).to_stored();
    let whole = Clip::from_stored(&stored).unwrap();
    for length in 0..stored.len() {
        // A reader takes zeros beyond the end: the last byte may not matter, and what comes out is then the same.
        match Clip::from_stored(&stored[..length]) {
            Ok(clip) => assert!(length + 4 >= stored.len() && clip.bytes() == whole.bytes(), "{length}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn a_few_bytes_that_claim_millions_of_keys_are_refused_before_room_is_made() {
    let mut whole = random(8, 1, 16, 0);
    let still = |frames: u32, whole: &mut Whole| {
        whole.frames = frames;
        whole.segment = 60_000;
        whole.duration = 0.0;
        let rows = frames as usize + whole.head().segments() - 1;
        whole.notes = vec![Note::default(); whole.head().segments() * whole.groups.len()];
        whole.values = vec![1; rows * whole.row()];
    };
    still(60_000, &mut whole);
    let clip = Clip::from_bytes(Arc::from(whole.pack().unwrap())).unwrap();
    let stored = clip.to_stored();
    assert_same(&Clip::from_stored(&stored).unwrap(), &clip);
    // What pads a clip that compresses this well is what lets a reader believe it.
    let cut = stored.iter().rposition(|b| *b != 0).unwrap() + 1;
    assert!(cut < 2000 && cut < stored.len(), "{cut} of {}", stored.len());
    let error = Clip::from_stored(&stored[..cut]).unwrap_err();
    assert!(matches!(error, StoredClipError::TooLarge { what: "keys", .. }), "{error}");
}

/// FNV-1a, 64 bits, as published.
fn digest(bytes: &[u8]) -> u64 {
    let step = |state: u64, byte: &u8| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Files of version 2 are read by every sinew that reads that version: where this fails, the coder has changed, and
/// the major version of the runtime file must too.
#[test]
fn the_coded_bytes_of_version_2_stay_as_they_are() {
    let digests = [1, 2, 3, 4].map(|seed| digest(&clip_of(&random(seed, 50, 16, seed * 3)).to_stored()));
    let expected =
        [0x85a7_3d17_c58c_36a5, 0x07d4_c844_f555_d12e, 0xc7f4_ed9c_2049_c7dc, 0x7347_7cc5_e3cf_e325];
    assert_eq!(digests, expected);
}
