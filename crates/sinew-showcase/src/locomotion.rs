//! Study: a whole run, with its feet on the ground.

use std::f64::consts::PI;
use std::path::Path;

use serde_json::{Map, json};
use sinew::locomotion::{GroundMover, LocomotionPhase, MatchStatus};
use sinew_asset::Document;
use sinew_audit::plot::{Limit, Marker, Plot, Series, Span};

use crate::action_study::playback::{clip_at, readback_error_at, through_a_file};
use crate::distance_study::runner::LEGS;
use crate::distance_study::runner_shape::document;
use crate::locomotion_study::biped::biped;
use crate::locomotion_study::mocap;
use crate::locomotion_study::plants::Plants;
use crate::locomotion_study::recording::{Character, Recording};
use crate::locomotion_study::script::{DT, Pace, Part, Until};
use crate::record::{Column, Record};
use crate::{Promise, Section, Study, StudyDocument, StudyError, StudyResult};

/// How the list of studies knows it.
pub(crate) const STUDY: Study = Study {
    name: "locomotion",
    title: "A whole run on its feet",
    summary: "Stand, start, run at changing speeds, steer, turn round, stop at a mark, start again: clips picked by distance \
              and by foot, and no foot that stands slides by half a centimetre.",
    run,
};

/// A sole is on the ground below this, metres.
const NEAR: f64 = 5e-3;
/// How far a planted foot may slide, centimetres.
const SLIDE: f64 = 0.5;

/// Frames of each run: one clock for all.
const FRAMES: usize = 901;

/// The capsule: faster and harder on the brakes than the clips.
fn mover() -> Pace {
    let ground = GroundMover {
        max_speed: 4.0,
        acceleration: 8.5,
        friction: 0.0,
        braking_friction: 0.0,
        braking: 8.8,
        sub_step: 1.0 / 33.0,
        stop_speed: 0.1,
    };
    Pace { ground, ease: 3.0 }
}

const BIPED: [Part; 13] = [
    Part::let_go("stand", 0.6),
    Part::hold("run", 0.0, 4.0, 1.6),
    Part::hold("run faster", 0.0, 4.6, 0.9),
    Part::hold("run slower", 0.0, 3.3, 1.2),
    Part::hold("turn round", PI, 4.0, 1.9),
    Part { what: "stop at a mark", stick: Some([PI, PI]), speed: 4.0, until: Until::Stop(3.0) },
    Part::let_go("stop at a mark", 1.6),
    Part::hold("run again", PI, 4.0, 1.0),
    Part { what: "steer", stick: Some([PI, 0.5 * PI]), speed: 4.0, until: Until::Seconds(1.4) },
    Part::hold("run on", 0.5 * PI, 4.0, 0.8),
    Part::let_go("stop", 1.4),
    Part::hold("a few steps", 0.5 * PI, 4.0, 0.45),
    Part { what: "stop", stick: None, speed: 4.0, until: Until::Frames(FRAMES) },
];

/// What the measured runner does, who has no clip to turn round with.
const MEASURED: [Part; 10] = [
    Part::let_go("stand", 0.6),
    Part::hold("run", 0.0, 5.0, 1.6),
    Part::hold("run faster", 0.0, 5.6, 1.0),
    Part::hold("run slower", 0.0, 4.4, 1.2),
    Part { what: "steer", stick: Some([0.0, 0.5 * PI]), speed: 5.0, until: Until::Seconds(1.6) },
    Part::hold("run on", 0.5 * PI, 5.0, 0.6),
    Part { what: "stop at a mark", stick: Some([0.5 * PI, 0.5 * PI]), speed: 5.0, until: Until::Stop(4.0) },
    Part::let_go("stop at a mark", 1.6),
    Part::hold("run again", 0.5 * PI, 5.0, 2.4),
    Part { what: "stop", stick: None, speed: 5.0, until: Until::Frames(FRAMES) },
];

/// The capsule of the measured runner.
fn measured_mover() -> Pace {
    let ground =
        GroundMover { max_speed: 5.0, acceleration: 6.0, friction: 8.0, braking: 6.5, ..mover().ground };
    Pace { ground, ease: 3.0 }
}

/// A character's run, measured.
struct Shown {
    name: &'static str,
    character: Character,
    script: &'static [Part],
    recording: Recording,
    plants: Plants,
    /// How many steps of their own his feet may take, and how long each, centimetres.
    own: [u8; 2],
}

