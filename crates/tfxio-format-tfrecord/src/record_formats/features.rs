//! Columns as tf.Example and tf.SequenceExample hold them: 64-bit integers, 32-bit floats and bytes. Lists that never have a
//! value are lists of integers, whose kind contradicts nothing.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, Int64Array, OffsetSizeTrait, RecordBatch,
    RecordBatchOptions, StructArray, new_null_array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use tfxio_core::{Error, ErrorKind, Position};

/// Casts of the columns of a schema to types of features: integers, bools and always-empty lists become int64, 16-bit floats 32-bit ones.
/// Nothing is rounded. Columns that the encoders take, or refuse with their own error, stay as they are.
pub(crate) struct Features {
    schema: SchemaRef,
    /// Whether columns stay as they are.
    is_same: bool,
}

impl Features {
    /// # Errors
    /// `Unsupported`, with the column, when values would not fit: 64-bit floats and unsigned 64-bit integers.
    pub(crate) fn new(schema: &SchemaRef) -> Result<Self, Error> {
        Self::with_sequences(schema, None)
    }

    /// Returns the same, where the struct of this name holds sequence features. Steps that are values become lists of one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn with_sequences(schema: &SchemaRef, sequences: Option<&str>) -> Result<Self, Error> {
        let fields = schema.fields().iter().map(|field| {
            becomes(field).map_err(|Unfit { path, data_type }| {
                let message = format!(
                    "tf.Example has no values of type {data_type}: it holds int64, 32-bit floats and bytes; convert \
                     without this column, or write its values as one of these"
                );
                Error::new(ErrorKind::Unsupported, message).at(Position::new().column(path))
            })
        });
        let fields = fields.map(|field| {
            field.map(|field| match sequences == Some(field.name().as_str()) {
                true => lists_of_steps(&field),
                false => field,
            })
        });
        let fields = fields.collect::<Result<Fields, _>>()?;
        let is_same = fields == *schema.fields();
        Ok(Self { schema: Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), is_same })
    }

    /// The schema of what [`batch`](Self::batch) returns.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// A batch of the schema that was planned for.
    pub(crate) fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        if self.is_same {
            return Ok(batch.clone());
        }
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(column, field)| convert(column, field.data_type()));
        let columns = columns.collect::<Result<Vec<_>, Error>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

/// Values that do not fit.
struct Unfit {
    /// The names on the way to them.
    path: String,
    data_type: DataType,
}

/// The field that a field becomes.
fn becomes(field: &FieldRef) -> Result<FieldRef, Unfit> {
    let data_type = type_becomes(field.data_type()).map_err(|Unfit { path, data_type }| {
        let dot = if path.is_empty() { "" } else { "." };
        Unfit { path: format!("{}{dot}{path}", field.name()), data_type }
    })?;
    Ok(match data_type {
        Some(data_type) => Arc::new(Field::clone(field).with_data_type(data_type)),
        None => Arc::clone(field),
    })
}

/// Returns the struct of sequence features, whose steps are lists.
fn lists_of_steps(field: &FieldRef) -> FieldRef {
    let DataType::Struct(fields) = field.data_type() else { return Arc::clone(field) };
    let step = |step: &FieldRef| {
        let is_list = step.data_type().is_nested() || *step.data_type() == DataType::Null;
        let list = || Arc::new(Field::clone(step).with_nullable(true));
        (!is_list).then(|| Arc::new(Field::new_list_field(DataType::LargeList(list()), true)))
    };
    let fields = fields.iter().map(|field| {
        let data_type = match field.data_type() {
            DataType::List(of) => step(of).map(DataType::List),
            DataType::LargeList(of) => step(of).map(DataType::LargeList),
            DataType::FixedSizeList(of, size) => step(of).map(|of| DataType::FixedSizeList(of, *size)),
            _ => None,
        };
        data_type.map_or_else(|| Arc::clone(field), |of| Arc::new(Field::clone(field).with_data_type(of)))
    });
    Arc::new(Field::clone(field).with_data_type(DataType::Struct(fields.collect())))
}

/// The field that a field of a struct becomes: a feature list, of which steps of no type have no list and stay so.
fn list_becomes(field: &FieldRef) -> Result<FieldRef, Unfit> {
    match field.data_type() {
        DataType::List(step) | DataType::LargeList(step) | DataType::FixedSizeList(step, _)
            if *step.data_type() == DataType::Null =>
        {
            Ok(Arc::clone(field))
        }
        _ => becomes(field),
    }
}

