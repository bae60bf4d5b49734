//! From a [`Page`] to its HTML.

use askama::Template;
use sinew_audit::Severity;
use sinew_audit::plot::{Plot, Tone};

use super::page::{Cell, FindingRow, Layout, Page, PagePlot, word};
use super::{payload, svg, text};

/// A page that could not be written as HTML. Nothing a file holds leads here.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The template failed.
    #[error("the report's template failed: {0}")]
    Template(#[from] askama::Error),
    /// The data block failed.
    #[error("the report's data could not be written as JSON: {0}")]
    Data(#[from] serde_json::Error),
}

/// The script, in the order in which its parts use each other.
const SCRIPT: &[&str] = &[
    include_str!("../../page/math.js"),
    include_str!("../../page/scene.js"),
    include_str!("../../page/shaders.js"),
    include_str!("../../page/gl.js"),
    include_str!("../../page/camera.js"),
    include_str!("../../page/view.js"),
    include_str!("../../page/clock.js"),
    include_str!("../../page/controls.js"),
    include_str!("../../page/plots.js"),
    include_str!("../../page/findings.js"),
    include_str!("../../page/main.js"),
];

#[derive(Template)]
#[template(path = "page.html")]
struct PageTemplate<'a> {
    page: &'a Page,
    css: &'static str,
    script: String,
    data: String,
    findings: &'a [FindingRow],
    counts: Vec<Count>,
    plots: Vec<PlotView>,
    views: Vec<ViewView>,
    layout: &'static str,
}

/// How many findings of one severity.
struct Count {
    word: &'static str,
    label: String,
    count: usize,
}

struct PlotView {
    title: String,
    description: String,
    wide: String,
    narrow: String,
    legend: Vec<LegendEntry>,
    time: bool,
}

struct LegendEntry {
    class: String,
    name: String,
    value: bool,
}

/// One picture in the stage.
struct ViewView {
    index: usize,
    title: String,
    caption: String,
}

/// The page as one HTML file that needs nothing else.
///
/// # Errors
/// [`RenderError`] if the template or the data block cannot be written.
pub fn render(page: &Page) -> Result<String, RenderError> {
    let findings = page.findings.as_deref().unwrap_or_default();
    let template = PageTemplate {
        page,
        css: include_str!("../../page/page.css"),
        script: SCRIPT.concat(),
        data: payload::json(page)?,
        findings,
        counts: [Severity::Error, Severity::Warning, Severity::Info]
            .into_iter()
            .map(|severity| count(severity, findings))
            .collect(),
        plots: page.plots.iter().enumerate().map(|(i, p)| plot(i, p, findings)).collect(),
        views: views(page),
        layout: layout(page),
    };
    Ok(template.render()?)
}

fn count(severity: Severity, findings: &[FindingRow]) -> Count {
    let count = findings.iter().filter(|f| f.severity == severity).count();
    let plural = if count == 1 { "" } else { "s" };
    let word = word(severity);
    let label = match severity {
        Severity::Info => format!("{count} note{plural}"),
        _ => format!("{count} {word}{plural}"),
    };
    Count { word, label, count }
}

/// CSS class of the page's main part.
fn layout(page: &Page) -> &'static str {
    let beside = page.layout == Layout::SideBySide && page.players.len() > 1;
    let nothing_else = page.findings.is_none() && page.plots.is_empty() && page.tables.is_empty();
    match page.players.len() {
        0 => "bare",
        _ if beside || nothing_else => "beside",
        _ => "single",
    }
}

/// Side by side each player has its own picture; otherwise one picture shows the chosen one.
fn views(page: &Page) -> Vec<ViewView> {
    let shown = match page.layout {
        Layout::SideBySide => page.players.len(),
        Layout::Switch => page.players.len().min(1),
    };
    let view = |index: usize| ViewView {
        index,
        title: text::printable(&page.players[index].title),
        caption: text::prose(&page.players[index].caption),
    };
    (0..shown).map(view).collect()
}

fn plot(index: usize, page_plot: &PagePlot, findings: &[FindingRow]) -> PlotView {
    let PagePlot { plot, players } = page_plot;
    let id = format!("plot{index}");
    let severity = |finding: Option<u32>| Some(findings.get(finding? as usize)?.word());
    let marks: Vec<&str> = plot.markers.iter().map(|m| severity(m.finding).unwrap_or("")).collect();
    PlotView {
        title: text::printable(&plot.title),
        description: text::prose(&plot.description),
        wide: svg::draw(plot, &id, svg::WIDE, &marks),
        narrow: svg::draw(plot, &id, svg::NARROW, &marks),
        legend: legend(plot),
        time: plot.clip.is_some() && !players.is_empty(),
    }
}

fn legend(plot: &Plot) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = plot
        .series
        .iter()
        .enumerate()
        .map(|(i, s)| LegendEntry {
            class: svg::class_of(i, s),
            name: text::printable(&s.name),
            value: s.tone != Tone::Muted,
        })
        .collect();
    let mut spans: Vec<&str> = plot.spans.iter().map(|s| s.label.as_str()).collect();
    spans.sort_unstable();
    spans.dedup();
    entries.extend(spans.into_iter().map(|label| LegendEntry {
        class: "span".into(),
        name: text::printable(label),
        value: false,
    }));
    entries
}

impl FindingRow {
    /// The name of the clip it is in, as printed.
    fn clip_name<'a>(&self, page: &'a Page) -> Option<&'a str> {
        let clip = page.players.get(self.player?)?.clips.get(self.clip?)?;
        Some(if clip.name.is_empty() { "unnamed clip" } else { &clip.name })
    }

    /// The name of the joint it is about, as printed.
    fn joint_name<'a>(&self, page: &'a Page) -> Option<&'a str> {
        let joint = page.players.get(self.player?)?.joints.get(self.joint?)?;
        Some(if joint.name.is_empty() { "unnamed joint" } else { &joint.name })
    }

    /// Whether the player has something to show for it.
    fn shows(&self) -> bool {
        self.player.is_some() && (self.clip.is_some() || self.joint.is_some())
    }

    fn time_text(&self) -> Option<String> {
        self.time.filter(|t| t.is_finite()).map(|t| format!("{t:.3}\u{a0}s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_cannot_close_its_own_element() {
        let script = SCRIPT.concat();
        assert!(!script.contains("</script") && !script.contains("<!--"));
        assert!(!include_str!("../../page/page.css").contains("</style"));
    }
}
