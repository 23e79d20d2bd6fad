//! What the statistics of columns say, compared with the values: rows that they leave out by mistake would be lost without a word.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch, types};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use tfxio_core::{ColumnPath, Error, ErrorKind, Position};

use crate::filter::possible::{Facts, Nulls, Page, Value};

/// Rows of a column of a row group, and what is said of them.
#[derive(Debug)]
pub(super) struct Said {
    /// Number of the column in a batch that the path begins with.
    pub(super) root: usize,
    pub(super) path: ColumnPath,
    pub(super) group: usize,
    /// What says it.
    pub(super) by: &'static str,
    pub(super) pages: Vec<Page>,
}

impl Said {
    /// Compares some rows, of which the first is `first` in its row group, and `row` gives its number in the file.
    pub(super) fn compare(
        &self,
        batch: &RecordBatch,
        first: u64,
        row: impl Fn() -> u64,
    ) -> Result<(), Error> {
        let Some(column) = self.column(batch) else { return Ok(()) };
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
    fn column(&self, batch: &RecordBatch) -> Option<ArrayRef> {
        let (_, rest) = self.path.steps().split_first()?;
        let mut column = Arc::clone(batch.columns().get(self.root)?);
        for step in rest {
            let parent = column.as_struct_opt()?;
            let child = parent.column_by_name(step)?;
            // A struct that is null has no values.
            let nulls = NullBuffer::union(parent.nulls(), child.nulls());
            column = arrow_array::make_array(child.to_data().into_builder().nulls(nulls).build().ok()?);
        }
        Some(column)
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
            if let Some(row) = rows.clone().find(|row| is_null(*row)) {
                return Some((row, "says that no value is null, and one is".to_owned()));
            }
        }
        Nulls::Unknown => {}
    }
    let (min, max) = (facts.min.as_ref()?, facts.max.as_ref()?);
    let is_outside = |value: &Value| {
        value.compare(min) == Some(Ordering::Less) || value.compare(max) == Some(Ordering::Greater)
    };
    let row = rows
        .filter(|row| !is_null(*row))
        .find(|row| value(values, *row).is_some_and(|value| is_outside(&value)))?;
    Some((row, "has bounds that a value is outside of".to_owned()))
}

/// Returns a value as statistics have it; nothing for types of which they have none.
fn value(values: &dyn Array, row: usize) -> Option<Value> {
    fn of<T: ArrowPrimitiveType>(values: &dyn Array, row: usize) -> Option<T::Native> {
        values.as_any().downcast_ref::<PrimitiveArray<T>>()?.values().get(row).copied()
    }
    use DataType as T;
    Some(match values.data_type() {
        T::Boolean => Value::Boolean(values.as_boolean_opt().filter(|values| row < values.len())?.value(row)),
        T::Int8 => Value::Integer(of::<types::Int8Type>(values, row)?.into()),
        T::Int16 => Value::Integer(of::<types::Int16Type>(values, row)?.into()),
        T::Int32 => Value::Integer(of::<types::Int32Type>(values, row)?.into()),
        T::Int64 => Value::Integer(of::<types::Int64Type>(values, row)?.into()),
        T::UInt8 => Value::Integer(of::<types::UInt8Type>(values, row)?.into()),
        T::UInt16 => Value::Integer(of::<types::UInt16Type>(values, row)?.into()),
        T::UInt32 => Value::Integer(of::<types::UInt32Type>(values, row)?.into()),
        T::UInt64 => Value::Integer(of::<types::UInt64Type>(values, row)?.into()),
        T::Date32 => Value::Integer(of::<types::Date32Type>(values, row)?.into()),
        T::Timestamp(TimeUnit::Second, _) => {
            Value::Integer(of::<types::TimestampSecondType>(values, row)?.into())
        }
        T::Timestamp(TimeUnit::Millisecond, _) => {
            Value::Integer(of::<types::TimestampMillisecondType>(values, row)?.into())
        }
        T::Timestamp(TimeUnit::Microsecond, _) => {
            Value::Integer(of::<types::TimestampMicrosecondType>(values, row)?.into())
        }
        T::Timestamp(TimeUnit::Nanosecond, _) => {
            Value::Integer(of::<types::TimestampNanosecondType>(values, row)?.into())
        }
        T::Float32 => Value::Single(of::<types::Float32Type>(values, row)?),
        T::Float64 => Value::Double(of::<types::Float64Type>(values, row)?),
        T::Utf8 => Value::Bytes(values.as_string::<i32>().value(row).into()),
        T::LargeUtf8 => Value::Bytes(values.as_string::<i64>().value(row).into()),
        T::Utf8View => Value::Bytes(values.as_string_view().value(row).into()),
        T::Binary => Value::Bytes(values.as_binary::<i32>().value(row).into()),
        T::LargeBinary => Value::Bytes(values.as_binary::<i64>().value(row).into()),
        T::BinaryView => Value::Bytes(values.as_binary_view().value(row).into()),
        T::FixedSizeBinary(_) => Value::Bytes(values.as_fixed_size_binary().value(row).into()),
        T::Dictionary(..) => {
            let dictionary = values.as_any_dictionary_opt()?;
            let key = *dictionary.normalized_keys().get(row)?;
            return value(&**dictionary.values(), key);
        }
        _ => return None,
    })
}
