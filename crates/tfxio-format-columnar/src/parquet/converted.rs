//! Values that are read as they are stored, and converted here: the reader of the crate `parquet` wraps integers of 8 and 16 bits that are
//! longer, wraps dates of 96 bits outside of nanoseconds, and drops the months of intervals.
//!
//! See `INT96` and `INTERVAL` in the [format](https://github.com/apache/parquet-format/blob/master/LogicalTypes.md).

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, IntervalDayTime, IntervalDayTimeType,
    IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalYearMonthType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, PrimitiveArray,
    RecordBatch, StructArray, UInt64Array,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, Schema, SchemaRef, TimeUnit};
use arrow_select::take::take;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::Type;
use tfxio_core::{Count, Error, ErrorKind, Position};

use super::months;

/// Day of the Julian calendar, from midnight on, of 1970-01-01.
const EPOCH: i64 = 2_440_588;
const SECONDS_OF_DAY: i64 = 86_400;
const NANOS_OF_MILLI: i64 = 1_000_000;

/// Types of leaf columns whose values are converted, by the number of the leaf.
pub(super) type Targets = BTreeMap<usize, DataType>;

/// Returns the types of the leaf columns of a file whose values are converted; 96-bit timestamps become microseconds if `in_micros`.
pub(super) fn targets(metadata: &ArrowReaderMetadata, in_micros: bool) -> Targets {
    let stored = metadata.parquet_schema();
    let types = leaves(metadata.schema());
    if types.len() != stored.num_columns() {
        return Targets::new();
    }
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    let has_schema = pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == ARROW_SCHEMA_META_KEY));
    let target = |(leaf, (data_type, is_marked)): (usize, (DataType, bool))| {
        let target = match (stored.column(leaf).physical_type(), data_type) {
            (Type::INT96, DataType::Timestamp(unit, zone)) => {
                DataType::Timestamp(if in_micros { TimeUnit::Microsecond } else { unit }, zone)
            }
            // The unit is a guess, unless the file says its Arrow schema.
            (Type::FIXED_LEN_BYTE_ARRAY, DataType::Interval(_)) if !has_schema || is_marked => {
                DataType::Interval(IntervalUnit::MonthDayNano)
            }
            (Type::FIXED_LEN_BYTE_ARRAY, data_type @ DataType::Interval(_)) => data_type,
            (
                Type::INT32,
                data_type @ (DataType::Int8 | DataType::Int16 | DataType::UInt8 | DataType::UInt16),
            ) => data_type,
            _ => return None,
        };
        Some((leaf, target))
    };
    types.into_iter().enumerate().filter_map(target).collect()
}

/// Returns the types of the leaves of a schema, and whether each is marked as an interval.
pub(super) fn leaves(schema: &Schema) -> Vec<(DataType, bool)> {
    let mut types = Vec::new();
    let fields = schema.fields().iter();
    fields.for_each(|field| append(field.data_type(), months::is_marked(field), &mut types));
    types
}

/// Appends the types of leaves, of dictionaries the types of their values, and whether each is marked as an interval.
fn append(data_type: &DataType, is_marked: bool, out: &mut Vec<(DataType, bool)>) {
    use DataType as T;
    let mut of = |field: &FieldRef| append(field.data_type(), months::is_marked(field), &mut *out);
    match data_type {
        T::Struct(fields) => fields.iter().for_each(of),
        T::List(item) | T::LargeList(item) | T::ListView(item) | T::LargeListView(item) => of(item),
        T::FixedSizeList(item, _) | T::Map(item, _) => of(item),
        T::Dictionary(_, value) => append(value, is_marked, out),
        other => out.push((other.clone(), is_marked)),
    }
}

