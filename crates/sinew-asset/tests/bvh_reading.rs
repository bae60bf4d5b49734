//! A BVH file is read as its text says: orders, positions, End Sites, times, names, units and axes.
//!
//! Expected values are algebra, or come from an independent evaluator in double precision (the mixed-order file).

use sinew::{ChannelTarget, DTransform, JointFlags, RawPose, Skeleton, model_matrices};
use sinew_asset::{BvhOptions, BvhUnits, BvhUp, Loaded, ProblemCode, ReadOptions, Severity, load, read_bvh};

const MIXED_ORDERS: &str = "HIERARCHY
ROOT Hips
{
	OFFSET 0.0 0.0 0.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Thigh
	{
		OFFSET 9.0 -4.5 0.5
		CHANNELS 3 Zrotation Yrotation Xrotation
		JOINT Shin
		{
			OFFSET 0.0 -40.0 2.0
			CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation
			End Site
			{
				OFFSET 0.0 -38.0 3.0
			}
		}
	}
}
MOTION
Frames:	2
Frame Time:	0.025
0 90 0 0 0 179 10 -20 5 0 -40 2 15 0 30
2 91 4 5 -3 -179 370 -20 40 0 -40 2 15 25 30
";

fn read(text: impl AsRef<[u8]>) -> Loaded {
    read_bvh(text.as_ref(), &BvhOptions::default()).expect("the file is sound")
}

fn pose(loaded: &Loaded, time: f64) -> RawPose {
    let mut pose = RawPose::default();
    loaded.document.clips[0].sample(&loaded.document.skeleton, time, &mut pose);
    pose
}

fn world(skeleton: &Skeleton, pose: &RawPose, name: &str) -> [f64; 3] {
    let mut model_ms = Vec::new();
    model_matrices(skeleton, pose, &mut model_ms);
    model_ms[skeleton.find(name).expect("the joint is there").index()].w_axis.truncate().to_array()
}

#[track_caller]
fn assert_near(found: [f64; 3], expected: [f64; 3], tolerance: f64) {
    let worst = (0..3).map(|i| (found[i] - expected[i]).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance, "found {found:?}, expected {expected:?}");
}

/// A chain of one root with one rotation order and one row, for the smaller promises.
fn small(channels: &str, row: &str) -> String {
    format!(
        "HIERARCHY\nROOT a\n{{\nOFFSET 1 2 3\nCHANNELS {channels}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n\
         MOTION\nFrames: 1\nFrame Time: 0.1\n{row}\n"
    )
}

#[test]
fn every_joint_turns_in_its_own_channel_order_and_positions_replace_offsets() {
    let loaded = read(MIXED_ORDERS);
    let skeleton = &loaded.document.skeleton;
    let expected = [
        (0, "Thigh", [-8.989903053, 85.5, -0.656995506]),
        (0, "Shin", [-16.466192796, 46.174647141, 0.616469922]),
        (0, "Shin_End", [-42.459820457, 18.311065825, 1.592255381]),
        (1, "Thigh", [-6.579852529, 85.720349512, 3.89312948]),
        (1, "Shin", [-17.312072789, 55.907849378, 28.388726718]),
        (1, "Shin_End", [-45.825974998, 45.060010846, 51.242211791]),
    ];
    for (frame, joint, position) in expected {
        let pose = pose(&loaded, f64::from(frame) * 0.025);
        assert_near(world(skeleton, &pose, joint), position, 2e-5);
    }
}

#[test]
fn a_yaw_from_179_to_minus_179_degrees_is_a_step_of_2_degrees() {
    let loaded = read(MIXED_ORDERS);
    let expected = glam::DQuat::from_xyzw(-0.021695019, 0.999676391, -0.01327051, 0.000576742).normalize();
    let found = pose(&loaded, 0.0125).local[0].rotation;
    assert!(DTransform::angle_between(found, expected) < 1e-6);
    let hips =
        loaded.document.clips[0].channels.iter().find(|c| c.target == ChannelTarget::Rotation).unwrap();
    assert!(hips.track.key_rotation(0).dot(hips.track.key_rotation(1)) > 0.0, "neighbours have one sign");
}

#[test]
fn frame_k_is_at_k_frame_times_and_the_clip_ends_with_its_last_frame() {
    let row = "0 0 0\n".repeat(101);
    let text = small("3 Xrotation Yrotation Zrotation", &row)
        .replace("Frames: 1", "Frames: 101")
        .replace("Time: 0.1", "Time: 0.0083333");
    let clip = &read(text).document.clips[0];
    assert_eq!(clip.channels[0].track.times()[77], 77.0 * 0.0083333);
    assert_eq!(clip.duration(), 100.0 * 0.0083333);
    assert_eq!(clip.name.as_deref(), Some("motion"));
}

