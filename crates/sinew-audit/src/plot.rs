//! A measured curve as data: what a rule or a study has to show. Drawing is the report's job.
//!
//! All numbers are f64 in the unit that the axis names. A NaN `y` breaks the line, which is how a
//! quantity that exists only part of the time (a foot's slide during stance) is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One diagram: curves over a shared x axis, with limits, shaded spans and marked points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plot {
    /// Short heading, such as "Left foot: height".
    pub title: String,
    /// One or two sentences: what is measured, and what a good curve looks like. Read out by screen readers.
    pub description: String,
    /// Index in the document's list of clips of the one whose time runs along x, so that a player can follow; `None` when x is
    /// not time or belongs to no clip.
    pub clip: Option<u32>,
    /// Index in the skeleton of the joint that is measured, if it is one.
    pub joint: Option<u32>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, drawn in this order.
    pub series: Vec<Series>,
    /// Horizontal lines that curves must stay below (or above).
    pub limits: Vec<Limit>,
    /// Shaded stretches of x, such as stances.
    pub spans: Vec<Span>,
    /// Marked points, such as the worst value.
    pub markers: Vec<Marker>,
}

/// One axis of a [`Plot`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Axis {
    /// What runs along it, such as "time".
    pub label: String,
    /// Its unit as printed, such as "s" or "mm"; empty for a plain number.
    pub unit: String,
    /// Smallest and largest value shown; `None` fits the data, limits and markers.
    pub range: Option<[f64; 2]>,
}

/// One curve of a [`Plot`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// `[x, y]` with x not decreasing; a NaN y breaks the line.
    pub points: Vec<[f64; 2]>,
    /// How it is coloured.
    pub tone: Tone,
}

/// The colour of a [`Series`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// The next colour of the palette.
    #[default]
    Plain,
    /// Context that stands back.
    Muted,
    /// The version that is wrong.
    Bad,
    /// The version that is right.
    Good,
}

/// A horizontal limit line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// Position on the y axis.
    pub value: f64,
    /// Printed beside the line, such as "limit 5 mm".
    pub label: String,
}

/// A shaded stretch of the x axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// Where it begins on the x axis.
    pub from: f64,
    /// Where it ends on the x axis.
    pub to: f64,
    /// What it is, such as "stance"; equal labels share one legend entry.
    pub label: String,
}

/// A marked point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Marker {
    /// Position on the x axis.
    pub x: f64,
    /// Position on the y axis; `None` marks the whole height.
    pub y: Option<f64>,
    /// What is there, such as "worst: 14.2 mm".
    pub label: String,
    /// Index of the finding it belongs to, in the list that the plot is printed with.
    pub finding: Option<u32>,
}

impl Plot {
    /// An empty plot over seconds, with `y` in `y_unit`.
    pub fn over_time(
        title: impl Into<String>,
        y_label: impl Into<String>,
        y_unit: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            description: String::new(),
            clip: None,
            joint: None,
            x: Axis { label: "time".into(), unit: "s".into(), range: None },
            y: Axis { label: y_label.into(), unit: y_unit.into(), range: None },
            series: Vec::new(),
            limits: Vec::new(),
            spans: Vec::new(),
            markers: Vec::new(),
        }
    }
}

impl Series {
    /// A curve in the next colour of the palette.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), points, tone: Tone::Plain }
    }

    /// The same curve in another tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}
