//! Names and shapes as messages show them.

use crate::json::{did_you_mean, list_of};

/// `did you mean "image"?`, or `the tensors are "image", "label"`.
pub(crate) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone, what: &str) -> String {
    did_you_mean(name, known.clone()).unwrap_or_else(|| match known.clone().next() {
        Some(_) => format!("the {what} are {}", list_of(known)),
        None => format!("there are no {what}"),
    })
}

/// `[?, 3]`: a dimension that differs from record to record is a question mark.
pub(crate) fn shape_text(shape: &[Option<usize>]) -> String {
    let sizes = shape.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}
