//! Names and numbers from files, made safe and short enough to print.

use std::fmt::Write as _;

/// Longest name printed, in characters; names in files can be megabytes long.
const LONGEST_NAME: usize = 120;

/// A name from a file as it is printed: control characters and the marks that reorder text on screen are
/// spelled out (`‹U+202E›`), and what is over 120 characters is cut.
///
/// Escaping for HTML comes on top of this and is the template's job.
pub fn printable(name: &str) -> String {
    visible(name, LONGEST_NAME)
}

/// A text of any length as a terminal can print it: control characters and the marks that reorder text are
/// spelled out, as in [`printable`], and nothing is cut.
pub fn inert(text: &str) -> String {
    visible(text, usize::MAX)
}

/// A sentence that may hold names from files, treated like [`printable`] but up to 2,000 characters long.
pub(super) fn prose(sentence: &str) -> String {
    visible(sentence, 2000)
}

/// A name in the pieces between which a line may break: after underscores, bars and dots.
pub(super) fn parts(name: &str) -> Vec<String> {
    printable(name).split_inclusive(['_', '|', '.']).map(Into::into).collect()
}

/// Splits a sentence at its backticks: `true` marks what stands between two of them.
pub(super) fn code_spans(sentence: &str) -> Vec<(bool, String)> {
    let sentence = prose(sentence);
    if sentence.matches('`').count() % 2 == 1 {
        return vec![(false, sentence)];
    }
    sentence.split('`').enumerate().map(|(i, words)| (i % 2 == 1, words.to_owned())).collect()
}

fn visible(name: &str, longest: usize) -> String {
    let mut text = String::with_capacity(name.len().min(longest.saturating_mul(4)));
    for (count, c) in name.chars().enumerate() {
        if count == longest {
            text.push('…');
            break;
        }
        if is_invisible(c) {
            let _ = write!(text, "‹U+{:04X}›", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// Characters that show nothing or change the order of what is around them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0x00AD | 0x061C | 0x115F | 0x1160 | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E
            | 0x2060..=0x206F | 0x3164 | 0xFEFF | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF)
}

/// A number with four significant figures and its unit, as the tables print it: `12.35 mm`, `0.0213 m`.
pub fn measure(value: f64, unit: &str) -> String {
    let number = number(value);
    match unit_sign(unit).as_str() {
        "" => number,
        unit @ ("%" | "°") => format!("{number}{unit}"),
        unit => format!("{number}\u{a0}{unit}"),
    }
}

/// A unit as printed: `deg` becomes the sign.
pub(super) fn unit_sign(unit: &str) -> String {
    if unit == "deg" { "°".into() } else { printable(unit) }
}

/// A number with four significant figures, in plain notation where that stays short.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.2e}");
    }
    let magnitude = libm::floor(libm::log10(size)) as i32;
    let decimals = (3 - magnitude).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// Text for SVG and HTML, in an element or a quoted attribute.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_reorder_text_are_spelled_out() {
        assert_eq!(printable("arm\u{202e}gpj.exe"), "arm‹U+202E›gpj.exe");
        assert_eq!(printable("a\u{0}b\nc"), "a‹U+0000›b‹U+000A›c");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(printable(&"x".repeat(1 << 20)).chars().count(), LONGEST_NAME + 1);
    }

    #[test]
    fn only_paired_backticks_make_code() {
        let spans = code_spans("run `sinew fix` now");
        assert_eq!(spans, [(false, "run ".into()), (true, "sinew fix".into()), (false, " now".into())]);
        assert_eq!(code_spans("a ` b"), [(false, "a ` b".into())]);
    }

    #[test]
    fn numbers_keep_four_figures() {
        assert_eq!(measure(5.236_38, "mm"), "5.236\u{a0}mm");
        assert_eq!(number(180.0), "180");
        assert_eq!(number(0.021_349), "0.02135");
        assert_eq!(number(123_456.7), "123457");
        assert_eq!(number(-0.5), "-0.5");
        assert_eq!(number(1.5e-7), "1.50e-7");
        assert_eq!(number(f64::NAN), "NaN");
    }
}
