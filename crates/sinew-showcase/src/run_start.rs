//! Study: a run start that is picked by distance, three ways.
//!
//! The clip's root leans back before it pushes off. Baked as magnitudes, its distance rises and falls again, and a
//! playhead that follows it jumps over the lean. Baked with its sign and split, it is matched within limits.

use std::path::Path;

use serde_json::{Map, Value, json};
use sinew::locomotion::{
    DistanceCurve, DistanceKind, LocomotionError, MatchSettings, MatchState, MatchStatus, MatchStep,
    SplitSettings, Travel, advance_by_distance, playrate_to_speed,
};
use sinew_audit::plot::{Limit, Marker, Plot, Series, Span, Tone};

use crate::action_study::playback::{clip_at, readback_error_at, through_a_file};
use crate::distance_study::keys::{self, ACCELERATION, DT, START_CM, TOP_SPEED};
use crate::distance_study::naive;
use crate::distance_study::playback::{Frame, Shown, columns, covered, rows};
use crate::distance_study::runner::{LEGS, skeleton};
use crate::distance_study::runner_shape::{Lines, document};
use crate::distance_study::steps::{Steps, smooth};
use crate::record::Record;
use crate::{Promise, Section, Study, StudyDocument, StudyError, StudyResult};

/// How the list of studies knows it.
pub(crate) const STUDY: Study = Study {
    name: "run-start",
    title: "The run start that snaps",
    summary: "A start clip picked by the distance travelled: the naive way jumps 138 ms in one frame, a clamp makes the \
              feet slide 69 cm, and a signed, split curve is matched at 2.5x without a slide.",
    run,
};

/// Length of the start clip, seconds.
const CLIP: f64 = 0.5;
/// Frames that are shown: the run-up and a stretch of the run.
const FRAMES: usize = 48;
/// Length of the loop, seconds, and its way, metres.
const LOOP: f64 = 0.5;
const LOOP_WAY: f64 = LOOP * TOP_SPEED;

/// One way to play the start.
struct Played {
    name: &'static str,
    what: &'static str,
    tone: Tone,
    /// From 0; the last of the start is `end`.
    frames: Vec<Frame>,
    /// The frame at which the start clip is at its end.
    end: usize,
}

impl Played {
    fn start(&self) -> &[Frame] {
        &self.frames[..=self.end]
    }

    fn largest(&self, of: impl Fn(&Frame) -> f64) -> f64 {
        self.start()[1..].iter().map(of).fold(0.0, f64::max)
    }

    /// Largest step of the playhead in a frame, seconds.
    fn jump(&self) -> f64 {
        self.start().windows(2).map(|f| f[1].playhead - f[0].playhead).fold(0.0, f64::max)
    }

    fn slide(&self) -> f64 {
        self.start().iter().map(|f| f.slid).sum()
    }

    /// Largest change of the rate from one frame to the next, the first against a rate of 1.
    fn slew(&self) -> f64 {
        let rates: Vec<f64> = [1.0].into_iter().chain(self.start()[1..].iter().map(|f| f.rate)).collect();
        rates.windows(2).map(|r| (r[1] - r[0]).abs()).fold(0.0, f64::max)
    }
}

