//! Numbers in columns of times of day that are none, for which ISO 8601 has no text.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use tfxio_core::{Error, ErrorKind, Position, Remedy, Result};

use super::value;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Refuses times of day before midnight, or after the end of the day: they would be read back as texts of another form, or as
/// numbers.
///
/// # Errors
/// `SchemaMismatch`, with column and row.
pub(crate) fn refuse_others(batch: &RecordBatch) -> Result<()> {
    for (column, field) in batch.columns().iter().zip(batch.schema_ref().fields()) {
        if !holds(field.data_type()) {
            continue;
        }
        let Some((row, number)) = (0..batch.num_rows()).find_map(|row| Some((row, other(column, row)?)))
        else {
            continue;
        };
        let what = format!("the number {number} is not a time of day, and has no text");
        let error =
            Error::new(ErrorKind::SchemaMismatch, what).help("leave the column out, or cast it to integers");
        return Err(error
            .remedied_by(Remedy::CastColumn)
            .at(Position::new().column(field.name().as_str()).row(row as u64)));
    }
    Ok(())
}

/// Returns whether values of a type are times of day, or hold some.
fn holds(data_type: &DataType) -> bool {
    match data_type {
        DataType::Time32(_) | DataType::Time64(_) => true,
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::RunEndEncoded(_, item)
        | DataType::Map(item, _) => holds(item.data_type()),
        DataType::Dictionary(_, values) => holds(values),
        DataType::Struct(fields) => fields.iter().any(|field| holds(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| holds(field.data_type())),
        _ => false,
    }
}

/// Returns the first number of a row that is not a time of day.
fn other(column: &dyn Array, row: usize) -> Option<i64> {
    if row >= column.len() || column.is_null(row) {
        return None;
    }
    if let Some((values, row)) = value::inner(column, row) {
        return other(&values, row);
    }
    if let Some((values, mut items)) = value::list(column, row) {
        return items.find_map(|item| other(values, item));
    }
    let (number, per_second) = match column.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            (column.as_primitive::<Time32SecondType>().value(row).into(), 1)
        }
        DataType::Time32(_) => (column.as_primitive::<Time32MillisecondType>().value(row).into(), 1_000),
        DataType::Time64(TimeUnit::Microsecond) => {
            (column.as_primitive::<Time64MicrosecondType>().value(row), 1_000_000)
        }
        DataType::Time64(_) => (column.as_primitive::<Time64NanosecondType>().value(row), 1_000_000_000),
        DataType::Struct(_) => {
            return column.as_struct().columns().iter().find_map(|field| other(field, row));
        }
        DataType::Map(..) => {
            let entries = column.as_map().value(row);
            return (0..entries.len()).find_map(|entry| other(&entries, entry));
        }
        DataType::Union(..) => {
            let union = column.as_union();
            return other(union.child(union.type_id(row)), union.value_offset(row));
        }
        _ => return None,
    };
    (!(0..DAY * per_second).contains(&number)).then_some(number)
}
