//! Errors of statistics.

use tfxio_base::{Count, Error, ErrorKind, Position};
use tfxio_core::ColumnPath;

use super::column_tree::Leaf;
use crate::Kind;

/// Returns the error of values of another type than a column had before.
pub(super) fn other_type(path: &ColumnPath, ours: &Leaf, theirs: &Leaf) -> Error {
    let (ours, theirs) = (ours.name(), theirs.name());
    Error::new(Kind::ColumnType, format!("values are {theirs} here, and {ours} before"))
        .help("read all data with one schema, or leave the column out")
        .at(Position::new().column(path.to_string()))
}

/// Returns the error of lists of another depth than a column had before.
pub(super) fn other_depth(path: &ColumnPath, ours: usize, theirs: usize) -> Error {
    let what =
        format!("values are in {} of lists here, and in {ours} before", Count::of(theirs as u64, "level"));
    Error::new(Kind::ColumnType, what)
        .help("read all data with one schema, or leave the column out")
        .at(Position::new().column(path.to_string()))
}

/// Returns the error of a weight that is not one finite number.
pub(super) fn weight(path: &ColumnPath, row: u64, what: &str) -> Error {
    Error::new(Kind::InvalidWeight, format!("a weight {what}"))
        .help("a weight is one number a row, finite and not negative; filter the other rows out")
        .at(Position::new().column(path.to_string()).row(row))
}

/// Returns the error of more slices than are allowed.
pub(super) fn too_many_slices(path: &ColumnPath, most: usize) -> Error {
    let what = format!("more than {} to slice by", Count::of(most as u64, "value"));
    Error::new(Kind::TooManySlices, what)
        .help("slice by a column of few values, or allow more slices (max_slices)")
        .at(Position::new().column(path.to_string()))
}

/// Returns the error of something that cannot happen.
pub(super) fn impossible() -> Error {
    Error::new(ErrorKind::Other, "statistics are in a state that they cannot have")
}
