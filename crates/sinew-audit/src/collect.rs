//! Gathers what rules find: applies `sinew.toml`, sorts, shortens.

use std::collections::BTreeMap;

use crate::plot::Plot;
use crate::report::Counts;
use crate::wording::counted;
use crate::{Code, Finding, Limits, Severity};

/// A finding with the curves it rests on.
struct Draft {
    finding: Finding,
    plots: Vec<Plot>,
    /// Findings that it stands for; 1 unless it only says how many more there are.
    stands_for: usize,
    /// Where it comes among those it is about.
    rank: Rank,
}

/// What a draft says, in the order in which a person reads it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Finding,
    MoreInClip,
    MoreInFile,
}

/// Takes findings from rules.
pub(crate) struct Collector<'a> {
    limits: &'a Limits,
    drafts: Vec<Draft>,
    ignored: usize,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self { limits, drafts: Vec::new(), ignored: 0 }
    }

    /// Whether findings of this rule are wanted at all.
    pub(crate) fn wants(&self, code: Code) -> bool {
        self.limits.severity.get(&code).is_none_or(|level| level.severity().is_some())
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.push_with_plots(finding, Vec::new());
    }

    /// Markers of the plots that carry `finding: Some(_)` are made to point at this finding.
    pub(crate) fn push_with_plots(&mut self, mut finding: Finding, plots: Vec<Plot>) {
        if let Some(level) = self.limits.severity.get(&finding.code) {
            match level.severity() {
                Some(severity) => finding.severity = severity,
                None => return,
            }
        }
        if self.limits.ignore.iter().any(|i| i.fits(&finding)) {
            self.ignored += 1;
            return;
        }
        self.drafts.push(Draft { finding, plots, stands_for: 1, rank: Rank::Finding });
    }

    /// Makes one finding of those without plots that share a key, where there are several.
    pub(crate) fn fold<K: Ord>(
        &mut self,
        key: impl Fn(&Finding) -> Option<K>,
        merge: impl Fn(&[Finding]) -> Finding,
    ) {
        let mut groups: BTreeMap<K, Vec<Draft>> = BTreeMap::new();
        let mut kept = Vec::new();
        for draft in self.drafts.drain(..) {
            match key(&draft.finding).filter(|_| draft.plots.is_empty()) {
                Some(key) => groups.entry(key).or_default().push(draft),
                None => kept.push(draft),
            }
        }
        for mut group in groups.into_values() {
            if group.len() > 1 {
                let findings: Vec<Finding> = group.drain(..).map(|d| d.finding).collect();
                let finding = merge(&findings);
                kept.push(Draft { finding, plots: Vec::new(), stands_for: 1, rank: Rank::Finding });
            }
            kept.append(&mut group);
        }
        self.drafts = kept;
    }

    /// Sorted findings, their plots, and the counts of all that were found.
    pub(crate) fn finish(self) -> (Vec<Finding>, Vec<Plot>, Counts) {
        let mut counts = Counts { ignored: self.ignored, ..Counts::default() };
        for draft in &self.drafts {
            *counts.by_code.entry(draft.finding.code).or_default() += 1;
            match draft.finding.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Info => counts.infos += 1,
            }
        }
        let by_clip = |f: &Finding| f.subject.clip_index;
        let list = &self.limits.list;
        let per_file = |s: Severity| if s == Severity::Info { list.infos_per_file } else { list.per_file };
        let mut drafts = shorten(self.drafts, |_| list.per_clip, by_clip, Rank::MoreInClip);
        drafts = shorten(drafts, per_file, |_| Some(0), Rank::MoreInFile);
        drafts.sort_by(compare);
        let (mut findings, mut plots) = (Vec::new(), Vec::new());
        for (index, draft) in drafts.into_iter().enumerate() {
            let index = u32::try_from(index).ok();
            for mut plot in draft.plots {
                for marker in plot.markers.iter_mut().filter(|m| m.finding.is_some()) {
                    marker.finding = index;
                }
                plots.push(plot);
            }
            findings.push(draft.finding);
        }
        (findings, plots, counts)
    }
}

