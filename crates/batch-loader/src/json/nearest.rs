//! What may have been meant by a name that does not exist.

/// Names that are compared.
const COMPARED: usize = 10_000;
/// Names that a message lists.
const LISTED: usize = 40;

/// `"a", "b", "c"`; shortened if there are many.
pub(crate) fn list_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("{name:?}"));
    let some = names.by_ref().take(LISTED).collect::<Vec<_>>().join(", ");
    if names.next().is_some() { some + ", …" } else { some }
}

/// `did you mean "label"?`, if a known name is near.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let meant = nearest(name, known.clone()).or_else(|| containing(name, known))?;
    Some(format!("did you mean {meant:?}?"))
}

/// The known name that differs least, if it differs little; case does not count much.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = 1 + name.chars().count() / 4;
    let near = known.take(COMPARED).map(|known| {
        let same = known.eq_ignore_ascii_case(name);
        (if same { 0 } else { edits(name, known, most) }, known)
    });
    near.filter(|(edits, _)| *edits <= most).min_by_key(|(edits, _)| *edits).map(|(_, known)| known)
}

/// Whether a name is a part of another, by whole words: `batch_size` of `target_batch_size`.
fn is_part(name: &str, whole: &str) -> bool {
    let at_end = whole.strip_suffix(name).is_some_and(|rest| rest.ends_with('_'));
    !name.is_empty() && (at_end || whole.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')))
}

/// The only known name that a name is a part of.
fn containing<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut found = known.take(COMPARED).filter(|known| is_part(name, known));
    found.next().filter(|_| found.next().is_none())
}

/// The first of some names that is a part of another.
pub(crate) fn part_of<'a>(whole: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut found = names.take(COMPARED).filter(|name| is_part(name, whole));
    found.next()
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
    use super::{did_you_mean, edits, list_of};

    #[test]
    fn distances_and_hints() {
        assert_eq!(edits("label", "lable", 3), 2);
        assert_eq!(edits("a", "abcdef", 1), 2);
        let known = || ["image", "label"].into_iter();
        assert_eq!(did_you_mean("lable", known()).as_deref(), Some("did you mean \"label\"?"));
        assert_eq!(did_you_mean("IMAGE", known()).as_deref(), Some("did you mean \"image\"?"));
        assert_eq!(did_you_mean("x", known()), None);
        let keys = || ["target_batch_size", "min_window", "max_window", "window"].into_iter();
        assert_eq!(
            did_you_mean("batch_size", keys()).as_deref(),
            Some("did you mean \"target_batch_size\"?")
        );
        assert_eq!(did_you_mean("size_", keys()), None);
        assert_eq!(did_you_mean("", keys()), None);
        assert_eq!(list_of(known()), "\"image\", \"label\"");
        assert_eq!(list_of(["a"; 41].into_iter()).matches("\"a\"").count(), 40);
        assert!(list_of(["a"; 41].into_iter()).ends_with(", …"));
    }
}
