//! A plot as SVG: axes with units, limit lines, shaded spans, curves, marked points.
//!
//! Colours are CSS variables of the page, so one drawing serves light and dark. Each plot is drawn twice,
//! once for wide and once for narrow screens, because scaled-down labels cannot be read; the page shows
//! one of the two.

use std::fmt::Write as _;

use sinew_audit::plot::{Plot, Series, Tone};

use super::text::{escape, number, printable, prose, unit_sign};
use super::ticks::Ticks;

/// The size of one drawing, in its own units (about pixels).
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// CSS class, and part of the element ids.
    pub(super) name: &'static str,
    width: f64,
    height: f64,
    x_ticks: usize,
    y_ticks: usize,
}

/// For columns of 480 px and more.
pub(super) const WIDE: Size = Size { name: "wide", width: 640.0, height: 236.0, x_ticks: 8, y_ticks: 4 };
/// For telephones.
pub(super) const NARROW: Size = Size { name: "narrow", width: 340.0, height: 216.0, x_ticks: 4, y_ticks: 4 };

const LEFT: f64 = 54.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 34.0;

/// Maps values to positions, and says how for the page's script.
struct Frame {
    size: Size,
    x: [f64; 2],
    y: [f64; 2],
}

impl Frame {
    fn new(plot: &Plot, size: Size) -> Self {
        let xs = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p[0]));
        let spans = plot.spans.iter().flat_map(|s| [s.from, s.to]);
        let x = plot.x.range.unwrap_or_else(|| hull(xs.chain(spans)));
        let ys = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p[1]));
        let limits = plot.limits.iter().map(|l| l.value);
        let marks = plot.markers.iter().filter_map(|m| m.y);
        let y = plot.y.range.unwrap_or_else(|| roomy(hull(ys.chain(limits).chain(marks))));
        Self { size, x: widened(x), y: widened(y) }
    }

    fn right(&self) -> f64 {
        self.size.width - RIGHT
    }

    fn bottom(&self) -> f64 {
        self.size.height - BOTTOM
    }

    fn px(&self, x: f64) -> f64 {
        LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (self.right() - LEFT)
    }

    fn py(&self, y: f64) -> f64 {
        self.bottom() - (y - self.y[0]) / (self.y[1] - self.y[0]) * (self.bottom() - TOP)
    }
}

/// Smallest and largest finite value.
fn hull(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = values
        .filter(|v| v.is_finite())
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
    if low <= high { [low, high] } else { [0.0, 1.0] }
}

/// Keeps curves off the border; a curve that starts at zero keeps its foot there.
fn roomy([low, high]: [f64; 2]) -> [f64; 2] {
    let room = (high - low) * 0.06;
    [if low == 0.0 { 0.0 } else { low - room }, if high == 0.0 { 0.0 } else { high + room }]
}

/// A range that can be divided by.
fn widened([low, high]: [f64; 2]) -> [f64; 2] {
    if high > low && (high - low).is_finite() && high - low > high.abs() * 1e-12 {
        [low, high]
    } else if low.is_finite() {
        let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
        [low - room, low + room]
    } else {
        [0.0, 1.0]
    }
}