/// Worst first, then in the order a person walks through a file; how many more there are comes after what
/// there are more of.
fn compare(a: &Draft, b: &Draft) -> core::cmp::Ordering {
    let in_file = |d: &Draft| d.rank == Rank::MoreInFile;
    let (in_file, in_clip) = (in_file(a).cmp(&in_file(b)), a.rank.cmp(&b.rank));
    let (a, b) = (&a.finding, &b.finding);
    let time = |f: &Finding| f.subject.time.unwrap_or(-1.0);
    (b.severity.cmp(&a.severity))
        .then(in_file)
        .then_with(|| a.subject.clip_index.cmp(&b.subject.clip_index))
        .then(in_clip)
        .then_with(|| a.subject.node.cmp(&b.subject.node))
        .then_with(|| time(a).total_cmp(&time(b)))
        .then_with(|| a.code.cmp(&b.code))
        .then_with(|| a.message.cmp(&b.message))
}

/// Keeps the worst of each group of one rule and severity and says how many more there were; what belongs
/// to no group stays.
fn shorten(
    drafts: Vec<Draft>,
    most: impl Fn(Severity) -> usize,
    group: impl Fn(&Finding) -> Option<u32>,
    rank: Rank,
) -> Vec<Draft> {
    let mut groups: BTreeMap<(Code, Severity, u32), Vec<Draft>> = BTreeMap::new();
    let mut kept = Vec::new();
    for draft in drafts {
        let f = &draft.finding;
        match group(f) {
            Some(number) => groups.entry((f.code, f.severity, number)).or_default().push(draft),
            None => kept.push(draft),
        }
    }
    for ((_, severity, _), mut members) in groups {
        let most = most(severity).max(1);
        if members.len() > most {
            // Stable: of equally bad ones the first found stays.
            members.sort_by(|a, b| badness(&b.finding).total_cmp(&badness(&a.finding)));
            let rest = members.split_off(most);
            kept.append(&mut members);
            kept.extend(summary(&rest, rank));
        } else {
            kept.append(&mut members);
        }
    }
    kept
}

/// How far over its limit a finding is.
fn badness(finding: &Finding) -> f64 {
    match (finding.measured, finding.limit) {
        (Some(measured), Some(limit)) if limit > 0.0 => measured.abs() / limit,
        (Some(measured), _) => measured.abs(),
        // No number: the value was not finite, or cannot be compared.
        _ => f64::MAX,
    }
}

fn summary(rest: &[Draft], rank: Rank) -> Option<Draft> {
    let worst = &rest.first()?.finding;
    let mut names: Vec<&str> = rest.iter().filter_map(|d| d.finding.subject.joint.as_deref()).collect();
    names.dedup();
    let stands_for: usize = rest.iter().map(|d| d.stands_for).sum();
    let whence = if rank == Rank::MoreInFile { "in this file" } else { "in this clip" };
    let more = counted(stands_for, "more finding", "more findings");
    let mut message = format!("{more} like these {whence}");
    if !names.is_empty() {
        let shown = names.len().min(6);
        message.push_str(": ");
        message.push_str(&names[..shown].join(", "));
        if names.len() > shown {
            message.push_str(", ...");
        }
    }
    let mut finding = Finding::new(worst.code, worst.severity, message, worst.fix.clone());
    finding.subject.clip = worst.subject.clip.clone();
    finding.subject.clip_index = worst.subject.clip_index;
    if rank == Rank::MoreInFile {
        (finding.subject.clip, finding.subject.clip_index) = (None, None);
    }
    (finding.measured, finding.limit, finding.unit) = (worst.measured, worst.limit, worst.unit.clone());
    Some(Draft { finding, plots: Vec::new(), stands_for, rank })
}
