//! Numbers with their nouns and verbs.

/// `1 clip`, `2 clips`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", either(count, one, many))
}

/// The form that goes with the count.
pub(crate) fn either<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// `a, b, c, ...`: the first of the names, and a sign that there are more.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> String {
    let mut names: Vec<&str> = names.take(most + 1).collect();
    if names.len() > most {
        names[most] = "...";
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_none_and_two_are_plural() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "clip", "clips")), ["0 clips", "1 clip", "2 clips"]);
        assert_eq!([0, 1, 2].map(|n| either(n, "has", "have")), ["have", "has", "have"]);
    }

    #[test]
    fn long_lists_are_cut_with_a_sign() {
        assert_eq!(listed(["a", "b"].into_iter(), 2), "a, b");
        assert_eq!(listed(["a", "b", "c"].into_iter(), 2), "a, b, ...");
    }
}
