//! What sinew makes of the clips that ACL was measured on, at ACL's own error of each: bytes in memory and on disk.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use sinew::{ClipBuilder, RawClip, Rig, Skeleton, resample};
use sinew_asset::{Document, ReadOptions, load};

use crate::character::pruned;

/// One row a clip.
///
/// # Errors
/// Where a file is missing, or a clip cannot be built within the bound.
pub(crate) fn rows(shared: &Path) -> Result<Vec<String>, String> {
    let data = shared.join("data");
    let mut work = Vec::new();
    for entry in baseline(&data.join("cmu_30hz/acl-baseline.json"))? {
        let file = format!("cmu_30hz/{}.glb", entry["clip"].as_str().unwrap_or_default());
        let document = read(&data.join(file))?;
        let (skeleton, prune) = pruned(&document)?;
        let clip = document.clips.first().map(prune).ok_or("a file without a clip")?;
        work.push(("CMU", entry, skeleton, clip));
    }
    let document = read(&data.join("kaykit_knight/Knight.glb"))?;
    let (skeleton, prune) = pruned(&document)?;
    for entry in baseline(&data.join("kaykit_knight/acl-baseline.json"))? {
        let name = entry["clip"].as_str().unwrap_or_default();
        let source: u32 =
            name.trim_start_matches("knight_").parse().map_err(|_| format!("{name}: no number"))?;
        let clip =
            document.clips.iter().find(|c| c.source == source).ok_or_else(|| format!("no clip {name}"))?;
        let clip = resample(&prune(clip), 30.0).map_err(|e| format!("{name}: {e}"))?;
        work.push(("Knight", entry, skeleton.clone(), clip));
    }
    // Building takes long and is not what is timed: all cores.
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let mut rows = std::thread::scope(|scope| {
        let run = || {
            let mut rows = Vec::new();
            while let Some((set, entry, skeleton, clip)) =
                work.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
            {
                rows.push(row(set, entry, skeleton, clip));
            }
            rows
        };
        let tasks: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        tasks.into_iter().flat_map(|t| t.join().unwrap_or_default()).collect::<Result<Vec<_>, _>>()
    })?;
    if rows.len() != work.len() {
        return Err("a clip could not be built".to_owned());
    }
    rows.sort();
    Ok(rows)
}

fn row(set: &str, entry: &Value, skeleton: &Skeleton, clip: &RawClip) -> Result<String, String> {
    let name = entry["clip"].as_str().unwrap_or_default();
    let bound = entry["acl_max_error_mm"].as_f64().ok_or_else(|| format!("{name}: no error"))?;
    let rig = Rig::new(skeleton).map_err(|e| e.to_string())?;
    let start = Instant::now();
    let built = ClipBuilder::new(skeleton, &rig).bound(bound * 1e-3).build(clip);
    let (built, report) = built.map_err(|e| format!("{name}: {e}"))?;
    let seconds = (start.elapsed().as_secs_f64() * 100.0).round() / 100.0;
    let row = json!({
        "size": name, "set": set, "joints": skeleton.len(), "frames": report.frames,
        "acl_frames": entry["frames"], "raw_bytes": entry["raw_bytes"],
        "acl_bytes": entry["acl_bytes"], "acl_error_mm": bound,
        "bytes": built.bytes().len(), "error_mm": (report.error * 1e6).round() / 1e3,
        "stored_bytes": built.to_stored().len(), "build_seconds": seconds,
    });
    Ok(row.to_string())
}

fn baseline(path: &Path) -> Result<Vec<Value>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let json: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    json["clips"].as_array().cloned().ok_or_else(|| format!("{}: no clips", path.display()))
}

fn read(path: &Path) -> Result<Document, String> {
    Ok(load(path, &ReadOptions::default()).map_err(|e| format!("{}: {e}", path.display()))?.document)
}