/// Returns a schema with the types of some leaves replaced; the leaves have these numbers, in order.
pub(super) fn schema(schema: &Schema, leaves: &[usize], targets: &Targets) -> SchemaRef {
    let mut leaves = leaves.iter().copied();
    let fields = schema.fields().iter().map(|field| field_with(field, &mut leaves, targets));
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

fn field_with(field: &FieldRef, leaves: &mut dyn Iterator<Item = usize>, targets: &Targets) -> FieldRef {
    use DataType as T;
    let mut of = |field: &FieldRef| field_with(field, &mut *leaves, targets);
    let data_type = match field.data_type() {
        T::Struct(fields) => T::Struct(fields.iter().map(of).collect()),
        T::List(item) => T::List(of(item)),
        T::LargeList(item) => T::LargeList(of(item)),
        T::FixedSizeList(item, size) => T::FixedSizeList(of(item), *size),
        T::Map(entries, is_sorted) => T::Map(of(entries), *is_sorted),
        T::ListView(item) => T::ListView(of(item)),
        T::LargeListView(item) => T::LargeListView(of(item)),
        other => leaves.next().and_then(|leaf| targets.get(&leaf)).unwrap_or(other).clone(),
    };
    if data_type == *field.data_type() {
        return Arc::clone(field);
    }
    let metadata = months::unmarked(field.metadata());
    Arc::new(Field::clone(field).with_data_type(data_type).with_metadata(metadata))
}

/// Converts the columns of a batch to the types of a schema. `row` gives the number of its first row.
pub(super) fn batch(
    batch: &RecordBatch,
    schema: &SchemaRef,
    row: impl Fn() -> u64,
) -> Result<RecordBatch, Error> {
    if batch.schema_ref() == schema {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| {
        array(column, field.data_type()).map_err(|wrong| wrong.error(column, field.name(), row()))
    });
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns.collect::<Result<_, _>>()?, &options)?)
}

/// A value that its type does not have.
struct Wrong {
    /// Number of the value in its leaf.
    at: usize,
    what: String,
    help: &'static str,
}

impl Wrong {
    fn error(self, column: &ArrayRef, name: &str, row: u64) -> Error {
        let what = format!("the Parquet file cannot be read: {}", self.what);
        let error = Error::new(ErrorKind::SchemaMismatch, what).help(self.help);
        let mut position = Position::new().column(name);
        // Of values within lists the row is not looked for.
        if !column.data_type().is_nested() {
            position = position.row(row.saturating_add(self.at as u64));
        }
        error.at(position)
    }
}

/// Converts an array, and what is in it, to a type.
fn array(values: &ArrayRef, to: &DataType) -> Result<ArrayRef, Wrong> {
    use DataType as T;
    if values.data_type() == to {
        return Ok(Arc::clone(values));
    }
    Ok(match (values.data_type(), to) {
        (T::Struct(_), T::Struct(fields)) => of_struct(values.as_struct(), fields)?,
        (T::List(_), T::List(item)) => of_list::<i32>(values.as_list(), item)?,
        (T::LargeList(_), T::LargeList(item)) => of_list::<i64>(values.as_list(), item)?,
        (T::FixedSizeList(..), T::FixedSizeList(item, size)) => {
            let lists = values.as_fixed_size_list();
            let items = array(lists.values(), item.data_type())?;
            made(FixedSizeListArray::try_new(Arc::clone(item), *size, items, lists.nulls().cloned()))?
        }
        (T::Map(..), T::Map(entries, is_sorted)) => {
            let maps = values.as_map();
            let T::Struct(fields) = entries.data_type() else { return Err(other(to)) };
            let converted = of_struct(maps.entries(), fields)?;
            let (offsets, nulls) = (maps.offsets().clone(), maps.nulls().cloned());
            made(MapArray::try_new(
                Arc::clone(entries),
                offsets,
                converted.as_struct().clone(),
                nulls,
                *is_sorted,
            ))?
        }
        (T::Int32, T::Int8) => narrow::<Int8Type>(values)?,
        (T::Int32, T::Int16) => narrow::<Int16Type>(values)?,
        (T::Int32, T::UInt8) => narrow::<UInt8Type>(values)?,
        (T::Int32, T::UInt16) => narrow::<UInt16Type>(values)?,
        (T::FixedSizeBinary(12), T::Interval(unit)) => intervals(values, *unit)?,
        (T::Interval(IntervalUnit::MonthDayNano), T::FixedSizeBinary(12)) => stored_intervals(values)?,
        (T::Interval(IntervalUnit::DayTime), T::FixedSizeBinary(12)) => stored_days(values)?,
        (T::FixedSizeBinary(12), T::Timestamp(unit, zone)) => times(values, *unit, zone.as_ref())?,
        _ => return Err(other(to)),
    })
}

#[cold]
fn other(to: &DataType) -> Wrong {
    Wrong {
        at: 0,
        what: format!("the values are not stored as those of {to} are"),
        help: "leave out the column",
    }
}

fn made<A: Array + 'static>(array: Result<A, arrow_schema::ArrowError>) -> Result<ArrayRef, Wrong> {
    match array {
        Ok(array) => Ok(Arc::new(array)),
        Err(error) => Err(Wrong { at: 0, what: error.to_string(), help: "leave out the column" }),
    }
}

