//! Promise: action assets come back as they were written, in both versions; each stage of reading fails with its
//! own error, which names the asset, the object, the field and the byte; and no byte is left unread in silence.
//!
//! The two golden files were put together by hand from the description of the format, not by its writer.

use sinew::action::{
    ActionChannel, ActionField, ActionRecord, ActionSettings, BindRequest, Binding, BlendMode, BlendWindow,
    BlendWindows, Fallback, HeadSubtree, KeyDomain, NameMap, Policy, SequenceError, SequenceJob,
};
use sinew::{
    Channel, ChannelTarget, Curve, DTransform, Interpolation, Joint, JointFlags, JointId, RawClip, RawPose,
    Skeleton, SkeletonError, Track, TrackError,
};
use sinew_asset::{
    ActionContainer, ActionContainerError, ActionFileError, ActionSequence, ActionWriteError, DecodeFault,
    FieldFault, ObjectKind, SequenceBase, load_action_file, read_action_file, save, write_action_file,
};

const V1: &[u8] = include_bytes!("action_file_v1.golden");
const V2: &[u8] = include_bytes!("action_file_v2.golden");
const NAME: &str = "robot.actions";
const HEADER: usize = 32;
const ENTRY: usize = 32;
/// Of a file with two objects.
const FIRST_OBJECT: usize = HEADER + 2 * ENTRY;

fn dip() -> ActionRecord {
    let custom = Curve::new("head_blend_in", [0.0, 1.0], [0.0_f32, 0.75], Interpolation::Linear).unwrap();
    ActionRecord {
        name: "head_dip".into(),
        original_length: 3.0,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: 1,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: BlendWindows::NONE,
            head_blend: BlendWindows {
                blend_in: BlendWindow::new(0.68, BlendMode::Custom(custom)),
                blend_out: BlendWindow::new(0.5, BlendMode::SmoothStep),
            },
        },
        channels: vec![
            (ActionChannel::HeadPitch, "HeadRotP".into()),
            (ActionChannel::HeadYaw, "HeadRotY".into()),
            (ActionChannel::BodyZ, "BodyTransZ".into()),
        ],
        fields: vec![
            ActionField::linear("HeadRotP", &[0.0, 1.0, 3.0], &[0.0, -0.5, -0.25]).unwrap(),
            ActionField::linear("HeadRotY", &[], &[]).unwrap(),
            ActionField::linear("BodyTransZ", &[0.125, 1.0 / 7.0], &[0.875, 0.9375]).unwrap(),
        ],
    }
}

fn open_core() -> ActionSequence {
    let at = |y, z| DTransform { translation: glam::DVec3::new(0.0, y, z), ..DTransform::IDENTITY };
    let joints = vec![
        Joint::new("Body_01", None, DTransform::IDENTITY),
        Joint::new("Head_01", Some(JointId(0)), at(1.5, 0.0)),
        Joint::new("Core_01", Some(JointId(1)), at(1.0, 0.25)),
    ];
    let lift = Track::new(
        [0.0, 50.0 / 30.0].into(),
        [0.0, 1.0, 0.25, 0.0, 2.375, 0.25].into(),
        3,
        Interpolation::Linear,
    );
    let turn = Track::rotation([0.0].into(), [0.0, 0.0, 0.0, 1.0].into(), Interpolation::Linear);
    let joint = JointId(2);
    let channels = vec![
        Channel { joint, target: ChannelTarget::Translation, track: lift.unwrap(), source: 0 },
        Channel { joint, target: ChannelTarget::Rotation, track: turn.unwrap(), source: 1 },
    ];
    ActionSequence {
        name: "open_core".into(),
        base: SequenceBase::Absolute,
        skeleton: Skeleton::numbered(joints, Vec::new()).unwrap(),
        clip: RawClip { name: Some("open_core".into()), channels, ..RawClip::default() },
    }
}

