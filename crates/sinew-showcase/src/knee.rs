//! Study: a knee that swings out of its plane between two keys, and the frames that keep it there.
//!
//! Two bones of 0.30 m and two keys 1/48 s apart: the thigh a degree to one side of vertical with the shin bent
//! back, then the mirror image, so that the ankle is in one place at both. Built once with frames that track
//! an up axis and once with frames that keep X across the leg ([`sinew::frame`]).

use std::path::Path;

use glam::{DMat4, DQuat, DVec3};
use serde_json::{Map, json};
use sinew::frame::{FrameError, MIN_BONE_LENGTH, MIN_PROJECTED_AXIS, projected_x};
use sinew::{Binding, ChannelTarget, DTransform, JointId, RawPose, SkinJob, WeightMode, model_matrices};
use sinew_asset::{Document, NoFiles, ReadOptions, WriteOptions, read_gltf, write_glb};
use sinew_audit::plot::{Marker, Plot, Series, Tone};
use sinew_audit::{Code, Limits, audit};

use crate::leg::{self, BONE, FOOT, REAL, Roll, SHIN, SLOWED, SLOWER, THIGH};
use crate::record::{Column, Record};
use crate::{Promise, Section, Study, StudyDocument, StudyError, StudyResult};

/// How the list of studies knows it.
pub(crate) const STUDY: Study = Study {
    name: "knee",
    title: "The knee that leaves its plane",
    summary: "Two keys with the ankle in one place: how the frames of the bones are made decides whether the \
              knee swings 5.2 mm sideways in between.",
    run,
};

/// Moments at which each clip is sampled, both keys among them.
const SAMPLES: usize = 101;

/// A leg at one moment; model space, metres.
struct Sample {
    /// Share of the clip.
    share: f64,
    thigh: DQuat,
    knee: DVec3,
    ankle: DVec3,
}

fn run(out_dir: &Path) -> Result<StudyResult, StudyError> {
    let mut promises = Vec::new();
    let mut documents = Vec::new();
    let mut files = Vec::new();
    let mut slowed = Vec::new();
    for roll in [Roll::TrackedUp, Roll::ProjectedX] {
        let document = leg::build(roll)?;
        promises.extend(motion_promises(roll, &document));
        let what = format!("the {roll} leg");
        let glb = write_glb(&document, &WriteOptions::default())
            .map_err(|source| StudyError::Write { what: what.clone(), source })?;
        let loaded = read_gltf(&glb, &NoFiles, &ReadOptions::default())
            .map_err(|source| StudyError::Read { what: what.clone(), source })?;
        promises.push(Promise::new(
            STUDY.name,
            format!("{roll}: worst joint or vertex after writing and reading the file, both clips"),
            (0.0, 1e-3, "mm"),
            worst_difference(&document, &loaded.document) * 1e3,
        ));
        promises.extend(audit_promises(roll, &loaded));

        let samples = sample(&document, SLOWED);
        let folder = Path::new(STUDY.name).join(roll.name());
        files.extend(record(roll, &document, &samples, &glb).write(out_dir, &folder)?);
        documents.push(StudyDocument {
            label: roll.name().into(),
            file: folder.join("playback.glb"),
            document,
            rate: 120.0,
        });
        slowed.push(samples);
    }
    promises.extend(guard_promises());
    let plots = plots(&slowed[0], &slowed[1]);
    let (name, title) = (STUDY.name, STUDY.title);
    Ok(StudyResult { name, title, text: text(), promises, plots, documents, files })
}

/// Key times are single precision in a file; so are these.
fn times(document: &Document, clip: usize) -> impl Iterator<Item = (f64, f64)> {
    let duration = document.clips[clip].duration();
    (0..SAMPLES).map(move |i| {
        let share = i as f64 / (SAMPLES - 1) as f64;
        (share, share * duration)
    })
}

fn sample(document: &Document, clip: usize) -> Vec<Sample> {
    let (mut pose, mut model_ms) = (RawPose::default(), Vec::new());
    times(document, clip)
        .map(|(share, time)| {
            document.clips[clip].sample(&document.skeleton, time, &mut pose);
            model_matrices(&document.skeleton, &pose, &mut model_ms);
            let place = |joint: JointId| model_ms[joint.index()].w_axis.truncate();
            let thigh = pose.local[THIGH.index()].rotation;
            Sample { share, thigh, knee: place(SHIN), ankle: place(FOOT) }
        })
        .collect()
}

