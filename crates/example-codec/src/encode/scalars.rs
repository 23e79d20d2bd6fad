//! Columns of scalars and of narrower numbers as the lists that features are.
//!
//! A batch of Parquet, CSV or SQL has a value a row where a tf.Example has a list of one. Here such a column becomes a list of one value a
//! row; null rows become null lists. Integers, booleans and 16-bit floats are widened, which is exact. The same holds for the steps of
//! feature lists, of which each is a list.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float16Type, Float32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, Int64Array, OffsetSizeTrait, RecordBatch,
    RecordBatchOptions, StructArray, make_array,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

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

/// Conversion of the fields of a struct of feature lists, whose steps are scalars or narrower numbers.
#[derive(Debug)]
pub(super) struct StepScalars {
    index: usize,
    name: String,
    /// The type of the struct before and after.
    types: [DataType; 2],
    is_converted: Vec<bool>,
}

impl StepScalars {
    /// Returns the conversion of a struct column; nothing where all fields are lists of what features have.
    pub(super) fn new(index: usize, name: &str, fields: &Fields) -> Option<Self> {
        let steps = fields.iter().map(|field| steps_type(field.data_type())).collect::<Vec<_>>();
        let is_converted = steps.iter().map(Option::is_some).collect::<Vec<_>>();
        if !is_converted.contains(&true) {
            return None;
        }
        let after = fields.iter().zip(steps).map(|(field, steps)| match steps {
            None => Arc::clone(field),
            Some(to) => Arc::new(Field::new(field.name(), to, true)),
        });
        let types = [DataType::Struct(fields.clone()), DataType::Struct(after.collect())];
        Some(Self { index, name: name.to_owned(), types, is_converted })
    }

    /// Returns the type of the struct that comes out.
    pub(super) fn data_type(&self) -> &DataType {
        &self.types[1]
    }

    /// Returns a batch of which each step is a list.
    pub(super) fn lists(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let Self { index, name, types: [before, after], is_converted } = self;
        let found = batch.schema_ref().fields();
        let array = planned(*index, name, before, found, batch.columns())?.as_struct();
        let fields =
            array.columns().iter().zip(is_converted).map(|(column, is_converted)| match is_converted {
                true => steps(column),
                false => Ok(Arc::clone(column)),
            });
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let DataType::Struct(types) = after else { return Ok(batch.clone()) };
        let lists =
            StructArray::try_new_with_length(types.clone(), fields, array.nulls().cloned(), array.len())?;
        let (mut columns, mut fields) = (batch.columns().to_vec(), found.to_vec());
        if let (Some(column), Some(field)) = (columns.get_mut(*index), fields.get_mut(*index)) {
            *column = Arc::new(lists);
            *field = Arc::new(Field::new(name, after.clone(), true));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?)
    }
}

/// Returns the type of a feature list whose steps are converted.
fn steps_type(of: &DataType) -> Option<DataType> {
    let step = |step: &FieldRef| listed(step.data_type()).map(|to| Arc::new(Field::new("item", to, true)));
    match of {
        DataType::List(of) => step(of).map(DataType::List),
        DataType::LargeList(of) => step(of).map(DataType::LargeList),
        DataType::FixedSizeList(of, len) => step(of).map(|step| DataType::FixedSizeList(step, *len)),
        _ => None,
    }
}

/// Returns a column of sequences as sequences of lists.
fn steps(column: &ArrayRef) -> Result<ArrayRef, Error> {
    match column.data_type() {
        DataType::List(_) => of_lists::<i32>(column, list),
        DataType::LargeList(_) => of_lists::<i64>(column, list),
        _ => of_fixed_size_lists(column, list),
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
        DataType::List(_) => of_lists::<i32>(column, |values| Ok(widened(values)))?,
        DataType::LargeList(_) => of_lists::<i64>(column, |values| Ok(widened(values)))?,
        DataType::FixedSizeList(..) => of_fixed_size_lists(column, |values| Ok(widened(values)))?,
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

/// Returns lists with other values.
fn of_lists<O: OffsetSizeTrait>(
    column: &ArrayRef,
    change: impl Fn(&ArrayRef) -> Result<ArrayRef, Error>,
) -> Result<ArrayRef, Error> {
    let lists = column.as_list::<O>();
    let values = change(lists.values())?;
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    let lists =
        GenericListArray::<O>::try_new(field, lists.offsets().clone(), values, lists.nulls().cloned())?;
    Ok(Arc::new(lists))
}

fn of_fixed_size_lists(
    column: &ArrayRef,
    change: impl Fn(&ArrayRef) -> Result<ArrayRef, Error>,
) -> Result<ArrayRef, Error> {
    let lists = column.as_fixed_size_list();
    let values = change(lists.values())?;
    let field = Arc::new(Field::new("item", values.data_type().clone(), true));
    let (size, nulls) = (lists.value_length(), lists.nulls().cloned());
    Ok(Arc::new(FixedSizeListArray::try_new_with_length(field, size, values, nulls, lists.len())?))
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
