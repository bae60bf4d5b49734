//! What is on a report page, before any HTML.

use sinew_audit::Severity;
use sinew_audit::plot::Plot;

use super::scene::PlayerScene;
use super::text::printable;

/// A whole report page. Every string may hold anything: it is printed as text, never as HTML.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The heading: a file's name, or a study's.
    pub title: String,
    /// One sentence under the heading.
    pub subtitle: String,
    /// Labelled numbers in the header.
    pub facts: Vec<Fact>,
    /// Paragraphs before everything else.
    pub intro: Vec<String>,
    /// Explanations under headings, after the player.
    pub sections: Vec<Section>,
    /// How several players share the page.
    pub layout: Layout,
    /// The characters to show. With none the page has no player.
    pub players: Vec<PlayerScene>,
    /// Whether bones are hidden until someone asks for them: those of a machine cover its mesh.
    pub bones_hidden: bool,
    /// The findings; `None` leaves the section out, an empty list says that nothing was found.
    pub findings: Option<Vec<FindingRow>>,
    /// Measured curves.
    pub plots: Vec<PagePlot>,
    /// Further tables, such as what a study promised and measured.
    pub tables: Vec<Table>,
    /// Sentences about the page itself, such as what the player leaves out.
    pub notes: Vec<String>,
}

impl Page {
    /// An empty page with a heading and a sentence under it.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self { title: title.into(), subtitle: subtitle.into(), ..Self::default() }
    }
}

/// How several players share the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// One view; a list chooses which character it shows.
    #[default]
    Switch,
    /// All at once beside each other, on one clock and one camera: for comparing versions of a motion.
    SideBySide,
}

/// A heading and the paragraphs under it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// Plain text; words between backticks are set as code.
    pub paragraphs: Vec<String>,
}

/// A labelled number of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it counts, such as "joints".
    pub label: String,
    /// The number, with its unit.
    pub value: String,
}

impl Fact {
    /// A fact from its label and its value.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into() }
    }
}

/// One row of the findings table.
#[derive(Debug, Clone)]
pub struct FindingRow {
    /// How much it matters.
    pub severity: Severity,
    /// The rule's stable code, such as `SINEW_FOOT_SLIDE`.
    pub code: String,
    /// What is wrong, with numbers.
    pub message: String,
    /// What to do about it; may be empty.
    pub fix: String,
    /// The measured value as printed; may be empty.
    pub measured: String,
    /// Its limit as printed; may be empty.
    pub limit: String,
    /// Where in the file: a JSON pointer or a byte offset; may be empty.
    pub pointer: String,
    /// Which of the page's players shows it.
    pub player: Option<usize>,
    /// Index of the clip in that player.
    pub clip: Option<usize>,
    /// Index of the joint in that player.
    pub joint: Option<usize>,
    /// When, in seconds of the clip.
    pub time: Option<f64>,
}

impl FindingRow {
    /// The severity as a word, which is also its CSS class.
    pub(super) fn word(&self) -> &'static str {
        word(self.severity)
    }
}

pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// A plot on the page, and the players that it moves.
#[derive(Debug, Clone)]
pub struct PagePlot {
    /// The curves.
    pub plot: Plot,
    /// Indices of the players whose time its cursor follows; empty for a plot that stands alone.
    pub players: Vec<usize>,
}

/// A table with a heading.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The heading.
    pub title: String,
    /// A sentence under it; may be empty.
    pub note: String,
    /// Column headings.
    pub columns: Vec<String>,
    /// `[row][column]`.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Whether a column holds numbers, so that its heading stands on the right too.
    pub(super) fn is_number(&self, column: &usize) -> bool {
        self.rows.first().and_then(|row| row.get(*column)).is_some_and(Cell::is_number)
    }
}

/// One cell of a [`Table`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Words, on the left.
    Text(String),
    /// A number, on the right in tabular figures.
    Number(String),
    /// Whether a promise holds.
    Verdict(bool),
    /// A link to another page of the same folder.
    Link {
        /// What is printed.
        text: String,
        /// A relative file name; anything with a scheme is printed as text only.
        href: String,
    },
}

impl Cell {
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// The link's target if it stays beside the page.
    pub(super) fn safe_href(&self) -> Option<&str> {
        match self {
            Self::Link { href, .. } if !href.contains(':') && !href.starts_with(['/', '\\']) => {
                // A name that prints differently from what it is leads elsewhere than it says.
                (printable(href) == *href).then_some(href)
            }
            _ => None,
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number(text) | Self::Link { text, .. } => text,
            Self::Verdict(true) => "holds",
            Self::Verdict(false) => "does not hold",
        }
    }
}
