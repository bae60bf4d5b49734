//! `sinew showcase`: every study on built-in characters.

use std::fmt::Write as _;
use std::path::Path;

use sinew_asset::save;
use sinew_cli::report::{
    Cell, Fact, Layout, Page, PagePlot, PlayerScene, SceneOptions, Section, Table, render,
};
use sinew_showcase::{Promise, Study, StudyError, StudyResult, studies};

use crate::args::{Format, Showcase};
use crate::failure::Failure;
use crate::output::Out;

/// With more bones than this, a character is hidden behind them.
const MANY_BONES: usize = 60;

pub(crate) fn run(args: &Showcase, out: &mut Out) -> Result<(), Failure> {
    let chosen = choose(&args.names)?;
    std::fs::create_dir_all(&args.out).map_err(|source| Failure::Io {
        doing: "make the folder",
        path: args.out.clone(),
        source,
    })?;
    let mut results = Vec::new();
    for study in chosen {
        let result = study.run(&args.out).map_err(failure)?;
        write(&args.out.join(format!("{}.html", study.name)), &study_page(study, &result))?;
        results.push((study, result));
    }
    write(&args.out.join("index.html"), &index_page(&results))?;
    let promises: Vec<&Promise> = results.iter().flat_map(|(_, r)| &r.promises).collect();
    match args.format {
        Format::Json => {
            // One object a line, so that a stream of studies can be read as it comes.
            for promise in &promises {
                let line = serde_json::to_string(promise).map_err(|e| Failure::Internal(e.to_string()))?;
                out.line(format_args!("{line}"))?;
            }
        }
        Format::Text => print(&results, &args.out, out)?,
    }
    let broken = promises.iter().filter(|p| !p.holds).count();
    if broken == 0 {
        return Ok(());
    }
    out.finish()?;
    Err(Failure::Over(format!("{broken} of {} promises do not hold", promises.len())))
}

