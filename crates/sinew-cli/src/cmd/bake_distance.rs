//! `sinew bake distance`: a clip with curves of the distance it covers.

use schemars::JsonSchema;
use serde::Serialize;
use sinew::locomotion::{
    DistanceBake, DistanceBakeJob, DistanceBakeSettings, DistanceCurve, DistanceKind, DistanceMarker,
    FeetSettings, GroundMover, LocomotionError, Reversal, UnmarkedTurn, remainder_to_pelvis,
};
use sinew::{JointId, Skeleton};
use sinew_asset::{Document, NoFiles, ReadOptions, WriteOptions, read_gltf, save, write_glb};
use sinew_audit::{FootSlideLimits, find_feet};

use crate::args::{BakeDistance, Format};
use crate::failure::Failure;
use crate::input::{self, Convention, Input};
use crate::output::{Out, clean, refuse_overwrite};

/// Characters smaller or larger than this, metres, are likely in another unit.
const LEAST_SIZE: f64 = 0.05;
const MOST_SIZE: f64 = 20.0;

/// What was found of the distance that a clip covers.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DistanceReport {
    input: String,
    output: String,
    /// Size of the written file, bytes.
    bytes: usize,
    /// The clip that carries the curves.
    clip: String,
    /// Its length, seconds.
    duration: f64,
    /// The joint, or node above the joints, whose path it is; none where the feet told it.
    root: Option<String>,
    /// What the feet of a clip in place told.
    feet: Option<FeetFacts>,
    /// Where the root starts, stops or turns, in order of time; none of a clip that moves all the way.
    markers: Vec<MarkerFacts>,
    /// Stretches in which the root goes back on its way.
    reversals: Vec<ReversalFacts>,
    /// Stretches without a marker in which the way turns by more than a right angle.
    turns: Vec<TurnFacts>,
    /// The joint that was given what the root did besides; none where the root was left as it is.
    pelvis: Option<String>,
    /// Curves as stored in the clip, one a marker, each with its remainder and its direction beside it.
    curves: Vec<CurveFacts>,
    /// What `--retime` did.
    retime: Option<RetimeFacts>,
    /// Problems of the input that were passed over, and a size that makes one doubt its unit.
    problems: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FeetFacts {
    /// The joints that were looked at.
    joints: Vec<String>,
    /// Mean speed of the ground under those that stand, metres a second.
    speed: f64,
    /// How far that may be off, as a share of it; 0 where the speed was given.
    uncertainty: f64,
    /// Stances that were found.
    stances: usize,
}

#[derive(Serialize, JsonSchema)]
struct MarkerFacts {
    /// `start`, `stop` or `pivot`.
    kind: &'static str,
    /// The moment that distances count from, seconds.
    time: f64,
    /// First and last moment without progress there, seconds.
    span: [f64; 2],
    /// Direction (x, z) in which the root arrives, of length 1; none of a start.
    before: Option<[f64; 2]>,
    /// Direction in which it leaves; none of a stop.
    after: Option<[f64; 2]>,
    /// Metres travelled since the start of the clip.
    distance_m: f64,
}

#[derive(Serialize, JsonSchema)]
struct ReversalFacts {
    /// Seconds.
    from: f64,
    /// Seconds.
    to: f64,
    /// Millimetres that the root goes back; they are part of the remainder.
    back_mm: f64,
}

#[derive(Serialize, JsonSchema)]
struct TurnFacts {
    /// Seconds.
    from: f64,
    /// Seconds.
    to: f64,
    /// Degrees to the left; to the right they are negative.
    degrees: f64,
}

