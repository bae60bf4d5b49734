//! `SINEW_KEY_TIMES`: key times that are unsorted, repeated or negative.

use super::{Rule, file};
use crate::collect::Collector;
use crate::context::Context;
use crate::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code::KeyTimes,
    severity: Severity::Error,
    title: "key times that are unsorted, repeated, negative or no numbers",
    reason: "Players search key times by halving or by walking. Times out of order make them divide by zero, \
             read out of bounds or show a pose of another moment; each player does something else.",
    method: "The reader refuses such a clip; the rest of the file is audited. Animation, sampler and key are \
             named, counted from 0.",
    example: "error SINEW_KEY_TIMES animation 0 'stutter', sampler 0: input accessor 0: key 2 is a duplicate: \
              time 0.5 s repeats key 1; the animation is left out",
    fix: "Sort the keys by time and drop all but one of those that share a time; shift the clip so that its \
          first key is at 0.",
    section: None,
    check_file: Some(check),
    check_clip: None,
};

fn check(context: &Context<'_>, out: &mut Collector<'_>) {
    for problem in context.problems.iter().filter(|p| file::code_of(p) == Code::KeyTimes) {
        out.push(file::finding(problem, RULE.fix));
    }
}
