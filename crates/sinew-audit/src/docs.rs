//! `docs/RULES.md`, written from the rules themselves.

use core::fmt::Write;

use serde_json::Value;

use crate::{Limits, RULES};

/// The text of `docs/RULES.md`: every rule with its reason, method, example, fix and limits.
#[must_use]
pub fn rules_markdown() -> String {
    let mut text = String::from(
        "# Rules of `sinew audit`\n\n\
         Generated from the rules themselves; do not edit by hand.\n\n\
         Limits are set in `sinew.toml`. Lengths given for a person of 1.8 m are scaled to the size of the \
         character. `[audit.severity]` sets the severity of a rule or turns it off, `[[audit.ignore]]` leaves \
         findings out, `[audit.fail]` says from which severity on a run fails (exit code 7):\n\n\
         ```toml\n\
         [audit.fail]\n\
         severity = \"error\"\n\n\
         [audit.severity]\n\
         SINEW_UNBOUND = \"off\"\n\n\
         [[audit.ignore]]\n\
         rule = \"SINEW_FOOT_SLIDE\"\n\
         clip = \"Dance*\"\n\
         reason = \"moonwalk\"\n\n\
         [audit.foot-slide]\n\
         slide-mm = 5.0\n\
         ```\n\n\
         | code | severity | finds |\n\
         | --- | --- | --- |\n",
    );
    for rule in &RULES {
        let anchor = rule.code.as_str().to_lowercase();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| [{}](#{anchor}) | {} | {} |", rule.code, rule.severity, rule.title);
    }
    let schema = schemars::schema_for!(Limits).to_value();
    let defaults = serde_json::to_value(Limits::default()).unwrap_or_default();
    for rule in &RULES {
        let _ = write!(
            text,
            "\n## {}\n\n{}.\n\n**Why.** {}\n\n**How.** {}\n\n**Example.** `{}`\n\n**Fix.** {}\n",
            rule.code,
            capitalised(rule.title),
            rule.reason,
            rule.method,
            rule.example,
            rule.fix
        );
        if let Some(section) = rule.section {
            limits_table(&mut text, section, &schema, &defaults[section]);
        }
    }
    text
}

fn limits_table(text: &mut String, section: &str, schema: &Value, defaults: &Value) {
    let _ = write!(
        text,
        "\n| `[audit.{section}]` | default | unit | what it bounds |\n| --- | --- | --- | --- |\n"
    );
    let reference = schema["properties"][section]["$ref"].as_str().unwrap_or_default();
    let name = reference.rsplit('/').next().unwrap_or_default();
    let Some(properties) = schema["$defs"][name]["properties"].as_object() else { return };
    for (key, property) in properties {
        let default = match &defaults[key] {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            value => value.to_string(),
        };
        let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
        let unit = property["unit"].as_str().unwrap_or_default();
        let meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ");
        let _ = writeln!(text, "| `{key}` | {default} | {unit} | {meaning} |");
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}