fn run(out_dir: &Path) -> Result<StudyResult, StudyError> {
    let failed = StudyError::build::<LocomotionError>;
    let way = keys::run_up(FRAMES);
    let dense = SplitSettings { samples_per_key: 32, ..SplitSettings::default() };
    let signed = keys::start_signed();
    let root = DistanceCurve::from_keys("root", DistanceKind::Start, &keys::times(16), &signed, &dense)
        .map_err(failed("the root's way"))?;
    let curve = keys::curve(DistanceKind::Start, &signed).map_err(failed("the start's curve"))?;
    let (matched, accounts) = matched(&curve, &way).map_err(failed("the match"))?;
    let played = [
        naive_start("naive", "the naive way, as engines ship it", Tone::Bad, &root, &way, None),
        naive_start(
            "clamped",
            "the naive way with its play rate clamped to 0.75 to 1.25",
            Tone::Plain,
            &root,
            &way,
            Some([0.75, 1.25]),
        ),
        matched,
    ];
    let mut promises = numbers(&curve);
    promises.extend(naive_promises(&played[0], &played[1]));
    promises.extend(matched_promises(&curve, &played[2], &accounts));

    let (skeleton, steps) = (skeleton()?, Steps::start());
    let (mut documents, mut files) = (Vec::new(), Vec::new());
    let mut feet = Vec::new();
    for played in &played {
        let shown = Shown::new(&skeleton, &steps, &played.frames, |time| 1.0 - smooth(time / 0.35));
        let clips = vec![clip_at(1.0 / DT, "run start", 0, &skeleton, &shown.poses)?];
        let document =
            document(played.name, &skeleton, clips, Some(Lines { from: -1.0, to: 5.0, half: 0.5 }));
        let (glb, loaded) = through_a_file(&document, played.name)?;
        let off = readback_error_at(1.0 / DT, &skeleton, &shown.poses, &loaded.document, 0);
        promises.push(Promise::new(
            STUDY.name,
            format!("{}: worst bone after writing and reading the file", played.name),
            (0.0, 0.01, "mm"),
            off * 1e3,
        ));
        if played.name == "matched" {
            promises.push(Promise::new(
                STUDY.name,
                "matched: farthest that a foot of the runner slides in one stance",
                (0.0, 0.01, "cm"),
                100.0 * shown.worst_slide(),
            ));
        }
        let folder = Path::new(STUDY.name).join(played.name);
        files.extend(written(played, &shown, &glb).write(out_dir, &folder)?);
        let file = folder.join("playback.glb");
        documents.push(StudyDocument { label: played.name.into(), file, document, rate: 1.0 / DT });
        feet.push(shown);
    }
    let plots = plots(&played, &feet);
    let (name, title) = (STUDY.name, STUDY.title);
    Ok(StudyResult { name, title, text: text(), promises, plots, documents, files })
}

/// The naive way to the clip's end, and the loop at the character's speed from there on.
fn naive_start(
    name: &'static str,
    what: &'static str,
    tone: Tone,
    root: &DistanceCurve,
    way: &[f64],
    clamp: Option<[f64; 2]>,
) -> Played {
    let playhead = naive::start(&keys::start_magnitudes(), way, clamp);
    let end = playhead.len() - 1;
    let slides = naive::slides(&playhead, way, |time| root.signed_at(time));
    let mut frames = vec![Frame::naive(0.0, 0.0, 0.0, 0.0, 0.0)];
    for i in 1..way.len() {
        let before = frames[i - 1];
        frames.push(if i <= end {
            let rate = (playhead[i] - playhead[i - 1]) / DT;
            Frame::naive(way[i], playhead[i], rate, root.signed_at(playhead[i]), slides[i - 1])
        } else {
            let step = way[i] - way[i - 1];
            let rate = step / DT / TOP_SPEED;
            Frame::naive(way[i], before.playhead + rate * DT, rate, before.way + step, 0.0)
        });
    }
    Played { name, what, tone, frames, end }
}

