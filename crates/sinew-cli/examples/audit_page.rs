//! Audits character files and shows them on one page, as `sinew audit --report` does.
//!
//! `cargo run -p sinew-cli --example audit_page -- page.html fox.glb knight.glb`. It keeps the default
//! limits and prints nothing.

use std::path::PathBuf;

use sinew_asset::{ReadOptions, load};
use sinew_audit::{Limits, audit};
use sinew_cli::report::{Audited, Page, SceneOptions, render};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args().skip(1).map(PathBuf::from);
    let output = paths.next().ok_or("usage: audit_page PAGE.html FILE...")?;
    let mut audits = Vec::new();
    for path in paths {
        let loaded = load(&path, &ReadOptions::default())?;
        let report = audit(&loaded, &Limits::default());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        audits.push((name, loaded, report));
    }
    let files: Vec<Audited<'_>> = audits
        .iter()
        .map(|(name, loaded, report)| Audited { name, document: &loaded.document, report })
        .collect();
    std::fs::write(output, render(&Page::of_audits(&files, &SceneOptions::default()))?)?;
    Ok(())
}