impl Shown {
    fn play(
        name: &'static str,
        character: Character,
        mover: &Pace,
        script: &'static [Part],
        own: [u8; 2],
    ) -> Result<Self, StudyError> {
        let recording = Recording::play(&character, mover, script).map_err(StudyError::build("a run"))?;
        let plants = Plants::find(&character.skeleton, &character.soles, &recording.poses, NEAR);
        Ok(Self { name, character, script, recording, plants, own })
    }
}

fn run(out_dir: &Path) -> Result<StudyResult, StudyError> {
    let mut result = StudyResult {
        name: STUDY.name,
        title: STUDY.title,
        text: text(),
        promises: Vec::new(),
        plots: Vec::new(),
        documents: Vec::new(),
        files: Vec::new(),
    };
    let biped = Shown::play("biped", biped()?, &mover(), &BIPED, [1, 30])?;
    let shape = document("biped", &biped.character.skeleton, Vec::new(), None);
    result.promises.extend(counts(&biped, [3.0, 1.0, 3.0]));
    result.promises.push(promise(
        "biped: least that a knee is bent forwards, below 0",
        (0.0, 1e-9, "deg"),
        least_bend(&biped.character, &biped.recording).min(0.0).abs(),
    ));
    show(&biped, shape, out_dir, &mut result)?;
    let Some(path) = mocap::file() else {
        result.text.push(Section::new("The measured runner: not run", &[NOT_RUN]));
        return Ok(result);
    };
    let (character, file) = mocap::mocap(&path)?;
    let measured = Shown::play("measured", character, &measured_mover(), &MEASURED, [3, 40])?;
    result.promises.extend(counts(&measured, [2.0, 0.0, 2.0]));
    show(&measured, Document { clips: Vec::new(), ..file }, out_dir, &mut result)?;
    result.text.push(Section::new("The measured runner", &[RUN]));
    Ok(result)
}

/// What is said where the file is not there.
const NOT_RUN: &str = "The second half of this study plays the same on a clip of a measured run. Its file, \
                       data/derived_pab_start_stop/run_start_stop.glb in the folder that SINEW_SHARED names, is not there, so \
                       that half was not run and nothing is said about it here.";
const RUN: &str = "A clip of a measured run that was slowed down at both ends is cut into a start, a pass of the run and a stop. \
                   He stands in the pose that the clip begins with, in the middle of a stride, as nobody stands: it is what \
                   the file has.";

/// Measures a run and writes it.
fn show(shown: &Shown, shape: Document, out_dir: &Path, result: &mut StudyResult) -> Result<(), StudyError> {
    let Shown { name, character, recording, .. } = shown;
    let skeleton = &character.skeleton;
    let clip = clip_at(1.0 / DT, "a whole run", 0, skeleton, &recording.poses)?;
    let document = Document { clips: vec![clip], ..shape };
    let (glb, loaded) = through_a_file(&document, name)?;
    let off = readback_error_at(1.0 / DT, skeleton, &recording.poses, &loaded.document, 0);
    result.promises.extend(promises(shown));
    let what = format!("{name}: worst bone after writing and reading the file");
    result.promises.push(promise(&what, (0.0, 0.01, "mm"), off * 1e3));
    let folder = Path::new(STUDY.name).join(name);
    result.files.extend(written(shown, &glb).write(out_dir, &folder)?);
    result.plots.extend(plots(shown));
    let file = folder.join("playback.glb");
    result.documents.push(StudyDocument { label: (*name).into(), file, document, rate: 1.0 / DT });
    Ok(())
}

/// How often he starts, turns and stops.
fn counts(shown: &Shown, expected: [f64; 3]) -> Vec<Promise> {
    let phases = shown.recording.phases();
    let kinds = [LocomotionPhase::Start, LocomotionPhase::TurnOut, LocomotionPhase::Stop];
    let named = kinds.into_iter().zip(["starts", "turns", "stops"]).zip(expected);
    named
        .map(|((kind, what), expected)| {
            let found = phases.iter().filter(|p| p.0 == kind).count() as f64;
            promise(&format!("{}: {what}", shown.name), (expected, 0.0, ""), found)
        })
        .collect()
}

fn promise(what: &str, expected: (f64, f64, &str), measured: f64) -> Promise {
    Promise::new(STUDY.name, what, expected, measured)
}