#[derive(Serialize, JsonSchema)]
struct CurveFacts {
    /// Its name in the clip.
    name: String,
    /// `start`, `stop`, `pivot` or `loop`.
    kind: &'static str,
    /// First and last moment, seconds.
    span: [f64; 2],
    /// First and last distance, metres: still to go is negative, travelled is positive.
    distances_m: [f64; 2],
    /// Metres from the first to the last.
    range_m: f64,
    /// Farthest that the root is from the distance, millimetres; where a pelvis was named, that was before, and the
    /// pelvis carries it now.
    largest_remainder_mm: f64,
    /// Speed over its first thirtieth of a second, metres a second.
    start_speed: f64,
    /// Speed over its last thirtieth of a second, metres a second.
    end_speed: f64,
    /// Share of its time in which the first 5 % of its range are covered.
    first_5_percent: f64,
    /// Evenly spaced keys.
    samples: usize,
}

#[derive(Serialize, JsonSchema)]
struct RetimeFacts {
    /// How far moments went towards those of the mover, 0 to 1.
    share: f64,
    /// Length of the clip before, seconds.
    duration_before: f64,
    /// Length of the clip now, seconds.
    duration: f64,
}

pub(crate) fn run(args: &BakeDistance, out: &mut Out) -> Result<(), Failure> {
    if args.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("glb")) {
        let message = format!("{}: only .glb files are written", args.output.display());
        return Err(Failure::Usage(message));
    }
    check_numbers(args)?;
    refuse_overwrite(&args.output, &[&args.input])?;
    let input = Input::read(&args.input, &args.reading, Convention::Guess)?;
    if let Some(problem) = input.errors().next() {
        return Err(Failure::input(&input.file, problem));
    }
    let index = input.clip_index(args.clip.as_deref())?;
    let mut document = input.document().clone();
    let label = document.clips[index].label();
    let settings = settings(args, &input)?;
    let failed = |e: &dyn std::fmt::Display| Failure::input(&input.file, format!("clip '{label}': {e}"));
    let (skeleton, clip) = (&document.skeleton, &document.clips[index]);
    let baked = DistanceBakeJob { skeleton, clip, settings: &settings }.run();
    let baked = baked.map_err(|e| match &e {
        LocomotionError::NoStance { .. } | LocomotionError::Stands { .. } => failed(&format!(
            "nothing in the clip travels, and {e} (a root is named by --root, feet by --feet)"
        )),
        LocomotionError::Uncertain { .. } => failed(&format!("{e} by --speed")),
        LocomotionError::NoRoot { .. } => failed(&format!("{e} (--feet, --root)")),
        _ => failed(&e),
    })?;
    if baked.feet.is_none() {
        let root = baked.root.map_or_else(String::new, |joint| skeleton.label(joint));
        let unused = [("--speed", args.speed.is_some()), ("--feet", !args.feet.is_empty())];
        if let Some((option, _)) = unused.iter().find(|(_, given)| *given) {
            let why = format!("{option} is for clips in place, and '{root}' travels: --root names another");
            return Err(failed(&why));
        }
    }
    let (mut stored, mut retime) = (baked.clone(), None);
    if let Some(share) = args.retime {
        let (new, facts) = retimed(args, share, skeleton, &baked, &settings).map_err(|e| failed(&e))?;
        (stored, retime) = (new, Some(facts));
    }
    let (path, reported) = (stored.path.clone(), stored.curves.clone());
    let pelvis = args.pelvis.as_ref().map(|name| input::joint(&input.file, skeleton, name)).transpose()?;
    if let Some(pelvis) = pelvis {
        stored = remainder_to_pelvis(skeleton, &stored, pelvis, &settings).map_err(|e| match &e {
            LocomotionError::NoRoot { .. } => {
                failed(&"--pelvis is for clips whose root travels, and this one is in place")
            }
            LocomotionError::NotBelow { pelvis, root } => {
                let [pelvis, root] = [*pelvis, *root].map(|joint| skeleton.label(joint));
                failed(&format!(
                    "--pelvis: '{pelvis}' does not hang from the root '{root}' (--root names another)"
                ))
            }
            _ => failed(&e),
        })?;
    }
    let duration = stored.clip.duration();
    let pelvis = pelvis.map(|joint| skeleton.label(joint));
    document.clips[index] = stored.clip;
    let bytes = write_glb(&document, &WriteOptions::default()).map_err(|e| Failure::input(&input.file, e))?;
    read_back(&bytes, index, &stored.curves)?;
    save(&args.output, &bytes).map_err(|e| Failure::write(e.path, e.source))?;
    let mut problems: Vec<String> = input.loaded.problems.iter().map(ToString::to_string).collect();
    if !(LEAST_SIZE..=MOST_SIZE).contains(&baked.size) {
        let size = baked.size;
        problems.push(format!(
            "the character is {size:.3} m large in rest pose: if its file is not in metres, nothing here is"
        ));
    }
    let report = DistanceReport {
        input: input.file.clone(),
        output: args.output.display().to_string(),
        bytes: bytes.len(),
        clip: label,
        duration,
        root: baked.root.map(|joint| document.skeleton.label(joint)),
        feet: baked.feet.as_ref().map(|feet| FeetFacts {
            joints: labels(&document, &settings.feet),
            speed: feet.speed,
            uncertainty: feet.uncertainty,
            stances: feet.stances.len(),
        }),
        markers: path.markers.iter().map(MarkerFacts::from).collect(),
        reversals: path.reversals.iter().map(ReversalFacts::from).collect(),
        turns: path.turns.iter().map(TurnFacts::from).collect(),
        pelvis,
        curves: reported.iter().map(CurveFacts::from).collect(),
        retime,
        problems,
    };
    match args.format {
        Format::Json => out.json(&report),
        Format::Text => report.print(out),
    }
}