/// FNV-1a, 64 bits.
fn checksum(parts: &[&[u8]]) -> u64 {
    parts.iter().copied().flatten().fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn u64_at(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// The same file with all checksums made to hold.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let objects = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    for entry in (0..objects).map(|i| HEADER + i * ENTRY) {
        let (offset, length) = (u64_at(&file, entry + 8), u64_at(&file, entry + 16));
        let sum = checksum(&[&file[offset..offset + length]]);
        file[entry + 24..entry + 32].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = checksum(&[&file[..24], &file[HEADER..HEADER + objects * ENTRY]]);
    file[24..32].copy_from_slice(&sum.to_le_bytes());
    file
}

/// Where bytes are in the version 2 file for the first time.
fn find(what: &[u8]) -> usize {
    V2.windows(what.len()).position(|window| window == what).unwrap()
}

fn edited(edits: &[(usize, &[u8])]) -> Vec<u8> {
    let mut file = V2.to_vec();
    for (at, bytes) in edits {
        file[*at..*at + bytes.len()].copy_from_slice(bytes);
    }
    sealed(file)
}

/// The version 2 file with bytes added to the end of its last object.
fn longer(more: &[u8]) -> Vec<u8> {
    let mut file = [V2, more].concat();
    let length = file.len() as u64;
    file[16..24].copy_from_slice(&length.to_le_bytes());
    let last = HEADER + ENTRY;
    let size = (u64_at(V2, last + 16) + more.len()) as u64;
    file[last + 16..last + 24].copy_from_slice(&size.to_le_bytes());
    sealed(file)
}

fn container(bytes: &[u8]) -> ActionContainerError {
    match read_action_file(NAME, bytes).unwrap_err() {
        ActionFileError::Container(error) => error,
        other => panic!("{} {other}", other.stage()),
    }
}

fn field(bytes: &[u8]) -> (&'static str, u32, String, u64, FieldFault) {
    match read_action_file(NAME, bytes).unwrap_err() {
        ActionFileError::Field(error) => {
            assert_eq!(error.asset, NAME);
            (error.kind, error.object, error.field, error.offset, error.fault)
        }
        other => panic!("{} {other}", other.stage()),
    }
}

fn decode(bytes: &[u8]) -> (&'static str, u32, String, u64, DecodeFault) {
    // Whatever is wrong with keys, the fields before them can be read.
    assert!(ActionContainer::read(NAME, bytes).unwrap().parse().is_ok());
    match read_action_file(NAME, bytes).unwrap_err() {
        ActionFileError::Decode(error) => {
            assert_eq!(error.asset, NAME);
            (error.kind, error.object, error.field, error.offset, error.fault)
        }
        other => panic!("{} {other}", other.stage()),
    }
}

#[test]
fn both_versions_hold_the_same_action_and_the_field_that_moved_is_found_in_each() {
    for (bytes, version) in [(V1, 1), (V2, 2)] {
        let file = read_action_file(NAME, bytes).unwrap();
        assert_eq!(file.version, [version, 0]);
        assert_eq!(file.records, [dip()]);
        assert_eq!(file.sequences, [open_core()]);
        assert_eq!(file.actions().unwrap()[0].length(), 3.0);
        assert_eq!(write_action_file(&[dip()], &[open_core()], version).unwrap(), bytes);
    }
    // The length did move, over the head bone.
    let at = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|w| w == what).unwrap();
    let (length, bone) = (3.0_f64.to_le_bytes(), b"Head_01");
    assert!(at(V1, &length) < at(V1, bone) && at(V2, &length) > at(V2, bone));
}

#[test]
fn fields_of_one_version_read_as_those_of_the_other_are_refused_with_asset_field_and_offset() {
    for (bytes, other) in [(V2, 1_u16), (V1, 2)] {
        let mut file = bytes.to_vec();
        file[8..10].copy_from_slice(&other.to_le_bytes());
        let (kind, object, field, offset, fault) = field(&sealed(file));
        assert_eq!((kind, object), ("ACTN", 0), "{field} {offset} {fault}");
        assert!(offset as usize > FIRST_OBJECT && (offset as usize) < bytes.len());
        // Version 1 takes the bone's name for the action's length and its last letters for the length of a name;
        // version 2 takes the action's length for that of a name, and then the name's length for a flag.
        if other == 1 {
            assert!(field == "head_bone" && matches!(fault, FieldFault::Truncated { .. }), "{field} {fault}");
        } else {
            assert_eq!(&*field, "head_animation");
            assert_eq!(fault, FieldFault::Value { found: 7.0, expected: "0 or 1" });
        }
    }
}

