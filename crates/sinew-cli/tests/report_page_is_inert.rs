//! Whatever names a file holds, the report page shows them as text: no element, no script, no request.

use sinew::{DTransform, Joint, RawClip, Skeleton};
use sinew_asset::{Document, Loaded};
use sinew_audit::plot::{Limit, Marker, Plot, Series, Span};
use sinew_audit::{Limits, Severity, audit};
use sinew_cli::report::{
    Audited, Cell, Fact, FindingRow, Page, PagePlot, PlayerScene, SceneOptions, Section, Table, render,
};

const NAMES: [&str; 7] = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "\"><img src=x onerror=alert(1)>",
    "'--!><svg onload=alert(1)>",
    "{{ 7*7 }} {% raw %} ${alert(1)} `",
    "]]>&lt;b&gt;&#60;i&#62;",
    "\u{202e}\u{2066}\u{0}\u{2028}\u{feff}",
];

/// A page with one name in every place that takes text.
fn page_of(name: &str) -> Page {
    let joint = Joint::new(name, None, DTransform::IDENTITY);
    let document = Document {
        name: name.into(),
        skeleton: Skeleton::numbered(vec![joint], Vec::new()).unwrap(),
        clips: vec![RawClip { name: Some(name.into()), ..RawClip::default() }],
        ..Document::default()
    };
    let loaded = Loaded { document, problems: Vec::new() };
    let report = audit(&loaded, &Limits::default());
    let file = Audited { name, document: &loaded.document, report: &report };
    let mut page = Page::of_audits(&[file], &SceneOptions::default());
    page.players.push(PlayerScene { title: name.into(), caption: name.into(), ..page.players[0].clone() });
    page.subtitle = name.into();
    page.intro.push(name.into());
    page.notes.push(name.into());
    page.sections.push(Section { heading: name.into(), paragraphs: vec![name.into()] });
    page.facts.push(Fact::new(name, name));
    let mut plot = Plot::over_time(name, name, name);
    plot.description = name.into();
    plot.clip = Some(0);
    plot.series.push(Series::new(name, vec![[0.0, 1.0], [1.0, 2.0]]));
    plot.limits.push(Limit { value: 1.0, label: name.into() });
    plot.spans.push(Span { from: 0.0, to: 1.0, label: name.into() });
    plot.markers.push(Marker { x: 0.5, y: None, label: name.into(), finding: Some(0) });
    page.plots.push(PagePlot { plot, players: vec![0] });
    page.findings.get_or_insert_default().push(FindingRow {
        severity: Severity::Error,
        code: name.into(),
        message: name.into(),
        fix: name.into(),
        measured: name.into(),
        limit: name.into(),
        pointer: name.into(),
        player: Some(0),
        clip: Some(0),
        joint: Some(0),
        time: Some(0.0),
    });
    page.tables.push(Table {
        title: name.into(),
        note: name.into(),
        columns: vec![name.into()],
        rows: vec![
            vec![Cell::Text(name.into())],
            vec![Cell::Number(name.into())],
            vec![Cell::Link { text: name.into(), href: name.into() }],
            vec![Cell::Link { text: "go".into(), href: format!("javascript:{name}") }],
        ],
    });
    page
}

#[test]
fn names_from_files_add_no_markup() {
    let elements = |html: &str| html.matches('<').count();
    let scripts = |html: &str| html.matches("<script").count();
    let harmless = render(&page_of("plain words")).unwrap();
    assert_eq!(scripts(&harmless), 2, "the data block and the program");
    for name in NAMES {
        let html = render(&page_of(name)).unwrap();
        assert_eq!(scripts(&html), 2, "{name}");
        // Backticks and scheme-like links print differently, but never as more elements than plain words.
        assert!(
            elements(&html) <= elements(&harmless) + 2,
            "{name}: {} {}",
            elements(&html),
            elements(&harmless)
        );
        assert!(!html.contains("href=\"javascript:"), "{name}");
        assert!(!html.contains(['\u{202e}', '\u{2066}', '\u{0}', '\u{feff}']), "{name:?}");
    }
}

#[test]
fn the_page_names_no_other_address() {
    let html = render(&page_of("plain words")).unwrap();
    for way_out in ["http:", "https:", "url(", "@import", "fetch(", "XMLHttpRequest", "<link", "<iframe"] {
        assert!(!html.contains(way_out), "{way_out}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn the_same_audit_gives_the_same_page() {
    assert_eq!(render(&page_of("a")).unwrap(), render(&page_of("a")).unwrap());
}
