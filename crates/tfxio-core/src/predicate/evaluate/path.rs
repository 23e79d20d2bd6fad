//! Mapping between the rows of a batch and the values of a path: on a list a test holds when it holds for any value.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use tfxio_base::{Error, ErrorKind, Position, Result};

use super::compare::Test;
use super::not_found;
use super::truths::Truths;
use crate::ColumnPath;

/// Tests the values of a path in each row.
pub(super) fn test(batch: &RecordBatch, path: &ColumnPath, test: &Test<'_>) -> Result<Truths> {
    let [first, steps @ ..] = path.steps() else {
        return Err(Error::new(ErrorKind::InvalidArgument, "a column of the filter has no name"));
    };
    let column = batch.column_by_name(first).ok_or_else(|| {
        let schema = batch.schema_ref();
        not_found("column", first, schema.fields().iter().map(|field| field.name().as_str()))
    })?;
    values(column, steps, test).map_err(|error| error.or_at(&Position::new().column(path.to_string())))
}

fn values(array: &ArrayRef, steps: &[Arc<str>], test: &Test<'_>) -> Result<Truths> {
    // Whether a column is null is asked of the column, and not of the values of its lists.
    if steps.is_empty() && matches!(test, Test::IsNull) {
        return Ok(Truths::are_null(array.len(), array.logical_nulls().as_ref()));
    }
    match (array.data_type(), steps) {
        (DataType::List(_), _) => {
            let list = array.as_list::<i32>();
            any(array, list.values(), steps, test, list.value_offsets().iter().map(|at| *at as usize))
        }
        (DataType::LargeList(_), _) => {
            let list = array.as_list::<i64>();
            any(array, list.values(), steps, test, list.value_offsets().iter().map(|at| *at as usize))
        }
        (DataType::FixedSizeList(_, size), _) => {
            let size = usize::try_from(*size).unwrap_or(0);
            let ends = (0..=array.len()).map(|row| row.saturating_mul(size));
            any(array, array.as_fixed_size_list().values(), steps, test, ends)
        }
        (DataType::Struct(fields), [step, rest @ ..]) => {
            let column = array.as_struct();
            let field = column
                .column_by_name(step)
                .ok_or_else(|| not_found("field", step, fields.iter().map(|field| field.name().as_str())))?;
            let missing = matches!(test, Test::IsNull).then_some(true);
            Ok(values(field, rest, test)?.where_null(array.nulls(), missing))
        }
        (DataType::Null, _) => Ok(Truths::all(array.len(), matches!(test, Test::IsNull).then_some(true))),
        (data_type, [step, ..]) => {
            let what =
                format!("the filter names the field {step:?} of Arrow type {data_type}, which has no fields");
            Err(Error::new(ErrorKind::InvalidArgument, what))
        }
        (DataType::Dictionary(..), []) => {
            let dictionary = array.as_any_dictionary();
            // Without values all keys are null.
            if dictionary.values().is_empty() {
                return Ok(Truths::all(array.len(), None));
            }
            let truths = values(dictionary.values(), &[], test)?;
            let keys = dictionary.normalized_keys();
            let truth = |row| keys.get(row).and_then(|key| truths.get(*key));
            Ok(Truths::of_each(array.len(), truth).where_null(array.nulls(), None))
        }
        (_, []) => test.values(array),
    }
}

/// Joins the truths of the values of each list.
fn any(
    lists: &ArrayRef,
    items: &ArrayRef,
    steps: &[Arc<str>],
    test: &Test<'_>,
    ends: impl Iterator<Item = usize>,
) -> Result<Truths> {
    let mut ends = ends.collect::<Vec<_>>();
    // Only what the lists hold: they may be a part of a larger column.
    let (first, last) = (ends.first().copied().unwrap_or(0), ends.last().copied().unwrap_or(0));
    let truths = values(&items.slice(first, last.saturating_sub(first)), steps, test)?;
    ends.iter_mut().for_each(|end| *end = end.saturating_sub(first));
    let missing = matches!(test, Test::IsNull).then_some(true);
    Ok(truths.any(&ends).where_null(lists.nulls(), missing))
}
