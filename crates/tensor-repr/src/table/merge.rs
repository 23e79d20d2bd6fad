//! Batches of different columns as one.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{FieldRef, Schema};
use arrow_select::concat::concat;

use super::merged_type::{merged_field, nullable, widen};
use crate::array::{Kernel, has_room};
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// Returns the rows of several batches, one after the other, with the columns of all of them.
///
/// Columns are found by name and keep the order in which they first occur. In the rows of a batch that lacks a column, it
/// is null. A column that is `Null` in one batch has the type of the others, inside of lists and structs too; structs get
/// the fields of both. Any other two types must be equal. A batch without rows counts like any other. The metadata is taken
/// from the first batch; without any batch, the result has neither columns nor rows.
///
/// # Errors
///
/// - [`Kind::TypeMismatch`] if a column has types that cannot be merged. The error names it.
/// - [`Kind::InvalidArgument`] if a batch has two columns of one name.
/// - [`Kind::Overflow`] if the lists of a column hold more than 32-bit offsets can count, or its
///   dictionaries more than their keys can.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, cast::AsArray, types::Int64Type};
/// use tensor_repr::table::merge_batches;
///
/// let values = |value| -> ArrayRef { Arc::new(Int64Array::from(vec![value])) };
/// let one = RecordBatch::try_from_iter([("a", values(1)), ("b", values(2))])?;
/// let other = RecordBatch::try_from_iter([("c", values(3)), ("a", values(4))])?;
///
/// let merged = merge_batches(&[one, other])?;
/// let column = |at| merged.column(at).as_primitive::<Int64Type>().clone();
/// assert_eq!(column(0), Int64Array::from(vec![1, 4]));
/// assert_eq!(column(1), Int64Array::from(vec![Some(2), None]));
/// assert_eq!(column(2), Int64Array::from(vec![None, Some(3)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn merge_batches(batches: &[RecordBatch]) -> Result<RecordBatch, Error> {
    let mut columns: Vec<Column<'_>> = Vec::new();
    let mut indices: HashMap<&str, usize> = HashMap::new();
    for (number, batch) in batches.iter().enumerate() {
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let index = *indices.entry(field.name()).or_insert(columns.len());
            match columns.get_mut(index) {
                Some(column) => column.add(number, field, array)?,
                None => columns.push(Column { field: Arc::clone(field), parts: vec![(number, array)] }),
            }
        }
    }
    let rows = batches.iter().map(RecordBatch::num_rows).sum();
    let (mut fields, mut arrays) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
    for column in columns {
        let (field, array) = column.concat(batches)?;
        fields.push(field);
        arrays.push(array);
    }
    let metadata = batches.first().map(|batch| batch.schema_ref().metadata().clone()).unwrap_or_default();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    Ok(RecordBatch::try_new_with_options(schema, arrays, &options)?)
}

/// A column of the result.
struct Column<'a> {
    field: FieldRef,
    /// The number of each batch that has the column, and what it has.
    parts: Vec<(usize, &'a ArrayRef)>,
}

impl<'a> Column<'a> {
    fn add(&mut self, batch: usize, field: &FieldRef, array: &'a ArrayRef) -> Result<(), Error> {
        let name = self.field.name();
        if self.parts.last().is_some_and(|(last, _)| *last == batch) {
            let text = format!("batch {batch} has two columns of this name");
            return Err(Error::new(Kind::InvalidArgument, text).in_column(name));
        }
        let Some(merged) = merged_field(&self.field, field) else {
            let (ours, theirs) = (self.field.data_type(), field.data_type());
            let text =
                format!("{theirs} in batch {batch} cannot be merged with {ours} of the batches before it");
            return Err(Error::new(Kind::TypeMismatch, text).in_column(name));
        };
        self.field = merged;
        self.parts.push((batch, array));
        Ok(())
    }

    fn concat(self, batches: &[RecordBatch]) -> Result<(FieldRef, ArrayRef), Error> {
        let Self { mut field, parts } = self;
        if parts.len() < batches.len() {
            field = nullable(&field);
        }
        let name = field.name();
        let mut arrays = Vec::with_capacity(batches.len());
        let mut parts = parts.into_iter().peekable();
        for (number, batch) in batches.iter().enumerate() {
            arrays.push(match parts.next_if(|(batch, _)| *batch == number) {
                Some((_, array)) => widen(array, field.data_type()).map_err(|error| error.in_column(name))?,
                None => new_null_array(field.data_type(), batch.num_rows()),
            });
        }
        let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
        if !has_room(&arrays, Kernel::Concat) {
            let text = "all batches together hold more than 32-bit offsets of lists, or keys of dictionaries, can tell apart; use LargeList or wider keys";
            return Err(Error::new(Kind::Overflow, text).in_column(name));
        }
        let array = concat(&arrays).map_err(|error| Error::from(error).in_column(name))?;
        Ok((field, array))
    }
}