fn check_numbers(args: &BakeDistance) -> Result<(), Failure> {
    for (option, value) in [
        ("--rate", args.rate),
        ("--speed", args.speed),
        ("--max-speed", args.max_speed),
        ("--acceleration", args.acceleration),
    ] {
        if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
            return Err(Failure::Usage(format!("{option} {value}: expected a finite number above 0")));
        }
    }
    if let Some(rate) = args.rate.filter(|rate| !(1.0..=1e4).contains(rate)) {
        return Err(Failure::Usage(format!("--rate {rate}: expected 1 to 10000 samples a second")));
    }
    match args.retime.filter(|share| !(0.0..=1.0).contains(share)) {
        Some(share) => Err(Failure::Usage(format!("--retime {share}: expected 0 to 1"))),
        None => Ok(()),
    }
}

fn settings(args: &BakeDistance, input: &Input) -> Result<DistanceBakeSettings, Failure> {
    let document = input.document();
    let named = |name: &String| input::joint(&input.file, &document.skeleton, name);
    let feet: Vec<JointId> = if args.feet.is_empty() {
        find_feet(document, &FootSlideLimits::default()).iter().map(|foot| foot.joint).collect()
    } else {
        args.feet.iter().map(named).collect::<Result<_, _>>()?
    };
    let mut settings = DistanceBakeSettings {
        root: args.root.as_ref().map(named).transpose()?,
        feet,
        by_feet: FeetSettings { speed: args.speed, ..FeetSettings::default() },
        ..DistanceBakeSettings::default()
    };
    settings.rate = args.rate.unwrap_or(settings.rate);
    Ok(settings)
}

