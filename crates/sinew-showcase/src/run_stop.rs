//! Study: a run stop that is picked by the distance to go, the naive way and matched.
//!
//! Five stops on one set of keys: braking evenly, by friction, for longer than the clip is, with a root that pauses
//! and with one that goes too far and comes back.

use std::path::Path;

use glam::DVec2;
use serde_json::{Map, json};
use sinew::locomotion::reference::{Keys, stop_distance};
use sinew::locomotion::{
    DistanceKind, LocomotionError, MatchSettings, MatchState, MatchStatus, Travel, match_to_target,
    predict_stop, stop_closed_form, stop_parabola,
};
use sinew_audit::plot::{Limit, Plot, Series, Tone};

use crate::action_study::playback::{clip_at, readback_error_at, through_a_file};
use crate::distance_study::keys::{self, DT, TOP_SPEED};
use crate::distance_study::naive;
use crate::distance_study::playback::{Frame, Shown, columns, rows};
use crate::distance_study::runner::skeleton;
use crate::distance_study::runner_shape::{Lines, document};
use crate::distance_study::steps::{Steps, smooth};
use crate::record::Record;
use crate::{Promise, Section, Study, StudyDocument, StudyError, StudyResult};

/// How the list of studies knows it.
pub(crate) const STUDY: Study = Study {
    name: "run-stop",
    title: "The run stop that misses its mark",
    summary: "A stop clip picked by the distance to go: a formula that misses the place, an entry before the clip, a pause \
              and an overshoot make the naive way slide or jump; matched, nothing slides.",
    run,
};

/// Friction (1/s), braking (m/s2), and centimetres to a stop from 6 m/s: of the mover at 60 Hz, by the formula of engines,
/// of the continuous motion, and v^2/2b with its tolerance.
const BRAKING: [(f64, f64, [f64; 4], f64); 6] = [
    (0.0, 20.48, [82.96, 87.89, 87.89, 87.89], 0.01),
    (8.0, 20.48, [29.08, 26.29, 36.37, 87.9], 0.05),
    (16.0, 20.48, [15.62, 15.45, 23.59, 87.9], 0.05),
    (3.0, 6.0, [99.91, 75.00, 107.58, 300.0], 0.5),
    (8.0, 5.12, [47.52, 33.89, 56.28, 352.0], 0.5),
    (1.0, 15.0, [89.51, 85.71, 95.29, 120.0], 0.5),
];
/// Friction, braking (m/s2), and centimetres that the naive way slides with the formula of engines.
const NAIVE_SLIDES: [(f64, f64, f64); 4] =
    [(0.0, 20.48, 4.9), (0.0, 10.82, 5.0), (16.0, 20.48, 2.3), (3.0, 6.0, 25.6)];

/// A stop that is played both ways.
struct Case {
    name: &'static str,
    title: &'static str,
    /// Where the root is, metres to go.
    signed: Vec<f64>,
    /// What the naive way searches.
    stored: Vec<f64>,
    friction: f64,
    braking: f64,
}

fn cases() -> Vec<Case> {
    let case = |name, title, signed: Vec<f64>, friction, braking| {
        let stored = signed.iter().map(|d| -d.abs()).collect();
        Case { name, title, signed, stored, friction, braking }
    };
    vec![
        case("even", "even braking", keys::stop(), 0.0, 20.48),
        case("friction", "braking by friction", keys::stop(), 3.0, 6.0),
        case("long", "a stop longer than the clip", keys::stop(), 0.0, 8.0),
        case("pause", "a root that pauses", keys::stop_with_plateau(), 0.0, 10.82),
        case("overshoot", "a root that goes too far", keys::stop_with_overshoot(), 0.0, 10.82),
    ]
}

/// A case played one way.
struct Played {
    frames: Vec<Frame>,
    /// Where the clip is taken up, seconds within it.
    entry: f64,
    /// Seconds from where the capsule begins to brake until a frame is of the clip.
    waited: f64,
    /// Frames until the clip was at its end; of the naive way, until the capsule stands.
    end: usize,
    /// Largest part of a step that is not accounted for, metres.
    imbalance: f64,
}

impl Played {
    fn largest(&self, of: impl Fn(&Frame) -> f64) -> f64 {
        self.frames[1..].iter().map(of).fold(0.0, f64::max)
    }

    fn jump(&self) -> f64 {
        self.frames.windows(2).map(|f| f[1].playhead - f[0].playhead).fold(0.0, f64::max)
    }

    fn slide(&self) -> f64 {
        self.frames.iter().map(|f| f.slid).sum()
    }

