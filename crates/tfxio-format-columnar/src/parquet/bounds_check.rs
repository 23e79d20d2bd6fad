//! Check of column statistics against the values: rows that wrong statistics leave out would be lost silently.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_buffer::NullBuffer;
use tfxio_core::{ColumnPath, Error, ErrorKind, Position};
use tfxio_scan::filter::possible::{Facts, Nulls, Page};

use super::outside;

/// Rows of a column of a row group, and the claims about them.
#[derive(Debug)]
pub(super) struct Said {
    /// Number of the column in a batch that the path begins with.
    pub(super) root: usize,
    pub(super) path: ColumnPath,
    pub(super) group: usize,
    /// Source of the claim.
    pub(super) by: &'static str,
    pub(super) pages: Vec<Page>,
}

/// The structs of a batch whose fields were asked for, each by the names of its fields: it is gone over once, however many of them are
/// compared.
#[derive(Debug, Default)]
pub(super) struct Structs<'a> {
    by_name: HashMap<*const StructArray, HashMap<&'a str, &'a ArrayRef>>,
    /// Number of fields that were visited.
    #[cfg(test)]
    seen: usize,
}

impl<'a> Structs<'a> {
    /// Returns the field of a name, the first of those with the same.
    fn field(&mut self, of: &'a StructArray, name: &str) -> Option<&'a ArrayRef> {
        let fields = self.by_name.entry(std::ptr::from_ref(of)).or_insert_with(|| {
            #[cfg(test)]
            {
                self.seen += of.num_columns();
            }
            let fields = of.fields().iter().zip(of.columns()).rev();
            fields.map(|(field, column)| (field.name().as_str(), column)).collect()
        });
        fields.get(name).copied()
    }
}

impl Said {
    /// Compares some rows, of which the first is `first` in its row group, and `row` gives its number in the file.
    pub(super) fn compare<'a>(
        &self,
        batch: &'a RecordBatch,
        structs: &mut Structs<'a>,
        first: u64,
        row: impl Fn() -> u64,
    ) -> Result<(), Error> {
        let Some(column) = self.column(batch, structs) else { return Ok(()) };
        let all = first..first.saturating_add(column.len() as u64);
        let begin = self.pages.partition_point(|page| page.rows.end <= all.start);
        for (number, Page { rows, facts }) in self.pages.iter().enumerate().skip(begin) {
            let rows = rows.start.max(all.start)..rows.end.min(all.end);
            if rows.is_empty() {
                break;
            }
            let (start, end) = (index(rows.start - first), index(rows.end - first));
            let values = column.slice(start, end.saturating_sub(start));
            if let Some((at, what)) = wrong(&*values, facts) {
                let row = row().saturating_add(rows.start - first).saturating_add(at as u64);
                return Err(self.error(number, &what).at(Position::new().row(row)));
            }
        }
        Ok(())
    }

    /// Returns the column of the path.
    fn column<'a>(&self, batch: &'a RecordBatch, structs: &mut Structs<'a>) -> Option<ArrayRef> {
        let (_, rest) = self.path.steps().split_first()?;
        let mut column = batch.columns().get(self.root)?;
        let mut nulls = None;
        for step in rest {
            let parent = column.as_struct_opt()?;
            // A struct that is null has no values.
            nulls = NullBuffer::union(nulls.as_ref(), parent.nulls());
            column = structs.field(parent, step)?;
        }
        if rest.is_empty() {
            return Some(Arc::clone(column));
        }
        let nulls = NullBuffer::union(nulls.as_ref(), column.nulls());
        Some(arrow_array::make_array(column.to_data().into_builder().nulls(nulls).build().ok()?))
    }

    /// Returns the error of statistics that cannot be true.
    pub(super) fn error(&self, page: usize, what: &str) -> Error {
        let (by, group) = (self.by, self.group);
        let of_page = if self.pages.len() > 1 { format!(" of page {page}") } else { String::new() };
        let text = format!("the Parquet file cannot be trusted: {by} of row group {group}{of_page} {what}");
        let error = Error::new(ErrorKind::Malformed, text).at(Position::new().column(self.path.to_string()));
        error.help("write the file again: whoever reads by it loses rows")
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the first value that is not as it is said, and what is wrong.
fn wrong(values: &dyn Array, facts: &Facts) -> Option<(usize, String)> {
    let nulls = values.logical_nulls();
    let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let rows = 0..values.len();
    match facts.nulls {
        Nulls::All => {
            let row = rows.clone().find(|row| !is_null(*row))?;
            return Some((row, "says that all values are null, and one is not".to_owned()));
        }
        Nulls::None => {
            if nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0)
                && let Some(row) = rows.clone().find(|row| is_null(*row))
            {
                return Some((row, "says that no value is null, and one is".to_owned()));
            }
        }
        Nulls::Unknown => {}
    }
    let (min, max) = (facts.min.as_ref()?, facts.max.as_ref()?);
    let row = outside::first(values, min, max)?;
    Some((row, "has bounds that a value is outside of".to_owned()))
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int64Array, StructArray};
    use arrow_schema::{DataType, Field, Fields};

    use super::*;

    /// Returns a batch of a struct of a struct of 100 fields: the outer one is null in the second row, the inner one in the third.
    fn batch() -> RecordBatch {
        let fields =
            (0..100).map(|at| Field::new(format!("f{at}"), DataType::Int64, true)).collect::<Fields>();
        let columns = (0..100).map(|at| Arc::new(Int64Array::from(vec![at, at, at])) as ArrayRef);
        let inner = StructArray::new(fields, columns.collect(), Some(vec![true, true, false].into()));
        let field = Field::new("inner", inner.data_type().clone(), true);
        let inner = vec![Arc::new(inner) as ArrayRef];
        let outer = StructArray::new(vec![field].into(), inner, Some(vec![true, false, true].into()));
        RecordBatch::try_from_iter([("outer", Arc::new(outer) as ArrayRef)]).unwrap()
    }

    fn said(field: &str, nulls: Nulls) -> Said {
        let facts = Facts { nulls, ..Facts::default() };
        let path = ColumnPath::new(["outer", "inner", field]);
        Said { root: 0, path, group: 0, by: "the statistics", pages: vec![Page { rows: 0..3, facts }] }
    }

    #[test]
    fn the_fields_of_a_struct_are_gone_over_once() {
        let batch = batch();
        let mut structs = Structs::default();
        for at in 0..100 {
            said(&format!("f{at}"), Nulls::Unknown).compare(&batch, &mut structs, 0, || 0).unwrap();
        }
        assert_eq!(structs.seen, 101);
    }

    #[test]
    fn a_field_is_null_where_a_struct_around_it_is() {
        let batch = batch();
        let mut structs = Structs::default();
        let mut row = |nulls| {
            let compared = said("f7", nulls).compare(&batch, &mut structs, 0, || 0);
            compared.err().and_then(|error| error.position().row)
        };
        assert_eq!((row(Nulls::None), row(Nulls::All)), (Some(1), Some(0)));
    }
}