/// A start that takes its time as the mover does.
fn retimed(
    args: &BakeDistance,
    share: f64,
    skeleton: &Skeleton,
    baked: &DistanceBake,
    settings: &DistanceBakeSettings,
) -> Result<(DistanceBake, RetimeFacts), String> {
    let kinds: Vec<DistanceKind> = baked.curves.iter().map(DistanceCurve::kind).collect();
    if kinds != [DistanceKind::Start] {
        let kinds: Vec<&str> = kinds.into_iter().map(DistanceKind::name).collect();
        return Err(format!("--retime is for a clip that only starts; this has {}", kinds.join(", ")));
    }
    // Only top speed and acceleration of the mover have a say in a start.
    let (max_speed, acceleration) =
        (args.max_speed.unwrap_or(f64::NAN), args.acceleration.unwrap_or(f64::NAN));
    let mover = GroundMover {
        max_speed,
        acceleration,
        friction: 8.0,
        braking_friction: 0.0,
        braking: acceleration,
        sub_step: 1.0 / 33.0,
        stop_speed: 0.0,
    };
    let (new, _) = baked.retimed(skeleton, &mover, share, settings).map_err(|e| e.to_string())?;
    let facts = RetimeFacts { share, duration_before: baked.clip.duration(), duration: new.clip.duration() };
    Ok((new, facts))
}

/// What was written, read again: nothing is saved that cannot be matched.
fn read_back(bytes: &[u8], clip: usize, curves: &[DistanceCurve]) -> Result<(), Failure> {
    let internal = |e: String| Failure::Internal(format!("the baked file: {e}"));
    let read = read_gltf(bytes, &NoFiles, &ReadOptions::default()).map_err(|e| internal(e.to_string()))?;
    let stored = read.document.clips.get(clip).map_or(&[][..], |clip| &clip.curves);
    for curve in curves {
        let back =
            DistanceCurve::from_clip_curves(stored, curve.name()).map_err(|e| internal(e.to_string()))?;
        if let Some(what) = differs(curve, &back) {
            return Err(internal(format!("{what} of curve '{}' does not come back as it was", curve.name())));
        }
    }
    Ok(())
}

/// What of a curve is not what it was.
fn differs(curve: &DistanceCurve, back: &DistanceCurve) -> Option<&'static str> {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * (1.0 + curve.range());
    let both = |a: [f64; 2], b: [f64; 2]| near(a[0], b[0]) && near(a[1], b[1]);
    [
        ("the kind", curve.kind() == back.kind()),
        ("the time", both(curve.span(), back.span())),
        ("the distance", both(curve.distances(), back.distances())),
        ("the remainder", near(curve.largest_remainder(), back.largest_remainder())),
    ]
    .into_iter()
    .find_map(|(what, same)| (!same).then_some(what))
}

fn labels(document: &Document, joints: &[JointId]) -> Vec<String> {
    joints.iter().map(|joint| document.skeleton.label(*joint)).collect()
}

impl From<&DistanceMarker> for MarkerFacts {
    fn from(marker: &DistanceMarker) -> Self {
        Self {
            kind: marker.kind.name(),
            time: marker.time,
            span: marker.span,
            before: marker.before.map(|d| d.to_array()),
            after: marker.after.map(|d| d.to_array()),
            distance_m: marker.distance,
        }
    }
}

impl From<&Reversal> for ReversalFacts {
    fn from(reversal: &Reversal) -> Self {
        Self { from: reversal.from, to: reversal.to, back_mm: reversal.distance * 1e3 }
    }
}

impl From<&UnmarkedTurn> for TurnFacts {
    fn from(turn: &UnmarkedTurn) -> Self {
        Self { from: turn.from, to: turn.to, degrees: turn.angle.to_degrees() }
    }
}

impl From<&DistanceCurve> for CurveFacts {
    fn from(curve: &DistanceCurve) -> Self {
        let ([start, _], [first, _]) = (curve.span(), curve.distances());
        Self {
            name: curve.name().to_owned(),
            kind: curve.kind().name(),
            span: curve.span(),
            distances_m: curve.distances(),
            range_m: curve.range(),
            largest_remainder_mm: curve.largest_remainder() * 1e3,
            start_speed: curve.speed_at_start(DistanceCurve::END_SECONDS),
            end_speed: curve.speed_at_end(DistanceCurve::END_SECONDS),
            first_5_percent: (curve.time_at(first + 0.05 * curve.range()) - start) / curve.duration(),
            samples: curve.len(),
        }
    }
}

