//! Study: a body that shakes over six soles that stay where they are.
//!
//! Curves move the body; the legs are solved for soles fixed in the world. The same shake at twice the amplitude
//! has to be refused.

use std::path::Path;

use serde_json::{Map, Value, json};
use sinew::action::ActionChannel::{
    BodyPitch, BodyRoll, BodyX, BodyY, BodyYaw, BodyZ, HeadPitch, HeadRoll, HeadYaw,
};
use sinew::action::{
    Action, ActionError, ActionRecord, ActionSettings, BlendMode, BlendWindow, BlendWindows, Euler,
    FailureCause, FrameRecord, KeyDomain, LegRecord, PARAMETERIZATION, Replay, SolveLimits,
};
use sinew::{DTransform, LocalPose, ModelJob, ModelPose, RawPose, Rig, largest_residual};
use sinew_asset::Document;
use sinew_audit::plot::{Limit, Marker, Plot, Tone};

use crate::action_study::keys::{self, RATE, Turning, eased};
use crate::action_study::playback::{clip, readback_error, seconds, through_a_file, world_poses};
use crate::action_study::plots::{over_frames, series};
use crate::action_study::stage::{Recording, Stage};
use crate::action_study::table;
use crate::record::Record;
use crate::robot::REFERENCE_HEIGHT;
use crate::{Promise, Section, Study, StudyDocument, StudyError, StudyResult};

/// How the list of studies knows it.
pub(crate) const STUDY: Study = Study {
    name: "body-shake",
    title: "The body that shakes over standing feet",
    summary: "Curves turn, lower and shift the body; the legs are solved so that six soles do not move by an atom's \
              width. At twice the amplitude the legs would have to jump, and the recording stops.",
    run,
};

/// Length of the action, seconds: with a second before and after, 172 frames of 30 a second.
const LENGTH: f64 = 3.7;
/// The amplitude that has to be refused.
const TOO_MUCH: f64 = 2.0;

// What the shake comes to, measured once and promised since. A test measures turns, room, gaps and heights again, by
// plain geometry on the bones of the file.

/// Largest turn of a watched bone in the world from a frame to the next, degrees.
const MOST_TURN: f64 = 3.104;
/// Least room of a joint to its nearest limit, degrees.
const LEAST_ROOM: f64 = 11.09;
/// Least gap between the capsules of parts of a leg that share no joint, metres.
const LEAST_GAP: f64 = 2.584;
/// Least height of a hip, knee or ankle less its radius, metres.
const LEAST_CLEARANCE: f64 = 2.0094;
/// At twice the amplitude, the first frame in which a watched bone would turn by more than 5 degrees.
const FIRST_JUMP: f64 = 53.0;
/// The first in which one does although the leg is tried again at other tilts of its ankle.
const FAILS_AT: f64 = 54.0;
/// By how much, degrees.
const FAILS_WITH: f64 = 5.564;

/// Turning points by frame of the action. Ours. The head's are zero where the body's pitch and yaw are furthest, so
/// that there the head is turned just as the body is.
const KEYS: [Turning<'static>; 9] = [
    (BodyX, &[(0, 0.0), (18, 0.03), (42, -0.025), (70, 0.015), (111, 0.0)]),
    (BodyY, &[(0, 0.0), (24, -0.02), (52, 0.03), (84, -0.01), (111, 0.0)]),
    (BodyZ, &[(0, 0.72), (14, 0.68), (32, 0.71), (52, 0.64), (74, 0.71), (90, 0.70), (111, 0.72)]),
    (BodyPitch, &[(0, 0.0), (13, -4.0), (32, 10.35), (48, -5.0), (68, 4.5), (88, -2.0), (111, 0.0)]),
    (BodyYaw, &[(0, 0.0), (16, 3.5), (33, -2.0), (55, -9.36), (77, 5.0), (95, -1.5), (111, 0.0)]),
    (BodyRoll, &[(0, 0.0), (17, 2.5), (38, -4.0), (62, 3.0), (86, -1.5), (111, 0.0)]),
    (HeadPitch, &[(0, 0.0), (14, -2.5), (32, 0.0), (43, 3.0), (55, 0.0), (70, -1.5), (90, 0.0), (111, 0.0)]),
    (HeadYaw, &[(0, 0.0), (16, 2.0), (32, 0.0), (43, -1.5), (55, 0.0), (80, 2.5), (111, 0.0)]),
    (HeadRoll, &[(0, 0.0), (32, 0.0), (43, 1.5), (55, 0.0), (111, 0.0)]),
];

