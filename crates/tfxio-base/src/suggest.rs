//! Suggestions for names that are not found.

/// Maximum number of names that are compared.
const COMPARED: usize = 10_000;
/// Maximum number of names that a message lists.
const LISTED: usize = 10;
/// Maximum length of a name that is compared, in bytes.
const LENGTH: usize = 200;

/// Returns `did you mean "address"?`, or else the names that exist: `the fields are "a", "b"`.
///
/// ```
/// use tfxio_base::suggest;
///
/// assert_eq!(suggest::hint("lable", ["image", "label"], "columns"), "did you mean \"label\"?");
/// assert_eq!(suggest::hint("x", ["one", "two"], "columns"), "the columns are \"one\", \"two\"");
/// assert_eq!(suggest::hint("x", [], "columns"), "there are no columns");
/// ```
#[must_use]
pub fn hint<'a, I>(name: &str, known: I, what: &str) -> String
where
    I: IntoIterator<Item = &'a str, IntoIter: Clone>,
{
    let known = known.into_iter();
    if let Some(hint) = did_you_mean(name, known.clone()) {
        return hint;
    }
    let list = list(known, LISTED);
    if list.is_empty() { format!("there are no {what}") } else { format!("the {what} are {list}") }
}

/// Returns `did you mean "label"?`, if a known name is near.
#[must_use]
pub fn did_you_mean<'a, I>(name: &str, known: I) -> Option<String>
where
    I: IntoIterator<Item = &'a str, IntoIter: Clone>,
{
    let known = known.into_iter();
    let meant = nearest(name, known.clone()).or_else(|| containing(name, known))?;
    Some(format!("did you mean {meant:?}?"))
}

/// Returns the known name that differs least, if most of its characters are the same. Case does not count.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let most = 1 + length / 4;
    let distance = |known: &str| {
        if known.eq_ignore_ascii_case(name) {
            return Some(0);
        }
        if name.len() > LENGTH || known.len() > LENGTH {
            return None;
        }
        let length = length.max(known.chars().count());
        Some(strsim::levenshtein(name, known)).filter(|edits| *edits <= most && 2 * edits <= length)
    };
    let known = known.into_iter().take(COMPARED);
    let near = known.filter_map(|known| Some((distance(known)?, known)));
    near.min_by_key(|(edits, _)| *edits).map(|(_, known)| known)
}

/// Returns the only known name that a name is a part of, by whole words: `target_batch_size` for `batch_size`.
fn containing<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut found = known.take(COMPARED).filter(|known| is_part(name, known));
    found.next().filter(|_| found.next().is_none())
}

/// Returns whether a name is a part of another, by whole words: `batch_size` of `target_batch_size`.
#[must_use]
pub fn is_part(name: &str, whole: &str) -> bool {
    let at_end = whole.strip_suffix(name).is_some_and(|rest| rest.ends_with('_'));
    !name.is_empty() && (at_end || whole.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')))
}

/// Returns `"a", "b", "c"`, with at most `most` names and `…` in place of the others.
#[must_use]
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let mut names = names.into_iter().map(|name| format!("{name:?}"));
    let some = names.by_ref().take(most).collect::<Vec<_>>().join(", ");
    if names.next().is_some() { some + ", …" } else { some }
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, hint, list, nearest};

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(nearest("adress", ["address", "name"]), Some("address"));
        assert_eq!(nearest("id", ["i", "v"]), Some("i"));
        assert_eq!(nearest("IMAGE", ["image", "imago"]), Some("image"));
        assert_eq!(nearest("w", ["i", "v"]), None);
        assert_eq!(nearest("x", ["image", "label"]), None);
        assert_eq!(nearest(&"x".repeat(300), ["image"]), None);
        assert_eq!(hint("w", ["i", "v"], "fields"), "the fields are \"i\", \"v\"");
    }

    #[test]
    fn a_part_of_one_name_suggests_it() {
        let keys = ["target_batch_size", "min_window", "max_window", "window"];
        assert_eq!(did_you_mean("batch_size", keys).as_deref(), Some("did you mean \"target_batch_size\"?"));
        assert_eq!(did_you_mean("size_", keys), None);
        assert_eq!(did_you_mean("", keys), None);
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list(["a"; 4], 4), "\"a\", \"a\", \"a\", \"a\"");
        assert_eq!(list(["a"; 5], 4), "\"a\", \"a\", \"a\", \"a\", …");
    }
}
