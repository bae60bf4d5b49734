//! Files that must be refused, in words that help.

use std::path::Path;

use sinew_asset::{ReadOptions, Severity, load};

use crate::values::Check;

pub(crate) fn reject(check: &Check<'_>, path: &Path) -> Result<(), String> {
    let message = match load(path, &ReadOptions::default()) {
        Err(error) => error.to_string(),
        Ok(loaded) => {
            let errors = loaded.problems.iter().filter(|p| p.severity == Severity::Error);
            let text: Vec<String> = errors.map(ToString::to_string).collect();
            if text.is_empty() {
                return Err("it loads without an error".into());
            }
            text.join("\n")
        }
    };
    let must_name = check.value("must_name").as_array().ok_or("no list 'must_name'")?;
    for wanted in must_name.iter().filter_map(|v| v.as_str()) {
        // "sampler 0 (or its input accessor 0)" names either of two things.
        let alternatives = wanted.replace(')', "").replace("(or its ", "|").replace("(or ", "|");
        if !alternatives.split('|').any(|a| message.to_lowercase().contains(&a.trim().to_lowercase())) {
            return Err(format!("the message does not name '{wanted}': {message}"));
        }
    }
    Ok(())
}