/// The drawing. `id` is unique on the page; `marks` gives a CSS class for each marker, where it has one.
pub(super) fn draw(plot: &Plot, id: &str, size: Size, marks: &[&str]) -> String {
    let frame = Frame::new(plot, size);
    let mut svg = String::with_capacity(16 << 10);
    let Size { name, width, height, .. } = size;
    let id = format!("{id}-{name}");
    let _ = write!(
        svg,
        r#"<svg class="plot {name}" viewBox="0 0 {width} {height}" role="img" aria-labelledby="{id}-t {id}-d" data-left="{LEFT}" data-right="{right}" data-top="{TOP}" data-bottom="{bottom}" data-x0="{}" data-x1="{}" data-y0="{}" data-y1="{}"><title id="{id}-t">{}</title><desc id="{id}-d">{}</desc>"#,
        frame.x[0],
        frame.x[1],
        frame.y[0],
        frame.y[1],
        escape(&printable(&plot.title)),
        escape(&describe(plot)),
        right = frame.right(),
        bottom = frame.bottom(),
    );
    axes(&mut svg, plot, &frame);
    // A nested picture cuts off what leaves the axes, with no ids that could clash.
    let (inner_w, inner_h) = (frame.right() - LEFT, frame.bottom() - TOP);
    let _ = write!(
        svg,
        r#"<svg x="{LEFT}" y="{TOP}" width="{inner_w}" height="{inner_h}" viewBox="{LEFT} {TOP} {inner_w} {inner_h}">"#
    );
    spans(&mut svg, plot, &frame);
    limits(&mut svg, plot, &frame);
    curves(&mut svg, plot, &frame);
    svg.push_str("</svg>");
    limit_labels(&mut svg, plot, &frame);
    markers(&mut svg, plot, &frame, marks);
    let _ = write!(
        svg,
        r#"<g class="cursor" visibility="hidden"><line x1="0" x2="0" y1="{TOP}" y2="{}"/>"#,
        frame.bottom()
    );
    for (index, series) in plot.series.iter().enumerate() {
        let _ = write!(svg, r#"<circle class="{}" r="3.5"/>"#, class_of(index, series));
    }
    svg.push_str("</g></svg>");
    svg
}

/// What a screen reader hears: the plot's own words, then the range of each curve.
fn describe(plot: &Plot) -> String {
    let mut text = prose(&plot.description);
    for series in &plot.series {
        let [low, high] = hull(series.points.iter().map(|p| p[1]));
        let unit = unit_sign(&plot.y.unit);
        let _ =
            write!(text, " {}: from {} to {} {unit}.", printable(&series.name), number(low), number(high));
    }
    text
}

fn axes(svg: &mut String, plot: &Plot, frame: &Frame) {
    let (right, bottom) = (frame.right(), frame.bottom());
    svg.push_str(r#"<g class="axes">"#);
    for (value, label) in Ticks::new(frame.y[0], frame.y[1], frame.size.y_ticks).iter() {
        let y = frame.py(value);
        let zero = if value == 0.0 { " zero" } else { "" };
        let _ = write!(
            svg,
            r#"<line class="grid{zero}" x1="{LEFT}" x2="{right}" y1="{y:.1}" y2="{y:.1}"/><text class="y" x="{:.1}" y="{:.1}">{label}</text>"#,
            LEFT - 8.0,
            y + 4.0,
        );
    }
    let x_name = axis_name(&plot.x.label, &plot.x.unit);
    let name_width = x_name.chars().count() as f64 * 7.0 + 18.0;
    for (value, label) in Ticks::new(frame.x[0], frame.x[1], frame.size.x_ticks).iter() {
        let x = frame.px(value);
        let _ = write!(
            svg,
            r#"<line class="tick" x1="{x:.1}" x2="{x:.1}" y1="{bottom}" y2="{:.1}"/>"#,
            bottom + 4.0
        );
        // Labels make room for the axis name at the right end.
        if x < right - name_width {
            let _ = write!(svg, r#"<text class="x" x="{x:.1}" y="{:.1}">{label}</text>"#, bottom + 18.0);
        }
    }
    let _ = write!(
        svg,
        r#"<line class="base" x1="{LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/><text class="name" x="{LEFT}" y="{:.1}">{}</text><text class="name end" x="{right}" y="{:.1}">{}</text></g>"#,
        TOP - 12.0,
        escape(&axis_name(&plot.y.label, &plot.y.unit)),
        bottom + 18.0,
        escape(&x_name),
    );
}

fn axis_name(label: &str, unit: &str) -> String {
    let (label, unit) = (printable(label), unit_sign(unit));
    if unit.is_empty() { label } else { format!("{label}, {unit}") }
}

fn spans(svg: &mut String, plot: &Plot, frame: &Frame) {
    for span in &plot.spans {
        let (from, to) = (frame.px(span.from), frame.px(span.to));
        if from.is_finite() && to.is_finite() {
            let _ = write!(
                svg,
                r#"<rect class="span" x="{from:.1}" width="{:.1}" y="{TOP}" height="{}"><title>{}</title></rect>"#,
                (to - from).max(0.5),
                frame.bottom() - TOP,
                escape(&printable(&span.label)),
            );
        }
    }
}

fn limits(svg: &mut String, plot: &Plot, frame: &Frame) {
    for limit in plot.limits.iter().filter(|l| l.value.is_finite()) {
        let y = frame.py(limit.value);
        let _ = write!(
            svg,
            r#"<line class="limit" x1="{LEFT}" x2="{}" y1="{y:.1}" y2="{y:.1}"/>"#,
            frame.right()
        );
    }
}

fn limit_labels(svg: &mut String, plot: &Plot, frame: &Frame) {
    for limit in plot.limits.iter().filter(|l| l.value.is_finite()) {
        let above = frame.py(limit.value) - 5.0;
        // Under the line where the label would touch the axis name.
        let y = if above < TOP + 8.0 { above + 18.0 } else { above };
        let _ = write!(
            svg,
            r#"<text class="limit" x="{}" y="{y:.1}">{}</text>"#,
            frame.right() - 4.0,
            escape(&printable(&limit.label))
        );
    }
}

fn curves(svg: &mut String, plot: &Plot, frame: &Frame) {
    for (index, series) in plot.series.iter().enumerate() {
        let columns = (frame.right() - LEFT) as usize;
        let _ = write!(svg, r#"<path class="{}" d=""#, class_of(index, series));
        let mut pen_down = false;
        for [x, y] in thin_out(&series.points, columns * 2) {
            let (x, y) = (frame.px(x), frame.py(y));
            if !(x.is_finite() && y.is_finite()) {
                pen_down = false;
                continue;
            }
            // Far outside the picture the exact place does not matter, and short numbers do.
            let y = y.clamp(-2000.0, 2000.0);
            let _ = write!(svg, "{}{x:.1} {y:.1}", if pen_down { 'L' } else { 'M' });
            pen_down = true;
        }
        svg.push_str(r#""/>"#);
    }
}

fn markers(svg: &mut String, plot: &Plot, frame: &Frame, marks: &[&str]) {
    for (index, marker) in plot.markers.iter().enumerate() {
        let x = frame.px(marker.x);
        let label = escape(&printable(&marker.label));
        if !x.is_finite() {
            continue;
        }
        let _ =
            write!(svg, r#"<g class="marker {}"><title>{label}</title>"#, marks.get(index).unwrap_or(&""));
        match marker.y.filter(|y| y.is_finite()) {
            Some(y) => {
                let y = frame.py(y).clamp(TOP, frame.bottom());
                let _ = write!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.5"/>"#);
            }
            None => {
                let _ = write!(
                    svg,
                    r#"<line x1="{x:.1}" x2="{x:.1}" y1="{TOP}" y2="{bottom}"/><path d="M{x:.1} {TOP}l-5 -7h10z"/>"#,
                    bottom = frame.bottom(),
                );
            }
        }
        svg.push_str("</g>");
    }
}

/// CSS classes of a curve: its tone, and a colour of the palette for plain ones.
pub(super) fn class_of(index: usize, series: &Series) -> String {
    match series.tone {
        Tone::Plain => format!("curve c{}", index % 6),
        Tone::Muted => "curve muted".into(),
        Tone::Bad => "curve bad".into(),
        Tone::Good => "curve good".into(),
    }
}

/// At most about `most` points that keep every peak: of each group, the first, lowest, highest and last.
pub(super) fn thin_out(points: &[[f64; 2]], most: usize) -> Vec<[f64; 2]> {
    if points.len() <= most || most < 4 {
        return points.to_vec();
    }
    let group = (points.len() * 4).div_ceil(most);
    let mut kept = Vec::with_capacity(most + 4);
    for chunk in points.chunks(group) {
        let finite = |i: &usize| chunk[*i][1].is_finite();
        let by_y = |a: &usize, b: &usize| chunk[*a][1].total_cmp(&chunk[*b][1]);
        let mut keep = vec![0, chunk.len() - 1];
        keep.extend((0..chunk.len()).filter(finite).min_by(by_y));
        keep.extend((0..chunk.len()).filter(finite).max_by(by_y));
        // A gap stays a gap.
        keep.extend((0..chunk.len()).find(|i| !finite(i)));
        keep.sort_unstable();
        keep.dedup();
        kept.extend(keep.into_iter().map(|i| chunk[i]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_audit::plot::{Limit, Marker};

    fn one_curve(points: Vec<[f64; 2]>) -> Plot {
        let mut plot = Plot::over_time("Height", "height", "mm");
        plot.series.push(Series::new("left", points));
        plot
    }

    #[test]
    fn thinning_keeps_a_single_spike() {
        let mut points: Vec<[f64; 2]> = (0..100_000).map(|i| [f64::from(i), 0.0]).collect();
        points[77_777][1] = 9.0;
        let thin = thin_out(&points, 1000);
        assert!(thin.len() <= 1004, "{}", thin.len());
        assert!(thin.contains(&[77_777.0, 9.0]));
        assert_eq!((thin[0], thin[thin.len() - 1]), (points[0], points[99_999]));
    }

    #[test]
    fn a_gap_lifts_the_pen() {
        let plot = one_curve(vec![[0.0, 1.0], [1.0, 2.0], [2.0, f64::NAN], [3.0, 1.0], [4.0, 2.0]]);
        let svg = draw(&plot, "p0", WIDE, &[]);
        let path = svg.split(r#"curve c0" d=""#).nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(path.matches('M').count(), 2, "{path}");
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn titles_from_files_are_text() {
        let mut plot = one_curve(vec![[0.0, 1.0]]);
        plot.title = "</title><script>alert(1)</script>".into();
        plot.markers.push(Marker { x: 0.0, y: None, label: "\"><b>".into(), finding: None });
        let svg = draw(&plot, "p0", NARROW, &[]);
        assert!(!svg.contains("<script") && !svg.contains("<b>"));
    }

    #[test]
    fn limits_are_inside_the_axes() {
        let mut plot = one_curve(vec![[0.0, 0.1], [1.0, 0.2]]);
        plot.limits.push(Limit { value: 5.0, label: "limit 5 mm".into() });
        let frame = Frame::new(&plot, WIDE);
        assert!(frame.py(5.0) > TOP && frame.py(0.1) < frame.bottom());
    }

    #[test]
    fn nothing_to_draw_still_draws() {
        for points in
            [vec![], vec![[0.0, f64::NAN]], vec![[f64::INFINITY, 1.0]], vec![[0.0, 1e300], [1.0, -1e300]]]
        {
            let svg = draw(&one_curve(points), "p0", WIDE, &[]);
            assert!(svg.ends_with("</svg>") && !svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
        }
    }
}
