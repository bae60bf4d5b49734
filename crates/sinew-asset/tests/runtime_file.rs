//! A runtime file gives back what was written, and refuses by name whatever is not quite one.

use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3};
use sinew::{Clip, DTransform, Joint, JointFlags, JointId, Rig, Skeleton};
use sinew_asset::{
    ClipForm, NoFiles, ReadOptions, RuntimeFileError, load_runtime, read, read_runtime, save, write_runtime,
};

/// Where the fields of the header are, by its description.
const MAJOR: usize = 8;
const MINOR: usize = 10;
const SECTIONS: usize = 12;
const CHECKSUM: usize = 24;
const TABLE: usize = 32;
const ENTRY: usize = 32;

/// A clip in which nothing moves, byte by byte as the block is described: header, one constant, one segment, padding.
fn still(joints: u16, value: f32) -> Clip {
    still_of(joints, Rig::new(&skeleton()).unwrap().layout(), value)
}

fn still_of(joints: u16, layout: u32, value: f32) -> Clip {
    let mut block = Vec::new();
    block.extend(joints.to_le_bytes());
    block.extend([0; 2]);
    block.extend(2_u32.to_le_bytes());
    block.extend(30.0_f64.to_le_bytes());
    block.extend((1.0_f64 / 30.0).to_le_bytes());
    for count in [16_u16, 0, 0, 0, 1, 0, 0, 0] {
        block.extend(count.to_le_bytes());
    }
    for offset in [56_u32, 70, 70] {
        block.extend(offset.to_le_bytes());
    }
    block.extend(layout.to_le_bytes());
    block.extend(0_u16.to_le_bytes());
    [value, 0.5, -0.25].iter().for_each(|v| block.extend(v.to_le_bytes()));
    block.extend(78_u32.to_le_bytes());
    block.extend([0; 4 + 32]);
    Clip::from_bytes(Arc::from(block)).unwrap()
}

fn skeleton() -> Skeleton {
    let odd = DTransform {
        translation: DVec3::new(0.1, -0.0, 1e-300),
        rotation: DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
        scale: DVec3::new(1.0, 1.5, 1.0),
    };
    let mut joints = vec![
        Joint::new("hips", None, DTransform::IDENTITY),
        Joint::new("Kopf \u{1f600}", Some(JointId(0)), odd),
        Joint::new("hips", Some(JointId(1)), DTransform::IDENTITY),
        Joint { name: None, ..Joint::new("", Some(JointId(0)), odd) },
    ];
    joints[2].rest_matrix = Some(DMat4::from_cols_array(&core::array::from_fn(|i| i as f64 / 3.0)));
    joints[2].flags = JointFlags::SKIN_JOINT | JointFlags::END_SITE;
    for (joint, node) in joints.iter_mut().zip([7, 3, u32::MAX, 0]) {
        joint.node = node;
    }
    joints[1].weights = 0..2;
    joints[3].weights = 2..3;
    Skeleton::new(joints, vec![0.25, 0.1, 1.0]).unwrap()
}

fn file(form: ClipForm) -> Arc<[u8]> {
    Arc::from(write_runtime(&skeleton(), &[still(4, 1.0), still(4, 2.0)], form).unwrap())
}

fn refused(bytes: impl Into<Arc<[u8]>>) -> RuntimeFileError {
    read_runtime(&bytes.into()).unwrap_err()
}

#[test]
fn skeleton_and_clips_come_back_exactly() {
    for form in [ClipForm::Stored, ClipForm::Resident] {
        let bytes = file(form);
        let back = read_runtime(&bytes).unwrap();
        assert_eq!(back.skeleton, skeleton());
        // Equality of numbers does not see the sign of a zero.
        assert!(back.skeleton.joints()[1].rest.translation.y.is_sign_negative());
        assert_eq!(back.rig, sinew::Rig::new(&skeleton()).unwrap());
        let blocks: Vec<&[u8]> = back.clips.iter().map(Clip::bytes).collect();
        assert_eq!(blocks, [still(4, 1.0).bytes(), still(4, 2.0).bytes()]);
        assert!(back.on_disk.iter().all(|(f, _)| *f == form));
        assert_eq!(bytes, Arc::from(write_runtime(&back.skeleton, &back.clips, form).unwrap()));
    }
}

#[test]
fn resident_clips_are_played_from_the_bytes_of_the_file() {
    let bytes = file(ClipForm::Resident);
    let back = read_runtime(&bytes).unwrap();
    assert!(back.clips.iter().all(|c| bytes.as_ptr_range().contains(&c.bytes().as_ptr())));
    drop(bytes);
    assert_eq!(back.clips[1].frames(), 2);
}

