//! Patterns of names of columns.

/// Returns whether a text is a pattern.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Returns whether a name is one of a pattern, in which `*` stands for any text and `?` for a character. Brackets are
/// characters like others, since key expressions have them.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.chars().collect::<Vec<_>>(), name.chars().collect::<Vec<_>>());
    let (mut at, mut next) = (0, 0);
    // The last star, and up to where it reaches.
    let mut star: Option<(usize, usize)> = None;
    while next < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, next));
                at += 1;
            }
            Some(char) if *char == '?' || Some(char) == name.get(next) => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((before, reach)) = star else { return false };
                star = Some((before, reach + 1));
                (at, next) = (before + 1, reach + 1);
            }
        }
    }
    pattern.iter().skip(at).all(|char| *char == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name) in [
            ("user.*", "user.name"),
            ("*", ""),
            ("a*b*c", "aXbYbZc"),
            ("?é", "日é"),
            ("##SEQUENCE##.*", "##SEQUENCE##.clicks"),
            ("friends[*].*", "friends[*].age"),
            ("**a", "banana"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("user.*", "user"), ("?", ""), ("a*b", "abc"), ("[ab]", "a"), ("", "a")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
        assert!(!matches(&"*a".repeat(1000), &"a".repeat(999)));
    }
}