fn promises(shown: &Shown) -> Vec<Promise> {
    let Shown { recording, plants, .. } = shown;
    let promise = |what: &str, expected: (f64, f64, &str), measured: f64| {
        promise(&format!("{}: {what}", shown.name), expected, measured)
    };
    let frames = &recording.frames;
    let largest = |of: &dyn Fn(usize) -> f64| (1..frames.len()).map(of).fold(0.0, f64::max);
    let last = &frames[frames.len() - 1];
    let step = |i: usize| &frames[i].frame.step;
    // A clip that ends within a frame plays no more than a part of it.
    let ends = |i: usize| matches!(step(i).status, MatchStatus::Exhausted { .. });
    let switched =
        |i: usize| frames[i].frame.switched || frames[i - 1].frame.switched || ends(i) || ends(i - 1);
    let deepest = plants.heights.iter().flatten().fold(0.0_f64, |d, h| d.max(-h));
    let miss = recording.misses.iter().copied().fold(0.0, f64::max);
    let hips = largest_jolt(shown);
    let own = last.frame.slide;
    vec![
        promise(
            "foot plants that are measured, fewer than 20",
            (0.0, 0.0, ""),
            (20.0 - plants.plants.len() as f64).max(0.0),
        ),
        promise(
            "largest slide of a foot plant: heel or ball, while within 5 mm of the ground",
            (0.0, SLIDE, "cm"),
            100.0 * plants.worst(),
        ),
        promise(
            "largest slide of a foot plant as the controller counts it",
            (0.0, SLIDE, "cm"),
            100.0 * own.worst,
        ),
        promise(
            "steps of their own that the feet take, no clip having them",
            (0.0, f64::from(shown.own[0]), ""),
            f64::from(last.frame.own_steps.steps),
        ),
        promise(
            "longest of these steps",
            (0.0, f64::from(shown.own[1]), "cm"),
            100.0 * last.frame.own_steps.longest,
        ),
        promise(
            "legs that could not be led, frame by frame",
            (0.0, 0.0, ""),
            frames.iter().map(|f| f64::from(f.frame.legs.failed)).sum(),
        ),
        promise("deepest point of a sole below the ground", (0.0, 0.5, "cm"), 100.0 * deepest),
        promise("from the mark to where he stands", (0.0, 0.1, "cm"), 100.0 * miss),
        promise(
            "metres of a frame that are not accounted for",
            (0.0, 1e-6, "m"),
            largest(&|i| frames[i].frame.account.imbalance().abs()),
        ),
        promise(
            "metres of the run that are not accounted for",
            (0.0, 1e-6, "m"),
            (last.travelled - last.accounted.travelled).abs(),
        ),
        promise("metres that the match lets slide", (0.0, 1e-6, "m"), last.accounted.slid.abs()),
        promise("largest play rate above 2.5", (0.0, 1e-9, ""), largest(&|i| (step(i).rate - 2.5).max(0.0))),
        promise(
            "change of the play rate in a frame above 0.5, while a clip plays",
            (0.0, 1e-9, ""),
            largest(&|i| {
                if switched(i) { 0.0 } else { ((step(i).rate - step(i - 1).rate).abs() - 0.5).max(0.0) }
            }),
        ),
        promise(
            "offset of the mesh above 15 cm",
            (0.0, 1e-9, "cm"),
            largest(&|i| (100.0 * step(i).offset.abs() - 15.0).max(0.0)),
        ),
        promise("largest change of the hips' or the chest's velocity in a frame", (0.0, 1.0, "m/s"), hips),
    ]
}

/// How far knees are bent forwards at least, degrees.
fn least_bend(character: &Character, recording: &Recording) -> f64 {
    let mut model_ms = Vec::new();
    let mut least = f64::INFINITY;
    for pose in &recording.poses {
        sinew::model_matrices(&character.skeleton, pose, &mut model_ms);
        for leg in LEGS {
            let [hip, knee, ankle] = [0, 1, 2].map(|i| model_ms[leg[i].index()].w_axis.truncate());
            let side = model_ms[leg[0].index()].x_axis.truncate();
            let (upper, lower) = (knee - hip, ankle - knee);
            // The shin folds back: about the thigh's own side, from down to behind.
            let bend = libm::atan2(upper.cross(lower).dot(side), upper.dot(lower));
            least = least.min(bend.to_degrees());
        }
    }
    least
}

/// Largest change of velocity of hips and chest from frame to frame, metres a second.
fn largest_jolt(shown: &Shown) -> f64 {
    let Shown { character, recording, .. } = shown;
    let mut model_ms = Vec::new();
    let mut places = Vec::new();
    for pose in &recording.poses {
        sinew::model_matrices(&character.skeleton, pose, &mut model_ms);
        places.push(character.trunk.map(|joint| model_ms[joint.index()].w_axis.truncate()));
    }
    let change = |p: &[[glam::DVec3; 2]]| {
        let of = |i: usize| (p[2][i] - p[1][i] * 2.0 + p[0][i]).length() / DT;
        of(0).max(of(1))
    };
    places.windows(3).map(change).fold(0.0, f64::max)
}

