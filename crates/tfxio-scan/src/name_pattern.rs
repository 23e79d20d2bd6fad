//! Names of columns, and patterns of them.

/// A name of a column, or a pattern of names: `*` matches any characters, `?` one. Brackets are characters like others, since key
/// expressions have them. A pattern also matches a column whose name is the text itself.
///
/// ```
/// use tfxio_formats::NamePattern;
///
/// let pattern = NamePattern::new("user.*");
/// assert!(pattern.is_pattern() && pattern.fits("user.name") && !pattern.fits("user"));
/// assert!(NamePattern::new("friends[*].age").fits("friends[*].age"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    /// Returns the pattern that a text is.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether the text has wildcards.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.0.contains(['*', '?'])
    }

    /// Returns whether a column is meant.
    #[must_use]
    pub fn fits(&self, column: &str) -> bool {
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
    use super::NamePattern;

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
            ("user.*", "user.name", true),
            ("user.*", "user", false),
            ("?é", "日é", true),
            ("?", "", false),
            ("##SEQUENCE##.*", "##SEQUENCE##.clicks", true),
            ("**a", "banana", true),
            ("a*b", "abc", false),
            ("[ab]", "a", false),
            ("", "a", false),
        ];
        for (pattern, name, fits) in cases {
            assert_eq!(NamePattern::new(pattern).fits(name), fits, "{pattern} {name}");
        }
        assert!(!NamePattern::new("*a".repeat(1000)).fits(&"a".repeat(999)));
    }
}
