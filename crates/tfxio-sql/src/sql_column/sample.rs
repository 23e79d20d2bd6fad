//! Inference of scalar and text features: by the schema, else by the first rows.

use std::collections::HashMap;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use tfxio_core::{Column, Dataset, Result, ScanRequest};

use super::{SqlColumn, convert, feature};
use crate::TableOptions;

/// Rows a batch of the sample.
const BATCH_ROWS: usize = 1024;

/// Observed properties of a column.
#[derive(Clone, Copy, Debug)]
struct Seen {
    is_single: bool,
    is_text: bool,
    /// Whether there was a value.
    any: bool,
}

/// Returns what the columns of a data set are in SQL.
pub(crate) fn sql_columns(dataset: &dyn Dataset, options: &TableOptions) -> Result<Vec<SqlColumn>> {
    let schema = dataset.schema();
    let is_wanted = |data_type: &DataType| {
        let Some(values) = feature(data_type) else { return false };
        let is_bytes = matches!(values, DataType::Binary | DataType::LargeBinary);
        (options.scalars && !matches!(data_type, DataType::FixedSizeList(..))) || (options.text && is_bytes)
    };
    let wanted = schema.fields().iter().map(|field| is_wanted(field.data_type())).collect::<Vec<_>>();
    let seen = look(dataset, schema, &wanted, options)?;
    let columns = schema.fields().iter().zip(seen).map(|(field, seen)| {
        let is_one = matches!(field.data_type(), DataType::FixedSizeList(_, 1));
        let is_feature = feature(field.data_type()).is_some();
        let single = options.scalars && is_feature && (is_one || (seen.any && seen.is_single));
        SqlColumn::new(field, single, options.text && is_feature && seen.any && seen.is_text)
    });
    Ok(columns.collect())
}

/// Looks at the first rows.
fn look(
    dataset: &dyn Dataset,
    schema: &SchemaRef,
    wanted: &[bool],
    options: &TableOptions,
) -> Result<Vec<Seen>> {
    let mut seen = vec![Seen { is_single: true, is_text: true, any: false }; wanted.len()];
    let names = schema.fields().iter().zip(wanted).filter(|(_, wanted)| **wanted);
    let columns = names.map(|(field, _)| Column::new(field.name().as_str())).collect::<Vec<_>>();
    if columns.is_empty() || options.sample_rows == 0 {
        return Ok(seen);
    }
    let (mut rows, mut bytes) = (0u64, 0u64);
    for partition in dataset.partitions(u64::MAX)? {
        let left = options.sample_rows.saturating_sub(rows);
        let request = ScanRequest::new().columns(columns.iter().cloned()).batch_rows(BATCH_ROWS).limit(left);
        let mut scan = dataset.scan(&partition, &request)?;
        while let Some(batch) = scan.next_batch()? {
            let batch = batch.into_columns();
            rows = rows.saturating_add(batch.num_rows() as u64);
            bytes = bytes.saturating_add(batch.get_array_memory_size() as u64);
            note(&batch, schema, &mut seen);
            if rows >= options.sample_rows || bytes >= options.sample_bytes {
                return Ok(seen);
            }
        }
    }
    Ok(seen)
}

/// Notes what is seen in a batch.
fn note(batch: &RecordBatch, schema: &SchemaRef, seen: &mut [Seen]) {
    let of_schema = schema.fields().iter().enumerate().rev();
    let by_name = of_schema.map(|(index, field)| (field.name(), index)).collect::<HashMap<_, _>>();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let Some(seen) = by_name.get(field.name()).and_then(|index| seen.get_mut(*index)) else {
            continue;
        };
        if seen.is_single {
            seen.is_single = convert::first_not_single(column).is_none();
        }
        let values = values(column);
        seen.any |= values.len() > values.null_count();
        if seen.is_text {
            seen.is_text = convert::first_not_text(&values).is_none();
        }
    }
}

/// Returns all values of lists.
fn values(lists: &ArrayRef) -> ArrayRef {
    match lists.data_type() {
        DataType::List(_) => convert::values(lists.as_list::<i32>()),
        DataType::LargeList(_) => convert::values(lists.as_list::<i64>()),
        DataType::FixedSizeList(..) => std::sync::Arc::clone(lists.as_fixed_size_list().values()),
        _ => std::sync::Arc::clone(lists),
    }
}
