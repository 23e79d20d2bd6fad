//! What may have been meant by a name that does not exist.

/// Names that a message lists where none is near.
const LISTED: usize = 10;
/// Names that are compared.
const COMPARED: usize = 10_000;

/// `did you mean "address"?`, or the names that there are.
pub(crate) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone, what: &str) -> String {
    if let Some(near) = nearest(name, known.clone()) {
        return format!("did you mean {near:?}?");
    }
    let some = known.clone().take(LISTED).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if some.is_empty() {
        return format!("there are no {what}");
    }
    let more = if known.take(LISTED + 1).count() > LISTED { ", …" } else { "" };
    format!("the {what} are {some}{more}")
}

/// The name that is most like this one, if one is: most of its characters stay.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let most = 1 + length / 4;
    let near = known.take(COMPARED).map(|known| (edits(name, known, most), known));
    let is_near = |edits: usize, known: &str| edits <= most && 2 * edits <= length.max(known.chars().count());
    let near = near.filter(|&(edits, known)| is_near(edits, known));
    near.min_by_key(|&(edits, _)| edits).map(|(_, known)| known)
}

/// Levenshtein's distance; anything above `most` counts as `most + 1`.
fn edits(a: &str, b: &str, most: usize) -> usize {
    let (a, b) = (a.chars().collect::<Vec<_>>(), b.chars().collect::<Vec<_>>());
    if a.len().abs_diff(b.len()) > most || a.len() > 200 {
        return most + 1;
    }
    let mut row = (0..=b.len()).collect::<Vec<_>>();
    for (i, from) in a.iter().enumerate() {
        let (mut diagonal, mut left) = (i, i + 1);
        for (to, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let up = *cell;
            left = (diagonal + usize::from(from != to)).min(up + 1).min(left + 1);
            diagonal = up;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(most + 1)
}

#[cfg(test)]
mod tests {
    use super::{edits, hint};

    #[test]
    fn distances_and_hints() {
        assert_eq!(edits("adress", "address", 3), 1);
        assert_eq!(edits("label", "lable", 3), 2);
        assert_eq!(edits("a", "abcdef", 1), 2);
        assert_eq!(hint("lable", ["image", "label"].into_iter(), "fields"), "did you mean \"label\"?");
        assert_eq!(hint("x", ["one", "two"].into_iter(), "fields"), "the fields are \"one\", \"two\"");
        assert_eq!(hint("w", ["i", "v"].into_iter(), "fields"), "the fields are \"i\", \"v\"");
        assert_eq!(hint("id", ["i", "v"].into_iter(), "fields"), "did you mean \"i\"?");
        assert_eq!(hint("x", [].into_iter(), "fields"), "there are no fields");
    }
}