#[test]
fn an_asset_of_a_later_version_names_itself_the_field_and_the_offset() {
    let mut file = V2.to_vec();
    file[8..12].copy_from_slice(&[3, 0, 1, 0]);
    let error = container(&file);
    assert_eq!(error, ActionContainerError::Version { asset: NAME.into(), offset: 8, found: [3, 1] });
    let text = error.to_string();
    assert!(
        text.contains(NAME) && text.contains("version at byte 8 is 3.1") && text.contains("update"),
        "{text}"
    );
    file[8..10].fill(0);
    assert!(matches!(container(&file), ActionContainerError::Version { found: [0, 1], .. }));
}

#[test]
fn an_asset_of_a_later_minor_version_is_refused_for_that_and_not_for_what_it_added() {
    // Revision 2.1 with a field more at the end of its last object.
    let mut file = longer(&[7, 0, 0, 0]);
    file[10..12].copy_from_slice(&[1, 0]);
    let error = container(&sealed(file));
    assert_eq!(error, ActionContainerError::Version { asset: NAME.into(), offset: 8, found: [2, 1] });
    let text = error.to_string();
    assert!(text.contains("is 2.1, this sinew reads 1.0 and 2.0; update"), "{text}");
    let mut file = V1.to_vec();
    file[10] = 9;
    assert!(matches!(container(&sealed(file)), ActionContainerError::Version { found: [1, 9], .. }));
}

