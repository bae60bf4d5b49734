//! Study: a head that dips, and why its angle jumps by 8.8 degrees where its curve moves by 1.3.
//!
//! The weight's blend-in window ends between two frames, and the weight with it goes from 0.695 to 1. Replays
//! that hold the curve, and then the weight, tell apart what comes of which.

use std::path::Path;

use serde_json::{Map, Value, json};
use sinew::action::ActionChannel::{self, HeadPitch, HeadRoll, HeadYaw};
use sinew::action::{
    Action, ActionError, ActionField, ActionRecord, ActionSettings, BlendMode, BlendWindow, BlendWindows,
    Euler, FrameRecord, KeyDomain, PARAMETERIZATION, QueryOutcome, Replay, SolveLimits,
};
use sinew::{Curve, DTransform, Interpolation};
use sinew_audit::plot::{Marker, Plot, Span, Tone};

use crate::action_study::keys::{self, RATE, Turning, straight};
use crate::action_study::playback::{clip, readback_error, through_a_file, world_poses};
use crate::action_study::plots::{over_frames, series};
use crate::action_study::stage::{Recording, Stage};
use crate::action_study::table;
use crate::record::Record;
use crate::robot::REFERENCE_HEIGHT;
use crate::{Promise, Section, Study, StudyDocument, StudyError, StudyResult};

/// How the list of studies knows it.
pub(crate) const STUDY: Study = Study {
    name: "head-dip",
    title: "The head that dips, and jumps where a window ends",
    summary: "Between two frames the head's pitch changes by 8.8 degrees while its curve changes by 1.3. Replays \
              that hold one of curve and weight show whose doing that is.",
    run,
};

/// Length of the action, seconds: with a second before and after, 151 frames of 30 a second.
const LENGTH: f64 = 3.0;
/// The head at ease looks up by this much, degrees.
const AT_EASE: f64 = 0.52;
/// The head's blend-in window, seconds; it ends between frames 50 and 51 of the recording.
const WINDOW: f64 = 0.68;
/// The last frame inside the window and the first past it.
const INSIDE: u32 = 50;
const PAST: u32 = 51;

/// Points by frame of the action, straight lines between them. Ours; the head's yaw has keys and they are zero.
const KEYS: [Turning<'static>; 2] = [
    (
        HeadPitch,
        &[
            (0, 0.0),
            (6, -4.2),
            (12, -12.6),
            (18, -21.36),
            (20, -24.02),
            (21, -25.35),
            (24, -28.4),
            (27, -29.7),
            (30, -30.0),
            (40, -30.0),
            (48, -27.2),
            (60, -17.5),
            (72, -7.0),
            (81, -1.8),
            (90, 0.0),
        ],
    ),
    (HeadYaw, &[(0, 0.0), (90, 0.0)]),
];

/// The weight over the blend-in window: it ends at 0.71 and not at 1.
const WINDOW_KEYS: [[f64; 2]; 5] = [[0.0, 0.0], [0.25, 0.09], [0.5, 0.3], [0.75, 0.52], [1.0, 0.7099]];

fn action() -> Result<Action, StudyError> {
    let (times, values): (Vec<f64>, Vec<f32>) = WINDOW_KEYS.iter().map(|[u, w]| (*u, *w as f32)).unzip();
    let custom = Curve::new("head blend-in", times, values, Interpolation::Linear)
        .map_err(StudyError::build("the blend curve"))?;
    action_with(custom).map_err(StudyError::build("the action"))
}

fn action_with(custom: Curve) -> Result<Action, ActionError> {
    let smooth = |seconds| BlendWindow::new(seconds, BlendMode::SmoothStep);
    let mut fields = KEYS.iter().map(|keys| straight(*keys)).collect::<Result<Vec<_>, _>>()?;
    // Roll has a field without keys, and the body's channels have none: both answer with a fallback.
    fields.push(ActionField { name: HeadRoll.name().into(), curve: None });
    Action::new(ActionRecord {
        name: "head dip".into(),
        original_length: LENGTH,
        settings: ActionSettings {
            head_bone: "Head_01".into(),
            parameterization: PARAMETERIZATION,
            head_animation: true,
            key_domain: KeyDomain::Seconds,
            body_blend: BlendWindows { blend_in: smooth(0.4), blend_out: smooth(0.4) },
            head_blend: BlendWindows {
                blend_in: BlendWindow::new(WINDOW, BlendMode::Custom(custom)),
                blend_out: smooth(0.5),
            },
        },
        channels: [HeadPitch, HeadYaw, HeadRoll].map(|channel| (channel, channel.name().into())).into(),
        fields,
    })
}

