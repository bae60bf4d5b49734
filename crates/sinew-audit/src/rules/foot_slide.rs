//! `SINEW_FOOT_SLIDE`: a planted foot that moves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::feet::{self, FOOT_WORDS, HELPER_WORDS};
use crate::motion::Motion;
use crate::names::{self, OFF_FEET_WORDS};
use crate::plot::{Limit, Marker, Plot, Series, Span, Tone};
use crate::report::ClipFacts;
use crate::stance::{self, FeetMotion, FootMotion, Stance};
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::FootSlide,
    severity: Severity::Warning,
    title: "a foot that slides while it stands",
    reason: "A planted foot that moves over the ground is what people notice first in a walk.",
    method: "Feet are found by name, or by shape where names say nothing: pairs of equal chains that reach \
             the floor. A foot stands while a point of its sole (without a mesh: one of its joints) is within \
             the contact height of its lowest and slow against its fastest; the slowest such point counts, so \
             that rolling from heel to toe is no slide. Under a clip that walks in place the ground moves with \
             the velocity that the feet of the whole clip agree on while they are down, and a share of its way \
             is allowed for, as real steps are not even; where they do not agree nothing is measured. Info \
             up to the warning limit, as recorded motion always creeps a little, where the ground is a guess, \
             for feet so fast that they may be stepping, \
             and in clips named for lying, sitting, dying and the like. Sampled at every key and at least 120 times a second.",
    example: "warning SINEW_FOOT_SLIDE left foot 'LeftFoot' slides 59.8 mm (way 59.8 mm, 0.149 m/s) while it \
              stands from 0.300 to 0.700 s",
    fix: "Lock the foot to where it lands and let IK carry the leg, or \
          set the play rate to the speed that the feet were made for.",
    section: Some("foot-slide"),
    check_file: None,
    check_clip: Some(check_clip),
};

/// What counts as a foot, as standing, and as sliding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FootSlideLimits {
    /// Largest net slide of one stance, for a person of 1.8 m.
    #[schemars(extend("unit" = "mm"))]
    pub slide_mm: f64,
    /// Net slide of one stance from which on it is a warning, for a person of 1.8 m; below, it is info.
    #[schemars(extend("unit" = "mm"))]
    pub warning_mm: f64,
    /// Share of the ground's way under an in-place clip that is allowed on top.
    #[schemars(extend("unit" = ""))]
    pub in_place_share: f64,
    /// Height above its lowest up to which a point counts as near the ground, for a person of 1.8 m.
    #[schemars(extend("unit" = "mm"))]
    pub contact_height_mm: f64,
    /// Shortest stance.
    #[schemars(extend("unit" = "s"))]
    pub min_stance_s: f64,
    /// A stance begins below this share of the foot's fast speed (its 95th percentile).
    #[schemars(extend("unit" = ""))]
    pub enter_speed_share: f64,
    /// A stance ends above this share of the foot's fast speed.
    #[schemars(extend("unit" = ""))]
    pub leave_speed_share: f64,
    /// Names of the feet, with `*` and `?`. Where there are none, they are looked for.
    pub feet: Vec<String>,
    /// Words in the name of a clip whose character does not stand on its feet; slides are info there.
    pub off_feet_words: Vec<String>,
    /// Words in the name of a joint that is a foot.
    pub foot_words: Vec<String>,
    /// Words in the name of a joint that steers a foot and is none.
    pub helper_words: Vec<String>,
}

impl Default for FootSlideLimits {
    fn default() -> Self {
        let words = |list: &str| list.split_whitespace().map(str::to_owned).collect();
        Self {
            slide_mm: 10.0,
            warning_mm: 50.0,
            in_place_share: 0.1,
            contact_height_mm: 36.0,
            min_stance_s: 0.08,
            enter_speed_share: 0.25,
            leave_speed_share: 0.4,
            feet: Vec::new(),
            off_feet_words: words(OFF_FEET_WORDS),
            foot_words: words(FOOT_WORDS),
            helper_words: words(HELPER_WORDS),
        }
    }
}

