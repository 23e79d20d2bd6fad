//! Names of records, enumerations and fixed types.

use std::fmt;
use std::sync::Arc;

/// The full name of a record, enumeration or fixed: a namespace, which may be empty, and a short name.
///
/// Nothing is demanded of the letters: real files hold names with blanks, empty ones, and any script.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    full: Arc<str>,
    /// Offset of the short name.
    short: usize,
}

impl Name {
    /// Returns a name as it is written, in a namespace that applies if the name has none of its own. A name with a dot
    /// is a full one.
    #[must_use]
    pub fn new(written: &str, namespace: &str) -> Self {
        match written.rfind('.') {
            // `.a` is the name `a` in no namespace.
            Some(0) => Self { full: Arc::from(&written[1..]), short: 0 },
            Some(dot) => Self { full: Arc::from(written), short: dot + 1 },
            None if namespace.is_empty() => Self { full: Arc::from(written), short: 0 },
            None => {
                let full = format!("{namespace}.{written}");
                Self { full: Arc::from(full), short: namespace.len() + 1 }
            }
        }
    }

    /// Returns namespace and short name with a dot between them, or the short name alone.
    #[must_use]
    pub fn full(&self) -> &str {
        &self.full
    }

    /// Returns the name without its namespace.
    #[must_use]
    pub fn short(&self) -> &str {
        self.full.get(self.short..).unwrap_or_default()
    }

    /// Returns the namespace, or an empty text.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.full.get(..self.short.saturating_sub(1)).unwrap_or_default()
    }

    pub(super) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.full)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full)
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn parts_of_names() {
        for (written, namespace, full, short, space) in [
            ("a", "", "a", "a", ""),
            ("a", "x.y", "x.y.a", "a", "x.y"),
            ("z.a", "x.y", "z.a", "a", "z"),
            (".a", "x", "a", "a", ""),
            ("", "x", "x.", "", "x"),
            ("", "", "", "", ""),
            ("ä b", "é", "é.ä b", "ä b", "é"),
        ] {
            let name = Name::new(written, namespace);
            assert_eq!((name.full(), name.short(), name.namespace()), (full, short, space), "{written:?}");
        }
    }
}
