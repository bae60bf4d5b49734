//! Names with wildcards, as people write them in `sinew.toml`.

/// Whether `name` fits `pattern`, in which `*` stands for any text and `?` for any one character.
/// Upper and lower case are the same. Linear in both for each star; no recursion.
#[must_use]
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where the last star was, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks_stand_for_text() {
        assert!(matches("*foot*", "mixamorig:LeftFoot"));
        assert!(matches("Death*", "death_b"));
        assert!(matches("cmu_0?_*", "cmu_02_10"));
        assert!(matches("*", ""));
        assert!(!matches("walk", "walk_2"));
        assert!(!matches("?", ""));
        assert!(!matches("a*b*c", "a-b-d"));
    }
}
