//! Positions of the entries of a column.

use crate::adapter::splits::Splits;
use crate::kind::Locate as _;
use crate::{ColumnPath, Error, Kind};

/// Assignment of a column's entries to the cells of the batch and the kept dimensions. A column without lists for the kept
/// dimensions has one cell a row.
#[derive(Clone)]
pub(super) struct CellEntries {
    /// The lists that stay as dimensions, outermost first.
    pub(super) kept: Vec<Splits>,
    /// The entries of each cell.
    pub(super) groups: Splits,
}

impl CellEntries {
    /// Returns the row of a list of a level; the level after the kept ones is that of the groups.
    pub(super) fn row_of(&self, level: usize, list: usize) -> usize {
        let outer = self.kept.get(..level).unwrap_or_default();
        outer.iter().rev().fold(list, |item, splits| splits.list_of(item))
    }

    /// Returns the entries of each row.
    fn rows(&self) -> Splits {
        self.kept.iter().rev().fold(self.groups.clone(), |inner, outer| outer.merged(&inner))
    }

    /// Returns the first row with a list, or a cell, that is not as long as that of another column, and both lengths. Of
    /// columns of which one has no lists for the kept dimensions, whole rows are compared.
    pub(super) fn first_difference(&self, other: &Self) -> Option<(usize, usize, usize)> {
        if self.kept.len() != other.kept.len() {
            let (ours, theirs) = (self.rows(), other.rows());
            let row = ours.first_difference(&theirs)?;
            return Some((row, ours.length(row), theirs.length(row)));
        }
        let ours = self.kept.iter().chain([&self.groups]);
        let mut levels = ours.zip(other.kept.iter().chain([&other.groups])).enumerate();
        levels.find_map(|(level, (ours, theirs))| {
            let list = ours.first_difference(theirs)?;
            Some((self.row_of(level, list), ours.length(list), theirs.length(list)))
        })
    }

    /// Checks that the indices of a column are in the same cells as these entries, which are from the column at `path`.
    pub(super) fn check(&self, path: &ColumnPath, indices: &Self) -> Result<(), Error> {
        let Some((row, ours, theirs)) = self.first_difference(indices) else { return Ok(()) };
        let message = format!("a list of {theirs} where column \"{path}\" has one of {ours}");
        Err(Error::new(Kind::InvalidIndex, message).in_row(row))
    }
}