fn written<'a>(shown: &Shown, playback: &'a [u8]) -> Record<'a> {
    let Shown { recording, plants, .. } = shown;
    let parts: Vec<_> = shown.script.iter().map(|part| part.what).collect();
    let list = plants.plants.iter().map(|plant| {
        json!({
            "foot": if plant.foot == 0 { "left" } else { "right" },
            "from_frame": plant.frames[0],
            "to_frame": plant.frames[1],
            "slide_m": plant.slide,
        })
    });
    let settings = Map::from_iter([
        ("parts".into(), json!(parts)),
        ("tick_s".into(), json!(DT)),
        ("ground_m".into(), json!(NEAR)),
        ("plants".into(), list.collect::<Vec<_>>().into()),
    ]);
    let columns = vec![
        Column::new("frame", "", "from 0"),
        Column::new("time_s", "s", "seconds since the first frame"),
        Column::new("part", "", "which part of the script it is, from 0"),
        Column::new("phase", "", "0 stands, 1 starts, 2 runs, 3 stops, 4 turns in, 5 turns out"),
        Column::new("x_m", "m", "the capsule to the left"),
        Column::new("z_m", "m", "the capsule ahead"),
        Column::new("speed_m_s", "m/s", "its speed"),
        Column::new("travelled_m", "m", "its way"),
        Column::new("matched_m", "m", "what of that the clips covered"),
        Column::new("warped_m", "m", "what the strides' scale did"),
        Column::new("offset_m", "m", "how far the mesh is behind the capsule"),
        Column::new("playhead_s", "s", "moment of the clip"),
        Column::new("rate", "", "clip seconds a second"),
        Column::new("stride", "", "scale of the stride"),
        Column::new("own_steps", "", "steps of their own that the feet have taken up to then"),
        Column::new("own_way_m", "m", "how far these went, all together"),
        Column::new("left_sole_m", "m", "lowest point of the left sole above the ground"),
        Column::new("right_sole_m", "m", "of the right one"),
    ];
    let rows = recording.frames.iter().zip(&plants.heights).enumerate().map(|(i, (f, heights))| {
        let step = &f.frame.step;
        let [left, right] = *heights;
        let (x, z) = (f.position.x, f.position.y);
        let mut row = vec![i as f64, i as f64 * DT, f.part as f64, f64::from(phase(f.frame.phase)), x, z];
        row.extend([f.speed, f.travelled, f.accounted.matched, f.accounted.warped, step.offset]);
        let own = &f.frame.own_steps;
        row.extend([step.time, step.rate, step.stride, f64::from(own.steps), own.total, left, right]);
        row
    });
    Record {
        study: STUDY.name,
        run: shown.name,
        what: "a runner stands, starts, runs, turns round and stops, his clips picked by distance and by foot",
        settings,
        columns,
        rows: rows.collect(),
        playback: Some(playback),
    }
}

fn phase(phase: LocomotionPhase) -> u8 {
    match phase {
        LocomotionPhase::Standing => 0,
        LocomotionPhase::Start => 1,
        LocomotionPhase::Cycle => 2,
        LocomotionPhase::Stop => 3,
        LocomotionPhase::TurnIn => 4,
        LocomotionPhase::TurnOut => 5,
    }
}