fn of_struct(values: &StructArray, fields: &Fields) -> Result<ArrayRef, Wrong> {
    let columns = values.columns().iter().zip(fields);
    let columns =
        columns.map(|(column, field)| array(column, field.data_type())).collect::<Result<Vec<_>, _>>()?;
    made(StructArray::try_new_with_length(fields.clone(), columns, values.nulls().cloned(), values.len()))
}

fn of_list<O: OffsetSizeTrait>(lists: &GenericListArray<O>, item: &FieldRef) -> Result<ArrayRef, Wrong> {
    let items = array(lists.values(), item.data_type())?;
    made(GenericListArray::<O>::try_new(
        Arc::clone(item),
        lists.offsets().clone(),
        items,
        lists.nulls().cloned(),
    ))
}

/// Makes numbers of all other values that are not null.
fn numbers<T: ArrowPrimitiveType>(
    values: &dyn Array,
    number: impl Fn(usize) -> Result<T::Native, Wrong>,
) -> Result<PrimitiveArray<T>, Wrong> {
    let mut out = vec![T::Native::default(); values.len()];
    for (row, out) in out.iter_mut().enumerate() {
        if values.is_valid(row) {
            *out = number(row)?;
        }
    }
    Ok(PrimitiveArray::new(out.into(), values.nulls().cloned()))
}

fn narrow<T: ArrowPrimitiveType>(values: &ArrayRef) -> Result<ArrayRef, Wrong>
where
    T::Native: TryFrom<i32>,
{
    let stored = values.as_primitive::<Int32Type>().values();
    let narrowed = numbers::<T>(values, |at| {
        let number = stored.get(at).copied().unwrap_or_default();
        T::Native::try_from(number).map_err(|_| Wrong {
            at,
            what: format!("the value {number} is not one of its type, {}", T::DATA_TYPE),
            help: "leave out the column, or write the file again with a wider type",
        })
    })?;
    Ok(Arc::new(narrowed))
}

/// Returns the bytes of a value.
fn bytes(values: &ArrayRef, at: usize) -> [u8; 12] {
    let values = values.as_fixed_size_binary();
    let value = if at < values.len() { values.value(at) } else { &[] };
    value.first_chunk().copied().unwrap_or_default()
}

