//! Names of columns, and patterns of them.

/// A name of a column, or a pattern: `*` stands for any characters, `?` for one. A column whose name is the text itself is
/// meant, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether a column is meant.
    pub(crate) fn fits(&self, column: &str) -> bool {
        self.0 == column || matches(&self.0, column)
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.chars().collect::<Vec<_>>(), name.chars().collect::<Vec<_>>());
    let (mut at, mut of) = (0, 0);
    // Where the last star was, and up to where it stands for characters.
    let mut star = None;
    while of < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(c) if *c == '?' || Some(c) == name.get(of) => {
                at += 1;
                of += 1;
            }
            _ => {
                let Some((before, upto)) = star else { return false };
                star = Some((before, upto + 1));
                (at, of) = (before + 1, upto + 1);
            }
        }
    }
    pattern.iter().skip(at).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn patterns_of_names() {
        let cases = [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "a", true),
            ("*.x", "a.b.x", true),
            ("*.x", "x", false),
            ("a?c", "aéc", true),
            ("a*b*c", "aXbbYc", true),
            ("a*b*c", "acb", false),
            ("", "", true),
            ("*", "", true),
            ("friends[*].age", "friends[*].age", true),
            ("friends[*].age", "friends[0].age", true),
        ];
        for (pattern, name, fits) in cases {
            assert_eq!(Name::new(pattern).fits(name), fits, "{pattern} {name}");
        }
    }
}