fn largest(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(of).fold(0.0, f64::max)
}

/// What the leg does between its keys; the worse of both clips.
fn motion_promises(roll: Roll, document: &Document) -> Vec<Promise> {
    let clips = [SLOWED, REAL].map(|clip| sample(document, clip));
    let worst = |of: &dyn Fn(&[Sample]) -> f64| clips.iter().map(|s| of(s)).fold(0.0, f64::max);
    let promise = |what: &str, expected, measured| {
        Promise::new(STUDY.name, format!("{roll}: {what}"), expected, measured)
    };

    let turn = document.clips[REAL].channel(THIGH, ChannelTarget::Rotation).map_or(f64::NAN, |thigh| {
        let keys = [0, 1].map(|key| thigh.track.key_rotation(key));
        DTransform::angle_between(keys[0], keys[1]).to_degrees()
    });
    let knee = worst(&|s| largest(s, |s| s.knee.x.abs())) * 1e3;
    let ankle = worst(&|s| largest(s, |s| s.ankle.x.abs())) * 1e3;
    let at_keys = worst(&|s| {
        let ends = [&s[0], &s[s.len() - 1]];
        let off = ends.iter().zip(leg::targets()).map(|(s, target)| (s.ankle - target.ankle).length());
        off.fold(0.0, f64::max)
    });
    let height = worst(&|s| largest(s, |at| (at.ankle.y - s[0].ankle.y).abs())) * 1e3;

    let bad = roll == Roll::TrackedUp;
    let (turn_deg, knee_mm, height_mm) = if bad { (180.0, 5.236, 0.0) } else { (2.0, 0.0, 0.0914) };
    vec![
        promise("turn of the thigh from key to key", (turn_deg, 5e-3, "deg"), turn),
        promise("largest sideways knee", (knee_mm, 5e-4, "mm"), knee),
        promise("largest sideways ankle", (0.0, 1e-3, "mm"), ankle),
        promise("ankle off its target at either key", (0.0, 1e-3, "mm"), at_keys * 1e3),
        promise(
            "largest change of the ankle's height",
            (height_mm, if bad { 1e-3 } else { 5e-5 }, "mm"),
            height,
        ),
    ]
}

/// What the audit says of the file.
fn audit_promises(roll: Roll, loaded: &sinew_asset::Loaded) -> Vec<Promise> {
    let report = audit(loaded, &Limits::default());
    let found: Vec<_> = report.findings.iter().filter(|f| f.code == Code::Swing).collect();
    let promise = |what: &str, expected, measured| {
        Promise::new(STUDY.name, format!("{roll}: {what}"), expected, measured)
    };
    let clips = if roll == Roll::TrackedUp { 2.0 } else { 0.0 };
    let mut promises =
        vec![promise("clips in which SINEW_SWING finds the knee", (clips, 0.0, ""), found.len() as f64)];
    if roll == Roll::TrackedUp {
        let measured = found.iter().filter_map(|f| f.measured).fold(f64::NAN, f64::max);
        promises.push(promise("sideways knee that SINEW_SWING measures", (5.236, 5e-4, "mm"), measured));
    }
    promises
}

/// Where frames stop being made, found by halving.
fn guard_promises() -> [Promise; 2] {
    let shortest = edge(|length| {
        let frame = projected_x(DVec3::ZERO, DVec3::Y * length, DVec3::X);
        matches!(frame, Err(FrameError::NoDirection { .. }))
    });
    let along = edge(|across| {
        let reference = DVec3::new(across, (1.0 - across * across).sqrt(), 0.0);
        matches!(projected_x(DVec3::ZERO, DVec3::Y * BONE, reference), Err(FrameError::AxisAlongBone { .. }))
    });
    let promise = |what, expected, measured| Promise::new(STUDY.name, what, expected, measured);
    [
        promise(
            "shortest bone that gets a frame; shorter ones are errors",
            (MIN_BONE_LENGTH, 1e-12, "m"),
            shortest,
        ),
        promise(
            "shortest projection of the reference across the bone that gives a frame; shorter ones are errors",
            (MIN_PROJECTED_AXIS, 1e-12, ""),
            along,
        ),
    ]
}