/// The action at `factor` times its amplitude.
fn action(factor: f64) -> Result<Action, ActionError> {
    let window = |seconds: f64| BlendWindow::new(seconds, BlendMode::SmoothStep);
    let windows = BlendWindows { blend_in: window(0.25), blend_out: window(0.4) };
    Action::new(ActionRecord {
        name: "body shake".into(),
        original_length: LENGTH,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: PARAMETERIZATION,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: windows.clone(),
            head_blend: windows,
        },
        channels: KEYS.iter().map(|(channel, _)| (*channel, channel.name().to_owned())).collect(),
        fields: KEYS.iter().map(|keys| eased(*keys, factor)).collect::<Result<_, _>>()?,
    })
}

fn run(out_dir: &Path) -> Result<StudyResult, StudyError> {
    let stage = Stage::new()?;
    let record = |factor, limits| {
        let action = action(factor).map_err(StudyError::build("the action"))?;
        stage.record(&action, limits, &Replay::default())
    };
    let shake = record(1.0, SolveLimits::default())?;
    let twice = record(TOO_MUCH, SolveLimits::default())?;
    // The same without the rule that has legs tried again and stops it, to find the frame by other means.
    let unruled = record(TOO_MUCH, SolveLimits { turn: f64::INFINITY, ..SolveLimits::default() })?;

    let poses = world_poses(&shake.frames, stage.robot.body);
    let skeleton = &stage.robot.skeleton;
    let clips = vec![
        clip("body shake", 0, skeleton, &poses)?,
        clip(
            "twice the amplitude, until it stops",
            1,
            skeleton,
            &world_poses(&twice.frames, stage.robot.body),
        )?,
    ];
    let document = stage.robot.document("body shake", clips);
    let (glb, loaded) = through_a_file(&document, "the robot")?;
    let readback = Readback {
        file_m: file_residual(&stage, &loaded.document),
        single_m: single_residual(&stage, &poses)?,
        bones_m: readback_error(skeleton, &poses, &loaded.document, 0),
    };
    let promises = promises(&stage, &shake, &twice, &unruled, &readback);
    let plots = plots(&stage, &shake, &twice);

    let mut files = Vec::new();
    let folder = Path::new(STUDY.name).join("shake");
    files.extend(written(&stage, "shake", 1.0, &shake, Some(&glb)).write(out_dir, &folder)?);
    let file = folder.join("playback.glb");
    let folder = Path::new(STUDY.name).join("twice");
    files.extend(written(&stage, "twice", TOO_MUCH, &twice, None).write(out_dir, &folder)?);
    let documents = vec![StudyDocument { label: "robot".into(), file, document, rate: RATE }];
    let (name, title) = (STUDY.name, STUDY.title);
    Ok(StudyResult { name, title, text: text(), promises, plots, documents, files })
}

/// Soles of a pose in the world, by plain composition of its bones.
fn soles(stage: &Stage, world_ms: impl Fn(sinew::JointId) -> glam::DMat4) -> Vec<glam::DVec3> {
    let legs = stage.robot.legs.iter().enumerate();
    legs.map(|(leg, bones)| {
        let down = glam::DVec3::NEG_Y * stage.legs.geometry(leg).foot;
        world_ms(bones.foot).transform_point3(down)
    })
    .collect()
}

fn anchors(stage: &Stage) -> Vec<glam::DVec3> {
    stage.anchors_ws.iter().map(|anchor| anchor.translation).collect()
}

/// How far soles are from their anchors once poses have been through single precision, metres.
struct Readback {
    /// Written as a file and read back: keys in single precision.
    file_m: f64,
    /// The runtime's pose: all of it in single precision.
    single_m: f64,
    /// Worst bone of the file.
    bones_m: f64,
}

fn file_residual(stage: &Stage, loaded: &Document) -> f64 {
    let (mut pose, mut model_ms, mut worst) = (RawPose::default(), Vec::new(), 0.0_f64);
    let frames = loaded.clips[0].channels.iter().map(|c| c.track.len()).max().unwrap_or(0);
    for frame in 0..frames {
        loaded.clips[0].sample(&loaded.skeleton, seconds(frame), &mut pose);
        sinew::model_matrices(&loaded.skeleton, &pose, &mut model_ms);
        let found = |joint| {
            let same = loaded.skeleton.find(&stage.robot.skeleton.label(joint));
            same.map_or(glam::DMat4::NAN, |same| model_ms[same.index()])
        };
        worst =
            largest_residual(&soles(stage, found), &anchors(stage)).map_or(worst, |r| worst.max(r.metres));
    }
    worst
}