fn run(out_dir: &Path) -> Result<StudyResult, StudyError> {
    let mut stage = Stage::new()?;
    let at_ease = Euler { pitch: AT_EASE.to_radians(), ..Euler::default() };
    stage.support.local[stage.robot.head.index()].rotation = at_ease.to_quat();
    let action = action()?;
    let replayed = |replay| stage.record(&action, SolveLimits::default(), &replay);
    let runs = Runs {
        dip: replayed(Replay::default())?,
        curve_at_50: replayed(Replay { curves_at: Some(INSIDE), ..Replay::default() })?,
        curve_at_51: replayed(Replay { curves_at: Some(PAST), ..Replay::default() })?,
        weight_at_1: replayed(Replay { head_weight: Some(1.0), ..Replay::default() })?,
        weight_at_50: replayed(Replay { head_weight: Some(weight_inside(&action)?), ..Replay::default() })?,
    };
    let (skeleton, root) = (&stage.robot.skeleton, stage.robot.body);
    let poses = world_poses(&runs.dip.frames, root);
    let clips = vec![
        clip("head dip", 0, skeleton, &poses)?,
        clip("curve held at frame 50", 1, skeleton, &world_poses(&runs.curve_at_50.frames, root))?,
        clip("weight held at 1", 2, skeleton, &world_poses(&runs.weight_at_1.frames, root))?,
    ];
    let document = stage.robot.document("head dip", clips);
    let (glb, loaded) = through_a_file(&document, "the robot")?;
    let file_m = readback_error(skeleton, &poses, &loaded.document, 0);
    let promises = promises(&stage, &runs, file_m);
    let plots = plots(&stage, &runs);

    let mut files = Vec::new();
    for (run, recording, held, playback) in [
        ("dip", &runs.dip, Value::Null, Some(glb.as_slice())),
        ("curve-held", &runs.curve_at_50, json!("curves asked at frame 50 throughout"), None),
        ("weight-held", &runs.weight_at_1, json!("weight of the head 1 throughout"), None),
    ] {
        let folder = Path::new(STUDY.name).join(run);
        files.extend(written(&stage, run, recording, held, playback).write(out_dir, &folder)?);
    }
    let file = Path::new(STUDY.name).join("dip").join("playback.glb");
    let documents = vec![StudyDocument { label: "robot".into(), file, document, rate: RATE }];
    let (name, title) = (STUDY.name, STUDY.title);
    Ok(StudyResult { name, title, text: text(), promises, plots, documents, files })
}

/// Recordings of one action: as it is, and with one thing held.
struct Runs {
    dip: Recording,
    curve_at_50: Recording,
    curve_at_51: Recording,
    weight_at_1: Recording,
    weight_at_50: Recording,
}

fn weight_inside(action: &Action) -> Result<f64, StudyError> {
    Ok(action.head_weight(&Stage::clock(action)?.at_frame(INSIDE)).value)
}

fn pitch(record: &FrameRecord) -> f64 {
    record.head_euler.pitch.to_degrees()
}

/// From frame 50 to frame 51.
fn step(recording: &Recording, of: impl Fn(&FrameRecord) -> f64) -> f64 {
    let at = |frame: u32| recording.frames.get(frame as usize).map_or(f64::NAN, &of);
    at(PAST) - at(INSIDE)
}