    /// Largest change of the rate between frames of the clip, the first against a rate of 1.
    fn slew(&self) -> f64 {
        let of_clip = self.frames[1..=self.end].iter().filter(|f| f.status != 6.0).map(|f| f.rate);
        let rates: Vec<f64> = [1.0].into_iter().chain(of_clip).collect();
        // The last frame's rate is that of the part which the clip played.
        rates.windows(2).map(|r| (r[1] - r[0]).abs()).fold(0.0, f64::max)
    }

    /// Holds the last frame until there are so many.
    fn hold(&mut self, count: usize) {
        let last = self.frames[self.frames.len() - 1];
        let still = Frame { rate: 0.0, slid: 0.0, drift: 0.0, stride: 1.0, ..last };
        self.frames.resize(count.max(self.frames.len()), still);
    }
}

/// With the formula of engines and a search that takes order for granted.
fn naive_stop(case: &Case) -> Played {
    let way = keys::braking(&keys::mover(case.friction, case.braking));
    let whole = way[way.len() - 1];
    let playhead = naive::stop(&case.stored, &way, case.friction, case.braking);
    let times = keys::times(case.signed.len());
    let root = Keys { times: &times, values: &case.signed };
    let slides = naive::slides(&playhead, &way, |time| root.value_at(time));
    let frames: Vec<Frame> = (0..way.len())
        .map(|i| {
            let time = playhead[i];
            let (rate, slid) =
                if i == 0 { (0.0, 0.0) } else { ((time - playhead[i - 1]) / DT, slides[i - 1]) };
            let mut frame = Frame::naive(way[i] - whole, time, rate, root.value_at(time), slid);
            // What lies outside of the clip is shown as its end.
            frame.moment = time.clamp(0.0, root.duration());
            frame
        })
        .collect();
    let end = frames.len() - 1;
    Played { entry: playhead[0], waited: 0.0, end, frames, imbalance: 0.0 }
}

/// By the library, to where the mover itself says it will stop; until the clip begins, the loop goes on.
fn matched_stop(case: &Case, settings: &MatchSettings) -> Result<Played, LocomotionError> {
    let curve = keys::curve(DistanceKind::Stop, &case.signed)?;
    let mover = keys::mover(case.friction, case.braking);
    let way = keys::braking(&mover);
    let whole = predict_stop(&mover, DVec2::new(0.0, TOP_SPEED), DT)?.distance;
    let mut state = MatchState::at_remaining(&curve, whole);
    let entry = state.time();
    let [first, _] = curve.distances();
    // In the loop before the clip the moment is that of its distance at the loop's speed.
    let in_loop = |left: f64| (-left - first).min(0.0) / TOP_SPEED;
    let start = Frame::naive(-whole, entry, 0.0, -whole, 0.0);
    let mut frames = vec![Frame { moment: entry + in_loop(whole), ..start }];
    let (mut waited, mut imbalance) = (0.0, 0.0_f64);
    let capsule = way.windows(2).map(|p| (p[1] - p[0], whole - p[1]));
    for (travelled, left) in capsule.chain(core::iter::repeat((0.0, 0.0))).take(300) {
        let step = match_to_target(&curve, settings, &mut state, left, Travel { travelled, dt: DT })?;
        let before = frames[frames.len() - 1];
        if matches!(step.status, MatchStatus::BeforeRange { .. }) {
            waited = (frames.len() + 1) as f64 * DT;
            let mut frame = Frame::after(&step, &before, -left, -left);
            (frame.drift, frame.moment, frame.rate) = (0.0, in_loop(left), travelled / DT / TOP_SPEED);
            frames.push(frame);
            continue;
        }
        imbalance = imbalance.max(step.account.imbalance().abs());
        frames.push(Frame::after(&step, &before, -left, curve.distance_at(step.time)));
        if matches!(step.status, MatchStatus::Exhausted { .. }) {
            break;
        }
    }
    Ok(Played { end: frames.len() - 1, frames, entry, waited, imbalance })
}