/// The least number of 0 to 1 that is not refused.
fn edge(refused: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = 0.5 * (below + above);
        if refused(middle) { below = middle } else { above = middle }
    }
    above
}

/// Largest distance of any joint or skinned vertex between two documents over all samples of both clips,
/// metres; infinite where they do not have the same parts.
fn worst_difference(a: &Document, b: &Document) -> f64 {
    if a.clips.len() != b.clips.len() || a.skeleton.len() != b.skeleton.len() {
        return f64::INFINITY;
    }
    let mut worst: f64 = 0.0;
    for clip in 0..a.clips.len() {
        for (_, time) in times(a, clip) {
            let (pa, pb) = (points(a, clip, time), points(b, clip, time));
            if pa.len() != pb.len() {
                return f64::INFINITY;
            }
            worst = pa.iter().zip(&pb).map(|(p, q)| (*p - *q).length()).fold(worst, f64::max);
        }
    }
    worst
}

/// Joints and vertices at a moment, model space.
fn points(document: &Document, clip: usize, time: f64) -> Vec<DVec3> {
    let (mut pose, mut model_ms): (RawPose, Vec<DMat4>) = (RawPose::default(), Vec::new());
    document.clips[clip].sample(&document.skeleton, time, &mut pose);
    model_matrices(&document.skeleton, &pose, &mut model_ms);
    let mut points: Vec<DVec3> = model_ms.iter().map(|m| m.w_axis.truncate()).collect();
    let (mut palette, mut part) = (Vec::new(), Vec::new());
    for instance in &document.instances {
        let Some(skin) = instance.skin.and_then(|skin| document.skins.get(skin)) else { continue };
        skin.palette(&model_ms, &mut palette);
        for primitive in &document.meshes[instance.mesh].primitives {
            let binding = Binding::Skinned(&palette);
            let job = SkinJob { primitive, morph_weights: &[], binding, weights: WeightMode::Normalised };
            // A part that cannot be skinned is missing from the points, and their numbers then differ.
            if job.run(&mut part).is_ok() {
                points.append(&mut part);
            }
        }
    }
    points
}

fn record<'a>(roll: Roll, document: &Document, samples: &[Sample], playback: &'a [u8]) -> Record<'a> {
    let slowed_s = document.clips[SLOWED].duration();
    let columns = vec![
        Column::new("frame", "", "0 to 100"),
        Column::new("time_s", "s", "seconds from the first key at real speed"),
        Column::new("slowed_time_s", "s", "seconds in the slowed clip"),
        Column::new("knee_x_m", "m", "knee, sideways"),
        Column::new("knee_y_m", "m", "knee, up"),
        Column::new("knee_z_m", "m", "knee, forward"),
        Column::new("ankle_x_m", "m", "ankle, sideways"),
        Column::new("ankle_y_m", "m", "ankle, up"),
        Column::new("ankle_z_m", "m", "ankle, forward"),
        Column::new("thigh_turn_deg", "deg", "turn of the thigh since the first key"),
    ];
    let rows = samples.iter().enumerate().map(|(frame, s)| {
        let turn = DTransform::angle_between(samples[0].thigh, s.thigh).to_degrees();
        let mut row = vec![frame as f64, s.share * slowed_s / SLOWER, s.share * slowed_s];
        row.extend(s.knee.to_array());
        row.extend(s.ankle.to_array());
        row.push(turn);
        row
    });
    let (what, settings) = match roll {
        Roll::TrackedUp => ("A leg whose bone frames track the up axis, between two keys.", "Z towards +Y"),
        Roll::ProjectedX => {
            ("A leg whose bone frames keep X across it, between two keys.", "X as +X across the bone")
        }
    };
    let settings = Map::from_iter([
        ("frames".into(), json!(settings)),
        ("bone_m".into(), json!(BONE)),
        ("tilt_deg".into(), json!(leg::TILT)),
        ("key_interval_s".into(), json!(slowed_s / SLOWER)),
        ("slowed".into(), json!(SLOWER)),
        ("samples".into(), json!(SAMPLES)),
    ]);
    Record {
        study: STUDY.name,
        run: roll.name(),
        what,
        settings,
        columns,
        rows: rows.collect(),
        playback: Some(playback),
    }
}

