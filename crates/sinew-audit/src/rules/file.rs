//! `SINEW_FILE`: what the reader met that no other rule is about.

use sinew_asset::{Object, Place, Problem, ProblemCode};

use super::Rule;
use crate::collect::Collector;
use crate::context::Context;
use crate::{Code, Finding, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::File,
    severity: Severity::Warning,
    title: "what the reader could not use, or had to make safe",
    reason: "A clip, mesh or skin that was left out is missing in everything that comes after. A value that \
             was made safe here may crash another reader.",
    method: "Every problem that the reader reports and that no other rule is about, with its own severity: \
             error where an object was left out, warning where something was changed, info otherwise.",
    example: "warning SINEW_FILE node 3 'Camera': expected an extension that is known, found \
              EXT_something; carried as it is",
    fix: "Repair the object that the pointer names, in the exporter or by hand.",
    section: None,
    check_file: Some(check),
    check_clip: None,
};

fn check(context: &Context<'_>, out: &mut Collector<'_>) {
    for problem in context.problems.iter().filter(|p| code_of(p) == Code::File) {
        out.push(finding(problem, RULE.fix));
    }
}

/// Which rule a problem of the reader belongs to.
pub(super) fn code_of(problem: &Problem) -> Code {
    if problem.code != ProblemCode::Keys {
        return Code::File;
    }
    let says = |part: &str| problem.message.contains(part);
    // The wording is that of `sinew::TrackError`; a test holds the two together.
    if says("rotation of length 0") {
        Code::RotationLength
    } else if says("expected a finite number") {
        if says("has time") { Code::KeyTimes } else { Code::Value }
    } else if says("negative time")
        || says("is a duplicate")
        || says("is decreasing")
        || says("no keys, expected")
    {
        Code::KeyTimes
    } else {
        Code::KeyCount
    }
}

/// A problem as a finding, with everything that it names.
pub(super) fn finding(problem: &Problem, fix: &str) -> Finding {
    let message = format!("{}: {}", problem.object, problem.message);
    let mut finding = Finding::new(code_of(problem), problem.severity.into(), message, fix);
    finding.pointer = match &problem.place {
        Place::File => None,
        Place::Pointer(pointer) => Some(pointer.clone()),
        place => Some(place.to_string()),
    };
    let subject = &mut finding.subject;
    let label = |kind: &str, index: u32, name: &Option<String>| {
        Some(name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("{kind} {index}")))
    };
    match &problem.object {
        Object::Node { index, name } => {
            (subject.joint, subject.node) = (label("node", *index, name), Some(*index));
        }
        Object::Mesh { index, name } => {
            (subject.mesh, subject.mesh_index) = (label("mesh", *index, name), Some(*index));
        }
        Object::Primitive { mesh, name, primitive } => {
            (subject.mesh, subject.mesh_index) = (label("mesh", *mesh, name), Some(*mesh));
            subject.primitive = Some(*primitive);
        }
        Object::Skin { index, .. } => subject.skin = Some(*index),
        Object::Animation { index, name } | Object::Curve { animation: index, name, .. } => {
            (subject.clip, subject.clip_index) = (label("clip", *index, name), Some(*index));
        }
        Object::Channel { animation, name, channel } => {
            (subject.clip, subject.clip_index) = (label("clip", *animation, name), Some(*animation));
            subject.channel = Some(*channel);
        }
        Object::Sampler { animation, name, sampler } => {
            (subject.clip, subject.clip_index) = (label("clip", *animation, name), Some(*animation));
            subject.sampler = Some(*sampler);
        }
        _ => {}
    }
    if problem.code == ProblemCode::Keys {
        subject.key = number_after(&problem.message, "key ");
    }
    finding
}

/// The number that follows the first occurrence of `word` that has one.
fn number_after(text: &str, word: &str) -> Option<u32> {
    text.match_indices(word).find_map(|(at, _)| {
        let rest = &text[at + word.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::TrackError;

    fn problem(error: &TrackError) -> Problem {
        Problem {
            severity: sinew_asset::Severity::Error,
            code: ProblemCode::Keys,
            object: Object::Sampler { animation: 0, name: None, sampler: 1 },
            place: Place::Pointer("/animations/0/samplers/1/input".into()),
            message: format!("input accessor 4: {error}; the animation is left out"),
        }
    }

    #[test]
    fn every_rule_of_a_track_belongs_to_its_rule_of_the_audit() {
        let cases = [
            (TrackError::Empty, Code::KeyTimes),
            (TrackError::NonFiniteTime { key: 3, time: f64::NAN }, Code::KeyTimes),
            (TrackError::NegativeTime { key: 3, time: -1.0 }, Code::KeyTimes),
            (TrackError::DuplicateTime { key: 3, time: 1.0 }, Code::KeyTimes),
            (TrackError::DecreasingTime { key: 3, time: 1.0, previous: 2.0 }, Code::KeyTimes),
            (TrackError::OutputCount { keys: 3, expected: 9, found: 8 }, Code::KeyCount),
            (TrackError::NonFiniteValue { key: 3, component: 1, value: f32::INFINITY }, Code::Value),
            (TrackError::ZeroRotation { key: 3 }, Code::RotationLength),
        ];
        for (error, code) in cases {
            assert_eq!(code_of(&problem(&error)), code, "{error}");
        }
    }

    #[test]
    fn a_finding_keeps_clip_sampler_key_and_pointer() {
        let f = finding(&problem(&TrackError::DuplicateTime { key: 12, time: 1.0 }), "");
        assert_eq!((f.subject.clip_index, f.subject.sampler, f.subject.key), (Some(0), Some(1), Some(12)));
        assert_eq!(f.pointer.as_deref(), Some("/animations/0/samplers/1/input"));
    }
}