fn single_residual(stage: &Stage, poses: &[RawPose]) -> Result<f64, StudyError> {
    let rig = Rig::new(&stage.robot.skeleton).map_err(StudyError::build("the runtime's rig"))?;
    let (mut model, mut worst) = (ModelPose::rest(&rig), 0.0_f64);
    for pose in poses {
        let pose = &LocalPose::from_raw(&rig, pose);
        ModelJob { rig: &rig, pose, groups: usize::MAX, output: &mut model }
            .run()
            .map_err(StudyError::build("the runtime's pose"))?;
        let found = |joint| glam::DMat4::from(model.get(rig.slot(joint)).as_daffine3());
        worst =
            largest_residual(&soles(stage, found), &anchors(stage)).map_or(worst, |r| worst.max(r.metres));
    }
    Ok(worst)
}

fn head_ws(stage: &Stage, record: &FrameRecord) -> Euler {
    Euler::from_quat(record.joint_ws(stage.robot.head).rotation)
}

/// The frame with the largest value.
fn furthest(frames: &[FrameRecord], of: impl Fn(&FrameRecord) -> f64) -> (f64, f64) {
    let all = frames.iter().map(|record| (of(record), record.clock.time));
    all.fold((f64::NEG_INFINITY, f64::NAN), |best, at| if at.0 > best.0 { at } else { best })
}

fn promises(
    stage: &Stage,
    shake: &Recording,
    twice: &Recording,
    unruled: &Recording,
    readback: &Readback,
) -> Vec<Promise> {
    let promise = |what: &str, expected, measured| Promise::new(STUDY.name, what, expected, measured);
    let frames = &shake.frames;
    let least =
        |of: fn(&LegRecord) -> f64| frames.iter().flat_map(|f| &f.legs).map(of).fold(f64::INFINITY, f64::min);
    let (pitch, pitch_at) = furthest(frames, |f| head_ws(stage, f).pitch.to_degrees());
    let (yaw, yaw_at) = furthest(frames, |f| -head_ws(stage, f).yaw.to_degrees());
    let turn = frames.iter().filter_map(|f| f.continuity).map(|t| t.radians).fold(0.0, f64::max);
    let watched: usize = (0..6).map(|leg| sinew::action::LegSolver::leg(&&stage.legs, leg).chain.len()).sum();
    let mut all = vec![
        promise("samples", (172.0, 0.0, ""), frames.len() as f64),
        promise("largest pitch of body and head", (10.35, 5e-3, "deg"), pitch),
        promise("when the pitch is largest", (2.07, 5e-3, "s"), pitch_at),
        promise("least yaw of body and head", (-9.36, 5e-3, "deg"), -yaw),
        promise("when the yaw is least", (2.83, 5e-3, "s"), yaw_at),
    ];
    for (leg, bones) in stage.robot.legs.iter().enumerate() {
        let worst = frames.iter().map(|f| f.legs[leg].residual_ws.length()).fold(0.0, f64::max);
        all.push(promise(
            &format!("sole {}: furthest from its anchor", bones.name),
            (0.0, 5e-6, "cm"),
            worst * 1e2,
        ));
    }
    all.extend([
        promise(
            "the same in single precision, worst sole: file read back",
            (0.0, 0.05, "cm"),
            readback.file_m * 1e2,
        ),
        promise(
            "the same in single precision, worst sole: runtime's pose",
            (0.0, 0.05, "cm"),
            readback.single_m * 1e2,
        ),
        promise("bones whose turn is watched", (24.0, 0.0, ""), watched as f64),
        promise(
            "largest turn of them in the world in a frame; the limit is 5 deg",
            (MOST_TURN, 5e-3, "deg"),
            turn.to_degrees(),
        ),
        promise(
            "least room of a joint to its limit",
            (LEAST_ROOM, 5e-3, "deg"),
            least(|leg| leg.limit_margin).to_degrees(),
        ),
        promise("least gap between parts of a leg", (LEAST_GAP, 5e-4, "m"), least(|leg| leg.self_gap)),
        promise(
            "least height of a hip, knee or ankle over the ground",
            (LEAST_CLEARANCE, 5e-4, "m"),
            frames.iter().map(|f| f.clearance).fold(f64::INFINITY, f64::min),
        ),
        promise(
            "body at the end from where it was at the start",
            (0.0, 1e-6, "mm"),
            frames.first().zip(frames.last()).map_or(f64::NAN, |(a, b)| {
                (a.body.body_ws.translation - b.body.body_ws.translation).length() * 1e3
            }),
        ),
        promise("worst bone after writing and reading the file", (0.0, 0.01, "mm"), readback.bones_m * 1e3),
    ]);
    let failure = twice.failure.as_ref();
    let continuity = failure.and_then(|f| match f.cause {
        FailureCause::Continuity { radians, .. } => Some(radians.to_degrees()),
        _ => None,
    });
    all.extend([
        promise(
            "twice the amplitude: first frame with a turn of more than 5 deg, with a second try",
            (FAILS_AT, 0.0, ""),
            failure.map_or(f64::NAN, |f| f64::from(f.frame)),
        ),
        promise(
            "twice the amplitude: the same in a recording that neither tries again nor stops",
            (FIRST_JUMP, 0.0, ""),
            first_jump(stage, &unruled.frames).unwrap_or(f64::NAN),
        ),
        promise(
            "twice the amplitude: turn of the bone that stops it",
            (FAILS_WITH, 5e-3, "deg"),
            continuity.unwrap_or(f64::NAN),
        ),
    ]);
    all
}

