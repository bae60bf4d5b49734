//! Prints what the audit says about files, one line a finding. Draws no plots; the `sinew` command does.

use sinew_asset::{ReadOptions, load};
use sinew_audit::{Limits, audit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limits = Limits::default();
    let mut text = String::new();
    for path in std::env::args().skip(1) {
        let loaded = match load(&path, &ReadOptions::default()) {
            Ok(loaded) => loaded,
            Err(error) => {
                text.push_str(&format!("{path}: {error}\n"));
                continue;
            }
        };
        let report = audit(&loaded, &limits);
        text.push_str(&format!("{path}: {}\n", serde_json::to_string(&report.file)?));
        for clip in &report.clips {
            text.push_str(&format!("  {}\n", serde_json::to_string(clip)?));
        }
        for f in &report.findings {
            text.push_str(&format!("  {} {} {}\n", f.severity, f.code, f.message));
        }
    }
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}