fn plots(tracked: &[Sample], projected: &[Sample]) -> Vec<Plot> {
    let curves = |of: &dyn Fn(&Sample, &Sample) -> f64| {
        // The slowed clip lasts two seconds.
        let line = |s: &[Sample]| s.iter().map(|at| [at.share * 2.0, of(at, &s[0])]).collect();
        vec![
            Series::new(Roll::TrackedUp.name(), line(tracked)).tone(Tone::Bad),
            Series::new(Roll::ProjectedX.name(), line(projected)).tone(Tone::Good),
        ]
    };
    let plot = |title: &str, label: &str, unit: &str, joint: JointId, description: &str, series| Plot {
        description: description.into(),
        clip: Some(SLOWED as u32),
        joint: Some(joint.0),
        series,
        ..Plot::over_time(title, label, unit)
    };
    let mut knee = plot(
        "Knee: sideways",
        "off the plane of the leg",
        "mm",
        SHIN,
        "How far the knee is from the plane that the leg moves in. A good curve is zero throughout.",
        curves(&|s, _| s.knee.x.abs() * 1e3),
    );
    let worst = tracked.iter().max_by(|a, b| a.knee.x.abs().total_cmp(&b.knee.x.abs()));
    knee.markers = worst.map_or(Vec::new(), |s| {
        let mm = s.knee.x.abs() * 1e3;
        vec![Marker { x: s.share * 2.0, y: Some(mm), label: format!("worst: {mm:.3} mm"), finding: None }]
    });
    vec![
        knee,
        plot(
            "Thigh: turn since the first key",
            "turn",
            "deg",
            THIGH,
            "How far the thigh has turned, about whatever axis. The bone's direction changes by 2 degrees; \
             all beyond that is roll.",
            curves(&|s, first| DTransform::angle_between(first.thigh, s.thigh).to_degrees()),
        ),
        plot(
            "Ankle: height",
            "change since the first key",
            "mm",
            FOOT,
            "How far the ankle has sunk. Both legs have it in place at the keys; the one that keeps its plane \
             is straight half way and reaches a tenth of a millimetre lower.",
            curves(&|s, first| (s.ankle.y - first.ankle.y) * 1e3),
        ),
    ]
}

fn text() -> Vec<Section> {
    vec![
        Section::new(
            "What happens",
            &[
                "A leg of two 0.30 m bones has two keys a 48th of a second apart. At the first its thigh leans one \
                 degree to the front and its shin one degree back; at the second it is the other way round. Hip and \
                 ankle are in the same place at both.",
                "A bone's head and tail say where it points and leave open how it is rolled about itself. In the \
                 first leg each bone turns its Z towards up. As the thigh passes the vertical that rule turns over: \
                 the frames at the two keys are half a turn apart, although the bone moved by two degrees.",
                "Both keys look right, and an ankle that is watched alone stays in place to the micrometre. Between \
                 the keys the thigh is carried through its half turn, and the knee with it: out to the side by \
                 0.30 m times the sine of one degree. The kneecap shows it: it ends up at the back, while the \
                 foot has not moved.",
            ],
        ),
        Section::new(
            "What helps",
            &[
                "The second leg keeps X across the plane it moves in: the reference axis is laid across the bone, \
                 brought to length one, and Z follows from X and Y. The thigh then turns by the two degrees that it \
                 should, and the knee stays in the plane.",
                "Where the bone has no length, or the reference runs along it, there is no such frame. That is an \
                 error and not a reason to pick another axis: one picked anew at each key makes the next jump.",
            ],
        ),
        Section::new(
            "What it does not do",
            &[
                "Keeping the plane is not keeping the foot on the ground. Between its bent keys the second leg is \
                 straight for a moment, and its ankle sinks by 0.0914 mm.",
            ],
        ),
    ]
}