/// The first frame in which a bone of a leg turns by more than 5 degrees in the world.
fn first_jump(stage: &Stage, frames: &[FrameRecord]) -> Option<f64> {
    let jumps = |pair: &&[FrameRecord]| {
        let bones = stage.robot.legs.iter().flat_map(|leg| [leg.upper, leg.lower, leg.ankle, leg.foot]);
        let turned = |bone| {
            let [a, b] = [0, 1].map(|i| pair[i].joint_ws(bone).rotation);
            DTransform::angle_between(a, b)
        };
        bones.map(turned).fold(0.0, f64::max).to_degrees() > 5.0
    };
    frames.windows(2).find(jumps).map(|pair| f64::from(pair[1].frame))
}

fn written<'a>(
    stage: &Stage,
    run: &'a str,
    factor: f64,
    recording: &Recording,
    playback: Option<&'a [u8]>,
) -> Record<'a> {
    let names: Vec<&str> = stage.robot.legs.iter().map(|leg| leg.name).collect();
    let limits = SolveLimits::default();
    let mut settings = Map::from_iter([
        ("keys".into(), keys::settings(&KEYS)),
        (
            "keys_are".into(),
            json!("ours; seconds of the action and degrees or parts of the reference height"),
        ),
        ("amplitude".into(), json!(factor)),
        ("length_s".into(), json!(LENGTH)),
        ("rate_hz".into(), json!(keys::RATE)),
        ("blend_in_s".into(), json!(0.25)),
        ("blend_out_s".into(), json!(0.4)),
        ("blend_mode".into(), json!("smooth step")),
        ("reference_height_m".into(), json!(REFERENCE_HEIGHT)),
        ("limit_turn_deg".into(), json!(limits.turn.to_degrees())),
        ("limit_residual_m".into(), json!(limits.residual)),
    ]);
    let failure =
        recording.failure.as_ref().map_or(Value::Null, |f| table::failure(&stage.robot.skeleton, f));
    settings.insert("first_failing_frame".into(), failure);
    let what = if factor == 1.0 {
        "A body that shakes over six soles fixed in the world."
    } else {
        "The same shake at twice the amplitude, up to the frame in which a leg would jump."
    };
    Record {
        study: STUDY.name,
        run,
        what,
        settings,
        columns: table::columns(&names),
        rows: recording.frames.iter().map(table::row).collect(),
        playback,
    }
}