fn plots(shown: &Shown) -> Vec<Plot> {
    let Shown { recording, plants, .. } = shown;
    let frames = &recording.frames;
    let at = |i: usize| i as f64 * DT;
    let line = |name: &str, of: &dyn Fn(usize) -> f64| {
        Series::new(name, (0..frames.len()).map(|i| [at(i), of(i)]).collect())
    };
    let is_one_off =
        |phase: LocomotionPhase| !matches!(phase, LocomotionPhase::Standing | LocomotionPhase::Cycle);
    let phases = recording.phases();
    let label = if phases.iter().any(|p| p.0 == LocomotionPhase::TurnIn) {
        "a start, a turn or a stop plays"
    } else {
        "a start or a stop plays"
    };
    let spans: Vec<Span> = phases
        .iter()
        .filter(|(phase, _)| is_one_off(*phase))
        .map(|(_, [from, to])| Span { from: at(*from), to: at(*to + 1), label: label.into() })
        .collect();
    let plot = |title: &str, label: &str, unit: &str, description: &str, series: Vec<Series>| Plot {
        description: description.into(),
        clip: Some(0),
        series,
        spans: spans.clone(),
        ..Plot::over_time(format!("{}: {title}", shown.name), label, unit)
    };
    let speed = plot(
        "speed",
        "speed",
        "m/s",
        "How fast the capsule goes; shaded where one of the clips plays that do not go round.",
        vec![line("capsule", &|i| frames[i].speed)],
    );
    let distance = plot(
        "distance, accounted for",
        "distance",
        "m",
        "The way of the capsule, and what of it clips, scaled strides and the mesh's offset have covered. The two lines \
         lie on each other; what would slide is missing from the second.",
        vec![
            line("capsule", &|i| frames[i].travelled),
            line("clips, strides and offset", &|i| {
                let a = &frames[i].accounted;
                a.matched + a.warped + a.offset
            }),
        ],
    );
    let rate = plot(
        "play rate and stride",
        "factor",
        "",
        "How fast the clip plays, and by how much strides are scaled. A good run keeps near 1.",
        vec![
            line("play rate", &|i| frames[i].frame.step.rate),
            line("stride", &|i| frames[i].frame.step.stride),
        ],
    );
    let own = plot(
        "steps of the feet's own",
        "steps",
        "",
        "Steps that no clip has, up to each moment: a foot that stands elsewhere than the clip that takes over has it goes \
         there through the air.",
        vec![line("steps so far", &|i| f64::from(frames[i].frame.own_steps.steps))],
    );
    let mut slide = plot(
        "slide per foot plant",
        "slide",
        "cm",
        "One level for each time that a foot is on the ground: the farthest that a point of its sole slides in that time, \
         measured on the feet of the file. All stay below half a centimetre.",
        ["left", "right"]
            .iter()
            .enumerate()
            .map(|(foot, name)| {
                let mut points = Vec::new();
                for plant in plants.plants.iter().filter(|plant| plant.foot == foot) {
                    let [from, to] = plant.frames.map(at);
                    let level = 100.0 * plant.slide;
                    points.extend([
                        [from, level],
                        [to.max(from + 1e-3), level],
                        [to.max(from + 1e-3), f64::NAN],
                    ]);
                }
                Series::new(*name, points)
            })
            .collect(),
    );
    slide.limits.push(Limit { value: SLIDE, label: "limit 0.5 cm".into() });
    let mut soles = plot(
        "height of the soles",
        "lowest point",
        "cm",
        "How high the lowest point of each sole is. On the ground it stays at 0.",
        ["left", "right"]
            .iter()
            .enumerate()
            .map(|(foot, name)| line(name, &|i| 100.0 * plants.heights[i][foot]))
            .collect(),
    );
    soles.limits.push(Limit { value: 0.0, label: "ground".into() });
    if let Some(worst) = plants.plants.iter().max_by(|a, b| a.slide.total_cmp(&b.slide)) {
        let label = format!("worst: {:.2} cm", 100.0 * worst.slide);
        slide.markers.push(Marker {
            x: at(worst.frames[1]),
            y: Some(100.0 * worst.slide),
            label,
            finding: None,
        });
    }
    vec![speed, distance, rate, slide, own, soles]
}

fn text() -> Vec<Section> {
    vec![
        Section::new(
            "What happens",
            &[
                "A stick moves a capsule, sixty frames a second: it gets up to speed, changes it, turns round, is steered, and \
                 brakes, once for a mark. The runner has to be where the capsule is, and his feet may not slide. His \
                 clips know nothing of the capsule, which is quicker off the mark and on the brakes than they are.",
                "Clips are picked by distance: a start by the way since it began, a stop and a turn by the way that is left, \
                 found by iterating the mover. What a clip cannot cover within its limits of rate goes into the stride, then \
                 into an offset of the mesh that decays; nothing is left to slide.",
            ],
        ),
        Section::new(
            "Which clip, and what the feet do",
            &[
                "There are eight stops and eight turns: either foot first, at four moments of its step. The one is taken whose \
                 feet are most like those that are shown. What is left between the two is the feet's own business: a foot \
                 that stands in both clips stays where it is until it lifts; one that should be elsewhere goes there in a step \
                 of its own, up before it goes along and down after it has come to rest; the body above follows by \
                 inertialisation. Planting holds whatever stands.",
            ],
        ),
        Section::new(
            "How slide is measured",
            &[
                "On the poses of the file and nothing else: heel and ball of each foot in the world. A point is on the ground \
                 while it is within 5 mm of it. Its slide is the farthest that it gets from where it came down until it is \
                 higher again, whatever any clip or controller says about standing. That counts touch-down and lift-off as \
                 well, in which a foot comes in and goes out over the ground.",
                "The second number is the controller's own: ways of feet that it holds, and of anything else within 3.5 mm of \
                 the ground, added up over a step.",
                "A foot that goes somewhere in a step of its own does not slide, but it does what no clip shows. Such steps are \
                 counted by themselves, with the farthest that one goes.",
            ],
        ),
    ]
}
