//! Two records: `frames.csv` compared column by column.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{Diff, Format};
use crate::failure::Failure;
use crate::output::{Out, clean};

/// How far two records are apart.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RecordDiffReport {
    /// The first record.
    a: String,
    /// The second record.
    b: String,
    /// Rows of the first.
    rows_a: usize,
    /// Rows of the second.
    rows_b: usize,
    /// Columns that only the first has.
    only_in_a: Vec<String>,
    /// Columns that only the second has.
    only_in_b: Vec<String>,
    /// Columns that both have.
    columns: Vec<ColumnFacts>,
    /// Largest difference that is fine.
    limit: f64,
    /// Whether rows and columns are the same and every value is within the limit.
    within: bool,
}

#[derive(Serialize, JsonSchema)]
struct ColumnFacts {
    /// Name with unit, as in the file.
    column: String,
    /// Largest difference.
    worst: f64,
    /// Its row, 0 the first.
    row: usize,
    /// Rows where text differs.
    texts_differ: usize,
}

struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

pub(super) fn run(args: &Diff, out: &mut Out) -> Result<(), Failure> {
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let only = |x: &Table, y: &Table| -> Vec<String> {
        x.columns.iter().filter(|c| !y.columns.contains(c)).cloned().collect()
    };
    let mut columns = Vec::new();
    for (i, column) in a.columns.iter().enumerate() {
        if let Some(j) = b.columns.iter().position(|c| c == column) {
            columns.push(compare_column(column, (&a.rows, i), (&b.rows, j)));
        }
    }
    let (only_in_a, only_in_b) = (only(&a, &b), only(&b, &a));
    let same_shape = only_in_a.is_empty() && only_in_b.is_empty() && a.rows.len() == b.rows.len();
    let within = same_shape && columns.iter().all(|c| c.worst <= args.limit_value && c.texts_differ == 0);
    let report = RecordDiffReport {
        a: args.a.display().to_string(),
        b: args.b.display().to_string(),
        rows_a: a.rows.len(),
        rows_b: b.rows.len(),
        only_in_a,
        only_in_b,
        columns,
        limit: args.limit_value,
        within,
    };
    match args.format {
        Format::Json => out.json(&report)?,
        Format::Text => report.print(out)?,
    }
    if within {
        return Ok(());
    }
    out.finish()?;
    Err(Failure::Over(format!("{} and {} differ by more than the limit", report.a, report.b)))
}

fn read(folder: &Path) -> Result<Table, Failure> {
    let path = folder.join("frames.csv");
    let text = std::fs::read_to_string(&path).map_err(|source| Failure::Io {
        doing: "read",
        path: path.clone(),
        source,
    })?;
    let mut lines = text.lines();
    let split = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let columns = lines.next().map(split).unwrap_or_default();
    let mut rows = Vec::new();
    for (i, line) in lines.enumerate() {
        let row = split(line);
        if row.len() != columns.len() {
            let message = format!("line {}: {} cells, expected {}", i + 2, row.len(), columns.len());
            return Err(Failure::input(path.display().to_string(), message));
        }
        rows.push(row);
    }
    Ok(Table { columns, rows })
}

fn compare_column(
    name: &str,
    (a, i): (&[Vec<String>], usize),
    (b, j): (&[Vec<String>], usize),
) -> ColumnFacts {
    let mut facts = ColumnFacts { column: name.to_owned(), worst: 0.0, row: 0, texts_differ: 0 };
    for (row, (ra, rb)) in a.iter().zip(b).enumerate() {
        match (ra[i].parse::<f64>(), rb[j].parse::<f64>()) {
            (Ok(x), Ok(y)) if x == y || (x.is_nan() && y.is_nan()) => {}
            (Ok(x), Ok(y)) => {
                // A number against NaN is as far as can be.
                let apart = if (x - y).is_nan() { f64::INFINITY } else { (x - y).abs() };
                if apart > facts.worst {
                    (facts.worst, facts.row) = (apart, row);
                }
            }
            _ if ra[i] == rb[j] => {}
            _ => facts.texts_differ += 1,
        }
    }
    facts
}

impl RecordDiffReport {
    fn print(&self, out: &mut Out) -> Result<(), Failure> {
        out.line(format_args!(
            "{} against {}: {} and {} rows",
            clean(&self.a),
            clean(&self.b),
            self.rows_a,
            self.rows_b
        ))?;
        for c in &self.columns {
            let verdict = if c.worst <= self.limit && c.texts_differ == 0 { "ok  " } else { "OVER" };
            let texts = match c.texts_differ {
                0 => String::new(),
                n => format!(", text differs in {n} rows"),
            };
            out.line(format_args!(
                "  {verdict} {:<32} {:e} in row {}{texts}",
                clean(&c.column),
                c.worst,
                c.row
            ))?;
        }
        for (names, what) in
            [(&self.only_in_a, "columns only in the first"), (&self.only_in_b, "columns only in the second")]
        {
            if !names.is_empty() {
                out.line(format_args!("  {what}: {}", clean(&names.join(", "))))?;
            }
        }
        out.line(format_args!("  limit: {:e}", self.limit))
    }
}
