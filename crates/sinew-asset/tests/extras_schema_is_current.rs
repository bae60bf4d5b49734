//! The committed schema of `extras.sinew` is the one of the types that are written.
//!
//! `SINEW_BLESS=1 cargo test --test extras_schema_is_current` writes the file anew.

use std::path::Path;

use sinew_asset::extras_schema;

#[test]
fn the_committed_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/extras-sinew.schema.json");
    let mut text = serde_json::to_string_pretty(&extras_schema()).unwrap();
    text.push('\n');
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(committed, text, "run with SINEW_BLESS=1 and look at the change");
}
