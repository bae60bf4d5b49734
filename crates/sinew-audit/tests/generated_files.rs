//! `docs/RULES.md` and `schema/findings.schema.json` say what the rules say. After a change of a rule:
//! `SINEW_WRITE=1 cargo test -p sinew-audit --test generated_files`.

use std::path::PathBuf;

use sinew_audit::{AuditReport, Code, rules_markdown};

fn check(path: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("SINEW_WRITE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "{} is not current; see the top of this test", path.display());
}

#[test]
fn the_rules_document_is_current() {
    check("docs/RULES.md", &rules_markdown());
}

#[test]
fn the_schema_is_current() {
    check("schema/findings.schema.json", &AuditReport::json_schema());
}

#[test]
fn the_rules_document_names_every_rule_and_every_limit_with_its_default() {
    let text = rules_markdown();
    for code in Code::ALL {
        assert!(text.contains(&format!("\n## {code}\n")), "{code}");
    }
    assert!(text.contains("| `slide-mm` | `10.0` | mm | Largest net slide of one stance"), "{text}");
    assert!(text.contains("| `roll-deg` | `60.0` | deg |"));
    assert!(!text.contains("null"));
}