fn check_clip(context: &Context<'_>, motion: &Motion<'_>, facts: &mut ClipFacts, out: &mut Collector<'_>) {
    let limits = &context.limits.foot_slide;
    if !out.wants(Code::FootSlide) {
        return;
    }
    let moved = stance::measure(context.document, &context.model, &context.feet, motion, limits);
    facts.stances = moved.feet.iter().map(|f| f.stances.len()).sum();
    let in_place = moved.ground_mps.length() > 0.0;
    let known = in_place && facts.stances > 0;
    facts.ground_mps = known.then_some([moved.ground_mps.x, moved.ground_mps.z]);
    let base_mm = context.model.scaled(limits.slide_mm);
    let allowed_mm = |s: &Stance| base_mm + limits.in_place_share * s.ground_m * 1e3;
    let on_feet = !names::has_word(&motion.clip.label(), &limits.off_feet_words);
    for foot in &moved.feet {
        let over: Vec<&Stance> =
            foot.stances.iter().filter(|s| s.net_slide_m * 1e3 > allowed_mm(s)).collect();
        let excess = |s: &Stance| s.net_slide_m * 1e3 - allowed_mm(s);
        let Some(worst) = over.iter().copied().fold(None, |best: Option<&Stance>, s| match best {
            Some(b) if excess(b) >= excess(s) => Some(b),
            _ => Some(s),
        }) else {
            continue;
        };
        let label = context.skeleton().label(foot.foot.joint);
        let mm = worst.net_slide_m * 1e3;
        let others = match (over.len() - 1, foot.stances.len()) {
            (0, 1) => String::new(),
            (0, 2) => "; the other stance keeps within the limit".to_owned(),
            (0, all) => format!("; the other {} stances keep within the limit", all - 1),
            (n, all) => format!("; {} of {all} stances are over the limit", n + 1),
        };
        // The ground under an in-place clip is an estimate; it has to be a good one to warn by.
        let sure = !in_place || moved.ground_share >= SURE_SHARE;
        // A foot this fast may be taking a step close to the ground.
        let sure = sure && worst.mean_speed_mps <= STEP_SPEED * context.model.size_m && on_feet;
        let warning_mm = context.model.scaled(limits.warning_mm) + allowed_mm(worst) - base_mm;
        let severity = if sure && mm > warning_mm { Severity::Warning } else { Severity::Info };
        let ground = if in_place {
            format!(
                ", against a ground that moves at {:.3} m/s as the feet of this in-place clip agree {:.0} % of \
                 the time they are down",
                moved.ground_mps.length(),
                moved.ground_share * 100.0
            )
        } else {
            String::new()
        };
        let message = format!(
            "{} '{label}' slides {mm:.1} mm (way {:.1} mm, {:.3} m/s) while it stands from {:.3} to {:.3} \
             s{ground}{others}",
            feet::side_text(&label),
            worst.path_m * 1e3,
            worst.mean_speed_mps,
            worst.start,
            worst.end,
        );
        let finding = Finding::new(Code::FootSlide, severity, message, RULE.fix).clip(motion.clip);
        let finding = finding.joint(context.skeleton(), foot.foot.joint).at(worst.start).until(worst.end);
        let plots = plots(motion, &label, &moved, foot, worst);
        out.push_with_plots(finding.measured(mm, allowed_mm(worst), "mm"), plots);
    }
}

/// Share of the time that feet are down in which they have to agree on an in-place clip's ground for a
/// warning to rest on it.
const SURE_SHARE: f64 = 0.75;

/// Mean speed, sizes a second, above which a foot near the ground may as well be stepping.
const STEP_SPEED: f64 = 0.25;

/// Points of one curve at most.
const POINTS: usize = 1200;

/// Height and speed of a foot, with its stances.
fn plots(
    motion: &Motion<'_>,
    label: &str,
    moved: &FeetMotion,
    foot: &FootMotion,
    worst: &Stance,
) -> Vec<Plot> {
    let step = moved.times.len().div_ceil(POINTS).max(1);
    let clip = motion.clip.label();
    let spans: Vec<Span> =
        foot.stances.iter().map(|s| Span { from: s.start, to: s.end, label: "stance".to_owned() }).collect();
    let marker = |y: f64, text: String| Marker { x: worst.start, y: Some(y), label: text, finding: Some(0) };

    let mut height = Plot::over_time(format!("{clip}: height of {label}"), "height", "mm");
    height.description =
        "Height of the lowest contact point of the foot. It stands where it is near its lowest \
                          and slow."
            .to_owned();
    let points = moved.times.iter().zip(&foot.heights_m).step_by(step).map(|(t, h)| [*t, h * 1e3]);
    height.series.push(Series::new("height", points.collect()));
    height
        .markers
        .push(marker(worst.min_height_m * 1e3, format!("slides {:.1} mm", worst.net_slide_m * 1e3)));

    let mut speed = Plot::over_time(format!("{clip}: speed of {label} over the ground"), "speed", "m/s");
    speed.description =
        "Horizontal speed of the foot against the ground. In a clean stance it stays at zero.".to_owned();
    let points = moved.times.iter().zip(&foot.speeds_mps).step_by(step).map(|(t, v)| [*t, *v]);
    speed.series.push(Series::new("speed", points.collect()).tone(Tone::Bad));
    speed.limits.push(Limit { value: 0.0, label: "planted".to_owned() });
    speed.markers.push(marker(worst.mean_speed_mps, format!("mean {:.3} m/s", worst.mean_speed_mps)));

    [height, speed]
        .into_iter()
        .map(|mut plot| {
            plot.clip = u32::try_from(motion.index).ok();
            plot.joint = Some(foot.foot.joint.0);
            plot.spans = spans.clone();
            plot
        })
        .collect()
}