fn plots(stage: &Stage, shake: &Recording, twice: &Recording) -> Vec<Plot> {
    let frames = &shake.frames;
    let head = stage.robot.head;
    let marker = |of: &dyn Fn(&FrameRecord) -> f64, sign: f64, name: &str| {
        let (value, x) = furthest(frames, |f| sign * of(f));
        Marker { x, y: Some(sign * value), label: format!("{name} {:.2} deg", sign * value), finding: None }
    };
    let mut angles = over_frames(
        "Head in the world: angles",
        "angle",
        "deg",
        "Pitch up, yaw to the left and roll to the right of the head in the world. Three angles describe one \
         rotation; they do not add up to one.",
        vec![
            series("pitch", frames, |f| head_ws(stage, f).pitch.to_degrees()),
            series("yaw", frames, |f| head_ws(stage, f).yaw.to_degrees()),
            series("roll", frames, |f| head_ws(stage, f).roll.to_degrees()),
        ],
    );
    angles.joint = Some(head.0);
    angles.markers = vec![
        marker(&|f| head_ws(stage, f).pitch.to_degrees(), 1.0, "pitch"),
        marker(&|f| head_ws(stage, f).yaw.to_degrees(), -1.0, "yaw"),
    ];
    let curves = over_frames(
        "Curves: pitch and yaw of the body",
        "curve",
        "deg",
        "What the curves say, before the weight. They hold their ends outside the action.",
        vec![
            series("pitch", frames, |f| f.value(BodyPitch).unwrap_or(0.0).to_degrees()),
            series("yaw", frames, |f| f.value(BodyYaw).unwrap_or(0.0).to_degrees()),
        ],
    );
    let weight = over_frames(
        "Weight",
        "weight",
        "",
        "How much of the action shows: zero outside it, one between its blend windows.",
        vec![series("body", frames, |f| f.body_weight.value)],
    );
    let mut turn = over_frames(
        "Legs: largest turn in a frame",
        "turn in the world",
        "deg",
        "Of 24 bones of the legs, the one that turned furthest since the frame before. Twice the amplitude crosses \
         the limit and is stopped there.",
        vec![
            series("shake", frames, |f| f.continuity.map_or(0.0, |t| t.radians.to_degrees()))
                .tone(Tone::Good),
            twice_turns(twice).tone(Tone::Bad),
        ],
    );
    turn.limits = vec![Limit { value: 5.0, label: "limit 5 deg".into() }];
    let sole = over_frames(
        "Soles: distance from their anchors",
        "distance",
        "fm",
        "Sole of the finished pose against where it stood before the action, in double precision. A femtometre is \
         the size of an atom's nucleus; what is left is the rounding of the arithmetic. The limit of the recording \
         is half a millimetre.",
        stage
            .robot
            .legs
            .iter()
            .enumerate()
            .map(|(leg, bones)| series(bones.name, frames, move |f| f.legs[leg].residual_ws.length() * 1e15))
            .collect(),
    );
    let least = |of: fn(&sinew::action::LegRecord) -> f64| {
        move |f: &FrameRecord| f.legs.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    let mut room = over_frames(
        "Legs: room to the nearest joint limit",
        "room",
        "deg",
        "The tightest of 30 joint angles. Below zero a joint would be past its limit.",
        vec![
            series("shake", frames, least(|leg| leg.limit_margin.to_degrees())).tone(Tone::Good),
            series("twice", &twice.frames, least(|leg| leg.limit_margin.to_degrees())).tone(Tone::Bad),
        ],
    );
    room.limits = vec![Limit { value: 0.0, label: "limit".into() }];
    vec![angles, curves, weight, turn, sole, room]
}

/// The frames that were solved, and the turn that stopped the next.
fn twice_turns(twice: &Recording) -> sinew_audit::plot::Series {
    let mut turns = series("twice", &twice.frames, |f| f.continuity.map_or(0.0, |t| t.radians.to_degrees()));
    if let Some(failure) = &twice.failure
        && let FailureCause::Continuity { radians, .. } = failure.cause
    {
        turns.points.push([failure.time, radians.to_degrees()]);
    }
    turns
}

fn text() -> Vec<Section> {
    vec![
        Section::new(
            "What happens",
            &[
                "For 3.7 seconds curves turn the body, shift it and lower it by up to 80 cm. Turning the body alone \
                 would drag the feet along; so before the action the place of every sole in the world is put down, and \
                 in every frame each leg is solved for it anew: coxa, upper, lower and ankle in closed form, the tilt of \
                 the ankle chosen near that of the frame before, the foot kept level.",
                "The action, its curves and its keys are ours; the two extremes and when they come are those of a \
                 published recording of a similar machine.",
            ],
        ),
        Section::new(
            "What is checked, and when",
            &[
                "Clearance, joint limits and collisions within a leg are checked on the legs as solved, before the head \
                 is turned; turns in the world and the soles on the finished pose. A small residual alone proves little: \
                 many bent legs reach the same sole, and one that jumps between them reaches it in every frame. So \
                 the least room, gap and height and the largest turn are promised as numbers: a recording stops at a \
                 frame that breaks a limit, so that the frames it has say nothing by merely keeping it.",
                "At twice the amplitude all soles could still be held for a while. What gives way first is \
                 continuity: in frame 53 a leg's bone would turn by more than 5 degrees. Another tilt of the ankle gets \
                 over that frame; in frame 54 none does. The recording names that frame, the leg, its ankle's tilt and the \
                 turns of its bones in its record, and stops.",
            ],
        ),
        Section::new(
            "What it does not do",
            &[
                "Nothing here has weight. That the pose can be held says nothing of whether the feet could carry \
                 it.",
            ],
        ),
    ]
}
