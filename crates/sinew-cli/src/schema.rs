//! The committed schemas of what the command prints are those of the code.
//!
//! `UPDATE_SCHEMAS=1 cargo test -p sinew-cli schema` writes them anew.

use std::path::Path;

use schemars::{Schema, schema_for};

use crate::cmd;

fn check(name: &str, schema: Schema) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema").join(format!("{name}.schema.json"));
    let current = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "schema/{name}.schema.json is not current; run with UPDATE_SCHEMAS=1");
}

#[test]
fn committed_schemas_are_current() {
    check("inspect", schema_for!(cmd::inspect::InspectReport));
    check("audit", schema_for!(cmd::audit::AuditOutput));
    check("diff", schema_for!(cmd::diff::DiffReport));
    check("diff-records", schema_for!(cmd::diff::RecordDiffReport));
    check("sample", schema_for!(cmd::sample::SampleOutput));
    check("bake-clip", schema_for!(cmd::bake::BakeReport));
    check("bake-distance", schema_for!(cmd::bake_distance::DistanceReport));
    check("inspect-runtime", schema_for!(cmd::inspect_runtime::RuntimeReport));
    check("convert", schema_for!(cmd::convert::ConvertReport));
    check("promise", schema_for!(sinew_showcase::Promise));
}
