//! Study: an imported sequence written into the head's subtree, and what happens where a track is not whole.
//!
//! The clip comes from a file of its own with its bones in another order. Its tracks are bound by name; twenty
//! bones are written, all others keep the pose that body and legs made, to the bit.

use std::path::Path;

use glam::{DQuat, DVec3};
use serde_json::{Map, Value, json};
use sinew::action::{
    BindRequest, Binding, Euler, Fallback, JointWrite, LegSolver, LegTask, NameMap, Policy, Readback,
    ReadbackJob, RecordingClock, SequenceJob, TrackMode,
};
use sinew::{DTransform, JointId, RawPose, model_matrices};
use sinew_asset::Document;
use sinew_audit::plot::{Limit, Plot, Series, Tone};

use crate::action_study::keys::RATE;
use crate::action_study::playback::{clip, readback_error, seconds, through_a_file};
use crate::action_study::plots::over_frames;
use crate::action_study::stage::Stage;
use crate::core_runtime::{self, Runtime};
use crate::core_sequence::{self, CoreTrack};
use crate::record::{Column, Record};
use crate::robot::BONES;
use crate::{Promise, Section, Study, StudyDocument, StudyError, StudyResult};

/// How the list of studies knows it.
pub(crate) const STUDY: Study = Study {
    name: "core-deployment",
    title: "The core that comes out of a moving head",
    summary: "A sequence from another file is bound by name and written into 20 bones of the head; the other 67 \
              keep their pose to the bit. Whole, partial and missing tracks, with both fallbacks.",
    run,
};

/// Frames that sample the start, the middle and the end of the sequence.
const START: usize = 30;
const MIDDLE: usize = 55;
const END: usize = 80;

/// A track of the core, and what stands in for what it lacks.
struct Case {
    name: &'static str,
    track: CoreTrack,
    fallback: Fallback,
}

const CASES: [Case; 5] = [
    Case { name: "complete", track: CoreTrack::Complete, fallback: Fallback::Support },
    Case { name: "partial-support", track: CoreTrack::Rotation, fallback: Fallback::Support },
    Case { name: "partial-rest", track: CoreTrack::Rotation, fallback: Fallback::Rest },
    Case { name: "missing-support", track: CoreTrack::Missing, fallback: Fallback::Support },
    Case { name: "missing-rest", track: CoreTrack::Missing, fallback: Fallback::Rest },
];

/// One frame of a case.
struct Frame {
    time: f64,
    /// Moment of the sequence, seconds.
    sequence: f64,
    /// The finished pose; the root is at the origin.
    pose: RawPose,
    /// Bones that were written.
    written: usize,
    /// Bones outside the head that are the support pose's to the bit.
    untouched: usize,
    /// The core relative to the head, from the finished pose.
    core: DTransform,
    /// The head relative to the body.
    head: Euler,
}

/// A case, run.
struct Done {
    frames: Vec<Frame>,
    binding: Binding,
    /// The file that the sequence is in.
    source: Document,
}

/// A frame of the runtime beside the two evaluations in double precision.
struct Played {
    /// The core relative to the head, from where the runtime has both in the world.
    core: DTransform,
    /// The same in the file's own whole pose.
    whole: DTransform,
    /// The head relative to the body, in the runtime.
    head: Euler,
    /// Largest distance in the world between a bone of the head and where the written pose has it, metres.
    furthest_m: f64,
}

/// What became of a metre by which the body was moved, from files.
struct Carried {
    /// Frames of which every bone moved by it, once.
    once: usize,
    /// How the core moved at the middle of the sequence, world space, metres.
    core_ws: DVec3,
}

/// The head before the sequence: pitch, yaw and roll in degrees, well away from what its track has.
const HEAD_BEFORE: [f64; 3] = [-3.0, 14.0, -5.0];