fn choose(names: &[String]) -> Result<Vec<&'static Study>, Failure> {
    if names.is_empty() {
        return Ok(studies().iter().collect());
    }
    let find = |name: &String| {
        studies().iter().find(|s| s.name == name).ok_or_else(|| {
            let have: Vec<&str> = studies().iter().map(|s| s.name).collect();
            Failure::Usage(format!("no study '{name}'; there are: {}", have.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn failure(error: StudyError) -> Failure {
    match error {
        StudyError::Save(e) => Failure::write(e.path, e.source),
        StudyError::Folder { path, source } => Failure::Io { doing: "make the folder", path, source },
        other => Failure::Internal(other.to_string()),
    }
}

fn write(path: &Path, page: &Page) -> Result<(), Failure> {
    let html = render(page).map_err(|e| Failure::Internal(e.to_string()))?;
    save(path, html.as_bytes()).map_err(|e| Failure::write(e.path, e.source))
}

/// A number as precise as its tolerance asks for; one that is too small for that with an exponent.
fn shown(value: f64, tolerance: f64) -> String {
    let exact = tolerance <= 0.0;
    let digits = if exact { 0 } else { (-tolerance.log10()).ceil().max(0.0) as usize + 1 };
    // Beyond this, zeros say less than an exponent.
    let digits = digits.min(7);
    let text = format!("{value:.digits$}");
    let zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
    if zero && value != 0.0 {
        return format!("{value:.1e}");
    }
    // -0.000 says less than 0.000.
    if zero { text.trim_start_matches('-').to_owned() } else { text }
}

fn promise_table(promises: &[Promise]) -> Table {
    let row = |p: &Promise| {
        let number =
            |v: f64| Cell::Number(format!("{} {}", shown(v, p.tolerance), p.unit).trim_end().to_owned());
        vec![
            Cell::Text(p.promise.clone()),
            number(p.expected),
            Cell::Number(match p.tolerance {
                0.0 => "exact".to_owned(),
                t if t < 1e-6 => format!("± {t:e} {}", p.unit),
                // Three digits that count: a sixtieth of a second has sixteen.
                t => format!("± {} {}", format!("{t:.2e}").parse().unwrap_or(t), p.unit),
            }),
            number(p.measured),
            Cell::Verdict(p.holds),
        ]
    };
    Table {
        title: "Promised, measured".into(),
        note: "Measured anew on each run; a promise holds where the measurement is within its tolerance."
            .into(),
        columns: ["promise", "expected", "tolerance", "measured", "holds"].map(String::from).into(),
        rows: promises.iter().map(row).collect(),
    }
}

fn study_page(study: &Study, result: &StudyResult) -> Page {
    let mut page = Page::new(study.title, study.summary);
    let held = result.promises.iter().filter(|p| p.holds).count();
    page.facts = vec![
        Fact::new("promises", result.promises.len().to_string()),
        Fact::new("hold", held.to_string()),
        Fact::new("files", result.files.len().to_string()),
    ];
    page.sections = result
        .text
        .iter()
        .map(|s| Section { heading: s.heading.clone(), paragraphs: s.paragraphs.clone() })
        .collect();
    page.layout = Layout::SideBySide;
    page.bones_hidden = result.documents.iter().any(|d| d.document.skeleton.len() > MANY_BONES);
    for document in &result.documents {
        let options = SceneOptions { rate: document.rate, material_colours: true, ..SceneOptions::default() };
        let mut scene = PlayerScene::build(&document.document, &options);
        scene.title = document.label.clone();
        page.notes.extend(scene.notes.iter().map(|note| format!("{}: {note}", document.label)));
        page.players.push(scene);
    }
    let players: Vec<usize> = (0..result.documents.len()).collect();
    page.plots =
        result.plots.iter().map(|plot| PagePlot { plot: plot.clone(), players: players.clone() }).collect();
    page.tables.push(promise_table(&result.promises));
    let link = |path: &std::path::PathBuf| {
        let text = path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        vec![Cell::Link { text: text.clone(), href: text }]
    };
    page.tables.push(Table {
        title: "Files".into(),
        note: "Records and characters this study wrote, beside this page.".into(),
        columns: vec!["file".into()],
        rows: result.files.iter().map(link).collect(),
    });
    page
}

fn index_page(results: &[(&Study, StudyResult)]) -> Page {
    let promises: usize = results.iter().map(|(_, r)| r.promises.len()).sum();
    let held: usize = results.iter().flat_map(|(_, r)| &r.promises).filter(|p| p.holds).count();
    let mut page =
        Page::new("Showcase", "Studies on built-in characters: what was promised, and what was measured");
    page.facts = vec![
        Fact::new("studies", results.len().to_string()),
        Fact::new("promises", promises.to_string()),
        Fact::new("hold", held.to_string()),
    ];
    let row = |(study, result): &(&Study, StudyResult)| {
        vec![
            Cell::Link { text: study.title.into(), href: format!("{}.html", study.name) },
            Cell::Text(study.summary.into()),
            Cell::Number(result.promises.len().to_string()),
            Cell::Verdict(result.holds()),
        ]
    };
    page.tables.push(Table {
        title: "Studies".into(),
        note: String::new(),
        columns: ["study", "what it shows", "promises", "all hold"].map(String::from).into(),
        rows: results.iter().map(row).collect(),
    });
    for (study, result) in results {
        let mut table = promise_table(&result.promises);
        table.title = study.title.into();
        page.tables.push(table);
    }
    page
}

fn print(results: &[(&Study, StudyResult)], folder: &Path, out: &mut Out) -> Result<(), Failure> {
    for (study, result) in results {
        out.line(format_args!("{}: {}", study.name, study.title))?;
        let width = result.promises.iter().map(|p| p.promise.chars().count()).max().unwrap_or(0);
        for p in &result.promises {
            let mut line = format!("  {} ", if p.holds { "ok  " } else { "FAIL" });
            let (expected, measured) = (shown(p.expected, p.tolerance), shown(p.measured, p.tolerance));
            // Writing to a string cannot fail.
            let _ = write!(
                line,
                "{:<width$}  {expected:>10} promised  {measured:>10} measured  {}",
                p.promise, p.unit
            );
            out.line(format_args!("{}", line.trim_end()))?;
        }
        out.line(format_args!("  page: {}", folder.join(format!("{}.html", study.name)).display()))?;
    }
    out.line(format_args!("index: {}", folder.join("index.html").display()))
}