/// By the library: the start by distance, and the loop by speed with what the start hands on.
fn matched(curve: &DistanceCurve, way: &[f64]) -> Result<(Played, Vec<MatchStep>), LocomotionError> {
    let settings = MatchSettings::start();
    let (times, stride): (Vec<f64>, Vec<f64>) =
        (0..=15).map(|i| (LOOP * f64::from(i) / 15.0, LOOP_WAY * f64::from(i) / 15.0)).unzip();
    let cycle =
        DistanceCurve::from_keys("loop", DistanceKind::Loop, &times, &stride, &SplitSettings::default())?;
    let mut state = MatchState::at_start(curve);
    let mut looped: Option<(MatchState, f64)> = None;
    let [_, whole] = curve.distances();
    let mut frames = vec![Frame::naive(0.0, 0.0, 0.0, curve.distance_at(0.0), 0.0)];
    let (mut end, mut account) = (0, Vec::new());
    for (i, pair) in way.windows(2).enumerate() {
        let mut go_on = (pair[1] - pair[0], DT);
        let mut slid = 0.0;
        if looped.is_none() {
            let step =
                advance_by_distance(curve, &settings, &mut state, Travel { travelled: go_on.0, dt: DT })?;
            account.push(step);
            slid = step.account.slid.abs();
            let MatchStatus::Exhausted { seconds } = step.status else {
                let frame = Frame::after(&step, &frames[i], pair[1], curve.distance_at(step.time));
                frames.push(frame);
                continue;
            };
            end = i + 1;
            go_on = (step.account.handed_on, seconds);
            looped = Some((MatchState::at_start(&cycle).carrying_on(&state), 0.0));
        }
        let Some((state, laps)) = &mut looped else { continue };
        let step = playrate_to_speed(
            &cycle,
            &MatchSettings::cycle(),
            state,
            Travel { travelled: go_on.0, dt: go_on.1 },
        )?;
        *laps += f64::from(step.wraps);
        let along = *laps * LOOP + step.time;
        let mut frame = Frame::after(&step, &frames[i], pair[1], whole + along / LOOP * LOOP_WAY);
        (frame.playhead, frame.moment) = (CLIP + along, CLIP + along);
        frame.slid += slid;
        if i + 1 == end {
            // Of two clips in one frame: what the playhead went in all.
            frame.rate = account.last().map_or(frame.rate, |last| last.rate);
            frame.drift -= account.last().map_or(0.0, covered);
            frame.status = 5.0;
            frame.remainder = 0.0;
        }
        frames.push(frame);
    }
    let what = "a signed, split curve, matched within limits";
    Ok((Played { name: "matched", what, tone: Tone::Good, frames, end }, account))
}

fn promise(what: &str, expected: (f64, f64, &str), measured: f64) -> Promise {
    Promise::new(STUDY.name, what, expected, measured)
}

/// What follows from the keys and the mover alone.
fn numbers(curve: &DistanceCurve) -> Vec<Promise> {
    let run_up = keys::mover(0.0, ACCELERATION).run_up();
    let whole = START_CM[15] * 0.01;
    let used_up = TOP_SPEED / ACCELERATION + (whole - run_up) / TOP_SPEED;
    let pit = (2.0 * START_CM[8] * 0.01 / ACCELERATION).sqrt();
    vec![
        promise("run-up of the mover, v^2/2a", (87.89, 5e-3, "cm"), 100.0 * run_up),
        promise("the clip's way is used up after", (0.3549, 1e-4, "s"), used_up),
        promise("clip seconds a second over the whole clip", (1.41, 5e-3, ""), CLIP / used_up),
        promise("the mover covers the first 3.86 cm in", (0.0614, 1e-4, "s"), pit),
        promise("clip seconds a second over them", (4.35, 0.01, ""), 8.0 / 30.0 / pit),
        promise("range of the baked curve", (125.06, 0.06, "cm"), 100.0 * curve.range()),
        promise("largest remainder, the lean back", (6.48, 0.03, "cm"), 100.0 * curve.largest_remainder()),
    ]
}

fn naive_promises(free: &Played, clamped: &Played) -> Vec<Promise> {
    let jump = free.jump();
    let at = free.start().windows(2).find(|f| f[1].playhead - f[0].playhead == jump);
    let [from, to] = at.map_or([f64::NAN; 2], |f| [f[0].playhead, f[1].playhead]);
    let fast = free.start()[1..].iter().filter(|f| f.rate > 2.0).count();
    vec![
        promise("naive: largest step of the playhead in a frame", (138.0, 1.0, "ms"), 1e3 * jump),
        promise("naive: that step starts at", (0.149, 1e-3, "s"), from),
        promise("naive: and ends at", (0.288, 1e-3, "s"), to),
        promise("naive: largest play rate", (8.30, 0.05, ""), free.largest(|f| f.rate)),
        promise("naive: frames above twice the rate", (4.0, 0.0, ""), fast as f64),
        promise("naive: the clip ends after", (0.367, 1e-3, "s"), free.end as f64 * DT),
        promise("naive: raw slide", (41.2, 0.2, "cm"), 100.0 * free.slide()),
        promise("clamped: largest play rate", (1.25, 1e-9, ""), clamped.largest(|f| f.rate)),
        promise("clamped: the clip ends after", (0.450, 1e-3, "s"), clamped.end as f64 * DT),
        promise("clamped: raw slide", (69.2, 0.2, "cm"), 100.0 * clamped.slide()),
    ]
}