#[test]
fn many_objects_are_told_apart_in_a_time_that_grows_with_their_number() {
    // Objects may be empty, so a small file has many: each against all before it is minutes of comparing.
    let many = 300_000_u32;
    let table = HEADER + many as usize * ENTRY;
    let mut file = V2[..12].to_vec();
    file.extend(many.to_le_bytes());
    file.extend((table as u64).to_le_bytes());
    file.extend([0; 8]);
    for object in 0..many {
        file.extend(b"ACTN");
        file.extend(object.to_le_bytes());
        file.extend((table as u64).to_le_bytes());
        file.extend([0; 8]);
        file.extend(checksum(&[]).to_le_bytes());
    }
    let start = std::time::Instant::now();
    let sealed = sealed(file);
    let container = ActionContainer::read(NAME, &sealed).unwrap();
    assert_eq!(container.objects.len(), many as usize);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn an_object_of_an_unknown_kind_is_named_with_its_place() {
    let entry = HEADER + ENTRY;
    let error = container(&edited(&[(entry, b"PHYS"), (entry + 4, &[7, 0, 0, 0])]));
    let (asset, found) = (NAME.to_owned(), "PHYS".to_owned());
    assert_eq!(error, ActionContainerError::UnknownObject { asset, object: 7, offset: 64, found });
}

#[test]
fn bytes_left_at_the_end_of_an_object_are_an_error_with_their_place() {
    let (kind, object, field, offset, fault) = field(&longer(&[0, 0, 0]));
    assert_eq!((kind, object, &*field, offset), ("SEQN", 0, "end", V2.len() as u64));
    assert_eq!(fault, FieldFault::Unread { bytes: 3 });
}

#[test]
fn every_cut_of_a_file_is_refused_by_the_container() {
    for length in 0..V2.len() {
        let error = read_action_file(NAME, &V2[..length]).unwrap_err();
        assert_eq!(error.stage(), "container", "{length} bytes: {error}");
    }
    assert!(matches!(container(&[V2, &[0]].concat()), ActionContainerError::Length { .. }));
}

#[test]
fn every_cut_of_an_object_is_refused_by_its_fields() {
    let size = u64_at(V2, HEADER + ENTRY + 16);
    let start = V2.len() - size;
    for length in 0..size {
        let mut file = V2[..start + length].to_vec();
        file[16..24].copy_from_slice(&((start + length) as u64).to_le_bytes());
        file[HEADER + ENTRY + 16..HEADER + ENTRY + 24].copy_from_slice(&(length as u64).to_le_bytes());
        let (kind, _, field, offset, fault) = field(&sealed(file));
        assert_eq!(kind, "SEQN");
        assert!(matches!(fault, FieldFault::Truncated { .. }), "{length} bytes: {field} {fault}");
        assert!((start as u64..=(start + length) as u64).contains(&offset));
    }
}

#[test]
fn a_changed_byte_is_found_by_its_checksum() {
    for at in 12..V2.len() {
        let mut file = V2.to_vec();
        file[at] ^= 0x10;
        let error = read_action_file(NAME, &file).unwrap_err();
        assert_eq!(error.stage(), "container", "byte {at}: {error}");
    }
    let mut file = V2.to_vec();
    file[FIRST_OBJECT + 6] ^= 1;
    let error = container(&file);
    let ActionContainerError::Corrupted { field, offset, .. } = &error else { panic!("{error}") };
    assert_eq!((&**field, *offset), ("ACTN 0", FIRST_OBJECT as u64));
}

#[test]
fn tables_that_do_not_add_up_are_refused_with_the_field() {
    let (first, second) = (HEADER, HEADER + ENTRY);
    let value = |edits: &[(usize, &[u8])]| {
        let mut file = V2.to_vec();
        for (at, bytes) in edits {
            file[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        let sum = checksum(&[&file[..24], &file[HEADER..FIRST_OBJECT]]);
        file[24..32].copy_from_slice(&sum.to_le_bytes());
        container(&file)
    };
    let moved = value(&[(first + 8, &[97])]);
    assert!(
        matches!(moved, ActionContainerError::Value { field: "offset", offset: 40, found: 97, .. }),
        "{moved}"
    );
    let long = value(&[(second + 16, &[255; 8])]);
    assert!(matches!(long, ActionContainerError::Value { field: "length", offset: 80, .. }), "{long}");
    let twice = edited(&[(second, b"ACTN")]);
    assert!(matches!(
        container(&twice),
        ActionContainerError::Repeated { kind: "ACTN", object: 0, offset: 68, .. }
    ));
    let many = value(&[(12, &[255; 4])]);
    assert!(matches!(many, ActionContainerError::Truncated { field: "table", .. }), "{many}");
    let other = container(b"glTF\x02\0\0\0");
    assert!(
        matches!(&other, ActionContainerError::Magic { found, .. } if found.starts_with("glTF")),
        "{other}"
    );
    assert!(matches!(container(&[]), ActionContainerError::Magic { .. }));
}

#[test]
fn fields_that_mean_nothing_are_named_with_their_place() {
    let flag = find(b"Head_01") + 7 + 4;
    assert_eq!(
        field(&edited(&[(flag, &[2])])),
        (
            "ACTN",
            0,
            "head_animation".into(),
            flag as u64,
            FieldFault::Value { found: 2.0, expected: "0 or 1" }
        )
    );
    let length = flag + 1;
    let (_, _, name, offset, fault) = field(&edited(&[(length, &f64::NAN.to_le_bytes())]));
    assert_eq!((&*name, offset), ("original_length", length as u64));
    assert!(matches!(fault, FieldFault::Value { found, .. } if found.is_nan()));
    let channel = find(b"head_yaw");
    assert_eq!(
        field(&edited(&[(channel, b"tail_yaw")])),
        ("ACTN", 0, "channel".into(), channel as u64 - 4, FieldFault::Channel { name: "tail_yaw".into() })
    );
    let bone = find(b"Core_01");
    let text = field(&edited(&[(bone, &[0xff])]));
    assert_eq!(text, ("SEQN", 0, "bone's name".into(), bone as u64 - 4, FieldFault::Text));
    // Core_01 made a child of itself.
    let parent = bone - 13;
    let (_, _, name, _, fault) = field(&edited(&[(parent, &[2, 0, 0, 0])]));
    let error = SkeletonError::ParentNotBefore { joint: 2, parent: 2 };
    assert_eq!((&*name, fault), ("bones", FieldFault::Skeleton(error)));
    let interpolation = find(b"HeadRotP\x01") + 10;
    let (_, _, name, _, fault) = field(&edited(&[(interpolation, &[3])]));
    assert_eq!(&*name, "HeadRotP");
    assert!(matches!(fault, FieldFault::Value { found: 3.0, .. }));
    let track = bone + 7 + 80 + 4;
    let (_, _, name, offset, _) = field(&edited(&[(track, &[3])]));
    assert_eq!((&*name, offset), ("track's bone", track as u64));
}

#[test]
fn payloads_that_are_no_keys_fail_in_decoding_with_the_field_and_the_place() {
    // Encoding, interpolation, width, length, then the payload.
    let pitch = find(b"HeadRotP\x01") + 9;
    let payload = pitch + 7;
    let of = |edits: &[(usize, &[u8])]| {
        let (kind, object, field, offset, fault) = decode(&edited(edits));
        assert_eq!((kind, object, &*field), ("ACTN", 0, "HeadRotP"));
        (offset as usize, fault)
    };
    assert_eq!(of(&[(pitch, &[9])]), (pitch, DecodeFault::Encoding { found: 9 }));
    let four = [4, 0, 0, 0];
    assert!(matches!(of(&[(payload, &four)]), (_, DecodeFault::Truncated { .. })));
    let (at, fault) = of(&[(payload, &[2, 0, 0, 0])]);
    assert_eq!((at, fault), (payload + 12 + 2 + 8, DecodeFault::Unread { bytes: 5 }));
    let zero = of(&[(payload + 4, &0.0_f64.to_le_bytes())]);
    assert_eq!(zero, (payload + 4, DecodeFault::Rate { rate: 0.0 }));
    // Steps of 0, 30 and 60 frames: the second made 0.
    let repeated = TrackError::DuplicateTime { key: 1, time: 0.0 };
    assert_eq!(of(&[(payload + 13, &[0])]), (payload + 13, DecodeFault::Keys(repeated)));
    for key in 0..3 {
        let value = payload + 15 + key * 4;
        let (at, fault) = of(&[(value, &f32::NAN.to_le_bytes())]);
        let DecodeFault::Keys(TrackError::NonFiniteValue { key: found, .. }) = fault else {
            panic!("{fault}")
        };
        assert_eq!((at, found), (value, key));
    }
    // A step that never ends, and one of more than 32 bits.
    let endless = of(&[(payload + 12, &[0xff; 5])]);
    assert_eq!(endless, (payload + 12, DecodeFault::Frame { key: 0 }));
    // Keys at an eighth and a seventh of a second lie as they are; the second before the first.
    let height = find(b"BodyTransZ\x01") + 11 + 7;
    let second = height + 4 + 8;
    let (_, _, name, at, fault) = decode(&edited(&[(second, &0.0625_f64.to_le_bytes())]));
    assert_eq!((&*name, at), ("BodyTransZ", second as u64));
    assert!(matches!(fault, DecodeFault::Keys(TrackError::DecreasingTime { key: 1, .. })), "{fault}");
    // A rotation without a length, of the second object: its one key is the last of the file.
    let last = V2.len() - 16;
    let (kind, _, name, at, fault) = decode(&edited(&[(last, &[0; 16])]));
    assert_eq!((kind, &*name, at), ("SEQN", "track 1", last as u64));
    assert_eq!(fault, DecodeFault::Keys(TrackError::ZeroRotation { key: 0 }));
}

#[test]
fn an_action_that_decodes_and_cannot_be_used_is_refused_by_the_action_layer() {
    let mode = find(b"Head_01") + 7;
    let file = read_action_file(NAME, &edited(&[(mode, &[2])])).unwrap();
    let error = file.actions().unwrap_err();
    assert_eq!(error.to_string(), "action \"head_dip\" has parameterization mode 2, expected 1");
}

#[test]
fn a_sequence_that_decodes_and_cannot_be_written_into_a_pose_fails_in_the_pose_write() {
    let scale = find(b"Core_01") + 7 + 72;
    let file = read_action_file(NAME, &edited(&[(scale, &0.0_f64.to_le_bytes())])).unwrap();
    let sequence = &file.sequences[0];
    let target = open_core().skeleton;
    let head = HeadSubtree::new(&target, "Head_01", &[]).unwrap();
    let map = NameMap::same_names();
    let request = BindRequest {
        source: &sequence.skeleton,
        clip: &sequence.clip,
        target: &target,
        map: &map,
        mesh: "",
        skeleton: "",
        subtree: Some(&head),
    };
    let binding = Binding::new(&request).unwrap();
    let (mut output, mut written) = (RawPose::default(), Vec::new());
    let mut write = |mode, support: &RawPose| {
        SequenceJob {
            binding: &binding,
            source: &sequence.skeleton,
            clip: &sequence.clip,
            target: &target,
            seconds: 50.0 / 30.0,
            mode,
            policy: Policy { absent: Fallback::Support, partial: Fallback::Support },
            policies: &[],
            support,
            output: &mut output,
            written: &mut written,
        }
        .run()
    };
    let support = RawPose::rest(&target);
    write(sequence.base.mode(), &support).unwrap();
    // Against a base without scale there is no difference.
    let error = write(SequenceBase::Rest.mode(), &support).unwrap_err();
    assert!(matches!(error, SequenceError::Transform { what: "the additive base", .. }), "{error}");
    assert_eq!(output.local[2].translation, glam::DVec3::new(0.0, 2.375, 0.25));
}

#[test]
fn what_is_written_comes_back_from_disk() {
    let mut record = dip();
    record.settings.key_domain = KeyDomain::Progress;
    record.settings.body_blend.blend_in = BlendWindow::new(0.25, BlendMode::EaseOut);
    let mut additive = open_core();
    additive.base = SequenceBase::At(0.5);
    additive.name = "lift \u{1f916}".into();
    additive.clip.name = Some(additive.name.clone());
    let spline = Track::new(
        [0.1, 0.7].into(),
        (0..18).map(|i| i as f32 / 3.0).collect::<Vec<_>>().into(),
        3,
        Interpolation::CubicSpline,
    );
    let (joint, target) = (JointId(0), ChannelTarget::Scale);
    additive.clip.channels.push(Channel { joint, target, track: spline.unwrap(), source: 2 });
    let mut joints = additive.skeleton.joints().to_vec();
    (joints[1].name, joints[1].node, joints[1].flags) = (None, 77, JointFlags::SKIN_JOINT);
    additive.skeleton = Skeleton::new(joints, Vec::new()).unwrap();
    additive.clip.source = 1;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robot.actions");
    let bytes = write_action_file(&[record.clone()], &[open_core(), additive.clone()], 2).unwrap();
    save(&path, &bytes).unwrap();
    let file = load_action_file(&path).unwrap();
    assert_eq!((file.records, file.sequences), (vec![record], vec![open_core(), additive]));
    let missing = load_action_file(folder.path().join("none.actions")).unwrap_err();
    assert_eq!(missing.stage(), "file");
}

#[test]
fn what_a_version_has_no_place_for_is_refused_and_not_left_out() {
    let mut record = dip();
    record.settings.key_domain = KeyDomain::Progress;
    let refused = |records: &[ActionRecord], sequence: &ActionSequence, version| {
        write_action_file(records, core::slice::from_ref(sequence), version).unwrap_err()
    };
    let object = || "head_dip".to_owned();
    let what = "keys in parts of the length";
    assert_eq!(
        refused(&[record], &open_core(), 1),
        ActionWriteError::CannotSay { object: object(), what, version: 1 }
    );
    assert_eq!(refused(&[], &open_core(), 3), ActionWriteError::Version { found: 3 });
    assert_eq!(refused(&[], &open_core(), 0), ActionWriteError::Version { found: 0 });
    let mut sequence = open_core();
    sequence.clip.curves.push(Curve::new("w", [0.0], [0.0_f32], Interpolation::Linear).unwrap());
    assert!(matches!(refused(&[], &sequence, 2), ActionWriteError::CannotSay { .. }));
    let mut sequence = open_core();
    sequence.clip.channels[0].target = ChannelTarget::Weights;
    assert!(matches!(refused(&[], &sequence, 2), ActionWriteError::CannotSay { .. }));
}

#[test]
fn a_container_can_be_looked_at_without_its_fields_and_fields_without_their_keys() {
    let container = ActionContainer::read(NAME, V2).unwrap();
    let kinds: Vec<_> = container.objects.iter().map(|o| (o.kind, o.id, o.offset)).collect();
    assert_eq!(kinds[0], (ObjectKind::Action, 0, FIRST_OBJECT));
    assert_eq!(kinds[1].0, ObjectKind::Sequence);
    let parsed = container.parse().unwrap();
    assert_eq!(parsed.action_names().collect::<Vec<_>>(), ["head_dip"]);
    assert_eq!(parsed.sequence_names().collect::<Vec<_>>(), ["open_core"]);
}