fn run(out_dir: &Path) -> Result<StudyResult, StudyError> {
    let failed = StudyError::build::<LocomotionError>;
    let cases = cases();
    let mut naive: Vec<Played> = cases.iter().map(naive_stop).collect();
    let stops = |settings: MatchSettings| {
        let all: Result<Vec<_>, _> = cases.iter().map(|case| matched_stop(case, &settings)).collect();
        all.map_err(failed("the match"))
    };
    let mut matched = stops(MatchSettings::stop())?;
    // The numbers were measured with strides that may jump.
    let jumping = stops(MatchSettings { stride_slew: 1e6, ..MatchSettings::stop() })?;
    let mut promises = predictions().map_err(failed("a prediction"))?;
    promises.extend(rows_of_braking().map_err(failed("the match"))?);
    promises.extend(naive_promises(&naive));
    promises.extend(matched_promises(&cases, &matched));
    promises.extend(offset_promises(&cases, &matched, &jumping));

    for (a, b) in naive.iter_mut().zip(&mut matched) {
        let count = a.frames.len().max(b.frames.len()) + 6;
        a.hold(count);
        b.hold(count);
    }
    let (skeleton, steps) = (skeleton()?, Steps::stop());
    let (mut documents, mut files) = (Vec::new(), Vec::new());
    let mut worst_slide = 0.0_f64;
    for (name, what, played) in [
        ("naive", "the naive way, as engines ship it", &naive),
        ("matched", "a signed, split curve, matched within limits to where the mover stops", &matched),
    ] {
        let upright = |time: f64| smooth((time - 0.15) / 0.45);
        let shown: Vec<Shown> =
            played.iter().map(|p| Shown::new(&skeleton, &steps, &p.frames, upright)).collect();
        let clips = cases.iter().zip(&shown).enumerate();
        let clips = clips
            .map(|(i, (case, shown))| clip_at(1.0 / DT, case.title, i, &skeleton, &shown.poses))
            .collect::<Result<_, _>>()?;
        let document = document(name, &skeleton, clips, Some(Lines { from: -5.0, to: 1.0, half: 0.5 }));
        let (glb, loaded) = through_a_file(&document, name)?;
        let mut off = 0.0_f64;
        for (i, (case, (played, shown))) in cases.iter().zip(played.iter().zip(&shown)).enumerate() {
            off = off.max(readback_error_at(1.0 / DT, &skeleton, &shown.poses, &loaded.document, i));
            let run = format!("{name}-{}", case.name);
            let folder = Path::new(STUDY.name).join(&run);
            let playback = (i == 0).then_some(glb.as_slice());
            files.extend(written(case, &run, what, played, shown, playback).write(out_dir, &folder)?);
            if name == "matched" {
                worst_slide = worst_slide.max(shown.worst_slide());
            }
        }
        promises.push(promise(
            &format!("{name}: worst bone after writing and reading the file, all clips"),
            (0.0, 0.01, "mm"),
            off * 1e3,
        ));
        let file = Path::new(STUDY.name).join(format!("{name}-{}", cases[0].name)).join("playback.glb");
        documents.push(StudyDocument { label: name.into(), file, document, rate: 1.0 / DT });
    }
    promises.push(promise(
        "matched: farthest that a foot of the runner slides in one stance, all clips",
        (0.0, 0.01, "cm"),
        100.0 * worst_slide,
    ));
    let plots =
        cases.iter().enumerate().flat_map(|(i, case)| plots(i, case, &naive[i], &matched[i])).collect();
    let (name, title) = (STUDY.name, STUDY.title);
    Ok(StudyResult { name, title, text: text(), promises, plots, documents, files })
}

fn promise(what: &str, expected: (f64, f64, &str), measured: f64) -> Promise {
    Promise::new(STUDY.name, what, expected, measured)
}

/// Where the character will stop, by four ways to tell.
fn predictions() -> Result<Vec<Promise>, LocomotionError> {
    let mut promises = Vec::new();
    for (friction, braking, [mover, engine, smooth, parabola], tolerance) in BRAKING {
        let what = |how: &str| format!("friction {friction}, braking {braking}: {how}");
        let predicted = predict_stop(&keys::mover(friction, braking), DVec2::new(0.0, TOP_SPEED), DT)?;
        let engine_found = stop_distance(TOP_SPEED, friction, braking);
        let closed = stop_closed_form(TOP_SPEED, friction, braking);
        let even = stop_parabola(TOP_SPEED, braking);
        promises.extend([
            promise(&what("way of the mover, iterated"), (mover, 0.01, "cm"), 100.0 * predicted.distance),
            promise(&what("way by the formula of engines"), (engine, 0.01, "cm"), 100.0 * engine_found),
            promise(&what("way of the continuous motion"), (smooth, 0.01, "cm"), 100.0 * closed),
            promise(&what("v^2/2b"), (parabola, tolerance, "cm"), 100.0 * even),
        ]);
    }
    Ok(promises)
}

