//! Columns of scalars and of narrower numbers as the lists that features are.
//!
//! A batch of Parquet, CSV or SQL has a value a row where a tf.Example has a list of one. Here such a column becomes a list of one value a
//! row; null rows become null lists. Integers, booleans and 16-bit floats are widened, which is exact.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float16Type, Float32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, Int64Array, OffsetSizeTrait, RecordBatch,
    RecordBatchOptions, make_array,
};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

use super::plan::planned;
use crate::Error;

/// Conversion of the columns of batches of one schema.
#[derive(Debug)]
pub(super) struct Scalars {
    /// Name and type of each column that is converted.
    columns: Vec<Option<(String, DataType)>>,
    schema: SchemaRef,
}

impl Scalars {
    /// Returns the conversion for a schema. Columns of a type that no feature has stay, for the plan to refuse.
    pub(super) fn new(schema: &Schema, options: &super::EncoderOptions) -> Self {
        let takes = |field: &Field| options.scalars && !options.ignored_columns.contains(field.name());
        let (mut columns, mut fields) = (Vec::new(), Vec::new());
        for field in schema.fields() {
            let listed = Some(field).filter(|field| takes(field)).and_then(|field| listed(field.data_type()));
            columns.push(listed.as_ref().map(|_| (field.name().clone(), field.data_type().clone())));
            fields.push(match listed {
                None => Arc::clone(field),
                Some(to) => Arc::new(Field::new(field.name(), to, true)),
            });
        }
        Self { columns, schema: Arc::new(Schema::new(fields)) }
    }

    /// Returns the schema of the batches that come out.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns a batch of features' lists.
    pub(super) fn lists<'a>(&self, batch: &'a RecordBatch) -> Result<Cow<'a, RecordBatch>, Error> {
        if self.columns.iter().all(Option::is_none) {
            return Ok(Cow::Borrowed(batch));
        }
        let found = batch.schema_ref().fields();
        let mut columns = batch.columns().to_vec();
        let mut fields = found.to_vec();
        for (index, column) in self.columns.iter().enumerate() {
            let Some((name, data_type)) = column else { continue };
            let array = planned(index, name, data_type, found, batch.columns())?;
            let (Some(slot), Some(field)) = (columns.get_mut(index), fields.get_mut(index)) else { continue };
            *slot = list(array)?;
            *field = Arc::new(Field::new(name, slot.data_type().clone(), true));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(Cow::Owned(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?))
    }
}

/// Returns the type of the values that a feature has for values of this type, if they are widened.
fn wider(values: &DataType) -> Option<DataType> {
    match values {
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::Boolean => Some(DataType::Int64),
        DataType::Float16 => Some(DataType::Float32),
        _ => None,
    }
}

/// Returns whether columns of a type are converted where scalars are allowed.
pub(super) fn is_listed(of: &DataType) -> bool {
    listed(of).is_some()
}

/// Returns the type of the lists that a column becomes, if it is converted.
fn listed(of: &DataType) -> Option<DataType> {
    let item = |item: &FieldRef| wider(item.data_type()).map(|to| Arc::new(Field::new("item", to, true)));
    match of {
        DataType::List(values) => item(values).map(DataType::List),
        DataType::LargeList(values) => item(values).map(DataType::LargeList),
        DataType::FixedSizeList(values, len) => item(values).map(|item| DataType::FixedSizeList(item, *len)),
        scalar => {
            let is_value = matches!(
                scalar,
                DataType::Int64
                    | DataType::Float32
                    | DataType::Binary
                    | DataType::LargeBinary
                    | DataType::BinaryView
                    | DataType::Utf8
                    | DataType::LargeUtf8
                    | DataType::Utf8View
            );
            let values = wider(scalar).or_else(|| is_value.then(|| scalar.clone()))?;
            Some(DataType::FixedSizeList(Arc::new(Field::new("item", values, true)), 1))
        }
    }
}

/// Returns a column as lists of values that features have.
fn list(column: &ArrayRef) -> Result<ArrayRef, Error> {
    Ok(match column.data_type() {
        DataType::List(_) => lists::<i32>(column)?,
        DataType::LargeList(_) => lists::<i64>(column)?,
        DataType::FixedSizeList(_, len) => {
            let lists = column.as_fixed_size_list();
            let values = widened(lists.values());
            let field = Arc::new(Field::new("item", values.data_type().clone(), true));
            let nulls = lists.nulls().cloned();
            Arc::new(FixedSizeListArray::try_new_with_length(field, *len, values, nulls, lists.len())?)
        }
        _ => {
            let values = widened(column);
            let nulls = values.logical_nulls();
            // A row is null, and not the value in it.
            let values = make_array(values.to_data().into_builder().nulls(None).build()?);
            let field = Arc::new(Field::new("item", values.data_type().clone(), true));
            Arc::new(FixedSizeListArray::try_new_with_length(field, 1, values, nulls, column.len())?)
        }
    })
}

fn lists<O: OffsetSizeTrait>(column: &ArrayRef) -> Result<ArrayRef, Error> {
    let lists = column.as_list::<O>();
    let values = widened(lists.values());
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    let lists =
        GenericListArray::<O>::try_new(field, lists.offsets().clone(), values, lists.nulls().cloned())?;
    Ok(Arc::new(lists))
}

/// Returns values in the types of features.
fn widened(values: &ArrayRef) -> ArrayRef {
    macro_rules! to {
        ($from:ty, $to:ty, $by:expr) => {
            Arc::new(values.as_primitive::<$from>().unary::<_, $to>($by))
        };
    }
    match values.data_type() {
        DataType::Int8 => to!(Int8Type, Int64Type, i64::from),
        DataType::Int16 => to!(Int16Type, Int64Type, i64::from),
        DataType::Int32 => to!(Int32Type, Int64Type, i64::from),
        DataType::UInt8 => to!(UInt8Type, Int64Type, i64::from),
        DataType::UInt16 => to!(UInt16Type, Int64Type, i64::from),
        DataType::UInt32 => to!(UInt32Type, Int64Type, i64::from),
        DataType::Float16 => to!(Float16Type, Float32Type, f32::from),
        DataType::Boolean => {
            Arc::new(values.as_boolean().iter().map(|value| value.map(i64::from)).collect::<Int64Array>())
        }
        _ => Arc::clone(values),
    }
}
