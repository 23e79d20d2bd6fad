//! What may have been meant by a name that there is not.

/// Names that a message lists where none is near.
const LISTED: usize = 10;
/// Names that are compared.
const COMPARED: usize = 10_000;
/// Characters of a name that is compared.
const LONGEST: usize = 200;

/// `did you mean "image"?`, or `the tensors are "image", "label"`.
pub(crate) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone, what: &str) -> String {
    let most = 1 + name.chars().count() / 4;
    let near = known.clone().take(COMPARED).map(|known| (edits(name, known), known));
    if let Some((_, near)) = near.filter(|(edits, _)| *edits <= most).min_by_key(|(edits, _)| *edits) {
        return format!("did you mean {near:?}?");
    }
    let some = known.clone().take(LISTED).map(|name| format!("{name:?}")).collect::<Vec<_>>();
    if some.is_empty() {
        return format!("there are no {what}");
    }
    let more = if known.count() > LISTED { ", …" } else { "" };
    format!("the {what} are {}{more}", some.join(", "))
}

/// Levenshtein's distance of names that are not long.
fn edits(a: &str, b: &str) -> usize {
    let (a, b) = (a.chars().collect::<Vec<_>>(), b.chars().collect::<Vec<_>>());
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let mut above = (0..=b.len()).collect::<Vec<_>>();
    for (row, from) in a.iter().enumerate() {
        let mut line = Vec::with_capacity(above.len());
        let mut left = row + 1;
        line.push(left);
        for (to, pair) in b.iter().zip(above.windows(2)) {
            let replaced = pair.first().map_or(0, |cost| cost + usize::from(from != to));
            let removed = pair.last().map_or(0, |cost| cost + 1);
            left = replaced.min(removed).min(left + 1);
            line.push(left);
        }
        above = line;
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{edits, hint};

    #[test]
    fn distances_are_levenshteins() {
        for (a, b, expected) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("lable", "label", 2)] {
            assert_eq!((edits(a, b), edits(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn a_near_name_is_offered_and_otherwise_all_are_listed() {
        let names = ["image", "label"];
        assert_eq!(hint("lable", names.into_iter(), "tensors"), "did you mean \"label\"?");
        assert_eq!(hint("depth", names.into_iter(), "tensors"), "the tensors are \"image\", \"label\"");
        assert_eq!(hint("x", std::iter::empty(), "tensors"), "there are no tensors");
    }
}