fn run(out_dir: &Path) -> Result<StudyResult, StudyError> {
    let mut stage = Stage::new()?;
    stand_crooked(&mut stage)?;
    let done = CASES.iter().map(|case| deploy(&stage, case)).collect::<Result<Vec<_>, _>>()?;

    let skeleton = &stage.robot.skeleton;
    let complete = in_world(&stage, &stage.body_ws, &done[0].frames);
    let played = play(&stage, &done[0], &complete)?;
    let clips = CASES
        .iter()
        .zip(&done)
        .enumerate()
        .map(|(i, (case, done))| {
            clip(case.name, i, skeleton, &in_world(&stage, &stage.body_ws, &done.frames))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let document = stage.robot.document("core deployment", clips);
    let (glb, loaded) = through_a_file(&document, "the robot")?;
    let file_m = readback_error(skeleton, &complete, &loaded.document, 0);
    let carried = carried(&stage, &done[0], &loaded.document)?;
    let promises = promises(&stage, &done, &played, &carried, file_m);
    let plots = plots(&stage, &done, &played);

    let mut files = Vec::new();
    for (i, (case, done)) in CASES.iter().zip(&done).enumerate() {
        let folder = Path::new(STUDY.name).join(case.name);
        let playback = (i == 0).then_some((glb.as_slice(), played.as_slice()));
        files.extend(written(&stage, case, done, playback).write(out_dir, &folder)?);
    }
    let file = Path::new(STUDY.name).join(CASES[0].name).join("playback.glb");
    let documents = vec![StudyDocument { label: "robot".into(), file, document, rate: RATE }];
    let (name, title) = (STUDY.name, STUDY.title);
    Ok(StudyResult { name, title, text: text(), promises, plots, documents, files })
}

/// The body turned and lowered over its soles, and bones of the head away from rest: a pose in which a value
/// written in the wrong space, to the wrong bone or from the wrong fallback shows.
pub(crate) fn stand_crooked(stage: &mut Stage) -> Result<(), StudyError> {
    let turned = |pitch: f64, yaw: f64, roll: f64| {
        Euler { pitch: pitch.to_radians(), yaw: yaw.to_radians(), roll: roll.to_radians() }.to_quat()
    };
    stage.body_ws = DTransform::from_rotation_translation(turned(3.0, 12.0, -4.0), DVec3::new(0.3, 6.9, 0.2));
    for leg in 0..stage.anchors_ws.len() {
        let task =
            LegTask { leg, body_ws: &stage.body_ws, anchor_ws: &stage.anchors_ws[leg], previous: None };
        (&stage.legs).solve(&task, &mut stage.support).map_err(StudyError::build("the support pose"))?;
    }
    let robot = &stage.robot;
    let [pitch, yaw, roll] = HEAD_BEFORE;
    stage.support.local[robot.head.index()].rotation = turned(pitch, yaw, roll);
    let core = &mut stage.support.local[robot.core.index()];
    core.translation.y += 0.2;
    core.rotation = DQuat::from_rotation_y(0.35);
    for (name, turn) in [("Antenna_L_02", 0.3), ("Antenna_R_02", -0.2), ("Jaw_01", 0.1)] {
        if let Some(bone) = robot.bone(name) {
            let local = &mut stage.support.local[bone.index()];
            local.rotation *= DQuat::from_rotation_x(turn);
        }
    }
    Ok(())
}

/// Writes the sequence into the support pose, frame by frame.
fn deploy(stage: &Stage, case: &Case) -> Result<Done, StudyError> {
    // Through a file, so that what is bound is what an importer has.
    let sequence = core_sequence::build(&stage.robot, case.track)?;
    let source = through_a_file(&sequence, "the sequence")?.1.document;
    let target = &stage.robot.skeleton;
    let map = NameMap::same_names();
    let binding = Binding::new(&BindRequest {
        source: &source.skeleton,
        clip: &source.clips[0],
        target,
        map: &map,
        mesh: "Robot",
        skeleton: "Robot",
        subtree: Some(&stage.head),
    })
    .map_err(StudyError::build("the binding"))?;
    let clock = RecordingClock::new(core_sequence::LENGTH).map_err(StudyError::build("the clock"))?;
    let policy = Policy { absent: case.fallback, partial: case.fallback };
    let (mut output, mut written) = (RawPose::default(), Vec::<JointWrite>::new());
    let mut frames = Vec::new();
    for frame in 0..clock.frames() {
        let at = clock.at_frame(frame);
        SequenceJob {
            binding: &binding,
            source: &source.skeleton,
            clip: &source.clips[0],
            target,
            seconds: at.active,
            mode: TrackMode::Absolute,
            policy,
            policies: &[],
            support: &stage.support,
            output: &mut output,
            written: &mut written,
        }
        .run()
        .map_err(StudyError::build("a frame of the sequence"))?;
        frames.push(Frame {
            time: at.time,
            sequence: at.active,
            written: written.len(),
            untouched: untouched(stage, &output),
            core: in_head(stage, &output),
            head: Euler::from_quat(output.local[stage.robot.head.index()].rotation),
            pose: output.clone(),
        });
    }
    Ok(Done { frames, binding, source })
}

/// Poses with the body at a place in the world.
fn in_world(stage: &Stage, body_ws: &DTransform, frames: &[Frame]) -> Vec<RawPose> {
    let mut poses: Vec<RawPose> = frames.iter().map(|f| f.pose.clone()).collect();
    for pose in &mut poses {
        let root = &mut pose.local[stage.robot.body.index()];
        *root = body_ws.mul_transform(root);
    }
    poses
}

/// The frames of a case as the runtime has them.
fn play(stage: &Stage, done: &Done, world: &[RawPose]) -> Result<Vec<Played>, StudyError> {
    let robot = &stage.robot;
    let mut runtime = Runtime::new(stage, &done.source)?;
    let (mut exact_ws, mut played) = (Vec::new(), Vec::new());
    for (frame, exact) in done.frames.iter().zip(world) {
        runtime.step(frame.sequence)?;
        model_matrices(&robot.skeleton, exact, &mut exact_ws);
        let off = |joint: &JointId| {
            let place = runtime.bone_ws(*joint).w_axis - exact_ws[joint.index()].w_axis;
            place.truncate().length()
        };
        played.push(Played {
            core: runtime.relative(robot.head, robot.core),
            whole: core_runtime::whole_pose(&done.source, frame.sequence),
            head: Euler::from_quat(runtime.relative(robot.body, robot.head).rotation),
            furthest_m: stage.head.joints().iter().map(off).fold(0.0, f64::max),
        });
    }
    Ok(played)
}

/// Bones outside the head whose local transforms have the support pose's bits.
fn untouched(stage: &Stage, pose: &RawPose) -> usize {
    let bits = |t: &DTransform| {
        let parts = [t.translation.to_array(), t.scale.to_array()].concat();
        parts.into_iter().chain(t.rotation.to_array()).map(f64::to_bits).collect::<Vec<_>>()
    };
    (0..BONES)
        .filter(|bone| !stage.head.contains(JointId(*bone as u32)))
        .filter(|bone| bits(&pose.local[*bone]) == bits(&stage.support.local[*bone]))
        .count()
}

/// The core in the head's space, from matrices of the whole pose.
fn in_head(stage: &Stage, pose: &RawPose) -> DTransform {
    let mut model_ms = Vec::new();
    model_matrices(&stage.robot.skeleton, pose, &mut model_ms);
    let [head, core] = [stage.robot.head, stage.robot.core].map(|j| model_ms[j.index()]);
    DTransform::rigid_part(&(head.inverse() * core))
}

/// Up, in the head's space, centimetres.
fn height_cm(frame: &Frame) -> f64 {
    frame.core.translation.y * 100.0
}

fn apart_cm(frame: &Played) -> f64 {
    (frame.core.translation - frame.whole.translation).length() * 100.0
}

/// The value furthest from the one expected.
fn furthest_from(expected: f64, values: impl Iterator<Item = f64>) -> f64 {
    values.fold(expected, |worst, value| {
        // Written so that NaN stays.
        if (value - expected).abs() <= (worst - expected).abs() || worst.is_nan() { worst } else { value }
    })
}

fn promises(stage: &Stage, done: &[Done], played: &[Played], carried: &Carried, file_m: f64) -> Vec<Promise> {
    let promise = |what: &str, expected, measured| Promise::new(STUDY.name, what, expected, measured);
    let frames = &done[0].frames;
    let at = |frame: usize, of: fn(&Frame) -> f64| frames.get(frame).map_or(f64::NAN, of);
    let sequence = |frame| at(frame, |f| f.sequence);
    let first = frames[0].core.translation;
    let change = frames.iter().map(|f| (f.core.translation - first).length() * 100.0);
    let angles = |e: &Euler| [e.pitch, e.yaw, e.roll].map(f64::to_degrees);
    let apart = |frame: usize| played.get(frame).map_or(f64::NAN, apart_cm);
    let head = |axis: usize| move |f: &Played| angles(&f.head)[axis];
    let changed = (0..3).flat_map(|axis| {
        let start = head(axis)(&played[0]);
        played.iter().map(move |f| (head(axis)(f) - start).abs())
    });
    let all = || done.iter().flat_map(|d| &d.frames);
    let least = |of: fn(&Frame) -> usize| all().map(of).min().unwrap_or(0) as f64;
    let most = |of: fn(&Frame) -> usize| all().map(of).max().unwrap_or(0) as f64;
    let outside = done[0].binding.report().unbound.len();
    let moved = done[0].binding.tracks().iter().filter(|t| t.source != t.target).count();

    let mut list = vec![
        promise("frames", (111.0, 0.0, ""), frames.len() as f64),
        promise("moment of the sequence at frame 30", (0.0, 0.0, "s"), sequence(START)),
        promise("moment of the sequence at frame 55", (0.833, 5e-4, "s"), sequence(MIDDLE)),
        promise("moment of the sequence at frame 80", (1.667, 5e-4, "s"), sequence(END)),
        promise("moment of the sequence at frame 110", (1.667, 5e-4, "s"), sequence(110)),
        promise("height of the core in the head, first frame", (100.03, 5e-3, "cm"), at(0, height_cm)),
        promise("height of the core in the head, last frame", (237.52, 5e-3, "cm"), at(110, height_cm)),
        promise("difference of the two", (137.49, 5e-3, "cm"), at(110, height_cm) - at(0, height_cm)),
        promise("largest change of the core's translation", (137.53, 5e-3, "cm"), change.fold(0.0, f64::max)),
        promise("fewest bones written, all cases and frames", (20.0, 0.0, ""), least(|f| f.written)),
        promise("most bones written", (20.0, 0.0, ""), most(|f| f.written)),
        promise("fewest other bones that are the same to the bit", (67.0, 0.0, ""), least(|f| f.untouched)),
        promise("tracks of body and legs in the file that move nothing", (13.0, 0.0, ""), outside as f64),
        promise("bones that have another index in the file", (20.0, 0.0, ""), moved as f64),
        promise("runtime against the whole pose, core in the head: start", (0.0, 5e-3, "cm"), apart(START)),
        promise("runtime against the whole pose, core in the head: middle", (0.0, 5e-3, "cm"), apart(MIDDLE)),
        promise("runtime against the whole pose, core in the head: end", (0.0, 5e-3, "cm"), apart(END)),
        promise(
            "runtime against the whole pose, core in the head: worst of all frames",
            (0.0, 5e-3, "cm"),
            played.iter().map(apart_cm).fold(0.0, f64::max),
        ),
        promise(
            "runtime against the written pose, in the world: furthest of 20 bones, all frames",
            (0.0, 5e-3, "cm"),
            played.iter().map(|f| f.furthest_m * 100.0).fold(0.0, f64::max),
        ),
    ];
    for (axis, name) in ["pitch", "yaw", "roll"].into_iter().enumerate() {
        let (track, before) = (core_sequence::HEAD[axis], HEAD_BEFORE[axis]);
        list.push(promise(
            &format!("{name} of the head, runtime, all frames: its track's, not the {before} deg before it"),
            (track, 1e-3, "deg"),
            furthest_from(track, played.iter().map(head(axis))),
        ));
        list.push(promise(
            &format!("{name} of the head as written, all cases and frames"),
            (track, 1e-4, "deg"),
            furthest_from(track, all().map(|f| angles(&f.head)[axis])),
        ));
    }
    list.push(promise(
        "largest change of the head's pitch, yaw or roll while the core moves, runtime",
        (0.0, 1e-4, "deg"),
        changed.fold(0.0, f64::max),
    ));
    list.push(promise(
        "body moved by 100 cm, from files: frames in which every bone moved by it, once",
        (111.0, 0.0, ""),
        carried.once as f64,
    ));
    let core_cm = (carried.core_ws * 100.0).to_array();
    for (way, expected, measured) in
        [("to the left", 100.0, core_cm[0]), ("up", 0.0, core_cm[1]), ("forward", 0.0, core_cm[2])]
    {
        list.push(promise(
            &format!("body moved by 100 cm to the left, from files: the core moved {way}"),
            (expected, 1e-4, "cm"),
            measured,
        ));
    }
    list.extend(case_promises(stage, done));
    list.push(promise("worst bone after writing and reading the file", (0.0, 0.01, "mm"), file_m * 1e3));
    list
}

/// What the fallbacks leave the core with at the end. At rest it is at 100.03 cm, in the support pose 20 cm higher
/// and turned by 0.35 rad; the track turns it by 60 degrees.
fn case_promises(stage: &Stage, done: &[Done]) -> Vec<Promise> {
    let support = 0.35_f64.to_degrees();
    let expected = [
        ("rotation-only track, support pose for the rest", 120.03, 60.0),
        ("rotation-only track, rest pose for the rest", 100.03, 60.0),
        ("no track, support pose", 120.03, support),
        ("no track, rest pose", 100.03, 0.0),
    ];
    let mut list = Vec::new();
    for ((what, height, turn), done) in expected.into_iter().zip(&done[1..]) {
        let end = &done.frames[END];
        let rest = stage.robot.skeleton.joint(stage.robot.core).rest.rotation;
        let measured = DTransform::angle_between(rest, end.core.rotation).to_degrees();
        list.push(Promise::new(STUDY.name, format!("{what}: height"), (height, 5e-3, "cm"), height_cm(end)));
        list.push(Promise::new(STUDY.name, format!("{what}: turn"), (turn, 1e-3, "deg"), measured));
    }
    list
}

/// The body moved by a metre to its left before the robot is written, and both files read back.
fn carried(stage: &Stage, done: &Done, before: &Document) -> Result<Carried, StudyError> {
    let by = DVec3::X;
    let moved = DTransform { translation: stage.body_ws.translation + by, ..stage.body_ws };
    let poses = in_world(stage, &moved, &done.frames);
    let clips = vec![clip("moved by 100 cm", 0, &stage.robot.skeleton, &poses)?];
    let after =
        through_a_file(&stage.robot.document("moved by 100 cm", clips), "the moved robot")?.1.document;
    let mut carried = Carried { once: 0, core_ws: DVec3::NAN };
    for frame in 0..poses.len() {
        let [before_ws, after_ws] = [before, &after].map(|document| bones_ws(stage, document, frame));
        let readback = ReadbackJob {
            move_ws: by,
            before_ws: &before_ws,
            after_ws: &after_ws,
            tolerance: 1e-6,
            turn_tolerance: 1e-6,
        };
        let verdict = readback.run().map_err(StudyError::build("the readback of the moved body"))?;
        carried.once += usize::from(verdict == Readback::Once);
        if frame == MIDDLE {
            let core = stage.robot.core.index();
            carried.core_ws = after_ws[core].translation - before_ws[core].translation;
        }
    }
    Ok(carried)
}

/// The robot's bones in the world, from the first clip of a file.
fn bones_ws(stage: &Stage, document: &Document, frame: usize) -> Vec<DTransform> {
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    document.clips[0].sample(&document.skeleton, seconds(frame), &mut pose);
    model_matrices(&document.skeleton, &pose, &mut model_ms);
    let nowhere = DTransform { translation: DVec3::NAN, ..DTransform::IDENTITY };
    let read = |bone: usize| {
        let same = document.skeleton.find(&stage.robot.skeleton.label(JointId(bone as u32)));
        same.map_or(nowhere, |same| DTransform::rigid_part(&model_ms[same.index()]))
    };
    (0..BONES).map(read).collect()
}

fn written<'a>(
    stage: &Stage,
    case: &'a Case,
    done: &Done,
    played: Option<(&'a [u8], &[Played])>,
) -> Record<'a> {
    let mut columns = vec![
        Column::new("frame", "", "from 0"),
        Column::new("time_s", "s", "recording clock"),
        Column::new("sequence_s", "s", "moment of the sequence"),
        Column::new("core_x_m", "m", "core relative to the head, left"),
        Column::new("core_y_m", "m", "core relative to the head, up"),
        Column::new("core_z_m", "m", "core relative to the head, forward"),
        Column::new("core_turn_deg", "deg", "core relative to the head, from rest"),
        Column::new("head_pitch_deg", "deg", "head relative to the body"),
        Column::new("head_yaw_deg", "deg", "head relative to the body"),
        Column::new("head_roll_deg", "deg", "head relative to the body"),
        Column::new("written", "", "bones written"),
        Column::new("untouched", "", "other bones that are the support pose's to the bit"),
    ];
    if played.is_some() {
        columns.extend([
            Column::new(
                "runtime_apart_cm",
                "cm",
                "runtime's core from where the file's whole pose has it, in the head",
            ),
            Column::new(
                "runtime_furthest_cm",
                "cm",
                "runtime's bones of the head from the written ones, in the world",
            ),
        ]);
    }
    let rest = stage.robot.skeleton.joint(stage.robot.core).rest.rotation;
    let rows = done.frames.iter().enumerate().map(|(i, f)| {
        let mut row = vec![i as f64, f.time, f.sequence];
        row.extend(f.core.translation.to_array());
        row.push(DTransform::angle_between(rest, f.core.rotation).to_degrees());
        row.extend([f.head.pitch, f.head.yaw, f.head.roll].map(f64::to_degrees));
        row.extend([f.written as f64, f.untouched as f64]);
        if let Some((_, played)) = played {
            row.extend([apart_cm(&played[i]), played[i].furthest_m * 100.0]);
        }
        row
    });
    let bound: Vec<Value> = done
        .binding
        .tracks()
        .iter()
        .map(|t| {
            json!({
                "track": t.track,
                "source_bone": t.source_bone,
                "source_index": t.source.0,
                "target_bone": t.target_bone,
                "target_index": t.target.0,
                "target_parent": t.target_parent,
                "mesh": t.mesh,
                "skeleton": t.skeleton,
            })
        })
        .collect();
    let report = done.binding.report();
    let label = |joint: &JointId| stage.robot.skeleton.label(*joint);
    let mut settings = Map::from_iter([
        ("keys_are".into(), json!("ours")),
        ("sequence_s".into(), json!(core_sequence::LENGTH)),
        ("core_track".into(), json!(format!("{:?}", case.track).to_lowercase())),
        ("fallback".into(), json!(format!("{:?}", case.fallback).to_lowercase())),
        ("tracks_are".into(), json!("absolute, relative to the parent")),
        ("head_before_pitch_yaw_roll_deg".into(), json!(HEAD_BEFORE)),
        ("head_track_pitch_yaw_roll_deg".into(), json!(core_sequence::HEAD)),
        ("bound".into(), Value::Array(bound)),
        (
            "unbound".into(),
            report
                .unbound
                .iter()
                .map(|u| json!({ "track": u.track, "source_bone": u.source_bone, "why": format!("{:?}", u.why) }))
                .collect(),
        ),
        ("absent".into(), report.absent.iter().map(|j| json!(label(j))).collect()),
        ("partial".into(), report.partial.iter().map(|j| json!(label(j))).collect()),
    ]);
    if played.is_some() {
        settings.insert("runtime_clip_bound_m".into(), json!(core_runtime::BOUND));
    }
    Record {
        study: STUDY.name,
        run: case.name,
        what: "A sequence written into the head's subtree over a pose that body and legs made.",
        settings,
        columns,
        rows: rows.collect(),
        playback: played.map(|(glb, _)| glb),
    }
}

fn plots(stage: &Stage, done: &[Done], played: &[Played]) -> Vec<Plot> {
    let line = |name: &str, frames: &[Frame], of: &dyn Fn(&Frame) -> f64| {
        Series::new(name, frames.iter().map(|f| [f.time, of(f)]).collect())
    };
    let frames = &done[0].frames;
    let mut height = over_frames(
        "Core: height in the head",
        "height",
        "cm",
        "Up, relative to the head. With a rotation alone or no track at all the core stays where the fallback has \
         it: 20 cm higher in the support pose than at rest.",
        vec![
            line("complete", frames, &height_cm).tone(Tone::Good),
            line("partial, support", &done[1].frames, &height_cm),
            line("partial, rest", &done[2].frames, &height_cm),
        ],
    );
    height.joint = Some(stage.robot.core.0);
    let rest = stage.robot.skeleton.joint(stage.robot.core).rest.rotation;
    let turn_of = |f: &Frame| DTransform::angle_between(rest, f.core.rotation).to_degrees();
    let turn = over_frames(
        "Core: turn in the head",
        "turn from rest",
        "deg",
        "A track that only turns still turns the core; without a track it has the turn of the support pose, or none.",
        vec![
            line("complete and partial", frames, &turn_of).tone(Tone::Good),
            line("missing, support", &done[3].frames, &turn_of),
            line("missing, rest", &done[4].frames, &turn_of),
        ],
    );
    let clock = over_frames(
        "Clock: moment of the sequence",
        "moment",
        "s",
        "Held at both ends for a second: frames 0 to 30 sample the start, 80 to 110 the end.",
        vec![line("sequence", frames, &|f| f.sequence)],
    );
    let head = over_frames(
        "Head: angles",
        "angle",
        "deg",
        "The head relative to the body. They are those of its track, not the support pose's, and do not change, so \
         whoever watches them alone sees nothing of the core.",
        vec![
            line("pitch", frames, &|f| f.head.pitch.to_degrees()),
            line("yaw", frames, &|f| f.head.yaw.to_degrees()),
            line("roll", frames, &|f| f.head.roll.to_degrees()),
        ],
    );
    let apart = frames.iter().zip(played).map(|(f, runtime)| [f.time, apart_cm(runtime) * 1e4]);
    let mut apart = over_frames(
        "Core: runtime against the whole pose",
        "distance",
        "µm",
        "The core in the head's space: from where the runtime has both in the world, in single precision, and from \
         the file's own whole pose, in double precision.",
        vec![Series::new("distance", apart.collect()).tone(Tone::Good)],
    );
    apart.limits = vec![Limit { value: 50.0, label: "limit 0.005 cm".into() }];
    vec![height, turn, clock, head, apart]
}

fn text() -> Vec<Section> {
    vec![
        Section::new(
            "What happens",
            &[
                "Another file holds a sequence of 1.667 s: shutters open, the core rises by 1.37 m, laser and launcher \
                 make room. The robot meanwhile stands crooked: its body is turned, lowered and leaning over its six \
                 soles, its head is turned otherwise than the sequence has it, and some bones of the head are not where \
                 they are at rest: a value written in the wrong space or to the wrong bone is then far off. Seen straight \
                 from the front, it could look like a part that rises.",
                "Skeleton, sequence and keys are ours. The core's heights, the number of bones and the clock are those of \
                 a published recording of a similar machine.",
            ],
        ),
        Section::new(
            "What is written",
            &[
                "The file has its bones in another order, so hardly an index is the same in both. Tracks are bound by \
                 name; the record lists each with its track, source bone, target bone and parent. The file also has \
                 tracks for its body and legs, which crouch: they are outside the subtree of the head, move nothing, and \
                 are reported. Twenty bones are written. The other 67 are compared bit by bit, in every frame.",
            ],
        ),
        Section::new(
            "What is held against what",
            &[
                "One side is the runtime as a game has it: the file's whole clip compressed to within 0.02 mm, sampled in \
                 single precision, laid over the head's subtree of the robot that stands crooked in the world, and all \
                 bones composed there. The core is then taken relative to its parent, the head, from where both are in the \
                 world. The other side is the file's own whole pose: all of its tracks on its own skeleton, whose body \
                 crouches, evaluated in double precision from the keys. The two share the keys and nothing else. A test \
                 writes the core in the body's space, with another bone's values and a frame too early, and finds each.",
                "The metre by which the body is moved is read back from files: the robot is written once where it stands \
                 and once with its body a metre further to its left, and every bone of both files is compared in every \
                 frame. Zero would be a body left out, two metres one that is counted twice.",
            ],
        ),
        Section::new(
            "Where a track is not whole",
            &[
                "A track may only turn its bone, or not be there at all. What stands in is a choice, and it is stated: \
                 the support pose, which is what body and legs made of this frame, or the rest pose of the skeleton. \
                 The two differ here by 20 cm and 20 degrees, so that none can be taken for the other.",
            ],
        ),
    ]
}