/// A direction over the ground for people.
fn direction(way: Option<[f64; 2]>) -> String {
    way.map_or_else(|| "-".into(), |[x, z]| format!("({x:.2}, {z:.2})"))
}

impl DistanceReport {
    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        let kib = self.bytes.div_ceil(1024);
        let whose = match (&self.root, &self.feet) {
            (Some(root), _) => format!("path of '{}'", clean(root)),
            (None, Some(feet)) => format!(
                "in place, {:.4} m/s by {} stances of '{}', uncertain by {:.1} %",
                feet.speed,
                feet.stances,
                clean(&feet.joints.join("', '")),
                feet.uncertainty * 100.0
            ),
            (None, None) => "path given".into(),
        };
        out.line(format_args!(
            "{} -> {} ({kib} KiB): clip '{}', {:.4} s, {whose}",
            clean(&self.input),
            clean(&self.output),
            clean(&self.clip),
            self.duration
        ))?;
        if let Some(retime) = &self.retime {
            out.line(format_args!(
                "  retimed by {} of the way to the mover: {:.4} s were {:.4} s",
                retime.share, retime.duration, retime.duration_before
            ))?;
        }
        if self.markers.is_empty() {
            out.line(format_args!("  no markers: the root moves from the first to the last moment"))?;
        } else {
            out.line(format_args!(
                "  {:<10} {:>9} {:>19} {:>15} {:>15} {:>12}",
                "marker", "at s", "still from to s", "arrives x z", "leaves x z", "travelled m"
            ))?;
        }
        for marker in &self.markers {
            let span = format!("{:.4} {:.4}", marker.span[0], marker.span[1]);
            let (before, after) = (direction(marker.before), direction(marker.after));
            out.line(format_args!(
                "  {:<10} {:>9.4} {span:>19} {before:>15} {after:>15} {:>12.4}",
                marker.kind, marker.time, marker.distance_m
            ))?;
        }
        for back in &self.reversals {
            out.line(format_args!(
                "  goes back {:.1} mm from {:.4} to {:.4} s",
                back.back_mm, back.from, back.to
            ))?;
        }
        for turn in &self.turns {
            let side = if turn.degrees > 0.0 { "left" } else { "right" };
            out.line(format_args!(
                "  turns by {:.0} degrees to the {side} from {:.4} to {:.4} s without a marker",
                turn.degrees.abs(),
                turn.from,
                turn.to
            ))?;
        }
        out.line(format_args!(
            "  {:<16} {:>6} {:>19} {:>19} {:>9} {:>13} {:>10} {:>8} {:>8}",
            "curve",
            "kind",
            "from to s",
            "from to m",
            "range m",
            "remainder mm",
            "end m/s",
            "first 5%",
            "samples"
        ))?;
        for curve in &self.curves {
            let span = format!("{:.4} {:.4}", curve.span[0], curve.span[1]);
            let distances = format!("{:.4} {:.4}", curve.distances_m[0], curve.distances_m[1]);
            let share = format!("{:.0} %", curve.first_5_percent * 100.0);
            out.line(format_args!(
                "  {:<16} {:>6} {span:>19} {distances:>19} {:>9.4} {:>13.1} {:>10.3} {share:>8} {:>8}",
                clean(&curve.name),
                curve.kind,
                curve.range_m,
                curve.largest_remainder_mm,
                curve.end_speed,
                curve.samples
            ))?;
        }
        let whose = self.pelvis.as_ref().map_or_else(
            || "the root goes besides, which --pelvis gives to a joint".to_owned(),
            |pelvis| format!("the root went besides, and '{}' goes now", clean(pelvis)),
        );
        out.line(format_args!(
            "  metres still to go to a stop or a turn are negative, metres travelled are positive; the remainder is \
             what {whose}; first 5%: time for that much of the range"
        ))?;
        for problem in &self.problems {
            out.line(format_args!("  {}", clean(problem)))?;
        }
        Ok(())
    }
}
