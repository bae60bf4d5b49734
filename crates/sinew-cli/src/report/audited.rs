//! From audits to a page.

use sinew_asset::Document;
use sinew_audit::{AuditReport, Finding, Severity, Subject};

use super::build::SceneOptions;
use super::page::{Fact, FindingRow, Page, PagePlot};
use super::scene::PlayerScene;
use super::text::{measure, printable};

/// One audited file.
#[derive(Debug, Clone, Copy)]
pub struct Audited<'a> {
    /// File name with its ending, for people.
    pub name: &'a str,
    /// What was read.
    pub document: &'a Document,
    /// What the audit says.
    pub report: &'a AuditReport,
}

impl Page {
    /// The page of `sinew audit --report`: findings and curves of one or several files, and a player that
    /// shows the file which a finding is about. The files share the options' budget.
    pub fn of_audits(files: &[Audited<'_>], options: &SceneOptions) -> Self {
        let title = match files {
            [file] => printable(file.name),
            _ => format!("{} files", files.len()),
        };
        let mut page = Self::new(title, found(files));
        page.facts = facts(files);
        page.findings = Some(Vec::new());
        let share = SceneOptions { budget: options.budget / files.len().max(1), ..*options };
        for file in files {
            page.add_audit(file, &share, files.len() > 1);
        }
        page
    }

    fn add_audit(&mut self, file: &Audited<'_>, options: &SceneOptions, one_of_many: bool) {
        let player = self.players.len();
        let mut scene = PlayerScene::build(file.document, options);
        scene.title = file.name.into();
        let findings = self.findings.get_or_insert_default();
        // Markers count findings of their own file.
        let offset = u32::try_from(findings.len()).unwrap_or(u32::MAX);
        findings.extend(file.report.findings.iter().map(|f| row(f, file, player, one_of_many)));
        for plot in &file.report.plots {
            let mut plot = plot.clone();
            for marker in &mut plot.markers {
                marker.finding = marker.finding.and_then(|f| f.checked_add(offset));
            }
            self.plots.push(PagePlot { plot, players: vec![player] });
        }
        let of = if one_of_many { format!("{}: ", printable(file.name)) } else { String::new() };
        let shortened =
            file.report.counts.by_code.values().sum::<usize>().saturating_sub(file.report.findings.len());
        if shortened > 0 {
            self.notes
                .push(format!("{of}{shortened} more findings of the same kinds are counted but not listed."));
        }
        if file.report.counts.ignored > 0 {
            let ignored = file.report.counts.ignored;
            self.notes.push(format!("{of}{ignored} findings are left out as sinew.toml asks."));
        }
        self.notes.extend(scene.notes.iter().map(|note| format!("{of}{note}")));
        self.players.push(scene);
    }
}

/// "1 error, 2 warnings and 3 notes", of all files together.
fn found(files: &[Audited<'_>]) -> String {
    let count = |severity: Severity, word: &str| {
        let findings = files.iter().flat_map(|f| &f.report.findings);
        let count = findings.filter(|f| f.severity == severity).count();
        (count > 0).then(|| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
    };
    let words = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")];
    let parts: Vec<String> = words.into_iter().filter_map(|(severity, word)| count(severity, word)).collect();
    match parts.as_slice() {
        [] => "Nothing found".into(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn facts(files: &[Audited<'_>]) -> Vec<Fact> {
    let sum = |count: fn(&Audited<'_>) -> usize| files.iter().map(count).sum::<usize>().to_string();
    let seconds: f64 = files.iter().flat_map(|f| &f.report.clips).map(|c| c.duration_s).sum();
    let mut facts = vec![
        Fact::new("clips", sum(|f| f.document.clips.len())),
        Fact::new("motion", measure(seconds, "s")),
        Fact::new("joints", sum(|f| f.report.file.joints)),
        Fact::new("vertices", sum(|f| f.report.file.vertices)),
    ];
    if let [file] = files {
        facts.push(Fact::new("height", measure(file.report.file.height_m, "m")));
        if !file.report.file.feet.is_empty() {
            let feet: Vec<String> = file.report.file.feet.iter().map(|f| printable(f)).collect();
            facts.push(Fact::new("feet", feet.join(", ")));
        }
    }
    facts
}

fn row(finding: &Finding, file: &Audited<'_>, player: usize, one_of_many: bool) -> FindingRow {
    let Finding { subject, unit, .. } = finding;
    let number = |value: Option<f64>| value.map(|v| measure(v, unit)).unwrap_or_default();
    let clips = &file.document.clips;
    let place = finding.pointer.clone().unwrap_or_default();
    FindingRow {
        severity: finding.severity,
        code: finding.code.as_str().into(),
        message: finding.message.clone(),
        fix: finding.fix.clone(),
        measured: number(finding.measured),
        limit: number(finding.limit),
        pointer: if one_of_many { format!("{} {place}", file.name) } else { place },
        player: Some(player),
        clip: subject.clip_index.and_then(|source| clips.iter().position(|c| c.source == source)),
        joint: joint(subject, file.document),
        time: subject.time,
    }
}

/// The joint a finding names, or the one that pulls hardest at the vertex it names, or the mesh's node.
fn joint(subject: &Subject, document: &Document) -> Option<usize> {
    if let Some(node) = subject.node {
        return document.skeleton.joint_of_node(node).map(|j| j.index());
    }
    let source = subject.mesh_index?;
    let mesh = document.meshes.iter().position(|m| m.source == source)?;
    let instance = document.instances.iter().find(|i| i.mesh == mesh)?;
    let strongest = || {
        let part = document.meshes[mesh].primitives.get(subject.primitive? as usize)?;
        let vertex = subject.vertex? as usize;
        let influences = part.influences.as_ref().filter(|_| vertex < part.positions.len())?;
        let pull = influences.of(vertex).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let skin = document.skins.get(instance.skin?)?;
        skin.joints.get(usize::from(pull.0)).map(|j| j.index())
    };
    Some(strongest().unwrap_or(instance.joint.index()))
}
