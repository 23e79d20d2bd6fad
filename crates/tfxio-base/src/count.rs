//! Numbers that agree with their nouns.

use std::fmt::{self, Display};

/// A number and what it counts, for a message: `1 byte`, `12 bytes`, `1 batch`, `3 entries`.
///
/// The number may be any integer, or a type that is written like one. The noun is given in the singular.
///
/// ```
/// use tfxio_base::Count;
///
/// let left = |bytes: usize| {
///     let left = Count::of(bytes, "byte");
///     format!("{left} {} left", left.verb("is", "are"))
/// };
/// assert_eq!(left(1), "1 byte is left");
/// assert_eq!(left(2), "2 bytes are left");
/// assert_eq!(left(0), "0 bytes are left");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count<'a, N> {
    number: N,
    noun: &'a str,
}

impl<'a, N: PartialEq + From<u8>> Count<'a, N> {
    /// Returns a number of things that `noun` names in the singular.
    ///
    /// The plural is that of regular nouns, and of those like *axis* (axes) and *index* (indices).
    #[must_use]
    pub const fn of(number: N, noun: &'a str) -> Self {
        Self { number, noun }
    }

    /// Returns the form of a verb that agrees with the number: `verb("is", "are")`.
    #[must_use]
    pub fn verb(&self, singular: &'static str, plural: &'static str) -> &'static str {
        if self.is_one() { singular } else { plural }
    }

    fn is_one(&self) -> bool {
        self.number == N::from(1)
    }
}

impl<N: Display + PartialEq + From<u8>> Display for Count<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stem, ending) = if self.is_one() { (self.noun, "") } else { plural(self.noun) };
        write!(f, "{} {stem}{ending}", self.number)
    }
}

/// Returns what of a noun its plural begins with, and how that ends.
fn plural(noun: &str) -> (&str, &'static str) {
    const ENDINGS: [(&str, &str); 9] = [
        ("ex", "ices"),
        ("is", "es"),
        ("nch", "nches"),
        ("rch", "rches"),
        ("tch", "tches"),
        ("sh", "shes"),
        ("s", "ses"),
        ("x", "xes"),
        ("y", "ies"),
    ];
    let is_vowel = |stem: &str| stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    for (singular, plural) in ENDINGS {
        match noun.strip_suffix(singular) {
            Some(stem) if singular == "y" && is_vowel(stem) => {}
            Some(stem) => return (stem, plural),
            None => {}
        }
    }
    (noun, "s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        let numbers = [0, 1, 2, u64::MAX].map(|number| Count::of(number, "row").to_string());
        assert_eq!(numbers, ["0 rows", "1 row", "2 rows", "18446744073709551615 rows"]);
        assert_eq!([-1, 1].map(|number| Count::of(number, "day").to_string()), ["-1 days", "1 day"]);
        assert_eq!([1, 3].map(|number| Count::of(number, "row").verb("has", "have")), ["has", "have"]);
    }

    #[test]
    fn plurals_are_those_of_english() {
        let check = |singular, plural| {
            assert_eq!(Count::of(1_u32, singular).to_string(), format!("1 {singular}"));
            assert_eq!(Count::of(2_u32, singular).to_string(), format!("2 {plural}"));
        };
        check("byte", "bytes");
        check("damaged range", "damaged ranges");
        check("batch", "batches");
        check("branch", "branches");
        check("epoch", "epochs");
        check("hash", "hashes");
        check("box", "boxes");
        check("class", "classes");
        check("axis", "axes");
        check("parent index", "parent indices");
        check("entry", "entries");
        check("key", "keys");
    }
}
