//! What all rows say of columns of lists and of bytes.

use std::collections::{HashMap, HashSet};

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::change::{item, parts};
use super::text;

/// What all rows say of columns of lists and of bytes: which have one value a row, and which are UTF-8.
#[derive(Debug)]
pub(crate) struct Profile {
    columns: Vec<Seen>,
}

#[derive(Debug)]
struct Seen {
    name: String,
    /// Whether it is a list of values, and none had another number of them than one.
    is_single: bool,
    has_null: bool,
    /// Whether its values are bytes, and all of them UTF-8.
    is_text: bool,
}

impl Profile {
    /// Returns a profile of no rows.
    pub(crate) fn new(schema: &Schema, singles: bool, texts: bool) -> Self {
        let seen = |field: &arrow_schema::FieldRef| {
            let values = item(field.data_type());
            let innermost = innermost(field.data_type());
            Seen {
                name: field.name().clone(),
                is_single: singles && values.is_some_and(|item| !item.data_type().is_nested()),
                has_null: false,
                is_text: texts && text::is_text(innermost) && !innermost.is_string(),
            }
        };
        Self { columns: schema.fields().iter().map(seen).collect() }
    }

    /// Returns whether no column can be found to have one value a row, or to be UTF-8, by looking further.
    pub(crate) fn is_decided(&self) -> bool {
        self.columns.iter().all(|seen| !seen.is_single && !seen.is_text)
    }

    /// Looks at the rows of a batch.
    pub(crate) fn push(&mut self, batch: &RecordBatch) {
        for (seen, column) in self.columns.iter_mut().zip(batch.columns()) {
            if seen.is_single {
                seen.has_null |= column.null_count() > 0;
                seen.is_single = is_single(column);
            }
            if seen.is_text {
                seen.is_text = is_text(column);
            }
        }
    }

    /// Returns the columns that have one value a row, each with whether it may be absent.
    pub(crate) fn single(&self) -> HashMap<String, bool> {
        let single = self.columns.iter().filter(|seen| seen.is_single);
        single.map(|seen| (seen.name.clone(), seen.has_null)).collect()
    }

    /// Returns the columns that are UTF-8.
    pub(crate) fn texts(&self) -> HashSet<String> {
        self.columns.iter().filter(|seen| seen.is_text).map(|seen| seen.name.clone()).collect()
    }
}

/// Returns the type of the values of lists of any depth.
fn innermost(mut data_type: &DataType) -> &DataType {
    while let Some(item) = item(data_type) {
        data_type = item.data_type();
    }
    data_type
}

fn is_single(column: &ArrayRef) -> bool {
    let Some((values, starts)) = parts(column) else { return false };
    let is_one = |row: usize| {
        let len = starts.get(row + 1).zip(starts.get(row)).map(|(end, start)| end - start);
        // A null in a list is not the absence of the list.
        len == Some(1) && starts.get(row).is_some_and(|start| !values.is_null(*start))
    };
    (0..column.len()).all(|row| column.is_null(row) || is_one(row))
}

fn is_text(column: &ArrayRef) -> bool {
    match parts(column) {
        Some((values, starts)) => {
            let (start, end) = (starts.first().copied().unwrap_or(0), starts.last().copied().unwrap_or(0));
            is_text(&values.slice(start, end.saturating_sub(start)))
        }
        None => text::not_text(column).is_none(),
    }
}