#[test]
fn a_file_that_ends_early_is_refused_at_every_length() {
    let bytes = file(ClipForm::Stored);
    for length in 0..bytes.len() {
        match refused(&bytes[..length]) {
            RuntimeFileError::Truncated { expected, found, .. } => {
                assert!(found == length as u64 && expected > found, "{length}");
            }
            other => panic!("{length}: {other}"),
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(refused(longer), RuntimeFileError::Longer { .. }));
}

#[test]
fn a_changed_byte_is_refused_wherever_it_is() {
    for form in [ClipForm::Stored, ClipForm::Resident] {
        let sound = file(form);
        for at in 0..sound.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bytes = sound.to_vec();
                bytes[at] ^= flip;
                let error = refused(bytes);
                let fits = match at {
                    0..MAJOR => matches!(error, RuntimeFileError::Magic { .. }),
                    MAJOR..MINOR => matches!(error, RuntimeFileError::Version { .. }),
                    // A count of sections may reach past the end.
                    SECTIONS..16 => matches!(
                        error,
                        RuntimeFileError::Corrupted { .. } | RuntimeFileError::Truncated { .. }
                    ),
                    _ => matches!(error, RuntimeFileError::Corrupted { .. }),
                };
                assert!(fits, "byte {at}: {error}");
            }
        }
    }
}

#[test]
fn a_damaged_section_is_named_with_its_place() {
    let mut bytes = file(ClipForm::Stored).to_vec();
    let clip_at = u64::from_le_bytes(bytes[TABLE + 2 * ENTRY + 8..][..8].try_into().unwrap());
    let last = bytes.len() - 1;
    bytes[last] ^= 4;
    match refused(bytes) {
        RuntimeFileError::Corrupted { section, offset, .. } => {
            assert_eq!((section.as_str(), offset), ("CLIP", clip_at))
        }
        other => panic!("{other}"),
    }
}

/// FNV-1a as published (offset basis and prime of 64 bits), over the header and the table.
fn seal(bytes: &mut [u8]) {
    let count = u32::from_le_bytes(bytes[SECTIONS..16].try_into().unwrap()) as usize;
    let end = TABLE + count * ENTRY;
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes[..CHECKSUM].iter().chain(&bytes[TABLE..end]) {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    bytes[CHECKSUM..TABLE].copy_from_slice(&state.to_le_bytes());
}

#[test]
fn another_major_version_is_refused_with_both_numbers_and_a_minor_one_is_read() {
    let mut bytes = file(ClipForm::Stored).to_vec();
    bytes[MINOR] = 9;
    seal(&mut bytes);
    assert_eq!(read_runtime(&Arc::from(bytes.clone())).unwrap().version, [2, 9]);
    for (major, cure) in [(1, "bake it again"), (3, "update sinew")] {
        bytes[MAJOR] = major;
        let error = refused(bytes.clone());
        assert!(
            matches!(error, RuntimeFileError::Version { found: [found, 9] } if found == u16::from(major))
        );
        let said = error.to_string();
        assert!(
            said.contains(&format!("{major}.9")) && said.contains("2.x") && said.contains(cure),
            "{said}"
        );
    }
}

#[test]
fn an_unknown_section_is_passed_over_unless_it_must_be_known() {
    let mut bytes = file(ClipForm::Stored).to_vec();
    let entry = TABLE + 2 * ENTRY;
    bytes[entry..entry + 4].copy_from_slice(b"WIND");
    seal(&mut bytes);
    match refused(bytes.clone()) {
        RuntimeFileError::Required { section, .. } => assert_eq!(section, "WIND"),
        other => panic!("{other}"),
    }
    bytes[entry + 4] = 0;
    seal(&mut bytes);
    assert_eq!(read_runtime(&Arc::from(bytes)).unwrap().clips.len(), 1);
}

#[test]
fn a_file_without_a_skeleton_or_with_clips_for_another_is_refused() {
    let mut bytes = file(ClipForm::Stored).to_vec();
    bytes[TABLE..TABLE + 4].copy_from_slice(b"WIND");
    bytes[TABLE + 4] = 0;
    seal(&mut bytes);
    assert!(matches!(refused(bytes), RuntimeFileError::Missing { section: "SKEL" }));
    let error = write_runtime(&skeleton(), &[still(5, 1.0)], ClipForm::Stored).unwrap_err();
    assert!(matches!(error, RuntimeFileError::ClipJoints { index: 0, found: 5, expected: 4 }));
    let other = [still(4, 1.0), still_of(4, 0x5eed, 1.0)];
    let error = write_runtime(&skeleton(), &other, ClipForm::Stored).unwrap_err();
    assert!(matches!(error, RuntimeFileError::ClipLayout { index: 1, found: 0x5eed, .. }), "{error}");
}

#[test]
fn each_reader_names_the_one_for_the_other_file() {
    let error = read(&file(ClipForm::Stored), &NoFiles, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("sinew runtime file") && error.contains("load_runtime"), "{error}");
    for (bytes, kind) in
        [(&b"glTF\x02\0\0\0"[..], "GLB"), (b"{\"asset\":{}}", "glTF"), (b"HIERARCHY\nROOT a", "BVH")]
    {
        let error = refused(bytes).to_string();
        assert!(error.contains(kind) && error.contains("sinew_asset::load"), "{error}");
    }
}

#[test]
fn a_saved_file_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    save(&path, &file(ClipForm::Stored)).unwrap();
    assert_eq!(load_runtime(&path).unwrap().skeleton, skeleton());
    let error = load_runtime(folder.path().join("b.sinew")).unwrap_err();
    assert!(matches!(error, RuntimeFileError::File(_)));
}