/// Converts intervals: months, days and milliseconds, 32 bits each, without a sign.
fn intervals(values: &ArrayRef, unit: IntervalUnit) -> Result<ArrayRef, Wrong> {
    let parts = |at: usize| {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes(values, at);
        [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(u32::from_le_bytes)
    };
    let wrong = |at: usize| {
        let [months, days, millis] = parts(at);
        let parts = [Count::of(months, "month"), Count::of(days, "day"), Count::of(millis, "millisecond")];
        let [months, days, millis] = parts.map(|count| count.to_string());
        let what = format!(
            "the interval of {months}, {days} and {millis} is not one of its type, Interval({unit:?})"
        );
        Wrong { at, what, help: "leave out the column, or write the file again without an Arrow schema" }
    };
    // Others write negative ones by the complement of two.
    let signed = u32::cast_signed;
    Ok(match unit {
        IntervalUnit::MonthDayNano => Arc::new(numbers::<IntervalMonthDayNanoType>(values, |at| {
            let [months, days, millis] = parts(at);
            Ok(IntervalMonthDayNano::new(signed(months), signed(days), i64::from(millis) * NANOS_OF_MILLI))
        })?),
        IntervalUnit::DayTime => Arc::new(numbers::<IntervalDayTimeType>(values, |at| match parts(at) {
            [0, days, millis] => Ok(IntervalDayTime::new(signed(days), signed(millis))),
            _ => Err(wrong(at)),
        })?),
        IntervalUnit::YearMonth => {
            Arc::new(numbers::<IntervalYearMonthType>(values, |at| match parts(at) {
                [months, 0, 0] => Ok(signed(months)),
                _ => Err(wrong(at)),
            })?)
        }
    })
}

/// Converts intervals of months, days and nanoseconds to bytes.
fn stored_intervals(values: &ArrayRef) -> Result<ArrayRef, Wrong> {
    let intervals = values.as_primitive::<IntervalMonthDayNanoType>();
    bytes_of(intervals.iter().map(|interval| {
        let IntervalMonthDayNano { months, days, nanoseconds } = interval?;
        let whole = u32::try_from(nanoseconds / NANOS_OF_MILLI).ok();
        let millis = whole.filter(|_| nanoseconds >= 0 && nanoseconds % NANOS_OF_MILLI == 0);
        Some((months, days, millis.ok_or_else(|| Count::of(nanoseconds, "nanosecond").to_string())))
    }))
}

/// Converts intervals of days and milliseconds to bytes.
fn stored_days(values: &ArrayRef) -> Result<ArrayRef, Wrong> {
    let intervals = values.as_primitive::<IntervalDayTimeType>();
    bytes_of(intervals.iter().map(|interval| {
        let IntervalDayTime { days, milliseconds } = interval?;
        let millis = u32::try_from(milliseconds);
        Some((0, days, millis.map_err(|_| Count::of(milliseconds, "millisecond").to_string())))
    }))
}

/// Makes the bytes of intervals: months, days and milliseconds, or the time that these do not hold.
fn bytes_of(
    parts: impl ExactSizeIterator<Item = Option<(i32, i32, Result<u32, String>)>>,
) -> Result<ArrayRef, Wrong> {
    let mut bytes = FixedSizeBinaryBuilder::with_capacity(parts.len(), 12);
    for (at, parts) in parts.enumerate() {
        let Some((months, days, millis)) = parts else {
            bytes.append_null();
            continue;
        };
        let millis = millis.map_err(|time| Wrong {
            at,
            what: format!("an interval has {time}, and Parquet has milliseconds from 0 to {}", u32::MAX),
            help: "leave out the column, or write an Arrow file",
        })?;
        let parts = [months.cast_unsigned(), days.cast_unsigned(), millis].map(u32::to_le_bytes);
        // There are twelve of them.
        let _ = bytes.append_value(parts.as_flattened());
    }
    Ok(Arc::new(bytes.finish()))
}

/// Converts a column of a file that is written to the type that is stored. `field` is the one that is stored.
pub(super) fn stored(column: &ArrayRef, field: &Field) -> Result<ArrayRef, Error> {
    let converted = array(column, field.data_type()).or_else(|wrong| {
        if !column.data_type().is_nested() {
            return Err(wrong);
        }
        // Values that no list refers to do not count: without them it may go well.
        let rows = UInt64Array::from_iter_values(0..column.len() as u64);
        take(column, &rows, None).map_or(Err(wrong), |compact| array(&compact, field.data_type()))
    });
    converted.map_err(|wrong| {
        let what = format!("the Parquet file cannot be written: {}", wrong.what);
        let error = Error::new(ErrorKind::SchemaMismatch, what).help(wrong.help);
        error.at(Position::new().column(field.name().as_str()))
    })
}

/// Converts dates and times of 96 bits: nanoseconds of a day, and the day of the Julian calendar.
fn times(values: &ArrayRef, unit: TimeUnit, zone: Option<&Arc<str>>) -> Result<ArrayRef, Wrong> {
    fn of<T: arrow_array::types::ArrowTimestampType>(
        values: &ArrayRef,
        zone: Option<&Arc<str>>,
        in_second: i64,
    ) -> Result<ArrayRef, Wrong> {
        let converted = numbers::<T>(values, |at| {
            let [a, b, c, d, e, f, g, h, days @ ..] = bytes(values, at);
            let nanos = i64::from_le_bytes([a, b, c, d, e, f, g, h]);
            let days = i64::from(i32::from_le_bytes(days)) - EPOCH;
            let per_tick = 1_000_000_000 / in_second;
            let ticks = nanos.div_euclid(per_tick);
            days.checked_mul(SECONDS_OF_DAY * in_second).and_then(|whole| whole.checked_add(ticks)).ok_or_else(|| Wrong {
                at,
                what: format!(
                    "the time on day {days} after 1970-01-01 is outside of {}",
                    match in_second {
                        1_000_000_000 => "nanoseconds, which reach from 1677-09-21 to 2262-04-11",
                        _ => "its type",
                    }
                ),
                help: "set the option int96 to us, which reads microseconds and cuts what is finer, or leave out the column",
            })
        })?;
        Ok(Arc::new(converted.with_timezone_opt(zone.cloned())))
    }
    match unit {
        TimeUnit::Second => of::<TimestampSecondType>(values, zone, 1),
        TimeUnit::Millisecond => of::<TimestampMillisecondType>(values, zone, 1000),
        TimeUnit::Microsecond => of::<TimestampMicrosecondType>(values, zone, 1_000_000),
        TimeUnit::Nanosecond => of::<TimestampNanosecondType>(values, zone, 1_000_000_000),
    }
}
