//! Intervals of months, days and nanoseconds in files that are written: `INTERVAL`, for which the writer of the crate `parquet` takes them
//! only in other units. They are written as the bytes that they are, and the schema is given their type.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array as _, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, Schema, SchemaRef};
use arrow_select::take::take;
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::{ConvertedType, Repetition};
use parquet::errors::Result;
use parquet::schema::types::{SchemaDescriptor, Type};
use tfxio_core::Error;

use super::converted;

/// Key in the metadata of a field of bytes, in the Arrow schema of a file, that marks the values as intervals.
const KEY: &str = "tfxio:interval";
const UNIT: &str = "month_day_nano";

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);
pub(super) const STORED: DataType = DataType::FixedSizeBinary(12);

/// Returns the schema with such intervals as bytes; the schema itself where there are none.
pub(super) fn stored(schema: &SchemaRef) -> SchemaRef {
    as_bytes(schema, |data_type| *data_type == INTERVAL)
}

/// Returns the schema with the intervals of some types as bytes.
fn as_bytes(schema: &SchemaRef, is_some: fn(&DataType) -> bool) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| stored_field(field, is_some)).collect::<Vec<_>>();
    if fields.iter().zip(schema.fields()).all(|(stored, field)| Arc::ptr_eq(stored, field)) {
        return Arc::clone(schema);
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Refuses intervals that Parquet does not have.
pub(super) fn refuse_values(batch: &RecordBatch) -> Result<(), Error> {
    let schema = batch.schema();
    // Those of days and milliseconds are written by the crate, as they are.
    let is_looked_at = |data_type: &DataType| {
        matches!(data_type, DataType::Interval(IntervalUnit::DayTime | IntervalUnit::MonthDayNano))
    };
    let stored = as_bytes(&schema, is_looked_at);
    if Arc::ptr_eq(&stored, &schema) {
        return Ok(());
    }
    for (column, (field, stored)) in batch.columns().iter().zip(schema.fields().iter().zip(stored.fields())) {
        if Arc::ptr_eq(field, stored) || converted::stored(column, stored).is_ok() {
            continue;
        }
        for row in 0..column.len() {
            let alone = take(column, &UInt64Array::from_value(row as u64, 1), None)?;
            converted::stored(&alone, stored).map_err(|mut error| {
                error.position_mut().row = Some(row as u64);
                error
            })?;
        }
    }
    Ok(())
}

fn stored_field(field: &FieldRef, is_some: fn(&DataType) -> bool) -> FieldRef {
    use DataType as T;
    let of = |field: &FieldRef| stored_field(field, is_some);
    let data_type = match field.data_type() {
        T::Struct(fields) => T::Struct(fields.iter().map(of).collect()),
        T::List(item) => T::List(of(item)),
        T::LargeList(item) => T::LargeList(of(item)),
        T::FixedSizeList(item, size) => T::FixedSizeList(of(item), *size),
        T::Map(entries, is_sorted) => T::Map(of(entries), *is_sorted),
        found if is_some(found) => {
            let mut metadata = field.metadata().clone();
            metadata.insert(KEY.to_owned(), UNIT.to_owned());
            return Arc::new(Field::clone(field).with_data_type(STORED).with_metadata(metadata));
        }
        _ => return Arc::clone(field),
    };
    if data_type == *field.data_type() {
        return Arc::clone(field);
    }
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Returns whether a field is one of such intervals, by its metadata.
pub(super) fn is_marked(field: &Field) -> bool {
    field.metadata().get(KEY).is_some_and(|unit| unit == UNIT)
}

/// Returns the metadata of a field without what marks it.
pub(super) fn unmarked(metadata: &HashMap<String, String>) -> HashMap<String, String> {
    metadata.iter().filter(|(key, _)| *key != KEY).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns the schema of a file whose columns are stored so.
pub(super) fn described(stored: &Schema) -> Result<SchemaDescriptor> {
    let schema = ArrowSchemaConverter::new().convert(stored)?;
    let mut marks = converted::leaves(stored).into_iter().map(|(_, is_interval)| is_interval);
    let root = with_intervals(schema.root_schema(), &mut marks)?;
    Ok(SchemaDescriptor::new(root))
}

fn with_intervals(of: &Type, marks: &mut dyn Iterator<Item = bool>) -> Result<Arc<Type>> {
    let info = of.get_basic_info();
    let id = info.has_id().then(|| info.id());
    if of.is_group() {
        let fields =
            of.get_fields().iter().map(|field| with_intervals(field, marks)).collect::<Result<_>>()?;
        let group = Type::group_type_builder(of.name()).with_fields(fields).with_id(id);
        let group = group
            .with_converted_type(info.converted_type())
            .with_logical_type(info.logical_type_ref().cloned());
        let group = if info.has_repetition() { group.with_repetition(info.repetition()) } else { group };
        return Ok(Arc::new(group.build()?));
    }
    if marks.next() != Some(true) {
        return Ok(Arc::new(of.clone()));
    }
    let repetition = if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED };
    let interval = Type::primitive_type_builder(of.name(), of.get_physical_type());
    let interval = interval.with_length(12).with_converted_type(ConvertedType::INTERVAL).with_id(id);
    Ok(Arc::new(interval.with_repetition(repetition).build()?))
}