/// What slides over the stop, row by row of braking.
fn rows_of_braking() -> Result<Vec<Promise>, LocomotionError> {
    let with = |friction, braking| Case {
        name: "",
        title: "",
        signed: keys::stop(),
        stored: keys::stop(),
        friction,
        braking,
    };
    let mut promises = Vec::new();
    for (friction, braking, slide) in NAIVE_SLIDES {
        let found = naive_stop(&with(friction, braking)).slide();
        let what = format!("friction {friction}, braking {braking}: naive slide");
        promises.push(promise(&what, (slide, 0.1, "cm"), 100.0 * found));
    }
    let rows = BRAKING.iter().map(|row| (row.0, row.1)).chain([(0.0, 10.82)]);
    for (friction, braking) in rows {
        let found = matched_stop(&with(friction, braking), &MatchSettings::stop())?.slide();
        let what = format!("friction {friction}, braking {braking}: matched slide");
        promises.push(promise(&what, (0.0, 5e-3, "cm"), 100.0 * found));
    }
    Ok(promises)
}

fn naive_promises(naive: &[Played]) -> Vec<Promise> {
    let [even, friction, long, pause, overshoot] = naive else { return Vec::new() };
    vec![
        promise("even: naive largest play rate", (3.6, 0.05, ""), even.jump() / DT),
        promise("friction: naive largest play rate", (2.3, 0.05, ""), friction.jump() / DT),
        promise("long: naive entry into the clip", (-0.094, 1e-3, "s"), long.entry),
        promise("long: naive slide", (62.0, 1.0, "cm"), 100.0 * long.slide()),
        promise(
            "pause: naive largest step of the playhead in a frame",
            (148.0, 2.0, "ms"),
            1e3 * pause.jump(),
        ),
        promise("pause: naive largest play rate", (8.9, 0.1, ""), pause.jump() / DT),
        promise(
            "overshoot: naive largest step of the playhead in a frame",
            (177.0, 2.0, "ms"),
            1e3 * overshoot.jump(),
        ),
        promise("overshoot: naive largest play rate", (10.6, 0.1, ""), overshoot.jump() / DT),
        promise("overshoot: naive slide", (34.5, 0.3, "cm"), 100.0 * overshoot.slide()),
    ]
}

/// How far the mesh gets from the capsule: with strides that may jump as measured, and what it costs that they do not.
fn offset_promises(cases: &[Case], matched: &[Played], jumping: &[Played]) -> Vec<Promise> {
    // Centimetres; of a stop that waits in the loop nothing was measured.
    let measured = [Some((1.1, 0.1)), Some((0.5, 0.0)), None, Some((12.0, 0.3)), Some((6.3, 0.0))];
    let mut promises = Vec::new();
    for (i, found) in measured.iter().enumerate() {
        let Some((offset, cost)) = *found else { continue };
        let what = |how: &str| format!("{}: {how}", cases[i].name);
        let [limited, free] = [matched, jumping].map(|of| 100.0 * of[i].largest(|f| f.offset.abs()));
        if cases[i].name == "overshoot" {
            // Measured with an envelope that arrives before the end; the library's does not.
            for (how, found) in [("matched", limited), ("strides that may jump", free)] {
                let what = what(&format!("{how}: offset of the mesh above {offset} cm"));
                promises.push(promise(&what, (0.0, 1e-9, "cm"), (found - offset).max(0.0)));
            }
            continue;
        }
        promises.extend([
            promise(&what("strides that may jump: largest offset of the mesh"), (offset, 0.1, "cm"), free),
            promise(
                &what("matched largest offset of the mesh, and what strides that do not jump add to it"),
                (offset + cost, 0.1, "cm"),
                limited,
            ),
        ]);
    }
    promises
}

fn matched_promises(cases: &[Case], matched: &[Played]) -> Vec<Promise> {
    let fastest = [2.0, 1.5, 1.5, 2.0, 1.5];
    let mut promises = Vec::new();
    for ((case, played), rate) in cases.iter().zip(matched).zip(fastest) {
        let what = |how: &str| format!("{}: matched {how}", case.name);
        promises.push(promise(&what("largest play rate"), (rate, 0.05, ""), played.largest(|f| f.rate)));
        promises.push(promise(&what("slide"), (0.0, 5e-3, "cm"), 100.0 * played.slide()));
    }
    let worst = |of: &dyn Fn(&Played) -> f64| matched.iter().map(of).fold(0.0, f64::max);
    let over_slew = worst(&|p| (p.slew() - 0.5).max(0.0));
    let [even, _, long, ..] = matched else { return promises };
    let stood = keys::braking(&keys::mover(cases[0].friction, cases[0].braking)).len() - 1;
    promises.extend([
        promise("long: matched wait in the loop", (0.100, 1e-3, "s"), long.waited),
        promise("long: matched entry into the clip", (0.0, 1e-9, "s"), long.entry),
        promise(
            "even: frames from where the capsule stands to where the matched clip ends, 0.08 s",
            (5.0, 1.0, ""),
            even.end as f64 - stood as f64,
        ),
        promise("all: matched change of the play rate in a frame above 0.5", (0.0, 1e-9, ""), over_slew),
        promise(
            "all: metres of a step that are not accounted for",
            (0.0, 1e-6, "m"),
            worst(&|p| p.imbalance),
        ),
    ]);
    promises
}