fn promises(stage: &Stage, runs: &Runs, file_m: f64) -> Vec<Promise> {
    let promise = |what: &str, expected, measured| Promise::new(STUDY.name, what, expected, measured);
    let frames = &runs.dip.frames;
    let at = |frame: usize, of: &dyn Fn(&FrameRecord) -> f64| frames.get(frame).map_or(f64::NAN, of);
    let start = at(0, &pitch);
    let at_rest = frames.iter().take_while(|f| (pitch(f) - start).abs() < 1e-9);
    let curve = |f: &FrameRecord| f.value(HeadPitch).unwrap_or(f64::NAN).to_degrees();
    let weight = |f: &FrameRecord| f.head_weight.value;
    let turn = match (frames.get(INSIDE as usize), frames.get(PAST as usize)) {
        (Some(a), Some(b)) => DTransform::angle_between(a.head_local, b.head_local).to_degrees(),
        _ => f64::NAN,
    };
    let running = |frame| at(frame, &|f| f64::from(u8::from(f.head_weight.blend_in.is_some())));
    let answered = |channel: ActionChannel, as_said: &dyn Fn(&QueryOutcome) -> bool| {
        let said = |f: &&FrameRecord| f.queries.of(channel).is_some_and(|q| as_said(&q.outcome));
        frames.iter().filter(said).count()
    };
    let body = [
        ActionChannel::BodyX,
        ActionChannel::BodyY,
        ActionChannel::BodyZ,
        ActionChannel::BodyPitch,
        ActionChannel::BodyYaw,
        ActionChannel::BodyRoll,
    ];
    let missing = |channel| answered(channel, &|o| *o == QueryOutcome::ChannelMissing);
    let legs = frames.iter().filter_map(|f| f.continuity).map(|t| t.radians.to_degrees()).fold(0.0, f64::max);
    let moved = frames.iter().map(|f| (f.body.body_ws.translation - stage.body_ws.translation).length());
    vec![
        promise("frames", (151.0, 0.0, ""), frames.len() as f64),
        promise(
            "last moment before the pitch starts to change",
            (1.0, 1e-9, "s"),
            at_rest.last().map_or(f64::NAN, |f| f.clock.time),
        ),
        promise("pitch at frame 50, 1.667 s", (-16.55, 5e-3, "deg"), at(50, &pitch)),
        promise("pitch at frame 51, 1.700 s", (-25.35, 5e-3, "deg"), at(51, &pitch)),
        promise("change of pitch between them", (-8.80, 5e-3, "deg"), step(&runs.dip, pitch)),
        promise("turn of the head's quaternion between them", (8.80, 5e-3, "deg"), turn),
        promise("change of the curve between them", (-1.33, 5e-3, "deg"), step(&runs.dip, curve)),
        promise("weight at frame 50", (0.695, 5e-4, ""), at(50, &weight)),
        promise("weight at frame 51", (1.0, 0.0, ""), at(51, &weight)),
        promise("blend-in window runs at frame 50", (1.0, 0.0, ""), running(50)),
        promise("blend-in window runs at frame 51", (0.0, 0.0, ""), running(51)),
        promise("pitch at 2.0 s", (-30.0, 1e-3, "deg"), at(60, &pitch)),
        promise("pitch at 2.33 s", (-30.0, 1e-3, "deg"), at(70, &pitch)),
        promise("pitch at the end less that at the start", (0.0, 1e-9, "deg"), at(150, &pitch) - start),
        promise(
            "weight held at 1: change from 50 to 51 is the curve's",
            (-1.33, 5e-3, "deg"),
            step(&runs.weight_at_1, pitch),
        ),
        promise(
            "curve held at frame 50: change from 50 to 51 is the weight's",
            (-8.80 + 1.33, 5e-3, "deg"),
            step(&runs.curve_at_50, pitch),
        ),
        promise(
            "the two together",
            (-8.80, 5e-3, "deg"),
            step(&runs.weight_at_1, pitch) + step(&runs.curve_at_50, pitch),
        ),
        // The other order: the curve moves under the old weight, and the weight then at the new curve.
        promise(
            "weight held at that of frame 50: change that is the curve's",
            (-1.33 * 0.695, 0.01, "deg"),
            step(&runs.weight_at_50, pitch),
        ),
        promise(
            "curve held at frame 51: change that is the weight's",
            (-8.80 + 1.33 * 0.695, 0.01, "deg"),
            step(&runs.curve_at_51, pitch),
        ),
        promise(
            "queries of the body's channels that say: channel missing, fallback used",
            (6.0 * 151.0, 0.0, ""),
            body.into_iter().map(missing).sum::<usize>() as f64,
        ),
        promise(
            "queries of the head's yaw that say: the curve is zero",
            (151.0, 0.0, ""),
            answered(HeadYaw, &|o| matches!(o, QueryOutcome::Sampled(_))) as f64,
        ),
        promise(
            "queries of the head's roll that say: no keys, fallback used",
            (151.0, 0.0, ""),
            answered(HeadRoll, &|o| *o == QueryOutcome::NoKeys) as f64,
        ),
        promise("body away from its place, all frames", (0.0, 1e-9, "mm"), moved.fold(0.0, f64::max) * 1e3),
        promise("largest turn of a leg's bone in a frame", (0.0, 1e-6, "deg"), legs),
        promise("worst bone after writing and reading the file", (0.0, 0.01, "mm"), file_m * 1e3),
    ]
}

fn written<'a>(
    stage: &Stage,
    run: &'a str,
    recording: &Recording,
    held: Value,
    playback: Option<&'a [u8]>,
) -> Record<'a> {
    let names: Vec<&str> = stage.robot.legs.iter().map(|leg| leg.name).collect();
    let settings = Map::from_iter([
        ("keys".into(), keys::settings(&KEYS)),
        ("keys_are".into(), json!("ours; seconds of the action and degrees")),
        ("length_s".into(), json!(LENGTH)),
        ("rate_hz".into(), json!(keys::RATE)),
        ("head_at_ease_pitch_deg".into(), json!(AT_EASE)),
        ("head_blend_in_s".into(), json!(WINDOW)),
        ("head_blend_in_curve".into(), json!(WINDOW_KEYS)),
        ("head_blend_out_s".into(), json!(0.5)),
        ("body_blend_s".into(), json!(0.4)),
        ("reference_height_m".into(), json!(REFERENCE_HEIGHT)),
        ("held".into(), held),
    ]);
    Record {
        study: STUDY.name,
        run,
        what: "A head that dips over a body and legs that keep their support pose.",
        settings,
        columns: table::columns(&names),
        rows: recording.frames.iter().map(table::row).collect(),
        playback,
    }
}