#[test]
fn end_sites_are_joints_named_after_their_parent() {
    let loaded = read(MIXED_ORDERS);
    let skeleton = &loaded.document.skeleton;
    let end = skeleton.find("Shin_End").expect("it is there");
    assert!(skeleton.joint(end).flags.contains(JointFlags::END_SITE));
    assert_eq!(skeleton.joint(end).parent, skeleton.find("Shin"));
    assert_eq!(skeleton.joint(end).rest.translation.to_array(), [0.0, -38.0, 3.0]);
    assert_eq!(skeleton.joints().iter().map(|j| j.node).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn a_lone_position_channel_replaces_one_component() {
    let loaded = read(small("2 Yposition Xrotation", "7 0"));
    assert_eq!(pose(&loaded, 0.0).local[0].translation.to_array(), [1.0, 7.0, 3.0]);
    assert_eq!(loaded.document.skeleton.joints()[0].rest.translation.to_array(), [1.0, 2.0, 3.0]);
}

#[test]
fn a_joint_may_have_fewer_than_three_turns() {
    let loaded = read(small("1 Zrotation", "90"));
    assert_near(world(&loaded.document.skeleton, &pose(&loaded, 0.0), "a_End"), [0.0, 2.0, 3.0], 1e-7);
    assert_eq!(loaded.document.clips[0].channels.len(), 1, "no translation track without position channels");
}

#[test]
fn line_ends_tabs_blanks_case_and_a_byte_order_mark_change_nothing() {
    let plain = read(MIXED_ORDERS);
    let variants = [
        MIXED_ORDERS.replace('\n', "\r\n"),
        MIXED_ORDERS.replace('\n', "\r"),
        MIXED_ORDERS.replace('\n', " \t \n\n"),
        MIXED_ORDERS.replace('\t', " ").replace(' ', "\t\t "),
        format!("\u{feff}{MIXED_ORDERS}"),
        MIXED_ORDERS.replace("ROOT", "root").replace("OFFSET", "Offset").replace("rotation", "ROTATION"),
        MIXED_ORDERS
            .replace("HIERARCHY", "hierarchy")
            .replace("End Site", "END  SITE")
            .replace("MOTION", "Motion"),
        MIXED_ORDERS.replace("Frames:\t", "Frames :").replace("Frame Time:\t", "FrameTime:"),
        MIXED_ORDERS.replace("Frames:", "frames").replace("Frame Time:", "FRAME   TIME"),
        MIXED_ORDERS.replace("Hips\n{", "Hips {").replace("Thigh\n\t{", "Thigh{"),
        MIXED_ORDERS.trim_end().to_owned(),
    ];
    for text in variants {
        let loaded = read(&text);
        assert_eq!(loaded.document, plain.document, "{text:?}");
        assert!(loaded.problems.iter().all(|p| p.severity == Severity::Info), "{:?}", loaded.problems);
    }
}

#[test]
fn names_may_hold_blanks_colons_and_bytes_of_another_encoding() {
    let names = |text: &[u8]| -> Vec<Option<String>> {
        read(text).document.skeleton.joints().iter().map(|j| j.name.clone()).collect()
    };
    let text = small("1 Xrotation", "0");
    let named = |name: &[u8]| {
        let (head, tail) = text.split_once("ROOT a").unwrap();
        [head.as_bytes(), b"ROOT ", name, tail.as_bytes()].concat()
    };
    assert_eq!(names(&named(b"Left  Up Leg "))[0].as_deref(), Some("Left  Up Leg"));
    assert_eq!(names(&named(b"rig:hips"))[1].as_deref(), Some("rig:hips_End"));
    assert_eq!(names(&named(b"H\xfcfte"))[0].as_deref(), Some("H\u{fffd}fte"));
    assert_eq!(names(&named(b"\nnext line"))[0].as_deref(), Some("next"), "words after it are reported");
    let unnamed = read(named(b""));
    assert_eq!(unnamed.document.skeleton.joints()[0].name, None);
    assert!(unnamed.problems.iter().any(|p| p.message.contains("no name")));
}

#[test]
fn several_roots_share_one_row() {
    let tree = |name: &str| format!("ROOT {name}\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xposition\n}}\n");
    let text = format!("HIERARCHY\n{}{}MOTION\nFrames: 1\nFrame Time: 1\n4 5\n", tree("left"), tree("right"));
    let loaded = read(text);
    let pose = pose(&loaded, 0.0);
    assert_eq!(pose.local[0].translation.x, 4.0);
    assert_eq!(pose.local[1].translation.x, 5.0);
    assert_eq!(loaded.document.scenes[0].roots.len(), 2);
}

#[test]
fn a_chain_of_100000_joints_costs_no_stack() {
    let depth = 100_000;
    let mut text = String::from("HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\n");
    text.push_str(&"JOINT j\n{\nOFFSET 0 1 0\n".repeat(depth));
    text.push_str(&"}".repeat(depth + 1));
    text.push_str("\nMOTION\nFrames: 0\nFrame Time: 0.1\n");
    assert_eq!(read(text).document.skeleton.len(), depth + 1);
}

#[test]
fn lengths_and_axes_stay_as_in_the_file_and_the_guess_is_said_with_numbers() {
    let loaded = read(person(1.0, false));
    assert_eq!(loaded.document.skeleton.joints()[1].rest.translation.y, 170.0);
    let guesses: Vec<_> = loaded.problems.iter().filter(|p| p.code == ProblemCode::Guess).collect();
    assert!(guesses.iter().all(|p| p.severity == Severity::Info), "{guesses:?}");
    let told = |words: &str| guesses.iter().any(|p| p.message.contains(words));
    assert!(told("170.0000 units") && told("option centimetres"), "{guesses:?}");
    assert!(told("Y is up"), "{guesses:?}");
}

#[test]
fn asked_for_or_guessed_units_become_metres() {
    let height = |scale: f64, units| {
        let options = BvhOptions { units, ..BvhOptions::default() };
        let loaded = read_bvh(person(scale, false).as_bytes(), &options).unwrap();
        let pose = pose(&loaded, 0.0);
        (loaded.document.skeleton.joints()[1].rest.translation.y, pose.local[0].translation.x)
    };
    let near = |(height, x): (f64, f64), expected: f64| {
        assert!(
            (height - expected).abs() < 1e-6 * expected && (x - expected).abs() < 1e-6 * expected,
            "{height} {x}"
        );
    };
    near(height(1.0, BvhUnits::Centimetres), 1.70);
    near(height(1.0, BvhUnits::Inches), 170.0 * 0.0254);
    near(height(1.0, BvhUnits::Scale(0.5)), 85.0);
    near(height(1.0, BvhUnits::Auto), 1.70);
    near(height(0.4, BvhUnits::Auto), 68.0 * 0.0254);
    near(height(0.01, BvhUnits::Auto), 1.70);
    near(height(10.0, BvhUnits::Auto), 1.70);
    near(height(30.0 / 170.0, BvhUnits::Auto), 30.0 * 0.0564444);
    near(height(1e6, BvhUnits::Auto), 1.7e8);
}

#[test]
fn a_z_up_file_is_turned_to_y_up_when_asked_for_or_guessed() {
    for up in [BvhUp::Z, BvhUp::Auto] {
        let options = BvhOptions { up, ..BvhOptions::default() };
        let loaded = read_bvh(person(1.0, true).as_bytes(), &options).unwrap();
        let pose = pose(&loaded, 0.0);
        // In the file: at x 170, turned by 30 degrees about Z, the head 170 up along Z and 10 along Y.
        let (sin, cos) = (0.5, 0.75_f64.sqrt());
        let expected = [170.0 - 10.0 * sin, 170.0, -10.0 * cos];
        assert_near(world(&loaded.document.skeleton, &pose, "head"), expected, 1e-4);
    }
    let as_is = read(person(1.0, true));
    assert!(as_is.problems.iter().any(|p| p.message.contains("Z seems to be up")));
    assert_eq!(as_is.document.skeleton.joints()[1].rest.translation.z, 170.0);
}

/// A head 170 units over the root, which moves 170 along X and turns 30 degrees about the up axis.
fn person(scale: f64, z_up: bool) -> String {
    let (offset, turn) =
        if z_up { ([0.0, 10.0, 170.0], "Zrotation") } else { ([0.0, 170.0, 10.0], "Yrotation") };
    let [x, y, z] = offset.map(|v| v * scale);
    format!(
        "HIERARCHY\nROOT hips\n{{\nOFFSET 0 0 0\nCHANNELS 4 Xposition Yposition Zposition {turn}\n\
         JOINT head\n{{\nOFFSET {x} {y} {z}\n}}\n}}\nMOTION\nFrames: 1\nFrame Time: 0.1\n{} 0 0 30\n",
        170.0 * scale
    )
}

#[test]
fn the_clip_is_named_after_the_file_unless_a_name_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow walk.bvh");
    std::fs::write(&path, MIXED_ORDERS).unwrap();
    let mut options = ReadOptions::default();
    assert_eq!(load(&path, &options).unwrap().document.clips[0].name.as_deref(), Some("slow walk"));
    options.bvh.clip_name = Some("stroll".into());
    assert_eq!(load(&path, &options).unwrap().document.clips[0].name.as_deref(), Some("stroll"));
}
