//! `SINEW_KEY_COUNT`: key values whose number or type does not fit what they move.

use super::{Rule, file};
use crate::collect::Collector;
use crate::context::Context;
use crate::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::KeyCount,
    severity: Severity::Error,
    title: "key values whose number or type does not fit",
    reason: "A rotation takes four numbers a key, a translation three, morph weights one for each target, and \
             CUBICSPLINE three times as many. With any other count the keys slide against their times.",
    method: "The reader refuses such a clip, or reads what is unusual and says so; expected and found counts \
             are in the message.",
    example: "error SINEW_KEY_COUNT animation 1 'wave', sampler 2: output accessor 7: 44 output numbers for \
              12 keys, expected 48; the animation is left out",
    fix: "Export the clip again; every key needs all the values of what it moves, no more and no fewer.",
    section: None,
    check_file: Some(check),
    check_clip: None,
};

fn check(context: &Context<'_>, out: &mut Collector<'_>) {
    for problem in context.problems.iter().filter(|p| file::code_of(p) == Code::KeyCount) {
        out.push(file::finding(problem, RULE.fix));
    }
}