fn plots(stage: &Stage, runs: &Runs) -> Vec<Plot> {
    let frames = &runs.dip.frames;
    let span = Span { from: 1.0, to: 1.0 + WINDOW, label: "blend-in window".into() };
    let marked = |frame: u32| {
        let record = frames.get(frame as usize);
        record.map(|f| Marker {
            x: f.clock.time,
            y: Some(pitch(f)),
            label: format!("frame {frame}: {:.2} deg", pitch(f)),
            finding: None,
        })
    };
    let mut angle = over_frames(
        "Head: pitch",
        "pitch",
        "deg",
        "Pitch of the head relative to the body. Between frames 50 and 51 the blend-in window ends, and the angle \
         falls by 8.8 degrees.",
        vec![
            series("as recorded", frames, pitch),
            series("curve held at frame 50", &runs.curve_at_50.frames, pitch),
            series("weight held at 1", &runs.weight_at_1.frames, pitch).tone(Tone::Good),
        ],
    );
    angle.joint = Some(stage.robot.head.0);
    angle.spans = vec![span.clone()];
    angle.markers = [INSIDE, PAST].into_iter().filter_map(marked).collect();
    let mut curve = over_frames(
        "Curve: head pitch",
        "curve",
        "deg",
        "What the curve says at each frame, before the weight. Between frames 50 and 51 it moves by 1.33 degrees.",
        vec![series("head pitch", frames, |f| f.value(HeadPitch).unwrap_or(0.0).to_degrees())],
    );
    curve.spans = vec![span.clone()];
    let mut weight = over_frames(
        "Weight",
        "weight",
        "",
        "How much of the action shows on the head. The window's own curve ends at 0.71; past the window the weight \
         is 1. Body and head have weights of their own.",
        vec![
            series("head", frames, |f| f.head_weight.value),
            series("body", frames, |f| f.body_weight.value),
        ],
    );
    weight.spans = vec![span];
    let change = |name: &str, recording: &Recording| {
        let mut line = series(name, &recording.frames, pitch);
        let before: Vec<f64> = line.points.iter().map(|p| p[1]).collect();
        for (i, point) in line.points.iter_mut().enumerate() {
            point[1] = if i == 0 { 0.0 } else { before[i] - before[i - 1] };
        }
        line
    };
    let steps = over_frames(
        "Head: change of pitch in a frame",
        "change",
        "deg",
        "Pitch less that of the frame before. With the curve held, all that is left at the window's end is the \
         weight's jump; with the weight held, only the curve's slope.",
        vec![
            change("as recorded", &runs.dip),
            change("curve held at frame 50", &runs.curve_at_50),
            change("weight held at 1", &runs.weight_at_1).tone(Tone::Good),
        ],
    );
    vec![angle, curve, weight, steps]
}

fn text() -> Vec<Section> {
    vec![
        Section::new(
            "What happens",
            &[
                "A curve of an action dips the head to 30 degrees below level and brings it back. Body and legs keep \
                 their support pose. The head's target is made a quaternion first and then blended with the head at \
                 ease by the weight, which comes in over a window of 0.68 s.",
                "That window's curve ends at 0.71. At frame 50 the weight is 0.695; at frame 51 the window is over, the \
                 weight is 1, and the head falls by 8.8 degrees within a thirtieth of a second.",
                "Action, curves and keys are ours, and so is the head at ease, which looks up by half a degree. They are \
                 chosen so that the angles, the weight and the moments are those of a published recording of a \
                 similar machine.",
            ],
        ),
        Section::new(
            "Whose doing it is",
            &[
                "From a recording alone the two cannot be told apart: the curve moved and the weight moved. So the \
                 action is run again with one of them held. With the weight held at 1 the head changes by the curve's \
                 1.33 degrees; with the curve held where it was at frame 50 it changes by 7.47 degrees, all of it the \
                 weight's. Together they are the 8.80.",
                "How the change is shared depends on what is held first: under the old weight the curve's part is \
                 0.92 degrees and the weight's 7.88. The sum is the same.",
            ],
        ),
        Section::new(
            "Zero, and nothing",
            &[
                "The head's yaw has keys and all are zero; its roll has a field without keys; the body's six channels \
                 are not there at all. All of them answer 0 or what the body does anyway. The record says for each \
                 query in each frame which of the three it was.",
            ],
        ),
    ]
}