/// The type that a type becomes; `None` if it stays.
fn type_becomes(data_type: &DataType) -> Result<Option<DataType>, Unfit> {
    // The items of a list have no name of their own.
    let item = |item: &FieldRef| {
        let becomes = match item.data_type() {
            DataType::Null => Some(DataType::Int64),
            data_type => type_becomes(data_type)?,
        };
        Ok(becomes.map(|data_type| Arc::new(Field::clone(item).with_data_type(data_type))))
    };
    Ok(match data_type {
        DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => Some(DataType::Int64),
        DataType::Float16 => Some(DataType::Float32),
        DataType::Float64 | DataType::UInt64 => {
            return Err(Unfit { path: String::new(), data_type: data_type.clone() });
        }
        DataType::List(values) => item(values)?.map(DataType::List),
        DataType::LargeList(values) => item(values)?.map(DataType::LargeList),
        DataType::FixedSizeList(values, size) => {
            item(values)?.map(|values| DataType::FixedSizeList(values, *size))
        }
        DataType::Struct(fields) => {
            Some(DataType::Struct(fields.iter().map(list_becomes).collect::<Result<Fields, _>>()?))
        }
        _ => None,
    })
}

/// The values as ones of the type that theirs becomes.
fn convert(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Error> {
    Ok(match (array.data_type(), to) {
        (values, DataType::LargeList(item)) if !values.is_nested() && *values != DataType::Null => {
            let values = convert(array, item.data_type())?;
            let offsets = OffsetBuffer::from_repeated_length(1, values.len());
            let nulls = values.logical_nulls();
            Arc::new(GenericListArray::<i64>::try_new(Arc::clone(item), offsets, values, nulls)?)
        }
        (DataType::Null, DataType::Int64) => new_null_array(to, array.len()),
        (DataType::Boolean, DataType::Int64) => {
            let bits = array.as_boolean();
            Arc::new(Int64Array::new(bits.values().iter().map(i64::from).collect(), bits.nulls().cloned()))
        }
        (DataType::Int8, DataType::Int64) => wider::<Int8Type, Int64Type>(array),
        (DataType::Int16, DataType::Int64) => wider::<Int16Type, Int64Type>(array),
        (DataType::Int32, DataType::Int64) => wider::<Int32Type, Int64Type>(array),
        (DataType::UInt8, DataType::Int64) => wider::<UInt8Type, Int64Type>(array),
        (DataType::UInt16, DataType::Int64) => wider::<UInt16Type, Int64Type>(array),
        (DataType::UInt32, DataType::Int64) => wider::<UInt32Type, Int64Type>(array),
        (DataType::Float16, DataType::Float32) => wider::<Float16Type, Float32Type>(array),
        (DataType::List(_), DataType::List(item)) => lists::<i32>(array, item)?,
        (DataType::LargeList(_), DataType::LargeList(item)) => lists::<i64>(array, item)?,
        (DataType::FixedSizeList(..), DataType::FixedSizeList(item, size)) => {
            let lists = array.as_fixed_size_list();
            let values = convert(lists.values(), item.data_type())?;
            let (item, nulls) = (Arc::clone(item), lists.nulls().cloned());
            Arc::new(FixedSizeListArray::try_new_with_length(item, *size, values, nulls, lists.len())?)
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let structs = array.as_struct();
            let columns = structs.columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| convert(column, field.data_type()));
            let columns = columns.collect::<Result<Vec<_>, Error>>()?;
            let nulls = structs.nulls().cloned();
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, structs.len())?)
        }
        _ => Arc::clone(array),
    })
}

fn wider<From, To>(array: &ArrayRef) -> ArrayRef
where
    From: ArrowPrimitiveType,
    To: ArrowPrimitiveType<Native: std::convert::From<From::Native>>,
{
    Arc::new(array.as_primitive::<From>().unary::<_, To>(Into::into))
}

fn lists<O: OffsetSizeTrait>(array: &ArrayRef, item: &FieldRef) -> Result<ArrayRef, Error> {
    let lists = array.as_list::<O>();
    let values = convert(lists.values(), item.data_type())?;
    let (item, nulls) = (Arc::clone(item), lists.nulls().cloned());
    Ok(Arc::new(GenericListArray::try_new(item, lists.offsets().clone(), values, nulls)?))
}
