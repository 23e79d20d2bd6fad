//! Binding of the columns of a batch to the fields of a message.

use std::collections::HashMap;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, Float64Array, GenericBinaryArray, GenericStringArray,
    Int32Array, Int64Array, RecordBatch, UInt32Array, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, FieldRef};
use tfxio_base::{Error, Result, suggest};

use super::MessageEncoder;
use super::keyed::Entry;
use crate::Kind;
use crate::descriptor::{Enum, Field, FieldKind, Message, Pool, Presence, Scalar};

/// The columns of a message.
pub(super) struct Bound<'a> {
    /// By number; the column of unknown fields last.
    pub(super) columns: Vec<Column<'a>>,
    pub(super) has_oneofs: bool,
    pub(super) is_map_entry: bool,
}

/// A column of a field.
pub(super) struct Column<'a> {
    /// `None` for the column of unknown fields.
    pub(super) field: Option<&'a Field>,
    pub(super) name: &'a str,
    pub(super) lists: Lists<'a>,
    /// Nulls of the rows.
    pub(super) nulls: Option<&'a NullBuffer>,
    pub(super) values: Values<'a>,
    /// Nulls of the values of lists.
    pub(super) value_nulls: Option<&'a NullBuffer>,
}

/// Ranges of the values of each row.
pub(super) enum Lists<'a> {
    /// A value in each row.
    None,
    Short(&'a OffsetBuffer<i32>),
    Long(&'a OffsetBuffer<i64>),
}

/// Values of columns.
pub(super) enum Values<'a> {
    Bool(&'a BooleanArray),
    Int32(&'a Int32Array),
    Int64(&'a Int64Array),
    Uint32(&'a UInt32Array),
    Uint64(&'a UInt64Array),
    Float32(&'a Float32Array),
    Float64(&'a Float64Array),
    Text(&'a GenericStringArray<i32>),
    LargeText(&'a GenericStringArray<i64>),
    Binary(&'a GenericBinaryArray<i32>),
    LargeBinary(&'a GenericBinaryArray<i64>),
    /// Numbers of another type than the field has: each must be one of it.
    Other(Box<Values<'a>>),
    /// No values: a column of nulls.
    Nothing,
    /// Names of an enum.
    Names(&'a Enum, Box<Values<'a>>),
    Messages(Bound<'a>),
    /// A map as a struct of its keys.
    Keyed(Vec<Entry<'a>>),
}

impl<'a> Bound<'a> {
    /// Finds the columns of a batch.
    pub(super) fn root(encoder: &'a MessageEncoder, batch: &'a RecordBatch) -> Result<Self> {
        if batch.schema_ref().fields() != encoder.schema.fields() {
            return Err(Error::new(
                Kind::BadValue,
                "the batch has other columns than the encoder was made for",
            ));
        }
        let binder = Binder { pool: &encoder.message.pool, unknown: encoder.unknown_fields.as_deref() };
        let Some(message) = binder.pool.messages.get(encoder.message.index) else {
            return Err(Error::new(Kind::UnknownMessage, "the descriptors have no such message"));
        };
        binder.message(message, encoder.schema.fields(), batch.columns())
    }
}

pub(super) struct Binder<'a> {
    pool: &'a Pool,
    unknown: Option<&'a str>,
}

impl<'a> Binder<'a> {
    fn message(
        &self,
        message: &'a Message,
        fields: &'a [FieldRef],
        arrays: &'a [ArrayRef],
    ) -> Result<Bound<'a>> {
        let by_name: HashMap<&str, &'a Field> =
            message.fields.iter().map(|field| (&*field.name, field)).collect();
        let mut columns = Vec::with_capacity(fields.len());
        for (column, array) in fields.iter().zip(arrays) {
            let name = column.name().as_str();
            let array = &**array;
            let bound = match by_name.get(name) {
                Some(field) => self.column(field, name, array),
                None if self.unknown == Some(name) => self.raw(name, array),
                None => {
                    let what = format!("{} has no field {name:?}", message.full_name);
                    let names = message.fields.iter().map(|field| &*field.name);
                    let hint = match message.is_map_entry {
                        true => "a map whose keys are fields is read with layout=plain".to_owned(),
                        false => suggest::hint(name, names, "fields"),
                    };
                    Err(Error::new(Kind::UnsupportedColumn, what)
                        .help(format!("leave the column out; {hint}")))
                }
            };
            columns.push(bound.map_err(|error| error.within(name))?);
        }
        let has = |field: &Field| columns.iter().any(|column: &Column<'_>| column.name == &*field.name);
        let required =
            message.fields.iter().find(|field| field.presence == Presence::Required && !has(field));
        if let Some(required) = required {
            let what =
                format!("{} requires the field {:?}, and no column has it", message.full_name, required.name);
            return Err(
                Error::new(Kind::MissingField, what).help("write with a descriptor in which it is optional")
            );
        }
        columns.sort_by_key(|column| column.field.map_or(u32::MAX, |field| field.number));
        for pair in columns.windows(2) {
            if let [first, second] = pair
                && first.name == second.name
            {
                let what = format!("there are two columns {:?}", first.name);
                return Err(Error::new(Kind::UnsupportedColumn, what));
            }
        }
        let has_oneofs = columns.iter().any(|column| column.field.is_some_and(|field| field.oneof.is_some()));
        Ok(Bound { columns, has_oneofs, is_map_entry: message.is_map_entry })
    }

    pub(super) fn column(&self, field: &'a Field, name: &'a str, array: &'a dyn Array) -> Result<Column<'a>> {
        let (lists, values, nulls) = unlisted(array);
        if matches!(lists, Lists::None) && field.presence == Presence::Repeated {
            if let FieldKind::Message(index) = field.kind
                && let Some(entry) = self.pool.messages.get(index).filter(|message| message.is_map_entry)
                && let Some(structs) = array.as_struct_opt()
            {
                let values = Values::Keyed(Entry::all(self, entry, structs)?);
                return Ok(Column { field: Some(field), name, lists, nulls, values, value_nulls: None });
            }
            return Err(unfit(array.data_type(), "the field is repeated, and the column has no lists"));
        }
        let value_nulls = if matches!(lists, Lists::None) { None } else { values.nulls() };
        let values = self.values(field, values)?;
        Ok(Column { field: Some(field), name, lists, nulls, values, value_nulls })
    }

    /// Binds the column of unknown fields.
    fn raw(&self, name: &'a str, array: &'a dyn Array) -> Result<Column<'a>> {
        let (lists, values, nulls) = unlisted(array);
        let value_nulls = if matches!(lists, Lists::None) { None } else { values.nulls() };
        let found = match values.data_type() {
            DataType::Null => Values::Nothing,
            other => binary(values).ok_or_else(|| unfit(other, "unknown fields are bytes"))?,
        };
        Ok(Column { field: None, name, lists, nulls, values: found, value_nulls })
    }

    fn values(&self, field: &Field, values: &'a dyn Array) -> Result<Values<'a>> {
        use DataType as D;
        let data_type = values.data_type();
        let wrong = |what: &str| unfit(data_type, what);
        if *data_type == D::Null {
            return Ok(Values::Nothing);
        }
        Ok(match field.kind {
            FieldKind::Message(index) => {
                if let Some(kept) = binary(values) {
                    return Ok(kept);
                }
                let (Some(structs), Some(message)) = (values.as_struct_opt(), self.pool.messages.get(index))
                else {
                    return Err(wrong("the field is a message"));
                };
                Values::Messages(self.message(message, structs.fields(), structs.columns())?)
            }
            FieldKind::Enum(index) => match (data_type, self.pool.enums.get(index), text(values)) {
                (D::Int32, ..) => Values::Int32(values.as_primitive()),
                (D::Int64, ..) => Values::Other(Box::new(Values::Int64(values.as_primitive()))),
                (_, Some(found), Some(names)) => Values::Names(found, Box::new(names)),
                _ => return Err(wrong("the field is an enum: names or int32")),
            },
            FieldKind::Scalar(scalar) => match (scalar, data_type) {
                (Scalar::Bool, D::Boolean) => Values::Bool(values.as_boolean()),
                (Scalar::Double, D::Float64) => Values::Float64(values.as_primitive::<Float64Type>()),
                (Scalar::Float, D::Float32) => Values::Float32(values.as_primitive::<Float32Type>()),
                (Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32, D::Int32) => {
                    Values::Int32(values.as_primitive::<Int32Type>())
                }
                (Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64, D::Int64) => {
                    Values::Int64(values.as_primitive::<Int64Type>())
                }
                (Scalar::Uint32 | Scalar::Fixed32, D::UInt32) => {
                    Values::Uint32(values.as_primitive::<UInt32Type>())
                }
                (Scalar::Uint64 | Scalar::Fixed64, D::UInt64) => {
                    Values::Uint64(values.as_primitive::<UInt64Type>())
                }
                (Scalar::String, _) => text(values).ok_or_else(|| wrong("the field is a string"))?,
                (Scalar::Bytes, _) => {
                    binary(values).or_else(|| text(values)).ok_or_else(|| wrong("the field is bytes"))?
                }
                (Scalar::Bool, _) => return Err(wrong("the field has the type bool")),
                _ => match number(values) {
                    Some(found) => Values::Other(Box::new(found)),
                    None => return Err(wrong(&format!("the field has the type {}", scalar_name(scalar)))),
                },
            },
        })
    }
}

/// Takes the lists off a column.
fn unlisted(array: &dyn Array) -> (Lists<'_>, &dyn Array, Option<&NullBuffer>) {
    match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            (Lists::Short(lists.offsets()), &**lists.values(), lists.nulls())
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            (Lists::Long(lists.offsets()), &**lists.values(), lists.nulls())
        }
        DataType::Map(..) => {
            let map = array.as_map();
            (Lists::Short(map.offsets()), map.entries(), map.nulls())
        }
        _ => (Lists::None, array, array.nulls()),
    }
}

fn text(values: &dyn Array) -> Option<Values<'_>> {
    match values.data_type() {
        DataType::Utf8 => Some(Values::Text(values.as_string())),
        DataType::LargeUtf8 => Some(Values::LargeText(values.as_string())),
        _ => None,
    }
}

fn binary(values: &dyn Array) -> Option<Values<'_>> {
    match values.data_type() {
        DataType::Binary => Some(Values::Binary(values.as_binary())),
        DataType::LargeBinary => Some(Values::LargeBinary(values.as_binary())),
        _ => None,
    }
}

fn number(values: &dyn Array) -> Option<Values<'_>> {
    Some(match values.data_type() {
        DataType::Int32 => Values::Int32(values.as_primitive()),
        DataType::Int64 => Values::Int64(values.as_primitive()),
        DataType::UInt32 => Values::Uint32(values.as_primitive()),
        DataType::UInt64 => Values::Uint64(values.as_primitive()),
        DataType::Float32 => Values::Float32(values.as_primitive()),
        DataType::Float64 => Values::Float64(values.as_primitive()),
        _ => return None,
    })
}

fn unfit(found: &DataType, what: &str) -> Error {
    Error::new(Kind::UnsupportedColumn, format!("the column has Arrow type {found}; {what}"))
        .help("convert the column, or write with a descriptor that it fits")
}

const fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Double => "double",
        Scalar::Float => "float",
        Scalar::Int64 => "int64",
        Scalar::Uint64 => "uint64",
        Scalar::Int32 => "int32",
        Scalar::Fixed64 => "fixed64",
        Scalar::Fixed32 => "fixed32",
        Scalar::Bool => "bool",
        Scalar::String => "string",
        Scalar::Bytes => "bytes",
        Scalar::Uint32 => "uint32",
        Scalar::Sfixed32 => "sfixed32",
        Scalar::Sfixed64 => "sfixed64",
        Scalar::Sint32 => "sint32",
        Scalar::Sint64 => "sint64",
    }
}