fn written<'a>(
    case: &Case,
    run: &'a str,
    what: &'a str,
    played: &Played,
    shown: &Shown,
    playback: Option<&'a [u8]>,
) -> Record<'a> {
    let settings = Map::from_iter([
        ("case".into(), json!(case.title)),
        ("keys_m".into(), json!(case.signed)),
        ("stored_m".into(), json!(case.stored)),
        ("braking_friction".into(), json!(case.friction)),
        ("braking_m_s2".into(), json!(case.braking)),
        ("speed_m_s".into(), json!(TOP_SPEED)),
        ("tick_s".into(), json!(DT)),
        ("ends_at_frame".into(), json!(played.end)),
    ]);
    let rows = rows(&played.frames, shown, DT);
    Record { study: STUDY.name, run, what, settings, columns: columns(), rows, playback }
}

fn plots(index: usize, case: &Case, naive: &Played, matched: &Played) -> Vec<Plot> {
    let plot =
        |what: &str, label: &str, unit: &str, description: &str, of: &dyn Fn(&Played, usize) -> f64| {
            let line = |name: &str, p: &Played, tone| {
                Series::new(name, (0..p.frames.len()).map(|i| [i as f64 * DT, of(p, i)]).collect()).tone(tone)
            };
            Plot {
                description: description.into(),
                clip: Some(index as u32),
                series: vec![line("naive", naive, Tone::Bad), line("matched", matched, Tone::Good)],
                ..Plot::over_time(format!("{}: {what}", case.title), label, unit)
            }
        };
    let mut playhead = plot(
        "playhead",
        "moment of the clip",
        "s",
        "Which moment of the stop clip is picked. A good curve has no step in it and stays between 0 and 0.667 s.",
        &|p, i| p.frames[i].playhead,
    );
    playhead.limits.push(Limit { value: 0.0, label: "start of the clip".into() });
    let mut rate = plot(
        "play rate",
        "rate",
        "",
        "Clip seconds shown a second. The matched one changes by 0.5 a frame at most and stays at 2 or below.",
        &|p, i| p.frames[i].rate,
    );
    rate.limits.push(Limit { value: 2.0, label: "limit 2".into() });
    let slide = plot(
        "slide, added up",
        "slide",
        "cm",
        "By how much the root of the pose and the capsule went apart from frame to frame, added up: what the feet slide. A \
         good curve is zero.",
        &|p, i| 100.0 * p.frames[..=i].iter().map(|f| f.slid).sum::<f64>(),
    );
    vec![playhead, rate, slide]
}

fn text() -> Vec<Section> {
    vec![
        Section::new(
            "What happens",
            &[
                "A capsule brakes from 6 m/s, sixty frames a second. The stop clip shows the moment at which it has as far \
                 to go as the capsule. Of its twenty-one keys every second one is measured from a game; those between lie \
                 on the slope-preserving cubic through them. The runner and his steps are ours.",
                "So everything hangs on two questions: how far is it to the place where the capsule will stand, and which \
                 moment of the clip is that far from its end.",
            ],
        ),
        Section::new(
            "How far it is",
            &[
                "A formula takes the deceleration of the moment for that of the whole stop, which friction makes smaller all \
                 the while; with little braking it is 25 cm short. The closed form of the continuous motion is no better, as \
                 the capsule moves in steps and stands below a tenth of a metre a second. Iterating the mover itself gives the \
                 place to the last digit.",
            ],
        ),
        Section::new(
            "Which moment it is",
            &[
                "The naive way searches the keys by halving and goes on along the first line where the way is longer than the \
                 clip: it enters at a moment before the clip and slides for 62 cm. Where the root pauses, the same distance \
                 is at five keys, and the playhead jumps over the pause. Where the root goes too far and comes back, a bake of \
                 magnitudes folds the way over, and the search lands on either side.",
                "Matched, the curve only rises, keeps both ends of the pause, and gives what goes too far to the pelvis. A stop \
                 that is longer than the clip goes on in the loop until the clip begins. The last 6 cm play by time, as a \
                 distance that hardly changes says nothing about the pose.",
            ],
        ),
    ]
}
