//! Names and shapes as messages show them.

/// `[?, 3]`: a dimension that differs from record to record is a question mark.
pub(crate) fn shape_text(shape: &[Option<usize>]) -> String {
    let sizes = shape.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}