fn matched_promises(curve: &DistanceCurve, matched: &Played, steps: &[MatchStep]) -> Vec<Promise> {
    let push_off = curve.time_at(0.003);
    let shown = matched.start().iter().take_while(|f| f.playhead < push_off).count();
    let imbalance = steps.iter().map(|s| s.account.imbalance().abs()).fold(0.0, f64::max);
    let travelled: f64 = steps.iter().map(|s| s.account.travelled + s.account.handed_on).sum();
    let capsule = matched.frames[matched.end].capsule;
    let last = steps.last().map_or(f64::NAN, |s| s.offset);
    let offset = matched.largest(|f| f.offset.abs());
    vec![
        promise("matched: largest play rate", (2.5, 1e-9, ""), matched.largest(|f| f.rate)),
        promise("matched: largest change of the play rate in a frame", (0.5, 1e-9, ""), matched.slew()),
        promise("matched: largest step of the playhead in a frame", (42.0, 0.5, "ms"), 1e3 * matched.jump()),
        promise("matched: the clip ends after", (0.350, 1e-3, "s"), matched.end as f64 * DT),
        promise("matched: residual slide", (0.0, 1e-9, "cm"), 100.0 * matched.slide()),
        promise("matched: largest offset of the mesh", (11.9, 0.1, "cm"), 100.0 * offset),
        promise("matched: offset at the hand-over", (0.6, 0.4, "cm"), 100.0 * last.abs()),
        promise("matched: the lean back is seen for", (0.117, DT, "s"), shown as f64 * DT),
        promise("matched: metres of a step that are not accounted for", (0.0, 1e-6, "m"), imbalance),
        promise(
            "matched: metres of all steps less those of the capsule",
            (0.0, 1e-6, "m"),
            travelled - capsule,
        ),
    ]
}

fn written<'a>(played: &'a Played, shown: &Shown, glb: &'a [u8]) -> Record<'a> {
    let settings = Map::from_iter([
        ("keys_cm".into(), json!(START_CM)),
        ("keys_behind".into(), json!(8)),
        ("top_speed_m_s".into(), json!(TOP_SPEED)),
        ("acceleration_m_s2".into(), json!(ACCELERATION)),
        ("tick_s".into(), json!(DT)),
        ("clip_ends_at_frame".into(), json!(played.end)),
        ("loop_way_m".into(), Value::from(LOOP_WAY)),
    ]);
    Record {
        study: STUDY.name,
        run: played.name,
        what: played.what,
        settings,
        columns: columns(),
        rows: rows(&played.frames, shown, DT),
        playback: Some(glb),
    }
}

fn plots(played: &[Played; 3], shown: &[Shown]) -> Vec<Plot> {
    let line = |p: &Played, of: &dyn Fn(usize) -> f64| {
        let points = (0..p.frames.len()).map(|i| [i as f64 * DT, of(i)]).collect();
        Series::new(p.name, points).tone(p.tone)
    };
    let plot =
        |title: &str, label: &str, unit: &str, description: &str, of: &dyn Fn(&Played, usize) -> f64| Plot {
            description: description.into(),
            clip: Some(0),
            series: played.iter().map(|p| line(p, &|i| of(p, i))).collect(),
            ..Plot::over_time(title, label, unit)
        };
    let mut playhead = plot(
        "Playhead",
        "moment of the clip",
        "s",
        "Which moment of the start clip is shown; past 0.5 s it is the loop. A good curve has no step in it.",
        &|p, i| p.frames[i].playhead,
    );
    playhead.limits.push(Limit { value: CLIP, label: "end of the start clip".into() });
    let naive = &played[0];
    if let Some(i) = (1..=naive.end).max_by(|a, b| naive.frames[*a].rate.total_cmp(&naive.frames[*b].rate)) {
        let label =
            format!("{:.0} ms in one frame", 1e3 * (naive.frames[i].playhead - naive.frames[i - 1].playhead));
        let marker = Marker { x: i as f64 * DT, y: Some(naive.frames[i].playhead), label, finding: None };
        playhead.markers.push(marker);
    }
    let mut rate = plot(
        "Play rate",
        "rate",
        "",
        "Clip seconds shown a second. The naive way is fast where the distance falls; the matched one changes by \
         0.5 a frame at most and stays below 2.5.",
        &|p, i| p.frames[i].rate,
    );
    rate.limits.push(Limit { value: 2.5, label: "limit 2.5".into() });
    let slide = plot(
        "Slide, added up",
        "slide",
        "cm",
        "By how much the root of the pose and the capsule went apart from frame to frame, added up over the start \
         clip: what the feet slide. A good curve is zero.",
        &|p, i| 100.0 * p.frames[..=i.min(p.end)].iter().map(|f| f.slid).sum::<f64>(),
    );
    let mut offset = plot(
        "Mesh behind the capsule",
        "offset",
        "cm",
        "What the limits of rate and stride leave over is taken up by the place of the mesh, and worked off by the \
         stride. It is below 12 cm and all but gone at the hand-over.",
        &|p, i| 100.0 * p.frames[i].offset,
    );
    offset.series.retain(|s| s.tone == Tone::Good);
    let over = played[2].end as f64 * DT;
    offset.spans.push(Span { from: over, to: (FRAMES as f64) * DT, label: "loop".into() });
    let mut foot = plot(
        "Left foot over the ground",
        "ball of the left foot",
        "m",
        "Where the ball of the left foot is along the way. While the foot stands a good curve is level.",
        &|p, i| {
            let at = played.iter().position(|q| q.name == p.name).unwrap_or(0);
            shown[at].balls[i][0].0
        },
    );
    foot.joint = Some(LEGS[0][3].0);
    vec![playhead, rate, slide, offset, foot]
}

fn text() -> Vec<Section> {
    vec![
        Section::new(
            "What happens",
            &[
                "A capsule gets up to 6 m/s at 20.48 m/s2, sixty frames a second, and a start clip of half a second is \
                 to show it. Which moment of the clip is shown is not left to the clock: it is the moment at which the \
                 clip has come as far as the capsule.",
                "The clip's sixteen keys of distance are measured from a game. Its root leans back by 6.5 cm before it \
                 pushes off, and the keys are magnitudes: they rise to 6.48 cm, fall to 3.86 and only then go on. The \
                 runner, his steps and the loop that follows are ours.",
            ],
        ),
        Section::new(
            "The naive way",
            &[
                "Steps of a thirtieth of a second are added up until they have covered what the capsule has. Where the \
                 keys fall the sum goes back and the playhead on, so it cannot rest there: at 0.149 s it goes to 0.288 s \
                 within one frame, more than eight times as fast as the clip, and the lean back is never seen.",
                "A clamp of the play rate takes the jump away and brings the slide back: the pose is then for another \
                 distance than the capsule's, and the feet make up for it, 69 cm in all.",
            ],
        ),
        Section::new(
            "Matched",
            &[
                "The curve is baked from the signed way of the root and split: a distance that only rises, and a remainder \
                 that goes to the pelvis. The playhead goes to the moment of the distance at no more than 2.5 times the \
                 clip's rate, which changes by no more than 0.5 a frame.",
                "What that leaves over is taken up by the stride, scaled from 0.7 to 1.4 by no more than 0.2 a frame, then \
                 by the place of the mesh, and only then by sliding. Every step says where its metres went; nothing is \
                 left to slide here. At the clip's end the loop goes on with the seconds and metres that are left.",
            ],
        ),
    ]
}
